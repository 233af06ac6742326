// Elements and literals as text (hlo_text_format.md 5.4). Tests: printer_literal_test.cc.
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "spec/element/element.h"
#include "spec/text/printer_values.h"

namespace assay::printing {
namespace {

// Significant digits that tell the values of a type apart (hlo_text_format.md 4.1).
int DigitsOf(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return 5;
    case ElementType::kBF16:
      return 4;
    case ElementType::kF8E5M2:
    case ElementType::kF8E5M2FNUZ:
    case ElementType::kF8E8M0FNU:
    case ElementType::kF6E3M2FN:
    case ElementType::kF4E2M1FN:
      return 2;
    default:
      return 3;
  }
}

// The digits d.ddde+XX of a number, as to_chars writes them, in the form of %.<precision>g.
void AppendGeneral(const char* digits, const char* end, int precision, std::string* out) {
  const char* mark = end - 1;
  while (*mark != 'e') --mark;
  int exponent = 0;
  std::from_chars(mark[1] == '+' ? mark + 2 : mark + 1, end, exponent);
  if (exponent < -4 || exponent >= precision) {
    out->append(digits, end);
    return;
  }
  if (*digits == '-') out->push_back(*digits++);
  char plain[24];
  int count = 0;
  for (; digits != mark; ++digits) {
    if (*digits != '.') plain[count++] = *digits;
  }
  if (exponent < 0) {
    out->append("0.");
    out->append(-exponent - 1, '0');
    out->append(plain, count);
  } else if (count <= exponent + 1) {
    out->append(plain, count);
    out->append(exponent + 1 - count, '0');
  } else {
    out->append(plain, exponent + 1);
    out->push_back('.');
    out->append(plain + exponent + 1, count - exponent - 1);
  }
}

// The fewest digits among kFew and kMany that read back. A decimal of at most kFew digits that
// rounds to the value is the value's kFew-digit form (digits10 says so, subnormals apart), so the
// shortest form decides without reading back.
template <typename T, int kFew, int kMany>
void AppendBinary(T value, std::string* out) {
  static_assert(kFew == std::numeric_limits<T>::digits10);
  static_assert(kMany == std::numeric_limits<T>::max_digits10);
  char buffer[64];
  char* const end = buffer + sizeof(buffer);
  const T magnitude = std::abs(value);
  constexpr T kSmallInteger = 999999;
  if (magnitude <= kSmallInteger && value == static_cast<T>(static_cast<int32_t>(value))) {
    out->append(buffer, std::to_chars(buffer, end, static_cast<int32_t>(value)).ptr);
    return;
  }
  if (magnitude < std::numeric_limits<T>::min()) {
    char* stop = std::to_chars(buffer, end, value, std::chars_format::general, kFew).ptr;
    T read = 0;
    std::from_chars(buffer, stop, read);
    if (read != value) {
      stop = std::to_chars(buffer, end, value, std::chars_format::general, kMany).ptr;
    }
    out->append(buffer, stop);
    return;
  }
  char* stop = std::to_chars(buffer, end, value, std::chars_format::scientific).ptr;
  const char* mark = static_cast<const char*>(std::memchr(buffer, 'e', stop - buffer));
  // "d.dd" has one byte for the point.
  const int64_t bytes = mark - buffer - (*buffer == '-' ? 1 : 0);
  const int64_t count = bytes > 1 ? bytes - 1 : bytes;
  if (count <= kFew) return AppendGeneral(buffer, stop, kFew, out);
  stop = std::to_chars(buffer, end, value, std::chars_format::general, kMany).ptr;
  out->append(buffer, stop);
}

void AppendNan(ElementType type, uint64_t bits, std::string* out) {
  const FloatFormat& format = *Info(type).format;
  const int width = format.exponent_bits + format.significand_bits;
  if (format.has_sign && (bits >> width & 1) != 0) out->push_back('-');
  out->append("nan");
  if (format.nan != NanEncoding::kIeee) return;
  const uint64_t payload = bits & ((uint64_t{1} << format.significand_bits) - 1);
  if (payload == uint64_t{1} << (format.significand_bits - 1)) return;
  char buffer[24];
  out->append("(0x");
  out->append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), payload, 16).ptr);
  out->push_back(')');
}

void AppendFloat(ElementType type, uint64_t bits, std::string* out) {
  if (type == ElementType::kF32) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isfinite(value) && value != 0) return AppendBinary<float, 6, 9>(value, out);
  } else if (type == ElementType::kF64) {
    const auto value = std::bit_cast<double>(bits);
    if (std::isfinite(value) && value != 0) return AppendBinary<double, 15, 17>(value, out);
  }
  if (IsNan(type, bits)) return AppendNan(type, bits, out);
  if (IsInfinity(type, bits)) {
    out->append(IsNegative(type, bits) ? "-inf" : "inf");
    return;
  }
  // "-0" would be read as the integer 0 elsewhere, without its sign.
  if (IsZero(type, bits)) {
    out->append(IsNegative(type, bits) ? "-0.0" : "0");
    return;
  }
  // The two digits 5.9e-39 lie above 2^-127, and what lies above is read as 2^-126.
  if (type == ElementType::kF8E8M0FNU && bits == 0) {
    out->append("5.8e-39");
    return;
  }
  const double value = DecodeFloat(type, bits);
  constexpr double kFewDigits = 99;  // every type shows two
  if (std::abs(value) <= kFewDigits && value == std::trunc(value)) {
    return AppendInt(static_cast<int64_t>(value), out);
  }
  AppendDigits(value, DigitsOf(type), out);
}

