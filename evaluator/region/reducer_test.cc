#include "evaluator/region/reducer.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

Reducer Recognise(const std::string& body) {
  auto module = ParseModule(absl::StrCat("HloModule m\nENTRY e {\n", body, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status() << body;
  return module.ok() ? RecogniseReducer(*(*module)->entry()) : Reducer{};
}

std::string Binary(const std::string& type, const std::string& op, const std::string& a = "p",
                   const std::string& b = "q") {
  return absl::StrReplaceAll(
      "p = $T[] parameter(0)\nq = $T[] parameter(1)\nROOT r = $T[] $op($a, $b)\n",
      {{"$T", type}, {"$op", op}, {"$a", a}, {"$b", b}});
}

TEST(RecogniseReducer, BinaryOperationsInEitherOrder) {
  const std::pair<const char*, ReducerKind> kinds[] = {
      {"add", ReducerKind::kAdd},         {"multiply", ReducerKind::kMultiply},
      {"minimum", ReducerKind::kMinimum}, {"maximum", ReducerKind::kMaximum},
      {"and", ReducerKind::kAnd},         {"or", ReducerKind::kOr},
      {"xor", ReducerKind::kXor}};
  for (const auto& [op, kind] : kinds) {
    EXPECT_EQ(Recognise(Binary("s32", op)).kind, kind) << op;
    EXPECT_EQ(Recognise(Binary("s32", op, "q", "p")).kind, kind) << op;
    EXPECT_EQ(Recognise(Binary("s32", op, "p", "p")).kind, ReducerKind::kOther) << op;
  }
  EXPECT_EQ(Recognise(Binary("s32", "subtract")).kind, ReducerKind::kOther);
  EXPECT_EQ(Recognise(Binary("f32", "add")).inner_type, ElementType::kF32);
  EXPECT_EQ(Recognise(Binary("c64", "add")).kind, ReducerKind::kAdd);
  EXPECT_EQ(Recognise(Binary("c64", "multiply")).kind, ReducerKind::kOther);
}

TEST(RecogniseReducer, ATupleOfOne) {
  EXPECT_EQ(Recognise("p = f32[] parameter(0)\nq = f32[] parameter(1)\ns = f32[] add(p, q)\n"
                      "ROOT r = (f32[]) tuple(s)\n")
                .kind,
            ReducerKind::kAdd);
}

Reducer Converted(const std::string& outer, const std::string& inner) {
  return Recognise(absl::StrReplaceAll(
      "p = $O[] parameter(0)\nq = $O[] parameter(1)\nc = $I[] convert(p)\nd = $I[] convert(q)\n"
      "s = $I[] add(d, c)\nROOT r = $O[] convert(s)\n",
      {{"$O", outer}, {"$I", inner}}));
}

TEST(RecogniseReducer, ConversionsThatLoseNothing) {
  for (auto [outer, inner] : {std::pair("bf16", "f32"),
                              {"f16", "f32"},
                              {"f8e4m3fn", "bf16"},
                              {"f32", "f64"},
                              {"s8", "s32"},
                              {"u8", "s16"},
                              {"f8e8m0fnu", "f32"}}) {
    EXPECT_EQ(Converted(outer, inner).kind, ReducerKind::kAdd) << outer << " by " << inner;
  }
  EXPECT_EQ(Converted("bf16", "f32").inner_type, ElementType::kF32);
  for (auto [outer, inner] : {std::pair("f32", "bf16"),
                              {"bf16", "f16"},
                              {"f16", "bf16"},
                              {"s8", "u32"},
                              {"s32", "f64"},
                              {"f32", "s64"},
                              {"u8", "s8"},
                              {"f8e8m0fnu", "f16"},
                              {"f16", "f8e5m2"}}) {
    EXPECT_EQ(Converted(outer, inner).kind, ReducerKind::kOther) << outer << " by " << inner;
  }
}

// As JAX writes argmin and argmax; `keep_order` and `index_order` are the operands of the two ors.
std::string WithIndex(const std::string& type, const std::string& direction,
                      const std::string& keep = "or(c, n)",
                      const std::string& keep_index = "or(k, a)") {
  return absl::StrReplaceAll(
      "v = $T[] parameter(0)\nw = $T[] parameter(2)\ni = s32[] parameter(1)\nj = s32[] "
      "parameter(3)\nc = pred[] compare(v, w), direction=$D\nn = pred[] compare(v, v), "
      "direction=NE\nk = pred[] $K\ns = $T[] select(k, v, w)\ne = pred[] compare(v, w), "
      "direction=EQ\nl = pred[] compare(i, j), direction=LT\na = pred[] and(e, l)\nx = pred[] $X\n"
      "y = s32[] select(x, i, j)\nROOT r = ($T[], s32[]) tuple(s, y)\n",
      {{"$T", type}, {"$D", direction}, {"$K", keep}, {"$X", keep_index}});
}

TEST(RecogniseReducer, ExtremeWithIndex) {
  EXPECT_EQ(Recognise(WithIndex("f32", "LT")).kind, ReducerKind::kArgMinimum);
  EXPECT_EQ(Recognise(WithIndex("f32", "GT")).kind, ReducerKind::kArgMaximum);
  EXPECT_EQ(Recognise(WithIndex("s32", "GT", "or(n, c)", "or(a, k)")).kind,
            ReducerKind::kArgMaximum);
  EXPECT_EQ(Recognise(WithIndex("u8", "LT", "or(c, c)")).kind, ReducerKind::kOther);
  EXPECT_EQ(Recognise(WithIndex("f32", "GE")).kind, ReducerKind::kOther);
  EXPECT_EQ(Recognise(WithIndex("f32", "LT", "or(c, n)", "or(k, l)")).kind, ReducerKind::kOther);
  // NaN must be kept in floats.
  EXPECT_EQ(Recognise(WithIndex("f32", "LT", "or(c, c)")).kind, ReducerKind::kOther);
}

TEST(RecogniseReducer, OtherShapes) {
  EXPECT_EQ(Recognise("ROOT r = f32[] parameter(0)\n").kind, ReducerKind::kOther);
  EXPECT_EQ(Recognise("p = f32[] parameter(0)\nROOT q = f32[] parameter(1)\n").kind,
            ReducerKind::kOther);
  EXPECT_EQ(
      Recognise("p = bf16[] parameter(0)\nq = f32[] parameter(1)\nROOT r = f32[] add(p, q)\n").kind,
      ReducerKind::kOther);
}

std::optional<ScanFolds> RecogniseStep(const std::string& body, int64_t carries) {
  auto module = ParseModule(absl::StrCat("HloModule m\nENTRY e {\n", body, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status() << body;
  return module.ok() ? RecogniseScan(*(*module)->entry(), carries) : std::nullopt;
}

TEST(RecogniseScan, FoldsOfOneInputEach) {
  const std::string parameters =
      "x = f32[2] parameter(0)\ny = s32[] parameter(1)\nc = f32[2] parameter(2)\n"
      "d = s32[] parameter(3)\ns = f32[2] add(x, c)\nm = s32[] maximum(d, y)\n";
  const auto folds =
      RecogniseStep(parameters + "ROOT r = (f32[2], s32[], f32[2], s32[]) tuple(c, m, s, m)\n", 2);
  ASSERT_TRUE(folds.has_value());
  EXPECT_EQ(folds->carries[0].reducer.kind, ReducerKind::kAdd);
  EXPECT_EQ(folds->carries[0].input, 0);
  EXPECT_EQ(folds->carries[1].reducer.kind, ReducerKind::kMaximum);
  EXPECT_EQ(folds->carries[1].input, 1);
  EXPECT_EQ(folds->outputs[0].carry, 0);
  EXPECT_FALSE(folds->outputs[0].after);
  EXPECT_EQ(folds->outputs[1].carry, 1);
  EXPECT_TRUE(folds->outputs[1].after);
  for (const char* root : {
           "ROOT r = (f32[2], s32[], f32[2], s32[]) tuple(x, m, s, m)\n",  // an input
           "ROOT r = (f32[2], s32[], f32[2], s32[]) tuple(c, m, s, d)\n",  // a carry that stays
           "t = f32[2] add(s, x)\nROOT r = (f32[2], s32[], f32[2], s32[]) tuple(c, m, t, m)\n",
           "t = f32[2] multiply(c, x)\nROOT r = (f32[2], s32[], f32[2], s32[]) tuple(t, m, s, m)\n",
       }) {
    EXPECT_FALSE(RecogniseStep(parameters + root, 2).has_value()) << root;
  }
}

}  // namespace
}  // namespace assay
