// Arrays in files: numpy's samples read, what is written read back, damage and lies refused.
#include "spec/arrays/arrays.h"

#include <zlib.h>

#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/files/file_io.h"
#include "spec/testing/test_folder.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

const std::string kSamples = std::string(ASSAY_SOURCE_DIR) + "/conformance/samples/";

// A .npy of version `version`, as the format's description has it.
std::string Npy(const std::string& descr, const std::string& rest, const std::string& data,
                int version = 1) {
  std::string header = absl::StrCat("{'descr': '", descr, "', ", rest, "}\n");
  std::string content =
      absl::StrCat("\x93NUMPY", std::string(1, static_cast<char>(version)), std::string(1, '\0'));
  const uint32_t length = static_cast<uint32_t>(header.size());
  content.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return content + header + data;
}

Literal ParseOrFail(const std::string& content, const std::string& type = "") {
  absl::StatusOr<Literal> array = ParseNpy(content, type, "a");
  EXPECT_TRUE(array.ok()) << array.status();
  return array.ok() ? *std::move(array) : Literal();
}

std::string NpyError(const std::string& content, const std::string& type = "") {
  absl::StatusOr<Literal> array = ParseNpy(content, type, "arg7", 1 << 20);
  EXPECT_FALSE(array.ok()) << content;
  return array.ok() ? "" : std::string(array.status().message());
}

constexpr char kTwoByThree[] = "'fortran_order': False, 'shape': (2, 3), ";

