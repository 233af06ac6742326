// One operation on its way to HLO: attributes, operands, instructions. Test: to_module_test.cc.
#include <algorithm>
#include <numeric>

#include "spec/element/element.h"
#include "spec/ops/shape_inference.h"
#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {

Instruction* OpContext::Dead() {
  if (dead_ == nullptr) {
    dead_ = std::make_unique<Instruction>(Opcode::kConstant, Shape::Scalar(ElementType::kF32));
  }
  return dead_.get();
}

Instruction* OpContext::In(int64_t i) {
  if (i >= 0 && i < operand_count()) return operands_[i];
  Fail(absl::StrCat("there is no operand ", i));
  return Dead();
}

Shape OpContext::OutShape(int64_t i) {
  if (i >= 0 && i < result_count()) {
    absl::StatusOr<Shape> shape = ShapeOfType(*operation_.results()[i]->type());
    if (shape.ok()) return *std::move(shape);
    Fail(absl::StrCat("result ", i, ": ", shape.status().message()), shape.status().code());
  } else {
    Fail(absl::StrCat("there is no result ", i));
  }
  return Shape::Scalar(ElementType::kF32);
}

void OpContext::Fail(absl::string_view message, absl::StatusCode code) {
  if (!status_.ok()) return;
  status_ = lowering_.Error(operation_, message, code);
}

const Attribute* OpContext::Find(absl::string_view name) const {
  return dictionary_ != nullptr ? dictionary_->Find(name) : operation_.Find(name);
}

const Attribute* OpContext::Need(absl::string_view name) {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) Fail(absl::StrCat("needs the attribute ", name));
  return attribute;
}

namespace {

bool IsNumber(const Attribute& attribute) {
  return attribute.kind == AttributeKind::kInteger || attribute.kind == AttributeKind::kBool ||
         attribute.kind == AttributeKind::kEnum;
}

}  // namespace

int64_t OpContext::Int(absl::string_view name) {
  const Attribute* attribute = Need(name);
  return attribute == nullptr ? 0 : IntOr(name, 0);
}

int64_t OpContext::IntOr(absl::string_view name, int64_t otherwise) {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) return otherwise;
  if (IsNumber(*attribute)) return attribute->integer;
  Fail(absl::StrCat("the attribute ", name, " must be a number"));
  return otherwise;
}

bool OpContext::BoolOr(absl::string_view name, bool otherwise) {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) return otherwise;
  if (attribute->kind == AttributeKind::kUnit) return true;
  if (IsNumber(*attribute)) return attribute->integer != 0;
  Fail(absl::StrCat("the attribute ", name, " must be true or false"));
  return otherwise;
}

std::string OpContext::StringOr(absl::string_view name, absl::string_view otherwise) {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) return std::string(otherwise);
  if (attribute->kind == AttributeKind::kString || attribute->kind == AttributeKind::kSymbol ||
      attribute->kind == AttributeKind::kEnum) {
    return std::string(attribute->text);
  }
  Fail(absl::StrCat("the attribute ", name, " must be a string"));
  return std::string(otherwise);
}

std::optional<std::vector<int64_t>> IntsOf(const Attribute& attribute) {
  if (attribute.kind == AttributeKind::kInts) return attribute.ints;
  if (attribute.kind == AttributeKind::kArray) {
    std::vector<int64_t> values;
    for (const Attribute* element : attribute.elements) {
      if (element == nullptr || !IsNumber(*element)) return std::nullopt;
      values.push_back(element->integer);
    }
    return values;
  }
  if (attribute.kind != AttributeKind::kDense || attribute.type == nullptr) return std::nullopt;
  const absl::StatusOr<Literal> literal = LiteralOfDense(attribute);
  if (!literal.ok()) return std::nullopt;
  const ElementType type = literal->element_type();
  if (!IsInteger(type) && !IsPred(type)) return std::nullopt;
  int64_t count = 1;
  for (const int64_t size : attribute.type->dimensions) {
    if (size < 0 || (size != 0 && count > (int64_t{1} << 24) / size)) return std::nullopt;
    count *= size;
  }
  std::vector<int64_t> values(count);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = literal->Get(attribute.is_splat ? 0 : i).bits;
    values[i] = IsSigned(type) ? DecodeSigned(type, bits)
                               : static_cast<int64_t>(DecodeUnsigned(type, bits));
  }
  return values;
}

