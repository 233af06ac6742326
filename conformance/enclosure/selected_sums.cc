#include "conformance/enclosure/selected_sums.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "conformance/enclosure/interval.h"
#include "conformance/judge/bounds.h"
#include "evaluator/kernels/windows.h"
#include "spec/analysis/reducer.h"

namespace assay::conformance {
namespace {

// The rule of selection: the largest or the least value, and the first or the last of equal ones.
struct Selection {
  bool largest = true, first = true;
};

std::optional<Selection> FindSelection(const Computation& select) {
  const Instruction& root = *select.root();
  if (root.opcode() != Opcode::kCompare) return std::nullopt;
  for (int64_t k = 0; k < 2; ++k) {
    const Instruction& operand = *root.operand(k);
    if (operand.opcode() != Opcode::kParameter || operand.parameter_number() != k) {
      return std::nullopt;
    }
  }
  switch (root.GetEnum<ComparisonDirection>(Attr::kDirection)) {
    case ComparisonDirection::kGe:
      return Selection{true, true};
    case ComparisonDirection::kGt:
      return Selection{true, false};
    case ComparisonDirection::kLe:
      return Selection{false, true};
    case ComparisonDirection::kLt:
      return Selection{false, false};
    default:
      return std::nullopt;
  }
}

// The intervals of a box of floats; nullopt where one may be NaN.
std::optional<std::vector<Interval>> NumbersOf(const Box& box) {
  const int64_t count = box.low.element_count();
  std::vector<double> lows(count), highs(count);
  DecodeFloats(box.low.element_type(), box.low.data(), count, lows.data());
  DecodeFloats(box.low.element_type(), box.high.data(), count, highs.data());
  std::vector<Interval> intervals(count);
  for (int64_t i = 0; i < count; ++i) {
    if (std::isnan(lows[i]) || (box.has_nan() && box.nan.Get(i).bits != 0)) return std::nullopt;
    intervals[i] = {lows[i], highs[i]};
  }
  return intervals;
}

// The sums that the cells of the operand may get.
class SelectedSums {
 public:
  SelectedSums(Selection selection, std::vector<Interval> keys, const Interval& start)
      : selection_(selection),
        keys_(std::move(keys)),
        sums_(keys_.size(), start),
        terms_(keys_.size(), start.magnitude() == 0 ? 0.0 : 1.0),
        magnitudes_(keys_.size(), start.magnitude()),
        signs_(keys_.size(), SignsOf(start)) {}

  // Adds a term that is scattered to one of the cells of a window.
  void Scatter(const std::vector<int64_t>& window, const Interval& term) {
    const std::vector<int64_t> candidates = Candidates(window);
    const Interval given = candidates.size() == 1 ? term : Hull(term, Interval::Point(0));
    for (int64_t cell : candidates) {
      sums_[cell] = sums_[cell] + given;
      ++terms_[cell];
      magnitudes_[cell] = std::nextafter(magnitudes_[cell] + given.magnitude(), kInfinity);
      const Signs signs = SignsOf(given);
      signs_[cell] = {signs_[cell].negative || signs.negative,
                      signs_[cell].positive || signs.positive};
    }
  }

  absl::StatusOr<std::vector<Box>> Result(const Instruction& instruction,
                                          const FoldContext& context) const {
    Box box = Box::Point(Literal::Zeros(instruction.shape()));
    Literal sizes = box.low;
    box.high = Literal::Zeros(instruction.shape());
    const ElementType type = instruction.shape().element_type();
    EncodeFloats(type, magnitudes_.data(), Count(), sizes.mutable_data());
    // The radius is that of the exact sums if they are known, otherwise that of the golden sums,
    // which are rounded as well.
    const Reach reach = context.reach_of_facts(sizes, terms_, magnitudes_);
    const bool from_exact = !reach.unrounded.empty();
    std::vector<double> lows(Count()), highs(Count());
    for (int64_t i = 0; i < Count(); ++i) {
      const double low = Put(type, sums_[i].low, i, &box.low);
      const double high = Put(type, sums_[i].high, i, &box.high);
      const double radius = from_exact ? reach.unrounded[i] : reach.radii[i] + std::max(low, high);
      // Sums of terms of one sign have that sign, in any order.
      lows[i] = signs_[i].negative ? sums_[i].low - radius : std::max(0.0, sums_[i].low - radius);
      highs[i] =
          signs_[i].positive ? sums_[i].high + radius : std::min(0.0, sums_[i].high + radius);
      if (std::isfinite(magnitudes_[i])) continue;
      lows[i] = -kInfinity;
      highs[i] = kInfinity;
      box.low.Set(i, Element{});
      box.high.Set(i, Element{});
    }
    JoinRounded(lows, highs, &box);
    return std::vector<Box>{std::move(box)};
  }

