// A case made ready to run: its module, its inputs, and what the golden interpreter says.
// Tests: corpus_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_READY_CASE_H_
#define ASSAY_CONFORMANCE_CORPUS_READY_CASE_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/device_io.h"
#include "conformance/corpus/corpus_case.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::conformance {

struct ReadyCase {
  std::unique_ptr<Module> module;
  std::vector<DeviceInputs> inputs;  // by process
};

// Not for cases that are to be refused. INVALID_ARGUMENT, with the place of the case, for a module
// that is refused and for arrays that do not fit the parameters; RESOURCE_EXHAUSTED for inputs of
// over `max_bytes` together.
absl::StatusOr<ReadyCase> MakeReady(const CorpusCase& corpus_case,
                                    int64_t max_bytes = int64_t{1} << 31);

// The inputs alone, for the module of the case. Errors as of MakeReady, without the place.
absl::StatusOr<std::vector<DeviceInputs>> MakeInputs(const CorpusCase& corpus_case,
                                                     const Module& module,
                                                     int64_t max_bytes = int64_t{1} << 31);

// The module alone, not verified.
absl::StatusOr<std::unique_ptr<Module>> ReadModule(const CorpusCase& corpus_case);

// By process.
absl::StatusOr<std::vector<DeviceOutputs>> RunGolden(const Module& module,
                                                     absl::Span<const DeviceInputs> inputs,
                                                     const RunBudget& budget,
                                                     const PlanOptions& plan = {});
absl::StatusOr<std::vector<DeviceOutputs>> RunGolden(const ReadyCase& ready,
                                                     const RunBudget& budget,
                                                     const PlanOptions& plan = {});

// OK, or FAILED_PRECONDITION that says where the golden outputs are not those that the case has.
absl::Status CheckExpected(const CorpusCase& corpus_case,
                           const std::vector<DeviceOutputs>& outputs);

// OK, or what is wrong with a case: the golden interpreter does not run it, gives other values than
// the case expects, or a module that is to be refused by a clause is not.
absl::Status CheckCase(const CorpusCase& corpus_case, const RunBudget& budget,
                       const PlanOptions& plan = {});

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_READY_CASE_H_
