// The input of the second tier: a straight line of operations on lanes of 1, 4 and 8 bytes, each of
// which takes one or a few machine instructions. The operation of a kernel is found by its place in
// the table of kernels, so the second tier needs no lowering of its own. Tests: native_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_NATIVE_LANE_CODE_H_
#define ASSAY_BACKENDS_CPU_VECTOR_NATIVE_LANE_CODE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/vector/kernel_table.h"

namespace assay::cpu {

// The operation of a kernel. Elements of one byte are pred or u8.
struct LaneOperation {
  enum Kind : uint8_t { kArithmetic, kCompare, kIsNonzero, kConvert, kSelect, kCopy, kWrapByte };
  Kind kind = kCopy;
  KernelOp opcode = KernelOp::kCopy;     // kArithmetic
  Direction direction = Direction::kEq;  // kCompare
  Lane lane = Lane::kU8;                 // of the data operand; any of its width for kSelect, kCopy
  Lane to = Lane::kU8;                   // of the result
  bool swapped = false;  // true if the second of two NaN operands is returned (add, multiply)
};

// The operation, if the second tier has instructions for it. `bits` is KernelParameters::bits.
std::optional<LaneOperation> LaneOperationOf(const KernelTable& kernels, BlockKernel kernel,
                                             int32_t bits);

struct LaneValue {
  enum Kind : uint8_t {
    kComputed,
    kArray,     // an element of an array for each lane
    kUniform,   // a vector of equal elements in memory
    kConstant,  // of 4 or 8 bytes
    kState,     // of a loop
  };
  Kind kind = kComputed;
  int32_t bytes = 0;     // of an element
  int32_t index = 0;     // of the array, or of the leaf of the state
  uint64_t pattern = 0;  // of a constant
};

struct LaneStep {
  LaneOperation operation;
  int32_t operand_count = 0;
  std::array<int32_t, 3> operands{};
  int32_t result = 0;
  int32_t bits = 0;  // kWrapByte
};

struct LaneCode {
  std::vector<LaneValue> values;
  std::vector<LaneStep> steps;
  std::vector<std::pair<int32_t, int32_t>> stores;  // a value, and the array that it becomes
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_NATIVE_LANE_CODE_H_
