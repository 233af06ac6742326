// Contractions of two views, by which dot and convolution are computed. The contracted index, rows
// and columns are split into tiles of bounded size, so that scratch does not grow with operands.
// Source: reference ops_structural.md 7.2, 7.4, 8. Tests: contraction_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_CONTRACTION_H_
#define ASSAY_EVALUATOR_KERNELS_CONTRACTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/tile_product.h"
#include "runtime/scratch.h"
#include "runtime/view_reader.h"
#include "spec/views/odometer.h"
#include "spec/views/view.h"

namespace assay::evaluator::kernels {

// The strides of the result, in elements.
struct ContractionStrides {
  Dimensions batch, rows;
  int64_t column;  // from one column to the next, in row-major order of theirs
};

// What multiplies the elements of an operand before they meet the other: one scale for each block.
// The product of an element and its scale, of up to 32 bits each, is a double; ContractionTypes
// therefore has the operand as f64.
struct BlockScales {
  int64_t source;                // of the scales, among the arrays of a run
  ElementType elements, scales;  // as they are stored
  Dimensions blocks;             // elements of the operand in a block, by dimension of its view
  Dimensions strides;            // of the scales, from one block to the next

  // Decodes the elements of a box of the operand and multiplies each by its scale.
  void Apply(runtime::Sources operands, absl::Span<const int64_t> starts,
             absl::Span<const int64_t> counts, const std::byte* elements, double* out) const;
};

class Contraction {
 public:
  // lhs is [batch][rows][contracted], rhs [batch][contracted][columns], each any number of
  // dimensions: `batch` and `contracted` say how many.
  Contraction(const ContractionTypes& types, const View& lhs, const View& rhs, int64_t batch,
              int64_t contracted, ContractionStrides strides,
              std::optional<BlockScales> lhs_scales = std::nullopt,
              std::optional<BlockScales> rhs_scales = std::nullopt);

  // The scratch of a contraction of at most these sizes, on views whose elements have to be copied,
  // and scaled if there are scales.
  static int64_t MostScratch(const ContractionTypes& types, int64_t rows, int64_t contracted,
                             int64_t columns, bool scaled = false);

  // Scratch that runs of contractions share instead of allocating it each time: one block for every
  // thread that computes at a time.
  class Rooms {
   public:
    // `bytes`: what a room is counted with (MostScratch).
    Rooms(const ContractionTypes& types, int64_t bytes) : types_(types), bytes_(bytes) {}

   private:
    friend class Contraction;
    struct Room {
      Room(const ContractionTypes& types, EvaluationContext& context)
          : tile(types), lease(context) {}
      TileProduct tile;
      std::vector<std::byte> lhs, rhs;
      std::vector<std::byte> unscaled;
      absl::InlinedVector<int64_t, 32> rows;
      runtime::ScratchLease lease;
    };
    using RoomPtr = std::unique_ptr<Room>;
    // Returns RESOURCE_EXHAUSTED if the bytes exceed the budget.
    absl::StatusOr<RoomPtr> Take(EvaluationContext& context);
    void Return(RoomPtr room);

    const ContractionTypes& types_;
    const int64_t bytes_;
    std::mutex mutex_;
    std::vector<RoomPtr> free_;  // guarded by mutex_
  };
  absl::Status Run(runtime::Sources operands, std::byte* out, Rooms& rooms,
                   EvaluationContext& context) const;

 private:
  class Runner;

  struct Operand {
    Operand(const View& view, ElementType type, std::optional<BlockScales> scales);
    runtime::ViewReader reader;
    std::optional<BlockScales> scales;
  };

  Odometer<1>::Loops BatchLoops() const;

  ContractionTypes types_;
  ContractionStrides strides_;
  Operand lhs_, rhs_;
  Dimensions batch_, rows_, contracted_, columns_;
  int64_t row_count_, contracted_count_, column_count_;
  bool empty_;
};

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_CONTRACTION_H_
