// Operations on dynamic dimensions, with the worked examples of ops_structural.md 3.6 and 13, and
// others computed by hand. What lies outside of the valid box is poison in every test.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "interpreter/testing.h"

namespace assay::dynamic_test {
namespace {

// The valid box of the result as text, from an entry computation whose arguments are literals; the
// definitions give the same. Or the error.
std::string Evaluate(absl::string_view entry,
                     const std::vector<absl::string_view>& arguments = {}) {
  const std::string text = absl::StrCat(R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    max { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] maximum(a, b) }
    mul { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] multiply(a, b) }
    less { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
    ENTRY e {)",
                                        entry, "}");
  std::unique_ptr<Module> module = MustParse(text);
  if (module == nullptr) return "unparsed";
  std::vector<Literal> literals;
  for (absl::string_view argument : arguments) literals.push_back(MustParseLiteral(argument));
  std::string first;
  for (const bool straight : {false, true}) {
    PlanOptions options;
    options.straight = straight;
    auto planned = PlannedModule::Create(*module, options);
    if (!planned.ok()) return planned.status().ToString();
    absl::StatusOr<Literal> result = (*planned)->Run(literals);
    const std::string shown =
        result.ok() ? PrintTypedLiteral(ValidBox(*result)) : std::string(result.status().message());
    if (straight) {
      EXPECT_EQ(shown, first);
    }
    first = shown;
  }
  return first;
}

// v = {1..10} with size n.
std::string Vector(int n, absl::string_view rest) {
  return absl::StrCat(R"(
      c = s32[10] constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
      n = s32[] constant()",
                      n, R"()
      v = s32[<=10] set-dimension-size(c, n), dimensions={0}
      zero = s32[] constant(0) one = s32[] constant(1) low = s32[] constant(-2147483648)
      )",
                      rest);
}

