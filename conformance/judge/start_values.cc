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
  return analysis::RecogniseReducer(*reduce.to_apply()).kind;
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

absl::StatusOr<StartAnswer> StartUses::Explain(int64_t i, absl::Span<const StartSum> parts,
                                               double slack) {
  if (FoldsNothing(subject_.instruction)) {
    const Literal& operand = subject_.operands[leaf_];
    if (operand.element_type() == golden_.element_type() && operand.Get(i) == actual_.Get(i)) {
      return StartAnswer::kYes;
    }
  }
  if (kind_ == analysis::ReducerKind::kOther) return StartAnswer::kNo;
  const ElementType type = golden_.element_type();
  if (IsInteger(type) || (IsPred(type) && kind_ == analysis::ReducerKind::kXor)) {
    const absl::StatusOr<bool> explained = ExplainInteger(i);
    if (!explained.ok()) return explained.status();
    return *explained ? StartAnswer::kYes : StartAnswer::kNo;
  }
  if (!IsRounded(type)) return StartAnswer::kNo;
  if (kind_ == analysis::ReducerKind::kMultiply) {
    return IsFloat(type) ? ExplainProduct(i) : ExplainComplexProduct(i, slack);
  }
  const Accumulation how = subject_.profile.FindAccumulation(subject_.operands[0].element_type(),
                                                             /*contraction=*/false);
  return StartSums(PartType(golden_), how, most_).Explain(parts);
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

absl::StatusOr<std::optional<StartUses::SumWithout>> StartUses::SumWithoutStart() const {
  const ElementType type = golden_.element_type();
  if (neutral_ || kind_ != analysis::ReducerKind::kAdd || !IsFloat(type)) return std::nullopt;
  const auto fold = [&](double (*map)(double)) {
    return FoldTerms(subject_, Opcode::kAdd,
                     [map](double value, bool init) { return init ? 0 : map(value); });
  };
  const auto sums = fold([](double value) { return value; });
  if (!sums.ok()) return sums.status();
  const auto counts = fold([](double) { return 1.0; });
  if (!counts.ok()) return counts.status();
  const auto magnitudes = fold([](double value) { return std::fabs(value); });
  if (!magnitudes.ok()) return magnitudes.status();
  SumWithout without{
      golden_, Literal::Zeros(Shape(ElementType::kF64, golden_.shape().dimensions())), {}};
  std::vector<evaluator::AccumulationFact> facts(sums->size());
  for (size_t i = 0; i < sums->size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    without.golden.Set(at, {EncodeFloat(type, (*sums)[i])});
    without.exact.Set(at, {EncodeFloat(ElementType::kF64, (*sums)[i])});
    facts[i].terms = (*counts)[i];
    facts[i].magnitudes = (*magnitudes)[i];
  }
  without.bounds = SumBoundsOfFacts(subject_, without.golden, facts);
  return without;
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

absl::StatusOr<StartAnswer> StartUses::ExplainProduct(int64_t i) {
  const double start = Value(subject_.operands[1], 0).real();
  if (!std::isfinite(start)) return StartAnswer::kNo;
  if (start == 0) {
    // A negative zero decides the sign of the zero by how often it counts.
    const bool zeros = Value(golden_, i).real() == 0 && Value(actual_, i).real() == 0;
    return zeros && std::signbit(start) ? StartAnswer::kYes : StartAnswer::kNo;
  }
  if (!products_) {
    absl::StatusOr<StartProducts> found =
        StartProducts::Of(subject_, golden_.element_type(), start);
    if (!found.ok()) return found.status();
    products_.emplace(*std::move(found));
  }
  return products_->Explain(i, actual_.Get(i).bits, most_ + 1);
}

// Nothing is known of products some part of which leaves the range of the type.
absl::StatusOr<StartAnswer> StartUses::ExplainComplexProduct(int64_t i, double slack) {
  const ComplexValue golden = Value(golden_, i), actual = Value(actual_, i),
                     start = Value(subject_.operands[1], 0);
  if (start == 0.0) return golden == 0.0 && actual == 0.0 ? StartAnswer::kYes : StartAnswer::kNo;
  if (!IsFinite(start)) return StartAnswer::kNo;
  if (actual != 0.0 && IsFinite(actual)) {
    absl::StatusOr<StartAnswer> counted = CountInComplexProduct(i, slack);
    if (!counted.ok() || *counted != StartAnswer::kNo) return counted;
  }
  if (!reach_) {
    absl::StatusOr<Reach> reach = ReachOfComplexProducts();
    if (!reach.ok()) return reach.status();
    reach_ = *std::move(reach);
  }
  // A part that is flushed is as small as a rounding of a product so much larger.
  const FloatFormat& format = *Info(PartType(golden_)).format;
  const bool leaves = IsFinite(actual)
                          ? reach_->smallest[i] < format.min_exponent() + format.precision()
                          : reach_->largest[i] >= format.max_exponent();
  return leaves ? StartAnswer::kVacuous : StartAnswer::kNo;
}

absl::StatusOr<StartUses::Reach> StartUses::ReachOfComplexProducts() const {
  // |re| + |im| is no less than the absolute value, and at most half a binary logarithm more.
  const auto above = [](double size) {
    return size == 0 || !std::isfinite(size) ? 0 : std::max(0.0, std::log2(size));
  };
  const auto below = [](double size) {
    return size == 0 || !std::isfinite(size) ? 0 : std::min(0.0, std::log2(size) - 0.5);
  };
  absl::StatusOr<std::vector<double>> largest =
      FoldTerms(subject_, Opcode::kAdd,
                [&](double size, bool init) { return above(size) * (init ? most_ + 1 : 1); });
  if (!largest.ok()) return largest.status();
  absl::StatusOr<std::vector<double>> smallest =
      FoldTerms(subject_, Opcode::kAdd,
                [&](double size, bool init) { return below(size) * (init ? most_ + 1 : 1); });
  if (!smallest.ok()) return smallest.status();
  return Reach{*std::move(largest), *std::move(smallest)};
}

// Returns whether the element is the product without the start value times start^m. If golden is
// neither zero nor infinite, the powers go on from it.
absl::StatusOr<StartAnswer> StartUses::CountInComplexProduct(int64_t i, double slack) {
  const ComplexValue golden = Value(golden_, i), actual = Value(actual_, i),
                     start = Value(subject_.operands[1], 0);
  const auto answer = [](bool yes) { return yes ? StartAnswer::kYes : StartAnswer::kNo; };
  if (golden != 0.0 && IsFinite(golden)) {
    return answer(IsComplexProduct(golden * start, 2, slack / std::abs(golden), actual));
  }
  if (!wide_product_) {
    const absl::StatusOr<const Without*> without = WithoutStart();
    if (!without.ok()) return without.status();
    absl::StatusOr<Literal> wide = evaluator::EvaluateWidened(
        subject_.instruction, (*without)->operands, 0, subject_.evaluate);
    if (!wide.ok()) return wide.status();
    wide_product_ = *std::move(wide);
  }
  const ComplexValue product = Value(*wide_product_, i);
  if (product != 0.0 && IsFinite(product)) {
    const double each = RoundingsOfFactor(subject_.profile, golden_.element_type());
    const double relative = (most_ * each + 1) * UnitRoundoff(PartType(golden_));
    return answer(IsComplexProduct(product * start * start, 2, relative, actual));
  }
  // Where even f64 has no number for it, nothing is known.
  return AllFinite(subject_.operands) ? StartAnswer::kVacuous : StartAnswer::kNo;
}

// Returns true if the value is the product, which has so many uses of the start value, or has more
// of them, each with the errors of one more factor.
bool StartUses::IsComplexProduct(ComplexValue product, double uses, double relative,
                                 ComplexValue actual) const {
  const ComplexValue start = Value(subject_.operands[1], 0);
  const double each = RoundingsOfFactor(subject_.profile, golden_.element_type()) + 1;
  const double u = UnitRoundoff(PartType(golden_));
  for (; uses <= most_ + 1 && IsFinite(product); ++uses, product *= start) {
    const double error = relative + each * u * (uses + 1);
    if (std::abs(actual - product) <= std::abs(product) * error) return true;
  }
  return false;
}

}  // namespace assay::conformance
