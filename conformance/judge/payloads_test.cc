// Moves of floats below 32 bits that change the payloads of NaNs (decision N-2.1): a NaN stays a
// NaN and a number the number, and sorts and top-k may have lost the payloads before they compare.
#include "conformance/judge/given_nans.h"
#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

Literal Bits(ElementType type, const std::vector<uint64_t>& values) {
  Literal literal = Literal::Zeros(Shape(type, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) literal.Set(static_cast<int64_t>(i), {values[i], 0});
  return literal;
}

Literal BF16(const std::vector<uint64_t>& values) { return Bits(ElementType::kBF16, values); }
Literal S32(const std::vector<uint64_t>& values) { return Bits(ElementType::kS32, values); }

TEST(JudgePayloads, ANarrowNanStaysANanOfItsSign) {
  const Literal operand = BF16({0x7fc6, 0xffd1, 0x3f80, 0x7f80});
  for (const char* move : {"copy(p0)", "reverse(p0), dimensions={0}"}) {
    const Case moved(absl::StrCat("bf16[4] ", move), {"bf16[4]"});
    const auto explain = [&](std::vector<uint64_t> bits, const char* profile) {
      if (move[0] == 'r') std::reverse(bits.begin(), bits.end());
      return moved.Explain({operand}, BF16(bits), profile);
    };
    const std::vector<uint64_t> canonical = {0x7fc0, 0xffc0, 0x3f80, 0x7f80};
    EXPECT_EQ(explain(canonical, "xla-cpu"), "nan_payload");
    for (const char* strict : {"golden", "cpu-strict", "cpu", "cuda", "gpu"}) {
      EXPECT_EQ(explain(canonical, strict), "wrong") << strict;
    }
    EXPECT_EQ(explain({0xffc0, 0xffc0, 0x3f80, 0x7f80}, "xla-cpu"), "wrong");  // the other sign
    EXPECT_EQ(explain({0x7f80, 0xffc0, 0x3f80, 0x7f80}, "xla-cpu"), "wrong");  // infinity
    EXPECT_EQ(explain({0x7fc0, 0xffc0, 0x7fc0, 0x7f80}, "xla-cpu"), "wrong");  // of a number
    EXPECT_EQ(explain({0x7fc0, 0xffc0, 0x3f80, 0x7fc0}, "xla-cpu"), "wrong");  // of infinity
  }
}

TEST(JudgePayloads, ByteNansMayLoseTheirSignAndWideOnesNothing) {
  const Case bytes("f8e5m2[2] copy(p0)", {"f8e5m2[2]"});
  const Literal operand = Bits(ElementType::kF8E5M2, {0xfe, 0x7c});
  EXPECT_EQ(bytes.Explain({operand}, Bits(ElementType::kF8E5M2, {0x7f, 0x7c})), "nan_payload");
  EXPECT_EQ(bytes.Explain({operand}, Bits(ElementType::kF8E5M2, {0x7f, 0x7c}), "cpu-strict"),
            "wrong");
  EXPECT_EQ(bytes.Explain({operand}, Bits(ElementType::kF8E5M2, {0x7c, 0x7c})), "wrong");
  EXPECT_EQ(bytes.Explain({operand}, Bits(ElementType::kF8E5M2, {0x7f, 0x7f})), "wrong");
  const Case wide("f32[1] copy(p0)", {"f32[1]"});
  EXPECT_EQ(
      wide.Explain({Bits(ElementType::kF32, {0x7fc00001})}, Bits(ElementType::kF32, {0x7fc00000})),
      "wrong");
}

constexpr char kTotalOrder[] =
    "less {\n  a = bf16[] parameter(0)\n  b = bf16[] parameter(1)\n  c = s32[] parameter(2)\n"
    "  d = s32[] parameter(3)\n"
    "  ROOT s = pred[] compare(a, b), direction=LT, type=TOTALORDER\n}\n";

// NaN, 2, NaN with a smaller payload, -NaN, 1. By their bits the third comes before the first; with
// one payload they keep their order, or in an unstable sort come in any.
TEST(JudgePayloads, SortsMayCompareWithoutPayloads) {
  const std::vector<Literal> operands = {BF16({0x7fc6, 0x4000, 0x7fc1, 0xffc3, 0x3f80}),
                                         S32({0, 1, 2, 3, 4})};
  const std::string sort = "(bf16[5], s32[5]) sort(p0, p1), dimensions={0}, to_apply=less";
  const Case stable(sort + ", is_stable=true", {"bf16[5]", "s32[5]"}, kTotalOrder);
  const Case unstable(sort, {"bf16[5]", "s32[5]"}, kTotalOrder);
  const auto result = [](const std::vector<uint64_t>& keys, const std::vector<uint64_t>& values) {
    return Literal::Tuple({BF16(keys), S32(values)});
  };
  const Literal golden = result({0xffc3, 0x3f80, 0x4000, 0x7fc1, 0x7fc6}, {3, 4, 1, 2, 0});
  EXPECT_EQ(stable.Explain(operands, golden), "golden");
  const std::vector<uint64_t> keys = {0xffc0, 0x3f80, 0x4000, 0x7fc0, 0x7fc0};
  EXPECT_EQ(stable.Explain(operands, result(keys, {3, 4, 1, 0, 2})), "nan_payload");
  EXPECT_EQ(stable.Explain(operands, result(keys, {3, 4, 1, 0, 2}), "cpu-strict"), "wrong");
  EXPECT_EQ(unstable.Explain(operands, result(keys, {3, 4, 1, 0, 2})), "nan_payload");
  EXPECT_EQ(unstable.Explain(operands, result(keys, {3, 4, 1, 2, 0})), "nan_payload");
  EXPECT_EQ(stable.Explain(operands, result(keys, {3, 4, 0, 1, 2})), "wrong");  // of other keys
  EXPECT_EQ(stable.Explain(operands, result(keys, {3, 4, 1, 0, 0})), "wrong");  // one twice
  // A number among the NaNs, and the negative NaN behind the numbers.
  EXPECT_EQ(
      stable.Explain(operands, result({0xffc0, 0x3f80, 0x7fc0, 0x4000, 0x7fc0}, {3, 4, 0, 1, 2})),
      "wrong");
  EXPECT_EQ(
      stable.Explain(operands, result({0x3f80, 0x4000, 0x7fc0, 0x7fc0, 0x7fc0}, {4, 1, 0, 2, 3})),
      "wrong");
}

// Of the two lines the second has a NaN with a payload, which is kept; in the first, equal keys are
// swapped.
TEST(JudgePayloads, SwapsBesideANanNeedNoPayloads) {
  const Case unstable("(bf16[2,3], s32[2,3]) sort(p0, p1), dimensions={1}, to_apply=less",
                      {"bf16[2,3]", "s32[2,3]"}, kTotalOrder);
  const auto rows = [](const Literal& line) {
    return line.WithShape(Shape(line.element_type(), {2, 3}));
  };
  const Literal keys = rows(BF16({0x4000, 0x3f80, 0x3f80, 0x7fc1, 0x4040, 0x4040}));
  const Literal sorted = rows(BF16({0x3f80, 0x3f80, 0x4000, 0x4040, 0x4040, 0x7fc1}));
  const std::vector<Literal> operands = {keys, rows(S32({0, 1, 2, 3, 4, 5}))};
  const auto explain = [&](const Literal& of_keys, const std::vector<uint64_t>& values) {
    return unstable.Explain(operands, Literal::Tuple({of_keys, rows(S32(values))}));
  };
  EXPECT_EQ(explain(sorted, {1, 2, 0, 4, 5, 3}), "golden");
  EXPECT_EQ(explain(sorted, {2, 1, 0, 4, 5, 3}), "unstable_order");
  EXPECT_EQ(explain(sorted, {1, 2, 0, 5, 4, 3}), "unstable_order");
  const Literal canonical = rows(BF16({0x3f80, 0x3f80, 0x4000, 0x4040, 0x4040, 0x7fc0}));
  EXPECT_EQ(explain(canonical, {2, 1, 0, 4, 5, 3}), "nan_payload unstable_order");
}

TEST(JudgePayloads, TopKMayCompareWithoutPayloads) {
  const Case top("(bf16[3], s32[3]) topk(p0), k=3, largest=true", {"bf16[5]"});
  const std::vector<Literal> operands = {BF16({0x7fc1, 0x4000, 0x7fc6, 0xffc3, 0x3f80})};
  const auto result = [](const std::vector<uint64_t>& values, const std::vector<uint64_t>& places) {
    return Literal::Tuple({BF16(values), S32(places)});
  };
  EXPECT_EQ(top.Explain(operands, result({0x7fc6, 0x7fc1, 0x4000}, {2, 0, 1})), "golden");
  EXPECT_EQ(top.Explain(operands, result({0x7fc0, 0x7fc0, 0x4000}, {0, 2, 1})), "nan_payload");
  EXPECT_EQ(top.Explain(operands, result({0x7fc0, 0x7fc0, 0x4000}, {0, 2, 1}), "cpu-strict"),
            "wrong");
  EXPECT_EQ(top.Explain(operands, result({0x7fc0, 0x7fc0, 0x4000}, {0, 0, 1})), "wrong");
  EXPECT_EQ(top.Explain(operands, result({0x7fc0, 0x7fc0, 0x4000}, {0, 3, 1})), "wrong");
  EXPECT_EQ(top.Explain(operands, result({0x7fc0, 0x4000, 0x3f80}, {0, 1, 4})), "wrong");
}

}  // namespace
}  // namespace assay::conformance
