#include "conformance/judge/allowance.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/judge/array_judge.h"
#include "conformance/judge/called_operation.h"
#include "conformance/judge/element_rule.h"
#include "conformance/judge/elementwise_judge.h"
#include "conformance/judge/evidence.h"
#include "conformance/judge/fold_parts.h"
#include "conformance/judge/order_freedoms.h"
#include "conformance/judge/random_statistics.h"
#include "conformance/judge/random_values.h"
#include "conformance/judge/residuals.h"
#include "conformance/judge/rounds.h"
#include "conformance/judge/scatter_windows.h"
#include "spec/analysis/isolate.h"

namespace assay::conformance {
namespace {

// Returns true if a position lies within the current sizes of dynamic dimensions.
bool IsValid(const Literal& literal, int64_t position) {
  for (int64_t d = literal.shape().rank(); d-- > 0;) {
    const int64_t size = literal.shape().dimension(d);
    if (position % size >= literal.dynamic_size(d)) return false;
    position /= size;
  }
  return true;
}

// Returns the positions within the current sizes at which the bits of the two differ.
std::vector<int64_t> Differences(const Literal& golden, const Literal& actual) {
  std::vector<int64_t> positions;
  const int64_t size = golden.byte_size();
  if (size == 0 || std::memcmp(golden.data(), actual.data(), size) == 0) return positions;
  for (int64_t i = 0; i < golden.element_count(); ++i) {
    if (!(golden.Get(i) == actual.Get(i)) && IsValid(golden, i)) positions.push_back(i);
  }
  return positions;
}

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
    actual_ = &actual;
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
    absl::StatusOr<std::vector<ElementFinding>> findings =
        FindInParts(leaf, golden_leaves, actual_leaves, positions);
    if (!findings.ok()) return findings.status();
    if (absl::Status status = TryScatterWindows(absl::MakeSpan(*findings)); !status.ok()) {
      return status;
    }
    for (size_t k = 0; k < positions.size(); ++k) {
      const ElementFinding& finding = (*findings)[k];
      Count(subject_, finding, golden, actual, static_cast<int64_t>(leaf), positions[k],
            &judgement_);
    }
    return absl::OkStatus();
  }

  // Decision W-10: the whole result may be that of updates applied one by one. A part of it may
  // not, because a target treats all windows alike.
  absl::Status TryScatterWindows(absl::Span<ElementFinding> findings) {
    const bool open = std::any_of(findings.begin(), findings.end(),
                                  [](const ElementFinding& finding) { return finding.open(); });
    if (subject_.instruction.opcode() != Opcode::kScatter || !open) return absl::OkStatus();
    if (!by_elements_) {
      absl::StatusOr<Verdict> verdict = JudgeByElements();
      if (!verdict.ok()) return verdict.status();
      by_elements_ = *verdict;
    }
    for (ElementFinding& finding : findings) {
      if (!finding.open() || *by_elements_ == Verdict::kWrong) continue;
      if (*by_elements_ < Verdict::kNotJudgeable) {
        Decide(subject_.profile, DecisionPoint::kScatterWindows, &finding);
      } else if (subject_.profile.Admits(DecisionPoint::kScatterWindows)) {
        finding.verdict = Verdict::kNotJudgeable;
        finding.reason = "a window lies partly outside, and the order of the updates is open";
      }
    }
    return absl::OkStatus();
  }

  // Returns the verdict on the actual result under the other reading, in which windows are tested
  // element by element; kWrong if both readings agree.
  absl::StatusOr<Verdict> JudgeByElements() const {
    const size_t arrays = (subject_.operands.size() - 1) / 2;
    const std::optional<ScatterByElements> reading =
        ReadByElements(subject_.instruction, subject_.operands[arrays]);
    if (!reading) return Verdict::kWrong;
    const std::vector<Literal> operands = reading->Operands(subject_.operands);
    const absl::StatusOr<Literal> value = subject_.evaluate(*reading->module, operands);
    if (!value.ok()) return value.status();
    const Subject subject{*reading->module->entry()->root(), operands, subject_.evaluate,
                          subject_.profile};
    const absl::StatusOr<Judgement> judgement = InstructionJudge(subject).Run(*value, *actual_);
    if (!judgement.ok()) return judgement.status();
    return judgement->verdict;
  }

