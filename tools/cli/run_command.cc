// `assay run`: evaluates a module, prints or saves its results, compares them with expected ones.
#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/judge/verdict_text.h"
#include "evaluator/real/forced_tier.h"
#include "interpreter/interpreter.h"
#include "nlohmann/json.hpp"
#include "spec/semantics/semantics_2017.h"
#include "spec/text/printer.h"
#include "tools/cli/commands.h"
#include "tools/cli/custom_call_options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/expected_judgement.h"
#include "tools/cli/feeds.h"
#include "tools/cli/help.h"
#include "tools/cli/options.h"
#include "tools/cli/program_checks.h"
#include "tools/cli/program_options.h"
#include "tools/cli/report.h"
#include "tools/cli/run_stats.h"
#include "tools/cli/stateful_run.h"
#include "tools/cli/terminal.h"
#include "tools/cli/together_run.h"

namespace assay::cli {
namespace {

using DeviceValues = std::vector<Literal>;  // the value of the root on each device

struct RunCommand {
  std::vector<std::string> modules;
  ProgramOptions program;
  InputOptions inputs;
  GridOptions grid;
  BudgetOptions budget;
  TargetMemory memory;
  OutputOptions output;
  StateOptions state;
  FeedOptions feeds;
  TogetherOptions together;
  CustomCallOptions custom_calls;
  std::string out;
  std::string expect;
  std::string profile;  // empty: a comparison that judges nothing
  std::string backend = "golden";
  std::string tier;  // of the cpu backend; empty: its own choice
  std::string semantics = "today";
  std::string force_tier = "exact";
  bool trace = false;
  bool straight = false;
  bool stats = false;
  int repeat = 1;
  uint64_t max_ulp = 0;
  uint64_t rng_seed = 0;
  bool sends_wait = false;

  int Run() const;
  int RunAllTogether() const;

