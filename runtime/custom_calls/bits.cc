// Targets about bits: the run's seed, storage without content, 64-bit values as pairs of 32 bits,
// Threefry by element. Tests: backends/factory/custom_call_test.cc.
#include "runtime/custom_calls/targets.h"

namespace assay::runtime::custom_calls {
namespace {

bool IsWord(const Shape& shape, int bits) {
  return shape.is_array() && Info(shape.element_type()).bits == bits &&
         !IsComplex(shape.element_type());
}
bool IsIntegerWord(const Shape& shape) {
  return IsWord(shape, 32) && IsInteger(shape.element_type());
}

absl::StatusOr<Literal> Seed(const CustomCall& call) {
  const Shape& shape = call.instruction.shape();
  if (!call.operands.empty() || !shape.is_scalar() || !IsInteger(shape.element_type())) {
    return BadCall(call, "it has no operands, and the result is u64[]");
  }
  return Literal::Scalar(shape.element_type(),
                         {EncodeInteger(shape.element_type(), call.random_seed)});
}

absl::StatusOr<Literal> Zeros(const CustomCall& call) {
  if (absl::Status status = WantOperands(call, 0); !status.ok()) return status;
  return call.Zeros(call.instruction.shape());
}

absl::StatusOr<Literal> Combine(const CustomCall& call) {
  if (absl::Status status = WantOperands(call, 2); !status.ok()) return status;
  const Literal &low = call.operands[0], &high = call.operands[1];
  const Shape& shape = call.instruction.shape();
  if (!IsIntegerWord(low.shape()) || !Shape::Compatible(low.shape(), high.shape()) ||
      !IsWord(shape, 64) || !Shape::SameDimensions(low.shape(), shape)) {
    return BadCall(call, "two arrays of 32-bit integers make one of 64 bits");
  }
  absl::StatusOr<Literal> result = call.Zeros(shape);
  if (!result.ok()) return result;
  for (int64_t i = 0; i < low.element_count(); ++i) {
    result->Set(i, {high.Get(i).bits << 32 | low.Get(i).bits});
  }
  return result;
}

template <int kShift>
absl::StatusOr<Literal> Half(const CustomCall& call) {
  if (absl::Status status = WantOperands(call, 1); !status.ok()) return status;
  const Literal& whole = call.operands[0];
  const Shape& shape = call.instruction.shape();
  if (!IsWord(whole.shape(), 64) || !IsIntegerWord(shape) ||
      !Shape::SameDimensions(whole.shape(), shape)) {
    return BadCall(call, "an array of 64 bits gives one of 32-bit integers");
  }
  absl::StatusOr<Literal> result = call.Zeros(shape);
  if (!result.ok()) return result;
  for (int64_t i = 0; i < whole.element_count(); ++i) {
    result->Set(i, {static_cast<uint32_t>(whole.Get(i).bits >> kShift)});
  }
  return result;
}

absl::StatusOr<Literal> Threefry(const CustomCall& call, ThreefryFunction function) {
  if (absl::Status status = WantOperands(call, 4); !status.ok()) return status;
  const Shape& shape = call.operands[0].shape();
  bool alike = shape.is_array() && shape.element_type() == ElementType::kU32;
  for (const Literal& operand : call.operands) {
    alike = alike && Shape::Compatible(shape, operand.shape());
  }
  if (!alike || !Shape::Compatible(Shape::Tuple({shape, shape}), call.instruction.shape())) {
    return BadCall(call, "four u32 arrays give two, all of one shape");
  }
  std::vector<Literal> results;
  for (int i = 0; i < 2; ++i) {
    absl::StatusOr<Literal> result = call.Zeros(shape);
    if (!result.ok()) return result;
    results.push_back(*std::move(result));
  }
  const auto pair = [&](int low, int64_t i) {
    return call.operands[low + 1].Get(i).bits << 32 | call.operands[low].Get(i).bits;
  };
  for (int64_t i = 0; i < call.operands[0].element_count(); ++i) {
    const auto words = function(pair(0, i), pair(2, i));
    for (int k = 0; k < 2; ++k) results[k].Set(i, {words[k]});
  }
  return Literal::Tuple(std::move(results));
}

}  // namespace

Targets BitTargets() {
  return {{"GetRngSeed", Seed},    {"AllocateBuffer", Zeros}, {"CreateBuffer", Zeros},
          {"X64Combine", Combine}, {"X64SplitLow", Half<0>},  {"X64SplitHigh", Half<32>}};
}

Targets ThreefryTargets(ThreefryFunction function) {
  const auto handler = [function](const CustomCall& call) { return Threefry(call, function); };
  return {{"cu_threefry2x32_ffi", handler}, {"hip_threefry2x32_ffi", handler}};
}

}  // namespace assay::runtime::custom_calls
