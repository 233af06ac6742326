// The forms that have rules of their own: the counterpart of text_special_forms.cc and
// text_region_forms.cc.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/element/element.h"
#include "spec/stablehlo/print_text.h"

namespace assay::stablehlo {
namespace {

absl::Span<const int64_t> IntsAttribute(const Operation& op, absl::string_view name) {
  const Attribute* value = op.Find(name);
  if (value == nullptr) return {};
  return value->ints;
}

// Whether the form of a window says all of its attributes: lists, and pairs of 64 bits.
bool FitsWindow(const Operation& op) {
  for (const absl::string_view name :
       {"window_strides", "lhs_dilation", "rhs_dilation", "window_reversal"}) {
    const Attribute* value = op.Find(name);
    if (value != nullptr && value->kind != AttributeKind::kInts) return false;
  }
  const Attribute* padding = op.Find("padding");
  return padding == nullptr ||
         (padding->kind == AttributeKind::kDense && padding->type->dimensions.size() == 2 &&
          padding->type->dimensions[1] == 2 && padding->type->element_type() == ElementType::kS64);
}

void AppendIntList(absl::Span<const int64_t> ints, std::string& out) {
  out.push_back('[');
  for (size_t i = 0; i < ints.size(); ++i) absl::StrAppend(&out, i > 0 ? ", " : "", ints[i]);
  out.push_back(']');
}

// Whether the region is one block that combines its two arguments, scalars of the operand's type.
bool IsCompactReducer(const Operation& op) {
  if (op.operands().size() != 2 || op.regions().size() != 1 ||
      op.regions()[0].blocks().size() != 1) {
    return false;
  }
  const Block& block = *op.regions()[0].blocks()[0];
  if (block.arguments.size() != 2 || block.operations.size() != 2) return false;
  const Operation& inner = *block.operations[0];
  const Operation& result = *block.operations[1];
  const absl::string_view word = inner.row() == nullptr ? "" : inner.row()->short_name();
  const bool combines = inner.row() != nullptr && inner.row()->stablehlo != nullptr &&
                        inner.row()->dialect() == op.row()->dialect() &&
                        (word == "add" || word == "multiply" || word == "maximum" ||
                         word == "minimum" || word == "and" || word == "or" || word == "xor");
  if (!combines || !inner.attributes().empty() || inner.operands().size() != 2 ||
      inner.results().size() != 1 || result.operands().size() != 1 ||
      !result.attributes().empty()) {
    return false;
  }
  const Type* type = block.arguments[0]->type();
  const Type& operand = *op.operands()[0]->type();
  return inner.operands()[0] == block.arguments[0] && inner.operands()[1] == block.arguments[1] &&
         result.operands()[0] == inner.results()[0] && type == block.arguments[1]->type() &&
         type == inner.results()[0]->type() && type->kind == TypeKind::kTensor &&
         type->dimensions.empty() && type->encoding == nullptr && !operand.types.empty() &&
         type->types[0] == operand.types[0];
}

// Whether the operations or the arguments of a region without nested ones have locations.
bool HasLocations(const Region& region) {
  const Block& block = *region.blocks()[0];
  return std::any_of(block.operations.begin(), block.operations.end(),
                     [](const Operation* op) { return op->location != nullptr; }) ||
         std::any_of(block.arguments.begin(), block.arguments.end(),
                     [](const Value* argument) { return argument->location() != nullptr; });
}

bool HasOneBlock(const Operation& op, size_t region) {
  return op.regions().size() > region && op.regions()[region].blocks().size() == 1;
}

ValueRange Arguments(const Operation& op, size_t region) {
  return op.regions()[region].blocks()[0]->arguments;
}

template <typename Values>
bool TypesAre(const Values& values, ValueRange others) {
  return values.size() == others.size() &&
         std::equal(values.begin(), values.end(), others.begin(),
                    [](const Value* a, const Value* b) { return a->type() == b->type(); });
}

bool FitsFunction(const Operation& op) {
  const Attribute* type = op.Find("function_type");
  const Attribute* name = op.Find("sym_name");
  if (type == nullptr || name == nullptr || op.regions().size() != 1 || type->type == nullptr ||
      name->type != nullptr) {
    return false;
  }
  const auto fits = [&](absl::string_view list, size_t size) {
    const Attribute* attributes = op.Find(list);
    return attributes == nullptr || attributes->elements.size() == size;
  };
  if (const Attribute* visibility = op.Find("sym_visibility"); visibility != nullptr) {
    const absl::string_view word = visibility->text;
    if (visibility->type != nullptr) return false;
    if (word != "public" && word != "private" && word != "nested") return false;
  }
  const absl::Span<const Ref<Block>> blocks = op.regions()[0].blocks();
  return fits("arg_attrs", type->type->inputs().size()) &&
         fits("res_attrs", type->type->results().size()) &&
         (blocks.empty() || blocks[0]->arguments.size() == type->type->inputs().size());
}

}  // namespace

bool TextPrinter::FitsSpecial(const Operation& op, SpecialForm form) const {
  switch (form) {
    case SpecialForm::k_complex:
    case SpecialForm::k_regions:
      return true;
    case SpecialForm::k_window:
      return FitsWindow(op);
    case SpecialForm::k_barrier:
      return op.operands().empty() ? op.results().empty() : TypesAre(op.operands(), op.results());
    case SpecialForm::k_return:
      return op.results().empty();
    case SpecialForm::k_select:
    case SpecialForm::k_tuple:
      return op.results().size() == 1;
    case SpecialForm::k_constant:
      return op.Find("value") != nullptr && op.results().size() == 1;
    case SpecialForm::k_dot_dimensions: {
      const Attribute* numbers = op.Find("dot_dimension_numbers");
      return numbers != nullptr && numbers->kind == AttributeKind::kRecord;
    }
    case SpecialForm::k_exponent_mantissa:
      return op.Find("exponent_bits") != nullptr && op.Find("mantissa_bits") != nullptr;
    case SpecialForm::k_slice: {
      const size_t rank = IntsAttribute(op, "start_indices").size();
      return IntsAttribute(op, "limit_indices").size() == rank &&
             IntsAttribute(op, "strides").size() == rank;
    }
    case SpecialForm::k_reduce:
      return HasOneBlock(op, 0) && op.Find("dimensions") != nullptr && !op.operands().empty() &&
             op.operands().size() % 2 == 0 && Arguments(op, 0).size() == op.operands().size();
    case SpecialForm::k_while:
      return HasOneBlock(op, 0) && HasOneBlock(op, 1) && TypesAre(op.operands(), op.results()) &&
             TypesAre(op.operands(), Arguments(op, 0)) && TypesAre(op.operands(), Arguments(op, 1));
    case SpecialForm::k_scan:
      return HasOneBlock(op, 0) && IntsAttribute(op, "operandSegmentSizes").size() == 2 &&
             op.Find("dimension") != nullptr;
    case SpecialForm::k_module: {
      const Attribute* name = op.Find("sym_name");
      return HasOneBlock(op, 0) && op.Find("sym_visibility") == nullptr &&
             (name == nullptr || name->type == nullptr);
    }
    case SpecialForm::k_function:
      return FitsFunction(op);
    case SpecialForm::k_manual_computation:
    case SpecialForm::k_named_computation:
      return HasOneBlock(op, 0);
    case SpecialForm::k_direction: {
      const Attribute* direction = op.Find("allowed_direction");
      return direction != nullptr && direction->integer >= 0 &&
             direction->integer < static_cast<int64_t>(DirectionNames().size());
    }
    default:
      return false;  // what is left over from other dialects is printed generic
  }
}

void TextPrinter::PrintSpecial(const Operation& op, const Form& form, SpecialForm special,
                               int indent) {
  AttributePrinter attributes = Attributes(op);
  switch (special) {
    case SpecialForm::k_complex:
      out_.push_back(' ');
      return PrintFunctional(op);
    case SpecialForm::k_regions:
      for (size_t i = 0; i < op.regions().size(); ++i) {
        out_.append(i == 0 ? " (" : ", ");
        PrintRegion(op.regions()[i], indent, /*label_first=*/true);
      }
      if (!op.regions().empty()) out_.push_back(')');
      return;
    case SpecialForm::k_constant: {
      const Attribute& value = *op.Find("value");
      if (value.type == op.results()[0]->type()) {
        PrintRest(op, form);
        out_.push_back(' ');
        attributes.Append(value);
        return;
      }
      out_.append("() <");
      attributes.AppendDictionary({{"value", &value}});
      out_.push_back('>');
      PrintRest(op, form);
      out_.append(" : ");
      return PrintFunctional(op);
    }
    case SpecialForm::k_window:
      return PrintWindow(op);
    case SpecialForm::k_dot_dimensions:
      return PrintDotDimensions(op);
    case SpecialForm::k_barrier:
      out_.push_back(' ');
      if (op.operands().empty()) {
        out_.append("()");
        return;
      }
      PrintOperands(op.operands());
      out_.append(" : ");
      return PrintTypes(op.operands());
    case SpecialForm::k_exponent_mantissa:
      absl::StrAppend(&out_, " e", op.Find("exponent_bits")->integer, "m",
                      op.Find("mantissa_bits")->integer);
      return;
    case SpecialForm::k_return:
      PrintRest(op, form);
      if (op.operands().empty()) return;
      out_.push_back(' ');
      PrintOperands(op.operands());
      out_.append(" : ");
      return PrintTypes(op.operands());
    case SpecialForm::k_select: {
      const Type* type = op.results()[0]->type();
      out_.push_back(' ');
      if (op.operands()[1]->type() != type || op.operands()[2]->type() != type)
        return PrintFunctional(op);
      attributes.Append(*op.operands()[0]->type());
      out_.append(", ");
      attributes.Append(*type);
      return;
    }
    case SpecialForm::k_slice: {
      const absl::Span<const int64_t> starts = IntsAttribute(op, "start_indices");
      out_.append(" [");
      for (size_t i = 0; i < starts.size(); ++i) {
        absl::StrAppend(&out_, i > 0 ? ", " : "", starts[i], ":",
                        IntsAttribute(op, "limit_indices")[i]);
        const int64_t stride = IntsAttribute(op, "strides")[i];
        if (stride != 1) absl::StrAppend(&out_, ":", stride);
      }
      out_.push_back(']');
      return;
    }
    case SpecialForm::k_tuple:
      out_.push_back(' ');
      attributes.Append(*op.results()[0]->type());
      return;
    case SpecialForm::k_reduce:
      return PrintReduce(op, form, indent);
    case SpecialForm::k_while:
      return PrintWhile(op, form, indent);
    case SpecialForm::k_scan:
      return PrintScan(op, form, indent);
    case SpecialForm::k_module:
      return PrintModule(op, form, indent);
    case SpecialForm::k_function:
      return PrintFunction(op, form, indent);
    case SpecialForm::k_manual_computation:
    case SpecialForm::k_named_computation:
      return PrintShardedRegion(op, form, special == SpecialForm::k_named_computation, indent);
    case SpecialForm::k_direction:
      absl::StrAppend(&out_, DirectionNames()[op.Find("allowed_direction")->integer]);
      return;
    default:
      return;
  }
}

void TextPrinter::PrintWindow(const Operation& op) {
  bool first = true;
  const auto entry = [&](absl::string_view word) {
    absl::StrAppend(&out_, first ? "" : ", ", word, " = ");
    first = false;
  };
  const auto list = [&](absl::string_view word, absl::string_view name) {
    if (op.Find(name) == nullptr) return;
    entry(word);
    AppendIntList(IntsAttribute(op, name), out_);
  };
  list("stride", "window_strides");
  if (const Attribute* padding = op.Find("padding"); padding != nullptr) {
    entry("pad");
    const int64_t rows = padding->type->dimensions[0];
    out_.push_back('[');
    for (int64_t i = 0; i < rows; ++i) {
      const auto at = [&](int64_t column) {
        const int64_t index = padding->is_splat ? 0 : 2 * i + column;
        return static_cast<int64_t>(
            LoadElement(ElementType::kS64, padding->bytes.get(), index).bits);
      };
      absl::StrAppend(&out_, i > 0 ? ", [" : "[", at(0), ", ", at(1), "]");
    }
    out_.push_back(']');
  }
  list("lhs_dilate", "lhs_dilation");
  list("rhs_dilate", "rhs_dilation");
  if (op.Find("window_reversal") != nullptr) {
    entry("reverse");
    const absl::Span<const int64_t> reversal = IntsAttribute(op, "window_reversal");
    out_.push_back('[');
    for (size_t i = 0; i < reversal.size(); ++i) {
      absl::StrAppend(&out_, i > 0 ? ", " : "", reversal[i] != 0 ? "true" : "false");
    }
    out_.push_back(']');
  }
}

void TextPrinter::PrintDotDimensions(const Operation& op) {
  const Attribute& numbers = *op.Find("dot_dimension_numbers");
  const auto list = [&](absl::string_view field) -> absl::Span<const int64_t> {
    const Attribute* value = numbers.Find(field);
    if (value == nullptr) return {};
    return value->ints;
  };
  const auto both = [&](absl::string_view word, absl::string_view lhs, absl::string_view rhs) {
    absl::StrAppend(&out_, " ", word, " = ");
    AppendIntList(list(lhs), out_);
    out_.append(" x ");
    AppendIntList(list(rhs), out_);
  };
  if (!list("lhs_batching_dimensions").empty() || !list("rhs_batching_dimensions").empty()) {
    both("batching_dims", "lhs_batching_dimensions", "rhs_batching_dimensions");
    out_.push_back(',');
  }
  both("contracting_dims", "lhs_contracting_dimensions", "rhs_contracting_dimensions");
}

void TextPrinter::PrintReduce(const Operation& op, const Form& form, int indent) {
  const size_t pairs = op.operands().size() / 2;
  for (size_t i = 0; i < pairs; ++i) {
    out_.append(i == 0 ? "(" : ", (");
    PrintOperand(op.operands()[i]);
    out_.append(" init: ");
    PrintOperand(op.operands()[pairs + i]);
    out_.push_back(')');
  }
  // "applies" has no place for the locations of what it stands for.
  const bool compact = IsCompactReducer(op) && !(locations_ && HasLocations(op.regions()[0]));
  const Block& block = *op.regions()[0].blocks()[0];
  if (compact) absl::StrAppend(&out_, " applies ", block.operations[0]->name());
  out_.append(" across dimensions = ");
  AppendIntList(IntsAttribute(op, "dimensions"), out_);
  PrintRest(op, form);
  out_.append(" : ");
  PrintFunctional(op);
  if (compact) return;
  out_.push_back('\n');
  Indent(indent);
  out_.append(" reducer");
  NameArguments(block, "%arg");
  for (size_t i = 0; i < pairs; ++i) {
    out_.append(i == 0 ? "(" : " (");
    PrintRegionArguments(block, i, pairs);
    out_.push_back(')');
  }
  out_.push_back(' ');
  PrintRegion(op.regions()[0], indent, /*label_first=*/false);
}

void TextPrinter::PrintWhile(const Operation& op, const Form& form, int indent) {
  const ValueRange condition = Arguments(op, 0);
  NameArguments(*op.regions()[0].blocks()[0], "%iterArg_");
  for (size_t i = 0; i < condition.size(); ++i) {
    std::string name = names_[condition[i]];  // a copy: a new entry moves the others
    names_[Arguments(op, 1)[i]] = std::move(name);
  }
  out_.push_back('(');
  for (size_t i = 0; i < condition.size(); ++i) {
    if (i > 0) out_.append(", ");
    PrintOperand(condition[i]);
    out_.append(" = ");
    PrintOperand(op.operands()[i]);
  }
  out_.push_back(')');
  if (!condition.empty()) {
    out_.append(" : ");
    PrintTypes(op.operands());
  }
  if (const std::vector<NamedAttribute> rest = Unwritten(op, form); !rest.empty()) {
    out_.append(" attributes ");
    Attributes(op).AppendDictionary(rest);
  }
  out_.push_back('\n');
  Indent(indent);
  out_.append("cond ");
  PrintRegion(op.regions()[0], indent, /*label_first=*/false);
  out_.append(" do ");
  PrintRegion(op.regions()[1], indent, /*label_first=*/false);
}

void TextPrinter::PrintScan(const Operation& op, const Form& form, int indent) {
  const auto inputs = static_cast<size_t>(IntsAttribute(op, "operandSegmentSizes")[0]);
  const auto operands = absl::MakeConstSpan(op.operands());
  out_.push_back('(');
  PrintOperands(operands.first(std::min(inputs, operands.size())));
  out_.append(") inits (");
  PrintOperands(operands.subspan(std::min(inputs, operands.size())));
  absl::StrAppend(&out_, ") dimension=", op.Find("dimension")->integer);
  if (const std::vector<NamedAttribute> rest = Unwritten(op, form); !rest.empty()) {
    out_.append(" attributes ");
    Attributes(op).AppendDictionary(rest);
  }
  out_.push_back(' ');
  PrintRegion(op.regions()[0], indent, /*label_first=*/true);
  out_.append(" : ");
  PrintFunctional(op);
}

void TextPrinter::PrintModule(const Operation& op, const Form& form, int indent) {
  if (const Attribute* name = op.Find("sym_name"); name != nullptr) {
    out_.push_back(' ');
    Attributes(op).AppendSymbol(name->text);
  }
  if (const std::vector<NamedAttribute> rest = Unwritten(op, form); !rest.empty()) {
    out_.append(" attributes ");
    Attributes(op).AppendDictionary(rest);
  }
  out_.push_back(' ');
  PrintRegion(op.regions()[0], indent, /*label_first=*/false);
}

void TextPrinter::PrintFunction(const Operation& op, const Form& form, int indent) {
  AttributePrinter attributes = Attributes(op);
  const Type& type = *op.Find("function_type")->type;
  const int64_t outer_result = std::exchange(next_result_, 0);
  const int64_t outer_argument = std::exchange(next_argument_, 0);
  if (const Attribute* visibility = op.Find("sym_visibility"); visibility != nullptr) {
    absl::StrAppend(&out_, " ", visibility->text);
  }
  out_.push_back(' ');
  attributes.AppendSymbol(op.Find("sym_name")->text);
  const auto dictionary = [&](absl::string_view list, size_t i) {
    const Attribute* all = op.Find(list);
    if (all != nullptr) PrintDictionary(all->elements[i]->fields);
  };
  const absl::Span<const Ref<Block>> blocks = op.regions()[0].blocks();
  if (!blocks.empty()) NameArguments(*blocks[0], "%arg");
  out_.push_back('(');
  for (size_t i = 0; i < type.inputs().size(); ++i) {
    if (i > 0) out_.append(", ");
    if (!blocks.empty()) {
      PrintOperand(blocks[0]->arguments[i]);
      out_.append(": ");
    }
    attributes.Append(*type.inputs()[i]);
    dictionary("arg_attrs", i);
    if (!blocks.empty()) PrintLocation(blocks[0]->arguments[i]->location());
  }
  out_.push_back(')');
  if (!type.results().empty()) {
    const bool bare = type.results().size() == 1 && op.Find("res_attrs") == nullptr &&
                      type.results()[0]->kind != TypeKind::kFunction;
    out_.append(bare ? " -> " : " -> (");
    for (size_t i = 0; i < type.results().size(); ++i) {
      if (i > 0) out_.append(", ");
      attributes.Append(*type.results()[i]);
      dictionary("res_attrs", i);
    }
    if (!bare) out_.push_back(')');
  }
  if (const std::vector<NamedAttribute> rest = Unwritten(op, form); !rest.empty()) {
    out_.append(" attributes ");
    attributes.AppendDictionary(rest);
  }
  if (!blocks.empty()) {
    out_.push_back(' ');
    PrintRegion(op.regions()[0], indent, /*label_first=*/false);
  }
  next_result_ = outer_result;
  next_argument_ = outer_argument;
}

void TextPrinter::PrintShardedRegion(const Operation& op, const Form& form, bool named,
                                     int indent) {
  AttributePrinter attributes = Attributes(op);
  if (named) {
    out_.push_back('<');
    attributes.AppendString(op.Find("name")->text);
    out_.push_back('>');
  }
  out_.push_back('(');
  PrintOperands(op.operands());
  out_.push_back(')');
  for (const absl::string_view field : {"in_shardings", "out_shardings"}) {
    const Attribute* shardings = op.Find(field);
    if (shardings == nullptr) continue;
    absl::StrAppend(&out_, " ", field, "=");
    // The list is the body of the attribute without its angles.
    std::string body;
    AttributePrinter(body).AppendRecordBody(*shardings);
    absl::StrAppend(&out_, absl::string_view(body).substr(1, body.size() - 2));
  }
  if (!named) {
    out_.append(" manual_axes=");
    attributes.AppendRecordBody(*op.Find("manual_axes"));
  }
  const Block& block = *op.regions()[0].blocks()[0];
  NameArguments(block, "%arg");
  out_.append(" (");
  PrintRegionArguments(block, 0, 1);
  out_.append(") ");
  PrintRegion(op.regions()[0], indent, /*label_first=*/false);
  PrintRest(op, form);
  out_.append(" : ");
  PrintFunctional(op);
}

}  // namespace assay::stablehlo
