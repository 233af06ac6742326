#include "tools/cli/fuzz_vocabulary.h"

#include <algorithm>
#include <optional>

#include "backends/process/process_backend.h"
#include "fuzz/programs/grammar.h"
#include "spec/element/element_type.h"
#include "spec/op_info.h"

namespace assay::cli {
namespace {

bool HasRow(const std::string& name) {
  const std::optional<Opcode> opcode = OpcodeFromName(name);
  const absl::Span<const fuzz::Row> rows = fuzz::Rows();
  return opcode && std::any_of(rows.begin(), rows.end(),
                               [&](const fuzz::Row& row) { return row.opcode == *opcode; });
}

}  // namespace

absl::StatusOr<FuzzVocabulary> VocabularyOf(Backend& target) {
  FuzzVocabulary vocabulary;
  auto* const process = dynamic_cast<process::ProcessBackend*>(&target);
  if (process == nullptr) return vocabulary;
  const absl::StatusOr<process::ProcessCapabilities> has = process->Capabilities();
  if (!has.ok()) return has.status();
  vocabulary.one_device = has->devices == 1;
  if (has->operations && 2 * has->operations->size() < Catalogue().size()) {
    std::copy_if(has->operations->begin(), has->operations->end(),
                 std::back_inserter(vocabulary.operations), HasRow);
  }
  if (has->types) {
    for (const std::string& name : *has->types) {
      const std::optional<ElementType> type = ElementTypeFromName(name);
      if (type && IsArray(*type)) vocabulary.types.push_back(name);
    }
  }
  return vocabulary;
}

}  // namespace assay::cli
