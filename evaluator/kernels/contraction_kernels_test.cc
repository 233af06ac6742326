// dot and convolution kernels against the definition.
#include <string>
#include <vector>

#include "evaluator/kernels/differential.h"

namespace assay {
namespace {

// Operand and result types of contractions: alike, and with a result type of its own.
struct Types {
  ElementType lhs, rhs, result;
};

std::vector<Types> AllTypes() {
  std::vector<Types> types;
  for (const ElementType type : kArrayTypes) types.push_back({type, type, type});
  types.push_back({ElementType::kS8, ElementType::kS8, ElementType::kS32});
  types.push_back({ElementType::kU8, ElementType::kU8, ElementType::kU32});
  types.push_back({ElementType::kS4, ElementType::kS4, ElementType::kS64});
  types.push_back({ElementType::kBF16, ElementType::kBF16, ElementType::kF32});
  types.push_back({ElementType::kF16, ElementType::kF16, ElementType::kF64});
  types.push_back({ElementType::kF8E4M3FN, ElementType::kF8E4M3FN, ElementType::kF32});
  return types;
}

struct DotCase {
  std::string lhs, rhs, result, attributes;
};
const DotCase kDots[] = {
    {"5", "5", "", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
    {"", "", "", "lhs_contracting_dims={}, rhs_contracting_dims={}"},
    {"3,7", "7,11", "3,11", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"7,3", "11,7", "3,11", "lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
    {"2,9", "9", "2", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"9", "9,8", "8", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
    {"3", "4", "3,4", "lhs_contracting_dims={}, rhs_contracting_dims={}"},
    {"2,3,4", "2,4,5", "2,3,5",
     "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}"},
    {"3,4,2,5", "2,5,6,3", "3,2,4,6",
     "lhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_batch_dims={3,0}, "
     "rhs_contracting_dims={1}"},
    {"4,3,2", "2,4,5", "3,5", "lhs_contracting_dims={0,2}, rhs_contracting_dims={1,0}"},
    {"3,0", "0,2", "3,2", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"0,3", "3,2", "0,2", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
};

TEST(ContractionKernels, DotsOfEveryType) {
  Differential differential;
  for (const Types& types : AllTypes()) {
    for (const DotCase& dot : kDots) {
      differential.Check(
          {absl::StrCat(ShapeText(types.result, dot.result), " dot(p0, p1), ", dot.attributes),
           {ShapeText(types.lhs, dot.lhs), ShapeText(types.rhs, dot.rhs)},
           "",
           {}});
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(ContractionKernels, DotsBeyondOneTile) {
  Differential differential;
  for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kC64,
                                 ElementType::kS32, ElementType::kPred}) {
    differential.Check({absl::StrCat(ShapeText(type, "5,131"),
                                     " dot(p0, p1), lhs_contracting_dims={1}, "
                                     "rhs_contracting_dims={0}"),
                        {ShapeText(type, "5,70"), ShapeText(type, "70,131")},
                        "",
                        {}});
    differential.Check({absl::StrCat(ShapeText(type, "3,2"),
                                     " dot(p0, p1), lhs_contracting_dims={1}, "
                                     "rhs_contracting_dims={1}"),
                        {ShapeText(type, "3,9000"), ShapeText(type, "2,9000")},
                        "",
                        {}},
                       {Profile::kSmall, Profile::kCancel});
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

// Contracted indices that come in parts, of operands whose dimensions lie in any order.
TEST(ContractionKernels, LongContractions) {
  Differential differential;
  for (const Types& types : AllTypes()) {
    if (Info(types.lhs).storage_bytes == 1 && types.lhs != ElementType::kS8 &&
        types.lhs != ElementType::kF8E4M3FN && types.lhs != ElementType::kPred) {
      continue;
    }
    differential.Check(
        {absl::StrCat(ShapeText(types.result, "2,3"),
                      " dot(p0, p1), lhs_batch_dims={1}, lhs_contracting_dims={0,3}, "
                      "rhs_batch_dims={2}, rhs_contracting_dims={1,0}"),
         {ShapeText(types.lhs, "30,2,3,70"), ShapeText(types.rhs, "70,30,2")},
         "",
         {}},
        {Profile::kBits, Profile::kCancel});
    differential.Check(
        {absl::StrCat(ShapeText(types.result, "1,5,9"),
                      " convolution(p0, p1), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"),
         {ShapeText(types.lhs, "1,5,400"), ShapeText(types.rhs, "3,400,9")},
         "",
         {}},
        {Profile::kSmall, Profile::kCancel});
    if (HasFailure()) return;
  }
  differential.Check(
      {"f64[131,130] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {"f64[131,1030]", "f64[1030,130]"},
       "",
       {}},
      {Profile::kSmall, Profile::kCancel});
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

struct ConvolutionCase {
  std::string input, kernel, result, attributes;
};
const ConvolutionCase kConvolutions[] = {
    {"1,5,1", "2,1,1", "1,4,1", "window={size=2}, dim_labels=b0f_0io->b0f"},
    {"1,5,1", "2,1,1", "1,3,1", "window={size=2 stride=2 pad=0_1}, dim_labels=b0f_0io->b0f"},
    {"1,5,1", "2,1,1", "1,12,1",
     "window={size=2 pad=3_2 lhs_dilate=2 rhs_dilate=2}, dim_labels=b0f_0io->b0f"},
    {"1,5,1", "2,1,1", "1,2,1",
     "window={size=2 pad=-3_-2 lhs_dilate=2 rhs_dilate=2}, dim_labels=b0f_0io->b0f"},
    {"1,5,1", "2,1,1", "1,7,1", "window={size=2 pad=3_0}, dim_labels=b0f_0io->b0f"},
    {"2,6,5,3", "3,3,3,10", "2,6,5,10",
     "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
    {"2,3,6,5", "4,3,3,2", "2,4,3,3",
     "window={size=3x2 stride=2x2 pad=1_0x0_1 rhs_reversal=1x0}, dim_labels=bf01_oi01->bf01"},
    {"1,4,4,2", "3,3,2,3", "1,9,9,3",
     "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f"},
    {"2,7,6", "3,2,9", "2,5,9", "window={size=3}, dim_labels=b0f_0io->b0f, feature_group_count=3"},
    {"4,5,2", "2,2,6", "2,4,6", "window={size=2}, dim_labels=b0f_0io->b0f, batch_group_count=2"},
    {"3,4", "4,5", "3,5", "dim_labels=bf_io->bf"},
    {"1,3,4,5,2", "2,2,2,2,3", "1,2,3,4,3", "window={size=2x2x2}, dim_labels=b012f_012io->b012f"},
    {"3,2,4", "2,2,5", "5,3,3", "window={size=2}, dim_labels=bf0_0io->f0b"},
    {"0,4,1", "2,1,1", "0,3,1", "window={size=2}, dim_labels=b0f_0io->b0f"},
};

TEST(ContractionKernels, ConvolutionsOfEveryType) {
  Differential differential;
  for (const Types& types : AllTypes()) {
    for (const ConvolutionCase& c : kConvolutions) {
      differential.Check(
          {absl::StrCat(ShapeText(types.result, c.result), " convolution(p0, p1), ", c.attributes),
           {ShapeText(types.lhs, c.input), ShapeText(types.rhs, c.kernel)},
           "",
           {}},
          {Profile::kBits, Profile::kCancel});
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

}  // namespace
}  // namespace assay
