// An HLO module as a StableHLO program: the counterpart of to_module.h. What the program computes
// is what the module computes, value by value. Aliases of buffers, layouts of the entry, names of
// parameters and metadata are kept; schedules and other names are not, and how asynchronous
// operations are written is the caller's choice.
// Tests: from_module_test.cc; the whole corpus: conformance/corpus/stablehlo_round_trip_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_FROM_MODULE_H_
#define ASSAY_SPEC_STABLEHLO_FROM_MODULE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// How operations are written that CHLO has and StableHLO has not.
enum class ChloForm {
  kOperations,  // as operations of CHLO: text
  // As composites named "chlo.acos" with a decomposition into StableHLO, where there is one:
  // artifacts, which know no other dialect.
  kComposites,
};

// How annotations of Shardy, asynchronous operations and `topk` are written. Without any of these,
// it is what every implementation of StableHLO understands.
struct Forms {
  // Asynchronous collectives and slices are pairs of async_start and async_done; else they run
  // where they start. Artifacts have pairs from the version kFirstWithPairs on.
  bool pairs = false;
  // Annotations are operations and attributes of the dialect sdy; else frontend attributes and
  // custom calls, as in HLO. Artifacts have sdy from the version kFirstWithOtherDialects on.
  bool shardy = false;
  // chlo.top_k says that equal elements may come in any order. Older readers do not know how to say
  // so; for them it is stable, which is one of these orders.
  bool unstable_top_k = false;
};
inline constexpr Forms kAllForms = {.pairs = true, .shardy = true, .unstable_top_k = true};  // text

// UNIMPLEMENTED, naming the instruction, for what StableHLO and CHLO have no operation for (the
// list is in docs/stablehlo_writing.md); RESOURCE_EXHAUSTED where regions, which StableHLO cannot
// share, would make the program far larger than the module. The module must have passed the
// verifier.
// `result_names`: the names of the entry's results, or none.
absl::StatusOr<std::unique_ptr<Program>> FromModule(const Module& module,
                                                    absl::Span<const std::string> result_names = {},
                                                    ChloForm chlo = ChloForm::kOperations,
                                                    Forms forms = {});

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_FROM_MODULE_H_
