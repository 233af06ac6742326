#include "conformance/corpus/corpus.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/corpus/case_reader.h"
#include "conformance/corpus/case_template.h"
#include "conformance/corpus/elementwise_templates.h"

namespace assay {

absl::StatusOr<std::vector<CorpusCase>> CorpusCases() {
  std::vector<CorpusCase> cases;
  for (const CaseTemplate& source : ElementwiseTemplates()) {
    if (absl::Status status = ExpandTemplate(source, &cases); !status.ok()) return status;
  }
  for (const CorpusFile& file : CorpusFiles()) {
    absl::StatusOr<std::vector<CorpusCase>> read = absl::EndsWith(file.name, ".cases")
                                                       ? ReadCases(file.text, file.name)
                                                       : ExpandTemplates(file.text, file.name);
    if (!read.ok()) return read.status();
    std::move(read->begin(), read->end(), std::back_inserter(cases));
  }
  if (absl::Status status = SortById(&cases); !status.ok()) return status;
  return cases;
}

absl::Status SortById(std::vector<CorpusCase>* cases) {
  std::stable_sort(cases->begin(), cases->end(),
                   [](const CorpusCase& a, const CorpusCase& b) { return a.id < b.id; });
  const auto twice =
      std::adjacent_find(cases->begin(), cases->end(),
                         [](const CorpusCase& a, const CorpusCase& b) { return a.id == b.id; });
  if (twice == cases->end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(twice[1].where, ": there is a case ", twice->id, " already, at ", twice->where));
}

bool GlobMatches(absl::string_view glob, absl::string_view text) {
  size_t g = 0, t = 0;
  size_t star = absl::string_view::npos, resume = 0;  // the last *, and where its text ended
  while (t < text.size()) {
    if (g < glob.size() && (glob[g] == text[t] || glob[g] == '?') && glob[g] != '*') {
      ++g, ++t;
    } else if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = t;
    } else if (star != absl::string_view::npos) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == absl::string_view::npos;
}

std::string Manifest(const std::vector<CorpusCase>& cases) {
  std::string text;
  for (const CorpusCase& each : cases) absl::StrAppend(&text, each.id, "\t", CaseHash(each), "\n");
  return text;
}

}  // namespace assay
