#include "tools/cli/profile_option.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "conformance/profiles/profile.h"
#include "tools/cli/backend_table.h"

namespace assay::cli {

void ProfileOption::AddTo(CLI::App* sub) {
  sub->add_option("--profile", given,
                  absl::StrCat("What the target may do: ",
                               absl::StrJoin(conformance::TargetProfile::BuiltIn(), ", "),
                               ", or a .textproto file (docs/profiles.md; default: golden for "
                               "golden and its mutants, cpu and cuda for the backends of these "
                               "names, cpu-strict for any other implementation)"))
      ->type_name("NAME|FILE");
}

std::string ProfileOption::For(absl::string_view target) const {
  return given.empty() ? DefaultProfile(AllBackends(), target) : given;
}

}  // namespace assay::cli
