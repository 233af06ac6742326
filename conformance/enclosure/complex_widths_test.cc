// The widths of rules on complex numbers, against enumerated operands: width_testing.h.
#include <complex>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/width_testing.h"

namespace assay::conformance {
namespace {

using enum ElementType;
using Complex = std::complex<Real>;

// A part of a number whose distance from the exact one is within a budget of the plane.
PlaceRange PartInPlane(Opcode opcode, const Places& places, const Complex& exact, bool imaginary) {
  const UlpBudget budget = Strict().FindBudget(opcode, kC64);
  return Within(places, imaginary ? exact.imag() : exact.real(),
                budget.ulps * places.Ulp(std::abs(exact)));
}

TEST_F(WidthsTest, ComplexFunctions) {
  const Places places(kF32);
  const struct {
    const char* name;
    Opcode opcode;
    int operands;
    Complex (*exact)(const std::vector<Complex>&);
    double of_points, of_intervals;
  } functions[] = {
      {"multiply", Opcode::kMultiply, 2, [](const std::vector<Complex>& z) { return z[0] * z[1]; },
       1.3, 1.6},
      {"divide", Opcode::kDivide, 2, [](const std::vector<Complex>& z) { return z[0] / z[1]; }, 1.3,
       1.6},
      {"abs", Opcode::kAbs, 1,
       [](const std::vector<Complex>& z) { return Complex(std::abs(z[0])); }, 1.3, 1.6},
      {"exponential", Opcode::kExp, 1, [](const std::vector<Complex>& z) { return std::exp(z[0]); },
       1.3, 1.6},
      {"log", Opcode::kLog, 1, [](const std::vector<Complex>& z) { return std::log(z[0]); }, 1.3,
       1.6},
      {"sqrt", Opcode::kSqrt, 1, [](const std::vector<Complex>& z) { return std::sqrt(z[0]); }, 1.3,
       1.6},
      {"tanh", Opcode::kTanh, 1, [](const std::vector<Complex>& z) { return std::tanh(z[0]); }, 1.3,
       1.6},
  };
  for (const auto& f : functions) {
    const bool real = f.opcode == Opcode::kAbs;
    std::vector<std::string> shapes(f.operands, "C[40]");
    MeasuredRule rule{absl::StrCat("complex ", f.name),
                      kF32,
                      real ? "T[40]" : "C[40]",
                      absl::StrCat(f.name, f.operands == 2 ? "(x0, x1)" : "(x0)"),
                      shapes,
                      "",
                      [&](int64_t i) {
                        std::vector<OperandPart> parts;
                        const int64_t element = real ? i : i / 2;
                        for (int k = 0; k < f.operands; ++k) {
                          parts.push_back({k, 2 * element});
                          parts.push_back({k, 2 * element + 1});
                        }
                        return parts;
                      },
                      [&](int64_t i, const Reals& x) {
                        std::vector<Complex> z;
                        for (size_t k = 0; k < x.size(); k += 2) z.emplace_back(x[k], x[k + 1]);
                        return PartInPlane(f.opcode, places, f.exact(z), !real && i % 2 != 0);
                      }};
    rule.least = 0.25;
    rule.largest = 2;
    MeasureTimes(rule, 1, f.of_points, f.of_intervals);
  }
}

// Four real products for each term, or three: 2 (n + 4) u sum (|re| + |im|) (|re| + |im|) (14.4).
TEST_F(WidthsTest, ComplexDots) {
  const Places places(kF32);
  const RoundedArithmetic f32(kF32);
  MeasuredRule dot{"complex dot",
                   kF32,
                   "C[100]",
                   "dot(x0, x1), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1},"
                   " rhs_contracting_dims={1}",
                   {"C[100,2]", "C[100,2]"},
                   "",
                   [](int64_t i) {
                     std::vector<OperandPart> parts;
                     for (int64_t part = i / 2 * 4; part < i / 2 * 4 + 4; ++part) {
                       parts.push_back({0, part});
                       parts.push_back({1, part});
                     }
                     return parts;
                   },
                   [&](int64_t i, const Reals& x) {
                     // x: the parts of both operands' first element in turn, then of the second.
                     Real sum = 0, size = 0;
                     for (size_t k = 0; k < x.size(); k += 4) {
                       const Real re = x[k] * x[k + 1] - x[k + 2] * x[k + 3],
                                  im = x[k] * x[k + 3] + x[k + 2] * x[k + 1];
                       sum += i % 2 == 0 ? re : im;
                       size += (std::fabs(x[k]) + std::fabs(x[k + 2])) *
                               (std::fabs(x[k + 1]) + std::fabs(x[k + 3]));
                     }
                     return Within(places, sum, 2 * (2 + 4) * 0x1p-24L * size);
                   }};
  dot.attains = [&](int64_t i, const Reals& x) {
    Reals factors;
    for (size_t k = 0; k < x.size(); k += 4) {
      const bool real = i % 2 == 0;
      factors.insert(factors.end(), {x[k], real ? x[k + 1] : x[k + 3]});
      factors.insert(factors.end(), {real ? -x[k + 2] : x[k + 2], real ? x[k + 3] : x[k + 1]});
    }
    return RangeOfValues(places, DotsOf(factors));
  };
  dot.least = 0.25;
  dot.largest = 2;
  dot.most_times = 1.1;
  Measure(dot, 0);
  ExpectOpen(dot, 1);
}

// Each part is a sum of its own, and so is its bound (14.4).
TEST_F(WidthsTest, ComplexSums) {
  const Places places(kF32);
  MeasuredRule sum{"complex reduce (add)",
                   kF32,
                   "C[100]",
                   "reduce(x0, none), dimensions={1}, to_apply=sum",
                   {"C[100,3]"},
                   "sum { a = C[] parameter(0)\n b = C[] parameter(1)\n ROOT s = C[] add(a, b) }\n",
                   [](int64_t i) {
                     const int64_t first = i / 2 * 6 + i % 2;
                     return std::vector<OperandPart>{{0, first}, {0, first + 2}, {0, first + 4}};
                   },
                   [&](int64_t, const Reals& x) { return Summed(places, x, false); }};
  sum.before = " none = C[] constant((0, 0))\n";
  sum.attains = [&](int64_t, const Reals& x) { return RangeOfValues(places, SumsOf(x)); };
  sum.positive = true;
  MeasureTimes(sum, 2, 2, 2);
}

}  // namespace
}  // namespace assay::conformance
