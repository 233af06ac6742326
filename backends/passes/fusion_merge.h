// Merges fusions that use each other's results into one fusion with several results. Tests:
// conformance/passes/passes_test.cc.
#ifndef ASSAY_BACKENDS_PASSES_FUSION_MERGE_H_
#define ASSAY_BACKENDS_PASSES_FUSION_MERGE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay::passes {

// Returns true if several groups may each compute the instruction, because it costs nothing:
// broadcasts, iotas and constants.
bool MayBeDuplicated(const Instruction& instruction);

// Instructions that become one fusion.
struct FusionGroup {
  // The members by falling index, including instructions that several groups may duplicate.
  std::vector<const Instruction*> members;
  bool elementwise = false;  // true if all computing members are elementwise on arrays of one size
  bool alone = false;        // true if one member computes: the group is worth no fusion
  const Shape* size = nullptr;
};

// Decides which groups may be merged: a group must be convex, so that no value leaves it and
// returns.
class FusionMerger {
 public:
  // The instructions of the computation must be in topological order.
  explicit FusionMerger(const Computation& computation);

  // Merges elementwise groups of one size that use each other's results. Other groups are
  // unchanged.
  void Run(std::vector<FusionGroup>& groups);

 private:
  using Word = uint64_t;
  using Set = std::vector<Word>;  // a bit set of instructions by index

  const Word* Ancestors(int64_t i) const { return ancestors_.data() + i * words_; }
  bool Meets(int64_t i, const Set& set) const;
  Set SetOf(absl::Span<const Instruction* const> members) const;
  // Returns all instructions that the members depend on, themselves included.
  Set AllAncestors(absl::Span<const Instruction* const> members) const;
  // Records that instructions that depend on one of the members depend on all of them.
  void Contract(absl::Span<const Instruction* const> members);
  bool MayMerge(absl::Span<const Instruction* const> merged) const;
  bool TryMerge(FusionGroup& user, FusionGroup& producer);

  const Computation& computation_;
  int64_t words_;
  std::vector<Word> ancestors_;  // transitive, words_ for each instruction
};

}  // namespace assay::passes

#endif  // ASSAY_BACKENDS_PASSES_FUSION_MERGE_H_
