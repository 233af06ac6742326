#include "spec/sharding/sdy_shardings.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace assay {
namespace {

// Walks over the text; the first thing that is not as expected is remembered.
class Cursor {
 public:
  explicit Cursor(absl::string_view text) : text_(text), rest_(text) {}

  bool Take(absl::string_view token) {
    SkipBlanks();
    if (rest_.substr(0, token.size()) != token) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void Need(absl::string_view token) {
    if (Take(token) || !status_.ok()) return;
    status_ = absl::InvalidArgumentError(absl::StrCat("expected '", token, "' in the sharding ",
                                                      text_, " at '", rest_.substr(0, 20), "'"));
  }
  // "name", or name.
  std::string Name() {
    const bool quoted = Take("\"");
    size_t length = 0;
    while (length < rest_.size() && (quoted ? rest_[length] != '"' : IsWord(rest_[length]))) {
      ++length;
    }
    std::string name(rest_.substr(0, length));
    rest_.remove_prefix(length);
    if (quoted) Need("\"");
    return name;
  }
  int64_t Number() {
    SkipBlanks();
    size_t length = 0;
    while (length < rest_.size() && std::isdigit(static_cast<unsigned char>(rest_[length]))) {
      ++length;
    }
    int64_t number = 0;
    if (!absl::SimpleAtoi(rest_.substr(0, length), &number)) Need("a number");
    rest_.remove_prefix(length);
    return number;
  }
  // Whether the text goes on so; a loop over a list ends with the text, too.
  bool More(absl::string_view end) {
    if (!status_.ok() || Take(end)) return false;
    if (rest_.empty()) Need(end);
    return status_.ok();
  }
  const absl::Status& status() const { return status_; }

 private:
  static bool IsWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
  }
  void SkipBlanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == ',')) rest_.remove_prefix(1);
  }

  absl::string_view text_;
  absl::string_view rest_;
  absl::Status status_;
};

// <["x"=4, "y"=2], device_ids=[...]>, behind #sdy.mesh.
Mesh ReadMesh(Cursor& cursor) {
  Mesh mesh;
  cursor.Need("<");
  cursor.Need("[");
  while (cursor.More("]")) {
    Mesh::Axis axis;
    axis.name = cursor.Name();
    cursor.Need("=");
    axis.size = cursor.Number();
    mesh.axes.push_back(std::move(axis));
  }
  if (cursor.Take("device_ids=[")) {
    while (cursor.More("]")) mesh.device_ids.push_back(cursor.Number());
  }
  cursor.Need(">");
  return mesh;
}

// The mesh of a name: {mesh = #sdy.mesh<...>, other = #sdy.mesh<...>} of the module.
absl::StatusOr<Mesh> FindMesh(const std::string& name, const Module& module) {
  const auto attribute = module.frontend_attributes.find("xla.sdy.meshes");
  if (attribute == module.frontend_attributes.end()) {
    return absl::InvalidArgumentError("the module has no xla.sdy.meshes");
  }
  Cursor cursor(attribute->second);
  cursor.Need("{");
  while (cursor.More("}")) {
    const std::string found = cursor.Name();
    cursor.Need("=");
    cursor.Need("#sdy.mesh");
    Mesh mesh = ReadMesh(cursor);
    if (!cursor.status().ok()) return cursor.status();
    if (found == name) return mesh;
  }
  if (!cursor.status().ok()) return cursor.status();
  return absl::InvalidArgumentError(absl::StrCat("xla.sdy.meshes has no mesh ", name));
}

// {"x", "y":(1)2, ?}
NamedSharding::DimensionSharding ReadAxes(const Mesh& mesh, Cursor& cursor) {
  NamedSharding::DimensionSharding dimension;
  cursor.Need("{");
  while (cursor.More("}")) {
    if (cursor.Take("?")) {
      dimension.is_closed = false;
      continue;
    }
    const std::string name = cursor.Name();
    AxisRef axis;
    while (axis.axis < static_cast<int64_t>(mesh.axes.size()) &&
           mesh.axes[axis.axis].name != name) {
      ++axis.axis;
    }
    if (axis.axis == static_cast<int64_t>(mesh.axes.size())) cursor.Need("an axis of the mesh");
    if (cursor.Take(":(")) {
      axis.has_sub_axis = true;
      axis.sub_pre_size = cursor.Number();
      cursor.Need(")");
      axis.sub_size = cursor.Number();
    }
    dimension.axes.push_back(axis);
  }
  return dimension;
}

}  // namespace

