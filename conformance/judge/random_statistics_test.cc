// Statistical tests of random numbers: generators without a fault pass them, the usual faults do
// not, and the judge applies them.
#include "conformance/judge/random_statistics.h"

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

using DrawNumber = std::function<double(int64_t i)>;

Literal Drawn(ElementType type, int64_t count, const DrawNumber& draw) {
  Literal array = Literal::Zeros(Shape(type, {count}));
  for (int64_t i = 0; i < count; ++i) {
    const double x = draw(i);
    array.Set(
        i, {IsFloat(type)
                ? EncodeFloat(type, x)
                : EncodeInteger(type, static_cast<uint64_t>(static_cast<int64_t>(std::floor(x))))});
  }
  return array;
}

Literal NumberOf(ElementType type, double value) {
  return Drawn(type, 1, [value](int64_t) { return value; }).WithShape(Shape(type, {}));
}

// An rng of `count` numbers.
struct Distribution {
  Distribution(ElementType number_type, int64_t elements, double first, double second,
               const char* name = "rng_uniform")
      : type(number_type),
        count(elements),
        operands({NumberOf(type, first), NumberOf(type, second)}),
        rng(absl::StrCat(Name(type), "[", count, "] rng(p0, p1), distribution=", name),
            {absl::StrCat(Name(type), "[]"), absl::StrCat(Name(type), "[]")}) {}

  std::string Explain(const DrawNumber& draw, const char* profile = "cpu-strict") const {
    return rng.Explain(operands, Drawn(type, count, draw), profile);
  }

  ElementType type;
  int64_t count;
  std::vector<Literal> operands;
  Case rng;
};

constexpr ElementType kFloats[] = {ElementType::kF64, ElementType::kF32, ElementType::kF16,
                                   ElementType::kBF16};
constexpr ElementType kIntegers[] = {ElementType::kS8, ElementType::kU16, ElementType::kS32,
                                     ElementType::kU64};

TEST(RandomStatistics, GeneratorsWithoutAFaultPass) {
  std::mt19937_64 words(1);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal;
  for (const int64_t count : {1, 2, 3, 9, 64, 4096, 50000}) {
    for (const ElementType type : kFloats) {
      const Distribution uniform(type, count, -2, 6), bell(type, count, 3, 0.5, "rng_normal");
      EXPECT_EQ(uniform.Explain([&](int64_t) { return 8 * unit(words) - 2; }), "random");
      EXPECT_EQ(bell.Explain([&](int64_t) { return 0.5 * normal(words) + 3; }), "random");
    }
    for (const ElementType type : kIntegers) {
      for (const double range : {2, 7, 100}) {
        const Distribution uniform(type, count, 0, range);
        const std::string verdict = uniform.Explain([&](int64_t) { return range * unit(words); });
        EXPECT_TRUE(verdict == "random" || verdict == "golden") << verdict;
      }
    }
  }
  // Types of a few bits: rounded from a finer number.
  for (const ElementType type : {ElementType::kF8E4M3FN, ElementType::kF8E5M2}) {
    const Distribution uniform(type, 4096, -1, 1);
    EXPECT_EQ(uniform.Explain([&](int64_t) { return 2 * unit(words) - 1; }), "random");
  }
}

// Whatever is rejected at a rate of 1e-10 must not be rejected in some thousand arrays.
TEST(RandomStatistics, ManyArraysPass) {
  std::mt19937_64 words(7);
  std::uniform_real_distribution<double> unit(0, 1);
  const Distribution uniform(ElementType::kF32, 100, 0, 1);
  for (int k = 0; k < 5000; ++k) {
    const Literal array = Drawn(ElementType::kF32, 100, [&](int64_t) { return unit(words); });
    ASSERT_EQ(RefuteRandom(uniform.rng.root(), uniform.operands, array), std::nullopt) << k;
  }
}

TEST(RandomStatistics, WhatCannotBeDrawnIsWrongByItself) {
  for (const double value : {-1.0, -1e9, 6.0, 2e9}) {
    const Distribution uniform(ElementType::kS32, 64, 0, 6);
    EXPECT_EQ(uniform.Explain([&](int64_t i) { return i == 9 ? value : i % 6; }), "wrong");
    EXPECT_NE(RefuteRandom(uniform.rng.root(), uniform.operands,
                           Drawn(ElementType::kS32, 64, [&](int64_t) { return value; })),
              std::nullopt);
  }
}

