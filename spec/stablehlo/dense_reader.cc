#include "spec/stablehlo/dense_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/element/element.h"
#include "spec/element/narrow_bits.h"
#include "spec/stablehlo/float_text.h"
#include "spec/stablehlo/scalar_types.h"

namespace assay::stablehlo {
namespace {

constexpr std::array<int8_t, 256> MakeNibbles() {
  std::array<int8_t, 256> nibbles = {};
  for (int8_t& nibble : nibbles) nibble = -1;
  for (int i = 0; i < 10; ++i) nibbles['0' + i] = static_cast<int8_t>(i);
  for (int i = 0; i < 6; ++i) {
    nibbles['a' + i] = nibbles['A' + i] = static_cast<int8_t>(10 + i);
  }
  return nibbles;
}
constexpr std::array<int8_t, 256> kNibbles = MakeNibbles();

// Writes digits.size() / 2 bytes. False where a digit is none.
bool DecodeHex(absl::string_view digits, std::byte* out) {
  int bad = 0;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int high = kNibbles[static_cast<uint8_t>(digits[i])];
    const int low = kNibbles[static_cast<uint8_t>(digits[i + 1])];
    bad |= high | low;
    out[i / 2] = static_cast<std::byte>(high << 4 | low);
  }
  return bad >= 0;
}

}  // namespace

void NormalizeSplat(int64_t element_bytes, Attribute& dense) {
  const int64_t rest = dense.byte_count - element_bytes;
  if (dense.is_splat || element_bytes == 0 || rest < 0) return;
  // All are equal if the elements but the first are the elements but the last.
  if (std::memcmp(dense.bytes.get(), dense.bytes.get() + element_bytes, rest) != 0) return;
  dense.is_splat = true;
  dense.byte_count = element_bytes;
}

DenseReader::DenseReader(TextLexer& lexer, const Type& type) : lexer_(lexer), type_(type) {
  element_ = StorageElement(*type.types[0]);
  if (element_ != ElementType::kInvalid) element_bytes_ = Info(element_).storage_bytes;
  for (const int64_t size : type.dimensions) {
    if (__builtin_mul_overflow(elements_, size, &elements_)) {
      // Sizes of which one is zero make no elements, however large the others are.
      elements_ = std::count(type.dimensions.begin(), type.dimensions.end(), 0) > 0 ? 0 : -1;
      break;
    }
  }
}

bool DenseReader::FailAt(const char* at, absl::string_view message) {
  error_at_ = at;
  error_ = std::string(message);
  return false;
}

void DenseReader::Reserve(int64_t elements) {
  if (elements <= capacity_) return;
  capacity_ = std::max(elements, capacity_ * 2);
  if (elements_ >= 0) capacity_ = std::min(capacity_, std::max<int64_t>(elements_, 1));
  auto grown = std::make_shared_for_overwrite<std::byte[]>(capacity_ * element_bytes_);
  if (count_ > 0) std::memcpy(grown.get(), bytes_.get(), count_ * element_bytes_);
  bytes_ = std::move(grown);
}

std::byte* DenseReader::NextElement() {
  if (count_ == capacity_) Reserve(count_ + 1);
  return bytes_.get() + count_++ * element_bytes_;
}

bool DenseReader::Read(const char* close, Attribute& dense) {
  close_ = close;
  if (element_ == ElementType::kInvalid) {
    return Fail("elements of this type are not supported");
  }
  if (lexer_.token().begin >= close) {
    if (elements_ != 0) return FailAt(close, "there are no elements, although the type has some");
    dense.bytes = std::make_shared<std::byte[]>(0);
    return true;
  }
  if (lexer_.Is(kString)) {
    const absl::string_view quoted = lexer_.spelling();
    if (!absl::StartsWith(quoted, "\"0x")) {
      return Fail("a string of elements must be their bytes, as \"0x..\"");
    }
    if (!ReadHex(quoted.data() + 3, quoted.substr(3, quoted.size() - 4), dense)) return false;
    lexer_.Next();
    return lexer_.token().begin >= close || Fail("expected '>' after the bytes of the elements");
  }
  if (lexer_.Is('[')) {
    // As many elements as there are characters is more than enough.
    const int64_t most = (close - lexer_.token().begin) / 2 + 1;
    if (elements_ >= 0) Reserve(std::min(elements_, most));
    if (!ReadNested(0)) return false;
    if (TooLarge() || count_ != elements_) {
      return FailAt(close, absl::StrCat("there are ", count_, " elements, but the type has ",
                                        TooLarge() ? "more" : absl::StrCat(elements_)));
    }
  } else {
    if (!ReadElement()) return false;
    dense.is_splat = true;
  }
  if (lexer_.token().begin < close) return Fail("expected '>' after the elements");
  dense.bytes = bytes_ != nullptr ? std::move(bytes_) : std::make_shared<std::byte[]>(0);
  dense.byte_count = count_ * element_bytes_;
  NormalizeSplat(element_bytes_, dense);
  return true;
}

