// The operations in AVX-512 (F, BW, DQ and VL), 32 registers of 64 bytes. Comparisons make a mask
// register, which becomes lanes, so that masks are values like others. Tests: native_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_NATIVE_AVX512_ASSEMBLER_H_
#define ASSAY_BACKENDS_CPU_VECTOR_NATIVE_AVX512_ASSEMBLER_H_

#include <array>

#include "backends/cpu/vector/native/vector_assembler.h"

namespace assay::cpu {

class Avx512Assembler : public VectorAssembler {
 public:
  explicit Avx512Assembler(bool wide) : VectorAssembler(64, wide) {}

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
               Register t);
  void Float(const LaneStep& step, Register r, Register a, const Operand& b, Register c, Register t,
             Register u);
  void Bytes(const LaneStep& step, const std::array<Vector, 3>& operands, Register r,
             bool result_is_mask, Register temporary);
  void Compare(const LaneStep& step, int result, Register a, const Operand& b);
  void IsNonzero(Lane lane, int result, Register a, Register t);
  void Convert(const LaneStep& step, const Vector& a, int result, int temporary);
  void Select(const LaneStep& step, const std::array<Vector, 3>& operands, Register r,
              bool result_is_mask, Register temporary);
  void Extreme(bool largest, bool is_double, bool swapped, Register r, Register a, Register b,
               Register t);
  void IntegerExtreme(bool largest, Lane lane, Register r, Register a, const Operand& b);
  void And(Register r, Register a, const Operand& b) { vpandd(r, a, b); }
  void Xor(Register r, Register a, const Operand& b) { vpxord(r, a, b); }
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_NATIVE_AVX512_ASSEMBLER_H_
