#include "conformance/judge/allowance.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/judge/element_rule.h"
#include "conformance/judge/elementwise_judge.h"
#include "conformance/judge/evidence.h"
#include "conformance/judge/freedoms.h"
#include "conformance/judge/order_freedoms.h"
#include "conformance/judge/random_values.h"
#include "conformance/judge/residuals.h"
#include "conformance/judge/rounds.h"
#include "conformance/judge/start_values.h"
#include "conformance/judge/window_readings.h"
#include "evaluator/facts/isolate.h"

namespace assay {
namespace {

template <typename Predicate>
Literal FlushWhere(const Literal& literal, Predicate may_flush) {
  const bool flushes = literal.is_array() && may_flush(literal.element_type());
  return flushes ? FlushDenormals(literal) : literal;
}

// Whether a position lies within the current sizes of dynamic dimensions.
bool IsValid(const Literal& literal, int64_t position) {
  for (int64_t d = literal.shape().rank(); d-- > 0;) {
    const int64_t size = literal.shape().dimension(d);
    if (position % size >= literal.dynamic_size(d)) return false;
    position /= size;
  }
  return true;
}

// Where the bits of the two differ, within their current sizes.
std::vector<int64_t> Differences(const Literal& golden, const Literal& actual) {
  std::vector<int64_t> positions;
  const int64_t size = golden.byte_size();
  if (size == 0 || std::memcmp(golden.data(), actual.data(), size) == 0) return positions;
  for (int64_t i = 0; i < golden.element_count(); ++i) {
    if (!(golden.Get(i) == actual.Get(i)) && IsValid(golden, i)) positions.push_back(i);
  }
  return positions;
}

// The elements of one array of the result of an instruction that is not elementwise.
class ArrayJudge {
 public:
  ArrayJudge(const Subject& subject, size_t leaf, const Literal& golden, const Literal& actual,
             Bounds bounds)
      : subject_(subject),
        leaf_(leaf),
        golden_(golden),
        actual_(actual),
        type_(golden.element_type()),
        part_(Info(type_).component),
        bounds_(std::move(bounds)) {}

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
    for (const auto step : {&ArrayJudge::TryFlushing, &ArrayJudge::TryOverflow,
                            &ArrayJudge::TryWindows, &ArrayJudge::TryStarts}) {
      if (!finding.open()) break;
      if (absl::Status status = (this->*step)(i, &finding); !status.ok()) return status;
    }
    return finding;
  }

 private:
  // Whether the actual element may stand for `wanted`.
  void Examine(Element wanted, int64_t i, bool zero_is_open, ElementFinding* finding) {
    const Element got = actual_.Get(i);
    if (!IsRounded(type_)) return;
    Part(wanted.bits, got.bits, i, zero_is_open, finding);
    if (!IsComplex(type_)) return;
    ElementFinding other;
    Part(wanted.imag, got.imag, i, zero_is_open, &other);
    if (wanted.bits == got.bits) {
      *finding = std::move(other);
    } else if (wanted.imag != got.imag && other.verdict > finding->verdict) {
      *finding = std::move(other);
    }
  }

  void Part(uint64_t wanted, uint64_t got, int64_t i, bool zero_is_open, ElementFinding* finding) {
    if (wanted == got) return;
    if (IsNan(part_, wanted) && IsNan(part_, got)) {
      if (KeepsNans(wanted, got)) {
        finding->reason = "a move keeps the bits of a NaN";
      } else {
        Claim(subject_.profile, Freedom::kNanPayload, finding);
      }
    } else if (IsZero(part_, wanted) && IsZero(part_, got)) {
      if (zero_is_open) Claim(subject_.profile, Freedom::kSignedZero, finding);
    } else {
      Measure(DecodeFloat(part_, wanted), DecodeFloat(part_, got), i, finding);
    }
  }

  // Decision N-2: moves of types of 32 bits and more keep payloads; narrower ones may be quieted.
  bool KeepsNans(uint64_t wanted, uint64_t got) const {
    const Family family = subject_.instruction.info().family;
    if (!Moves(subject_.instruction) || family == Family::kControl) return false;
    if (Info(part_).bits >= 32) return true;
    const uint64_t quiet = uint64_t{1} << (Info(part_).format->significand_bits - 1);
    const bool quieted = (wanted & quiet) == 0 && (got & quiet) != 0;
    return !quieted && (wanted | got) != got;
  }

