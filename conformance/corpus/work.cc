#include "conformance/corpus/work.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/numeric/bits.h"
#include "spec/element/saturating.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

// Of all arrays of a value; as many as can be said.
int64_t ElementsOf(const Shape& shape) {
  if (shape.is_array()) return shape.ElementCount().value_or(INT64_MAX);
  int64_t count = 0;
  for (const Shape& element : shape.tuple_shapes()) {
    count = SaturatingSum(count, ElementsOf(element));
  }
  return count;
}

int64_t ElementsOfOperands(const Instruction& instruction) {
  int64_t count = 0;
  for (const Instruction* operand : instruction.operands()) {
    count = SaturatingSum(count, ElementsOf(operand->shape()));
  }
  return count;
}

int64_t WindowElements(const Instruction& instruction) {
  int64_t count = 1;
  for (const WindowDimension& dimension : instruction.window().dimensions) {
    count = SaturatingProduct(count, dimension.size);
  }
  return count;
}

// The largest whole number among the constants of a loop's condition.
int64_t Trips(const Computation& condition) {
  int64_t trips = 1;
  for (const auto& instruction : condition.instructions()) {
    const Literal* literal = instruction->literal();
    if (literal == nullptr || !literal->is_array() || literal->element_count() != 1) continue;
    const ElementType type = literal->element_type();
    if (!IsSigned(type) && !IsUnsigned(type)) continue;
    const uint64_t bits = literal->Get(0).bits;
    const int64_t value = IsSigned(type)
                              ? DecodeSigned(type, bits)
                              : static_cast<int64_t>(std::min<uint64_t>(bits, INT64_MAX));
    trips = std::max(trips, value);
  }
  return trips;
}

class WorkCounter {
 public:
  // Computations come before those that call them, so depth costs no stack.
  int64_t Count(const Module& module) {
    for (const auto& computation : module.computations()) {
      int64_t work = 0;
      for (const auto& instruction : computation->instructions()) {
        work = SaturatingSum(work, OfInstruction(*instruction));
      }
      of_[computation.get()] = work;
    }
    return of_[module.entry()];
  }

 private:
  int64_t Called(const Instruction& instruction) const {
    int64_t work = 0;
    for (const Computation* called : instruction.called_computations()) {
      const auto known = of_.find(called);
      if (known != of_.end()) work = SaturatingSum(work, known->second);
    }
    return work;
  }

  int64_t OfInstruction(const Instruction& instruction) const {
    const int64_t result = ElementsOf(instruction.shape());
    switch (instruction.opcode()) {
      case Opcode::kParameter:
      case Opcode::kConstant:
      case Opcode::kTuple:
      case Opcode::kGetTupleElement:
        return 0;
      case Opcode::kDot:
      case Opcode::kConvolution:
        return MultiplyAdds(instruction);
      case Opcode::kWhile:
        return SaturatingProduct(Called(instruction),
                                 Trips(*instruction.GetComputation(Attr::kCondition)));
      case Opcode::kCall:
      case Opcode::kFusion:
      case Opcode::kConditional:
      case Opcode::kAsyncStart:
        return Called(instruction);
      case Opcode::kReduceWindow:
        return SaturatingProduct(result, WindowElements(instruction));
      case Opcode::kCholesky:
      case Opcode::kTriangularSolve: {
        const Shape& matrix = instruction.operand(0)->shape();
        return SaturatingProduct(result, matrix.dimension(matrix.rank() - 1));
      }
      case Opcode::kFft:
        return SaturatingProduct(result, absl::bit_width(static_cast<uint64_t>(result)));
      default: {
        const int64_t reach =
            instruction.info().elementwise() ? 0 : ElementsOfOperands(instruction);
        const int64_t each = std::max<int64_t>(1, Called(instruction));
        return SaturatingProduct(std::max(result, reach), each);
      }
    }
  }

  absl::flat_hash_map<const Computation*, int64_t> of_;
};

}  // namespace

int64_t MultiplyAdds(const Instruction& instruction) {
  if (!instruction.shape().is_array()) return 0;
  int64_t count = ElementsOf(instruction.shape());
  if (instruction.opcode() == Opcode::kDot) {
    const Shape& lhs = instruction.operand(0)->shape();
    for (int64_t d : instruction.GetInts(Attr::kLhsContractingDims)) {
      count = SaturatingProduct(count, d >= 0 && d < lhs.rank() ? lhs.dimension(d) : 1);
    }
    return count;
  }
  if (instruction.opcode() == Opcode::kConvolution) {
    const Shape& kernel = instruction.operand(1)->shape();
    const int64_t output = instruction.convolution_dimensions().kernel_output_feature;
    for (int64_t d = 0; d < kernel.rank(); ++d) {
      if (d != output) count = SaturatingProduct(count, kernel.dimension(d));
    }
    return count;
  }
  return 0;
}

int64_t WorkOf(const Module& module) { return WorkCounter().Count(module); }

int64_t WorkOf(const CorpusCase& corpus_case) {
  if (corpus_case.expect == CorpusCase::Expect::kRefused) return 0;
  const auto module = ParseModule(corpus_case.module);
  if (!module.ok()) return 0;
  return SaturatingProduct(WorkOf(**module),
                           SaturatingProduct(corpus_case.replicas, corpus_case.partitions));
}

}  // namespace assay::conformance
