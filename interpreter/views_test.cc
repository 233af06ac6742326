// What a plan stores nothing for: the figures by hand, values the same bit for bit as when every
// instruction is stored and as the definitions give them.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "interpreter/testing.h"
#include "runtime/queue_host.h"

namespace assay::views_test {
namespace {

// Arguments with a different number in every element.
std::vector<Literal> ArgumentsFor(const Module& module) {
  std::vector<Literal> arguments;
  uint64_t next = 1;
  for (const Instruction* parameter : module.entry()->parameters()) {
    Literal argument = Literal::Zeros(parameter->shape());
    const ElementType type = argument.element_type();
    for (int64_t i = 0; i < argument.element_count(); ++i, ++next) {
      const auto value = static_cast<double>(next % 251) * 0.37 - 40;
      argument.Set(i, {IsFloat(type) ? EncodeFloat(type, value) : EncodeInteger(type, next % 2)});
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

// The bytes that a run stores; the values are held against the other ways to run.
int64_t StoredBytes(const std::string& text) {
  const std::unique_ptr<Module> module = MustParse(text);
  const std::vector<Literal> arguments = ArgumentsFor(*module);
  RunStats stats;
  auto value = (*PlannedModule::Create(*module))->Run(arguments, {}, &stats);
  EXPECT_TRUE(value.ok()) << value.status();
  PlanOptions observed, straight;
  observed.observed = true;
  straight.straight = true;
  for (const PlanOptions& options : {observed, straight}) {
    auto same = (*PlannedModule::Create(*module, options))->Run(arguments);
    EXPECT_TRUE(same.ok()) << same.status();
    EXPECT_TRUE(Literal::BitEqual(*value, *same)) << text;
  }
  return stats.stored_bytes;
}

std::string Add(absl::string_view entry) {
  return absl::StrCat(
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\nENTRY e { ",
      entry, " }");
}

TEST(StoredBytes, BroadcastIntoAnElementwiseOperation) {
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[100,50] parameter(0) c = f32[] constant(1.5)
      b = f32[100,50] broadcast(c), dimensions={} ROOT r = f32[100,50] add(x, b) })"),
            4 * 5000);
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[100,50] parameter(0) y = f32[50] parameter(1)
      b = f32[100,50] broadcast(y), dimensions={1} ROOT r = f32[100,50] multiply(b, x) })"),
            4 * 5000);
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[30,40] parameter(0) y = f32[30] parameter(1)
      b = f32[30,40] broadcast(y), dimensions={0} m = f32[30,40] maximum(b, x)
      ROOT r = f32[30,40] subtract(m, b) })"),
            2 * 4 * 1200);
}

TEST(StoredBytes, SelectAndClampReadViews) {
  EXPECT_EQ(StoredBytes(R"(ENTRY e { p = pred[9,300] parameter(0) x = f32[9,300] parameter(1)
      z = f32[] constant(0) b = f32[9,300] broadcast(z), dimensions={}
      ROOT r = f32[9,300] select(p, x, b) })"),
            4 * 2700);
  EXPECT_EQ(StoredBytes(R"(ENTRY e { p = pred[] parameter(0) x = f32[9,300] parameter(1)
      z = f32[300] parameter(2) b = f32[9,300] broadcast(z), dimensions={1}
      ROOT r = f32[9,300] select(p, b, x) })"),
            4 * 2700);
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[3000] parameter(0) l = f32[1] parameter(1)
      low = f32[] reshape(l) high = f32[] constant(20) s = f32[1500] slice(x), slice={[1:3000:2]}
      t = f32[1500] slice(x), slice={[1500:3000]} ROOT r = f32[1500] clamp(low, t, high) })"),
            4 * 1500);
}

TEST(StoredBytes, TransposeIntoADot) {
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[70,90] parameter(0) y = f32[80,70] parameter(1)
      t = f32[90,70] transpose(x), dimensions={1,0} u = f32[70,80] transpose(y), dimensions={1,0}
      ROOT r = f32[90,80] dot(t, u), lhs_contracting_dims={1}, rhs_contracting_dims={0} })"),
            4 * 90 * 80);
  // Batches, a reverse, a broadcast and padding.
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[5,6,7] parameter(0) y = f32[7] parameter(1)
      z = f32[] constant(0.25) w = f32[7,3,5] broadcast(y), dimensions={0}
      v = f32[7,3,5] reverse(w), dimensions={0,2} p = f32[5,9,7] pad(x, z), padding=0_0x1_2x0_0
      ROOT r = f32[5,9,3] dot(p, v), lhs_batch_dims={0}, rhs_batch_dims={2},
        lhs_contracting_dims={2}, rhs_contracting_dims={0} })"),
            4 * 5 * 9 * 3);
}

