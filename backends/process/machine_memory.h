// What the machine has in memory, and what a target may take of it where nobody says. Tests:
// machine_memory_test.cc.
#ifndef ASSAY_BACKENDS_PROCESS_MACHINE_MEMORY_H_
#define ASSAY_BACKENDS_PROCESS_MACHINE_MEMORY_H_

#include <cstdint>
#include <string>

#include "absl/base/config.h"

namespace assay {

// A build whose programs reserve more than any machine has.
#if defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Bytes: the machine's, or the least that a control group (version 1 or 2) leaves this process. 0:
// nothing says. `root` stands before the paths of the system's files.
int64_t MachineMemory(const std::string& root = "");

// For ProcessOptions::memory_bytes: three quarters of the machine's, divided by the targets that
// run at once, so that one that eats all it can get fails alone. 0 (no limit) where nothing says
// what there is, and where kSanitized.
int64_t UsualTargetMemory(int64_t targets);

}  // namespace assay

#endif  // ASSAY_BACKENDS_PROCESS_MACHINE_MEMORY_H_