  void Measure(double wanted, double got, int64_t i, ElementFinding* finding) {
    if (!std::isfinite(wanted) || !std::isfinite(got) || bounds_.absolute.empty()) return;
    const double bound = bounds_.absolute[i];
    finding->measured = true;
    finding->bound = bound;
    finding->distance = std::fabs(wanted - got);
    if (finding->distance <= bound && bound < kInfinity && IsNearExact(got, i, finding)) {
      if (bounds_.needs) Claim(subject_.profile, *bounds_.needs, finding);
      if (!bounds_.needs || (!finding->open() && !bounds_.is_freedom)) {
        finding->verdict = Verdict::kWithinBound;
      }
      return;
    }
    const double vacuous = bounds_.vacuous.empty() ? bound : bounds_.vacuous[i];
    if (!(bound < kInfinity) || (bound < vacuous && finding->distance <= vacuous)) {
      finding->verdict = Verdict::kNotJudgeable;
      finding->reason = FoldKind(subject_.instruction) == ReducerKind::kAdd
                            ? "accumulation in a type too narrow for the terms bounds nothing"
                            : "partial products out of the type's range bound nothing";
    }
  }

  // Where the golden value is far coarser than what it is made of, its own rounding must not be
  // added to the bound: the exact value decides.
  bool IsNearExact(double got, int64_t i, ElementFinding* finding) {
    if (bounds_.from_exact.empty() || IsComplex(type_)) return true;
    const std::vector<double>& exact = Exact();
    if (exact.empty() || !std::isfinite(exact[i])) return true;
    finding->bound = bounds_.from_exact[i];
    finding->distance = std::fabs(exact[i] - got);
    return finding->distance <= finding->bound + std::fabs(exact[i]) * 0x1p-50;
  }

  // The sum or product in f64; empty: none.
  const std::vector<double>& Exact() {
    if (!exact_) {
      const ReducerKind kind = FoldKind(subject_.instruction);
      absl::StatusOr<std::vector<double>> exact =
          FoldTerms(subject_, kind == ReducerKind::kAdd ? Opcode::kAdd : Opcode::kMultiply,
                    [](double value, bool) { return value; });
      exact_ = exact.ok() ? *std::move(exact) : std::vector<double>();
    }
    return *exact_;
  }

  // The value for flushed operands, itself flushed, as the profile has it. Either zero
  // (accuracy_requirements.md 1), but only where something was flushed.
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
          subject_.evaluate(*IsolateInstruction(subject_.instruction), operands);
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

  // ops_structural.md 14.2, "Overflow": where the terms can go past the largest finite value in
  // some order, what overflow gives is admitted, and NaN after it. Where the value itself goes past
  // it, so is a finite result near it.
  absl::Status TryOverflow(int64_t i, ElementFinding* finding) {
    if (bounds_.may_overflow.empty() || !bounds_.may_overflow[i]) return absl::OkStatus();
    if (IsComplex(type_) && FoldKind(subject_.instruction) != ReducerKind::kAdd) {
      finding->verdict = Verdict::kNotJudgeable;
      finding->reason = "partial products out of the type's range bound nothing";
    }
    if (!IsFloat(type_)) return absl::OkStatus();
    const ElementType type = type_;
    const auto overflowed = [type](uint64_t bits) {
      return IsNan(type, bits) || IsInfinity(type, bits) || bits == Infinity(type) ||
             bits == Infinity(type, /*negative=*/true);
    };
    const uint64_t got = actual_.Get(i).bits;
    const ReducerKind kind = FoldKind(subject_.instruction);
    // Of statistics that cancel nothing is known.
    bool near = overflowed(got) ||
                (kind == ReducerKind::kOther && subject_.instruction.opcode() != Opcode::kScan);
    if (!near && overflowed(golden_.Get(i).bits)) {
      near =
          !Exact().empty() && std::fabs(Exact()[i] - DecodeFloat(type, got)) <= bounds_.absolute[i];
    }
    if (near) {
      Claim(subject_.profile, Freedom::kReassociation, finding);
    } else if (MaySaturate()) {
      finding->verdict = Verdict::kNotJudgeable;
      finding->reason = "partial sums may saturate, and the terms after that take them anywhere";
    }
    return absl::OkStatus();
  }

  bool MaySaturate() const {
    if (Info(type_).format->overflow != Overflow::kSaturate) return false;
    const bool contraction = subject_.instruction.info().family == Family::kContraction;
    return subject_.profile.Grants(Freedom::kReassociation) &&
           subject_.profile.FindAccumulation(type_, contraction).partials;
  }

