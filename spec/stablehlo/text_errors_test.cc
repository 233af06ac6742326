// What the parser refuses, and how it says so: place, line, caret, what was expected. Hostile texts
// end in an error within their budget.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

using testing::HasSubstr;

std::string ErrorOf(absl::string_view text) {
  const auto program = ParseText(text, "f.mlir");
  if (program.ok()) return "no error";
  EXPECT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(program.status().message());
}

std::string InFunction(absl::string_view body) {
  return absl::StrCat("func.func @f(%a: tensor<4xf32>, %b: tensor<i1>) {\n", body, "\nreturn\n}\n");
}

TEST(TextErrorsTest, ErrorsShowTheLineAndACaret) {
  EXPECT_EQ(ErrorOf("func.func @f() {\n  %0 = stablehlo.ad %x : tensor<f32>\n}"),
            "f.mlir:2:8: the dialect stablehlo has no operation 'stablehlo.ad'\n"
            "    %0 = stablehlo.ad %x : tensor<f32>\n"
            "         ^");
}

TEST(TextErrorsTest, MessagesSayWhatIsExpected) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"module {", "f.mlir:1:9: the text ends within a region: a '}' is missing"},
      {"llvm.add %x", "there is no operation 'llvm.add'"},
      {"\"stablehlo.nop\"() : () -> ()", "the dialect stablehlo has no operation 'stablehlo.nop'"},
      {"%0 = stablehlo.gather %x", "'stablehlo.gather' has no short form"},
      {InFunction("%0 = stablehlo.abs %x : tensor<4xf32>"),
       "2:20: the value %x is not defined here"},
      {InFunction("%0 = stablehlo.abs %a#1 : tensor<4xf32>"),
       "%a stands for 1 value, counted from 0"},
      {InFunction("%a = stablehlo.abs %a : tensor<4xf32>"),
       "2:1: the value %a is defined a second time"},
      {InFunction("%0:2 = stablehlo.abs %a : tensor<4xf32>"),
       "stablehlo.abs has 1 result, but 2 are named"},
      {InFunction("%0 = stablehlo.abs %a : tensor<5xf32>"),
       "operand 0 of stablehlo.abs is used as tensor<5xf32>, but it is defined as tensor<4xf32>"},
      {InFunction("%0 = \"stablehlo.abs\"(%a) : () -> tensor<5xf32>"),
       "stablehlo.abs has 1 operand, but 0 types are given for them"},
      {InFunction("%0 = stablehlo.abs %a : tensor<4xf23>"),
       "expected a type, found 'f23', which is not the name of one"},
      {InFunction("%0 = \"stablehlo.transpose\"(%a) : (tensor<4xf32>) -> tensor<4xf32>"),
       "stablehlo.transpose needs the attribute 'permutation'"},
      {InFunction("%0 = \"stablehlo.transpose\"(%a) {permutation = 1} : (tensor<4xf32>) -> i1"),
       "must be a list of 64-bit integers (array<i64: 1, 2>), but it is 1 : i64"},
      {InFunction("%0 = stablehlo.abs %a {x = 1, x = 2} : tensor<4xf32>"),
       "the attribute 'x' is given twice"},
      {InFunction("%0 = stablehlo.compare LX, %a, %a : (tensor<4xf32>) -> i1"),
       "expected one of EQ, NE, GE, GT, LE, LT, found 'LX'"},
      {InFunction("%0 = stablehlo.reduce_precision %a, format = 5m10 : tensor<4xf32>"),
       "expected the numbers of exponent and mantissa bits, as e5m10, found '5'"},
      {InFunction(
           "%0 = stablehlo.reduce(%a init: %b) applies stablehlo.abs across dimensions = []"),
       "expected a commutative operation of two operands"},
      {InFunction("%0 = stablehlo.case %b"), "'stablehlo.case' has no short form"},
      {"func.func private @f()\nfunc.func private @f()",
       "f.mlir:2:1: the symbol @f is defined a second time"},
      {"func.func @f(%a: i1, i2)", "either all arguments have names, or none"},
      {"%0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>",
       "this list ends after 2 entries, but dimension 0 of the shape [3] has 3"},
      {"%0 = stablehlo.constant dense<[[1], 2]> : tensor<2x1xi32>", "expected '['"},
      {"%0 = stablehlo.constant dense<[[1], [2, 3]]> : tensor<2x1xi32>",
       "dimension 1 has 1 entries, here is one more"},
      {"%0 = stablehlo.constant dense<256> : tensor<i8>", "this number does not fit into 8 bits"},
      {"%0 = stablehlo.constant dense<-1> : tensor<ui8>", "must not be negative"},
      {"%0 = stablehlo.constant dense<1> : tensor<f32>", "a float needs a decimal point"},
      {"%0 = stablehlo.constant dense<0x1FFFF> : tensor<f16>", "these bits are more than the 16"},
      {"%0 = stablehlo.constant dense<\"0x01\"> : tensor<2xi16>", "these are 1 bytes"},
      {"%0 = stablehlo.constant dense<true> : tensor<i8>", "'true' is only an element of i1"},
      {"%0 = stablehlo.constant dense<1> : tensor<?xi8>", "must have known sizes"},
      {"%0 = stablehlo.constant dense<> : tensor<2xi8>", "there are no elements"},
      {"%0 = stablehlo.constant #c", "the alias #c is not defined"},
      {"%0 = stablehlo.constant {a = #c} dense<1> : tensor<i8>\n#c = [#d]\n#d = #c",
       "is defined by itself"},
      {"%0 = stablehlo.constant {a = \"\\q\"} dense<1> : tensor<i8>",
       "a backslash must be followed"},
      {"%0 = stablehlo.constant {a = \"", "does not end on its line"},
      {"\"a.b\"() : () -> () &", "the character '&' has no meaning here"},
      {"\x80", "the byte 0x80 has no meaning outside of strings"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(ErrorOf(text), HasSubstr(message)) << text;
  }
}

