#include "spec/stablehlo/from_module.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/elementwise_info.h"
#include "spec/stablehlo/constraints.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/module_writer.h"
#include "spec/text/printer.h"

namespace assay::stablehlo {
namespace {

constexpr int kDeepestRegions = 200;

// The operation of StableHLO or CHLO that means the same as an opcode without attributes but its
// accuracy; null where there is none.
const DialectOp* PlainRow(Opcode opcode) {
  static const auto* rows = [] {
    auto* made = new absl::flat_hash_map<Opcode, const DialectOp*>;
    for (const DialectOp& op : DialectOps()) {
      const bool accuracy_only =
          op.attributes.empty() ||
          (op.attributes.size() == 1 && op.attributes[0].name == "result_accuracy");
      if (op.dialect() == "stablehlo" && op.hlo >= 0 && accuracy_only && op.regions == 0) {
        made->try_emplace(static_cast<Opcode>(op.hlo), &op);
      }
    }
    for (const ElementwiseInfo& row : ElementwiseCatalogue()) {
      const DialectOp* op =
          FindDialectOp(absl::StrCat("chlo.", absl::StrReplaceAll(Name(row.opcode), {{"-", "_"}})));
      if (op != nullptr) made->try_emplace(row.opcode, op);
    }
    return made;
  }();
  const auto it = rows->find(opcode);
  return it == rows->end() ? nullptr : it->second;
}

bool ByName(const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; }

}  // namespace

ModuleWriter::Node ModuleWriter::Refuse(const Instruction& instruction, absl::string_view why) {
  if (status_.ok()) {
    status_ = absl::UnimplementedError(
        absl::StrCat(instruction.Describe(), " has no equivalent in StableHLO: ", why));
  }
  return {};
}

absl::Status ModuleWriter::Write() {
  most_operations_ = 100000 + 100 * module_.instruction_count();
  module_block_ = program_.NewBlock();
  const FrontendAttributes frontend = WriteMeshes();
  Fields attributes = {{"mhlo.num_partitions", Int(module_.num_partitions, ElementType::kS32)},
                       {"mhlo.num_replicas", Int(module_.replica_count, ElementType::kS32)},
                       {"sym_name", String(module_.name())}};
  if (!frontend.empty()) {
    attributes.insert(attributes.begin(), {"mhlo.frontend_attributes", StringDictionary(frontend)});
  }
  AddAliases(&attributes);
  AddLayouts(&attributes);
  AddPartitioning(&attributes);
  std::sort(attributes.begin(), attributes.end(), ByName);
  OperationParts parts;
  parts.name = program_.NameOf("builtin.module");
  parts.attributes = program_.NewAttributes(attributes);
  parts.regions = 1;
  program_.module = program_.NewOperation(parts);
  program_.SetBlocks(program_.module, 0, {module_block_});
  WriteEntry();
  return status_;
}

void ModuleWriter::WriteEntry() {
  const Computation& entry = *module_.entry();
  Block* block = program_.NewBlock();
  block_ = block;
  Types inputs;
  std::vector<Node> arguments;
  std::vector<const Attribute*> attributes;
  std::vector<const Location*> locations;
  bool annotated = false;
  for (const Instruction* parameter : entry.parameters()) {
    const Type* type = TypeOf(parameter->shape());
    if (type == nullptr) {
      Refuse(*parameter, absl::StrCat("values of type ", parameter->shape().ToString()));
      return;
    }
    inputs.push_back(type);
    Fields fields;
    AddAnnotations(*parameter, &fields);
    AddBufferAttributes(*parameter, &fields);
    locations.push_back(NameOfParameter(*parameter));
    annotated |= !fields.empty();
    attributes.push_back(Dictionary(std::move(fields)));
  }
  program_.SetArguments(block, inputs, locations);
  // Functions may be added while the body is written; the entry comes last.
  for (const Instruction* parameter : entry.parameters()) {
    arguments.push_back(
        Unpack(block->arguments[parameter->parameter_number()], parameter->shape()));
  }
  const Node root = WriteComputation(entry, std::move(arguments));
  if (!ok()) return;
  const Types results = ResultTypes(entry.root()->shape());
  block_ = block;
  EndRegion("func.return", ResultValues(root));
  Fields fields;
  if (annotated) fields.push_back({"arg_attrs", Array(std::move(attributes))});
  std::vector<const Attribute*> of_results;
  bool any = false;
  for (Fields& result : ResultFields(results.size())) {
    any |= !result.empty();
    of_results.push_back(Dictionary(std::move(result)));
  }
  if (any) fields.push_back({"res_attrs", Array(std::move(of_results))});
  NewFunction("main", inputs, block, results, "public", std::move(fields));
}

void ModuleWriter::NewFunction(absl::string_view symbol, const Types& inputs, Block* block,
                               const Types& results, absl::string_view visibility, Fields fields) {
  Type type;
  type.kind = TypeKind::kFunction;
  type.input_count = static_cast<int32_t>(inputs.size());
  type.types = inputs;
  type.types.insert(type.types.end(), results.begin(), results.end());
  fields.insert(fields.end(), {{"function_type", TypeAttribute(program_.Intern(std::move(type)))},
                               {"sym_name", String(symbol)},
                               {"sym_visibility", String(visibility)}});
  std::sort(fields.begin(), fields.end(), ByName);
  OperationParts parts;
  parts.name = program_.NameOf("func.func");
  parts.attributes = program_.NewAttributes(fields);
  parts.regions = 1;
  Operation* function = program_.NewOperation(parts);
  program_.SetBlocks(function, 0, {block});
  program_.Append(module_block_, function);
}

absl::string_view ModuleWriter::NewSymbol(absl::string_view name) {
  std::string symbol(name);
  for (int i = 1; !symbols_.insert(symbol).second; ++i) symbol = absl::StrCat(name, ".", i);
  return program_.Intern(symbol);
}

absl::string_view ModuleWriter::FunctionOf(const Computation& computation, bool flat) {
  const auto known = functions_.find({&computation, flat});
  if (known != functions_.end()) return known->second;
  const absl::string_view name = NewSymbol(computation.name());
  functions_.emplace(std::pair(&computation, flat), name);
  Block* outer = std::exchange(block_, program_.NewBlock());
  Block* block = block_;
  Types inputs, results;
  std::vector<Node> arguments;
  for (const Instruction* parameter : computation.parameters()) {
    Types types;
    if (flat) {
      AppendTypes(parameter->shape(), &types);
    } else {
      types.push_back(TypeOf(parameter->shape()));
    }
    if (std::find(types.begin(), types.end(), nullptr) != types.end()) {
      Refuse(*parameter, absl::StrCat("values of type ", parameter->shape().ToString()));
      return name;
    }
    inputs.insert(inputs.end(), types.begin(), types.end());
  }
  program_.SetArguments(block, inputs);
  const Values values(block->arguments.begin(), block->arguments.end());
  size_t next = 0;
  for (const Instruction* parameter : computation.parameters()) {
    arguments.push_back(flat ? FromLeaves(parameter->shape(), values, &next)
                             : Unpack(values[next++], parameter->shape()));
  }
  const Node root = WriteComputation(computation, std::move(arguments));
  if (!ok()) return name;
  Values returned;
  if (flat) {
    AppendLeaves(root, &returned);
    AppendTypes(computation.root()->shape(), &results);
  } else {
    returned = ResultValues(root);
    results = ResultTypes(computation.root()->shape());
  }
  EndRegion("func.return", returned);
  NewFunction(name, inputs, block, results, "private");
  block_ = outer;
  return name;
}

ModuleWriter::Node ModuleWriter::WriteComputation(const Computation& computation,
                                                  std::vector<Node> arguments) {
  if (depth_ == kDeepestRegions) {
    return Refuse(*computation.root(), "computations are nested too deeply for regions");
  }
  ++depth_;
  absl::flat_hash_map<const Instruction*, Node> outer, outer_started;
  std::swap(outer, nodes_);
  std::swap(outer_started, started_);
  for (const auto& instruction : computation.instructions()) {
    if (!ok()) break;
    if (instruction->opcode() == Opcode::kParameter) {
      nodes_[instruction.get()] = arguments[instruction->parameter_number()];
      continue;
    }
    if (++operations_ > most_operations_) {
      status_ = absl::ResourceExhaustedError(absl::StrCat(
          "the module calls its computations so often that the StableHLO program, ",
          "which has a copy for each, would have more than ", most_operations_, " operations"));
      break;
    }
    const Location* outer_location = std::exchange(location_, LocationOf(*instruction));
    Node node = WriteInstruction(*instruction);
    location_ = outer_location;
    nodes_[instruction.get()] = std::move(node);
  }
  Node root = ok() ? nodes_[computation.root()] : Node();
  std::swap(outer, nodes_);
  std::swap(outer_started, started_);
  --depth_;
  return root;
}

ModuleWriter::Node ModuleWriter::WriteInstruction(const Instruction& instruction) {
  static const auto* handlers = [] {
    auto* made = new absl::flat_hash_map<Opcode, Handler>;
    for (const absl::Span<const HandlerRow> rows : {ArrayHandlers(), ControlHandlers()}) {
      for (const HandlerRow& row : rows) made->emplace(row.opcode, row.handler);
    }
    return made;
  }();
  // What starts may have parts that nobody but its end sees.
  const bool starts =
      instruction.shape().is_tuple() && absl::EndsWith(instruction.info().name, "-start");
  for (const Shape* leaf : starts ? std::vector<const Shape*>() : Leaves(instruction.shape())) {
    if (TypeOf(*leaf) == nullptr) {
      return Refuse(instruction, absl::StrCat("values of type ", leaf->ToString()));
    }
  }
  const auto it = handlers->find(instruction.opcode());
  if (it != handlers->end()) return (this->*it->second)(instruction);
  const DialectOp* row = PlainRow(instruction.opcode());
  if (row == nullptr) return Refuse(instruction, "there is no such operation");
  Fields fields;
  AddAccuracy(instruction, &fields);
  if (!fields.empty() && row->attributes.empty()) {
    return Refuse(instruction, "the accuracy of a result can only be asked of other functions");
  }
  if (row->dialect() != "chlo") return One(row->name, instruction, std::move(fields));
  Fields annotations;
  AddAnnotations(instruction, &annotations);
  const Operation* op = EmitChlo(row->name, OperandValues(instruction),
                                 {TypeOf(instruction.shape())}, std::move(fields), annotations);
  return Leaf(op->result(0));
}

// Operations.

Operation* ModuleWriter::Emit(absl::string_view name, const Values& operands, Types results,
                              Fields attributes, size_t branches) {
  for (const Type*& type : results) {
    if (type != nullptr) continue;
    if (ok()) {
      status_ =
          absl::UnimplementedError(absl::StrCat("StableHLO has no type for a value of ", name));
    }
    type = program_.Scalar(ElementType::kF32);
  }
  std::sort(attributes.begin(), attributes.end(), ByName);
  OperationParts parts;
  parts.name = program_.NameOf(name);
  parts.operands = operands;
  parts.results = results;
  parts.attributes = program_.NewAttributes(attributes);
  const int regions = parts.name->row == nullptr ? 0 : parts.name->row->regions;
  parts.regions = regions == kVariadicRegions ? branches : static_cast<size_t>(regions);
  parts.location = location_;
  Operation* op = program_.NewOperation(parts);
  program_.Append(block_, op);
  return op;
}

Value* ModuleWriter::EmitOne(absl::string_view name, const Values& operands, const Shape& result,
                             Fields attributes) {
  return Emit(name, operands, {TypeOf(result)}, std::move(attributes))->result(0);
}

ModuleWriter::Node ModuleWriter::One(absl::string_view name, const Instruction& instruction,
                                     Fields attributes) {
  AddAnnotations(instruction, &attributes);
  return Leaf(
      EmitOne(name, OperandValues(instruction), instruction.shape(), std::move(attributes)));
}

ModuleWriter::Node ModuleWriter::AllOf(const Operation* op, const Shape& shape) {
  size_t next = 0;
  return FromLeaves(shape, Values(op->results().begin(), op->results().end()), &next);
}

void ModuleWriter::EndRegion(absl::string_view terminator, const Values& values) {
  Emit(terminator, values, {});
}

void ModuleWriter::SetNextRegion(Operation* op, Block* block) {
  size_t region = 0;
  while (!op->regions()[region].blocks().empty()) ++region;
  program_.SetBlocks(op, region, {block});
}

void ModuleWriter::AddRegion(Operation* op, const Computation& computation,
                             absl::string_view terminator) {
  Block* outer = std::exchange(block_, program_.NewBlock());
  SetNextRegion(op, block_);
  Types types;
  for (const Instruction* parameter : computation.parameters()) {
    AppendTypes(parameter->shape(), &types);
    if (std::find(types.begin(), types.end(), nullptr) != types.end()) {
      Refuse(*parameter, absl::StrCat("values of type ", parameter->shape().ToString()));
      block_ = outer;
      return;
    }
  }
  program_.SetArguments(block_, types);
  const Values values(block_->arguments.begin(), block_->arguments.end());
  std::vector<Node> arguments;
  size_t next = 0;
  for (const Instruction* parameter : computation.parameters()) {
    arguments.push_back(FromLeaves(parameter->shape(), values, &next));
  }
  const Node root = WriteComputation(computation, std::move(arguments));
  Values results;
  AppendLeaves(root, &results);
  EndRegion(terminator, results);
  block_ = outer;
}

void ModuleWriter::AddCapturingRegion(Operation* op, const Computation& computation,
                                      Node argument) {
  Block* outer = std::exchange(block_, program_.NewBlock());
  SetNextRegion(op, block_);
  const Node root = WriteComputation(computation, {std::move(argument)});
  Values results;
  AppendLeaves(root, &results);
  EndRegion("stablehlo.return", results);
  block_ = outer;
}

// Nodes.

Value* ModuleWriter::OperandValue(const Instruction& instruction, int64_t i) {
  return InOneType(instruction, i, Whole(NodeOf(instruction.operand(i))));
}

ModuleWriter::Values ModuleWriter::OperandValues(const Instruction& instruction) {
  Values values;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    values.push_back(OperandValue(instruction, i));
  }
  return values;
}

