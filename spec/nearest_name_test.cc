#include "spec/nearest_name.h"

#include "gtest/gtest.h"
#include "spec/stable_hash.h"

namespace assay {
namespace {

TEST(NearestName, OfOperations) {
  EXPECT_EQ(NearestOpcodeName("exp"), "exponential");
  EXPECT_EQ(NearestOpcodeName("mul"), "multiply");
  EXPECT_EQ(NearestOpcodeName("reduce_window"), "reduce-window");
  EXPECT_EQ(NearestOpcodeName("xyzzyplugh"), "");
  EXPECT_EQ(NearestOpcodeName(std::string(1000, 'a')), "");
}

TEST(NearestName, OfTypes) {
  EXPECT_EQ(NearestTypeName("float32"), "f32");
  EXPECT_EQ(NearestTypeName("bfloat16"), "bf16");
  EXPECT_EQ(NearestTypeName("int8_t"), "s8");
  EXPECT_EQ(NearestTypeName("uint64"), "u64");
  EXPECT_EQ(NearestTypeName("bool"), "pred");
  EXPECT_EQ(NearestTypeName("complex128"), "c128");
  EXPECT_EQ(NearestTypeName("float8_e4m3fn"), "f8e4m3fn");
  EXPECT_EQ(NearestTypeName("string"), "");
}

TEST(NearestName, OfAList) {
  const std::string names[] = {"--tier", "--type", "--inputs"};
  EXPECT_EQ(NearestName("--input", names), "--inputs");
  EXPECT_EQ(NearestName("--tie", names), "--tier");
  EXPECT_EQ(NearestName("--tipe", names), "--type");
  EXPECT_EQ(NearestName("--tire", names), "--tier");  // two changes from each of the first two
  EXPECT_EQ(NearestName("--tips-and", names), "");
  EXPECT_EQ(NearestName(std::string(1000, '-'), names), "");
  EXPECT_EQ(NearestName("--tier", {}), "");
}

TEST(NearestName, AsAQuestion) {
  EXPECT_EQ(DidYouMean("f32"), " (did you mean f32?)");
  EXPECT_EQ(DidYouMean(""), "");
}

// The values that FNV's authors give for 64 bits of FNV-1a.
TEST(StableHash, IsFnv1a) {
  EXPECT_EQ(StableHash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(StableHash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(StableHash("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(StableHash("bar", StableHash("foo")), 0x85944171f73967e8u);
}

}  // namespace
}  // namespace assay
