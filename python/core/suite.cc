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
#include "runtime/processor.h"

namespace assay::python {
namespace {

struct SuiteQuestion {
  nb::object target;
  std::string profile = "golden";
  std::string tier = "quick";
  std::vector<std::string> globs, ops;
  double timeout = conformance::kUsualTimeout;
  int64_t jobs = 1;
  int64_t repeat = 1;
};

// A finished run; its reports are made when they are asked for.
struct SuiteRun {
  conformance::RunResult result;
};

absl::Status RunSuite(const SuiteQuestion& question,
                      const std::vector<conformance::CorpusCase>& cases,
                      const conformance::TargetProfile& profile, Interruption& interruption,
                      conformance::RunResult* result) {
  std::atomic<bool> stop = false, ended = false;
  BackendOptions backend;
  backend.budget.seconds = question.timeout;
  backend.budget.threads = std::max<int64_t>(1, runtime::UsableProcessors() / question.jobs);
  backend.memory_bytes = process::UsualTargetMemory(question.jobs);
  conformance::SuiteOptions options;
  options.profile = &profile;
  options.jobs = question.jobs;
  options.stop = &stop;
  options.each.golden.seconds = question.timeout;
  options.each.golden.threads = 1;
  options.each.seconds = question.timeout;
  options.each.repeat = static_cast<int>(question.repeat);
  options.each.again =
      question.tier == "quick" ? conformance::Again::kEighth : conformance::Again::kAll;
  options.make_target = [&]() -> absl::StatusOr<std::unique_ptr<Backend>> {
    const nb::gil_scoped_acquire lock;
    try {
      return MakeTarget(question.target, backend, interruption);
    } catch (const StatusError& error) {
      return error.status();
    }
  };
  options.started = [&](Backend& target) { result->target_version = target.display_name(); };
  options.take = [&](const conformance::CorpusCase&, conformance::CaseResult one) {
    result->cases.push_back(one);
    return !stop;
  };
  std::vector<const conformance::CorpusCase*> asked;
  for (const conformance::CorpusCase& each : cases) asked.push_back(&each);
  absl::Status status;
  // The cases run beside this thread, which looks for signals.
  std::thread runner([&] {
    status = conformance::RunCases(asked, options);
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
  const conformance::TargetProfile profile =
      Value(conformance::TargetProfile::Find(question.profile));
  std::optional<conformance::Tier> tier;
  for (int each = 0; each < conformance::kTiers; ++each) {
    if (conformance::TierName(static_cast<conformance::Tier>(each)) == question.tier)
      tier = static_cast<conformance::Tier>(each);
  }
  if (!tier) {
    Check(absl::InvalidArgumentError(absl::StrCat("there is no tier '", question.tier,
                                                  "'; there are quick, standard and full")));
  }
  SuiteRun run;
  conformance::RunResult& result = run.result;
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
    absl::StatusOr<std::vector<conformance::CorpusCase>> all = conformance::CorpusCases();
    if (!all.ok()) return all.status();
    result.corpus = conformance::ManifestHash(*all);
    conformance::CaseFilter filter;
    filter.globs = question.globs;
    filter.ops = question.ops;
    filter.tier = *tier;
    const absl::StatusOr<std::vector<conformance::CorpusCase>> cases =
        conformance::SelectCases(*std::move(all), filter);
    if (!cases.ok()) return cases.status();
    result.selected = static_cast<int64_t>(cases->size());
    return RunSuite(question, *cases, profile, interruption, &result);
  }));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.cases.SortById();
  result.interrupted = static_cast<int64_t>(result.cases.size()) < result.selected;
  for (std::vector<std::string> complaints :
       {conformance::NothingJudged(result), conformance::JudgeabilityComplaints(result)}) {
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
      .def_prop_ro("fails", [](const SuiteRun& run) { return conformance::RunFails(run.result); })
      .def_prop_ro("sentence", [](const SuiteRun& run) { return ClosingSentence(run.result); })
      .def("summary", [](const SuiteRun& run) { return conformance::FormatSummary(run.result); })
      .def("json", [](const SuiteRun& run) { return conformance::FormatReport(run.result); })
      .def("html", [](const SuiteRun& run) { return conformance::FormatHtml(run.result); });
  m.def("suite", &Suite);
}

}  // namespace assay::python
