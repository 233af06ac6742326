// Literals from tokens, with a path of its own for long rows of plain numbers.
// Tests: literal_text_test.cc.
#include "spec/text/literal_text.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/element/element.h"

namespace assay {
namespace {

// What is wrong with a value; empty: nothing.
using Problem = std::string;

Problem OutOfRange(ElementType type, absl::string_view what) {
  return absl::StrCat(what, " is outside the range of ", Name(type));
}

Problem EncodeFinite(ElementType type, double value, uint64_t* bits) {
  *bits = EncodeFloat(type, value);
  if (!IsInfinity(type, *bits) && !IsNan(type, *bits)) return {};
  return OutOfRange(type, absl::StrCat(value));
}

// An integer token in a type of integers or pred.
Problem EncodeIntegral(ElementType type, int64_t value, uint64_t* bits) {
  if (IsPred(type)) {
    *bits = value != 0;
    return {};
  }
  *bits = EncodeInteger(type, static_cast<uint64_t>(value));
  if (IsSigned(type)) {
    if (value >= MinSigned(type) && value <= MaxSigned(type)) return {};
    return OutOfRange(type, absl::StrCat(value));
  }
  if (static_cast<uint64_t>(value) <= MaxUnsigned(type)) return {};
  return OutOfRange(type, value < 0 ? absl::StrCat(value) : absl::StrCat("the number ", value));
}

Problem EncodeNan(ElementType type, bool negative, uint64_t payload, uint64_t* bits) {
  const FloatFormat& format = *Info(type).format;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  *bits = EncodeFloat(type, std::copysign(nan, negative ? -1.0 : 1.0));
  // Types without NaN make it a zero of the other sign.
  if (!format.has_nan() && negative) *bits = 0;
  if (payload == 0) return {};
  if (format.nan != NanEncoding::kIeee) {
    return absl::StrCat(Name(type), " has no NaN payloads");
  }
  const uint64_t field = (uint64_t{1} << format.significand_bits) - 1;
  if (payload > field) {
    return absl::StrCat("the NaN payload 0x", absl::Hex(payload), " is more than the ",
                        format.significand_bits, " bits of ", Name(type));
  }
  *bits = (*bits & ~field) | payload;
  return {};
}

// A number of any form in a float type.
Problem EncodeFloatToken(ElementType type, const Token& token, uint64_t* bits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (token.kind) {
    case TokenKind::kInt: {
      const bool minus_zero = token.int_value == 0 && *token.begin == '-';
      const double value = minus_zero ? -0.0 : static_cast<double>(token.int_value);
      return EncodeFinite(type, value, bits);
    }
    case TokenKind::kDecimal:
      if (std::isnan(token.decimal_value)) {
        return EncodeNan(type, std::signbit(token.decimal_value), token.nan_payload, bits);
      }
      if (std::isinf(token.decimal_value)) return "a number beyond the range of a double";
      return EncodeFinite(type, token.decimal_value, bits);
    case TokenKind::kNegInf:
      *bits = EncodeFloat(type, -kInfinity);
      return {};
    case TokenKind::kKeyword:
      if (token.keyword == Keyword::kInf) {
        *bits = EncodeFloat(type, kInfinity);
        return {};
      }
      break;
    default:
      break;
  }
  return absl::StrCat("expected a number of type ", Name(type));
}

Problem EncodeToken(ElementType type, const Token& token, uint64_t* bits) {
  if (IsFloat(type)) return EncodeFloatToken(type, token, bits);
  if (token.kind == TokenKind::kInt) return EncodeIntegral(type, token.int_value, bits);
  if (IsPred(type) && token.kind == TokenKind::kKeyword &&
      (token.keyword == Keyword::kTrue || token.keyword == Keyword::kFalse)) {
    *bits = token.keyword == Keyword::kTrue;
    return {};
  }
  return absl::StrCat("expected ", IsPred(type) ? "true, false or an integer" : "an integer",
                      " of type ", Name(type));
}

// `problem` for the value at the current token.
absl::Status ValueError(const Lexer& lexer, absl::string_view problem) {
  const bool names_token = problem.substr(0, 8) == "expected";
  return lexer.Error(names_token ? absl::StrCat(problem, ", found ", lexer.DescribeToken())
                                 : std::string(problem));
}

// One element of any array type: a value or a complex pair.
absl::StatusOr<Element> ReadElement(Lexer& lexer, ElementType type) {
  Element element;
  const auto read = [&](ElementType part, uint64_t* bits) -> absl::Status {
    const Problem problem = EncodeToken(part, lexer.token(), bits);
    if (!problem.empty()) return ValueError(lexer, problem);
    lexer.Next();
    return absl::OkStatus();
  };
  if (!IsComplex(type)) {
    absl::Status status = read(type, &element.bits);
    if (!status.ok()) return status;
    return element;
  }
  if (!lexer.Eat(TokenKind::kLeftParen)) {
    return lexer.Expected(absl::StrCat("'(' of a value (real, imaginary) of type ", Name(type)));
  }
  const ElementType part = Info(type).component;
  absl::Status status = read(part, &element.bits);
  if (!status.ok()) return status;
  if (!lexer.Eat(TokenKind::kComma)) return lexer.Expected("',' and the imaginary part");
  status = read(part, &element.imag);
  if (!status.ok()) return status;
  if (!lexer.Eat(TokenKind::kRightParen)) return lexer.Expected("')' after the imaginary part");
  return element;
}

// The braces and elements of one array, in the order of the text.
class ArrayReader {
 public:
  ArrayReader(Lexer& lexer, Literal& literal)
      : lexer_(lexer),
        literal_(literal),
        shape_(literal.shape()),
        type_(shape_.element_type()),
        rank_(shape_.rank()),
        data_(literal.mutable_data()),
        seen_(rank_, 0) {}