 private:
  absl::Status CheckOptions(const BackendCapabilities& capabilities) const;
  absl::Status CheckComparison(bool has_expected) const;
  absl::StatusOr<ProcessGrid> DevicesOf(const Module& module, bool has_host) const;
  BackendOptions OptionsOfBackend() const;
  absl::StatusOr<std::unique_ptr<Backend>> MakeTarget(const BackendOptions& options) const;
  int ReportJudgement(const ModuleFile& file, const DeviceValues& golden,
                      const DeviceValues& expected, nlohmann::json report) const;
  int Report(Backend& target, const DeviceValues& results,
             const std::optional<DeviceValues>& expected, absl::Span<const NamedLiteral> outfed,
             nlohmann::json report) const;
  absl::StatusOr<std::optional<DeviceValues>> Evaluate(const ModuleFile& file, Backend& backend,
                                                       const ProcessGrid& processes,
                                                       runtime::QueueHost* host,
                                                       double* seconds) const;
  absl::StatusOr<std::optional<DeviceValues>> RunWithState(const ModuleFile& file, Backend& backend,
                                                           double* seconds,
                                                           nlohmann::json* report) const;
  absl::StatusOr<std::optional<DeviceValues>> Expected(const ModuleFile& file) const;
  bool PrintChecks(absl::Span<const CheckResult> checks) const;
};

// Prints every instruction with its value as it is computed.
class Tracer : public Observer {
 public:
  absl::Status After(const Instruction& instruction, int64_t depth, const Literal& value) override {
    constexpr size_t kLongest = 160;
    std::cerr << std::string(2 * std::min<int64_t>(depth, 40), ' ') << instruction.name() << " = "
              << Name(instruction.opcode()) << ": " << BriefLiteral(value, kLongest) << "\n";
    return absl::OkStatus();
  }
};

// Options that would do nothing are mistakes; so is a result that cannot be kept.
absl::Status RunCommand::CheckOptions(const BackendCapabilities& capabilities) const {
  if (modules.size() > 1) {
    for (const std::string& each : modules) {
      if (!absl::EndsWith(each, ".npz") && !absl::EndsWith(each, ".npy")) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(each, " holds arrays: give it as --inputs ", each));
    }
    return absl::InvalidArgumentError("several modules run at once with --together alone");
  }
  if (absl::Status status = together.CheckAlone(); !status.ok()) return status;
  if (absl::Status status = inputs.Check(); !status.ok()) return status;
  struct Request {
    const char* name;
    bool given;
    Feature feature;
  };
  for (const Request& request :
       {Request{"--trace", trace, Feature::kObservers},
        {"--straight", straight, Feature::kDefinitions},
        {"--stats", stats, Feature::kStatistics},
        {"--rng-seed", rng_seed != 0, Feature::kRandomSeed},
        {"--sends-wait", sends_wait, Feature::kSendsWait},
        {"--force-tier", force_tier != "exact", Feature::kForcedTier},
        {"a transfer of the host", feeds.transfers(), Feature::kHost},
        {"a feed of several steps", state.active() && feeds.active(), Feature::kHost},
        {"--custom-call", custom_calls.active(), Feature::kCustomCalls}}) {
    if (!request.given || capabilities.Offers(request.feature)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(request.name, " is for the golden interpreter, not for --backend ", backend));
  }
  if (repeat > 1 && feeds.active()) {
    return absl::InvalidArgumentError("--repeat would take what the host gives more than once");
  }
  if (absl::Status status = feeds.Check(1); !status.ok()) return status;
  return out.empty() ? absl::OkStatus() : CheckWritable(out);
}

// A backend with a host takes what that has itself; others are handed it and give theirs back.
absl::StatusOr<std::optional<DeviceValues>> RunCommand::Evaluate(const ModuleFile& file,
                                                                 Backend& backend,
                                                                 const ProcessGrid& processes,
                                                                 runtime::QueueHost* host,
                                                                 double* seconds) const {
  absl::StatusOr<std::unique_ptr<Executable>> executable =
      backend.Compile(*file.module, {.form = grid.module_form(), .observed = trace});
  if (!executable.ok()) return executable.status();
  absl::StatusOr<std::vector<DeviceValues>> arguments = inputs.LoadByDevice(
      file, budget.budget.bytes, (*executable)->device_count(), grid.module_form());
  if (!arguments.ok()) return arguments.status();
  std::vector<DeviceInputs> given = WithoutFeeds(*arguments);
  const auto process = [&](size_t device) {
    const auto d = static_cast<int64_t>(device);
    return ProcessId{0, processes.ReplicaOf(d), processes.PartitionOf(d)};
  };
  if (!backend.capabilities().Offers(Feature::kHost)) {
    for (size_t d = 0; d < given.size(); ++d) given[d].infeed = host->queued(process(d));
  }
  const absl::StatusOr<std::vector<DeviceOutputs>> outputs =
      RunOnDevices(backend, **executable, given, repeat, seconds);
  if (!outputs.ok()) return outputs.status();
  for (size_t d = 0; d < outputs->size(); ++d) {
    for (const Literal& array : (*outputs)[d].outfeed) {
      if (absl::Status status = host->Outfeed(process(d), array); !status.ok()) return status;
    }
  }
  return ResultsOf(*outputs);
}

// The scalars of a result: what one wants to watch while a state is trained.
nlohmann::json Scalars(const Literal& result) {
  nlohmann::json scalars = nlohmann::json::object();
  for (const NamedLiteral& output : NameLeaves(result, "out")) {
    if (output.value.shape().rank() == 0) scalars[output.name] = PrintLiteral(output.value);
  }
  return scalars;
}

// The last result; none when the state has seen all its steps. `seconds` is that of all steps
// together; the report gets their number and the scalars of each.
absl::StatusOr<std::optional<DeviceValues>> RunCommand::RunWithState(const ModuleFile& file,
                                                                     Backend& backend,
                                                                     double* seconds,
                                                                     nlohmann::json* report) const {
  absl::StatusOr<std::unique_ptr<Executable>> executable =
      backend.Compile(*file.module, {.form = grid.module_form(), .observed = trace});
  if (!executable.ok()) return executable.status();
  *seconds = 0;
  nlohmann::json history = nlohmann::json::array();
  const auto evaluate = [&](absl::Span<const Literal> arguments) {
    double step_seconds = 0;
    absl::StatusOr<Literal> result =
        RunCompiled(backend, **executable, arguments, /*repeat=*/1, &step_seconds);
    *seconds += step_seconds;
    return result;
  };
  const auto observe = [&](int64_t step, const Literal& result) {
    if (output.quiet) return;
    nlohmann::json scalars = Scalars(result);
    if (output.json) {
      scalars["step"] = step;
      history.push_back(std::move(scalars));
      return;
    }
    std::cout << "step " << step;
    for (const auto& [name, value] : scalars.items()) {
      std::cout << "  " << name << " = " << value.get<std::string>();
    }
    std::cout << "\n";
  };
  absl::StatusOr<StatefulResult> run =
      RunSteps(state, file, inputs, budget.budget, evaluate, observe);
  if (!run.ok()) return run.status();
  if (!output.json && !output.quiet && !run->last) {
    std::cout << "the state has seen " << run->steps << " steps already\n";
  }
  *report = {{"first_step", run->first_step}, {"steps", run->steps}};
  if (!output.quiet) (*report)["history"] = std::move(history);
  if (!run->last) return std::nullopt;
  return DeviceValues{*std::move(run->last)};
}

absl::StatusOr<std::optional<DeviceValues>> RunCommand::Expected(const ModuleFile& file) const {
  // After several steps a snapshot's result is not what is expected.
  if (expect.empty()) {
    if (state.active() || !file.result) return std::nullopt;
    return DeviceValues{*file.result};
  }
  absl::StatusOr<DeviceValues> values = ReadResults(*file.module, expect, grid.module_form());
  if (!values.ok()) return values.status();
  return *std::move(values);
}

// Adds the names that the program has for its results, as JAX gives them ("jax.result_info"), to
// those of the arrays: "out0 (result['loss'])".
std::vector<NamedLiteral> WithResultNames(std::vector<NamedLiteral> arrays,
                                          const nlohmann::json& report) {
  if (!report.contains("result_names")) return arrays;
  const std::vector<std::string> names = report["result_names"];
  if (arrays.size() % names.size() != 0) return arrays;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const size_t number = i % names.size();  // the same on every device
    const std::string& name = names[number];
    // "result" and "result[1]" say no more than "out1".
    if (name.empty() || name == "result" || name == absl::StrCat("result[", number, "]")) continue;
    absl::StrAppend(&arrays[i].name, " (", name, ")");
  }
  return arrays;
}

