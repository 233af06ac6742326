#include "tools/cli/stateful_run.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "spec/arrays/arrays.h"
#include "tools/cli/tensor_marks.h"

namespace assay::cli {
namespace {

// The member of the state file that counts steps; no tensor may have its name.
constexpr absl::string_view kStepCounter = "assay.steps";
constexpr int64_t kMaxSteps = int64_t{1} << 53;

bool IsKept(const Binding& binding) { return binding.kind != TensorKind::kInput; }
// Whether a step may be given its value.
bool IsGiven(const Binding& binding) {
  return binding.kind == TensorKind::kInput || binding.kind == TensorKind::kPlaceholder;
}

// "100" from where the state is, or "+10".
absl::StatusOr<int64_t> LastStep(const std::string& steps, int64_t done) {
  if (steps.empty()) return done + 1;
  absl::string_view text = steps;
  const bool more = absl::ConsumePrefix(&text, "+");
  int64_t count;
  if (!absl::SimpleAtoi(text, &count) || count < 0 || count > kMaxSteps) {
    return absl::InvalidArgumentError(
        absl::StrCat("--steps ", steps, " is neither a number of steps nor +NUMBER"));
  }
  return more ? done + count : count;
}

// Names in the state file are those of the tensors.
absl::Status CheckNames(absl::Span<const Binding> bindings) {
  for (const Binding& binding : bindings) {
    if (!IsKept(binding)) continue;
    const std::string& name = binding.tensor;
    if (name.empty() || name == kStepCounter || name.find_first_of("@/\\") != std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", name, "' cannot be the name of a tensor: it is empty, has one of @ / \\, or is ",
          kStepCounter));
    }
  }
  return absl::OkStatus();
}

class StatefulRun {
 public:
  StatefulRun(const StateOptions& options, const ModuleFile& file, const RunBudget& budget)
      : options_(options), file_(file), budget_(budget) {}

  absl::Status Prepare(const InputOptions& inputs, const Session::Evaluator& evaluate) {
    absl::StatusOr<std::vector<Binding>> bindings =
        MarkedBindings(*file_.module, options_.tensors, options_.bindings);
    if (!bindings.ok()) return bindings.status();
    absl::Status status = CheckNames(*bindings);
    if (!status.ok()) return status;
    absl::StatusOr<std::unique_ptr<const BoundModule>> bound =
        session_.Bind(*file_.module, *std::move(bindings), evaluate);
    if (!bound.ok()) return bound.status();
    bound_ = *std::move(bound);
    status = LoadState();
    if (status.ok() && !resumed_) status = Initialise();
    if (status.ok()) status = LoadInputs(inputs);
    if (status.ok()) status = LoadStepInputs();
    return status;
  }

  absl::StatusOr<StatefulResult> Run(const StepObserver& observe) {
    StatefulResult result;
    result.first_step = session_.step();
    absl::StatusOr<int64_t> last = LastStep(options_.steps, session_.step());
    if (!last.ok()) return last.status();
    while (session_.step() < *last) {
      absl::StatusOr<Literal> value = session_.Run(*bound_, InputsOfStep());
      if (!value.ok()) return AtStep(value.status());
      const bool due = session_.step() % options_.save_every == 0 || session_.step() == *last;
      if (absl::Status status = due ? SaveState() : absl::OkStatus(); !status.ok()) return status;
      observe(session_.step(), *value);
      result.last = *std::move(value);
    }
    result.steps = session_.step();
    return result;
  }

 private:
  absl::Status AtStep(const absl::Status& status) const {
    return absl::Status(status.code(),
                        absl::StrCat("step ", session_.step() + 1, ": ", status.message()));
  }

  absl::Status LoadState() {
    struct stat info;
    if (options_.state.empty()) return absl::OkStatus();
    if (stat(options_.state.c_str(), &info) != 0) {
      if (errno == ENOENT) return absl::OkStatus();  // the first run
      return absl::InvalidArgumentError(
          absl::StrCat(options_.state, ": cannot open: ", std::strerror(errno)));
    }
    absl::StatusOr<std::vector<NamedLiteral>> arrays = ReadArrays(options_.state);
    if (!arrays.ok()) return arrays.status();
    resumed_ = true;
    absl::Status status = TakeState(*arrays);
    return status.ok() ? status : InFile(options_.state, status);
  }

