// Bounds of sums in any order: reference accuracy_requirements.md 4, "Full element bound", with
// what the profile says about accumulators and passes. Tests: bounds_test.cc.
#include <algorithm>

#include "conformance/judge/bounds.h"
#include "conformance/judge/freedoms.h"
#include "conformance/judge/rounds.h"
#include "spec/ir/attribute_values.h"
#include "spec/ops/dot_algorithms.h"

namespace assay::conformance {
namespace {

// The error model of an algorithm that splits each operand into narrower parts before it
// multiplies.
struct Split {
  double products = 1;  // q: the number of partial products of one product
  double error = 0;     // e_in: the error of the split, relative to the product
  double growth = 1;    // sigma: the growth of the magnitudes
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

// Returns the split of the instruction's own algorithm, otherwise that of the target for its
// precision_config.
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

// Returns the operand with infinities and NaNs replaced by zeros.
Literal WithFiniteParts(const Literal& operand) {
  if (!IsRounded(operand.element_type())) return operand;
  Literal finite = operand;
  const ElementType part = PartType(operand);
  const auto keep = [part](uint64_t bits) {
    return std::isfinite(DecodeFloat(part, bits)) ? bits : EncodeFloat(part, 0.0);
  };
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    Element element = operand.Get(i);
    element.bits = keep(element.bits);
    if (IsComplex(operand.element_type())) element.imag = keep(element.imag);
    finite.Set(i, element);
  }
  return finite;
}

// Returns the operand with zeros in place of real or of imaginary parts.
Literal WithOnePart(const Literal& operand, bool imaginary) {
  if (!IsComplex(operand.element_type())) return operand;
  Literal one = operand;
  for (int64_t i = 0; i < operand.element_count(); ++i) {
    Element element = operand.Get(i);
    (imaginary ? element.bits : element.imag) = 0;
    one.Set(i, element);
  }
  return one;
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
        how_(subject.profile.FindAccumulation(TypeOfSums(subject, golden), products_)) {
    // No sum is kept in less than the type of its terms, or of the result if the module asks for
    // one that is narrower (decision structural_52).
    const ElementType least = Info(TypeOfSums(subject, golden)).component;
    if (UnitRoundoff(how_.accumulator) > std::min(UnitRoundoff(part_), UnitRoundoff(least))) {
      how_.accumulator = UnitRoundoff(part_) < UnitRoundoff(least) ? part_ : least;
      how_.unit = UnitRoundoff(how_.accumulator);
    }
    const ElementType terms = Info(TypeOfTerms(subject, golden)).component;
    if (subject.instruction.opcode() == Opcode::kScan) {  // every step gives a value of the type
      how_.accumulator = part_;
      how_.unit = UnitRoundoff(part_);
    }
    const int bits = 2 * Info(terms).format->precision();
    exact_products_ = !split_.cuts && std::ldexp(1.0, -bits) >= how_.unit;
    narrows_ = part_unit_ > UnitRoundoff(how_.accumulator);
    wide_ = KeptIn(how_.accumulator, how_.unit, exact_products_);
    own_ = KeptIn(part_, part_unit_, /*exact_products=*/false);
    adds_alone_ = !products_ && part_ == terms;
  }

  absl::StatusOr<Bounds> Find(const Literal& golden) const {
    const auto facts = Facts(subject_.operands);
    if (!facts.ok()) return facts.status();
    absl::StatusOr<std::vector<double>> lost = LostToFlushing(subject_.operands, *facts);
    if (!lost.ok()) return lost.status();
    Bounds bounds = FromFacts(golden, *facts, *lost);
    std::vector<Literal> operands(subject_.operands.begin(), subject_.operands.end());
    if (!finite_) {
      operands = OperandsOfFiniteParts();
      absl::StatusOr<std::vector<evaluator::AccumulationFact>> finite = Facts(operands);
      if (!finite.ok()) return finite.status();
      const std::vector<Opposite> opposites =
          FindOpposites(golden, operands, /*imaginary=*/false, *facts, *finite);
      for (size_t i = 0; i < opposites.size(); ++i) {
        bounds.meets_infinity.push_back(opposites[i].overflows);
        if (!std::isfinite((*facts)[i].magnitudes)) bounds.magnitudes[i] = {opposites[i].sum, 0};
      }
      if (IsComplex(type_) && !products_) {
        lost = LostToFlushing(operands, *finite);
        if (!lost.ok()) return lost.status();
        BoundFiniteParts(golden, *facts, *finite, *lost, &bounds);
      }
    }
    if (IsComplex(type_) && !products_) {
      absl::Status status = BoundParts(golden, operands, *lost, &bounds);
      if (!status.ok()) return status;
    }
    const std::vector<bool>& overflow = bounds.may_overflow;
    if (!IsComplex(type_) && finite_ &&
        std::find(overflow.begin(), overflow.end(), true) != overflow.end()) {
      bounds.sides = FindSides(subject_.operands, /*imaginary=*/false, *facts, *lost);
    }
    return bounds;
  }

  Bounds FromFacts(const Literal& golden, absl::Span<const evaluator::AccumulationFact> facts,
                   absl::Span<const double> lost) const {
    Bounds bounds;
    bounds.rule = "n u sum|terms|";
    bounds.needs = Freedom::kReassociation;
    bounds.is_freedom = true;
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      Append(SizeOf(golden.Get(i)), facts[i], lost.empty() ? 0 : lost[i], &bounds);
    }
    return bounds;
  }

