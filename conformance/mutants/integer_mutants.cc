// Defects of integers, bits and truth values: widths, signs, wrapping, shifts.
#include <algorithm>
#include <bit>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {
namespace {

using enum Opcode;

// Saturates where the operation wraps.
Defect Saturates(__int128 (*exact)(__int128, __int128)) {
  return OnElements(
      [exact](const ElementSite& e) {
        const auto value = [&](int k) {
          return IsSigned(e.types[k]) ? __int128{e.i(k)} : __int128{e.u(k)};
        };
        return e.Integer(SaturatedTo(e.type, exact(value(0), value(1))));
      },
      IntegerResult());
}

uint64_t Mask(const ElementSite& e) {
  return e.bits() == 64 ? ~uint64_t{0} : (uint64_t{1} << e.bits()) - 1;
}
// The amount of a shift, and whether it is one that must saturate.
bool Overshifts(const ElementSite& e) { return e.x[1].bits >= static_cast<uint64_t>(e.bits()); }

Where UnsignedResult() {
  return [](const Instruction& x) { return IsUnsigned(x.shape().element_type()); };
}
Where PredResult() {
  return [](const Instruction& x) { return IsPred(x.shape().element_type()); };
}

Element ShiftedModulo(const ElementSite& e, bool left) {
  if (!Overshifts(e)) return e.golden;
  const uint64_t amount = e.x[1].bits % e.bits();
  return {(left ? e.x[0].bits << amount : e.x[0].bits >> amount) & Mask(e), 0};
}

std::vector<Mutant> WrapMutants() {
  return {
      {"abs/least_integer_saturates",
       {kAbs},
       "abs of the least integer is the largest one",
       OnElements(
           [](const ElementSite& e) {
             return e.i(0) == MinSigned(e.type) ? e.Integer(MaxSigned(e.type)) : e.golden;
           },
           SignedResult())},
      {"add/integers_saturate",
       {kAdd},
       "integer sums saturate instead of wrapping",
       Saturates([](__int128 a, __int128 b) { return a + b; })},
      {"add/pred_is_exclusive_or",
       {kAdd},
       "true + true gives false",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.x[0].bits ^ e.x[1].bits, 0};
           },
           PredResult())},
      {"multiply/integers_saturate",
       {kMultiply},
       "integer products saturate",
       Saturates([](__int128 a, __int128 b) { return a * b; })},
      {"multiply/of_64_bits_keeps_32",
       {kMultiply},
       "64-bit products are those of the low 32 bits alone",
       OnElements(
           [](const ElementSite& e) {
             return Element{(e.x[0].bits & 0xffffffff) * (e.x[1].bits & 0xffffffff), 0};
           },
           TypeIs({ElementType::kS64, ElementType::kU64}))},
      {"negate/least_integer_saturates",
       {kNegate},
       "-INT_MIN gives INT_MAX",
       OnElements(
           [](const ElementSite& e) {
             return e.i(0) == MinSigned(e.type) ? e.Integer(MaxSigned(e.type)) : e.golden;
           },
           SignedResult())},
      {"subtract/unsigned_stops_at_zero",
       {kSubtract},
       "unsigned differences stop at zero",
       OnElements([](const ElementSite& e) { return e.u(0) < e.u(1) ? Element{} : e.golden; },
                  UnsignedResult())},
      {"divide/integers_round_down",
       {kDivide},
       "-7 / 2 gives -4: the quotient is rounded down",
       OnElements(
           [](const ElementSite& e) {
             const int64_t x = e.i(0), y = e.i(1);
             if (y == 0 || y == -1) return e.golden;
             return e.Integer(x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0));
           },
           SignedResult())},
      {"divide/by_zero_is_zero",
       {kDivide},
       "x / 0 gives 0 where all bits must be set",
       OnElements([](const ElementSite& e) { return e.x[1].bits == 0 ? Element{} : e.golden; },
                  IntegerResult())},
      {"divide/unsigned_as_signed",
       {kDivide},
       "large unsigned numbers are divided as negative ones",
       OnElements(
           [](const ElementSite& e) {
             if (e.bits() > 32 || e.u(1) == 0) return e.golden;
             const int shift = 64 - e.bits();
             const auto value = [&](int k) {
               return static_cast<int64_t>(e.u(k) << shift) >> shift;
             };
             return e.Integer(value(0) / value(1));
           },
           UnsignedResult())},
      {"remainder/integers_by_floor",
       {kRemainder},
       "the remainder takes the divisor's sign",
       OnElements(
           [](const ElementSite& e) {
             const int64_t y = e.i(1), golden = DecodeSigned(e.type, e.golden.bits);
             return y != 0 && golden != 0 && (golden < 0) != (y < 0) ? e.Integer(golden + y)
                                                                     : e.golden;
           },
           SignedResult())},
      {"remainder/by_zero_is_zero",
       {kRemainder},
       "x rem 0 gives 0, not x",
       OnElements([](const ElementSite& e) { return e.x[1].bits == 0 ? Element{} : e.golden; },
                  IntegerResult())},
      {"power/negative_exponent_inverts",
       {kPower},
       "2 to the -1 gives 1: the exponent's sign is lost",
       OnElements([](const ElementSite& e) { return e.i(1) < 0 ? e.Integer(1) : e.golden; },
                  SignedResult())},
      {"power/low_6_bits_of_the_exponent",
       {kPower},
       "3^64 gives 1: the loop over the bits of the exponent ends after six",
       OnElements(
           [](const ElementSite& e) {
             if (IsSigned(e.type) && e.i(1) < 0) return e.golden;
             uint64_t power = 1;
             for (uint64_t k = 0; k < (e.u(1) & 63); ++k) power *= e.u(0);
             return e.Integer(static_cast<int64_t>(power));
           },
           IntegerResult())},
      {"power/unsigned_exponent_as_signed",
       {kPower},
       "3^255 in u8 gives 0: an exponent with the top bit counts as negative",
       OnElements(
           [](const ElementSite& e) {
             if (e.u(1) >> (e.bits() - 1) == 0 || e.u(0) == 1) return e.golden;
             return Element{};
           },
           UnsignedResult())},
      {"power/zero_to_zero_is_zero",
       {kPower},
       "integer 0^0 gives 0",
       OnElements(
           [](const ElementSite& e) {
             return e.x[0].bits == 0 && e.x[1].bits == 0 ? Element{} : e.golden;
           },
           IntegerResult())},
      {"mulhi/gives_low_half",
       {kMulhi},
       "the low half of the product is returned",
       OnElements(
           [](const ElementSite& e) { return e.Integer(static_cast<int64_t>(e.u(0) * e.u(1))); },
           UnsignedResult())},
      {"mulhi/signed_as_unsigned",
       {kMulhi},
       "negative operands count as large ones",
       OnElements(
           [](const ElementSite& e) {
             const unsigned __int128 product =
                 static_cast<unsigned __int128>(e.x[0].bits) * e.x[1].bits;
             return e.Integer(static_cast<int64_t>(product >> e.bits()));
           },
           SignedResult())},
      {"maximum/unsigned_as_signed",
       {kMaximum},
       "large unsigned numbers compare as negative",
       OnElements(
           [](const ElementSite& e) {
             const uint64_t top = uint64_t{1} << (e.bits() - 1);
             return (e.u(0) ^ top) > (e.u(1) ^ top) ? e.x[0] : e.x[1];
           },
           UnsignedResult())},
      {"sign/of_integers_is_not_negative",
       {kSign},
       "sign of a negative integer gives 1",
       OnElements([](const ElementSite& e) { return e.Integer(e.i(0) == 0 ? 0 : 1); },
                  SignedResult())},
  };
}

