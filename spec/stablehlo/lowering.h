// What the mapping from StableHLO to HLO is written with: a Lowering turns functions and regions
// into computations, an OpContext is one operation on its way: it reads attributes and operands and
// makes instructions. Private to spec/stablehlo. Tests: to_module_test.cc.
//
// A handler keeps the first error in its context and goes on with harmless values, so that it reads
// like the rule it implements; the lowering stops after the handler.
#ifndef ASSAY_SPEC_STABLEHLO_LOWERING_H_
#define ASSAY_SPEC_STABLEHLO_LOWERING_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"
#include "spec/stablehlo/to_module.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

using Operands = absl::Span<Instruction* const>;
using AttributeList = std::vector<Attributes::Entry>;

// Functions calling functions, and regions in regions.
inline constexpr int kMaxNesting = 400;

// A computation under construction.
struct Scope {
  std::unique_ptr<Computation> computation;
  absl::flat_hash_map<const Value*, Instruction*> values;
  const Operation* function = nullptr;  // the function that it belongs to
  bool is_entry = false;                // the body of the entry function itself
};

// The shape of a value of a type, with default layouts; dynamic dimensions without a bound stay
// unbounded. An error (without place) for types that HLO does not have.
absl::StatusOr<Shape> ShapeOfType(const Type& type);
bool HasUnboundedDimension(const Shape& shape);

// The literal of a dense attribute; a splat is not spread out: it is a scalar.
absl::StatusOr<Literal> LiteralOfDense(const Attribute& dense);
// Whatever list of integers an attribute is: array<i64>, dense<..> (row major), [1, 2]. nullopt for
// other attributes.
std::optional<std::vector<int64_t>> IntsOf(const Attribute& attribute);
// The elements of an array of integers or booleans; nullopt for other literals.
std::optional<std::vector<int64_t>> IntsOf(const Literal& literal);

// For messages about sizes.
inline constexpr absl::string_view kSizeNotKnown =
    "is not known before the program runs; sizes must follow from constants and from the sizes of "
    "arguments";

// Integers and booleans that an instruction computes from constants alone; nullopt where the
// operation is not among those that shape computations are made of (fold.cc).
std::optional<Literal> Fold(const Instruction& instruction,
                            absl::Span<const Literal* const> operands);

// Provenance of operations, interned into the module's stack frames (locations.cc).
class Provenance {
 public:
  explicit Provenance(Module* module) : module_(*module) {}
  const Metadata& Of(const Location* location);

 private:
  int32_t FrameOf(const Location* location, int depth);
  int32_t Intern(std::vector<std::string>* names, absl::string_view name);
  Module& module_;
  absl::flat_hash_map<const Location*, Metadata> metadata_;
  absl::flat_hash_map<const Location*, int32_t> frames_;
  std::map<std::string, int32_t> file_ids_, function_ids_;
  std::map<std::vector<int32_t>, int32_t> location_ids_;
  std::map<std::pair<int32_t, int32_t>, int32_t> frame_ids_;
};

class Lowering {
 public:
  Lowering(const Program& program, const ToModuleOptions& options);
  absl::StatusOr<ConvertedProgram> Run();

  const ToModuleOptions& options() const { return options_; }
  const Program& program() const { return program_; }
  Module& module() { return *module_; }

  // The computation of a function for operands of these shapes (and, where shapes are computed from
  // values, these known values); shared by all calls that agree in them.
  absl::StatusOr<Computation*> Function(const Operation& function, Operands operands);
  // Like a function that has an operation's captured values and region arguments as parameters.
  struct RegionParameters {
    std::vector<Shape> arguments;            // shapes of the region's arguments
    std::vector<const Value*> captured;      // values from outside, behind the arguments
    std::vector<const Instruction*> values;  // those of `captured`
    bool one_tuple = false;                  // all as one parameter, a tuple unless they are one
    // Where the captured values stand: behind the arguments, behind each half of the arguments, or
    // behind them with two parameters each. Of two parameters the first is read.
    enum class Place { kBehind, kBehindHalves, kBehindTwice } place = Place::kBehind;
    std::vector<const Value*> passed_on;  // appended to what the region returns
  };
  absl::StatusOr<Computation*> LowerRegion(const Operation& owner, const Region& region,
                                           const Scope& outer, const RegionParameters& parameters);
  // Values from outside that regions use, in the order of first use; constants are not among them.
  std::vector<const Value*> CapturedBy(absl::Span<const Region* const> regions) const;

