// Tokens of hlo_text_format.md 1, the order in which number-like tokens are tried, and places.
#include "spec/text/lexer.h"

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum TokenKind;

std::vector<TokenKind> Kinds(absl::string_view text) {
  Lexer lexer(text);
  std::vector<TokenKind> kinds;
  while (!lexer.Is(kEnd) && !lexer.Is(kError)) {
    kinds.push_back(lexer.kind());
    lexer.Next();
  }
  if (lexer.Is(kError)) kinds.push_back(kError);
  return kinds;
}

TokenKind First(absl::string_view text) { return Lexer(text).kind(); }

std::string WordOf(absl::string_view text) { return std::string(Lexer(text).word()); }

TEST(LexerTest, ClassifiesWordsByTheFirstRuleThatApplies) {
  EXPECT_EQ(First("x:"), kName);
  EXPECT_EQ(First("f32:"), kName);
  EXPECT_EQ(First("manual="), kAttr);
  EXPECT_EQ(First("manual ="), kKeyword);
  EXPECT_EQ(First("f32"), kType);
  EXPECT_EQ(First("opaque"), kType);
  EXPECT_EQ(First("tuple"), kIdent);
  EXPECT_EQ(First("nan"), kDecimal);
  EXPECT_EQ(First("nan1"), kIdent);
  EXPECT_EQ(First("bf_io->bf"), kDimLabels);
  EXPECT_EQ(First("b?01f_01?io->b01f?"), kDimLabels);
  EXPECT_EQ(First("bf_io"), kIdent);
  EXPECT_EQ(First("add.1-x"), kIdent);
  EXPECT_EQ(First("%true"), kName);
  EXPECT_EQ(WordOf("%a.b-c="), "a.b-c");
  EXPECT_EQ(WordOf("dims="), "dims");
  EXPECT_THAT(Kinds("%x=f32[]"), ElementsAre(kName, kEqual, kType, kLeftBracket, kRightBracket));
  EXPECT_THAT(Kinds("%x: y"), ElementsAre(kName, kColon, kIdent));
}

TEST(LexerTest, EveryKeywordIsOne) {
  int count = 0;
  for (absl::string_view word :
       {"HloModule", "ENTRY", "ROOT", "FileNames", "FunctionNames", "FileLocations", "StackFrames",
        "true", "false", "inf", "maximal", "replicated", "manual", "last_tile_dim_replicate",
        "shard_as", "shard_like", "unknown", "unreduced"}) {
    Lexer lexer(word);
    ASSERT_EQ(lexer.kind(), kKeyword) << word;
    EXPECT_EQ(static_cast<int>(lexer.token().keyword), count++) << word;
  }
}

TEST(LexerTest, NumberLikeTokensAreTriedInOrder) {
  EXPECT_EQ(First("1."), kDecimal);
  EXPECT_EQ(First("-.5"), kDecimal);
  EXPECT_EQ(First("1e5"), kDecimal);
  EXPECT_EQ(First("3e+2"), kDecimal);
  EXPECT_THAT(Kinds("1e"), ElementsAre(kInt, kIdent));
  EXPECT_EQ(First("01bf_01io->01bf"), kDimLabels);
  EXPECT_EQ(First("?b01f_01io->b01f?"), kDimLabels);
  EXPECT_EQ(First("3x3"), kDxD);
  EXPECT_EQ(First("0x10"), kDxD);
  EXPECT_THAT(Kinds("3x3x"), ElementsAre(kDxD, kIdent));
  EXPECT_EQ(First("0_0x-1_2_1"), kPad);
  EXPECT_EQ(First("-1_0_2x0_-3"), kPad);
  EXPECT_EQ(First("1_000"), kPad);
  EXPECT_EQ(First("-007"), kInt);
  EXPECT_EQ(Lexer("-007").int_value(), -7);
  EXPECT_EQ(First("-inf"), kNegInf);
  EXPECT_EQ(First("->"), kArrow);
  EXPECT_EQ(First("?"), kQuestion);
  EXPECT_EQ(First("-"), kError);
  EXPECT_EQ(First("+1"), kPlus);
  EXPECT_THAT(Kinds("<=4 ... *#~"), ElementsAre(kLessEqual, kInt, kDots, kAsterisk, kHash, kTilde));
}

TEST(LexerTest, IntegersKeepTheir64BitPattern) {
  EXPECT_EQ(Lexer("-9223372036854775808").int_value(), INT64_MIN);
  EXPECT_EQ(Lexer("18446744073709551615").int_value(), -1);
  EXPECT_EQ(First("18446744073709551616"), kError);
  EXPECT_EQ(First("-9223372036854775809"), kError);
}

TEST(LexerTest, DecimalsAreCorrectlyRounded) {
  EXPECT_EQ(Lexer("0.1").decimal_value(), 0.1);
  EXPECT_EQ(Lexer("-0.0").decimal_value(), 0.0);
  EXPECT_TRUE(std::signbit(Lexer("-0.0").decimal_value()));
  EXPECT_EQ(Lexer("2.2250738585072011e-308").decimal_value(), 0x1.ffffffffffffep-1023);
  EXPECT_EQ(Lexer("1e-400").decimal_value(), 0.0);
  EXPECT_EQ(Lexer("-1e400").decimal_value(), -std::numeric_limits<double>::infinity());
}

