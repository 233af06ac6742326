// Fuzz target of the reader of StableHLO text.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/properties.h"
#include "fuzz/stablehlo_properties.h"
#include "spec/stablehlo/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  absl::StatusOr<std::unique_ptr<assay::stablehlo::Program>> program =
      assay::stablehlo::ParseText(text, "fuzz.mlir");
  if (program.ok()) {
    assay::fuzz::RequireStablehloProperties(**program);
  } else {
    assay::fuzz::RequireRefusal(program.status());
  }
  return 0;
}