  // The operations of a block up to its terminator; gives what that returns.
  absl::StatusOr<std::vector<Instruction*>> LowerBlock(Scope& scope, const Block& block);
  absl::StatusOr<Instruction*> ValueIn(Scope& scope, const Operation& user, const Value& value);

  // The value of an instruction that is computed from constants, null where it is not known.
  const Literal* KnownValue(const Instruction* instruction) const;
  void SetKnownValue(const Instruction* instruction, Literal value) {
    known_[instruction] = std::move(value);
  }
  // Whether values of the function, or of functions it calls, have unbounded dimensions.
  bool IsDynamic(const Operation& function);
  // Whether any value of the program has a size that has to be computed.
  bool computes_sizes() const { return computes_sizes_; }

  // INVALID_ARGUMENT (or another code) "f.mlir:7:12: stablehlo.add: message".
  absl::Status Error(const Operation& operation, absl::string_view message,
                     absl::StatusCode code = absl::StatusCode::kInvalidArgument) const;

  std::vector<Check>& checks() { return checks_; }
  std::vector<Instruction*>& check_values() { return check_values_; }

  // A program that is a grid of processes (interpreter.run_parallel): its operation, what a process
  // runs, its arguments by device. Results are stood for by instructions until checks ask for them.
  struct Parallel {
    const Operation* operation = nullptr;
    const Operation* program = nullptr;
    int64_t devices = 0;
    std::vector<std::vector<Literal>> arguments;
    absl::flat_hash_map<const Instruction*, int64_t> results;
  };
  std::optional<Parallel>& parallel() { return parallel_; }
  // The value of a constant, also of one that is spread over a shape; nullopt for others.
  std::optional<Literal> ConstantValue(const Instruction* instruction) const;

  // Frontend attributes and shardings of the operation (annotations.cc).
  absl::Status Annotate(const Operation& operation, Instruction* instruction);
  Instruction* MakeIn(Scope& scope, const Operation& origin, Opcode opcode, Shape shape,
                      Operands operands, AttributeList attributes = {});

 private:
  // Returns an error if the module, a function or a mesh has operands or results.
  absl::Status CheckTopLevel() const;
  absl::StatusOr<const Operation*> EntryFunction() const;
  absl::StatusOr<std::vector<Shape>> EntryShapes(const Operation& function);
  absl::Status LowerEntry(const Operation& function, ConvertedProgram* result);
  absl::Status LowerParallel(ConvertedProgram* result);
  absl::StatusOr<Instruction*> EntryRoot(Scope& scope, const Operation& function,
                                         std::vector<Instruction*> results,
                                         ConvertedProgram* result);
  absl::StatusOr<Scope> FunctionScope(const Operation& function, Operands operands,
                                      absl::Span<const Shape> shapes);
  absl::Status ReadModuleAttributes();
  absl::Status ReadArgumentAttributes(const Operation& function, Scope& scope,
                                      const ConvertedProgram& result);
  absl::Status LowerOperation(Scope& scope, const Operation& operation);
  absl::Status Verify() const;
  Computation* Finish(Scope& scope, Instruction* root);

  const Program& program_;
  const ToModuleOptions& options_;
  std::unique_ptr<Module> module_;
  Provenance provenance_;
  absl::flat_hash_map<std::string, Computation*> functions_;
  absl::flat_hash_map<const Operation*, bool> dynamic_;
  absl::flat_hash_set<const Operation*> active_;  // functions being lowered
  absl::flat_hash_map<const Instruction*, Literal> known_;
  absl::flat_hash_map<const Instruction*, const Operation*> origins_;
  std::vector<Check> checks_;
  std::vector<Instruction*> check_values_;
  std::optional<Parallel> parallel_;
  bool computes_sizes_ = false;
  int region_count_ = 0;
  int depth_ = 0;
};

// One operation on its way.
class OpContext {
 public:
  OpContext(Lowering& lowering, Scope& scope, const Operation& operation, std::string name,
            std::vector<Instruction*> operands)
      : lowering_(lowering),
        scope_(scope),
        operation_(operation),
        name_(std::move(name)),
        operands_(std::move(operands)),
        results_(operation.results().size(), nullptr) {}

