#include "conformance/judge/array_judge.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "conformance/judge/freedoms.h"
#include "conformance/judge/given_nans.h"
#include "conformance/judge/rounds.h"
#include "conformance/judge/start_values.h"
#include "conformance/judge/transforms.h"
#include "conformance/judge/window_readings.h"
#include "spec/analysis/isolate.h"

namespace assay::conformance {
namespace {

template <typename Predicate>
Literal FlushWhere(const Literal& literal, Predicate may_flush) {
  const bool flushes = literal.is_array() && may_flush(literal.element_type());
  return flushes ? FlushDenormals(literal) : literal;
}

// Judges the elements of one result array of an instruction that is not elementwise.
class ArrayJudge {
 public:
  ArrayJudge(const Subject& subject, size_t leaf, const Literal& golden, const Literal& actual,
             const Bounds& bounds)
      : subject_(subject),
        leaf_(leaf),
        golden_(golden),
        actual_(actual),
        type_(golden.element_type()),
        part_(Info(type_).component),
        kind_(KindOfLeaf(subject.instruction, leaf)),
        bounds_(bounds) {}

  absl::StatusOr<ElementFinding> Judge(int64_t i) {
    ElementFinding finding;
    const Element wanted = golden_.Get(i);
    Examine(wanted, i, ZeroSignIsOpen(subject_.instruction, subject_.operands, i), &finding);
    if (finding.open() && !bounds_.unknown.empty()) {
      if (absl::Status status = TryWindows(i, &finding); !status.ok()) return status;
      if (!finding.open()) return finding;
      finding.verdict = Verdict::kNotJudgeable;
      finding.reason = bounds_.unknown;
      return finding;
    }
    for (const auto step :
         {&ArrayJudge::TryZeroScale, &ArrayJudge::TryFlushing, &ArrayJudge::TryOverflow,
          &ArrayJudge::TryNonFinite, &ArrayJudge::TryComplexProducts, &ArrayJudge::TryWindows,
          &ArrayJudge::TryStarts}) {
      if (!finding.open()) break;
      if (absl::Status status = (this->*step)(i, &finding); !status.ok()) return status;
    }
    return finding;
  }

 private:
  // Judges the actual element against `wanted`, which is golden or the value of another reading.
  void Examine(Element wanted, int64_t i, bool zero_is_open, ElementFinding* finding) {
    const Element got = actual_.Get(i);
    if (!IsRounded(type_)) return;
    Part(wanted.bits, got.bits, i, /*imaginary=*/false, zero_is_open, finding);
    if (!IsComplex(type_)) return;
    ElementFinding other;
    Part(wanted.imag, got.imag, i, /*imaginary=*/true, zero_is_open, &other);
    if (wanted.bits == got.bits) {
      *finding = std::move(other);
    } else if (wanted.imag != got.imag && other.verdict > finding->verdict) {
      *finding = std::move(other);
    }
  }

  void Part(uint64_t wanted, uint64_t got, int64_t i, bool imaginary, bool zero_is_open,
            ElementFinding* finding) {
    if (wanted == got) return;
    if (IsNan(part_, wanted) && IsNan(part_, got)) {
      if (LosesNan(wanted, got)) {
        finding->reason = "a move keeps the bits of a NaN";
      } else {
        Claim(subject_.profile, Freedom::kNanPayload, finding);
      }
    } else if (IsZero(part_, wanted) && IsZero(part_, got)) {
      if (starts_neutral_) {
        finding->verdict = Verdict::kWithinBound;
      } else if (zero_is_open) {
        Claim(subject_.profile, Freedom::kSignedZero, finding);
      }
    } else {
      Measure(DecodeFloat(part_, wanted), DecodeFloat(part_, got), i, imaginary, finding);
    }
  }

  // Decision N-2.
  bool LosesNan(uint64_t wanted, uint64_t got) const {
    const Family family = subject_.instruction.info().family;
    return Moves(subject_.instruction) && family != Family::kControl &&
           !IsMovedNan(part_, wanted, got, LosesPayload(subject_.profile, part_));
  }

