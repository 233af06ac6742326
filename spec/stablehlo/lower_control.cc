// Control flow: branches and loops with the values that they capture, calls, composites.
// Source: reference stablehlo_format.md 8.1 to 8.4. Test: to_module_test.cc.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "spec/stablehlo/lowering.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

// One value, or a tuple of none or several.
Instruction* Packed(OpContext& op, Operands values) {
  return values.size() == 1 ? values[0] : op.TupleOf(values);
}

// The branches of `if` and `case` take what they capture as their operand.
void LowerBranches(OpContext& op) {
  const absl::Span<const Region> regions = op.operation().regions();
  std::vector<Instruction*> operands = {op.In(0)};
  std::vector<Computation*> branches;
  for (const Region& region : regions) {
    const Region* const one[] = {&region};
    Lowering::RegionParameters parameters;
    parameters.captured = op.lowering().CapturedBy(one);
    parameters.one_tuple = true;
    const std::vector<Instruction*> values = op.ValuesOf(parameters.captured);
    if (!op.ok()) return;
    parameters.values.assign(values.begin(), values.end());
    absl::StatusOr<Computation*> branch =
        op.lowering().LowerRegion(op.operation(), region, op.scope(), parameters);
    if (!branch.ok()) {
      op.Keep(branch.status());
      return;
    }
    branches.push_back(*branch);
    operands.push_back(Packed(op, values));
  }
  const Shape shape = branches[0]->root()->shape();
  const bool by_predicate = IsPred(op.InShape(0).element_type());
  if (by_predicate && branches.size() != 2) {
    op.Fail("a condition chooses between two branches");
    return;
  }
  if (!by_predicate) operands[0] = op.Convert(operands[0], ElementType::kS32);
  AttributeList attributes;
  if (by_predicate) {
    attributes = {{Attr::kTrueComputation, branches[0]}, {Attr::kFalseComputation, branches[1]}};
  } else {
    attributes = {{Attr::kBranchComputations, branches}};
  }
  Instruction* const made = op.Make(Opcode::kConditional, shape, operands, std::move(attributes));
  op.ReturnAll(made, op.result_count() != 1);
}

// The loop carries its operands, then what condition and body capture, which the body passes on.
void LowerWhile(OpContext& op) {
  const Region& condition = op.operation().regions()[0];
  const Region& body = op.operation().regions()[1];
  if (op.result_count() != op.operand_count()) {
    op.Fail("gives a result for each operand");
    return;
  }
  const Region* const both[] = {&condition, &body};
  Lowering::RegionParameters parameters;
  parameters.captured = op.lowering().CapturedBy(both);
  parameters.one_tuple = true;
  const std::vector<Instruction*> captured = op.ValuesOf(parameters.captured);
  if (!op.ok()) return;
  parameters.values.assign(captured.begin(), captured.end());
  std::vector<Instruction*> carried(op.inputs().begin(), op.inputs().end());
  for (const Instruction* operand : carried) parameters.arguments.push_back(operand->shape());
  carried.insert(carried.end(), captured.begin(), captured.end());
  absl::StatusOr<Computation*> tested =
      op.lowering().LowerRegion(op.operation(), condition, op.scope(), parameters);
  parameters.passed_on = parameters.captured;
  absl::StatusOr<Computation*> repeated =
      op.lowering().LowerRegion(op.operation(), body, op.scope(), parameters);
  for (const auto* made : {&tested, &repeated}) {
    if (!made->ok()) op.Keep(made->status());
  }
  if (!op.ok()) return;
  Instruction* const init = Packed(op, carried);
  Instruction* const made = op.Make(Opcode::kWhile, init->shape(), {init},
                                    {{Attr::kCondition, *tested}, {Attr::kBody, *repeated}});
  if (carried.size() == 1) {
    if (op.result_count() == 1) op.Return(made);
    return;
  }
  op.ReturnAll(made, true);
}

