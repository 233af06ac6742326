#include "conformance/runner/executions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/inputs/input_needs.h"
#include "spec/analysis/effects.h"

namespace assay::conformance {
namespace {

// An odd number that is far from the seeds of cases.
constexpr uint64_t kOtherSeed = 0x5EEDB;

Literal Reversed(const Literal& array) {
  Literal reversed = array;
  const int64_t count = array.element_count();
  for (int64_t i = 0; i < count; ++i) reversed.Set(i, array.Get(count - 1 - i));
  return reversed;
}

bool HasSeed(ValueProfile profile) { return absl::StrContains(Info(profile).parameters, "seed"); }

// Changes the elements of an array. If `may_move` is true, their order may change.
void MakeOther(bool may_move, CaseArray* array) {
  if (!array->literal && HasSeed(array->use.profile)) {
    array->use.seed += kOtherSeed;
    return;
  }
  if (!may_move || array->shape.rank() == 0) return;
  if (!array->literal) {
    absl::StatusOr<Literal> made = MakeValues(array->use, array->shape);
    if (!made.ok()) return;
    array->literal = *std::move(made);
  }
  array->literal = Reversed(*array->literal);
}

// Returns the needs of each array, in the order of the leaves of all parameters.
std::vector<InputNeeds> NeedsOfArrays(const Module& module) {
  std::vector<InputNeeds> needs;
  const std::vector<std::vector<InputNeeds>> by_parameter = FindInputNeeds(module);
  for (size_t p = 0; p < by_parameter.size(); ++p) {
    const std::vector<const Shape*> leaves = Leaves(module.entry()->parameters()[p]->shape());
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      if (leaves[leaf]->is_array()) needs.push_back(by_parameter[p][leaf]);
    }
  }
  return needs;
}

bool SameBits(const std::vector<Literal>& a, const std::vector<Literal>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), Literal::BitEqual);
}

bool SameBits(const std::vector<DeviceOutputs>& a, const std::vector<DeviceOutputs>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const DeviceOutputs& left, const DeviceOutputs& right) {
                      return Literal::BitEqual(left.result, right.result) &&
                             SameBits(left.outfeed, right.outfeed);
                    });
}

}  // namespace

bool IsExecutedAgain(absl::string_view id, Again again) {
  if (again != Again::kEighth) return again == Again::kAll;
  // This hash differs from that of shards, so that every shard has an eighth of its cases.
  const char last = HashOf(absl::StrCat("again/", id)).back();
  return last == '0' || last == '8';
}

CorpusCase WithOtherArguments(const CorpusCase& corpus_case, const Module& module) {
  CorpusCase other = corpus_case;
  const std::vector<InputNeeds> needs = NeedsOfArrays(module);
  for (CaseArray& array : other.inputs) {
    const auto number = static_cast<size_t>(array.number);
    const bool known = number < needs.size();
    const bool is_index =
        known && (needs[number].low || needs[number].high || needs[number].ragged_use != nullptr);
    MakeOther(known && !is_index, &array);
  }
  for (CaseArray& array : other.infeed) MakeOther(/*may_move=*/true, &array);
  return other;
}

std::vector<size_t> OrderOfExecutions(const Probe& probe, int repeat, bool again) {
  std::vector<size_t> order(static_cast<size_t>(std::max(repeat, 1)), 0);
  if (!again || !probe.name.empty() || analysis::UsesRandomState(*probe.module)) return order;
  if (!probe.other_inputs.empty()) order.push_back(1);
  order.push_back(0);
  return order;
}

InputSets SetsOf(const Probe& probe, std::vector<size_t> order) {
  InputSets sets;
  sets.sets.emplace_back(probe.inputs);
  if (std::find(order.begin(), order.end(), 1) != order.end()) {
    sets.sets.emplace_back(probe.other_inputs);
  }
  sets.order = std::move(order);
  return sets;
}

absl::StatusOr<ExecutionsJudgement> JudgeExecutions(const Probe& probe, const ModuleRun& run,
                                                    absl::Span<const size_t> order, int repeat,
                                                    const TargetProfile& profile,
                                                    const RunBudget& budget) {
  absl::StatusOr<Judgement> first = JudgeProbe(probe, run.outputs.front(), profile, budget);
  if (!first.ok()) return first.status();
  ExecutionsJudgement judged{*std::move(first), 1, false};
  std::optional<Probe> other;  // the sub-test with the other arguments
  for (auto i = static_cast<size_t>(std::max(repeat, 1)); i < order.size(); ++i) {
    if (judged.judgement.verdict == Verdict::kWrong) return judged;
    const size_t same =
        static_cast<size_t>(std::find(order.begin(), order.end(), order[i]) - order.begin());
    if (same < i && SameBits(run.outputs[same], run.outputs[i])) continue;
    if (order[i] == 1 && !other) {
      other = Probe{probe.name,
                    probe.source,
                    probe.subgraph,
                    probe.module,
                    probe.other_inputs,
                    probe.other_golden,
                    {},
                    {}};
    }
    absl::StatusOr<Judgement> own =
        JudgeProbe(order[i] == 1 ? *other : probe, run.outputs[i], profile, budget);
    if (absl::IsResourceExhausted(own.status())) continue;
    if (!own.ok()) return own.status();
    if (own->verdict != Verdict::kWrong) continue;
    judged = {*std::move(own), static_cast<int64_t>(i) + 1, order[i] == 1};
  }
  return judged;
}

}  // namespace assay::conformance
