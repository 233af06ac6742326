// What a test program holds in memory, counted where it is asked for: counted_memory.cc replaces
// every form of operator new and delete of the program that it is compiled into.
#ifndef ASSAY_SPEC_TESTING_COUNTED_MEMORY_H_
#define ASSAY_SPEC_TESTING_COUNTED_MEMORY_H_

#include <cstdint>

namespace assay {

// Bytes held now, as the allocator rounds them.
int64_t HeldMemory();

// The most held at once since the last call of StartPeak.
void StartPeak();
int64_t PeakMemory();

}  // namespace assay

#endif  // ASSAY_SPEC_TESTING_COUNTED_MEMORY_H_
