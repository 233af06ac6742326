// The forms of what is left over from other dialects: arith, tensor, shape, and Shardy's barrier.
// Reference stablehlo_format.md 2, last rows.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/text_reader.h"

namespace assay::stablehlo {

bool TextReader::ReadLeftoverForm(Pending& pending, SpecialForm form) {
  switch (form) {
    case SpecialForm::k_cast:
      return ReadCast(pending);
    case SpecialForm::k_manual_computation:
      return ReadShardedRegion(pending, /*named=*/false);
    case SpecialForm::k_named_computation:
      return ReadShardedRegion(pending, /*named=*/true);
    case SpecialForm::k_direction:
      return ReadDirection(pending);
    case SpecialForm::k_flags:
      return ReadFlags(pending);
    case SpecialForm::k_predicate:
      return ReadPredicate(pending);
    case SpecialForm::k_shape:
      return ReadShape(pending);
    case SpecialForm::k_witness:
      return ReadWitness(pending);
    default:
      return ReadElementwiseTypes(pending, form);
  }
}

// "[4, 32]" as a tensor of index.
bool TextReader::ReadShape(Pending& pending) {
  std::vector<int64_t> sizes;
  if (!ReadIntegerList(sizes)) return false;
  Type index;
  index.kind = TypeKind::kIndex;
  Type tensor;
  tensor.kind = TypeKind::kTensor;
  tensor.dimensions = {static_cast<int64_t>(sizes.size())};
  tensor.types = {program_.Intern(std::move(index))};
  AddAttribute(pending, "shape", NewTensor(sizes, program_.Intern(std::move(tensor))));
  return true;
}

// The types of the operands; the result is a witness.
bool TextReader::ReadWitness(Pending& pending) {
  TypeList types;
  do {
    const Type* type;
    if (!ReadType(type)) return false;
    types.push_back(type);
  } while (lexer_.Eat(','));
  const Type* witness = OpaqueType("!shape.witness");
  return CheckOperandTypes(pending, types) && SetResults(pending, {&witness, 1});
}

// "%a, %b : T, U to V, W"
bool TextReader::ReadCast(Pending& pending) {
  TypeList from, to;
  const auto read = [&](TypeList& types) {
    do {
      const Type* type;
      if (!ReadType(type)) return false;
      types.push_back(type);
    } while (lexer_.Eat(','));
    return true;
  };
  if (lexer_.Is(kValueId)) {
    do {
      if (!ReadOperand(pending)) return false;
    } while (lexer_.Eat(','));
    if (!Expect(':', "':' and the types of the operands") || !read(from)) return false;
  }
  return ExpectWord("to") && read(to) && ReadOptionalDictionary(pending) &&
         CheckOperandTypes(pending, from) && SetResults(pending, to);
}

bool TextReader::ReadDirection(Pending& pending) {
  const absl::Span<const absl::string_view> names = DirectionNames();
  const auto* it = std::find(names.begin(), names.end(), lexer_.spelling());
  if (!lexer_.Is(kBareId) || it == names.end()) {
    return FailExpected(absl::StrCat("one of ", absl::StrJoin(names, ", ")));
  }
  lexer_.Next();
  AddAttribute(pending, "allowed_direction",
               NewInteger(it - names.begin(), program_.Scalar(ElementType::kS32)));
  return true;
}

// "fastmath<fast>", "overflow<nsw>", "exact", or nothing.
bool TextReader::ReadFlags(Pending& pending) {
  const char* begin = lexer_.token().begin;
  if (lexer_.EatWord("exact")) {
    AddAttribute(pending, "isExact", New(AttributeKind::kUnit));
    return true;
  }
  const absl::string_view word = lexer_.spelling();
  if (word != "fastmath" && word != "overflow") return true;
  lexer_.Next();
  absl::string_view spelling;
  if (!lexer_.Is('<')) return FailExpected("'<' before the flags");
  if (!ReadOpaqueBody(begin, spelling)) return false;
  Attribute* flags = New(AttributeKind::kOpaque);
  flags->text = program_.Intern(absl::StrCat("#arith.", spelling));
  AddAttribute(pending, word == "fastmath" ? "fastmath" : "overflowFlags", flags);
  return true;
}

bool TextReader::ReadPredicate(Pending& pending) {
  const absl::Span<const absl::string_view> names = PredicateNames(*pending.name->row);
  const auto* it = std::find(names.begin(), names.end(), lexer_.spelling());
  if (it == names.end()) {
    return FailExpected(absl::StrCat("one of ", absl::StrJoin(names, ", ")));
  }
  lexer_.Next();
  AddAttribute(pending, "predicate",
               NewInteger(it - names.begin(), program_.Scalar(ElementType::kS64)));
  return true;
}

// The types of operations whose other types follow from the one that is written.
bool TextReader::ReadElementwiseTypes(Pending& pending, SpecialForm form) {
  const char* at = lexer_.token().begin;
  const Type* type;
  if (!ReadType(type)) return false;
  const size_t operands = pending.operands.size();
  Type index_type;
  index_type.kind = TypeKind::kIndex;
  const Type* index = program_.Intern(std::move(index_type));
  const Type* boolean = program_.Scalar(ElementType::kPred);
  const Type* element = type->types.empty() ? type : type->types[0];
  TypeList inputs(operands, index);
  const Type* result = type;
  switch (form) {
    case SpecialForm::k_boolean: {
      inputs.assign(operands, type);
      result = boolean;
      if (type->kind == TypeKind::kTensor) {
        Type tensor = *type;
        tensor.types = {boolean};
        result = program_.Intern(std::move(tensor));
      }
      break;
    }
    case SpecialForm::k_arith_select:
      inputs[0] = boolean;
      if (lexer_.Eat(',')) {
        inputs[0] = type;
        if (!ReadType(type)) return false;
        result = type;
      }
      inputs[1] = inputs[2] = type;
      break;
    case SpecialForm::k_dim:
      inputs[0] = type;
      result = index;
      break;
    case SpecialForm::k_extract:
      inputs[0] = type;
      result = element;
      break;
    case SpecialForm::k_insert:
      inputs[0] = element;
      inputs[1] = type;
      break;
    case SpecialForm::k_elements:
      inputs.assign(operands, element);
      break;
    default:  // tensor.empty: the sizes of the dynamic dimensions
      break;
  }
  if (form != SpecialForm::k_boolean && form != SpecialForm::k_arith_select &&
      type->types.empty()) {
    return FailAt(at, "the type must be a tensor");
  }
  return CheckOperandTypes(pending, inputs) && SetResults(pending, {&result, 1});
}

}  // namespace assay::stablehlo
