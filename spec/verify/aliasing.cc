// What of the result lies in the memory of an argument.
//   alias_c1 the output index leads to an array of the result
//   alias_c2 the parameter exists, and its index leads to an array
//   alias_c3 (strict) both have the same bytes
//   alias_c4 a must-alias has one shape on both sides, to the order in memory
//   alias_c5 an output is aliased once, a parameter too
//   donor_c1 the parameter exists, and its index leads to an array
//   donor_c2 what is donated is not aliased as well
// Source: reference ops_control_and_collectives.md 13. Tests: verify_cases_test.cc.
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/ops/checks.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

using ParameterPart = std::pair<int64_t, std::vector<int64_t>>;

ParameterPart PartOf(int64_t number, const ShapeIndex& index) {
  return {number, std::vector<int64_t>(index.begin(), index.end())};
}

std::string PartText(int64_t number, const ShapeIndex& index) {
  return absl::StrCat("parameter ", number, " at ", ListText(index));
}

// The array that is part of a parameter, or null.
const Shape* ParameterArray(const std::vector<Instruction*>& parameters, int64_t number,
                            const ShapeIndex& index) {
  if (number < 0 || number >= static_cast<int64_t>(parameters.size()) ||
      parameters[number] == nullptr) {
    return nullptr;
  }
  const Shape* shape = SubShape(parameters[number]->shape(), index);
  return shape != nullptr && (shape->is_array() || shape->is_buffer()) ? shape : nullptr;
}

bool SameBytes(const Shape& a, const Shape& b) {
  const auto bytes_a = a.ByteSize(), bytes_b = b.ByteSize();
  // Sizes that are not known are not held against each other; shape_c1 refuses those too large.
  return !bytes_a.ok() || !bytes_b.ok() || *bytes_a == *bytes_b;
}

// With what is dynamic, and the layout where both have one.
bool SameArrays(const Shape& a, const Shape& b) {
  if (!Shape::Compatible(a, b)) return false;
  for (int64_t d = 0; d < a.rank(); ++d) {
    if (a.is_dynamic_dimension(d) != b.is_dynamic_dimension(d)) return false;
  }
  return !a.has_layout() || !b.has_layout() || a.layout() == b.layout();
}

// Both sides of a must-alias as the entry layout has them, where it has them.
bool MustAliasFits(const Module& module, const InputOutputAlias& alias, const Shape* output,
                   const Shape* input) {
  if (module.entry_layout) {
    const ProgramShape& layout = *module.entry_layout;
    const Shape* declared = SubShape(layout.result, alias.output_index);
    if (declared != nullptr) output = declared;
    if (alias.parameter_number < static_cast<int64_t>(layout.parameters.size())) {
      declared = SubShape(layout.parameters[alias.parameter_number], alias.parameter_index);
      if (declared != nullptr) input = declared;
    }
  }
  return SameArrays(*output, *input);
}

// The arrays on both sides, which are there.
void CheckSides(const Module& module, const InputOutputAlias& alias, const Shape& output,
                const Shape& input, Findings& findings) {
  const std::string other =
      absl::StrCat(PartText(alias.parameter_number, alias.parameter_index), ", ", input.ToString());
  if (!SameBytes(output, input)) {
    findings.Add("alias_c3", *module.entry(),
                 absl::StrCat("what is aliased must have as many bytes as ", other),
                 output.ToString());
  }
  if (alias.kind != AliasKind::kMay && !MustAliasFits(module, alias, &output, &input)) {
    findings.Add("alias_c4", *module.entry(),
                 absl::StrCat("a must-alias must have the shape of ", other), output.ToString());
  }
}

}  // namespace

void CheckAliases(const Module& module, Findings& findings) {
  if (module.input_output_alias.empty() && module.buffer_donors.empty()) return;
  const Computation& entry = *module.entry();
  const std::vector<Instruction*> parameters = entry.parameters();
  std::set<std::vector<int64_t>> outputs;
  std::set<ParameterPart> aliased;
  for (const InputOutputAlias& alias : module.input_output_alias) {
    const Shape* output = SubShape(entry.root()->shape(), alias.output_index);
    const Shape* input = ParameterArray(parameters, alias.parameter_number, alias.parameter_index);
    const std::string part = PartText(alias.parameter_number, alias.parameter_index);
    if (output == nullptr || !(output->is_array() || output->is_buffer())) {
      findings.Add(
          "alias_c1", entry, "input_output_alias must name an array of the result",
          absl::StrCat(ListText(alias.output_index), " of ", entry.root()->shape().ToString()));
      continue;
    }
    if (input == nullptr) {
      findings.Add("alias_c2", entry, "input_output_alias must name an array of a parameter", part);
      continue;
    }
    CheckSides(module, alias, *output, *input, findings);
    const bool new_output =
        outputs.emplace(alias.output_index.begin(), alias.output_index.end()).second;
    if (!new_output ||
        !aliased.insert(PartOf(alias.parameter_number, alias.parameter_index)).second) {
      findings.Add("alias_c5", entry, "an output and a parameter may be aliased once",
                   absl::StrCat(part, " with output ", ListText(alias.output_index), " again"));
    }
  }
  for (const BufferDonor& donor : module.buffer_donors) {
    const std::string part = PartText(donor.parameter_number, donor.parameter_index);
    if (ParameterArray(parameters, donor.parameter_number, donor.parameter_index) == nullptr) {
      findings.Add("donor_c1", entry, "buffer_donor must name an array of a parameter", part);
    } else if (aliased.contains(PartOf(donor.parameter_number, donor.parameter_index))) {
      findings.Add("donor_c2", entry, "what is aliased must not be donated as well", part);
    }
  }
}

}  // namespace assay
