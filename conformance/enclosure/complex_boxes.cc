#include "conformance/enclosure/complex_boxes.h"

#include <utility>

namespace assay::conformance {
namespace {

const ComplexInterval kOne = ComplexInterval::Point(1);

// i z and -i z.
ComplexInterval TurnedLeft(const ComplexInterval& z) { return {-z.im, z.re}; }
ComplexInterval TurnedRight(const ComplexInterval& z) { return {z.im, -z.re}; }

ComplexInterval HyperbolicSine(const ComplexInterval& z) {
  return {HyperbolicSine(z.re) * Cosine(z.im), HyperbolicCosine(z.re) * Sine(z.im)};
}
ComplexInterval HyperbolicCosine(const ComplexInterval& z) {
  return {HyperbolicCosine(z.re) * Cosine(z.im), HyperbolicSine(z.re) * Sine(z.im)};
}
// (sinh a cosh a + i sin b cos b) / (cos^2 b + sinh^2 a).
ComplexInterval HyperbolicTangent(const ComplexInterval& z) {
  const Interval sinh = HyperbolicSine(z.re), cosine = Cosine(z.im);
  const Interval square = Square(cosine) + Square(sinh);
  return {sinh * HyperbolicCosine(z.re) / square, Sine(z.im) * cosine / square};
}

using Operands = absl::Span<const ComplexInterval>;

}  // namespace

ComplexFunction FindComplexFunction(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAbs:
      return [](Operands z) { return ComplexInterval{Modulus(z[0]), {}}; };
    case Opcode::kMultiply:
      // The square of one value is no product of two.
      if (instruction.operand(0) == instruction.operand(1)) {
        return [](Operands z) { return Square(z[0]); };
      }
      return [](Operands z) { return z[0] * z[1]; };
    case Opcode::kDivide:
      return [](Operands z) { return z[0] / z[1]; };
    case Opcode::kExp:
      return [](Operands z) { return Exponential(z[0]); };
    case Opcode::kExpm1:
      return [](Operands z) { return Exponential(z[0]) - kOne; };
    case Opcode::kLog:
      return [](Operands z) { return Logarithm(z[0]); };
    case Opcode::kLog1p:
      return [](Operands z) { return Logarithm(kOne + z[0]); };
    case Opcode::kLogistic:
      return [](Operands z) { return kOne / (kOne + Exponential({-z[0].re, -z[0].im})); };
    case Opcode::kPower:
      return [](Operands z) { return Exponential(z[1] * Logarithm(z[0])); };
    case Opcode::kSqrt:
      return [](Operands z) { return SquareRoot(z[0]); };
    case Opcode::kRsqrt:
      return [](Operands z) { return kOne / SquareRoot(z[0]); };
    case Opcode::kSign:
      return [](Operands z) { return z[0] / ComplexInterval{Modulus(z[0]), {}}; };
    case Opcode::kSinh:
      return [](Operands z) { return HyperbolicSine(z[0]); };
    case Opcode::kCosh:
      return [](Operands z) { return HyperbolicCosine(z[0]); };
    case Opcode::kTanh:
      return [](Operands z) { return HyperbolicTangent(z[0]); };
    case Opcode::kSin:
      return [](Operands z) { return TurnedRight(HyperbolicSine(TurnedLeft(z[0]))); };
    case Opcode::kCos:
      return [](Operands z) { return HyperbolicCosine(TurnedLeft(z[0])); };
    case Opcode::kTan:
      return [](Operands z) { return TurnedRight(HyperbolicTangent(TurnedLeft(z[0]))); };
    default:
      return nullptr;
  }
}

Box EncloseComplex(const ComplexFunction& function, Boxes operands, Literal golden) {
  const ElementType part = Info(operands[0].low.element_type()).component;
  const int64_t count = golden.element_count();
  // For each element, whether all operands are certain, and the intervals of the result.
  std::vector<bool> certain(count);
  std::vector<ComplexInterval> results(count);
  std::vector<ComplexInterval> at(operands.size());
  for (int64_t i = 0; i < count; ++i) {
    bool known = true, nan = false;
    for (size_t k = 0; k < operands.size(); ++k) {
      const Box& operand = operands[k];
      const Element low = operand.low.Get(i), high = operand.high.Get(i);
      known = known && low == high && !operand.has_nan();
      nan = nan || IsNan(part, low.bits) || IsNan(part, low.imag) ||
            (operand.has_nan() && !(operand.nan.Get(i) == Element{}));
      at[k] = {{DecodeFloat(part, low.bits), DecodeFloat(part, high.bits)},
               {DecodeFloat(part, low.imag), DecodeFloat(part, high.imag)}};
    }
    certain[i] = known;
    results[i] =
        nan ? ComplexInterval{Interval::Everything(), Interval::Everything()} : function(at);
  }
  Box box = Box::Point(std::move(golden));
  UpdateParts(
      [&](const auto& line, Place place, Ends* ends) {
        if (certain[place.element]) return;
        const ComplexInterval& result = results[place.element];
        // Beyond what is bounded there may be NaNs, too.
        if (!result.bounded()) return box_internal::Unbind(line, ends);
        const Interval& of_part = place.imaginary ? result.im : result.re;
        ends->low = EncodeFloat(line.type(), of_part.low);
        ends->high = EncodeFloat(line.type(), of_part.high);
      },
      &box);
  // A value that the type cannot hold may be the difference of infinities, which is NaN.
  UnconstrainWhere(
      [&](const auto& line, Place place, const Ends& ends) {
        return !certain[place.element] && (line.Ordinal(ends.low) == line.least() ||
                                           line.Ordinal(ends.high) == line.greatest());
      },
      &box);
  return box;
}

}  // namespace assay::conformance
