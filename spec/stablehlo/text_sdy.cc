// Shardy's attributes: meshes, shardings, axes. Reference stablehlo_format.md 2 (sdy).
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/text_reader.h"

namespace assay::stablehlo {

bool TextReader::ReadSdyRecord(const RecordRow& row, const Attribute*& out) {
  if (row.name == "sdy.mesh") {
    return Expect('<', "'<' before the mesh") && ReadSdyMesh(out) &&
           Expect('>', "'>' after the mesh");
  }
  if (row.name == "sdy.sharding") return ReadSdySharding(out);
  if (row.name == "sdy.sharding_per_value") {
    return Expect('<', "'<' before the shardings") && ReadSdyShardings(out) &&
           Expect('>', "'>' after the shardings");
  }
  if (row.name == "sdy.mesh_axis") return ReadMeshAxis(out);
  if (row.name == "sdy.dimension_sharding") return ReadSdyDimension(out);
  if (row.name == "sdy.axis_ref") return ReadSdyAxis(out);
  if (row.name == "sdy.sub_axis_info") return ReadSubAxis(row, out);
  return ReadManualAxes(out);
}

// [{"a"}, {}], {"a":(1)2} or [{"a"}: 0->1] as #sdy<TYPE..>.
bool TextReader::ReadShardyText(const Field& field, const Attribute*& out) {
  if (!lexer_.Is('[') && !lexer_.Is('{')) return FailExpected("'[' or '{'");
  absl::string_view body;
  if (!ReadOpaqueBody(lexer_.token().begin, body)) return false;
  Attribute* const text = New(AttributeKind::kOpaque);
  text->text = program_.Intern(absl::StrCat("#sdy<", field.type_name, body, ">"));
  out = text;
  return true;
}

// "a"=2
bool TextReader::ReadMeshAxis(const Attribute*& out) {
  absl::string_view name;
  int64_t size;
  if (!ReadString(name) || !Expect('=', "'=' before the size of the axis") || !ReadInteger(size)) {
    return false;
  }
  out = FinishRecord(
      *FindRecord("sdy.mesh_axis"),
      {{"name", NewString(name)}, {"size", NewInteger(size, program_.Scalar(ElementType::kS64))}});
  return true;
}

// ["a"=2, "b"=4], device_ids=[0, 1]
bool TextReader::ReadSdyMesh(const Attribute*& out) {
  Attribute* axes = New(AttributeKind::kArray);
  if (!Expect('[', "'[' before the axes of the mesh")) return false;
  if (!ReadItems(']', "axes", [&] {
        const Attribute* axis;
        if (!ReadMeshAxis(axis)) return false;
        axes->elements.push_back(axis);
        return true;
      })) {
    return false;
  }
  std::vector<NamedAttribute> fields = {{"axes", axes}};
  if (lexer_.Eat(',')) {
    std::vector<int64_t> ids;
    if (!ExpectWord("device_ids") || !Expect('=', "'=' after 'device_ids'") ||
        !ReadIntegerList(ids)) {
      return false;
    }
    fields.push_back({"device_ids", NewInts(std::move(ids), program_.Scalar(ElementType::kS64))});
  }
  out = FinishRecord(*FindRecord("sdy.mesh"), std::move(fields));
  return true;
}

// <@mesh, [{"a"}, {?}], replicated={"b"}, unreduced={"c"}>
bool TextReader::ReadSdySharding(const Attribute*& out) {
  if (!Expect('<', "'<' before the sharding")) return false;
  std::vector<NamedAttribute> fields;
  const Attribute* mesh;
  if (lexer_.Is(kSymbolId)) {
    if (!ReadSymbolAttribute(mesh)) return false;
  } else if (!ExpectWord("mesh") || !Expect('<', "'<' after 'mesh'") || !ReadSdyMesh(mesh) ||
             !Expect('>', "'>' after the mesh")) {
    return false;
  }
  fields.push_back({"mesh", mesh});
  Attribute* dimensions = New(AttributeKind::kArray);
  if (!Expect(',', "',' after the mesh") || !Expect('[', "'[' before the dimensions")) return false;
  if (!ReadItems(']', "dimensions", [&] {
        const Attribute* dimension;
        if (!ReadSdyDimension(dimension)) return false;
        dimensions->elements.push_back(dimension);
        return true;
      })) {
    return false;
  }
  fields.push_back({"dimensions", dimensions});
  while (lexer_.Eat(',')) {
    const absl::string_view word = lexer_.IsWord("replicated")  ? "replicated"
                                   : lexer_.IsWord("unreduced") ? "unreduced"
                                                                : "";
    if (word.empty()) return FailExpected("'replicated' or 'unreduced'");
    lexer_.Next();
    const Attribute* axes;
    if (!Expect('=', "'=' before axes") || !ReadSdyAxes(axes)) return false;
    if (axes->elements.empty()) return Fail(absl::StrCat("'", word, "' must have an axis"));
    for (const NamedAttribute& field : fields) {
      if (field.name == word) return Fail(absl::StrCat("'", word, "' is given twice"));
    }
    fields.push_back({word, axes});
  }
  out = FinishRecord(*FindRecord("sdy.sharding"), std::move(fields));
  return Expect('>', "'>' after the sharding");
}

// [<..>, <..>]
bool TextReader::ReadSdyShardings(const Attribute*& out) {
  Attribute* shardings = New(AttributeKind::kArray);
  if (!Expect('[', "'[' before the shardings")) return false;
  if (!ReadItems(']', "shardings", [&] {
        const Attribute* sharding;
        if (lexer_.Is(kHashId)) {
          const char* const at = lexer_.token().begin;
          if (!ReadAttribute(sharding)) return false;
          if (sharding->kind != AttributeKind::kRecord || sharding->name != "sdy.sharding") {
            return FailAt(at, "this attribute is not a sharding");
          }
        } else if (!ReadSdySharding(sharding)) {
          return false;
        }
        shardings->elements.push_back(sharding);
        return true;
      })) {
    return false;
  }
  out = FinishRecord(*FindRecord("sdy.sharding_per_value"), {{"shardings", shardings}});
  return true;
}

// {"a", "b":(2)4, ?}p1
bool TextReader::ReadSdyDimension(const Attribute*& out) {
  Attribute* axes = New(AttributeKind::kArray);
  bool closed = true;
  if (!Expect('{', "'{' before the axes of a dimension")) return false;
  if (!ReadItems('}', "axes", [&] {
        if (!closed) return Fail("'?' must be the last");
        if (lexer_.Eat('?')) {
          closed = false;
          return true;
        }
        const Attribute* axis;
        if (!ReadSdyAxis(axis)) return false;
        axes->elements.push_back(axis);
        return true;
      })) {
    return false;
  }
  std::vector<NamedAttribute> fields = {{"axes", axes}, {"is_closed", NewBool(closed)}};
  const absl::string_view word = lexer_.spelling();
  int64_t priority;
  if (lexer_.Is(kBareId) && word[0] == 'p' && absl::SimpleAtoi(word.substr(1), &priority)) {
    lexer_.Next();
    fields.push_back({"priority", NewInteger(priority, program_.Scalar(ElementType::kS64))});
  }
  out = FinishRecord(*FindRecord("sdy.dimension_sharding"), std::move(fields));
  return true;
}

// "a" or "a":(2)4
bool TextReader::ReadSdyAxis(const Attribute*& out) {
  absl::string_view name;
  if (!ReadString(name)) return false;
  std::vector<NamedAttribute> fields = {{"name", NewString(name)}};
  if (lexer_.Eat(':')) {
    const Attribute* part;
    if (!ReadSubAxis(*FindRecord("sdy.sub_axis_info"), part)) return false;
    fields.push_back({"sub_axis_info", part});
  }
  out = FinishRecord(*FindRecord("sdy.axis_ref"), std::move(fields));
  return true;
}

bool TextReader::ReadSdyAxes(const Attribute*& out) {
  Attribute* axes = New(AttributeKind::kArray);
  out = axes;
  if (!Expect('{', "'{' before axes")) return false;
  return ReadItems('}', "axes", [&] {
    const Attribute* axis;
    if (!ReadSdyAxis(axis)) return false;
    axes->elements.push_back(axis);
    return true;
  });
}

// {"a", "b"}
bool TextReader::ReadManualAxes(const Attribute*& out) {
  Attribute* axes = New(AttributeKind::kArray);
  if (!Expect('{', "'{' before the manual axes")) return false;
  if (!ReadItems('}', "axes", [&] {
        absl::string_view name;
        if (!ReadString(name)) return false;
        axes->elements.push_back(NewString(name));
        return true;
      })) {
    return false;
  }
  out = FinishRecord(*FindRecord("sdy.manual_axes"), {{"axes", axes}});
  return true;
}

}  // namespace assay::stablehlo
