#include "conformance/judge/random_statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/judge/random_values.h"
#include "spec/ir/attribute_values.h"

namespace assay::conformance {
namespace {

// Kullback-Leibler divergence of two Bernoulli distributions.
double Divergence(double q, double p) {
  const auto term = [](double a, double b) { return a == 0 ? 0 : a * std::log(a / b); };
  return term(q, p) + term(1 - q, 1 - p);
}

// Counts, each of which is binomial if the generator has no fault: of `trials` independent trials
// whose probability lies between `low` and `high`.
class CountTests {
 public:
  void Add(std::string what, int64_t count, int64_t trials, double low, double high) {
    if (trials > 0) tests_.push_back({std::move(what), count, trials, low, std::min(high, 1.0)});
  }

  std::optional<std::string> Refuted() const {
    const double threshold = std::log(2 * static_cast<double>(tests_.size()) / kRandomFalseAlarm);
    for (const Test& test : tests_) {
      const auto trials = static_cast<double>(test.trials);
      const double share = static_cast<double>(test.count) / trials;
      const double divergence = Divergence(share, std::clamp(share, test.low, test.high));
      if (!(trials * divergence > threshold)) continue;
      return absl::StrFormat(
          "not random: %s in %d of %d, a probability of %.4g to %.4g is expected; a false alarm "
          "has "
          "a probability below %.2g",
          test.what, test.count, test.trials, test.low, test.high, kRandomFalseAlarm);
    }
    return std::nullopt;
  }

