// Judging: a program on another implementation, results that are already there, folders of modules.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "conformance/diagnose/instruction_report.h"
#include "conformance/diagnose/module_judge.h"
#include "conformance/judge/comparison.h"
#include "conformance/judge/verdict_text.h"
#include "conformance/profiles/profile.h"
#include "nlohmann/json.hpp"
#include "python/core/binding.h"
#include "python/core/custom_calls.h"
#include "spec/arrays/arrays.h"
#include "tools/cli/backend_table.h"
#include "tools/cli/graph_notes.h"
#include "tools/cli/isolated_report.h"
#include "tools/cli/module_files.h"
#include "tools/cli/report.h"
#include "tools/cli/triage_files.h"

namespace assay::python {
namespace {

conformance::TargetProfile FindProfile(const std::string& name) {
  return Value(conformance::TargetProfile::Find(name));
}

// The part of a program that is wrong, as a program: module, arguments, golden results.
nb::object ExcerptOf(std::string name, std::shared_ptr<const Module> module,
                     std::vector<Literal> arguments, std::vector<Literal> golden) {
  std::vector<Literal> values = {Literal::Tuple(std::move(arguments))};
  return nb::make_tuple(std::move(name), LoadedModule{std::move(module)},
                        LeavesOf(std::move(values)), LeavesOf(std::move(golden)));
}

struct Diagnosis {
  nlohmann::json json;
  std::optional<conformance::Excerpt> first_wrong;
  cli::GraphNotes notes;
};

// The graph of a module with its verdicts, which is drawn when it is asked for.
struct VerdictPage {
  std::shared_ptr<const Module> module;
  cli::GraphNotes notes;
  std::string title, summary;

