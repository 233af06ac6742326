#include "conformance/enclosure/elementwise.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "conformance/enclosure/complex_boxes.h"
#include "conformance/enclosure/interval.h"
#include "conformance/enclosure/word_loops.h"
#include "spec/elementwise_info.h"

namespace assay::conformance {
namespace {

// On lines with a negative zero, which all types with loops have (AnyLiesIn).
constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
constexpr EndsRegion kAtZero{0, -1};          // zero is inside
constexpr EndsRegion kNotPositive{0, -kEnd};  // and below

// The intervals of an array of floats as doubles, which hold every float, decoded once; that of one
// element stands for all.
class Ranges {
 public:
  explicit Ranges(const Box& box)
      : lows_(box.low.element_count()), highs_(lows_.size()), single_(lows_.size() == 1) {
    const ElementType type = box.low.element_type();
    DecodeFloats(type, box.low.data(), box.low.element_count(), lows_.data());
    DecodeFloats(type, box.high.data(), box.low.element_count(), highs_.data());
  }
  Interval operator[](int64_t element) const {
    const int64_t i = single_ ? 0 : element;
    return {lows_[i], highs_[i]};
  }

 private:
  std::vector<double> lows_, highs_;
  bool single_;
};

bool IsCertain(const Box& box, int64_t element) {
  const int64_t i = box.low.element_count() == 1 ? 0 : element;
  return box.low.Get(i) == box.high.Get(i) && (!box.has_nan() || box.nan.Get(i) == Element{});
}

bool MayBeNan(const Box& box, int64_t element) {
  const int64_t i = box.low.element_count() == 1 ? 0 : element;
  const ElementType type = box.low.element_type();
  if (!IsFloat(type)) return false;
  return IsNan(type, box.low.Get(i).bits) || (box.has_nan() && !(box.nan.Get(i) == Element{}));
}

class Elementwise {
 public:
  Elementwise(const Instruction& instruction, Boxes operands, const EvaluateAt& evaluate)
      : instruction_(instruction),
        info_(FindElementwise(instruction.opcode())),
        operands_(operands),
        evaluate_(evaluate) {}

