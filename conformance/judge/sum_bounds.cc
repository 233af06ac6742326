// Bounds of sums in any order: reference accuracy_requirements.md 4, "Full element bound", with
// what the profile says about accumulators and passes. Tests: bounds_test.cc.
#include <algorithm>

#include "conformance/judge/bounds.h"
#include "conformance/judge/freedoms.h"
#include "conformance/judge/rounds.h"
#include "spec/ir/attribute_values.h"
#include "spec/ops/dot_algorithms.h"

namespace assay {
namespace {

// What each operand is cut into before products are formed.
struct Split {
  double products = 1;  // q: kept for one product
  double error = 0;     // e_in: of what is kept, relative to the product
  double growth = 1;    // sigma: of the magnitudes
  bool cuts = false;
};

Split SplitOf(const DotAlgorithm& algorithm) {
  Split split;
  split.products = algorithm.products;
  split.error = algorithm.undeclared;
  split.cuts = algorithm.part_bits > 0;
  if (split.cuts) split.growth = algorithm.parts == 1 ? 1 + split.error : 1.016;
  return split;
}

// The instruction's own algorithm, else what the target does for its precision_config.
Split FindSplit(const Subject& subject) {
  const Instruction& instruction = subject.instruction;
  if (instruction.info().family != Family::kContraction) return {};
  if (instruction.opcode() == Opcode::kDot) {
    const int64_t algorithm = instruction.GetInt(Attr::kAlgorithm);
    if (algorithm != 0) return SplitOf(DotAlgorithmOf(algorithm));
  }
  if (subject.operands[0].element_type() != ElementType::kF32 ||
      instruction.info().FindAttribute(Attr::kOperandPrecision) == nullptr) {
    return {};
  }
  // The least precise operand decides.
  Precision precision = Precision::kHighest;
  const absl::Span<const int64_t> given = instruction.GetInts(Attr::kOperandPrecision);
  for (const int64_t each : given) precision = std::min(precision, static_cast<Precision>(each));
  if (given.empty()) precision = Precision::kDefault;
  const std::optional<int64_t> algorithm = subject.profile.FindDotAlgorithm(precision);
  return algorithm ? SplitOf(DotAlgorithmOf(*algorithm)) : Split();
}

bool HasDenormals(const Literal& operand) {
  const ElementType part = PartType(operand);
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    const Element element = operand.Get(i);
    if (IsSubnormal(part, element.bits)) return true;
    if (IsComplex(operand.element_type()) && IsSubnormal(part, element.imag)) return true;
  }
  return false;
}

class SumBound {
 public:
  SumBound(const Subject& subject, size_t leaf, const Literal& golden)
      : subject_(subject),
        leaf_(static_cast<int64_t>(leaf)),
        type_(golden.element_type()),
        part_(PartType(golden)),
        products_(subject.instruction.info().family == Family::kContraction),
        complex_products_(products_ && IsComplex(golden.element_type())),
        finite_(AllFinite(subject.operands)),
        split_(FindSplit(subject)),
        how_(subject.profile.FindAccumulation(TypeOfTerms(subject, golden), products_)) {
    // No sum is kept in less than the type of its terms and its result.
    const ElementType terms = Info(TypeOfTerms(subject, golden)).component;
    if (UnitRoundoff(how_.accumulator) > std::min(UnitRoundoff(part_), UnitRoundoff(terms))) {
      how_.accumulator = UnitRoundoff(part_) < UnitRoundoff(terms) ? part_ : terms;
      how_.unit = UnitRoundoff(how_.accumulator);
    }
    if (subject.instruction.opcode() == Opcode::kScan) {  // every step gives a value of the type
      how_.accumulator = part_;
      how_.unit = UnitRoundoff(part_);
    }
    const int bits = 2 * Info(terms).format->precision();
    exact_products_ = !split_.cuts && std::ldexp(1.0, -bits) >= how_.unit;
    flushes_accumulator_ = subject.profile.MayFlushResults(how_.accumulator);
    flushes_part_ = subject.profile.MayFlushResults(part_);
  }

  absl::StatusOr<Bounds> Find(const Literal& golden) const {
    const auto facts = Facts(subject_.operands);
    if (!facts.ok()) return facts.status();
    absl::StatusOr<std::vector<double>> lost = LostToFlushing(*facts);
    if (!lost.ok()) return lost.status();
    return FromFacts(golden, *facts, *lost);
  }

  Bounds FromFacts(const Literal& golden, absl::Span<const AccumulationFact> facts,
                   absl::Span<const double> lost) const {
    Bounds bounds;
    bounds.rule = "n u sum|terms|";
    bounds.needs = Freedom::kReassociation;
    bounds.is_freedom = true;
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      Append(DecodeFloat(part_, golden.Get(i).bits), facts[i], lost.empty() ? 0 : lost[i], &bounds);
    }
    return bounds;
  }

 private:
  // The operands of a scan need not be added up all.
  static ElementType TypeOfTerms(const Subject& subject, const Literal& golden) {
    const bool scans = subject.instruction.opcode() == Opcode::kScan;
    return scans ? golden.element_type() : subject.operands[0].element_type();
  }

  absl::StatusOr<std::vector<AccumulationFact>> Facts(absl::Span<const Literal> operands) const {
    return FindAccumulationFacts(subject_.instruction, operands, FactsWanted::kTermsAndMagnitudes,
                                 subject_.evaluate, leaf_);
  }

