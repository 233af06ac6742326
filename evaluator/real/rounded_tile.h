// Dots of several rows with several columns at once, each the exact sum rounded once: the quick
// phase of rounded_sum.h without the sums of magnitudes, for which the lengths of rows and columns
// stand. Tests: rounded_sum_test.cc, contraction_kernels_test.cc of evaluator/kernels.
#ifndef ASSAY_EVALUATOR_REAL_ROUNDED_TILE_H_
#define ASSAY_EVALUATOR_REAL_ROUNDED_TILE_H_

#include <cstdint>

#include "spec/element/element_type.h"

namespace assay::evaluator {

inline constexpr int64_t kDotTileRows = 4, kDotTileColumns = 8;

// Whether RoundedDotTile() is worth its preparations: for dots of n terms whose factors have at
// most 32 bits.
bool IsDotTileQuick(ElementType result, int64_t n);
// The Euclidean lengths of a row and of the columns of b, [n][kDotTileColumns].
double DotLength(const double* x, int64_t n);
void DotLengths(const double* b, int64_t n, double* lengths);

// out[r * kDotTileColumns + j] is the pattern of row r times column j. Factors are those of types
// of at most 32 bits; row r begins at a + r * stride_a, and b is [n][kDotTileColumns]. The lengths
// are those of the rows and of the columns.
void RoundedDotTile(ElementType result, const double* a, int64_t stride_a,
                    const double* row_lengths, const double* b, const double* column_lengths,
                    int64_t n, uint64_t* out);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_REAL_ROUNDED_TILE_H_
