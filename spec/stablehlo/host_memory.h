// The memory of the host, which StableHLO names by the attribute mhlo.memory_kind of arguments and
// results and HLO by a number in their layouts.
#ifndef ASSAY_SPEC_STABLEHLO_HOST_MEMORY_H_
#define ASSAY_SPEC_STABLEHLO_HOST_MEMORY_H_

#include <cstdint>

namespace assay::stablehlo {

// XLA's number of it.
inline constexpr int64_t kHostMemory = 5;

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_HOST_MEMORY_H_
