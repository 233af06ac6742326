// Sums of f32 side by side against exact sums, on terms that a double holds, terms that it does
// not, and terms that are no numbers.
#include "evaluator/kernels/running_sums.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "evaluator/real/exact_sum.h"
#include "runtime/float_environment.h"

namespace assay::evaluator::kernels {
namespace {

// Rows of terms, of which the first is what the sums begin with.
using Rows = std::vector<std::vector<float>>;

uint64_t ExactSumOf(const Rows& rows, size_t column) {
  ExactSum sum;
  for (const std::vector<float>& row : rows) sum.Add(row[column]);
  return sum.Round(ElementType::kF32);
}

enum class Way { kOneByOne, kRows, kInOne };
constexpr Way kWays[] = {Way::kOneByOne, Way::kRows, Way::kInOne};

// Adds up columns; every decided one has to be the exact sum. Returns how
// many are open.
int64_t Check(const Rows& rows, Way way) {
  const size_t n = rows[0].size();
  const auto columns = static_cast<int64_t>(n);
  std::vector<double> s(n), errors(n);
  const auto bytes = [](const std::vector<float>& row) {
    return reinterpret_cast<const std::byte*>(row.data());
  };
  BeginSums(bytes(rows[0]), 1, columns, s.data(), errors.data());
  std::vector<const std::byte*> pointers;
  for (size_t r = 1; r < rows.size(); ++r) pointers.push_back(bytes(rows[r]));
  const float kLeft = 12345;
  std::vector<float> out(n, kLeft);
  if (way == Way::kOneByOne) {
    for (size_t r = 1; r < rows.size(); ++r) {
      for (size_t i = 0; i < n; ++i) AddToSum(rows[r][i], s[i], errors[i]);
    }
  } else if (way == Way::kRows) {
    AddRows(pointers.data(), static_cast<int64_t>(pointers.size()), columns, s.data(),
            errors.data());
  }
  std::byte* result = reinterpret_cast<std::byte*>(out.data());
  const int64_t open = way == Way::kInOne ? SumRows(bytes(rows[0]), pointers.data(),
                                                    static_cast<int64_t>(pointers.size()), columns,
                                                    errors.data(), result)
                                          : DecideSums(s.data(), errors.data(), columns, result);
  int64_t found = 0;
  for (size_t i = 0; i < n; ++i) {
    if (IsOpen(errors[i])) {
      ++found;
      EXPECT_EQ(out[i], kLeft) << i;
    } else {
      EXPECT_EQ(std::bit_cast<uint32_t>(out[i]), ExactSumOf(rows, i)) << i << " of " << n;
    }
  }
  EXPECT_EQ(found, open);
  return open;
}

TEST(RunningSumsTest, DecideForTheExactSum) {
  const runtime::FloatEnvironmentGuard guard;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  int64_t sums = 0, open = 0;
  for (const int spread : {0, 3, 40, 120}) {  // of exponents
    for (size_t n = 1; n <= 37; ++n) {
      for (const size_t terms : {1, 2, 3, 9, 70}) {
        Rows rows(terms + 1, std::vector<float>(n));
        for (std::vector<float>& row : rows) {
          for (float& x : row) {
            x = std::ldexp(uniform(random), spread == 0 ? 0 : static_cast<int>(random() % spread));
          }
        }
        for (const Way way : kWays) open += Check(rows, way);
        sums += std::ssize(kWays) * static_cast<int64_t>(n);
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_LT(open, sums / 100);
}

TEST(RunningSumsTest, LeaveOpenWhatADoubleDoesNotKnow) {
  const runtime::FloatEnvironmentGuard guard;
  const float kInf = std::numeric_limits<float>::infinity();
  const float kMost = std::numeric_limits<float>::max();
  const float kLeast = std::numeric_limits<float>::denorm_min();
  struct Case {
    std::vector<float> terms;
    int64_t open;  // of one
  };
  const Case cases[] = {
      {{1, 0x1p-24f, 0x1p-100f}, 1},  // past a tie that a double falls on
      {{1, 0x1p-24f}, 0},             // on it: exact
      {{0x1p100f, 0x1p-100f, -0x1p100f}, 1},
      {{kMost, kMost, -kMost}, 0},  // overflow and return
      {{kMost, kMost}, 0},
      {{kLeast, kLeast, -3 * kLeast}, 0},
      {{-0.0f, -0.0f}, 0},
      {{-0.0f, 0.0f}, 0},
      {{1, -1}, 0},
      {{kInf, 1}, 1},
      {{1, kInf, -kInf}, 1},
      {{NAN, 1}, 1},
      {{NAN}, 1},
  };
  for (const Case& c : cases) {
    for (const size_t n : {1, 4, 5, 21}) {
      Rows rows;
      for (const float term : c.terms) rows.emplace_back(n, term);
      for (const Way way : kWays) {
        EXPECT_EQ(Check(rows, way), c.open * static_cast<int64_t>(n)) << c.terms[0];
      }
    }
  }
}

}  // namespace
}  // namespace assay::evaluator::kernels
