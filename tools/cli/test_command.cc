// `assay test`: runs the conformance suite on a target. docs/conformance.md is the user's page.
// Test: test_cli_test.py.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/profiles/profile.h"
#include "conformance/report/bundle.h"
#include "conformance/report/describe.h"
#include "conformance/runner/journal.h"
#include "conformance/runner/runner.h"
#include "conformance/runner/shard.h"
#include "nlohmann/json.hpp"
#include "runtime/parallel.h"
#include "tools/cli/case_selection.h"
#include "tools/cli/commands.h"
#include "tools/cli/depth_options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/options.h"
#include "tools/cli/profile_option.h"
#include "tools/cli/reductions.h"
#include "tools/cli/report.h"
#include "tools/cli/suite_report.h"
#include "tools/cli/terminal.h"

namespace assay::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

// The signal that asked the run to end; 0: none. A second one ends the program as it would have.
std::atomic<int> stop_signal = 0;
std::atomic<bool> stop_requested = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

extern "C" void RequestStop(int number) {
  if (stop_requested.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  stop_signal = number;
}

// How far the run is: a line on a terminal, elsewhere one every half minute.
class SuiteProgress {
 public:
  SuiteProgress(absl::Span<const conformance::CorpusCase* const> cases, bool wanted)
      : line_(wanted), wanted_(wanted), cases_(static_cast<int64_t>(cases.size())) {
    for (const conformance::CorpusCase* each : cases) cost_ += CostOf(*each);
  }

  void Add(const conformance::CorpusCase& corpus_case, const conformance::CaseResult& result) {
    ++done_;
    done_cost_ += CostOf(corpus_case);
    failures_ += conformance::IsFailure(result.outcome);
    const SteadyClock::time_point now = SteadyClock::now();
    // A terminal shows ten a second at most.
    if (now - shown_ >= std::chrono::milliseconds(100)) {
      line_.Show(absl::StrCat(Text(now), "  ", corpus_case.id));
      shown_ = now;
    }
    if (wanted_ && !ErrorIsTerminal() && now - said_ >= std::chrono::seconds(30)) {
      std::cerr << "assay: " << Text(now) << "\n";
      said_ = now;
    }
  }
  void Clear() { line_.Clear(); }

 private:
  // In units of one small case: most of the time goes into reading, compiling and asking.
  static double CostOf(const conformance::CorpusCase& corpus_case) {
    double elements = 0;
    for (const conformance::CaseArray& input : corpus_case.inputs) {
      double own = 1;
      for (const int64_t size : input.shape.dimensions()) own *= static_cast<double>(size);
      elements += own;
    }
    return 1 + elements / 4096;
  }

  std::string Text(SteadyClock::time_point now) const {
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const auto left = static_cast<int64_t>(elapsed * (cost_ - done_cost_) / done_cost_ + 0.5);
    return absl::StrFormat("%d of %d cases, %d failed, %d:%02d left", done_, cases_, failures_,
                           left / 60, left % 60);
  }

  Progress line_;
  const bool wanted_;
  const int64_t cases_;
  double cost_ = 0, done_cost_ = 0;
  int64_t done_ = 0, failures_ = 0;
  const SteadyClock::time_point start_ = SteadyClock::now();
  SteadyClock::time_point shown_, said_ = start_;
};

struct TestCommand {
  CaseSelection selection;
  bool tier_given = false;
  std::string target = "golden";
  std::string profile;  // that --profile names, or the rule for the target
  ProfileOption profile_option;
  std::string shard;
  SuiteReport report;
  std::string bundle, reduce;
  double timeout = conformance::kUsualTimeout;
  TargetMemory memory;
  int64_t jobs = 0;  // 0: one for each processor, 16 at most
  int repeat = 1;
  bool resume = false, fail_fast = false, list = false;
  DepthOptions depth;
  OutputOptions output;

  int Run();

 private:
  // Everything that is read before the first case runs.
  struct Inputs {
    std::vector<conformance::CorpusCase> cases;  // of this shard
    std::vector<std::string> ids;                // of the whole corpus, for waivers and reports
  };

  absl::Status Read(Inputs* inputs, conformance::RunResult* run);
  absl::Status ReadCases(const conformance::Shard& place, Inputs* inputs,
                         conformance::RunResult* run);
  bool IsWholeTier() const;
  std::string JournalPath() const;
  absl::StatusOr<std::unique_ptr<Backend>> MakeTarget(int64_t workers) const;
  RunBudget GoldenBudget() const;
  absl::Status RunAll(const Inputs& inputs, const conformance::TargetProfile& target_profile,
                      conformance::RunResult* run);
  absl::Status ReduceFailures(absl::Span<const conformance::CorpusCase> cases,
                              const conformance::RunResult& run) const;
  int Finish(const Inputs& inputs, conformance::RunResult* run) const;

  std::unique_ptr<conformance::Journal> journal_;  // null: there is no JSON report
};

bool TestCommand::IsWholeTier() const {
  return selection.files.empty() && selection.sweeps.empty() && selection.filter.globs.empty() &&
         selection.filter.ops.empty() && !selection.filter.max_multiply_adds &&
         !selection.filter.max_bytes;
}

std::string TestCommand::JournalPath() const {
  const std::string& json = report.paths().json;
  return json.empty() ? "" : absl::StrCat(json, ".journal");
}

absl::Status TestCommand::ReadCases(const conformance::Shard& place, Inputs* inputs,
                                    conformance::RunResult* run) {
  if (!tier_given)
    selection.filter.tier = IsWholeTier() ? conformance::Tier::kQuick : conformance::Tier::kFull;
  run->tier = std::string(conformance::TierName(selection.filter.tier));
  // Reports name the corpus and waivers may mean any case of it; the summary needs neither.
  const bool whole = output.json || !report.paths().empty() || report.has_waivers();
  absl::StatusOr<std::vector<conformance::CorpusCase>> chosen =
      whole ? selection.LoadAll() : selection.Load();
  if (chosen.ok() && whole) {
    run->corpus = conformance::ManifestHash(*chosen);
    for (const conformance::CorpusCase& each : *chosen) inputs->ids.push_back(each.id);
    chosen = conformance::SelectCases(*std::move(chosen), selection.filter);
  }
  if (!chosen.ok()) return chosen.status();
  for (conformance::CorpusCase& each : *chosen) {
    if (place.Contains(each.id)) inputs->cases.push_back(std::move(each));
  }
  run->selected = static_cast<int64_t>(inputs->cases.size());
  return absl::OkStatus();
}

absl::Status TestCommand::Read(Inputs* inputs, conformance::RunResult* run) {
  const absl::StatusOr<conformance::Shard> place =
      conformance::FindShard(shard, conformance::ProcessEnvironment);
  if (!place.ok()) return place.status();
  run->filter = selection.Words();
  run->subgraphs = depth.depth.subgraphs;
  if (depth.depth.iterations > 1) run->iterations = depth.depth.iterations;
  run->case_files = selection.files;
  run->sweeps = selection.sweeps;
  run->shard = place->index;
  run->shards = place->count;
  run->repeat = repeat;
  run->timeout = timeout;
  run->memory = memory.bytes;
  if (absl::Status status = report.Read(*place, shard == "auto"); !status.ok()) return status;
  if (resume && report.paths().json.empty()) {
    return absl::InvalidArgumentError("--resume goes on from the journal of --report json=FILE");
  }
  return ReadCases(*place, inputs, run);
}

// What golden may take for an evaluation: a case that does not end costs no more than a target that
// hangs.
RunBudget TestCommand::GoldenBudget() const {
  RunBudget budget;
  budget.seconds = timeout;
  budget.threads = 1;
  return budget;
}

absl::StatusOr<std::unique_ptr<Backend>> TestCommand::MakeTarget(int64_t workers) const {
  BackendOptions options;
  options.budget.seconds = timeout;
  options.budget.threads = std::max<int64_t>(1, runtime::UsableProcessors() / workers);
  options.memory_bytes = memory.Limit(workers);
  return MakeBackend(target, options);
}

absl::Status TestCommand::RunAll(const Inputs& inputs,
                                 const conformance::TargetProfile& target_profile,
                                 conformance::RunResult* run) {
  const std::string path = JournalPath();
  if (!path.empty()) {
    absl::StatusOr<std::unique_ptr<conformance::Journal>> opened =
        resume ? conformance::Journal::Resume(path, *run, &run->cases)
               : conformance::Journal::Start(path, *run);
    if (!opened.ok()) return opened.status();
    journal_ = *std::move(opened);
  }
  absl::flat_hash_set<absl::string_view> done;
  for (size_t i = 0; i < run->cases.size(); ++i) done.insert(run->cases.IdOf(i));
  std::vector<const conformance::CorpusCase*> cases;
  for (const conformance::CorpusCase& each : inputs.cases) {
    if (!done.contains(each.id)) cases.push_back(&each);
  }
  SuiteProgress progress(cases, !output.json && !output.quiet);
  conformance::SuiteOptions options;
  options.profile = &target_profile;
  options.jobs = jobs > 0 ? jobs : runtime::WorkerPool::DefaultThreads();
  options.stop = &stop_requested;
  options.each.golden = GoldenBudget();
  options.each.seconds = timeout;
  options.each.repeat = repeat;
  options.each.depth = depth.depth;
  options.each.again = selection.filter.tier == conformance::Tier::kQuick
                           ? conformance::Again::kEighth
                           : conformance::Again::kAll;
  options.make_target = [&] { return MakeTarget(options.jobs); };
  options.started = [&](Backend& backend) { run->target_version = backend.display_name(); };
  options.take = [&](const conformance::CorpusCase& corpus_case, conformance::CaseResult result) {
    progress.Add(corpus_case, result);
    if (journal_ != nullptr) {
      const absl::Status status = journal_->Append(result);
      if (!status.ok()) run->complaints.push_back(std::string(status.message()));
    }
    run->cases.push_back(result);
    return !fail_fast || !report.Fails(result);
  };
  const absl::Status status = conformance::RunCases(cases, options);
  progress.Clear();
  return status;
}

// The first failure of each operation and outcome.
absl::Status TestCommand::ReduceFailures(absl::Span<const conformance::CorpusCase> cases,
                                         const conformance::RunResult& run) const {
  const absl::StatusOr<conformance::TargetProfile> target_profile =
      conformance::TargetProfile::Find(profile);
  if (!target_profile.ok()) return target_profile.status();
  const absl::StatusOr<std::unique_ptr<Backend>> backend = MakeTarget(1);
  if (!backend.ok()) return backend.status();
  RunBudget budget = GoldenBudget();
  budget.seconds = timeout;
  Reductions reductions(reduce, backend->get(), *target_profile, budget, target, profile);
  for (const conformance::CaseResult& result : run.cases) {
    if (!conformance::IsFailure(result.outcome) || result.waived()) continue;
    const auto found = std::lower_bound(
        cases.begin(), cases.end(), result.id,
        [](const conformance::CorpusCase& each, const std::string& id) { return each.id < id; });
    if (found == cases.end() || found->id != result.id ||
        found->expect == conformance::CorpusCase::Expect::kRefused)
      continue;
    const absl::StatusOr<conformance::ReadyCase> ready = conformance::MakeReady(*found);
    if (!ready.ok()) return ready.status();
    reductions.Reduce(*ready->module, ready->inputs,
                      absl::StrCat(conformance::OutcomeName(result.outcome), " ", result.op),
                      result.id);
  }
  return absl::OkStatus();
}

int TestCommand::Finish(const Inputs& inputs, conformance::RunResult* run) const {
  const std::vector<absl::string_view> ids(inputs.ids.begin(), inputs.ids.end());
  report.Conclude(ids, run);
  absl::Status written = report.Write(*run);
  if (!bundle.empty()) {
    written.Update(conformance::WriteBundles(bundle, inputs.cases, *run, GoldenBudget()));
  }
  if (!reduce.empty()) written.Update(ReduceFailures(inputs.cases, *run));
  if (written.ok() && !run->interrupted && journal_ != nullptr) journal_->Remove();
  const int exit_code = report.Print(*run, output);
  if (!written.ok()) return Fail(written, OutputOptions());
  // As a shell says of a program that a signal has ended.
  if (const int number = stop_signal; number != 0 && run->interrupted) return 128 + number;
  return exit_code;
}

int TestCommand::Run() {
  const SteadyClock::time_point start = SteadyClock::now();
  // GoogleTest's way to hear from a program that it knows about shards.
  if (const auto file = conformance::ProcessEnvironment("GTEST_SHARD_STATUS_FILE"))
    std::ofstream{*file};
  Inputs inputs;
  profile = profile_option.For(target);
  const absl::StatusOr<conformance::TargetProfile> target_profile =
      conformance::TargetProfile::Find(profile);
  if (!target_profile.ok()) return Fail(target_profile.status(), output);
  conformance::RunResult run = BeginRun(target, profile, *target_profile);
  absl::Status status = Read(&inputs, &run);
  if (!status.ok()) return Fail(status, output);
  if (list) {
    nlohmann::json ids = nlohmann::json::array();
    for (const conformance::CorpusCase& each : inputs.cases) {
      if (output.json) {
        ids.push_back(each.id);
      } else {
        std::cout << each.id << "\n";
      }
    }
    if (output.json) std::cout << JsonText(ids, 1);
    return kExitOk;
  }
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, RequestStop);
  status = RunAll(inputs, *target_profile, &run);
  if (!status.ok()) return Fail(status, output);
  run.seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
  return Finish(inputs, &run);
}

}  // namespace

void AddTestCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<TestCommand>();
  CLI::App* sub = app.add_subcommand("test", "Run the conformance suite on a target");
  sub->add_option("--target", command->target, BackendHelp())
      ->type_name("TARGET")
      ->capture_default_str();
  command->profile_option.AddTo(sub);
  command->selection.AddTo(sub, /*filtered=*/true);
  sub->add_option("--shard", command->shard,
                  "I/N: part I, from 0, of N of the cases; auto: the place that Open MPI, PMI, "
                  "Slurm or GoogleTest gave this process")
      ->type_name("I/N");
  sub->add_option("--jobs,-j", command->jobs,
                  "Cases that run at once, each on a target of its own (default: one for each "
                  "processor, 16 at most)")
      ->check(PositiveCount())
      ->type_name("N");
  sub->add_option("--timeout", command->timeout,
                  "Seconds that the target may take for a case, all executions of it together, and "
                  "golden for an evaluation; -1: no limit")
      ->transform(BudgetSeconds())
      ->type_name("S")
      ->capture_default_str();
  command->memory.AddTo(sub);
  sub->add_option("--repeat", command->repeat,
                  "Run every case so often; other bits than the first time are flaky")
      ->check(PositiveCount())
      ->type_name("N")
      ->capture_default_str();
  command->depth.AddTo(sub);
  command->report.AddTo(sub);
  sub->add_option("--bundle", command->bundle,
                  "Writes a folder for each failure with all that it takes to repeat it")
      ->type_name("DIR");
  AddReduceOption(sub, &command->reduce);
  sub->add_flag("--resume", command->resume,
                "Go on with a run that was killed or interrupted, from the journal beside its "
                "JSON report");
  sub->add_flag("--fail-fast", command->fail_fast, "End after the first failure");
  sub->add_flag("--list", command->list, "Print the ids of the cases and run none");
  command->output.AddTo(sub);
  sub->footer(
      "Exit codes: 0 all pass (with --baseline: nothing is worse), 1 failures or complaints, 2 bad "
      "input, 5 the target does not start, "
      "128 and more: ended by a signal, with a report.\n"
      "Examples:\n"
      "  assay test\n"
      "  assay test --target \"process:./mine\" --profile cpu-strict --report html=report.html\n"
      "  assay test --target \"process:./mine\" --filter 'dot/*' --repeat 3\n"
      "  assay test --target \"process:./mine\" --filter 'program/*' --subgraphs 4 --iterations 3\n"
      "docs/conformance.md tells more.");
  sub->callback([command, sub, exit_code] {
    command->tier_given = sub->count("--tier") > 0;
    *exit_code = command->Run();
  });
}

}  // namespace assay::cli
