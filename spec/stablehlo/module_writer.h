// Makes the operations of a StableHLO program from the instructions of a module. Private to
// from_module.h.
//
// A value of HLO may be a tuple; values of StableHLO's operations are its leaves wherever it is
// possible: what an instruction gives is a tree of values (Node), and a tuple is only made where a
// function of the entry or a custom call asks for one. Computations that an operation of StableHLO
// has as a region are written there; others become private functions of leaves.
#ifndef ASSAY_SPEC_STABLEHLO_MODULE_WRITER_H_
#define ASSAY_SPEC_STABLEHLO_MODULE_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"
#include "spec/stablehlo/from_module.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// The text of the type of a tensor of these sizes and of an element type of this text.
std::string TensorText(absl::Span<const int64_t> sizes, absl::string_view element);
// Whether no size of these types is dynamic.
bool IsStatic(absl::Span<const Type* const> types);

class ModuleWriter {
 public:
  ModuleWriter(const Module& module, Program& program, absl::Span<const std::string> result_names,
               ChloForm chlo, Forms forms)
      : module_(module),
        program_(program),
        result_names_(result_names),
        composites_(chlo == ChloForm::kComposites),
        asynchronous_(forms.pairs),
        shardy_(forms.shardy),
        unstable_top_k_(forms.unstable_top_k || chlo == ChloForm::kComposites) {}
  absl::Status Write();

 private:
  // The value of an instruction: one value, or of a tuple its parts; a tuple that came as one value
  // has both.
  struct Node {
    Value* value = nullptr;
    bool is_tuple = false;
    std::vector<Node> parts;
  };
  using Values = std::vector<Value*>;
  using Types = std::vector<const Type*>;
  using Fields = std::vector<NamedAttribute>;
  using Handler = Node (ModuleWriter::*)(const Instruction&);
  struct HandlerRow {
    Opcode opcode;
    Handler handler;
  };

  // module_writer_entry.cc: what is said beside the operations.
  void AddBufferAttributes(const Instruction& parameter, Fields* fields);
  void AddAliases(Fields* fields);       // those that no argument's attribute says
  void AddPartitioning(Fields* fields);  // what only protobufs say of how a module is partitioned
  // The attributes of each result of the entry.
  std::vector<Fields> ResultFields(size_t count);
  void AddLayouts(Fields* fields);
  const Attribute* LayoutOf(const Shape& shape);
  const Location* LocationOf(const Instruction& instruction);
  const Location* FileLocation(absl::string_view name, const StackFrames::FileLocation& place);
  const Location* NamedLocation(absl::string_view name, const Location* child);
  // A frame of the module's call stacks with its callers; null where there is none of this number.
  const Location* LocationOfFrame(int32_t frame);
  const Location* NameOfParameter(const Instruction& parameter);

  // module_writer_shardy.cc: Shardy's annotations, in operations and attributes of its dialect.
  // A manual computation: the custom calls that enter and leave it, and the call between them.
  struct Manual {
    const Instruction* entered = nullptr;  // null where the computation has no arguments
    const Instruction* call = nullptr;
    const Attribute* axes = nullptr;
    const Attribute* in = nullptr;
    const Attribute* out = nullptr;
  };
  // Null where the text is empty or not an attribute.
  const Attribute* ShardyAttribute(const std::string& text);
  // Writes the meshes and finds what the dialect has other forms for. Returns the module's other
  // frontend attributes; annotations stay frontend attributes where the module has no meshes.
  FrontendAttributes WriteMeshes();
  void FindManualComputation(const Computation& computation, const Instruction& left);
  void FindResultShardings();
  // Adds the sharding of an instruction. Returns its other frontend attributes.
  FrontendAttributes AddShardy(const Instruction& instruction, Fields* fields);
  // Writes a call that Shardy has an operation for; false for others.
  bool WriteShardyCall(const Instruction& call, Node* node);
  Node ManualComputation(const Instruction& left, const Manual& manual);

