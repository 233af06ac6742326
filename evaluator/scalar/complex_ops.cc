// Complex arithmetic by components and the parts of complex numbers: reference
// ops_elementwise_and_types.md 6.8, 6.12. Multiply, divide and functions: evaluator/real.
// Tests: complex_ops_test.cc.
#include "evaluator/scalar/scalar_functions.h"

namespace assay::evaluator::scalar {
namespace {

ScalarOp PartOp(const ScalarOp& op) {
  ScalarOp part = op;
  part.operand_type = part.result_type = Info(op.operand_type).component;
  return part;
}

Element ByParts(const ScalarOp& op, BinaryFunction function, Element a, Element b,
                const RealContext& context) {
  const ScalarOp part = PartOp(op);
  return {function(part, {a.bits}, {b.bits}, context).bits,
          function(part, {a.imag}, {b.imag}, context).bits};
}

}  // namespace

Element AbsComplex(const ScalarOp& op, Element x, const RealContext& context) {
  return EvaluateComplex(RealFunction::kAbs, op.operand_type, x, context);
}

Element NegateComplex(const ScalarOp& op, Element x, const RealContext& context) {
  const ScalarOp part = PartOp(op);
  return {NegateFloat(part, {x.bits}, context).bits, NegateFloat(part, {x.imag}, context).bits};
}

Element RealComplex(const ScalarOp& /*op*/, Element x, const RealContext& /*context*/) {
  return {x.bits};
}

Element ImagComplex(const ScalarOp& /*op*/, Element x, const RealContext& /*context*/) {
  return {x.imag};
}

Element AddComplex(const ScalarOp& op, Element a, Element b, const RealContext& context) {
  return ByParts(op, AddFloat, a, b, context);
}

Element SubtractComplex(const ScalarOp& op, Element a, Element b, const RealContext& context) {
  return ByParts(op, SubtractFloat, a, b, context);
}

Element MakeComplex(const ScalarOp& /*op*/, Element a, Element b, const RealContext& /*context*/) {
  return {a.bits, b.bits};
}

}  // namespace assay::evaluator::scalar
