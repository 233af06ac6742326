#include "spec/stablehlo/constraint_functions.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/element/element.h"
#include "spec/stablehlo/constraints.h"
#include "spec/stablehlo/scalar_types.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

using Numbers = std::vector<int64_t>;
using Arguments = absl::Span<const TermValue>;

bool IsKnown(int64_t number) { return number != kDynamic; }

std::string PrintNumber(int64_t number) { return IsKnown(number) ? absl::StrCat(number) : "?"; }

int64_t Arithmetic(char op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflows = !IsKnown(a) || !IsKnown(b);
  if (op == '+') overflows = overflows || __builtin_add_overflow(a, b, &result);
  if (op == '-') overflows = overflows || __builtin_sub_overflow(a, b, &result);
  if (op == '*') overflows = overflows || __builtin_mul_overflow(a, b, &result);
  if (op == '/' || op == '%') {
    if (overflows || b <= 0) return kDynamic;
    result = op == '/' ? a / b : a % b;
  }
  return overflows ? kDynamic : result;
}

bool Holds(absl::string_view op, int64_t a, int64_t b) {
  if (!IsKnown(a) || !IsKnown(b)) return true;
  if (op == "=") return a == b;
  if (op == "!=") return a != b;
  return op == "<" ? a < b : a <= b;
}

bool AreEqual(const TermValue& a, const TermValue& b) {
  if (a.kind == TermValue::Kind::kWord) return a.word == b.word;
  if (a.kind == TermValue::Kind::kType) return AreCompatible(*a.type, *b.type);
  return a.element == b.element || a.element == ElementType::kInvalid ||
         b.element == ElementType::kInvalid;
}

// Number i of a list, or the number itself.
int64_t At(const TermValue& value, size_t i) {
  return value.kind == TermValue::Kind::kNumber ? value.numbers[0] : value.numbers[i];
}

// The type of a tensor's elements; kInvalid of what HLO does not have.
ElementType ElementOf(const TermValue& value) {
  if (value.kind != TermValue::Kind::kType || value.type->kind != TypeKind::kTensor) {
    return ElementType::kInvalid;
  }
  return value.type->element_type();
}

// Sizes of a tensor, of a dense constant; unknown of others.
const Numbers* ShapeOf(const TermValue& value) {
  const bool has_shape = value.type != nullptr && value.type->kind == TypeKind::kTensor;
  return has_shape ? &value.type->dimensions : nullptr;
}

TermValue Shape(Arguments in) {
  const Numbers* const shape = ShapeOf(in[0]);
  return shape == nullptr ? TermValue() : TermValue::List(*shape);
}

TermValue Rank(Arguments in) {
  const Numbers* const shape = ShapeOf(in[0]);
  return shape == nullptr ? TermValue() : TermValue::Number(static_cast<int64_t>(shape->size()));
}

// The number of elements of a tensor, a tuple or a list.
TermValue Size(Arguments in) {
  if (in[0].kind == TermValue::Kind::kList)
    return TermValue::Number(static_cast<int64_t>(in[0].numbers.size()));
  if (in[0].kind != TermValue::Kind::kType) return {};
  if (in[0].type->kind == TypeKind::kTuple) {
    return TermValue::Number(static_cast<int64_t>(in[0].type->types.size()));
  }
  const Numbers* const shape = ShapeOf(in[0]);
  if (shape == nullptr) return {};
  return TermValue::Number(
      std::accumulate(shape->begin(), shape->end(), int64_t{1},
                      [](int64_t a, int64_t b) { return Arithmetic('*', a, b); }));
}

// What stands in a list at positions, of which -1 is the last; kDynamic where there is none.
TermValue Select(const Numbers& list, const TermValue& positions) {
  if (!positions.is_numbers()) return {};
  TermValue selected = positions;
  const auto size = static_cast<int64_t>(list.size());
  for (int64_t& position : selected.numbers) {
    const int64_t i = position < 0 && IsKnown(position) ? position + size : position;
    position = i >= 0 && i < size ? list[static_cast<size_t>(i)] : kDynamic;
  }
  selected.type = nullptr;
  return selected;
}

TermValue Dim(Arguments in) {
  const Numbers* const shape = ShapeOf(in[0]);
  return shape == nullptr ? TermValue() : Select(*shape, in[1]);
}

TermValue AtPositions(Arguments in) {
  return in[0].kind == TermValue::Kind::kList ? Select(in[0].numbers, in[1]) : TermValue();
}

TermValue IsUnique(Arguments in) {
  Numbers sorted = in[0].numbers;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end(),
                                        [](int64_t a, int64_t b) { return a == b && IsKnown(a); });
  return TermValue::Truth(twice == sorted.end());
}

