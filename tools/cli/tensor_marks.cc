#include "tools/cli/tensor_marks.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "spec/files/file_io.h"

namespace assay::cli {
namespace {

// "arg3" or "arg3-7"; first and last number.
bool ParseRange(absl::string_view text, absl::string_view prefix, int64_t* first, int64_t* last) {
  if (!absl::ConsumePrefix(&text, prefix)) return false;
  const std::pair<absl::string_view, absl::string_view> ends =
      absl::StrSplit(text, absl::MaxSplits('-', 1));
  if (!absl::SimpleAtoi(ends.first, first) || *first < 0) return false;
  *last = *first;
  if (ends.first.size() == text.size()) return true;
  return absl::SimpleAtoi(ends.second, last) && *last >= *first;
}

Binding* FindTensor(std::vector<Binding>& bindings, absl::string_view name) {
  const auto at = std::find_if(bindings.begin(), bindings.end(),
                               [&](const Binding& binding) { return binding.tensor == name; });
  return at == bindings.end() ? nullptr : &*at;
}

// The arrays that an argument or tensor is about: [first, last].
absl::Status FindArguments(std::vector<Binding>& bindings, absl::string_view name, int64_t* first,
                           int64_t* last) {
  if (const Binding* named = FindTensor(bindings, name); named != nullptr) {
    *first = *last = named->argument;
    return absl::OkStatus();
  }
  if (!ParseRange(name, "arg", first, last)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the module has no parameter ", name, ", and it is not arg0, arg1, ..."));
  }
  if (*last >= static_cast<int64_t>(bindings.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no arg", *last, ", the module takes ", bindings.size(), " arrays"));
  }
  return absl::OkStatus();
}

void Keep(Binding& binding, int64_t output) {
  if (binding.kind == TensorKind::kInput) binding.kind = TensorKind::kPersistent;
  binding.output = output;
}

absl::Status ApplyBind(const std::string& text, std::vector<Binding>& bindings) {
  const std::vector<absl::string_view> sides = absl::StrSplit(text, absl::MaxSplits('=', 1));
  int64_t first, last, first_output = -1, last_output = -1;
  absl::Status status = FindArguments(bindings, sides[0], &first, &last);
  if (!status.ok()) return status;
  if (sides.size() > 1) {
    if (!ParseRange(sides[1], "out", &first_output, &last_output)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", sides[1], "' is not an output: out0, or out0-18"));
    }
    if (last - first != last_output - first_output) {
      return absl::InvalidArgumentError(absl::StrCat("there are ", last - first + 1,
                                                     " arguments for ",
                                                     last_output - first_output + 1, " outputs"));
    }
  }
  for (int64_t i = first; i <= last; ++i) {
    Keep(bindings[i], first_output < 0 ? -1 : first_output + i - first);
  }
  return absl::OkStatus();
}

absl::Status ApplyMark(const std::string& key, const nlohmann::json& mark,
                       std::vector<Binding>& bindings) {
  int64_t first, last;
  absl::Status status = FindArguments(bindings, key, &first, &last);
  if (!status.ok()) return status;
  if (first != last || !mark.is_object()) {
    return absl::InvalidArgumentError("a mark is one parameter and an object");
  }
  Binding& binding = bindings[first];
  for (const auto& [field, value] : mark.items()) {
    if (!value.is_string()) {
      return absl::InvalidArgumentError(absl::StrCat("the ", field, " is not a string"));
    }
    const std::string& word = value.get_ref<const std::string&>();
    int64_t output, last_output;
    if (field == "name") {
      binding.tensor = word;
    } else if (field == "kind" && TensorKindFromName(word)) {
      binding.kind = *TensorKindFromName(word);
    } else if (field == "output" && ParseRange(word, "out", &output, &last_output) &&
               output == last_output) {
      Keep(binding, output);
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          field, " \"", word, "\" is none of name, kind (constant, input, persistent, variable) ",
          "and output (out0)"));
    }
  }
  return absl::OkStatus();
}

absl::Status ApplyFile(const std::string& path, std::vector<Binding>& bindings) {
  absl::StatusOr<std::string> content = ReadFile(path);
  if (!content.ok()) return content.status();
  const nlohmann::json marks = nlohmann::json::parse(*content, nullptr, /*allow_exceptions=*/false);
  if (!marks.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is no JSON object"));
  }
  for (const auto& [key, mark] : marks.items()) {
    absl::Status status = ApplyMark(key, mark, bindings);
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": ", key, ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Binding>> MarkedBindings(const Module& module, const std::string& file,
                                                    absl::Span<const std::string> binds) {
  absl::StatusOr<std::vector<Binding>> bindings = BindingsOf(module);
  if (!bindings.ok()) return bindings;
  if (!file.empty()) {
    absl::Status status = ApplyFile(file, *bindings);
    if (!status.ok()) return status;
  }
  for (const std::string& bind : binds) {
    absl::Status status = ApplyBind(bind, *bindings);
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--bind ", bind, ": ", status.message()));
    }
  }
  return bindings;
}

}  // namespace assay::cli
