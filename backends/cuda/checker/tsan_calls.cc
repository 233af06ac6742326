// What the compilers call in code that is compiled with -fsanitize=thread. The library of that
// sanitizer is not linked; these functions ask the checker, and do what an atomic operation does.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backends/cuda/checker/checker.h"

using assay::cuda::checker::Access;
using assay::cuda::checker::Check;

#define ASSAY_CALLER __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void* /*pc*/) {}
void __tsan_func_exit() {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

#define ASSAY_PLAIN(bytes)                                                           \
  void __tsan_read##bytes(void* p) { Check(p, bytes, Access::kRead, ASSAY_CALLER); } \
  void __tsan_write##bytes(void* p) { Check(p, bytes, Access::kWrite, ASSAY_CALLER); }
ASSAY_PLAIN(1)
ASSAY_PLAIN(2)
ASSAY_PLAIN(4)
ASSAY_PLAIN(8)
ASSAY_PLAIN(16)
#undef ASSAY_PLAIN

#define ASSAY_VARIANT(kind, bytes)                                                            \
  void __tsan_##kind##_read##bytes(void* p) { Check(p, bytes, Access::kRead, ASSAY_CALLER); } \
  void __tsan_##kind##_write##bytes(void* p) { Check(p, bytes, Access::kWrite, ASSAY_CALLER); }
ASSAY_VARIANT(unaligned, 2)
ASSAY_VARIANT(unaligned, 4)
ASSAY_VARIANT(unaligned, 8)
ASSAY_VARIANT(unaligned, 16)
ASSAY_VARIANT(volatile, 1)
ASSAY_VARIANT(volatile, 2)
ASSAY_VARIANT(volatile, 4)
ASSAY_VARIANT(volatile, 8)
ASSAY_VARIANT(volatile, 16)
ASSAY_VARIANT(unaligned_volatile, 2)
ASSAY_VARIANT(unaligned_volatile, 4)
ASSAY_VARIANT(unaligned_volatile, 8)
ASSAY_VARIANT(unaligned_volatile, 16)
#undef ASSAY_VARIANT

// A read and a write of one place, which Clang joins.
#define ASSAY_BOTH(name, bytes)                    \
  void name(void* p) {                             \
    Check(p, bytes, Access::kRead, ASSAY_CALLER);  \
    Check(p, bytes, Access::kWrite, ASSAY_CALLER); \
  }
ASSAY_BOTH(__tsan_read_write1, 1)
ASSAY_BOTH(__tsan_read_write2, 2)
ASSAY_BOTH(__tsan_read_write4, 4)
ASSAY_BOTH(__tsan_read_write8, 8)
ASSAY_BOTH(__tsan_read_write16, 16)
ASSAY_BOTH(__tsan_unaligned_read_write2, 2)
ASSAY_BOTH(__tsan_unaligned_read_write4, 4)
ASSAY_BOTH(__tsan_unaligned_read_write8, 8)
ASSAY_BOTH(__tsan_unaligned_read_write16, 16)
#undef ASSAY_BOTH

void __tsan_read_range(void* p, size_t bytes) {
  Check(p, static_cast<int64_t>(bytes), Access::kRead, ASSAY_CALLER);
}
void __tsan_write_range(void* p, size_t bytes) {
  Check(p, static_cast<int64_t>(bytes), Access::kWrite, ASSAY_CALLER);
}
void __tsan_vptr_read(void** p) { Check(p, sizeof *p, Access::kRead, ASSAY_CALLER); }
void __tsan_vptr_update(void** p, void* /*value*/) {
  Check(p, sizeof *p, Access::kWrite, ASSAY_CALLER);
}

void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  Check(from, static_cast<int64_t>(bytes), Access::kRead, ASSAY_CALLER);
  Check(to, static_cast<int64_t>(bytes), Access::kWrite, ASSAY_CALLER);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  Check(from, static_cast<int64_t>(bytes), Access::kRead, ASSAY_CALLER);
  Check(to, static_cast<int64_t>(bytes), Access::kWrite, ASSAY_CALLER);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, size_t bytes) {
  Check(to, static_cast<int64_t>(bytes), Access::kWrite, ASSAY_CALLER);
  return std::memset(to, value, bytes);
}

void __tsan_atomic_thread_fence(int /*order*/) {}
void __tsan_atomic_signal_fence(int /*order*/) {}

#define ASSAY_FETCH(T, bits, name)                                      \
  T __tsan_atomic##bits##_fetch_##name(volatile T* p, T value, int) {   \
    Check(const_cast<T*>(p), sizeof(T), Access::kAtomic, ASSAY_CALLER); \
    return __atomic_fetch_##name(p, value, __ATOMIC_SEQ_CST);           \
  }
#define ASSAY_COMPARE(T, bits, name)                                                          \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile T* p, T* expected, T value, int, \
                                                    int) {                                    \
    Check(const_cast<T*>(p), sizeof(T), Access::kAtomic, ASSAY_CALLER);                       \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,           \
                                       __ATOMIC_SEQ_CST);                                     \
  }
#define ASSAY_ATOMICS(T, bits)                                                                   \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {                                       \
    Check(const_cast<T*>(p), sizeof(T), Access::kAtomic, ASSAY_CALLER);                          \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                              \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int) {                                \
    Check(const_cast<T*>(p), sizeof(T), Access::kAtomicStore, ASSAY_CALLER);                     \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                \
  }                                                                                              \
  T __tsan_atomic##bits##_exchange(volatile T* p, T value, int) {                                \
    Check(const_cast<T*>(p), sizeof(T), Access::kAtomicStore, ASSAY_CALLER);                     \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                      \
  }                                                                                              \
  ASSAY_FETCH(T, bits, add)                                                                      \
  ASSAY_FETCH(T, bits, sub)                                                                      \
  ASSAY_FETCH(T, bits, and)                                                                      \
  ASSAY_FETCH(T, bits, or)                                                                       \
  ASSAY_FETCH(T, bits, xor)                                                                      \
  ASSAY_FETCH(T, bits, nand)                                                                     \
  ASSAY_COMPARE(T, bits, strong)                                                                 \
  ASSAY_COMPARE(T, bits, weak)                                                                   \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T value, int, int) {   \
    Check(const_cast<T*>(p), sizeof(T), Access::kAtomic, ASSAY_CALLER);                          \
    __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return expected;                                                                             \
  }
ASSAY_ATOMICS(uint8_t, 8)
ASSAY_ATOMICS(uint16_t, 16)
ASSAY_ATOMICS(uint32_t, 32)
ASSAY_ATOMICS(uint64_t, 64)

}  // extern "C"
