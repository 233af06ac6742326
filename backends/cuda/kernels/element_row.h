// The descriptions of element types and operations that kernels read from their parameters. Plain
// rows replace templates over types. Included by kernels and by the host code that prepares them,
// so that it uses the language alone. Tests: kernel_elements_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_ELEMENT_ROW_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_ELEMENT_ROW_H_

#include <cstdint>

namespace assay::cuda {

enum ElementKind : uint8_t { kKindPred, kKindSigned, kKindUnsigned, kKindFloat, kKindComplex };
enum NanCode : uint8_t { kNanAbsent, kNanIeee, kNanAllOnes, kNanNegativeZero };
enum OverflowRule : uint8_t { kOverflowInfinity, kOverflowNan, kOverflowSaturate };

// One element type. The format is that of the parts for complex types.
struct ElementRow {
  uint8_t kind = kKindPred;
  uint8_t bits = 1;   // of a value, or of a part of a complex value
  uint8_t bytes = 1;  // of an element in memory
  uint8_t exponent_bits = 0;
  uint8_t significand_bits = 0;
  uint8_t nan = kNanAbsent;
  uint8_t overflow = kOverflowInfinity;
  bool has_infinity = false;
  bool has_sign = false;
  bool signed_zero = false;
  int16_t bias = 0;
};

// The operations by the numbers that the catalogue gives them.
enum class Op : uint8_t {
#define OP(enumerator, ...) enumerator,
#include "spec/op_catalogue.def"
#undef OP
};

enum Direction : uint8_t { kEqual, kNotEqual, kGreaterEqual, kGreater, kLessEqual, kLess };

// One elementwise operation on registers.
struct Step {
  Op op = Op::kCopy;
  uint8_t direction = kEqual;  // compare
  bool total_order = false;    // compare
  uint8_t exponent_bits = 0;   // reduce-precision
  uint8_t mantissa_bits = 0;   // reduce-precision
  ElementRow in;               // of the first operand; of select: of the second
  ElementRow out;
  int16_t operands[3] = {0, 0, 0};
  int16_t result = 0;
};

// A value as its bit pattern; `imag` is the pattern of the imaginary part.
struct Value {
  uint64_t bits = 0;
  uint64_t imag = 0;
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_ELEMENT_ROW_H_
