// Compiles a computation into a flat list of steps. Calls and fusions are inlined with a stack of
// frames of our own, so that deep nesting costs no machine stack; tuples are lists of registers and
// cost nothing at run time; only what the root needs is compiled.
#include "evaluator/region/scalar_program.h"

#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/scalar/scalar_ops.h"

namespace assay {
namespace {

// Registers, or instructions visited while inlining: what a region may grow to. Nested calls can
// double at every level.
constexpr int64_t kMaxSize = 1 << 20;

// Complex functions in one program: an element of one may take milliseconds, and the clock is read
// between two runs.
constexpr int64_t kMaxComplexFunctions = 256;

using Slots = std::vector<int32_t>;

absl::Status Refuse(const Instruction& instruction, absl::string_view why) {
  return absl::UnimplementedError(
      absl::StrCat("not a scalar program: ", why, " in ", instruction.Describe()));
}

bool IsComplexFunction(const Instruction& instruction) {
  if (!IsComplex(instruction.operand(0)->shape().element_type())) return false;
  switch (instruction.opcode()) {
    case Opcode::kAdd:
    case Opcode::kCompare:
    case Opcode::kConvert:
    case Opcode::kImag:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kReal:
    case Opcode::kSubtract:
      return false;
    default:
      return true;
  }
}

// Whether every element of the result is the one of operand 0 at its index; type aside.
bool PassesOperandOn(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kCopy:
    case Opcode::kOptimizationBarrier:
      return true;
    case Opcode::kReshape:
    case Opcode::kBroadcast:
    case Opcode::kTranspose:
    case Opcode::kBitcast:
    case Opcode::kReverse:
      return instruction.operand(0)->shape().is_scalar();
    default:
      return false;
  }
}

// Stores an element in one piece. A function returns it in two registers; stored one after the
// other they would hold up whoever reads the element as a whole next.
inline void Store(Element value, Element& to) {
  typedef uint64_t Pair __attribute__((vector_size(sizeof(Element))));
  const Pair pair = {value.bits, value.imag};
  std::memcpy(static_cast<void*>(&to), &pair, sizeof(to));
}

class FlatProgram : public ScalarProgram {
 public:
  struct Step {
    ScalarFunction function;
    int32_t operands[3];
    int32_t result;
  };

  int64_t parameter_count() const override { return parameter_types_.size(); }
  int64_t result_count() const override { return results_.size(); }
  ElementType parameter_type(int64_t i) const override { return parameter_types_[i]; }
  ElementType result_type(int64_t i) const override { return result_types_[i]; }
  int64_t register_count() const override { return register_count_; }
  int64_t step_count() const override { return static_cast<int64_t>(steps_.size()); }

  void Run(absl::Span<const Element> arguments, absl::Span<Element> results,
           absl::Span<Element> registers, EvaluationContext& context) const override {
    const RealContext real{.stats = &context.real_stats};
    if (is_one_binary_step_) {
      const Step& step = steps_[0];
      const Element& a = arguments[step.operands[0]];
      const Element& b = arguments[step.operands[1]];
      return Store(step.function(a, b, real), results[0]);
    }
    for (size_t i = 0; i < arguments.size(); ++i) registers[i] = arguments[i];
    for (const auto& [position, value] : constants_) registers[position] = value;
    for (const Step& step : steps_) {
      const ScalarFunction& function = step.function;
      auto argument = [&](int k) { return registers[step.operands[k]]; };
      Element& result = registers[step.result];
      switch (function.arity) {
        case 1:
          Store(function(argument(0), real), result);
          break;
        case 2:
          Store(function(argument(0), argument(1), real), result);
          break;
        default:
          Store(function(argument(0), argument(1), argument(2), real), result);
      }
    }
    for (size_t i = 0; i < results_.size(); ++i) results[i] = registers[results_[i]];
  }

 private:
  friend class Compiler;
  std::vector<Step> steps_;
  std::vector<std::pair<int32_t, Element>> constants_;
  std::vector<int32_t> results_;
  std::vector<ElementType> parameter_types_;
  std::vector<ElementType> result_types_;
  int64_t register_count_ = 0;
  bool is_one_binary_step_ = false;  // of parameters: most comparators and reducers
};

class Compiler {
 public:
  explicit Compiler(absl::Span<const int64_t> lanes) : lanes_(lanes) {}

