// Orders that a specification leaves open, and random values: what one of them gives passes where
// the profile grants it, and nothing beside it. Examples of ops_structural.md 4.2, 5.1, 6.2, 6.3.
#include "conformance/judge/order_freedoms.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

Literal S32(const std::vector<int64_t>& values) {
  Literal literal = Literal::Zeros(Shape(ElementType::kS32, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set(static_cast<int64_t>(i), Element{static_cast<uint64_t>(values[i]) & 0xffffffff});
  }
  return literal;
}

std::string Less(const char* more = "") {
  return absl::StrCat(
      "less {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  c = s32[] parameter(2)\n"
      "  d = s32[] parameter(3)\n  ROOT s = pred[] compare(a, b), direction=LT",
      more, "\n}\n");
}

// Keys {2,1,2,1} with values {0,1,2,3}: {1,3} or {3,1}, then {0,2} or {2,0}.
TEST(JudgeOrders, UnstableSortsPermuteEqualKeys) {
  const std::vector<Literal> operands = {S32({2, 1, 2, 1}), S32({0, 1, 2, 3})};
  const Case sort("(s32[4], s32[4]) sort(p0, p1), dimensions={0}, to_apply=less",
                  {"s32[4]", "s32[4]"}, Less());
  const auto explain = [&](std::vector<int64_t> keys, std::vector<int64_t> values,
                           const char* profile = "xla-cpu") {
    return sort.Explain(operands, Literal::Tuple({S32(keys), S32(values)}), profile);
  };
  EXPECT_EQ(explain({1, 1, 2, 2}, {1, 3, 0, 2}), "golden");
  EXPECT_EQ(explain({1, 1, 2, 2}, {3, 1, 0, 2}), "unstable_order");
  EXPECT_EQ(explain({1, 1, 2, 2}, {3, 1, 2, 0}), "unstable_order");
  EXPECT_EQ(explain({1, 1, 2, 2}, {3, 1, 2, 0}, "golden"), "wrong");
  EXPECT_EQ(explain({1, 1, 2, 2}, {1, 0, 3, 2}), "wrong");  // values of other keys
  EXPECT_EQ(explain({1, 1, 2, 2}, {1, 1, 0, 2}), "wrong");  // one twice
  EXPECT_EQ(explain({1, 2, 1, 2}, {1, 0, 3, 2}), "wrong");  // not in order
  const Case stable("(s32[4], s32[4]) sort(p0, p1), dimensions={0}, is_stable=true, to_apply=less",
                    {"s32[4]", "s32[4]"}, Less());
  EXPECT_EQ(stable.Explain(operands, Literal::Tuple({S32({1, 1, 2, 2}), S32({3, 1, 0, 2})})),
            "wrong");
}

// Lines are judged one by one, here along the first dimension.
TEST(JudgeOrders, EveryLineHasItsOwnOrder) {
  const Shape shape(ElementType::kS32, {2, 2});
  const auto matrix = [&](std::vector<int64_t> values) { return S32(values).WithShape(shape); };
  const Case sort("(s32[2,2], s32[2,2]) sort(p0, p1), dimensions={0}, to_apply=less",
                  {"s32[2,2]", "s32[2,2]"}, Less());
  const std::vector<Literal> operands = {matrix({7, 5, 7, 4}), matrix({0, 1, 2, 3})};
  const auto judge = [&](std::vector<int64_t> values) {
    return sort.Judge(operands, Literal::Tuple({matrix({7, 4, 7, 5}), matrix(values)}));
  };
  EXPECT_EQ(judge({0, 3, 2, 1}).verdict, Verdict::kExact);
  EXPECT_EQ(judge({2, 3, 0, 1}).counts[static_cast<int>(Verdict::kAllowed)], 2);
  EXPECT_EQ(judge({2, 1, 0, 3}).counts[static_cast<int>(Verdict::kWrong)], 2);
}

// A comparison by < is not an order of NaNs: any permutation will do; by the total order only one.
TEST(JudgeOrders, NansInSortsWithoutATotalOrder) {
  const auto sort = [](const char* type) {
    return Case("f32[5] sort(p0), dimensions={0}, to_apply=less", {"f32[5]"},
                absl::StrCat("less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                             "  ROOT s = pred[] compare(a, b), direction=LT",
                             type, "\n}\n"));
  };
  const Literal operand = F32({3, kNan, 1, 2, 0});
  const Literal mixed = F32({3, kNan, 0, 1, 2});
  EXPECT_EQ(sort("").Explain({operand}, mixed), "unstable_order");
  EXPECT_EQ(sort("").Explain({operand}, F32({3, kNan, 0, 1, 1})), "wrong");
  // A stable one is no better off, but without NaN has one order.
  const Case stable("f32[5] sort(p0), dimensions={0}, is_stable=true, to_apply=less", {"f32[5]"},
                    "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                    "  ROOT s = pred[] compare(a, b), direction=LT\n}\n");
  EXPECT_EQ(stable.Explain({operand}, mixed), "unstable_order");
  EXPECT_EQ(stable.Explain({operand}, mixed, "golden"), "wrong");
  EXPECT_EQ(stable.Explain({operand}, F32({3, kNan, 0, 1, 1})), "wrong");
  EXPECT_EQ(stable.Explain({F32({0, -0.0, 1, 2, 3})}, F32({-0.0, 0, 1, 2, 3})), "wrong");
  EXPECT_EQ(sort(", type=TOTALORDER").Explain({operand}, mixed), "wrong");
}

// A NaN among the values that travel with the keys is no key: they have one order.
TEST(JudgeOrders, NansThatAreNoKeysLeaveTheOrder) {
  const auto judge = [](const char* stable, std::vector<int64_t> keys, std::vector<double> values) {
    const Case sort(
        absl::StrCat("(s32[4], f32[4]) sort(p0, p1), dimensions={0}, ", stable, "to_apply=less"),
        {"s32[4]", "f32[4]"},
        "less {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n"
        "  c = f32[] parameter(2)\n  d = f32[] parameter(3)\n  e = f32[] convert(a)\n"
        "  f = f32[] convert(b)\n  ROOT s = pred[] compare(e, f), direction=LT\n}\n");
    return sort.Explain({S32({3, 1, 2, 1}), F32({kNan, 1, 2, 3})},
                        Literal::Tuple({S32(keys), F32(values)}));
  };
  EXPECT_EQ(judge("", {1, 1, 2, 3}, {1, 3, 2, kNan}), "golden");
  EXPECT_EQ(judge("", {1, 1, 2, 3}, {3, 1, 2, kNan}), "unstable_order");
  EXPECT_EQ(judge("", {3, 1, 2, 1}, {kNan, 1, 2, 3}), "wrong");
  EXPECT_EQ(judge("is_stable=true, ", {1, 1, 2, 3}, {3, 1, 2, kNan}), "wrong");
}

// Where a comparison may take denormals for zero they are equal keys (ops_elementwise_and_types.md
// 3.3, "compare against 0 may be equal"); what is sorted keeps its bits.
TEST(JudgeOrders, DenormalsMayBeEqualKeys) {
  const auto sort = [](const char* more) {
    return Case(
        absl::StrCat("(f32[4], s32[4]) sort(p0, p1), dimensions={0}, ", more, "to_apply=less"),
        {"f32[4]", "s32[4]"},
        "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
        "  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n"
        "  ROOT s = pred[] compare(a, b), direction=LT\n}\n");
  };
  constexpr double kSmall = 0x1p-140, kSmaller = 0x1p-149;
  const std::vector<Literal> operands = {F32({kSmall, kSmaller, 0, -1}), S32({0, 1, 2, 3})};
  const auto judge = [&](const char* more, std::vector<double> keys, std::vector<int64_t> values,
                         const char* profile = "xla-cpu") {
    return sort(more).Explain(operands, Literal::Tuple({F32(keys), S32(values)}), profile);
  };
  for (const char* stable : {"", "is_stable=true, "}) {
    SCOPED_TRACE(stable);
    EXPECT_EQ(judge(stable, {-1, 0, kSmaller, kSmall}, {3, 2, 1, 0}), "golden");
    EXPECT_EQ(judge(stable, {-1, kSmall, kSmaller, 0}, {3, 0, 1, 2}), "denormals");
    EXPECT_EQ(judge(stable, {-1, kSmall, kSmaller, 0}, {3, 0, 1, 2}, "cpu-strict"), "wrong");
    EXPECT_EQ(judge(stable, {kSmall, kSmaller, 0, -1}, {0, 1, 2, 3}), "wrong");
    EXPECT_EQ(judge(stable, {-1, 0, 0, 0}, {3, 0, 1, 2}), "wrong");
  }
  EXPECT_EQ(judge("", {-1, kSmaller, kSmall, 0}, {3, 1, 0, 2}), "denormals");
  EXPECT_EQ(judge("is_stable=true, ", {-1, kSmaller, kSmall, 0}, {3, 1, 0, 2}), "wrong");
}

// `<=` puts equal keys before one another, which is not an order: any permutation will do (6.2).
TEST(JudgeOrders, AComparatorThatTakesEqualKeysOrdersNothing) {
  const Case sort("(s32[3], s32[3]) sort(p0, p1), dimensions={0}, is_stable=true, to_apply=least",
                  {"s32[3]", "s32[3]"},
                  "least {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n"
                  "  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n"
                  "  ROOT s = pred[] compare(a, b), direction=LE\n}\n");
  const std::vector<Literal> operands = {S32({7, 7, 5}), S32({0, 1, 2})};
  const auto explain = [&](std::vector<int64_t> keys, std::vector<int64_t> values,
                           const char* profile = "cpu-strict") {
    return sort.Explain(operands, Literal::Tuple({S32(keys), S32(values)}), profile);
  };
  EXPECT_EQ(explain({5, 7, 7}, {2, 1, 0}), "golden");
  EXPECT_EQ(explain({5, 7, 7}, {2, 0, 1}), "unstable_order");
  EXPECT_EQ(explain({5, 7, 7}, {2, 0, 1}, "golden"), "wrong");
  EXPECT_EQ(explain({7, 5, 7}, {2, 0, 1}), "wrong");
}

// {5,1,5} and {2,8,4} with k = 2; {7,7,7} with k = 1 has any index.
TEST(JudgeOrders, UnstableTopKTakesAnyOfEqualValues) {
  const auto topk = [](const char* stable) {
    return Case(absl::StrCat("(f32[2], s32[2]) topk(p0), k=2, largest=true", stable), {"f32[3]"});
  };
  const Literal operand = F32({5, 1, 5});
  const auto explain = [&](const Case& one, std::vector<int64_t> indices) {
    return one.Explain({operand}, Literal::Tuple({F32({5, 5}), S32(indices)}));
  };
  EXPECT_EQ(explain(topk(", is_stable=false"), {0, 2}), "golden");
  EXPECT_EQ(explain(topk(", is_stable=false"), {2, 0}), "unstable_order");
  EXPECT_EQ(explain(topk(", is_stable=false"), {0, 0}), "wrong");
  EXPECT_EQ(explain(topk(", is_stable=false"), {0, 1}), "wrong");
  EXPECT_EQ(explain(topk(""), {2, 0}), "wrong");
}

// The larger of two values with its index, the first where `a KEEPS b`.
std::string Larger(const char* keeps) {
  return absl::StrCat(
      "larger {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n  b = f32[] parameter(2)\n"
      "  j = s32[] parameter(3)\n  k = pred[] compare(a, b), direction=",
      keeps,
      "\n  v = f32[] select(k, a, b)\n  w = s32[] select(k, i, j)\n"
      "  ROOT t = (f32[], s32[]) tuple(v, w)\n}\n");
}

// Argmax of {3,9,9,1}, "keep first if a >= b": 1, by another order 2.
TEST(JudgeOrders, FoldsThatSelectMayReturnAnyOfEqualElements) {
  const Case argmax("(f32[], s32[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=larger",
                    {"f32[4]", "s32[4]", "f32[]", "s32[]"}, Larger("GE"));
  const std::vector<Literal> operands = {F32({3, 9, 9, 1}), S32({0, 1, 2, 3}), Scalar(-kInf),
                                         S32({0}).WithShape(Shape(ElementType::kS32, {}))};
  const auto explain = [&](double value, int64_t index, const char* profile = "xla-cpu") {
    return argmax.Explain(
        operands,
        Literal::Tuple({Scalar(value), S32({index}).WithShape(Shape(ElementType::kS32, {}))}),
        profile);
  };
  EXPECT_EQ(explain(9, 1), "golden");
  EXPECT_EQ(explain(9, 2), "reassociation");
  EXPECT_EQ(explain(9, 2, "golden"), "wrong");
  EXPECT_EQ(explain(9, 3), "wrong");
  EXPECT_EQ(explain(3, 0), "wrong");
}

// The key need not come first.
TEST(JudgeOrders, FoldsThatSelectByTheirSecondArray) {
  const Case argmax(
      "(s32[], f32[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=larger",
      {"s32[4]", "f32[4]", "s32[]", "f32[]"},
      "larger {\n  i = s32[] parameter(0)\n  a = f32[] parameter(1)\n  j = s32[] parameter(2)\n"
      "  b = f32[] parameter(3)\n  k = pred[] compare(a, b), direction=GE\n"
      "  w = s32[] select(k, i, j)\n  v = f32[] select(k, a, b)\n"
      "  ROOT t = (s32[], f32[]) tuple(w, v)\n}\n");
  const auto s32 = [](int64_t value) {
    return S32({value}).WithShape(Shape(ElementType::kS32, {}));
  };
  const std::vector<Literal> operands = {S32({0, 1, 2, 3}), F32({3, 9, 9, 1}), s32(0),
                                         Scalar(-kInf)};
  EXPECT_EQ(argmax.Explain(operands, Literal::Tuple({s32(2), Scalar(9)})), "reassociation");
  EXPECT_EQ(argmax.Explain(operands, Literal::Tuple({s32(0), Scalar(3)})), "wrong");
}

// {-inf, -inf} with {4, 5} from -inf with 9, "keep first if a > b": the last of equal elements, in
// the golden order 5. The start value may come last as well, or nowhere, but brings no value of its
// own beside its index.
TEST(JudgeOrders, FoldsThatSelectMayReturnTheirStartValue) {
  const Case argmax("(f32[], s32[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=larger",
                    {"f32[2]", "s32[2]", "f32[]", "s32[]"}, Larger("GT"));
  const Case first("(f32[], s32[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=larger",
                   {"f32[2]", "s32[2]", "f32[]", "s32[]"}, Larger("GE"));
  const auto index = [](int64_t value) {
    return S32({value}).WithShape(Shape(ElementType::kS32, {}));
  };
  const auto explain = [&](const Case& one, float least, int64_t taken,
                           const char* profile = "cpu-strict") {
    return one.Explain({F32({least, least}), S32({4, 5}), Scalar(-kInf), index(9)},
                       Literal::Tuple({Scalar(least), index(taken)}), profile);
  };
  EXPECT_EQ(explain(argmax, -kInf, 5), "golden");
  EXPECT_EQ(explain(argmax, -kInf, 4), "reassociation");
  EXPECT_EQ(explain(argmax, -kInf, 9), "reassociation");
  EXPECT_EQ(explain(argmax, -kInf, 9, "golden"), "wrong");
  EXPECT_EQ(explain(argmax, -kInf, 6), "wrong");
  EXPECT_EQ(explain(argmax, 1, 9), "wrong");
  EXPECT_EQ(explain(first, -kInf, 9), "golden");
  EXPECT_EQ(explain(first, -kInf, 4), "reassociation");
  EXPECT_EQ(explain(first, -kInf, 8), "wrong");
}

// Denormals may be equal elements, which keep their bits.
TEST(JudgeOrders, FoldsThatSelectMayTakeDenormalsForZero) {
  const Case argmax("(f32[], s32[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=larger",
                    {"f32[3]", "s32[3]", "f32[]", "s32[]"}, Larger("GE"));
  const auto explain = [&](double value, int64_t index, const char* profile = "xla-cpu") {
    const auto at = [](int64_t k) { return S32({k}).WithShape(Shape(ElementType::kS32, {})); };
    return argmax.Explain({F32({0x1p-140, 0x1p-139, -1}), S32({0, 1, 2}), Scalar(-kInf), at(9)},
                          Literal::Tuple({Scalar(value), at(index)}), profile);
  };
  EXPECT_EQ(explain(0x1p-139, 1), "golden");
  EXPECT_EQ(explain(0x1p-140, 0), "denormals");
  EXPECT_EQ(explain(0x1p-140, 0, "cpu-strict"), "wrong");
  EXPECT_EQ(explain(0x1p-140, 1), "wrong");
  EXPECT_EQ(explain(-1, 2), "wrong");
}

// Windows of two over {3, 9, 9}, with a cell of padding in front: the last of equal elements is 2.
TEST(JudgeOrders, WindowsSelectAnyOfEqualElements) {
  const Case pool(
      "(f32[3], s32[3]) reduce-window(p0, p1, p2, p3), window={size=2 pad=1_0}, to_apply=larger",
      {"f32[3]", "s32[3]", "f32[]", "s32[]"}, Larger("GT"));
  const std::vector<Literal> operands = {F32({3, 9, 9}), S32({0, 1, 2}), Scalar(-kInf),
                                         S32({-1}).WithShape(Shape(ElementType::kS32, {}))};
  const auto explain = [&](std::vector<int64_t> indices, const char* profile = "cpu-strict") {
    return pool.Explain(operands, Literal::Tuple({F32({3, 9, 9}), S32(indices)}), profile);
  };
  EXPECT_EQ(explain({0, 1, 2}), "golden");
  EXPECT_EQ(explain({0, 1, 1}), "reassociation");
  EXPECT_EQ(explain({0, 1, 1}, "golden"), "wrong");
  EXPECT_EQ(explain({0, 2, 2}), "wrong");  // of another window
  EXPECT_EQ(explain({0, 0, 2}), "wrong");
  EXPECT_EQ(explain({-1, 1, 2}), "wrong");
}

// A maximum by > takes any zero of equal ones; of {1, NaN, 2} it gives 2 in the golden order, 1
// or NaN in others, which is not an order to judge by, and nothing that is not there.
TEST(JudgeOrders, FoldsThatSelectAmongZerosAndNans) {
  const Case larger("f32[] reduce(p0, p1), dimensions={0}, to_apply=larger", {"f32[3]", "f32[]"},
                    "larger {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                    "  k = pred[] compare(a, b), direction=GT\n  ROOT v = f32[] select(k, a, b)\n"
                    "}\n");
  const std::vector<Literal> zeros = {F32({-1, -0.0, 0}), Scalar(-kInf)};
  EXPECT_EQ(larger.Explain(zeros, Scalar(0)), "golden");
  EXPECT_EQ(larger.Explain(zeros, Scalar(-0.0)), "reassociation");
  EXPECT_EQ(larger.Explain(zeros, Scalar(-0.0), "golden"), "wrong");
  EXPECT_EQ(larger.Explain(zeros, Scalar(-1)), "wrong");
  const std::vector<Literal> nans = {F32({1, kNan, 2}), Scalar(0)};
  EXPECT_EQ(larger.Explain(nans, Scalar(2)), "golden");
  EXPECT_EQ(larger.Explain(nans, Scalar(1)), "not judgeable");
  EXPECT_EQ(larger.Explain(nans, Scalar(1), "golden"), "wrong");
  EXPECT_EQ(larger.Explain(nans, Scalar(3)), "wrong");
}

// "Add an index tie-break to make it exact" (5.1): of {1,5,5,2} the first 5 in every order.
// f(a, x) = a > x ? a : 0 from 9: whatever comes before 9 makes 0 of it.
TEST(JudgeOrders, AGivenConstantIsNotASelection) {
  const Case reduce("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[3]", "f32[]"},
                    "f {\n  a = f32[] parameter(0)\n  x = f32[] parameter(1)\n"
                    "  o = f32[] constant(0)\n  keep = pred[] compare(a, x), direction=GT\n"
                    "  ROOT r = f32[] select(keep, a, o)\n}\n");
  const std::vector<Literal> operands = {F32({1, 2, 3}), Scalar(9)};
  EXPECT_EQ(reduce.Explain(operands, Scalar(9), "cpu-strict"), "golden");
  EXPECT_EQ(reduce.Explain(operands, Scalar(0), "cpu-strict"), "not judgeable");
  EXPECT_EQ(reduce.Explain(operands, Scalar(0), "golden"), "wrong");
}

