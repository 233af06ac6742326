// What the notation of constraint_rows.def means. Test: constraints_test.cc.
#include "spec/stablehlo/constraint_terms.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "spec/element/element.h"
#include "spec/stablehlo/constraint_functions.h"
#include "spec/stablehlo/constraints.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/lowering.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

using TermKind = ConstraintTerm::Kind;

// Whether a name is that of an enumeration's value.
bool IsCapital(absl::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) {
    return absl::ascii_isupper(static_cast<unsigned char>(c)) || c == '_';
  });
}

TermValue ValueOf(const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kUnit:
      return TermValue::Number(1);
    case AttributeKind::kBool:
    case AttributeKind::kInteger:
      return TermValue::Number(attribute.integer);
    case AttributeKind::kEnum:
      return TermValue::Word(attribute.text);
    case AttributeKind::kArray:
      return TermValue::List(std::vector<int64_t>(attribute.elements.size(), kDynamic));
    default:
      break;
  }
  std::optional<std::vector<int64_t>> ints = IntsOf(attribute);
  if (!ints) return {};
  TermValue list = TermValue::List(*std::move(ints));
  list.type = attribute.kind == AttributeKind::kDense ? attribute.type : nullptr;
  return list;
}

// What an attribute means that is absent.
TermValue DefaultOf(const Field& field) {
  if (field.kind == FieldKind::kUnit) return TermValue::Number(0);
  if (field.presence != Presence::kDefault) return {};
  return field.kind == FieldKind::kEnum ? TermValue() : TermValue::Number(field.default_value);
}

TermValue FieldOf(const Attribute& record, const Field& field) {
  const Attribute* const value = record.Find(field.name);
  if (value != nullptr) return ValueOf(*value);
  return field.kind == FieldKind::kInts ? TermValue::List({}) : DefaultOf(field);
}

class Evaluation {
 public:
  Evaluation(const std::vector<InputName>& inputs, const Operation& operation)
      : inputs_(inputs), operation_(operation) {}

  // Which of the values `x...` is, and how many there are; 1 where there is no `x...`.
  void SetStep(size_t step) { step_ = step; }
  size_t Steps(const ConstraintTerm& term) const {
    const std::optional<size_t> steps = StepsOf(term);
    return steps ? *steps : 1;
  }

  TermValue Of(const ConstraintTerm& term) const {
    switch (term.kind) {
      case TermKind::kNumber:
        return TermValue::Number(term.number);
      case TermKind::kEach:
        return OfValue(*GroupOf(term.word), step_);
      case TermKind::kName:
        return OfName(term.word);
      case TermKind::kOperator:
        return OfOperator(term);
      case TermKind::kCall:
        break;
    }
    return OfCall(term);
  }

  // "dimensions is [2]" for the parts of a term that the reader does not see in its text.
  void Describe(const ConstraintTerm& term, std::vector<std::string>* found) const {
    const bool is_leaf = term.kind == TermKind::kName || term.kind == TermKind::kEach ||
                         (term.kind == TermKind::kCall && IsAboutValues(term.word));
    if (!is_leaf) {
      for (const ConstraintTerm& part : term.parts) Describe(part, found);
      return;
    }
    const std::string value = Of(term).Print();
    if (value.empty() || (term.kind == TermKind::kName && IsCapital(term.word))) return;
    std::string text = absl::StrCat(term.text, " is ", value);
    if (std::find(found->begin(), found->end(), text) == found->end()) {
      found->push_back(std::move(text));
    }
  }

 private:
  using Types = std::vector<const Type*>;

  std::optional<size_t> StepsOf(const ConstraintTerm& term) const {
    if (term.kind == TermKind::kEach) return GroupOf(term.word)->size();
    std::optional<size_t> steps;
    for (const ConstraintTerm& part : term.parts) steps = std::max(steps, StepsOf(part));
    return steps;
  }

  // The types of the operands or results of a name; nullopt for other names.
  std::optional<Types> GroupOf(absl::string_view name) const {
    Types types;
    if (absl::ConsumePrefix(&name, "result")) {
      for (const Value* result : operation_.results()) types.push_back(result->type());
      size_t i = 0;
      if (name.empty() || name == "s") return types;
      if (!absl::ConsumePrefix(&name, "_") || !absl::SimpleAtoi(name, &i)) return std::nullopt;
      return i < types.size() ? Types{types[i]} : Types();
    }
    const auto variadic = static_cast<size_t>(std::count_if(
        inputs_.begin(), inputs_.end(), [](const auto& one) { return one.variadic; }));
    const size_t fixed = inputs_.size() - variadic;
    const size_t count = operation_.operands().size();
    const size_t shared = variadic == 0 || count < fixed ? 0 : (count - fixed) / variadic;
    size_t first = 0;
    for (const InputName& input : inputs_) {
      const size_t size = input.variadic ? shared : 1;
      if (input.name == name) {
        for (size_t i = first; i < std::min(first + size, count); ++i) {
          types.push_back(operation_.operands()[i]->type());
        }
        return types;
      }
      first += size;
    }
    return std::nullopt;
  }

