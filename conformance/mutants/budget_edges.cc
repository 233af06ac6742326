// Elementwise operations at the edge of their budgets. Exact values come from the C library in long
// double, to a few units of 2^-64.
#include <cmath>
#include <complex>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "conformance/mutants/defects.h"
#include "conformance/mutants/profile_edges.h"
#include "spec/ir/attribute_values.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kC128, ElementType::kC64, ElementType::kF16,
    ElementType::kF32, ElementType::kF64, ElementType::kF8E4M3FN, ElementType::kF8E5M2;
using Real = long double;

constexpr ElementType kRealTypes[] = {kF64, kF32, kF16, kBF16, kF8E5M2, kF8E4M3FN};
constexpr ElementType kComplexTypes[] = {kC64, kC128};
// Of a budget: more than the 2^-52 that the judge takes an exact value to be known to.
constexpr Real kHair = 0x1p-40L;

Real ExactFunction(Opcode opcode, Real x, Real y) {
  switch (opcode) {
    case kExp:
      return std::exp(x);
    case kExpm1:
      return std::expm1(x);
    case kLog:
      return std::log(x);
    case kLog1p:
      return std::log1p(x);
    case kLogistic:
      return 1 / (1 + std::exp(-x));
    case kSqrt:
      return std::sqrt(x);
    case kRsqrt:
      return 1 / std::sqrt(x);
    case kCbrt:
      return std::cbrt(x);
    case kSin:
      return std::sin(x);
    case kCos:
      return std::cos(x);
    case kTan:
      return std::tan(x);
    case kAsin:
      return std::asin(x);
    case kAcos:
      return std::acos(x);
    case kSinh:
      return std::sinh(x);
    case kCosh:
      return std::cosh(x);
    case kTanh:
      return std::tanh(x);
    case kAsinh:
      return std::asinh(x);
    case kAcosh:
      return std::acosh(x);
    case kAtanh:
      return std::atanh(x);
    case kErf:
      return std::erf(x);
    case kAtan2:
      return std::atan2(x, y);
    case kPower:
      return std::pow(x, y);
    case kDivide:
      return x / y;
    default:
      return std::nanl("");
  }
}

Real Ulp(ElementType type, Real value) {
  const FloatFormat& format = *Info(type).format;
  const int exponent = value == 0 ? format.min_exponent() : std::ilogb(value);
  return std::ldexp(Real{1}, std::max(exponent, format.min_exponent()) - format.precision() + 1);
}

// accuracy_requirements.md 3, "range": what no budget leads out of.
bool IsInRange(Opcode opcode, ElementType type, double value) {
  switch (opcode) {
    case kSin:
    case kCos:
    case kTanh:
    case kErf:
      return std::fabs(value) <= 1;
    case kCosh:
      return value >= 1;
    case kLogistic:
      return value >= 0 && value <= 1;
    case kAcos:
      return value >= 0 && value < std::acos(Real{-1}) + Ulp(type, 3);  // pi rounded up
    default:
      return true;
  }
}

bool IsPowerOfTwo(Real value) {
  int exponent = 0;
  return std::fabs(std::frexp(value, &exponent)) == 0.5L;
}

// 8 bits and fewer: computed in f16, or in bf16 beyond its range, then rounded.
ElementType ComputedIn(ElementType type, Real exact) {
  if (Info(type).bits > 8) return type;
  return std::fabs(exact) <= 65504 ? kF16 : kBF16;
}

// An element of which the golden value, the exact one and the budget are known.
struct Budgeted {
  const ElementSite& site;
  Real exact, reach;
  double value(Element x) const { return DecodeFloat(site.type, x.bits); }
  bool Reaches(Element x, Real more) const {
    return std::fabs(value(x) - exact) <= reach * (1 + kHair) + more;
  }
};

// The furthest value inside the budget: away from zero (1) or towards it (-1), on the side of the
// exact value's sign.
Element Furthest(const Budgeted& at, int direction) {
  const Real goal = at.exact + std::copysign(at.reach, at.exact) * direction * (1 - kHair);
  const bool crosses = std::signbit(goal) != std::signbit(at.exact);
  Element x = at.site.Float(static_cast<double>(crosses ? std::copysign(Real{0}, at.exact) : goal));
  if (!std::isfinite(at.value(x))) return at.site.golden;
  const bool narrow = Info(at.site.type).bits <= 8;
  while (!narrow && !at.Reaches(x, -2 * kHair * at.reach)) {
    x.bits += std::fabs(at.value(x)) > std::fabs(at.exact) ? -1 : 1;
  }
  return IsInRange(at.site.instruction.opcode(), at.site.type, at.value(x)) ? x : at.site.golden;
}

// The first value away from zero that is further than the budget: of f64, whose exact value the
// judge does not know, by an ulp; of 8 bits, whose values lie further apart, the second next.
Element JustOutside(const Budgeted& at) {
  Element x = at.site.golden;
  const bool narrow = Info(at.site.type).bits <= 8;
  for (int steps = 0;
       narrow ? steps < 2 : at.Reaches(x, at.site.type == kF64 ? Ulp(kF64, at.exact) : 0);
       ++steps) {
    const Element next = NextAfter(at.site.type, x, 1);
    if (next.bits == x.bits) return at.site.golden;
    x = next;
  }
  return x;
}

