#include "backends/cpu/fusion/fused_program.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "backends/cpu/vector/kernel_table.h"
#include "backends/cpu/vector/program_builder.h"
#include "spec/analysis/inliner.h"
#include "spec/analysis/movement.h"

namespace assay::cpu {
namespace {

// Instructions and leaves passed while calls are written out, and bytes of constants.
constexpr int64_t kMaxSize = 1 << 16;
constexpr int64_t kMaxLiteralBytes = 1 << 20;

absl::Status Refuse(const Instruction& instruction, absl::string_view why) {
  return absl::UnimplementedError(
      absl::StrCat("not a fusion of one loop: ", why, " in ", instruction.Describe()));
}

// An array of the computation: elements of the sources, or computed.
struct Leaf {
  ElementType type = ElementType::kInvalid;
  int64_t count = 0;
  std::optional<View> view;
  ProgramBuilder::Value value = -1;
};

// Longer iotas are not tabulated.
constexpr int64_t kMaxIotaSize = kMaxLiteralBytes / 16;

// The largest divisor of `size` that is at most the length of a block.
int64_t PeriodOf(int64_t size) {
  constexpr int64_t kLongest = 1024;
  int64_t period = std::min(size, kLongest);
  while (size % period != 0) --period;
  return period;
}

// Returns true if the numbers below `size` have exact sums in the type, integers by wrapping.
bool AddsExactly(ElementType type, int64_t size) {
  if (IsInteger(type)) return true;
  const bool is_wide = type == ElementType::kF32 || type == ElementType::kF64;
  return is_wide && size <= int64_t{1} << Info(type).format->significand_bits;
}

Element IotaElement(ElementType type, int64_t index) {
  const ElementType part = IsComplex(type) ? Info(type).component : type;
  if (!IsFloat(part)) return {.bits = EncodeInteger(part, static_cast<uint64_t>(index))};
  return {.bits = EncodeFloatFromSigned(part, index)};
}

class Fuser : private analysis::Inliner<Leaf> {
 public:
  Fuser() : builder_(BestKernels()) {}

  absl::StatusOr<FusedProgram> Run(const Computation& computation) {
    if (computation.root()->opcode() == Opcode::kReduce) reduce_ = computation.root();
    const Shape& shape =
        reduce_ != nullptr ? reduce_->operand(0)->shape() : computation.root()->shape();
    // Every output has as many elements as the first.
    for (const Shape* leaf : Leaves(shape)) {
      if (!leaf->is_array() || leaf->is_dynamic()) return Refuse(*computation.root(), "no array");
    }
    if (shape.leaf_count() == 0) return Refuse(*computation.root(), "no output");
    const Shape& first = *Leaves(shape).front();
    fused_.dimensions.assign(first.dimensions().begin(), first.dimensions().end());
    fused_.count = first.element_count();
    std::vector<Value> arguments;
    int64_t source = 0;
    for (const Instruction* parameter : computation.parameters()) {
      if (parameter == nullptr) return Refuse(*computation.root(), "a missing parameter");
      Value leaves;
      for (const Shape* leaf : Leaves(parameter->shape())) {
        if (!leaf->is_array() || leaf->is_dynamic()) return Refuse(*parameter, "no array");
        leaves.push_back(OfView(leaf->element_type(), View::Dense(leaf->dimensions(), source++)));
      }
      arguments.push_back(std::move(leaves));
    }
    parameter_count_ = source;
    fused_.literal_source = source;
    absl::StatusOr<Value> root = Walk(computation, std::move(arguments));
    if (!root.ok()) return root.status();
    if (reduce_ != nullptr) {
      absl::Status status = TakeInits(*root);
      if (!status.ok()) return status;
    }
    for (const Leaf& leaf : *root) {
      if (leaf.count != fused_.count) return Refuse(*computation.root(), "outputs of two sizes");
      builder_.AddOutput(Computed(leaf));
      fused_.output_bytes.push_back(Info(leaf.type).storage_bytes);
    }
    if (fused_.cost == 0) return Refuse(*computation.root(), "nothing computed");
    fused_.program = builder_.Build();
    return std::move(fused_);
  }

 private:
  absl::Status CheckSize(const Computation& computation) override {
    return visited() <= kMaxSize && leaves() <= kMaxSize
               ? absl::OkStatus()
               : Refuse(*computation.root(), "too large after inlining");
  }

