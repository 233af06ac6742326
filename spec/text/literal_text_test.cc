// Literals as text, both ways. Expected patterns come from hlo_text_format.md 5 and 10.1 (E7, E8,
// E9), from the definitions of the formats, and for the narrow types from every pattern there is.
#include "spec/text/literal_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/element/element.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Shape Array(ElementType type, std::vector<int64_t> dimensions) { return Shape(type, dimensions); }

absl::StatusOr<Literal> Read(absl::string_view text, const Shape& shape,
                             LiteralReadState* state = nullptr) {
  LiteralReadState own;
  Lexer lexer(text);
  absl::StatusOr<Literal> literal = ReadLiteral(lexer, shape, state == nullptr ? &own : state);
  if (literal.ok() && !lexer.Is(TokenKind::kEnd)) return lexer.Expected("the end");
  return literal;
}

std::vector<uint64_t> Bits(absl::string_view text, ElementType type, int64_t count) {
  absl::StatusOr<Literal> literal = Read(text, Array(type, {count}));
  EXPECT_TRUE(literal.ok()) << text << ": " << literal.status();
  std::vector<uint64_t> bits;
  for (int64_t i = 0; literal.ok() && i < count; ++i) bits.push_back(literal->Get(i).bits);
  return bits;
}

std::string Reprint(absl::string_view text, const Shape& shape) {
  absl::StatusOr<Literal> literal = Read(text, shape);
  return literal.ok() ? PrintLiteral(*literal) : literal.status().ToString();
}

std::string ErrorOf(absl::string_view text, const Shape& shape) {
  absl::StatusOr<Literal> literal = Read(text, shape);
  return literal.ok() ? "none" : std::string(literal.status().message());
}

TEST(ReadLiteral, ReadsTheExamplesOfEveryElementType) {
  using enum ElementType;
  EXPECT_THAT(Bits("{true, 0, 1}", kPred, 3), ElementsAre(1, 0, 1));
  EXPECT_THAT(Bits("{7, -1, false}", kPred, 3), ElementsAre(1, 1, 0));
  EXPECT_THAT(Bits("{-1, 0}", kS1, 2), ElementsAre(1, 0));
  EXPECT_THAT(Bits("{-2, 1}", kS2, 2), ElementsAre(2, 1));
  EXPECT_THAT(Bits("{-8, 7}", kS4, 2), ElementsAre(8, 7));
  EXPECT_THAT(Bits("{-128, 127}", kS8, 2), ElementsAre(0x80, 0x7f));
  EXPECT_THAT(Bits("{-32768, 32767}", kS16, 2), ElementsAre(0x8000, 0x7fff));
  EXPECT_THAT(Bits("{-2147483648}", kS32, 1), ElementsAre(0x80000000));
  EXPECT_THAT(Bits("{-9223372036854775808, 9223372036854775807, 18446744073709551615}", kS64, 3),
              ElementsAre(0x8000000000000000, 0x7fffffffffffffff, 0xffffffffffffffff));
  EXPECT_THAT(Bits("{0, 1}", kU1, 2), ElementsAre(0, 1));
  EXPECT_THAT(Bits("{3}", kU2, 1), ElementsAre(3));
  EXPECT_THAT(Bits("{15}", kU4, 1), ElementsAre(15));
  EXPECT_THAT(Bits("{255}", kU8, 1), ElementsAre(255));
  EXPECT_THAT(Bits("{65535}", kU16, 1), ElementsAre(65535));
  EXPECT_THAT(Bits("{4294967295}", kU32, 1), ElementsAre(4294967295));
  EXPECT_THAT(Bits("{18446744073709551615, -1, 0}", kU64, 3),
              ElementsAre(0xffffffffffffffff, 0xffffffffffffffff, 0));
  EXPECT_THAT(Bits("{65504, -0, 6.1e-5, inf, 65519}", kF16, 5),
              ElementsAre(0x7bff, 0x8000, 0x03ff, 0x7c00, 0x7bff));
  EXPECT_THAT(Bits("{3.39e+38, -1.5, nan}", kBF16, 3), ElementsAre(0x7f7f, 0xbfc0, 0x7fc0));
  EXPECT_THAT(Bits("{1., -.5, 1e-45, 3.4028235e38, -inf}", kF32, 5),
              ElementsAre(0x3f800000, 0xbf000000, 1, 0x7f7fffff, 0xff800000));
  EXPECT_THAT(Bits("{1.7976931348623157e+308, 0.1}", kF64, 2),
              ElementsAre(0x7fefffffffffffff, 0x3fb999999999999a));
  EXPECT_THAT(Bits("{57344, -inf}", kF8E5M2, 2), ElementsAre(0x7b, 0xfc));
  EXPECT_THAT(Bits("{240, nan}", kF8E4M3, 2), ElementsAre(0x77, 0x7c));
  EXPECT_THAT(Bits("{15.5}", kF8E3M4, 1), ElementsAre(0x6f));
  EXPECT_THAT(Bits("{448, nan, -nan, 464}", kF8E4M3FN, 4), ElementsAre(0x7e, 0x7f, 0xff, 0x7e));
  EXPECT_THAT(Bits("{240, -nan, nan}", kF8E4M3FNUZ, 3), ElementsAre(0x7f, 0x80, 0x80));
  EXPECT_THAT(Bits("{30, -nan}", kF8E4M3B11FNUZ, 2), ElementsAre(0x7f, 0x80));
  EXPECT_THAT(Bits("{57344}", kF8E5M2FNUZ, 1), ElementsAre(0x7f));
  EXPECT_THAT(Bits("{0.5, 1024, nan, 1e-60}", kF8E8M0FNU, 4), ElementsAre(126, 137, 255, 0));
  EXPECT_THAT(Bits("{28}", kF6E3M2FN, 1), ElementsAre(0x1f));
  EXPECT_THAT(Bits("{7.5}", kF6E2M3FN, 1), ElementsAre(0x1f));
  EXPECT_THAT(Bits("{0.5, -6, 1.5, 0, 100}", kF4E2M1FN, 5), ElementsAre(1, 15, 3, 0, 7));
}

