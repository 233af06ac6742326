// The backends that run the plug-in's programs: the reference interpreter and the cpu backend. The
// plug-in does not use backends/factory, because the GPU emulator there has thread-local data for
// which a library loaded at run time finds no space. Tests: plugin_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_ENGINES_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_ENGINES_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/backend.h"
#include "interpreter/custom_call.h"
#include "runtime/budget.h"

namespace assay::pjrt {

struct EngineOptions {
  runtime::RunBudget budget;                         // the budget of one execution
  uint64_t seed = 0;                                 // the seed of rng
  const CustomCallRegistry* custom_calls = nullptr;  // beside the built-in ones
};

// Makes the backend "golden", "cpu", "cpu:strict" or "cpu:plain". Returns INVALID_ARGUMENT with
// this list for other names.
absl::StatusOr<std::unique_ptr<Backend>> MakeEngine(absl::string_view name,
                                                    const EngineOptions& options);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_ENGINES_H_
