// Shape and layout of a value: an array of an element type and sizes, a tuple of shapes, a token,
// an opaque value or a buffer. Source: reference hlo_text_format.md 4, ops_structural.md 1.
// Tests: shape_test.cc.
#ifndef ASSAY_SPEC_IR_SHAPE_H_
#define ASSAY_SPEC_IR_SHAPE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/element/element_type.h"
#include "spec/ir/boxed.h"

namespace assay {

using Dimensions = absl::InlinedVector<int64_t, 4>;

// One level of tiling, sizes major to minor. kCombine ('*') merges a dimension into the next more
// minor one.
struct Tile {
  static constexpr int64_t kCombine = INT64_MIN;
  Dimensions sizes;
  friend bool operator==(const Tile&, const Tile&) = default;
};

// Whether `order` holds each of 0 .. rank-1 once.
bool IsPermutation(absl::Span<const int64_t> order, int64_t rank);

struct SplitConfig {
  int64_t dimension = 0;
  std::vector<int64_t> indices;
  friend bool operator==(const SplitConfig&, const SplitConfig&) = default;
};

// Where the elements of an array lie. Says nothing about values; kept so that modules survive a
// round trip, and for the operations that observe layout (bitcast).
struct Layout {
  Dimensions minor_to_major;  // HLO text may say anything here: not always a permutation
  std::vector<Tile> tiles;
  int64_t tail_padding_alignment = 1;  // in elements
  ElementType index_type = ElementType::kInvalid;
  ElementType pointer_type = ElementType::kInvalid;
  int64_t element_size_in_bits = 0;  // 0: natural
  int64_t memory_space = 0;
  std::vector<SplitConfig> split_configs;
  int64_t dynamic_shape_metadata_prefix_bytes = 0;
  // A minor-to-major list alone.
  bool is_plain() const;
  // Row major: {rank-1, ..., 1, 0}.
  static Layout Default(int64_t rank);
  friend bool operator==(const Layout&, const Layout&) = default;
};

class Shape {
 public:
  // The size of an unbounded dynamic dimension ('?').
  static constexpr int64_t kUnbounded = INT64_MIN;

  Shape();
  // An array without layout.
  Shape(ElementType type, absl::Span<const int64_t> dimensions);
  Shape(const Shape&);
  Shape(Shape&&) noexcept;
  Shape& operator=(const Shape&);
  Shape& operator=(Shape&&) noexcept;
  ~Shape();
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token() { return Shape(ElementType::kToken, {}); }
  static Shape Opaque() { return Shape(ElementType::kOpaque, {}); }
  static Shape Buffer(Shape array);
  static Shape Scalar(ElementType type) { return Shape(type, {}); }

  ElementType element_type() const { return type_; }
  void set_element_type(ElementType type) { type_ = type; }
  bool is_array() const { return IsArray(type_); }
  bool is_tuple() const { return type_ == ElementType::kTuple; }
  bool is_token() const { return type_ == ElementType::kToken; }
  bool is_buffer() const { return type_ == ElementType::kBuffer; }
  bool is_scalar() const { return is_array() && dimensions_.empty(); }

  int64_t rank() const { return static_cast<int64_t>(dimensions_.size()); }
  // The sizes; for a dynamic dimension its bound, or kUnbounded.
  absl::Span<const int64_t> dimensions() const { return dimensions_; }
  int64_t dimension(int64_t d) const { return dimensions_[d]; }
  void set_dimension(int64_t d, int64_t size) { dimensions_[d] = size; }
  void set_dimensions(absl::Span<const int64_t> sizes) {
    dimensions_.assign(sizes.begin(), sizes.end());
  }

  bool is_dynamic_dimension(int64_t d) const { return dynamic_ && (*dynamic_)[d]; }
  bool is_unbounded_dimension(int64_t d) const { return dimensions_[d] == kUnbounded; }
  // Any dimension, in any element of a tuple.
  bool is_dynamic() const;
  void set_dynamic_dimension(int64_t d, bool dynamic);

  // Elements of a tuple; a buffer has its array as the only element.
  absl::Span<const Shape> tuple_shapes() const {
    return tuple_shapes_ == nullptr ? absl::Span<const Shape>()
                                    : absl::MakeConstSpan(*tuple_shapes_);
  }
  const Shape& tuple_shape(int64_t i) const { return (*tuple_shapes_)[i]; }
  // Makes the list this shape's own first.
  std::vector<Shape>& mutable_tuple_shapes();

  const std::optional<Layout>& layout() const;
  bool has_layout() const { return layout().has_value(); }
  void set_layout(std::optional<Layout> layout);
  // Gives every array in the shape that has none the default layout.
  void FillLayouts();
  // Removes every layout.
  void ClearLayouts();

  // Product of the sizes of an array (1 for a scalar). An error when it overflows 63 bits or a
  // dimension is unbounded. Nothing is allocated by asking.
  absl::StatusOr<int64_t> ElementCount() const;
  // Bytes of a literal of this shape, tuples included. Errors as above.
  absl::StatusOr<int64_t> ByteSize() const;
  // The product where it is known to fit (literals and verified shapes). CHECKs otherwise.
  int64_t element_count() const;

  // Number of leaves (everything that is no tuple) in pre-order.
  int64_t leaf_count() const;
  // Levels of tuples: 0 for an array, 1 for a tuple of arrays or nothing.
  int64_t tuple_depth() const;

  // Text as in HLO; with_layout prints the layouts ("f32[2,3]{1,0}").
  std::string ToString(bool with_layout = false) const;
  void AppendTo(std::string* text, bool with_layout) const;

  // All fields, layouts included.
  friend bool operator==(const Shape& a, const Shape& b);
  // Same structure, element types and sizes; layouts and dynamic flags do not count.
  static bool Compatible(const Shape& a, const Shape& b);
  // As Compatible, but without the element types.
  static bool SameDimensions(const Shape& a, const Shape& b);

 private:
  // Whether an array in the shape has a layout, or has none.
  bool AnyArray(bool with_layout) const;

  ElementType type_ = ElementType::kInvalid;
  Dimensions dimensions_;
  Boxed<std::vector<bool>> dynamic_;  // empty: all static
  // Shared until one of the owners changes it: tuples of tuples cost no copies. Null when empty.
  std::shared_ptr<std::vector<Shape>> tuple_shapes_;
  // Most layouts are the default; shared so that copying a shape stays cheap.
  std::shared_ptr<const std::optional<Layout>> layout_;
};

// Path into a tuple: {} is the whole.
using ShapeIndex = absl::InlinedVector<int64_t, 2>;

// The sub-shape at `index`, or null where the path leaves the shape.
const Shape* SubShape(const Shape& shape, absl::Span<const int64_t> index);
// The leaves (everything that is no tuple) in pre-order.
std::vector<const Shape*> Leaves(const Shape& shape);

// Parameters by number and the result.
struct ProgramShape {
  std::vector<Shape> parameters;
  std::vector<std::string> parameter_names;
  Shape result;
};

// Row-major strides of an array's sizes, in elements.
Dimensions RowMajorStrides(absl::Span<const int64_t> dimensions);

}  // namespace assay

#endif  // ASSAY_SPEC_IR_SHAPE_H_
