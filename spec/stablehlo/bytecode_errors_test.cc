// Bytes that are no valid program: every truncation of the example, every byte of it changed to
// every value, and each bound of the format crossed on purpose.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/byte_writer.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/bytecode_example.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

std::string ErrorOf(absl::string_view bytes) {
  absl::StatusOr<std::unique_ptr<Program>> program = ParseBytecode(bytes, "file");
  if (program.ok()) return "";
  EXPECT_TRUE(absl::StartsWith(program.status().message(), "file: ")) << program.status();
  return std::string(program.status().message());
}

// A file whose attributes and types are builtin's, or those of another dialect from the attribute
// `first_other` on.
std::string FileWith(const std::vector<std::string>& attributes,
                     const std::vector<std::string>& types, std::string operations,
                     absl::string_view other = "vhlo", size_t first_other = SIZE_MAX) {
  auto section = [](int id, const ByteWriter& data, ByteWriter& out) {
    out.Byte(static_cast<uint8_t>(id));
    out.Blob(data.bytes());
  };
  ByteWriter out, strings, dialects, offsets, entries, ir;
  out.Bytes(absl::string_view("ML\xefR", 4));
  out.Varint(6);
  out.Bytes(absl::string_view("MLIR\0", 5));
  strings.Varint(4);
  strings.Varint(other.size() + 1);
  for (int size : {2, 7, 8}) strings.Varint(size);
  strings.Bytes(absl::string_view("builtin\0module\0x\0", 17));
  strings.Bytes(absl::StrCat(other, absl::string_view("\0", 1)));
  section(0, strings, out);
  dialects.Varint(2);
  dialects.VarintWithFlag(0, false);
  dialects.VarintWithFlag(3, false);
  dialects.Varint(1);
  dialects.Varint(0);
  dialects.Varint(1);
  dialects.VarintWithFlag(1, true);
  section(1, dialects, out);
  offsets.Varint(attributes.size());
  offsets.Varint(types.size());
  const auto add = [&](const std::vector<std::string>& list, size_t begin, size_t end,
                       uint64_t dialect) {
    if (begin >= end) return;
    offsets.Varint(dialect);
    offsets.Varint(end - begin);
    for (size_t i = begin; i < end; ++i) {
      offsets.VarintWithFlag(list[i].size(), true);
      entries.Bytes(list[i]);
    }
  };
  const size_t of_builtin = std::min(first_other, attributes.size());
  add(attributes, 0, of_builtin, 0);
  add(attributes, of_builtin, attributes.size(), 1);
  add(types, 0, types.size(), 0);
  section(3, offsets, out);
  section(2, entries, out);
  ir.Bytes(operations);
  section(4, ir, out);
  return std::move(out).Release();
}

std::string Bytes(std::initializer_list<uint64_t> varints) {
  ByteWriter out;
  for (uint64_t value : varints) out.Varint(value);
  return std::move(out).Release();
}

// One module without regions that has the attribute as its dictionary: name 0, mask 1, location 0.
std::string ModuleWith(uint64_t dictionary) {
  ByteWriter out;
  out.VarintWithFlag(1, false);
  out.Varint(0);
  out.Byte(1);
  out.Varint(0);
  out.Varint(dictionary);
  return std::move(out).Release();
}

TEST(Truncation, IsAnErrorEverywhere) {
  const std::string bytes = ExampleArtifact();
  const std::string old = OldExampleArtifact();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(ErrorOf(bytes.substr(0, size)), "") << size;
  }
  for (size_t size = 0; size < old.size(); ++size) {
    EXPECT_NE(ErrorOf(old.substr(0, size)), "") << size;
  }
}

// What is still read is printed, too, which touches everything of the tree.
TEST(Changes, OfOneByteDoNoHarm) {
  int accepted = 0;
  for (const std::string& original : {ExampleArtifact(), OldExampleArtifact()}) {
    for (size_t at = 0; at < original.size(); ++at) {
      for (int value = 0; value < 256; ++value) {
        std::string bytes = original;
        bytes[at] = static_cast<char>(value);
        absl::StatusOr<std::unique_ptr<Program>> program = ParseBytecode(bytes, "file");
        if (!program.ok()) continue;
        ++accepted;
        EXPECT_FALSE(PrintText(**program, PrintForm::kGeneric).empty());
      }
    }
  }
  EXPECT_GT(accepted, 1000);  // places in files, numbers of constants, names
}

