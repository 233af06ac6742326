// The text of StableHLO programs: MLIR's syntax, pretty and generic, of the operations in
// dialect_ops.def. Sources of the rules: MLIR's language reference and the StableHLO specification.
// Tests: text_parser_test.cc, text_errors_test.cc, text_printer_test.cc; every program of
// StableHLO's own tests against another parser: tools/peers/stablehlo_text.py.
#ifndef ASSAY_SPEC_STABLEHLO_TEXT_H_
#define ASSAY_SPEC_STABLEHLO_TEXT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// Reads a program. Errors are InvalidArgument and read "file:line:column: message", followed by
// the line and a caret below the place. A text without `module` is the body of one; an empty text
// is an empty module. The program keeps a copy of the text.
absl::StatusOr<std::unique_ptr<Program>> ParseText(absl::string_view text,
                                                   const std::string& file_name);
// The same without the copy: `owner` keeps the text alive.
absl::StatusOr<std::unique_ptr<Program>> ParseText(absl::string_view text,
                                                   const std::string& file_name,
                                                   std::shared_ptr<const void> owner);

// Read one type or attribute, which bytecode may hold as text. Aliases and resources are unknown.
absl::StatusOr<const Type*> ParseType(Program& program, absl::string_view text);
absl::StatusOr<const Attribute*> ParseAttribute(Program& program, absl::string_view text);

enum class PrintForm {
  kPretty,   // as JAX and StableHLO's tools print programs
  kGeneric,  // every operation as "dialect.name"(operands) <{attributes}> : types
};

// Whether the locations of operations and arguments are written behind them, as
// `as_text(debug_info=True)` of JAX does.
enum class PrintLocations { kNo, kYes };

// The text of a program; ParseText reads it back as an equal program, without its locations if they
// are not written. Constants of more than 100 elements are written in hexadecimal.
std::string PrintText(const Program& program, PrintForm form,
                      PrintLocations locations = PrintLocations::kNo);
std::string PrintAttribute(const Attribute& attribute);
std::string PrintType(const Type& type);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_TEXT_H_
