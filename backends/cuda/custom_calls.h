// The custom calls that the backend knows. Some are launches (kernels/prepare_random.cc). All
// others run on the host: those that the engines share, linear algebra in long double, and those
// that users have registered. Tests: backends/factory/custom_call_test.cc, cuda_calls_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_CUSTOM_CALLS_H_
#define ASSAY_BACKENDS_CUDA_CUSTOM_CALLS_H_

#include "runtime/custom_calls/custom_call.h"

namespace assay::cuda {

// `registered` has the targets of users; null for none.
runtime::CustomCallMeanings MeaningsOf(const runtime::CustomCallRegistry* registered);

// Returns true if the call runs on the host although a launch may know its target: the user has
// registered another meaning, or arrays have dynamic sizes.
bool RunsOnHost(const Instruction& custom_call, const runtime::CustomCallRegistry* registered);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_CUSTOM_CALLS_H_