TEST(Npy, VersionsOrdersAndByteOrders) {
  const std::string data = std::string("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
  const Literal plain = ParseOrFail(Npy("<i2", kTwoByThree, data));
  EXPECT_EQ(plain.shape().ToString(), "s16[2,3]");
  EXPECT_EQ(plain.Get(4).bits, 5u);
  for (int version : {2, 3}) {
    EXPECT_TRUE(Literal::BitEqual(plain, ParseOrFail(Npy("<i2", kTwoByThree, data, version))));
  }
  const std::string big = std::string("\0\1\0\2\0\3\0\4\0\5\0\6", 12);
  EXPECT_TRUE(Literal::BitEqual(plain, ParseOrFail(Npy(">i2", kTwoByThree, big))));
  // Column by column: 1 4 2 5 3 6.
  const std::string columns = std::string("\1\0\4\0\2\0\5\0\3\0\6\0", 12);
  EXPECT_TRUE(Literal::BitEqual(
      plain, ParseOrFail(Npy("<i2", "'shape': (2, 3), 'fortran_order': True", columns))));
  // Complex numbers swap each part.
  const Literal complex = ParseOrFail(
      Npy(">c8", "'fortran_order': False, 'shape': ()", std::string("\x3f\x80\0\0\xc0\0\0\0", 8)));
  EXPECT_EQ(complex.Get(0).bits, 0x3f800000u);
  EXPECT_EQ(complex.Get(0).imag, 0xc0000000u);
  const Literal empty = ParseOrFail(Npy("<f8", "'fortran_order': True, 'shape': (0, 4)", ""));
  EXPECT_EQ(empty.element_count(), 0);
}

TEST(Npy, TypesThatNumpyLacks) {
  const std::string one = "'fortran_order': False, 'shape': (2,)";
  EXPECT_EQ(ParseOrFail(Npy("<u2", one, "\1\2\3\4"), "bf16").Get(1).bits, 0x0403u);
  EXPECT_EQ(ParseOrFail(Npy("<V2", one, "\1\2\3\4"), "bf16").Get(1).bits, 0x0403u);
  EXPECT_EQ(ParseOrFail(Npy("|u1", one, "\x0f\xf8"), "s4").Get(1).bits, 0x8u);
  EXPECT_EQ(ParseOrFail(Npy("bfloat16", one, "\1\2\3\4")).element_type(), ElementType::kBF16);
  EXPECT_EQ(ParseOrFail(Npy("float8_e4m3fn", one, "\1\2")).element_type(), ElementType::kF8E4M3FN);
  EXPECT_EQ(ParseOrFail(Npy("int4", one, "\1\2")).element_type(), ElementType::kS4);
  EXPECT_THAT(NpyError(Npy("|V2", one, "\1\2\3\4")), HasSubstr("named after an @"));
  bool untyped = false;
  auto bits = ParseNpy(Npy("<V2", one, "\1\2\3\4"), "", "a", 1 << 20, &untyped);
  ASSERT_TRUE(bits.ok()) << bits.status();
  EXPECT_TRUE(untyped);
  EXPECT_EQ(bits->element_type(), ElementType::kU16);
  EXPECT_EQ(WithType(*bits, ElementType::kBF16).Get(1).bits, 0x0403u);
  bits = ParseNpy(Npy("|V1", one, "\x0f\xf8"), "", "a", 1 << 20, &untyped);
  ASSERT_TRUE(bits.ok() && untyped) << bits.status();
  EXPECT_EQ(WithType(*bits, ElementType::kS4).Get(1).bits, 0x8u);
  // As numpy writes float8_e5m2 of ml_dtypes.
  bits = ParseNpy(Npy("<f1", one, "\x3c\xbc"), "", "a", 1 << 20, &untyped);
  ASSERT_TRUE(bits.ok() && untyped) << bits.status();
  EXPECT_EQ(DecodeFloat(ElementType::kF8E5M2, WithType(*bits, ElementType::kF8E5M2).Get(1).bits),
            -1);
  EXPECT_EQ(ParseOrFail(Npy("<f1", one, "\x3c\xbc"), "f8e5m2").Get(0).bits, 0x3cu);
  ASSERT_TRUE(ParseNpy(Npy("<u2", one, "\1\2\3\4"), "", "a", 1 << 20, &untyped).ok());
  EXPECT_FALSE(untyped);
  EXPECT_FALSE(ParseNpy(Npy("|V4", one, "\1\2\3\4\5\6\7\1"), "", "a", 1 << 20, &untyped).ok());
  EXPECT_THAT(NpyError(Npy("<u4", one, "\1\2\3\4\5\6\7\1"), "bf16"),
              HasSubstr("arg7: the numpy type <u4 cannot hold the 2 bytes of a @bf16"));
  EXPECT_THAT(NpyError(Npy("<f2", one, "\1\2\3\4"), "bf16"), HasSubstr("cannot hold"));
  EXPECT_THAT(NpyError(Npy("<u2", one, "\1\2\3\4"), "bf61"),
              HasSubstr("@bf61 is not an element type"));
  EXPECT_THAT(NpyError(Npy("<M8", one, "\1\2\3\4")), HasSubstr("numpy type <M8 is not known"));
}

TEST(Npy, LiesAreRefusedBeforeAllocating) {
  EXPECT_THAT(NpyError(Npy("<f8", "'fortran_order': False, 'shape': (1099511627776,)", "x")),
              HasSubstr("takes 8796093022208 bytes, there are 1"));
  EXPECT_THAT(NpyError(Npy("<f8", "'fortran_order': False, 'shape': (4294967296, 4294967296)", "")),
              HasSubstr("overflow"));
  EXPECT_THAT(NpyError(Npy("<f8", "'fortran_order': False, 'shape': (99999999999999999999,)", "")),
              HasSubstr("its header is not a dictionary"));
  EXPECT_THAT(NpyError(Npy("<f8", "'shape': (1,)", "12345678")), HasSubstr("header"));
  EXPECT_THAT(NpyError(Npy("<f8", kTwoByThree, "", 4)), HasSubstr("version"));
  EXPECT_THAT(NpyError("\x93NUMPY\x01"), HasSubstr("ends in its header"));
  EXPECT_THAT(NpyError("hello"), HasSubstr("does not begin"));
  const std::string good = Npy("<i2", kTwoByThree, "123456789012");
  for (size_t i = 0; i < good.size(); ++i) {
    EXPECT_FALSE(ParseNpy(good.substr(0, i), "", "cut").ok()) << i;
  }
}

TEST(Npy, EveryTypeComesBack) {
  for (ElementType type : kArrayTypes) {
    Literal array = Literal::Zeros(Shape(type, {2, 1, 3}));
    for (int64_t i = 0; i < 6; ++i) {
      const uint64_t bits = (i * 0x9e3779b97f4a7c15u) >> 1;
      const int width = Info(Info(type).component).bits;
      const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
      array.Set(i, {bits & mask, IsComplex(type) ? ~bits & mask : 0});
    }
    const std::string name = MemberName("x", type);
    const size_t at = name.find('@');
    const Literal back =
        ParseOrFail(FormatNpy(array), at == std::string::npos ? "" : name.substr(at + 1));
    EXPECT_TRUE(Literal::BitEqual(array, back)) << name;
    EXPECT_EQ(back.element_type(), type);
  }
  EXPECT_EQ(FormatNpy(Literal::Zeros(Shape(ElementType::kF32, {5}))).size() % 64, 20u);
}

TEST(Npz, SamplesOfNumpyComeBack) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSamples)) {
    if (entry.path().extension() != ".npz") continue;
    SCOPED_TRACE(entry.path());
    absl::StatusOr<std::vector<NamedLiteral>> arrays = ReadArrays(entry.path().string());
    ASSERT_TRUE(arrays.ok()) << arrays.status();
    const std::string path = TestPath("copy.npz");
    ASSERT_TRUE(WriteNpz(path, *arrays).ok());
    absl::StatusOr<std::vector<NamedLiteral>> back = ReadArrays(path);
    ASSERT_TRUE(back.ok()) << back.status();
    ASSERT_EQ(back->size(), arrays->size());
    for (size_t i = 0; i < back->size(); ++i) {
      EXPECT_EQ((*back)[i].name, (*arrays)[i].name);
      EXPECT_TRUE(Literal::BitEqual((*back)[i].value, (*arrays)[i].value));
    }
    ++files;
  }
  EXPECT_GE(files, 60);
}

