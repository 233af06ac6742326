// Fuzz target of literals as text (`f32[2]{0} {1, 2}`): a value that is read prints as a text with
// the same bits, that text is stable, and the protobuf holds the same bits.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/properties.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::fuzz {
namespace {

void RunOneInput(absl::string_view text) {
  absl::StatusOr<Literal> literal = ParseTypedLiteral(text, kFuzzLiteralBytes);
  if (!literal.ok()) return RequireRefusal(literal.status());
  const std::string printed = PrintTypedLiteral(*literal);
  absl::StatusOr<Literal> again = ParseTypedLiteral(printed, kFuzzLiteralBytes);
  RequireOk(again.status(), "what is printed can be read: " + printed);
  Require(Literal::BitEqual(*literal, *again), "the bits are the same after print and parse",
          printed);
  Require(PrintTypedLiteral(*again) == printed, "the second print is the first", printed);
  RequireLosslessProto(*literal);
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  assay::fuzz::RunOneInput(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
