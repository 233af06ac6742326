// The names of the tiers, and a switch that skips the first ones in the whole process. Results stay
// the same bit for bit; the switch shows that they do. Tests: forced_tier_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_FORCED_TIER_H_
#define ASSAY_EVALUATOR_REAL_FORCED_TIER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/real/real_functions.h"

namespace assay::evaluator {

// Returns the name: exact, double, extended, quad, big192, big384, big768, big1536 or undecided.
absl::string_view Name(RealTier tier);
// Returns the names of the tiers that can be forced: all but undecided.
std::vector<std::string> ForcibleTiers();
// Returns the tier of a name, or INVALID_ARGUMENT with the list of names.
absl::StatusOr<RealTier> TierOfName(absl::string_view name);

// Makes all functions of this process skip tables and the tiers before `tier`; special values and
// exact cases stay. The initial state is kExact. The state is global because it serves to examine
// an evaluation from outside; RealContext::first_tier is for one call.
void ForceTier(RealTier tier);

namespace real {

// Returns the context with the later of its own first tier and the forced one.
RealContext WithForcedTier(const RealContext& context);

}  // namespace real
}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_REAL_FORCED_TIER_H_
