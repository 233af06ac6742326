// Enclosures of programs with triangular systems that a target solves by an inverse in f16. The
// target of this test is code of its own: every operation is exact in double and rounded to f16.
#include <cmath>
#include <random>

#include "conformance/enclosure/enclosure.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "spec/text/parser.h"

namespace assay::conformance::inverse_solves_test {
namespace {

using Matrix = std::vector<std::vector<double>>;
using Vector = std::vector<double>;

double Half(double x) { return DecodeFloat(ElementType::kF16, EncodeFloat(ElementType::kF16, x)); }

// Column by column, each element divided by the diagonal of its row.
Matrix InverseByColumns(const Matrix& t) {
  const size_t n = t.size();
  Matrix x(n, Vector(n));
  for (size_t c = 0; c < n; ++c) {
    for (size_t i = c; i < n; ++i) {
      double rest = i == c ? 1 : 0;
      for (size_t j = c; j < i; ++j) rest = Half(rest - Half(t[i][j] * x[j][c]));
      x[i][c] = Half(rest / t[i][i]);
    }
  }
  return x;
}

// Of rows that are divided by their diagonals first; the columns of the inverse are divided last.
Matrix InverseByScaledRows(const Matrix& t) {
  const size_t n = t.size();
  Matrix scaled(n, Vector(n));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < i; ++j) scaled[i][j] = Half(t[i][j] / t[i][i]);
    scaled[i][i] = 1;
  }
  Matrix x = InverseByColumns(scaled);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) x[i][j] = Half(x[i][j] / t[j][j]);
  }
  return x;
}

Vector Times(const Matrix& inverse, const Vector& b) {
  const size_t n = b.size();
  Vector x(n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) x[i] = Half(x[i] + Half(inverse[i][j] * b[j]));
  }
  return x;
}

struct System {
  Matrix t;  // lower
  Vector b;
};

// The program that negates the solutions of systems of one size.
class Program {
 public:
  explicit Program(const std::vector<System>& systems, const std::string& profile = "xla-cpu")
      : n_(systems[0].b.size()) {
    const auto rows = static_cast<int64_t>(n_), count = static_cast<int64_t>(systems.size());
    Literal t = Literal::Zeros(Shape(ElementType::kF16, {count, rows, rows}));
    Literal b = Literal::Zeros(Shape(ElementType::kF16, {count, rows, 1}));
    int64_t at = 0, side = 0;
    for (const System& system : systems) {
      for (size_t i = 0; i < n_; ++i) {
        for (size_t j = 0; j < n_; ++j) t.Set(at++, Bits(system.t[i][j]));
        b.Set(side++, Bits(system.b[i]));
      }
    }
    const std::string sides = b.shape().ToString(), matrices = t.shape().ToString();
    auto module = ParseModule("HloModule m\nENTRY e {\n t = " + matrices +
                              " parameter(0)\n b = " + sides + " parameter(1)\n x = " + sides +
                              " triangular-solve(t, b), left_side=true, lower=true, "
                              "unit_diagonal=false, transpose_a=NO_TRANSPOSE\n ROOT r = " +
                              sides + " negate(x)\n}\n");
    EXPECT_TRUE(module.ok()) << module.status();
    module_ = *std::move(module);
    auto target = TargetProfile::Find(profile);
    EXPECT_TRUE(target.ok()) << target.status();
    auto enclosure = Enclose(*module_, {t, b}, *target, RunBudget{});
    EXPECT_TRUE(enclosure.ok()) << enclosure.status();
    enclosure_ = *std::move(enclosure);
    auto golden = Interpret(*module_, {t, b});
    EXPECT_TRUE(golden.ok()) << golden.status();
    golden_ = *std::move(golden);
  }

  // The verdict on solutions of the systems, one after the other.
  Judgement Judge(const std::vector<Vector>& solutions) const {
    Literal actual = golden_;
    int64_t at = 0;
    for (const Vector& x : solutions) {
      for (const double each : x) actual.Set(at++, Bits(-each));
    }
    auto judgement = JudgeWhole(enclosure_, golden_, actual);
    EXPECT_TRUE(judgement.ok()) << judgement.status();
    return judgement.ok() ? *judgement : Judgement();
  }

