// Fusions as launches. A web of elementwise operations on arrays of one size is one launch of the
// kernel that interprets programs, whose inputs are read through the data movement before them.
// Operations with kernels of their own (a dot, a reduce) stay launches; what goes between the parts
// lies in scratch memory. No bit changes: every operation still rounds to its type.
// Tests: cuda_counts_test.cc.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "backends/cuda/kernels/lowering.h"
#include "spec/analysis/movement.h"

namespace assay::cuda {
namespace {

constexpr int64_t kMostFused = 256;  // instructions; planning recurses

bool IsLane(const Instruction& x) {
  if (!x.info().elementwise() || x.opcode() == Opcode::kRng || !x.shape().is_array()) return false;
  for (const Instruction* operand : x.operands()) {
    if (!operand->shape().is_array()) return false;
    if (operand->shape().rank() > 0 && !Shape::SameDimensions(operand->shape(), x.shape())) {
      return false;
    }
  }
  return x.operand_count() >= 1 && x.operand_count() <= 3;
}

class FusionPlanner {
 public:
  FusionPlanner(const Instruction& fusion, KernelProvider* provider)
      : fusion_(fusion), computation_(*fusion.GetComputation(Attr::kCalls)), provider_(provider) {}

  KernelPlanOr Plan() && {
    if (absl::Status status = CheckFused(); !status.ok()) return status;
    const Instruction& root = *computation_.root();
    const bool tuple = root.opcode() == Opcode::kTuple;
    const int64_t results = tuple ? root.operand_count() : 1;
    for (int64_t k = 0; k < results; ++k) {
      const Instruction& value = tuple ? *root.operand(k) : root;
      absl::Status status = Give(value, Result(k));
      if (!status.ok()) return status;
    }
    return std::move(plan_);
  }

 private:
  // An input of a web: a view of numbered arrays, or one element for all indices.
  struct LaneInput {
    const Instruction* value = nullptr;
    View view;
  };
  struct Web {
    const Instruction* root = nullptr;
    std::vector<LaneInput> inputs;
    analysis::FlatRegion region;
    absl::flat_hash_map<const Instruction*, int32_t> registers;
  };
  // Inputs take the first registers, which are not counted before all are known.
  static constexpr int32_t kOthers = 1 << 20;

  absl::Status CheckFused() const {
    if (computation_.instruction_count() > kMostFused) {
      return Unsupported(fusion_, "so large a fusion");
    }
    for (const auto& instruction : computation_.instructions()) {
      const bool root = instruction.get() == computation_.root();
      const bool tuple = root && instruction->opcode() == Opcode::kTuple;
      if (!tuple && (!instruction->shape().is_array() || instruction->shape().is_dynamic() ||
                     instruction->shape().element_count() == 0)) {
        return Unsupported(fusion_, "a fusion of such values");
      }
    }
    return absl::OkStatus();
  }

  // Writes the value to `into`. Results that are operands or have been written are copied.
  absl::Status Give(const Instruction& value, BufferUse into) {
    if (value.opcode() != Opcode::kParameter && value.opcode() != Opcode::kConstant &&
        !buffer_of_.contains(&value)) {
      return Store(value, into).status();
    }
    absl::StatusOr<int64_t> number = Store(value, std::nullopt);
    if (!number.ok()) return number.status();
    return AddDenseCopy(plan_, fusion_, BytesOf(value.shape()), value.shape().element_count(),
                        buffers_[*number], into);
  }

  int64_t NewBuffer(const Instruction& x, BufferUse buffer) {
    buffers_.push_back(buffer);
    return buffer_of_[&x] = static_cast<int64_t>(buffers_.size()) - 1;
  }

