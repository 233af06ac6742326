#include "conformance/corpus/case_json.h"

#include <utility>

namespace assay::conformance {

nlohmann::json CaseJson(const CorpusCase& corpus_case) {
  nlohmann::json tags = nlohmann::json::object();
  for (const CaseTag& tag : corpus_case.tags) tags[tag.key].push_back(tag.value);
  constexpr const char* kExpect[] = {"golden", "values", "refused"};
  nlohmann::json json = {{"id", corpus_case.id},
                         {"hash", CaseHash(corpus_case)},
                         {"tags", std::move(tags)},
                         {"replicas", corpus_case.replicas},
                         {"partitions", corpus_case.partitions},
                         {"expect", kExpect[static_cast<int>(corpus_case.expect)]},
                         {"confirmed", corpus_case.confirmed},
                         {"where", corpus_case.where}};
  if (corpus_case.expect == CorpusCase::Expect::kRefused) json["clause"] = corpus_case.clause;
  return json;
}

}  // namespace assay::conformance
