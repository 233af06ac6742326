// Kernels of collectives: one pass over the operands of all members, block by block. Operand k of
// member m has the number m * n + k, where n is the number of operands.
// Source: reference ops_control_and_collectives.md 7. Tests: collective_kernels_test.cc.
#include "evaluator/collectives.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/cell_fold.h"
#include "evaluator/kernels/copy_pieces.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/recognised_fold.h"
#include "evaluator/kernels/region_fold.h"
#include "evaluator/ops/collectives.h"
#include "runtime/indices.h"
#include "runtime/scratch.h"
#include "runtime/view_reader.h"
#include "spec/analysis/collectives.h"
#include "spec/views/view.h"

namespace assay::evaluator {
namespace kernels {
namespace {

// The elements of each member that become one result, by its row-major positions.
struct MemberElements {
  std::vector<runtime::ViewReader> members;
  int64_t count = 0;
  ElementType type = ElementType::kInvalid;
  bool all_direct() const {
    return std::all_of(members.begin(), members.end(),
                       [](const runtime::ViewReader& reader) { return reader.direct(); });
  }
};

// all-reduce and reduce-scatter of one operand: folds a block of every member's elements.
class MemberFold {
 public:
  // Null where operand and reducer have different types.
  static absl::StatusOr<std::optional<MemberFold>> Prepare(const Computation& reducer,
                                                           MemberElements elements);

  // `result` is that of leaf `leaf`.
  absl::Status Run(absl::Span<const ArrayRef> operands, const MutableArrayRef& result, int64_t leaf,
                   EvaluationContext& context) const;

 private:
  static constexpr int64_t kBlockElements = 1 << 15;  // of all members, decoded at once

  explicit MemberFold(MemberElements elements) : elements_(std::move(elements)) {}
  absl::Status FoldBlock(absl::Span<const std::byte* const> x, int64_t n, RegionFold* region,
                         std::byte* out, Meter& meter, EvaluationContext& context) const;

