// The dialect for GCC and Clang: CUDA's words over the emulated runtime (emulator/calls.h).
// Included by dialect.h alone. ASSAY_CUDA_BUILD is `emulated`, or `checked` by the flags of the
// checked build; all functions lie in the namespace of their build, so that one program can hold
// both.
#ifndef ASSAY_BACKENDS_CUDA_DIALECT_EMULATED_DIALECT_H_
#define ASSAY_BACKENDS_CUDA_DIALECT_EMULATED_DIALECT_H_

#include <bit>
#include <type_traits>

#include "backends/cuda/emulator/calls.h"

#ifndef ASSAY_CUDA_BUILD
#define ASSAY_CUDA_BUILD emulated
#endif

#define __global__ inline
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

#if defined(ASSAY_TEXT)
// A generated kernel is a library, which is told by the program where the variables are.
extern "C" {
inline ::assay::cuda::emulator::BuiltIns* (*AssayBuiltIns)() = nullptr;
}
#define ASSAY_BUILT_INS (*AssayBuiltIns())
#else
#define ASSAY_BUILT_INS ::assay::cuda::emulator::built_ins
#endif
#define threadIdx (ASSAY_BUILT_INS.thread)
#define blockIdx (ASSAY_BUILT_INS.block)
#define blockDim (ASSAY_BUILT_INS.block_size)
#define gridDim (ASSAY_BUILT_INS.grid_size)

// Every instantiation of a kernel has a static variable of its own, whose address identifies the
// array.
#define ASSAY_SHARED(T, name, dims)                                                    \
  static const char name##_key = 0;                                                    \
  using name##_type = T dims;                                                          \
  name##_type& name = *static_cast<name##_type*>(::assay::cuda::emulator::SharedArray( \
      &name##_key, sizeof(name##_type), {__FILE__, __LINE__}))
#define ASSAY_DYNAMIC_SHARED(T, name) \
  T* const name = static_cast<T*>(ASSAY_BUILT_INS.dynamic_shared)
#define ASSAY_PARAMETER(T, name) const T& name
#define ASSAY_ENTRY(kernel) ::assay::cuda::ASSAY_CUDA_BUILD::MakeEntry<kernel>(#kernel)

// The place of the call, as the last parameters of a function.
#define ASSAY_CALL_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace assay::cuda::ASSAY_CUDA_BUILD {

static constexpr int warpSize = 32;

// Calls a kernel with the values that the parameters point to.
template <auto kernel>
struct Unpack;
template <typename... Parameters, void (*kernel)(Parameters...)>
struct Unpack<kernel> {
  template <typename T>
  using Value = std::remove_cv_t<std::remove_reference_t<T>>;
  template <int... k>
  struct Numbers {
    __attribute__((no_sanitize("thread"))) static void Run(void** parameters) {
      (void)parameters;
      kernel(*static_cast<Value<Parameters>*>(parameters[k])...);
    }
  };
  template <int n, int... k>
  struct Count : Count<n - 1, n - 1, k...> {};
  template <int... k>
  struct Count<0, k...> : Numbers<k...> {};
  static constexpr Entry Make(const char* name) {
    return {name, &Count<static_cast<int>(sizeof...(Parameters))>::Run, nullptr,
            static_cast<int32_t>(sizeof...(Parameters)),
            static_cast<int32_t>((sizeof(Value<Parameters>) + ... + 0))};
  }
};
template <auto kernel>
constexpr Entry MakeEntry(const char* name) {
  return Unpack<kernel>::Make(name);
}

// Barriers and fences. Fibers are not pre-empted, so that fences have no effect.
__forceinline__ void __syncthreads(ASSAY_CALL_SITE) {
  emulator::Barrier(emulator::BarrierOp::kNone, 0, {file, line});
}
__forceinline__ int __syncthreads_count(int predicate, ASSAY_CALL_SITE) {
  return emulator::Barrier(emulator::BarrierOp::kCount, predicate, {file, line});
}
__forceinline__ int __syncthreads_and(int predicate, ASSAY_CALL_SITE) {
  return emulator::Barrier(emulator::BarrierOp::kAnd, predicate, {file, line});
}
__forceinline__ int __syncthreads_or(int predicate, ASSAY_CALL_SITE) {
  return emulator::Barrier(emulator::BarrierOp::kOr, predicate, {file, line});
}
__forceinline__ void __syncwarp(unsigned mask = 0xffffffffu, ASSAY_CALL_SITE) {
  emulator::WarpExchange(emulator::WarpOp::kSync, mask, 0, 0, 32, {file, line});
}
__forceinline__ void __threadfence() {}
__forceinline__ void __threadfence_block() {}
[[noreturn]] __forceinline__ void __trap(ASSAY_CALL_SITE) { emulator::Trap({file, line}); }

