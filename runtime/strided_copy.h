// Copies between two strided views of equal sizes, the core of every operation that only moves
// elements. Tests: strided_copy_test.cc, kernels_test.cc.
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

// A copy that is prepared once. Strides count elements; those of the source may be zero or
// negative. Elements of the destination must be distinct; source and destination must not overlap.
class StridedCopy {
 public:
  StridedCopy() = default;
  // `element_bytes` is 1, 2, 4, 8, 16 or 32.
  StridedCopy(int64_t element_bytes, absl::Span<const int64_t> sizes,
              absl::Span<const int64_t> source_strides,
              absl::Span<const int64_t> destination_strides);

  int64_t element_count() const { return count_; }
  // Copies. The pointers refer to the elements with index zero. Charges one step per element.
  absl::Status Run(const std::byte* source, std::byte* destination, Meter& meter) const;
  // The same, shared among the threads of the context.
  absl::Status Run(const std::byte* source, std::byte* destination, Context& context) const;
  // Charges nothing, for elements that are charged elsewhere.
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
  // Return the outermost loop, and a copy with this number of its iterations.
  const Loop& Outermost() const;
  StridedCopy WithTurns(int64_t turns) const;
  void RunInner(const std::byte* source, std::byte* destination) const;
  // Calls after(number of elements) after each inner loop; stops at the first error.
  template <typename After>
  absl::Status Walk(const std::byte* source, std::byte* destination, After after) const;

  int64_t element_bytes_ = 1;
  int64_t count_ = 0;
  int64_t inner_count_ = 1;
  Inner inner_ = Inner::kBytes;
  // The inner loops, minor last, and the outer loops.
  absl::InlinedVector<Loop, 2> inner_loops_;
  absl::InlinedVector<Loop, 4> outer_loops_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_STRIDED_COPY_H_
