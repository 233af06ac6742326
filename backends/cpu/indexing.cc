// Slices whose place only the run knows: dynamic-slice, dynamic-update-slice and gather. Starts are
// clamped so that the whole slice lies inside. Source: reference ops_structural.md 3.10, 3.11, 4.1.
// Tests: kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "backends/cpu/kernels.h"
#include "backends/defect.h"
#include "runtime/indices.h"
#include "runtime/parallel.h"
#include "runtime/strided_copy.h"
#include "spec/ops/dimension_numbers.h"
#include "spec/views/odometer.h"

namespace assay::cpu {
namespace {

// The start indices of dynamic-slice and dynamic-update-slice: scalars, or one array (2017).
class Starts {
 public:
  // Operands from `first` on; the slice of `sizes` lies in an array of `limits`.
  Starts(const Instruction& op, int64_t first, absl::Span<const int64_t> limits,
         absl::Span<const int64_t> sizes)
      : first_(first), strides_(RowMajorStrides(limits)) {
    for (size_t d = 0; d < limits.size(); ++d) most_.push_back(limits[d] - sizes[d]);
    if (op.operand_count() <= first) return;
    type_ = op.operand(first)->shape().element_type();
    vector_ = op.operand(first)->shape().rank() == 1;
  }
  // Of the first element of the slice, in elements.
  int64_t Offset(absl::Span<const ArrayRef> operands) const {
    int64_t offset = 0;
    for (size_t d = 0; d < most_.size(); ++d) {
      const int64_t start = vector_ ? runtime::LoadIndex(type_, operands[first_].data, d)
                                    : runtime::LoadIndex(type_, operands[first_ + d].data, 0);
      offset +=
          std::clamp<int64_t>(start, 0, ASSAY_DEFECT(12, most_[d], most_[d] / 2)) * strides_[d];
    }
    return offset;
  }

 private:
  int64_t first_;
  Dimensions strides_, most_;
  ElementType type_ = ElementType::kInvalid;
  bool vector_ = false;
};

class DynamicSliceKernel : public Kernel {
 public:
  explicit DynamicSliceKernel(const Instruction& slice)
      : bytes_(StorageBytes(slice.shape().element_type())),
        starts_(slice, 1, slice.operand(0)->shape().dimensions(), slice.shape().dimensions()),
        copy_(bytes_, slice.shape().dimensions(),
              RowMajorStrides(slice.operand(0)->shape().dimensions()),
              RowMajorStrides(slice.shape().dimensions())) {}
  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    if (copy_.element_count() == 0) return absl::OkStatus();
    return copy_.Run(operands[0].data + starts_.Offset(operands) * bytes_, results[0].data,
                     context);
  }

 private:
  const int64_t bytes_;
  const Starts starts_;
  const runtime::StridedCopy copy_;
};

class DynamicUpdateSliceKernel : public Kernel {
 public:
  explicit DynamicUpdateSliceKernel(const Instruction& update)
      : bytes_(StorageBytes(update.shape().element_type())),
        total_(update.shape().element_count()),
        starts_(update, 2, update.shape().dimensions(), update.operand(1)->shape().dimensions()),
        copy_(bytes_, update.operand(1)->shape().dimensions(),
              RowMajorStrides(update.operand(1)->shape().dimensions()),
              RowMajorStrides(update.shape().dimensions())) {}
  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const int64_t offset = ASSAY_DEFECT(13, starts_.Offset(operands), 0);
    if (results[0].data != operands[0].data && total_ > 0) {
      std::memcpy(results[0].data, operands[0].data, total_ * bytes_);
      if (absl::Status status = context.Charge(total_); !status.ok()) return status;
    }
    if (copy_.element_count() == 0) return absl::OkStatus();
    return copy_.Run(operands[1].data, results[0].data + offset * bytes_, context);
  }
  int in_place_operand() const override { return 0; }

 private:
  const int64_t bytes_, total_;
  const Starts starts_;
  const runtime::StridedCopy copy_;
};

