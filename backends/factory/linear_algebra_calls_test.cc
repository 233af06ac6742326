// Factorisations by their residuals, which are computed here in long double (64 bits of significand
// against the 53 of f64, so that they measure the rounding of the factors) from the results, on the
// reference interpreter and on the cpu backend; systems and XLA's own targets by worked examples.
#include <cmath>
#include <complex>
#include <string>
#include <tuple>
#include <vector>

#include "backends/factory/custom_call_testing.h"
#include "gmock/gmock.h"

namespace assay::linear_algebra_calls_test {
namespace {

using ::testing::HasSubstr;

// Matrices of long double.
using Scalar = std::complex<long double>;
struct Grid {
  int64_t rows, columns;
  std::vector<Scalar> at;
  Grid(int64_t m, int64_t n) : rows(m), columns(n), at(m * n) {}
  Scalar& operator()(int64_t i, int64_t j) { return at[i * columns + j]; }
  const Scalar& operator()(int64_t i, int64_t j) const { return at[i * columns + j]; }
};
Grid operator*(const Grid& a, const Grid& b) {
  Grid c(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) {
      for (int64_t k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}
Grid Adjoint(const Grid& a) {
  Grid b(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) b(j, i) = std::conj(a(i, j));
  }
  return b;
}
Grid Diagonal(const Grid& values) {
  Grid d(values.rows, values.rows);
  for (int64_t i = 0; i < values.rows; ++i) d(i, i) = values(i, 0);
  return d;
}
Grid Identity(int64_t n) {
  Grid ones(n, 1);
  for (Scalar& one : ones.at) one = 1;
  return Diagonal(ones);
}
void ExpectNear(const Grid& a, const Grid& b, const std::string& what) {
  ASSERT_EQ(a.at.size(), b.at.size()) << what;
  for (size_t i = 0; i < a.at.size(); ++i) {
    EXPECT_LT(std::abs(a.at[i] - b.at[i]), 1e-13L) << what << " element " << i;
  }
}

constexpr uint64_t kSeed = 12345;
Grid RandomGrid(int64_t m, int64_t n, bool complex) {
  uint64_t state = kSeed + 31 * m + n;
  const auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<int64_t>(state) >> 40) / (1 << 23);
  };
  Grid grid(m, n);
  for (Scalar& x : grid.at) {
    const double re = next();
    x = {re, complex ? next() : 0};
  }
  return grid;
}

class Factors : public testing::TestWithParam<std::tuple<const char*, bool>> {
 protected:
  static bool Complex() { return std::get<1>(GetParam()); }
  static std::string Type() { return Complex() ? "c128" : "f64"; }
  static std::string Shape(absl::string_view sizes) {
    return absl::StrCat(Type(), "[", sizes, "]");
  }
  static std::string Lapack(absl::string_view real, absl::string_view complex = "") {
    return absl::StrCat("lapack_", Complex() ? "z" : "d",
                        Complex() && !complex.empty() ? complex : real, "_ffi");
  }
  // The results as grids; vectors are columns.
  static std::vector<Grid> Call(absl::string_view target, const std::string& shape,
                                const std::vector<std::string>& shapes,
                                const std::vector<Grid>& operands, absl::string_view config = "") {
    const std::string attributes =
        absl::StrCat(", api_version=API_VERSION_TYPED_FFI, backend_config={", config, "}");
    std::unique_ptr<Module> module = MustParse(CallText(target, shape, shapes, attributes));
    std::vector<Literal> arguments;
    for (size_t i = 0; i < operands.size(); ++i) {
      arguments.push_back(Literal::Zeros(module->entry()->parameters()[i]->shape()));
      Literal& argument = arguments.back();
      for (int64_t k = 0; k < argument.element_count(); ++k) {
        const Scalar x = operands[i].at[k];
        argument.Set(k, {EncodeFloat(ElementType::kF64, static_cast<double>(x.real())),
                         IsComplex(argument.element_type())
                             ? EncodeFloat(ElementType::kF64, static_cast<double>(x.imag()))
                             : 0});
      }
    }
    absl::StatusOr<Literal> result = RunOn(std::get<0>(GetParam()), *module, arguments);
    EXPECT_TRUE(result.ok()) << result.status();
    std::vector<Grid> grids;
    if (!result.ok()) return grids;
    for (const Literal& leaf : Flatten(*result)) {
      const assay::Shape& s = leaf.shape();
      Grid grid(s.rank() > 0 ? s.dimension(0) : 1, s.rank() > 1 ? s.dimension(1) : 1);
      for (int64_t k = 0; k < leaf.element_count(); ++k) {
        const Element e = leaf.Get(k);
        grid.at[k] = IsInteger(leaf.element_type())
                         ? Scalar(DecodeSigned(leaf.element_type(), e.bits))
                         : Scalar(DecodeFloat(ElementType::kF64, e.bits),
                                  DecodeFloat(ElementType::kF64, e.imag));
      }
      grids.push_back(std::move(grid));
    }
    return grids;
  }
};

TEST_P(Factors, CholeskyAndTriangularSolve) {
  const Grid x = RandomGrid(4, 4, Complex());
  Grid a = x * Adjoint(x);
  for (int64_t i = 0; i < 4; ++i) a(i, i) += 4;
  for (Scalar& e : a.at) e = {static_cast<double>(e.real()), static_cast<double>(e.imag())};
  std::vector<Grid> r = Call(Lapack("potrf"), absl::StrCat("(", Shape("4,4"), ", s32[])"),
                             {Shape("4,4")}, {a}, "uplo = 76 : ui8");
  ASSERT_EQ(r.size(), 2u);
  Grid l = r[0];
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = i + 1; j < 4; ++j) l(i, j) = 0;
  }
  ExpectNear(l * Adjoint(l), a, "L L^H");
  EXPECT_EQ(r[1].at[0], Scalar(0));
  const Grid b = RandomGrid(4, 2, Complex());
  for (const char op : {'N', 'T', 'C'}) {
    const Grid y =
        Call(Lapack("trsm"), Shape("4,2"), {Shape("4,4"), Shape("4,2")}, {l, b},
             absl::StrCat("side = 76 : ui8, uplo = 76 : ui8, diag = 78 : ui8, trans_x = ",
                          static_cast<int>(op), " : ui8"))[0];
    Grid m = op == 'N' ? l : Adjoint(l);
    if (op == 'T') {
      for (Scalar& e : m.at) e = std::conj(e);
    }
    ExpectNear(m * y, b, absl::StrCat("op(L) X, ", std::string(1, op)));
  }
  a(1, 1) = -9;
  r = Call(Lapack("potrf"), absl::StrCat("(", Shape("4,4"), ", s32[])"), {Shape("4,4")}, {a},
           "uplo = 76 : ui8");
  EXPECT_EQ(r[1].at[0], Scalar(2));
}

