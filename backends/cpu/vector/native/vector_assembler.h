// Machine instructions for operations on lanes. A vector fills a register with lanes of the widest
// type of the code: where one lane has 8 bytes, those of 4 bytes fill half a register. An element
// of one byte is held in a lane of 4 bytes, as its value or, where a comparison made it, as a mask.
// Every operation gives the bits of its block kernel. Tests: native_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_NATIVE_VECTOR_ASSEMBLER_H_
#define ASSAY_BACKENDS_CPU_VECTOR_NATIVE_VECTOR_ASSEMBLER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/vector/native/lane_code.h"
#include "xbyak/xbyak.h"

namespace assay::cpu {

class VectorAssembler : public Xbyak::CodeGenerator {
 public:
  // For the instruction set of the kernels (BestKernels). `wide`: some lane has 8 bytes.
  static std::unique_ptr<VectorAssembler> Make(bool wide);
  // The number of elements of a vector of such code.
  static int Elements(bool wide);

  int elements() const { return vector_bytes_ / (wide_ ? 8 : 4); }
  int vector_bytes() const { return vector_bytes_; }
  // The number of vector registers.
  int registers() const { return vector_bytes_ == 64 ? 32 : 16; }

  // The number of registers that the operation needs besides operands and result. Those that need
  // none may overwrite an operand.
  virtual int Temporaries(const LaneStep& step) const = 0;
  // Returns true if operand k may be in memory.
  virtual bool TakesMemory(const LaneStep& step, int k) const = 0;

  // One vector of an operation. The masks of pred are told apart from values by `is_mask`.
  struct Vector {
    const Xbyak::Operand* operand = nullptr;
    bool is_mask = false;
  };
  virtual void Apply(const LaneStep& step, const std::array<Vector, 3>& operands, int result,
                     bool result_is_mask, const std::array<int, 3>& temporaries) = 0;
  // An element of `bytes` for each lane, from and to an array.
  void Load(int to, int32_t bytes, const Xbyak::Address& from);
  virtual void Store(const Xbyak::RegExp& to, int32_t bytes, int from, bool is_mask,
                     int temporary) = 0;

  // In the pool, whose address register `pool` holds.
  Xbyak::Address Constant(int32_t bytes, uint64_t pattern);
  // The 8 bytes that each constant repeats for a vector.
  const std::vector<uint64_t>& pool() const { return pool_; }
  static constexpr int kPoolRegister = Xbyak::Operand::R15;

  // The register as a whole, as lanes of 4 bytes, and as lanes of `bytes`.
  Xbyak::Xmm Whole(int number) const {
    if (vector_bytes_ == 64) return static_cast<Xbyak::Xmm>(Xbyak::Zmm(number));
    return static_cast<Xbyak::Xmm>(Xbyak::Ymm(number));
  }
  Xbyak::Xmm Words(int number) const {
    if (!wide_) return Whole(number);
    return vector_bytes_ == 64 ? static_cast<Xbyak::Xmm>(Xbyak::Ymm(number)) : Xbyak::Xmm(number);
  }
  Xbyak::Xmm Lanes(int number, int32_t bytes) const {
    return bytes == 8 ? Whole(number) : Words(number);
  }

 protected:
  // The arithmetic that is one instruction of one name in every set, of 4 or 8 bytes. Returns false
  // for any other.
  bool Plain(const LaneOperation& operation, const Xbyak::Xmm& r, const Xbyak::Xmm& a,
             const Xbyak::Operand& b);

  VectorAssembler(int vector_bytes, bool wide)
      : CodeGenerator(4096, Xbyak::AutoGrow), vector_bytes_(vector_bytes), wide_(wide) {}

  const int vector_bytes_;
  const bool wide_;

 private:
  std::vector<uint64_t> pool_;
};

// Patterns of lanes.
inline bool IsFloatingLane(Lane lane) { return lane == Lane::kF32 || lane == Lane::kF64; }
inline bool IsUnsignedLane(Lane lane) { return lane == Lane::kU32 || lane == Lane::kU64; }
inline bool IsWideLane(Lane lane) { return LaneBytes(lane) == 8; }
inline constexpr uint64_t kOnes = ~uint64_t{0};
inline uint64_t SignOf(Lane lane) {
  return IsWideLane(lane) ? uint64_t{1} << 63 : uint64_t{0x80000000u};
}
inline uint64_t OneOf(Lane lane) {
  return IsWideLane(lane) ? uint64_t{0x3ff0000000000000u} : uint64_t{0x3f800000u};
}

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_NATIVE_VECTOR_ASSEMBLER_H_