TEST(Versions, NewerThanKnownAreNamed) {
  std::string bytes = ExampleArtifact();
  bytes[4] = 0x0f;
  EXPECT_EQ(ErrorOf(bytes), "file: bytecode version 7 is newer than the newest known one, 6");
  EXPECT_EQ(ParseBytecode(bytes, "file").status().code(), absl::StatusCode::kUnimplemented);
  bytes = ExampleArtifact();
  bytes.replace(bytes.find("1.17.0"), 6, "1.21.0");
  EXPECT_EQ(ErrorOf(bytes),
            "file: StableHLO version 1.21.0 is newer than the newest known one, 1.20.0");
}

TEST(Files, ThatAreNoBytecode) {
  EXPECT_EQ(ErrorOf("module {}"), "file: this is no MLIR bytecode");
  EXPECT_EQ(ErrorOf(""), "file: this is no MLIR bytecode");
  EXPECT_EQ(ErrorOf(absl::string_view("ML\xefR\x0dMLIR\0", 10)),
            "file: the section for strings is missing");
}

TEST(Sections, AreThereOnce) {
  const std::string bytes = ExampleArtifact();
  EXPECT_EQ(ErrorOf(absl::StrCat(bytes, absl::string_view("\x08\x03\x01", 3))),
            "file: there are two sections for properties");
  EXPECT_EQ(ErrorOf(absl::StrCat(bytes, absl::string_view("\x09\x01", 2))),
            "file: there is no section with the number 9");
}

TEST(Modules, OfHandAreRead) {
  // An empty dictionary, and the unknown location.
  EXPECT_EQ(ErrorOf(FileWith({Bytes({15}), Bytes({1, 0})}, {}, ModuleWith(1))),
            "file: builtin.module: the operation has 0 regions in place of 1");
}

TEST(References, InACircle) {
  const std::string error =
      ErrorOf(FileWith({Bytes({15}), Bytes({0, 1, 2}), Bytes({0, 1, 1})}, {}, ModuleWith(1)));
  EXPECT_THAT(error, testing::HasSubstr("attribute 1 is part of itself"));
  const std::string types =
      ErrorOf(FileWith({Bytes({15}), Bytes({6, 0})}, {Bytes({15, 1, 0})}, ModuleWith(1)));
  EXPECT_THAT(types, testing::HasSubstr("type 0 is part of itself"));
  const std::string places =
      ErrorOf(FileWith({Bytes({10, 1, 1}), Bytes({10, 0, 0})}, {}, ModuleWith(1)));
  EXPECT_THAT(places, testing::HasSubstr("is part of itself"));
}

TEST(References, OutOfRange) {
  EXPECT_THAT(ErrorOf(FileWith({Bytes({15})}, {}, ModuleWith(7))),
              testing::HasSubstr("there is no attribute with the number 7"));
  EXPECT_THAT(ErrorOf(FileWith({Bytes({15}), Bytes({2, 9})}, {}, ModuleWith(1))),
              testing::HasSubstr("there is no string with this number"));
}

TEST(Entries, NestedDeeply) {
  std::vector<std::string> chain = {Bytes({15})};
  for (uint64_t i = 1; i < 100000; ++i) chain.push_back(Bytes({0, 1, i + 1}));
  chain.push_back(Bytes({7}));
  EXPECT_THAT(ErrorOf(FileWith(chain, {}, ModuleWith(1))),
              testing::HasSubstr("is nested too deeply"));
}

// Each array has the one before twice: 2^40 when written out.
TEST(Entries, ThatStandForTooMuch) {
  std::vector<std::string> chain = {Bytes({15}), Bytes({7})};
  for (uint64_t i = 2; i < 42; ++i) chain.push_back(Bytes({0, 2, i - 1, i - 1}));
  EXPECT_THAT(ErrorOf(FileWith(chain, {}, ModuleWith(41))),
              testing::HasSubstr("it stands for more than a million attributes"));
}

TEST(Entries, WithBytesBehindThem) {
  EXPECT_THAT(ErrorOf(FileWith({Bytes({15}), Bytes({7, 7})}, {}, ModuleWith(1))),
              testing::HasSubstr("there is data behind it"));
}

TEST(Entries, OfUnknownCodes) {
  EXPECT_THAT(ErrorOf(FileWith({Bytes({15}), Bytes({99})}, {}, ModuleWith(1))),
              testing::HasSubstr("attribute 1: an unknown builtin attribute"));
}

TEST(Dictionaries, NameThingsOnce) {
  // x twice.
  EXPECT_THAT(ErrorOf(FileWith({Bytes({15}), Bytes({1, 2, 2, 3, 2, 3}), Bytes({2, 2}), Bytes({7})},
                               {}, ModuleWith(1))),
              testing::HasSubstr("a dictionary has a name twice"));
}

