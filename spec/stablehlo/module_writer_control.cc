// Control flow, collectives, asynchronous operations and the host, as ModuleWriter makes them.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/stablehlo/constraints.h"
#include "spec/stablehlo/module_writer.h"
#include "spec/stablehlo/text.h"
#include "spec/text/printer.h"

namespace assay::stablehlo {
namespace {

// Channels between a device and the host have types of their own.
constexpr int64_t kDeviceToDevice = 1, kDeviceToHost = 2, kHostToDevice = 3;

// "{{0,1},{1,0}}"
std::vector<std::vector<int64_t>> PairsIn(absl::string_view text) {
  std::vector<std::vector<int64_t>> pairs;
  std::vector<int64_t> numbers;
  for (absl::string_view part : absl::StrSplit(text, absl::ByAnyChar("{}, "), absl::SkipEmpty())) {
    int64_t number;
    if (absl::SimpleAtoi(part, &number)) numbers.push_back(number);
  }
  for (size_t i = 0; i + 1 < numbers.size(); i += 2) pairs.push_back({numbers[i], numbers[i + 1]});
  return pairs;
}

}  // namespace

ModuleWriter::Node ModuleWriter::Same(const Instruction& instruction) {
  return NodeOf(instruction.operand(0));
}

ModuleWriter::Node ModuleWriter::Tuple(const Instruction& instruction) {
  Node node;
  node.is_tuple = true;
  for (const Instruction* operand : instruction.operands()) node.parts.push_back(NodeOf(operand));
  return node;
}

ModuleWriter::Node ModuleWriter::GetTupleElement(const Instruction& instruction) {
  const Node& tuple = NodeOf(instruction.operand(0));
  const int64_t index = instruction.GetInt(Attr::kIndex);
  if (index >= static_cast<int64_t>(tuple.parts.size())) {
    return Refuse(instruction, "it takes a part of what an asynchronous operation started");
  }
  return tuple.parts[index];
}

// A composite keeps its name and attributes. One that is named like an operation of CHLO would be
// read as that operation, and the module means the decomposition.
bool ModuleWriter::AddComposite(const Instruction& call, absl::string_view symbol, Fields* fields) {
  if (call.opcode() != Opcode::kCall || !call.GetBool(Attr::kIsComposite)) return false;
  FrontendAttributes frontend = call.annotations().frontend_attributes;
  const std::string name = frontend["composite.name"];
  int32_t version;
  if (name.empty() || absl::StartsWith(name, "chlo.") ||
      !absl::SimpleAtoi(frontend["composite.version"], &version)) {
    return false;
  }
  absl::StatusOr<const Attribute*> attributes =
      ParseAttribute(program_, frontend["composite.attributes"]);
  if (!attributes.ok() || (*attributes)->kind != AttributeKind::kDictionary) return false;
  *fields = {{"composite_attributes", *attributes},
             {"decomposition", Symbol(symbol)},
             {"name", String(name)},
             {"version", Int(version, ElementType::kS32)}};
  for (const absl::string_view own : {"attributes", "name", "version"}) {
    frontend.erase(absl::StrCat("composite.", own));
  }
  if (!frontend.empty()) {
    fields->push_back({"mhlo.frontend_attributes", StringDictionary(frontend)});
  }
  if (const auto& sharding = call.annotations().sharding) {
    fields->push_back({"mhlo.sharding", String(PrintSharding(*sharding, false))});
  }
  return true;
}

// Calls and fusions: private functions of leaves.
ModuleWriter::Node ModuleWriter::Call(const Instruction& instruction) {
  Node shardy;
  if (WriteShardyCall(instruction, &shardy)) return shardy;
  const Computation* callee = instruction.GetComputation(
      instruction.opcode() == Opcode::kCall ? Attr::kToApply : Attr::kCalls);
  const absl::string_view symbol = FunctionOf(*callee, /*flat=*/true);
  if (!ok()) return {};
  Values operands;
  for (const Instruction* operand : instruction.operands())
    AppendLeaves(NodeOf(operand), &operands);
  Types results;
  AppendTypes(callee->root()->shape(), &results);
  Fields fields;
  if (AddComposite(instruction, symbol, &fields)) {
    return AllOf(Emit("stablehlo.composite", operands, results, std::move(fields)),
                 instruction.shape());
  }
  fields.push_back({"callee", Symbol(symbol)});
  AddAnnotations(instruction, &fields);
  return AllOf(Emit("func.call", operands, results, std::move(fields)), instruction.shape());
}

ModuleWriter::Node ModuleWriter::While(const Instruction& instruction) {
  Values operands;
  AppendLeaves(NodeOf(instruction.operand(0)), &operands);
  Types results;
  AppendTypes(instruction.shape(), &results);
  Operation* op = Emit("stablehlo.while", operands, results);
  AddRegion(op, *instruction.GetComputation(Attr::kCondition));
  AddRegion(op, *instruction.GetComputation(Attr::kBody));
  return AllOf(op, instruction.shape());
}

// The branches see what they take from outside.
ModuleWriter::Node ModuleWriter::Conditional(const Instruction& instruction) {
  Types results;
  AppendTypes(instruction.shape(), &results);
  const bool is_if = IsPred(instruction.operand(0)->shape().element_type());
  Operation* op = Emit(is_if ? "stablehlo.if" : "stablehlo.case", {OperandValue(instruction, 0)},
                       results, {}, instruction.called_computations().size());
  int64_t operand = 1;
  for (const Computation* branch : instruction.called_computations()) {
    if (!ok()) return {};
    AddCapturingRegion(op, *branch, NodeOf(instruction.operand(operand++)));
  }
  return AllOf(op, instruction.shape());
}

ModuleWriter::Node ModuleWriter::Barrier(const Instruction& instruction) {
  Values operands;
  AppendLeaves(NodeOf(instruction.operand(0)), &operands);
  Types results;
  AppendTypes(instruction.shape(), &results);
  return AllOf(Emit("stablehlo.optimization_barrier", operands, results), instruction.shape());
}

// A barrier orders the value behind the token.
ModuleWriter::Node ModuleWriter::AddDependency(const Instruction& instruction) {
  Values operands;
  AppendLeaves(NodeOf(instruction.operand(0)), &operands);
  const size_t leaves = operands.size();
  AppendLeaves(NodeOf(instruction.operand(1)), &operands);
  Types types;
  for (const Value* operand : operands) types.push_back(operand->type());
  const Operation* op = Emit("stablehlo.optimization_barrier", operands, types);
  size_t next = 0;
  return FromLeaves(instruction.shape(),
                    Values(op->results().begin(), op->results().begin() + leaves), &next);
}

// StableHLO joins tokens alone. An array orders nothing that has a side effect of its own.
ModuleWriter::Node ModuleWriter::AfterAll(const Instruction& instruction) {
  Values operands;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (instruction.operand(i)->shape().is_token()) {
      operands.push_back(OperandValue(instruction, i));
    }
  }
  return Leaf(EmitOne(operands.empty() ? "stablehlo.create_token" : "stablehlo.after_all", operands,
                      instruction.shape()));
}

