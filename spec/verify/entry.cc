// Parameters and the signature of the entry, and on how many devices it runs.
//   parameter_c2 every number from 0 on names one parameter
//   entry_c1 the entry layout has a shape per parameter
//   entry_c2 compatible with it
//   entry_c3 the result is compatible with the root
//   entry_c4 its layouts list every dimension once, tiles have sizes of 1 or more, and no types of
//       indices are given
//   counts_c1 (strict) a module has at least one replica and one partition
// Source: reference ops_control_and_collectives.md 3, 14.1; hlo_text_format.md 2.2. Tests:
// verify_cases_test.cc, verifier_test.cc.
#include "absl/strings/str_cat.h"
#include "spec/ops/layout_check.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

// Of all parameters of a computation, as they stand.
void CheckNumbers(const Computation& computation, Findings& findings) {
  std::vector<const Instruction*> by_number;
  int64_t count = 0;
  for (const auto& instruction : computation.instructions()) {
    count += instruction->opcode() == Opcode::kParameter;
  }
  by_number.resize(count);
  for (const auto& instruction : computation.instructions()) {
    if (instruction->opcode() != Opcode::kParameter) continue;
    const int64_t number = instruction->parameter_number();
    if (number < 0) continue;  // parameter_c1
    if (number >= count) {
      findings.Add("parameter_c2", *instruction,
                   absl::StrCat("the ", count, " parameters must be numbered from 0 without gaps"),
                   absl::StrCat(number));
    } else if (by_number[number] != nullptr) {
      findings.Add("parameter_c2", *instruction, "parameters must have different numbers",
                   absl::StrCat("another parameter(", number, "), ", by_number[number]->name()));
    } else {
      by_number[number] = instruction.get();
    }
  }
}

// Empty layouts are the compiler's choice.
bool HasSoundLayouts(const Shape& shape) {
  for (const Shape* leaf : Leaves(shape)) {
    if (!leaf->is_array() || !leaf->has_layout()) continue;
    if (!IsSoundLayout(*leaf->layout(), leaf->rank())) return false;
  }
  return true;
}

void CheckEntryLayout(const Module& module, const Computation& entry, Findings& findings) {
  const ProgramShape& layout = *module.entry_layout;
  const std::vector<Instruction*> parameters = entry.parameters();
  if (layout.parameters.size() != parameters.size()) {
    findings.Add(
        "entry_c1", entry,
        absl::StrCat("entry_computation_layout must have ", parameters.size(), " parameters"),
        absl::StrCat(layout.parameters.size()));
    return;
  }
  auto require_sound = [&](const Shape& shape) {
    if (HasSoundLayouts(shape)) return;
    findings.Add("entry_c4", entry,
                 "layouts in entry_computation_layout must list every dimension once",
                 shape.ToString(true));
  };
  require_sound(layout.result);
  for (const Shape& parameter : layout.parameters) require_sound(parameter);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] == nullptr) continue;  // parameter_c2
    if (!Shape::Compatible(layout.parameters[i], parameters[i]->shape())) {
      findings.Add("entry_c2", *parameters[i],
                   absl::StrCat("entry_computation_layout must give parameter ", i, " the shape ",
                                parameters[i]->shape().ToString()),
                   layout.parameters[i].ToString());
    }
  }
  const Shape& result = entry.root()->shape();
  if (!Shape::Compatible(layout.result, result)) {
    findings.Add(
        "entry_c3", *entry.root(),
        absl::StrCat("entry_computation_layout must give the result the shape ", result.ToString()),
        layout.result.ToString());
  }
}

}  // namespace

void CheckEntry(const Module& module, Findings& findings) {
  if (findings.strict() && (module.replica_count < 1 || module.num_partitions < 1)) {
    findings.Add("counts_c1", module, "a module must have at least one replica and one partition",
                 absl::StrCat("replica_count=", module.replica_count,
                              ", num_partitions=", module.num_partitions));
  }
  for (const auto& computation : module.computations()) CheckNumbers(*computation, findings);
  if (module.entry_layout) CheckEntryLayout(module, *module.entry(), findings);
}

}  // namespace assay
