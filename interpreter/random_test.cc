// rng and rng-get-and-update-state: which numbers come is no promise, their distribution is. The
// checks and their limits are those of the reference (ops_control_and_collectives.md 9.2, 9.3).
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "interpreter/testing.h"

namespace assay::random_test {
namespace {

// What the entry of a module without parameters gives on each replica.
std::vector<Literal> Draw(const std::string& text, uint64_t seed = 1, int64_t replicas = 1) {
  std::unique_ptr<Module> module = MustParse(text);
  if (module == nullptr) return {};
  module->replica_count = replicas;
  absl::StatusOr<std::unique_ptr<PlannedModule>> plan = PlannedModule::Create(*module);
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return {};
  Program program;
  program.module = plan->get();
  program.grid = {replicas, 1};
  program.arguments.resize(replicas);
  RunOptions options;
  options.random_seed = seed;
  auto results = RunPrograms(absl::MakeConstSpan(&program, 1), options);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? results->front() : std::vector<Literal>();
}

std::string Rng(absl::string_view type, int64_t count, absl::string_view a, absl::string_view b,
                absl::string_view distribution = "rng_uniform") {
  return absl::StrCat("HloModule m\nENTRY e {\n  a = ", type, "[] constant(", a, ")\n  b = ", type,
                      "[] constant(", b, ")\n  ROOT r = ", type, "[", count,
                      "] rng(a, b), distribution=", distribution, "\n}\n");
}

std::vector<double> Numbers(const Literal& array) {
  std::vector<double> numbers;
  const ElementType type = array.element_type();
  for (int64_t i = 0; i < array.element_count(); ++i) {
    const uint64_t bits = array.Get(i).bits;
    numbers.push_back(IsFloat(type)    ? DecodeFloat(type, bits)
                      : IsSigned(type) ? static_cast<double>(DecodeSigned(type, bits))
                                       : static_cast<double>(DecodeUnsigned(type, bits)));
  }
  return numbers;
}

std::vector<double> DrawNumbers(const std::string& text, uint64_t seed = 1) {
  const std::vector<Literal> values = Draw(text, seed);
  return values.empty() ? std::vector<double>() : Numbers(values[0]);
}

double Mean(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum / x.size();
}
double Variance(const std::vector<double>& x, double mean) {
  double sum = 0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return sum / x.size();
}
double Correlation(const std::vector<double>& x, const std::vector<double>& y, size_t lag) {
  const double mx = Mean(x), my = Mean(y);
  double sum = 0;
  for (size_t i = 0; i + lag < x.size(); ++i) sum += (x[i] - mx) * (y[i + lag] - my);
  return sum / x.size() / std::sqrt(Variance(x, mx) * Variance(y, my));
}

// Chi-square of `bins` equal bins over [0, bins). Its bound: the normal approximation of Wilson and
// Hilferty at p = 1e-5 (4.265 deviations).
void ExpectEven(const std::vector<double>& x, int bins, const std::string& what) {
  std::vector<int> counts(bins);
  for (const double v : x) {
    ASSERT_GE(v, 0) << what;
    ASSERT_LT(v, bins) << what;
    ++counts[static_cast<int>(v)];
  }
  const double expected = static_cast<double>(x.size()) / bins;
  double chi = 0;
  for (const int count : counts) chi += (count - expected) * (count - expected) / expected;
  const double k = bins - 1, spread = 2 / (9 * k);
  EXPECT_LT(chi, k * std::pow(1 - spread + 4.265 * std::sqrt(spread), 3)) << what;
}

TEST(RngTest, IntegersAreEvenInEveryType) {
  for (const char* type : {"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"}) {
    for (const int range : {7, 61, 64, 108}) {
      ExpectEven(DrawNumbers(Rng(type, 256 * range, "0", absl::StrCat(range))), range,
                 absl::StrCat(type, " ", range));
    }
  }
  for (const char* type : {"s16", "u16", "s32", "u64"}) {
    ExpectEven(DrawNumbers(Rng(type, 256 * 256, "0", "256")), 256, type);
  }
  ExpectEven(DrawNumbers(Rng("s4", 256 * 7, "0", "7")), 7, "s4");
  ExpectEven(DrawNumbers(Rng("u4", 256 * 15, "0", "15")), 15, "u4");
  ExpectEven(DrawNumbers(Rng("u2", 256 * 3, "0", "3")), 3, "u2");
}

TEST(RngTest, IntegersReachBothEndsOfTheirRange) {
  for (const double v : DrawNumbers(Rng("s8", 1000, "-128", "-126"))) {
    EXPECT_TRUE(v == -128 || v == -127) << v;
  }
  double least = 0, most = 0;
  for (const double v : DrawNumbers(Rng("s32", 4096, "-2147483648", "2147483647"))) {
    least = std::min(least, v);
    most = std::max(most, v);
  }
  EXPECT_LT(least, -2.1e9);
  EXPECT_GT(most, 2.1e9);
}

TEST(RngTest, FloatsAreEvenAndWithinTheirRange) {
  constexpr int kCount = 64 * 256;
  for (const char* type : {"f16", "bf16", "f32", "f64"}) {
    std::vector<double> x = DrawNumbers(Rng(type, kCount, "0", "1"));
    ASSERT_EQ(x.size(), kCount);
    const double mean = Mean(x), sigma = std::sqrt(1.0 / 12);
    EXPECT_NEAR(mean, 0.5, 5 * sigma / std::sqrt(kCount) + 0.003) << type;
    EXPECT_NEAR(Variance(x, 0.5), 1.0 / 12, 5.0 / 12 * std::sqrt(0.8 / kCount) + 0.001) << type;
    EXPECT_LE(std::abs(Correlation(x, x, 1)), 5 / std::sqrt(kCount)) << type;
    for (double& v : x) v *= 64;
    if (std::string(type) != "bf16") ExpectEven(x, 64, type);  // 8 bits round into other bins
  }
  for (const char* type : {"f8e4m3fn", "f8e5m2", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz",
                           "f8e4m3", "f8e3m4", "f4e2m1fn"}) {
    for (const double v : DrawNumbers(Rng(type, 500, "0", "1"))) {
      EXPECT_TRUE(v >= 0 && v < 1) << type << " " << v;
    }
  }
}

// Of f64, a number that 23 bits give is one in 2^29.
TEST(RngTest, UniformNumbersHaveTheBitsOfTheirType) {
  for (const char* type : {"f32", "f64"}) {
    int longer = 0;
    for (const double v : DrawNumbers(Rng(type, 1000, "0", "1"))) {
      longer += std::ldexp(v, 23) != std::floor(std::ldexp(v, 23));
    }
    EXPECT_EQ(longer, type == std::string("f32") ? 0 : 1000);
  }
}

TEST(RngTest, UniformPassesKolmogorovAndSmirnov) {
  constexpr int kCount = 4096;
  std::vector<double> x = DrawNumbers(Rng("f32", kCount, "-3", "5"));
  std::sort(x.begin(), x.end());
  double distance = 0;
  for (int i = 0; i < kCount; ++i) {
    const double f = (x[i] + 3) / 8;
    distance = std::max(
        {distance, f - static_cast<double>(i) / kCount, static_cast<double>(i + 1) / kCount - f});
  }
  EXPECT_LE(distance, 2.23 / std::sqrt(kCount));
}

TEST(RngTest, NormalsHaveTheirMoments) {
  constexpr int kCount = 20001;  // the last pair is used by half
  for (const char* type : {"f16", "bf16", "f32", "f64"}) {
    const std::vector<double> x = DrawNumbers(Rng(type, kCount, "3", "0.5", "rng_normal"));
    EXPECT_NEAR(Mean(x), 3, 5 * 0.5 / std::sqrt(kCount) + 0.001) << type;
    EXPECT_NEAR(Variance(x, 3), 0.25, 5 * 0.25 * std::sqrt(2.0 / kCount) + 0.001) << type;
    EXPECT_LE(std::abs(Correlation(x, x, 1)), 5 / std::sqrt(kCount)) << type;
  }
}

TEST(RngTest, WhatTheDocumentsLeaveOpenIsDecided) {
  const auto all = [](const std::string& text, double value) {
    for (const double v : DrawNumbers(text)) EXPECT_EQ(v, value) << text;
  };
  all(Rng("f32", 20, "2", "2"), 2);
  all(Rng("f32", 20, "2", "1"), 2);
  all(Rng("s32", 20, "5", "5"), 5);
  all(Rng("s32", 20, "5", "-5"), 5);
  all(Rng("pred", 20, "false", "true"), 0);
  all(Rng("f32", 20, "1.5", "0", "rng_normal"), 1.5);
  EXPECT_EQ(DrawNumbers(Rng("f64", 9, "0", "-2", "rng_normal")),
            DrawNumbers(Rng("f64", 9, "0", "2", "rng_normal")));
  EXPECT_TRUE(DrawNumbers(Rng("f32", 0, "0", "1")).empty());
}

// Four draws of two instructions: one in a loop of two turns, one in an element-wise map.
constexpr char kDraws[] = R"(HloModule m
  body { s = (s32[], f32[2,8]) parameter(0)
    n = s32[] get-tuple-element(s), index=0
    kept = f32[2,8] get-tuple-element(s), index=1
    zero = f32[] constant(0)
    one = f32[] constant(1)
    r = f32[1,8] rng(zero, one), distribution=rng_uniform
    none = s32[] constant(0)
    u = f32[2,8] dynamic-update-slice(kept, r, n, none)
    next = s32[] constant(1)
    m = s32[] add(n, next)
    ROOT t = (s32[], f32[2,8]) tuple(m, u) }
  condition { s = (s32[], f32[2,8]) parameter(0)
    n = s32[] get-tuple-element(s), index=0
    two = s32[] constant(2)
    ROOT go = pred[] compare(n, two), direction=LT }
  draw { x = f32[] parameter(0)
    one = f32[] constant(1)
    ROOT r = f32[] rng(x, one), distribution=rng_uniform }
  ENTRY e {
    zero = f32[] constant(0)
    none = s32[] constant(0)
    empty = f32[2,8] broadcast(zero), dimensions={}
    s = (s32[], f32[2,8]) tuple(none, empty)
    w = (s32[], f32[2,8]) while(s), condition=condition, body=body
    x = f32[2,8] get-tuple-element(w), index=1
    zeros = f32[8] broadcast(zero), dimensions={}
    y = f32[8] map(zeros), dimensions={0}, to_apply=draw
    ROOT t = (f32[2,8], f32[8]) tuple(x, y)
  })";

TEST(RngTest, EachDrawIsNewAndEachSeedRepeats) {
  const std::vector<Literal> values = Draw(kDraws, 7, 2);
  ASSERT_EQ(values.size(), 2);
  std::vector<double> all;
  for (const Literal& value : values) {
    for (const Literal& array : value.elements()) {
      for (const double v : Numbers(array)) all.push_back(v);
    }
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all.size(), 48);
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end()) << "a number came twice";
  const std::vector<Literal> again = Draw(kDraws, 7, 2), other = Draw(kDraws, 8, 2);
  EXPECT_TRUE(Literal::BitEqual(values[1], again[1]));
  EXPECT_FALSE(Literal::BitEqual(values[1], other[1]));
}

