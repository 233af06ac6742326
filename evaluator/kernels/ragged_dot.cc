// Kernel of ragged-dot: every group is a slab of the ragged dimension, so that it is a dot of parts
// of the operands. What is in no group is zero. Source: reference ops_structural.md 7.3. Tests:
// contraction_kernels_test.cc.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/contraction.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/ops/product_sum.h"
#include "runtime/indices.h"
#include "spec/analysis/ragged_groups.h"
#include "spec/ops/dimension_numbers.h"
#include "spec/views/odometer.h"

namespace assay::evaluator::kernels {
namespace {

using Mode = analysis::RaggedGroups::Mode;

// A dimension of the whole: the steps that one index makes in operands and result.
struct Axis {
  enum class Kind { kBatch, kRow, kContracted, kColumn } kind;
  int64_t lhs_dim = -1;  // -1: lhs has none of it
  int64_t size = 0;
  int64_t lhs = 0, rhs = 0, out = 0;
};

// A part of the whole: the first index and the number of them in each dimension, and where the
// operands and the result of its group begin.
struct Slab {
  Dimensions starts, counts;
  int64_t rhs = 0, out = 0;
};

class RaggedDotKernel : public Kernel {
 public:
  RaggedDotKernel(const Instruction& dot, const ContractionTypes& types);
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override;

 private:
  absl::Status RunSlab(const Slab& slab, absl::Span<const ArrayRef> operands, std::byte* out,
                       Contraction::Rooms& rooms, EvaluationContext& context) const;
  // The groups of one list of sizes, which begins at `sizes`; slab has the rest.
  absl::Status RunGroups(Slab& slab, int64_t sizes, absl::Span<const ArrayRef> operands,
                         std::byte* out, Contraction::Rooms& rooms,
                         EvaluationContext& context) const;

