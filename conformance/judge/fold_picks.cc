// Folds that select one of their elements may return any of equal ones, since their order is open
// (structural 5.1). Denormals are equal if the profile lets them count as zero.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "conformance/judge/freedoms.h"
#include "conformance/judge/order_freedoms.h"
#include "spec/analysis/reducer.h"

namespace assay::conformance {
namespace {

// Returns, for each cell, the items that the region gives for the pair in both orders.
absl::StatusOr<std::vector<Literal>> TakePairs(const Subject& subject,
                                               const std::vector<int64_t>& cells,
                                               const std::vector<Literal>& first,
                                               const std::vector<Literal>& second) {
  const auto count = static_cast<int64_t>(cells.size());
  std::vector<Literal> arguments;
  for (const std::vector<Literal>* items : {&first, &second}) {
    for (const Literal& array : *items) {
      Literal& argument =
          arguments.emplace_back(Literal::Zeros(Shape(array.element_type(), {count})));
      for (int64_t i = 0; i < count; ++i) argument.Set(i, array.Get(cells[i]));
    }
  }
  std::vector<Literal> taken;
  for (size_t k = 0; k < first.size(); ++k) {
    absl::StatusOr<Literal> leaf = MapOver(subject, *subject.instruction.to_apply(), arguments, k);
    if (!leaf.ok()) return leaf.status();
    taken.push_back(*std::move(leaf));
  }
  return taken;
}

// Returns the items with zeros in place of the denormals that the target may flush.
std::vector<Literal> Flushed(std::vector<Literal> items, const TargetProfile& profile) {
  for (Literal& array : items) {
    if (profile.MayFlushOperands(array.element_type())) array = FlushDenormals(array);
  }
  return items;
}

// A cell whose actual item is one of those that are folded into it, and not the golden one.
struct OtherPick {
  int64_t cell = 0;
  bool has_nan = false;  // among what is folded into it
};

std::vector<OtherPick> FindOtherPicks(const Subject& subject, const std::vector<Literal>& golden,
                                      const std::vector<Literal>& actual) {
  const size_t arrays = subject.operands.size() / 2;
  const auto inputs = subject.operands.subspan(0, arrays),
             starts = subject.operands.subspan(arrays);
  std::vector<Item> items;  // the actual ones
  std::vector<bool> differs;
  for (int64_t cell = 0; cell < golden[0].element_count(); ++cell) {
    items.push_back(ItemAt(actual, cell));
    differs.push_back(items.back() != ItemAt(golden, cell));
  }
  const bool start_is_nan = std::any_of(
      starts.begin(), starts.end(), [](const Literal& start) { return IsNanElement(start, 0); });
  const Item start = ItemAt(starts, 0);
  std::vector<bool> picked(items.size(), false), has_nan(items.size(), start_is_nan);
  ForEachFolded(subject.instruction, inputs[0].shape(), golden[0].shape(),
                [&](int64_t cell, int64_t i) {
                  if (!differs[cell]) return;
                  for (const Literal& input : inputs) {
                    if (IsNanElement(input, i)) has_nan[cell] = true;
                  }
                  if (items[cell] == start || items[cell] == ItemAt(inputs, i)) picked[cell] = true;
                });
  std::vector<OtherPick> others;
  for (size_t cell = 0; cell < items.size(); ++cell) {
    if (picked[cell]) others.push_back({static_cast<int64_t>(cell), has_nan[cell]});
  }
  return others;
}

}  // namespace

bool Picks(const Computation& region) {
  const bool compares =
      std::all_of(region.instructions().begin(), region.instructions().end(), [](const auto& step) {
        switch (step->opcode()) {
          case Opcode::kParameter:
          case Opcode::kConstant:
          case Opcode::kCompare:
          case Opcode::kSelect:
          case Opcode::kAnd:
          case Opcode::kOr:
          case Opcode::kNot:
          case Opcode::kTuple:
          case Opcode::kMinimum:
          case Opcode::kMaximum:
            return true;
          default:
            return false;
        }
      });
  // The region must return an element that it was given, not one that it computes, such as a
  // constant.
  const Instruction& root = *region.root();
  std::vector<const Instruction*> given = {&root};
  if (root.opcode() == Opcode::kTuple) given.assign(root.operands().begin(), root.operands().end());
  absl::flat_hash_set<const Instruction*> seen;
  while (compares && !given.empty()) {
    const Instruction* step = given.back();
    given.pop_back();
    if (!seen.insert(step).second || step->opcode() == Opcode::kParameter) continue;
    const bool chooses = step->opcode() == Opcode::kSelect;
    if (!chooses && step->opcode() != Opcode::kMinimum && step->opcode() != Opcode::kMaximum) {
      return false;
    }
    given.push_back(step->operand(chooses ? 2 : 0));
    given.push_back(step->operand(1));
  }
  return compares;
}

// Results of a fold that are together one of the elements or the start value, if the region takes
// it before the golden one or after it: the index of any of the equal values that an argmin or
// argmax does not tell apart (5.1). One that prefers the least index does. Comparisons with a NaN
// are not an order, and those of denormals may be comparisons of zeros.
absl::StatusOr<OrderFreedoms> FindPicks(const Subject& subject, const std::vector<Literal>& golden,
                                        const std::vector<Literal>& actual) {
  OrderFreedoms found(Freedom::kReassociation, golden);
  found.reason = "its own reducer does not order the NaNs that are folded";
  const std::vector<OtherPick> picks = FindOtherPicks(subject, golden, actual);
  if (picks.empty()) return found;
  const Computation& region = *subject.instruction.to_apply();
  const bool orders_nans = OrdersNans(region) ||
                           analysis::RecogniseReducer(region).kind != analysis::ReducerKind::kOther;
  std::vector<int64_t> cells;
  for (const OtherPick& pick : picks) {
    cells.push_back(pick.cell);
    if (!pick.has_nan || orders_nans) continue;
    for (std::vector<Verdict>& leaf : found.verdicts) leaf[pick.cell] = Verdict::kNotJudgeable;
  }
  // Marks the cells in which the region selects the actual item.
  const auto take = [&](const std::vector<Literal>& wanted, const std::vector<Literal>& got,
                        bool by_denormals) {
    for (const bool wanted_first : {true, false}) {
      const absl::StatusOr<std::vector<Literal>> taken =
          wanted_first ? TakePairs(subject, cells, wanted, got)
                       : TakePairs(subject, cells, got, wanted);
      if (!taken.ok()) return taken.status();
      for (size_t k = 0; k < cells.size(); ++k) {
        if (ItemAt(*taken, static_cast<int64_t>(k)) != ItemAt(got, cells[k])) continue;
        found.Allow(cells[k], by_denormals);
      }
    }
    return absl::OkStatus();
  };
  const bool flushes = std::any_of(golden.begin(), golden.end(), [&](const Literal& leaf) {
    return subject.profile.MayFlushOperands(leaf.element_type());
  });
  if (flushes) {
    const absl::Status status =
        take(Flushed(golden, subject.profile), Flushed(actual, subject.profile), true);
    if (!status.ok()) return status;
  }
  if (absl::Status status = take(golden, actual, false); !status.ok()) return status;
  return found;
}

}  // namespace assay::conformance
