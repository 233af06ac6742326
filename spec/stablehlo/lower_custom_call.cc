// Custom calls: plain ones, those that stand for operations, and those of exports with dynamic
// shapes. Source: reference stablehlo_format.md 8.3, 8.6. Test: lowering_test.cc.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "spec/element/element.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/lowering.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

// The computation of the function that the call names; null where it names none.
Computation* CalledComputation(OpContext& op) {
  const Attribute* called = op.Find("called_computations");
  if (called == nullptr || called->elements.empty()) return nullptr;
  if (called->elements.size() > 1) {
    op.Refuse("calls more than one computation; HLO has custom calls of one");
    return nullptr;
  }
  const absl::string_view symbol = called->elements[0]->text;
  const Operation* function = op.lowering().program().FindFunction(symbol);
  if (function == nullptr || function->regions().empty() ||
      function->regions()[0].blocks().empty()) {
    op.Fail(absl::StrCat("there is no function @", symbol, " with a body"));
    return nullptr;
  }
  std::vector<std::unique_ptr<Instruction>> shapes;  // operands that only have a shape
  std::vector<Instruction*> operands;
  for (const Value* argument : function->regions()[0].blocks()[0]->arguments) {
    absl::StatusOr<Shape> shape = ShapeOfType(*argument->type());
    if (!shape.ok()) {
      op.Fail(shape.status().message(), shape.status().code());
      return nullptr;
    }
    shapes.push_back(std::make_unique<Instruction>(Opcode::kParameter, *std::move(shape)));
    operands.push_back(shapes.back().get());
  }
  absl::StatusOr<Computation*> made = op.lowering().Function(*function, operands);
  if (made.ok()) return *made;
  op.Keep(made.status());
  return nullptr;
}

bool SetLayout(const Attribute& layout, Shape* shape) {
  const std::optional<std::vector<int64_t>> order = IntsOf(layout);
  if (!order) return false;
  if (!shape->is_array()) return true;
  if (!IsPermutation(*order, shape->rank())) return false;
  Layout plain;
  plain.minor_to_major.assign(order->begin(), order->end());
  shape->set_layout(std::move(plain));
  return true;
}

// Both lists of layouts, or none.
// `sizes`: the operands that are sizes, which the target does not have.
void AddLayouts(OpContext& op, const std::vector<int64_t>& sizes, std::vector<Shape>* results,
                AttributeList* attributes) {
  const Attribute* of_operands = op.Find("operand_layouts");
  const Attribute* of_results = op.Find("result_layouts");
  if (of_operands == nullptr || of_results == nullptr) return;
  const bool listed =
      of_operands->kind == AttributeKind::kArray && of_results->kind == AttributeKind::kArray;
  const auto operands = static_cast<int64_t>(of_operands->elements.size());
  if (!listed || operands != op.operand_count()) {
    if (operands != 0) op.Fail("operand_layouts must have a layout for each operand");
    return;
  }
  std::vector<Shape> constraints;
  for (int64_t i = 0; i < operands; ++i) {
    if (std::find(sizes.begin(), sizes.end(), i) != sizes.end()) continue;
    constraints.push_back(op.InShape(i));
    if (!SetLayout(*of_operands->elements[i], &constraints.back())) {
      op.Fail(
          absl::StrCat("the layout of operand ", i, " does not fit ", op.InShape(i).ToString()));
    }
  }
  std::vector<Shape*> places;
  if (results->size() == 1 && (*results)[0].is_tuple()) {
    for (Shape& part : (*results)[0].mutable_tuple_shapes()) places.push_back(&part);
  } else {
    for (Shape& result : *results) places.push_back(&result);
  }
  for (size_t i = 0; i < places.size() && i < of_results->elements.size(); ++i) {
    if (!SetLayout(*of_results->elements[i], places[i])) {
      op.Fail(absl::StrCat("the layout of result ", i, " does not fit ", places[i]->ToString()));
    }
  }
  attributes->push_back({Attr::kOperandLayoutConstraints, std::move(constraints)});
}

ShapeIndex IndexIn(OpContext& op, const Attribute* record, absl::string_view field) {
  const std::vector<int64_t> values = op.FieldInts(record, field);
  return ShapeIndex(values.begin(), values.end());
}

