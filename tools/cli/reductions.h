// The option --reduce DIR of commands that find failing modules. Each kind of failure is reduced
// once, to a folder as `assay reduce` writes it. Test: fuzz_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_REDUCTIONS_H_
#define ASSAY_TOOLS_CLI_REDUCTIONS_H_

#include <set>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "conformance/diagnose/triage.h"
#include "conformance/profiles/profile.h"
#include "interpreter/interpreter.h"

namespace assay {

class Reductions {
 public:
  // `folder` is the parent of the folders; nothing is reduced if it is empty. The target and the
  // profile must outlive the object.
  Reductions(std::string folder, Backend* target, const TargetProfile& profile, RunBudget budget,
             std::string target_name, std::string profile_name);

  bool wanted() const { return !folder_.empty(); }
  // Reduces the module unless one with the same `kind` was reduced before. Prints failures to
  // standard error.
  void Reduce(const Module& module, absl::Span<const DeviceInputs> inputs, const std::string& kind,
              const std::string& origin);

 private:
  const std::string folder_;
  Backend* const target_;
  const TargetProfile& profile_;
  const RunBudget budget_;
  const std::string target_name_, profile_name_;
  std::set<std::string> kinds_;
};

// An observer of triage that reduces wrong and failing modules. Forwards all calls to `next`, which
// may be null.
class ReducingObserver : public TriageObserver {
 public:
  ReducingObserver(Reductions* reductions, TriageObserver* next)
      : reductions_(reductions), next_(next) {}
  void TakeInstruction(const InstructionVerdict& verdict, const Excerpt& excerpt) override;
  void TakeWhole(const WholeVerdict& whole) override;
  void TakeEntry(const TriageInput& input, const TriageEntry& entry) override;

 private:
  Reductions* const reductions_;
  TriageObserver* const next_;
};

// Adds the option.
void AddReduceOption(CLI::App* app, std::string* folder);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_REDUCTIONS_H_
