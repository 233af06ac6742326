#include "spec/ops/shape_inference.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "spec/ops/layout_check.h"
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

// Clauses that all operations share:
//   form_c1 as many operands as the operation takes
//   form_c2 operands and result have shapes
//   form_c3 required attributes are there
//   shape_c1 sizes are not negative, and the bytes of an array are within 63 bits
//   shape_c2 the declared shape follows from operands and attributes (layouts do not count)
//   shape_c4 a layout lists every dimension of its array once, its tiles have sizes of 1 or more
//   shape_c5 (strict) sizes have a bound
//   shape_c3 (strict) so does the precision of its floats

using RuleFunction = absl::StatusOr<Shape> (*)(const Instruction&);

constexpr RuleFunction kRules[] = {
#define OP(enumerator, ...) &Rule<Opcode::enumerator>,
#include "spec/op_catalogue.def"
#undef OP
};
static_assert(sizeof(kRules) / sizeof(kRules[0]) == kOpcodeCount);

bool ArityFits(int arity, int64_t count) {
  switch (arity) {
    case kAnyArity:
      return true;
    case kEvenArity:
      return count >= 2 && count % 2 == 0;
    case kOddArity:
      return count >= 3 && count % 2 == 1;
    case kAtLeastOne:
      return count >= 1;
    case kAtLeastTwo:
      return count >= 2;
    default:
      return count == arity;
  }
}

std::string ArityText(int arity) {
  switch (arity) {
    case kEvenArity:
      return "an even number of operands, at least 2";
    case kOddArity:
      return "an odd number of operands, at least 3";
    case kAtLeastOne:
      return "at least 1 operand";
    case kAtLeastTwo:
      return "at least 2 operands";
    default:
      return absl::StrCat(arity, arity == 1 ? " operand" : " operands");
  }
}

// Sizes are not negative and the bytes of each array are known or unbounded.
absl::Status CheckSizes(const Instruction& op, const Shape& shape) {
  if (shape.is_tuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      ASSAY_RETURN_IF_ERROR(CheckSizes(op, element));
    }
    return absl::OkStatus();
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_unbounded_dimension(d)) return absl::OkStatus();
  }
  ASSAY_REQUIRE(
      op, "shape_c4",
      !shape.is_array() || !shape.has_layout() || IsSoundLayout(*shape.layout(), shape.rank()),
      "a layout must list every dimension once, in tiles of sizes from 1 on, found ",
      shape.ToString(true));
  absl::StatusOr<int64_t> bytes = shape.ByteSize();
  ASSAY_REQUIRE(op, "shape_c1", bytes.ok(), bytes.status().message());
  return absl::OkStatus();
}

// Of the shapes that stand in attributes, such as the layout constraints of a custom call.
absl::Status CheckShapesOfAttributes(const Instruction& op) {
  for (const Attributes::Entry& entry : op.attributes().entries()) {
    if (const auto* shapes = std::get_if<std::vector<Shape>>(&entry.second)) {
      for (const Shape& shape : *shapes) ASSAY_RETURN_IF_ERROR(CheckSizes(op, shape));
    } else if (const auto* shape = GetIf<Shape>(entry.second)) {
      ASSAY_RETURN_IF_ERROR(CheckSizes(op, *shape));
    }
  }
  return absl::OkStatus();
}

// Operations that XLA's verifier lets declare another float type than follows from their operands:
// those that compute or may (a domain, a dependency), not those that hand values on.
bool MayChangePrecision(const Instruction& op) {
  switch (op.opcode()) {
    case Opcode::kConstant:
    case Opcode::kDynamicUpdateSlice:
      return false;
    case Opcode::kAddDependency:
    case Opcode::kDomain:
      return true;
    default:
      return op.info().family != Family::kHost && op.info().family != Family::kControl;
  }
}

// What every rule may rely on.
absl::Status CheckForm(const Instruction& op) {
  const OpInfo& info = op.info();
  ASSAY_REQUIRE(op, "form_c1", ArityFits(info.arity, op.operand_count()), info.name, " takes ",
                ArityText(info.arity), ", found ", op.operand_count());
  for (const Instruction* operand : op.operands()) {
    ASSAY_REQUIRE(op, "form_c2", operand->shape().element_type() != ElementType::kInvalid,
                  "operand ", operand->name(), " has no shape");
  }
  for (const AttributeUse& use : info.attributes) {
    ASSAY_REQUIRE(op, "form_c3", !use.required || op.HasAttribute(use.attr), "the attribute ",
                  Info(use.attr).name, " is missing");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferShapeUnchecked(const Instruction& instruction) {
  ASSAY_RETURN_IF_ERROR(CheckForm(instruction));
  absl::StatusOr<Shape> shape = kRules[static_cast<size_t>(instruction.opcode())](instruction);
  if (shape.ok() && ShapeIsOpen(instruction)) shape->FillLayouts();
  return shape;
}

absl::StatusOr<Shape> InferShape(const Instruction& instruction) {
  absl::StatusOr<Shape> shape = InferShapeUnchecked(instruction);
  if (shape.ok() && ShapeIsOpen(instruction)) {
    ASSAY_RETURN_IF_ERROR(CheckSizes(instruction, *shape));
  }
  return shape;
}

absl::Status CheckInstruction(const Instruction& instruction, Rules rules) {
  ASSAY_REQUIRE(instruction, "form_c2", !ShapeIsOpen(instruction), "the instruction has no shape");
  absl::StatusOr<Shape> shape = InferShape(instruction);
  if (absl::IsUnimplemented(shape.status())) return absl::OkStatus();
  ASSAY_RETURN_IF_ERROR(shape.status());
  ASSAY_RETURN_IF_ERROR(CheckSizes(instruction, instruction.shape()));
  ASSAY_RETURN_IF_ERROR(CheckShapesOfAttributes(instruction));
  const bool strict = rules == Rules::kStrict;
  if (!Shape::Compatible(*shape, instruction.shape())) {
    const bool mixes = MayChangePrecision(instruction) && TypesMix(*shape, instruction.shape());
    ASSAY_REQUIRE(instruction, mixes ? "shape_c3" : "shape_c2", mixes && !strict,
                  "operands and attributes give the shape ", shape->ToString(), ", found ",
                  instruction.shape().ToString());
  }
  if (!strict) return absl::OkStatus();
  for (const Shape* leaf : Leaves(instruction.shape())) {
    ASSAY_REQUIRE(instruction, "shape_c5", !Contains(leaf->dimensions(), Shape::kUnbounded),
                  "sizes must have a bound, found ", instruction.shape().ToString());
  }
  return CheckStrictClauses(instruction);
}

absl::Status CheckModuleShapes(const Module& module, Rules rules) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      ASSAY_RETURN_IF_ERROR(CheckInstruction(*instruction, rules));
    }
  }
  return absl::OkStatus();
}

}  // namespace assay
