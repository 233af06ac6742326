// Copies computations from one module into another, instruction by instruction; a caller may put
// something else in the place of single instructions. Tests: builder_test.cc,
// conformance/seeds/semantics_2017_test.cc.
#ifndef ASSAY_SPEC_BUILDER_COPY_MODULE_H_
#define ASSAY_SPEC_BUILDER_COPY_MODULE_H_

#include <functional>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay {

using CalleeMap = absl::flat_hash_map<const Computation*, Computation*>;
using InstructionMap = absl::flat_hash_map<const Instruction*, Instruction*>;

// The instruction with everything it carries (no id), its operands and callees by the maps. Not yet
// in a computation.
std::unique_ptr<Instruction> CopyInstruction(const Instruction& original,
                                             const InstructionMap& instructions,
                                             const CalleeMap& callees);

// A computation without instructions, of the same name and kind, for a copy of what `original`
// does.
std::unique_ptr<Computation> EmptyCopy(const Computation& original);

// Copies every computation of `from` behind those of `to`, callees first as they are, and enters
// them in `callees`.
void CopyComputations(const Module& from, Module* to, CalleeMap* callees);

}  // namespace assay

#endif  // ASSAY_SPEC_BUILDER_COPY_MODULE_H_
