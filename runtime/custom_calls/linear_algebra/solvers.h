// The rows of linear-algebra targets and their solvers: LAPACK's targets by JAX's names, and XLA's
// own. A row says for each operand and result which dimensions follow those of the batch. Packed
// forms, pivots, `info` and reflectors are LAPACK's: H = I - tau v v^H with v(first) = 1,
// H^H x = beta e1, beta real. Where sign or phase of vectors is free see FixPhase. Iterations
// charge their work, and fail (RESOURCE_EXHAUSTED) when it is more than the run may spend. Source:
// reference ops_control_and_collectives.md 11.2, 11.3. Tests:
// backends/factory/linear_algebra_calls_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_SOLVERS_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_SOLVERS_H_

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/context.h"
#include "runtime/custom_calls/attributes.h"
#include "runtime/custom_calls/linear_algebra/eigen_general.h"
#include "runtime/custom_calls/linear_algebra/eigen_hermitian.h"
#include "runtime/custom_calls/linear_algebra/factor_lu.h"
#include "runtime/custom_calls/linear_algebra/factor_qr.h"
#include "runtime/custom_calls/linear_algebra/problem_shapes.h"
#include "runtime/custom_calls/linear_algebra/schur.h"
#include "runtime/custom_calls/linear_algebra/svd.h"