  absl::Status Read() {
    if (rank_ == 0 || !lexer_.Is(TokenKind::kLeftBrace)) return ReadBareScalar();
    do {
      absl::Status status = ReadItem();
      if (!status.ok()) return misplaced_.ok() ? status : misplaced_;
    } while (level_ > 0);
    return elided_ ? absl::OkStatus() : misplaced_;
  }
  bool elided() const { return elided_; }

 private:
  // Also where an array is wanted: element 0; the others stay zero.
  absl::Status ReadBareScalar() {
    if (lexer_.Is(TokenKind::kDots)) return lexer_.Error("'...' stands between braces only");
    if (literal_.element_count() == 0) {
      return lexer_.Expected(absl::StrCat("'{' of the elements of ", shape_.ToString()));
    }
    return Store(0);
  }

  absl::Status ReadItem() {
    switch (lexer_.kind()) {
      case TokenKind::kLeftBrace:
        return Open();
      case TokenKind::kRightBrace:
        return Close();
      case TokenKind::kDots:
        if (level_ != 1) return lexer_.Error("'...' stands between the outermost braces only");
        seen_[0] = shape_.dimension(0);
        elided_ = literal_.element_count() > 0;
        lexer_.Next();
        return absl::OkStatus();
      case TokenKind::kComma:
        lexer_.Next();
        return absl::OkStatus();
      case TokenKind::kEnd:
        return lexer_.Expected(absl::StrCat("the '}' of a literal of ", shape_.ToString()));
      default:
        break;
    }
    if (level_ != rank_) return ReadMisplaced();
    if (misplaced_count_ > 0 && IsFull()) return misplaced_;
    absl::Status status = Count(rank_ - 1);
    if (!status.ok()) return status;
    status = Store(next_++);
    if (!status.ok()) return status;
    ReadPlainNumbers();
    return absl::OkStatus();
  }

  // An element outside the innermost braces counts in no dimension and is not kept. XLA's reader
  // refuses complex ones; others are wrong only where none are left out, which shows later.
  absl::Status ReadMisplaced() {
    if (misplaced_.ok()) {
      misplaced_ =
          lexer_.Error(absl::StrCat("an element at ", level_, " braces; ", shape_.ToString(),
                                    " has its elements inside ", rank_));
    }
    if (IsComplex(type_) || IsFull()) return misplaced_;
    ++misplaced_count_;
    return ReadElement(lexer_, type_).status();
  }

  bool IsFull() const { return next_ + misplaced_count_ >= literal_.element_count(); }

  absl::Status Open() {
    if (level_ == rank_) {
      return lexer_.Error(absl::StrCat("more braces inside each other than the ", rank_,
                                       " dimensions of ", shape_.ToString()));
    }
    if (level_ > 0) {
      absl::Status status = Count(level_ - 1);
      if (!status.ok()) return status;
    }
    ++level_;
    lexer_.Next();
    return absl::OkStatus();
  }

  absl::Status Close() {
    const int64_t dimension = --level_;
    if (seen_[dimension] != shape_.dimension(dimension)) {
      return lexer_.Error(absl::StrCat("dimension ", dimension, " of ", shape_.ToString(), " has ",
                                       shape_.dimension(dimension), " elements, found ",
                                       seen_[dimension]));
    }
    seen_[dimension] = 0;
    lexer_.Next();
    return absl::OkStatus();
  }

