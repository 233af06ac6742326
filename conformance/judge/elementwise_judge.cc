#include "conformance/judge/elementwise_judge.h"

#include <algorithm>

#include "conformance/judge/decision_points.h"
#include "conformance/judge/freedoms.h"
#include "conformance/judge/gathered_elements.h"
#include "conformance/judge/given_nans.h"
#include "conformance/judge/rounds.h"
#include "evaluator/real/dyadic.h"

namespace assay::conformance {
namespace {

using Answer = Measure::Answer;

class ElementwiseJudge {
 public:
  ElementwiseJudge(const Subject& subject, const ElementRule& rule, const Literal& golden,
                   const Literal& actual, const std::vector<int64_t>& positions)
      : subject_(subject),
        rule_(rule),
        golden_(golden),
        actual_(actual),
        positions_(positions),
        type_(golden.element_type()),
        part_(Info(type_).component),
        findings_(positions.size()) {}

  absl::StatusOr<std::vector<ElementFinding>> Run() {
    std::vector<size_t> unknown;
    for (size_t k = 0; k < positions_.size(); ++k) {
      if (Examine(golden_.Get(positions_[k]), k, std::nullopt, ZeroIsOpen(k), &findings_[k]) ==
          Answer::kUnknown) {
        unknown.push_back(k);
      }
    }
    if (absl::Status status = DecideByExactValue(unknown); !status.ok()) return status;
    if (absl::Status status = TryFlushing(); !status.ok()) return status;
    for (size_t k = 0; k < positions_.size(); ++k) {
      if (findings_[k].open()) TryDecisionPoints(k);
    }
    if (absl::Status status = TryLeastScale(); !status.ok()) return status;
    return std::move(findings_);
  }

 private:
  Element Actual(size_t k) const { return actual_.Get(positions_[k]); }
  bool ZeroIsOpen(size_t k) const {
    return ZeroSignIsOpen(subject_.instruction, subject_.operands, positions_[k]);
  }
  std::vector<Element> Operands(size_t k) const {
    std::vector<Element> elements;
    for (const Literal& operand : subject_.operands) {
      elements.push_back(OperandElement(operand, positions_[k]));
    }
    return elements;
  }

  // Judges the actual element `k` against `wanted`, the value for some operands.
  Answer Examine(Element wanted, size_t k, const ExactValue& exact, bool zero_is_open,
                 ElementFinding* finding) const {
    *finding = ElementFinding();
    const Element got = Actual(k);
    if (!IsRounded(type_)) return Answer::kOutside;
    const bool is_complex = IsComplex(type_);
    bool nans = false, zeros = false, rest = false;
    for (int p = 0; p < (is_complex ? 2 : 1); ++p) {
      const uint64_t a = p == 0 ? wanted.bits : wanted.imag, b = p == 0 ? got.bits : got.imag;
      if (a == b) continue;
      const bool nan = IsNan(part_, a) && IsNan(part_, b);
      const bool zero = IsZero(part_, a) && IsZero(part_, b);
      if (nan && !MayBeNan(subject_.instruction, part_, a, b, subject_.profile)) {
        finding->reason = Moves(subject_.instruction) ? "a move keeps the bits of a NaN"
                                                      : "abs and negate set the sign of a NaN";
        return Answer::kOutside;
      }
      nans |= nan;
      zeros |= zero;
      rest |= !nan && !zero;
    }
    if (rest) {
      if (rule_.OutOfRange(got)) {
        finding->reason = "outside of the range of the function";
        return Answer::kOutside;
      }
      const Literal& operand = subject_.operands[0];
      const bool special =
          subject_.operands.size() == 1 && !is_complex && IsFloat(operand.element_type()) &&
          IsSpecialPoint(
              subject_.instruction.opcode(),
              DecodeFloat(operand.element_type(), OperandElement(operand, positions_[k]).bits));
      if (special) {
        finding->reason = "the exact value is one of the type";
        return Answer::kOutside;
      }
      const bool overflows =
          is_complex && operand.element_type() == type_ &&
          IsInfiniteByOverflow(subject_.instruction.opcode(), type_, Operands(k));
      const Measure measure = rule_.Test(wanted, got, exact, overflows);
      finding->measured = !rule_.strict() && !HasNan(wanted) && !HasNan(got);
      finding->bound = measure.bound;
      finding->distance = measure.distance;
      if (measure.answer != Answer::kInside) return measure.answer;
      finding->verdict = Verdict::kWithinBound;
    }
    if (zeros && !zero_is_open) {
      finding->verdict = Verdict::kWrong;
      return Answer::kOutside;
    }
    for (const Freedom freedom : {Freedom::kNanPayload, Freedom::kSignedZero}) {
      if (!(freedom == Freedom::kNanPayload ? nans : zeros)) continue;
      if (!subject_.profile.Grants(freedom)) finding->verdict = Verdict::kWrong;
      Claim(subject_.profile, freedom, finding);
      if (finding->open()) return Answer::kOutside;
    }
    return Answer::kInside;
  }

