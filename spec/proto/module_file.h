// Opens whatever holds a module: HLO text, HloModuleProto, HloProto, HloSnapshot or
// HloUnoptimizedSnapshot, in binary or text form, gzip or not. The format is found by content.
// Tests: module_file_test.cc.
#ifndef ASSAY_SPEC_PROTO_MODULE_FILE_H_
#define ASSAY_SPEC_PROTO_MODULE_FILE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/ir/module.h"

namespace assay {

enum class ModuleFormat {
  kHloText,
  kModuleProto,
  kHloProto,
  kSnapshot,
  kUnoptimizedSnapshot,
};

struct ModuleFile {
  std::unique_ptr<Module> module;
  ModuleFormat format = ModuleFormat::kHloText;
  bool text_form = true;  // HLO text or text proto
  bool compressed = false;
  // Of a snapshot: its arguments and its result.
  std::vector<Literal> arguments;
  std::optional<Literal> result;
};

// Reads a file, or standard input for "-". Files over 2 GiB (after decompression too) are refused
// by name.
absl::StatusOr<std::string> ReadFile(const std::string& path);
// Decompresses gzip content; other content is returned as it is.
absl::StatusOr<std::string> Decompress(std::string content, const std::string& name);
// Writes beside the target and renames, so that no half-written file is ever seen.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view content);

// `name` is for messages.
absl::StatusOr<ModuleFile> ParseModuleFile(absl::string_view content, const std::string& name);
absl::StatusOr<ModuleFile> OpenModuleFile(const std::string& path);

}  // namespace assay

#endif  // ASSAY_SPEC_PROTO_MODULE_FILE_H_