TermValue IsSorted(Arguments in) {
  return TermValue::Truth(std::is_sorted(in[0].numbers.begin(), in[0].numbers.end()));
}

TermValue Sorted(Arguments in) {
  TermValue sorted = in[0];
  std::sort(sorted.numbers.begin(), sorted.numbers.end());
  return sorted;
}

TermValue Concatenate(Arguments in) {
  TermValue all = TermValue::List({});
  for (const TermValue& part : in) {
    if (!part.is_numbers()) return {};
    all.numbers.insert(all.numbers.end(), part.numbers.begin(), part.numbers.end());
  }
  return all;
}

// A list without what stands at positions.
TermValue Remove(Arguments in) {
  if (in[0].kind != TermValue::Kind::kList || !in[1].is_numbers()) return {};
  const Numbers& positions = in[1].numbers;
  TermValue rest = TermValue::List({});
  for (size_t i = 0; i < in[0].numbers.size(); ++i) {
    const bool removed =
        std::find(positions.begin(), positions.end(), static_cast<int64_t>(i)) != positions.end();
    if (!removed) rest.numbers.push_back(in[0].numbers[i]);
  }
  return rest;
}

// The first or last `count` of a list; all where it has fewer.
TermValue End(Arguments in, bool last) {
  if (in[0].kind != TermValue::Kind::kList || in[1].kind != TermValue::Kind::kNumber ||
      !IsKnown(in[1].numbers[0])) {
    return {};
  }
  const Numbers& list = in[0].numbers;
  const auto size = static_cast<int64_t>(list.size());
  const int64_t count = std::clamp<int64_t>(in[1].numbers[0], 0, size);
  const auto begin = list.begin() + (last ? size - count : 0);
  return TermValue::List(Numbers(begin, begin + count));
}
TermValue First(Arguments in) { return End(in, false); }
TermValue Last(Arguments in) { return End(in, true); }

TermValue Range(Arguments in) {
  if (in[0].kind != TermValue::Kind::kNumber) return {};
  Numbers range(static_cast<size_t>(std::max<int64_t>(0, in[0].numbers[0])));
  std::iota(range.begin(), range.end(), 0);
  return TermValue::List(std::move(range));
}

TermValue Max(Arguments in) {
  TermValue greatest = in[0];
  for (int64_t& number : greatest.numbers) {
    if (IsKnown(number)) number = std::max(number, in[1].numbers[0]);
  }
  return greatest;
}

// A column of a matrix.
TermValue Column(Arguments in) {
  const Numbers* const shape = ShapeOf(in[0]);
  if (shape == nullptr || shape->size() != 2 || in[0].kind != TermValue::Kind::kList) return {};
  TermValue column = TermValue::List({});
  const auto width = static_cast<size_t>((*shape)[1]);
  for (auto i = static_cast<size_t>(in[1].numbers[0]); i < in[0].numbers.size(); i += width) {
    column.numbers.push_back(in[0].numbers[i]);
  }
  return column;
}

// Replica groups without the -1 that fill the shorter ones.
TermValue Ids(Arguments in) {
  TermValue ids = in[0];
  ids.numbers.erase(std::remove(ids.numbers.begin(), ids.numbers.end(), -1), ids.numbers.end());
  return ids;
}

TermValue GroupSize(Arguments in) {
  const Numbers* const shape = ShapeOf(in[0]);
  if (shape == nullptr || shape->size() != 2 || (*shape)[0] == 0) return {};
  return TermValue::Number((*shape)[1]);
}

// The number of indices that a vector of indices has.
TermValue IndexSize(Arguments in) {
  const Numbers* const shape = ShapeOf(in[0]);
  if (shape == nullptr || in[1].kind != TermValue::Kind::kNumber) return {};
  const int64_t d = in[1].numbers[0];
  const auto rank = static_cast<int64_t>(shape->size());
  if (d < 0 || d > rank) return {};
  return TermValue::Number(d == rank ? 1 : (*shape)[static_cast<size_t>(d)]);
}

// The sizes of windows at positions, and of the rest in front of and between them.
TermValue CombineSizes(Arguments in) {
  if (in[0].kind != TermValue::Kind::kList || in[1].kind != TermValue::Kind::kList ||
      in[2].kind != TermValue::Kind::kList)
    return {};
  const Numbers& positions = in[2].numbers;
  Numbers combined(in[0].numbers.size() + in[1].numbers.size(), kDynamic);
  size_t batch = 0, offset = 0;
  for (size_t i = 0; i < combined.size(); ++i) {
    const bool is_offset =
        std::find(positions.begin(), positions.end(), static_cast<int64_t>(i)) != positions.end();
    const Numbers& from = is_offset ? in[1].numbers : in[0].numbers;
    size_t& next = is_offset ? offset : batch;
    if (next < from.size()) combined[i] = from[next++];
  }
  return TermValue::List(std::move(combined));
}

