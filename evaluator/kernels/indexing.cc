// Kernels that read or write at indices known only at run time: dynamic slices and gather. Starts
// are clamped so that the whole slice fits. Source: reference ops_structural.md 3.10, 3.11, 4.1.
// Tests: moving_kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "evaluator/kernels/kernel.h"
#include "runtime/indices.h"
#include "runtime/parallel.h"
#include "runtime/strided_copy.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::evaluator::kernels {
namespace {

// The starts of a dynamic slice: scalars from operand `first` on, or one vector there.
class Starts {
 public:
  // Slices of `slice` inside `whole`.
  Starts(const Instruction& instruction, int64_t first, const Shape& whole,
         absl::Span<const int64_t> slice)
      : first_(first), strides_(RowMajorStrides(whole.dimensions())) {
    for (int64_t d = 0; d < whole.rank(); ++d) limits_.push_back(whole.dimension(d) - slice[d]);
    if (instruction.operand_count() > first) {
      const Shape& start = instruction.operand(first)->shape();
      type_ = start.element_type();
      vector_ = start.rank() == 1;
    }
  }
  // Row-major position in the whole of the slice's first element.
  int64_t Position(absl::Span<const ArrayRef> operands) const {
    int64_t position = 0;
    for (size_t d = 0; d < limits_.size(); ++d) {
      const int64_t start = vector_ ? runtime::LoadIndex(type_, operands[first_].data, d)
                                    : runtime::LoadIndex(type_, operands[first_ + d].data, 0);
      position += std::clamp<int64_t>(start, 0, limits_[d]) * strides_[d];
    }
    return position;
  }

 private:
  int64_t first_;
  bool vector_ = false;
  ElementType type_ = ElementType::kS32;
  Dimensions limits_;
  Dimensions strides_;
};

class DynamicSliceKernel : public Kernel {
 public:
  explicit DynamicSliceKernel(const Instruction& instruction)
      : bytes_(StorageBytes(instruction.shape().element_type())),
        starts_(instruction, 1, instruction.operand(0)->shape(), instruction.shape().dimensions()),
        copy_(bytes_, instruction.shape().dimensions(),
              RowMajorStrides(instruction.operand(0)->shape().dimensions()),
              RowMajorStrides(instruction.shape().dimensions())) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    const std::byte* source = operands[0].data + starts_.Position(operands) * bytes_;
    return copy_.Run(source, results[0].data, context);
  }

 private:
  int64_t bytes_;
  Starts starts_;
  runtime::StridedCopy copy_;
};

class DynamicUpdateSliceKernel : public Kernel {
 public:
  explicit DynamicUpdateSliceKernel(const Instruction& instruction)
      : bytes_(StorageBytes(instruction.shape().element_type())),
        whole_bytes_(instruction.shape().element_count() * bytes_),
        starts_(instruction, 2, instruction.shape(), instruction.operand(1)->shape().dimensions()),
        copy_(bytes_, instruction.operand(1)->shape().dimensions(),
              RowMajorStrides(instruction.operand(1)->shape().dimensions()),
              RowMajorStrides(instruction.shape().dimensions())) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    Meter meter(context);
    std::byte* out = results[0].data;
    if (out != operands[0].data && whole_bytes_ > 0) {
      std::memcpy(out, operands[0].data, whole_bytes_);
      if (absl::Status status = meter.Add(whole_bytes_ / bytes_); !status.ok()) return status;
    }
    absl::Status status =
        copy_.Run(operands[1].data, out + starts_.Position(operands) * bytes_, meter);
    return status.ok() ? meter.Flush() : status;
  }
  int in_place_operand() const override { return 0; }

 private:
  int64_t bytes_;
  int64_t whole_bytes_;
  Starts starts_;
  runtime::StridedCopy copy_;
};

class GatherKernel : public Kernel {
 public:
  explicit GatherKernel(const Instruction& instruction);
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override;

 private:
  // A dimension of the start vectors' grid and what a step in it moves, in elements.
  struct BatchLoop {
    int64_t size;
    int64_t index_stride;
    int64_t result_stride;
    int64_t operand_stride;  // of a batching dimension, else 0
  };
  struct Component {
    int64_t index_offset;
    int64_t limit;
    int64_t operand_stride;
  };

  // The start of a row of the innermost loop.
  struct RowStart {
    int64_t index, result, batch;
  };
  RowStart RowAt(int64_t number) const;
  // Slices first to first + n - 1 of a row, which are of one element each.
  void CopyElements(absl::Span<const ArrayRef> operands, std::byte* out, const RowStart& row,
                    int64_t first, int64_t n) const;
  // Copies slices of any form.
  absl::Status CopySlices(absl::Span<const ArrayRef> operands, std::byte* out, const RowStart& row,
                          int64_t first, int64_t n, Meter& meter) const;

  int64_t bytes_;
  ElementType index_type_;
  int64_t slices_ = 1;
  absl::InlinedVector<BatchLoop, 4> loops_;
  absl::InlinedVector<Component, 4> components_;
  runtime::StridedCopy copy_;
};

