// What the machine can do, for benchmarks that show what is done of it.
#ifndef ASSAY_RUNTIME_MACHINE_PEAKS_H_
#define ASSAY_RUNTIME_MACHINE_PEAKS_H_

#include <cstdint>

namespace assay::runtime {

// Multiplies and adds in registers, with the widest vectors that the machine has, ten sums of
// `iterations` terms a lane. Returns the number of multiply-adds, and in `out` what keeps the
// compiler from leaving them out.
int64_t MultiplyAdds(int64_t iterations, float factor, float* out);
int64_t MultiplyAdds(int64_t iterations, double factor, double* out);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_MACHINE_PEAKS_H_