// The number that an operand has among those of the target.
int64_t TargetNumber(OpContext& op, const std::vector<int64_t>& sizes, int64_t operand) {
  int64_t number = operand;
  for (int64_t i = 0; i < std::min(operand, op.operand_count()); ++i) {
    number -= std::find(sizes.begin(), sizes.end(), i) != sizes.end();
  }
  if (std::find(sizes.begin(), sizes.end(), operand) != sizes.end()) {
    op.Fail(absl::StrCat("output_operand_aliases names operand ", operand,
                         ", which is the sizes of a result"));
  }
  return number;
}

void AddAliases(OpContext& op, absl::string_view target, const std::vector<int64_t>& sizes,
                AttributeList* attributes) {
  OutputOperandAliases aliases;
  if (const Attribute* list = op.Find("output_operand_aliases")) {
    for (const Attribute* alias : list->elements) {
      aliases.push_back({IndexIn(op, alias, "output_tuple_indices"),
                         TargetNumber(op, sizes, op.FieldInt(alias, "operand_index")),
                         IndexIn(op, alias, "operand_tuple_indices")});
    }
  }
  if (aliases.empty() && (target == "Pin" || target == "Unpin")) aliases.push_back({});
  if (!aliases.empty()) {
    attributes->push_back({Attr::kOutputToOperandAliasing, std::move(aliases)});
  }
}

// The configuration and the version of the interface that goes with it.
std::string Configuration(OpContext& op, int64_t* version) {
  const Attribute* config = op.Find("backend_config");
  const Attribute* typed = op.Find("mhlo.backend_config");
  if (typed != nullptr) {
    const bool empty =
        config == nullptr || (config->kind == AttributeKind::kString && config->text.empty());
    if (typed->kind != AttributeKind::kDictionary || !empty || (*version != 1 && *version != 4)) {
      op.Refuse(
          "mhlo.backend_config must be a dictionary beside an empty backend_config and the "
          "original version of the interface");
      return "";
    }
    *version = 4;
    return PrintAttribute(*typed);
  }
  if (config == nullptr) return "";
  if (config->kind == AttributeKind::kString) return std::string(config->text);
  if (config->kind == AttributeKind::kDictionary) {
    if (*version != 4) {
      op.Fail(absl::StrCat("a dictionary as backend_config needs api_version 4, found ", *version));
    }
    return PrintAttribute(*config);
  }
  op.Fail("backend_config must be a string or a dictionary");
  return "";
}

// The arrays that are returned, tuples as their leaves.
std::vector<Shape*> ArraysOf(std::vector<Shape>& results) {
  std::vector<Shape*> arrays, open;
  for (auto result = results.rbegin(); result != results.rend(); ++result) {
    open.push_back(&*result);
  }
  while (!open.empty()) {
    Shape* const shape = open.back();
    open.pop_back();
    if (!shape->is_tuple()) {
      arrays.push_back(shape);
      continue;
    }
    std::vector<Shape>& parts = shape->mutable_tuple_shapes();
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) open.push_back(&*part);
  }
  return arrays;
}

// The numbers of the operands that are the sizes of the arrays that are returned, one for each
// (indices_of_shape_operands). Gives arrays of unknown sizes these. Empty where the attribute is
// absent or fits neither results nor operands: it then says nothing.
std::vector<int64_t> TakeSizes(OpContext& op, std::vector<Shape>* results) {
  const std::vector<int64_t> indices = op.IntsOr("indices_of_shape_operands", {});
  const std::vector<Shape*> arrays = ArraysOf(*results);
  const bool fits = arrays.size() == indices.size() &&
                    std::all_of(indices.begin(), indices.end(), [&](int64_t index) {
                      return index >= 0 && index < op.operand_count();
                    });
  if (!fits) return {};
  for (size_t i = 0; op.ok() && i < arrays.size(); ++i) {
    Shape& array = *arrays[i];
    const std::optional<std::vector<int64_t>> sizes = op.KnownInts(indices[i]);
    if (!HasUnboundedDimension(array) || !sizes) continue;
    if (static_cast<int64_t>(sizes->size()) != array.rank() ||
        std::any_of(sizes->begin(), sizes->end(), [](int64_t size) { return size < 0; })) {
      op.Fail(absl::StrCat("operand ", indices[i], " must be the sizes of ", array.ToString()));
      return indices;
    }
    array = Shape(array.element_type(), *sizes);
  }
  return indices;
}

