#include "conformance/mutants/mutant_cases.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace assay {

MutantCases::MutantCases(absl::Span<const CorpusCase> cases) : cases_(cases) {
  for (const CorpusCase& each : cases) {
    if (each.expect != CorpusCase::Expect::kRefused) tagged_.insert(std::string(each.Tag("op")));
  }
}

bool MutantCases::Examines(const CorpusCase& corpus_case, const Mutant& mutant) const {
  const bool in_programs = absl::StartsWith(mutant.name, "programs/");
  return absl::c_any_of(mutant.opcodes, [&](Opcode opcode) {
    if (!in_programs && tagged_.contains(Name(opcode))) {
      return corpus_case.Tag("op") == Name(opcode);
    }
    return absl::StrContains(corpus_case.module, absl::StrCat(" ", Name(opcode), "("));
  });
}

std::vector<const CorpusCase*> MutantCases::Of(const Mutant& mutant) const {
  std::vector<const CorpusCase*> found;
  for (const CorpusCase& each : cases_) {
    if (each.expect != CorpusCase::Expect::kRefused && Examines(each, mutant)) {
      found.push_back(&each);
    }
  }
  return found;
}

}  // namespace assay
