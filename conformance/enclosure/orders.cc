#include "conformance/enclosure/orders.h"

#include <algorithm>
#include <set>
#include <utility>

#include "conformance/judge/order_freedoms.h"
#include "spec/analysis/reducer.h"

namespace assay::conformance {
namespace {

// Evaluates golden at both ends and returns a box for each leaf.
absl::StatusOr<std::vector<Box>> AtBothEnds(Boxes operands, const EvaluateAlone& evaluate) {
  std::vector<Literal> lows, highs;
  for (const Box& operand : operands) {
    lows.push_back(operand.low);
    highs.push_back(operand.high);
  }
  absl::StatusOr<Literal> low = evaluate(lows);
  if (!low.ok()) return low.status();
  absl::StatusOr<Literal> high = evaluate(highs);
  if (!high.ok()) return high.status();
  const std::vector<Literal> low_leaves = Flatten(*low), high_leaves = Flatten(*high);
  std::vector<Box> boxes;
  for (size_t leaf = 0; leaf < low_leaves.size(); ++leaf) {
    boxes.push_back(HullOfCorners(low_leaves[leaf], high_leaves[leaf]));
  }
  return boxes;
}

// Returns true if no two intervals of the line intersect.
bool LiesApart(const Box& keys, const Lines& lines, int64_t line) {
  const Line order(keys.low.element_type());
  std::vector<std::pair<int64_t, int64_t>> intervals;
  for (int64_t k = 0; k < lines.length; ++k) {
    const int64_t i = lines.At(line, k);
    const uint64_t low = keys.low.Get(i).bits, high = keys.high.Get(i).bits;
    if (order.IsNan(low) || (keys.has_nan() && keys.nan.Get(i).bits != 0)) return false;
    intervals.emplace_back(order.Ordinal(low), order.Ordinal(high));
  }
  std::sort(intervals.begin(), intervals.end());
  for (size_t k = 1; k < intervals.size(); ++k) {
    if (intervals[k].first <= intervals[k - 1].second) return false;
    // Most comparisons take the two zeros for one value.
    if (order.is_float() && intervals[k].first == 0 && intervals[k - 1].second == -1) return false;
  }
  return true;
}

// Returns true if a comparator only compares and selects.
bool OnlyCompares(const Computation& comparator) {
  return std::all_of(comparator.instructions().begin(), comparator.instructions().end(),
                     [](const auto& step) {
                       switch (step->opcode()) {
                         case Opcode::kParameter:
                         case Opcode::kConstant:
                         case Opcode::kCompare:
                         case Opcode::kSelect:
                         case Opcode::kOr:
                         case Opcode::kAnd:
                           return true;
                         default:
                           return false;
                       }
                     });
}

// Makes the elements of a line unconstrained.
void Unconstrain(const Instruction& instruction, const Lines& lines, int64_t line, Box* box) {
  const Box anything = Box::Anything(box->shape(), &instruction);
  const bool floats = anything.has_nan();
  for (int64_t k = 0; k < lines.length; ++k) {
    const int64_t i = lines.At(line, k);
    box->low.Set(i, anything.low.Get(i));
    box->high.Set(i, anything.high.Get(i));
    if (!floats) continue;
    if (!box->has_nan()) box->nan = Literal::Zeros(box->shape());
    box->nan.Set(i, anything.nan.Get(i));
  }
  box->open = &instruction;
}

}  // namespace

absl::StatusOr<std::vector<Box>> EncloseSort(const Instruction& instruction, Boxes operands,
                                             const EvaluateAlone& evaluate) {
  if (!OnlyCompares(*instruction.to_apply())) return AnythingOf(instruction);
  const std::set<int64_t> keys = KeysOf(*instruction.to_apply());
  const bool keys_known =
      std::all_of(keys.begin(), keys.end(), [&](int64_t key) { return operands[key].is_point(); });
  if (!keys_known && (keys.size() != 1 || IsComplex(operands[*keys.begin()].low.element_type()))) {
    return AnythingOf(instruction);
  }
  for (const Box& operand : operands) {
    if (operand.has_nan()) return AnythingOf(instruction);
  }
  absl::StatusOr<std::vector<Box>> sorted = AtBothEnds(operands, evaluate);
  if (!sorted.ok() || keys_known) return sorted;
  const int64_t key = *keys.begin();
  const Lines lines(operands[key].shape(), instruction.GetInt(Attr::kDimension));
  for (int64_t line = 0; line < lines.count; ++line) {
    if (LiesApart(operands[key], lines, line)) continue;
    for (size_t leaf = 0; leaf < sorted->size(); ++leaf) {
      if (static_cast<int64_t>(leaf) != key)
        Unconstrain(instruction, lines, line, &(*sorted)[leaf]);
    }
  }
  return sorted;
}

absl::StatusOr<std::vector<Box>> EncloseTopK(const Instruction& instruction, Boxes operands,
                                             const EvaluateAlone& evaluate) {
  if (operands[0].has_nan()) return AnythingOf(instruction);
  absl::StatusOr<std::vector<Box>> top = AtBothEnds(operands, evaluate);
  if (!top.ok()) return top;
  const int64_t last = operands[0].shape().rank() - 1;
  const Lines lines(operands[0].shape(), last);
  const Lines chosen((*top)[0].shape(), last);
  for (int64_t line = 0; line < lines.count; ++line) {
    if (!LiesApart(operands[0], lines, line)) Unconstrain(instruction, chosen, line, &(*top)[1]);
  }
  return top;
}

namespace {

// The number of the result's element in which each element of an operand is reduced.
std::vector<int64_t> CellsOf(const Instruction& reduce, const Shape& shape) {
  std::vector<bool> reduced(shape.rank(), false);
  for (int64_t d : reduce.GetInts(Attr::kDimensions)) reduced[d] = true;
  std::vector<int64_t> cells(shape.element_count());
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    int64_t scale = 1, rest = i;
    for (int64_t d = shape.rank() - 1; d >= 0; --d) {
      if (!reduced[d]) {
        cells[i] += scale * (rest % shape.dimension(d));
        scale *= shape.dimension(d);
      }
      rest /= shape.dimension(d);
    }
  }
  return cells;
}

// The cells in which the place of the extreme element is not known: another element than the one
// whose worst end is the best of all may reach that end.
std::vector<bool> UndecidedCells(const Box& values, absl::Span<const int64_t> cell_of,
                                 int64_t cells, bool maximum) {
  const Line order(values.shape().element_type());
  const Literal& worst_ends = maximum ? values.low : values.high;
  const Literal& best_ends = maximum ? values.high : values.low;
  std::vector<int64_t> winner(cells, -1), reach(cells, 0);
  std::vector<bool> undecided(cells, false);
  const int sign = maximum ? 1 : -1;
  const int64_t count = values.low.element_count();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t cell = cell_of[i];
    const uint64_t worst = worst_ends.Get(i).bits;
    if (order.IsNan(worst)) {
      undecided[cell] = true;
      continue;
    }
    const int64_t ordinal = sign * order.Ordinal(worst);
    if (winner[cell] < 0 || ordinal > reach[cell]) {
      winner[cell] = i;
      reach[cell] = ordinal;
    }
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t cell = cell_of[i];
    if (undecided[cell] || winner[cell] == i) continue;
    // The first one of equal known values wins.
    if (values.low.Get(i) == values.high.Get(i) &&
        values.low.Get(winner[cell]) == values.high.Get(winner[cell])) {
      continue;
    }
    if (sign * order.Ordinal(best_ends.Get(i).bits) + 1 >= reach[cell]) undecided[cell] = true;
  }
  return undecided;
}

}  // namespace

absl::StatusOr<std::vector<Box>> EncloseExtremePlaces(const Instruction& instruction,
                                                      Boxes operands,
                                                      const EvaluateAlone& evaluate) {
  const Box& values = operands[0];
  if (values.has_nan() || !operands[1].is_point() || !operands[2].is_point()) {
    return AnythingOf(instruction);
  }
  absl::StatusOr<std::vector<Box>> extremes = AtBothEnds(operands, evaluate);
  if (!extremes.ok()) return extremes;
  const bool maximum = analysis::RecogniseReducer(*instruction.to_apply()).kind ==
                       analysis::ReducerKind::kArgMaximum;
  const int64_t cells = (*extremes)[0].low.element_count();
  const std::vector<bool> undecided =
      UndecidedCells(values, CellsOf(instruction, values.shape()), cells, maximum);
  for (int64_t cell = 0; cell < cells; ++cell) {
    if (!undecided[cell]) continue;
    Box& places = (*extremes)[1];
    const Box anything = Box::Anything(places.shape(), &instruction);
    places.low.Set(cell, anything.low.Get(cell));
    places.high.Set(cell, anything.high.Get(cell));
    places.open = &instruction;
  }
  return extremes;
}

}  // namespace assay::conformance
