// Backends by what users call them: one line for each in factory.cc. Programs that have more of
// them add lines of their own to the table. Tests: factory_test.cc.
#ifndef ASSAY_BACKENDS_FACTORY_FACTORY_H_
#define ASSAY_BACKENDS_FACTORY_FACTORY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "runtime/budget.h"
#include "runtime/host.h"
#include "runtime/run.h"

namespace assay::runtime {
class CustomCallRegistry;
}

namespace assay {

struct GoldenOptions;

// What a backend is made with. What is pointed to must outlive it. A backend ignores what it does
// not offer (BackendCapabilities::features).
struct BackendOptions {
  runtime::RunBudget budget;                  // of one execution, or one answer
  std::vector<runtime::Observer*> observers;  // Feature::kObservers
  runtime::Host* host = nullptr;              // Feature::kHost; null: the queues of inputs
  uint64_t random_seed = 0;                   // Feature::kRandomSeed
  bool sends_wait = false;                    // Feature::kSendsWait
  bool straight = false;                      // Feature::kDefinitions
  // Feature::kCustomCalls: targets beside the well-known ones; null: none.
  const runtime::CustomCallRegistry* custom_calls = nullptr;
  int64_t memory_bytes = 0;  // of a program's data; 0: no limit
};

// A line of the table.
struct BackendKind {
  std::string name;      // "golden"; with an argument the text in front of it: "process:"
  std::string argument;  // what the argument is: "COMMAND"; empty: there is none
  std::string help;      // one line
  std::function<absl::StatusOr<std::unique_ptr<Backend>>(absl::string_view argument,
                                                         const BackendOptions&)>
      make;
  std::string profile = "cpu-strict";  // what it is judged by where users name none

  // As users write it: "process:COMMAND".
  std::string usage() const { return name + argument; }
};

// The backends of this folder.
const std::vector<BackendKind>& BuiltInBackends();

// The backend of a specification, as "process:./mine". INVALID_ARGUMENT, with the list of those
// that there are, where no line fits; else the errors of the line.
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(absl::Span<const BackendKind> kinds,
                                                     absl::string_view specification,
                                                     const BackendOptions& options);

// The profile of the line that fits a specification; that of any other implementation where none
// does.
std::string DefaultProfile(absl::Span<const BackendKind> kinds, absl::string_view specification);

// For backends that are made of golden.
GoldenOptions GoldenOptionsOf(const BackendOptions& options);

}  // namespace assay

#endif  // ASSAY_BACKENDS_FACTORY_FACTORY_H_
