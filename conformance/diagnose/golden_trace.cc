#include "conformance/diagnose/golden_trace.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/engine_backend.h"
#include "conformance/diagnose/subgraphs.h"
#include "runtime/module_form.h"
#include "spec/analysis/effects.h"
#include "spec/analysis/isolate.h"

namespace assay::conformance {
namespace {

using RunCounts = absl::flat_hash_map<const Computation*, int64_t>;

// Sees the first process alone.
class FirstProcessObserver : public Observer {
 public:
  void Enter(const ProcessId& process) override { is_first_ = process == ProcessId{}; }

 protected:
  bool is_first() const { return is_first_; }

 private:
  bool is_first_ = true;
};

// How often each computation runs.
class Counter : public FirstProcessObserver {
 public:
  absl::Status After(const Instruction& instruction, int64_t, const Literal&) override {
    const Computation* computation = instruction.parent();
    if (is_first() && &instruction == computation->root()) ++counts_[computation];
    return absl::OkStatus();
  }
  RunCounts Take() { return std::move(counts_); }

 private:
  RunCounts counts_;
};

// Whether an iteration is among those that are asked: as many as wanted, evenly from the first to
// the last.
bool IsAsked(int64_t iteration, int64_t runs, int64_t wanted) {
  if (iteration == 1 || runs <= wanted) return iteration == 1 || wanted > 1;
  if (wanted == 1) return false;
  // The place nearest below; each lies at 1 + i * (runs - 1) / (wanted - 1), rounded down.
  const int64_t i = ((iteration - 1) * (wanted - 1) + runs - 2) / (runs - 1);
  return i < wanted && 1 + i * (runs - 1) / (wanted - 1) == iteration;
}

class Tracer : public FirstProcessObserver {
 public:
  Tracer(const TraceDepth& depth, RunCounts counts, const SeeExcerpt& see)
      : depth_(depth), counts_(std::move(counts)), see_(see) {}

  absl::Status After(const Instruction& instruction, int64_t, const Literal& value) override {
    if (!is_first()) return absl::OkStatus();
    const int64_t iteration = ++runs_[&instruction];
    const auto counted = counts_.find(instruction.parent());
    if (!IsAsked(iteration, counted == counts_.end() ? 1 : counted->second, depth_.iterations)) {
      return absl::OkStatus();
    }
    Prepare(*instruction.parent());
    const auto uses = uses_.find(&instruction);
    if (uses != uses_.end()) values_[&instruction] = {value, uses->second};
    absl::Status status = ShowAlone(instruction, iteration, value);
    if (status.ok()) status = ShowGroups(instruction, iteration);
    for (const Instruction* operand : instruction.operands()) Release(operand);
    return status;
  }

 private:
  // A value until the last that takes it has been shown.
  struct Kept {
    Literal value;
    int64_t uses = 0;
  };
  struct Group {
    Subgraph subgraph;
    std::vector<const Instruction*> operands;
    std::shared_ptr<const Module> module;
    int64_t iteration = 0;  // that is being seen
    int64_t missing = 0;    // members that have not run in it
  };

  // Once for each computation: what is taken from it, and how often.
  void Prepare(const Computation& computation) {
    const auto [place, is_new] = groups_.try_emplace(&computation);
    if (!is_new) return;
    for (const auto& each : computation.instructions()) {
      for (const Instruction* operand : each->operands()) ++uses_[operand];
    }
    for (Subgraph& subgraph : FindSubgraphs(computation, depth_.subgraphs)) {
      analysis::IsolatedGroup isolated = analysis::IsolateGroup(subgraph.members, subgraph.results);
      for (const Instruction* operand : isolated.operands) ++uses_[operand];
      for (const Instruction* result : subgraph.results) ++uses_[result];
      auto group = std::make_unique<Group>();
      group->subgraph = std::move(subgraph);
      group->operands = std::move(isolated.operands);
      group->module = std::move(isolated.module);
      for (const Instruction* member : group->subgraph.members) {
        groups_of_[member].push_back(group.get());
      }
      place->second.push_back(std::move(group));
    }
  }

  absl::Status ShowAlone(const Instruction& instruction, int64_t iteration, const Literal& value) {
    if (!evaluator::HasDefinition(instruction.opcode()) || instruction.operand_count() == 0 ||
        analysis::HasDynamicSizes(instruction)) {
      return absl::OkStatus();
    }
    Excerpt excerpt;
    excerpt.members = {&instruction};
    excerpt.iteration = iteration;
    std::shared_ptr<const Module>& module = alone_[&instruction];
    if (module == nullptr) module = analysis::IsolateInstruction(instruction);
    excerpt.module = module;
    for (const Instruction* operand : instruction.operands()) {
      excerpt.arguments.push_back(values_.at(operand).value);
    }
    excerpt.golden = value;
    return see_(std::move(excerpt));
  }

