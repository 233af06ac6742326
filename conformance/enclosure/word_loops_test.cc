// Loops over words against what the values say, in doubles: intervals of every size, zeros,
// denormals, infinities and NaNs, in arrays that fill no whole number of vectors.
#include "conformance/enclosure/word_loops.h"

#include <cmath>
#include <random>

namespace assay::conformance {
namespace {

constexpr int64_t kCount = 1003;
constexpr ElementType kTypes[] = {ElementType::kF64, ElementType::kF32, ElementType::kF16,
                                  ElementType::kBF16};

// Every pattern, and more often those that matter.
uint64_t RandomBits(std::mt19937_64& random, ElementType type) {
  const int bits = Info(type).bits;
  const uint64_t any = random() & (bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
  const uint64_t sign = any & (uint64_t{1} << (bits - 1));
  switch (random() % 8) {
    case 0:
      return sign;
    case 1:
      return sign | (any & 7);
    case 2:  // near a power of two
      return EncodeFloat(type, std::ldexp(1.0, static_cast<int>(random() % 4))) + random() % 5 - 2;
    case 3:
      return sign | (MinNormal(type) + random() % 3 - 1);
    case 4:
      return sign | Infinity(type);
    default:
      return any;
  }
}

struct Intervals {
  std::vector<double> lows, highs;
  Box box;
};

Intervals RandomIntervals(std::mt19937_64& random, ElementType type, bool points) {
  Intervals intervals;
  const Shape shape(type, {kCount});
  intervals.box = {Literal::Zeros(shape), Literal::Zeros(shape), {}, nullptr, false};
  const Line line(type);
  for (int64_t i = 0; i < kCount; ++i) {
    uint64_t low = RandomBits(random, type);
    const int64_t reach = int64_t{1} << random() % 12;
    uint64_t high = low;
    if (!points && !line.IsNan(low)) {
      high = line.Bits(std::min(line.Ordinal(low) + reach, line.greatest()));
    }
    intervals.box.low.Set(i, Element{low});
    intervals.box.high.Set(i, Element{high});
    intervals.lows.push_back(DecodeFloat(type, low));
    intervals.highs.push_back(DecodeFloat(type, high));
  }
  return intervals;
}

double At(const Literal& literal, int64_t i) {
  return DecodeFloat(literal.element_type(), literal.Get(i).bits);
}

// The distance from a finite value to the next one away from zero.
double UnitOf(ElementType type, double value) {
  const FloatFormat& format = *Info(type).format;
  const int exponent =
      value == 0 ? format.min_exponent() : std::max(std::ilogb(value), format.min_exponent());
  return std::ldexp(1.0, exponent - format.significand_bits);
}

// The smallest v - units ulp(v) of the interval: at its end, or at the next power of two above a
// positive one.
long double Reach(ElementType type, double low, double high, int64_t units) {
  const auto at = [&](double v) {
    return static_cast<long double>(v) - static_cast<long double>(units) * UnitOf(type, v);
  };
  if (low <= 0) return at(low);
  const double power = std::ldexp(1.0, std::ilogb(low) + 1);
  return power <= high ? std::min(at(low), at(power)) : at(low);
}

TEST(WordLoopsTest, LooseEndsAreOutsideByTheUnits) {
  std::mt19937_64 random(20261122);
  for (const ElementType type : kTypes) {
    const Line line(type);
    for (const int64_t units : {0, 1, 2, 7}) {
      for (int how = 0; how < 16; ++how) {
        const Slack slack{units, (how & 1) != 0, (how & 2) != 0, (how & 4) != 0, how >= 8};
        const Intervals was = RandomIntervals(random, type, how % 8 == 5);
        Box box = was.box;
        ASSERT_TRUE(LoosenWords(slack, &box)) << Name(type);
        const double normal = DecodeFloat(type, MinNormal(type));
        for (int64_t i = 0; i < kCount; ++i) {
          const double low = At(box.low, i), high = At(box.high, i);
          const double was_low = was.lows[i], was_high = was.highs[i];
          if (std::isnan(was_low)) {
            EXPECT_EQ(box.low.Get(i), was.box.low.Get(i));
            EXPECT_EQ(box.high.Get(i), was.box.high.Get(i));
            continue;
          }
          ASSERT_LE(low, was_low);
          ASSERT_GE(high, was_high);
          const int64_t down =
              line.Ordinal(was.box.low.Get(i).bits) - line.Ordinal(box.low.Get(i).bits);
          if (slack.exact_zeros && was_low == 0) {
            EXPECT_GE(line.Ordinal(box.low.Get(i).bits), -1);
          } else if (std::isfinite(was_low)) {
            EXPECT_LE(static_cast<long double>(low), Reach(type, was_low, was_high, units));
            // At most twice the units, or to the other zero.
            const bool stays = was_low < 0 || low > 0;
            EXPECT_LE(stays ? down : 0, 2 * units);
          }
          if (slack.exact_zeros && was_high == 0) {
            EXPECT_LE(line.Ordinal(box.high.Get(i).bits), 0);
          } else if (std::isfinite(was_high)) {
            EXPECT_LE(-static_cast<long double>(high), Reach(type, -was_high, -was_low, units));
          }
          if (units == 0 && !slack.flushed && !slack.zeros) {
            EXPECT_EQ(box.low.Get(i), was.box.low.Get(i));
            EXPECT_EQ(box.high.Get(i), was.box.high.Get(i));
          }
          // A denormal may be either zero.
          const bool denormal =
              (was_low > 0 && was_low < normal) || (was_high < 0 && was_high > -normal);
          if (slack.flushed && denormal) {
            EXPECT_LE(line.Ordinal(box.low.Get(i).bits), -1);
            EXPECT_GE(line.Ordinal(box.high.Get(i).bits), 0);
          }
          if (slack.zeros && was_low <= 0 && was_high >= 0) {
            EXPECT_LE(line.Ordinal(box.low.Get(i).bits), -1);
            EXPECT_GE(line.Ordinal(box.high.Get(i).bits), 0);
          }
        }
      }
    }
  }
}

TEST(WordLoopsTest, WhatDoesNotChangeStaysShared) {
  Box box = Box::Point(Literal::Zeros(Shape(ElementType::kF32, {kCount})));
  ASSERT_TRUE(LoosenWords({.flushed = true, .rounded = true}, &box));
  EXPECT_TRUE(box.is_point());
  ASSERT_TRUE(LoosenWords({.zeros = true}, &box));
  EXPECT_FALSE(box.is_point());
}

TEST(WordLoopsTest, OtherTypesGoElementByElement) {
  Box box = Box::Point(Literal::Zeros(Shape(ElementType::kF8E4M3FN, {3})));
  EXPECT_FALSE(LoosenWords({.units = 1}, &box));
  EXPECT_TRUE(AnyLiesIn({-1, 1}, box));
  // More units than there is room for past infinity.
  box = Box::Point(Literal::Zeros(Shape(ElementType::kBF16, {3})));
  EXPECT_FALSE(LoosenWords({.units = 64}, &box));
}

TEST(WordLoopsTest, HullsHoldEveryCorner) {
  std::mt19937_64 random(7);
  for (const ElementType type : kTypes) {
    for (const size_t corners : {2, 3, 4}) {
      std::vector<Literal> at(corners, Literal::Zeros(Shape(type, {kCount})));
      for (Literal& corner : at) {
        for (int64_t i = 0; i < kCount; ++i) {
          const uint64_t bits = RandomBits(random, type);
          corner.Set(i, Element{IsNan(type, bits) ? 0 : bits});
        }
      }
      const auto more = absl::MakeConstSpan(at).subspan(2);
      Box hull{at[0], at[1], {}, nullptr, false};
      Extent extent;
      ASSERT_TRUE(HullOfWords(more, &hull, &extent));
      const Line line(type);
      int64_t least_of_all = line.greatest(), greatest_of_all = line.least();
      for (int64_t i = 0; i < kCount; ++i) {
        int64_t least = line.Ordinal(at[0].Get(i).bits), greatest = least;
        for (const Literal& corner : at) {
          least = std::min(least, line.Ordinal(corner.Get(i).bits));
          greatest = std::max(greatest, line.Ordinal(corner.Get(i).bits));
        }
        ASSERT_EQ(line.Ordinal(hull.low.Get(i).bits), least);
        ASSERT_EQ(line.Ordinal(hull.high.Get(i).bits), greatest);
        least_of_all = std::min(least_of_all, least);
        greatest_of_all = std::max(greatest_of_all, greatest);
      }
      EXPECT_EQ(extent.least, least_of_all);
      EXPECT_EQ(extent.greatest, greatest_of_all);
      EXPECT_FALSE(extent.nan);
      at[corners - 1].Set(kCount - 1, Element{Infinity(type) + 1});
      hull = Box{at[0], at[1], {}, nullptr, false};
      EXPECT_FALSE(HullOfWords(more, &hull, &extent));
      EXPECT_TRUE(hull.low.shares_data_with(at[0]));
      EXPECT_TRUE(hull.high.shares_data_with(at[1]));
    }
    Box same = Box::Point(Literal::Zeros(Shape(type, {kCount})));
    same.high.mutable_data();
    Extent extent;
    ASSERT_TRUE(HullOfWords({}, &same, &extent));
    EXPECT_TRUE(same.is_point());
    EXPECT_EQ(extent.least, 0);
    EXPECT_EQ(extent.greatest, 0);
  }
}

// An end is the last value of the type within the radius, or infinite past the largest one.
TEST(WordLoopsTest, WidenedEndsAreTheLastWithinTheRadius) {
  std::mt19937_64 random(11);
  for (const ElementType type : {ElementType::kF64, ElementType::kF32, ElementType::kBF16}) {
    const Line line(type);
    const Intervals was = RandomIntervals(random, type, false);
    std::vector<double> radii(kCount);
    for (int64_t i = 0; i < kCount; ++i) {
      const double size = std::isfinite(was.lows[i]) ? std::fabs(was.lows[i]) : 1;
      const int scale = static_cast<int>(random() % 80) - 40;
      radii[i] = random() % 8 == 0    ? 0
                 : random() % 16 == 0 ? 1.7e308
                                      : std::ldexp(size, scale) * (1 + 0.3 * (random() % 3));
      if (!std::isfinite(radii[i])) radii[i] = 0x1p-1074;
    }
    Box box = was.box;
    ASSERT_TRUE(WidenWords(radii, &box));
    for (int64_t i = 0; i < kCount; ++i) {
      const double low = At(box.low, i), high = At(box.high, i);
      if (radii[i] == 0 || !std::isfinite(was.lows[i])) {
        EXPECT_EQ(box.low.Get(i), was.box.low.Get(i));
      } else {
        const long double least = static_cast<long double>(was.lows[i]) - radii[i];
        const int64_t ordinal = line.Ordinal(box.low.Get(i).bits);
        const auto at = [&](int64_t place) {
          return static_cast<long double>(DecodeFloat(type, line.Bits(place)));
        };
        if (least < at(line.least() + 1)) {
          EXPECT_EQ(ordinal, line.least());
        } else {
          // A sum in f64 is rounded to nearest.
          ASSERT_TRUE(type == ElementType::kF64 || low >= least) << was.lows[i] << " " << radii[i];
          ASSERT_LT(at(ordinal - 1), least) << was.lows[i] << " " << radii[i];
        }
      }
      if (radii[i] == 0 || !std::isfinite(was.highs[i])) {
        EXPECT_EQ(box.high.Get(i), was.box.high.Get(i));
      } else {
        const long double greatest = static_cast<long double>(was.highs[i]) + radii[i];
        const int64_t ordinal = line.Ordinal(box.high.Get(i).bits);
        const auto at = [&](int64_t place) {
          return static_cast<long double>(DecodeFloat(type, line.Bits(place)));
        };
        if (greatest > at(line.greatest() - 1)) {
          EXPECT_EQ(ordinal, line.greatest());
        } else {
          ASSERT_TRUE(type == ElementType::kF64 || high <= greatest) << was.highs[i];
          ASSERT_GT(at(ordinal + 1), greatest) << was.highs[i] << " " << radii[i];
        }
      }
    }
    // An infinite one is for the scalar form; where all are zero nothing changes.
    radii[kCount / 2] = INFINITY;
    EXPECT_FALSE(WidenWords(radii, &box));
    Box point = Box::Point(was.box.low);
    ASSERT_TRUE(WidenWords(std::vector<double>(kCount, 0.0), &point));
    EXPECT_TRUE(point.is_point());
  }
}

TEST(WordLoopsTest, MagnitudesAreThoseOfTheLargerEnd) {
  std::mt19937_64 random(13);
  for (const ElementType type : kTypes) {
    const Intervals of = RandomIntervals(random, type, false);
    Literal magnitudes;
    ASSERT_TRUE(MagnitudesOfWords(of.box, &magnitudes));
    for (int64_t i = 0; i < kCount; ++i) {
      const double wanted = std::max(std::fabs(of.lows[i]), std::fabs(of.highs[i]));
      const double magnitude = At(magnitudes, i);
      EXPECT_TRUE(magnitude == wanted || (std::isnan(magnitude) && std::isnan(of.lows[i])));
      EXPECT_FALSE(std::signbit(magnitude));
    }
    const Box zeros = Box::Point(Literal::Zeros(Shape(type, {kCount})));
    ASSERT_TRUE(MagnitudesOfWords(zeros, &magnitudes));
    EXPECT_TRUE(magnitudes.shares_data_with(zeros.low));
  }
}

TEST(WordLoopsTest, OneElementInTheRegionIsFound) {
  for (const ElementType type : kTypes) {
    Literal ones = Literal::Zeros(Shape(type, {kCount}));
    for (int64_t i = 0; i < kCount; ++i) ones.Set(i, Element{EncodeFloat(type, 1)});
    const Box box = Box::Point(ones);
    EXPECT_FALSE(AnyLiesIn({0, -1}, box));
    EXPECT_FALSE(AnyLiesIn({INT64_MAX, Line(type).greatest()}, box));
    EXPECT_TRUE(AnyLiesIn({INT64_MAX, INT64_MIN}, box));
    for (const int64_t i : {int64_t{0}, int64_t{500}, kCount - 1}) {
      Box zero = box, infinite = box, nan = box;
      zero.low.Set(i, Element{0});
      EXPECT_TRUE(AnyLiesIn({0, -1}, zero)) << i;
      infinite.high.Set(i, Element{Infinity(type)});
      EXPECT_TRUE(AnyLiesIn({INT64_MAX, Line(type).greatest()}, infinite)) << i;
      nan.low.Set(i, Element{Infinity(type) + 1});
      EXPECT_TRUE(AnyLiesIn({INT64_MIN, INT64_MAX}, nan)) << i;
    }
  }
}

}  // namespace
}  // namespace assay::conformance
