// call, while, conditional, fusion: instructions that run computations on whole values. Shapes are
// held against each other without layouts.
//   call_c1 one operand per parameter
//   call_c2 of its shape
//   call_c3 a composite has a name
//   call_c4 and a version that is a number, if any
//   while_c1 condition and body have one parameter
//   while_c2 of the shape of the init value
//   while_c3 (strict) the body returns that shape
//   while_c4 the condition returns pred[]
//   conditional_c1 the selector is pred[] or s32[]
//   conditional_c2 pred has two branches, s32 some
//   conditional_c3 one operand per branch
//   conditional_c4 each branch has one parameter
//   conditional_c5 of its operand's shape
//   conditional_c6 branches return one shape
//   fusion_c1 an operand per parameter (more do not harm)
//   fusion_c2 of its shape
//   fusion_c3 aliases name parts of the result and of operands
//   fusion_c7 which have one shape
// Source: reference ops_control_and_collectives.md 2. Tests: spec/verify/testdata/control.cases.
#include <algorithm>

#include "absl/strings/numbers.h"
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

absl::Status RequireParameters(const Instruction& op, absl::string_view clause,
                               const Signature& signature) {
  for (size_t k = 0; k < signature.parameters.size(); ++k) {
    const Shape& operand = op.operand(k)->shape();
    ASSAY_REQUIRE(op, clause, Shape::Compatible(*signature.parameters[k], operand), "parameter ", k,
                  " is ", signature.parameters[k]->ToString(), ", but operand ", k, " ",
                  operand.ToString());
  }
  return absl::OkStatus();
}

absl::Status CheckComposite(const Instruction& call) {
  const FrontendAttributes& attributes = call.annotations().frontend_attributes;
  const auto name = attributes.find("composite.name");
  ASSAY_REQUIRE(call, "call_c3", name != attributes.end() && !name->second.empty(),
                "a composite must have the frontend attribute composite.name");
  const auto version = attributes.find("composite.version");
  if (version == attributes.end()) return absl::OkStatus();
  int64_t number = -1;
  ASSAY_REQUIRE(call, "call_c4", absl::SimpleAtoi(version->second, &number) && number >= 0,
                "composite.version must be a number, 0 or more, found ", version->second);
  return absl::OkStatus();
}

// Branches in the order of the selector: true before false.
std::vector<const Computation*> Branches(const Instruction& op) {
  const auto* listed = op.attributes().Get<std::vector<Computation*>>(Attr::kBranchComputations);
  if (listed != nullptr) return {listed->begin(), listed->end()};
  return {op.GetComputation(Attr::kTrueComputation), op.GetComputation(Attr::kFalseComputation)};
}

