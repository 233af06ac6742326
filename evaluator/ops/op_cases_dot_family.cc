// The worked examples of ops_structural.md 7.3 and 7.4, and every algorithm and precision of dot,
// which change no value.
#include "absl/strings/str_cat.h"
#include "evaluator/ops/op_case_text.h"
#include "spec/ir/attributes.h"

namespace assay {
namespace {

// lhs [m,k] and rhs [g,k,n]; [k] of lhs contracted; or [b,m,k] and [b,k,n].
const char kRaggedRows[] =
    ", lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}";
const char kContracted[] =
    ", lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}";
const char kBatch[] =
    ", lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}, "
    "lhs_ragged_dims={0}";

CaseText Rows(const std::string& sizes, const std::string& expected, const char* type = "s32[2]") {
  return {absl::StrCat("7.3 ragged-dot: rows, sizes ", sizes),
          absl::StrCat("f32[4,3] ragged-dot(f32[4,1] a, f32[2,1,3] b, ", type, " g)", kRaggedRows),
          {"{{1},{2},{3},{4}}", "{{{1,2,3}},{{4,5,6}}}", sizes},
          {expected}};
}

std::vector<CaseText> RaggedDots() {
  return {
      Rows("{2,2}", "{{1,2,3},{2,4,6},{12,15,18},{16,20,24}}"),
      Rows("{1,2}", "{{1,2,3},{8,10,12},{12,15,18},{0,0,0}}"),
      Rows("{0,9}", "{{4,5,6},{8,10,12},{12,15,18},{16,20,24}}"),
      Rows("{-1,2}", "{{4,5,6},{8,10,12},{0,0,0},{0,0,0}}"),
      Rows("{0,0}", "{{0,0,0},{0,0,0},{0,0,0},{0,0,0}}"),
      Rows("{1,18446744073709551615}", "{{1,2,3},{8,10,12},{12,15,18},{16,20,24}}", "u64[2]"),
      Rows("{-128,127}", "{{4,5,6},{8,10,12},{12,15,18},{16,20,24}}", "s8[2]"),
      {"7.3 ragged-dot: contracted",
       absl::StrCat("s32[2,4,3] ragged-dot(s32[4,5] a, s32[5,3] b, s32[2] g)", kContracted),
       {"1..", "1..", "{2,3}"},
       {"{{{9,12,15},{34,47,60},{59,82,105},{84,117,150}},{{126,138,150},{276,303,330},{426,468,"
        "510},{576,633,690}}}"}},
      {"7.3 ragged-dot: contracted, an empty group",
       absl::StrCat("f32[3,1,1] ragged-dot(f32[1,3] a, f32[3,1] b, s32[3] g)", kContracted),
       {"{{1,2,3}}", "{{1},{1},{1}}", "{1,0,1}"},
       {"{{{1}},{{0}},{{2}}}"}},
      {"7.3 ragged-dot: contracted extent 0",
       absl::StrCat("f32[2,1,1] ragged-dot(f32[1,0] a, f32[0,1] b, s32[2] g)", kContracted),
       {"{{}}", "{}", "{1,1}"},
       {"{{{0}},{{0}}}"}},
      {"7.3 ragged-dot: batch",
       absl::StrCat("f32[3,1,1] ragged-dot(f32[3,1,1] a, f32[3,1,1] b, s32[2] g)", kBatch),
       {"{{{1}},{{2}},{{3}}}", "{{{10}},{{10}},{{10}}}", "{1,1}"},
       {"{{{10}},{{20}},{{0}}}"}},
      {"7.3 ragged-dot: what is in no group meets nothing",
       absl::StrCat("f32[3,1,1] ragged-dot(f32[3,1,1] a, f32[3,1,1] b, s32[1] g)", kBatch),
       {"{{{1}},{{inf}},{{nan}}}", "{{{10}},{{0}},{{0}}}", "{1}"},
       {"{{{10}},{{0}},{{0}}}"}},
      {"7.3 ragged-dot: rows, sizes for each element of the batch",
       "s32[2,3,1] ragged-dot(s32[2,3,1] a, s32[2,2,1,1] b, s32[2,2] g), lhs_batch_dims={0}, "
       "lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={2}, "
       "lhs_ragged_dims={1}, rhs_group_dims={0}",
       {"1..", "{{{{1}},{{10}}},{{{100}},{{1000}}}}", "{{1,2},{2,0}}"},
       {"{{{1},{200},{300}},{{40},{50},{0}}}"}},
      {"7.3 ragged-dot: rows behind another free dimension, with and without sizes for it",
       "s32[2,2,1] ragged-dot(s32[2,2,1] a, s32[2,1,1] b, s32[2,2] g), lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}, lhs_ragged_dims={1}, rhs_group_dims={0}",
       {"1..", "{{{1}},{{10}}}", "{{1,1},{0,1}}"},
       {"{{{1},{20}},{{30},{0}}}"}},
      {"7.3 ragged-dot: contracted behind another contracted dimension",
       "s32[2,1,1] ragged-dot(s32[1,2,2] a, s32[2,2,1] b, s32[2,2] g), lhs_contracting_dims={1,2}, "
       "rhs_contracting_dims={0,1}, lhs_ragged_dims={2}",
       {"1..", "{{{1},{10}},{{100},{1000}}}", "{{1,1},{2,0}}"},
       {"{{{4301}},{{20}}}"}},
      {"7.3 ragged-dot: bf16 to f32",
       absl::StrCat("f32[2,1] ragged-dot(bf16[2,2] a, bf16[1,2,1] b, s32[1] g)", kRaggedRows),
       {"{{256,1},{1,0.5}}", "{{{256},{1}}}", "{2}"},
       {"{{65537},{256.5}}"}},
  };
}

// f32 [1,4] . [4,1].
CaseText Scaled(const std::string& name, const std::string& types, const std::string& a,
                const std::string& a_scale, const std::string& b_scale,
                const std::string& expected) {
  return {absl::StrCat("7.4 scaled-dot: ", name),
          absl::StrCat("f32[1,1] scaled-dot(", types,
                       "), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
          {a, "{{1},{1},{1},{1}}", a_scale, b_scale},
          {expected}};
}

std::vector<CaseText> ScaledDots() {
  const std::string f32 = "f32[1,4] a, f32[4,1] b, ";
  const std::string bf16 = "f32[1,4] a, bf16[4,1] b, ";  // may be without a scale
  return {
      Scaled("scales on both sides", f32 + "f32[1,2] s, f32[2,1] t", "{{1,2,3,4}}", "{{1,2}}",
             "{{1},{0.5}}", "{{10}}"),
      Scaled("a scale of ones", f32 + "f32[1,2] s, f32[2,1] t", "{{1,2,3,4}}", "{{1,2}}",
             "{{1},{1}}", "{{17}}"),
      Scaled("one block", bf16 + "f32[1,1] s, bf16[] t", "{{1,2,3,4}}", "{{4}}", "1", "{{40}}"),
      Scaled("the value of a scalar scale does not count", bf16 + "f32[1,2] s, bf16[] t",
             "{{1,2,3,4}}", "{{1,2}}", "77", "{{17}}"),
      Scaled("e8m0 scales of e4m3 elements",
             "f8e4m3fn[1,4] a, f8e4m3fn[4,1] b, f8e8m0fnu[1,2] s, f8e8m0fnu[4,1] t",
             "{{1,-2,448,0.5}}", "{{0.5,1024}}", "{{1},{2},{1},{0.25}}", "{{458878.5}}"),
      Scaled("a NaN scale", "f8e4m3fn[1,4] a, f8e4m3fn[4,1] b, f8e8m0fnu[1,4] s, f8e8m0fnu[4,1] t",
             "{{1,2,3,4}}", "{{1,nan,1,1}}", "{{1},{1},{1},{1}}", "{{nan}}"),
      Scaled("products are exact and rounded once", f32 + "f32[1,4] s, f32[4,1] t",
             "{{16777216,1,-16777216,0}}", "{{16777216,0.5,16777216,1}}",
             "{{16777216},{1},{16777216},{1}}", "{{0.5}}"),
      Scaled("factors of f64 whose product leaves its range",
             "f64[1,4] a, bf16[4,1] b, f64[1,4] s, bf16[] t", "{{1e300,-1e300,3,1e-300}}",
             "{{1e300,1e300,0.5,1e-300}}", "1", "{{1.5}}"),
      {"7.4 scaled-dot: a batch, blocks of the rows too",
       "f32[2,2,1] scaled-dot(bf16[2,2,2] a, bf16[2,2,1] b, f8e8m0fnu[2,1,1] s, f8e8m0fnu[1,1,1] "
       "t), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
       "rhs_contracting_dims={1}",
       {"1..", "{{{1},{1}},{{1},{-1}}}", "{{{2}},{{0.5}}}", "{{{4}}}"},
       {"{{{24},{56}},{{-2},{-2}}}"}},
  };
}

CaseText Vectors(const std::string& name, const std::string& types, const std::string& a,
                 const std::string& b, const std::string& expected) {
  return {absl::StrCat("7.2 dot: ", name),
          types + ", lhs_contracting_dims={0}, rhs_contracting_dims={0}",
          {a, b},
          {expected}};
}

// 2^24 + 1 - 2^24: no step may round, whatever the algorithm or precision says.
std::vector<CaseText> Algorithms() {
  std::vector<CaseText> cases;
  auto add = [&](const std::string& attributes) {
    cases.push_back(Vectors(attributes, "f32[] dot(f32[3] a, f32[3] b)", "{16777216,1,-16777216}",
                            "{1,1,1}", "1"));
    cases.back().hlo += ", " + attributes;
  };
  for (const absl::string_view word : WordsOf(AttrKind::kDotAlgorithm).words) {
    add(absl::StrCat("algorithm=", std::string(word)));
  }
  for (const absl::string_view a : PrecisionWords().words) {
    for (const absl::string_view b : PrecisionWords().words) {
      add(absl::StrCat("operand_precision={", std::string(a), ",", std::string(b), "}"));
    }
  }
  return cases;
}

}  // namespace

std::vector<CaseText> DotFamilyCases() {
  std::vector<CaseText> cases;
  for (const auto& group : {RaggedDots(), ScaledDots(), Algorithms()}) {
    cases.insert(cases.end(), group.begin(), group.end());
  }
  return cases;
}

}  // namespace assay