  // One more element or brace in a dimension.
  absl::Status Count(int64_t dimension) {
    if (seen_[dimension] < shape_.dimension(dimension)) {
      ++seen_[dimension];
      return absl::OkStatus();
    }
    return lexer_.Error(absl::StrCat("dimension ", dimension, " of ", shape_.ToString(),
                                     " has no more than ", shape_.dimension(dimension),
                                     " elements"));
  }

  absl::Status Store(int64_t index) {
    absl::StatusOr<Element> element = ReadElement(lexer_, type_);
    if (!element.ok()) return element.status();
    StoreElement(type_, *element, data_, index);
    return absl::OkStatus();
  }

  // From a comma on: as many elements of this row as are plain numbers, by way of the bytes of the
  // text. Whatever is out of the ordinary (comments, NaN, errors) is left to the tokens.
  void ReadPlainNumbers() {
    if (!lexer_.Is(TokenKind::kComma) || IsComplex(type_) || misplaced_count_ > 0) return;
    const absl::string_view rest = lexer_.rest();
    const char* at = rest.data();
    const char* const end = at + rest.size();
    const char* taken = at;  // behind the last comma whose element is stored before it
    const int64_t row = shape_.dimension(rank_ - 1);
    while (seen_[rank_ - 1] < row) {
      at = SkipBlanks(at, end);
      uint64_t bits;
      at = IsFloat(type_) ? PlainFloat(at, end, &bits) : PlainInteger(at, end, &bits);
      if (at == nullptr) break;
      at = SkipBlanks(at, end);
      if (at == end || *at != ',') break;
      taken = ++at;
      StoreElement(type_, {bits, 0}, data_, next_++);
      ++seen_[rank_ - 1];
    }
    Token comma = lexer_.token();
    comma.end = taken;
    lexer_.Restore(comma);
  }

  static const char* SkipBlanks(const char* at, const char* end) {
    while (at != end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) ++at;
    return at;
  }

  static bool IsDigit(const char* at, const char* end) {
    return at != end && *at >= '0' && *at <= '9';
  }

  // A number of at most 18 digits; the byte behind it, or null. *negative is whether there is a
  // '-'.
  static const char* ShortInteger(const char* at, const char* end, int64_t* value, bool* negative) {
    *negative = at != end && *at == '-';
    if (*negative) ++at;
    const char* const digits = at;
    int64_t magnitude = 0;
    while (IsDigit(at, end) && at - digits < 18) magnitude = magnitude * 10 + (*at++ - '0');
    if (at == digits || IsDigit(at, end)) return nullptr;
    *value = *negative ? -magnitude : magnitude;
    return at;
  }

  static bool EndsPlainly(const char* at, const char* end) {
    return at != end && (*at == ',' || *at == ' ' || *at == '\n');
  }

  const char* PlainInteger(const char* at, const char* end, uint64_t* bits) const {
    int64_t value = 0;
    bool negative = false;
    at = ShortInteger(at, end, &value, &negative);
    if (at == nullptr || !EndsPlainly(at, end)) return nullptr;
    if (IsPred(type_)) {
      *bits = value != 0;
      return at;
    }
    const int surplus = 64 - Info(type_).bits;
    *bits = EncodeInteger(type_, static_cast<uint64_t>(value));
    const int64_t back = IsSigned(type_) ? static_cast<int64_t>(*bits << surplus) >> surplus
                                         : static_cast<int64_t>(*bits);
    // A negative number in an unsigned type is the tokens' matter.
    return back == value && !(negative && !IsSigned(type_)) ? at : nullptr;
  }

  const char* PlainFloat(const char* at, const char* end, uint64_t* bits) const {
    int64_t integer = 0;
    bool negative = false;
    const char* stop = ShortInteger(at, end, &integer, &negative);
    double value = static_cast<double>(integer);
    if (stop == nullptr || !EndsPlainly(stop, end)) {
      // Not the words inf and nan, and no number that begins with its point.
      if (!IsDigit(at != end && *at == '-' ? at + 1 : at, end)) return nullptr;
      const std::from_chars_result result = std::from_chars(at, end, value);
      if (result.ec != std::errc() || !EndsPlainly(result.ptr, end)) return nullptr;
      stop = result.ptr;
    } else if (negative && integer == 0) {
      value = -0.0;
    }
    if (type_ == ElementType::kF32) {
      const auto narrow = static_cast<float>(value);
      uint32_t pattern;
      std::memcpy(&pattern, &narrow, sizeof(pattern));
      *bits = pattern;
      return std::isfinite(narrow) ? stop : nullptr;
    }
    *bits = EncodeFloat(type_, value);
    return IsInfinity(type_, *bits) || IsNan(type_, *bits) ? nullptr : stop;
  }

