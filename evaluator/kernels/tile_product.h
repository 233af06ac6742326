// One tile of a contraction: some rows of lhs times some columns of rhs, element types of any
// class. Floats are exact sums of exact products rounded once, integers wrap.
//
// The contracted index comes whole or in parts. Parts carry a small sum per element of the tile;
// where that does not decide a rounding, the parts have to come once more.
// Source: reference ops_structural.md 7.2, 8. Tests: contraction_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_TILE_PRODUCT_H_
#define ASSAY_EVALUATOR_KERNELS_TILE_PRODUCT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/real/exact_sum.h"
#include "evaluator/real/rounded_sum.h"

namespace assay::evaluator::kernels {

// The arithmetic that the element types need.
struct ContractionTypes {
  enum class Way : uint8_t { kFloat, kComplex, kInteger32, kInteger64, kPred };
  ElementType lhs, rhs, result;
  Way way;
  FactorWidth width;

  // Returns nullopt if operands and result belong to different classes.
  static std::optional<ContractionTypes> For(ElementType lhs, ElementType rhs, ElementType result);
  bool floating() const { return way == Way::kFloat || way == Way::kComplex; }
};

// Elements of an operand in a block: row r begins at data + r * stride elements.
struct Block {
  const std::byte* data;
  int64_t stride;
};

class TileProduct {
 public:
  // Element (r, j) of the tile goes to data + rows[r] + j * column_stride elements.
  struct Results {
    std::byte* data;
    absl::Span<const int64_t> rows;
    int64_t column_stride;
  };

  explicit TileProduct(const ContractionTypes& types) : types_(types) {}

  // The bytes of so many decoded factors, and of the partial sums of so many elements.
  static int64_t BytesFor(const ContractionTypes& types, int64_t column_factors,
                          int64_t row_factors, int64_t sums);

  // Sets the columns: row k of the block has the k-th factor of each.
  void SetColumns(const Block& block, int64_t n, int64_t columns);
  // The columns have the whole contracted index: every row of the block, times them, is a result.
  void Multiply(const Block& block, const Results& results);

  // In parts: Start, then SetColumns and AddPart for each, then Finish.
  void Start(int64_t rows, int64_t columns);
  void AddPart(const Block& block);
  void Finish(const Results& results);
  // While there are undecided elements, those taken get all parts again, then Finish.
  bool TakeUndecided();
  void AddPartExactly(const Block& block);
  void FinishExactly(const Results& results);
  int64_t taken() const { return static_cast<int64_t>(exact_.size()) / parts(); }

 private:
  struct Place {
    int64_t row, column;
  };
  // Floats: panels of so many columns one after the other, each [n][width]; the last is narrower.
  static constexpr int64_t kPanel = 8;

  // The parts of a complex product: 2n factors of a row against interleaved (re, im) ones.
  int64_t parts() const { return types_.way == ContractionTypes::Way::kComplex ? 2 : 1; }
  int64_t width(int64_t first) const { return std::min(kPanel, columns_ - first); }
  const double* Panel(int64_t part, int64_t first) const {
    return (part == 0 ? real_ : imaginary_).data() + first * parts() * n_;
  }
  void SetFloats(const Block& block);
  void SetFloatRow(int64_t k, const double* row);
  void SetIntegers(const Block& block);
  void DecodeRows(const Block& block, int64_t rows);
  void MultiplyFloats(const Block& block, const Results& results);
  // Whole panels of the first rows, by tiles of several rows; returns how many rows they are.
  int64_t MultiplyTiles(const Results& results);
  void StoreRow(int64_t r, int64_t first, int64_t width, const uint64_t* bits,
                const Results& results) const;
  template <typename T>
  void MultiplyIntegers(const std::vector<T>& matrix, const Block& block, const Results& results);
  // sums[j] += the row's factors times column j.
  template <typename T>
  void AddIntegerRow(const std::vector<T>& matrix, const std::byte* row, T* sums);
  template <typename T>
  void StoreIntegers(const T* sums, int64_t r, const Results& results) const;
  void StoreFloat(int64_t r, int64_t j, const uint64_t* bits, const Results& results) const;

  ContractionTypes types_;
  int64_t n_ = 0;
  int64_t columns_ = 0;
  int64_t rows_ = 0;                      // in parts
  std::vector<double> real_, imaginary_;  // what gives the real and the imaginary part
  std::vector<uint32_t> narrow_;          // integers [n][columns], as the result's width needs
  std::vector<uint64_t> wide_;
  std::vector<double> row_values_;
  std::vector<uint64_t> row_integers_;
  // In parts: [row][part][column].
  std::vector<PartialSum> sums_;
  std::vector<uint32_t> narrow_sums_;
  std::vector<uint64_t> wide_sums_;
  std::vector<Place> undecided_;
  size_t done_ = 0;              // of undecided_
  std::vector<ExactSum> exact_;  // [taken][part], of undecided_ from done_ on
};

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_TILE_PRODUCT_H_