int RunCommand::Report(Backend& target, const DeviceValues& results,
                       const std::optional<DeviceValues>& expected,
                       absl::Span<const NamedLiteral> outfed, nlohmann::json report) const {
  std::optional<conformance::Comparison> comparison;
  if (expected) {
    absl::StatusOr<conformance::Comparison> compared =
        conformance::CompareByDevice(results, *expected);
    if (!compared.ok()) return Fail(compared.status(), output);
    comparison = *std::move(compared);
  }
  const bool accepted = !comparison || Accepted(*comparison, max_ulp);
  const runtime::RunStats* counted = target.last_stats();
  if (output.json) {
    if (!output.quiet) {
      report["results"] = ArraysJson(NameByDevice(results, "out"));
      if (!outfed.empty()) report["outfeed"] = ArraysJson(outfed);
    }
    if (counted != nullptr) report["stats"] = StatsJson(*counted);
    if (comparison) {
      report["comparison"] = ReportJson(*comparison, max_ulp);
      const LargestErrors errors = LargestErrorsOf(results, *expected);
      report["comparison"]["largest_absolute_error"] = errors.absolute;
      report["comparison"]["largest_relative_error"] = errors.relative;
    }
    std::cout << JsonText(report);
  } else if (comparison && (!output.quiet || !accepted)) {
    std::cout << (output.quiet ? VerdictText(*comparison, max_ulp)
                               : ReportText(*comparison, target.display_name(),
                                            expect.empty() ? "snapshot" : "expected", max_ulp));
    if (comparison->agreement == conformance::Agreement::kFloatsDiffer && max_ulp == 0) {
      std::cout << NoClaimText(LargestErrorsOf(results, *expected),
                               "--profile P judges it (assay profile list).");
    }
  } else if (out.empty() && !output.quiet) {
    std::cout << ArraysText(WithResultNames(NameByDevice(results, "out"), report));
  }
  if (feeds.outfeed.empty() && !output.json && !output.quiet) std::cout << ArraysText(outfed);
  if (stats && counted != nullptr && !output.json && !output.quiet) {
    PrintStats(*counted, report["seconds"].get<double>());
  }
  return accepted ? kExitOk : kExitMismatch;
}