ModuleWriter::Node ModuleWriter::Id(const Instruction& instruction) {
  return One(instruction.opcode() == Opcode::kReplicaId ? "stablehlo.replica_id"
                                                        : "stablehlo.partition_id",
             instruction);
}

// Collectives. Those that start give the value at once; whoever awaits it takes it.

ModuleWriter::Node ModuleWriter::Started(const Instruction& instruction, Node result) {
  started_[&instruction] = std::move(result);
  return {};
}

ModuleWriter::Node ModuleWriter::Done(const Instruction& instruction) {
  const Instruction* start = instruction.operand(0);
  while (start->opcode() == Opcode::kAsyncUpdate) start = start->operand(0);
  const auto future = futures_.find(start);
  if (future != futures_.end()) {
    Types results;
    AppendTypes(instruction.shape(), &results);
    return AllOf(Emit("stablehlo.async_done", {future->second}, results), instruction.shape());
  }
  const auto it = started_.find(start);
  if (it == started_.end()) return Refuse(instruction, "its start is not in this computation");
  return it->second;
}

ModuleWriter::Node ModuleWriter::None(const Instruction&) { return {}; }

ModuleWriter::Node ModuleWriter::Start(const Instruction& instruction) {
  static constexpr HandlerRow kStarts[] = {
      {Opcode::kAllGatherStart, &ModuleWriter::AllGather},
      {Opcode::kAllReduceStart, &ModuleWriter::AllReduce},
      {Opcode::kAsyncStart, &ModuleWriter::AsyncStart},
      {Opcode::kCollectivePermuteStart, &ModuleWriter::CollectivePermute}};
  const auto* row = std::find_if(std::begin(kStarts), std::end(kStarts), [&](const auto& one) {
    return one.opcode == instruction.opcode();
  });
  if (asynchronous_ && StartInRegion(instruction, row->handler)) return {};
  return (this->*row->handler)(instruction);
}

