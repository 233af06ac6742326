// Every clause of reductions, windows, scan, sort, top-k and map, and what is inferred
// where no shape is written (the expected shapes are those of XLA's reader).
#include "gtest/gtest.h"
#include "spec/ops/rule_rows.h"

namespace assay {
namespace {

constexpr absl::string_view kComputations = R"(
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}
add_two {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  e = f32[] add(a, c)
  f = f32[] add(b, d)
  ROOT sums = (f32[], f32[]) tuple(e, f)
}
add_two_one {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ROOT sum = f32[] add(a, c)
}
add_vector {
  a = f32[] parameter(0)
  b = f32[1] parameter(1)
  ROOT sum = f32[] reshape(b)
}
mixed {
  a = f16[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] convert(a)
}
add_to_vector {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[1] reshape(a)
}
ge {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GE
}
ge_s32 {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GE
}
ge_two {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GE
}
step {
  x = f32[] parameter(0)
  c = f32[] parameter(1)
  s = f32[] add(x, c)
  ROOT r = (f32[], f32[]) tuple(s, s)
}
)";

TEST(ReductionRules, EveryClauseRefuses) {
  ExpectRows(
      kComputations,
      {
          {"reduce_c1", "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add",
           "(f32[2,3]); f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add"},
          {"reduce_c1",
           "f32[2,3]; f32[2,3]; f32[]; f32[] | (f32[2], f32[2]) reduce(p0, p1, p2, p3), "
           "dimensions={1}, to_apply=add_two",
           "f32[2,3]; f32[2,4]; f32[]; f32[] | (f32[2], f32[2]) reduce(p0, p1, p2, p3), "
           "dimensions={1}, to_apply=add_two"},
          {"reduce_c2", "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add",
           "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={2}, to_apply=add"},
          {"reduce_c2", "f32[2,3]; f32[] | f32[] reduce(p0, p1), dimensions={1,0}, to_apply=add",
           "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1,1}, to_apply=add"},
          {"reduce_c3", "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add",
           "f32[2,3]; f32[1] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add"},
          {"reducer_c1", "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add",
           "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add_two"},
          {"reducer_c2",
           "f32[2,3]; f32[2,3]; f32[]; f32[] | (f32[2], f32[2]) reduce(p0, p1, p2, p3), "
           "dimensions={1}, to_apply=add_two",
           "f32[2,3]; f32[2,3]; f32[]; f32[] | (f32[2], f32[2]) reduce(p0, p1, p2, p3), "
           "dimensions={1}, to_apply=add_two_one"},
          {"reducer_c2", "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add",
           "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add_to_vector"},
          {"reducer_c3", "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add",
           "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add_vector"},
          {"reducer_c4", "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add",
           "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=mixed"},
          {"reducer_c5", "f32[2,3]; bf16[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add",
           "f32[2,3]; s32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add"},
          {"reducer_c6", "bf16[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add",
           "s32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add"},
          {"shape_c2", "f32[2,3]; f32[] | f32[2] reduce(p0, p1), dimensions={1}, to_apply=add",
           "f32[2,3]; f32[] | f32[3] reduce(p0, p1), dimensions={1}, to_apply=add"},
          {"reduce_window_c1",
           "f32[4]; f32[4]; f32[]; f32[] | (f32[3], f32[3]) reduce-window(p0, p1, p2, p3), "
           "window={size=2}, to_apply=add_two",
           "f32[4]; f32[5]; f32[]; f32[] | (f32[3], f32[3]) reduce-window(p0, p1, p2, p3), "
           "window={size=2}, to_apply=add_two"},
          {"reduce_window_c2",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3}, "
           "to_apply=add",
           "f32[4,6]; f32[1] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3}, "
           "to_apply=add"},
          {"window_c1",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3}, "
           "to_apply=add",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2 stride=2}, "
           "to_apply=add"},
          {"window_c2",
           "f32[4,6]; f32[] | f32[1,1] reduce-window(p0, p1), window={size=4x6}, to_apply=add",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=0x3 stride=2x3}, "
           "to_apply=add"},
          {"window_c2",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3}, "
           "to_apply=add",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=0x3}, "
           "to_apply=add"},
          {"window_c2",
           "f32[4,6]; f32[] | f32[0,2] reduce-window(p0, p1), window={size=2x3 stride=2x3 "
           "pad=-2_-2x0_0}, to_apply=add",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3 "
           "pad=-3_-2x0_0}, to_apply=add"},
          {"window_c2",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3}, "
           "to_apply=add",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3 "
           "lhs_dilate=0x1}, to_apply=add"},
          {"window_c2",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3}, "
           "to_apply=add",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3 "
           "rhs_dilate=0x1}, to_apply=add"},
          {"window_c2",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3}, "
           "to_apply=add",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3 "
           "lhs_dilate=4611686018427387904x1}, to_apply=add"},
          {"window_c2",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3}, "
           "to_apply=add",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3 "
           "rhs_dilate=9223372036854775807x1}, to_apply=add"},
          {"window_c2",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3}, "
           "to_apply=add",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3 "
           "pad=9223372036854775807_0x0_0}, to_apply=add"},
          {"window_c3",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3}, "
           "to_apply=add",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3 "
           "rhs_reversal=1x0}, to_apply=add"},
          {"shape_c2",
           "f32[4,6]; f32[] | f32[2,2] reduce-window(p0, p1), window={size=2x3 stride=2x3}, "
           "to_apply=add",
           "f32[4,6]; f32[] | f32[2,3] reduce-window(p0, p1), window={size=2x3 stride=2x3}, "
           "to_apply=add"},
          {"select_and_scatter_c1",
           "f32[4,6]; f32[2,2]; f32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge, scatter=add",
           "f32[4,6]; f32[2,2]; f32[1] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge, scatter=add"},
          {"select_and_scatter_c2",
           "f32[4,6]; f32[2,2]; f32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge, scatter=add",
           "f32[4,6]; f32[2,2]; f32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=add, scatter=add"},
          {"select_and_scatter_c2",
           "f32[4,6]; f32[2,2]; f32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge, scatter=add",
           "f32[4,6]; f32[2,2]; f32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge_two, scatter=add"},
          {"select_and_scatter_c2",
           "f32[4,6]; f32[2,2]; f32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge, scatter=add",
           "f32[4,6]; f32[2,2]; f32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge_s32, scatter=add"},
          {"select_and_scatter_c3",
           "f32[4,6]; f32[2,2]; f32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge, scatter=add",
           "f32[4,6]; f32[2,2]; f32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3 rhs_dilate=2x1}, select=ge, scatter=add"},
          {"select_and_scatter_c4",
           "f32[4,6]; f32[2,2]; f32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge, scatter=add",
           "f32[4,6]; f32[2,3]; f32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge, scatter=add"},
          {"select_and_scatter_c5",
           "f16[4,6]; f32[2,2]; f32[] | f16[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge, scatter=add",
           "s32[4,6]; f32[2,2]; f32[] | s32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge_s32, scatter=add"},
          {"reducer_c5",
           "f32[4,6]; f32[2,2]; f32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge, scatter=add",
           "f32[4,6]; f32[2,2]; s32[] | f32[4,6] select-and-scatter(p0, p1, p2), "
           "window={size=2x3 stride=2x3}, select=ge, scatter=add"},
          {"sort_c1",
           "f32[4]; s32[4] | (f32[4], s32[4]) sort(p0, p1), dimensions={0}, to_apply=ge_two",
           "f32[4]; s32[5] | (f32[4], s32[4]) sort(p0, p1), dimensions={0}, to_apply=ge_two"},
          {"sort_c2", "f32[4,6] | f32[4,6] sort(p0), dimensions={1}, to_apply=ge",
           "f32[4,6] | f32[4,6] sort(p0), dimensions={2}, to_apply=ge"},
          {"sort_c2", "f32[1] | f32[1] sort(p0), dimensions={0}, to_apply=ge",
           "f32[] | f32[] sort(p0), dimensions={0}, to_apply=ge"},
          {"sort_c3",
           "f32[4]; s32[4] | (f32[4], s32[4]) sort(p0, p1), dimensions={0}, to_apply=ge_two",
           "f32[4]; s32[4] | (f32[4], s32[4]) sort(p0, p1), dimensions={0}, to_apply=ge"},
          {"sort_c4",
           "f32[4]; s32[4] | (f32[4], s32[4]) sort(p0, p1), dimensions={0}, to_apply=ge_two",
           "s32[4]; f32[4] | (s32[4], f32[4]) sort(p0, p1), dimensions={0}, to_apply=ge_two"},
          {"sort_c5", "f32[4,6] | f32[4,6] sort(p0), dimensions={1}, to_apply=ge",
           "f32[4,6] | f32[4,6] sort(p0), dimensions={1}, to_apply=add"},
          {"map_c1", "f32[4]; f32[4] | f32[4] map(p0, p1), dimensions={0}, to_apply=add",
           "f32[4]; f32[5] | f32[4] map(p0, p1), dimensions={0}, to_apply=add"},
          {"map_c2", "f32[2,3]; f32[2,3] | map(p0, p1), dimensions={0,1}, to_apply=add",
           "f32[2,3]; f32[2,3] | map(p0, p1), dimensions={1,0}, to_apply=add"},
          {"map_c3", "f32[4]; f16[4] | f32[4] map(p0, p1), dimensions={0}, to_apply=add",
           "f32[4]; s32[4] | f32[4] map(p0, p1), dimensions={0}, to_apply=add"},
          {"map_c3", "f32[4]; f32[4] | f32[4] map(p0, p1), dimensions={0}, to_apply=add",
           "f32[4]; f32[4] | f32[4] map(p0, p1), dimensions={0}, to_apply=add_two"},
          {"map_c4", "f32[4]; f32[4] | f32[4] map(p0, p1), dimensions={0}, to_apply=add",
           "f32[4]; f32[4] | f32[4] map(p0, p1), dimensions={0}, to_apply=add_to_vector"},
          {"topk_c1", "f32[4,6] | (f32[4,2], s32[4,2]) topk(p0), k=2",
           "f32[] | (f32[], s32[]) topk(p0), k=0"},
          {"topk_c2", "f32[4] | (f32[4], s32[4]) topk(p0), k=4",
           "f32[4] | (f32[4], s32[4]) topk(p0), k=5"},
          {"topk_c2", "f32[4] | (f32[0], s32[0]) topk(p0), k=0",
           "f32[4] | (f32[4], s32[4]) topk(p0), k=-1"},
          {"topk_c3", "f32[4,6] | (f32[4,2], s32[4,2]) topk(p0), k=2",
           "c64[4,6] | (c64[4,2], s32[4,2]) topk(p0), k=2"},
          {"scan_c2",
           "f32[8]; f32[] | (f32[8], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, "
           "to_apply=step",
           "f32[8]; token[] | (f32[8], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, "
           "to_apply=step"},
          {"scan_c3",
           "f32[8]; f32[] | (f32[8], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, "
           "to_apply=step",
           "f32[8]; f32[] | (f32[8], f32[]) scan(p0, p1), dimensions={1}, num_carries=1, "
           "to_apply=step"},
          {"scan_c4",
           "f32[8]; f32[] | (f32[8], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, "
           "to_apply=step",
           "f32[8,2]; f32[] | (f32[8], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, "
           "to_apply=step"},
          {"scan_c5",
           "f32[8]; f32[] | (f32[8], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, "
           "to_apply=step",
           "f32[8]; f32[] | (f32[8], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, "
           "to_apply=add"},
          {"shape_c2",
           "f32[8]; f32[] | (f32[8], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, "
           "to_apply=step",
           "f32[8]; f32[] | (f32[9], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, "
           "to_apply=step"},
      });
}