  absl::Status TakeState(const std::vector<NamedLiteral>& arrays) {
    bool has_counter = false;
    for (const NamedLiteral& array : arrays) {
      if (array.name == kStepCounter) {
        const Literal& value = array.value;
        if (value.element_type() != ElementType::kS64 || value.element_count() != 1) {
          return absl::InvalidArgumentError(absl::StrCat(kStepCounter, " is no s64[]"));
        }
        const int64_t step = static_cast<int64_t>(value.Get(0).bits);
        if (step < 0 || step > kMaxSteps) {
          return absl::InvalidArgumentError(absl::StrCat(kStepCounter, " is ", step));
        }
        session_.set_step(step);
        has_counter = true;
        continue;
      }
      absl::Status status = session_.Set(array.name, array.value);
      if (!status.ok()) return status;
    }
    if (has_counter) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("is not a state of a session: it has no ", kStepCounter));
  }

  absl::Status Initialise() {
    if (options_.init.empty()) return absl::OkStatus();
    absl::StatusOr<ModuleFile> initialiser = LoadModule(options_.init);
    if (!initialiser.ok()) return initialiser.status();
    std::vector<std::string> names;
    for (const Binding& binding : bound_->bindings()) {
      if (IsKept(binding) && !IsGiven(binding)) names.push_back(binding.tensor);
    }
    RunOptions run;
    run.budget = budget_;
    absl::Status status = session_.Initialise(*initialiser->module, names, run);
    return status.ok() ? status : InFile(options_.init, status);
  }

  // The arrays given, as arg0, arg1, ...
  absl::StatusOr<std::vector<NamedLiteral>> GivenArrays(const InputOptions& inputs) const {
    if (!inputs.inputs.empty() && inputs.inputs != "random") return ReadArrays(inputs.inputs);
    if (inputs.inputs.empty() && inputs.ranges.empty() && file_.arguments.empty()) {
      return std::vector<NamedLiteral>();
    }
    absl::StatusOr<std::vector<Literal>> arguments = inputs.Load(file_, budget_.bytes);
    if (!arguments.ok()) return arguments.status();
    return NameLeaves(Literal::Tuple(*std::move(arguments)), "arg");
  }

  // Arrays by the number in their names: argN.
  absl::StatusOr<std::map<int64_t, Literal>> ByArgument(std::vector<NamedLiteral> arrays) const {
    std::map<int64_t, Literal> by_argument;
    const int64_t count = static_cast<int64_t>(bound_->bindings().size());
    for (NamedLiteral& array : arrays) {
      absl::string_view digits = array.name;
      int64_t number;
      if (!absl::ConsumePrefix(&digits, "arg") || !absl::SimpleAtoi(digits, &number) ||
          number < 0 || number >= count) {
        return absl::InvalidArgumentError(absl::StrCat(
            "the array ", array.name, " is none of arg0 to arg", count - 1, " of the module"));
      }
      by_argument[number] = std::move(array.value);
    }
    return by_argument;
  }

  // What is given for tensors that have a value already is not used: the state goes on.
  absl::Status LoadInputs(const InputOptions& inputs) {
    absl::StatusOr<std::vector<NamedLiteral>> arrays = GivenArrays(inputs);
    if (!arrays.ok()) return arrays.status();
    absl::StatusOr<std::map<int64_t, Literal>> given = ByArgument(*std::move(arrays));
    if (!given.ok()) return InFile(inputs.inputs, given.status());
    for (auto& [number, value] : *given) {
      const Binding& binding = bound_->bindings()[number];
      if (IsGiven(binding)) {
        inputs_[binding.tensor] = std::move(value);
      } else if (!session_.IsWritten(binding.tensor)) {
        absl::Status status = session_.Set(binding.tensor, value);
        if (!status.ok()) return InFile(absl::StrCat("arg", number), status);
      }
    }
    return absl::OkStatus();
  }

  absl::Status LoadStepInputs() {
    if (options_.step_inputs.empty()) return absl::OkStatus();
    absl::StatusOr<std::vector<NamedLiteral>> arrays = ReadArrays(options_.step_inputs);
    if (!arrays.ok()) return arrays.status();
    absl::StatusOr<std::map<int64_t, Literal>> given = ByArgument(*std::move(arrays));
    if (!given.ok()) return InFile(options_.step_inputs, given.status());
    for (auto& [number, value] : *given) {
      const Binding& binding = bound_->bindings()[number];
      if (!IsGiven(binding) || value.shape().rank() == 0 || value.shape().dimension(0) == 0) {
        return absl::InvalidArgumentError(
            absl::StrCat(options_.step_inputs, ": arg", number, " (", value.shape().ToString(),
                         !IsGiven(binding) ? ") is kept from step to step, not given"
                                           : ") has no steps as its first dimension"));
      }
      step_inputs_[binding.tensor] = std::move(value);
    }
    return absl::OkStatus();
  }

  // Element `step` of the first dimension, round and round.
  static Literal Slice(const Literal& all, int64_t step) {
    const Shape& shape = all.shape();
    Shape one(shape.element_type(), shape.dimensions().subspan(1));
    one.FillLayouts();
    Literal slice = Literal::Zeros(one);
    const int64_t bytes = slice.byte_size();
    if (bytes > 0) {
      std::memcpy(slice.mutable_data(), all.data() + step % shape.dimension(0) * bytes, bytes);
    }
    return slice;
  }

  std::map<std::string, Literal> InputsOfStep() const {
    std::map<std::string, Literal> inputs = inputs_;
    for (const auto& [name, all] : step_inputs_) inputs[name] = Slice(all, session_.step());
    return inputs;
  }

  absl::Status SaveState() const {
    if (options_.state.empty()) return absl::OkStatus();
    Element count;
    count.bits = static_cast<uint64_t>(session_.step());
    std::vector<NamedLiteral> arrays = {
        {std::string(kStepCounter), Literal::Scalar(ElementType::kS64, count)}};
    for (const std::string& name : session_.tensors()) {
      absl::StatusOr<Literal> value = session_.Get(name);
      if (value.ok()) arrays.push_back({name, *std::move(value)});
    }
    return WriteNpz(options_.state, arrays);
  }

  const StateOptions& options_;
  const ModuleFile& file_;
  const RunBudget& budget_;
  Session session_;
  std::unique_ptr<const BoundModule> bound_;
  bool resumed_ = false;
  std::map<std::string, Literal> inputs_;       // the same in every step
  std::map<std::string, Literal> step_inputs_;  // of all steps
};

}  // namespace

