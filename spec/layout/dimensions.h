// How the dimensions of an array are spoken of: true rank, the letters of small ranks, numbers that
// count from the end. Source: reference ops_structural.md 1.1 (the document "Shapes and Layout").
// Tests: seed001_test.cc.
#ifndef ASSAY_SPEC_LAYOUT_DIMENSIONS_H_
#define ASSAY_SPEC_LAYOUT_DIMENSIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/ir/shape.h"

namespace assay {

// The number of dimensions whose size is greater than 1.
int64_t TrueRank(const Shape& array);

// The dimension that `number` means: 0 to rank - 1, or -1 (the last) to -rank. INVALID_ARGUMENT
// otherwise. Attributes of operations never count from the end; utilities may.
absl::StatusOr<int64_t> DimensionNumber(int64_t number, int64_t rank);

// y, x at rank 2; z, y, x at rank 3; p, z, y, x at rank 4; empty otherwise.
absl::string_view DimensionLetter(int64_t dimension, int64_t rank);

// The size of a dimension, counted from the end if negative.
absl::StatusOr<int64_t> SizeOfDimension(const Shape& array, int64_t number);

}  // namespace assay

#endif  // ASSAY_SPEC_LAYOUT_DIMENSIONS_H_
