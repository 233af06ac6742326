// Families of operations with more to them than a row: collectives, host transfers, custom calls,
// dynamic sizes, CHLO, Shardy. Expected HLO is worked out by hand from reference
// stablehlo_format.md 7 to 10.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/shardings.h"
#include "spec/stablehlo/symbolic_sizes.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/to_module.h"
#include "spec/text/printer.h"

namespace assay::stablehlo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Lowered(const std::string& text, const ToModuleOptions& options = {}) {
  absl::StatusOr<std::unique_ptr<Program>> program = ParseText(text, "f.mlir");
  if (!program.ok()) return absl::StrCat("ERROR: ", program.status().message());
  absl::StatusOr<ConvertedProgram> converted = ToModule(**program, options);
  if (!converted.ok()) return absl::StrCat("ERROR: ", converted.status().message());
  return PrintModule(*converted->module, PrintOptions::Default());
}

std::string Function(const std::string& arguments, const std::string& result,
                     const std::string& body) {
  return absl::StrCat("func.func @main(", arguments, ") -> ", result, " {\n  ", body,
                      "\n  return %r : ", result, "\n}\n");
}

constexpr char kSum[] =
    "({\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %s = stablehlo.add %x, %y : tensor<f32>\n  "
    "stablehlo.return %s : tensor<f32>\n })";

