#include "conformance/enclosure/enclosure.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "conformance/enclosure/box_trees.h"
#include "conformance/enclosure/collective_encloser.h"
#include "conformance/enclosure/enclosed_values.h"
#include "conformance/enclosure/excess_precision.h"
#include "conformance/enclosure/excess_precision_encloser.h"
#include "conformance/enclosure/instruction_encloser.h"
#include "conformance/enclosure/lu.h"
#include "conformance/enclosure/mapped_region.h"
#include "conformance/enclosure/moved_nans.h"
#include "conformance/enclosure/systems.h"
#include "conformance/judge/called_operation.h"
#include "conformance/judge/rounds.h"
#include "runtime/float_environment.h"

namespace assay::conformance {
namespace {

// Processes that run a computation together, by flattened id. They advance instruction by
// instruction, so that all of them have arrived where a collective brings them together.
using Team = std::vector<int64_t>;

class Encloser {
 public:
  Encloser(const TargetProfile& profile, const RunBudget& budget, const ProcessGrid& grid)
      : profile_(profile),
        uses_f32_(profile.Grants(Freedom::kExcessPrecision)),
        meter_(budget),
        golden_(budget),
        radii_(profile_, &golden_),
        encloser_(profile_, &meter_, &golden_, radii_),
        excess_precision_encloser_(profile_, &encloser_, &golden_, radii_),
        grid_(grid),
        collectives_(grid, profile, budget,
                     [this](const Computation& computation, std::vector<BoxTree> arguments) {
                       return RunAlone(computation, 0, std::move(arguments), 0);
                     }) {}

  // Arguments and results by member of the team.
  absl::StatusOr<std::vector<BoxTree>> Run(const Computation& computation, const Team& team,
                                           std::vector<std::vector<BoxTree>> arguments, int level) {
    if (level > kMostEnclosedLevels) {
      return absl::ResourceExhaustedError(absl::StrCat("computation ", computation.name(),
                                                       " lies more than ", kMostEnclosedLevels,
                                                       " levels deep"));
    }
    EnclosedSteps& steps = StepsOf(computation);
    std::vector<EnclosedValues> frames(team.size(), EnclosedValues(&steps));
    for (EnclosedStep& step : steps) {
      for (size_t m = 0; m < team.size(); ++m) {
        absl::Status status = meter_.Charge(*step.instruction, step.cost);
        if (!status.ok()) return status;
      }
      if (step.is_known) continue;
      absl::Status status = step.kind == StepKind::kTogether
                                ? Together(&step, team, &frames, level)
                                : OneByOne(&step, team, &frames, &arguments, level);
      if (!status.ok()) return status;
    }
    std::vector<BoxTree> results;
    for (EnclosedValues& frame : frames) results.push_back(frame.At(computation.root()->index()));
    return results;
  }

 private:
  EnclosedSteps& StepsOf(const Computation& computation) {
    EnclosedSteps& steps = steps_of_[&computation];
    if (!steps.empty()) return steps;
    steps.reserve(computation.instruction_count());
    for (const auto& each : computation.instructions()) {
      bool constants = true;
      for (const Instruction* operand : each->operands()) {
        ++steps[operand->index()].uses;
        constants = constants && steps[operand->index()].is_constant;
      }
      const bool leaf = each->opcode() == Opcode::kConstant || each->opcode() == Opcode::kIota;
      const bool pure = each->info().elementwise() || each->info().family == Family::kMovement;
      const absl::StatusOr<int64_t> bytes = each->shape().ByteSize();
      EnclosedStep& step = steps.emplace_back();
      step.instruction = each.get();
      const bool maps = each->opcode() == Opcode::kMap && MappedArrays(*each) != nullptr;
      step.kind = maps ? StepKind::kTree : StepKindOf(*each);
      step.cost = bytes.ok() ? 1 + *bytes / 4 : StepMeter::kTooMany;
      step.in_f32 = uses_f32_ && HasTypesInF32(*each);
      step.is_constant = leaf || (pure && each->operand_count() > 0 && constants);
    }
    ++steps[computation.root()->index()].uses;
    return steps;
  }

  absl::StatusOr<BoxTree> RunAlone(const Computation& computation, int64_t process,
                                   std::vector<BoxTree> arguments, int level) {
    std::vector<std::vector<BoxTree>> of_team;
    of_team.push_back(std::move(arguments));
    absl::StatusOr<std::vector<BoxTree>> results =
        Run(computation, {process}, std::move(of_team), level);
    if (!results.ok()) return results.status();
    return std::move((*results)[0]);
  }

