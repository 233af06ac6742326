// The corpus itself: the case files and the templates that are built into the library, expanded.
// Tests: corpus_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_CORPUS_H_
#define ASSAY_CONFORMANCE_CORPUS_CORPUS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/corpus/corpus_case.h"

namespace assay::conformance {

// A file of conformance/corpus as it was when the library was built.
struct CorpusFile {
  absl::string_view name;  // "cases/elementwise/add.cases"
  absl::string_view text;
};
absl::Span<const CorpusFile> CorpusFiles();

// Every case, sorted by id. An error is a mistake in our files: INVALID_ARGUMENT with the place.
absl::StatusOr<std::vector<CorpusCase>> CorpusCases();

// Sorted by id; INVALID_ARGUMENT, naming both places, for two cases with one id.
absl::Status SortById(std::vector<CorpusCase>* cases);

// Whether an id matches a glob: * is any text, ? one character, everything else itself. Linear in
// both lengths but for their product at worst.
bool GlobMatches(absl::string_view glob, absl::string_view text);

// The lines of conformance/corpus/manifest.tsv for these cases: id, hash, smallest tier.
std::string Manifest(const std::vector<CorpusCase>& cases);
// FNV-1a (64 bits) of those, as 16 hexadecimal digits.
std::string ManifestHash(const std::vector<CorpusCase>& cases);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_CORPUS_H_