  // Returns the findings of a leaf, judged within its part of the fold if the reducer can be split.
  absl::StatusOr<std::vector<ElementFinding>> FindInParts(size_t leaf,
                                                          const std::vector<Literal>& golden,
                                                          const std::vector<Literal>& actual,
                                                          const std::vector<int64_t>& positions) {
    if (subject_.instruction.opcode() == Opcode::kCustomCall) {
      if (!operation_) operation_ = OperationOfCall(subject_.instruction);
      if (*operation_ != nullptr) return FindInOperation(leaf, golden, actual, positions);
    }
    if (!parts_) parts_ = PartsOfFold(subject_.instruction);
    if (const ArrayOfPart found = FindArray(*parts_, leaf); found.part != nullptr) {
      return FindInPart(*found.part, found.array, actual, positions);
    }
    return FindWithOrders(leaf, golden, actual, positions);
  }

  // Returns the findings of a custom call that is an HLO operation, judged as that operation.
  absl::StatusOr<std::vector<ElementFinding>> FindInOperation(
      size_t leaf, const std::vector<Literal>& golden, const std::vector<Literal>& actual,
      const std::vector<int64_t>& positions) {
    const Subject subject{*(*operation_)->entry()->root(), subject_.operands, subject_.evaluate,
                          subject_.profile};
    const absl::StatusOr<Literal> value = subject_.evaluate(**operation_, subject_.operands);
    if (!value.ok()) return value.status();
    const std::optional<size_t> info = InfoLeaf(subject_.instruction);
    if (info == leaf) return FindFailures(subject, *value, golden[leaf], actual[leaf], positions);
    InstructionJudge judge(subject);
    absl::StatusOr<std::vector<ElementFinding>> findings =
        judge.FindWithOrders(0, {*value}, {actual[leaf]}, positions);
    if (!findings.ok()) return findings;
    AddRule(judge.judgement_.rule);
    const int64_t items = info ? actual[*info].element_count() : 0;
    for (size_t k = 0; k < positions.size(); ++k) {
      ElementFinding& finding = (*findings)[k];
      if (value->Get(positions[k]) == actual[leaf].Get(positions[k])) {
        Claim(subject_.profile, Freedom::kReassociation, &finding);
      }
      // The result of a failed factorisation is unconstrained.
      const int64_t item = items == 0 ? 0 : positions[k] / (value->element_count() / items);
      if (finding.open() && items > 0 && !(actual[*info].Get(item) == Element{}) &&
          subject_.profile.Grants(Freedom::kReassociation)) {
        finding.verdict = Verdict::kNotJudgeable;
        finding.reason = "the factorisation has failed";
      }
    }
    return findings;
  }

  // Judges LAPACK's `info` for each matrix of a batch: the index of the first pivot that is not
  // positive, counted from 1, or 0.
  std::vector<ElementFinding> FindFailures(const Subject& factor, const Literal& value,
                                           const Literal& golden, const Literal& actual,
                                           const std::vector<int64_t>& positions) {
    AddRule("n u |factors|");
    const Shape& shape = value.shape();
    const int64_t rows = shape.dimension(shape.rank() - 1);
    const ElementType part = PartType(value);
    Literal nans = Literal::Zeros(shape);
    for (int64_t i = 0; i < nans.element_count(); ++i) nans.Set(i, Element{CanonicalNan(part)});
    const std::vector<Residual> residuals = FindResiduals(factor, value, nans);
    std::vector<ElementFinding> findings(positions.size());
    for (size_t k = 0; k < positions.size(); ++k) {
      const int64_t item = positions[k];
      const int64_t got = DecodeSigned(ElementType::kS32, actual.Get(item).bits);
      const int64_t first = item * rows * rows;
      const bool must_succeed =
          golden.Get(item) == Element{} && got != 0 && residuals[first] == Residual::kOutside;
      const double pivot = DecodeFloat(part, factor.operands[0].Get(first).bits);
      const bool must_fail_at_once = !(pivot > 0) && got != 1;
      if (got < 0 || got > rows || must_succeed || must_fail_at_once ||
          !subject_.profile.Grants(Freedom::kReassociation)) {
        continue;
      }
      findings[k].verdict = Verdict::kNotJudgeable;
      findings[k].reason = "the matrix is too near to one that has no solution";
    }
    return findings;
  }