bool DenseReader::ReadHex(const char* at, absl::string_view digits, Attribute& dense) {
  if (element_ == ElementType::kInvalid) {
    return FailAt(at, "elements of this type are not supported");
  }
  if (digits.size() % 2 != 0) return FailAt(at, "the hexadecimal digits do not make whole bytes");
  const auto size = static_cast<int64_t>(digits.size() / 2);
  const bool packed = IsPred(element_) && elements_ > 1 && size == (elements_ + 7) / 8;
  if (size == element_bytes_) {
    dense.is_splat = true;
  } else if (!packed &&
             (TooLarge() || size / element_bytes_ != elements_ || size % element_bytes_ != 0)) {
    return FailAt(at, absl::StrCat("these are ", size, " bytes, but the elements of the type take ",
                                   TooLarge() ? "more" : absl::StrCat(elements_ * element_bytes_)));
  }
  auto bytes = std::make_shared_for_overwrite<std::byte[]>(size);
  if (!DecodeHex(digits, bytes.get())) {
    const char* bad = at;
    while (kNibbles[static_cast<uint8_t>(*bad)] >= 0) ++bad;
    return FailAt(bad, "this is no hexadecimal digit");
  }
  dense.byte_count = size;
  if (packed && !dense.is_splat) {
    auto spread = std::make_shared_for_overwrite<std::byte[]>(elements_);
    for (int64_t i = 0; i < elements_; ++i) spread[i] = bytes[i / 8] >> (i % 8) & std::byte{1};
    bytes = std::move(spread);
    dense.byte_count = elements_;
  }
  ClearUnusedBits(element_, bytes.get(), dense.byte_count);
  dense.bytes = std::move(bytes);
  NormalizeSplat(element_bytes_, dense);
  return true;
}

bool DenseReader::FailLength(size_t depth, int64_t found) {
  std::vector<std::string> shape;
  for (const int64_t size : type_.dimensions) shape.push_back(absl::StrCat(size));
  return Fail(absl::StrCat("this list ends after ", found, found == 1 ? " entry" : " entries",
                           ", but dimension ", depth, " of the shape [", absl::StrJoin(shape, ", "),
                           "] has ", type_.dimensions[depth]));
}

// "[..]", whose entries are lists up to the rank of the type. The current token is "[".
bool DenseReader::ReadNested(size_t depth) {
  if (depth >= type_.dimensions.size()) {
    return Fail(absl::StrCat("the elements are nested deeper than the rank of the type, which is ",
                             type_.dimensions.size()));
  }
  constexpr size_t kDeepest = 200;
  if (depth == kDeepest) return Fail("the elements are nested too deeply");
  lexer_.Next();
  const bool innermost = depth + 1 == type_.dimensions.size();
  const int64_t size = type_.dimensions[depth];
  int64_t found = 0;
  // Empty lists of empty lists are only legal as "[]" of one dimension.
  while (!lexer_.Is(']')) {
    if (found > 0) {
      if (!lexer_.Is(',')) return Fail("expected ',' or ']' between elements");
      lexer_.Next();
    }
    if (found == size) {
      return Fail(absl::StrCat("dimension ", depth, " has ", size, " entries, here is one more"));
    }
    if (innermost) {
      if (lexer_.Is('[')) {
        return Fail(absl::StrCat("the elements are nested deeper than the rank of the type, which ",
                                 "is ", type_.dimensions.size()));
      }
      if (!ReadElement()) return false;
    } else {
      if (!lexer_.Is('[')) return Fail("expected '[', as the type has another dimension");
      if (!ReadNested(depth + 1)) return false;
    }
    ++found;
  }
  if (found != size) return FailLength(depth, found);
  lexer_.Next();
  return true;
}

