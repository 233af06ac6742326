// Launches of sort, topk and scatter (orders.cu). Tests: cuda_kernels_test.cc.
#include <algorithm>
#include <utility>

#include "backends/cuda/kernels/lowering.h"
#include "spec/analysis/sort_key.h"
#include "spec/ir/row_major.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::cuda {
namespace {

using analysis::FlatRegion;

constexpr int64_t kBlockElements = 128;  // that a block sorts (orders.cu)
constexpr int64_t kBlockThreads = kBlockElements / 2;

int64_t BlocksOf(const AlongDimension& lines) {
  return lines.lines() * ((lines.size + kBlockElements - 1) / kBlockElements);
}

// The order of elements by a comparator.
absl::StatusOr<BufferUse> AddProgramSort(KernelPlan& plan, const Instruction& sort,
                                         const AlongDimension& lines) {
  const int64_t arrays = sort.operand_count();
  if (arrays > kMostArrays) return Unsupported(sort, "so many arrays");
  absl::StatusOr<FlatRegion> region = analysis::FlattenRegion(*sort.to_apply());
  if (!region.ok()) return region.status();
  absl::Status status;
  const PlacedProgram placed =
      Place(*region, BlocksOf(lines) * kBlockThreads, plan, sort, status, kBlockThreads);
  if (!status.ok()) return status;
  const BufferUse order = AddScratch(plan, lines.lines() * lines.size * 8);
  OrderParameter p;
  p.program = placed.program;
  p.arrays = static_cast<int32_t>(arrays);
  p.lines = lines.lines();
  p.length = lines.size;
  p.inner = lines.inner;
  std::vector<MemberPointer> pointers = {{&p.to, order}};
  AddPointers(p.program, placed, pointers);
  for (int64_t k = 0; k < arrays; ++k) {
    p.rows[k] = RowOf(sort.operand(k)->shape());
    pointers.push_back({&p.in[k], Operand(k)});
  }
  const auto add = [&](const char* entry, Extent blocks) {
    plan.launches.push_back(MakeLaunch(entry, placed.has_registers_memory ? placed.blocks : blocks,
                                       placed.threads, placed.shared_bytes, p,
                                       absl::MakeConstSpan(pointers)));
  };
  add("SortBlocks", BlocksFor(BlocksOf(lines), 1, 1));
  const Extent blocks = BlocksFor(lines.lines() * lines.size / 2 + 1, kBlockThreads);
  for (int64_t run = kBlockElements; run < lines.size; run *= 2) {
    for (int64_t distance = run; distance > 0; distance /= 2) {
      p.run = distance;
      p.mirror = distance == run;
      add("SortPass", blocks);
    }
  }
  return order;
}

void AddPermute(KernelPlan& plan, const Shape& shape, const AlongDimension& lines, int64_t taken,
                BufferUse order, BufferUse in, BufferUse out, const BufferUse* indices) {
  PermuteParameter p;
  p.row = RowOf(shape);
  p.lines = lines.lines();
  p.length = lines.size;
  p.taken = taken;
  p.inner = lines.inner;
  std::vector<MemberPointer> pointers = {{&p.in, in}, {&p.out, out}, {&p.order, order}};
  if (indices != nullptr) pointers.push_back({&p.indices, *indices});
  const int64_t count = lines.lines() * taken, threads = ThreadsFor(count);
  plan.launches.push_back(MakeLaunch("Permute", BlocksFor(count, threads),
                                     {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                     absl::MakeConstSpan(pointers)));
}

BufferUse AddOrderKeys(KernelPlan& plan, const Shape& shape, BufferUse in, bool descending) {
  KeysParameter p;
  p.row = RowOf(shape);
  p.count = shape.element_count();
  p.descending = descending;
  const BufferUse keys = AddScratch(plan, p.count * 8);
  const int64_t threads = ThreadsFor(p.count);
  plan.launches.push_back(MakeLaunch("OrderKeys", BlocksFor(p.count, threads),
                                     {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                     {{&p.in, in}, {&p.keys, keys}}));
  return keys;
}

// The positions of updates in the order of application: windows one after the other.
absl::Status SetScatter(const Instruction& scatter, const ScatterDimensions& dims,
                        ScatterTargetsParameter& targets, ScatterParameter& apply) {
  const Shape& data = scatter.operand(0)->shape();
  const Shape& indices = scatter.operand(dims.operands)->shape();
  const Shape& updates = scatter.operand(dims.operands + 1)->shape();
  if (updates.rank() > kMostDimensions || dims.start_index_map.size() > kMostDimensions) {
    return Unsupported(scatter, "so many dimensions");
  }
  const Dimensions data_strides = RowMajorStrides(data.dimensions());
  const Dimensions index_strides = RowMajorStrides(indices.dimensions());
  const Dimensions update_strides = RowMajorStrides(updates.dimensions());
  int32_t at = 0;
  for (size_t k = 0; k < dims.batch.size(); ++k, ++at) {
    targets.updates.sizes[at] = updates.dimension(dims.batch[k]);
    targets.to_index.strides[at] = index_strides[dims.index_batch[k]];
    apply.positions.strides[at] = update_strides[dims.batch[k]];
  }
  for (size_t j = 0; j < dims.operand_batching.size(); ++j) {
    targets.to_cell.strides[dims.batch_position[j]] += data_strides[dims.operand_batching[j]];
  }
  for (size_t k = 0; k < dims.window.size(); ++k, ++at) {
    targets.updates.sizes[at] = updates.dimension(dims.update_window[k]);
    targets.to_cell.strides[at] = data_strides[dims.window[k]];
    apply.positions.strides[at] = update_strides[dims.update_window[k]];
  }
  targets.updates.rank = at;
  targets.components = static_cast<int32_t>(dims.start_index_map.size());
  targets.component_stride = dims.implied_index_vector ? 0 : index_strides[dims.index_vector_dim];
  targets.index_row = RowOf(indices);
  for (size_t k = 0; k < dims.start_index_map.size(); ++k) {
    const int64_t d = dims.start_index_map[k];
    targets.limits[k] = data.dimension(d) - dims.window_sizes[d];
    targets.strides[k] = data_strides[d];
  }
  targets.count = apply.count = updates.element_count();
  apply.box = targets.updates;
  return absl::OkStatus();
}

}  // namespace

BufferUse AddKeySort(KernelPlan& plan, BufferUse keys, int64_t lines, int64_t length,
                     int64_t inner) {
  BufferUse order = AddScratch(plan, lines * length * 8);
  OrderParameter p;
  p.lines = lines;
  p.length = length;
  p.inner = inner;
  const int64_t blocks = lines * ((length + kBlockElements - 1) / kBlockElements);
  plan.launches.push_back(MakeLaunch("SortBlocks", BlocksFor(blocks, 1, 1),
                                     {static_cast<uint32_t>(kBlockThreads), 1, 1},
                                     kBlockThreads * 16, p, {{&p.keys, keys}, {&p.to, order}}));
  if (length <= kBlockElements) return order;
  BufferUse other = AddScratch(plan, lines * length * 8);
  for (p.run = kBlockElements; p.run < length; p.run *= 2) {
    plan.launches.push_back(MakeLaunch("MergeRuns", BlocksFor(lines * length, 128), {128, 1, 1}, 0,
                                       p, {{&p.keys, keys}, {&p.from, order}, {&p.to, other}}));
    std::swap(order, other);
  }
  return order;
}

KernelPlanOr PrepareSort(const Instruction& sort, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& shape = sort.operand(0)->shape();
  if (shape.element_count() == 0) return plan;
  const AlongDimension lines(shape.dimensions(), sort.GetInt(Attr::kDimension));
  const std::optional<analysis::SortKey> key = analysis::RecogniseSortKey(*sort.to_apply());
  BufferUse order;
  if (key.has_value() && key->function == nullptr && (!IsFloat(key->type) || key->total_order) &&
      !IsComplex(key->type)) {
    const Shape& by = sort.operand(key->operand)->shape();
    const BufferUse keys = AddOrderKeys(plan, by, Operand(key->operand), key->descending);
    order = AddKeySort(plan, keys, lines.lines(), lines.size, lines.inner);
  } else {
    absl::StatusOr<BufferUse> sorted = AddProgramSort(plan, sort, lines);
    if (!sorted.ok()) return sorted.status();
    order = *sorted;
  }
  for (int64_t k = 0; k < sort.operand_count(); ++k) {
    AddPermute(plan, sort.operand(k)->shape(), lines, lines.size, order, Operand(k), Result(k),
               nullptr);
  }
  return plan;
}

KernelPlanOr PrepareTopK(const Instruction& topk, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& shape = topk.operand(0)->shape();
  if (topk.shape().tuple_shape(0).element_count() == 0) return plan;
  if (IsComplex(shape.element_type())) return Unsupported(topk, "an order of complex numbers");
  const AlongDimension lines(shape.dimensions(), shape.rank() - 1);
  const BufferUse keys = AddOrderKeys(plan, shape, Operand(0), topk.GetBool(Attr::kLargest));
  const BufferUse order = AddKeySort(plan, keys, lines.lines(), lines.size, lines.inner);
  const BufferUse indices = Result(1);
  AddPermute(plan, shape, lines, topk.GetInt(Attr::kK), order, Operand(0), Result(0), &indices);
  return plan;
}

KernelPlanOr PrepareScatter(const Instruction& scatter, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const ScatterDimensions dims = ScatterDimensionsOf(scatter);
  const int64_t arrays = dims.operands;
  if (arrays > kMostArrays) return Unsupported(scatter, "so many arrays");
  ScatterTargetsParameter targets;
  ScatterParameter p;
  absl::Status status = SetScatter(scatter, dims, targets, p);
  std::vector<MemberPointer> pointers;
  for (int64_t k = 0; k < arrays && status.ok(); ++k) {
    const Shape& data = scatter.operand(k)->shape();
    const Shape& updates = scatter.operand(arrays + 1 + k)->shape();
    status =
        AddDenseCopy(plan, scatter, BytesOf(data), data.element_count(), Operand(k), Result(k));
    p.rows[k] = RowOf(data);
    p.update_rows[k] = RowOf(updates);
    pointers.push_back({&p.out[k], Result(k)});
    pointers.push_back({&p.updates[k], Operand(arrays + 1 + k)});
  }
  if (!status.ok()) return status;
  if (arrays == 1) {
    plan.in_place_operand = 0;
    if (!plan.launches.empty()) plan.launches[0].copies_in_place_operand = true;
  }
  if (p.count == 0 || scatter.operand(0)->shape().element_count() == 0) return plan;
  const BufferUse cells = AddScratch(plan, p.count * 8);
  const int64_t threads = ThreadsFor(p.count);
  plan.launches.push_back(MakeLaunch(
      "ScatterTargets", BlocksFor(p.count, threads), {static_cast<uint32_t>(threads), 1, 1}, 0,
      targets, {{&targets.indices, Operand(arrays)}, {&targets.targets, cells}}));
  const BufferUse order = AddKeySort(plan, cells, 1, p.count, 1);
  p.arrays = static_cast<int32_t>(arrays);
  const Computation& reducer = *scatter.to_apply();
  std::vector<analysis::Reducer> parts = analysis::RecogniseParts(reducer);
  if (arrays == 1) parts = {analysis::RecogniseReducer(reducer)};
  parts.resize(arrays);
  for (int64_t k = 0; k < arrays; ++k) {
    p.folds[k] = FoldOf(parts[k], AccumulatorType(reducer, k));
    p.runs_program |= p.folds[k].kind == FoldKind::kProgram;
  }
  absl::StatusOr<FlatRegion> region = EmptyRegion();
  if (p.runs_program) region = analysis::FlattenRegion(reducer);
  if (!region.ok()) return region.status();
  const PlacedProgram placed = Place(*region, p.count, plan, scatter, status);
  if (!status.ok()) return status;
  p.program = placed.program;
  pointers.push_back({&p.targets, cells});
  pointers.push_back({&p.order, order});
  AddPointers(p.program, placed, pointers);
  plan.launches.push_back(MakeLaunch("ApplyUpdates", placed.blocks, placed.threads,
                                     placed.shared_bytes, p, absl::MakeConstSpan(pointers)));
  return plan;
}

}  // namespace assay::cuda
