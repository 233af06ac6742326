// Decision W-10: windows that lie partly outside of the operand, in worked examples of
// ops_structural.md 4.2 and by hand.
#include "conformance/judge/scatter_windows.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

Literal Windows(const std::vector<int32_t>& values, const Dimensions& sizes) {
  Literal literal = Literal::Zeros(Shape(ElementType::kS32, sizes));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set(static_cast<int64_t>(i), {EncodeInteger(ElementType::kS32, values[i])});
  }
  return literal;
}

std::string WindowRegion(const char* root) {
  return absl::StrCat("f {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ", root, "\n}\n");
}
constexpr char kTakeUpdate[] = "ROOT r = s32[] copy(b)";
constexpr char kAddUpdate[] = "ROOT r = s32[] add(a, b)";

// "Ex window [2] on {0,0,0,0} at start -1 with {1,2}, overwrite: rule (a) all zeros, rule (b)
// {2,0,0,0}".
TEST(ScatterWindows, AtTheLowerEnd) {
  const Case scatter(
      "s32[4] scatter(p0, p1, p2), update_window_dims={0}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=f",
      {"s32[4]", "s32[1]", "s32[2]"}, WindowRegion(kTakeUpdate));
  const std::vector<Literal> operands = {Windows({0, 0, 0, 0}, {4}), Windows({-1}, {1}),
                                         Windows({1, 2}, {2})};
  const auto explain = [&](std::vector<int32_t> actual, const char* profile) {
    return scatter.Explain(operands, Windows(actual, {4}), profile);
  };
  EXPECT_EQ(explain({0, 0, 0, 0}, "cpu-strict"), "golden");
  for (const char* profile : {"cpu-strict", "xla-cpu", "gpu", "tpu-like", "opencl-full"}) {
    EXPECT_EQ(explain({2, 0, 0, 0}, profile), "implementation_defined") << profile;
  }
  EXPECT_EQ(explain({2, 0, 0, 0}, "golden"), "wrong");
  EXPECT_EQ(explain({1, 0, 0, 0}, "cpu-strict"), "wrong");
  EXPECT_EQ(explain({1, 2, 0, 0}, "cpu-strict"), "wrong");  // a start that is clamped
  EXPECT_EQ(explain({2, 0, 0, 1}, "cpu-strict"), "wrong");  // one that wraps
  const Judgement refused = scatter.Judge(operands, Windows({2, 0, 0, 0}, {4}), "golden");
  ASSERT_EQ(refused.evidence.size(), 1u);
  EXPECT_EQ(refused.evidence[0].reason.substr(0, 13), "decides W-10 ");
}

// The example of a window over the end of a row: rule (b) gives {{-1,1},{-2,2},{-10,10}} there.
TEST(ScatterWindows, AtTheUpperEnd) {
  const Case scatter(
      "s32[3,3,2] scatter(p0, p1, p2), update_window_dims={1,2}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=f",
      {"s32[3,3,2]", "s32[1,2]", "s32[1,2,2]"}, WindowRegion(kTakeUpdate));
  std::vector<int32_t> data = {-1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6, -7, 7, -8, 8, -9, 9};
  const std::vector<Literal> operands = {Windows(data, {3, 3, 2}), Windows({0, 2}, {1, 2}),
                                         Windows({-10, 10, -40, 40}, {1, 2, 2})};
  EXPECT_EQ(scatter.Explain(operands, operands[0], "cpu-strict"), "golden");
  data[4] = -10;
  // Half a window of elements is neither reading.
  EXPECT_EQ(scatter.Explain(operands, Windows(data, {3, 3, 2}), "cpu-strict"), "wrong");
  data[5] = 10;
  EXPECT_EQ(scatter.Explain(operands, Windows(data, {3, 3, 2}), "cpu-strict"),
            "implementation_defined");
  EXPECT_EQ(scatter.Explain(operands, Windows(data, {3, 3, 2}), "golden"), "wrong");
}

// Windows of 2 that start at -1, 1 and 3 of four cells, added: by elements {0+2, 3, 4, 5}; a start
// far away and one just outside add nothing.
TEST(ScatterWindows, AddUpWithThoseInside) {
  const Case scatter(
      "s32[4] scatter(p0, p1, p2), update_window_dims={1}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f",
      {"s32[4]", "s32[5]", "s32[5,2]"}, WindowRegion(kAddUpdate));
  const std::vector<Literal> operands = {Windows({10, 20, 30, 40}, {4}),
                                         Windows({-1, 1, 3, INT32_MAX, -2}, {5}),
                                         Windows({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {5, 2})};
  EXPECT_EQ(scatter.Explain(operands, Windows({10, 23, 34, 40}, {4}), "cpu-strict"), "golden");
  EXPECT_EQ(scatter.Explain(operands, Windows({12, 23, 34, 45}, {4}), "cpu-strict"),
            "implementation_defined");
  EXPECT_EQ(scatter.Explain(operands, Windows({12, 23, 34, 40}, {4}), "cpu-strict"), "wrong");
  EXPECT_EQ(scatter.Explain(operands, Windows({12, 23, 34, 46}, {4}), "cpu-strict"), "wrong");
}

// Where every window fits or none reaches the operand, the readings are the same.
TEST(ScatterWindows, NothingIsOpenElsewhere) {
  const Case scatter(
      "s32[4] scatter(p0, p1, p2), update_window_dims={1}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f",
      {"s32[4]", "s32[2]", "s32[2,2]"}, WindowRegion(kTakeUpdate));
  EXPECT_FALSE(ReadByElements(scatter.root(), Windows({0, 2}, {2})).has_value());
  EXPECT_FALSE(ReadByElements(scatter.root(), Windows({-2, 4}, {2})).has_value());
  EXPECT_TRUE(ReadByElements(scatter.root(), Windows({-1, 4}, {2})).has_value());
}

}  // namespace
}  // namespace assay::conformance
