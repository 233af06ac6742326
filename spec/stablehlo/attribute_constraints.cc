// Constraints on the attributes of operations, alone and against types.
// Source: the StableHLO specification, constraints of the operations. Test: constraints_test.cc.
#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "spec/element/element.h"
#include "spec/stablehlo/constraints.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/lowering.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

double ToleranceOf(const Attribute* attribute) {
  if (attribute == nullptr || attribute->type == nullptr) return 0;
  const ElementType type = attribute->type->element;
  return IsFloat(type) ? DecodeFloat(type, static_cast<uint64_t>(attribute->integer)) : 0;
}

std::string AgainstAccuracy(const Attribute& record) {
  const double atol = ToleranceOf(record.Find("atol")), rtol = ToleranceOf(record.Find("rtol"));
  const Attribute* const count = record.Find("ulps");
  const int64_t ulps = count == nullptr ? 0 : count->integer;
  if (atol < 0 || rtol < 0 || ulps < 0) return "the tolerances of result_accuracy are negative";
  const Attribute* const mode = record.Find("mode");
  const absl::string_view name = mode == nullptr ? "DEFAULT" : mode->text;
  if (name == "TOLERANCE" || (atol == 0 && rtol == 0 && ulps == 0)) return "";
  return absl::StrCat("result_accuracy has tolerances, but its mode is ", name,
                      "; only TOLERANCE has any");
}

std::string AgainstGroups(const Attribute& groups) {
  if (groups.kind != AttributeKind::kDense || groups.type->dimensions.size() == 2) return "";
  return absl::StrCat("replica_groups must be a matrix with a row for each group, found ",
                      PrintType(*groups.type));
}

// An attribute of one meaning in all operations that have it.
struct AttributeRule {
  absl::string_view name;
  std::string (*against)(const Attribute&);
};
constexpr AttributeRule kAttributeRules[] = {
    {"replica_groups", AgainstGroups},
    {"result_accuracy", AgainstAccuracy},
};

int64_t IntegerOf(const Operation& op, absl::string_view name, int64_t otherwise) {
  const Attribute* const attribute = op.Find(name);
  return attribute == nullptr ? otherwise : attribute->integer;
}

// "my_dialect.my_operation", with at least one dot.
bool IsOperationName(absl::string_view name) {
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '.');
  const auto is_word = [](absl::string_view part, bool dollar) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [&](char c) {
      return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || (dollar && c == '$');
    });
  };
  if (parts.size() < 2 || name.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(name[0])))
    return false;
  return is_word(parts[0], false) && std::all_of(parts.begin() + 1, parts.end(),
                                                 [&](auto part) { return is_word(part, true); });
}

std::string AgainstComposite(const Operation& op) {
  const Attribute* const name = op.Find("name");
  if (name == nullptr || IsOperationName(name->text)) return "";
  return absl::StrCat("the name must have a namespace, like \"my_namespace.my_op\", found \"",
                      name->text, "\"");
}

std::string AgainstConstant(const Operation& op) {
  const Attribute* const value = op.Find("value");
  if (value == nullptr || value->type == nullptr || op.results().size() != 1) return "";
  const Type& result = *op.result(0)->type();
  if (result.kind != TypeKind::kTensor || AreCompatible(*value->type, result)) return "";
  return absl::StrCat("the value is a ", PrintType(*value->type), ", the result a ",
                      PrintType(result));
}

// A layout for each value: minor to major, empty for what has none.
std::string AgainstLayouts(absl::string_view what, const Attribute& layouts,
                           absl::Span<const Type* const> types) {
  if (layouts.elements.size() != types.size()) {
    return absl::StrCat("has ", layouts.elements.size(), " layouts for ", types.size(), " ", what,
                        "s");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const std::optional<std::vector<int64_t>> order = IntsOf(*layouts.elements[i]);
    if (types[i]->kind == TypeKind::kTuple) {
      return absl::StrCat(what, " ", i, " is a tuple, for which there are no layouts");
    }
    const bool has_layout = order.has_value() && !order->empty();
    if (types[i]->kind != TypeKind::kTensor && has_layout) {
      return absl::StrCat(what, " ", i, ", ", PrintType(*types[i]), ", has no layout, found ",
                          PrintAttribute(*layouts.elements[i]));
    }
  }
  return "";
}

