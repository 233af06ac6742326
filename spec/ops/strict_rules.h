// What only the documents demand of an instruction (clauses marked "(strict)"), by operation. Each
// function looks at an instruction whose rule holds and whose shape is written; it stands beside
// the rule. Private to spec/ops. Tests: spec/verify/testdata, pairs marked strict.
#ifndef ASSAY_SPEC_OPS_STRICT_RULES_H_
#define ASSAY_SPEC_OPS_STRICT_RULES_H_

#include "absl/status/status.h"
#include "spec/ir/module.h"

namespace assay {

// Those of the instruction's operation; OK where it has none.
absl::Status CheckStrictClauses(const Instruction& op);

absl::Status CheckAsyncStartStrictly(const Instruction& op);
absl::Status CheckBatchNormStrictly(const Instruction& op);
absl::Status CheckBitcastStrictly(const Instruction& op);
absl::Status CheckBroadcastStrictly(const Instruction& op);
absl::Status CheckCollectiveStrictly(const Instruction& op);
absl::Status CheckDimensionSizeStrictly(const Instruction& op);
absl::Status CheckDynamicReshapeStrictly(const Instruction& op);
absl::Status CheckElementwiseStrictly(const Instruction& op);
absl::Status CheckFftStrictly(const Instruction& op);
absl::Status CheckGatherStrictly(const Instruction& op);
absl::Status CheckInfeedStrictly(const Instruction& infeed);
absl::Status CheckIotaStrictly(const Instruction& op);
absl::Status CheckMapStrictly(const Instruction& op);
absl::Status CheckPermuteStrictly(const Instruction& op);
absl::Status CheckRaggedDotStrictly(const Instruction& op);
absl::Status CheckRngStrictly(const Instruction& op);
absl::Status CheckRngBitGeneratorStrictly(const Instruction& op);
absl::Status CheckRngStateStrictly(const Instruction& op);
absl::Status CheckScaledDotStrictly(const Instruction& op);
absl::Status CheckScanStrictly(const Instruction& op);
absl::Status CheckScatterStrictly(const Instruction& op);
absl::Status CheckSelectAndScatterStrictly(const Instruction& op);
absl::Status CheckSortStrictly(const Instruction& op);
absl::Status CheckTopKStrictly(const Instruction& op);
absl::Status CheckTransferStrictly(const Instruction& op);
absl::Status CheckWhileStrictly(const Instruction& op);
absl::Status CheckWindowStrictly(const Instruction& op);

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_STRICT_RULES_H_
