#include "conformance/judge/allowance.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/comparison.h"
#include "conformance/judge/freedoms.h"
#include "conformance/judge/residuals.h"
#include "conformance/judge/window_readings.h"
#include "evaluator/facts/isolate.h"
#include "evaluator/facts/widened_fold.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

// Replaces every element by f of its parts.
template <typename F>
Literal MapParts(const Literal& literal, F f) {
  Literal mapped = literal;
  if (!literal.is_array() ||
      !(IsFloat(literal.element_type()) || IsComplex(literal.element_type()))) {
    return mapped;
  }
  const ElementType part = PartType(literal);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    Element element = literal.Get(i);
    element.bits = f(part, element.bits);
    if (IsComplex(literal.element_type())) element.imag = f(part, element.imag);
    mapped.Set(i, element);
  }
  return mapped;
}

// Denormals to zeros of the same sign.
uint64_t Flush(ElementType type, uint64_t bits) {
  if (!IsFlushed(type) || !IsSubnormal(type, bits)) return bits;
  return EncodeFloat(type, IsNegative(type, bits) ? -0.0 : 0.0);
}

class Judge {
 public:
  Judge(const Instruction& instruction, absl::Span<const Literal> operands,
        const Evaluate& evaluate)
      : subject_{instruction, operands, evaluate} {}

  absl::StatusOr<Judgement> Run(const Literal& golden, const Literal& actual) {
    const std::vector<Literal> golden_leaves = Flatten(golden);
    const std::vector<Literal> actual_leaves = Flatten(actual);
    for (size_t leaf = 0; leaf < golden_leaves.size(); ++leaf) {
      if (!golden_leaves[leaf].is_array()) continue;
      if (HasResidual(subject_.instruction.opcode())) {
        JudgeResidual(golden_leaves[leaf], actual_leaves[leaf]);
        continue;
      }
      absl::StatusOr<Bounds> bounds = FindBounds(subject_, leaf, golden_leaves[leaf]);
      if (!bounds.ok()) return bounds.status();
      if (judgement_.rule.empty()) {
        judgement_.rule = bounds->rule;
      } else if (!absl::StrContains(judgement_.rule, bounds->rule)) {
        absl::StrAppend(&judgement_.rule, ", ", bounds->rule);
      }
      absl::Status status = JudgeArray(leaf, golden_leaves[leaf], actual_leaves[leaf], *bounds);
      if (!status.ok()) return status;
    }
    return judgement_;
  }

 private:
  // The instruction itself on flushed operands, its result flushed.
  absl::StatusOr<Literal> FlushedLeaf(size_t leaf) const {
    std::vector<Literal> flushed;
    for (const Literal& operand : subject_.operands) flushed.push_back(MapParts(operand, Flush));
    absl::StatusOr<Literal> value =
        subject_.evaluate(*IsolateInstruction(subject_.instruction), flushed);
    if (!value.ok()) return value.status();
    return MapParts(Flatten(*value)[leaf], Flush);
  }

