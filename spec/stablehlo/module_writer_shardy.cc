// Shardy's annotations as its dialect: HLO has them as frontend attributes (xla.sdy.*) and as
// custom calls that mark places. The counterpart of lower_shardy.cc and annotations.cc; artifacts
// hold them as HLO does. What does not have the form in which the reader makes it stays as it is.
// Test: from_module_test.cc.
#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "spec/stablehlo/module_writer.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

constexpr absl::string_view kSharding = "xla.sdy.sharding";

bool IsCall(const Instruction& instruction, absl::string_view target) {
  return instruction.opcode() == Opcode::kCustomCall &&
         instruction.GetString(Attr::kCustomCallTarget) == target;
}

// The text of a frontend attribute; "" where there is none.
std::string TextOf(const Instruction& instruction, absl::string_view key) {
  if (!instruction.has_annotations()) return "";
  const FrontendAttributes& attributes = instruction.annotations().frontend_attributes;
  const auto found = attributes.find(std::string(key));
  return found == attributes.end() ? "" : found->second;
}

// The only sharding of #sdy.sharding_per_value<[<..>]>, or the sharding itself; else null.
const Attribute* OnlySharding(const Attribute* attribute) {
  if (attribute == nullptr || attribute->kind != AttributeKind::kRecord) return nullptr;
  if (attribute->name == "sdy.sharding") return attribute;
  const Attribute* const list = attribute->Find("shardings");
  return list != nullptr && list->elements.size() == 1 ? list->elements[0] : nullptr;
}

// Whether the operands of `user` are the value `source`, or its parts in their order. Adds the
// instructions that take the parts.
bool TakesPartsOf(const Instruction& user, const Instruction& source,
                  absl::flat_hash_set<const Instruction*>* takers) {
  if (!source.shape().is_tuple()) return user.operand_count() == 1 && user.operand(0) == &source;
  if (user.operand_count() != static_cast<int64_t>(source.shape().tuple_shapes().size())) {
    return false;
  }
  for (int64_t i = 0; i < user.operand_count(); ++i) {
    const Instruction& part = *user.operand(i);
    if (part.opcode() != Opcode::kGetTupleElement || part.operand(0) != &source ||
        part.GetInt(Attr::kIndex) != i) {
      return false;
    }
    takers->insert(&part);
  }
  return true;
}

// What an operand is, or is a part of.
const Instruction* SourceOf(const Instruction& user) {
  if (user.operand_count() == 0) return nullptr;
  const Instruction* const operand = user.operand(0);
  return operand->opcode() == Opcode::kGetTupleElement ? operand->operand(0) : operand;
}

}  // namespace

const Attribute* ModuleWriter::ShardyAttribute(const std::string& text) {
  if (text.empty()) return nullptr;
  absl::StatusOr<const Attribute*> attribute = ParseAttribute(program_, text);
  return attribute.ok() ? *attribute : nullptr;
}

FrontendAttributes ModuleWriter::WriteMeshes() {
  FrontendAttributes rest = module_.frontend_attributes;
  const auto meshes = rest.find("xla.sdy.meshes");
  const Attribute* const dictionary =
      shardy_ && meshes != rest.end() ? ShardyAttribute(meshes->second) : nullptr;
  shardy_ = dictionary != nullptr && dictionary->kind == AttributeKind::kDictionary &&
            std::all_of(dictionary->fields.begin(), dictionary->fields.end(), [](const auto& mesh) {
              return mesh.value->kind == AttributeKind::kRecord && mesh.value->name == "sdy.mesh";
            });
  if (!shardy_) return rest;
  block_ = module_block_;
  for (const NamedAttribute& mesh : dictionary->fields) {
    symbols_.insert(std::string(mesh.name));
    Emit("sdy.mesh", {}, {}, {{"mesh", mesh.value}, {"sym_name", String(mesh.name)}});
  }
  rest.erase(meshes);
  for (const auto& computation : module_.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (IsCall(*instruction, "xla.sdy.LocalToGlobalShape")) {
        FindManualComputation(*computation, *instruction);
      }
    }
  }
  FindResultShardings();
  return rest;
}

// A manual computation is a call between two markers. Nobody else uses the values between them.
void ModuleWriter::FindManualComputation(const Computation& computation, const Instruction& left) {
  const Instruction* const call = SourceOf(left);
  if (call == nullptr || call->opcode() != Opcode::kCall) return;
  absl::flat_hash_set<const Instruction*> inside = {call};
  if (!TakesPartsOf(left, *call, &inside)) return;
  Manual manual;
  manual.call = call;
  manual.axes = ShardyAttribute(TextOf(left, "xla.sdy.manual_axes"));
  manual.out = ShardyAttribute(TextOf(left, "xla.sdy.out_shardings"));
  if (call->operand_count() == 0) {
    manual.in = Record("sdy.sharding_per_value", {{"shardings", Array({})}});
  } else {
    manual.entered = SourceOf(*call);
    if (!IsCall(*manual.entered, "xla.sdy.GlobalToLocalShape") ||
        !TakesPartsOf(*call, *manual.entered, &inside)) {
      return;
    }
    inside.insert(manual.entered);
    manual.in = ShardyAttribute(TextOf(*manual.entered, "xla.sdy.in_shardings"));
  }
  if (manual.axes == nullptr || manual.in == nullptr || manual.out == nullptr) return;
  if (inside.contains(computation.root())) return;
  for (const auto& user : computation.instructions()) {
    if (user.get() == &left || inside.contains(user.get())) continue;
    const bool uses = std::any_of(user->operands().begin(), user->operands().end(),
                                  [&](const Instruction* one) { return inside.contains(one); });
    if (uses) return;
  }
  for (const Instruction* instruction : inside) inside_manual_.insert(instruction);
  manual_.emplace(&left, manual);
}

