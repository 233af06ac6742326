// Loops over dense blocks of elements: one elementwise operation on `n` elements of literal
// storage. Native loops where the machine has the operation, blocks of decoded doubles for narrow
// floats, blocks of correctly rounded functions, and the scalar definition element by element for
// the rest. All give the bits of the scalar definition. Reductions and scatters use them too.
// Tests: elementwise_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_ELEMENT_LOOPS_H_
#define ASSAY_EVALUATOR_KERNELS_ELEMENT_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "evaluator/evaluator.h"
#include "evaluator/scalar/scalar_ops.h"

namespace assay::evaluator::kernels {

// `out` may be the storage of an operand with elements of the same size.
using UnaryLoop = void (*)(const ScalarFunction& function, const std::byte* x, std::byte* out,
                           int64_t n, EvaluationContext& context);
using BinaryLoop = void (*)(const ScalarFunction& function, const std::byte* a, const std::byte* b,
                            std::byte* out, int64_t n, EvaluationContext& context);
using TernaryLoop = void (*)(const ScalarFunction& function, const std::byte* a, const std::byte* b,
                             const std::byte* c, std::byte* out, int64_t n,
                             EvaluationContext& context);

// Exactly one pointer is set: the one for the arity of the operation.
struct ElementLoop {
  ScalarFunction function;
  UnaryLoop unary = nullptr;
  BinaryLoop binary = nullptr;
  TernaryLoop ternary = nullptr;
  // The loop calls the scalar definition for each element.
  bool one_by_one = false;
  // The number of elements between two looks at the clock, small for slow functions.
  int64_t most_at_once = kAnyNumber;
  static constexpr int64_t kAnyNumber = int64_t{1} << 62;

  void operator()(const std::byte* x, std::byte* out, int64_t n, EvaluationContext& context) const {
    unary(function, x, out, n, context);
  }
  void operator()(const std::byte* a, const std::byte* b, std::byte* out, int64_t n,
                  EvaluationContext& context) const {
    binary(function, a, b, out, n, context);
  }
};

// Returns nullopt if the operation is not defined for the types.
std::optional<ElementLoop> FindElementLoop(const ScalarOp& op);

// The parts of it, null where there is none. Private to this library.
UnaryLoop FindNativeUnaryLoop(const ScalarOp& op);
BinaryLoop FindNativeBinaryLoop(const ScalarOp& op);
TernaryLoop FindNativeSelectLoop(const ScalarOp& op);
// minimum(maximum(a, b), c).
TernaryLoop FindNativeClampLoop(ElementType type);
UnaryLoop FindConvertLoop(const ScalarOp& op);

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_ELEMENT_LOOPS_H_
