// The condition and body of an elementwise loop as one piece of compiled code. Tests:
// native_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_NATIVE_LOOP_PROGRAM_H_
#define ASSAY_BACKENDS_CPU_VECTOR_NATIVE_LOOP_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "backends/cpu/vector/block_program.h"
#include "backends/cpu/vector/native/native_code.h"

namespace assay::cpu {

struct LoopProgram {
  // An array of equal elements that Start has written to the scratch of a program.
  struct Uniform {
    bool of_body = false;
    Place place;
  };
  LaneLoop loop;
  std::vector<Uniform> uniforms;  // the arrays behind those of the state
  int64_t steps = 0;
};

// `leaf_bytes` has the bytes of an element of each leaf of the state. Returns nothing unless the
// second tier supports all steps of both programs.
std::optional<LoopProgram> JoinLoop(const BlockProgram& condition, const BlockProgram& body,
                                    absl::Span<const int64_t> leaf_bytes);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_NATIVE_LOOP_PROGRAM_H_
