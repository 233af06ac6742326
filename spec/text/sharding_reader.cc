// Shardings (hlo_text_format.md 7.2): one device, replicated, tiles of devices, or named axes of a
// mesh; one for an array, a list for a tuple.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/ir/device_lists.h"
#include "spec/text/iota_tiles.h"
#include "spec/text/reader.h"

namespace assay {
namespace {

using Type = Sharding::Type;

// What has been written in a single sharding so far.
struct Items {
  bool replicated = false, maximal = false, manual = false, unknown = false, unreduced = false;
  bool last_tile_dim_replicate = false;
  bool has_last_tile_dims = false;
  std::vector<Type> last_tile_dims;
  std::vector<int64_t> tile_dimensions;
  std::vector<int64_t> devices;
  std::vector<int64_t> iota_reshape_dims;
  std::vector<int64_t> iota_transpose_perm;
  std::vector<Metadata> metadata;
  bool shard_as = false, shard_like = false;
  int64_t group_id = 0;
};

bool ReadMetadataItems(Reader& reader, std::vector<Metadata>* metadata) {
  if (reader.lexer.Is(TokenKind::kLeftBrace) && reader.lexer.PeekByte() == '{') {
    return reader.ReadBraceList([&] { return ReadMetadata(reader, &metadata->emplace_back()); });
  }
  return ReadMetadata(reader, &metadata->emplace_back());
}

bool ReadLastTileDims(Reader& reader, Items* items) {
  items->has_last_tile_dims = true;
  return reader.ReadBraceList([&] {
    Lexer& lexer = reader.lexer;
    Type type;
    if (lexer.Is(Keyword::kMaximal)) {
      type = Type::kMaximal;
    } else if (lexer.Is(Keyword::kReplicated)) {
      type = Type::kReplicated;
    } else if (lexer.Is(Keyword::kManual)) {
      type = Type::kManual;
    } else if (lexer.Is(Keyword::kUnreduced)) {
      type = Type::kUnreduced;
    } else {
      return reader.FailExpected("maximal, replicated, manual or unreduced");
    }
    items->last_tile_dims.push_back(type);
    lexer.Next();
    return true;
  });
}

// devices=[2,2]0,1,2,3 or devices=[2,2]<=[4].
bool ReadTiles(Reader& reader, Items* items) {
  Lexer& lexer = reader.lexer;
  items->tile_dimensions.clear();
  if (!reader.ReadSizes(TokenKind::kLeftBracket, TokenKind::kRightBracket,
                        &items->tile_dimensions)) {
    return false;
  }
  if (lexer.Eat(TokenKind::kLessEqual)) {
    items->iota_reshape_dims.clear();
    items->iota_transpose_perm.clear();
    return ReadIota(reader, &items->iota_reshape_dims, &items->iota_transpose_perm);
  }
  items->devices.clear();
  while (true) {
    if (!reader.ReadInt(&items->devices.emplace_back())) return false;
    if (!lexer.Is(TokenKind::kComma)) return true;
    lexer.NextInt();
  }
}

bool ReadAttributeItem(Reader& reader, Items* items) {
  Lexer& lexer = reader.lexer;
  const Token name = lexer.token();
  lexer.Next();
  if (name.word == "device") {
    items->devices.assign(1, 0);
    return reader.ReadInt(&items->devices[0]);
  }
  if (name.word == "devices") return ReadTiles(reader, items);
  if (name.word == "last_tile_dims") return ReadLastTileDims(reader, items);
  if (name.word == "metadata") return ReadMetadataItems(reader, &items->metadata);
  return reader.FailAt(name.begin, absl::StrCat("unknown field '", name.word,
                                                "' in a sharding; known are device, devices, "
                                                "last_tile_dims, metadata"));
}

bool ReadKeywordItem(Reader& reader, Items* items) {
  Lexer& lexer = reader.lexer;
  switch (lexer.token().keyword) {
    case Keyword::kReplicated:
      items->replicated = true;
      break;
    case Keyword::kMaximal:
      items->maximal = true;
      break;
    case Keyword::kManual:
      items->manual = true;
      break;
    case Keyword::kUnknown:
      items->unknown = true;
      break;
    case Keyword::kUnreduced:
      items->unreduced = true;
      break;
    case Keyword::kLastTileDimReplicate:
      items->last_tile_dim_replicate = true;
      break;
    case Keyword::kShardAs:
    case Keyword::kShardLike:
      (lexer.Is(Keyword::kShardAs) ? items->shard_as : items->shard_like) = true;
      lexer.Next();
      return reader.ReadInt(&items->group_id);
    default:
      return reader.FailExpected("a sharding");
  }
  lexer.Next();
  return true;
}

// Where the last tile dimensions are groups of devices with roles: drops those of size 1, joins
// equal roles, sorts them with replication last, and reduces what remains to the simple kinds.
class GroupNormalizer {
 public:
  GroupNormalizer(Sharding* sharding, std::vector<Type> roles)
      : sharding_(*sharding), roles_(std::move(roles)) {}