  std::string Html() const { return notes.Page(*module, title, summary); }
};

absl::StatusOr<Diagnosis> Diagnose(const Module& module, const ArraysByDevice& arrays,
                                   Backend& target, const conformance::TargetProfile& profile,
                                   const RunBudget& budget, const conformance::TraceDepth& depth,
                                   const CustomCallRegistry* custom_calls) {
  if (absl::Status status = conformance::CheckDepth(depth); !status.ok()) return status;
  const absl::StatusOr<int64_t> devices = DevicesOf(module);
  if (!devices.ok()) return devices.status();
  const auto arguments = ArgumentsOf(module, arrays, *devices);
  if (!arguments.ok()) return arguments.status();
  Diagnosis diagnosis;
  conformance::ReportOptions options;
  options.depth = depth;
  std::vector<DeviceOutputs> golden;
  options.golden = &golden;
  options.custom_calls = custom_calls;
  options.observe = [&](const conformance::InstructionVerdict& verdict,
                        const conformance::Excerpt& excerpt) {
    diagnosis.notes.Take(verdict, excerpt);
    if (verdict.is_wrong() && !diagnosis.first_wrong) diagnosis.first_wrong = excerpt;
  };
  const std::vector<DeviceInputs> inputs = WithoutFeeds(*arguments);
  const auto verdicts =
      conformance::ReportInstructions(module, inputs, target, profile, budget, options);
  if (!verdicts.ok()) return verdicts.status();
  const conformance::WholeVerdict whole =
      conformance::ReportWhole(module, inputs, golden, target, profile, budget);
  if (absl::IsCancelled(whole.status)) return whole.status;
  diagnosis.notes.TakeWhole(module, whole);
  const cli::Verdicts summary = cli::Summarise(*verdicts, whole);
  const std::string right = target.display_name();
  diagnosis.json =
      cli::IsolatedReportJson(module, *verdicts, whole, summary, right, profile.name());
  diagnosis.json["sentence"] = ClosingSentence(*verdicts, whole, summary, profile.name());
  return diagnosis;
}

nb::tuple Diff(const LoadedModule& loaded, const ArraysByDevice& arrays, const nb::object& right,
               const std::string& profile_name, const RunBudget& budget, int64_t subgraphs,
               int64_t iterations, const nb::dict& custom_calls) {
  const conformance::TargetProfile profile = FindProfile(profile_name);
  Interruption interruption;
  const std::unique_ptr<CustomCallRegistry> registry = RegistryOf(custom_calls, interruption);
  BackendOptions options;
  options.budget = budget;
  options.custom_calls = registry.get();
  const std::unique_ptr<Backend> target = MakeTarget(right, options, interruption);
  const conformance::TraceDepth depth = {.iterations = iterations, .subgraphs = subgraphs};
  Diagnosis diagnosis = Value(Unlocked(interruption, [&] {
    return Diagnose(*loaded.module, arrays, *target, profile, budget, depth, registry.get());
  }));
  nb::object excerpt = nb::none();
  if (std::optional<conformance::Excerpt>& first = diagnosis.first_wrong; first) {
    std::string name = first->Name();
    excerpt = ExcerptOf(std::move(name), first->module, std::move(first->arguments),
                        {std::move(first->golden)});
  }
  VerdictPage page = {loaded.module, std::move(diagnosis.notes),
                      absl::StrCat(loaded.module->name(), " on ", target->display_name()),
                      diagnosis.json["sentence"].get<std::string>()};
  return nb::make_tuple(cli::JsonText(diagnosis.json), excerpt, std::move(page));
}

// The sentence on a judgement of a whole program.
std::string SentenceOf(const conformance::Judgement& judgement, const std::string& profile) {
  if (judgement.verdict == conformance::Verdict::kWrong) {
    const conformance::Evidence* worst = conformance::WorstOf(judgement);
    return absl::StrCat(
        "The program is wrong: ", conformance::InWords(judgement),
        worst == nullptr ? "" : absl::StrCat(", worst ", conformance::InWords(*worst)), ".");
  }
  if (judgement.verdict == conformance::Verdict::kNotJudgeable) {
    return absl::StrCat(
        "The whole program is not judgeable",
        judgement.reasons.empty() ? "" : absl::StrCat(": ", judgement.reasons.front()), ".");
  }
  if (judgement.verdict <= conformance::Verdict::kCorrectlyRounded) {
    return "No bug found: every result is the golden one.";
  }
  return absl::StrCat("No bug found: ", conformance::InWords(judgement), ", as profile ", profile,
                      " permits.");
}

// Results that some implementation has given for the whole program.
nb::tuple JudgeResults(const LoadedModule& loaded, const ArraysByDevice& arrays,
                       const ArraysByDevice& actual, const std::string& profile_name,
                       const RunBudget& budget, const nb::dict& custom_calls) {
  const conformance::TargetProfile profile = FindProfile(profile_name);
  const Module& module = *loaded.module;
  Interruption interruption;
  const std::unique_ptr<CustomCallRegistry> registry = RegistryOf(custom_calls, interruption);
  BackendOptions options;
  options.budget = budget;
  options.custom_calls = registry.get();
  struct Outcome {
    conformance::Judgement judgement;
    std::vector<Literal> golden;
  };
  Outcome outcome = Value(Unlocked(interruption, [&]() -> absl::StatusOr<Outcome> {
    const absl::StatusOr<int64_t> devices = DevicesOf(module);
    if (!devices.ok()) return devices.status();
    const auto arguments = ArgumentsOf(module, arrays, *devices);
    if (!arguments.ok()) return arguments.status();
    std::vector<NamedLiteral> named;
    for (size_t device = 0; device < actual.size(); ++device) {
      std::vector<Literal> leaves;
      for (const Array& array : actual[device]) leaves.push_back(array.value);
      const int64_t number = actual.size() > 1 ? static_cast<int64_t>(device) : -1;
      for (NamedLiteral& leaf : NameLeaves(Literal::Tuple(std::move(leaves)), "out", number)) {
        named.push_back(std::move(leaf));
      }
    }
    absl::StatusOr<std::vector<Literal>> results = ToResults(module, std::move(named));
    if (!results.ok()) return results.status();
    absl::StatusOr<std::unique_ptr<Backend>> golden = cli::MakeBackend("golden", options);
    if (!golden.ok()) return golden.status();
    const absl::StatusOr<ModuleRun> run = (*golden)->Run(module, WithoutFeeds(*arguments), 1);
    if (!run.ok()) return run.status();
    std::vector<Literal> expected = ResultsOf(run->outputs.back());
    absl::StatusOr<conformance::Judgement> judgement =
        conformance::JudgeModule(module, *arguments, expected, *results, profile, budget);
    if (!judgement.ok()) return judgement.status();
    return Outcome{*std::move(judgement), std::move(expected)};
  }));
  nlohmann::json json = nlohmann::json::object();
  cli::AddJudgement(outcome.judgement, &json);
  return nb::make_tuple(cli::JsonText(json), SentenceOf(outcome.judgement, profile.name()),
                        LeavesOf(std::move(outcome.golden)));
}

// Two implementations element by element, without a judge.
std::string Compare(const LoadedModule& loaded, const ArraysByDevice& left,
                    const ArraysByDevice& right, uint64_t max_ulp) {
  const auto values = [&](const ArraysByDevice& arrays) {
    std::vector<Literal> by_device;
    for (const std::vector<Array>& device : arrays) {
      std::vector<Literal> leaves;
      for (const Array& array : device) leaves.push_back(array.value);
      by_device.push_back(Literal::Tuple(std::move(leaves)));
    }
    return by_device;
  };
  const std::vector<Literal> first = values(left), second = values(right);
  const conformance::Comparison comparison =
      Value(Unlocked([&] { return conformance::CompareByDevice(first, second); }));
  nlohmann::json json = cli::ReportJson(comparison, max_ulp);
  json["module"] = loaded.module->name();
  json["sentence"] = cli::VerdictText(comparison, max_ulp);
  json["accepted"] = cli::Accepted(comparison, max_ulp);
  return cli::JsonText(json);
}

std::string TriageFolder(const std::vector<std::string>& paths, const nb::object& target_name,
                         const std::string& profile_name, uint64_t seed, const RunBudget& budget,
                         int64_t subgraphs, int64_t iterations) {
  const conformance::TargetProfile profile = FindProfile(profile_name);
  const std::vector<std::string> files = Value(cli::ModuleFiles(paths));
  if (files.empty()) Check(cli::NoModules(paths));
  Interruption interruption;
  BackendOptions options;
  options.budget = budget;
  std::unique_ptr<Backend> target;
  if (!target_name.is_none()) target = MakeTarget(target_name, options, interruption);
  cli::TriageQuestion question = {target.get(), &profile, seed, budget, {}};
  question.depth = {.iterations = iterations, .subgraphs = subgraphs};
  const cli::TriageRun run =
      Unlocked(interruption, [&] { return cli::TriageFiles(files, question); });
  nlohmann::json json = cli::TriageJson(run, profile.name());
  json["counts"] = run.Counts();
  json["sentence"] = ClosingSentence(run, profile.name());
  return cli::JsonText(json);
}

std::string Profiles() {
  nlohmann::json list = nlohmann::json::object();
  for (const std::string& name : conformance::TargetProfile::BuiltIn()) {
    list[name] = FindProfile(name).description();
  }
  return cli::JsonText(list);
}

}  // namespace

void BindJudging(nb::module_& m) {
  nb::class_<VerdictPage>(m, "VerdictPage").def("html", &VerdictPage::Html);
  m.def("diff", &Diff);
  m.def("judge", &JudgeResults);
  m.def("compare", &Compare);
  m.def("triage", &TriageFolder, nb::arg("paths"), nb::arg("target").none(), nb::arg("profile"),
        nb::arg("seed"), nb::arg("budget"), nb::arg("subgraphs"), nb::arg("iterations"));
  m.def("profiles", &Profiles);
  m.def("default_profile",
        [](const std::string& target) { return DefaultProfile(cli::AllBackends(), target); });
}

}  // namespace assay::python
