#include "evaluator/facts/widened_fold.h"

#include <cmath>
#include <utility>

#include "spec/analysis/isolate.h"

namespace assay::evaluator {
namespace {

bool IsContraction(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kDot:
    case Opcode::kConvolution:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
      return true;
    default:
      return false;
  }
}

// Operands of a contraction that are no factors: how many rows each group has, and scales, which
// the widened factors have inside.
bool IsGroupSizes(const Instruction& instruction, size_t number) {
  return instruction.opcode() == Opcode::kRaggedDot && number == 2;
}
bool IsScale(const Instruction& instruction, size_t number) {
  return instruction.opcode() == Opcode::kScaledDot && number >= 2;
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

// The same number of dimensions, each of size 1: a scale for the whole operand.
Shape ScaleOfAll(const Shape& operand) {
  return Shape(ElementType::kF64, std::vector<int64_t>(operand.rank(), 1));
}

// Gives a parameter of an isolated contraction that is no factor the shape that it has beside wide
// ones. False: it is a factor, or the contraction itself.
bool KeepsNoFactor(const Instruction& contraction, Instruction* step) {
  if (step->opcode() != Opcode::kParameter) return false;
  const auto number = static_cast<size_t>(step->parameter_number());
  if (IsScale(contraction, number)) {
    step->set_shape(ScaleOfAll(contraction.operand(step->parameter_number() - 2)->shape()));
    return true;
  }
  return IsGroupSizes(contraction, number);
}

// The element of a scale for an element of its operand; a scalar stands for none (7.4).
double ScaleFor(const Literal& scale, const Shape& operand, int64_t element) {
  if (scale.shape().rank() == 0) return 1;
  int64_t at = 0, stride = 1;
  for (int64_t d = operand.rank() - 1; d >= 0; --d) {
    const int64_t size = operand.dimension(d), blocks = scale.shape().dimension(d);
    at += stride * (element % size / (size / blocks));
    stride *= blocks;
    element /= size;
  }
  return MagnitudeOrValue(scale.element_type(), scale.Get(at));
}

// The operands, those of a scaled dot with their scales inside, in f64, and ones in the place of
// the scales. The product of an element and its scale is rounded where both have more than 53 bits.
std::vector<Literal> WithScalesInside(const Instruction& instruction,
                                      absl::Span<const Literal> operands) {
  std::vector<Literal> factors(operands.begin(), operands.end());
  if (instruction.opcode() != Opcode::kScaledDot) return factors;
  for (size_t k = 0; k < 2; ++k) {
    const Literal &operand = operands[k], &scale = operands[k + 2];
    factors[k] = WidenParts(operand, /*integers_too=*/true, /*exponent=*/0);
    for (int64_t i = 0; i < operand.element_count(); ++i) {
      const double value = DecodeFloat(ElementType::kF64, factors[k].Get(i).bits);
      const double scaled = value * ScaleFor(scale, operand.shape(), i);
      factors[k].Set(i, Element{EncodeFloat(ElementType::kF64, scaled)});
    }
    factors[k + 2] = Literal::Zeros(ScaleOfAll(operand.shape()));
    factors[k + 2].Set(0, Element{EncodeFloat(ElementType::kF64, 1.0)});
  }
  return factors;
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

analysis::ReducerKind FoldKind(const Instruction& instruction) {
  analysis::ReducerKind kind = analysis::ReducerKind::kOther;
  switch (instruction.opcode()) {
    case Opcode::kDot:
    case Opcode::kConvolution:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
      return analysis::ReducerKind::kAdd;
    case Opcode::kSelectAndScatter:
      kind = analysis::RecogniseReducer(*instruction.GetComputation(Attr::kScatter)).kind;
      break;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
      kind = analysis::RecogniseReducer(*instruction.to_apply()).kind;
      break;
    default:
      break;
  }
  const bool sums = kind == analysis::ReducerKind::kAdd || kind == analysis::ReducerKind::kMultiply;
  return sums ? kind : analysis::ReducerKind::kOther;
}

bool FactorsAreOperands(const Instruction& instruction) {
  return instruction.opcode() != Opcode::kRaggedDot && instruction.opcode() != Opcode::kScaledDot;
}

std::unique_ptr<Module> WidenFold(const Instruction& instruction, Opcode fold, ElementType type) {
  std::unique_ptr<Module> module = analysis::IsolateInstruction(instruction);
  Instruction* root = module->entry()->root();
  const bool contraction = IsContraction(*root);
  for (const auto& computation : module->computations()) {
    for (const auto& each : computation->instructions()) {
      if (KeepsNoFactor(*root, each.get())) continue;
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
  const std::unique_ptr<Module> module = analysis::IsolateInstruction(instruction);
  const bool contraction = IsContraction(instruction);
  const Instruction& root = *module->entry()->root();
  for (const auto& computation : module->computations()) {
    for (const auto& each : computation->instructions()) {
      if (KeepsNoFactor(root, each.get())) continue;
      each->set_shape(WidenedParts(each->shape(), contraction));
      if (each->literal() != nullptr) {
        each->set_literal(WidenParts(*each->literal(), contraction, 0));
      }
    }
  }
  if (contraction) EraseAlgorithms(module->entry()->root());
  const std::vector<Literal> factors = WithScalesInside(instruction, operands);
  std::vector<Literal> widened;
  for (size_t k = 0; k < factors.size(); ++k) {
    const bool factor = !IsGroupSizes(instruction, k) && !IsScale(instruction, k);
    widened.push_back(factor ? WidenParts(factors[k], contraction, exponent) : factors[k]);
  }
  return evaluate(*module, widened);
}

std::vector<Literal> ScaleComplex(absl::Span<const Literal> operands, int exponent) {
  std::vector<Literal> scaled(operands.begin(), operands.end());
  for (Literal& operand : scaled) {
    if (IsComplex(operand.element_type())) operand = WidenParts(operand, false, exponent);
  }
  return scaled;
}

std::vector<Literal> WidenOperands(const Instruction& instruction,
                                   absl::Span<const Literal> operands, const TermMap& map) {
  const bool contraction = IsContraction(instruction);
  const std::vector<Literal> factors = WithScalesInside(instruction, operands);
  std::vector<Literal> widened;
  for (size_t number = 0; number < operands.size(); ++number) {
    const Literal& operand = factors[number];
    const ElementType type = operand.element_type();
    if (IsGroupSizes(instruction, number) || IsScale(instruction, number) ||
        (!contraction && !IsWidened(type))) {
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

}  // namespace assay::evaluator
