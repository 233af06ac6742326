// How much wider the interval of each rule is than the values that the rule admits, on operands few
// enough to enumerate. The admissible values are found here by long double arithmetic from the
// reference (accuracy_requirements.md 3, ops_structural.md 14), not by the code of enclosures.
// ASSAY_PRINT_WIDTHS=1 prints the table of docs/enclosures.md.
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "conformance/enclosure/enclosure_testing.h"
#include "conformance/judge/bounds.h"
#include "interpreter/interpreter.h"

namespace assay {
namespace {

using enum ElementType;
using Real = long double;

// The numbers of a type by place: 0 is zero of either sign, 1 the least positive number.
class Places {
 public:
  explicit Places(ElementType type)
      : type_(type),
        sign_(uint64_t{1} << (Info(type).bits - 1)),
        most_(static_cast<int64_t>(MaxFinite(type))) {}

  Real At(int64_t place) const {
    const Real size = DecodeFloat(type_, static_cast<uint64_t>(std::abs(place)));
    return place < 0 ? -size : size;
  }
  int64_t Of(uint64_t bits) const {
    const auto size = static_cast<int64_t>(bits & (sign_ - 1));
    return (bits & sign_) != 0 ? -size : size;
  }
  Element Bits(int64_t place) const {
    const auto size = static_cast<uint64_t>(std::abs(place));
    return Element{place < 0 ? size | sign_ : size};
  }
  int64_t Down(Real x) const { return x < 0 ? -Ceiling(-x) : Floor(x); }
  int64_t Up(Real x) const { return -Down(-x); }
  int64_t Nearest(Real x) const {
    const int64_t below = Down(x), above = Up(x);
    const Real down = x - At(below), up = At(above) - x;
    if (down != up) return down < up ? below : above;
    return below % 2 == 0 ? below : above;
  }
  Real Ulp(Real value) const {
    const FloatFormat& format = *Info(type_).format;
    const int exponent = value == 0 ? format.min_exponent() : std::ilogb(value);
    return std::ldexp(Real{1}, std::max(exponent, format.min_exponent()) - format.precision() + 1);
  }
  ElementType type() const { return type_; }

