// Programs that break one constraint of StableHLO each, and their valid neighbours. jaxlib 0.10.2
// refuses every program that is refused here, and takes every other.
#include "spec/stablehlo/constraints.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

using ::testing::HasSubstr;

// What is wrong with operations in a function of these arguments; "" where nothing is.
std::string Wrong(const std::string& arguments, const std::string& operations,
                  const std::string& around = "") {
  const std::string text =
      absl::StrCat(around, "func.func @main(", arguments, ") {\n", operations, "\nreturn\n}\n");
  absl::StatusOr<std::unique_ptr<Program>> program = ParseText(text, "f.mlir");
  if (!program.ok()) return absl::StrCat("not read: ", program.status().message());
  const std::optional<Violation> violation = FindViolation(**program);
  return violation ? violation->message : "";
}

// An operation of one operand and one result, and of two.
std::string Unary(const std::string& name, const std::string& operand, const std::string& result) {
  return Wrong(absl::StrCat("%a: ", operand),
               absl::StrCat("%r = \"stablehlo.", name, "\"(%a) : (", operand, ") -> ", result));
}
std::string Binary(const std::string& name, const std::string& left, const std::string& right,
                   const std::string& result) {
  return Wrong(absl::StrCat("%a: ", left, ", %b: ", right),
               absl::StrCat("%r = \"stablehlo.", name, "\"(%a, %b) : (", left, ", ", right, ") -> ",
                            result));
}

TEST(Constraints, ElementTypesOfOperandsAgree) {
  EXPECT_EQ(Binary("add", "tensor<2xf32>", "tensor<2xf32>", "tensor<2xf32>"), "");
  EXPECT_EQ(Binary("add", "tensor<2xf32>", "tensor<2xf64>", "tensor<2xf32>"),
            "[add (C1)] type(lhs) = type(rhs) = type(result), found type(lhs) is tensor<2xf32>, "
            "type(rhs) is tensor<2xf64>, type(result) is tensor<2xf32>");
  EXPECT_THAT(Binary("complex", "tensor<2xf64>", "tensor<2xf64>", "tensor<2xcomplex<f32>>"),
              HasSubstr("real_type(result) is f32, element_type(lhs) is f64"));
  EXPECT_EQ(Binary("complex", "tensor<2xf64>", "tensor<2xf64>", "tensor<2xcomplex<f64>>"), "");
  EXPECT_THAT(Unary("real", "tensor<2xcomplex<f32>>", "tensor<2xf64>"),
              HasSubstr("element_type(result) is f64, real_type(operand) is f32"));
  EXPECT_EQ(Unary("real", "tensor<2xcomplex<f32>>", "tensor<2xf32>"), "");
  EXPECT_EQ(Unary("abs", "tensor<2xcomplex<f64>>", "tensor<2xf64>"), "");
  EXPECT_EQ(Unary("convert", "tensor<2xcomplex<f64>>", "tensor<2xi1>"), "");
  EXPECT_EQ(Unary("abs", "tensor<2x!quant.uniform<i8:f32, 0.5>>",
                  "tensor<2x!quant.uniform<i8:f32, 0.5>>"),
            "");  // HLO has no such types: they are refused where they are lowered
}

TEST(Constraints, OperandsHaveTheTypesOfTheirOperation) {
  EXPECT_EQ(Binary("shift_left", "tensor<2xf32>", "tensor<2xf32>", "tensor<2xf32>"),
            "[shift_left (I1)] operand 0 must be a tensor of signless integers or unsigned "
            "integers, found "
            "tensor<2xf32>");
  EXPECT_THAT(Binary("subtract", "tensor<2xi1>", "tensor<2xi1>", "tensor<2xi1>"),
              HasSubstr("operand 0 must be a tensor of"));
  EXPECT_EQ(Binary("add", "tensor<2xi1>", "tensor<2xi1>", "tensor<2xi1>"), "");
  EXPECT_EQ(Unary("abs", "f32", "f32"),
            "[abs (I1)] operand 0 must be a tensor of signless integers or floating-point numbers "
            "or complex "
            "numbers, found f32");
  EXPECT_THAT(Unary("after_all", "tensor<2xf32>", "!stablehlo.token"),
              HasSubstr("operand 0 must be a token, found tensor<2xf32>"));
  EXPECT_THAT(Unary("add", "tensor<2xf32>", "tensor<2xf32>"),
              HasSubstr("must have 2 operands, found 1"));
  const std::string branch = "({ stablehlo.return %a : tensor<f32> }) : ";
  EXPECT_THAT(
      Wrong("%a: tensor<f32>, %i: tensor<i64>",
            absl::StrCat("%r = \"stablehlo.case\"(%i) ", branch, "(tensor<i64>) -> tensor<f32>")),
      HasSubstr("operand 0 must be a tensor of i32, found tensor<i64>"));
  EXPECT_THAT(Wrong("%a: tensor<2xf32>, %p: tensor<1xf32>",
                    "%r = stablehlo.pad %a, %p, low = [0], high = [0], interior = [0] : "
                    "(tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>"),
              HasSubstr("operand 1 must be a tensor of rank 0, found tensor<1xf32>"));
}

