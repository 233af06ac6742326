// What programs become: a program and the instructions that it must have, by the rules of StableHLO
// and XLA's table of operations (reference stablehlo_format.md 7 to 10), worked out by hand.
#include "spec/stablehlo/to_module.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/sharding/sdy_shardings.h"
#include "spec/sharding/tiles.h"
#include "spec/stablehlo/text.h"
#include "spec/text/printer.h"

namespace assay::stablehlo {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<ConvertedProgram> Convert(const std::string& text, ToModuleOptions options = {}) {
  absl::StatusOr<std::unique_ptr<Program>> program = ParseText(text, "f.mlir");
  if (!program.ok()) return program.status();
  options.file_name = "f.mlir";
  return ToModule(**program, options);
}

// The HLO text of a program.
std::string HloOf(const std::string& text, const ToModuleOptions& options = {}) {
  absl::StatusOr<ConvertedProgram> converted = Convert(text, options);
  if (!converted.ok()) return absl::StrCat("ERROR: ", converted.status().message());
  return PrintModule(*converted->module, PrintOptions::Default());
}

std::string ErrorOf(const std::string& text, const ToModuleOptions& options = {}) {
  const absl::Status status = Convert(text, options).status();
  return status.ok() ? "no error" : std::string(status.message());
}

// One operation on arguments: "%r = OP : TYPE" in a function.
std::string Main(const std::string& arguments, const std::string& result, const std::string& body) {
  return absl::StrCat("func.func @main(", arguments, ") -> ", result, " {\n  ", body,
                      "\n  return %r : ", result, "\n}\n");
}

struct Row {
  const char* arguments;
  const char* result;
  const char* operation;
  const char* hlo;
};

TEST(ToModule, OperationsBecomeWhatTheyMean) {
  const Row rows[] = {
      {"%a: tensor<2xf32>", "tensor<2xf32>", "%r = stablehlo.sine %a : tensor<2xf32>",
       "f32[2]{0} sine("},
      {"%a: tensor<2xf32>", "tensor<2xf32>", "%r = stablehlo.round_nearest_even %a : tensor<2xf32>",
       "f32[2]{0} round-nearest-even("},
      {"%a: tensor<2xi1>, %b: tensor<2xi1>", "tensor<2xi1>",
       "%r = stablehlo.add %a, %b : tensor<2xi1>", "pred[2]{0} add("},
      {"%a: tensor<2xf32>, %b: tensor<2xf32>", "tensor<2xi1>",
       "%r = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> "
       "tensor<2xi1>",
       "direction=LT, type=TOTALORDER"},
      {"%a: tensor<2x3xf32>", "tensor<3x2xf32>",
       "%r = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
       "transpose(%Arg_0), dimensions={1,0}"},
      {"", "tensor<2x3xi32>", "%r = stablehlo.iota dim = 1 : tensor<2x3xi32>",
       "iota(), iota_dimension=1"},
      {"%a: tensor<4xf32>", "tensor<2xf32>",
       "%r = stablehlo.slice %a [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>", "slice={[1:4:2]}"},
      {"%a: tensor<2xf32>, %b: tensor<f32>", "tensor<6xf32>",
       "%r = stablehlo.pad %a, %b, low = [1], high = [2], interior = [1] : (tensor<2xf32>, "
       "tensor<f32>) -> tensor<6xf32>",
       "padding=1_2_1"},
      // A dimension of size 1 that grows is no broadcast of HLO.
      {"%a: tensor<1x2xf32>", "tensor<3x2xf32>",
       "%r = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<1x2xf32>) -> tensor<3x2xf32>",
       "f32[3,2]{1,0} broadcast(%reshape), dimensions={1}"},
      // Neither are dimensions out of order.
      {"%a: tensor<2x3xf32>", "tensor<3x2xf32>",
       "%r = stablehlo.broadcast_in_dim %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
       "broadcast(%transpose), dimensions={0,1}"},
      {"%a: tensor<2x3xf32>, %b: tensor<3x4xbf16>", "tensor<2x4xf32>",
       "%c = stablehlo.convert %b : (tensor<3x4xbf16>) -> tensor<3x4xf32>\n"
       "%r = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0], precision = [HIGHEST, "
       "DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>",
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,default}"},
      {"%a: tensor<2x3xf32>, %b: tensor<3x4xf32>", "tensor<2x4xf32>",
       "%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = "
       "<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, "
       "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, "
       "allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> "
       "tensor<2x4xf32>",
       "algorithm=dot_bf16_bf16_f32_x3"},
      {"%a: tensor<2x3xf32>, %b: tensor<4x3xf32>", "tensor<4x2xf32>",
       "%r = stablehlo.einsum %a, %b, config = \"ij,kj->ki\" : (tensor<2x3xf32>, "
       "tensor<4x3xf32>) -> tensor<4x2xf32>",
       "transpose(%dot), dimensions={1,0}"},
      {"%a: tensor<1x1x4xf32>, %b: tensor<1x1x2xf32>", "tensor<1x1x5xf32>",
       "%r = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = "
       "{pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
       "(tensor<1x1x4xf32>, tensor<1x1x2xf32>) -> tensor<1x1x5xf32>",
       "window={size=2 pad=1_1}, dim_labels=bf0_oi0->bf0"},
      {"%a: tensor<2x3xf32>, %b: tensor<f32>", "tensor<2xf32>",
       "%r = stablehlo.reduce(%a init: %b) applies stablehlo.maximum across dimensions = [1] : "
       "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
       "dimensions={1}, to_apply=%region_0"},
      {"%a: tensor<2xui32>", "tensor<2xui32>",
       "%n = stablehlo.count_leading_zeros %a : tensor<2xui32>\n"
       "%r = stablehlo.shift_left %a, %n : tensor<2xui32>",
       "u32[2]{0} shift-left(%Arg_0, %count-leading-zeros)"},
      {"%a: tensor<3x2xf32>, %i: tensor<i32>", "tensor<1x2xf32>",
       "%z = stablehlo.constant dense<0> : tensor<i32>\n"
       "%r = stablehlo.dynamic_slice %a, %i, %z, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i32>, "
       "tensor<i32>) -> tensor<1x2xf32>",
       "dynamic_slice_sizes={1,2}"},
      {"%a: tensor<4xf32>", "tensor<4xf32>",
       "%r = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>",
       "exponent_bits=5, mantissa_bits=10"},
      {"%a: tensor<2x2xf32>", "tensor<2x2xf32>",
       "%r = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>", "lower=true"},
      {"%a: tensor<4xcomplex<f32>>", "tensor<4xcomplex<f32>>",
       "%r = stablehlo.fft %a, type = IFFT, length = [4] : (tensor<4xcomplex<f32>>) -> "
       "tensor<4xcomplex<f32>>",
       "fft_type=IFFT, fft_length={4}"},
      // Equal elements are one element, spread.
      {"", "tensor<4x8xf32>", "%r = stablehlo.constant dense<2.5> : tensor<4x8xf32>",
       "broadcast(%constant), dimensions={}"},
      // 255 is -1 in eight bits, and two equal elements are one, spread.
      {"", "tensor<2xi8>", "%r = stablehlo.constant dense<[-1, 255]> : tensor<2xi8>",
       "s8[] constant(-1)"},
      {"", "tensor<2xi8>", "%r = stablehlo.constant dense<[254, 127]> : tensor<2xi8>",
       "s8[2]{0} constant({-2, 127})"},
      {"%a: tensor<?xf32, #stablehlo.bounds<4>>", "tensor<?xf32, #stablehlo.bounds<4>>",
       "%r = stablehlo.abs %a : tensor<?xf32, #stablehlo.bounds<4>>", "f32[<=4]{0} abs("},
      {"%a: tensor<4xf32>", "tensor<i32>",
       "%r = stablehlo.get_dimension_size %a, dim = 0 : (tensor<4xf32>) -> tensor<i32>",
       "s32[] constant(4)"},
      {"%a: tensor<3x4xf32>, %i: tensor<2xi32>", "tensor<2x4xf32>",
       "%r = \"stablehlo.torch_index_select\"(%a, %i) {dim = 0 : i64, batch_dims = 0 : i64} : "
       "(tensor<3x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>",
       "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}"},
      {"%a: tensor<4xf32>", "tensor<4xf32>",
       "%r = stablehlo.custom_call @foo(%a) {backend_config = {n = 3 : i32}, api_version = 4 : "
       "i32, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>",
       "custom_call_target=\"foo\", custom_call_has_side_effect=true, "
       "api_version=API_VERSION_TYPED_FFI, backend_config={n = 3 : i32}"},
      {"%a: tensor<4xf32>", "tensor<4xf32>", "%r = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>",
       "f32[4]{0} erf("},
      {"%a: tensor<4xf32>", "tensor<4xf32>", "%r = chlo.atan %a : tensor<4xf32> -> tensor<4xf32>",
       "atan2(%Arg_0, %broadcast)"},
      {"%a: tensor<4xf32>, %b: tensor<3x1xf32>", "tensor<3x4xf32>",
       "%r = chlo.broadcast_add %a, %b : (tensor<4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>",
       "f32[3,4]{1,0} add("},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(HloOf(Main(row.arguments, row.result, row.operation)), HasSubstr(row.hlo))
        << row.operation;
  }
}

TEST(ToModule, TuplesOfResultsAreTakenApart) {
  const std::string text = HloOf(R"(
func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>) -> (tensor<4xi32>, tensor<2xf32>, tensor<2xi32>) {
  %0:2 = "stablehlo.sort"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {is_stable = true} : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  %1:2 = chlo.top_k(%0#0, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return %0#1, %1#0, %1#1 : tensor<4xi32>, tensor<2xf32>, tensor<2xi32>
})");
  EXPECT_THAT(text, HasSubstr("sort(%Arg_0, %Arg_1), dimensions={0}, is_stable=true"));
  EXPECT_THAT(text,
              HasSubstr("(f32[2]{0}, s32[2]{0}) topk(%get-tuple-element), k=2, largest=true"));
  EXPECT_THAT(text, HasSubstr("ROOT %tuple = (s32[4]{0}, f32[2]{0}, s32[2]{0}) tuple("));
}

TEST(ToModule, BranchesAndLoopsTakeWhatTheyCapture) {
  const std::string text = HloOf(R"(
func.func @main(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = "stablehlo.if"(%p) ({
    %a = stablehlo.add %x, %y : tensor<2xf32>
    stablehlo.return %a : tensor<2xf32>
  }, {
    stablehlo.return %y : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  %1:2 = stablehlo.while(%i = %one, %v = %0) : tensor<i32>, tensor<2xf32>
   cond {
    %c = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.multiply %v, %x : tensor<2xf32>
    stablehlo.return %n, %w : tensor<i32>, tensor<2xf32>
  }
  return %1#1, %1#0 : tensor<2xf32>, tensor<i32>
})");
  EXPECT_THAT(text, HasSubstr("conditional(%Arg_0, %tuple, %Arg_2)"));
  // The two carried values, then what the body captures; the constant is copied instead.
  EXPECT_THAT(text, HasSubstr("(s32[], f32[2]{0}, f32[2]{0}) while("));
}

TEST(ToModule, FunctionsAreSharedAndNotCalledOnesAreLeftOut) {
  const std::string text = HloOf(R"(
func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @unused(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @twice(%x) : (tensor<f32>) -> tensor<f32>
  %1 = call @twice(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
})");
  EXPECT_THAT(text, HasSubstr("call(%call), to_apply=%twice"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("unused")));
}

TEST(ToModule, TheModuleSaysHowItRuns) {
  const absl::StatusOr<ConvertedProgram> converted = Convert(R"(
module @jit_f attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 3 : i32} {
  func.func public @main(%arg0: tensor<4xf32> {tf.aliasing_output = 1 : i32, mhlo.sharding = "{devices=[2]<=[2]}"} loc("x"),
                         %arg1: tensor<4xf32> {jax.buffer_donor = true})
      -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32> loc(#loc1)
    return %0, %arg1 : tensor<4xf32>, tensor<4xf32>
  }
}
#loc1 = loc("jit(f)/add"("model.py":7:3))
)");
  ASSERT_TRUE(converted.ok()) << converted.status();
  const Module& module = *converted->module;
  EXPECT_EQ(module.name(), "jit_f");
  EXPECT_EQ(module.num_partitions, 2);
  EXPECT_EQ(module.replica_count, 3);
  ASSERT_EQ(module.input_output_alias.size(), 1u);
  EXPECT_EQ(module.input_output_alias[0].output_index, ShapeIndex({1}));
  ASSERT_EQ(module.buffer_donors.size(), 1u);
  EXPECT_EQ(module.buffer_donors[0].parameter_number, 1);
  const std::vector<Instruction*> parameters = module.entry()->parameters();
  EXPECT_EQ(parameters[0]->name(), "x");
  EXPECT_TRUE(parameters[0]->annotations().sharding.has_value());
  EXPECT_THAT(converted->result_names, ::testing::ElementsAre("result[0]", "result[1]"));
  const Instruction* add = module.entry()->root()->operand(0);
  ASSERT_EQ(add->opcode(), Opcode::kAdd);
  EXPECT_EQ(add->annotations().metadata->op_name, "jit(f)/add");
  EXPECT_EQ(add->annotations().metadata->source_file, "model.py");
  EXPECT_EQ(add->annotations().metadata->source_line, 7);
}

// JAX's attributes of arguments and results become the layouts of the entry.
TEST(ToModule, LayoutsAndMemoriesOfTheBorder) {
  const std::string text = HloOf(R"(
func.func @main(%x: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"},
                %y: tensor<2xf32> {mhlo.layout_mode = "default"})
    -> (tensor<2x3xf32> {mhlo.layout_mode = "auto", mhlo.memory_kind = "pinned_host"},
        tensor<2xf32> {mhlo.layout_mode = "{0}", mhlo.memory_kind = "device"}) {
  return %x, %y : tensor<2x3xf32>, tensor<2xf32>
})");
  EXPECT_THAT(text, HasSubstr("entry_computation_layout={(f32[2,3]{0,1}, f32[2]{0})->"
                              "(f32[2,3]{1,0:S(5)}, f32[2]{0})}"));
  EXPECT_THAT(ErrorOf("func.func @main(%x: tensor<2x3xf32> {mhlo.layout_mode = \"{0,0}\"}) -> "
                      "tensor<2x3xf32> { return %x : tensor<2x3xf32> }"),
              HasSubstr("or a layout of f32[2,3] such as \"{0,1}\", not \"{0,0}\""));
}

// An argument that is a sum over devices has no tiles to say so: Shardy's attribute stays alone.
TEST(ToModule, AnUnreducedArgumentKeepsItsSharding) {
  const absl::StatusOr<ConvertedProgram> converted = Convert(R"(
module @m attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"y"}>}) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
})");
  ASSERT_TRUE(converted.ok()) << converted.status();
  const absl::StatusOr<std::optional<Sharding>> sharding =
      WrittenSharding(*converted->module->entry()->parameters()[0]);
  ASSERT_TRUE(sharding.ok()) << sharding.status();
  ASSERT_TRUE(sharding->has_value());
  const absl::StatusOr<Placement> placement = TilesOf(**sharding, Shape(ElementType::kF32, {4}), 4);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_EQ(placement->summands, 2);
  EXPECT_EQ(placement->tile_sizes[0], 2);
}

