// Sorts and top-k whose NaNs may lose their payloads on the way (decision N-2.1).
#include "conformance/judge/given_nans.h"
#include "conformance/judge/order_freedoms.h"
#include "spec/analysis/isolate.h"

namespace assay::conformance {
namespace {

std::vector<Literal> AllWithoutPayloads(absl::Span<const Literal> arrays,
                                        const TargetProfile& profile, bool drops_sign) {
  std::vector<Literal> canonical;
  for (const Literal& each : arrays)
    canonical.push_back(WithoutPayloads(each, profile, drops_sign));
  return canonical;
}

bool AreEqual(const std::vector<Literal>& left, const std::vector<Literal>& right) {
  for (size_t k = 0; k < left.size(); ++k) {
    if (!Literal::BitEqual(left[k], right[k])) return false;
  }
  return true;
}

// Returns true if the profile grants what allows all leaves of a position already.
bool IsGranted(const OrderFreedoms& found, const TargetProfile& profile, int64_t position) {
  for (const std::vector<Verdict>& leaf : found.verdicts) {
    if (leaf[position] != Verdict::kAllowed) return false;
  }
  return profile.Grants(found.by_denormals.contains(position) ? Freedom::kDenormals
                                                              : found.freedom);
}

// Allows, where nothing else that is granted does, the lines of `actual` that are those of the
// operands, whose payloads are gone, in an order that the profile permits.
absl::Status AllowLines(const Subject& subject, const std::vector<Literal>& actual,
                        OrderFreedoms* found) {
  const absl::StatusOr<Literal> value =
      subject.evaluate(*analysis::IsolateInstruction(subject.instruction), subject.operands);
  if (!value.ok()) return value.status();
  const std::vector<Literal> golden = AllWithoutPayloads(Flatten(*value), subject.profile, true);
  const std::vector<Literal> got = AllWithoutPayloads(actual, subject.profile, true);
  const bool sorts = subject.instruction.opcode() == Opcode::kSort;
  OrderFreedoms orders;
  if (sorts) {
    absl::StatusOr<OrderFreedoms> sorted = FindSortOrders(subject, golden, got);
    if (!sorted.ok()) return sorted.status();
    orders = *std::move(sorted);
  } else if (!subject.instruction.GetBool(Attr::kIsStable)) {
    orders = FindTopKOrders(subject, golden, got);
  }
  const Shape& shape = golden[0].shape();
  const Lines lines(shape, sorts ? subject.instruction.GetInt(Attr::kDimension) : shape.rank() - 1);
  const bool unstable = subject.profile.Grants(Freedom::kUnstableOrder);
  for (int64_t line = 0; line < lines.count; ++line) {
    bool permitted = true;
    for (int64_t i = 0; i < lines.length && permitted; ++i) {
      const int64_t at = lines.At(line, i);
      for (size_t leaf = 0; leaf < golden.size() && permitted; ++leaf) {
        permitted = golden[leaf].Get(at) == got[leaf].Get(at) ||
                    (unstable && !orders.verdicts.empty() &&
                     orders.verdicts[leaf][at] == Verdict::kAllowed);
      }
    }
    for (int64_t i = 0; i < lines.length && permitted; ++i) {
      const int64_t at = lines.At(line, i);
      if (IsGranted(*found, subject.profile, at)) continue;
      found->Allow(at, /*denormals=*/false);
      found->by_payloads.insert(at);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FindPayloadOrders(const Subject& subject, const std::vector<Literal>& actual,
                               OrderFreedoms* found) {
  const std::vector<Literal> given(subject.operands.begin(), subject.operands.end());
  std::vector<Literal> before = given;
  for (const bool drops_sign : {false, true}) {
    const std::vector<Literal> operands = AllWithoutPayloads(given, subject.profile, drops_sign);
    if (AreEqual(operands, before)) continue;
    const Subject canonical{subject.instruction, operands, subject.evaluate, subject.profile};
    if (absl::Status status = AllowLines(canonical, actual, found); !status.ok()) return status;
    before = operands;
  }
  return absl::OkStatus();
}

}  // namespace assay::conformance
