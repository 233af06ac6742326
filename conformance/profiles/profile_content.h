// What a profile's text comes to, inside this folder.
#ifndef ASSAY_CONFORMANCE_PROFILES_PROFILE_CONTENT_H_
#define ASSAY_CONFORMANCE_PROFILES_PROFILE_CONTENT_H_

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "conformance/profiles/profile.h"

namespace assay::conformance {

class ProfileText;

struct TargetProfile::Content {
  struct Unsupported {
    std::vector<Opcode> ops;         // none: every one
    std::vector<ElementType> types;  // none: every one
    std::string reason;
  };

  std::string name, description;
  absl::flat_hash_map<std::pair<Opcode, ElementType>, UlpBudget> budgets;
  std::array<bool, kFreedoms> grants{};
  std::array<bool, kDecisionPoints> admits{};
  std::array<std::string, kDecisionPoints> deviations;  // findings; empty: no known deviation
  absl::flat_hash_map<ElementType, std::pair<bool, bool>> flushes;  // operands, results
  absl::flat_hash_map<std::pair<ElementType, bool>, Accumulation> accumulations;
  std::map<Precision, int64_t> dots;
  LinearAlgebra linear_algebra;
  ModuleChecks module_checks = ModuleChecks::kNone;
  std::vector<Unsupported> unsupported;

  // All of that as text, and what it was in the profiles that this one extends.
  std::map<std::string, std::string> entries, inherited;
  // The rows of those profiles and its own, without `extends`.
  std::shared_ptr<const ProfileText> rows;
};

// A profile that is built in.
struct ProfileFile {
  absl::string_view name;  // "xla-cpu"
  absl::string_view text;
};
absl::Span<const ProfileFile> ProfileFiles();

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_PROFILES_PROFILE_CONTENT_H_
