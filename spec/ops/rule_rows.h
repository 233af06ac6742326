// How the tests of shape rules are written: a row per clause, an instruction that is refused with
// it and one that differs as little as possible and is accepted.
#ifndef ASSAY_SPEC_OPS_RULE_ROWS_H_
#define ASSAY_SPEC_OPS_RULE_ROWS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace assay {

// "f32[3]; s32[] | f32[4] pad(p0, p1), padding=0_1": the shapes of the parameters p0, p1, ... and
// the instruction, with the result shape where it is to be checked.
struct RuleRow {
  const char* clause;
  const char* accepted;
  const char* rejected;
};
// `prelude` are computations that the instructions call.
void ExpectRows(absl::string_view prelude, absl::Span<const RuleRow> rows);

// The same for instructions without a written shape, which are left to the reader: some of those
// that it accepts are refused once their shape stands there.
void ExpectReaderRows(absl::string_view prelude, absl::Span<const RuleRow> rows);

// The shape that is inferred where none is written, with layouts.
struct InferenceRow {
  const char* instruction;
  const char* shape;
};
void ExpectInference(absl::string_view prelude, absl::Span<const InferenceRow> rows);

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_RULE_ROWS_H_
