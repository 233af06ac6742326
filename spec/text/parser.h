// Reads HLO text into a module. The grammar is that of reference hlo_text_format.md, both versions
// (appendix D) and old dumps (appendix B). Errors are INVALID_ARGUMENT and say line, column, what
// was found, what was expected, with the offending line and a caret.
// Tests: parser_test.cc, parser_errors_test.cc.
#ifndef ASSAY_SPEC_TEXT_PARSER_H_
#define ASSAY_SPEC_TEXT_PARSER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/ir/module.h"

namespace assay {

struct ParseOptions {
  // Give shapes without a written layout the default one; off keeps "no layout" in
  // entry_computation_layout, which means the compiler's choice.
  bool fill_missing_layouts = true;
  // Levels of nesting (shapes, literals, operand lists, inline bodies together) before an error.
  int max_nesting = 3000;
  // Bytes that constants may take together before an error.
  int64_t max_literal_bytes = int64_t{1} << 31;
  // Shown in errors before the line ("model.hlo:3:14: ...").
  std::string file_name;
};

// One module: with header, without header, or a single instruction.
absl::StatusOr<std::unique_ptr<Module>> ParseModule(absl::string_view text,
                                                    const ParseOptions& options = {});
// Pieces, each the whole text.
absl::StatusOr<Shape> ParseShape(absl::string_view text);
absl::StatusOr<Sharding> ParseSharding(absl::string_view text);
// The elements of a literal of the given shape, as inside constant(...).
absl::StatusOr<Literal> ParseLiteral(absl::string_view text, const Shape& shape);
// A shape and the elements: "s32[2]{0} {1, 2}", "f32[] 0.5", "(s32[] 1, f32[1]{0} {2})".
// RESOURCE_EXHAUSTED when they take more than `max_bytes`, before allocating.
absl::StatusOr<Literal> ParseTypedLiteral(absl::string_view text,
                                          int64_t max_bytes = int64_t{1} << 31);

}  // namespace assay

#endif  // ASSAY_SPEC_TEXT_PARSER_H_
