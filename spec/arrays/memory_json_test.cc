// Linear memory in JSON: the document's padded array, round trips, and files that are wrong.
#include "spec/arrays/memory_json.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "spec/text/parser.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

constexpr absl::string_view kPadded = R"({"shape": "s32[2,3]{0,1}", "padded_dimensions": [3, 5],
    "padding_value": "0", "memory": [1, 4, 0, 2, 5, 0, 3, 6, 0, 0, 0, 0, 0, 0, 0]})";

TEST(Seed001, PaddingLivesInLiteralFiles) {
  auto arrays = ParseMemoryJson(kPadded, 1000);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  ASSERT_EQ(arrays->size(), 1u);
  const LaidOutArray& array = arrays->front();
  EXPECT_EQ(array.name, "arg0");
  EXPECT_TRUE(
      Literal::BitEqual(array.value, *ParseTypedLiteral("s32[2,3]{1,0} {{1,2,3},{4,5,6}}")));
  EXPECT_EQ(array.layout.padded_dimensions, (Dimensions{3, 5}));
  // And back.
  const ArrayMemory memory = *ArrayMemory::Create(array.value.shape(), array.layout);
  const nlohmann::json again = MemoryToJson("arg0", array.value, memory);
  EXPECT_EQ(again["memory"].dump(),
            R"(["1","4","0","2","5","0","3","6","0","0","0","0","0","0","0"])");
  EXPECT_EQ(again["padding_value"], "0");
  auto twice = ParseMemoryJson(nlohmann::json::array({again, again}).dump(), 1000);
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_TRUE(Literal::BitEqual((*twice)[1].value, array.value));
}

TEST(MemoryJson, UnspecifiedPaddingAndFloats) {
  auto arrays = ParseMemoryJson(
      R"([{"name": "w", "shape": "f32[3]{0:T(2)}", "memory": ["1.5", "-inf", "nan", "_"]}])", 100);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  EXPECT_EQ(arrays->front().name, "w");
  EXPECT_EQ(arrays->front().value.Get(1).bits, 0xff800000u);
}

TEST(MemoryJson, WrongFiles) {
  auto message = [](absl::string_view text) {
    return std::string(ParseMemoryJson(text, 1000).status().message());
  };
  EXPECT_THAT(message("{"), HasSubstr("no JSON"));
  EXPECT_THAT(message(std::string(100000, '[')), HasSubstr("no JSON"));
  EXPECT_THAT(message("[3]"), HasSubstr("no JSON object"));
  EXPECT_THAT(message("{}"), HasSubstr("array arg0: there is no shape"));
  EXPECT_THAT(message(R"({"shape": "f32[2]{0}", "memory": [1]})"),
              HasSubstr("1 cells, 2 are wanted"));
  EXPECT_THAT(message(R"({"shape": "f32[1]{0}", "memory": ["x"]})"), HasSubstr("cell 0"));
  EXPECT_THAT(message(R"({"shape": "f32[1]{1}", "memory": ["1"]})"),
              HasSubstr("not a permutation"));
  EXPECT_THAT(message(R"({"shape": "f32[1]{0}", "padding_value": "much", "memory": ["1"]})"),
              HasSubstr("padding value much is not a value of f32"));
  EXPECT_THAT(message(R"({"shape": "f32[999999999]{0}", "memory": []})"), HasSubstr("0 cells"));
}

}  // namespace
}  // namespace assay
