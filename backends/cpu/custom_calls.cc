// Custom calls whose target has a fixed meaning (docs/custom_calls.md): what only says something to
// a compiler, halves of 64-bit values, seeds, buffers, top-k, and elementwise functions. Every
// other target is refused by name. Source: reference ops_control_and_collectives.md 11.2. Tests:
// kernels_test.cc.
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/random_words.h"
#include "backends/cpu/region.h"
#include "runtime/world.h"
#include "spec/elementwise_info.h"

namespace assay::cpu {
namespace {

// One call. Operands and values are leaves.
struct Call {
  const Instruction& instruction;
  absl::Span<const Literal> operands;
  runtime::Process& process;
  Context& context;
};
using CallResult = absl::StatusOr<std::vector<Literal>>;
using Handler = CallResult (*)(const Call& call);

absl::Status BadCall(const Instruction& call, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "custom call ", call.GetString(Attr::kCustomCallTarget), ": ", what, ": ", call.Describe()));
}

std::vector<const Shape*> ResultShapes(const Call& call) {
  return Leaves(call.instruction.shape());
}

absl::StatusOr<std::vector<Literal>> NewResults(const Call& call) {
  std::vector<Literal> results;
  for (const Shape* shape : ResultShapes(call)) {
    absl::StatusOr<Literal> result = call.process.ZeroArray(*shape);
    if (!result.ok()) return result.status();
    results.push_back(*std::move(result));
  }
  return results;
}

CallResult Same(const Call& call) {
  const std::vector<const Shape*> shapes = ResultShapes(call);
  bool agree = shapes.size() == call.operands.size();
  for (size_t i = 0; agree && i < shapes.size(); ++i) {
    agree = Shape::Compatible(*shapes[i], call.operands[i].shape());
  }
  if (!agree) return BadCall(call.instruction, "operands and result must have the same shapes");
  return std::vector<Literal>(call.operands.begin(), call.operands.end());
}

CallResult Nothing(const Call& call) {
  if (ResultShapes(call).empty()) return std::vector<Literal>();
  return BadCall(call.instruction, "the result must be ()");
}

CallResult Seed(const Call& call) {
  const Shape& shape = call.instruction.shape();
  if (!call.operands.empty() || !shape.is_scalar() || shape.element_type() != ElementType::kU64) {
    return BadCall(call.instruction, "takes nothing and gives u64[]");
  }
  return std::vector<Literal>{
      Literal::Scalar(ElementType::kU64, {call.process.world().options().random_seed})};
}

CallResult Buffer(const Call& call) {
  if (!call.operands.empty()) return BadCall(call.instruction, "takes no operands");
  return NewResults(call);
}

// Whether there are so many operands and one result, arrays of equal sizes.
bool SameSizes(const Call& call, size_t operands) {
  const Shape& shape = call.instruction.shape();
  if (call.operands.size() != operands || !shape.is_array()) return false;
  for (const Literal& operand : call.operands) {
    if (!operand.is_array() || !Shape::SameDimensions(operand.shape(), shape)) return false;
  }
  return true;
}

CallResult CombineHalves(const Call& call) {
  const Shape& shape = call.instruction.shape();
  if (!SameSizes(call, 2) || StorageBytes(shape.element_type()) != 8 ||
      StorageBytes(call.operands[0].element_type()) != 4 ||
      StorageBytes(call.operands[1].element_type()) != 4) {
    return BadCall(call.instruction, "takes low and high halves of 32 bits");
  }
  auto results = NewResults(call);
  if (!results.ok()) return results;
  std::byte* out = (*results)[0].mutable_data();
  for (int64_t i = 0; i < (*results)[0].element_count(); ++i) {
    const uint64_t low = runtime::LoadAt<uint32_t>(call.operands[0].data(), i);
    const uint64_t high = runtime::LoadAt<uint32_t>(call.operands[1].data(), i);
    runtime::StoreAt<uint64_t>(out, i, low | high << 32);
  }
  return results;
}

