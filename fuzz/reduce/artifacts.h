// A finding as a self-contained folder: the module, its inputs, the golden and the target's results
// as files, the case for `assay test`, and a Python program that shows the difference on XLA
// without Assay. Tests: reducer_test.cc, fuzz_cli_test.py.
#ifndef ASSAY_FUZZ_REDUCE_ARTIFACTS_H_
#define ASSAY_FUZZ_REDUCE_ARTIFACTS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/device_io.h"
#include "fuzz/differential/examiner.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

struct FindingFolder {
  const Module* module = nullptr;
  absl::Span<const DeviceInputs> inputs;
  const Examination* examination = nullptr;  // of this module
  std::string target, profile;
  std::string bytes;   // the program's bytes in hexadecimal; empty if the finding is of a module
  std::string origin;  // "seed 1, program 17"
};

// Writes module.hlo, inputs.npz, expected.npz, actual.npz (if the target returned results),
// finding.cases, finding.json and repro.py. Errors name the file.
absl::Status WriteFindingFolder(const FindingFolder& finding, const std::string& folder);

// Returns the folder name of a signature: "wrong-add-f32-1f3a".
std::string FolderName(const Signature& signature);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_ARTIFACTS_H_
