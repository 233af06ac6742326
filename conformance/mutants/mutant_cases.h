// Which cases of the corpus examine a mutant. Tests: mutants_test.cc.
#ifndef ASSAY_CONFORMANCE_MUTANTS_MUTANT_CASES_H_
#define ASSAY_CONFORMANCE_MUTANTS_MUTANT_CASES_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {

class MutantCases {
 public:
  // The whole corpus, or a part of it. Must outlive this.
  explicit MutantCases(absl::Span<const CorpusCase> cases);

  // The cases that are tagged with one of the mutant's operations; of an operation that no case is
  // tagged with, those whose module holds it; of variants that show in several instructions
  // ("programs/..."), all whose module holds one of them. Cases that are to be refused are none.
  std::vector<const CorpusCase*> Of(const Mutant& mutant) const;

 private:
  // Those whose module holds an instruction of this operation. Not for several threads.
  const std::vector<const CorpusCase*>& WithInstruction(Opcode opcode) const;

  std::vector<const CorpusCase*> cases_;
  absl::flat_hash_map<absl::string_view, std::vector<const CorpusCase*>> tagged_;  // by operation
  mutable absl::flat_hash_map<Opcode, std::vector<const CorpusCase*>> holding_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_MUTANTS_MUTANT_CASES_H_
