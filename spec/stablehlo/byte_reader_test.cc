#include "spec/stablehlo/byte_reader.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace assay::stablehlo {
namespace {

std::string Hex(std::initializer_list<int> bytes) {
  return std::string(bytes.begin(), bytes.end());
}

ByteReader Over(absl::string_view bytes) { return ByteReader(bytes, 0, bytes.size()); }

// The worked values are those of the format's definition.
TEST(Varints, EveryWidth) {
  const struct {
    std::string bytes;
    uint64_t value;
  } cases[] = {
      {Hex({0x01}), 0},
      {Hex({0x1b}), 13},
      {Hex({0xff}), 127},
      {Hex({0x02, 0x02}), 128},
      {Hex({0xfe, 0xff}), 16383},
      {Hex({0x04, 0x00, 0x02}), 16384},
      {Hex({0x80, 0, 0, 0, 0, 0, 0, 0x80}), uint64_t{1} << 55},
      {Hex({0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), UINT64_MAX},
  };
  for (const auto& c : cases) {
    ByteReader reader = Over(c.bytes);
    EXPECT_EQ(reader.Varint(), c.value);
    EXPECT_TRUE(reader.ok() && reader.empty());
    for (size_t size = 0; size < c.bytes.size(); ++size) {
      ByteReader cut(c.bytes, 0, size);
      EXPECT_EQ(cut.Varint(), 0);
      EXPECT_FALSE(cut.ok());
    }
  }
}

TEST(Varints, SignedOnesAlternate) {
  const std::pair<int, int64_t> cases[] = {{0x01, 0}, {0x03, -1}, {0x05, 1}, {0x07, -2}, {0x09, 2}};
  for (auto [byte, value] : cases) {
    const std::string bytes = Hex({byte});
    EXPECT_EQ(Over(bytes).SignedVarint(), value);
  }
  const std::string lowest = Hex({0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  EXPECT_EQ(Over(lowest).SignedVarint(), INT64_MIN);
}

TEST(Counts, AreBoundedByTheBytesLeft) {
  const std::string enough = Hex({0x05, 1, 1});
  EXPECT_EQ(Over(enough).Count(), 2);
  const std::string too_many = Hex({0x07, 1, 1});
  ByteReader reader = Over(too_many);
  EXPECT_EQ(reader.Count(), 0);
  EXPECT_EQ(reader.status("list").message(),
            "list: a count exceeds the data that is left, at byte 1");
}

TEST(Strings, EndWithNul) {
  const std::string bytes("ab\0c", 4);
  ByteReader reader = Over(bytes);
  EXPECT_EQ(reader.CString(), "ab");
  EXPECT_EQ(reader.CString(), "");
  EXPECT_FALSE(reader.ok());
}

TEST(Padding, ReachesTheAlignmentInTheFile) {
  const std::string bytes = Hex({1, 1, 1, 0xcb, 9});
  ByteReader reader(bytes, 3, 5);
  reader.AlignTo(4);
  EXPECT_EQ(reader.Byte(), 9);
  ByteReader odd(bytes, 3, 5);
  odd.AlignTo(3);
  EXPECT_FALSE(odd.ok());
  ByteReader wrong(bytes, 2, 5);
  wrong.AlignTo(4);
  EXPECT_FALSE(wrong.ok());
  ByteReader far(bytes, 3, 5);
  far.AlignTo(uint64_t{1} << 63);
  EXPECT_FALSE(far.ok());
}

TEST(Errors, Stick) {
  const std::string bytes = Hex({0x03, 0x05});
  ByteReader reader = Over(bytes);
  EXPECT_EQ(reader.Varint(), 1);
  reader.Fail("first");
  reader.Fail("second");
  EXPECT_EQ(reader.Varint(), 0);
  EXPECT_EQ(reader.Byte(), 0);
  EXPECT_EQ(reader.status("x").message(), "x: first, at byte 1");
}

}  // namespace
}  // namespace assay::stablehlo
