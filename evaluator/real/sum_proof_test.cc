// Fast sums against sums of integers: every float type, every length around the vectors, terms that
// cancel, underflow, overflow and come back, that are infinite or NaN, and a million of them.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "evaluator/real/exact_sum.h"
#include "evaluator/real/rounded_sum.h"
#include "evaluator/real/running_sum.h"
#include "evaluator/real/sum_families.h"
#include "runtime/float_environment.h"
#include "spec/testing/element_types.h"

namespace assay::evaluator::sum_proof_test {
namespace {

using ::assay::evaluator::testing::IntegerSum;
using ::assay::evaluator::testing::Products;
using ::assay::evaluator::testing::SameValue;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

// Whether both factors of every product come from a type of at most 32 bits.
bool IsNarrow(const Products& terms) {
  bool narrow = true;
  for (int64_t i = 0; i < terms.size(); ++i) {
    for (double x : {terms.a[i], terms.b[i]}) narrow = narrow && !(static_cast<float>(x) != x);
  }
  return narrow;
}

// Every form of a sum of these terms, in every float type. Fewer types for long sums.
void Check(const Products& terms, const std::vector<ElementType>& types) {
  SCOPED_TRACE(terms.name + ", " + std::to_string(terms.size()) + " terms");
  const IntegerSum exact = IntegerSum::Of(terms);
  const bool narrow = IsNarrow(terms);
  const int64_t n = terms.size();
  // Columns side by side, as many as vectors and what is left of one.
  constexpr int64_t kColumns = 13;
  std::vector<double> columns(n * kColumns), terms_in_columns(n * kColumns), spread(3 * n);
  bool plain = true;
  for (int64_t i = 0; i < n; ++i) {
    std::fill_n(columns.data() + i * kColumns, kColumns, terms.b[i]);
    std::fill_n(terms_in_columns.data() + i * kColumns, kColumns, terms.a[i]);
    spread[3 * i] = terms.a[i];
    plain = plain && terms.b[i] == 1;
  }
  ExactSum slow;
  for (int64_t i = 0; i < n; ++i) slow.AddProduct(terms.a[i], terms.b[i]);
  for (const ElementType type : types) {
    const uint64_t want = exact.Round(type);
    const auto expect = [&](uint64_t got, const char* form) {
      EXPECT_TRUE(SameValue(type, got, want))
          << Name(type) << " " << form << ": " << std::hex << got << ", exact " << want;
    };
    expect(slow.Round(type), "exact sum");
    const double *a = terms.a.data(), *b = terms.b.data();
    for (const FactorWidth width : {FactorWidth::k64Bits, FactorWidth::kUpTo32Bits}) {
      if (width == FactorWidth::kUpTo32Bits && !narrow) continue;
      expect(RoundedDot(type, width, a, 1, b, 1, n), "dot");
      expect(RoundedDot(type, width, spread.data(), 3, b, 1, n), "dot of strides");
      uint64_t out[kColumns];
      RoundedDotBlock(type, width, a, 1, columns.data(), kColumns, n, kColumns, out);
      for (int64_t j = 0; j < kColumns; ++j) expect(out[j], "columns");
    }
    if (!plain || n == 0) continue;
    expect(RoundedSum(type, a[0], a + 1, 1, n - 1), "sum");
    expect(RoundedSum(type, a[0], spread.data() + 3, 3, n - 1), "sum of strides");
    if (type == ElementType::kF32) {
      double s = a[0], errors = 0;
      for (int64_t i = 1; i < n; ++i) AddRunning(a[i], s, errors);
      uint64_t rounded = want;
      if (DecideF32(s, errors, &rounded)) expect(rounded, "sum in double");
    }
    RunningSum running;
    for (double x : terms.a) running.Add(x);
    expect(running.Round(type), "running sum");
    uint64_t out[kColumns];
    RoundedSumBlock(type, a[0], terms_in_columns.data() + kColumns, kColumns, n - 1, kColumns, out);
    for (int64_t j = 0; j < kColumns; ++j) expect(out[j], "columns of sums");
  }
}

double RandomDouble(std::mt19937_64& random, int low, int high) {
  const int exponent = low + static_cast<int>(random() % (high - low + 1));
  const double fraction = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
  return std::ldexp(random() % 2 == 0 ? fraction : -fraction, exponent);
}

// n terms (at least 3) of one of the kinds; products unless `plain`.
Products Make(const std::string& kind, int64_t n, bool narrow, bool plain,
              std::mt19937_64& random) {
  Products terms{kind + (narrow ? " f32" : " f64") + (plain ? " terms" : " products"), {}, {}};
  const auto rounded = [narrow](double x) { return narrow ? static_cast<float>(x) : x; };
  for (int64_t i = 0; i < n; ++i) {
    double a = RandomDouble(random, -1, 0), b = plain ? 1 : rounded(RandomDouble(random, -1, 0));
    if (kind == "wide") a = RandomDouble(random, narrow ? -126 : -900, narrow ? 120 : 900);
    if (kind == "subnormal") a = RandomDouble(random, narrow ? -149 : -1074, narrow ? -120 : -1020);
    if (kind == "whole") a = static_cast<double>(random() % 9) - 4;
    if (kind == "zero") a = i % 5 == 0 && random() % 4 == 0 ? 0.0 : -0.0;
    if (kind == "special" && random() % 8 == 0) {
      const double specials[] = {kInf, -kInf, kInf, 0, std::nan("")};
      a = specials[random() % 5];
    }
    if (kind == "overflowing") a = random() % 2 == 0 ? kMax : -kMax / 2;
    terms.Add(rounded(a), b);
  }
  if (kind == "cancelling") {
    // Pairs of opposite products, far apart, and one term that is left.
    for (int64_t i = 0; i + 1 < n; i += 2) {
      const int far = narrow ? 100 : 900;
      terms.a[i] = rounded(RandomDouble(random, -far, far));
      terms.a[i + 1] = -terms.a[i];
      terms.b[i + 1] = terms.b[i];
    }
    terms.a[n - 1] = rounded(RandomDouble(random, narrow ? -120 : -1000, narrow ? 0 : -60));
    std::shuffle(terms.a.begin(), terms.a.end(), random);
    if (!plain) std::fill(terms.b.begin(), terms.b.end(), rounded(0x1.fedcba9876543p0));
  }
  return terms;
}

const char* const kKinds[] = {"near", "wide",    "subnormal",   "whole",
                              "zero", "special", "overflowing", "cancelling"};

TEST(SumProofTest, EveryLengthAroundTheVectors) {
  const runtime::FloatEnvironmentGuard guard;
  std::mt19937_64 random(11);
  const std::vector<ElementType> every = FloatTypes();
  for (int64_t n = 1; n <= 70; ++n) {
    for (const std::string kind : kKinds) {
      for (const bool narrow : {true, false}) {
        if (narrow && kind == "overflowing") continue;
        const Products terms = Make(kind, n, narrow, random() % 2 == 0, random);
        // Every type is met at every other length or so.
        std::vector<ElementType> types = {ElementType::kF32, ElementType::kF64};
        types.push_back(every[random() % every.size()]);
        types.push_back(every[random() % every.size()]);
        Check(terms, types);
      }
    }
  }
}

TEST(SumProofTest, EveryTypeOnEveryKind) {
  const runtime::FloatEnvironmentGuard guard;
  std::mt19937_64 random(12);
  for (const std::string kind : kKinds) {
    for (const bool plain : {true, false}) {
      Check(Make(kind, 33, kind != "overflowing", plain, random), FloatTypes());
      Check(Make(kind, 100, false, plain, random), FloatTypes());
    }
  }
}

// Sums on a midpoint of each type, and one bit of any smallness beside it.
TEST(SumProofTest, MidpointsAndWhatTipsThem) {
  const runtime::FloatEnvironmentGuard guard;
  for (const ElementType type : FloatTypes()) {
    const FloatFormat& format = *Info(type).format;
    if (!format.has_sign) continue;
    const double one = 1, half_ulp = std::ldexp(1.0, -format.precision());
    for (const double sign : {1.0, -1.0}) {
      for (const double tip :
           {0.0, 0x1p-60, -0x1p-60, 0x1p-140, -0x1p-140, 0x1p-1074, -0x1p-1074}) {
        for (const int64_t n : {3, 8, 33, 64}) {
          for (const double odd : {0.0, 2.0}) {
            Products terms{"midpoint", std::vector<double>(n, 0.0), std::vector<double>(n, 1.0)};
            terms.a[0] = sign * one;
            terms.a[n / 2] = sign * half_ulp;
            terms.a[n / 3] += sign * odd * half_ulp;
            terms.a[n - 1] += tip;
            Check(terms, {type});
          }
        }
      }
    }
  }
}

// Past the largest value and back, in double and in the type of the result.
TEST(SumProofTest, OverflowsAndComesBack) {
  const runtime::FloatEnvironmentGuard guard;
  for (const ElementType type : FloatTypes()) {
    const double most = DecodeFloat(type, MaxFinite(type));
    for (const std::vector<double>& x :
         std::vector<std::vector<double>>{{most, most, -most},
                                          {most, most, most, -most, -most, -most, 1},
                                          {most, most / 2},
                                          {most, -most, -most},
                                          {most, kMax, -kMax},
                                          {kMax, kMax, -kMax, -kMax, kTiny},
                                          {kMax, 0x1p970, -0x1p-1074},
                                          {kMax, kInf, -kMax},
                                          {kInf, most, -kInf}}) {
      Products terms{"overflow", x, std::vector<double>(x.size(), 1.0)};
      Check(terms, {type});
    }
  }
}

TEST(SumProofTest, FamiliesThatLoseMost) {
  const runtime::FloatEnvironmentGuard guard;
  const std::vector<ElementType> types = {ElementType::kF32, ElementType::kF64, ElementType::kBF16};
  for (const int lanes : {1, 4, 8, 16}) {
    Check(testing::LosesHalfUlps(1000, lanes), types);
    Check(testing::LosesErrors(1000, lanes), types);
  }
  Check(testing::LosesUnderflow(), types);
}

// A sum that cancels to something small while nothing but its size is known: far beyond the largest
// value both signs are one NaN in some types.
TEST(SumProofTest, WhatIsLeftOfHugeTerms) {
  const runtime::FloatEnvironmentGuard guard;
  for (const double left : {0x1p-126, 1.0, -1.0, 0x1p-300, 0.0}) {
    for (const int64_t n : {3, 4, 35, 80}) {
      Products terms{"huge terms", std::vector<double>(n, 0.0), std::vector<double>(n, 1.0)};
      terms.a[0] = 0x1p500;
      terms.a[1] = 0x1.8p430;
      terms.a[n - 2] -= 0x1p500 + 0x1.8p430;
      terms.a[n - 1] = left;
      Check(terms, FloatTypes());
      terms.a[1] = 0;
      terms.a[n - 2] = -0x1p500;
      Check(terms, FloatTypes());
    }
  }
}

TEST(SumProofTest, AMillionTerms) {
  const runtime::FloatEnvironmentGuard guard;
  std::mt19937_64 random(13);
  for (const std::string kind : {"near", "cancelling"}) {
    const Products terms = Make(kind, 1'000'000, true, false, random);
    const IntegerSum exact = IntegerSum::Of(terms);
    for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kF16}) {
      const uint64_t want = exact.Round(type);
      EXPECT_EQ(RoundedDot(type, FactorWidth::kUpTo32Bits, terms.a.data(), 1, terms.b.data(), 1,
                           terms.size()),
                want)
          << Name(type) << " " << kind;
      PartialSum sum;  // in parts, as kernels do
      for (int64_t first = 0; first < terms.size(); first += 999) {
        AddProducts(FactorWidth::kUpTo32Bits, terms.a.data() + first, terms.b.data() + first, 1,
                    std::min<int64_t>(999, terms.size() - first), 1, &sum);
      }
      uint64_t rounded = want;
      if (Decide(type, FactorWidth::kUpTo32Bits, sum, &rounded)) {
        EXPECT_EQ(rounded, want) << Name(type);
      }
    }
  }
}

