// Composites of CHLO's scan and ragged_dot, as MLIR's own exporter writes them, with loops beside
// them that compute the same with StableHLO's operations.
// Tests: conformance/corpus/stablehlo_round_trip_test.cc.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/module_writer.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

using Sizes = std::vector<int64_t>;

bool Holds(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

Sizes SizesOf(const Shape& shape) { return {shape.dimensions().begin(), shape.dimensions().end()}; }

std::string BracketedText(absl::Span<const int64_t> values) {
  return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
}

// The program of a ragged dot: a loop over the groups, which begin where the last one ended. What
// is in the group of an iteration is selected from its product or, where a contracting dimension is
// ragged, from both factors.
class RaggedDotProgram {
 public:
  // The texts of the element types of the operands and of the result.
  RaggedDotProgram(const Instruction& dot, std::string left, std::string right, std::string groups,
                   std::string result)
      : dot_(dot),
        left_element_(std::move(left)),
        right_element_(std::move(right)),
        groups_element_(std::move(groups)),
        result_element_(std::move(result)) {}

  std::string Text();

 private:
  static constexpr absl::string_view kNumber = "tensor<i64>";

  absl::Span<const int64_t> Ints(Attr attr) const { return dot_.GetInts(attr); }
  Sizes SizesOfOperand(int64_t i) const { return SizesOf(dot_.operand(i)->shape()); }
  void Line(absl::string_view result, absl::string_view operation, absl::string_view type) {
    absl::StrAppend(&text_, "  ", result, " = stablehlo.", operation, " : ", type, "\n");
  }
  void Spread(absl::string_view result, absl::string_view value, const Sizes& dimensions,
              absl::string_view from, absl::string_view to) {
    Line(result, absl::StrCat("broadcast_in_dim ", value, ", dims = ", BracketedText(dimensions)),
         absl::StrCat("(", from, ") -> ", to));
  }
  // Zeros of a type, by this name.
  void Zeros(absl::string_view name, const Sizes& sizes, absl::string_view element);
  // The predicate `name`: the positions of a tensor along `ragged` are in the group. The sizes of
  // groups have these dimensions of the tensor in front.
  void InGroup(absl::string_view name, const Sizes& sizes, int64_t ragged, const Sizes& dimensions);
  // The slice of size 1 of `dimension` at the number of the group, without that dimension.
  void Slice(absl::string_view name, absl::string_view value, Sizes sizes, int64_t dimension,
             absl::string_view element);
  // The product of two values, with the dimensions of rhs above `removed` counted without it.
  void Product(absl::string_view left, absl::string_view right, const Sizes& right_sizes,
               int64_t removed, const std::string& type);
  void FreeGroup(const Sizes& sizes);
  void ContractingGroup(const Sizes& sizes);

  const Instruction& dot_;
  const std::string left_element_, right_element_, groups_element_, result_element_;
  size_t prefix_ = 0;  // dimensions of the sizes of groups in front of the groups
  std::string prefix_type_;
  std::string text_;
};

void RaggedDotProgram::Zeros(absl::string_view name, const Sizes& sizes,
                             absl::string_view element) {
  const std::string scalar = absl::StrCat(name, "_0"), type = TensorText({}, element);
  Line(scalar, "convert %zero", absl::StrCat("(", kNumber, ") -> ", type));
  Spread(name, scalar, {}, type, TensorText(sizes, element));
}

void RaggedDotProgram::InGroup(absl::string_view name, const Sizes& sizes, int64_t ragged,
                               const Sizes& dimensions) {
  const std::string numbers = TensorText(sizes, "i64"), truth = TensorText(sizes, "i1");
  const std::string compared = absl::StrCat("(", numbers, ", ", numbers, ") -> ", truth);
  const auto named = [&](absl::string_view suffix) { return absl::StrCat(name, "_", suffix); };
  Line(named("at"), absl::StrCat("iota dim = ", ragged), numbers);
  Spread(named("first"), "%start", dimensions, prefix_type_, numbers);
  Spread(named("end"), "%end", dimensions, prefix_type_, numbers);
  Line(named("ge"), absl::StrCat("compare GE, ", named("at"), ", ", named("first"), ", SIGNED"),
       compared);
  Line(named("lt"), absl::StrCat("compare LT, ", named("at"), ", ", named("end"), ", SIGNED"),
       compared);
  Line(name, absl::StrCat("and ", named("ge"), ", ", named("lt")), truth);
}

void RaggedDotProgram::Slice(absl::string_view name, absl::string_view value, Sizes sizes,
                             int64_t dimension, absl::string_view element) {
  const std::string whole = TensorText(sizes, element);
  std::vector<std::string> starts(sizes.size(), "%zero"), types(sizes.size(), std::string(kNumber));
  starts[dimension] = "%i";
  sizes[dimension] = 1;
  const std::string cut = absl::StrCat(name, "_1"), type = TensorText(sizes, element);
  Line(cut,
       absl::StrCat("dynamic_slice ", value, ", ", absl::StrJoin(starts, ", "),
                    ", sizes = ", BracketedText(sizes)),
       absl::StrCat("(", whole, ", ", absl::StrJoin(types, ", "), ") -> ", type));
  sizes.erase(sizes.begin() + dimension);
  Line(name, absl::StrCat("reshape ", cut),
       absl::StrCat("(", type, ") -> ", TensorText(sizes, element)));
}

void RaggedDotProgram::Product(absl::string_view left, absl::string_view right,
                               const Sizes& right_sizes, int64_t removed, const std::string& type) {
  const auto counted = [&](Attr attr) {
    Sizes dimensions(Ints(attr).begin(), Ints(attr).end());
    for (int64_t& d : dimensions) d -= removed >= 0 && d > removed ? 1 : 0;
    return BracketedText(dimensions);
  };
  Line("%product",
       absl::StrCat("dot_general ", left, ", ", right, ", batching_dims = ",
                    BracketedText(Ints(Attr::kLhsBatchDims)), " x ", counted(Attr::kRhsBatchDims),
                    ", contracting_dims = ", BracketedText(Ints(Attr::kLhsContractingDims)), " x ",
                    counted(Attr::kRhsContractingDims)),
       absl::StrCat("(", TensorText(SizesOfOperand(0), left_element_), ", ",
                    TensorText(right_sizes, right_element_), ") -> ", type));
}

// Each group has a part of rhs of its own.
void RaggedDotProgram::FreeGroup(const Sizes& sizes) {
  const int64_t group = Ints(Attr::kRhsGroupDims)[0];
  Sizes right = SizesOfOperand(1);
  Slice("%part", "%b", right, group, right_element_);
  right.erase(right.begin() + group);
  const std::string type = TensorText(sizes, result_element_);
  Product("%a", "%part", right, group, type);
  // The result has the batch dimensions, then those of lhs that are free, in their order.
  const absl::Span<const int64_t> batch = Ints(Attr::kLhsBatchDims);
  const int64_t ragged = Ints(Attr::kLhsRaggedDims)[0];
  int64_t position = static_cast<int64_t>(batch.size());
  for (int64_t d = 0; d < ragged; ++d) {
    position += !Holds(batch, d) && !Holds(Ints(Attr::kLhsContractingDims), d) ? 1 : 0;
  }
  Sizes dimensions;
  for (size_t d = 0; d < prefix_; ++d) dimensions.push_back(static_cast<int64_t>(d));
  InGroup("%in", sizes, position, dimensions);
  Line("%next", "select %in, %product, %sum", absl::StrCat(TensorText(sizes, "i1"), ", ", type));
}

// Each group has a part of the result of its own: what lies outside is zero in both factors.
void RaggedDotProgram::ContractingGroup(const Sizes& sizes) {
  const absl::Span<const int64_t> contracting = Ints(Attr::kLhsContractingDims);
  const int64_t ragged = Ints(Attr::kLhsRaggedDims)[0];
  const int64_t at =
      std::find(contracting.begin(), contracting.end(), ragged) - contracting.begin();
  const auto before = [&](Attr batches, Attr contracted) {
    Sizes dimensions(Ints(batches).begin(), Ints(batches).end());
    dimensions.insert(dimensions.end(), Ints(contracted).begin(), Ints(contracted).begin() + at);
    dimensions.resize(prefix_);
    return dimensions;
  };
  const Sizes left = SizesOfOperand(0), right = SizesOfOperand(1);
  Zeros("%za", left, left_element_);
  Zeros("%zb", right, right_element_);
  InGroup("%ina", left, ragged, before(Attr::kLhsBatchDims, Attr::kLhsContractingDims));
  InGroup("%inb", right, Ints(Attr::kRhsContractingDims)[at],
          before(Attr::kRhsBatchDims, Attr::kRhsContractingDims));
  Line("%ga", "select %ina, %a, %za",
       absl::StrCat(TensorText(left, "i1"), ", ", TensorText(left, left_element_)));
  Line("%gb", "select %inb, %b, %zb",
       absl::StrCat(TensorText(right, "i1"), ", ", TensorText(right, right_element_)));
  Sizes one(sizes.begin() + 1, sizes.end());
  const std::string product = TensorText(one, result_element_);
  Product("%ga", "%gb", right, -1, product);
  one.insert(one.begin(), 1);
  const std::string part = TensorText(one, result_element_);
  const std::string type = TensorText(sizes, result_element_);
  Line("%part", "reshape %product", absl::StrCat("(", product, ") -> ", part));
  std::vector<std::string> starts(sizes.size(), "%zero"), types(sizes.size(), std::string(kNumber));
  starts[0] = "%i";
  Line("%next", absl::StrCat("dynamic_update_slice %sum, %part, ", absl::StrJoin(starts, ", ")),
       absl::StrCat("(", type, ", ", part, ", ", absl::StrJoin(types, ", "), ") -> ", type));
}

std::string RaggedDotProgram::Text() {
  const Sizes sizes = SizesOf(dot_.shape()), group_sizes = SizesOfOperand(2);
  prefix_ = group_sizes.size() - 1;
  const Sizes prefix(group_sizes.begin(), group_sizes.end() - 1);
  prefix_type_ = TensorText(prefix, "i64");
  const std::string type = TensorText(sizes, result_element_);
  const std::string numbers = TensorText(group_sizes, "i64");
  const std::string given = TensorText(group_sizes, groups_element_);
  text_ = absl::StrCat("func.func @main(%a: ", TensorText(SizesOfOperand(0), left_element_),
                       ", %b: ", TensorText(SizesOfOperand(1), right_element_), ", %s: ", given,
                       ") -> ", type, " {\n");
  Line("%zero", "constant dense<0>", kNumber);
  Line("%one", "constant dense<1>", kNumber);
  Line("%groups", absl::StrCat("constant dense<", group_sizes.back(), ">"), kNumber);
  // A negative size counts as 0, and a group ends with the dimension.
  const absl::string_view wide =
      IsUnsigned(dot_.operand(2)->shape().element_type()) ? "ui64" : "i64";
  const std::string held = TensorText(group_sizes, wide);
  const int64_t most = dot_.operand(0)->shape().dimension(Ints(Attr::kLhsRaggedDims)[0]);
  Line("%wide", "convert %s", absl::StrCat("(", given, ") -> ", held));
  Line("%least", "constant dense<0>", held);
  Line("%most", absl::StrCat("constant dense<", most, ">"), held);
  Line("%held", "clamp %least, %wide, %most", held);
  Line("%sizes", "convert %held", absl::StrCat("(", held, ") -> ", numbers));
  Spread("%begin", "%zero", {}, kNumber, prefix_type_);
  Zeros("%empty", sizes, result_element_);
  absl::StrAppend(&text_, "  %w:3 = stablehlo.while(%i = %zero, %start = %begin, %sum = %empty) : ",
                  kNumber, ", ", prefix_type_, ", ", type, "\n  cond {\n");
  Line("%more", "compare LT, %i, %groups, SIGNED",
       absl::StrCat("(", kNumber, ", ", kNumber, ") -> tensor<i1>"));
  absl::StrAppend(&text_, "  stablehlo.return %more : tensor<i1>\n  } do {\n");
  Slice("%size", "%sizes", group_sizes, static_cast<int64_t>(prefix_), "i64");
  Line("%end", "add %start, %size", prefix_type_);
  if (Holds(Ints(Attr::kLhsContractingDims), Ints(Attr::kLhsRaggedDims)[0])) {
    ContractingGroup(sizes);
  } else {
    FreeGroup(sizes);
  }
  Line("%more", "add %i, %one", kNumber);
  absl::StrAppend(&text_, "  stablehlo.return %more, %end, %next : ", kNumber, ", ", prefix_type_,
                  ", ", type, "\n  }\n  return %w#2 : ", type, "\n}");
  return std::move(text_);
}

}  // namespace

