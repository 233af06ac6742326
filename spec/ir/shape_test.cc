// Shapes: sizes and their overflows, text (reference hlo_text_format.md 4), comparisons, sharing.
#include "spec/ir/shape.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/ir/row_major.h"
#include "spec/ir/shape_table.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Shape F32(std::vector<int64_t> dimensions) { return Shape(ElementType::kF32, dimensions); }

Shape WithLayout(Shape shape, Layout layout) {
  shape.set_layout(std::move(layout));
  return shape;
}

// ((f32[2], token[]), s8[3,4], ())
Shape Nested() {
  return Shape::Tuple({Shape::Tuple({F32({2}), Shape::Token()}), Shape(ElementType::kS8, {3, 4}),
                       Shape::Tuple({})});
}

TEST(Shape, ElementCountIsTheProductOfTheSizes) {
  EXPECT_EQ(*F32({}).ElementCount(), 1);
  EXPECT_EQ(*F32({5}).ElementCount(), 5);
  EXPECT_EQ(*F32({2, 3, 4}).ElementCount(), 24);
  EXPECT_EQ(F32({2, 3, 4}).element_count(), 24);
  EXPECT_EQ(*F32({2, 0, 4}).ElementCount(), 0);
  // 2^62 fits 63 bits, 2^63 does not; a zero makes any product zero.
  constexpr int64_t kHalf = int64_t{1} << 31;
  EXPECT_EQ(*F32({kHalf, kHalf}).ElementCount(), int64_t{1} << 62);
  EXPECT_EQ(*F32({INT64_MAX}).ElementCount(), INT64_MAX);
  EXPECT_EQ(*F32({kHalf, kHalf, kHalf, 0}).ElementCount(), 0);
  const absl::Status overflow = F32({kHalf, kHalf, 2}).ElementCount().status();
  EXPECT_EQ(overflow.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(overflow.message(), HasSubstr("f32[2147483648,2147483648,2]"));
}

TEST(Shape, UnboundedAndNegativeSizesHaveNoCount) {
  EXPECT_THAT(F32({3, Shape::kUnbounded}).ElementCount().status().message(),
              HasSubstr("dimension 1 of f32[3,?]"));
  EXPECT_EQ(F32({0, Shape::kUnbounded}).ElementCount().status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(F32({-3}).ElementCount().status().message(), HasSubstr("negative"));
}

TEST(Shape, ByteSizeCountsTheLeavesOfTuples) {
  EXPECT_EQ(*F32({2, 3}).ByteSize(), 24);
  EXPECT_EQ(*Shape(ElementType::kC128, {3}).ByteSize(), 48);
  EXPECT_EQ(*Shape(ElementType::kS4, {7}).ByteSize(), 7);  // a byte each in a literal
  EXPECT_EQ(*Shape(ElementType::kPred, {}).ByteSize(), 1);
  EXPECT_EQ(*Shape::Token().ByteSize(), 0);
  EXPECT_EQ(*Shape::Tuple({}).ByteSize(), 0);
  EXPECT_EQ(*Nested().ByteSize(), 2 * 4 + 3 * 4);
  // The elements can be counted, the bytes not: of an array, of a tuple of two halves.
  EXPECT_TRUE(F32({int64_t{1} << 61}).ElementCount().ok());
  EXPECT_FALSE(F32({int64_t{1} << 61}).ByteSize().ok());
  const Shape half(ElementType::kS8, {int64_t{1} << 62});
  EXPECT_TRUE(half.ByteSize().ok());
  EXPECT_EQ(Shape::Tuple({half, half}).ByteSize().status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(Shape::Tuple({F32({Shape::kUnbounded})}).ByteSize().ok());
}

TEST(Shape, PrintsAsInHlo) {
  EXPECT_EQ(F32({}).ToString(), "f32[]");
  EXPECT_EQ(Shape(ElementType::kBF16, {2, 3}).ToString(), "bf16[2,3]");
  EXPECT_EQ(Shape::Token().ToString(), "token[]");
  EXPECT_EQ(Shape::Opaque().ToString(), "opaque[]");
  EXPECT_EQ(Shape::Tuple({}).ToString(), "()");
  EXPECT_EQ(Nested().ToString(), "((f32[2], token[]), s8[3,4], ())");
  EXPECT_EQ(Shape::Buffer(F32({4})).ToString(), "b(f32[4])");
  EXPECT_EQ(Shape::Tuple(std::vector<Shape>(11, F32({}))).ToString(),
            "(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[], f32[], f32[], f32[], f32[], "
            "/*index=10*/f32[])");
  std::string text = "shape: ";
  F32({2}).AppendTo(&text, false);
  EXPECT_EQ(text, "shape: f32[2]");
}

TEST(Shape, PrintsDynamicSizes) {
  Shape shape = F32({8, Shape::kUnbounded, 3});
  shape.set_dynamic_dimension(0, true);
  EXPECT_EQ(shape.ToString(), "f32[<=8,?,3]");
}

TEST(Shape, PositionsAndIndicesAreRowMajor) {
  const std::vector<int64_t> sizes = {2, 3, 4};
  EXPECT_EQ(RowMajorPosition({1, 2, 3}, sizes), 23);
  EXPECT_EQ(RowMajorPosition({1, 0, 2}, sizes), 14);
  EXPECT_EQ(RowMajorPosition({}, {}), 0);
  EXPECT_THAT(RowMajorIndex(14, sizes), testing::ElementsAre(1, 0, 2));
  EXPECT_THAT(RowMajorIndex(0, {}), testing::IsEmpty());
}

TEST(Shape, LinesRunAlongADimension) {
  const std::vector<int64_t> sizes = {2, 3, 4};
  for (int64_t d = 0; d < 3; ++d) {
    const AlongDimension along(sizes, d);
    EXPECT_EQ(along.lines() * along.size, 24);
    for (int64_t line = 0; line < along.lines(); ++line) {
      Dimensions index = RowMajorIndex(along.At(line, 0), sizes);
      EXPECT_EQ(index[d], 0);
      for (int64_t k = 0; k < along.size; ++k) {
        index[d] = k;
        EXPECT_EQ(along.At(line, k), RowMajorPosition(index, sizes));
      }
    }
  }
}

TEST(Shape, PrintsPlainLayouts) {
  Shape shape = WithLayout(F32({2, 3}), Layout::Default(2));
  EXPECT_EQ(shape.ToString(), "f32[2,3]");
  EXPECT_EQ(shape.ToString(true), "f32[2,3]{1,0}");
  EXPECT_EQ(F32({2, 3}).ToString(true), "f32[2,3]");
  EXPECT_EQ(WithLayout(F32({}), Layout::Default(0)).ToString(true), "f32[]");
  EXPECT_EQ(Shape::Tuple({shape, Shape::Token()}).ToString(true), "(f32[2,3]{1,0}, token[])");
  EXPECT_EQ(Shape::Buffer(WithLayout(F32({4}), Layout::Default(1))).ToString(true), "b(f32[4]{0})");
}

// Each field of hlo_text_format.md 4.4 alone, then all in the order of its grammar.
TEST(Shape, PrintsEveryFieldOfALayout) {
  Layout all;
  all.minor_to_major = {0, 1};
  const auto check = [&all](auto set, const std::string& expected) {
    Layout one;
    one.minor_to_major = {0, 1};
    EXPECT_TRUE(one.is_plain());
    set(one);
    set(all);
    EXPECT_FALSE(one.is_plain());
    EXPECT_EQ(WithLayout(F32({4, 6}), one).ToString(true), "f32[4,6]{0,1:" + expected + "}");
  };
  check([](Layout& l) { l.tiles = {Tile{{8, Tile::kCombine}}, Tile{{2, 1}}}; }, "T(8,*)(2,1)");
  check([](Layout& l) { l.tail_padding_alignment = 16; }, "L(16)");
  check([](Layout& l) { l.index_type = ElementType::kU8; }, "#(u8)");
  check([](Layout& l) { l.pointer_type = ElementType::kU32; }, "*(u32)");
  check([](Layout& l) { l.element_size_in_bits = 32; }, "E(32)");
  check([](Layout& l) { l.memory_space = 1; }, "S(1)");
  check(
      [](Layout& l) {
        l.split_configs = {SplitConfig{0, {2, 3}}, SplitConfig{1, {4}}};
      },
      "SC(0:2,3)(1:4)");
  check([](Layout& l) { l.dynamic_shape_metadata_prefix_bytes = 12; }, "M(12)");
  EXPECT_EQ(WithLayout(F32({4, 6}), all).ToString(true),
            "f32[4,6]{0,1:T(8,*)(2,1)L(16)#(u8)*(u32)E(32)S(1)SC(0:2,3)(1:4)M(12)}");
  Layout scalar;
  scalar.tiles = {Tile{{128}}};
  EXPECT_EQ(WithLayout(F32({}), scalar).ToString(true), "f32[]{:T(128)}");
  scalar.tiles = {Tile{}};
  EXPECT_EQ(WithLayout(F32({}), scalar).ToString(true), "f32[]{:T()}");
}

TEST(Shape, ComparesMoreOrLess) {
  const Shape plain = F32({2, 3});
  const Shape laid_out = WithLayout(plain, Layout::Default(2));
  Shape dynamic = plain;
  dynamic.set_dynamic_dimension(1, true);
  const Shape other_type(ElementType::kS8, {2, 3});

  EXPECT_TRUE(plain == F32({2, 3}));
  for (const Shape& other : {laid_out, dynamic}) {
    EXPECT_FALSE(plain == other);
    EXPECT_TRUE(Shape::Compatible(plain, other));
    EXPECT_TRUE(Shape::SameDimensions(plain, other));
  }
  EXPECT_FALSE(plain == other_type);
  EXPECT_FALSE(Shape::Compatible(plain, other_type));
  EXPECT_TRUE(Shape::SameDimensions(plain, other_type));
  EXPECT_FALSE(Shape::SameDimensions(plain, F32({3, 2})));
  EXPECT_FALSE(Shape::SameDimensions(plain, F32({2, 3, 1})));
}

TEST(Shape, ComparesTuplesByStructure) {
  const Shape a = F32({2}), b(ElementType::kS8, {2});
  EXPECT_TRUE(Nested() == Nested());
  EXPECT_TRUE(Shape::Compatible(Nested(), Nested()));
  EXPECT_FALSE(Shape::Compatible(Shape::Tuple({a}), Shape::Tuple({b})));
  EXPECT_TRUE(Shape::SameDimensions(Shape::Tuple({a}), Shape::Tuple({b})));
  EXPECT_FALSE(Shape::SameDimensions(Shape::Tuple({a}), Shape::Tuple({a, a})));
  EXPECT_FALSE(Shape::SameDimensions(Shape::Tuple({a}), a));
  EXPECT_FALSE(Shape::SameDimensions(Shape::Token(), Shape::Opaque()));
  EXPECT_FALSE(Shape::Compatible(Shape::Buffer(a), a));
  EXPECT_FALSE(Shape::Tuple({a}) == Shape::Tuple({WithLayout(a, Layout::Default(1))}));
}

TEST(Shape, DynamicDimensions) {
  Shape shape = F32({2, 3});
  EXPECT_FALSE(shape.is_dynamic());
  shape.set_dynamic_dimension(1, true);
  EXPECT_TRUE(shape.is_dynamic());
  EXPECT_FALSE(shape.is_dynamic_dimension(0));
  EXPECT_TRUE(shape.is_dynamic_dimension(1));
  EXPECT_EQ(shape.dimension(1), 3);  // the bound
  EXPECT_TRUE(Shape::Tuple({F32({}), Shape::Tuple({shape})}).is_dynamic());
  shape.set_dynamic_dimension(1, false);
  EXPECT_FALSE(shape.is_dynamic());
  EXPECT_TRUE(shape == F32({2, 3}));
  EXPECT_TRUE(F32({Shape::kUnbounded}).is_unbounded_dimension(0));
}

TEST(Shape, CountsLeavesAndLevels) {
  EXPECT_EQ(F32({2}).leaf_count(), 1);
  EXPECT_EQ(Shape::Token().leaf_count(), 1);
  EXPECT_EQ(Shape::Tuple({}).leaf_count(), 0);
  EXPECT_EQ(Nested().leaf_count(), 3);
  EXPECT_EQ(F32({2}).tuple_depth(), 0);
  EXPECT_EQ(Shape::Buffer(F32({2})).tuple_depth(), 0);
  EXPECT_EQ(Shape::Tuple({}).tuple_depth(), 1);
  EXPECT_EQ(Shape::Tuple({F32({2})}).tuple_depth(), 1);
  EXPECT_EQ(Nested().tuple_depth(), 2);
}

TEST(Shape, CopiesShareTheirElementsUntilOneChanges) {
  Shape original = Nested();
  Shape copy = original;
  EXPECT_EQ(copy.tuple_shapes().data(), original.tuple_shapes().data());
  copy.mutable_tuple_shapes()[1] = F32({9});
  EXPECT_EQ(copy.ToString(), "((f32[2], token[]), f32[9], ())");
  EXPECT_EQ(original.ToString(), "((f32[2], token[]), s8[3,4], ())");
  // The untouched inner tuple is still one.
  EXPECT_EQ(copy.tuple_shape(0).tuple_shapes().data(),
            original.tuple_shape(0).tuple_shapes().data());
  copy.mutable_tuple_shapes()[0].mutable_tuple_shapes().push_back(F32({}));
  EXPECT_EQ(original.ToString(), "((f32[2], token[]), s8[3,4], ())");
  Shape empty = Shape::Tuple({});
  empty.mutable_tuple_shapes().push_back(F32({}));
  EXPECT_EQ(empty.ToString(), "(f32[])");
}

TEST(Shape, LayoutsAreFilledAndCleared) {
  Layout column_major;
  column_major.minor_to_major = {0, 1};
  Shape original = Shape::Tuple({WithLayout(F32({2, 3}), column_major), Shape::Token(),
                                 Shape::Tuple({F32({4, 5, 6}), F32({})})});
  Shape filled = original;
  filled.FillLayouts();
  EXPECT_EQ(filled.ToString(true), "(f32[2,3]{0,1}, token[], (f32[4,5,6]{2,1,0}, f32[]))");
  EXPECT_TRUE(filled.tuple_shape(2).tuple_shape(1).has_layout());
  EXPECT_FALSE(filled.tuple_shape(1).has_layout());
  EXPECT_EQ(original.ToString(true), "(f32[2,3]{0,1}, token[], (f32[4,5,6], f32[]))");
  const Shape once = filled;
  filled.FillLayouts();
  EXPECT_EQ(filled.tuple_shapes().data(), once.tuple_shapes().data());  // nothing to do

  filled.ClearLayouts();
  EXPECT_EQ(filled.ToString(true), "(f32[2,3], token[], (f32[4,5,6], f32[]))");
  EXPECT_FALSE(filled.tuple_shape(2).tuple_shape(1).has_layout());
  EXPECT_EQ(once.ToString(true), "(f32[2,3]{0,1}, token[], (f32[4,5,6]{2,1,0}, f32[]))");
  Shape array = WithLayout(F32({2}), Layout::Default(1));
  array.set_layout(std::nullopt);
  EXPECT_TRUE(array == F32({2}));
  // Of more dimensions than any table of layouts holds.
  Shape wide = F32(std::vector<int64_t>(20, 1));
  wide.FillLayouts();
  EXPECT_EQ(wide.layout()->minor_to_major.front(), 19);
  EXPECT_EQ(wide.layout()->minor_to_major.back(), 0);
}

TEST(Shape, SubShapesAndLeaves) {
  const Shape shape = Nested();
  EXPECT_EQ(SubShape(shape, {}), &shape);
  EXPECT_EQ(SubShape(shape, {0, 0})->ToString(), "f32[2]");
  EXPECT_EQ(SubShape(shape, {1})->ToString(), "s8[3,4]");
  for (const ShapeIndex& outside :
       {ShapeIndex{3}, ShapeIndex{-1}, ShapeIndex{1, 0}, ShapeIndex{2, 0}, ShapeIndex{0, 2}}) {
    EXPECT_EQ(SubShape(shape, outside), nullptr);
  }
  std::vector<std::string> leaves;
  for (const Shape* leaf : Leaves(shape)) leaves.push_back(leaf->ToString());
  EXPECT_THAT(leaves, ElementsAre("f32[2]", "token[]", "s8[3,4]"));
  EXPECT_THAT(Leaves(Shape::Tuple({})), IsEmpty());
}

TEST(ShapeTable, KeepsEqualShapesOnce) {
  Shape dynamic = F32({2, 3});
  dynamic.set_dynamic_dimension(1, true);
  Layout tiled = Layout::Default(2), in_memory_1 = Layout::Default(2);
  tiled.tiles = {{{8, 128}}};
  in_memory_1.memory_space = 1;
  const std::vector<Shape> different = {
      F32({2, 3}),
      F32({3, 2}),
      Shape(ElementType::kS32, {2, 3}),
      dynamic,
      WithLayout(F32({2, 3}), Layout::Default(2)),
      WithLayout(F32({2, 3}), tiled),
      WithLayout(F32({2, 3}), in_memory_1),
      Nested(),
      Shape::Tuple({Nested()}),
      Shape::Tuple({}),
      Shape::Buffer(F32({2, 3})),
      Shape::Token(),
      Shape(),
  };
  ShapeTable table;
  std::vector<std::shared_ptr<const Shape>> kept;
  for (const Shape& shape : different) kept.push_back(table.Share(shape));
  for (size_t i = 0; i < different.size(); ++i) {
    EXPECT_TRUE(*kept[i] == different[i]) << i;
    EXPECT_EQ(table.Share(different[i]), kept[i]) << i;
    for (size_t j = 0; j < i; ++j) EXPECT_NE(kept[i], kept[j]) << i << ", " << j;
  }
}

TEST(RowMajorStrides, TheLastDimensionMovesFastest) {
  EXPECT_THAT(RowMajorStrides({}), IsEmpty());
  EXPECT_THAT(RowMajorStrides({7}), ElementsAre(1));
  EXPECT_THAT(RowMajorStrides({2, 3, 4}), ElementsAre(12, 4, 1));
  EXPECT_THAT(RowMajorStrides({2, 1, 4}), ElementsAre(4, 4, 1));
}

}  // namespace
}  // namespace assay
