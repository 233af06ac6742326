#include "conformance/corpus/case_reader.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

using testing::HasSubstr;

constexpr char kCase[] = R"(# A comment.
case add/f32/two
tags: op=add type=f32 profile=special freedom=signed_zero example=8.1
module:
  ENTRY e {
    a = f32[2] parameter(0)
    b = f32[2] parameter(1)
    ROOT r = add(a, b)
  }
inputs:
  arg0 = literal f32[2] {1, -0}
  arg1 = special f32[2] stride=3
expect:
  out0 = literal f32[2] {1, 0}
confirmed: hand

case outfeed/f32/fed
tags: op=outfeed type=f32
module:
  ENTRY e {
    a = f32[2] parameter(0)
    now = token[] after-all()
    i = (f32[2], token[]) infeed(now)
    x = f32[2] get-tuple-element(i), index=0
    ROOT o = token[] outfeed(x, now), outfeed_shape=f32[2]
  }
inputs:
  arg0 = literal f32[2] {1, 2}
  infeed0.dev0 = literal f32[2] {3, 4}
  infeed0.dev1 = benign f32[2] seed=3
  infeed1.dev1 = literal f32[2] {5, 6}
processes: replicas=2 partitions=1
expect:
  outfeed0.dev0 = literal f32[2] {3, 4}
  outfeed0.dev1 = literal f32[2] {5, 6}
confirmed: hand

case add/f32/refused
tags: op=add clause=binary_c2
module:
  ENTRY e {}
processes: replicas=2 partitions=3
expect: refused binary_c2
)";

TEST(CaseReader, ReadsWhatIsThere) {
  const auto cases = ReadCases(kCase, "f.cases");
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 3u);
  const CorpusCase& first = (*cases)[0];
  EXPECT_EQ(first.id, "add/f32/two");
  EXPECT_EQ(first.where, "f.cases:2");
  EXPECT_EQ(first.Tag("freedom"), "signed_zero");
  EXPECT_EQ(first.Tag("clause"), "");
  EXPECT_THAT(first.module, testing::StartsWith("ENTRY e {\n  a = f32[2] parameter(0)\n"));
  ASSERT_EQ(first.inputs.size(), 2u);
  EXPECT_EQ(first.inputs[0].literal->Get(1).bits, 0x80000000u);
  EXPECT_EQ(first.inputs[1].use.stride, 3u);
  EXPECT_EQ(first.inputs[1].shape, Shape(ElementType::kF32, {2}));
  EXPECT_EQ(first.expect, CorpusCase::Expect::kValues);
  EXPECT_EQ(first.confirmed, "hand");
  const CorpusCase& fed = (*cases)[1];
  EXPECT_EQ(fed.inputs.size(), 1u);
  ASSERT_EQ(fed.infeed.size(), 3u);
  EXPECT_EQ(fed.infeed[1].device, 1);
  EXPECT_EQ(fed.infeed[1].use.seed, 3u);
  EXPECT_EQ(fed.infeed[2].number, 1);
  EXPECT_EQ(fed.expected.size(), 0u);
  ASSERT_EQ(fed.outfeed.size(), 2u);
  EXPECT_EQ(fed.outfeed[1].literal->Get(0).bits, 0x40a00000u);
  EXPECT_EQ((*cases)[2].clause, "binary_c2");
  EXPECT_EQ((*cases)[2].replicas * 10 + (*cases)[2].partitions, 23);
}

TEST(CaseReader, FormattedCasesReadTheSame) {
  const auto cases = ReadCases(kCase, "f");
  ASSERT_TRUE(cases.ok());
  for (const CorpusCase& original : *cases) {
    const auto again = ReadCases(FormatCase(original), "f");
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(FormatCase((*again)[0]), FormatCase(original));
    EXPECT_EQ(CaseHash((*again)[0]), CaseHash(original));
  }
  EXPECT_NE(CaseHash((*cases)[0]), CaseHash((*cases)[1]));
}