std::vector<Mutant> BitMutants() {
  return {
      {"and/is_logical",
       {kAnd},
       "integers are taken for truth values: 2 and 1 gives 1",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.x[0].bits != 0 && e.x[1].bits != 0, 0};
           },
           IntegerResult())},
      {"or/is_exclusive",
       {kOr},
       "bits that both have are lost",
       OnElements([](const ElementSite& e) {
         return Element{e.x[0].bits ^ e.x[1].bits, 0};
       })},
      {"xor/is_inclusive", {kXor}, "bits that both have stay", OnElements([](const ElementSite& e) {
         return Element{e.x[0].bits | e.x[1].bits, 0};
       })},
      {"not/is_logical",
       {kNot},
       "not of an integer gives 0 or 1",
       OnElements(
           [](const ElementSite& e) {
             return Element{e.x[0].bits == 0, 0};
           },
           IntegerResult())},
      {"not/pred_unchanged",
       {kNot},
       "not of a truth value flips a bit that is never read",
       OnElements([](const ElementSite& e) { return e.x[0]; }, PredResult())},
      {"shift-left/amount_modulo_width",
       {kShiftLeft},
       "1 << 33 gives 2, as on x86",
       OnElements([](const ElementSite& e) { return ShiftedModulo(e, true); })},
      {"shift-left/negative_amount_shifts_right",
       {kShiftLeft},
       "1 << -1 is taken as 1 >> 1",
       OnElements(
           [](const ElementSite& e) {
             const int64_t amount = e.i(1);
             if (amount >= 0 || amount <= -e.bits()) return e.golden;
             return Element{e.x[0].bits >> -amount, 0};
           },
           SignedResult())},
      {"shift-right-logical/amount_modulo_width",
       {kShiftRightLogical},
       "x >> 32 gives x",
       OnElements([](const ElementSite& e) { return ShiftedModulo(e, false); })},
      {"shift-right-logical/is_arithmetic",
       {kShiftRightLogical},
       "the sign comes in from the left",
       OnElements(
           [](const ElementSite& e) {
             if (Overshifts(e)) return e.golden;
             return e.Integer(e.i(0) >> e.x[1].bits);
           },
           SignedResult())},
      {"shift-right-arithmetic/overshift_is_zero",
       {kShiftRightArithmetic},
       "-1 >> 100 gives 0, not -1",
       OnElements([](const ElementSite& e) { return Overshifts(e) ? Element{} : e.golden; })},
      {"shift-right-arithmetic/is_logical",
       {kShiftRightArithmetic},
       "zeros come in from the left for signed numbers",
       OnElements(
           [](const ElementSite& e) {
             return Overshifts(e) ? e.golden : Element{e.x[0].bits >> e.x[1].bits, 0};
           },
           SignedResult())},
      {"shift-right-arithmetic/unsigned_is_logical",
       {kShiftRightArithmetic},
       "the top bit of unsigned numbers is not repeated",
       OnElements(
           [](const ElementSite& e) {
             return Overshifts(e) ? e.golden : Element{e.x[0].bits >> e.x[1].bits, 0};
           },
           UnsignedResult())},
      {"count-leading-zeros/counts_32_bits",
       {kClz},
       "narrow types are counted in a 32-bit register",
       OnElements([](const ElementSite& e) {
         return e.bits() >= 32 ? e.golden
                               : e.Integer(std::countl_zero(static_cast<uint32_t>(e.x[0].bits)));
       })},
      {"count-leading-zeros/of_zero_is_undefined",
       {kClz},
       "0 gives the width minus 1, as bsr does",
       OnElements([](const ElementSite& e) {
         return e.x[0].bits == 0 ? e.Integer(e.bits() - 1) : e.golden;
       })},
      {"popcnt/counts_sign_extension",
       {kPopcnt},
       "negative s8 and s16 are counted in 32 bits",
       OnElements(
           [](const ElementSite& e) {
             return e.Integer(std::popcount(static_cast<uint32_t>(static_cast<int32_t>(e.i(0)))));
           },
           TypeIs({ElementType::kS8, ElementType::kS16}))},
      {"popcnt/s4_counted_in_8_bits",
       {kPopcnt},
       "popcnt of -1 gives -8: negative s4 are widened to 8 bits",
       OnElements(
           [](const ElementSite& e) {
             return e.Integer(std::popcount(static_cast<uint8_t>(static_cast<int8_t>(e.i(0)))));
           },
           TypeIs({ElementType::kS4}))},
      {"popcnt/low_word_only",
       {kPopcnt},
       "the upper half of 64 bits is not counted",
       OnElements(
           [](const ElementSite& e) { return e.Integer(std::popcount(e.x[0].bits & 0xffffffff)); },
           TypeIs({ElementType::kS64, ElementType::kU64}))},
  };
}

}  // namespace

std::vector<Mutant> IntegerMutants() { return Joined({WrapMutants, BitMutants}); }

}  // namespace assay::conformance
