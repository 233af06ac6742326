// Rows of one array times a matrix of the other, element types of any class: what dot and
// convolution come down to. Floats are exact sums of exact products rounded once, integers wrap.
// Source: reference ops_structural.md 7.2, 8. Tests: contraction_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_CONTRACTION_H_
#define ASSAY_EVALUATOR_KERNELS_CONTRACTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/real/rounded_sum.h"

namespace assay::kernels {

// Which arithmetic the element types ask for.
struct ContractionTypes {
  enum class Way : uint8_t { kFloat, kComplex, kInteger32, kInteger64, kPred };
  ElementType lhs, rhs, result;
  Way way;
  FactorWidth width;

  // Nullopt where operands and result are of different classes.
  static std::optional<ContractionTypes> For(ElementType lhs, ElementType rhs, ElementType result);
};

// A decoded matrix with n rows and some columns. Kept for one run.
class DecodedMatrix {
 public:
  explicit DecodedMatrix(const ContractionTypes& types) : types_(types) {}

  // Bytes that Set takes for a matrix of this size, and Multiply for the rows decoded at once.
  static int64_t BytesFor(const ContractionTypes& types, int64_t n, int64_t columns);
  // Element (k, j) is raw[k * row_stride + j], of the rhs type.
  void Set(const std::byte* raw, int64_t row_stride, int64_t n, int64_t columns);
  // The rows of `from` in these groups of neighbouring rows alone.
  void SelectRows(const DecodedMatrix& from, absl::Span<const int64_t> groups,
                  int64_t rows_per_group);
  // out[r * out_row + j * out_column] = sum over k of rows[r * n + k] * matrix(k, j); strides count
  // elements of the result type.
  absl::Status Multiply(const std::byte* rows, int64_t row_count, std::byte* out, int64_t out_row,
                        int64_t out_column, Meter& meter);

 private:
  // Floats: panels of so many columns one after the other, each [n][width]; the last is narrower.
  static constexpr int64_t kPanel = 8;

  // The parts of a complex product: 2n rows against interleaved (re, im) factors.
  int64_t rows_per_element() const { return types_.way == ContractionTypes::Way::kComplex ? 2 : 1; }
  bool floating() const {
    return types_.way == ContractionTypes::Way::kFloat ||
           types_.way == ContractionTypes::Way::kComplex;
  }
  void SetFloats(const std::byte* raw, int64_t row_stride);
  void SetIntegers(const std::byte* raw, int64_t row_stride);
  void MultiplyFloats(const std::byte* rows, int64_t row_count, std::byte* out, int64_t out_row,
                      int64_t out_column);
  template <typename T>
  void MultiplyIntegers(const std::vector<T>& matrix, const std::byte* rows, int64_t row_count,
                        std::byte* out, int64_t out_row, int64_t out_column);

  ContractionTypes types_;
  int64_t n_ = 0;
  int64_t columns_ = 0;
  std::vector<double> real_, imaginary_;  // what gives the real and the imaginary part
  std::vector<uint32_t> narrow_;          // integers [n][columns], as the result's width needs
  std::vector<uint64_t> wide_;
  std::vector<double> row_values_;
};

}  // namespace assay::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_CONTRACTION_H_