void AppendUnsigned(uint64_t value, std::string* out) {
  char buffer[24];
  out->append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
}

// Rows of more braces than this are not written for an array that has no elements.
constexpr int64_t kMaxEmptyBraces = 4096;

// Whether the braces of an array without elements would be too many to write.
bool HasTooManyBraces(const Shape& shape) {
  int64_t braces = 1;
  for (int64_t d = 0; d + 1 < shape.rank(); ++d) {
    if (shape.dimension(d) == 0) return false;
    if (shape.dimension(d) > kMaxEmptyBraces) return true;
    braces *= shape.dimension(d);
    if (braces > kMaxEmptyBraces) return true;
  }
  return false;
}

// Arrays in one line, without recursion over the dimensions.
class ArrayPrinter {
 public:
  ArrayPrinter(const Literal& literal, std::string* out)
      : literal_(literal), shape_(literal.shape()), rank_(shape_.rank()), out_(out) {}

  void Print() {
    if (rank_ == 0) return AppendElement(literal_.element_type(), literal_.Get(0), out_);
    std::vector<int64_t> index(rank_, 0);
    int64_t level = 0;
    while (true) {
      // Go down to the next row, or to a level without elements.
      while (level < rank_ - 1 && shape_.dimension(level) > 0) {
        Open(level, index);
        index[++level] = 0;
      }
      if (level < rank_ - 1) {
        Open(level, index);
        out_->append(HasComment(level) ? "}" : " }");
      } else {
        Row();
      }
      // Go up past the levels that are done.
      while (level > 0) {
        --level;
        if (++index[level] < shape_.dimension(level)) {
          out_->append(", ");
          index[++level] = 0;
          break;
        }
        out_->append(" }");
      }
      if (level == 0) return;
    }
  }

 private:
  bool HasComment(int64_t level) const { return rank_ >= 4 && level > 0 && level < rank_ - 1; }

  void Open(int64_t level, const std::vector<int64_t>& index) {
    out_->append("{ ");
    if (!HasComment(level)) return;
    out_->append("/*i");
    AppendInt(level - 1, out_);
    out_->push_back('=');
    AppendInt(index[level - 1], out_);
    out_->append("*/ ");
  }

  void Row() {
    const int64_t count = shape_.dimension(rank_ - 1);
    const bool padded = rank_ > 1 && count > 1;
    out_->append(padded ? "{ " : "{");
    Elements(count);
    out_->append(padded ? " }" : "}");
    next_ += count;
  }

  void Elements(int64_t count) {
    const ElementType type = literal_.element_type();
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) out_->append(", ");
      const Element element = LoadElement(type, literal_.data(), next_ + i);
      if (IsPred(type)) {
        out_->push_back((element.bits & 1) != 0 ? '1' : '0');
      } else {
        AppendElement(type, element, out_);
      }
    }
  }

  const Literal& literal_;
  const Shape& shape_;
  const int64_t rank_;
  std::string* out_;
  int64_t next_ = 0;  // element
};

}  // namespace

void AppendElement(ElementType type, Element element, std::string* out) {
  switch (Info(type).element_class) {
    case ElementClass::kPred:
      return AppendBool((element.bits & 1) != 0, out);
    case ElementClass::kSigned:
      return AppendInt(DecodeSigned(type, element.bits), out);
    case ElementClass::kUnsigned:
      return AppendUnsigned(DecodeUnsigned(type, element.bits), out);
    case ElementClass::kFloat:
      return AppendFloat(type, element.bits, out);
    case ElementClass::kComplex: {
      const ElementType part = Info(type).component;
      out->push_back('(');
      AppendFloat(part, element.bits, out);
      out->append(", ");
      AppendFloat(part, element.imag, out);
      out->push_back(')');
      return;
    }
    case ElementClass::kNone:
      return;
  }
}

void AppendLiteral(const Literal& literal, std::string* out) {
  if (literal.is_tuple()) {
    out->append("( ");
    AppendJoined(literal.elements(), ", ", out,
                 [out](const Literal& element) { AppendLiteral(element, out); });
    out->append(" )");
    return;
  }
  if (!literal.is_array()) return;
  if (literal.element_count() == 0 && HasTooManyBraces(literal.shape())) {
    // No element is lost with the dots.
    out->append("{...}");
    return;
  }
  ArrayPrinter(literal, out).Print();
}

void AppendTypedLiteral(const Literal& literal, std::string* out) {
  if (literal.is_tuple()) {
    out->append("( ");
    AppendJoined(literal.elements(), ", ", out,
                 [out](const Literal& element) { AppendTypedLiteral(element, out); });
    out->append(" )");
    return;
  }
  // Without a layout the brace that follows would be read as one.
  Shape shape = literal.shape();
  shape.FillLayouts();
  shape.AppendTo(out, /*with_layout=*/true);
  out->push_back(' ');
  AppendLiteral(literal, out);
}

void AppendElided(const Shape& shape, std::string* out) {
  if (shape.is_tuple()) {
    out->append("( ");
    AppendJoined(shape.tuple_shapes(), ", ", out,
                 [out](const Shape& element) { AppendElided(element, out); });
    out->append(" )");
    return;
  }
  if (!shape.is_scalar()) {
    out->append("{...}");
  } else if (IsComplex(shape.element_type())) {
    out->append("(0, 0)");
  } else {
    // f8e8m0fnu has no zero.
    out->append(IsFloat(shape.element_type()) ? "1" : "0");
  }
}

}  // namespace assay::printing
