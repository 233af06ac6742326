// Bounds of products in any order (reference ops_structural.md 14.3), of those that a scan forms
// one after the other too. Tests: bounds_test.cc.
#include <algorithm>
#include <utility>

#include "conformance/judge/bounds.h"
#include "conformance/judge/rounds.h"
#include "evaluator/facts/scan_sums.h"

namespace assay::conformance {
namespace {

double Logarithm(double value) { return std::log2(std::fabs(value)); }
double LogarithmOrNone(double value) { return value == 0 ? 0.0 : Logarithm(value); }
// Returns true if the logarithm is rounded.
bool HasOtherDigits(double value) {
  int exponent;
  return value != 0 && std::isfinite(value) && std::fabs(std::frexp(value, &exponent)) != 0.5;
}

class ProductBound {
 public:
  ProductBound(const Subject& subject, size_t leaf, const Literal& golden)
      : subject_(subject),
        type_(golden.element_type()),
        part_(PartType(golden)),
        scanned_(evaluator::FindScanFold(subject.instruction, static_cast<int64_t>(leaf),
                                         analysis::ReducerKind::kMultiply)),
        flushes_(subject.profile.MayFlushResults(part_)) {}

  absl::StatusOr<Bounds> Find(const Literal& golden) const {
    Bounds bounds;
    bounds.rule = "n u |product|";
    const absl::StatusOr<Factors> factors = FindFactors();
    if (!factors.ok()) return factors.status();
    bounds.needs = Freedom::kReassociation;
    bounds.is_freedom = !IsComplex(type_);
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      Append(golden.Get(i), *factors, i, &bounds);
    }
    return bounds;
  }

 private:
  // For each element of the result: how many factors count, how many are not finite, and how many
  // have a rounded logarithm in the sum of `smallest`; the binary logarithms of the largest and the
  // smallest product of some of the factors; then the same for the partial products.
  struct Factors {
    std::vector<double> count, not_finite, other_digits, largest, smallest;
    evaluator::ScanExtremes partial;
  };

  absl::StatusOr<std::vector<double>> Add(const evaluator::TermMap& map) const {
    if (scanned_)
      return evaluator::AddScanned(subject_.instruction, *scanned_, subject_.operands, map);
    return FoldTerms(subject_, Opcode::kAdd, map);
  }

  absl::StatusOr<Factors> FindFactors() const {
    // A start value that changes nothing is no factor.
    const evaluator::TermMap count = [](double value, bool init) {
      return init && value == 1 ? 0.0 : 1.0;
    };
    const evaluator::TermMap not_finite = [](double value, bool) {
      return std::isfinite(value) ? 0.0 : 1.0;
    };
    // Without an associative step there is but one order (6.1), in which all factors count for the
    // least partial product; otherwise those below one do.
    const bool in_order = scanned_ && !subject_.instruction.GetBool(Attr::kIsAssociative);
    const evaluator::TermMap digits = [in_order](double value, bool) {
      return HasOtherDigits(value) && (in_order || std::fabs(value) < 1) ? 1.0 : 0.0;
    };
    const evaluator::TermMap above = [](double value, bool) {
      return std::max(0.0, LogarithmOrNone(value));
    };
    const evaluator::TermMap below = [](double value, bool) {
      return std::min(0.0, LogarithmOrNone(value));
    };
    Factors factors;
    for (const auto& [map, values] :
         {std::make_pair(&count, &factors.count), std::make_pair(&not_finite, &factors.not_finite),
          std::make_pair(&digits, &factors.other_digits), std::make_pair(&above, &factors.largest),
          std::make_pair(&below, &factors.smallest)}) {
      absl::StatusOr<std::vector<double>> found = Add(*map);
      if (!found.ok()) return found.status();
      *values = *std::move(found);
    }
    if (in_order) {
      factors.partial =
          evaluator::FindScanExtremes(subject_.instruction, *scanned_, subject_.operands,
                                      [](double value, bool) { return Logarithm(value); });
    } else {
      factors.partial = {factors.largest, factors.smallest};
    }
    return factors;
  }

