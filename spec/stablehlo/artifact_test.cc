// Artifacts that are written: read again they are the same program in every version that can say
// it, and what a version cannot say is refused by name. MLIR's own reader reads them in
// tools/peers/stablehlo_bytecode.py.
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

constexpr Version kVersions[] = {{0, 9, 0},  {0, 10, 0}, {0, 12, 0}, {0, 14, 0}, {0, 15, 0},
                                 {1, 0, 0},  {1, 1, 0},  {1, 5, 0},  {1, 6, 0},  {1, 9, 0},
                                 {1, 10, 0}, {1, 12, 0}, {1, 14, 0}, {1, 17, 0}, {1, 20, 0}};

std::unique_ptr<Program> FromText(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<Program>> program = ParseText(text, "text");
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : nullptr;
}

std::string Generic(const Program& program) { return PrintText(program, PrintForm::kGeneric); }

// Writes and reads in the version; the result's generic form.
std::string RoundTrip(const Program& program, Version version) {
  absl::StatusOr<std::string> bytes = WriteArtifact(program, version);
  if (!bytes.ok()) return bytes.status().ToString();
  EXPECT_EQ(ArtifactVersion(*bytes), version);
  absl::StatusOr<std::unique_ptr<Program>> read = ParseBytecode(*bytes, "artifact");
  return read.ok() ? Generic(**read) : read.status().ToString();
}

std::string Refusal(absl::string_view text, Version version) {
  const std::unique_ptr<Program> program = FromText(text);
  if (program == nullptr) return "";
  const absl::Status status = WriteArtifact(*program, version).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
  return std::string(status.message());
}

constexpr absl::string_view kProgram = R"(
module @example attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<4x4xf32> {mhlo.sharding = "{replicated}"}, %i: tensor<i32>) -> (tensor<4x4xf32>, tensor<4xi1>) {
    %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %1 = stablehlo.constant dense<[true, false, true, true]> : tensor<4xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.dot_general %a, %2, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = stablehlo.cosine %3 : tensor<4x4xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.compare GT, %5, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %7 = call @inner(%i, %4) : (tensor<i32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %8 = stablehlo.custom_call @target(%7) {backend_config = "x", has_side_effect = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %9 = "stablehlo.all_gather"(%8) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0]]> : tensor<1x1xi64>, use_global_device_ids}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %10 = stablehlo.and %6, %1 : tensor<4xi1>
    return %9, %10 : tensor<4x4xf32>, tensor<4xi1>
  }
  func.func private @inner(%i: tensor<i32>, %a: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = "stablehlo.case"(%i) ({
      %1 = stablehlo.tanh %a : tensor<4x4xf32>
      stablehlo.return %1 : tensor<4x4xf32>
    }, {
      stablehlo.return %a : tensor<4x4xf32>
    }) : (tensor<i32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
)";

TEST(RoundTrips, InEveryVersion) {
  const std::unique_ptr<Program> program = FromText(kProgram);
  ASSERT_NE(program, nullptr);
  for (Version version : kVersions) {
    EXPECT_EQ(RoundTrip(*program, version), Generic(*program)) << version.ToString();
  }
}

TEST(RoundTrips, WriteTheSameBytes) {
  const std::unique_ptr<Program> program = FromText(kProgram);
  ASSERT_NE(program, nullptr);
  absl::StatusOr<std::string> bytes = WriteArtifact(*program, kNewestVersion);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  absl::StatusOr<std::unique_ptr<Program>> read = ParseBytecode(*bytes, "artifact");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*WriteArtifact(**read, kNewestVersion), *bytes);
}