TEST_P(Factors, Lu) {
  const Grid a = RandomGrid(4, 3, Complex());
  const std::vector<Grid> r = Call(
      Lapack("getrf"), absl::StrCat("(", Shape("4,3"), ", s32[3], s32[])"), {Shape("4,3")}, {a});
  ASSERT_EQ(r.size(), 3u);
  Grid l(4, 3), u(3, 3), permuted = a;
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      if (i > j) l(i, j) = r[0](i, j);
      if (i == j) l(i, j) = 1;
      if (i <= j) u(i, j) = r[0](i, j);
    }
  }
  for (int64_t i = 0; i < 3; ++i) {
    const auto pivot = static_cast<int64_t>(r[1].at[i].real()) - 1;
    for (int64_t j = 0; j < 3; ++j) std::swap(permuted(i, j), permuted(pivot, j));
  }
  ExpectNear(l * u, permuted, "L U");
}

TEST_P(Factors, Qr) {
  const Grid a = RandomGrid(4, 3, Complex());
  const std::vector<Grid> r = Call(
      Lapack("geqrf"), absl::StrCat("(", Shape("4,3"), ", ", Shape("3"), ")"), {Shape("4,3")}, {a});
  ASSERT_EQ(r.size(), 2u);
  const Grid q = Call(Lapack("orgqr", "ungqr"), Shape("4,3"), {Shape("4,3"), Shape("3")}, r)[0];
  Grid upper(3, 3);
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = i; j < 3; ++j) upper(i, j) = r[0](i, j);
  }
  ExpectNear(q * upper, a, "Q R");
  ExpectNear(Adjoint(q) * q, Identity(3), "Q^H Q");
  // Q^H A is R above zeros.
  const Grid c =
      Call(Lapack("ormqr", "unmqr"), Shape("4,3"), {Shape("4,3"), Shape("3"), Shape("4,3")},
           {r[0], r[1], a}, "left = true, transpose = true")[0];
  Grid padded(4, 3);
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = i; j < 3; ++j) padded(i, j) = upper(i, j);
  }
  ExpectNear(c, padded, "Q^H A");
}

