#include "tools/cli/stablehlo_format.h"

#include <memory>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/from_module.h"
#include "spec/stablehlo/text.h"

namespace assay::cli {
namespace {

// What jaxlib of 2026 reads; newer readers read it, too.
constexpr stablehlo::Version kUsualVersion = {1, 15, 0};

absl::StatusOr<stablehlo::Version> VersionOf(const std::string& format) {
  absl::string_view text = format;
  if (!absl::ConsumePrefix(&text, "stablehlo-artifact=")) return kUsualVersion;
  const std::optional<stablehlo::Version> version = stablehlo::Version::Parse(text);
  if (!version.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not a version of StableHLO, as 1.15.0"));
  }
  return *version;
}

}  // namespace

bool IsStablehloArtifact(const std::string& format) {
  return format == "stablehlo-artifact" || absl::StartsWith(format, "stablehlo-artifact=");
}

bool IsStablehloFormat(const std::string& format) {
  return format == "stablehlo" || format == "stablehlo-generic" || IsStablehloArtifact(format);
}

absl::StatusOr<std::string> StablehloOf(const Module& module, const std::string& format,
                                        absl::Span<const std::string> result_names,
                                        bool locations) {
  const absl::StatusOr<stablehlo::Version> version = VersionOf(format);
  if (!version.ok()) return version.status();
  const stablehlo::Forms forms = {.pairs = *version >= stablehlo::kFirstWithPairs,
                                  .shardy = *version >= stablehlo::kFirstWithOtherDialects};
  const absl::StatusOr<std::unique_ptr<stablehlo::Program>> program =
      IsStablehloArtifact(format)
          ? stablehlo::FromModule(module, result_names, stablehlo::ChloForm::kComposites, forms)
          : stablehlo::FromModule(module, result_names, stablehlo::ChloForm::kOperations,
                                  stablehlo::kAllForms);
  if (!program.ok()) return program.status();
  if (IsStablehloArtifact(format)) return stablehlo::WriteArtifact(**program, *version);
  return PrintText(
      **program,
      format == "stablehlo" ? stablehlo::PrintForm::kPretty : stablehlo::PrintForm::kGeneric,
      locations ? stablehlo::PrintLocations::kYes : stablehlo::PrintLocations::kNo);
}

}  // namespace assay::cli
