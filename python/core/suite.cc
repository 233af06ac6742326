// The conformance suite on a target, as `assay test` runs it.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <thread>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backends/process/machine_memory.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/selection.h"
#include "conformance/profiles/profile.h"
#include "conformance/report/describe.h"
#include "conformance/report/html.h"
#include "conformance/runner/case_result.h"
#include "conformance/runner/judgeability.h"
#include "conformance/runner/runner.h"
#include "python/core/binding.h"

namespace assay::python {
namespace {

struct SuiteQuestion {
  nb::object target;
  std::string profile = "golden";
  std::string tier = "quick";
  std::vector<std::string> globs, ops;
  double timeout = kUsualTimeout;
  int64_t jobs = 1;
  int64_t repeat = 1;
};

// A finished run; its reports are made when they are asked for.
struct SuiteRun {
  RunResult result;
};

absl::Status RunSuite(const SuiteQuestion& question, const std::vector<CorpusCase>& cases,
                      const TargetProfile& profile, Interruption& interruption, RunResult* result) {
  std::atomic<bool> stop = false, ended = false;
  BackendOptions backend;
  backend.budget.seconds = question.timeout;
  backend.budget.threads = std::max<int64_t>(
      1, static_cast<int64_t>(std::thread::hardware_concurrency()) / question.jobs);
  backend.memory_bytes = UsualTargetMemory(question.jobs);
  SuiteOptions options;
  options.profile = &profile;
  options.jobs = question.jobs;
  options.stop = &stop;
  options.each.golden.seconds = question.timeout;
  options.each.golden.threads = 1;
  options.each.seconds = question.timeout;
  options.each.repeat = static_cast<int>(question.repeat);
  options.each.again = question.tier == "quick" ? Again::kEighth : Again::kAll;
  options.make_target = [&]() -> absl::StatusOr<std::unique_ptr<Backend>> {
    const nb::gil_scoped_acquire lock;
    try {
      return MakeTarget(question.target, backend, interruption);
    } catch (const StatusError& error) {
      return error.status();
    }
  };
  options.started = [&](Backend& target) { result->target_version = target.display_name(); };
  options.take = [&](const CorpusCase&, CaseResult one) {
    result->cases.push_back(one);
    return !stop;
  };
  std::vector<const CorpusCase*> asked;
  for (const CorpusCase& each : cases) asked.push_back(&each);
  absl::Status status;
  // The cases run beside this thread, which looks for signals.
  std::thread runner([&] {
    status = RunCases(asked, options);
    ended = true;
  });
  while (!ended) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (interruption.Wanted()) stop = true;
  }
  runner.join();
  return status;
}

SuiteRun Suite(const SuiteQuestion& question) {
  const TargetProfile profile = Value(TargetProfile::Find(question.profile));
  std::optional<Tier> tier;
  for (int each = 0; each < kTiers; ++each) {
    if (TierName(static_cast<Tier>(each)) == question.tier) tier = static_cast<Tier>(each);
  }
  if (!tier) {
    Check(absl::InvalidArgumentError(
        absl::StrCat("there is no tier '", question.tier, "': quick, standard and full are")));
  }
  SuiteRun run;
  RunResult& result = run.result;
  result.started = absl::FormatTime("%Y-%m-%dT%H:%M:%S", absl::Now(), absl::UTCTimeZone());
  result.target = nb::isinstance<nb::str>(question.target)
                      ? nb::cast<std::string>(question.target)
                      : nb::cast<std::string>(
                            nb::str(nb::getattr(question.target, "__name__", nb::str("function"))));
  result.profile = question.profile;
  result.profile_differences = profile.Differences();
  result.tier = question.tier;
  result.repeat = question.repeat;
  result.timeout = question.timeout;
  for (const std::string& glob : question.globs) absl::StrAppend(&result.filter, " ", glob);
  for (const std::string& op : question.ops) absl::StrAppend(&result.filter, " ", op);
  Interruption interruption;
  const auto start = std::chrono::steady_clock::now();
  Check(Unlocked(interruption, [&]() -> absl::Status {
    absl::StatusOr<std::vector<CorpusCase>> all = CorpusCases();
    if (!all.ok()) return all.status();
    result.corpus = ManifestHash(*all);
    CaseFilter filter;
    filter.globs = question.globs;
    filter.ops = question.ops;
    filter.tier = *tier;
    const absl::StatusOr<std::vector<CorpusCase>> cases = SelectCases(*std::move(all), filter);
    if (!cases.ok()) return cases.status();
    result.selected = static_cast<int64_t>(cases->size());
    return RunSuite(question, *cases, profile, interruption, &result);
  }));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.cases.SortById();
  result.interrupted = static_cast<int64_t>(result.cases.size()) < result.selected;
  for (std::vector<std::string> complaints :
       {NothingJudged(result), JudgeabilityComplaints(result)}) {
    std::move(complaints.begin(), complaints.end(), std::back_inserter(result.complaints));
  }
  return run;
}

}  // namespace

void BindSuite(nb::module_& m) {
  nb::class_<SuiteQuestion>(m, "SuiteQuestion")
      .def(nb::init<>())
      .def_rw("target", &SuiteQuestion::target)
      .def_rw("profile", &SuiteQuestion::profile)
      .def_rw("tier", &SuiteQuestion::tier)
      .def_rw("globs", &SuiteQuestion::globs)
      .def_rw("ops", &SuiteQuestion::ops)
      .def_rw("timeout", &SuiteQuestion::timeout)
      .def_rw("jobs", &SuiteQuestion::jobs)
      .def_rw("repeat", &SuiteQuestion::repeat);
  nb::class_<SuiteRun>(m, "SuiteRun")
      .def_prop_ro("fails", [](const SuiteRun& run) { return RunFails(run.result); })
      .def_prop_ro("sentence", [](const SuiteRun& run) { return ClosingSentence(run.result); })
      .def("summary", [](const SuiteRun& run) { return FormatSummary(run.result); })
      .def("json", [](const SuiteRun& run) { return FormatReport(run.result); })
      .def("html", [](const SuiteRun& run) { return FormatHtml(run.result); });
  m.def("suite", &Suite);
}

}  // namespace assay::python
