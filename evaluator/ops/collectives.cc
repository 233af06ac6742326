// The definitions of collectives: the result of the member at a position of a group. Operand k of
// member m has the number m * n + k, where n is the number of operands. Source: reference
// ops_control_and_collectives.md 7. Tests: collective_kernels_test.cc.
#include "evaluator/ops/collectives.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/fold.h"
#include "spec/analysis/collectives.h"
#include "spec/element/index_value.h"
#include "spec/ops/collective_groups.h"

namespace assay::evaluator {
namespace {

struct Group {
  const Instruction& op;
  int64_t members;
  int64_t position;

  // The number of operand k of a member.
  int64_t Operand(int64_t member, int64_t k) const { return member * op.operand_count() + k; }
  const Shape& Result(int64_t leaf) const {
    const Shape& shape = analysis::CollectiveResult(op);
    return shape.is_tuple() ? shape.tuple_shape(leaf) : shape;
  }
};

Dimensions CopyOf(Index index) { return Dimensions(index.begin(), index.end()); }

// all-reduce, and the block of it that reduce-scatter leaves to the position.
class Reduction : public Definition {
 public:
  Reduction(const Group& group, Fold fold) : group_(group), fold_(std::move(fold)) {}

  absl::StatusOr<Element> At(int64_t leaf, Index index, OperandElements& operands,
                             EvaluationContext& context) override {
    Dimensions source = CopyOf(index);
    if (group_.op.opcode() == Opcode::kReduceScatter) {
      const int64_t d = group_.op.GetInt(Attr::kDimension);
      source[d] += group_.position * group_.Result(leaf).dimension(d);
    }
    absl::StatusOr<Element> first = operands.At(group_.Operand(0, leaf), source);
    if (!first.ok()) return first;
    const ElementType type = OperandType(group_.op, leaf);
    const ElementType inner = group_.op.to_apply()->root()->shape().element_type();
    const Element start = As(inner, type, *first);
    fold_.Start({start});
    for (int64_t member = 1; member < group_.members; ++member) {
      const absl::StatusOr<Element> x = operands.At(group_.Operand(member, leaf), source);
      if (!x.ok()) return x;
      const Element element = As(inner, type, *x);
      absl::Status status = fold_.Add({element}, context);
      if (!status.ok()) return status;
    }
    return As(type, inner, fold_.Result(0, context));
  }

 private:
  Group group_;
  Fold fold_;
};

// The members' operands one behind the other.
class AllGather : public Definition {
 public:
  explicit AllGather(const Group& group) : group_(group) {}
  absl::StatusOr<Element> At(int64_t leaf, Index index, OperandElements& operands,
                             EvaluationContext&) override {
    const int64_t d = group_.op.GetInt(Attr::kDimension);
    const int64_t size = OperandShape(group_.op, leaf).dimension(d);
    Dimensions source = CopyOf(index);
    source[d] %= size;
    return operands.At(group_.Operand(index[d] / size, leaf), source);
  }

 private:
  Group group_;
};

// Chunk `position` of every member, one behind the other.
class AllToAll : public Definition {
 public:
  explicit AllToAll(const Group& group) : group_(group) {}
  absl::StatusOr<Element> At(int64_t, Index index, OperandElements& operands,
                             EvaluationContext&) override {
    const int64_t d = group_.op.GetInt(Attr::kDimension);
    const int64_t chunk = OperandShape(group_.op, 0).dimension(d) / group_.members;
    Dimensions source = CopyOf(index);
    source[d] = group_.position * chunk + index[d] % chunk;
    return operands.At(group_.Operand(index[d] / chunk, 0), source);
  }

 private:
  Group group_;
};

// Element j of the result is operand `position` of member j.
class TupleAllToAll : public Definition {
 public:
  explicit TupleAllToAll(const Group& group) : group_(group) {}
  absl::StatusOr<Element> At(int64_t leaf, Index index, OperandElements& operands,
                             EvaluationContext&) override {
    return operands.At(group_.Operand(leaf, group_.position), index);
  }

