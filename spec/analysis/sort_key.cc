#include "spec/analysis/sort_key.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace assay::analysis {
namespace {

// A key is a small computation; larger comparators run as written.
constexpr int64_t kMaxInstructions = 256;

// Operations whose attributes, beyond those of compare, say nothing.
bool MayBelongToKey(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kAnd:
    case Opcode::kBitcastConvert:
    case Opcode::kCompare:
    case Opcode::kConvert:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kOr:
    case Opcode::kSelect:
    case Opcode::kXor:
      return true;
    default:
      return false;
  }
}

bool SameComparison(const Instruction& a, const Instruction& b) {
  return a.GetInt(Attr::kDirection) == b.GetInt(Attr::kDirection) &&
         a.FindInt(Attr::kComparisonType) == b.FindInt(Attr::kComparisonType);
}

// Whether the graphs above `left` and `right` are one function, of parameter 2k and of 2k+1.
// Returns k.
std::optional<int64_t> SameFunction(const Instruction* left, const Instruction* right) {
  std::optional<int64_t> operand;
  absl::flat_hash_set<std::pair<const Instruction*, const Instruction*>> seen;
  std::vector<std::pair<const Instruction*, const Instruction*>> work = {{left, right}};
  while (!work.empty()) {
    const auto [a, b] = work.back();
    work.pop_back();
    if (!seen.insert({a, b}).second) continue;
    if (a->opcode() != b->opcode() || !a->shape().is_scalar() ||
        !Shape::Compatible(a->shape(), b->shape())) {
      return std::nullopt;
    }
    if (a->opcode() == Opcode::kParameter) {
      const int64_t k = a->parameter_number() / 2;
      if (a->parameter_number() != 2 * k || b->parameter_number() != 2 * k + 1) {
        return std::nullopt;
      }
      if (operand.has_value() && *operand != k) return std::nullopt;
      operand = k;
    } else if (a->opcode() == Opcode::kConstant) {
      if (a->literal() == nullptr || b->literal() == nullptr ||
          !Literal::BitEqual(*a->literal(), *b->literal())) {
        return std::nullopt;
      }
    } else {
      if (!MayBelongToKey(a->opcode()) || a->operand_count() != b->operand_count()) {
        return std::nullopt;
      }
      if (a->opcode() == Opcode::kCompare && !SameComparison(*a, *b)) return std::nullopt;
      for (int64_t i = 0; i < a->operand_count(); ++i) {
        work.push_back({a->operand(i), b->operand(i)});
      }
    }
  }
  return operand;
}

// What leads from the only parameter to `root`, as a computation of its own.
std::shared_ptr<const Computation> CopyKey(const Computation& comparator, const Instruction* root) {
  auto key = std::make_shared<Computation>("sort_key");
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  absl::flat_hash_set<const Instruction*> needed = {root};
  for (int64_t i = root->index(); i >= 0; --i) {
    const Instruction* instruction = comparator.instruction(i);
    if (!needed.contains(instruction)) continue;
    for (const Instruction* operand : instruction->operands()) needed.insert(operand);
  }
  for (int64_t i = 0; i <= root->index(); ++i) {
    const Instruction* from = comparator.instruction(i);
    if (!needed.contains(from)) continue;
    auto copy = std::make_unique<Instruction>(from->opcode(), from->shape());
    for (const Instruction* operand : from->operands()) copy->AppendOperand(copies[operand]);
    for (const Attributes::Entry& entry : from->attributes().entries()) {
      copy->SetAttribute(entry.first, entry.second);
    }
    if (from->literal() != nullptr) copy->set_literal(*from->literal());
    if (from->opcode() == Opcode::kParameter) copy->set_parameter_number(0);
    copies[from] = key->Add(std::move(copy));
  }
  key->set_root(copies[root]);
  return key;
}

}  // namespace

std::optional<SortKey> RecogniseSortKey(const Computation& comparator) {
  const Instruction* root = comparator.root();
  if (root->opcode() != Opcode::kCompare || comparator.instruction_count() > kMaxInstructions) {
    return std::nullopt;
  }
  const auto direction = root->GetEnum<ComparisonDirection>(Attr::kDirection);
  if (direction != ComparisonDirection::kLt && direction != ComparisonDirection::kGt) {
    return std::nullopt;
  }
  SortKey key;
  key.descending = direction == ComparisonDirection::kGt;
  const Instruction* left = root->operand(0);
  const Instruction* right = root->operand(1);
  std::optional<int64_t> operand = SameFunction(left, right);
  if (!operand.has_value()) {
    // compare(f(b), f(a)) is the other direction.
    std::swap(left, right);
    key.descending = !key.descending;
    operand = SameFunction(left, right);
  }
  if (!operand.has_value()) return std::nullopt;
  key.operand = *operand;
  key.type = left->shape().element_type();
  if (IsComplex(key.type)) return std::nullopt;
  const std::optional<int64_t> type = root->FindInt(Attr::kComparisonType);
  key.total_order = type == static_cast<int64_t>(ComparisonType::kTotalOrder);
  if (left->opcode() != Opcode::kParameter) {
    key.function = CopyKey(comparator, left);
  }
  return key;
}

}  // namespace assay::analysis
