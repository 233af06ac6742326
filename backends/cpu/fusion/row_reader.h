// Inputs of fused computations whose elements lie in rows: side by side, as a bias that is added to
// every row, or all the same, as a mean that is subtracted from one. A block within a row is read
// where it lies or filled; ViewReader, which knows nothing of rows, would copy it by way of a
// strided copy. Tests: fusion_test.cc.
#ifndef ASSAY_BACKENDS_CPU_FUSION_ROW_READER_H_
#define ASSAY_BACKENDS_CPU_FUSION_ROW_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/view_reader.h"
#include "spec/views/view.h"

namespace assay::cpu {

class RowReader {
 public:
  // Nothing where the view has no rows of at least kFewestElements.
  static std::optional<RowReader> Create(const View& view, int64_t element_bytes);

  int64_t length() const { return length_; }  // of a row

  // What the room of one thread was filled with last.
  struct Filled {
    const std::byte* from = nullptr;
    int64_t count = 0;
  };
  // The elements [first, first + n), in place or in the room.
  const std::byte* Block(runtime::Sources sources, int64_t first, int64_t n, std::byte* room,
                         Filled* filled) const;

 private:
  static constexpr int64_t kFewestElements = 16;

  RowReader() = default;
  // The first element of a row.
  const std::byte* Row(runtime::Sources sources, int64_t row) const;
  void Fill(const std::byte* from, int64_t n, std::byte* to) const;

  int64_t element_bytes_ = 0;
  int64_t length_ = 1;
  bool repeats_ = false;  // the elements of a row are the same one
  int64_t source_ = 0, offset_ = 0;
  Dimensions sizes_, strides_;  // of the dimensions that number the rows
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_FUSION_ROW_READER_H_