// Values of up to 64 bits as the bits that lanes exchange.
template <typename T>
__forceinline__ uint64_t ToWord(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(value);
  } else {
    static_assert(std::is_integral_v<T> && sizeof(T) >= 4, "shuffles take 32 and 64 bits");
    return static_cast<uint64_t>(value);
  }
}
template <typename T>
__forceinline__ T FromWord(uint64_t word) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(word));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(word);
  } else {
    return static_cast<T>(word);
  }
}

#define ASSAY_SHUFFLE(function, op, Lane)                                                          \
  template <typename T>                                                                            \
  __forceinline__ T function(unsigned mask, T value, Lane lane, int width = 32, ASSAY_CALL_SITE) { \
    return FromWord<T>(emulator::WarpExchange(emulator::WarpOp::op, mask, ToWord(value),           \
                                              static_cast<int>(lane), width, {file, line}));       \
  }
ASSAY_SHUFFLE(__shfl_sync, kShuffle, int)
ASSAY_SHUFFLE(__shfl_up_sync, kShuffleUp, unsigned)
ASSAY_SHUFFLE(__shfl_down_sync, kShuffleDown, unsigned)
ASSAY_SHUFFLE(__shfl_xor_sync, kShuffleXor, int)
#undef ASSAY_SHUFFLE

#define ASSAY_VOTE(Result, function, op, Value)                                          \
  __forceinline__ Result function(unsigned mask, Value value, ASSAY_CALL_SITE) {         \
    return static_cast<Result>(emulator::WarpExchange(                                   \
        emulator::WarpOp::op, mask, static_cast<uint64_t>(value), 0, 32, {file, line})); \
  }
ASSAY_VOTE(unsigned, __ballot_sync, kBallot, int)
ASSAY_VOTE(int, __any_sync, kAny, int)
ASSAY_VOTE(int, __all_sync, kAll, int)
ASSAY_VOTE(unsigned, __match_any_sync, kMatchAny, unsigned)
ASSAY_VOTE(unsigned, __match_any_sync, kMatchAny, unsigned long long)
ASSAY_VOTE(unsigned, __reduce_add_sync, kAdd, unsigned)
ASSAY_VOTE(unsigned, __reduce_min_sync, kMinUnsigned, unsigned)
ASSAY_VOTE(unsigned, __reduce_max_sync, kMaxUnsigned, unsigned)
ASSAY_VOTE(int, __reduce_add_sync, kAdd, int)
ASSAY_VOTE(int, __reduce_min_sync, kMinSigned, int)
ASSAY_VOTE(int, __reduce_max_sync, kMaxSigned, int)
ASSAY_VOTE(unsigned, __reduce_and_sync, kAnd, unsigned)
ASSAY_VOTE(unsigned, __reduce_or_sync, kOr, unsigned)
ASSAY_VOTE(unsigned, __reduce_xor_sync, kXor, unsigned)
#undef ASSAY_VOTE

