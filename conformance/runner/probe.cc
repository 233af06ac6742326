#include "conformance/runner/probe.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/diagnose/golden_trace.h"
#include "conformance/enclosure/enclosure.h"
#include "conformance/judge/allowance.h"
#include "conformance/judge/collective_judge.h"
#include "conformance/judge/random_values.h"
#include "conformance/runner/program_judge.h"
#include "evaluator/facts/isolate.h"
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

absl::Status CheckShapes(const Probe& probe, absl::Span<const Literal> actual) {
  if (actual.size() != probe.golden.size()) {
    return absl::InvalidArgumentError(absl::StrCat("there are results of ", actual.size(),
                                                   " devices, but ", probe.golden.size(), " run"));
  }
  for (size_t d = 0; d < actual.size(); ++d) {
    if (Shape::Compatible(probe.golden[d].shape(), actual[d].shape())) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the result of device ", d, " is ", actual[d].shape().ToString(), ", but ",
                     probe.golden[d].shape().ToString(), " is wanted"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Probe>> MakeProbes(const CorpusCase& corpus_case,
                                              const RunBudget& budget, bool straight) {
  absl::StatusOr<ReadyCase> ready = MakeReady(corpus_case, budget.bytes);
  if (!ready.ok()) return ready.status();
  PlanOptions plan;
  plan.straight = straight;
  std::vector<Probe> probes(1);
  absl::StatusOr<std::vector<Literal>> golden;
  if (SoleInstruction(*ready->module) != nullptr) {
    golden = RunGolden(*ready, budget, plan);
  } else {
    golden = TraceGolden(
        *ready->module, ready->arguments, plan, budget,
        [&](const Instruction& instruction, std::vector<Literal> operands, const Literal& value) {
          probes.push_back({instruction.name(),
                            IsolateInstruction(instruction),
                            {std::move(operands)},
                            {value}});
        });
  }
  if (golden.ok()) {
    const absl::Status expected = CheckExpected(corpus_case, *golden);
    if (!expected.ok()) golden = expected;
  }
  if (!golden.ok()) return golden.status();
  probes.front() = {"", std::move(ready->module), std::move(ready->arguments), *std::move(golden)};
  return probes;
}

namespace {

bool HasDynamicSizes(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      if (HasDynamicSizes(*each)) return true;
    }
  }
  return false;
}

// Elements of a program that are not golden's are held against the interval of what they may be.
// Of several processes and of dynamic sizes there is none, and none of what comes from a host or a
// channel: there what may differ reaches them, or nothing does.
absl::StatusOr<Judgement> JudgeByInterval(const Probe& probe, absl::Span<const Literal> actual,
                                          const TargetProfile& profile, const RunBudget& budget) {
  Judgement reached = JudgeProgram(*probe.module, probe.golden, actual, profile);
  const bool differs = reached.verdict >= Verdict::kNotJudgeable;
  if (!differs || actual.size() != 1 || HasDynamicSizes(*probe.module)) return reached;
  const absl::StatusOr<BoxTree> enclosure =
      Enclose(*probe.module, probe.arguments[0], profile, budget);
  if (enclosure.ok()) {
    absl::StatusOr<Judgement> whole = JudgeWhole(*enclosure, probe.golden[0], actual[0]);
    const bool known = !whole.ok() || whole->verdict != Verdict::kNotJudgeable;
    if (known || reached.verdict == Verdict::kNotJudgeable) return whole;
    return reached;
  }
  const absl::StatusCode code = enclosure.status().code();
  if (code != absl::StatusCode::kUnimplemented && code != absl::StatusCode::kResourceExhausted) {
    return enclosure.status();
  }
  if (reached.verdict == Verdict::kNotJudgeable) {
    reached.reasons.push_back(
        absl::StrCat("no interval of the program: ", enclosure.status().message()));
  }
  return reached;
}

}  // namespace

absl::StatusOr<Judgement> JudgeProbe(const Probe& probe, absl::Span<const Literal> actual,
                                     const TargetProfile& profile, const RunBudget& budget) {
  const absl::Status shapes = CheckShapes(probe, actual);
  if (!shapes.ok()) return shapes;
  const Instruction* sole = SoleInstruction(*probe.module);
  // A map is the program of its computation.
  if (sole == nullptr || sole->opcode() == Opcode::kMap) {
    return JudgeByInterval(probe, actual, profile, budget);
  }
  RunOptions options;
  options.budget = budget;
  const Evaluate evaluate = [&](const Module& module, absl::Span<const Literal> arguments) {
    return Interpret(module, arguments, options);
  };
  std::vector<std::vector<Literal>> operands;
  for (size_t d = 0; d < actual.size(); ++d) {
    operands.push_back(OperandsOf(*sole, probe.arguments[d]));
  }
  const absl::StatusOr<ProcessPlan> processes = PlanProcesses(*probe.module);
  if (!processes.ok()) return processes.status();
  if (sole->info().family == Family::kCollective && processes->per_device == 1) {
    return JudgeCollective(*sole, operands, probe.golden, actual, processes->grid, profile,
                           evaluate);
  }
  const bool has_rule = HasDefinition(sole->opcode()) || IsRandom(*sole);
  if (!has_rule || HasDynamicSizes(*sole)) {
    return JudgeProgram(*probe.module, probe.golden, actual, profile);
  }
  Judgement all;
  for (size_t d = 0; d < actual.size(); ++d) {
    absl::StatusOr<Judgement> own =
        JudgeInstruction(*sole, operands[d], probe.golden[d], actual[d], profile, evaluate);
    if (!own.ok()) return own;
    for (Evidence& each : own->evidence) each.device = static_cast<int64_t>(d);
    all.Merge(*own);
  }
  return all;
}

void Conclude(CaseResult* result) {
  ProbeResult& whole = result->probes.front();
  const auto worse = [](const ProbeResult& a, const ProbeResult& b) {
    return a.outcome < b.outcome;
  };
  auto decisive = result->probes.begin();
  if (result->probes.size() > 1) {
    const auto introduced =
        std::max_element(result->probes.begin() + 1, result->probes.end(), worse);
    const bool inherits =
        whole.outcome == Outcome::kNotJudgeable && introduced->outcome > Outcome::kCorrectlyRounded;
    if (inherits && whole.message.empty()) {
      whole.message = absl::StrCat("inherits what ", introduced->name, " introduced (",
                                   OutcomeName(introduced->outcome), ")");
    }
    if (inherits || whole.outcome <= introduced->outcome) decisive = introduced;
  }
  result->outcome = decisive->outcome;
  if (decisive->message.empty()) return;
  result->message = decisive->name.empty() ? decisive->message
                                           : absl::StrCat(decisive->name, ": ", decisive->message);
}

}  // namespace assay