// The stream of an instruction goes on in the next run, where the caller keeps it.
TEST(RngTest, RunsGoOnWhereTheLastOneStopped) {
  std::unique_ptr<Module> module = MustParse(Rng("f32", 8, "0", "1"));
  auto plan = PlannedModule::Create(*module);
  ASSERT_TRUE(plan.ok());
  RandomStates states;
  RunOptions options;
  options.random = &states;
  const auto first = (*plan)->Run({}, options), second = (*plan)->Run({}, options);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_FALSE(Literal::BitEqual(*first, *second));
}

constexpr char kState[] = R"(HloModule m
  ENTRY e { ROOT s = u64[2] rng-get-and-update-state(), delta=9 })";

TEST(RngStateTest, TheCounterStartsAndCountsOn) {
  std::unique_ptr<Module> module = MustParse(kState);
  auto plan = PlannedModule::Create(*module);
  ASSERT_TRUE(plan.ok());
  RandomStates states;
  RunOptions options;
  options.random = &states;
  const auto next = [&] {
    const auto value = (*plan)->Run({}, options);
    return value.ok() ? PrintTypedLiteral(*value) : value.status().ToString();
  };
  EXPECT_EQ(next(), Canonical("u64[2] {117515157, 0}"));  // 0x7012395
  EXPECT_EQ(next(), Canonical("u64[2] {117515166, 0}"));
  // It has 128 bits: the low word carries into the high one, and all of it wraps.
  unsigned __int128& counter = states[{0, 0}].counters.begin()->second;
  counter = ~uint64_t{0} - 3;
  EXPECT_EQ(next(), Canonical("u64[2] {18446744073709551612, 0}"));
  EXPECT_EQ(next(), Canonical("u64[2] {5, 1}"));
  counter = ~static_cast<unsigned __int128>(0);
  EXPECT_EQ(next(), Canonical("u64[2] {18446744073709551615, 18446744073709551615}"));
  EXPECT_EQ(next(), Canonical("u64[2] {8, 0}"));
}

}  // namespace
}  // namespace assay::random_test