  // from_module.cc: computations.
  bool ok() const { return status_.ok(); }
  Node Refuse(const Instruction& instruction, absl::string_view why);
  void WriteEntry();
  Node WriteComputation(const Computation& computation, std::vector<Node> arguments);
  Node WriteInstruction(const Instruction& instruction);
  // A symbol that no function has yet: this name, or the name with a number.
  absl::string_view NewSymbol(absl::string_view name);
  // The symbol of the private function of a computation; `flat` has its arguments and results as
  // leaves.
  absl::string_view FunctionOf(const Computation& computation, bool flat);
  // `fields`: further attributes.
  void NewFunction(absl::string_view symbol, const Types& inputs, Block* block,
                   const Types& results, absl::string_view visibility, Fields fields = {});
  // Makes the block the first of the operation's regions that has none.
  void SetNextRegion(Operation* op, Block* block);
  // A region whose block's arguments are the leaves of the parameters.
  void AddRegion(Operation* op, const Computation& computation,
                 absl::string_view terminator = "stablehlo.return");
  // A region without arguments: the parameter is what is outside.
  void AddCapturingRegion(Operation* op, const Computation& computation, Node argument);
  void EndRegion(absl::string_view terminator, const Values& values);
  // `branches`: the number of regions of operations that may have any number.
  Operation* Emit(absl::string_view name, const Values& operands, Types results,
                  Fields attributes = {}, size_t branches = 0);
  Value* EmitOne(absl::string_view name, const Values& operands, const Shape& result,
                 Fields attributes = {});
  Node Leaf(Value* value) const { return {value, false, {}}; }
  Node One(absl::string_view name, const Instruction& instruction, Fields attributes = {});
  // The operation's results as the parts of the instruction's shape.
  Node AllOf(const Operation* op, const Shape& shape);

  // Nodes.
  Node& NodeOf(const Instruction* instruction) { return nodes_[instruction]; }
  Value* OperandValue(const Instruction& instruction, int64_t i);
  // An operand's value, converted where HLO allows several floating-point types and StableHLO does
  // not (module_writer_equivalents.cc).
  Value* InOneType(const Instruction& instruction, int64_t i, Value* value);
  Values OperandValues(const Instruction& instruction);
  Value* Whole(const Node& node);  // as one value, a tuple if need be
  void AppendLeaves(const Node& node, Values* leaves) const;
  Node FromLeaves(const Shape& shape, const Values& leaves, size_t* next) const;
  Node Unpack(Value* value, const Shape& shape);
  void AppendTypes(const Shape& shape, Types* types);  // of the leaves
  // What a function of the entry or a custom call gives: the elements of a tuple of any number but
  // one, else the value itself.
  Values ResultValues(const Node& node);
  Types ResultTypes(const Shape& shape);
  const Type* TypeOf(const Shape& shape);

  // module_writer_attributes.cc
  const Attribute* Int(int64_t value, ElementType type = ElementType::kS64);
  const Attribute* Bool(bool value);
  const Attribute* Float(double value, ElementType type);
  const Attribute* String(absl::string_view text);
  const Attribute* Symbol(absl::string_view name);
  const Attribute* Unit() { return program_.NewAttribute(AttributeKind::kUnit); }
  const Attribute* Ints(absl::Span<const int64_t> values);
  const Attribute* Bools(const std::vector<bool>& values);
  const Attribute* Array(std::vector<const Attribute*> elements);
  const Attribute* Dictionary(Fields fields);
  const Attribute* Record(absl::string_view name, Fields fields);
  const Attribute* Enum(absl::string_view name, int64_t number);
  const Attribute* TypeAttribute(const Type* type);
  // A tensor of 64-bit integers, rows by columns.
  const Attribute* Matrix(const std::vector<std::vector<int64_t>>& rows, int64_t columns);
  const Attribute* Dense(const Literal& literal);
  const Attribute* IndexTensor(absl::Span<const int64_t> values);
  const Attribute* StringDictionary(const FrontendAttributes& values);
  void AddAnnotations(const Instruction& instruction, Fields* fields);
  void AddPrecision(const Instruction& instruction, absl::string_view enumeration, Fields* fields);
  void AddAccuracy(const Instruction& instruction, Fields* fields);
  void AddChannel(const Instruction& instruction, Fields* fields);
  // Shorter groups end with -1, which only all_reduce may have.
  const Attribute* Groups(std::vector<std::vector<int64_t>> groups);
  // False after a refusal.
  bool AddGroups(const Instruction& instruction, Fields* fields,
                 std::vector<std::vector<int64_t>>* groups = nullptr);
  // Channel and groups. Groups of replicas that all partitions join have the order of HLO, by
  // replica first, which StableHLO says by numbers of devices only. False after a refusal.
  bool AddDevices(const Instruction& instruction, Fields* fields);
  const Attribute* DotAlgorithm(const Instruction& instruction);

