#include "backends/cuda/kernels/lowering.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/ir/attribute_values.h"

namespace assay::cuda {

absl::Status Unsupported(const Instruction& instruction, absl::string_view what) {
  return absl::UnimplementedError(
      absl::StrCat("the cuda backend has no kernel for ", what, ": ", instruction.Describe()));
}

ElementRow RowOf(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  ElementRow row;
  row.bits = static_cast<uint8_t>(info.bits);
  row.bytes = static_cast<uint8_t>(info.storage_bytes);
  switch (info.element_class) {
    case ElementClass::kSigned:
      row.kind = kKindSigned;
      return row;
    case ElementClass::kUnsigned:
      row.kind = kKindUnsigned;
      return row;
    case ElementClass::kFloat:
      row.kind = kKindFloat;
      break;
    case ElementClass::kComplex:
      row.kind = kKindComplex;
      row.bits /= 2;
      break;
    default:
      return row;
  }
  const FloatFormat& format = *Info(info.component).format;
  row.exponent_bits = static_cast<uint8_t>(format.exponent_bits);
  row.significand_bits = static_cast<uint8_t>(format.significand_bits);
  row.bias = static_cast<int16_t>(format.bias);
  row.has_infinity = format.has_infinity;
  row.has_sign = format.has_sign;
  row.signed_zero = format.signed_zero;
  switch (format.nan) {
    case NanEncoding::kNone:
      row.nan = kNanAbsent;
      break;
    case NanEncoding::kIeee:
      row.nan = kNanIeee;
      break;
    case NanEncoding::kAllOnes:
      row.nan = kNanAllOnes;
      break;
    case NanEncoding::kNegativeZero:
      row.nan = kNanNegativeZero;
      break;
  }
  switch (format.overflow) {
    case Overflow::kInfinity:
      row.overflow = kOverflowInfinity;
      break;
    case Overflow::kNan:
      row.overflow = kOverflowNan;
      break;
    case Overflow::kSaturate:
      row.overflow = kOverflowSaturate;
      break;
  }
  return row;
}

absl::StatusOr<Step> StepOf(const Instruction& instruction) {
  static_assert(static_cast<int>(Op::kXor) == static_cast<int>(Opcode::kXor));
  const Opcode opcode = instruction.opcode();
  if (instruction.operand_count() < 1 || instruction.operand_count() > 3) {
    return Unsupported(instruction, "so many operands");
  }
  Step step;
  step.op = static_cast<Op>(opcode);
  step.in = RowOf(instruction.operand(0)->shape());
  step.out = RowOf(instruction.shape());
  if (opcode == Opcode::kSelect) step.in = step.out;
  // An order of complex numbers is no operation that the specification knows.
  if (step.in.kind == kKindComplex && (opcode == Opcode::kMaximum || opcode == Opcode::kMinimum ||
                                       opcode == Opcode::kClamp || opcode == Opcode::kRemainder)) {
    return Unsupported(instruction, "an order of complex numbers");
  }
  if (opcode == Opcode::kCompare) {
    step.direction =
        static_cast<uint8_t>(instruction.GetEnum<ComparisonDirection>(Attr::kDirection));
    const std::optional<int64_t> type = instruction.FindInt(Attr::kComparisonType);
    step.total_order =
        type.has_value() && static_cast<ComparisonType>(*type) == ComparisonType::kTotalOrder;
  }
  if (opcode == Opcode::kReducePrecision) {
    step.exponent_bits =
        static_cast<uint8_t>(std::min<int64_t>(instruction.GetInt(Attr::kExponentBits), 30));
    step.mantissa_bits =
        static_cast<uint8_t>(std::min<int64_t>(instruction.GetInt(Attr::kMantissaBits), 100));
  }
  if (opcode == Opcode::kStochasticConvert && step.out.kind != kKindSigned) {
    return Unsupported(instruction, "stochastic-convert to anything but signed integers");
  }
  return step;
}

absl::StatusOr<Box> BoxOf(const Instruction& instruction, absl::Span<const int64_t> sizes) {
  if (sizes.size() > kMostDimensions) return Unsupported(instruction, "so many dimensions");
  Box box;
  box.rank = static_cast<int32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), box.sizes);
  return box;
}
Strides StridesOf(absl::Span<const int64_t> strides, int64_t offset) {
  Strides result;
  result.offset = offset;
  std::copy(strides.begin(), strides.end(), result.strides);
  return result;
}
Strides DenseStrides(absl::Span<const int64_t> sizes) { return StridesOf(RowMajorStrides(sizes)); }

