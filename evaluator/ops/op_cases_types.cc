// Every element type of every operation that computes: small operands, whose exact result is found
// with Boost's rationals and rounded by trying all values of the type (types of 16 bits or less) or
// fits f32 and f64 as it is.
#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstring>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "evaluator/ops/op_case_text.h"
#include "evaluator/scalar/scalar_ops.h"

namespace assay {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

// An exact value; complex with an imaginary part.
struct Exact {
  cpp_rational real = 0, imag = 0;
  friend Exact operator+(const Exact& a, const Exact& b) {
    return {a.real + b.real, a.imag + b.imag};
  }
  friend Exact operator*(const Exact& a, const Exact& b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  }
};

cpp_rational ValueOf(ElementType type, uint64_t bits) {
  if (IsFloat(type)) return cpp_rational(DecodeFloat(type, bits));
  if (IsSigned(type)) return cpp_rational(DecodeSigned(type, bits));
  return cpp_rational(DecodeUnsigned(type, bits));
}

Exact ValueOf(ElementType type, Element element) {
  const ElementType component = Info(type).component;
  return {ValueOf(component, element.bits),
          IsComplex(type) ? ValueOf(component, element.imag) : cpp_rational(0)};
}

// Every finite value of a type of at most 16 bits, ascending, with its pattern; of the zeros +0.
const std::vector<std::pair<double, uint64_t>>& ValuesOfType(ElementType type) {
  static auto* const tables = new std::map<ElementType, std::vector<std::pair<double, uint64_t>>>;
  auto& values = (*tables)[type];
  if (!values.empty()) return values;
  for (uint64_t bits = 0; bits < uint64_t{1} << Info(type).bits; ++bits) {
    if (IsNan(type, bits) || IsInfinity(type, bits)) continue;
    if (IsZero(type, bits) && IsNegative(type, bits)) continue;
    values.push_back({DecodeFloat(type, bits), bits});
  }
  std::sort(values.begin(), values.end());
  return values;
}

// The pattern nearest to an exact value within the finite range: ties to the even pattern, in
// f8e8m0fnu to the larger value.
uint64_t Search(ElementType type, const cpp_rational& exact) {
  const auto& values = ValuesOfType(type);
  auto above = std::lower_bound(
      values.begin(), values.end(), exact,
      [](const auto& entry, const cpp_rational& x) { return cpp_rational(entry.first) < x; });
  if (above == values.end()) return values.back().second;
  if (above == values.begin()) return above->second;
  const auto below = above - 1;
  const cpp_rational up = cpp_rational(above->first) - exact;
  const cpp_rational down = exact - cpp_rational(below->first);
  if (up != down) return up < down ? above->second : below->second;
  const bool take_above = type == ElementType::kF8E8M0FNU || above->second % 2 == 0;
  return take_above ? above->second : below->second;
}

uint64_t Round(ElementType type, const cpp_rational& exact) {
  if (IsPred(type)) return exact != 0 ? 1 : 0;
  if (!IsFloat(type)) {
    cpp_int wrapped = numerator(exact) % (cpp_int(1) << Info(type).bits);
    if (wrapped < 0) wrapped += cpp_int(1) << Info(type).bits;
    return static_cast<uint64_t>(wrapped);
  }
  if (Info(type).bits <= 16) return Search(type, exact);
  const double value = exact.convert_to<double>();
  uint64_t bits = 0;
  if (type == ElementType::kF64) {
    std::memcpy(&bits, &value, sizeof value);
  } else {
    const float narrow = static_cast<float>(value);
    std::memcpy(&bits, &narrow, sizeof narrow);
  }
  return bits;
}

Element Round(ElementType type, const Exact& exact) {
  const ElementType component = Info(type).component;
  return {Round(component, exact.real), IsComplex(type) ? Round(component, exact.imag) : 0};
}

// The element of a type for a small number: itself where the type has it; complex numbers get an
// imaginary part.
Element Small(ElementType type, int64_t value) {
  const ElementType component = Info(type).component;
  auto encode = [&](int64_t v) {
    return Convert(ElementType::kS64, Element{static_cast<uint64_t>(v)}, component).bits;
  };
  return {encode(value), IsComplex(type) ? encode(3 - value) : 0};
}

using Values = std::vector<Exact>;

// The cases of one type.
class TypeCases {
 public:
  TypeCases(ElementType type, std::vector<OpCase>& cases)
      : type_(type), name_(Name(type)), cases_(cases) {}

  void Append() {
    AppendReductions();
    AppendScatter();
    AppendDot(type_);
    for (ElementType result :
         {ElementType::kS8, ElementType::kS64, ElementType::kU16, ElementType::kBF16,
          ElementType::kF32, ElementType::kF64, ElementType::kC128}) {
      if (Info(result).element_class == Info(type_).element_class) AppendDot(result);
    }
    AppendConvolution();
    AppendElementwise();
    if (!IsPred(type_)) AppendIota();
    if (!IsComplex(type_)) {
      AppendSelectAndScatter();
      AppendSortAndTopK();
    }
    if (IsInteger(type_)) AppendIndices();
  }