absl::StatusOr<std::vector<NamedSharding>> ReadSdyShardings(absl::string_view text,
                                                            const Module& module) {
  std::vector<NamedSharding> shardings;
  // That of an argument is written without a list.
  std::string list;
  if (absl::ConsumePrefix(&text, "#sdy.sharding<")) {
    list = absl::StrCat("#sdy.sharding_per_value<[<", text, "]>");
    text = list;
  }
  Cursor cursor(text);
  cursor.Need("#sdy.sharding_per_value<[");
  while (cursor.More("]")) {
    NamedSharding sharding;
    cursor.Need("<");
    if (cursor.Take("mesh")) {
      sharding.mesh = ReadMesh(cursor);
    } else {
      cursor.Need("@");
      absl::StatusOr<Mesh> mesh = FindMesh(cursor.Name(), module);
      if (!mesh.ok()) return mesh.status();
      sharding.mesh = *std::move(mesh);
    }
    cursor.Need("[");
    while (cursor.More("]")) sharding.dimensions.push_back(ReadAxes(sharding.mesh, cursor));
    while (cursor.More(">")) {
      const bool unreduced = cursor.Name() == "unreduced";
      cursor.Need("=");
      NamedSharding::DimensionSharding axes = ReadAxes(sharding.mesh, cursor);
      (unreduced ? sharding.unreduced_axes : sharding.replicated_axes) = std::move(axes.axes);
    }
    shardings.push_back(std::move(sharding));
  }
  if (!cursor.status().ok()) return cursor.status();
  return shardings;
}

absl::StatusOr<std::optional<Sharding>> WrittenSharding(const Instruction& value) {
  if (!value.has_annotations()) return std::nullopt;
  const Annotations& notes = value.annotations();
  if (notes.sharding.has_value()) return *notes.sharding;
  const auto attribute = notes.frontend_attributes.find("xla.sdy.sharding");
  if (attribute == notes.frontend_attributes.end()) return std::nullopt;
  absl::StatusOr<std::vector<NamedSharding>> named =
      ReadSdyShardings(attribute->second, *value.parent()->parent());
  if (!named.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(named.status().message(), ": ", value.Describe()));
  }
  std::vector<Sharding> shardings(named->size());
  for (size_t i = 0; i < shardings.size(); ++i) {
    shardings[i].named = std::make_shared<const NamedSharding>(std::move((*named)[i]));
  }
  if (!value.shape().is_tuple() && shardings.size() == 1) return std::move(shardings[0]);
  Sharding list;
  list.type = Sharding::Type::kTuple;
  list.tuple = std::move(shardings);
  return list;
}

absl::StatusOr<std::optional<Sharding>> WrittenResultSharding(const Instruction& root) {
  absl::StatusOr<std::optional<Sharding>> own = WrittenSharding(root);
  if (!own.ok() || own->has_value() || root.opcode() != Opcode::kTuple) return own;
  bool is_written = false;
  Sharding list;
  list.type = Sharding::Type::kTuple;
  for (const Instruction* operand : root.operands()) {
    Sharding whole;
    whole.type = Sharding::Type::kReplicated;
    absl::StatusOr<std::optional<Sharding>> sharding = std::optional<Sharding>();
    const bool is_shardy = operand->has_annotations() && !operand->annotations().sharding;
    if (is_shardy) sharding = WrittenSharding(*operand);
    if (!sharding.ok()) return sharding;
    is_written |= sharding->has_value();
    if (sharding->has_value() && (*sharding)->type == Sharding::Type::kTuple) {
      list.tuple.insert(list.tuple.end(), (*sharding)->tuple.begin(), (*sharding)->tuple.end());
    } else {
      list.tuple.insert(list.tuple.end(), operand->shape().leaf_count(), sharding->value_or(whole));
    }
  }
  if (!is_written) return std::nullopt;
  return list;
}

absl::StatusOr<std::vector<std::string>> ReadManualAxes(absl::string_view text) {
  std::vector<std::string> names;
  Cursor cursor(text);
  cursor.Need("#sdy<manual_axes{");
  while (cursor.More("}")) names.push_back(cursor.Name());
  if (!cursor.status().ok()) return cursor.status();
  return names;
}

}  // namespace assay