bool DenseReader::ReadElement() {
  std::byte* to = NextElement();
  if (!IsComplex(element_)) return ReadPart(to);
  if (!lexer_.Is('(')) return Fail("expected a complex number, as (1.0, 2.0)");
  lexer_.Next();
  if (!ReadPart(to)) return false;
  if (!lexer_.Is(',')) return Fail("expected ',' between the parts of a complex number");
  lexer_.Next();
  if (!ReadPart(to + element_bytes_ / 2)) return false;
  if (!lexer_.Is(')')) return Fail("expected ')' after the parts of a complex number");
  lexer_.Next();
  return true;
}

bool DenseReader::ReadPart(std::byte* to) {
  const char* at = lexer_.token().begin;
  const bool negative = lexer_.Eat('-');
  const ElementType part = IsComplex(element_) ? Info(element_).component : element_;
  if (lexer_.Is(kBareId) && (lexer_.IsWord("true") || lexer_.IsWord("false"))) {
    if (!IsPred(part) || negative) {
      return FailAt(at, absl::StrCat("'", lexer_.spelling(), "' is only an element of i1"));
    }
    *to = std::byte{lexer_.spelling() == "true"};
  } else if (IsFloat(part)) {
    if (!ReadFloatPart(negative, to)) return false;
  } else if (!ReadIntegerPart(negative, to)) {
    return false;
  }
  lexer_.Next();
  return true;
}

bool DenseReader::ReadFloatPart(bool negative, std::byte* to) {
  const ElementType part = IsComplex(element_) ? Info(element_).component : element_;
  const absl::string_view spelling = lexer_.spelling();
  Element value;
  if (lexer_.Is(kFloat)) {
    double decimal;
    ReadDecimal(spelling, decimal);
    value.bits = EncodeDecimal(part, negative ? -decimal : decimal);
  } else if (lexer_.Is(kInteger) && absl::StartsWith(spelling, "0x")) {
    const int width = Info(part).bits;
    if (negative) return Fail("the bits of a float have no sign of their own");
    if (!absl::SimpleHexAtoi(spelling, &value.bits) || (width < 64 && value.bits >> width != 0)) {
      return Fail(absl::StrCat("these bits are more than the ", width, " of the type"));
    }
  } else if (lexer_.Is(kInteger)) {
    return Fail("a float needs a decimal point, or hexadecimal digits that are its bits");
  } else {
    return Fail(absl::StrCat("expected a float, found ", lexer_.DescribeToken()));
  }
  StoreElement(part, value, to, 0);
  return true;
}

bool DenseReader::ReadIntegerPart(bool negative, std::byte* to) {
  const absl::string_view spelling = lexer_.spelling();
  if (!lexer_.Is(kInteger)) {
    return Fail(absl::StrCat("expected an integer, found ", lexer_.DescribeToken()));
  }
  uint64_t value;
  const bool hexadecimal = absl::StartsWith(spelling, "0x");
  const bool read =
      hexadecimal ? absl::SimpleHexAtoi(spelling, &value) : absl::SimpleAtoi(spelling, &value);
  const int bits = Info(element_).bits;
  const uint64_t largest = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  if (negative && IsUnsigned(element_)) return Fail("an unsigned element must not be negative");
  // Without a sign, the larger half is read as the negative number of the same bits.
  if (!read || (negative ? value > uint64_t{1} << (bits - 1) : value > largest)) {
    return Fail(absl::StrCat("this number does not fit into ", bits, " bits"));
  }
  Element element;
  element.bits = EncodeInteger(element_, negative ? 0 - value : value);
  StoreElement(element_, element, to, 0);
  return true;
}

}  // namespace assay::stablehlo
