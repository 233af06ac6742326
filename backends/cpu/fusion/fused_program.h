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
  std::vector<int64_t> output_bytes;  // of an element
  std::vector<Input> inits;           // of a root that reduces: its initial values, scalars
  Dimensions dimensions;              // of the first output
  int64_t count = 0;                  // of elements of every output
  int64_t cost = 0;                   // steps of about a nanosecond for an element
};

// UNIMPLEMENTED, with the reason, where the computation is of another kind (fusion.h). Where the
// root is a reduce, the outputs are the arrays that it reduces.
absl::StatusOr<FusedProgram> FuseComputation(const Computation& computation);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_FUSION_FUSED_PROGRAM_H_