Extent BlocksFor(int64_t count, int64_t threads, int64_t elements_per_thread) {
  const int64_t blocks =
      (count + threads * elements_per_thread - 1) / (threads * elements_per_thread);
  return {static_cast<uint32_t>(std::clamp<int64_t>(blocks, 1, 4096)), 1, 1};
}
int64_t ThreadsFor(int64_t count, int64_t most) {
  return std::clamp<int64_t>((count + 31) / 32 * 32, 32, most);
}

BufferUse AddScratch(KernelPlan& plan, int64_t bytes) {
  plan.scratch_bytes.push_back(bytes);
  return Scratch(static_cast<int64_t>(plan.scratch_bytes.size()) - 1);
}
BufferUse AddConstant(KernelPlan& plan, std::vector<std::byte> bytes) {
  plan.constants.push_back(std::move(bytes));
  return Constant(static_cast<int64_t>(plan.constants.size()) - 1);
}

void AppendPart(KernelPlan part, absl::FunctionRef<BufferUse(const BufferUse& use)> place,
                KernelPlan& plan) {
  const auto scratch = static_cast<int32_t>(plan.scratch_bytes.size());
  const auto constants = static_cast<int32_t>(plan.constants.size());
  for (KernelLaunch& launch : part.launches) {
    for (PointerSlot& pointer : launch.pointers) {
      BufferUse& use = pointer.buffer;
      if (use.kind == BufferUse::Kind::kScratch) {
        use.number += scratch;
      } else if (use.kind == BufferUse::Kind::kConstant) {
        use.number += constants;
      } else {
        const int64_t offset = use.offset;
        use = place(use);
        use.offset += offset;
      }
    }
    plan.launches.push_back(std::move(launch));
  }
  plan.scratch_bytes.insert(plan.scratch_bytes.end(), part.scratch_bytes.begin(),
                            part.scratch_bytes.end());
  for (std::vector<std::byte>& constant : part.constants) {
    plan.constants.push_back(std::move(constant));
  }
}

namespace {

template <typename T>
void AppendBytes(const T& value, std::vector<std::byte>& bytes) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

// Gives each register of a region a number of its own while it is needed, and a constant a number
// from kConstantBase on.
class RegisterNames {
 public:
  explicit RegisterNames(const analysis::FlatRegion& region)
      : names_(region.register_count, -1), last_use_(region.register_count, -1) {
    const int64_t inputs = static_cast<int64_t>(region.parameter_types.size());
    for (int64_t i = 0; i < inputs; ++i) names_[i] = static_cast<int16_t>(i);
    count_ = static_cast<int>(inputs);
    for (size_t c = 0; c < region.constants.size(); ++c) {
      names_[region.constants[c].first] = static_cast<int16_t>(kConstantBase + c);
    }
    const int end = static_cast<int>(region.steps.size());
    for (int i = 0; i < end; ++i) {
      const analysis::FlatRegion::Step& step = region.steps[i];
      for (int64_t k = 0; k < step.instruction->operand_count(); ++k) {
        last_use_[step.operands[k]] = i;
      }
    }
    for (const int32_t result : region.results) last_use_[result] = end;
  }
  int16_t operand(int32_t number) const { return names_[number]; }
  // The name of a step's result; operands that are needed no more give theirs back.
  int16_t NameResult(const analysis::FlatRegion::Step& step, int at, int64_t inputs) {
    for (int64_t k = 0; k < step.instruction->operand_count(); ++k) {
      const int32_t number = step.operands[k];
      const int16_t name = names_[number];
      if (last_use_[number] != at || name < inputs || name >= kConstantBase) continue;
      if (std::find(free_.begin(), free_.end(), name) == free_.end()) free_.push_back(name);
    }
    int16_t name = static_cast<int16_t>(count_);
    if (free_.empty()) {
      ++count_;
    } else {
      name = free_.back();
      free_.pop_back();
    }
    return names_[step.result] = name;
  }
  int count() const { return count_; }