  void Measure(double wanted, double got, int64_t i, bool imaginary, ElementFinding* finding) {
    if (MayHaveNoValue(wanted, got, i)) {
      Claim(subject_.profile, bounds_.needs.value_or(Freedom::kReassociation), finding);
    }
    if (!std::isfinite(wanted) || !std::isfinite(got) || bounds_.absolute.empty()) return;
    const Bounds::OfPart part = BoundsOf(i, imaginary);
    const double bound = part.absolute;
    finding->measured = true;
    finding->bound = bound;
    finding->distance = std::fabs(wanted - got);
    const bool inside =
        HasBoundBeyond(part)
            ? std::fabs(Scaled(wanted) - Scaled(got)) <= part.beyond
            : finding->distance <= bound && bound < kInfinity && IsNearExact(got, i, finding);
    if (inside) {
      if (bounds_.needs) Claim(subject_.profile, *bounds_.needs, finding);
      if (!bounds_.needs || (!finding->open() && !bounds_.is_freedom)) {
        finding->verdict = Verdict::kWithinBound;
      }
      return;
    }
    if (HasBoundBeyond(part) || (bounds_.needs && !subject_.profile.Grants(*bounds_.needs))) return;
    if (!(bound < kInfinity) || (bound < part.vacuous && finding->distance <= part.vacuous)) {
      finding->verdict = Verdict::kNotJudgeable;
      finding->reason = kind_ == analysis::ReducerKind::kMultiply
                            ? "partial products out of the type's range bound nothing"
                            : "accumulation in a type too narrow for the terms bounds nothing";
    }
  }

  // Returns true if one of the values is NaN, and errors may have made the other one of it.
  bool MayHaveNoValue(double wanted, double got, int64_t i) const {
    if (bounds_.beside_no_value.empty() || bounds_.beside_no_value[i] < 0) return false;
    return std::isnan(got) || (std::isnan(wanted) && got <= bounds_.beside_no_value[i]);
  }

  // Returns the bounds of a part. Another reading has other terms, of which the parts' own bounds
  // say nothing. `bounds_.absolute` must not be empty.
  Bounds::OfPart BoundsOf(int64_t i, bool imaginary) const {
    if (!bounds_.parts.empty() && !other_reading_) return bounds_.parts[i][imaginary];
    Bounds::OfPart part;
    part.absolute = bounds_.absolute[i];
    part.vacuous = bounds_.vacuous.empty() ? part.absolute : bounds_.vacuous[i];
    if (!bounds_.beyond.empty()) part.beyond = bounds_.beyond[i];
    part.may_overflow = !bounds_.may_overflow.empty() && bounds_.may_overflow[i];
    if (!bounds_.sides.empty()) part.sides = bounds_.sides[i];
    if (!bounds_.magnitudes.empty()) part.magnitudes = bounds_.magnitudes[i];
    return part;
  }

  // Returns true if the terms exceed the largest double and the part has a bound beyond it.
  static bool HasBoundBeyond(const Bounds::OfPart& part) {
    return std::isinf(part.absolute) && part.beyond < kInfinity;
  }
  double Scaled(double value) const {
    return std::ldexp(value, -BeyondExponent(subject_.instruction));
  }

  // If the result type is much coarser than the accumulator, the rounding of the golden value must
  // not be added to the bound. The distance from the exact value decides then.
  bool IsNearExact(double got, int64_t i, ElementFinding* finding) {
    if (other_reading_ || bounds_.from_exact.empty() || IsComplex(type_)) return true;
    const Literal* const exact = Exact(/*scaled=*/false);
    const double value = exact == nullptr ? kInfinity : ExactPart(*exact, i, false);
    if (!std::isfinite(value)) return true;
    finding->bound = bounds_.from_exact[i];
    finding->distance = std::fabs(value - got);
    return IsNear(value, got, i);
  }

