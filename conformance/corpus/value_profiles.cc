#include "conformance/corpus/value_profiles.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>

#include "absl/numeric/bits.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/element/element_array.h"
#include "spec/element/float_formats.h"

namespace assay::conformance {
namespace {

constexpr ValueProfileInfo kRows[] = {
#define VALUE_PROFILE(enumerator, name, types, parameters) \
  {ValueProfile::enumerator, name, TypeSet(types), parameters},
#include "conformance/corpus/value_profiles.def"
#undef VALUE_PROFILE
};

// The words of `duplicates` come from here on: far from those of the elements.
constexpr uint64_t kSharedWords = uint64_t{1} << 32;

// Takes a random word apart, digit by digit.
class Digits {
 public:
  explicit Digits(uint64_t word) : word_(word) {}
  uint64_t Draw(uint64_t base) {
    if ((base & (base - 1)) == 0) return DrawBits(std::countr_zero(base));  // divides nothing
    const uint64_t digit = word_ % base;
    word_ /= base;
    return digit;
  }
  // The digit of base 2^bits.
  uint64_t DrawBits(int bits) {
    const uint64_t digit = word_ & ((uint64_t{1} << bits) - 1);
    word_ >>= bits;
    return digit;
  }

 private:
  uint64_t word_;
};

uint64_t Mask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

// A type without parts: the elements of a profile that need no look at other elements.
class Part {
 public:
  explicit Part(ElementType type) : type_(type), bits_(Info(type).bits) {
    if (!IsFloat(type)) return;
    format_ = Info(type).format;
    top_ = static_cast<int64_t>(float_formats::MaxFinitePattern(*format_));
    one_ = uint64_t{1} << format_->significand_bits;
  }

  uint64_t mask() const { return Mask(bits_); }
  uint64_t Integer(int64_t value) const { return static_cast<uint64_t>(value) & mask(); }
  bool is_float() const { return format_ != nullptr; }
  bool has_sign() const { return is_float() && format_->has_sign; }
  // How many values the type has, of floats the finite ones with one zero.
  uint64_t count() const {
    if (!is_float()) return bits_ >= 64 ? ~uint64_t{0} : uint64_t{1} << bits_;
    const auto top = static_cast<uint64_t>(top_);
    return has_sign() ? 2 * top + 1 : top + 1;
  }
  // The value with this rank among them.
  uint64_t Ranked(uint64_t rank) const {
    if (!is_float()) return IsSigned(type_) ? (rank + (mask() >> 1) + 1) & mask() : rank;
    if (!has_sign()) return rank;
    const auto ordinal = static_cast<int64_t>(rank - static_cast<uint64_t>(top_));
    return Signed(ordinal < 0, static_cast<uint64_t>(ordinal < 0 ? -ordinal : ordinal));
  }
  // Orders the values of the profile `benign`.
  int64_t Key(uint64_t pattern) const {
    if (!has_sign()) {
      return IsSigned(type_) ? DecodeSigned(type_, pattern) : static_cast<int64_t>(pattern);
    }
    const uint64_t sign = float_formats::SignMask(*format_);
    const auto magnitude = static_cast<int64_t>(pattern & ~sign);
    return (pattern & sign) != 0 ? -magnitude : magnitude;
  }
  // A small integer; in a float type whose significand lacks the bits, cut; at most the largest.
  uint64_t Small(int64_t value) const {
    if (!is_float()) return Integer(value);
    if (value == 0) return 0;
    const auto magnitude = static_cast<uint64_t>(value < 0 ? -value : value);
    const int k = absl::bit_width(magnitude) - 1;
    const int shift = format_->significand_bits - k;
    const uint64_t rest = magnitude - (uint64_t{1} << k);
    const uint64_t significand = shift >= 0 ? rest << shift : rest >> -shift;
    return Signed(value < 0, Top(Field(format_->bias + k) | significand));
  }

