// Integer and bit operations: the worked examples of reference ops_elementwise_and_types.md 8.2
// and 8.3, all pairs of every integer type of at most 8 bits and the edges of the wider ones,
// against unlimited integers reduced modulo 2^bits.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <string>
#include <vector>

#include "evaluator/scalar/scalar_ops.h"

namespace assay::evaluator::integer_ops_test {
namespace {

using enum ElementType;
using boost::multiprecision::cpp_int;

Element Int(ElementType type, int64_t value) {
  return {EncodeInteger(type, static_cast<uint64_t>(value))};
}

int64_t Binary(Opcode opcode, ElementType type, int64_t a, int64_t b) {
  return DecodeSigned(type, EvaluateBinary(opcode, type, Int(type, a), Int(type, b)).bits);
}
uint64_t BinaryBits(Opcode opcode, ElementType type, int64_t a, int64_t b) {
  return EvaluateBinary(opcode, type, Int(type, a), Int(type, b)).bits;
}
int64_t Unary(Opcode opcode, ElementType type, int64_t x) {
  return DecodeSigned(type, EvaluateUnary(opcode, type, Int(type, x)).bits);
}

TEST(IntegerOpsTest, ArithmeticExamples) {
  using enum Opcode;
  EXPECT_EQ(Binary(kAdd, kS32, 2147483647, 1), INT32_MIN);
  EXPECT_EQ(Binary(kAdd, kS8, 100, 100), -56);
  EXPECT_EQ(BinaryBits(kAdd, kU8, 200, 100), 44u);
  EXPECT_EQ(Binary(kAdd, kS4, 7, 1), -8);
  EXPECT_EQ(BinaryBits(kAdd, kU4, 15, 1), 0u);
  EXPECT_EQ(Binary(kMultiply, kS8, -128, -1), -128);
  EXPECT_EQ(Binary(kMultiply, kS16, 300, 300), 24464);
  EXPECT_EQ(BinaryBits(kMultiply, kU8, 20, 15), 44u);
  EXPECT_EQ(Binary(kMultiply, kS1, -1, -1), -1);
  EXPECT_EQ(EvaluateUnary(kNegate, kU8, {16}).bits, 240u);
  EXPECT_EQ(EvaluateUnary(kNegate, kU32, {65536}).bits, 4294901760u);
  EXPECT_EQ(Unary(kNegate, kS4, -8), -8);
  EXPECT_EQ(Unary(kNegate, kS32, INT32_MIN), INT32_MIN);
  EXPECT_EQ(Unary(kAbs, kS64, -2), 2);
  EXPECT_EQ(Unary(kAbs, kS8, -128), -128);
  EXPECT_EQ(Unary(kSign, kS32, -7), -1);
  EXPECT_EQ(Unary(kSign, kS32, 0), 0);
  EXPECT_EQ(Unary(kSign, kS32, 9), 1);
  EXPECT_EQ(Unary(kSign, kS1, -1), -1);
}

TEST(IntegerOpsTest, DivisionExamples) {
  using enum Opcode;
  EXPECT_EQ(Binary(kDivide, kS32, 17, 3), 5);
  EXPECT_EQ(Binary(kDivide, kS32, -17, 3), -5);
  EXPECT_EQ(Binary(kDivide, kS32, 17, -3), -5);
  EXPECT_EQ(Binary(kDivide, kS32, -17, -3), 5);
  EXPECT_EQ(Binary(kDivide, kS32, 5, 0), -1);
  EXPECT_EQ(Binary(kDivide, kS32, -5, 0), -1);
  EXPECT_EQ(Binary(kDivide, kS32, 0, 0), -1);
  EXPECT_EQ(Binary(kDivide, kS32, INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(Binary(kDivide, kS64, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(Binary(kDivide, kS4, -8, -1), -8);
  EXPECT_EQ(Binary(kDivide, kS8, -128, -1), -128);
  EXPECT_EQ(BinaryBits(kDivide, kU32, 5, 0), 4294967295u);
  EXPECT_EQ(Binary(kRemainder, kS32, 17, 3), 2);
  EXPECT_EQ(Binary(kRemainder, kS32, -17, 3), -2);
  EXPECT_EQ(Binary(kRemainder, kS32, 17, -3), 2);
  EXPECT_EQ(Binary(kRemainder, kS32, -17, -3), -2);
  EXPECT_EQ(Binary(kRemainder, kS32, 5, 0), 5);
  EXPECT_EQ(Binary(kRemainder, kS32, INT32_MIN, -1), 0);
  EXPECT_EQ(BinaryBits(kRemainder, kU32, 7, 0), 7u);
}

TEST(IntegerOpsTest, PowerExamples) {
  using enum Opcode;
  const int64_t bases[] = {0, 1, 2, 3, 4, 5, -1, -2, 3, 5, 3, 1};
  const int64_t exponents[] = {0, 3, 3, 3, 3, 3, 2, 3, 2, 10, -100, -2};
  const int64_t powers[] = {1, 1, 8, 27, 64, 125, 1, -8, 9, 9765625, 0, 1};
  for (int i = 0; i < 12; ++i) EXPECT_EQ(Binary(kPower, kS32, bases[i], exponents[i]), powers[i]);
  const int64_t bases64[] = {-1, -1, -3, 1, -3, 0};
  const int64_t exponents64[] = {1, 0, -3, -3, 3, 2};
  const int64_t powers64[] = {-1, 1, 0, 1, -27, 0};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(Binary(kPower, kS64, bases64[i], exponents64[i]), powers64[i]);
  }
  EXPECT_EQ(Binary(kPower, kS64, 2, 62), 4611686018427387904);
  EXPECT_EQ(Binary(kPower, kS64, 2, 63), INT64_MIN);
  EXPECT_EQ(Binary(kPower, kS64, 2, 64), 0);
  EXPECT_EQ(Binary(kPower, kS32, 3, 40), 689956897);
  EXPECT_EQ(Binary(kPower, kS32, 7, 20), -1199696159);
  EXPECT_EQ(Binary(kPower, kS32, -3, 21), -1870418611);
  EXPECT_EQ(Binary(kPower, kS32, 3, 64), 2038349057);
  EXPECT_EQ(Binary(kPower, kS32, 3, 100), -818408495);
  EXPECT_EQ(Binary(kPower, kS32, -2, 31), INT32_MIN);
  EXPECT_EQ(BinaryBits(kPower, kU8, 3, 7), 139u);
  EXPECT_EQ(Binary(kPower, kS8, 2, 7), -128);
  EXPECT_EQ(Binary(kPower, kS8, 2, 8), 0);
  EXPECT_EQ(Binary(kPower, kS8, 3, 5), -13);
  EXPECT_EQ(Binary(kPower, kS8, -1, -3), -1);
  EXPECT_EQ(Binary(kPower, kS8, -1, -2), 1);
  EXPECT_EQ(Binary(kPower, kS8, 0, -1), 0);
}

TEST(IntegerOpsTest, MulhiExamples) {
  using enum Opcode;
  EXPECT_EQ(BinaryBits(kMulhi, kU32, 0xffffffff, 0xffffffff), 0xfffffffeu);
  EXPECT_EQ(Binary(kMulhi, kS32, -1, -1), 0);
  EXPECT_EQ(Binary(kMulhi, kS32, INT32_MIN, 2), -1);
  EXPECT_EQ(Binary(kMulhi, kS8, 100, 100), 39);
  EXPECT_EQ(Binary(kMulhi, kS8, -100, 100), -40);
  EXPECT_EQ(BinaryBits(kMulhi, kU8, 200, 200), 156u);
  EXPECT_EQ(Binary(kMulhi, kS64, INT64_MIN, INT64_MIN), 4611686018427387904);
  EXPECT_EQ(Binary(kMulhi, kS4, 7, 7), 3);
  EXPECT_EQ(Binary(kMulhi, kS4, -8, -8), 4);
}

TEST(IntegerOpsTest, ShiftExamples) {
  using enum Opcode;
  EXPECT_EQ(Binary(kShiftLeft, kS32, 0x12345678, 4), 0x23456780);
  EXPECT_EQ(Binary(kShiftLeft, kS32, static_cast<int32_t>(0xf0001000), 8), 0x00100000);
  EXPECT_EQ(Binary(kShiftLeft, kS32, 77, 15), 0x00268000);
  EXPECT_EQ(Binary(kShiftLeft, kS32, 1, 32), 0);
  EXPECT_EQ(Binary(kShiftLeft, kS32, -3, 100), 0);
  EXPECT_EQ(Binary(kShiftLeft, kS32, 77, -1), 0);
  EXPECT_EQ(BinaryBits(kShiftRightArithmetic, kS32, 0x92345678, 4), 0xf9234567u);
  EXPECT_EQ(Binary(kShiftRightArithmetic, kS32, 0x10001000, 8), 0x00100010);
  EXPECT_EQ(Binary(kShiftRightArithmetic, kS32, 1, 32), 0);
  EXPECT_EQ(Binary(kShiftRightArithmetic, kS32, -3, 100), -1);
  EXPECT_EQ(Binary(kShiftRightArithmetic, kS32, 77, -1), 0);
  EXPECT_EQ(BinaryBits(kShiftRightArithmetic, kU32, 0xfffffffc, 100), 0xffffffffu);
  EXPECT_EQ(BinaryBits(kShiftRightLogical, kS32, 0x92345678, 4), 0x09234567u);
  EXPECT_EQ(Binary(kShiftRightLogical, kS32, 77, 5), 2);
  EXPECT_EQ(Binary(kShiftRightLogical, kS32, -3, 100), 0);
  EXPECT_EQ(Binary(kShiftRightLogical, kS64, -1, 1), INT64_MAX);
  EXPECT_EQ(Binary(kShiftRightLogical, kS8, -128, 1), 64);
  EXPECT_EQ(Binary(kShiftRightLogical, kS4, -1, 3), 1);
  EXPECT_EQ(Binary(kShiftLeft, kS4, -8, 1), 0);
  EXPECT_EQ(Binary(kShiftLeft, kS4, 7, 1), -2);
  EXPECT_EQ(Binary(kShiftRightArithmetic, kS4, -8, 1), -4);
  EXPECT_EQ(Binary(kShiftRightArithmetic, kS4, -1, 4), -1);
  EXPECT_EQ(Binary(kShiftRightLogical, kS4, -8, 1), 4);
}

TEST(IntegerOpsTest, BitExamples) {
  using enum Opcode;
  const int64_t a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  const int64_t conjunctions[] = {1, 2, 3, 0}, disjunctions[] = {5, 6, 7, 12},
                exclusives[] = {4, 4, 4, 12};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Binary(kAnd, kS32, a[i], b[i]), conjunctions[i]);
    EXPECT_EQ(Binary(kOr, kS32, a[i], b[i]), disjunctions[i]);
    EXPECT_EQ(Binary(kXor, kS32, a[i], b[i]), exclusives[i]);
    EXPECT_EQ(Unary(kNot, kS32, a[i]), -a[i] - 1);
  }
  EXPECT_EQ(EvaluateUnary(kNot, kPred, {1}).bits, 0u);
  EXPECT_EQ(EvaluateUnary(kNot, kPred, {0}).bits, 1u);
  EXPECT_EQ(EvaluateUnary(kNot, kU4, {3}).bits, 12u);
  const std::pair<int64_t, int64_t> clz64[] = {{0, 64}, {1, 63}, {128, 56}, {-1, 0}};
  for (const auto& [x, n] : clz64) EXPECT_EQ(Unary(kClz, kS64, x), n);
  const std::pair<int64_t, int64_t> clz32[] = {{0, 32},          {1, 31},        {-1, 0},
                                               {-1046070544, 0}, {INT32_MIN, 0}, {INT32_MAX, 1}};
  for (const auto& [x, n] : clz32) EXPECT_EQ(Unary(kClz, kS32, x), n);
  const std::pair<int64_t, int64_t> clz4[] = {{0, 4}, {1, 3}, {7, 1}, {-8, 0}};
  for (const auto& [x, n] : clz4) EXPECT_EQ(Unary(kClz, kS4, x), n);
  const std::pair<int64_t, int64_t> clz2[] = {{0, -2}, {1, 1}, {-1, 0}};
  for (const auto& [x, n] : clz2) EXPECT_EQ(Unary(kClz, kS2, x), n);
  EXPECT_EQ(Unary(kClz, kS1, 0), -1);
  const std::pair<int64_t, int64_t> ones32[] = {{0, 0}, {1, 1}, {-15, 29}, {341, 5}};
  for (const auto& [x, n] : ones32) EXPECT_EQ(Unary(kPopcnt, kS32, x), n);
  const std::pair<int64_t, int64_t> ones64[] = {
      {0, 0}, {-1, 64}, {INT64_MAX, 63}, {INT64_MAX - 1, 62}};
  for (const auto& [x, n] : ones64) EXPECT_EQ(Unary(kPopcnt, kS64, x), n);
  EXPECT_EQ(EvaluateUnary(kPopcnt, kU8, {255}).bits, 8u);
  EXPECT_EQ(Unary(kPopcnt, kS4, -1), 4);
  EXPECT_EQ(Unary(kPopcnt, kS2, -1), -2);
}

TEST(IntegerOpsTest, PredArithmetic) {
  for (uint64_t a = 0; a < 2; ++a) {
    for (uint64_t b = 0; b < 2; ++b) {
      const auto eval = [&](Opcode opcode) { return EvaluateBinary(opcode, kPred, {a}, {b}).bits; };
      EXPECT_EQ(eval(Opcode::kAdd), a || b);
      EXPECT_EQ(eval(Opcode::kMultiply), a && b);
      EXPECT_EQ(eval(Opcode::kAnd), a && b);
      EXPECT_EQ(eval(Opcode::kOr), a || b);
      EXPECT_EQ(eval(Opcode::kXor), a != b);
    }
  }
}

TEST(IntegerOpsTest, SelectCopiesBits) {
  EXPECT_EQ(EvaluateTernary(Opcode::kSelect, kF32, {1}, {0x7f800001}, {2}).bits, 0x7f800001u);
  EXPECT_EQ(EvaluateTernary(Opcode::kSelect, kF32, {0}, {1}, {0x80000000}).bits, 0x80000000u);
  EXPECT_EQ(EvaluateTernary(Opcode::kSelect, kC64, {0}, {1, 2}, {3, 4}), (Element{3, 4}));
}

// Operations on unlimited integers, by the sentences of 6.2 to 6.5 and 6.11.
struct Reference {
  int bits;
  bool is_signed;

  cpp_int Modulus() const { return cpp_int(1) << bits; }
  uint64_t Pattern(const cpp_int& value) const {
    cpp_int rest = value % Modulus();
    if (rest < 0) rest += Modulus();
    return static_cast<uint64_t>(rest);
  }
  cpp_int Value(uint64_t pattern) const {
    const cpp_int value = pattern;
    return is_signed && value >= Modulus() / 2 ? cpp_int(value - Modulus()) : value;
  }
  cpp_int Power(const cpp_int& a, const cpp_int& n) const {
    if (n >= 0) return cpp_int(powm(cpp_int(Pattern(a)), n, Modulus()));
    if (a == 1) return 1;
    if (a == -1) return n % 2 == 0 ? 1 : -1;
    return 0;
  }
  cpp_int Evaluate(Opcode opcode, uint64_t pa, uint64_t pb) const {
    const cpp_int a = Value(pa), b = Value(pb);
    const cpp_int as_signed = Reference{bits, true}.Value(pa);
    switch (opcode) {
      case Opcode::kAdd:
        return a + b;
      case Opcode::kSubtract:
        return a - b;
      case Opcode::kMultiply:
        return a * b;
      case Opcode::kDivide:
        return b == 0 ? cpp_int(-1) : cpp_int(a / b);
      case Opcode::kRemainder:
        return b == 0 ? a : cpp_int(a % b);
      case Opcode::kMulhi: {
        const cpp_int product = a * b;
        cpp_int high = product / Modulus();
        if (high * Modulus() > product) --high;  // floor
        return high;
      }
      case Opcode::kPower:
        return Power(a, b);
      case Opcode::kMaximum:
        return a < b ? b : a;
      case Opcode::kMinimum:
        return a < b ? a : b;
      case Opcode::kShiftLeft:
        return pb >= static_cast<uint64_t>(bits) ? cpp_int(0) : cpp_int(a << pb);
      case Opcode::kShiftRightLogical:
        return pb >= static_cast<uint64_t>(bits) ? cpp_int(0) : cpp_int(cpp_int(pa) >> pb);
      case Opcode::kShiftRightArithmetic: {
        const cpp_int divisor = cpp_int(1) << (pb < 64 ? pb : 64);
        cpp_int quotient = as_signed / divisor;
        if (quotient * divisor > as_signed) --quotient;  // floor
        return quotient;
      }
      default:
        ADD_FAILURE() << "no reference for " << Name(opcode);
        return 0;
    }
  }
};

constexpr Opcode kBinaries[] = {
    Opcode::kAdd,       Opcode::kSubtract,          Opcode::kMultiply,
    Opcode::kDivide,    Opcode::kRemainder,         Opcode::kMulhi,
    Opcode::kPower,     Opcode::kMaximum,           Opcode::kMinimum,
    Opcode::kShiftLeft, Opcode::kShiftRightLogical, Opcode::kShiftRightArithmetic};

void ExpectBinaries(ElementType type, uint64_t a, uint64_t b) {
  const Reference reference = {Info(type).bits, IsSigned(type)};
  for (const Opcode opcode : kBinaries) {
    ASSERT_EQ(EvaluateBinary(opcode, type, {a}, {b}).bits,
              reference.Pattern(reference.Evaluate(opcode, a, b)))
        << Name(opcode) << " " << Name(type) << std::hex << " " << a << " " << b;
  }
}

TEST(IntegerOpsTest, AllPairsOfNarrowTypes) {
  for (const ElementType type : {kS1, kU1, kS2, kU2, kS4, kU4, kS8, kU8}) {
    const uint64_t codes = uint64_t{1} << Info(type).bits;
    // Every pattern of 8 bits on the left; on the right all small amounts and exponents and a comb.
    for (uint64_t a = 0; a < codes; ++a) {
      for (uint64_t b = 0; b < codes; b += codes == 256 && b > 20 && b < 240 ? 7 : 1) {
        ExpectBinaries(type, a, b);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(IntegerOpsTest, EdgesOfWideTypes) {
  for (const ElementType type : {kS16, kU16, kS32, kU32, kS64, kU64}) {
    const uint64_t top = uint64_t{1} << (Info(type).bits - 1);
    std::vector<uint64_t> edges;
    for (const uint64_t base :
         {uint64_t{0}, top, top / 2, top / 3, uint64_t{1} << Info(type).bits / 2, uint64_t{64},
          static_cast<uint64_t>(Info(type).bits), uint64_t{7}}) {
      for (const uint64_t offset :
           {uint64_t{0}, uint64_t{1}, uint64_t{2}, ~uint64_t{0}, ~uint64_t{1}}) {
        edges.push_back(EncodeInteger(type, base + offset));
        edges.push_back(EncodeInteger(type, 0 - (base + offset)));
      }
    }
    for (const uint64_t a : edges) {
      for (const uint64_t b : edges) {
        ExpectBinaries(type, a, b);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(IntegerOpsTest, UnaryOperationsOnAllNarrowPatterns) {
  for (const ElementType type : {kS1, kU1, kS2, kU2, kS4, kU4, kS8, kU8, kS16, kU16}) {
    const Reference reference = {Info(type).bits, IsSigned(type)};
    for (uint64_t x = 0; x < uint64_t{1} << Info(type).bits; ++x) {
      const cpp_int value = reference.Value(x);
      const auto expect = [&](Opcode opcode, const cpp_int& expected) {
        ASSERT_EQ(EvaluateUnary(opcode, type, {x}).bits, reference.Pattern(expected))
            << Name(opcode) << " " << Name(type) << " " << x;
      };
      int ones = 0, width = 0;
      for (int bit = 0; bit < 16; ++bit) {
        if ((x >> bit & 1) != 0) {
          ++ones;
          width = bit + 1;
        }
      }
      expect(Opcode::kNegate, -value);
      expect(Opcode::kNot, -value - 1);
      expect(Opcode::kPopcnt, ones);
      expect(Opcode::kClz, reference.bits - width);
      if (IsSigned(type)) {
        expect(Opcode::kAbs, value < 0 ? cpp_int(-value) : value);
        expect(Opcode::kSign, value.sign());
      }
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace assay::evaluator::integer_ops_test
