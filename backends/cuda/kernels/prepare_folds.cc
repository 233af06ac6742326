// Launches of reduce, reduce-window, select-and-scatter and scan. A recognised reducer
// (spec/analysis/reducer.h) is one wide operation, rounded at the end; any other runs as written,
// in the order of the elements. Tests: cuda_kernels_test.cc.
#include <algorithm>
#include <string>
#include <utility>

#include "backends/cuda/kernels/lowering.h"
#include "spec/analysis/scan_plan.h"

namespace assay::cuda {
namespace {

using analysis::FlatRegion;

const Shape& ResultShape(const Instruction& instruction, int64_t k) {
  const Shape& shape = instruction.shape();
  return shape.is_tuple() ? shape.tuple_shape(k) : shape;
}

// The window of a dimension, as the parameters have it.
template <typename P>
void SetWindow(P& p, int64_t d, const WindowDimension& window) {
  p.window.sizes[d] = window.size;
  p.stride[d] = window.stride;
  p.low[d] = window.padding_low;
}

// Folds windows of N arrays; the geometry is set.
absl::Status AddFold(KernelPlan& plan, const Instruction& instruction, FoldParameter& p,
                     const Computation& reducer) {
  const int64_t arrays = instruction.operand_count() / 2;
  if (arrays > kMostArrays) return Unsupported(instruction, "so many arrays");
  p.arrays = static_cast<int32_t>(arrays);
  std::vector<analysis::Reducer> parts = analysis::RecogniseParts(reducer);
  if (arrays == 1) parts = {analysis::RecogniseReducer(reducer)};
  std::vector<MemberPointer> pointers;
  for (int64_t k = 0; k < arrays; ++k) {
    const Shape& out = ResultShape(instruction, k);
    const Shape& init = instruction.operand(arrays + k)->shape();
    p.init_rows[k] = RowOf(init);
    p.in_rows[k] = RowOf(instruction.operand(k)->shape());
    p.out_rows[k] = RowOf(out);
    p.folds[k] = FoldOf(parts[k], AccumulatorType(reducer, k));
    p.runs_program |= p.folds[k].kind == FoldKind::kProgram;
    pointers.push_back({&p.in[k], Operand(k)});
    pointers.push_back({&p.init[k], Operand(arrays + k)});
    pointers.push_back({&p.out[k], Result(k)});
  }
  FlatRegion region = EmptyRegion();
  if (p.runs_program) {
    absl::StatusOr<FlatRegion> flat = analysis::FlattenRegion(reducer);
    if (!flat.ok()) return flat.status();
    region = *std::move(flat);
  }
  absl::Status status;
  const PlacedProgram placed = Place(region, p.count, plan, instruction, status);
  if (!status.ok()) return status;
  p.program = placed.program;
  AddPointers(p.program, placed, pointers);
  plan.launches.push_back(MakeLaunch("FoldWindows", placed.blocks, placed.threads,
                                     placed.shared_bytes, p, absl::MakeConstSpan(pointers)));
  return absl::OkStatus();
}

// Whether blocks fold results as trees.
bool IsTree(int64_t results, int64_t terms) {
  return terms >= 256 || (terms >= 32 && results < 256);
}

// Whether the results of a warp stand side by side in the operand.
bool HasColumns(const Shape& operand, absl::Span<const int64_t> reduced) {
  const int64_t last = operand.rank() - 1;
  return last >= 0 && std::find(reduced.begin(), reduced.end(), last) == reduced.end() &&
         operand.dimension(last) >= 32;
}

absl::Status AddTree(KernelPlan& plan, const Instruction& reduce, int64_t k, const Fold& fold,
                     absl::Span<const int64_t> reduced) {
  const Shape& operand = reduce.operand(k)->shape();
  const int64_t arrays = reduce.operand_count() / 2;
  TreeParameter p;
  p.fold = fold;
  p.in_row = RowOf(operand);
  p.init_row = RowOf(reduce.operand(arrays + k)->shape());
  p.out_row = RowOf(ResultShape(reduce, k));
  p.results = p.terms = 1;
  const Dimensions strides = RowMajorStrides(operand.dimensions());
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    Box& box = is_reduced ? p.reduced : p.kept;
    Strides& at = is_reduced ? p.reduced_strides : p.kept_strides;
    at.strides[box.rank] = strides[d];
    box.sizes[box.rank++] = operand.dimension(d);
    (is_reduced ? p.terms : p.results) *= operand.dimension(d);
  }
  int64_t threads = ThreadsFor(p.terms, 256), blocks = p.results;
  std::string kernel = "FoldTree";
  if (HasColumns(operand, reduced)) {
    kernel = "FoldColumns";
    threads = 32 * std::min<int64_t>(kColumnWarps, (p.terms + 3) / 4);
    blocks = (p.results + 31) / 32;
  }
  plan.launches.push_back(
      MakeLaunch(kernel, BlocksFor(blocks, 1, 1), {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                 {{&p.in, Operand(k)}, {&p.init, Operand(arrays + k)}, {&p.out, Result(k)}}));
  return absl::OkStatus();
}

}  // namespace

KernelPlanOr PrepareReduce(const Instruction& reduce, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& operand = reduce.operand(0)->shape();
  const absl::Span<const int64_t> reduced = reduce.GetInts(Attr::kDimensions);
  absl::StatusOr<Box> box = BoxOf(reduce, operand.dimensions());
  if (!box.ok()) return box.status();
  FoldParameter p;
  p.base = p.results = p.window = *box;
  int64_t terms = 1;
  const Dimensions strides = RowMajorStrides(operand.dimensions());
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    (is_reduced ? p.results : p.window).sizes[d] = 1;
    if (is_reduced) terms *= operand.dimension(d);
    p.base_strides[d] = strides[d];
    p.stride[d] = p.base_dilation[d] = p.window_dilation[d] = 1;
  }
  p.count = ResultShape(reduce, 0).element_count();
  if (p.count == 0) return plan;
  const std::vector<analysis::Reducer> parts = analysis::RecogniseParts(*reduce.to_apply());
  std::vector<Fold> folds;
  bool wide = IsTree(p.count, terms);
  for (size_t k = 0; wide && k < parts.size(); ++k) {
    folds.push_back(FoldOf(parts[k], ResultShape(reduce, k).element_type()));
    wide = folds.back().kind == FoldKind::kWide;
  }
  absl::Status status;
  if (wide && folds.size() == static_cast<size_t>(reduce.operand_count() / 2)) {
    for (size_t k = 0; k < folds.size() && status.ok(); ++k) {
      status = AddTree(plan, reduce, static_cast<int64_t>(k), folds[k], reduced);
    }
  } else {
    status = AddFold(plan, reduce, p, *reduce.to_apply());
  }
  if (!status.ok()) return status;
  return plan;
}