// The region sees its operands as arguments and has one operation. False, with nothing written, for
// what is more than that.
bool ModuleWriter::StartInRegion(const Instruction& instruction, Handler write) {
  Values operands;
  Types types;
  std::vector<Node> outside;
  for (const Instruction* operand : instruction.operands()) {
    if (!operand->shape().is_array()) return false;
    outside.push_back(NodeOf(operand));
    operands.push_back(outside.back().value);
    types.push_back(operands.back()->type());
  }
  Block* const body = program_.NewBlock();
  Block* const outer = std::exchange(block_, body);
  program_.SetArguments(body, types);
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    nodes_[instruction.operand(i)] = Leaf(body->arguments[i]);
  }
  (this->*write)(instruction);
  const Node result = ok() ? started_[&instruction] : Node();
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    nodes_[instruction.operand(i)] = outside[i];
  }
  Values leaves;
  AppendLeaves(result, &leaves);
  const Operation* const only = body->operations.size() == 1 ? body->operations[0].get() : nullptr;
  const bool is_one = only != nullptr && MayBeAsynchronous(only->name()) &&
                      leaves == Values(only->results().begin(), only->results().end());
  if (is_one) EndRegion("stablehlo.return", leaves);
  block_ = outer;
  if (!ok() || !is_one) return false;
  Type future;
  future.kind = TypeKind::kFuture;
  for (const Value* leaf : leaves) future.types.push_back(leaf->type());
  Operation* const start =
      Emit("stablehlo.async_start", operands, {program_.Intern(std::move(future))});
  program_.SetBlocks(start, 0, {body});
  futures_[&instruction] = start->result(0);
  return true;
}

ModuleWriter::Node ModuleWriter::AsyncStart(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kCopyStart) {
    return Started(instruction, NodeOf(instruction.operand(0)));
  }
  const Computation* callee = instruction.GetComputation(Attr::kCalls);
  std::vector<Node> arguments;
  for (const Instruction* operand : instruction.operands()) arguments.push_back(NodeOf(operand));
  return Started(instruction, WriteComputation(*callee, std::move(arguments)));
}

ModuleWriter::Node ModuleWriter::AllGather(const Instruction& instruction) {
  const bool starts = instruction.opcode() == Opcode::kAllGatherStart;
  const Shape& shape = starts ? instruction.shape().tuple_shape(1) : instruction.shape();
  Fields fields = {{"all_gather_dim", Int(instruction.GetInt(Attr::kDimension))}};
  if (!AddDevices(instruction, &fields)) return {};
  Types results;
  AppendTypes(shape, &results);
  const Operation* op =
      Emit("stablehlo.all_gather", OperandValues(instruction), results, std::move(fields));
  Node node = AllOf(op, shape);
  return starts ? Started(instruction, std::move(node)) : node;
}