 private:
  // Of what is not negative.
  int64_t Floor(Real x) const {
    int64_t low = 0, high = most_;
    while (low < high) {
      const int64_t middle = low + (high - low + 1) / 2;
      if (At(middle) <= x) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
  int64_t Ceiling(Real x) const {
    const int64_t floor = Floor(x);
    return At(floor) < x && floor < most_ ? floor + 1 : floor;
  }

  ElementType type_;
  uint64_t sign_;
  int64_t most_;
};

// The first and the last admissible place.
struct Span {
  int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
  bool empty() const { return low > high; }
};
void Join(Span more, Span* span) {
  span->low = std::min(span->low, more.low);
  span->high = std::max(span->high, more.high);
}

TargetProfile Strict() { return *TargetProfile::Find("cpu-strict"); }

// What a budget admits about an exact value.
Span Budgeted(Opcode opcode, const Places& places, Real exact, bool special) {
  static const TargetProfile profile = Strict();
  const ElementType type = places.type();
  const UlpBudget budget = profile.FindBudget(opcode, type);
  const int64_t nearest = places.Nearest(exact);
  if (special || budget.exact() || budget.ulps == 0.5) return {nearest, nearest};
  if (Info(type).bits <= 8) {
    const Real reach = budget.ulps * Places(kF16).Ulp(exact);
    return {places.Nearest(exact - reach), places.Nearest(exact + reach)};
  }
  const Real reach = budget.ulps * places.Ulp(exact);
  Span span{places.Up(exact - reach), places.Down(exact + reach)};
  Join({nearest, nearest}, &span);
  const bool unit = opcode == Opcode::kSin || opcode == Opcode::kCos || opcode == Opcode::kTanh ||
                    opcode == Opcode::kErf || opcode == Opcode::kLogistic;
  if (unit) span.high = std::min(span.high, places.Nearest(1));
  if (opcode == Opcode::kLogistic) span.low = std::max<int64_t>(span.low, 0);
  if (unit) span.low = std::max(span.low, -places.Nearest(1));
  if (opcode == Opcode::kCosh) span.low = std::max(span.low, places.Nearest(1));
  return span;
}

// Places that the interval of a function may have too many on one side: golden tells on which side
// of it the exact value lies as little as on which side of a power of two, where ulps double.
int64_t MostOf(Opcode opcode, ElementType type) {
  const UlpBudget budget = Strict().FindBudget(opcode, type);
  if (Info(type).bits <= 8 || budget.exact() || budget.ulps == 0.5) return 0;
  return static_cast<int64_t>(std::floor(budget.ulps + 0.5)) + 1;
}

// What a sum within a distance of the exact one rounds to.
Span Rounded(const Places& places, Real exact, Real distance) {
  return {places.Nearest(exact - distance), places.Nearest(exact + distance)};
}

// n u sum|terms| in f32, with what products of denormals lose.
Span Summed(const Places& places, const std::vector<Real>& terms, bool products) {
  Real sum = 0, size = 0;
  for (const Real term : terms) {
    sum += term;
    size += std::fabs(term);
  }
  const auto n = static_cast<Real>(terms.size());
  const bool exact = !products || Info(places.type()).bits < 32;
  const Real distance = (exact ? n - 1 : n) * 0x1p-24L * size + (products ? n * 0x1p-150L : 0);
  if (Info(places.type()).bits < 32) return Rounded(places, sum, distance);
  Span span{places.Up(sum - distance), places.Down(sum + distance)};
  Join({places.Nearest(sum), places.Nearest(sum)}, &span);
  return span;
}

struct OperandPart {
  int operand;
  int64_t index;
};

// One rule on one type.
struct Measured {
  std::string rule;
  ElementType type;
  std::string result;  // shape of the operation's result, T for the type
  std::string operation;
  std::vector<std::string> shapes;  // of the operands x0, x1, ...
  std::string computations;
  // Which elements of which operands element i is made of, and what it may be of their values.
  std::function<std::vector<OperandPart>(int64_t i)> parts;
  std::function<Span(const std::vector<Real>& values)> admits;
  int64_t most = 0;        // places on one side that the interval may have too many
  double least = 1.0 / 8;  // of the operands' magnitudes
  double largest = 8;
  bool positive = false;
};

constexpr char kAdder[] =
    "add { a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT s = T[] add(a, b) }\n"
    "mul { a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT s = T[] multiply(a, b) }\n"
    "least { a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT s = T[] minimum(a, b) }\n"
    "ge { a = T[] parameter(0)\n b = T[] parameter(1)\n"
    " ROOT c = pred[] compare(a, b), direction=GE }\n";

class WidthsTest : public EnclosureTest {
 public:
  // Per element the places that are admitted, those beside them, and the most on one side.
  static void TearDownTestSuite() {
    if (std::getenv("ASSAY_PRINT_WIDTHS") == nullptr) return;
    for (const Row& row : Rows()) {
      std::cout << "| " << row.rule << " |";
      for (const Cell& cell : row.cells) {
        const auto count = static_cast<double>(cell.elements);
        std::cout << (cell.elements == 0
                          ? std::string(" |")
                          : absl::StrFormat(" %.1f + %.2f (%d) |",
                                            static_cast<double>(cell.admitted) / count,
                                            static_cast<double>(cell.extra) / count, cell.most));
      }
      std::cout << "\n";
    }
  }

 protected:
  struct Cell {
    int64_t elements = 0, admitted = 0, extra = 0, most = 0;
  };
  // Of f32, 16 bits and 8 bits; of values and of intervals.
  struct Row {
    std::string rule;
    Cell cells[6];
  };
  static std::vector<Row>& Rows() {
    static auto* const rows = new std::vector<Row>;
    return *rows;
  }
  static Row& RowOf(const std::string& rule) {
    for (Row& row : Rows()) {
      if (row.rule == rule) return row;
    }
    return Rows().emplace_back(Row{rule, {}});
  }

  // Operands are known, or lie in intervals of up to `steps` places.
  void Measure(const Measured& of, int steps) {
    const std::string type(Info(of.type).name);
    const auto typed = [&](const std::string& text) {
      return absl::StrReplaceAll(text, {{"T[", absl::StrCat(type, "[")}});
    };
    // A comparison that no target is bound to.
    std::string body = std::string(
                           "one = f32[] constant(1)\n e = f32[] exponential(one)\n c = f32[] "
                           "constant(2.71828175)\n"
                           " open = pred[] compare(e, c), direction=LT\n") +
                       typed(
                           " zero = T[] constant(0)\n most = T[] constant(16)\n"
                           " keys = T[200] broadcast(zero), dimensions={}\n"
                           " places = s32[2,1] constant({{0}, {0}})\n");
    const Places places(of.type);
    std::mt19937_64 random(7);
    std::vector<Literal> arguments;
    std::string names;
    for (size_t k = 0; k < of.shapes.size(); ++k) {
      const std::string shape = typed(of.shapes[k]);
      for (const char* end : {"a", "b"}) {
        absl::StrAppend(&body, end, k, " = ", shape, " parameter(", arguments.size(), ")\n");
        arguments.push_back(Literal::Zeros(*ParseShape(shape)));
      }
      Literal &low = arguments[2 * k], &high = arguments[2 * k + 1];
      for (int64_t i = 0; i < low.element_count(); ++i) {
        const Real goal =
            std::exp2(std::log2(of.least) + static_cast<double>(random() % 4096) / 4096 *
                                                (std::log2(of.largest) - std::log2(of.least)));
        int64_t place = places.Nearest(goal);
        if (!of.positive && random() % 2 == 0) place = -place;
        const int64_t next = place + static_cast<int64_t>(random() % (steps + 1));
        low.Set(i, places.Bits(place));
        high.Set(i, places.Bits(next));
      }
      const std::string dimensions = shape.substr(shape.find('['));
      absl::StrAppend(&body, "p", k, " = pred", dimensions, " broadcast(open), dimensions={}\n x",
                      k, " = ", shape, " select(p", k, ", a", k, ", b", k, ")\n");
      absl::StrAppend(&names, "x", k, ", ");
    }
    std::string shapes;
    for (const std::string& shape : of.shapes) absl::StrAppend(&shapes, typed(shape), ", ");
    absl::StrAppend(&body, "r = ", typed(of.result), " ", typed(of.operation), "\n ROOT t = (",
                    shapes, typed(of.result), ") tuple(", names, "r)");
    const BoxTree tree = Of(body, arguments, "cpu-strict", typed(of.computations));
    if (!tree.is_tuple()) return;
    const Box& result = tree.elements().back().box();
    const Places results(result.low.element_type());
    int64_t extra = 0, most = 0, admitted = 0;
    std::string worst;
    for (int64_t i = 0; i < result.low.element_count(); ++i) {
      const Span span = Admissible(of, tree, i);
      ASSERT_FALSE(span.empty());
      const int64_t low = results.Of(result.low.Get(i).bits);
      const int64_t high = results.Of(result.high.Get(i).bits);
      ASSERT_LE(low, span.low) << of.rule << " " << type << " element " << i;
      ASSERT_GE(high, span.high) << of.rule << " " << type << " element " << i;
      most = std::max({most, span.low - low, high - span.high});
      if (most > of.most && worst.empty()) {
        worst = absl::StrCat("element ", i, ": ", low, " to ", high, ", not ", span.low, " to ",
                             span.high);
      }
      extra += span.low - low + high - span.high;
      admitted += span.high - span.low + 1;
    }
    EXPECT_LE(most, of.most) << of.rule << " of " << type << (steps > 0 ? " of intervals, " : ", ")
                             << worst;
    const int column = of.type == kF32 ? 0 : Info(of.type).bits == 16 ? 2 : 4;
    Row& row = RowOf(of.rule);
    Cell& cell = row.cells[column + (steps > 0 ? 1 : 0)];
    cell.elements += result.low.element_count();
    cell.admitted += admitted;
    cell.extra += extra;
    cell.most = std::max(cell.most, most);
  }

  // Of all values that the operands of an element may have.
  static Span Admissible(const Measured& of, const BoxTree& tree, int64_t i) {
    const Places places(of.type);
    const std::vector<OperandPart> parts = of.parts(i);
    std::vector<int64_t> lows, highs, at;
    for (const OperandPart& part : parts) {
      const Box& box = tree.elements()[part.operand].box();
      lows.push_back(places.Of(box.low.Get(part.index).bits));
      highs.push_back(places.Of(box.high.Get(part.index).bits));
    }
    Span span;
    at = lows;
    while (true) {
      std::vector<Real> values;
      for (const int64_t place : at) values.push_back(places.At(place));
      Join(of.admits(values), &span);
      size_t k = 0;
      while (k < at.size() && at[k] == highs[k]) {
        at[k] = lows[k];
        ++k;
      }
      if (k == at.size()) return span;
      ++at[k];
    }
  }

  void MeasureBoth(Measured of, int steps = 2, int64_t more_of_intervals = 0) {
    Measure(of, 0);
    of.most += more_of_intervals;
    // Of values of both signs that cancel, places near zero are not those of the terms.
    of.positive = of.positive || more_of_intervals > 0;
    Measure(of, steps);
  }
};

constexpr ElementType kNarrow[] = {kBF16, kF16, kF8E4M3FN, kF8E5M2};
constexpr ElementType kAll[] = {kF32, kBF16, kF16, kF8E4M3FN, kF8E5M2};

std::vector<OperandPart> Elementwise(int operands, int64_t i) {
  std::vector<OperandPart> parts;
  for (int k = 0; k < operands; ++k) parts.push_back({k, i});
  return parts;
}

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
  for (const ElementType type : kAll) {
    const Places places(type);
    for (const auto& f : functions) {
      MeasureBoth({f.name,
                   type,
                   "T[512]",
                   absl::StrCat(f.name, "(x0)"),
                   {"T[512]"},
                   "",
                   [](int64_t i) { return Elementwise(1, i); },
                   [&](const std::vector<Real>& x) {
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
    Real (*exact)(const std::vector<Real>&);
  } operations[] = {
      {"add", 2, [](const std::vector<Real>& x) { return x[0] + x[1]; }},
      {"subtract", 2, [](const std::vector<Real>& x) { return x[0] - x[1]; }},
      {"multiply", 2, [](const std::vector<Real>& x) { return x[0] * x[1]; }},
      {"maximum", 2, [](const std::vector<Real>& x) { return std::max(x[0], x[1]); }},
      {"minimum", 2, [](const std::vector<Real>& x) { return std::min(x[0], x[1]); }},
      {"negate", 1, [](const std::vector<Real>& x) { return -x[0]; }},
      {"abs", 1, [](const std::vector<Real>& x) { return std::fabs(x[0]); }},
      {"floor", 1, [](const std::vector<Real>& x) { return std::floor(x[0]); }},
      {"ceil", 1, [](const std::vector<Real>& x) { return std::ceil(x[0]); }},
      {"sign", 1, [](const std::vector<Real>& x) { return Real(x[0] < 0 ? -1 : x[0] > 0); }},
      {"clamp", 3, [](const std::vector<Real>& x) { return std::min(std::max(x[1], x[0]), x[2]); }},
  };
  for (const ElementType type : kAll) {
    const Places places(type);
    for (const auto& f : operations) {
      std::string names;
      std::vector<std::string> shapes;
      for (int k = 0; k < f.operands; ++k) {
        absl::StrAppend(&names, k > 0 ? ", " : "", "x", k);
        shapes.push_back("T[512]");
      }
      MeasureBoth({f.name, type, "T[512]", absl::StrCat(f.name, "(", names, ")"), shapes, "",
                   [&](int64_t i) { return Elementwise(f.operands, i); },
                   [&](const std::vector<Real>& x) { return Rounded(places, f.exact(x), 0); }});
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
                   [](int64_t i) { return Elementwise(1, i); },
                   [&](const std::vector<Real>& x) { return Rounded(results, x[0], 0); }});
    }
    MeasureBoth({"reduce-precision to bf16",
                 type,
                 "T[512]",
                 "reduce-precision(x0), exponent_bits=8, mantissa_bits=7",
                 {"T[512]"},
                 "",
                 [](int64_t i) { return Elementwise(1, i); },
                 [&](const std::vector<Real>& x) {
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
  for (const ElementType type : kAll) {
    const Places places(type);
    for (const auto& f : functions) {
      MeasureBoth({f.name,
                   type,
                   "T[512]",
                   absl::StrCat(f.name, "(x0, x1)"),
                   {"T[512]", "T[512]"},
                   "",
                   [](int64_t i) { return Elementwise(2, i); },
                   [&](const std::vector<Real>& x) {
                     return Budgeted(f.opcode, places, f.exact(x[0], x[1]), false);
                   },
                   MostOf(f.opcode, type),
                   0.5,
                   2,
                   true});
    }
  }
}

TEST_F(WidthsTest, Sums) {
  for (const ElementType type : kAll) {
    const Places places(type);
    // Of f32 golden's own rounding comes to the bound.
    const int64_t most = type == kF32 ? 1 : 0;
    const auto summed = [&](const std::vector<Real>& x) { return Summed(places, x, false); };
    const auto products = [&](const std::vector<Real>& x) {
      std::vector<Real> terms;
      for (size_t k = 0; k < x.size(); k += 2) terms.push_back(x[k] * x[k + 1]);
      return Summed(places, terms, true);
    };
    const auto row = [](int64_t i) {
      return std::vector<OperandPart>{{0, 3 * i}, {0, 3 * i + 1}, {0, 3 * i + 2}};
    };
    MeasureBoth({"reduce (add)",
                 type,
                 "T[300]",
                 "reduce(x0, zero), dimensions={1}, to_apply=add",
                 {"T[300,3]"},
                 kAdder,
                 row,
                 summed,
                 most});
    MeasureBoth({"reduce-window (add)",
                 type,
                 "T[300,3]",
                 "reduce-window(x0, zero), window={size=1x2}, to_apply=add",
                 {"T[300,4]"},
                 kAdder,
                 [](int64_t i) {
                   const int64_t at = i / 3 * 4 + i % 3;
                   return std::vector<OperandPart>{{0, at}, {0, at + 1}};
                 },
                 summed,
                 most},
                2, 1);
    MeasureBoth(
        {"dot",
         type,
         "T[300]",
         "dot(x0, x1), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
         "rhs_contracting_dims={1}",
         {"T[300,2]", "T[300,2]"},
         "",
         [](int64_t i) {
           return std::vector<OperandPart>{{0, 2 * i}, {1, 2 * i}, {0, 2 * i + 1}, {1, 2 * i + 1}};
         },
         products,
         most},
        1, type == kF32 ? 5 : 2);
    MeasureBoth({"convolution",
                 type,
                 "T[100,3,1]",
                 "convolution(x0, x1), window={size=2}, dim_labels=b0f_0io->b0f",
                 {"T[100,4,1]", "T[2,1,1]"},
                 "",
                 [](int64_t i) {
                   const int64_t at = i / 3 * 4 + i % 3;
                   return std::vector<OperandPart>{{0, at}, {1, 0}, {0, at + 1}, {1, 1}};
                 },
                 products,
                 most},
                1, type == kF32 ? 5 : 2);
    MeasureBoth({"scatter (add)",
                 type,
                 "T[100]",
                 "scatter(x0, places, x1), update_window_dims={1}, inserted_window_dims={},"
                 " scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
                 {"T[100]", "T[2,100]"},
                 kAdder,
                 [](int64_t i) {
                   return std::vector<OperandPart>{{0, i}, {1, i}, {1, 100 + i}};
                 },
                 summed,
                 most},
                2, most);
    MeasureBoth(
        {"select-and-scatter (add)",
         type,
         "T[200]",
         "select-and-scatter(keys, x0, zero), window={size=2 stride=2}, select=ge, "
         "scatter=add",
         {"T[100]"},
         kAdder,
         [](int64_t i) {
           return i % 2 == 0 ? std::vector<OperandPart>{{0, i / 2}} : std::vector<OperandPart>{};
         },
         summed,
         most});
    MeasureBoth({"reduce (minimum)",
                 type,
                 "T[300]",
                 "reduce(x0, most), dimensions={1}, to_apply=least",
                 {"T[300,3]"},
                 kAdder,
                 row,
                 [&](const std::vector<Real>& x) {
                   return Rounded(places, *std::min_element(x.begin(), x.end()), 0);
                 }});
  }
}

// A sum that is rounded to fewer bits than its type has is found whatever follows it.
class CoarseSumsTest : public EnclosureTest {
 protected:
  static Literal Random(ElementType type, const Shape& shape) {
    std::mt19937_64 random(11);
    const Places places(type);
    Literal literal = Literal::Zeros(shape);
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      const double size = 0.5 + static_cast<double>(random() % 1024) / 1024;
      literal.Set(i, places.Bits(places.Nearest(random() % 2 == 0 ? size : -size)));
    }
    return literal;
  }
  // A number with so many bits behind the first.
  static Element Coarse(const Places& places, Element element, int bits) {
    const Real value = places.At(places.Of(element.bits));
    if (value == 0) return element;
    const Real unit = std::ldexp(Real{1}, std::ilogb(value) - bits);
    return places.Bits(places.Nearest(std::nearbyint(value / unit) * unit));
  }

  // How many elements of the result are wrong where the sum, which is given as `sum`, has so few
  // bits; `then` takes s to r.
  void ExpectFound(ElementType type, const std::string& sum, const std::string& then,
                   const std::vector<Literal>& arguments, int bits) {
    const std::string name(Info(type).name);
    const auto typed = [&](const std::string& text) {
      return absl::StrReplaceAll(text, {{"T[", absl::StrCat(name, "[")}});
    };
    const BoxTree tree = Of(typed(sum + then), arguments, "cpu-strict", typed(kAdder));
    const auto golden = Interpret(*module_, arguments);
    ASSERT_TRUE(golden.ok()) << golden.status();
    const Places places(type);
    Literal actual = *golden;
    for (int64_t i = 0; i < actual.element_count(); ++i) {
      actual.Set(i, Coarse(places, actual.Get(i), bits));
    }
    EXPECT_EQ(Judged(tree, *golden, actual), Verdict::kWrong) << name << sum << then;
    EXPECT_LE(Judged(tree, *golden, *golden), Verdict::kCorrectlyRounded) << name << sum;
  }
};

TEST_F(CoarseSumsTest, AreFoundBehindWhateverFollows) {
  const struct {
    ElementType type;
    int bits;  // one fewer than the type has
  } types[] = {{kBF16, 6},     {kBF16, 5},     {kF16, 9},   {kF16, 8},
               {kF8E4M3FN, 2}, {kF8E4M3FN, 1}, {kF8E5M2, 1}};
  for (const auto& [type, bits] : types) {
    const Literal left = Random(type, Shape(type, {12, 16})),
                  right = Random(type, Shape(type, {16, 12}));
    for (const char* then :
         {"ROOT r = T[12,12] negate(s)", "ROOT r = T[12,12] abs(s)",
          "n = T[12,12] negate(s)\n ROOT r = T[12,12] reverse(n), dimensions={0}",
          "z = T[] constant(0)\n y = T[12,12] broadcast(z), dimensions={}\n"
          " ROOT r = T[12,12] add(s, y)",
          "ROOT r = T[12,12] maximum(s, s)"}) {
      ExpectFound(type,
                  "a = T[12,16] parameter(0)\n b = T[16,12] parameter(1)\n s = T[12,12] dot(a, b), "
                  "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n ",
                  then, {left, right}, bits);
    }
    ExpectFound(type,
                "a = T[12,16] parameter(0)\n z = T[] constant(0)\n s = T[12] reduce(a, z), "
                "dimensions={1}, to_apply=add\n ",
                "ROOT r = T[12] negate(s)", {left}, bits);
    ExpectFound(
        type,
        "a = T[12,16] parameter(0)\n z = T[] constant(0)\n s = T[12,13] reduce-window(a, z), "
        "window={size=1x4}, to_apply=add\n ",
        "ROOT r = T[12,13] negate(s)", {left}, bits);
    ExpectFound(
        type,
        "a = T[12,16] parameter(0)\n b = T[16,12] parameter(1)\n x = T[12,16,1] reshape(a)\n"
        " w = T[16,1,12] reshape(b)\n s = T[12,1,12] convolution(x, w), window={size=16}, "
        "dim_labels=b0f_0io->b0f\n ",
        "ROOT r = T[12,1,12] negate(s)", {left, right}, bits);
  }
}

}  // namespace
}  // namespace assay