// A complex dot is two real ones of twice the length, as rounded_sum.h says.
TEST(SumProofTest, ComplexDots) {
  const runtime::FloatEnvironmentGuard guard;
  std::mt19937_64 random(14);
  for (int64_t n = 1; n <= 40; ++n) {
    for (const ElementType part : {ElementType::kF32, ElementType::kF64}) {
      const bool narrow = part == ElementType::kF32;
      std::vector<double> x, real, imaginary;
      IntegerSum re, im;
      for (int64_t i = 0; i < n; ++i) {
        double v[4];
        for (double& value : v) {
          value = RandomDouble(random, -30, 30);
          if (narrow) value = static_cast<float>(value);
        }
        const auto [a, b, c, d] = v;  // (a + bi)(c + di)
        x.insert(x.end(), {a, b});
        real.insert(real.end(), {c, -d});
        imaginary.insert(imaginary.end(), {d, c});
        re.Add(a, c);
        re.Add(-b, d);
        im.Add(a, d);
        im.Add(b, c);
      }
      const FactorWidth width = narrow ? FactorWidth::kUpTo32Bits : FactorWidth::k64Bits;
      EXPECT_EQ(RoundedDot(part, width, x.data(), 1, real.data(), 1, 2 * n), re.Round(part));
      EXPECT_EQ(RoundedDot(part, width, x.data(), 1, imaginary.data(), 1, 2 * n), im.Round(part));
    }
  }
}

}  // namespace
}  // namespace assay::evaluator::sum_proof_test