Element RealEdge(const ElementSite& e, const UlpBudget& budget, int direction, bool beyond) {
  if (budget.exact() || budget.ulps == 0.5)
    return beyond ? NextAfter(e.type, e.golden, 1) : e.golden;
  const Real exact =
      ExactFunction(e.instruction.opcode(), e.f(0), e.x.size() > 1 ? e.f(1) : Real{0});
  // Powers of two stay: at special points no budget counts.
  if (!std::isfinite(exact) || static_cast<double>(exact) == 0 || IsPowerOfTwo(exact) ||
      !std::isfinite(e.result())) {
    return e.golden;
  }
  const Real reach = budget.ulps * Ulp(ComputedIn(e.type, exact), exact) + budget.absolute;
  const Budgeted at = {e, exact, reach};
  return beyond ? JustOutside(at) : Furthest(at, direction);
}

// The real part of a complex result, or the absolute value of a complex operand, moved by whole
// ulps of the distance in the plane. The golden parts are within half an ulp, as is the moved one.
Element ComplexEdge(const ElementSite& e, const UlpBudget& budget, int direction, bool beyond) {
  const ElementType part = Info(e.type).component;
  if (budget.exact()) {
    return beyond ? Element{NextAfter(part, {e.golden.bits, 0}, 1).bits, e.golden.imag} : e.golden;
  }
  const double re = DecodeFloat(part, e.golden.bits);
  const double im = IsComplex(e.type) ? DecodeFloat(part, e.golden.imag) : 0;
  const double size = std::hypot(re, im);
  if (!std::isfinite(size) || size == 0 || size > DecodeFloat(part, MaxFinite(part)) / 4) {
    return e.golden;
  }
  const double ulps = beyond ? budget.ulps + 2.5 : std::max(0.0, budget.ulps - 2);
  // The exact size may be on either side of a power of two, where ulps halve.
  const Real unit = Ulp(part, size * (beyond ? 1 + 0x1p-20 : 1 - 0x1p-20));
  const double moved = re + direction * ulps * static_cast<double>(unit);
  if (!IsComplex(e.type) && std::signbit(moved)) return e.golden;
  return {EncodeFloat(part, moved), e.golden.imag};
}

bool IsOfComplex(const Instruction& x) {
  return x.operand(0)->shape().is_array() && IsComplex(x.operand(0)->shape().element_type());
}

// Where the profile's own budget counts: the instruction asks for no accuracy of its own.
bool HasOwnBudget(const Instruction& x) {
  if (!x.shape().is_array() || x.operand_count() == 0 || !x.operand(0)->shape().is_array())
    return false;
  const auto* accuracy = x.attributes().Get<ResultAccuracy>(Attr::kResultAccuracy);
  return accuracy == nullptr || accuracy->mode == ResultAccuracy::Mode::kDefault;
}

Where Computes(ElementType type) {
  return [type](const Instruction& x) {
    return HasOwnBudget(x) && x.operand(0)->shape().element_type() == type;
  };
}

Defect ToTheEdge(const TargetProfile& profile, int direction, bool beyond, Where where) {
  return OnElements(
      [profile, direction, beyond](const ElementSite& e) {
        if (!IsFloat(e.type) && !IsComplex(e.type)) return e.golden;
        const bool of_complex = IsOfComplex(e.instruction);
        const UlpBudget budget =
            profile.FindBudget(e.instruction.opcode(), of_complex ? e.types[0] : e.type);
        return of_complex ? ComplexEdge(e, budget, direction, beyond)
                          : RealEdge(e, budget, direction, beyond);
      },
      std::move(where));
}

// Operations of one element or of none: whose results are floats where their first operand is one.
bool GivesFloats(const OpInfo& row) {
  constexpr Opcode kOthers[] = {kCompare,          kIsFinite,         kBitcast,
                                kBitcastConvert,   kComplex,          kDynamicReshape,
                                kGetDimensionSize, kSetDimensionSize, kStochasticConvert};
  return (row.family == Family::kElementwise || row.family == Family::kMovement) &&
         row.types.is_float && row.arity != 0 && !absl::c_linear_search(kOthers, row.opcode);
}

}  // namespace

ProfileEdges BudgetEdges(const TargetProfile& profile) {
  ProfileEdges edges;
  std::vector<Opcode> functions;
  const auto add_beyond = [&](const OpInfo& row, ElementType type) {
    edges.beyond.push_back({absl::StrCat(row.name, "/", Info(type).name, "_beyond_its_budget"),
                            {row.opcode},
                            "the first value that no budget reaches",
                            ToTheEdge(profile, 1, true, Computes(type)),
                            profile.name()});
  };
  for (const OpInfo& row : Catalogue()) {
    if (!GivesFloats(row)) continue;
    if (row.elementwise()) functions.push_back(row.opcode);
    // The imaginary part of a real number is 0, which has no neighbour here.
    if (row.opcode != kImag) {
      for (const ElementType type : kRealTypes) add_beyond(row, type);
    }
    if (!row.types.is_complex) continue;
    for (const ElementType type : kComplexTypes) add_beyond(row, type);
  }
  for (const int direction : {1, -1}) {
    edges.within.push_back({absl::StrCat("programs/budgets_used_up_",
                                         direction > 0 ? "away_from" : "towards", "_zero"),
                            functions, "functions as far off as their budgets reach",
                            ToTheEdge(profile, direction, false, HasOwnBudget), profile.name()});
  }
  return edges;
}

}  // namespace assay::conformance
