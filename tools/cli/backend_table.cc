#include "tools/cli/backend_table.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/golden/golden_backend.h"
#include "conformance/mutants/mutant_backend.h"
#include "fuzz/score/combinations.h"

namespace assay::cli {
namespace {

// The line of the table for targets that begin with this prefix.
BackendKind MutantKind(const std::string& prefix, const std::string& help,
                       const std::string& profile) {
  return {prefix, "NAME", help,
          [prefix](absl::string_view name,
                   const BackendOptions& options) -> absl::StatusOr<std::unique_ptr<Backend>> {
            absl::StatusOr<const conformance::Mutant*> mutant =
                conformance::FindMutant(absl::StrCat(prefix, name));
            const conformance::Mutant* const other =
                prefix == "mutant:" ? fuzz::FindCombination(name) : nullptr;
            if (!mutant.ok() && other != nullptr) mutant = other;
            if (!mutant.ok()) return mutant.status();
            BackendOptions offered;  // BackendCapabilities::features of mutants
            offered.budget = options.budget;
            offered.custom_calls = options.custom_calls;
            return std::make_unique<conformance::MutantBackend>(**mutant, GoldenOptionsOf(offered));
          },
          profile};
}

}  // namespace

const std::vector<BackendKind>& AllBackends() {
  static const auto& kinds = *[] {
    auto* all = new std::vector<BackendKind>(BuiltInBackends());
    all->push_back(MutantKind("mutant:", "golden with a defect: assay mutants", "golden"));
    all->push_back(
        MutantKind("conforming:", "a conforming variant of golden: assay mutants", "cpu-strict"));
    return all;
  }();
  return kinds;
}

std::string BackendHelp() {
  std::vector<std::string> lines;
  for (const BackendKind& kind : AllBackends()) {
    lines.push_back(absl::StrCat(kind.usage(), " (", kind.help, ")"));
  }
  return absl::StrJoin(lines, ", ");
}

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const std::string& specification,
                                                     const BackendOptions& options) {
  return MakeBackend(AllBackends(), specification, options);
}

}  // namespace assay::cli