  SumReach Reach(const Literal& golden, absl::Span<const double> terms,
                 absl::Span<const double> magnitudes) const {
    SumReach reach{std::vector<double>(terms.size()), std::vector<double>(terms.size())};
    if (!subject_.profile.Grants(Freedom::kReassociation)) return reach;
    DecodeFloats(part_, golden.data(), golden.element_count(), reach.from_golden.data());
    for (size_t i = 0; i < terms.size(); ++i) {
      const Distances distances = Of(reach.from_golden[i], terms[i], magnitudes[i], 0);
      const bool open = MayOverflow(magnitudes[i], distances);
      reach.from_golden[i] = open ? kInfinity : std::max(distances.judged, distances.vacuous);
      reach.unrounded[i] = open ? kInfinity : distances.unrounded_vacuous;
    }
    return reach;
  }

 private:
  // Returns the larger magnitude of the two parts, each of which is rounded.
  double SizeOf(Element golden) const {
    const double real = DecodeFloat(part_, golden.bits);
    if (!IsComplex(type_)) return real;
    return std::max(std::fabs(real), std::fabs(DecodeFloat(part_, golden.imag)));
  }

  // Returns the element type of the terms. Not every operand of a scan is a term, and integers are
  // exact.
  static ElementType TypeOfTerms(const Subject& subject, const Literal& golden) {
    const bool scans = subject.instruction.opcode() == Opcode::kScan;
    const ElementType terms = subject.operands[0].element_type();
    return scans || !IsRounded(terms) ? golden.element_type() : terms;
  }

  // The type whose accumulator the profile names: that of the terms. A dot or convolution with a
  // narrower result asks for no more than an accumulator of its result's type.
  static ElementType TypeOfSums(const Subject& subject, const Literal& golden) {
    const ElementType terms = TypeOfTerms(subject, golden);
    const bool narrows = UnitRoundoff(PartType(golden)) > UnitRoundoff(Info(terms).component);
    return narrows && subject.instruction.info().family == Family::kContraction
               ? golden.element_type()
               : terms;
  }

  absl::StatusOr<std::vector<evaluator::AccumulationFact>> Facts(
      absl::Span<const Literal> operands) const {
    return evaluator::FindAccumulationFacts(subject_.instruction, operands,
                                            evaluator::FactsWanted::kTermsAndMagnitudes,
                                            subject_.evaluate, leaf_);
  }