TEST(JudgeOrders, ATieBreakLeavesNothingOpen) {
  const Case argmax(
      "(f32[2], s32[2]) reduce(p0, p1, p2, p3), dimensions={1}, to_apply=larger",
      {"f32[2,4]", "s32[2,4]", "f32[]", "s32[]"},
      "larger {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n  b = f32[] parameter(2)\n"
      "  j = s32[] parameter(3)\n  gt = pred[] compare(a, b), direction=GT\n"
      "  eq = pred[] compare(a, b), direction=EQ\n  lt = pred[] compare(i, j), direction=LT\n"
      "  tie = pred[] and(eq, lt)\n  k = pred[] or(gt, tie)\n"
      "  v = f32[] select(k, a, b)\n  w = s32[] select(k, i, j)\n"
      "  ROOT t = (f32[], s32[]) tuple(v, w)\n}\n");
  const std::vector<Literal> operands = {
      F32({1, 5, 5, 2, 7, 3, 2, 1}).WithShape(Shape(ElementType::kF32, {2, 4})),
      S32({0, 1, 2, 3, 0, 1, 2, 3}).WithShape(Shape(ElementType::kS32, {2, 4})), Scalar(-kInf),
      S32({0}).WithShape(Shape(ElementType::kS32, {}))};
  const auto explain = [&](std::vector<int64_t> indices) {
    return argmax.Explain(operands, Literal::Tuple({F32({5, 7}), S32(indices)}));
  };
  EXPECT_EQ(explain({1, 0}), "golden");
  EXPECT_EQ(explain({2, 0}), "wrong");
  EXPECT_EQ(explain({1, 1}), "wrong");
}