  Lexer& lexer_;
  Literal& literal_;
  const Shape& shape_;
  const ElementType type_;
  const int64_t rank_;
  std::byte* const data_;
  std::vector<int64_t> seen_;  // elements or braces so far in the open brace of each dimension
  int64_t level_ = 0;          // open braces
  int64_t next_ = 0;           // element
  bool elided_ = false;
  absl::Status misplaced_;  // the first element outside the innermost braces
  int64_t misplaced_count_ = 0;
};

// Reads `{...}` and says so, without a look at how many elements that would be.
bool EatElided(Lexer& lexer, const Shape& shape) {
  if (shape.rank() == 0 || !lexer.Is(TokenKind::kLeftBrace)) return false;
  const Token start = lexer.token();
  if (lexer.Next() == TokenKind::kDots && lexer.Next() == TokenKind::kRightBrace) {
    lexer.Next();
    return true;
  }
  lexer.Restore(start);
  return false;
}

absl::StatusOr<Literal> ReadArray(Lexer& lexer, Shape shape, LiteralReadState* state) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_unbounded_dimension(d)) {
      return lexer.Error(
          absl::StrCat("a constant needs the size of every dimension, not ", shape.ToString()));
    }
    shape.set_dynamic_dimension(d, false);
  }
  const absl::StatusOr<int64_t> count = shape.ElementCount();
  const bool has_elements = !count.ok() || *count > 0;
  if (EatElided(lexer, shape)) {
    state->elided = state->elided || has_elements;
    return has_elements ? Literal() : Literal::Zeros(shape);
  }
  const absl::StatusOr<int64_t> bytes = shape.ByteSize();
  if (!bytes.ok()) return lexer.Error(bytes.status().message());
  if (*bytes > state->bytes_left) {
    return absl::ResourceExhaustedError(
        lexer
            .Error(absl::StrCat("a constant of shape ", shape.ToString(), " takes ", *bytes,
                                " bytes, more than the ", state->bytes_left, " left for constants"))
            .message());
  }
  absl::StatusOr<Literal> literal = Literal::Create(shape, state->bytes_left);
  if (!literal.ok()) return literal;
  state->bytes_left -= *bytes;
  ArrayReader reader(lexer, *literal);
  absl::Status status = reader.Read();
  if (!status.ok()) return status;
  state->elided = state->elided || reader.elided();
  return literal;
}

absl::StatusOr<Literal> ReadTuple(Lexer& lexer, const Shape& shape, LiteralReadState* state) {
  NestingScope nesting(lexer);
  if (!nesting.status().ok()) return nesting.status();
  if (!lexer.Eat(TokenKind::kLeftParen)) {
    return lexer.Expected(absl::StrCat("'(' of a literal of shape ", shape.ToString()));
  }
  std::vector<Literal> elements;
  elements.reserve(shape.tuple_shapes().size());
  if (lexer.Is(TokenKind::kRightParen)) {
    // `()` stands for elements that are empty tuples, whatever the shape says.
    lexer.Next();
    for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
      elements.push_back(Literal::Tuple({}));
    }
    return Literal::Tuple(std::move(elements));
  }
  for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
    if (i > 0) lexer.Eat(TokenKind::kComma);
    absl::StatusOr<Literal> element = ReadLiteral(lexer, shape.tuple_shapes()[i], state);
    if (!element.ok()) return element;
    elements.push_back(*std::move(element));
  }
  if (!lexer.Eat(TokenKind::kRightParen)) {
    return lexer.Expected(absl::StrCat("')' after the ", shape.tuple_shapes().size(),
                                       " elements of a tuple literal"));
  }
  return Literal::Tuple(std::move(elements));
}

}  // namespace

absl::StatusOr<Literal> ReadLiteral(Lexer& lexer, const Shape& shape, LiteralReadState* state) {
  if (shape.is_tuple()) return ReadTuple(lexer, shape, state);
  if (shape.has_layout() && !IsPermutation(shape.layout()->minor_to_major, shape.rank())) {
    return lexer.Error(absl::StrCat("the layout of ", shape.ToString(/*with_layout=*/true),
                                    " does not name every dimension once"));
  }
  if (shape.is_array()) return ReadArray(lexer, shape, state);
  return lexer.Error(absl::StrCat("there are no literals of ", shape.ToString()));
}

}  // namespace assay