// Squares of these numbers are beyond f64.
TEST_P(Factors, OfVeryLargeAndVerySmallNumbers) {
  for (const long double scale : {0x1p700L, 0x1p-700L}) {
    Grid a = RandomGrid(4, 3, Complex());
    for (Scalar& x : a.at) x *= scale;
    std::vector<Grid> r =
        Call(Lapack("geqrf"), absl::StrCat("(", Shape("4,3"), ", ", Shape("3"), ")"),
             {Shape("4,3")}, {a});
    ASSERT_EQ(r.size(), 2u);
    const Grid q = Call(Lapack("orgqr", "ungqr"), Shape("4,3"), {Shape("4,3"), Shape("3")}, r)[0];
    Grid upper(3, 3);
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = i; j < 3; ++j) upper(i, j) = r[0](i, j) / scale;
    }
    for (Scalar& x : a.at) x /= scale;
    ExpectNear(q * upper, a, "Q R");
    for (Scalar& x : a.at) x *= scale;
    r = Call(
        Lapack("gesdd"),
        absl::StrCat("(", Shape("4,3"), ", f64[3], ", Shape("4,3"), ", ", Shape("3,3"), ", s32[])"),
        {Shape("4,3")}, {a}, "mode = 83 : ui8");
    ASSERT_EQ(r.size(), 5u);
    Grid s(3, 3);
    for (int64_t i = 0; i < 3; ++i) s(i, i) = r[1].at[i] / scale;
    for (Scalar& x : a.at) x /= scale;
    ExpectNear(r[2] * s * r[3], a, "U S V^H");
  }
}

TEST_P(Factors, HermitianEigenvalues) {
  const Grid x = RandomGrid(5, 5, Complex());
  Grid a = x;
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < 5; ++j) a(i, j) = x(i, j) + std::conj(x(j, i));
  }
  const std::vector<Grid> r =
      Call(Lapack("syevd", "heevd"), absl::StrCat("(", Shape("5,5"), ", f64[5], s32[])"),
           {Shape("5,5")}, {a}, "mode = 86 : ui8, uplo = 76 : ui8");
  ASSERT_EQ(r.size(), 3u);
  ExpectNear(a * r[0], r[0] * Diagonal(r[1]), "A V");
  ExpectNear(Adjoint(r[0]) * r[0], Identity(5), "V^H V");
  for (int i = 0; i < 4; ++i) EXPECT_LE(r[1].at[i].real(), r[1].at[i + 1].real());
}

TEST_P(Factors, SingularValues) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>(4, 3), {3, 4}}) {
    Grid a = RandomGrid(m, n, Complex());
    for (int64_t j = 0; j < n; ++j) a(1, j) = a(0, j);  // of rank 2 where m is 3
    const std::string square = absl::StrCat(m, ",", m), other = absl::StrCat(n, ",", n);
    const std::string given = absl::StrCat(m, ",", n);
    const std::vector<Grid> r = Call(Lapack("gesdd"),
                                     absl::StrCat("(", Shape(given), ", f64[3], ", Shape(square),
                                                  ", ", Shape(other), ", s32[])"),
                                     {Shape(given)}, {a}, "mode = 65 : ui8");
    ASSERT_EQ(r.size(), 5u);
    Grid s(m, n);
    for (int64_t i = 0; i < 3; ++i) s(i, i) = r[1].at[i];
    ExpectNear(r[2] * s * r[3], a, "U S V^H");
    ExpectNear(Adjoint(r[2]) * r[2], Identity(m), "U^H U");
    ExpectNear(Adjoint(r[3]) * r[3], Identity(n), "V V^H");
    EXPECT_GE(r[1].at[0].real(), r[1].at[1].real());
  }
}

TEST_P(Factors, Schur) {
  const Grid a = RandomGrid(6, 6, Complex());
  const std::vector<Grid> r =
      Call(Lapack("gees"),
           absl::StrCat("(", Shape("6,6"), ", ", Shape("6,6"), ", ", Shape("6"),
                        Complex() ? "" : absl::StrCat(", ", Shape("6")), ", s32[], s32[])"),
           {Shape("6,6")}, {a}, "mode = 86 : ui8, sort = 78 : ui8");
  ASSERT_GE(r.size(), 5u);
  ExpectNear(r[1] * r[0] * Adjoint(r[1]), a, "Z T Z^H");
  ExpectNear(Adjoint(r[1]) * r[1], Identity(6), "Z^H Z");
  for (int64_t i = 2; i < 6; ++i) EXPECT_EQ(r[0](i, i - 2), Scalar(0));
}