// Judges the expected values as results of another implementation.
int RunCommand::ReportJudgement(const ModuleFile& file, const DeviceValues& golden,
                                const DeviceValues& expected, nlohmann::json report) const {
  const absl::StatusOr<conformance::Judgement> judgement =
      JudgeExpected(file, {inputs, grid, budget.budget}, golden, expected, profile);
  if (!judgement.ok()) return Fail(judgement.status(), output);
  const std::string sentence =
      JudgementSentence(*judgement, profile, expect.empty() ? "the snapshot" : expect);
  if (output.json) {
    report["profile"] = profile;
    report["verdict"] = conformance::VerdictName(judgement->verdict);
    report["summary"] = sentence;
    std::cout << JsonText(report);
  } else if (!output.quiet || judgement->verdict == conformance::Verdict::kWrong) {
    std::cout << Wrapped(sentence, TextWidth(), 0) << "\n";
  }
  return judgement->verdict == conformance::Verdict::kWrong ||
                 judgement->verdict == conformance::Verdict::kNotJudgeable
             ? kExitMismatch
             : kExitOk;
}

nlohmann::json ChecksJson(absl::Span<const CheckResult> checks) {
  nlohmann::json list = nlohmann::json::array();
  for (const CheckResult& check : checks) {
    list.push_back({{"check", check.place}, {"holds", check.problem.empty()}});
    if (!check.problem.empty()) list.back()["problem"] = check.problem;
  }
  return list;
}

// Says which of the program's own checks fail, and whether all hold.
bool RunCommand::PrintChecks(absl::Span<const CheckResult> checks) const {
  size_t failed = 0;
  for (const CheckResult& check : checks) {
    if (check.problem.empty()) continue;
    ++failed;
    std::cerr << Wrapped(absl::StrCat("assay: ", modules.front(), ": ", check.place,
                                      " fails: ", ForPeople(check.problem)),
                         TextWidth(), 2)
              << "\n";
  }
  if (!checks.empty() && !output.json && !output.quiet) {
    std::cout << checks.size() - failed << " of " << checks.size() << " checks hold\n";
  }
  return failed == 0;
}

// All but what points to what the run keeps.
BackendOptions RunCommand::OptionsOfBackend() const {
  BackendOptions options;
  options.budget = budget.budget;
  options.straight = straight;
  options.random_seed = rng_seed;
  options.sends_wait = sends_wait;
  options.memory_bytes = memory.Limit();
  return options;
}

// The backend of --backend and --tier.
absl::StatusOr<std::unique_ptr<Backend>> RunCommand::MakeTarget(
    const BackendOptions& options) const {
  if (tier.empty()) return MakeBackend(backend, options);
  if (backend != "cpu" && !absl::StartsWith(backend, "cpu:")) {
    return absl::InvalidArgumentError(
        absl::StrCat("--tier is for the cpu backend, not for --backend ", backend));
  }
  return MakeBackend(absl::StrCat(backend, backend == "cpu" ? ":" : ",", "tier=", tier), options);
}

