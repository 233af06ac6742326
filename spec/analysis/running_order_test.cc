#include "spec/analysis/running_order.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/must_parse.h"

namespace assay::analysis {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> NamesInOrder(const Computation& computation) {
  std::vector<std::string> names;
  for (const Instruction* each : RunningOrder(computation)) names.push_back(each->name());
  return names;
}

TEST(RunningOrderTest, IsThatOfTheText) {
  const auto module = MustParse(
      "HloModule m\nENTRY e {\n a = s32[] parameter(0)\n c = s32[] negate(a)\n"
      " b = s32[] not(a)\n ROOT r = s32[] add(b, c)\n}\n");
  EXPECT_THAT(NamesInOrder(*module->entry()), ElementsAre("a", "c", "b", "r"));
}

// In a text they are earlier anyway; in a proto they need not be.
TEST(RunningOrderTest, ControlPredecessorsComeFirst) {
  const auto module = MustParse(
      "HloModule m\nENTRY e {\n a = s32[] parameter(0)\n b = s32[] negate(a)\n"
      " c = s32[] not(a)\n d = s32[] negate(c)\n ROOT r = s32[] add(b, c)\n}\n");
  Computation& entry = *module->entry();
  entry.Find("b")->AddControlPredecessor(entry.Find("d"));
  EXPECT_THAT(NamesInOrder(entry), ElementsAre("a", "c", "d", "b", "r"));
}

TEST(RunningOrderTest, AScheduleIsKept) {
  const auto module = MustParse(
      "HloModule m, is_scheduled=true\nENTRY e {\n a = s32[] parameter(0)\n"
      " c = s32[] negate(a)\n b = s32[] not(a)\n ROOT r = s32[] add(b, c)\n}\n");
  EXPECT_THAT(NamesInOrder(*module->entry()), ElementsAre("a", "c", "b", "r"));
}

// A chain of control edges that points backwards through the whole computation: no recursion.
TEST(RunningOrderTest, LongChainsAreNoRecursion) {
  constexpr int kCount = 100'000;
  Computation computation("chain");
  std::vector<Instruction*> chain;
  for (int i = 0; i < kCount; ++i) {
    auto id = std::make_unique<Instruction>(Opcode::kReplicaId, Shape::Scalar(ElementType::kU32));
    chain.push_back(computation.Add(std::move(id)));
  }
  for (int i = 0; i + 1 < kCount; ++i) chain[i]->AddControlPredecessor(chain[i + 1]);
  computation.set_root(chain.front());
  const std::vector<const Instruction*> order = RunningOrder(computation);
  ASSERT_EQ(order.size(), static_cast<size_t>(kCount));
  EXPECT_EQ(order.front(), chain.back());
  EXPECT_EQ(order.back(), chain.front());
}

}  // namespace
}  // namespace assay::analysis