std::string AgainstCustomCall(const Operation& op) {
  constexpr int64_t kOriginal = 1, kTyped = 4;
  const int64_t version = IntegerOf(op, "api_version", kOriginal);
  if (FindEnum("stablehlo.custom_call_api_version")->Name(version).empty()) {
    return absl::StrCat("api_version must be from 0 to 4, found ", version);
  }
  const Attribute* const config = op.Find("backend_config");
  if (config != nullptr && (config->kind == AttributeKind::kDictionary) != (version == kTyped)) {
    return version == kTyped ? "backend_config must be a dictionary where api_version is 4"
                             : "backend_config may be a dictionary only where api_version is 4";
  }
  const Attribute* const of_operands = op.Find("operand_layouts");
  const Attribute* const of_results = op.Find("result_layouts");
  if (of_operands == nullptr && of_results == nullptr) return "";
  if (of_operands == nullptr || of_results == nullptr) {
    return "has operand_layouts or result_layouts, but must have both or neither";
  }
  std::vector<const Type*> operands, results;
  for (const Value* operand : op.operands()) operands.push_back(operand->type());
  for (const Value* result : op.results()) results.push_back(result->type());
  if (results.size() == 1 && results[0]->kind == TypeKind::kTuple) {
    results = std::vector<const Type*>(results[0]->types);
  }
  std::string why = AgainstLayouts("operand", *of_operands, operands);
  return why.empty() ? AgainstLayouts("result", *of_results, results) : why;
}

std::string AgainstTuple(const Operation& op) {
  const Type& result = *op.result(0)->type();
  std::vector<const Type*> operands;
  for (const Value* operand : op.operands()) operands.push_back(operand->type());
  if (operands == result.types) return "";
  return absl::StrCat("the result is declared as ", PrintType(result), ", but has ",
                      operands.size(), " elements of the operands' types");
}

std::string AgainstElementOfTuple(const Operation& op) {
  const Type& tuple = *op.operands()[0]->type();
  const auto index = static_cast<size_t>(IntegerOf(op, "index", 0));
  if (tuple.kind != TypeKind::kTuple || index >= tuple.types.size()) return "";
  const Type& result = *op.result(0)->type();
  if (AreCompatible(result, *tuple.types[index])) return "";
  return absl::StrCat("the result is ", PrintType(result), ", but element ", index,
                      " of the tuple is ", PrintType(*tuple.types[index]));
}

std::string AgainstStaticRoot(const Operation& op) {
  if (op.Find("has_dynamic_root") != nullptr || op.operands().size() == 1) return "";
  return absl::StrCat("must have one operand where has_dynamic_root is absent, found ",
                      op.operands().size());
}

std::string AgainstDynamicRoot(const Operation& op) {
  if (op.Find("has_dynamic_root") == nullptr) return "";
  if (op.operands().size() < 2) return "must have an operand and the root";
  const Type& root = *op.operands()[op.operands().size() - 1]->type();
  if (root.kind == TypeKind::kTensor && root.dimensions.size() == 1 &&
      root.element_type() == ElementType::kS32) {
    return "";
  }
  return absl::StrCat("the last operand, the root, must be a list of i32, found ", PrintType(root));
}

std::string AgainstDot(const Operation& op) {
  const Attribute* const precisions = op.Find("precision_config");
  if (op.Find("algorithm") == nullptr || precisions == nullptr) return "";
  for (const Attribute* precision : precisions->elements) {
    if (precision->text != "DEFAULT") return "must have the precision DEFAULT beside an algorithm";
  }
  return "";
}

std::string AgainstNoResults(const Operation& op) {
  return op.results().empty() ? "must have at least a token as result" : "";
}

std::string AgainstInfeedArrays(const Operation& op) {
  for (size_t i = 0; i + 1 < op.results().size(); ++i) {
    const Type& type = *op.result(i)->type();
    if (type.kind == TypeKind::kTensor) continue;
    return absl::StrCat("result ", i, " must be a tensor, found ", PrintType(type));
  }
  return "";
}

std::string AgainstInfeedToken(const Operation& op) {
  const Type& last = *op.result(op.results().size() - 1)->type();
  if (last.kind == TypeKind::kToken) return "";
  return absl::StrCat("the last result must be a token, found ", PrintType(last));
}

