// The walk over a program for what StableHLO demands of it. Test: constraints_test.cc.
#include "spec/stablehlo/constraints.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/shardings.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

// The sharding that an attribute is, those in its list, or those of the dictionaries in it.
void AddShardings(const Attribute& attribute, std::vector<const Attribute*>* found) {
  const auto add_list = [&](const Attribute& list) {
    if (const Attribute* all = list.Find("shardings")) {
      found->insert(found->end(), all->elements.begin(), all->elements.end());
    }
  };
  if (attribute.kind == AttributeKind::kRecord) {
    if (attribute.name == "sdy.sharding") found->push_back(&attribute);
    if (attribute.name == "sdy.sharding_per_value") add_list(attribute);
    return;
  }
  if (attribute.kind != AttributeKind::kArray) return;
  for (const Attribute* element : attribute.elements) {
    const Attribute* const sharding =
        element->kind == AttributeKind::kDictionary ? element->Find("sdy.sharding") : nullptr;
    if (sharding != nullptr && sharding->name == "sdy.sharding") found->push_back(sharding);
  }
}

std::string AgainstShardings(const Operation& op, const Program& program) {
  std::vector<const Attribute*> shardings;
  for (const NamedAttribute& attribute : op.attributes()) {
    AddShardings(*attribute.value, &shardings);
  }
  for (const Attribute* sharding : shardings) {
    const absl::Status status = CheckShardy(*sharding, program);
    if (!status.ok()) return absl::StrCat(PrintAttribute(*sharding), ": ", status.message());
  }
  return "";
}

// A composite takes and gives what its decomposition does.
std::string AgainstDecomposition(const Operation& op, const Program& program) {
  const Attribute* const symbol = op.Find("decomposition");
  if (symbol == nullptr || op.name() != "stablehlo.composite") return "";
  const Operation* const function = program.FindFunction(symbol->text);
  const Attribute* const type = function == nullptr ? nullptr : function->Find("function_type");
  if (type == nullptr || type->type == nullptr) {
    return absl::StrCat("there is no function @", symbol->text, " that decomposes it");
  }
  const auto differ = [](absl::Span<const Type* const> types, const auto& values) {
    bool differs = types.size() != values.size();
    for (size_t i = 0; !differs && i < types.size(); ++i) differs = types[i] != values[i]->type();
    return differs;
  };
  if (!differ(type->type->inputs(), op.operands()) &&
      !differ(type->type->results(), op.results())) {
    return "";
  }
  return absl::StrCat("its decomposition @", symbol->text, " is ", PrintType(*type->type),
                      ", which takes or gives something else");
}

using Rules = absl::flat_hash_map<const DialectOp*, std::vector<const OperationRule*>>;

const Rules& RulesByRow() {
  static const auto* const rules = [] {
    auto* all = new Rules();
    for (const absl::Span<const OperationRule> list : {AttributeRules(), RegionRules()}) {
      for (const OperationRule& rule : list) (*all)[FindDialectOp(rule.name)].push_back(&rule);
    }
    return all;
  }();
  return *rules;
}

std::string AgainstAll(const Operation& operation, const Program& program) {
  std::string why = AgainstTypes(operation);
  if (why.empty()) why = AgainstNamedAttributes(operation);
  if (why.empty()) why = AgainstShardings(operation, program);
  if (why.empty()) why = AgainstDecomposition(operation, program);
  const auto rules = RulesByRow().find(operation.row());
  if (rules == RulesByRow().end()) return why;
  for (const OperationRule* rule : rules->second) {
    if (why.empty()) why = rule->against(operation);
  }
  return why;
}

}  // namespace

std::optional<Violation> FindViolation(const Program& program) {
  std::vector<const Operation*> open = {program.module};
  while (!open.empty()) {
    const Operation& operation = *open.back();
    open.pop_back();
    std::string why = AgainstAll(operation, program);
    if (!why.empty()) return Violation{&operation, std::move(why)};
    // The last on the stack is looked at first.
    for (size_t r = operation.regions().size(); r-- > 0;) {
      const absl::Span<const Ref<Block>> blocks = operation.regions()[r].blocks();
      for (size_t b = blocks.size(); b-- > 0;) {
        open.insert(open.end(), blocks[b]->operations.rbegin(), blocks[b]->operations.rend());
      }
    }
  }
  return std::nullopt;
}

}  // namespace assay::stablehlo