TEST(Lowering, CollectivesKeepGroupsAndChannels) {
  EXPECT_THAT(
      Lowered(Function("%a: tensor<4xf32>", "tensor<4xf32>",
                       absl::StrCat("%r = \"stablehlo.all_reduce\"(%a) ", kSum,
                                    " {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, "
                                    "channel_handle = #stablehlo.channel_handle<handle = 5, type = "
                                    "1>, use_global_device_ids} : (tensor<4xf32>) -> "
                                    "tensor<4xf32>"))),
      AllOf(HasSubstr("channel_id=5"), HasSubstr("replica_groups={{0,1},{2,3}}"),
            HasSubstr("use_global_device_ids=true")));
  EXPECT_THAT(Lowered(Function("%a: tensor<2xf32>", "tensor<2xf32>",
                               "%r = \"stablehlo.collective_permute\"(%a) {source_target_pairs = "
                               "dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> "
                               "tensor<2xf32>")),
              HasSubstr("source_target_pairs={{0,1},{1,0}}"));
  EXPECT_THAT(Lowered(Function("%a: tensor<2xf32>", "tensor<4xf32>",
                               "%r = \"stablehlo.all_gather\"(%a) {all_gather_dim = 0 : i64, "
                               "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, "
                               "axes = [#stablehlo.axis_ref<name = \"y\">]>} : (tensor<2xf32>) -> "
                               "tensor<4xf32>") +
                      "sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n"),
              HasSubstr("replica_groups=mesh['x'=2,'y'=2] {'y'}"));
  // The collective of an asynchronous region.
  EXPECT_THAT(Lowered(Function("%a: tensor<2xf32>", "tensor<4xf32>", R"(
  %f = "stablehlo.async_start"(%a) ({
   ^bb0(%x: tensor<2xf32>):
    %g = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
    stablehlo.return %g : tensor<4xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<4xf32>>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>)")),
              AllOf(HasSubstr("f32[4]{0} all-gather("), HasSubstr("async-start(")));
  // One of several operands is more than one instruction.
  EXPECT_THAT(
      Lowered(Function(
          "%a: tensor<2xf32>", "tensor<2xf32>",
          absl::StrCat(
              R"(
  %f = "stablehlo.async_start"(%a, %a) ({
   ^bb0(%v: tensor<2xf32>, %w: tensor<2xf32>):
    %g:2 = "stablehlo.all_reduce"(%v, %w) )",
              kSum,
              R"( {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    stablehlo.return %g#0, %g#1 : tensor<2xf32>, tensor<2xf32>
  }) : (tensor<2xf32>, tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>, tensor<2xf32>>
  %r, %s = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>, tensor<2xf32>>) -> (tensor<2xf32>, tensor<2xf32>))"))),
      AllOf(HasSubstr(" call("), Not(HasSubstr("async"))));
}

TEST(Lowering, TransfersHaveTheirDone) {
  const std::string text =
      Lowered(Function("%a: tensor<2xf32>, %t: !stablehlo.token", "!stablehlo.token", R"(
  %i:2 = "stablehlo.infeed"(%t) {infeed_config = "c", layout = [[0]]} : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  %o = "stablehlo.outfeed"(%i#0, %i#1) {outfeed_config = ""} : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  %s = "stablehlo.send"(%a, %o) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %v:2 = "stablehlo.recv"(%s) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %r = stablehlo.after_all %v#1, %t : !stablehlo.token)"));
  EXPECT_THAT(text, HasSubstr("((f32[3]{0}), token[]) infeed("));
  EXPECT_THAT(text, HasSubstr("outfeed_shape=(f32[3]{0})"));
  EXPECT_THAT(text, HasSubstr("(f32[2]{0}, u32[], token[]) send("));
  EXPECT_THAT(text, HasSubstr("send-done("));
  EXPECT_THAT(text, HasSubstr("(f32[2]{0}, token[]) recv-done("));
}

TEST(Lowering, CustomCallsKeepWhatTheySay) {
  const std::string text = Lowered(R"(
func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>) {
  %0:2 = stablehlo.custom_call @lapack(%a) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]}
    : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<i32>
})");
  EXPECT_THAT(text, HasSubstr("(f32[2,3]{0,1}, s32[]) custom-call("));
  EXPECT_THAT(text, HasSubstr("operand_layout_constraints={f32[2,3]{0,1}}"));
  EXPECT_THAT(text, HasSubstr("output_to_operand_aliasing={{0}: (0, {})}"));
  EXPECT_THAT(text, HasSubstr("api_version=API_VERSION_TYPED_FFI"));
  EXPECT_THAT(text, HasSubstr("backend_config={uplo = 76 : ui8}"));
  // A custom call that stands for an operation, and a composite that does.
  EXPECT_THAT(Lowered(Function("%a: tensor<4xf32>", "tensor<4xf32>",
                               "%r = stablehlo.custom_call @mhlo.erf(%a) {mhlo.attributes = {}, "
                               "mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>")),
              HasSubstr("f32[4]{0} erf("));
  const std::string composite =
      "%r = stablehlo.composite \"chlo.erf\" %a {decomposition = @d, version = VERSION : i32} : "
      "(tensor<4xf32>) -> tensor<4xf32>";
  const std::string decomposition =
      "func.func private @d(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }\n";
  std::string first = composite, second = composite;
  first.replace(first.find("VERSION"), 7, "1");
  second.replace(second.find("VERSION"), 7, "2");
  EXPECT_THAT(Lowered(Function("%a: tensor<4xf32>", "tensor<4xf32>", first) + decomposition),
              HasSubstr("f32[4]{0} erf("));
  EXPECT_THAT(Lowered(Function("%a: tensor<4xf32>", "tensor<4xf32>", second) + decomposition),
              AllOf(HasSubstr("is_composite=true"), HasSubstr("composite.version=\"2\"")));
}

// Composites as jaxlib's exporter writes CHLO's ragged_dot and scan: lists without names, names for
// values of enumerations, a region.
TEST(Lowering, CompositesOfTheExporter) {
  const std::string decomposition =
      "func.func private @d(%a: tensor<4x3xf32>, %b: tensor<2x3x5xf32>, %g: tensor<2xi32>) -> "
      "tensor<4x5xf32> {\n  %z = stablehlo.constant dense<0.0> : tensor<4x5xf32>\n"
      "  return %z : tensor<4x5xf32>\n}\n";
  const auto ragged_dot = [&](absl::string_view attributes) {
    return Lowered(
        Function("%a: tensor<4x3xf32>, %b: tensor<2x3x5xf32>, %g: tensor<2xi32>", "tensor<4x5xf32>",
                 absl::StrCat("%r = stablehlo.composite \"chlo.ragged_dot\" %a, %b, %g "
                              "{composite_attributes = {",
                              attributes,
                              "}, decomposition = @d, version = 1 : i32} : (tensor<4x3xf32>, "
                              "tensor<2x3x5xf32>, tensor<2xi32>) -> tensor<4x5xf32>")) +
        decomposition);
  };
  const std::string lists =
      "ragged_dot_dimension_numbers = [dense<> : tensor<0xi64>, dense<> : tensor<0xi64>, dense<1> "
      ": tensor<1xi64>, dense<1> : tensor<1xi64>, dense<0> : tensor<1xi64>, dense<0> : "
      "tensor<1xi64>]";
  EXPECT_THAT(
      ragged_dot(absl::StrCat("precision_config = [\"HIGH\", \"DEFAULT\"], ", lists)),
      AllOf(HasSubstr("ragged-dot("), HasSubstr("lhs_contracting_dims={1}"),
            HasSubstr("rhs_contracting_dims={1}"), HasSubstr("lhs_ragged_dims={0}"),
            HasSubstr("rhs_group_dims={0}"), HasSubstr("operand_precision={high,default}")));
  EXPECT_THAT(ragged_dot(absl::StrCat("precision_config = [\"FAST\", \"DEFAULT\"], ", lists)),
              HasSubstr("precision_config must be a list of DEFAULT, HIGH and HIGHEST"));
  EXPECT_THAT(ragged_dot("ragged_dot_dimension_numbers = [dense<1> : tensor<1xi64>]"),
              HasSubstr("must be a record or six lists of integers"));

  const std::string scan = R"(
func.func @main(%a: tensor<4x3xf32>, %c: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
  %0:2 = stablehlo.composite "chlo.scan" %a, %c ({
  ^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>):
    %s = stablehlo.add %x, %y : tensor<3xf32>
    stablehlo.return %s, %s : tensor<3xf32>, tensor<3xf32>
  }) {composite_attributes = {dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}, decomposition = @d, version = 1 : i32} : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<4x3xf32>, tensor<3xf32>
}
func.func private @d(%a: tensor<4x3xf32>, %c: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
  return %a, %c : tensor<4x3xf32>, tensor<3xf32>
})";
  EXPECT_THAT(Lowered(scan),
              AllOf(HasSubstr(" scan("), HasSubstr("num_carries=1"), HasSubstr("is_reverse=true")));
  std::string other = scan;
  other.replace(other.find("chlo.scan"), 9, "my.scan");
  EXPECT_THAT(Lowered(other), HasSubstr("composites with regions have no counterpart in HLO"));
}

// What HLO's verifier cannot see: the declared type of a value is gone in the module.
TEST(Lowering, DeclaredTypesHold) {
  const std::string argument = "%a: tensor<2x3xf32>", type = "tensor<2x3xf32>";
  const std::string wide = "tensor<2x3xf64>";
  const std::string callee =
      absl::StrCat("func.func private @g(%a: ", wide, ") -> ", wide, " { return %a : ", wide, " }");
  EXPECT_THAT(
      Lowered(Function(argument, wide, absl::StrCat("%r = call @g(%a) : (", type, ") -> ", wide)) +
              callee),
      HasSubstr("argument 0 of @g is declared as tensor<2x3xf64>, but is f32[2,3]"));
  EXPECT_THAT(
      Lowered(Function(argument, type,
                       absl::StrCat("%b = stablehlo.convert %a : (", type, ") -> ", wide,
                                    "\n  %r = call @g(%b) : (", wide, ") -> ", type)) +
              callee),
      HasSubstr("3:8: func.call: result 0 is declared as tensor<2x3xf32>, but is f64[2,3]"));
  EXPECT_THAT(Lowered(Function(argument, "tensor<6xf32>",
                               absl::StrCat("%t = stablehlo.tuple %a : tuple<", type,
                                            ">\n  %r = stablehlo.get_tuple_element %t[0] : (tuple<",
                                            type, ">) -> tensor<6xf32>"))),
              HasSubstr("[get_tuple_element (C2)] the result is tensor<6xf32>, but element 0"));
}

TEST(Lowering, AxesOfShardings) {
  const auto sharded = [](absl::string_view mesh, absl::string_view rest) {
    return Lowered(absl::StrCat(
        "sdy.mesh @m = <[", mesh, "]>\n",
        Function(
            absl::StrCat("%r: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{}]", rest, ">}"),
            "tensor<4xf32>", "")));
  };
  EXPECT_THAT(sharded("\"x\"=2", ", unreduced={\"x\"}"), HasSubstr("parameter(0)"));
  EXPECT_THAT(sharded("\"x\"=2", ", unreduced={}"), HasSubstr("'unreduced' must have an axis"));
  EXPECT_THAT(sharded("\"x\"=2", ", replicated={}"), HasSubstr("'replicated' must have an axis"));
  EXPECT_THAT(sharded("\"x\"=2, \"x\"=2", ""), HasSubstr("a mesh has two axes of the name x"));
}

TEST(Lowering, BlocksEndWithReturns) {
  EXPECT_THAT(Lowered("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
                      "  %r = stablehlo.abs %a : tensor<f32>\n}"),
              HasSubstr("ends its block, but a block must end with a return"));
  EXPECT_THAT(Lowered("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
                      "  return %a : tensor<f32>\n  %r = stablehlo.abs %a : tensor<f32>\n}"),
              HasSubstr("must be the last operation of its block"));
}

TEST(Lowering, SizesAreFoldedThroughCalls) {
  const std::string text = R"(
func.func private @double(%n: tensor<i32>) -> tensor<i32> {
  %c = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.multiply %n, %c : tensor<i32>
  return %0 : tensor<i32>
}
func.func @main(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %m = call @double(%n) : (tensor<i32>) -> tensor<i32>
  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0, %1 : tensor<?xf32>, tensor<?xi32>
})";
  ToModuleOptions options;
  options.argument_sizes[0] = {3};
  EXPECT_THAT(Lowered(text, options),
              AllOf(HasSubstr("f32[6]{0} concatenate("), HasSubstr("s32[6]{0} iota(")));
}

TEST(Lowering, ShapeAssertionsAreDecided) {
  const std::string text = R"(
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %c = stablehlo.constant dense<2> : tensor<i32>
  %ok = stablehlo.compare GE, %n, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%ok, %n) {error_message = "only {0}. Using the following polymorphic shapes specifications: args[0].shape = (b + 1,). Obtained", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %a : tensor<?xf32>
})";
  ToModuleOptions options;
  options.dimensions["b"] = 4;
  EXPECT_THAT(Lowered(text, options), AllOf(HasSubstr("f32[5]"), Not(HasSubstr("custom-call"))));
  options.dimensions["b"] = 0;
  EXPECT_THAT(Lowered(text, options), HasSubstr("only 1."));
  options.dimensions["c"] = 0;
  EXPECT_THAT(Lowered(text, options), HasSubstr("no symbolic dimension c"));
  EXPECT_THAT(Lowered(text), HasSubstr("--shape b=4"));
}

