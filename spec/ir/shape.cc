#include "spec/ir/shape.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace assay {
namespace {

const std::optional<Layout> kNoLayout;

bool SameArrays(const Shape& a, const Shape& b, bool element_types) {
  if (a.is_array() && b.is_array()) {
    return (!element_types || a.element_type() == b.element_type()) &&
           a.dimensions() == b.dimensions();
  }
  if (a.element_type() != b.element_type()) return false;
  if (a.tuple_shapes().size() != b.tuple_shapes().size()) return false;
  for (size_t i = 0; i < a.tuple_shapes().size(); ++i) {
    if (!SameArrays(a.tuple_shapes()[i], b.tuple_shapes()[i], element_types)) return false;
  }
  return true;
}

void AppendLayout(const Layout& layout, std::string* out) {
  absl::StrAppend(out, "{", absl::StrJoin(layout.minor_to_major, ","));
  if (!layout.is_plain()) {
    absl::StrAppend(out, ":");
    for (size_t i = 0; i < layout.tiles.size(); ++i) {
      absl::StrAppend(out, i == 0 ? "T(" : "(",
                      absl::StrJoin(layout.tiles[i].sizes, ",",
                                    [](std::string* s, int64_t size) {
                                      if (size == Tile::kCombine) {
                                        absl::StrAppend(s, "*");
                                      } else {
                                        absl::StrAppend(s, size);
                                      }
                                    }),
                      ")");
    }
    if (layout.tail_padding_alignment != 1) {
      absl::StrAppend(out, "L(", layout.tail_padding_alignment, ")");
    }
    if (layout.index_type != ElementType::kInvalid) {
      absl::StrAppend(out, "#(", Name(layout.index_type), ")");
    }
    if (layout.pointer_type != ElementType::kInvalid) {
      absl::StrAppend(out, "*(", Name(layout.pointer_type), ")");
    }
    if (layout.element_size_in_bits != 0) {
      absl::StrAppend(out, "E(", layout.element_size_in_bits, ")");
    }
    if (layout.memory_space != 0) absl::StrAppend(out, "S(", layout.memory_space, ")");
    for (size_t i = 0; i < layout.split_configs.size(); ++i) {
      const SplitConfig& split = layout.split_configs[i];
      absl::StrAppend(out, i == 0 ? "SC(" : "(", split.dimension, ":",
                      absl::StrJoin(split.indices, ","), ")");
    }
    if (layout.dynamic_shape_metadata_prefix_bytes != 0) {
      absl::StrAppend(out, "M(", layout.dynamic_shape_metadata_prefix_bytes, ")");
    }
  }
  absl::StrAppend(out, "}");
}

void AppendShape(const Shape& shape, bool with_layout, std::string* out) {
  if (shape.is_tuple()) {
    absl::StrAppend(out, "(");
    for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
      if (i > 0) absl::StrAppend(out, ", ");
      if (i > 0 && i % 5 == 0) absl::StrAppend(out, "/*index=", i, "*/");
      AppendShape(shape.tuple_shapes()[i], with_layout, out);
    }
    absl::StrAppend(out, ")");
    return;
  }
  if (shape.is_buffer()) {
    absl::StrAppend(out, "b(");
    AppendShape(shape.tuple_shape(0), with_layout, out);
    absl::StrAppend(out, ")");
    return;
  }
  if (shape.element_type() == ElementType::kInvalid) {
    absl::StrAppend(out, "<no shape>");
    return;
  }
  absl::StrAppend(out, Name(shape.element_type()), "[");
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d > 0) absl::StrAppend(out, ",");
    if (shape.is_unbounded_dimension(d)) {
      absl::StrAppend(out, "?");
    } else {
      absl::StrAppend(out, shape.is_dynamic_dimension(d) ? "<=" : "", shape.dimension(d));
    }
  }
  absl::StrAppend(out, "]");
  if (!with_layout || !shape.is_array() || !shape.has_layout()) return;
  const Layout& layout = *shape.layout();
  if (shape.rank() > 0 || !layout.is_plain()) AppendLayout(layout, out);
}

}  // namespace