// Operations of Shardy keep their dialect and builtin's types: casts stand between the two kinds.
constexpr absl::string_view kSharded = R"(
module @sharded attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["a"=4, "b"=2]>
  sdy.mesh @other = <["a"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  sdy.mesh @one = <[], device_ids=[3]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2, "b"}p1, {?}], replicated={"a":(2)2}>}, %b: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=8]>, [{"x", ?}p0, {}]>}, tensor<f32>) {
    %0 = sdy.sharding_constraint %a <@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<8x8xf32>
    %1 = stablehlo.add %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@other, [{}, {"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
    %2:2 = sdy.manual_computation(%1, %b) in_shardings=[<@mesh, [{"a"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>, <@mesh, [], unreduced={"a"}>] manual_axes={"a"} (%c: tensor<2x8xf32>, %d: tensor<8x8xf32>) {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %3 = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x8xf32>, tensor<f32>) -> tensor<f32>
      %4 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{}, {"b"}]>] out_shardings=[<@mesh, [{}, {"b"}]>] manual_axes={"b"} (%e: tensor<2x4xf32>) {
        %5 = stablehlo.negate %e : tensor<2x4xf32>
        sdy.return %5 : tensor<2x4xf32>
      } : (tensor<2x8xf32>) -> tensor<2x8xf32>
      sdy.return %4, %3 : tensor<2x8xf32>, tensor<f32>
    } : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<f32>)
    sdy.sharding_group %2#0 group_id=3 : tensor<8x8xf32>
    %6 = sdy.propagation_barrier %2#0 allowed_direction=FORWARD : tensor<8x8xf32>
    %7 = sdy.named_computation<"f">(%6) (%g: tensor<8x8xf32>) {
      %8 = stablehlo.cosine %g : tensor<8x8xf32>
      sdy.return %8 : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %t = stablehlo.create_token : !stablehlo.token
    %u = sdy.manual_computation(%t) in_shardings=[<@mesh, []>] out_shardings=[<@mesh, []>] manual_axes={} (%v: !stablehlo.token) {
      sdy.return %v : !stablehlo.token
    } : (!stablehlo.token) -> !stablehlo.token
    %w = stablehlo.after_all %u : !stablehlo.token
    %9 = sdy.reshard %7 <@mesh, [{}, {"b"}]> : tensor<8x8xf32>
    %p = stablehlo.constant dense<true> : tensor<i1>
    %10 = "stablehlo.if"(%p) ({
      stablehlo.return %9 : tensor<8x8xf32>
    }, {
      %11 = sdy.sharding_constraint %b <@mesh, [{}, {}]> : tensor<8x8xf32>
      stablehlo.return %11 : tensor<8x8xf32>
    }) : (tensor<i1>) -> tensor<8x8xf32>
    return %10, %2#1 : tensor<8x8xf32>, tensor<f32>
  }
}
)";

TEST(Shardy, IsHeldFromTheFirstVersionWithOtherDialectsOn) {
  const std::unique_ptr<Program> program = FromText(kSharded);
  ASSERT_NE(program, nullptr);
  for (Version version : {kFirstWithOtherDialects, Version{1, 15, 0}, kNewestVersion}) {
    EXPECT_EQ(RoundTrip(*program, version), Generic(*program)) << version.ToString();
  }
  EXPECT_THAT(
      Refusal(kSharded, {1, 10, 0}),
      testing::HasSubstr("sdy.mesh cannot be said in StableHLO 1.10.0, but from 1.11.0 on"));
  // An attribute alone is of the dialect, too.
  EXPECT_THAT(Refusal("func.func @main(%a: tensor<f32> {sdy.sharding = #sdy.sharding<@m, []>}) -> "
                      "tensor<f32> {\n  return %a : tensor<f32>\n}",
                      {1, 10, 0}),
              testing::HasSubstr("an attribute of the dialect sdy cannot be said"));
}

// Operations of Shardy keep the attributes of MLIR's own dialect, where strings may have a type.
TEST(Shardy, StringsKeepTheirTypes) {
  const std::unique_ptr<Program> program = FromText(R"(
"sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh" : i64}> {my.text = "a" : tensor<3xf32>} : () -> ()
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
})");
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(RoundTrip(*program, kNewestVersion), Generic(*program));
  EXPECT_THAT(Generic(*program), testing::HasSubstr("\"a\" : tensor<3xf32>"));
  EXPECT_THAT(Generic(*program), testing::HasSubstr("\"mesh\" : i64"));
}

// Found by fuzzing: a default was written as a number of 64 bits, the same number given as one
// of 32.
TEST(RoundTrips, DefaultsHaveTheTypeOfTheirAttribute) {
  const auto artifact = [](absl::string_view version) {
    const std::unique_ptr<Program> program = FromText(absl::StrCat(
        "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.composite \"x.y\" %a "
        "{decomposition = @f",
        version,
        "} : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n"
        "func.func private @f(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}\n"));
    return program == nullptr ? "" : WriteArtifact(*program, kNewestVersion).value_or("");
  };
  const absl::StatusOr<std::unique_ptr<Program>> read =
      ParseBytecode(artifact(", version = 0 : i32"), "artifact");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*WriteArtifact(**read, kNewestVersion), artifact(", version = 0 : i32"));
  EXPECT_EQ(artifact("").size(), artifact(", version = 0 : i32").size());
}

