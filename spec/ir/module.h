// The in-memory module: instructions in computations in a module. Text, protobuf, builder,
// evaluator, backends and tools share it. Pointers between instructions and computations stay valid
// as long as the module lives. Tests: module_test.cc, compare_modules_test.cc.
#ifndef ASSAY_SPEC_IR_MODULE_H_
#define ASSAY_SPEC_IR_MODULE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/attributes.h"
#include "spec/ir/boxed.h"
#include "spec/ir/literal.h"
#include "spec/ir/metadata.h"
#include "spec/ir/shape.h"
#include "spec/op_info.h"

namespace assay {

class Computation;
class Module;

// Where something stands in a text; line 0 means nowhere (built or read from a proto).
struct TextPosition {
  int32_t line = 0;    // from 1
  int32_t column = 0;  // from 1, in bytes
};

// What few instructions carry. None of it changes a value.
struct Annotations {
  Boxed<Sharding> sharding;
  FrontendAttributes frontend_attributes;
  Boxed<Statistics> statistics;
  Boxed<OriginValue> origin;
  Boxed<Metadata> metadata;
  std::string backend_config;
  Boxed<std::vector<bool>> parameter_replication;
  std::string wire_extras;  // fields of HloInstructionProto without a place here, serialised
};

class Instruction {
 public:
  Instruction(Opcode opcode, Shape shape);
  // Shares the shape, which must not be null: most instructions of a module have one of few.
  Instruction(Opcode opcode, std::shared_ptr<const Shape> shape);
  Instruction(const Instruction&) = delete;
  Instruction& operator=(const Instruction&) = delete;
  ~Instruction();

  Opcode opcode() const { return opcode_; }
  const OpInfo& info() const { return Info(opcode_); }
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  int64_t id() const { return id_; }
  void set_id(int64_t id) { id_ = id; }
  Computation* parent() const { return parent_; }
  // Position in the parent's list, in the order of creation.
  int64_t index() const { return index_; }
  TextPosition position() const { return position_; }
  void set_position(TextPosition position) { position_ = position; }

  const Shape& shape() const { return *shape_; }
  void set_shape(Shape shape);
  const std::shared_ptr<const Shape>& shared_shape() const { return shape_; }
  void set_shared_shape(std::shared_ptr<const Shape> shape) { shape_ = std::move(shape); }

  absl::Span<Instruction* const> operands() const { return operands_; }
  Instruction* operand(int64_t i) const { return operands_[i]; }
  int64_t operand_count() const { return static_cast<int64_t>(operands_.size()); }
  void AppendOperand(Instruction* operand) { operands_.push_back(operand); }
  void set_operands(absl::Span<Instruction* const> operands) {
    operands_.assign(operands.begin(), operands.end());
  }

  absl::Span<Instruction* const> control_predecessors() const {
    return control_predecessors_ ? absl::MakeConstSpan(*control_predecessors_)
                                 : absl::Span<Instruction* const>();
  }
  void AddControlPredecessor(Instruction* predecessor) {
    if (!control_predecessors_) control_predecessors_.emplace();
    control_predecessors_->push_back(predecessor);
  }

  // Attributes. Getters give the default of the schema where nothing is stored; asking for one that
  // the operation does not have, or that is required and missing, is a bug (CHECK).
  const Attributes& attributes() const { return attributes_; }
  // Stores the value, or forgets it when it equals the default.
  void SetAttribute(Attr attr, AttributeValue value);
  void EraseAttribute(Attr attr) { attributes_.Erase(attr); }
  bool HasAttribute(Attr attr) const { return attributes_.Has(attr); }
  bool GetBool(Attr attr) const;
  int64_t GetInt(Attr attr) const;  // integers and enumerations
  double GetFloat(Attr attr) const;
  std::optional<int64_t> FindInt(Attr attr) const;
  const std::string& GetString(Attr attr) const;
  absl::Span<const int64_t> GetInts(Attr attr) const;  // empty when absent
  template <typename Enum>
  Enum GetEnum(Attr attr) const {
    return static_cast<Enum>(GetInt(attr));
  }
  // Structured values; the empty value when absent.
  const Window& window() const;
  const PaddingConfig& padding() const;
  const Slices& slices() const;
  const ConvolutionDimensions& convolution_dimensions() const;
  const ReplicaGroups& replica_groups() const;