  absl::Status TryWindows(int64_t i, ElementFinding* finding) {
    if (!readings_) {
      absl::StatusOr<std::vector<Literal>> values =
          OtherWindowReadings(subject_.instruction, subject_.operands, subject_.evaluate);
      if (!values.ok()) return values.status();
      readings_ = *std::move(values);
    }
    for (const Literal& reading : *readings_) {
      const Element wanted = Flatten(reading)[leaf_].Get(i);
      ElementFinding found;
      if (wanted != actual_.Get(i)) Examine(wanted, i, /*zero_is_open=*/true, &found);
      if (wanted != actual_.Get(i) && found.open()) continue;
      if (subject_.profile.Admits(DecisionPoint::kWindowPadding)) {
        Claim(subject_.profile, Freedom::kImplementationDefined, finding);
      } else {
        finding->reason =
            absl::StrCat("decides W-14, which ", subject_.profile.name(), " does not admit");
      }
    }
    return absl::OkStatus();
  }

  absl::Status TryStarts(int64_t i, ElementFinding* finding) {
    const double slack = bounds_.absolute.empty() ? 0 : bounds_.absolute[i];
    if (!CountsStartOtherwise(subject_, golden_, actual_, i, slack)) return absl::OkStatus();
    if (subject_.profile.Admits(DecisionPoint::kReduceStart)) {
      Claim(subject_.profile, Freedom::kImplementationDefined, finding);
    } else {
      finding->reason =
          absl::StrCat("decides W-12, which ", subject_.profile.name(), " does not admit");
    }
    return absl::OkStatus();
  }

  const Subject& subject_;
  const size_t leaf_;
  const Literal& golden_;
  const Literal& actual_;
  const ElementType type_, part_;
  const Bounds bounds_;
  std::optional<Literal> flushed_;
  std::optional<std::vector<Literal>> readings_;
  std::optional<std::vector<double>> exact_;  // the sum or product in f64
};

bool SameSizes(const Literal& golden, const Literal& actual) {
  const std::vector<Literal> a = Flatten(golden), b = Flatten(actual);
  for (size_t leaf = 0; leaf < a.size(); ++leaf) {
    if (a[leaf].is_array() && a[leaf].current_sizes() != b[leaf].current_sizes()) return false;
  }
  return true;
}

class InstructionJudge {
 public:
  explicit InstructionJudge(const Subject& subject) : subject_(subject) {}

  absl::StatusOr<Judgement> Run(const Literal& golden, const Literal& actual) {
    const std::vector<Literal> golden_leaves = Flatten(golden);
    const std::vector<Literal> actual_leaves = Flatten(actual);
    for (size_t leaf = 0; leaf < golden_leaves.size(); ++leaf) {
      if (!golden_leaves[leaf].is_array()) continue;
      absl::Status status = JudgeLeaf(leaf, golden_leaves, actual_leaves);
      if (!status.ok()) return status;
    }
    return std::move(judgement_);
  }

 private:
  absl::Status JudgeLeaf(size_t leaf, const std::vector<Literal>& golden_leaves,
                         const std::vector<Literal>& actual_leaves) {
    const Literal& golden = golden_leaves[leaf];
    const Literal& actual = actual_leaves[leaf];
    const std::vector<int64_t> positions = Differences(golden, actual);
    const bool rounds = Rounds(subject_.instruction, golden.element_type());
    CountEqual(rounds, ValidCount(golden) - static_cast<int64_t>(positions.size()), &judgement_);
    if (positions.empty()) {
      AddRule(rounds ? "correctly rounded" : "exact");
      return absl::OkStatus();
    }
    absl::StatusOr<std::vector<ElementFinding>> findings = Find(leaf, golden, actual, positions);
    if (!findings.ok()) return findings.status();
    for (size_t k = 0; k < positions.size(); ++k) {
      ElementFinding& finding = (*findings)[k];
      if (finding.open()) {
        absl::Status status = TryOrders(leaf, positions[k], golden_leaves, actual_leaves, &finding);
        if (!status.ok()) return status;
      }
      Count(subject_, finding, golden, actual, static_cast<int64_t>(leaf), positions[k],
            &judgement_);
    }
    return absl::OkStatus();
  }

  // Elements within the current sizes of dynamic dimensions.
  static int64_t ValidCount(const Literal& literal) {
    int64_t count = 1;
    for (const int64_t size : literal.current_sizes()) count *= size;
    return count;
  }

