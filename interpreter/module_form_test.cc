// Modules on global shapes: what form a module has, and manual regions, in which every partition
// holds its tile. Expected values are computed by hand.
#include "runtime/module_form.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "interpreter/testing.h"
#include "spec/sharding/sdy_shardings.h"

namespace assay::module_form_test {
namespace {

std::string FormText(absl::string_view header, absl::string_view entry) {
  std::unique_ptr<Module> module =
      MustParse(absl::StrCat("HloModule m", header, "\nENTRY e {\n", entry, "\n}"));
  if (module == nullptr) return "unparsed";
  return runtime::FormOf(*module) == runtime::ModuleForm::kLogical ? "logical" : "partitioned";
}

TEST(ModuleFormTest, FollowsFromShardingsAndMeetings) {
  constexpr char kTiled[] = "x = f32[4] parameter(0), sharding={devices=[2]<=[2]}\n";
  constexpr char kWhole[] = "x = f32[4] parameter(0), sharding={replicated}\n";
  constexpr char kAlone[] = "ROOT y = f32[4] add(x, x)";
  constexpr char kMeets[] =
      "ROOT y = f32[8] all-gather(x), dimensions={0}, channel_id=1, "
      "replica_groups={{0,1}}, use_global_device_ids=true";
  constexpr char kTwo[] = ", num_partitions=2";
  EXPECT_EQ(FormText("", absl::StrCat(kWhole, kAlone)), "partitioned");
  EXPECT_EQ(FormText(kTwo, absl::StrCat(kWhole, kAlone)), "partitioned");
  EXPECT_EQ(FormText(kTwo, absl::StrCat(kWhole, kMeets)), "partitioned");
  EXPECT_EQ(FormText(kTwo, absl::StrCat(kTiled, kAlone)), "logical");
  EXPECT_EQ(FormText(kTwo, absl::StrCat(kTiled, kMeets)), "partitioned");
}

// The value of process 0 with the argument on all processes, which must agree.
std::string RunLogical(int64_t partitions, absl::string_view text, absl::string_view argument) {
  std::unique_ptr<Module> module = MustParse(text);
  if (module == nullptr) return "unparsed";
  module->num_partitions = partitions;
  auto planned = PlannedModule::Create(*module);
  if (!planned.ok()) return planned.status().ToString();
  Program program;
  program.module = planned->get();
  program.grid = {1, partitions};
  program.arguments.assign(partitions, {MustParseLiteral(argument)});
  auto results = RunPrograms(absl::MakeConstSpan(&program, 1));
  if (!results.ok()) return results.status().ToString();
  for (const Literal& value : results->front()) {
    EXPECT_TRUE(Literal::BitEqual(value, results->front().front()));
  }
  return PrintTypedLiteral(results->front().front());
}

// Each partition adds 10 times its number to its tile, and the tiles come together again.
constexpr char kBody[] = R"(
  p = u32[] partition-id()
  n = s32[] convert(p)
  ten = s32[] constant(10)
  tens = s32[] multiply(n, ten)
)";

TEST(ModuleFormTest, RegionsOfTheSpmdTargets) {
  const std::string text = absl::StrCat(R"(HloModule m
ENTRY e {
  x = s32[4] parameter(0)
  s = s32[4] custom-call(x), custom_call_target="Sharding", sharding={devices=[2]1,0}
  l = s32[2] custom-call(s), custom_call_target="SPMDFullToShardShape", sharding={manual})",
                                        kBody, R"(
  b = s32[2] broadcast(tens), dimensions={}
  y = s32[2] add(l, b)
  m = s32[2] custom-call(y), custom_call_target="Sharding", sharding={manual}
  ROOT g = s32[4] custom-call(m), custom_call_target="SPMDShardToFullShape", sharding={devices=[2]1,0}
})");
  // Device 1 holds the first tile.
  EXPECT_EQ(RunLogical(2, text, "s32[4] {1, 2, 3, 4}"), Canonical("s32[4] {11, 12, 3, 4}"));
  EXPECT_EQ(runtime::PartitionsOf(*MustParse(text)), 2);  // what the header does not say
}

TEST(ModuleFormTest, RegionsOfShardy) {
  const std::string text = absl::StrCat(
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=2]>}}
ENTRY e {
  x = s32[2,4] parameter(0)
  l = s32[2,2] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{}, {\"x\", ?}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\", \"y\"}>"})",
      kBody, R"(
  b = s32[2,2] broadcast(tens), dimensions={}
  y = s32[2,2] add(l, b)
  r = s32[2,2] all-gather(y), dimensions={1}, channel_id=1, replica_groups={{0},{1},{2},{3}}, use_global_device_ids=true
  ROOT g = s32[2,8] custom-call(r), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"x\", \"y\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{}, {\"x\", \"y\"}]>]>"}
})");
  EXPECT_EQ(RunLogical(4, text, "s32[2,4] {{1, 2, 3, 4}, {5, 6, 7, 8}}"),
            Canonical("s32[2,8] {{1, 2, 11, 12, 23, 24, 33, 34}, {5, 6, 15, 16, 27, 28, 37, 38}}"));
  EXPECT_EQ(runtime::PartitionsOf(*MustParse(text)), 4);
}