Value* ModuleWriter::Whole(const Node& node) {
  if (node.value != nullptr) return node.value;
  Values parts;
  Type type;
  type.kind = TypeKind::kTuple;
  for (const Node& part : node.parts) {
    parts.push_back(Whole(part));
    type.types.push_back(parts.back()->type());
  }
  return Emit("stablehlo.tuple", parts, {program_.Intern(std::move(type))})->result(0);
}

void ModuleWriter::AppendLeaves(const Node& node, Values* leaves) const {
  if (!node.is_tuple) {
    leaves->push_back(node.value);
    return;
  }
  for (const Node& part : node.parts) AppendLeaves(part, leaves);
}

ModuleWriter::Node ModuleWriter::FromLeaves(const Shape& shape, const Values& leaves,
                                            size_t* next) const {
  if (!shape.is_tuple()) {
    return Leaf(*next < leaves.size() ? leaves[(*next)++] : nullptr);
  }
  Node node;
  node.is_tuple = true;
  for (const Shape& part : shape.tuple_shapes()) {
    node.parts.push_back(FromLeaves(part, leaves, next));
  }
  return node;
}

// The parts of a tuple that is one value.
ModuleWriter::Node ModuleWriter::Unpack(Value* value, const Shape& shape) {
  Node node = Leaf(value);
  node.is_tuple = shape.is_tuple();
  int64_t index = 0;
  for (const Shape& part : shape.is_tuple() ? shape.tuple_shapes() : absl::Span<const Shape>()) {
    Value* element = EmitOne("stablehlo.get_tuple_element", {value}, part,
                             {{"index", Int(index++, ElementType::kS32)}});
    node.parts.push_back(Unpack(element, part));
  }
  return node;
}

