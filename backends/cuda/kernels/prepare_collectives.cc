// What a member of a group gets from a collective: copies of parts of the members' operands, or the
// fold of their elements in the order of the group. Tests: cuda_kernels_test.cc.
#include <utility>

#include "backends/cuda/kernels/lowering.h"
#include "spec/analysis/collectives.h"
#include "spec/ir/row_major.h"
#include "spec/ops/collective_groups.h"

namespace assay::cuda {
namespace {

// An array cut into parts along a dimension.
struct CutArray : AlongDimension {
  CutArray(const Shape& shape, int64_t dimension)
      : AlongDimension(shape.dimensions(), dimension), bytes(BytesOf(shape)) {}
  // `count` places from `from` on go to `to` in an array of `to_size` places.
  absl::Status Copy(KernelPlan& plan, const Instruction& op, BufferUse in, int64_t from,
                    int64_t count, BufferUse out, int64_t to, int64_t to_size) const {
    return AddCopy(plan, op, bytes, in, from * inner, out, to * inner,
                   {{outer, size * inner, to_size * inner}, {count * inner, 1, 1}});
  }
  int64_t bytes;
};

KernelPlanOr PlanGatherMembers(const Instruction& op, int64_t members) {
  KernelPlan plan;
  absl::Status status;
  for (int64_t k = 0; k < op.operand_count() && status.ok(); ++k) {
    const CutArray cut(op.operand(k)->shape(), op.GetInt(Attr::kDimension));
    for (int64_t m = 0; m < members && status.ok(); ++m) {
      status = cut.Copy(plan, op, Operand(m * op.operand_count() + k), 0, cut.size, Result(k),
                        m * cut.size, members * cut.size);
    }
  }
  if (!status.ok()) return status;
  return plan;
}

KernelPlanOr PlanExchange(const Instruction& op, int64_t members, int64_t position) {
  KernelPlan plan;
  absl::Status status;
  const std::optional<int64_t> dimension = op.FindInt(Attr::kDimension);
  for (int64_t m = 0; m < members && status.ok(); ++m) {
    if (dimension.has_value()) {
      const CutArray cut(op.operand(0)->shape(), *dimension);
      const int64_t part = cut.size / members;
      status = cut.Copy(plan, op, Operand(m * op.operand_count()), position * part, part, Result(0),
                        m * part, cut.size);
    } else {
      const Shape& shape = op.operand(position)->shape();
      status = AddDenseCopy(plan, op, BytesOf(shape), shape.element_count(),
                            Operand(m * op.operand_count() + position), Result(m));
    }
  }
  if (!status.ok()) return status;
  return plan;
}

// Of all-reduce the whole, of reduce-scatter a part.
absl::Status AddGroupFold(KernelPlan& plan, const Instruction& op, int64_t members,
                          int64_t position, int64_t k) {
  const Shape& operand = op.operand(k)->shape();
  if (members == 1) {  // nothing is computed, so that NaNs keep their bits
    return AddDenseCopy(plan, op, BytesOf(operand), operand.element_count(), Operand(k), Result(k));
  }
  GroupFoldParameter p;
  int64_t offset = 0;
  Dimensions sizes(operand.dimensions().begin(), operand.dimensions().end());
  if (op.opcode() == Opcode::kReduceScatter) {
    const int64_t d = op.GetInt(Attr::kDimension);
    sizes[d] /= members;
    offset = position * sizes[d] * RowMajorStrides(operand.dimensions())[d];
  }
  absl::StatusOr<Box> box = BoxOf(op, sizes);
  if (!box.ok()) return box.status();
  p.box = *box;
  p.from = StridesOf(RowMajorStrides(operand.dimensions()), offset);
  p.row = RowOf(operand);
  p.members = static_cast<int32_t>(members);
  p.count = 1;
  for (const int64_t size : sizes) p.count *= size;
  if (p.count == 0) return absl::OkStatus();
  if (members > kMostMembers) return Unsupported(op, "so many members");
  const Computation& reducer = *op.to_apply();
  p.fold = FoldOf(analysis::RecogniseReducer(reducer), AccumulatorType(reducer, 0));
  absl::StatusOr<analysis::FlatRegion> region = EmptyRegion();
  if (p.fold.kind == FoldKind::kProgram) region = analysis::FlattenRegion(reducer);
  if (!region.ok()) return region.status();
  absl::Status status;
  const PlacedProgram placed = Place(*region, p.count, plan, op, status);
  if (!status.ok()) return status;
  p.program = placed.program;
  std::vector<MemberPointer> pointers = {{&p.out, Result(k)}};
  AddPointers(p.program, placed, pointers);
  for (int64_t m = 0; m < members; ++m) {
    pointers.push_back({&p.in[m], Operand(m * op.operand_count() + k)});
  }
  plan.launches.push_back(MakeLaunch("FoldGroup", placed.blocks, placed.threads,
                                     placed.shared_bytes, p, absl::MakeConstSpan(pointers)));
  return absl::OkStatus();
}

KernelPlanOr PlanRows(const Instruction& op, int64_t members, int64_t position) {
  KernelPlan plan;
  const Shape& input = op.operand(0)->shape();
  const Shape& output = op.operand(1)->shape();
  const Shape& list = op.operand(2)->shape();
  absl::Status status = AddDenseCopy(plan, op, BytesOf(output), output.element_count(),
                                     Operand(position * op.operand_count() + 1), Result(0));
  if (!status.ok()) return status;
  ExchangeRowsParameter p;
  p.index_row = RowOf(list);
  p.updates = members == 0 ? 0 : list.element_count() / members;
  p.row_bytes = BytesOf(input);
  for (int64_t d = 1; d < input.rank(); ++d) p.row_bytes *= input.dimension(d);
  p.in_rows = input.dimension(0);
  p.out_rows = output.dimension(0);
  p.first = position * p.updates;
  for (int64_t sender = 0; sender < members; ++sender) {
    const auto operand = [&](int64_t member, int64_t k) {
      return Operand(member * op.operand_count() + k);
    };
    p.receive_first = sender * p.updates;
    plan.launches.push_back(MakeLaunch("ExchangeRows", {1, 1, 1}, {128, 1, 1}, 0, p,
                                       {{&p.in, operand(sender, 0)},
                                        {&p.out, Result(0)},
                                        {&p.input_offsets, operand(sender, 2)},
                                        {&p.send_sizes, operand(sender, 3)},
                                        {&p.output_offsets, operand(sender, 4)},
                                        {&p.receive_sizes, operand(position, 5)}}));
  }
  return plan;
}

}  // namespace

KernelPlanOr PrepareCollectiveKernels(const Instruction& collective, int64_t members,
                                      int64_t position) {
  for (const Instruction* operand : collective.operands()) {
    if (operand->shape().is_dynamic()) return Unsupported(collective, "dynamic dimensions");
  }
  if (absl::Status status = CheckGroupSize(collective, members); !status.ok()) return status;
  switch (collective.opcode()) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
      return PlanGatherMembers(collective, members);
    case Opcode::kAllToAll:
      return PlanExchange(collective, members, position);
    case Opcode::kRaggedAllToAll:
      return PlanRows(collective, members, position);
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter: {
      KernelPlan plan;
      for (int64_t k = 0; k < collective.operand_count(); ++k) {
        absl::Status status = AddGroupFold(plan, collective, members, position, k);
        if (!status.ok()) return status;
      }
      return plan;
    }
    default:
      return Unsupported(collective, "this collective");
  }
}

}  // namespace assay::cuda
