// LU, Cholesky and triangular systems of real numbers by factors that are chosen here, so that
// every step of an elimination is exact and the results are these factors to the bit.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/factory/custom_call_testing.h"
#include "gtest/gtest.h"

namespace assay::elimination_calls_test {
namespace {

// Dyadic numbers with a few bits, row by row.
struct Table {
  int64_t rows, columns;
  std::vector<double> at;
  Table(int64_t m, int64_t n, double value = 0) : rows(m), columns(n), at(m * n, value) {}
  double& operator()(int64_t i, int64_t j) { return at[i * columns + j]; }
  double operator()(int64_t i, int64_t j) const { return at[i * columns + j]; }
};

Table operator*(const Table& a, const Table& b) {
  Table c(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) {
      for (int64_t k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}
Table Transposed(const Table& a) {
  Table b(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) b(j, i) = a(i, j);
  }
  return b;
}
// Odd numbers from -7 to 7.
Table Odd(int64_t m, int64_t n, uint64_t seed) {
  Table table(m, n);
  for (double& x : table.at) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x = 2 * static_cast<double>(seed >> 40 & 7) - 7;
  }
  return table;
}

class Elimination : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  static std::string Type() { return std::get<1>(GetParam()); }
  static std::string Target(absl::string_view name) {
    return absl::StrCat("lapack_", Type() == "f32" ? "s" : "d", name, "_ffi");
  }
  static std::string Shape(const Table& t) {
    return absl::StrCat(Type(), "[", t.rows, ",", t.columns, "]");
  }
  static std::string Text(const Table& t) {
    std::vector<std::string> rows;
    for (int64_t i = 0; i < t.rows; ++i) {
      rows.push_back(absl::StrCat(
          "{", absl::StrJoin(&t.at[i * t.columns], &t.at[i * t.columns] + t.columns, ", "), "}"));
    }
    return absl::StrCat(Shape(t), " {", absl::StrJoin(rows, ", "), "}");
  }
  static std::string Run(absl::string_view name, const std::string& result,
                         const std::vector<Table>& operands, const std::string& attributes) {
    std::vector<std::string> shapes, texts;
    for (const Table& operand : operands) {
      shapes.push_back(Shape(operand));
      texts.push_back(Text(operand));
    }
    return RunText(
        std::get<0>(GetParam()),
        CallText(Target(name), result, shapes,
                 attributes.empty() ? "" : absl::StrCat(", backend_config={", attributes, "}")),
        {texts.begin(), texts.end()});
  }
};

constexpr int64_t kSize = 6;

// A triangular matrix of odd numbers whose diagonal holds powers of two.
Table Triangle(bool lower, bool unit) {
  Table a = Odd(kSize, kSize, lower ? 5 : 6);
  for (int64_t i = 0; i < kSize; ++i) {
    for (int64_t j = 0; j < kSize; ++j) {
      if (lower ? j > i : j < i) a(i, j) = 0;
    }
    a(i, i) = unit ? 1 : (i % 2 == 0 ? -2 : 4);
  }
  return a;
}

TEST_P(Elimination, TriangularSystems) {
  for (int choice = 0; choice < 24; ++choice) {
    const bool left = choice % 2 != 0, lower = choice / 2 % 2 != 0, unit = choice / 4 % 2 != 0;
    const char op = "NTC"[choice / 8];
    const Table a = Triangle(lower, unit), m = op == 'N' ? a : Transposed(a);
    const Table x = left ? Odd(kSize, 3, 1) : Odd(3, kSize, 2);
    // What the call must not read.
    Table given = a;
    for (int64_t i = 0; i < kSize; ++i) {
      for (int64_t j = 0; j < kSize; ++j) {
        if (lower ? j > i : j < i) given(i, j) = 77;
      }
      if (unit) given(i, i) = 99;
    }
    EXPECT_EQ(Run("trsm", Shape(x), {given, left ? m * x : x * m},
                  absl::StrCat("side = ", left ? 76 : 82, " : ui8, uplo = ", lower ? 76 : 85,
                               " : ui8, diag = ", unit ? 85 : 78,
                               " : ui8, trans_x = ", static_cast<int>(op), " : ui8")),
              Canonical(Text(x)))
        << "left " << left << ", lower " << lower << ", unit " << unit << ", op " << op;
  }
}

TEST_P(Elimination, Cholesky) {
  for (const bool lower : {true, false}) {
    Table l = Triangle(/*lower=*/true, /*unit=*/false);
    for (int64_t i = 0; i < kSize; ++i) l(i, i) = i % 2 == 0 ? 2 : 4;
    Table a = l * Transposed(l);
    // The leading minors of order 1 to `good` are positive; the other triangle is not read.
    for (const int64_t good : {kSize, int64_t{3}, int64_t{0}}) {
      if (good < kSize) a(good, good) = -1;
      Table given = lower ? a : Transposed(a), expected(0, 0);
      for (int64_t i = 0; i < kSize; ++i) {
        for (int64_t j = i + 1; j < kSize; ++j) (lower ? given(i, j) : given(j, i)) = 77;
      }
      expected = given;
      for (int64_t i = 0; i < kSize; ++i) {
        for (int64_t j = 0; j <= std::min(i, good - 1); ++j) {
          (lower ? expected(i, j) : expected(j, i)) = l(i, j);
        }
      }
      EXPECT_EQ(Run("potrf", absl::StrCat("(", Shape(a), ", s32[])"), {given},
                    absl::StrCat("uplo = ", lower ? 76 : 85, " : ui8")),
                Canonical(absl::StrCat("( ", Text(expected), ", s32[] ",
                                       good < kSize ? good + 1 : 0, " )")))
          << "lower " << lower << ", positive minors " << good;
    }
  }
}

// Rows of L U change places; below its diagonal L is less than 1, so that only one order of the
// rows selects the greatest pivots.
TEST_P(Elimination, Lu) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{5, 7}, {7, 5}, {6, 6}, {1, 3}}) {
    const int64_t k = std::min(m, n);
    Table l = Odd(m, k, 3), u = Odd(k, n, 4);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < k; ++j) l(i, j) = i == j ? 1 : i < j ? 0 : l(i, j) / 8;
    }
    for (int64_t i = 0; i < k; ++i) {
      for (int64_t j = 0; j < n; ++j)
        u(i, j) = i == j ? (i % 2 == 0 ? 8 : -4) : i > j ? 0 : u(i, j);
    }
    const Table product = l * u;
    // Row i of the operand is row place[i] of the product.
    std::vector<int64_t> place(m), pivots(k);
    for (int64_t i = 0; i < m; ++i) place[i] = (i * 3 + 2) % m;
    if (m % 3 == 0) std::iota(place.rbegin(), place.rend(), 0);
    Table a(m, n), packed(m, n);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        a(i, j) = product(place[i], j);
        packed(i, j) = j < i ? l(i, j) : u(i, j);
      }
    }
    for (int64_t i = 0; i < k; ++i) {
      pivots[i] = std::find(place.begin(), place.end(), i) - place.begin();
      std::swap(place[i], place[pivots[i]++]);
    }
    // Rows past k of a tall matrix follow from the changes of places.
    for (int64_t i = k; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) packed(i, j) = l(place[i], j);
    }
    EXPECT_EQ(Run("getrf", absl::StrCat("(", Shape(a), ", s32[", k, "], s32[])"), {a}, ""),
              Canonical(absl::StrCat("( ", Text(packed), ", s32[", k, "] {",
                                     absl::StrJoin(pivots, ", "), "}, s32[] 0 )")))
        << m << " x " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Elimination,
                         testing::Combine(testing::ValuesIn(kBackendsWithCalls),
                                          testing::Values("f32", "f64")));

}  // namespace
}  // namespace assay::elimination_calls_test
