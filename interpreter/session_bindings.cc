// What a module says of the tensors that its parameters stand for. Test: session_test.cc.
#include <iterator>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "interpreter/session.h"
#include "interpreter/session_arrays.h"
#include "spec/ir/entry.h"

namespace assay {
namespace {

constexpr absl::string_view kNames[] = {"constant", "input", "persistent", "variable",
                                        "placeholder"};

const std::string* FindAttribute(const Instruction& parameter, absl::string_view key) {
  const FrontendAttributes& attributes = parameter.annotations().frontend_attributes;
  const auto at = attributes.find(std::string(key));
  return at == attributes.end() ? nullptr : &at->second;
}

// The arrays of the parameter, without regard to aliases.
absl::Status AppendParameter(const Instruction& parameter, std::vector<Binding>* bindings) {
  TensorKind kind = TensorKind::kInput;
  if (const std::string* word = FindAttribute(parameter, "tensor"); word != nullptr) {
    const std::optional<TensorKind> named = TensorKindFromName(*word);
    if (!named) {
      return absl::InvalidArgumentError(
          absl::StrCat(parameter.Describe(), ": tensor=\"", *word,
                       "\" is none of constant, input, persistent, variable, placeholder"));
    }
    kind = *named;
  }
  int64_t output = -1;
  if (const std::string* word = FindAttribute(parameter, "tensor_output"); word != nullptr) {
    absl::string_view digits = *word;
    if (!absl::ConsumePrefix(&digits, "out") || !absl::SimpleAtoi(digits, &output) || output < 0) {
      return absl::InvalidArgumentError(absl::StrCat(parameter.Describe(), ": tensor_output=\"",
                                                     *word, "\" is not out0, out1, ..."));
    }
  }
  const std::string* name = FindAttribute(parameter, "tensor_name");
  for (const ArrayLeaf& leaf : ArrayLeaves(parameter.shape())) {
    Binding& binding = bindings->emplace_back();
    binding.argument = static_cast<int64_t>(bindings->size()) - 1;
    binding.tensor = name == nullptr ? parameter.name() : *name;
    for (int64_t step : leaf.index) absl::StrAppend(&binding.tensor, "#", step);
    binding.kind = kind;
    if (output >= 0) binding.output = output++;
  }
  return absl::OkStatus();
}

// The number of the array at an index of a shape, or -1.
int64_t ArrayNumber(const Shape& shape, const ShapeIndex& index) {
  const std::vector<ArrayLeaf> leaves = ArrayLeaves(shape);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].index == index) return static_cast<int64_t>(i);
  }
  return -1;
}

}  // namespace

absl::string_view Name(TensorKind kind) { return kNames[static_cast<int>(kind)]; }

std::optional<TensorKind> TensorKindFromName(absl::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<TensorKind>(i);
  }
  return std::nullopt;
}

std::vector<ArrayLeaf> ArrayLeaves(const Shape& shape) {
  std::vector<ArrayLeaf> leaves;
  std::vector<ArrayLeaf> open = {{&shape, {}}};
  while (!open.empty()) {
    const ArrayLeaf at = std::move(open.back());
    open.pop_back();
    if (at.shape->is_array()) leaves.push_back(at);
    if (!at.shape->is_tuple()) continue;
    for (int64_t i = at.shape->tuple_shapes().size() - 1; i >= 0; --i) {
      ArrayLeaf& element = open.emplace_back(at);
      element.shape = &at.shape->tuple_shape(i);
      element.index.push_back(i);
    }
  }
  return leaves;
}

absl::StatusOr<std::vector<Binding>> BindingsOf(const Module& module) {
  if (absl::Status status = CheckEntry(module); !status.ok()) return status;
  std::vector<Binding> bindings;
  std::vector<int64_t> first_of;  // by parameter
  const std::vector<Instruction*> parameters = module.entry()->parameters();
  for (const Instruction* parameter : parameters) {
    first_of.push_back(bindings.size());
    absl::Status status = AppendParameter(*parameter, &bindings);
    if (!status.ok()) return status;
  }
  for (const InputOutputAlias& alias : module.input_output_alias) {
    const bool known = alias.parameter_number >= 0 &&
                       alias.parameter_number < static_cast<int64_t>(parameters.size());
    const int64_t array =
        !known ? -1
               : ArrayNumber(parameters[alias.parameter_number]->shape(), alias.parameter_index);
    const int64_t output = ArrayNumber(module.entry()->root()->shape(), alias.output_index);
    if (array < 0 || output < 0) continue;  // tuples: their arrays are not paired one to one
    Binding& binding = bindings[first_of[alias.parameter_number] + array];
    // An alias with a marked input or constant only lends its memory.
    if (FindAttribute(*parameters[alias.parameter_number], "tensor") == nullptr) {
      binding.kind = TensorKind::kPersistent;
    }
    const bool keeps =
        binding.kind == TensorKind::kPersistent || binding.kind == TensorKind::kVariable;
    if (keeps && binding.output < 0) binding.output = output;
  }
  return bindings;
}

}  // namespace assay
