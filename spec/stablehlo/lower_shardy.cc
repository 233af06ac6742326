// Shardy: constraints and groups as custom calls that give their operand, manual computations as
// the regions that devices enter with their parts. Source: reference stablehlo_format.md 10.
// Test: lowering_test.cc.
#include "absl/strings/str_join.h"
#include "spec/stablehlo/lowering.h"
#include "spec/stablehlo/shardings.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

Instruction* Marker(OpContext& op, absl::string_view target, Shape shape, Operands operands,
                    FrontendAttributes attributes, bool side_effect) {
  AttributeList list = {{Attr::kCustomCallTarget, std::string(target)}};
  if (side_effect) list.push_back({Attr::kCustomCallHasSideEffect, true});
  Instruction* const made =
      op.Make(Opcode::kCustomCall, std::move(shape), operands, std::move(list));
  if (op.ok() && !attributes.empty()) {
    made->mutable_annotations().frontend_attributes = std::move(attributes);
  }
  return made;
}

// "<@mesh, [{"a"}]>" of a sharding as the only one of a list.
std::string OneOfList(const Attribute& sharding) {
  const std::string text = PrintAttribute(sharding);
  const size_t start = text.find('<');
  return absl::StrCat("#sdy.sharding_per_value<[",
                      start == std::string::npos ? text : text.substr(start), "]>");
}

void LowerConstraint(OpContext& op) {
  const Attribute* sharding = op.Need("sharding");
  if (sharding == nullptr) return;
  absl::StatusOr<Sharding> tiles = TilesOfShardy(*sharding, op.lowering().program());
  if (!tiles.ok()) {
    op.Fail(tiles.status().message());
    return;
  }
  Instruction* const made = Marker(op, "Sharding", op.InShape(0), op.inputs().subspan(0, 1),
                                   {{"xla.sdy.sharding", OneOfList(*sharding)}}, false);
  if (op.ok()) made->mutable_annotations().sharding = *std::move(tiles);
  op.Return(made);
}

void LowerGroup(OpContext& op) {
  Marker(op, "xla.sdy.ShardingGroup", Shape::Tuple({}), op.inputs().subspan(0, 1),
         {{"xla.sdy.sharding_group_id", absl::StrCat(op.Int("group_id"), " : i64")}}, true);
}

void LowerPropagationBarrier(OpContext& op) {
  op.Return(Marker(op, "xla.sdy.PropagationBarrier", op.InShape(0), op.inputs().subspan(0, 1),
                   {{"xla.sdy.allowed_direction", absl::StrCat(op.Int("allowed_direction"))}},
                   true));
}

void LowerIdentity(OpContext& op) { op.Return(op.In(0)); }

std::string ManualAxes(const Attribute* axes) {
  std::vector<std::string> names;
  const Attribute* list = axes == nullptr ? nullptr : axes->Find("axes");
  if (list != nullptr) {
    for (const Attribute* axis : list->elements) {
      const Attribute* name = axis->kind == AttributeKind::kRecord ? axis->Find("name") : axis;
      if (name != nullptr) names.push_back(absl::StrCat("\"", name->text, "\""));
    }
  }
  return absl::StrCat("#sdy<manual_axes{", absl::StrJoin(names, ", "), "}>");
}

// The values of several shapes that cross a border: one alone, or a tuple.
Shape Crossing(absl::Span<const Shape> shapes) {
  return shapes.size() == 1 ? shapes[0]
                            : Shape::Tuple(std::vector<Shape>(shapes.begin(), shapes.end()));
}

std::vector<Instruction*> PartsOf(OpContext& op, Instruction* value, size_t count) {
  std::vector<Instruction*> parts;
  for (size_t i = 0; i < count; ++i) {
    parts.push_back(count == 1 ? value : op.Element(value, static_cast<int64_t>(i)));
  }
  return parts;
}

