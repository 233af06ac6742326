// The worked examples of ops_structural.md 7.1, 7.2 and 8: dot and convolution.
#include "absl/strings/str_cat.h"
#include "evaluator/ops/op_case_text.h"

namespace assay {
namespace {

CaseText Dot(const std::string& name, const std::string& result, const std::string& lhs,
             const std::string& rhs, const std::string& dims, const std::string& a,
             const std::string& b, const std::string& expected) {
  return {absl::StrCat(name),
          absl::StrCat(result, " dot(", lhs, " a, ", rhs, " b), ", dims),
          {a, b},
          {expected}};
}

const char kInner[] = "lhs_contracting_dims={0}, rhs_contracting_dims={0}";

std::vector<CaseText> Dots() {
  return {
      Dot("7.1 dot: inner product", "s32[]", "s32[3]", "s32[3]", kInner, "{1,2,3}", "{4,5,6}",
          "32"),
      Dot("7.1 dot: matrix * vector", "s32[2]", "s32[2,2]", "s32[2]",
          "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "{{1,2},{3,4}}", "{5,6}",
          "{17,39}"),
      Dot("7.1 dot: vector * matrix", "s32[2]", "s32[2]", "s32[2,2]", kInner, "{5,6}",
          "{{1,2},{3,4}}", "{23,34}"),
      Dot("7.1 dot: matrix product", "f32[2,2]", "f32[2,2]", "f32[2,2]",
          "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "{{1,2},{3,4}}", "{{5,6},{7,8}}",
          "{{19,22},{43,50}}"),
      Dot("7.1 dot: contracted extent 0", "f32[2,3]", "f32[2,0]", "f32[0,3]",
          "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "{{},{}}", "{}",
          "{{0,0,0},{0,0,0}}"),
      Dot("7.2 dot: contract {1},{1}", "s32[2,2]", "s32[2,3]", "s32[2,3]",
          "lhs_contracting_dims={1}, rhs_contracting_dims={1}", "{{1,2,3},{4,5,6}}",
          "{{1,1,1},{2,2,2}}", "{{6,12},{15,30}}"),
      Dot("7.2 dot: batch of identities", "f32[2,2,2]", "f32[2,2,2]", "f32[2,2,2]",
          "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
          "rhs_contracting_dims={1}",
          "{{{1,2},{3,4}},{{5,6},{7,8}}}", "{{{1,0},{0,1}},{{1,0},{0,1}}}",
          "{{{1,2},{3,4}},{{5,6},{7,8}}}"),
      Dot("7.2 dot: batch order {1,0}", "s32[3,2]", "s32[2,3]", "s32[2,3]",
          "lhs_batch_dims={1,0}, lhs_contracting_dims={}, rhs_batch_dims={1,0}, "
          "rhs_contracting_dims={}",
          "1..", "1..", "{{1,16},{4,25},{9,36}}"),
      Dot("7.2 dot: batch {0,1} with {1,0}", "s32[2,3]", "s32[2,3]", "s32[3,2]",
          "lhs_batch_dims={0,1}, lhs_contracting_dims={}, rhs_batch_dims={1,0}, "
          "rhs_contracting_dims={}",
          "1..", "1..", "{{1,6,15},{8,20,36}}"),
      Dot("7.2 dot: complex", "c64[]", "c64[2]", "c64[2]", kInner, "{(1,2),(0,1)}",
          "{(3,-1),(0,1)}", "(4,5)"),
      Dot("7.2 dot: outer product", "s32[2,3]", "s32[2]", "s32[3]",
          "lhs_contracting_dims={}, rhs_contracting_dims={}", "{1,2}", "{3,4,5}",
          "{{3,4,5},{6,8,10}}"),
      Dot("7.2 dot: two contracting dimensions", "s32[]", "s32[2,2]", "s32[2,2]",
          "lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}", "{{1,2},{3,4}}",
          "{{5,6},{7,8}}", "70"),
      Dot("7.2 dot: crossed", "s32[]", "s32[2,2]", "s32[2,2]",
          "lhs_contracting_dims={0,1}, rhs_contracting_dims={1,0}", "{{1,2},{3,4}}",
          "{{5,6},{7,8}}", "69"),
      Dot("7.2 dot: batch last", "s32[3]", "s32[2,3]", "s32[2,3]",
          "lhs_batch_dims={1}, lhs_contracting_dims={0}, rhs_batch_dims={1}, "
          "rhs_contracting_dims={0}",
          "{{1,2,3},{4,5,6}}", "{{1,2,3},{4,5,6}}", "{17,29,45}"),
      Dot("7.2 dot: scalars", "f32[]", "f32[]", "f32[]",
          "lhs_contracting_dims={}, rhs_contracting_dims={}", "3", "-0.5", "-1.5"),
      Dot("7.2 dot: s8 wraps", "s8[]", "s8[2]", "s8[2]", kInner, "{100,100}", "{100,100}", "32"),
      Dot("7.2 dot: s8 to s32", "s32[]", "s8[2]", "s8[2]", kInner, "{100,100}", "{100,100}",
          "20000"),
      Dot("7.2 dot: u8 with s8", "s32[]", "u8[1]", "s8[1]", kInner, "{200}", "{-1}", "-200"),
      Dot("7.2 dot: f16 overflow", "f16[]", "f16[2]", "f16[2]", kInner, "{256,1}", "{256,1}",
          "inf"),
      Dot("7.2 dot: f16 to f32", "f32[]", "f16[2]", "f16[2]", kInner, "{256,1}", "{256,1}",
          "65537"),
      Dot("7.2 dot: bf16 rounds to even", "bf16[]", "bf16[2]", "bf16[2]", kInner, "{1,1}",
          "{256,1}", "256"),
      Dot("7.2 dot: bf16 to f32", "f32[]", "bf16[2]", "bf16[2]", kInner, "{1,1}", "{256,1}", "257"),
      Dot("7.2 dot: no overflow on the way", "f16[]", "f16[3]", "f16[3]", kInner, "{300,300,1}",
          "{300,-300,1}", "1"),
      Dot("7.2 dot: narrowing wraps", "s8[]", "s32[1]", "s32[1]", kInner, "{100}", "{3}", "44"),
      Dot("7.2 dot: s4 to s32", "s32[]", "s4[2]", "s4[2]", kInner, "{-8,7}", "{-8,7}", "113"),
      Dot("7.2 dot: f8e4m3fn to f32", "f32[]", "f8e4m3fn[2]", "f8e4m3fn[2]", kInner, "{448,1}",
          "{448,1}", "200705"),
      Dot("7.2 dot: pred is OR of ANDs", "pred[2]", "pred[2,2]", "pred[2]",
          "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "{{1,0},{1,1}}", "{0,1}", "{0,1}"),
      Dot("7.2 dot: mixed floats", "bf16[]", "f16[2]", "bf16[2]", kInner, "{0.5,2}", "{4,3}", "8"),
      Dot("7.2 dot: inf * 0 surfaces", "f32[]", "f32[2]", "f32[2]", kInner, "{inf,1}", "{0,1}",
          "nan"),
  };
}

// One batch, one feature, one spatial dimension.
CaseText Conv1(const std::string& name, int size, const std::string& window,
               const std::string& expected) {
  return {
      absl::StrCat("8 convolution: ", name),
      absl::StrCat("s32[1,1,", size, "] convolution(s32[1,1,5] x, s32[1,1,2] k), window={size=2",
                   window, "}, dim_labels=bf0_oi0->bf0"),
      {"{{{1,2,3,4,5}}}", "{{{10,1}}}"},
      {absl::StrCat("{{", expected, "}}")}};
}

std::vector<CaseText> Convolutions1d() {
  return {
      Conv1("plain", 4, "", "{12,23,34,45}"),
      Conv1("reversal", 4, " rhs_reversal=1", "{21,32,43,54}"),
      Conv1("padding (-1,-1)", 2, " pad=-1_-1", "{23,34}"),
      Conv1("padding (-1,2)", 5, " pad=-1_2", "{23,34,45,50,0}"),
      Conv1("padding (2,-1)", 5, " pad=2_-1", "{0,1,12,23,34}"),
      Conv1("stride 2, SAME", 3, " stride=2 pad=0_1", "{12,34,50}"),
      Conv1("both dilations, padding (3,2)", 12, " pad=3_2 lhs_dilate=2 rhs_dilate=2",
            "{0,1,0,12,0,23,0,34,0,45,0,50}"),
      Conv1("both dilations, padding (-3,-2)", 2, " pad=-3_-2 lhs_dilate=2 rhs_dilate=2", "{0,34}"),
      Conv1("lhs_dilation", 8, " lhs_dilate=2", "{10,2,20,3,30,4,40,5}"),
      Conv1("rhs_dilation", 3, " rhs_dilate=2", "{13,24,35}"),
      Conv1("padding (3,0)", 7, " pad=3_0", "{0,0,1,12,23,34,45}"),
      {"8 convolution: absent terms meet nothing",
       "f32[1,1,3] convolution(f32[1,1,2] x, f32[1,1,2] k), window={size=2 pad=1_1}, "
       "dim_labels=bf0_oi0->bf0",
       {"{{{1,2}}}", "{{{inf,1}}}"},
       {"{{{1,inf,inf}}}"}},
      {"8 convolution: s8 wraps",
       "s8[1,1,1] convolution(s8[1,1,2] x, s8[1,1,2] k), window={size=2}, "
       "dim_labels=bf0_oi0->bf0",
       {"{{{100,100}}}", "{{{1,1}}}"},
       {"{{{-56}}}"}},
      {"8 convolution: s8 to s32",
       "s32[1,1,1] convolution(s8[1,1,2] x, s8[1,1,2] k), window={size=2}, "
       "dim_labels=bf0_oi0->bf0",
       {"{{{100,100}}}", "{{{1,1}}}"},
       {"{{{200}}}"}},
      {"8 convolution: no spatial dimensions",
       "s32[1,2] convolution(s32[1,2] x, s32[2,2] k), dim_labels=bf_oi->bf",
       {"{{1,2}}", "{{3,4},{5,6}}"},
       {"{{11,17}}"}},
  };
}

std::vector<CaseText> ConvolutionGroups() {
  const std::string fg2 = ", dim_labels=bf0_oi0->bf0, feature_group_count=2";
  const std::string bg2 = ", dim_labels=bf0_oi0->bf0, batch_group_count=2";
  return {
      {"8 convolution: depthwise",
       "s32[1,2,2] convolution(s32[1,2,3] x, s32[2,1,2] k), window={size=2}" + fg2,
       {"{{{1,2,3},{4,5,6}}}", "{{{1,1}},{{1,-1}}}"},
       {"{{{3,5},{-1,-1}}}"}},
      {"8 convolution: depthwise, multiplier 2",
       "s32[1,4,3] convolution(s32[1,2,3] x, s32[4,1,1] k), window={size=1}" + fg2,
       {"{{{1,2,3},{4,5,6}}}", "{{{1}},{{2}},{{3}},{{4}}}"},
       {"{{{1,2,3},{2,4,6},{12,15,18},{16,20,24}}}"}},
      {"8 convolution: batch groups",
       "s32[1,2,2] convolution(s32[2,1,3] x, s32[2,1,2] k), window={size=2}" + bg2,
       {"{{{1,2,3}},{{4,5,6}}}", "{{{1,1}},{{1,-1}}}"},
       {"{{{3,5},{-1,-1}}}"}},
      {"8 convolution: batch groups of two",
       "s32[2,4,1] convolution(s32[4,1,1] x, s32[4,1,1] k), window={size=1}" + bg2,
       {"{{{1}},{{2}},{{3}},{{4}}}", "{{{1}},{{10}},{{100}},{{1000}}}"},
       {"{{{1},{10},{300},{3000}},{{2},{20},{400},{4000}}}"}},
      {"8 convolution: batch groups with dilations",
       "s32[1,2,3] convolution(s32[2,1,3] x, s32[2,1,2] k), window={size=2 lhs_dilate=2 "
       "rhs_dilate=2}" +
           bg2,
       {"{{{1,2,3}},{{4,5,6}}}", "{{{1,1}},{{1,-1}}}"},
       {"{{{3,0,5},{-1,0,-1}}}"}},
      {"8 convolution: depthwise with dilations",
       "s32[1,2,3] convolution(s32[1,2,3] x, s32[2,1,2] k), window={size=2 lhs_dilate=2 "
       "rhs_dilate=2}" +
           fg2,
       {"{{{1,2,3},{4,5,6}}}", "{{{1,1}},{{1,-1}}}"},
       {"{{{3,0,5},{-1,0,-1}}}"}},
  };
}

std::vector<CaseText> Convolutions2d() {
  const std::string square =
      " convolution(s32[1,1,4,4] x, s32[1,1,2,2] k), dim_labels=bf01_oi01->bf01, window={size=2x2";
  const char kKernel[] = "{{{{5,6},{7,8}}}}";
  return {
      {"8 convolution: NHWC, lhs_dilation",
       "s32[1,2,2,1] convolution(s32[1,4,4,1] x, s32[3,3,1,1] k), window={size=3x3 stride=4x4 "
       "lhs_dilate=2x2}, dim_labels=b01f_01io->b01f",
       {"{{{{1},{2},{5},{6}},{{3},{4},{7},{8}},{{10},{11},{14},{15}},{{12},{13},{16},{17}}}}",
        "{{{{1}},{{1}},{{1}}},{{{1}},{{1}},{{1}}},{{{1}},{{1}},{{1}}}}"},
       {"{{{{10},{26}},{{46},{62}}}}"}},
      {"8 convolution: 2-D, padding (0,1)",
       "s32[1,1,4,4]" + square + " pad=0_1x0_1}",
       {"1..", kKernel},
       {"{{{{100,126,152,76},{204,230,256,124},{308,334,360,172},{149,160,171,80}}}}"}},
      {"8 convolution: 2-D, VALID",
       "s32[1,1,3,3]" + square + "}",
       {"1..", kKernel},
       {"{{{{100,126,152},{204,230,256},{308,334,360}}}}"}},
      {"8 convolution: 2-D, stride",
       "s32[1,1,2,2]" + square + " stride=2x2}",
       {"1..", kKernel},
       {"{{{{100,152},{308,360}}}}"}},
      {"8 convolution: permuted dimension numbers",
       "s32[1,1,1,2] convolution(s32[2,3,1,4] x, s32[1,3,2,3] k), window={size=3x3}, "
       "dim_labels=f0b1_o1i0->f0b1",
       {"1..", "{{{{1,7,13},{4,10,16}},{{2,8,14},{5,11,17}},{{3,9,15},{6,12,18}}}}"},
       {"{{{{2514,2685}}}}"}},
      {"8 convolution: permuted dimension numbers, reversed twice",
       "s32[1,1,1,2] convolution(s32[2,3,1,4] x, s32[1,3,2,3] k), window={size=3x3 "
       "rhs_reversal=1x1}, dim_labels=f0b1_o1i0->f0b1",
       {"1..", "{{{{15,9,3},{18,12,6}},{{14,8,2},{17,11,5}},{{13,7,1},{16,10,4}}}}"},
       {"{{{{2514,2685}}}}"}},
  };
}

}  // namespace

std::vector<CaseText> ContractionCases() {
  std::vector<CaseText> cases;
  for (const auto& group : {Dots(), Convolutions1d(), ConvolutionGroups(), Convolutions2d()}) {
    cases.insert(cases.end(), group.begin(), group.end());
  }
  return cases;
}

}  // namespace assay
