// Collectives as effects: who belongs to a process's group, and what it gets from it. Groups come
// together completely; collective-permute goes from source to target, and others do not wait.
// Source: reference ops_control_and_collectives.md 5, 7. Tests: collective_forms_test.cc.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/effect.h"
#include "runtime/world.h"
#include "spec/analysis/effects.h"
#include "spec/ops/permute_slices.h"

namespace assay::runtime {
namespace {

// Of the sizes that the process has itself.
absl::StatusOr<PendingPtr> Zeros(absl::Span<const Literal> like, const Process& process) {
  std::vector<Literal> zeros;
  for (const Literal& value : like) {
    absl::StatusOr<Literal> zero = process.ZeroArray(value.shape());
    if (!zero.ok()) return zero.status();
    for (int64_t d = 0; value.shape().is_dynamic() && d < value.shape().rank(); ++d) {
      zero->set_dynamic_size(d, value.dynamic_size(d));
    }
    zeros.push_back(*std::move(zero));
  }
  return std::make_shared<Present>(std::move(zeros));
}

class GroupEffect : public Effect {
 public:
  explicit GroupEffect(const Instruction& collective) : collective_(collective) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath path,
                                   Process& process, Context& context) const override {
    absl::StatusOr<std::vector<std::vector<int64_t>>> groups =
        ProcessGroups(collective_, process.grid());
    if (!groups.ok()) return groups.status();
    for (const std::vector<int64_t>& group : *groups) {
      if (std::find(group.begin(), group.end(), process.number()) == group.end()) continue;
      return process.world().rendezvous().Meet(collective_, path, group, operands, process,
                                               context);
    }
    if (collective_.opcode() == Opcode::kCollectiveBroadcast) {
      const bool chosen = collective_.GetBool(Attr::kHasDynamicRoot);
      return Zeros(operands.first(operands.size() - (chosen ? 1 : 0)), process);
    }
    return absl::InvalidArgumentError(
        absl::StrCat(process.world().Name(process.id()), " is in no replica group"));
  }
  bool repeats() const override {
    return !analysis::HasDynamicSizes(collective_) &&
           collective_.FindInt(Attr::kHasDynamicRoot).value_or(0) == 0;
  }

 private:
  const Instruction& collective_;
};

class PermuteEffect : public Effect {
 public:
  explicit PermuteEffect(const Instruction& permute) : permute_(permute) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath path,
                                   Process& process, Context&) const override {
    absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> pairs =
        ProcessPairs(permute_, process.grid());
    if (!pairs.ok()) return pairs.status();
    Rendezvous& rendezvous = process.world().rendezvous();
    const int64_t self = process.number();
    const int64_t visit = rendezvous.Visit(permute_, path, process);
    int64_t from = -1;
    for (const auto& [source, target] : *pairs) {
      if (target == self) from = source;
      if (source != self) continue;
      rendezvous.Deliver(permute_, path, visit, source, target, process,
                         {operands.begin(), operands.end()});
    }
    if (from < 0) return Zeros(operands, process);
    return rendezvous.Collect(permute_, path, visit, from, self, process);
  }
  bool repeats() const override { return !analysis::HasDynamicSizes(permute_); }

 private:
  const Instruction& permute_;
};

// replica-id, partition-id
class WhoAmI : public Effect {
 public:
  explicit WhoAmI(const Instruction& instruction) : instruction_(instruction) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> /*operands*/, CallPath /*path*/,
                                   Process& process, Context&) const override {
    const bool replica = instruction_.opcode() == Opcode::kReplicaId;
    const int64_t id = replica ? process.id().replica : process.id().partition;
    return std::make_shared<Present>(
        std::vector<Literal>{Literal::Scalar(ElementType::kU32, {static_cast<uint64_t>(id)})});
  }
  bool repeats() const override { return true; }

 private:
  const Instruction& instruction_;
};

}  // namespace

EffectOr PrepareCollectiveEffect(const Instruction& instruction, const Engine& engine) {
  switch (instruction.opcode()) {
    case Opcode::kReplicaId:
    case Opcode::kPartitionId:
      return std::make_unique<WhoAmI>(instruction);
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
      if (IsInPlace(instruction)) return PreparePermuteInPlace(instruction, engine);
      return std::make_unique<PermuteEffect>(instruction);
    default:
      return std::make_unique<GroupEffect>(instruction);
  }
}

}  // namespace assay::runtime