  absl::Status ShowGroups(const Instruction& instruction, int64_t iteration) {
    const auto groups = groups_of_.find(&instruction);
    if (groups == groups_of_.end()) return absl::OkStatus();
    for (Group* group : groups->second) {
      if (group->iteration != iteration) {  // an unused member may not have run in the last
        group->iteration = iteration;
        group->missing = static_cast<int64_t>(group->subgraph.members.size());
      }
      if (--group->missing > 0) continue;
      const absl::Status status = see_(ExcerptOf(*group));
      if (!status.ok()) return status;
      for (const Instruction* operand : group->operands) Release(operand);
      for (const Instruction* result : group->subgraph.results) Release(result);
    }
    return absl::OkStatus();
  }

  Excerpt ExcerptOf(const Group& group) const {
    Excerpt excerpt;
    excerpt.members = group.subgraph.members;
    excerpt.iteration = group.iteration;
    excerpt.module = group.module;
    for (const Instruction* operand : group.operands) {
      excerpt.arguments.push_back(values_.at(operand).value);
    }
    std::vector<Literal> results;
    for (const Instruction* result : group.subgraph.results) {
      results.push_back(values_.at(result).value);
    }
    excerpt.golden =
        results.size() == 1 ? std::move(results.front()) : Literal::Tuple(std::move(results));
    return excerpt;
  }

  void Release(const Instruction* instruction) {
    const auto kept = values_.find(instruction);
    if (kept != values_.end() && --kept->second.uses == 0) values_.erase(kept);
  }

  const TraceDepth depth_;
  const RunCounts counts_;
  const SeeExcerpt& see_;
  absl::flat_hash_map<const Instruction*, int64_t> runs_;
  absl::flat_hash_map<const Instruction*, Kept> values_;
  absl::flat_hash_map<const Instruction*, int64_t> uses_;  // in the computations prepared
  absl::flat_hash_map<const Instruction*, std::shared_ptr<const Module>> alone_;
  absl::flat_hash_map<const Computation*, std::vector<std::unique_ptr<Group>>> groups_;
  absl::flat_hash_map<const Instruction*, std::vector<Group*>> groups_of_;
};

}  // namespace

absl::Status CheckDepth(const TraceDepth& depth) {
  if (depth.iterations < 1 || depth.iterations > kMostIterations) {
    return absl::InvalidArgumentError(absl::StrCat(depth.iterations, " iterations: from 1 to ",
                                                   kMostIterations, " can be asked"));
  }
  if (depth.subgraphs != 0 && (depth.subgraphs < 2 || depth.subgraphs > kMostMembers)) {
    return absl::InvalidArgumentError(absl::StrCat("subgraphs of ", depth.subgraphs,
                                                   " instructions: 0 for none, or from 2 to ",
                                                   kMostMembers));
  }
  return absl::OkStatus();
}

std::string Excerpt::Name() const {
  const std::string names = absl::StrJoin(
      members, "+",
      [](std::string* out, const Instruction* member) { absl::StrAppend(out, member->name()); });
  return iteration == 1 ? names : absl::StrCat(names, "@", iteration);
}

absl::StatusOr<std::vector<DeviceOutputs>> TraceGolden(const Module& module,
                                                       absl::Span<const DeviceInputs> inputs,
                                                       PlanOptions plan, const RunBudget& budget,
                                                       const TraceDepth& depth,
                                                       const SeeExcerpt& see) {
  plan.observed = true;
  plan.seconds = budget.seconds;
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned = PlannedModule::Create(module, plan);
  if (!planned.ok()) return planned.status();
  absl::StatusOr<runtime::ProcessPlan> processes = runtime::PlanProcesses(module);
  if (!processes.ok()) return processes.status();
  const auto run = [&](Observer* observer) {
    RunOptions options;
    options.budget = budget;
    options.observers.push_back(observer);
    return RunWithQueues((*planned)->plan(), *processes, inputs, std::move(options));
  };
  Counter counter;
  if (depth.iterations > 1 && module.computations().size() > 1) {
    const auto counted = run(&counter);
    if (!counted.ok()) return counted.status();
  }
  Tracer tracer(depth, counter.Take(), see);
  return run(&tracer);
}

}  // namespace assay::conformance
