#include "runtime/processor.h"

#include <sched.h>

#include <algorithm>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace assay::runtime {
namespace {

#if defined(__x86_64__)
// F16C and LZCNT, which Clang 14 does not know by name.
bool HasHalvesAndLeadingZeros() {
  unsigned a, b, c = 0, d, extended = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
  if (__get_cpuid(0x80000001, &a, &b, &extended, &d) == 0) return false;
  constexpr unsigned kLeadingZeros = 1u << 5;
  return (c & bit_F16C) != 0 && (extended & kLeadingZeros) != 0;
}

InstructionSet Detect() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt") && HasHalvesAndLeadingZeros();
  if (!avx2) return InstructionSet::kBaseline;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  return avx512 ? InstructionSet::kAvx512 : InstructionSet::kAvx2;
}
#else
InstructionSet Detect() { return InstructionSet::kBaseline; }
#endif

}  // namespace

bool Supports(InstructionSet set) {
  static const InstructionSet best = Detect();
  return set <= best;
}

int64_t UsableProcessors() {
  static const int64_t processors = [] {
    cpu_set_t usable;
    // Fails where there are more processors than a set has room for.
    if (sched_getaffinity(0, sizeof usable, &usable) == 0) return int64_t{CPU_COUNT(&usable)};
    return std::max<int64_t>(1, std::thread::hardware_concurrency());
  }();
  return processors;
}

}  // namespace assay::runtime