std::string Times(absl::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) absl::StrAppend(&out, text);
  return out;
}

TEST(TextErrorsTest, DeepNestingIsRefused) {
  constexpr int kDeep = 100000;
  EXPECT_THAT(ErrorOf("\"a.b\"() {x = " + Times("[", kDeep)), HasSubstr("levels deep"));
  EXPECT_THAT(ErrorOf("\"a.b\"() {x = " + Times("{y = ", kDeep)), HasSubstr("levels deep"));
  EXPECT_THAT(ErrorOf("\"a.b\"() {x = " + Times("tuple<", kDeep)), HasSubstr("levels deep"));
  EXPECT_THAT(ErrorOf("\"a.b\"() {x = " + Times("(", kDeep)), HasSubstr("levels deep"));
  EXPECT_THAT(ErrorOf("\"a.b\"() {x = #o.p<" + Times("<", kDeep)), HasSubstr("levels deep"));
  EXPECT_THAT(ErrorOf(Times("\"a.b\"() ({\n", kDeep)), HasSubstr("levels deep"));
  EXPECT_THAT(ErrorOf("\"a.b\"() : () -> () loc(" + Times("callsite(", kDeep)),
              HasSubstr("levels deep"));
  EXPECT_THAT(ErrorOf("%c = stablehlo.constant dense<" + Times("[", kDeep) + "> : tensor<" +
                      Times("1x", kDeep) + "i8>"),
              HasSubstr("nested too deeply"));
  std::string aliases = "\"a.b\"() {x = #a0} : () -> ()\n";
  for (int i = 0; i < 2000; ++i) absl::StrAppend(&aliases, "#a", i, " = [#a", i + 1, "]\n");
  EXPECT_THAT(ErrorOf(aliases + "#a2000 = 1"), HasSubstr("levels deep"));
}

// Types promise, elements pay.
TEST(TextErrorsTest, LargePromisesCostNothing) {
  EXPECT_THAT(ErrorOf("%c = stablehlo.constant dense<[1]> : tensor<9223372036854775807xi64>"),
              HasSubstr("this list ends after 1 entry"));
  EXPECT_THAT(ErrorOf("%c = stablehlo.constant dense<\"0x0102\"> : "
                      "tensor<4294967296x4294967296x4xi64>"),
              HasSubstr("these are 2 bytes"));
  EXPECT_THAT(ErrorOf("%c = stablehlo.constant dense<1> : tensor<99999999999999999999xi64>"),
              HasSubstr("larger than 2^63 - 1"));
  EXPECT_THAT(ErrorOf("%c:2000000000 = stablehlo.constant dense<1> : tensor<i64>"),
              HasSubstr("2000000000 are named"));
}

// Every text that a good one becomes by leaving out its end is refused or read, never worse.
TEST(TextErrorsTest, PrefixesOfAProgramEnd) {
  const std::string text = InFunction(R"(
    %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 0x7F800000]> : tensor<4xf32>
    %1:2 = stablehlo.while(%x = %0, %y = %b) : tensor<4xf32>, tensor<i1> attributes {a = @s::@t}
    cond { stablehlo.return %y : tensor<i1> } do {
      %2 = stablehlo.slice %x [0:4:1] : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %2, %y : tensor<4xf32>, tensor<i1> loc(fused["a":1:2, "b"(unknown)])
    }
    %3 = stablehlo.custom_call @f(%a) {m = #sdy.sharding<@m, [{"a":(1)2, ?}p1]>} :
      (tensor<4xf32>) -> tensor<?xf32, #stablehlo.bounds<4>>)");
  ASSERT_TRUE(ParseText(text, "f.mlir").ok()) << ErrorOf(text);
  for (size_t size = 0; size < text.size(); ++size) {
    (void)ParseText(absl::string_view(text).substr(0, size), "f.mlir");
  }
}

}  // namespace
}  // namespace assay::stablehlo
