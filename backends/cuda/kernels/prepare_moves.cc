// Operations that only move elements: copies of the boxes that their views consist of, bitcasts,
// iota, and slices at places that scalars say. Tests: cuda_kernels_test.cc.
#include <algorithm>
#include <utility>

#include "backends/cuda/kernels/lowering.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::cuda {
namespace {

// Bits of an element in memory: pred and the 6-bit floats take a byte.
int CastBits(const ElementRow& row) {
  return row.kind == kKindPred || row.bits == 6 ? 8 : row.bits;
}

// The logical strides of the dimensions in the order of the layout, the slowest first.
struct PhysicalDimensions {
  explicit PhysicalDimensions(const Shape& shape) {
    const Layout layout = shape.has_layout() ? *shape.layout() : Layout::Default(shape.rank());
    const Dimensions strides = RowMajorStrides(shape.dimensions());
    for (int64_t i = shape.rank() - 1; i >= 0; --i) {
      const int64_t d = layout.minor_to_major[i];
      sizes.push_back(shape.dimension(d));
      logical.push_back(strides[d]);
    }
    physical = RowMajorStrides(sizes);
    in_order = logical == physical;
  }
  std::vector<CopyLoop> Loops(bool to_memory) const {
    std::vector<CopyLoop> loops;
    for (size_t d = 0; d < sizes.size(); ++d) {
      loops.push_back(to_memory ? CopyLoop{sizes[d], logical[d], physical[d]}
                                : CopyLoop{sizes[d], physical[d], logical[d]});
    }
    return loops;
  }
  Dimensions sizes, logical, physical;
  bool in_order = true;
};

void AddRegroup(KernelPlan& plan, const Shape& from, const Shape& to, BufferUse in, BufferUse out) {
  const ElementRow from_row = RowOf(from), to_row = RowOf(to);
  const int from_parts = from_row.kind == kKindComplex ? 2 : 1;
  const int to_parts = to_row.kind == kKindComplex ? 2 : 1;
  RegroupParameter p;
  p.from_count = from.element_count() * from_parts;
  p.to_count = to.element_count() * to_parts;
  p.from_bytes = from_row.bytes / from_parts;
  p.to_bytes = to_row.bytes / to_parts;
  p.from_bits = CastBits(from_row);
  p.to_bits = CastBits(to_row);
  p.to_pred = to_row.kind == kKindPred;
  if (!p.to_pred && to_row.bits < 64) p.mask = (uint64_t{1} << to_row.bits) - 1;
  const int64_t threads = ThreadsFor(p.to_count);
  plan.launches.push_back(MakeLaunch("Regroup", BlocksFor(p.to_count, threads),
                                     {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                     {{&p.in, in}, {&p.out, out}}));
}

// Which operands say where a slice starts, and how far they may go.
absl::Status SetStarts(const Instruction& instruction, int64_t first, const Shape& whole,
                       absl::Span<const int64_t> sizes, DynamicCopyParameter& p,
                       std::vector<MemberPointer>& pointers) {
  const int64_t rank = whole.rank();
  if (rank > kMostDimensions) return Unsupported(instruction, "so many dimensions");
  const Dimensions strides = RowMajorStrides(whole.dimensions());
  const bool list =
      instruction.operand_count() == first + 1 && instruction.operand(first)->shape().rank() == 1;
  p.indices = static_cast<int32_t>(rank);
  for (int64_t d = 0; d < rank; ++d) {
    const Shape& index = instruction.operand(list ? first : first + d)->shape();
    p.index_row = RowOf(index);
    p.limits[d] = whole.dimension(d) - sizes[d];
    p.strides[d] = strides[d];
    pointers.push_back(
        {&p.index[d], list ? Operand(first, d * BytesOf(index)) : Operand(first + d)});
  }
  return absl::OkStatus();
}

void AddDynamicCopy(KernelPlan& plan, const DynamicCopyParameter& p,
                    std::vector<MemberPointer>& pointers) {
  const int64_t threads = ThreadsFor(p.count);
  plan.launches.push_back(MakeLaunch("DynamicCopy", BlocksFor(p.count, threads),
                                     {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                     absl::MakeConstSpan(pointers)));
}

}  // namespace

KernelPlanOr PrepareMove(const Instruction& move, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& shape = move.shape();
  if (shape.element_count() == 0) return plan;
  std::vector<View> operands;
  for (int64_t k = 0; k < move.operand_count(); ++k) {
    operands.push_back(View::Dense(move.operand(k)->shape().dimensions(), k));
  }
  const std::optional<View> view = ViewOf(move, operands);
  absl::Status status;
  if (view.has_value()) {
    status = AddViewCopy(plan, move, BytesOf(shape), *view, Result(0));
  } else if (move.opcode() == Opcode::kReshape || move.opcode() == Opcode::kCopy ||
             move.opcode() == Opcode::kDynamicReshape) {
    status = AddDenseCopy(plan, move, BytesOf(shape), shape.element_count(), Operand(0), Result(0));
  } else {
    status = Unsupported(move, "this move");
  }
  if (!status.ok()) return status;
  return plan;
}

KernelPlanOr PrepareMixedMove(const analysis::MixedMove& split) {
  KernelPlan plan;
  std::vector<BufferUse> moved;
  for (size_t k = 0; k < split.converts.size(); ++k) {
    moved.push_back(Operand(static_cast<int64_t>(k)));
    const Instruction* const convert = split.converts[k].get();
    if (convert == nullptr || convert->shape().element_count() == 0) continue;
    KernelPlanOr part = PrepareKernels(*convert, {});
    if (!part.ok()) return part.status();
    const BufferUse operand = moved.back();
    const BufferUse converted =
        AddScratch(plan, convert->shape().element_count() * BytesOf(convert->shape()));
    AppendPart(
        *std::move(part),
        [&](const BufferUse& use) {
          return use.kind == BufferUse::Kind::kResult ? converted : operand;
        },
        plan);
    moved.back() = converted;
  }
  KernelPlanOr move = PrepareKernels(*split.move, {});
  if (!move.ok()) return move.status();
  const int in_place = move->in_place_operand;
  if (in_place >= 0 && split.converts[in_place] == nullptr) plan.in_place_operand = in_place;
  AppendPart(
      *std::move(move),
      [&](const BufferUse& use) {
        return use.kind == BufferUse::Kind::kResult ? Result(use.number) : moved[use.number];
      },
      plan);
  return plan;
}

KernelPlanOr PrepareBitcast(const Instruction& cast, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& from = cast.operand(0)->shape();
  const Shape& to = cast.shape();
  if (to.element_count() == 0) return plan;
  BufferUse in = Operand(0), out = Result(0);
  const bool by_layout = cast.opcode() == Opcode::kBitcast;
  const PhysicalDimensions from_memory(from), to_memory(to);
  absl::Status status;
  if (by_layout && !from_memory.in_order) {
    in = AddScratch(plan, from.element_count() * BytesOf(from));
    status = AddCopy(plan, cast, BytesOf(from), Operand(0), 0, in, 0, from_memory.Loops(true));
    if (!status.ok()) return status;
  }
  if (by_layout && !to_memory.in_order) out = AddScratch(plan, to.element_count() * BytesOf(to));
  AddRegroup(plan, from, to, in, out);
  if (by_layout && !to_memory.in_order) {
    status = AddCopy(plan, cast, BytesOf(to), out, 0, Result(0), 0, to_memory.Loops(false));
    if (!status.ok()) return status;
  }
  return plan;
}

KernelPlanOr PrepareIota(const Instruction& iota, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  IotaParameter p;
  p.count = iota.shape().element_count();
  if (p.count == 0) return plan;
  const int64_t dimension = iota.GetInt(Attr::kIotaDimension);
  p.inner = RowMajorStrides(iota.shape().dimensions())[dimension];
  p.size = iota.shape().dimension(dimension);
  p.row = RowOf(iota.shape());
  const int64_t threads = ThreadsFor(p.count);
  plan.launches.push_back(MakeLaunch("Iota", BlocksFor(p.count, threads),
                                     {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                     {{&p.out, Result(0)}}));
  return plan;
}

KernelPlanOr PrepareDynamicSlice(const Instruction& slice, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& whole = slice.operand(0)->shape();
  DynamicCopyParameter p;
  p.count = slice.shape().element_count();
  if (p.count == 0) return plan;
  std::vector<MemberPointer> pointers = {{&p.in, Operand(0)}, {&p.out, Result(0)}};
  absl::Status status = SetStarts(slice, 1, whole, slice.shape().dimensions(), p, pointers);
  if (!status.ok()) return status;
  p.box = *BoxOf(slice, slice.shape().dimensions());
  p.from = DenseStrides(whole.dimensions());
  p.to = DenseStrides(slice.shape().dimensions());
  p.bytes = static_cast<int32_t>(BytesOf(whole));
  AddDynamicCopy(plan, p, pointers);
  return plan;
}

KernelPlanOr PrepareDynamicUpdateSlice(const Instruction& update,
                                       absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& whole = update.shape();
  const Shape& part = update.operand(1)->shape();
  if (whole.element_count() == 0) return plan;
  absl::Status status =
      AddDenseCopy(plan, update, BytesOf(whole), whole.element_count(), Operand(0), Result(0));
  if (!status.ok()) return status;
  plan.launches.back().copies_in_place_operand = true;
  DynamicCopyParameter p;
  p.count = part.element_count();
  plan.in_place_operand = 0;
  if (p.count == 0) return plan;
  std::vector<MemberPointer> pointers = {{&p.in, Operand(1)}, {&p.out, Result(0)}};
  status = SetStarts(update, 2, whole, part.dimensions(), p, pointers);
  if (!status.ok()) return status;
  p.starts_in_source = false;
  p.box = *BoxOf(update, part.dimensions());
  p.from = DenseStrides(part.dimensions());
  p.to = DenseStrides(whole.dimensions());
  p.bytes = static_cast<int32_t>(BytesOf(whole));
  AddDynamicCopy(plan, p, pointers);
  return plan;
}

KernelPlanOr PrepareViewCopy(const View& view, ElementType type) {
  KernelPlan plan;
  const Instruction copy(Opcode::kCopy, Shape(type, view.sizes()));
  absl::Status status = AddViewCopy(plan, copy, RowOf(type).bytes, view, Result(0));
  if (!status.ok()) return status;
  return plan;
}

KernelPlanOr PrepareBoxCopy(const Shape& from, absl::Span<const int64_t> box,
                            absl::Span<const int64_t> at, const Shape& to) {
  KernelPlan plan;
  const Dimensions from_strides = RowMajorStrides(from.dimensions());
  const Dimensions to_strides = RowMajorStrides(to.dimensions());
  std::vector<CopyLoop> loops;
  int64_t offset = 0;
  for (size_t d = 0; d < box.size(); ++d) {
    loops.push_back({box[d], from_strides[d], to_strides[d]});
    offset += at[d] * to_strides[d];
  }
  const Instruction copy(Opcode::kCopy, to);
  absl::Status status =
      AddCopy(plan, copy, BytesOf(from), Operand(0), 0, Result(0), offset, std::move(loops));
  if (!status.ok()) return status;
  return plan;
}

KernelPlanOr PrepareGather(const Instruction& gather, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const GatherDimensions dims = GatherDimensionsOf(gather);
  const Shape& operand = gather.operand(0)->shape();
  const Shape& indices = gather.operand(1)->shape();
  GatherParameter p;
  p.count = gather.shape().element_count();
  if (p.count == 0) return plan;
  absl::StatusOr<Box> box = BoxOf(gather, gather.shape().dimensions());
  if (!box.ok()) return box.status();
  if (dims.start_index_map.size() > kMostDimensions) return Unsupported(gather, "so many indices");
  p.box = *box;
  p.bytes = static_cast<int32_t>(BytesOf(operand));
  const Dimensions strides = RowMajorStrides(operand.dimensions());
  const Dimensions index_strides = RowMajorStrides(indices.dimensions());
  for (size_t k = 0; k < dims.batch.size(); ++k) {
    p.to_index.strides[dims.batch[k]] = index_strides[dims.index_batch[k]];
  }
  for (size_t k = 0; k < dims.offset.size(); ++k) {
    p.from.strides[dims.offset[k]] = strides[dims.window[k]];
  }
  for (size_t j = 0; j < dims.operand_batching.size(); ++j) {
    p.from.strides[dims.batch[dims.batch_position[j]]] += strides[dims.operand_batching[j]];
  }
  p.components = static_cast<int32_t>(dims.start_index_map.size());
  p.component_stride = dims.implied_index_vector ? 0 : index_strides[dims.index_vector_dim];
  p.index_row = RowOf(indices);
  for (size_t k = 0; k < dims.start_index_map.size(); ++k) {
    const int64_t d = dims.start_index_map[k];
    p.limits[k] = operand.dimension(d) - dims.slice_sizes[d];
    p.strides[k] = strides[d];
  }
  const int64_t threads = ThreadsFor(p.count);
  plan.launches.push_back(
      MakeLaunch("Gather", BlocksFor(p.count, threads), {static_cast<uint32_t>(threads), 1, 1}, 0,
                 p, {{&p.in, Operand(0)}, {&p.indices, Operand(1)}, {&p.out, Result(0)}}));
  return plan;
}

}  // namespace assay::cuda