TEST(Npz, OnlyArraysAreWritten) {
  EXPECT_THAT(std::string(WriteNpz(TestPath("t"), {{"out0", Literal::Token()}}).message()),
              HasSubstr("out0 of shape token[] is not an array"));
  EXPECT_EQ(WriteNpz("/no/such/folder/x.npz", {}).code(), absl::StatusCode::kNotFound);
  const std::string path = TestPath("empty.npz");
  ASSERT_TRUE(WriteNpz(path, {}).ok());
  absl::StatusOr<std::vector<NamedLiteral>> none = ReadArrays(path);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_TRUE(none->empty());
}

// Every bit of every place in a small archive: a status, and never wrong data without one, which
// the checksums see to, except in names and times.
TEST(Npz, DamageIsAStatus) {
  const std::string path = TestPath("damaged.npz");
  Literal array = Literal::Zeros(Shape(ElementType::kS32, {3}));
  array.Set(1, Element{77, 0});
  ASSERT_TRUE(WriteNpz(path, {{"arg0", array}}).ok());
  absl::StatusOr<std::string> good = ReadFile(path);
  ASSERT_TRUE(good.ok());
  int64_t refused = 0;
  for (size_t at = 0; at < good->size(); at += 3) {
    std::string bad = *good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    for (const std::string& content : {bad, good->substr(0, at)}) {
      ASSERT_TRUE(WriteFileAtomically(path, content).ok());
      absl::StatusOr<std::vector<NamedLiteral>> read = ReadArrays(path);
      if (!read.ok()) {
        ++refused;
      } else {
        for (const NamedLiteral& found : *read) {
          EXPECT_TRUE(Literal::BitEqual(found.value, array)) << at;
        }
      }
    }
  }
  EXPECT_GT(refused, static_cast<int64_t>(good->size()) / 3);
}

TEST(Npz, BoundsHoldOverAllMembers) {
  const std::string path = TestPath("bounded.npz");
  const Literal array = Literal::Zeros(Shape(ElementType::kF32, {1000}));
  ASSERT_TRUE(WriteNpz(path, {{"arg0", array}, {"arg1", array}}).ok());
  EXPECT_TRUE(ReadArrays(path, 10000).ok());
  absl::StatusOr<std::vector<NamedLiteral>> refused = ReadArrays(path, 6000);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("member arg1.npy"));
}

TEST(ReadArrays, LiteralsAndSingleArrays) {
  const std::string path = TestPath("values.txt");
  ASSERT_TRUE(
      WriteFileAtomically(path, "// a comment\ns32[2]{0} {1, 2}\n\n(f32[] 0.5, pred[] true)\n")
          .ok());
  absl::StatusOr<std::vector<NamedLiteral>> arrays = ReadArrays(path);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  ASSERT_EQ(arrays->size(), 3u);
  EXPECT_EQ((*arrays)[2].name, "arg2");
  EXPECT_EQ((*arrays)[2].value.element_type(), ElementType::kPred);
  ASSERT_TRUE(WriteFileAtomically(path, "1, 2, 3\n").ok());
  EXPECT_THAT(std::string(ReadArrays(path).status().message()),
              HasSubstr("values.txt: line 1, column 1: "));
  ASSERT_TRUE(WriteFileAtomically(path, "f32[] 1\n  s32[2] {1, x}\n").ok());
  EXPECT_THAT(std::string(ReadArrays(path).status().message()), HasSubstr("line 2, column 14: "));
  // Gzip content is gzip content, whatever its name.
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\x36\x36\x8a\x8e\x55\x30\x02\x00\x4f\xcb\xd8\x3c"
      "\x07\x00\x00\x00",
      27);
  ASSERT_TRUE(WriteFileAtomically(path, packed).ok());
  arrays = ReadArrays(path, kDefaultMaxArrayBytes, "out");
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  EXPECT_EQ((*arrays)[0].name, "out0");
  EXPECT_EQ((*arrays)[0].value.Get(0).bits, 2u);
  const std::string npy = TestPath("weights@bf16.npy");
  ASSERT_TRUE(
      WriteFileAtomically(npy, Npy("<u2", "'fortran_order': False, 'shape': (1,)", "ab")).ok());
  arrays = ReadArrays(npy);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  EXPECT_EQ((*arrays)[0].value.element_type(), ElementType::kBF16);
}

}  // namespace
}  // namespace assay
