#include "evaluator/facts/widened_fold.h"

#include <cmath>
#include <utility>

#include "evaluator/facts/isolate.h"

namespace assay {
namespace {

bool IsContraction(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kDot || instruction.opcode() == Opcode::kConvolution;
}

bool IsWidened(ElementType type) { return IsFloat(type) || IsComplex(type); }

Shape Widened(const Shape& shape, bool integers_too, ElementType type = ElementType::kF64) {
  Shape widened = shape;
  if (shape.is_array() && (integers_too || IsWidened(shape.element_type()))) {
    widened.set_element_type(type);
    widened.ClearLayouts();
  }
  return widened;
}

// The same, but complex numbers stay complex.
Shape WidenedParts(const Shape& shape, bool integers_too) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      elements.push_back(WidenedParts(element, integers_too));
    }
    return Shape::Tuple(std::move(elements));
  }
  const bool complex = shape.is_array() && IsComplex(shape.element_type());
  Shape widened = Widened(shape, integers_too);
  if (complex) widened.set_element_type(ElementType::kC128);
  return widened;
}

Literal WidenParts(const Literal& literal, bool integers_too, int exponent) {
  const ElementType type = literal.element_type(), part = Info(type).component;
  if (!integers_too && !IsWidened(type)) return literal;
  Literal wide = Literal::Zeros(WidenedParts(literal.shape(), integers_too));
  for (int64_t d = 0; d < literal.shape().rank(); ++d) {
    if (literal.shape().is_dynamic_dimension(d)) wide.set_dynamic_size(d, literal.dynamic_size(d));
  }
  const auto widen = [exponent](double value) {
    return EncodeFloat(ElementType::kF64, std::ldexp(value, exponent));
  };
  for (int64_t i = 0; i < wide.element_count(); ++i) {
    const Element element = literal.Get(i);
    const bool complex = IsComplex(type);
    wide.Set(i, {widen(complex ? DecodeFloat(part, element.bits) : MagnitudeOrValue(type, element)),
                 complex ? widen(DecodeFloat(part, element.imag)) : 0});
  }
  return wide;
}

// Of how products of narrow operands are formed, which wide ones have no use for.
void EraseAlgorithms(Instruction* contraction) {
  contraction->EraseAttribute(Attr::kOperandPrecision);
  contraction->EraseAttribute(Attr::kAlgorithm);
}

// Makes the region, whose parameters are of the type, fold(a, b) = a + b or a * b. What it was
// before stays in it unused.
void ReplaceFold(Opcode fold, ElementType type, Computation* region) {
  auto root = std::make_unique<Instruction>(fold, Shape(type, {}));
  root->set_name("folded");
  for (Instruction* parameter : region->parameters()) root->AppendOperand(parameter);
  region->set_root(region->Add(std::move(root)));
}

// The start value of the fold, or -1.
int64_t InitOperand(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return 1;
    case Opcode::kSelectAndScatter:
      return 2;
    default:
      return -1;
  }
}

}  // namespace

double MagnitudeOrValue(ElementType type, Element element) {
  if (IsComplex(type)) {
    const ElementType part = Info(type).component;
    return std::fabs(DecodeFloat(part, element.bits)) + std::fabs(DecodeFloat(part, element.imag));
  }
  if (IsFloat(type)) return DecodeFloat(type, element.bits);
  return IsSigned(type) ? static_cast<double>(DecodeSigned(type, element.bits))
                        : static_cast<double>(DecodeUnsigned(type, element.bits));
}

ReducerKind FoldKind(const Instruction& instruction) {
  ReducerKind kind = ReducerKind::kOther;
  switch (instruction.opcode()) {
    case Opcode::kDot:
    case Opcode::kConvolution:
      return ReducerKind::kAdd;
    case Opcode::kSelectAndScatter:
      kind = RecogniseReducer(*instruction.GetComputation(Attr::kScatter)).kind;
      break;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
      kind = RecogniseReducer(*instruction.to_apply()).kind;
      break;
    default:
      break;
  }
  const bool sums = kind == ReducerKind::kAdd || kind == ReducerKind::kMultiply;
  return sums ? kind : ReducerKind::kOther;
}

