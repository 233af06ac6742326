// An arithmetic expression on arrays of one type and shape, written from words, and sources of such
// words: a table of what compilers simplify, and random ones. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_EXPRESSION_H_
#define ASSAY_FUZZ_PROGRAMS_EXPRESSION_H_

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "fuzz/programs/sketch.h"

namespace assay::fuzz {

class Expression {
 public:
  Expression(Sketch& s, ElementType type, Sizes sizes)
      : s_(s), w_(s.w()), type_(type), sizes_(sizes.begin(), sizes.end()) {}

  // Makes a value of the type and shape the operand of this name, instead of a new array.
  void Give(absl::string_view name, Instruction* value) { leaves_[std::string(name)] = value; }
  // Appends the expression of these words (expression_forms.h). Returns null where an operation
  // does not take the type.
  Instruction* Write(absl::string_view form);
  // Appends a random tree of so many operations.
  void WriteTree(int64_t operations);

 private:
  Instruction* Number();
  // Appends one operation of a tree.
  Instruction* Step(Instruction* a, Instruction* b, Instruction* c, Instruction** pred);
  template <size_t kCount>
  Instruction* FirstThatTakes(const Opcode (&opcodes)[kCount],
                              std::initializer_list<Instruction*> operands);
  // Appends the expression that begins at the next word. Of equal ones the first is taken, and the
  // others stand beside it, as compilers find them.
  Instruction* Next();
  Instruction* Read();
  // Numbers beside a wider or narrower value take its type.
  Instruction* Like(const Instruction* a, Instruction* b);
  Instruction* Changed(absl::string_view word, Instruction* x);
  Instruction* Leaf(absl::string_view name);

  Sketch& s_;
  ProgramWriter& w_;
  const ElementType type_;
  const Dimensions sizes_;
  std::map<std::string, Instruction*> leaves_, known_;
  std::vector<absl::string_view> words_;
  size_t at_ = 0;
};

// Return a type and sizes for expressions. The type is the first one of the grammar's options where
// they do not permit it, and may then be of another class.
ElementType FloatOfExpressions(Sketch& s);
ElementType IntegerOfExpressions(Sketch& s);
Dimensions SizesOfExpressions(ProgramWriter& w);

// Returns a row of the table for floats or for integers. Most rows are for both, so that those of
// the other table come now and then.
absl::string_view TableForm(Choices& choices, bool is_float);
// Returns an operation on two results of operations, or on one of them and an operand or a number:
// max(x + 1, x), (x + y) rem y, select(p, x, y) == x, power(x, y) * power(x, z), x - 3 < 5.
std::string JoinedForm(Choices& choices, bool is_float);
// Returns a function of two operands, of an operation and of another function, compared or
// combined: sign(x) != sign(y), f(g(x * x)), f(x + y) / f(x).
std::string FunctionForm(Choices& choices, bool is_float);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_EXPRESSION_H_
