// What a target may do: budgets in ulp, freedoms, how it accumulates, what it does not support. A
// profile is data, profiles/*.textproto (docs/profiles.md has the schema); there is no tolerance in
// code. Reference accuracy_requirements.md 3, 4 and 7. Tests: profile_test.cc.
#ifndef ASSAY_CONFORMANCE_PROFILES_PROFILE_H_
#define ASSAY_CONFORMANCE_PROFILES_PROFILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/judge/verdict.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// A place where the specification leaves a value to the implementation.
enum class DecisionPoint : uint8_t {
#define DECISION_POINT(enumerator, ...) enumerator,
#include "conformance/judge/decision_points.def"
#undef DECISION_POINT
};
inline constexpr int kDecisionPoints = 0
#define DECISION_POINT(...) +1
#include "conformance/judge/decision_points.def"
#undef DECISION_POINT
    ;
absl::string_view DecisionPointName(DecisionPoint point);  // "R-2"
absl::string_view DecisionPointMeaning(DecisionPoint point);

// How far a value of an elementwise operation may be from the exact one.
struct UlpBudget {
  // Continuous ulps of the type (of the distance in the plane, if complex). 0: nothing but the
  // correctly rounded value. Of types of 8 bits and fewer: ulps of the type that they are computed
  // in (f16, or bf16 beyond its range), before the last rounding.
  double ulps = 0;
  double absolute = 0;  // in addition
  bool exact() const { return ulps == 0 && absolute == 0; }
};

// How terms are added up: reference accuracy_requirements.md 4, "Full element bound".
struct Accumulation {
  ElementType accumulator = ElementType::kF32;
  double factor = 1;        // K = factor * roundings
  double unit = 0x1p-24;    // u
  bool truncating = false;  // additions round either way
  bool partials = false;    // partial sums may be stored in the element type of the result
};

// What a target does where factorisations, statistics and transforms have several forms.
struct LinearAlgebra {
  bool inverted_blocks = false;     // solves by inverted blocks of the diagonal
  bool one_pass_variance = false;   // E[x^2] - E[x]^2
  bool fft_by_convolution = false;  // transforms of any length by convolution
};

enum class ModuleChecks : uint8_t { kNone, kXla, kStrict };

class TargetProfile {
 public:
  // One of the profiles that are built in ("golden", "xla-cpu", ...), or a file: what contains a
  // slash or ends in .textproto. NOT_FOUND names those there are; INVALID_ARGUMENT as
  // "file:line:column: ..." for text that is no profile, unknown operations, types and freedoms,
  // and profiles that extend one another in a circle.
  static absl::StatusOr<TargetProfile> Find(const std::string& name_or_path);
  static absl::StatusOr<TargetProfile> FromText(absl::string_view text, absl::string_view where);
  static bool IsFile(absl::string_view name_or_path);
  static std::vector<std::string> BuiltIn();  // names, sorted; of targets, not of levels

  const std::string& name() const;
  const std::string& description() const;
  bool Grants(Freedom freedom) const;
  // Whether the judge expects values other than golden's there: those that the specification leaves
  // to the implementation, which need implementation_defined, or a known deviation.
  bool Admits(DecisionPoint point) const;
  // The finding of a deviation from the specification that targets of this profile are known to
  // show there; null: there is none.
  const std::string* KnownDeviation(DecisionPoint point) const;
  UlpBudget FindBudget(Opcode opcode, ElementType type) const;
  // Whether denormals of the type may count as zero, as operands and as results.
  bool MayFlushOperands(ElementType type) const;
  bool MayFlushResults(ElementType type) const;
  Accumulation FindAccumulation(ElementType terms, bool contraction) const;
  // The number in dot_algorithms.def of what a dot of f32 does; none: f32 itself.
  std::optional<int64_t> FindDotAlgorithm(Precision precision) const;
  const LinearAlgebra& linear_algebra() const;
  ModuleChecks module_checks() const;
  // Why a target of this profile does not run the module; none: it does.
  std::optional<std::string> Unsupported(const Module& module) const;
  // What this profile says otherwise than those that it extends, a line for each entry:
  // "budget exponential f32: 2 instead of 7".
  std::vector<std::string> Differences() const;
  // The whole of it, with all that it extends, as the text of a profile that extends none.
  std::string Text() const;

  struct Content;

 private:
  explicit TargetProfile(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  friend class ProfileReader;
  std::shared_ptr<const Content> content_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_PROFILES_PROFILE_H_