 private:
  Group group_;
};

// The member's own output, rows overwritten by those that others send it.
class RaggedAllToAll : public Definition {
 public:
  explicit RaggedAllToAll(const Group& group) : group_(group) {}
  absl::StatusOr<Element> At(int64_t, Index index, OperandElements& operands,
                             EvaluationContext&) override {
    if (!transfers_.has_value()) {
      absl::StatusOr<std::vector<RaggedTransfer>> transfers = ReadTransfers(operands);
      if (!transfers.ok()) return transfers.status();
      transfers_ = *std::move(transfers);
    }
    for (const RaggedTransfer& transfer : *transfers_) {
      if (index[0] < transfer.to || index[0] >= transfer.to + transfer.rows) continue;
      Dimensions source = CopyOf(index);
      source[0] += transfer.from - transfer.to;
      return operands.At(group_.Operand(transfer.sender, 0), source);
    }
    return operands.At(group_.Operand(group_.position, 1), index);
  }

 private:
  absl::StatusOr<std::vector<RaggedTransfer>> ReadTransfers(OperandElements& operands) const {
    return TransfersTo(group_.op, group_.members, group_.position,
                       [&](int64_t member, int64_t k, int64_t at) -> absl::StatusOr<int64_t> {
                         const Shape& list = OperandShape(group_.op, k);
                         const absl::StatusOr<Element> element =
                             operands.At(group_.Operand(member, k), IndexAt(at, list.dimensions()));
                         if (!element.ok()) return element.status();
                         return IndexValue(list.element_type(), *element);
                       });
  }

  Group group_;
  std::optional<std::vector<RaggedTransfer>> transfers_;
};

DefinitionOr DefineCollective(const Group& group) {
  switch (group.op.opcode()) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
      return std::make_unique<AllGather>(group);
    case Opcode::kAllToAll:
      if (group.op.HasAttribute(Attr::kDimension)) return std::make_unique<AllToAll>(group);
      return std::make_unique<TupleAllToAll>(group);
    case Opcode::kRaggedAllToAll:
      return std::make_unique<RaggedAllToAll>(group);
    default:
      break;
  }
  absl::StatusOr<Fold> fold = Fold::Prepare(*group.op.to_apply());
  if (!fold.ok()) return fold.status();
  return std::make_unique<Reduction>(group, *std::move(fold));
}

bool Computes(Opcode opcode) {
  return analysis::SameForAllMembers(opcode) || opcode == Opcode::kAllToAll ||
         opcode == Opcode::kReduceScatter || opcode == Opcode::kRaggedAllToAll;
}

}  // namespace

absl::Status CheckCollective(const Instruction& collective, int64_t members, int64_t position) {
  const auto unimplemented = [&](absl::string_view why) {
    return absl::UnimplementedError(
        absl::StrCat(Name(collective.opcode()), ": ", why, ": ", collective.Describe()));
  };
  if (!Computes(collective.opcode())) return unimplemented("nothing to compute for a group");
  for (const Instruction* operand : collective.operands()) {
    if (operand->shape().is_dynamic()) return unimplemented("dynamic dimensions");
  }
  if (collective.shape().is_dynamic()) return unimplemented("dynamic dimensions");
  if (position < 0 || position >= members) {
    return absl::InvalidArgumentError(absl::StrCat("no member ", position, " in a group of ",
                                                   members, "; in ", collective.Describe()));
  }
  return CheckGroupSize(collective, members);
}

absl::StatusOr<std::unique_ptr<Kernel>> PrepareCollectiveStraight(const Instruction& collective,
                                                                  int64_t members,
                                                                  int64_t position) {
  if (absl::Status status = CheckCollective(collective, members, position); !status.ok()) {
    return status;
  }
  const Group group = {collective, members, position};
  return MakeStraightKernel([group] { return DefineCollective(group); });
}

}  // namespace assay::evaluator