KernelPlanOr PrepareReduceWindow(const Instruction& reduce, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& operand = reduce.operand(0)->shape();
  const Shape& result = ResultShape(reduce, 0);
  absl::StatusOr<Box> box = BoxOf(reduce, operand.dimensions());
  if (!box.ok()) return box.status();
  FoldParameter p;
  p.count = result.element_count();
  if (p.count == 0) return plan;
  p.base = p.window = *box;
  p.results = *BoxOf(reduce, result.dimensions());
  const Dimensions strides = RowMajorStrides(operand.dimensions());
  const auto& windows = reduce.window().dimensions;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const WindowDimension window =
        d < static_cast<int64_t>(windows.size()) ? windows[d] : WindowDimension();
    SetWindow(p, d, window);
    p.base_strides[d] = strides[d];
    p.base_dilation[d] = window.base_dilation;
    p.window_dilation[d] = window.window_dilation;
  }
  if (absl::Status status = AddFold(plan, reduce, p, *reduce.to_apply()); !status.ok()) {
    return status;
  }
  return plan;
}

KernelPlanOr PrepareSelectAndScatter(const Instruction& op, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& operand = op.operand(0)->shape();
  const Shape& source = op.operand(1)->shape();
  if (op.shape().element_count() == 0) return plan;
  absl::StatusOr<Box> box = BoxOf(op, operand.dimensions());
  if (!box.ok()) return box.status();
  SelectParameter select;
  ScatterChosenParameter scatter;
  select.base = select.window = scatter.base = *box;
  select.source = scatter.source_box = *BoxOf(op, source.dimensions());
  select.row = RowOf(operand);
  scatter.row = RowOf(op.shape());
  scatter.source_row = RowOf(source);
  scatter.init_row = RowOf(op.operand(2)->shape());
  select.count = source.element_count();
  scatter.count = op.shape().element_count();
  const Dimensions strides = RowMajorStrides(operand.dimensions());
  const auto& windows = op.window().dimensions;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const WindowDimension window =
        d < static_cast<int64_t>(windows.size()) ? windows[d] : WindowDimension();
    SetWindow(select, d, window);
    SetWindow(scatter, d, window);
    select.base_strides[d] = strides[d];
  }
  scatter.window = select.window;
  scatter.window.rank = scatter.base.rank;
  const BufferUse chosen = AddScratch(plan, std::max<int64_t>(1, select.count) * 8);
  absl::Status status;
  if (select.count > 0) {
    absl::StatusOr<FlatRegion> region = analysis::FlattenRegion(*op.GetComputation(Attr::kSelect));
    if (!region.ok()) return region.status();
    const PlacedProgram placed = Place(*region, select.count, plan, op, status);
    if (!status.ok()) return status;
    select.program = placed.program;
    std::vector<MemberPointer> pointers = {{&select.in, Operand(0)}, {&select.chosen, chosen}};
    AddPointers(select.program, placed, pointers);
    plan.launches.push_back(MakeLaunch("SelectCells", placed.blocks, placed.threads,
                                       placed.shared_bytes, select, absl::MakeConstSpan(pointers)));
  }
  const Computation& reducer = *op.GetComputation(Attr::kScatter);
  scatter.fold = FoldOf(analysis::RecogniseReducer(reducer), AccumulatorType(reducer, 0));
  absl::StatusOr<FlatRegion> region = EmptyRegion();
  if (scatter.fold.kind == FoldKind::kProgram) region = analysis::FlattenRegion(reducer);
  if (!region.ok()) return region.status();
  const PlacedProgram placed = Place(*region, scatter.count, plan, op, status);
  if (!status.ok()) return status;
  scatter.program = placed.program;
  std::vector<MemberPointer> pointers = {{&scatter.chosen, chosen},
                                         {&scatter.source, Operand(1)},
                                         {&scatter.init, Operand(2)},
                                         {&scatter.out, Result(0)}};
  AddPointers(scatter.program, placed, pointers);
  plan.launches.push_back(MakeLaunch("ScatterChosen", placed.blocks, placed.threads,
                                     placed.shared_bytes, scatter, absl::MakeConstSpan(pointers)));
  return plan;
}