  // Returns true if `got` is permitted for an exact value known to more than 50 bits: it is within
  // the bound, or a number within the bound of sums in a wider type rounds to it.
  bool IsNear(double exact, double got, int64_t i) const {
    const double slack = std::fabs(exact) * 0x1p-50;
    if (bounds_.unrounded.empty()) {
      return std::fabs(exact - got) <= bounds_.from_exact[i] + slack;
    }
    const auto rounded = [this](double value) {
      const double nearest = DecodeFloat(part_, EncodeFloat(part_, value));
      // The value overflows a type without infinities.
      return std::isnan(nearest) ? std::copysign(kInfinity, value) : nearest;
    };
    const double reach = bounds_.unrounded[i] + slack;
    return rounded(exact - reach) <= got && got <= rounded(exact + reach);
  }

  static double ExactPart(const Literal& exact, int64_t i, bool imaginary) {
    const Element element = exact.Get(i);
    return DecodeFloat(ElementType::kF64, imaginary ? element.imag : element.bits);
  }

  // Returns the sum, product or transform in f64 or c128, of the operands or, if `scaled`, of the
  // operands times 2^-kBeyondScale. Returns null for other instructions.
  const Literal* Exact(bool scaled) {
    std::optional<Literal>& exact = exact_[scaled ? 1 : 0];
    if (!exact) {
      exact = Literal();
      if (bounds_.has_exact || kind_ != analysis::ReducerKind::kOther ||
          subject_.instruction.opcode() == Opcode::kFft) {
        absl::StatusOr<Literal> found = evaluator::EvaluateWidened(
            subject_.instruction, subject_.operands, scaled ? -kBeyondScale : 0, subject_.evaluate);
        if (found.ok()) exact = Flatten(*found)[leaf_];
      }
    }
    return exact->is_array() && exact->element_count() > 0 ? &*exact : nullptr;
  }

  // Tries the value for flushed operands, itself flushed as the profile permits. A zero may have
  // either sign (accuracy_requirements.md 1) if something was flushed.
  absl::Status TryFlushing(int64_t i, ElementFinding* finding) {
    if (!MayFlush(subject_.instruction)) return absl::OkStatus();
    const bool granted = subject_.profile.Grants(Freedom::kDenormals);
    if (!flushed_) {
      std::vector<Literal> operands;
      for (const Literal& operand : subject_.operands) {
        operands.push_back(FlushWhere(operand, [&](ElementType type) {
          return !granted || subject_.profile.MayFlushOperands(type);
        }));
      }
      absl::StatusOr<Literal> value =
          subject_.evaluate(*analysis::IsolateInstruction(subject_.instruction), operands);
      if (!value.ok()) return value.status();
      flushed_ = FlushWhere(Flatten(*value)[leaf_], [&](ElementType type) {
        return !granted || subject_.profile.MayFlushResults(type);
      });
    }
    const Element wanted = flushed_->Get(i);
    if (wanted == golden_.Get(i)) return absl::OkStatus();
    ElementFinding found;
    if (wanted != actual_.Get(i)) Examine(wanted, i, /*zero_is_open=*/true, &found);
    const bool zeros = !granted && IsRounded(type_) && !IsComplex(type_) &&
                       IsZero(part_, wanted.bits) && IsZero(part_, actual_.Get(i).bits);
    if (!found.open() || wanted == actual_.Get(i) || zeros) {
      Claim(subject_.profile, Freedom::kDenormals, finding);
    }
    return absl::OkStatus();
  }

