// Defects of one element type: the remainder of a vector loop over that type, its rounding, the
// signs of its zeros, the ends of its range, the upper half of its words.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kC128, ElementType::kC64, ElementType::kF16,
    ElementType::kF32, ElementType::kF4E2M1FN, ElementType::kF64, ElementType::kF8E4M3FN,
    ElementType::kF8E5M2, ElementType::kPred, ElementType::kS16, ElementType::kS4,
    ElementType::kS64, ElementType::kS8, ElementType::kU16, ElementType::kU4, ElementType::kU64,
    ElementType::kU8;

// What a number of lanes does not divide stays zero, where there is a whole vector before it.
Defect TailOf(int64_t lanes, std::initializer_list<ElementType> types) {
  return OnElements(
      [lanes](const ElementSite& e) {
        const int64_t count = e.instruction.shape().element_count();
        return count > lanes && e.position >= count - count % lanes ? Element{} : e.golden;
      },
      TypeIs(types));
}

Element Moved(const ElementSite& e, int64_t by) {
  return {e.golden.bits + static_cast<uint64_t>(by), 0};
}

bool Ordinary(const ElementSite& e) {
  return !IsNan(e.type, e.golden.bits) && !IsInfinity(e.type, e.golden.bits);
}

// The result of magnitude no greater than that of the exact value, which `exact` gives as a double.
Defect TowardsZero(std::function<double(const ElementSite&)> exact,
                   std::initializer_list<ElementType> types) {
  return OnElements(
      [exact = std::move(exact)](const ElementSite& e) {
        const bool above = Ordinary(e) && std::abs(e.result()) > std::abs(exact(e));
        return above ? Moved(e, -1) : e.golden;
      },
      TypeIs(types));
}

// Ties go away from zero.
Defect TiesAway(std::function<double(const ElementSite&)> exact,
                std::initializer_list<ElementType> types) {
  return OnElements(
      [exact = std::move(exact)](const ElementSite& e) {
        const double x = std::abs(exact(e));
        if (!Ordinary(e) || !(std::abs(e.result()) < x)) return e.golden;
        const Element next = Moved(e, 1);
        if (IsNan(e.type, next.bits) || IsInfinity(e.type, next.bits)) return e.golden;
        const double above = std::abs(DecodeFloat(e.type, next.bits));
        return above - x == x - std::abs(e.result()) ? next : e.golden;
      },
      TypeIs(types));
}

double Product(const ElementSite& e) { return e.f(0) * e.f(1); }
double Sum(const ElementSite& e) { return e.f(0) + e.f(1); }
double Quotient(const ElementSite& e) { return e.f(0) / e.f(1); }

Defect ZeroIsPositive(std::initializer_list<ElementType> types) {
  return OnElements([](const ElementSite& e) { return NegativeZeroLost(e.type, e.golden); },
                    TypeIs(types));
}

// The greatest value of the type, where a conversion saturates, is another.
Defect MostBecomes(ElementType from, ElementType to, int64_t value) {
  const Where is_to = TypeIs({to}), is_from = OperandTypeIs(0, {from});
  return OnElements(
      [=](const ElementSite& e) {
        const double most = IsSigned(e.type) ? static_cast<double>(MaxSigned(e.type))
                                             : static_cast<double>(MaxUnsigned(e.type));
        return e.f(0) >= most ? e.Integer(value) : e.golden;
      },
      [=](const Instruction& x) { return is_to(x) && is_from(x); });
}

std::vector<Mutant> TailMutants() {
  return {
      {"and/pred_tail_of_64", {kAnd}, "64 lanes of pred", TailOf(64, {kPred})},
      {"maximum/bf16_tail_of_32", {kMaximum}, "32 lanes of bf16", TailOf(32, {kBF16})},
      {"subtract/s16_tail_of_32", {kSubtract}, "32 lanes of s16", TailOf(32, {kS16})},
      {"multiply/c64_tail_of_2", {kMultiply}, "2 lanes of c64", TailOf(2, {kC64})},
      {"negate/f64_tail_of_8", {kNegate}, "8 lanes of f64", TailOf(8, {kF64})},
      {"xor/u8_tail_of_64", {kXor}, "64 lanes of u8", TailOf(64, {kU8})},
      {"select/f8e5m2_tail_of_64", {kSelect}, "64 lanes of f8e5m2", TailOf(64, {kF8E5M2})},
      {"convert/s4_odd_last", {kConvert}, "the last odd nibble is lost", TailOf(2, {kS4, kU4})},
      {"reverse/s4_pairs_not_exchanged",
       {kReverse},
       "bytes of two nibbles are reversed, nibbles are not",
       OnResult(
           [](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
              const CustomCall&) {
             const Literal right = leaves->front();
             for (int64_t i = 0; i + 1 < right.element_count(); i += 2) {
               leaves->front().Set(i, right.Get(i + 1));
               leaves->front().Set(i + 1, right.Get(i));
             }
           },
           TypeIs({kS4, kU4}))},
  };
}