  // The number of the array that holds a value, densely; scratch if `into` does not say which.
  absl::StatusOr<int64_t> Store(const Instruction& x, std::optional<BufferUse> into) {
    const auto found = buffer_of_.find(&x);
    if (found != buffer_of_.end()) return found->second;
    if (x.opcode() == Opcode::kParameter) return NewBuffer(x, Operand(x.parameter_number()));
    if (x.opcode() == Opcode::kConstant) {
      if (x.literal() == nullptr) return Unsupported(fusion_, "a constant without elements");
      const std::byte* const data = x.literal()->data();
      return NewBuffer(x, AddConstant(plan_, {data, data + x.literal()->byte_size()}));
    }
    if (!into.has_value() && analysis::IsMovement(x.opcode())) {
      absl::StatusOr<View> view = MovedView(x);
      if (!view.ok()) return view.status();
      if (view->is_dense()) return NewBuffer(x, buffers_[view->affine()->source]);
    }
    if (!into.has_value()) {
      into = AddScratch(plan_, x.shape().element_count() * BytesOf(x.shape()));
    }
    absl::Status status;
    absl::StatusOr<bool> added = AddDotAndBias(x, *into);
    if (!added.ok()) return added.status();
    if (*added) {
      // nothing is left to do
    } else if (IsLane(x)) {
      status = AddWeb(x, *into);
    } else if (analysis::IsMovement(x.opcode())) {
      absl::StatusOr<View> view = MovedView(x);
      if (!view.ok()) return view.status();
      status = AddNumberedCopy(*view, BytesOf(x.shape()), *into);
    } else {
      status = AddOwnKernels(x, *into);
    }
    if (!status.ok()) return status;
    return NewBuffer(x, *into);
  }

  // A value as a view of stored arrays. What is computed is stored first.
  absl::StatusOr<View> ViewOfValue(const Instruction& x) {
    if (analysis::IsMovement(x.opcode()) && !buffer_of_.contains(&x)) return MovedView(x);
    absl::StatusOr<int64_t> number = Store(x, std::nullopt);
    if (!number.ok()) return number.status();
    return View::Dense(x.shape().dimensions(), *number);
  }
  absl::StatusOr<View> MovedView(const Instruction& move) {
    std::vector<View> operands;
    for (const Instruction* operand : move.operands()) {
      absl::StatusOr<View> view = ViewOfValue(*operand);
      if (!view.ok()) return view.status();
      operands.push_back(*std::move(view));
    }
    std::optional<View> moved = ViewOf(move, operands);
    if (moved.has_value()) return *std::move(moved);
    // A reshape of what is stored needs no division.
    const Instruction& operand = *move.operand(0);
    if (move.opcode() != Opcode::kReshape) return Unsupported(move, "this move");
    const BufferUse scratch =
        AddScratch(plan_, operand.shape().element_count() * BytesOf(operand.shape()));
    absl::Status status = AddNumberedCopy(operands[0], BytesOf(operand.shape()), scratch);
    if (!status.ok()) return status;
    return View::Dense(move.shape().dimensions(), NewBuffer(operand, scratch));
  }

  absl::Status AddNumberedCopy(const View& view, int64_t bytes, BufferUse to) {
    KernelPlan copy;  // its target is result 0, so that all its operands are sources
    absl::Status status = AddViewCopy(copy, fusion_, bytes, view, Result(0));
    if (!status.ok()) return status;
    Append(std::move(copy), {}, to);
    return absl::OkStatus();
  }

  // Appends the plan of a part: its operand k is array numbers[k] (array k without numbers), its
  // result goes to `into`.
  void Append(KernelPlan part, absl::Span<const int64_t> numbers, BufferUse into) {
    for (KernelLaunch& launch : part.launches) launch.copies_in_place_operand = false;
    AppendPart(
        std::move(part),
        [&](const BufferUse& use) {
          if (use.kind == BufferUse::Kind::kResult) return into;
          return buffers_[numbers.empty() ? use.number : numbers[use.number]];
        },
        plan_);
  }