bool IsPermutation(absl::Span<const int64_t> order, int64_t rank) {
  if (static_cast<int64_t>(order.size()) != rank) return false;
  std::vector<bool> seen(rank, false);
  for (int64_t d : order) {
    if (d < 0 || d >= rank || seen[d]) return false;
    seen[d] = true;
  }
  return true;
}

bool Layout::is_plain() const {
  return tiles.empty() && tail_padding_alignment == 1 && index_type == ElementType::kInvalid &&
         pointer_type == ElementType::kInvalid && element_size_in_bits == 0 && memory_space == 0 &&
         split_configs.empty() && dynamic_shape_metadata_prefix_bytes == 0;
}

Layout Layout::Default(int64_t rank) {
  Layout layout;
  layout.minor_to_major.resize(rank);
  for (int64_t i = 0; i < rank; ++i) layout.minor_to_major[i] = rank - 1 - i;
  return layout;
}

Shape::Shape() = default;
Shape::Shape(ElementType type, absl::Span<const int64_t> dimensions)
    : type_(type), dimensions_(dimensions.begin(), dimensions.end()) {}
Shape::Shape(const Shape&) = default;
Shape::Shape(Shape&&) noexcept = default;
Shape& Shape::operator=(const Shape&) = default;
Shape& Shape::operator=(Shape&&) noexcept = default;
Shape::~Shape() = default;

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape shape(ElementType::kTuple, {});
  if (!elements.empty()) {
    shape.tuple_shapes_ = std::make_shared<std::vector<Shape>>(std::move(elements));
  }
  return shape;
}

Shape Shape::Buffer(Shape array) {
  Shape shape(ElementType::kBuffer, {});
  shape.mutable_tuple_shapes().push_back(std::move(array));
  return shape;
}

bool Shape::is_dynamic() const {
  if (dynamic_) return true;
  for (const Shape& element : tuple_shapes()) {
    if (element.is_dynamic()) return true;
  }
  return false;
}

void Shape::set_dynamic_dimension(int64_t d, bool dynamic) {
  if (!dynamic_) {
    if (!dynamic) return;
    dynamic_.emplace().resize(dimensions_.size(), false);
  }
  (*dynamic_)[d] = dynamic;
  for (bool any : *dynamic_) {
    if (any) return;
  }
  dynamic_.reset();
}

const std::optional<Layout>& Shape::layout() const {
  return layout_ == nullptr ? kNoLayout : *layout_;
}

void Shape::set_layout(std::optional<Layout> layout) {
  layout_ = layout ? std::make_shared<const std::optional<Layout>>(std::move(layout)) : nullptr;
}

void Shape::FillLayouts() {
  if (is_array() && layout_ == nullptr) {
    // One shared default per rank.
    static const auto* const defaults = [] {
      auto* table = new std::vector<std::shared_ptr<const std::optional<Layout>>>;
      for (int64_t rank = 0; rank < 16; ++rank) {
        table->push_back(std::make_shared<const std::optional<Layout>>(Layout::Default(rank)));
      }
      return table;
    }();
    if (rank() < static_cast<int64_t>(defaults->size())) {
      layout_ = (*defaults)[rank()];
    } else {
      set_layout(Layout::Default(rank()));
    }
  }
  // Looking first keeps what is complete shared.
  if (tuple_shapes_ == nullptr || !AnyArray(/*with_layout=*/false)) return;
  for (Shape& element : mutable_tuple_shapes()) element.FillLayouts();
}

void Shape::ClearLayouts() {
  layout_ = nullptr;
  if (tuple_shapes_ == nullptr || !AnyArray(/*with_layout=*/true)) return;
  for (Shape& element : mutable_tuple_shapes()) element.ClearLayouts();
}

absl::StatusOr<int64_t> Shape::ElementCount() const {
  int64_t count = 1;
  bool zero = false;
  for (int64_t d = 0; d < rank(); ++d) {
    if (is_unbounded_dimension(d)) {
      return absl::InvalidArgumentError(absl::StrCat("the size of dimension ", d, " of ",
                                                     ToString(), " is not known (unbounded)"));
    }
    if (dimension(d) < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("dimension ", d, " of ", ToString(), " is negative"));
    }
    if (dimension(d) == 0) zero = true;
  }
  if (zero) return 0;
  for (int64_t size : dimensions_) {
    if (__builtin_mul_overflow(count, size, &count)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the number of elements overflows 63 bits: ", ToString()));
    }
  }
  return count;
}

