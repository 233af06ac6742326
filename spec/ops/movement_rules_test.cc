// Every clause of the rules of operations that move elements, and what is inferred where no shape
// is written (the expected shapes are those of XLA's reader).
#include "gtest/gtest.h"
#include "spec/ops/rule_rows.h"

namespace assay {
namespace {

TEST(MovementRules, EveryClauseOfDataMovementRefuses) {
  ExpectRows(
      "",
      {
          {"broadcast_c1", "f32[2] | f32[2,3] broadcast(p0), dimensions={0}",
           "(f32[2]) | f32[2,3] broadcast(p0), dimensions={0}"},
          {"broadcast_c2", "f32[2] | f32[2,3] broadcast(p0), dimensions={0}",
           "f32[2] | f32[2,3] broadcast(p0), dimensions={}"},
          {"broadcast_c3", "f32[2] | f32[2,2] broadcast(p0), dimensions={1}",
           "f32[2] | f32[2,2] broadcast(p0), dimensions={2}"},
          {"broadcast_c3", "f32[2,2] | f32[2,2] broadcast(p0), dimensions={1,0}",
           "f32[2,2] | f32[2,2] broadcast(p0), dimensions={1,1}"},
          {"broadcast_c4", "f32[3] | f32[2,3] broadcast(p0), dimensions={1}",
           "f32[1] | f32[2,3] broadcast(p0), dimensions={1}"},
          {"transpose_c1", "f32[2] | f32[2] transpose(p0), dimensions={0}",
           "token[] | f32[2] transpose(p0), dimensions={0}"},
          {"transpose_c2", "f32[2,3] | f32[3,2] transpose(p0), dimensions={1,0}",
           "f32[2,3] | f32[3,2] transpose(p0), dimensions={1}"},
          {"transpose_c2", "f32[2,3] | f32[3,2] transpose(p0), dimensions={1,0}",
           "f32[2,3] | f32[3,2] transpose(p0), dimensions={1,1}"},
          {"transpose_c2", "f32[2,3] | f32[3,2] transpose(p0), dimensions={1,0}",
           "f32[2,3] | f32[3,2] transpose(p0), dimensions={1,2}"},
          {"shape_c2", "f32[2,3] | f32[3,2] transpose(p0), dimensions={1,0}",
           "f32[2,3] | f32[2,3] transpose(p0), dimensions={1,0}"},
          {"reverse_c1", "f32[2] | f32[2] reverse(p0), dimensions={0}",
           "(f32[2]) | f32[2] reverse(p0), dimensions={0}"},
          {"reverse_c2", "f32[2,3] | f32[2,3] reverse(p0), dimensions={1}",
           "f32[2,3] | f32[2,3] reverse(p0), dimensions={2}"},
          {"reverse_c2", "f32[2,3] | f32[2,3] reverse(p0), dimensions={1,0}",
           "f32[2,3] | f32[2,3] reverse(p0), dimensions={1,1}"},
          {"slice_c1", "f32[5] | f32[2] slice(p0), slice={[2:4]}",
           "(f32[5]) | f32[2] slice(p0), slice={[2:4]}"},
          {"slice_c2", "f32[5] | f32[2] slice(p0), slice={[2:4]}",
           "f32[5,1] | f32[2,1] slice(p0), slice={[2:4]}"},
          {"slice_c3", "f32[5] | f32[2] slice(p0), slice={[0:2]}",
           "f32[5] | f32[3] slice(p0), slice={[-1:2]}"},
          {"slice_c4", "f32[5] | f32[3] slice(p0), slice={[2:5]}",
           "f32[5] | f32[4] slice(p0), slice={[2:6]}"},
          {"slice_c5", "f32[5] | f32[0] slice(p0), slice={[5:5]}",
           "f32[5] | f32[0] slice(p0), slice={[5:4]}"},
          {"slice_c6", "f32[5] | f32[1] slice(p0), slice={[0:5:9]}",
           "f32[5] | f32[1] slice(p0), slice={[0:5:0]}"},
          {"shape_c2", "f32[5] | f32[3] slice(p0), slice={[0:5:2]}",
           "f32[5] | f32[2] slice(p0), slice={[0:5:2]}"},
          {"concatenate_c1", "f32[2]; f32[3] | f32[5] concatenate(p0, p1), dimensions={0}",
           "f32[2]; (f32[3]) | f32[5] concatenate(p0, p1), dimensions={0}"},
          {"concatenate_c2", "f32[2] | f32[2] concatenate(p0), dimensions={0}",
           "f32[2] | f32[2] concatenate(p0), dimensions={1}"},
          {"concatenate_c2", "f32[2] | f32[2] concatenate(p0), dimensions={0}",
           "f32[] | f32[] concatenate(p0), dimensions={0}"},
          {"concatenate_c3", "f32[2]; f32[3] | f32[5] concatenate(p0, p1), dimensions={0}",
           "f32[2]; f32[3,1] | f32[5] concatenate(p0, p1), dimensions={0}"},
          {"concatenate_c4", "f16[2]; f32[3] | f32[5] concatenate(p0, p1), dimensions={0}",
           "s32[2]; f32[3] | f32[5] concatenate(p0, p1), dimensions={0}"},
          {"concatenate_c5", "f32[2,7]; f32[3,7] | f32[5,7] concatenate(p0, p1), dimensions={0}",
           "f32[2,7]; f32[3,8] | f32[5,7] concatenate(p0, p1), dimensions={0}"},
          {"concatenate_c6",
           "s8[4611686018427387904]; s8[1] | s8[4611686018427387905] concatenate(p0, p1), "
           "dimensions={0}",
           "s8[4611686018427387904]; s8[4611686018427387904] | s8[0] concatenate(p0, p1), "
           "dimensions={0}"},
          {"pad_c1", "f32[3]; f32[] | f32[4] pad(p0, p1), padding=0_1",
           "f32[3]; f32[1] | f32[4] pad(p0, p1), padding=0_1"},
          {"pad_c2", "f32[3]; f16[] | f32[4] pad(p0, p1), padding=0_1",
           "f32[3]; s32[] | f32[4] pad(p0, p1), padding=0_1"},
          {"pad_c3", "f32[3]; f32[] | f32[4] pad(p0, p1), padding=0_1",
           "f32[3]; f32[] | f32[4] pad(p0, p1), padding=0_1x0_0"},
          {"pad_c4", "f32[3]; f32[] | f32[0] pad(p0, p1), padding=-2_-1",
           "f32[3]; f32[] | f32[0] pad(p0, p1), padding=-2_-2"},
          {"pad_c4", "f32[0]; f32[] | f32[9] pad(p0, p1), padding=4_5_3",
           "f32[0]; f32[] | f32[0] pad(p0, p1), padding=0_-1_3"},
          {"pad_c4", "f32[3]; f32[] | f32[5] pad(p0, p1), padding=0_0_1",
           "f32[3]; f32[] | f32[5] pad(p0, p1), padding=0_0_4611686018427387904"},
          {"iota_c1", "| s32[2] iota(), iota_dimension=0", "| s32[] iota(), iota_dimension=0"},
          {"iota_c2", "| s32[2] iota(), iota_dimension=0", "| s32[2] iota(), iota_dimension=1"},
          {"iota_c3", "| u2[2] iota(), iota_dimension=0", "| pred[2] iota(), iota_dimension=0"},
          {"iota_c4", "| s32[2] iota(), iota_dimension=0", "| s32[<=2] iota(), iota_dimension=0"},
          {"dimension_size_c1", "f32[2] | s32[] get-dimension-size(p0), dimensions={0}",
           "(f32[2]) | s32[] get-dimension-size(p0), dimensions={0}"},
          {"dimension_size_c2", "f32[2] | s32[] get-dimension-size(p0), dimensions={0}",
           "f32[2] | s32[] get-dimension-size(p0), dimensions={1}"},
          {"dimension_size_c3", "s8[2147483647] | s32[] get-dimension-size(p0), dimensions={0}",
           "s8[2147483648] | s32[] get-dimension-size(p0), dimensions={0}"},
          {"dimension_size_c4",
           "f32[2]; s32[] | f32[<=2] set-dimension-size(p0, p1), dimensions={0}",
           "f32[2]; s64[] | f32[<=2] set-dimension-size(p0, p1), dimensions={0}"},
          {"dynamic_reshape_c3", "f32[6]; s32[] | f32[<=6] dynamic-reshape(p0, p1)",
           "f32[6]; s64[] | f32[<=6] dynamic-reshape(p0, p1)"},
      });
}

TEST(MovementRules, EveryClauseOfReinterpretationRefuses) {
  ExpectRows("", {
                     {"bitcast_c1", "f32[2] | s8[8] bitcast(p0)", "(f32[2]) | s8[8] bitcast(p0)"},
                     {"bitcast_c3", "f32[2] | s8[8] bitcast(p0)", "f32[2] | s8[9] bitcast(p0)"},
                     {"bitcast_c3", "s4[4] | s8[2] bitcast(p0)", "s4[5] | s8[2] bitcast(p0)"},
                     {"bitcast_convert_c1", "f32[2] | s32[2] bitcast-convert(p0)",
                      "f32[2] | (s32[2]) bitcast-convert(p0)"},
                     {"bitcast_convert_c2", "c128[2] | c64[2,2] bitcast-convert(p0)",
                      "c64[2] | f32[2,2] bitcast-convert(p0)"},
                     {"bitcast_convert_c3", "s8[3,4] | s32[3] bitcast-convert(p0)",
                      "s8[3,2] | s32[3] bitcast-convert(p0)"},
                     {"bitcast_convert_c3", "s8[4] | s32[] bitcast-convert(p0)",
                      "s8[] | s32[] bitcast-convert(p0)"},
                     {"shape_c2", "s32[3] | s8[3,4] bitcast-convert(p0)",
                      "s32[3] | s8[12] bitcast-convert(p0)"},
                 });
}

TEST(MovementRules, EveryClauseOfDynamicSlicesRefuses) {
  ExpectRows(
      "",
      {
          {"dynamic_slice_c2",
           "f32[5]; s32[] | f32[2] dynamic-slice(p0, p1), dynamic_slice_sizes={2}",
           "f32[5]; s32[] | f32[2] dynamic-slice(p0, p1), dynamic_slice_sizes={2,1}"},
          {"dynamic_slice_c3",
           "f32[5]; s32[] | f32[5] dynamic-slice(p0, p1), dynamic_slice_sizes={5}",
           "f32[5]; s32[] | f32[6] dynamic-slice(p0, p1), dynamic_slice_sizes={6}"},
          {"dynamic_slice_c3",
           "f32[5]; s32[] | f32[0] dynamic-slice(p0, p1), dynamic_slice_sizes={0}",
           "f32[5]; s32[] | f32[0] dynamic-slice(p0, p1), dynamic_slice_sizes={-1}"},
          {"start_indices_c2",
           "f32[5]; u8[] | f32[2] dynamic-slice(p0, p1), dynamic_slice_sizes={2}",
           "f32[5]; f32[] | f32[2] dynamic-slice(p0, p1), dynamic_slice_sizes={2}"},
          {"start_indices_c3",
           "f32[5,5]; s32[]; s32[] | f32[2,2] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={2,2}",
           "f32[5,5]; s32[]; u32[] | f32[2,2] dynamic-slice(p0, p1, p2), "
           "dynamic_slice_sizes={2,2}"},
          {"start_indices_c4",
           "f32[5,5]; s32[2] | f32[2,2] dynamic-slice(p0, p1), dynamic_slice_sizes={2,2}",
           "f32[5,5]; s32[3] | f32[2,2] dynamic-slice(p0, p1), dynamic_slice_sizes={2,2}"},
          {"start_indices_c4",
           "f32[5,5]; s32[]; s32[] | f32[2,2] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={2,2}",
           "f32[5,5]; s32[]; s32[1] | f32[2,2] dynamic-slice(p0, p1, p2), "
           "dynamic_slice_sizes={2,2}"},
          {"dynamic_update_slice_c1",
           "f32[5]; f32[2]; s32[] | f32[5] dynamic-update-slice(p0, p1, p2)",
           "f32[5]; (f32[2]); s32[] | f32[5] dynamic-update-slice(p0, p1, p2)"},
          {"dynamic_update_slice_c2",
           "f32[5]; f32[2]; s32[] | f32[5] dynamic-update-slice(p0, p1, p2)",
           "f32[5]; f32[]; s32[] | f32[5] dynamic-update-slice(p0, p1, p2)"},
          {"dynamic_update_slice_c3",
           "f32[5]; f16[2]; s32[] | f32[5] dynamic-update-slice(p0, p1, p2)",
           "f32[5]; s32[2]; s32[] | f32[5] dynamic-update-slice(p0, p1, p2)"},
          {"dynamic_update_slice_c4",
           "f32[5]; f32[5]; s32[] | f32[5] dynamic-update-slice(p0, p1, p2)",
           "f32[5]; f32[6]; s32[] | f32[5] dynamic-update-slice(p0, p1, p2)"},
      });
}

TEST(MovementRules, InfersLikeXlasReader) {
  ExpectInference(
      "",
      {
          {"f32[3] | broadcast(p0), dimensions={2}", "f32[2,3]{1,0}"},
          {"f32[2,3,4]{0,2,1} | transpose(p0), dimensions={1,2,0}", "f32[3,4,2]{2,1,0}"},
          {"f32[2,3,4]{0,2,1:T(2,2)} | transpose(p0), dimensions={1,2,0}",
           "f32[3,4,2]{2,1,0:T(2,2)}"},
          {"f32[<=5,3] | transpose(p0), dimensions={1,0}", "f32[3,<=5]{0,1}"},
          {"f32[2,3]{0,1} | reverse(p0), dimensions={0}", "f32[2,3]{0,1}"},
          {"f32[2,3]{0,1} | copy(p0)", "f32[2,3]{0,1}"},
          {"f32[2,3]{0,1}; f32[] | pad(p0, p1), padding=0_1x1_1_2", "f32[3,9]{1,0}"},
          {"bf16[2,3]{0,1}; f32[] | pad(p0, p1), padding=0_1x1_1_2", "f32[3,9]{1,0}"},
          {"f32[<=5,3]; f32[] | pad(p0, p1), padding=0_1x1_1", "f32[<=6,5]{1,0}"},
          {"f32[2,3]{0,1}; f32[2,4]{0,1} | concatenate(p0, p1), dimensions={1}", "f32[2,7]{1,0}"},
          {"f16[2,3]; bf16[2,4] | concatenate(p0, p1), dimensions={1}", "bf16[2,7]{1,0}"},
          {"f32[<=5,3]; f32[5,3] | concatenate(p0, p1), dimensions={0}", "f32[<=10,3]{1,0}"},
          {"f32[<=5,3]; f32[5,3] | concatenate(p0, p1), dimensions={1}", "f32[<=5,6]{1,0}"},
          {"f32[2,3]{0,1} | get-dimension-size(p0), dimensions={0}", "s32[]"},
          {"f32[2,3]{0,1}; s32[] | set-dimension-size(p0, p1), dimensions={0}", "f32[<=2,3]{0,1}"},
      });
}

}  // namespace
}  // namespace assay
