// The corpus itself: the case files and the templates that are built into the library, expanded.
// Tests: corpus_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_CORPUS_H_
#define ASSAY_CONFORMANCE_CORPUS_CORPUS_H_

#include <optional>
#include <set>
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

// The group of a case is the first part of its id, an operation or "program". None: every group.
using CaseGroups = std::optional<std::set<std::string>>;

// Every case of the groups, and every refused case, sorted by id: TiersOf gives them the tiers that
// they have in the whole corpus. An error is a mistake in our files: INVALID_ARGUMENT with the
// place. Making a case takes parsing and verifying its module, which cases of other groups are
// spared.
absl::StatusOr<std::vector<CorpusCase>> CorpusCases(const CaseGroups& groups = std::nullopt);

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