template <int kShift>
CallResult SplitHalf(const Call& call) {
  const Shape& shape = call.instruction.shape();
  if (!SameSizes(call, 1) || StorageBytes(shape.element_type()) != 4 ||
      StorageBytes(call.operands[0].element_type()) != 8) {
    return BadCall(call.instruction, "takes values of 64 bits and gives halves of them");
  }
  auto results = NewResults(call);
  if (!results.ok()) return results;
  std::byte* out = (*results)[0].mutable_data();
  for (int64_t i = 0; i < (*results)[0].element_count(); ++i) {
    const uint64_t whole = runtime::LoadAt<uint64_t>(call.operands[0].data(), i);
    runtime::StoreAt<uint32_t>(out, i, static_cast<uint32_t>(whole >> kShift));
  }
  return results;
}

// (k1, k2, x1, x2): the two words of Threefry, by element.
CallResult Threefry(const Call& call) {
  const std::vector<const Shape*> shapes = ResultShapes(call);
  bool agree = call.operands.size() == 4 && shapes.size() == 2;
  for (size_t i = 0; agree && i < 4; ++i) {
    agree = call.operands[i].element_type() == ElementType::kU32 &&
            Shape::Compatible(call.operands[i].shape(), *shapes[i % 2]);
  }
  if (!agree) return BadCall(call.instruction, "takes four u32 arrays and gives two");
  auto results = NewResults(call);
  if (!results.ok()) return results;
  const auto word = [&](size_t k, int64_t i) {
    return uint64_t{runtime::LoadAt<uint32_t>(call.operands[k].data(), i)};
  };
  std::byte* first = (*results)[0].mutable_data();
  std::byte* second = (*results)[1].mutable_data();
  for (int64_t i = 0; i < call.operands[0].element_count(); ++i) {
    const auto words = ThreefryBlock(word(0, i) | word(1, i) << 32, word(2, i) | word(3, i) << 32);
    runtime::StoreAt<uint32_t>(first, i, words[0]);
    runtime::StoreAt<uint32_t>(second, i, words[1]);
  }
  return results;
}

// As the operation topk: k is that of the result.
CallResult TopK(const Call& call) {
  const Shape& shape = call.instruction.shape();
  const bool pair = shape.is_tuple() && shape.tuple_shapes().size() == 2;
  if (call.operands.size() != 1 || !pair || call.operands[0].shape().rank() == 0 ||
      call.operands[0].shape().rank() != shape.tuple_shape(0).rank() ||
      shape.tuple_shape(0).element_type() != call.operands[0].element_type() ||
      shape.tuple_shape(1).element_type() != ElementType::kS32 ||
      !Shape::SameDimensions(shape.tuple_shape(0), shape.tuple_shape(1)) ||
      IsComplex(call.operands[0].element_type())) {
    return BadCall(call.instruction, "takes an array and gives values and s32 indices");
  }
  const int64_t last = shape.tuple_shape(0).rank() - 1;
  for (int64_t d = 0; d < last; ++d) {
    if (shape.tuple_shape(0).dimension(d) == call.operands[0].shape().dimension(d)) continue;
    return BadCall(call.instruction, "only the last dimension may be cut");
  }
  const int64_t k = shape.tuple_shape(0).dimension(last);
  if (k > call.operands[0].shape().dimension(last)) {
    return BadCall(call.instruction, "there are fewer elements than the result has");
  }
  Instruction operand(Opcode::kParameter, call.operands[0].shape());
  Instruction topk(Opcode::kTopK, shape);
  topk.set_operands({&operand});
  topk.SetAttribute(Attr::kK, k);
  KernelOr kernel = PrepareTopK(topk);
  if (!kernel.ok()) return kernel.status();
  auto results = NewResults(call);
  if (!results.ok()) return results;
  const ArrayRef in = {&call.operands[0].shape(), call.operands[0].data()};
  const MutableArrayRef out[] = {{&shape.tuple_shape(0), (*results)[0].mutable_data()},
                                 {&shape.tuple_shape(1), (*results)[1].mutable_data()}};
  absl::Status status = (*kernel)->Execute(absl::MakeConstSpan(&in, 1), out, call.context);
  if (!status.ok()) return status;
  return results;
}