ModuleWriter::Node ModuleWriter::AllReduce(const Instruction& instruction) {
  Fields fields;
  if (!AddDevices(instruction, &fields)) return {};
  Types results;
  AppendTypes(instruction.shape(), &results);
  Operation* op =
      Emit("stablehlo.all_reduce", OperandValues(instruction), results, std::move(fields));
  AddRegion(op, *instruction.to_apply());
  Node node = AllOf(op, instruction.shape());
  return instruction.opcode() == Opcode::kAllReduceStart ? Started(instruction, std::move(node))
                                                         : node;
}

ModuleWriter::Node ModuleWriter::ReduceScatter(const Instruction& instruction) {
  Fields fields = {{"scatter_dimension", Int(instruction.GetInt(Attr::kDimension))}};
  if (!AddDevices(instruction, &fields)) return {};
  Types results;
  AppendTypes(instruction.shape(), &results);
  const Values operands = OperandValues(instruction);
  Values made;
  for (size_t i = 0; i < operands.size(); ++i) {  // an operation for each
    Operation* op = Emit("stablehlo.reduce_scatter", {operands[i]}, {results[i]}, fields);
    AddRegion(op, *instruction.to_apply());
    made.push_back(op->result(0));
  }
  size_t next = 0;
  return FromLeaves(instruction.shape(), made, &next);
}

ModuleWriter::Node ModuleWriter::AllToAll(const Instruction& instruction) {
  const std::optional<int64_t> dimension = instruction.FindInt(Attr::kDimension);
  if (!dimension.has_value()) return ExchangeOperands(instruction);
  Fields fields = {{"split_dimension", Int(*dimension)}, {"concat_dimension", Int(*dimension)}};
  AddChannel(instruction, &fields);
  std::vector<std::vector<int64_t>> groups;
  if (!AddGroups(instruction, &fields, &groups)) return {};
  const bool of_partitions = instruction.FindInt(Attr::kChannelId).has_value();
  const int64_t all = of_partitions ? module_.num_partitions : module_.replica_count;
  const int64_t size = groups.empty() ? all : static_cast<int64_t>(groups[0].size());
  fields.push_back({"split_count", Int(size)});
  return One("stablehlo.all_to_all", instruction, std::move(fields));
}

ModuleWriter::Node ModuleWriter::CollectivePermute(const Instruction& instruction) {
  if (instruction.HasAttribute(Attr::kSliceSizesList)) {
    return Refuse(instruction, "it writes parts in place");
  }
  const bool starts = instruction.opcode() == Opcode::kCollectivePermuteStart;
  const Shape& shape = starts ? instruction.shape().tuple_shape(1) : instruction.shape();
  const auto* pairs =
      instruction.attributes().Get<std::vector<std::vector<int64_t>>>(Attr::kSourceTargetPairs);
  Fields fields = {{"source_target_pairs", Matrix(*pairs, 2)}};
  AddChannel(instruction, &fields);
  AddAnnotations(instruction, &fields);
  Values made;
  for (Value* operand : OperandValues(instruction)) {  // an operation for each
    made.push_back(
        Emit("stablehlo.collective_permute", {operand}, {operand->type()}, fields)->result(0));
  }
  size_t next = 0;
  Node node = FromLeaves(shape, made, &next);
  return starts ? Started(instruction, std::move(node)) : node;
}

ModuleWriter::Node ModuleWriter::CollectiveBroadcast(const Instruction& instruction) {
  Fields fields;
  AddChannel(instruction, &fields);
  if (!AddGroups(instruction, &fields)) return {};
  AddAnnotations(instruction, &fields);
  if (instruction.GetBool(Attr::kHasDynamicRoot)) {
    fields.push_back({"has_dynamic_root", program_.NewAttribute(AttributeKind::kUnit)});
    Types results;
    AppendTypes(instruction.shape(), &results);
    return AllOf(Emit("stablehlo.collective_broadcast", OperandValues(instruction), results,
                      std::move(fields)),
                 instruction.shape());
  }
  Values made;
  for (Value* operand : OperandValues(instruction)) {  // an operation for each
    made.push_back(
        Emit("stablehlo.collective_broadcast", {operand}, {operand->type()}, fields)->result(0));
  }
  size_t next = 0;
  return FromLeaves(instruction.shape(), made, &next);
}