std::string Scatter(const char* computation) {
  return absl::StrCat(
      "f32[3] scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=",
      computation);
}

constexpr char kTake[] = "take {\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n";
constexpr char kDigits[] =
    "digits {\n  a = f32[] parameter(0)\n  x = f32[] parameter(1)\n  ten = f32[] constant(10)\n"
    "  s = f32[] multiply(a, ten)\n  ROOT r = f32[] add(s, x)\n}\n";

// Cell 1 takes 10, 70 or 20, whichever comes last; cell 2 only 30, as 40 falls outside.
TEST(JudgeOrders, ScattersThatOverwriteTakeAnyUpdate) {
  const Case scatter(Scatter("take"), {"f32[3]", "s32[5,1]", "f32[5]"}, kTake);
  const std::vector<Literal> operands = {
      F32({1, 2, 3}), S32({1, 1, 1, 2, 7}).WithShape(Shape(ElementType::kS32, {5, 1})),
      F32({10, 70, 20, 30, 40})};
  const auto explain = [&](std::vector<double> cells, const char* profile = "xla-cpu") {
    return scatter.Explain(operands, F32(cells), profile);
  };
  EXPECT_EQ(explain({1, 20, 30}), "golden");
  EXPECT_EQ(explain({1, 10, 30}), "scatter_order");
  EXPECT_EQ(explain({1, 70, 30}), "scatter_order");
  EXPECT_EQ(explain({1, 10, 30}, "golden"), "wrong");
  EXPECT_EQ(explain({1, 2, 30}), "wrong");
  EXPECT_EQ(explain({1, 40, 30}), "wrong");
  EXPECT_EQ(explain({1, 20, 3}), "wrong");
}