void StateOptions::AddTo(CLI::App* app) {
  constexpr char kGroup[] = "State (docs/sessions.md)";
  app->add_option("--steps", steps,
                  "Run until the state has seen N steps; +N: N more steps. The results of a step "
                  "are the bound arguments of the next")
      ->group(kGroup);
  app->add_option("--state", state,
                  "Keep the bound arguments and the number of steps in this .npz: go on from it "
                  "where it is there, replace it after every step")
      ->group(kGroup);
  app->add_option("--bind", bindings,
                  "arg0=out0: argument 0 of a step is output 0 of the step before (also "
                  "arg0-18=out0-18, PARAMETER=out0; arg3 alone is kept and never changes). "
                  "input_output_alias of the module binds by itself")
      ->take_all()
      ->group(kGroup);
  app->add_option("--tensors", tensors,
                  "JSON that marks parameters: {\"arg0\": {\"kind\": \"variable\", \"name\": "
                  "\"w\", \"output\": \"out0\"}}")
      ->group(kGroup);
  app->add_option("--init", init,
                  "A module without parameters whose results are the first values of the bound "
                  "arguments")
      ->group(kGroup);
  app->add_option("--step-inputs", step_inputs,
                  "Arrays argN with the step as an additional first dimension")
      ->group(kGroup);
  app->add_option("--save-every", save_every, "Write the state every N steps, and at the end")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(kGroup);
}

absl::StatusOr<StatefulResult> RunSteps(const StateOptions& options, const ModuleFile& file,
                                        const InputOptions& inputs, const RunBudget& budget,
                                        const Session::Evaluator& evaluate,
                                        const StepObserver& observe) {
  StatefulRun run(options, file, budget);
  absl::Status status = run.Prepare(inputs, evaluate);
  if (!status.ok()) return status;
  return run.Run(observe);
}

}  // namespace assay::cli