TEST(Lowering, DimensionsAreEvaluated) {
  std::vector<std::string> missing;
  const std::map<std::string, int64_t> values = {{"b", 7}, {"c", 2}};
  const auto value = [&](const char* text) { return EvaluateDimension(text, values, &missing); };
  EXPECT_EQ(value("2*b + c"), 16);
  EXPECT_EQ(value("b - c - 1"), 4);
  EXPECT_EQ(value("b^2*c"), 98);
  EXPECT_EQ(value("floordiv(b, c)"), 3);
  EXPECT_EQ(value("mod(-1*b, c)"), 1);
  EXPECT_EQ(value("max(b, c) - min(b, c)"), 5);
  EXPECT_EQ(value("-(c)"), -2);
  EXPECT_EQ(value("floordiv(b, 0)"), std::nullopt);
  EXPECT_EQ(value("9223372036854775807 * b"), std::nullopt);
  EXPECT_EQ(value("b +"), std::nullopt);
  EXPECT_TRUE(missing.empty());
  EXPECT_EQ(value("d"), std::nullopt);
  EXPECT_THAT(missing, ::testing::ElementsAre("d"));
}

TEST(Lowering, FunctionsOfChloAreOperationsOrFormulas) {
  const std::string text = Function("%a: tensor<4xf32>", "tensor<4xf32>",
                                    "%r = chlo.acos %a : tensor<4xf32> -> tensor<4xf32>");
  EXPECT_THAT(Lowered(text), HasSubstr("f32[4]{0} acos("));
  ToModuleOptions expanded;
  expanded.expand_chlo = true;
  // Beyond sqrt(65504) the square overflows: the formula has another branch, as XLA's has.
  EXPECT_THAT(Lowered(Function("%a: tensor<4xf16>", "tensor<4xf16>",
                               "%r = chlo.asinh %a : tensor<4xf16> -> tensor<4xf16>"),
                      expanded),
              HasSubstr("constant(255.88)"));
  EXPECT_THAT(Lowered(Function("%a: tensor<4xbf16>", "tensor<4xbf16>",
                               "%r = chlo.acosh %a : tensor<4xbf16> -> tensor<4xbf16>"),
                      expanded),
              HasSubstr("constant(1.695e+38)"));
  EXPECT_THAT(Lowered(text, expanded), AllOf(HasSubstr("atan2("), Not(HasSubstr("acos("))));
  // Narrow types are computed in f32 and rounded once.
  EXPECT_THAT(Lowered(Function("%a: tensor<4xbf16>", "tensor<4xbf16>",
                               "%r = chlo.lgamma %a : tensor<4xbf16> -> tensor<4xbf16>")),
              AllOf(HasSubstr("f32[4]{0} convert(%Arg_0)"),
                    HasSubstr("ROOT %convert.1 = bf16[4]{0} convert(")));
  EXPECT_THAT(
      Lowered(Function("%a: tensor<2xi1>, %b: tensor<3x2xf32>, %c: tensor<f32>", "tensor<3x2xf32>",
                       "%r = chlo.broadcast_select %a, %b, %c : (tensor<2xi1>, "
                       "tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>")),
      HasSubstr("f32[3,2]{1,0} select(%broadcast, %Arg_1, %broadcast.1)"));
}

