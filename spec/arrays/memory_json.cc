#include "spec/arrays/memory_json.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

using Json = nlohmann::json;

absl::StatusOr<Element> ParseElementText(absl::string_view text, ElementType type) {
  absl::StatusOr<Literal> scalar = ParseTypedLiteral(absl::StrCat(Name(type), "[] ", text));
  if (!scalar.ok()) return scalar.status();
  return scalar->Get(0);
}

// A string, or a number as its digits.
std::optional<std::string> Word(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer() || value.is_boolean()) return value.dump();
  return std::nullopt;
}

absl::Status Wrong(const std::string& name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("array ", name, ": ", what));
}

absl::StatusOr<MemoryLayout> ParseLayout(const Json& json, const std::string& name,
                                         const Shape& shape) {
  MemoryLayout layout = MemoryLayout::Of(shape);
  if (auto padded = json.find("padded_dimensions"); padded != json.end()) {
    if (!padded->is_array()) return Wrong(name, "padded_dimensions is not a list");
    for (const Json& size : *padded) {
      if (!size.is_number_integer()) return Wrong(name, "padded_dimensions has no whole numbers");
      layout.padded_dimensions.push_back(size.get<int64_t>());
    }
  }
  if (auto value = json.find("padding_value"); value != json.end()) {
    const std::optional<std::string> word = Word(*value);
    if (!word.has_value()) return Wrong(name, "padding_value is not a string");
    absl::StatusOr<std::optional<Element>> element = ParsePaddingValue(*word, shape.element_type());
    if (!element.ok()) return Wrong(name, element.status().message());
    layout.padding_value = *element;
  }
  return layout;
}

absl::StatusOr<LaidOutArray> ParseArray(const Json& json, size_t number, int64_t max_bytes) {
  if (!json.is_object()) return absl::InvalidArgumentError("an array is no JSON object");
  LaidOutArray array;
  array.name = absl::StrCat("arg", number);
  if (auto name = json.find("name"); name != json.end() && name->is_string()) {
    array.name = name->get<std::string>();
  }
  auto text = json.find("shape");
  if (text == json.end() || !text->is_string()) return Wrong(array.name, "there is no shape");
  absl::StatusOr<Shape> shape = ParseShape(text->get<std::string>());
  if (!shape.ok()) return Wrong(array.name, shape.status().message());
  if (!shape->is_array()) return Wrong(array.name, "its shape is not an array's");
  absl::StatusOr<MemoryLayout> layout = ParseLayout(json, array.name, *shape);
  if (!layout.ok()) return layout.status();
  absl::StatusOr<ArrayMemory> memory = ArrayMemory::Create(*shape, *layout);
  if (!memory.ok()) return Wrong(array.name, memory.status().message());
  auto cells = json.find("memory");
  if (cells == json.end() || !cells->is_array()) return Wrong(array.name, "there is no memory");
  if (static_cast<int64_t>(cells->size()) != memory->cell_count()) {
    return Wrong(array.name, absl::StrCat("the memory has ", cells->size(), " cells, ",
                                          memory->cell_count(), " are wanted"));
  }
  absl::StatusOr<Literal> value = Literal::Create(*shape, max_bytes);
  if (!value.ok()) return value.status();
  const Dimensions strides = RowMajorStrides(shape->dimensions());
  for (int64_t cell = 0; cell < memory->cell_count(); ++cell) {
    const std::optional<Dimensions> index = memory->IndexAt(cell);
    if (!index.has_value()) continue;
    const std::optional<std::string> word = Word((*cells)[cell]);
    absl::StatusOr<Element> element = ParseElementText(word.value_or("?"), shape->element_type());
    if (!element.ok()) {
      return Wrong(array.name, absl::StrCat("cell ", cell, ": ", element.status().message()));
    }
    int64_t position = 0;
    for (size_t d = 0; d < strides.size(); ++d) position += (*index)[d] * strides[d];
    value->Set(position, *element);
  }
  array.value = *std::move(value);
  array.layout = *std::move(layout);
  return array;
}

}  // namespace

absl::StatusOr<std::optional<Element>> ParsePaddingValue(absl::string_view text, ElementType type) {
  if (const std::optional<PaddingKind> kind = PaddingKindFromName(text)) {
    return PaddingElement(*kind, type);
  }
  absl::StatusOr<Element> element = ParseElementText(text, type);
  if (!element.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("padding value ", text, " is not a value of ", Name(type)));
  }
  return std::optional<Element>(*element);
}

std::vector<std::string> MemoryWords(const Literal& array, const ArrayMemory& memory) {
  const ElementType type = array.element_type();
  const Dimensions strides = RowMajorStrides(array.shape().dimensions());
  const std::optional<Element>& padding = memory.layout().padding_value;
  const std::string padding_word = padding.has_value() ? PrintElement(type, *padding) : "_";
  std::vector<std::string> words;
  for (int64_t cell = 0; cell < memory.cell_count(); ++cell) {
    const std::optional<Dimensions> index = memory.IndexAt(cell);
    if (!index.has_value()) {
      words.push_back(padding_word);
      continue;
    }
    int64_t position = 0;
    for (size_t d = 0; d < strides.size(); ++d) position += (*index)[d] * strides[d];
    words.push_back(PrintElement(type, array.Get(position)));
  }
  return words;
}

Json MemoryToJson(absl::string_view name, const Literal& array, const ArrayMemory& memory) {
  Json json = {{"name", std::string(name)},
               {"shape", memory.shape().ToString(/*with_layout=*/true)},
               {"element_bits", memory.element_bits()},
               {"bytes", memory.byte_size()},
               {"memory", MemoryWords(array, memory)}};
  const MemoryLayout& layout = memory.layout();
  if (!layout.padded_dimensions.empty()) {
    json["padded_dimensions"] =
        std::vector<int64_t>(layout.padded_dimensions.begin(), layout.padded_dimensions.end());
  }
  if (layout.padding_value.has_value()) {
    json["padding_value"] = PrintElement(array.element_type(), *layout.padding_value);
  }
  return json;
}

absl::StatusOr<std::vector<LaidOutArray>> ParseMemoryJson(absl::string_view text,
                                                          int64_t max_bytes) {
  // No nesting beyond list, object, list: deep files end the parse at once.
  bool deep = false;
  const Json json = Json::parse(
      text.begin(), text.end(),
      [&](int depth, Json::parse_event_t, Json&) {
        deep |= depth > 4;
        return !deep;
      },
      /*allow_exceptions=*/false);
  if (deep || json.is_discarded()) return absl::InvalidArgumentError("this is no JSON of arrays");
  std::vector<LaidOutArray> arrays;
  const std::vector<Json> one = {json};
  const auto& list = json.is_array() ? json.get_ref<const Json::array_t&>() : one;
  for (const Json& entry : list) {
    absl::StatusOr<LaidOutArray> array = ParseArray(entry, arrays.size(), max_bytes);
    if (!array.ok()) return array.status();
    max_bytes -= array->value.byte_size();
    arrays.push_back(*std::move(array));
  }
  return arrays;
}

}  // namespace assay