  // module_writer_arrays.cc
  static absl::Span<const HandlerRow> ArrayHandlers();
  Node Constant(const Instruction& instruction);
  Node ConstantOf(const Literal& literal);
  Node Iota(const Instruction& instruction);
  Node Compare(const Instruction& instruction);
  Node ReducePrecision(const Instruction& instruction);
  Node Broadcast(const Instruction& instruction);
  Node Reshape(const Instruction& instruction);
  Node DynamicReshape(const Instruction& instruction);
  Node Transpose(const Instruction& instruction);
  Node Reverse(const Instruction& instruction);
  Node Slice(const Instruction& instruction);
  Node DynamicSlice(const Instruction& instruction);
  Node DynamicUpdateSlice(const Instruction& instruction);
  bool AppendIndices(const Instruction& instruction, int64_t first, int64_t rank, Values* values);
  Node Pad(const Instruction& instruction);
  Node Concatenate(const Instruction& instruction);
  Node Gather(const Instruction& instruction);
  Node Scatter(const Instruction& instruction);
  Node Dot(const Instruction& instruction);
  Node RaggedDot(const Instruction& instruction);
  Node Convolution(const Instruction& instruction);
  Node Fft(const Instruction& instruction);
  Node Cholesky(const Instruction& instruction);
  Node TriangularSolve(const Instruction& instruction);
  Node BatchNorm(const Instruction& instruction);
  Node DimensionSize(const Instruction& instruction);
  Node Reduce(const Instruction& instruction);
  Node ReduceWindow(const Instruction& instruction);
  Node SelectAndScatter(const Instruction& instruction);
  Node Map(const Instruction& instruction);
  Node Sort(const Instruction& instruction);
  Node TopK(const Instruction& instruction);
  Node Scan(const Instruction& instruction);
  Node Rng(const Instruction& instruction);
  Node RngBitGenerator(const Instruction& instruction);

  // module_writer_equivalents.cc: what StableHLO says by several operations.
  Value* Reshaped(Value* value, ElementType type, absl::Span<const int64_t> from,
                  absl::Span<const int64_t> to);
  Value* Transposed(Value* value, ElementType type, absl::Span<const int64_t> from,
                    const std::vector<int64_t>& permutation);
  Node Bitcast(const Instruction& instruction);
  Node BitcastConvert(const Instruction& instruction);
  Node ConvolutionOfTwoTypes(const Instruction& instruction, Fields fields);
  Node ExchangeOperands(const Instruction& instruction);

  // module_writer_chlo.cc
  Node Smallest(const Instruction& instruction);
  // An operation of CHLO, or the composite of its name. `annotations` are not the operation's own.
  Operation* EmitChlo(absl::string_view name, const Values& operands, Types results,
                      Fields attributes, const Fields& annotations = {});
  Operation* EmitComposite(absl::string_view name, absl::string_view decomposition,
                           const Values& operands, Types results, Fields attributes,
                           Fields annotations, size_t regions = 0);
  // The symbol of a private function that computes what the operation does with operations of
  // StableHLO; empty where there is none.
  absl::string_view DecompositionOf(absl::string_view name, const Types& operands,
                                    const Types& results);
  // The symbol of the private function that has this program, a decomposition of `name`.
  absl::string_view FunctionOfText(absl::string_view name, const std::string& text);

