// Conversions between the arrays of a fold, whose elements, initial values and results may have
// other types than its computation, and the accumulators, which may be scaled numbers (scaled.h).
// Tests: factory_test.cc.
#ifndef ASSAY_BACKENDS_CPU_FOLD_CONVERSION_H_
#define ASSAY_BACKENDS_CPU_FOLD_CONVERSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/cpu/region.h"

namespace assay::cpu {

class FoldConversion {
 public:
  FoldConversion() = default;
  // Converts `from` to `to` and rounds to `own`, the type of the computation, on the way.
  static absl::StatusOr<FoldConversion> Create(ElementType from, ElementType own, ElementType to);
  // The same to and from scaled numbers of the type `to` or `from`.
  static absl::StatusOr<FoldConversion> ToScaled(ElementType from, ElementType own, ElementType to);
  static absl::StatusOr<FoldConversion> FromScaled(ElementType from, ElementType own,
                                                   ElementType to);

  // Returns false if numbers stay as they are.
  bool converts() const { return !steps_.empty(); }
  // Converts n numbers, which `out` does not overlap. Requires converts().
  void Run(const std::byte* in, int64_t n, std::byte* out) const;

 private:
  // One loop over numbers: a block function or a function of scaled numbers.
  struct Step {
    std::optional<BlockFunction> convert;
    void (*scale)(const std::byte* in, int64_t n, std::byte* out) = nullptr;
    int64_t bytes;  // of a number that comes out

    void Run(const std::byte* in, int64_t n, std::byte* out) const;
  };
  absl::Status Append(ElementType from, ElementType to);

  int64_t from_bytes_ = 0;
  absl::InlinedVector<Step, 3> steps_;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_FOLD_CONVERSION_H_