  // Returns the operands with zeros in place of infinities and NaNs.
  std::vector<Literal> OperandsOfFiniteParts() const {
    std::vector<Literal> operands;
    for (const Literal& operand : subject_.operands) operands.push_back(WithFiniteParts(operand));
    // The operand by which a select-and-scatter selects is not added up.
    if (subject_.instruction.opcode() == Opcode::kSelectAndScatter) {
      operands[0] = subject_.operands[0];
    }
    return operands;
  }

  // Parts of complex numbers are added up on their own. One whose terms are finite has the bound of
  // what is finite, whatever the other part meets.
  void BoundFiniteParts(const Literal& golden, absl::Span<const evaluator::AccumulationFact> facts,
                        absl::Span<const evaluator::AccumulationFact> finite,
                        absl::Span<const double> lost, Bounds* bounds) const {
    for (size_t i = 0; i < facts.size(); ++i) {
      if (std::isfinite(facts[i].magnitudes)) continue;
      const Element element = golden.Get(static_cast<int64_t>(i));
      double size = 0;
      for (const uint64_t bits : {element.bits, element.imag}) {
        const double part = std::fabs(DecodeFloat(part_, bits));
        if (std::isfinite(part)) size = std::max(size, part);
      }
      const Distances distances =
          Of(size, facts[i].terms, finite[i].sum_of_magnitudes(), lost.empty() ? 0 : lost[i]);
      bounds->absolute[i] = distances.judged;
      bounds->beyond[i] = Beyond(distances, finite[i]);
      bounds->vacuous[i] = distances.vacuous;
    }
  }

  // Bounds both parts by the terms of their own, of operands whose parts are finite.
  absl::Status BoundParts(const Literal& golden, absl::Span<const Literal> operands,
                          absl::Span<const double> lost, Bounds* bounds) const {
    bounds->parts.resize(golden.element_count());
    for (const bool imaginary : {false, true}) {
      std::vector<Literal> own;
      for (const Literal& operand : operands) own.push_back(WithOnePart(operand, imaginary));
      if (subject_.instruction.opcode() == Opcode::kSelectAndScatter) own[0] = operands[0];
      const auto facts = Facts(own);
      if (!facts.ok()) return facts.status();
      bool overflows = false;
      for (int64_t i = 0; i < golden.element_count(); ++i) {
        const Element element = golden.Get(i);
        const Distances distances =
            Of(DecodeFloat(part_, imaginary ? element.imag : element.bits), (*facts)[i].terms,
               (*facts)[i].sum_of_magnitudes(), lost.empty() ? 0 : lost[i]);
        bounds->parts[i][imaginary] = {distances.judged,
                                       distances.vacuous,
                                       Beyond(distances, (*facts)[i]),
                                       MayOverflow((*facts)[i].magnitudes, distances),
                                       Bounds::Sides(),
                                       /*meets_infinity=*/false,
                                       {(*facts)[i].magnitudes, (*facts)[i].exponent}};
        overflows |= bounds->parts[i][imaginary].may_overflow;
      }
      if (!finite_) {
        absl::Status status = MeetInPart(golden, own, imaginary, *facts, bounds);
        if (!status.ok()) return status;
      }
      if (!overflows) continue;
      const std::vector<Bounds::Sides> sides = FindSides(own, imaginary, *facts, lost);
      for (size_t i = 0; i < sides.size(); ++i) bounds->parts[i][imaginary].sides = sides[i];
    }
    return absl::OkStatus();
  }

  // Returns how one part of each sum may overflow. Partial sums reach an infinity by the terms of
  // its sign alone.
  std::vector<Bounds::Sides> FindSides(absl::Span<const Literal> operands, bool imaginary,
                                       absl::Span<const evaluator::AccumulationFact> facts,
                                       absl::Span<const double> lost) const {
    std::vector<Bounds::Sides> sides(facts.size());
    const bool beyond = std::any_of(facts.begin(), facts.end(),
                                    [](const auto& fact) { return fact.exponent != 0; });
    const auto sums = evaluator::EvaluateWidened(subject_.instruction, operands,
                                                 beyond ? -kBeyondScale : 0, subject_.evaluate);
    if (!sums.ok()) return sides;
    const int scale = beyond ? BeyondExponent(subject_.instruction) : 0;
    const Literal exact = Flatten(*sums)[leaf_];
    for (size_t i = 0; i < facts.size(); ++i) {
      const Element element = exact.Get(static_cast<int64_t>(i));
      const double sum = DecodeFloat(ElementType::kF64, imaginary ? element.imag : element.bits);
      sides[i] = SidesOf(facts[i], sum, scale, lost.empty() ? 0 : lost[i]);
    }
    return sides;
  }

