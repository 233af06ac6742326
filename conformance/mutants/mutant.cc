#include "conformance/mutants/mutant.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/nearest_name.h"

namespace assay::conformance {
namespace {

constexpr char kMutantPrefix[] = "mutant:";
constexpr char kConformingPrefix[] = "conforming:";

}  // namespace

std::string Mutant::target() const {
  return absl::StrCat(conforming() ? kConformingPrefix : kMutantPrefix, name);
}

std::vector<Mutant> Joined(std::initializer_list<std::vector<Mutant> (*)()> tables) {
  std::vector<Mutant> all;
  for (const auto& table : tables) {
    std::vector<Mutant> rows = table();
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<Mutant> InStandardTier(std::vector<Mutant> rows,
                                   std::initializer_list<absl::string_view> names) {
  for (Mutant& row : rows) {
    if (absl::c_linear_search(names, row.name)) row.tier = Tier::kStandard;
  }
  return rows;
}

const std::vector<Mutant>& Mutants() {
  static const std::vector<Mutant>* const all = [] {
    auto* mutants = new std::vector<Mutant>(
        Joined({ArithmeticMutants, IntegerMutants,     FunctionMutants,      ConversionMutants,
                ComparisonMutants, MovementMutants,    IndexingMutants,      ReductionMutants,
                OrderMutants,      ContractionMutants, LinearAlgebraMutants, RandomMutants,
                ControlMutants,    CollectiveMutants,  FeedMutants,          SizeMutants,
                ThresholdMutants,  CombinationMutants, RangeMutants,         NarrowMutants,
                TypedMutants,      GeometryMutants,    ExchangeRewrites,     StateMutants,
                PackedMutants,     UnitMutants,        ListMutants,          CompilerRewrites,
                PredicateRewrites, AlgebraRewrites,    MovementRewrites,     FoldRewrites,
                LoopRewrites,      LegalRewrites,      ConformingVariants}));
    absl::c_sort(*mutants, [](const Mutant& a, const Mutant& b) {
      return std::make_pair(a.conforming(), a.name) < std::make_pair(b.conforming(), b.name);
    });
    return mutants;
  }();
  return *all;
}

absl::StatusOr<const Mutant*> FindMutant(absl::string_view target) {
  const bool conforming = absl::ConsumePrefix(&target, kConformingPrefix);
  if (!conforming) absl::ConsumePrefix(&target, kMutantPrefix);
  for (const Mutant& mutant : Mutants()) {
    if (mutant.conforming() == conforming && mutant.name == target) return &mutant;
  }
  std::vector<std::string> names;
  for (const Mutant& mutant : Mutants()) {
    if (mutant.conforming() == conforming) names.push_back(mutant.name);
  }
  return absl::NotFoundError(absl::StrCat(
      "there is no ", conforming ? "conforming variant" : "mutant", " \"", target, "\"",
      DidYouMean(NearestName(target, names)), "; `assay mutants` has their names"));
}

}  // namespace assay::conformance
