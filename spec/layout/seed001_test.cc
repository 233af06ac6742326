// The document "Shapes and Layout" section by section: its worked examples, and those that
// reference ops_structural.md 1.1 to 1.6 adds to it. Names begin with the section.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/layout/array_memory.h"
#include "spec/layout/dimensions.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Shape MustParseShape(absl::string_view text) {
  absl::StatusOr<Shape> shape = ParseShape(text);
  EXPECT_TRUE(shape.ok()) << shape.status();
  return shape.value_or(Shape());
}

ArrayMemory MustCreate(absl::string_view text, Dimensions padded = {}) {
  const Shape shape = MustParseShape(text);
  MemoryLayout layout = MemoryLayout::Of(shape);
  layout.padded_dimensions = std::move(padded);
  absl::StatusOr<ArrayMemory> memory = ArrayMemory::Create(shape, layout);
  EXPECT_TRUE(memory.ok()) << memory.status();
  return *std::move(memory);
}

// The document's array {{a, b, c}, {d, e, f}}.
std::string DrawLetters(const ArrayMemory& memory, absl::string_view padding = "0") {
  return DrawMemory(
      memory,
      [](absl::Span<const int64_t> i) {
        return std::string(1, static_cast<char>('a' + 3 * i[0] + i[1]));
      },
      padding);
}

TEST(Seed001, ShapesAndLayoutIntroduction) {
  // Rank, sizes and element type of an N-dimensional array.
  const Shape shape(ElementType::kF32, {2, 3});
  EXPECT_EQ(shape.rank(), 2);
  EXPECT_THAT(shape.dimensions(), ElementsAre(2, 3));
  EXPECT_EQ(shape.element_type(), ElementType::kF32);
}

TEST(Seed001, TerminologyTrueRank) {
  EXPECT_EQ(TrueRank(Shape(ElementType::kF32, {1, 5, 1, 2})), 2);
  EXPECT_EQ(TrueRank(Shape(ElementType::kF32, {0, 1})), 0);
  EXPECT_EQ(TrueRank(Shape::Scalar(ElementType::kF32)), 0);
}

TEST(Seed001, TerminologyNegativeDimensionNumbers) {
  // [A x B x C]: -1 has size C, -2 size B.
  const Shape shape(ElementType::kF32, {10, 20, 30});
  EXPECT_EQ(SizeOfDimension(shape, -1).value(), 30);
  EXPECT_EQ(SizeOfDimension(shape, -2).value(), 20);
  EXPECT_EQ(SizeOfDimension(shape, -3).value(), 10);
  EXPECT_EQ(SizeOfDimension(shape, 0).value(), 10);
  EXPECT_THAT(std::string(DimensionNumber(3, 3).status().message()),
              HasSubstr("no dimension 3 in an array of rank 3"));
  EXPECT_FALSE(DimensionNumber(-4, 3).ok());
  EXPECT_FALSE(DimensionNumber(0, 0).ok());
}

TEST(Seed001, TerminologyDimensionLetters) {
  auto letters = [](int64_t rank) {
    std::string all;
    for (int64_t d = 0; d < rank; ++d) all += std::string(DimensionLetter(d, rank));
    return all;
  };
  EXPECT_EQ(letters(2), "yx");
  EXPECT_EQ(letters(3), "zyx");
  EXPECT_EQ(letters(4), "pzyx");
  EXPECT_EQ(letters(1), "");
  EXPECT_EQ(letters(5), "");
}

TEST(Seed001, TerminologyMakeShapeTakesDimensionsInOrder) {
  const Shape shape(ElementType::kF32, {2, 3, 5, 7});
  EXPECT_THAT(shape.dimensions(), ElementsAre(2, 3, 5, 7));
}

TEST(Seed001, LayoutHasThreeFields) {
  MemoryLayout layout;
  layout.layout.minor_to_major = {1, 0};
  layout.padded_dimensions = {3, 5};
  layout.padding_value = PaddingElement(PaddingKind::kOne, ElementType::kF32);
  absl::StatusOr<ArrayMemory> memory =
      ArrayMemory::Create(Shape(ElementType::kF32, {2, 3}), layout);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(memory->cell_count(), 15);
  EXPECT_EQ(memory->layout().padding_value->bits, 0x3f800000u);
}

TEST(Seed001, LayoutMinorToMajor) {
  EXPECT_EQ(DrawLetters(MustCreate("f32[2,3]{0,1}")), "a d b e c f");
  EXPECT_EQ(DrawLetters(MustCreate("f32[2,3]{1,0}")), "a b c d e f");
  // Strides of dimensions 0, 1, 2 are 12, 1, 3 under {1,2,0}.
  const ArrayMemory memory = MustCreate("f32[2,3,4]{1,2,0}");
  EXPECT_EQ(memory.CellOf({1, 0, 0}), 12);
  EXPECT_EQ(memory.CellOf({0, 1, 0}), 1);
  EXPECT_EQ(memory.CellOf({0, 0, 1}), 3);
  for (const char* text : {"f32[2,3,4]{1,2,0}", "f32[2,3,4]{2,1,0}", "f32[2,3,4]{0,1,2}"}) {
    EXPECT_EQ(MustCreate(text).CellOf({1, 2, 3}), 23) << text;
  }
}

