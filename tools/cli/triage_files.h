// Triage of a set of module files, each with the files beside it: X.inputs.npz, X.expected.npz,
// X.actual.npz. `assay triage` and the Python package use it. Tests: triage_cli_test.py,
// python/tests/diff_test.py.
#ifndef ASSAY_TOOLS_CLI_TRIAGE_FILES_H_
#define ASSAY_TOOLS_CLI_TRIAGE_FILES_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "conformance/diagnose/triage.h"
#include "nlohmann/json_fwd.hpp"

namespace assay::cli {

struct TriageQuestion {
  Backend* target = nullptr;  // null to judge stored results
  const conformance::TargetProfile* profile = nullptr;
  uint64_t seed = 1;  // the seed of random inputs for modules without inputs
  RunBudget budget;   // the budget of each module
  conformance::TraceDepth depth;
  conformance::TriageObserver* observer = nullptr;
  // Called before each file with the number of finished files; may be null.
  std::function<void(size_t done, const std::string& path)> progress = nullptr;
};

struct TriageRun {
  size_t files = 0;
  std::vector<conformance::TriageGroup> groups;
  std::array<int64_t, conformance::kTriageClasses> counts{};  // the number of results by class
  int64_t judged = 0, results = 0;
  int64_t random = 0;  // the number of modules that ran on random arguments

  // the number of modules that are wrong, or without a result because the target failed
  int64_t failing() const;
  bool fails() const;          // true if a module fails or nothing was judged
  std::string Counts() const;  // "3 modules, 1 wrong, 2 equal"
};

// Runs the triage. A file that cannot be read, or does not fit into memory, becomes a broken entry.
TriageRun TriageFiles(absl::Span<const std::string> files, const TriageQuestion& question);

// Returns "wrong: tanh f32, finite instead of another finite".
std::string Heading(const conformance::TriageGroup& group);
// Returns the closing sentence of the run.
std::string ClosingSentence(const TriageRun& run, const std::string& profile);
nlohmann::json TriageJson(const TriageRun& run, const std::string& profile);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_TRIAGE_FILES_H_