  // Returns what terms with this sum, which is scaled by 2^-scale, may reach.
  Bounds::Sides SidesOf(const evaluator::AccumulationFact& fact, double sum, int scale,
                        double lost) const {
    const double all = std::ldexp(fact.magnitudes, fact.exponent - scale);
    const Kept& kept = how_.partials ? own_ : wide_;
    const double error = ErrorIn(kept, fact.terms, std::ldexp(lost, -scale)).Of(all);
    const double largest = std::ldexp(narrows_ ? own_.largest : kept.largest, -scale);
    const auto reaches = [&](double side) {
      const double terms = (all + side * sum) / 2 * split_.growth + all * 0x1p-50;
      return !(terms + error + part_unit_ * largest < largest);
    };
    Bounds::Sides sides;
    sides.positive = reaches(1);
    sides.negative = reaches(-1);
    sides.nan = sides.positive && sides.negative;
    return sides;
  }

  // Finds where an infinite part meets finite ones. `own` and `finite` are of finite parts.
  absl::Status MeetInPart(const Literal& golden, absl::Span<const Literal> own, bool imaginary,
                          absl::Span<const evaluator::AccumulationFact> finite,
                          Bounds* bounds) const {
    std::vector<Literal> all;
    for (const Literal& operand : subject_.operands) all.push_back(WithOnePart(operand, imaginary));
    if (subject_.instruction.opcode() == Opcode::kSelectAndScatter) all[0] = own[0];
    const auto facts = Facts(all);
    if (!facts.ok()) return facts.status();
    const std::vector<Opposite> opposites = FindOpposites(golden, own, imaginary, *facts, finite);
    for (size_t i = 0; i < opposites.size(); ++i) {
      Bounds::OfPart& part = bounds->parts[i][imaginary];
      part.meets_infinity = opposites[i].overflows;
      if (!std::isfinite((*facts)[i].magnitudes)) part.magnitudes = {opposites[i].sum, 0};
    }
    return absl::OkStatus();
  }

  // The sum of the magnitudes of the finite terms of the other sign than an infinite term.
  struct Opposite {
    double sum = 0;
    bool overflows = false;  // in some order
  };
  // Returns the sums for each element or a part of it, zero where no term is infinite. For complex
  // products finite terms of any sign count.
  std::vector<Opposite> FindOpposites(const Literal& golden, absl::Span<const Literal> operands,
                                      bool imaginary,
                                      absl::Span<const evaluator::AccumulationFact> facts,
                                      absl::Span<const evaluator::AccumulationFact> finite) const {
    Literal sums;
    if (!complex_products_) {
      const auto found =
          evaluator::EvaluateWidened(subject_.instruction, operands, 0, subject_.evaluate);
      if (found.ok()) sums = Flatten(*found)[leaf_];
    }
    const auto part = [imaginary](Element element) {
      return imaginary ? element.imag : element.bits;
    };
    std::vector<Opposite> opposites(facts.size());
    for (size_t i = 0; i < facts.size(); ++i) {
      if (std::isfinite(facts[i].magnitudes)) continue;
      const evaluator::AccumulationFact& rest = finite[i];
      double opposite = rest.sum_of_magnitudes();
      const double infinity = DecodeFloat(part_, part(golden.Get(i)));
      if (sums.element_count() > 0 && std::isinf(infinity)) {
        const double sum = DecodeFloat(ElementType::kF64, part(sums.Get(i)));
        if (std::isfinite(sum) && std::isfinite(opposite)) {
          opposite = (opposite - (infinity > 0 ? sum : -sum)) / 2 + opposite * 0x1p-50;
        }
      }
      opposites[i] = {opposite, MayOverflow(rest.magnitudes, Of(0, rest.terms, opposite, 0))};
    }
    return opposites;
  }

