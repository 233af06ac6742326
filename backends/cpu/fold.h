// The folds of reduce, reduce-window, scan, scatter and similar operations. One call combines the
// accumulators of many independent cells with one element each. It uses block functions if the
// reducer is recognised (spec/analysis/reducer.h), otherwise the region's program.
//
// Sums of narrow floats are accumulated in f32, products of floats up to f32 in f64, those of f64
// in numbers with an exponent of their own (scaled.h), and rounded once, also beside arrays whose
// reducer is not recognised. The grouping of elements depends only on shapes, never on the number
// of threads.
// Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_FOLD_H_
#define ASSAY_BACKENDS_CPU_FOLD_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/cpu/cell_rows.h"
#include "backends/cpu/fold_conversion.h"
#include "backends/cpu/region.h"
#include "backends/cpu/row_fold.h"
#include "backends/cpu/scaled.h"
#include "runtime/arrays.h"
#include "runtime/context.h"
#include "runtime/kept_bytes.h"
#include "spec/analysis/reducer.h"
#include "spec/ir/module.h"

namespace assay::cpu {

// The scratch memory of one thread, aligned to cache lines.
class Workspace {
 public:
  explicit Workspace(int64_t bytes);
  std::byte* data() const { return storage_.data(); }
  int64_t bytes() const { return bytes_; }
  // Takes the next `bytes`, rounded up to cache lines. That many must be left.
  std::byte* Take(int64_t bytes);
  static int64_t Rounded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

 private:
  runtime::KeptBytes storage_;
  int64_t bytes_, taken_ = 0;
};

// The largest number of bytes of an element or an accumulator.
inline constexpr int64_t kCellBytes = sizeof(ScaledComplex);

// Calls f with a value of a type whose size is that of an element or an accumulator.
template <typename F>
void WithCell(int64_t bytes, F f) {
  if (bytes == sizeof(ScaledComplex)) return f(ScaledComplex{});
  runtime::WithStorage(bytes, f);
}

// The orders in which elements may be combined.
enum class FoldOrder {
  kAny,         // commutative and associative
  kNeighbours,  // associative: any grouping of elements that keeps their order
  kSequential,  // as written: accumulator first, one element after the other
};

class Fold {
 public:
  // Creates a fold for a reducer of N accumulators, N elements and N results. Elements of the types
  // `elements` are converted to the reducer's types if they differ, and so are initial values of
  // the types `inits`; results are rounded to the reducer's types and then converted to `results`.
  // The reducer must outlive the fold.
  static absl::StatusOr<std::shared_ptr<const Fold>> Create(const Computation& reducer,
                                                            absl::Span<const ElementType> elements,
                                                            absl::Span<const ElementType> inits,
                                                            absl::Span<const ElementType> results);

  // Creates a fold of a recognised operation on one type. Returns INVALID_ARGUMENT for any other
  // reducer.
  static absl::StatusOr<std::shared_ptr<const Fold>> OfReducer(const analysis::Reducer& reducer,
                                                               ElementType type);

  int64_t arrays() const { return static_cast<int64_t>(parts_.size()); }
  FoldOrder order() const { return order_; }
  // Returns false for a region that the runtime runs on one thread (Region::flat).
  bool flat() const { return functions_ || region_->flat(); }
  int64_t cost() const { return functions_ ? 1 : region_->cost(); }
  // Returns true if the reducer of every array returns the new element, so that the last one wins,
  // and all have one type.
  bool overwrites() const { return overwrites_; }

  int64_t element_bytes(int64_t k) const { return parts_[k].element_bytes; }
  int64_t acc_bytes(int64_t k) const { return parts_[k].acc_bytes; }
  int64_t result_bytes(int64_t k) const { return parts_[k].result_bytes; }