TEST(Constraints, AttributesHaveTheirRanges) {
  const auto exponential = [](const std::string& accuracy) {
    return Wrong("%a: tensor<f32>", absl::StrCat("%r = stablehlo.exponential %a {result_accuracy = "
                                                 "#stablehlo.result_accuracy<",
                                                 accuracy, ">} : tensor<f32>"));
  };
  const std::string mode = ", mode = #stablehlo.result_accuracy_mode<";
  EXPECT_EQ(exponential("atol = 1.0" + mode + "TOLERANCE>"), "");
  EXPECT_EQ(exponential("atol = -1.0" + mode + "TOLERANCE>"),
            "the tolerances of result_accuracy are negative");
  EXPECT_THAT(exponential("ulps = 1" + mode + "HIGHEST>"), HasSubstr("its mode is HIGHEST"));

  const auto permute = [](const std::string& pairs) {
    return Wrong("%a: tensor<f32>",
                 absl::StrCat("%r = \"stablehlo.collective_permute\"(%a) {source_target_pairs = ",
                              pairs, "} : (tensor<f32>) -> tensor<f32>"));
  };
  EXPECT_EQ(permute("dense<[[0, 1]]> : tensor<1x2xi64>"), "");
  EXPECT_THAT(permute("dense<[[0, 1, 2]]> : tensor<1x3xi64>"),
              HasSubstr("shape(source_target_pairs) is [1, 3]"));
  EXPECT_THAT(permute("dense<[0, 1]> : tensor<2xi64>"),
              HasSubstr("shape(source_target_pairs) is [2]"));

  const auto sort = [](const std::string& dimension, const std::string& argument) {
    return Wrong("%a: tensor<2x3xf32>, %t: tensor<i1>",
                 absl::StrCat("%r = \"stablehlo.sort\"(%a) ({ ^b(%x: ", argument, ", %y: tensor<",
                              "f32>): %c = stablehlo.constant dense<true> : tensor<i1> ",
                              "stablehlo.return %c : tensor<i1> }) {dimension = ", dimension,
                              " : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>"));
  };
  EXPECT_EQ(sort("-2", "tensor<f32>"), "");
  EXPECT_EQ(sort("-3", "tensor<f32>"),
            "[sort (C4)] 0 - rank(inputs) <= dimension < rank(inputs), found rank(inputs) is 2, "
            "dimension is -3");
  EXPECT_EQ(sort("0", "tensor<f64>"),
            "[sort (C5)] argument 0 is tensor<f64>, but operand 0 is tensor<2x3xf32>");

  const auto constant = [](const std::string& value) {
    return Wrong("", "%r = \"stablehlo.constant\"() {value = " + value + "} : () -> tensor<1xf32>");
  };
  EXPECT_EQ(constant("dense<1.0> : tensor<1xf32>"), "");
  EXPECT_THAT(constant("dense<1.0> : tensor<2xf32>"), HasSubstr("the value is a tensor<2xf32>"));
}

