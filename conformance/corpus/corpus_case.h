// A case of the conformance corpus: a module, its arguments, what is expected, as a small text.
// docs/corpus_format.md is the contract of the text. Tests: case_reader_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_CORPUS_CASE_H_
#define ASSAY_CONFORMANCE_CORPUS_CORPUS_CASE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/corpus/value_profiles.h"
#include "spec/ir/literal.h"

namespace assay::conformance {

struct CaseTag {
  std::string key, value;
};

// INVALID_ARGUMENT for "KEY=VALUE" that is no tag: op, type, profile and freedom have known names,
// clause, decision, example, form and shape free ones.
absl::StatusOr<CaseTag> ReadTag(absl::string_view word);
// INVALID_ARGUMENT for what is no id: op/type/... of lower-case letters, digits and _ - .
absl::Status CheckId(absl::string_view id);
// INVALID_ARGUMENT for what `confirmed:` may not say.
absl::Status CheckReference(absl::string_view word);

// One array that goes in or comes out. Arrays are numbered over the leaves of all parameters (of
// the result) in order, as in the .npz files of the samples; those of a queue in its order.
struct CaseArray {
  int64_t number = 0;
  int64_t device = -1;  // -1: each device
  Shape shape;
  std::optional<Literal> literal;  // none: `use` makes it
  ProfileUse use;
};

// Replicas, and partitions, of a case.
inline constexpr int64_t kMostProcessesOfCase = 1024;

struct CorpusCase {
  enum class Expect : uint8_t { kGolden, kValues, kRefused };

  std::string id;  // "add/f32/odd/special"
  std::vector<CaseTag> tags;
  std::string module;  // HLO text without the indentation
  std::vector<CaseArray> inputs;
  std::vector<CaseArray> infeed;  // the queues of the processes
  int64_t replicas = 1, partitions = 1;
  Expect expect = Expect::kGolden;
  std::vector<CaseArray> expected, outfeed;  // kValues: of the result, and what is fed out
  std::string clause;                        // kRefused
  // By which independent reference the golden result is confirmed; empty: by none.
  std::string confirmed;
  std::string where;  // "file:line", or who generates it

  // The first value of a tag; empty where there is none.
  absl::string_view Tag(absl::string_view key) const;
};

// The text of a case in its canonical form: what the reader makes of it is the same case.
std::string FormatCase(const CorpusCase& corpus_case);
// FNV-1a (64 bits) as 16 hexadecimal digits.
std::string HashOf(absl::string_view text);
// That of the text of a case: what the manifest holds.
std::string CaseHash(const CorpusCase& corpus_case);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_CORPUS_CASE_H_
