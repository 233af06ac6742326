// Which elements may be NaN, or are.
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/enclosure_testing.h"
#include "interpreter/interpreter.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

TEST_F(EnclosureTest, NansOfAnArmThatIsNotTakenStayBehind) {
  // log of an interval around zero (sin(2) = 0.9092974) may be NaN; with x < 1 nobody sees it.
  const BoxTree box =
      Of("x = f32[3] parameter(0)\n one = f32[3] constant({1, 1, 1})\n"
         " sine = f32[3] sine(x)\n two = f32[3] constant({0.9092974, 0.9092974, 0.9092974})\n"
         " near = f32[3] subtract(sine, two)\n magnitude = f32[3] abs(x)\n l = f32[3] log(near)\n"
         " less = pred[3] compare(x, one), direction=LT\n"
         " ROOT r = f32[3] select(less, magnitude, l)",
         {F32({-0.5f, 2, -4.2831855f})});
  ASSERT_TRUE(box.box().has_nan());
  EXPECT_EQ(box.box().nan.Get(0).bits, 0u);
  EXPECT_EQ(box.box().nan.Get(1).bits, 1u);
  EXPECT_EQ(box.box().nan.Get(2).bits, 0u);  // sin(2 - 2 pi), but below 1
}

// The largest number and half an ulp are infinite, and the largest number alone if the half comes
// in two parts, whatever the other part of a complex number meets.
TEST_F(EnclosureTest, ComplexSumsAtTheLargestNumberBesideNan) {
  const float largest = std::numeric_limits<float>::max();
  Literal terms = Literal::Zeros(Shape(ElementType::kC64, {3}));
  const auto number = [](float real, float imag) {
    return Element{EncodeFloat(ElementType::kF32, real), EncodeFloat(ElementType::kF32, imag)};
  };
  terms.Set(0, number(largest, NAN));
  terms.Set(1, number(0x1p102F, 1));
  terms.Set(2, number(0x1p102F, 1));
  for (const char* profile : {"cpu-strict", "xla-cpu"}) {
    const BoxTree box =
        Of("x = c64[3] parameter(0)\n zero = c64[] constant((0, 0))\n"
           " s = c64[] reduce(x, zero), dimensions={0}, to_apply=add\n"
           " ROOT r = c64[] negate(s)",
           {terms}, profile,
           "add { a = c64[] parameter(0)\n b = c64[] parameter(1)\n ROOT r = c64[] add(a, b) }\n");
    const absl::StatusOr<Literal> golden = Interpret(*module_, {terms}, {});
    ASSERT_TRUE(golden.ok()) << golden.status();
    ASSERT_EQ(golden->Get(0).bits, EncodeFloat(ElementType::kF32, -INFINITY));
    EXPECT_NE(Judged(box, *golden, Literal::Scalar(ElementType::kC64, number(-largest, NAN))),
              Verdict::kWrong)
        << profile;
  }
}

// exp(88.7228) is 635 units of 2^104 below the greatest f32; so much larger it may overflow or not.
constexpr char kMayOverflow[] =
    "x = f32[1] parameter(0)\n e = f32[1] exponential(x)\n"
    " more = f32[1] constant({1.00003784})\n l = f32[1] multiply(e, more)\n"
    " n = f32[1] negate(l)\n z = f32[1] constant({0})\n one = f32[1] constant({1})\n"
    " near = f32[1] sine(one)\n c = f32[1] constant({0.84147098})\n"
    " around = f32[1] subtract(near, c)\n";

TEST_F(EnclosureTest, InfinitiesThatMayMeetAreNans) {
  for (const char* root :
       {" ROOT r = f32[1] add(l, n)", " ROOT r = f32[1] subtract(l, l)",
        " ROOT r = f32[1] multiply(l, z)", " ROOT r = f32[1] multiply(l, around)"}) {
    const BoxTree box = Of(absl::StrCat(kMayOverflow, root), {F32({88.7228f})});
    ASSERT_TRUE(box.box().has_nan()) << root;
    EXPECT_EQ(box.box().nan.Get(0).bits, 1u) << root;
  }
  const BoxTree sum =
      Of(absl::StrCat(kMayOverflow, " ROOT r = f32[1] add(l, l)"), {F32({88.7228f})});
  EXPECT_FALSE(sum.box().has_nan());
}

// log of an interval around zero (sin(2) = 0.9092974) may be NaN.
constexpr char kNanInTheMiddle[] =
    "x = f32[3] parameter(0)\n sine = f32[3] sine(x)\n"
    " two = f32[3] constant({-2, 0.9092974, -2})\n near = f32[3] subtract(sine, two)\n"
    " l = f32[3] log(near)\n zero = f32[] constant(0)\n";

