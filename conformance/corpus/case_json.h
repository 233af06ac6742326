// What a case says of itself, for machines: `assay corpus list --json` and the case.json of
// exported cases. Test: corpus_cli_test.py.
#ifndef ASSAY_CONFORMANCE_CORPUS_CASE_JSON_H_
#define ASSAY_CONFORMANCE_CORPUS_CASE_JSON_H_

#include "conformance/corpus/corpus_case.h"
#include "nlohmann/json.hpp"

namespace assay::conformance {

nlohmann::json CaseJson(const CorpusCase& corpus_case);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_CASE_JSON_H_
