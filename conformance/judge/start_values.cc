#include "conformance/judge/start_values.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "conformance/judge/rounds.h"
#include "spec/analysis/isolate.h"

namespace assay::conformance {
namespace {

using ComplexValue = std::complex<double>;

// The largest number of uses of a start value that is searched.
constexpr double kMostUses = 1 << 16;

ComplexValue Value(const Literal& literal, int64_t i) {
  const ElementType part = PartType(literal);
  const Element element = literal.Get(i);
  return {DecodeFloat(part, element.bits),
          IsComplex(literal.element_type()) ? DecodeFloat(part, element.imag) : 0};
}

bool IsFinite(ComplexValue value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

// Returns true if the range holds only that number.
bool IsOnly(const ElementRange& range, double number) {
  if (IsInteger(range.type)) {
    const auto bits = static_cast<uint64_t>(number);
    return range.real.low == bits && range.real.high == bits;
  }
  const auto is = [](const PartRange& part, double value) {
    return DecodeFloat(part.type, part.low) == value && DecodeFloat(part.type, part.high) == value;
  };
  return is(range.real, number) && (!IsComplex(range.type) || is(range.imag, 0));
}

// Returns the kind of a fold of one array, also of integers.
analysis::ReducerKind KindOf(const Instruction& reduce) {
  const analysis::ReducerKind kind = analysis::RecogniseReducer(*reduce.to_apply()).kind;
  return kind == analysis::ReducerKind::kOther ? KindOfLeaf(reduce, 0) : kind;
}

bool IsFoldOfOneArray(const Instruction& reduce) {
  const bool windows =
      reduce.opcode() == Opcode::kReduceWindow && reduce.operand(0)->shape().rank() > 0;
  return (reduce.opcode() == Opcode::kReduce || windows) && reduce.operand_count() == 2 &&
         reduce.shape().is_array() &&
         reduce.operand(1)->shape().element_type() == reduce.shape().element_type();
}

// Returns the largest number of elements that a cell folds.
double MostElements(const Instruction& reduce, const Literal& operand, const Literal& golden) {
  if (reduce.opcode() == Opcode::kReduce) {
    return static_cast<double>(operand.element_count()) /
           static_cast<double>(golden.element_count());
  }
  double cells = 1;
  for (const WindowDimension& dimension : reduce.window().dimensions) {
    cells *= static_cast<double>(dimension.size);
  }
  return cells;
}

// Returns true if no cell folds more than one element.
bool FoldsNothing(const Instruction& reduce) {
  if (reduce.opcode() != Opcode::kReduce && reduce.opcode() != Opcode::kReduceWindow) return false;
  const Shape& shape = reduce.operand(0)->shape();
  if (reduce.opcode() == Opcode::kReduceWindow) return shape.rank() == 0;
  const absl::Span<const int64_t> dimensions = reduce.GetInts(Attr::kDimensions);
  return std::all_of(dimensions.begin(), dimensions.end(), [&](int64_t d) {
    return shape.dimension(d) == 1 && !shape.is_dynamic_dimension(d);
  });
}

// Returns true if the range is the extreme value of the type that is the identity of minimum or
// maximum.
bool IsExtreme(const ElementRange& range, bool greatest) {
  if (IsFloat(range.type)) return IsOnly(range, greatest ? kInfinity : -kInfinity);
  if (!IsInteger(range.type)) return false;
  const int64_t least = IsSigned(range.type) ? MinSigned(range.type) : 0;
  const uint64_t extreme = !greatest              ? static_cast<uint64_t>(least)
                           : IsSigned(range.type) ? static_cast<uint64_t>(MaxSigned(range.type))
                                                  : MaxUnsigned(range.type);
  const int bits = Info(range.type).bits;
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return ((range.real.low ^ extreme) & mask) == 0 && ((range.real.high ^ extreme) & mask) == 0;
}

// Returns true if both are the same infinity, or NaN: no finite start value changes them.
bool IsFixed(double golden, double actual) {
  return !std::isfinite(golden) && (golden == actual || (std::isnan(golden) && std::isnan(actual)));
}

// Returns true if the start value may be missing. Counting it again changes nothing.
bool MayBeMissing(analysis::ReducerKind kind) {
  return kind == analysis::ReducerKind::kMinimum || kind == analysis::ReducerKind::kMaximum ||
         kind == analysis::ReducerKind::kAnd || kind == analysis::ReducerKind::kOr;
}

// Returns the least or greatest value of a type, an infinity if it has one.
std::optional<Element> ExtremeOf(ElementType type, bool least) {
  if (IsFloat(type)) {
    const FloatFormat& format = *Info(type).format;
    if (format.has_infinity) return Element{Infinity(type, least)};
    if (!least) return Element{MaxFinite(type)};
    return Element{format.has_sign ? EncodeFloat(type, -DecodeFloat(type, MaxFinite(type))) : 0};
  }
  if (IsSigned(type)) {
    return Element{static_cast<uint64_t>(least ? MinSigned(type) : MaxSigned(type))};
  }
  if (!IsInteger(type) && !IsPred(type)) return std::nullopt;
  return Element{least ? 0 : IsPred(type) ? 1 : MaxUnsigned(type)};
}

bool IsIdentity(analysis::ReducerKind kind, const ElementRange& start) {
  switch (kind) {
    case analysis::ReducerKind::kAdd:
    case analysis::ReducerKind::kMultiply:
      return !StartCounts(kind, start);
    case analysis::ReducerKind::kMinimum:
    case analysis::ReducerKind::kMaximum:
      return IsExtreme(start, kind == analysis::ReducerKind::kMinimum);
    case analysis::ReducerKind::kAnd:
      return IsPred(start.type) && start.real.low == 1 && start.real.high == 1;
    case analysis::ReducerKind::kOr:
    case analysis::ReducerKind::kXor:
      return start.real.low == 0 && start.real.high == 0;
    default:
      return false;
  }
}

}  // namespace

std::optional<Element> NeutralElement(analysis::ReducerKind kind, ElementType type) {
  const bool is_real = IsFloat(type), is_float = is_real || IsComplex(type);
  const ElementType part = Info(type).component;
  switch (kind) {
    case analysis::ReducerKind::kAdd: {
      if (!is_float) return Element{0};
      if (type == ElementType::kF8E8M0FNU) return std::nullopt;
      const uint64_t zero = EncodeFloat(part, -0.0);
      return Element{zero, is_real ? 0 : zero};
    }
    case analysis::ReducerKind::kMultiply:
      return Element{is_float ? EncodeFloat(part, 1) : 1};
    case analysis::ReducerKind::kMinimum:
    case analysis::ReducerKind::kMaximum:
      return ExtremeOf(type, /*least=*/kind == analysis::ReducerKind::kMaximum);
    case analysis::ReducerKind::kAnd:
      return Element{IsPred(type)     ? 1
                     : IsSigned(type) ? static_cast<uint64_t>(int64_t{-1})
                                      : MaxUnsigned(type)};
    case analysis::ReducerKind::kOr:
    case analysis::ReducerKind::kXor:
      return Element{0};
    default:
      return std::nullopt;
  }
}

bool StartCounts(analysis::ReducerKind kind, const ElementRange& start) {
  if (kind == analysis::ReducerKind::kAdd) return !IsOnly(start, 0);
  if (kind == analysis::ReducerKind::kXor) return start.real.low != 0 || start.real.high != 0;
  return kind == analysis::ReducerKind::kMultiply && !IsOnly(start, 1);
}

bool MayCountStart(const Instruction& reduce, absl::Span<const ElementRange> starts) {
  if (FoldsNothing(reduce)) {
    return starts.size() != 1 || !IsIdentity(KindOf(reduce), starts[0]);
  }
  return starts.size() == 1 && IsFoldOfOneArray(reduce) && StartCounts(KindOf(reduce), starts[0]);
}

std::optional<Element> MissingStart(const Instruction& reduce, const ElementRange& start) {
  if (!IsFoldOfOneArray(reduce) || FoldsNothing(reduce)) return std::nullopt;
  const analysis::ReducerKind kind = KindOf(reduce);
  if (!MayBeMissing(kind) || IsIdentity(kind, start)) return std::nullopt;
  return NeutralElement(kind, start.type);
}

StartUses::StartUses(const Subject& subject, size_t leaf, const Literal& golden,
                     const Literal& actual)
    : subject_(subject), leaf_(leaf), golden_(golden), actual_(actual) {
  if (!IsFoldOfOneArray(subject.instruction) || golden.element_count() == 0) return;
  const Literal& start = subject.operands[1];
  const analysis::ReducerKind kind = KindOf(subject.instruction);
  const ElementRange range = ElementRange::Of(start.element_type(), start.Get(0));
  if (StartCounts(kind, range)) kind_ = kind;
  neutral_ = MissingStart(subject.instruction, range);
  if (!neutral_ && IsRounded(start.element_type())) {
    neutral_ = NeutralElement(kind_, start.element_type());
  }
  const double folded = MostElements(subject.instruction, subject.operands[0], golden);
  most_ = std::clamp(folded, 1.0, kMostUses);
}

absl::StatusOr<StartUses::Answer> StartUses::Explain(int64_t i, const Slack& slack) {
  const auto answer = [](bool explained) { return explained ? Answer::kYes : Answer::kNo; };
  if (FoldsNothing(subject_.instruction)) {
    const Literal& operand = subject_.operands[leaf_];
    if (operand.element_type() == golden_.element_type() && operand.Get(i) == actual_.Get(i)) {
      return Answer::kYes;
    }
  }
  if (kind_ == analysis::ReducerKind::kOther) return Answer::kNo;
  const bool is_parity = IsPred(golden_.element_type()) && kind_ == analysis::ReducerKind::kXor;
  if (IsInteger(golden_.element_type()) || is_parity) {
    const absl::StatusOr<bool> explained = ExplainInteger(i);
    if (!explained.ok()) return explained.status();
    return answer(*explained);
  }
  if (!IsRounded(golden_.element_type())) return Answer::kNo;
  return kind_ == analysis::ReducerKind::kAdd ? IsSum(i, slack) : answer(IsProduct(i, slack.whole));
}

absl::StatusOr<StartUses::Without> StartUses::StartingFrom(Element start) const {
  std::vector<Literal> operands(subject_.operands.begin(), subject_.operands.end());
  operands[1].Set(0, start);
  absl::StatusOr<Literal> value =
      subject_.evaluate(*analysis::IsolateInstruction(subject_.instruction), operands);
  if (!value.ok()) return value.status();
  return Without{std::move(operands), *std::move(value)};
}

absl::StatusOr<const StartUses::Without*> StartUses::WithoutStart() {
  if (!neutral_) return nullptr;
  if (!without_) {
    absl::StatusOr<Without> value = StartingFrom(*neutral_);
    if (!value.ok()) return value.status();
    without_ = *std::move(value);
  }
  return &*without_;
}

absl::StatusOr<bool> StartUses::ExplainInteger(int64_t i) {
  const ElementType type = golden_.element_type();
  const bool multiplies = kind_ == analysis::ReducerKind::kMultiply,
             adds = kind_ == analysis::ReducerKind::kAdd;
  if (!without_) {
    absl::StatusOr<Without> value = StartingFrom(Element{multiplies ? uint64_t{1} : uint64_t{0}});
    if (!value.ok()) return value.status();
    without_ = *std::move(value);
  }
  const int bits = Info(type).bits;
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint64_t start = subject_.operands[1].Get(0).bits, actual = actual_.Get(i).bits;
  uint64_t folded = without_->golden.Get(i).bits;
  for (double uses = 0; uses <= most_ + 1; ++uses) {
    if (((folded ^ actual) & mask) == 0) return true;
    folded = multiplies ? folded * start : adds ? folded + start : folded ^ start;
  }
  return false;
}

std::optional<StartUses::Parts> StartUses::FiniteParts(int64_t i, const Slack& slack) const {
  const double largest = DecodeFloat(PartType(golden_), MaxFinite(PartType(golden_)));
  const ComplexValue golden = Value(golden_, i), actual = Value(actual_, i),
                     start = Value(subject_.operands[1], 0);
  double numbers[3][2] = {};
  double overflow_uses = 0;
  for (const bool imag : {false, true}) {
    const auto part = [imag](ComplexValue value) { return imag ? value.imag() : value.real(); };
    const double from = part(golden), to = part(actual), added = part(start);
    if (IsFixed(from, to)) continue;
    if (!std::isfinite(from) || std::isnan(to) || !std::isfinite(added)) return std::nullopt;
    if (std::isinf(to)) {
      if ((to > 0) != (added > 0) || added == 0) return std::nullopt;
      const double missing = largest - slack.parts[imag] - std::copysign(from, from * added);
      const double uses = std::max(1.0, std::ceil(missing / std::fabs(added)));
      if (uses > most_) return std::nullopt;
      overflow_uses = std::max(overflow_uses, uses);
      continue;
    }
    numbers[0][imag] = from;
    numbers[1][imag] = to;
    numbers[2][imag] = added;
  }
  const auto value = [&](int k) { return ComplexValue(numbers[k][0], numbers[k][1]); };
  return Parts{value(0), value(1), value(2), overflow_uses};
}

// Returns true for golden + m start. Such a sum of n + m leaves has an error of (n + m) u
// sum|leaves| (ops_structural.md 14.3) and is rounded to the type of the result. The slack is that
// of golden's n leaves and its size. u is that of the accumulator, and that of the result's type if
// partial sums may be stored in it. A missing start value is no m = -1: the errors of the remaining
// terms have nothing to do with its size.
StartUses::Answer StartUses::IsSum(int64_t i, const Slack& slack) const {
  const std::optional<Parts> parts = FiniteParts(i, slack);
  if (!parts) return Answer::kNo;
  const ComplexValue golden = parts->golden, actual = parts->actual, start = parts->start;
  const ComplexValue distance = actual - golden;
  double m =
      start == 0.0 ? 0 : std::nearbyint((distance * std::conj(start)).real() / std::norm(start));
  // The part that overflows tells the number of uses if the other one does not.
  if (m == 0) m = parts->overflow_uses;
  if (m == 0 || m < (neutral_ ? 0 : -1) || m > most_) return Answer::kNo;
  const Answer real = IsSumOfPart(golden.real(), actual.real(), m * start.real(), std::fabs(m),
                                  std::abs(start), slack.parts[0]);
  if (!IsComplex(golden_.element_type()) || real == Answer::kNo) return real;
  const Answer imag = IsSumOfPart(golden.imag(), actual.imag(), m * start.imag(), std::fabs(m),
                                  std::abs(start), slack.parts[1]);
  return imag == Answer::kYes ? real : imag;
}

StartUses::Answer StartUses::IsSumOfPart(double golden, double actual, double added, double more,
                                         double start, double slack) const {
  const double residue = std::fabs(actual - golden - added), size = std::fabs(golden);
  if (residue == 0) return Answer::kYes;
  const double n = most_ + 1;
  const Accumulation how = subject_.profile.FindAccumulation(subject_.operands[0].element_type(),
                                                             /*contraction=*/false);
  const double u_result = UnitRoundoff(PartType(golden_));
  const double u = std::min(how.unit, u_result) * how.factor * (how.truncating ? 2 : 1);
  const auto error = [&](double own_slack, double unit) {
    return own_slack * (1 + more / n) + unit * (n + more) * std::fabs(added) +
           u_result * std::max(0.0, std::fabs(actual) - size);
  };
  if (!how.partials || u >= u_result)
    return residue <= error(slack, u) ? Answer::kYes : Answer::kNo;
  // The slack is that of partial sums in the result's type. In the accumulator it is smaller.
  const double least = slack * u / u_result + UlpOf(PartType(golden_), size) / 2 + u_result * size;
  if (residue <= error(least, u)) return Answer::kYes;
  const double most = error(slack, u_result);
  if (residue > most) return Answer::kNo;
  return most < start / 2 ? Answer::kYes : Answer::kVacuous;
}

// Returns true for golden * start^m, which has the errors of m more factors, and may leave the
// range of the type. A complex product that leaves it is not explained.
bool StartUses::IsProduct(int64_t i, double slack) const {
  const ComplexValue golden = Value(golden_, i), actual = Value(actual_, i),
                     start = Value(subject_.operands[1], 0);
  if (golden == 0.0 || start == 0.0 || !IsFinite(golden) || !IsFinite(start)) return false;
  const ElementType part = PartType(golden_);
  const bool is_real = IsFloat(golden_.element_type());
  if (!is_real && (actual == 0.0 || !IsFinite(actual))) return false;
  const double each = RoundingsOfFactor(subject_.profile, golden_.element_type()) + 1;
  const double u = UnitRoundoff(part), relative = slack / std::abs(golden);
  const double largest = DecodeFloat(part, MaxFinite(part));
  // The least value that is not rounded to zero, or not flushed.
  const double least =
      subject_.profile.MayFlushResults(part) ? SmallestNormal(part) : UlpOf(part, 0) / 2;
  ComplexValue product = golden * start;
  for (double m = 1; m <= most_; ++m, product *= start) {
    const double error = relative + each * u * (m + 2), size = std::abs(product);
    const bool is_near = std::abs(actual - product) <= size * error;
    const bool overflows = is_real && std::isinf(actual.real()) &&
                           (actual.real() > 0) == (product.real() > 0) &&
                           size * (1 + error) >= largest;
    const bool vanishes = is_real && actual == 0.0 && size * (1 - error) <= least;
    if (is_near || overflows || vanishes) return true;
    if (!IsFinite(product)) break;
  }
  return false;
}

}  // namespace assay::conformance
