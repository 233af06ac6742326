// Linear-algebra targets in the precision of long double, for backends. The reference interpreter
// has its own (interpreter/custom_calls/exact_linear_algebra.cc). Tests:
// backends/factory/linear_algebra_calls_test.cc.
#include "runtime/custom_calls/linear_algebra/linear_algebra.h"

namespace assay::runtime::custom_calls {

Targets ExtendedLinearAlgebraTargets() { return LinearAlgebraTargets<long double>(); }

}  // namespace assay::runtime::custom_calls