// Atomics. The checked build sees them as such.
#define ASSAY_ATOMIC_INTEGER(function, builtin)                                       \
  template <typename T>                                                               \
  __forceinline__ T function(T* address, std::type_identity_t<T> value) {             \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics are of 32 and 64 bits"); \
    return builtin(address, value, __ATOMIC_RELAXED);                                 \
  }
ASSAY_ATOMIC_INTEGER(atomicSub, __atomic_fetch_sub)
ASSAY_ATOMIC_INTEGER(atomicAnd, __atomic_fetch_and)
ASSAY_ATOMIC_INTEGER(atomicOr, __atomic_fetch_or)
ASSAY_ATOMIC_INTEGER(atomicXor, __atomic_fetch_xor)
#undef ASSAY_ATOMIC_INTEGER

// Replaces the word at the address by a function of it; returns the old word.
template <typename Word, typename F>
__forceinline__ Word AtomicUpdate(Word* address, F f) {
  Word old = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &old, f(old), false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}
template <typename T>
__forceinline__ T atomicAdd(T* address, std::type_identity_t<T> value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics are of 32 and 64 bits");
  if constexpr (std::is_floating_point_v<T>) {
    using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    return std::bit_cast<T>(AtomicUpdate(reinterpret_cast<Word*>(address), [value](Word word) {
      return std::bit_cast<Word>(std::bit_cast<T>(word) + value);
    }));
  } else {
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
  }
}
template <typename T>
__forceinline__ T atomicMin(T* address, std::type_identity_t<T> value) {
  return AtomicUpdate(address, [value](T old) { return value < old ? value : old; });
}
template <typename T>
__forceinline__ T atomicMax(T* address, std::type_identity_t<T> value) {
  return AtomicUpdate(address, [value](T old) { return old < value ? value : old; });
}
__forceinline__ unsigned atomicInc(unsigned* address, unsigned limit) {
  return AtomicUpdate(address, [limit](unsigned old) { return old >= limit ? 0u : old + 1; });
}
__forceinline__ unsigned atomicDec(unsigned* address, unsigned limit) {
  return AtomicUpdate(address,
                      [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}
template <typename T>
__forceinline__ T atomicExch(T* address, std::type_identity_t<T> value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(__atomic_exchange_n(
        reinterpret_cast<uint32_t*>(address), std::bit_cast<uint32_t>(value), __ATOMIC_RELAXED));
  } else {
    return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);
  }
}
template <typename T>
__forceinline__ T atomicCAS(T* address, std::type_identity_t<T> expected,
                            std::type_identity_t<T> value) {
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

// Operations of IEEE 754 that are never contracted, rounded to nearest.
__forceinline__ float __fadd_rn(float a, float b) { return a + b; }
__forceinline__ float __fsub_rn(float a, float b) { return a - b; }
__forceinline__ float __fmul_rn(float a, float b) { return a * b; }
__forceinline__ float __fdiv_rn(float a, float b) { return a / b; }
__forceinline__ float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
__forceinline__ float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__forceinline__ double __dadd_rn(double a, double b) { return a + b; }
__forceinline__ double __dsub_rn(double a, double b) { return a - b; }
__forceinline__ double __dmul_rn(double a, double b) { return a * b; }
__forceinline__ double __ddiv_rn(double a, double b) { return a / b; }
__forceinline__ double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
__forceinline__ double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
__forceinline__ float __double2float_rn(double a) { return static_cast<float>(a); }

// Bit casts.
__forceinline__ unsigned __float_as_uint(float a) { return std::bit_cast<unsigned>(a); }
__forceinline__ int __float_as_int(float a) { return std::bit_cast<int>(a); }
__forceinline__ float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
__forceinline__ float __int_as_float(int a) { return std::bit_cast<float>(a); }
__forceinline__ long long __double_as_longlong(double a) { return std::bit_cast<long long>(a); }
__forceinline__ double __longlong_as_double(long long a) { return std::bit_cast<double>(a); }

// Bits of integers. The leading or trailing zeros of 0 are the width.
__forceinline__ int __popc(unsigned a) { return std::popcount(a); }
__forceinline__ int __popcll(unsigned long long a) { return std::popcount(a); }
__forceinline__ int __clz(int a) { return std::countl_zero(static_cast<unsigned>(a)); }
__forceinline__ int __clzll(long long a) {
  return std::countl_zero(static_cast<unsigned long long>(a));
}
__forceinline__ int __ffs(int a) { return __builtin_ffs(a); }
__forceinline__ int __ffsll(long long a) { return __builtin_ffsll(a); }
__forceinline__ unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
__forceinline__ unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
__forceinline__ unsigned __brev(unsigned a) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (a >> i & 1u) << (31 - i);
  return reversed;
}

// Loads memory that no thread writes while the kernel runs.
template <typename T>
__forceinline__ T __ldg(const T* address) {
  return *address;
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#undef ASSAY_CALL_SITE

#endif  // ASSAY_BACKENDS_CUDA_DIALECT_EMULATED_DIALECT_H_
