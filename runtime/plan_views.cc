#include "runtime/plan_views.h"

#include <cstdlib>

#include "runtime/plan.h"
#include "spec/analysis/movement.h"

namespace assay::runtime {
namespace {

// Pieces cost a little for every block; a view of many sources is stored.
constexpr size_t kMostPieces = 8;
// Instructions that a view may keep a larger source alive for.
constexpr int64_t kSoon = 16;
// What would need more is stored, and so held against the budget of bytes.
constexpr int64_t kMostBytes = int64_t{4} << 30;

// Whether every piece has its elements side by side (or one element all along) in the most minor
// dimension that has more than one.
bool HasRuns(const View& view) {
  for (const ViewPiece& piece : view.pieces()) {
    for (int64_t d = view.rank() - 1; d >= 0; --d) {
      if (piece.box[d].count <= 1) continue;
      if (std::abs(piece.strides[d]) > 1) return false;
      break;
    }
  }
  return true;
}

}  // namespace

ViewChoice::ViewChoice(const Computation& computation, const std::vector<bool>& live)
    : computation_(computation) {
  for (const auto& instruction : computation.instructions()) {
    if (!live[instruction->index()]) continue;
    for (int64_t k = 0; k < instruction->operand_count(); ++k) {
      const Instruction* operand = instruction->operand(k);
      if (MayBeView(*operand)) uses_[operand].push_back({instruction.get(), k});
    }
  }
}

bool ViewChoice::MayBeView(const Instruction& instruction) {
  return analysis::IsMovement(instruction.opcode());
}

bool ViewChoice::CanReadThrough(const Instruction& user, int64_t k, const View& view) {
  if (view.pieces().size() > kMostPieces) return false;
  if (MayBeView(user) || user.opcode() == Opcode::kDot) return true;
  const bool reduce = user.opcode() == Opcode::kReduce;
  if (!reduce && !user.info().elementwise()) return false;
  // Reshapes of whole arrays always; initial values, scalar predicates and scalar bounds are read
  // as they lie.
  if (view.is_dense()) return true;
  if (reduce) return k < user.operand_count() / 2;
  return HasRuns(view) && Shape::SameDimensions(user.operand(k)->shape(), user.shape());
}

bool ViewChoice::ShouldStayView(const Instruction& instruction, const View& view,
                                int64_t source_bytes) const {
  auto uses = uses_.find(&instruction);
  if (uses == uses_.end() || &instruction == computation_.root()) return false;
  if (uses->second.size() > 1 && !HasRuns(view)) return false;
  const int64_t bytes = instruction.shape().ByteSize().value_or(INT64_MAX);
  if (bytes > kMostBytes) return false;
  // Small values live in the frame: writing one costs less than reading through it.
  if (bytes <= kSmallBytes && !view.is_dense()) return false;
  const bool is_smaller = bytes < source_bytes;
  for (const Use& use : uses->second) {
    if (!CanReadThrough(*use.user, use.operand, view)) return false;
    if (is_smaller && use.user->index() - instruction.index() > kSoon) return false;
  }
  return true;
}

}  // namespace assay::runtime