// Windows along one dimension.
int64_t CountWindows(int64_t size, int64_t padding, int64_t dilation, int64_t window,
                     int64_t window_dilation, int64_t stride) {
  const auto dilated = [](int64_t count, int64_t by) {
    return count == 0 ? 0 : Arithmetic('+', Arithmetic('*', count - 1, by), 1);
  };
  if (!IsKnown(size) || !IsKnown(window) || !IsKnown(padding) || stride <= 0) return kDynamic;
  const int64_t padded = Arithmetic('+', dilated(size, dilation), padding);
  const int64_t covered = dilated(window, window_dilation);
  if (!IsKnown(padded) || !IsKnown(covered)) return kDynamic;
  return padded == 0 || covered > padded ? 0 : (padded - covered) / stride + 1;
}

// num_windows(sizes, padding, dilations, window sizes, window dilations, strides)
TermValue NumWindows(Arguments in) {
  if (in[0].kind != TermValue::Kind::kList || in[3].kind != TermValue::Kind::kList) return {};
  const size_t count = in[0].numbers.size();
  const auto get = [&](const TermValue& list, size_t i, int64_t absent) {
    if (!list.is_numbers()) return absent;
    return list.kind == TermValue::Kind::kNumber || i < list.numbers.size() ? At(list, i)
                                                                            : kDynamic;
  };
  Numbers windows;
  for (size_t d = 0; d < count; ++d) {
    const int64_t padding =
        Arithmetic('+', get(in[1], 2 * d, in[1].kind == TermValue::Kind::kType ? kDynamic : 0),
                   get(in[1], 2 * d + 1, 0));
    windows.push_back(CountWindows(in[0].numbers[d], padding, get(in[2], d, 1), get(in[3], d, 1),
                                   get(in[4], d, 1), get(in[5], d, 1)));
  }
  return TermValue::List(std::move(windows));
}

// Whether sizes are 1 or those of the other list.
TermValue StretchesTo(Arguments in) {
  if (in[0].kind != TermValue::Kind::kList || in[1].kind != TermValue::Kind::kList) return {};
  const size_t count = std::min(in[0].numbers.size(), in[1].numbers.size());
  for (size_t i = 0; i < count; ++i) {
    const int64_t size = in[0].numbers[i];
    if (size != 1 && !Holds("=", size, in[1].numbers[i])) return TermValue::Truth(false);
  }
  return TermValue::Truth(true);
}

TermValue TypeOf(Arguments in) { return in[0]; }
TermValue ElementTypeOf(Arguments in) { return TermValue::Element(ElementOf(in[0])); }
TermValue RealType(Arguments in) {
  const ElementType element = ElementOf(in[0]);
  return TermValue::Element(IsComplex(element) ? Info(element).component : element);
}
TermValue Bits(Arguments in) {
  const ElementType element = ElementOf(in[0]);
  if (element == ElementType::kInvalid) return {};
  return TermValue::Number(element == ElementType::kPred ? 1 : Info(element).bits);
}

template <bool (*is)(ElementType)>
TermValue IsOf(Arguments in) {
  const ElementType element = ElementOf(in[0]);
  return element == ElementType::kInvalid ? TermValue() : TermValue::Truth(is(element));
}
bool IsComplexType(ElementType element) { return IsComplex(element); }
bool IsFloatType(ElementType element) { return IsFloat(element); }
bool IsSignedType(ElementType element) { return IsInteger(element) && IsSigned(element); }
bool IsUnsignedType(ElementType element) { return IsInteger(element) && !IsSigned(element); }
bool IsBooleanType(ElementType element) { return IsPred(element); }

struct TermFunction {
  TermValue (*call)(Arguments);
  bool is_about_values;
};

const TermFunction& Find(absl::string_view name) {
  static const auto* const functions = new absl::flat_hash_map<absl::string_view, TermFunction>{
      {"at", {AtPositions, false}},
      {"bits", {Bits, true}},
      {"column", {Column, true}},
      {"combine", {CombineSizes, false}},
      {"concatenate", {Concatenate, false}},
      {"dim", {Dim, true}},
      {"element_type", {ElementTypeOf, true}},
      {"first", {First, false}},
      {"group_size", {GroupSize, true}},
      {"ids", {Ids, false}},
      {"index_size", {IndexSize, true}},
      {"is_boolean", {IsOf<IsBooleanType>, false}},
      {"is_complex", {IsOf<IsComplexType>, false}},
      {"is_float", {IsOf<IsFloatType>, false}},
      {"is_signed", {IsOf<IsSignedType>, false}},
      {"is_sorted", {IsSorted, false}},
      {"is_unique", {IsUnique, false}},
      {"is_unsigned", {IsOf<IsUnsignedType>, false}},
      {"last", {Last, false}},
      {"max", {Max, false}},
      {"num_windows", {NumWindows, true}},
      {"range", {Range, false}},
      {"rank", {Rank, true}},
      {"real_type", {RealType, true}},
      {"remove", {Remove, false}},
      {"shape", {Shape, true}},
      {"size", {Size, true}},
      {"sorted", {Sorted, false}},
      {"stretches_to", {StretchesTo, false}},
      {"sum_of_dims", {Dim, true}},
      {"type", {TypeOf, true}},
  };
  const auto found = functions->find(name);
  assert(found != functions->end() && "constraints have a function of this name");
  return found->second;
}

}  // namespace