  MemberElements elements_;
  // One of them.
  std::optional<ElementLoop> pairwise_;
  std::optional<RecognisedFold> exact_;
  std::optional<RegionFold> as_written_;
};

absl::StatusOr<std::optional<MemberFold>> MemberFold::Prepare(const Computation& reducer,
                                                              MemberElements elements) {
  const ElementType type = elements.type;
  if (!HasReducerTypes(reducer, {type}, {type})) return std::nullopt;
  MemberFold fold(std::move(elements));
  fold.pairwise_ = PairwiseLoop(reducer, type);
  if (!fold.pairwise_) fold.exact_ = RecognisedFold::For(reducer, type);
  if (!fold.pairwise_ && !fold.exact_) {
    absl::StatusOr<RegionFold> region = RegionFold::Prepare(reducer);
    if (!region.ok()) return region.status();
    fold.as_written_ = *std::move(region);
  }
  return fold;
}

absl::Status MemberFold::FoldBlock(absl::Span<const std::byte* const> x, int64_t n,
                                   RegionFold* region, std::byte* out, Meter& meter,
                                   EvaluationContext& context) const {
  const ElementType type = elements_.type;
  if (exact_) {
    exact_->Columns(x, n, out, meter);
    return absl::OkStatus();
  }
  if (pairwise_) {
    std::memcpy(out, x[0], n * StorageBytes(type));
    for (size_t m = 1; m < x.size(); ++m) (*pairwise_)(out, x[m], out, n, context);
    return absl::OkStatus();
  }
  for (int64_t i = 0; i < n; ++i) {
    region->accumulator(0) = LoadElement(type, x[0], i);
    for (size_t m = 1; m < x.size(); ++m) {
      region->element(0) = LoadElement(type, x[m], i);
      if (absl::Status status = region->Step(context); !status.ok()) return status;
    }
    StoreElement(type, region->accumulator(0), out, i);
  }
  return absl::OkStatus();
}

absl::Status MemberFold::Run(absl::Span<const ArrayRef> operands, const MutableArrayRef& result,
                             int64_t leaf, EvaluationContext& context) const {
  std::byte* out = result.data;
  Meter meter(context, result, leaf);
  const auto members = static_cast<int64_t>(elements_.members.size());
  const int64_t bytes = StorageBytes(elements_.type);
  const int64_t at_once = std::min(std::max<int64_t>(8, kBlockElements / members), elements_.count);
  const bool direct = elements_.all_direct();
  runtime::ScratchLease lease(context);
  constexpr int64_t kDecoded = 2 * sizeof(double);
  if (absl::Status status = lease.Add(members * at_once * (bytes + kDecoded)); !status.ok()) {
    return status;
  }
  runtime::Scratch<std::byte, 1> room(direct ? 0 : members * at_once * bytes);
  std::vector<const std::byte*> x(members);
  std::optional<RegionFold> region = as_written_;
  for (int64_t first = 0; first < elements_.count; first += at_once) {
    const int64_t n = std::min(at_once, elements_.count - first);
    for (int64_t m = 0; m < members; ++m) {
      std::byte* space = direct ? nullptr : room.data() + m * at_once * bytes;
      x[m] = elements_.members[m].Block(operands, first, n, bytes, space);
      if (absl::Status status = context.Charge(n); !status.ok()) return status;
    }
    absl::Status status =
        FoldBlock(x, n, region ? &*region : nullptr, out + first * bytes, meter, context);
    if (!status.ok()) return status;
  }
  return meter.Flush();
}

class ReductionKernel : public Kernel {
 public:
  explicit ReductionKernel(std::vector<MemberFold> folds) : folds_(std::move(folds)) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    for (size_t leaf = 0; leaf < folds_.size(); ++leaf) {
      absl::Status status =
          folds_[leaf].Run(operands, results[leaf], static_cast<int64_t>(leaf), context);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  std::vector<MemberFold> folds_;
};

KernelOrNull PrepareReduction(const Instruction& op, int64_t members, int64_t position) {
  std::vector<MemberFold> folds;
  for (int64_t k = 0; k < op.operand_count(); ++k) {
    const Shape& shape = op.operand(k)->shape();
    Dimensions starts(shape.rank(), 0), ones(shape.rank(), 1);
    Dimensions counts(shape.dimensions().begin(), shape.dimensions().end());
    if (op.opcode() == Opcode::kReduceScatter) {
      const int64_t d = op.GetInt(Attr::kDimension);
      counts[d] /= members;
      starts[d] = position * counts[d];
    }
    MemberElements elements;
    elements.type = shape.element_type();
    for (int64_t m = 0; m < members; ++m) {
      const View view =
          View::Dense(shape.dimensions(), m * op.operand_count() + k).Slice(starts, counts, ones);
      elements.count = view.element_count();
      elements.members.emplace_back(view, StorageBytes(elements.type));
    }
    absl::StatusOr<std::optional<MemberFold>> fold =
        MemberFold::Prepare(*op.to_apply(), std::move(elements));
    if (!fold.ok()) return fold.status();
    if (!fold->has_value()) return nullptr;
    folds.push_back(**std::move(fold));
  }
  return std::make_unique<ReductionKernel>(std::move(folds));
}

// The strided copy of a block with these sizes between two arrays.
CopyPieces::Piece BlockCopy(const Shape& from, const Shape& to, absl::Span<const int64_t> sizes) {
  CopyPieces::Piece piece;
  piece.copy =
      runtime::StridedCopy(StorageBytes(from.element_type()), sizes,
                           RowMajorStrides(from.dimensions()), RowMajorStrides(to.dimensions()));
  return piece;
}

std::unique_ptr<Kernel> PrepareAllGather(const Instruction& op, int64_t members) {
  const int64_t dimension = op.GetInt(Attr::kDimension), n = op.operand_count();
  const Shape& declared = analysis::CollectiveResult(op);
  std::vector<CopyPieces::Piece> pieces;
  for (int64_t k = 0; k < n; ++k) {
    const Shape& operand = op.operand(k)->shape();
    const Shape& result = declared.is_tuple() ? declared.tuple_shape(k) : declared;
    const int64_t step = RowMajorStrides(result.dimensions())[dimension] *
                         operand.dimension(dimension) * StorageBytes(operand.element_type());
    for (int64_t m = 0; m < members; ++m) {
      CopyPieces::Piece& piece =
          pieces.emplace_back(BlockCopy(operand, result, operand.dimensions()));
      piece.operand = m * n + k;
      piece.result = k;
      piece.to_bytes = m * step;
    }
  }
  return std::make_unique<CopyPieces>(std::move(pieces));
}

std::unique_ptr<Kernel> PrepareAllToAll(const Instruction& op, int64_t members, int64_t position) {
  const int64_t n = op.operand_count();
  const Shape& shape = op.operand(0)->shape();
  Dimensions sizes(shape.dimensions().begin(), shape.dimensions().end());
  std::vector<CopyPieces::Piece> pieces;
  if (!op.HasAttribute(Attr::kDimension)) {
    for (int64_t m = 0; m < members; ++m) {
      CopyPieces::Piece& piece = pieces.emplace_back(BlockCopy(shape, shape, sizes));
      piece.operand = m * n + position;
      piece.result = m;
    }
    return std::make_unique<CopyPieces>(std::move(pieces));
  }
  const int64_t dimension = op.GetInt(Attr::kDimension);
  sizes[dimension] /= members;
  const int64_t step = RowMajorStrides(shape.dimensions())[dimension] * sizes[dimension] *
                       StorageBytes(shape.element_type());
  for (int64_t m = 0; m < members; ++m) {
    CopyPieces::Piece& piece = pieces.emplace_back(BlockCopy(shape, shape, sizes));
    piece.operand = m;
    piece.from_bytes = position * step;
    piece.to_bytes = m * step;
  }
  return std::make_unique<CopyPieces>(std::move(pieces));
}

// Copies the member's own output, then the rows that it is sent.
class RaggedExchange : public Kernel {
 public:
  RaggedExchange(const Instruction& op, int64_t members, int64_t position)
      : op_(op), members_(members), position_(position) {
    const Shape& shape = op.operand(1)->shape();
    row_ = 1;
    for (int64_t d = 1; d < shape.rank(); ++d) row_ *= shape.dimension(d);
    rows_ = shape.dimension(0);
    bytes_ = StorageBytes(shape.element_type());
    list_type_ = op.operand(2)->shape().element_type();
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    Meter meter(context);
    std::byte* out = results[0].data;
    absl::Status status = CopyRows(Of(operands, position_, 1), rows_, out, meter);
    if (!status.ok()) return status;
    runtime::ScratchLease lease(context);
    const int64_t most = members_ * UpdatesPerPair(op_, members_);
    status = lease.Add(most * static_cast<int64_t>(sizeof(RaggedTransfer)));
    if (!status.ok()) return status;
    const absl::StatusOr<std::vector<RaggedTransfer>> transfers =
        TransfersTo(op_, members_, position_,
                    [&](int64_t member, int64_t k, int64_t at) -> absl::StatusOr<int64_t> {
                      if (absl::Status spent = meter.Add(1); !spent.ok()) return spent;
                      return runtime::LoadIndex(list_type_, Of(operands, member, k), at);
                    });
    if (!transfers.ok()) return transfers.status();
    for (const RaggedTransfer& transfer : *transfers) {
      const std::byte* input = Of(operands, transfer.sender, 0);
      status = CopyRows(input + transfer.from * row_ * bytes_, transfer.rows,
                        out + transfer.to * row_ * bytes_, meter);
      if (!status.ok()) return status;
    }
    return meter.Flush();
  }

