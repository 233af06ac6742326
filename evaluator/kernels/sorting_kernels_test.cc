// Sorts and topk against the definition.
#include <string>
#include <utility>
#include <vector>

#include "evaluator/kernels/differential.h"
#include "spec/testing/schedule.h"

namespace assay::evaluator {
namespace {

std::string Comparator(ElementType type, const std::string& root) {
  const std::string t = ShapeText(type, "");
  return absl::StrCat("f {\n  a = ", t, " parameter(0)\n  b = ", t,
                      " parameter(1)\n  ROOT c = ", "pred[] ", root, "\n}\n");
}

TEST(SortingKernels, SortsEveryType) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    if (IsComplex(type)) continue;
    std::vector<std::string> roots;
    for (const std::string direction : {"LT", "GT", "LE", "GE", "EQ"}) {
      roots.push_back("compare(a, b), direction=" + direction);
      if (IsFloat(type)) roots.push_back(roots.back() + ", type=TOTALORDER");
    }
    roots.push_back("compare(b, a), direction=LT");
    for (const std::string& root : roots) {
      for (const auto& [sizes, dimension] :
           {std::pair<std::string, int>{"17", 0}, {"5,9", 1}, {"9,5", 0}, {"0", 0}, {"300", 0}}) {
        differential.Check({absl::StrCat(ShapeText(type, sizes), " sort(p0), dimensions={",
                                         dimension, "}, is_stable=true, to_apply=f"),
                            {ShapeText(type, sizes)},
                            Comparator(type, root),
                            {}});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

// What JAX writes: NaNs are one, zeros are one, then the total order; with values that follow.
constexpr char kJaxComparator[] = R"(f {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  zero = f32[] constant(0)
  quiet = f32[] constant(nan)
  az = pred[] compare(a, zero), direction=EQ
  a1 = f32[] select(az, zero, a)
  an = pred[] compare(a, a), direction=NE
  a2 = f32[] select(an, quiet, a1)
  bz = pred[] compare(b, zero), direction=EQ
  b1 = f32[] select(bz, zero, b)
  bn = pred[] compare(b, b), direction=NE
  b2 = f32[] select(bn, quiet, b1)
  ROOT c = pred[] compare(a2, b2), direction=LT, type=TOTALORDER
}
)";
// A second key for ties of the first.
constexpr char kTwoKeys[] = R"(f {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  lt = pred[] compare(a, b), direction=LT
  eq = pred[] compare(a, b), direction=EQ
  lt2 = pred[] compare(i, j), direction=LT
  tie = pred[] and(eq, lt2)
  ROOT c = pred[] or(lt, tie)
}
)";

TEST(SortingKernels, SortsSeveralOperands) {
  Differential differential;
  for (const std::string comparator : {kJaxComparator, kTwoKeys}) {
    for (const std::string sizes : {"3,40", "2,300"}) {
      const std::string keys = "f32[" + sizes + "]", values = "s32[" + sizes + "]";
      differential.Check({absl::StrCat("(", keys, ", ", values,
                                       ") sort(p0, p1), dimensions={1}, is_stable=true, "
                                       "to_apply=f"),
                          {keys, values},
                          comparator,
                          {}});
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

// Lines longer than a key of 16 bits has patterns.
TEST(SortingKernels, SortsLongLinesOfNarrowKeys) {
  Differential differential;
  differential.Check({"(bf16[65600], s8[65600]) sort(p0, p1), dimensions={0}, is_stable=true, "
                      "to_apply=f",
                      {"bf16[65600]", "s8[65600]"},
                      "f {\n  a = bf16[] parameter(0)\n  b = bf16[] parameter(1)\n"
                      "  i = s8[] parameter(2)\n  j = s8[] parameter(3)\n"
                      "  ROOT c = pred[] compare(a, b), direction=GT\n}\n",
                      {}},
                     {Profile::kSmall});
  EXPECT_EQ(differential.fallbacks(), 0);
}

// Beyond what is sorted with room beside it; many ties, and nearly none.
TEST(SortingKernels, SortsVeryLongLines) {
  Differential differential;
  for (const ElementType type : {ElementType::kS32, ElementType::kF64}) {
    const std::string shape = ShapeText(type, "70000");
    const std::string t = ShapeText(type, "");
    differential.Check({absl::StrCat("(", shape, ", s32[70000]) sort(p0, p1), dimensions={0}, ",
                                     "is_stable=true, to_apply=f"),
                        {shape, "s32[70000]"},
                        absl::StrCat("f {\n  a = ", t, " parameter(0)\n  b = ", t,
                                     " parameter(1)\n  i = s32[] parameter(2)\n  j = s32[] "
                                     "parameter(3)\n  ROOT c = pred[] compare(a, b), "
                                     "direction=GT\n}\n"),
                        {}},
                       {Profile::kSmall, Profile::kBits});
  }
  EXPECT_EQ(differential.fallbacks(), 0);
}

// Keys that are wider than the line and its result, so that they come in halves.
TEST(SortingKernels, SortsByWideKeys) {
  Differential differential;
  const std::pair<ElementType, ElementType> types[] = {{ElementType::kF32, ElementType::kF64},
                                                       {ElementType::kS32, ElementType::kS64},
                                                       {ElementType::kU16, ElementType::kU64},
                                                       {ElementType::kBF16, ElementType::kF64}};
  for (const auto& [type, key] : types) {
    for (const std::string sizes : {"2,13", "2,700", kScheduleStride == 1 ? "1,70000" : "1,9000"}) {
      const std::string t = ShapeText(type, ""), k = ShapeText(key, "");
      const std::string shape = ShapeText(type, sizes);
      differential.Check({shape + " sort(p0), dimensions={1}, is_stable=true, to_apply=f",
                          {shape},
                          absl::StrCat("f {\n  a = ", t, " parameter(0)\n  b = ", t,
                                       " parameter(1)\n  c = ", k, " convert(a)\n  d = ", k,
                                       " convert(b)\n  ROOT r = pred[] compare(c, d), "
                                       "direction=GT\n}\n"),
                          {}},
                         {Profile::kSmall, Profile::kBits});
    }
  }
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(SortingKernels, SelectsTheLargestAndSmallest) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    if (IsComplex(type)) continue;
    for (const std::string largest : {"true", "false"}) {
      for (const int k : {0, 1, 4, 13}) {
        differential.Check({absl::StrCat("(", ShapeText(type, absl::StrCat("3,", k)), ", s32[3,", k,
                                         "]) topk(p0), k=", k, ", largest=", largest),
                            {ShapeText(type, "3,13")},
                            "",
                            {}});
        if (HasFailure()) return;
      }
      for (const int k : {1, 299, 300}) {  // more elements than patterns of 8 bits
        if (Info(type).storage_bytes > 1) continue;
        differential.Check({absl::StrCat("(", ShapeText(type, absl::StrCat("2,", k)), ", s32[2,", k,
                                         "]) topk(p0), k=", k, ", largest=", largest),
                            {ShapeText(type, "2,300")},
                            "",
                            {}});
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

}  // namespace
}  // namespace assay::evaluator