std::vector<int64_t> OpContext::Ints(absl::string_view name) {
  return Need(name) == nullptr ? std::vector<int64_t>() : IntsOr(name, {});
}

std::vector<int64_t> OpContext::IntsOr(absl::string_view name, std::vector<int64_t> otherwise) {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) return otherwise;
  std::optional<std::vector<int64_t>> values = IntsOf(*attribute);
  if (values) return *std::move(values);
  Fail(absl::StrCat("the attribute ", name, " must be a list of integers"));
  return otherwise;
}

std::vector<std::pair<int64_t, int64_t>> OpContext::Pairs(absl::string_view name, int64_t count) {
  std::vector<std::pair<int64_t, int64_t>> pairs(count, {0, 0});
  if (!Has(name)) return pairs;
  const std::vector<int64_t> values = Ints(name);
  if (values.size() != 2 * pairs.size()) {
    Fail(absl::StrCat("the attribute ", name, " must have ", count, " pairs, found ", values.size(),
                      " numbers"));
    return pairs;
  }
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = {values[2 * i], values[2 * i + 1]};
  return pairs;
}

std::vector<int64_t> OpContext::FieldInts(const Attribute* record, absl::string_view field) {
  const Attribute* value = record == nullptr ? nullptr : record->Find(field);
  if (value == nullptr) return {};
  std::optional<std::vector<int64_t>> ints = IntsOf(*value);
  if (ints) return *std::move(ints);
  Fail(absl::StrCat("the field ", field, " must be a list of integers"));
  return {};
}

int64_t OpContext::FieldInt(const Attribute* record, absl::string_view field, int64_t otherwise) {
  const Attribute* value = record == nullptr ? nullptr : record->Find(field);
  if (value == nullptr) return otherwise;
  if (IsNumber(*value)) return value->integer;
  Fail(absl::StrCat("the field ", field, " must be a number"));
  return otherwise;
}

Instruction* OpContext::Make(Opcode opcode, Shape shape, Operands operands,
                             AttributeList attributes) {
  if (!ok()) return Dead();
  const bool open = HasUnboundedDimension(shape);
  const ElementType declared = shape.element_type();
  Instruction* made = lowering_.MakeIn(scope_, operation_, opcode, std::move(shape), operands,
                                       std::move(attributes));
  if (open) {
    absl::StatusOr<Shape> inferred = absl::UnimplementedError("");
    if (made->info().elementwise() && opcode != Opcode::kSelect && opcode != Opcode::kClamp &&
        !operands.empty()) {
      inferred = Shape(declared, operands[0]->shape().dimensions());
    } else if (made->info().shape_inferable) {
      inferred = InferShapeUnchecked(*made);
    }
    if (!inferred.ok() || HasUnboundedDimension(*inferred)) {
      Refuse(absl::StrCat("the sizes of the result are not known",
                          inferred.ok() || inferred.status().message().empty() ? "" : ": ",
                          inferred.ok() ? "" : inferred.status().message()));
      return Dead();
    }
    if (inferred->is_array() && IsArray(declared)) inferred->set_element_type(declared);
    inferred->FillLayouts();
    made->set_shape(*std::move(inferred));
  }
  if (!lowering_.computes_sizes() || operands.empty() || !made->shape().is_array()) return made;
  std::vector<const Literal*> known;
  for (const Instruction* operand : made->operands()) {
    known.push_back(lowering_.KnownValue(operand));
    if (known.back() == nullptr) return made;
  }
  if (std::optional<Literal> value = Fold(*made, known)) {
    lowering_.SetKnownValue(made, *std::move(value));
  }
  return made;
}