void LowerManualComputation(OpContext& op) {
  const Region& region = op.operation().regions()[0];
  if (region.blocks().size() != 1 ||
      region.blocks()[0]->arguments.size() != static_cast<size_t>(op.operand_count())) {
    op.Fail("the region must be one block with an argument for each operand");
    return;
  }
  const std::string axes = ManualAxes(op.Find("manual_axes"));
  const Attribute* in = op.Need("in_shardings");
  const Attribute* out = op.Need("out_shardings");
  if (!op.ok()) return;
  Lowering::RegionParameters parameters;
  for (const Value* argument : region.blocks()[0]->arguments) {
    absl::StatusOr<Shape> shape = ShapeOfType(*argument->type());
    if (!shape.ok()) {
      op.Fail(shape.status().message(), shape.status().code());
      return;
    }
    parameters.arguments.push_back(*std::move(shape));
  }
  const Region* const one[] = {&region};
  if (!op.lowering().CapturedBy(one).empty()) {
    op.Refuse(
        "the body uses values from outside, which are not cut into parts; they have to be "
        "operands");
    return;
  }
  std::vector<Instruction*> local;
  if (!parameters.arguments.empty()) {
    Instruction* const entered = Marker(
        op, "xla.sdy.GlobalToLocalShape", Crossing(parameters.arguments), op.inputs(),
        {{"xla.sdy.in_shardings", PrintAttribute(*in)}, {"xla.sdy.manual_axes", axes}}, true);
    local = PartsOf(op, entered, parameters.arguments.size());
  }
  absl::StatusOr<Computation*> body =
      op.lowering().LowerRegion(op.operation(), region, op.scope(), parameters);
  if (!body.ok()) {
    op.Keep(body.status());
    return;
  }
  (*body)->set_name("xla.sdy.manual_computation_body");
  Instruction* const called =
      op.Make(Opcode::kCall, (*body)->root()->shape(), local, {{Attr::kToApply, *body}});
  if (!op.ok()) return;
  called->mutable_annotations().frontend_attributes["inlineable"] = "false";
  const auto count = static_cast<size_t>(op.result_count());
  if (count == 0) return;
  const std::vector<Instruction*> results = PartsOf(op, called, count);
  std::vector<Shape> shapes;
  for (size_t i = 0; i < count; ++i) shapes.push_back(op.OutShape(static_cast<int64_t>(i)));
  Instruction* const left = Marker(
      op, "xla.sdy.LocalToGlobalShape", Crossing(shapes), results,
      {{"xla.sdy.manual_axes", axes}, {"xla.sdy.out_shardings", PrintAttribute(*out)}}, true);
  op.ReturnAll(left, count > 1);
}

// A group of operations under a name: it runs where it stands.
void LowerNamedComputation(OpContext& op) {
  const Region& region = op.operation().regions()[0];
  if (region.blocks().size() != 1 ||
      region.blocks()[0]->arguments.size() != static_cast<size_t>(op.operand_count())) {
    op.Fail("the region must be one block with an argument for each operand");
    return;
  }
  const Block& block = *region.blocks()[0];
  for (size_t i = 0; i < block.arguments.size(); ++i) {
    op.scope().values[block.arguments[i]] = op.In(static_cast<int64_t>(i));
  }
  absl::StatusOr<std::vector<Instruction*>> results = op.lowering().LowerBlock(op.scope(), block);
  if (!results.ok()) {
    op.Keep(results.status());
    return;
  }
  if (results->size() != static_cast<size_t>(op.result_count())) {
    op.Fail("the region must return a value for each result");
    return;
  }
  for (size_t i = 0; i < results->size(); ++i) op.ReturnAt(static_cast<int64_t>(i), (*results)[i]);
}

constexpr Handler kShardy[] = {
    {"sdy.sharding_constraint", 1, 1, 0, LowerConstraint},
    {"sdy.reshard", 1, 1, 0, LowerConstraint},
    {"sdy.sharding_group", 1, 0, 0, LowerGroup},
    {"sdy.propagation_barrier", 1, 1, 0, LowerPropagationBarrier},
    {"sdy.manual_computation", 0, 0, 1, LowerManualComputation},
    {"sdy.named_computation", 0, 0, 1, LowerNamedComputation},
    // Of values as a whole these only change where the parts, or the terms of a sum, lie.
    {"sdy.all_gather", 1, 1, 0, LowerIdentity},
    {"sdy.all_reduce", 1, 1, 0, LowerIdentity},
    {"sdy.all_slice", 1, 1, 0, LowerIdentity},
    {"sdy.all_to_all", 1, 1, 0, LowerIdentity},
    {"sdy.collective_permute", 1, 1, 0, LowerIdentity},
    {"sdy.data_flow_edge", 1, 1, 0, LowerIdentity},
    {"sdy.func_data_flow_edge", 1, 1, 0, LowerIdentity},
    {"sdy.reduce_scatter", 1, 1, 0, LowerIdentity},
    {"sdy.replicated_to_unreduced", 1, 1, 0, LowerIdentity},
    {"sdy.sharded_to_unreduced", 1, 1, 0, LowerIdentity},
};

}  // namespace

absl::Span<const Handler> ShardyHandlers() { return kShardy; }

}  // namespace assay::stablehlo
