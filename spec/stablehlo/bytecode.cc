#include "spec/stablehlo/bytecode.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/stablehlo/bytecode_file.h"
#include "spec/stablehlo/bytecode_ir.h"

namespace assay::stablehlo {
namespace {

absl::Status InBytecode(const std::string& file_name, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(file_name, ": ", status.message()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Program>> ParseBytecode(absl::string_view bytes,
                                                       const std::string& file_name,
                                                       std::shared_ptr<const void> owner,
                                                       SharedBytes shared) {
  absl::StatusOr<BytecodeFile> file = IndexBytecode(bytes);
  if (!file.ok()) return InBytecode(file_name, file.status());
  file->may_move = owner != nullptr && shared == SharedBytes::kMove;
  auto program = std::make_unique<Program>();
  if (owner != nullptr) {
    program->Keep(owner);
  } else {
    for (absl::string_view& text : file->strings) text = program->Intern(text);
    // Texts of resources and of entries that are kept as text are interned where they are used.
  }
  absl::Status status = ReadOperations(*file, std::move(owner), *program);
  if (!status.ok()) return InBytecode(file_name, status);
  return program;
}

absl::StatusOr<std::unique_ptr<Program>> ParseBytecode(absl::string_view bytes,
                                                       const std::string& file_name) {
  return ParseBytecode(bytes, file_name, nullptr);
}

}  // namespace assay::stablehlo