  // ops_structural.md 14.2, "Overflow": if partial sums may exceed the largest finite value in some
  // order, the result of overflow and a NaN after it are permitted. If the value itself exceeds it,
  // a finite result near the value is permitted as well.
  absl::Status TryOverflow(int64_t i, ElementFinding* finding) {
    if (!bounds_.anything.empty() && bounds_.anything[i]) {
      Claim(subject_.profile, Freedom::kReassociation, finding);
      return absl::OkStatus();
    }
    const Element wanted = golden_.Get(i), got = actual_.Get(i);
    const bool by_part = !bounds_.parts.empty();
    if (!bounds_.meets_infinity.empty() && (by_part || bounds_.meets_infinity[i]) &&
        MayMeetInfinity(wanted.bits, got.bits, i, false) &&
        (!IsComplex(type_) || MayMeetInfinity(wanted.imag, got.imag, i, true))) {
      Claim(subject_.profile, Freedom::kReassociation, finding);
      return absl::OkStatus();
    }
    if (bounds_.may_overflow.empty() || !bounds_.may_overflow[i] || !IsRounded(type_)) {
      return absl::OkStatus();
    }
    // A complex number with a non-finite part has no finite part after a multiplication.
    if (PartMayOverflow(wanted.bits, got.bits, i, false) &&
        (!IsComplex(type_) || PartMayOverflow(wanted.imag, got.imag, i, true))) {
      Claim(subject_.profile, Freedom::kReassociation, finding);
    } else if (kind_ == analysis::ReducerKind::kMultiply && MayUnderflow(i)) {
      finding->verdict = Verdict::kNotJudgeable;
      finding->reason = "partial products may overflow in one order and underflow in another";
    } else if (MaySaturate()) {
      finding->verdict = Verdict::kNotJudgeable;
      finding->reason = "partial sums may saturate, and the terms after that take them anywhere";
    }
    return absl::OkStatus();
  }

  // Returns true if a part of a sum with terms that are not finite may be `got`: an infinity may
  // meet one of the other sign, to which finite terms overflow. Parts of complex sums are added up
  // on their own, and one without such terms may overflow or be what its bound permits.
  bool MayMeetInfinity(uint64_t wanted, uint64_t got, int64_t i, bool imaginary) {
    if (wanted == got || (IsNan(part_, wanted) && IsNan(part_, got))) return true;
    if (IsInfinity(part_, wanted) && IsNan(part_, got) &&
        (bounds_.parts.empty() || bounds_.parts[i][imaginary].meets_infinity)) {
      return true;
    }
    if (!IsComplex(type_) || IsNan(part_, wanted)) return false;
    const Literal* const exact = IsInfinity(part_, wanted) && !bounds_.absolute.empty()
                                     ? Exact(HasBoundBeyond(BoundsOf(i, imaginary)))
                                     : nullptr;
    // An infinite term decides.
    if (exact != nullptr && std::isinf(ExactPart(*exact, i, imaginary))) return false;
    return PartMayOverflow(wanted, got, i, imaginary);
  }

  // Returns true if a product that is not finite may underflow to zero in another order.
  bool MayUnderflow(int64_t i) const {
    const Element wanted = golden_.Get(i);
    return (HasOverflowed(wanted.bits) || (IsComplex(type_) && HasOverflowed(wanted.imag))) &&
           bounds_.vacuous[i] > bounds_.absolute[i];
  }

  bool HasOverflowed(uint64_t bits) const {
    return IsNan(part_, bits) || IsInfinity(part_, bits) || bits == Infinity(part_) ||
           bits == Infinity(part_, /*negative=*/true);
  }

  // Returns true if an overflow may lead to the infinity or NaN.
  bool MayOverflowTo(uint64_t got, const Bounds::Sides& sides) const {
    if (IsNan(part_, got)) {
      const bool stands_for_infinity = Info(part_).format->overflow == Overflow::kNan;
      return sides.nan || (stands_for_infinity && (sides.positive || sides.negative));
    }
    return IsNegative(part_, got) ? sides.negative : sides.positive;
  }