// Sizes that the program does not declare follow from groups, from the widths of elements, from
// operands that are sizes, or from the declared result.
TEST(Lowering, UndeclaredSizesFollow) {
  const auto groups = "replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>";
  EXPECT_THAT(Lowered(Function("%a: tensor<2x5xf32>", "tensor<2x?xf32>",
                               absl::StrCat("%r = \"stablehlo.all_gather\"(%a) {all_gather_dim = 1 "
                                            ": i64, ",
                                            groups, "} : (tensor<2x5xf32>) -> tensor<2x?xf32>"))),
              HasSubstr("f32[2,15]{1,0} all-gather("));
  EXPECT_THAT(Lowered(Function("%a: tensor<6x5xf32>", "tensor<?x5xf32>",
                               absl::StrCat("%r = \"stablehlo.reduce_scatter\"(%a) ", kSum,
                                            " {scatter_dimension = 0 : i64, ", groups,
                                            "} : (tensor<6x5xf32>) -> tensor<?x5xf32>"))),
              HasSubstr("f32[2,5]{1,0} reduce-scatter("));
  EXPECT_THAT(Lowered(Function("%a: tensor<3xf32>", "tensor<?x?xui8>",
                               "%r = stablehlo.bitcast_convert %a : (tensor<3xf32>) -> "
                               "tensor<?x?xui8>")),
              HasSubstr("u8[3,4]{1,0} bitcast-convert("));
  EXPECT_THAT(Lowered(Function("%a: tensor<3x2xui16>", "tensor<?xi32>",
                               "%r = stablehlo.bitcast_convert %a : (tensor<3x2xui16>) -> "
                               "tensor<?xi32>")),
              HasSubstr("s32[3]{0} bitcast-convert("));
  // Sizes of a custom call are not operands of its target.
  EXPECT_THAT(Lowered(Function("%a: tensor<4xf32>", "tensor<?x2xf32>",
                               "%s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>\n"
                               "%r = stablehlo.custom_call @mine(%a, %s) "
                               "{indices_of_shape_operands = dense<[1]> : tensor<1xi64>} : "
                               "(tensor<4xf32>, tensor<2xi64>) -> tensor<?x2xf32>")),
              HasSubstr("f32[3,2]{1,0} custom-call(%Arg_0), custom_call_target=\"mine\""));
  EXPECT_THAT(Lowered(Function("%a: tensor<4xf32>, %s: tensor<2xi64>", "tensor<?x2xf32>",
                               "%r = stablehlo.custom_call @mine(%a, %s) "
                               "{indices_of_shape_operands = dense<[1]> : tensor<1xi64>} : "
                               "(tensor<4xf32>, tensor<2xi64>) -> tensor<?x2xf32>")),
              HasSubstr("the sizes of result 0 of the custom call @mine are not known"));
  // Nor are they counted where operands have numbers.
  const auto aliased = [](int64_t operand) {
    return Lowered(Function(
        "%a: tensor<3x2xf32>", "tensor<?x2xf32>",
        absl::StrCat("%s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>\n"
                     "%r = stablehlo.custom_call @mine(%s, %a) {indices_of_shape_operands = "
                     "dense<[0]> : tensor<1xi64>, output_operand_aliases = "
                     "[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = ",
                     operand,
                     ", operand_tuple_indices = []>]} : (tensor<2xi64>, tensor<3x2xf32>) -> "
                     "tensor<?x2xf32>")));
  };
  EXPECT_THAT(aliased(1), HasSubstr("output_to_operand_aliasing={{}: (0, {})}"));
  EXPECT_THAT(aliased(0), HasSubstr("output_operand_aliases names operand 0, which is the sizes"));
  EXPECT_THAT(Lowered(Function("%a: tensor<5x4xf32>, %i: tensor<3x1xi32>, %s: tensor<2xi32>",
                               "tensor<3x4xf32>",
                               "%r = \"stablehlo.dynamic_gather\"(%a, %i, %s) {dimension_numbers = "
                               "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
                               "start_index_map = [0], index_vector_dim = 1>} : (tensor<5x4xf32>, "
                               "tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x4xf32>")),
              HasSubstr("slice_sizes={1,4}"));
  // Three elements in steps of two are five.
  const std::string slice = Lowered(
      Function("%a: tensor<9xf32>, %i: tensor<1xi64>", "tensor<?xf32>",
               "%n = stablehlo.constant dense<6> : tensor<1xi64>\n"
               "%e = stablehlo.add %i, %n : tensor<1xi64>\n"
               "%t = stablehlo.constant dense<2> : tensor<1xi64>\n"
               "%r = stablehlo.real_dynamic_slice %a, %i, %e, %t : (tensor<9xf32>, tensor<1xi64>, "
               "tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>"));
  EXPECT_THAT(slice, AllOf(HasSubstr("dynamic_slice_sizes={5}"), HasSubstr("slice={[0:5:2]}"),
                           HasSubstr("f32[3]{0} slice(")));
  // A hostile distance: with the stride it is above what 64 bits hold.
  EXPECT_THAT(
      Lowered(Function("%a: tensor<9xf32>, %i: tensor<1xi64>", "tensor<?xf32>",
                       "%n = stablehlo.constant dense<9223372036854775807> : tensor<1xi64>\n"
                       "%e = stablehlo.add %i, %n : tensor<1xi64>\n"
                       "%t = stablehlo.constant dense<2> : tensor<1xi64>\n"
                       "%r = stablehlo.real_dynamic_slice %a, %i, %e, %t : (tensor<9xf32>, "
                       "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>")),
      HasSubstr("dimension 0 of the slice has more elements than f32[9]"));
  EXPECT_THAT(
      Lowered(Function("%a: tensor<9xf32>", "tensor<?xf32>",
                       "%i = stablehlo.constant dense<-9223372036854775808> : tensor<1xi64>\n"
                       "%e = stablehlo.constant dense<9223372036854775807> : tensor<1xi64>\n"
                       "%t = stablehlo.constant dense<9223372036854775807> : tensor<1xi64>\n"
                       "%r = stablehlo.real_dynamic_slice %a, %i, %e, %t : (tensor<9xf32>, "
                       "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>")),
      HasSubstr("ERROR: "));
  // The value decides the type of what is like an operand in shape only.
  EXPECT_THAT(Lowered(Function("%a: tensor<2xi64>", "tensor<2xf32>",
                               "%r = \"chlo.constant_like\"(%a) {value = 1.5 : f32} : "
                               "(tensor<2xi64>) -> tensor<2xf32>")),
              HasSubstr("f32[] constant(1.5)"));
}

