// gather: out[o] = operand[full], where full is the start vector of the batch index G, clamped so
// that the slice fits, plus the batch index in batching dimensions, plus the offset in the window.
// Source: ops_structural.md 4.1.
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/start_indices.h"
#include "spec/element/index_value.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::evaluator {
namespace {

// Component k of the start vector at G: start_indices[G with k inserted at index_vector_dim].
absl::StatusOr<int64_t> Start(const Instruction& gather, const GatherDimensions& dims, Index G,
                              int64_t k, OperandElements& operands) {
  Dimensions at(G.begin(), G.end());
  if (!dims.implied_index_vector) at.insert(at.begin() + dims.index_vector_dim, k);
  absl::StatusOr<Element> index = operands.At(1, at);
  if (!index.ok()) return index.status();
  return IndexValue(OperandType(gather, 1), *index);
}

}  // namespace

DefinitionOr DefineGather(const Instruction& gather) {
  return DefineElement(
      [&gather, dims = GatherDimensionsOf(gather)](Index o, OperandElements& operands,
                                                   EvaluationContext&) -> absl::StatusOr<Element> {
        const Shape& operand = OperandShape(gather, 0);
        const Dimensions G = SizesOf(o, dims.batch);
        Dimensions full(operand.rank(), 0);
        for (size_t k = 0; k < dims.start_index_map.size(); ++k) {
          const int64_t d = dims.start_index_map[k];
          absl::StatusOr<int64_t> start = Start(gather, dims, G, k, operands);
          if (!start.ok()) return start.status();
          full[d] = ClampStart(*start, operand.dimension(d) - dims.slice_sizes[d]);
        }
        for (size_t j = 0; j < dims.operand_batching.size(); ++j) {
          full[dims.operand_batching[j]] += G[dims.batch_position[j]];
        }
        for (size_t k = 0; k < dims.window.size(); ++k) full[dims.window[k]] += o[dims.offset[k]];
        for (int64_t d = 0; d < operand.rank(); ++d) {
          // A slice of size 0 in a collapsed or batching dimension: nothing to read.
          if (full[d] >= operand.dimension(d)) {
            return absl::InvalidArgumentError(absl::StrCat(
                "gather: the result has elements but slice size 0 leaves nothing to read: ",
                gather.Describe()));
          }
        }
        return operands.At(0, full);
      });
}

}  // namespace assay::evaluator
