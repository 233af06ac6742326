// Reads operands that are views. A kernel requests a number of elements from a row-major position
// on and gets a pointer to them: into the array itself if they are contiguous there, otherwise into
// the kernel's own buffer, to which they are copied. The view is never stored as a whole. Tests:
// view_reader_test.cc.
#ifndef ASSAY_RUNTIME_VIEW_READER_H_
#define ASSAY_RUNTIME_VIEW_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "runtime/arrays.h"
#include "spec/views/view.h"

namespace assay::runtime {

// The arrays of an execution. The sources of a view are their numbers.
using Sources = absl::Span<const ArrayRef>;

class ViewReader {
 public:
  // Reads array `source` directly.
  explicit ViewReader(int64_t source = 0) : source_(source) {}
  // kBlocks merges dimensions if possible, which makes the longest runs. kBoxes permits CopyBox.
  // kBoxCopies is kBoxes for a reader that is never direct if it has elements.
  enum class Access { kBlocks, kBoxes, kBoxCopies };
  ViewReader(const View& view, int64_t element_bytes, Access access = Access::kBlocks);

  // Returns true if the elements are contiguous in one array, so that no block is copied.
  bool direct() const { return blocks_ == nullptr; }
  // For a direct reader: the array, and the address of its first element.
  int64_t source() const { return source_; }
  const std::byte* data(Sources sources) const { return sources[source_].data + offset_bytes_; }
  // Returns true if all elements are the same one, so that a copied block can be reused for every
  // block of its size.
  bool uniform() const { return uniform_; }

  // Returns the elements [first, first + n). `room` has space for them; a direct reader does not
  // use it.
  const std::byte* Block(Sources sources, int64_t first, int64_t n, int64_t element_bytes,
                         std::byte* room) const {
    if (direct()) return data(sources) + first * element_bytes;
    Copy(sources, first, n, element_bytes, room);
    return room;
  }
  // Copies the elements [first, first + n), direct or not.
  void Copy(Sources sources, int64_t first, int64_t n, int64_t element_bytes, std::byte* out) const;
  // Copies the elements at starts[d] <= index[d] < starts[d] + counts[d], in row-major order. For
  // readers made for boxes that are not direct.
  void CopyBox(Sources sources, absl::Span<const int64_t> starts, absl::Span<const int64_t> counts,
               std::byte* out) const;

 private:
  // The data of a view whose elements are not contiguous.
  struct Blocks {
    View view;
    Dimensions inner;  // the number of elements of one step along each dimension
    int64_t element_bytes;
  };

  int64_t source_ = 0;
  int64_t offset_bytes_ = 0;
  bool uniform_ = false;
  std::shared_ptr<const Blocks> blocks_;
};

// The readers of all operands: of `views` if there are any, otherwise of array k for operand k,
// which needs no storage.
class OperandReaders {
 public:
  OperandReaders(const Instruction& instruction, absl::Span<const View> views);
  const ViewReader& operator[](size_t k) const {
    return readers_.empty() ? kAsTheyLie[k] : readers_[k];
  }
  bool all_direct() const;

 private:
  static const ViewReader kAsTheyLie[3];  // no elementwise operation has more operands
  std::vector<ViewReader> readers_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_VIEW_READER_H_
