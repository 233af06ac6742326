// How often loops run: what the form of each says by hand, and nothing for loops of another form.
#include "spec/analysis/trip_count.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::analysis {
namespace {

// A loop whose state is a counter, a bound and an array.
struct LoopText {
  std::string type = "s32";
  std::string first = "0", bound = "10";
  std::string condition = "ROOT r = pred[] compare(i, n), direction=LT";
  std::string next = "j = TYPE[] add(i, one)";
  std::string bound_next = "n";
  std::string entry = "t = STATE tuple(first, bound, x) ";
};

std::optional<int64_t> TripsOf(const LoopText& loop) {
  const std::string text = absl::StrReplaceAll(
      absl::StrCat(
          "HloModule m\n"
          "next { a = TYPE[] parameter(0) one = TYPE[] constant(1) ROOT s = TYPE[] add(a, one) }\n"
          "less { a = TYPE[] parameter(0) b = TYPE[] parameter(1)\n"
          "  ROOT p = pred[] compare(a, b), direction=LT }\n"
          "cond { s = STATE parameter(0) i = TYPE[] get-tuple-element(s), index=0\n"
          "  n = TYPE[] get-tuple-element(s), index=1 c = TYPE[] constant(7) ",
          loop.condition,
          " }\n"
          "body { s = STATE parameter(0) i = TYPE[] get-tuple-element(s), index=0\n"
          "  n = TYPE[] get-tuple-element(s), index=1 x = f32[2] get-tuple-element(s), index=2\n"
          "  one = TYPE[] constant(1) three = TYPE[] constant(3) y = f32[2] add(x, x) ",
          loop.next, " ROOT t = STATE tuple(j, ", loop.bound_next,
          ", y) }\n"
          "ENTRY e { x = f32[2] parameter(0) p = TYPE[] parameter(1) first = TYPE[] constant(",
          loop.first, ") bound = TYPE[] constant(", loop.bound, ") ", loop.entry,
          "ROOT w = STATE while(t), condition=cond, body=body }\n"),
      {{"STATE", "(TYPE[], TYPE[], f32[2])"}});
  auto module = ParseModule(absl::StrReplaceAll(text, {{"TYPE", loop.type}}));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? TripCount(*(*module)->entry()->root()) : std::nullopt;
}

TEST(TripCount, OfCountersThatGoUpOrDown) {
  EXPECT_EQ(TripsOf({}), 10);
  EXPECT_EQ(TripsOf({.bound = "0"}), 0);
  EXPECT_EQ(TripsOf({.first = "12"}), 0);
  EXPECT_EQ(TripsOf({.next = "j = TYPE[] add(three, i)"}), 4);
  EXPECT_EQ(TripsOf({.condition = "ROOT r = pred[] compare(i, c), direction=LE"}), 8);
  EXPECT_EQ(TripsOf({.condition = "ROOT r = pred[] compare(c, i), direction=GT"}), 7);
  EXPECT_EQ(TripsOf({.condition = "ROOT r = pred[] compare(i, n), direction=NE"}), 10);
  EXPECT_EQ(TripsOf({.condition = "ROOT r = pred[] compare(i, n), direction=EQ"}), 0);
  EXPECT_EQ(TripsOf({.first = "20",
                     .condition = "ROOT r = pred[] compare(i, n), direction=GE",
                     .next = "j = TYPE[] subtract(i, three)"}),
            4);
  EXPECT_EQ(TripsOf({.condition = "d = TYPE[] add(i, c) "
                                  "ROOT r = pred[] compare(d, n), direction=LT"}),
            3);
  // The bound moves, too.
  EXPECT_EQ(TripsOf({.next = "j = TYPE[] add(i, three) m = TYPE[] add(n, one)", .bound_next = "m"}),
            5);
}

TEST(TripCount, CountersOverflowAsTheirTypesDo) {
  EXPECT_EQ(TripsOf({.type = "u8",
                     .first = "250",
                     .bound = "3",
                     .condition = "ROOT r = pred[] compare(i, n), direction=NE"}),
            9);
  EXPECT_EQ(TripsOf({.type = "s8",
                     .first = "120",
                     .bound = "-100",
                     .condition = "ROOT r = pred[] compare(i, n), direction=GT"}),
            8);  // 127 is followed by -128
  EXPECT_EQ(TripsOf({.type = "u64",
                     .first = "18446744073709551610",
                     .bound = "3",
                     .condition = "ROOT r = pred[] compare(i, n), direction=GT"}),
            6);
  EXPECT_EQ(TripsOf({.type = "s4", .first = "-8", .bound = "7"}), 15);
}

TEST(TripCount, IsFoundThroughCallsFusionsAndCopies) {
  EXPECT_EQ(TripsOf({.next = "j = TYPE[] call(i), to_apply=next"}), 10);
  EXPECT_EQ(TripsOf({.next = "j = TYPE[] fusion(i), kind=kLoop, calls=next"}), 10);
  EXPECT_EQ(TripsOf({.condition = "ROOT r = pred[] fusion(i, n), kind=kLoop, calls=less"}), 10);
  EXPECT_EQ(TripsOf({.condition = "m = TYPE[] copy(n) ROOT r = pred[] call(i, m), to_apply=less",
                     .entry = "u = STATE tuple(first, bound, x) t = STATE copy(u) "}),
            10);
}

TEST(TripCount, IsUnknownForLoopsOfAnotherForm) {
  EXPECT_EQ(TripsOf({.next = "j = TYPE[] multiply(i, three)"}), std::nullopt);
  EXPECT_EQ(TripsOf({.next = "j = TYPE[] add(i, n)"}), std::nullopt);
  EXPECT_EQ(TripsOf({.next = "j = TYPE[] add(n, one)"}), std::nullopt);
  EXPECT_EQ(TripsOf({.entry = "t = STATE tuple(p, bound, x) "}), std::nullopt);
  EXPECT_EQ(TripsOf({.entry = "t = STATE tuple(first, p, x) "}), std::nullopt);
  EXPECT_EQ(TripsOf({.bound = "-1", .condition = "ROOT r = pred[] compare(i, n), direction=NE"}),
            std::nullopt);                                           // 2^32 - 1 iterations
  EXPECT_EQ(TripsOf({.next = "j = TYPE[] copy(i)"}), std::nullopt);  // for ever
  EXPECT_EQ(TripsOf({.condition = "ROOT r = pred[] constant(true)"}), std::nullopt);
}

TEST(TripCount, CountersAreScalarIntegers) {
  EXPECT_EQ(TripsOf({.type = "f32"}), std::nullopt);
  const auto trips = [](absl::string_view type, absl::string_view state) {
    auto module = ParseModule(absl::StrReplaceAll(
        "HloModule m\n"
        "cond { s = (TYPE) parameter(0) i = TYPE get-tuple-element(s), index=0 n = TYPE ALL(3)\n"
        "  c = TYPE[0:]compare(i, n), direction=LT ROOT r = pred[] reshape(c) }\n"
        "body { s = (TYPE) parameter(0) i = TYPE get-tuple-element(s), index=0 o = TYPE ALL(1)\n"
        "  j = TYPE add(i, o) ROOT t = (TYPE) tuple(j) }\n"
        "ENTRY e { p = (TYPE) parameter(0) z = TYPE ALL(0) t = (TYPE) tuple(z)\n"
        "  ROOT w = (TYPE) while(STATE), condition=cond, body=body }\n",
        {{"STATE", state},
         {"TYPE[0:]", type == "s32[]" ? "pred[] " : "pred[1] "},
         {"reshape(c)", type == "s32[]" ? "copy(c)" : "reshape(c)"},
         {"ALL(3)", type == "s32[]" ? "constant(3)" : "constant({3})"},
         {"ALL(1)", type == "s32[]" ? "constant(1)" : "constant({1})"},
         {"ALL(0)", type == "s32[]" ? "constant(0)" : "constant({0})"},
         {"TYPE", type}}));
    EXPECT_TRUE(module.ok()) << module.status();
    return module.ok() ? TripCount(*(*module)->entry()->root()) : -1;
  };
  EXPECT_EQ(trips("s32[]", "t"), 3);
  EXPECT_EQ(trips("s32[]", "p"), std::nullopt);  // an argument of the module
  EXPECT_EQ(trips("s32[1]", "t"), std::nullopt);
}

TEST(TripCount, OfAtMostAMillion) {
  EXPECT_EQ(TripsOf({.bound = "1048576"}), 1048576);
  EXPECT_EQ(TripsOf({.bound = "1048577"}), std::nullopt);
}

// There are 2^60 ways through the sums that make the bound.
TEST(TripCount, GivesUpOnChainsOfSums) {
  std::string entry = "b0 = TYPE[] add(bound, bound) ";
  for (int i = 1; i < 60; ++i) {
    absl::StrAppend(&entry, "b", i, " = TYPE[] add(b", i - 1, ", b", i - 1, ") ");
  }
  EXPECT_EQ(TripsOf({.entry = absl::StrCat(entry, "t = STATE tuple(first, b59, x) ")}),
            std::nullopt);
  EXPECT_EQ(TripsOf({.entry = "b = TYPE[] add(bound, bound) t = STATE tuple(first, b, x) "}), 20);
}

}  // namespace
}  // namespace assay::analysis