 private:
  Literal Array(const std::vector<int64_t>& values, std::vector<int64_t> sizes) const {
    Literal literal = Literal::Zeros(Shape(type_, sizes));
    for (size_t i = 0; i < values.size(); ++i) literal.Set(i, Small(type_, values[i]));
    return literal;
  }
  Literal Vector(const std::vector<int64_t>& values) const {
    return Array(values, {static_cast<int64_t>(values.size())});
  }
  Literal Scalar(int64_t value) const { return Array({value}, {}); }

  Values Exacts(const std::vector<int64_t>& values) const {
    Values exact;
    for (int64_t value : values) exact.push_back(ValueOf(type_, Small(type_, value)));
    return exact;
  }

  static Literal Rounded(ElementType type, const Values& values, std::vector<int64_t> sizes) {
    Literal literal = Literal::Zeros(Shape(type, sizes));
    for (size_t i = 0; i < values.size(); ++i) literal.Set(i, Round(type, values[i]));
    return literal;
  }
  Literal Rounded(const Values& values) const {
    return Rounded(type_, values, {static_cast<int64_t>(values.size())});
  }

  // `$T` is the type.
  void Add(const std::string& name, const std::string& hlo, std::vector<Literal> inputs,
           std::vector<Literal> expected) {
    cases_.push_back({absl::StrCat(name, ", ", name_), absl::StrReplaceAll(hlo, {{"$T", name_}}),
                      std::move(inputs), std::move(expected)});
  }

  void AppendReduce(const std::string& op, const Exact& expected) {
    Add("5.1 reduce: " + op,
        "$T[] reduce($T[5] x, $T[] init), dimensions={0}, to_apply=" + BinaryBody("$T", op),
        {Vector({1, 2, 1, 3, 2}), Scalar(1)}, {Rounded(type_, {expected}, {})});
  }

  void AppendReductions() {
    const Values x = Exacts({1, 2, 1, 3, 2, 1});
    Exact sum, product{1, 0};
    for (const Exact& value : x) sum = sum + value, product = product * value;
    AppendReduce("add", sum);
    AppendReduce("multiply", product);
    if (!IsComplex(type_)) {
      auto less = [](const Exact& a, const Exact& b) { return a.real < b.real; };
      AppendReduce("maximum", *std::max_element(x.begin(), x.end(), less));
      AppendReduce("minimum", *std::min_element(x.begin(), x.end(), less));
    }
    if (IsInteger(type_) || IsPred(type_)) {
      uint64_t all = ~uint64_t{0}, any = 0, odd = 0;
      for (int64_t value : {1, 2, 1, 3, 2, 1}) {
        const uint64_t bits = Small(type_, value).bits;
        all &= bits, any |= bits, odd ^= bits;
      }
      AppendReduce("and", {ValueOf(type_, all), 0});
      AppendReduce("or", {ValueOf(type_, any), 0});
      AppendReduce("xor", {ValueOf(type_, odd), 0});
    }
    Add("5.3 reduce-window: add",
        "$T[2] reduce-window($T[3] x, $T[] init), window={size=2}, to_apply=" +
            BinaryBody("$T", "add"),
        {Vector({1, 2, 3}), Scalar(2)}, {Rounded({x[1] + x[0] + x[1], x[1] + x[1] + x[3]})});
  }

  void AppendScatter() {
    Literal indices = Literal::Zeros(Shape(ElementType::kS32, {3, 1}));
    indices.Set(1, {1});
    const Values v = Exacts({1, 2, 3});
    Add("4.2 scatter: add",
        "$T[2] scatter($T[2] x, s32[3,1] i, $T[3] u), update_window_dims={}, "
        "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
        "to_apply=" +
            BinaryBody("$T", "add"),
        {Vector({1, 2}), indices, Vector({1, 2, 3})}, {Rounded({v[0] + v[0] + v[2], v[1] + v[1]})});
  }

  void AppendDot(ElementType result) {
    const Values a = Exacts({1, 2, 3, 2, 1, 1}), b = Exacts({2, 1, 2});
    Add(absl::StrCat("7.2 dot: result ", Name(result)),
        absl::StrCat(Name(result),
                     "[2] dot($T[2,3] a, $T[3] b), lhs_contracting_dims={1}, "
                     "rhs_contracting_dims={0}"),
        {Array({1, 2, 3, 2, 1, 1}, {2, 3}), Vector({2, 1, 2})},
        {Rounded(result,
                 {a[0] * b[0] + a[1] * b[1] + a[2] * b[2], a[3] * b[0] + a[4] * b[1] + a[5] * b[2]},
                 {2})});
  }

  void AppendConvolution() {
    const Values x = Exacts({1, 2, 3}), k = Exacts({2, 1});
    Add("8 convolution: 1-D",
        "$T[1,1,3] convolution($T[1,1,3] x, $T[1,1,2] k), window={size=2 pad=1_0}, "
        "dim_labels=bf0_oi0->bf0",
        {Array({1, 2, 3}, {1, 1, 3}), Array({2, 1}, {1, 1, 2})},
        {Rounded(type_, {x[0] * k[1], x[0] * k[0] + x[1] * k[1], x[1] * k[0] + x[2] * k[1]},
                 {1, 1, 3})});
  }