  // Judges a part of a fold. The reference interpreter folds the part alone as well, which gives
  // the exact value of sums.
  absl::StatusOr<std::vector<ElementFinding>> FindInPart(const FoldPart& part, size_t leaf,
                                                         const std::vector<Literal>& actual,
                                                         const std::vector<int64_t>& positions) {
    std::vector<Literal> operands, actual_leaves;
    for (const int64_t k : part.operands) operands.push_back(subject_.operands[k]);
    for (const int64_t k : part.arrays) actual_leaves.push_back(actual[k]);
    const absl::StatusOr<Literal> golden = subject_.evaluate(*part.module, operands);
    if (!golden.ok()) return golden.status();
    const Subject subject{*part.module->entry()->root(), operands, subject_.evaluate,
                          subject_.profile};
    InstructionJudge judge(subject);
    const std::vector<Literal> golden_leaves = Flatten(*golden);
    absl::StatusOr<std::vector<ElementFinding>> findings =
        judge.FindWithOrders(leaf, golden_leaves, actual_leaves, positions);
    if (!findings.ok()) return findings;
    AddRule(judge.judgement_.rule);
    for (size_t k = 0; k < positions.size(); ++k) {
      if (golden_leaves[leaf].Get(positions[k]) == actual_leaves[leaf].Get(positions[k])) {
        Claim(subject_.profile, Freedom::kReassociation, &(*findings)[k]);
      }
    }
    return findings;
  }

  absl::StatusOr<std::vector<ElementFinding>> FindWithOrders(
      size_t leaf, const std::vector<Literal>& golden, const std::vector<Literal>& actual,
      const std::vector<int64_t>& positions) {
    absl::StatusOr<std::vector<ElementFinding>> findings =
        Find(leaf, golden[leaf], actual[leaf], positions);
    if (!findings.ok()) return findings;
    for (size_t k = 0; k < positions.size(); ++k) {
      if (!(*findings)[k].open()) continue;
      absl::Status status = TryOrders(leaf, positions[k], golden, actual, &(*findings)[k]);
      if (!status.ok()) return status;
    }
    return findings;
  }

  // Returns the number of elements within the current sizes of dynamic dimensions.
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
      Freedom freedom = orders_->freedom;
      if (orders_->by_denormals.contains(position)) freedom = Freedom::kDenormals;
      if (orders_->by_payloads.contains(position)) freedom = Freedom::kNanPayload;
      Claim(subject_.profile, freedom, finding);
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
    if (IsRandom(subject_.instruction)) return FindRandom(leaf, golden, actual, positions);
    if (HasUnknownAccuracy(subject_.instruction))
      return std::vector<ElementFinding>(positions.size(), UnknownAccuracy());
    absl::StatusOr<Bounds> bounds = FindBounds(subject_, leaf, golden);
    if (!bounds.ok()) return bounds.status();
    AddRule(bounds->rule);
    return JudgeArray(subject_, leaf, golden, actual, *bounds, positions);
  }

  ElementFinding UnknownAccuracy() {
    AddRule("no bound");
    ElementFinding finding;
    finding.verdict = Verdict::kNotJudgeable;
    finding.reason = absl::StrCat("no error bound is defined for ",
                                  subject_.instruction.GetString(Attr::kCustomCallTarget));
    return finding;
  }

  // Judges random values. Leaf 0 of rng-bit-generator is the state, of which only the type is
  // specified.
  std::vector<ElementFinding> FindRandom(size_t leaf, const Literal& golden, const Literal& actual,
                                         const std::vector<int64_t>& positions) {
    AddRule("random");
    std::vector<ElementFinding> findings(positions.size());
    const bool drawn = subject_.instruction.opcode() == Opcode::kRng || leaf == 1;
    std::optional<std::string> refuted;
    // A value outside the distribution is wrong by itself. It needs no statistical test.
    const bool drawable = std::all_of(positions.begin(), positions.end(), [&](int64_t i) {
      return CanBeDrawn(subject_, golden.element_type(), actual.Get(i));
    });
    if (drawn && drawable && subject_.profile.Grants(Freedom::kRandom)) {
      refuted = RefuteRandom(subject_.instruction, subject_.operands, actual);
    }
    for (size_t k = 0; k < positions.size(); ++k) {
      if (refuted) {
        findings[k].reason = *refuted;
      } else if (CanBeDrawn(subject_, golden.element_type(), actual.Get(positions[k]))) {
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
  const Literal* actual_ = nullptr;                   // of Run
  std::optional<Verdict> by_elements_;                // JudgeByElements
  std::optional<std::unique_ptr<Module>> operation_;  // null: the call is none
  std::optional<std::vector<FoldPart>> parts_;
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
  const std::unique_ptr<Module> flat = analysis::FlattenRegions(instruction);
  const Subject subject{flat == nullptr ? instruction : *flat->entry()->root(), operands, evaluate,
                        profile};
  return InstructionJudge(subject).Run(golden, actual);
}

}  // namespace assay::conformance