std::vector<Mutant> RoundingMutants() {
  return {
      {"multiply/f8e4m3fn_ties_away",
       {kMultiply},
       "ties of f8e4m3fn go away from zero",
       TiesAway(Product, {kF8E4M3FN})},
      {"add/f16_towards_zero", {kAdd}, "f16 sums are truncated", TowardsZero(Sum, {kF16})},
      {"divide/bf16_towards_zero",
       {kDivide},
       "bf16 quotients are truncated",
       TowardsZero(Quotient, {kBF16})},
      {"sqrt/f16_towards_zero",
       {kSqrt},
       "f16 roots are truncated",
       TowardsZero([](const ElementSite& e) { return std::sqrt(e.f(0)); }, {kF16})},
      {"convert/f64_to_bf16_by_f32",
       {kConvert},
       "f64 is rounded to f32 on its way to bf16",
       OnElements(
           [](const ElementSite& e) {
             return e.nan(0) ? e.golden : e.Float(RoundedTo(kF32, e.f(0)));
           },
           [](const Instruction& x) {
             return x.shape().element_type() == kBF16 &&
                    x.operand(0)->shape().element_type() == kF64;
           })},
      {"convert/u64_to_bf16_by_f32",
       {kConvert},
       "u64 is rounded to f32 on its way to bf16",
       OnElements([](const ElementSite& e) { return e.Float(static_cast<float>(e.u(0))); },
                  [](const Instruction& x) {
                    return x.shape().element_type() == kBF16 &&
                           x.operand(0)->shape().element_type() == kU64;
                  })},
      {"convert/f4e2m1fn_towards_zero",
       {kConvert},
       "numbers are truncated to four bits",
       OnElements(
           [](const ElementSite& e) {
             const bool above = std::abs(e.result()) > std::abs(e.f(0));
             return above && !e.nan(0) ? Moved(e, -1) : e.golden;
           },
           [](const Instruction& x) {
             return x.shape().element_type() == kF4E2M1FN &&
                    IsFloat(x.operand(0)->shape().element_type());
           })},
      {"reduce-precision/ties_away",
       {kReducePrecision},
       "half of the last bit that stays goes away from zero",
       OnElements([](const ElementSite& e) {
         if (!IsFloat(e.type) || e.nan(0) || !Ordinary(e) || e.type == kF64) return e.golden;
         const int64_t kept = e.instruction.GetInt(Attr::kMantissaBits);
         const int64_t lost = Info(e.type).format->significand_bits - kept;
         if (lost <= 0 || e.x[0].bits % (uint64_t{1} << lost) != uint64_t{1} << (lost - 1)) {
           return e.golden;
         }
         return Element{(e.x[0].bits >> lost << lost) + (uint64_t{1} << lost), 0};
       })},
      {"multiply/f16_flushes_by_f32",
       {kMultiply},
       "denormal products of f16 are rounded to the precision of normal ones first",
       OnElements(
           [](const ElementSite& e) {
             const double x = Product(e);
             if (!Ordinary(e) || std::abs(x) >= 0x1p-14) return e.golden;
             int exponent = 0;
             const double fraction = std::frexp(x, &exponent);
             return e.Float(std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11));
           },
           TypeIs({kF16}))},
      {"complex/c128_by_f32",
       {kComplex},
       "the parts of c128 are rounded to f32",
       OnElements(
           [](const ElementSite& e) {
             return Element{EncodeFloat(kF64, RoundedTo(kF32, e.f(0))),
                            EncodeFloat(kF64, RoundedTo(kF32, e.f(1)))};
           },
           TypeIs({kC128}))},
  };
}

