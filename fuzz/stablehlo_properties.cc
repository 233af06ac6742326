#include "fuzz/stablehlo_properties.h"

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "fuzz/properties.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/to_module.h"

namespace assay::fuzz {
namespace {

using stablehlo::PrintForm;
using stablehlo::Program;

// Longer prints say nothing that shorter ones do not.
constexpr size_t kLongestPrint = size_t{1} << 18;

// Generic text without the attributes of a function's arguments or results where none has any: the
// pretty form cannot tell a list of empty dictionaries from no list, nor can that of MLIR.
std::string WithoutEmptyLists(std::string text) {
  for (const std::string list : {"arg_attrs = [", "res_attrs = ["}) {
    for (size_t at = text.find(list); at != std::string::npos; at = text.find(list, at)) {
      size_t end = at + list.size();
      if (text.compare(end, 2, "{}") == 0) end += 2;
      while (text.compare(end, 4, ", {}") == 0) end += 4;
      if (text.compare(end, 3, "], ") == 0) {
        text.erase(at, end + 3 - at);
      } else {
        at = end;
      }
    }
  }
  return text;
}

// What is not legal may have a print that says something else or cannot be read: pretty forms leave
// away types that follow from others.
void RequireReadBack(const Program& program, const std::string& generic, bool legal,
                     PrintForm form) {
  const bool pretty = form == PrintForm::kPretty;
  const absl::string_view name = pretty ? "pretty" : "generic";
  const std::string text = pretty ? PrintText(program, form) : generic;
  absl::StatusOr<std::unique_ptr<Program>> again = stablehlo::ParseText(text, "printed");
  if (!legal) return again.ok() ? void() : RequireRefusal(again.status());
  Require(again.ok(), absl::StrCat("the ", name, " form can be read back:\n", text),
          again.status().message());
  const std::string printed = PrintText(**again, PrintForm::kGeneric);
  const bool same =
      pretty ? WithoutEmptyLists(printed) == WithoutEmptyLists(generic) : printed == generic;
  Require(same, absl::StrCat("the ", name, " form reads as the same program:\n", text),
          absl::StrCat("once:\n", generic, "again:\n", printed));
}

// Channels of collectives lose their type, and defaults are left away: what comes back is the same
// from then on. Of programs that are not legal a default may have the wrong number of elements,
// which does not come back.
void RequireStableArtifact(const Program& program) {
  absl::StatusOr<std::string> bytes = WriteArtifact(program, stablehlo::kNewestVersion);
  if (!bytes.ok()) return RequireRefusal(bytes.status());
  absl::StatusOr<std::unique_ptr<Program>> again = stablehlo::ParseBytecode(*bytes, "written");
  RequireOk(again.status(), "an artifact can be read back");
  absl::StatusOr<std::string> twice = WriteArtifact(**again, stablehlo::kNewestVersion);
  RequireOk(twice.status(), "an artifact's program can be written again");
  Require(*twice == *bytes, "an artifact's program is written as the same bytes");
}

}  // namespace

void RequireStablehloProperties(const Program& program) {
  const std::string generic = PrintText(program, PrintForm::kGeneric);
  if (generic.size() > kLongestPrint) return;
  absl::StatusOr<stablehlo::ConvertedProgram> converted = stablehlo::ToModule(program);
  if (!converted.ok()) RequireRefusal(converted.status());
  RequireReadBack(program, generic, converted.ok(), PrintForm::kGeneric);
  RequireReadBack(program, generic, converted.ok(), PrintForm::kPretty);
  if (converted.ok()) RequireStableArtifact(program);
}

}  // namespace assay::fuzz
