// Loops that the compiler vectorises: one functor per operation, applied to dense arrays of lanes.
//
// Included by sources that are compiled once for each instruction set. Everything is in the
// namespace of the set and internal to the file, and nothing of the standard library is called:
// a function that the linker shares between files would bring one set's instructions to all.
// Contraction is off in the whole project, so that a result depends neither on the instruction set
// nor on an element's place in a vector.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_LOOPS_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "backends/cpu/vector/kernel_table.h"

// Iterations are independent even where the result is an operand's storage.
#if defined(__clang__)
#define ASSAY_VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define ASSAY_VECTOR_LOOP _Pragma("GCC ivdep")
#endif
#define ASSAY_INLINE inline __attribute__((always_inline))

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

using Operands = const std::byte* const*;

// An element of an array that need not be aligned and has no type of its own.
template <typename T>
struct __attribute__((packed, may_alias)) Stored {
  T value;
};

template <typename T>
struct Complex {
  T re;
  T im;
};

// The base of functors that need no parameters, and of those that need the width of the type.
struct Plain {
  explicit Plain(const KernelParameters&) {}
};
struct WithBits {
  explicit WithBits(const KernelParameters& parameters) : bits(parameters.bits) {}
  int32_t bits;
};

template <typename F, typename R, typename A>
void Unary(Operands operands, std::byte* result, int64_t n, const KernelParameters& parameters) {
  const F f(parameters);
  const auto* a = reinterpret_cast<const Stored<A>*>(operands[0]);
  auto* r = reinterpret_cast<Stored<R>*>(result);
  ASSAY_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) r[i].value = f(a[i].value);
}

template <typename F, typename R, typename A, typename B = A>
void Binary(Operands operands, std::byte* result, int64_t n, const KernelParameters& parameters) {
  const F f(parameters);
  const auto* a = reinterpret_cast<const Stored<A>*>(operands[0]);
  const auto* b = reinterpret_cast<const Stored<B>*>(operands[1]);
  auto* r = reinterpret_cast<Stored<R>*>(result);
  ASSAY_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) r[i].value = f(a[i].value, b[i].value);
}

template <typename F, typename R, typename A, typename B = A, typename C = B>
void Ternary(Operands operands, std::byte* result, int64_t n, const KernelParameters& parameters) {
  const F f(parameters);
  const auto* a = reinterpret_cast<const Stored<A>*>(operands[0]);
  const auto* b = reinterpret_cast<const Stored<B>*>(operands[1]);
  const auto* c = reinterpret_cast<const Stored<C>*>(operands[2]);
  auto* r = reinterpret_cast<Stored<R>*>(result);
  ASSAY_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) r[i].value = f(a[i].value, b[i].value, c[i].value);
}

// Lanes of C++ types.
template <typename T>
constexpr Lane LaneFor() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? Lane::kF32 : Lane::kF64;
  constexpr int kStep = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return static_cast<Lane>(static_cast<int>(std::is_signed_v<T> ? Lane::kI8 : Lane::kU8) + kStep);
}

ASSAY_INLINE BlockKernel& At(KernelTable& table, KernelOp opcode, Lane lane) {
  return table.by_opcode[static_cast<int>(opcode)][static_cast<int>(lane)];
}

ASSAY_INLINE uint32_t Bits(float x) { return __builtin_bit_cast(uint32_t, x); }
ASSAY_INLINE uint64_t Bits(double x) { return __builtin_bit_cast(uint64_t, x); }
ASSAY_INLINE float FromBits(uint32_t x) { return __builtin_bit_cast(float, x); }
ASSAY_INLINE double FromBits(uint64_t x) { return __builtin_bit_cast(double, x); }

}  // namespace

// Each fills the part of a table that its file is about.
void FillIntegers(KernelTable& table);
void FillFloats(KernelTable& table);
void FillConversions(KernelTable& table);
void FillNarrowFloats(KernelTable& table);
void FillFunctions32(KernelTable& table);
void FillFunctions64(KernelTable& table);
void FillComplex(KernelTable& table);

}  // namespace assay::cpu::ASSAY_CPU_ISA

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_LOOPS_H_
