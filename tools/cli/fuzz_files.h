// The files that `assay fuzz` reads: programs of a corpus folder, and real modules whose parts
// programs get. Test: fuzz_cli_test.py.
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

namespace assay {

// Appends the programs of a folder, by name. Files that are no programs are left out; how many is
// said on the standard error. INVALID_ARGUMENT for a folder that cannot be read.
absl::Status ReadFuzzCorpus(const std::string& folder, std::vector<fuzz::Bytes>* programs);

// The modules of folders and files, as module_files.h has them, that are valid under strict rules;
// how many others there are is said on the standard error. INVALID_ARGUMENT where there is none.
absl::StatusOr<std::shared_ptr<const fuzz::SeedModules>> ReadSeedModules(
    absl::Span<const std::string> paths);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_FUZZ_FILES_H_
