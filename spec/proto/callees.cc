// Which attribute each called computation of the wire format belongs to: the wire has a list of
// ids. Source: reference ops_control_and_collectives.md 14.1. Test: conversions_test.cc.
#include "absl/strings/str_cat.h"
#include "spec/proto/pieces.h"

namespace assay {
namespace {

// The order of the wire format where an operation has several.
constexpr Attr kSingle[] = {Attr::kBody,    Attr::kCondition, Attr::kSelect,
                            Attr::kScatter, Attr::kToApply,   Attr::kCalls};

absl::Status AssignBranches(const std::vector<Computation*>& callees, Instruction* conditional) {
  if (static_cast<int64_t>(callees.size()) + 1 != conditional->operand_count()) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", callees.size(), " branches and ",
                                                   conditional->operand_count(), " operands"));
  }
  const Shape& selector = conditional->operand(0)->shape();
  if (selector.element_type() != ElementType::kPred) {
    conditional->SetAttribute(Attr::kBranchComputations, callees);
    return absl::OkStatus();
  }
  if (callees.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("a pred selects among ", callees.size(), " branches instead of 2"));
  }
  conditional->SetAttribute(Attr::kTrueComputation, callees[0]);
  conditional->SetAttribute(Attr::kFalseComputation, callees[1]);
  return absl::OkStatus();
}

}  // namespace

absl::Status AssignCallees(const std::vector<Computation*>& callees, Instruction* instruction) {
  if (instruction->opcode() == Opcode::kConditional) return AssignBranches(callees, instruction);
  const OpInfo& info = instruction->info();
  if (info.FindAttribute(Attr::kCalledComputations) != nullptr) {
    instruction->SetAttribute(Attr::kCalledComputations, callees);
    return absl::OkStatus();
  }
  size_t next = 0;
  for (Attr attr : kSingle) {
    const AttributeUse* use = info.FindAttribute(attr);
    if (use == nullptr) continue;
    // Older writers repeat the computation of an async-start in its update and done.
    if (use->print == AttributeUse::Print::kNever) return absl::OkStatus();
    if (next < callees.size()) instruction->SetAttribute(attr, callees[next]);
    ++next;
  }
  if (next == callees.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("it calls ", callees.size(), " computations instead of ", next));
}

}  // namespace assay
