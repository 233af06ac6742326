// Miscompilations of XLA's history: algebra of floats and integers, conversions and narrow types.
#include <cmath>
#include <optional>
#include <vector>

#include "conformance/mutants/defects.h"
#include "fuzz/score/history_tables.h"
#include "fuzz/score/rewrite_parts.h"

namespace assay::fuzz {
namespace {

using conformance::Build;
using conformance::BuildCompare;
using conformance::BuildUniform;
using conformance::Defect;
using conformance::DirectionOf;
using conformance::ElementSite;
using conformance::FloatArray;
using conformance::FloatResult;
using conformance::In;
using conformance::Inner;
using conformance::IntegerArray;
using conformance::IntegerResult;
using conformance::Is;
using conformance::Mutant;
using conformance::OnElements;
using conformance::OnResult;
using conformance::ReducerOf;
using conformance::ShapeOf;
using conformance::Site;
using conformance::TypeIs;
using conformance::Uniform;
using conformance::UniformValue;
using enum Opcode;

// Returns true if both are one instruction or arrays of one constant.
bool SameValues(const Instruction& a, const Instruction& b) {
  const std::optional<double> value = UniformValue(a);
  return &a == &b || (value && value == UniformValue(b));
}

// log(power(b, x)) / log(b).
Instruction* LogarithmToTheBase(Site& site) {
  const Instruction &a = In(site, 0), &b = In(site, 1);
  if (!FloatArray(site.original()) || !Is(a, kLog) || !Is(b, kLog)) return nullptr;
  const Instruction& power = *a.operand(0);
  if (!Is(power, kPower) || !SameValues(*power.operand(0), *b.operand(0))) return nullptr;
  return site.copy_of(*power.operand(1));
}

// A number from the xor of two equal comparisons.
bool IsXorOfEqualComparisons(const Instruction& x) {
  if (!Is(x, kConvert) || !Is(*x.operand(0), kXor)) return false;
  const Instruction &a = *x.operand(0)->operand(0), &b = *x.operand(0)->operand(1);
  if (&a == &b) return true;
  return Is(a, kCompare) && Is(b, kCompare) && a.operand(0) == b.operand(0) &&
         a.operand(1) == b.operand(1) && DirectionOf(a) == DirectionOf(b);
}

// select(p, 0, x) becomes x * convert(not p).
Instruction* SelectionByAProduct(Site& site) {
  const Shape& predicate = In(site, 0).shape();
  if (!FloatArray(site.original()) || !Uniform(In(site, 1), 0) ||
      predicate.rank() != ShapeOf(site).rank()) {
    return nullptr;
  }
  Instruction* const mask = Build(site, kNot, predicate, {site.operand(0)});
  return Build(site, kMultiply, ShapeOf(site),
               {site.operand(2), Build(site, kConvert, ShapeOf(site), {mask})});
}

std::vector<Mutant> MoreFloatAlgebra() {
  return {
      {"history/jax_37919",
       {kSqrt},
       "sqrt(abs(x * x)) becomes abs(x), although the square overflows",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!FloatArray(inner) || !Is(inner, kAbs)) return nullptr;
         const Instruction& square = *inner.operand(0);
         if (!Is(square, kMultiply) || square.operand(0) != square.operand(1)) return nullptr;
         return Build(site, kAbs, ShapeOf(site), {site.copy_of(*square.operand(0))});
       }},
      {"history/jax_38100", {kDivide}, "log(power(b, x)) / log(b) becomes x", LogarithmToTheBase},
      {"history/openxla_44705",
       {kAtan2},
       "atan2(0, 0) is NaN where both zeros are xor(c, c) of a comparison",
       [](Site& site) -> Instruction* {
         if (!IsXorOfEqualComparisons(In(site, 0)) || !IsXorOfEqualComparisons(In(site, 1))) {
           return nullptr;
         }
         return OnElements([](const ElementSite& e) { return e.Float(NAN); }, FloatResult())(site);
       }},
      {"history/jax_469",
       {kExp},
       "the exponential of a f32 that overflows is its operand",
       OnElements(
           [](const ElementSite& e) {
             const bool overflows = std::isinf(e.result()) && std::isfinite(e.f(0));
             return overflows ? e.x[0] : e.golden;
           },
           TypeIs({ElementType::kF32}))},
      {"history/jax_939",
       {kSelect},
       "select(p, 0, x) becomes x * convert(not p), as if no x were NaN or infinite",
       SelectionByAProduct},
      {"history/jax_4780",
       {kMultiply},
       "x * 0 becomes 0, also where x is NaN or infinite",
       [](Site& site) -> Instruction* {
         if (!FloatArray(site.original())) return nullptr;
         if (!Uniform(In(site, 0), 0) && !Uniform(In(site, 1), 0)) return nullptr;
         return BuildUniform(site, ShapeOf(site), 0);
       }},
      {"history/jax_2071",
       {kDivide},
       "a division by a constant becomes a product with its rounded reciprocal",
       [](Site& site) -> Instruction* {
         const std::optional<double> c = UniformValue(In(site, 1));
         if (!FloatArray(site.original()) || !c || *c == 0 || !std::isfinite(*c)) return nullptr;
         return Build(site, kMultiply, ShapeOf(site),
                      {site.operand(0), BuildUniform(site, ShapeOf(site), 1 / *c)});
       }},
      {"history/jax_3827",
       {kSubtract},
       "(x + y) - y becomes x and (x + y) - x becomes y",
       [](Site& site) -> Instruction* {
         const Instruction& sum = In(site, 0);
         if (!FloatArray(sum) || !Is(sum, kAdd)) return nullptr;
         if (sum.operand(1) == &In(site, 1)) return Inner(site, 0, 0);
         return sum.operand(0) == &In(site, 1) ? Inner(site, 0, 1) : nullptr;
       }},
  };
}

