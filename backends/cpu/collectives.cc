// What a member of a group gets from a collective: operands of a run are those of all members,
// member after member. Moves are strided copies, reductions folds over the members in the order of
// the group, block by block. Source: reference ops_control_and_collectives.md 7.
// Tests: kernels_test.cc.
#include "spec/analysis/collectives.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/fold.h"
#include "backends/cpu/kernels.h"
#include "backends/defect.h"
#include "runtime/indices.h"
#include "runtime/parallel.h"
#include "runtime/strided_copy.h"
#include "spec/ir/row_major.h"
#include "spec/ops/collective_groups.h"

namespace assay::cpu {
namespace {

// An array cut into parts along a dimension.
struct CutShape : AlongDimension {
  CutShape(const Shape& shape, int64_t dimension)
      : AlongDimension(shape.dimensions(), dimension), bytes(StorageBytes(shape.element_type())) {}
  // Copies `count` places along the dimension from `from` in an array of this shape to `to` in an
  // array that has `to_size` places.
  void Copy(const std::byte* in, int64_t from, int64_t count, std::byte* out, int64_t to,
            int64_t to_size) const {
    if (count * inner == 0) return;
    for (int64_t o = 0; o < outer; ++o) {
      std::memcpy(out + (o * to_size + to) * inner * bytes, in + (o * size + from) * inner * bytes,
                  count * inner * bytes);
    }
  }
  int64_t bytes;
};

class GatherMembers : public Kernel {
 public:
  GatherMembers(const Instruction& op, int64_t members) : op_(op), members_(members) {}
  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    for (int64_t k = 0; k < op_.operand_count(); ++k) {
      const CutShape cut(op_.operand(k)->shape(), op_.GetInt(Attr::kDimension));
      absl::Status status = context.Charge(results[k].shape->element_count());
      if (!status.ok()) return status;
      for (int64_t m = 0; m < members_; ++m) {
        cut.Copy(operands[m * op_.operand_count() + k].data, 0, cut.size, results[k].data,
                 ASSAY_DEFECT(46, m, members_ - 1 - m) * cut.size, members_ * cut.size);
      }
    }
    return absl::OkStatus();
  }

 private:
  const Instruction& op_;
  const int64_t members_;
};

// all-to-all of one array, which is split, or of an operand for each member.
class ExchangeParts : public Kernel {
 public:
  ExchangeParts(const Instruction& op, int64_t members, int64_t position)
      : op_(op), members_(members), position_(position) {}
  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const std::optional<int64_t> dimension = op_.FindInt(Attr::kDimension);
    for (int64_t m = 0; m < members_; ++m) {
      if (dimension.has_value()) {
        const CutShape cut(op_.operand(0)->shape(), *dimension);
        const int64_t part = cut.size / members_;
        cut.Copy(operands[m].data, ASSAY_DEFECT(48, position_, m) * part, part, results[0].data,
                 m * part, cut.size);
        continue;
      }
      const ArrayRef& operand = operands[m * op_.operand_count() + position_];
      const int64_t bytes =
          operand.shape->element_count() * StorageBytes(operand.shape->element_type());
      if (bytes > 0) std::memcpy(results[m].data, operand.data, bytes);
    }
    return context.Charge(op_.operand(0)->shape().element_count());
  }

 private:
  const Instruction& op_;
  const int64_t members_, position_;
};

