// Functions of complex numbers by the C library, in double precision: an implementation that shares
// nothing with the backends or the evaluator, a hundred times as fast as the latter. Test: the
// accuracy tests of the backends, where the evaluator decides wherever an estimate does not.
#ifndef ASSAY_BACKENDS_TESTING_COMPLEX_ESTIMATE_H_
#define ASSAY_BACKENDS_TESTING_COMPLEX_ESTIMATE_H_

#include <complex>
#include <optional>

#include "spec/op_info.h"

namespace assay::measure {

// The function of x, or of x and y, to about 2^-45 of the result's parts for almost all operands.
// An estimate may be far off where a formula cancels. Returns nothing if there is no formula.
std::optional<std::complex<double>> EstimateComplex(Opcode opcode, std::complex<double> x,
                                                    std::complex<double> y);

}  // namespace assay::measure

#endif  // ASSAY_BACKENDS_TESTING_COMPLEX_ESTIMATE_H_
