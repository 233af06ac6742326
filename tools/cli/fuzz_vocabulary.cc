#include "tools/cli/fuzz_vocabulary.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "backends/process/process_backend.h"
#include "conformance/judge/verdict_text.h"
#include "fuzz/programs/grammar.h"
#include "spec/element/element_type.h"
#include "spec/op_info.h"

namespace assay::cli {
namespace {

bool HasRow(const std::string& name) {
  const std::optional<Opcode> opcode = OpcodeFromName(name);
  const absl::Span<const fuzz::Row> rows = fuzz::Rows();
  return opcode && std::any_of(rows.begin(), rows.end(),
                               [&](const fuzz::Row& row) { return row.opcode == *opcode; });
}

int64_t CountOf(const fuzz::CampaignResult& result, fuzz::Outcome outcome) {
  return result.counts[static_cast<size_t>(outcome)];
}

}  // namespace

absl::StatusOr<FuzzVocabulary> VocabularyOf(Backend& target) {
  FuzzVocabulary vocabulary;
  auto* const process = dynamic_cast<process::ProcessBackend*>(&target);
  if (process == nullptr) return vocabulary;
  const absl::StatusOr<process::ProcessCapabilities> has = process->Capabilities();
  if (!has.ok()) return has.status();
  vocabulary.one_device = has->devices == 1;
  if (has->operations && 2 * has->operations->size() < Catalogue().size()) {
    std::copy_if(has->operations->begin(), has->operations->end(),
                 std::back_inserter(vocabulary.operations), HasRow);
  }
  if (has->types) {
    for (const std::string& name : *has->types) {
      const std::optional<ElementType> type = ElementTypeFromName(name);
      if (type && IsArray(*type)) vocabulary.types.push_back(name);
    }
  }
  return vocabulary;
}

bool HasJudged(const fuzz::CampaignResult& result) {
  return CountOf(result, fuzz::Outcome::kAgrees) + CountOf(result, fuzz::Outcome::kFinding) > 0;
}

std::string ClosingSentence(const fuzz::CampaignResult& result) {
  const int64_t agree = CountOf(result, fuzz::Outcome::kAgrees);
  const int64_t unsupported = CountOf(result, fuzz::Outcome::kUnsupported);
  std::string why;
  const auto most =
      std::max_element(result.not_supported.begin(), result.not_supported.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != result.not_supported.end()) {
    why = absl::StrCat(", most often because of this: ", most->first);
  }
  if (result.programs == 0) {
    return "Nothing was judged: no program ran. --seconds and --programs say how long to run.";
  }
  if (!HasJudged(result)) {
    return absl::StrCat("Nothing was judged: of ", conformance::Counted(result.programs, "program"),
                        " ", conformance::WithCommas(unsupported), " are not supported", why,
                        ". --ops and --types say what programs consist of.");
  }
  if (!result.groups.empty()) {
    return absl::StrCat(
        conformance::Counted(static_cast<int64_t>(result.groups.size()), "signature"),
        result.groups.size() == 1 ? " was found: " : " were found, the first is ",
        result.groups.front().signature.Text(), ".");
  }
  const int64_t inconclusive = CountOf(result, fuzz::Outcome::kInconclusive);
  return absl::StrCat(
      "No bug found in ", conformance::Counted(agree, "program"),
      inconclusive > 0 ? absl::StrCat("; ", conformance::WithCommas(inconclusive), " inconclusive")
                       : "",
      unsupported > 0
          ? absl::StrCat("; ", conformance::Counted(unsupported, "other"), " did not run", why)
          : "",
      ".");
}

}  // namespace assay::cli
