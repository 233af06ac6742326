// Matrices of complex numbers of 200 bits, for the factorisations of custom calls: every element is
// rounded once at the end, after errors far below the last place of any element type.
// Tests: custom_call_test.cc.
#ifndef ASSAY_INTERPRETER_CUSTOM_CALLS_MATRIX_H_
#define ASSAY_INTERPRETER_CUSTOM_CALLS_MATRIX_H_

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdint>
#include <vector>

#include "spec/element/element.h"

namespace assay::custom_calls {

inline constexpr int kRealBits = 200;
using Real = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<kRealBits, boost::multiprecision::digit_base_2, void, int>,
    boost::multiprecision::et_off>;

// What counts as nothing beside 1 in an iteration that converges.
const Real& Negligible();

// Real numbers are complex ones whose imaginary part is zero; they cost what real ones cost.
struct Number {
  Real re, im;
  Number() = default;
  Number(Real real) : re(std::move(real)) {}  // NOLINT: a real number is a number
  Number(double real) : re(real) {}           // NOLINT
  Number(Real real, Real imag) : re(std::move(real)), im(std::move(imag)) {}

  bool is_real() const { return im.is_zero(); }
  bool is_zero() const { return re.is_zero() && im.is_zero(); }
  Number& operator+=(const Number& b);
  Number& operator-=(const Number& b);
};
Number operator-(const Number& a);
Number operator+(Number a, const Number& b);
Number operator-(Number a, const Number& b);
Number operator*(const Number& a, const Number& b);
Number operator/(const Number& a, const Number& b);
Number Conj(const Number& a);
Real Norm(const Number& a);  // |a|^2
Real Abs(const Number& a);
// |re| + |im|, by which LAPACK selects pivots.
Real Size(const Number& a);
Number Sqrt(const Number& a);

bool IsFinite(const Number& a);
Number ToNumber(ElementType type, Element value);
// Rounded once; integers modulo 2^bits.
Element ToElement(ElementType type, const Number& value);

class Matrix {
 public:
  Matrix() = default;
  Matrix(int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), elements_(rows * columns) {}
  static Matrix Identity(int64_t n);

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  Number& operator()(int64_t i, int64_t j) { return elements_[i * columns_ + j]; }
  const Number& operator()(int64_t i, int64_t j) const { return elements_[i * columns_ + j]; }
  // Vectors and scalars: a matrix of one column.
  Number& operator[](int64_t i) { return elements_[i]; }
  const Number& operator[](int64_t i) const { return elements_[i]; }
  int64_t size() const { return rows_ * columns_; }

  bool is_finite() const;
  Real Frobenius() const;

 private:
  int64_t rows_ = 0, columns_ = 0;
  std::vector<Number> elements_;
};

Matrix Adjoint(const Matrix& a);
Matrix operator*(const Matrix& a, const Matrix& b);
void SwapRows(Matrix& a, int64_t i, int64_t j);
void SwapColumns(Matrix& a, int64_t i, int64_t j);
// Columns p and q become c p - s conj(phase) q and s p + c conj(phase) q.
void RotateColumns(Matrix& a, int64_t p, int64_t q, const Real& c, const Real& s,
                   const Number& phase);
// Multiplies a column so that its first element of greatest magnitude is real and positive: what
// golden chooses where sign and phase are free.
void FixPhase(Matrix& a, int64_t column);
// Parts that are nothing beside `scale` become zero: what an exact zero leaves after iterations.
void DropNoise(Matrix& a, const Real& scale);

}  // namespace assay::custom_calls

#endif  // ASSAY_INTERPRETER_CUSTOM_CALLS_MATRIX_H_
