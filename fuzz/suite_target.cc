// Fuzz target of what the conformance suite reads: the first line of an input says what the rest
// is. Cases and reports that are read are the same when they are written and read again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/corpus/case_reader.h"
#include "conformance/corpus/case_template.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/profiles/profile.h"
#include "conformance/runner/case_result.h"
#include "conformance/runner/waivers.h"
#include "fuzz/properties.h"

namespace assay::fuzz {
namespace {

void RequireSameCase(const conformance::CorpusCase& before) {
  const std::string text = conformance::FormatCase(before);
  absl::StatusOr<std::vector<conformance::CorpusCase>> again =
      conformance::ReadCases(text, "again", kFuzzLiteralBytes);
  RequireOk(again.status(), "a case that is written can be read: " + text);
  Require(again->size() == 1, "one case is written as one", text);
  Require(conformance::FormatCase((*again)[0]) == text, "the second print of a case is the first",
          text);
}

void RunCases(absl::string_view text) {
  absl::StatusOr<std::vector<conformance::CorpusCase>> cases =
      conformance::ReadCases(text, "fuzz", kFuzzLiteralBytes);
  if (!cases.ok()) return RequireRefusal(cases.status());
  for (const conformance::CorpusCase& each : *cases) {
    RequireSameCase(each);
    absl::StatusOr<conformance::ReadyCase> ready = conformance::MakeReady(each, kFuzzLiteralBytes);
    if (!ready.ok()) RequireRefusal(ready.status());
  }
}

void RunTemplates(absl::string_view text) {
  absl::StatusOr<std::vector<conformance::CorpusCase>> cases =
      conformance::ExpandTemplates(text, "fuzz");
  if (!cases.ok()) return RequireRefusal(cases.status());
  for (size_t i = 0; i < std::min<size_t>(cases->size(), 4); ++i) RequireSameCase((*cases)[i]);
}

void RunProfile(absl::string_view text) {
  absl::StatusOr<conformance::TargetProfile> profile =
      conformance::TargetProfile::FromText(text, "fuzz");
  if (!profile.ok()) return RequireRefusal(profile.status());
  for (const std::string& line : profile->Differences()) {
    Require(!line.empty(), "every entry has a line");
  }
}

void RunWaivers(absl::string_view text) {
  absl::StatusOr<std::vector<conformance::Waiver>> waivers = conformance::ReadWaivers(text, "fuzz");
  if (!waivers.ok()) RequireRefusal(waivers.status());
}

void RunReport(absl::string_view text) {
  absl::StatusOr<conformance::RunResult> report = conformance::ParseReport(text, "fuzz");
  if (!report.ok()) return RequireRefusal(report.status());
  const std::string written = conformance::FormatReport(*report);
  absl::StatusOr<conformance::RunResult> again = conformance::ParseReport(written, "again");
  RequireOk(again.status(), "a report that is written can be read: " + written);
  Require(conformance::FormatReport(*again) == written, "the second print of a report is the first",
          written);
}

void RunOneInput(absl::string_view content) {
  const size_t end = content.find('\n');
  if (end == absl::string_view::npos) return;
  const absl::string_view kind = content.substr(0, end), text = content.substr(end + 1);
  if (kind == "@cases") RunCases(text);
  if (kind == "@templates") RunTemplates(text);
  if (kind == "@profile") RunProfile(text);
  if (kind == "@waivers") RunWaivers(text);
  if (kind == "@report") RunReport(text);
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  assay::fuzz::RunOneInput(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
