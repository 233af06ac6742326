// Fusions that hand values to each other become one fusion with several results.
// Tests: conformance/passes/passes_test.cc.
#ifndef ASSAY_BACKENDS_PASSES_FUSION_MERGE_H_
#define ASSAY_BACKENDS_PASSES_FUSION_MERGE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay::passes {

// Instructions that are computed together.
struct FusionGroup {
  // By falling index. What groups may have several times each (broadcasts, iotas, constants) is
  // among them, too.
  std::vector<const Instruction*> members;
  bool elementwise = false;  // all computing members are, on arrays of one size
  const Shape* size = nullptr;
};

// Knows which groups may become one: a value must not leave a group and come back.
class FusionMerger {
 public:
  // Of the instructions of a computation in an order in which each follows its operands.
  explicit FusionMerger(const Computation& computation);

  // Merges elementwise groups of one size that hand values to each other; groups of one instruction
  // are welcome. Groups that stay alone are unchanged.
  void Run(std::vector<FusionGroup>& groups);

 private:
  using Word = uint64_t;
  using Set = std::vector<Word>;  // of instructions by index

  const Word* Ancestors(int64_t i) const { return ancestors_.data() + i * words_; }
  bool Meets(int64_t i, const Set& set) const;
  Set SetOf(absl::Span<const Instruction* const> members) const;
  // What members depend on, themselves included.
  Set AllAncestors(absl::Span<const Instruction* const> members) const;
  // From now on, what depends on one of the members depends on all.
  void Contract(absl::Span<const Instruction* const> members);
  bool MayMerge(absl::Span<const Instruction* const> merged) const;
  bool TryMerge(FusionGroup& user, FusionGroup& producer);

  const Computation& computation_;
  int64_t words_;
  std::vector<Word> ancestors_;  // transitive, words_ for each instruction
};

}  // namespace assay::passes

#endif  // ASSAY_BACKENDS_PASSES_FUSION_MERGE_H_
