// Shapes and layouts to and from their messages. Test: conversions_test.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/proto/conversions.h"
#include "spec/proto/pieces.h"

namespace assay {
namespace {

absl::StatusOr<ElementType> TypeFromProto(wire::PrimitiveType type, absl::string_view what) {
  if (std::optional<ElementType> known = ElementTypeFromNumber(type)) return *known;
  return absl::InvalidArgumentError(
      absl::StrCat(what, " has the unknown element type number ", static_cast<int64_t>(type)));
}

absl::StatusOr<ElementType> OptionalType(wire::PrimitiveType type, absl::string_view what) {
  if (type == wire::PRIMITIVE_TYPE_INVALID) return ElementType::kInvalid;
  return TypeFromProto(type, what);
}

absl::StatusOr<Layout> LayoutFromProto(const wire::LayoutProto& proto, int64_t rank) {
  Layout layout;
  layout.minor_to_major.assign(proto.minor_to_major().begin(), proto.minor_to_major().end());
  if (!IsPermutation(layout.minor_to_major, rank)) {
    return absl::InvalidArgumentError(absl::StrCat("the layout {",
                                                   absl::StrJoin(layout.minor_to_major, ","),
                                                   "} is not an order of ", rank, " dimensions"));
  }
  for (const wire::TileProto& tile : proto.tiles()) {
    layout.tiles.push_back({Dimensions(tile.dimensions().begin(), tile.dimensions().end())});
  }
  // Writers from before this field leave 0.
  layout.tail_padding_alignment = std::max<int64_t>(1, proto.tail_padding_alignment_in_elements());
  auto index_type = OptionalType(proto.index_primitive_type(), "the index of a layout");
  if (!index_type.ok()) return index_type.status();
  layout.index_type = *index_type;
  auto pointer_type = OptionalType(proto.pointer_primitive_type(), "the pointer of a layout");
  if (!pointer_type.ok()) return pointer_type.status();
  layout.pointer_type = *pointer_type;
  layout.element_size_in_bits = proto.element_size_in_bits();
  layout.memory_space = proto.memory_space();
  for (const wire::SplitConfigProto& split : proto.split_configs()) {
    layout.split_configs.push_back(
        {split.dimension(), {split.split_indices().begin(), split.split_indices().end()}});
  }
  layout.dynamic_shape_metadata_prefix_bytes = proto.dynamic_shape_metadata_prefix_bytes();
  return layout;
}

void LayoutToProto(const Layout& layout, wire::LayoutProto* proto) {
  PutInts(layout.minor_to_major, proto->mutable_minor_to_major());
  for (const Tile& tile : layout.tiles) {
    PutInts(tile.sizes, proto->add_tiles()->mutable_dimensions());
  }
  proto->set_tail_padding_alignment_in_elements(layout.tail_padding_alignment);
  proto->set_index_primitive_type(static_cast<wire::PrimitiveType>(layout.index_type));
  proto->set_pointer_primitive_type(static_cast<wire::PrimitiveType>(layout.pointer_type));
  proto->set_element_size_in_bits(layout.element_size_in_bits);
  proto->set_memory_space(layout.memory_space);
  for (const SplitConfig& split : layout.split_configs) {
    wire::SplitConfigProto* out = proto->add_split_configs();
    out->set_dimension(split.dimension);
    PutInts(split.indices, out->mutable_split_indices());
  }
  proto->set_dynamic_shape_metadata_prefix_bytes(layout.dynamic_shape_metadata_prefix_bytes);
}

absl::Status CheckDimensions(const wire::ShapeProto& proto) {
  const int64_t rank = proto.dimensions_size();
  const int64_t flags = proto.is_dynamic_dimension_size();
  if (flags != 0 && flags != rank) {
    return absl::InvalidArgumentError(absl::StrCat("a shape has ", rank, " dimensions and ", flags,
                                                   " flags of dynamic dimensions"));
  }
  for (int64_t d = 0; d < rank; ++d) {
    const bool unbounded =
        proto.dimensions(d) == Shape::kUnbounded && flags != 0 && proto.is_dynamic_dimension(d);
    if (proto.dimensions(d) < 0 && !unbounded) {
      return absl::InvalidArgumentError(
          absl::StrCat("dimension ", d, " of a shape is negative (", proto.dimensions(d), ")"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> ArrayFromProto(const wire::ShapeProto& proto, ElementType type) {
  if (absl::Status status = CheckDimensions(proto); !status.ok()) return status;
  Shape shape(type, {proto.dimensions().data(), static_cast<size_t>(proto.dimensions_size())});
  for (int64_t d = 0; d < proto.is_dynamic_dimension_size(); ++d) {
    if (proto.is_dynamic_dimension(d)) shape.set_dynamic_dimension(d, true);
  }
  // A layout message without an order says nothing for an array with dimensions.
  const bool empty = proto.layout().minor_to_major().empty() && shape.rank() > 0;
  if (!proto.has_layout() || empty) return shape;
  absl::StatusOr<Layout> layout = LayoutFromProto(proto.layout(), shape.rank());
  if (!layout.ok()) return layout.status();
  if (*layout == Layout::Default(shape.rank())) {
    shape.FillLayouts();  // shares the default
  } else {
    shape.set_layout(*std::move(layout));
  }
  return shape;
}

absl::StatusOr<Shape> FromProto(const wire::ShapeProto& proto, int depth) {
  if (depth > kMaxShapeNesting) {
    return absl::InvalidArgumentError(
        absl::StrCat("a shape is nested more than ", kMaxShapeNesting, " levels deep"));
  }
  absl::StatusOr<ElementType> type = TypeFromProto(proto.element_type(), "a shape");
  if (!type.ok()) return type.status();
  if (IsArray(*type)) return ArrayFromProto(proto, *type);
  if (proto.dimensions_size() > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a shape of type ", Name(*type), " has dimensions"));
  }
  std::vector<Shape> elements;
  elements.reserve(proto.tuple_shapes_size());
  for (const wire::ShapeProto& element : proto.tuple_shapes()) {
    absl::StatusOr<Shape> shape = FromProto(element, depth + 1);
    if (!shape.ok()) return shape;
    elements.push_back(*std::move(shape));
  }
  if (*type == ElementType::kTuple) return Shape::Tuple(std::move(elements));
  if (*type == ElementType::kBuffer) {
    if (elements.size() != 1 || !elements[0].is_array()) {
      return absl::InvalidArgumentError("a buffer shape does not hold one array shape");
    }
    return Shape::Buffer(std::move(elements[0]));
  }
  if (!elements.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a shape of type ", Name(*type), " has elements"));
  }
  return Shape(*type, {});
}

void ToProto(const Shape& shape, wire::ShapeProto* proto) {
  proto->set_element_type(static_cast<wire::PrimitiveType>(shape.element_type()));
  PutInts(shape.dimensions(), proto->mutable_dimensions());
  if (shape.is_array()) {
    for (int64_t d = 0; d < shape.rank(); ++d) {
      proto->add_is_dynamic_dimension(shape.is_dynamic_dimension(d));
    }
    if (shape.has_layout()) LayoutToProto(*shape.layout(), proto->mutable_layout());
  }
  for (const Shape& element : shape.tuple_shapes()) ToProto(element, proto->add_tuple_shapes());
}

bool IsDeeperThan(const Shape& shape, int levels) {
  for (const Shape& element : shape.tuple_shapes()) {
    if (levels == 0 || IsDeeperThan(element, levels - 1)) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<Shape> ShapeFromProto(const wire::ShapeProto& proto) { return FromProto(proto, 0); }

wire::ShapeProto ShapeToProto(const Shape& shape) {
  wire::ShapeProto proto;
  ToProto(shape, &proto);
  return proto;
}

absl::Status CheckNesting(const Shape& shape) {
  if (!IsDeeperThan(shape, kMaxShapeNesting)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a shape is nested more than ", kMaxShapeNesting,
                                                 " levels deep, too deep for a protobuf"));
}

}  // namespace assay
