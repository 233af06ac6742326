// The files that `assay fuzz` reads: programs of a corpus folder, and seed modules. Test:
// fuzz_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_FUZZ_FILES_H_
#define ASSAY_TOOLS_CLI_FUZZ_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "fuzz/campaign/mutation.h"
#include "fuzz/programs/seeds.h"

namespace assay::cli {

// Appends the programs of a folder, sorted by name. Skips files that are not programs and prints
// their number to standard error. Returns INVALID_ARGUMENT for a folder that cannot be read.
absl::Status ReadFuzzCorpus(const std::string& folder, std::vector<fuzz::Bytes>* programs);

// Returns the modules of folders and files (module_files.h) that are valid under strict rules.
// Prints the number of others to standard error. Returns INVALID_ARGUMENT if there is none.
absl::StatusOr<std::shared_ptr<const fuzz::SeedModules>> ReadSeedModules(
    absl::Span<const std::string> paths);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_FUZZ_FILES_H_