// The sharding of a result is a marker that only the root uses.
void ModuleWriter::FindResultShardings() {
  const Computation& entry = *module_.entry();
  const Instruction* const root = entry.root();
  const bool is_tuple = root->opcode() == Opcode::kTuple && root->operand_count() != 1;
  const std::vector<const Instruction*> results =
      is_tuple ? std::vector<const Instruction*>(root->operands().begin(), root->operands().end())
               : std::vector<const Instruction*>{root};
  for (const Instruction* result : results) {
    if (!IsCall(*result, "xla.sdy.FuncResultSharding")) continue;
    const bool used = std::any_of(
        entry.instructions().begin(), entry.instructions().end(), [&](const auto& user) {
          return user.get() != root && std::find(user->operands().begin(), user->operands().end(),
                                                 result) != user->operands().end();
        });
    const Attribute* const sharding = OnlySharding(ShardyAttribute(TextOf(*result, kSharding)));
    if (!used && sharding != nullptr) result_shardings_.emplace(result, sharding);
  }
}

FrontendAttributes ModuleWriter::AddShardy(const Instruction& instruction, Fields* fields) {
  FrontendAttributes rest = instruction.annotations().frontend_attributes;
  if (!shardy_) return rest;
  for (const absl::string_view name : {"sdy.sharding", "sdy.sharding_rule"}) {
    const auto found = rest.find("xla." + std::string(name));
    const Attribute* value = found == rest.end() ? nullptr : ShardyAttribute(found->second);
    if (value == nullptr) continue;
    // That of an argument is the sharding itself.
    if (instruction.opcode() == Opcode::kParameter) value = OnlySharding(value);
    if (value == nullptr) continue;
    fields->push_back({name, value});
    rest.erase(found);
  }
  return rest;
}

bool ModuleWriter::WriteShardyCall(const Instruction& call, Node* node) {
  if (!shardy_) return false;
  size_t next = 0;
  if (inside_manual_.contains(&call)) {
    *node = FromLeaves(call.shape(), {}, &next);
    return true;
  }
  if (result_shardings_.contains(&call)) {
    *node = NodeOf(call.operand(0));
    return true;
  }
  const auto manual = manual_.find(&call);
  if (manual != manual_.end()) {
    *node = ManualComputation(call, manual->second);
    return true;
  }
  if (call.operand_count() != 1 || !call.operand(0)->shape().is_array()) return false;
  Value* const operand = OperandValue(call, 0);
  int64_t number = 0;
  std::string text = TextOf(call, "xla.sdy.sharding_group_id");
  if (IsCall(call, "xla.sdy.ShardingGroup") && call.shape().is_tuple() &&
      absl::SimpleAtoi(absl::StripSuffix(text, " : i64"), &number)) {
    Emit("sdy.sharding_group", {operand}, {}, {{"group_id", Int(number)}});
    *node = FromLeaves(call.shape(), {}, &next);
    return true;
  }
  if (!call.shape().is_array()) return false;
  text = TextOf(call, "xla.sdy.allowed_direction");
  if (IsCall(call, "xla.sdy.PropagationBarrier") && absl::SimpleAtoi(text, &number)) {
    *node = Leaf(EmitOne("sdy.propagation_barrier", {operand}, call.shape(),
                         {{"allowed_direction", Int(number, ElementType::kS32)}}));
    return true;
  }
  const Attribute* const sharding = OnlySharding(ShardyAttribute(TextOf(call, kSharding)));
  if (!IsCall(call, "Sharding") || sharding == nullptr) return false;
  *node =
      Leaf(EmitOne("sdy.sharding_constraint", {operand}, call.shape(), {{"sharding", sharding}}));
  return true;
}

ModuleWriter::Node ModuleWriter::ManualComputation(const Instruction& left, const Manual& manual) {
  Values operands;
  if (manual.entered != nullptr) operands = OperandValues(*manual.entered);
  Types results;
  AppendTypes(left.shape(), &results);
  Operation* const op = Emit(
      "sdy.manual_computation", operands, results,
      {{"in_shardings", manual.in}, {"manual_axes", manual.axes}, {"out_shardings", manual.out}});
  AddRegion(op, *manual.call->GetComputation(Attr::kToApply), "sdy.return");
  return AllOf(op, left.shape());
}

}  // namespace assay::stablehlo
