// Undecided decisions with few outcomes: the enclosure is the hull of all outcomes.
#include <limits>

#include "conformance/enclosure/enclosure_testing.h"

namespace assay::conformance {
namespace {

// e = exp(1e-20) is 1 or next to it; exp(0) would be 1, so that floor(2 e) is 1 or 2.
class EnclosureDecisionsTest : public EnclosureTest {
 protected:
  static std::string Index(const std::string& name, const std::string& factor) {
    return absl::StrCat(" c", name, " = f32[] constant(", factor, ")\n y", name,
                        " = f32[] multiply(e, c", name, ")\n f", name, "l = f32[] floor(y", name,
                        ")\n ", name, " = s32[] convert(f", name, "l)\n");
  }
  Verdict With(const BoxTree& tree, const std::vector<float>& golden,
               const std::vector<float>& actual) {
    return Judged(tree, F32(golden), F32(actual));
  }
  const std::string start_ = " x = f32[] parameter(0)\n e = f32[] exponential(x)\n";
  const Literal zero_ =
      Literal::Scalar(ElementType::kF32, Element{EncodeFloat(ElementType::kF32, 1e-20)});
};

TEST_F(EnclosureDecisionsTest, SlicesAtOneOfFewPlaces) {
  const std::string values = " v = f32[5] constant({10, 20, 30, 40, 50})\n";
  const BoxTree slice =
      Of(absl::StrCat(start_, Index("i", "2"), values,
                      " ROOT s = f32[2] dynamic-slice(v, i), dynamic_slice_sizes={2}"),
         {zero_});
  EXPECT_EQ(With(slice, {30, 40}, {20, 30}), Verdict::kWithinBound);
  EXPECT_EQ(With(slice, {30, 40}, {30, 41}), Verdict::kWrong);
  EXPECT_EQ(With(slice, {30, 40}, {10, 30}), Verdict::kWrong);
  EXPECT_EQ(With(slice, {30, 40}, {40, 50}), Verdict::kWrong);
  // What lies past the end starts as late as it fits: at 3 for certain.
  const BoxTree clamped =
      Of(absl::StrCat(start_, Index("i", "1000"), values,
                      " ROOT s = f32[2] dynamic-slice(v, i), dynamic_slice_sizes={2}"),
         {zero_});
  EXPECT_EQ(With(clamped, {40, 50}, {30, 40}), Verdict::kWrong);
  EXPECT_EQ(Low(clamped), 40);
  EXPECT_EQ(High(clamped), 40);
  const BoxTree update = Of(absl::StrCat(start_, Index("i", "2"), values,
                                         " u = f32[1] constant({-7})\n"
                                         " ROOT s = f32[5] dynamic-update-slice(v, u, i)"),
                            {zero_});
  EXPECT_EQ(With(update, {10, 20, -7, 40, 50}, {10, -7, 30, 40, 50}), Verdict::kWithinBound);
  EXPECT_EQ(With(update, {10, 20, -7, 40, 50}, {10, 20, -7, -7, 50}), Verdict::kWrong);
  EXPECT_EQ(With(update, {10, 20, -7, 40, 50}, {10, 20, 31, 40, 50}), Verdict::kWrong);
}

// Decision structural_52: in f32 (2^24 + 1) - 2^24 is 0, and 1 + n u S is a little more than 7.
TEST_F(EnclosureDecisionsTest, DotsMayAccumulateInANarrowerResult) {
  const std::string dot =
      " a = f64[3] parameter(0)\n b = f64[3] parameter(1)\n"
      " d = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
      " ROOT r = f32[] negate(d)\n";
  const std::vector<Literal> operands = {Array(ElementType::kF64, {0x1p24, 1, -0x1p24}),
                                         Array(ElementType::kF64, {1, 1, 1})};
  const BoxTree sum = Of(dot, operands, "cpu-strict");
  EXPECT_LE(Low(sum), -7);
  EXPECT_GE(High(sum), 5);
  EXPECT_GE(Low(sum), -9);
  EXPECT_LE(High(sum), 7);
  EXPECT_TRUE(Of(dot, operands, "golden").is_point());
}

// A start value that is missing from a maximum (W-12): the hull of both, and NaN only where the
// start value is. Nothing is missing that is neutral, and where the profile does not say so.
TEST_F(EnclosureDecisionsTest, StartValuesMayBeMissing) {
  const std::string most =
      "most { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] maximum(a, b) }\n";
  const auto maximum = [&](const std::string& start, const std::string& profile) {
    return Of(absl::StrCat(" x = f32[2] parameter(0)\n z = f32[] constant(", start,
                           ")\n m = f32[] reduce(x, z), dimensions={0}, to_apply=most\n"
                           " ROOT r = f32[] negate(m)\n"),
              {F32({3, 4})}, profile, most);
  };
  // The profile's excess precision adds units in the last place.
  EXPECT_NEAR(Low(maximum("5", "xla-cpu")), -5, 1e-5);
  EXPECT_NEAR(High(maximum("5", "xla-cpu")), -4, 1e-5);
  EXPECT_FALSE(maximum("5", "xla-cpu").box().has_nan());
  EXPECT_TRUE(maximum("5", "cpu-strict").is_point());
  EXPECT_NEAR(Low(maximum("-inf", "xla-cpu")), -4, 1e-5);
  EXPECT_NEAR(High(maximum("-inf", "xla-cpu")), -4, 1e-5);
  const BoxTree nan = maximum("nan", "xla-cpu");
  EXPECT_TRUE(nan.box().has_nan());
  EXPECT_NEAR(Low(nan), -4, 1e-5);
  EXPECT_NEAR(High(nan), -4, 1e-5);
}

// Rows 1 or 2, and column 0 or 1: one row more or one column more is none of them. What an index
// that is known picks is known.
TEST_F(EnclosureDecisionsTest, GathersAtSomeOfFewPlaces) {
  const BoxTree rows =
      Of(absl::StrCat(start_, Index("i", "2"), Index("j", "1"),
                      " v = f32[4,3] constant({{0,1,2},{10,11,12},{20,21,22},{30,31,32}})\n"
                      " i1 = s32[1] reshape(i)\n j1 = s32[1] reshape(j)\n"
                      " known = s32[2] constant({3, 2})\n p = s32[4] concatenate(i1, j1, known), "
                      "dimensions={0}\n at = s32[2,2] reshape(p)\n"
                      " ROOT g = f32[2] gather(v, at), offset_dims={}, collapsed_slice_dims={0,1}, "
                      "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}"),
         {zero_});
  EXPECT_EQ(Low(rows, 0), 10);
  EXPECT_EQ(High(rows, 0), 21);
  EXPECT_EQ(With(rows, {21, 32}, {10, 32}), Verdict::kWithinBound);
  EXPECT_EQ(With(rows, {21, 32}, {22, 32}), Verdict::kWrong);
  EXPECT_EQ(With(rows, {21, 32}, {1, 32}), Verdict::kWrong);
  EXPECT_EQ(With(rows, {21, 32}, {21, 31}), Verdict::kWrong);
}

TEST_F(EnclosureDecisionsTest, TooManyPlacesAreNone) {
  const BoxTree slice =
      Of(absl::StrCat(start_, Index("i", "1e9"),
                      " v = f32[100] iota(), iota_dimension=0\n q = s32[] constant(1000000000)\n"
                      " j = s32[] subtract(i, q)\n"
                      " ROOT s = f32[1] dynamic-slice(v, j), dynamic_slice_sizes={1}"),
         {zero_});
  EXPECT_EQ(With(slice, {0}, {1e6}), Verdict::kNotJudgeable);
}

TEST_F(EnclosureDecisionsTest, EitherBranch) {
  const std::string text =
      "more { a = f32[1] parameter(0)\n b = f32[1] add(a, a)\n i = s32[] constant(3)\n"
      " ROOT r = (f32[1], s32[]) tuple(b, i) }\n"
      "less { a = f32[1] parameter(0)\n b = f32[1] negate(a)\n i = s32[] constant(5)\n"
      " ROOT r = (f32[1], s32[]) tuple(b, i) }\n";
  const std::string body =
      absl::StrCat(start_,
                   " one = f32[] constant(1)\n p = pred[] compare(e, one), direction=GT\n"
                   " s = f32[1] constant({8})\n t = f32[1] constant({3})\n"
                   " c = (f32[1], s32[]) conditional(p, s, t), true_computation=more, "
                   "false_computation=less\n");
  const BoxTree value = Of(absl::StrCat(body, " ROOT v = f32[1] get-tuple-element(c), index=0"),
                           {zero_}, "xla-cpu", text);
  EXPECT_EQ(Low(value), -3);
  EXPECT_GE(High(value), 16);
  EXPECT_EQ(With(value, {-3}, {16}), Verdict::kWithinBound);
  EXPECT_EQ(With(value, {-3}, {16.001F}), Verdict::kWrong);
  EXPECT_EQ(With(value, {-3}, {-8}), Verdict::kWrong);
  const BoxTree number = Of(absl::StrCat(body, " ROOT v = s32[] get-tuple-element(c), index=1"),
                            {zero_}, "xla-cpu", text);
  const auto integer = [](uint64_t bits) {
    return Literal::Scalar(ElementType::kS32, Element{bits});
  };
  EXPECT_EQ(Judged(number, integer(5), integer(3)), Verdict::kNotJudgeable);
  EXPECT_EQ(Judged(number, integer(5), integer(6)), Verdict::kWrong);
}

// A branch that is not taken may run for ever.
TEST_F(EnclosureDecisionsTest, BranchesWithLoopsAreNotFollowed) {
  const BoxTree value =
      Of(absl::StrCat(start_,
                      " one = f32[] constant(1)\n p = pred[] compare(e, one), direction=GT\n"
                      " ROOT c = f32[] conditional(p, e, e), true_computation=endless, "
                      "false_computation=done"),
         {zero_}, "xla-cpu",
         "same { a = f32[] parameter(0)\n ROOT r = f32[] copy(a) }\n"
         "always { a = f32[] parameter(0)\n ROOT t = pred[] constant(true) }\n"
         "endless { a = f32[] parameter(0)\n ROOT r = f32[] while(a), condition=always, "
         "body=same }\n"
         "done { a = f32[] parameter(0)\n ROOT r = f32[] copy(a) }\n");
  EXPECT_EQ(Low(value), -std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace assay::conformance
