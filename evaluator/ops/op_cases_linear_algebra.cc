// The worked examples of ops_structural.md 9, 10 and 11: batch normalisation, cholesky,
// triangular-solve, fft; and what is golden where the reference leaves a choice.
#include "absl/strings/str_cat.h"
#include "evaluator/ops/op_case_text.h"

namespace assay {
namespace {

CaseText Cholesky(const std::string& name, const std::string& shape, const std::string& lower,
                  const std::string& a, const std::string& factor) {
  return {absl::StrCat("10.1 cholesky: ", name),
          absl::StrCat(shape, " cholesky(", shape, " a), lower=", lower),
          {a},
          {factor}};
}

std::vector<CaseText> Factorisations() {
  return {
      Cholesky("lower", "f32[4,4]", "true",
               "{{4,nan,nan,nan},{6,45,nan,nan},{8,54,146,nan},{10,63,166,310}}",
               "{{2,0,0,0},{3,6,0,0},{4,7,9,0},{5,8,10,11}}"),
      Cholesky("whole matrix", "f16[4,4]", "true",
               "{{16,24,8,12},{24,61,82,48},{8,82,456,106},{12,48,106,62}}",
               "{{4,0,0,0},{6,5,0,0},{2,14,16,0},{3,6,1,4}}"),
      Cholesky("three by three", "f64[3,3]", "true", "{{1,2,3},{2,20,26},{3,26,70}}",
               "{{1,0,0},{2,4,0},{3,5,6}}"),
      Cholesky("upper", "f32[3,3]", "false", "{{1,2,3},{inf,20,26},{inf,nan,70}}",
               "{{1,2,3},{0,4,5},{0,0,6}}"),
      Cholesky("complex", "c64[2,2]", "true", "{{(4,0),(nan,nan)},{(2,2),(11,0)}}",
               "{{(2,0),(0,0)},{(1,1),(3,0)}}"),
      Cholesky("complex upper", "c64[2,2]", "false", "{{(4,7),(2,-2)},{(9,0),(11,nan)}}",
               "{{(2,0),(1,-1)},{(0,0),(3,0)}}"),
      Cholesky("singular", "f32[3,3]", "true", "{{1,1,1},{1,1,1},{1,1,1}}",
               "{{nan,nan,nan},{nan,nan,nan},{nan,nan,nan}}"),
      Cholesky("negative", "f32[1,1]", "true", "{{-4}}", "{{nan}}"),
      Cholesky("zero", "f32[1,1]", "true", "{{0}}", "{{nan}}"),
      Cholesky("positive", "f32[1,1]", "true", "{{9}}", "{{3}}"),
      Cholesky("infinity", "f32[2,2]", "true", "{{inf,0},{0,1}}", "{{nan,nan},{nan,nan}}"),
      Cholesky("bad matrix beside a good one", "f32[3,2,2]", "true",
               "{{{4,0},{2,2}},{{1,0},{2,1}},{{1,0},{nan,1}}}",
               "{{{2,0},{1,1}},{{nan,nan},{nan,nan}},{{nan,nan},{nan,nan}}}"),
      Cholesky("empty", "f32[0,0]", "true", "{}", "{}"),
      Cholesky("no matrices", "f32[0,2,2]", "true", "{}", "{}"),
      // L(3,2) = 32 + 1/64 is the tie between 32 and 32 + 1/32.
      Cholesky("tie", "f16[3,3]", "true", "{{1,0,0},{0.125,1.015625,0},{-0.125,32,1100}}",
               "{{1,0,0},{0.125,1,0},{-0.125,32,8.65625}}"),
  };
}

CaseText Solve(const std::string& name, const std::string& a_shape, const std::string& b_shape,
               const std::string& attributes, const std::string& a, const std::string& b,
               const std::string& x) {
  return {
      absl::StrCat("10.2 triangular-solve: ", name),
      absl::StrCat(b_shape, " triangular-solve(", a_shape, " a, ", b_shape, " b), ", attributes),
      {a, b},
      {x}};
}

std::vector<CaseText> Solves() {
  const char a4[] = "{{2,nan,nan,nan},{3,6,nan,nan},{4,7,9,nan},{5,8,10,11}}";
  const char unit4[] = "{{nan,nan,nan,nan},{3,nan,nan,nan},{4,7,0,nan},{5,8,10,inf}}";
  const char b34[] = "{{1,2,3,4},{5,6,7,8},{9,10,11,12}}";
  const char b43[] = "{{1,2,3},{4,5,6},{7,8,9},{10,11,12}}";
  const std::string left = "left_side=true, lower=true, transpose_a=";
  const std::string upper = "left_side=true, transpose_a=";
  return {
      Solve("right, TRANSPOSE", "f64[4,4]", "f64[3,4]", "lower=true, transpose_a=TRANSPOSE", a4,
            b34,
            "{{0.5,0.083333333333333329,0.046296296296296294,0.033670033670033669},"
            "{2.5,-0.25,-0.1388888888888889,-0.10101010101010101},"
            "{4.5,-0.58333333333333337,-0.32407407407407407,-0.2356902356902357}}"),
      Solve("right", "f64[4,4]", "f64[3,4]", "lower=true, transpose_a=NO_TRANSPOSE", a4, b34,
            "{{-0.16414141414141414,-0.069023569023569029,-0.070707070707070704,"
            "0.36363636363636365},"
            "{0.64393939393939392,0.065656565656565663,-0.030303030303030304,0.72727272727272729},"
            "{1.452020202020202,0.20033670033670034,0.010101010101010102,1.0909090909090908}}"),
      Solve("left, TRANSPOSE", "f64[4,4]", "f64[4,3]", left + "TRANSPOSE", a4, b43,
            "{{-0.89646464646464652,-0.69444444444444442,-0.49242424242424243},"
            "{-0.27441077441077444,-0.24074074074074073,-0.20707070707070707},"
            "{-0.23232323232323232,-0.22222222222222221,-0.21212121212121213},"
            "{0.90909090909090906,1,1.0909090909090908}}"),
      Solve("left, unit diagonal", "f32[4,4]", "f32[4,3]",
            "left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE", unit4, b43,
            "{{1,2,3},{1,-1,-3},{-4,7,18},{37,-61,-159}}"),
      Solve("left", "f32[3,3]", "f32[3,3]", left + "NO_TRANSPOSE", "{{1,0,0},{2,4,0},{3,5,6}}",
            "{{2,0,0},{4,8,0},{6,10,12}}", "{{2,0,0},{0,2,0},{0,0,2}}"),
      Solve("upper", "f32[2,2]", "f32[2,1]", upper + "NO_TRANSPOSE", "{{2,1},{nan,4}}", "{{4},{8}}",
            "{{1},{2}}"),
      Solve("upper, TRANSPOSE", "f32[2,2]", "f32[2,1]", upper + "TRANSPOSE", "{{2,1},{nan,4}}",
            "{{4},{8}}", "{{2},{1.5}}"),
      Solve("complex, ADJOINT", "c64[2,2]", "c64[2,1]", left + "ADJOINT",
            "{{(0,2),(nan,0)},{(1,1),(2,0)}}", "{{(4,0)},{(4,0)}}", "{{(-1,1)},{(2,0)}}"),
      Solve("complex, TRANSPOSE", "c64[2,2]", "c64[2,1]", left + "TRANSPOSE",
            "{{(0,2),(nan,0)},{(1,1),(2,0)}}", "{{(4,0)},{(4,0)}}", "{{(-1,-1)},{(2,0)}}"),
      Solve("one by one", "f32[1,1]", "f32[1,3]", left + "NO_TRANSPOSE", "{{4}}", "{{1,-2,0}}",
            "{{0.25,-0.5,0}}"),
      Solve("zeros on the diagonal", "f32[3,3]", "f32[3,4]", left + "NO_TRANSPOSE",
            "{{-0,0,0},{1,2,0},{0,1,1}}", "{{1,-1,0,0},{1,1,1,1},{1,1,1,inf}}",
            "{{-inf,inf,nan,nan},{inf,-inf,nan,nan},{nan,nan,nan,nan}}"),
      Solve("infinities", "f32[3,3]", "f32[3,2]", left + "NO_TRANSPOSE",
            "{{inf,0,0},{1,2,0},{2,1,-1}}", "{{1,2},{6,inf},{5,5}}", "{{0,0},{3,inf},{-2,inf}}"),
      Solve("an infinite factor meets zero", "f32[2,2]", "f32[2,3]", left + "NO_TRANSPOSE",
            "{{1,0},{inf,2}}", "{{1,-1,0},{1,1,1}}", "{{1,-1,0},{-inf,inf,nan}}"),
      Solve("complex zero on the diagonal", "c64[2,2]", "c64[2,1]", left + "NO_TRANSPOSE",
            "{{(0,0),(0,0)},{(0,0),(2,0)}}", "{{(1,0)},{(1,0)}}", "{{(nan,nan)},{(nan,nan)}}"),
      Solve("batch", "f32[2,2,2]", "f32[2,2,1]", left + "NO_TRANSPOSE",
            "{{{1,0},{2,4}},{{0,0},{1,1}}}", "{{{1},{6}},{{1},{1}}}", "{{{1},{1}},{{inf},{-inf}}}"),
      Solve("no right-hand sides", "f32[2,2]", "f32[2,0]", left + "NO_TRANSPOSE", "{{1,0},{2,4}}",
            "{{},{}}", "{{},{}}"),
      Solve("no unknowns", "f32[0,0]", "f32[0,2]", left + "NO_TRANSPOSE", "{}", "{}", "{}"),
      // 257 and 771/3 are ties of bf16.
      Solve("ties", "bf16[3,3]", "bf16[3,1]", left + "NO_TRANSPOSE", "{{1,0,0},{-1,1,0},{-4,-1,3}}",
            "{{1},{256},{510}}", "{{1},{256},{256}}"),
  };
}

CaseText Fft(const std::string& name, const std::string& result, const std::string& operand,
             const std::string& kind, const std::string& length, const std::string& x,
             const std::string& expected) {
  return {
      absl::StrCat("11 fft: ", name),
      absl::StrCat(result, " fft(", operand, " x), fft_type=", kind, ", fft_length={", length, "}"),
      {x},
      {expected}};
}

std::vector<CaseText> Transforms() {
  return {
      Fft("impulse", "c64[4]", "c64[4]", "FFT", "4", "{(1,0),(0,0),(0,0),(0,0)}",
          "{(1,0),(1,0),(1,0),(1,0)}"),
      Fft("ramp", "c64[4]", "c64[4]", "FFT", "4", "{(1,0),(2,0),(3,0),(4,0)}",
          "{(10,0),(-2,2),(-2,0),(-2,-2)}"),
      Fft("inverse", "c64[4]", "c64[4]", "IFFT", "4", "{(10,0),(-2,2),(-2,0),(-2,-2)}",
          "{(1,0),(2,0),(3,0),(4,0)}"),
      Fft("length 3", "c128[3]", "c128[3]", "FFT", "3", "{(1,0),(2,0),(3,0)}",
          "{(6,0),(-1.5,0.8660254037844386),(-1.5,-0.8660254037844386)}"),
      Fft("one frequency", "c64[4]", "c64[4]", "FFT", "4", "{(1,0),(0,1),(-1,0),(0,-1)}",
          "{(0,0),(4,0),(0,0),(0,0)}"),
      Fft("inverse of an impulse", "c64[4]", "c64[4]", "IFFT", "4", "{(4,0),(0,0),(0,0),(0,0)}",
          "{(1,0),(1,0),(1,0),(1,0)}"),
      Fft("real", "c64[3]", "f32[4]", "RFFT", "4", "{1,2,3,4}", "{(10,0),(-2,2),(-2,0)}"),
      Fft("real, odd", "c128[3]", "f64[5]", "RFFT", "5", "{1,2,3,4,5}",
          "{(15,0),(-2.5,3.4409548011779338),(-2.5,0.81229924058226577)}"),
      Fft("real, length 1", "c64[1]", "f32[1]", "RFFT", "1", "{7}", "{(7,0)}"),
      Fft("inverse real", "f32[4]", "c64[3]", "IRFFT", "4", "{(10,0),(-2,2),(-2,0)}", "{1,2,3,4}"),
      Fft("inverse real ignores ends", "f32[4]", "c64[3]", "IRFFT", "4",
          "{(10,nan),(-2,2),(-2,-99)}", "{1,2,3,4}"),
      Fft("inverse real, odd", "f64[5]", "c128[3]", "IRFFT", "5",
          "{(15,0),(-2.5,3.4409548011779338),(-2.5,0.81229924058226577)}", "{1,2,3,4,5}"),
      Fft("inverse real, length 3", "f32[3]", "c64[2]", "IRFFT", "3", "{(6,0),(-1.5,0.8660254)}",
          "{1,2,3}"),
      Fft("inverse real, length 2", "f32[2]", "c64[2]", "IRFFT", "2", "{(3,0),(-1,0)}", "{1,2}"),
      Fft("inverse real, length 1", "f32[1]", "c64[1]", "IRFFT", "1", "{(3,8)}", "{3}"),
      Fft("two axes", "c64[2,2]", "c64[2,2]", "FFT", "2,2", "{{(1,0),(2,0)},{(3,0),(4,0)}}",
          "{{(10,0),(-2,0)},{(-4,0),(0,0)}}"),
      Fft("two axes, real", "c128[2,2]", "f64[2,3]", "RFFT", "2,3", "{{1,2,3},{4,5,6}}",
          "{{(21,0),(-3,1.7320508075688772)},{(-9,0),(0,0)}}"),
      Fft("batch", "c64[2,2]", "c64[2,2]", "FFT", "2", "{{(1,0),(2,0)},{(3,0),(4,0)}}",
          "{{(3,0),(-1,0)},{(7,0),(-1,0)}}"),
      Fft("three axes", "c64[2,1,2]", "c64[2,1,2]", "IFFT", "2,1,2",
          "{{{(4,0),(8,0)}},{{(0,0),(0,4)}}}", "{{{(3,1),(-1,-1)}},{{(3,-1),(-1,1)}}}"),
      Fft("three axes, inverse real", "f32[1,2,2]", "c64[1,2,2]", "IRFFT", "1,2,2",
          "{{{(8,5),(4,0)},{(4,3),(0,7)}}}", "{{{4,2},{2,0}}}"),
      Fft("length 1 copies", "c64[2,1]", "c64[2,1]", "FFT", "1", "{{(-0,nan)},{(inf,1)}}",
          "{{(-0,nan)},{(inf,1)}}"),
      Fft("a value that is not finite", "c64[2,2]", "c64[2,2]", "FFT", "2",
          "{{(1,0),(2,0)},{(inf,0),(4,0)}}", "{{(3,0),(-1,0)},{(nan,nan),(nan,nan)}}"),
      Fft("empty", "c64[0]", "c64[0]", "FFT", "0", "{}", "{}"),
      Fft("empty inverse real", "f32[0]", "c64[1]", "IRFFT", "0", "{(1,0)}", "{}"),
      Fft("no transforms", "c64[0,3]", "f32[0,4]", "RFFT", "4", "{}", "{}"),
      // Ties of f32: 2^24 + 1 and 2^24 + 3; (3 * 2^24 + 3) / 3 too.
      Fft("ties", "c64[2]", "c64[2]", "FFT", "2", "{(16777216,16777216),(1,3)}",
          "{(16777216,16777220),(16777215,16777213)}"),
      Fft("ties of an inverse", "c64[3]", "c64[3]", "IFFT", "3",
          "{(16777216,0),(16777220,0),(16777215,0)}",
          "{(16777216,0),(-0.5,1.4433756729740643),(-0.5,-1.4433756729740643)}"),
  };
}

CaseText Normalisation(const std::string& name, const std::string& hlo,
                       const std::vector<std::string>& inputs,
                       const std::vector<std::string>& expected) {
  return {absl::StrCat("9 ", name), hlo, inputs, expected};
}

std::vector<CaseText> Trainings() {
  const auto training = [](const std::string& name, const std::string& shape,
                           const std::string& vector, const std::string& attributes,
                           const std::vector<std::string>& inputs,
                           const std::vector<std::string>& expected) {
    return Normalisation(
        absl::StrCat("batch-norm-training: ", name),
        absl::StrCat("(", shape, ", ", vector, ", ", vector, ") batch-norm-training(", shape,
                     " x, ", vector, " scale, ", vector, " offset), ", attributes),
        inputs, expected);
  };
  return {
      training("two features", "f32[2,2,2]", "f32[2]", "epsilon=0, feature_index=2",
               {"{{{1,2},{3,4}},{{3,4},{1,2}}}", "{1,1}", "{1,1}"},
               {"{{{0,0},{2,2}},{{2,2},{0,0}}}", "{2,3}", "{1,1}"}),
      training("pairs", "f64[3,2,1,1]", "f64[2]", "epsilon=0.001, feature_index=1",
               {"{{{{-1}},{{4.1}}},{{{2}},{{4.1}}},{{{5}},{{4.4}}}}", "{1,1}", "{0,0}"},
               {"{{{{-1.224642822070114}},{{-0.69006555856196483}}},"
                "{{{0}},{{-0.69006555856196483}}},{{{1.224642822070114}},{{1.3801311171239297}}}}",
                "{2,4.2000000000000002}", "{6,0.020000000000000094}"}),
      training("constant feature", "f32[3,1]", "f32[1]", "epsilon=0.25, feature_index=1",
               {"{{3},{3},{3}}", "{2}", "{7}"}, {"{{7},{7},{7}}", "{3}", "{0}"}),
      training("one cell", "bf16[3]", "bf16[3]", "epsilon=1, feature_index=0",
               {"{1,2,-0}", "{1,1,1}", "{4,5,6}"}, {"{4,5,6}", "{1,2,-0}", "{0,0,0}"}),
      training("no spread, no epsilon", "f32[2,1]", "f32[1]", "epsilon=0, feature_index=1",
               {"{{3},{3}}", "{2}", "{7}"}, {"{{nan},{nan}}", "{3}", "{0}"}),
      training("no cells", "f32[0,2]", "f32[2]", "epsilon=1, feature_index=1",
               {"{}", "{1,1}", "{1,1}"}, {"{}", "{nan,nan}", "{nan,nan}"}),
      training("no features", "f32[2,0]", "f32[0]", "epsilon=1, feature_index=1",
               {"{{},{}}", "{}", "{}"}, {"{{},{}}", "{}", "{}"}),
      training("a cell that is not finite", "f32[2,2]", "f32[2]", "epsilon=1, feature_index=1",
               {"{{inf,1},{1,1}}", "{1,1}", "{0,2}"}, {"{{nan,2},{nan,2}}", "{inf,1}", "{nan,0}"}),
      // The mean 257, and 257 and 259 in y, are ties of bf16; y does not see the rounded mean.
      training("ties", "bf16[2,1]", "bf16[1]", "epsilon=0, feature_index=1",
               {"{{256},{258}}", "{1}", "{258}"}, {"{{256},{260}}", "{256}", "{1}"}),
  };
}

std::vector<CaseText> GivenStatistics() {
  const std::string inference =
      "f32[2,1] batch-norm-inference(f32[2,1] x, f32[1] scale, f32[1] offset, f32[1] mean, f32[1] "
      "variance), feature_index=1, epsilon=";
  const std::string grad =
      "(f64[3,1], f64[1], f64[1]) batch-norm-grad(f64[3,1] x, f64[1] scale, f64[1] mean, f64[1] "
      "variance, f64[3,1] dy), feature_index=1, epsilon=";
  const std::string bn = "batch-norm-inference: ", gr = "batch-norm-grad: ";
  return {
      Normalisation(bn + "two features",
                    "f32[2,2,2] batch-norm-inference(f32[2,2,2] x, f32[2] scale, f32[2] offset, "
                    "f32[2] mean, f32[2] variance), feature_index=2, epsilon=0",
                    {"{{{1,2},{3,4}},{{3,4},{1,2}}}", "{1,1}", "{1,1}", "{2,3}", "{1,1}"},
                    {"{{{0,0},{2,2}},{{2,2},{0,0}}}"}),
      Normalisation(bn + "epsilon", inference + "1", {"{{1},{3}}", "{2}", "{5}", "{1}", "{3}"},
                    {"{{5},{7}}"}),
      Normalisation(bn + "no spread", inference + "0", {"{{1},{3}}", "{-2}", "{5}", "{1}", "{0}"},
                    {"{{nan},{-inf}}"}),
      Normalisation(bn + "negative", inference + "0", {"{{1},{3}}", "{2}", "{5}", "{1}", "{-3}"},
                    {"{{nan},{nan}}"}),
      Normalisation(bn + "infinite spread", inference + "0",
                    {"{{1},{inf}}", "{2}", "{5}", "{1}", "{inf}"}, {"{{5},{nan}}"}),
      Normalisation(bn + "infinite scale and offset", inference + "0",
                    {"{{1},{3}}", "{inf}", "{-inf}", "{1}", "{1}"}, {"{{nan},{nan}}"}),
      Normalisation(bn + "infinite offset", inference + "0",
                    {"{{1},{-inf}}", "{1}", "{inf}", "{1}", "{1}"}, {"{{inf},{nan}}"}),
      Normalisation(gr + "constant gradient",
                    "(f32[2,2,2], f32[2], f32[2]) batch-norm-grad(f32[2,2,2] x, f32[2] scale, "
                    "f32[2] mean, f32[2] variance, f32[2,2,2] dy), feature_index=2, epsilon=0",
                    {"{{{1,2},{3,4}},{{3,4},{1,2}}}", "{1,1}", "{2,3}", "{1,1}",
                     "{{{0.1,0.1},{0.1,0.1}},{{0.1,0.1},{0.1,0.1}}}"},
                    {"{{{0,0},{0,0}},{{0,0},{0,0}}}", "{0,0}", "{0.4,0.4}"}),
      Normalisation(
          gr + "one feature", grad + "0.25",
          {"{{1},{2},{6}}", "{2}", "{3}", "{4.75}", "{{1},{0},{-1}}"},
          {"{{0.29814239699997197},{-0.29814239699997197},{0}}", "{-2.2360679774997898}", "{0}"}),
      Normalisation(gr + "ones", grad + "0.25",
                    {"{{1},{2},{6}}", "{2}", "{3}", "{4.75}", "{{1},{1},{1}}"},
                    {"{{0},{0},{0}}", "{0}", "{3}"}),
      Normalisation(gr + "no spread", grad + "0",
                    {"{{1},{2},{6}}", "{2}", "{2}", "{0}", "{{1},{0},{-1}}"},
                    {"{{-inf},{nan},{inf}}", "{-inf}", "{0}"}),
      Normalisation(gr + "infinite gradient", grad + "1",
                    {"{{1},{2},{6}}", "{2}", "{2}", "{3}", "{{inf},{0},{1}}"},
                    {"{{nan},{nan},{nan}}", "{-inf}", "{inf}"}),
      Normalisation(gr + "no cells",
                    "(f32[0,1], f32[1], f32[1]) batch-norm-grad(f32[0,1] x, f32[1] scale, f32[1] "
                    "mean, f32[1] variance, f32[0,1] dy), feature_index=1, epsilon=0",
                    {"{}", "{1}", "{1}", "{0}", "{}"}, {"{}", "{0}", "{0}"}),
  };
}

}  // namespace

std::vector<CaseText> LinearAlgebraCases() {
  std::vector<CaseText> cases;
  for (const auto& group :
       {Factorisations(), Solves(), Transforms(), Trainings(), GivenStatistics()}) {
    cases.insert(cases.end(), group.begin(), group.end());
  }
  return cases;
}

}  // namespace assay
