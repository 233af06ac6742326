// Literals to and from protos: every element type, layouts, packed and elided payloads, refusals.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "spec/proto/conversions.h"
#include "spec/proto/pieces.h"

namespace assay::literals_test {
namespace {

using ::testing::HasSubstr;

wire::LiteralProto FromText(const std::string& text) {
  wire::LiteralProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

std::string ErrorOf(const std::string& text) {
  absl::StatusOr<Literal> literal = LiteralFromProto(FromText(text));
  EXPECT_FALSE(literal.ok()) << text;
  return literal.ok() ? "" : std::string(literal.status().message());
}

TEST(Literals, EveryTypeComesBack) {
  for (ElementType type : kArrayTypes) {
    const int64_t size = Info(type).storage_bytes;
    const int bits = Info(type).bits;
    Literal literal = Literal::Zeros(Shape(type, {3, 5}));
    std::byte* data = literal.mutable_data();
    for (int64_t i = 0; i < 15 * size; ++i) {
      const int value = static_cast<int>(37 * i + 11);
      data[i] = std::byte{static_cast<uint8_t>(bits < 8 ? value & ((1 << bits) - 1) : value)};
    }
    absl::StatusOr<wire::LiteralProto> proto = LiteralToProto(literal);
    ASSERT_TRUE(proto.ok()) << proto.status();
    // Through bytes, so that the numbers of the fields are what is written.
    wire::LiteralProto again;
    ASSERT_TRUE(again.ParseFromString(proto->SerializeAsString()));
    absl::StatusOr<Literal> back = LiteralFromProto(again);
    ASSERT_TRUE(back.ok()) << Name(type) << back.status();
    EXPECT_TRUE(Literal::BitEqual(literal, *back)) << Name(type);
  }
}

// The field numbers of ops_elementwise_and_types.md 1.1.
TEST(Literals, PayloadsStandInTheFieldsOfTheReference) {
  const std::pair<absl::string_view, int> kFields[] = {{"pred", 2},
                                                       {"s1", 30},
                                                       {"s2", 26},
                                                       {"s4", 21},
                                                       {"s8", 15},
                                                       {"s16", 17},
                                                       {"s32", 4},
                                                       {"s64", 5},
                                                       {"u1", 31},
                                                       {"u2", 27},
                                                       {"u4", 22},
                                                       {"u8", 3},
                                                       {"u16", 16},
                                                       {"u32", 6},
                                                       {"u64", 7},
                                                       {"f4e2m1fn", 32},
                                                       {"f6e2m3fn", 36},
                                                       {"f6e3m2fn", 35},
                                                       {"f8e3m4", 29},
                                                       {"f8e4m3", 28},
                                                       {"f8e4m3fn", 20},
                                                       {"f8e4m3fnuz", 25},
                                                       {"f8e4m3b11fnuz", 23},
                                                       {"f8e5m2", 19},
                                                       {"f8e5m2fnuz", 24},
                                                       {"f8e8m0fnu", 33},
                                                       {"f16", 11},
                                                       {"bf16", 13},
                                                       {"f32", 8},
                                                       {"f64", 9},
                                                       {"c64", 12},
                                                       {"c128", 18}};
  ASSERT_EQ(std::size(kFields), std::size(kArrayTypes));
  for (const auto& [name, number] : kFields) {
    const ElementType type = *ElementTypeFromName(name);
    absl::StatusOr<wire::LiteralProto> proto = LiteralToProto(Literal::Scalar(type, Element{1, 0}));
    ASSERT_TRUE(proto.ok());
    std::vector<const google::protobuf::FieldDescriptor*> fields;
    proto->GetReflection()->ListFields(*proto, &fields);
    ASSERT_EQ(fields.size(), 2u) << name;  // the shape and the payload
    EXPECT_EQ(fields[1]->number(), number) << name;
  }
}

TEST(Literals, PayloadLiesInTheOrderOfTheLayout) {
  // As XLA writes f32[2,3]{0,1} {{1,2,3},{4,5,6}}.
  const std::string text = R"(
      shape { element_type: F32 dimensions: [2, 3] layout { minor_to_major: [0, 1] } }
      f32s: [1, 4, 2, 5, 3, 6])";
  absl::StatusOr<Literal> literal = LiteralFromProto(FromText(text));
  ASSERT_TRUE(literal.ok()) << literal.status();
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(DecodeFloat(ElementType::kF32, literal->Get(i).bits), static_cast<double>(i + 1));
  }
  absl::StatusOr<wire::LiteralProto> back = LiteralToProto(*literal);
  ASSERT_TRUE(back.ok());
  EXPECT_THAT(back->f32s(), ::testing::ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(Literals, PackedNibblesAreToldByTheirLength) {
  // s4 [0, 1, 2, 3, -1] packs to 0x10 0x32 0x0f.
  const std::string shape = "shape { element_type: S4 dimensions: 5 } ";
  absl::StatusOr<Literal> packed = LiteralFromProto(FromText(shape + R"(s4s: "\x10\x32\x0f")"));
  absl::StatusOr<Literal> plain =
      LiteralFromProto(FromText(shape + R"(s4s: "\x00\xf1\x02\x03\xff")"));
  ASSERT_TRUE(packed.ok()) << packed.status();
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_TRUE(Literal::BitEqual(*packed, *plain));
  EXPECT_EQ(DecodeSigned(ElementType::kS4, packed->Get(4).bits), -1);
}

TEST(Literals, TuplesTokensAndDynamicSizes) {
  absl::StatusOr<Literal> literal = LiteralFromProto(FromText(R"(
      shape { element_type: TUPLE
        tuple_shapes { element_type: S32 dimensions: 3 is_dynamic_dimension: true }
        tuple_shapes { element_type: TOKEN }
        tuple_shapes { element_type: TUPLE } }
      tuple_literals { shape { element_type: S32 dimensions: 3 is_dynamic_dimension: true }
        s32s: [7, 8, 0] dynamic_sizes: 2 }
      tuple_literals { shape { element_type: TOKEN } }
      tuple_literals { shape { element_type: TUPLE } })"));
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(literal->element(0).dynamic_size(0), 2);
  EXPECT_TRUE(literal->element(1).shape().is_token());
  absl::StatusOr<wire::LiteralProto> proto = LiteralToProto(*literal);
  ASSERT_TRUE(proto.ok());
  absl::StatusOr<Literal> back = LiteralFromProto(*proto);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(Literal::BitEqual(*literal, *back));
}

TEST(Literals, RefusesWhatDoesNotFitBeforeAllocating) {
  EXPECT_THAT(ErrorOf("shape { element_type: F32 dimensions: 4 } f32s: [1, 2]"),
              HasSubstr("f32[4] has 8 bytes of f32 elements instead of 16"));
  EXPECT_THAT(ErrorOf("shape { element_type: F32 dimensions: [1048576, 1048576] } f32s: 1"),
              HasSubstr("instead of 4398046511104"));
  EXPECT_THAT(ErrorOf("shape { element_type: F32 dimensions: [4294967296, 4294967296] }"),
              HasSubstr("overflow"));
  EXPECT_THAT(ErrorOf("shape { element_type: F32 dimensions: -1 } f32s: 1"), HasSubstr("negative"));
  EXPECT_THAT(ErrorOf("f32s: 1"), HasSubstr("unknown element type number 0"));
  EXPECT_THAT(ErrorOf("shape { element_type: OPAQUE_TYPE }"), HasSubstr("cannot have the shape"));
  EXPECT_THAT(ErrorOf("shape { element_type: TUPLE tuple_shapes { element_type: F32 } }"),
              HasSubstr("has 0 elements"));
  EXPECT_THAT(ErrorOf("shape { element_type: TUPLE tuple_shapes { element_type: F32 } }"
                      "tuple_literals { shape { element_type: S32 } s32s: 1 }"),
              HasSubstr("another shape"));
  EXPECT_THAT(ErrorOf("shape { element_type: F32 dimensions: 2 layout { minor_to_major: 1 } }"
                      "f32s: [1, 2]"),
              HasSubstr("layout {1} is not an order of 1 dimensions"));
  EXPECT_THAT(ErrorOf("shape { element_type: F32 dimensions: 2 is_dynamic_dimension: true }"
                      "f32s: [1, 2] dynamic_sizes: 3"),
              HasSubstr("dynamic size 3"));
}

TEST(Literals, RefusesPayloadsOver2GiBByName) {
  // The pages of a fresh literal are not touched.
  absl::StatusOr<Literal> large = Literal::Create(Shape(ElementType::kU8, {int64_t{3} << 30}));
  ASSERT_TRUE(large.ok());
  absl::StatusOr<wire::LiteralProto> proto = LiteralToProto(*large);
  EXPECT_EQ(proto.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(proto.status().message()), HasSubstr("u8[3221225472]"));
}

TEST(Literals, ElidedOnesHaveAShapeAndNoPayload) {
  EXPECT_TRUE(IsElided(FromText("shape { element_type: F32 dimensions: 4 }")));
  EXPECT_FALSE(IsElided(FromText("shape { element_type: F32 dimensions: 0 }")));
  EXPECT_FALSE(IsElided(FromText("shape { element_type: F32 } f32s: 1")));
  EXPECT_FALSE(IsElided(FromText("shape { element_type: TOKEN }")));
  // Elements of another type than the shape's.
  EXPECT_FALSE(IsElided(FromText("shape { element_type: F32 dimensions: 1 } s32s: 1")));
}

TEST(Shapes, DeepTuplesAreRefusedNotOverflowed) {
  Shape shape = Shape::Scalar(ElementType::kF32);
  for (int i = 0; i < kMaxShapeNesting; ++i) shape = Shape::Tuple({shape});
  EXPECT_TRUE(CheckNesting(shape).ok());
  EXPECT_TRUE(ShapeFromProto(ShapeToProto(shape)).ok());
  shape = Shape::Tuple({shape});
  EXPECT_THAT(std::string(CheckNesting(shape).message()), HasSubstr("nested more than"));
  EXPECT_THAT(std::string(ShapeFromProto(ShapeToProto(shape)).status().message()),
              HasSubstr("nested more than"));
}

TEST(Shapes, LayoutFieldsComeBack) {
  Shape shape(ElementType::kBF16, {2, 3, 4});
  Layout layout;
  layout.minor_to_major = {0, 2, 1};
  layout.tiles = {{{2, Tile::kCombine, 128}}, {{2, 1}}};
  layout.tail_padding_alignment = 2;
  layout.index_type = ElementType::kU32;
  layout.pointer_type = ElementType::kU64;
  layout.element_size_in_bits = 16;
  layout.memory_space = 3;
  layout.split_configs = {{0, {2}}, {1, {1, 3}}};
  layout.dynamic_shape_metadata_prefix_bytes = 64;
  shape.set_layout(layout);
  shape.set_dynamic_dimension(1, true);
  const Shape tuple = Shape::Tuple(
      {shape, Shape::Token(), Shape::Opaque(), Shape::Buffer(Shape(ElementType::kF32, {4}))});
  absl::StatusOr<Shape> back = ShapeFromProto(ShapeToProto(tuple));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, tuple) << back->ToString(true);
  Shape unbounded(ElementType::kF32, {Shape::kUnbounded, 4});
  unbounded.set_dynamic_dimension(0, true);
  back = ShapeFromProto(ShapeToProto(unbounded));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, unbounded);
}

}  // namespace
}  // namespace assay::literals_test