  // An instruction that every process runs by itself. A constant is known after the first.
  absl::Status OneByOne(EnclosedStep* step, const Team& team, std::vector<EnclosedValues>* frames,
                        std::vector<std::vector<BoxTree>>* arguments, int level) {
    const Instruction& instruction = *step->instruction;
    for (size_t m = 0; m < team.size() && !step->is_known; ++m) {
      EnclosedValues& frame = (*frames)[m];
      absl::StatusOr<BoxTree> value;
      switch (step->kind) {
        case StepKind::kParameter:
          value = std::move((*arguments)[m][instruction.parameter_number()]);
          break;
        case StepKind::kGetTupleElement: {
          const int64_t tuple = instruction.operand(0)->index();
          value = frame.At(tuple).elements()[instruction.GetInt(Attr::kIndex)];
          frame.Use(tuple);
          break;
        }
        case StepKind::kTree:
          value = ApplyToTrees(instruction, team[m], frame.Take(instruction), level);
          break;
        default:
          value = ApplyToArrays(step, frame.Leaves(instruction));
          frame.UseAll(instruction);
          break;
      }
      if (!value.ok()) return value.status();
      if (step->in_f32) value = TreeInF32(*value);
      frame.Keep(step, *std::move(value));
    }
    return absl::OkStatus();
  }

