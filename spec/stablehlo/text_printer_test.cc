// What the printers write is read back as the same program: generic and pretty forms of operations
// of every form, and exact spellings of attributes and types.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

std::string Reprint(const std::string& text, PrintForm form) {
  const auto program = ParseText(text, "printed");
  EXPECT_TRUE(program.ok()) << program.status() << "\n" << text;
  return program.ok() ? PrintText(**program, form) : "";
}

constexpr char kProgram[] = R"(
sdy.mesh @m = <["a"=2, "b"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
func.func private @callee(tensor<2xf32>) -> (tensor<2xf32> {x})
func.func public @main(%a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {?}]>},
                       %p: tensor<i1>, %i: tensor<i32>, %s: tensor<f32>) -> tensor<f32>
    attributes {execution_thread = "main"} {
  %0 = stablehlo.constant {note} dense<[[1.0, -0.0], [0x7FC00000, 1.0e-45]]> : tensor<2x2xf32>
  %1 = stablehlo.iota dim = 1 : tensor<4x2xi32>
  %2 = stablehlo.compare LT, %1, %1, SIGNED : (tensor<4x2xi32>, tensor<4x2xi32>) -> tensor<4x2xi1>
  %3 = stablehlo.select %2, %a, %a : tensor<4x2xi1>, tensor<4x2xf32>
  %4 = stablehlo.slice %3 [0:4:2, 1:2] : (tensor<4x2xf32>) -> tensor<2x1xf32>
  %5 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 1] :
      (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x1xf32>
  %6 = stablehlo.pad %4, %s, low = [0, 1], high = [-1, 0], interior = [0, 2] :
      (tensor<2x1xf32>, tensor<f32>) -> tensor<1x2xf32>
  %7 = stablehlo.dot_general %a, %a, batching_dims = [0] x [0], contracting_dims = [1] x [1],
      precision = [HIGH, HIGHEST], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32,
      accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1,
      num_primitive_operations = 3, allow_imprecise_accumulation = false> :
      (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4xf32>
  %8 = stablehlo.reduce_precision %7, format = e5m10 : tensor<4xf32>
  %9:2 = stablehlo.while(%x = %8, %y = %i) : tensor<4xf32>, tensor<i32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %l = stablehlo.custom_call @"my target"(%x) {api_version = 2 : i32,
        output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
        operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %l, %y : tensor<4xf32>, tensor<i32>
  }
  %10 = stablehlo.reduce(%9#0 init: %s) applies stablehlo.add across dimensions = [0] :
      (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %11 = "stablehlo.if"(%p) ({
    %t = stablehlo.exponential %10 {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5,
        ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }, {
    stablehlo.return %10 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %12 = sdy.manual_computation(%a) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}],
      replicated={"b"}>] manual_axes={"a"} (%z: tensor<2x2xf32>) {
    sdy.return %z : tensor<2x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %13:2 = chlo.top_k(%12, k = 1) : tensor<4x2xf32> -> (tensor<4x1xf32>, tensor<4x1xi32>)
  %14 = stablehlo.composite "x.y" %13#0 {composite_attributes = {k = 3 : i64},
      decomposition = @callee, version = 1 : i32} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %15:2 = stablehlo.optimization_barrier %11, %p : tensor<f32>, tensor<i1>
  %16 = stablehlo.constant dense<"0x01000000"> : tensor<9xi32>
  %17 = sdy.all_gather [{"a", "b":(2)2}, {}] %12 out_sharding=<@m, [{}, {}]> : tensor<4x2xf32>
  %18 = sdy.all_to_all [{"a"}: 0->1] %17 out_sharding=#sdy.sharding<@m, [{}, {}]> : tensor<4x2xf32>
  %19 = sdy.all_reduce {"a"} %18 out_sharding=<@m, [{}, {}]> : tensor<4x2xf32>
  return %15#0 : tensor<f32>
}
)";

// Found by fuzzing: numbers of four bits were read as such of 64.
TEST(TextPrinterTest, PaddingsThatAreNoPairsOf64BitsKeepTheGenericForm) {
  for (const std::string padding : {"tensor<2x2xi4>", "tensor<2xi64>", "tensor<2x1xi64>"}) {
    const std::string text = absl::StrCat(
        "func.func @f(%a: tensor<1x4x4x1xf32>, %b: tensor<2x2x1x1xf32>) {\n"
        "  %0 = \"stablehlo.convolution\"(%a, %b) <{batch_group_count = 1 : i64, dimension_numbers "
        "= "
        "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, "
        "padding = dense<1> : ",
        padding,
        "}> : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x5x5x1xf32>\n  return\n}\n");
    EXPECT_THAT(Reprint(text, PrintForm::kPretty),
                testing::HasSubstr(absl::StrCat("padding = dense<1> : ", padding)));
  }
}

// Lists of axes of Shardy's collectives are kept as text, and have a frame in the generic form.
TEST(TextPrinterTest, AxesOfShardysCollectivesAreText) {
  const std::string function =
      "func.func @f(%a: tensor<4x2xf32>) -> tensor<4x2xf32> {\n"
      "  %0 = sdy.all_slice [{\"a\":(1)2}, {}] %a out_sharding=<@m, [{\"a\"}, {}]> : "
      "tensor<4x2xf32>\n  return %0 : tensor<4x2xf32>\n}\n";
  EXPECT_THAT(Reprint(function, PrintForm::kGeneric),
              testing::HasSubstr("slicing_axes = #sdy<list_of_axis_ref_lists[{\"a\":(1)2}, {}]>"));
  EXPECT_THAT(Reprint(Reprint(function, PrintForm::kGeneric), PrintForm::kPretty),
              testing::HasSubstr("sdy.all_slice [{\"a\":(1)2}, {}] %arg0 out_sharding="));
  EXPECT_THAT(
      std::string(ParseText("func.func @f(%a: tensor<f32>) {\n  %0 = sdy.all_reduce \"a\" %a "
                            "out_sharding=<@m, []> : tensor<f32>\n  return\n}\n",
                            "f.mlir")
                      .status()
                      .message()),
      testing::HasSubstr("expected '[' or '{'"));
}

// A sharding in a list may be a whole attribute.
TEST(TextPrinterTest, ShardingsInListsMayBeAttributes) {
  Program program;
  const auto attribute =
      ParseAttribute(program, "#sdy.sharding_per_value<[#sdy.sharding<@m, [{}]>, <@m, [{}]>]>");
  ASSERT_TRUE(attribute.ok()) << attribute.status();
  EXPECT_EQ(PrintAttribute(**attribute), "#sdy.sharding_per_value<[<@m, [{}]>, <@m, [{}]>]>");
  EXPECT_THAT(
      std::string(
          ParseAttribute(program, "#sdy.sharding_per_value<[#sdy.mesh<[]>]>").status().message()),
      testing::HasSubstr("this attribute is not a sharding"));
}

TEST(TextPrinterTest, WhatIsPrintedReadsBackTheSame) {
  const std::string generic = Reprint(kProgram, PrintForm::kGeneric);
  const std::string pretty = Reprint(kProgram, PrintForm::kPretty);
  EXPECT_EQ(Reprint(generic, PrintForm::kGeneric), generic);
  EXPECT_EQ(Reprint(pretty, PrintForm::kPretty), pretty);
  EXPECT_EQ(Reprint(pretty, PrintForm::kGeneric), Reprint(generic, PrintForm::kGeneric));
  EXPECT_EQ(Reprint(generic, PrintForm::kPretty), pretty);
  EXPECT_EQ(pretty.find("\"stablehlo.slice"), std::string::npos);
}

// Locations are written once each, behind what has them, and read back as they were.
// A body's arguments have the names of its condition's, whichever of them makes the table of names
// grow: values in front of the loops move that through all six names of a loop.
TEST(TextPrinterTest, LoopsOfAnyNumberReadBackTheSame) {
  for (int in_front = 0; in_front < 6; ++in_front) {
    std::string text = "func.func @main(%x: tensor<i1>) -> tensor<i1> {\n";
    for (int i = 0; i < in_front; ++i) {
      absl::StrAppend(&text, "  %c", i, " = stablehlo.not %x : tensor<i1>\n");
    }
    std::string value = "%x";
    for (int loop = 0; loop < 40; ++loop) {
      const std::string next = absl::StrCat("%v", loop);
      absl::StrAppend(&text, "  ", next, ":2 = stablehlo.while(%a = ", value, ", %b = ", value,
                      ") : tensor<i1>, tensor<i1> cond { stablehlo.return %a : tensor<i1> } do { ",
                      "stablehlo.return %b, %a : tensor<i1>, tensor<i1> }\n");
      value = absl::StrCat(next, "#1");
    }
    absl::StrAppend(&text, "  return ", value, " : tensor<i1>\n}\n");
    const std::string pretty = Reprint(text, PrintForm::kPretty);
    EXPECT_EQ(Reprint(pretty, PrintForm::kGeneric), Reprint(text, PrintForm::kGeneric));
  }
}

TEST(TextPrinterTest, LocationsAreAliasesAtTheEnd) {
  const std::string text =
      "module {\n"
      "  func.func @main(%arg0: tensor<f32> {x} loc(#loc1), %arg1: tensor<3xf32> loc(unknown)) -> "
      "tensor<f32> {\n"
      "    %0 = stablehlo.reduce(%arg1 init: %arg0) applies stablehlo.add across dimensions = [0] "
      ": (tensor<3xf32>, tensor<f32>) -> tensor<f32> loc(#loc5)\n"
      "    %1 = stablehlo.reduce(%arg1 init: %arg0) across dimensions = [0] : (tensor<3xf32>, "
      "tensor<f32>) -> tensor<f32>\n"
      "     reducer(%arg2: tensor<f32> loc(unknown), %arg3: tensor<f32> loc(unknown)) {\n"
      "      %2 = stablehlo.add %arg2, %arg3 : tensor<f32> loc(#loc3)\n"
      "      stablehlo.return %2 : tensor<f32> loc(unknown)\n"
      "    } loc(#loc6)\n"
      "    return %1 : tensor<f32> loc(#loc3)\n"
      "  } loc(unknown)\n"
      "} loc(unknown)\n"
      "#loc1 = loc(\"weights\")\n"
      "#loc2 = loc(\"f\"(#loc3))\n"
      "#loc3 = loc(\"a.py\":3:4 to 5:6)\n"
      "#loc4 = loc(callsite(#loc2 at unknown))\n"
      "#loc5 = loc(\"sum\"(#loc4))\n"
      "#loc6 = loc(fused[#loc5, #loc1])\n";
  for (const PrintForm form : {PrintForm::kPretty, PrintForm::kGeneric}) {
    const auto program = ParseText(text, "given");
    ASSERT_TRUE(program.ok()) << program.status();
    const std::string printed = PrintText(**program, form, PrintLocations::kYes);
    const auto again = ParseText(printed, "printed");
    ASSERT_TRUE(again.ok()) << again.status() << printed;
    EXPECT_EQ(PrintText(**again, form, PrintLocations::kYes), printed);
    const Block& body = *(*again)->FindFunction("main")->regions()[0].blocks()[0];
    EXPECT_EQ(body.arguments[0]->location()->text, "weights");
    const Location* sum = body.operations[0]->location;
    ASSERT_NE(sum, nullptr);
    EXPECT_EQ(sum->text, "sum");
    const Location* site = sum->children[0];
    EXPECT_EQ(site->kind, Location::Kind::kCallSite);
    const Location* file = site->children[0]->children[0];
    EXPECT_EQ(file->text, "a.py");
    EXPECT_EQ(std::vector<int>({file->line, file->column, file->end_line, file->end_column}),
              std::vector<int>({3, 4, 5, 6}));
    const Location* fused = body.operations[1]->location;
    ASSERT_NE(fused, nullptr);
    EXPECT_EQ(fused->kind, Location::Kind::kFused);
    EXPECT_EQ(fused->children[1]->text, "weights");
    const Location* add = body.operations[1]->regions()[0].blocks()[0]->operations[0]->location;
    ASSERT_NE(add, nullptr);
    EXPECT_EQ(add->text, "a.py");
    // Each is defined once, what a definition uses before it.
    EXPECT_EQ(printed.find("\"a.py\""), printed.rfind("\"a.py\""));
  }
}

// An operation that its pretty form cannot say is printed generic.
TEST(TextPrinterTest, WhatHasNoPrettyFormIsGeneric) {
  const std::string text = Reprint(
      "func.func @f(%a: tensor<f32>, %b: tensor<f64>) {\n"
      "  %0 = \"stablehlo.add\"(%a, %b) : (tensor<f32>, tensor<f64>) -> tensor<f32>\n"
      "  %1 = \"tensor.cast\"(%0) : (tensor<f32>) -> tensor<f32>\n"
      "  \"stablehlo.return\"() : () -> ()\n}",
      PrintForm::kPretty);
  EXPECT_THAT(text, testing::HasSubstr(
                        "stablehlo.add %arg0, %arg1 : (tensor<f32>, tensor<f64>) -> tensor<f32>"));
  EXPECT_THAT(text, testing::HasSubstr("tensor.cast %0 : tensor<f32> to tensor<f32>"));
}

// Spellings that MLIR prints the same.
TEST(TextPrinterTest, AttributesAreSpelledAsMlirSpellsThem) {
  Program program;
  for (const char* text : {
           "unit",
           "true",
           "-1 : i8",
           "255 : ui8",
           "5 : index",
           "1.500000e+00 : f32",
           "0x7FC00000 : f32",
           "\"a\\22\\\\\\0A\\FF\"",
           "[1 : i64, @f::@\"odd name\", i32]",
           "{a, \"b c\" = 2 : i64}",
           "@\"\"",
           "array<i64>",
           "array<i1: true, false>",
           "array<i64: 1, -2>",
           "dense<> : tensor<0xi32>",
           "dense<[(1.000000e+00,-2.000000e+00), (0x7F800000,0.000000e+00)]> : "
           "tensor<2xcomplex<f32>>",
           "dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>",
           "dense<true> : tensor<3xi1>",
           "dense_resource<key> : tensor<2xf32>",
           "#stablehlo<precision HIGHEST>",
           "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = "
           "[0], "
           "index_vector_dim = 1>",
           "#stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>",
           "#stablehlo.channel_handle<handle = 1, type = 0>",
           "#chlo<comparison_direction LT>",
           "#sdy.sharding<@m, [{\"a\", \"b\":(2)4, ?}p1, {}], replicated={\"c\"}>",
           "#sdy.sharding_per_value<[<@m, [{?}]>, <mesh<[\"a\"=2]>, []>]>",
           "#sdy<manual_axes{\"a\", \"b\"}>",
           "#sdy<mesh_axis\"a\"=2>",
           "#sdy<axis_ref\"a\":(2)4>",
           "#sdy<sub_axis_info(2)4>",
           "#sdy<dimension_sharding{\"a\", ?}p1>",
           "#stablehlo<sub_axis_info(2)4>",
           "{a = \"b\" : tensor<3xf32>}",
           "tensor<2x?x!quant.uniform<i8<-127:127>:f32:1, {1.000000e-01:5, 2.000000e-01}>>",
           "tensor<?x3xf32, #stablehlo.bounds<4, ?>>",
           "(tensor<i1>, !stablehlo.token) -> (tuple<i1, f32>, memref<2xf32>)",
           "(i1) -> ((i1) -> i1)",
           "loc(fused[\"f\":1:2, callsite(\"a\"(unknown) at \"g\":3:4 to :9)])",
       }) {
    const auto attribute = ParseAttribute(program, text);
    ASSERT_TRUE(attribute.ok()) << attribute.status();
    EXPECT_EQ(PrintAttribute(**attribute), text);
  }
}

// MLIR keeps the type of a string, too, but loses that of a name in its pretty form.
TEST(TextPrinterTest, NamesWithTypesKeepTheGenericForm) {
  for (const char* text :
       {"\"builtin.module\"() <{sym_name = \"m\" : i64}> ({\n}) : () -> ()\n",
        "module {\n  \"func.func\"() <{function_type = () -> (), sym_name = \"f\" : i64}> ({\n"
        "    return\n  }) : () -> ()\n}\n",
        "module {\n  \"func.func\"() <{function_type = () -> (), sym_name = \"f\", sym_visibility "
        "= "
        "\"private\" : i64}> ({\n    return\n  }) : () -> ()\n}\n"}) {
    const absl::StatusOr<std::unique_ptr<Program>> program = ParseText(text, "test");
    ASSERT_TRUE(program.ok()) << program.status();
    EXPECT_EQ(PrintText(**program, PrintForm::kPretty), text);
  }
}

}  // namespace
}  // namespace assay::stablehlo
