#include "spec/stablehlo/dense_bytes.h"

#include <cstdint>
#include <cstring>
#include <string>

#include "gtest/gtest.h"

namespace assay::stablehlo {
namespace {

class Filled {
 public:
  Filled(ElementType element, absl::Span<const int64_t> shape, absl::string_view blob,
         std::shared_ptr<const void> owner = nullptr) {
    error = FillDense(*program_.Tensor(element, shape), blob, owner, dense);
  }
  std::string bytes() const {
    return std::string(reinterpret_cast<const char*>(dense.bytes.get()), dense.byte_count);
  }

  Attribute dense;
  const char* error = nullptr;

 private:
  Program program_;
};

TEST(Numbers, AreCopied) {
  const Filled two(ElementType::kF32, {2}, std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  EXPECT_EQ(two.error, nullptr);
  EXPECT_FALSE(two.dense.is_splat);
  EXPECT_EQ(two.bytes(), std::string("\0\0\x80\x3f\0\0\0\x40", 8));
}

TEST(Numbers, OfOneElementAreSplats) {
  const Filled splat(ElementType::kS16, {3, 5}, std::string("\x34\x12", 2));
  EXPECT_TRUE(splat.dense.is_splat);
  EXPECT_EQ(splat.bytes(), std::string("\x34\x12", 2));
  const Filled scalar(ElementType::kS16, {}, std::string("\x34\x12", 2));
  EXPECT_TRUE(scalar.dense.is_splat);
  const Filled complex_splat(ElementType::kC64, {7}, std::string(8, '\1'));
  EXPECT_TRUE(complex_splat.dense.is_splat);
}

// Equal elements are a splat, however they are spelled.
TEST(Numbers, ThatAreEqualAreSplats) {
  const Filled equal(ElementType::kS16, {3}, std::string("\1\2\1\2\1\2", 6));
  EXPECT_TRUE(equal.dense.is_splat);
  EXPECT_EQ(equal.bytes(), "\1\2");
  const Filled different(ElementType::kS16, {3}, std::string("\1\2\1\2\1\3", 6));
  EXPECT_FALSE(different.dense.is_splat);
}

TEST(Numbers, OfOtherSizesAreErrors) {
  for (size_t size : {0, 1, 2, 3, 5, 7, 9, 12, 100}) {
    EXPECT_NE(Filled(ElementType::kF32, {2}, std::string(size, 'x')).error, nullptr) << size;
  }
  EXPECT_EQ(Filled(ElementType::kF32, {2, 0}, "").error, nullptr);
  EXPECT_TRUE(Filled(ElementType::kF32, {2, 0}, std::string(4, 'x')).dense.is_splat);
  EXPECT_TRUE(Filled(ElementType::kPred, {2, 0}, std::string(1, '\0')).dense.is_splat);
  EXPECT_NE(Filled(ElementType::kF32, {2, 0}, std::string(8, 'x')).error, nullptr);
  EXPECT_NE(Filled(ElementType::kF32, {kDynamic}, std::string(4, 'x')).error, nullptr);
  EXPECT_NE(Filled(ElementType::kF32, {int64_t{1} << 40, int64_t{1} << 40}, "1234").error, nullptr);
}

// The bits of a byte beyond a narrow type's width are no part of the value.
TEST(Numbers, NarrowerThanAByteAreMasked) {
  EXPECT_EQ(Filled(ElementType::kS4, {2}, "\xff\x17").bytes(), "\x0f\x07");
  EXPECT_EQ(Filled(ElementType::kU2, {2}, "\xff\x05").bytes(), "\x03\x01");
  EXPECT_EQ(Filled(ElementType::kF6E2M3FN, {2}, "\xff\x40").bytes(), std::string("\x3f\x00", 2));
}

// i1 is packed, the lowest bit first.
TEST(TruthValues, ArePacked) {
  EXPECT_EQ(Filled(ElementType::kPred, {3}, "\x05").bytes(), std::string("\1\0\1", 3));
  EXPECT_EQ(Filled(ElementType::kPred, {9}, std::string("\x80\x01", 2)).bytes(),
            std::string("\0\0\0\0\0\0\0\1\1", 9));
  EXPECT_EQ(Filled(ElementType::kPred, {}, "\xff").bytes(), "\1");
  EXPECT_EQ(Filled(ElementType::kPred, {}, std::string(1, '\0')).bytes(), std::string(1, '\0'));
}

TEST(TruthValues, OfOneByteMayBeSplats) {
  const Filled all(ElementType::kPred, {100}, "\xff");
  EXPECT_TRUE(all.dense.is_splat);
  EXPECT_EQ(all.bytes(), "\1");
  const Filled few(ElementType::kPred, {5}, "\xff");
  EXPECT_TRUE(few.dense.is_splat);
  EXPECT_NE(Filled(ElementType::kPred, {100}, "\x01").error, nullptr);
}

TEST(TruthValues, MayBeBytes) {
  EXPECT_EQ(Filled(ElementType::kPred, {4}, std::string("\1\0\0\1", 4)).bytes(),
            std::string("\1\0\0\1", 4));
}

TEST(Storage, IsSharedWhereItIsLargeAndAligned) {
  const auto owner = std::make_shared<std::string>();
  for (int i = 0; i < 8200; ++i) *owner += static_cast<char>(i % 251);
  const absl::string_view file(*owner);
  const size_t aligned = -reinterpret_cast<uintptr_t>(file.data()) % 8;
  const Filled shared(ElementType::kF32, {1024}, file.substr(aligned, 4096), owner);
  EXPECT_EQ(static_cast<const void*>(shared.dense.bytes.get()), file.data() + aligned);
  const Filled odd(ElementType::kF32, {1024}, file.substr(aligned + 1, 4096), owner);
  EXPECT_NE(static_cast<const void*>(odd.dense.bytes.get()), file.data() + aligned + 1);
  EXPECT_EQ(odd.bytes(), file.substr(aligned + 1, 4096));
  const Filled bytes(ElementType::kS8, {4096}, file.substr(aligned + 1, 4096), owner);
  EXPECT_EQ(static_cast<const void*>(bytes.dense.bytes.get()), file.data() + aligned + 1);
  const Filled small(ElementType::kF32, {512}, file.substr(aligned, 2048), owner);
  EXPECT_NE(static_cast<const void*>(small.dense.bytes.get()), file.data() + aligned);
  const Filled unowned(ElementType::kF32, {1024}, file.substr(aligned, 4096));
  EXPECT_NE(static_cast<const void*>(unowned.dense.bytes.get()), file.data() + aligned);
}

}  // namespace
}  // namespace assay::stablehlo