TEST(ReadLiteral, ComplexPartsAreIndependent) {
  absl::StatusOr<Literal> literal =
      Read("{(1, -2.5), (-inf, 0), (nan, 3)}", Array(ElementType::kC64, {3}));
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(literal->Get(0), (Element{0x3f800000, 0xc0200000}));
  EXPECT_EQ(literal->Get(1), (Element{0xff800000, 0}));
  EXPECT_EQ(literal->Get(2), (Element{0x7fc00000, 0x40400000}));
  literal = Read("(1e300, -0)", Array(ElementType::kC128, {}));
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(literal->Get(0), (Element{std::bit_cast<uint64_t>(1e300), uint64_t{1} << 63}));
}

TEST(ReadLiteral, NanPayloadsAreTheRawSignificand) {
  using enum ElementType;
  EXPECT_THAT(Bits("{nan, -nan(0x400001), nan(0x1)}", kF32, 3),
              ElementsAre(0x7fc00000, 0xffc00001, 0x7f800001));
  EXPECT_THAT(Bits("{nan(0x55), -nan(0x2A)}", kBF16, 2), ElementsAre(0x7fd5, 0xffaa));
  EXPECT_THAT(Bits("{nan(0xFFFFFFFFFFFFF)}", kF64, 1), ElementsAre(0x7fffffffffffffff));
  EXPECT_THAT(Bits("{nan(0x3), nan}", kF8E5M2, 2), ElementsAre(0x7f, 0x7e));
  EXPECT_THAT(ErrorOf("nan(0x80)", Array(kBF16, {})), HasSubstr("7 bits of bf16"));
  EXPECT_THAT(ErrorOf("nan(0x1)", Array(kF8E4M3FN, {})), HasSubstr("no NaN payloads"));
}

