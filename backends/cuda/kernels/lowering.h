// Helpers for preparing launches: rows of types, programs from flat regions, boxes and strides from
// shapes, sizes of grids. Tests: kernel_elements_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_LOWERING_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_LOWERING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/cuda/kernel_table.h"
#include "backends/cuda/kernels/parameters.h"
#include "spec/analysis/flat_region.h"
#include "spec/analysis/mixed_move.h"
#include "spec/analysis/reducer.h"
#include "spec/ir/module.h"
#include "spec/views/view.h"

namespace assay::cuda {

// Returns UNIMPLEMENTED: "the cuda backend has no kernel for WHAT: INSTRUCTION".
absl::Status Unsupported(const Instruction& instruction, absl::string_view what);

ElementRow RowOf(ElementType type);
inline ElementRow RowOf(const Shape& array) { return RowOf(array.element_type()); }
inline int64_t BytesOf(const Shape& array) { return RowOf(array).bytes; }
// Returns the step of an elementwise instruction, without its registers.
absl::StatusOr<Step> StepOf(const Instruction& instruction);

// Returns UNIMPLEMENTED for more than kMostDimensions, and OUT_OF_RANGE for sizes beyond 62 bits.
absl::StatusOr<Box> BoxOf(const Instruction& instruction, absl::Span<const int64_t> sizes);
Strides StridesOf(absl::Span<const int64_t> strides, int64_t offset = 0);
Strides DenseStrides(absl::Span<const int64_t> sizes);

// Returns the grid of a loop over `count` elements with `threads` threads in a block.
Extent BlocksFor(int64_t count, int64_t threads, int64_t elements_per_thread = 4);
// Returns the number of threads in a block. It is not larger than a small loop.
int64_t ThreadsFor(int64_t count, int64_t most = 128);

// A program among the constants of a plan, and how its kernel is launched.
struct PlacedProgram {
  Program program;
  Extent blocks, threads;
  int64_t shared_bytes = 0;
  // The arrays that the program's pointers refer to; scratch only if its registers are there.
  BufferUse code;
  bool has_registers_memory = false;
  BufferUse registers_memory;
};
// Places the program of a region for a loop over `count` elements. `threads` is the number of
// threads in a block for kernels that need a fixed one, or 0.
PlacedProgram Place(const analysis::FlatRegion& region, int64_t count, KernelPlan& plan,
                    const Instruction& instruction, absl::Status& status, int64_t threads = 0);
// Returns a region of one instruction on scalars.
absl::StatusOr<analysis::FlatRegion> RegionOfInstruction(const Instruction& instruction);
// Returns a program without steps, whose results are its inputs.
analysis::FlatRegion EmptyRegion();
// Adds the program's pointers to those of a launch.
void AddPointers(const Program& member, const PlacedProgram& placed,
                 std::vector<MemberPointer>& pointers);

// Returns the fold of a recognised reducer, or kProgram for any other.
Fold FoldOf(const analysis::Reducer& reducer, ElementType type);
// The type in which a computation accumulates array k.
ElementType AccumulatorType(const Computation& reducer, int64_t k);

// Add scratch memory and constants to a plan.
BufferUse AddScratch(KernelPlan& plan, int64_t bytes);
BufferUse AddConstant(KernelPlan& plan, std::vector<std::byte> bytes);

// Appends the launches, scratch memory and constants of a part of a plan. `place` gives the arrays
// that are operands and results of the part.
void AppendPart(KernelPlan part, absl::FunctionRef<BufferUse(const BufferUse& use)> place,
                KernelPlan& plan);

// Copies the elements of an array or of a view in row-major order.
struct CopyLoop {
  int64_t size, from, to;
};
absl::Status AddCopy(KernelPlan& plan, const Instruction& instruction, int64_t bytes,
                     BufferUse from, int64_t from_offset, BufferUse to, int64_t to_offset,
                     std::vector<CopyLoop> loops);
absl::Status AddDenseCopy(KernelPlan& plan, const Instruction& instruction, int64_t bytes,
                          int64_t count, BufferUse from, BufferUse to);
// Adds a copy of the view's elements to a dense row-major array.
absl::Status AddViewCopy(KernelPlan& plan, const Instruction& instruction, int64_t bytes,
                         const View& view, BufferUse to);

// The families.
KernelPlanOr PrepareElementwise(const Instruction& instruction, absl::Span<const View> views);
KernelPlanOr PrepareMap(const Instruction& map, absl::Span<const View> views);
KernelPlanOr PrepareMove(const Instruction& move, absl::Span<const View> views);
// An operation on several float types (analysis::SplitMixedMove).
KernelPlanOr PrepareMixedMove(const analysis::MixedMove& split);
KernelPlanOr PrepareBitcast(const Instruction& cast, absl::Span<const View> views);
KernelPlanOr PrepareIota(const Instruction& iota, absl::Span<const View> views);
KernelPlanOr PrepareDynamicSlice(const Instruction& slice, absl::Span<const View> views);
KernelPlanOr PrepareDynamicUpdateSlice(const Instruction& update, absl::Span<const View> views);
KernelPlanOr PrepareGather(const Instruction& gather, absl::Span<const View> views);
KernelPlanOr PrepareScatter(const Instruction& scatter, absl::Span<const View> views);
KernelPlanOr PrepareReduce(const Instruction& reduce, absl::Span<const View> views);
KernelPlanOr PrepareReduceWindow(const Instruction& reduce, absl::Span<const View> views);
KernelPlanOr PrepareSelectAndScatter(const Instruction& scatter, absl::Span<const View> views);
KernelPlanOr PrepareScan(const Instruction& scan, absl::Span<const View> views);
KernelPlanOr PrepareSort(const Instruction& sort, absl::Span<const View> views);
KernelPlanOr PrepareTopK(const Instruction& topk, absl::Span<const View> views);
KernelPlanOr PrepareDot(const Instruction& dot, absl::Span<const View> views);
KernelPlanOr PrepareConvolution(const Instruction& convolution, absl::Span<const View> views);
KernelPlanOr PrepareFft(const Instruction& fft, absl::Span<const View> views);
KernelPlanOr PrepareCholesky(const Instruction& cholesky, absl::Span<const View> views);
KernelPlanOr PrepareTriangularSolve(const Instruction& solve, absl::Span<const View> views);
KernelPlanOr PrepareBatchNorm(const Instruction& batch_norm, absl::Span<const View> views);
KernelPlanOr PrepareRngBitGenerator(const Instruction& generator, absl::Span<const View> views);

// Adds a sort of the elements of lines by unsigned keys. Returns the buffer with the order: 64-bit
// element numbers, line after line.
BufferUse AddKeySort(KernelPlan& plan, BufferUse keys, int64_t lines, int64_t length,
                     int64_t inner);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_LOWERING_H_
