// The kernels of one instruction set: loops over dense arrays of lanes, by opcode and lane type.
//
// A lane is the form in which an element is computed with. Integers of 8 bits and more, f32, f64
// and complex elements are lanes as they are stored. Narrower integers are extended to 8 bits,
// narrower floats to f32, both by value; a kernel that computes such a lane is followed by one that
// rounds it to the type (`round`) or wraps it (`wrap`). pred is a u8 of 0 or 1.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNEL_TABLE_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNEL_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "spec/element/element_type.h"

namespace assay::cpu {

// The opcodes and comparison directions of spec/, whose headers take longer to parse than kernels
// to compile. lowering.cc asserts that the values agree.
enum class KernelOp : uint8_t {
#define OP(enumerator, ...) enumerator,
#include "spec/op_catalogue.def"
#undef OP
};
inline constexpr int kKernelOpCount = static_cast<int>(KernelOp::kXor) + 1;
enum class Direction : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };

enum class Lane : uint8_t { kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kF32, kF64, kC64, kC128 };
inline constexpr int kLaneCount = 12;

constexpr int LaneBytes(Lane lane) {
  constexpr int kBytes[kLaneCount] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16};
  return kBytes[static_cast<int>(lane)];
}
// The place in tables by the bytes of an element, 1 to 16.
constexpr int LogBytes(int64_t bytes) { return __builtin_ctzll(static_cast<uint64_t>(bytes)); }
// The lane of an element type; `type` is an array type.
Lane LaneOf(ElementType type);
// Returns true if elements of the type are stored as their lanes are.
bool StoredAsLane(ElementType type);

// reduce-precision on the bit patterns of one type (ops_elementwise_and_types.md 6.14).
struct PrecisionRule {
  int dropped_bits = 0;        // of the significand
  uint64_t sign_mask = 0;      // 0 where the type has no sign
  uint64_t nan_above = 0;      // magnitudes above are NaN
  uint64_t nan_pattern = 0;    // the bit pattern of NaN if the magnitude does not determine it
  uint64_t infinity = 0;       // magnitude; all ones where the type has none
  uint64_t zero_below = 0;     // rounded magnitudes below become zero
  uint64_t overflow_from = 0;  // rounded magnitudes from here overflow
  uint64_t overflow_pattern = 0;
  uint64_t overflow_sign = 0;  // the sign mask, or 0 where overflow forgets the sign
  uint64_t zero_pattern = 0;
  uint64_t zero_sign = 0;
  bool nan_overflows = false;  // NaN becomes overflow_pattern
};

// The parameters of a kernel apart from its arrays.
struct KernelParameters {
  int32_t bits = 0;         // the width of the integer type
  int32_t source_bits = 0;  // the width of the random number of stochastic-convert
  const PrecisionRule* precision = nullptr;
};

// Reads n elements of each operand and writes n elements of the result, which may be exactly the
// storage of an operand whose elements are not smaller. Nothing need be aligned.
using BlockKernel = void (*)(const std::byte* const* operands, std::byte* result, int64_t n,
                             const KernelParameters& parameters);

struct KernelTable {
  const char* name = "";
  // By the lane of the data operand; null where there is none. compare, convert, select and
  // reduce-precision have tables of their own.
  BlockKernel by_opcode[kKernelOpCount][kLaneCount] = {};
  BlockKernel compare[6][kLaneCount] = {};           // by Direction
  BlockKernel total_order[6][kLaneCount] = {};       // f32, f64
  BlockKernel convert[kLaneCount][kLaneCount] = {};  // [to][from]
  BlockKernel is_nonzero[kLaneCount] = {};           // to pred
  // To f32, rounded to odd: rounding that to a narrower type is rounding once.
  BlockKernel to_odd[kLaneCount] = {};
  // By log2 of the bytes of an element: pred, then two operands.
  BlockKernel select[5] = {};
  BlockKernel copy[5] = {};
  BlockKernel repeat[5] = {};            // the one element of the operand, n times
  BlockKernel reduce_precision[4] = {};  // on patterns of 1, 2, 4, 8 bytes
  // Narrow integers: extends the low bits of a byte (the result of an operation, or storage);
  // clears the others.
  BlockKernel wrap_signed = nullptr;
  BlockKernel wrap_unsigned = nullptr;
  // Narrow floats by ElementType: storage to lane, rounding a lane to the type, lane to storage.
  static constexpr int kTypeNumbers = 64;
  BlockKernel decode[kTypeNumbers] = {};
  BlockKernel round[kTypeNumbers] = {};
  BlockKernel encode[kTypeNumbers] = {};
  // stochastic-convert: f64 and u64 lanes to i64.
  BlockKernel stochastic_convert = nullptr;
  // Replaces f64 zeros by the smallest positive number, for types without zero whose exact result
  // is not 0.
  BlockKernel positive = nullptr;
};

// The tables, each compiled for its instruction set.
enum class InstructionSet : uint8_t { kBaseline, kAvx2, kAvx512 };
// Returns true if this machine executes the set.
bool Supports(InstructionSet set);
const KernelTable& Kernels(InstructionSet set);
// The table of the best set that the machine supports, or of the one named by the environment
// variable ASSAY_CPU_ISA (baseline, avx2, avx512), if it is supported; read once.
const KernelTable& BestKernels();

// The table of each instruction set, compiled in a library of its own.
namespace baseline {
void FillTable(KernelTable& table);
}
namespace avx2 {
void FillTable(KernelTable& table);
}
namespace avx512 {
void FillTable(KernelTable& table);
}

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNEL_TABLE_H_