  absl::Status AddOwnKernels(const Instruction& x, BufferUse into) {
    std::vector<int64_t> numbers;
    for (const Instruction* operand : x.operands()) {
      absl::StatusOr<int64_t> number = Store(*operand, std::nullopt);
      if (!number.ok()) return number.status();
      numbers.push_back(*number);
    }
    if (provider_ != nullptr) {
      if (std::optional<KernelPlan> part = provider_->Prepare(x); part.has_value()) {
        Append(*std::move(part), numbers, into);
        return absl::OkStatus();
      }
    }
    KernelPlanOr part = PrepareKernels(x, {});
    if (!part.ok()) return part.status();
    Append(*std::move(part), numbers, into);
    return absl::OkStatus();
  }

  int64_t CountUses(const Instruction& x) const {
    int64_t uses = 0;
    for (const auto& user : computation_.instructions()) {
      uses += std::count(user->operands().begin(), user->operands().end(), &x);
    }
    return uses;
  }

  // Adds `dot` + broadcast(bias) as one call of a library. Returns false if the provider leaves
  // them to kernels.
  absl::StatusOr<bool> AddDotAndBias(const Instruction& add, BufferUse into) {
    if (provider_ == nullptr || add.opcode() != Opcode::kAdd) return false;
    for (const int64_t k : {0, 1}) {
      const Instruction& dot = *add.operand(k);
      const Instruction& spread = *add.operand(1 - k);
      if (dot.opcode() != Opcode::kDot || CountUses(dot) != 1 || buffer_of_.contains(&dot) ||
          spread.opcode() != Opcode::kBroadcast || spread.operand(0)->shape().rank() != 1 ||
          spread.GetInts(Attr::kDimensions)[0] + 1 != add.shape().rank()) {
        continue;
      }
      const Instruction& bias = *spread.operand(0);
      std::optional<KernelPlan> part = provider_->PrepareDotAndBias(dot, bias);
      if (!part.has_value()) continue;
      std::vector<int64_t> numbers;
      for (const Instruction* operand :
           std::initializer_list<const Instruction*>{dot.operand(0), dot.operand(1), &bias}) {
        absl::StatusOr<int64_t> number = Store(*operand, std::nullopt);
        if (!number.ok()) return number.status();
        numbers.push_back(*number);
      }
      Append(*std::move(part), numbers, into);
      return true;
    }
    return false;
  }

  // The register of a value in a web.
  absl::StatusOr<int32_t> RegisterOf(const Instruction& x, Web& web) {
    const auto found = web.registers.find(&x);
    if (found != web.registers.end()) return found->second;
    if (x.opcode() == Opcode::kConstant && x.shape().rank() == 0 && x.literal() != nullptr) {
      const int32_t number = kOthers + static_cast<int32_t>(web.region.register_count++);
      web.region.constants.push_back({number, x.literal()->Get(0)});
      return web.registers[&x] = number;
    }
    if (x.opcode() == Opcode::kBroadcast && x.operand(0)->shape().rank() == 0) {
      absl::StatusOr<int32_t> number = RegisterOf(*x.operand(0), web);
      if (number.ok()) web.registers[&x] = *number;
      return number;
    }
    const bool fits = x.shape().rank() == 0 || Shape::SameDimensions(x.shape(), web.root->shape());
    if (&x == web.root || (IsLane(x) && fits && !buffer_of_.contains(&x))) {
      analysis::FlatRegion::Step step;
      step.instruction = &x;
      for (int64_t k = 0; k < x.operand_count(); ++k) {
        absl::StatusOr<int32_t> operand = RegisterOf(*x.operand(k), web);
        if (!operand.ok()) return operand;
        step.operands[k] = *operand;
      }
      step.result = kOthers + static_cast<int32_t>(web.region.register_count++);
      web.region.steps.push_back(step);
      return web.registers[&x] = step.result;
    }
    absl::StatusOr<View> view = ViewOfValue(x);
    if (!view.ok()) return view.status();
    web.inputs.push_back({&x, *std::move(view)});
    web.region.parameter_types.push_back(x.shape().element_type());
    return web.registers[&x] = static_cast<int32_t>(web.inputs.size()) - 1;
  }