// The operation of the catalogue that the target means.
CallResult Elementwise(const Call& call) {
  if (!SameSizes(call, 1)) {
    return BadCall(call.instruction, "operand and result must be arrays of the same sizes");
  }
  Instruction operand(Opcode::kParameter, call.operands[0].shape());
  Instruction op(*ElementwiseCustomCall(call.instruction.GetString(Attr::kCustomCallTarget)),
                 call.instruction.shape());
  op.set_operands({&operand});
  KernelOr kernel = PrepareElementwise(op, {});
  if (!kernel.ok()) return BadCall(call.instruction, kernel.status().message());
  auto results = NewResults(call);
  if (!results.ok()) return results;
  const ArrayRef in = {&call.operands[0].shape(), call.operands[0].data()};
  const MutableArrayRef out = {&call.instruction.shape(), (*results)[0].mutable_data()};
  absl::Status status =
      (*kernel)->Execute(absl::MakeConstSpan(&in, 1), absl::MakeConstSpan(&out, 1), call.context);
  if (!status.ok()) return status;
  return results;
}

const std::map<std::string, Handler, std::less<>>& Handlers() {
  static const auto& handlers = *new std::map<std::string, Handler, std::less<>>{
      {"AllocateBuffer", Buffer},
      {"CreateBuffer", Buffer},
      {"GetRngSeed", Seed},
      {"LayoutConstraint", Same},
      {"MoveToDevice", Same},
      {"MoveToHost", Same},
      {"Pin", Same},
      {"SPMDFullToShardShape", Same},
      {"SPMDShardToFullShape", Same},
      {"ShardBarrierFrom", Same},
      {"ShardBarrierTo", Same},
      {"Sharding", Same},
      {"TopK", TopK},
      {"Unpin", Same},
      {"X64Combine", CombineHalves},
      {"X64SplitHigh", SplitHalf<32>},
      {"X64SplitLow", SplitHalf<0>},
      {"annotate_device_placement", Same},
      {"cu_threefry2x32_ffi", Threefry},
      {"dce_sink", Nothing},
      {"hip_threefry2x32_ffi", Threefry},
      {"mhlo.topk", TopK},
      {"xla.sdy.FuncResultSharding", Same},
      {"xla.sdy.GlobalToLocalShape", Same},
      {"xla.sdy.LocalToGlobalShape", Same},
      {"xla.sdy.PropagationBarrier", Same},
      {"xla.sdy.ShardingGroup", Nothing},
  };
  return handlers;
}

// Null for targets that are not known.
Handler FindHandler(const Instruction& custom_call) {
  const std::string& target = custom_call.GetString(Attr::kCustomCallTarget);
  if (ElementwiseCustomCall(target)) return Elementwise;
  const auto found = Handlers().find(target);
  return found == Handlers().end() ? nullptr : found->second;
}

class CustomCallEffect : public runtime::Effect {
 public:
  CustomCallEffect(const Instruction& call, Handler handler) : call_(call), handler_(handler) {}
  absl::StatusOr<runtime::PendingPtr> Start(absl::Span<const Literal> operands,
                                            runtime::CallPath /*path*/, runtime::Process& process,
                                            Context& context) const override {
    CallResult values = handler_({call_, operands, process, context});
    if (!values.ok()) return values.status();
    return std::make_shared<runtime::Present>(*std::move(values));
  }

 private:
  const Instruction& call_;
  const Handler handler_;
};

}  // namespace

absl::Status CheckCustomCall(const Instruction& custom_call) {
  if (FindHandler(custom_call) != nullptr) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("the cpu backend does not know the custom call \"",
                                               custom_call.GetString(Attr::kCustomCallTarget),
                                               "\": ", custom_call.Describe()));
}

runtime::EffectOr PrepareCustomCall(const Instruction& custom_call) {
  if (absl::Status status = CheckCustomCall(custom_call); !status.ok()) return status;
  return std::make_unique<CustomCallEffect>(custom_call, FindHandler(custom_call));
}

}  // namespace assay::cpu
