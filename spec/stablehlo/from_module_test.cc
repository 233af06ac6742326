// Modules as StableHLO programs: worked examples of how computations, tuples and asynchronous
// operations are written, and what is refused. Values:
// conformance/corpus/stablehlo_round_trip_test.cc.
#include "spec/stablehlo/from_module.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/to_module.h"
#include "spec/text/parser.h"

namespace assay::stablehlo {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

absl::StatusOr<std::string> Written(absl::string_view hlo) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(hlo);
  if (!module.ok()) return module.status();
  absl::StatusOr<std::unique_ptr<Program>> program = FromModule(**module);
  if (!program.ok()) return program.status();
  std::string text = PrintText(**program, PrintForm::kPretty);
  // What is written is read back as the same.
  absl::StatusOr<std::unique_ptr<Program>> again = ParseText(text, "written.mlir");
  if (!again.ok()) return again.status();
  EXPECT_EQ(PrintText(**again, PrintForm::kPretty), text);
  return text;
}

std::string WrittenText(absl::string_view hlo) {
  const absl::StatusOr<std::string> text = Written(hlo);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

TEST(FromModuleTest, WritesAFunction) {
  EXPECT_EQ(
      WrittenText("HloModule m\n"
                  "ENTRY e { x = f32[2] parameter(0) c = f32[2] constant({1, 1}) "
                  "s = f32[2] add(x, c) p = pred[2] compare(x, c), direction=LT, type=TOTALORDER "
                  "ROOT t = (f32[2], pred[2]) tuple(s, p) }"),
      "module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {\n"
      "  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi1>) {\n"
      "    %0 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>\n"
      "    %1 = stablehlo.add %arg0, %0 : tensor<2xf32>\n"
      "    %2 = stablehlo.compare LT, %arg0, %0, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> "
      "tensor<2xi1>\n"
      "    return %1, %2 : tensor<2xf32>, tensor<2xi1>\n"
      "  }\n"
      "}\n");
}

TEST(FromModuleTest, LoopsCarryTheLeavesOfTheirTuples) {
  const std::string text = WrittenText(
      "cond { s = (s32[], (f32[2])) parameter(0) i = s32[] get-tuple-element(s), index=0 "
      "n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LT } "
      "body { ROOT s = (s32[], (f32[2])) parameter(0) } "
      "ENTRY e { x = (s32[], (f32[2])) parameter(0) "
      "ROOT w = (s32[], (f32[2])) while(x), condition=cond, body=body }");
  EXPECT_THAT(text, HasSubstr("@main(%arg0: tuple<tensor<i32>, tuple<tensor<2xf32>>>)"));
  EXPECT_THAT(text, HasSubstr(") : tensor<i32>, tensor<2xf32>\n"));
  EXPECT_THAT(text, HasSubstr("stablehlo.tuple"));
}

// Branches have no operands there: they see what is outside.
TEST(FromModuleTest, BranchesSeeTheirOperands) {
  const std::string text = WrittenText(
      "t { a = f32[] parameter(0) ROOT n = f32[] negate(a) } "
      "f { a = (f32[], f32[]) parameter(0) ROOT g = f32[] get-tuple-element(a), index=1 } "
      "ENTRY e { p = pred[] parameter(0) x = f32[] parameter(1) y = f32[] parameter(2) "
      "z = (f32[], f32[]) tuple(x, y) "
      "ROOT c = f32[] conditional(p, x, z), true_computation=t, false_computation=f }");
  EXPECT_THAT(text, HasSubstr("stablehlo.negate %arg1 : tensor<f32>"));
  EXPECT_THAT(text, HasSubstr("stablehlo.return %arg2 : tensor<f32>"));
}

TEST(FromModuleTest, WhatStartsIsWrittenWhereItStarts) {
  const std::string text = WrittenText(
      "ENTRY e { x = f32[2] parameter(0) "
      "s = (f32[2], f32[2]) collective-permute-start(x), channel_id=3, source_target_pairs={{0,1}} "
      "ROOT d = f32[2] collective-permute-done(s) }");
  EXPECT_THAT(text, HasSubstr("\"stablehlo.collective_permute\"(%arg0)"));
  EXPECT_THAT(text, HasSubstr("#stablehlo.channel_handle<handle = 3, type = 1>"));
}

TEST(FromModuleTest, SeveralOperandsArePermutedByThemselves) {
  const std::string text = WrittenText(
      "ENTRY e { x = f32[2] parameter(0) y = s32[3] parameter(1) "
      "ROOT p = (f32[2], s32[3]) collective-permute(x, y), source_target_pairs={{0,1}} }");
  EXPECT_THAT(text, HasSubstr("\"stablehlo.collective_permute\"(%arg0)"));
  EXPECT_THAT(text, HasSubstr("\"stablehlo.collective_permute\"(%arg1)"));
}

TEST(FromModuleTest, TheDeviceThatSendsMayBeAnOperand) {
  const std::string text = WrittenText(
      "HloModule m, replica_count=2\n"
      "ENTRY e { x = f32[2] parameter(0) r = s32[1] parameter(1) "
      "ROOT b = f32[2] collective-broadcast(x, r), replica_groups={{0,1}}, has_dynamic_root=true "
      "}");
  EXPECT_THAT(text, HasSubstr("\"stablehlo.collective_broadcast\"(%arg0, %arg1)"));
  EXPECT_THAT(text, HasSubstr("has_dynamic_root"));
}

// Two replicas of two partitions in one group: HLO gathers by replica first (devices 0, 1, 2, 3),
// StableHLO would by partition first (0, 2, 1, 3), unless the devices are listed.
TEST(FromModuleTest, GroupsOfReplicasAndPartitionsKeepTheirOrder) {
  const std::string text = WrittenText(
      "HloModule m, replica_count=2, num_partitions=2\n"
      "ENTRY e { x = f32[2] parameter(0) ROOT g = f32[8] all-gather(x), channel_id=1, "
      "replica_groups={{0,1}}, dimensions={0} }");
  EXPECT_THAT(text, HasSubstr("replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>"));
  EXPECT_THAT(text, HasSubstr("use_global_device_ids"));
}

TEST(FromModuleTest, CallsAreFunctionsOfLeaves) {
  const std::string text = WrittenText(
      "main { a = (f32[], s32[]) parameter(0) ROOT g = f32[] get-tuple-element(a), index=0 } "
      "ENTRY e { x = f32[] parameter(0) y = s32[] parameter(1) z = (f32[], s32[]) tuple(x, y) "
      "ROOT c = f32[] call(z), to_apply=main }");
  EXPECT_THAT(text, HasSubstr("func.func private @main.1(%arg0: tensor<f32>, %arg1: tensor<i32>)"));
  EXPECT_THAT(text, HasSubstr("call @main.1(%arg0, %arg1)"));
}

TEST(FromModuleTest, CompositesStayComposites) {
  const auto call = [](absl::string_view name) {
    return WrittenText(
        absl::StrCat("impl { a = f32[] parameter(0) ROOT n = f32[] negate(a) } "
                     "ENTRY e { x = f32[] parameter(0) ROOT c = f32[] call(x), to_apply=impl, "
                     "is_composite=true, frontend_attributes={composite.attributes={k = 3 : i64},"
                     "composite.name=\"",
                     name, "\",composite.version=\"2\"} }"));
  };
  EXPECT_THAT(
      call("my.op"),
      HasSubstr("stablehlo.composite \"my.op\" %arg0 {composite_attributes = {k = 3 : i64}, "
                "decomposition = @impl, version = 2 : i32}"));
  EXPECT_THAT(call("chlo.erf"), HasSubstr("call @impl(%arg0)"));
}

TEST(FromModuleTest, WhatHasNoEquivalentIsRefusedByName) {
  const auto error = [](absl::string_view body) {
    const absl::StatusOr<std::string> text = Written(absl::StrCat("ENTRY e { ", body, " }"));
    EXPECT_EQ(text.status().code(), absl::StatusCode::kUnimplemented);
    return std::string(text.status().message());
  };
  EXPECT_THAT(error("ROOT r = u64[2] rng-get-and-update-state(), delta=1"),
              HasSubstr("no equivalent in StableHLO: there is no such operation"));
  EXPECT_THAT(error("x = s1[2] parameter(0) ROOT r = s1[2] not(x)"),
              HasSubstr("values of type s1[2]"));
  EXPECT_THAT(error("x = f32[2,3]{1,0:T(2,2)} parameter(0) ROOT r = f32[6]{0} bitcast(x)"),
              HasSubstr("it depends on a layout that is more than an order of dimensions"));
  EXPECT_THAT(error("x = s4[3] parameter(0) ROOT r = u8[2] bitcast(x)"),
              HasSubstr("its last byte is filled up"));
  EXPECT_THAT(error("x = u64[2] parameter(0) ROOT r = f6e3m2fn[2,8] bitcast-convert(x)"),
              HasSubstr("elements of 6 bits take a byte in HLO, and 6 bits there"));
  EXPECT_THAT(error("x = f16[1,2] parameter(0) y = bf16[2,3] parameter(1) "
                    "ROOT r = f16[1,3] convolution(x, y), dim_labels=bf_io->bf"),
              HasSubstr("its operands have two element types"));
  EXPECT_THAT(error("x = f16[2] parameter(0) y = bf16[2] parameter(1) ROOT r = f16[2] add(x, y)"),
              HasSubstr("its operands have two element types"));
  EXPECT_THAT(error("x = f32[2] parameter(0) ROOT r = f16[2] negate(x)"),
              HasSubstr("its operands have two element types"));
  // What nobody foresaw is held against the constraints of StableHLO.
  EXPECT_THAT(error("x = f16[2] parameter(0) ROOT r = f32[1,2] reshape(x)"),
              AllOf(HasSubstr("no equivalent in StableHLO"), HasSubstr("[reshape (C1)]")));
}

// The names of the operations that are written for a module.
std::vector<std::string> OperationsOf(absl::string_view hlo) {
  const std::string text = WrittenText(hlo);
  std::vector<std::string> names;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const size_t at = line.find("stablehlo.");
    if (at == absl::string_view::npos || absl::StrContains(line, "stablehlo.constant")) continue;
    line.remove_prefix(at + 10);
    names.emplace_back(line.substr(0, line.find_first_of(" \"(")));
  }
  return names;
}

