// The walk over a program for what StableHLO demands of it. Test: constraints_test.cc.
#include "spec/stablehlo/constraints.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/stablehlo/constraint_terms.h"
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
Broken AgainstDecomposition(const Operation& op, const Program& program) {
  const Attribute* const symbol = op.Find("decomposition");
  if (symbol == nullptr || op.name() != "stablehlo.composite") return {};
  const Operation* const function = program.FindFunction(symbol->text);
  const Attribute* const type = function == nullptr ? nullptr : function->Find("function_type");
  if (type == nullptr || type->type == nullptr) {
    return {"C2", absl::StrCat("there is no function @", symbol->text, " that decomposes it")};
  }
  const auto differ = [](absl::Span<const Type* const> types, const auto& values) {
    bool differs = types.size() != values.size();
    for (size_t i = 0; !differs && i < types.size(); ++i) differs = types[i] != values[i]->type();
    return differs;
  };
  const absl::string_view constraint = differ(type->type->inputs(), op.operands())   ? "C3"
                                       : differ(type->type->results(), op.results()) ? "C4"
                                                                                     : "";
  if (constraint.empty()) return {};
  return {std::string(constraint),
          absl::StrCat("its decomposition @", symbol->text, " is ", PrintType(*type->type),
                       ", which ", constraint == "C3" ? "takes" : "gives", " something else")};
}

// A constraint whose text is evaluated.
struct ConstraintRow {
  int number = 0;
  absl::string_view text;
  ConstraintTerm term;
};

// What is checked of the operations of one name.
struct OperationRules {
  std::vector<InputName> inputs;
  std::vector<ConstraintRow> rows;
  std::vector<const OperationRule*> rules;
};

std::vector<InputName> ReadInputs(absl::string_view names) {
  std::vector<InputName> inputs;
  for (absl::string_view name : absl::StrSplit(names, ' ')) {
    const bool variadic = absl::ConsumeSuffix(&name, "*");
    inputs.push_back({name, variadic});
  }
  return inputs;
}

const DialectOp* RowOf(absl::string_view operation) {
  return FindDialectOp(absl::StrContains(operation, '.') ? std::string(operation)
                                                         : absl::StrCat("stablehlo.", operation));
}

using Rules = absl::flat_hash_map<const DialectOp*, OperationRules>;

const Rules& RulesByRow() {
  static const auto* const rules = [] {
    auto* all = new Rules();
#define INPUTS(operation, names) (*all)[RowOf(operation)].inputs = ReadInputs(names);
#define CONSTRAINT(operation, number, text)
#define STATED(operation, number, text)
#include "spec/stablehlo/constraint_rows.def"
#undef INPUTS
#undef CONSTRAINT
#undef STATED
    for (const StatedConstraint& stated : StatedConstraints()) {
      if (!stated.is_evaluated) continue;
      (*all)[RowOf(stated.operation)].rows.push_back(
          {stated.number, stated.text, ParseConstraint(stated.text)});
    }
    for (const absl::Span<const OperationRule> list : {AttributeRules(), RegionRules()}) {
      for (const OperationRule& rule : list)
        (*all)[FindDialectOp(rule.name)].rules.push_back(&rule);
    }
    return all;
  }();
  return *rules;
}

std::string NumberOf(int number) { return number == 0 ? "" : absl::StrCat("C", number); }

Broken AgainstRules(const OperationRules& rules, const Operation& operation) {
  for (const ConstraintRow& row : rules.rows) {
    const std::string found = AgainstConstraint(row.term, rules.inputs, operation);
    if (!found.empty()) return {NumberOf(row.number), absl::StrCat(row.text, ", found ", found)};
  }
  for (const OperationRule* rule : rules.rules) {
    std::string why = rule->against(operation);
    if (!why.empty()) return {NumberOf(rule->number), std::move(why)};
  }
  return {};
}

Broken AgainstAll(const Operation& operation, const Program& program) {
  Broken broken = AgainstTypes(operation);
  const auto rules = RulesByRow().find(operation.row());
  if (broken.why.empty() && rules != RulesByRow().end()) {
    broken = AgainstRules(rules->second, operation);
  }
  if (broken.why.empty()) broken = {"", AgainstNamedAttributes(operation)};
  if (broken.why.empty()) broken = {"", AgainstShardings(operation, program)};
  if (broken.why.empty()) broken = AgainstDecomposition(operation, program);
  return broken;
}

}  // namespace

absl::Span<const StatedConstraint> StatedConstraints() {
  static constexpr StatedConstraint kStated[] = {
#define INPUTS(operation, names)
#define CONSTRAINT(operation, number, text) {operation, number, text, true},
#define STATED(operation, number, text) {operation, number, text, false},
#include "spec/stablehlo/constraint_rows.def"
#undef INPUTS
#undef CONSTRAINT
#undef STATED
  };
  return kStated;
}

std::optional<Violation> FindViolation(const Program& program) {
  std::vector<const Operation*> open = {program.module};
  while (!open.empty()) {
    const Operation& operation = *open.back();
    open.pop_back();
    Broken broken = AgainstAll(operation, program);
    if (!broken.why.empty()) {
      const absl::string_view name = operation.name().substr(operation.name().find('.') + 1);
      if (broken.constraint.empty()) return Violation{&operation, std::move(broken.why)};
      return Violation{&operation,
                       absl::StrCat("[", name, " (", broken.constraint, ")] ", broken.why)};
    }
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