  ContractionTypes types_;
  analysis::RaggedGroups ragged_;
  ElementType size_type_;
  std::vector<Axis> axes_;  // batch, rows, contracted, columns
  size_t ragged_axis_ = 0;
  std::vector<size_t> prefix_axes_;
  Odometer<1>::Loops prefix_;  // with the steps among the lists of sizes
  int64_t group_rhs_step_ = 0, group_out_step_ = 0;
  int64_t contracted_ = 0;  // dimensions
  int64_t scratch_ = 0;
  bool empty_;
};

RaggedDotKernel::RaggedDotKernel(const Instruction& dot, const ContractionTypes& types)
    : types_(types),
      ragged_(analysis::RaggedGroups::Of(dot)),
      size_type_(dot.operand(2)->shape().element_type()),
      empty_(dot.shape().element_count() == 0) {
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  const DotDimensions dims = DotDimensionsOf(dot);
  const Dimensions left = RowMajorStrides(lhs.dimensions());
  const Dimensions right = RowMajorStrides(rhs.dimensions());
  const Dimensions result = RowMajorStrides(dot.shape().dimensions());
  auto out = result.begin();
  if (ragged_.mode == Mode::kContracted) group_out_step_ = *out++;
  if (ragged_.mode == Mode::kRows) group_rhs_step_ = right[*ragged_.group_dim];
  int64_t rows = 1, contracted = 1, columns = 1;
  for (size_t k = 0; k < dims.lhs_batch.size(); ++k) {
    const int64_t l = dims.lhs_batch[k];
    axes_.push_back(
        {Axis::Kind::kBatch, l, lhs.dimension(l), left[l], right[dims.rhs_batch[k]], *out++});
  }
  for (const int64_t l : dims.lhs_free) {
    axes_.push_back({Axis::Kind::kRow, l, lhs.dimension(l), left[l], 0, *out++});
    rows *= lhs.dimension(l);
  }
  for (size_t k = 0; k < dims.lhs_contracting.size(); ++k) {
    const int64_t l = dims.lhs_contracting[k];
    axes_.push_back(
        {Axis::Kind::kContracted, l, lhs.dimension(l), left[l], right[dims.rhs_contracting[k]], 0});
    contracted *= lhs.dimension(l);
    ++contracted_;
  }
  for (const int64_t r : dims.rhs_free) {
    if (r == ragged_.group_dim) continue;
    axes_.push_back({Axis::Kind::kColumn, -1, rhs.dimension(r), 0, right[r], *out++});
    columns *= rhs.dimension(r);
  }
  const auto axis_of = [&](int64_t lhs_dim) {
    size_t a = 0;
    while (axes_[a].lhs_dim != lhs_dim) ++a;
    return a;
  };
  ragged_axis_ = axis_of(ragged_.ragged_dim);
  const Dimensions lists = RowMajorStrides(dot.operand(2)->shape().dimensions());
  for (size_t k = 0; k < ragged_.prefix.size(); ++k) {
    prefix_axes_.push_back(axis_of(ragged_.prefix[k]));
    prefix_.push_back({lhs.dimension(ragged_.prefix[k]), {lists[k]}});
  }
  scratch_ = Contraction::MostScratch(types, rows, contracted, columns);
}

absl::Status RaggedDotKernel::Run(absl::Span<const ArrayRef> operands,
                                  absl::Span<const MutableArrayRef> results,
                                  EvaluationContext& context) const {
  if (empty_) return absl::OkStatus();
  const Element zero = ProductSum(types_.lhs, types_.rhs, types_.result).Result();
  const int64_t elements = results[0].shape->element_count();
  for (int64_t i = 0; i < elements; ++i) StoreElement(types_.result, zero, results[0].data, i);
  Contraction::Rooms rooms(types_, scratch_);
  if (absl::Status status = context.Charge(elements); !status.ok()) return status;
  Slab slab;
  slab.starts.assign(axes_.size(), 0);
  for (const Axis& axis : axes_) slab.counts.push_back(axis.size);
  for (const size_t a : prefix_axes_) slab.counts[a] = 1;
  Odometer<1> list(prefix_);
  do {
    for (size_t k = 0; k < prefix_axes_.size(); ++k) {
      slab.starts[prefix_axes_[k]] = list.position(static_cast<int64_t>(k));
    }
    absl::Status status =
        RunGroups(slab, list.offset(0), operands, results[0].data, rooms, context);
    if (!status.ok()) return status;
  } while (list.Next());
  return absl::OkStatus();
}

absl::Status RaggedDotKernel::RunGroups(Slab& slab, int64_t sizes,
                                        absl::Span<const ArrayRef> operands, std::byte* out,
                                        Contraction::Rooms& rooms,
                                        EvaluationContext& context) const {
  int64_t start = 0;
  for (int64_t group = 0; group < ragged_.groups; ++group) {
    const int64_t end =
        ragged_.End(start, runtime::LoadIndex(size_type_, operands[2].data, sizes + group));
    if (absl::Status status = context.Charge(1); !status.ok()) return status;
    slab.starts[ragged_axis_] = start;
    slab.counts[ragged_axis_] = end - start;
    slab.rhs = group * group_rhs_step_;
    slab.out = group * group_out_step_;
    if (end > start) {
      absl::Status status = RunSlab(slab, operands, out, rooms, context);
      if (!status.ok()) return status;
    }
    start = end;
  }
  return absl::OkStatus();
}

absl::Status RaggedDotKernel::RunSlab(const Slab& slab, absl::Span<const ArrayRef> operands,
                                      std::byte* out, Contraction::Rooms& rooms,
                                      EvaluationContext& context) const {
  struct {
    Dimensions sizes, strides;
    int64_t offset = 0;
    void Add(int64_t start, int64_t count, int64_t stride) {
      sizes.push_back(count);
      strides.push_back(stride);
      offset += start * stride;
    }
  } lhs, rhs;
  ContractionStrides result = {{}, {}, 1};
  rhs.offset = slab.rhs;
  int64_t first = slab.out;
  for (size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    const int64_t start = slab.starts[a], count = slab.counts[a];
    if (axis.kind != Axis::Kind::kColumn) lhs.Add(start, count, axis.lhs);
    if (axis.kind != Axis::Kind::kRow) rhs.Add(start, count, axis.rhs);
    if (axis.kind == Axis::Kind::kBatch) result.batch.push_back(axis.out);
    if (axis.kind == Axis::Kind::kRow) result.rows.push_back(axis.out);
    first += start * axis.out;
  }
  const auto batch = static_cast<int64_t>(result.batch.size());
  return Contraction(types_, View::Strided(lhs.sizes, lhs.offset, lhs.strides, 0),
                     View::Strided(rhs.sizes, rhs.offset, rhs.strides, 1), batch, contracted_,
                     std::move(result))
      .Run(operands, out + first * StorageBytes(types_.result), rooms, context);
}

}  // namespace

KernelOrNull PrepareRaggedDot(const Instruction& instruction) {
  const Shape& sizes = instruction.operand(2)->shape();
  const std::optional<ContractionTypes> types = ContractionTypes::For(
      instruction.operand(0)->shape().element_type(),
      instruction.operand(1)->shape().element_type(), instruction.shape().element_type());
  if (!types.has_value() || !IsInteger(sizes.element_type())) return nullptr;
  // Lists of sizes for contracted positions: the positions of a group are then no slab.
  const analysis::RaggedGroups ragged = analysis::RaggedGroups::Of(instruction);
  const size_t batch = DotDimensionsOf(instruction).lhs_batch.size();
  if (ragged.mode == Mode::kContracted && ragged.prefix.size() > batch) return nullptr;
  return std::make_unique<RaggedDotKernel>(instruction, *types);
}

}  // namespace assay::evaluator::kernels