 private:
  struct Test {
    std::string what;
    int64_t count, trials;
    double low, high;
  };
  std::vector<Test> tests_;
};

// The order of elements `a` and `b`: negative, 0 or positive.
using Order = std::function<int(int64_t a, int64_t b)>;

// Pairs of elements that have no element in common: of two independent equally distributed numbers
// that differ either is the greater one with probability 1/2, and they are equal with the
// probability `tie` at most. `step` is 2 where only every other element starts a pair.
void AddPairs(int64_t count, double tie, int64_t step, const Order& order, CountTests* tests) {
  const auto add = [&](const char* what, int64_t first, int64_t end, int64_t stride, int64_t lag) {
    int64_t ties = 0, rises = 0, pairs = 0;
    for (int64_t i = first; i < end && i + lag < count; i += stride) {
      const int relation = order(i, i + lag);
      ++pairs;
      ties += relation == 0;
      rises += relation < 0;
    }
    tests->Add(absl::StrCat("equal ", what), ties, pairs, 0, tie);
    tests->Add(absl::StrCat("rising ", what), rises, pairs - ties, 0.5, 0.5);
  };
  add("neighbours (even, odd)", 0, count, 2, 1);
  if (step == 1) add("neighbours (odd, even)", 1, count, 2, 1);
  const int64_t half = count / 2 / step * step;
  if (half > 1) add("elements half the array apart", 0, half, step, half);
}

int Compare(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }

std::vector<double> Doubles(const Literal& array) {
  std::vector<double> values;
  for (int64_t i = 0; i < array.element_count(); ++i) {
    values.push_back(DecodeFloat(array.element_type(), array.Get(i).bits));
  }
  return values;
}

// Adds a test for each bin. `share(k)` is the least and the greatest probability of bin k.
void AddBins(const std::vector<int64_t>& counts, int64_t elements,
             const std::function<std::pair<double, double>(int64_t)>& share, CountTests* tests) {
  for (size_t k = 0; k < counts.size(); ++k) {
    const auto [low, high] = share(static_cast<int64_t>(k));
    tests->Add(absl::StrCat("elements of part ", k + 1, " of ", counts.size()), counts[k], elements,
               std::max(low, 0.0), high);
  }
}

// Returns the number of equal parts. A part is at least twice as large as the interval that
// rounding may move values across.
int64_t PartsFor(double moved) {
  int64_t parts = 16;
  while (parts > 1 && moved * 2 * static_cast<double>(parts) > 1) parts /= 2;
  return parts;
}

// The probability of one number where floats are drawn before they are rounded: with the explicit
// bits of their significand, of f64 with those of f32 at least.
double DrawnStep(ElementType type) {
  return std::ldexp(1.0, -std::min(Info(type).format->significand_bits, 23));
}

// Floats from a up to b.
void AddUniformFloats(const Literal& array, double a, double b, CountTests* tests) {
  const ElementType type = array.element_type();
  if (!(b > a) || !std::isfinite(b - a)) return;
  const double step = UlpOf(type, std::max(std::fabs(a), std::fabs(b))) / (b - a);
  const double drawn = DrawnStep(type);
  const int64_t parts = PartsFor(2 * step);
  const std::vector<double> values = Doubles(array);
  std::vector<int64_t> counts(parts);
  for (const double x : values) {
    if (std::isnan(x)) continue;  // wrong by itself, as what lies outside is
    const double place = (x - a) / (b - a) * static_cast<double>(parts);
    ++counts[static_cast<int64_t>(std::clamp(place, 0.0, static_cast<double>(parts - 1)))];
  }
  if (parts > 1) {
    const double whole = 1 / static_cast<double>(parts);
    AddBins(
        counts, array.element_count(),
        [&](int64_t) {
          return std::pair{whole - 2 * step, whole + 2 * step};
        },
        tests);
  }
  AddPairs(
      array.element_count(), 2 * step + drawn, 1,
      [&](int64_t i, int64_t j) { return Compare(values[i], values[j]); }, tests);
}

// Integers from a up to b, b not included: words of at least the type's bits modulo b - a, so that
// a value may be drawn by one word more than another.
void AddUniformIntegers(const Literal& array, Element a, Element b, CountTests* tests) {
  const ElementType type = array.element_type();
  const auto value = [type](Element x) {
    return IsSigned(type) ? static_cast<uint64_t>(DecodeSigned(type, x.bits))
                          : DecodeUnsigned(type, x.bits);
  };
  const bool rises = IsSigned(type)
                         ? static_cast<int64_t>(value(a)) < static_cast<int64_t>(value(b))
                         : value(a) < value(b);
  const uint64_t range = value(b) - value(a);
  if (!rises || range < 2) return;
  const double words = std::ldexp(1.0, Info(type).bits), each = words / static_cast<double>(range);
  const double least = std::floor(each) / words, most = std::ceil(each) / words;
  const auto parts = static_cast<int64_t>(std::min<uint64_t>(range, 16));
  std::vector<uint64_t> places;
  std::vector<int64_t> counts(parts);
  for (int64_t i = 0; i < array.element_count(); ++i) {
    places.push_back(value(array.Get(i)) - value(a));
    // Values outside the range are wrong without any statistics.
    const auto part =
        static_cast<int64_t>(static_cast<unsigned __int128>(std::min(places.back(), range - 1)) *
                             static_cast<uint64_t>(parts) / range);
    ++counts[std::min(part, parts - 1)];
  }
  const auto first = [&](int64_t part) {  // the first value of a part
    return static_cast<double>(
        (static_cast<unsigned __int128>(part) * range + static_cast<uint64_t>(parts) - 1) /
        static_cast<uint64_t>(parts));
  };
  // The quotients of 64-bit values are rounded, so the bound has a small margin.
  constexpr double kRounding = 0x1p-40;
  AddBins(
      counts, array.element_count(),
      [&](int64_t part) {
        const double size = first(part + 1) - first(part);
        return std::pair{size * least * (1 - kRounding), size * most * (1 + kRounding)};
      },
      tests);
  AddPairs(
      array.element_count(), most * (1 + kRounding), 1,
      [&](int64_t i, int64_t j) {
        return places[i] < places[j] ? -1 : places[i] > places[j] ? 1 : 0;
      },
      tests);
}

// Eight parts of equal probability, and both tails.
constexpr double kOctiles[] = {-1.1503493803760079, -0.67448975019608171, -0.31863936396437515, 0,
                               0.31863936396437515, 0.67448975019608171,  1.1503493803760079};
constexpr double kTail = 9;  // beyond it lies 2.3e-19 of the distribution

void AddNormals(const Literal& array, double mean, double deviation, CountTests* tests) {
  const ElementType type = array.element_type();
  const double sigma = std::fabs(deviation);
  if (!(sigma > 0)) return;
  // Infinities and NaNs that stand for numbers of the distribution have no place in it.
  for (const double end : ReachOfNormals(type, mean, sigma)) {
    if (!std::isfinite(end)) return;
  }
  // The probability that rounding moves a value across an end of a part, at the greatest density.
  const double reach = std::fabs(mean) + 2 * sigma;
  const double step = 0.4 * UlpOf(type, reach) / sigma;
  const double drawn = DrawnStep(type);
  const double moved = 2 * step + drawn + 0x1p-16;  // numbers near 0 may be drawn as 1e-7
  const std::vector<double> values = Doubles(array);
  std::vector<int64_t> counts(std::size(kOctiles) + 1);
  int64_t far = 0;
  for (const double x : values) {
    const double z = (x - mean) / sigma;
    ++counts[std::upper_bound(std::begin(kOctiles), std::end(kOctiles), z) - std::begin(kOctiles)];
    far += !(std::fabs(z) <= kTail + UlpOf(type, reach) / sigma);  // NaN, too
  }
  if (moved < 0x1p-4) {
    AddBins(
        counts, array.element_count(),
        [&](int64_t) {
          return std::pair{0.125 - moved, 0.125 + moved};
        },
        tests);
  }
  tests->Add("numbers beyond nine standard deviations", far, array.element_count(), 0, 1e-15);
  // Box and Muller's transform gives two numbers of one radius, side by side or half the array
  // apart. They are independent, but two pairs must not mix them: pairs begin at even elements.
  AddPairs(
      array.element_count(), 4 * step + 2 * drawn + 0x1p-16, 2,
      [&](int64_t i, int64_t j) { return Compare(values[i], values[j]); }, tests);
}

// Tests every bit position by itself, since bits are independent.
void AddBits(const Literal& array, CountTests* tests) {
  const int width = Info(array.element_type()).bits;
  const int64_t elements = array.element_count();
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  std::vector<int64_t> ones(width);
  int64_t all = 0;
  for (int64_t i = 0; i < elements; ++i) {
    const uint64_t bits = array.Get(i).bits;
    for (int k = 0; k < width; ++k) ones[k] += bits >> k & 1;
  }
  for (int k = 0; k < width; ++k) {
    tests->Add(absl::StrCat("bit ", k, " is set"), ones[k], elements, 0.5, 0.5);
    all += ones[k];
  }
  tests->Add("a bit is set", all, elements * width, 0.5, 0.5);
  AddPairs(
      elements, std::ldexp(1.0, -width), 1,
      [&](int64_t i, int64_t j) {
        const uint64_t a = array.Get(i).bits & mask, b = array.Get(j).bits & mask;
        return a < b ? -1 : a > b ? 1 : 0;
      },
      tests);
}

}  // namespace

std::optional<std::string> RefuteRandom(const Instruction& instruction,
                                        absl::Span<const Literal> operands, const Literal& actual) {
  CountTests tests;
  const ElementType type = actual.element_type();
  if (instruction.opcode() != Opcode::kRng) {
    if (!IsComplex(type)) AddBits(actual, &tests);
  } else if (IsFloat(type)) {
    const double a = DecodeFloat(type, operands[0].Get(0).bits),
                 b = DecodeFloat(type, operands[1].Get(0).bits);
    const bool normal =
        instruction.GetEnum<RandomDistribution>(Attr::kDistribution) == RandomDistribution::kNormal;
    normal ? AddNormals(actual, a, b, &tests) : AddUniformFloats(actual, a, b, &tests);
  } else if (IsInteger(type)) {
    AddUniformIntegers(actual, operands[0].Get(0), operands[1].Get(0), &tests);
  }
  return tests.Refuted();
}

}  // namespace assay::conformance