  // n factors in any order, relative to the product while every partial product is normal. One that
  // is not errs by half a denormal's distance, which the other factors enlarge; where that comes to
  // more than the product, or where denormals count as zero, it bounds nothing.
  void Append(Element golden, const Factors& factors, int64_t i, Bounds* bounds) const {
    const double u = UnitRoundoff(part_), n = factors.count[i];
    const double largest = factors.largest[i], greatest = factors.partial.greatest[i];
    // The logarithms of complex numbers are those of |re| + |im|, which is at most half a unit
    // larger.
    const double lost_to_norm = IsComplex(type_) ? n / 2 : 0;
    const double size = SizeOfProduct(golden, largest + factors.smallest[i] - lost_to_norm);
    // Golden's own rounding counts as one more. A product in a wider type that is rounded once has
    // at most n - 1 roundings.
    const double relative = Gamma((n - 1) * RoundingsOfFactor(subject_.profile, type_) + 1, u);
    const bool multiplies = n > 1;
    // The logarithm of a number that is not a power of two is rounded, to 2^-43 near those of the
    // least numbers of f64. So are the sum of logarithms, and partial products.
    const double digits = factors.other_digits[i];
    const double rounds = relative < kInfinity ? std::log2(1 + relative) : 0;
    const double unsure = digits > 0 ? (digits + 1) * 0x1p-43 + rounds : 0;
    const bool underflows = multiplies && factors.partial.least[i] - lost_to_norm - unsure <
                                              Info(part_).format->min_exponent();
    const double gradual = underflows ? n * UlpOf(part_, 0) / 2 * std::exp2(largest) : 0;
    const double rounded = multiplies ? (relative < kInfinity ? relative : 2 * u) * size : 0;
    const double lost = underflows && flushes_
                            ? std::max(size, n * SmallestNormal(part_) * std::exp2(largest))
                            : gradual;
    // A real product loses at most itself to underflow. A complex product loses this in each of its
    // four real products and in two sums, which is less than three times its absolute value.
    const double by_size = size * (1 + relative) * std::pow(IsComplex(type_) ? 4 : 2, n - 1);
    bounds->absolute.push_back(rounded + (gradual <= size ? gradual : 0));
    bounds->vacuous.push_back(
        !multiplies || relative < kInfinity ? rounded + std::min(lost, by_size) : kInfinity);
    // A partial product that may be flushed to zero gives NaN with an infinite factor.
    const bool overflows =
        factors.not_finite[i] > 0
            ? underflows
            : !(greatest + std::log2(1 + relative) < Info(part_).format->max_exponent() + 1 &&
                std::exp2(greatest) * (1 + relative) <= DecodeFloat(part_, MaxFinite(part_)));
    bounds->may_overflow.push_back(multiplies && overflows);
    if (IsComplex(type_)) return;
    const bool finite = factors.not_finite[i] == 0;
    const bool vanishes = bounds->vacuous.back() > bounds->absolute.back();
    bounds->sides.push_back(SidesOf(golden, !finite || vanishes));
    bounds->others.push_back(finite
                                 ? BesideInfinity(golden, largest + factors.smallest[i], relative)
                                 : OverflowValues());
  }

  // A real product has the sign of golden. A NaN comes of an infinity and a zero: a factor, or a
  // partial product that underflows.
  Bounds::Sides SidesOf(Element golden, bool may_meet_zero) const {
    Bounds::Sides sides;
    if (IsNan(part_, golden.bits)) return sides;
    sides.negative = IsNegative(part_, golden.bits);
    sides.positive = !sides.negative;
    sides.nan = may_meet_zero || IsZero(part_, golden.bits);
    return sides;
  }

  // Returns the finite values that a product may have where golden is infinite, given the binary
  // logarithm of the exact one: it may lie beyond the range by less than it errs.
  OverflowValues BesideInfinity(Element golden, double logarithm, double relative) const {
    OverflowValues values;
    const double most = DecodeFloat(part_, MaxFinite(part_)), least = most * (1 - relative);
    if (!IsInfinity(part_, golden.bits) ||
        !(logarithm + std::log2(1 - relative) - 0x1p-30 <= std::log2(most))) {
      return values;
    }
    const bool negative = IsNegative(part_, golden.bits);
    values.low = negative ? -most : least;
    values.high = negative ? -least : most;
    return values;
  }

  // Returns an upper bound of the absolute value of the exact product, whose logarithm is given.
  double SizeOfProduct(Element golden, double logarithm) const {
    const double real = DecodeFloat(part_, golden.bits);
    const double value =
        IsComplex(type_) ? std::hypot(real, DecodeFloat(part_, golden.imag)) : real;
    if (!std::isfinite(value)) return std::exp2(logarithm);
    return std::fabs(value) + UlpOf(part_, value);
  }

  const Subject& subject_;
  const ElementType type_, part_;
  const std::optional<evaluator::ScanFold> scanned_;
  const bool flushes_;
};

}  // namespace

analysis::ReducerKind KindOfLeaf(const Instruction& instruction, size_t leaf) {
  const analysis::ReducerKind kind = evaluator::FoldKind(instruction);
  if (kind != analysis::ReducerKind::kOther) return kind;
  for (const analysis::ReducerKind each :
       {analysis::ReducerKind::kAdd, analysis::ReducerKind::kMultiply}) {
    if (evaluator::FindScanFold(instruction, static_cast<int64_t>(leaf), each).has_value())
      return each;
  }
  return analysis::ReducerKind::kOther;
}

double RoundingsOfFactor(const TargetProfile& profile, ElementType type) {
  if (!IsComplex(type)) return 1;
  return 2 * std::max(0.5, profile.FindBudget(Opcode::kMultiply, type).ulps);
}

absl::StatusOr<Bounds> ProductBounds(const Subject& subject, size_t leaf, const Literal& golden) {
  return ProductBound(subject, leaf, golden).Find(golden);
}

}  // namespace assay::conformance