TEST(ReadLiteral, TypesWithoutInfinityOrNanTakeWhatConversionGives) {
  using enum ElementType;
  EXPECT_THAT(Bits("{inf, -inf}", kF8E4M3FN, 2), ElementsAre(0x7f, 0xff));
  EXPECT_THAT(Bits("{inf, -inf, nan, -nan}", kF4E2M1FN, 4), ElementsAre(7, 15, 8, 0));
}

TEST(ReadLiteral, ABareScalarSetsTheFirstElement) {
  EXPECT_THAT(Bits("5", ElementType::kS32, 3), ElementsAre(5, 0, 0));
  EXPECT_EQ(Reprint("0", Array(ElementType::kS32, {2, 2})), "{ { 0, 0 }, { 0, 0 } }");
  EXPECT_THAT(ErrorOf("0", Array(ElementType::kS32, {0})), HasSubstr("'{'"));
}

TEST(ReadLiteral, CommasMayBeMissingOrTooMany) {
  EXPECT_THAT(Bits("{,1 2,, 3,}", ElementType::kS32, 3), ElementsAre(1, 2, 3));
  EXPECT_EQ(Reprint("{{1 2}{3,4,},}", Array(ElementType::kS32, {2, 2})), "{ { 1, 2 }, { 3, 4 } }");
  const Shape tuple = Shape::Tuple({Array(ElementType::kS32, {}), Array(ElementType::kS32, {1})});
  EXPECT_EQ(Reprint("(1 {2})", tuple), "( 1, {2} )");
  EXPECT_THAT(ErrorOf("(1, {2},)", tuple), HasSubstr("')'"));
}

TEST(ReadLiteral, CommentsAndLinesMeanNothing) {
  const Shape shape = Array(ElementType::kF32, {1, 2, 1, 2});
  const std::string canonical = "{ { /*i0=0*/ { /*i1=0*/ { 1, 2.5 } }, { /*i1=1*/ { 3, 4 } } } }";
  EXPECT_EQ(Reprint(canonical, shape), canonical);
  EXPECT_EQ(Reprint("{{\n{{1,2.5}},// x\n{{3/**/,4}\n}}}", shape), canonical);
}

TEST(ReadLiteral, BoundedDynamicDimensionsTakeTheirBound) {
  Shape shape = Array(ElementType::kF32, {3});
  shape.set_dynamic_dimension(0, true);
  absl::StatusOr<Literal> literal = Read("{1, 2, 3}", shape);
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(literal->shape().ToString(), "f32[3]");
  EXPECT_THAT(ErrorOf("{1}", Array(ElementType::kF32, {Shape::kUnbounded})),
              HasSubstr("size of every dimension"));
}

TEST(ReadLiteral, DotsStandForElements) {
  const auto elided = [](absl::string_view text, const Shape& shape) {
    LiteralReadState state;
    absl::StatusOr<Literal> literal = Read(text, shape, &state);
    EXPECT_TRUE(literal.ok()) << literal.status();
    return state.elided;
  };
  const Shape square = Array(ElementType::kF32, {10, 10});
  EXPECT_TRUE(elided("{...}", square));
  EXPECT_TRUE(elided("{ {0,1,2,3,4,5,6,7,8,9}, ... }", square));
  EXPECT_TRUE(elided("{1, 2, ..., ...}", Array(ElementType::kF32, {9})));
  // Elements outside the innermost braces, once others are left out.
  EXPECT_TRUE(elided("{1, ...}", square));
  EXPECT_TRUE(elided("{..., 1}", square));
  EXPECT_TRUE(elided("{1, {2, 3}, ...}", Array(ElementType::kF32, {2, 2})));
  EXPECT_THAT(ErrorOf("{1, 2, 3, 4, 5, ...}", Array(ElementType::kF32, {2, 2})),
              HasSubstr("has its elements inside 2"));
  for (absl::string_view text : {"{1, {2, 3}, {4, 5}}", "{1, {2, 3}, {4, 5}, ...}"}) {
    EXPECT_THAT(ErrorOf(text, Array(ElementType::kF32, {2, 2})),
                HasSubstr("has its elements inside 2"));
  }
  EXPECT_THAT(ErrorOf("{(1, 2), ...}", Array(ElementType::kC64, {2, 2})),
              HasSubstr("has its elements inside 2"));
  EXPECT_TRUE(elided("(1, {...})", Shape::Tuple({Shape::Scalar(ElementType::kS32), square})));
  // Not allocated.
  EXPECT_TRUE(elided("{...}", Array(ElementType::kF32, {int64_t{1} << 40, int64_t{1} << 40})));
  // Nothing is lost here.
  EXPECT_FALSE(elided("{...}", Array(ElementType::kF32, {7, 0})));
  EXPECT_THAT(ErrorOf("{{...}}", square), HasSubstr("outermost braces"));
  EXPECT_THAT(ErrorOf("{..., 1}", Array(ElementType::kF32, {9})), HasSubstr("no more than 9"));
  EXPECT_THAT(ErrorOf("...", square), HasSubstr("between braces"));
}