  absl::Status DecideByExactValue(const std::vector<size_t>& unknown) {
    if (unknown.empty()) return absl::OkStatus();
    GatheredElements gathered(subject_, type_);
    for (const size_t k : unknown) gathered.Add(Operands(k));
    if (absl::Status status = gathered.Evaluate(/*exact=*/true); !status.ok()) return status;
    for (size_t slot = 0; slot < unknown.size(); ++slot) {
      const size_t k = unknown[slot];
      const ExactValue exact = gathered.Exact(static_cast<int64_t>(slot));
      ElementFinding& finding = findings_[k];
      if (Examine(golden_.Get(positions_[k]), k, exact, ZeroIsOpen(k), &finding) ==
          Answer::kUnknown) {
        Concede(&finding);
      }
    }
    return absl::OkStatus();
  }

  // No type is wider than f64. The element passes if some possible exact value permits it.
  static void Concede(ElementFinding* finding) {
    const bool finite = std::isfinite(finding->distance);
    finding->verdict = finite ? Verdict::kWithinBound : Verdict::kNotJudgeable;
    if (!finite) finding->reason = "how far the exact value is beyond f64 is not known";
  }

  // Operands as they are and with every subset of their denormals replaced by a zero of either
  // sign (accuracy_requirements.md 1, DAZ_IN; ops_elementwise_and_types.md 3.3).
  std::vector<std::vector<Element>> FlushedOperands(size_t k, bool daz) const {
    std::vector<std::vector<Element>> variants = {Operands(k)};
    for (size_t operand = 0; operand < subject_.operands.size(); ++operand) {
      const ElementType type = subject_.operands[operand].element_type();
      if (!IsRounded(type) || !(daz || subject_.profile.MayFlushOperands(type))) continue;
      const ElementType part = Info(type).component;
      for (uint64_t Element::*const bits : {&Element::bits, &Element::imag}) {
        if (bits == &Element::imag && !IsComplex(type)) break;
        if (!IsSubnormal(part, variants[0][operand].*bits)) continue;
        const size_t before = variants.size();
        for (const double zero : {0.0, -0.0}) {
          for (size_t v = 0; v < before; ++v) {
            std::vector<Element> flushed = variants[v];
            flushed[operand].*bits = EncodeFloat(part, zero);
            variants.push_back(std::move(flushed));
          }
        }
      }
    }
    return variants;
  }

  // If the profile does not permit flushing, flushing is tried only for elements that are shown, to
  // give a reason.
  bool IsWorthFlushing(size_t k, bool granted, int* looked) const {
    return findings_[k].open() && (granted || ++*looked <= kShownEvidence);
  }

  absl::Status TryFlushing() {
    if (!MayFlush(subject_.instruction)) return absl::OkStatus();
    const bool granted = subject_.profile.Grants(Freedom::kDenormals);
    GatheredElements gathered(subject_, type_);
    struct Slots {
      size_t k;
      int64_t first, count;
    };
    std::vector<Slots> slots;
    int looked = 0;
    for (size_t k = 0; k < positions_.size(); ++k) {
      if (!IsWorthFlushing(k, granted, &looked)) continue;
      const std::vector<std::vector<Element>> variants = FlushedOperands(k, !granted);
      const bool result = HasZeroPart(Actual(k));
      if (variants.size() == 1 && !result) continue;
      slots.push_back({k, gathered.size(), static_cast<int64_t>(variants.size())});
      for (const std::vector<Element>& variant : variants) gathered.Add(variant);
    }
    if (slots.empty()) return absl::OkStatus();
    if (absl::Status status = gathered.Evaluate(/*exact=*/true); !status.ok()) return status;
    for (const Slots& each : slots) {
      for (int64_t v = 0; v < each.count; ++v) {
        const int64_t slot = each.first + v;
        if (IsFlushed(gathered.Golden(slot), gathered.Exact(slot), each.k, v > 0, granted)) {
          Claim(subject_.profile, Freedom::kDenormals, &findings_[each.k]);
          break;
        }
      }
    }
    return absl::OkStatus();
  }

  bool HasNan(Element element) const {
    return IsNan(part_, element.bits) || (IsComplex(type_) && IsNan(part_, element.imag));
  }

  bool HasZeroPart(Element element) const {
    return IsRounded(type_) &&
           (IsZero(part_, element.bits) || (IsComplex(type_) && IsZero(part_, element.imag)));
  }