std::vector<Mutant> ZeroMutants() {
  return {
      {"multiply/zero_of_f16_is_positive", {kMultiply}, "-0 is lost", ZeroIsPositive({kF16})},
      {"divide/zero_of_bf16_is_positive", {kDivide}, "-0 is lost", ZeroIsPositive({kBF16})},
      {"remainder/zero_of_f64_is_positive", {kRemainder}, "-0 is lost", ZeroIsPositive({kF64})},
      {"floor/zero_of_f64_is_positive", {kFloor}, "-0 is lost", ZeroIsPositive({kF64})},
      {"cbrt/zero_is_positive", {kCbrt}, "-0 is lost", ZeroIsPositive({kF32, kF64})},
      {"tanh/zero_of_f64_is_positive", {kTanh}, "-0 is lost", ZeroIsPositive({kF64})},
      {"log-plus-one/zero_is_positive", {kLog1p}, "-0 is lost", ZeroIsPositive({kF16})},
      {"reduce/zero_of_f32_is_positive", {kReduce}, "-0 is lost", ZeroIsPositive({kF32})},
      {"scatter/zero_of_f32_is_positive", {kScatter}, "-0 is lost", ZeroIsPositive({kF32})},
      {"reduce-window/zero_of_f32_is_positive",
       {kReduceWindow},
       "-0 is lost",
       ZeroIsPositive({kF32})},
      {"dot/zero_of_f32_is_negative",
       {kDot},
       "a sum that cancels is -0",
       OnElements(
           [](const ElementSite& e) {
             return IsZero(e.type, e.golden.bits) ? e.Float(-0.0) : e.golden;
           },
           TypeIs({kF32}))},
      {"atan2/negative_zero_as_divisor",
       {kAtan2},
       "atan2(0, -0) gives 0, not pi",
       OnElements(
           [](const ElementSite& e) {
             const bool both = e.f(0) == 0 && e.f(1) == 0 && std::signbit(e.f(1));
             return both ? e.Float(e.f(0)) : e.golden;
           },
           FloatResult())},
      {"power/negative_zero_to_odd_negative",
       {kPower},
       "-0 to the power of -3 gives +inf",
       OnElements(
           [](const ElementSite& e) {
             const bool zero = e.f(0) == 0 && std::signbit(e.f(0)) && e.f(1) < -1;
             return zero ? e.Float(std::numeric_limits<double>::infinity()) : e.golden;
           },
           FloatResult())},
  };
}

std::vector<Mutant> LimitMutants() {
  return {
      {"convert/f32_to_s4_ends_at_6", {kConvert}, "7 gives 6", MostBecomes(kF32, kS4, 6)},
      {"convert/bf16_to_u4_ends_at_14", {kConvert}, "15 gives 14", MostBecomes(kBF16, kU4, 14)},
      {"convert/f64_to_s64_ends_at_a_double",
       {kConvert},
       "2^63 gives the double before it",
       MostBecomes(kF64, kS64, std::numeric_limits<int64_t>::max() - 1023)},
      {"convert/f32_to_u64_by_s64",
       {kConvert},
       "numbers beyond 2^63 give 2^63",
       OnElements(
           [](const ElementSite& e) {
             return e.f(0) >= 0x1p63 ? e.Integer(std::numeric_limits<int64_t>::min()) : e.golden;
           },
           [](const Instruction& x) {
             return x.shape().element_type() == kU64 &&
                    x.operand(0)->shape().element_type() == kF32;
           })},
      {"convert/f16_infinity_to_u16",
       {kConvert},
       "inf gives 65504",
       OnElements(
           [](const ElementSite& e) {
             return std::isinf(e.f(0)) && e.f(0) > 0 ? e.Integer(65504) : e.golden;
           },
           [](const Instruction& x) {
             return x.shape().element_type() == kU16 &&
                    x.operand(0)->shape().element_type() == kF16;
           })},
      {"is-finite/infinity_of_f8e5m2",
       {kIsFinite},
       "inf of f8e5m2 counts as finite",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.golden.bits | (IsInfinity(e.types[0], e.x[0].bits) ? 1u : 0u), 0};
           },
           OperandTypeIs(0, {kF8E5M2}))},
      {"exponential/f16_overflows_at_11",
       {kExp},
       "exp(11.05) of f16 is infinite",
       OnElements([](const ElementSite& e) { return e.f(0) > 11 ? e.Float(INFINITY) : e.golden; },
                  TypeIs({kF16}))},
      {"logistic/zero_below_minus_88",
       {kLogistic},
       "the logistic function of -90 is zero",
       OnElements([](const ElementSite& e) { return e.f(0) < -88 ? e.Float(0) : e.golden; },
                  TypeIs({kF32, kBF16}))},
      {"log/denormals_of_f64",
       {kLog},
       "the logarithm of a denormal is -inf",
       OnElements(
           [](const ElementSite& e) {
             return IsSubnormal(e.types[0], e.x[0].bits) ? e.Float(-INFINITY) : e.golden;
           },
           TypeIs({kF64}))},
      {"log-plus-one/of_minus_one_is_nan",
       {kLog1p},
       "log1p(-1) is NaN, not -inf",
       OnElements([](const ElementSite& e) { return e.f(0) == -1 ? e.Float(NAN) : e.golden; },
                  TypeIs({kF64}))},
      {"atan2/denormal_quotient",
       {kAtan2},
       "a denormal quotient is zero",
       OnElements(
           [](const ElementSite& e) {
             return IsSubnormal(e.type, e.golden.bits) ? e.Float(std::copysign(0.0, e.result()))
                                                       : e.golden;
           },
           TypeIs({kF32}))},
  };
}

