// Opens whatever holds a module: HLO text, HloModuleProto, HloProto, HloSnapshot or
// HloUnoptimizedSnapshot, in binary or text form, and StableHLO as text, bytecode or portable
// artifact, gzip or not. The format is found by content.
// Tests: module_file_test.cc.
#ifndef ASSAY_SPEC_PROTO_MODULE_FILE_H_
#define ASSAY_SPEC_PROTO_MODULE_FILE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"
#include "spec/stablehlo/to_module.h"

namespace assay {

enum class ModuleFormat {
  kHloText,
  kModuleProto,
  kHloProto,
  kSnapshot,
  kUnoptimizedSnapshot,
  kStableHlo,
};

struct ModuleFile {
  std::unique_ptr<Module> module;
  ModuleFormat format = ModuleFormat::kHloText;
  bool text_form = true;  // HLO text, text proto, StableHLO as text
  bool compressed = false;
  // Of a snapshot: its arguments and its result.
  std::vector<Literal> arguments;
  std::optional<Literal> result;
  // Of StableHLO: what the program expects of its own values, and the results before those that
  // are there for checks alone (to_module.h).
  std::vector<stablehlo::Check> checks;
  int64_t result_count = 0;
  std::vector<std::string> result_names;
  std::vector<std::vector<Literal>> device_arguments;
};

// Decompresses gzip content; other content is returned as it is. RESOURCE_EXHAUSTED over 2 GiB, and
// over 128 MiB where the content shrank more than a hundredfold (a bomb).
absl::StatusOr<std::string> Decompress(std::string content, const std::string& name);

// `name` is for messages. The options say what a StableHLO program needs to become a module: its
// entry function, sizes of dynamic dimensions.
absl::StatusOr<ModuleFile> ParseModuleFile(absl::string_view content, const std::string& name,
                                           const stablehlo::ToModuleOptions& options = {});
absl::StatusOr<ModuleFile> OpenModuleFile(const std::string& path,
                                          const stablehlo::ToModuleOptions& options = {});

// The content of a file; the other direction of ParseModuleFile. Equal modules give equal bytes.
// RESOURCE_EXHAUSTED for protobufs over 2 GiB. HLO text has one form.
absl::StatusOr<std::string> SerializeModule(const Module& module, ModuleFormat format,
                                            bool text_form = false);
// An HloSnapshot; `result` may be null.
absl::StatusOr<std::string> SerializeSnapshot(const Module& module,
                                              absl::Span<const Literal> arguments,
                                              const Literal* result, const std::string& platform,
                                              bool text_form = false);

}  // namespace assay

#endif  // ASSAY_SPEC_PROTO_MODULE_FILE_H_
