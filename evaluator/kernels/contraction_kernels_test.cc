// Kernels of dot, ragged-dot, scaled-dot and convolution against the definition.
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "evaluator/kernels/differential.h"

namespace assay::evaluator {
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

// Every product is a zero, and the sum is -0 where all of them are.
TEST(ContractionKernels, ZerosKeepTheirSigns) {
  Differential differential;
  for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kF8E5M2}) {
    for (const std::string columns : {"1", "5", "13"}) {
      const Differential::Case c = {
          absl::StrCat(ShapeText(type, "2," + columns),
                       " dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
          {ShapeText(type, "2,3"), ShapeText(type, "3," + columns)},
          "",
          {}};
      Literal zeros = Literal::Zeros(Shape(type, {2, 3}));
      for (int64_t k = 0; k < 3; ++k) zeros.Set(3 + k, {EncodeFloat(type, -0.0)});
      const int64_t count = std::stoll(columns);
      Literal ones = Literal::Zeros(Shape(type, {3, count}));
      for (int64_t i = 0; i < ones.element_count(); ++i) ones.Set(i, {EncodeFloat(type, 1)});
      const std::vector<Literal> result = differential.CheckOn(c, {zeros, ones});
      for (int64_t j = 0; j < count; ++j) {
        EXPECT_EQ(result[0].Get(j).bits, EncodeFloat(type, 0.0));
        EXPECT_EQ(result[0].Get(count + j).bits, EncodeFloat(type, -0.0));
      }
    }
  }
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

struct RaggedCase {
  std::string lhs, rhs, sizes, result, attributes;
};
const RaggedCase kRaggedDots[] = {
    // Ragged rows; with a batch; with sizes for each element of the batch, and of a dimension
    // before the ragged one.
    {"9,5", "3,5,4", "3", "9,4",
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}"},
    {"2,9,5", "5,3,4,2", "3", "2,9,4",
     "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={3}, rhs_contracting_dims={0}, "
     "lhs_ragged_dims={1}, rhs_group_dims={1}"},
    {"2,9,5", "2,3,5,4", "2,3", "2,9,4",
     "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={2}, "
     "lhs_ragged_dims={1}, rhs_group_dims={1}"},
    {"3,9,5", "2,5,4", "3,2", "3,9,4",
     "lhs_contracting_dims={2}, rhs_contracting_dims={1}, lhs_ragged_dims={1}, rhs_group_dims={0}"},
    {"9,0", "3,0,4", "3", "9,4",
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}"},
    // Ragged contracted positions; with another contracted dimension; with sizes for the batch.
    {"4,9", "9,5", "3", "3,4,5",
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}"},
    {"4,9,2", "2,9,5", "3", "3,4,5",
     "lhs_contracting_dims={1,2}, rhs_contracting_dims={1,0}, lhs_ragged_dims={1}"},
    {"2,4,9", "2,9,5", "2,3", "3,2,4,5",
     "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={2}"},
    // A ragged batch; with sizes for another dimension of the batch.
    {"9,2,3", "9,3,4", "3", "9,2,4",
     "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}"},
    {"2,9,2,3", "9,2,3,4", "2,3", "2,9,2,4",
     "lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={1,0}, "
     "rhs_contracting_dims={2}, lhs_ragged_dims={1}"},
};

// Sizes are -3 to 9: negative, empty and reaching beyond the extent.
TEST(ContractionKernels, RaggedDotsOfEveryType) {
  Differential differential;
  for (const Types& types : AllTypes()) {
    for (const RaggedCase& dot : kRaggedDots) {
      for (const char* size_type : {"s32", "u8"}) {
        differential.Check({absl::StrCat(ShapeText(types.result, dot.result),
                                         " ragged-dot(p0, p1, p2), ", dot.attributes),
                            {ShapeText(types.lhs, dot.lhs), ShapeText(types.rhs, dot.rhs),
                             absl::StrCat(size_type, "[", dot.sizes, "]")},
                            "",
                            {false, false, true}});
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

// Factors and results of different classes: converted first.
TEST(ContractionKernels, FactorsOfAnotherClass) {
  Differential differential;
  const std::vector<std::string> types = {"pred", "s8", "u32", "bf16", "f32", "c64"};
  for (const std::string& lhs : types) {
    for (const std::string& rhs : types) {
      for (const std::string& result : types) {
        if ((lhs == "c64" || rhs == "c64") && result != "c64") continue;  // no such conversion
        differential.Check({absl::StrCat(result, "[3,4] dot(p0, p1), lhs_contracting_dims={1}, ",
                                         "rhs_contracting_dims={0}"),
                            {lhs + "[3,7]", rhs + "[7,4]"},
                            "",
                            {}});
      }
    }
  }
  differential.Check(
      {"f32[1,2,5] convolution(p0, p1), window={size=3 pad=1_1}, "
       "dim_labels=bf0_oi0->bf0",
       {"s8[1,3,5]", "u8[2,3,3]"},
       "",
       {}});
  differential.Check({absl::StrCat("f32[9,4] ragged-dot(p0, p1, p2), ", kRaggedDots[0].attributes),
                      {"s16[9,5]", "f32[3,5,4]", "s32[3]"},
                      "",
                      {false, false, true}});
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

struct ScaledTypes {
  std::string lhs, rhs, lhs_scale, rhs_scale, result;
};

TEST(ContractionKernels, ScaledDots) {
  const std::string plain = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const std::string batch =
      ", lhs_batch_dims={1}, lhs_contracting_dims={0}, rhs_batch_dims={0}, "
      "rhs_contracting_dims={2}";
  const ScaledTypes kTypes[] = {
      {"f8e4m3fn", "f8e4m3fn", "f8e8m0fnu", "f8e8m0fnu", "f32"},
      {"f4e2m1fn", "f8e5m2", "f8e4m3fn", "f8e8m0fnu", "bf16"},
      {"f32", "f32", "f32", "f32", "f32"},
      {"f32", "bf16", "f32", "bf16", "f64"},
      {"bf16", "f16", "f8e8m0fnu", "f16", "f16"},
  };
  Differential differential;
  for (const ScaledTypes& t : kTypes) {
    // Blocks that do not nest, of rows and columns too, and of contracted indices that come in
    // parts.
    const auto check = [&](const std::string& result, const std::string& attributes,
                           const std::vector<std::string>& sizes) {
      differential.Check(
          {absl::StrCat(t.result, "[", result, "] scaled-dot(p0, p1, p2, p3)", attributes),
           {absl::StrCat(t.lhs, "[", sizes[0], "]"), absl::StrCat(t.rhs, "[", sizes[1], "]"),
            absl::StrCat(t.lhs_scale, "[", sizes[2], "]"),
            absl::StrCat(t.rhs_scale, "[", sizes[3], "]")},
           "",
           {}});
    };
    check("3,5", plain, {"3,12", "12,5", "3,4", "3,5"});
    check("4,130", plain, {"4,6", "6,130", "2,1", "6,13"});
    check("2,4,6", batch, {"8,2,4", "2,6,8", "2,2,2", "1,3,4"});
    check("3,2", plain, {"3,3000", "3000,2", "3,100", "75,2"});
    check("3,2", plain, {"3,0", "0,2", "3,0", "0,2"});
    if (HasFailure()) return;
  }
  // One side alone; and factors of f64, of which one side may have scales.
  for (const char* types :
       {"bf16[3,8] bf16[8,2] bf16[] bf16[4,2]", "f64[3,8] bf16[8,2] bf16[3,4] bf16[]",
        "f16[3,8] f64[8,2] f32[3,4] f64[8,2]"}) {
    const std::vector<std::string> parameters = absl::StrSplit(types, ' ');
    differential.Check({"f32[3,2] scaled-dot(p0, p1, p2, p3)" + plain, parameters, "", {}});
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 2);  // scales of f64, or of elements of f64
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
}  // namespace assay::evaluator