TEST(FromModuleTest, SeveralOperationsStandForOne) {
  using testing::ElementsAre;
  EXPECT_THAT(OperationsOf("ENTRY e { x = f32[2,3]{0,1} parameter(0) "
                           "ROOT r = s32[3,2]{0,1} bitcast(x) }"),
              ElementsAre("transpose", "bitcast_convert", "reshape", "transpose"));
  EXPECT_THAT(OperationsOf("ENTRY e { x = s16[2,2] parameter(0) ROOT r = s32[2] bitcast(x) }"),
              ElementsAre("bitcast_convert"));
  EXPECT_THAT(OperationsOf("ENTRY e { x = s32[2] parameter(0) ROOT r = s16[4] bitcast(x) }"),
              ElementsAre("bitcast_convert", "reshape"));
  EXPECT_THAT(OperationsOf("ENTRY e { x = pred[4] parameter(0) ROOT r = s32[] "
                           "bitcast-convert(x) }"),
              ElementsAre("convert", "bitcast_convert"));
  EXPECT_THAT(OperationsOf("ENTRY e { x = u8[4] parameter(0) ROOT r = pred[4] "
                           "bitcast-convert(x) }"),
              ElementsAre("convert"));
  EXPECT_THAT(WrittenText("ENTRY e { x = f32[2] parameter(0) ROOT r = token[] after-all(x) }"),
              HasSubstr("= stablehlo.create_token"));
  EXPECT_THAT(OperationsOf("ENTRY e { x = f32[1,2] parameter(0) y = bf16[2,3] parameter(1) "
                           "ROOT r = f32[1,3] convolution(x, y), dim_labels=bf_io->bf }"),
              ElementsAre("convert", "convolution"));
  EXPECT_THAT(WrittenText("ENTRY e { x = f8e4m3fnuz[4] parameter(0) y = f16[] parameter(1) "
                          "ROOT r = f16[5] pad(x, y), padding=1_0 }"),
              AllOf(HasSubstr("stablehlo.convert %arg0 : (tensor<4xf8E4M3FNUZ>) -> tensor<4xf16>"),
                    HasSubstr("(tensor<4xf16>, tensor<f16>) -> tensor<5xf16>")));
  EXPECT_THAT(OperationsOf("f { a = f32[] parameter(0) ROOT n = f32[] negate(a) } "
                           "ENTRY e { x = f8e5m2[4] parameter(0) "
                           "ROOT r = f32[4] map(x), dimensions={0}, to_apply=f }"),
              ElementsAre("convert", "map", "negate", "return"));
  // MLIR knows all types of f8 but this one in algorithms; which one is named makes no difference.
  EXPECT_THAT(WrittenText("ENTRY e { x = f8e8m0fnu[4] parameter(0) y = f8e5m2[4] parameter(1) "
                          "ROOT r = f32[] dot(x, y), lhs_contracting_dims={0}, "
                          "rhs_contracting_dims={0}, algorithm=dot_any_f8_any_f8_f32 }"),
              Not(HasSubstr("precision_type = f8E8M0FNU")));
  EXPECT_THAT(OperationsOf("ENTRY e { x = bf16[4] parameter(0) y = f32[4] parameter(1) "
                           "ROOT r = pred[4] compare(x, y), direction=LT }"),
              ElementsAre("convert", "compare"));
  EXPECT_THAT(OperationsOf("HloModule m, replica_count=2\n"
                           "ENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1) "
                           "ROOT r = (f32[3], f32[3]) all-to-all(x, y), replica_groups={{0,1}} }"),
              ElementsAre("reshape", "reshape", "concatenate", "all_to_all", "slice", "reshape",
                          "slice", "reshape"));
  EXPECT_THAT(OperationsOf("HloModule m, replica_count=2\n"
                           "ENTRY e { x = f32[3] parameter(0) y = s32[] parameter(1) "
                           "ROOT r = (f32[3], s32[]) collective-broadcast(x, y), "
                           "replica_groups={{0,1}} }"),
              ElementsAre("collective_broadcast", "collective_broadcast"));
  EXPECT_THAT(OperationsOf("ENTRY e { x = f32[4] parameter(0) "
                           "ROOT t = (f32[2], s32[2]) topk(x), k=2, largest=false }"),
              ElementsAre("iota", "sort", "compare", "return", "slice", "slice"));
}