  // Per element the sum of the magnitudes of terms with a denormal factor, which may count as zero.
  // Empty: none.
  absl::StatusOr<std::vector<double>> LostToFlushing(
      const std::vector<AccumulationFact>& facts) const {
    std::vector<double> lost;
    std::vector<Literal> flushed(subject_.operands.begin(), subject_.operands.end());
    bool any = false;
    for (Literal& operand : flushed) {
      if (!IsRounded(operand.element_type())) continue;
      if (!subject_.profile.MayFlushOperands(operand.element_type())) continue;
      if (!HasDenormals(operand)) continue;
      operand = FlushDenormals(operand);
      any = true;
    }
    if (!any) return lost;
    const auto rest = Facts(flushed);
    if (!rest.ok()) return rest.status();
    for (size_t i = 0; i < facts.size(); ++i) {
      const double all = facts[i].sum_of_magnitudes();
      const double loss = all - (*rest)[i].sum_of_magnitudes() + all * 0x1p-50;
      lost.push_back(std::isnan(loss) ? kInfinity : loss);
    }
    return lost;
  }

  // Roundings of n terms on their way into a sum in any order.
  double Roundings(double n, bool exact_products) const {
    if (complex_products_) return 2 * (split_.products * n + 4);  // by three multiplications
    if (subject_.instruction.opcode() == Opcode::kScaledDot) return n + 2;
    if (!products_ || exact_products) return std::max(0.0, n - 1);
    return split_.cuts || split_.products > 1 ? split_.products * n - 1 : n;
  }

  // How far a sum may be off: by a share of its magnitudes, and by what does not grow with them.
  struct Error {
    double share = 0, fixed = 0;
    double Of(double magnitudes) const { return Times(share, magnitudes) + fixed; }
  };
  // Magnitudes may be infinite.
  static double Times(double factor, double magnitudes) {
    return factor == 0 ? 0 : factor * magnitudes;
  }

  // Of a sum kept in a type with unit roundoff u: the accumulator's or the result's own.
  Error ErrorIn(ElementType accumulator, double u, double n, double loss,
                bool exact_products) const {
    const double k = how_.factor * Roundings(n, exact_products), q = split_.products;
    const double relative = how_.truncating ? Gamma(k, 2 * u) : k * u;
    double underflow = 0;
    if (accumulator == how_.accumulator ? flushes_accumulator_ : flushes_part_) {
      underflow = std::max(1.0, 2 * q * n - 1) * SmallestNormal(accumulator);
    } else if (products_) {
      underflow = q * n * UlpOf(accumulator, 0) / 2 * (1 + relative);
    }
    return {split_.error + relative * split_.growth, underflow + loss};
  }

  void Append(double golden, const AccumulationFact& fact, double loss, Bounds* bounds) const {
    const double n = fact.terms, sum = fact.sum_of_magnitudes();
    const double u = UnitRoundoff(part_), half = UlpOf(part_, golden) / 2;
    const bool narrows = u > UnitRoundoff(how_.accumulator);
    const Error error = ErrorIn(how_.accumulator, how_.unit, n, loss, exact_products_);
    const double wide = error.Of(sum);
    // Of a value that overflows no more is known here than that of the magnitudes.
    const double size = std::isinf(golden) ? sum : std::fabs(golden) + half;
    // Both the golden value and, out of a wider accumulator, the other one are rounded.
    double judged = wide + half + (narrows ? u * (size + wide) + UlpOf(part_, 0) / 2 : 0);
    double share = error.share + (narrows ? u * (1 + error.share) : 0);
    double vacuous = judged, reach = wide;
    double exact = judged - half;
    if (narrows && how_.partials) {
      const Error of_partials = ErrorIn(part_, u, n, loss, /*exact_products=*/false);
      const double own = of_partials.Of(sum) + half;
      if (how_.factor * Roundings(n, false) * u < 1) {
        judged = std::max(judged, own);
        exact = std::max(exact, own - half);
        share = std::max(share, of_partials.share);
      }
      vacuous = std::max(vacuous, own);
      reach = own;
    }
    bounds->absolute.push_back(judged);
    if (narrows && !IsComplex(type_)) bounds->from_exact.push_back(exact);
    bounds->beyond.push_back(Times(
        share, std::ldexp(fact.magnitudes, fact.exponent - BeyondExponent(subject_.instruction))));
    bounds->vacuous.push_back(vacuous);
    bounds->may_overflow.push_back(MayOverflow(fact, sum, reach, wide, size + judged, narrows));
  }

  // ops_structural.md 14.2, "Overflow": of the sums on the way, in the type that they are kept in,
  // and of the result.
  bool MayOverflow(const AccumulationFact& fact, double sum, double reach, double wide,
                   double result, bool narrows) const {
    // A term that is not finite leaves nothing open, but where it is cut into parts.
    if (!finite_ && !std::isfinite(fact.magnitudes)) return split_.cuts;
    const auto exceeds = [&](double error, double largest) {
      return !(Times(split_.growth, sum) + error <= largest);
    };
    if (exceeds(wide, DecodeFloat(how_.accumulator, MaxFinite(how_.accumulator)))) return true;
    if (!narrows || how_.partials) return exceeds(reach, largest_);
    return !(result <= largest_);
  }

  const Subject& subject_;
  const int64_t leaf_;
  const ElementType type_, part_;
  const bool products_, complex_products_, finite_;
  const Split split_;
  Accumulation how_;
  const double largest_ = DecodeFloat(part_, MaxFinite(part_));
  bool exact_products_ = false, flushes_accumulator_ = false, flushes_part_ = false;
};

}  // namespace

absl::StatusOr<Bounds> SumBounds(const Subject& subject, size_t leaf, const Literal& golden) {
  return SumBound(subject, leaf, golden).Find(golden);
}

Bounds SumBoundsOfFacts(const Subject& subject, size_t leaf, const Literal& golden,
                        absl::Span<const AccumulationFact> facts) {
  return SumBound(subject, leaf, golden).FromFacts(golden, facts, {});
}

}  // namespace assay
