// Checks operands and results against the rows of operand_types.def. Test: constraints_test.cc.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "spec/element/element.h"
#include "spec/stablehlo/constraints.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

// A word of operand_types.def.
struct TypeWord {
  std::string types;  // letters of element types and of types without elements
  int rank = -1;      // -1: any
};

struct TypeWords {
  std::vector<TypeWord> words;
  int variadic = -1;  // the word that stands for any number

  // The word of value i of `count`; the list has as many as it may have.
  const TypeWord& Of(int64_t i, int64_t count) const {
    const auto size = static_cast<int64_t>(words.size());
    if (variadic < 0 || i < variadic) return words[i];
    const int64_t behind = size - 1 - variadic;
    return i >= count - behind ? words[size - (count - i)] : words[variadic];
  }
};

struct TypeRow {
  TypeWords operands, results;
};

TypeWords ReadWords(absl::string_view text) {
  TypeWords list;
  for (const absl::string_view part : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    TypeWord word;
    for (const char c : part) {
      if (c >= '0' && c <= '9') {
        word.rank = c - '0';
      } else if (c == '*') {
        list.variadic = static_cast<int>(list.words.size());
      } else if (c == 'A') {
        word.types += "psufc";
      } else if (c == 'V') {
        word.types += "psufcT";
      } else if (c == 'E') {
        word.types += "psufcTU";
      } else {
        word.types += c;
      }
    }
    list.words.push_back(std::move(word));
  }
  return list;
}

const TypeRow* FindTypeRow(const DialectOp* op) {
  static const auto* const rows = [] {
    auto* all = new absl::flat_hash_map<const DialectOp*, TypeRow>();
#define TYPES(name, operands, results) \
  (*all)[FindDialectOp(name)] = {ReadWords(operands), ReadWords(results)};
#include "spec/stablehlo/operand_types.def"
#undef TYPES
    return all;
  }();
  const auto found = rows->find(op);
  return found == rows->end() ? nullptr : &found->second;
}

// Whether HLO lacks the type, so that it is refused where it is lowered.
bool IsForeign(const Type& type) {
  switch (type.kind) {
    case TypeKind::kTensor: {
      const TypeKind element = type.types[0]->kind;
      return element != TypeKind::kScalar && element != TypeKind::kIndex;
    }
    case TypeKind::kUnranked:
    case TypeKind::kMemref:
    case TypeKind::kQuantized:
    case TypeKind::kOpaque:
      return true;
    default:
      return false;
  }
}

bool IsOfLetter(char letter, const Type& type) {
  if (type.kind != TypeKind::kTensor) {
    return (letter == 'T' && type.kind == TypeKind::kToken) ||
           (letter == 'U' && type.kind == TypeKind::kTuple) ||
           (letter == 'F' && type.kind == TypeKind::kFuture);
  }
  if (type.types[0]->kind == TypeKind::kIndex) return letter == 'x';
  const ElementType element = type.element_type();
  switch (letter) {
    case 'p':
      return IsPred(element);
    case 's':
      return IsInteger(element) && IsSigned(element);
    case 'u':
      return IsInteger(element) && !IsSigned(element);
    case 'f':
      return IsFloat(element);
    case 'c':
      return IsComplex(element);
    case 'w':
      return element == ElementType::kF32 || element == ElementType::kF64;
    case 'i':
      return element == ElementType::kS32;
    case 'j':
      return element == ElementType::kU32;
    default:
      return false;
  }
}