// The operands that the target has: those of sizes are there for the program only.
std::vector<Instruction*> TargetOperands(OpContext& op, const std::vector<int64_t>& sizes) {
  std::vector<Instruction*> operands;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (std::find(sizes.begin(), sizes.end(), i) == sizes.end()) operands.push_back(op.In(i));
  }
  return operands;
}

void MakeCustomCall(OpContext& op, const std::string& target) {
  int64_t version = op.IntOr("api_version", 1);
  const std::string config = Configuration(op, &version);
  std::vector<Shape> results;
  for (int64_t i = 0; i < op.result_count(); ++i) results.push_back(op.OutShape(i));
  const std::vector<int64_t> sizes = TakeSizes(op, &results);
  for (size_t i = 0; op.ok() && i < results.size(); ++i) {
    if (HasUnboundedDimension(results[i])) {
      op.Refuse(absl::StrCat("the sizes of result ", i, " of the custom call @", target,
                             " are not known"));
    }
  }
  AttributeList attributes = {{Attr::kCustomCallTarget, target}, {Attr::kApiVersion, version}};
  if (op.BoolOr("has_side_effect", false)) {
    attributes.push_back({Attr::kCustomCallHasSideEffect, true});
  }
  AddLayouts(op, sizes, &results, &attributes);
  AddAliases(op, target, sizes, &attributes);
  if (Computation* called = CalledComputation(op)) {
    attributes.push_back({Attr::kCalledComputations, std::vector<Computation*>{called}});
  }
  if (const Attribute* value = op.Find("mhlo.literal")) {
    absl::StatusOr<Literal> literal = LiteralOfDense(*value);
    if (literal.ok()) {
      attributes.push_back({Attr::kLiteral, std::make_shared<const Literal>(*literal)});
    }
  }
  const bool one = results.size() == 1;
  Instruction* const made = op.Make(Opcode::kCustomCall, one ? results[0] : Shape::Tuple(results),
                                    TargetOperands(op, sizes), std::move(attributes));
  if (!op.ok()) return;
  made->mutable_annotations().backend_config = config;
  // What golden's own targets read.
  if (const Attribute* message = op.Find("error_message")) {
    made->mutable_annotations().frontend_attributes["mhlo.attributes"] =
        absl::StrCat("{error_message = ", PrintAttribute(*message), "}");
  }
  op.ReturnAll(made, !one);
}

// An assertion about sizes: it is decided here where all are known.
void LowerShapeAssertion(OpContext& op) {
  const Literal* condition = op.operand_count() == 0 ? nullptr : op.lowering().KnownValue(op.In(0));
  if (condition == nullptr || !IsPred(condition->element_type())) {
    MakeCustomCall(op, "shape_assertion");
    return;
  }
  if (condition->Get(0).bits != 0) return;
  std::vector<std::pair<std::string, std::string>> numbers;
  for (int64_t i = 1; i < op.operand_count(); ++i) {
    const std::optional<std::vector<int64_t>> value = op.KnownInts(i);
    numbers.emplace_back(absl::StrCat("{", i - 1, "}"),
                         value && value->size() == 1 ? absl::StrCat((*value)[0]) : "?");
  }
  op.Fail(absl::StrReplaceAll(op.StringOr("error_message", "the sizes do not fit"), numbers));
}

// Sizes as operands behind the inputs: window, strides, dilations, paddings.
void LowerDynamicReduceWindow(OpContext& op) {
  const int64_t inputs = (op.operand_count() - 5) / 2;
  if (op.operand_count() != 2 * inputs + 5 || op.result_count() != inputs || inputs < 1) {
    op.Fail("takes inputs, initial values and five lists of sizes");
    return;
  }
  std::vector<int64_t> lists[5];
  for (int64_t i = 0; i < 5; ++i) {
    std::optional<std::vector<int64_t>> values = op.KnownInts(2 * inputs + i);
    if (!values) {
      op.Refuse(absl::StrCat("operand ", 2 * inputs + i, " is not known before the program runs"));
      return;
    }
    lists[i] = *std::move(values);
  }
  const size_t rank = lists[0].size();
  const bool fits = lists[1].size() == rank && lists[2].size() == rank && lists[3].size() == rank &&
                    lists[4].size() == 2 * rank;
  Computation* const reducer = CalledComputation(op);
  if (!op.ok()) return;
  if (!fits || reducer == nullptr) {
    op.Fail("the lists of sizes must be equally long, and there must be a called computation");
    return;
  }
  Window window;
  for (size_t d = 0; d < rank; ++d) {
    window.dimensions.push_back({lists[0][d], lists[1][d], lists[4][2 * d], lists[4][2 * d + 1],
                                 lists[3][d], lists[2][d], false});
  }
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < inputs; ++i) shapes.push_back(op.OutShape(i));
  Instruction* const made = op.Make(
      Opcode::kReduceWindow, inputs == 1 ? shapes[0] : Shape::Tuple(shapes),
      op.inputs().subspan(0, 2 * inputs), {{Attr::kWindow, window}, {Attr::kToApply, reducer}});
  op.ReturnAll(made, inputs > 1);
}

