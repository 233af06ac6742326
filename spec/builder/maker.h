// What builder functions are written with: one Maker per call of a function finds the builder,
// makes instructions by the rules of spec/ops and keeps the first error with the place of the call.
// Internal to
// spec/builder and spec/semantics. Tests: builder_test.cc.
#ifndef ASSAY_SPEC_BUILDER_MAKER_H_
#define ASSAY_SPEC_BUILDER_MAKER_H_

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/builder/builder.h"
#include "spec/builder/copy_module.h"
#include "spec/ops/checks.h"

namespace assay {
namespace builder_internal {

// A computation under construction with the module that its callees go into.
struct Graph {
  std::string name;
  Semantics semantics = Semantics::kToday;
  std::unique_ptr<Module> module;
  std::unique_ptr<Computation> computation;  // the entry; joins the module last
  bool finished = false;
  absl::Status first_error;
  absl::flat_hash_set<int64_t> parameters;        // their numbers
  absl::flat_hash_set<const Instruction*> ended;  // sends and recvs that have their done
  // Callees already copied, by the module they come from (kept so that addresses stay unique).
  std::vector<std::pair<std::shared_ptr<const Module>, Computation*>> copied;
  // The token of the last transfer: transfers happen in the order of their calls.
  Instruction* last_token = nullptr;
};

using Ops = absl::Span<const Op>;
using AttributeList = std::vector<Attributes::Entry>;
using CalleeList = std::vector<std::pair<Attr, Computation*>>;

class Maker {
 public:
  // `function` is the name in messages. The builder is the one given, else that of the operands.
  Maker(absl::string_view function, CallSite site, Ops operands, Builder* builder = nullptr);

  // On behalf of an instruction that is rewritten; messages name it.
  Maker(std::shared_ptr<Graph> graph, const Instruction& original);

  // Whether there is a builder, every operand is a value of it, and nothing failed so far.
  bool ok() const { return ok_; }
  Semantics semantics() const { return graph_->semantics; }

  // All of the following do nothing but return an invalid Op (null, an empty shape) once the call
  // has failed.

  // The result of the rule, the instruction appended. `declared` says what the rule cannot infer:
  // a shape, or a scalar of the element type that is wanted.
  Op Make(Opcode opcode, Ops operands, AttributeList attributes = {}, Shape declared = Shape(),
          CalleeList callees = {});
  // Whether the rule takes the instruction; it is not made.
  bool Accepts(Opcode opcode, Ops operands, AttributeList attributes = {},
               Shape declared = Shape());
  // A constant.
  Op Constant(Literal literal);
  Op Constant(ElementType type, int64_t value);
  // Its entry in this module.
  Computation* Import(const Callee& callee);
  // Keeps the error, if it is the first. Returns an invalid Op.
  Op Fail(absl::string_view clause, absl::string_view what);
  Op Fail(const absl::Status& status);
  const Shape& ShapeOf(const Op& op) const;

  Op TokenForTransfer();
  void SetLastToken(const Op& token);

  Graph& graph() { return *graph_; }
  Instruction* instruction(const Op& op) const { return op.instruction_; }
  Op Wrap(Instruction* instruction) const { return Op(graph_, instruction); }
  // A computation of today's meaning; `body` makes its result from its parameters.
  using Body = absl::FunctionRef<Op(absl::Span<const Op> parameters, CallSite site)>;
  Callee SubComputation(absl::string_view name, absl::Span<const Shape> parameters,
                        Body body) const;
  CallSite site() const { return site_; }

 private:
  // Whether the operands that are contexts of transfers end here (transfer_c2).
  bool EndsContexts(Opcode opcode, Ops operands);
  // The instruction by the rule, in no computation yet; null after an error.
  std::unique_ptr<Instruction> Prepare(Opcode opcode, Ops operands, AttributeList attributes,
                                       Shape declared, CalleeList callees);
  void Keep(absl::Status status);
  // "Add(f32[2,3], f32[4])"
  std::string Function() const;
  absl::string_view function_;
  std::vector<const Instruction*> operands_;  // those that messages show; null: none
  bool more_operands_ = false;
  const Instruction* original_ = nullptr;
  CallSite site_;
  std::shared_ptr<Graph> graph_;
  bool ok_ = true;
};

// Ends a builder function with an error unless `condition` holds; without one after an earlier
// error, so that what follows may rely on its operands.
#define ASSAY_MAKER_REQUIRE(maker, clause, condition, ...)                    \
  do {                                                                        \
    if (!(maker).ok()) return (maker).Wrap(nullptr);                          \
    if (!(condition)) return (maker).Fail(clause, absl::StrCat(__VA_ARGS__)); \
  } while (false)

std::vector<int64_t> ToVector(absl::Span<const int64_t> list);
// 0, 1, ..., count - 1.
std::vector<int64_t> Counting(int64_t count);
// The concatenation of operand lists.
std::vector<Op> Join(std::initializer_list<Ops> lists);

}  // namespace builder_internal
}  // namespace assay

#endif  // ASSAY_SPEC_BUILDER_MAKER_H_
