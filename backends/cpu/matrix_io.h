// Converts arrays of floats of any width to the numbers of the factorisations, and back. Tests:
// kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_MATRIX_IO_H_
#define ASSAY_BACKENDS_CPU_MATRIX_IO_H_

#include <cstring>
#include <optional>

#include "absl/status/statusor.h"
#include "backends/cpu/region.h"
#include "runtime/arrays.h"

namespace assay::cpu {

class NumberConversion {
 public:
  // Returns UNIMPLEMENTED if the type has no conversion.
  static absl::StatusOr<NumberConversion> Create(ElementType type) {
    NumberConversion made;
    made.bytes_ = runtime::StorageBytes(type);
    const ElementType wide = WideType(type);
    if (wide == type) return made;
    absl::StatusOr<BlockFunction> widen = ConvertFunction(type, wide);
    if (!widen.ok()) return widen.status();
    absl::StatusOr<BlockFunction> narrow = ConvertFunction(wide, type);
    if (!narrow.ok()) return narrow.status();
    made.widen_.emplace(*std::move(widen));
    made.narrow_.emplace(*std::move(narrow));
    return made;
  }
  // Elements [first, first + n) of an array.
  template <typename T>
  void Load(const std::byte* array, int64_t first, int64_t n, T* out) const {
    const std::byte* in = array + first * bytes_;
    if (widen_.has_value()) {
      (*widen_)(absl::MakeConstSpan(&in, 1), reinterpret_cast<std::byte*>(out), n);
    } else if (n > 0) {
      std::memcpy(static_cast<void*>(out), in, n * bytes_);
    }
  }
  template <typename T>
  void Store(const T* numbers, int64_t first, int64_t n, std::byte* array) const {
    std::byte* out = array + first * bytes_;
    const std::byte* in = reinterpret_cast<const std::byte*>(numbers);
    if (narrow_.has_value()) {
      (*narrow_)(absl::MakeConstSpan(&in, 1), out, n);
    } else if (n > 0) {
      std::memcpy(out, in, n * bytes_);
    }
  }

 private:
  int64_t bytes_ = 0;
  std::optional<BlockFunction> widen_, narrow_;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_MATRIX_IO_H_