// The devices on which the module runs. A backend that takes feeds may run partitions apart.
absl::StatusOr<ProcessGrid> RunCommand::DevicesOf(const Module& module, bool has_host) const {
  const ProcessGrid whole = {module.replica_count, module.num_partitions};
  if (absl::Status status = CheckGrid(whole); !status.ok()) return status;
  if (!has_host) return whole;
  const absl::StatusOr<runtime::ProcessPlan> processes =
      runtime::PlanProcesses(module, grid.module_form());
  if (!processes.ok()) return processes.status();
  return processes->grid;
}

absl::Status RunCommand::CheckComparison(bool has_expected) const {
  if (max_ulp > 0 && !has_expected) {
    return absl::InvalidArgumentError("--max-ulp is for a comparison: add --expect");
  }
  if (!profile.empty() && (!has_expected || backend != "golden" || max_ulp > 0)) {
    return absl::InvalidArgumentError(
        "--profile judges the values of --expect against the reference interpreter: "
        "add --expect, and leave out --backend and --max-ulp (assay diff --isolate "
        "judges an implementation that runs)");
  }
  return absl::OkStatus();
}

int RunCommand::Run() const {
  Tracer tracer;
  runtime::QueueHost host;
  CustomCallRegistry registry;  // filled when the module is known
  BackendOptions backend_options = OptionsOfBackend();
  if (trace) backend_options.observers.push_back(&tracer);
  backend_options.host = &host;
  backend_options.custom_calls = &registry;
  absl::StatusOr<std::unique_ptr<Backend>> target = MakeTarget(backend_options);
  if (!target.ok()) return Fail(target.status(), output);
  const BackendCapabilities capabilities = (*target)->capabilities();
  const bool has_host = capabilities.Offers(Feature::kHost);
  if (absl::Status status = CheckOptions(capabilities); !status.ok()) return Fail(status, output);
  absl::StatusOr<ModuleFile> file = program.Load(modules.front(), inputs.inputs);
  if (!file.ok()) return Fail(file.status(), output);
  grid.ApplyTo(*file->module);
  if (semantics == "2017") {
    absl::StatusOr<std::unique_ptr<Module>> meant = With2017Semantics(*file->module);
    if (!meant.ok()) return Fail(meant.status(), output);
    file->module = *std::move(meant);
  }
  const absl::StatusOr<ProcessGrid> process_grid = DevicesOf(*file->module, has_host);
  if (!process_grid.ok()) return Fail(process_grid.status(), output);
  const absl::Span<const ProcessGrid> grids = absl::MakeConstSpan(&*process_grid, 1);
  absl::Status fed = feeds.Load(grids, budget.budget.bytes, &host);
  if (!fed.ok()) return Fail(fed, output);
  if (has_host) WarnOfFeedOrder(*file->module);
  absl::StatusOr<std::unique_ptr<CustomCallRegistry>> loaded =
      custom_calls.Load(*file->module, budget.budget.bytes);
  if (!loaded.ok()) return Fail(loaded.status(), output);
  registry = *std::move(*loaded);
  absl::StatusOr<std::optional<DeviceValues>> expected = Expected(*file);
  if (!expected.ok()) return Fail(expected.status(), output);
  absl::Status comparable = CheckComparison(expected->has_value());
  if (!comparable.ok()) return Fail(comparable, output);
  double seconds = 0;
  nlohmann::json report = {{"module", file->module->name()},
                           {"backend", std::string((*target)->name())}};
  absl::StatusOr<std::optional<DeviceValues>> results =
      state.active() ? RunWithState(*file, **target, &seconds, &report["state"])
                     : Evaluate(*file, **target, *process_grid, &host, &seconds);
  if (!results.ok()) return Fail(results.status(), output);
  report["seconds"] = seconds;
  if (has_host) WarnOfUnusedFeeds(host);
  absl::Status saved = feeds.Save(grids, host);
  if (!saved.ok()) return Fail(saved, output);
  if (!*results) {
    if (output.json) std::cout << JsonText(report);
    return kExitOk;
  }
  absl::StatusOr<std::vector<CheckResult>> checks = RunChecks(*file, **results);
  if (!checks.ok()) return Fail(checks.status(), output);
  **results = WithoutCheckValues(*file, **std::move(results));
  if (!out.empty()) {
    absl::Status status = WriteNpz(out, NameByDevice(**results, "out"));
    if (!status.ok()) return Fail(status, output);
  }
  const std::vector<NamedLiteral> outfed = NameOutfeeds(host, 0, *process_grid);
  if (output.json && !checks->empty()) report["checks"] = ChecksJson(*checks);
  const auto named = [](const std::string& name) { return !name.empty(); };
  if (std::any_of(file->result_names.begin(), file->result_names.end(), named)) {
    report["result_names"] = file->result_names;
  }
  const int code = profile.empty()
                       ? Report(**target, **results, *expected, outfed, std::move(report))
                       : ReportJudgement(*file, **results, **expected, std::move(report));
  const bool hold = PrintChecks(*checks);
  return code == kExitOk && !hold ? kExitMismatch : code;
}