Instruction* OpContext::Constant(Literal literal) {
  Instruction* made = Make(Opcode::kConstant, literal.shape(), Operands());
  if (ok()) made->set_literal(literal.WithShape(made->shape()));
  return made;
}

Instruction* OpContext::ConstantInt(ElementType type, int64_t value) {
  assay::Element element;
  if (IsFloat(type)) {
    element.bits = EncodeFloatFromSigned(type, value);
  } else if (IsComplex(type)) {
    element.bits = EncodeFloatFromSigned(Info(type).component, value);
  } else {
    element.bits = IsPred(type) ? value != 0 : EncodeInteger(type, static_cast<uint64_t>(value));
  }
  return Constant(Literal::Scalar(type, element));
}

Instruction* OpContext::Spread(Instruction* scalar, const Shape& like) {
  if (like.rank() == 0) return scalar;
  Shape shape = like;
  shape.set_element_type(scalar->shape().element_type());
  return Make(Opcode::kBroadcast, std::move(shape), {scalar},
              {{Attr::kDimensions, std::vector<int64_t>()}});
}

Instruction* OpContext::Convert(Instruction* value, ElementType type) {
  if (value->shape().element_type() == type) return value;
  Shape shape = value->shape();
  shape.set_element_type(type);
  return Make(Opcode::kConvert, std::move(shape), {value});
}

Instruction* OpContext::Reshape(Instruction* value, absl::Span<const int64_t> sizes) {
  return Make(Opcode::kReshape, Shape(value->shape().element_type(), sizes), {value});
}

Instruction* OpContext::Element(Instruction* tuple, int64_t i) {
  const Shape& shape = tuple->shape();
  if (!shape.is_tuple() || i < 0 || i >= static_cast<int64_t>(shape.tuple_shapes().size())) {
    Fail(absl::StrCat("there is no element ", i, " of ", shape.ToString()));
    return Dead();
  }
  return Make(Opcode::kGetTupleElement, shape.tuple_shape(i), {tuple}, {{Attr::kIndex, i}});
}

Instruction* OpContext::TupleOf(Operands elements) {
  std::vector<Shape> shapes;
  for (const Instruction* element : elements) shapes.push_back(element->shape());
  return Make(Opcode::kTuple, Shape::Tuple(std::move(shapes)), elements);
}

std::optional<std::vector<int64_t>> IntsOf(const Literal& literal) {
  if (!literal.is_array() || IsFloat(literal.element_type()) || IsComplex(literal.element_type())) {
    return std::nullopt;
  }
  std::vector<int64_t> values;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const uint64_t bits = literal.Get(i).bits;
    values.push_back(IsSigned(literal.element_type())
                         ? DecodeSigned(literal.element_type(), bits)
                         : static_cast<int64_t>(DecodeUnsigned(literal.element_type(), bits)));
  }
  return values;
}

std::optional<std::vector<int64_t>> OpContext::KnownInts(int64_t operand) {
  const Literal* literal = lowering_.KnownValue(In(operand));
  return literal == nullptr ? std::nullopt : IntsOf(*literal);
}

std::vector<int64_t> OpContext::NeedInts(int64_t operand, absl::string_view what) {
  const std::optional<std::vector<int64_t>> values = KnownInts(operand);
  if (!values) Refuse(absl::StrCat(what, " (operand ", operand, ") ", kSizeNotKnown));
  return values.value_or(std::vector<int64_t>());
}

void OpContext::ReturnAt(int64_t i, Instruction* value) {
  if (!ok()) return;
  if (i < 0 || i >= result_count()) {
    Fail(absl::StrCat("has ", result_count(), " results, but gives a result ", i));
    return;
  }
  results_[i] = value;
}

