#include "backends/pjrt/driver/flat_entry.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "spec/testing/must_parse.h"
#include "spec/text/printer.h"

namespace assay::pjrt {
namespace {

// The module that WithFlatEntry makes is, but for names, the expected one.
void ExpectFlat(const std::string& text, const std::string& expected) {
  const std::unique_ptr<Module> module = MustParse(text);
  absl::StatusOr<std::unique_ptr<Module>> flat = WithFlatEntry(*module);
  ASSERT_TRUE(flat.ok()) << flat.status();
  const std::unique_ptr<Module> wanted = MustParse(expected);
  EXPECT_TRUE(CompareModules(**flat, *wanted).ok()) << CompareModules(**flat, *wanted) << "\n"
                                                    << PrintModule(**flat);
}

TEST(FlatEntryTest, LeavesFlatEntriesAlone) {
  const std::string text = R"(HloModule m, replica_count=2, num_partitions=3
ENTRY e {
  x = f32[2] parameter(0)
  ROOT t = (f32[2], f32[2]) tuple(x, x)
}
)";
  ExpectFlat(text, text);
}

TEST(FlatEntryTest, PutsAnEntryInFrontOfTuples) {
  ExpectFlat(R"(HloModule m, input_output_alias={ {1,0}: (0, {1}) }, buffer_donor={ (1, {}) }
ENTRY e {
  p = (f32[2], s32[3]) parameter(0), sharding={{replicated}, {maximal device=0}}
  q = f32[] parameter(1)
  a = f32[2] get-tuple-element(p), index=0
  b = s32[3] get-tuple-element(p), index=1
  inner = (s32[3], f32[]) tuple(b, q)
  ROOT t = (f32[2], (s32[3], f32[])) tuple(a, inner)
}
)",
             R"(HloModule m, input_output_alias={ {1}: (1, {}) }, buffer_donor={ (2, {}) }
e {
  p = (f32[2], s32[3]) parameter(0), sharding={{replicated}, {maximal device=0}}
  q = f32[] parameter(1)
  a = f32[2] get-tuple-element(p), index=0
  b = s32[3] get-tuple-element(p), index=1
  inner = (s32[3], f32[]) tuple(b, q)
  ROOT t = (f32[2], (s32[3], f32[])) tuple(a, inner)
}
ENTRY flat_entry {
  flat.0 = f32[2] parameter(0), sharding={replicated}
  flat.1 = s32[3] parameter(1), sharding={maximal device=0}
  flat.2 = (f32[2], s32[3]) tuple(flat.0, flat.1)
  flat.3 = f32[] parameter(2)
  flat.4 = (f32[2], (s32[3], f32[])) call(flat.2, flat.3), to_apply=e
  flat.5 = f32[2] get-tuple-element(flat.4), index=0
  flat.6 = (s32[3], f32[]) get-tuple-element(flat.4), index=1
  flat.7 = s32[3] get-tuple-element(flat.6), index=0
  flat.8 = (s32[3], f32[]) get-tuple-element(flat.4), index=1
  flat.9 = f32[] get-tuple-element(flat.8), index=1
  ROOT flat.10 = (f32[2], s32[3], f32[]) tuple(flat.5, flat.7, flat.9)
}
)");
}

TEST(FlatEntryTest, TakesEmptyTuplesAndSingleArrays) {
  ExpectFlat(R"(HloModule m, input_output_alias={ {}: (0, {0,1}) }
ENTRY e {
  p = (((), f32[2]), ()) parameter(0)
  a = ((), f32[2]) get-tuple-element(p), index=0
  ROOT b = f32[2] get-tuple-element(a), index=1
}
)",
             R"(HloModule m, input_output_alias={ {}: (0, {}) }
e {
  p = (((), f32[2]), ()) parameter(0)
  a = ((), f32[2]) get-tuple-element(p), index=0
  ROOT b = f32[2] get-tuple-element(a), index=1
}
ENTRY flat_entry {
  flat.0 = () tuple()
  flat.1 = f32[2] parameter(0)
  flat.2 = ((), f32[2]) tuple(flat.0, flat.1)
  flat.3 = () tuple()
  flat.4 = (((), f32[2]), ()) tuple(flat.2, flat.3)
  ROOT flat.5 = f32[2] call(flat.4), to_apply=e
}
)");
}

TEST(FlatEntryTest, MarksEveryInstructionOfAPartition) {
  const std::unique_ptr<Module> module = MustParse(R"(HloModule m, num_partitions=2
ENTRY e {
  x = f32[2] parameter(0), sharding={replicated}
  ROOT t = (f32[2], f32[2]) tuple(x, x)
}
)");
  MarkPartitioned(*module);
  const std::unique_ptr<Module> expected = MustParse(R"(HloModule m, num_partitions=2
ENTRY e {
  x = f32[2] parameter(0), sharding={manual}
  ROOT t = (f32[2], f32[2]) tuple(x, x), sharding={{manual}, {manual}}
}
)");
  EXPECT_TRUE(CompareModules(*module, *expected).ok()) << CompareModules(*module, *expected);
}

// The plug-in sees an illegal sharding, which it has to refuse.
TEST(FlatEntryTest, LeavesIllegalShardingsAlone) {
  const std::string text = R"(HloModule m, num_partitions=2
ENTRY e {
  x = f32[2] parameter(0), sharding={devices=[3]0,1,2}
  ROOT t = (f32[2], f32[2]) tuple(x, x), sharding={{manual}, {manual}}
}
)";
  const std::unique_ptr<Module> module = MustParse(text);
  MarkPartitioned(*module);
  const std::unique_ptr<Module> expected = MustParse(text);
  EXPECT_TRUE(CompareModules(*module, *expected).ok()) << CompareModules(*module, *expected);
}

}  // namespace
}  // namespace assay::pjrt
