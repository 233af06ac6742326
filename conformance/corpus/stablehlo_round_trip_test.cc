// Cases of the corpus as StableHLO programs: module, text, module again, and the golden result of
// both is the same, bit for bit. A sample of the cases runs here; all of them with
//   ASSAY_STABLEHLO_CASES=1 assay_stablehlo_round_trip_test
// which also prints why cases have no StableHLO equivalent, and how many each reason has
// (docs/stablehlo_writing.md). With ASSAY_STABLEHLO_TEXTS=FOLDER the texts are also written there,
// so that stablehlo_text.py --source FOLDER holds them against MLIR.
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/ready_case.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/from_module.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/to_module.h"

namespace assay {
namespace {

// Every how manyeth case runs.
int Stride() {
  const char* asked = std::getenv("ASSAY_STABLEHLO_CASES");
  int stride;
  return asked != nullptr && absl::SimpleAtoi(asked, &stride) && stride > 0 ? stride : 97;
}

// What the module computes as StableHLO, in pretty form if `pretty`.
absl::StatusOr<std::unique_ptr<Module>> RoundTrip(const Module& module, bool pretty,
                                                  std::string* text) {
  auto program = stablehlo::FromModule(module);
  if (!program.ok()) return program.status();
  *text =
      PrintText(**program, pretty ? stablehlo::PrintForm::kPretty : stablehlo::PrintForm::kGeneric);
  auto parsed = stablehlo::ParseText(*text, "program.mlir");
  if (!parsed.ok()) return absl::InternalError(parsed.status().message());
  auto converted = stablehlo::ToModule(**parsed);
  if (!converted.ok()) return absl::InternalError(converted.status().ToString());
  return std::move(converted->module);
}

// The values of `rng` are any of a distribution: golden draws them by the instruction's name.
bool DrawsByName(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::kRng) return true;
    }
  }
  return false;
}

bool SameOutputs(const std::vector<DeviceOutputs>& a, const std::vector<DeviceOutputs>& b) {
  if (a.size() != b.size()) return false;
  for (size_t device = 0; device < a.size(); ++device) {
    if (!Literal::BitEqual(a[device].result, b[device].result)) return false;
    if (a[device].outfeed.size() != b[device].outfeed.size()) return false;
    for (size_t i = 0; i < a[device].outfeed.size(); ++i) {
      if (!Literal::BitEqual(a[device].outfeed[i], b[device].outfeed[i])) return false;
    }
  }
  return true;
}

// "conditional ... : reason" by its operation and reason, so that cases count together.
std::string ReasonOf(absl::string_view message, const Module& module) {
  const size_t at = message.find(" has no equivalent in StableHLO: ");
  if (at == absl::string_view::npos) return std::string(message.substr(0, 100));
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (message.substr(0, at) == instruction->Describe()) {
        return absl::StrCat(instruction->info().name, message.substr(at + 31));
      }
    }
  }
  return std::string(message);
}

TEST(StablehloRoundTrip, GoldenResultsStayTheSame) {
  absl::StatusOr<std::vector<CorpusCase>> cases = CorpusCases();
  ASSERT_TRUE(cases.ok()) << cases.status();
  const int stride = Stride();
  int same = 0;
  std::map<std::string, int> reasons;
  for (size_t i = 0; i < cases->size(); i += stride) {
    const CorpusCase& each = (*cases)[i];
    if (each.expect == CorpusCase::Expect::kRefused) continue;
    absl::StatusOr<ReadyCase> ready = MakeReady(each);
    ASSERT_TRUE(ready.ok()) << ready.status();
    std::string text;
    absl::StatusOr<std::unique_ptr<Module>> back = RoundTrip(*ready->module, i % 2 == 0, &text);
    if (const char* folder = std::getenv("ASSAY_STABLEHLO_TEXTS"); folder != nullptr) {
      std::ofstream(absl::StrCat(folder, "/", i, ".mlir")) << text;
    }
    if (!back.ok() && back.status().code() != absl::StatusCode::kInternal) {
      ++reasons[ReasonOf(back.status().message(), *ready->module)];
      continue;
    }
    if (!back.ok()) {
      ADD_FAILURE() << each.id << ": " << back.status() << "\n" << text.substr(0, 3000);
      continue;
    }
    if (DrawsByName(*ready->module)) {
      ++reasons["not compared, since it draws random numbers by the name of the instruction"];
      continue;
    }
    const auto want = RunGolden(*ready, RunBudget());
    ASSERT_TRUE(want.ok()) << each.id << ": " << want.status();
    const auto got = RunGolden(**back, ready->inputs, RunBudget());
    if (!got.ok() || !SameOutputs(*want, *got)) {
      ADD_FAILURE() << each.id << (got.ok() ? " differs" : got.status().ToString()) << "\n"
                    << text.substr(0, 3000);
      continue;
    }
    ++same;
  }
  EXPECT_GT(same, 0);
  for (const auto& [reason, count] : reasons) {
    if (stride == 1) std::cout << count << " cases: " << reason << "\n";
  }
  std::cout << same << " cases give the same bits\n";
}

}  // namespace
}  // namespace assay