// Found by fuzzing: the empty list was written, and read as the default, which is two precisions.
// MLIR takes one of DEFAULT, which is for both operands, for the default, too.
TEST(RoundTrips, ListsOfDefaultPrecisionsAreTheDefault) {
  const auto artifact = [](absl::string_view precision) {
    const std::unique_ptr<Program> program =
        FromText(absl::StrCat("func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {\n  %0 = "
                              "stablehlo.dot_general %a, "
                              "%a, contracting_dims = [1] x [0]",
                              precision,
                              " : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
                              "  return %0 : tensor<2x2xf32>\n}\n"));
    return program == nullptr ? "" : WriteArtifact(*program, kNewestVersion).value_or("");
  };
  EXPECT_EQ(artifact(", precision = []").size(), artifact("").size());
  EXPECT_EQ(artifact(", precision = [DEFAULT]"), artifact(", precision = [DEFAULT, DEFAULT]"));
}

std::string Function(absl::string_view type, absl::string_view body) {
  return absl::StrCat("func.func @main(%a: ", type, ") -> ", type, " {\n", body,
                      "\n  return %0 : ", type, "\n}\n");
}

// MLIR's reader takes no string as the configuration of such a call, an empty one either.
TEST(RoundTrips, TypedCallsWithoutConfigurationHaveAnEmptyDictionary) {
  const auto call = [](absl::string_view config) {
    return Function("tensor<2xf32>",
                    absl::StrCat("%0 = stablehlo.custom_call @target(%a) {api_version = 4 : i32",
                                 config, "} : (tensor<2xf32>) -> tensor<2xf32>"));
  };
  const std::unique_ptr<Program> without = FromText(call(""));
  const std::unique_ptr<Program> with = FromText(call(", backend_config = {}"));
  ASSERT_NE(without, nullptr);
  ASSERT_NE(with, nullptr);
  const absl::StatusOr<std::string> bytes = WriteArtifact(*without, {1, 3, 0});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(*bytes, WriteArtifact(*with, {1, 3, 0}).value());
  EXPECT_THAT(Refusal(call(""), {1, 2, 0}),
              testing::HasSubstr("a backend_config that is a dictionary"));
}

TEST(Refusals, OfOperations) {
  EXPECT_THAT(Refusal(Function("tensor<f32>", "%0 = stablehlo.tan %a : tensor<f32>"), {1, 3, 0}),
              testing::HasSubstr("cannot be said in StableHLO 1.3.0, but from 1.4.0 on"));
  EXPECT_THAT(Refusal(Function("tensor<f32>", "%0 = chlo.erf %a : tensor<f32> -> tensor<f32>"),
                      kNewestVersion),
              testing::HasSubstr("chlo.erf cannot be said in StableHLO 1.20.0"));
}

TEST(Refusals, OfTypes) {
  const struct {
    const char* element;
    Version before, since;
  } cases[] = {{"f8E4M3FNUZ", {0, 9, 0}, {0, 10, 0}},
               {"f8E4M3B11FNUZ", {0, 10, 0}, {0, 11, 0}},
               {"i2", {1, 1, 0}, {1, 2, 0}},
               {"f8E3M4", {1, 6, 0}, {1, 7, 0}},
               {"f4E2M1FN", {1, 7, 0}, {1, 8, 0}}};
  for (const auto& c : cases) {
    const std::string type = absl::StrCat("tensor<2x", c.element, ">");
    const std::string text =
        Function(type, absl::StrCat("%0 = stablehlo.optimization_barrier %a : ", type));
    EXPECT_THAT(Refusal(text, c.before), testing::HasSubstr("the element type")) << c.element;
    const std::unique_ptr<Program> program = FromText(text);
    ASSERT_NE(program, nullptr);
    EXPECT_EQ(RoundTrip(*program, c.since), Generic(*program)) << c.element;
  }
}

