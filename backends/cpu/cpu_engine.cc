#include "backends/cpu/cpu_engine.h"

#include "absl/strings/str_cat.h"
#include "backends/cpu/contract/contract.h"
#include "backends/cpu/fusion/fusion.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/region.h"

namespace assay::cpu {
namespace {

using PrepareFunction = KernelOr (*)(const Instruction&);

// The family of an operation that reads its operands as they lie; null for any other.
PrepareFunction FindFamily(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return PrepareBatchNorm;
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
      return PrepareBitcast;
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return PrepareMove;
    case Opcode::kCholesky:
      return PrepareCholesky;
    case Opcode::kConvolution:
      return PrepareConvolution;
    case Opcode::kDot:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
      return PrepareDot;
    case Opcode::kDynamicSlice:
      return PrepareDynamicSlice;
    case Opcode::kDynamicUpdateSlice:
      return PrepareDynamicUpdateSlice;
    case Opcode::kFft:
      return PrepareFft;
    case Opcode::kGather:
      return PrepareGather;
    case Opcode::kIota:
      return PrepareIota;
    case Opcode::kMap:
      return PrepareMap;
    case Opcode::kReduceWindow:
      return PrepareReduceWindow;
    case Opcode::kRngBitGenerator:
      return PrepareRngBitGenerator;
    case Opcode::kScan:
      return PrepareScan;
    case Opcode::kScatter:
      return PrepareScatter;
    case Opcode::kSelectAndScatter:
      return PrepareSelectAndScatter;
    case Opcode::kSort:
      return PrepareSort;
    case Opcode::kTopK:
      return PrepareTopK;
    case Opcode::kTriangularSolve:
      return PrepareTriangularSolve;
    default:
      return nullptr;
  }
}

// Only what every device adds itself: kernels count nothing.
class CpuState : public runtime::EngineState {
 public:
  Context& context() override { return context_; }

 private:
  Context context_;
};

}  // namespace

bool CpuEngine::AppliesRegion(const Computation& region) const { return IsFlatRegion(region); }

KernelOr CpuEngine::Prepare(const Instruction& instruction) const {
  if (instruction.info().elementwise()) return PrepareElementwise(instruction, {});
  if (auto split = analysis::SplitMixedMove(instruction); split != nullptr) {
    return PrepareMixedMove(std::move(split));
  }
  if (instruction.opcode() == Opcode::kReduce) return PrepareReduce(instruction, {});
  const PrepareFunction family = FindFamily(instruction.opcode());
  if (family != nullptr) return family(instruction);
  return absl::UnimplementedError(
      absl::StrCat("the cpu backend has no kernel for ", instruction.Describe()));
}

KernelOr CpuEngine::PrepareOnViews(const Instruction& instruction,
                                   absl::Span<const View> views) const {
  if (instruction.info().elementwise()) return PrepareElementwise(instruction, views);
  if (instruction.opcode() == Opcode::kReduce && analysis::SplitMixedMove(instruction) == nullptr) {
    return PrepareReduce(instruction, views);
  }
  return nullptr;
}

KernelOr CpuEngine::PrepareLoop(const Instruction& loop) const {
  KernelOr kernel = PrepareSmallLoop(loop);
  if (!kernel.ok() || *kernel != nullptr) return kernel;
  return PrepareElementLoop(loop);
}

KernelOr CpuEngine::PrepareFusion(const Instruction& fusion) const {
  for (const auto& fused : fusion.GetComputation(Attr::kCalls)->instructions()) {
    if (analysis::SplitMixedMove(*fused) != nullptr) return nullptr;
  }
  KernelOr reduce = PrepareFusedReduce(fusion);
  if (!reduce.ok() || *reduce != nullptr) return reduce;
  KernelOr kernel = cpu::PrepareFusion(fusion);
  if (!kernel.ok() || *kernel != nullptr) return kernel;
  return PrepareFusionOfParts(fusion);
}

KernelOr CpuEngine::PrepareCollective(const Instruction& collective, int64_t members,
                                      int64_t position) const {
  return PrepareCollectiveKernel(collective, members, position);
}

runtime::EffectOr CpuEngine::PrepareEffect(const Instruction& instruction) const {
  if (instruction.opcode() == Opcode::kCustomCall) {
    return MeaningsOf(custom_calls_).Prepare(instruction, *this);
  }
  return PrepareRandom(instruction);
}

std::unique_ptr<runtime::EngineState> CpuEngine::NewState(bool /*counted*/) const {
  return std::make_unique<CpuState>();
}

}  // namespace assay::cpu
