#include "spec/ops/strict_rules.h"

#include <array>

namespace assay {
namespace {

using StrictRule = absl::Status (*)(const Instruction&);

constexpr struct {
  Opcode opcode;
  StrictRule rule;
} kRows[] = {
    {Opcode::kAllReduce, CheckCollectiveStrictly},
    {Opcode::kAllReduceStart, CheckCollectiveStrictly},
    {Opcode::kAsyncStart, CheckAsyncStartStrictly},
    {Opcode::kBatchNormInference, CheckBatchNormStrictly},
    {Opcode::kBitcast, CheckBitcastStrictly},
    {Opcode::kBroadcast, CheckBroadcastStrictly},
    {Opcode::kCollectiveBroadcast, CheckCollectiveStrictly},
    {Opcode::kCollectivePermute, CheckPermuteStrictly},
    {Opcode::kCollectivePermuteStart, CheckPermuteStrictly},
    {Opcode::kDynamicReshape, CheckDynamicReshapeStrictly},
    {Opcode::kFft, CheckFftStrictly},
    {Opcode::kGather, CheckGatherStrictly},
    {Opcode::kGetDimensionSize, CheckDimensionSizeStrictly},
    {Opcode::kInfeed, CheckInfeedStrictly},
    {Opcode::kIota, CheckIotaStrictly},
    {Opcode::kMap, CheckMapStrictly},
    {Opcode::kRaggedAllToAll, CheckCollectiveStrictly},
    {Opcode::kRaggedDot, CheckRaggedDotStrictly},
    {Opcode::kRecv, CheckTransferStrictly},
    {Opcode::kRecvDone, CheckTransferStrictly},
    {Opcode::kReduceScatter, CheckCollectiveStrictly},
    {Opcode::kReduceWindow, CheckWindowStrictly},
    {Opcode::kRng, CheckRngStrictly},
    {Opcode::kRngBitGenerator, CheckRngBitGeneratorStrictly},
    {Opcode::kRngGetAndUpdateState, CheckRngStateStrictly},
    {Opcode::kScaledDot, CheckScaledDotStrictly},
    {Opcode::kScan, CheckScanStrictly},
    {Opcode::kScatter, CheckScatterStrictly},
    {Opcode::kSelectAndScatter, CheckSelectAndScatterStrictly},
    {Opcode::kSend, CheckTransferStrictly},
    {Opcode::kSendDone, CheckTransferStrictly},
    {Opcode::kSort, CheckSortStrictly},
    {Opcode::kTopK, CheckTopKStrictly},
    {Opcode::kWhile, CheckWhileStrictly},
};

constexpr std::array<StrictRule, kOpcodeCount> ByOpcode() {
  std::array<StrictRule, kOpcodeCount> rules{};
  for (const auto& row : kRows) rules[static_cast<size_t>(row.opcode)] = row.rule;
  return rules;
}

}  // namespace

absl::Status CheckStrictClauses(const Instruction& op) {
  static constexpr std::array<StrictRule, kOpcodeCount> kRules = ByOpcode();
  if (op.info().elementwise()) return CheckElementwiseStrictly(op);
  const StrictRule rule = kRules[static_cast<size_t>(op.opcode())];
  return rule == nullptr ? absl::OkStatus() : rule(op);
}

}  // namespace assay
