// The machine's memory, and the default memory limit of a target. Tests: machine_memory_test.cc.
#ifndef ASSAY_BACKENDS_PROCESS_MACHINE_MEMORY_H_
#define ASSAY_BACKENDS_PROCESS_MACHINE_MEMORY_H_

#include <cstdint>
#include <string>

#include "absl/base/config.h"

namespace assay::process {

// True in sanitizer builds, whose programs reserve more address space than any machine has memory.
#if defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Returns the bytes of the machine's memory, or the smallest limit of a control group (version 1 or
// 2) of this process; 0 if unknown. `root` is a prefix of the paths of the system's files.
int64_t MachineMemory(const std::string& root = "");

// Returns the default of ProcessOptions::memory_bytes: three quarters of the machine's memory
// divided by the number of targets that run in parallel, so that a target that exhausts its memory
// fails alone. Returns 0 (no limit) if the memory is unknown, and if kSanitized.
int64_t UsualTargetMemory(int64_t targets);

}  // namespace assay::process

#endif  // ASSAY_BACKENDS_PROCESS_MACHINE_MEMORY_H_