// The host.

ModuleWriter::Node ModuleWriter::Infeed(const Instruction& instruction) {
  const Shape& data = instruction.shape().tuple_shape(0);
  Types results;
  AppendTypes(instruction.shape(), &results);
  Fields fields;
  const std::string& config = instruction.GetString(Attr::kInfeedConfig);
  if (!config.empty()) fields.push_back({"infeed_config", String(config)});
  // A feed of one array and one of a tuple of it are different to the host.
  const auto& parts = data.tuple_shapes();
  const bool flat = data.is_tuple() && std::none_of(parts.begin(), parts.end(),
                                                    [](const Shape& s) { return s.is_tuple(); });
  if (!flat) return Refuse(instruction, "what it takes is not a tuple of arrays");
  return AllOf(Emit("stablehlo.infeed", OperandValues(instruction), results, std::move(fields)),
               instruction.shape());
}

ModuleWriter::Node ModuleWriter::Outfeed(const Instruction& instruction) {
  const Node& data = NodeOf(instruction.operand(0));
  const bool nested = std::any_of(data.parts.begin(), data.parts.end(),
                                  [](const Node& part) { return part.is_tuple; });
  if (!data.is_tuple || nested) {
    return Refuse(instruction, "what it gives is not a tuple of arrays");
  }
  Values operands;
  AppendLeaves(data, &operands);
  operands.push_back(OperandValue(instruction, 1));
  Fields fields;
  const std::string& config = instruction.GetString(Attr::kOutfeedConfig);
  if (!config.empty()) fields.push_back({"outfeed_config", String(config)});
  return Leaf(EmitOne("stablehlo.outfeed", operands, Shape::Token(), std::move(fields)));
}

ModuleWriter::Fields ModuleWriter::TransferFields(const Instruction& instruction,
                                                  int64_t host_type) {
  const bool host = instruction.GetBool(Attr::kIsHostTransfer);
  Fields fields = {
      {"channel_handle", Record("stablehlo.channel_handle",
                                {{"handle", Int(instruction.FindInt(Attr::kChannelId).value_or(0))},
                                 {"type", Int(host ? host_type : kDeviceToDevice)}})},
      {"is_host_transfer", Bool(host)}};
  FrontendAttributes attributes = instruction.annotations().frontend_attributes;
  const auto pairs = attributes.find("_xla_send_recv_source_target_pairs");
  if (pairs != attributes.end()) {
    fields.push_back({"source_target_pairs", Matrix(PairsIn(pairs->second), 2)});
    attributes.erase(pairs);
  }
  if (!attributes.empty()) {
    fields.push_back({"mhlo.frontend_attributes", StringDictionary(attributes)});
  }
  return fields;
}

ModuleWriter::Node ModuleWriter::Send(const Instruction& instruction) {
  Values operands;
  AppendLeaves(NodeOf(instruction.operand(0)), &operands);
  operands.push_back(OperandValue(instruction, 1));
  return Started(instruction, Leaf(EmitOne("stablehlo.send", operands, Shape::Token(),
                                           TransferFields(instruction, kDeviceToHost))));
}

ModuleWriter::Node ModuleWriter::Recv(const Instruction& instruction) {
  const Shape both = Shape::Tuple({instruction.shape().tuple_shape(0), Shape::Token()});
  Types results;
  AppendTypes(both, &results);
  return Started(instruction, AllOf(Emit("stablehlo.recv", OperandValues(instruction), results,
                                         TransferFields(instruction, kHostToDevice)),
                                    both));
}

