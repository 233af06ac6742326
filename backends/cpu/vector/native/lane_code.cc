#include "backends/cpu/vector/native/lane_code.h"

#include <cstring>

#include "absl/container/flat_hash_map.h"

namespace assay::cpu {
namespace {

using Operations = absl::flat_hash_map<BlockKernel, LaneOperation>;

constexpr Lane kWordLanes[] = {Lane::kI32, Lane::kU32, Lane::kI64,
                               Lane::kU64, Lane::kF32, Lane::kF64};

bool IsFloatLane(Lane lane) { return lane == Lane::kF32 || lane == Lane::kF64; }

// The opcodes that a lane has instructions for.
bool HasOpcode(KernelOp opcode, Lane lane) {
  switch (opcode) {
    case KernelOp::kAdd:
    case KernelOp::kSubtract:
    case KernelOp::kMultiply:
    case KernelOp::kMaximum:
    case KernelOp::kMinimum:
    case KernelOp::kClamp:
    case KernelOp::kNegate:
      return true;
    case KernelOp::kAbs:
      return lane != Lane::kI64;
    case KernelOp::kAnd:
    case KernelOp::kOr:
    case KernelOp::kXor:
    case KernelOp::kNot:
    case KernelOp::kShiftLeft:
    case KernelOp::kShiftRightLogical:
      return !IsFloatLane(lane);
    case KernelOp::kShiftRightArithmetic:
      return LaneBytes(lane) == 4 && !IsFloatLane(lane);
    case KernelOp::kDivide:
    case KernelOp::kSqrt:
    case KernelOp::kSign:
    case KernelOp::kCeil:
    case KernelOp::kFloor:
    case KernelOp::kRoundNearestEven:
    case KernelOp::kIsFinite:
      return IsFloatLane(lane);
    default:
      return false;
  }
}

// Conversions between words; saturating ones only from f32 to s32.
bool HasConversion(Lane to, Lane from) {
  if (IsFloatLane(from) && IsFloatLane(to)) return true;
  if (from == Lane::kF32) return to == Lane::kI32;
  if (from == Lane::kF64) return false;
  if (IsFloatLane(to)) {
    return from == Lane::kI32 || (from == Lane::kU32 && to == Lane::kF32);
  }
  return true;
}

// Which NaN a sum or product of two has depends on the order in which the compiler has put the
// operands. The kernel itself is asked.
bool TakesSecondNan(BlockKernel kernel, Lane lane) {
  constexpr int kCount = 64;  // all of it in whole vectors
  alignas(64) std::byte first[8 * kCount], second[8 * kCount], result[8 * kCount];
  const int bytes = LaneBytes(lane);
  const uint64_t nan = lane == Lane::kF32 ? 0x7fc00000u : 0x7ff8000000000000u;
  for (int i = 0; i < kCount; ++i) {
    const uint64_t one = nan + 1, two = nan + 2;
    std::memcpy(first + i * bytes, &one, bytes);
    std::memcpy(second + i * bytes, &two, bytes);
  }
  const std::byte* operands[] = {first, second};
  kernel(operands, result, kCount, {});
  return std::memcmp(result, second, bytes) == 0;
}

Operations MakeOperations(const KernelTable& kernels) {
  Operations operations;
  // Several lanes may share a kernel; any of them says what it computes.
  auto add = [&operations](BlockKernel kernel, const LaneOperation& operation) {
    if (kernel != nullptr) operations.emplace(kernel, operation);
  };
  auto by_opcode = [&](KernelOp opcode, Lane lane, Lane to) {
    const BlockKernel kernel = kernels.by_opcode[static_cast<int>(opcode)][static_cast<int>(lane)];
    LaneOperation operation{.kind = LaneOperation::kArithmetic, .opcode = opcode, .lane = lane};
    operation.to = to;
    const bool adds = opcode == KernelOp::kAdd || opcode == KernelOp::kMultiply ||
                      opcode == KernelOp::kMaximum || opcode == KernelOp::kMinimum;
    if (kernel != nullptr && IsFloatLane(lane) && adds) {
      operation.swapped = TakesSecondNan(kernel, lane);
    }
    add(kernel, operation);
  };
  for (const Lane lane : kWordLanes) {
    for (int op = 0; op < kKernelOpCount; ++op) {
      const auto opcode = static_cast<KernelOp>(op);
      if (!HasOpcode(opcode, lane)) continue;
      by_opcode(opcode, lane, opcode == KernelOp::kIsFinite ? Lane::kU8 : lane);
    }
    for (int direction = 0; direction < 6; ++direction) {
      add(kernels.compare[direction][static_cast<int>(lane)],
          {.kind = LaneOperation::kCompare,
           .direction = static_cast<Direction>(direction),
           .lane = lane});
    }
    add(kernels.is_nonzero[static_cast<int>(lane)],
        {.kind = LaneOperation::kIsNonzero, .lane = lane});
    for (const Lane from : kWordLanes) {
      if (!HasConversion(lane, from)) continue;
      add(kernels.convert[static_cast<int>(lane)][static_cast<int>(from)],
          {.kind = LaneOperation::kConvert, .lane = from, .to = lane});
    }
    // From pred and u8.
    add(kernels.convert[static_cast<int>(lane)][static_cast<int>(Lane::kU8)],
        {.kind = LaneOperation::kConvert, .lane = Lane::kU8, .to = lane});
  }
  for (const KernelOp opcode : {KernelOp::kAnd, KernelOp::kOr, KernelOp::kXor, KernelOp::kNot}) {
    by_opcode(opcode, Lane::kU8, Lane::kU8);
  }
  const std::pair<int, Lane> widths[] = {{0, Lane::kU8}, {2, Lane::kU32}, {3, Lane::kU64}};
  for (const auto& [log, lane] : widths) {
    add(kernels.select[log], {.kind = LaneOperation::kSelect, .lane = lane, .to = lane});
    add(kernels.copy[log], {.kind = LaneOperation::kCopy, .lane = lane, .to = lane});
  }
  add(kernels.wrap_unsigned, {.kind = LaneOperation::kWrapByte});
  return operations;
}

}  // namespace

std::optional<LaneOperation> LaneOperationOf(const KernelTable& kernels, BlockKernel kernel,
                                             int32_t bits) {
  static const Operations& operations = *new Operations(MakeOperations(BestKernels()));
  if (&kernels != &BestKernels()) return std::nullopt;
  const auto found = operations.find(kernel);
  if (found == operations.end()) return std::nullopt;
  if (found->second.kind == LaneOperation::kWrapByte && (bits < 1 || bits > 8)) return std::nullopt;
  return found->second;
}

}  // namespace assay::cpu
