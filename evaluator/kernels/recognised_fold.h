// Folding elements with a recognised reducer: the exact result of all of them rounded once, so that
// the order does not matter and any grouping gives the same bits. Reductions, windows and scatters
// share it. Products of complex numbers with a factor that is not finite are those of the written
// order. Source: reference ops_structural.md 0.3. Tests: folding_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_RECOGNISED_FOLD_H_
#define ASSAY_EVALUATOR_KERNELS_RECOGNISED_FOLD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "evaluator/kernels/element_loops.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/real/complex_product.h"
#include "evaluator/real/exact_product.h"
#include "evaluator/real/exact_sum.h"
#include "evaluator/real/rounded_sum.h"
#include "spec/analysis/reducer.h"

namespace assay::evaluator::kernels {

// The element loop of a reducer that may combine two at a time, whatever the order: every
// recognised one but the sums and products of floats and complex numbers.
std::optional<ElementLoop> PairwiseLoop(const Computation& computation, ElementType type);
std::optional<ElementLoop> PairwiseLoop(analysis::ReducerKind kind, ElementType type);

// Stores a complex product, and notes it where it stays undecided.
inline void StoreProduct(ElementType type, const RoundedComplex& rounded, std::byte* out,
                         int64_t index, Meter& meter) {
  StoreElement(type, rounded.value, out, index);
  if (!rounded.undecided) return;
  meter.NoteUndecided(out + index * StorageBytes(type), rounded.low, rounded.high);
}

class RecognisedFold {
 public:
  // Returns nullopt unless the computation is a recognised reducer of two values of `type`.
  static std::optional<RecognisedFold> For(const Computation& reducer, ElementType type);

  // Row r of `x` are the n elements from x + r * n on; out[r] is the reducer applied to them and to
  // init[r * init_step] (init_step is 0 or 1, in elements). With n = 0 it is the init itself. `out`
  // may be `init`.
  absl::Status Rows(const std::byte* init, int64_t init_step, const std::byte* x, int64_t rows,
                    int64_t n, std::byte* out, Meter& meter) const;

  // out[j] is the reducer applied to x[0][j], x[1][j], ..., x[members-1][j], for sums and products
  // of floats (every other recognised reducer has a PairwiseLoop). The meter is not charged.
  void Columns(absl::Span<const std::byte* const> x, int64_t columns, std::byte* out,
               Meter& meter) const;

  ElementType type() const { return type_; }
  bool is_sum() const { return way_ == Way::kSum; }  // of real floats
  // Returns true if several Running may fold parts (false for products of floats).
  bool joins() const { return way_ != Way::kProduct && way_ != Way::kComplexProduct; }
  // Returns true if the order of the elements never matters. The order of complex factors matters
  // if one of them is not finite, and for the enclosures of undecided products.
  bool any_order() const { return way_ != Way::kComplexProduct; }

  // Elements that come in parts, and a result whenever one is wanted: long rows, running sums and
  // their like. Small: what sums carry from part to part almost always decides the rounding; where
  // it does not, the elements since the last such case are asked for once more.
  class Running {
   public:
    using Visit = absl::FunctionRef<void(const std::byte* x, int64_t n)>;
    // Shows `n` elements from number `first` on to `visit`, in parts, in their order.
    using Again = absl::FunctionRef<absl::Status(int64_t first, int64_t n, Visit visit)>;

    Running(const RecognisedFold& fold, const std::byte* init);
    void Add(const std::byte* x, int64_t n);
    // The elements of `next` behind those of this one; what was its init is the first of them.
    // Neither has stored yet. The fold joins().
    void Join(const Running& next);
    // Gives the init itself if no element was added. The meter is not charged.
    absl::Status Store(std::byte* out, int64_t index, Again again, Meter& meter);

   private:
    int64_t parts() const { return fold_.way_ == Way::kComplexSum ? 2 : 1; }
    void AddBlock(const std::byte* x, int64_t n);
    absl::Status StoreSum(std::byte* out, int64_t index, Again again);
    absl::Status StoreComplexProduct(std::byte* out, int64_t index, Again again, Meter& meter);

    const RecognisedFold& fold_;
    Element init_;
    std::array<double, 2> init_parts_ = {};
    int64_t count_ = 0;
    std::array<PartialSum, 2> sums_;  // by part
    std::vector<ExactSum> exact_;     // by part, of the init and the first exact_count_ elements
    int64_t exact_count_ = 0;
    ExactProduct product_;
    std::optional<ComplexProduct> complex_product_;
    double extreme_ = 0;
    uint64_t integer_ = 0;
  };

 private:
  enum class Way { kSum, kComplexSum, kProduct, kComplexProduct, kMinimum, kMaximum, kInteger };
  enum class IntegerWay { kAdd, kMultiply, kMinimum, kMaximum, kAnd, kOr, kXor };

  void FloatRows(const std::byte* init, int64_t init_bytes, const std::byte* x, int64_t rows,
                 int64_t n, std::byte* out, Meter& meter) const;
  void IntegerRows(const std::byte* init, int64_t init_bytes, const std::byte* x, int64_t rows,
                   int64_t n, std::byte* out) const;
  absl::Status LongRow(const std::byte* init, const std::byte* x, int64_t n, std::byte* out,
                       Meter& meter) const;
  uint64_t Combine(uint64_t a, uint64_t b) const;
  uint64_t CombineAll(uint64_t value, const uint64_t* x, int64_t n) const;
  void DecodeIntegers(const std::byte* x, int64_t n, uint64_t* out) const;

  ElementType type_ = ElementType::kInvalid;
  int64_t bytes_ = 0;
  Way way_ = Way::kSum;
  IntegerWay integer_way_ = IntegerWay::kAdd;
  bool is_signed_ = false;
};

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_RECOGNISED_FOLD_H_