  bool PartMayOverflow(uint64_t wanted, uint64_t got, int64_t i, bool imaginary) {
    if (wanted == got) return true;
    if (bounds_.absolute.empty()) return HasOverflowed(got);
    const Bounds::OfPart part = BoundsOf(i, imaginary);
    if (HasOverflowed(got)) {
      return (bounds_.parts.empty() || part.may_overflow) && MayOverflowTo(got, part.sides);
    }
    const double value = DecodeFloat(part_, got);
    if (!bounds_.others.empty() && bounds_.others[i].Hold(value)) return true;
    if (!HasOverflowed(wanted)) {
      ElementFinding finding;
      Measure(DecodeFloat(part_, wanted), value, i, imaginary, &finding);
      return !finding.open();
    }
    const bool beyond = HasBoundBeyond(part);
    const Literal* const exact = Exact(beyond);
    if (exact == nullptr) return false;
    const double sum = ExactPart(*exact, i, imaginary);
    // Other values of products beyond the largest double are among `others`.
    if (std::isinf(sum) && !IsComplex(type_)) return false;
    if (!beyond && !bounds_.unrounded.empty()) return IsNear(sum, value, i);
    const double bound = beyond                       ? part.beyond
                         : bounds_.from_exact.empty() ? part.absolute
                                                      : bounds_.from_exact[i];
    return std::fabs(sum - (beyond ? Scaled(value) : value)) <= bound + std::fabs(sum) * 0x1p-53;
  }

  // ops_structural.md 11: a non-finite value reaches the whole line of a transform. The algorithm
  // decides what it becomes there, since a factor of 0 makes it NaN or is skipped. The imaginary
  // part of a sum of real numbers is 0 or NaN (structural_53).
  absl::Status TryNonFinite(int64_t i, ElementFinding* finding) {
    if (!bounds_.opens_non_finite || bounds_.may_overflow[i]) return absl::OkStatus();
    const auto is_finite = [&](Element element) {
      return std::isfinite(DecodeFloat(part_, element.bits)) &&
             (!IsComplex(type_) || std::isfinite(DecodeFloat(part_, element.imag)));
    };
    const Element got = actual_.Get(i);
    if (IsSumOfReals(subject_.instruction, i) && !IsZero(part_, got.imag) &&
        !IsNan(part_, got.imag)) {
      return absl::OkStatus();
    }
    if (!is_finite(golden_.Get(i)) && !is_finite(got)) {
      Claim(subject_.profile, Freedom::kReassociation, finding);
    }
    return absl::OkStatus();
  }

  // Decision X-1 for the products inside an instruction: it is not specified which non-finite
  // product a non-finite factor gives.
  absl::Status TryComplexProducts(int64_t i, ElementFinding* finding) {
    const bool multiplies = kind_ == analysis::ReducerKind::kMultiply ||
                            subject_.instruction.info().family == Family::kContraction;
    if (!IsComplex(type_) || !multiplies || AllFinite(subject_.operands)) return absl::OkStatus();
    const auto is_open = [&](Element element) {
      return !std::isfinite(DecodeFloat(part_, element.bits)) ||
             !std::isfinite(DecodeFloat(part_, element.imag));
    };
    if (is_open(golden_.Get(i)) && is_open(actual_.Get(i))) {
      Decide(subject_.profile, DecisionPoint::kComplexNonFinite, finding);
    }
    return absl::OkStatus();
  }

  bool MaySaturate() const {
    if (Info(part_).format->overflow != Overflow::kSaturate) return false;
    const bool contraction = subject_.instruction.info().family == Family::kContraction;
    return subject_.profile.Grants(Freedom::kReassociation) &&
           subject_.profile.FindAccumulation(type_, contraction).partials;
  }

  // Decision V-9: an iota converts its indices (3.14), of which 0 is a NaN of f8e8m0fnu for golden.
  absl::Status TryZeroScale(int64_t i, ElementFinding* finding) {
    if (subject_.instruction.opcode() == Opcode::kIota && type_ == ElementType::kF8E8M0FNU &&
        IsNan(type_, golden_.Get(i).bits) && actual_.Get(i).bits == 0) {
      Decide(subject_.profile, DecisionPoint::kZeroScale, finding);
    }
    return absl::OkStatus();
  }