  // `range`: the place of its lower end in the order of the values, and how many values it has.
  struct Range {
    int64_t low = 0;
    uint64_t count = 1;
  };
  Range RangeBetween(double from, double to) const {
    const int64_t low = Ordinal(from), high = Ordinal(to);
    return {low, static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1};
  }
  uint64_t DrawBetween(const Range& range, uint64_t word) const {
    const int64_t ordinal = Int(static_cast<uint64_t>(range.low) + word % range.count);
    return Signed(ordinal < 0, static_cast<uint64_t>(ordinal < 0 ? -ordinal : ordinal));
  }
  // The place of the value next to a number: its magnitude's pattern, negated below zero. A number
  // beyond the largest value has the place of that.
  int64_t Ordinal(double value) const {
    uint64_t magnitude = EncodeFloat(type_, std::abs(value));
    if (IsNan(type_, magnitude) || IsInfinity(type_, magnitude)) magnitude = Top(~uint64_t{0});
    const auto ordinal = static_cast<int64_t>(Top(magnitude));
    return value < 0 && has_sign() ? -ordinal : ordinal;
  }

  uint64_t Draw(const ProfileUse& use, uint64_t word) const {
    return is_float() ? DrawFloat(use, word) : DrawInteger(use, word);
  }
  // `cancellation`: `partner` is the word of the even element of the pair.
  uint64_t DrawCancelling(bool odd, uint64_t partner, uint64_t word) const {
    if (!is_float()) return (odd ? word % 2 - partner : partner) & mask();
    Digits digits(partner);
    const bool negative = DrawSign(digits);
    uint64_t pattern = Signed(negative, Normal(format_->bias - 4 + Int(digits.Draw(12)), digits));
    if (odd) pattern ^= float_formats::SignMask(*format_) | word % 2;
    return pattern;
  }

 private:
  static int64_t Int(uint64_t value) { return static_cast<int64_t>(value); }

  bool DrawSign(Digits& digits) const { return has_sign() && digits.Draw(2) == 1; }
  uint64_t Signed(bool negative, uint64_t magnitude) const {
    if (!negative || (magnitude == 0 && !format_->signed_zero)) return magnitude;
    return magnitude | float_formats::SignMask(*format_);
  }
  uint64_t Field(int64_t exponent) const {
    return static_cast<uint64_t>(exponent) << format_->significand_bits;
  }
  uint64_t Top(uint64_t magnitude) const {
    return std::min(magnitude, static_cast<uint64_t>(top_));
  }
  // The largest exponent field all of whose significands are finite, and the smallest of normals.
  int64_t high() const { return ((top_ + 1) >> format_->significand_bits) - 1; }
  int64_t low() const { return has_sign() ? 1 : 0; }
  uint64_t Normal(int64_t exponent, Digits& digits) const {
    return Field(std::clamp(exponent, low(), high())) | digits.Draw(one_);
  }

  uint64_t DrawFloat(const ProfileUse& use, uint64_t word) const {
    const int64_t bias = format_->bias;
    Digits digits(word);
    if (use.profile == ValueProfile::kPatterns) return word & mask();
    if (use.profile == ValueProfile::kIntegers) {
      return has_sign() ? Small(Int(digits.Draw(9)) - 4) : Field(bias + Int(digits.Draw(3)));
    }
    const bool negative = DrawSign(digits);
    switch (use.profile) {
      case ValueProfile::kFinite:
        return Signed(negative, digits.Draw(static_cast<uint64_t>(top_) + 1));
      case ValueProfile::kSubnormal:
        return Signed(negative, Top(digits.Draw(has_sign() ? 2 * one_ : 4)));
      case ValueProfile::kUnit: {
        const int64_t exponent = std::clamp<int64_t>(bias - 4 + Int(digits.Draw(4)), 0, bias - 1);
        return Signed(negative, Field(exponent) | digits.Draw(one_));
      }
      case ValueProfile::kOverflow: {
        const int64_t top = top_ >> format_->significand_bits;
        const bool near = digits.Draw(2) == 0;
        const int64_t exponent = near ? top - 3 + Int(digits.Draw(4))  //
                                      : (bias + top) / 2 + Int(digits.Draw(2));
        const uint64_t field = Field(std::clamp(exponent, low(), top));
        return Signed(negative, Top(field | digits.Draw(one_)));
      }
      case ValueProfile::kTies:
        return Signed(negative, Tie(use, digits));
      case ValueProfile::kPositive:
        return Normal(bias - 2 + Int(digits.Draw(4)), digits);
      default:
        return Signed(negative, Normal(bias - 2 + Int(digits.Draw(4)), digits));
    }
  }

