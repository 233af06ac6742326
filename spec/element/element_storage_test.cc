// Elements in dense storage: reference ops_elementwise_and_types.md 1.4 (one element to the byte
// below 8 bits, surplus bits ignored on reading and zero on writing, little endian, real part
// first).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "spec/element/element.h"
#include "spec/element/element_array.h"
#include "spec/element/narrow_bits.h"

namespace assay {
namespace {

uint64_t Mask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

TEST(ElementStorageTest, LoadsWhatIsStoredAndNothingElse) {
  std::mt19937_64 random(4);
  for (const ElementType type : kArrayTypes) {
    SCOPED_TRACE(std::string(Name(type)));
    const int storage = Info(type).storage_bytes;
    const bool complex = IsComplex(type);
    const int part_bits = complex ? Info(type).bits / 2 : Info(type).bits;
    std::vector<std::byte> data(9 * storage, std::byte{0xa5});
    for (int round = 0; round < 50; ++round) {
      Element value = {random() & Mask(part_bits), complex ? random() & Mask(part_bits) : 0};
      StoreElement(type, value, data.data(), 4);
      EXPECT_EQ(LoadElement(type, data.data(), 4), value);
      EXPECT_EQ(ElementArray<const std::byte>(type, data.data()).Load(4), value);
      std::vector<std::byte> other(9 * storage, std::byte{0xa5});
      ElementArray<std::byte>(type, other.data()).Store(value, 4);
      EXPECT_EQ(other, data);
      for (int i = 0; i < 9 * storage; ++i) {
        if (i / storage != 4) {
          ASSERT_EQ(data[i], std::byte{0xa5});
        }
      }
    }
  }
}

TEST(ElementStorageTest, SurplusBits) {
  for (const ElementType type : kArrayTypes) {
    const int bits = Info(type).bits;
    if (bits >= 8) continue;
    SCOPED_TRACE(std::string(Name(type)));
    for (int byte = 0; byte < 256; ++byte) {
      const auto stored = static_cast<std::byte>(byte);
      EXPECT_EQ(LoadElement(type, &stored, 0).bits, byte & Mask(bits));
      EXPECT_EQ(ElementArray<const std::byte>(type, &stored).Load(0).bits, byte & Mask(bits));
      std::byte written = {};
      StoreElement(type, {static_cast<uint64_t>(byte)}, &written, 0);
      EXPECT_EQ(static_cast<uint64_t>(written), byte & Mask(bits));
      ElementArray<std::byte>(type, &written).Store({~static_cast<uint64_t>(byte)}, 0);
      EXPECT_EQ(static_cast<uint64_t>(written), ~byte & Mask(bits));
    }
  }
}

TEST(ElementStorageTest, LittleEndianRealPartFirst) {
  const unsigned char bytes[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08};
  const auto* data = reinterpret_cast<const std::byte*>(bytes);
  EXPECT_EQ(LoadElement(ElementType::kU16, data, 1).bits, 0x0403u);
  EXPECT_EQ(LoadElement(ElementType::kF32, data, 1).bits, 0x08070605u);
  EXPECT_EQ(LoadElement(ElementType::kS64, data, 0).bits, 0x0807060504030201u);
  EXPECT_EQ(LoadElement(ElementType::kC64, data, 0), (Element{0x04030201u, 0x08070605u}));
}

TEST(ElementStorageTest, SmallSignedIntegersSignExtend) {
  EXPECT_EQ(DecodeSigned(ElementType::kS1, 1), -1);
  EXPECT_EQ(DecodeSigned(ElementType::kS1, 0), 0);
  EXPECT_EQ(DecodeSigned(ElementType::kS2, 2), -2);
  EXPECT_EQ(DecodeSigned(ElementType::kS4, 0xf), -1);
  EXPECT_EQ(DecodeSigned(ElementType::kS4, 7), 7);
  EXPECT_EQ(DecodeSigned(ElementType::kS8, 0x80), -128);
  EXPECT_EQ(DecodeSigned(ElementType::kS64, uint64_t{1} << 63), INT64_MIN);
  EXPECT_EQ(EncodeInteger(ElementType::kS4, static_cast<uint64_t>(-3)), 0xdu);
  EXPECT_EQ(EncodeInteger(ElementType::kU8, 300), 44u);
}

// Blocks against the single-element functions, every count of a vector's remainder, unaligned.
class BlockTest : public testing::TestWithParam<ElementType> {};

TEST_P(BlockTest, AgreesWithSingleElements) {
  const ElementType type = GetParam();
  std::mt19937_64 random(5);
  const int64_t parts = IsComplex(type) ? 2 : 1;
  for (int64_t count = 0; count < 70; ++count) {
    std::vector<std::byte> storage(count * Info(type).storage_bytes + 1);
    for (std::byte& byte : storage) byte = static_cast<std::byte>(random());
    const std::byte* data = storage.data() + 1;
    std::vector<std::byte> back(count * Info(type).storage_bytes + 1);
    std::vector<uint64_t> raw(count * parts), expected_raw;
    const ElementType part = Info(type).component;
    for (int64_t i = 0; i < count; ++i) {
      const Element element = LoadElement(type, data, i);
      expected_raw.push_back(element.bits);
      if (parts == 2) expected_raw.push_back(element.imag);
    }
    if (IsFloat(part)) {
      std::vector<double> values(count * parts);
      DecodeFloats(type, data, count, values.data());
      EncodeFloats(type, values.data(), count, back.data() + 1);
      for (size_t i = 0; i < values.size(); ++i) {
        const double single = DecodeFloat(part, expected_raw[i]);
        ASSERT_EQ(std::signbit(single), std::signbit(values[i]));
        ASSERT_TRUE(single == values[i] || (std::isnan(single) && std::isnan(values[i])));
        if (IsNan(part, expected_raw[i])) expected_raw[i] = EncodeFloat(part, values[i]);
      }
    } else if (IsSigned(type)) {
      std::vector<int64_t> values(count);
      DecodeSigneds(type, data, count, values.data());
      for (int64_t i = 0; i < count; ++i) {
        ASSERT_EQ(values[i], DecodeSigned(type, expected_raw[i]));
        raw[i] = static_cast<uint64_t>(values[i]);
      }
      EncodeIntegers(type, raw.data(), count, back.data() + 1);
    } else {
      DecodeUnsigneds(type, data, count, raw.data());
      ASSERT_EQ(raw, expected_raw);
      for (uint64_t& value : raw) value |= ~Mask(Info(type).bits);  // surplus must not be stored
      EncodeIntegers(type, raw.data(), count, back.data() + 1);
    }
    for (int64_t i = 0; i < count; ++i) {
      const Element element = LoadElement(type, back.data() + 1, i);
      ASSERT_EQ(element.bits, expected_raw[i * parts]);
      if (parts == 2) {
        ASSERT_EQ(element.imag, expected_raw[i * parts + 1]);
      }
    }
    if (Info(type).bits < 8) {
      for (int64_t i = 0; i < count; ++i) {
        ASSERT_LE(static_cast<uint64_t>(back[1 + i]), Mask(Info(type).bits));
      }
    }
  }
}

// All that differs between the loop and the single encoder would show on specials and ties.
TEST_P(BlockTest, EncodesFloatsAsSingleElements) {
  const ElementType type = GetParam();
  if (!IsFloat(type)) GTEST_SKIP();
  std::mt19937_64 random(6);
  std::vector<double> values;
  for (int i = 0; i < 20000; ++i) {
    double x = DecodeFloat(type, random() & Mask(Info(type).bits));
    if (i % 3 == 1) x *= 1 + 0x1p-20 * static_cast<double>(random() % 16);
    if (i % 3 == 2) x = std::bit_cast<double>(random());
    values.push_back(x);
  }
  for (const NanSign sign : {NanSign::kKeep, NanSign::kPositive}) {
    std::vector<std::byte> out(values.size() * Info(type).storage_bytes);
    EncodeFloats(type, values.data(), static_cast<int64_t>(values.size()), out.data(), sign);
    for (size_t i = 0; i < values.size(); ++i) {
      const bool canonical = values[i] != values[i] && sign == NanSign::kPositive;
      ASSERT_EQ(LoadElement(type, out.data(), static_cast<int64_t>(i)).bits,
                canonical ? CanonicalNan(type) : EncodeFloat(type, values[i]))
          << values[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BlockTest, testing::ValuesIn(kArrayTypes),
                         [](const testing::TestParamInfo<ElementType>& info) {
                           return std::string(Name(info.param));
                         });

TEST(ElementStorageTest, UnusedBitsAreCleared) {
  std::vector<std::byte> data = {std::byte{0xa5}, std::byte{0}, std::byte{0xf0}};
  const auto cleared = [&data](ElementType type) {
    std::vector<std::byte> copy = data;
    ClearUnusedBits(type, copy.data(), 3);
    return copy;
  };
  EXPECT_EQ(cleared(ElementType::kS4), (std::vector{std::byte{5}, std::byte{0}, std::byte{0}}));
  EXPECT_EQ(cleared(ElementType::kU2), (std::vector{std::byte{1}, std::byte{0}, std::byte{0}}));
  EXPECT_EQ(cleared(ElementType::kPred), (std::vector{std::byte{1}, std::byte{0}, std::byte{1}}));
  EXPECT_EQ(cleared(ElementType::kU8), data);
}

}  // namespace
}  // namespace assay
