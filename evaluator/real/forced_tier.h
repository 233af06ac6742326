// Names of the tiers, and the switch that skips the first ones in the whole process: results stay
// the same bit for bit, which is what one wants to see. Tests: forced_tier_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_FORCED_TIER_H_
#define ASSAY_EVALUATOR_REAL_FORCED_TIER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/real/real_functions.h"

namespace assay {

// exact, double, extended, quad, big192, big384, big768, big1536, undecided.
absl::string_view Name(RealTier tier);
// Those that can be forced: all but undecided.
std::vector<std::string> ForcibleTiers();
// INVALID_ARGUMENT, with the list, for a name that is none of these.
absl::StatusOr<RealTier> TierOfName(absl::string_view name);

// From now on no function of this process uses a tier before `tier`, nor tables; special values and
// exact cases stay. kExact is the state at the start. A process has one such state because it is
// for looking at an evaluation from outside; RealContext::first_tier is for one call.
void ForceTier(RealTier tier);

namespace real {

// The context with the later of its own first tier and the forced one.
RealContext WithForcedTier(const RealContext& context);

}  // namespace real
}  // namespace assay

#endif  // ASSAY_EVALUATOR_REAL_FORCED_TIER_H_
