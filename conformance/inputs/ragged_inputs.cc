#include "conformance/inputs/ragged_inputs.h"

#include <algorithm>
#include <random>
#include <vector>

#include "absl/status/statusor.h"

namespace assay::conformance {
namespace {

// The operands of ragged-all-to-all.
enum Operand : int64_t { kInputOffsets = 2, kSendSizes, kOutputOffsets, kRecvSizes };

int64_t Largest(ElementType type) {
  if (IsSigned(type)) return MaxSigned(type);
  return static_cast<int64_t>(std::min<uint64_t>(MaxUnsigned(type), INT64_MAX));
}

// A number in [0, high] that depends on nothing but these.
int64_t Draw(uint64_t seed, int64_t a, int64_t b, int64_t c, int64_t high) {
  uint64_t mixed = seed;
  for (const int64_t part : {a, b, c}) {
    mixed = std::mt19937_64(mixed * 1000003 + static_cast<uint64_t>(part) + 1)();
  }
  return static_cast<int64_t>(mixed % (static_cast<uint64_t>(high) + 1));
}

// The groups' sizes add up to the rows, or to as many as the type can say.
void FillGroupSizes(const RaggedUse& use, Literal* sizes) {
  const Instruction& dot = *use.instruction;
  const Shape& shape = dot.operand(2)->shape();
  const int64_t groups = shape.dimension(shape.rank() - 1);
  const int64_t rows = dot.operand(0)->shape().dimension(dot.GetInts(Attr::kLhsRaggedDims)[0]);
  const ElementType type = sizes->element_type();
  std::vector<int64_t> ends(std::max<int64_t>(groups, 0));
  for (int64_t line = 0; groups > 0 && line < sizes->element_count() / groups; ++line) {
    for (int64_t g = 0; g < groups; ++g) ends[g] = Draw(use.seed, line, g, 0, rows);
    ends[groups - 1] = rows;
    std::sort(ends.begin(), ends.end());
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t size = std::min(ends[g] - (g == 0 ? 0 : ends[g - 1]), Largest(type));
      sizes->Set(line * groups + g, {EncodeInteger(type, static_cast<uint64_t>(size))});
    }
  }
}

// Each sender has a chunk of the rows of every receiver for each of its updates, and what it sends
// lies somewhere in it. Sizes are the same in both directions, and input offsets lie in the chunks,
// too, so that one array may serve as two operands.
void FillTransfers(const RaggedUse& use, const std::vector<int64_t>& group, int64_t self,
                   Literal* array) {
  const Instruction& transfer = *use.instruction;
  const ElementType type = transfer.operand(use.operand)->shape().element_type();
  const auto members = static_cast<int64_t>(group.size());
  const int64_t count = array->element_count(), updates = count / members;
  if (updates == 0) return;
  const int64_t rows = std::min({transfer.operand(0)->shape().dimension(0),
                                 transfer.operand(1)->shape().dimension(0), Largest(type),
                                 Largest(array->element_type())});
  const int64_t chunk = rows / count;
  for (int64_t peer = 0; peer < members; ++peer) {
    for (int64_t u = 0; u < updates; ++u) {
      const int64_t low = std::min(group[self], group[peer]);
      const int64_t high = std::max(group[self], group[peer]);
      int64_t value = Draw(use.seed, low, high, u, chunk);
      if (use.operand == kInputOffsets || use.operand == kOutputOffsets) {
        const int64_t slack = Draw(use.seed + static_cast<uint64_t>(use.operand), group[self],
                                   group[peer], u, chunk - value);
        value = (self * updates + u) * chunk + slack;
      }
      array->Set(peer * updates + u,
                 {EncodeInteger(array->element_type(), static_cast<uint64_t>(value))});
    }
  }
}

}  // namespace

bool IsRaggedOperand(const Instruction& instruction, int64_t operand) {
  switch (instruction.opcode()) {
    case Opcode::kRaggedAllToAll:
      return operand >= kInputOffsets && operand <= kRecvSizes;
    case Opcode::kRaggedDot:
      return operand == 2;
    default:
      return false;
  }
}

absl::Status FillRagged(const RaggedUse& use, Literal* array) {
  if (use.instruction->opcode() == Opcode::kRaggedDot) {
    FillGroupSizes(use, array);
    return absl::OkStatus();
  }
  const absl::StatusOr<std::vector<std::vector<int64_t>>> groups =
      runtime::ProcessGroups(*use.instruction, use.grid);
  if (!groups.ok()) return groups.status();
  const int64_t number = use.grid.Flatten(use.process.replica, use.process.partition);
  for (const std::vector<int64_t>& group : *groups) {
    const auto self = std::find(group.begin(), group.end(), number);
    if (self == group.end()) continue;
    FillTransfers(use, group, self - group.begin(), array);
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace assay::conformance
