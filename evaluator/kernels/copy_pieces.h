// Results that are composed of pieces of the operands: concatenate, and the collectives that only
// move. Tests: moving_kernels_test.cc, collective_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_COPY_PIECES_H_
#define ASSAY_EVALUATOR_KERNELS_COPY_PIECES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "runtime/strided_copy.h"

namespace assay::evaluator::kernels {

class CopyPieces : public Kernel {
 public:
  struct Piece {
    runtime::StridedCopy copy;
    int64_t operand = 0;
    int64_t result = 0;
    int64_t from_bytes = 0;  // where the piece begins in the operand
    int64_t to_bytes = 0;    // and in the result
  };
  // Together they must cover the results.
  explicit CopyPieces(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    for (const Piece& piece : pieces_) {
      absl::Status status = piece.copy.Run(operands[piece.operand].data + piece.from_bytes,
                                           results[piece.result].data + piece.to_bytes, context);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  std::vector<Piece> pieces_;
};

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_COPY_PIECES_H_