// Whether an operation of CHLO becomes a composite: its arrays must have static sizes.
bool ModuleWriter::WritesComposite(const Instruction& instruction) {
  Types types;
  for (const Instruction* operand : instruction.operands()) AppendTypes(operand->shape(), &types);
  AppendTypes(instruction.shape(), &types);
  return composites_ && !decomposing_ &&
         std::find(types.begin(), types.end(), nullptr) == types.end() && IsStatic(types);
}

ModuleWriter::Node ModuleWriter::RaggedDotComposite(const Instruction& dot) {
  const auto element = [&](const Shape& shape) {
    return PrintType(*program_.Scalar(shape.element_type()));
  };
  const absl::string_view symbol = FunctionOfText(
      "chlo.ragged_dot",
      RaggedDotProgram(dot, element(dot.operand(0)->shape()), element(dot.operand(1)->shape()),
                       element(dot.operand(2)->shape()), element(dot.shape()))
          .Text());
  if (!ok()) return {};
  std::vector<const Attribute*> lists;
  for (const Attr attr : {Attr::kLhsBatchDims, Attr::kRhsBatchDims, Attr::kLhsContractingDims,
                          Attr::kRhsContractingDims, Attr::kLhsRaggedDims, Attr::kRhsGroupDims}) {
    lists.push_back(Ints(dot.GetInts(attr)));
  }
  Fields fields = {{"ragged_dot_dimension_numbers", Array(std::move(lists))}};
  std::vector<const Attribute*> precisions;
  for (const int64_t precision : dot.GetInts(Attr::kOperandPrecision)) {
    precisions.push_back(String(FindEnum("chlo.precision")->Name(precision)));
  }
  if (!precisions.empty()) fields.push_back({"precision_config", Array(std::move(precisions))});
  Fields annotations;
  AddAnnotations(dot, &annotations);
  return Leaf(EmitComposite("chlo.ragged_dot", symbol, OperandValues(dot), {TypeOf(dot.shape())},
                            std::move(fields), std::move(annotations))
                  ->result(0));
}

