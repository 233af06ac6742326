// The worked examples of ops_structural.md 5 and 6: reduce, reduce-window, select-and-scatter,
// scan, sort, topk.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "evaluator/ops/op_case_text.h"

namespace assay {
namespace {

const char kTimesTenPlus[] =
    "{ a = s32[] parameter(0) x = s32[] parameter(1) ten = s32[] constant(10) m = s32[] "
    "multiply(a, ten) ROOT r = s32[] add(m, x) }";

// "keep the first if its value compares so", on (s32, s32) pairs.
std::string KeepFirst(const std::string& direction) {
  return absl::StrReplaceAll(
      "{ a = s32[] parameter(0) i = s32[] parameter(1) b = s32[] parameter(2) j = s32[] "
      "parameter(3) k = pred[] compare(a, b), direction=$D v = s32[] select(k, a, b) n = s32[] "
      "select(k, i, j) ROOT r = (s32[], s32[]) tuple(v, n) }",
      {{"$D", direction}});
}

CaseText ReduceSlabs(const std::string& dims, const std::string& shape, const std::string& result) {
  return {"5.1 reduce: add over {" + dims + "}",
          "s32" + shape + " reduce(s32[4,2,3] x, s32[] init), dimensions={" + dims +
              "}, to_apply=" + BinaryBody("s32", "add"),
          {"{{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}}}", "0"},
          {result}};
}

std::vector<CaseText> Reduces() {
  return {
      ReduceSlabs("0", "[2,3]", "{{4,8,12},{16,20,24}}"),
      ReduceSlabs("2", "[4,2]", "{{6,15},{6,15},{6,15},{6,15}}"),
      ReduceSlabs("0,1", "[3]", "{20,28,36}"),
      ReduceSlabs("0,1,2", "[]", "84"),
      ReduceSlabs("1", "[4,3]", "{{5,7,9},{5,7,9},{5,7,9},{5,7,9}}"),
      ReduceSlabs("", "[4,2,3]",
                  "{{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}}}"),
      {"5.1 reduce: multiply",
       "s32[2] reduce(s32[2,3] x, s32[] init), dimensions={1}, to_apply=" +
           BinaryBody("s32", "multiply"),
       {"{{1,2,3},{4,5,6}}", "1"},
       {"{6,120}"}},
      {"5.1 reduce: maximum",
       "s32[3] reduce(s32[2,3] x, s32[] init), dimensions={0}, to_apply=" +
           BinaryBody("s32", "maximum"),
       {"{{1,2,3},{4,5,6}}", "-2147483648"},
       {"{4,5,6}"}},
      {"5.1 reduce: an empty extent",
       "s32[3] reduce(s32[0,3] x, s32[] init), dimensions={0}, to_apply=" +
           BinaryBody("s32", "add"),
       {"{}", "0"},
       {"{0,0,0}"}},
      {"5.1 reduce: an empty extent gives init",
       "s32[2] reduce(s32[2,0] x, s32[] init), dimensions={1}, to_apply=" +
           BinaryBody("s32", "add"),
       {"{{},{}}", "7"},
       {"{7,7}"}},
      {"5.1 reduce: an empty extent gives the bits of init",
       "$T[2] reduce($T[2,0] x, $T[] init), dimensions={1}, to_apply=" + BinaryBody("$T", "add"),
       {"{{},{}}", "7"},
       {"{7,7}"}},
      {"5.1 reduce: argmax, >=",
       "(s32[], s32[]) reduce(s32[4] x, s32[4] i, s32[] a, s32[] b), dimensions={0}, to_apply=" +
           KeepFirst("GE"),
       {"{3,9,9,1}", "{0,1,2,3}", "-1", "-1"},
       {"9", "1"}},
      {"5.1 reduce: argmax, >",
       "(s32[], s32[]) reduce(s32[4] x, s32[4] i, s32[] a, s32[] b), dimensions={0}, to_apply=" +
           KeepFirst("GT"),
       {"{3,9,9,1}", "{0,1,2,3}", "-1", "-1"},
       {"9", "2"}},
      {"5.1 reduce: order",
       std::string("s32[] reduce(s32[5] x, s32[] init), dimensions={0}, to_apply=") + kTimesTenPlus,
       {"{1,2,3,4,5}", "9"},
       {"912345"}},
      {"5.1 reduce: order over two dimensions",
       std::string("s32[] reduce(s32[2,2] x, s32[] init), dimensions={1,0}, to_apply=") +
           kTimesTenPlus,
       {"{{1,2},{3,4}}", "0"},
       {"1234"}},
      {"0.3 reduce: an exact sum",
       "f32[] reduce(f32[4] x, f32[] init), dimensions={0}, to_apply=" + BinaryBody("f32", "add"),
       {"{1e8,1,-1e8,1}", "0"},
       {"2"}},
      {"0.3 reduce: no overflow on the way",
       "f16[] reduce(f16[3] x, f16[] init), dimensions={0}, to_apply=" + BinaryBody("f16", "add"),
       {"{60000,60000,-60000}", "0"},
       {"60000"}},
      {"0.3 reduce: a product without overflow on the way",
       "f32[] reduce(f32[4] x, f32[] init), dimensions={0}, to_apply=" +
           BinaryBody("f32", "multiply"),
       {"{1e30,1e30,1e-30,1e-30}", "1"},
       {"1"}},
      {"0.3 reduce: bf16 by way of f32, rounded once",
       "bf16[] reduce(bf16[3] x, bf16[] init), dimensions={0}, to_apply={ a = bf16[] parameter(0) "
       "b = bf16[] parameter(1) c = f32[] convert(a) d = f32[] convert(b) s = f32[] add(c, d) "
       "ROOT r = bf16[] convert(s) }",
       {"{256,1,1}", "0"},
       {"258"}},
      {"0.3 reduce: -0 only when every term is",
       "f32[2] reduce(f32[2,2] x, f32[] init), dimensions={1}, to_apply=" +
           BinaryBody("f32", "add"),
       {"{{-0,-0},{-0,0}}", "-0"},
       {"{-0,0}"}},
      {"5.1 reduce: one NaN makes the maximum NaN",
       "f32[2] reduce(f32[2,2] x, f32[] init), dimensions={1}, to_apply=" +
           BinaryBody("f32", "maximum"),
       {"{{1,nan},{-0,0}}", "-inf"},
       {"{nan,0}"}},
  };
}

std::vector<CaseText> Windows() {
  const std::string sum1 = ", to_apply=" + BinaryBody("s32", "add");
  return {
      {"5.2 reduce-window: dilations and padding",
       "s32[5] reduce-window(s32[3] x, s32[] z), window={size=2 pad=2_1 lhs_dilate=2 "
       "rhs_dilate=3}" +
           sum1,
       {"{1,2,3}", "0"},
       {"{0,2,1,3,2}"}},
      {"5.3 reduce-window: minimum, VALID",
       "s32[2] reduce-window(s32[5] x, s32[] z), window={size=3 stride=2}, to_apply=" +
           BinaryBody("s32", "minimum"),
       {"{10000,1000,100,10,1}", "2147483647"},
       {"{100,1}"}},
      {"5.3 reduce-window: minimum, SAME",
       "s32[3] reduce-window(s32[5] x, s32[] z), window={size=3 stride=2 pad=1_1}, to_apply=" +
           BinaryBody("s32", "minimum"),
       {"{10000,1000,100,10,1}", "2147483647"},
       {"{1000,10,1}"}},
      {"5.3 reduce-window: 2x3",
       "s32[2,2] reduce-window(s32[4,6] x, s32[] z), window={size=2x3 stride=2x3}, to_apply=" +
           BinaryBody("s32", "maximum"),
       {"0..", "-1"},
       {"{{8,11},{20,23}}"}},
      {"5.3 reduce-window: everything at once",
       "s32[2,2] reduce-window(s32[3,2] x, s32[] z), window={size=2x1 stride=4x1 pad=2_1x0_0 "
       "lhs_dilate=2x1 rhs_dilate=3x1}" +
           sum1,
       {"{{1,2},{3,4},{5,6}}", "0"},
       {"{{0,0},{3,4}}"}},
      {"5.3 reduce-window: init counts once, padding not",
       "s32[3] reduce-window(s32[3] x, s32[] z), window={size=2 pad=1_0}" + sum1,
       {"{1,2,3}", "10"},
       {"{11,13,15}"}},
      {"5.3 reduce-window: holes are skipped",
       "s32[3] reduce-window(s32[2] x, s32[] z), window={size=1 lhs_dilate=2}" + sum1,
       {"{1,2}", "10"},
       {"{11,10,12}"}},
      {"5.3 reduce-window: padding alone gives init",
       "s32[2] reduce-window(s32[2] x, s32[] z), window={size=1 pad=1_-1}" + sum1,
       {"{1,2}", "10"},
       {"{10,11}"}},
      {"5.3 reduce-window: order",
       std::string("s32[2] reduce-window(s32[3] x, s32[] z), window={size=2}, to_apply=") +
           kTimesTenPlus,
       {"{1,2,3}", "0"},
       {"{12,23}"}},
      {"5.3 reduce-window: cumulative sum",
       "s32[4] reduce-window(s32[4] x, s32[] z), window={size=4 pad=3_0}" + sum1,
       {"{1,2,3,4}", "0"},
       {"{1,3,6,10}"}},
      {"5.3 reduce-window: negative padding",
       "s32[2] reduce-window(s32[5] x, s32[] z), window={size=2 pad=-1_-1}" + sum1,
       {"{1,2,3,4,5}", "0"},
       {"{5,7}"}},
      {"5.3 reduce-window: negative padding cuts a hole",
       "s32[4] reduce-window(s32[3] x, s32[] z), window={size=2 pad=-1_1 lhs_dilate=2}" + sum1,
       {"{1,2,3}", "0"},
       {"{2,2,3,3}"}},
      {"5.3 reduce-window: variadic",
       "(s32[2], s32[2]) reduce-window(s32[3] x, s32[3] y, s32[] z, s32[] o), window={size=2}, "
       "to_apply={ a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] "
       "parameter(3) s = s32[] add(a, c) p = s32[] multiply(b, d) ROOT r = (s32[], s32[]) "
       "tuple(s, p) }",
       {"{1,2,3}", "{4,5,6}", "0", "1"},
       {"{3,5}", "{20,30}"}},
      {"5.3 reduce-window: an empty base",
       "s32[1] reduce-window(s32[0] x, s32[] z), window={size=2 pad=1_1}" + sum1,
       {"{}", "0"},
       {"{0}"}},
      {"5.3 reduce-window: rank 0",
       "s32[] reduce-window(s32[] x, s32[] z)" + sum1,
       {"3", "10"},
       {"13"}},
  };
}

std::string Select(const std::string& direction) {
  return ", select={ a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), "
         "direction=" +
         direction + " }, scatter=";
}

std::vector<CaseText> SelectAndScatters() {
  const std::string add = Select("GE") + BinaryBody("s32", "add");
  const std::string overlapping =
      "s32[7] select-and-scatter(s32[7] x, s32[4] s, s32[] z), window={size=4}";
  const std::string ties =
      "s32[4] select-and-scatter(s32[4] x, s32[2] s, s32[] z), window={size=2 stride=2}";
  return {
      {"5.4 select-and-scatter: 2x3",
       "s32[4,5] select-and-scatter(s32[4,5] x, s32[2,2] s, s32[] z), window={size=2x3 "
       "stride=2x2}" +
           add,
       {"{{7,2,5,3,8},{3,8,9,3,4},{1,5,7,5,6},{0,6,2,10,2}}", "{{2,6},{3,1}}", "0"},
       {"{{0,0,0,0,0},{0,0,8,0,0},{0,0,3,0,0},{0,0,0,1,0}}"}},
      {"5.4 select-and-scatter: padding",
       "s32[4,2] select-and-scatter(s32[4,2] x, s32[2,2] s, s32[] z), window={size=3x1 "
       "stride=2x1 pad=0_1x0_0}" +
           add,
       {"{{1,5},{2,5},{3,6},{4,4}}", "{{5,6},{7,8}}", "0"},
       {"{{0,0},{0,0},{5,14},{7,0}}"}},
      {"5.4 select-and-scatter: overlapping, maximum",
       overlapping + Select("GE") + BinaryBody("s32", "maximum"),
       {"{1,2,3,100,3,2,1}", "{34,42,53,19}", "0"},
       {"{0,0,0,53,0,0,0}"}},
      {"5.4 select-and-scatter: overlapping, add",
       overlapping + add,
       {"{1,2,3,100,3,2,1}", "{34,42,53,19}", "0"},
       {"{0,0,0,148,0,0,0}"}},
      {"5.4 select-and-scatter: ties, >=", ties + add, {"{5,5,5,5}", "{1,2}", "0"}, {"{1,0,2,0}"}},
      {"5.4 select-and-scatter: ties, >",
       ties + Select("GT") + BinaryBody("s32", "add"),
       {"{5,5,5,5}", "{1,2}", "0"},
       {"{0,1,0,2}"}},
      {"5.4 select-and-scatter: the current value comes first",
       ties + Select("GE") + BinaryBody("s32", "subtract"),
       {"{5,4,3,9}", "{1,2}", "7"},
       {"{6,7,7,5}"}},
      {"5.4 select-and-scatter: negative padding",
       "s32[4,6] select-and-scatter(s32[4,6] x, s32[2,2] s, s32[] z), window={size=2x2 stride=2x2 "
       "pad=0_0x-1_-1}" +
           add,
       {"{{7,2,5,3,10,3},{3,8,9,3,4,2},{1,5,7,5,6,1},{0,6,2,7,2,8}}", "{{2,6},{3,1}}", "0"},
       {"{{0,0,0,0,6,0},{0,0,2,0,0,0},{0,0,3,0,0,0},{0,0,0,1,0,0}}"}},
      {"5.4 select-and-scatter: a window in padding",
       "s32[2] select-and-scatter(s32[2] x, s32[3] s, s32[] z), window={size=1 pad=1_0}" + add,
       {"{4,9}", "{7,1,2}", "0"},
       {"{1,2}"}},
  };
}

// A comparator of N pairs that compares the first pair.
std::string Comparator(const std::string& first, const std::string& direction,
                       const std::vector<std::string>& others = {}, const std::string& type = "") {
  std::string body = "{ a = " + first + "[] parameter(0) b = " + first + "[] parameter(1)";
  int number = 2;
  for (const std::string& other : others) {
    for (int side = 0; side < 2; ++side, ++number) {
      body += " p" + std::to_string(number) + " = " + other + "[] parameter(" +
              std::to_string(number) + ")";
    }
  }
  return body + " ROOT r = pred[] compare(a, b), direction=" + direction + type + " }";
}

std::vector<CaseText> SortsAndTopK() {
  return {
      {"6.2 sort: three operands",
       "(s32[2], s32[2], f32[2]) sort(s32[2] a, s32[2] b, f32[2] c), dimensions={0}, to_apply=" +
           Comparator("s32", "LT", {"s32", "f32"}),
       {"{3,1}", "{42,50}", "{-3,1.1}"},
       {"{1,3}", "{50,42}", "{1.1,-3}"}},
      {"6.2 sort: dimension 0",
       "(s32[2,3], s32[2,3]) sort(s32[2,3] a, s32[2,3] b), dimensions={0}, is_stable=true, "
       "to_apply=" +
           Comparator("s32", "GT", {"s32"}),
       {"{{1,2,3},{3,2,1}}", "{{3,2,1},{1,2,3}}"},
       {"{{3,2,3},{1,2,1}}", "{{1,2,1},{3,2,3}}"}},
      {"6.2 sort: total order",
       "f32[8] sort(f32[8] x), dimensions={0}, to_apply=" +
           Comparator("f32", "LT", {}, ", type=TOTALORDER"),
       {"{nan,-0,0,-inf,1,-nan,inf,-1}"},
       {"{-nan,-inf,-1,-0,0,1,inf,nan}"}},
      {"6.2 sort: stable by key",
       "(s32[4], s32[4]) sort(s32[4] k, s32[4] v), dimensions={0}, is_stable=true, to_apply=" +
           Comparator("s32", "LT", {"s32"}),
       {"{2,1,2,1}", "{0,1,2,3}"},
       {"{1,1,2,2}", "{1,3,0,2}"}},
      {"6.2 sort: zeros are equal",
       "f32[4] sort(f32[4] x), dimensions={0}, is_stable=true, to_apply=" + Comparator("f32", "LT"),
       {"{0,-0,0,-0}"},
       {"{0,-0,0,-0}"}},
      {"6.2 sort: rows",
       "s32[2,3] sort(s32[2,3] x), dimensions={1}, to_apply=" + Comparator("s32", "LT"),
       {"{{3,1,2},{9,7,8}}"},
       {"{{1,2,3},{7,8,9}}"}},
      {"6.2 sort: columns, descending",
       "s32[2,3] sort(s32[2,3] x), dimensions={0}, to_apply=" + Comparator("s32", "GT"),
       {"{{3,1,2},{9,7,8}}"},
       {"{{9,7,8},{3,1,2}}"}},
      {"6.2 sort: values of any type follow their keys",
       "(s32[4], $T[4]) sort(s32[4] k, $T[4] v), dimensions={0}, is_stable=true, to_apply=" +
           Comparator("s32", "LT", {"$T"}),
       {"{2,1,2,1}", "{5,6,7,8}"},
       {"{1,1,2,2}", "{6,8,5,7}"}},
      {"6.2 sort: an empty line",
       "f32[2,0] sort(f32[2,0] x), dimensions={1}, to_apply=" + Comparator("f32", "LT"),
       {"{{},{}}"},
       {"{{},{}}"}},
      {"6.3 topk: largest",
       "(f32[4], s32[4]) topk(f32[7] x), k=4, largest=true",
       {"{1,nan,3,-nan,3,-0,0}"},
       {"{nan,3,3,1}", "{1,2,4,0}"}},
      {"6.3 topk: smallest",
       "(f32[4], s32[4]) topk(f32[7] x), k=4, largest=false",
       {"{1,nan,3,-nan,3,-0,0}"},
       {"{-nan,-0,0,1}", "{3,5,6,0}"}},
      {"6.3 topk: zeros",
       "(f32[3], s32[3]) topk(f32[3] x), k=3, largest=true",
       {"{-0,0,-0}"},
       {"{0,-0,-0}", "{1,0,2}"}},
      {"6.3 topk: pred",
       "(pred[2], s32[2]) topk(pred[3] x), k=2, largest=true",
       {"{1,0,1}"},
       {"{1,1}", "{0,2}"}},
      {"6.3 topk: u64",
       "(u64[1], s32[1]) topk(u64[2] x), k=1, largest=true",
       {"{1,18446744073709551615}"},
       {"{18446744073709551615}", "{1}"}},
      {"6.3 topk: rows",
       "(s32[2,2], s32[2,2]) topk(s32[2,3] x), k=2, largest=true",
       {"{{5,1,5},{2,8,4}}"},
       {"{{5,5},{8,4}}", "{{0,2},{1,2}}"}},
      {"6.3 topk: ties",
       "(s32[1], s32[1]) topk(s32[3] x), k=1, largest=true",
       {"{7,7,7}"},
       {"{7}", "{0}"}},
      {"6.3 topk: none",
       "(s32[0], s32[0]) topk(s32[3] x), k=0, largest=true",
       {"{7,7,7}"},
       {"{}", "{}"}},
  };
}

// A scan of one input along dimension 0, of element type T; the step has x, c and ends with "ROOT".
CaseText Scan1(const std::string& name, const std::string& type, int size, const std::string& step,
               const std::string& attributes, const std::string& x, const std::string& init,
               const std::string& outputs, const std::string& carry) {
  const std::string scalar = absl::StrCat(type, "[]"), array = absl::StrCat(type, "[", size, "]");
  return {absl::StrCat("6.1 scan: ", name),
          absl::StrReplaceAll(
              "($A, $S) scan($A x, $S c), dimensions={0}, num_carries=1$M, to_apply={ x = $S "
              "parameter(0) c = $S parameter(1) $B }",
              {{"$A", array}, {"$S", scalar}, {"$M", attributes}, {"$B", step}}),
          {x, init},
          {outputs, carry}};
}

std::vector<CaseText> ScansOfOneInput() {
  const std::string s32 = "s = s32[] add(c, x) ROOT r = (s32[], s32[]) tuple(";
  const std::string sum = s32 + "s, s)", exclusive = s32 + "c, s)";
  const std::string f32 = "s = f32[] add(x, c) ROOT r = (f32[], f32[]) tuple(s, s)";
  const std::string recurrence =
      "two = s32[] constant(2) d = s32[] multiply(two, c) s = s32[] add(d, x) ROOT r = (s32[], "
      "s32[]) tuple(s, s)";
  const std::string reverse = ", is_reverse=true";
  return {
      Scan1("running sum", "s32", 4, sum, "", "{1,2,3,4}", "10", "{11,13,16,20}", "20"),
      Scan1("running sum in reverse", "s32", 4, sum, reverse, "{1,2,3,4}", "10", "{20,19,17,14}",
            "20"),
      Scan1("exclusive", "s32", 4, exclusive, ", is_associative=true", "{1,2,3,4}", "0",
            "{0,1,3,6}", "10"),
      Scan1("exclusive in reverse", "s32", 4, exclusive, reverse, "{1,2,3,4}", "0", "{9,7,4,0}",
            "10"),
      Scan1("recurrence", "s32", 3, recurrence, "", "{1,0,1}", "1", "{3,6,13}", "13"),
      Scan1("recurrence in reverse", "s32", 3, recurrence, reverse, "{1,0,1}", "1", "{13,6,3}",
            "13"),
      Scan1("no steps", "s32", 0, sum, "", "{}", "7", "{}", "7"),
      // Every prefix is the exact sum rounded once: 2^24 + 1 rounds to 2^24, 2^24 + 2 is exact.
      Scan1("prefixes are exact sums", "f32", 4, f32, "", "{16777216,1,1,-16777216}", "0",
            "{16777216,16777216,16777218,2}", "2"),
      Scan1("prefixes are exact sums in reverse", "f32", 4, f32, reverse,
            "{-16777216,1,1,16777216}", "0", "{2,16777218,16777216,16777216}", "2"),
      Scan1("two additions that say the same", "f32", 3,
            "s = f32[] add(x, c) d = f32[] add(c, x) ROOT r = (f32[], f32[]) tuple(d, s)", "",
            "{16777216,1,1}", "0", "{16777216,16777216,16777218}", "16777218"),
      Scan1("another output, so as written", "f32", 3,
            "s = f32[] add(x, c) n = f32[] negate(s) ROOT r = (f32[], f32[]) tuple(n, s)", "",
            "{16777216,1,1}", "0", "{-16777216,-16777216,-16777216}", "16777216"),
      Scan1("sums through a wider type", "bf16", 3,
            "y = f32[] convert(x) d = f32[] convert(c) t = f32[] add(d, y) s = bf16[] convert(t) "
            "ROOT r = (bf16[], bf16[]) tuple(s, s)",
            "", "{256,1,1}", "0", "{256,256,258}", "258"),
      Scan1("products are exact", "f16", 3,
            "s = f16[] multiply(c, x) ROOT r = (f16[], f16[]) tuple(s, s)", "",
            "{256,256,0.00390625}", "1", "{256,inf,256}", "256"),
      Scan1("maximum", "f32", 4, "s = f32[] maximum(c, x) ROOT r = (f32[], f32[]) tuple(s, s)", "",
            "{1,3,nan,2}", "2", "{2,3,nan,nan}", "nan"),
  };
}

std::vector<CaseText> ScansOfMany() {
  return {
      {"6.1 scan: no inputs",
       "(s32[3], s32[]) scan(s32[] c), dimensions={0}, num_carries=1, to_apply={ c = s32[] "
       "parameter(0) two = s32[] constant(2) d = s32[] multiply(two, c) ROOT r = (s32[], s32[]) "
       "tuple(c, d) }",
       {"7"},
       {"{7,14,28}", "56"}},
      {"6.1 scan: no carries",
       "(s32[2,3]) scan(s32[2,3] x), dimensions={1}, num_carries=0, to_apply={ x = s32[2] "
       "parameter(0) n = s32[2] negate(x) ROOT r = (s32[2]) tuple(n) }",
       {"{{1,2,3},{4,5,6}}"},
       {"{{-1,-2,-3},{-4,-5,-6}}"}},
      {"6.1 scan: rows",
       "(s32[3,2], s32[2]) scan(s32[3,2] x, s32[2] c), dimensions={0}, num_carries=1, to_apply={ "
       "x = s32[2] parameter(0) c = s32[2] parameter(1) s = s32[2] add(c, x) ROOT r = (s32[2], "
       "s32[2]) tuple(s, s) }",
       {"{{1,2},{3,4},{5,6}}", "{0,0}"},
       {"{{1,2},{4,6},{9,12}}", "{9,12}"}},
      {"6.1 scan: columns",
       "(s32[3,2], s32[3]) scan(s32[3,2] x, s32[3] c), dimensions={1}, num_carries=1, to_apply={ "
       "x = s32[3] parameter(0) c = s32[3] parameter(1) s = s32[3] add(c, x) ROOT r = (s32[3], "
       "s32[3]) tuple(s, s) }",
       {"{{1,2},{3,4},{5,6}}", "{0,0,0}"},
       {"{{1,3},{3,7},{5,11}}", "{3,7,11}"}},
      // Fibonacci numbers, with a count of another type that both read.
      {"6.1 scan: two carries and an input",
       "(s32[4], f32[4], s32[], s32[]) scan(f32[4] x, s32[] a, s32[] b), dimensions={0}, "
       "num_carries=2, to_apply={ x = f32[] parameter(0) a = s32[] parameter(1) b = s32[] "
       "parameter(2) s = s32[] add(a, b) f = f32[] convert(a) y = f32[] multiply(f, x) ROOT r = "
       "(s32[], f32[], s32[], s32[]) tuple(a, y, b, s) }",
       {"{1,0.5,2,-1}", "1", "1"},
       {"{1,1,2,3}", "{1,0.5,4,-3}", "5", "8"}},
      {"6.1 scan: a sum and a maximum at once",
       "(f32[3], s32[3], f32[], s32[]) scan(f32[3] x, s32[3] y, f32[] c, s32[] d), dimensions={0}, "
       "num_carries=2, to_apply={ x = f32[] parameter(0) y = s32[] parameter(1) c = f32[] "
       "parameter(2) d = s32[] parameter(3) s = f32[] add(c, x) m = s32[] maximum(y, d) ROOT r = "
       "(f32[], s32[], f32[], s32[]) tuple(c, m, s, m) }",
       {"{16777216,1,1}", "{3,1,4}", "0", "2"},
       {"{0,16777216,16777216}", "{3,3,4}", "16777218", "4"}},
      {"6.1 scan: lanes with a scalar",
       "(s32[3,2], s32[3], s32[2], s32[]) scan(s32[3,2] x, s32[2] c, s32[] k), dimensions={0}, "
       "num_carries=2, to_apply={ x = s32[2] parameter(0) c = s32[2] parameter(1) k = s32[] "
       "parameter(2) one = s32[] constant(1) n = s32[] add(k, one) b = s32[2] broadcast(n), "
       "dimensions={} d = s32[2] multiply(c, b) s = s32[2] add(d, x) ROOT r = (s32[2], s32[], "
       "s32[2], s32[]) tuple(s, k, s, n) }",
       {"{{1,2},{3,4},{5,6}}", "{1,0}", "0"},
       {"{{2,2},{7,8},{26,30}}", "{0,1,2}", "{26,30}", "3"}},
      {"6.1 scan: a step that moves elements",
       "(s32[2,3], s32[2]) scan(s32[2,3] x, s32[2] c), dimensions={1}, num_carries=1, "
       "is_reverse=true, to_apply={ x = s32[2] parameter(0) c = s32[2] parameter(1) t = s32[2] "
       "reverse(c), dimensions={0} s = s32[2] add(t, x) ROOT r = (s32[2], s32[2]) tuple(s, s) }",
       {"{{1,2,3},{4,5,6}}", "{10,20}"},
       {"{{29,18,23},{22,28,16}}", "{29,22}"}},
      {"6.1 scan: a matrix product in each step",
       "(f32[2,2], f32[2]) scan(f32[2,2,2] x, f32[2] c), dimensions={0}, num_carries=1, to_apply={ "
       "x = f32[2,2] parameter(0) c = f32[2] parameter(1) s = f32[2] dot(x, c), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0} ROOT r = (f32[2], f32[2]) tuple(s, s) }",
       {"{{{1,2},{3,4}},{{0,1},{1,0}}}", "{1,1}"},
       {"{{3,7},{7,3}}", "{7,3}"}},
      {"6.1 scan: no steps of a step that moves elements",
       "(s32[2,0], s32[2]) scan(s32[2,0] x, s32[2] c), dimensions={1}, num_carries=1, to_apply={ x "
       "= s32[2] parameter(0) c = s32[2] parameter(1) t = s32[2] reverse(c), dimensions={0} s = "
       "s32[2] add(t, x) ROOT r = (s32[2], s32[2]) tuple(s, s) }",
       {"{{},{}}", "{10,20}"},
       {"{{},{}}", "{10,20}"}},
  };
}

}  // namespace

std::vector<CaseText> ReductionCases() {
  std::vector<CaseText> cases;
  for (const auto& group : {Reduces(), Windows(), SelectAndScatters(), ScansOfOneInput(),
                            ScansOfMany(), SortsAndTopK()}) {
    cases.insert(cases.end(), group.begin(), group.end());
  }
  return cases;
}

}  // namespace assay
