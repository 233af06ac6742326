// The header for targets in C++: which elements of an array may be read as which type, and the bits
// of constants. That a target answers Assay is tested by tools/checks/install_test.sh.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tools/peers/assay_target.h"

namespace assay_target {
namespace {

Array ArrayOf(const std::string& type) {
  Array array;
  array.shape = {type, {2}};
  array.bytes.resize(2 * BytesOf(type));
  return array;
}

TEST(AssayTarget, ReadsElementsAsTheirType) {
  EXPECT_NO_THROW(ArrayOf("f32").as<float>());
  EXPECT_NO_THROW(ArrayOf("c64").as<float>());
  EXPECT_NO_THROW(ArrayOf("f64").as<double>());
  EXPECT_NO_THROW(ArrayOf("c128").as<double>());
  EXPECT_NO_THROW(ArrayOf("bf16").as<uint16_t>());
  EXPECT_NO_THROW(ArrayOf("f32").as<uint32_t>());
  EXPECT_NO_THROW(ArrayOf("u32").as<int32_t>());
  EXPECT_NO_THROW(ArrayOf("pred").as<bool>());
  EXPECT_NO_THROW(ArrayOf("f64").as<unsigned char>());
}

// Otherwise a dot of bf16 into f32 reads beyond the end of its factors.
TEST(AssayTarget, RefusesElementsOfAnotherType) {
  EXPECT_THROW(ArrayOf("bf16").as<float>(), Unsupported);
  EXPECT_THROW(ArrayOf("s32").as<float>(), Unsupported);
  EXPECT_THROW(ArrayOf("f32").as<double>(), Unsupported);
  EXPECT_THROW(ArrayOf("s64").as<double>(), Unsupported);
  EXPECT_THROW(ArrayOf("s8").as<int32_t>(), Unsupported);
  EXPECT_THROW(ArrayOf("s32").as<bool>(), Unsupported);
  const Array factor = ArrayOf("f16");
  EXPECT_THROW(factor.as<float>(), Unsupported);
}

template <class Bits>
std::vector<Bits> BitsOfConstant(const std::string& type, int64_t count, const std::string& text) {
  Array array;
  array.shape = {type, {count}};
  array.bytes.resize(count * BytesOf(type));
  internal::ReadConstant(text, &array);
  const Bits* const bits = array.as<Bits>();
  return {bits, bits + count};
}

// A constant that is only moved keeps every bit, signalling NaNs included.
TEST(AssayTarget, ConstantsKeepTheBitsOfNan) {
  EXPECT_EQ(BitsOfConstant<uint32_t>(
                "f32", 8, "{nan, -nan, nan(0x1), -nan(0x3ffffc), nan(0x7fffff), -inf, -0.0, 1.5}"),
            (std::vector<uint32_t>{0x7fc00000, 0xffc00000, 0x7f800001, 0xffbffffc, 0x7fffffff,
                                   0xff800000, 0x80000000, 0x3fc00000}));
  EXPECT_EQ(BitsOfConstant<uint64_t>("f64", 4, "{ {nan, -nan(0x1)}, {inf, -2} }"),
            (std::vector<uint64_t>{0x7ff8000000000000, 0xfff0000000000001, 0x7ff0000000000000,
                                   0xc000000000000000}));
  EXPECT_THROW(BitsOfConstant<uint32_t>("f32", 1, "{nan(0x0)}"), Unsupported);
  EXPECT_THROW(BitsOfConstant<uint32_t>("f32", 1, "{nan(0x1}"), Unsupported);
}

}  // namespace
}  // namespace assay_target
