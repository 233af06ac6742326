// The widths of elementwise rules, against enumerated operands: width_testing.h.
#include "absl/strings/str_cat.h"
#include "conformance/enclosure/width_testing.h"

namespace assay::conformance {
namespace {

using enum ElementType;

constexpr ElementType kNarrow[] = {kBF16, kF16, kF8E4M3FN, kF8E5M2};

TEST_F(WidthsTest, FunctionsOfOneNumber) {
  const struct {
    const char* name;
    Opcode opcode;
    Real (*exact)(Real);
    double least, largest;
    bool positive;
    double special;  // the operand at which no budget counts
  } functions[] = {
      {"exponential", Opcode::kExp, [](Real x) { return std::exp(x); }, 1.0 / 16, 4, false, 0},
      {"exponential-minus-one", Opcode::kExpm1, [](Real x) { return std::expm1(x); }, 1.0 / 16, 4,
       false, 0},
      {"log", Opcode::kLog, [](Real x) { return std::log(x); }, 1.0 / 16, 16, true, 1},
      {"log-plus-one", Opcode::kLog1p, [](Real x) { return std::log1p(x); }, 1.0 / 16, 16, true, 0},
      {"logistic", Opcode::kLogistic, [](Real x) { return 1 / (1 + std::exp(-x)); }, 1.0 / 16, 8,
       false, 0},
      {"sqrt", Opcode::kSqrt, [](Real x) { return std::sqrt(x); }, 1.0 / 16, 16, true, 1},
      {"rsqrt", Opcode::kRsqrt, [](Real x) { return 1 / std::sqrt(x); }, 1.0 / 16, 16, true, 1},
      {"cbrt", Opcode::kCbrt, [](Real x) { return std::cbrt(x); }, 1.0 / 16, 16, false, 1},
      {"sine", Opcode::kSin, [](Real x) { return std::sin(x); }, 1.0 / 16, 1.25, false, 0},
      {"cosine", Opcode::kCos, [](Real x) { return std::cos(x); }, 1.0 / 16, 1.25, false, 0},
      {"tan", Opcode::kTan, [](Real x) { return std::tan(x); }, 1.0 / 16, 0.9, false, 0},
      {"sinh", Opcode::kSinh, [](Real x) { return std::sinh(x); }, 1.0 / 16, 4, false, 0},
      {"cosh", Opcode::kCosh, [](Real x) { return std::cosh(x); }, 1.0 / 16, 4, false, 0},
      {"tanh", Opcode::kTanh, [](Real x) { return std::tanh(x); }, 1.0 / 16, 8, false, 0},
      {"asin", Opcode::kAsin, [](Real x) { return std::asin(x); }, 1.0 / 16, 0.5, false, 0},
      {"acos", Opcode::kAcos, [](Real x) { return std::acos(x); }, 1.0 / 16, 0.5, false, 1},
      {"asinh", Opcode::kAsinh, [](Real x) { return std::asinh(x); }, 1.0 / 16, 8, false, 0},
      {"acosh", Opcode::kAcosh, [](Real x) { return std::acosh(x); }, 1.25, 8, true, 1},
      {"atanh", Opcode::kAtanh, [](Real x) { return std::atanh(x); }, 1.0 / 16, 0.5, false, 0},
      {"erf", Opcode::kErf, [](Real x) { return std::erf(x); }, 1.0 / 16, 4, false, 0},
  };
  for (const ElementType type : kWidthTypes) {
    const Places places(type);
    for (const auto& f : functions) {
      MeasureBoth({f.name,
                   type,
                   "T[512]",
                   absl::StrCat(f.name, "(x0)"),
                   {"T[512]"},
                   "",
                   [](int64_t i) { return ElementwiseParts(1, i); },
                   [&](int64_t, const Reals& x) {
                     return Budgeted(f.opcode, places, f.exact(x[0]),
                                     static_cast<double>(x[0]) == f.special);
                   },
                   MostOf(f.opcode, type),
                   f.least,
                   f.largest,
                   f.positive});
    }
  }
}

TEST_F(WidthsTest, OperationsThatRoundOnce) {
  const struct {
    const char* name;
    int operands;
    Real (*exact)(const Reals&);
  } operations[] = {
      {"add", 2, [](const Reals& x) { return x[0] + x[1]; }},
      {"subtract", 2, [](const Reals& x) { return x[0] - x[1]; }},
      {"multiply", 2, [](const Reals& x) { return x[0] * x[1]; }},
      {"maximum", 2, [](const Reals& x) { return std::max(x[0], x[1]); }},
      {"minimum", 2, [](const Reals& x) { return std::min(x[0], x[1]); }},
      {"negate", 1, [](const Reals& x) { return -x[0]; }},
      {"abs", 1, [](const Reals& x) { return std::fabs(x[0]); }},
      {"floor", 1, [](const Reals& x) { return std::floor(x[0]); }},
      {"ceil", 1, [](const Reals& x) { return std::ceil(x[0]); }},
      {"sign", 1, [](const Reals& x) { return Real(x[0] < 0 ? -1 : x[0] > 0); }},
      {"clamp", 3, [](const Reals& x) { return std::min(std::max(x[1], x[0]), x[2]); }},
  };
  for (const ElementType type : kWidthTypes) {
    const Places places(type);
    for (const auto& f : operations) {
      std::string names;
      std::vector<std::string> shapes;
      for (int k = 0; k < f.operands; ++k) {
        absl::StrAppend(&names, k > 0 ? ", " : "", "x", k);
        shapes.push_back("T[512]");
      }
      MeasureBoth({f.name, type, "T[512]", absl::StrCat(f.name, "(", names, ")"), shapes, "",
                   [&](int64_t i) { return ElementwiseParts(f.operands, i); },
                   [&](int64_t, const Reals& x) { return Rounded(places, f.exact(x), 0); }});
    }
    // Conversions to bf16, from bf16 to f16, and of f32 by a narrower format.
    if (type != kF32) continue;
    for (const ElementType to : kNarrow) {
      const Places results(to);
      MeasureBoth({absl::StrCat("convert to ", Info(to).name),
                   type,
                   absl::StrCat(Info(to).name, "[512]"),
                   "convert(x0)",
                   {"T[512]"},
                   "",
                   [](int64_t i) { return ElementwiseParts(1, i); },
                   [&](int64_t, const Reals& x) { return Rounded(results, x[0], 0); }});
    }
    MeasureBoth({"reduce-precision to bf16",
                 type,
                 "T[512]",
                 "reduce-precision(x0), exponent_bits=8, mantissa_bits=7",
                 {"T[512]"},
                 "",
                 [](int64_t i) { return ElementwiseParts(1, i); },
                 [&](int64_t, const Reals& x) {
                   const Places bf16(kBF16);
                   return Rounded(places, bf16.At(bf16.Nearest(x[0])), 0);
                 }});
  }
}

TEST_F(WidthsTest, FunctionsOfTwoNumbers) {
  const struct {
    const char* name;
    Opcode opcode;
    Real (*exact)(Real, Real);
  } functions[] = {
      {"divide", Opcode::kDivide, [](Real x, Real y) { return x / y; }},
      {"atan2", Opcode::kAtan2, [](Real x, Real y) { return std::atan2(x, y); }},
      {"power", Opcode::kPower, [](Real x, Real y) { return std::pow(x, y); }},
  };
  for (const ElementType type : kWidthTypes) {
    const Places places(type);
    for (const auto& f : functions) {
      MeasureBoth({f.name,
                   type,
                   "T[512]",
                   absl::StrCat(f.name, "(x0, x1)"),
                   {"T[512]", "T[512]"},
                   "",
                   [](int64_t i) { return ElementwiseParts(2, i); },
                   [&](int64_t, const Reals& x) {
                     return Budgeted(f.opcode, places, f.exact(x[0], x[1]), false);
                   },
                   MostOf(f.opcode, type),
                   0.5,
                   2,
                   true});
    }
  }
}

}  // namespace
}  // namespace assay::conformance