 private:
  static Element Bits(double x) { return Element{EncodeFloat(ElementType::kF16, x)}; }

  const size_t n_;
  std::unique_ptr<Module> module_;
  BoxTree enclosure_;
  Literal golden_;
};

// -(2.2e-3 -5.65) / -15000 is 14 of the least numbers of f16. The element of the inverse that is
// for it is 5e-11, which f16 has as 0.
TEST(InverseSolves, ElementsOfTheInverseMayUnderflow) {
  const System system{{{-2920, 0}, {2.2e-3, -15000}}, {16500, 0}};
  const Vector x = Times(InverseByColumns(system.t), system.b);
  EXPECT_EQ(x[1], 0);
  const Program program({system});
  EXPECT_EQ(program.Judge({x}).verdict, Verdict::kWithinBound);
  // What is lost is n |b| (1 + (1 + 15000) / 15000) of the least numbers, 4e-3, at most.
  EXPECT_EQ(program.Judge({{x[0], 0.01}}).verdict, Verdict::kWrong);
  EXPECT_EQ(program.Judge({{x[0] * 1.01, x[1]}}).verdict, Verdict::kWrong);
  EXPECT_EQ(Program({system}, "cpu-strict").Judge({x}).verdict, Verdict::kWrong);
}

// The product -2^-24 1.75 2^13 is rounded in the inverse alone, which has 2^-23 for 1.75 2^-24, so
// that the last row does not cancel.
TEST(InverseSolves, AnElementOfTheInverseMayBeZeroAlone) {
  const System system{{{1, 0, 0}, {0x1.cp-14, 1024, 0}, {0x1.cp-11, 8192, 1}}, {1024, 0, 0}};
  const Vector x = Times(InverseByColumns(system.t), system.b);
  EXPECT_EQ(x[2], 0.125);
  const Program program({system});
  EXPECT_EQ(program.Judge({x}).verdict, Verdict::kWithinBound);
}

// What another row's right side loses is nothing to a row that does not read it.
TEST(InverseSolves, RowsLoseWhatTheyRead) {
  const Program program({System{{{1, 0}, {0, 1}}, {50000, 1}}});
  EXPECT_EQ(program.Judge({{50000, 1}}).verdict, Verdict::kCorrectlyRounded);
  EXPECT_EQ(program.Judge({{50000, 1.008}}).verdict, Verdict::kWrong);
}

// Systems of magnitudes between 2^-14 and 2^14, solved in both ways.
TEST(InverseSolves, NoSolutionInF16IsWrong) {
  std::mt19937_64 random(28);
  std::uniform_real_distribution<double> exponent(-14, 14), unit(0, 1);
  const auto draw = [&](double zeros) {
    if (unit(random) < zeros) return 0.0;
    return Half((unit(random) < 0.5 ? -1 : 1) * std::exp2(exponent(random)));
  };
  for (const size_t n : {1, 2, 3, 4}) {
    std::vector<System> systems(100);
    std::vector<Vector> by_columns, by_rows;
    for (System& system : systems) {
      system = {Matrix(n, Vector(n)), Vector(n)};
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j <= i; ++j) system.t[i][j] = draw(i == j ? 0 : 0.3);
        system.b[i] = draw(0.4);
      }
      by_columns.push_back(Times(InverseByColumns(system.t), system.b));
      by_rows.push_back(Times(InverseByScaledRows(system.t), system.b));
    }
    const Program program(systems);
    for (const auto& solutions : {by_columns, by_rows}) {
      EXPECT_NE(program.Judge(solutions).verdict, Verdict::kWrong) << n;
    }
    for (Vector& solution : by_columns) {
      for (double& x : solution) x *= 2;
    }
    const Judgement doubled = program.Judge(by_columns);
    EXPECT_GT(3 * doubled.counts[static_cast<size_t>(Verdict::kWrong)], doubled.elements()) << n;
  }
}

}  // namespace
}  // namespace assay::conformance::inverse_solves_test