namespace {

// A scan's operands and leaves of its result: inputs and outputs first, then the carries.
struct ScanParts {
  std::vector<const Shape*> inputs, outputs, carries;
  std::vector<const Shape*> wanted;  // by the parameters of the body
  std::vector<const Shape*> given;   // by its results
  int64_t dimension = 0;
  int64_t steps = 0;
};

ScanParts PartsOf(const Instruction& scan) {
  ScanParts parts;
  const int64_t carries = scan.GetInt(Attr::kNumCarries);
  for (int64_t i = 0; i < scan.operand_count() - carries; ++i) {
    parts.inputs.push_back(&scan.operand(i)->shape());
  }
  for (const Shape* leaf : Leaves(scan.shape())) parts.outputs.push_back(leaf);
  const auto first = parts.outputs.end() - carries;
  parts.carries.assign(first, parts.outputs.end());
  parts.outputs.erase(first, parts.outputs.end());
  for (const Instruction* parameter : scan.to_apply()->parameters()) {
    parts.wanted.push_back(&parameter->shape());
  }
  for (const Shape* leaf : Leaves(scan.to_apply()->root()->shape())) parts.given.push_back(leaf);
  parts.dimension = scan.GetInt(Attr::kDimension);
  const Shape* counted = parts.inputs.empty() ? parts.outputs[0] : parts.inputs[0];
  parts.steps = counted->dimension(parts.dimension);
  return parts;
}

}  // namespace

