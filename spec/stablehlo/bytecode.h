// StableHLO in MLIR's bytecode: portable artifacts (VHLO of any version since 0.9.0) and plain
// bytecode of the dialects themselves. VHLO becomes StableHLO while it is read; defaults that VHLO
// spells out are left away again. Source: MLIR's bytecode format, StableHLO's compatibility rules.
// Tests: bytecode_test.cc, bytecode_errors_test.cc, artifact_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_BYTECODE_H_
#define ASSAY_SPEC_STABLEHLO_BYTECODE_H_

#include <compare>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// A version of StableHLO.
struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;

  friend auto operator<=>(const Version&, const Version&) = default;
  std::string ToString() const;  // "1.17.0"
  static std::optional<Version> Parse(absl::string_view text);
};

// The first version of VHLO, and the newest that is known here.
inline constexpr Version kOldestVersion = {0, 9, 0};
inline constexpr Version kNewestVersion = {1, 20, 0};
// The first version in which artifacts may hold operations of other dialects, as Shardy's.
inline constexpr Version kFirstWithOtherDialects = {1, 11, 0};
// The first version with pairs of async_start and async_done.
inline constexpr Version kFirstWithPairs = {1, 15, 0};
// The newest version of MLIR's bytecode that is known here.
inline constexpr int kNewestBytecodeVersion = 6;

// Returns true if the bytes begin as bytecode does.
bool LooksLikeBytecode(absl::string_view bytes);
// The version of a portable artifact, from its header; nullopt for plain bytecode and other files.
std::optional<Version> ArtifactVersion(absl::string_view bytes);

// Reads a program. The bytes are needed during the call only: texts and constants are copied.
// Errors are INVALID_ARGUMENT "file: what, at byte N"; UNIMPLEMENTED, by name, for versions that
// are newer than those above.
absl::StatusOr<std::unique_ptr<Program>> ParseBytecode(absl::string_view bytes,
                                                       const std::string& file_name);
// What a reader may do to the bytes that a program shares.
enum class SharedBytes {
  kRead,
  // Move constants over what stands in front of them and has been read, to where they are aligned.
  kMove,
};
// As above, for bytes that live as long as `owner`, which the program then shares: texts and large
// constants stay in place where their form and alignment permit it. Nobody else may write to the
// bytes; with kMove they must be writable.
absl::StatusOr<std::unique_ptr<Program>> ParseBytecode(absl::string_view bytes,
                                                       const std::string& file_name,
                                                       std::shared_ptr<const void> owner,
                                                       SharedBytes shared = SharedBytes::kRead);

// The portable artifact that readers of `version` and newer ones understand. UNIMPLEMENTED, by
// name, for operations, attributes and types that this version does not have.
absl::StatusOr<std::string> WriteArtifact(const Program& program, Version version);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_BYTECODE_H_