  // Returns true if a real f64 product is the least normal value although the exact product is
  // below it. A target that flushes may test the exact product (accuracy_requirements.md 1). Parts
  // of complex products have a bound that takes this in (ElementRule).
  bool IsRoundedUpToNormal(size_t k) const {
    if (subject_.instruction.opcode() != Opcode::kMultiply || type_ != ElementType::kF64 ||
        std::fabs(DecodeFloat(part_, golden_.Get(positions_[k]).bits)) != SmallestNormal(part_)) {
      return false;
    }
    const std::vector<Element> operands = Operands(k);
    const auto factor = [&](size_t operand) {
      return evaluator::real::Dyadic(DecodeFloat(part_, operands[operand].bits));
    };
    const evaluator::real::Dyadic exact = factor(0) * factor(1);
    return !exact.IsZero() && exact.top() <= std::ilogb(SmallestNormal(part_));
  }

  // Returns true if actual element `k` is the value for operands of which some are flushed. Its own
  // denormals may be flushed or not.
  bool IsFlushed(Element wanted, const ExactValue& exact, size_t k, bool operands_flushed,
                 bool granted) const {
    const Element got = Actual(k);
    bool flushed = operands_flushed;
    if (IsRounded(type_) && (!granted || subject_.profile.MayFlushResults(type_))) {
      const auto flush = [&](uint64_t Element::*bits, double size) {
        uint64_t* const value = &(wanted.*bits);
        const uint64_t actual = got.*bits;
        const double normal = SmallestNormal(part_);
        const double slack = rule_.strict() ? 0 : rule_.BoundAt(normal);
        const bool small =
            IsSubnormal(part_, *value) || (exact ? size != 0 && size < normal + slack
                                                 : !operands_flushed && IsRoundedUpToNormal(k));
        if (!small || !IsZero(part_, actual)) return;
        *value = actual;
        flushed = true;
      };
      flush(&Element::bits, exact ? std::fabs(exact->real()) : 0);
      if (IsComplex(type_)) flush(&Element::imag, exact ? std::fabs(exact->imag()) : 0);
    }
    if (!flushed) return false;
    if (wanted == got) return true;
    ElementFinding finding;
    const Answer answer = Examine(wanted, k, exact, /*zero_is_open=*/true, &finding);
    return answer != Answer::kOutside;
  }

  bool HasLeastScale(size_t k) const {
    for (const Literal& operand : subject_.operands) {
      if (operand.element_type() == ElementType::kF8E8M0FNU &&
          OperandElement(operand, positions_[k]).bits == 0) {
        return true;
      }
    }
    return false;
  }

  // Decision N-9: 2^-127, a denormal of f32, is treated as zero in operands.
  absl::Status TryLeastScale() {
    if (!MayFlush(subject_.instruction) || !IsFloat(type_)) return absl::OkStatus();
    GatheredElements gathered(subject_, type_, GatheredElements::LeastScale::kZero);
    std::vector<size_t> open;
    for (size_t k = 0; k < positions_.size(); ++k) {
      if (!findings_[k].open() || !HasLeastScale(k)) continue;
      open.push_back(k);
      gathered.Add(Operands(k));
    }
    if (open.empty()) return absl::OkStatus();
    if (absl::Status status = gathered.Evaluate(/*exact=*/true); !status.ok()) return status;
    for (size_t slot = 0; slot < open.size(); ++slot) {
      const ExactValue exact = gathered.Exact(static_cast<int64_t>(slot));
      if (!exact) continue;
      const Element wanted{EncodeFloat(type_, exact->real())};
      ElementFinding found;
      if (wanted == Actual(open[slot]) ||
          Examine(wanted, open[slot], exact, /*zero_is_open=*/true, &found) != Answer::kOutside) {
        Decide(subject_.profile, DecisionPoint::kLeastScale, &findings_[open[slot]]);
      }
    }
    return absl::OkStatus();
  }

  void TryDecisionPoints(size_t k) {
    const std::optional<DecisionPoint> point =
        PointThatGives(subject_.instruction, subject_.operands, type_, golden_.Get(positions_[k]),
                       Actual(k), positions_[k], subject_.profile);
    if (point) Decide(subject_.profile, *point, &findings_[k]);
  }

  const Subject& subject_;
  const ElementRule& rule_;
  const Literal& golden_;
  const Literal& actual_;
  const std::vector<int64_t>& positions_;
  const ElementType type_, part_;
  std::vector<ElementFinding> findings_;
};

}  // namespace

absl::StatusOr<std::vector<ElementFinding>> JudgeElements(const Subject& subject,
                                                          const ElementRule& rule,
                                                          const Literal& golden,
                                                          const Literal& actual,
                                                          const std::vector<int64_t>& positions) {
  return ElementwiseJudge(subject, rule, golden, actual, positions).Run();
}

}  // namespace assay::conformance
