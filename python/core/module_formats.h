// A module in the formats of Module.show. Tests: python/tests/module_test.py.
#ifndef ASSAY_PYTHON_CORE_MODULE_FORMATS_H_
#define ASSAY_PYTHON_CORE_MODULE_FORMATS_H_

#include <string>

#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay::python {

// As `assay show --to FORMAT`: text, short, default, canonical, proto, textproto, dot, stablehlo
// and its variants. INVALID_ARGUMENT, with the list, for any other.
absl::StatusOr<std::string> ModuleAs(const Module& module, const std::string& format);

}  // namespace assay::python

#endif  // ASSAY_PYTHON_CORE_MODULE_FORMATS_H_