absl::StatusOr<int64_t> Shape::ByteSize() const {
  if (is_array()) {
    absl::StatusOr<int64_t> count = ElementCount();
    if (!count.ok()) return count;
    int64_t bytes;
    if (__builtin_mul_overflow(*count, int64_t{Info(type_).storage_bytes}, &bytes)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the bytes of ", ToString(), " overflow 63 bits"));
    }
    return bytes;
  }
  int64_t total = 0;
  for (const Shape& element : tuple_shapes()) {
    absl::StatusOr<int64_t> bytes = element.ByteSize();
    if (!bytes.ok()) return bytes;
    if (__builtin_add_overflow(total, *bytes, &total)) {
      return absl::InvalidArgumentError("the bytes of a tuple overflow 63 bits");
    }
  }
  return total;
}

int64_t Shape::element_count() const {
  absl::StatusOr<int64_t> count = ElementCount();
  if (!count.ok()) {
    std::fprintf(stderr, "%s\n", count.status().ToString().c_str());
    std::abort();
  }
  return *count;
}

int64_t Shape::leaf_count() const {
  if (!is_tuple()) return 1;
  int64_t count = 0;
  for (const Shape& element : tuple_shapes()) count += element.leaf_count();
  return count;
}

int64_t Shape::tuple_depth() const {
  if (!is_tuple()) return 0;
  int64_t depth = 0;
  for (const Shape& element : tuple_shapes()) depth = std::max(depth, element.tuple_depth());
  return depth + 1;
}

std::vector<Shape>& Shape::mutable_tuple_shapes() {
  if (tuple_shapes_ == nullptr) {
    tuple_shapes_ = std::make_shared<std::vector<Shape>>();
  } else if (tuple_shapes_.use_count() > 1) {
    tuple_shapes_ = std::make_shared<std::vector<Shape>>(*tuple_shapes_);
  }
  return *tuple_shapes_;
}

bool Shape::AnyArray(bool with_layout) const {
  if (is_array()) return has_layout() == with_layout;
  for (const Shape& element : tuple_shapes()) {
    if (element.AnyArray(with_layout)) return true;
  }
  return false;
}

std::string Shape::ToString(bool with_layout) const {
  std::string text;
  AppendShape(*this, with_layout, &text);
  return text;
}

void Shape::AppendTo(std::string* text, bool with_layout) const {
  AppendShape(*this, with_layout, text);
}

bool operator==(const Shape& a, const Shape& b) {
  return a.type_ == b.type_ && a.dimensions_ == b.dimensions_ && a.dynamic_ == b.dynamic_ &&
         (a.tuple_shapes_ == b.tuple_shapes_ || a.tuple_shapes() == b.tuple_shapes()) &&
         (a.layout_ == b.layout_ || a.layout() == b.layout());
}

bool Shape::Compatible(const Shape& a, const Shape& b) { return SameArrays(a, b, true); }
bool Shape::SameDimensions(const Shape& a, const Shape& b) { return SameArrays(a, b, false); }

const Shape* SubShape(const Shape& shape, absl::Span<const int64_t> index) {
  const Shape* at = &shape;
  for (int64_t i : index) {
    if (!at->is_tuple() || i < 0 || i >= static_cast<int64_t>(at->tuple_shapes().size())) {
      return nullptr;
    }
    at = &at->tuple_shape(i);
  }
  return at;
}

namespace {
void CollectLeaves(const Shape& shape, std::vector<const Shape*>* out) {
  if (!shape.is_tuple()) {
    out->push_back(&shape);
    return;
  }
  for (const Shape& element : shape.tuple_shapes()) CollectLeaves(element, out);
}
}  // namespace

std::vector<const Shape*> Leaves(const Shape& shape) {
  std::vector<const Shape*> leaves;
  CollectLeaves(shape, &leaves);
  return leaves;
}

Dimensions RowMajorStrides(absl::Span<const int64_t> dimensions) {
  Dimensions strides(dimensions.size());
  int64_t stride = 1;
  for (size_t i = dimensions.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dimensions[i];
  }
  return strides;
}

}  // namespace assay