  absl::Status TryOrders(size_t leaf, int64_t position, const std::vector<Literal>& golden,
                         const std::vector<Literal>& actual, ElementFinding* finding) {
    if (!orders_) {
      absl::StatusOr<OrderFreedoms> found = FindOrderFreedoms(subject_, golden, actual);
      if (!found.ok()) return found.status();
      orders_ = *std::move(found);
    }
    if (orders_->verdicts.empty()) return absl::OkStatus();
    const Verdict verdict = orders_->verdicts[leaf][position];
    if (verdict == Verdict::kAllowed) {
      Claim(subject_.profile, orders_->freedom, finding);
    } else if (verdict == Verdict::kNotJudgeable && subject_.profile.Grants(orders_->freedom)) {
      finding->verdict = verdict;
      finding->reason = orders_->reason;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<ElementFinding>> Find(size_t leaf, const Literal& golden,
                                                   const Literal& actual,
                                                   const std::vector<int64_t>& positions) {
    if (HasResidual(subject_.instruction.opcode())) return FindResidual(golden, actual, positions);
    if (subject_.instruction.info().elementwise()) {
      const ElementRule rule(subject_.instruction, golden.element_type(), subject_.profile);
      AddRule(rule.text());
      return JudgeElements(subject_, rule, golden, actual, positions);
    }
    if (IsRandom(subject_.instruction)) return FindRandom(golden, actual, positions);
    absl::StatusOr<Bounds> bounds = FindBounds(subject_, leaf, golden);
    if (!bounds.ok()) return bounds.status();
    AddRule(bounds->rule);
    ArrayJudge judge(subject_, leaf, golden, actual, *std::move(bounds));
    std::vector<ElementFinding> findings;
    for (const int64_t position : positions) {
      absl::StatusOr<ElementFinding> finding = judge.Judge(position);
      if (!finding.ok()) return finding.status();
      findings.push_back(*std::move(finding));
    }
    return findings;
  }

  std::vector<ElementFinding> FindRandom(const Literal& golden, const Literal& actual,
                                         const std::vector<int64_t>& positions) {
    AddRule("random");
    std::vector<ElementFinding> findings(positions.size());
    for (size_t k = 0; k < positions.size(); ++k) {
      if (CanBeDrawn(subject_, golden.element_type(), actual.Get(positions[k]))) {
        Claim(subject_.profile, Freedom::kRandom, &findings[k]);
      } else {
        findings[k].reason = "outside of the distribution";
      }
    }
    return findings;
  }

  std::vector<ElementFinding> FindResidual(const Literal& golden, const Literal& actual,
                                           const std::vector<int64_t>& positions) {
    AddRule("n u |factors|");
    const std::vector<Residual> residuals = FindResiduals(subject_, golden, actual);
    std::vector<ElementFinding> findings(positions.size());
    const ElementType part = PartType(golden);
    for (size_t k = 0; k < positions.size(); ++k) {
      ElementFinding& finding = findings[k];
      const Element wanted = golden.Get(positions[k]), got = actual.Get(positions[k]);
      const bool nans = IsNan(part, wanted.bits) && IsNan(part, got.bits);
      const Residual residual = nans ? Residual::kFree : residuals[positions[k]];
      if (residual == Residual::kInside) {
        Claim(subject_.profile, Freedom::kReassociation, &finding);
        if (!finding.open()) finding.verdict = Verdict::kWithinBound;
      } else if (residual == Residual::kFree) {
        Claim(subject_.profile, nans ? Freedom::kNanPayload : Freedom::kImplementationDefined,
              &finding);
      } else if (residual == Residual::kUnknown &&
                 subject_.profile.Grants(Freedom::kReassociation)) {
        finding.verdict = Verdict::kNotJudgeable;
        finding.reason = "the matrix is too near to one that has no solution";
      }
    }
    return findings;
  }

  void AddRule(const std::string& rule) {
    if (judgement_.rule.empty()) {
      judgement_.rule = rule;
    } else if (!absl::StrContains(judgement_.rule, rule)) {
      absl::StrAppend(&judgement_.rule, ", ", rule);
    }
  }

  const Subject& subject_;
  std::optional<OrderFreedoms> orders_;
  Judgement judgement_;
};

}  // namespace

absl::StatusOr<Judgement> JudgeInstruction(const Instruction& instruction,
                                           absl::Span<const Literal> operands,
                                           const Literal& golden, const Literal& actual,
                                           const TargetProfile& profile, const Evaluate& evaluate) {
  if (!Shape::Compatible(golden.shape(), actual.shape())) {
    return absl::InvalidArgumentError(absl::StrCat("the result of ", instruction.Describe(),
                                                   " has shape ", actual.shape().ToString()));
  }
  if (!SameSizes(golden, actual)) {
    return absl::InvalidArgumentError(absl::StrCat("the result of ", instruction.Describe(),
                                                   " has other sizes in dynamic dimensions"));
  }
  const Subject subject{instruction, operands, evaluate, profile};
  return InstructionJudge(subject).Run(golden, actual);
}

}  // namespace assay
