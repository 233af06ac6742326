// `assay show --sharding`: which device holds which part of every array whose sharding is
// annotated. Tests: show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_SHARDING_VIEW_H_
#define ASSAY_TOOLS_CLI_SHARDING_VIEW_H_

#include <string>

#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay {

// A line per tile and the devices that hold it; as JSON a list of arrays, an entry per device.
absl::StatusOr<std::string> ShardingText(const Module& module, bool json);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_SHARDING_VIEW_H_