  void Run() {
    if (CollapsesToSimpleKind()) return;
    const int64_t data = DataDimensions();
    // Replication last: its devices can then be sorted.
    auto key = [](Type type) { return type == Type::kReplicated ? 100 : static_cast<int>(type); };
    std::map<int, std::vector<int64_t>> dims_of;
    std::map<int, Type> type_of;
    std::vector<int64_t> ones;
    bool reorder = false;
    for (size_t i = 0; i < roles_.size(); ++i) {
      const int64_t dim = data + static_cast<int64_t>(i);
      if (sharding_.tile_dimensions[dim] == 1) {
        ones.push_back(dim);
        reorder = true;
        continue;
      }
      std::vector<int64_t>& dims = dims_of[key(roles_[i])];
      reorder = reorder || !dims.empty() || dims_of.rbegin()->first != key(roles_[i]);
      dims.push_back(dim);
      type_of[key(roles_[i])] = roles_[i];
    }
    if (reorder) Reorder(data, dims_of, type_of, ones);
    if (roles_ == std::vector<Type>{Type::kReplicated}) {
      roles_.clear();
      NormalizeReplication();
    } else {
      if (!roles_.empty() && roles_.back() == Type::kReplicated) SortLastTile();
      sharding_.last_tile_dims = roles_;
    }
  }

  // The last tile dimension is replication.
  void NormalizeReplication() {
    std::vector<int64_t>& tiles = sharding_.tile_dimensions;
    int64_t rest = 1;
    for (size_t d = 0; d + 1 < tiles.size(); ++d) rest *= tiles[d];
    if (rest == 1) return BecomeSimple(Type::kReplicated);
    if (tiles.back() == 1) {
      tiles.pop_back();
      return;
    }
    sharding_.replicate_on_last_tile_dim = true;
    SortLastTile();
  }

 private:
  int64_t DataDimensions() const {
    return static_cast<int64_t>(sharding_.tile_dimensions.size() - roles_.size());
  }

  void BecomeSimple(Type type) {
    sharding_.type = type;
    sharding_.tile_dimensions.clear();
    sharding_.devices.clear();
    sharding_.iota_reshape_dims.clear();
    sharding_.iota_transpose_perm.clear();
  }

  bool CollapsesToSimpleKind() {
    const Type first = roles_[0];
    if (first == Type::kMaximal) return false;
    for (Type role : roles_) {
      if (role != first) return false;
    }
    for (int64_t d = 0; d < DataDimensions(); ++d) {
      if (sharding_.tile_dimensions[d] != 1) return false;
    }
    BecomeSimple(first);
    return true;
  }