int RunCommand::RunAllTogether() const {
  const absl::StatusOr<std::unique_ptr<Backend>> target = MakeTarget(OptionsOfBackend());
  if (!target.ok()) return Fail(target.status(), output);
  if (state.active() || !(*target)->capabilities().Offers(Feature::kTogether) ||
      semantics != "today" || repeat > 1 || trace || stats || custom_calls.active() ||
      grid.module_form().has_value()) {
    return Fail(
        absl::InvalidArgumentError(
            "--together runs modules once, with the golden interpreter, as they mean "
            "today, in the form in which they stand; steps, state, --repeat, --trace, --stats, "
            "--module-form and users' custom calls are for one module"),
        output);
  }
  const TogetherRun run{together, modules,  inputs,     grid,    feeds, budget.budget,
                        straight, rng_seed, sends_wait, max_ulp, output};
  return RunTogether(run);
}

// What becomes of the results.
void AddResultOptions(CLI::App* sub, RunCommand* command) {
  sub->add_option("--out", command->out, "Write the results to this .npz (out0, out1, ...)")
      ->type_name("FILE");
  sub->add_option(
         "--expect", command->expect,
         "Compare with these results (.npz with out0, out1, ...; exit code 1 if they differ)")
      ->type_name("FILE");
  sub->add_option("--profile", command->profile,
                  "With --expect: judge these values as results of an implementation, element by "
                  "element, by what this profile permits (assay profile list)")
      ->type_name("NAME|FILE");
  sub->add_option("--max-ulp", command->max_ulp,
                  "With --expect: accept floats that differ by at most this many ulp")
      ->check(WholeNumber())
      ->type_name("N")
      ->capture_default_str();
}

