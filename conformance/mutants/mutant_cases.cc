#include "conformance/mutants/mutant_cases.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace assay::conformance {

MutantCases::MutantCases(absl::Span<const CorpusCase> cases) {
  for (const CorpusCase& each : cases) {
    if (each.expect == CorpusCase::Expect::kRefused) continue;
    cases_.push_back(&each);
    tagged_[each.Tag("op")].push_back(&each);
  }
}

const std::vector<const CorpusCase*>& MutantCases::WithInstruction(Opcode opcode) const {
  auto [at, is_new] = holding_.try_emplace(opcode);
  if (!is_new) return at->second;
  const std::string instruction = absl::StrCat(" ", Name(opcode), "(");
  for (const CorpusCase* each : cases_) {
    if (absl::StrContains(each->module, instruction)) at->second.push_back(each);
  }
  return at->second;
}

std::vector<const CorpusCase*> MutantCases::Of(const Mutant& mutant) const {
  const bool in_programs = absl::StartsWith(mutant.name, "programs/");
  std::vector<const CorpusCase*> found;
  for (const Opcode opcode : mutant.opcodes) {
    const auto tagged = tagged_.find(Name(opcode));
    const std::vector<const CorpusCase*>& examining =
        !in_programs && tagged != tagged_.end() ? tagged->second : WithInstruction(opcode);
    found.insert(found.end(), examining.begin(), examining.end());
  }
  // In the order of the corpus, a case of several operations once.
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace assay::conformance