TEST(Constraints, CallsSayWhatBelongsTogether) {
  const auto call = [](const std::string& attributes) {
    return Wrong("%a: tensor<2x3xf32>", "%r = stablehlo.custom_call @f(%a) {" + attributes +
                                            "} : (tensor<2x3xf32>) -> tensor<2x3xf32>");
  };
  const std::string layout = "[dense<[1, 0]> : tensor<2xindex>]";
  EXPECT_EQ(call("api_version = 4 : i32, backend_config = {}"), "");
  EXPECT_THAT(call("api_version = 4 : i32, backend_config = \"x\""), HasSubstr("a dictionary"));
  EXPECT_THAT(call("api_version = 9 : i32"), HasSubstr("from 0 to 4, found 9"));
  EXPECT_EQ(call("operand_layouts = " + layout + ", result_layouts = " + layout), "");
  EXPECT_THAT(call("operand_layouts = " + layout), HasSubstr("both or neither"));
  EXPECT_THAT(call("operand_layouts = " + layout + ", result_layouts = []"),
              HasSubstr("has 0 layouts for 1 results"));

  const auto composite = [](const std::string& name) {
    return Wrong(
        "%a: tensor<f32>",
        "%r = stablehlo.composite \"" + name +
            "\" %a {decomposition = @g} : (tensor<f32>) -> tensor<f32>",
        "func.func private @g(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }\n");
  };
  EXPECT_EQ(composite("my_space.my$op.v2"), "");
  EXPECT_THAT(composite("noname"), HasSubstr("must have a namespace"));
  EXPECT_THAT(composite("a..b"), HasSubstr("must have a namespace"));
}

TEST(Constraints, RegionsTakeAndReturnWhatTheirOperationHas) {
  const auto reduce = [](const std::string& argument, const std::string& result) {
    return Wrong("%a: tensor<4xf32>, %z: tensor<f32>",
                 absl::StrCat("%r = \"stablehlo.reduce\"(%a, %z) ({ ^b(%x: ", argument,
                              ", %y: ", argument, "): %s = stablehlo.add %x, %y : ", argument,
                              " stablehlo.return %s : ", argument,
                              " }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> ",
                              result));
  };
  EXPECT_EQ(reduce("tensor<f32>", "tensor<f32>"), "");
  EXPECT_EQ(reduce("tensor<f64>", "tensor<f64>"), "");
  EXPECT_EQ(reduce("tensor<f64>", "tensor<f32>"),
            "[reduce (C8)] result 0 is tensor<f32>, but what region 0 returns is tensor<f64>");
  EXPECT_EQ(reduce("tensor<i32>", "tensor<i32>"),
            "[reduce (C6)] input 0 is tensor<4xf32>, but argument 1 of region 0 is tensor<i32>");

  const auto loop = [](const std::string& argument) {
    return Wrong(
        "%a: tensor<f32>",
        absl::StrCat("%r = \"stablehlo.while\"(%a) ({ ^b(%x: ", argument,
                     "): %t = stablehlo.constant dense<false> : tensor<i1> ",
                     "stablehlo.return %t : tensor<i1> }, { ^b(%x: tensor<f32>): ",
                     "stablehlo.return %x : tensor<f32> }) : (tensor<f32>) -> tensor<f32>"));
  };
  EXPECT_EQ(loop("tensor<f32>"), "");
  EXPECT_EQ(loop("tensor<f64>"),
            "[while (C1)] in region 0, argument 0 is tensor<f64>, but operand 0 is tensor<f32>");

  EXPECT_EQ(Wrong("%a: tensor<f32>, %p: tensor<i1>",
                  "%r = \"stablehlo.if\"(%p) ({ func.return %a : tensor<f32> }, { stablehlo.return "
                  "%a : tensor<f32> }) : (tensor<i1>) -> tensor<f32>"),
            "ends functions; the regions of stablehlo.if end with stablehlo.return");
}

TEST(Constraints, ShardingsUseAnAxisOnce) {
  const auto sharded = [](const std::string& sharding) {
    return Wrong("%a: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@m, " + sharding + ">}", "",
                 "sdy.mesh @m = <[\"x\"=2, \"y\"=4]>\n");
  };
  EXPECT_EQ(sharded("[{\"x\"}, {}], replicated={\"y\"}"), "");
  EXPECT_EQ(sharded("[{\"x\"}, {\"y\":(1)2}], replicated={\"y\":(2)2}"), "");
  EXPECT_THAT(sharded("[{\"x\"}, {}], replicated={\"x\"}"), HasSubstr("the axis x is used twice"));
  EXPECT_THAT(sharded("[{\"x\"}, {}], unreduced={\"x\"}"), HasSubstr("the axis x is used twice"));
  EXPECT_THAT(sharded("[{}, {}], replicated={\"z\"}"), HasSubstr("no axis z"));
}

}  // namespace
}  // namespace assay::stablehlo