// Returns true if the instruction is a value that a loop carries.
bool IsCarriedValue(const Instruction& x) {
  return Is(x, kGetTupleElement) && Is(*x.operand(0), kParameter);
}

std::vector<Mutant> MoreIntegerAlgebra() {
  return {
      {"history/jax_9604",
       {kCompare},
       "the sign of a dividend that a loop carries is taken for that of the divisor",
       [](Site& site) -> Instruction* {
         const Instruction &a = In(site, 0), &b = In(site, 1);
         if (!IntegerArray(a) || !Is(a, kSign) || !Is(b, kSign) || !IsCarriedValue(*a.operand(0)) ||
             DirectionOf(site.original()) != ComparisonDirection::kNe) {
           return nullptr;
         }
         return BuildUniform(site, ShapeOf(site), 0);
       }},
      {"history/jax_37819",
       {kDivide},
       "a quotient of integers by zero is zero",
       OnElements([](const ElementSite& e) { return e.x[1].bits == 0 ? e.Integer(0) : e.golden; },
                  IntegerResult())},
      {"history/jax_11979",
       {kCompare},
       "x - c < d becomes x < d + c, although d + c wraps",
       [](Site& site) -> Instruction* {
         const Instruction& left = In(site, 0);
         if (!IntegerArray(left) || !Is(left, kSubtract) || !UniformValue(*left.operand(1)) ||
             !UniformValue(In(site, 1))) {
           return nullptr;
         }
         Instruction* const bound =
             Build(site, kAdd, In(site, 1).shape(), {site.operand(1), Inner(site, 0, 1)});
         return BuildCompare(site, site.original(), DirectionOf(site.original()), Inner(site, 0, 0),
                             bound);
       }},
  };
}

// Predicates of four bits in the place of bytes: two of them are read as one.
void PredicatesInHalfBytes(const Instruction&, absl::Span<const Literal>,
                           std::vector<Literal>* leaves, const CustomCall&) {
  Literal& out = leaves->front();
  const Literal right = out;
  for (int64_t i = 0; i < out.element_count(); ++i) {
    const auto at = [&](int64_t k) { return k < out.element_count() && right.Get(k).bits != 0; };
    out.Set(i, {at(2 * i) || at(2 * i + 1), 0});
  }
}

std::vector<Mutant> NarrowTypes() {
  return {
      {"history/jax_8258",
       {kConvert},
       "negative floats wrap where they become unsigned integers",
       OnElements([](const ElementSite& e) {
         const bool wraps = IsFloat(e.types[0]) && IsUnsigned(e.type) && e.f(0) < 0 &&
                            e.f(0) >= -9223372036854775808.0;
         return wraps ? e.Integer(static_cast<int64_t>(e.f(0))) : e.golden;
       })},
      {"history/openxla_9431",
       {kReduce},
       "whether all elements of s8 equal those of a constant is false, whatever they are",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& equal = In(site, 0);
         if (x.operand_count() != 2 || ReducerOf(*x.to_apply()) != kAnd || !Is(equal, kCompare) ||
             DirectionOf(equal) != ComparisonDirection::kEq ||
             equal.operand(0)->shape().element_type() != ElementType::kS8 ||
             !Is(*equal.operand(1), kConstant)) {
           return nullptr;
         }
         return BuildUniform(site, x.shape(), 0);
       }},
      {"history/openxla_17719",
       {kCompare},
       "the predicates of a comparison of s4 are packed as s4 are",
       [](Site& site) -> Instruction* {
         if (In(site, 0).shape().element_type() != ElementType::kS4) return nullptr;
         return OnResult(PredicatesInHalfBytes)(site);
       }},
  };
}

}  // namespace

std::vector<Mutant> HistoryOfAlgebra() {
  return conformance::Joined({MoreFloatAlgebra, MoreIntegerAlgebra, NarrowTypes});
}

}  // namespace assay::fuzz
