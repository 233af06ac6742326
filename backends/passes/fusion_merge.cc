#include "backends/passes/fusion_merge.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace assay::passes {

bool MayBeDuplicated(const Instruction& x) {
  return x.opcode() == Opcode::kBroadcast || x.opcode() == Opcode::kIota ||
         x.opcode() == Opcode::kConstant;
}

namespace {

// The sets of ancestors of larger computations would take too long.
constexpr int64_t kMostOrdered = 1024;
constexpr size_t kMostMerged = 192;
constexpr size_t kMostMergedInputs = 24;
constexpr int64_t kWordBits = 64;

size_t InputsOf(absl::Span<const Instruction* const> members) {
  const absl::flat_hash_set<const Instruction*> group(members.begin(), members.end());
  absl::flat_hash_set<const Instruction*> inputs;
  for (const Instruction* member : members) {
    for (const Instruction* operand : member->operands()) {
      if (!group.contains(operand)) inputs.insert(operand);
    }
  }
  return inputs.size();
}

}  // namespace

FusionMerger::FusionMerger(const Computation& computation)
    : computation_(computation),
      words_((computation.instruction_count() + kWordBits - 1) / kWordBits) {
  const int64_t count = computation.instruction_count();
  if (count > kMostOrdered) return;
  ancestors_.resize(count * words_);
  for (int64_t i = 0; i < count; ++i) {
    Word* const own = ancestors_.data() + i * words_;
    own[i / kWordBits] |= Word{1} << (i % kWordBits);
    auto add = [&](const Instruction* before) {
      const Word* other = Ancestors(before->index());
      for (int64_t w = 0; w < words_; ++w) own[w] |= other[w];
    };
    for (const Instruction* operand : computation.instruction(i)->operands()) add(operand);
    for (const Instruction* before : computation.instruction(i)->control_predecessors()) {
      add(before);
    }
  }
}

bool FusionMerger::Meets(int64_t i, const Set& set) const {
  const Word* const own = Ancestors(i);
  for (int64_t w = 0; w < words_; ++w) {
    if ((own[w] & set[w]) != 0) return true;
  }
  return false;
}

FusionMerger::Set FusionMerger::SetOf(absl::Span<const Instruction* const> members) const {
  Set set(words_);
  for (const Instruction* member : members) {
    if (MayBeDuplicated(*member)) continue;
    set[member->index() / kWordBits] |= Word{1} << (member->index() % kWordBits);
  }
  return set;
}

FusionMerger::Set FusionMerger::AllAncestors(absl::Span<const Instruction* const> members) const {
  Set all(words_);
  for (const Instruction* member : members) {
    const Word* const own = Ancestors(member->index());
    for (int64_t w = 0; w < words_; ++w) all[w] |= own[w];
  }
  return all;
}

void FusionMerger::Contract(absl::Span<const Instruction* const> members) {
  const Set set = SetOf(members), all = AllAncestors(members);
  for (int64_t i = 0; i < computation_.instruction_count(); ++i) {
    if (!Meets(i, set)) continue;
    for (int64_t w = 0; w < words_; ++w) ancestors_[i * words_ + w] |= all[w];
  }
}

bool FusionMerger::MayMerge(absl::Span<const Instruction* const> merged) const {
  const Set set = SetOf(merged), all = AllAncestors(merged);
  for (int64_t i = 0; i < computation_.instruction_count(); ++i) {
    const Word bit = Word{1} << (i % kWordBits);
    const bool is_member = (set[i / kWordBits] & bit) != 0;
    const bool is_needed = (all[i / kWordBits] & bit) != 0;
    if (!is_member && is_needed && Meets(i, set)) return false;
  }
  return true;
}

bool FusionMerger::TryMerge(FusionGroup& user, FusionGroup& producer) {
  std::vector<const Instruction*> merged = user.members;
  const absl::flat_hash_set<const Instruction*> known(merged.begin(), merged.end());
  for (const Instruction* member : producer.members) {
    if (!known.contains(member)) merged.push_back(member);
  }
  if (merged.size() > kMostMerged || InputsOf(merged) > kMostMergedInputs || !MayMerge(merged)) {
    return false;
  }
  std::sort(merged.begin(), merged.end(),
            [](const Instruction* a, const Instruction* b) { return a->index() > b->index(); });
  user.members = std::move(merged);
  user.alone = false;
  producer.members.clear();
  Contract(user.members);
  return true;
}

void FusionMerger::Run(std::vector<FusionGroup>& groups) {
  if (ancestors_.empty()) return;
  std::vector<int64_t> group_of(computation_.instruction_count(), -1);
  for (const FusionGroup& group : groups) {
    if (group.members.size() > 1) Contract(group.members);
    for (const Instruction* member : group.members) {
      if (!MayBeDuplicated(*member)) group_of[member->index()] = &group - groups.data();
    }
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    if (!groups[g].elementwise) continue;
    absl::flat_hash_set<int64_t> refused;
    for (bool merged = !groups[g].members.empty(); merged;) {
      merged = false;
      for (size_t m = 0; m < groups[g].members.size() && !merged; ++m) {
        for (const Instruction* operand : groups[g].members[m]->operands()) {
          const int64_t other = group_of[operand->index()];
          if (other < 0 || other == static_cast<int64_t>(g) || refused.contains(other)) continue;
          FusionGroup& producer = groups[other];
          const std::vector<const Instruction*> members = producer.members;
          if (!producer.elementwise || !Shape::SameDimensions(*producer.size, *groups[g].size) ||
              !TryMerge(groups[g], producer)) {
            refused.insert(other);
            continue;
          }
          for (const Instruction* member : members) {
            if (!MayBeDuplicated(*member)) group_of[member->index()] = static_cast<int64_t>(g);
          }
          merged = true;
          break;
        }
      }
    }
  }
}

}  // namespace assay::passes
