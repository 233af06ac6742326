// Start values of reductions that are not an identity. The reference interpreter uses a start value
// once, first. The specifications let an implementation use it any number of times, in each part of
// the sum, or not at all if nothing is folded (reference ops_structural.md 5.1, 5.3 and 15,
// decisions 12 and 44). Tests: start_values_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_START_VALUES_H_
#define ASSAY_CONFORMANCE_JUDGE_START_VALUES_H_

#include <complex>
#include <optional>
#include <vector>

#include "conformance/judge/bounds.h"
#include "conformance/judge/decision_points.h"
#include "conformance/judge/start_sums.h"
#include "spec/analysis/reducer.h"

namespace assay::conformance {

// Returns the start value that changes no result of a recognised reducer: -0 for sums of types that
// have it, since a sum of negative zeros is one. A factor of (1, 0) may change the sign of a zero.
// Returns nothing for other reducers, and if the type has no such value.
std::optional<Element> NeutralElement(analysis::ReducerKind kind, ElementType type);

// Returns true if a sum, product or exclusive or changes when a start value counts again.
bool StartCounts(analysis::ReducerKind kind, const ElementRange& start);
// Returns true if start values of a reduce or reduce-window in the ranges may count other than once
// (decision W-12).
bool MayCountStart(const Instruction& reduce, absl::Span<const ElementRange> starts);

// Returns the value that changes nothing in place of a start value in the range, for a reduce or
// reduce-window by minimum, maximum, and or or. There the start value may be missing, while
// counting it again changes nothing (W-12). Returns nothing for other instructions, and if the
// range is that value.
std::optional<Element> MissingStart(const Instruction& reduce, const ElementRange& start);

// Decides which elements of one result leaf another number of uses of the start value explains. A
// sum, product or exclusive or may have up to one more use for each folded element, and one more if
// there is none. No use is explained for integers, and where nothing is folded. Elsewhere the value
// without the start has errors of its own: the caller judges by it.
class StartUses {
 public:
  StartUses(const Subject& subject, size_t leaf, const Literal& golden, const Literal& actual);

  // `parts` describes both parts of a sum, or the first one of a real sum. `slack` is the distance
  // from golden that a complex product may have anyway.
  absl::StatusOr<StartAnswer> Explain(int64_t i, absl::Span<const StartSum> parts, double slack);

  // A reduction that starts from the neutral element instead, and its golden value.
  struct Without {
    std::vector<Literal> operands;
    Literal golden;
  };
  // Returns the reduction without its start value, which may be missing. Returns null for sums and
  // products of integers and exclusive ors, which Explain decides, and if there is none.
  absl::StatusOr<const Without*> WithoutStart();

  // A sum without its start value, where no value of the type is neutral (f8e8m0fnu): golden, the
  // exact values in f64, and the bounds.
  struct SumWithout {
    Literal golden, exact;
    Bounds bounds;
  };
  // Returns nothing for other reductions.
  absl::StatusOr<std::optional<SumWithout>> SumWithoutStart() const;

 private:
  absl::StatusOr<bool> ExplainInteger(int64_t i);
  // Returns the reduction with another start value.
  absl::StatusOr<Without> StartingFrom(Element start) const;
  absl::StatusOr<StartAnswer> ExplainProduct(int64_t i);
  absl::StatusOr<StartAnswer> ExplainComplexProduct(int64_t i, double slack);
  // Returns whether further uses of the start value explain a complex product that is finite and
  // not zero.
  absl::StatusOr<StartAnswer> CountInComplexProduct(int64_t i, double slack);
  // By element: the binary logarithms of the largest and the smallest partial products with the
  // most uses of the start value.
  struct Reach {
    std::vector<double> largest, smallest;
  };
  absl::StatusOr<Reach> ReachOfComplexProducts() const;
  bool IsComplexProduct(std::complex<double> product, double uses, double relative,
                        std::complex<double> actual) const;

  const Subject& subject_;
  const size_t leaf_;
  const Literal& golden_;
  const Literal& actual_;
  analysis::ReducerKind kind_ =
      analysis::ReducerKind::kOther;  // kAdd, kMultiply or kXor where the start value counts
  double most_ = 0;                   // elements that one cell folds
  std::optional<Element> neutral_;    // in place of a start value that WithoutStart leaves out
  std::optional<Without> without_;    // of integers or with neutral_
  std::optional<StartProducts> products_;
  std::optional<Literal> wide_product_;  // of complex elements, in c128
  std::optional<Reach> reach_;           // of complex products
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_START_VALUES_H_