// Shorter groups end with -1, which MLIR accepts of all_reduce alone.
TEST(FromModuleTest, GroupsOfDifferentSizesAreFilledUp) {
  EXPECT_THAT(WrittenText("HloModule m, replica_count=3\n"
                          "sum { a = f32[] parameter(0) b = f32[] parameter(1) "
                          "ROOT s = f32[] add(a, b) } "
                          "ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), "
                          "replica_groups={{0,1},{2}}, to_apply=sum }"),
              HasSubstr("replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>"));
  EXPECT_EQ(Written("HloModule m, replica_count=3\n"
                    "ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] collective-broadcast(x), "
                    "replica_groups={{0,1},{2}} }")
                .status()
                .code(),
            absl::StatusCode::kUnimplemented);
}

// Regions cannot be shared: what doubles at every level ends within a budget.
TEST(FromModuleTest, SharedComputationsThatExplodeAreRefused) {
  std::string text = "c0 { ROOT a = f32[] parameter(0) }\n";
  for (int i = 1; i <= 40; ++i) {
    absl::StrAppend(&text, "c", i, " { a = f32[] parameter(0) p = pred[] constant(true) ",
                    "ROOT r = f32[] conditional(p, a, a), true_computation=c", i - 1,
                    ", false_computation=c", i - 1, " }\n");
  }
  absl::StrAppend(&text, "ENTRY e { x = f32[] parameter(0) ROOT r = f32[] call(x), to_apply=c40 }");
  EXPECT_EQ(Written(text).status().code(), absl::StatusCode::kResourceExhausted);
}

