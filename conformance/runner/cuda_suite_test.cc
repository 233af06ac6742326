// The conformance suite on the CUDA backend over the emulated device, quick tier, under two
// schedules of threads, on the second as graphs: nothing is wrong or fails, and both give the same
// outcomes.
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cuda/cuda_backend.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/selection.h"
#include "conformance/runner/runner.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

// How often each outcome came.
std::map<Outcome, int> RunCudaQuickTier(cuda::emulator::Schedule schedule, cuda::GraphUse graphs) {
  CaseFilter filter;
  filter.tier = Tier::kQuick;
  absl::StatusOr<std::vector<CorpusCase>> cases = SelectCorpusCases(filter);
  EXPECT_TRUE(cases.ok()) << cases.status();
  std::vector<const CorpusCase*> pointers;
  for (const CorpusCase& each : *cases) pointers.push_back(&each);
  const TargetProfile profile = *TargetProfile::Find("cuda");
  std::map<Outcome, int> outcomes;
  SuiteOptions options;
  options.profile = &profile;
  options.jobs = 4;
  options.make_target = [&] {
    cuda::EmulatorOptions emulator;
    emulator.schedule = schedule;
    return *cuda::CudaBackend::Create("cuda-emulated", cuda::EmulatedRuntime::Create(emulator),
                                      {.graphs = graphs});
  };
  options.take = [&](const CorpusCase&, CaseResult result) {
    ++outcomes[result.outcome];
    const bool judged = IsPass(result.outcome) || result.outcome == Outcome::kNotSupported;
    EXPECT_TRUE(judged) << result.id << ": " << OutcomeName(result.outcome) << ", "
                        << result.message;
    return true;
  };
  EXPECT_TRUE(RunCases(pointers, options).ok());
  return outcomes;
}

TEST(CudaSuite, QuickTierUnderTwoSchedules) {
  std::map<Outcome, int> outcomes =
      RunCudaQuickTier(cuda::emulator::Schedule::kRandom, cuda::GraphUse::kNever);
  EXPECT_GT(outcomes[Outcome::kExact], 5000);
  // Custom calls of other systems, refused by name.
  EXPECT_LE(outcomes[Outcome::kNotSupported], 8);
  EXPECT_EQ(RunCudaQuickTier(cuda::emulator::Schedule::kRunAhead, cuda::GraphUse::kFromFirstRun),
            outcomes);
}

}  // namespace
}  // namespace assay::conformance
