// What a target may do: budgets in ulp, freedoms, how it accumulates, what it does not support. A
// profile is data, profiles/*.textproto (docs/profiles.md has the schema); there is no tolerance in
// code. Reference accuracy_requirements.md 3, 4 and 7. Tests: profile_test.cc.
#ifndef ASSAY_CONFORMANCE_PROFILES_PROFILE_H_
#define ASSAY_CONFORMANCE_PROFILES_PROFILE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/judge/verdict.h"
#include "spec/ir/module.h"

namespace assay {

class TargetProfile {
 public:
  // One of the profiles that are built in ("golden", "xla-cpu", ...), or a file: what contains a
  // slash or ends in .textproto. NOT_FOUND names those there are; INVALID_ARGUMENT as
  // "file:line:column: ..." for text that is no profile, unknown operations, types and freedoms.
  static absl::StatusOr<TargetProfile> Find(const std::string& name_or_path);
  static absl::StatusOr<TargetProfile> FromText(absl::string_view text, absl::string_view where);
  static std::vector<std::string> BuiltIn();  // names, sorted

  const std::string& name() const;
  const std::string& description() const;
  bool Grants(Freedom freedom) const;
  // In ulp of the type, for a result of it; 0: the golden one. Complex: normwise.
  double UlpBudget(Opcode opcode, ElementType type) const;
  // Why a target of this profile does not run the instruction's operation on its types.
  std::optional<std::string> Unsupported(const Module& module) const;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROFILES_PROFILE_H_