// Whether a list of layouts is one list of integers for each array that is fed.
std::string AgainstInfeed(const Operation& op) {
  const Attribute* const layouts = op.Find("layout");
  if (layouts == nullptr) return "";
  if (layouts->elements.size() + 1 != op.results().size()) {
    return absl::StrCat("has ", layouts->elements.size(), " layouts for ", op.results().size() - 1,
                        " arrays");
  }
  for (const Attribute* layout : layouts->elements) {
    if (layout->kind == AttributeKind::kArray && IntsOf(*layout)) continue;
    return absl::StrCat("a layout must be a list of integers, found ", PrintAttribute(*layout));
  }
  return "";
}

// The type of a channel: 1 from device to device, 2 from device to host, 3 from host to device.
std::string AgainstChannel(const Operation& op, int64_t type_with_host) {
  const Attribute* const channel = op.Find("channel_handle");
  const Attribute* const type = channel == nullptr ? nullptr : channel->Find("type");
  if (type == nullptr) return "";
  const bool with_host = IntegerOf(op, "is_host_transfer", 0) != 0;
  const int64_t wanted = with_host ? type_with_host : 1;
  if (type->integer == wanted) return "";
  return absl::StrCat("the channel must have type ", wanted, " where is_host_transfer is ",
                      with_host ? "true" : "false", ", found ", type->integer);
}
std::string AgainstSend(const Operation& op) { return AgainstChannel(op, 2); }
std::string AgainstRecv(const Operation& op) { return AgainstChannel(op, 3); }

// A result whose sizes are an operand that is a constant.
std::string AgainstSizes(const Operation& op, size_t operand) {
  const Operation* const constant = op.operands()[operand]->definition();
  if (constant == nullptr || constant->name() != "stablehlo.constant") return "";
  const Attribute* const value = constant->Find("value");
  const std::optional<std::vector<int64_t>> sizes =
      value == nullptr ? std::nullopt : IntsOf(*value);
  const Type& result = *op.result(0)->type();
  if (!sizes || result.kind != TypeKind::kTensor) return "";
  bool fits = sizes->size() == result.dimensions.size();
  for (size_t d = 0; fits && d < sizes->size(); ++d) {
    fits = (*sizes)[d] == result.dimensions[d] || result.dimensions[d] == kDynamic;
  }
  if (fits) return "";
  return absl::StrCat("operand ", operand, " says the sizes [", absl::StrJoin(*sizes, ", "),
                      "], but the result is declared as ", PrintType(result));
}
std::string AgainstFirstSizes(const Operation& op) { return AgainstSizes(op, 0); }
std::string AgainstSecondSizes(const Operation& op) { return AgainstSizes(op, 1); }
std::string AgainstThirdSizes(const Operation& op) { return AgainstSizes(op, 2); }

constexpr OperationRule kAttributeConstraints[] = {
    {"stablehlo.collective_broadcast", 3, AgainstStaticRoot},
    {"stablehlo.collective_broadcast", 4, AgainstDynamicRoot},
    {"stablehlo.composite", 1, AgainstComposite},
    {"stablehlo.constant", 1, AgainstConstant},
    {"stablehlo.custom_call", 0, AgainstCustomCall},
    {"stablehlo.dot_general", 21, AgainstDot},
    {"stablehlo.dynamic_broadcast_in_dim", 0, AgainstSecondSizes},
    {"stablehlo.dynamic_iota", 0, AgainstFirstSizes},
    {"stablehlo.dynamic_reshape", 0, AgainstSecondSizes},
    {"stablehlo.get_tuple_element", 2, AgainstElementOfTuple},
    {"stablehlo.infeed", 1, AgainstNoResults},
    {"stablehlo.infeed", 2, AgainstInfeedArrays},
    {"stablehlo.infeed", 3, AgainstInfeedToken},
    {"stablehlo.infeed", 0, AgainstInfeed},
    {"stablehlo.recv", 5, AgainstRecv},
    {"stablehlo.rng", 3, AgainstThirdSizes},
    {"stablehlo.send", 5, AgainstSend},
    {"stablehlo.tuple", 1, AgainstTuple},
};

}  // namespace

absl::Span<const OperationRule> AttributeRules() { return kAttributeConstraints; }

std::string AgainstNamedAttributes(const Operation& operation) {
  for (const NamedAttribute& attribute : operation.attributes()) {
    for (const AttributeRule& rule : kAttributeRules) {
      if (rule.name != attribute.name) continue;
      std::string why = rule.against(*attribute.value);
      if (!why.empty()) return why;
    }
  }
  return "";
}

}  // namespace assay::stablehlo