  absl::StatusOr<Value> Emit(const Instruction& instruction, Operands operands) override {
    const Shape& shape = instruction.shape();
    if (&instruction == reduce_) {
      Value arguments;
      for (int64_t k = 0; k < instruction.operand_count(); ++k) {
        arguments.push_back(operands(k)[0]);
      }
      return arguments;
    }
    if (instruction.opcode() == Opcode::kConstant) return EmitConstant(instruction);
    if (!shape.is_array() || shape.is_dynamic()) return Refuse(instruction, "no array");
    if (instruction.opcode() == Opcode::kIota) return EmitIota(instruction);
    if (instruction.opcode() == Opcode::kOptimizationBarrier ||
        instruction.opcode() == Opcode::kCopy) {
      return operands(0);
    }
    if (analysis::IsMovement(instruction.opcode())) return EmitMovement(instruction, operands);
    if (!instruction.info().elementwise() && instruction.opcode() != Opcode::kBitcastConvert) {
      return Refuse(instruction, "an operation that is not elementwise");
    }
    return EmitElementwise(instruction, operands);
  }

  // The second half of the operands of reduce.
  absl::Status TakeInits(Value& arguments) {
    const size_t arrays = arguments.size() / 2;
    for (size_t k = arrays; k < arguments.size(); ++k) {
      if (!arguments[k].view.has_value()) return Refuse(*reduce_, "a computed initial value");
      fused_.inits.push_back({.view = *arguments[k].view,
                              .element_bytes = Info(arguments[k].type).storage_bytes,
                              .uniform = true});
    }
    arguments.resize(arrays);
    return absl::OkStatus();
  }

  absl::StatusOr<Value> EmitConstant(const Instruction& instruction) {
    if (instruction.literal() == nullptr) return Refuse(instruction, "an elided constant");
    Value leaves;
    for (const Literal& leaf : Flatten(*instruction.literal())) {
      if (!leaf.is_array()) return Refuse(instruction, "no array");
      absl::StatusOr<View> view = AddLiteral(instruction, leaf);
      if (!view.ok()) return view.status();
      leaves.push_back(OfView(leaf.element_type(), *std::move(view)));
    }
    return leaves;
  }

  absl::StatusOr<Value> EmitIota(const Instruction& instruction) {
    const Shape& shape = instruction.shape();
    const int64_t d = instruction.GetInt(Attr::kIotaDimension);
    const int64_t size = shape.dimension(d);
    if (size > kMaxIotaSize) return EmitLongIota(instruction);
    absl::StatusOr<View> view = AddNumbers(instruction, size, 1);
    if (!view.ok()) return view.status();
    return Value{OfView(shape.element_type(), view->Broadcast(shape.dimensions(), {d}))};
  }

  // The sum of two short iotas, one of which repeats: i = (i / period) * period + i % period.
  absl::StatusOr<Value> EmitLongIota(const Instruction& instruction) {
    const Shape& shape = instruction.shape();
    const ElementType type = shape.element_type();
    const int64_t d = instruction.GetInt(Attr::kIotaDimension);
    const int64_t size = shape.dimension(d);
    const int64_t period = PeriodOf(size), periods = size / period;
    if (periods > kMaxIotaSize || !AddsExactly(type, size) || shape.element_count() == 0) {
      return Refuse(instruction, "a long iota");
    }
    Dimensions dimensions = {1, periods, period, 1};
    for (int64_t k = 0; k < d; ++k) dimensions.front() *= shape.dimension(k);
    for (int64_t k = d + 1; k < shape.rank(); ++k) dimensions.back() *= shape.dimension(k);
    absl::StatusOr<View> starts = AddNumbers(instruction, periods, period);
    if (!starts.ok()) return starts.status();
    absl::StatusOr<View> offsets = AddNumbers(instruction, period, 1);
    if (!offsets.ok()) return offsets.status();
    const ProgramBuilder::Value operands[] = {
        Computed(OfView(type, starts->Broadcast(dimensions, {1}))),
        Computed(OfView(type, offsets->Broadcast(dimensions, {2})))};
    const Instruction sum(Opcode::kAdd, shape);
    absl::StatusOr<ProgramBuilder::Value> result = builder_.AddInstruction(sum, operands);
    if (!result.ok()) return result.status();
    return Value{{.type = type, .count = shape.element_count(), .view = {}, .value = *result}};
  }

  // Adds the numbers 0, factor, 2 factor ...
  absl::StatusOr<View> AddNumbers(const Instruction& iota, int64_t count, int64_t factor) {
    const ElementType type = iota.shape().element_type();
    Literal numbers = Literal::Zeros(Shape(type, {count}));
    for (int64_t i = 0; i < count; ++i) numbers.Set(i, IotaElement(type, i * factor));
    return AddLiteral(iota, std::move(numbers));
  }