// What evaluates the module, and how.
void AddEvaluationOptions(CLI::App* sub, RunCommand* command) {
  sub->add_option("--backend", command->backend, BackendHelp())
      ->type_name("BACKEND")
      ->capture_default_str();
  sub->add_option("--tier", command->tier,
                  "cpu: how fusions and loops run, by kernels (blocks) or by machine code that is "
                  "compiled at the first run (native); auto compiles what runs often")
      ->check(CLI::IsMember({"auto", "blocks", "native"}).description(""))
      ->type_name("TIER");
  sub->add_option("--semantics", command->semantics,
                  "What operations mean: today, or 2017 (docs/semantics_2017.md)")
      ->check(CLI::IsMember({"today", "2017"}))
      ->capture_default_str();
  sub->add_flag("--straight", command->straight,
                "Golden: evaluate by the definitions alone, without kernels (slow, same bits)");
  sub->add_flag("--trace", command->trace,
                "Golden: print every instruction with its value to standard error");
  sub->add_flag("--stats", command->stats,
                "Golden: print time, work, memory, which tier decided how many elements of "
                "functions, and elements whose rounding is not proven");
  sub->add_option(
         "--force-tier", command->force_tier,
         absl::StrCat("Golden: compute functions with this tier and later ones (slow, same "
                      "bits): ",
                      absl::StrJoin(evaluator::ForcibleTiers(), ", ")))
      ->check(CLI::IsMember(evaluator::ForcibleTiers()).description(""))
      ->type_name("TIER")
      ->capture_default_str();
  sub->add_option("--repeat", command->repeat, "Evaluate N times; seconds are the best of them")
      ->check(PositiveCount())
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--rng-seed", command->rng_seed,
                  "Golden: seed of the operation rng (docs/devices.md)")
      ->check(WholeNumber())
      ->type_name("N")
      ->capture_default_str();
  sub->add_flag("--sends-wait", command->sends_wait,
                "Golden: a send does not end before its recv has begun, as the documents order "
                "channel instructions; finds deadlocks of schedules (docs/devices.md)");
}

constexpr char kExamples[] =
    "Examples:\n"
    "  assay run f.mlir --inputs random\n"
    "  assay run step.hlo --inputs step.inputs.npz\n"
    "  assay run step.hlo --inputs step.inputs.npz --expect xla.npz --profile xla-cpu\n"
    "  assay run step.pb --inputs random --seed 3 --range lr=0:0.1 --out r.npz\n"
    "  assay run dump.snapshot.pb --json\n"
    "  assay run step.hlo --inputs first.npz --bind arg0-18=out0-18 \\\n"
    "      --steps 100 --state s.npz\n"
    "  assay run producer.hlo consumer.hlo --together --inputs p.npz --inputs c.npz\n"
    "Results are correctly rounded; other implementations seldom are, so a comparison with them "
    "mostly ends with exit code 1 unless --profile judges it.";

}  // namespace

void AddRunCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<RunCommand>();
  CLI::App* sub =
      app.add_subcommand("run", "Evaluate a module and show, save or check its results");
  sub->add_option(
         "MODULE", command->modules,
         "StableHLO (text, bytecode, portable artifact), HLO text, HloModuleProto, HloProto "
         "or HloSnapshot, binary or text, gzip or not; - for standard input. A snapshot brings its "
         "arguments and its result. Several "
         "with --together")
      ->type_name("FILE")
      ->required();
  command->inputs.AddTo(sub);
  command->program.AddTo(sub);
  command->grid.AddTo(sub);
  AddResultOptions(sub, command.get());
  AddEvaluationOptions(sub, command.get());
  sub->add_flag("--together", command->together.together,
                "Golden: run several modules at once, which talk over channels; --inputs, --out, "
                "--expect and those of the host program once for each, in order");
  command->feeds.AddTo(sub);
  command->custom_calls.AddTo(sub);
  command->state.AddTo(sub);
  command->memory.AddTo(sub);
  command->budget.AddTo(sub);
  command->output.AddTo(sub);
  sub->footer(kExamples);
  for (const char* name : {"--inputs", "--out", "--expect"}) {
    sub->get_option(name)->multi_option_policy(CLI::MultiOptionPolicy::TakeFirst);
  }
  sub->callback([command, exit_code, sub] {
    command->together.inputs = sub->get_option("--inputs")->results();
    command->together.outs = sub->get_option("--out")->results();
    command->together.expects = sub->get_option("--expect")->results();
    evaluator::ForceTier(*evaluator::TierOfName(command->force_tier));
    *exit_code = command->together.together ? command->RunAllTogether() : command->Run();
  });
}

}  // namespace assay::cli
