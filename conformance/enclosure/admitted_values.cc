#include "conformance/enclosure/admitted_values.h"

#include <algorithm>
#include <utility>

namespace assay::conformance {

int64_t Places::Nearest(Real x) const {
  const int64_t below = Down(x), above = Up(x);
  const Real down = x - At(below), up = At(above) - x;
  if (down != up) return down < up ? below : above;
  return below % 2 == 0 ? below : above;
}

Real Places::Ulp(Real value) const {
  const FloatFormat& format = *Info(type_).format;
  const int exponent = value == 0 ? format.min_exponent() : std::ilogb(value);
  return std::ldexp(Real{1}, std::max(exponent, format.min_exponent()) - format.precision() + 1);
}

int64_t Places::Floor(Real x) const {
  // Near it, whatever the rounding; then the place itself.
  const uint64_t guess = EncodeFloat(type_, static_cast<double>(x));
  int64_t place = std::min(static_cast<int64_t>(guess & (sign_ - 1)), most_);
  while (place > 0 && At(place) > x) --place;
  while (place < most_ && At(place + 1) <= x) ++place;
  return place;
}

void Join(PlaceRange more, PlaceRange* range) {
  range->low = std::min(range->low, more.low);
  range->high = std::max(range->high, more.high);
}

TargetProfile Strict() { return *TargetProfile::Find("cpu-strict"); }

PlaceRange Budgeted(Opcode opcode, const Places& places, Real exact, bool special) {
  static const TargetProfile profile = Strict();
  const ElementType type = places.type();
  const UlpBudget budget = profile.FindBudget(opcode, type);
  const int64_t nearest = places.Nearest(exact);
  if (special || budget.exact() || budget.ulps == 0.5) return {nearest, nearest};
  if (Info(type).bits <= 8) {
    const Real reach = budget.ulps * Places(ElementType::kF16).Ulp(exact);
    return {places.Nearest(exact - reach), places.Nearest(exact + reach)};
  }
  PlaceRange range = Within(places, exact, budget.ulps * places.Ulp(exact));
  const bool unit = opcode == Opcode::kSin || opcode == Opcode::kCos || opcode == Opcode::kTanh ||
                    opcode == Opcode::kErf || opcode == Opcode::kLogistic;
  if (unit) range.high = std::min(range.high, places.Nearest(1));
  if (opcode == Opcode::kLogistic) range.low = std::max<int64_t>(range.low, 0);
  if (unit) range.low = std::max(range.low, -places.Nearest(1));
  if (opcode == Opcode::kCosh) range.low = std::max(range.low, places.Nearest(1));
  return range;
}

int64_t MostOf(Opcode opcode, ElementType type) {
  const UlpBudget budget = Strict().FindBudget(opcode, type);
  if (Info(type).bits <= 8 || budget.exact() || budget.ulps == 0.5) return 0;
  return static_cast<int64_t>(std::floor(budget.ulps + 0.5)) + 1;
}

PlaceRange Rounded(const Places& places, Real exact, Real distance) {
  return {places.Nearest(exact - distance), places.Nearest(exact + distance)};
}

PlaceRange Within(const Places& places, Real exact, Real distance) {
  PlaceRange range{places.Up(exact - distance), places.Down(exact + distance)};
  const int64_t nearest = places.Nearest(exact);
  Join({nearest, nearest}, &range);
  return range;
}

PlaceRange Summed(const Places& places, const Reals& terms, bool products) {
  Real sum = 0, size = 0;
  for (const Real term : terms) {
    sum += term;
    size += std::fabs(term);
  }
  const auto n = static_cast<Real>(terms.size());
  const bool narrow = Info(places.type()).bits < 32, exact = !products || narrow;
  const Real distance = (exact ? n - 1 : n) * 0x1p-24L * size + (products ? n * 0x1p-150L : 0);
  return narrow ? Rounded(places, sum, distance) : Within(places, sum, distance);
}

Real GammaOf(Real k, Real u) { return k * u / (1 - k * u); }

namespace {

void Sort(Reals* values) {
  std::sort(values->begin(), values->end());
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

// Calls f for every combination of values of x and y.
template <typename F>
Reals Pairs(const Reals& x, const Reals& y, F append) {
  Reals values;
  for (const Real a : x) {
    for (const Real b : y) append(a, b, &values);
  }
  Sort(&values);
  return values;
}

void AppendAll(const Places& places, PlaceRange range, Reals* values) {
  for (int64_t place = range.low; place <= range.high; ++place) {
    values->push_back(places.At(place));
  }
}

}  // namespace

Reals RoundedArithmetic::Add(const Reals& x, const Reals& y) const {
  return Pairs(x, y,
               [&](Real a, Real b, Reals* values) { values->push_back(places_.Rounded(a + b)); });
}
Reals RoundedArithmetic::Subtract(const Reals& x, const Reals& y) const {
  return Pairs(x, y,
               [&](Real a, Real b, Reals* values) { values->push_back(places_.Rounded(a - b)); });
}
Reals RoundedArithmetic::Multiply(const Reals& x, const Reals& y) const {
  return Pairs(x, y,
               [&](Real a, Real b, Reals* values) { values->push_back(places_.Rounded(a * b)); });
}
Reals RoundedArithmetic::MultiplyAdd(const Reals& x, const Reals& y, const Reals& z) const {
  return Pairs(x, y, [&](Real a, Real b, Reals* values) {
    for (const Real c : z) values->push_back(places_.Rounded(a * b + c));
  });
}
Reals RoundedArithmetic::Divide(const Reals& x, const Reals& y) const {
  return Pairs(x, y, [&](Real a, Real b, Reals* values) {
    AppendAll(places_, Budgeted(Opcode::kDivide, places_, a / b), values);
  });
}
// Returns true at log(1), exp(0) and sqrt(1), where no budget counts.
static bool IsSpecial(Real value) { return value == 0 || value == 1; }
Reals RoundedArithmetic::Apply(Opcode opcode, Real (*exact)(Real), const Reals& x) const {
  Reals values;
  for (const Real each : x) {
    AppendAll(places_, Budgeted(opcode, places_, exact(each), IsSpecial(exact(each))), &values);
  }
  Sort(&values);
  return values;
}

Reals Union(Reals x, const Reals& y) {
  x.insert(x.end(), y.begin(), y.end());
  Sort(&x);
  return x;
}

Reals InAnyOrder(const std::vector<Reals>& terms,
                 const std::function<Reals(const Reals&, const Reals&)>& combine) {
  const size_t all = (size_t{1} << terms.size()) - 1;
  std::vector<Reals> of(all + 1);
  for (size_t set = 1; set <= all; ++set) {
    if ((set & (set - 1)) == 0) {
      of[set] = terms[static_cast<size_t>(__builtin_ctzll(set))];
      continue;
    }
    for (size_t part = (set - 1) & set; part > 0; part = (part - 1) & set) {
      of[set] = Union(std::move(of[set]), combine(of[part], of[set & ~part]));
    }
  }
  return of[all];
}

PlaceRange RangeOfValues(const Places& places, const Reals& values) {
  PlaceRange range;
  for (const Real value : values) {
    const int64_t place = places.Nearest(value);
    Join({place, place}, &range);
  }
  return range;
}

Reals SumsOf(const Reals& terms) {
  const RoundedArithmetic f32(ElementType::kF32);
  std::vector<Reals> each;
  for (const Real term : terms) each.push_back({term});
  return InAnyOrder(each, [&](const Reals& x, const Reals& y) { return f32.Add(x, y); });
}
Reals DotsOf(const Reals& factors) {
  const RoundedArithmetic f32(ElementType::kF32);
  if (factors.size() == 2) return f32.Multiply({factors[0]}, {factors[1]});
  Reals sums;
  for (size_t k = 0; k < factors.size(); k += 2) {
    Reals others = factors;
    others.erase(others.begin() + static_cast<int64_t>(k),
                 others.begin() + static_cast<int64_t>(k) + 2);
    const Reals x = {factors[k]}, y = {factors[k + 1]}, rest = DotsOf(others);
    sums = Union(std::move(sums), f32.Add(f32.Multiply(x, y), rest));
    sums = Union(std::move(sums), f32.MultiplyAdd(x, y, rest));
  }
  return sums;
}

}  // namespace assay::conformance
