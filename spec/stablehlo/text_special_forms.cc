// The forms of StableHLO's operations that have rules of their own. Reference
// stablehlo_format.md 2.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/element/element.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/text_reader.h"

namespace assay::stablehlo {

bool TextReader::ReadSpecial(Pending& pending, SpecialForm form) {
  switch (form) {
    case SpecialForm::k_complex:
      return ReadComplexForm(pending);
    case SpecialForm::k_regions:
      return ReadRegionsForm(pending);
    case SpecialForm::k_constant:
      return ReadConstant(pending);
    case SpecialForm::k_window:
      return ReadWindow(pending);
    case SpecialForm::k_dot_dimensions:
      return ReadDotDimensions(pending);
    case SpecialForm::k_barrier:
      return ReadBarrier(pending);
    case SpecialForm::k_reduce:
      return ReadReduce(pending);
    case SpecialForm::k_exponent_mantissa:
      return ReadExponentMantissa(pending);
    case SpecialForm::k_return:
      return ReadReturn(pending);
    case SpecialForm::k_select:
      return ReadSelect(pending);
    case SpecialForm::k_slice:
      return ReadSlice(pending);
    case SpecialForm::k_tuple:
      return ReadTuple(pending);
    case SpecialForm::k_while:
      return ReadWhile(pending);
    case SpecialForm::k_scan:
      return ReadScan(pending);
    case SpecialForm::k_module:
      return ReadModule(pending);
    case SpecialForm::k_function:
      return ReadFunction(pending);
    default:
      return ReadLeftoverForm(pending, form);
  }
}

// The type of the result, or a function type.
bool TextReader::ReadComplexForm(Pending& pending) {
  if (lexer_.Is('(')) return ReadFunctional(pending);
  const char* at = lexer_.token().begin;
  const Type* type;
  if (!ReadType(type)) return false;
  if (type->kind != TypeKind::kTensor || !IsComplex(type->element_type())) {
    return FailAt(at, "the type must be a tensor of complex numbers");
  }
  Type part = *type;
  part.types = {program_.Scalar(Info(type->element_type()).component)};
  const Type* operand = program_.Intern(std::move(part));
  return CheckOperandTypes(pending, {operand, operand}) && SetResults(pending, {&type, 1});
}

// Nothing, or "({..}, {..})".
bool TextReader::ReadRegionsForm(Pending& pending) {
  if (!lexer_.Eat('(')) return true;
  return ReadItems(')', "regions", [&] { return ReadRegion(pending, {}); });
}

// "dense<..> : T", or "() <{value = dense<..>}> : () -> T" where the result has another type.
bool TextReader::ReadConstant(Pending& pending) {
  if (lexer_.Eat('(')) {
    if (!Expect(')', "')', as constants have no operands")) return false;
    std::vector<NamedAttribute> fields;
    if (lexer_.Eat('<')) {
      if (!ReadDictionary(fields) || !Expect('>', "'>' after the properties")) return false;
    }
    pending.attributes.assign(fields.begin(), fields.end());
    return ReadOptionalDictionary(pending) && Expect(':', "':' and the type") &&
           ReadFunctional(pending);
  }
  if (!ReadOptionalDictionary(pending)) return false;
  const char* at = lexer_.token().begin;
  const Attribute* value;
  if (!ReadAttribute(value)) return false;
  const Type* type = value->type;
  if (type == nullptr || value->kind == AttributeKind::kType) {
    return FailAt(at, "the value of a constant must have a type");
  }
  AddAttribute(pending, "value", value);
  return SetResults(pending, {&type, 1});
}

// "[[0, 1], [2, 3]]" as a tensor of two columns.
bool TextReader::ReadPaddingPairs(const Attribute*& out) {
  std::vector<int64_t> values;
  if (!Expect('[', "'[' before the padding")) return false;
  if (!ReadItems(']', "pairs", [&] {
        int64_t low, high;
        if (!Expect('[', "'[' before a pair") || !ReadInteger(low) ||
            !Expect(',', "',' between low and high padding") || !ReadInteger(high) ||
            !Expect(']', "']' after a pair")) {
          return false;
        }
        values.push_back(low);
        values.push_back(high);
        return true;
      })) {
    return false;
  }
  const auto rows = static_cast<int64_t>(values.size()) / 2;
  out = NewTensor(values, program_.Tensor(ElementType::kS64, {rows, 2}));
  return true;
}

// "[true, false]" or "[1, 0]".
bool TextReader::ReadReversal(const Attribute*& out) {
  std::vector<int64_t> values;
  if (!Expect('[', "'[' before a list of booleans")) return false;
  if (!ReadItems(']', "booleans", [&] {
        int64_t value;
        if (lexer_.Is(kInteger) || lexer_.Is('-')) {
          if (!ReadInteger(value)) return false;
        } else {
          bool boolean;
          if (!ReadBoolean(boolean)) return false;
          value = boolean ? 1 : 0;
        }
        values.push_back(value != 0 ? 1 : 0);
        return true;
      })) {
    return false;
  }
  out = NewInts(std::move(values), program_.Scalar(ElementType::kPred));
  return true;
}

// "stride = [1, 1], pad = [[0, 0]]": the entries of a convolution's window, in any order.
bool TextReader::ReadWindow(Pending& pending) {
  while (!lexer_.Is('}')) {
    if (!ReadWindowEntry(pending)) return false;
    if (!lexer_.Eat(',')) break;
  }
  return true;
}

bool TextReader::ReadWindowEntry(Pending& pending) {
  static constexpr std::pair<absl::string_view, absl::string_view> kEntries[] = {
      {"stride", "window_strides"},
      {"pad", "padding"},
      {"lhs_dilate", "lhs_dilation"},
      {"rhs_dilate", "rhs_dilation"},
      {"reverse", "window_reversal"}};
  const auto* entry = std::find_if(std::begin(kEntries), std::end(kEntries),
                                   [&](const auto& known) { return lexer_.IsWord(known.first); });
  if (entry == std::end(kEntries)) {
    return FailExpected("one of stride, pad, lhs_dilate, rhs_dilate and reverse");
  }
  lexer_.Next();
  if (!Expect('=', "'=' after the name of the entry")) return false;
  const Attribute* value;
  if (entry->first == "pad") {
    if (!ReadPaddingPairs(value)) return false;
  } else if (entry->first == "reverse") {
    if (!ReadReversal(value)) return false;
  } else {
    std::vector<int64_t> values;
    if (!ReadIntegerList(values)) return false;
    value = NewInts(std::move(values), program_.Scalar(ElementType::kS64));
  }
  AddAttribute(pending, entry->second, value);
  return true;
}

// "[batching_dims = [0] x [0],] contracting_dims = [1] x [0]"
bool TextReader::ReadDotDimensions(Pending& pending) {
  std::vector<NamedAttribute> fields;
  const auto read = [&](absl::string_view lhs, absl::string_view rhs) {
    lexer_.Next();
    std::vector<int64_t> left, right;
    if (!Expect('=', "'=' before the dimensions") || !ReadIntegerList(left) || !ExpectWord("x") ||
        !ReadIntegerList(right)) {
      return false;
    }
    const Type* type = program_.Scalar(ElementType::kS64);
    fields.push_back({lhs, NewInts(std::move(left), type)});
    fields.push_back({rhs, NewInts(std::move(right), type)});
    return true;
  };
  if (lexer_.IsWord("batching_dims") || lexer_.IsWord("batch_dims")) {
    if (!read("lhs_batching_dimensions", "rhs_batching_dimensions") ||
        !Expect(',', "',' before contracting_dims")) {
      return false;
    }
  }
  if (!lexer_.IsWord("contracting_dims")) {
    return FailExpected("'batching_dims' or 'contracting_dims'");
  }
  if (!read("lhs_contracting_dimensions", "rhs_contracting_dimensions")) return false;
  AddAttribute(pending, "dot_dimension_numbers",
               FinishRecord(*FindRecord("stablehlo.dot"), std::move(fields)));
  return true;
}

// "%a, %b : T, U" or "()".
bool TextReader::ReadBarrier(Pending& pending) {
  if (lexer_.Eat('(')) return Expect(')', "')', as there are no operands");
  TypeList types;
  do {
    if (!ReadOperand(pending)) return false;
  } while (lexer_.Eat(','));
  if (!Expect(':', "':' and the types of the operands")) return false;
  do {
    const Type* type;
    if (!ReadType(type)) return false;
    types.push_back(type);
  } while (lexer_.Eat(','));
  return CheckOperandTypes(pending, types) && SetResults(pending, types);
}

// "e5m10"
bool TextReader::ReadExponentMantissa(Pending& pending) {
  const absl::string_view word = lexer_.spelling();
  const size_t m = word.find('m');
  int32_t exponent, mantissa;
  if (!lexer_.Is(kBareId) || word[0] != 'e' || m == absl::string_view::npos ||
      !absl::SimpleAtoi(word.substr(1, m - 1), &exponent) ||
      !absl::SimpleAtoi(word.substr(m + 1), &mantissa)) {
    return FailExpected("the numbers of exponent and mantissa bits, as e5m10");
  }
  lexer_.Next();
  const Type* type = program_.Scalar(ElementType::kS32);
  AddAttribute(pending, "exponent_bits", NewInteger(exponent, type));
  AddAttribute(pending, "mantissa_bits", NewInteger(mantissa, type));
  return true;
}

// "[D] [%a, %b [D] : T, U]": the dictionary may stand before the operands or behind them.
bool TextReader::ReadReturn(Pending& pending) {
  if (!ReadOptionalDictionary(pending)) return false;
  if (!lexer_.Is(kValueId)) return true;
  do {
    if (!ReadOperand(pending)) return false;
  } while (lexer_.Eat(','));
  if (!ReadOptionalDictionary(pending) || !Expect(':', "':' and the types of the operands")) {
    return false;
  }
  TypeList types;
  if (lexer_.Is('(')) return ReadFunctional(pending);
  do {
    const Type* type;
    if (!ReadType(type)) return false;
    types.push_back(type);
  } while (lexer_.Eat(','));
  return CheckOperandTypes(pending, types);
}

// "P, T": the type of the predicate, that of all else; or a function type.
bool TextReader::ReadSelect(Pending& pending) {
  if (lexer_.Is('(')) return ReadFunctional(pending);
  const Type* predicate;
  const Type* type;
  return ReadType(predicate) && Expect(',', "',' between the types of predicate and values") &&
         ReadType(type) && CheckOperandTypes(pending, {predicate, type, type}) &&
         SetResults(pending, {&type, 1});
}

// "[0:4:2, 1:3]"
bool TextReader::ReadSlice(Pending& pending) {
  std::vector<int64_t> starts, limits, strides;
  if (!Expect('[', "'[' before the ranges")) return false;
  // "::" is one token, though a range has no empty part.
  if (!ReadItems(']', "ranges", [&] {
        int64_t start, limit, stride = 1;
        if (!ReadInteger(start) || !Expect(':', "':' after the start") || !ReadInteger(limit)) {
          return false;
        }
        if (lexer_.Eat(':') && !ReadInteger(stride)) return false;
        starts.push_back(start);
        limits.push_back(limit);
        strides.push_back(stride);
        return true;
      })) {
    return false;
  }
  const Type* type = program_.Scalar(ElementType::kS64);
  AddAttribute(pending, "start_indices", NewInts(std::move(starts), type));
  AddAttribute(pending, "limit_indices", NewInts(std::move(limits), type));
  AddAttribute(pending, "strides", NewInts(std::move(strides), type));
  return true;
}

// The type of the tuple, or a function type.
bool TextReader::ReadTuple(Pending& pending) {
  if (lexer_.Is('(')) return ReadFunctional(pending);
  const char* at = lexer_.token().begin;
  const Type* type;
  if (!ReadType(type)) return false;
  if (type->kind != TypeKind::kTuple) return FailAt(at, "the type must be a tuple");
  return CheckOperandTypes(pending, type->types) && SetResults(pending, {&type, 1});
}

}  // namespace assay::stablehlo