// The shape of the random bits is the second operand.
void LowerDynamicRandomBits(OpContext& op) {
  const std::optional<std::vector<int64_t>> sizes = op.KnownInts(1);
  if (!sizes || op.result_count() != 2) {
    op.Refuse("the shape of the result is not known before the program runs");
    return;
  }
  const Shape bits(op.OutShape(1).element_type(), *sizes);
  Instruction* const both = op.Make(Opcode::kRngBitGenerator, Shape::Tuple({op.InShape(0), bits}),
                                    {op.In(0)}, {{Attr::kRngAlgorithm, op.Int("rng_algorithm")}});
  op.ReturnAll(both, true);
}

void LowerDynamicTopK(OpContext& op) {
  const std::optional<std::vector<int64_t>> k = op.KnownInts(1);
  const Shape& x = op.InShape(0);
  if (!k || k->size() != 1 || x.rank() < 1 || (*k)[0] < 0 || (*k)[0] > x.dimension(x.rank() - 1)) {
    op.Refuse("k must be known before the program runs, and no more than the last dimension");
    return;
  }
  Shape values(x.element_type(), x.dimensions());
  values.set_dimension(values.rank() - 1, (*k)[0]);
  const Shape indices(ElementType::kS32, values.dimensions());
  op.ReturnAll(op.Make(Opcode::kTopK, Shape::Tuple({values, indices}), {op.In(0)},
                       {{Attr::kK, (*k)[0]}, {Attr::kLargest, true}}),
               true);
}

// @mhlo.topk and the like stand for the operation; its attributes are in mhlo.attributes.
bool StandsForOperation(OpContext& op, absl::string_view target) {
  const bool of_dialect = absl::StartsWith(target, "mhlo.") || absl::StartsWith(target, "chlo.");
  const Attribute* attributes = op.Find("mhlo.attributes");
  const Handler* handler = FindHandler(target);
  const bool by_row = FindDialectOp(target) != nullptr;
  if (!of_dialect || (attributes == nullptr && op.Find("mhlo.version") == nullptr) ||
      (handler == nullptr && !by_row)) {
    return false;
  }
  static const Attribute* const nothing = [] {
    auto* empty = new Attribute();
    empty->kind = AttributeKind::kDictionary;
    return empty;
  }();
  op.TakeAttributesFrom(attributes == nullptr ? nothing : attributes);
  op.Rename(std::string(target));
  Dispatch(op);
  return true;
}

void LowerCustomCall(OpContext& op) {
  const std::string target = op.StringOr("call_target_name");
  if (target.empty()) {
    op.Fail("needs a call_target_name");
  } else if (target == "shape_assertion") {
    LowerShapeAssertion(op);
  } else if (target == "stablehlo.shape_refinement_operand_wrapper") {
    op.Return(op.In(0));
  } else if (target == "stablehlo.dynamic_reduce_window" && op.operand_count() > 6) {
    LowerDynamicReduceWindow(op);
  } else if (target == "stablehlo.dynamic_rng_bit_generator" && op.operand_count() == 2) {
    LowerDynamicRandomBits(op);
  } else if (target == "stablehlo.dynamic_top_k" && op.operand_count() == 2) {
    LowerDynamicTopK(op);
  } else if (!LowerCheckCall(op, target) && !StandsForOperation(op, target)) {
    MakeCustomCall(op, target);
  }
}

constexpr Handler kCustomCalls[] = {
    {"custom_call", 0, 0, 0, LowerCustomCall},
};

}  // namespace

absl::Span<const Handler> CustomCallHandlers() { return kCustomCalls; }

}  // namespace assay::stablehlo
