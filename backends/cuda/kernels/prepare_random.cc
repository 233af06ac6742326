// Launches of rng-bit-generator, of rng, and of custom calls that are well known. The result of rng
// depends on the words that are drawn for the run; no specification says which numbers come.
// Source: docs/custom_calls.md. Tests: cuda_kernels_test.cc.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/cuda/kernels/lowering.h"
#include "spec/elementwise_info.h"
#include "spec/ir/attribute_values.h"

namespace assay::cuda {
namespace {

// Custom calls.
struct CustomCall {
  const Instruction& instruction;
  KernelPlan& plan;
  std::vector<const Shape*> operands, results;  // leaves
};

absl::Status BadCustomCall(const CustomCall& call, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("custom call ", call.instruction.GetString(Attr::kCustomCallTarget), ": ", what,
                   ": ", call.instruction.Describe()));
}

absl::Status PassOn(CustomCall& call) {
  bool agree = call.operands.size() == call.results.size();
  for (size_t k = 0; agree && k < call.results.size(); ++k) {
    agree = Shape::Compatible(*call.operands[k], *call.results[k]);
  }
  if (!agree) return BadCustomCall(call, "operands and result must have the same shapes");
  absl::Status status;
  for (size_t k = 0; k < call.results.size() && status.ok(); ++k) {
    const Shape& shape = *call.results[k];
    const int64_t at = static_cast<int64_t>(k);
    if (!shape.is_array()) continue;
    status = AddDenseCopy(call.plan, call.instruction, BytesOf(shape), shape.element_count(),
                          Operand(at), Result(at));
  }
  return status;
}

absl::Status GiveNothing(CustomCall& call) {
  return call.results.empty() ? absl::OkStatus() : BadCustomCall(call, "the result must be ()");
}

absl::Status GiveZeros(CustomCall& call) {
  if (!call.operands.empty()) return BadCustomCall(call, "takes no operands");
  for (size_t k = 0; k < call.results.size(); ++k) {
    IotaParameter p;
    p.row = RowOf(ElementType::kU8);
    p.count = call.results[k]->element_count() * BytesOf(*call.results[k]);
    if (p.count == 0) continue;
    const int64_t threads = ThreadsFor(p.count);
    call.plan.launches.push_back(MakeLaunch("Iota", BlocksFor(p.count, threads),
                                            {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                            {{&p.out, Result(static_cast<int64_t>(k))}}));
  }
  return absl::OkStatus();
}

bool HaveSameSizes(const CustomCall& call, size_t operands, size_t results) {
  if (call.operands.size() != operands || call.results.size() != results) return false;
  for (const auto* list : {&call.operands, &call.results}) {
    for (const Shape* shape : *list) {
      if (!shape->is_array() || !Shape::SameDimensions(*shape, *call.results[0])) return false;
    }
  }
  return true;
}

absl::Status Join64(CustomCall& call) {
  if (!HaveSameSizes(call, 2, 1) || BytesOf(*call.results[0]) != 8 ||
      IsComplex(call.results[0]->element_type()) || BytesOf(*call.operands[0]) != 4 ||
      BytesOf(*call.operands[1]) != 4) {
    return BadCustomCall(call, "takes low and high halves of 32 bits");
  }
  HalvesParameter p;
  p.count = call.results[0]->element_count();
  if (p.count == 0) return absl::OkStatus();
  const int64_t threads = ThreadsFor(p.count);
  call.plan.launches.push_back(
      MakeLaunch("JoinHalves", BlocksFor(p.count, threads), {static_cast<uint32_t>(threads), 1, 1},
                 0, p, {{&p.in, Operand(0)}, {&p.high, Operand(1)}, {&p.out, Result(0)}}));
  return absl::OkStatus();
}
template <bool high>
absl::Status Split64(CustomCall& call) {
  if (!HaveSameSizes(call, 1, 1) || BytesOf(*call.operands[0]) != 8 ||
      IsComplex(call.operands[0]->element_type()) || BytesOf(*call.results[0]) != 4) {
    return BadCustomCall(call, "takes values of 64 bits and gives halves of them");
  }
  HalvesParameter p;
  p.count = call.results[0]->element_count();
  p.high_half = high;
  if (p.count == 0) return absl::OkStatus();
  const int64_t threads = ThreadsFor(p.count);
  call.plan.launches.push_back(MakeLaunch("SplitHalf", BlocksFor(p.count, threads),
                                          {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                          {{&p.in, Operand(0)}, {&p.out, Result(0)}}));
  return absl::OkStatus();
}

absl::Status ThreefryWords(CustomCall& call) {
  bool agree = HaveSameSizes(call, 4, 2);
  for (const auto* list : {&call.operands, &call.results}) {
    for (const Shape* shape : *list) agree &= shape->element_type() == ElementType::kU32;
  }
  if (!agree) return BadCustomCall(call, "takes four u32 arrays and gives two");
  ThreefryParameter p;
  p.count = call.results[0]->element_count();
  if (p.count == 0) return absl::OkStatus();
  const int64_t threads = ThreadsFor(p.count);
  call.plan.launches.push_back(MakeLaunch("ThreefryElements", BlocksFor(p.count, threads),
                                          {static_cast<uint32_t>(threads), 1, 1}, 0, p,
                                          {{&p.key[0], Operand(0)},
                                           {&p.key[1], Operand(1)},
                                           {&p.counter[0], Operand(2)},
                                           {&p.counter[1], Operand(3)},
                                           {&p.out[0], Result(0)},
                                           {&p.out[1], Result(1)}}));
  return absl::OkStatus();
}

// The elementwise operation of the catalogue that the target means.
absl::Status ComputeElements(CustomCall& call) {
  const Opcode opcode = *ElementwiseCustomCall(call.instruction.GetString(Attr::kCustomCallTarget));
  if (!HaveSameSizes(call, 1, 1) ||
      call.operands[0]->element_type() != call.results[0]->element_type()) {
    return BadCustomCall(call, "operand and result must be arrays of the same sizes");
  }
  const ElementType type = call.results[0]->element_type();
  if (!Info(opcode).types.Contains(type)) {
    return BadCustomCall(call, "is not defined on elements of this type");
  }
  Instruction x(Opcode::kParameter, *call.operands[0]);
  Instruction op(opcode, *call.results[0]);
  op.set_operands({&x});
  absl::StatusOr<KernelPlan> plan = PrepareElementwise(op, {});
  if (!plan.ok()) return plan.status();
  call.plan = *std::move(plan);
  return absl::OkStatus();
}

// The largest of the last dimension, and where they stand.
absl::Status TakeLargest(CustomCall& call) {
  if (call.operands.size() != 1 || call.results.size() != 2 || call.operands[0]->rank() == 0 ||
      !Shape::SameDimensions(*call.results[0], *call.results[1]) ||
      call.results[0]->rank() != call.operands[0]->rank() ||
      call.results[0]->element_type() != call.operands[0]->element_type() ||
      call.results[1]->element_type() != ElementType::kS32) {
    return BadCustomCall(call, "takes an array and gives values and s32 indices");
  }
  const int64_t last = call.operands[0]->rank() - 1;
  for (int64_t d = 0; d < last; ++d) {
    if (call.results[0]->dimension(d) != call.operands[0]->dimension(d)) {
      return BadCustomCall(call, "only the last dimension may be cut");
    }
  }
  if (call.results[0]->dimension(last) > call.operands[0]->dimension(last)) {
    return BadCustomCall(call, "there are fewer elements than the result has");
  }
  Instruction x(Opcode::kParameter, *call.operands[0]);
  Instruction topk(Opcode::kTopK, Shape::Tuple({*call.results[0], *call.results[1]}));
  topk.set_operands({&x});
  topk.SetAttribute(Attr::kK, call.results[0]->dimension(last));
  absl::StatusOr<KernelPlan> plan = PrepareTopK(topk, {});
  if (!plan.ok()) return plan.status();
  call.plan = *std::move(plan);
  return absl::OkStatus();
}

using CustomCallPrepare = absl::Status (*)(CustomCall& call);
struct CustomCallRow {
  absl::string_view target;
  CustomCallPrepare prepare;
};
constexpr CustomCallRow kCustomCalls[] = {
    {"AllocateBuffer", GiveZeros},
    {"CreateBuffer", GiveZeros},
    {"LayoutConstraint", PassOn},
    {"MoveToDevice", PassOn},
    {"MoveToHost", PassOn},
    {"Pin", PassOn},
    {"SPMDFullToShardShape", PassOn},
    {"SPMDShardToFullShape", PassOn},
    {"ShardBarrierFrom", PassOn},
    {"ShardBarrierTo", PassOn},
    {"Sharding", PassOn},
    {"TopK", TakeLargest},
    {"Unpin", PassOn},
    {"X64Combine", Join64},
    {"X64SplitHigh", Split64<true>},
    {"X64SplitLow", Split64<false>},
    {"annotate_device_placement", PassOn},
    {"cu_threefry2x32_ffi", ThreefryWords},
    {"dce_sink", GiveNothing},
    {"hip_threefry2x32_ffi", ThreefryWords},
    {"mhlo.topk", TakeLargest},
    {"xla.sdy.FuncResultSharding", PassOn},
    {"xla.sdy.GlobalToLocalShape", PassOn},
    {"xla.sdy.LocalToGlobalShape", PassOn},
    {"xla.sdy.PropagationBarrier", PassOn},
    {"xla.sdy.ShardingGroup", GiveNothing},
};

// Null for targets that are not known.
CustomCallPrepare FindCustomCall(absl::string_view target) {
  if (ElementwiseCustomCall(target)) return ComputeElements;
  for (const CustomCallRow& row : kCustomCalls) {
    if (row.target == target) return row.prepare;
  }
  return nullptr;
}

absl::StatusOr<EffectPlan> PrepareCustomCall(const Instruction& instruction) {
  const CustomCallPrepare prepare = FindCustomCall(instruction.GetString(Attr::kCustomCallTarget));
  if (prepare == nullptr) return Unsupported(instruction, "this target");
  EffectPlan effect;
  CustomCall call = {instruction, effect.kernels, {}, Leaves(instruction.shape())};
  for (const Instruction* operand : instruction.operands()) {
    for (const Shape* leaf : Leaves(operand->shape())) call.operands.push_back(leaf);
  }
  absl::Status status = prepare(call);
  if (!status.ok()) return status;
  return effect;
}

absl::StatusOr<EffectPlan> PrepareDraw(const Instruction& rng) {
  EffectPlan effect;
  effect.seed_words = 2;
  effect.kernels.constants.emplace_back();
  DrawParameter p;
  p.row = RowOf(rng.shape());
  p.count = rng.shape().element_count();
  p.normal = rng.GetEnum<RandomDistribution>(Attr::kDistribution) == RandomDistribution::kNormal;
  if (p.count == 0) return effect;
  if (rng.operand_count() != 2) return Unsupported(rng, "so many operands");
  const int64_t threads = ThreadsFor(p.count);
  effect.kernels.launches.push_back(MakeLaunch(
      "Draw", BlocksFor(p.count, threads), {static_cast<uint32_t>(threads), 1, 1}, 0, p,
      {{&p.seed, Constant(0)}, {&p.low, Operand(0)}, {&p.high, Operand(1)}, {&p.out, Result(0)}}));
  return effect;
}

}  // namespace

absl::StatusOr<EffectPlan> PrepareEffectKernels(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kCustomCall:
      return PrepareCustomCall(instruction);
    case Opcode::kRng:
      return PrepareDraw(instruction);
    default:
      return Unsupported(instruction, "this effect");
  }
}

KernelPlanOr PrepareRngBitGenerator(const Instruction& generator,
                                    absl::Span<const View> /*views*/) {
  KernelPlan plan;
  const Shape& shape = generator.shape().tuple_shape(1);
  BitsParameter p;
  p.row = RowOf(shape);
  p.state_words = static_cast<int32_t>(generator.operand(0)->shape().element_count());
  p.count = shape.element_count();
  p.three_fry =
      generator.GetEnum<RandomAlgorithm>(Attr::kRngAlgorithm) == RandomAlgorithm::kThreeFry;
  // Words come in pairs along the first dimension of even size, else along the first of the
  // largest.
  int64_t split = -1;
  for (int64_t d = 0; d < shape.rank() && split < 0; ++d) {
    if (shape.dimension(d) % 2 == 0) split = d;
  }
  for (int64_t d = 0; d < shape.rank() && (split < 0 || shape.dimension(split) % 2 != 0); ++d) {
    if (split < 0 || shape.dimension(d) > shape.dimension(split)) split = d;
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    (d < split ? p.outer : d == split ? p.size : p.inner) *= shape.dimension(d);
  }
  if (!p.three_fry) {
    const int64_t in_block = p.row.bits == 64 ? 2 : 4;
    p.blocks = (p.count + in_block - 1) / in_block;
  } else {
    p.blocks = p.row.bits == 64 ? p.count : p.outer * ((p.size + 1) / 2) * p.inner;
  }
  const int64_t threads = ThreadsFor(p.blocks);
  plan.launches.push_back(
      MakeLaunch("RandomBits", BlocksFor(p.blocks, threads), {static_cast<uint32_t>(threads), 1, 1},
                 0, p, {{&p.state, Operand(0)}, {&p.new_state, Result(0)}, {&p.out, Result(1)}}));
  return plan;
}

}  // namespace assay::cuda