TEST_P(Factors, GeneralEigenvalues) {
  const Grid a = RandomGrid(5, 5, Complex());
  std::vector<Grid> r = Call(
      Lapack("geev"),
      absl::StrCat("(", Complex() ? "c128[5]" : "f64[5], f64[5]", ", c128[5,5], c128[5,5], s32[])"),
      {Shape("5,5")}, {a}, "compute_left = 86 : ui8, compute_right = 86 : ui8");
  if (!Complex()) {
    for (int i = 0; i < 5; ++i) r[0].at[i] += Scalar(0, 1) * r[1].at[i];
    r.erase(r.begin() + 1);
  }
  ASSERT_EQ(r.size(), 4u);
  ExpectNear(a * r[2], r[2] * Diagonal(r[0]), "A V");
  ExpectNear(Adjoint(r[1]) * a, Diagonal(r[0]) * Adjoint(r[1]), "U^H A");
}

TEST_P(Factors, TridiagonalFormAndSystem) {
  const Grid x = RandomGrid(4, 4, Complex());
  Grid a = x;
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 4; ++j) a(i, j) = x(i, j) + std::conj(x(j, i));
  }
  for (const char* uplo : {"uplo = 76 : ui8", "uplo = 85 : ui8"}) {
    const std::vector<Grid> r =
        Call(Lapack("sytrd", "hetrd"),
             absl::StrCat("(", Shape("4,4"), ", f64[4], f64[3], ", Shape("3"), ", s32[])"),
             {Shape("4,4")}, {a}, uplo);
    ASSERT_EQ(r.size(), 5u);
    // Orthogonal similarity keeps the Frobenius norm and the trace.
    long double before = 0, after = 0, trace_before = 0, trace_after = 0;
    for (const Scalar& e : a.at) before += std::norm(e);
    for (int i = 0; i < 4; ++i) {
      after += std::norm(r[1].at[i]) + (i < 3 ? 2 * std::norm(r[2].at[i]) : 0);
      trace_before += a(i, i).real();
      trace_after += r[1].at[i].real();
    }
    EXPECT_LT(std::abs(before - after), 1e-13L) << uplo;
    EXPECT_LT(std::abs(trace_before - trace_after), 1e-13L) << uplo;
  }
  const Grid bands = RandomGrid(4, 3, Complex()), b = RandomGrid(4, 2, Complex());
  Grid dl(4, 1), d(4, 1), du(4, 1);
  for (int64_t i = 0; i < 4; ++i) {
    dl(i, 0) = bands(i, 0);
    d(i, 0) = bands(i, 1);
    du(i, 0) = bands(i, 2);
  }
  d(0, 0) = 0;  // needs the pivot
  const std::string v = Shape("4");
  const std::vector<Grid> r =
      Call(Lapack("gtsv"), absl::StrCat("(", v, ", ", v, ", ", v, ", ", Shape("4,2"), ", s32[])"),
           {v, v, v, Shape("4,2")}, {dl, d, du, b});
  ASSERT_EQ(r.size(), 5u);
  Grid t(4, 4);
  for (int64_t i = 0; i < 4; ++i) {
    t(i, i) = d(i, 0);
    if (i > 0) t(i, i - 1) = dl(i, 0);
    if (i < 3) t(i, i + 1) = du(i, 0);
  }
  ExpectNear(t * r[3], b, "T X");
}

INSTANTIATE_TEST_SUITE_P(BackendsRealAndComplex, Factors,
                         testing::Combine(testing::ValuesIn(kBackendsWithCalls), testing::Bool()));

class LinearAlgebraCalls : public testing::TestWithParam<const char*> {};

