// Single rules of the enclosures, each on the smallest example: special points, ends of ranges,
// what a zero or an interval about zero opens, and which values an order leaves open.
#include <cmath>
#include <limits>

#include "conformance/enclosure/box.h"
#include "conformance/enclosure/enclosure_testing.h"
#include "conformance/enclosure/step_meter.h"

namespace assay::conformance {
namespace {

using ElementType::kF16;
using ElementType::kF32;

constexpr float kEndless = std::numeric_limits<float>::infinity();

Literal Floats(const std::vector<double>& values) { return Array(kF32, values); }

class SingleEnclosuresTest : public EnclosureTest {
 protected:
  // The enclosure of f32[n] `made` from a parameter p.
  BoxTree From(const std::vector<double>& values, const std::string& made,
               const std::string& profile = "cpu-strict", const std::string& computations = "") {
    return Of(absl::StrCat("p = f32[", values.size(), "] parameter(0)\n ", made), {Floats(values)},
              profile, computations);
  }
  static int64_t Whole(const Literal& literal, int64_t i = 0) {
    return DecodeSigned(literal.element_type(), literal.Get(i).bits);
  }
};

// exp(0) and log(1) are exact wherever they stand, and no hyperbolic cosine is below one.
TEST_F(SingleEnclosuresTest, SpecialPointsAndRanges) {
  const BoxTree one = From({0}, "ROOT e = f32[1] exponential(p)");
  EXPECT_EQ(Low(one), 1);
  EXPECT_EQ(High(one), 1);
  const BoxTree zero = From({1}, "ROOT e = f32[1] log(p)");
  EXPECT_EQ(Low(zero), 0);
  EXPECT_EQ(High(zero), 0);
  std::vector<double> many(1000, 2);
  many[900] = 0;
  const BoxTree among = From(many, "ROOT e = f32[1000] exponential(p)");
  EXPECT_EQ(Low(among, 900), 1);
  EXPECT_EQ(High(among, 900), 1);
  EXPECT_LT(Low(among, 901), High(among, 901));
  for (const double small : {1e-4, 3e-4, -5e-4}) {
    EXPECT_EQ(Low(From({small}, "ROOT e = f32[1] cosh(p)")), 1) << small;
  }
}

// Denormals of either sign may be flushed to zero.
TEST_F(SingleEnclosuresTest, NegativeDenormalsReachZero) {
  const BoxTree denormal =
      From({-90}, "e = f32[1] exponential(p)\n ROOT n = f32[1] negate(e)", "xla-cpu");
  EXPECT_LT(Low(denormal), 0);
  EXPECT_EQ(High(denormal), 0);
}

// [0, 1] fits every integer type.
TEST_F(SingleEnclosuresTest, IntegersFromZero) {
  const BoxTree whole = From(
      {-1e-8}, "e = f32[1] exponential(p)\n s = s32[1] convert(e)\n ROOT u = u32[1] convert(s)");
  EXPECT_EQ(whole.box().low.Get(0).bits, 0);
  EXPECT_EQ(whole.box().high.Get(0).bits, 1);
}

constexpr char kAboutZero[] =
    "e = f32[1] exponential(p)\n g = f32[1] exponential(p)\n z = f32[1] subtract(e, g)\n "
    "w = f32[1] broadcast(t), dimensions={}\n ";

// An even power of an interval about zero begins at zero; a quotient by it may be anything.
TEST_F(SingleEnclosuresTest, IntervalsAboutZero) {
  const std::string two = std::string("t = f32[] constant(2)\n ") + kAboutZero;
  const BoxTree interval = From({1}, two + "ROOT r = f32[1] copy(z)");
  EXPECT_LT(Low(interval), 0);
  EXPECT_GT(High(interval), 0);
  const BoxTree power = From({1}, two + "ROOT r = f32[1] power(z, w)");
  EXPECT_LE(Low(power), 0);
  const BoxTree quotient = From({1}, two + "ROOT r = f32[1] divide(w, z)");
  EXPECT_EQ(Low(quotient), -kEndless);
  EXPECT_EQ(High(quotient), kEndless);
}

// (a - a) (b - b): products of factors of either sign are not at the ends.
TEST_F(SingleEnclosuresTest, ProductsOfFactorsOfEitherSign) {
  const BoxTree product = From(
      {1, 2},
      "e = f32[2] exponential(p)\n g = f32[2] exponential(p)\n z = f32[2] subtract(e, g)\n "
      "one = f32[] constant(1)\n ROOT r = f32[] reduce(z, one), dimensions={0}, to_apply=f",
      "cpu-strict",
      "f { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] multiply(a, b) }\n");
  EXPECT_LT(Low(product), 0);
  EXPECT_GT(High(product), 0);
}

// A divisor of a half is not near zero: the quotient of complex intervals has both ends.
TEST_F(SingleEnclosuresTest, QuotientsByParts) {
  const BoxTree quotient =
      From({0},
           "t = f32[1] exponential(p)\n e = f32[1] add(p, t)\n g = f32[1] exponential(e)\n "
           "h = f32[1] constant({0.5})\n x = c64[1] complex(g, g)\n y = c64[1] complex(h, h)\n "
           "q = c64[1] divide(x, y)\n ROOT r = f32[1] real(q)");
  const float wanted = 2 * std::exp(1.0F);
  EXPECT_LT(Low(quotient), wanted);
  EXPECT_GT(Low(quotient), wanted * 0.999F);
  EXPECT_GT(High(quotient), wanted);
  EXPECT_LT(High(quotient), wanted * 1.001F);
}

// Nobody knows where an angle of some million lies between extremes.
TEST_F(SingleEnclosuresTest, SinesOfLargeIntervals) {
  const BoxTree sine = From({15}, "e = f32[1] exponential(p)\n ROOT s = f32[1] sine(e)");
  EXPECT_EQ(Low(sine), -1);
  EXPECT_EQ(High(sine), 1);
}

// The bits of an interval are not those between the bits of its ends.
TEST_F(SingleEnclosuresTest, BitsOfIntervals) {
  const BoxTree bits = From({1}, "e = f32[1] exponential(p)\n ROOT b = s32[1] bitcast-convert(e)");
  EXPECT_EQ(Whole(bits.box().low), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(Whole(bits.box().high), std::numeric_limits<int32_t>::max());
}

TEST_F(SingleEnclosuresTest, ConditionsTakeTheirBranch) {
  const std::string branches =
      "yes { a = f32[1] parameter(0)\n ROOT n = f32[1] negate(a) }\n"
      "no { a = f32[1] parameter(0)\n ROOT c = f32[1] copy(a) }\n";
  const auto of = [&](const char* truth) {
    return From({3},
                absl::StrCat("t = pred[] constant(", truth,
                             ")\n ROOT r = f32[1] conditional(t, p, p), true_computation=yes, "
                             "false_computation=no"),
                "cpu-strict", branches);
  };
  EXPECT_EQ(Low(of("true")), -3);
  EXPECT_EQ(High(of("false")), 3);
  // The only branch of all is taken, whatever the index.
  const BoxTree only =
      From({-1e-8},
           "e = f32[1] exponential(p)\n s = s32[1] convert(e)\n i = s32[] reshape(s)\n "
           "t = (f32[1], f32[1]) tuple(p, p)\n c = (f32[1], f32[1]) conditional(i, t), "
           "branch_computations={pair}\n ROOT r = f32[1] get-tuple-element(c), index=1",
           "cpu-strict",
           "pair { a = (f32[1], f32[1]) parameter(0)\n x = f32[1] get-tuple-element(a), index=0\n "
           "ROOT t = (f32[1], f32[1]) tuple(x, x) }\n");
  EXPECT_EQ(Low(only), -1e-8F);
  EXPECT_EQ(High(only), -1e-8F);
}

// The places of top values are known while the intervals of the values lie apart.
TEST_F(SingleEnclosuresTest, PlacesOfTopValues) {
  const char top[] =
      "e = f32[3] exponential(p)\n t = (f32[2], s32[2]) topk(e), k=2, largest=true\n "
      "ROOT i = s32[2] get-tuple-element(t), index=1";
  const BoxTree apart = From({1, 2, 3}, top);
  EXPECT_EQ(Whole(apart.box().low, 0), 2);
  EXPECT_EQ(Whole(apart.box().high, 0), 2);
  EXPECT_EQ(Whole(apart.box().low, 1), 1);
  const BoxTree near = From({1, 1.0000001, 3}, top);
  EXPECT_LT(Whole(near.box().low, 1), 0);
  EXPECT_GT(Whole(near.box().high, 1), 2);
}

// What travels with keys in an order that is not known may be any of the values.
TEST_F(SingleEnclosuresTest, ValuesBesideKeysThatAreNotApart) {
  const auto values = [&](const std::vector<double>& keys) {
    return From(keys,
                "e = f32[2] exponential(p)\n v = f32[2] constant({5, 6})\n "
                "s = (f32[2], f32[2]) sort(e, v), dimensions={0}, is_stable=true, to_apply=less\n "
                "ROOT r = f32[2] get-tuple-element(s), index=1",
                "cpu-strict",
                "less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = f32[] parameter(2)\n "
                "d = f32[] parameter(3)\n ROOT l = pred[] compare(a, b), direction=LT }\n");
  };
  const BoxTree apart = values({2, 1});
  EXPECT_EQ(Low(apart, 0), 6);
  EXPECT_EQ(High(apart, 0), 6);
  const BoxTree near = values({1, 1.0000001});
  EXPECT_EQ(Low(near), -kEndless);
  EXPECT_EQ(High(near), kEndless);
  EXPECT_NE(near.box().nan.Get(0).bits, 0);
}

// The place of a maximum of values that are not apart is any.
TEST_F(SingleEnclosuresTest, PlacesOfExtremes) {
  const auto place = [&](const std::vector<double>& values) {
    return From(values,
                "e = f32[2] exponential(p)\n i = s32[2] iota(), iota_dimension=0\n "
                "m = f32[] constant(-inf)\n z = s32[] constant(-1)\n "
                "r = (f32[], s32[]) reduce(e, i, m, z), dimensions={0}, to_apply=greatest\n "
                "ROOT o = s32[] get-tuple-element(r), index=1",
                "cpu-strict",
                "greatest { a = f32[] parameter(0)\n i = s32[] parameter(1)\n "
                "b = f32[] parameter(2)\n j = s32[] parameter(3)\n "
                "gt = pred[] compare(a, b), direction=GT\n "
                "un = pred[] compare(a, a), direction=NE\n k = pred[] or(gt, un)\n "
                "eq = pred[] compare(a, b), direction=EQ\n "
                "first = pred[] compare(i, j), direction=LT\n tie = pred[] and(eq, first)\n "
                "ki = pred[] or(k, tie)\n v = f32[] select(k, a, b)\n "
                "w = s32[] select(ki, i, j)\n ROOT t = (f32[], s32[]) tuple(v, w) }\n");
  };
  const BoxTree apart = place({1, 2});
  EXPECT_EQ(Whole(apart.box().low), 1);
  EXPECT_EQ(Whole(apart.box().high), 1);
  const BoxTree near = place({1.0000001, 1});
  EXPECT_EQ(Whole(near.box().low), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(Whole(near.box().high), std::numeric_limits<int32_t>::max());
}

// Distances are counted in the histogram.
TEST_F(SingleEnclosuresTest, DistancesAreCounted) {
  const BoxTree box = From({1, 2}, "ROOT e = f32[2] exponential(p)");
  const double e = std::exp(1.0F), f = std::exp(2.0F);
  const auto judgement =
      JudgeWhole(box, Floats({e, f}), Floats({std::nextafter(static_cast<float>(e), 3.0F), f}));
  ASSERT_TRUE(judgement.ok()) << judgement.status();
  EXPECT_EQ(judgement->histogram[0], 1);
  EXPECT_EQ(judgement->histogram[1], 1);
  EXPECT_EQ(judgement->largest_distance, 1u);
}

// What is wrong is shown, however much is not judgeable before it.
TEST_F(SingleEnclosuresTest, WrongElementsAreShownFirst) {
  const int64_t open = 2 * kShownEvidence;
  Box box = Box::Point(Literal::Zeros(Shape(kF32, {open + 2})));
  for (int64_t i = 0; i < open; ++i) {
    box.low.Set(i, {Infinity(kF32, true), 0});
    box.high.Set(i, {Infinity(kF32), 0});
  }
  const std::vector<double> zeros(open + 2, 0), ones(open + 2, 1);
  const auto judgement = JudgeWhole(BoxTree::Of(box), Floats(zeros), Floats(ones));
  ASSERT_TRUE(judgement.ok()) << judgement.status();
  ASSERT_EQ(judgement->evidence.size(), static_cast<size_t>(kShownEvidence));
  EXPECT_EQ(judgement->evidence[0].position, open);
  EXPECT_EQ(judgement->evidence[1].position, open + 1);
  EXPECT_EQ(judgement->evidence[2].position, 0);
  EXPECT_EQ(judgement->evidence[2].verdict, Verdict::kNotJudgeable);
}

// A distance that ends at the largest number does not reach infinity, and one that ends at zero
// reaches the zero on its side.
TEST_F(SingleEnclosuresTest, RadiiThatEndAtANumber) {
  const auto widened = [](double value, double radius) {
    Box box = Box::Point(Array(kF16, {value}));
    WidenByRadii({radius}, &box);
    return box;
  };
  const auto low = [](const Box& box) { return box.low.Get(0).bits; };
  const auto high = [](const Box& box) { return box.high.Get(0).bits; };
  const uint64_t largest = MaxFinite(kF16), sign = 0x8000;
  EXPECT_EQ(low(widened(-65472, 32)), largest | sign);
  EXPECT_EQ(high(widened(65472, 32)), largest);
  EXPECT_EQ(low(widened(-65472, 33)), Infinity(kF16, true));
  EXPECT_EQ(high(widened(65472, 33)), Infinity(kF16));
  EXPECT_EQ(low(widened(1, 1)), sign);
  EXPECT_EQ(high(widened(-1, 1)), 0u);
}

// Exactly the budget may be spent.
TEST_F(SingleEnclosuresTest, Steps) {
  From({1}, "ROOT e = f32[1] exponential(p)");
  const Instruction& root = *module_->entry()->root();
  RunBudget budget;
  budget.steps = 5;
  StepMeter meter(budget);
  EXPECT_TRUE(meter.Charge(root, 5).ok());
  EXPECT_FALSE(meter.Charge(root, 1).ok());
}

}  // namespace
}  // namespace assay::conformance