Value* ModuleWriter::Converted(Value* value, const Shape& from, ElementType to) {
  if (from.element_type() == to) return value;
  return EmitOne("stablehlo.convert", {value}, Shape(to, from.dimensions()));
}

Value* ModuleWriter::Number(int64_t value) {
  return ConstantOf(Literal::Scalar(ElementType::kS64, {static_cast<uint64_t>(value), 0})).value;
}

// The body of the loop: slices of the inputs and the carries go through the scan's computation.
ModuleWriter::Values ModuleWriter::ScanStep(const Instruction& scan, const Values& inputs,
                                            const Values& state, absl::string_view body) {
  const ScanParts parts = PartsOf(scan);
  const Shape number(ElementType::kS64, {});
  Value* const zero = Number(0);
  Value* at = state[0];
  if (scan.GetBool(Attr::kIsReverse)) {
    at = EmitOne("stablehlo.subtract", {Number(parts.steps - 1), at}, number);
  }
  const auto starts = [&](Values operands, const Shape& shape) {
    for (int64_t d = 0; d < shape.rank(); ++d) {
      operands.push_back(d == parts.dimension ? at : zero);
    }
    return operands;
  };
  Values arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape& shape = *parts.inputs[i];
    Sizes sizes = SizesOf(shape);
    sizes[parts.dimension] = 1;
    Value* slice = EmitOne("stablehlo.dynamic_slice", starts({inputs[i]}, shape),
                           Shape(shape.element_type(), sizes), {{"slice_sizes", Ints(sizes)}});
    sizes.erase(sizes.begin() + parts.dimension);
    const Shape flat(shape.element_type(), sizes);
    arguments.push_back(Converted(EmitOne("stablehlo.reshape", {slice}, flat), flat,
                                  parts.wanted[i]->element_type()));
  }
  const size_t first_carry = 1 + parts.outputs.size();
  for (size_t c = 0; c < parts.carries.size(); ++c) {
    arguments.push_back(Converted(state[first_carry + c], *parts.carries[c],
                                  parts.wanted[inputs.size() + c]->element_type()));
  }
  Types types;
  for (const Shape* shape : parts.given) types.push_back(TypeOf(*shape));
  const Operation* call = Emit("func.call", arguments, types, {{"callee", Symbol(body)}});
  Values next = {EmitOne("stablehlo.add", {state[0], Number(1)}, number)};
  for (size_t k = 0; k < parts.given.size(); ++k) {
    const bool is_output = k < parts.outputs.size();
    const Shape& shape = is_output ? *parts.outputs[k] : *parts.carries[k - parts.outputs.size()];
    Value* value = Converted(call->result(k), *parts.given[k], shape.element_type());
    if (is_output) {
      Sizes sizes = SizesOf(shape);
      sizes[parts.dimension] = 1;
      value = EmitOne("stablehlo.reshape", {value}, Shape(shape.element_type(), sizes));
      value =
          EmitOne("stablehlo.dynamic_update_slice", starts({state[1 + k], value}, shape), shape);
    }
    next.push_back(value);
  }
  return next;
}

