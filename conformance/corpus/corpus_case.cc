#include "conformance/corpus/corpus_case.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conformance/judge/verdict.h"
#include "spec/op_info.h"
#include "spec/stable_hash.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

constexpr absl::string_view kReferences[] = {"hand", "index_model", "mpfr", "peer", "rational"};
constexpr absl::string_view kFreeTags[] = {"clause", "decision", "example", "form", "shape"};

template <size_t kCount>
bool OneOf(const absl::string_view (&list)[kCount], absl::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

void AppendArrays(absl::string_view prefix, const std::vector<CaseArray>& arrays,
                  std::string* text) {
  for (const CaseArray& array : arrays) {
    absl::StrAppend(text, "  ", prefix, array.number);
    if (array.device >= 0) absl::StrAppend(text, ".dev", array.device);
    const std::string shape = array.shape.ToString();
    if (array.literal) {
      absl::StrAppend(text, " = literal ", shape, " ", PrintLiteral(*array.literal), "\n");
    } else {
      absl::StrAppend(text, " = ", Info(array.use.profile).name, " ", shape,
                      ParametersText(array.use), "\n");
    }
  }
}

}  // namespace

absl::StatusOr<CaseTag> ReadTag(absl::string_view word) {
  const std::pair<absl::string_view, absl::string_view> tag =
      absl::StrSplit(word, absl::MaxSplits('=', 1));
  const auto& [key, value] = tag;
  const bool known =
      !value.empty() &&
      ((key == "op" && OpcodeFromName(value)) || (key == "type" && ElementTypeFromName(value)) ||
       (key == "profile" && ValueProfileFromName(value)) ||
       (key == "freedom" && FreedomFromName(value)) || OneOf(kFreeTags, key));
  if (!known) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown tag '", word,
                     "'; tags are op=, type=, profile=, freedom=, with known names, and clause=, "
                     "decision=, example=, form=, shape="));
  }
  return CaseTag{std::string(key), std::string(value)};
}

absl::Status CheckId(absl::string_view id) {
  const auto legal = [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) ||
           absl::StrContains("/_.-", absl::string_view(&c, 1));
  };
  if (id.empty() || id.size() > 200 || !absl::StrContains(id, '/') || id.front() == '/' ||
      id.back() == '/' || absl::StrContains(id, "//") || absl::StrContains(id, "..") ||
      !std::all_of(id.begin(), id.end(), legal)) {
    return absl::InvalidArgumentError(
        "an id is written op/type/... with lower-case letters, digits and _ - .");
  }
  return absl::OkStatus();
}

absl::Status CheckReference(absl::string_view word) {
  if (OneOf(kReferences, word)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "'", word,
      "' is not an independent reference; these are: ", absl::StrJoin(kReferences, ", ")));
}

absl::string_view CorpusCase::Tag(absl::string_view key) const {
  for (const CaseTag& tag : tags) {
    if (tag.key == key) return tag.value;
  }
  return "";
}

std::string FormatCase(const CorpusCase& corpus_case) {
  std::string text = absl::StrCat("case ", corpus_case.id, "\ntags:");
  for (const CaseTag& tag : corpus_case.tags) absl::StrAppend(&text, " ", tag.key, "=", tag.value);
  absl::StrAppend(&text, "\nmodule:\n");
  for (absl::string_view line : absl::StrSplit(corpus_case.module, '\n', absl::SkipWhitespace())) {
    absl::StrAppend(&text, "  ", absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  if (!corpus_case.inputs.empty() || !corpus_case.infeed.empty()) {
    absl::StrAppend(&text, "inputs:\n");
    AppendArrays("arg", corpus_case.inputs, &text);
    AppendArrays("infeed", corpus_case.infeed, &text);
  }
  if (corpus_case.replicas != 1 || corpus_case.partitions != 1) {
    absl::StrAppend(&text, "processes: replicas=", corpus_case.replicas,
                    " partitions=", corpus_case.partitions, "\n");
  }
  switch (corpus_case.expect) {
    case CorpusCase::Expect::kGolden:
      absl::StrAppend(&text, "expect: golden\n");
      break;
    case CorpusCase::Expect::kRefused:
      absl::StrAppend(&text, "expect: refused ", corpus_case.clause, "\n");
      break;
    case CorpusCase::Expect::kValues:
      absl::StrAppend(&text, "expect:\n");
      AppendArrays("out", corpus_case.expected, &text);
      AppendArrays("outfeed", corpus_case.outfeed, &text);
      break;
  }
  if (!corpus_case.confirmed.empty()) {
    absl::StrAppend(&text, "confirmed: ", corpus_case.confirmed, "\n");
  }
  return text;
}

std::string HashOf(absl::string_view text) {
  return absl::StrCat(absl::Hex(StableHash(text), absl::kZeroPad16));
}

std::string CaseHash(const CorpusCase& corpus_case) { return HashOf(FormatCase(corpus_case)); }

}  // namespace assay::conformance