  absl::Status Enclose(Box* box) {
    const ElementType type = operands_[0].low.element_type();
    switch (info_ == nullptr ? IntervalRule::kFunction : info_->interval) {
      case IntervalRule::kChoice:
        return Select(box);
      case IntervalRule::kComparison:
        return IsFloat(type) ? Compare(box) : Discrete(box);
      case IntervalRule::kFiniteness:
        return IsFinite(box);
      case IntervalRule::kLogic:
        return IsPred(type) ? Corners(BothEnds(), box) : Discrete(box);
      case IntervalRule::kOrder:
        return IsComplex(type) ? Complex(box) : Real(box);
      case IntervalRule::kFunction:
        if (IsComplex(type)) return Complex(box);
        return IsFloat(type) ? Real(box) : Discrete(box);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Complex(Box* box) {
    bool meets = true;
    absl::Status status;
    switch (instruction_.opcode()) {
      case Opcode::kAdd:
        status = Corners(BothEnds(), box);
        break;
      case Opcode::kReal:
      case Opcode::kImag:
        status = Corners(BothEnds(), box);
        meets = false;
        break;
      case Opcode::kNegate:
      case Opcode::kSubtract:
        status = Corners(AllCorners(), box);
        break;
      default:
        return ComplexByFormula(box);
    }
    if (!status.ok()) return status;
    if (meets) AddNansOfInfinities(box);
    KeepNans(box);
    return absl::OkStatus();
  }

  absl::Status ComplexByFormula(Box* box) {
    const ComplexFunction function = FindComplexFunction(instruction_);
    if (!function) {
      *box = Box::Anything(instruction_.shape(), &instruction_);
      return absl::OkStatus();
    }
    absl::Status status = AtLows(box);
    if (status.ok()) *box = EncloseComplex(function, operands_, std::move(box->low));
    return status;
  }

  absl::Status Real(Box* box) {
    const Opcode opcode = instruction_.opcode();
    Course course = info_ == nullptr ? Course::kOther : info_->course;
    // The square of one value is no product of two.
    const bool square =
        opcode == Opcode::kMultiply && instruction_.operand(0) == instruction_.operand(1);
    if (square) course = Course::kEven;
    const bool ends = course == Course::kRising || course == Course::kFalling ||
                      course == Course::kEven || operands_.size() == 1;
    Extent extent;
    absl::Status status = Corners(ends ? BothEnds() : RealCorners(), box, &extent);
    if (!status.ok()) return status;
    if (opcode != Opcode::kComplex && extent.nan) UnconstrainNanEnds(box);
    if (course == Course::kEven) JoinTurningPoint(square ? 0.0 : ValueAtZero(), box);
    const bool meets = opcode == Opcode::kAdd || opcode == Opcode::kSubtract ||
                       (opcode == Opcode::kMultiply && !square);
    if (meets && extent.is_unbounded(*box)) AddNansOfInfinities(box);
    if (course == Course::kByCorners || course == Course::kOther) MindSingularities(box);
    KeepNans(box);
    if (!IsFloat(box->low.element_type())) UnconstrainNans(box);
    if (opcode == Opcode::kConvert) MindWraps(box);
    return absl::OkStatus();
  }

  // NaN at every corner is NaN for certain where nothing is open or an operand is NaN. Elsewhere
  // there may be numbers between the corners: beyond both ends of what a function is defined on, of
  // zero times infinity, where the type overflows to NaN.
  bool LetsGoOfNan(int64_t element) const {
    bool certain = true, nan = false;
    for (const Box& operand : operands_) {
      certain = certain && IsCertain(operand, element);
      nan = nan || IsNanForCertain(operand, element);
    }
    // NaN to the power of zero is one.
    return !certain && (!nan || instruction_.opcode() == Opcode::kPower);
  }
  void UnconstrainNanEnds(Box* box) const {
    UnconstrainWhere(
        [&](const auto& line, Place place, const Ends& ends) {
          return line.is_float() && line.IsNan(ends.low) && LetsGoOfNan(place.element);
        },
        box);
  }

  // A NaN that is converted to an integer has no bounds, so the element is unconstrained.
  void UnconstrainNans(Box* box) const {
    if (!operands_[0].has_nan()) return;
    UnconstrainWhere([&](const auto&, Place place,
                         const Ends&) { return MayBeNan(operands_[0], place.element); },
                     box);
  }

  // Conversions that do not rise: to pred, which asks for zero, and between integers where an end
  // does not fit.
  void MindWraps(Box* box) const {
    const ElementType from = operands_[0].low.element_type(), to = box->low.element_type();
    if (IsFloat(to) || IsComplex(to) || (IsFloat(from) && !IsPred(to))) return;
    const Line source(from);
    const int64_t zero = source.Ordinal(0);
    // The negative zero lies below.
    const int64_t least_zero = source.is_float() && source.signed_zero() ? zero - 1 : zero;
    UnconstrainWhere(
        [&](const auto&, Place place, const Ends&) {
          const int64_t i = place.element;
          const uint64_t low = operands_[0].low.Get(i).bits, high = operands_[0].high.Get(i).bits;
          if (low == high) return false;
          const bool rises = IsPred(to)
                                 ? source.Ordinal(low) > zero || source.Ordinal(high) < least_zero
                                 : Fits(from, low, to) && Fits(from, high, to);
          return !rises;
        },
        box);
  }

  // Returns true if an integer type has the value of a pattern of another one.
  static bool Fits(ElementType from, uint64_t bits, ElementType to) {
    const bool negative = IsSigned(from) && DecodeSigned(from, bits) < 0;
    if (negative) return IsSigned(to) && DecodeSigned(from, bits) >= MinSigned(to);
    const uint64_t value = DecodeUnsigned(from, bits);
    return value <= (IsSigned(to) ? static_cast<uint64_t>(MaxSigned(to)) : MaxUnsigned(to));
  }

  // The least value of an even function.
  double ValueAtZero() const {
    return info_ != nullptr && std::isfinite(info_->range.low) ? info_->range.low : 0.0;
  }

  // Integers other than in order: a result is known where its operands are.
  absl::Status Discrete(Box* box) {
    absl::Status status = AtLows(box);
    if (!status.ok()) return status;
    UnconstrainWhere(
        [&](const auto&, Place place, const Ends&) {
          return std::any_of(operands_.begin(), operands_.end(), [&](const Box& operand) {
            return !IsCertain(operand, place.element);
          });
        },
        box);
    KeepNans(box);
    return absl::OkStatus();
  }

  absl::Status Select(Box* box) {
    const Box& pred = operands_[0];
    constexpr Corner kPredHigh = 1, kArmsHigh = 6;
    absl::Status status =
        Corners(pred.is_point() ? CornerList{0, kArmsHigh}
                                : CornerList{0, kArmsHigh, kPredHigh, kPredHigh | kArmsHigh},
                box);
    if (!status.ok()) return status;
    // NaN at both ends of one arm and numbers in the other: HullOfCorners has made both
    // unconstrained. The NaNs of an arm that is certainly not taken stay behind.
    for (const Literal& chosen : pred.is_point() ? std::vector<Literal>{pred.low}
                                                 : std::vector<Literal>{pred.low, pred.high}) {
      if (!operands_[1].has_nan() && !operands_[2].has_nan()) break;
      const Literal one = NansOf(operands_[1]), other = NansOf(operands_[2]);
      Literal nan;
      status = evaluate_({&chosen, &one, &other}, &nan);
      if (!status.ok()) return status;
      MergeNans({box->low, box->low, std::move(nan), nullptr, false}, box);
    }
    return absl::OkStatus();
  }

  static Literal NansOf(const Box& box) {
    return box.has_nan() ? box.nan : Literal::Zeros(box.shape());
  }

  // True and false are certain where the order of the intervals tells.
  absl::Status Compare(Box* box) {
    absl::Status status = AtLows(box);
    if (!status.ok()) return status;
    const Ranges lefts(operands_[0]), rights(operands_[1]);
    UpdateParts(
        [&](const auto&, Place place, Ends* ends) {
          const int64_t i = place.element;
          const Interval left = lefts[i], right = rights[i];
          const bool apart = left.high < right.low || right.high < left.low;
          const bool nan = MayBeNan(operands_[0], i) || MayBeNan(operands_[1], i);
          if (IsCertain(operands_[0], i) && IsCertain(operands_[1], i)) return;
          if (apart && !nan) return;
          if (!nan && Decided(left, right, ends)) return;
          ends->low = 0;
          ends->high = 1;
        },
        box);
    return absl::OkStatus();
  }

  // For intervals that touch: <= and >= may still be certain.
  bool Decided(const Interval& left, const Interval& right, Ends* ends) const {
    bool value = false;
    switch (instruction_.GetEnum<ComparisonDirection>(Attr::kDirection)) {
      case ComparisonDirection::kLe:
      case ComparisonDirection::kGt:
        if (!(left.high <= right.low)) return false;
        value =
            instruction_.GetEnum<ComparisonDirection>(Attr::kDirection) == ComparisonDirection::kLe;
        break;
      case ComparisonDirection::kGe:
      case ComparisonDirection::kLt:
        if (!(left.low >= right.high)) return false;
        value =
            instruction_.GetEnum<ComparisonDirection>(Attr::kDirection) == ComparisonDirection::kGe;
        break;
      default:
        return false;
    }
    // The total order puts -0 before +0.
    if (instruction_.HasAttribute(Attr::kComparisonType)) return false;
    ends->low = ends->high = value ? 1 : 0;
    return true;
  }

  absl::Status IsFinite(Box* box) {
    absl::Status status = AtLows(box);
    if (!status.ok()) return status;
    const Ranges ranges(operands_[0]);
    UnconstrainWhere(
        [&](const auto&, Place place, const Ends&) {
          const int64_t i = place.element;
          if (ranges[i].bounded() && !MayBeNan(operands_[0], i)) return false;
          return !IsCertain(operands_[0], i);
        },
        box);
    return absl::OkStatus();
  }

  // Joins the value between the ends at which the function has its extremum.
  void JoinTurningPoint(double value, Box* box) const {
    if (!AnyLiesIn(kAtZero, operands_[0])) return;
    const Ranges ranges(operands_[0]);
    UpdateParts(
        [&](const auto& line, Place place, Ends* ends) {
          const Interval range = ranges[place.element];
          if (!(range.low < 0 && range.high > 0)) return;
          const uint64_t bits = EncodeFloat(line.type(), value);
          if (line.Ordinal(bits) < line.Ordinal(ends->low)) ends->low = bits;
        },
        box);
  }

  // Handles elements whose corners do not bound the values between them.
  void MindSingularities(Box* box) const {
    const Opcode opcode = instruction_.opcode();
    if (opcode == Opcode::kSubtract || opcode == Opcode::kMultiply || opcode == Opcode::kComplex) {
      return;
    }
    if (opcode == Opcode::kDivide && !AnyLiesIn(kAtZero, operands_[1])) return;
    if (opcode == Opcode::kRsqrt && !AnyLiesIn(kNotPositive, operands_[0])) return;
    std::vector<Ranges> ranges;
    for (const Box& operand : operands_) ranges.emplace_back(operand);
    UpdateParts(
        [&](const auto& line, Place place, Ends* ends) {
          const int64_t i = place.element;
          if (std::all_of(operands_.begin(), operands_.end(),
                          [i](const Box& operand) { return IsCertain(operand, i); })) {
            return;
          }
          if (CornersTell(ranges, i, line.type(), ends)) return;
          box_internal::Unbind(line, ends);
        },
        box);
  }

  // Takes in an extremum between them.
  bool CornersTell(const std::vector<Ranges>& operands, int64_t i, ElementType type,
                   Ends* ends) const {
    const Interval x = operands[0][i];
    switch (instruction_.opcode()) {
      case Opcode::kSin:
        JoinExtrema(type, x, std::numbers::pi / 2, ends);
        return true;
      case Opcode::kCos:
        JoinExtrema(type, x, 0, ends);
        return true;
      case Opcode::kDivide:
        return !operands[1][i].holds(0);
      case Opcode::kRsqrt:
        return x.low > 0;
      case Opcode::kTan:
        return !MayPass(x, std::numbers::pi / 2, std::numbers::pi);
      case Opcode::kAtan2:
        if (IsNan(type, ends->low)) return false;
        if (!(operands[1][i].low > 0 || x.low > 0 || x.high < 0)) {
          ends->low = EncodeFloat(type, -std::numbers::pi);
          ends->high = EncodeFloat(type, std::numbers::pi);
        }
        return true;
      case Opcode::kPower:
        return PowerIsPlain(x, operands[1][i], type, ends);
      default:
        return false;
    }
  }

  // Joins the extrema of sine and cosine, which are 1 at `greatest` and -1 half a period from
  // there.
  static void JoinExtrema(ElementType type, const Interval& range, double greatest, Ends* ends) {
    if (!(range.low < range.high)) return;
    if (MayPass(range, greatest, 2 * std::numbers::pi)) ends->high = EncodeFloat(type, 1);
    if (MayPass(range, greatest + std::numbers::pi, 2 * std::numbers::pi))
      ends->low = EncodeFloat(type, -1);
  }

  // x^y on a box: with positive x the corners tell; of a whole number y, what happens at zero.
  static bool PowerIsPlain(const Interval& base, const Interval& exponent, ElementType type,
                           Ends* ends) {
    if (base.low > 0) return true;
    if (exponent.low != exponent.high || !std::isfinite(exponent.low) ||
        std::nearbyint(exponent.low) != exponent.low) {
      return false;
    }
    if (base.high < 0) return true;
    if (exponent.low < 0) return false;
    if (base.low < 0 && base.high > 0 && std::fmod(exponent.low, 2) == 0 && exponent.low > 0) {
      ends->low = EncodeFloat(type, 0.0);
    }
    return true;
  }

  void KeepNans(Box* box) const {
    for (const Box& operand : operands_) {
      if (operand.has_nan()) MergeNans(operand, box);
    }
  }

  LiteralPointers Lows() const {
    LiteralPointers lows;
    for (const Box& operand : operands_) lows.push_back(&operand.low);
    return lows;
  }

  // A corner: a bit for each operand, of what is at the upper end. None has more than three.
  using Corner = uint32_t;
  using CornerList = absl::InlinedVector<Corner, 8>;
  static CornerList BothEnds() { return {0, ~uint32_t{0}}; }
  // Operands that are points have one end.
  CornerList AllCorners() const {
    CornerList corners = {0};
    for (size_t k = 0; k < operands_.size(); ++k) {
      if (operands_[k].is_point()) continue;
      const size_t count = corners.size();
      for (size_t i = 0; i < count; ++i) {
        corners.push_back(corners[i] | uint32_t{1} << k);
      }
    }
    return corners;
  }

  // Returns the corners that may be ends. A product or quotient of values with known signs is
  // monotonic in each of them. Infinities, which may meet zeros or one another, are no exception.
  CornerList RealCorners() const {
    const Opcode opcode = instruction_.opcode();
    constexpr Corner kLeftHigh = 1, kRightHigh = 2;
    if (opcode == Opcode::kSubtract) return {kRightHigh, kLeftHigh};
    if (opcode != Opcode::kMultiply && opcode != Opcode::kDivide) return AllCorners();
    if (operands_[0].is_point() || operands_[1].is_point()) return AllCorners();
    const int left = SignOf(operands_[0]), right = SignOf(operands_[1]);
    if (left == 0 || right == 0) return AllCorners();
    const bool together = (opcode == Opcode::kMultiply) == (left == right);
    return together ? BothEnds() : CornerList{kLeftHigh, kRightHigh};
  }

  // 1 or -1 where every value is finite and of that sign, not zero.
  static int SignOf(const Box& box) {
    const Extent extent = ExtentOf(box);
    const Line& line = Line::Of(box.low.element_type());
    if (extent.nan || extent.least <= line.least() || extent.greatest >= line.greatest()) return 0;
    return extent.least > 0 ? 1 : extent.greatest < -1 ? -1 : 0;
  }

  absl::Status AtLows(Box* box) const {
    absl::Status status = evaluate_(Lows(), &box->low);
    box->high = box->low;
    return status;
  }

  absl::Status At(Corner corner, Literal* value) const {
    LiteralPointers at;
    for (size_t k = 0; k < operands_.size(); ++k) {
      at.push_back((corner >> k & 1) != 0 ? &operands_[k].high : &operands_[k].low);
    }
    return evaluate_(at, value);
  }
  absl::Status Corners(const CornerList& corners, Box* box, Extent* extent = nullptr) const {
    std::vector<Literal> more(corners.size() > 2 ? corners.size() - 2 : 0);
    for (size_t i = 0; i < corners.size(); ++i) {
      absl::Status status = At(corners[i], i == 0 ? &box->low : i == 1 ? &box->high : &more[i - 2]);
      if (!status.ok()) return status;
    }
    if (corners.size() == 1) box->high = box->low;
    const Extent found = HullOfCorners(more, box);
    if (extent != nullptr) *extent = found;
    return absl::OkStatus();
  }

  const Instruction& instruction_;
  const ElementwiseInfo* const info_;  // null for copies
  const Boxes operands_;
  const EvaluateAt& evaluate_;
};

}  // namespace

absl::Status EncloseElementwise(const Instruction& instruction, Boxes operands,
                                const EvaluateAt& evaluate, Box* box) {
  return Elementwise(instruction, operands, evaluate).Enclose(box);
}

}  // namespace assay::conformance