// Aliases, donors and layouts become the attributes that JAX writes, results have their names.
TEST(FromModuleTest, WhatIsSaidBesideOperationsIsKept) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(
      "HloModule m, input_output_alias={ {1}: (0, {}, may-alias), {0}: (1, {}, must-alias) }, "
      "buffer_donor={ (2, {}) }, entry_computation_layout={(f32[2,3]{0,1}, f32[2,3]{1,0}, f32[])->"
      "(f32[2,3]{1,0}, f32[2,3]{0,1})}\n"
      "ENTRY e { x = f32[2,3] parameter(0) weights = f32[2,3] parameter(1) "
      "z = f32[] parameter(2) s = f32[2,3] add(x, weights), metadata={op_name=\"jit(f)/add\" "
      "source_file=\"model.py\" source_line=7} ROOT t = (f32[2,3], f32[2,3]) tuple(s, x) }");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<std::string> names = {"loss", ""};
  absl::StatusOr<std::unique_ptr<Program>> program = FromModule(**module, names);
  ASSERT_TRUE(program.ok()) << program.status();
  const std::string text = PrintText(**program, PrintForm::kPretty);
  EXPECT_THAT(text, HasSubstr("%arg0: tensor<2x3xf32> {tf.aliasing_output = 1 : i32}"));
  EXPECT_THAT(text, HasSubstr("%arg2: tensor<f32> {jax.buffer_donor = true}"));
  EXPECT_THAT(text, HasSubstr("(tensor<2x3xf32> {jax.result_info = \"loss\"}, tensor<2x3xf32>)"));
  EXPECT_THAT(text, HasSubstr("kind = \"must_alias\""));
  EXPECT_THAT(text, HasSubstr("mhlo.xla_entry_computation_parameter_layouts = "
                              "[dense<[0, 1]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, "
                              "dense<> : tensor<0xindex>]"));
  EXPECT_THAT(text,
              HasSubstr("mhlo.xla_entry_computation_result_layout = "
                        "[dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>]"));
  const Operation* main = (*program)->FindFunction("main");
  const Block& body = *main->regions()[0].blocks()[0];
  EXPECT_EQ(body.arguments[1]->location()->text, "weights");
  const Location* add = body.operations[0]->location;
  ASSERT_NE(add, nullptr);
  EXPECT_EQ(add->text, "jit(f)/add");
  EXPECT_EQ(add->children[0]->text, "model.py");
  EXPECT_EQ(add->children[0]->line, 7);

  // Read again, the module says the same.
  absl::StatusOr<std::unique_ptr<Program>> again = ParseText(text, "written.mlir");
  ASSERT_TRUE(again.ok()) << again.status();
  absl::StatusOr<ConvertedProgram> converted = ToModule(**again, {});
  ASSERT_TRUE(converted.ok()) << converted.status();
  EXPECT_THAT(converted->module->input_output_alias,
              testing::UnorderedElementsAreArray((*module)->input_output_alias));
  EXPECT_EQ(converted->module->buffer_donors, (*module)->buffer_donors);
  EXPECT_EQ(converted->result_names, names);
  ASSERT_TRUE(converted->module->entry_layout.has_value());
  EXPECT_EQ(converted->module->entry_layout->parameters[0].layout(),
            (*module)->entry_layout->parameters[0].layout());
  EXPECT_EQ(converted->module->entry_layout->result.tuple_shapes()[1].layout(),
            (*module)->entry_layout->result.tuple_shapes()[1].layout());
}