  // Returns elements in the form that Combine takes, with x_bytes each: `in` itself if nothing is
  // converted, otherwise `room`. They are accumulators if the order is kAny.
  int64_t x_bytes(int64_t k) const { return parts_[k].x_bytes; }
  const std::byte* Widen(int64_t k, const std::byte* in, int64_t n, std::byte* room) const {
    return Converted(parts_[k].widen, in, n, room);
  }
  const std::byte* WidenInit(int64_t k, const std::byte* in, int64_t n, std::byte* room) const {
    return Converted(parts_[k].widen_init, in, n, room);
  }
  // Converts results to accumulators, to continue a fold.
  const std::byte* WidenResult(int64_t k, const std::byte* in, int64_t n, std::byte* room) const {
    return Converted(parts_[k].widen_result, in, n, room);
  }
  // Converts accumulators to results.
  void Narrow(int64_t k, const std::byte* acc, int64_t n, std::byte* out) const;
  bool narrows(int64_t k) const { return parts_[k].narrow.converts(); }
  bool widens(int64_t k) const { return parts_[k].widen.converts(); }
  // Returns true if the accumulators of results may be other numbers than the results.
  bool rounds_results(int64_t k) const { return parts_[k].rounds_results; }
  // Returns the row functions if all arrays have recognised operations; null functions otherwise.
  // They take accumulators, but for `fold` if rows_of_elements(k): elements that are not widened.
  const RowFunctions& rows(int64_t k) const { return parts_[k].rows; }
  bool rows_of_elements(int64_t k) const { return parts_[k].multiply != nullptr; }
  // Returns the loop that folds elements that are not widened into accumulators of cells, or null.
  CellFunction cells(int64_t k) const { return parts_[k].cells; }

  // The size of Combine's scratch memory in bytes.
  int64_t scratch_bytes() const { return scratch_bytes_; }
  // Computes acc = f(acc, x) for any number n of cells. No x may overlap an accumulator.
  absl::Status Combine(absl::Span<std::byte* const> acc, absl::Span<const std::byte* const> x,
                       int64_t n, std::byte* scratch, runtime::Context& context) const;

 private:
  struct Part {
    // Chooses the accumulators of an array of the reducer's type `own`, and how they are combined.
    absl::Status Recognise(const analysis::Reducer& reducer, ElementType own);
    // Makes the conversions of elements, initial values and results.
    absl::Status Convert(ElementType element, ElementType init, ElementType result);
    bool recognised() const { return combine.has_value() || multiply != nullptr; }

    ElementType own, accumulator;
    int64_t element_bytes, x_bytes, acc_bytes, result_bytes;
    // Of a recognised operation: a function of accumulators of a type, or of scaled ones.
    std::optional<BlockFunction> combine;
    void (*multiply)(std::byte* acc, const std::byte* x, int64_t n) = nullptr;
    FoldConversion widen, widen_init, widen_result, narrow;
    bool rounds_results = false;
    RowFunctions rows;
    CellFunction cells = nullptr;
  };
  static const std::byte* Converted(const FoldConversion& conversion, const std::byte* in,
                                    int64_t n, std::byte* room) {
    if (!conversion.converts()) return in;
    conversion.Run(in, n, room);
    return room;
  }
  // The recognised reducers by array; kOther for those that only the region computes.
  static std::vector<analysis::Reducer> PartsOf(const Computation& reducer, size_t arrays);

  std::vector<Part> parts_;
  std::unique_ptr<Region> region_;
  bool functions_ = false;  // true if every array has a block function
  bool overwrites_ = false;
  FoldOrder order_ = FoldOrder::kSequential;
  int64_t scratch_bytes_ = 0;
};

// Writes n copies of one accumulator.
void FillCells(const std::byte* value, int64_t bytes, int64_t n, std::byte* out);

// Like FoldRows, but keeps the order of the runs. `spare` has, for each array, as much room as the
// rows.
absl::Status FoldNeighbours(const Fold& fold, absl::Span<std::byte* const> rows,
                            absl::Span<std::byte* const> spare, int64_t steps, int64_t width,
                            std::byte* scratch, runtime::Context& context);

// Folds `steps` consecutive runs of `width` accumulators in `rows` (one pointer for each array)
// into the first run. Overwrites the others.
absl::Status FoldRows(const Fold& fold, absl::Span<std::byte* const> rows, int64_t steps,
                      int64_t width, std::byte* scratch, runtime::Context& context);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_FOLD_H_