TEST(LexerTest, NanPayloads) {
  EXPECT_TRUE(std::isnan(Lexer("nan").decimal_value()));
  EXPECT_TRUE(std::signbit(Lexer("-nan").decimal_value()));
  EXPECT_EQ(Lexer("nan(0x41)").token().nan_payload, 0x41u);
  EXPECT_EQ(Lexer("-nan(0xFFFFFFFFFFFFF)").token().nan_payload, 0xFFFFFFFFFFFFFu);
  for (absl::string_view bad : {"nan(0x0)", "nan(0x10000000000000)", "nan(41)", "nan( 0x1)",
                                "nan(0X1)", "nan(0x)", "nan(0x1", "nan(", "-nan(0"}) {
    EXPECT_EQ(First(bad), kError) << bad;
  }
}

TEST(LexerTest, IntegerModeReadsDigitsAlone) {
  Lexer lexer("{0x1}");
  EXPECT_EQ(lexer.NextInt(), kInt);
  EXPECT_EQ(lexer.Next(), kIdent);
}

TEST(LexerTest, StringsAndEscapes) {
  EXPECT_EQ(Lexer("\"a\\tb\\\"\\303\\251\"").string_value(), "a\tb\"\xc3\xa9");
  EXPECT_EQ(Lexer("'it\\'s'").string_value(), "it's");
  EXPECT_EQ(Lexer("'\\x41\\u00e9'").string_value(), "A\xc3\xa9");
  EXPECT_EQ(Lexer("'two\nlines'").string_value(), "two\nlines");
  EXPECT_EQ(Lexer(absl::string_view("'a\0b'", 5)).string_value(), std::string("a\0b", 3));
  EXPECT_THAT(Kinds("'a' 'b'"), ElementsAre(kString, kString));
  for (absl::string_view bad : {"'abc", "\"a\\q\"", "'a\\\nb'", "'\\400'", "'\\ud800'"}) {
    EXPECT_EQ(First(bad), kError) << bad;
  }
}

TEST(LexerTest, BraceTextIsTakenRaw) {
  Lexer lexer("a={x {\"}\\\"\"} 'y} z");
  EXPECT_EQ(lexer.NextRaw(), kString);
  EXPECT_EQ(lexer.string_value(), "{x {\"}\\\"\"} 'y}");
  EXPECT_EQ(lexer.Next(), kIdent);
  Lexer open("a={{}");
  EXPECT_EQ(open.NextRaw(), kError);
  EXPECT_TRUE(LexesAsDict(" /*c*/ {\"}\"} // end"));
  EXPECT_FALSE(LexesAsDict("{} {}"));
  EXPECT_FALSE(LexesAsDict("{"));
  EXPECT_FALSE(LexesAsDict(""));
}

TEST(LexerTest, BlanksAndComments) {
  EXPECT_THAT(Kinds("/* a /* b */ x // y\r z \t\r\n w"), ElementsAre(kIdent, kIdent, kIdent));
  EXPECT_THAT(Kinds("x /* y"), ElementsAre(kIdent, kError));
  for (absl::string_view bad : {"@", "!", "&", "^", "$x", ";", "|", "\\", ">", "<", "/", ".", "..",
                                "\v", "\f", "\xc3\xa9", "%", "%1"}) {
    EXPECT_EQ(First(bad), kError) << bad;
  }
  EXPECT_EQ(First(absl::string_view("\0", 1)), kError);
}

TEST(LexerTest, PlacesCountEveryKindOfLineEnd) {
  Lexer lexer("a\nb\r\nc\rd\n\n  e");
  std::vector<std::pair<int, int>> places;
  for (; !lexer.Is(kEnd); lexer.Next()) {
    places.emplace_back(lexer.position().line, lexer.position().column);
  }
  EXPECT_THAT(places, ElementsAre(std::pair(1, 1), std::pair(2, 1), std::pair(3, 1),
                                  std::pair(4, 1), std::pair(6, 3)));
  // Backwards as well.
  Lexer again("a\nb\nc");
  const char* first = again.token().begin;
  EXPECT_EQ(again.PositionOf(first + 4).line, 3);
  EXPECT_EQ(again.PositionOf(first + 2).line, 2);
  EXPECT_EQ(again.PositionOf(first).line, 1);
}

TEST(LexerTest, ErrorsShowTheLineAndACaret) {
  Lexer lexer("a = b\n\tc = $", 10, "m.hlo");
  while (!lexer.Is(kError)) lexer.Next();
  EXPECT_EQ(lexer.Error("ignored").message(),
            "m.hlo:2:6: '$' begins no token\n  \tc = $\n  \t    ^");
}

TEST(LexerTest, LongLinesAreShownInPart) {
  const std::string text = std::string(100000, ' ') + "$" + std::string(100000, ' ');
  Lexer lexer(text);
  const std::string message(lexer.Error("").message());
  EXPECT_THAT(message, HasSubstr("1:100001: "));
  EXPECT_LT(message.size(), 500u);
}

TEST(LexerTest, NestingHasALimit) {
  Lexer lexer("x", 2);
  ASSERT_TRUE(lexer.Enter().ok());
  ASSERT_TRUE(lexer.Enter().ok());
  EXPECT_THAT(lexer.Enter().message(), HasSubstr("nested more than 2 levels"));
  lexer.Leave();
  EXPECT_TRUE(lexer.Enter().ok());
}

}  // namespace
}  // namespace assay