// 1e-40 counts as zero beside 0, and keeps its place in front of it.
TEST(JudgeOrders, StableSortsOfOneArrayMayFlushItsKeys) {
  const Case sort("f32[3] sort(p0), dimensions={0}, is_stable=true, to_apply=less", {"f32[3]"},
                  "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                  "  ROOT s = pred[] compare(a, b), direction=LT\n}\n");
  const std::vector<Literal> operands = {F32({1e-40, 0, -1})};
  EXPECT_EQ(sort.Explain(operands, F32({-1, 0, 1e-40})), "golden");
  EXPECT_EQ(sort.Explain(operands, F32({-1, 1e-40, 0})), "denormals");
  EXPECT_EQ(sort.Explain(operands, F32({-1, 1e-40, 0}), "cpu-strict"), "wrong");
  EXPECT_EQ(sort.Explain(operands, F32({1e-40, -1, 0})), "wrong");
}

// The last cell is one of the data, and seven updates are more than are put in every order.
TEST(JudgeOrders, ManyUpdatesOverwriteTheLastCell) {
  const Case scatter(Scatter("take"), {"f32[3]", "s32[7,1]", "f32[7]"}, kTake);
  const std::vector<Literal> operands = {
      F32({1, 2, 3}), S32({2, 2, 2, 2, 2, 2, 2}).WithShape(Shape(ElementType::kS32, {7, 1})),
      F32({10, 20, 30, 40, 50, 60, 70})};
  EXPECT_EQ(scatter.Explain(operands, F32({1, 2, 70})), "golden");
  for (const double each : {10, 30, 60}) {
    EXPECT_EQ(scatter.Explain(operands, F32({1, 2, each})), "scatter_order") << each;
  }
  EXPECT_EQ(scatter.Explain(operands, F32({1, 2, 3})), "wrong");
  EXPECT_EQ(scatter.Explain(operands, F32({1, 2, 35})), "wrong");
}