  absl::StatusOr<std::unique_ptr<const ScalarProgram>> Compile(const Computation& computation) {
    if (absl::Status status = Enter(computation, {}); !status.ok()) return status;
    if (absl::Status status = NumberParameters(computation); !status.ok()) return status;
    while (!frames_.empty()) {
      if (++visited_ > kMaxSize || program_->register_count_ > kMaxSize) {
        return Refuse(*computation.root(), "too large after inlining");
      }
      if (absl::Status status = Advance(); !status.ok()) return status;
    }
    program_->results_ = std::move(returned_);
    program_->is_one_binary_step_ =
        program_->steps_.size() == 1 && program_->steps_[0].function.arity == 2 &&
        program_->constants_.empty() && program_->results_.size() == 1 &&
        program_->results_[0] == program_->steps_[0].result;
    if (absl::Status status =
            AppendTypes(*computation.root(), computation.root()->shape(), program_->result_types_);
        !status.ok()) {
      return status;
    }
    return std::unique_ptr<const ScalarProgram>(std::move(program_));
  }

 private:
  // A computation on its way: which instruction is next, and the registers of those done.
  struct Frame {
    const Computation* computation;
    std::vector<Slots> arguments;
    std::vector<Slots> values;
    std::vector<bool> needed;
    int64_t next = 0;
    bool awaits_call = false;
  };

  absl::Status Enter(const Computation& computation, std::vector<Slots> arguments) {
    const int64_t count = computation.instruction_count();
    visited_ += count;
    if (visited_ > kMaxSize) return Refuse(*computation.root(), "too large after inlining");
    Frame frame{&computation, std::move(arguments), std::vector<Slots>(count),
                std::vector<bool>(count, false)};
    frame.needed[computation.root()->index()] = true;
    for (int64_t i = count - 1; i >= 0; --i) {
      if (!frame.needed[i]) continue;
      for (const Instruction* operand : computation.instruction(i)->operands()) {
        frame.needed[operand->index()] = true;
      }
    }
    frames_.push_back(std::move(frame));
    return absl::OkStatus();
  }

  // Parameters of the program are the first registers.
  absl::Status NumberParameters(const Computation& computation) {
    for (const Instruction* parameter : computation.parameters()) {
      if (parameter == nullptr) return Refuse(*computation.root(), "a missing parameter");
      const int64_t first = program_->parameter_types_.size();
      if (absl::Status status =
              AppendTypes(*parameter, parameter->shape(), program_->parameter_types_);
          !status.ok()) {
        return status;
      }
      Slots leaves;
      for (int64_t i = first; i < program_->parameter_count(); ++i) leaves.push_back(NewRegister());
      frames_.back().arguments.push_back(std::move(leaves));
    }
    return absl::OkStatus();
  }

  // A scalar, or an array that stands for one of its elements.
  bool IsLane(const Shape& shape) const {
    return shape.is_scalar() ||
           (shape.is_array() && !shape.is_dynamic() && shape.dimensions() == lanes_);
  }

  absl::Status AppendTypes(const Instruction& instruction, const Shape& shape,
                           std::vector<ElementType>& types) const {
    for (const Shape* leaf : assay::Leaves(shape)) {
      if (!IsLane(*leaf)) return Refuse(instruction, "a value that is no scalar");
      types.push_back(leaf->element_type());
    }
    return absl::OkStatus();
  }

  int32_t NewRegister() { return static_cast<int32_t>(program_->register_count_++); }

