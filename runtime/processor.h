// What this process may use: processors, and the instructions that they have beside those of its
// architecture's baseline. Whoever has loops for several instruction sets asks here which of them
// may run, so that all make one choice. Test: processor_test.cc.
#ifndef ASSAY_RUNTIME_PROCESSOR_H_
#define ASSAY_RUNTIME_PROCESSOR_H_

#include <cstdint>

namespace assay::runtime {

// Each one includes those before it.
enum class InstructionSet : uint8_t {
  kBaseline,
  kAvx2,   // x86-64 with AVX2, FMA, F16C, BMI, BMI2, LZCNT and POPCNT
  kAvx512  // and AVX-512 F, BW, CD, DQ and VL
};

// Returns true if the processor and the operating system support all instructions of the set. It is
// not inline: files that are compiled for a larger set include this header.
bool Supports(InstructionSet set);

// Returns the number of processors that this process may use (sched_setaffinity, cpusets), which
// the standard library does not tell; read once.
int64_t UsableProcessors();

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_PROCESSOR_H_
