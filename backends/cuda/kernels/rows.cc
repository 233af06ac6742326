// The table of operations that have kernels (kernel_table.h).
#include <vector>

#include "backends/cuda/kernel_table.h"
#include "backends/cuda/kernels/lowering.h"

namespace assay::cuda {
namespace {

std::vector<KernelRow> AllRows() {
  std::vector<KernelRow> rows = {
      {Opcode::kBatchNormGrad, PrepareBatchNorm},
      {Opcode::kBatchNormInference, PrepareBatchNorm},
      {Opcode::kBatchNormTraining, PrepareBatchNorm},
      {Opcode::kBitcast, PrepareBitcast},
      {Opcode::kBitcastConvert, PrepareBitcast},
      {Opcode::kBroadcast, PrepareMove},
      {Opcode::kCholesky, PrepareCholesky},
      {Opcode::kConcatenate, PrepareMove},
      {Opcode::kConvolution, PrepareConvolution},
      {Opcode::kCopy, PrepareMove},
      {Opcode::kDot, PrepareDot},
      {Opcode::kDynamicSlice, PrepareDynamicSlice},
      {Opcode::kDynamicUpdateSlice, PrepareDynamicUpdateSlice},
      {Opcode::kFft, PrepareFft},
      {Opcode::kGather, PrepareGather},
      {Opcode::kIota, PrepareIota},
      {Opcode::kMap, PrepareMap},
      {Opcode::kPad, PrepareMove},
      {Opcode::kRaggedDot, PrepareDot},
      {Opcode::kReduce, PrepareReduce},
      {Opcode::kReduceWindow, PrepareReduceWindow},
      {Opcode::kReshape, PrepareMove},
      {Opcode::kReverse, PrepareMove},
      {Opcode::kRngBitGenerator, PrepareRngBitGenerator},
      {Opcode::kScaledDot, PrepareDot},
      {Opcode::kScan, PrepareScan},
      {Opcode::kScatter, PrepareScatter},
      {Opcode::kSelectAndScatter, PrepareSelectAndScatter},
      {Opcode::kSlice, PrepareMove},
      {Opcode::kSort, PrepareSort},
      {Opcode::kTopK, PrepareTopK},
      {Opcode::kTranspose, PrepareMove},
      {Opcode::kTriangularSolve, PrepareTriangularSolve},
  };
  for (const OpInfo& info : Catalogue()) {
    if (info.elementwise()) rows.push_back({info.opcode, PrepareElementwise, true});
  }
  return rows;
}

}  // namespace

absl::Span<const KernelRow> KernelRows() {
  static const auto& rows = *new std::vector<KernelRow>(AllRows());
  return rows;
}

}  // namespace assay::cuda