TEST_P(LinearAlgebraCalls, BatchesAndOwnTargets) {
  EXPECT_EQ(
      RunText(GetParam(), CallText("lapack_spotrf_ffi", "(f32[2,1,1], s32[2])", {"f32[2,1,1]"}),
              {"f32[2,1,1] {{{4}}, {{-1}}}"}),
      Canonical("( f32[2,1,1] {{{2}}, {{-1}}}, s32[2] {0, 1} )"));
  // 3 4; 6 8 has rank 1: the second pivot is 0 and the rows change places.
  EXPECT_EQ(
      RunText(GetParam(), CallText("LuDecomposition", "(f32[2,2], s32[2], s32[2])", {"f32[2,2]"}),
              {"f32[2,2] {{3, 4}, {6, 8}}"}),
      Canonical("( f32[2,2] {{6, 8}, {0.5, 0}}, s32[2] {1, 1}, s32[2] {1, 0} )"));
  // Reflection of (3, 4) to (-5, 0): tau = 8/5, v = (1, 1/2).
  EXPECT_EQ(RunText(GetParam(), CallText("Qr", "(f32[2,1], f32[1])", {"f32[2,1]"}),
                    {"f32[2,1] {{3}, {4}}"}),
            Canonical("( f32[2,1] {{-5}, {0.5}}, f32[1] {1.6} )"));
  EXPECT_EQ(RunText(GetParam(), CallText("Eigh", "(f32[2,2], f32[2])", {"f32[2,2]"}),
                    {"f32[2,2] {{0, 2}, {2, 0}}"}),
            Canonical("( f32[2,2] {{0.70710678, 0.70710678}, {-0.70710678, 0.70710678}}, "
                      "f32[2] {-2, 2} )"));
  EXPECT_EQ(RunText(GetParam(),
                    CallText("cpu_csr_sparse_dense_ffi", "s32[2]",
                             {"s32[3]", "s32[3]", "s32[3]", "s32[2]"}),
                    {"s32[3] {2, 3, 4}", "s32[3] {0, 1, 3}", "s32[3] {1, 0, 1}", "s32[2] {5, 7}"}),
            Canonical("s32[2] {14, 43}"));
  EXPECT_EQ(RunText(GetParam(),
                    CallText("cpu_csr_sparse_dense_ffi", "s32[2]",
                             {"s32[3]", "s32[3]", "s32[3]", "s32[2]"}),
                    {"s32[3] {2, 3, 4}", "s32[3] {0, 1, 3}", "s32[3] {1, 0, 1}", "s32[2] {5, -7}"}),
            Canonical("s32[2] {-14, -13}"));
  // 1 + 2^-24 lies in the middle of two f32.
  EXPECT_EQ(RunText(GetParam(),
                    CallText("cpu_csr_sparse_dense_ffi", "f32[1]",
                             {"f32[2]", "s32[2]", "s32[2]", "f32[2]"}),
                    {"f32[2] {1, 5.9604644775390625e-08}", "s32[2] {0, 2}", "s32[2] {0, 1}",
                     "f32[2] {1, 1}"}),
            Canonical("f32[1] {1}"));
}

TEST_P(LinearAlgebraCalls, ShapesThatDoNotFitAreRefused) {
  EXPECT_THAT(RunText(GetParam(), CallText("lapack_dpotrf_ffi", "(f64[2,2], s32[])", {"f64[2,3]"}),
                      {"f64[2,3] {{1,0,0},{0,1,0}}"}),
              HasSubstr("a letter for each dimension"));
}

TEST_P(LinearAlgebraCalls, SparseRowsThatDoNotFitAreRefused) {
  const auto product = [](const char* result, const char* starts, const char* given) {
    return RunText(
        GetParam(),
        CallText("cpu_csr_sparse_dense_ffi", result, {"s32[2]", starts, "s32[2]", "s32[2]"}),
        {"s32[2] {2, 3}", given, "s32[2] {1, 0}", "s32[2] {5, 7}"});
  };
  EXPECT_EQ(product("s32[2]", "s32[3]", "s32[3] {0, 1, 2}"), Canonical("s32[2] {14, 15}"));
  EXPECT_THAT(product("s32[1]", "s32[3]", "s32[3] {0, 1, 2}"), HasSubstr("one row start more"));
  EXPECT_THAT(product("s32[2]", "s32[3]", "s32[3] {0, 1, 9}"), HasSubstr("outside of the data"));
  EXPECT_THAT(product("s32[2]", "f32[3]", "f32[3] {0, nan, 2}"), HasSubstr("outside of the data"));
  EXPECT_THAT(product("s32[2]", "f32[3]", "f32[3] {0, 1, 1e30}"), HasSubstr("outside of the data"));
}

INSTANTIATE_TEST_SUITE_P(Backends, LinearAlgebraCalls, testing::ValuesIn(kBackendsWithCalls));

}  // namespace
}  // namespace assay::linear_algebra_calls_test
