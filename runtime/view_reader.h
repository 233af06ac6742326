// Operands that are views: a kernel asks for so many elements from a row-major position on and gets
// a pointer to them, into the array itself where they lie so, else into room of its own that they
// were copied to. What the view would store if it were an array is never stored.
// Tests: view_reader_test.cc.
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

// The arrays that a run is given; a view's sources are their numbers.
using Sources = absl::Span<const ArrayRef>;

class ViewReader {
 public:
  // Array `source` as it lies.
  explicit ViewReader(int64_t source = 0) : source_(source) {}
  // Without boxes, dimensions are joined where they can be, which makes the longest runs.
  // kBoxCopies: boxes, of readers that are never direct if they have elements.
  enum class Access { kBlocks, kBoxes, kBoxCopies };
  ViewReader(const View& view, int64_t element_bytes, Access access = Access::kBlocks);

  // The elements lie side by side in one array, so that no block is ever copied.
  bool direct() const { return blocks_ == nullptr; }
  // Of a direct reader: the array, and where in it the first element is.
  int64_t source() const { return source_; }
  const std::byte* data(Sources sources) const { return sources[source_].data + offset_bytes_; }
  // All elements are the same one: whatever block was copied last is every block of its size.
  bool uniform() const { return uniform_; }

  // The elements [first, first + n). `room` has space for them; a direct reader leaves it alone.
  const std::byte* Block(Sources sources, int64_t first, int64_t n, int64_t element_bytes,
                         std::byte* room) const {
    if (direct()) return data(sources) + first * element_bytes;
    Copy(sources, first, n, element_bytes, room);
    return room;
  }
  // Copies them, direct or not.
  void Copy(Sources sources, int64_t first, int64_t n, int64_t element_bytes, std::byte* out) const;
  // Copies the elements at starts[d] <= index[d] < starts[d] + counts[d], in row-major order. For
  // readers made for boxes that are not direct.
  void CopyBox(Sources sources, absl::Span<const int64_t> starts, absl::Span<const int64_t> counts,
               std::byte* out) const;

 private:
  // Everything about a view whose elements do not lie side by side.
  struct Blocks {
    View view;
    Dimensions inner;  // elements of one step along each dimension
    int64_t element_bytes;
  };

  int64_t source_ = 0;
  int64_t offset_bytes_ = 0;
  bool uniform_ = false;
  std::shared_ptr<const Blocks> blocks_;
};

// Readers of all operands: `views` if there are any, else array k for operand k, which costs
// nothing to keep.
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