TEST(RandomStatistics, FaultsAreFound) {
  std::mt19937_64 words(2);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal;
  std::vector<double> block(256);
  for (double& x : block) x = unit(words);
  for (const ElementType type : kFloats) {
    const Distribution uniform(type, 4096, 0, 1), bell(type, 4096, 0, 1, "rng_normal");
    const struct {
      const char* what;
      DrawNumber draw;
    } kUniformFaults[] = {
        {"constant", [](int64_t) { return 0.25; }},
        {"nearer to the middle", [&](int64_t) { return 0.25 + 0.5 * unit(words); }},
        {"a ramp", [](int64_t i) { return static_cast<double>(i) / 4096; }},
        {"the same block again and again", [&](int64_t i) { return block[i % 256]; }},
        {"squares", [&](int64_t) { return std::pow(unit(words), 2); }},
    };
    for (const auto& fault : kUniformFaults) {
      // Halves of a ramp in 8 bits are equal as often as neighbours: found by the order.
      EXPECT_EQ(uniform.Explain(fault.draw), "wrong") << Name(type) << " " << fault.what;
    }
    EXPECT_EQ(bell.Explain([](int64_t) { return 0.5; }), "wrong");
    EXPECT_EQ(bell.Explain([&](int64_t) { return 1.5 * normal(words); }), "wrong");
    EXPECT_EQ(bell.Explain([&](int64_t) { return 0.5 + normal(words); }), "wrong");
    EXPECT_EQ(bell.Explain([&](int64_t) { return 2 * unit(words) - 1; }), "wrong");
  }
  for (const ElementType type : kIntegers) {
    const Distribution uniform(type, 4096, 0, 100);
    EXPECT_EQ(uniform.Explain([](int64_t) { return 7; }), "wrong");
    EXPECT_EQ(uniform.Explain([&](int64_t) { return 90 * unit(words); }), "wrong");
    EXPECT_EQ(uniform.Explain([](int64_t i) { return static_cast<double>(i % 100); }), "wrong");
  }
}

// A constant is found in nine elements of f32, and says why.
TEST(RandomStatistics, TheReasonNamesTheCount) {
  const Distribution uniform(ElementType::kF32, 9, 0, 1);
  const Judgement judgement = uniform.rng.Judge(
      uniform.operands, Drawn(ElementType::kF32, 9, [](int64_t) { return 0.5; }), "cpu-strict");
  ASSERT_FALSE(judgement.evidence.empty());
  EXPECT_EQ(judgement.evidence[0].reason.substr(0, 36), "not random: equal neighbours (even, ")
      << judgement.evidence[0].reason;
  // Golden's own numbers, and whatever a profile does not let differ.
  EXPECT_EQ(uniform.Explain([](int64_t) { return 0.5; }, "golden"), "wrong");
}

TEST(RandomStatistics, BitsOfTheDefaultAlgorithm) {
  std::mt19937_64 words(3);
  const auto explain = [](ElementType type, int64_t count, const std::function<uint64_t()>& draw) {
    const Case generator(absl::StrCat("(u64[2], ", Name(type), "[", count,
                                      "]) rng-bit-generator(p0), algorithm=", "rng_default"),
                         {"u64[2]"});
    Literal state = Literal::Zeros(Shape(ElementType::kU64, {2}));
    state.Set(0, {5});
    Literal bits = Literal::Zeros(Shape(type, {count}));
    for (int64_t i = 0; i < count; ++i) bits.Set(i, {EncodeInteger(type, draw())});
    Literal next = state;
    next.Set(1, {77});
    return generator.Explain({state}, Literal::Tuple({next, bits}), "cpu-strict");
  };
  for (const ElementType type : {ElementType::kU8, ElementType::kU16, ElementType::kU32,
                                 ElementType::kU64, ElementType::kU4}) {
    for (const int64_t count : {8, 100, 4096}) {
      EXPECT_EQ(explain(type, count, [&] { return words(); }), "random") << Name(type);
    }
    EXPECT_EQ(explain(type, 1024, [] { return 0; }), "wrong") << Name(type);
    EXPECT_EQ(explain(type, 1024, [] { return ~uint64_t{0}; }), "wrong") << Name(type);
    EXPECT_EQ(explain(type, 1024, [&] { return words() | 1; }), "wrong") << Name(type);
    uint64_t count = 0;
    EXPECT_EQ(explain(type, 1024, [&] { return count++; }), "wrong") << Name(type);
  }
  EXPECT_EQ(explain(ElementType::kU32, 7, [] { return 0; }), "wrong");
}

}  // namespace
}  // namespace assay::conformance