// Numbers of inputs and of carries that do not add up to the operands and the results.
TEST(Lowering, SegmentsOfScansAddUp) {
  const auto lowered = [](absl::string_view operands, absl::string_view results) {
    return Lowered(absl::StrCat(
        "func.func @main(%a: tensor<2xf32>, %b: tensor<f32>) -> tensor<2xf32> {\n  %r:2 = "
        "\"chlo.scan\"(%a, %b) <{dimension = 0 : i64, operandSegmentSizes = array<i32: ",
        operands, ">, resultSegmentSizes = array<i32: ", results,
        ">}> ({\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %s = stablehlo.add %x, %y : "
        "tensor<f32>\n  stablehlo.return %s, %s : tensor<f32>, tensor<f32>\n }) : (tensor<2xf32>, "
        "tensor<f32>) -> (tensor<2xf32>, tensor<f32>)\n  return %r#0 : tensor<2xf32>\n}\n"));
  };
  EXPECT_THAT(lowered("1, 1", "1, 1"), HasSubstr("scan("));
  EXPECT_THAT(lowered("33, 1", "1, 1"), HasSubstr("operandSegmentSizes must say"));
  EXPECT_THAT(lowered("1, 1", "2, 1"), HasSubstr("resultSegmentSizes must say"));
}

