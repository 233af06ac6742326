// The transfers of ragged-all-to-all. Operands of a member: input, output, input_offsets,
// send_sizes, output_offsets, recv_sizes; entry (j, u) of a list belongs to update u between this
// member and member j. Output offsets are held by the sender and refer to the receiver.
// Source: reference ops_control_and_collectives.md 7.5.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "evaluator/ops/collectives.h"

namespace assay::evaluator {
namespace {

enum : int64_t { kInputOffsets = 2, kSendSizes = 3, kOutputOffsets = 4, kReceiveSizes = 5 };

template <typename... Parts>
absl::Status OutOfRange(const Instruction& ragged, const Parts&... parts) {
  return absl::OutOfRangeError(
      absl::StrCat("ragged-all-to-all: ", parts..., "; in ", ragged.Describe()));
}

std::string Pair(const RaggedTransfer& transfer, int64_t receiver) {
  return absl::StrCat("member ", transfer.sender, " to member ", receiver, ", update ",
                      transfer.update);
}

std::string Rows(int64_t first, int64_t count) {
  return absl::StrCat("rows [", first, ", ", first, " + ", count, ")");
}

absl::Status CheckRows(const Instruction& ragged, const RaggedTransfer& transfer, int64_t receiver,
                       int64_t first, int64_t operand) {
  const int64_t size = ragged.operand(operand)->shape().dimension(0);
  if (first >= 0 && first <= size - transfer.rows) return absl::OkStatus();
  return OutOfRange(ragged, Pair(transfer, receiver), ": ", Rows(first, transfer.rows),
                    " lie outside the ", operand == 0 ? "sender's input" : "receiver's output",
                    " of ", size, " rows");
}

}  // namespace

int64_t UpdatesPerPair(const Instruction& ragged, int64_t members) {
  return ragged.operand(kInputOffsets)->shape().element_count() / members;
}

absl::StatusOr<std::vector<RaggedTransfer>> TransfersTo(const Instruction& ragged, int64_t members,
                                                        int64_t receiver, const ReadOffset& read) {
  const int64_t updates = UpdatesPerPair(ragged, members);
  std::vector<RaggedTransfer> transfers;
  for (int64_t sender = 0; sender < members; ++sender) {
    for (int64_t update = 0; update < updates; ++update) {
      const int64_t at_sender = receiver * updates + update;
      const int64_t at_receiver = sender * updates + update;
      const absl::StatusOr<int64_t> from = read(sender, kInputOffsets, at_sender);
      const absl::StatusOr<int64_t> rows = read(sender, kSendSizes, at_sender);
      const absl::StatusOr<int64_t> to = read(sender, kOutputOffsets, at_sender);
      const absl::StatusOr<int64_t> expected = read(receiver, kReceiveSizes, at_receiver);
      for (const auto* value : {&from, &rows, &to, &expected}) {
        if (!value->ok()) return value->status();
      }
      const RaggedTransfer transfer = {sender, update, *from, *to, *rows};
      if (*rows != *expected || *rows < 0) {
        return OutOfRange(ragged, Pair(transfer, receiver), ": the sender sends ", *rows,
                          " rows, the receiver expects ", *expected);
      }
      if (*rows == 0) continue;
      for (absl::Status status : {CheckRows(ragged, transfer, receiver, *from, 0),
                                  CheckRows(ragged, transfer, receiver, *to, 1)}) {
        if (!status.ok()) return status;
      }
      transfers.push_back(transfer);
    }
  }
  std::ranges::sort(transfers, {}, &RaggedTransfer::to);
  for (size_t i = 1; i < transfers.size(); ++i) {
    const RaggedTransfer &a = transfers[i - 1], &b = transfers[i];
    if (a.to + a.rows <= b.to) continue;
    return OutOfRange(ragged, Pair(a, receiver), " and ", Pair(b, receiver),
                      " meet in the result: ", Rows(a.to, a.rows), " and ", Rows(b.to, b.rows));
  }
  return transfers;
}

}  // namespace assay::evaluator
