#include "spec/ops/shape_inference.h"

#include "absl/strings/str_cat.h"
#include "spec/ops/rules.h"

namespace assay {
namespace {

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
  absl::StatusOr<int64_t> bytes = shape.ByteSize();
  ASSAY_REQUIRE(op, "shape_c1", bytes.ok(), bytes.status().message());
  return absl::OkStatus();
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

absl::StatusOr<Shape> InferShape(const Instruction& instruction) {
  ASSAY_RETURN_IF_ERROR(CheckForm(instruction));
  absl::StatusOr<Shape> shape = kRules[static_cast<size_t>(instruction.opcode())](instruction);
  if (shape.ok() && ShapeIsOpen(instruction)) {
    ASSAY_RETURN_IF_ERROR(CheckSizes(instruction, *shape));
    shape->FillLayouts();
  }
  return shape;
}

absl::Status CheckInstruction(const Instruction& instruction) {
  ASSAY_REQUIRE(instruction, "form_c2", !ShapeIsOpen(instruction), "the instruction has no shape");
  absl::StatusOr<Shape> shape = InferShape(instruction);
  if (absl::IsUnimplemented(shape.status())) return absl::OkStatus();
  ASSAY_RETURN_IF_ERROR(shape.status());
  ASSAY_REQUIRE(instruction, "shape_c2", Shape::Compatible(*shape, instruction.shape()),
                "the declared shape is ", instruction.shape().ToString(), ", but operands and ",
                "attributes give ", shape->ToString());
  return CheckSizes(instruction, instruction.shape());
}

absl::Status CheckModuleShapes(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      ASSAY_RETURN_IF_ERROR(CheckInstruction(*instruction));
    }
  }
  return absl::OkStatus();
}

}  // namespace assay