  Computation* to_apply() const { return GetComputation(Attr::kToApply); }
  // Null when absent.
  Computation* GetComputation(Attr attr) const;
  // Every computation that the instruction calls, in the order of the wire format: `while` body,
  // condition; conditional branches; select-and-scatter select, scatter.
  absl::InlinedVector<Computation*, 2> called_computations() const;

  // parameter(n); -1 otherwise.
  int64_t parameter_number() const { return parameter_number_; }
  void set_parameter_number(int64_t number) { parameter_number_ = number; }

  // Of a constant; null for an elided one ("{...}"), whose elements are not known.
  const Literal* literal() const { return literal_.get(); }
  void set_literal(Literal literal);
  bool is_elided_constant() const { return opcode_ == Opcode::kConstant && literal_ == nullptr; }

  // The empty annotations when there are none.
  const Annotations& annotations() const;
  Annotations& mutable_annotations();
  bool has_annotations() const { return annotations_ != nullptr; }

  // "%add.3 = f32[4] add(f32[4] %x, f32[4] %y) in main (line 3, column 5)": for messages.
  std::string Describe() const;

 private:
  friend class Computation;
  friend class Module;
  // A module has very many of these: what few have stands behind a pointer, and small members stand
  // together (module_memory_test.cc holds the size).
  Opcode opcode_;
  int32_t parameter_number_ = -1;
  int32_t index_ = 0;
  TextPosition position_;
  int64_t id_ = 0;
  Computation* parent_ = nullptr;
  std::string name_;
  std::shared_ptr<const Shape> shape_;
  absl::InlinedVector<Instruction*, 3> operands_;
  Attributes attributes_;
  Boxed<std::vector<Instruction*>> control_predecessors_;
  std::unique_ptr<const Literal> literal_;
  std::unique_ptr<Annotations> annotations_;
};

class Computation {
 public:
  explicit Computation(std::string name);
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;
  ~Computation();

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  int64_t id() const { return id_; }
  void set_id(int64_t id) { id_ = id; }
  Module* parent() const { return parent_; }
  TextPosition position() const { return position_; }
  void set_position(TextPosition position) { position_ = position; }

  // In the order of creation, which is the order of the text. Operands come first in text; a module
  // read from a proto is put into such an order, or refused where it has a cycle.
  absl::Span<const std::unique_ptr<Instruction>> instructions() const { return instructions_; }
  int64_t instruction_count() const { return static_cast<int64_t>(instructions_.size()); }
  Instruction* instruction(int64_t i) const { return instructions_[i].get(); }
  // Takes over the instruction, sets its parent and index.
  Instruction* Add(std::unique_ptr<Instruction> instruction);
  // As Add, but in front of one that is here (linear).
  Instruction* InsertBefore(const Instruction* before, std::unique_ptr<Instruction> instruction);

  // The root: the one set, else the last instruction.
  Instruction* root() const;
  void set_root(Instruction* root) { root_ = root; }
  Instruction* Find(absl::string_view name) const;  // linear; null when absent

  // Parameters by number, in time linear in their count. Valid modules have no gaps; missing ones
  // are null.
  std::vector<Instruction*> parameters() const;
  ProgramShape program_shape() const;

  const std::string& execution_thread() const { return execution_thread_; }
  void set_execution_thread(std::string thread) { execution_thread_ = std::move(thread); }
  bool is_fusion() const { return is_fusion_; }
  void set_is_fusion(bool is_fusion) { is_fusion_ = is_fusion; }
  std::string wire_extras;  // fields of HloComputationProto without a place here, serialised

  // A schedule of the instructions, when the module is scheduled.
  const std::vector<Instruction*>& schedule() const { return schedule_; }
  void set_schedule(std::vector<Instruction*> schedule) { schedule_ = std::move(schedule); }

