#include "spec/analysis/reducer.h"

#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/text/parser.h"

namespace assay::analysis {
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
  EXPECT_EQ(Recognise(Binary("c64", "multiply")).kind, ReducerKind::kMultiply);
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
                              {"f8e8m0fnu", "f32"},
                              {"f6e3m2fn", "f8e5m2"},  // as many bits
                              {"c64", "c128"}}) {
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
                              {"f16", "f8e5m2"},
                              {"f8e5m2fnuz", "f8e5m2"},  // the smallest one is smaller
                              {"c128", "c64"}}) {
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

// The reducer of scalars of type $T whose root is `root`, with computations before it.
Reducer Wrapped(const std::string& type, const std::string& computations, const std::string& root) {
  const std::string text = absl::StrReplaceAll(
      absl::StrCat("HloModule m\n", computations,
                   "ENTRY e {\np = $T[] parameter(0)\nq = $T[] parameter(1)\n", root, "}\n"),
      {{"$T", type}});
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  return module.ok() ? RecogniseReducer(*(*module)->entry()) : Reducer{};
}

// However the region is written: the flat form counts.
TEST(RecogniseReducer, WhatPassesValuesOnChangesNothing) {
  const std::string adder =
      "f { a = $T[] parameter(0) b = $T[] parameter(1) ROOT s = $T[] add(a, b) }\n";
  const std::string pair =
      "g { a = ($T[], $T[]) parameter(0) x = $T[] get-tuple-element(a), index=0 "
      "y = $T[] get-tuple-element(a), index=1 s = $T[] add(x, y) "
      "ROOT t = ($T[], $T[]) tuple(s, x) }\n";
  const std::string outer =
      "h { a = $T[] parameter(0) b = $T[] parameter(1) c = $T[] copy(b) "
      "ROOT s = $T[] call(c, a), to_apply=f }\n";
  for (const char* type : {"f32", "c64", "bf16", "s32"}) {
    const std::pair<std::string, std::string> wrapped[] = {
        {adder, "ROOT r = $T[] call(p, q), to_apply=f\n"},
        {adder, "ROOT r = $T[] call(q, p), to_apply=f\n"},
        {adder + outer, "ROOT r = $T[] call(q, p), to_apply=h\n"},
        {adder, "ROOT r = $T[] fusion(p, q), kind=kLoop, calls=f\n"},
        {"", "s = $T[] add(p, q)\nROOT r = $T[] copy(s)\n"},
        {"", "c = $T[] copy(p)\nROOT r = $T[] add(q, c)\n"},
        {"",
         "x = $T[1] reshape(p)\ny = $T[1] reshape(q)\ns = $T[1] add(x, y)\n"
         "ROOT r = $T[] reshape(s)\n"},
        {"", "x = $T[] bitcast(p)\nROOT r = $T[] add(x, q)\n"},
        {"",
         "x = $T[1,1] broadcast(p), dimensions={}\ny = $T[1,1] broadcast(q), dimensions={}\n"
         "s = $T[1,1] add(x, y)\nt = $T[1,1] transpose(s), dimensions={1,0}\n"
         "u = $T[1,1] reverse(t), dimensions={0}\nROOT r = $T[] reshape(u)\n"},
        {"",
         "t = ($T[], $T[]) tuple(q, p)\nx = $T[] get-tuple-element(t), index=0\n"
         "y = $T[] get-tuple-element(t), index=1\nROOT r = $T[] add(x, y)\n"},
        {"",
         "t = ($T[], $T[]) tuple(q, p)\no = ($T[], $T[]) opt-barrier(t)\n"
         "x = $T[] get-tuple-element(o), index=0\n"
         "y = $T[] get-tuple-element(o), index=1\nROOT r = $T[] add(x, y)\n"},
        {pair,
         "t = ($T[], $T[]) tuple(q, p)\nc = ($T[], $T[]) call(t), to_apply=g\n"
         "ROOT r = $T[] get-tuple-element(c), index=0\n"},
        {"", "n = $T[] negate(p)\ns = $T[] convert(p)\nROOT r = $T[] add(s, q)\n"},
    };
    for (const auto& [computations, root] : wrapped) {
      const Reducer reducer = Wrapped(type, computations, root);
      EXPECT_EQ(reducer.kind, ReducerKind::kAdd) << type << root;
      EXPECT_EQ(reducer.inner_type, Wrapped(type, "", "ROOT r = $T[] add(p, q)\n").inner_type);
    }
    EXPECT_EQ(Wrapped(type, adder, "ROOT r = $T[] call(p, p), to_apply=f\n").kind,
              ReducerKind::kOther);
    EXPECT_EQ(Wrapped(type, "", "n = $T[] negate(p)\nROOT r = $T[] add(n, q)\n").kind,
              ReducerKind::kOther);
  }
  EXPECT_EQ(Wrapped("bf16", "f { a = bf16[] parameter(0) ROOT c = f32[] convert(a) }\n",
                    "x = f32[] call(p), to_apply=f\ny = f32[] call(q), to_apply=f\n"
                    "s = f32[] add(x, y)\nROOT r = bf16[] convert(s)\n")
                .inner_type,
            ElementType::kF32);
}

// Calls that double at every level are looked at no further than some thousand instructions.
TEST(RecogniseReducer, NestedCallsThatGrow) {
  std::string computations = "level_0 { a = f32[] parameter(0) ROOT s = f32[] copy(a) }\n";
  for (int k = 1; k < 40; ++k) {
    absl::StrAppend(&computations, "level_", k,
                    " { a = f32[] parameter(0) b = f32[] call(a), to_apply=level_", k - 1,
                    " ROOT c = f32[] call(b), to_apply=level_", k - 1, " }\n");
  }
  EXPECT_EQ(Wrapped("f32", computations,
                    "x = f32[] call(p), to_apply=level_39\nROOT r = f32[] add(x, q)\n")
                .kind,
            ReducerKind::kOther);
  EXPECT_EQ(Wrapped("f32", computations,
                    "x = f32[] call(p), to_apply=level_5\nROOT r = f32[] add(x, q)\n")
                .kind,
            ReducerKind::kAdd);
}

std::vector<ReducerKind> Parts(const std::string& results, const std::string& types) {
  const std::string text = absl::StrCat(
      "HloModule m\nENTRY e {\na = f32[] parameter(0)\nb = f32[] parameter(1)\n"
      "c = s32[] parameter(2)\nx = f32[] parameter(3)\ny = f32[] parameter(4)\n"
      "z = s32[] parameter(5)\n",
      results, "ROOT r = (", types, ") tuple(p, q, s)\n}\n");
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  std::vector<ReducerKind> kinds;
  if (!module.ok()) return kinds;
  for (const Reducer& part : RecogniseParts(*(*module)->entry())) kinds.push_back(part.kind);
  return kinds;
}

TEST(RecogniseParts, EachResultByItself) {
  using Kinds = std::vector<ReducerKind>;
  const std::string types = "f32[], f32[], s32[]";
  EXPECT_EQ(
      Parts("p = f32[] add(a, x)\nq = f32[] multiply(y, b)\ns = s32[] maximum(c, z)\n", types),
      (Kinds{ReducerKind::kAdd, ReducerKind::kMultiply, ReducerKind::kMaximum}));
  // What is not a reducer leaves the others alone.
  EXPECT_EQ(
      Parts("p = f32[] add(a, x)\nq = f32[] subtract(b, y)\ns = s32[] maximum(c, z)\n", types),
      (Kinds{ReducerKind::kAdd, ReducerKind::kOther, ReducerKind::kMaximum}));
  // One that others look at is not by itself, whether at its sum or at its elements.
  EXPECT_EQ(
      Parts("p = f32[] add(a, x)\nq = f32[] subtract(b, a)\ns = s32[] maximum(c, z)\n", types),
      (Kinds{ReducerKind::kOther, ReducerKind::kOther, ReducerKind::kMaximum}));
  EXPECT_EQ(Parts("p = f32[] add(a, x)\nq = f32[] add(b, x)\ns = s32[] maximum(c, z)\n", types),
            (Kinds{ReducerKind::kOther, ReducerKind::kOther, ReducerKind::kMaximum}));
  EXPECT_EQ(Parts("k = (f32[], f32[]) tuple(a, x)\np = f32[] get-tuple-element(k), index=0\n"
                  "q = f32[] copy(b)\ns = s32[] add(z, c)\n",
                  types),
            (Kinds{ReducerKind::kOther, ReducerKind::kOther, ReducerKind::kAdd}));
}

ScanFolds RecogniseStep(const std::string& body, int64_t carries) {
  auto module = ParseModule(absl::StrCat("HloModule m\nENTRY e {\n", body, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status() << body;
  return module.ok() ? RecogniseScan(*(*module)->entry(), carries) : ScanFolds{};
}

TEST(RecogniseScan, FoldsOfOneInputEach) {
  const std::string parameters =
      "x = f32[2] parameter(0)\ny = s32[] parameter(1)\nc = f32[2] parameter(2)\n"
      "d = s32[] parameter(3)\ns = f32[2] add(x, c)\nm = s32[] maximum(d, y)\n";
  const std::string copied = parameters + "u = f32[2] copy(s)\nv = f32[2] reshape(c)\n";
  for (const std::string& body :
       {parameters + "ROOT r = (f32[2], s32[], f32[2], s32[]) tuple(c, m, s, m)\n",
        copied + "ROOT r = (f32[2], s32[], f32[2], s32[]) tuple(v, m, u, m)\n"}) {
    const ScanFolds folds = RecogniseStep(body, 2);
    EXPECT_TRUE(folds.any());
    ASSERT_TRUE(folds.all());
    EXPECT_EQ(folds.carries[0].reducer.kind, ReducerKind::kAdd);
    EXPECT_EQ(folds.carries[0].input, 0);
    EXPECT_EQ(folds.carries[1].reducer.kind, ReducerKind::kMaximum);
    EXPECT_EQ(folds.carries[1].input, 1);
    EXPECT_EQ(folds.outputs[0].carry, 0);
    EXPECT_FALSE(folds.outputs[0].after);
    EXPECT_EQ(folds.outputs[1].carry, 1);
    EXPECT_TRUE(folds.outputs[1].after);
  }
  // A step that has no flat form runs as written, and says so for every result.
  std::string grown = "HloModule m\nlevel_0 { a = f32[] parameter(0) ROOT s = f32[] copy(a) }\n";
  for (int k = 1; k < 20; ++k) {
    absl::StrAppend(&grown, "level_", k,
                    " { a = f32[] parameter(0) b = f32[] call(a), to_apply=level_", k - 1,
                    " ROOT c = f32[] call(b), to_apply=level_", k - 1, " }\n");
  }
  absl::StrAppend(&grown,
                  "g { x = f32[] parameter(0) c = f32[] parameter(1) l = f32[] call(c), "
                  "to_apply=level_19 s = f32[] add(x, l) ROOT r = (f32[], f32[]) tuple(s, s) }\n"
                  "ENTRY e { x = f32[] parameter(0) c = f32[] parameter(1) ROOT r = (f32[], f32[]) "
                  "call(x, c), to_apply=g }\n");
  auto module = ParseModule(grown);
  ASSERT_TRUE(module.ok()) << module.status();
  const ScanFolds none = RecogniseScan(*(*module)->entry(), 1);
  EXPECT_FALSE(none.any());
  ASSERT_EQ(none.carries.size(), 1u);
  ASSERT_EQ(none.outputs.size(), 1u);
  EXPECT_EQ(none.outputs[0].carry, -1);
  // Nor does one whose only result is a carry have outputs.
  absl::StrAppend(&grown,
                  "h { x = f32[] parameter(0) c = f32[] parameter(1) l = f32[] call(c), "
                  "to_apply=level_19 ROOT s = f32[] add(x, l) }\n");
  module = ParseModule(grown);
  ASSERT_TRUE(module.ok()) << module.status();
  const ScanFolds alone = RecogniseScan(*(*module)->computations().back(), 1);
  EXPECT_EQ(alone.carries.size(), 1u);
  EXPECT_EQ(alone.outputs.size(), 0u);
  // A sum of two carries is no fold of an input.
  const ScanFolds pair = RecogniseStep(
      "x = f32[] parameter(0)\nc = f32[] parameter(1)\nd = f32[] parameter(2)\n"
      "s = f32[] add(c, d)\nROOT r = (f32[], f32[]) tuple(c, s)\n",
      2);
  EXPECT_FALSE(pair.any());
  // The kinds of the carries, and the carries that the outputs show.
  const struct {
    const char* root;
    ReducerKind first, second;
    int64_t shown[2];
  } mixed[] = {
      {"ROOT r = (f32[2], s32[], f32[2], s32[]) tuple(x, m, s, m)\n",  // an input
       ReducerKind::kAdd,
       ReducerKind::kMaximum,
       {-1, 1}},
      {"ROOT r = (f32[2], s32[], f32[2], s32[]) tuple(c, m, s, d)\n",  // a carry that stays
       ReducerKind::kAdd,
       ReducerKind::kOther,
       {0, -1}},
      {"t = f32[2] add(s, x)\nROOT r = (f32[2], s32[], f32[2], s32[]) tuple(c, m, t, m)\n",
       ReducerKind::kOther,
       ReducerKind::kMaximum,
       {-1, 1}},
      {"t = f32[2] multiply(c, x)\nROOT r = (f32[2], s32[], f32[2], s32[]) tuple(t, m, s, m)\n",
       ReducerKind::kOther,
       ReducerKind::kMaximum,
       {-1, 1}},
  };
  for (const auto& each : mixed) {
    const ScanFolds folds = RecogniseStep(parameters + each.root, 2);
    EXPECT_FALSE(folds.all()) << each.root;
    EXPECT_EQ(folds.carries[0].reducer.kind, each.first) << each.root;
    EXPECT_EQ(folds.carries[1].reducer.kind, each.second) << each.root;
    for (int i = 0; i < 2; ++i) EXPECT_EQ(folds.outputs[i].carry, each.shown[i]) << each.root;
  }
}

}  // namespace
}  // namespace assay::analysis