 private:
  const std::byte* Of(absl::Span<const ArrayRef> operands, int64_t member, int64_t k) const {
    return operands[member * op_.operand_count() + k].data;
  }
  absl::Status CopyRows(const std::byte* from, int64_t rows, std::byte* to, Meter& meter) const {
    const int64_t count = rows * row_;
    if (count > 0) std::memcpy(to, from, count * bytes_);
    return meter.Add(count);
  }

  const Instruction& op_;
  int64_t members_;
  int64_t position_;
  int64_t row_ = 1;  // elements
  int64_t rows_ = 0;
  int64_t bytes_ = 1;
  ElementType list_type_ = ElementType::kInvalid;
};

// The operands of the only member.
std::unique_ptr<Kernel> PrepareCopies(const Instruction& op) {
  std::vector<CopyPieces::Piece> pieces;
  for (int64_t k = 0; k < op.operand_count(); ++k) {
    const Shape& shape = op.operand(k)->shape();
    CopyPieces::Piece& piece = pieces.emplace_back(BlockCopy(shape, shape, shape.dimensions()));
    piece.operand = piece.result = k;
  }
  return std::make_unique<CopyPieces>(std::move(pieces));
}

KernelOrNull PrepareGroup(const Instruction& op, int64_t members, int64_t position) {
  if (op.opcode() == Opcode::kRaggedAllToAll) {
    return std::make_unique<RaggedExchange>(op, members, position);
  }
  if (members == 1) return PrepareCopies(op);
  switch (op.opcode()) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
      return PrepareAllGather(op, members);
    case Opcode::kAllToAll:
      return PrepareAllToAll(op, members, position);
    default:
      return PrepareReduction(op, members, position);
  }
}

}  // namespace
}  // namespace kernels

absl::StatusOr<std::unique_ptr<Kernel>> PrepareCollective(const Instruction& collective,
                                                          int64_t members, int64_t position) {
  if (absl::Status status = CheckCollective(collective, members, position); !status.ok()) {
    return status;
  }
  kernels::KernelOrNull kernel = kernels::PrepareGroup(collective, members, position);
  if (!kernel.ok() || *kernel != nullptr) return kernel;
  return PrepareCollectiveStraight(collective, members, position);
}

}  // namespace assay::evaluator
