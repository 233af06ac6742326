// Places in the source by the addresses of instructions.
#ifndef ASSAY_BACKENDS_CUDA_CHECKER_PLACES_H_
#define ASSAY_BACKENDS_CUDA_CHECKER_PLACES_H_

#include <cstdint>
#include <string>

namespace assay::cuda::checker {

// The offset of an address in the program or library that holds it, with which it can be stored in
// 32 bits. 0 if it is in none.
uint32_t OffsetOf(const void* pc);
// "kernels.cu:12" by addr2line and the debugging information of the checked build; where one of the
// two is missing, "program+0x12ab".
std::string PlaceOf(uint32_t offset);
// Returns true if the address is of the program's constants, or of a library's.
bool IsConstant(const void* address);

}  // namespace assay::cuda::checker

#endif  // ASSAY_BACKENDS_CUDA_CHECKER_PLACES_H_