// Records whose parts are not what their names say, which no printer could write.
TEST(Records, WithFieldsOfTheWrongKind) {
  const auto error = [](const std::vector<std::string>& attributes, absl::string_view dialect) {
    std::vector<std::string> all = {Bytes({15}), Bytes({1, 1, 2, 3}), Bytes({2, 2})};
    all.insert(all.end(), attributes.begin(), attributes.end());
    return ErrorOf(FileWith(all, {}, ModuleWith(1), dialect, 3));
  };
  const auto wrong =
      testing::HasSubstr("a field of a structured attribute is missing or of the wrong kind");
  // The mode of an accuracy is a string (code 14), not an enumeration (19).
  EXPECT_THAT(error({Bytes({20, 0, 0, 0, 4}), Bytes({14, 2})}, "vhlo"), wrong);
  EXPECT_THAT(error({Bytes({20, 0, 0, 0, 4}), Bytes({19, 1})}, "vhlo"), testing::Not(wrong));
  // The axes of a mesh, and of a manual computation, are a mesh (code 2).
  EXPECT_THAT(error({Bytes({2, 1, 4, 0}), Bytes({2, 0, 0})}, "sdy"), wrong);
  EXPECT_THAT(error({Bytes({0, 1, 4}), Bytes({2, 0, 0})}, "sdy"), wrong);
  EXPECT_THAT(error({Bytes({0, 0})}, "sdy"), testing::Not(wrong));
  // A list of axes one of which is no attribute (found by mutation).
  EXPECT_THAT(error({Bytes({18, 2, 1, 77})}, "stablehlo"),
              testing::HasSubstr("there is no attribute with the number 77"));
}

TEST(Constants, OfTheWrongSize) {
  // dense<..> : tensor<4xi8> of 3 bytes.
  ByteWriter dense;
  dense.Varint(18);
  dense.Varint(0);
  dense.Blob("abc");
  ByteWriter tensor;
  tensor.Varint(13);
  tensor.Varint(1);
  tensor.SignedVarint(4);
  tensor.Varint(1);
  EXPECT_THAT(ErrorOf(FileWith({Bytes({15}), dense.bytes()}, {tensor.bytes(), Bytes({0, 8 << 2})},
                               ModuleWith(1))),
              testing::HasSubstr("a constant has the wrong number of bytes"));
}

// tensor<4xi8, #stablehlo.bounds<5>>: only sizes that are not known have bounds.
TEST(Types, WithBoundsOfKnownSizes) {
  ByteWriter bounds, tensor;
  bounds.Varint(18);
  bounds.Varint(1);
  bounds.SignedVarint(5);
  tensor.Varint(14);  // with an encoding
  tensor.Varint(2);
  tensor.Varint(1);
  tensor.SignedVarint(4);
  tensor.Varint(1);
  EXPECT_THAT(ErrorOf(FileWith({Bytes({15}), Bytes({6, 0}), bounds.bytes()},
                               {tensor.bytes(), Bytes({0, 8 << 2})}, ModuleWith(1), "vhlo", 2)),
              testing::HasSubstr("a tensor's bounds do not fit its dimensions"));
}

// A module of modules, 300 deep.
TEST(Regions, NestedDeeply) {
  std::string inner = Bytes({0});  // a block without operations
  for (int i = 0; i < 300; ++i) {
    ByteWriter region, op;
    region.Varint(1);
    region.Varint(0);
    region.Bytes(inner);
    op.VarintWithFlag(1, false);
    op.Varint(0);
    op.Byte(0x10);
    op.Varint(0);
    op.VarintWithFlag(1, true);
    op.Byte(4);
    op.Blob(region.bytes());
    inner = op.bytes();
  }
  EXPECT_THAT(ErrorOf(FileWith({Bytes({15})}, {}, inner)),
              testing::HasSubstr("regions are nested too deeply"));
}

// One block that announces more operations, and a region that announces more values, than follow.
TEST(Counts, ThatAreTooLarge) {
  EXPECT_THAT(ErrorOf(FileWith({Bytes({15})}, {}, Bytes({uint64_t{1} << 40}))),
              testing::HasSubstr("a count exceeds the data that is left"));
  ByteWriter op;
  op.VarintWithFlag(1, false);
  op.Varint(0);
  op.Byte(0x10);
  op.Varint(0);
  op.VarintWithFlag(1, false);
  op.Varint(1);
  op.Varint(uint64_t{1} << 40);
  EXPECT_THAT(ErrorOf(FileWith({Bytes({15})}, {}, op.bytes())),
              testing::HasSubstr("a count exceeds the data that is left"));
}

}  // namespace
}  // namespace assay::stablehlo
