// Reads the elements of constants: arrays go straight into typed storage, one pass, no tree in
// between. All of hlo_text_format.md section 5 with its leniencies: a bare scalar for an array,
// missing or extra commas, `{...}` for elided elements.
// Tests: literal_text_test.cc.
#ifndef ASSAY_SPEC_TEXT_LITERAL_TEXT_H_
#define ASSAY_SPEC_TEXT_LITERAL_TEXT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "spec/ir/literal.h"
#include "spec/ir/shape.h"
#include "spec/text/lexer.h"

namespace assay {

// What reading literals shares over a module.
struct LiteralReadState {
  int64_t bytes_left = INT64_MAX;  // budget; reading takes from it, RESOURCE_EXHAUSTED when it ends
  bool elided = false;             // dots stand for elements; whoever reads the next literal resets
};

// The literal of the shape, from the lexer's current token on: `{1, 2}`, `(1, {2})`, `3`; leaves
// the lexer after it. Bounded dynamic dimensions take their bound and become static; layouts are
// kept. Where dots stand for elements state->elided is set and the value returned means nothing
// (an array without elements loses nothing by dots). INVALID_ARGUMENT with the place for text that
// does not fit the shape, shapes without literals (token, opaque, buffer) and unbounded dimensions.
//
// As in XLA, a decimal is first a double and an integer in a float type first a 64-bit integer and
// a double; infinities and NaNs of types that lack them become what conversion makes of them; -0 is
// read with its sign by float types (XLA drops the sign unless there is a point: -0.0).
absl::StatusOr<Literal> ReadLiteral(Lexer& lexer, const Shape& shape, LiteralReadState* state);

}  // namespace assay

#endif  // ASSAY_SPEC_TEXT_LITERAL_TEXT_H_