// A program that says something of its results and of its partitions is written as it was read.
TEST(FromModuleTest, ShardingsOfResultsAreKept) {
  const std::string two =
      "module @m attributes {mhlo.is_dynamic = true, mhlo.num_partitions = 2 : i32, "
      "mhlo.num_replicas = 1 : i32, mhlo.spmd_output_sharding = \"{replicated}\", "
      "mhlo.spmd_parameters_shardings = [\"{devices=[2]<=[2]}\"], "
      "mhlo.use_auto_spmd_partitioning = true} {\n"
      "  func.func public @main(%arg0: tensor<4xf32> {mhlo.memory_kind = \"pinned_host\", "
      "mhlo.sharding = \"{devices=[2]<=[2]}\"}) -> (tensor<4xf32> {jax.result_info = "
      "\"result[0]\", mhlo.sharding = \"{devices=[2]<=[2]}\"}, tensor<4xf32> {mhlo.memory_kind = "
      "\"pinned_host\", mhlo.sharding = \"{replicated}\"}) {\n"
      "    %0 = stablehlo.negate %arg0 : tensor<4xf32>\n"
      "    return %0, %arg0 : tensor<4xf32>, tensor<4xf32>\n"
      "  }\n"
      "}\n";
  const std::string one =
      "module @m attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {\n"
      "  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {mhlo.sharding = "
      "\"{maximal device=1}\"}) {\n"
      "    %0 = stablehlo.negate %arg0 : tensor<4xf32>\n"
      "    return %0 : tensor<4xf32>\n"
      "  }\n"
      "}\n";
  for (const std::string& text : {two, one}) {
    const absl::StatusOr<std::unique_ptr<Program>> program = ParseText(text, "given.mlir");
    ASSERT_TRUE(program.ok()) << program.status();
    const absl::StatusOr<ConvertedProgram> read = ToModule(**program, {});
    ASSERT_TRUE(read.ok()) << read.status();
    const absl::StatusOr<std::unique_ptr<Program>> written =
        FromModule(*read->module, read->result_names);
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_EQ(PrintText(**written, PrintForm::kPretty), text);
  }
}