  // Halfway between two values with `keep` bits of significand, or between two integers; or next
  // to there.
  uint64_t Tie(const ProfileUse& use, Digits& digits) const {
    const uint64_t step = digits.Draw(4);
    const int significand = format_->significand_bits;
    uint64_t magnitude = 0;
    if (use.keep) {
      const int64_t exponent = std::clamp(format_->bias - 3 + Int(digits.Draw(8)), low(), high());
      const int below = significand - static_cast<int>(*use.keep);
      magnitude = Field(exponent) | digits.Draw(uint64_t{1} << *use.keep) << below |
                  uint64_t{1} << (below - 1);
    } else {
      const uint64_t twice = 2 * (1 + digits.Draw(std::min<uint64_t>(one_, 32) - 1)) + 1;
      magnitude = Small(static_cast<int64_t>(twice)) - Field(1);
    }
    if (step == 2) ++magnitude;
    if (step == 3) --magnitude;
    return Top(magnitude);
  }

  uint64_t DrawInteger(const ProfileUse& use, uint64_t word) const {
    Digits digits(word);
    const bool is_signed = IsSigned(type_);
    const uint64_t max = is_signed ? mask() >> 1 : mask();
    const uint64_t min = is_signed ? max + 1 : 0;  // a pattern
    switch (use.profile) {
      case ValueProfile::kPatterns:
        return word & mask();
      case ValueProfile::kIndices: {
        const uint64_t span =
            static_cast<uint64_t>(*use.high) - static_cast<uint64_t>(*use.low) + 1;
        return Integer(*use.low + Int(span == 0 ? word : digits.Draw(span)));
      }
      case ValueProfile::kPositive:
        return std::min(1 + digits.Draw(7), max);
      case ValueProfile::kOverflow: {
        const uint64_t edge = digits.Draw(3), distance = digits.Draw(8);
        if (edge == 0) return (max - distance) & mask();
        if (edge == 1) return (min + distance) & mask();
        return ((uint64_t{1} << bits_ / 2) - 4 + distance) & mask();
      }
      default: {
        const uint64_t reach = use.profile == ValueProfile::kIntegers ? 4 : is_signed ? 7 : 15;
        const uint64_t up = std::min(max, reach);
        if (!is_signed) return digits.Draw(up + 1);
        const uint64_t wanted = use.profile == ValueProfile::kIntegers ? 4 : 8;
        const uint64_t down = std::min(max + 1, wanted);
        return Integer(Int(digits.Draw(up + down + 1)) - Int(down));
      }
    }
  }