TEST(StoredBytes, SliceAndPadIntoAReduce) {
  EXPECT_EQ(StoredBytes(Add(R"(x = f32[200,30] parameter(0) z = f32[] constant(0)
      s = f32[50,10] slice(x), slice={[10:160:3], [5:25:2]}
      ROOT r = f32[50] reduce(s, z), dimensions={1}, to_apply=add)")),
            4 * 50);
  EXPECT_EQ(StoredBytes(Add(R"(x = f32[200,30] parameter(0) z = f32[] constant(0.5)
      s = f32[405,31] pad(x, z), padding=2_4_1x-1_2
      ROOT r = f32[31] reduce(s, z), dimensions={0}, to_apply=add)")),
            4 * 31);
  EXPECT_EQ(StoredBytes(Add(R"(x = f32[40,50,60] parameter(0) z = f32[] constant(0)
      t = f32[60,40,50] transpose(x), dimensions={2,0,1} v = f32[60,40,50] reverse(t), dimensions={0,1}
      ROOT r = f32[40] reduce(v, z), dimensions={0,2}, to_apply=add)")),
            4 * 40);
}

TEST(StoredBytes, AReducerAsWrittenKeepsItsOrder) {
  EXPECT_EQ(StoredBytes(R"(
    f { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] constant(0.75) m = f32[] multiply(a, c)
        ROOT s = f32[] subtract(m, b) }
    ENTRY e { x = f32[20,33] parameter(0) z = f32[] constant(1) u = f32[660] reshape(x)
      t = f32[20,33] reshape(u) v = f32[20,33] reverse(t), dimensions={0}
      ROOT r = f32[33] reduce(v, z), dimensions={0}, to_apply=f })"),
            4 * 33);
}

TEST(StoredBytes, ChainsAreStoredOnce) {
  // The result of four moves is written; none of their intermediates is.
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[40,30] parameter(0) z = f32[] constant(9)
      t = f32[30,40] transpose(x), dimensions={1,0} s = f32[15,40] slice(t), slice={[0:30:2], [0:40]}
      v = f32[15,40] reverse(s), dimensions={1}
      ROOT p = f32[17,41] pad(v, z), padding=1_1x0_1 })"),
            4 * 17 * 41);
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[40,30] parameter(0) y = f32[10,30] parameter(1)
      c = f32[50,30] concatenate(x, y), dimensions={0} s = f32[20,30] slice(c), slice={[30:50], [0:30]}
      ROOT r = f32[20,30] negate(s) })"),
            4 * 600);
}

TEST(StoredBytes, WhatCannotBeReadThroughIsStored) {
  // A transpose with an elementwise user, a reshape that needs division, two users of scattered
  // elements, a user that reads arrays as they lie.
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[40,30] parameter(0)
      t = f32[30,40] transpose(x), dimensions={1,0} ROOT r = f32[30,40] negate(t) })"),
            2 * 4 * 1200);
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[40,30] parameter(0)
      t = f32[30,40] transpose(x), dimensions={1,0} f = f32[1200] reshape(t)
      ROOT r = f32[1200] negate(f) })"),
            2 * 4 * 1200);
  EXPECT_EQ(StoredBytes(Add(R"(x = f32[40,30] parameter(0) z = f32[] constant(0)
      t = f32[30,40] transpose(x), dimensions={1,0}
      a = f32[30] reduce(t, z), dimensions={1}, to_apply=add
      b = f32[40] reduce(t, z), dimensions={0}, to_apply=add
      ROOT r = (f32[30], f32[40]) tuple(a, b))")),
            4 * 1200 + 4 * 30 + 4 * 40);
  EXPECT_EQ(StoredBytes(R"(less { a = f32[] parameter(0) b = f32[] parameter(1)
        ROOT l = pred[] compare(a, b), direction=LT }
      ENTRY e { x = f32[400] parameter(0) v = f32[400] reverse(x), dimensions={0}
      ROOT r = f32[400] sort(v), dimensions={0}, to_apply=less })"),
            2 * 4 * 400);
}

