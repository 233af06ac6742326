// Reductions, windows, scatters, maps and scans against the definition.
#include <string>
#include <vector>

#include "evaluator/kernels/differential.h"
#include "spec/testing/schedule.h"

namespace assay::evaluator {
namespace {

// Recognised reducers and one that is none, in the types that admit them.
std::vector<std::string> ReducersFor(ElementType type) {
  std::vector<std::string> reducers = {"add(a, b)", "multiply(b, a)"};
  if (!IsComplex(type)) {
    reducers.push_back("minimum(a, b)");
    reducers.push_back("maximum(a, b)");
  }
  if (!IsFloat(type) && !IsComplex(type)) {
    reducers.push_back("and(a, b)");
    reducers.push_back("or(b, a)");
    reducers.push_back("xor(a, b)");
  }
  if (!IsPred(type)) reducers.push_back("subtract(a, b)");
  return reducers;
}

std::string ConvertedAdd(ElementType type, const std::string& inner) {
  const std::string t = ShapeText(type, "");
  return absl::StrCat("f {\n  a = ", t, " parameter(0)\n  b = ", t, " parameter(1)\n  c = ", inner,
                      "[] convert(a)\n  d = ", inner, "[] convert(b)\n  e = ", inner,
                      "[] add(c, d)\n  ROOT g = ", t, " convert(e)\n}\n");
}

struct Reduction {
  std::string operand, dimensions, result;
};
const Reduction kReductions[] = {
    {"7", "0", ""},        {"3,17", "1", "3"},      {"17,3", "0", "3"},
    {"2,5,3", "0,2", "5"}, {"2,5,3", "1", "2,3"},   {"4,3,2,5", "1,3", "4,2"},
    {"0,3", "0", "3"},     {"3,0", "0", "0"},       {"5,1", "1", "5"},
    {"6", "", "6"},        {"1,9,1", "1", "1,1"},   {"", "", ""},
    {"6,40", "0", "40"},   {"3,2,20", "1,0", "20"},
};

TEST(FoldingKernels, ReducesEveryType) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    for (const std::string& reducer : ReducersFor(type)) {
      for (const Reduction& r : kReductions) {
        differential.Check({absl::StrCat(ShapeText(type, r.result), " reduce(p0, p1), dimensions={",
                                         r.dimensions, "}, to_apply=f"),
                            {ShapeText(type, r.operand), ShapeText(type, "")},
                            BinaryComputation("f", type, reducer),
                            {}});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(FoldingKernels, ReducesLongRowsAndWideColumns) {
  Differential differential;
  for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBF16,
                                 ElementType::kS32, ElementType::kC64}) {
    for (const std::string reducer : {"add(a, b)", "multiply(a, b)"}) {
      for (const Reduction& r :
           {Reduction{"3,5000", "1", "3"}, Reduction{"300,70", "0", "70"},
            Reduction{"40,9,20", "0,2", "9"}, Reduction{"17000,2", "0", "2"}}) {
        differential.Check({absl::StrCat(ShapeText(type, r.result), " reduce(p0, p1), dimensions={",
                                         r.dimensions, "}, to_apply=f"),
                            {ShapeText(type, r.operand), ShapeText(type, "")},
                            BinaryComputation("f", type, reducer),
                            {}},
                           {Profile::kSmall, Profile::kCancel});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(FoldingKernels, ReducesThroughConversions) {
  Differential differential;
  for (const ElementType type : {ElementType::kBF16, ElementType::kF16, ElementType::kF8E5M2}) {
    differential.Check(
        {absl::StrCat(ShapeText(type, "4"), " reduce(p0, p1), dimensions={1}, to_apply=f"),
         {ShapeText(type, "4,33"), ShapeText(type, "")},
         ConvertedAdd(type, "f32"),
         {}});
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

constexpr char kArgMax[] = R"(f {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  gt = pred[] compare(a, b), direction=GT
  unordered = pred[] compare(a, a), direction=NE
  keep = pred[] or(gt, unordered)
  eq = pred[] compare(a, b), direction=EQ
  lt = pred[] compare(i, j), direction=LT
  tie = pred[] and(eq, lt)
  keep_index = pred[] or(keep, tie)
  x = f32[] select(keep, a, b)
  y = s32[] select(keep_index, i, j)
  ROOT t = (f32[], s32[]) tuple(x, y)
}
)";

TEST(FoldingKernels, ReducesPairs) {
  Differential differential;
  differential.Check({"(f32[5], s32[5]) reduce(p0, p1, p2, p3), dimensions={1}, to_apply=f",
                      {"f32[5,13]", "s32[5,13]", "f32[]", "s32[]"},
                      kArgMax,
                      {false, true, false, true}});
  differential.Check(
      {"(f32[3,4], s32[3,4]) reduce-window(p0, p1, p2, p3), "
       "window={size=2x3 stride=2x1}, to_apply=f",
       {"f32[6,6]", "s32[6,6]", "f32[]", "s32[]"},
       kArgMax,
       {false, true, false, true}});
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

std::string WithIndex(ElementType type, ElementType index, bool maximum) {
  const std::string t = ShapeText(type, ""), i = ShapeText(index, "");
  return absl::StrCat(
      "f {\n  a = ", t, " parameter(0)\n  i = ", i, " parameter(1)\n  b = ", t,
      " parameter(2)\n  j = ", i,
      " parameter(3)\n  before = pred[] compare(a, b), direction=", maximum ? "GT" : "LT", R"(
  unordered = pred[] compare(a, a), direction=NE
  keep = pred[] or(before, unordered)
  eq = pred[] compare(a, b), direction=EQ
  lt = pred[] compare(i, j), direction=LT
  tie = pred[] and(eq, lt)
  keep_index = pred[] or(keep, tie)
  x = )",
      t, " select(keep, a, b)\n  y = ", i, " select(keep_index, i, j)\n  ROOT t = (", t, ", ", i,
      ") tuple(x, y)\n}\n");
}

// Every type of values, and indices of every order against the places.
TEST(FoldingKernels, ReducesWithIndex) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    if (IsComplex(type)) continue;
    for (const ElementType index : {ElementType::kS32, ElementType::kU8, ElementType::kS64}) {
      for (const bool maximum : {false, true}) {
        const std::string t = ShapeText(type, ""), i = ShapeText(index, "");
        differential.Check({absl::StrCat("(", ShapeText(type, "5"), ", ", ShapeText(index, "5"),
                                         ") reduce(p0, p1, p2, p3), dimensions={0}, to_apply=f"),
                            {ShapeText(type, "13,5"), ShapeText(index, "13,5"), t, i},
                            WithIndex(type, index, maximum),
                            {}});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

struct Windowed {
  std::string operand, window, result;
};
const Windowed kWindows[] = {
    {"9", "size=3", "7"},
    {"9", "size=3 stride=2 pad=1_1", "5"},
    {"5,6", "size=2x3 stride=2x1 pad=0_1x1_1", "3,6"},
    {"4", "size=2 pad=2_1 lhs_dilate=2 rhs_dilate=3", "7"},
    {"5", "size=2 pad=-1_-1", "2"},
    {"3", "size=2 pad=-1_1 lhs_dilate=2", "4"},
    {"0", "size=2 pad=1_1", "1"},
    {"2,5,4,3", "size=1x2x2x1 stride=1x2x2x1 pad=0_0x0_1x0_0x0_0", "2,3,2,3"},
    {"3,2", "size=2x1 stride=4x1 pad=2_1x0_0 lhs_dilate=2x1 rhs_dilate=3x1", "2,2"},
    {"130", "size=130 pad=129_0", "130"},
    {"2,100,3", "size=1x100x1 pad=0_0x0_99x0_0", "2,100,3"},
    // Lines of windows: with empty ones in the padding, far apart, dilated, beyond one block.
    {"3,20", "size=2x3 pad=1_0x5_4", "3,27"},
    {"2,41", "size=1x4 stride=1x3 pad=0_0x2_1", "2,14"},
    {"12", "size=3 pad=1_1 rhs_dilate=2", "10"},
    {"300", "size=2", "299"},
};

// Windows of more cells than are gathered at once, and sums that are undecided again and again.
TEST(FoldingKernels, ReducesLargeWindows) {
  Differential differential;
  for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kC64,
                                 ElementType::kF8E5M2, ElementType::kS32}) {
    for (const std::string reducer : {"add(a, b)", "multiply(a, b)"}) {
      for (const Windowed& w :
           {Windowed{"9000", "size=9000", "1"}, Windowed{"3,90,60", "size=1x80x60", "3,11,1"},
            Windowed{"9000", "size=9000 stride=4000 pad=8999_0", "3"}}) {
        differential.Check(
            {absl::StrCat(ShapeText(type, w.result), " reduce-window(p0, p1), window={", w.window,
                          "}, to_apply=f"),
             {ShapeText(type, w.operand), ShapeText(type, "")},
             BinaryComputation("f", type, reducer),
             {}},
            {Profile::kSmall, Profile::kCancel});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(FoldingKernels, ReducesWindowsOfEveryType) {
  Differential differential;
  int64_t number = 0;
  for (const ElementType type : kArrayTypes) {
    for (const std::string& reducer : ReducersFor(type)) {
      ++number;  // so that each reducer has other windows
      for (const Windowed& w : kWindows) {
        if (number++ % kScheduleStride != 0) continue;
        differential.Check(
            {absl::StrCat(ShapeText(type, w.result), " reduce-window(p0, p1), window={", w.window,
                          "}, to_apply=f"),
             {ShapeText(type, w.operand), ShapeText(type, "")},
             BinaryComputation("f", type, reducer),
             {}},
            {Profile::kBits, Profile::kCancel});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(FoldingKernels, SelectsAndScatters) {
  Differential differential;
  const Windowed windows[] = {{"9", "size=3 stride=2", "4"},
                              {"4,5", "size=2x3 stride=2x2", "2,2"},
                              {"4,6", "size=3x3 stride=2x2 pad=1_1x1_1", "2,3"},
                              {"7", "size=4", "4"},
                              {"2", "size=1 pad=1_0", "3"}};
  for (const ElementType type :
       {ElementType::kF32, ElementType::kF64, ElementType::kBF16, ElementType::kS32,
        ElementType::kU8, ElementType::kF8E4M3FN, ElementType::kPred}) {
    for (const std::string direction : {"GE", "GT", "LE", "LT"}) {
      for (const std::string& reducer : ReducersFor(type)) {
        for (const Windowed& w : windows) {
          const std::string t = ShapeText(type, "");
          const std::string select = absl::StrCat(
              "s {\n  a = ", t, " parameter(0)\n  b = ", t,
              " parameter(1)\n  ROOT c = pred[] compare(a, b), direction=", direction, "\n}\n");
          differential.Check(
              {absl::StrCat(ShapeText(type, w.operand), " select-and-scatter(p0, p1, p2), window={",
                            w.window, "}, select=s, scatter=f"),
               {ShapeText(type, w.operand), ShapeText(type, w.result), t},
               select + "\n" + BinaryComputation("f", type, reducer),
               {}});
          if (HasFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

struct Scattered {
  std::string operand, indices, updates, attributes;
};
const Scattered kScatters[] = {
    {"6,7", "9", "9,7",
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1"},
    {"3,3", "12,2", "12",
     "update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, "
     "index_vector_dim=1"},
    {"8", "5,1", "5,3",
     "update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1"},
    {"4,6", "7", "2,7",
     "update_window_dims={0}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
     "index_vector_dim=1"},
    {"2,3,4,2", "2,2,3,2", "2,2,3,2,2",
     "update_window_dims={3,4}, inserted_window_dims={1}, input_batching_dims={0}, "
     "scatter_indices_batching_dims={1}, scatter_dims_to_operand_dims={2,1}, index_vector_dim=3"},
    {"", "0", "",
     "update_window_dims={}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, "
     "index_vector_dim=0"},
    {"5", "0,1", "0",
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1"},
};

TEST(FoldingKernels, ScattersEveryType) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    std::vector<std::string> bodies;
    for (const std::string& reducer : ReducersFor(type)) {
      bodies.push_back(BinaryComputation("f", type, reducer));
    }
    const std::string t = ShapeText(type, "");
    bodies.push_back(
        absl::StrCat("f {\n  a = ", t, " parameter(0)\n  ROOT b = ", t, " parameter(1)\n}\n"));
    for (const std::string& body : bodies) {
      for (const Scattered& s : kScatters) {
        differential.Check({absl::StrCat(ShapeText(type, s.operand), " scatter(p0, p1, p2), ",
                                         s.attributes, ", to_apply=f"),
                            {ShapeText(type, s.operand), ShapeText(ElementType::kS32, s.indices),
                             ShapeText(type, s.updates)},
                            body,
                            {false, true, false}});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

// Updates of another float type are converted first: into f32 without, into bf16 with a rounding.
TEST(FoldingKernels, ScattersUpdatesOfOtherTypes) {
  Differential differential;
  const std::pair<ElementType, ElementType> types[] = {{ElementType::kF32, ElementType::kBF16},
                                                       {ElementType::kBF16, ElementType::kF32},
                                                       {ElementType::kF64, ElementType::kF8E5M2}};
  for (const auto& [data, update] : types) {
    for (const std::string reducer :
         {"add(a, b)", "multiply(a, b)", "maximum(a, b)", "subtract(a, b)"}) {
      std::vector<Scattered> scatters(std::begin(kScatters), std::end(kScatters));
      const std::string elements =
          "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
          "index_vector_dim=1";
      scatters.push_back({"3", "700,1", "700", elements});
      scatters.push_back({"3", "70000,1", "70000", elements});
      for (const Scattered& s : scatters) {
        differential.Check({absl::StrCat(ShapeText(data, s.operand), " scatter(p0, p1, p2), ",
                                         s.attributes, ", to_apply=f"),
                            {ShapeText(data, s.operand), ShapeText(ElementType::kS32, s.indices),
                             ShapeText(update, s.updates)},
                            BinaryComputation("f", data, reducer),
                            {false, true, false}},
                           {Profile::kBits, Profile::kCancel});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_EQ(differential.fallbacks(), 0);
}

// So many cells that sums go through buckets: some of them meet nothing, others all.
TEST(FoldingKernels, ScattersToManyCells) {
  Differential differential;
  differential.Check({"f32[300001] scatter(p0, p1, p2), update_window_dims={}, "
                      "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                      "index_vector_dim=1, to_apply=f",
                      {"f32[300001]", "u16[140000,1]", "f32[140000]"},
                      BinaryComputation("f", ElementType::kF32, "add(a, b)"),
                      {}},
                     {Profile::kBits, Profile::kCancel});
  differential.Check({"f32[5,65536] scatter(p0, p1, p2), update_window_dims={0}, "
                      "inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
                      "index_vector_dim=1, to_apply=f",
                      {"f32[5,65536]", "u16[20000,1]", "f32[5,20000]"},
                      BinaryComputation("f", ElementType::kF32, "add(a, b)"),
                      {}},
                     {Profile::kCancel});
  EXPECT_EQ(differential.fallbacks(), 0);
}

// So many updates that no list of them is kept.
TEST(FoldingKernels, ScattersManyUpdates) {
  Differential differential;
  const ElementType type = ElementType::kF32;
  for (const std::string reducer : {"add(a, b)", "multiply(a, b)"}) {
    const std::string fold = BinaryComputation("f", type, reducer);
    differential.Check({"f32[40000] scatter(p0, p1, p2), update_window_dims={}, "
                        "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                        "index_vector_dim=1, to_apply=f",
                        {"f32[40000]", "u16[66000,1]", "f32[66000]"},
                        fold,
                        {}},
                       {Profile::kBits, Profile::kCancel});
    differential.Check({"f32[9,8000] scatter(p0, p1, p2), update_window_dims={1,2}, "
                        "inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
                        "index_vector_dim=1, to_apply=f",
                        {"f32[9,8000]", "s32[5,1]", "f32[5,2,7000]"},
                        fold,
                        {false, true, false}},
                       {Profile::kCancel});
    differential.Check(
        {"f32[257,257] select-and-scatter(p0, p1, p2), window={size=2x2 pad=1_0x0_1}, select=g, "
         "scatter=f",
         {"f32[257,257]", "f32[257,257]", "f32[]"},
         fold + "g {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] "
                "compare(a, b), direction=GE\n}\n",
         {}},
        {Profile::kCancel});
    if (HasFailure()) return;
  }
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(FoldingKernels, ScattersPairs) {
  Differential differential;
  differential.Check(
      {"(f32[4], s32[4]) scatter(p0, p1, p2, p3, p4), update_window_dims={}, "
       "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
       "index_vector_dim=1, to_apply=f",
       {"f32[4]", "s32[4]", "s8[9,1]", "f32[9]", "s32[9]"},
       kArgMax,
       {false, true, true, false, true}});
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(FoldingKernels, Maps) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    if (IsPred(type)) continue;
    for (const std::string sizes : {"", "0", "5,7"}) {
      const std::string shape = ShapeText(type, sizes);
      differential.Check({shape + " map(p0, p1), dimensions={" +
                              (sizes.empty()  ? ""
                               : sizes == "0" ? "0"
                                              : "0,1") +
                              "}, to_apply=f",
                          {shape, shape},
                          BinaryComputation("f", type, "subtract(b, a)"),
                          {}});
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

struct ScanCase {
  std::string stacked, slice;
  int64_t dimension;
};
const ScanCase kScans[] = {{"7", "", 0},          {"0", "", 0},        {"5,3", "3", 0},
                           {"3,5", "3", 1},       {"4,9", "9", 0},     {"2,6,3", "2,3", 1},
                           {"2,3,17", "2,17", 1}, {"3,0,4", "3,4", 1}, {"2,5,0", "2,0", 1}};

// Carry, then output before and after the step.
TEST(FoldingKernels, ScansOfEveryType) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    for (const std::string& reducer : ReducersFor(type)) {
      for (const ScanCase& c : kScans) {
        for (const char* reverse : {"", ", is_reverse=true"}) {
          const std::string all = ShapeText(type, c.stacked), one = ShapeText(type, c.slice);
          differential.Check(
              {absl::StrCat("(", all, ", ", all, ", ", one, ") scan(p0, p1), dimensions={",
                            c.dimension, "}, num_carries=1", reverse, ", to_apply=f"),
               {all, one},
               absl::StrCat("f {\n  b = ", one, " parameter(0)\n  a = ", one,
                            " parameter(1)\n  c = ", one, " ", reducer, "\n  ROOT r = (", one, ", ",
                            one, ", ", one, ") tuple(a, c, c)\n}\n"),
               {}},
              {Profile::kBits, Profile::kCancel});
          if (HasFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

// A single result stands alone, or in a tuple of one.
TEST(FoldingKernels, ScansOfOneResult) {
  Differential differential;
  for (const ElementType type : {ElementType::kF32, ElementType::kC64, ElementType::kS8}) {
    const std::string all = ShapeText(type, "4"), one = ShapeText(type, "");
    const std::string step = absl::StrCat("f {\n  x = ", one, " parameter(0)\n  c = ", one,
                                          " parameter(1)\n  ROOT s = ", one, " add(c, x)\n}\n");
    differential.Check({absl::StrCat(one,
                                     " scan(p0, p1), dimensions={0}, num_carries=1, "
                                     "to_apply=f"),
                        {all, one},
                        step,
                        {}},
                       {Profile::kBits, Profile::kCancel});
    differential.Check(
        {absl::StrCat(all, " scan(p0), dimensions={0}, num_carries=0, to_apply=f"),
         {all},
         absl::StrCat("f {\n  x = ", one, " parameter(0)\n  ROOT s = ", one, " negate(x)\n}\n"),
         {}},
        {Profile::kBits});
    if (HasFailure()) return;
  }
  EXPECT_GT(differential.cases(), 0);
}

TEST(FoldingKernels, LongRunningSums) {
  Differential differential;
  for (const ElementType type :
       {ElementType::kF32, ElementType::kF64, ElementType::kBF16, ElementType::kC64}) {
    const std::string all = ShapeText(type, "300,2"), one = ShapeText(type, "2");
    differential.Check({absl::StrCat("(", all, ", ", one,
                                     ") scan(p0, p1), dimensions={0}, num_carries=1, to_apply=f"),
                        {all, one},
                        absl::StrCat("f {\n  x = ", one, " parameter(0)\n  c = ", one,
                                     " parameter(1)\n  s = ", one, " add(x, c)\n  ROOT r = (", one,
                                     ", ", one, ") tuple(s, s)\n}\n"),
                        {}});
  }
  EXPECT_EQ(differential.fallbacks(), 0);
}

}  // namespace
}  // namespace assay::evaluator
