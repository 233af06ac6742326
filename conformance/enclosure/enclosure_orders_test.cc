// Unspecified orders in programs: orders of equal keys, positions of equal extreme values, async
// pairs.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/enclosure/enclosure_testing.h"

namespace assay::conformance {
namespace {

using EnclosureOrdersTest = EnclosureTest;

TEST_F(EnclosureOrdersTest, SortsOfSeparateKeysKeepWhatTravels) {
  const std::string less =
      "less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n i = s32[] parameter(2)\n"
      " j = s32[] parameter(3)\n ROOT l = pred[] compare(a, b), direction=LT }\n";
  const std::string body =
      "a = f32[3] parameter(0)\n x = f32[3] exponential(a)\n i = s32[3] iota(), iota_dimension=0\n"
      "s = (f32[3], s32[3]) sort(x, i), dimensions={0}, is_stable=true, to_apply=less\n"
      "ROOT r = s32[3] get-tuple-element(s), index=1";
  const BoxTree apart = Of(body, {F32({2, 1, 3})}, "xla-cpu", less);
  ASSERT_EQ(apart.open(), nullptr);
  EXPECT_EQ(apart.box().low.Get(0).bits, 1u);
  EXPECT_TRUE(Literal::BitEqual(apart.box().low, apart.box().high));
  // Wherever in a line two keys may be equal.
  const float more = std::nextafter(1.0f, 2.0f);
  for (const std::vector<float>& keys :
       {std::vector<float>{2, 1, more}, {1, more, 2}, {1, 2, more}}) {
    const BoxTree close = Of(body, {F32(keys)}, "xla-cpu", less);
    ASSERT_NE(close.open(), nullptr);
    EXPECT_EQ(close.open()->name(), "s");
    for (const int64_t i : {0, 1, 2}) {
      EXPECT_FALSE(close.box().low.Get(i) == close.box().high.Get(i)) << i;
    }
  }
}

// A NaN that the square root makes has any sign: in the total order it is first or last.
TEST_F(EnclosureOrdersTest, NansThatAreMadeHaveNoPlaceInTheTotalOrder) {
  const std::string total =
      "order { a = f32[] parameter(0)\n b = f32[] parameter(1)\n i = s32[] parameter(2)\n"
      " j = s32[] parameter(3)\n"
      " ROOT l = pred[] compare(a, b), direction=LT, type=TOTALORDER }\n";
  const std::string body =
      "a = f32[3] parameter(0)\n x = f32[3] sqrt(a)\n i = s32[3] iota(), iota_dimension=0\n"
      "s = (f32[3], s32[3]) sort(x, i), dimensions={0}, is_stable=true, to_apply=order\n"
      "ROOT r = s32[3] get-tuple-element(s), index=1";
  EXPECT_NE(Of(body, {F32({4, -1, 1})}, "golden", total).open(), nullptr);
  EXPECT_EQ(Of(body, {F32({4, 9, 1})}, "golden", total).open(), nullptr);
  // The same by way of a computation that the comparator calls, and of a comparison alone.
  const std::string called =
      "less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT l = pred[] compare(a, b), direction=LT, type=TOTALORDER }\n"
      "order { a = f32[] parameter(0)\n b = f32[] parameter(1)\n i = s32[] parameter(2)\n"
      " j = s32[] parameter(3)\n ROOT l = pred[] call(a, b), to_apply=less }\n";
  EXPECT_NE(Of(body, {F32({4, -1, 1})}, "golden", called).open(), nullptr);
  EXPECT_EQ(Of(body, {F32({4, 9, 1})}, "golden", called).open(), nullptr);
  const std::string top =
      "a = f32[3] parameter(0)\n x = f32[3] sqrt(a)\n"
      "ROOT t = (f32[1], s32[1]) topk(x), k=1, largest=true, is_stable=true";
  EXPECT_NE(Of(top, {F32({4, -1, 1})}, "golden").open(), nullptr);
  EXPECT_EQ(Of(top, {F32({4, 9, 1})}, "golden").open(), nullptr);
  const std::string compared =
      "a = f32[3] parameter(0)\n x = f32[3] sqrt(a)\n"
      "ROOT r = pred[3] compare(x, a), direction=LT, type=TOTALORDER";
  const Box box = Of(compared, {F32({4, -1, 0.25})}, "golden").box();
  EXPECT_EQ(box.low.Get(1).bits, 0);
  EXPECT_EQ(box.high.Get(1).bits, 1);
  for (const int64_t i : {0, 2}) EXPECT_EQ(box.low.Get(i).bits, box.high.Get(i).bits);
}

// Decisions I-1 and V-1 are open to targets that are not like XLA, I-4 to nobody
// (ops_elementwise_and_types.md 7).
TEST_F(EnclosureOrdersTest, WhatIsLeftToTheTargetIsNotJudged) {
  auto open = [&](const std::string& body, const std::vector<Literal>& arguments,
                  const std::string& profile, const std::string& computations = "") {
    return Of(body, arguments, profile, computations).open() != nullptr;
  };
  const std::string convert = "a = f32[1] parameter(0)\n ROOT r = s8[1] convert(a)";
  EXPECT_TRUE(open(convert, {F32({300})}, "opencl-full"));
  EXPECT_FALSE(open(convert, {F32({100})}, "opencl-full"));
  EXPECT_FALSE(open(convert, {F32({300})}, "xla-cpu"));
  const Literal zero = Literal::Zeros(Shape(ElementType::kS8, {1}));
  const std::string divide = "a = s8[1] parameter(0)\n ROOT r = s8[1] divide(a, a)";
  EXPECT_TRUE(open(divide, {zero}, "opencl-full"));
  EXPECT_FALSE(open(divide, {zero}, "xla-cpu"));
  const std::string shift =
      "a = s8[1] parameter(0)\n b = s8[1] constant({8})\n"
      " ROOT r = s8[1] shift-left(a, b)";
  EXPECT_FALSE(open(shift, {zero}, "opencl-full"));
  const std::string less =
      "less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n i = s32[] parameter(2)\n"
      " j = s32[] parameter(3)\n ROOT l = pred[] compare(a, b), direction=LT }\n";
  const std::string sort =
      "a = f32[3] parameter(0)\n i = s32[3] iota(), iota_dimension=0\n"
      "ROOT s = (f32[3], s32[3]) sort(a, i), dimensions={0}, to_apply=less";
  EXPECT_TRUE(open(sort, {F32({1, 1, 2})}, "xla-cpu", less));
  EXPECT_FALSE(open(sort, {F32({1, 1, 2})}, "golden", less));
}

// Of equal keys any order is legal where it can be seen, of NaNs that the comparator does not order
// every permutation, also of a stable sort (ops_structural.md 6.2).
TEST_F(EnclosureOrdersTest, OrdersOfWhatTheComparatorDoesNotTellApart) {
  const auto open = [&](const std::string& compared, const char* more,
                        const std::vector<float>& values, const char* profile = "cpu-strict") {
    return Of(absl::StrCat("a = f32[3] parameter(0)\n ROOT s = f32[3] sort(a), dimensions={0}",
                           more, ", to_apply=less"),
              {F32(values)}, profile,
              absl::StrCat("less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n", compared,
                           "}\n"))
               .open() != nullptr;
  };
  const std::string plain = "ROOT l = pred[] compare(a, b), direction=LT";
  const std::string by_size =
      "c = f32[] abs(a)\n d = f32[] abs(b)\n ROOT l = pred[] compare(c, d), direction=LT";
  EXPECT_TRUE(open(by_size, "", {1, -1, 2}));
  EXPECT_FALSE(open(by_size, "", {1, -1, 2}, "golden"));
  EXPECT_FALSE(open(by_size, ", is_stable=true", {1, -1, 2}));
  EXPECT_FALSE(open(plain, "", {1, 1, 2}));
  for (const char* stable : {"", ", is_stable=true"}) {
    EXPECT_TRUE(open(plain, stable, {2, NAN, 1}));
    EXPECT_FALSE(open(plain + ", type=TOTALORDER", stable, {2, NAN, 1}));
    EXPECT_FALSE(open(plain, stable, {2, NAN, 1}, "golden"));
  }
}

// A NaN that was moved in front of a call may have lost its payload (N-2.1), which decides how the
// call compares it. What no instruction moves keeps it.
TEST_F(EnclosureOrdersTest, MovedNansAreComparedInCallsAsBesideThem) {
  const std::string less =
      "less { p = bf16[2] parameter(0)\n q = bf16[2] parameter(1)\n"
      " ROOT l = pred[2] compare(p, q), direction=LT, type=TOTALORDER }\n";
  const auto is_known = [&](const std::string& steps, const char* profile = "xla-cpu") {
    Literal a = Literal::Zeros(Shape(ElementType::kBF16, {2})), b = a;
    a.Set(0, {0x7fc1, 0});
    b.Set(0, {0x7fff, 0});
    const Box box =
        Of("a = bf16[2] parameter(0)\n b = bf16[2] parameter(1)\n" + steps, {a, b}, profile, less)
            .box();
    return Literal::BitEqual(box.low, box.high);
  };
  const std::string moved =
      "x = bf16[2] reverse(a), dimensions={0}\n y = bf16[2] reverse(b), dimensions={0}\n";
  for (const char* compare : {"compare(?), direction=LT, type=TOTALORDER", "call(?), to_apply=less",
                              "fusion(?), kind=kLoop, calls=less"}) {
    const auto of = [&](const char* operands) {
      return "ROOT r = pred[2] " + absl::StrReplaceAll(compare, {{"?", operands}});
    };
    SCOPED_TRACE(compare);
    EXPECT_FALSE(is_known(moved + of("x, y")));
    EXPECT_TRUE(is_known(moved + of("x, y"), "cpu-strict"));
    EXPECT_TRUE(is_known(of("a, b")));
  }
}

// In 8 bits the sign may be lost as well, also where steps are enclosed in f32.
TEST_F(EnclosureOrdersTest, MovedNansOfEightBitsAreComparedByAnySign) {
  Literal a = Literal::Zeros(Shape(ElementType::kF8E5M2, {2}));
  a.Set(0, {0xfe, 0});
  const auto known = [&](const char* operand, const char* profile) {
    const Box box = Of(absl::StrCat("a = f8e5m2[2] parameter(0)\n b = f8e5m2[2] parameter(1)\n"
                                    "x = f8e5m2[2] reverse(a), dimensions={0}\n ROOT r = pred[2] "
                                    "compare(",
                                    operand, ", b), direction=LT, type=TOTALORDER"),
                       {a, Literal::Zeros(a.shape())}, profile)
                        .box();
    return Literal::BitEqual(box.low, box.high);
  };
  EXPECT_FALSE(known("x", "xla-cpu"));
  EXPECT_TRUE(known("a", "xla-cpu"));
  EXPECT_TRUE(known("x", "cpu-strict"));
}

// Denormals and zeros are equal keys where denormals count as zero, of a stable sort as well.
TEST_F(EnclosureOrdersTest, DenormalsInSorts) {
  const auto open = [&](const char* direction, const std::vector<float>& keys,
                        const char* profile = "xla-cpu") {
    return Of("a = f32[3] parameter(0)\n ROOT s = f32[3] sort(a), dimensions={0}, "
              "is_stable=true, to_apply=less",
              {F32(keys)}, profile,
              absl::StrCat("less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                           "ROOT l = pred[] compare(a, b), direction=",
                           direction, " }\n"))
               .open() != nullptr;
  };
  EXPECT_TRUE(open("LT", {0x1p-140f, 0, 1}));
  EXPECT_TRUE(open("LT", {0x1p-140f, -0x1p-140f, 1}));
  EXPECT_FALSE(open("LT", {0x1p-140f, 0, 1}, "cpu-strict"));
  EXPECT_FALSE(open("LT", {0x1p-140f, 2, 1}));
  EXPECT_FALSE(open("LT", {0, 0, 1}));
  // One that puts equal keys before one another is not an order.
  EXPECT_TRUE(open("LE", {1, 2, 3}));
  EXPECT_FALSE(open("LE", {1, 2, 3}, "golden"));
}

// Zeros of both signs are equal keys of an unstable sort, but in the total order.
TEST_F(EnclosureOrdersTest, ZerosInUnstableSorts) {
  const auto judged = [&](const char* type) {
    const BoxTree sorted =
        Of("a = f32[2] parameter(0)\n ROOT s = f32[2] sort(a), dimensions={0}, to_apply=less",
           {F32({0, -0.0f})}, "cpu-strict",
           absl::StrCat("less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n",
                        "ROOT l = pred[] compare(a, b), direction=LT", type, " }\n"));
    return std::make_pair(Judged(sorted, F32({-0.0f, 0}), F32({0, -0.0f})),
                          Judged(sorted, F32({-0.0f, 0}), F32({-0.0f, 0})));
  };
  EXPECT_LT(judged("").first, Verdict::kWrong);
  EXPECT_EQ(judged(", type=TOTALORDER").first, Verdict::kWrong);
  EXPECT_LT(judged(", type=TOTALORDER").second, Verdict::kWrong);
}

// The index of a maximum is open where equal values are not told apart, of NaNs in every form.
TEST_F(EnclosureOrdersTest, PlacesOfEqualExtremes) {
  const auto open = [&](const std::string& keep_value, const std::string& keep_index,
                        const std::vector<float>& values, const char* profile = "cpu-strict") {
    return Of("a = f32[3] parameter(0)\n i = s32[3] iota(), iota_dimension=0\n"
              "z = f32[] constant(-inf)\n o = s32[] constant(-1)\n"
              "ROOT r = (f32[], s32[]) reduce(a, i, z, o), dimensions={0}, to_apply=larger",
              {F32(values)}, profile,
              "larger { a = f32[] parameter(0)\n i = s32[] parameter(1)\n"
              "b = f32[] parameter(2)\n j = s32[] parameter(3)\n"
              "gt = pred[] compare(a, b), direction=GT\n"
              "un = pred[] compare(a, a), direction=NE\n k = pred[] or(gt, un)\n"
              "eq = pred[] compare(a, b), direction=EQ\n"
              "first = pred[] compare(i, j), direction=LT\n tie = pred[] and(eq, first)\n"
              "ki = pred[] or(k, tie)\n"
              "v = f32[] select(" +
                  keep_value + ", a, b)\n w = s32[] select(" + keep_index +
                  ", i, j)\n ROOT t = (f32[], s32[]) tuple(v, w) }\n")
               .open() != nullptr;
  };
  EXPECT_TRUE(open("gt", "gt", {5, 5, 1}));
  EXPECT_FALSE(open("gt", "gt", {5, 5, 1}, "golden"));
  EXPECT_FALSE(open("k", "ki", {5, 5, 1}));
  EXPECT_TRUE(open("k", "ki", {NAN, NAN, 1}));
}

// The same in windows, and what an own reducer makes of its elements in another order.
TEST_F(EnclosureOrdersTest, OrdersWithinWindows) {
  const auto open = [&](const std::string& region, const char* profile = "cpu-strict") {
    return Of("a = f32[3] parameter(0)\n z = f32[] constant(0)\n"
              "ROOT r = f32[2] reduce-window(a, z), window={size=2}, to_apply=f",
              {F32({1, 5, 5})}, profile,
              absl::StrCat("f { a = f32[] parameter(0)\n b = f32[] parameter(1)\n", region, "}\n"))
               .open() != nullptr;
  };
  const std::string larger =
      "k = pred[] compare(a, b), direction=GT\n ROOT v = f32[] select(k, a, b)";
  EXPECT_TRUE(open(larger));
  EXPECT_FALSE(open(larger, "golden"));
  EXPECT_FALSE(open("ROOT v = f32[] maximum(a, b)"));
  const std::string digits =
      "t = f32[] constant(10)\n m = f32[] multiply(a, t)\n ROOT v = f32[] add(m, b)";
  EXPECT_TRUE(open(digits));
  EXPECT_FALSE(open(digits, "golden"));
}

// exp(1) and exp(1) in two elements may be either way apart: one of the two cells gets
// what is scattered. Where the values lie apart it is known which.
TEST_F(EnclosureOrdersTest, CellsThatMayBeSelectedGetWhatIsScatteredOrNothing) {
  const std::string body =
      "a = f32[4] parameter(0)\n s = f32[2] parameter(1)\n e = f32[4] exponential(a)\n"
      "z = f32[] constant(0)\n"
      "ROOT r = f32[4] select-and-scatter(e, s, z), window={size=2 stride=2}, select=select, "
      "scatter=add";
  const std::string regions =
      "select { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      "ROOT p = pred[] compare(a, b), direction=GE }\n"
      "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n";
  const Literal golden = F32({10, 0, 20, 0});
  const auto judged = [&](const std::vector<float>& actual) {
    return Judged(Of(body, {F32({1, 1, 0.5, 0}), F32({10, 20})}, "xla-cpu", regions), golden,
                  F32(actual));
  };
  EXPECT_LT(judged({10, 0, 20, 0}), Verdict::kNotJudgeable);
  EXPECT_LT(judged({0, 10, 20, 0}), Verdict::kNotJudgeable);
  EXPECT_EQ(judged({0, 10.01f, 20, 0}), Verdict::kWrong);
  EXPECT_EQ(judged({-0.01f, 10, 20, 0}), Verdict::kWrong);
  EXPECT_EQ(judged({10, 0, 0, 20}), Verdict::kWrong);
}

// What is started is enclosed as what is called, and comes out of its other half.
TEST_F(EnclosureOrdersTest, HalvesOfWhatRunsAtTheSameTime) {
  const BoxTree exp = Of(
      "a = f32[2] parameter(0)\n s = ((f32[2]), f32[2], s32[]) async-start(a), calls=c\n"
      "u = ((f32[2]), f32[2], s32[]) async-update(s)\n ROOT d = f32[2] async-done(u)",
      {F32({1, 2})}, "xla-cpu", "c { x = f32[2] parameter(0)\n ROOT e = f32[2] exponential(x) }\n");
  EXPECT_LT(Low(exp), 2.7182817f);
  EXPECT_GT(High(exp), 2.7182819f);
  const BoxTree copy =
      Of("a = f32[2] parameter(0)\n e = f32[2] exponential(a)\n"
         "s = (f32[2], f32[2], u32[]) copy-start(e)\n ROOT d = f32[2] copy-done(s)",
         {F32({1, 2})});
  EXPECT_EQ(Low(copy, 1), Low(exp, 1));
  EXPECT_EQ(High(copy, 1), High(exp, 1));
}

}  // namespace
}  // namespace assay::conformance
