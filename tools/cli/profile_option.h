// The option --profile of commands that judge a target, and the one rule for what holds without it.
// Tests: profile_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_PROFILE_OPTION_H_
#define ASSAY_TOOLS_CLI_PROFILE_OPTION_H_

#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/string_view.h"

namespace assay::cli {

struct ProfileOption {
  std::string given;  // empty: the rule decides

  void AddTo(CLI::App* sub);

  // The name or file of the profile that judges this target, as --target names it. Without the
  // option the backends of this tree have the profiles of their names, golden and its mutants have
  // `golden`, and any other implementation and stored results have `cpu-strict`.
  std::string For(absl::string_view target) const;
};

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_PROFILE_OPTION_H_