// As exports for one device from 2025 have it; the expected texts are those of XLA's import, which
// does not understand a list of one device.
TEST(ToModule, OneTileIsReplicated) {
  const std::string text = HloOf(R"(
module @m attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%x: tensor<1xf32> {mhlo.sharding = "{devices=[1]<=[1]}"}, %y: tensor<2x2xf32> {mhlo.sharding = "{devices=[1,1]0}"})
      -> (tensor<1xf32> {mhlo.sharding = "{devices=[1]<=[1]}"}) {
    return %x : tensor<1xf32>
  }
})");
  EXPECT_THAT(text, HasSubstr("f32[1]{0} parameter(0), sharding={replicated}"));
  EXPECT_THAT(text, HasSubstr("f32[2,2]{1,0} parameter(1)\n"));
}

TEST(ToModule, SizesFollowFromSymbolsAndArguments) {
  const std::string text = Main("%a: tensor<?x3xf32>", "tensor<?xf32>", R"(
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %m = stablehlo.multiply %n, %three : tensor<i32>
  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_reshape %a, %s : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>)");
  ToModuleOptions options;
  options.argument_sizes[0] = {5, 3};
  EXPECT_THAT(HloOf(text, options), HasSubstr("f32[15]{0} reshape("));
  EXPECT_THAT(ErrorOf(text), HasSubstr("--shape arg0=4x4"));
  options.argument_sizes[0] = {5, 4};
  EXPECT_THAT(ErrorOf(text, options), HasSubstr("dimension 1 of argument 0 is 3, not 4"));
}