  // "stablehlo.add"; that of a composite or custom call that stands for an operation of CHLO is the
  // operation's.
  absl::string_view name() const { return name_; }
  void Rename(std::string name) { name_ = std::move(name); }
  const Operation& operation() const { return operation_; }
  Lowering& lowering() { return lowering_; }
  Scope& scope() { return scope_; }

  // Operands and their shapes. Out of range: an error and a harmless scalar.
  int64_t operand_count() const { return static_cast<int64_t>(operands_.size()); }
  Instruction* In(int64_t i);
  const Shape& InShape(int64_t i) { return In(i)->shape(); }
  Operands inputs() const { return operands_; }
  void set_inputs(std::vector<Instruction*> operands) { operands_ = std::move(operands); }
  int64_t result_count() const { return static_cast<int64_t>(operation_.results().size()); }
  // The declared shape of a result; kUnbounded dimensions where it is not known.
  Shape OutShape(int64_t i = 0);
  ElementType OutType(int64_t i = 0) { return OutShape(i).element_type(); }

  // Attributes; those of `attributes` count instead of the operation's where a composite or a
  // custom call stands for an operation.
  void TakeAttributesFrom(const Attribute* dictionary) { dictionary_ = dictionary; }
  const Attribute* Find(absl::string_view name) const;
  bool Has(absl::string_view name) const { return Find(name) != nullptr; }
  const Attribute* Need(absl::string_view name);  // null and an error when absent
  int64_t Int(absl::string_view name);
  int64_t IntOr(absl::string_view name, int64_t otherwise);
  bool BoolOr(absl::string_view name, bool otherwise);
  std::string StringOr(absl::string_view name, absl::string_view otherwise = "");
  std::vector<int64_t> Ints(absl::string_view name);
  std::vector<int64_t> IntsOr(absl::string_view name, std::vector<int64_t> otherwise);
  // N x 2 numbers, or 2 N in a row.
  std::vector<std::pair<int64_t, int64_t>> Pairs(absl::string_view name, int64_t count);
  // The list of an attribute record such as #stablehlo.gather; empty when absent.
  std::vector<int64_t> FieldInts(const Attribute* record, absl::string_view field);
  int64_t FieldInt(const Attribute* record, absl::string_view field, int64_t otherwise = 0);

  // Instructions. A shape with unbounded dimensions is inferred. After an error: a harmless scalar.
  Instruction* Make(Opcode opcode, Shape shape, Operands operands, AttributeList attributes = {});
  Instruction* Make(Opcode opcode, Shape shape, std::initializer_list<Instruction*> operands,
                    AttributeList attributes = {}) {
    return Make(opcode, std::move(shape), Operands(operands.begin(), operands.size()),
                std::move(attributes));
  }
  Instruction* Constant(Literal literal);
  Instruction* ConstantInt(ElementType type, int64_t value);
  // A scalar of a type, spread over the shape of another value.
  Instruction* Spread(Instruction* scalar, const Shape& like);
  Instruction* Convert(Instruction* value, ElementType type);
  Instruction* Reshape(Instruction* value, absl::Span<const int64_t> sizes);
  Instruction* Element(Instruction* tuple, int64_t i);
  Instruction* TupleOf(Operands elements);

  // The instructions of values that regions of the operation capture.
  std::vector<Instruction*> ValuesOf(absl::Span<const Value* const> values);
  // The computation of a region whose arguments are scalars (or what they say they are); captured
  // constants are copied into it, other captures are refused.
  Computation* Reducer(int64_t region, int64_t parameters);
  // The same with scalars from outside as further parameters at `place`, and as further results if
  // `passed_on`. The operation must have `captured` as further operands.
  struct OpenReducer {
    Computation* computation = nullptr;
    std::vector<Instruction*> captured;
  };
  OpenReducer ReducerOfCaptures(int64_t region, int64_t parameters,
                                Lowering::RegionParameters::Place place, bool passed_on);
  // The known values of an operand, as integers.
  std::optional<std::vector<int64_t>> KnownInts(int64_t operand);
  // The same; an error that says what the operand is where they are not known.
  std::vector<int64_t> NeedInts(int64_t operand, absl::string_view what);

