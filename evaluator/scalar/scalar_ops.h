// What every elementwise operation is on single elements: the golden definitions, one function per
// operation and class of element type, in one table (scalar_ops.def).
//
// Each result is the exact result of the operands, rounded once into the result type; integers wrap
// modulo 2^bits. A NaN that an operation creates is the type's canonical one. Source: reference
// ops_elementwise_and_types.md, sections 5 to 7.
// Tests: scalar_ops_test.cc and the tests beside the families' files.
#ifndef ASSAY_EVALUATOR_SCALAR_SCALAR_OPS_H_
#define ASSAY_EVALUATOR_SCALAR_SCALAR_OPS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "evaluator/real/real_functions.h"
#include "spec/element/element.h"
#include "spec/element/element_type.h"
#include "spec/ir/attribute_values.h"
#include "spec/ir/module.h"
#include "spec/op_info.h"

namespace assay::evaluator {

// An elementwise operation on elements, with everything about it that is not an element.
struct ScalarOp {
  Opcode opcode;
  // The type of the data operands: of the first operand, of the second of select.
  ElementType operand_type;
  ElementType result_type;
  // reduce-precision.
  int exponent_bits = 0;
  int mantissa_bits = 0;
  // compare. Integers and pred compare by their own order whatever the type says.
  ComparisonDirection direction = ComparisonDirection::kEq;
  ComparisonType comparison_type = ComparisonType::kFloat;
};

// `context` receives the statistics of elementary functions (real_functions.h).
using UnaryFunction = Element (*)(const ScalarOp& op, Element x, const RealContext& context);
using BinaryFunction = Element (*)(const ScalarOp& op, Element a, Element b,
                                   const RealContext& context);
// clamp: (min, operand, max). select: (pred, on true, on false).
using TernaryFunction = Element (*)(const ScalarOp& op, Element a, Element b, Element c,
                                    const RealContext& context);

// An operation with its function looked up; loops call it without dispatch. Exactly one of the
// function pointers is set, the one of the arity.
struct ScalarFunction {
  ScalarOp op;
  int arity = 0;
  UnaryFunction unary = nullptr;
  BinaryFunction binary = nullptr;
  TernaryFunction ternary = nullptr;

  Element operator()(Element x, const RealContext& context = {}) const {
    return unary(op, x, context);
  }
  Element operator()(Element a, Element b, const RealContext& context = {}) const {
    return binary(op, a, b, context);
  }
  Element operator()(Element a, Element b, Element c, const RealContext& context = {}) const {
    return ternary(op, a, b, c, context);
  }
};

// The function of an operation; nullopt where there is none for the operand type, or where the
// result type is not one that the operation can give. Besides the elementwise rows of the catalogue
// there are copy, and bitcast-convert between types of equal width.
std::optional<ScalarFunction> FindScalarFunction(const ScalarOp& op);

// The result type where the operand type determines it: the operand type, pred, the component type,
// or the complex type. Not for convert, bitcast-convert and stochastic-convert (gives the operand
// type for them).
ElementType ScalarResultType(Opcode opcode, ElementType operand_type);

// The operation of an elementwise instruction (or copy, or bitcast-convert), attributes included.
ScalarOp ScalarOpOf(const Instruction& instruction);
// Its function. UNIMPLEMENTED, naming instruction and types, where there is none.
absl::StatusOr<ScalarFunction> PrepareScalarFunction(const Instruction& instruction);

// For one element; looking up each time. The operation must exist for the type (CHECK).
Element EvaluateUnary(Opcode opcode, ElementType operand_type, Element x, ElementType result_type,
                      const RealContext& context = {});
inline Element EvaluateUnary(Opcode opcode, ElementType type, Element x) {
  return EvaluateUnary(opcode, type, x, ScalarResultType(opcode, type));
}
Element EvaluateBinary(Opcode opcode, ElementType operand_type, Element a, Element b,
                       ElementType result_type, const RealContext& context = {});
inline Element EvaluateBinary(Opcode opcode, ElementType type, Element a, Element b) {
  return EvaluateBinary(opcode, type, a, b, ScalarResultType(opcode, type));
}
Element EvaluateTernary(Opcode opcode, ElementType type, Element a, Element b, Element c);

// Not for ordered directions of complex numbers (CHECK).
bool Compare(ElementType type, ComparisonDirection direction, ComparisonType comparison_type,
             Element a, Element b);
// Place of a float in the total order: -NaN, -inf, ..., -0, +0, ..., +inf, +NaN; NaN of the FNUZ
// types lowest, of f8e8m0fnu highest.
int64_t TotalOrderKey(ElementType type, uint64_t bits);
Element Convert(ElementType from, Element x, ElementType to);
// `type` is a float type; exponent_bits >= 1, mantissa_bits >= 0.
Element ReducePrecision(ElementType type, Element x, int exponent_bits, int mantissa_bits);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_SCALAR_SCALAR_OPS_H_