  void JudgeResidual(const Literal& golden, const Literal& actual) {
    judgement_.rule = "n u |factors|";
    const std::vector<Explanation> explanations = ExplainByResidual(subject_, golden, actual);
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      Count(explanations[i], golden, 0, i, golden.Get(i), actual.Get(i));
    }
  }

  absl::Status JudgeArray(size_t leaf, const Literal& golden, const Literal& actual,
                          const Bounds& bounds) {
    const ElementType type = golden.element_type();
    const bool flushes = MayFlush(subject_.instruction);
    std::optional<Literal> flushed;
    std::optional<std::vector<Literal>> readings;
    for (int64_t i = 0; i < golden.element_count(); ++i) {
      const Element wanted = golden.Get(i);
      const Element got = actual.Get(i);
      Explanation explanation = Explain(type, wanted, got, bounds, i,
                                        ZeroSignIsOpen(subject_.instruction, subject_.operands, i));
      if (explanation >= Explanation::kNotJudgeable && flushes) {
        if (!flushed) {
          absl::StatusOr<Literal> value = FlushedLeaf(leaf);
          if (!value.ok()) return value.status();
          flushed = *std::move(value);
        }
        if (IsFlush(type, wanted, flushed->Get(i), got, bounds, i)) {
          explanation = Explanation::kFlushed;
        }
      }
      if (explanation >= Explanation::kNotJudgeable && IsOverflow(type, wanted, got, bounds, i)) {
        explanation = Explanation::kFreedom;
      }
      if (explanation == Explanation::kUnexplained &&
          IsAdmitted(subject_.instruction, subject_.operands, type, wanted, got, i)) {
        explanation = Explanation::kFreedom;
      }
      if (explanation == Explanation::kUnexplained) {
        if (!readings) {
          absl::StatusOr<std::vector<Literal>> values =
              OtherWindowReadings(subject_.instruction, subject_.operands, subject_.evaluate);
          if (!values.ok()) return values.status();
          readings = *std::move(values);
        }
        for (const Literal& reading : *readings) {
          const Element other = Flatten(reading)[leaf].Get(i);
          if (Explain(type, other, got, bounds, i, /*zero_sign_open=*/true) <
              Explanation::kNotJudgeable) {
            explanation = Explanation::kFreedom;
          }
        }
      }
      Count(explanation, golden, leaf, i, wanted, got);
    }
    return absl::OkStatus();
  }

  Explanation Explain(ElementType type, Element wanted, Element got, const Bounds& bounds,
                      int64_t i, bool zero_sign_open) {
    if (wanted == got) return Explanation::kEqual;
    const ElementType part = Info(type).component;
    if (IsComplex(type)) return ExplainComplex(part, wanted, got, bounds, i, zero_sign_open);
    if (!IsFloat(type)) return Explanation::kUnexplained;
    const double bound = bounds.absolute.empty()
                             ? Allowed(part, bounds.ulps, DecodeFloat(part, wanted.bits))
                             : bounds.absolute[i];
    return ExplainPart(part, wanted.bits, got.bits, bound, bounds, i, zero_sign_open);
  }

  Explanation ExplainPart(ElementType part, uint64_t wanted, uint64_t got, double bound,
                          const Bounds& bounds, int64_t i, bool zero_sign_open) {
    if (wanted == got || (IsNan(part, wanted) && IsNan(part, got))) return Explanation::kEqual;
    if (IsZero(part, wanted) && IsZero(part, got)) {
      return zero_sign_open ? Explanation::kZeroSign : Explanation::kUnexplained;
    }
    const double vacuous = bounds.vacuous.empty() ? bound : bounds.vacuous[i];
    return Inside(DecodeFloat(part, wanted), DecodeFloat(part, got), bound, vacuous);
  }

  Explanation ExplainComplex(ElementType part, Element wanted, Element got, const Bounds& bounds,
                             int64_t i, bool zero_sign_open) {
    const double re = DecodeFloat(part, wanted.bits), im = DecodeFloat(part, wanted.imag);
    const double bound = bounds.absolute.empty() ? Allowed(part, bounds.ulps, std::hypot(re, im))
                                                 : bounds.absolute[i];
    return std::max(ExplainPart(part, wanted.bits, got.bits, bound, bounds, i, zero_sign_open),
                    ExplainPart(part, wanted.imag, got.imag, bound, bounds, i, zero_sign_open));
  }

  // The exact value lies within half an ulp of the golden one.
  static double Allowed(ElementType part, double ulps, double golden) {
    return ulps == 0 ? 0 : (ulps + 0.5) * UlpOf(part, golden);
  }

  Explanation Inside(double wanted, double got, double bound, double vacuous) {
    if (!std::isfinite(wanted) || !std::isfinite(got)) return Explanation::kUnexplained;
    const double distance = std::fabs(wanted - got);
    if (distance <= bound && bound < kInfinity) {
      judgement_.largest_fraction = std::max(judgement_.largest_fraction, distance / bound);
      return Explanation::kWithin;
    }
    return bound < vacuous && distance <= vacuous ? Explanation::kNotJudgeable
                                                  : Explanation::kUnexplained;
  }

  // The value for flushed operands, itself flushed; or zero for a denormal result. Either zero
  // (accuracy_requirements.md 1), but only where something was flushed.
  bool IsFlush(ElementType type, Element wanted, Element flushed, Element got, const Bounds& bounds,
               int64_t i) {
    if (flushed == wanted) return false;
    return Explain(type, flushed, got, bounds, i, /*zero_sign_open=*/true) <
           Explanation::kNotJudgeable;
  }

  // ops_structural.md 14.2, "Overflow": where the terms can go past the largest finite value in
  // some order, what overflow gives is admitted, and NaN after it. Where the value itself goes past
  // it, so is a finite result near it.
  bool IsOverflow(ElementType type, Element wanted, Element got, const Bounds& bounds, int64_t i) {
    if (!IsFloat(type) || bounds.may_overflow.empty() || !bounds.may_overflow[i]) return false;
    auto overflowed = [type](uint64_t bits) {
      return IsNan(type, bits) || IsInfinity(type, bits) || bits == Infinity(type) ||
             bits == Infinity(type, /*negative=*/true);
    };
    if (overflowed(got.bits)) return true;
    const ReducerKind kind = FoldKind(subject_.instruction);
    if (kind == ReducerKind::kOther) return true;
    if (!overflowed(wanted.bits)) return false;
    if (!exact_) {
      absl::StatusOr<std::vector<double>> exact =
          FoldTerms(subject_, kind == ReducerKind::kAdd ? Opcode::kAdd : Opcode::kMultiply,
                    [](double value, bool) { return value; });
      exact_ = exact.ok() ? *std::move(exact) : std::vector<double>();
    }
    return !exact_->empty() &&
           std::fabs((*exact_)[i] - DecodeFloat(type, got.bits)) <= bounds.absolute[i];
  }

  void Count(Explanation explanation, const Literal& golden, size_t leaf, int64_t i, Element wanted,
             Element got) {
    ++judgement_.counts[static_cast<int>(explanation)];
    if (explanation == Explanation::kUnexplained &&
        judgement_.unexplained.size() < kShownUnexplained) {
      judgement_.unexplained.push_back({static_cast<int64_t>(leaf), i,
                                        PrintElement(golden.element_type(), wanted),
                                        PrintElement(golden.element_type(), got)});
    }
    judgement_.worst = std::max(judgement_.worst, explanation);
    const ElementType part = PartType(golden);
    if (!IsFloat(part) || IsNan(part, wanted.bits) || IsNan(part, got.bits)) return;
    uint64_t distance = UlpDistance(part, wanted.bits, got.bits);
    if (IsComplex(golden.element_type()) && !IsNan(part, wanted.imag) && !IsNan(part, got.imag)) {
      distance = std::max(distance, UlpDistance(part, wanted.imag, got.imag));
    }
    judgement_.largest_distance = std::max(judgement_.largest_distance, distance);
  }

  const Subject subject_;
  std::optional<std::vector<double>> exact_;  // the sum or product in f64
  Judgement judgement_;
};

}  // namespace

