// Conversions between the arrays of a fold, whose elements, initial values and results may have
// other types than its computation, and the accumulators. Tests: factory_test.cc.
#ifndef ASSAY_BACKENDS_CPU_FOLD_CONVERSION_H_
#define ASSAY_BACKENDS_CPU_FOLD_CONVERSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "backends/cpu/region.h"

namespace assay::cpu {

class FoldConversion {
 public:
  FoldConversion() = default;
  // Converts `from` to `to` and rounds to `own`, the type of the computation, on the way.
  static absl::StatusOr<FoldConversion> Create(ElementType from, ElementType own, ElementType to);

  // Returns false if numbers stay as they are.
  bool converts() const { return last_.has_value(); }
  // Converts n numbers, which `out` does not overlap. Requires converts().
  void Run(const std::byte* in, int64_t n, std::byte* out) const;

 private:
  std::optional<BlockFunction> first_, last_;  // first_ only if `own` lies between
  int64_t from_bytes_ = 0, to_bytes_ = 0;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_FOLD_CONVERSION_H_
