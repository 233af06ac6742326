// `assay run`: evaluates a module, prints or saves its results, compares them with expected ones.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backends/golden/golden_backend.h"
#include "nlohmann/json.hpp"
#include "spec/semantics/semantics_2017.h"
#include "spec/text/printer.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/options.h"
#include "tools/cli/report.h"
#include "tools/cli/stateful_run.h"

namespace assay {
namespace {

struct RunCommand {
  std::string module;
  InputOptions inputs;
  BudgetOptions budget;
  OutputOptions output;
  StateOptions state;
  std::string out;
  std::string expect;
  std::string backend = "golden";
  std::string semantics = "today";
  bool trace = false;
  bool straight = false;
  bool stats = false;
  int repeat = 1;
  uint64_t max_ulp = 0;

  int Run() const;

 private:
  absl::StatusOr<std::optional<Literal>> Evaluate(const ModuleFile& file, Backend& backend,
                                                  double* seconds) const;
  absl::StatusOr<std::optional<Literal>> RunWithState(const ModuleFile& file, Backend& backend,
                                                      double* seconds,
                                                      nlohmann::json* report) const;
  absl::StatusOr<std::optional<Literal>> Expected(const ModuleFile& file) const;
};

// Prints every instruction with its value as it is computed.
class Tracer : public Observer {
 public:
  absl::Status After(const Instruction& instruction, int64_t depth, const Literal& value) override {
    constexpr size_t kLongest = 160;
    std::string text = PrintTypedLiteral(value);
    if (text.size() > kLongest) text = absl::StrCat(text.substr(0, kLongest), " ...");
    std::cerr << std::string(2 * std::min<int64_t>(depth, 40), ' ') << instruction.name() << " = "
              << Name(instruction.opcode()) << ": " << text << "\n";
    return absl::OkStatus();
  }
};

// Uploads, executes as often as asked and downloads; `seconds` is the best time.
absl::StatusOr<Literal> Execute(Backend& backend, Executable& executable,
                                absl::Span<const Literal> arguments, int repeat, double* seconds) {
  std::vector<BufferHandle> buffers;
  std::vector<const Buffer*> pointers;
  for (const Literal& argument : arguments) {
    absl::StatusOr<BufferHandle> buffer = backend.Upload(argument);
    if (!buffer.ok()) return buffer.status();
    buffers.push_back(*std::move(buffer));
    pointers.push_back(buffers.back().get());
  }
  *seconds = std::numeric_limits<double>::infinity();
  std::vector<BufferHandle> results;
  for (int i = 0; i < repeat; ++i) {
    results.clear();
    absl::StatusOr<std::vector<BufferHandle>> outcome = executable.Execute({pointers});
    if (!outcome.ok()) return outcome.status();
    results = *std::move(outcome);
    *seconds = std::min(*seconds, executable.last_seconds());
  }
  return backend.Download(*results.front());
}

absl::StatusOr<std::optional<Literal>> RunCommand::Evaluate(const ModuleFile& file,
                                                            Backend& backend,
                                                            double* seconds) const {
  absl::StatusOr<std::vector<Literal>> arguments = inputs.Load(file, budget.budget.bytes);
  if (!arguments.ok()) return arguments.status();
  absl::StatusOr<std::unique_ptr<Executable>> executable = backend.Compile(*file.module);
  if (!executable.ok()) return executable.status();
  absl::StatusOr<Literal> result = Execute(backend, **executable, *arguments, repeat, seconds);
  if (!result.ok()) return result.status();
  return *std::move(result);
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
absl::StatusOr<std::optional<Literal>> RunCommand::RunWithState(const ModuleFile& file,
                                                                Backend& backend, double* seconds,
                                                                nlohmann::json* report) const {
  absl::StatusOr<std::unique_ptr<Executable>> executable = backend.Compile(*file.module);
  if (!executable.ok()) return executable.status();
  *seconds = 0;
  nlohmann::json history = nlohmann::json::array();
  const auto evaluate = [&](absl::Span<const Literal> arguments) {
    double step_seconds = 0;
    absl::StatusOr<Literal> result =
        Execute(backend, **executable, arguments, /*repeat=*/1, &step_seconds);
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
  return std::move(run->last);
}

absl::StatusOr<std::optional<Literal>> RunCommand::Expected(const ModuleFile& file) const {
  // After several steps a snapshot's result is not what is expected.
  if (expect.empty()) return state.active() ? std::nullopt : file.result;
  absl::StatusOr<std::vector<NamedLiteral>> arrays = ReadArrays(expect);
  if (!arrays.ok()) return arrays.status();
  absl::StatusOr<Literal> value = ToResult(*file.module, *std::move(arrays));
  if (!value.ok()) return value.status();
  return *std::move(value);
}

nlohmann::json StatsJson(const RunStats& stats) {
  return {{"steps", stats.steps},
          {"peak_bytes", stats.peak_bytes},
          {"materialised_bytes", stats.stored_bytes},
          {"undecided_elements", stats.real.undecided()}};
}

nlohmann::json ResultsJson(const Literal& result) {
  nlohmann::json list = nlohmann::json::array();
  for (const NamedLiteral& output : NameLeaves(result, "out")) {
    nlohmann::json entry = {{"name", output.name}, {"shape", output.value.shape().ToString()}};
    constexpr int64_t kShown = 1000;  // elements; --out has them all
    if (output.value.is_array() && output.value.element_count() <= kShown) {
      entry["value"] = PrintLiteral(output.value);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

void PrintResults(const Literal& result) {
  for (const NamedLiteral& output : NameLeaves(result, "out")) {
    constexpr size_t kLongest = 400;
    std::string text = PrintTypedLiteral(output.value);
    if (text.size() > kLongest) text = absl::StrCat(text.substr(0, kLongest), " ...");
    std::cout << output.name << " = " << text << "\n";
  }
}

int RunCommand::Run() const {
  Tracer tracer;
  BackendOptions backend_options;
  backend_options.straight = straight;
  backend_options.observed = trace;
  if (trace) backend_options.observers.push_back(&tracer);
  absl::StatusOr<ModuleFile> file = LoadModule(module);
  if (!file.ok()) return Fail(file.status(), output);
  if (semantics == "2017") {
    absl::StatusOr<std::unique_ptr<Module>> meant = With2017Semantics(*file->module);
    if (!meant.ok()) return Fail(meant.status(), output);
    file->module = *std::move(meant);
  }
  absl::StatusOr<std::unique_ptr<Backend>> target =
      MakeBackend(backend, budget.budget, backend_options);
  if (!target.ok()) return Fail(target.status(), output);
  absl::StatusOr<std::optional<Literal>> expected = Expected(*file);
  if (!expected.ok()) return Fail(expected.status(), output);
  double seconds = 0;
  nlohmann::json report = {{"module", file->module->name()},
                           {"backend", std::string((*target)->name())}};
  absl::StatusOr<std::optional<Literal>> result =
      state.active() ? RunWithState(*file, **target, &seconds, &report["state"])
                     : Evaluate(*file, **target, &seconds);
  if (!result.ok()) return Fail(result.status(), output);
  report["seconds"] = seconds;
  if (!*result) {
    if (output.json) std::cout << report.dump(2) << "\n";
    return kExitOk;
  }
  if (!out.empty()) {
    absl::Status status = WriteNpz(out, NameLeaves(**result, "out"));
    if (!status.ok()) return Fail(status, output);
  }
  std::optional<Comparison> comparison;
  if (*expected) {
    absl::StatusOr<Comparison> compared = Compare(**result, **expected);
    if (!compared.ok()) return Fail(compared.status(), output);
    comparison = *std::move(compared);
  }
  const auto* golden = dynamic_cast<const GoldenBackend*>(target->get());
  if (output.json) {
    if (!output.quiet) report["results"] = ResultsJson(**result);
    if (golden != nullptr) report["stats"] = StatsJson(golden->last_stats());
    if (comparison) report["comparison"] = ReportJson(*comparison, max_ulp);
    std::cout << report.dump(2) << "\n";
  } else if (!output.quiet) {
    if (comparison) {
      std::cout << ReportText(*comparison, backend, expect.empty() ? "snapshot" : "expected",
                              max_ulp);
    } else if (out.empty()) {
      PrintResults(**result);
    }
    if (stats && golden != nullptr) {
      const RunStats& run = golden->last_stats();
      absl::PrintF(
          "seconds %.6f, element steps %d, peak bytes %d, bytes materialised %d, "
          "undecided elements %d\n",
          seconds, run.steps, run.peak_bytes, run.stored_bytes, run.real.undecided());
    }
  }
  return !comparison || Accepted(*comparison, max_ulp) ? kExitOk : kExitMismatch;
}

}  // namespace

void AddRunCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<RunCommand>();
  CLI::App* sub =
      app.add_subcommand("run", "Evaluate a module and show, save or check its results");
  sub->add_option("MODULE", command->module,
                  "HLO text, HloModuleProto, HloProto or HloSnapshot, binary or text, gzip or not; "
                  "- for standard input. A snapshot brings its arguments and its result")
      ->required();
  command->inputs.AddTo(sub);
  sub->add_option("--out", command->out, "Write the results to this .npz (out0, out1, ...)");
  sub->add_option(
      "--expect", command->expect,
      "Compare with these results (.npz with out0, out1, ...; exit code 1 if they differ)");
  sub->add_option("--max-ulp", command->max_ulp,
                  "With --expect: accept floats that differ by at most this many ulp")
      ->capture_default_str();
  sub->add_option("--backend", command->backend, "golden, or process:COMMAND")
      ->capture_default_str();
  sub->add_option("--semantics", command->semantics,
                  "What operations mean: today, or 2017 (docs/semantics_2017.md)")
      ->check(CLI::IsMember({"today", "2017"}))
      ->capture_default_str();
  sub->add_flag("--straight", command->straight,
                "Golden: evaluate by the definitions alone, without kernels (slow, same bits)");
  sub->add_flag("--trace", command->trace,
                "Golden: print every instruction with its value to standard error");
  sub->add_flag("--stats", command->stats, "Golden: print time, work and memory");
  sub->add_option("--repeat", command->repeat, "Evaluate N times; seconds are the best of them")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->state.AddTo(sub);
  command->budget.AddTo(sub);
  command->output.AddTo(sub);
  sub->footer(
      "Examples:\n"
      "  assay run step.hlo --inputs step.inputs.npz --expect step.expected.npz\n"
      "  assay run step.pb --inputs random --seed 3 --range lr=0:0.1 --out results.npz\n"
      "  assay run dump.snapshot.pb --json\n"
      "  assay run train_step.hlo --inputs first.npz --bind arg0-18=out0-18 --steps 100 --state "
      "s.npz");
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay
