// The fast sums against ExactSum (itself held against MPFR by exact_sum_test.cc), on data that
// makes the fast phase decide, data that makes it give up, and data on the border.
#include "evaluator/real/rounded_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "evaluator/real/exact_product.h"
#include "evaluator/real/exact_sum.h"
#include "evaluator/real/rounded_tile.h"
#include "evaluator/real/running_sum.h"

namespace assay::evaluator::rounded_sum_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

const ElementType kResults[] = {ElementType::kF64,      ElementType::kF32,
                                ElementType::kBF16,     ElementType::kF16,
                                ElementType::kF8E4M3FN, ElementType::kF8E5M2FNUZ,
                                ElementType::kF4E2M1FN, ElementType::kF8E8M0FNU};

// Kinds of data: what a kernel meets, and what is hard for a floating-point sum.
enum class Data { kUniform, kIntegers, kWideExponents, kCancelling, kZeros, kSubnormal, kSpecial };
const Data kAllData[] = {Data::kUniform, Data::kIntegers,  Data::kWideExponents, Data::kCancelling,
                         Data::kZeros,   Data::kSubnormal, Data::kSpecial};

// Values of type f32 when `narrow`.
std::vector<double> Make(Data data, int64_t n, bool narrow, std::mt19937_64& random) {
  std::vector<double> x(n);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int64_t i = 0; i < n; ++i) {
    double value = uniform(random);
    switch (data) {
      case Data::kUniform:
        break;
      case Data::kIntegers:
        value = static_cast<double>(static_cast<int>(random() % 17) - 8);
        break;
      case Data::kWideExponents:
        value = std::ldexp(value, static_cast<int>(random() % 200) - 100);
        break;
      case Data::kCancelling:
        if (narrow) value = static_cast<float>(value);
        if (i > 0 && i % 2 == 1) value = -x[i - 1];
        if (i == n - 1) value = 0x1p-60;
        break;
      case Data::kZeros:
        value = random() % 8 == 0 ? 0.0 : -0.0;
        break;
      case Data::kSubnormal:
        value = std::ldexp(value, narrow ? -140 : -1060 + static_cast<int>(random() % 30));
        break;
      case Data::kSpecial:
        if (random() % 16 == 0) value = random() % 2 ? kInf : narrow ? 0x1.fffffep127 : kMax;
        break;
    }
    x[i] = narrow ? static_cast<float>(value) : value;
  }
  return x;
}

uint64_t Exact(ElementType type, const double* a, int64_t stride_a, const double* b,
               int64_t stride_b, int64_t n) {
  ExactSum sum;
  for (int64_t i = 0; i < n; ++i) sum.AddProduct(a[i * stride_a], b[i * stride_b]);
  return sum.Round(type);
}

const int64_t kLengths[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 64, 100, 1000, 5000};

TEST(RoundedSumTest, DotEqualsTheExactSum) {
  std::mt19937_64 random(5);
  for (bool narrow : {true, false}) {
    const FactorWidth width = narrow ? FactorWidth::kUpTo32Bits : FactorWidth::k64Bits;
    for (Data data_a : kAllData) {
      for (Data data_b : kAllData) {
        for (int64_t n : kLengths) {
          const std::vector<double> a = Make(data_a, n, narrow, random);
          const std::vector<double> b = Make(data_b, n, narrow, random);
          for (ElementType type : kResults) {
            EXPECT_EQ(RoundedDot(type, width, a.data(), 1, b.data(), 1, n),
                      Exact(type, a.data(), 1, b.data(), 1, n))
                << Name(type) << " n=" << n << " data " << static_cast<int>(data_a) << " "
                << static_cast<int>(data_b);
          }
        }
      }
    }
  }
}

TEST(RoundedSumTest, StridesZeroAndNegative) {
  std::mt19937_64 random(6);
  const std::vector<double> a = Make(Data::kUniform, 400, true, random);
  const std::vector<double> b = Make(Data::kUniform, 400, true, random);
  for (int64_t stride_a : {-3, -1, 0, 1, 2, 4}) {
    for (int64_t stride_b : {-2, 0, 1, 3}) {
      const double* start_a = a.data() + (stride_a < 0 ? 399 : 0);
      const double* start_b = b.data() + (stride_b < 0 ? 399 : 0);
      for (ElementType type : {ElementType::kF64, ElementType::kF32}) {
        EXPECT_EQ(RoundedDot(type, FactorWidth::k64Bits, start_a, stride_a, start_b, stride_b, 100),
                  Exact(type, start_a, stride_a, start_b, stride_b, 100));
        const double one = 1;
        EXPECT_EQ(RoundedSum(type, 0, start_a, stride_a, 100),
                  Exact(type, start_a, stride_a, &one, 0, 100));
      }
    }
  }
}

TEST(RoundedSumTest, SumWithInitialValue) {
  std::mt19937_64 random(7);
  const double inits[] = {0.0, -0.0, 1.5, -3, 0x1p100, kTiny, kInf, kMax};
  for (Data data : kAllData) {
    for (int64_t n : kLengths) {
      const std::vector<double> x = Make(data, n, false, random);
      for (double init : inits) {
        ExactSum exact;
        exact.Add(init);
        for (double term : x) exact.Add(term);
        for (ElementType type : kResults) {
          EXPECT_EQ(RoundedSum(type, init, x.data(), 1, n), exact.Round(type))
              << Name(type) << " n=" << n << " init " << init << " data " << static_cast<int>(data);
        }
      }
    }
  }
}

TEST(RoundedSumTest, BlocksEqualColumnsOneByOne) {
  std::mt19937_64 random(8);
  constexpr int64_t kColumns = 19, kStride = 23;
  for (bool narrow : {true, false}) {
    const FactorWidth width = narrow ? FactorWidth::kUpTo32Bits : FactorWidth::k64Bits;
    for (Data data : kAllData) {
      for (int64_t n : {0, 1, 5, 40}) {
        const std::vector<double> a = Make(Data::kUniform, 2 * n, narrow, random);
        const std::vector<double> b = Make(data, std::max<int64_t>(n, 1) * kStride, narrow, random);
        for (ElementType type : kResults) {
          uint64_t dots[kColumns], sums[kColumns];
          RoundedDotBlock(type, width, a.data(), 2, b.data(), kStride, n, kColumns, dots);
          RoundedSumBlock(type, 0.25, b.data(), kStride, n, kColumns, sums);
          for (int64_t j = 0; j < kColumns; ++j) {
            EXPECT_EQ(dots[j], Exact(type, a.data(), 2, b.data() + j, kStride, n)) << Name(type);
            EXPECT_EQ(sums[j], RoundedSum(type, 0.25, b.data() + j, kStride, n)) << Name(type);
          }
        }
      }
    }
  }
}

// Rows and columns of every kind of data; lengths of vectors are at least what their terms are.
TEST(RoundedSumTest, TilesEqualDotsOneByOne) {
  std::mt19937_64 random(10);
  for (Data data_a : kAllData) {
    for (Data data_b : kAllData) {
      for (int64_t n : {1, 31, 32, 77}) {
        const std::vector<double> a = Make(data_a, kDotTileRows * (n + 3), true, random);
        const std::vector<double> b = Make(data_b, n * kDotTileColumns, true, random);
        double rows[kDotTileRows], columns[kDotTileColumns];
        for (int64_t r = 0; r < kDotTileRows; ++r) rows[r] = DotLength(&a[r * (n + 3)], n);
        DotLengths(b.data(), n, columns);
        for (ElementType type : kResults) {
          uint64_t dots[kDotTileRows * kDotTileColumns];
          RoundedDotTile(type, a.data(), n + 3, rows, b.data(), columns, n, dots);
          for (int64_t i = 0; i < kDotTileRows * kDotTileColumns; ++i) {
            const int64_t r = i / kDotTileColumns, j = i % kDotTileColumns;
            EXPECT_EQ(dots[i], Exact(type, &a[r * (n + 3)], 1, &b[j], kDotTileColumns, n))
                << Name(type) << " n=" << n << " data " << static_cast<int>(data_a) << " "
                << static_cast<int>(data_b) << " element " << i;
          }
        }
      }
    }
  }
}

