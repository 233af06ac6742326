// Fuzz target of programs: any bytes decode into a valid module, and the reference interpreter
// gives the same bits by kernels, by definitions and by one other way. With libFuzzer, what
// mutations change are records, and what a program has counts as coverage: pairs of operation and
// element type, and pairs of operations of which one takes what the other gives.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/campaign/mutation.h"
#include "fuzz/differential/ways.h"
#include "fuzz/programs/decoder.h"
#include "fuzz/programs/features.h"
#include "fuzz/properties.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"

namespace assay {
namespace {

constexpr int64_t kMostRecords = 24;
constexpr size_t kFeatures = 1 << 15;
// libFuzzer treats what changes here as new coverage; without it these are bytes like any other.
__attribute__((section("__libfuzzer_extra_counters"), used)) uint8_t features[kFeatures];

void Count(uint64_t feature) {
  uint8_t& counter = features[feature * 0x9E3779B97F4A7C15 >> 49];
  counter = static_cast<uint8_t>(std::min(counter + 1, 255));
}

void CountFeatures(const Module& module) {
  std::fill(std::begin(features), std::end(features), 0);
  fuzz::ForEachFeature(module, Count);
}

const fuzz::Grammar& TheGrammar() {
  static const auto* const grammar = [] {
    absl::StatusOr<fuzz::Grammar> made = fuzz::Grammar::Create();
    RequireOk(made.status(), "there is a grammar of all operations");
    return new fuzz::Grammar(*std::move(made));
  }();
  return *grammar;
}

void RunOneInput(absl::Span<const uint8_t> bytes) {
  const fuzz::FuzzProgram program = fuzz::DecodeProgram(TheGrammar(), bytes);
  const Module& module = *program.module;
  Require(program.refused == 0, "no row of the grammar is refused", program.refusal);
  RequireOk(VerificationStatus(VerifyModule(module, {Rules::kStrict})),
            "any bytes are a valid program");
  CountFeatures(module);
  const absl::StatusOr<std::vector<DeviceInputs>> inputs = fuzz::MakeInputs(program);
  RequireOk(inputs.status(), "a program has values");
  RunBudget budget;
  budget.bytes = int64_t{1} << 28;
  budget.seconds = 20;
  const auto golden = fuzz::RunByKernels(module, *inputs, budget);
  if (absl::IsResourceExhausted(golden.status())) return;
  RequireOk(golden.status(), "a valid program runs");
  const fuzz::Way ways[] = {fuzz::Way::kDefinitions,
                            fuzz::kWays[1 + bytes.size() % (std::size(fuzz::kWays) - 1)]};
  const auto difference = fuzz::FindWayThatDiffers(module, *inputs, *golden, ways, budget);
  Require(!difference, "all ways to run a program give the same bits",
          difference ? absl::StrCat(fuzz::WayName(difference->way), ": ", difference->detail, "\n",
                                    PrintModule(module))
                     : "");
}

size_t CopyOut(const fuzz::Bytes& bytes, uint8_t* out, size_t most) {
  const size_t size = std::min(bytes.size(), most);
  std::copy_n(bytes.begin(), size, out);
  return size;
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  assay::RunOneInput({data, size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  return assay::CopyOut(assay::fuzz::MutateRecords({data, size}, seed, assay::kMostRecords), data,
                        max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_out, unsigned int seed) {
  return assay::CopyOut(
      assay::fuzz::CrossRecords({data1, size1}, {data2, size2}, seed, assay::kMostRecords), out,
      max_out);
}