  // One instruction of the innermost frame, or the return from it.
  absl::Status Advance() {
    Frame& frame = frames_.back();
    if (frame.next == frame.computation->instruction_count()) {
      returned_ = frame.values[frame.computation->root()->index()];
      frames_.pop_back();
      return absl::OkStatus();
    }
    const Instruction& instruction = *frame.computation->instruction(frame.next);
    if (frame.awaits_call) {
      frame.values[frame.next++] = std::move(returned_);
      frame.awaits_call = false;
      return absl::OkStatus();
    }
    if (!frame.needed[frame.next]) {
      ++frame.next;
      return absl::OkStatus();
    }
    const Computation* callee = nullptr;
    if (instruction.opcode() == Opcode::kCall) callee = instruction.to_apply();
    if (instruction.opcode() == Opcode::kFusion) callee = instruction.GetComputation(Attr::kCalls);
    if (callee != nullptr) {
      std::vector<Slots> arguments;
      for (const Instruction* operand : instruction.operands()) {
        arguments.push_back(frame.values[operand->index()]);
      }
      frame.awaits_call = true;
      return Enter(*callee, std::move(arguments));  // `frame` may have moved
    }
    absl::StatusOr<Slots> value = Emit(frame, instruction);
    if (!value.ok()) return value.status();
    copied_ += value->size();
    if (copied_ > kMaxSize) return Refuse(instruction, "tuples grow too large");
    frame.values[frame.next++] = *std::move(value);
    return absl::OkStatus();
  }

  absl::StatusOr<Slots> Emit(const Frame& frame, const Instruction& instruction) {
    auto operand = [&](int64_t k) -> const Slots& {
      return frame.values[instruction.operand(k)->index()];
    };
    switch (instruction.opcode()) {
      case Opcode::kParameter:
        return frame.arguments[instruction.parameter_number()];
      case Opcode::kConstant:
        return EmitConstant(instruction);
      case Opcode::kTuple: {
        Slots leaves;
        for (int64_t k = 0; k < instruction.operand_count(); ++k) {
          leaves.insert(leaves.end(), operand(k).begin(), operand(k).end());
        }
        return leaves;
      }
      case Opcode::kGetTupleElement: {
        const Shape& tuple = instruction.operand(0)->shape();
        const int64_t index = instruction.GetInt(Attr::kIndex);
        int64_t first = 0;
        for (int64_t i = 0; i < index; ++i) first += tuple.tuple_shape(i).leaf_count();
        auto begin = operand(0).begin() + first;
        return Slots(begin, begin + tuple.tuple_shape(index).leaf_count());
      }
      default:
        break;
    }
    if (!IsLane(instruction.shape())) return Refuse(instruction, "a value that is no scalar");
    for (const Instruction* input : instruction.operands()) {
      if (!IsLane(input->shape())) return Refuse(instruction, "a value that is no scalar");
    }
    if (PassesOperandOn(instruction) &&
        instruction.operand(0)->shape().element_type() == instruction.shape().element_type()) {
      return operand(0);
    }
    if (!instruction.info().elementwise() && instruction.opcode() != Opcode::kBitcastConvert) {
      return Refuse(instruction, "an operation without scalar definition");
    }
    absl::StatusOr<ScalarFunction> function = PrepareScalarFunction(instruction);
    if (!function.ok()) return function.status();
    if (IsComplexFunction(instruction) && ++complex_functions_ > kMaxComplexFunctions) {
      return Refuse(instruction, "too many complex functions");
    }
    FlatProgram::Step step{*function, {0, 0, 0}, NewRegister()};
    for (int64_t k = 0; k < instruction.operand_count(); ++k) step.operands[k] = operand(k)[0];
    program_->steps_.push_back(step);
    return Slots{step.result};
  }

  absl::StatusOr<Slots> EmitConstant(const Instruction& instruction) {
    if (instruction.literal() == nullptr) return Refuse(instruction, "an elided constant");
    Slots leaves;
    for (const Literal& leaf : Flatten(*instruction.literal())) {
      if (!leaf.shape().is_scalar()) return Refuse(instruction, "a value that is no scalar");
      leaves.push_back(NewRegister());
      program_->constants_.push_back({leaves.back(), leaf.Get(0)});
    }
    return leaves;
  }

  const absl::Span<const int64_t> lanes_;
  std::unique_ptr<FlatProgram> program_ = std::make_unique<FlatProgram>();
  std::vector<Frame> frames_;
  Slots returned_;
  int64_t visited_ = 0;
  int64_t copied_ = 0;
  int64_t complex_functions_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<const ScalarProgram>> ScalarProgram::Compile(
    const Computation& computation, absl::Span<const int64_t> lanes) {
  return Compiler(lanes).Compile(computation);
}

}  // namespace assay
