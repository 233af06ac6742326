#include "tools/cli/case_selection.h"

#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/corpus/case_reader.h"
#include "conformance/corpus/case_template.h"
#include "conformance/corpus/corpus.h"
#include "conformance/report/describe.h"
#include "spec/files/file_io.h"

namespace assay::cli {
namespace {

absl::StatusOr<std::vector<conformance::CorpusCase>> ReadCaseFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  return absl::EndsWith(path, ".templates") ? conformance::ExpandTemplates(*text, path)
                                            : conformance::ReadCases(*text, path);
}

}  // namespace

void CaseSelection::AddTo(CLI::App* app, bool filtered) {
  app->add_option("--cases", files,
                  "Case files, or *.templates, instead of the corpus that is built in")
      ->type_name("FILE");
  if (!filtered) return;
  AddFiltersTo(app);
  app->add_option(
         "--sweep", sweeps,
         "Instead of the corpus all 2^32 f32 arguments of a unary operation, in 4096 cases")
      ->type_name("OP");
}

void CaseSelection::AddFiltersTo(CLI::App* app) {
  app->add_option("--filter", filter.globs,
                  "Cases whose id matches: * is any text, ? one character")
      ->type_name("GLOB");
  app->add_option("--op", filter.ops, "Cases of this operation")->type_name("NAME");
  std::map<std::string, conformance::Tier> tiers;
  for (int i = 0; i < conformance::kTiers; ++i) {
    const auto tier = static_cast<conformance::Tier>(i);
    tiers.emplace(std::string(conformance::TierName(tier)), tier);
  }
  app->add_option("--tier", filter.tier,
                  "quick covers everything once, standard leaves out large cases, full is all")
      ->type_name("TIER")
      ->transform(CLI::Transformer(tiers).description(""))
      ->transform(CLI::IsMember(tiers).description(""));  // which comes first
  app->add_option("--max-multiply-adds", filter.max_multiply_adds,
                  "Cases of at most so many operations on elements, for slow simulators")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  app->add_option("--max-bytes", filter.max_bytes, "Cases of at most so many bytes of arguments")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
}

absl::StatusOr<std::vector<conformance::CorpusCase>> CaseSelection::LoadAll() const {
  std::vector<conformance::CorpusCase> all;
  const auto take = [&all](absl::StatusOr<std::vector<conformance::CorpusCase>> cases) {
    if (cases.ok()) std::move(cases->begin(), cases->end(), std::back_inserter(all));
    return cases.status();
  };
  absl::Status status;
  if (files.empty() && sweeps.empty()) status = take(conformance::CorpusCases());
  for (const std::string& path : files) {
    if (status.ok()) status = take(ReadCaseFile(path));
  }
  for (const std::string& op : sweeps) {
    if (status.ok()) status = take(conformance::SweepCases(op));
  }
  if (status.ok()) status = conformance::SortById(&all);
  if (!status.ok()) return status;
  return all;
}

std::string CaseSelection::Words() const {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      words.push_back(absl::StrCat(option, " ", conformance::ShellQuoted(value)));
    }
  };
  add("--cases", files);
  add("--sweep", sweeps);
  add("--filter", filter.globs);
  add("--op", filter.ops);
  if (const auto most = filter.max_multiply_adds) {
    words.push_back(absl::StrCat("--max-multiply-adds ", *most));
  }
  if (const auto most = filter.max_bytes) words.push_back(absl::StrCat("--max-bytes ", *most));
  return absl::StrJoin(words, " ");
}

absl::StatusOr<std::vector<conformance::CorpusCase>> CaseSelection::Load() const {
  if (files.empty() && sweeps.empty()) return conformance::SelectCorpusCases(filter);
  absl::StatusOr<std::vector<conformance::CorpusCase>> all = LoadAll();
  if (!all.ok()) return all;
  return conformance::SelectCases(*std::move(all), filter);
}

}  // namespace assay::cli
