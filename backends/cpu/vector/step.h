// One step of a block program: a kernel with the places of its operands and its result.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_STEP_H_
#define ASSAY_BACKENDS_CPU_VECTOR_STEP_H_

#include <array>
#include <cstdint>

#include "backends/cpu/vector/kernel_table.h"

namespace assay::cpu {

// Where the block of a register is.
struct Place {
  enum Kind : uint8_t { kScratch, kConstant, kInput, kOutput };
  Kind kind = kScratch;
  int32_t element_bytes = 0;
  int64_t position = 0;  // a byte offset (kScratch, kConstant) or the number of an array
};

struct BoundStep {
  BlockKernel kernel = nullptr;
  KernelParameters parameters;
  int32_t operand_count = 0;
  int32_t multiplicity = 1;  // 2: complex elements as pairs of lanes
  std::array<Place, 3> operands{};
  Place result;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_STEP_H_