TEST(Seed001, LayoutDefaultIsMajorToMinor) {
  EXPECT_THAT(MemoryLayout::Of(Shape(ElementType::kF32, {2, 3})).layout.minor_to_major,
              ElementsAre(1, 0));
  absl::StatusOr<ArrayMemory> memory = ArrayMemory::Create(Shape(ElementType::kF32, {2, 3}));
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(DrawLetters(*memory), "a b c d e f");
}

TEST(Seed001, PaddingColumnMajor) {
  EXPECT_EQ(DrawLetters(MustCreate("f32[2,3]{0,1}", {3, 5})), "a d 0 b e 0 c f 0 0 0 0 0 0 0");
  EXPECT_EQ(DrawLetters(MustCreate("f32[2,3]{1,0}", {2, 4}), "9"), "a b c 9 d e f 9");
  // The array that the document says is equivalent, in the same order.
  const ArrayMemory padded = MustCreate("f32[3,5]{0,1}");
  EXPECT_EQ(DrawMemory(
                padded,
                [](absl::Span<const int64_t> i) {
                  const absl::string_view rows[] = {"abc00", "def00", "00000"};
                  return std::string(rows[i[0]].substr(i[1], 1));
                },
                "!"),
            "a d 0 b e 0 c f 0 0 0 0 0 0 0");
}

TEST(Seed001, PaddingHoldsItsValueInMemory) {
  const Shape shape = MustParseShape("u8[2,3]{0,1}");
  MemoryLayout layout = MemoryLayout::Of(shape);
  layout.padded_dimensions = {3, 5};
  layout.padding_value = PaddingElement(PaddingKind::kHighest, ElementType::kU8);
  absl::StatusOr<ArrayMemory> memory = ArrayMemory::Create(shape, layout);
  ASSERT_TRUE(memory.ok());
  const Literal array = *ParseTypedLiteral("u8[2,3]{0,1} {{1,2,3},{4,5,6}}");
  absl::StatusOr<std::vector<std::byte>> bytes = ToMemory(array, *memory);
  ASSERT_TRUE(bytes.ok());
  std::vector<int> values;
  for (std::byte byte : *bytes) values.push_back(static_cast<int>(byte));
  EXPECT_THAT(values, ElementsAre(1, 4, 255, 2, 5, 255, 3, 6, 255, 255, 255, 255, 255, 255, 255));
  // Padding is invisible to whoever reads the array.
  (*bytes)[2] = std::byte{77};
  EXPECT_TRUE(Literal::BitEqual(*FromMemory(*bytes, *memory), array));
  EXPECT_EQ(ToMemory(array, *memory, 14).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(FromMemory(absl::MakeSpan(*bytes).subspan(1), *memory).ok());
}

TEST(Seed001, PaddingValuesOfTheRecord) {
  using K = PaddingKind;
  EXPECT_EQ(PaddingElement(K::kZero, ElementType::kF32)->bits, 0u);
  EXPECT_EQ(PaddingElement(K::kOne, ElementType::kBF16)->bits, 0x3f80u);
  EXPECT_EQ(PaddingElement(K::kLowest, ElementType::kF32)->bits, 0xff800000u);
  EXPECT_EQ(PaddingElement(K::kHighest, ElementType::kF8E4M3FN)->bits, 0x7eu);
  EXPECT_EQ(PaddingElement(K::kLowest, ElementType::kS8)->bits, 0x80u);
  EXPECT_EQ(PaddingElement(K::kHighest, ElementType::kS4)->bits, 7u);
  EXPECT_EQ(PaddingElement(K::kHighest, ElementType::kPred)->bits, 1u);
  EXPECT_FALSE(PaddingElement(K::kUnknown, ElementType::kF32).has_value());
  EXPECT_EQ(PaddingKindFromName("lowest"), K::kLowest);
  EXPECT_EQ(PaddingKindFromName("LOWEST"), std::nullopt);
}

TEST(Seed001, IndexingIntoArrays) {
  const ArrayMemory memory = MustCreate("f32[2,3]{0,1}", {3, 5});
  EXPECT_EQ(memory.CheckedCellOf({1, 2}).value(), 7);
  EXPECT_EQ(*memory.IndexAt(7), (Dimensions{1, 2}));
  EXPECT_EQ(memory.IndexAt(2), std::nullopt);
  EXPECT_EQ(memory.CheckedCellOf({2, 0}).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_FALSE(memory.CheckedCellOf({0, 0, 0}).ok());
  EXPECT_FALSE(memory.CheckedCellOf({0, -1}).ok());
  const ArrayMemory scalar = MustCreate("f32[]");
  EXPECT_EQ(scalar.CellOf({}), 0);
  EXPECT_EQ(*scalar.IndexAt(0), Dimensions{});
}

}  // namespace
}  // namespace assay
