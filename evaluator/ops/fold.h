// The fold of reduce, reduce-window, scatter and select-and-scatter: acc = init, then acc = f(acc,
// x) for one x after the other. A recognised sum or product of floats or complex numbers is the
// exact result rounded once, for each result separately. Everything else runs as written in the
// given order, which is exact for integers and for selections. Without any x the result is init,
// bit for bit. Source: reference ops_structural.md 0.3 (Accumulations), 0.4. Tests: fold_test.cc.
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

namespace assay::evaluator {

// The exact sum or product of at least one float or complex number.
class ExactFold {
 public:
  // Returns true if a recognised reducer of elements of `type` rounds, so that it needs an
  // ExactFold.
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
  // Returns the rounded result. Counts it in the context's statistics if it stays undecided.
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
  std::vector<ElementType> types_;  // of the parameters
  // the inits, or the values so far of results that run as written
  std::vector<Element> accumulators_;
  std::vector<Element> arguments_;  // the arguments of one call
  Region region_;
  bool runs_region_ = false;                     // true if some result runs as written
  std::vector<std::optional<ExactFold>> exact_;  // by result; nullopt if it runs as written
  bool begun_ = false;                           // true if exact_ includes the inits
};

// For an instruction whose operands are N arrays and then N inits: StartFold starts from the inits,
// AddToFold adds the elements of the arrays at an index.
absl::Status StartFold(Fold& fold, const Instruction& instruction, OperandElements& operands);
absl::Status AddToFold(Fold& fold, const Instruction& instruction, absl::Span<const int64_t> index,
                       OperandElements& operands, EvaluationContext& context);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_FOLD_H_
