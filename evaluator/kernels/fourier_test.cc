// fft: the kernel against the definition, bit for bit, and against sums in Boost's floats of 200
// digits; roots of unity, the bounds of the fast transform, and the exact decisions behind it.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernels/dd_fourier.h"
#include "evaluator/kernels/differential.h"
#include "evaluator/kernels/wide_fourier.h"
#include "evaluator/ops/exact_fourier.h"
#include "evaluator/real/roots_of_unity.h"
#include "spec/testing/schedule.h"

namespace assay::evaluator {
namespace {

using kernels::DdFourier;
using real::DdBall;

class Fourier : public ::testing::Test {
 protected:
  static std::string Sizes(std::vector<int64_t> sizes, int64_t last) {
    sizes.back() = last;
    return absl::StrJoin(sizes, ",");
  }
  // Transforms of all the dimensions.
  static Differential::Case Case(const std::string& kind, bool wide,
                                 const std::vector<int64_t>& lengths, int64_t batch = 1) {
    const int64_t n = lengths.back(), half = n == 0 ? 0 : n / 2 + 1;
    const std::string real = wide ? "f64[" : "f32[", complex = wide ? "c128[" : "c64[";
    const auto shape = [&](const std::string& type, int64_t last) {
      return absl::StrCat(type, batch, ",", Sizes(lengths, last), "]");
    };
    const std::string operand = kind == "RFFT"    ? shape(real, n)
                                : kind == "IRFFT" ? shape(complex, half)
                                                  : shape(complex, n);
    const std::string result = kind == "RFFT"    ? shape(complex, half)
                               : kind == "IRFFT" ? shape(real, n)
                                                 : shape(complex, n);
    return {absl::StrCat(result, " fft(p0), fft_type=", kind, ", fft_length={",
                         absl::StrJoin(lengths, ","), "}"),
            {operand},
            "",
            {}};
  }

  // Numbers of a few bits with exponents about zero.
  double Random() {
    switch (profile_) {
      case 0:  // any
        return std::ldexp(static_cast<double>(static_cast<int64_t>(random_())),
                          static_cast<int>(random_() % 16) - 70);
      case 1:  // whole, small
        return static_cast<double>(random_() % 5) - 2;
      default: {  // sums that are ties of f32 and f64
        static constexpr double kNumbers[] = {0, 0x1p24, 0x1p53, -0x1p24, -0x1p53, 1, -1, 3};
        return kNumbers[random_() % 8];
      }
    }
  }

  void CheckAgainstWide(const std::string& kind, bool wide, const std::vector<int64_t>& lengths) {
    const Differential::Case c = Case(kind, wide, lengths);
    const bool inverse = kind[0] == 'I', to_real = kind == "IRFFT", from_real = kind == "RFFT";
    const ElementType part = wide ? ElementType::kF64 : ElementType::kF32;
    const int64_t n = lengths.back(), half = n / 2 + 1;
    int64_t rows = 1, size = n;
    for (size_t d = 0; d + 1 < lengths.size(); ++d) rows *= lengths[d];
    size *= rows;
    const int64_t width = to_real ? half : n;
    std::vector<int64_t> sizes = {1};
    sizes.insert(sizes.end(), lengths.begin(), lengths.end());
    sizes.back() = width;
    const ElementType complex = wide ? ElementType::kC128 : ElementType::kC64;
    Literal x = Literal::Zeros(Shape(from_real ? part : complex, sizes));
    for (int64_t i = 0; i < x.element_count(); ++i) {
      const uint64_t imaginary = from_real ? 0 : EncodeFloat(part, Random() + 0.0);
      x.Set(i, {EncodeFloat(part, Random() + 0.0), imaginary});
    }
    const std::vector<Literal> result = differential_.CheckOn(c, {x});
    if (HasFailure()) return;
    // Axis by axis; IRFFT completes the last axis between, as 11 has it.
    std::vector<WideComplex> values = WideValues(x);
    int64_t stride = width;
    for (auto d = static_cast<int64_t>(lengths.size()) - 2; d >= 0; --d) {
      WideAxis(values, lengths[d], stride, inverse);
      stride *= lengths[d];
    }
    if (to_real) {
      std::vector<WideComplex> whole(size);
      for (int64_t i = 0; i < size; ++i) {
        const int64_t k = i % n, row = i / n * half;
        whole[i] = k < half ? values[row + k] : Conjugate(values[row + n - k]);
        if (k == 0 || 2 * k == n) whole[i].im = 0;
      }
      values = whole;
    }
    WideAxis(values, n, 1, inverse);
    Wide scale = 0;
    for (const WideComplex& value : values) scale += abs(value.re) + abs(value.im);
    const int64_t kept = from_real ? half : n;
    for (int64_t i = 0; i < result[0].element_count(); ++i) {
      WideComplex want = values[i / kept * n + i % kept];
      if (inverse) want = {want.re / size, want.im / size};
      const Element got = result[0].Get(i);
      EXPECT_EQ(got.bits, RoundWide(part, want.re, scale)) << c.instruction << " " << i;
      EXPECT_EQ(got.imag, to_real ? 0 : RoundWide(part, want.im, scale))
          << c.instruction << " " << i;
      if (HasFailure()) return;
    }
  }