  // module_writer_decompositions.cc
  bool WritesComposite(const Instruction& instruction);
  Node RaggedDotComposite(const Instruction& dot);
  // The symbol of a private function with a loop that computes the scan.
  absl::string_view ScanFunction(const Instruction& scan);
  // The state after a step, from the state before: the number of the step, the outputs, the
  // carries. `body`: the symbol of the scan's computation.
  Values ScanStep(const Instruction& scan, const Values& inputs, const Values& state,
                  absl::string_view body);
  // The state at the end of the loop over the steps. The block in which the loop stands has to be
  // entered again.
  Values ScanLoop(const Instruction& scan, const Values& inputs, const Values& state,
                  const Types& types, absl::string_view body);
  Value* Converted(Value* value, const Shape& from, ElementType to);
  Value* Number(int64_t value);  // a constant of 64 bits

  // module_writer_control.cc
  static absl::Span<const HandlerRow> ControlHandlers();
  Node Same(const Instruction& instruction);  // the first operand's value
  Node Tuple(const Instruction& instruction);
  Node GetTupleElement(const Instruction& instruction);
  // False where the call is not a composite; else its attributes.
  bool AddComposite(const Instruction& call, absl::string_view symbol, Fields* fields);
  Node Call(const Instruction& instruction);
  Node While(const Instruction& instruction);
  Node Conditional(const Instruction& instruction);
  Node Barrier(const Instruction& instruction);
  Node AddDependency(const Instruction& instruction);
  Node AfterAll(const Instruction& instruction);
  Node Id(const Instruction& instruction);
  Node AllGather(const Instruction& instruction);
  Node AllReduce(const Instruction& instruction);
  Node ReduceScatter(const Instruction& instruction);
  Node AllToAll(const Instruction& instruction);
  Node CollectivePermute(const Instruction& instruction);
  Node CollectiveBroadcast(const Instruction& instruction);
  // The start of an asynchronous operation: a pair of async_start and async_done where StableHLO
  // has it, else the operation itself.
  Node Start(const Instruction& instruction);
  bool StartInRegion(const Instruction& instruction, Handler write);
  Node AsyncStart(const Instruction& instruction);
  Node Done(const Instruction& instruction);
  Node Infeed(const Instruction& instruction);
  Node Outfeed(const Instruction& instruction);
  Node Send(const Instruction& instruction);
  Node Recv(const Instruction& instruction);
  Fields TransferFields(const Instruction& instruction, int64_t host_type);
  Node CustomCall(const Instruction& instruction);
  bool AddCustomCallFields(const Instruction& instruction, Fields* fields);
  Node None(const Instruction& instruction);
  // Keeps the result of what starts until it is awaited.
  Node Started(const Instruction& instruction, Node result);

  const Module& module_;
  Program& program_;
  const absl::Span<const std::string> result_names_;
  const bool composites_;
  bool decomposing_ = false;   // while a decomposition is written
  const bool asynchronous_;    // whether pairs of async_start and async_done are written
  bool shardy_;                // whether annotations of Shardy become its dialect
  const bool unstable_top_k_;  // whether chlo.top_k says that its order is not stable
  absl::flat_hash_map<const Instruction*, Manual> manual_;  // by the custom call that leaves
  absl::flat_hash_set<const Instruction*> inside_manual_;
  absl::flat_hash_map<const Instruction*, const Attribute*> result_shardings_;
  std::vector<std::unique_ptr<Module>> decomposed_;
  absl::flat_hash_map<std::string, absl::string_view> decompositions_;  // symbols by their text
  absl::Status status_;
  Block* block_ = nullptr;              // where operations are added
  const Location* location_ = nullptr;  // of the instruction that is written
  absl::flat_hash_map<int32_t, const Location*> frame_locations_;
  Block* module_block_ = nullptr;
  absl::flat_hash_map<const Instruction*, Node> nodes_;
  absl::flat_hash_map<const Instruction*, Node> started_;
  absl::flat_hash_map<const Instruction*, Value*> futures_;
  absl::flat_hash_map<std::pair<const Computation*, bool>, absl::string_view> functions_;
  absl::flat_hash_set<std::string> symbols_ = {"main"};
  int depth_ = 0;
  int64_t operations_ = 0;
  int64_t most_operations_ = 0;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_MODULE_WRITER_H_