std::string Judgement::FirstUnexplained() const {
  if (unexplained.empty()) return "";
  const UnexplainedElement& first = unexplained.front();
  return absl::StrCat("element ", first.position, ": golden ", first.golden, ", actual ",
                      first.actual);
}

absl::string_view ExplanationName(Explanation explanation) {
  switch (explanation) {
    case Explanation::kEqual:
      return "equal";
    case Explanation::kWithin:
      return "within bound";
    case Explanation::kZeroSign:
      return "sign of zero";
    case Explanation::kFlushed:
      return "denormals flushed";
    case Explanation::kFreedom:
      return "allowed freedom";
    case Explanation::kNotJudgeable:
      return "not judgeable";
    case Explanation::kUnexplained:
      return "UNEXPLAINED";
  }
  return "";
}

absl::StatusOr<Judgement> JudgeInstruction(const Instruction& instruction,
                                           absl::Span<const Literal> operands,
                                           const Literal& golden, const Literal& actual,
                                           const Evaluate& evaluate) {
  if (!Shape::Compatible(golden.shape(), actual.shape())) {
    return absl::InvalidArgumentError(absl::StrCat("the result of ", instruction.Describe(),
                                                   " has shape ", actual.shape().ToString()));
  }
  return Judge(instruction, operands, evaluate).Run(golden, actual);
}

}  // namespace assay