TEST_F(EnclosureTest, NansReachTheirCells) {
  const std::string add =
      "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b) }\n";
  const std::string minimum =
      "least { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] minimum(a, b) }\n";
  const struct {
    const char* text;
    std::vector<int> nans;  // by element
  } cases[] = {
      {" c = f32[3,1] reshape(l)\n k = f32[1,2] constant({{0, 3}})\n"
       " ROOT r = f32[3,2] dot(c, k), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {0, 0, 1, 1, 0, 0}},
      {" k = f32[3,2] constant({{1, 2}, {3, 4}, {5, 6}})\n c = f32[1,3] reshape(l)\n"
       " ROOT r = f32[1,2] dot(c, k), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {1, 1}},
      {" ROOT r = f32[2] reduce-window(l, zero), window={size=2}, to_apply=add", {1, 1}},
      {" ROOT r = f32[3] reduce-window(l, zero), window={size=2 pad=1_0 stride=1}, to_apply=add",
       {0, 1, 1}},
      {" ROOT r = f32[3] reduce-window(l, zero), window={size=1}, to_apply=least", {0, 1, 0}},
      {" o = f32[4] constant({1, 2, 3, 4})\n i = s32[3,1] constant({{3}, {0}, {7}})\n"
       " ROOT r = f32[4] scatter(o, i, l), update_window_dims={}, inserted_window_dims={0},"
       " scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
       {1, 0, 0, 0}},
  };
  for (const auto& each : cases) {
    const BoxTree box =
        Of(absl::StrCat(kNanInTheMiddle, each.text), {F32({1, 2, 1})}, "xla-cpu", add + minimum);
    ASSERT_TRUE(box.box().has_nan()) << each.text;
    for (size_t i = 0; i < each.nans.size(); ++i) {
      EXPECT_EQ(box.box().nan.Get(static_cast<int64_t>(i)).bits, each.nans[i])
          << each.text << ", element " << i;
    }
  }
}

// A sum with a NaN among its terms is NaN in any order, also where it is the only element.
TEST_F(EnclosureTest, SumsWithNansAreNan) {
  const std::string add =
      "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b) }\n";
  constexpr char kZero[] = "x = f32[2] parameter(0)\n z = f32[] constant(0)\n";
  for (const char* sum :
       {" y = f32[] reduce(x, z), dimensions={0}, to_apply=add\n",
        " y = f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n",
        " w = f32[1] reduce-window(x, z), window={size=2}, to_apply=add\n y = f32[] "
        "reshape(w)\n"}) {
    const std::string text = absl::StrCat(kZero, sum, " ROOT r = f32[] multiply(y, z)");
    for (const char* profile : {"cpu-strict", "xla-cpu"}) {
      const BoxTree nan = Of(text, {F32({NAN, 1})}, profile, add);
      EXPECT_EQ(Judged(nan, F32({NAN}).WithShape(Shape::Scalar(ElementType::kF32)),
                       F32({0}).WithShape(Shape::Scalar(ElementType::kF32))),
                Verdict::kWrong)
          << text;
    }
  }
}

// exp(-95) is a denormal, which may be zero, and zero times infinity is NaN; exp(88.7228) times
// 1.00003784 may overflow, and infinity times zero is NaN.
TEST_F(EnclosureTest, SumsThatMayHaveNansOrNotAreNotNanAlone) {
  const struct {
    std::string text;
    float argument, golden;
    std::vector<float> legal;
  } cases[] = {
      {"x = f32[1] parameter(0)\n d = f32[1] exponential(x)\n i = f32[1] constant({inf})\n"
       " ROOT r = f32[] dot(d, i), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
       -95,
       INFINITY,
       {INFINITY, NAN}},
      {"x = f32[1] parameter(0)\n d = f32[1] exponential(x)\n i = f32[1] constant({-inf})\n"
       " one = f32[1] constant({1})\n j = f32[2] concatenate(i, one), dimensions={0}\n"
       " k = f32[2] concatenate(d, one), dimensions={0}\n"
       " ROOT r = f32[] dot(j, k), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
       -95,
       -INFINITY,
       {-INFINITY, NAN}},
      {absl::StrCat(
           kMayOverflow,
           " ROOT r = f32[] dot(l, z), lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
       88.7228f,
       0,
       {0, NAN}}};
  for (const auto& c : cases) {
    const BoxTree box = Of(c.text, {F32({c.argument})});
    const auto scalar = [](float value) {
      return F32({value}).WithShape(Shape::Scalar(ElementType::kF32));
    };
    for (const float legal : c.legal) {
      EXPECT_NE(Judged(box, scalar(c.golden), scalar(legal)), Verdict::kWrong)
          << c.text << " " << legal;
    }
  }
}

// NaNs are marked by numbers, for which complex elements have no place.
TEST_F(EnclosureTest, ScattersThatOverwriteComplexNumbersLetGoOfNans) {
  const BoxTree box = Of(absl::StrCat(kNanInTheMiddle,
                                      " c = c64[3] complex(l, l)\n i = s32[1,1] constant({{0}})\n"
                                      " u = c64[1] constant({(1, 2)})\n"
                                      " ROOT r = c64[3] scatter(c, i, u), update_window_dims={}, "
                                      "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                                      "index_vector_dim=1, to_apply=second"),
                         {F32({1, 2, 1})}, "xla-cpu",
                         "second { a = c64[] parameter(0) ROOT b = c64[] parameter(1) }\n");
  ASSERT_TRUE(box.box().has_nan());
  EXPECT_NE(box.box().nan.Get(1).bits, 0u);
}

TEST_F(EnclosureTest, BitsOfNansAreOpen) {
  const BoxTree box = Of("x = f32[2] parameter(0)\n ROOT r = u16[2,2] bitcast-convert(x)",
                         {F32({1, std::nanf("")})}, "golden");
  EXPECT_EQ(box.box().low.Get(1).bits, 0x3f80u);
  EXPECT_EQ(box.box().high.Get(1).bits, 0x3f80u);
  EXPECT_EQ(box.box().low.Get(3).bits, 0u);
  EXPECT_EQ(box.box().high.Get(3).bits, 0xffffu);
}

// A bitcast to another type gives the bits of a NaN as well, wherever the layouts put them.
TEST_F(EnclosureTest, BitsOfNansAreOpenInBitcasts) {
  const Literal values = F32({1, std::nanf(""), 2, 3});
  const BoxTree same =
      Of("x = f32[4] parameter(0)\n ROOT r = s32[4] bitcast(x)", {values}, "golden");
  EXPECT_EQ(same.box().low.Get(0).bits, same.box().high.Get(0).bits);
  EXPECT_NE(same.box().low.Get(1).bits, same.box().high.Get(1).bits);
  const BoxTree moved =
      Of("x = f32[4] parameter(0)\n y = f32[2,2]{1,0} reshape(x)\n"
         "ROOT r = s32[2,2]{0,1} bitcast(y)",
         {values}, "golden");
  for (const int64_t i : {0, 1, 3}) {
    EXPECT_EQ(moved.box().low.Get(i).bits, moved.box().high.Get(i).bits) << i;
  }
  EXPECT_NE(moved.box().low.Get(2).bits, moved.box().high.Get(2).bits);
}

TEST_F(EnclosureTest, NumbersBetweenEndsThatAreNan) {
  // exp(x) - e is about zero, 10^7 times that reaches beyond -1 and 1 on both sides: asin is NaN
  // at both ends and defined between them.
  const BoxTree asin =
      Of("a = f32[1] parameter(0)\n c = f32[1] parameter(1)\n d = f32[1] parameter(2)\n"
         "x = f32[1] exponential(a)\n y = f32[1] subtract(x, c)\n z = f32[1] multiply(y, d)\n"
         " ROOT r = f32[1] asin(z)",
         {F32({1}), F32({2.71828175f}), F32({1e7f})});
  EXPECT_EQ(Judged(asin, F32({NAN}), F32({0.5f})), Verdict::kNotJudgeable);
  // f8e4m3fn has no infinity: both sums of ends are NaN, those between are not.
  const BoxTree sum =
      Of("a = f8e4m3fn[1] parameter(0)\n p = pred[1] parameter(1)\n x = f32[1] parameter(2)\n"
         "y = f32[1] exponential(x)\n z = f32[1] parameter(3)\n q = pred[1] compare(y, z), "
         "direction=LT\n b = f8e4m3fn[1] negate(a)\n c = f8e4m3fn[1] select(q, a, b)\n"
         " ROOT r = f8e4m3fn[1] add(c, c)",
         {Array(ElementType::kF8E4M3FN, {300}), Literal::Zeros(Shape(ElementType::kPred, {1})),
          F32({1}), F32({2.71828175f})});
  EXPECT_EQ(Judged(sum, Array(ElementType::kF8E4M3FN, {NAN}), Array(ElementType::kF8E4M3FN, {0})),
            Verdict::kNotJudgeable);
}

}  // namespace
}  // namespace assay::conformance
