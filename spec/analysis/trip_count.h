// The number of iterations of loops that count: a scalar integer of the state starts at a constant,
// every iteration adds a constant to it, and the condition compares it with a constant or with
// another such integer. Tests: trip_count_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_TRIP_COUNT_H_
#define ASSAY_SPEC_ANALYSIS_TRIP_COUNT_H_

#include <cstdint>
#include <optional>

#include "spec/ir/module.h"

namespace assay::analysis {

// The largest number of iterations that is found.
inline constexpr int64_t kMostTrips = int64_t{1} << 20;

// Returns how often the body of a while loop runs, whatever the operands of the module are. Returns
// nullopt if the loop is of another form or runs more often than kMostTrips.
std::optional<int64_t> TripCount(const Instruction& loop);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_TRIP_COUNT_H_