  // Returns, for each element, the sum of the magnitudes of terms with a denormal factor, which may
  // count as zero. Empty if there are none.
  absl::StatusOr<std::vector<double>> LostToFlushing(
      absl::Span<const Literal> operands,
      const std::vector<evaluator::AccumulationFact>& facts) const {
    std::vector<double> lost;
    std::vector<Literal> flushed(operands.begin(), operands.end());
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

  // Returns the number of roundings of a sum of n terms in any order.
  double Roundings(double n, bool exact_products) const {
    if (complex_products_) return 2 * (split_.products * n + 4);  // by three multiplications
    if (subject_.instruction.opcode() == Opcode::kScaledDot) return n + 2;
    if (!products_ || exact_products) return std::max(0.0, n - 1);
    return split_.cuts || split_.products > 1 ? split_.products * n - 1 : n;
  }

  // The error of a sum: a part relative to its magnitudes and an absolute part.
  struct Error {
    double share = 0, fixed = 0;
    double Of(double magnitudes) const { return Times(share, magnitudes) + fixed; }
  };
  // Magnitudes may be infinite.
  static double Times(double factor, double magnitudes) {
    return factor == 0 ? 0 : factor * magnitudes;
  }

  // A type that holds partial sums, with its unit roundoff: the accumulator's or the result's type.
  struct Kept {
    double unit = 0;
    bool exact_products = false, flushes = false;
    double smallest_normal = 0, half_least = 0, largest = 0;
  };
  Kept KeptIn(ElementType type, double unit, bool exact_products) const {
    return {unit, exact_products, subject_.profile.MayFlushResults(type), SmallestNormal(type),
            // Half of the least double is not representable.
            std::max(UlpOf(type, 0) / 2, std::numeric_limits<double>::denorm_min()),
            DecodeFloat(type, MaxFinite(type))};
  }

  Error ErrorIn(const Kept& kept, double n, double loss) const {
    const double k = how_.factor * Roundings(n, kept.exact_products), q = split_.products;
    const double relative = how_.truncating ? Gamma(k, 2 * kept.unit) : k * kept.unit;
    double underflow = 0;
    if (kept.flushes) {
      // n products and n - 1 sums. Those of complex numbers have twice as many in each part.
      const double real = complex_products_ ? 2 * n : n;
      underflow = std::max(1.0, 2 * q * real - 1) * kept.smallest_normal;
    } else if (products_) {
      underflow = q * n * kept.half_least * (1 + relative);
    }
    return {split_.error + relative * split_.growth, underflow + loss};
  }

  // `judged` and `vacuous` are distances from the golden value: a value beyond `judged` is wrong,
  // or inconclusive up to `vacuous`. `exact` is `judged` from the exact value, `share` is `judged`
  // relative to the sum of the magnitudes. `wide` is the error in the accumulator, `reach` that of
  // intermediate sums, `result` the magnitude that the result may reach. `unrounded` and
  // `unrounded_vacuous` are distances from the exact value before the result is rounded.
  struct Distances {
    double judged = 0, exact = 0, vacuous = 0, share = 0, wide = 0, reach = 0, result = 0;
    double sum = 0, unrounded = 0, unrounded_vacuous = 0;
  };

  Distances Of(double golden, double n, double sum, double loss) const {
    Distances d;
    // Zeros add up to zero, and a term is its own sum.
    const bool keeps =
        n <= 1 && loss == 0 && adds_alone_ && !(own_.flushes && sum < own_.smallest_normal);
    if (sum == 0 || keeps) return d;
    d.sum = sum;
    const double u = part_unit_, half = UlpOf(part_, golden) / 2;
    const Error error = ErrorIn(wide_, n, loss);
    d.wide = d.reach = d.unrounded = d.unrounded_vacuous = error.Of(sum);
    // If the value overflows, only the sum of the magnitudes is known.
    const double size = std::isinf(golden) ? sum : std::fabs(golden) + half;
    // Both the golden value and, out of a wider accumulator, the other one are rounded.
    d.judged = d.vacuous = d.wide + half + (narrows_ ? u * (size + d.wide) + own_.half_least : 0);
    d.share = error.share + (narrows_ ? u * (1 + error.share) : 0);
    d.exact = d.judged - half;
    if (narrows_ && how_.partials) {
      const Error of_partials = ErrorIn(own_, n, loss);
      const double own = of_partials.Of(sum) + half;
      if (how_.factor * Roundings(n, false) * u < 1) {
        d.judged = std::max(d.judged, own);
        d.exact = std::max(d.exact, own - half);
        d.share = std::max(d.share, of_partials.share);
        d.unrounded = std::max(d.unrounded, own - half);
      }
      d.vacuous = std::max(d.vacuous, own);
      d.unrounded_vacuous = std::max(d.unrounded_vacuous, own - half);
      d.reach = own;
    }
    d.result = size + d.judged;
    return d;
  }

  void Append(double golden, const evaluator::AccumulationFact& fact, double loss,
              Bounds* bounds) const {
    const Distances distances = Of(golden, fact.terms, fact.sum_of_magnitudes(), loss);
    bounds->absolute.push_back(distances.judged);
    if (!IsComplex(type_)) bounds->from_exact.push_back(distances.exact);
    if (narrows_ && !IsComplex(type_)) bounds->unrounded.push_back(distances.unrounded);
    bounds->beyond.push_back(Beyond(distances, fact));
    bounds->vacuous.push_back(distances.vacuous);
    bounds->may_overflow.push_back(MayOverflow(fact.magnitudes, distances));
    bounds->magnitudes.push_back({fact.magnitudes, fact.exponent});
  }

  // The bound where terms exceed the largest double, scaled.
  double Beyond(const Distances& distances, const evaluator::AccumulationFact& fact) const {
    const int exponent = fact.exponent - BeyondExponent(subject_.instruction);
    return Times(distances.share, std::ldexp(fact.magnitudes, exponent));
  }

  // Returns true if an intermediate sum, in the type that holds it, or the result may overflow
  // (ops_structural.md 14.2, "Overflow"). `magnitudes` is finite if the terms are.
  bool MayOverflow(double magnitudes, const Distances& distances) const {
    // A term that is not finite decides the result, unless an algorithm splits it into parts.
    if (!finite_ && !std::isfinite(magnitudes)) return split_.cuts;
    const auto exceeds = [&](double error, double largest) {
      return !(Times(split_.growth, distances.sum) + error <= largest);
    };
    if (exceeds(distances.wide, wide_.largest)) return true;
    if (!narrows_ || how_.partials) return exceeds(distances.reach, own_.largest);
    return !(distances.result <= own_.largest);
  }

  const Subject& subject_;
  const int64_t leaf_;
  const ElementType type_, part_;
  const bool products_, complex_products_, finite_;
  const Split split_;
  Accumulation how_;
  const double part_unit_ = UnitRoundoff(part_);
  bool exact_products_ = false, narrows_ = false, adds_alone_ = false;
  Kept wide_, own_;
};

}  // namespace

absl::StatusOr<Bounds> SumBounds(const Subject& subject, size_t leaf, const Literal& golden) {
  return SumBound(subject, leaf, golden).Find(golden);
}

Bounds SumBoundsOfFacts(const Subject& subject, const Literal& golden,
                        absl::Span<const evaluator::AccumulationFact> facts) {
  return SumBound(subject, 0, golden).FromFacts(golden, facts, {});
}

SumReach SumReachOfFacts(const Subject& subject, const Literal& golden,
                         absl::Span<const double> terms, absl::Span<const double> magnitudes) {
  return SumBound(subject, 0, golden).Reach(golden, terms, magnitudes);
}

}  // namespace assay::conformance