  ElementType type_;
  int bits_;
  const FloatFormat* format_ = nullptr;
  int64_t top_ = 0;   // the largest finite pattern
  uint64_t one_ = 0;  // 2^significand bits
};

// A symmetric (Hermitian) matrix with small integers beside a dominant diagonal.
uint64_t DefiniteElement(const Part& part, const ProfileUse& use, const Shape& shape, int64_t parts,
                         int64_t index, int64_t which) {
  const int64_t n = shape.dimension(shape.rank() - 1);
  const int64_t matrix = index / (n * n), row = index / n % n, column = index % n;
  if (row == column) {
    return which == 1 ? 0 : part.Small(int64_t{1} << absl::bit_width(static_cast<uint64_t>(n)));
  }
  const int64_t mirrored = matrix * n * n + std::min(row, column) * n + std::max(row, column);
  const uint64_t word = RandomWord(use.seed, static_cast<uint64_t>(parts * mirrored + which));
  const int64_t value = static_cast<int64_t>(word % 3) - 1;
  return part.Small(which == 1 && row > column ? -value : value);
}

// Fills a literal with element(i, which): its parts, 0 and for complex numbers 1.
template <typename ElementOf>
void FillParts(Literal* literal, ElementOf element_of) {
  const bool complex = IsComplex(literal->element_type());
  const ElementArray<std::byte> elements(literal->element_type(), literal->mutable_data());
  for (int64_t i = 0; i < literal->element_count(); ++i) {
    elements.Store({element_of(i, 0), complex ? element_of(i, 1) : 0}, i);
  }
}

// The elements of a profile that are drawn one by one.
void FillDrawn(const Part& part, const ProfileUse& use, Literal* literal) {
  const Shape& shape = literal->shape();
  const int64_t parts = IsComplex(literal->element_type()) ? 2 : 1;
  const auto word = [&](int64_t i, int64_t which) {
    return RandomWord(use.seed, static_cast<uint64_t>(parts * i + which));
  };
  switch (use.profile) {
    case ValueProfile::kCancellation:
      return FillParts(literal, [&](int64_t i, int64_t which) {
        return part.DrawCancelling(i % 2 == 1, word(i - i % 2, which), word(i, which));
      });
    case ValueProfile::kDuplicates:
      return FillParts(literal, [&](int64_t i, int64_t which) {
        const uint64_t shared = kSharedWords + static_cast<uint64_t>(parts) * (word(i, 0) % 4);
        return part.Draw(use, RandomWord(use.seed, shared + static_cast<uint64_t>(which)));
      });
    case ValueProfile::kDefinite:
      return FillParts(literal, [&](int64_t i, int64_t which) {
        return DefiniteElement(part, use, shape, parts, i, which);
      });
    case ValueProfile::kRange: {
      const Part::Range real = part.RangeBetween(*use.from, *use.to);
      const Part::Range imaginary =
          use.imag_from ? part.RangeBetween(*use.imag_from, *use.imag_to) : real;
      return FillParts(literal, [&](int64_t i, int64_t which) {
        return part.DrawBetween(which == 1 ? imaginary : real, word(i, which));
      });
    }
    default:
      return FillParts(literal, [&](int64_t i, int64_t which) {  //
        return part.Draw(use, word(i, which));
      });
  }
}

void FillSpecial(const ProfileUse& use, Literal* literal) {
  const ElementType type = literal->element_type();
  const std::vector<uint64_t> values = SpecialPatterns(Info(type).component);
  const uint64_t size = values.size();
  for (int64_t i = 0; i < literal->element_count(); ++i) {
    const uint64_t at = static_cast<uint64_t>(i) / use.stride;
    Element element{values[at % size]};
    if (IsComplex(type)) element.imag = values[at / size % size];
    literal->Set(i, element);
  }
}

void FillAll(const ProfileUse& use, Literal* literal) {
  const uint64_t mask = Mask(Info(literal->element_type()).bits);
  for (int64_t i = 0; i < literal->element_count(); ++i) {
    literal->Set(i, {(static_cast<uint64_t>(i) / use.stride + use.offset) & mask});
  }
}

void FillSorted(const Part& part, const ProfileUse& use, Literal* literal) {
  std::vector<std::pair<int64_t, uint64_t>> values(literal->element_count());
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t value = part.Draw(use, RandomWord(use.seed, i));
    values[i] = {part.Key(value), value};
  }
  std::sort(values.begin(), values.end());
  const ElementArray<std::byte> elements(literal->element_type(), literal->mutable_data());
  for (size_t i = 0; i < values.size(); ++i) {
    elements.Store({values[i].second}, static_cast<int64_t>(i));
  }
}

void FillUniqueValues(const Part& part, const ProfileUse& use, Literal* literal) {
  const auto n = static_cast<uint64_t>(literal->element_count());
  std::vector<std::pair<uint64_t, uint64_t>> order(n);
  for (uint64_t i = 0; i < n; ++i) order[i] = {RandomWord(use.seed, i), i};
  std::sort(order.begin(), order.end());
  for (uint64_t rank = 0; rank < n; ++rank) {
    const uint64_t count = part.count();
    const uint64_t step = count / n;
    const uint64_t place = step == 0 ? rank % count : rank * step + step / 2;
    literal->Set(static_cast<int64_t>(order[rank].second), {part.Ranked(place)});
  }
}

absl::Status NoValues(const ProfileUse& use, const Shape& shape, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("profile ", Info(use.profile).name,
                                                 " does not make ", shape.ToString(), ": ", why));
}

