// A fold of which every intermediate value may be wanted: a carry of a scan, or windows that each
// hold the one before. Tests: folding_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_LANE_FOLD_H_
#define ASSAY_EVALUATOR_KERNELS_LANE_FOLD_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "evaluator/kernels/element_loops.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/real/exact_product.h"
#include "evaluator/real/running_sum.h"
#include "evaluator/region/reducer.h"
#include "spec/element/element.h"

namespace assay::kernels {

// The init and the elements so far: sums and products of floats exactly, with a rounding wherever a
// value is wanted; all else by the loop of its operation.
class LaneFold {
 public:
  LaneFold(ReducerKind kind, ElementType type, const std::optional<ElementLoop>& loop,
           const std::byte* init)
      : product_(kind == ReducerKind::kMultiply),
        type_(type),
        bytes_(StorageBytes(type)),
        loop_(loop) {
    std::memcpy(value_, init, bytes_);
    if (!loop_) AddExactly(value_);
  }

  void Add(const std::byte* x, EvaluationContext& context) {
    if (loop_) return (*loop_)(value_, x, value_, 1, context);
    AddExactly(x);
    is_init_ = false;
  }

  void Store(std::byte* out, int64_t index) const {
    if (loop_ || is_init_) {
      std::memcpy(out + index * bytes_, value_, bytes_);
      return;
    }
    const ElementType part = Info(type_).component;
    if (product_) return StoreElement(type_, {factors_.Round(part)}, out, index);
    StoreElement(type_, {sum_.Round(part), IsComplex(type_) ? imaginary_sum_.Round(part) : 0}, out,
                 index);
  }

 private:
  void AddExactly(const std::byte* x) {
    double parts[2];
    DecodeFloats(type_, x, 1, parts);
    if (product_) return factors_.Multiply(parts[0]);
    sum_.Add(parts[0]);
    if (IsComplex(type_)) imaginary_sum_.Add(parts[1]);
  }

  const bool product_;
  const ElementType type_;
  const int64_t bytes_;
  const std::optional<ElementLoop>& loop_;
  bool is_init_ = true;
  std::byte value_[16];  // the init, or what the loop has made of it
  RunningSum sum_, imaginary_sum_;
  ExactProduct factors_;
};

}  // namespace assay::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_LANE_FOLD_H_