bool ModuleWriter::AddCustomCallFields(const Instruction& instruction, Fields* fields) {
  const Annotations& annotations = instruction.annotations();
  const int64_t version = instruction.GetInt(Attr::kApiVersion);
  fields->push_back({"call_target_name", String(instruction.GetString(Attr::kCustomCallTarget))});
  fields->push_back({"api_version", Int(version, ElementType::kS32)});
  if (instruction.GetBool(Attr::kCustomCallHasSideEffect)) {
    fields->push_back({"has_side_effect", Bool(true)});
  }
  const std::string& config = annotations.backend_config;
  if (version == 4 && absl::StartsWith(config, "{")) {
    absl::StatusOr<const Attribute*> dictionary = ParseAttribute(program_, config);
    if (!dictionary.ok()) {
      Refuse(instruction, "its backend_config is no dictionary of attributes");
      return false;
    }
    fields->push_back({"backend_config", *dictionary});
  } else if (!config.empty()) {
    fields->push_back({"backend_config", String(config)});
  }
  if (const auto* aliases =
          instruction.attributes().Get<OutputOperandAliases>(Attr::kOutputToOperandAliasing)) {
    std::vector<const Attribute*> records;
    for (const OutputOperandAlias& alias : *aliases) {
      records.push_back(Record("stablehlo.output_operand_alias",
                               {{"output_tuple_indices", Ints(alias.output_index)},
                                {"operand_index", Int(alias.operand)},
                                {"operand_tuple_indices", Ints(alias.operand_index)}}));
    }
    fields->push_back({"output_operand_aliases", Array(std::move(records))});
  }
  if (const auto* called =
          instruction.attributes().Get<std::vector<Computation*>>(Attr::kCalledComputations);
      called != nullptr && !called->empty()) {
    if (called->size() > 1) {
      Refuse(instruction, "it calls several computations");
      return false;
    }
    fields->push_back({"called_computations", Array({Symbol(FunctionOf(*(*called)[0], false))})});
  }
  if (const auto* literal =
          instruction.attributes().Get<std::shared_ptr<const Literal>>(Attr::kLiteral)) {
    if (!(*literal)->is_array()) {
      Refuse(instruction, "its literal is not an array");
      return false;
    }
    fields->push_back({"mhlo.literal", Dense(**literal)});
  }
  return ok();
}

ModuleWriter::Node ModuleWriter::CustomCall(const Instruction& instruction) {
  Node shardy;
  if (WriteShardyCall(instruction, &shardy)) return shardy;
  const Window& window = instruction.window();
  if (!window.dimensions.empty() || instruction.HasAttribute(Attr::kDimLabels) ||
      instruction.GetInt(Attr::kFeatureGroupCount) != 1 ||
      instruction.GetInt(Attr::kBatchGroupCount) != 1 ||
      !instruction.GetInts(Attr::kOperandPrecision).empty() ||
      instruction.GetInt(Attr::kSchedule) != 0 || instruction.GetInt(Attr::kPaddingType) != 0) {
    return Refuse(instruction, "it has a window, dimension numbers, a precision or a schedule");
  }
  Fields fields;
  if (!AddCustomCallFields(instruction, &fields)) return {};
  AddAnnotations(instruction, &fields);
  const auto layout_of = [&](const Shape& shape) {
    const bool listed = shape.is_array() && shape.has_layout();
    return IndexTensor(listed ? absl::MakeConstSpan(shape.layout()->minor_to_major)
                       : shape.is_array()
                           ? absl::MakeConstSpan(Layout::Default(shape.rank()).minor_to_major)
                           : absl::Span<const int64_t>());
  };
  if (const auto* constraints =
          instruction.attributes().Get<std::vector<Shape>>(Attr::kOperandLayoutConstraints)) {
    std::vector<const Attribute*> operands, results;
    for (const Shape& shape : *constraints) operands.push_back(layout_of(shape));
    const Shape& shape = instruction.shape();
    if (shape.is_tuple()) {
      for (const Shape& part : shape.tuple_shapes()) results.push_back(layout_of(part));
    } else {
      results.push_back(layout_of(shape));
    }
    fields.push_back({"operand_layouts", Array(std::move(operands))});
    fields.push_back({"result_layouts", Array(std::move(results))});
  }
  const Types results = ResultTypes(instruction.shape());
  if (std::count(results.begin(), results.end(), nullptr) > 0) {
    return Refuse(instruction, absl::StrCat("values of type ", instruction.shape().ToString()));
  }
  const Operation* op =
      Emit("stablehlo.custom_call", OperandValues(instruction), results, std::move(fields));
  const Shape& shape = instruction.shape();
  if (!shape.is_tuple() || shape.tuple_shapes().size() == 1) return Unpack(op->results()[0], shape);
  Node node;
  node.is_tuple = true;
  for (size_t i = 0; i < op->results().size(); ++i) {
    node.parts.push_back(Unpack(op->results()[i], shape.tuple_shape(static_cast<int64_t>(i))));
  }
  return node;
}