// Each replacement is one mistake; the message says where and what.
TEST(CaseReader, NamesPlaceAndMistake) {
  const struct {
    const char *from, *to, *message;
  } kMistakes[] = {
      {"infeed1.dev1 = literal", "infeed0.dev1 = literal", "this array is here twice"},
      {"infeed1.dev1 =", "infeeds1 =", "an array is written 'infeed0 = literal"},
      {"outfeed0.dev1 = literal f32[2] {5, 6}", "outfeed0.dev1 = benign f32[2]",
       "expected values are literals"},
      {"case add/f32/two", "cas add/f32/two", "f:2:1: a case begins with 'case ID'"},
      {"add/f32/two", "add", "f:2:6: an id is written"},
      {"add/f32/two", "Add/f32/two", "f:2:6: an id is written"},
      {"add/f32/refused", "add/f32/two", "f:38:1: there is a case add/f32/two in line 2 already"},
      {"tags: op=add type", "tags: op=ad type", "f:3:7: unknown tag 'op=ad'"},
      {"type=f32", "type=f33", "unknown tag 'type=f33'"},
      {"freedom=signed_zero", "freedom=all", "unknown tag 'freedom=all'"},
      {"example=8.1", "example", "unknown tag 'example'"},
      {"tags: op=add type", "tag: op=add type", "f:3:1: unknown key 'tag'"},
      {"confirmed: hand\n", "", ""},
      {"confirmed: hand\n", "confirmed: me\n", "f:15:12: 'me' is not an independent reference"},
      {"confirmed: hand\n", "confirmed: hand\n  more\n", "f:16:1: nothing belongs to this line"},
      {"expect:\n", "tags: op=add\nexpect:\n", "f:13:1: case add/f32/two has 'tags:' twice"},
      {"module:\n  ENTRY e {}", "module:", "f:40:1: there is no module below"},
      {"module:\n  ENTRY e {}", "module:\n ", "f:41:1: there is no module below"},
      {"expect: refused binary_c2", "", "f:38:1: case add/f32/refused has no 'expect:'"},
      {"refused binary_c2", "refused it", "f:43:9: expected is 'golden'"},
      {"replicas=2", "replicas=0", "f:32:12: processes are written"},
      {"replicas=2", "cores=2", "f:32:12: processes are written"},
      {"arg0 = literal", "arg0: literal", "f:11:3: an array is written 'arg0 = "},
      {"arg1 = ", "arg0 = ", "f:12:3: this array is here twice"},
      {"arg1 = ", "arg99999999999999999999 = ", "f:12:3: an array is written"},
      {"{1, -0}", "{1, -0, 3}", "f:11:18: "},
      {"literal f32[2] {1, -0}", "literal f32[99999999999] {1}", "f:11:18: "},
      {"literal f32[2] {1, -0}", "literal (f32[] 1)", "f:11:18: arrays alone are numbered"},
      {"special f32[2]", "speciel f32[2]", "f:12:10: unknown profile 'speciel'"},
      {"special f32[2]", "indices f32[2]", "has no parameter 'stride'"},
      {"special f32[2] stride=3", "indices f32[2] low=0 high=2", "it has no values of this type"},
      {"special f32[2] stride=3", "indices s8[2] low=0", "it needs low= and high="},
      {"special f32[2] stride=3", "indices s8[2] low=0 high=200",
       "the type does not reach 0 to 200"},
      {"special f32[2] stride=3", "indices u8[2] low=-1 high=2", "the type does not reach -1 to 2"},
      {"special f32[2] stride=3", "indices u8[2] low=3 high=2", "low is above high"},
      {"special f32[2] stride=3", "ties f32[2] keep=23", "keep lies in 0 to 22"},
      {"special f32[2] stride=3", "ties f8e8m0fnu[2]", "it has no values of this type"},
      {"special f32[2] stride=3", "definite f32[2,3]", "it makes square matrices"},
      {"special f32[2] stride=3", "sorted c64[2]", "it has no values of this type"},
      {"stride=3", "stride=0", "stride is 0"},
      {"stride=3", "stride=x", "f:12:25: 'x' is not a whole number"},
      {"special f32[2]", "special f32(2)", "f:12:18: 'f32(2)' is not a shape of an array"},
      {"special f32[2] stride=3", "special", "f:12:10: the type and the sizes are missing"},
      {"out0 = literal f32[2] {1, 0}", "out0 = special f32[2]",
       "f:14:10: expected values are literals"},
  };
  for (const auto& mistake : kMistakes) {
    const std::string text = absl::StrReplaceAll(kCase, {{mistake.from, mistake.to}});
    ASSERT_NE(text, kCase) << mistake.from;
    const auto cases = ReadCases(text, "f");
    if (*mistake.message == 0) {
      EXPECT_TRUE(cases.ok()) << cases.status();
    } else {
      EXPECT_THAT(std::string(cases.status().message()), HasSubstr(mistake.message));
    }
  }
  EXPECT_EQ(ReadCases(kCase, "f", /*max_bytes=*/4).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(ReadCases("", "f").ok());
}

}  // namespace
}  // namespace assay::conformance
