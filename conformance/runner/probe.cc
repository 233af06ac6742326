#include "conformance/runner/probe.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/diagnose/program_judge.h"
#include "conformance/judge/allowance.h"
#include "conformance/judge/collective_judge.h"
#include "conformance/judge/random_values.h"
#include "interpreter/effect.h"
#include "interpreter/module_form.h"

namespace assay {
namespace {

bool IsCarrier(Opcode opcode) {
  return opcode == Opcode::kParameter || opcode == Opcode::kConstant || opcode == Opcode::kTuple ||
         opcode == Opcode::kGetTupleElement;
}

// Calls of every kind: their bodies compute.
bool RunsComputations(const Instruction& instruction) {
  return instruction.info().family == Family::kControl &&
         !instruction.called_computations().empty();
}

bool EndsCollective(Opcode opcode) {
  return opcode == Opcode::kAllReduceDone || opcode == Opcode::kAllGatherDone ||
         opcode == Opcode::kCollectivePermuteDone;
}

// The root, or the collective that it is the end of, where that is all that the module computes;
// else null.
const Instruction* SoleInstruction(const Module& module) {
  const Computation& entry = *module.entry();
  const Instruction* sole = entry.root();
  if (RunsComputations(*sole)) return nullptr;
  if (EndsCollective(sole->opcode())) sole = sole->operand(0);
  for (const auto& each : entry.instructions()) {
    if (each.get() != sole && each.get() != entry.root() && !IsCarrier(each->opcode())) {
      return nullptr;
    }
  }
  return sole;
}

// The operands of the sole instruction: what carriers make of parameters and constants.
std::vector<Literal> OperandsOf(const Instruction& sole, absl::Span<const Literal> arguments) {
  absl::flat_hash_map<const Instruction*, Literal> values;
  for (const auto& each : sole.parent()->instructions()) {
    const auto operand = [&](int64_t i) -> const Literal& { return values.at(each->operand(i)); };
    if (each->opcode() == Opcode::kParameter) {
      values[each.get()] = arguments[each->parameter_number()];
    } else if (each->opcode() == Opcode::kConstant) {
      values[each.get()] = *each->literal();
    } else if (each->opcode() == Opcode::kGetTupleElement) {
      values[each.get()] = operand(0).element(each->GetInt(Attr::kIndex));
    } else if (each->opcode() == Opcode::kTuple) {
      std::vector<Literal> elements;
      for (int64_t i = 0; i < each->operand_count(); ++i) elements.push_back(operand(i));
      values[each.get()] = Literal::Tuple(std::move(elements));
    }
  }
  std::vector<Literal> operands;
  for (const Instruction* operand : sole.operands()) operands.push_back(values.at(operand));
  return operands;
}

absl::Status CheckShapes(const Probe& probe, absl::Span<const DeviceOutputs> actual) {
  if (actual.size() != probe.golden.size()) {
    return absl::InvalidArgumentError(absl::StrCat("there are results of ", actual.size(),
                                                   " devices, but ", probe.golden.size(), " run"));
  }
  for (size_t d = 0; d < actual.size(); ++d) {
    const Shape& wanted = probe.golden[d].result.shape();
    if (Shape::Compatible(wanted, actual[d].result.shape())) continue;
    return absl::InvalidArgumentError(absl::StrCat("the result of device ", d, " is ",
                                                   actual[d].result.shape().ToString(), ", but ",
                                                   wanted.ToString(), " is wanted"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Probe>> MakeProbes(const CorpusCase& corpus_case,
                                              const RunBudget& budget,
                                              const ProbeOptions& options) {
  absl::StatusOr<ReadyCase> ready = MakeReady(corpus_case, budget.bytes);
  if (!ready.ok()) return ready.status();
  PlanOptions plan;
  plan.straight = options.straight;
  std::vector<Probe> probes(1);
  absl::StatusOr<std::vector<DeviceOutputs>> golden;
  if (SoleInstruction(*ready->module) != nullptr) {
    golden = RunGolden(*ready, budget, plan);
  } else {
    int64_t bytes = 0;
    const auto see = [&](Excerpt excerpt) {
      // What a group takes and gives are values of its members' neighbours and its own.
      if (!excerpt.is_group()) bytes += excerpt.golden.byte_size();
      if (budget.bytes >= 0 && bytes > budget.bytes) {
        return absl::ResourceExhaustedError(
            absl::StrCat("the values of all instructions take more than the budget of ",
                         budget.bytes, " bytes"));
      }
      probes.push_back({excerpt.Name(),
                        excerpt.is_group(),
                        std::move(excerpt.module),
                        {{std::move(excerpt.arguments), {}}},
                        {{std::move(excerpt.golden), {}}}});
      return absl::OkStatus();
    };
    golden = TraceGolden(*ready->module, ready->inputs, plan, budget, options.depth, see);
  }
  if (golden.ok()) {
    const absl::Status expected = CheckExpected(corpus_case, *golden);
    if (!expected.ok()) golden = expected;
  }
  if (!golden.ok()) return golden.status();
  probes.front() = {"", false, std::move(ready->module), std::move(ready->inputs),
                    *std::move(golden)};
  return probes;
}

namespace {

// Of results whose shapes are right.
absl::StatusOr<Judgement> JudgeResults(const Probe& probe, absl::Span<const Literal> actual,
                                       const TargetProfile& profile, const RunBudget& budget) {
  const std::vector<Literal> golden = ResultsOf(probe.golden);
  const Instruction* sole = SoleInstruction(*probe.module);
  // A map is the program of its computation.
  if (sole == nullptr || sole->opcode() == Opcode::kMap) {
    std::vector<std::vector<Literal>> arguments;
    for (const DeviceInputs& device : probe.inputs) arguments.push_back(device.arguments);
    return JudgeByInterval(*probe.module, arguments, golden, actual, profile, budget);
  }
  RunOptions options;
  options.budget = budget;
  const Evaluate evaluate = [&](const Module& module, absl::Span<const Literal> arguments) {
    return Interpret(module, arguments, options);
  };
  std::vector<std::vector<Literal>> operands;
  for (size_t d = 0; d < actual.size(); ++d) {
    operands.push_back(OperandsOf(*sole, probe.inputs[d].arguments));
  }
  const absl::StatusOr<ProcessPlan> processes = PlanProcesses(*probe.module);
  if (!processes.ok()) return processes.status();
  if (sole->info().family == Family::kCollective && processes->per_device == 1) {
    return JudgeCollective(*sole, operands, golden, actual, processes->grid, profile, evaluate);
  }
  const bool has_rule = HasDefinition(sole->opcode()) || IsRandom(*sole);
  if (!has_rule || HasDynamicSizes(*sole)) {
    return JudgeProgram(*probe.module, golden, actual, profile);
  }
  Judgement all;
  for (size_t d = 0; d < actual.size(); ++d) {
    absl::StatusOr<Judgement> own =
        JudgeInstruction(*sole, operands[d], golden[d], actual[d], profile, evaluate);
    if (!own.ok()) return own;
    for (Evidence& each : own->evidence) each.device = static_cast<int64_t>(d);
    all.Merge(*own);
  }
  return all;
}

}  // namespace

absl::StatusOr<Judgement> JudgeProbe(const Probe& probe, absl::Span<const DeviceOutputs> actual,
                                     const TargetProfile& profile, const RunBudget& budget) {
  const absl::Status shapes = CheckShapes(probe, actual);
  if (!shapes.ok()) return shapes;
  absl::StatusOr<Judgement> judgement = JudgeResults(probe, ResultsOf(actual), profile, budget);
  const auto feeds_out = [](const DeviceOutputs& device) { return !device.outfeed.empty(); };
  const bool fed_out = std::any_of(actual.begin(), actual.end(), feeds_out) ||
                       std::any_of(probe.golden.begin(), probe.golden.end(), feeds_out);
  if (judgement.ok() && fed_out) {
    judgement->Merge(JudgeOutfeeds(*probe.module, probe.golden, actual, profile));
  }
  return judgement;
}

void Conclude(CaseResult* result) {
  ProbeResult& whole = result->probes.front();
  const auto weight = [](const ProbeResult& probe) {
    const bool says_nothing = !IsPass(probe.outcome) && !IsFailure(probe.outcome);
    return probe.subgraph && says_nothing ? Outcome::kExact : probe.outcome;
  };
  const auto worse = [&](const ProbeResult& a, const ProbeResult& b) {
    return weight(a) < weight(b);
  };
  auto decisive = result->probes.begin();
  if (result->probes.size() > 1) {
    const auto introduced =
        std::max_element(result->probes.begin() + 1, result->probes.end(), worse);
    const Outcome own = weight(*introduced);
    const bool inherits =
        whole.outcome == Outcome::kNotJudgeable && own > Outcome::kCorrectlyRounded;
    if (inherits && whole.message.empty()) {
      whole.message = absl::StrCat("inherits what ", introduced->name, " introduced (",
                                   OutcomeName(introduced->outcome), ")");
    }
    if (inherits || whole.outcome <= own) decisive = introduced;
  }
  result->outcome = decisive->outcome;
  if (decisive->message.empty()) return;
  result->message = decisive->name.empty() ? decisive->message
                                           : absl::StrCat(decisive->name, ": ", decisive->message);
}

}  // namespace assay
