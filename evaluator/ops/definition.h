// Shared by the definitions: turns a rule for one element into a Definition, and iterates over
// indices. A definition keeps a reference to its instruction and is valid for one set of operand
// values. Tests: definitions_test.cc.
#ifndef ASSAY_EVALUATOR_OPS_DEFINITION_H_
#define ASSAY_EVALUATOR_OPS_DEFINITION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "spec/ir/module.h"

namespace assay::evaluator {

using Index = absl::Span<const int64_t>;
using DefinitionOr = absl::StatusOr<std::unique_ptr<Definition>>;

// DefinePad(pad) and so on, one function for each row of definitions.def, and DefineElementwise.
#define DEFINITION(opcode, name) DefinitionOr Define##name(const Instruction& instruction);
#include "evaluator/ops/definitions.def"
#undef DEFINITION
DefinitionOr DefineElementwise(const Instruction& instruction);

// An element of an operand.
struct Source {
  int64_t operand = 0;
  Dimensions index;
};

// The definition of an operation that only moves elements: source(index), a Source, is the element
// that stands at an index of the result.
template <typename SourceRule>
class ViewDefinition : public Definition {
 public:
  explicit ViewDefinition(SourceRule source) : source_(std::move(source)) {}
  absl::StatusOr<Element> At(int64_t, Index index, OperandElements& operands,
                             EvaluationContext&) override {
    const Source source = source_(index);
    return operands.At(source.operand, source.index);
  }

 private:
  SourceRule source_;
};
template <typename SourceRule>
std::unique_ptr<Definition> DefineView(SourceRule source) {
  return std::make_unique<ViewDefinition<SourceRule>>(std::move(source));
}

// The definition of an operation with one result: element(index, operands, context), an Element or
// an error, stands at an index of it.
template <typename ElementRule>
class ElementDefinition : public Definition {
 public:
  explicit ElementDefinition(ElementRule element) : element_(std::move(element)) {}
  absl::StatusOr<Element> At(int64_t, Index index, OperandElements& operands,
                             EvaluationContext& context) override {
    return element_(index, operands, context);
  }

 private:
  ElementRule element_;
};
template <typename ElementRule>
std::unique_ptr<Definition> DefineElement(ElementRule element) {
  return std::make_unique<ElementDefinition<ElementRule>>(std::move(element));
}

// Returns a kernel that fills its results element by element. It makes a new definition for each
// run, because definitions of whole-array operations cache their results. `define` is called once
// at the start to find its errors.
using Define = std::function<DefinitionOr()>;
absl::StatusOr<std::unique_ptr<Kernel>> MakeStraightKernel(Define define);

// Return the shape and the element type of operand k.
inline const Shape& OperandShape(const Instruction& instruction, int64_t k) {
  return instruction.operand(k)->shape();
}
inline ElementType OperandType(const Instruction& instruction, int64_t k) {
  return OperandShape(instruction, k).element_type();
}
// Returns the element type of a leaf of the result.
ElementType ResultType(const Instruction& instruction, int64_t leaf);

// Converts an element to another type. Equal types keep the bits.
Element As(ElementType to, ElementType from, Element element);

// Returns the element of operand k at `index`, converted to type `to`, for operands of mixed float
// types.
absl::StatusOr<Element> ElementAs(ElementType to, const Instruction& instruction, int64_t k,
                                  Index index, OperandElements& operands);

// Return the row-major position of an index, and the index at a position (ops_structural.md 1.2).
int64_t PositionOf(Index index, absl::Span<const int64_t> sizes);
Dimensions IndexAt(int64_t position, absl::Span<const int64_t> sizes);
int64_t CountOf(absl::Span<const int64_t> sizes);

// Calls visit(index) for every index below `sizes` in row-major order; stops at the first error.
template <typename Visit>
absl::Status ForEachIndex(absl::Span<const int64_t> sizes, Visit visit) {
  Dimensions storage(sizes.size(), 0);
  const absl::Span<int64_t> index = absl::MakeSpan(storage);
  for (int64_t size : sizes) {
    if (size == 0) return absl::OkStatus();
  }
  while (true) {
    if (absl::Status status = visit(Index(index)); !status.ok()) return status;
    int64_t d = static_cast<int64_t>(sizes.size()) - 1;
    while (d >= 0 && ++index[d] == sizes[d]) index[d--] = 0;
    if (d < 0) return absl::OkStatus();
  }
}

// Returns the sizes of the listed dimensions.
Dimensions SizesOf(absl::Span<const int64_t> sizes, absl::Span<const int64_t> dimensions);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_DEFINITION_H_
