#include "conformance/corpus/corpus.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/corpus/case_reader.h"
#include "conformance/corpus/case_template.h"
#include "conformance/corpus/elementwise_templates.h"
#include "conformance/corpus/tiers.h"
#include "runtime/parallel.h"
#include "spec/verify/near_misses.h"

namespace assay::conformance {
namespace {

// The name of the operation whose rule a clause belongs to; none for those of modules.
std::string OperationOf(absl::string_view clause) {
  const absl::string_view rule = clause.substr(0, clause.rfind("_c"));
  const std::string name = absl::StrReplaceAll(rule, {{"_", "-"}});
  return OpcodeFromName(name) ? name : "";
}

// Each module that a clause refuses is a case, numbered where a clause has several.
std::vector<CorpusCase> RefusedCases(const CorpusFile& file) {
  std::vector<CorpusCase> cases;
  const std::string rules(
      file.name.substr(file.name.rfind('/') + 1, file.name.rfind('.') - file.name.rfind('/') - 1));
  std::map<std::string, int> count;
  for (const NearMiss& pair : ReadNearMisses(file.text)) {
    const std::string op = OperationOf(pair.clause);
    CorpusCase refused;
    const std::string base = absl::StrCat(op.empty() ? rules : op, "/refused/", pair.clause);
    refused.id = absl::StrCat(base, ".", ++count[base]);
    if (!op.empty()) refused.tags.push_back({"op", op});
    refused.tags.push_back({"clause", pair.clause});
    if (pair.strict) refused.tags.push_back({"form", "strict"});
    refused.module = pair.refused;
    refused.expect = CorpusCase::Expect::kRefused;
    refused.clause = pair.clause;
    refused.confirmed = "hand";
    refused.where = absl::StrCat("spec/verify/testdata/", rules, ".cases");
    cases.push_back(std::move(refused));
  }
  return cases;
}

// What the arguments of a sample must be for its result to say something: not `benign`, which is
// of both signs.
ValueProfile ProfileOfSample(absl::string_view name) {
  if (name == "cholesky_and_solve") return ValueProfile::kDefinite;
  if (name == "f64_ode_rk4") return ValueProfile::kUnit;
  for (absl::string_view roots : {"black_scholes", "convnet_forward", "mlp_train_step"}) {
    if (name == roots) return ValueProfile::kPositive;
  }
  return ValueProfile::kBenign;
}

// "conformance/samples/scan_rnn.hlo"
absl::StatusOr<std::vector<CorpusCase>> SampleCase(const CorpusFile& file) {
  const size_t from = file.name.rfind('/') + 1;
  const absl::string_view name = file.name.substr(from, file.name.rfind('.') - from);
  absl::StatusOr<CorpusCase> sample = ProgramCase(name, file.text, ProfileOfSample(name));
  if (!sample.ok()) return sample.status();
  sample->where = std::string(file.name);
  sample->confirmed = "mpfr";  // tools/peers/models runs them all
  return std::vector<CorpusCase>{*std::move(sample)};
}

bool Holds(const CaseGroups& groups, absl::string_view name) {
  return !groups || groups->contains(std::string(name));
}

absl::StatusOr<std::vector<CorpusCase>> Expand(absl::Span<const CaseTemplate> templates,
                                               const CaseGroups& groups) {
  std::vector<CorpusCase> cases;
  for (const CaseTemplate& each : templates) {
    if (!Holds(groups, each.op)) continue;
    if (absl::Status status = ExpandTemplate(each, &cases); !status.ok()) return status;
  }
  return cases;
}

absl::StatusOr<std::vector<CorpusCase>> WrittenCases(const CorpusFile& file,
                                                     const CaseGroups& groups) {
  // Which refused cases are quick depends on those of all operations.
  const bool has_some = !groups || absl::StrContains(file.text, "expect: refused") ||
                        absl::c_any_of(*groups, [&](const std::string& group) {
                          return absl::StrContains(file.text, absl::StrCat("case ", group, "/"));
                        });
  if (!has_some) return std::vector<CorpusCase>();
  absl::StatusOr<std::vector<CorpusCase>> cases = ReadCases(file.text, file.name);
  if (!cases.ok()) return cases;
  std::erase_if(*cases, [&](const CorpusCase& each) {
    return each.expect != CorpusCase::Expect::kRefused &&
           !Holds(groups, absl::string_view(each.id).substr(0, each.id.find('/')));
  });
  return cases;
}

absl::StatusOr<std::vector<CorpusCase>> CasesOf(const CorpusFile& file, const CaseGroups& groups) {
  if (absl::EndsWith(file.name, ".hlo")) {
    if (!Holds(groups, CaseTemplate::kProgram)) return std::vector<CorpusCase>();
    return SampleCase(file);
  }
  if (absl::EndsWith(file.name, ".templates")) {
    const absl::StatusOr<std::vector<CaseTemplate>> read = ReadTemplates(file.text, file.name);
    if (!read.ok()) return read.status();
    return Expand(*read, groups);
  }
  if (absl::StrContains(file.name, "spec/verify/")) return RefusedCases(file);
  return WrittenCases(file, groups);
}

}  // namespace

absl::StatusOr<std::vector<CorpusCase>> CorpusCases(const CaseGroups& groups) {
  const std::vector<CaseTemplate> elementwise = ElementwiseTemplates();
  const auto files = CorpusFiles();
  std::vector<absl::StatusOr<std::vector<CorpusCase>>> made(elementwise.size() + files.size());
  std::atomic<size_t> next{0};
  const auto expand = [&] {
    for (size_t i = next++; i < made.size(); i = next++) {
      made[i] = i < elementwise.size() ? Expand(absl::MakeConstSpan(&elementwise[i], 1), groups)
                                       : CasesOf(files[i - elementwise.size()], groups);
    }
  };
  runtime::WorkerPool workers(runtime::WorkerPool::DefaultThreads());
  workers.Run(workers.threads() - 1, expand);
  size_t count = 0;
  for (const absl::StatusOr<std::vector<CorpusCase>>& own : made) {
    if (!own.ok()) return own.status();
    count += own->size();
  }
  std::vector<CorpusCase> cases;
  cases.reserve(count);
  for (absl::StatusOr<std::vector<CorpusCase>>& own : made) {
    std::move(own->begin(), own->end(), std::back_inserter(cases));
  }
  if (absl::Status status = SortById(&cases); !status.ok()) return status;
  return cases;
}

absl::Status SortById(std::vector<CorpusCase>* cases) {
  // Places are sorted instead of cases, so that each case is moved once.
  std::vector<size_t> order(cases->size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [cases](size_t a, size_t b) { return (*cases)[a].id < (*cases)[b].id; });
  std::vector<CorpusCase> sorted;
  sorted.reserve(cases->size());
  for (const size_t place : order) sorted.push_back(std::move((*cases)[place]));
  *cases = std::move(sorted);
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
  const std::vector<Tier> tiers = TiersOf(cases);
  std::string text;
  for (size_t i = 0; i < cases.size(); ++i) {
    absl::StrAppend(&text, cases[i].id, "\t", CaseHash(cases[i]), "\t", TierName(tiers[i]), "\n");
  }
  return text;
}

std::string ManifestHash(const std::vector<CorpusCase>& cases) { return HashOf(Manifest(cases)); }

}  // namespace assay::conformance
