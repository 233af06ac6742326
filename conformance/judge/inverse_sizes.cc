#include "conformance/judge/inverse_sizes.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace assay::conformance {

InverseSizes::InverseSizes(std::vector<double> most, std::vector<double> diagonal)
    : most_(std::move(most)),
      diagonal_(std::move(diagonal)),
      n_(static_cast<int64_t>(diagonal_.size())),
      inverse_(n_ * n_) {
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  for (int64_t i = 0; i < n_; ++i) {
    for (int64_t k = 0; k < i; ++k) {
      if (Most(i, k) == 0) continue;
      for (int64_t j = 0; j <= k; ++j) {
        if (Inverse(k, j) > 0) {
          inverse_[i * n_ + j] += std::max(Most(i, k) * Inverse(k, j), kTiny);
        }
      }
    }
    for (int64_t j = 0; j < i; ++j) {
      double& element = inverse_[i * n_ + j];
      if (element > 0) element = std::max(element / diagonal_[i], kTiny);
    }
    inverse_[i * n_ + i] = 1 / diagonal_[i];
  }
}

std::vector<double> InverseSizes::Inverted(const std::vector<double>& v) const {
  std::vector<double> y(n_);
  for (int64_t i = 0; i < n_; ++i) {
    double sum = v[i];
    for (int64_t j = 0; j < i; ++j) sum += Most(i, j) * y[j];
    y[i] = sum / diagonal_[i];
  }
  return y;
}

std::vector<double> InverseSizes::Product(const std::vector<double>& v) const {
  std::vector<double> product(n_);
  for (int64_t i = 0; i < n_; ++i) {
    for (int64_t j = 0; j <= i; ++j) product[i] += Most(i, j) * v[j];
  }
  return product;
}

// Element (i, j) of the inverse loses one unit in its quotient, and W(i, k) (n + |t_kk|) for its
// products and quotients in each row k between; b_j multiplies it. Where rows are divided by their
// diagonals first, coefficients of row k lose a unit each, which meet the solution of the rows
// before, and products lose theirs in front of the last division by t_jj: both times W(i, k) t_kk.
// Rows without a path to b_j have zeros, which lose nothing.
std::vector<double> InverseSizes::Lost(const std::vector<double>& b) const {
  const auto n = static_cast<double>(n_);
  const std::vector<double> solution = Inverted(b);
  std::vector<double> of_rows(n_), lost(n_, 2 * n);
  for (int64_t k = 0; k < n_; ++k) {
    const double pivot = Most(k, k);
    for (int64_t j = 0; j <= k; ++j) {
      if (!(Inverse(k, j) > 0)) continue;
      lost[k] += n * b[j];
      of_rows[k] += n * ((1 + pivot) * b[j] + 2 * pivot * solution[j]);
    }
  }
  const std::vector<double> passed_on = Inverted(of_rows);
  for (int64_t i = 0; i < n_; ++i) lost[i] += passed_on[i];
  return lost;
}

int64_t InverseSizes::FirstOverflow(const std::vector<double>& b, double least,
                                    double largest) const {
  const std::vector<double> solution = Inverted(b);
  const std::vector<double> lost = Lost(std::vector<double>(n_, 1.0));
  for (int64_t i = 0; i < n_; ++i) {
    // The largest number on the way to element i: the solution and its terms, the inverse's
    // elements with what they lost, multiplied by a diagonal that is divided by later, and rows of
    // the matrix that are divided by their diagonal first.
    double size = solution[i];
    for (int64_t j = 0; j <= i; ++j) {
      const double factor = std::max({1.0, Most(i, i), Most(j, j)});
      size =
          std::max({size, factor * (Inverse(i, j) + lost[i] * least), Most(i, j) / diagonal_[i]});
    }
    // Up to a quarter, relative errors do not count.
    if (!(1.25 * size <= largest)) return i;
  }
  return n_;
}

}  // namespace assay::conformance
