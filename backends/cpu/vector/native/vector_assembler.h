// Machine instructions (AVX2) for operations on lanes. A vector has eight elements where no lane is
// wider than 4 bytes, else four: lanes of 8 bytes fill a register then, those of 4 bytes half of
// one. An element of one byte is held in a lane of 4 bytes, as its value or, where a comparison
// made it, as a mask. Every operation gives the bits of its block kernel. Tests: native_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_NATIVE_VECTOR_ASSEMBLER_H_
#define ASSAY_BACKENDS_CPU_VECTOR_NATIVE_VECTOR_ASSEMBLER_H_

#include <array>
#include <cstdint>
#include <vector>

#include "backends/cpu/vector/native/lane_code.h"
#include "xbyak/xbyak.h"

namespace assay::cpu {

class VectorAssembler : public Xbyak::CodeGenerator {
 public:
  explicit VectorAssembler(bool wide) : CodeGenerator(4096, Xbyak::AutoGrow), wide_(wide) {}

  int elements() const { return wide_ ? 4 : 8; }

  // The number of registers that the operation needs besides operands and result. Those that need
  // none may overwrite an operand.
  static int Temporaries(const LaneStep& step);
  // Returns true if operand k may be in memory.
  static bool TakesMemory(const LaneStep& step, int k);

  // One vector of an operation. The masks of pred are told apart from values by `is_mask`.
  struct Vector {
    const Xbyak::Operand* operand = nullptr;
    bool is_mask = false;
  };
  void Apply(const LaneStep& step, const std::array<Vector, 3>& operands, int result,
             bool result_is_mask, const std::array<int, 3>& temporaries);
  // An element of `bytes` for each lane, from and to an array.
  void Load(int to, int32_t bytes, const Xbyak::Address& from);
  void Store(const Xbyak::RegExp& to, int32_t bytes, int from, bool is_mask, int temporary);

  // In the pool, whose address register `pool` holds.
  Xbyak::Address Constant(int32_t bytes, uint64_t pattern);
  const std::vector<std::array<uint64_t, 4>>& pool() const { return pool_; }
  static constexpr int kPoolRegister = Xbyak::Operand::R15;

  // The register as lanes of 4 bytes, and of `bytes`.
  Xbyak::Xmm Words(int number) const {
    return wide_ ? Xbyak::Xmm(number) : static_cast<Xbyak::Xmm>(Xbyak::Ymm(number));
  }
  Xbyak::Xmm Lanes(int number, int32_t bytes) const {
    return bytes == 8 ? static_cast<Xbyak::Xmm>(Xbyak::Ymm(number)) : Words(number);
  }

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

  const bool wide_;
  std::vector<std::array<uint64_t, 4>> pool_;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_NATIVE_VECTOR_ASSEMBLER_H_