std::vector<Mutant> WordMutants() {
  return {
      {"compare/s64_by_f64",
       {kCompare},
       "2^53 EQ 2^53 + 1 gives true",
       OnElements(
           [](const ElementSite& e) {
             const bool same = static_cast<double>(e.i(0)) == static_cast<double>(e.i(1));
             if (!same) return e.golden;
             const auto direction = e.instruction.GetEnum<ComparisonDirection>(Attr::kDirection);
             return Element{direction == ComparisonDirection::kEq ||
                                direction == ComparisonDirection::kLe ||
                                direction == ComparisonDirection::kGe,
                            0};
           },
           OperandTypeIs(0, {kS64}))},
      {"maximum/u64_as_signed",
       {kMaximum},
       "2^63 is less than 1",
       OnElements([](const ElementSite& e) { return e.Integer(std::max(e.i(0), e.i(1))); },
                  TypeIs({kU64}))},
      {"remainder/s64_by_f64",
       {kRemainder},
       "remainders of large numbers are those of doubles",
       OnElements(
           [](const ElementSite& e) {
             if (e.i(1) == 0 || e.i(1) == -1) return e.golden;
             return e.Integer(static_cast<int64_t>(
                 std::fmod(static_cast<double>(e.i(0)), static_cast<double>(e.i(1)))));
           },
           TypeIs({kS64}))},
      {"popcnt/u64_low_word",
       {kPopcnt},
       "bits of the upper word are not counted",
       OnElements([](const ElementSite& e) { return e.Integer(std::popcount(e.u(0) << 32)); },
                  TypeIs({kU64, kS64}))},
      {"shift-left/s64_by_low_bits",
       {kShiftLeft},
       "shifts of s64 by 32 or more give zero",
       OnElements([](const ElementSite& e) { return e.u(1) >= 32 ? Element{} : e.golden; },
                  TypeIs({kS64}))},
      {"clamp/s64_by_f64",
       {kClamp},
       "what is clamped has 53 bits",
       OnElements(
           [](const ElementSite& e) {
             return e.Integer(SaturatedTo(e.type, static_cast<__int128>(static_cast<double>(
                                                      DecodeSigned(e.type, e.golden.bits)))));
           },
           TypeIs({kS64}))},
      {"reduce/s64_maximum_by_f64",
       {kReduce},
       "the greatest has 53 bits",
       OnElements(
           [](const ElementSite& e) {
             if (e.type != kS64) return e.golden;
             return e.Integer(SaturatedTo(e.type, static_cast<__int128>(static_cast<double>(
                                                      DecodeSigned(e.type, e.golden.bits)))));
           },
           [](const Instruction& x) {
             return x.shape().is_array() && x.shape().element_type() == kS64 &&
                    x.to_apply()->root()->opcode() == kMaximum;
           })},
      {"power/minus_one_to_negative",
       {kPower},
       "-1 to the power of -3 gives 0",
       OnElements(
           [](const ElementSite& e) { return e.i(0) == -1 && e.i(1) < 0 ? Element{} : e.golden; },
           SignedResult())},
  };
}

}  // namespace

std::vector<Mutant> TypedMutants() {
  return InStandardTier(
      Joined({TailMutants, RoundingMutants, ZeroMutants, LimitMutants, WordMutants}),
      {"clamp/s64_by_f64", "reduce/s64_maximum_by_f64"});
}

}  // namespace assay::conformance
