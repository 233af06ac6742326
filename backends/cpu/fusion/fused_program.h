// A fused computation as a block program and the views through which its inputs are read.
// Tests: fusion_test.cc.
#ifndef ASSAY_BACKENDS_CPU_FUSION_FUSED_PROGRAM_H_
#define ASSAY_BACKENDS_CPU_FUSION_FUSED_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/cpu/vector/block_program.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"
#include "spec/views/view.h"

namespace assay::cpu {

struct FusedProgram {
  // An input of the program. Sources of the view are the leaves of the operands in pre-order, then
  // `literals`. A uniform input is the one element at index 0 of its view.
  struct Input {
    View view;
    int64_t element_bytes = 0;
    bool uniform = false;
  };
  std::unique_ptr<BlockProgram> program;
  std::vector<Input> inputs;
  std::vector<Literal> literals;      // constants that are arrays, and iotas
  int64_t literal_source = 0;         // the source that is the first literal
  std::vector<int64_t> output_bytes;  // bytes of an element of each output
  std::vector<Input> inits;           // the scalar initial values of a root that reduces
  Dimensions dimensions;              // the dimensions of the first output
  int64_t count = 0;                  // the number of elements of every output
  int64_t cost = 0;                   // the cost of an element in steps of about a nanosecond
};

// Converts a computation. If the root is a reduce, the outputs are the arrays that it reduces.
// Returns UNIMPLEMENTED, with the reason, for computations that fusion.h does not support.
absl::StatusOr<FusedProgram> FuseComputation(const Computation& computation);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_FUSION_FUSED_PROGRAM_H_
