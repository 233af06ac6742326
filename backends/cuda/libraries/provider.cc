#include "backends/cuda/libraries/provider.h"

namespace assay::cuda::libraries {

absl::Span<const LibraryUse> LibraryUses() {
  static constexpr char kContracted[] = "f16 bf16 f32 f64 c64 c128";
  static constexpr char kFactored[] = "f32 f64 c64 c128";
  static constexpr char kExchanged[] = "s8 s32 s64 u8 u32 u64 f16 bf16 f32 f64";
  static constexpr LibraryUse kUses[] = {
      {Opcode::kAllGather, Library::kNccl, kExchanged},
      {Opcode::kAllGatherStart, Library::kNccl, kExchanged},
      {Opcode::kAllReduce, Library::kNccl, kExchanged},
      {Opcode::kAllReduceStart, Library::kNccl, kExchanged},
      {Opcode::kAllToAll, Library::kNccl, kExchanged},
      {Opcode::kCholesky, Library::kCusolver, kFactored},
      {Opcode::kConvolution, Library::kCudnn, "f16 bf16 f32 f64"},
      {Opcode::kDot, Library::kCublasLt, kContracted},
      {Opcode::kFft, Library::kCufft, kFactored},
      {Opcode::kReduceScatter, Library::kNccl, kExchanged},
      {Opcode::kTriangularSolve, Library::kCublas, kFactored},
  };
  return kUses;
}

std::optional<KernelPlan> LibraryProvider::Prepare(const Instruction& instruction) {
  if (!instruction.shape().is_array() || instruction.shape().is_dynamic()) return std::nullopt;
  for (const Instruction* operand : instruction.operands()) {
    if (!operand->shape().is_array() || operand->shape().is_dynamic()) return std::nullopt;
    if (operand->shape().element_count() == 0) return std::nullopt;
  }
  if (instruction.shape().element_count() == 0) return std::nullopt;
  switch (instruction.opcode()) {
    case Opcode::kDot:
      return PrepareMatmul(libraries_, instruction, /*bias=*/false);
    case Opcode::kConvolution:
      return PrepareConvolution(libraries_, instruction);
    case Opcode::kFft:
      return PrepareTransform(libraries_, instruction);
    case Opcode::kCholesky:
      return PrepareFactor(libraries_, instruction);
    case Opcode::kTriangularSolve:
      return PrepareSolve(libraries_, instruction);
    default:
      return std::nullopt;
  }
}

std::optional<KernelPlan> LibraryProvider::PrepareDotAndBias(const Instruction& dot,
                                                             const Instruction& bias) {
  const Shape& shape = dot.shape();
  // A narrow sum would be rounded once and not twice.
  const bool wide =
      shape.element_type() == ElementType::kF32 || shape.element_type() == ElementType::kF64;
  if (dot.opcode() != Opcode::kDot || !wide || shape.is_dynamic() || shape.element_count() == 0) {
    return std::nullopt;
  }
  if (bias.shape().element_type() != shape.element_type() || bias.shape().rank() != 1 ||
      shape.rank() < 1 || bias.shape().dimension(0) != shape.dimension(shape.rank() - 1)) {
    return std::nullopt;
  }
  for (const Instruction* operand : dot.operands()) {
    if (operand->shape().element_count() == 0) return std::nullopt;
  }
  return PrepareMatmul(libraries_, dot, /*bias=*/true);
}

std::optional<int> DataTypeOf(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return kRealF16;
    case ElementType::kBF16:
      return kRealBf16;
    case ElementType::kF32:
      return kRealF32;
    case ElementType::kF64:
      return kRealF64;
    case ElementType::kC64:
      return kComplexC64;
    case ElementType::kC128:
      return kComplexC128;
    default:
      return std::nullopt;
  }
}

void AddCall(KernelPlan& plan, std::shared_ptr<const LibraryCall> call,
             std::initializer_list<BufferUse> arrays) {
  KernelLaunch launch;
  for (const BufferUse& array : arrays) launch.pointers.push_back({0, array});
  launch.call = std::move(call);
  plan.launches.push_back(std::move(launch));
}

}  // namespace assay::cuda::libraries