TEST(StoredBytes, AnOperandThatIsAlsoReadThroughAViewIsNotOverwritten) {
  EXPECT_EQ(StoredBytes(R"(ENTRY e { p = f32[4000] parameter(0) x = f32[4000] negate(p)
      v = f32[4000] reverse(x), dimensions={0} ROOT r = f32[4000] add(x, v) })"),
            2 * 4 * 4000);
  EXPECT_EQ(StoredBytes(R"(ENTRY e { p = f32[128,128] parameter(0) x = f32[128,128] negate(p)
      s = f32[1,128] slice(x), slice={[127:128], [0:128]} q = f32[128] reshape(s)
      b = f32[128,128] broadcast(q), dimensions={1} ROOT r = f32[128,128] subtract(x, b) })"),
            2 * 4 * 16384);
}

TEST(StoredBytes, SmallViewsOfConstantsAreConstants) {
  const auto filled = [](int size) {
    return absl::StrCat("ENTRY e { x = f32[", size,
                        "] parameter(0) h = f32[] constant(0.5) b = f32[", size,
                        "] broadcast(h), dimensions={} ROOT y = f32[", size, "] add(x, b) }");
  };
  EXPECT_EQ(StoredBytes(filled(64)), 4 * 64);
  EXPECT_EQ(StoredBytes(filled(65)), 4 * 65);  // read through
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[4] parameter(0) a = f32[2] constant({1, 2})
      r = f32[2] reverse(a), dimensions={0} p = f32[4] concatenate(a, r), dimensions={0}
      b = f32[2,2] reshape(p) t = f32[2,2] transpose(b), dimensions={1,0} q = f32[4] reshape(t)
      c = f32[6] concatenate(x, r), dimensions={0} ROOT y = (f32[4], f32[6]) tuple(q, c) })"),
            4 * 6);
}

TEST(StoredBytes, ViewsInLoopsAndOfEmptyArrays) {
  EXPECT_GT(StoredBytes(R"(
    body { s = (s32[], f32[100]) parameter(0)
      i = s32[] get-tuple-element(s), index=0  x = f32[100] get-tuple-element(s), index=1
      one = s32[] constant(1)  n = s32[] add(i, one)  h = f32[] constant(0.5)
      b = f32[100] broadcast(h), dimensions={} v = f32[100] reverse(x), dimensions={0}
      y = f32[100] multiply(v, b)  ROOT t = (s32[], f32[100]) tuple(n, y) }
    cond { s = (s32[], f32[100]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      m = s32[] constant(5)  ROOT c = pred[] compare(i, m), direction=LT }
    ENTRY e { x = f32[100] parameter(0)  z = s32[] constant(0)
      w = (s32[], f32[100]) while((s32[], f32[100]) tuple(z, x)), condition=cond, body=body
      ROOT y = f32[100] get-tuple-element(w), index=1 })"),
            5 * 400);
  EXPECT_EQ(StoredBytes(Add(R"(x = f32[3,0] parameter(0) z = f32[] constant(2)
      t = f32[0,3] transpose(x), dimensions={1,0} p = f32[2,5] pad(t, z), padding=1_1x1_1
      a = f32[3] reduce(t, z), dimensions={0}, to_apply=add
      b = f32[2] reduce(p, z), dimensions={1}, to_apply=add
      d = f32[3,3] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      ROOT r = (f32[3], f32[2], f32[3,3]) tuple(a, b, d))")),
            4 * 3 + 4 * 2 + 4 * 9);  // the padding holds nothing but a constant
}

// Neighbours in the last dimension that has more than one element may be read through.
TEST(StoredBytes, RunsOfViews) {
  // Every second element of one dimension, and of the only column.
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[400] parameter(0)
      s = f32[200] slice(x), slice={[0:400:2]} ROOT r = f32[200] negate(s) })"),
            2 * 4 * 200);
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[300,2] parameter(0)
      s = f32[300,1] slice(x), slice={[0:300], [0:1]} ROOT r = f32[300,1] negate(s) })"),
            2 * 4 * 300);
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[1,400] parameter(0)
      s = f32[1,200] slice(x), slice={[0:1], [0:400:2]} ROOT r = f32[1,200] negate(s) })"),
            2 * 4 * 200);
  // Runs of two.
  EXPECT_EQ(StoredBytes(R"(ENTRY e { x = f32[100,4] parameter(0)
      s = f32[100,2] slice(x), slice={[0:100], [1:3]} ROOT r = f32[100,2] negate(s) })"),
            4 * 200);
}

