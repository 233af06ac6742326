#include "conformance/diagnose/module_judge.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "conformance/diagnose/program_judge.h"
#include "conformance/enclosure/mapped_region.h"
#include "conformance/judge/allowance.h"
#include "conformance/judge/collective_judge.h"
#include "conformance/judge/random_values.h"
#include "runtime/module_form.h"
#include "spec/analysis/collectives.h"
#include "spec/analysis/effects.h"

namespace assay::conformance {
namespace {

// Calls of every kind: their bodies compute.
bool RunsComputations(const Instruction& instruction) {
  return instruction.info().family == Family::kControl &&
         !instruction.called_computations().empty();
}

bool EndsCollective(Opcode opcode) {
  return opcode == Opcode::kAllReduceDone || opcode == Opcode::kAllGatherDone ||
         opcode == Opcode::kCollectivePermuteDone;
}

// Returns true for a reduction over devices whose computation has another type than the arrays.
// Only the interval of the program tells what may be left out of its roundings.
bool ComputesInAnotherType(const Instruction& collective) {
  if (!analysis::IsReduction(collective.opcode())) return false;
  const ElementType own = collective.to_apply()->root()->shape().element_type();
  return std::any_of(
      collective.operands().begin(), collective.operands().end(),
      [own](const Instruction* operand) { return operand->shape().element_type() != own; });
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

absl::Status CheckShapes(absl::Span<const Literal> golden, absl::Span<const Literal> actual) {
  if (actual.size() != golden.size()) {
    return absl::InvalidArgumentError(absl::StrCat("there are results of ", actual.size(),
                                                   " devices, but ", golden.size(), " run"));
  }
  for (size_t d = 0; d < actual.size(); ++d) {
    if (Shape::Compatible(golden[d].shape(), actual[d].shape())) continue;
    return absl::InvalidArgumentError(absl::StrCat("the result of device ", d, " is ",
                                                   actual[d].shape().ToString(), ", but ",
                                                   golden[d].shape().ToString(), " is wanted"));
  }
  return absl::OkStatus();
}

}  // namespace

bool IsCarrier(Opcode opcode) {
  return opcode == Opcode::kParameter || opcode == Opcode::kConstant || opcode == Opcode::kTuple ||
         opcode == Opcode::kGetTupleElement;
}

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

absl::StatusOr<Judgement> JudgeModule(const Module& module,
                                      absl::Span<const std::vector<Literal>> arguments,
                                      absl::Span<const Literal> golden,
                                      absl::Span<const Literal> actual,
                                      const TargetProfile& profile, const RunBudget& budget) {
  const absl::Status shapes = CheckShapes(golden, actual);
  if (!shapes.ok()) return shapes;
  const Instruction* sole = SoleInstruction(module);
  std::vector<std::vector<Literal>> operands;
  for (size_t d = 0; sole != nullptr && d < actual.size(); ++d) {
    operands.push_back(OperandsOf(*sole, arguments[d]));
  }
  const bool maps = sole != nullptr && sole->opcode() == Opcode::kMap;
  // A map of one operation is this operation, any other the program of its computation.
  const std::unique_ptr<Module> mapped = maps ? MapOfArrays(*sole) : nullptr;
  if (mapped != nullptr && SoleInstruction(*mapped) != nullptr) {
    return JudgeModule(*mapped, operands, golden, actual, profile, budget);
  }
  if (sole == nullptr || maps || ComputesInAnotherType(*sole)) {
    return JudgeByInterval(module, arguments, golden, actual, profile, budget);
  }
  RunOptions options;
  options.budget = budget;
  const Evaluate evaluate = [&](const Module& other, absl::Span<const Literal> operands) {
    return Interpret(other, operands, options);
  };
  const absl::StatusOr<runtime::ProcessPlan> processes = runtime::PlanProcesses(module);
  if (!processes.ok()) return processes.status();
  if (sole->info().family == Family::kCollective && processes->per_device == 1) {
    return JudgeCollective(*sole, operands, golden, actual, processes->grid, profile, evaluate);
  }
  const bool has_rule = evaluator::HasDefinition(sole->opcode()) || IsRandom(*sole);
  if (!has_rule || analysis::HasDynamicSizes(*sole)) {
    return JudgeProgram(module, golden, actual, profile);
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

}  // namespace assay::conformance
