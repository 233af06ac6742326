#include "spec/analysis/effects.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/analysis/call_order.h"
#include "spec/testing/must_parse.h"

namespace assay::analysis {
namespace {

using ::testing::UnorderedElementsAre;

std::vector<std::string> EffectfulOf(const Module& module) {
  const Computation* entry = module.entry();
  const CallOrder order = FindCallOrder(absl::MakeConstSpan(&entry, 1), AllCallees);
  std::vector<std::string> names;
  for (const Computation* each : FindEffectful(order.callees_first)) names.push_back(each->name());
  return names;
}

TEST(EffectsTest, ACallerOfAnEffectHasOne) {
  const auto module = MustParse(R"(HloModule m
quiet { x = f32[] parameter(0)
        ROOT y = f32[] negate(x) }
speaks { x = f32[] parameter(0)
         t = token[] after-all()
         o = token[] outfeed(x, t), outfeed_shape=f32[]
         ROOT y = f32[] negate(x) }
ENTRY e { x = f32[] parameter(0)
          a = f32[] call(x), to_apply=quiet
          ROOT b = f32[] call(a), to_apply=speaks })");
  EXPECT_THAT(EffectfulOf(*module), UnorderedElementsAre("speaks", "e"));
}

TEST(EffectsTest, CustomCallsSayIt) {
  const auto module = MustParse(R"(HloModule m
pure { x = f32[] parameter(0)
       ROOT y = f32[] custom-call(x), custom_call_target="f" }
effect { x = f32[] parameter(0)
         ROOT y = f32[] custom-call(x), custom_call_target="f", custom_call_has_side_effect=true }
ENTRY e { x = f32[] parameter(0)
          a = f32[] call(x), to_apply=pure
          ROOT b = f32[] call(a), to_apply=pure }
)");
  EXPECT_THAT(EffectfulOf(*module), UnorderedElementsAre());
  EXPECT_TRUE(IsEffect(Opcode::kCustomCall));
  EXPECT_FALSE(HasEffect(*module->Find("pure")->root(), {}));
  EXPECT_TRUE(HasEffect(*module->Find("effect")->root(), {}));
}

TEST(EffectsTest, RandomStateIsUsedByTwoOperations) {
  std::vector<std::string> users;
  for (const OpInfo& info : Catalogue()) {
    if (UsesRandomState(info.opcode)) users.emplace_back(info.name);
  }
  EXPECT_THAT(users, UnorderedElementsAre("rng", "rng-get-and-update-state"));
}

TEST(EffectsTest, RandomStateIsUsedAnywhereInTheModule) {
  const auto called = MustParse(R"(HloModule m
draw { low = f32[] parameter(0)
       high = f32[] constant(1)
       ROOT u = f32[4] rng(low, high), distribution=rng_uniform }
ENTRY e { x = f32[] parameter(0)
          ROOT y = f32[4] call(x), to_apply=draw })");
  EXPECT_TRUE(UsesRandomState(*called));
  const auto state = MustParse(R"(HloModule m
ENTRY e { ROOT s = u64[1] rng-get-and-update-state(), delta=4 })");
  EXPECT_TRUE(UsesRandomState(*state));
  // The state of the bit generator is an operand: equal arguments give equal bits.
  const auto bits = MustParse(R"(HloModule m
ENTRY e { s = u64[2] parameter(0)
          ROOT b = (u64[2], u32[4]) rng-bit-generator(s), algorithm=rng_default })");
  EXPECT_FALSE(UsesRandomState(*bits));
}

TEST(EffectsTest, WhoRunsItIsNoReasonToRunIt) {
  const auto module = MustParse("HloModule m\nENTRY e { ROOT r = u32[] replica-id() }");
  EXPECT_TRUE(IsEffect(Opcode::kReplicaId));
  EXPECT_FALSE(HasEffect(*module->entry()->root(), {}));
}

TEST(EffectsTest, ACollectiveAloneInAnAsyncComputationLeavesForLater) {
  const auto module = MustParse(R"(HloModule m
sum { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b) }
alone { x = f32[4] parameter(0)
        ROOT r = f32[4] all-reduce(x), replica_groups={}, to_apply=sum }
with_more { x = f32[4] parameter(0)
            n = f32[4] negate(x)
            ROOT r = f32[4] all-reduce(n), replica_groups={}, to_apply=sum }
ENTRY e { x = f32[4] parameter(0)
          start_alone = ((f32[4]), f32[4]) async-start(x), calls=alone
          start_more = ((f32[4]), f32[4]) async-start(x), calls=with_more
          done_alone = f32[4] async-done(start_alone)
          done_more = f32[4] async-done(start_more)
          ROOT r = f32[4] add(done_alone, done_more) })");
  ASSERT_NE(module, nullptr);
  const Instruction* alone = module->entry()->Find("start_alone");
  const Instruction* with_more = module->entry()->Find("start_more");
  ASSERT_NE(alone, nullptr);
  ASSERT_NE(with_more, nullptr);
  EXPECT_EQ(WrappedCollective(*alone), module->Find("alone")->root());
  EXPECT_EQ(WrappedCollective(*with_more), nullptr);
  EXPECT_TRUE(LeavesForLater(*alone));
  EXPECT_FALSE(LeavesForLater(*with_more));
  EXPECT_TRUE(HasEffect(*module->entry()->Find("done_alone"), {}));
  EXPECT_FALSE(LeavesForLater(*module->entry()->root()));
}

TEST(EffectsTest, SizesOfARunAreInShapesAndInOperationsOnThem) {
  const auto module = MustParse(R"(HloModule m
ENTRY e { x = f32[<=4] parameter(0)
          y = f32[4] parameter(1)
          size = s32[] get-dimension-size(y), dimensions={0}
          fixed = f32[4] negate(y)
          ROOT r = f32[<=4] negate(x) })");
  ASSERT_NE(module, nullptr);
  EXPECT_TRUE(HasDynamicSizes(*module->entry()->root()));
  EXPECT_TRUE(HasDynamicSizes(*module->entry()->Find("size")));
  EXPECT_FALSE(HasDynamicSizes(*module->entry()->Find("fixed")));
}

}  // namespace
}  // namespace assay::analysis