void OpContext::ReturnAll(Instruction* value, bool is_tuple) {
  if (!is_tuple) {
    Return(value);
    return;
  }
  for (int64_t i = 0; i < result_count(); ++i) ReturnAt(i, Element(value, i));
}

std::optional<Lowering::RegionParameters> OpContext::SignatureOf(int64_t region,
                                                                 int64_t parameters) {
  if (!ok()) return std::nullopt;
  if (region >= static_cast<int64_t>(operation_.regions().size()) ||
      operation_.regions()[region].blocks().size() != 1) {
    Fail(absl::StrCat("region ", region, " must have one block"));
    return std::nullopt;
  }
  const Region& body = operation_.regions()[region];
  const auto& arguments = body.blocks()[0]->arguments;
  if (static_cast<int64_t>(arguments.size()) != parameters) {
    Fail(absl::StrCat("region ", region, " must have ", parameters, " arguments, found ",
                      arguments.size()));
    return std::nullopt;
  }
  Lowering::RegionParameters signature;
  for (const Value* argument : arguments) {
    absl::StatusOr<Shape> shape = ShapeOfType(*argument->type());
    if (!shape.ok()) {
      Fail(shape.status().message(), shape.status().code());
      return std::nullopt;
    }
    signature.arguments.push_back(*std::move(shape));
  }
  const Region* const regions[] = {&body};
  signature.captured = lowering_.CapturedBy(regions);
  return signature;
}

std::vector<Instruction*> OpContext::ValuesOf(absl::Span<const Value* const> values) {
  std::vector<Instruction*> instructions;
  for (const Value* value : values) {
    absl::StatusOr<Instruction*> instruction = lowering_.ValueIn(scope_, operation_, *value);
    if (!instruction.ok()) {
      Keep(instruction.status());
      return {};
    }
    instructions.push_back(*instruction);
  }
  return instructions;
}

Computation* OpContext::Reducer(int64_t region, int64_t parameters) {
  const std::optional<Lowering::RegionParameters> signature = SignatureOf(region, parameters);
  if (!signature) return nullptr;
  if (!signature->captured.empty()) {
    Refuse(absl::StrCat("region ", region, " uses ", signature->captured[0]->Describe(),
                        " from outside; HLO has no such computations. Only constants may come "
                        "from outside; others have to be operands"));
    return nullptr;
  }
  absl::StatusOr<Computation*> made =
      lowering_.LowerRegion(operation_, operation_.regions()[region], scope_, *signature);
  if (made.ok()) return *made;
  Keep(made.status());
  return nullptr;
}

OpContext::OpenReducer OpContext::ReducerOfCaptures(int64_t region, int64_t parameters,
                                                    Lowering::RegionParameters::Place place,
                                                    bool passed_on) {
  std::optional<Lowering::RegionParameters> signature = SignatureOf(region, parameters);
  if (!signature) return {};
  OpenReducer reducer;
  reducer.captured = ValuesOf(signature->captured);
  for (size_t i = 0; i < reducer.captured.size(); ++i) {
    const Shape& shape = reducer.captured[i]->shape();
    if (shape.is_array() && shape.rank() == 0) continue;
    Refuse(absl::StrCat("region ", region, " uses ", signature->captured[i]->Describe(),
                        " from outside, which is ", shape.ToString(),
                        "; HLO has no such computations. Only scalars and constants may come from "
                        "outside; others have to be operands"));
  }
  if (!ok()) return {};
  signature->values.assign(reducer.captured.begin(), reducer.captured.end());
  signature->place = place;
  if (passed_on) signature->passed_on = signature->captured;
  absl::StatusOr<Computation*> made =
      lowering_.LowerRegion(operation_, operation_.regions()[region], scope_, *signature);
  if (!made.ok()) {
    Keep(made.status());
    return {};
  }
  reducer.computation = *made;
  return reducer;
}

}  // namespace assay::stablehlo