absl::Status CheckRange(const ProfileUse& use, const Shape& shape) {
  if (!use.from || !use.to) return NoValues(use, shape, "it needs from= and to=");
  if (use.imag_from.has_value() != use.imag_to.has_value()) {
    return NoValues(use, shape, "imag_from= and imag_to= stand together");
  }
  if (!Info(Info(shape.element_type()).component).format->has_sign) {
    return NoValues(use, shape, "it has no values of this type");
  }
  if (*use.from > *use.to || use.imag_from.value_or(0) > use.imag_to.value_or(0)) {
    return NoValues(use, shape, "a range begins above its end");
  }
  if (use.imag_from && !IsComplex(shape.element_type())) {
    return NoValues(use, shape, "the type has no imaginary part");
  }
  return absl::OkStatus();
}

absl::Status CheckIndices(const ProfileUse& use, const Shape& shape) {
  if (!use.low || !use.high) return NoValues(use, shape, "it needs low= and high=");
  const ElementType type = shape.element_type();
  const bool is_signed = IsSigned(type);
  const int64_t min = is_signed ? MinSigned(type) : 0;
  const uint64_t max = is_signed ? static_cast<uint64_t>(MaxSigned(type)) : MaxUnsigned(type);
  if (*use.low > *use.high) return NoValues(use, shape, "low is above high");
  if (*use.low < min || (*use.high > 0 && static_cast<uint64_t>(*use.high) > max)) {
    return NoValues(use, shape,
                    absl::StrCat("the type does not reach ", *use.low, " to ", *use.high));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Span<const ValueProfileInfo> ValueProfiles() { return kRows; }

const ValueProfileInfo& Info(ValueProfile profile) { return kRows[static_cast<int>(profile)]; }

std::optional<ValueProfile> ValueProfileFromName(absl::string_view name) {
  for (const ValueProfileInfo& row : kRows) {
    if (row.name == name) return row.profile;
  }
  return std::nullopt;
}

// The shortest decimal that is read as this number.
std::string DecimalText(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), end.ptr);
}

std::string ParametersText(const ProfileUse& use) {
  std::string text;
  const ProfileUse defaults;
  if (use.seed != defaults.seed) absl::StrAppend(&text, " seed=", use.seed);
  if (use.stride != defaults.stride) absl::StrAppend(&text, " stride=", use.stride);
  if (use.offset != defaults.offset) absl::StrAppend(&text, " offset=", use.offset);
  if (use.low) absl::StrAppend(&text, " low=", *use.low);
  if (use.high) absl::StrAppend(&text, " high=", *use.high);
  if (use.keep) absl::StrAppend(&text, " keep=", *use.keep);
  if (use.from) absl::StrAppend(&text, " from=", DecimalText(*use.from));
  if (use.to) absl::StrAppend(&text, " to=", DecimalText(*use.to));
  if (use.imag_from) absl::StrAppend(&text, " imag_from=", DecimalText(*use.imag_from));
  if (use.imag_to) absl::StrAppend(&text, " imag_to=", DecimalText(*use.imag_to));
  return text;
}

absl::Status SetParameter(absl::string_view name, absl::string_view text, ProfileUse* use) {
  const auto set = [text](auto read, auto* target) {
    auto value = std::decay_t<decltype(*target)>();
    if (!read(text, &value)) {
      const bool real = std::is_same_v<decltype(value), std::optional<double>>;
      return absl::InvalidArgumentError(
          absl::StrCat("'", text, "' is not a ", real ? "finite" : "whole", " number in range"));
    }
    *target = value;
    return absl::OkStatus();
  };
  const auto whole = [](absl::string_view digits, auto* value) {
    return absl::SimpleAtoi(digits, value);
  };
  const auto optional_whole = [](absl::string_view digits, std::optional<int64_t>* value) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(digits, &number)) return false;
    *value = number;
    return true;
  };
  const auto decimal = [](absl::string_view digits, std::optional<double>* value) {
    double number = 0;
    if (!absl::SimpleAtod(digits, &number) || !std::isfinite(number)) return false;
    *value = number;
    return true;
  };
  if (name == "seed") return set(whole, &use->seed);
  if (name == "stride") return set(whole, &use->stride);
  if (name == "offset") return set(whole, &use->offset);
  if (name == "low") return set(optional_whole, &use->low);
  if (name == "high") return set(optional_whole, &use->high);
  if (name == "keep") return set(optional_whole, &use->keep);
  if (name == "from") return set(decimal, &use->from);
  if (name == "to") return set(decimal, &use->to);
  if (name == "imag_from") return set(decimal, &use->imag_from);
  if (name == "imag_to") return set(decimal, &use->imag_to);
  return absl::InvalidArgumentError(absl::StrCat("there is no parameter '", name, "'"));
}