// What JAX writes with debug_info=True: operations with their names and the stack of calls.
TEST(FromModuleTest, CallStacksAreKept) {
  absl::StatusOr<std::unique_ptr<Program>> program = ParseText(
      "func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = stablehlo.sine %x : tensor<f32> loc(#loc1)\n"
      "  %1 = stablehlo.cosine %0 : tensor<f32> loc(#loc2)\n"
      "  return %1 : tensor<f32>\n}\n"
      "#caller = loc(\"main\"(\"run.py\":9:1 to :30))\n"
      "#loc1 = loc(\"jit(f)/sin\"(callsite(\"layer\"(\"net.py\":3:5 to 4:8) at #caller)))\n"
      "#loc2 = loc(\"jit(f)/cos\"(callsite(\"layer\"(\"net.py\":5:5 to :9) at #caller)))\n",
      "given.mlir");
  ASSERT_TRUE(program.ok()) << program.status();
  absl::StatusOr<ConvertedProgram> module = ToModule(**program, {});
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->module->stack_frames.frames.size(), 3);
  absl::StatusOr<std::unique_ptr<Program>> written = FromModule(*module->module);
  ASSERT_TRUE(written.ok()) << written.status();
  const std::string text = PrintText(**written, PrintForm::kPretty, PrintLocations::kYes);
  EXPECT_THAT(text, HasSubstr(" = loc(\"net.py\":3:5 to 4:8)\n"));
  absl::StatusOr<std::unique_ptr<Program>> again = ParseText(text, "written.mlir");
  ASSERT_TRUE(again.ok()) << again.status();
  absl::StatusOr<ConvertedProgram> read = ToModule(**again, {});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->module->stack_frames, module->module->stack_frames);
  const Instruction* cosine = read->module->entry()->root();
  ASSERT_TRUE(cosine->has_annotations());
  EXPECT_EQ(cosine->annotations().metadata,
            module->module->entry()->root()->annotations().metadata);
  EXPECT_EQ(cosine->annotations().metadata->op_name, "jit(f)/cos");
  EXPECT_EQ(cosine->annotations().metadata->source_line, 5);
}