// Found by mutation: as many letters as there should be, but another one.
TEST(Lowering, ResultsOfEinsumsHaveLettersOfOperands) {
  EXPECT_THAT(Lowered(Function("%a: tensor<2x3xf32>, %b: tensor<3x4xf32>", "tensor<2x4xf32>",
                               "%r = \"stablehlo.einsum\"(%a, %b) {einsum_config = "
                               "\"ab,bc->xc\"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> "
                               "tensor<2x4xf32>")),
              HasSubstr("sums over a letter of one operand"));
}

// Of a value as a whole these say where its parts, or the terms of a sum, lie.
TEST(Lowering, CollectivesOfShardyChangeNoValue) {
  EXPECT_THAT(
      Lowered("sdy.mesh @m = <[\"x\"=2]>\n" +
              Function("%a: tensor<4xf32>", "tensor<4xf32>",
                       "%0 = sdy.sharded_to_unreduced [{\"x\"}] %a out_sharding=<@m, [{}]> : "
                       "tensor<4xf32>\n"
                       "%1 = sdy.all_reduce {\"x\"} %0 out_sharding=<@m, [{}]> : tensor<4xf32>\n"
                       "%2 = sdy.reduce_scatter [{\"x\"}] %1 out_sharding=<@m, [{\"x\"}]> : "
                       "tensor<4xf32>\n"
                       "%r = stablehlo.negate %2 : tensor<4xf32>")),
      HasSubstr("f32[4]{0} negate(%Arg_0)"));
}

