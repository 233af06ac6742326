// Products of matrices over the elements of arrays: result[b, r, c] = sum over k of lhs[b, r, k] *
// rhs[b, k, c], each index an axis of its array (axis.h). Both factors are widened while they are
// packed into panels. Tiles of the result are computed in registers (tiles.h). Large products share
// the blocks of the result among the threads of the context. Blocks depend only on the sizes, so
// the result has the same bits for any number of threads. Tests: contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_PRODUCT_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_PRODUCT_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "backends/cpu/contract/axis.h"
#include "backends/cpu/contract/tiles.h"
#include "runtime/context.h"
#include "spec/element/element_type.h"

namespace assay::cpu {

struct Factor {
  ElementType type;
  Axis outer;  // rows of lhs, columns of rhs
  Axis depth;  // the contracted positions
  Axis batch;
};

// All types are floats, or integers and pred, or complex (axes then count complex numbers). Axes of
// the same index have equal sizes.
struct Product {
  Factor lhs;
  Factor rhs;
  ElementType result_type;
  Axis result_rows;
  Axis result_columns;
  Axis result_batch;

  bool is_complex() const { return IsComplex(result_type); }
};

// Writes every element of the result. Pointers are those of the elements at offset 0. Charges a
// step for each product.
absl::Status Multiply(const Product& product, const std::byte* lhs, const std::byte* rhs,
                      std::byte* result, runtime::Context& context,
                      const Tiles& tiles = BestTiles());

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_PRODUCT_H_
