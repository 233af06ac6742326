// Fuzz target of the reader of StableHLO's bytecode, portable artifacts and plain.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/properties.h"
#include "fuzz/stablehlo_properties.h"
#include "spec/stablehlo/bytecode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  absl::StatusOr<std::unique_ptr<assay::stablehlo::Program>> program =
      assay::stablehlo::ParseBytecode(bytes, "fuzz.bc");
  if (program.ok()) {
    assay::fuzz::RequireStablehloProperties(**program);
  } else {
    assay::fuzz::RequireRefusal(program.status());
  }
  return 0;
}