  absl::Status TryWindows(int64_t i, ElementFinding* finding) {
    if (!readings_) {
      absl::StatusOr<std::vector<Literal>> values =
          OtherWindowReadings(subject_.instruction, subject_.operands, subject_.evaluate);
      if (!values.ok()) return values.status();
      readings_ = *std::move(values);
    }
    for (const Literal& reading : *readings_) {
      if (!AgreesWith(Flatten(reading)[leaf_].Get(i), i)) continue;
      Decide(subject_.profile,
             subject_.instruction.opcode() == Opcode::kConvolution
                 ? DecisionPoint::kConvolutionPadding
                 : DecisionPoint::kWindowPadding,
             finding);
    }
    return absl::OkStatus();
  }

  // Returns true if the profile permits the element for another golden value.
  bool AgreesWith(Element wanted, int64_t i) {
    if (wanted == actual_.Get(i)) return true;
    ElementFinding found;
    other_reading_ = true;
    Examine(wanted, i, /*zero_is_open=*/true, &found);
    other_reading_ = false;
    return !found.open();
  }

  absl::Status TryStarts(int64_t i, ElementFinding* finding) {
    if (starts_neutral_) return absl::OkStatus();
    if (!starts_) starts_.emplace(subject_, leaf_, golden_, actual_);
    const double slack = bounds_.absolute.empty() ? 0 : bounds_.absolute[i];
    const absl::StatusOr<StartAnswer> explained = starts_->Explain(i, SumsOf(i), slack);
    if (!explained.ok()) return explained.status();
    const DecisionPoint point = DecisionPoint::kReduceStart;
    const bool nan = bounds_.start_makes_nan && IsNan(part_, actual_.Get(i).bits);
    bool vacuous = *explained == StartAnswer::kVacuous;
    if (*explained == StartAnswer::kYes || nan) {
      Decide(subject_.profile, point, finding);
      return absl::OkStatus();
    }
    const absl::StatusOr<Verdict> missing = JudgeWithoutStart(i);
    if (!missing.ok()) return missing.status();
    vacuous |= *missing == Verdict::kNotJudgeable;
    if (*missing < Verdict::kNotJudgeable) {
      Decide(subject_.profile, point, finding);
    } else if (vacuous && subject_.profile.Admits(point)) {
      finding->verdict = Verdict::kNotJudgeable;
      finding->reason =
          "accumulation in a type too narrow for the terms does not tell how often the start value "
          "counts";
    }
    return absl::OkStatus();
  }

  // Returns the parts of a sum with its start value.
  std::vector<StartSum> SumsOf(int64_t i) {
    std::vector<StartSum> sums;
    if (kind_ != analysis::ReducerKind::kAdd || bounds_.absolute.empty()) return sums;
    for (const bool imaginary : {false, true}) {
      if (imaginary && !IsComplex(type_)) break;
      const auto bits = [imaginary](Element element) {
        return imaginary ? element.imag : element.bits;
      };
      const Bounds::OfPart part = BoundsOf(i, imaginary);
      const bool beyond = HasBoundBeyond(part);
      const auto scaled = [&](double value) { return beyond ? Scaled(value) : value; };
      StartSum sum;
      const uint64_t wanted = bits(golden_.Get(i));
      sum.exact = scaled(DecodeFloat(part_, wanted));
      if (HasOverflowed(wanted)) {
        const Literal* const exact = Exact(beyond);
        if (exact != nullptr) sum.exact = ExactPart(*exact, i, imaginary);
      }
      sum.start = scaled(DecodeFloat(part_, bits(subject_.operands[1].Get(0))));
      sum.largest = scaled(DecodeFloat(part_, MaxFinite(part_)));
      sum.actual = scaled(DecodeFloat(part_, bits(actual_.Get(i))));
      sum.same = wanted == bits(actual_.Get(i)) ||
                 (IsNan(part_, wanted) && IsNan(part_, bits(actual_.Get(i))));
      sum.slack = beyond ? part.beyond : part.absolute;
      const int exponent = beyond ? BeyondExponent(subject_.instruction) : 0;
      sum.magnitudes = std::ldexp(part.magnitudes.value, part.magnitudes.exponent - exponent);
      sums.push_back(sum);
    }
    return sums;
  }