  void AppendElementwise() {
    const Values a = Exacts({1, 2, 3}), b = Exacts({2, 1, 2});
    const Values sums = {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
    Add("6.1 add", "$T[3] add($T[3] a, $T[3] b)", {Vector({1, 2, 3}), Vector({2, 1, 2})},
        {Rounded(sums)});
    Add("12.1 map: add",
        "$T[3] map($T[3] a, $T[3] b), dimensions={0}, to_apply=" + BinaryBody("$T", "add"),
        {Vector({1, 2, 3}), Vector({2, 1, 2})}, {Rounded(sums)});
  }

  void AppendIota() {
    Values numbers;
    for (int i = 0; i < 6; ++i) numbers.push_back({i, 0});
    Literal expected = Rounded(numbers);
    // f8e8m0fnu has no zero: 6.13.
    if (type_ == ElementType::kF8E8M0FNU) expected.Set(0, {CanonicalNan(type_)});
    Add("3.14 iota", "$T[6] iota(), iota_dimension=0", {}, {expected});
  }

  void AppendSelectAndScatter() {
    const Values x = Exacts({1, 3, 2, 1}), s = Exacts({1, 2});
    const Exact init = Exacts({1})[0];
    Values expected(4, init);
    for (int w = 0; w < 2; ++w) {
      const int first = 2 * w, second = 2 * w + 1;
      const int selected = x[first].real >= x[second].real ? first : second;
      expected[selected] = expected[selected] + s[w];
    }
    Add("5.4 select-and-scatter: add",
        "$T[4] select-and-scatter($T[4] x, $T[2] s, $T[] z), window={size=2 stride=2}, select={ a "
        "= $T[] parameter(0) b = $T[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }, "
        "scatter=" +
            BinaryBody("$T", "add"),
        {Vector({1, 3, 2, 1}), Vector({1, 2}), Scalar(1)}, {Rounded(expected)});
  }

  void AppendSortAndTopK() {
    const std::vector<int64_t> numbers = {2, 3, 1, 2};
    Values values = Exacts(numbers);
    auto less = [](const Exact& a, const Exact& b) { return a.real < b.real; };
    std::stable_sort(values.begin(), values.end(), less);
    Add("6.2 sort",
        "$T[4] sort($T[4] x), dimensions={0}, to_apply={ a = $T[] parameter(0) b = $T[] "
        "parameter(1) ROOT r = pred[] compare(a, b), direction=LT }",
        {Vector(numbers)}, {Rounded(values)});

    const Values x = Exacts(numbers);
    std::vector<int64_t> order = {0, 1, 2, 3};
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return x[b].real < x[a].real; });
    Literal indices = Literal::Zeros(Shape(ElementType::kS32, {2}));
    for (int i = 0; i < 2; ++i) indices.Set(i, {static_cast<uint64_t>(order[i])});
    Add("6.3 topk", "($T[2], s32[2]) topk($T[4] x), k=2, largest=true", {Vector(numbers)},
        {Rounded({x[order[0]], x[order[1]]}), indices});
  }

  // Index operands of every integer type: clamped by their value.
  void AppendIndices() {
    const int64_t value = static_cast<int64_t>(ValueOf(type_, Small(type_, 1)).real);
    const uint64_t at = std::max<int64_t>(value, 0);
    Literal x = Literal::Zeros(Shape(ElementType::kU8, {3}));
    for (int i = 0; i < 3; ++i) x.Set(i, {static_cast<uint64_t>(10 + i)});
    Literal found = Literal::Zeros(Shape(ElementType::kU8, {1}));
    found.Set(0, {10 + at});
    Add("3.10 dynamic-slice: index type",
        "u8[1] dynamic-slice(u8[3] x, $T[] i), dynamic_slice_sizes={1}", {x, Scalar(1)}, {found});
    Add("4.1 gather: index type",
        "u8[1] gather(u8[3] x, $T[1] i), offset_dims={}, collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=1, slice_sizes={1}",
        {x, Vector({1})}, {found});
    Literal update = Literal::Zeros(Shape(ElementType::kU8, {1}));
    update.Set(0, {77});
    Literal updated = x;
    updated.Set(at, {77});
    Add("3.11 dynamic-update-slice: index type",
        "u8[3] dynamic-update-slice(u8[3] x, u8[1] u, $T[] i)", {x, update, Scalar(1)}, {updated});
    // Scatter does not clamp: a negative start (s1, whose 1 is -1) updates nothing.
    Add("4.2 scatter: index type",
        "u8[3] scatter(u8[3] x, $T[1] i, u8[1] u), update_window_dims={}, "
        "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
        "to_apply={ a = u8[] parameter(0) ROOT b = u8[] parameter(1) }",
        {x, Vector({1}), update}, {value < 0 ? x : updated});
  }

  const ElementType type_;
  const std::string name_;
  std::vector<OpCase>& cases_;
};

}  // namespace

void AppendTypeCases(std::vector<OpCase>& cases) {
  for (ElementType type : kArrayTypes) TypeCases(type, cases).Append();
}

}  // namespace assay
