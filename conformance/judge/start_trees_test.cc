// Sums and products in random order with any number of uses of the start value (decision W-12),
// rounded after each step: the judge accuses none of them.
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/testing.h"
#include "spec/testing/schedule.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

class StartTreesTest : public ::testing::Test {
 protected:
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  double Mantissa() { return 1 + static_cast<double>(Below(1 << 20)) * 0x1p-20; }

  // Returns a number of one of five kinds, two of which reach the ends of the range.
  double Number(ElementType part, bool adds, int64_t kind) {
    const int64_t top = Info(part).format->max_exponent(), low = Info(part).format->min_exponent();
    const double sign = OneIn(2) ? 1 : -1;
    const auto power = [&](int64_t exponent) {
      return sign * std::ldexp(Mantissa(), static_cast<int>(exponent));
    };
    if (kind == 0) return power(Below(4));
    if (kind == 1) return power(adds ? top - Below(3) : Below(top + 1));
    if (kind == 2) return power(adds ? Below(30) % (top + 1) : Below(2 * top) - top);
    if (kind == 3 && !adds) return power(low / 2 - Below(3 - low / 2));
    if (kind == 3) return OneIn(6) ? sign * kInfinity : power(top - Below(3));
    return OneIn(4) ? sign * 0 : sign * static_cast<double>(Below(8));
  }

  Literal Numbers(ElementType type, const Dimensions& sizes, bool adds, int64_t kind) {
    const ElementType part = Info(type).component;
    Literal literal = Literal::Zeros(Shape(type, sizes));
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      const uint64_t real = EncodeFloat(part, Number(part, adds, kind));
      const uint64_t imag = IsComplex(type) ? EncodeFloat(part, Number(part, adds, kind)) : 0;
      literal.Set(i, {real, imag});
    }
    return literal;
  }

  // Joins random pairs of the leaves, in the type of an accumulator.
  double Fold(std::vector<double> leaves, ElementType kept, bool adds, bool flushes) {
    const auto flushed = [&](double x) {
      return flushes && std::fabs(x) < SmallestNormal(kept) ? std::copysign(0.0, x) : x;
    };
    while (leaves.size() > 1) {
      std::swap(leaves[Below(static_cast<int64_t>(leaves.size()))], leaves.back());
      const double a = flushed(leaves.back());
      leaves.pop_back();
      double& place = leaves[Below(static_cast<int64_t>(leaves.size()))];
      const double b = flushed(place);
      place = flushed(DecodeFloat(kept, EncodeFloat(kept, adds ? a + b : a * b)));
    }
    return leaves[0];
  }

  // The same of complex numbers, which are multiplied.
  Element FoldComplex(std::vector<Element> leaves, ElementType part, bool flushes) {
    const auto kept = [&](double x) {
      const double rounded = DecodeFloat(part, EncodeFloat(part, x));
      const bool small = flushes && std::fabs(rounded) < SmallestNormal(part);
      return small ? std::copysign(0.0, rounded) : rounded;
    };
    const auto decoded = [&](uint64_t bits) { return kept(DecodeFloat(part, bits)); };
    while (leaves.size() > 1) {
      std::swap(leaves[Below(static_cast<int64_t>(leaves.size()))], leaves.back());
      const double a = decoded(leaves.back().bits), b = decoded(leaves.back().imag);
      leaves.pop_back();
      Element& place = leaves[Below(static_cast<int64_t>(leaves.size()))];
      const double c = decoded(place.bits), d = decoded(place.imag);
      place = {EncodeFloat(part, kept(kept(a * c) - kept(b * d))),
               EncodeFloat(part, kept(kept(a * d) + kept(b * c)))};
    }
    return leaves[0];
  }

  Element ProductOfComplex(const Literal& x, const Literal& start, int64_t uses) {
    std::vector<Element> leaves(uses, start.Get(0));
    for (int64_t i = 0; i < x.element_count(); ++i) leaves.push_back(x.Get(i));
    return FoldComplex(std::move(leaves), Info(x.element_type()).component, OneIn(3));
  }

  // Returns what an implementation gives that uses the start value so often. Both parts of a
  // complex sum have one order.
  Element Result(const Literal& x, const Literal& start, bool adds, int64_t uses) {
    const ElementType type = x.element_type(), part = Info(type).component;
    if (IsComplex(type) && !adds) return ProductOfComplex(x, start, uses);
    const bool narrow = UnitRoundoff(part) > UnitRoundoff(ElementType::kF32);
    const ElementType kept = narrow && OneIn(2) ? ElementType::kF32 : part;
    const bool flushes = !narrow && OneIn(3);
    const std::mt19937_64 order = random_;
    Element result;
    for (uint64_t Element::*bits : {&Element::bits, &Element::imag}) {
      if (bits == &Element::imag && !IsComplex(type)) break;
      random_ = order;
      std::vector<double> leaves;
      for (int64_t i = 0; i < x.element_count(); ++i) {
        leaves.push_back(DecodeFloat(part, x.Get(i).*bits));
      }
      leaves.insert(leaves.end(), uses, DecodeFloat(part, start.Get(0).*bits));
      result.*bits = EncodeFloat(part, Fold(std::move(leaves), kept, adds, flushes));
    }
    return result;
  }

 private:
  std::mt19937_64 random_{20261130};
};

TEST_F(StartTreesTest, NoneIsWrong) {
  constexpr ElementType kTypes[] = {
      ElementType::kF32, ElementType::kF64,      ElementType::kBF16,   ElementType::kF16,
      ElementType::kC64, ElementType::kF8E4M3FN, ElementType::kF8E5M2, ElementType::kF4E2M1FN};
  int64_t open = 0;
  for (int64_t round = 0; round < Scheduled(2000); ++round) {
    const ElementType type = kTypes[Below(std::size(kTypes))];
    const std::string name(Info(type).name);
    const bool adds = OneIn(2);
    const int64_t count = 2 + Below(6), kind = Below(5);
    const Literal x = Numbers(type, {count}, adds, kind), start = Numbers(type, {}, adds, kind);
    const Case fold(absl::StrCat(name, "[] reduce(p0, p1), dimensions={0}, to_apply=f"),
                    {absl::StrCat(name, "[", count, "]"), absl::StrCat(name, "[]")},
                    absl::StrCat("f {\n  a = ", name, "[] parameter(0)\n  b = ", name,
                                 "[] parameter(1)\n  ROOT s = ", name, "[] ",
                                 adds ? "add" : "multiply", "(a, b)\n}\n"));
    for (int tries = 0; tries < 2; ++tries) {
      const int64_t uses = Below(count + 2);
      const Element result = Result(x, start, adds, uses);
      const Verdict verdict = fold.Judge({x, start}, Literal::Scalar(type, result)).verdict;
      EXPECT_NE(verdict, Verdict::kWrong)
          << (adds ? "sum" : "product") << " with " << uses << " uses of " << PrintLiteral(start)
          << ": " << PrintElement(type, result) << " of " << PrintLiteral(x);
      open += verdict == Verdict::kNotJudgeable ? 1 : 0;
    }
  }
  EXPECT_LT(open, 100);
}

}  // namespace
}  // namespace assay::conformance