// f(a, x) = 10 a + x from 1: 1345 for 3, 4, 5; every order of the digits, each once.
TEST(JudgeOrders, ScattersApplyUpdatesInSomeOrder) {
  const Case scatter(Scatter("digits"), {"f32[3]", "s32[3,1]", "f32[3]"}, kDigits);
  const std::vector<Literal> operands = {
      F32({1, 2, 3}), S32({0, 0, 0}).WithShape(Shape(ElementType::kS32, {3, 1})), F32({3, 4, 5})};
  EXPECT_EQ(scatter.Explain(operands, F32({1345, 2, 3})), "golden");
  for (const double order : {1354., 1435., 1453., 1534., 1543.}) {
    EXPECT_EQ(scatter.Explain(operands, F32({order, 2, 3}), "cpu-strict"), "scatter_order");
  }
  for (const double never : {1344., 1333., 134., 5431.}) {
    EXPECT_EQ(scatter.Explain(operands, F32({never, 2, 3}), "cpu-strict"), "wrong") << never;
  }
}

TEST(JudgeOrders, TooManyCollisionsAreNotJudgeable) {
  const Case scatter(Scatter("digits"), {"f32[3]", "s32[6,1]", "f32[6]"}, kDigits);
  const std::vector<Literal> operands = {
      F32({0, 2, 3}), S32({0, 0, 0, 0, 0, 0}).WithShape(Shape(ElementType::kS32, {6, 1})),
      F32({1, 2, 3, 4, 5, 6})};
  EXPECT_EQ(scatter.Explain(operands, F32({654321, 2, 3})), "not judgeable");
  EXPECT_EQ(scatter.Explain(operands, F32({654321, 2, 3}), "golden"), "wrong");
}