TEST(Refusals, OfAttributes) {
  const std::string accurate =
      Function("tensor<f32>",
               "%0 = stablehlo.cosine %a {result_accuracy = #stablehlo.result_accuracy<mode = "
               "#stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>");
  EXPECT_THAT(Refusal(accurate, {1, 9, 0}),
              testing::HasSubstr("stablehlo.cosine at 2:6: the attribute result_accuracy cannot be "
                                 "said in StableHLO 1.9.0"));
  const std::unique_ptr<Program> program = FromText(accurate);
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(RoundTrip(*program, {1, 10, 0}), Generic(*program));
  const std::string unit =
      Function("tensor<f32>", "%0 = stablehlo.negate %a {my.unit} : tensor<f32>");
  EXPECT_THAT(Refusal(unit, kNewestVersion), testing::HasSubstr("cannot be said"));
  const std::string typed =
      Function("tensor<f32>", "%0 = stablehlo.negate %a {my.text = \"a\" : i64} : tensor<f32>");
  EXPECT_THAT(Refusal(typed, kNewestVersion), testing::HasSubstr("\"a\" : i64"));
}

TEST(Refusals, OfSeveralOperands) {
  const std::string text =
      R"(func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0:2 = "stablehlo.all_reduce"(%a, %a) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#0 : tensor<f32>
})";
  EXPECT_THAT(Refusal(text, {1, 4, 0}), testing::HasSubstr("stablehlo.all_reduce of 2 operands"));
  const std::unique_ptr<Program> program = FromText(text);
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(RoundTrip(*program, {1, 5, 0}), Generic(*program));
}

// A record from text may hold anything; VHLO has fields of fixed kinds.
TEST(Refusals, OfFieldsOfAnotherKind) {
  const std::unique_ptr<Program> program =
      FromText(R"(func.func @main(%a: tensor<2x6xf32>, %b: tensor<3xi32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [0],
    collapsed_slice_dims = [1], start_index_map = 1>, slice_sizes = array<i64: 2, 1>}> :
    (tensor<2x6xf32>, tensor<3xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
})");
  ASSERT_NE(program, nullptr);
  const absl::Status status = WriteArtifact(*program, kNewestVersion).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("the field start_index_map must be a list of integers"));
}

TEST(Versions, HaveBounds) {
  const std::unique_ptr<Program> program = FromText("");
  ASSERT_NE(program, nullptr);
  for (Version version : {Version{0, 8, 0}, Version{1, 21, 0}}) {
    EXPECT_EQ(WriteArtifact(*program, version).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(RoundTrip(*program, kOldestVersion), Generic(*program));
}

// Large constants of a file stay in its bytes, also those that are not aligned there.
TEST(SharedBytes, LargeConstantsAreNotCopied) {
  constexpr int kCount = 17000;
  std::string text;
  for (int i = 0; i < 4; ++i) {
    // The lengths of the names give the constants different places.
    absl::StrAppend(&text, "func.func private @", std::string(i + 1, 'f'), "() -> tensor<", kCount,
                    "xf32> {\n  %0 = stablehlo.constant dense<\"0x");
    for (int j = 0; j < kCount; ++j) {
      absl::StrAppend(&text, absl::Hex(0x10000000 + j * 4 + i, absl::kZeroPad8));
    }
    absl::StrAppend(&text, "\"> : tensor<", kCount, "xf32>\n  return %0 : tensor<", kCount,
                    "xf32>\n}\n");
  }
  const std::unique_ptr<Program> program = FromText(text);
  ASSERT_NE(program, nullptr);
  for (const std::string padding : {"", "a", "ab", "abc"}) {
    absl::StatusOr<std::string> written = WriteArtifact(*program, kNewestVersion);
    ASSERT_TRUE(written.ok()) << written.status();
    const auto owner = std::make_shared<std::string>(padding + *written);
    const absl::string_view bytes = absl::string_view(*owner).substr(padding.size());
    absl::StatusOr<std::unique_ptr<Program>> read =
        ParseBytecode(bytes, "artifact", owner, SharedBytes::kMove);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(Generic(**read), Generic(*program));
    for (const Operation* function : (*read)->module->regions()[0].blocks()[0]->operations) {
      const Operation* constant = function->regions()[0].blocks()[0]->operations[0];
      const auto* at = reinterpret_cast<const char*>(constant->Find("value")->bytes.get());
      EXPECT_TRUE(at >= owner->data() && at < owner->data() + owner->size());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(at) % 4, 0);
    }
  }
}

}  // namespace
}  // namespace assay::stablehlo