TEST(ToModule, ErrorsSayWhereAndWhat) {
  struct Refused {
    std::string text;
    std::vector<const char*> pieces;
  };
  const Refused rows[] = {
      {"func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.add %a, %a : "
       "tensor<2xf32>\n  %1 = \"stablehlo.concatenate\"(%0, %a) {dimension = 3 : i64} : "
       "(tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>\n  return %0 : tensor<2xf32>\n}",
       {"f.mlir:3:8: stablehlo.concatenate:", "[concatenate (C4)]"}},
      {"func.func @f() { return }\nfunc.func @g() { return }",
       {"there is no function @main", "--entry NAME", "f, g"}},
      {"func.func private @g(tensor<f32>) -> tensor<f32>\nfunc.func @main(%a: tensor<f32>) -> "
       "tensor<f32> {\n  %0 = call @g(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : "
       "tensor<f32>\n}",
       {"f.mlir:1:1: func.func:", "@g is declared without a body"}},
      {"func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = call @main(%a) : (tensor<f32>) "
       "-> tensor<f32>\n  return %0 : tensor<f32>\n}",
       {"calls itself"}},
      {Main("%a: tensor<2x!quant.uniform<i8:f32, 0.5>>", "tensor<2xf32>",
            "%r = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> "
            "tensor<2xf32>"),
       {"quantised type", "legalize-quant-to-math"}},
      {Main("%a: tensor<*xf32>", "tensor<*xf32>", "%r = stablehlo.abs %a : tensor<*xf32>"),
       {"without a rank"}},
      {Main("%a: tensor<2xf32>, %b: tensor<f32>, %y: tensor<1xf32>", "tensor<f32>", R"(
  %r = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %z: tensor<f32>):
    %w = stablehlo.reshape %y : (tensor<1xf32>) -> tensor<f32>
    %s = stablehlo.add %x, %w : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> tensor<f32>)"),
       {"stablehlo.reduce:", "uses argument 2 of func.func at 1:1 from outside, which is f32[1]"}},
      {Main("%a: tensor<2xf32>, %n: tensor<1xi32>", "tensor<?xf32>",
            "%r = stablehlo.dynamic_reshape %a, %n : (tensor<2xf32>, tensor<1xi32>) -> "
            "tensor<?xf32>"),
       {"is not known before the program runs"}},
      {Main("%a: tensor<2x2xf32>, %b: tensor<2x2xf32>", "tensor<2x2xf32>",
            "%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = "
            "<lhs_precision_type = f32, rhs_precision_type = bf16, accumulation_type = f64, "
            "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
            "allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
            "tensor<2x2xf32>"),
       {"dot algorithm dot_f32_bf16_f64 is not known"}},
      {R"("func.func"() <{function_type = (tensor<2xf32>) -> tensor<3xf32>, sym_name = "main"}> ({
  ^bb0(%a: tensor<3xf32>):
    "func.return"(%a) : (tensor<3xf32>) -> ()
  }) : () -> ())",
       {"argument 0 is tensor<2xf32> by the function's type, but tensor<3xf32> in its body"}},
      {R"("func.func"() <{function_type = (tensor<3xf32>) -> (), sym_name = "main"}> ({
  ^bb0(%a: tensor<3xf32>):
    "func.return"(%a) : (tensor<3xf32>) -> ()
  }) : () -> ())",
       {"has 0 results by its type, but 1 in its body"}},
      {R"("builtin.module"() ({
  func.func @main() {
    return
  }
}) : () -> i1)",
       {"1:1: builtin.module: must have no operands and no results"}},
      {R"(%r = "func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  "func.return"() : () -> ()
  }) : () -> i1)",
       {"1:6: func.func: must have no operands and no results"}},
      {R"(func.func @main() {
    return
  }
  %r = "func.func"() <{function_type = () -> (), sym_name = "other", sym_visibility = "private"}> ({
  "func.return"() : () -> ()
  }) : () -> i1)",
       {"4:8: func.func: must have no operands and no results"}},
      {R"(%m = "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}> : () -> i1
  func.func @main() {
    return
  })",
       {"1:6: sdy.mesh: must have no operands and no results"}},
      {R"("func.func"() <{function_type = () -> (), sym_name = "main"}> ({
    %r = "func.return"() : () -> i1
  }) : () -> ())",
       {"2:10: func.return: must have no results"}},
      {Main("%a: tensor<2xf32>", "tensor<2xf32>",
            "%r = \"maximum\"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"),
       {"2:8: maximum: is the name of an operation without its dialect, expected "
        "stablehlo.maximum"}},
      {Main("%a: tensor<2xf32>", "tensor<2xf32>",
            "%r = \"largest\"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"),
       {"is the name of an operation without its dialect"}},
  };
  for (const Refused& row : rows) {
    for (const char* piece : row.pieces)
      EXPECT_THAT(ErrorOf(row.text), HasSubstr(piece)) << row.text;
  }
}

TEST(ToModule, ChecksAreOutputsBehindTheResults) {
  const absl::StatusOr<ConvertedProgram> converted = Convert(R"(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<2xf32>
  check.expect_close %0, %a, max_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>
  check.expect_eq_const %0, dense<1.0> : tensor<2xf32>
  return %0 : tensor<2xf32>
})");
  ASSERT_TRUE(converted.ok()) << converted.status();
  EXPECT_EQ(converted->result_count, 1);
  ASSERT_EQ(converted->checks.size(), 2u);
  EXPECT_EQ(converted->checks[0].kind, Check::Kind::kClose);
  EXPECT_EQ(converted->checks[0].max_ulps, 2u);
  EXPECT_EQ(converted->checks[0].actual_output, 1);
  EXPECT_EQ(converted->checks[0].expected_output, 2);
  EXPECT_EQ(converted->checks[1].actual_output, 3);
  ASSERT_TRUE(converted->checks[1].expected.has_value());
  EXPECT_EQ(converted->checks[1].expected->element_count(), 2);
  EXPECT_EQ(converted->module->entry()->root()->operand_count(), 4);
}

}  // namespace
}  // namespace assay::stablehlo