// A dimension is dynamic when it is so in either.
void MergeDynamic(const Shape& from, Shape* into) {
  for (int64_t d = 0; d < into->rank(); ++d) {
    if (from.is_dynamic_dimension(d)) into->set_dynamic_dimension(d, true);
  }
  for (size_t i = 0; i < into->tuple_shapes().size(); ++i) {
    MergeDynamic(from.tuple_shape(i), &into->mutable_tuple_shapes()[i]);
  }
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kCall>(const Instruction& call) {
  const absl::StatusOr<Signature> callee = SignatureOf(call, call.to_apply());
  if (!callee.ok()) return callee.status();
  ASSAY_REQUIRE(call, "call_c1",
                static_cast<int64_t>(callee->parameters.size()) == call.operand_count(),
                call.to_apply()->name(), " has ", callee->parameters.size(),
                " parameters, but there are ", call.operand_count(), " operands");
  ASSAY_RETURN_IF_ERROR(RequireParameters(call, "call_c2", *callee));
  // What makes a composite says nothing about the shape.
  if (call.GetBool(Attr::kIsComposite) && !ShapeIsOpen(call)) {
    ASSAY_RETURN_IF_ERROR(CheckComposite(call));
  }
  return *callee->result;
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kWhile>(const Instruction& loop) {
  const Shape& init = loop.operand(0)->shape();
  for (Attr attr : {Attr::kBody, Attr::kCondition}) {
    const absl::StatusOr<Signature> callee = SignatureOf(loop, loop.GetComputation(attr));
    if (!callee.ok()) return callee.status();
    const absl::string_view role = Info(attr).name;
    ASSAY_REQUIRE(loop, "while_c1", callee->parameters.size() == 1, "the ", role,
                  " must have 1 parameter, found ", callee->parameters.size());
    ASSAY_REQUIRE(loop, "while_c2", Shape::Compatible(*callee->parameters[0], init),
                  "the parameter of the ", role, " must be ", init.ToString(), ", found ",
                  callee->parameters[0]->ToString());
    const Shape& result = *callee->result;
    ASSAY_REQUIRE(loop, "while_c4",
                  attr == Attr::kBody || (result.is_scalar() && IsPred(result.element_type())),
                  "the condition must return pred[], found ", result.ToString());
  }
  const Shape& result = loop.GetComputation(Attr::kBody)->root()->shape();
  // What is dynamic and laid out how, the init value says.
  return Shape::Compatible(result, init) ? init : result;
}

absl::Status CheckWhileStrictly(const Instruction& loop) {
  const Shape& init = loop.operand(0)->shape();
  const Shape& result = loop.GetComputation(Attr::kBody)->root()->shape();
  ASSAY_REQUIRE(loop, "while_c3", Shape::Compatible(result, init), "the body must return ",
                init.ToString(), ", found ", result.ToString());
  return absl::OkStatus();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kConditional>(const Instruction& op) {
  const Shape& selector = op.operand(0)->shape();
  const bool is_pred = selector.element_type() == ElementType::kPred;
  ASSAY_REQUIRE(op, "conditional_c1",
                selector.is_scalar() && (is_pred || selector.element_type() == ElementType::kS32),
                "operand 0 must be pred[] or s32[], found ", selector.ToString());
  const std::vector<const Computation*> branches = Branches(op);
  ASSAY_REQUIRE(op, "conditional_c2", is_pred ? branches.size() == 2 : !branches.empty(),
                "there must be ", is_pred ? "two branches" : "a branch", ", found ",
                branches.size());
  const int64_t count = static_cast<int64_t>(branches.size());
  ASSAY_REQUIRE(op, "conditional_c3", op.operand_count() == count + 1, "there are ", count,
                " branches, but ", op.operand_count() - 1, " operands for them");
  Shape shape;
  for (int64_t k = 0; k < count; ++k) {
    const absl::StatusOr<Signature> branch = SignatureOf(op, branches[k]);
    if (!branch.ok()) return branch.status();
    const absl::string_view name = branches[k]->name();
    ASSAY_REQUIRE(op, "conditional_c4", branch->parameters.size() == 1, "branch ", name,
                  " must have 1 parameter, found ", branch->parameters.size());
    const Shape& operand = op.operand(k + 1)->shape();
    ASSAY_REQUIRE(op, "conditional_c5", Shape::Compatible(*branch->parameters[0], operand),
                  "the parameter of ", name, " is ", branch->parameters[0]->ToString(),
                  ", but operand ", k + 1, " ", operand.ToString());
    if (k == 0) {
      shape = *branch->result;
      continue;
    }
    ASSAY_REQUIRE(op, "conditional_c6", Shape::Compatible(*branch->result, shape),
                  "the branches return different shapes: ", shape.ToString(), " and ",
                  branch->result->ToString());
    MergeDynamic(*branch->result, &shape);
  }
  return shape;
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kFusion>(const Instruction& fusion) {
  const absl::StatusOr<Signature> callee = SignatureOf(fusion, fusion.GetComputation(Attr::kCalls));
  if (!callee.ok()) return callee.status();
  ASSAY_REQUIRE(fusion, "fusion_c1",
                static_cast<int64_t>(callee->parameters.size()) <= fusion.operand_count(),
                "the computation has ", callee->parameters.size(), " parameters, but there are ",
                fusion.operand_count(), " operands");
  ASSAY_RETURN_IF_ERROR(RequireParameters(fusion, "fusion_c2", *callee));
  ASSAY_RETURN_IF_ERROR(CheckOutputAliases(fusion, "fusion_c3", "fusion_c7"));
  return *callee->result;
}

}  // namespace assay
