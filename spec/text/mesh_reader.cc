// Device meshes, iotas over devices, and replica groups in their three forms
// (hlo_text_format.md 7.2).
#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/text/reader.h"

namespace assay {
namespace {

bool ExpectAttr(Reader& reader, absl::string_view name) {
  if (!reader.lexer.Is(TokenKind::kAttr) || reader.lexer.word() != name) {
    return reader.FailExpected(absl::StrCat("'", name, "='"));
  }
  reader.lexer.Next();
  return true;
}

bool PermutesItself(const std::vector<int64_t>& numbers) {
  return IsPermutation(numbers, static_cast<int64_t>(numbers.size()));
}

bool IsAscendingFromZero(const std::vector<int64_t>& numbers) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// The product, or -1 where it overflows or a size is not positive.
int64_t Product(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 1 || __builtin_mul_overflow(product, size, &product)) return -1;
  }
  return product;
}

int64_t DeviceCount(const Mesh& mesh) {
  std::vector<int64_t> sizes;
  for (const Mesh::Axis& axis : mesh.axes) sizes.push_back(axis.size);
  return Product(sizes);
}

// The device order of a mesh, from the '(' after device_ids=.
bool ReadMeshDevices(Reader& reader, Mesh* mesh) {
  Lexer& lexer = reader.lexer;
  const char* at = reader.here();
  const int64_t count = DeviceCount(*mesh);
  if (lexer.PeekByte() == '[') {
    lexer.Next();
    if (!ReadIota(reader, &mesh->iota_reshape_dims, &mesh->iota_transpose_perm)) return false;
    if (Product(mesh->iota_reshape_dims) != count || !PermutesItself(mesh->iota_transpose_perm)) {
      return reader.FailAt(at, "device_ids must be a permutation of the devices of the mesh");
    }
    // The order 0, 1, 2, ... is the default.
    if (mesh->iota_reshape_dims.size() < 2) {
      mesh->iota_reshape_dims.clear();
      mesh->iota_transpose_perm.clear();
    }
    return reader.Expect(TokenKind::kRightParen);
  }
  if (!reader.ReadSizes(TokenKind::kLeftParen, TokenKind::kRightParen, &mesh->device_ids)) {
    return false;
  }
  if (static_cast<int64_t>(mesh->device_ids.size()) != count || !PermutesItself(mesh->device_ids)) {
    return reader.FailAt(at, "device_ids must be a permutation of the devices of the mesh");
  }
  if (IsAscendingFromZero(mesh->device_ids)) {
    return reader.FailAt(at, "device_ids in their natural order are left out");
  }
  return true;
}

bool ReadMeshAxis(Reader& reader, Mesh* mesh) {
  const char* at = reader.here();
  Mesh::Axis axis;
  if (!reader.ReadString(&axis.name) || !reader.Expect(TokenKind::kEqual) ||
      !reader.ReadInt(&axis.size)) {
    return false;
  }
  if (axis.size < 1) {
    return reader.FailAt(at,
                         absl::StrCat("the mesh axis '", axis.name, "' has the size ", axis.size));
  }
  for (const Mesh::Axis& other : mesh->axes) {
    if (other.name == axis.name) {
      return reader.FailAt(at, absl::StrCat("mesh axis '", axis.name, "' is named twice"));
    }
  }
  mesh->axes.push_back(std::move(axis));
  return true;
}

bool ReadGroupsFromIota(Reader& reader, ReplicaGroups* groups) {
  const char* at = reader.here();
  std::vector<int64_t> sizes;
  if (!reader.ReadSizes(TokenKind::kLeftBracket, TokenKind::kRightBracket, &sizes)) return false;
  if (sizes.size() != 2) {
    return reader.FailAt(at, "replica groups take two numbers: [groups,group size]<=[...]");
  }
  if (sizes[0] < 1 || sizes[1] < 1) {
    return reader.FailAt(at, "there must be at least one replica group, of at least one device");
  }
  groups->form = ReplicaGroups::Form::kIota;
  groups->group_count = sizes[0];
  groups->group_size = sizes[1];
  if (!reader.Expect(TokenKind::kLessEqual)) return false;
  const char* order = reader.here();
  if (!ReadIota(reader, &groups->iota_reshape_dims, &groups->iota_transpose_perm)) return false;
  if (Product(groups->iota_reshape_dims) < 0 || !PermutesItself(groups->iota_transpose_perm)) {
    return reader.FailAt(order,
                         "an order of devices has sizes of at least 1 and names each dimension "
                         "once, as in [4,2]T(1,0)");
  }
  return true;
}

}  // namespace