absl::Status CheckProfile(const ProfileUse& use, const Shape& shape) {
  const ElementType type = shape.element_type();
  if (!shape.is_array() || !Info(use.profile).types.Contains(type)) {
    return NoValues(use, shape, "it has no values of this type");
  }
  if (use.stride == 0) return NoValues(use, shape, "stride is 0");
  const ElementType component = Info(type).component;
  switch (use.profile) {
    case ValueProfile::kIndices:
      return CheckIndices(use, shape);
    case ValueProfile::kRange:
      return CheckRange(use, shape);
    case ValueProfile::kTies: {
      const int significand = Info(component).format->significand_bits;
      if (significand == 0) return NoValues(use, shape, "it has no values of this type");
      if (use.keep && (*use.keep < 0 || *use.keep >= significand)) {
        return NoValues(use, shape, absl::StrCat("keep lies in 0 to ", significand - 1));
      }
      return absl::OkStatus();
    }
    case ValueProfile::kDefinite: {
      const int64_t rank = shape.rank();
      if (!Info(component).format->has_sign) {
        return NoValues(use, shape, "it has no values of this type");
      }
      if (rank < 2 || shape.dimension(rank - 1) != shape.dimension(rank - 2)) {
        return NoValues(use, shape, "it makes square matrices");
      }
      return absl::OkStatus();
    }
    default:
      return absl::OkStatus();
  }
}

absl::StatusOr<Literal> MakeValues(const ProfileUse& use, const Shape& shape, int64_t max_bytes) {
  if (absl::Status status = CheckProfile(use, shape); !status.ok()) return status;
  absl::StatusOr<Literal> literal = Literal::Create(shape, max_bytes);
  if (!literal.ok()) return literal.status();
  const ElementType type = shape.element_type();
  const Part part(Info(type).component);
  if (use.profile == ValueProfile::kAll) {
    FillAll(use, &*literal);
  } else if (use.profile == ValueProfile::kSpecial) {
    FillSpecial(use, &*literal);
  } else if (use.profile == ValueProfile::kSorted) {
    FillSorted(part, use, &*literal);
  } else if (use.profile == ValueProfile::kUnique) {
    FillUniqueValues(part, use, &*literal);
  } else {
    FillDrawn(part, use, &*literal);
  }
  return literal;
}

std::vector<uint64_t> SpecialPatterns(ElementType type) {
  std::vector<uint64_t> all;
  const int bits = Info(type).bits;
  if (!IsFloat(type)) {
    const uint64_t half = uint64_t{1} << (bits - 1);
    const auto width = static_cast<uint64_t>(bits);
    for (uint64_t value :
         {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, uint64_t{2}, ~uint64_t{1}, uint64_t{3},
          ~uint64_t{2}, width - 1, width, width + 1, half, half + 1, half - 1}) {
      all.push_back(value & Mask(bits));
    }
  } else {
    const FloatFormat& format = *Info(type).format;
    const int significand = format.significand_bits;
    const uint64_t unit = uint64_t{1} << significand;
    const uint64_t one = static_cast<uint64_t>(format.bias) << significand;
    std::vector<uint64_t> magnitudes = {
        0,   1,       unit - 1,       unit,       one - 1,
        one, one + 1, one + unit / 2, one + unit, float_formats::MaxFinitePattern(format)};
    if (format.has_infinity) magnitudes.push_back(float_formats::InfinityPattern(format));
    for (uint64_t magnitude : magnitudes) {
      all.push_back(magnitude);
      if (format.has_sign && (magnitude != 0 || format.signed_zero)) {
        all.push_back(magnitude | float_formats::SignMask(format));
      }
    }
    if (format.has_nan()) all.push_back(float_formats::NanPattern(format, false));
  }
  std::vector<uint64_t> distinct;
  for (uint64_t value : all) {
    if (std::find(distinct.begin(), distinct.end(), value) == distinct.end()) {
      distinct.push_back(value);
    }
  }
  return distinct;
}

}  // namespace assay::conformance
