// Fuzz target of the HLO text reader: what it accepts survives every round trip.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/properties.h"
#include "spec/text/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  assay::ParseOptions options;
  options.max_literal_bytes = assay::fuzz::kFuzzLiteralBytes;
  options.file_name = "fuzz.hlo";
  absl::StatusOr<std::unique_ptr<assay::Module>> module =
      assay::ParseModule(absl::string_view(reinterpret_cast<const char*>(data), size), options);
  if (module.ok()) {
    assay::fuzz::RequireTextProperties(**module);
  } else {
    assay::fuzz::RequireRefusal(module.status());
  }
  return 0;
}
