// The widths of rules that multiply, scan, select and scatter, against enumerated operands and
// orders: width_testing.h.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/width_testing.h"

namespace assay::conformance {
namespace {

using enum ElementType;

// gam(n - 1) |product| about the exact product of n factors, which may be rounded to the type one
// by one (14.3).
PlaceRange Multiplied(const Places& places, const Reals& factors) {
  Real product = 1;
  for (const Real factor : factors) product *= factor;
  const Real u = std::ldexp(Real{1}, -Info(places.type()).format->precision());
  return Within(places, product,
                GammaOf(static_cast<Real>(factors.size()) - 1, u) * std::fabs(product));
}
// Those in any order, each product rounded to the type or all to f32 and the last one to the type.
Reals ProductsOf(const Places& places, const Reals& factors) {
  std::vector<Reals> each;
  for (const Real factor : factors) each.push_back({factor});
  Reals products;
  for (const ElementType kept : {places.type(), kF32}) {
    const RoundedArithmetic arithmetic(kept);
    products = Union(std::move(products), InAnyOrder(each, [&](const Reals& x, const Reals& y) {
                       return arithmetic.Multiply(x, y);
                     }));
  }
  return products;
}

TEST_F(WidthsTest, Products) {
  for (const ElementType type : kWidthTypes) {
    const Places places(type);
    MeasuredRule reduce{
        "reduce (multiply)",
        type,
        "T[300]",
        "reduce(x0, unit), dimensions={1}, to_apply=mul",
        {"T[300,3]"},
        kAdder,
        [](int64_t i) {
          return std::vector<OperandPart>{{0, 3 * i}, {0, 3 * i + 1}, {0, 3 * i + 2}};
        },
        [&](int64_t, const Reals& x) { return Multiplied(places, x); },
        Info(type).bits > 8 ? 2 : 6,
        0.5,
        2,
        true};
    reduce.attains = [&](int64_t, const Reals& x) {
      return RangeOfValues(places, ProductsOf(places, x));
    };
    // Of 8 bits, u is a part of the product that is not small: the bound for the largest factors
    // counts at both ends.
    MeasureBoth(reduce, 2, Info(type).bits > 8 ? 0 : 125);
    MeasuredRule running{"cumprod (reduce-window)",
                         type,
                         "T[100,3]",
                         "reduce-window(x0, unit), window={size=1x3 pad=0_0x2_0}, to_apply=mul",
                         {"T[100,3]"},
                         kAdder,
                         [](int64_t i) {
                           std::vector<OperandPart> parts;
                           for (int64_t k = i / 3 * 3; k <= i; ++k) parts.push_back({0, k});
                           return parts;
                         },
                         reduce.admits,
                         reduce.most,
                         0.5,
                         2,
                         true};
    running.attains = reduce.attains;
    MeasureBoth(running, 2, Info(type).bits > 8 ? 0 : 125);
    running.rule = "cumprod (scan)";
    running.before =
        " start = T[100] broadcast(unit), dimensions={}\n"
        " n = (T[100,3], T[100]) scan(x0, start), dimensions={1}, num_carries=1,"
        " is_associative=true, to_apply=step\n";
    running.operation = "get-tuple-element(n), index=0";
    running.computations =
        "step { x = T[100] parameter(0)\n c = T[100] parameter(1)\n s = T[100] multiply(c, x)\n"
        " ROOT t = (T[100], T[100]) tuple(s, s) }\n";
    Measure(running, 0);
    ExpectOpen(running, 2);
  }
}

// Sums and extrema of all elements so far.
TEST_F(WidthsTest, RunningSumsAndExtrema) {
  const auto so_far = [](int64_t i) {
    std::vector<OperandPart> parts;
    for (int64_t k = i / 3 * 3; k <= i; ++k) parts.push_back({0, k});
    return parts;
  };
  for (const ElementType type : kWidthTypes) {
    const Places places(type);
    MeasuredRule sum{"cumsum (reduce-window)",
                     type,
                     "T[100,3]",
                     "reduce-window(x0, zero), window={size=1x3 pad=0_0x2_0}, to_apply=add",
                     {"T[100,3]"},
                     kAdder,
                     so_far,
                     [&](int64_t, const Reals& x) { return Summed(places, x, false); },
                     type == kF32 ? 1 : 0};
    sum.attains = [&](int64_t, const Reals& x) { return RangeOfValues(places, SumsOf(x)); };
    MeasureBoth(sum, 2, 1);
    // Each step of a scan gives a value of the type, whatever the order.
    MeasuredRule scan = sum;
    scan.rule = "cumsum (scan)";
    scan.before =
        " start = T[100] broadcast(zero), dimensions={}\n"
        " n = (T[100,3], T[100]) scan(x0, start), dimensions={1}, num_carries=1,"
        " is_associative=true, to_apply=step\n";
    scan.operation = "get-tuple-element(n), index=0";
    scan.computations =
        "step { x = T[100] parameter(0)\n c = T[100] parameter(1)\n s = T[100] add(c, x)\n"
        " ROOT t = (T[100], T[100]) tuple(s, s) }\n";
    scan.admits = [&](int64_t, const Reals& x) {
      Real exact = 0, size = 0;
      for (const Real term : x) {
        exact += term;
        size += std::fabs(term);
      }
      const Real u = std::ldexp(Real{1}, -Info(type).format->precision());
      return Within(places, exact, (static_cast<Real>(x.size()) - 1) * u * size);
    };
    scan.attains = [&](int64_t, const Reals& x) {
      const RoundedArithmetic own(type);
      std::vector<Reals> each;
      for (const Real term : x) each.push_back({term});
      return RangeOfValues(
          places, InAnyOrder(each, [&](const Reals& a, const Reals& b) { return own.Add(a, b); }));
    };
    scan.positive = true;
    scan.most = Info(type).bits > 8 ? 1 : 3;
    Measure(scan, 0);
    ExpectOpen(scan, 2);
    MeasureBoth({"cummax (reduce-window)",
                 type,
                 "T[100,3]",
                 "reduce-window(x0, lowest), window={size=1x3 pad=0_0x2_0}, to_apply=most",
                 {"T[100,3]"},
                 kAdder,
                 so_far,
                 [&](int64_t, const Reals& x) {
                   return Rounded(places, *std::max_element(x.begin(), x.end()), 0);
                 }});
  }
}

// Two windows of three overlap in one cell, which both select where its key is the largest.
TEST_F(WidthsTest, SelectedSums) {
  for (const ElementType type : kWidthTypes) {
    const Places places(type);
    MeasuredRule sums{
        "select-and-scatter (add) that collides",
        type,
        "T[99,5]",
        "select-and-scatter(peaks, x0, zero), window={size=1x3 stride=1x2}, select=ge, scatter=add",
        {"T[99,2]"},
        kAdder,
        [](int64_t i) {
          return i % 5 == 2 ? std::vector<OperandPart>{{0, i / 5 * 2}, {0, i / 5 * 2 + 1}}
                            : std::vector<OperandPart>{};
        },
        [&](int64_t, const Reals& x) { return Summed(places, x, false); },
        type == kF32 ? 1 : 0};
    sums.before =
        " row = T[5] constant({1, 2, 3, 2, 1})\n peaks = T[99,5] broadcast(row),"
        " dimensions={1}\n";
    sums.attains = [&](int64_t, const Reals& x) {
      return RangeOfValues(places, x.empty() ? Reals{0} : SumsOf(x));
    };
    MeasureBoth(sums, 2, 1);
    // Keys that overlap: the cell in the middle gets both, either or none.
    sums.rule = "select-and-scatter (add) by intervals";
    sums.before =
        " row = T[5] constant({1, 2, 2, 2, 1})\n other = T[5] constant({1, 1, 4, 1, 1})\n"
        " doubt = pred[5] broadcast(open), dimensions={}\n"
        " either = T[5] select(doubt, row, other)\n"
        " peaks = T[99,5] broadcast(either), dimensions={1}\n";
    sums.positive = true;
    sums.parts = [](int64_t i) {
      const OperandPart left{0, i / 5 * 2}, right{0, i / 5 * 2 + 1};
      return i % 5 == 2   ? std::vector<OperandPart>{left, right}
             : i % 5 == 1 ? std::vector<OperandPart>{left}
             : i % 5 == 3 ? std::vector<OperandPart>{right}
                          : std::vector<OperandPart>{};
    };
    sums.admits = [&](int64_t, const Reals& x) {
      PlaceRange range = Summed(places, x, false);
      Join({0, 0}, &range);
      return range;
    };
    sums.attains = nullptr;
    MeasureTimes(sums, 2, 1.01, 1.01);
  }
}

TEST_F(WidthsTest, OtherDots) {
  for (const ElementType type : kWidthTypes) {
    const Places places(type);
    MeasuredRule ragged{
        "ragged-dot",
        type,
        "T[100,1]",
        "ragged-dot(x0, x1, sizes), lhs_contracting_dims={1},"
        " rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
        {"T[100,2]", "T[2,2,1]"},
        "",
        [](int64_t i) {
          const int64_t group = i < 40 ? 0 : 2;
          return std::vector<OperandPart>{{0, 2 * i}, {1, group}, {0, 2 * i + 1}, {1, group + 1}};
        },
        [&](int64_t, const Reals& x) {
          return Summed(places, {x[0] * x[1], x[2] * x[3]}, true);
        },
        type == kF32 ? 1 : 0};
    ragged.before = " sizes = s64[2] constant({40, 60})\n";
    ragged.attains = [&](int64_t, const Reals& x) { return RangeOfValues(places, DotsOf(x)); };
    MeasureBoth(ragged, 1, type == kF32 ? 5 : 2);
  }
  // Terms are products of four factors, which f32 rounds: gam(n + 2) of 14.4.
  for (const ElementType type : {kBF16, kF16, kF8E4M3FN, kF8E5M2}) {
    const Places results(kF32);
    const Real u = 0x1p-24L;
    MeasuredRule scaled{
        "scaled-dot (f32 result)",
        type,
        "f32[100,1]",
        "scaled-dot(x0, x1, x2, x3), lhs_contracting_dims={1},"
        " rhs_contracting_dims={0}",
        {"T[100,2]", "T[2,1]", "T[100,1]", "T[1,1]"},
        "",
        [](int64_t i) {
          return std::vector<OperandPart>{{0, 2 * i}, {1, 0}, {0, 2 * i + 1},
                                          {1, 1},     {2, i}, {3, 0}};
        },
        [&](int64_t, const Reals& x) {
          const Real scale = x[4] * x[5], one = x[0] * x[1] * scale, other = x[2] * x[3] * scale;
          return Within(results, one + other, GammaOf(4, u) * (std::fabs(one) + std::fabs(other)));
        },
        1};
    Measure(scaled, 0);
    ExpectOpen(scaled, 1);
  }
}

// log(exp(a) + exp(b)) by max(a, b) + log-plus-one(exp(-|a - b|)): its functions may be anywhere in
// their budgets, and the elements come in any order. Nothing else is admitted here.
TEST_F(WidthsTest, LogarithmsOfSumsOfExponentials) {
  for (const ElementType type : kWideWidthTypes) {
    const Places places(type);
    const RoundedArithmetic own(type);
    const auto step = [&](const Reals& x, const Reals& y) {
      Reals sums;
      for (const Real a : x) {
        for (const Real b : y) {
          const Reals distance = own.Subtract({std::min(a, b)}, {std::max(a, b)});
          const Reals power = own.Apply(
              Opcode::kExp, [](Real v) { return std::exp(v); }, distance);
          sums = Union(std::move(sums),
                       own.Add({std::max(a, b)},
                               own.Apply(
                                   Opcode::kLog1p, [](Real v) { return std::log1p(v); }, power)));
        }
      }
      return sums;
    };
    MeasuredRule fold{
        "reduce (log-add-exp)",
        type,
        "T[40]",
        "reduce(x0, none), dimensions={1}, to_apply=f",
        {"T[40,3]"},
        "f { a = T[] parameter(0)\n b = T[] parameter(1)\n m = T[] maximum(a, b)\n"
        " d = T[] subtract(a, b)\n n = pred[] compare(d, d), direction=NE\n"
        " s = T[] add(a, b)\n g = T[] abs(d)\n h = T[] negate(g)\n e = T[] exponential(h)\n"
        " l = T[] log-plus-one(e)\n t = T[] add(m, l)\n ROOT r = T[] select(n, s, t) }\n",
        [](int64_t i) {
          return std::vector<OperandPart>{{0, 3 * i}, {0, 3 * i + 1}, {0, 3 * i + 2}};
        },
        [&](int64_t, const Reals& x) {
          return RangeOfValues(places, InAnyOrder({{x[0]}, {x[1]}, {x[2]}}, step));
        }};
    fold.before = " none = T[] constant(-inf)\n";
    fold.largest = 4;
    fold.positive = true;
    MeasureTimes(fold, 1, 12, 12);
  }
}

}  // namespace
}  // namespace assay::conformance
