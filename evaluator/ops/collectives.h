// Shared by the definitions and the kernels of collectives: the checks of the arguments, and the
// transfers of ragged-all-to-all. Tests: collective_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_OPS_COLLECTIVES_H_
#define ASSAY_EVALUATOR_OPS_COLLECTIVES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/collectives.h"

namespace assay::evaluator {

// Returns an error if PrepareCollective and PrepareCollectiveStraight do not support the
// instruction for a group of this size.
absl::Status CheckCollective(const Instruction& collective, int64_t members, int64_t position);

// Rows that one member receives from another.
struct RaggedTransfer {
  int64_t sender, update;
  int64_t from;  // first row, of the sender's input
  int64_t to;    // first row, of the receiver's result
  int64_t rows;
};
// Returns an element of a list of offsets or sizes (an operand of one member) at a row-major
// position.
using ReadOffset =
    std::function<absl::StatusOr<int64_t>(int64_t member, int64_t operand, int64_t position)>;
// Returns the number of updates for each pair of members.
int64_t UpdatesPerPair(const Instruction& ragged, int64_t members);
// Returns all transfers with rows to member `receiver`, ordered by their place in its result.
// Returns OUT_OF_RANGE as PrepareCollective does.
absl::StatusOr<std::vector<RaggedTransfer>> TransfersTo(const Instruction& ragged, int64_t members,
                                                        int64_t receiver, const ReadOffset& read);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_COLLECTIVES_H_