 private:
  // The signs that the terms of a cell may have.
  struct Signs {
    bool negative = false, positive = false;
  };
  static Signs SignsOf(const Interval& x) { return {x.low<0, x.high> 0}; }

  int64_t Count() const { return static_cast<int64_t>(keys_.size()); }

  // The cells that may be selected.
  std::vector<int64_t> Candidates(const std::vector<int64_t>& window) const {
    double reach = -kInfinity;  // what the selected one has at least
    for (int64_t cell : window) reach = std::max(reach, Worst(cell));
    std::vector<int64_t> candidates;
    bool known = true;
    for (int64_t cell : window) {
      if (Best(cell) < reach) continue;
      candidates.push_back(cell);
      known = known && Best(cell) == Worst(cell);
    }
    if (!known || candidates.empty()) return candidates;
    return {selection_.first ? candidates.front() : candidates.back()};
  }
  double Best(int64_t cell) const {
    return selection_.largest ? keys_[cell].high : -keys_[cell].low;
  }
  double Worst(int64_t cell) const {
    return selection_.largest ? keys_[cell].low : -keys_[cell].high;
  }

  // Rounds an end to the type; returns how far.
  static double Put(ElementType type, double end, int64_t i, Literal* ends) {
    const uint64_t bits = EncodeFloat(type, end);
    ends->Set(i, Element{bits});
    return std::fabs(DecodeFloat(type, bits) - end);
  }

  const Selection selection_;
  const std::vector<Interval> keys_;
  std::vector<Interval> sums_;
  std::vector<double> terms_, magnitudes_;
  std::vector<Signs> signs_;
};

}  // namespace

absl::StatusOr<std::vector<Box>> EncloseSelectedSums(const Instruction& instruction, Boxes operands,
                                                     const FoldContext& context) {
  const std::optional<Selection> selection =
      FindSelection(*instruction.GetComputation(Attr::kSelect));
  const ElementType type = instruction.shape().element_type();
  if (!selection || !IsFloat(type) || operands[1].low.element_type() != type ||
      analysis::RecogniseReducer(*instruction.GetComputation(Attr::kScatter)).kind !=
          analysis::ReducerKind::kAdd) {
    return AnythingOf(instruction);
  }
  std::optional<std::vector<Interval>> keys = NumbersOf(operands[0]);
  const std::optional<std::vector<Interval>> terms = NumbersOf(operands[1]);
  const std::optional<std::vector<Interval>> start = NumbersOf(operands[2]);
  if (!keys || !terms || !start) return AnythingOf(instruction);
  SelectedSums sums(*selection, *std::move(keys), start->front());
  const evaluator::kernels::WindowGrid grid(instruction.shape(), operands[1].shape(),
                                            instruction.window());
  if (grid.output_count() > 0) {
    evaluator::kernels::WindowGrid::Walk walk(grid);
    std::vector<int64_t> window;
    do {
      window.clear();
      absl::Status status = walk.ForEachCell([&](int64_t cell) {
        window.push_back(cell);
        return absl::OkStatus();
      });
      if (!status.ok()) return status;
      sums.Scatter(window, (*terms)[walk.output()]);
    } while (walk.Next());
  }
  return sums.Result(instruction, context);
}

}  // namespace assay::conformance