  absl::StatusOr<View> AddLiteral(const Instruction& instruction, Literal literal) {
    literal_bytes_ += literal.byte_size();
    if (literal_bytes_ > kMaxLiteralBytes) return Refuse(instruction, "large constants");
    fused_.literals.push_back(std::move(literal));
    return View::Dense(fused_.literals.back().shape().dimensions(),
                       parameter_count_ + static_cast<int64_t>(fused_.literals.size()) - 1);
  }

  absl::StatusOr<Value> EmitMovement(const Instruction& instruction, Operands operands) {
    const Shape& shape = instruction.shape();
    const ElementType type = shape.element_type();
    std::vector<View> views;
    for (int64_t k = 0; k < instruction.operand_count(); ++k) {
      const Leaf& leaf = operands(k)[0];
      if (leaf.view.has_value()) {
        views.push_back(*leaf.view);
        continue;
      }
      // Of computed arrays: nothing that changes the order of elements.
      const bool repeats = leaf.count == 1 && instruction.opcode() == Opcode::kBroadcast;
      if ((instruction.opcode() == Opcode::kReshape || repeats) && leaf.type == type) {
        Leaf same = leaf;
        same.count = shape.element_count();
        return Value{std::move(same)};
      }
      return Refuse(instruction, "movement of what is computed");
    }
    std::optional<View> view = ViewOf(instruction, views);
    if (!view.has_value()) return Refuse(instruction, "movement that is no view");
    return Value{OfView(type, *std::move(view))};
  }

  absl::StatusOr<Value> EmitElementwise(const Instruction& instruction, Operands operands) {
    const Shape& shape = instruction.shape();
    const int64_t count = shape.element_count();
    if (count != fused_.count && count != 1) {
      return Refuse(instruction, "arrays of two sizes are computed");
    }
    absl::InlinedVector<ProgramBuilder::Value, 3> values;
    for (int64_t k = 0; k < instruction.operand_count(); ++k) {
      Leaf leaf = operands(k)[0];
      values.push_back(Computed(leaf));
    }
    absl::StatusOr<ProgramBuilder::Value> result = builder_.AddInstruction(instruction, values);
    if (!result.ok()) return result.status();
    fused_.cost += instruction.info().accuracy == Accuracy::kFunction ? 8 : 1;
    Leaf leaf{.type = shape.element_type(), .count = count, .view = {}, .value = *result};
    return Value{std::move(leaf)};
  }

  static Leaf OfView(ElementType type, View view) {
    const int64_t count = view.element_count();
    return {.type = type, .count = count, .view = std::move(view), .value = -1};
  }

  // The element as a value of the program. A view becomes an input of its own, once.
  ProgramBuilder::Value Computed(const Leaf& leaf) {
    if (!leaf.view.has_value()) return leaf.value;
    for (const auto& [view, type, value] : read_) {
      if (type == leaf.type && view == *leaf.view) return value;
    }
    const ProgramBuilder::Value value = AddView(leaf);
    read_.push_back({*leaf.view, leaf.type, value});
    return value;
  }

  ProgramBuilder::Value AddView(const Leaf& leaf) {
    const ViewPiece* piece = leaf.view->affine();
    bool uniform = piece != nullptr;
    if (piece != nullptr) {
      for (int64_t d = 0; d < leaf.view->rank(); ++d) {
        uniform = uniform && (piece->strides[d] == 0 || leaf.view->sizes()[d] == 1);
      }
    }
    if (uniform && piece->source >= parameter_count_) {
      const Literal& literal = fused_.literals[piece->source - parameter_count_];
      const View::Location first =
          leaf.view->At(Dimensions(static_cast<size_t>(leaf.view->rank()), 0));
      return builder_.AddConstant(leaf.type, literal.Get(first.position));
    }
    fused_.inputs.push_back(
        {.view = *leaf.view, .element_bytes = Info(leaf.type).storage_bytes, .uniform = uniform});
    if (piece == nullptr || !leaf.view->is_dense()) fused_.cost += 1;
    return builder_.AddInput(leaf.type, uniform);
  }

  struct Read {
    View view;
    ElementType type;
    ProgramBuilder::Value value;
  };
  ProgramBuilder builder_;
  FusedProgram fused_;
  const Instruction* reduce_ = nullptr;  // the root, if it is one
  std::vector<Read> read_;
  int64_t parameter_count_ = 0;
  int64_t literal_bytes_ = 0;
};

}  // namespace

absl::StatusOr<FusedProgram> FuseComputation(const Computation& computation) {
  return Fuser().Run(computation);
}

}  // namespace assay::cpu
