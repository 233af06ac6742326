// The rows of dot_algorithms.def: which types they are for, and their errors against factors that
// are cut as the reference says (accuracy_requirements.md 4), in doubles, which hold every product
// of two f32 and every sum of products of their parts exactly.
#include "spec/ops/dot_algorithms.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "gtest/gtest.h"
#include "spec/ir/attributes.h"

namespace assay {
namespace {

using Word = absl::string_view;

const DotAlgorithm& Row(Word word) {
  const auto words = WordsOf(AttrKind::kDotAlgorithm).words;
  const auto at = std::find(words.begin(), words.end(), word);
  EXPECT_NE(at, words.end()) << word;
  return DotAlgorithmOf(at - words.begin());
}

double Rounded(double x, int bits) {
  const double shifted = x * (std::ldexp(1.0, 53 - bits) + 1);
  return shifted - (shifted - x);
}

double Truncated(double x, int bits) {
  uint64_t pattern;
  std::memcpy(&pattern, &x, sizeof pattern);
  pattern &= ~((uint64_t{1} << (53 - bits)) - 1);
  std::memcpy(&x, &pattern, sizeof x);
  return x;
}

enum class Cut { kRounded, kMixed, kTruncated };

// The relative error of x * x when what the algorithm keeps of it is taken.
double ErrorOfSquare(double x, const DotAlgorithm& row, Cut cut) {
  double part[3] = {0, 0, 0}, rest = x;
  for (int i = 0; i < row.parts; ++i) {
    const bool last = i + 1 == row.parts;
    const bool rounds = cut == Cut::kRounded || (cut == Cut::kMixed && last);
    part[i] = rounds ? Rounded(rest, row.part_bits) : Truncated(rest, row.part_bits);
    rest -= part[i];
  }
  double kept = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      // 11; 11 12 21; 11 12 21 22 13 31; all
      const bool counts = row.products == 1   ? i + j == 0
                          : row.products == 3 ? i + j <= 1
                          : row.products == 6 ? i + j <= 2
                                              : true;
      if (counts) kept += part[i] * part[j];
    }
  }
  return std::fabs(x * x - kept) / (x * x);
}

TEST(DotAlgorithms, ErrorsOfCutFactors) {
  for (const Word word : WordsOf(AttrKind::kDotAlgorithm).words) {
    const DotAlgorithm& row = Row(word);
    EXPECT_EQ(row.word, word);
    if (row.part_bits == 0) {
      EXPECT_EQ(row.undeclared, 0) << word;
      continue;
    }
    const double bounds[] = {row.rounded, row.mixed, row.truncated};
    double most[] = {0, 0, 0};
    for (int mantissa = 0; mantissa < 1 << 23; mantissa += 7) {
      const double x = 1 + std::ldexp(mantissa, -23);
      for (const Cut cut : {Cut::kRounded, Cut::kMixed, Cut::kTruncated}) {
        double& error = most[static_cast<int>(cut)];
        error = std::max(error, ErrorOfSquare(x, row, cut));
      }
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_LE(most[i], bounds[i]) << word << " " << i;
      EXPECT_GE(most[i], 0.7 * bounds[i]) << word << " " << i;
    }
  }
}

// A target that does not say is judged by truncated parts, but for one part of 16 bits: that
// narrowing is a convert.
TEST(DotAlgorithms, TargetsThatDoNotSay) {
  for (const Word word : WordsOf(AttrKind::kDotAlgorithm).words) {
    const DotAlgorithm& row = Row(word);
    const bool converts = row.parts == 1 && std::string(word).find("tf32") == std::string::npos;
    EXPECT_EQ(row.undeclared, converts ? row.rounded : row.truncated) << word;
  }
}

TEST(DotAlgorithms, Types) {
  using T = ElementType;
  const struct {
    const char* word;
    T operand, result;
    bool fits;
  } cases[] = {
      {"unset", T::kS32, T::kC64, true},
      {"dot_any_f8_any_f8_f32", T::kF8E5M2, T::kF32, true},
      {"dot_any_f8_any_f8_f32", T::kF8E4M3FN, T::kBF16, true},
      {"dot_any_f8_any_f8_f32", T::kF16, T::kF32, false},
      {"dot_any_f8_any_f8_f32_fast_accum", T::kF8E4M3FN, T::kF64, false},
      {"dot_f16_f16_f16", T::kF16, T::kF16, true},
      {"dot_f16_f16_f16", T::kBF16, T::kF16, false},
      {"dot_f16_f16_f32", T::kF16, T::kF32, true},
      {"dot_bf16_bf16_bf16", T::kBF16, T::kBF16, true},
      {"dot_bf16_bf16_f32", T::kF32, T::kF32, true},
      {"dot_bf16_bf16_f32", T::kS32, T::kF32, false},
      {"dot_bf16_bf16_f32_x3", T::kF32, T::kF64, false},
      {"dot_bf16_bf16_f32_x6", T::kF32, T::kF32, true},
      {"dot_bf16_bf16_f32_x9", T::kF32, T::kF32, true},
      {"dot_tf32_tf32_f32", T::kF32, T::kF32, true},
      {"dot_tf32_tf32_f32", T::kF64, T::kF64, false},
      {"dot_tf32_tf32_f32_x3", T::kF32, T::kF32, true},
      {"dot_f32_f32_f32", T::kF32, T::kF32, true},
      {"dot_f32_f32_f32", T::kC64, T::kC64, false},
      {"dot_f64_f64_f64", T::kF64, T::kF64, true},
      {"dot_f64_f64_f64", T::kF32, T::kF64, false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Row(c.word).takes(c.operand) && Row(c.word).gives(c.result), c.fits) << c.word;
  }
}

// The accumulators that the names say; the fast one keeps 13 bits.
TEST(DotAlgorithms, Accumulators) {
  for (const Word word : WordsOf(AttrKind::kDotAlgorithm).words) {
    const std::string name(word);
    const auto ends_in = [&](const char* type) { return name.find(type) != std::string::npos; };
    const int bits = name == "unset"             ? 0
                     : ends_in("fast_accum")     ? 13
                     : ends_in("f64_f64_f64")    ? 53
                     : ends_in("_f16_f16_f16")   ? 11
                     : ends_in("bf16_bf16_bf16") ? 8
                                                 : 24;
    EXPECT_EQ(Row(word).accumulator_bits, bits) << word;
  }
}

}  // namespace
}  // namespace assay
