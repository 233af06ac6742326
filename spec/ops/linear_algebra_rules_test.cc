// Every clause of batch norms, factorisations and FFT, and what is inferred
// where no shape is written (the expected shapes are those of XLA's reader).
#include "gtest/gtest.h"
#include "spec/ops/rule_rows.h"

namespace assay {
namespace {

TEST(LinearAlgebraRules, EveryClauseRefuses) {
  ExpectRows(
      "",
      {
          {"batch_norm_c1",
           "f32[4,3]; f32[3]; f32[3] | (f32[4,3], f32[3], f32[3]) batch-norm-training(p0, p1, "
           "p2), epsilon=0.1, feature_index=1",
           "f32[4,3]; f32[3]; (f32[3]) | (f32[4,3], f32[3], f32[3]) batch-norm-training(p0, p1, "
           "p2), epsilon=0.1, feature_index=1"},
          {"batch_norm_c2",
           "f32[4,3]; f32[3]; f32[3] | (f32[4,3], f32[3], f32[3]) batch-norm-training(p0, p1, "
           "p2), epsilon=0.1, feature_index=1",
           "f32[4,3]; f32[3]; f32[3] | (f32[4,3], f32[3], f32[3]) batch-norm-training(p0, p1, "
           "p2), epsilon=0.1, feature_index=2"},
          {"batch_norm_c2",
           "f32[4,3]; f32[3]; f32[3]; f32[3]; f32[4,3] | (f32[4,3], f32[3], f32[3]) "
           "batch-norm-grad(p0, p1, p2, p3, p4), epsilon=0.1, feature_index=1",
           "f32[4,3]; f32[3]; f32[3]; f32[3]; f32[4,3] | (f32[4,3], f32[3], f32[3]) "
           "batch-norm-grad(p0, p1, p2, p3, p4), epsilon=0.1, feature_index=-1"},
          {"batch_norm_c3",
           "f32[4,3]; f32[3]; f32[3] | (f32[4,3], f32[3], f32[3]) batch-norm-training(p0, p1, "
           "p2), epsilon=0.1, feature_index=1",
           "c64[4,3]; f32[3]; f32[3] | (f32[4,3], f32[3], f32[3]) batch-norm-training(p0, p1, "
           "p2), epsilon=0.1, feature_index=1"},
          {"batch_norm_c4",
           "f32[4,3]; f32[3]; f32[3] | (f32[4,3], f32[3], f32[3]) batch-norm-training(p0, p1, "
           "p2), epsilon=0.1, feature_index=1",
           "f32[4,3]; f32[3]; f32[4] | (f32[4,3], f32[3], f32[3]) batch-norm-training(p0, p1, "
           "p2), epsilon=0.1, feature_index=1"},
          {"batch_norm_c4",
           "f32[4,3]; f32[3]; f32[3]; f32[3]; f32[3] | f32[4,3] batch-norm-inference(p0, p1, p2, "
           "p3, p4), epsilon=0.1, feature_index=1",
           "f32[4,3]; f32[3]; f32[3]; f32[3]; f32[1,3] | f32[4,3] batch-norm-inference(p0, p1, "
           "p2, p3, p4), epsilon=0.1, feature_index=1"},
          {"batch_norm_c5",
           "f32[4,3]; f32[3]; f32[3]; f32[3]; f32[4,3] | (f32[4,3], f32[3], f32[3]) "
           "batch-norm-grad(p0, p1, p2, p3, p4), epsilon=0.1, feature_index=1",
           "f32[4,3]; f32[3]; f32[3]; f32[3]; f32[3,4] | (f32[4,3], f32[3], f32[3]) "
           "batch-norm-grad(p0, p1, p2, p3, p4), epsilon=0.1, feature_index=1"},
          {"cholesky_c1", "f32[3,3] | f32[3,3] cholesky(p0), lower=true",
           "f32[3] | f32[3] cholesky(p0), lower=true"},
          {"cholesky_c2", "f32[3,3] | f32[3,3] cholesky(p0)", "f32[3,4] | f32[3,4] cholesky(p0)"},
          {"cholesky_c3", "c64[3,3] | c64[3,3] cholesky(p0)", "s32[3,3] | s32[3,3] cholesky(p0)"},
          {"triangular_solve_c1",
           "f32[2,3,3]; f32[2,3,4] | f32[2,3,4] triangular-solve(p0, p1), left_side=true, "
           "transpose_a=NO_TRANSPOSE",
           "f32[2,3,3]; f32[3,4] | f32[2,3,4] triangular-solve(p0, p1), left_side=true, "
           "transpose_a=NO_TRANSPOSE"},
          {"triangular_solve_c2",
           "f32[2,3,3]; f32[2,3,4] | f32[2,3,4] triangular-solve(p0, p1), left_side=true, "
           "transpose_a=NO_TRANSPOSE",
           "f32[2,3,3]; f64[2,3,4] | f32[2,3,4] triangular-solve(p0, p1), left_side=true, "
           "transpose_a=NO_TRANSPOSE"},
          {"triangular_solve_c3",
           "f32[2,3,3]; f32[2,3,4] | f32[2,3,4] triangular-solve(p0, p1), left_side=true, "
           "transpose_a=NO_TRANSPOSE",
           "f32[2,2,3]; f32[2,3,4] | f32[2,3,4] triangular-solve(p0, p1), left_side=true, "
           "transpose_a=NO_TRANSPOSE"},
          {"triangular_solve_c4",
           "f32[2,3,3]; f32[2,3,4] | f32[2,3,4] triangular-solve(p0, p1), left_side=true, "
           "transpose_a=NO_TRANSPOSE",
           "f32[2,3,3]; f32[2,3,4] | f32[2,3,4] triangular-solve(p0, p1), left_side=false, "
           "transpose_a=NO_TRANSPOSE"},
          {"triangular_solve_c5",
           "f32[2,3,3]; f32[2,3,4] | f32[2,3,4] triangular-solve(p0, p1), left_side=true, "
           "transpose_a=NO_TRANSPOSE",
           "f32[1,3,3]; f32[2,3,4] | f32[2,3,4] triangular-solve(p0, p1), left_side=true, "
           "transpose_a=NO_TRANSPOSE"},
          {"triangular_solve_c6",
           "f32[2,3,3]; f32[2,3,4] | f32[2,3,4] triangular-solve(p0, p1), left_side=true, "
           "transpose_a=NO_TRANSPOSE",
           "f32[2,3,3]; f32[2,3,4] | f32[2,3,4] triangular-solve(p0, p1), left_side=true"},
          {"fft_c1", "c64[4,5] | c64[4,5] fft(p0), fft_type=FFT, fft_length={4,5}",
           "c64[4,5] | c64[4,5] fft(p0), fft_type=FFT, fft_length={}"},
          {"fft_c1", "c64[1,2,3,4] | c64[1,2,3,4] fft(p0), fft_type=IFFT, fft_length={2,3,4}",
           "c64[1,2,3,4] | c64[1,2,3,4] fft(p0), fft_type=IFFT, fft_length={1,2,3,4}"},
          {"fft_c2", "c64[5] | c64[5] fft(p0), fft_type=FFT, fft_length={5}",
           "c64[5] | c64[5] fft(p0), fft_type=FFT, fft_length={5,5}"},
          {"fft_c3", "c64[5] | c64[5] fft(p0), fft_type=FFT, fft_length={5}",
           "f32[5] | f32[5] fft(p0), fft_type=FFT, fft_length={5}"},
          {"fft_c3", "f64[5] | c128[3] fft(p0), fft_type=RFFT, fft_length={5}",
           "f16[5] | c64[3] fft(p0), fft_type=RFFT, fft_length={5}"},
          {"fft_c4", "c64[1] | f32[0] fft(p0), fft_type=IRFFT, fft_length={0}",
           "c64[2] | f32[0] fft(p0), fft_type=IRFFT, fft_length={0}"},
          {"fft_c4", "c64[5] | c64[5] fft(p0), fft_type=FFT, fft_length={5}",
           "c64[5] | c64[5] fft(p0), fft_type=FFT, fft_length={4}"},
          {"fft_c4", "c64[3] | f32[5] fft(p0), fft_type=IRFFT, fft_length={5}",
           "c64[5] | f32[5] fft(p0), fft_type=IRFFT, fft_length={5}"},
      });
}

TEST(LinearAlgebraRules, InfersLikeXlasReader) {
  ExpectInference(
      "", {
              {"f32[2,3]{0,1}; f32[3]; f32[3] | batch-norm-training(p0, p1, p2), epsilon=0.1, "
               "feature_index=1",
               "(f32[2,3]{0,1}, f32[3]{0}, f32[3]{0})"},
              {"f32[2,2]{0,1} | cholesky(p0)", "f32[2,2]{0,1}"},
              {"f32[2,2]{0,1}; f32[2,3]{0,1} | triangular-solve(p0, p1), left_side=true, "
               "transpose_a=NO_TRANSPOSE",
               "f32[2,3]{0,1}"},
              {"c64[4,5]{0,1} | fft(p0), fft_type=FFT, fft_length={7}", "c64[4,5]{0,1}"},
              {"f32[4,5]{0,1} | fft(p0), fft_type=RFFT, fft_length={5}", "c64[4,3]{0,1}"},
              {"c64[4,3]{0,1} | fft(p0), fft_type=IRFFT, fft_length={5}", "f32[4,5]{0,1}"},
          });
}

}  // namespace
}  // namespace assay