// all-reduce, and reduce-scatter, of which a member gets a part. A group of one changes nothing.
class ReduceMembers : public Kernel {
 public:
  ReduceMembers(const Instruction& op, int64_t members, int64_t position,
                std::vector<std::shared_ptr<const Fold>> folds)
      : op_(op), members_(members), position_(position), folds_(std::move(folds)) {}

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    for (int64_t k = 0; k < op_.operand_count(); ++k) {
      const Fold& fold = *folds_[k];
      const int64_t n = results[k].shape->element_count();
      absl::Status status = runtime::ParallelFor(
          context, n, fold.flat() ? runtime::GrainFor(members_ * fold.cost()) : n + 1,
          [&](runtime::Blocks& blocks, Context& context) {
            Workspace space(3 * kBlockElements * kCellBytes +
                            Workspace::Rounded(fold.scratch_bytes()));
            while (blocks.Next()) {
              const int64_t end = blocks.first() + blocks.count();
              for (int64_t i = blocks.first(); i < end; i += kBlockElements) {
                absl::Status status =
                    FoldBlock(fold, operands, k, i, std::min(kBlockElements, end - i), space.data(),
                              results, context);
                if (!status.ok()) return status;
              }
            }
            return absl::OkStatus();
          });
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  // Elements [first, first + n) of the result, of a member's operand.
  void LoadPart(const ArrayRef& operand, int64_t first, int64_t n, std::byte* out) const {
    const int64_t bytes = StorageBytes(operand.shape->element_type());
    if (op_.opcode() != Opcode::kReduceScatter) {
      std::memcpy(out, operand.data + first * bytes, n * bytes);
      return;
    }
    const CutShape cut(*operand.shape, op_.GetInt(Attr::kDimension));
    const int64_t run = cut.size / members_ * cut.inner;  // of a part
    for (int64_t i = first; i < first + n;) {
      const int64_t in_run = i % run, count = std::min(run - in_run, first + n - i);
      const int64_t from = (i / run * members_ + ASSAY_DEFECT(47, position_, 0)) * run + in_run;
      std::memcpy(out + (i - first) * bytes, operand.data + from * bytes, count * bytes);
      i += count;
    }
  }

  absl::Status FoldBlock(const Fold& fold, absl::Span<const ArrayRef> operands, int64_t k,
                         int64_t first, int64_t n, std::byte* room,
                         absl::Span<const MutableArrayRef> results, Context& context) const {
    std::byte* acc = room;
    std::byte* load = room + kBlockElements * kCellBytes;
    std::byte* wide = load + kBlockElements * kCellBytes;
    std::byte* scratch = wide + kBlockElements * kCellBytes;
    std::byte* out = results[k].data + first * fold.result_bytes(0);
    if (members_ == 1) {
      LoadPart(operands[k], first, n, out);
      return context.Charge(n);
    }
    for (int64_t m = 0; m < ASSAY_DEFECT(49, members_, members_ - 1); ++m) {
      LoadPart(operands[m * op_.operand_count() + k], first, n, load);
      absl::Status status = context.Charge(n * fold.cost());
      if (!status.ok()) return status;
      if (m == 0) {
        std::memcpy(acc, fold.WidenInit(0, load, n, wide), n * fold.acc_bytes(0));
        continue;
      }
      const std::byte* x = fold.Widen(0, load, n, wide);
      status = fold.Combine(absl::MakeConstSpan(&acc, 1), absl::MakeConstSpan(&x, 1), n, scratch,
                            context);
      if (!status.ok()) return status;
    }
    fold.Narrow(0, acc, n, out);
    return absl::OkStatus();
  }

  const Instruction& op_;
  const int64_t members_, position_;
  const std::vector<std::shared_ptr<const Fold>> folds_;  // by operand
};

// ragged-all-to-all: rows that the senders say go to this member. What sender and receiver do not
// agree about is an error.
class ExchangeRows : public Kernel {
 public:
  ExchangeRows(const Instruction& op, int64_t members, int64_t position)
      : op_(op), members_(members), position_(position) {
    const Shape& list = op.operand(2)->shape();
    updates_ = members == 0 ? 0 : list.element_count() / members;
    index_type_ = list.element_type();
    const Shape& input = op.operand(0)->shape();
    row_ = StorageBytes(input.element_type());
    for (int64_t d = 1; d < input.rank(); ++d) row_ *= input.dimension(d);
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const auto operand = [&](int64_t member, int64_t k) -> const ArrayRef& {
      return operands[member * op_.operand_count() + k];
    };
    const int64_t rows = op_.operand(1)->shape().dimension(0);
    if (rows * row_ > 0) {
      std::memcpy(results[0].data, operand(position_, 1).data, rows * row_);
    }
    std::vector<Transfer> transfers;
    for (int64_t sender = 0; sender < members_; ++sender) {
      for (int64_t u = 0; u < updates_; ++u) {
        const int64_t place = position_ * updates_ + u;
        const auto read = [&](int64_t k) {
          return runtime::LoadIndex(ElementTypeOf(k), operand(sender, k).data, place);
        };
        const Transfer transfer = {sender, u, read(2), read(4), read(3)};
        const int64_t received =
            runtime::LoadIndex(ElementTypeOf(5), operand(position_, 5).data, sender * updates_ + u);
        absl::Status status = Check(transfer, received, op_.operand(0)->shape().dimension(0), rows);
        if (!status.ok()) return status;
        if (transfer.rows > 0) transfers.push_back(transfer);
      }
    }
    std::sort(transfers.begin(), transfers.end(),
              [](const Transfer& a, const Transfer& b) { return a.to < b.to; });
    for (size_t i = 0; i < transfers.size(); ++i) {
      const Transfer& transfer = transfers[i];
      if (i > 0 && transfers[i - 1].to + transfers[i - 1].rows > transfer.to) {
        return Error(transfer, absl::StrCat("meets the rows of member ", transfers[i - 1].sender,
                                            " in the result"));
      }
      absl::Status status = context.Charge(transfer.rows);
      if (!status.ok()) return status;
      if (row_ == 0) continue;
      std::memcpy(results[0].data + transfer.to * row_,
                  operand(transfer.sender, 0).data + transfer.from * row_, transfer.rows * row_);
    }
    return absl::OkStatus();
  }

