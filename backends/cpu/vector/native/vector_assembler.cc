#include "backends/cpu/vector/native/vector_assembler.h"

#include <algorithm>

#include "backends/cpu/vector/native/avx2_assembler.h"
#include "backends/cpu/vector/native/avx512_assembler.h"

namespace assay::cpu {

namespace {

bool IsAvx512Chosen() { return &BestKernels() == &Kernels(InstructionSet::kAvx512); }

}  // namespace

std::unique_ptr<VectorAssembler> VectorAssembler::Make(bool wide) {
  if (IsAvx512Chosen()) return std::make_unique<Avx512Assembler>(wide);
  return std::make_unique<Avx2Assembler>(wide);
}

int VectorAssembler::Elements(bool wide) { return (IsAvx512Chosen() ? 64 : 32) / (wide ? 8 : 4); }

Xbyak::Address VectorAssembler::Constant(int32_t bytes, uint64_t pattern) {
  if (bytes == 4) pattern = (pattern & 0xffffffffu) | pattern << 32;
  const auto found = std::find(pool_.begin(), pool_.end(), pattern);
  const auto i = static_cast<int>(found - pool_.begin());
  if (found == pool_.end()) pool_.push_back(pattern);
  return ptr[Xbyak::Reg64(kPoolRegister) + vector_bytes_ * i];
}

void VectorAssembler::Load(int to, int32_t bytes, const Xbyak::Address& from) {
  if (bytes == 1) return vpmovzxbd(Words(to), from);
  vmovups(Lanes(to, bytes), from);
}

bool VectorAssembler::Plain(const LaneOperation& operation, const Xbyak::Xmm& r,
                            const Xbyak::Xmm& a, const Xbyak::Operand& b) {
  const bool is_float = IsFloatingLane(operation.lane), wide = IsWideLane(operation.lane);
  switch (operation.opcode) {
    case KernelOp::kAdd:
      if (is_float) {
        wide ? vaddpd(r, a, b) : vaddps(r, a, b);
      } else {
        wide ? vpaddq(r, a, b) : vpaddd(r, a, b);
      }
      return true;
    case KernelOp::kSubtract:
      if (is_float) {
        wide ? vsubpd(r, a, b) : vsubps(r, a, b);
      } else {
        wide ? vpsubq(r, a, b) : vpsubd(r, a, b);
      }
      return true;
    case KernelOp::kMultiply:
      if (is_float) wide ? vmulpd(r, a, b) : vmulps(r, a, b);
      return is_float;
    case KernelOp::kDivide:
      wide ? vdivpd(r, a, b) : vdivps(r, a, b);
      return true;
    case KernelOp::kSqrt:
      wide ? vsqrtpd(r, a) : vsqrtps(r, a);
      return true;
    case KernelOp::kAbs:
      if (!is_float) vpabsd(r, a);
      return !is_float;
    case KernelOp::kShiftLeft:
      wide ? vpsllvq(r, a, b) : vpsllvd(r, a, b);
      return true;
    case KernelOp::kShiftRightLogical:
      wide ? vpsrlvq(r, a, b) : vpsrlvd(r, a, b);
      return true;
    case KernelOp::kShiftRightArithmetic:
      vpsravd(r, a, b);
      return true;
    default:
      return false;
  }
}

}  // namespace assay::cpu
