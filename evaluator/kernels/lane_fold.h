// A fold whose intermediate values may all be wanted: a carry of a scan, or windows that each
// hold the one before. Tests: folding_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_LANE_FOLD_H_
#define ASSAY_EVALUATOR_KERNELS_LANE_FOLD_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "evaluator/kernels/element_loops.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/recognised_fold.h"
#include "evaluator/real/complex_product.h"
#include "evaluator/real/exact_product.h"
#include "evaluator/real/running_sum.h"
#include "spec/analysis/reducer.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {

// The init and the elements so far: sums and products of floats and complex numbers exactly, with a
// rounding wherever a value is wanted; all else by the loop of its operation.
class LaneFold {
 public:
  // The position of element n. The first element that is added has the number 0.
  using ElementAt = absl::FunctionRef<const std::byte*(int64_t n)>;

  LaneFold(analysis::ReducerKind kind, ElementType type, const std::optional<ElementLoop>& loop,
           const std::byte* init)
      : product_(kind == analysis::ReducerKind::kMultiply),
        type_(type),
        bytes_(StorageBytes(type)),
        loop_(loop) {
    std::memcpy(value_, init, bytes_);
    if (product_ && IsComplex(type)) {
      double parts[2];
      DecodeFloats(type, init, 1, parts);
      complex_factors_.emplace(Info(type).component, parts[0], parts[1]);
    } else if (!loop_) {
      AddExactly(value_);
    }
  }

  void Add(const std::byte* x, EvaluationContext& context) {
    if (loop_) return (*loop_)(value_, x, value_, 1, context);
    AddExactly(x);
    is_init_ = false;
  }

  absl::Status Store(std::byte* out, int64_t index, ElementAt element, Meter& meter) {
    if (loop_ || is_init_) {
      std::memcpy(out + index * bytes_, value_, bytes_);
      return absl::OkStatus();
    }
    if (complex_factors_) return StoreComplexProduct(out, index, element, meter);
    const ElementType part = Info(type_).component;
    if (product_) {
      StoreElement(type_, {factors_.Round(part)}, out, index);
    } else {
      StoreElement(type_, {sum_.Round(part), IsComplex(type_) ? imaginary_sum_.Round(part) : 0},
                   out, index);
    }
    return absl::OkStatus();
  }

 private:
  void AddExactly(const std::byte* x) {
    double parts[2];
    DecodeFloats(type_, x, 1, parts);
    if (complex_factors_) return complex_factors_->Multiply(parts, 2, 1);
    if (product_) return factors_.Multiply(parts[0]);
    sum_.Add(parts[0]);
    if (IsComplex(type_)) imaginary_sum_.Add(parts[1]);
  }

  absl::Status StoreComplexProduct(std::byte* out, int64_t index, ElementAt element, Meter& meter) {
    const auto again = [&](int64_t first, int64_t count, ComplexProduct::Visit visit) {
      for (int64_t n = first; n < first + count; ++n) {
        double parts[2];
        DecodeFloats(type_, element(n), 1, parts);
        visit(parts, 2, 1);
      }
      return meter.Add(count);
    };
    const absl::StatusOr<RoundedComplex> rounded = complex_factors_->Round(again);
    if (!rounded.ok()) return rounded.status();
    StoreProduct(type_, *rounded, out, index, meter);
    return absl::OkStatus();
  }

  const bool product_;
  const ElementType type_;
  const int64_t bytes_;
  const std::optional<ElementLoop>& loop_;
  bool is_init_ = true;
  std::byte value_[16];  // the init, or what the loop has made of it
  RunningSum sum_, imaginary_sum_;
  ExactProduct factors_;
  std::optional<ComplexProduct> complex_factors_;
};

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_LANE_FOLD_H_