TEST(ReadLiteral, RefusesWhatDoesNotFit) {
  using enum ElementType;
  const struct {
    absl::string_view text;
    Shape shape;
    absl::string_view message;
  } cases[] = {
      {"{1, 2, 3}", Array(kF32, {2}), "no more than 2 elements"},
      {"{1}", Array(kF32, {2}), "has 2 elements, found 1"},
      {"{1, 2, 3, 4}", Array(kF32, {2, 2}), "has its elements inside 2"},
      {"{{1, 2}, {3, 4}, {5, 6}}", Array(kF32, {2, 2}), "no more than 2 elements"},
      {"{{1}, {2}}", Array(kF32, {2}), "more braces"},
      {"{1}", Array(kF32, {}), "expected a number of type f32, found '{'"},
      {"128", Array(kS8, {}), "128 is outside the range of s8"},
      {"{1, -129}", Array(kS8, {2}), "-129 is outside the range of s8"},
      {"-1", Array(kU32, {}), "-1 is outside the range of u32"},
      {"{1, 4294967296, 1}", Array(kU32, {3}), "4294967296 is outside"},
      {"{1, 2}", Array(kS1, {2}), "1 is outside the range of s1"},
      {"65520", Array(kF16, {}), "65520 is outside the range of f16"},
      {"{1, 65520, 1}", Array(kF16, {3}), "65520 is outside the range of f16"},
      {"{1, 3.5e38, 1}", Array(kF32, {3}), "3.5e+38 is outside the range of f32"},
      {"465", Array(kF8E4M3FN, {}), "465 is outside"},
      {"0", Array(kF8E8M0FNU, {}), "0 is outside the range of f8e8m0fnu"},
      {"-2", Array(kF8E8M0FNU, {}), "outside"},
      {"1.0", Array(kS32, {}), "expected an integer of type s32"},
      {"{1, 2.5, 3}", Array(kS32, {3}), "expected an integer of type s32"},
      {"true", Array(kS32, {}), "expected an integer"},
      {"true", Array(kF32, {}), "expected a number"},
      {"nan", Array(kS32, {}), "expected an integer"},
      {"inf", Array(kPred, {}), "expected true, false or an integer"},
      {"1", Array(kC64, {}), "expected '('"},
      {"(1, 2)", Array(kF32, {}), "expected a number"},
      {"(1)", Array(kC64, {}), "imaginary"},
      {"{1, foo}", Array(kF32, {2}), "expected a number of type f32, found 'foo'"},
      {"{1, 1e999}", Array(kF64, {2}), "beyond the range"},
      {"{1, 2", Array(kF32, {2}), "found the end"},
      {"1", Shape::Token(), "no literals of token"},
      {"1", Shape::Opaque(), "no literals of opaque"},
      {"1", Shape::Tuple({Array(kF32, {})}), "expected '('"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(ErrorOf(c.text, c.shape), HasSubstr(std::string(c.message))) << c.text;
  }
}

TEST(ReadLiteral, ErrorsSayWhere) {
  EXPECT_THAT(ErrorOf("{1,\n2, 300}", Array(ElementType::kS8, {3})), HasSubstr("2:4"));
}

TEST(ReadLiteral, KeepsToItsBudgetBeforeAllocating) {
  LiteralReadState state;
  state.bytes_left = 40;
  const Shape shape = Array(ElementType::kF32, {8});
  EXPECT_TRUE(Read("0", shape, &state).ok());
  EXPECT_EQ(state.bytes_left, 8);
  EXPECT_EQ(Read("0", shape, &state).status().code(), absl::StatusCode::kResourceExhausted);
  const Shape huge = Array(ElementType::kF32, {int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_EQ(Read("0", huge, &state).status().code(), absl::StatusCode::kInvalidArgument);
}

// The plain path over bytes and the path over tokens must read alike: a comment in front of every
// element forces the latter.
TEST(ReadLiteral, PlainRowsReadAsTokensDo) {
  const absl::string_view numbers[] = {"0",    "-0",    "1",    "-17", "0.5",      "-0.0",  "1e-3",
                                       "1.",   "-1.e2", "127",  "2e0", "-.5",      "00012", "1E+1",
                                       "3e-2", "0.125", "-128", "6",   "0.333333", "1e2"};
  for (ElementType type : kArrayTypes) {
    if (!IsFloat(type) && !IsInteger(type)) continue;
    for (absl::string_view number : numbers) {
      const Shape shape = Array(type, {4});
      const absl::StatusOr<Literal> plain =
          Read(absl::StrCat("{1,", number, " ,", number, ",1}"), shape);
      const absl::StatusOr<Literal> tokens =
          Read(absl::StrCat("{1,/**/", number, ",/**/", number, ",/**/1}"), shape);
      ASSERT_EQ(plain.ok(), tokens.ok()) << Name(type) << " " << number << plain.status();
      if (plain.ok()) {
        EXPECT_TRUE(Literal::BitEqual(*plain, *tokens)) << Name(type) << " " << number;
      }
    }
  }
}

// Every pattern of the types of at most 16 bits is printed and read back as the same pattern.
TEST(LiteralRoundTrip, EveryNarrowPattern) {
  for (ElementType type : kArrayTypes) {
    const int bits = Info(type).bits;
    if (bits > 16 || IsPred(type)) continue;
    Literal all = Literal::Zeros(Array(type, {int64_t{1} << bits}));
    for (int64_t i = 0; i < all.element_count(); ++i) all.Set(i, {static_cast<uint64_t>(i), 0});
    absl::StatusOr<Literal> read = Read(PrintLiteral(all), all.shape());
    ASSERT_TRUE(read.ok()) << read.status();
    for (int64_t i = 0; i < all.element_count(); ++i) {
      ASSERT_EQ(read->Get(i), all.Get(i)) << Name(type) << " " << i;
    }
  }
}

// A fixed walk over the patterns of the wide types, dense near powers of two.
TEST(LiteralRoundTrip, ManyWidePatterns) {
  for (ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kC64,
                           ElementType::kC128, ElementType::kS64, ElementType::kU64}) {
    constexpr int64_t kCount = 60000;
    const ElementType part = Info(type).component;
    const uint64_t mask = Info(part).bits == 64 ? ~uint64_t{0} : 0xffffffff;
    Literal values = Literal::Zeros(Array(type, {kCount}));
    uint64_t state = 0x9e3779b97f4a7c15;
    for (int64_t i = 0; i < kCount; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      uint64_t pattern = (state ^ state >> 29) & mask;
      if (i % 4 == 0) pattern &= pattern << 11;
      values.Set(i, {pattern & mask, IsComplex(type) ? (pattern * 31) & mask : 0});
    }
    absl::StatusOr<Literal> read = Read(PrintLiteral(values), values.shape());
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(Literal::BitEqual(*read, values)) << Name(type);
  }
}

}  // namespace
}  // namespace assay