  // A call of any kind, or a collective: the processes of a team take it together.
  absl::Status Together(EnclosedStep* step, const Team& team, std::vector<EnclosedValues>* frames,
                        int level) {
    const Instruction& instruction = *step->instruction;
    std::vector<std::vector<BoxTree>> operands;
    for (EnclosedValues& frame : *frames) operands.push_back(frame.Take(instruction));
    absl::StatusOr<std::vector<BoxTree>> values =
        ApplyTogether(instruction, team, std::move(operands), level);
    if (!values.ok()) return values.status();
    for (size_t m = 0; m < team.size(); ++m) {
      BoxTree& value = (*values)[m];
      (*frames)[m].Keep(step, step->in_f32 ? TreeInF32(value) : std::move(value));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<BoxTree>> ApplyTogether(const Instruction& instruction,
                                                     const Team& team,
                                                     std::vector<std::vector<BoxTree>> operands,
                                                     int level) {
    switch (instruction.opcode()) {
      case Opcode::kAsyncStart: {
        absl::StatusOr<std::vector<BoxTree>> results =
            Run(*instruction.GetComputation(Attr::kCalls), team, operands, level + 1);
        for (size_t m = 0; results.ok() && m < team.size(); ++m) {
          (*results)[m] = StartedPair(instruction, BoxTree::Tuple(std::move(operands[m])),
                                      std::move((*results)[m]));
        }
        return results;
      }
      case Opcode::kCall:
        return Run(*instruction.to_apply(), team, std::move(operands), level + 1);
      case Opcode::kFusion:
        return Run(*instruction.GetComputation(Attr::kCalls), team, std::move(operands), level + 1);
      case Opcode::kWhile:
        return Loop(instruction, team, std::move(operands), level);
      case Opcode::kConditional:
        return Branch(instruction, team, std::move(operands), level);
      default:
        return collectives_.Meet(instruction, team, operands);
    }
  }

  absl::StatusOr<BoxTree> ApplyToTrees(const Instruction& instruction, int64_t process,
                                       std::vector<BoxTree> operands, int level) {
    switch (instruction.opcode()) {
      case Opcode::kTuple:
        return BoxTree::Tuple(std::move(operands));
      case Opcode::kOptimizationBarrier:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
      case Opcode::kAsyncUpdate:
      case Opcode::kCopy:
      case Opcode::kAllReduceDone:
        return std::move(operands[0]);
      case Opcode::kCopyStart:
        return StartedPair(instruction, operands[0], operands[0]);
      case Opcode::kAsyncDone:
      case Opcode::kAllGatherDone:
      case Opcode::kCollectivePermuteDone:
        return operands[0].elements()[1];
      case Opcode::kReplicaId:
        return BoxTree::Point(Id(grid_.ReplicaOf(process)));
      case Opcode::kPartitionId:
        return BoxTree::Point(Id(grid_.PartitionOf(process)));
      case Opcode::kCopyDone:
        return operands[0].elements()[0];
      case Opcode::kMap:
        return Map(instruction, *MappedArrays(instruction), process, std::move(operands), level);
      case Opcode::kCustomCall:
        if (const Computation* operation = CalledOperation(instruction); operation != nullptr) {
          return Call(instruction, *operation, process, std::move(operands), level);
        }
        if (IsLuCall(instruction)) {
          std::vector<Box> boxes = EncloseLu(instruction, operands[0].box(), profile_);
          return AssembleTree(instruction.shape(), &boxes);
        }
        break;
      default:
        break;
    }
    // The host or other programs decide the value.
    return BoxTree::Anything(instruction.shape(), &instruction);
  }

  absl::StatusOr<BoxTree> ApplyToArrays(EnclosedStep* step, BoxPointers leaves) {
    const Instruction& instruction = *step->instruction;
    if (step->prepared == nullptr) {
      step->prepared = std::make_unique<PreparedInstruction>(instruction, profile_, &golden_);
    }
    const PreparedInstruction& prepared = *step->prepared;
    const Instruction* open = nullptr;
    for (const Box* box : leaves) open = open != nullptr ? open : box->open;
    std::vector<Box> flushed;
    if (prepared.rules.flushes_operands()) FlushOperands(&leaves, &flushed);
    const auto name = [open](Box* result) {
      if (result->open == nullptr && !result->is_point()) result->open = open;
    };
    if (!step->in_f32 && GivesOneArray(instruction)) {
      auto result = std::make_shared<Box>();
      absl::Status status = encloser_.OneResult(prepared, Boxes(leaves), result.get());
      if (!status.ok()) return status;
      status = MarkMovedNans(instruction, Boxes(leaves), profile_, &golden_,
                             absl::MakeSpan(result.get(), 1));
      if (!status.ok()) return status;
      name(result.get());
      if (step->is_constant) LookForDenormals(result.get());
      return BoxTree::Of(std::move(result));
    }
    absl::StatusOr<std::vector<Box>> results =
        step->in_f32 ? excess_precision_encloser_.Results(prepared, &step->f32_form, leaves)
                     : encloser_.Results(prepared, Boxes(leaves));
    if (!results.ok()) return results.status();
    absl::Status status =
        MarkMovedNans(instruction, Boxes(leaves), profile_, &golden_, absl::MakeSpan(*results));
    if (!status.ok()) return status;
    for (Box& result : *results) name(&result);
    return AssembleTree(instruction.shape(), &*results);
  }

  static Literal Id(int64_t id) {
    return Literal::Scalar(ElementType::kU32, {static_cast<uint64_t>(id)});
  }

  // Denormals of operands may be zeros.
  void FlushOperands(BoxPointers* operands, std::vector<Box>* flushed) const {
    flushed->reserve(operands->size());  // so that boxes stay where they are
    for (const Box*& operand : *operands) {
      if (!operand->low.is_array() || operand->flushed || !IsRounded(operand->low.element_type()) ||
          !profile_.MayFlushOperands(operand->low.element_type())) {
        continue;
      }
      flushed->push_back(*operand);
      Loosen({.flushed = true}, &flushed->back());
      operand = &flushed->back();
    }
  }

  // Null: the computation is none of elementwise operations.
  const Computation* MappedArrays(const Instruction& map) {
    const auto [at, is_new] = mapped_.try_emplace(&map);
    if (is_new) at->second = MapOfArrays(map);
    return at->second == nullptr ? nullptr : at->second->entry();
  }

  // What is open inside is named by the map, which outlives the copy of its computation.
  absl::StatusOr<BoxTree> Map(const Instruction& map, const Computation& arrays, int64_t process,
                              std::vector<BoxTree> operands, int level) {
    const Instruction* open = nullptr;
    for (const BoxTree& operand : operands) open = open != nullptr ? open : operand.open();
    absl::StatusOr<BoxTree> mapped = RunAlone(arrays, process, std::move(operands), level + 1);
    if (!mapped.ok() || mapped->box().open == nullptr) return mapped;
    Box box = mapped->box();
    box.open = open != nullptr ? open : &map;
    return BoxTree::Of(std::move(box));
  }

  // Null: the call is none.
  const Computation* CalledOperation(const Instruction& call) {
    const auto [at, is_new] = called_.try_emplace(&call);
    if (is_new) at->second = OperationOfCall(call);
    return at->second == nullptr ? nullptr : at->second->entry();
  }

  // The operation gives the first array of the call's result; as of a map, the call is named.
  absl::StatusOr<BoxTree> Call(const Instruction& call, const Computation& operation,
                               int64_t process, std::vector<BoxTree> operands, int level) {
    const Instruction* open = nullptr;
    for (const BoxTree& operand : operands) open = open != nullptr ? open : operand.open();
    if (open == nullptr) open = &call;
    absl::StatusOr<BoxTree> value = RunAlone(operation, process, std::move(operands), level + 1);
    if (!value.ok()) return value;
    Box box = value->box();
    if (box.open != nullptr) box.open = open;
    if (!InfoLeaf(call)) return BoxTree::Of(std::move(box));
    Box info = InfoOfFactors(call.shape().tuple_shapes()[1], box, open);
    std::vector<BoxTree> results;
    results.push_back(BoxTree::Of(std::move(box)));
    results.push_back(BoxTree::Of(std::move(info)));
    return BoxTree::Tuple(std::move(results));
  }

  // Processes leave the loop one by one. Of one whose condition is open nothing is known any more,
  // which its partners in a collective of the body learn there.
  absl::StatusOr<std::vector<BoxTree>> Loop(const Instruction& loop, const Team& team,
                                            std::vector<std::vector<BoxTree>> operands, int level) {
    const Computation& condition = *loop.GetComputation(Attr::kCondition);
    const Computation& body = *loop.GetComputation(Attr::kBody);
    std::vector<BoxTree> results(team.size());
    std::vector<size_t> running;  // members of the team
    for (size_t m = 0; m < team.size(); ++m) running.push_back(m);
    Team now = team;
    while (true) {
      absl::StatusOr<std::vector<BoxTree>> goes_on = Run(condition, now, operands, level + 1);
      if (!goes_on.ok()) return goes_on.status();
      std::vector<std::vector<BoxTree>> states;
      std::vector<size_t> further;
      for (size_t k = 0; k < running.size(); ++k) {
        const Box& pred = (*goes_on)[k].box();
        BoxTree& state = operands[k][0];
        if (!(pred.low.Get(0) == pred.high.Get(0))) {
          results[running[k]] =
              BoxTree::Anything(loop.shape(), pred.open != nullptr ? pred.open : &loop);
        } else if (pred.low.Get(0).bits == 0) {
          results[running[k]] = std::move(state);
        } else {
          further.push_back(running[k]);
          states.push_back({});
          states.back().push_back(std::move(state));
        }
      }
      running = std::move(further);
      if (running.empty()) return results;
      now.clear();
      for (const size_t m : running) now.push_back(team[m]);
      absl::StatusOr<std::vector<BoxTree>> next = Run(body, now, std::move(states), level + 1);
      if (!next.ok()) return next.status();
      operands.clear();
      for (BoxTree& state : *next) {
        operands.emplace_back();
        operands.back().push_back(std::move(state));
      }
    }
  }

  // The branch that a selector takes.
  static std::optional<size_t> TakenBranch(const Box& selector, size_t branches) {
    if (!(selector.low.Get(0) == selector.high.Get(0))) return std::nullopt;
    const uint64_t bits = selector.low.Get(0).bits;
    if (IsPred(selector.low.element_type())) return bits != 0 ? 0 : 1;
    const int64_t branch = DecodeSigned(selector.low.element_type(), bits);
    const bool exists = branch >= 0 && branch < static_cast<int64_t>(branches);
    return exists ? static_cast<size_t>(branch) : branches - 1;
  }

  // Processes that take the same branch run it together.
  absl::StatusOr<std::vector<BoxTree>> Branch(const Instruction& conditional, const Team& team,
                                              std::vector<std::vector<BoxTree>> operands,
                                              int level) {
    const auto branches = conditional.called_computations();
    std::vector<BoxTree> results(team.size());
    std::vector<std::vector<size_t>> takers(branches.size());
    for (size_t m = 0; m < team.size(); ++m) {
      if (const auto taken = TakenBranch(operands[m][0].box(), branches.size())) {
        takers[*taken].push_back(m);
        continue;
      }
      absl::StatusOr<BoxTree> any = AnyBranch(conditional, team[m], std::move(operands[m]), level);
      if (!any.ok()) return any.status();
      results[m] = *std::move(any);
    }
    for (size_t branch = 0; branch < branches.size(); ++branch) {
      if (takers[branch].empty()) continue;
      Team part;
      std::vector<std::vector<BoxTree>> arguments;
      for (const size_t m : takers[branch]) {
        part.push_back(team[m]);
        arguments.emplace_back();
        arguments.back().push_back(std::move(operands[m][1 + branch]));
      }
      absl::StatusOr<std::vector<BoxTree>> taken =
          Run(*branches[branch], part, std::move(arguments), level + 1);
      if (!taken.ok()) return taken;
      for (size_t k = 0; k < part.size(); ++k) {
        results[takers[branch][k]] = std::move((*taken)[k]);
      }
    }
    return results;
  }

  // The hull over all branches, if none of them may run for ever or does more than compute.
  absl::StatusOr<BoxTree> AnyBranch(const Instruction& conditional, int64_t process,
                                    std::vector<BoxTree> operands, int level) {
    const Instruction* open = operands[0].box().open;
    if (open == nullptr) open = &conditional;
    const auto branches = conditional.called_computations();
    if (!std::all_of(branches.begin(), branches.end(),
                     [](const Computation* branch) { return IsShort(*branch); })) {
      return BoxTree::Anything(conditional.shape(), open);
    }
    std::vector<BoxTree> results;
    for (size_t k = 0; k < branches.size(); ++k) {
      std::vector<BoxTree> arguments;
      arguments.push_back(std::move(operands[1 + k]));
      absl::StatusOr<BoxTree> result =
          RunAlone(*branches[k], process, std::move(arguments), level + 1);
      if (!result.ok()) return result;
      results.push_back(*std::move(result));
    }
    return HullOfTrees(results, open);
  }

  // Straight on, without effects.
  static bool IsShort(const Computation& branch) {
    return std::all_of(
        branch.instructions().begin(), branch.instructions().end(), [](const auto& each) {
          const Family family = each->info().family;
          const bool control = family == Family::kControl && each->opcode() != Opcode::kTuple &&
                               each->opcode() != Opcode::kGetTupleElement &&
                               each->opcode() != Opcode::kParameter;
          return !control && family != Family::kCollective && family != Family::kHost;
        });
  }

  const TargetProfile& profile_;
  const bool uses_f32_;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Module>> mapped_, called_;
  absl::node_hash_map<const Computation*, EnclosedSteps> steps_of_;
  StepMeter meter_;
  GoldenInstructions golden_;
  const RadiusFinder radii_;
  InstructionEncloser encloser_;
  ExcessPrecisionEncloser excess_precision_encloser_;
  const ProcessGrid grid_;
  CollectiveEncloser collectives_;
};

// An argument of the program. Its NaNs are known.
BoxTree Argument(const Literal& value, const TargetProfile& profile) {
  if (value.is_tuple()) {
    std::vector<BoxTree> elements;
    for (const Literal& element : value.elements()) elements.push_back(Argument(element, profile));
    return BoxTree::Tuple(std::move(elements));
  }
  Box box = Box::Point(value);
  LookForDenormals(&box);
  box.given = MarkGivenNans(value, profile);
  return BoxTree::Of(std::move(box));
}

}  // namespace

absl::StatusOr<std::vector<BoxTree>> EncloseProcesses(
    const Module& module, const ProcessGrid& grid, absl::Span<const std::vector<Literal>> arguments,
    const TargetProfile& profile, const RunBudget& budget) {
  if (absl::Status status = CheckGrid(grid); !status.ok()) return status;
  if (static_cast<int64_t>(arguments.size()) != grid.count()) {
    return absl::InvalidArgumentError(absl::StrCat("there are arguments of ", arguments.size(),
                                                   " devices, but ", grid.count(), " run"));
  }
  for (const std::vector<Literal>& of_process : arguments) {
    absl::Status status = CheckArguments(*module.entry(), of_process);
    if (!status.ok()) return status;
  }
  const runtime::FloatEnvironmentGuard guard;
  // Kernels want legal instructions.
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned = PlannedModule::Create(module);
  if (!planned.ok()) return planned.status();
  Team everyone;
  std::vector<std::vector<BoxTree>> values;
  for (const std::vector<Literal>& of_process : arguments) {
    everyone.push_back(static_cast<int64_t>(values.size()));
    values.emplace_back();
    for (const Literal& argument : of_process) values.back().push_back(Argument(argument, profile));
  }
  absl::StatusOr<std::vector<BoxTree>> results =
      Encloser(profile, budget, grid).Run(*module.entry(), everyone, std::move(values), 0);
  if (!results.ok() || !profile.Grants(Freedom::kExcessPrecision)) return results;
  for (BoxTree& result : *results) {
    result = Returned(module.entry()->root()->shape(), profile, result);
  }
  return results;
}

absl::StatusOr<BoxTree> Enclose(const Module& module, absl::Span<const Literal> arguments,
                                const TargetProfile& profile, const RunBudget& budget) {
  if (module.replica_count != 1 || module.num_partitions != 1) {
    return absl::UnimplementedError("no enclosure of one of several devices");
  }
  const std::vector<Literal> of_process(arguments.begin(), arguments.end());
  absl::StatusOr<std::vector<BoxTree>> results =
      EncloseProcesses(module, {1, 1}, {&of_process, 1}, profile, budget);
  if (!results.ok()) return results.status();
  return std::move((*results)[0]);
}

}  // namespace assay::conformance
