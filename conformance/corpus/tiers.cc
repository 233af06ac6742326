#include "conformance/corpus/tiers.h"

#include <tuple>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "spec/element/element_type.h"
#include "spec/element/saturating.h"

namespace assay::conformance {
namespace {

constexpr absl::string_view kNames[] = {"quick", "standard", "full"};

// A case with more elements of arguments, or a longer module, is not quick, not standard.
struct Limits {
  int64_t elements;
  size_t text;
};
constexpr Limits kQuick = {4096, 7 << 10};
constexpr Limits kStandard = {1 << 18, 64 << 10};

int64_t Elements(const CorpusCase& each) {
  int64_t count = 0;
  for (const auto* arrays : {&each.inputs, &each.infeed}) {
    for (const CaseArray& input : *arrays) {
      count = SaturatingSum(count, input.shape.ElementCount().value_or(INT64_MAX));
    }
  }
  return count;
}

bool Within(const CorpusCase& each, const Limits& limits) {
  return each.module.size() <= limits.text && Elements(each) <= limits.elements;
}

// What cases cover: the value of a tag (key, value) of an operation, of "program" or of "refused".
// The last member is a type, where each type counts by itself. The views are those of the cases.
using Subject =
    std::tuple<absl::string_view, absl::string_view, absl::string_view, absl::string_view>;

// What a case covers: its type and whatever else it is tagged with, of its operation. Programs
// belong to no operation: those of a template cover its form with a float type and with an integer
// type, and each type and profile once; any other program covers itself.
absl::InlinedVector<Subject, 8> Covered(const CorpusCase& each) {
  const absl::string_view op = each.Tag("op"), type = each.Tag("type");
  const bool refused = each.expect == CorpusCase::Expect::kRefused;
  absl::InlinedVector<Subject, 8> covered;
  if (op.empty() && !refused) {
    const absl::string_view form = each.Tag("form");
    const bool of_template = !each.Tag("profile").empty() && !form.empty();
    if (!of_template) return {{"program", "id", each.id, ""}};
    // Rewrites of integers are not those of floats.
    const auto element = ElementTypeFromName(type);
    const bool floats = element && (IsFloat(*element) || IsComplex(*element));
    covered.push_back({"program", "form", form, floats ? "floats" : "integers"});
    for (const CaseTag& tag : each.tags) covered.push_back({"program", tag.key, tag.value, ""});
    return covered;
  }
  for (const CaseTag& tag : each.tags) {
    if (tag.key == "op") continue;
    // A clause may stand in several rules of the verifier, but is one. A section of worked examples
    // has some for each type; a form of a conversion is a type of results, and each pair of types
    // is code of its own.
    const bool each_type = tag.key == "example" || (tag.key == "form" && op == "convert");
    covered.push_back(refused ? Subject("refused", tag.key, tag.value, "")
                              : Subject(op, tag.key, tag.value, each_type ? type : ""));
  }
  return covered;
}

// Where several cases cover the same, the least rank does: special values say most; a value that
// is written or alone may be 0, and arrays without elements hold none.
constexpr int kRanks = 3;
int RankOf(const CorpusCase& each) {
  if (each.Tag("profile").empty() || Elements(each) < 2) return 2;
  return each.Tag("profile") == "special" ? 0 : 1;
}

}  // namespace

absl::string_view TierName(Tier tier) { return kNames[static_cast<int>(tier)]; }

std::vector<Tier> TiersOf(absl::Span<const CorpusCase> cases) {
  std::vector<Tier> tiers(cases.size(), Tier::kFull);
  std::vector<size_t> quick[kRanks];  // the cases that may be quick, by their rank
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!Within(cases[i], kStandard)) continue;
    tiers[i] = Tier::kStandard;
    if (Within(cases[i], kQuick)) quick[RankOf(cases[i])].push_back(i);
  }
  absl::flat_hash_set<Subject> covered;
  for (const std::vector<size_t>& of_rank : quick) {
    for (const size_t i : of_rank) {
      for (const Subject& what : Covered(cases[i])) {
        if (covered.insert(what).second) tiers[i] = Tier::kQuick;
      }
    }
  }
  return tiers;
}

}  // namespace assay::conformance