TEST(DynamicTest, SizesAreReadAndSet) {
  EXPECT_EQ(
      Evaluate("x = f32[2,7] parameter(0) ROOT n = s32[] get-dimension-size(x), dimensions={1}",
               {"f32[2,7] {{0,0,0,0,0,0,0},{0,0,0,0,0,0,0}}"}),
      Canonical("s32[] 7"));
  EXPECT_EQ(Evaluate(Vector(5, "ROOT n2 = s32[] get-dimension-size(v), dimensions={0}")),
            Canonical("s32[] 5"));
  EXPECT_EQ(Evaluate(Vector(5, "ROOT w = s32[<=10] copy(v)")), Canonical("s32[5] {1, 2, 3, 4, 5}"));
  for (const int n : {-1, 11}) {
    EXPECT_NE(
        Evaluate(Vector(n, "ROOT w = s32[<=10] copy(v)")).find("is outside of 0 to its bound 10"),
        std::string::npos);
  }
  // A larger size shows what lies there.
  EXPECT_EQ(Evaluate(Vector(2, R"(four = s32[] constant(4)
      ROOT w = s32[<=10] set-dimension-size(v, four), dimensions={0})")),
            Canonical("s32[4] {1, 2, 3, 4}"));
}

TEST(DynamicTest, ReductionsSeeTheValidElements) {
  const auto reduce = [](int n, absl::string_view init, absl::string_view f) {
    return Evaluate(Vector(
        n, absl::StrCat("ROOT r = s32[] reduce(v, ", init, "), dimensions={0}, to_apply=", f)));
  };
  EXPECT_EQ(reduce(5, "zero", "add"), Canonical("s32[] 15"));
  EXPECT_EQ(reduce(5, "one", "mul"), Canonical("s32[] 120"));
  EXPECT_EQ(reduce(6, "zero", "add"), Canonical("s32[] 21"));
  EXPECT_EQ(reduce(0, "zero", "add"), Canonical("s32[] 0"));
  EXPECT_EQ(reduce(0, "one", "mul"), Canonical("s32[] 1"));
  EXPECT_EQ(reduce(0, "low", "max"), Canonical("s32[] -2147483648"));
}

TEST(DynamicTest, MovementKeepsToTheBox) {
  EXPECT_EQ(Evaluate(Vector(3, "ROOT r = s32[<=10] reverse(v), dimensions={0}")),
            Canonical("s32[3] {3, 2, 1}"));
  EXPECT_EQ(Evaluate(Vector(2, R"(w = s32[<=10] set-dimension-size(c, one), dimensions={0}
      ROOT r = s32[<=20] concatenate(v, w), dimensions={0})")),
            Canonical("s32[3] {1, 2, 1}"));
  EXPECT_EQ(Evaluate(Vector(2, R"(nine = s32[] constant(9)
      ROOT r = s32[<=12] pad(v, nine), padding=1_1)")),
            Canonical("s32[4] {9, 1, 2, 9}"));
  EXPECT_EQ(Evaluate(Vector(4, "ROOT r = s32[<=5] slice(v), slice={[0:10:2]}")),
            Canonical("s32[2] {1, 3}"));
  EXPECT_EQ(Evaluate(Vector(4, "ROOT r = s32[<=7] slice(v), slice={[3:10]}")),
            Canonical("s32[1] {4}"));
  EXPECT_EQ(Evaluate(Vector(2, "ROOT r = s32[<=7] slice(v), slice={[3:10]}")),
            Canonical("s32[0] {}"));
  EXPECT_EQ(Evaluate(Vector(2, "ROOT r = s32[3,<=10] broadcast(v), dimensions={1}")),
            Canonical("s32[3,2] {{1, 2}, {1, 2}, {1, 2}}"));
  EXPECT_EQ(Evaluate(Vector(3, R"(b = s32[2,<=10] broadcast(v), dimensions={1}
      ROOT r = s32[<=10,2] transpose(b), dimensions={1,0})")),
            Canonical("s32[3,2] {{1, 1}, {2, 2}, {3, 3}}"));
}

TEST(DynamicTest, ElementwiseOperationsAgreeAboutSizes) {
  EXPECT_EQ(Evaluate(Vector(2, "ROOT r = s32[<=10] multiply(v, v)")), Canonical("s32[2] {1, 4}"));
  EXPECT_EQ(Evaluate(Vector(2, "ROOT r = f32[<=10] convert(v)")), Canonical("f32[2] {1, 2}"));
  EXPECT_NE(Evaluate(Vector(2, R"(w = s32[<=10] set-dimension-size(c, one), dimensions={0}
      ROOT r = s32[<=10] add(v, w))"))
                .find("while running"),
            std::string::npos);
}

TEST(DynamicTest, SortsWindowsAndDots) {
  EXPECT_EQ(Evaluate(Vector(3, R"(m = s32[<=10] negate(v)
      ROOT r = s32[<=10] sort(m), dimensions={0}, to_apply=less)")),
            Canonical("s32[3] {-3, -2, -1}"));
  EXPECT_EQ(Evaluate(Vector(4, R"(
      ROOT r = s32[<=9] reduce-window(v, zero), window={size=2}, to_apply=add)")),
            Canonical("s32[3] {3, 5, 7}"));
  EXPECT_EQ(Evaluate(R"(
      a = f32[3] constant({1, 2, nan}) b = f32[3] constant({3, 4, inf}) n = s32[] constant(2)
      x = f32[<=3] set-dimension-size(a, n), dimensions={0}
      y = f32[<=3] set-dimension-size(b, n), dimensions={0}
      ROOT r = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0})"),
            Canonical("f32[] 11"));
}

TEST(DynamicTest, AMean) {
  EXPECT_EQ(Evaluate(Vector(3, R"(s = s32[] reduce(v, zero), dimensions={0}, to_apply=add
      count = s32[] get-dimension-size(v), dimensions={0}
      ROOT mean = s32[] divide(s, count))")),
            Canonical("s32[] 2"));
}

// x = 0..17 of [2,3,3] with sizes 2 in dimensions 1 and 2.
TEST(DynamicTest, DynamicReshape) {
  constexpr char kBox[] = R"(
      i = s32[18] iota(), iota_dimension=0
      x = s32[2,3,3] reshape(i) two = s32[] constant(2) eight = s32[] constant(8)
      y = s32[2,<=3,3] set-dimension-size(x, two), dimensions={1}
      z = s32[2,<=3,<=3] set-dimension-size(y, two), dimensions={2}
      )";
  EXPECT_EQ(Evaluate(absl::StrCat(kBox, "ROOT r = s32[<=18] dynamic-reshape(z, eight)")),
            Canonical("s32[8] {0, 1, 3, 4, 9, 10, 12, 13}"));
  EXPECT_NE(Evaluate(absl::StrCat(kBox, "ROOT r = s32[<=18] dynamic-reshape(z, two)"))
                .find("do not fill s32[2]"),
            std::string::npos);
  EXPECT_EQ(Evaluate(R"(
      i = s32[18] iota(), iota_dimension=0
      two = s32[] constant(2) eight = s32[] constant(8)
      v = s32[<=18] set-dimension-size(i, eight), dimensions={0}
      ROOT r = s32[2,<=3,<=3] dynamic-reshape(v, two, two, two))"),
            Canonical("s32[2,2,2] {{{0, 1}, {2, 3}}, {{4, 5}, {6, 7}}}"));
}

TEST(DynamicTest, ReshapesDeriveSizesByGroups) {
  // Splitting and merging beside a dimension that stays.
  EXPECT_EQ(Evaluate(Vector(3, R"(b = s32[2,<=10] broadcast(v), dimensions={1}
      ROOT r = s32[1,2,<=10] reshape(b))")),
            Canonical("s32[1,2,3] {{{1, 2, 3}, {1, 2, 3}}}"));
  EXPECT_EQ(Evaluate(Vector(4, "ROOT r = s32[<=5,2] reshape(v)")),
            Canonical("s32[2,2] {{1, 2}, {3, 4}}"));
  EXPECT_EQ(Evaluate(Vector(3, R"(b = s32[<=10,2] broadcast(v), dimensions={0}
      ROOT r = s32[<=20] reshape(b))")),
            Canonical("s32[6] {1, 1, 2, 2, 3, 3}"));
  EXPECT_NE(Evaluate(Vector(3, "ROOT r = s32[<=5,2] reshape(v)")).find("do not fill"),
            std::string::npos);
}

TEST(DynamicTest, SlicesAndUpdates) {
  EXPECT_EQ(Evaluate(Vector(4, R"(three = s32[] constant(3)
      ROOT r = s32[2] dynamic-slice(v, three), dynamic_slice_sizes={2})")),
            Canonical("s32[2] {3, 4}"));
  EXPECT_EQ(Evaluate(Vector(4, R"(u = s32[2] constant({-1, -2}) seven = s32[] constant(7)
      ROOT r = s32[<=10] dynamic-update-slice(v, u, seven))")),
            Canonical("s32[4] {1, 2, -1, -2}"));
  EXPECT_EQ(Evaluate(Vector(4, R"(w = s32[<=10] set-dimension-size(c, one), dimensions={0}
      ROOT r = s32[<=10] dynamic-update-slice(v, w, zero))")),
            Canonical("s32[1] {1}"));
}

// Sizes go through calls, branches, loops and tuples beside the data.
TEST(DynamicTest, SizesTravel) {
  constexpr char kText[] = R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    shorter {
      s = (s32[<=4], s32[]) parameter(0)
      x = s32[<=4] get-tuple-element(s), index=0
      n = s32[] get-tuple-element(s), index=1
      one = s32[] constant(1)
      m = s32[] subtract(n, one)
      size = s32[] get-dimension-size(x), dimensions={0}
      less = s32[] subtract(size, one)
      y = s32[<=4] set-dimension-size(x, less), dimensions={0}
      ROOT t = (s32[<=4], s32[]) tuple(y, m)
    }
    positive {
      s = (s32[<=4], s32[]) parameter(0)
      n = s32[] get-tuple-element(s), index=1
      zero = s32[] constant(0)
      ROOT p = pred[] compare(n, zero), direction=GT
    }
    whole { x = s32[4] parameter(0) ROOT y = s32[4] copy(x) }
    part {
      x = s32[4] parameter(0)
      three = s32[] constant(3)
      ROOT y = s32[<=4] set-dimension-size(x, three), dimensions={0}
    }
    ENTRY e {
      x = s32[4] parameter(0)
      turns = s32[] parameter(1)
      chosen = s32[] parameter(2)
      zero = s32[] constant(0)
      c = s32[<=4] conditional(chosen, x, x), branch_computations={whole, part}
      t = (s32[<=4], s32[]) tuple(c, turns)
      w = (s32[<=4], s32[]) while(t), condition=positive, body=shorter
      y = s32[<=4] get-tuple-element(w), index=0
      ROOT sum = s32[] reduce(y, zero), dimensions={0}, to_apply=add
    })";
  EXPECT_EQ(RunText(kText, {"s32[4] {1, 10, 100, 1000}", "s32[] 1", "s32[] 0"}),
            Canonical("s32[] 111"));
  EXPECT_EQ(RunText(kText, {"s32[4] {1, 10, 100, 1000}", "s32[] 1", "s32[] 1"}),
            Canonical("s32[] 11"));
  EXPECT_EQ(RunText(kText, {"s32[4] {1, 10, 100, 1000}", "s32[] 3", "s32[] 0"}),
            Canonical("s32[] 1"));
}

}  // namespace
}  // namespace assay::dynamic_test
