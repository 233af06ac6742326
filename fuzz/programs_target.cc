// Fuzz target of programs: any bytes decode into a valid module, and the reference interpreter
// gives the same bits by kernels, by definitions and by one other way. With libFuzzer, what
// mutations change are records, and what a program has counts as coverage: pairs of operation and
// element type, and pairs of operations of which one takes what the other gives.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/differential/ways.h"
#include "fuzz/record_fuzzing.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"

namespace assay::fuzz {
namespace {

void RunOneInput(absl::Span<const uint8_t> bytes) {
  const FuzzProgram program = DecodeProgram(GrammarOfAll(), bytes);
  const Module& module = *program.module;
  Require(program.refused == 0, "no row of the grammar is refused", program.refusal);
  RequireOk(VerificationStatus(VerifyModule(module, {Rules::kStrict})),
            "any bytes are a valid program");
  CountFeatures(module);
  const absl::StatusOr<std::vector<DeviceInputs>> inputs = MakeInputs(program);
  RequireOk(inputs.status(), "a program has values");
  RunBudget budget;
  budget.bytes = int64_t{1} << 28;
  budget.seconds = 20;
  const auto golden = RunByKernels(module, *inputs, budget);
  if (absl::IsResourceExhausted(golden.status())) return;
  RequireOk(golden.status(), "a valid program runs");
  const Way ways[] = {Way::kDefinitions,
                      fuzz::kWays[1 + bytes.size() % (std::size(fuzz::kWays) - 1)]};
  const auto difference = FindWayThatDiffers(module, *inputs, *golden, ways, budget);
  Require(!difference, "all ways to run a program give the same bits",
          difference ? absl::StrCat(WayName(difference->way), ": ", difference->detail, "\n",
                                    PrintModule(module, PrintOptions::Complete()))
                     : "");
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  assay::fuzz::RunOneInput({data, size});
  return 0;
}
