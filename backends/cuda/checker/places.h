// Maps the addresses of instructions to places in the source. Tests: checker_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_CHECKER_PLACES_H_
#define ASSAY_BACKENDS_CUDA_CHECKER_PLACES_H_

#include <cstdint>
#include <string>

namespace assay::cuda::checker {

// Returns the offset of an address in the program or library that contains it, which fits 32 bits;
// 0 if there is none.
uint32_t OffsetOf(const void* pc);
// Returns "kernels.cu:12", found by addr2line in the debugging information of the checked build, or
// "program+0x12ab" if one of the two is missing.
std::string PlaceOf(uint32_t offset);
// Returns true if the address is of the program's constants, or of a library's.
bool IsConstant(const void* address);

}  // namespace assay::cuda::checker

#endif  // ASSAY_BACKENDS_CUDA_CHECKER_PLACES_H_