// What the reader makes of Shardy's dialect is written as that dialect again.
TEST(FromModuleTest, ShardyIsItsDialectWhereItIsAskedFor) {
  const std::string sharded =
      "module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n"
      "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
      "  func.func public @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, "
      "[{\"x\"}, {\"y\"}]>}, %arg1: tensor<4x4xf32>) -> (tensor<4x4xf32> {sdy.sharding = "
      "#sdy.sharding<@mesh, [{\"x\"}, {}]>}, tensor<4x4xf32>) {\n"
      "    %0 = sdy.sharding_constraint %arg1 <@mesh, [{\"y\", ?}, {}]> : tensor<4x4xf32>\n"
      "    %1:2 = sdy.manual_computation(%arg0, %0) in_shardings=[<@mesh, [{\"x\"}, {\"y\"}]>, "
      "<@mesh, [{\"y\"}, {}]>] out_shardings=[<@mesh, [{\"x\"}, {\"y\"}]>, <@mesh, [{\"y\"}, "
      "{}]>] manual_axes={\"x\", \"y\"} (%arg2: tensor<2x2xf32>, %arg3: tensor<2x4xf32>) {\n"
      "      %2 = stablehlo.add %arg2, %arg2 : tensor<2x2xf32>\n"
      "      sdy.return %2, %arg3 : tensor<2x2xf32>, tensor<2x4xf32>\n"
      "    } : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)\n"
      "    sdy.sharding_group %1#0 group_id=7 : tensor<4x4xf32>\n"
      "    %3 = sdy.propagation_barrier %1#1 allowed_direction=BACKWARD : tensor<4x4xf32>\n"
      "    return %1#0, %3 : tensor<4x4xf32>, tensor<4x4xf32>\n"
      "  }\n"
      "}\n";
  const absl::StatusOr<std::unique_ptr<Program>> program = ParseText(sharded, "f.mlir");
  ASSERT_TRUE(program.ok()) << program.status();
  const absl::StatusOr<ConvertedProgram> converted = ToModule(**program);
  ASSERT_TRUE(converted.ok()) << converted.status();
  const auto written = [&](Forms form) {
    return PrintText(**FromModule(*converted->module, {}, ChloForm::kOperations, form),
                     PrintForm::kPretty);
  };
  EXPECT_EQ(written(kAllForms), sharded);
  EXPECT_THAT(written(Forms{}),
              AllOf(HasSubstr("@xla.sdy.GlobalToLocalShape("), Not(HasSubstr("sdy.mesh @"))));
}