absl::Span<const ModuleWriter::HandlerRow> ModuleWriter::ControlHandlers() {
  static constexpr HandlerRow kRows[] = {
      {Opcode::kAddDependency, &ModuleWriter::AddDependency},
      {Opcode::kAfterAll, &ModuleWriter::AfterAll},
      {Opcode::kAllGather, &ModuleWriter::AllGather},
      {Opcode::kAllGatherDone, &ModuleWriter::Done},
      {Opcode::kAllGatherStart, &ModuleWriter::Start},
      {Opcode::kAllReduce, &ModuleWriter::AllReduce},
      {Opcode::kAllReduceDone, &ModuleWriter::Done},
      {Opcode::kAllReduceStart, &ModuleWriter::Start},
      {Opcode::kAllToAll, &ModuleWriter::AllToAll},
      {Opcode::kAsyncDone, &ModuleWriter::Done},
      {Opcode::kAsyncStart, &ModuleWriter::Start},
      {Opcode::kAsyncUpdate, &ModuleWriter::None},
      {Opcode::kCall, &ModuleWriter::Call},
      {Opcode::kCollectiveBroadcast, &ModuleWriter::CollectiveBroadcast},
      {Opcode::kCollectivePermute, &ModuleWriter::CollectivePermute},
      {Opcode::kCollectivePermuteDone, &ModuleWriter::Done},
      {Opcode::kCollectivePermuteStart, &ModuleWriter::Start},
      {Opcode::kConditional, &ModuleWriter::Conditional},
      {Opcode::kCopy, &ModuleWriter::Same},
      {Opcode::kCopyDone, &ModuleWriter::Done},
      {Opcode::kCopyStart, &ModuleWriter::AsyncStart},
      {Opcode::kCustomCall, &ModuleWriter::CustomCall},
      {Opcode::kDomain, &ModuleWriter::Same},
      {Opcode::kFusion, &ModuleWriter::Call},
      {Opcode::kGetTupleElement, &ModuleWriter::GetTupleElement},
      {Opcode::kInfeed, &ModuleWriter::Infeed},
      {Opcode::kOptimizationBarrier, &ModuleWriter::Barrier},
      {Opcode::kOutfeed, &ModuleWriter::Outfeed},
      {Opcode::kPartitionId, &ModuleWriter::Id},
      {Opcode::kRecv, &ModuleWriter::Recv},
      {Opcode::kRecvDone, &ModuleWriter::Done},
      {Opcode::kReduceScatter, &ModuleWriter::ReduceScatter},
      {Opcode::kReplicaId, &ModuleWriter::Id},
      {Opcode::kSend, &ModuleWriter::Send},
      {Opcode::kSendDone, &ModuleWriter::Done},
      {Opcode::kTuple, &ModuleWriter::Tuple},
      {Opcode::kWhile, &ModuleWriter::While},
  };
  return kRows;
}

}  // namespace assay::stablehlo
