// What the definitions share: how a rule for one element becomes a Definition, and walking over
// indices. A definition keeps a reference to its instruction, and works for one set of operand
// values.
#ifndef ASSAY_EVALUATOR_OPS_DEFINITION_H_
#define ASSAY_EVALUATOR_OPS_DEFINITION_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "spec/ir/module.h"

namespace assay {

using Index = absl::Span<const int64_t>;
using DefinitionOr = absl::StatusOr<std::unique_ptr<Definition>>;

// DefinePad(pad), ...: one for each row of definitions.def, and that of elementwise operations.
#define DEFINITION(opcode, name) DefinitionOr Define##name(const Instruction& instruction);
#include "evaluator/ops/definitions.def"
#undef DEFINITION
DefinitionOr DefineElementwise(const Instruction& instruction);

// An element of an operand.
struct Source {
  int64_t operand = 0;
  Dimensions index;
};

// For operations that only move: which operand's element stands at an index of the result.
using SourceRule = std::function<Source(Index)>;
std::unique_ptr<Definition> DefineView(SourceRule source);

// For operations with one result: the element at an index.
using ElementFunction =
    std::function<absl::StatusOr<Element>(Index, OperandElements&, EvaluationContext&)>;
std::unique_ptr<Definition> DefineElement(ElementFunction element);

// A kernel that fills its results element by element, from a definition made anew for each run:
// those of whole-array operations remember what they found. `define` is tried at once.
using Define = std::function<DefinitionOr()>;
absl::StatusOr<std::unique_ptr<Kernel>> MakeStraightKernel(Define define);

// The shape of operand k; the element type of operand k.
inline const Shape& OperandShape(const Instruction& instruction, int64_t k) {
  return instruction.operand(k)->shape();
}
inline ElementType OperandType(const Instruction& instruction, int64_t k) {
  return OperandShape(instruction, k).element_type();
}
// The element type of result leaf k.
ElementType ResultType(const Instruction& instruction, int64_t leaf);

// An element in another type; a bit copy when the types are equal.
Element As(ElementType to, ElementType from, Element element);

// The element of operand k at `index`, in type `to`: operands of mixed float types.
absl::StatusOr<Element> ElementAs(ElementType to, const Instruction& instruction, int64_t k,
                                  Index index, OperandElements& operands);

// Row-major position of an index, and the index at a position. 1.2.
int64_t PositionOf(Index index, absl::Span<const int64_t> sizes);
Dimensions IndexAt(int64_t position, absl::Span<const int64_t> sizes);
int64_t CountOf(absl::Span<const int64_t> sizes);

// Calls visit(index) for every index below `sizes` in row-major order; stops at the first error.
template <typename Visit>
absl::Status ForEachIndex(absl::Span<const int64_t> sizes, Visit visit) {
  Dimensions index(sizes.size(), 0);
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

// The sizes that the listed dimensions have.
Dimensions SizesOf(absl::Span<const int64_t> sizes, absl::Span<const int64_t> dimensions);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_OPS_DEFINITION_H_
