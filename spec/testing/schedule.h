// How much of a long schedule a test runs. The sanitizers ask what code does to memory, which a
// part of many like configurations shows as well as all of them; what the values are, the other
// builds ask.
#ifndef ASSAY_SPEC_TESTING_SCHEDULE_H_
#define ASSAY_SPEC_TESTING_SCHEDULE_H_

#include <cstdint>

#include "absl/base/config.h"

namespace assay {

// One of so many configurations runs.
#if defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)
inline constexpr int64_t kScheduleStride = 8;
#else
inline constexpr int64_t kScheduleStride = 1;
#endif

// The number of rounds of a schedule that has `rounds` of them, at least one.
constexpr int64_t Scheduled(int64_t rounds) {
  return (rounds + kScheduleStride - 1) / kScheduleStride;
}

}  // namespace assay

#endif  // ASSAY_SPEC_TESTING_SCHEDULE_H_