TEST(JudgeRandom, OnlyTheDistributionIsSpecified) {
  const Case uniform("f32[2] rng(p0, p1), distribution=rng_uniform", {"f32[]", "f32[]"});
  const std::vector<Literal> range = {Scalar(-1), Scalar(2)};
  const auto explain = [&](double a, double b, const char* profile = "xla-cpu") {
    return uniform.Explain(range, F32({a, b}), profile);
  };
  EXPECT_EQ(explain(-1, 1.75), "random");
  EXPECT_EQ(explain(-1, 1.75, "golden"), "wrong");
  EXPECT_EQ(explain(-1.5, 1.75), "wrong");
  EXPECT_EQ(explain(0, kNan), "wrong");
  const Case bits("(u64[2], u32[2]) rng-bit-generator(p0), algorithm=rng_default", {"u64[2]"});
  const auto words = [](ElementType type, uint64_t a, uint64_t b) {
    Literal literal = Literal::Zeros(Shape(type, {2}));
    literal.Set(0, Element{a});
    literal.Set(1, Element{b});
    return literal;
  };
  const Literal state = words(ElementType::kU64, 1, 2);
  const Literal other = Literal::Tuple(
      {words(ElementType::kU64, 5, 6), words(ElementType::kU32, 0x9e3779b9, 0x85ebca6b)});
  EXPECT_EQ(bits.Explain({state}, other), "random");
  const Case named("(u64[2], u32[2]) rng-bit-generator(p0), algorithm=rng_three_fry", {"u64[2]"});
  EXPECT_EQ(named.Explain({state}, other), "wrong");
}