// A border between a global value and one over the axes, as text.
std::string Border(absl::string_view result, absl::string_view operand, bool enters,
                   absl::string_view axes, absl::string_view sharding) {
  return absl::StrCat(result, " custom-call(", operand, "), custom_call_target=\"xla.sdy.",
                      enters ? "GlobalToLocalShape" : "LocalToGlobalShape",
                      "\", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.",
                      enters ? "in" : "out", "_shardings=\"#sdy.sharding_per_value<[<@mesh, ",
                      sharding, ">]>\",xla.sdy.manual_axes=\"#sdy<manual_axes{", axes, "}>\"}\n");
}

// Inside of the region over x, devices that differ in x hold values of their own, which a region
// over y leaves apart.
TEST(ModuleFormTest, RegionsWithinRegions) {
  constexpr char kX[] = R"(\"x\")", kY[] = R"(\"y\")";
  const std::string text = absl::StrCat(
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=2]>}}
inner {
  a = s32[1] parameter(0))",
      kBody, R"(
  b = s32[1] broadcast(tens), dimensions={}
  ROOT y = s32[1] add(a, b)
}
outer {
  a = s32[2] parameter(0)
)",
      Border("l = s32[1]", "a", true, kY, R"([{\"y\"}])"), "c = s32[1] call(l), to_apply=inner\n",
      Border("ROOT g = s32[2]", "c", false, kY, R"([{\"y\"}])"), R"(}
ENTRY e {
  x = s32[4] parameter(0)
)",
      Border("l = s32[2]", "x", true, kX, R"([{\"x\"}])"), "c = s32[2] call(l), to_apply=outer\n",
      Border("ROOT g = s32[4]", "c", false, kX, R"([{\"x\"}])"), "}");
  EXPECT_EQ(RunLogical(4, text, "s32[4] {1, 2, 3, 4}"), Canonical("s32[4] {1, 12, 23, 34}"));
}

// The devices' summands of a value are the value and zeros: added they are the value again.
TEST(ModuleFormTest, ValuesEnterRegionsAsSummands) {
  const auto text = [](absl::string_view out) {
    return absl::StrCat(
        R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}
add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }
ENTRY e {
  x = s32[] parameter(0)
)",
        Border("l = s32[]", "x", true, R"(\"x\")", R"([], unreduced={\"x\"})"),
        "r = s32[] all-reduce(l), to_apply=add, channel_id=1, replica_groups={{0,1}}, "
        "use_global_device_ids=true\n",
        Border("ROOT g = s32[]", "r", false, R"(\"x\")", out), "}");
  };
  EXPECT_EQ(RunLogical(2, text("[]"), "s32[] 5"), Canonical("s32[] 5"));
  // What each device has is a summand outside.
  EXPECT_EQ(RunLogical(2, text(R"([], unreduced={\"x\"})"), "s32[] 5"), Canonical("s32[] 10"));
}

// Devices that differ in an unreduced axis alone hold the summands of one tile.
TEST(ModuleFormTest, ValuesLeaveRegionsAsSummands) {
  const std::string text = absl::StrCat(
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=2]>}}
ENTRY e {
  x = s32[2] parameter(0)
)",
      Border("l = s32[1]", "x", true, R"(\"x\", \"y\")", R"([{\"x\"}])"), kBody, R"(
  b = s32[1] broadcast(tens), dimensions={}
  y = s32[1] add(l, b)
)",
      Border("ROOT g = s32[2]", "y", false, R"(\"x\", \"y\")", R"([{\"x\"}], unreduced={\"y\"})"),
      "}");
  // Devices 0 and 1 have 1 and 1 + 10, devices 2 and 3 have 2 + 20 and 2 + 30.
  EXPECT_EQ(RunLogical(4, text, "s32[2] {1, 2}"), Canonical("s32[2] {12, 54}"));
}

TEST(ModuleFormTest, WhatShardyLeavesCutsIntoTiles) {
  const auto form = [](absl::string_view dimensions) {
    return runtime::FormOf(*MustParse(absl::StrCat(
        R"(HloModule m, num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}
ENTRY e { ROOT x = s32[4] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [)",
        dimensions, R"(]>]>"} })")));
  };
  EXPECT_EQ(form(R"({\"x\"})"), runtime::ModuleForm::kLogical);
  EXPECT_EQ(form("{}"), runtime::ModuleForm::kPartitioned);
}

TEST(ModuleFormTest, ShardingsThatAreNotUnderstoodAreNamed) {
  const Module module("m");
  for (const char* text : {"", "#sdy.sharding_per_value<[<@mesh, [{}]>]>",
                           "#sdy.sharding_per_value<[<mesh<[\"x\"=2]>, [{\"z\"}]>]>",
                           "#sdy.sharding_per_value<[<mesh<[\"x\"=2]>, [{\"x\""}) {
    EXPECT_EQ(ReadSdyShardings(text, module).status().code(), absl::StatusCode::kInvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace assay::module_form_test
