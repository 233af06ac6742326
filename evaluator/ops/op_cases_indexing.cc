// The worked examples of ops_structural.md 3.10, 3.11 and 4: dynamic slices, gather, scatter.
#include "evaluator/ops/op_case_text.h"

namespace assay {
namespace {

std::vector<CaseText> DynamicSlices() {
  const std::string slice2 = "$T[2] dynamic-slice($T[5] x, s32[] i), dynamic_slice_sizes={2}";
  const std::string update2 = "$T[5] dynamic-update-slice($T[5] x, $T[2] u, s32[] i)";
  return {
      {"3.10 dynamic-slice: start 2", slice2, {"{0,1,2,3,4}", "2"}, {"{2,3}"}},
      {"3.10 dynamic-slice: start 4 clamps", slice2, {"{0,1,2,3,4}", "4"}, {"{3,4}"}},
      {"3.10 dynamic-slice: start 6 clamps", slice2, {"{0,1,2,3,4}", "6"}, {"{3,4}"}},
      {"3.10 dynamic-slice: start -1 clamps", slice2, {"{0,1,2,3,4}", "-1"}, {"{0,1}"}},
      {"3.10 dynamic-slice: u32 beyond 2^31",
       "$T[2] dynamic-slice($T[5] x, u32[] i), dynamic_slice_sizes={2}",
       {"{0,1,2,3,4}", "2147483648"},
       {"{3,4}"}},
      {"3.10 dynamic-slice: u64 beyond 2^63",
       "$T[2] dynamic-slice($T[5] x, u64[] i), dynamic_slice_sizes={2}",
       {"{0,1,2,3,4}", "9223372036854775808"},
       {"{3,4}"}},
      {"3.10 dynamic-slice: s8 127 of 300",
       "u16[1] dynamic-slice(u16[300] x, s8[] i), dynamic_slice_sizes={1}",
       {"0..", "127"},
       {"{127}"}},
      {"3.10 dynamic-slice: u8 200 of 300",
       "u16[1] dynamic-slice(u16[300] x, u8[] i), dynamic_slice_sizes={1}",
       {"0..", "200"},
       {"{200}"}},
      {"3.10 dynamic-slice: matrix",
       "$T[2,2] dynamic-slice($T[4,3] x, s32[] i, s32[] j), dynamic_slice_sizes={2,2}",
       {"0..", "2", "1"},
       {"{{7,8},{10,11}}"}},
      {"3.10 dynamic-slice: (-1,3)",
       "$T[2,2] dynamic-slice($T[4,4] x, s64[] i, s64[] j), dynamic_slice_sizes={2,2}",
       {"{{0,0,1,1},{0,0,1,1},{0,0,0,0},{0,0,0,0}}", "-1", "3"},
       {"{{1,1},{1,1}}"}},
      {"3.10 dynamic-slice: size 0",
       "$T[0] dynamic-slice($T[5] x, s32[] i), dynamic_slice_sizes={0}",
       {"{0,1,2,3,4}", "9"},
       {"{}"}},
      {"3.11 dynamic-update-slice: start 2",
       update2,
       {"{0,1,2,3,4}", "{5,6}", "2"},
       {"{0,1,5,6,4}"}},
      {"3.11 dynamic-update-slice: start 4 clamps",
       update2,
       {"{0,1,2,3,4}", "{5,6}", "4"},
       {"{0,1,2,5,6}"}},
      {"3.11 dynamic-update-slice: start -9 clamps",
       update2,
       {"{0,1,2,3,4}", "{5,6}", "-9"},
       {"{5,6,2,3,4}"}},
      {"3.11 dynamic-update-slice: matrix",
       "$T[4,3] dynamic-update-slice($T[4,3] x, $T[3,2] u, s32[] i, s32[] j)",
       {"0..", "{{12,13},{14,15},{16,17}}", "1", "1"},
       {"{{0,1,2},{3,12,13},{6,14,15},{9,16,17}}"}},
      {"3.11 dynamic-update-slice: 3x3",
       "$T[3,3] dynamic-update-slice($T[3,3] x, $T[1,2] u, s32[] i, s32[] j)",
       {"1..", "{{10,11}}", "2", "1"},
       {"{{1,2,3},{4,5,6},{7,10,11}}"}},
      {"3.11 dynamic-update-slice: an empty update",
       "$T[3] dynamic-update-slice($T[3] x, $T[0] u, s32[] i)",
       {"1..", "{}", "1"},
       {"{1,2,3}"}},
      {"3.11 dynamic-update-slice: scalars",
       "$T[] dynamic-update-slice($T[] x, $T[] u)",
       {"1", "2"},
       {"2"}},
  };
}

const char kBatchIndices[] =
    "{{{{0,0},{1,0},{2,1}},{{0,1},{1,1},{0,9}}},{{{0,0},{2,1},{2,2}},{{1,2},{0,1},{1,0}}}}";

std::vector<CaseText> Gathers() {
  const std::string single =
      ", offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, "
      "slice_sizes={1,1}";
  const char kNine[] = "{{1,2,3},{4,5,6},{7,8,9}}";
  return {
      {"4.1 gather: batching dimensions",
       "s32[2,2,3,2,2] gather(s32[2,3,4,2] x, s64[2,2,3,2] i), offset_dims={3,4}, "
       "collapsed_slice_dims={1}, start_index_map={2,1}, operand_batching_dims={0}, "
       "start_indices_batching_dims={1}, index_vector_dim=3, slice_sizes={1,1,2,2}",
       {"1..", kBatchIndices},
       {"{{{{{1,2},{3,4}},{{3,4},{5,6}},{{13,14},{15,16}}},{{{33,34},{35,36}},{{35,36},{37,38}},"
        "{{41,42},{43,44}}}},{{{{1,2},{3,4}},{{13,14},{15,16}},{{21,22},{23,24}}},{{{43,44},"
        "{45,46}},{{33,34},{35,36}},{{27,28},{29,30}}}}}"}},
      {"4.1 gather: rows",
       "$T[2,3] gather($T[3,3] x, s32[2] i), offset_dims={1}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
       {kNine, "{0,2}"},
       {"{{1,2,3},{7,8,9}}"}},
      {"4.1 gather: columns",
       "$T[3,2] gather($T[3,3] x, s32[2] i), offset_dims={0}, collapsed_slice_dims={1}, "
       "start_index_map={1}, index_vector_dim=1, slice_sizes={3,1}",
       {kNine, "{0,2}"},
       {"{{1,3},{4,6},{7,9}}"}},
      {"4.1 gather: clamping high",
       "$T[6] gather($T[3,3] x, s32[6,2] i)" + single,
       {kNine, "{{2,7},{2,1},{1,1},{5,1},{2147483647,1},{1,2}}"},
       {"{9,8,5,8,8,6}"}},
      {"4.1 gather: clamping low",
       "$T[2] gather($T[3,3] x, s32[2,2] i)" + single,
       {kNine, "{{2,-1},{-500,1}}"},
       {"{7,2}"}},
      {"4.1 gather: clamping a window",
       "$T[1,2,2] gather($T[3,3] x, s32[1,2] i), offset_dims={1,2}, collapsed_slice_dims={}, "
       "start_index_map={0,1}, index_vector_dim=1, slice_sizes={2,2}",
       {kNine, "{{2,0}}"},
       {"{{{4,5},{7,8}}}"}},
      {"4.1 gather: u64 beyond 2^63 clamps to the top",
       "$T[1] gather($T[3,3] x, u64[1,2] i)" + single,
       {kNine, "{{9223372036854775808,0}}"},
       {"{7}"}},
      {"4.1 gather: swapped map",
       "$T[1] gather($T[3,3] x, s32[1,2] i), offset_dims={}, collapsed_slice_dims={0,1}, "
       "start_index_map={1,0}, index_vector_dim=1, slice_sizes={1,1}",
       {kNine, "{{0,2}}"},
       {"{7}"}},
      {"4.1 gather: index vector first",
       "$T[2] gather($T[3,3] x, s32[2,2] i), offset_dims={}, collapsed_slice_dims={0,1}, "
       "start_index_map={0,1}, index_vector_dim=0, slice_sizes={1,1}",
       {kNine, "{{0,1},{2,0}}"},
       {"{3,4}"}},
      {"4.1 gather: scalar index",
       "$T[3] gather($T[3,3] x, s32[] i), offset_dims={0}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=0, slice_sizes={1,3}",
       {kNine, "2"},
       {"{7,8,9}"}},
      {"4.1 gather: two batching dimensions crossed",
       "$T[3,2] gather($T[2,3,4] x, s32[3,2] i), offset_dims={}, collapsed_slice_dims={2}, "
       "start_index_map={2}, operand_batching_dims={0,1}, start_indices_batching_dims={1,0}, "
       "index_vector_dim=2, slice_sizes={1,1,1}",
       {"0..", "{{0,1},{2,3},{1,1}}"},
       {"{{0,13},{6,19},{9,21}}"}},
      {"4.1 gather: batching with the index vector first",
       "$T[3] gather($T[3,4] x, s32[1,3] i), offset_dims={}, collapsed_slice_dims={1}, "
       "start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={1}, "
       "index_vector_dim=0, slice_sizes={1,1}",
       {"0..", "{{1,9,-1}}"},
       {"{1,7,8}"}},
      {"4.1 gather: rank 0 operand",
       "$T[3] gather($T[] x, s32[3,0] i), offset_dims={}, collapsed_slice_dims={}, "
       "start_index_map={}, index_vector_dim=1, slice_sizes={}",
       {"5", "{{},{},{}}"},
       {"{5,5,5}"}},
  };
}

const char kRows[] =
    ", update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=1, to_apply=";
const char kElements[] =
    ", update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, "
    "index_vector_dim=1, to_apply=";
const char kCells[] =
    ", update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=1, to_apply=";
const char kWindows[] =
    ", update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=1, to_apply=";

std::string Overwrite(const std::string& type) {
  return "{ a = " + type + "[] parameter(0) ROOT b = " + type + "[] parameter(1) }";
}

std::vector<CaseText> Scatters() {
  const char kNine[] = "{{1,2,3},{4,5,6},{7,8,9}}";
  const std::string rows_s32 = "s32[3,3] scatter(s32[3,3] x, s32[2] i, s32[2,3] u)";
  const std::string rows_any = "$T[3,3] scatter($T[3,3] x, s32[2] i, $T[2,3] u)";
  return {
      {"4.2 scatter: batching dimensions",
       "s32[2,3,4,2] scatter(s32[2,3,4,2] x, s64[2,2,3,2] i, s32[2,2,3,2,2] u), "
       "update_window_dims={3,4}, inserted_window_dims={1}, scatter_dims_to_operand_dims={2,1}, "
       "input_batching_dims={0}, scatter_indices_batching_dims={1}, index_vector_dim=3, to_apply=" +
           BinaryBody("s32", "add"),
       {"1..", kBatchIndices,
        "{{{{{1,1},{1,1}},{{1,1},{1,1}},{{1,1},{1,1}}},{{{1,1},{1,1}},{{1,1},{1,1}},{{1,1},{1,1}}}}"
        ",{{{{1,1},{1,1}},{{1,1},{1,1}},{{1,1},{1,1}}},{{{1,1},{1,1}},{{1,1},{1,1}},{{1,1},{1,1}}}}"
        "}"},
       {"{{{{3,4},{6,7},{6,7},{7,8}},{{9,10},{11,12},{15,16},{17,18}},{{17,18},{19,20},{22,23},{24,"
        "25}}},{{{25,26},{28,29},{30,31},{31,32}},{{35,36},{38,39},{38,39},{39,40}},{{41,42},{44,"
        "45},{46,47},{47,48}}}}"}},
      {"4.2 scatter: a window partly outside is left out",
       "s32[3,3,2] scatter(s32[3,3,2] x, s32[1,2] i, s32[1,2,2] u), update_window_dims={1,2}, "
       "inserted_window_dims={0}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, "
       "to_apply=" +
           Overwrite("s32"),
       {"{{{-1,1},{-2,2},{-3,3}},{{-4,4},{-5,5},{-6,6}},{{-7,7},{-8,8},{-9,9}}}", "{{0,2}}",
        "{{{-10,10},{-40,40}}}"},
       {"{{{-1,1},{-2,2},{-3,3}},{{-4,4},{-5,5},{-6,6}},{{-7,7},{-8,8},{-9,9}}}"}},
      {"4.2 scatter: rows overwrite",
       rows_any + kRows + Overwrite("$T"),
       {kNine, "{0,2}", "{{10,20,30},{70,80,90}}"},
       {"{{10,20,30},{4,5,6},{70,80,90}}"}},
      {"4.2 scatter: rows add",
       rows_s32 + kRows + BinaryBody("s32", "add"),
       {kNine, "{0,2}", "{{10,20,30},{70,80,90}}"},
       {"{{11,22,33},{4,5,6},{77,88,99}}"}},
      {"4.2 scatter: duplicates add",
       rows_s32 + kRows + BinaryBody("s32", "add"),
       {kNine, "{1,1}", "{{10,20,30},{70,80,90}}"},
       {"{{1,2,3},{84,105,126},{7,8,9}}"}},
      {"4.2 scatter: duplicates overwrite",
       rows_any + kRows + Overwrite("$T"),
       {kNine, "{1,1}", "{{10,20,30},{70,80,90}}"},
       {"{{1,2,3},{70,80,90},{7,8,9}}"}},
      {"4.2 scatter: elements outside",
       "$T[3,3] scatter($T[3,3] x, s32[6,2] i, $T[6] u)" + (kElements + Overwrite("$T")),
       {kNine, "{{2,7},{2,1},{1,1},{5,1},{2147483647,1},{1,2}}", "{10,20,30,40,50,60}"},
       {"{{1,2,3},{4,30,60},{7,20,9}}"}},
      {"4.2 scatter: variadic",
       "(s32[2], s32[2]) scatter(s32[2] x, s32[2] y, s32[1] i, s32[1] u, s32[1] v)" +
           (kCells +
            std::string("{ a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] "
                        "parameter(2) d = s32[] parameter(3) s = s32[] add(a, c) t = s32[] "
                        "subtract(b, d) ROOT r = (s32[], s32[]) tuple(s, t) }")),
       {"{1,2}", "{10,20}", "{1}", "{5}", "{7}"},
       {"{1,7}", "{10,13}"}},
      {"4.2 scatter: variadic of two types",
       "(f32[2], s32[2]) scatter(f32[2] x, s32[2] y, s32[1] i, f32[1] u, s32[1] v)" +
           (kCells +
            std::string("{ a = f32[] parameter(0) b = s32[] parameter(1) c = f32[] "
                        "parameter(2) d = s32[] parameter(3) s = f32[] add(a, c) t = s32[] "
                        "subtract(b, d) ROOT r = (f32[], s32[]) tuple(s, t) }")),
       {"{1,2.5}", "{10,20}", "{1}", "{5}", "{7}"},
       {"{1,7.5}", "{10,13}"}},
      {"4.2 scatter: negative start",
       "s32[3] scatter(s32[3] x, s32[3,1] i, s32[3] u)" + (kCells + BinaryBody("s32", "add")),
       {"{1,2,3}", "{{-1},{1},{3}}", "{10,20,30}"},
       {"{1,22,3}"}},
      {"4.2 scatter: u8 200 of 300 is 200",
       "HloModule m\nf { a = s32[] parameter(0)\n ROOT b = s32[] parameter(1)\n}\nENTRY e {\n x = "
       "s32[300] parameter(0)\n i = u8[1,1] parameter(1)\n u = s32[1] parameter(2)\n s = s32[300] "
       "scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f\n ROOT r = s32[2] "
       "slice(s), slice={[200:202]}\n}",
       {"0..", "{{200}}", "{7}"},
       {"{7,201}"}},
      {"4.2 scatter: a window outside below",
       "$T[4] scatter($T[4] x, s32[1,1] i, $T[1,2] u)" + (kWindows + Overwrite("$T")),
       {"{0,0,0,0}", "{{-1}}", "{{1,2}}"},
       {"{0,0,0,0}"}},
      {"4.2 scatter: overlapping windows",
       "$T[4] scatter($T[4] x, s32[2,1] i, $T[2,2] u)" + (kWindows + Overwrite("$T")),
       {"{0,0,0,0}", "{{0},{1}}", "{{1,2},{3,4}}"},
       {"{1,3,4,0}"}},
      {"4.2 scatter: order",
       "s32[1] scatter(s32[1] x, s32[2,1] i, s32[2] u)" + (kCells + BinaryBody("s32", "subtract")),
       {"{100}", "{{0},{0}}", "{1,2}"},
       {"{97}"}},
      {"4.2 scatter: rank 0",
       "s32[] scatter(s32[] x, s32[0] i, s32[] u), update_window_dims={}, inserted_window_dims={}, "
       "scatter_dims_to_operand_dims={}, index_vector_dim=0, to_apply=" +
           BinaryBody("s32", "subtract"),
       {"10", "{}", "3"},
       {"7"}},
      {"4.2 scatter: no updates keep the bits",
       "$T[3] scatter($T[3] x, s32[0,1] i, $T[0] u)" + (kCells + Overwrite("$T")),
       {"{1,2,3}", "{}", "{}"},
       {"{1,2,3}"}},
      {"0.3 scatter: a cell is the exact sum rounded once",
       "f32[1] scatter(f32[1] x, s32[3,1] i, f32[3] u)" + (kCells + BinaryBody("f32", "add")),
       {"{1e8}", "{{0},{0},{0}}", "{1,-1e8,1}"},
       {"{2}"}},
  };
}

}  // namespace

std::vector<CaseText> IndexingCases() {
  std::vector<CaseText> cases;
  for (const auto& group : {DynamicSlices(), Gathers(), Scatters()}) {
    cases.insert(cases.end(), group.begin(), group.end());
  }
  return cases;
}

}  // namespace assay