GatherKernel::GatherKernel(const Instruction& instruction)
    : bytes_(StorageBytes(instruction.shape().element_type())),
      index_type_(instruction.operand(1)->shape().element_type()) {
  const GatherDimensions dims = GatherDimensionsOf(instruction);
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& indices = instruction.operand(1)->shape();
  const Shape& shape = instruction.shape();
  const Dimensions operand_strides = RowMajorStrides(operand.dimensions());
  const Dimensions index_strides = RowMajorStrides(indices.dimensions());
  const Dimensions strides = RowMajorStrides(shape.dimensions());
  for (size_t k = 0; k < dims.batch.size(); ++k) {
    loops_.push_back({shape.dimension(dims.batch[k]), index_strides[dims.index_batch[k]],
                      strides[dims.batch[k]], 0});
    slices_ *= shape.dimension(dims.batch[k]);
  }
  for (size_t j = 0; j < dims.operand_batching.size(); ++j) {
    loops_[dims.batch_position[j]].operand_stride = operand_strides[dims.operand_batching[j]];
  }
  const int64_t step = dims.implied_index_vector ? 0 : index_strides[dims.index_vector_dim];
  for (size_t k = 0; k < dims.start_index_map.size(); ++k) {
    const int64_t d = dims.start_index_map[k];
    components_.push_back({static_cast<int64_t>(k) * step,
                           operand.dimension(d) - dims.slice_sizes[d], operand_strides[d]});
  }
  Dimensions sizes, source_strides, result_strides;
  for (size_t k = 0; k < dims.offset.size(); ++k) {
    sizes.push_back(dims.slice_sizes[dims.window[k]]);
    source_strides.push_back(operand_strides[dims.window[k]]);
    result_strides.push_back(strides[dims.offset[k]]);
  }
  copy_ = runtime::StridedCopy(bytes_, sizes, source_strides, result_strides);
  // A slice of no elements in a collapsed dimension gives an empty result.
  if (shape.element_count() == 0) slices_ = 0;
}

void GatherKernel::CopyElements(absl::Span<const ArrayRef> operands, std::byte* out,
                                const RowStart& row, int64_t first, int64_t n) const {
  const std::byte* data = operands[0].data;
  const std::byte* indices = operands[1].data;
  const BatchLoop loop = loops_.empty() ? BatchLoop{1, 0, 0, 0} : loops_.back();
  runtime::WithIndexType(index_type_, [&](auto load) {
    WithStorage(bytes_, [&](auto sample) {
      using T = decltype(sample);
      for (int64_t i = first; i < first + n; ++i) {
        int64_t source = row.batch + i * loop.operand_stride;
        for (const Component& c : components_) {
          const int64_t start = load(indices, row.index + i * loop.index_stride + c.index_offset);
          source += std::clamp<int64_t>(start, 0, c.limit) * c.operand_stride;
        }
        StoreAt(out, row.result + i * loop.result_stride, LoadAt<T>(data, source));
      }
    });
  });
}

absl::Status GatherKernel::CopySlices(absl::Span<const ArrayRef> operands, std::byte* out,
                                      const RowStart& row, int64_t first, int64_t n,
                                      Meter& meter) const {
  const BatchLoop loop = loops_.empty() ? BatchLoop{1, 0, 0, 0} : loops_.back();
  if (copy_.element_count() == 1) {
    constexpr int64_t kBlock = 1 << 13;
    for (int64_t done = 0; done < n; done += kBlock) {
      const int64_t count = std::min(kBlock, n - done);
      CopyElements(operands, out, row, first + done, count);
      if (absl::Status status = meter.Add(count); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  for (int64_t i = first; i < first + n; ++i) {
    int64_t source = row.batch + i * loop.operand_stride;
    for (const Component& c : components_) {
      const int64_t start = runtime::LoadIndex(index_type_, operands[1].data,
                                               row.index + i * loop.index_stride + c.index_offset);
      source += std::clamp<int64_t>(start, 0, c.limit) * c.operand_stride;
    }
    absl::Status status = copy_.Run(operands[0].data + source * bytes_,
                                    out + (row.result + i * loop.result_stride) * bytes_, meter);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

GatherKernel::RowStart GatherKernel::RowAt(int64_t number) const {
  RowStart row = {0, 0, 0};
  for (auto d = static_cast<int64_t>(loops_.size()) - 2; d >= 0; --d) {
    const BatchLoop& loop = loops_[d];
    const int64_t position = number % loop.size;
    number /= loop.size;
    row.index += position * loop.index_stride;
    row.result += position * loop.result_stride;
    row.batch += position * loop.operand_stride;
  }
  return row;
}

absl::Status GatherKernel::Run(absl::Span<const ArrayRef> operands,
                               absl::Span<const MutableArrayRef> results,
                               EvaluationContext& context) const {
  const int64_t row_size = loops_.empty() ? 1 : loops_.back().size;
  constexpr int64_t kSteps = 4;  // of a slice, besides its elements
  return ParallelFor(context, slices_, GrainFor(kSteps + copy_.element_count() / 2),
                     [&](Blocks& blocks, EvaluationContext& context) {
                       Meter meter(context);
                       while (blocks.Next()) {
                         int64_t n;
                         for (int64_t done = 0; done < blocks.count(); done += n) {
                           const int64_t slice = blocks.first() + done, first = slice % row_size;
                           n = std::min(row_size - first, blocks.count() - done);
                           absl::Status status = CopySlices(
                               operands, results[0].data, RowAt(slice / row_size), first, n, meter);
                           if (!status.ok()) return status;
                         }
                       }
                       return meter.Flush();
                     });
}

}  // namespace

KernelOrNull PrepareDynamicSlice(const Instruction& instruction) {
  return std::make_unique<DynamicSliceKernel>(instruction);
}

KernelOrNull PrepareDynamicUpdateSlice(const Instruction& instruction) {
  if (instruction.operand(1)->shape().element_type() != instruction.shape().element_type()) {
    return nullptr;
  }
  return std::make_unique<DynamicUpdateSliceKernel>(instruction);
}

KernelOrNull PrepareGather(const Instruction& instruction) {
  return std::make_unique<GatherKernel>(instruction);
}

}  // namespace assay::evaluator::kernels