  // The order of devices that hold the same tile does not matter: it becomes ascending.
  void SortLastTile() {
    const int64_t run = sharding_.tile_dimensions.back();
    if (!sharding_.iota_reshape_dims.empty()) {
      auto iota = IotaTiles::Create(sharding_.tile_dimensions, sharding_.iota_reshape_dims,
                                    sharding_.iota_transpose_perm);
      if (iota) {
        iota->SortLast(1);
        iota->ToIota(&sharding_.iota_reshape_dims, &sharding_.iota_transpose_perm);
        return;
      }
    }
    if (!ListDevices()) return;
    auto begin = sharding_.devices.begin();
    for (; sharding_.devices.end() - begin >= run; begin += run) std::sort(begin, begin + run);
  }

  // Replaces an iota by its devices; false where it cannot be listed.
  bool ListDevices() {
    if (sharding_.iota_reshape_dims.empty()) return true;
    constexpr int64_t kMaxListed = int64_t{1} << 20;
    absl::StatusOr<std::vector<int64_t>> devices =
        ListIota(sharding_.iota_reshape_dims, sharding_.iota_transpose_perm, kMaxListed);
    int64_t count = 1;
    for (int64_t size : sharding_.tile_dimensions) count *= size;
    if (!devices.ok() || static_cast<int64_t>(devices->size()) != count) return false;
    sharding_.devices = *std::move(devices);
    sharding_.iota_reshape_dims.clear();
    sharding_.iota_transpose_perm.clear();
    return true;
  }

  void Reorder(int64_t data, const std::map<int, std::vector<int64_t>>& dims_of,
               const std::map<int, Type>& type_of, const std::vector<int64_t>& ones) {
    const std::vector<int64_t>& old_tiles = sharding_.tile_dimensions;
    std::vector<int64_t> order;
    std::vector<int64_t> tiles(old_tiles.begin(), old_tiles.begin() + data);
    std::vector<Type> roles;
    for (int64_t d = 0; d < data; ++d) order.push_back(d);
    for (const auto& [key, dims] : dims_of) {
      int64_t size = 1;
      for (int64_t dim : dims) {
        order.push_back(dim);
        size *= old_tiles[dim];
      }
      tiles.push_back(size);
      roles.push_back(type_of.at(key));
    }
    order.insert(order.end(), ones.begin(), ones.end());
    if (!PermuteTiles(order)) return;
    sharding_.tile_dimensions = std::move(tiles);
    roles_ = std::move(roles);
  }

  bool PermuteTiles(const std::vector<int64_t>& order) {
    const std::vector<int64_t>& tiles = sharding_.tile_dimensions;
    if (!sharding_.iota_reshape_dims.empty()) {
      auto iota =
          IotaTiles::Create(tiles, sharding_.iota_reshape_dims, sharding_.iota_transpose_perm);
      if (iota) {
        iota->Permute(order);
        iota->ToIota(&sharding_.iota_reshape_dims, &sharding_.iota_transpose_perm);
        return true;
      }
      if (!ListDevices()) return false;
    }
    // Walk the devices in the new order.
    std::vector<int64_t> strides(tiles.size(), 1);
    for (size_t d = tiles.size(); d-- > 1;) strides[d - 1] = strides[d] * tiles[d];
    std::vector<int64_t> positions = {0};
    for (int64_t d : order) {
      std::vector<int64_t> longer;
      for (int64_t position : positions) {
        for (int64_t i = 0; i < tiles[d]; ++i) longer.push_back(position + i * strides[d]);
      }
      positions = std::move(longer);
    }
    std::vector<int64_t> devices;
    devices.reserve(positions.size());
    for (int64_t position : positions) devices.push_back(sharding_.devices[position]);
    sharding_.devices = std::move(devices);
    return true;
  }

