#include "conformance/profiles/profile.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "conformance/profiles/profile_content.h"

namespace assay::conformance {
namespace {

struct DecisionRow {
  absl::string_view name, meaning;
};
constexpr DecisionRow kDecisionRows[] = {
#define DECISION_POINT(enumerator, name, meaning) {name, meaning},
#include "conformance/judge/decision_points.def"
#undef DECISION_POINT
};

ElementType PartOf(ElementType type) { return IsComplex(type) ? Info(type).component : type; }

// None named: any.
template <typename T>
bool Matches(const std::vector<T>& named, const T& given) {
  return named.empty() || std::find(named.begin(), named.end(), given) != named.end();
}

// The element types of an instruction's arrays, its result's first.
void CollectTypes(const Shape& shape, std::vector<ElementType>* types) {
  if (shape.is_array()) types->push_back(shape.element_type());
  if (!shape.is_tuple()) return;
  for (const Shape& part : shape.tuple_shapes()) CollectTypes(part, types);
}

}  // namespace

absl::string_view DecisionPointName(DecisionPoint point) {
  return kDecisionRows[static_cast<int>(point)].name;
}

absl::string_view DecisionPointMeaning(DecisionPoint point) {
  return kDecisionRows[static_cast<int>(point)].meaning;
}

const std::string& TargetProfile::name() const { return content_->name; }
const std::string& TargetProfile::description() const { return content_->description; }
const LinearAlgebra& TargetProfile::linear_algebra() const { return content_->linear_algebra; }
ModuleChecks TargetProfile::module_checks() const { return content_->module_checks; }

bool TargetProfile::Grants(Freedom freedom) const {
  return content_->grants[static_cast<int>(freedom)];
}

bool TargetProfile::Admits(DecisionPoint point) const {
  const int number = static_cast<int>(point);
  return !content_->deviations[number].empty() ||
         (Grants(Freedom::kImplementationDefined) && content_->admits[number]);
}

const std::string* TargetProfile::KnownDeviation(DecisionPoint point) const {
  const std::string& finding = content_->deviations[static_cast<int>(point)];
  return finding.empty() ? nullptr : &finding;
}

UlpBudget TargetProfile::FindBudget(Opcode opcode, ElementType type) const {
  const auto found = content_->budgets.find({opcode, type});
  return found == content_->budgets.end() ? UlpBudget() : found->second;
}

bool TargetProfile::MayFlushOperands(ElementType type) const {
  const auto found = content_->flushes.find(PartOf(type));
  return Grants(Freedom::kDenormals) && found != content_->flushes.end() && found->second.first;
}

bool TargetProfile::MayFlushResults(ElementType type) const {
  const auto found = content_->flushes.find(PartOf(type));
  return Grants(Freedom::kDenormals) && found != content_->flushes.end() && found->second.second;
}

Accumulation TargetProfile::FindAccumulation(ElementType terms, bool contraction) const {
  const ElementType part = PartOf(terms);
  for (const bool use : {contraction, false}) {
    const auto found = content_->accumulations.find({part, use});
    if (found != content_->accumulations.end()) return found->second;
  }
  Accumulation own;
  own.accumulator = part == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32;
  own.unit = part == ElementType::kF64 ? 0x1p-53 : 0x1p-24;
  return own;
}

std::optional<int64_t> TargetProfile::FindDotAlgorithm(Precision precision) const {
  const auto found = content_->dots.find(precision);
  if (found == content_->dots.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> TargetProfile::Unsupported(const Module& module) const {
  if (content_->unsupported.empty()) return std::nullopt;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      std::vector<ElementType> types;
      CollectTypes(instruction->shape(), &types);
      for (const Instruction* operand : instruction->operands()) {
        CollectTypes(operand->shape(), &types);
      }
      for (const Content::Unsupported& row : content_->unsupported) {
        if (!Matches(row.ops, instruction->opcode())) continue;
        if (row.types.empty()) return row.reason;
        for (const ElementType type : types) {
          if (Matches(row.types, type)) return row.reason;
        }
      }
    }
  }
  return std::nullopt;
}

std::vector<std::string> TargetProfile::Differences() const {
  std::vector<std::string> lines;
  for (const auto& [key, value] : content_->entries) {
    const auto base = content_->inherited.find(key);
    if (base == content_->inherited.end()) {
      lines.push_back(absl::StrCat(key, ": ", value));
    } else if (base->second != value) {
      lines.push_back(absl::StrCat(key, ": ", value, " instead of ", base->second));
    }
  }
  for (const auto& [key, value] : content_->inherited) {
    if (content_->entries.count(key) == 0) {
      lines.push_back(absl::StrCat(key, ": none instead of ", value));
    }
  }
  return lines;
}

}  // namespace assay::conformance
