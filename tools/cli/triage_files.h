// A set of module files that differ, sorted by why, with what lies beside each of them:
// X.inputs.npz, X.expected.npz, X.actual.npz. `assay triage` and the Python package share it.
// Tests: triage_cli_test.py, python/tests/diff_test.py.
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

namespace assay {

struct TriageQuestion {
  Backend* target = nullptr;  // null: the results that are stored are judged
  const TargetProfile* profile = nullptr;
  uint64_t seed = 1;  // of random inputs, where a module has none
  RunBudget budget;   // of each module
  TraceDepth depth;
  TriageObserver* observer = nullptr;
  // Called before each file with the number of files that are done; may be empty.
  std::function<void(size_t done, const std::string& path)> progress = nullptr;
};

struct TriageRun {
  size_t files = 0;
  std::vector<TriageGroup> groups;
  std::array<int64_t, kTriageClasses> counts{};  // results by class
  int64_t judged = 0, results = 0;
  int64_t random = 0;  // modules that have no arguments of their own and ran on random ones

  int64_t failing() const;     // wrong, or missing because the target failed
  bool fails() const;          // something does, or nothing was judged
  std::string Counts() const;  // "3 modules, 1 wrong, 2 equal"
};

// What cannot be read, or does not fit into memory, is a broken entry.
TriageRun TriageFiles(absl::Span<const std::string> files, const TriageQuestion& question);

// "wrong: tanh f32, finite instead of another finite".
std::string Heading(const TriageGroup& group);
// What the run comes to, in one sentence.
std::string ClosingSentence(const TriageRun& run, const std::string& profile);
nlohmann::json TriageJson(const TriageRun& run, const std::string& profile);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_TRIAGE_FILES_H_