TEST(ReductionRules, InfersLikeXlasReader) {
  ExpectInference(
      kComputations,
      {
          {"f32[2,3]{0,1}; f32[] | reduce(p0, p1), dimensions={1}, to_apply=add", "f32[2]{0}"},
          {"f32[2,3,4]{0,1,2}; f32[] | reduce(p0, p1), dimensions={0}, to_apply=add",
           "f32[3,4]{1,0}"},
          {"bf16[2,3]; bf16[] | reduce(p0, p1), dimensions={1}, to_apply=add", "f32[2]{0}"},
          {"f32[<=5,3]; f32[] | reduce(p0, p1), dimensions={1}, to_apply=add", "f32[<=5]{0}"},
          {"f32[2,3]{0,1}; bf16[] | reduce-window(p0, p1), window={size=1x2}, to_apply=add",
           "bf16[2,2]{1,0}"},
          {"f32[3]; f32[] | reduce-window(p0, p1), window={size=2 pad=2_1 lhs_dilate=2 "
           "rhs_dilate=3}, to_apply=add",
           "f32[5]{0}"},
          {"f32[4,6]; f32[2,2]; f32[] | select-and-scatter(p0, p1, p2), window={size=2x3 "
           "stride=2x3}, select=ge, scatter=add",
           "f32[4,6]{1,0}"},
          {"f32[2,3]{0,1} | sort(p0), dimensions={0}, to_apply=ge", "f32[2,3]{0,1}"},
          {"f32[4]; s32[4] | sort(p0, p1), dimensions={0}, to_apply=ge_two",
           "(f32[4]{0}, s32[4]{0})"},
          {"f32[2,3]{0,1}; f32[2,3] | map(p0, p1), dimensions={0,1}, to_apply=add",
           "f32[2,3]{1,0}"},
          {"f32[2,3]{0,1} | topk(p0), k=2", "(f32[2,2]{1,0}, s32[2,2]{1,0})"},
          {"f32[8]; f32[] | scan(p0, p1), dimensions={0}, num_carries=1, to_apply=step",
           "(f32[8]{0}, f32[])"},
      });
}

}  // namespace
}  // namespace assay
