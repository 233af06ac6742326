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

namespace assay::cli {

class Reductions {
 public:
  // `folder` is the parent of the folders; nothing is reduced if it is empty. The target and the
  // profile must outlive the object.
  Reductions(std::string folder, Backend* target, const conformance::TargetProfile& profile,
             RunBudget budget, std::string target_name, std::string profile_name);

  bool wanted() const { return !folder_.empty(); }
  // Reduces the module unless one with the same `kind` was reduced before. Prints failures to
  // standard error.
  void Reduce(const Module& module, absl::Span<const DeviceInputs> inputs, const std::string& kind,
              const std::string& origin);

 private:
  const std::string folder_;
  Backend* const target_;
  const conformance::TargetProfile& profile_;
  const RunBudget budget_;
  const std::string target_name_, profile_name_;
  std::set<std::string> kinds_;
};

// An observer of triage that reduces wrong and failing modules. Forwards all calls to `next`, which
// may be null.
class ReducingObserver : public conformance::TriageObserver {
 public:
  ReducingObserver(Reductions* reductions, conformance::TriageObserver* next)
      : reductions_(reductions), next_(next) {}
  void TakeInstruction(const conformance::InstructionVerdict& verdict,
                       const conformance::Excerpt& excerpt) override;
  void TakeWhole(const conformance::WholeVerdict& whole) override;
  void TakeEntry(const conformance::TriageInput& input,
                 const conformance::TriageEntry& entry) override;

 private:
  Reductions* const reductions_;
  conformance::TriageObserver* const next_;
};

// Adds the option.
void AddReduceOption(CLI::App* app, std::string* folder);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_REDUCTIONS_H_
