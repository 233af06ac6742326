// Fuzz target of the protobuf readers, binary and text form, modules and snapshots: found by
// content as the command line does. What they accept survives every round trip, and a snapshot's
// literals do, too.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/properties.h"
#include "spec/proto/module_file.h"

namespace assay::fuzz {
namespace {

bool IsLarge(const Module& module) {
  int64_t bytes = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->literal() != nullptr) bytes += instruction->literal()->byte_size();
    }
  }
  return bytes > kFuzzLiteralBytes;
}

void RunOneInput(absl::string_view content) {
  absl::StatusOr<ModuleFile> file = ParseModuleFile(content, "fuzz");
  if (!file.ok()) return RequireRefusal(file.status());
  if (file->format == ModuleFormat::kHloText) return;  // has a target of its own
  for (const Literal& argument : file->arguments) RequireLosslessProto(argument);
  if (file->result) RequireLosslessProto(*file->result);
  if (!IsLarge(*file->module)) RequireProtoProperties(*file->module);
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  assay::fuzz::RunOneInput(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
