// The frame of compiled code, the addresses of its arrays, and the code as an object.
// Tests: native_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_NATIVE_NATIVE_FRAME_H_
#define ASSAY_BACKENDS_CPU_VECTOR_NATIVE_NATIVE_FRAME_H_

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/vector/native/native_code.h"
#include "backends/cpu/vector/native/register_allocator.h"
#include "backends/cpu/vector/native/vector_assembler.h"

namespace assay::cpu::native {

using Xbyak::Reg64;

// Longer code is left to the kernels, so that neither compile time nor stack grows with a module.
inline constexpr size_t kMostSteps = 4096;

inline bool IsWide(const LaneCode& code) {
  for (const LaneValue& value : code.values) {
    if (value.bytes == 8) return true;
  }
  return false;
}

// Code with its constants.
class CompiledCode : public NativeCode {
 public:
  CompiledCode(std::unique_ptr<VectorAssembler> assembler, int64_t elements)
      : assembler_(std::move(assembler)),
        elements_(elements),
        pool_(assembler_->pool().size() + 1) {
    auto* to = reinterpret_cast<std::byte*>(pool_.data());
    for (const uint64_t& pattern : assembler_->pool()) {
      for (int done = 0; done < assembler_->vector_bytes(); done += sizeof pattern) {
        std::memcpy(to, &pattern, sizeof pattern);
        to += sizeof pattern;
      }
    }
  }
  // Completes the code by writing the address of the constants at `pool_offset`.
  void Finish(size_t pool_offset) {
    assembler_->rewrite(pool_offset, reinterpret_cast<uintptr_t>(pool_.data()), 8);
    assembler_->readyRE();
    call_ = assembler_->getCode<Function>();
  }
  int64_t elements() const override { return elements_; }
  int64_t Call(const std::byte* const* arrays, int64_t n) const override {
    return call_(arrays, n);
  }

 private:
  using Function = int64_t (*)(const std::byte* const*, int64_t);
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  const std::unique_ptr<VectorAssembler> assembler_;
  const int64_t elements_;
  std::vector<Line> pool_;  // the constants, a vector each
  Function call_ = nullptr;
};

// The frame around the code: registers saved, the stack aligned, room for slots.
class Frame {
 public:
  explicit Frame(VectorAssembler& out) : out_(out) {
    for (const int saved : kSaved) out_.push(Reg64(saved));
    out_.mov(out_.rbp, out_.rsp);
    out_.and_(out_.rsp, -out_.vector_bytes());
    out_.sub(out_.rsp, 0x10000000);
    room_offset_ = out_.getSize() - 4;
    out_.mov(Reg64(VectorAssembler::kPoolRegister), uint64_t{0x1122334455667788});
    pool_offset_ = out_.getSize() - 8;
  }
  void Return() {
    out_.vzeroupper();
    out_.mov(out_.rsp, out_.rbp);
    for (auto saved = std::rbegin(kSaved); saved != std::rend(kSaved); ++saved) {
      out_.pop(Reg64(*saved));
    }
    out_.ret();
  }
  void SetRoom(int64_t bytes) { out_.rewrite(room_offset_, bytes, 4); }
  size_t pool_offset() const { return pool_offset_; }

 private:
  static constexpr int kSaved[] = {Xbyak::Operand::RBP, Xbyak::Operand::RBX, Xbyak::Operand::R12,
                                   Xbyak::Operand::R13, Xbyak::Operand::R14, Xbyak::Operand::R15};
  VectorAssembler& out_;
  size_t room_offset_ = 0, pool_offset_ = 0;
};

inline constexpr int kArrays = Xbyak::Operand::RDI, kCount = Xbyak::Operand::RSI,
                     kIndex = Xbyak::Operand::RCX, kAddress = Xbyak::Operand::RAX;
// Registers that hold the addresses of the first arrays.
inline constexpr int kBases[] = {Xbyak::Operand::RDX, Xbyak::Operand::R8,  Xbyak::Operand::R9,
                                 Xbyak::Operand::R10, Xbyak::Operand::R11, Xbyak::Operand::RBX,
                                 Xbyak::Operand::R12, Xbyak::Operand::R13, Xbyak::Operand::R14};
inline constexpr int kBaseCount = static_cast<int>(std::size(kBases));

class Allocator : public RegisterAllocator {
 public:
  Allocator(const LaneCode& code, int vectors, VectorAssembler& out, bool indexed)
      : RegisterAllocator(code, vectors, out), indexed_(indexed) {}

  void LoadBases(int64_t arrays) {
    for (int64_t k = 0; k < std::min<int64_t>(arrays, kBaseCount); ++k) {
      out_.mov(Reg64(kBases[k]), out_.ptr[Reg64(kArrays) + static_cast<int>(8 * k)]);
    }
  }
  Xbyak::RegExp ArrayAddress(int32_t array, int32_t bytes, bool indexed, int u) {
    Reg64 base(kAddress);
    if (array < kBaseCount) {
      base = Reg64(kBases[array]);
    } else {
      out_.mov(base, out_.ptr[Reg64(kArrays) + 8 * array]);
    }
    if (!indexed) return base + 0;
    return base + Reg64(kIndex) * bytes + u * out_.elements() * bytes;
  }

 protected:
  Xbyak::RegExp Address(const LaneValue& value, int u) override {
    const bool uniform = value.kind == LaneValue::kUniform;
    if (uniform) return ArrayAddress(value.index, value.bytes, false, 0);
    if (indexed_) return ArrayAddress(value.index, value.bytes, true, u);
    return ArrayAddress(value.index, value.bytes, false, 0) + u * out_.elements() * value.bytes;
  }
  void Defined(int32_t value, int32_t now) override {
    for (const auto& [stored, array] : code_.stores) {
      if (stored == value) StoreTo(value, array, now);
    }
  }
  void StoreTo(int32_t value, int32_t array, int32_t now) {
    const int group = group_of(value);
    const int32_t bytes = code_.values[value].bytes;
    int temporary = kNone;
    if (bytes == 1) {
      Pin(group);
      temporary = Take(now);
    }
    for (int u = 0; u < vectors_; ++u) {
      out_.Store(ArrayAddress(array, bytes, true, u), bytes, Register(group, u), is_mask(value),
                 temporary == kNone ? 0 : Register(temporary, u));
    }
  }

 private:
  const bool indexed_;
};

inline int64_t ArrayCount(const LaneCode& code) {
  int64_t count = 0;
  for (const LaneValue& value : code.values) {
    if (value.kind == LaneValue::kComputed || value.kind == LaneValue::kConstant) continue;
    count = std::max<int64_t>(count, value.index + 1);
  }
  for (const auto& [value, array] : code.stores) count = std::max<int64_t>(count, array + 1);
  return count;
}

}  // namespace assay::cpu::native

#endif  // ASSAY_BACKENDS_CPU_VECTOR_NATIVE_NATIVE_FRAME_H_
