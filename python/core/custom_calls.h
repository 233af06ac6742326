// Python functions that implement custom calls. Tests: python/tests/custom_call_test.py.
#ifndef ASSAY_PYTHON_CORE_CUSTOM_CALLS_H_
#define ASSAY_PYTHON_CORE_CUSTOM_CALLS_H_

#include <memory>

#include "interpreter/custom_call.h"
#include "python/core/binding.h"

namespace assay::python {

// Returns a registry of the built-in targets and of `functions`, a dictionary by target, or null if
// it is empty. A function gets (target, configuration, results, operands), where results are pairs
// of an element type and sizes and operands are Arrays, and returns a list of Arrays. Its exception
// is the error of the run. Called with the GIL. `interruption` must outlive the registry.
std::unique_ptr<CustomCallRegistry> RegistryOf(const nb::dict& functions,
                                               Interruption& interruption);

}  // namespace assay::python

#endif  // ASSAY_PYTHON_CORE_CUSTOM_CALLS_H_