  std::mt19937_64 random_{3};
  int profile_ = 0;
  Differential differential_;
};

constexpr const char* kKinds[] = {"FFT", "IFFT", "RFFT", "IRFFT"};

TEST_F(Fourier, IsItsDefinition) {
  for (const char* kind : kKinds) {
    for (const bool wide : {false, true}) {
      for (int64_t n = 0; n <= 20; ++n) differential_.Check(Case(kind, wide, {n}, 2));
      for (const auto& lengths : std::vector<std::vector<int64_t>>{
               {67}, {72}, {1, 1}, {3, 4}, {4, 3}, {2, 1, 5}, {3, 2, 2}, {6, 10}, {0, 3}}) {
        differential_.Check(Case(kind, wide, lengths, 2));
        if (HasFailure()) return;
      }
      differential_.Check(Case(kind, wide, {8}, 0));
    }
  }
  EXPECT_EQ(differential_.fallbacks(), 0);
}

TEST_F(Fourier, IsExact) {
  for (const char* kind : kKinds) {
    for (int64_t n = 1; n <= 64; n += kScheduleStride == 1 ? 1 : 5) {
      profile_ = static_cast<int>(n % 3);
      CheckAgainstWide(kind, n % 2 == 0, {n});
      if (HasFailure()) return;
    }
    for (const int64_t n : {67, 97, 128, 134}) {
      profile_ = 0;
      CheckAgainstWide(kind, n % 2 == 0, {n});
      if (HasFailure()) return;
    }
  }
  CheckAgainstWide("FFT", true, {257});
}

TEST_F(Fourier, DecidesOrdinaryElementsInTheFirstTier) {
  const int64_t lengths[] = {5}, bin[] = {2};
  std::vector<double> x = {0.1, -3, 7, 0.3, 2, 5, -0.7, 1, 11, 13};
  for (const bool imaginary : {false, true}) {
    EvaluationContext context;
    RealEnclosure enclosure;
    ASSERT_TRUE(ExactFourier(lengths, false, x)
                    .Part(ElementType::kF64, bin, imaginary, false, context, &enclosure)
                    .ok());
    EXPECT_FALSE(enclosure.undecided);
    EXPECT_EQ(context.real_stats.decided[static_cast<int>(RealTier::kBig192)], 1);
  }
}

// Element 1 of three real values, which is a tie of two f32 and is found to be one.
uint64_t TieOfThree(bool inverse, double first, double others) {
  const int64_t lengths[] = {3}, bin[] = {1};
  const std::vector<double> x = {first, 0, others, 0, others, 0};
  EvaluationContext context;
  const auto part = ExactFourier(lengths, inverse, x)
                        .Part(ElementType::kF32, bin, false, false, context, nullptr);
  EXPECT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(context.real_stats.decided[static_cast<int>(RealTier::kExact)], 1);
  return part.ok() ? *part : 0;
}

TEST_F(Fourier, DecidesTiesOfInversesAndWithInfinity) {
  // (50331648 + 9) / 3 = 16777219, and 2^128 - 2^104 + 2^103.
  EXPECT_EQ(TieOfThree(true, 50331648, -9), EncodeFloat(ElementType::kF32, 16777220));
  const double most = 0x1.fffffep127;
  EXPECT_EQ(TieOfThree(false, most, -0x1p103), Infinity(ElementType::kF32));
  EXPECT_EQ(TieOfThree(false, -most, 0x1p103), Infinity(ElementType::kF32, true));
}

// Lengths whose roots of unity are whole, halves and square roots.
TEST_F(Fourier, DecidesTies) {
  for (const char* kind : kKinds) {
    for (const int64_t n : {1, 2, 3, 4, 6, 8, 12, 24}) {
      for (const bool wide : {false, true}) {
        profile_ = 2;
        for (int round = 0; round < 8; ++round) CheckAgainstWide(kind, wide, {n});
        profile_ = 1;
        CheckAgainstWide(kind, wide, {n});
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(Fourier, OfSeveralAxes) {
  for (const char* kind : kKinds) {
    for (const auto& lengths : std::vector<std::vector<int64_t>>{
             {2, 3}, {3, 2}, {4, 6}, {5, 7}, {1, 4}, {4, 1}, {2, 3, 4}, {3, 3, 3}, {2, 2, 5}}) {
      profile_ = static_cast<int>(random_() % 3);
      CheckAgainstWide(kind, random_() % 2 == 0, lengths);
      if (HasFailure()) return;
    }
  }
}

// The whole range of f64: scaled blocks.
TEST_F(Fourier, OfFarNumbers) {
  for (const double scale : {0x1p-1060, 0x1p-900, 0x1p900, 0x1p1010}) {
    Literal x = Literal::Zeros(Shape(ElementType::kC128, {1, 15}));
    for (int64_t i = 0; i < 15; ++i) {
      x.Set(i, {EncodeFloat(ElementType::kF64, scale * static_cast<double>(random_() % 1000)),
                EncodeFloat(ElementType::kF64, scale * (i == 3 ? 0x1p-400 : 7.0))});
    }
    differential_.CheckOn(Case("FFT", true, {15}), {x});
    differential_.CheckOn(Case("IFFT", true, {15}), {x});
  }
}

TEST_F(Fourier, RootsOfUnity) {
  for (const int64_t order : {1, 2, 3, 4, 5, 8, 12, 97, 360}) {
    const real::FixedRoots fixed(order, 384);
    const auto balls = real::DdRoots(order);
    ASSERT_EQ(static_cast<int64_t>(balls.size()), order);
    for (int64_t t = 0; t < order; ++t) {
      const WideComplex& root = WideRoots(order)[t];
      real::FixedRoot room;
      const real::FixedRoot& found = fixed.At(t, room);
      const auto fixed_error = [](const real::Dyadic::Integer& part, const Wide& want) {
        return abs(Wide(part) - ldexp(want, 384));
      };
      EXPECT_LT(fixed_error(found.re, root.re), real::FixedRoot::kUnits);
      EXPECT_LT(fixed_error(found.im, root.im), real::FixedRoot::kUnits);
      for (const auto& [ball, want] : {std::pair(balls[t].re, root.re), {balls[t].im, root.im}}) {
        EXPECT_LE(abs(Wide(ball.hi) + ball.lo - want), Wide(ball.rad) + Wide("1e-190"));
        EXPECT_LT(ball.rad, 0x1p-101);
      }
    }
  }
}

// Roots that are multiplied when they are asked for agree with stored ones.
TEST_F(Fourier, RootsBeyondTheTable) {
  const int64_t stored = real::FixedRoots::kLargestTable;
  const real::FixedRoots table(stored, 192), multiplied(2 * stored, 192);
  for (int64_t t = 0; t < stored; t += 37) {
    real::FixedRoot room;
    const real::FixedRoot& want = table.At(t, room);
    const real::FixedRoot& found = multiplied.At(2 * t, room);
    EXPECT_EQ(&found, &room);
    EXPECT_LE(abs(found.re - want.re), 2 * real::FixedRoot::kUnits);
    EXPECT_LE(abs(found.im - want.im), 2 * real::FixedRoot::kUnits);
  }
}

// The bounds hold, and are no wider than the rounding needs: 40 bits beyond f64's.
TEST_F(Fourier, BoundsOfTheFastTransform) {
  EvaluationContext context;
  kernels::Meter meter(context);
  for (const int64_t n : {2, 4, 8, 9, 25, 61, 64, 67, 96, 97, 134, 257}) {
    for (const bool inverse : {false, true}) {
      std::vector<DdFourier::Number> line, room(n);
      std::vector<WideComplex> values;
      for (int64_t i = 0; i < n; ++i) {
        line.push_back({DdBall(Random()), DdBall(Random())});
        values.push_back({line.back().re.hi, line.back().im.hi});
      }
      ASSERT_TRUE(DdFourier(n, inverse).Run(line.data(), room.data(), meter).ok());
      const std::vector<WideComplex> want = WideTransform(values, inverse);
      double size = 0;
      for (const WideComplex& value : want) {
        size = std::max(size, std::fabs(static_cast<double>(value.re)));
      }
      for (int64_t k = 0; k < n; ++k) {
        for (const auto& [ball, exact] :
             {std::pair(line[k].re, want[k].re), {line[k].im, want[k].im}}) {
          ASSERT_LE(abs(Wide(ball.hi) + ball.lo - exact), Wide(ball.rad) + Wide("1e-150"))
              << n << " " << k;
          ASSERT_LT(ball.rad, size * 0x1p-86) << n << " " << k;
        }
      }
    }
  }
}

// Zeros of constant, periodic and symmetric data are exact without a sum for each.
TEST_F(Fourier, ZerosStayExact) {
  EvaluationContext context;
  kernels::Meter meter(context);
  for (const int64_t n : {8, 30, 64, 77, 67, 134, 1009}) {
    std::vector<DdFourier::Number> line(n, DdFourier::Number(DdBall(0.3), DdBall(-7))), room(n);
    ASSERT_TRUE(DdFourier(n, false).Run(line.data(), room.data(), meter).ok());
    for (int64_t k = 1; k < n; ++k) ASSERT_TRUE(line[k].IsZero()) << n << " " << k;
  }
}

// Re X[1] = x0 + (x1 + x4) cos 72 + (x2 + x3) cos 144, and cos 72 + cos 144 = -1/2: a tie of f64
// that algebra decides, or one with something beside it that is 2^2074 times smaller.
TEST_F(Fourier, StaysUndecidedBeyondTheWidestTier) {
  const int64_t lengths[] = {5}, bin[] = {1};
  std::vector<double> x(10);
  x[0] = 0x1p1000;
  x[2] = x[4] = -0x1p948;
  for (const double beside : {0.0, 0x1p-1000, -0x1p-1074}) {
    x[6] = beside;
    EvaluationContext context;
    RealEnclosure enclosure;
    const auto part = ExactFourier(lengths, false, x)
                          .Part(ElementType::kF64, bin, false, false, context, &enclosure);
    ASSERT_TRUE(part.ok());
    const uint64_t low = EncodeFloat(ElementType::kF64, 0x1p1000);
    EXPECT_EQ(enclosure.low.bits, low);
    EXPECT_EQ(enclosure.high.bits, beside == 0 ? low : low + 1);
    EXPECT_EQ(enclosure.undecided, beside != 0);
    EXPECT_EQ(context.real_stats.undecided(), beside == 0 ? 0 : 1);
    Literal operand = Literal::Zeros(Shape(ElementType::kC128, {1, 5}));
    for (int64_t i = 0; i < 5; ++i) operand.Set(i, {EncodeFloat(ElementType::kF64, x[2 * i])});
    differential_.CheckOn(Case("FFT", true, {5}), {operand});
  }
}

TEST_F(Fourier, RefusesOtherSizes) {
  auto module = ParseModule(
      "HloModule m\n\nENTRY e {\n p0 = c64[5] parameter(0)\n"
      " ROOT r = c64[5] fft(p0), fft_type=FFT, fft_length={4}\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::Status status = PrepareKernel(*(*module)->entry()->root()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("fft_c5"), std::string::npos);
}

}  // namespace
}  // namespace assay::evaluator
