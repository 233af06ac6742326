// The statistics of a run, `assay run --stats`, as text and as JSON. Test: run_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_RUN_STATS_H_
#define ASSAY_TOOLS_CLI_RUN_STATS_H_

#include "nlohmann/json_fwd.hpp"
#include "runtime/run.h"

namespace assay::cli {

// What the runtime counts, and what the reference interpreter and the cuda backend add to it.
nlohmann::json StatsJson(const runtime::RunStats& counted);
// Prints the same for people. `seconds` is the time of the run.
void PrintStats(const runtime::RunStats& counted, double seconds);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_RUN_STATS_H_