 private:
  std::vector<int16_t> names_;
  std::vector<int> last_use_;
  std::vector<int16_t> free_;
  int count_ = 0;
};

absl::Status Encode(const analysis::FlatRegion& region, const Instruction& instruction,
                    Program& program, std::vector<std::byte>& code) {
  if (region.register_count >= kConstantBase / 2) {
    return Unsupported(instruction, "a region of so many steps");
  }
  for (const auto& [number, element] : region.constants) {
    AppendBytes(Value{element.bits, element.imag}, code);
  }
  RegisterNames names(region);
  const int64_t inputs = static_cast<int64_t>(region.parameter_types.size());
  for (size_t i = 0; i < region.steps.size(); ++i) {
    const analysis::FlatRegion::Step& from = region.steps[i];
    absl::StatusOr<Step> step = StepOf(*from.instruction);
    if (!step.ok()) return step.status();
    for (int64_t k = 0; k < from.instruction->operand_count(); ++k) {
      step->operands[k] = names.operand(from.operands[k]);
    }
    // Absent operands read what is there.
    for (int64_t k = from.instruction->operand_count(); k < 3; ++k) {
      step->operands[k] = step->operands[0];
    }
    step->result = names.NameResult(from, static_cast<int>(i), inputs);
    AppendBytes(*step, code);
  }
  for (const ElementType type : region.parameter_types) AppendBytes(RowOf(type), code);
  for (const ElementType type : region.result_types) AppendBytes(RowOf(type), code);
  for (const int32_t result : region.results) AppendBytes(names.operand(result), code);
  code.resize((code.size() + 15) / 16 * 16 + 16);
  program.constants = static_cast<int32_t>(region.constants.size());
  program.steps = static_cast<int32_t>(region.steps.size());
  program.inputs = static_cast<int32_t>(inputs);
  program.results = static_cast<int32_t>(region.results.size());
  program.registers = std::max(1, names.count());
  return absl::OkStatus();
}

}  // namespace

PlacedProgram Place(const analysis::FlatRegion& region, int64_t count, KernelPlan& plan,
                    const Instruction& instruction, absl::Status& status, int64_t threads) {
  PlacedProgram placed;
  std::vector<std::byte> code;
  status = Encode(region, instruction, placed.program, code);
  if (!status.ok()) return placed;
  placed.code = AddConstant(plan, std::move(code));
  constexpr int64_t kShared = 40 << 10;
  const int64_t bytes = placed.program.registers * static_cast<int64_t>(sizeof(Value));
  int64_t block = threads > 0 ? threads : ThreadsFor(count);
  while (threads == 0 && block > 32 && block * bytes > kShared) block /= 2;
  block = block / 32 * 32;
  placed.threads = {static_cast<uint32_t>(block), 1, 1};
  placed.blocks = BlocksFor(count, block);
  placed.shared_bytes = block * bytes;
  if (placed.shared_bytes > kShared) {
    placed.shared_bytes = 0;
    placed.blocks.x = std::min<uint32_t>(placed.blocks.x, 64);
    placed.has_registers_memory = true;
    placed.registers_memory = AddScratch(plan, placed.blocks.x * block * bytes);
  }
  return placed;
}

void AddPointers(const Program& member, const PlacedProgram& placed,
                 std::vector<MemberPointer>& pointers) {
  pointers.push_back({&member.code, placed.code});
  if (placed.has_registers_memory) {
    pointers.push_back({&member.registers_memory, placed.registers_memory});
  }
}

absl::StatusOr<analysis::FlatRegion> RegionOfInstruction(const Instruction& instruction) {
  analysis::FlatRegion region;
  analysis::FlatRegion::Step step;
  step.instruction = &instruction;
  if (instruction.operand_count() > 3) return Unsupported(instruction, "so many operands");
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    step.operands[k] = static_cast<int32_t>(k);
    region.parameter_types.push_back(instruction.operand(k)->shape().element_type());
  }
  step.result = static_cast<int32_t>(instruction.operand_count());
  region.steps = {step};
  region.results = {step.result};
  region.result_types = {instruction.shape().element_type()};
  region.register_count = step.result + 1;
  return region;
}
analysis::FlatRegion EmptyRegion() { return {}; }

ElementType AccumulatorType(const Computation& reducer, int64_t k) {
  return reducer.parameters()[k]->shape().element_type();
}