namespace assay::runtime::custom_calls {

// One problem. Results come zero-filled in the declared sizes.
template <typename Real>
struct Problem {
  const CallAttributes& attributes;
  absl::string_view config;  // the backend_config as it stands
  Context& context;
  std::vector<Matrix<Real>> in;
  std::vector<Matrix<Real>> out;
};
template <typename Real>
using Solver = absl::Status (*)(Problem<Real>&);

// A target, or several that differ in one letter.
template <typename Real>
struct Row {
  const char* name;      // ? stands for each of the prefixes
  const char* prefixes;  // empty: none
  ProblemShapes shapes;
  Solver<Real> solver;
};

inline absl::Status Refuse(absl::string_view what) { return absl::InvalidArgumentError(what); }
template <typename Real>
Number<Real> Whole(int64_t value) {
  return Number<Real>(Real(value));
}

template <typename Real>
absl::Status Potrf(Problem<Real>& p) {
  p.out[0] = p.in[0];
  p.out[1][0] = Whole<Real>(Cholesky(p.out[0], p.attributes.Letter("uplo", 'L') == 'L'));
  return absl::OkStatus();
}

template <typename Real>
absl::Status Trsm(Problem<Real>& p) {
  const bool left = p.attributes.Letter("side", 'L') == 'L';
  p.out[0] = p.in[1];
  if ((left ? p.in[1].rows() : p.in[1].columns()) != p.in[0].rows()) {
    return Refuse("the sizes of the matrices do not fit");
  }
  SolveTriangular(p.in[0], left, p.attributes.Letter("uplo", 'L') == 'L',
                  p.attributes.Letter("trans_x", 'N'), p.attributes.Letter("diag", 'N') == 'U',
                  p.out[0]);
  return absl::OkStatus();
}

template <typename Real>
absl::Status Getrf(Problem<Real>& p) {
  p.out[0] = p.in[0];
  p.out[2][0] = Whole<Real>(Lu(p.out[0], p.out[1]));
  for (int64_t i = 0; i < p.out[1].size(); ++i) p.out[1][i] += Number<Real>(Real(1));
  return absl::OkStatus();
}

template <typename Real>
absl::Status LuDecomposition(Problem<Real>& p) {
  p.out[0] = p.in[0];
  Lu(p.out[0], p.out[1]);
  std::vector<int64_t> order(p.in[0].rows());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  for (int64_t i = 0; i < p.out[1].size(); ++i) {
    std::swap(order[i], order[static_cast<int64_t>(p.out[1][i].re)]);
  }
  for (size_t i = 0; i < order.size(); ++i) p.out[2][i] = Whole<Real>(order[i]);
  return absl::OkStatus();
}

template <typename Real>
absl::Status Geqrf(Problem<Real>& p) {
  p.out[0] = p.in[0];
  Qr(p.out[0], p.out[1]);
  return absl::OkStatus();
}

template <typename Real>
absl::Status Geqp3(Problem<Real>& p) {
  p.out[0] = p.in[0];
  p.out[1] = p.in[1];
  PivotedQr(p.out[0], p.out[1], p.out[2]);
  return absl::OkStatus();
}

template <typename Real>
absl::Status Orgqr(Problem<Real>& p) {
  if (p.in[0].columns() > p.in[0].rows() || p.in[1].size() > p.in[0].columns()) {
    return Refuse("there must be m >= n columns and n or fewer reflectors");
  }
  p.out[0] = FormQ(p.in[0], p.in[1], p.in[0].columns());
  return absl::OkStatus();
}

template <typename Real>
absl::Status Ormqr(Problem<Real>& p) {
  const bool left = p.attributes.Int("left", 1) != 0;
  p.out[0] = p.in[2];
  if ((left ? p.in[2].rows() : p.in[2].columns()) != p.in[0].rows() ||
      p.in[1].size() > std::min(p.in[0].rows(), p.in[0].columns())) {
    return Refuse("the sizes of the matrices do not fit");
  }
  ApplyQ(p.in[0], p.in[1], left, p.attributes.Int("transpose", 0) != 0, p.out[0]);
  return absl::OkStatus();
}

// Iterations on what is not finite do not begin: results are NaN, info says no convergence.
template <typename Real>
bool NotFinite(Problem<Real>& p, size_t info) {
  if (p.in[0].is_finite()) return false;
  for (size_t i = 0; i < p.out.size(); ++i) {
    for (int64_t k = 0; k < p.out[i].size(); ++k) {
      const Real nan = std::numeric_limits<Real>::quiet_NaN();
      p.out[i][k] = i < info ? Number<Real>(nan, nan) : Number<Real>(Real(i == info ? 1 : 0));
    }
  }
  return true;
}

template <typename Real>
absl::Status Syevd(Problem<Real>& p) {
  if (NotFinite(p, 2)) return absl::OkStatus();
  Matrix<Real> vectors;
  absl::Status status = HermitianEigen<Real>(p.in[0], p.attributes.Letter("uplo", 'L') == 'L',
                                             /*sort=*/true, vectors, p.out[1], p.context);
  if (p.attributes.Letter("mode", 'V') == 'V') p.out[0] = std::move(vectors);
  return status;
}

// "lower,sort,max_iter,tol": the result is exact, whatever the last two say.
template <typename Real>
absl::Status Eigh(Problem<Real>& p) {
  if (NotFinite(p, 2)) return absl::OkStatus();
  const std::vector<std::string> fields = absl::StrSplit(p.config, ',');
  const bool lower = fields[0] != "0", sort = fields.size() < 2 || fields[1] != "0";
  return HermitianEigen<Real>(p.in[0], lower, sort, p.out[0], p.out[1], p.context);
}

template <typename Real>
absl::Status Sytrd(Problem<Real>& p) {
  p.out[0] = p.in[0];
  Tridiagonalise(p.out[0], p.attributes.Letter("uplo", 'L') == 'L', p.out[1], p.out[2], p.out[3]);
  return absl::OkStatus();
}

template <typename Real>
absl::Status Gesdd(Problem<Real>& p) {
  if (NotFinite(p, 4)) return absl::OkStatus();
  const int64_t m = p.in[0].rows(), n = p.in[0].columns(), k = std::min(m, n);
  const char mode = p.attributes.Letter("mode", 'S');
  Matrix<Real> u(m, mode == 'A' ? m : k), v(n, mode == 'A' ? n : k);
  if (absl::Status status = Svd(p.in[0], u, p.out[1], v, p.context); !status.ok()) return status;
  if (mode != 'A' && mode != 'S') return absl::OkStatus();
  if (p.out[2].rows() != m || p.out[2].columns() != u.columns() || p.out[3].columns() != n ||
      p.out[3].rows() != v.columns()) {
    return Refuse(absl::StrCat("in mode ", std::string(1, mode), " U is ", m, " by ", u.columns(),
                               " and V^H ", v.columns(), " by ", n));
  }
  p.out[2] = std::move(u);
  p.out[3] = Adjoint(v);
  return absl::OkStatus();
}

template <typename Real>
absl::Status Eigenvectors(Problem<Real>& p, Matrix<Real>& values, size_t left) {
  return GeneralEigen(
      p.in[0], values, p.attributes.Letter("compute_left", 'N') == 'V' ? &p.out[left] : nullptr,
      p.attributes.Letter("compute_right", 'N') == 'V' ? &p.out[left + 1] : nullptr, p.context);
}

template <typename Real>
void SplitParts(const Matrix<Real>& values, Matrix<Real>& real, Matrix<Real>& imaginary) {
  for (int64_t i = 0; i < values.size(); ++i) {
    real[i] = Number<Real>(values[i].re);
    imaginary[i] = Number<Real>(values[i].im);
  }
}

template <typename Real>
absl::Status RealGeev(Problem<Real>& p) {
  if (NotFinite(p, 4)) return absl::OkStatus();
  Matrix<Real> values(p.in[0].rows(), 1);
  absl::Status status = Eigenvectors(p, values, 2);
  SplitParts(values, p.out[0], p.out[1]);
  return status;
}

template <typename Real>
absl::Status ComplexGeev(Problem<Real>& p) {
  if (NotFinite(p, 3)) return absl::OkStatus();
  return Eigenvectors(p, p.out[0], 1);
}

template <typename Real>
absl::Status Schur(Problem<Real>& p, bool real, Matrix<Real>& values) {
  if (p.attributes.Letter("sort", 'N') != 'N') {
    return absl::UnimplementedError("eigenvalues cannot be selected by a host function");
  }
  Matrix<Real> z;
  absl::Status status = real ? RealSchur(p.in[0], p.out[0], z, p.context)
                             : ComplexSchur(p.in[0], p.out[0], z, p.context);
  if (!status.ok()) return status;
  if (p.attributes.Letter("mode", 'V') == 'V') p.out[1] = z;
  Matrix<Real> t = p.out[0];
  const int64_t n = t.rows();
  for (int64_t k = 0; k + 1 < n; ++k) {
    if (!t(k + 1, k).is_zero()) Triangularise(t, z, k);
  }
  for (int64_t k = 0; k < n; ++k) values[k] = t(k, k);
  const Real norm = t.Frobenius();
  DropNoise(values, norm);
  DropNoise(p.out[0], norm);
  DropNoise(p.out[1], Real(1));
  return absl::OkStatus();
}

template <typename Real>
absl::Status RealGees(Problem<Real>& p) {
  if (NotFinite(p, 5)) return absl::OkStatus();
  Matrix<Real> values(p.in[0].rows(), 1);
  absl::Status status = Schur(p, true, values);
  SplitParts(values, p.out[2], p.out[3]);
  return status;
}

template <typename Real>
absl::Status ComplexGees(Problem<Real>& p) {
  if (NotFinite(p, 4)) return absl::OkStatus();
  return Schur(p, false, p.out[2]);
}

template <typename Real>
absl::Status Gehrd(Problem<Real>& p) {
  const int64_t n = p.in[0].rows();
  const int64_t low = p.attributes.Int("low", 1), high = p.attributes.Int("high", n);
  if (low < 1 || high > n || low > std::max<int64_t>(high, 1)) {
    return Refuse("low and high must be 1 <= low <= high <= n");
  }
  p.out[0] = p.in[0];
  Hessenberg(p.out[0], low, high, p.out[1]);
  return absl::OkStatus();
}

template <typename Real>
absl::Status Gtsv(Problem<Real>& p) {
  for (int i = 0; i < 4; ++i) p.out[i] = p.in[i];
  p.out[4][0] = Whole<Real>(SolveTridiagonal(p.out[0], p.out[1], p.out[2], p.out[3], Real(0)));
  return absl::OkStatus();
}

// A zero pivot becomes the smallest that still counts in double precision beside the matrix.
template <typename Real>
absl::Status PerturbedTridiagonal(Problem<Real>& p) {
  Real greatest(0);
  for (int i = 0; i < 3; ++i) {
    for (int64_t k = 0; k < p.in[i].size(); ++k)
      greatest = std::max<Real>(greatest, Size(p.in[i][k]));
  }
  if (greatest == 0) greatest = 1;
  p.out[0] = p.in[3];
  SolveTridiagonal(p.in[0], p.in[1], p.in[2], p.out[0], Real(ldexp(greatest, -52)));
  return absl::OkStatus();
}

// A number as a position, or -1 if it is none.
template <typename Real>
int64_t PositionOf(const Number<Real>& value) {
  const bool fits = IsFinite(value) && value.re >= 0 && value.re < Real(int64_t{1} << 53);
  return fits ? static_cast<int64_t>(value.re) : -1;
}

// (data, row starts, columns, dense) -> product.
template <typename Real>
absl::Status SparseTimesDense(Problem<Real>& p) {
  const Matrix<Real>&data = p.in[0], &starts = p.in[1], &columns = p.in[2], &dense = p.in[3];
  if (starts.size() != p.out[0].rows() + 1) {
    return Refuse("there must be one row start more than the result has rows");
  }
  for (int64_t i = 0; i + 1 < starts.size(); ++i) {
    const int64_t begin = PositionOf(starts[i]), end = PositionOf(starts[i + 1]);
    if (begin < 0 || end < 0 || end > data.size()) return Refuse("a row is outside of the data");
    for (int64_t e = begin; e < end; ++e) {
      const int64_t column = PositionOf(columns[e]);
      if (column < 0 || column >= dense.rows()) return Refuse("a column is outside of the matrix");
      for (int64_t j = 0; j < dense.columns(); ++j) p.out[0](i, j) += data[e] * dense(column, j);
    }
  }
  return absl::OkStatus();
}

template <typename Real>
const std::vector<Row<Real>>& Rows() {
  static const auto* const rows = new std::vector<Row<Real>>{
      {"lapack_?potrf_ffi", "sdcz", {{"nn"}, {"nn", ""}}, Potrf<Real>},
      {"lapack_?trsm_ffi", "sdcz", {{"aa", "mn"}, {"mn"}}, Trsm<Real>},
      {"lapack_?getrf_ffi", "sdcz", {{"mn"}, {"mn", "k", ""}}, Getrf<Real>},
      {"LuDecomposition", "", {{"mn"}, {"mn", "k", "m"}}, LuDecomposition<Real>},
      {"lapack_?geqrf_ffi", "sdcz", {{"mn"}, {"mn", "k"}}, Geqrf<Real>},
      {"Qr", "", {{"mn"}, {"mn", "k"}}, Geqrf<Real>},
      {"lapack_?geqp3_ffi", "sdcz", {{"mn", "n"}, {"mn", "n", "k"}}, Geqp3<Real>},
      {"lapack_?orgqr_ffi", "sd", {{"mn", "r"}, {"mn"}}, Orgqr<Real>},
      {"lapack_?ungqr_ffi", "cz", {{"mn", "r"}, {"mn"}}, Orgqr<Real>},
      {"ProductOfElementaryHouseholderReflectors", "", {{"mn", "r"}, {"mn"}}, Orgqr<Real>},
      {"lapack_?ormqr_ffi", "sd", {{"ab", "r", "mn"}, {"mn"}}, Ormqr<Real>},
      {"lapack_?unmqr_ffi", "cz", {{"ab", "r", "mn"}, {"mn"}}, Ormqr<Real>},
      {"lapack_?syevd_ffi", "sd", {{"nn"}, {"nn", "n", ""}}, Syevd<Real>},
      {"lapack_?heevd_ffi", "cz", {{"nn"}, {"nn", "n", ""}}, Syevd<Real>},
      {"Eigh", "", {{"nn"}, {"nn", "n"}}, Eigh<Real>},
      {"lapack_?sytrd_ffi", "sd", {{"nn"}, {"nn", "n", "p", "p", ""}}, Sytrd<Real>},
      {"lapack_?hetrd_ffi", "cz", {{"nn"}, {"nn", "n", "p", "p", ""}}, Sytrd<Real>},
      {"lapack_?gesdd_ffi", "sdcz", {{"mn"}, {"mn", "k", "ab", "cd", ""}}, Gesdd<Real>},
      {"lapack_?gesvd_ffi", "sdcz", {{"mn"}, {"mn", "k", "ab", "cd", ""}}, Gesdd<Real>},
      {"lapack_?geev_ffi", "sd", {{"nn"}, {"n", "n", "nn", "nn", ""}}, RealGeev<Real>},
      {"lapack_?geev_ffi", "cz", {{"nn"}, {"n", "nn", "nn", ""}}, ComplexGeev<Real>},
      {"lapack_?gees_ffi", "sd", {{"nn"}, {"nn", "nn", "n", "n", "", ""}}, RealGees<Real>},
      {"lapack_?gees_ffi", "cz", {{"nn"}, {"nn", "nn", "n", "", ""}}, ComplexGees<Real>},
      {"lapack_?gehrd_ffi", "sdcz", {{"nn"}, {"nn", "p", ""}}, Gehrd<Real>},
      {"lapack_?gtsv_ffi", "sdcz", {{"n", "n", "n", "nb"}, {"n", "n", "n", "nb", ""}}, Gtsv<Real>},
      {"tridiagonal_solve_perturbed_ffi",
       "",
       {{"n", "n", "n", "nb"}, {"nb"}},
       PerturbedTridiagonal<Real>},
      {"cpu_csr_sparse_dense_ffi", "", {{"e", "s", "e", "ab"}, {"mb"}}, SparseTimesDense<Real>},
      {"cpu_csr_sparse_dense_ffi", "", {{"e", "s", "e", "a"}, {"m"}}, SparseTimesDense<Real>},
  };
  return *rows;
}

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_SOLVERS_H_