ModuleWriter::Values ModuleWriter::ScanLoop(const Instruction& scan, const Values& inputs,
                                            const Values& state, const Types& types,
                                            absl::string_view body) {
  Operation* loop = Emit("stablehlo.while", state, types);
  const auto enter = [&] {
    block_ = program_.NewBlock();
    SetNextRegion(loop, block_);
    program_.SetArguments(block_, types);
    return Values(block_->arguments.begin(), block_->arguments.end());
  };
  Values arguments = enter();
  Value* const steps = Number(PartsOf(scan).steps);
  EndRegion(
      "stablehlo.return",
      {EmitOne("stablehlo.compare", {arguments[0], steps}, Shape(ElementType::kPred, {}),
               {{"comparison_direction", Enum("stablehlo.comparison_direction",
                                              static_cast<int64_t>(ComparisonDirection::kLt))}})});
  arguments = enter();
  EndRegion("stablehlo.return", ScanStep(scan, inputs, arguments, body));
  return Values(loop->results().begin(), loop->results().end());
}

absl::string_view ModuleWriter::ScanFunction(const Instruction& scan) {
  const ScanParts parts = PartsOf(scan);
  const absl::string_view body = FunctionOf(*scan.to_apply(), /*flat=*/true);
  if (!ok()) return {};
  const Location* outer_location = std::exchange(location_, nullptr);
  Block* const outer = std::exchange(block_, program_.NewBlock());
  Block* const function = block_;
  Types operands;
  for (const Instruction* operand : scan.operands()) operands.push_back(TypeOf(operand->shape()));
  program_.SetArguments(function, operands);
  const Values given(function->arguments.begin(), function->arguments.end());
  const size_t input_count = parts.inputs.size();
  const Values inputs(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(input_count));
  Values state = {Number(0)};
  Types types = {state[0]->type()};
  for (const Shape* shape : parts.outputs) {
    Value* zero = ConstantOf(Literal::Zeros(Shape(shape->element_type(), {}))).value;
    types.push_back(TypeOf(*shape));
    state.push_back(EmitOne("stablehlo.broadcast_in_dim", {zero}, *shape,
                            {{"broadcast_dimensions", Ints({})}}));
  }
  for (size_t c = 0; c < parts.carries.size(); ++c) {
    types.push_back(TypeOf(*parts.carries[c]));
    state.push_back(Converted(given[input_count + c],
                              scan.operand(static_cast<int64_t>(input_count + c))->shape(),
                              parts.carries[c]->element_type()));
  }
  if (parts.steps > 0) state = ScanLoop(scan, inputs, state, types, body);
  block_ = function;
  state.erase(state.begin());  // the number of steps
  EndRegion("func.return", state);
  const absl::string_view symbol = NewSymbol("chlo.scan.impl");
  types.erase(types.begin());
  NewFunction(symbol, operands, function, types, "private");
  block_ = outer;
  location_ = outer_location;
  return symbol;
}

}  // namespace assay::stablehlo