  // Judges the element by the value without the start value, which has bounds of its own.
  absl::StatusOr<Verdict> JudgeWithoutStart(int64_t i) {
    if (!without_) {
      absl::Status status = MakeWithoutStart();
      if (!status.ok()) return status;
    }
    if (*without_ == nullptr) return Verdict::kWrong;
    ArrayJudge& other = **without_;
    if (other.golden_.Get(i) == actual_.Get(i)) return Verdict::kExact;
    const absl::StatusOr<ElementFinding> finding = other.Judge(i);
    if (!finding.ok()) return finding.status();
    return finding->verdict;
  }

  // Makes the judge of the reduction without its start value, null if there is none.
  absl::Status MakeWithoutStart() {
    const absl::StatusOr<const StartUses::Without*> without = starts_->WithoutStart();
    if (!without.ok()) return without.status();
    without_.emplace();
    if (*without != nullptr) {
      const StartUses::Without& other = **without;
      without_subject_.emplace(
          Subject{subject_.instruction, other.operands, subject_.evaluate, subject_.profile});
      absl::StatusOr<Bounds> bounds = FindBounds(*without_subject_, leaf_, other.golden);
      if (!bounds.ok()) return bounds.status();
      without_bounds_ = *std::move(bounds);
      *without_ = std::make_unique<ArrayJudge>(*without_subject_, leaf_, other.golden, actual_,
                                               without_bounds_);
    } else {
      absl::StatusOr<std::optional<StartUses::SumWithout>> sum = starts_->SumWithoutStart();
      if (!sum.ok()) return sum.status();
      if (!*sum) return absl::OkStatus();
      sum_without_ = **std::move(sum);
      *without_ = std::make_unique<ArrayJudge>(subject_, leaf_, sum_without_.golden, actual_,
                                               sum_without_.bounds);
      (*without_)->exact_[0] = sum_without_.exact;
    }
    (*without_)->starts_neutral_ = true;
    return absl::OkStatus();
  }

  const Subject& subject_;
  const size_t leaf_;
  const Literal& golden_;
  const Literal& actual_;
  const ElementType type_, part_;
  const analysis::ReducerKind kind_;
  const Bounds& bounds_;
  std::optional<Literal> flushed_;
  std::optional<std::vector<Literal>> readings_;
  std::optional<Literal> exact_[2];
  std::optional<StartUses> starts_;
  // the same reduction without its start value
  std::optional<Subject> without_subject_;
  Bounds without_bounds_;
  StartUses::SumWithout sum_without_;
  std::optional<std::unique_ptr<ArrayJudge>> without_;
  bool starts_neutral_ = false;  // this judge is `without_` of another; zeros may have either sign
  // true while another reading is examined, whose exact value is different
  bool other_reading_ = false;
};

}  // namespace

absl::StatusOr<std::vector<ElementFinding>> JudgeArray(const Subject& subject, size_t leaf,
                                                       const Literal& golden, const Literal& actual,
                                                       const Bounds& bounds,
                                                       const std::vector<int64_t>& positions) {
  ArrayJudge judge(subject, leaf, golden, actual, bounds);
  std::vector<ElementFinding> findings;
  for (const int64_t position : positions) {
    absl::StatusOr<ElementFinding> finding = judge.Judge(position);
    if (!finding.ok()) return finding.status();
    findings.push_back(*std::move(finding));
  }
  return findings;
}

}  // namespace assay::conformance