// Between the markers of a manual computation there may be more than a call: they stay calls.
TEST(FromModuleTest, MarkersThatAreNoManualComputationStayCalls) {
  const absl::StatusOr<std::unique_ptr<Module>> module =
      ParseModule(R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}
body { p = f32[2] parameter(0) ROOT a = f32[2] add(p, p) }
ENTRY e {
  x = f32[4] parameter(0)
  l = f32[2] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"}
  c = f32[2] call(l), to_apply=body
  n = f32[2] negate(c)
  g = f32[4] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>"}
  ROOT t = (f32[4], f32[2]) tuple(g, n)
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<std::unique_ptr<Program>> program =
      FromModule(**module, {}, ChloForm::kOperations, kAllForms);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_THAT(PrintText(**program, PrintForm::kPretty),
              AllOf(HasSubstr("sdy.mesh @mesh"), HasSubstr("@xla.sdy.GlobalToLocalShape("),
                    HasSubstr("@xla.sdy.LocalToGlobalShape(")));
}

// MLIR knows `is_stable` of chlo.top_k since 2026; what every reader knows is the stable one.
TEST(FromModuleTest, AnUnstableTopKIsToldFromAStableOneWhereThatIsAskedFor) {
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(
      "ENTRY e { x = f32[4] parameter(0) "
      "ROOT t = (f32[2], s32[2]) topk(x), k=2, largest=true, is_stable=false }");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto written = [&](Forms forms) {
    return PrintText(**FromModule(**module, {}, ChloForm::kOperations, forms), PrintForm::kPretty);
  };
  EXPECT_THAT(written(kAllForms), HasSubstr("chlo.top_k(%arg0, k = 2, is_stable = false)"));
  EXPECT_THAT(written(Forms{}), HasSubstr("chlo.top_k(%arg0, k = 2)"));
}

// Pairs of a start and a done stay pairs; what is more than one operation runs where it starts.
TEST(FromModuleTest, AsynchronousCollectivesArePairsWhereTheyAreAskedFor) {
  const std::string text =
      "module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {\n"
      "  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {\n"
      "    %0 = \"stablehlo.async_start\"(%arg0) ({\n"
      "    ^bb0(%arg1: tensor<2xf32>):\n"
      "      %1 = \"stablehlo.all_gather\"(%arg1) <{all_gather_dim = 0 : i64, replica_groups = "
      "dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>\n"
      "      stablehlo.return %1 : tensor<4xf32>\n"
      "    }) : (tensor<2xf32>) -> !stablehlo.future<tensor<4xf32>>\n"
      "    %2 = stablehlo.negate %arg0 : tensor<2xf32>\n"
      "    %3 = \"stablehlo.async_done\"(%0) : (!stablehlo.future<tensor<4xf32>>) -> "
      "tensor<4xf32>\n"
      "    return %3, %2 : tensor<4xf32>, tensor<2xf32>\n"
      "  }\n"
      "}\n";
  const absl::StatusOr<std::unique_ptr<Program>> program = ParseText(text, "f.mlir");
  ASSERT_TRUE(program.ok()) << program.status();
  const absl::StatusOr<ConvertedProgram> converted = ToModule(**program);
  ASSERT_TRUE(converted.ok()) << converted.status();
  const auto written = [&](Forms forms) {
    return PrintText(**FromModule(*converted->module, {}, ChloForm::kOperations, forms),
                     PrintForm::kPretty);
  };
  EXPECT_EQ(written(kAllForms), text);
  EXPECT_EQ(written(Forms{.pairs = true}), text);
  // An artifact holds the pair from the first version on that has it.
  const auto pairs =
      FromModule(*converted->module, {}, ChloForm::kComposites, Forms{.pairs = true});
  const absl::StatusOr<std::string> artifact = WriteArtifact(**pairs, kFirstWithPairs);
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  const absl::StatusOr<std::unique_ptr<Program>> again = ParseBytecode(*artifact, "f.mlirbc");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(PrintText(**again, PrintForm::kPretty), text);
  EXPECT_EQ(WriteArtifact(**pairs, {1, 14, 0}).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(written(Forms{}), AllOf(HasSubstr("stablehlo.all_gather"), Not(HasSubstr("async"))));
  // One of HLO's own forms, and a computation that StableHLO has no pair for.
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(R"(HloModule m, replica_count=2
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
double { x = f32[2] parameter(0) ROOT s = f32[2] add(x, x) }
ENTRY e {
  x = f32[2] parameter(0)
  r = f32[2] all-reduce-start(x), replica_groups={{0,1}}, to_apply=sum
  a = ((f32[2]), f32[2], u32[]) async-start(x), calls=double
  b = f32[2] async-done(a)
  d = f32[2] all-reduce-done(r)
  ROOT t = (f32[2], f32[2]) tuple(d, b)
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<std::unique_ptr<Program>> own =
      FromModule(**module, {}, ChloForm::kOperations, kAllForms);
  ASSERT_TRUE(own.ok()) << own.status();
  const std::string printed = PrintText(**own, PrintForm::kPretty);
  const std::vector<std::string> parts = absl::StrSplit(printed, "stablehlo.async_start");
  EXPECT_EQ(parts.size(), 2) << printed;
  EXPECT_THAT(printed, AllOf(HasSubstr("stablehlo.all_reduce"), HasSubstr("stablehlo.add")));
}

}  // namespace
}  // namespace assay::stablehlo