// The call of a function; known values of its results stay known.
Instruction* Call(OpContext& op, absl::string_view symbol, AttributeList attributes) {
  const Operation* function = op.lowering().program().FindFunction(symbol);
  if (function == nullptr) {
    op.Fail(absl::StrCat("there is no function @", symbol));
    return nullptr;
  }
  if (!function->regions().empty() && !function->regions()[0].blocks().empty()) {
    const auto& arguments = function->regions()[0].blocks()[0]->arguments;
    for (size_t i = 0; i < std::min(arguments.size(), op.inputs().size()); ++i) {
      const std::string why = AgainstDeclared(*arguments[i]->type(), op.inputs()[i]->shape());
      if (why.empty()) continue;
      op.Fail(absl::StrCat("argument ", i, " of @", symbol, " is declared as ", why));
      return nullptr;
    }
  }
  absl::StatusOr<Computation*> callee = op.lowering().Function(*function, op.inputs());
  if (!callee.ok()) {
    op.Keep(callee.status());
    return nullptr;
  }
  attributes.push_back({Attr::kToApply, *callee});
  Instruction* const root = (*callee)->root();
  Instruction* const made =
      op.Make(Opcode::kCall, root->shape(), op.inputs(), std::move(attributes));
  if (!op.ok()) return nullptr;
  const int64_t results = op.result_count();
  const bool is_tuple = results != 1;
  const auto count = static_cast<int64_t>(root->shape().tuple_shapes().size());
  if (is_tuple && count != results) {
    op.Fail(absl::StrCat("@", symbol, " returns ", count, " values, not ", results));
    return nullptr;
  }
  op.ReturnAll(made, is_tuple);
  for (int64_t i = 0; op.lowering().computes_sizes() && op.ok() && i < results; ++i) {
    const Instruction* inner = is_tuple ? root->operand(i) : root;
    if (is_tuple && root->opcode() != Opcode::kTuple) break;
    if (const Literal* known = op.lowering().KnownValue(inner)) {
      op.lowering().SetKnownValue(op.result(i), Literal(*known));
    }
  }
  return made;
}

void LowerCall(OpContext& op) {
  Instruction* const made = Call(op, op.StringOr("callee"), {});
  const Attribute* frontend = op.Find("mhlo.frontend_attributes");
  const Attribute* config = frontend == nullptr ? nullptr : frontend->Find("backend_config");
  if (made != nullptr && config != nullptr) {
    made->mutable_annotations().backend_config = std::string(config->text);
  }
}

bool IsOperationOfChlo(absl::string_view name) {
  static constexpr absl::string_view kNames[] = {"acos", "acosh", "asin",  "asinh",      "atanh",
                                                 "cosh", "erf",   "mulhi", "ragged_dot", "scan",
                                                 "sinh", "tan",   "top_k"};
  return absl::ConsumePrefix(&name, "chlo.") &&
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// A composite is its decomposition, but where it stands for an operation of CHLO.
void LowerComposite(OpContext& op) {
  const std::string name = op.StringOr("name");
  const int64_t version = op.IntOr("version", 0);
  if (version == 1 && IsOperationOfChlo(name)) {
    static const Attribute* const nothing = [] {
      auto* empty = new Attribute();
      empty->kind = AttributeKind::kDictionary;
      return empty;
    }();
    const Attribute* attributes = op.Find("composite_attributes");
    op.TakeAttributesFrom(attributes == nullptr ? nothing : attributes);
    op.Rename(name);
    Dispatch(op);
    return;
  }
  if (!op.operation().regions().empty()) {
    op.Refuse("composites with regions have no counterpart in HLO");
    return;
  }
  const Attribute* attributes = op.Find("composite_attributes");
  Instruction* const made = Call(op, op.StringOr("decomposition"), {{Attr::kIsComposite, true}});
  if (made == nullptr) return;
  FrontendAttributes& frontend = made->mutable_annotations().frontend_attributes;
  frontend["composite.name"] = name;
  frontend["composite.attributes"] = attributes == nullptr ? "{}" : PrintAttribute(*attributes);
  frontend["composite.version"] = absl::StrCat(version);
}

void LowerBarrier(OpContext& op) {
  if (op.operand_count() == 0) return;
  Instruction* const value = Packed(op, op.inputs());
  op.ReturnAll(op.Make(Opcode::kOptimizationBarrier, value->shape(), {value}),
               op.operand_count() > 1);
}

void LowerTuple(OpContext& op) { op.Return(op.TupleOf(op.inputs())); }

void LowerGetTupleElement(OpContext& op) { op.Return(op.Element(op.In(0), op.Int("index"))); }

// Side effects that a value has to wait for; the value stays itself.
void LowerTrace(OpContext&) {}

constexpr Handler kControl[] = {
    {"if", 1, 0, 2, LowerBranches},
    {"case", 1, 0, 1, LowerBranches},
    {"while", 0, 0, 2, LowerWhile},
    {"func.call", 0, 0, 0, LowerCall},
    {"call", 0, 0, 0, LowerCall},
    {"composite", 0, 0, 0, LowerComposite},
    {"optimization_barrier", 0, 0, 0, LowerBarrier},
    {"tuple", 0, 1, 0, LowerTuple},
    {"get_tuple_element", 1, 1, 0, LowerGetTupleElement},
    {"trace", 0, 0, 0, LowerTrace},
};

}  // namespace

absl::Span<const Handler> ControlHandlers() { return kControl; }

}  // namespace assay::stablehlo