  static TermValue OfValue(const Types& types, size_t i) {
    return i < types.size() ? TermValue::OfType(*types[i]) : TermValue::Missing();
  }

  TermValue OfName(absl::string_view name) const {
    if (const std::optional<Types> group = GroupOf(name)) return OfValue(*group, 0);
    if (IsCapital(name)) return TermValue::Word(name);
    if (name == "channel_id") {
      const Attribute* const channel = operation_.Find("channel_handle");
      const Attribute* const handle = channel == nullptr ? nullptr : channel->Find("handle");
      return TermValue::Number(handle == nullptr ? 0 : handle->integer);
    }
    if (const Attribute* attribute = operation_.Find(name)) return ValueOf(*attribute);
    for (const NamedAttribute& attribute : operation_.attributes()) {
      if (attribute.value->kind != AttributeKind::kRecord) continue;
      const RecordRow* const row = FindRecord(attribute.value->name);
      if (row == nullptr) continue;
      for (const Field& field : row->fields) {
        if (field.name == name) return FieldOf(*attribute.value, field);
      }
    }
    const DialectOp* const row = operation_.row();
    const Field* const field = row == nullptr ? nullptr : row->FindAttribute(name);
    return field == nullptr ? TermValue() : DefaultOf(*field);
  }

  // Logic of three values: what is not known decides only together with what is.
  TermValue OfOperator(const ConstraintTerm& term) const {
    const absl::string_view word = term.word;
    if (word != "=>" && word != "or " && word != "and ") {
      return Combine(word, Of(term.parts[0]), Of(term.parts[1]));
    }
    if (word == "=>") {
      const TermValue premise = Of(term.parts[0]);
      const bool applies = premise.kind != TermValue::Kind::kUnknown && premise.truth;
      return applies ? Of(term.parts[1]) : TermValue::Truth(true);
    }
    const bool decisive = word == "or ";  // one such part decides
    bool is_known = true;
    for (const ConstraintTerm& part : term.parts) {
      const TermValue value = Of(part);
      if (value.kind == TermValue::Kind::kUnknown) {
        is_known = false;
      } else if (value.truth == decisive) {
        return TermValue::Truth(decisive);
      }
    }
    return is_known ? TermValue::Truth(!decisive) : TermValue();
  }

  TermValue OfCall(const ConstraintTerm& term) const {
    // How many values a name of any number stands for, and sums over them.
    const ConstraintTerm& argument = term.parts[0];
    const bool counts = argument.word == "results" || IsVariadic(argument.word);
    if (counts && argument.kind == TermKind::kName) {
      const Types types = *GroupOf(argument.word);
      if (term.word == "size") return TermValue::Number(static_cast<int64_t>(types.size()));
      if (term.word == "sum_of_dims") return SumOfDimensions(types, Of(term.parts[1]));
    }
    std::vector<TermValue> arguments;
    arguments.reserve(term.parts.size());
    for (const ConstraintTerm& part : term.parts) arguments.push_back(Of(part));
    if (term.word == "group_size" && operation_.Find("use_global_device_ids") == nullptr &&
        operation_.Find("channel_handle") != nullptr) {
      return {};  // a group may have the devices of all partitions
    }
    return Call(term.word, arguments);
  }

  bool IsVariadic(absl::string_view name) const {
    return std::any_of(inputs_.begin(), inputs_.end(),
                       [&](const auto& one) { return one.variadic && one.name == name; });
  }

  static TermValue SumOfDimensions(const Types& types, const TermValue& dimension) {
    TermValue sum = TermValue::Number(0);
    for (const Type* type : types) {
      sum = Combine("+", sum, Call("dim", {TermValue::OfType(*type), dimension}));
    }
    return sum;
  }

  const std::vector<InputName>& inputs_;
  const Operation& operation_;
  size_t step_ = 0;
};

}  // namespace

std::string AgainstConstraint(const ConstraintTerm& constraint,
                              const std::vector<InputName>& inputs, const Operation& operation) {
  Evaluation evaluation(inputs, operation);
  const size_t steps = evaluation.Steps(constraint);
  for (size_t step = 0; step < steps; ++step) {
    evaluation.SetStep(step);
    if (evaluation.Of(constraint).truth) continue;
    std::vector<std::string> found;
    evaluation.Describe(constraint, &found);
    return absl::StrCat(steps > 1 ? absl::StrCat("at ", step, ", ") : "",
                        absl::StrJoin(found, ", "));
  }
  return "";
}

}  // namespace assay::stablehlo
