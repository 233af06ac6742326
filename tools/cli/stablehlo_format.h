// The StableHLO formats of `assay show --to`. Tests: show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_STABLEHLO_FORMAT_H_
#define ASSAY_TOOLS_CLI_STABLEHLO_FORMAT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay::cli {

// Returns true for stablehlo, stablehlo-generic, stablehlo-artifact and stablehlo-artifact=VERSION.
bool IsStablehloFormat(const std::string& format);
bool IsStablehloArtifact(const std::string& format);

// Returns the module in one of these formats, text with its locations if they are asked for, or
// UNIMPLEMENTED with the name of an operation or type that this version of StableHLO does not have.
// `result_names`: of the entry's results (jax.result_info), or none.
absl::StatusOr<std::string> StablehloOf(const Module& module, const std::string& format,
                                        absl::Span<const std::string> result_names, bool locations);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_STABLEHLO_FORMAT_H_
