// acc = init; acc = f(acc, x) for one x after the other: what reduce, reduce-window, scatter and
// select-and-scatter do with their computation. A recognised add or multiply of floats or complex
// numbers is the exact result rounded once, each result by itself; everything else runs as written
// in the order given, which is exact for integers and for selections. Without any x the result is
// init, bit for bit.
// Source: reference ops_structural.md 0.3 (Accumulations), 0.4. Tests: fold_test.cc.
#ifndef ASSAY_EVALUATOR_OPS_FOLD_H_
#define ASSAY_EVALUATOR_OPS_FOLD_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "evaluator/real/complex_product.h"
#include "evaluator/real/exact_product.h"
#include "evaluator/real/exact_sum.h"
#include "evaluator/region/scalar_program.h"
#include "spec/analysis/reducer.h"

namespace assay {

// The sum or product of floats or complex numbers, of which there is at least one.
class ExactFold {
 public:
  // Whether a recognised reducer of elements of `type` rounds, so that it needs this.
  static bool IsFor(analysis::ReducerKind kind, ElementType type) {
    return (kind == analysis::ReducerKind::kAdd || kind == analysis::ReducerKind::kMultiply) &&
           (IsFloat(type) || IsComplex(type));
  }

  ExactFold(analysis::ReducerKind kind, ElementType type)
      : is_product_(kind == analysis::ReducerKind::kMultiply),
        type_(type),
        complex_product_(Info(type).component) {}

  void Clear();
  void Add(Element x);
  // Counts the element where it stays undecided.
  Element Result(EvaluationContext& context) const;

 private:
  bool is_product_;
  ElementType type_;
  ExactSum sum_, imaginary_sum_;
  ExactProduct product_;
  real::ExactComplexProduct complex_product_;
};

class Fold {
 public:
  // The computation must have a reducer's signature: N accumulators, N elements, N results.
  static absl::StatusOr<Fold> Prepare(const Computation& computation);

  int64_t size() const { return static_cast<int64_t>(types_.size() / 2); }  // N
  // The types that Start and Add expect.
  ElementType accumulator_type(int64_t k) const { return types_[k]; }
  ElementType element_type(int64_t k) const { return types_[size() + k]; }

  void Start(absl::Span<const Element> inits);
  absl::Status Add(absl::Span<const Element> elements, EvaluationContext& context);
  // Result k, of accumulator_type(k).
  Element Result(int64_t k, EvaluationContext& context) const;

 private:
  std::vector<ElementType> types_;     // of the parameters
  std::vector<Element> accumulators_;  // the inits, or the values so far where they are as written
  std::vector<Element> arguments_;     // of one call
  Region region_;
  bool runs_region_ = false;                     // for some result
  std::vector<std::optional<ExactFold>> exact_;  // by result; nullopt: runs as written
  bool begun_ = false;                           // exact_ has the inits
};

// For an instruction whose operands are N arrays and then N inits: starts from the inits; adds the
// elements of the arrays at an index.
absl::Status StartFold(Fold& fold, const Instruction& instruction, OperandElements& operands);
absl::Status AddToFold(Fold& fold, const Instruction& instruction, absl::Span<const int64_t> index,
                       OperandElements& operands, EvaluationContext& context);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_OPS_FOLD_H_
