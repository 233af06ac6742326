// The floating-point state golden code needs: round to nearest even, subnormals kept. A guard at
// every entry point, because a plugin that ran in this thread may have left the state changed.
// Tests: float_environment_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_FLOAT_ENVIRONMENT_H_
#define ASSAY_EVALUATOR_REAL_FLOAT_ENVIRONMENT_H_

#include <cfenv>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace assay {

// Sets the state on construction and restores what was there on destruction. Guards may nest; one
// that finds the state right only reads it.
class FloatEnvironmentGuard {
 public:
  FloatEnvironmentGuard() : rounding_(std::fegetround()) {
    if (rounding_ != FE_TONEAREST) std::fesetround(FE_TONEAREST);
#if defined(__SSE2__)
    control_ = _mm_getcsr();
    if (control_ & kFlushBits) _mm_setcsr(control_ & ~kFlushBits);
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(control_));
    if (control_ & kFlushBits) SetControl(control_ & ~kFlushBits);
#endif
  }
  ~FloatEnvironmentGuard() {
#if defined(__SSE2__)
    if (control_ & kFlushBits) _mm_setcsr(_mm_getcsr() | (control_ & kFlushBits));
#elif defined(__aarch64__)
    if (control_ & kFlushBits) SetControl(control_);
#endif
    if (rounding_ != FE_TONEAREST) std::fesetround(rounding_);
  }
  FloatEnvironmentGuard(const FloatEnvironmentGuard&) = delete;
  FloatEnvironmentGuard& operator=(const FloatEnvironmentGuard&) = delete;

 private:
  int rounding_;
#if defined(__SSE2__)
  static constexpr unsigned kFlushBits = 0x8040;  // flush to zero, denormals are zero
  unsigned control_;
#elif defined(__aarch64__)
  static constexpr unsigned long kFlushBits = 1ul << 24;
  static void SetControl(unsigned long value) { __asm__ volatile("msr fpcr, %0" ::"r"(value)); }
  unsigned long control_;
#endif
};

}  // namespace assay

#endif  // ASSAY_EVALUATOR_REAL_FLOAT_ENVIRONMENT_H_
