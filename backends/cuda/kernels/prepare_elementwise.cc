// Elementwise operations and maps: programs over arrays. Operands that are affine views are read by
// their strides, any other view is stored first. Tests: cuda_kernels_test.cc.
#include <utility>

#include "backends/cuda/kernels/lowering.h"

namespace assay::cuda {
namespace {

absl::Status ReadOperands(const Instruction& instruction, absl::Span<const View> views,
                          KernelPlan& plan, ElementwiseParameter& p,
                          std::vector<MemberPointer>& pointers) {
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    const Shape& shape = instruction.operand(k)->shape();
    p.in_rows[k] = RowOf(shape);
    const bool scalar = shape.rank() == 0 && instruction.shape().rank() > 0;
    p.in_scalar[k] = scalar ? 1 : 0;
    BufferUse buffer = Operand(k);
    if (!views.empty() && !views[k].is_dense()) {
      const ViewPiece* piece = views[k].affine();
      if (piece != nullptr && !scalar && k < 3 && piece->strides.size() <= kMostDimensions) {
        p.in_strided[k] = 1;
        p.strides[k] = StridesOf(piece->strides, piece->offset);
        buffer = Operand(piece->source);
      } else if (views[k].element_count() > 0) {
        buffer = AddScratch(plan, views[k].element_count() * BytesOf(shape));
        absl::Status status = AddViewCopy(plan, instruction, BytesOf(shape), views[k], buffer);
        if (!status.ok()) return status;
      }
    } else if (!views.empty() && !views[k].pieces().empty()) {
      buffer = Operand(views[k].pieces()[0].source);
    }
    pointers.push_back({&p.in[k], buffer});
  }
  return absl::OkStatus();
}

KernelPlanOr PlanProgram(const Instruction& instruction, const analysis::FlatRegion& region,
                         absl::Span<const View> views, bool in_place) {
  KernelPlan plan;
  const int64_t count = instruction.shape().element_count();
  if (count == 0) return plan;
  if (instruction.operand_count() > kMostArrays)
    return Unsupported(instruction, "so many operands");
  ElementwiseParameter p;
  std::vector<MemberPointer> pointers;
  p.count = count;
  p.inputs = static_cast<int32_t>(instruction.operand_count());
  p.outputs = 1;
  absl::Status status = ReadOperands(instruction, views, plan, p, pointers);
  if (!status.ok()) return status;
  bool strided = false;
  for (const uint8_t one : p.in_strided) strided |= one != 0;
  if (strided) {
    absl::StatusOr<Box> box = BoxOf(instruction, instruction.shape().dimensions());
    if (!box.ok()) return box.status();
    p.box = *box;
  }
  const PlacedProgram placed = Place(region, count, plan, instruction, status);
  if (!status.ok()) return status;
  p.program = placed.program;
  AddPointers(p.program, placed, pointers);
  p.out_rows[0] = RowOf(instruction.shape());
  pointers.push_back({&p.out[0], Result(0)});
  plan.launches.push_back(MakeLaunch("Elementwise", placed.blocks, placed.threads,
                                     placed.shared_bytes, p, absl::MakeConstSpan(pointers)));
  // Each element is read before its place is written, by the thread that writes it.
  for (int64_t k = 0; in_place && views.empty() && k < instruction.operand_count(); ++k) {
    const Shape& shape = instruction.operand(k)->shape();
    if (plan.in_place_operand < 0 && p.in_scalar[k] == 0 &&
        BytesOf(shape) == BytesOf(instruction.shape())) {
      plan.in_place_operand = static_cast<int>(k);
    }
  }
  return plan;
}

}  // namespace

KernelPlanOr PrepareElementwise(const Instruction& instruction, absl::Span<const View> views) {
  absl::StatusOr<analysis::FlatRegion> region = RegionOfInstruction(instruction);
  if (!region.ok()) return region.status();
  return PlanProgram(instruction, *region, views, true);
}

KernelPlanOr PrepareMap(const Instruction& map, absl::Span<const View> /*views*/) {
  absl::StatusOr<analysis::FlatRegion> region = analysis::FlattenRegion(*map.to_apply());
  if (!region.ok()) return region.status();
  return PlanProgram(map, *region, {}, false);
}

}  // namespace assay::cuda