 private:
  friend class Module;
  std::string name_;
  int64_t id_ = 0;
  Module* parent_ = nullptr;
  TextPosition position_;
  std::vector<std::unique_ptr<Instruction>> instructions_;
  std::vector<Instruction*> parameters_;  // as they were added
  Instruction* root_ = nullptr;
  std::string execution_thread_ = "main";
  bool is_fusion_ = false;
  std::vector<Instruction*> schedule_;
};

enum class AliasKind { kUndefined = 0, kMay = 1, kMust = 2 };
struct InputOutputAlias {
  ShapeIndex output_index;
  int64_t parameter_number = 0;
  ShapeIndex parameter_index;
  AliasKind kind = AliasKind::kMay;
  friend bool operator==(const InputOutputAlias&, const InputOutputAlias&) = default;
};
struct BufferDonor {
  int64_t parameter_number = 0;
  ShapeIndex parameter_index;
  friend bool operator==(const BufferDonor&, const BufferDonor&) = default;
};

// Interned source positions; ids count from 1, 0 is none.
struct StackFrames {
  struct FileLocation {
    int32_t file_name_id = 0, function_name_id = 0, line = 0, column = 0, end_line = 0,
            end_column = 0;
    friend bool operator==(const FileLocation&, const FileLocation&) = default;
  };
  struct Frame {
    int32_t file_location_id = 0;
    int32_t parent_frame_id = 0;  // 1-based number of the parent; 0 = none (the text writes +1)
    friend bool operator==(const Frame&, const Frame&) = default;
  };
  std::vector<std::string> file_names;
  std::vector<std::string> function_names;
  std::vector<FileLocation> file_locations;
  std::vector<Frame> frames;
  bool empty() const {
    return file_names.empty() && function_names.empty() && file_locations.empty() && frames.empty();
  }
  friend bool operator==(const StackFrames&, const StackFrames&) = default;
};

struct OriginRecovery {
  std::optional<OriginArray> from;  // unset: {}
  std::optional<OriginArray> to;
  std::shared_ptr<const Module> recovery;  // may be null
};

struct DebugAttributes {
  enum class LogMode { kNone = 0, kDefault = 1, kFusionDebugger = 2 };
  LogMode log_mode = LogMode::kNone;
  int64_t callback_id = 0;
  int64_t op_id = 0;
  bool partitioned = false;
  std::string wire_extras;
};
struct DebugEntry {
  std::optional<OriginArray> array;
  std::vector<DebugAttributes> attributes;
};

class Module {
 public:
  explicit Module(std::string name);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module();

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  // In the order in which they were completed in the text: callees before callers.
  absl::Span<const std::unique_ptr<Computation>> computations() const { return computations_; }
  Computation* Add(std::unique_ptr<Computation> computation);
  Computation* Find(absl::string_view name) const;  // linear; null when absent

  // The entry: the one set, else the last computation.
  Computation* entry() const;
  void set_entry(Computation* entry) { entry_ = entry; }

  // Gives instructions and computations the unique names of hlo_text_format.md 3.3, those of
  // `first` (when given) before all others.
  void UniquifyNames(const Computation* first = nullptr);
  // Numbers instructions and computations from 1 where they have no id.
  void AssignIds();
  int64_t instruction_count() const;
  // Numbers the stack frames that instructions use anew, in the order of the instructions; the rest
  // disappear. Ids that are out of range or on a cycle become 0.
  void ReinternStackFrames();

  // Header.
  int64_t id = 0;
  bool is_scheduled = false;
  std::vector<InputOutputAlias> input_output_alias;
  std::vector<BufferDonor> buffer_donors;
  bool alias_passthrough_params = false;
  // Unset: that of the entry computation. Shapes without layout mean "the compiler's choice".
  std::optional<ProgramShape> entry_layout;
  std::vector<bool> spmd_propagation_to_parameters = {false};
  std::vector<bool> spmd_propagation_to_output = {false};
  int64_t replica_count = 1;
  int64_t num_partitions = 1;
  FrontendAttributes frontend_attributes;
  std::vector<OriginRecovery> origin_recovery;
  std::vector<DebugEntry> debug_attributes;
  StackFrames stack_frames;
  std::string wire_extras;  // fields of HloModuleProto without a place here, serialised

 private:
  std::string name_;
  std::vector<std::unique_ptr<Computation>> computations_;
  Computation* entry_ = nullptr;
};

// Whether two modules are the same graph: names, shapes, attributes, annotations, header.
// Positions, ids and wire extras do not count. OK, or a message that says where they first differ.
absl::Status CompareModules(const Module& a, const Module& b);

}  // namespace assay

#endif  // ASSAY_SPEC_IR_MODULE_H_
