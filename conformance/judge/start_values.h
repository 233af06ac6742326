// Start values of reductions that are no identity. Golden uses one once, first; the sources let an
// implementation use it any number of times, in each part of the sum, or not at all where nothing
// is folded (reference ops_structural.md 5.1, 5.3 and 15, decisions 12 and 44).
// Tests: start_values_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_START_VALUES_H_
#define ASSAY_CONFORMANCE_JUDGE_START_VALUES_H_

#include <optional>

#include "conformance/judge/bounds.h"
#include "conformance/judge/decision_points.h"
#include "spec/analysis/reducer.h"

namespace assay {

// Whether a sum, product or exclusive or changes when a start value in the range counts again.
bool StartCounts(analysis::ReducerKind kind, const ElementRange& start);
// Of reduce and reduce-window: whether start values in the ranges may count otherwise than once
// (decision W-12).
bool MayCountStart(const Instruction& reduce, absl::Span<const ElementRange> starts);

// The value that changes nothing, in place of a start value in the range, of a reduce or
// reduce-window by minimum, maximum, and or or: there the start value may be missing, while
// counting it again changes nothing (W-12). None of other instructions, and where the range is that
// value.
std::optional<Element> MissingStart(const Instruction& reduce, const ElementRange& start);

// The elements of one leaf of the result that are what they are by other uses of the start value:
// none where one element or none is folded, and of a sum, product or exclusive or up to one more
// for each element that it folds.
class StartUses {
 public:
  // kVacuous: roundings of partial sums reach from one number of uses to the next, so that the
  // bound says nothing.
  enum class Answer : uint8_t { kNo, kYes, kVacuous };

  StartUses(const Subject& subject, size_t leaf, const Literal& golden, const Literal& actual);

  // `slack`: how far the element may be from golden anyway.
  absl::StatusOr<Answer> Explain(int64_t i, double slack);
  // The golden value without the start value, where MissingStart says that it may be missing; null
  // elsewhere.
  absl::StatusOr<const Literal*> WithoutStart();

 private:
  absl::StatusOr<bool> ExplainInteger(int64_t i);
  // The golden value with another start value.
  absl::StatusOr<Literal> StartingFrom(Element start) const;
  Answer IsSum(int64_t i, double slack) const;
  bool IsProduct(int64_t i, double slack) const;

  const Subject& subject_;
  const size_t leaf_;
  const Literal& golden_;
  const Literal& actual_;
  analysis::ReducerKind kind_ =
      analysis::ReducerKind::kOther;  // kAdd, kMultiply or kXor where the start value counts
  double most_ = 0;                   // elements that one cell folds
  std::optional<Element> neutral_;    // MissingStart
  std::optional<Literal> without_;  // golden without the start value, of integers or with neutral_
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_START_VALUES_H_
