// Cases of the corpus and the samples as StableHLO programs: module, text in either form or an
// artifact, module again, and the golden result of both is the same, bit for bit. A sample of the
// cases runs here; all of them with
//   ASSAY_STABLEHLO_CASES=1 assay_stablehlo_round_trip_test
// where ASSAY_STABLEHLO_PART=I/N takes the I-th of N parts (from 0). Every case goes through one
// form to golden, and through the other two to a module that must be the same. The test also prints
// why cases have no StableHLO equivalent, and how many each reason has (docs/stablehlo_writing.md).
// With ASSAY_STABLEHLO_TEXTS=FOLDER the texts are also written there, so that stablehlo_text.py
// --source FOLDER holds them against MLIR.
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/ready_case.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/from_module.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/to_module.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

// Every how manyeth case runs.
int Stride() {
  const char* asked = std::getenv("ASSAY_STABLEHLO_CASES");
  int stride;
  return asked != nullptr && absl::SimpleAtoi(asked, &stride) && stride > 0 ? stride : 97;
}

// The part that runs: the first of its cases, and how many parts there are.
std::pair<size_t, size_t> Part() {
  const char* asked = std::getenv("ASSAY_STABLEHLO_PART");
  const std::pair<absl::string_view, absl::string_view> words =
      absl::StrSplit(asked == nullptr ? "0/1" : asked, absl::MaxSplits('/', 1));
  size_t part, parts;
  if (!absl::SimpleAtoi(words.first, &part) || !absl::SimpleAtoi(words.second, &parts) ||
      part >= parts) {
    return {0, 1};
  }
  return {part, parts};
}

enum class Form { kPretty, kGeneric, kArtifact };
constexpr int kForms = 3;

absl::StatusOr<std::unique_ptr<stablehlo::Program>> Reread(const stablehlo::Program& program,
                                                           Form form) {
  if (form == Form::kArtifact) {
    absl::StatusOr<std::string> bytes = WriteArtifact(program, stablehlo::kNewestVersion);
    if (!bytes.ok()) return bytes.status();
    return stablehlo::ParseBytecode(*bytes, "program.mlirbc");
  }
  return stablehlo::ParseText(
      PrintText(program, form == Form::kPretty ? stablehlo::PrintForm::kPretty
                                               : stablehlo::PrintForm::kGeneric),
      "program.mlir");
}

// What the program says after it was written in this form and read again.
absl::StatusOr<std::unique_ptr<Module>> ThroughForm(const stablehlo::Program& program, Form form) {
  auto parsed = Reread(program, form);
  if (form == Form::kArtifact && absl::IsUnimplemented(parsed.status())) return parsed.status();
  if (!parsed.ok()) return absl::InternalError(parsed.status().message());
  auto converted = stablehlo::ToModule(**parsed);
  if (!converted.ok()) return absl::InternalError(converted.status().ToString());
  return std::move(converted->module);
}

// What the module computes as StableHLO, in one of the forms. With `all_forms` the others must say
// the same. VHLO lacks what CHLO has, so that some programs have no artifact: `has_artifact` says
// so, and a text takes its place.
absl::StatusOr<std::unique_ptr<Module>> RoundTrip(const Module& module, size_t number,
                                                  bool all_forms, std::string* text,
                                                  bool* has_artifact) {
  auto program = stablehlo::FromModule(module);
  if (!program.ok()) return program.status();
  *text = PrintText(**program, stablehlo::PrintForm::kPretty);
  auto first = ThroughForm(**program, static_cast<Form>(number % kForms));
  if (absl::IsUnimplemented(first.status())) {
    *has_artifact = false;
    first = ThroughForm(**program, Form::kPretty);
  }
  for (int other = 1; all_forms && first.ok() && other < kForms; ++other) {
    auto second = ThroughForm(**program, static_cast<Form>((number + other) % kForms));
    if (absl::IsUnimplemented(second.status())) {
      *has_artifact = false;
      continue;
    }
    if (!second.ok()) return second.status();
    PrintOptions print = PrintOptions::ShortParsable();
    print.canonicalize_names = true;  // artifacts keep those of parameters, text does not
    if (PrintModule(**first, print) != PrintModule(**second, print)) {
      return absl::InternalError("two forms are read as different modules");
    }
  }
  return first;
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
  const auto [part, parts] = Part();
  int same = 0, without_artifact = 0;
  std::map<std::string, int> reasons;
  for (size_t i = part * stride; i < cases->size(); i += stride * parts) {
    const CorpusCase& each = (*cases)[i];
    if (each.expect == CorpusCase::Expect::kRefused) continue;
    absl::StatusOr<ReadyCase> ready = MakeReady(each);
    ASSERT_TRUE(ready.ok()) << ready.status();
    std::string text;
    bool has_artifact = true;
    absl::StatusOr<std::unique_ptr<Module>> back =
        RoundTrip(*ready->module, i, stride == 1, &text, &has_artifact);
    if (!has_artifact) ++without_artifact;
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
  std::cout << same << " cases give the same bits, " << without_artifact
            << " programs have no artifact\n";
}

}  // namespace
}  // namespace assay