  // Results.
  void Return(Instruction* value) { ReturnAt(0, value); }
  void ReturnAt(int64_t i, Instruction* value);
  // The elements of a tuple, or the one value.
  void ReturnAll(Instruction* value, bool is_tuple);
  Instruction* result(int64_t i) const { return results_[i]; }

  // Keeps the first error.
  void Fail(absl::string_view message, absl::StatusCode code = absl::StatusCode::kInvalidArgument);
  void Refuse(absl::string_view message) { Fail(message, absl::StatusCode::kUnimplemented); }
  void Keep(const absl::Status& status) {
    if (status_.ok()) status_ = status;
  }
  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }

 private:
  Instruction* Dead();
  std::optional<Lowering::RegionParameters> SignatureOf(int64_t region, int64_t parameters);

  Lowering& lowering_;
  Scope& scope_;
  const Operation& operation_;
  std::string name_;
  std::vector<Instruction*> operands_;
  std::vector<Instruction*> results_;
  const Attribute* dictionary_ = nullptr;
  absl::Status status_;
  std::unique_ptr<Instruction> dead_;
};

// A row of the tables of handlers: how many operands (regions) the handler relies on.
struct Handler {
  absl::string_view
      name;  // "dot_general" for StableHLO and MHLO; else with the dialect: "chlo.erf"
  int min_operands;
  int min_results;
  int min_regions;
  void (*lower)(OpContext&);
};
// Null where there is none.
const Handler* FindHandler(absl::string_view name);

// The tables, one per family (lower_*.cc).
absl::Span<const Handler> ElementwiseHandlers();
absl::Span<const Handler> MovementHandlers();
absl::Span<const Handler> IndexingHandlers();
absl::Span<const Handler> ContractionHandlers();
absl::Span<const Handler> ReductionHandlers();
absl::Span<const Handler> ControlHandlers();
absl::Span<const Handler> CollectiveHandlers();
absl::Span<const Handler> HostHandlers();
absl::Span<const Handler> CustomCallHandlers();
absl::Span<const Handler> DynamicHandlers();
absl::Span<const Handler> LeftoverHandlers();
absl::Span<const Handler> ChloHandlers();
absl::Span<const Handler> ShardyHandlers();
absl::Span<const Handler> CheckHandlers();

// Why a value is not of a declared type, "tensor<2xf32>, but is f32[3]"; empty where it may be.
// Sizes that either says to be dynamic are not compared.
std::string AgainstDeclared(const Type& declared, const Shape& made);

// An operation that is the opcode of its row with attributes of the same meaning (lower_rows.cc).
// False where the row has no opcode.
bool LowerByRow(OpContext& op);

// The operand spread over a shape, as broadcast_in_dim does it (lower_movement.cc).
Instruction* BroadcastInDim(OpContext& op, Instruction* x, Shape shape,
                            std::vector<int64_t> dimensions);
// A gather of these slice sizes with the operation's dimension numbers (lower_indexing.cc), a
// convolution with these paddings (lower_contraction.cc), a reduction over windows.
void MakeGather(OpContext& op, std::vector<int64_t> slice_sizes);
void MakeConvolution(OpContext& op, const std::vector<std::pair<int64_t, int64_t>>& paddings);
void MakeReduceWindow(OpContext& op, int64_t inputs, const Window& window);
// Converts an input (parameter i of `inputs` pairs) and what it is combined with to the types of
// the computation's parameters (lower_reduction.cc).
void PromoteTo(OpContext& op, const Computation* computation, int64_t i, int64_t inputs,
               Instruction** input, Instruction** other);
// Attributes that several families read.
std::vector<int64_t> PrecisionsOf(OpContext& op);  // empty: all default
Window WindowOf(OpContext& op, std::vector<int64_t> sizes, absl::string_view dilation);
// A custom call that states an expectation, such as @check.expect_eq; false for others
// (lower_checks.cc).
bool LowerCheckCall(OpContext& op, absl::string_view target);
// Lowers the operation by the handler or row of its present name and attributes.
void Dispatch(OpContext& op);

// The unsigned integers of this width.
ElementType UnsignedOf(int bits);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_LOWERING_H_
