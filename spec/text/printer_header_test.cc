// Headers and their tables. Expected texts are hlo_text_format.md 2 and E25, E27, checked against
// XLA's output (JAX 0.10.2) where that has the feature.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string ReprintHeader(absl::string_view text, const PrintOptions& options = {}) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? PrintModule(**module, options) : "";
}

constexpr absl::string_view kFull =
    R"(HloModule header.7, is_scheduled=true, input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {0}, may-alias) }, buffer_donor={ (1, {1}) }, alias_passthrough_params=true, entry_computation_layout={(f32[4]{0}, (f32[4]{0}, f32[4]{0}))->(f32[4]{0}, f32[4]{0})}, allow_spmd_sharding_propagation_to_parameters={true,false,true}, allow_spmd_sharding_propagation_to_output={true}, replica_count=2, num_partitions=4, frontend_attributes={k="v"}

FileNames
1 "main.py"
2 "lib/model.py"

FunctionNames
1 "run"
2 "layer"

FileLocations
1 {file_name_id=1 function_name_id=1 line=10 end_line=10 column=4 end_column=20}
2 {file_name_id=2 function_name_id=2 line=33 end_line=34 column=8 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}


ENTRY %e (a: f32[4], b: (f32[4], f32[4])) -> (f32[4], f32[4]) {
  %a = f32[4]{0} parameter(0)
  %b = (f32[4]{0}, f32[4]{0}) parameter(1)
  %g = f32[4]{0} get-tuple-element(%b), index=0
  %n = f32[4]{0} exponential(%g), result_accuracy={mode=highest}, metadata={op_name="exp" stack_frame_id=2}
  ROOT %t = (f32[4]{0}, f32[4]{0}) tuple(%a, %n)
}

)";

TEST(PrintHeader, AFullHeaderPrintsAsItIsRead) { EXPECT_EQ(ReprintHeader(kFull), kFull); }

TEST(PrintHeader, NamesThatAreWordsOfTheGrammarKeepTheirPercent) {
  for (const PrintOptions& options :
       {PrintOptions::Default(), PrintOptions::ShortParsable(), PrintOptions::Lossless()}) {
    for (const char* name : {"true", "f32", "nan", "manual"}) {
      const std::string text =
          absl::StrCat("HloModule %", name, "\nENTRY e { ROOT r = f32[] parameter(0) }");
      EXPECT_THAT(ReprintHeader(text, options),
                  StartsWith(absl::StrCat("HloModule %", name, ", ")));
    }
    EXPECT_THAT(ReprintHeader("HloModule %tuple\nENTRY e { ROOT r = f32[] parameter(0) }", options),
                StartsWith("HloModule tuple, "));
  }
}

TEST(PrintHeader, WithoutMetadataThereAreNoStackTables) {
  EXPECT_THAT(ReprintHeader(kFull, PrintOptions::ShortParsable()), Not(HasSubstr("FileNames")));
}

TEST(PrintHeader, DefaultsDisappearAndListsAreSorted) {
  EXPECT_THAT(
      ReprintHeader(R"(HloModule m, is_scheduled=false, replica_count=1, num_partitions=1,
  input_output_alias={ {1}: (1, {0}), {0}: (0, {}, must-alias), },
  buffer_donor={ (1, {1}), (0, {}), (1, {1}) },
  allow_spmd_sharding_propagation_to_output=false,
  allow_spmd_sharding_propagation_to_parameters={}, frontend_attributes={b="x",a={ "k" : 1 }}
ENTRY e {
  p = f32[4] parameter(0)
  q = (f32[4], f32[4]) parameter(1)
  ROOT t = (f32[4], f32[4]) copy(q)
})"),
      StartsWith("HloModule m, input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {0}, "
                 "may-alias) }, buffer_donor={ (0, {}), (1, {1}) }, "
                 "entry_computation_layout={(f32[4]{0}, (f32[4]{0}, f32[4]{0}))->(f32[4]{0}, "
                 "f32[4]{0})}, frontend_attributes={a={ \"k\" : 1 },b=\"x\"}\n\n"));
}

TEST(PrintHeader, LongParameterListsOfTheEntryAreCounted) {
  EXPECT_THAT(
      ReprintHeader("HloModule m\nENTRY e { a = s8[] parameter(0) b = s8[] parameter(1) c = s8[] "
                    "parameter(2) d = s8[] parameter(3) f = s8[] parameter(4) ROOT g = s8[] "
                    "parameter(5) }"),
      HasSubstr("{(s8[], s8[], s8[], s8[], s8[], /*index=5*/s8[])->s8[]}"));
}

constexpr absl::string_view kTables =
    R"(HloModule recover, entry_computation_layout={()->s32[2]{0}}, origin_recovery_table={
  {"gone" {1}} : {"here"},
  "
    HloModule fix, entry_computation_layout={(s32[2]{0})->s32[2]{0}}, frontend_attributes={a=\"b\"}

    ENTRY %f (p: s32[2]) -> s32[2] {
      ROOT %p = s32[2]{0} parameter(0)
    }


  "
  {"old"} : {"new" {0}}
},
debug_attributes={
  {"old"}:({log_mode=default,callback_id=12,partitioned=true},{op_id=3}),
  {"x" {0}}:({log_mode=fusion_debugger})
}


ENTRY %e () -> s32[2] {
  ROOT %c = s32[2]{0} constant({3, 4}), origin={{"new" {0}}}
}

)";

TEST(PrintHeader, RecoveryAndDebugTables) { EXPECT_EQ(ReprintHeader(kTables), kTables); }

}  // namespace
}  // namespace assay
