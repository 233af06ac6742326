// The formats of Module.show. Tests: python/tests/module_test.py.
#ifndef ASSAY_PYTHON_CORE_MODULE_FORMATS_H_
#define ASSAY_PYTHON_CORE_MODULE_FORMATS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay::python {

// Returns the module as `assay show --to FORMAT` does: text, short, default, canonical, proto,
// textproto, dot, stablehlo and its variants. Returns INVALID_ARGUMENT with this list for any other
// format. `result_names`: of the results of a StableHLO program, which it keeps.
absl::StatusOr<std::string> ModuleAs(const Module& module, const std::string& format,
                                     absl::Span<const std::string> result_names = {});

}  // namespace assay::python

#endif  // ASSAY_PYTHON_CORE_MODULE_FORMATS_H_
