// The pairs of spec/verify/testdata: for each clause a module that is accepted, and one as near to
// it as can be that the clause refuses. testdata/README.md has the format. Used by the tests of the
// verifier and by the conformance corpus. Tests: verify_cases_test.cc.
#ifndef ASSAY_SPEC_VERIFY_NEAR_MISSES_H_
#define ASSAY_SPEC_VERIFY_NEAR_MISSES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace assay {

struct NearMiss {
  std::string entry;  // as it is written, for messages
  std::string clause;
  bool strict = false;  // strict rules alone refuse the second module
  bool reader = false;  // the reader of text refuses it
  std::string accepted;
  std::string refused;
};

// "f32[3]; s32[] | pad(p0, p1), padding=0_1": the module whose entry has parameters p0, p1, ... of
// these shapes and that instruction as its root, with `computations` in front.
std::string ModuleOfRow(absl::string_view row, absl::string_view computations);

// The pairs of a file's text in order. The text is ours: what is no pair is not found out.
std::vector<NearMiss> ReadNearMisses(absl::string_view text);

}  // namespace assay

#endif  // ASSAY_SPEC_VERIFY_NEAR_MISSES_H_