void ModuleWriter::AppendTypes(const Shape& shape, Types* types) {
  for (const Shape* leaf : Leaves(shape)) types->push_back(TypeOf(*leaf));
}

ModuleWriter::Values ModuleWriter::ResultValues(const Node& node) {
  if (!node.is_tuple || node.parts.size() == 1) return {Whole(node)};
  Values values;
  for (const Node& part : node.parts) values.push_back(Whole(part));
  return values;
}

ModuleWriter::Types ModuleWriter::ResultTypes(const Shape& shape) {
  if (!shape.is_tuple() || shape.tuple_shapes().size() == 1) return {TypeOf(shape)};
  Types types;
  for (const Shape& part : shape.tuple_shapes()) types.push_back(TypeOf(part));
  return types;
}

// Null for what StableHLO has no type for: opaque values, integers of one bit.
const Type* ModuleWriter::TypeOf(const Shape& shape) {
  Type type;
  if (shape.is_token()) {
    type.kind = TypeKind::kToken;
  } else if (shape.is_tuple()) {
    type.kind = TypeKind::kTuple;
    for (const Shape& part : shape.tuple_shapes()) {
      type.types.push_back(TypeOf(part));
      if (type.types.back() == nullptr) return nullptr;
    }
  } else if (shape.is_array() || shape.is_buffer()) {
    const Shape& array = shape.is_buffer() ? shape.tuple_shape(0) : shape;
    const ElementType element = array.element_type();
    if (element == ElementType::kS1 || element == ElementType::kU1 || !array.is_array()) {
      return nullptr;
    }
    type.kind = shape.is_buffer() ? TypeKind::kMemref : TypeKind::kTensor;
    type.types = {program_.Scalar(element)};
    for (int64_t d = 0; d < array.rank(); ++d) {
      const bool unbounded = array.is_unbounded_dimension(d);
      const bool dynamic = unbounded || array.is_dynamic_dimension(d);
      type.dimensions.push_back(dynamic ? kDynamic : array.dimension(d));
      type.bounds.push_back(dynamic && !unbounded ? array.dimension(d) : kDynamic);
    }
    if (std::count(type.bounds.begin(), type.bounds.end(), kDynamic) ==
        static_cast<int64_t>(type.bounds.size())) {
      type.bounds.clear();
    }
  } else {
    return nullptr;
  }
  return program_.Intern(std::move(type));
}

absl::StatusOr<std::unique_ptr<Program>> FromModule(const Module& module,
                                                    absl::Span<const std::string> result_names,
                                                    ChloForm chlo, Forms forms) {
  auto program = std::make_unique<Program>();
  ModuleWriter writer(module, *program, result_names, chlo, forms);
  if (absl::Status status = writer.Write(); !status.ok()) return status;
  // HLO allows what StableHLO forbids, such as regions of other types than their operands.
  if (const std::optional<Violation> violation = FindViolation(*program)) {
    return absl::UnimplementedError(
        absl::StrCat("no equivalent in StableHLO: ", violation->operation->name(), " would break ",
                     violation->message));
  }
  return program;
}

}  // namespace assay::stablehlo
