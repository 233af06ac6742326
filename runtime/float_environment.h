// The floating-point state that golden code needs: round to nearest even, subnormals kept, no
// exception trapped, x87 at its full precision. Every entry point has a guard, because a plug-in or
// the host may have left another state in this thread. Tests: float_environment_test.cc.
#ifndef ASSAY_RUNTIME_FLOAT_ENVIRONMENT_H_
#define ASSAY_RUNTIME_FLOAT_ENVIRONMENT_H_

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace assay::runtime {

#if defined(__x86_64__)
// Sets the state on construction and restores the previous one, including the host's exception
// flags, on destruction. Guards may nest. A guard that finds the right state only reads it.
class FloatEnvironmentGuard {
 public:
  FloatEnvironmentGuard() : vector_(_mm_getcsr()) {
    if ((vector_ & ~kVectorFlags) != kVectorState) _mm_setcsr(kVectorState);
    __asm__ volatile("fnstcw %0" : "=m"(x87_));
    if ((x87_ & kX87Mask) != kX87State) LoadX87(kX87State);
  }
  ~FloatEnvironmentGuard() {
    if (_mm_getcsr() != vector_) _mm_setcsr(vector_);
    if ((x87_ & kX87Mask) != kX87State) {
      __asm__ volatile("fnclex");  // clears flags that the host's state would trap
      LoadX87(x87_);
    }
  }
  FloatEnvironmentGuard(const FloatEnvironmentGuard&) = delete;
  FloatEnvironmentGuard& operator=(const FloatEnvironmentGuard&) = delete;

 private:
  // MXCSR: six flags; all exceptions masked, nearest, neither flush to zero nor denormals are zero.
  static constexpr uint32_t kVectorFlags = 0x3f;
  static constexpr uint32_t kVectorState = 0x1f80;
  // x87: all exceptions masked, 64 bits, nearest. Other bits mean nothing.
  static constexpr uint16_t kX87Mask = 0x0f3f;
  static constexpr uint16_t kX87State = 0x033f;
  static void LoadX87(uint16_t control) { __asm__ volatile("fldcw %0" : : "m"(control)); }

  uint32_t vector_;
  uint16_t x87_;
};
#else
// The same for platforms without x86 control registers.
class FloatEnvironmentGuard {
 public:
  FloatEnvironmentGuard() {
    std::feholdexcept(&found_);
    if (std::fegetround() != FE_TONEAREST) std::fesetround(FE_TONEAREST);
#if defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    constexpr uint64_t kFlush = uint64_t{1} << 24;  // part of what fesetenv restores
    if (control & kFlush) __asm__ volatile("msr fpcr, %0" ::"r"(control & ~kFlush));
#endif
  }
  ~FloatEnvironmentGuard() { std::fesetenv(&found_); }
  FloatEnvironmentGuard(const FloatEnvironmentGuard&) = delete;
  FloatEnvironmentGuard& operator=(const FloatEnvironmentGuard&) = delete;

 private:
  std::fenv_t found_;
};
#endif

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_FLOAT_ENVIRONMENT_H_