TEST(StoredBytes, UpToEightPieces) {
  for (const int pieces : {8, 9}) {
    std::string text = "ENTRY e { ";
    std::vector<std::string> names;
    for (int i = 0; i < pieces; ++i) {
      names.push_back(absl::StrCat("x", i));
      absl::StrAppend(&text, names.back(), " = f32[100] parameter(", i, ") ");
    }
    const std::string type = absl::StrCat("f32[", 100 * pieces, "]");
    absl::StrAppend(&text, "c = ", type, " concatenate(", absl::StrJoin(names, ", "),
                    "), dimensions={0} ROOT r = ", type, " negate(c) }");
    EXPECT_EQ(StoredBytes(text), (pieces == 8 ? 1 : 2) * 4 * 100 * pieces);
  }
}

TEST(StoredBytes, SmallValuesAreStored) {
  for (const int size : {64, 65}) {
    EXPECT_EQ(StoredBytes(absl::StrReplaceAll(
                  R"(ENTRY e { x = $A parameter(0) v = $A reverse(x), dimensions={0}
                     ROOT r = $A negate(v) })",
                  {{"$A", absl::StrCat("f32[", size, "]")}})),
              (size == 64 ? 2 : 1) * 4 * size);
  }
}

// A view that is smaller than its source waits for a user among the next 16 instructions.
TEST(StoredBytes, SmallerViewsWaitForUsersThatComeSoon) {
  const auto text = [](absl::string_view view, int before, int between) {
    std::string constants = "ENTRY e { x = f32[1000] parameter(0) ";
    for (int i = 0; i < before; ++i) absl::StrAppend(&constants, "b", i, " = f32[] constant(1) ");
    absl::StrAppend(&constants, view, " ");
    for (int i = 0; i < between; ++i) absl::StrAppend(&constants, "c", i, " = f32[] constant(1) ");
    return constants;
  };
  constexpr absl::string_view kHalf = "v = f32[500] slice(x), slice={[100:600]}";
  constexpr absl::string_view kWhole = "v = f32[1000] reverse(x), dimensions={0}";
  EXPECT_EQ(StoredBytes(text(kHalf, 0, 15) + "ROOT r = f32[500] negate(v) }"), 4 * 500);
  EXPECT_EQ(StoredBytes(text(kHalf, 0, 16) + "ROOT r = f32[500] negate(v) }"), 2 * 4 * 500);
  EXPECT_EQ(StoredBytes(text(kHalf, 20, 0) + "ROOT r = f32[500] negate(v) }"), 4 * 500);
  EXPECT_EQ(StoredBytes(text(kWhole, 0, 30) + "ROOT r = f32[1000] negate(v) }"), 4 * 1000);
}

// 64 KiB of small views of constants become constants.
TEST(StoredBytes, FoldedConstantsAreLimited) {
  std::string text = "ENTRY e { c = s8[] constant(3) ";
  std::vector<std::string> types, names;
  for (int i = 0; i < 258; ++i) {
    names.push_back(absl::StrCat("b", i));
    types.push_back("s8[256]");
    absl::StrAppend(&text, names.back(), " = s8[256] broadcast(c), dimensions={} ");
    if (i + 1 < 256) continue;
    EXPECT_EQ(StoredBytes(absl::StrCat(text, "ROOT t = (", absl::StrJoin(types, ", "), ") tuple(",
                                       absl::StrJoin(names, ", "), ") }")),
              256 * (i - 255));
  }
}

// The root is stored although what an effect needs could read through it.
TEST(StoredBytes, RootsThatEffectsRead) {
  const std::unique_ptr<Module> module = MustParse(R"(ENTRY e { x = f32[1000] parameter(0)
      t = token[] after-all() ROOT r = f32[1000] reverse(x), dimensions={0}
      s = f32[1000] negate(r) o = token[] outfeed(s, t), outfeed_shape=f32[1000] })");
  const std::vector<Literal> arguments = ArgumentsFor(*module);
  runtime::QueueHost host;
  RunOptions options;
  options.host = &host;
  const auto value = (*PlannedModule::Create(*module))->Run(arguments, options);
  ASSERT_TRUE(value.ok()) << value.status();
  for (const int64_t i : {0, 1, 999}) EXPECT_EQ(value->Get(i), arguments[0].Get(999 - i)) << i;
}

}  // namespace
}  // namespace assay::views_test
