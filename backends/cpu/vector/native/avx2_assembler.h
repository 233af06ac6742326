// The operations in AVX2, 16 registers of 32 bytes. Tests: native_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_NATIVE_AVX2_ASSEMBLER_H_
#define ASSAY_BACKENDS_CPU_VECTOR_NATIVE_AVX2_ASSEMBLER_H_

#include <array>

#include "backends/cpu/vector/native/vector_assembler.h"

namespace assay::cpu {

class Avx2Assembler : public VectorAssembler {
 public:
  explicit Avx2Assembler(bool wide) : VectorAssembler(32, wide) {}

  int Temporaries(const LaneStep& step) const override;
  bool TakesMemory(const LaneStep& step, int k) const override;
  void Apply(const LaneStep& step, const std::array<Vector, 3>& operands, int result,
             bool result_is_mask, const std::array<int, 3>& temporaries) override;
  void Store(const Xbyak::RegExp& to, int32_t bytes, int from, bool is_mask,
             int temporary) override;

 private:
  using Operand = Xbyak::Operand;
  using Register = Xbyak::Xmm;

  void Integer(const LaneStep& step, Register r, Register a, const Operand& b, Register c,
               const std::array<int, 3>& temporaries);
  void Float(const LaneStep& step, Register r, Register a, const Operand& b, Register c,
             const std::array<int, 3>& temporaries);
  void Bytes(const LaneStep& step, const std::array<Vector, 3>& operands, Register r,
             bool result_is_mask, Register temporary);
  void Compare(const LaneStep& step, Register r, Register a, const Operand& b,
               const std::array<int, 3>& temporaries);
  void Convert(const LaneStep& step, const Vector& a, int r, const std::array<int, 3>& temporaries);
  void Select(const LaneStep& step, const std::array<Vector, 3>& operands, Register r,
              bool result_is_mask, const std::array<int, 3>& temporaries);
  void Extreme(bool largest, bool is_double, bool swapped, Register r, Register a, const Operand& b,
               Register t, Register u);
  void IntegerExtreme(bool largest, Lane lane, Register r, Register a, const Operand& b, Register t,
                      Register u);
  void Greater(Lane lane, Register r, Register a, const Operand& b, Register t, Register u);
  void MaskOfWide(Register mask, int from);
  void Flip(Register r, const Register& a);
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_NATIVE_AVX2_ASSEMBLER_H_