  static void NumberRegisters(Web& web) {
    const auto inputs = static_cast<int32_t>(web.inputs.size());
    const auto number = [&](int32_t& reg) {
      if (reg >= kOthers) reg += inputs - kOthers;
    };
    for (auto& constant : web.region.constants) number(constant.first);
    for (analysis::FlatRegion::Step& step : web.region.steps) {
      for (int64_t k = 0; k < step.instruction->operand_count(); ++k) number(step.operands[k]);
      number(step.result);
    }
    for (int32_t& result : web.region.results) number(result);
    web.region.register_count += inputs;
  }

  absl::Status AddWeb(const Instruction& root, BufferUse into) {
    Web web;
    web.root = &root;
    absl::StatusOr<int32_t> result = RegisterOf(root, web);
    if (!result.ok()) return result.status();
    web.region.results = {*result};
    web.region.result_types = {root.shape().element_type()};
    if (web.inputs.size() > kMostArrays) return Unsupported(fusion_, "so many inputs");
    NumberRegisters(web);
    ElementwiseParameter p;
    std::vector<MemberPointer> pointers;
    p.count = root.shape().element_count();
    p.inputs = static_cast<int32_t>(web.inputs.size());
    p.outputs = 1;
    absl::StatusOr<Box> box = BoxOf(fusion_, root.shape().dimensions());
    if (!box.ok()) return box.status();
    p.box = *box;
    for (size_t k = 0; k < web.inputs.size(); ++k) {
      absl::Status status = ReadInput(web.inputs[k], root, k, p, pointers);
      if (!status.ok()) return status;
    }
    absl::Status status;
    const PlacedProgram placed = Place(web.region, p.count, plan_, fusion_, status);
    if (!status.ok()) return status;
    p.program = placed.program;
    AddPointers(p.program, placed, pointers);
    p.out_rows[0] = RowOf(root.shape());
    pointers.push_back({&p.out[0], into});
    plan_.launches.push_back(MakeLaunch("Elementwise", placed.blocks, placed.threads,
                                        placed.shared_bytes, p, absl::MakeConstSpan(pointers)));
    return absl::OkStatus();
  }

  // The kernel reads its first inputs by strides; other views that are not dense are stored.
  absl::Status ReadInput(const LaneInput& input, const Instruction& root, size_t k,
                         ElementwiseParameter& p, std::vector<MemberPointer>& pointers) {
    constexpr size_t kStridedInputs = sizeof(p.strides) / sizeof(p.strides[0]);
    const Shape& shape = input.value->shape();
    p.in_rows[k] = RowOf(shape);
    const ViewPiece* const piece = input.view.affine();
    BufferUse buffer;
    if (piece != nullptr && (shape.rank() == 0 || input.view.is_dense())) {
      p.in_scalar[k] = shape.rank() == 0 && root.shape().rank() > 0 ? 1 : 0;
      buffer = buffers_[piece->source];
      buffer.offset += piece->offset * BytesOf(shape);
    } else if (piece != nullptr && k < kStridedInputs && shape.rank() <= kMostDimensions) {
      p.in_strided[k] = 1;
      p.strides[k] = StridesOf(piece->strides, piece->offset);
      buffer = buffers_[piece->source];
    } else {
      buffer = AddScratch(plan_, shape.element_count() * BytesOf(shape));
      absl::Status status = AddNumberedCopy(input.view, BytesOf(shape), buffer);
      if (!status.ok()) return status;
    }
    pointers.push_back({&p.in[k], buffer});
    return absl::OkStatus();
  }

  const Instruction& fusion_;
  const Computation& computation_;
  KernelProvider* const provider_;  // null for none
  KernelPlan plan_;
  std::vector<BufferUse> buffers_;  // of stored values, by number
  absl::flat_hash_map<const Instruction*, int64_t> buffer_of_;
};

}  // namespace

KernelPlanOr PrepareFusion(const Instruction& fusion, KernelProvider* provider) {
  return FusionPlanner(fusion, provider).Plan();
}

}  // namespace assay::cuda
