#include "spec/analysis/flat_region.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/analysis/inliner.h"

namespace assay::analysis {
namespace {

// Registers, or instructions or leaves passed while inlining: what a region may grow to.
constexpr int64_t kMaxSize = 1 << 20;

absl::Status Refuse(const Instruction& instruction, absl::string_view why) {
  return absl::UnimplementedError(
      absl::StrCat("not a scalar program: ", why, " in ", instruction.Describe()));
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

// A leaf is a register.
class RegionFlattener : private Inliner<int32_t> {
 public:
  explicit RegionFlattener(absl::Span<const int64_t> lanes) : lanes_(lanes) {}

  absl::StatusOr<FlatRegion> Run(const Computation& computation) {
    std::vector<Value> arguments;
    for (const Instruction* parameter : computation.parameters()) {
      if (parameter == nullptr) return Refuse(*computation.root(), "a missing parameter");
      if (absl::Status status = AppendTypes(*parameter, region_.parameter_types); !status.ok()) {
        return status;
      }
      Value leaves;
      for (int64_t i = parameter->shape().leaf_count(); i > 0; --i) leaves.push_back(NewRegister());
      arguments.push_back(std::move(leaves));
    }
    absl::StatusOr<Value> root = Walk(computation, std::move(arguments));
    if (!root.ok()) return root.status();
    region_.results = *std::move(root);
    if (absl::Status status = AppendTypes(*computation.root(), region_.result_types);
        !status.ok()) {
      return status;
    }
    return std::move(region_);
  }

 private:
  absl::Status CheckSize(const Computation& computation) override {
    return visited() <= kMaxSize && leaves() <= kMaxSize && region_.register_count <= kMaxSize
               ? absl::OkStatus()
               : Refuse(*computation.root(), "too large after inlining");
  }

  absl::StatusOr<Value> Emit(const Instruction& instruction, Operands operands) override {
    if (instruction.opcode() == Opcode::kConstant) return EmitConstant(instruction);
    if (!IsLane(instruction.shape())) return Refuse(instruction, "a value that is not a scalar");
    for (const Instruction* input : instruction.operands()) {
      if (!IsLane(input->shape())) return Refuse(instruction, "a value that is not a scalar");
    }
    if (PassesOperandOn(instruction) &&
        instruction.operand(0)->shape().element_type() == instruction.shape().element_type()) {
      return operands(0);
    }
    if (!instruction.info().elementwise() && instruction.opcode() != Opcode::kBitcastConvert) {
      return Refuse(instruction, "an operation without scalar definition");
    }
    FlatRegion::Step step{&instruction, {}, NewRegister()};
    for (int64_t k = 0; k < instruction.operand_count(); ++k) step.operands[k] = operands(k)[0];
    region_.steps.push_back(step);
    return Value{step.result};
  }

  absl::StatusOr<Value> EmitConstant(const Instruction& instruction) {
    if (instruction.literal() == nullptr) return Refuse(instruction, "an elided constant");
    Value leaves;
    for (const Literal& leaf : Flatten(*instruction.literal())) {
      if (!IsLane(leaf.shape()) || !IsOneElement(leaf)) {
        return Refuse(instruction, "a value that is not a scalar");
      }
      leaves.push_back(NewRegister());
      region_.constants.emplace_back(leaves.back(), leaf.Get(0));
    }
    return leaves;
  }

  // Whether all elements of an array are the same, and there are some.
  static bool IsOneElement(const Literal& literal) {
    if (literal.element_count() == 0) return false;
    for (int64_t i = 1; i < literal.element_count(); ++i) {
      if (literal.Get(i) != literal.Get(0)) return false;
    }
    return true;
  }

  // A scalar, or an array that stands for one of its elements.
  bool IsLane(const Shape& shape) const {
    return shape.is_scalar() ||
           (shape.is_array() && !shape.is_dynamic() && shape.dimensions() == lanes_);
  }

  absl::Status AppendTypes(const Instruction& instruction, std::vector<ElementType>& types) const {
    for (const Shape* leaf : Leaves(instruction.shape())) {
      if (!IsLane(*leaf)) return Refuse(instruction, "a value that is not a scalar");
      types.push_back(leaf->element_type());
    }
    return absl::OkStatus();
  }

  int32_t NewRegister() { return static_cast<int32_t>(region_.register_count++); }

  const absl::Span<const int64_t> lanes_;
  FlatRegion region_;
};

}  // namespace

absl::StatusOr<FlatRegion> FlattenRegion(const Computation& computation,
                                         absl::Span<const int64_t> lanes) {
  return RegionFlattener(lanes).Run(computation);
}

}  // namespace assay::analysis
