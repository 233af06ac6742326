// Targets that are made for a profile: some go as far as it lets them, the others a little further.
// The judge must accuse none of the first and find each of the second; all but the golden value is
// computed here from the reference (accuracy_requirements.md 1, 3 and 4), not by the judge's code.
// Test: profile_edges_test.cc.
#ifndef ASSAY_CONFORMANCE_MUTANTS_PROFILE_EDGES_H_
#define ASSAY_CONFORMANCE_MUTANTS_PROFILE_EDGES_H_

#include <functional>
#include <string>
#include <vector>

#include "conformance/mutants/mutant.h"
#include "conformance/profiles/profile.h"

namespace assay::conformance {

// In both, `profile` of a mutant is the one that judges it.
struct ProfileEdges {
  std::vector<Mutant> within, beyond;
};

// Functions as far from the exact value as budgets reach, to either side, and the first value that
// is further, for each operation and type; operations without a budget, one step off.
ProfileEdges BudgetEdges(const TargetProfile& profile);

// Sums and dots of f32 as far from the exact one as n u sum|terms| with the profile's accumulator
// and passes, and a little further. Only of profiles that grant reassociation.
ProfileEdges SumEdges(const TargetProfile& profile);

// A target that takes one freedom, wherever it can.
struct FreedomTaker {
  Mutant variant;
  std::function<bool(const TargetProfile&)> granted;
  // Text protobuf that takes the freedom from a profile; empty: nothing does.
  std::string revoke;
};
std::vector<FreedomTaker> FreedomTakers();
// Those of decision points of folds and of narrow types, which are among the former; and targets
// that go a little beyond what these points leave open, under a profile that admits them all.
std::vector<FreedomTaker> FoldDecisionTakers();
ProfileEdges FoldDecisionEdges(const TargetProfile& profile);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_MUTANTS_PROFILE_EDGES_H_