  Sharding& sharding_;
  std::vector<Type> roles_;
};

// XLA's reader drops devices beyond those of the tiles and fills up with device 0.
constexpr int64_t kMostFilled = int64_t{1} << 20;

bool BuildTiled(Reader& reader, const char* at, Items items, Sharding* sharding) {
  if (items.tile_dimensions.empty()) {
    return reader.FailAt(at, "a sharding needs a kind or devices=[...]");
  }
  const bool has_groups = items.last_tile_dim_replicate || !items.last_tile_dims.empty();
  int64_t count = 1;
  for (const int64_t& size : items.tile_dimensions) {
    // None in the last group: everything is replicated.
    const bool no_group = has_groups && size == 0 && &size == &items.tile_dimensions.back();
    if (size < 1 && !no_group) {
      return reader.FailAt(at, "a tile dimension of a sharding must be at least 1");
    }
    if (__builtin_mul_overflow(count, size, &count)) {
      return reader.FailAt(at, "the tile dimensions of a sharding multiply beyond 63 bits");
    }
  }
  const int64_t listed = static_cast<int64_t>(items.devices.size());
  if (items.iota_reshape_dims.empty()) {
    if (listed < 2) {
      return reader.FailAt(at, "a sharding with tiles needs a list of more than one device");
    }
    if (listed < count && count > kMostFilled) {
      return reader.FailAt(
          at, absl::StrCat("the tile dimensions hold ", count, " devices, the list has ", listed));
    }
    items.devices.resize(count);
  }
  if (items.last_tile_dim_replicate && items.has_last_tile_dims) {
    return reader.FailAt(at, "last_tile_dim_replicate and last_tile_dims exclude each other");
  }
  if (items.last_tile_dims.size() > items.tile_dimensions.size()) {
    return reader.FailAt(at, "last_tile_dims names more dimensions than the tiles have");
  }
  if (count == 0) {
    sharding->type = Type::kReplicated;
    return true;
  }
  sharding->type = Type::kTiled;
  sharding->tile_dimensions = std::move(items.tile_dimensions);
  sharding->devices = std::move(items.devices);
  sharding->iota_reshape_dims = std::move(items.iota_reshape_dims);
  sharding->iota_transpose_perm = std::move(items.iota_transpose_perm);
  if (!sharding->iota_reshape_dims.empty()) sharding->devices.clear();
  if (items.last_tile_dim_replicate) GroupNormalizer(sharding, {}).NormalizeReplication();
  if (!items.last_tile_dims.empty()) GroupNormalizer(sharding, items.last_tile_dims).Run();
  return true;
}

bool BuildSharding(Reader& reader, const char* at, Items items, Sharding* sharding) {
  if (items.shard_as || items.shard_like) {
    sharding->group = items.shard_as ? Sharding::Group::kAs : Sharding::Group::kLike;
    sharding->group_id = items.group_id;
  }
  sharding->metadata = std::move(items.metadata);
  auto simple = [&](Type type, absl::string_view name) {
    sharding->type = type;
    return items.devices.empty() ||
           reader.FailAt(at, absl::StrCat("a ", name, " sharding takes no devices"));
  };
  if (items.replicated) return simple(Type::kReplicated, "replicated");
  if (items.maximal) {
    if (items.devices.size() != 1) {
      return reader.FailAt(at, "a maximal sharding takes exactly one device: device=N");
    }
    sharding->type = Type::kMaximal;
    sharding->devices = std::move(items.devices);
    return true;
  }
  if (items.manual) return simple(Type::kManual, "manual");
  if (items.unknown) return simple(Type::kUnknown, "unknown");
  if (items.unreduced) return simple(Type::kUnreduced, "unreduced");
  return BuildTiled(reader, at, std::move(items), sharding);
}

// Named shardings.

bool ReadReduction(Reader& reader, NamedSharding::Reduction* reduction) {
  const absl::string_view word = reader.lexer.word();
  if (word == "sum") {
    *reduction = NamedSharding::Reduction::kSum;
  } else if (word == "max") {
    *reduction = NamedSharding::Reduction::kMax;
  } else if (word == "min") {
    *reduction = NamedSharding::Reduction::kMin;
  } else {
    return reader.FailExpected("sum, max or min");
  }
  reader.lexer.Next();
  return true;
}

bool ReadDimensionSharding(Reader& reader, NamedSharding* named) {
  NamedSharding::DimensionSharding& dimension = named->dimensions.emplace_back();
  return reader.ReadBraceList([&] {
    if (!dimension.is_closed) return reader.Fail("'?' comes last in a dimension");
    if (reader.lexer.Eat(TokenKind::kQuestion)) {
      dimension.is_closed = false;
      return true;
    }
    return ReadAxis(reader, named->mesh, &dimension.axes.emplace_back());
  });
}

// The share [begin, end) of an axis that a reference takes, in steps of the major-to-minor product.
struct Share {
  int64_t begin, end;
};
Share ShareOf(const Mesh& mesh, const AxisRef& axis) {
  if (!axis.has_sub_axis) return {1, mesh.axes[axis.axis].size};
  return {axis.sub_pre_size, axis.sub_pre_size * axis.sub_size};
}

// An axis may be used once over all lists, and neighbouring parts of one axis stand as one.
bool CheckAxes(Reader& reader, const char* at, const NamedSharding& named) {
  std::vector<const std::vector<AxisRef>*> lists;
  for (const auto& dimension : named.dimensions) lists.push_back(&dimension.axes);
  for (const auto* list : {&named.replicated_axes, &named.unreduced_axes, &named.manual_axes}) {
    lists.push_back(list);
  }
  std::vector<AxisRef> used;
  for (const auto* list : lists) {
    for (size_t i = 0; i < list->size(); ++i) {
      const AxisRef& axis = (*list)[i];
      const Share share = ShareOf(named.mesh, axis);
      for (const AxisRef& other : used) {
        if (other.axis != axis.axis) continue;
        const Share taken = ShareOf(named.mesh, other);
        const bool whole = !axis.has_sub_axis || !other.has_sub_axis;
        if (whole || (share.begin < taken.end && taken.begin < share.end)) {
          return reader.FailAt(at, absl::StrCat("axis '", named.mesh.axes[axis.axis].name,
                                                "' of the mesh is used twice"));
        }
      }
      if (i > 0 && (*list)[i - 1].axis == axis.axis &&
          ShareOf(named.mesh, (*list)[i - 1]).end == share.begin) {
        return reader.FailAt(
            at, absl::StrCat("neighbouring parts of axis '", named.mesh.axes[axis.axis].name,
                             "' must be written as one"));
      }
      used.push_back(axis);
    }
  }
  return true;
}

constexpr absl::string_view kNamedFields[] = {"replicated", "unreduced", "manual", "metadata"};

bool ReadNamedField(Reader& reader, NamedSharding* named, uint32_t* seen) {
  Lexer& lexer = reader.lexer;
  if (!lexer.Is(TokenKind::kAttr)) {
    return reader.FailExpected("replicated=, unreduced=, manual= or metadata=");
  }
  const Token name = lexer.token();
  lexer.Next();
  switch (FindField(reader, kNamedFields, name, "a named sharding", seen)) {
    case 0:
      return ReadAxes(reader, named->mesh, &named->replicated_axes);
    case 1:
      if (lexer.Is(TokenKind::kIdent) && !ReadReduction(reader, &named->reduction)) return false;
      return ReadAxes(reader, named->mesh, &named->unreduced_axes);
    case 2:
      return ReadAxes(reader, named->mesh, &named->manual_axes);
    case 3:
      return ReadMetadataItems(reader, &named->metadata);
    default:
      return false;
  }
}

std::vector<AxisRef> AllAxes(const Mesh& mesh) {
  std::vector<AxisRef> axes(mesh.axes.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i].axis = static_cast<int64_t>(i);
  return axes;
}

// replicated | manual | unreduced ['=' reduction] [axes], in place of dimensions.
bool ReadWholeMesh(Reader& reader, NamedSharding* named) {
  Lexer& lexer = reader.lexer;
  if (lexer.Eat(Keyword::kReplicated)) return true;
  if (lexer.Eat(Keyword::kManual)) {
    named->manual_axes = AllAxes(named->mesh);
    return true;
  }
  const bool with_reduction = lexer.Is(TokenKind::kAttr) && lexer.word() == "unreduced";
  if (!with_reduction && !lexer.Is(Keyword::kUnreduced)) {
    return reader.FailExpected("'[' with the dimensions, replicated, manual or unreduced");
  }
  lexer.Next();
  if (with_reduction && !ReadReduction(reader, &named->reduction)) return false;
  if (lexer.Is(TokenKind::kLeftBrace)) return ReadAxes(reader, named->mesh, &named->unreduced_axes);
  named->unreduced_axes = AllAxes(named->mesh);
  return true;
}

bool ReadNamed(Reader& reader, Sharding* sharding) {
  Lexer& lexer = reader.lexer;
  const char* at = reader.here();
  auto named = std::make_shared<NamedSharding>();
  const bool maximal = lexer.word() == "maximal_mesh";
  if (!ReadMesh(reader, &named->mesh)) return false;
  if (!maximal) {
    lexer.Eat(TokenKind::kComma);
    const bool read =
        lexer.Is(TokenKind::kLeftBracket)
            ? reader.ReadList(TokenKind::kLeftBracket, TokenKind::kRightBracket, false,
                              [&] { return ReadDimensionSharding(reader, named.get()); })
            : ReadWholeMesh(reader, named.get());
    if (!read) return false;
  }
  uint32_t seen = 0;
  while (lexer.Eat(TokenKind::kComma)) {
    if (!ReadNamedField(reader, named.get(), &seen)) return false;
  }
  if (!CheckAxes(reader, at, *named)) return false;
  if (named->unreduced_axes.empty()) named->reduction = NamedSharding::Reduction::kSum;
  sharding->named = std::move(named);
  return true;
}

// What stands between the braces of a sharding that is not a tuple.
bool ReadSingle(Reader& reader, const char* open, Sharding* sharding) {
  Lexer& lexer = reader.lexer;
  if (AtMesh(lexer)) return ReadNamed(reader, sharding) && reader.Expect(TokenKind::kRightBrace);
  Items items;
  while (!lexer.Eat(TokenKind::kRightBrace)) {
    const bool read = lexer.Is(TokenKind::kKeyword) ? ReadKeywordItem(reader, &items)
                      : lexer.Is(TokenKind::kAttr)  ? ReadAttributeItem(reader, &items)
                                                    : reader.FailExpected("a sharding item or '}'");
    if (!read) return false;
  }
  return BuildSharding(reader, open, std::move(items), sharding);
}

}  // namespace

bool ReadSharding(Reader& reader, Sharding* sharding) {
  Lexer& lexer = reader.lexer;
  const char* open = reader.here();
  if (!reader.Expect(TokenKind::kLeftBrace)) return false;
  if (!lexer.Is(TokenKind::kLeftBrace) && !lexer.Is(TokenKind::kRightBrace)) {
    return ReadSingle(reader, open, sharding);
  }
  sharding->type = Type::kTuple;
  if (lexer.Eat(TokenKind::kRightBrace)) return true;
  while (true) {
    open = reader.here();
    if (!reader.Expect(TokenKind::kLeftBrace) ||
        !ReadSingle(reader, open, &sharding->tuple.emplace_back())) {
      return false;
    }
    if (lexer.Eat(TokenKind::kRightBrace)) return true;
    if (!reader.Expect(TokenKind::kComma)) return false;
  }
}

Sharding ExpandSharding(const Sharding& single, const Shape& shape) {
  Sharding tuple;
  tuple.type = Type::kTuple;
  // An empty tuple counts as one leaf.
  tuple.tuple.assign(std::max<int64_t>(1, shape.leaf_count()), single);
  return tuple;
}

}  // namespace assay