TermValue TermValue::Number(int64_t number) {
  TermValue value;
  value.kind = TermValue::Kind::kNumber;
  value.numbers = {number};
  return value;
}
TermValue TermValue::List(std::vector<int64_t> numbers) {
  TermValue value;
  value.kind = TermValue::Kind::kList;
  value.numbers = std::move(numbers);
  return value;
}
TermValue TermValue::Truth(bool truth) {
  TermValue value;
  value.kind = TermValue::Kind::kTruth;
  value.truth = truth;
  return value;
}
TermValue TermValue::Word(absl::string_view word) {
  TermValue value;
  value.kind = TermValue::Kind::kWord;
  value.word = word;
  return value;
}
TermValue TermValue::OfType(const Type& type) {
  TermValue value;
  value.kind = TermValue::Kind::kType;
  value.type = &type;
  return value;
}
TermValue TermValue::Element(ElementType element) {
  if (element == ElementType::kInvalid) return {};
  TermValue value;
  value.kind = TermValue::Kind::kElement;
  value.element = element;
  return value;
}
TermValue TermValue::Missing() {
  TermValue value;
  value.kind = TermValue::Kind::kMissing;
  return value;
}

std::string TermValue::Print() const {
  switch (kind) {
    case TermValue::Kind::kUnknown:
      return "";
    case TermValue::Kind::kMissing:
      return "absent";
    case TermValue::Kind::kNumber:
      return PrintNumber(numbers[0]);
    case TermValue::Kind::kList:
      return absl::StrCat("[",
                          absl::StrJoin(numbers, ", ",
                                        [](std::string* text, int64_t number) {
                                          absl::StrAppend(text, PrintNumber(number));
                                        }),
                          "]");
    case TermValue::Kind::kTruth:
      return truth ? "true" : "false";
    case TermValue::Kind::kWord:
      return std::string(word);
    case TermValue::Kind::kType:
      return PrintType(*type);
    case TermValue::Kind::kElement:
      return std::string(ScalarName(element));
  }
  return "";
}

TermValue Combine(absl::string_view op, const TermValue& a, const TermValue& b) {
  if (a.kind == TermValue::Kind::kUnknown || b.kind == TermValue::Kind::kUnknown) return {};
  if (a.kind == TermValue::Kind::kMissing || b.kind == TermValue::Kind::kMissing)
    return TermValue::Truth(false);
  const bool compares = op == "=" || op == "!=" || op == "<" || op == "<=";
  if (!a.is_numbers() || !b.is_numbers()) {
    if (a.kind != b.kind) return {};
    return TermValue::Truth(AreEqual(a, b) == (op == "="));
  }
  const bool is_list = a.kind == TermValue::Kind::kList || b.kind == TermValue::Kind::kList;
  const size_t size = a.kind == TermValue::Kind::kList ? a.numbers.size() : b.numbers.size();
  if (a.kind == TermValue::Kind::kList && b.kind == TermValue::Kind::kList &&
      a.numbers.size() != b.numbers.size()) {
    return op == "=" ? TermValue::Truth(false) : TermValue();
  }
  if (compares) {
    bool is_known = true;
    for (size_t i = 0; i < size; ++i) {
      if (!Holds(op, At(a, i), At(b, i))) return TermValue::Truth(false);
      is_known = is_known && IsKnown(At(a, i)) && IsKnown(At(b, i));
    }
    return is_known ? TermValue::Truth(true) : TermValue();
  }
  Numbers results(size);
  for (size_t i = 0; i < size; ++i) results[i] = Arithmetic(op[0], At(a, i), At(b, i));
  return is_list ? TermValue::List(std::move(results)) : TermValue::Number(results[0]);
}

TermValue Call(absl::string_view function, absl::Span<const TermValue> arguments) {
  return Find(function).call(arguments);
}

bool IsAboutValues(absl::string_view function) { return Find(function).is_about_values; }

}  // namespace assay::stablehlo