namespace {

// The dimensions of a slice of a scan: those of the array with lanes, if not all slices are
// scalars.
Dimensions LanesOf(const Instruction& scan, const analysis::ScanPlan& numbers,
                   ScanParameter& parameter) {
  const Shape* stacked = nullptr;
  const auto take = [&](const Shape& array) {
    if (stacked == nullptr || array.rank() > stacked->rank()) stacked = &array;
  };
  for (int64_t k = 0; k < numbers.inputs; ++k) take(scan.operand(k)->shape());
  for (int64_t k = 0; k < numbers.outputs; ++k) take(ResultShape(scan, k));
  Dimensions lanes;
  parameter.lanes = 1;
  for (int64_t d = 0; stacked != nullptr && d < stacked->rank(); ++d) {
    if (d == numbers.dimension) continue;
    lanes.push_back(stacked->dimension(d));
    parameter.lanes *= stacked->dimension(d);
    if (d > numbers.dimension && stacked->dimension(d) > 0) {
      parameter.inner *= stacked->dimension(d);
    }
  }
  return lanes;
}
// Whether all lanes share the elements of an array, of which each lane has `each` otherwise.
absl::Status SetScalar(const Instruction& scan, const Shape& array, bool scalar,
                       const ScanParameter& parameter, int64_t each, uint8_t& flag) {
  flag = scalar && parameter.lanes != 1 ? 1 : 0;
  if (array.element_count() != (flag != 0 ? each : parameter.lanes * each)) {
    return Unsupported(scan, "slices of several sizes");
  }
  return absl::OkStatus();
}

}  // namespace