bool ReadIota(Reader& reader, std::vector<int64_t>* reshape, std::vector<int64_t>* transpose) {
  if (!reader.ReadSizes(TokenKind::kLeftBracket, TokenKind::kRightBracket, reshape)) return false;
  if (reshape->size() > 1) {
    if (!reader.lexer.IsWord("T")) {
      return reader.FailExpected("'T(' with the order of the dimensions");
    }
    reader.lexer.Next();
    const char* at = reader.here();
    if (!reader.ReadSizes(TokenKind::kLeftParen, TokenKind::kRightParen, transpose)) return false;
    if (transpose->size() != reshape->size()) {
      return reader.FailAt(at, absl::StrCat("T(...) must order ", reshape->size(), " dimensions"));
    }
    for (int64_t d : *transpose) {
      if (d < 0 || d >= static_cast<int64_t>(reshape->size())) {
        return reader.FailAt(at,
                             absl::StrCat("T(...) names dimension ", d, " of ", reshape->size()));
      }
    }
    // An order with repetitions is kept as it stands; the reference does not look at it either.
    if (!PermutesItself(*transpose) || Product(*reshape) < 0) return true;
  } else {
    *transpose = {0};
  }
  CanonicalizeIota(reshape, transpose);
  return true;
}

bool AtMesh(const Lexer& lexer) { return lexer.IsWord("mesh") || lexer.IsWord("maximal_mesh"); }

bool ReadMesh(Reader& reader, Mesh* mesh) {
  Lexer& lexer = reader.lexer;
  const bool maximal = lexer.word() == "maximal_mesh";
  lexer.Next();
  if (maximal) {
    return reader.Expect(TokenKind::kLeftBracket) && ExpectAttr(reader, "device_id") &&
           reader.ReadInt(&mesh->device_ids.emplace_back()) &&
           reader.Expect(TokenKind::kRightBracket);
  }
  if (!reader.ReadList(TokenKind::kLeftBracket, TokenKind::kRightBracket, false,
                       [&] { return ReadMeshAxis(reader, mesh); })) {
    return false;
  }
  // ", device_ids=(...)"; the comma may also belong to what follows the mesh.
  if (!lexer.Is(TokenKind::kComma)) return true;
  const Token comma = lexer.token();
  lexer.Next();
  if (!lexer.Is(TokenKind::kAttr) || lexer.word() != "device_ids") {
    lexer.Restore(comma);
    return true;
  }
  lexer.Next();
  return ReadMeshDevices(reader, mesh);
}

bool ReadAxis(Reader& reader, const Mesh& mesh, AxisRef* axis) {
  Lexer& lexer = reader.lexer;
  const char* at = reader.here();
  std::string name;
  if (!reader.ReadString(&name)) return false;
  const int64_t axis_count = static_cast<int64_t>(mesh.axes.size());
  axis->axis = 0;
  while (axis->axis < axis_count && mesh.axes[axis->axis].name != name) ++axis->axis;
  if (axis->axis == axis_count) {
    // An axis may also be given by its position.
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data(), end, axis->axis);
    if (error != std::errc() || rest != end || axis->axis < 0 || axis->axis >= axis_count) {
      return reader.FailAt(at, absl::StrCat("the mesh has no axis '", name, "'"));
    }
  }
  if (!lexer.Eat(TokenKind::kColon)) return true;
  axis->has_sub_axis = true;
  if (!reader.Expect(TokenKind::kLeftParen) || !reader.ReadInt(&axis->sub_pre_size) ||
      !reader.Expect(TokenKind::kRightParen) || !reader.ReadInt(&axis->sub_size)) {
    return false;
  }
  const int64_t size = mesh.axes[axis->axis].size;
  int64_t reach = 0;
  const bool fits = axis->sub_pre_size >= 1 && axis->sub_size >= 2 && axis->sub_size < size &&
                    !__builtin_mul_overflow(axis->sub_pre_size, axis->sub_size, &reach) &&
                    size % reach == 0;
  return fits ||
         reader.FailAt(at, absl::StrCat("part :(", axis->sub_pre_size, ")", axis->sub_size,
                                        " does not lie inside axis '", name, "' of size ", size));
}

bool ReadAxes(Reader& reader, const Mesh& mesh, std::vector<AxisRef>* axes) {
  return reader.ReadBraceList([&] { return ReadAxis(reader, mesh, &axes->emplace_back()); });
}

bool ReadReplicaGroups(Reader& reader, ReplicaGroups* groups) {
  Lexer& lexer = reader.lexer;
  if (lexer.Is(TokenKind::kLeftBrace)) return reader.ReadIntLists(&groups->groups);
  if (lexer.Is(TokenKind::kLeftBracket)) return ReadGroupsFromIota(reader, groups);
  if (!AtMesh(lexer)) return reader.FailExpected("replica groups: '{', '[' or mesh[...]");
  groups->form = ReplicaGroups::Form::kMesh;
  return ReadMesh(reader, &groups->mesh) && ReadAxes(reader, groups->mesh, &groups->axes);
}

}  // namespace assay
