// Simpler attributes of an instruction. Private to fuzz/reduce. Tests: reducer_test.cc,
// fixpoint_test.cc.
#ifndef ASSAY_FUZZ_REDUCE_ATTRIBUTE_EDITS_H_
#define ASSAY_FUZZ_REDUCE_ATTRIBUTE_EDITS_H_

#include <functional>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "fuzz/reduce/module_cuts.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

using AttributeEdit = std::function<void(Instruction*)>;

// Returns the simplifications of an instruction's attributes, those that change most first: no
// padding, strides and dilations of 1, the identity, no algorithm and no flags, for all dimensions
// together; then the same for each number and each flag alone, and each number by one. Every
// simplification makes attributes simpler in the same order, so that applying them ends.
std::vector<AttributeEdit> SimplerAttributes(const Instruction& op);

// Applies a simplification to an instruction of the module and infers the shapes of later
// instructions again. Returns nothing if the module becomes invalid.
std::optional<Cut> WithSimplerAttribute(const Module& module, absl::Span<const DeviceInputs> inputs,
                                        const Instruction& chosen, const AttributeEdit& edit);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_ATTRIBUTE_EDITS_H_
