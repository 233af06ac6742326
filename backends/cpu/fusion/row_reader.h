// Reads inputs of fused computations whose elements form rows: contiguous rows, such as a bias that
// is added to every row, or rows of one repeated element, such as a mean that is subtracted from a
// row. A block within a row is read in place or filled. ViewReader would make a strided copy of it.
// Tests: fusion_test.cc.
#ifndef ASSAY_BACKENDS_CPU_FUSION_ROW_READER_H_
#define ASSAY_BACKENDS_CPU_FUSION_ROW_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "backends/cpu/vector/kernel_table.h"
#include "runtime/view_reader.h"
#include "spec/views/view.h"

namespace assay::cpu {

class RowReader {
 public:
  // Returns nothing if the view has no rows of at least kFewestElements.
  static std::optional<RowReader> Create(const View& view, int64_t element_bytes);

  int64_t length() const { return length_; }  // of a row

  // The row with which a thread's buffer was filled last.
  struct Filled {
    const std::byte* from = nullptr;
    int64_t count = 0;
  };
  // Returns the elements [first, first + n), in place or in `room`.
  const std::byte* Block(runtime::Sources sources, int64_t first, int64_t n, std::byte* room,
                         Filled* filled) const;

 private:
  static constexpr int64_t kFewestElements = 16;

  RowReader() = default;
  // Returns the first element of a row.
  const std::byte* Row(runtime::Sources sources, int64_t row) const;

  int64_t element_bytes_ = 0;
  int64_t length_ = 1;
  bool repeats_ = false;  // true if a row repeats one element
  BlockKernel repeat_ = nullptr;
  int64_t source_ = 0, offset_ = 0;
  Dimensions sizes_, strides_;  // of the dimensions that number the rows
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_FUSION_ROW_READER_H_