// Arithmetic and shapes of other dialects; integers of one bit are sums modulo 2 and -1 where they
// have a sign.
TEST(Lowering, LeftoversOfOtherDialectsAreUnderstood) {
  const auto lowered = [](const std::string& type, const std::string& body) {
    return Lowered(Function(absl::StrCat("%a: ", type, ", %b: ", type), type, body));
  };
  EXPECT_THAT(lowered("tensor<2xf32>", "%r = arith.remf %a, %b : tensor<2xf32>"),
              HasSubstr("f32[2]{0} remainder(%Arg_0, %Arg_1)"));
  EXPECT_THAT(lowered("tensor<2xf32>", "%r = arith.negf %a : tensor<2xf32>"),
              HasSubstr("negate(%Arg_0)"));
  EXPECT_THAT(lowered("tensor<i1>", "%r = arith.addi %a, %b : tensor<i1>"),
              HasSubstr("pred[] xor(%Arg_0, %Arg_1)"));
  EXPECT_THAT(lowered("tensor<i1>", "%r = arith.maxsi %a, %b : tensor<i1>"),
              HasSubstr("integers of one bit"));
  EXPECT_THAT(lowered("tensor<2xf32>",
                      "%p = arith.cmpf olt, %a, %b : tensor<2xf32>\n"
                      "%r = arith.select %p, %a, %b : tensor<2xi1>, tensor<2xf32>"),
              AllOf(HasSubstr("direction=LT"), HasSubstr("f32[2]{0} select(%compare, %Arg_0")));
  EXPECT_THAT(lowered("tensor<2xi32>",
                      "%p = arith.cmpi ult, %a, %b : tensor<2xi32>\n"
                      "%r = arith.select %p, %a, %b : tensor<2xi1>, tensor<2xi32>"),
              AllOf(HasSubstr("u32[2]{0} bitcast-convert(%Arg_0)"), HasSubstr("direction=LT"),
                    HasSubstr("compare(%bitcast-convert, %bitcast-convert.1)")));
  EXPECT_THAT(lowered("tensor<2xf32>",
                      "%p = arith.cmpf ult, %a, %b : tensor<2xf32>\n"
                      "%r = arith.select %p, %a, %b : tensor<2xi1>, tensor<2xf32>"),
              AllOf(HasSubstr("direction=GE"), HasSubstr("not(%compare)")));
  EXPECT_THAT(lowered("tensor<2xi1>", "%r = arith.cmpi sgt, %a, %b : tensor<2xi1>"),
              AllOf(HasSubstr("compare(%Arg_1, %Arg_0)"), HasSubstr("direction=GT")));
  EXPECT_THAT(lowered("tensor<2xf32>",
                      "%p = arith.cmpf uno, %a, %b : tensor<2xf32>\n"
                      "%r = arith.select %p, %a, %b : tensor<2xi1>, tensor<2xf32>"),
              HasSubstr("this predicate has no counterpart"));
  EXPECT_THAT(Lowered(Function("%a: tensor<3xi1>", "tensor<3xi32>",
                               "%r = arith.extsi %a : tensor<3xi1> to tensor<3xi32>")),
              AllOf(HasSubstr("s32[3]{0} convert(%Arg_0)"), HasSubstr("negate(%convert)")));
  // Of false +0: the negative is taken of integers.
  EXPECT_THAT(Lowered(Function("%a: tensor<3xi1>", "tensor<3xf32>",
                               "%r = arith.sitofp %a : tensor<3xi1> to tensor<3xf32>")),
              AllOf(HasSubstr("s32[3]{0} convert(%Arg_0)"), HasSubstr("s32[3]{0} negate(%convert)"),
                    HasSubstr("f32[3]{0} convert(%negate)")));
  EXPECT_THAT(Lowered(Function("%a: tensor<3xi32>", "tensor<3xi1>",
                               "%r = arith.trunci %a : tensor<3xi32> to tensor<3xi1>")),
              AllOf(HasSubstr("s32[3]{0} and("), HasSubstr("pred[3]{0} convert(%and)")));
  EXPECT_THAT(Lowered(Function("", "tensor<?x?xf32>",
                               "%s = shape.const_shape [2, 1] : tensor<2xindex>\n"
                               "%t = shape.const_shape [4] : tensor<1xindex>\n"
                               "%u = shape.broadcast %s, %t : tensor<2xindex>, tensor<1xindex> -> "
                               "tensor<2xindex>\n"
                               "%r = stablehlo.dynamic_iota %u, dim = 1 : (tensor<2xindex>) -> "
                               "tensor<?x?xf32>")),
              HasSubstr("f32[2,4]{1,0} iota()"));
  EXPECT_THAT(Lowered(Function("%a: tensor<6xf32>", "tensor<?xi32>",
                               "%s = shape.const_shape [2, 3] : tensor<2xindex>\n"
                               "%n = shape.num_elements %s : tensor<2xindex> -> index\n"
                               "%l = tensor.from_elements %n : tensor<1xindex>\n"
                               "%r = stablehlo.dynamic_iota %l, dim = 0 : (tensor<1xindex>) -> "
                               "tensor<?xi32>")),
              HasSubstr("s32[6]{0} iota()"));
}

