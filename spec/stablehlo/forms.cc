#include "spec/stablehlo/forms.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace assay::stablehlo {
namespace {

struct SpecialRow {
  absl::string_view name;
  SpecialForm form;
  // Attributes that the rule writes itself.
  std::vector<absl::string_view> written;
};

const std::vector<SpecialRow>& SpecialRows() {
  static const auto* rows = [] {
    auto* made = new std::vector<SpecialRow>{
#define X(name) {#name, SpecialForm::k_##name, {}},
        SPECIAL_FORMS(X)
#undef X
    };
    const auto writes = [made](SpecialForm form, std::vector<absl::string_view> names) {
      for (SpecialRow& row : *made) {
        if (row.form == form) row.written = std::move(names);
      }
    };
    writes(SpecialForm::k_constant, {"value"});
    writes(SpecialForm::k_window,
           {"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"});
    writes(SpecialForm::k_dot_dimensions, {"dot_dimension_numbers"});
    writes(SpecialForm::k_reduce, {"dimensions"});
    writes(SpecialForm::k_exponent_mantissa, {"exponent_bits", "mantissa_bits"});
    writes(SpecialForm::k_slice, {"start_indices", "limit_indices", "strides"});
    writes(SpecialForm::k_scan, {"dimension"});
    writes(SpecialForm::k_module, {"sym_name", "sym_visibility"});
    writes(SpecialForm::k_function,
           {"sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs"});
    writes(SpecialForm::k_manual_computation, {"in_shardings", "out_shardings", "manual_axes"});
    writes(SpecialForm::k_named_computation, {"name", "in_shardings", "out_shardings"});
    writes(SpecialForm::k_direction, {"allowed_direction"});
    writes(SpecialForm::k_flags, {"fastmath", "overflowFlags", "isExact"});
    writes(SpecialForm::k_shape, {"shape"});
    writes(SpecialForm::k_predicate, {"predicate"});
    return made;
  }();
  return *rows;
}

constexpr std::pair<absl::string_view, FormStep> kStepWords[] = {
    {"%*", FormStep::kOperands},          {"%,", FormStep::kOperandsAndCommas},
    {"D", FormStep::kDictionary},         {"SAME", FormStep::kSameType},
    {"FT", FormStep::kFunctionType},      {"R", FormStep::kResultTypes},
    {"ARROW", FormStep::kArrowType},      {"T", FormStep::kOneType},
    {"TO", FormStep::kTypeToType},        {"OPERAND", FormStep::kOperandType},
    {"OPERANDS", FormStep::kOperandTypes}};

FormItem CompileWord(const DialectOp& op, absl::string_view word, Form& form) {
  FormItem item;
  item.text = word;
  for (const auto& [name, step] : kStepWords) {
    if (word == name) {
      item.step = step;
      item.count = -1;
      return item;
    }
  }
  const absl::string_view rest = word.substr(1);
  if (word[0] == '%' && absl::SimpleAtoi(rest, &item.count)) {
    item.step = FormStep::kOperands;
  } else if ((word[0] == '$' || word[0] == '#') && !rest.empty()) {
    item.step = word[0] == '$' ? FormStep::kAttribute : FormStep::kSymbolName;
    item.field = op.FindAttribute(rest);
    form.written.push_back(rest);
  } else if (word[0] == '&') {
    item.step = FormStep::kSpecial;
    for (const SpecialRow& row : SpecialRows()) {
      if (row.name != rest) continue;
      item.special = row.form;
      form.written.insert(form.written.end(), row.written.begin(), row.written.end());
    }
  }
  return item;
}

Form CompileForm(const DialectOp& op) {
  Form form;
  size_t open = 0;  // the index of the optional group + 1
  for (absl::string_view word : absl::StrSplit(op.format, ' ')) {
    if (word == "?(") {
      FormItem item;
      item.step = FormStep::kOptional;
      form.items.push_back(item);
      open = form.items.size();
    } else if (word == ")?") {
      form.items[open - 1].count = static_cast<int>(form.items.size() - open);
      // The group is there when its attribute is: the last one that it names.
      form.items[open - 1].field = form.items.back().field;
    } else {
      form.items.push_back(CompileWord(op, word, form));
    }
  }
  std::sort(form.written.begin(), form.written.end());
  return form;
}

}  // namespace

const Form* FindForm(const DialectOp& op) {
  static const auto* forms = [] {
    auto* made = new absl::flat_hash_map<const DialectOp*, Form>;
    for (const DialectOp& row : DialectOps()) {
      if (!row.format.empty()) made->emplace(&row, CompileForm(row));
    }
    return made;
  }();
  const auto it = forms->find(&op);
  return it == forms->end() ? nullptr : &it->second;
}

absl::Span<const absl::string_view> PredicateNames(const DialectOp& op) {
  static constexpr absl::string_view kInteger[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                                   "sge", "ult", "ule", "ugt", "uge"};
  static constexpr absl::string_view kFloating[] = {"false", "oeq", "ogt", "oge", "olt", "ole",
                                                    "one",   "ord", "ueq", "ugt", "uge", "ult",
                                                    "ule",   "une", "uno", "true"};
  if (op.name == "arith.cmpf") return kFloating;
  return kInteger;
}

absl::Span<const absl::string_view> DirectionNames() {
  static constexpr absl::string_view kNames[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
  return kNames;
}

}  // namespace assay::stablehlo
