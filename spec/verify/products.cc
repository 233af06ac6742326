// What the documents demand of products, although what becomes of others is agreed upon: factors of
// another class are converted to the type of the result, and the algorithm never changes the golden
// value. So these hold for strict verification alone, and evaluators do not rely on them.
//   dot_c6 (strict) factors and result are of one class: float, complex, integer or pred
//   dot_c7 (strict) an algorithm is for the types of factors and result; no precision beside it
//   convolution_c11 (strict) factors and result are of one class: float, complex, integer or pred
// Source: reference ops_structural.md 7.2, 8. Tests: spec/verify/testdata/contraction.cases.
#include "spec/ops/dot.h"
#include "spec/ops/dot_algorithms.h"
#include "spec/ops/rules.h"
#include "spec/ops/shape_inference.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

absl::Status CheckClasses(const Instruction& op, absl::string_view clause) {
  const Shape& lhs = op.operand(0)->shape();
  const Shape& second = op.operand(1)->shape();
  const Shape& rhs = second.is_tuple() ? second.tuple_shape(0) : second;  // a sparse kernel
  const ElementType type = op.shape().element_type();
  ASSAY_REQUIRE(op, clause, AreOfOneClass(lhs.element_type(), rhs.element_type(), type),
                "products of ", lhs.ToString(), " and ", rhs.ToString(), " are not summed in ",
                Name(type));
  return absl::OkStatus();
}

absl::Status CheckAlgorithm(const Instruction& dot) {
  const int64_t number = dot.FindInt(Attr::kAlgorithm).value_or(0);
  if (number == 0) return absl::OkStatus();
  const DotAlgorithm& algorithm = DotAlgorithmOf(number);
  for (const Instruction* operand : dot.operands()) {
    ASSAY_REQUIRE(dot, "dot_c7", algorithm.takes(operand->shape().element_type()),
                  "algorithm=", algorithm.word, " is not for ", operand->shape().ToString());
  }
  ASSAY_REQUIRE(dot, "dot_c7", algorithm.gives(dot.shape().element_type()),
                "algorithm=", algorithm.word, " does not give ", dot.shape().ToString());
  for (const int64_t precision : dot.GetInts(Attr::kOperandPrecision)) {
    ASSAY_REQUIRE(dot, "dot_c7", precision == 0, "algorithm=", algorithm.word,
                  " must stand without operand_precision");
  }
  return absl::OkStatus();
}

}  // namespace

void CheckProducts(const Module& module, Findings& findings) {
  if (!findings.strict()) return;
  for (const auto& computation : module.computations()) {
    for (const auto& op : computation->instructions()) {
      const bool is_dot = op->opcode() == Opcode::kDot;
      if (!is_dot && op->opcode() != Opcode::kConvolution) continue;
      if (!InferShape(*op).ok()) continue;  // said already, or a gradient
      findings.AddViolation(*op, CheckClasses(*op, is_dot ? "dot_c6" : "convolution_c11"));
      if (is_dot) findings.AddViolation(*op, CheckAlgorithm(*op));
    }
  }
}

}  // namespace assay