TEST(Lowering, ShardyBecomesWhatXlaImports) {
  const std::string text = Lowered(R"(
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a", ?}, {?}]> : tensor<8x4xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"}, {"b"}]>] out_shardings=[<@mesh, [{"a"}, {"b"}]>] manual_axes={"a", "b"} (%y: tensor<2x2xf32>) {
    %2 = stablehlo.negate %y : tensor<2x2xf32>
    sdy.return %2 : tensor<2x2xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
})");
  EXPECT_THAT(text, HasSubstr("xla.sdy.meshes={mesh = #sdy.mesh<[\"a\"=4, \"b\"=2]>}"));
  // b cuts the first dimension: devices 0, 2, 4, 6 have its first half.
  EXPECT_THAT(text, HasSubstr("sharding={devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"));
  EXPECT_THAT(text, HasSubstr("sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}"));
  EXPECT_THAT(text, HasSubstr("f32[2,2]{1,0} custom-call(%custom-call), "
                              "custom_call_target=\"xla.sdy.GlobalToLocalShape\""));
  EXPECT_THAT(text, HasSubstr("xla.sdy.manual_axes=\"#sdy<manual_axes{\\\"a\\\", \\\"b\\\"}>\""));
  EXPECT_THAT(text, HasSubstr("xla.sdy.FuncResultSharding"));
}

TEST(Lowering, ShardingStringsAreTextOrProto) {
  const std::optional<Sharding> text = ReadShardingString("{devices=[2,1]<=[2]}");
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(text->tile_dimensions, std::vector<int64_t>({2, 1}));
  // OpSharding{type = OTHER (3), tile_assignment_dimensions = [2], tile_assignment_devices = [1,
  // 0]}.
  const std::optional<Sharding> proto =
      ReadShardingString(absl::string_view("\x08\x03\x1a\x01\x02\x22\x02\x01\x00", 9));
  ASSERT_TRUE(proto.has_value());
  EXPECT_EQ(proto->devices, std::vector<int64_t>({1, 0}));
  EXPECT_FALSE(ReadShardingString("{nonsense}").has_value());
}

}  // namespace
}  // namespace assay::stablehlo