Fold FoldOf(const analysis::Reducer& reducer, ElementType type) {
  using analysis::ReducerKind;
  Fold fold;
  fold.row = RowOf(type);
  fold.kind = FoldKind::kWide;
  switch (reducer.kind) {
    case ReducerKind::kAdd:
      fold.op = Op::kAdd;
      return fold;
    case ReducerKind::kMultiply:
      fold.op = Op::kMultiply;
      break;
    case ReducerKind::kMinimum:
      fold.op = Op::kMinimum;
      return fold;
    case ReducerKind::kMaximum:
      fold.op = Op::kMaximum;
      return fold;
    case ReducerKind::kAnd:
      fold.op = Op::kAnd;
      return fold;
    case ReducerKind::kOr:
      fold.op = Op::kOr;
      return fold;
    case ReducerKind::kXor:
      fold.op = Op::kXor;
      return fold;
    default:
      fold.kind = FoldKind::kProgram;
      return fold;
  }
  if (fold.row.kind == kKindComplex) fold.kind = FoldKind::kProgram;
  return fold;
}

namespace {

// Leaves out dimensions of one element and joins those that are one run in both arrays.
std::vector<CopyLoop> Joined(const std::vector<CopyLoop>& loops) {
  std::vector<CopyLoop> joined;
  for (const CopyLoop& loop : loops) {
    if (loop.size == 1) continue;
    if (!joined.empty() && joined.back().from == loop.from * loop.size &&
        joined.back().to == loop.to * loop.size) {
      joined.back() = {joined.back().size * loop.size, loop.from, loop.to};
    } else {
      joined.push_back(loop);
    }
  }
  return joined;
}

}  // namespace

absl::Status AddCopy(KernelPlan& plan, const Instruction& instruction, int64_t bytes,
                     BufferUse from, int64_t from_offset, BufferUse to, int64_t to_offset,
                     std::vector<CopyLoop> loops) {
  int64_t count = 1;
  for (const CopyLoop& loop : loops) count *= loop.size;
  if (count == 0) return absl::OkStatus();
  loops = Joined(loops);
  if (loops.size() > kMostDimensions) return Unsupported(instruction, "so many dimensions");
  constexpr int64_t kTransposed = 8;  // smaller sides are no use for tiles
  if (loops.size() == 2 && loops[1].to == 1 && loops[0].to == loops[1].size && loops[0].from == 1 &&
      loops[1].from == loops[0].size && loops[0].size >= kTransposed &&
      loops[1].size >= kTransposed) {
    TransposeParameter p;
    p.rows = loops[1].size;
    p.columns = loops[0].size;
    from.offset += from_offset * bytes;
    to.offset += to_offset * bytes;
    const int64_t tiles = (p.rows + 31) / 32 * ((p.columns + 31) / 32);
    plan.launches.push_back(MakeLaunch(absl::StrCat("Transpose", bytes), BlocksFor(tiles, 1, 1),
                                       {256, 1, 1}, 0, p, {{&p.in, from}, {&p.out, to}}));
    return absl::OkStatus();
  }
  CopyParameter p;
  p.count = count;
  p.box.rank = static_cast<int32_t>(loops.size());
  p.from.offset = from_offset;
  p.to.offset = to_offset;
  for (size_t d = 0; d < loops.size(); ++d) {
    p.box.sizes[d] = loops[d].size;
    p.from.strides[d] = loops[d].from;
    p.to.strides[d] = loops[d].to;
  }
  const int64_t threads = ThreadsFor(count);
  plan.launches.push_back(MakeLaunch(absl::StrCat("Copy", bytes), BlocksFor(count, threads),
                                     {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                     {{&p.in, from}, {&p.out, to}}));
  return absl::OkStatus();
}

absl::Status AddDenseCopy(KernelPlan& plan, const Instruction& instruction, int64_t bytes,
                          int64_t count, BufferUse from, BufferUse to) {
  return AddCopy(plan, instruction, bytes, from, 0, to, 0, {{count, 1, 1}});
}

absl::Status AddViewCopy(KernelPlan& plan, const Instruction& instruction, int64_t bytes,
                         const View& view, BufferUse to) {
  if (view.element_count() == 0) return absl::OkStatus();
  const Dimensions dense = RowMajorStrides(view.sizes());
  // The pieces of the highest precedence are written last.
  for (auto piece = view.pieces().rbegin(); piece != view.pieces().rend(); ++piece) {
    std::vector<CopyLoop> loops;
    int64_t from = piece->offset, offset = 0;
    for (size_t d = 0; d < piece->box.size(); ++d) {
      const Progression& range = piece->box[d];
      loops.push_back({range.count, piece->strides[d], range.step * dense[d]});
      offset += range.first * dense[d];
    }
    absl::Status status = AddCopy(plan, instruction, bytes, Operand(piece->source), from, to,
                                  offset, std::move(loops));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace assay::cuda