// One slice for each start vector; offsets count elements of the operand.
class GatherKernel : public Kernel {
 public:
  explicit GatherKernel(const Instruction& gather)
      : bytes_(StorageBytes(gather.shape().element_type())),
        index_type_(gather.operand(1)->shape().element_type()) {
    const GatherDimensions dims = GatherDimensionsOf(gather);
    const Shape& operand = gather.operand(0)->shape();
    const Shape& indices = gather.operand(1)->shape();
    const Shape& result = gather.shape();
    const Dimensions from = RowMajorStrides(operand.dimensions());
    const Dimensions index_strides = RowMajorStrides(indices.dimensions());
    const Dimensions to = RowMajorStrides(result.dimensions());
    for (size_t k = 0; k < dims.batch.size(); ++k) {
      batch_.push_back({result.dimension(dims.batch[k]),
                        {index_strides[dims.index_batch[k]], to[dims.batch[k]], 0}});
      slices_ *= result.dimension(dims.batch[k]);
    }
    for (size_t j = 0; j < dims.operand_batching.size(); ++j) {
      batch_[dims.batch_position[j]].strides[2] = from[dims.operand_batching[j]];
    }
    const int64_t step = dims.implied_index_vector ? 0 : index_strides[dims.index_vector_dim];
    for (size_t k = 0; k < dims.start_index_map.size(); ++k) {
      const int64_t d = dims.start_index_map[k];
      components_.push_back(
          {static_cast<int64_t>(k) * step, operand.dimension(d) - dims.slice_sizes[d], from[d]});
    }
    Dimensions sizes, source, target;
    for (size_t k = 0; k < dims.window.size(); ++k) {
      sizes.push_back(result.dimension(dims.offset[k]));
      source.push_back(from[dims.window[k]]);
      target.push_back(to[dims.offset[k]]);
    }
    copy_ = runtime::StridedCopy(bytes_, sizes, source, target);
    if (result.element_count() == 0) slices_ = 0;
    run_ = sizes.empty() || (source == RowMajorStrides(sizes) && target == RowMajorStrides(sizes))
               ? copy_.element_count()
               : 0;
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const int64_t grain = runtime::GrainFor(copy_.element_count() + 4);
    return runtime::ParallelFor(
        context, slices_, grain, [&](runtime::Blocks& blocks, Context& context) {
          while (blocks.Next()) {
            absl::Status status = context.Charge(blocks.count() * (copy_.element_count() + 1));
            if (!status.ok()) return status;
            Slices(operands, results[0].data, blocks.first(), blocks.count());
          }
          return absl::OkStatus();
        });
  }

 private:
  struct Component {
    int64_t index_offset, most, stride;
  };

  // Slices first ... first + n - 1, some at a time: first their places, then the elements.
  void Slices(absl::Span<const ArrayRef> operands, std::byte* out, int64_t first, int64_t n) const {
    constexpr int64_t kAtATime = 256;
    int64_t sources[kAtATime], targets[kAtATime];
    Odometer<3> batch(batch_, first);
    for (int64_t done = 0; done < n; done += kAtATime) {
      const int64_t count = std::min(kAtATime, n - done);
      runtime::WithIndexType(index_type_, [&](auto load) {
        for (int64_t i = 0; i < count; ++i, batch.Next()) {
          int64_t source = ASSAY_DEFECT(14, batch.offset(2), 0);
          for (const Component& component : components_) {
            const int64_t start = load(operands[1].data, batch.offset(0) + component.index_offset);
            const int64_t most = ASSAY_DEFECT(15, component.most, component.most / 2);
            source += std::clamp<int64_t>(start, 0, most) * component.stride;
          }
          sources[i] = source * bytes_;
          targets[i] = batch.offset(1) * bytes_;
        }
      });
      CopySlices(operands[0].data, sources, out, targets, count);
    }
  }

  // The places are offsets in bytes.
  void CopySlices(const std::byte* from, const int64_t* sources, std::byte* to,
                  const int64_t* targets, int64_t n) const {
    switch (run_ * bytes_) {
      case 0:
        for (int64_t i = 0; i < n; ++i) copy_.Run(from + sources[i], to + targets[i]);
        return;
      // Slices of the usual sizes are moved without a call.
      case 4:
        return CopyRuns<4>(from, sources, to, targets, n);
      case 8:
        return CopyRuns<8>(from, sources, to, targets, n);
      case 16:
        return CopyRuns<16>(from, sources, to, targets, n);
      case 32:
        return CopyRuns<32>(from, sources, to, targets, n);
      case 64:
        return CopyRuns<64>(from, sources, to, targets, n);
      default:
        for (int64_t i = 0; i < n; ++i) {
          std::memcpy(to + targets[i], from + sources[i], run_ * bytes_);
        }
    }
  }
  template <int kBytes>
  static void CopyRuns(const std::byte* from, const int64_t* sources, std::byte* to,
                       const int64_t* targets, int64_t n) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + targets[i], from + sources[i], kBytes);
  }

  const int64_t bytes_;
  const ElementType index_type_;
  Odometer<3>::Loops batch_;  // offsets in indices, result, operand
  int64_t slices_ = 1;
  std::vector<Component> components_;
  runtime::StridedCopy copy_;
  int64_t run_ = 0;  // elements of a slice that lie side by side in both arrays; 0: they do not
};

}  // namespace

KernelOr PrepareDynamicSlice(const Instruction& slice) {
  return std::make_unique<DynamicSliceKernel>(slice);
}

KernelOr PrepareDynamicUpdateSlice(const Instruction& update) {
  return std::make_unique<DynamicUpdateSliceKernel>(update);
}

KernelOr PrepareGather(const Instruction& gather) { return std::make_unique<GatherKernel>(gather); }

}  // namespace assay::cpu
