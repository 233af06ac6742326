// The backends that run the plug-in's programs: the reference interpreter and the vectorised
// backend. They are made here and not by backends/factory, so that the library has no others in it:
// an emulator of a GPU has thread-local data that a library loaded at run time finds no room for.
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
  runtime::RunBudget budget;                         // of one execution
  uint64_t seed = 0;                                 // of the operation rng
  const CustomCallRegistry* custom_calls = nullptr;  // null: the well-known ones
};

// "golden", "cpu", "cpu:strict" or "cpu:plain"; INVALID_ARGUMENT lists them for other names.
absl::StatusOr<std::unique_ptr<Backend>> MakeEngine(absl::string_view name,
                                                    const EngineOptions& options);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_ENGINES_H_
