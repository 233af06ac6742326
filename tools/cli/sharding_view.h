// `assay show --sharding`: the tiles of every array with a sharding, and the devices that hold
// them. Tests: show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_SHARDING_VIEW_H_
#define ASSAY_TOOLS_CLI_SHARDING_VIEW_H_

#include <string>

#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay::cli {

// Returns a line per tile with its devices; as JSON, a list of arrays with an entry per device.
absl::StatusOr<std::string> ShardingText(const Module& module, bool json);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_SHARDING_VIEW_H_
