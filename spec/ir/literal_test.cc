// Literals: limits before allocation, sharing until a write, tuples, dynamic sizes, equality.
#include "spec/ir/literal.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

Shape S32(std::vector<int64_t> dimensions) { return Shape(ElementType::kS32, dimensions); }

Literal Integers(std::vector<uint64_t> values) {
  Literal literal = Literal::Zeros(S32({static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set(static_cast<int64_t>(i), Element{values[i]});
  }
  return literal;
}

TEST(Literal, CreateGivesZeros) {
  const auto literal = Literal::Create(Shape(ElementType::kF64, {2, 3}));
  ASSERT_TRUE(literal.ok());
  EXPECT_EQ(literal->element_count(), 6);
  EXPECT_EQ(literal->byte_size(), 48);
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(literal->Get(i), Element{}) << i;
  const auto empty = Literal::Create(S32({0, 5}));
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->element_count(), 0);
  EXPECT_EQ(empty->byte_size(), 0);
}

TEST(Literal, CreateKeepsToItsLimitWithoutAllocating) {
  // Four TiB, had they been asked for.
  const auto large = Literal::Create(S32({int64_t{1} << 40}), int64_t{1} << 30);
  EXPECT_EQ(large.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(large.status().message(), HasSubstr("s32[1099511627776]"));
  // The limit is that of all leaves together, and may be reached.
  const Shape two = Shape::Tuple({S32({4}), S32({4})});
  EXPECT_TRUE(Literal::Create(two, 32).ok());
  EXPECT_EQ(Literal::Create(two, 31).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(Literal, CreateRefusesShapesWithoutASize) {
  for (const Shape& shape :
       {S32({Shape::kUnbounded}), S32({-1}), S32({int64_t{1} << 40, int64_t{1} << 40}),
        Shape::Tuple({S32({2}), S32({Shape::kUnbounded})})}) {
    EXPECT_EQ(Literal::Create(shape).status().code(), absl::StatusCode::kInvalidArgument)
        << shape.ToString();
  }
}

TEST(Literal, CopiesShareUntilOneWrites) {
  Literal original = Integers({1, 2, 3});
  Literal copy = original;
  EXPECT_TRUE(copy.shares_data_with(original));
  EXPECT_EQ(copy.data(), original.data());
  copy.Set(1, Element{20});
  EXPECT_FALSE(copy.shares_data_with(original));
  EXPECT_EQ(original.Get(1).bits, 2u);
  EXPECT_EQ(copy.Get(0).bits, 1u);
  EXPECT_EQ(copy.Get(1).bits, 20u);
  // What has one owner is written in place.
  const std::byte* place = copy.data();
  EXPECT_EQ(copy.mutable_data(), place);
}

TEST(Literal, TuplesHoldTheirElements) {
  const Literal pair = Literal::Tuple({Integers({1, 2}), Literal::Tuple({Literal::Token()})});
  EXPECT_TRUE(pair.is_tuple());
  EXPECT_EQ(pair.shape().ToString(), "(s32[2], (token[]))");
  EXPECT_EQ(pair.byte_size(), 8);
  EXPECT_EQ(pair.elements().size(), 2u);
  EXPECT_EQ(pair.element(0).Get(1).bits, 2u);
  EXPECT_TRUE(pair.element(1).element(0).shape().is_token());
  const auto zeros = Literal::Create(pair.shape());
  ASSERT_TRUE(zeros.ok());
  EXPECT_TRUE(zeros->shape() == pair.shape());
  EXPECT_EQ(zeros->element(0).Get(1).bits, 0u);
  Literal given_up = pair;
  EXPECT_EQ(std::move(given_up).ReleaseElements().size(), 2u);
}

TEST(Literal, ScalarsAndTokens) {
  const Literal scalar = Literal::Scalar(ElementType::kC64, Element{0x3f800000, 0xc0000000});
  EXPECT_EQ(scalar.shape().ToString(), "c64[]");
  EXPECT_EQ(scalar.element_count(), 1);
  EXPECT_EQ(scalar.Get(0).bits, 0x3f800000u);
  EXPECT_EQ(scalar.Get(0).imag, 0xc0000000u);
  const Literal token = Literal::Token();
  EXPECT_EQ(token.element_count(), 0);
  EXPECT_EQ(token.byte_size(), 0);
  EXPECT_FALSE(token.is_array());
  EXPECT_TRUE(Literal::BitEqual(token, Literal::Token()));
}

TEST(Literal, FromBufferTakesStorageOver) {
  auto buffer = std::make_shared<std::byte[]>(8);
  buffer[0] = std::byte{7};
  buffer[5] = std::byte{1};  // little endian: 256 in the second element
  Literal literal = Literal::FromBuffer(S32({2}), buffer);
  EXPECT_EQ(literal.data(), buffer.get());
  EXPECT_EQ(literal.element_count(), 2);
  EXPECT_EQ(literal.Get(0).bits, 7u);
  EXPECT_EQ(literal.Get(1).bits, 256u);
  // The buffer has another owner, whose bytes stay.
  literal.Set(0, Element{9});
  EXPECT_EQ(buffer[0], std::byte{7});
  EXPECT_EQ(literal.Get(0).bits, 9u);
  EXPECT_EQ(literal.Get(1).bits, 256u);
}

TEST(Literal, SubByteElementsTakeAByteEach) {
  Literal literal = Literal::Zeros(Shape(ElementType::kS4, {3}));
  EXPECT_EQ(literal.byte_size(), 3);
  literal.Set(2, Element{0xf});  // -1
  EXPECT_EQ(literal.Get(1).bits, 0u);
  EXPECT_EQ(literal.Get(2).bits, 0xfu);
}

TEST(Literal, FlattenAndUnflattenAreInverse) {
  const Literal value = Literal::Tuple(
      {Integers({1}), Literal::Tuple({Integers({2}), Literal::Token(), Literal::Tuple({})}),
       Integers({3})});
  const std::vector<Literal> leaves = Flatten(value);
  ASSERT_EQ(leaves.size(), 4u);
  EXPECT_EQ(leaves[0].Get(0).bits, 1u);
  EXPECT_EQ(leaves[1].Get(0).bits, 2u);
  EXPECT_TRUE(leaves[2].shape().is_token());
  EXPECT_EQ(leaves[3].Get(0).bits, 3u);
  const Literal back = Unflatten(value.shape(), leaves);
  EXPECT_TRUE(back.shape() == value.shape());
  EXPECT_TRUE(Literal::BitEqual(back, value));
  EXPECT_TRUE(back.element(0).shares_data_with(value.element(0)));
  EXPECT_EQ(Flatten(Integers({5})).size(), 1u);
  EXPECT_TRUE(Flatten(Literal::Tuple({})).empty());
}

TEST(Literal, WithShapeKeepsTheValues) {
  const Literal flat = Integers({1, 2, 3, 4, 5, 6});
  const Literal matrix = flat.WithShape(S32({2, 3}));
  EXPECT_EQ(matrix.shape().ToString(), "s32[2,3]");
  EXPECT_TRUE(matrix.shares_data_with(flat));
  EXPECT_EQ(matrix.Get(4).bits, 5u);
  EXPECT_EQ(flat.shape().ToString(), "s32[6]");

  Shape laid_out = S32({6});
  laid_out.set_layout(Layout::Default(1));
  const Literal pair =
      Literal::Tuple({flat, Literal::Token()}).WithShape(Shape::Tuple({laid_out, Shape::Token()}));
  EXPECT_EQ(pair.element(0).shape().ToString(true), "s32[6]{0}");
  EXPECT_TRUE(pair.element(0).shares_data_with(flat));
}

TEST(Literal, BitEqualLooksAtBits) {
  const Literal value = Integers({1, 2});
  EXPECT_TRUE(Literal::BitEqual(value, Integers({1, 2})));
  EXPECT_FALSE(Literal::BitEqual(value, Integers({1, 3})));
  EXPECT_FALSE(Literal::BitEqual(value, Integers({1, 2, 0})));
  EXPECT_FALSE(Literal::BitEqual(value, Literal::Tuple({value})));
  EXPECT_FALSE(
      Literal::BitEqual(Literal::Zeros(S32({2})), Literal::Zeros(Shape(ElementType::kU32, {2}))));
  EXPECT_FALSE(
      Literal::BitEqual(Literal::Tuple({value, value}), Literal::Tuple({value, Integers({0, 2})})));
  Shape laid_out = value.shape();
  laid_out.set_layout(Layout::Default(1));
  EXPECT_TRUE(Literal::BitEqual(value, value.WithShape(laid_out)));
  // Zeros of both signs, and NaN with itself.
  const auto f32 = [](uint64_t bits) { return Literal::Scalar(ElementType::kF32, Element{bits}); };
  EXPECT_FALSE(Literal::BitEqual(f32(0), f32(0x80000000)));
  EXPECT_TRUE(Literal::BitEqual(f32(0x7fc00000), f32(0x7fc00000)));
  EXPECT_FALSE(Literal::BitEqual(f32(0x7fc00000), f32(0xffc00000)));
}

TEST(Literal, DynamicSizesAreTheBoundsUnlessSet) {
  Shape shape = S32({4, 3});
  shape.set_dynamic_dimension(0, true);
  Literal literal = Literal::Zeros(shape);
  EXPECT_EQ(literal.dynamic_size(0), 4);
  EXPECT_EQ(literal.dynamic_size(1), 3);
  Literal shorter = literal;
  shorter.set_dynamic_size(0, 2);
  EXPECT_EQ(shorter.dynamic_size(0), 2);
  EXPECT_EQ(shorter.dynamic_size(1), 3);
  EXPECT_EQ(shorter.element_count(), 12);  // the storage is the bound's
  EXPECT_EQ(literal.dynamic_size(0), 4);
  EXPECT_FALSE(Literal::BitEqual(literal, shorter));
  shorter.set_dynamic_size(0, 4);
  EXPECT_TRUE(Literal::BitEqual(literal, shorter));
}

}  // namespace
}  // namespace assay
