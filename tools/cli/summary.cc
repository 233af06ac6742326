#include "tools/cli/summary.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/corpus/work.h"
#include "nlohmann/json.hpp"
#include "spec/element/saturating.h"

namespace assay::cli {
namespace {

// As many as can be said.
int64_t Bytes(const Shape& shape) { return shape.ByteSize().value_or(INT64_MAX); }

}  // namespace

ModuleSummary Summarise(const Module& module) {
  ModuleSummary summary;
  for (const auto& computation : module.computations()) {
    ++summary.computations;
    for (const auto& instruction : computation->instructions()) {
      ++summary.instructions;
      ++summary.opcodes[std::string(Name(instruction->opcode()))];
      summary.multiply_adds =
          SaturatingSum(summary.multiply_adds, conformance::MultiplyAdds(*instruction));
      if (instruction->opcode() != Opcode::kConstant) continue;
      if (instruction->is_elided_constant()) ++summary.elided_constants;
      summary.constant_bytes = SaturatingSum(summary.constant_bytes, Bytes(instruction->shape()));
    }
  }
  if (const Computation* entry = module.entry()) {
    const ProgramShape shape = entry->program_shape();
    for (const Shape& parameter : shape.parameters) {
      summary.parameter_bytes = SaturatingSum(summary.parameter_bytes, Bytes(parameter));
    }
    summary.result_bytes = Bytes(shape.result);
  }
  return summary;
}

std::string SummaryText(const Module& module, const ModuleSummary& summary) {
  std::string text = absl::StrCat("module ", module.name(), "\n");
  auto line = [&](absl::string_view name, int64_t value) {
    absl::StrAppendFormat(&text, "  %-24s %12d\n", name, value);
  };
  line("computations", summary.computations);
  line("instructions", summary.instructions);
  line("multiply-adds", summary.multiply_adds);
  line("bytes of parameters", summary.parameter_bytes);
  line("bytes of the result", summary.result_bytes);
  line("bytes of constants", summary.constant_bytes);
  if (summary.elided_constants > 0) line("constants without values", summary.elided_constants);
  text += "  opcodes:\n";
  std::vector<std::pair<std::string, int64_t>> opcodes(summary.opcodes.begin(),
                                                       summary.opcodes.end());
  std::stable_sort(opcodes.begin(), opcodes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [name, count] : opcodes) {
    absl::StrAppendFormat(&text, "    %-22s %12d\n", name, count);
  }
  return text;
}

nlohmann::json SummaryJson(const Module& module, const ModuleSummary& summary) {
  return {{"module", module.name()},
          {"computations", summary.computations},
          {"instructions", summary.instructions},
          {"multiply_adds", summary.multiply_adds},
          {"parameter_bytes", summary.parameter_bytes},
          {"result_bytes", summary.result_bytes},
          {"constant_bytes", summary.constant_bytes},
          {"elided_constants", summary.elided_constants},
          {"opcodes", summary.opcodes}};
}

}  // namespace assay::cli
