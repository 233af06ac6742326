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

}  // namespace assay::cpu
