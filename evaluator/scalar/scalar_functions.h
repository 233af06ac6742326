// The functions that scalar_ops.def names, by family. Private to evaluator/scalar.
#ifndef ASSAY_EVALUATOR_SCALAR_SCALAR_FUNCTIONS_H_
#define ASSAY_EVALUATOR_SCALAR_SCALAR_FUNCTIONS_H_

#include "evaluator/scalar/scalar_ops.h"

namespace assay::evaluator::scalar {

// A result of floating-point arithmetic; NaN as the canonical one, whatever sign the hardware gave.
inline Element FloatResult(ElementType type, double value) {
  return {value != value ? CanonicalNan(type) : EncodeFloat(type, value)};
}

// An integer operand's value, and a result modulo two to its width.
inline int64_t Signed(const ScalarOp& op, Element x) {
  return DecodeSigned(op.operand_type, x.bits);
}
inline Element Wrapped(const ScalarOp& op, uint64_t value) {
  return {EncodeInteger(op.operand_type, value)};
}

template <RealFunction F>
Element RealUnary(const ScalarOp& op, Element x, const RealContext& context) {
  return EvaluateReal(F, op.operand_type, x, context);
}
template <RealFunction2 F>
Element RealBinary(const ScalarOp& op, Element a, Element b, const RealContext& context) {
  return EvaluateReal2(F, op.operand_type, a, b, context);
}
template <RealFunction F>
Element ComplexUnary(const ScalarOp& op, Element z, const RealContext& context) {
  return EvaluateComplex(F, op.operand_type, z, context);
}
template <RealFunction2 F>
Element ComplexBinary(const ScalarOp& op, Element a, Element b, const RealContext& context) {
  return EvaluateComplex2(F, op.operand_type, a, b, context);
}

#define UNARY(name) Element name(const ScalarOp& op, Element x, const RealContext& context);
#define BINARY(name) \
  Element name(const ScalarOp& op, Element a, Element b, const RealContext& context);
#define TERNARY(name) \
  Element name(const ScalarOp& op, Element a, Element b, Element c, const RealContext& context);

// bit_ops.cc
UNARY(Identity)
UNARY(BitcastBits)
UNARY(NotBits)
UNARY(CountLeadingZeros)
UNARY(PopulationCount)
BINARY(AndBits)
BINARY(OrBits)
BINARY(XorBits)
BINARY(ShiftLeft)
BINARY(ShiftRightArithmetic)
BINARY(ShiftRightLogical)
TERNARY(SelectBits)

// integer_ops.cc
UNARY(AbsInteger)
UNARY(NegateInteger)
UNARY(SignInteger)
BINARY(AddInteger)
BINARY(SubtractInteger)
BINARY(MultiplyInteger)
BINARY(DivideSigned)
BINARY(DivideUnsigned)
BINARY(RemainderSigned)
BINARY(RemainderUnsigned)
BINARY(MulhiSigned)
BINARY(MulhiUnsigned)
BINARY(PowerSigned)
BINARY(PowerUnsigned)

// float_ops.cc
UNARY(AbsFloat)
UNARY(NegateFloat)
UNARY(SignFloat)
UNARY(FloorFloat)
UNARY(CeilFloat)
UNARY(RoundAwayFloat)
UNARY(RoundEvenFloat)
UNARY(IsFiniteFloat)
UNARY(ImagFloat)
BINARY(AddFloat)
BINARY(SubtractFloat)
BINARY(MultiplyFloat)
BINARY(DivideFloat)
BINARY(RemainderFloat)

// complex_ops.cc
UNARY(AbsComplex)
UNARY(NegateComplex)
UNARY(RealComplex)
UNARY(ImagComplex)
BINARY(AddComplex)
BINARY(SubtractComplex)
BINARY(MakeComplex)

// order_ops.cc
BINARY(CompareSigned)
BINARY(CompareUnsigned)
BINARY(CompareFloat)
BINARY(CompareComplex)
BINARY(MaximumSigned)
BINARY(MaximumUnsigned)
BINARY(MaximumFloat)
BINARY(MinimumSigned)
BINARY(MinimumUnsigned)
BINARY(MinimumFloat)
TERNARY(ClampPred)
TERNARY(ClampSigned)
TERNARY(ClampUnsigned)
TERNARY(ClampFloat)

// convert_ops.cc
UNARY(ConvertSigned)
UNARY(ConvertUnsigned)
UNARY(ConvertFloat)
UNARY(ConvertComplex)
UNARY(ReducePrecisionFloat)
BINARY(StochasticConvertFloat)

#undef UNARY
#undef BINARY
#undef TERNARY

}  // namespace assay::evaluator::scalar

#endif  // ASSAY_EVALUATOR_SCALAR_SCALAR_FUNCTIONS_H_