 private:
  struct Transfer {
    int64_t sender, update, from, to, rows;
  };
  ElementType ElementTypeOf(int64_t k) const { return op_.operand(k)->shape().element_type(); }

  absl::Status Error(const Transfer& transfer, absl::string_view what) const {
    return absl::OutOfRangeError(
        absl::StrCat("update ", transfer.update, " of member ", transfer.sender, " to member ",
                     position_, " (", transfer.rows, " rows) ", what, ": ", op_.Describe()));
  }
  absl::Status Check(const Transfer& transfer, int64_t received, int64_t input_rows,
                     int64_t output_rows) const {
    if (transfer.rows != received) {
      return Error(transfer, absl::StrCat("is expected to have ", received, " rows"));
    }
    if (transfer.rows < 0) return Error(transfer, "has a negative size");
    if (transfer.rows == 0) return absl::OkStatus();
    if (transfer.from < 0 || transfer.rows > input_rows - transfer.from) {
      return Error(transfer, absl::StrCat("reads from row ", transfer.from, " of ", input_rows));
    }
    if (transfer.to < 0 || transfer.rows > output_rows - transfer.to) {
      return Error(transfer, absl::StrCat("writes from row ", transfer.to, " of ", output_rows));
    }
    return absl::OkStatus();
  }

  const Instruction& op_;
  const int64_t members_, position_;
  int64_t updates_ = 0, row_ = 0;
  ElementType index_type_ = ElementType::kInvalid;
};

KernelOr PrepareReduction(const Instruction& op, int64_t members, int64_t position) {
  std::vector<std::shared_ptr<const Fold>> folds;
  for (const Instruction* operand : op.operands()) {
    const ElementType type = operand->shape().element_type();
    auto fold = Fold::Create(*op.to_apply(), {type}, {type}, {type});
    if (!fold.ok()) return fold.status();
    folds.push_back(*std::move(fold));
  }
  return std::make_unique<ReduceMembers>(op, members, position, std::move(folds));
}

}  // namespace

KernelOr PrepareCollectiveKernel(const Instruction& collective, int64_t members, int64_t position) {
  for (const Instruction* operand : collective.operands()) {
    if (operand->shape().is_dynamic()) {
      return absl::UnimplementedError(
          absl::StrCat("collectives on dynamic dimensions: ", collective.Describe()));
    }
  }
  if (absl::Status status = CheckGroupSize(collective, members); !status.ok()) return status;
  switch (collective.opcode()) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
      return std::make_unique<GatherMembers>(collective, members);
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return PrepareReduction(collective, members, position);
    case Opcode::kAllToAll:
      return std::make_unique<ExchangeParts>(collective, members, position);
    case Opcode::kRaggedAllToAll:
      return std::make_unique<ExchangeRows>(collective, members, position);
    default:
      return absl::UnimplementedError(
          absl::StrCat("the cpu backend has no ", collective.Describe()));
  }
}

}  // namespace assay::cpu