// f8e8m0fnu has no negative numbers, and f8e4m3fn has NaN for what exceeds 448.
TEST(JudgeRandom, NormalNumbersThatTheTypeCannotRepresent) {
  const auto filled = [](ElementType type, Dimensions sizes, double x) {
    Literal literal = Literal::Zeros(Shape(type, std::move(sizes)));
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      literal.Set(i, Element{EncodeFloat(type, x)});
    }
    return literal;
  };
  const auto explain = [&](ElementType type, double mean, double deviation, double x) {
    const std::string scalar = absl::StrCat(Name(type), "[]");
    const Case normal(absl::StrCat(Name(type), "[64] rng(p0, p1), distribution=rng_normal"),
                      {scalar, scalar});
    return normal.Explain({filled(type, {}, mean), filled(type, {}, deviation)},
                          filled(type, {64}, x));
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(explain(ElementType::kF8E8M0FNU, 1, 2, kNan), "random");
  EXPECT_EQ(explain(ElementType::kF8E8M0FNU, 1024, 2, kNan), "wrong");
  EXPECT_EQ(explain(ElementType::kF8E4M3FN, 400, 100, kNan), "random");
  EXPECT_EQ(explain(ElementType::kF8E4M3FN, 0, 1, kNan), "wrong");
  EXPECT_EQ(explain(ElementType::kF16, 60000, 1000, infinity), "random");
  EXPECT_EQ(explain(ElementType::kF16, 60000, 1000, -infinity), "wrong");
  EXPECT_EQ(explain(ElementType::kF16, 60000, 1000, kNan), "wrong");
}