std::unique_ptr<Module> WidenFold(const Instruction& instruction, Opcode fold, ElementType type) {
  std::unique_ptr<Module> module = IsolateInstruction(instruction);
  Instruction* root = module->entry()->root();
  const bool contraction = IsContraction(*root);
  for (const auto& computation : module->computations()) {
    for (const auto& each : computation->instructions()) {
      each->set_shape(Widened(each->shape(), contraction, type));
      if (each->literal() != nullptr && IsWidened(each->literal()->element_type())) {
        Literal wide = Literal::Zeros(each->shape());
        for (int64_t i = 0; i < wide.element_count(); ++i) {
          const double value =
              MagnitudeOrValue(each->literal()->element_type(), each->literal()->Get(i));
          wide.Set(i, Element{EncodeFloat(type, value)});
        }
        each->set_literal(std::move(wide));
      }
    }
  }
  if (contraction) {
    EraseAlgorithms(root);
    return module;
  }
  ReplaceFold(fold, type,
              root->opcode() == Opcode::kSelectAndScatter ? root->GetComputation(Attr::kScatter)
                                                          : root->to_apply());
  module->UniquifyNames();
  return module;
}

absl::StatusOr<Literal> EvaluateWidened(const Instruction& instruction,
                                        absl::Span<const Literal> operands, int exponent,
                                        const EvaluateModule& evaluate) {
  const std::unique_ptr<Module> module = IsolateInstruction(instruction);
  const bool contraction = IsContraction(instruction);
  for (const auto& computation : module->computations()) {
    for (const auto& each : computation->instructions()) {
      each->set_shape(WidenedParts(each->shape(), contraction));
      if (each->literal() != nullptr) {
        each->set_literal(WidenParts(*each->literal(), contraction, 0));
      }
    }
  }
  if (contraction) EraseAlgorithms(module->entry()->root());
  std::vector<Literal> widened;
  for (const Literal& operand : operands) {
    widened.push_back(WidenParts(operand, contraction, exponent));
  }
  return evaluate(*module, widened);
}

std::vector<Literal> WidenOperands(const Instruction& instruction,
                                   absl::Span<const Literal> operands, const TermMap& map) {
  const bool contraction = IsContraction(instruction);
  std::vector<Literal> widened;
  for (size_t number = 0; number < operands.size(); ++number) {
    const Literal& operand = operands[number];
    const ElementType type = operand.element_type();
    if (!contraction && !IsWidened(type)) {
      widened.push_back(operand);
      continue;
    }
    const bool selects = instruction.opcode() == Opcode::kSelectAndScatter && number == 0;
    const bool init = static_cast<int64_t>(number) == InitOperand(instruction);
    Literal wide = Literal::Zeros(Widened(operand.shape(), contraction));
    for (int64_t d = 0; d < operand.shape().rank(); ++d) {
      if (operand.shape().is_dynamic_dimension(d))
        wide.set_dynamic_size(d, operand.dynamic_size(d));
    }
    for (int64_t i = 0; i < wide.element_count(); ++i) {
      const double value = MagnitudeOrValue(type, operand.Get(i));
      wide.Set(i, Element{EncodeFloat(ElementType::kF64, selects ? value : map(value, init))});
    }
    widened.push_back(std::move(wide));
  }
  return widened;
}

absl::StatusOr<std::vector<double>> CountTerms(const Instruction& instruction,
                                               absl::Span<const Literal> operands,
                                               const EvaluateModule& evaluate) {
  const Opcode opcode = instruction.opcode();
  const bool reduces = opcode == Opcode::kReduce && instruction.shape().is_array();
  if ((opcode != Opcode::kDot && !reduces) || instruction.operand(0)->shape().is_dynamic()) {
    return FoldWidened(instruction, operands, Opcode::kAdd, OneTerm, evaluate);
  }
  double count = 1;
  for (const int64_t d :
       instruction.GetInts(reduces ? Attr::kDimensions : Attr::kLhsContractingDims)) {
    count *= static_cast<double>(operands[0].shape().dimension(d));
  }
  if (reduces && MagnitudeOrValue(operands[1].element_type(), operands[1].Get(0)) != 0) ++count;
  return std::vector<double>(instruction.shape().element_count(), count);
}

absl::StatusOr<std::vector<double>> FoldWidened(const Instruction& instruction,
                                                absl::Span<const Literal> operands, Opcode fold,
                                                const TermMap& map,
                                                const EvaluateModule& evaluate) {
  const std::unique_ptr<Module> module = WidenFold(instruction, fold);
  absl::StatusOr<Literal> value = evaluate(*module, WidenOperands(instruction, operands, map));
  if (!value.ok()) return value.status();
  std::vector<double> values(value->element_count());
  DecodeFloats(ElementType::kF64, value->data(), value->element_count(), values.data());
  return values;
}

}  // namespace assay
