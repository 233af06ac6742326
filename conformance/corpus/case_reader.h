// Reads case files (docs/corpus_format.md). Every mistake is found with its file, line and column.
// Tests: case_reader_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_CASE_READER_H_
#define ASSAY_CONFORMANCE_CORPUS_CASE_READER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/corpus/corpus_case.h"

namespace assay::conformance {

// The cases of a file in order. INVALID_ARGUMENT, as "name:line:column: ...", for text that is no
// case, two cases with one id, unknown tags, profiles and parameters, arrays that a profile cannot
// make, literals that do not fit their shape; RESOURCE_EXHAUSTED for literals of over `max_bytes`
// together. Modules are not read here: ReadyCase does it.
absl::StatusOr<std::vector<CorpusCase>> ReadCases(absl::string_view text, absl::string_view name,
                                                  int64_t max_bytes = int64_t{1} << 30);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_CASE_READER_H_