// A sum, a maximum and a least element with its index side by side: what is known of each of them.
TEST(JudgeOrders, ReducersThatComeApartAreJudgedByTheirParts) {
  const std::vector<std::string> parameters = {"f32[4]", "f32[4]", "f32[4]", "s32[4]",
                                               "f32[]",  "f32[]",  "f32[]",  "s32[]"};
  const Case reduce(
      "(f32[], f32[], f32[], s32[]) reduce(p0, p1, p2, p3, p4, p5, p6, p7), dimensions={0}, "
      "to_apply=f",
      parameters,
      "f {\n  a0 = f32[] parameter(0)\n  a1 = f32[] parameter(1)\n  a2 = f32[] parameter(2)\n"
      "  a3 = s32[] parameter(3)\n  x0 = f32[] parameter(4)\n  x1 = f32[] parameter(5)\n"
      "  x2 = f32[] parameter(6)\n  x3 = s32[] parameter(7)\n  s = f32[] add(a0, x0)\n"
      "  m = f32[] maximum(a1, x1)\n  keep = pred[] compare(a2, x2), direction=LE\n"
      "  v = f32[] select(keep, a2, x2)\n  i = s32[] select(keep, a3, x3)\n"
      "  ROOT r = (f32[], f32[], f32[], s32[]) tuple(s, m, v, i)\n}\n");
  const auto s32 = [](std::vector<uint64_t> values, const Dimensions& sizes) {
    Literal literal = Literal::Zeros(Shape(ElementType::kS32, sizes));
    for (size_t k = 0; k < values.size(); ++k) literal.Set(static_cast<int64_t>(k), {values[k]});
    return literal;
  };
  // 1 + 2^-24 + 2^-24 is 1 + 2^-23 exactly and from the right, but 1 from the left.
  const std::vector<Literal> operands = {F32({1, 0x1p-24, 0x1p-24, 0}),
                                         F32({3, 4, 5, 1}),
                                         F32({7, 2, 2, 9}),
                                         s32({0, 1, 2, 3}, {4}),
                                         Scalar(0),
                                         Scalar(-kInf),
                                         Scalar(kInf),
                                         s32({99}, {})};
  const auto explain = [&](double sum, double most, double least, uint64_t index,
                           const char* profile = "cpu-strict") {
    return reduce.Explain(
        operands, Literal::Tuple({Scalar(sum), Scalar(most), Scalar(least), s32({index}, {})}),
        profile);
  };
  EXPECT_EQ(explain(1 + 0x1p-23, 5, 2, 1), "golden");
  EXPECT_EQ(explain(1, 5, 2, 1), "reassociation");
  EXPECT_EQ(explain(1, 5, 2, 1, "golden"), "wrong");
  // 3 * 2^-24 of the exact sum.
  EXPECT_EQ(explain(1 + 0x1p-22, 5, 2, 1), "reassociation");
  EXPECT_EQ(explain(1 + 0x1p-21, 5, 2, 1), "wrong");
  EXPECT_EQ(explain(1, Step(5, 1), 2, 1), "wrong");
  // Either of the equal elements; not another, and no value with the index of another.
  EXPECT_EQ(explain(1, 5, 2, 2), "reassociation");
  EXPECT_EQ(explain(1, 5, 2, 3), "wrong");
  EXPECT_EQ(explain(1, 5, 7, 0), "wrong");
}

// Elements of one result in the other: nothing comes apart.
TEST(JudgeOrders, ReducersThatMixTheirResultsAreNotJudgeable) {
  const Case reduce("(f32[], f32[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=f",
                    {"f32[2]", "f32[2]", "f32[]", "f32[]"},
                    "f {\n  a0 = f32[] parameter(0)\n  a1 = f32[] parameter(1)\n"
                    "  x0 = f32[] parameter(2)\n  x1 = f32[] parameter(3)\n"
                    "  s = f32[] add(a0, x1)\n  t = f32[] add(a1, x0)\n"
                    "  ROOT r = (f32[], f32[]) tuple(s, t)\n}\n");
  const std::vector<Literal> operands = {F32({1, 2}), F32({3, 4}), Scalar(0), Scalar(0)};
  EXPECT_EQ(reduce.Explain(operands, Literal::Tuple({Scalar(3), Scalar(7)})), "not judgeable");
}

}  // namespace
}  // namespace assay::conformance