std::string DescribeWord(const TypeWord& word) {
  std::vector<absl::string_view> elements, others;
  const bool any = absl::StrContains(word.types, "psufc");
  for (const char letter : word.types) {
    switch (letter) {
      case 'p':
        elements.push_back("booleans");
        break;
      case 's':
        elements.push_back("signless integers");
        break;
      case 'u':
        elements.push_back("unsigned integers");
        break;
      case 'f':
        elements.push_back("floating-point numbers");
        break;
      case 'c':
        elements.push_back("complex numbers");
        break;
      case 'x':
        elements.push_back("index");
        break;
      case 'w':
        elements.push_back("f32 or f64");
        break;
      case 'i':
        elements.push_back("i32");
        break;
      case 'j':
        elements.push_back("ui32");
        break;
      case 'T':
        others.push_back("a token");
        break;
      case 'U':
        others.push_back("a tuple");
        break;
      default:
        others.push_back("a future");
        break;
    }
  }
  std::string text = elements.empty() ? "" : "a tensor";
  if (word.rank >= 0) absl::StrAppend(&text, " of rank ", word.rank);
  if (!elements.empty() && !any) {
    absl::StrAppend(&text, word.rank >= 0 ? " with " : " of ", absl::StrJoin(elements, " or "));
  }
  for (const absl::string_view other : others) {
    absl::StrAppend(&text, text.empty() ? "" : " or ", other);
  }
  return text;
}

std::string AgainstCount(absl::string_view what, const TypeWords& words, int64_t found) {
  const auto needed = static_cast<int64_t>(words.words.size()) - (words.variadic >= 0 ? 1 : 0);
  if (words.variadic >= 0 ? found >= needed : found == needed) return "";
  return absl::StrCat("must have ", words.variadic >= 0 ? "at least " : "", needed, " ", what,
                      needed == 1 ? "" : "s", ", found ", found);
}

// An operand or a result.
struct Place {
  absl::string_view what;
  int64_t index = 0;
  const TypeWord* word = nullptr;
  const Type* type = nullptr;
};

// Adds the places of a list of values; says where there are too few or too many.
template <typename Values>
std::string AddPlaces(absl::string_view what, const TypeWords& words, const Values& values,
                      std::vector<Place>* places) {
  const auto count = static_cast<int64_t>(values.size());
  std::string why = AgainstCount(what, words, count);
  for (int64_t i = 0; why.empty() && i < count; ++i) {
    places->push_back({what, i, &words.Of(i, count), values[i]->type()});
  }
  return why;
}

std::string AgainstWord(const Place& place) {
  const TypeWord& word = *place.word;
  const Type& type = *place.type;
  const bool has_rank = word.rank < 0 || type.kind != TypeKind::kTensor ||
                        type.dimensions.size() == static_cast<size_t>(word.rank);
  const bool has_type = std::any_of(word.types.begin(), word.types.end(),
                                    [&](const char letter) { return IsOfLetter(letter, type); });
  if (has_rank && has_type) return "";
  return absl::StrCat(place.what, " ", place.index, " must be ", DescribeWord(word), ", found ",
                      PrintType(type));
}

}  // namespace

bool AreCompatible(const Type& a, const Type& b) {
  if (&a == &b || IsForeign(a) || IsForeign(b)) return true;
  if (a.kind != TypeKind::kTensor || b.kind != TypeKind::kTensor) return false;
  if (a.types[0] != b.types[0] || a.dimensions.size() != b.dimensions.size()) return false;
  for (size_t d = 0; d < a.dimensions.size(); ++d) {
    const int64_t size = a.dimensions[d], other = b.dimensions[d];
    if (size != other && size != kDynamic && other != kDynamic) return false;
  }
  return true;
}

Broken AgainstTypes(const Operation& operation) {
  const TypeRow* row = FindTypeRow(operation.row());
  if (row == nullptr) return {};
  std::vector<Place> places;
  std::string why = AddPlaces("operand", row->operands, operation.operands(), &places);
  if (why.empty()) why = AddPlaces("result", row->results, operation.results(), &places);
  if (!why.empty()) return {"", std::move(why)};
  for (const Place& place : places) {
    if (IsForeign(*place.type)) continue;
    why = AgainstWord(place);
    if (why.empty()) continue;
    // The specification numbers its inputs.
    const bool is_operand = place.what == "operand";
    const auto input = place.word - row->operands.words.data() + 1;
    return {is_operand ? absl::StrCat("I", input) : "", std::move(why)};
  }
  return {};
}

}  // namespace assay::stablehlo
