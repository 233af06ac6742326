// Copies between two strided views of equal sizes: what every operation that only moves elements
// comes down to. Tests: strided_copy_test.cc, kernels_test.cc.
#ifndef ASSAY_RUNTIME_STRIDED_COPY_H_
#define ASSAY_RUNTIME_STRIDED_COPY_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/arrays.h"
#include "runtime/context.h"

namespace assay::runtime {

// Built once. Strides count elements; those of the source may be zero or negative. No two cells of
// the destination coincide, source and destination do not overlap.
class StridedCopy {
 public:
  StridedCopy() = default;
  // `element_bytes` is 1, 2, 4, 8 or 16.
  StridedCopy(int64_t element_bytes, absl::Span<const int64_t> sizes,
              absl::Span<const int64_t> source_strides,
              absl::Span<const int64_t> destination_strides);

  int64_t element_count() const { return count_; }
  // The pointers are those of the elements with index zero. Charges one step per element.
  absl::Status Run(const std::byte* source, std::byte* destination, Meter& meter) const;
  // The same, shared among the threads of the context.
  absl::Status Run(const std::byte* source, std::byte* destination, Context& context) const;
  // Charges nothing: for blocks of elements that are charged elsewhere.
  void Run(const std::byte* source, std::byte* destination) const;

 private:
  struct Loop {
    int64_t size;
    int64_t source_stride;  // in bytes
    int64_t destination_stride;
  };
  enum class Inner : uint8_t { kBytes, kFill, kStrided, kTranspose };

  void Normalise(absl::Span<const int64_t> sizes, absl::Span<const int64_t> source_strides,
                 absl::Span<const int64_t> destination_strides);
  void ChooseInner();
  // The loop around all others, and a copy that has so many of its turns.
  const Loop& Outermost() const;
  StridedCopy WithTurns(int64_t turns) const;
  void RunInner(const std::byte* source, std::byte* destination) const;
  // Calls after(number of elements) for each inner loop that was run; stops at the first error.
  template <typename After>
  absl::Status Walk(const std::byte* source, std::byte* destination, After after) const;

  int64_t element_bytes_ = 1;
  int64_t count_ = 0;
  int64_t inner_count_ = 1;
  Inner inner_ = Inner::kBytes;
  // The loops inside, minor last, and those around them.
  absl::InlinedVector<Loop, 2> inner_loops_;
  absl::InlinedVector<Loop, 4> outer_loops_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_STRIDED_COPY_H_