KernelPlanOr PrepareScan(const Instruction& scan, absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const analysis::ScanPlan numbers = analysis::ScanPlan::Of(scan);
  if (numbers.inputs > kMostArrays || numbers.carries > kMostArrays ||
      numbers.outputs > kMostArrays) {
    return Unsupported(scan, "so many arrays");
  }
  ScanParameter p;
  const Dimensions lanes = LanesOf(scan, numbers, p);
  absl::StatusOr<FlatRegion> region = analysis::FlattenRegion(*scan.to_apply(), lanes);
  if (!region.ok()) return region.status();
  p.inputs = static_cast<int32_t>(numbers.inputs);
  p.carries = static_cast<int32_t>(numbers.carries);
  p.outputs = static_cast<int32_t>(numbers.outputs);
  p.steps = numbers.steps;
  p.reverse = numbers.reverse;
  const analysis::ScanFolds folds = analysis::RecogniseScan(*scan.to_apply(), numbers.carries);
  std::vector<MemberPointer> pointers;
  absl::Status status;
  for (int64_t k = 0; k < numbers.inputs; ++k) {
    const Shape& input = scan.operand(k)->shape();
    p.in_rows[k] = RowOf(input);
    status.Update(SetScalar(scan, input, input.rank() == 1, p, p.steps, p.in_scalar[k]));
    pointers.push_back({&p.in[k], Operand(k)});
  }
  for (int64_t k = 0; k < numbers.carries; ++k) {
    const Shape& carry = scan.operand(numbers.inputs + k)->shape();
    p.carry_rows[k] = RowOf(carry);
    status.Update(SetScalar(scan, carry, carry.rank() == 0, p, 1, p.carry_scalar[k]));
    p.folds[k] = {};
    if (k < static_cast<int64_t>(folds.carries.size())) {
      p.folds[k] = FoldOf(folds.carries[k].reducer, carry.element_type());
      p.fold_input[k] = static_cast<int32_t>(folds.carries[k].input);
    }
    pointers.push_back({&p.init[k], Operand(numbers.inputs + k)});
    pointers.push_back({&p.last[k], Result(numbers.outputs + k)});
  }
  for (int64_t k = 0; k < numbers.outputs; ++k) {
    const Shape& output = ResultShape(scan, k);
    p.out_rows[k] = RowOf(output);
    status.Update(SetScalar(scan, output, output.rank() == 1, p, p.steps, p.out_scalar[k]));
    p.output_carry[k] = -1;
    if (k < static_cast<int64_t>(folds.outputs.size())) {
      p.output_carry[k] = static_cast<int32_t>(folds.outputs[k].carry);
      p.output_after[k] = folds.outputs[k].after ? 1 : 0;
    }
    pointers.push_back({&p.out[k], Result(k)});
  }
  if (!status.ok()) return status;
  const int64_t count = p.lanes == 0 ? 1 : p.lanes;
  const PlacedProgram placed = Place(*region, count, plan, scan, status);
  if (!status.ok()) return status;
  p.program = placed.program;
  AddPointers(p.program, placed, pointers);
  plan.launches.push_back(MakeLaunch("Scan", placed.blocks, placed.threads, placed.shared_bytes, p,
                                     absl::MakeConstSpan(pointers)));
  return plan;
}

}  // namespace assay::cuda
