// The header for targets in C++: which elements of an array may be read as which type. That a
// target answers Assay is tested by tools/checks/install_test.sh.
#include <cstdint>

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

}  // namespace
}  // namespace assay_target
