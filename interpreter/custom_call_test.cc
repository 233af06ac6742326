// Custom calls: the markers, bits, selections, dynamic sizes and assertions by worked examples, and
// factorisations by their residuals, which are computed here in long double (64 bits of significand
// against the 53 of f64, so that they measure the rounding of the factors) from the rounded
// results.
#include "interpreter/custom_call.h"

#include <cmath>
#include <complex>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "interpreter/custom_calls/attributes.h"
#include "interpreter/testing.h"

namespace assay::custom_call_test {
namespace {

using ::testing::HasSubstr;

// A module whose entry makes one call; the parameters have these shapes.
std::string CallText(absl::string_view target, absl::string_view shape,
                     const std::vector<std::string>& parameters, absl::string_view more = "") {
  std::string text = "HloModule m\nENTRY e {\n";
  std::string operands;
  for (size_t i = 0; i < parameters.size(); ++i) {
    absl::StrAppend(&text, "  p", i, " = ", parameters[i], " parameter(", i, ")\n");
    absl::StrAppend(&operands, i == 0 ? "" : ", ", "p", i);
  }
  return absl::StrCat(text, "  ROOT r = ", shape, " custom-call(", operands,
                      "), custom_call_target=\"", target, "\"", more, "\n}\n");
}

TEST(CustomCall, Markers) {
  for (const char* target : {"Sharding", "SPMDFullToShardShape", "xla.sdy.FuncResultSharding",
                             "annotate_device_placement", "LayoutConstraint", "Unpin"}) {
    EXPECT_EQ(RunText(CallText(target, "f32[2]", {"f32[2]"}), {"f32[2] {1, 2}"}),
              Canonical("f32[2] {1, 2}"))
        << target;
  }
  EXPECT_THAT(RunText(CallText("SPMDFullToShardShape", "f32[1]", {"f32[2]"}), {"f32[2] {1, 2}"}),
              HasSubstr("same shapes"));
  EXPECT_EQ(RunText(CallText("xla.sdy.GlobalToLocalShape", "(f32[], s32[])", {"f32[]", "s32[]"}),
                    {"f32[] 1", "s32[] 2"}),
            Canonical("( f32[] 1, s32[] 2 )"));
  for (const char* target : {"xla.sdy.ShardingGroup", "dce_sink"}) {
    EXPECT_EQ(RunText(CallText(target, "()", {"f32[]"}, ", custom_call_has_side_effect=true"),
                      {"f32[] 1"}),
              Canonical("( )"));
    EXPECT_THAT(RunText(CallText(target, "f32[]", {"f32[]"}), {"f32[] 1"}),
                HasSubstr("the result must be ()"));
  }
  EXPECT_THAT(RunText(CallText("nobody_knows", "f32[]", {"f32[]"}), {"f32[] 1"}),
              HasSubstr("\"nobody_knows\" is not known"));
}

TEST(CustomCall, Bits) {
  RunOptions options;
  options.random_seed = 7;
  EXPECT_EQ(RunText(CallText("GetRngSeed", "u64[]", {}), {}, {}, options), "u64[] 7");
  EXPECT_EQ(RunText(CallText("AllocateBuffer", "s32[2]", {}), {}), Canonical("s32[2] {0, 0}"));
  EXPECT_EQ(RunText(CallText("X64Combine", "u64[]", {"u32[]", "u32[]"}), {"u32[] 5", "u32[] 1"}),
            "u64[] 4294967301");
  EXPECT_EQ(RunText(CallText("X64SplitHigh", "u32[]", {"u64[]"}), {"u64[] 4294967301"}), "u32[] 1");
  EXPECT_EQ(RunText(CallText("X64SplitLow", "u32[]", {"u64[]"}), {"u64[] 4294967301"}), "u32[] 5");
  // Random123's known answer: key and counter zero give 6b200159 99ba4efe.
  EXPECT_EQ(RunText(CallText("cu_threefry2x32_ffi", "(u32[], u32[])",
                             {"u32[]", "u32[]", "u32[]", "u32[]"}),
                    {"u32[] 0", "u32[] 0", "u32[] 0", "u32[] 0"}),
            Canonical("( u32[] 1797259609, u32[] 2579123966 )"));
}

TEST(CustomCall, TopK) {
  EXPECT_EQ(
      RunText(CallText("TopK", "(f32[3], s32[3])", {"f32[5]"}), {"f32[5] {1, 3, -nan, 3, nan}"}),
      Canonical("( f32[3] {nan, 3, 3}, s32[3] {4, 1, 3} )"));
  const std::string approx =
      "HloModule m\n"
      "before { a = f32[] parameter(0) b = f32[] parameter(1) i = s32[] parameter(2)\n"
      "  j = s32[] parameter(3) ROOT c = pred[] compare(a, b), direction=GT }\n"
      "ENTRY e { x = f32[4] parameter(0) i = s32[4] iota(), iota_dimension=0\n"
      "  z = f32[] constant(-inf) n = s32[] constant(-1)\n"
      "  ROOT r = (f32[2], s32[2]) custom-call(x, i, z, n), custom_call_target=\"ApproxTopK\",\n"
      "  called_computations={before}, api_version=API_VERSION_TYPED_FFI,\n"
      "  backend_config={reduction_dim = 0 : i64, top_k = 2 : i64} }\n";
  EXPECT_EQ(RunText(approx, {"f32[4] {1, 4, 2, 4}"}),
            Canonical("( f32[2] {4, 4}, s32[2] {1, 3} )"));
}

TEST(CustomCall, UnaryAndDynamic) {
  EXPECT_EQ(RunText(CallText("mhlo.erf", "f32[2]", {"f32[2]"}), {"f32[2] {0, inf}"}),
            Canonical("f32[2] {0, 1}"));
  const std::string round_trip =
      "HloModule m\nENTRY e { x = f32[3] parameter(0) n = s32[] constant(2)\n"
      "  d = f32[<=3] set-dimension-size(x, n), dimensions={0}\n"
      "  p = (f32[3], s32[]) custom-call(d), custom_call_target=\"PadToStatic\"\n"
      "  a = f32[3] get-tuple-element(p), index=0\n  s = s32[] get-tuple-element(p), index=1\n"
      "  b = f32[<=3] custom-call(a, s), custom_call_target=\"SliceToDynamic\"\n"
      "  g = s32[] get-dimension-size(b), dimensions={0}\n"
      "  ROOT t = (f32[3], s32[], s32[]) tuple(a, s, g) }\n";
  EXPECT_EQ(RunText(round_trip, {"f32[3] {1, 2, 3}"}),
            Canonical("( f32[3] {1, 2, 0}, s32[] 2, s32[] 2 )"));
}

TEST(CustomCall, Assertions) {
  const auto expect = [](absl::string_view target, absl::string_view a, absl::string_view b,
                         absl::string_view config) {
    return RunText(CallText(target, "()", {"f32[2]", "f32[2]"}, config), {a, b});
  };
  EXPECT_EQ(expect("check.expect_eq", "f32[2] {1, nan}", "f32[2] {1, nan}", ""), "(  )");
  EXPECT_THAT(expect("check.expect_eq", "f32[2] {1, 2}", "f32[2] {1, 3}", ""),
              testing::AllOf(HasSubstr("element 1 is 2, expected is 3"), HasSubstr("f32[2] {1, 2}"),
                             HasSubstr("f32[2] {1, 3}")));
  EXPECT_THAT(expect("check.expect_almost_eq", "f32[2] {1, 2}", "f32[2] {1, 2.1}", ""),
              HasSubstr("fails"));
  const std::string ulps =
      ", api_version=API_VERSION_TYPED_FFI, backend_config={max_ulp_difference = 1 : i64}";
  EXPECT_EQ(expect("check.expect_close", "f32[2] {1, 0}", "f32[2] {1.0000001, -0}", ulps), "(  )");
  EXPECT_THAT(expect("check.expect_close", "f32[2] {1, 0}", "f32[2] {1.0000003, 0}", ulps),
              HasSubstr("fails"));
  EXPECT_THAT(RunText(CallText("shape_assertion", "()", {"pred[]", "s32[]"},
                               ", api_version=API_VERSION_TYPED_FFI, "
                               "backend_config={error_message = \"size {0} is odd\"}"),
                      {"pred[] false", "s32[] 3"}),
              HasSubstr("size 3 is odd"));
}

TEST(CallAttributes, DictionariesAndJson) {
  using custom_calls::CallAttributes;
  const CallAttributes a = CallAttributes::Parse(
      "{uplo = 76 : ui8, left = true, mhlo.backend_config = {tol = 0.5 : f32, s = \"a \\\"b\"}}");
  EXPECT_EQ(a.Letter("uplo", 'U'), 'L');
  EXPECT_EQ(a.Int("left", 0), 1);
  EXPECT_EQ(a.Float("tol", 0), 0.5);
  EXPECT_EQ(a.String("s", ""), "a \"b");
  EXPECT_EQ(CallAttributes::Parse("{\"k\": 3, \"mode\": \"A\"}").Int("k", 0), 3);
  EXPECT_EQ(CallAttributes::Parse("{\"k\": 3, \"mode\": \"A\"}").Letter("mode", 'S'), 'A');
  EXPECT_EQ(CallAttributes::Parse("= : {{").Int("k", 9), 9);
  using Rows = std::vector<std::vector<int64_t>>;
  const CallAttributes lists = CallAttributes::Parse(
      "{a = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, b = [4 : i64, 5 : i64], c = dense<6> : "
      "tensor<1xi64>, d = array<i64: 7, -8>, e = #x<kind WORD>, f = 9 : i64, g = [");
  EXPECT_EQ(lists.IntLists("a"), (Rows{{0, 1}, {2, 3}}));
  EXPECT_EQ(lists.Ints("a"), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(lists.IntLists("b"), (Rows{{4, 5}}));
  EXPECT_EQ(lists.Ints("c"), (std::vector<int64_t>{6}));
  EXPECT_EQ(lists.Ints("d"), (std::vector<int64_t>{7, -8}));
  EXPECT_EQ(lists.String("e", ""), "WORD");
  EXPECT_EQ(lists.Int("f", 0), 9);
  EXPECT_EQ(lists.IntLists("absent"), Rows());
}

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

class Factors : public testing::TestWithParam<bool> {
 protected:
  std::string Type() const { return GetParam() ? "c128" : "f64"; }
  std::string Shape(absl::string_view sizes) const { return absl::StrCat(Type(), "[", sizes, "]"); }
  std::string Lapack(absl::string_view real, absl::string_view complex = "") const {
    return absl::StrCat("lapack_", GetParam() ? "z" : "d",
                        GetParam() && !complex.empty() ? complex : real, "_ffi");
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
    absl::StatusOr<Literal> result = Interpret(*module, arguments);
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
  const Grid x = RandomGrid(4, 4, GetParam());
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
  const Grid b = RandomGrid(4, 2, GetParam());
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
  const Grid a = RandomGrid(4, 3, GetParam());
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
  const Grid a = RandomGrid(4, 3, GetParam());
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

TEST_P(Factors, HermitianEigenvalues) {
  const Grid x = RandomGrid(5, 5, GetParam());
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
    Grid a = RandomGrid(m, n, GetParam());
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
  const Grid a = RandomGrid(6, 6, GetParam());
  const std::vector<Grid> r =
      Call(Lapack("gees"),
           absl::StrCat("(", Shape("6,6"), ", ", Shape("6,6"), ", ", Shape("6"),
                        GetParam() ? "" : absl::StrCat(", ", Shape("6")), ", s32[], s32[])"),
           {Shape("6,6")}, {a}, "mode = 86 : ui8, sort = 78 : ui8");
  ASSERT_GE(r.size(), 5u);
  ExpectNear(r[1] * r[0] * Adjoint(r[1]), a, "Z T Z^H");
  ExpectNear(Adjoint(r[1]) * r[1], Identity(6), "Z^H Z");
  for (int64_t i = 2; i < 6; ++i) EXPECT_EQ(r[0](i, i - 2), Scalar(0));
}

TEST_P(Factors, GeneralEigenvalues) {
  const Grid a = RandomGrid(5, 5, GetParam());
  std::vector<Grid> r =
      Call(Lapack("geev"),
           absl::StrCat("(", GetParam() ? "c128[5]" : "f64[5], f64[5]",
                        ", c128[5,5], c128[5,5], s32[])"),
           {Shape("5,5")}, {a}, "compute_left = 86 : ui8, compute_right = 86 : ui8");
  if (!GetParam()) {
    for (int i = 0; i < 5; ++i) r[0].at[i] += Scalar(0, 1) * r[1].at[i];
    r.erase(r.begin() + 1);
  }
  ASSERT_EQ(r.size(), 4u);
  ExpectNear(a * r[2], r[2] * Diagonal(r[0]), "A V");
  ExpectNear(Adjoint(r[1]) * a, Diagonal(r[0]) * Adjoint(r[1]), "U^H A");
}

TEST_P(Factors, TridiagonalFormAndSystem) {
  const Grid x = RandomGrid(4, 4, GetParam());
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
  const Grid bands = RandomGrid(4, 3, GetParam()), b = RandomGrid(4, 2, GetParam());
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

INSTANTIATE_TEST_SUITE_P(RealAndComplex, Factors, testing::Bool());

TEST(LinearAlgebraCalls, BatchesAndOwnTargets) {
  EXPECT_EQ(RunText(CallText("lapack_spotrf_ffi", "(f32[2,1,1], s32[2])", {"f32[2,1,1]"}),
                    {"f32[2,1,1] {{{4}}, {{-1}}}"}),
            Canonical("( f32[2,1,1] {{{2}}, {{-1}}}, s32[2] {0, 1} )"));
  // 3 4; 6 8 has rank 1: the second pivot is 0 and the rows change places.
  EXPECT_EQ(RunText(CallText("LuDecomposition", "(f32[2,2], s32[2], s32[2])", {"f32[2,2]"}),
                    {"f32[2,2] {{3, 4}, {6, 8}}"}),
            Canonical("( f32[2,2] {{6, 8}, {0.5, 0}}, s32[2] {1, 1}, s32[2] {1, 0} )"));
  // Reflection of (3, 4) to (-5, 0): tau = 8/5, v = (1, 1/2).
  EXPECT_EQ(RunText(CallText("Qr", "(f32[2,1], f32[1])", {"f32[2,1]"}), {"f32[2,1] {{3}, {4}}"}),
            Canonical("( f32[2,1] {{-5}, {0.5}}, f32[1] {1.6} )"));
  EXPECT_EQ(
      RunText(CallText("Eigh", "(f32[2,2], f32[2])", {"f32[2,2]"}), {"f32[2,2] {{0, 2}, {2, 0}}"}),
      Canonical("( f32[2,2] {{0.70710678, 0.70710678}, {-0.70710678, 0.70710678}}, "
                "f32[2] {-2, 2} )"));
  EXPECT_EQ(RunText(CallText("cpu_csr_sparse_dense_ffi", "s32[2]",
                             {"s32[3]", "s32[3]", "s32[3]", "s32[2]"}),
                    {"s32[3] {2, 3, 4}", "s32[3] {0, 1, 3}", "s32[3] {1, 0, 1}", "s32[2] {5, 7}"}),
            Canonical("s32[2] {14, 43}"));
}

TEST(LinearAlgebraCalls, ShapesThatDoNotFitAreRefused) {
  EXPECT_THAT(RunText(CallText("lapack_dpotrf_ffi", "(f64[2,2], s32[])", {"f64[2,3]"}),
                      {"f64[2,3] {{1,0,0},{0,1,0}}"}),
              HasSubstr("a letter for each dimension"));
}

}  // namespace
}  // namespace assay::custom_call_test
