// What a target may lose that solves a triangular system by the inverse of its matrix, beside
// relative errors: elements of the inverse that underflow or overflow. Covers inverses by
// substitution and those of rows that are divided by their diagonals first.
// Tests: factor_judge_test.cc, enclosure/inverse_solves_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_INVERSE_SIZES_H_
#define ASSAY_CONFORMANCE_JUDGE_INVERSE_SIZES_H_

#include <cstdint>
#include <vector>

namespace assay::conformance {

// Bounds on the inverse of a lower triangular matrix T: |T^-1| is no more than the inverse W of the
// matrix of the least diagonal and the largest other coefficients, taken as negative.
class InverseSizes {
 public:
  // `most` has the largest magnitude of each coefficient, row by row, and `diagonal` the least one
  // of each on the diagonal, which is not zero.
  InverseSizes(std::vector<double> most, std::vector<double> diagonal);

  // Return W v and |T| v.
  std::vector<double> Inverted(const std::vector<double>& v) const;
  std::vector<double> Product(const std::vector<double>& v) const;

  // Returns, for each element of a solution, how many times the absolute error of an operation that
  // underflows it may lose. `b` has the magnitudes of the right side.
  std::vector<double> Lost(const std::vector<double>& b) const;

  // Returns the first row in which a number on the way to the solution may exceed `largest`; the
  // number of rows if none does. `least` is the absolute error of an operation that underflows.
  int64_t FirstOverflow(const std::vector<double>& b, double least, double largest) const;

 private:
  double Most(int64_t i, int64_t j) const { return most_[i * n_ + j]; }
  double Inverse(int64_t i, int64_t j) const { return inverse_[i * n_ + j]; }

  const std::vector<double> most_, diagonal_;
  const int64_t n_;
  // W, whose elements are zero only where no path of coefficients leads from row to column.
  std::vector<double> inverse_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_INVERSE_SIZES_H_