// What is decided after any number of parts is the exact sum; what is not decided stays rare on
// data that has nothing hard about it.
TEST(RoundedSumTest, PartsEqualTheExactSum) {
  std::mt19937_64 random(9);
  constexpr int64_t kColumns = 11, kTerms = 300;
  for (bool narrow : {true, false}) {
    const FactorWidth width = narrow ? FactorWidth::kUpTo32Bits : FactorWidth::k64Bits;
    for (Data data : kAllData) {
      const std::vector<double> a = Make(Data::kUniform, kTerms, narrow, random);
      const std::vector<double> b = Make(data, kTerms * kColumns, narrow, random);
      PartialSum dots[kColumns], sum = {b[0]};
      std::vector<double> s(kTerms, -0.0), e(kTerms), m(kTerms);
      for (int64_t first = 0, n = 0; first < kTerms; first += n) {
        n = std::min<int64_t>(kTerms - first, 1 + random() % 100);
        AddProducts(width, a.data() + first, b.data() + first * kColumns, kColumns, n, kColumns,
                    dots);
        AddTerms(b.data() + first * kColumns, kColumns, n, sum);
      }
      for (int64_t j = 0; j < kColumns; ++j) {
        AddEach(b.data() + j * kTerms, kTerms, s.data(), e.data(), m.data());
      }
      int64_t undecided = 0;
      for (ElementType type : kResults) {
        uint64_t rounded;
        for (int64_t j = 0; j < kColumns; ++j) {
          const uint64_t want = Exact(type, a.data(), 1, b.data() + j, kColumns, kTerms);
          if (!Decide(type, width, dots[j], &rounded)) {
            ++undecided;
          } else {
            EXPECT_EQ(rounded, want) << Name(type) << " data " << static_cast<int>(data);
          }
        }
        ExactSum exact;
        exact.Add(b[0]);
        for (int64_t k = 0; k < kTerms; ++k) exact.Add(b[k * kColumns]);
        if (Decide(type, FactorWidth::kUpTo32Bits, sum, &rounded)) {
          EXPECT_EQ(rounded, exact.Round(type)) << Name(type);
        }
        for (int64_t i = 0; i < kTerms; ++i) {
          ExactSum each;
          for (int64_t j = 0; j < kColumns; ++j) each.Add(b[j * kTerms + i]);
          if (Decide(type, FactorWidth::kUpTo32Bits, {s[i], e[i], m[i], kColumns}, &rounded)) {
            EXPECT_EQ(rounded, each.Round(type)) << Name(type);
          }
        }
      }
      if (data == Data::kUniform) {
        EXPECT_EQ(undecided, 0);
      }
    }
  }
}

// Sums that end on, just below and just above a midpoint, spread over all lanes.
TEST(RoundedSumTest, MidpointsOfF64AndF32) {
  for (int nudge = -1; nudge <= 1; ++nudge) {
    for (double unit : {0x1p-52, 0x1p-23}) {
      for (int64_t n : {3, 20, 40}) {
        std::vector<double> x(n, 0.0);
        x[0] = 1;
        x[n / 2] = unit / 2;
        x[n - 1] = nudge * 0x1p-300;
        ExactSum exact;
        for (double term : x) exact.Add(term);
        for (ElementType type : {ElementType::kF64, ElementType::kF32}) {
          EXPECT_EQ(RoundedSum(type, 0, x.data(), 1, n), exact.Round(type)) << nudge << " " << n;
        }
      }
    }
  }
  // Worked by hand: 1 + 2^-53 is a tie and goes to even, one bit more goes up.
  const double tie[] = {1, 0x1p-53, 0};
  EXPECT_EQ(RoundedSum(ElementType::kF64, 0, tie, 1, 3), 0x3ff0000000000000u);
  const double above[] = {1, 0x1p-53, 0x1p-200};
  EXPECT_EQ(RoundedSum(ElementType::kF64, 0, above, 1, 3), 0x3ff0000000000001u);
}

TEST(RoundedSumTest, ProductEqualsExactProduct) {
  const double x[] = {3, 9, 0.5, 9, 7};
  EXPECT_EQ(RoundedProduct(ElementType::kF32, 2, x, 2, 3), EncodeFloat(ElementType::kF32, 21.0));
  EXPECT_EQ(RoundedProduct(ElementType::kF32, -2, x, 1, 0), EncodeFloat(ElementType::kF32, -2.0));
}

TEST(RunningSum, EveryPrefixEqualsTheExactSum) {
  std::mt19937_64 random(8);
  for (const Data data : kAllData) {
    for (const bool narrow : {false, true}) {
      for (int run = 0; run < 20; ++run) {
        const std::vector<double> x = Make(data, 40, narrow, random);
        RunningSum running;
        ExactSum exact;
        for (size_t i = 0; i <= x.size(); ++i) {
          for (const ElementType result : kResults) {
            ASSERT_EQ(running.Round(result), exact.Round(result))
                << "data " << static_cast<int>(data) << " after " << i << " terms";
          }
          if (i == x.size()) break;
          running.Add(x[i]);
          exact.Add(x[i]);
        }
      }
    }
  }
}

TEST(RunningSum, OnTheBorderAndBackFromOverflow) {
  const std::vector<std::vector<double>> sums = {
      {0x1p24, 1, 0x1p-40, -0x1p-39},         {0x1p53, 1, 0x1p-60, 0x1p-200, -0x1p-60},
      {kMax, 0x1p970, -0x1p-1074, -kMax},     {kMax, kMax, -kMax, -kMax, kTiny},
      {1, 0x1p-106, 0x1p-212, -1, -0x1p-212}, {-0.0, -0.0, 0.0, -0.0}};
  for (const std::vector<double>& x : sums) {
    RunningSum running;
    ExactSum exact;
    for (const double term : x) {
      running.Add(term);
      exact.Add(term);
      for (const ElementType result : kResults)
        EXPECT_EQ(running.Round(result), exact.Round(result));
    }
  }
}

}  // namespace
}  // namespace assay::evaluator::rounded_sum_test
