// Selects the kernel of an instruction. If its family has none for the element types (mixed float
// types, physical layouts, ...) the definition runs element by element, so that every operation
// with a definition runs. Tests: kernels_test.cc.
#include <utility>

#include "evaluator/kernels/converted_operands.h"
#include "evaluator/kernels/kernel.h"

namespace assay::evaluator {
namespace {

using PrepareFunction = kernels::KernelOrNull (*)(const Instruction&);
using PrepareViewFunction = kernels::KernelOrNull (*)(const Instruction&, absl::Span<const View>);

// The families that read operands through views.
PrepareViewFunction FindViewFamily(const Instruction& instruction) {
  if (instruction.info().elementwise()) return kernels::PrepareElementwise;
  if (instruction.opcode() == Opcode::kReduce) return kernels::PrepareReduce;
  if (instruction.opcode() == Opcode::kDot) return kernels::PrepareDot;
  return nullptr;
}

PrepareFunction FindFamily(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return kernels::PrepareBatchNorm;
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
      return kernels::PrepareBitcast;
    case Opcode::kBroadcast:
      return kernels::PrepareBroadcast;
    case Opcode::kCholesky:
      return kernels::PrepareCholesky;
    case Opcode::kConcatenate:
      return kernels::PrepareConcatenate;
    case Opcode::kConstant:
      return kernels::PrepareConstant;
    case Opcode::kConvolution:
      return kernels::PrepareConvolution;
    case Opcode::kCopy:
    case Opcode::kReshape:
      return kernels::PrepareCopy;
    case Opcode::kDynamicSlice:
      return kernels::PrepareDynamicSlice;
    case Opcode::kDynamicUpdateSlice:
      return kernels::PrepareDynamicUpdateSlice;
    case Opcode::kFft:
      return kernels::PrepareFft;
    case Opcode::kGather:
      return kernels::PrepareGather;
    case Opcode::kIota:
      return kernels::PrepareIota;
    case Opcode::kMap:
      return kernels::PrepareMap;
    case Opcode::kPad:
      return kernels::PreparePad;
    case Opcode::kRaggedDot:
      return kernels::PrepareRaggedDot;
    case Opcode::kReduceWindow:
      return kernels::PrepareReduceWindow;
    case Opcode::kReverse:
      return kernels::PrepareReverse;
    case Opcode::kRngBitGenerator:
      return kernels::PrepareRandomBits;
    case Opcode::kScaledDot:
      return kernels::PrepareScaledDot;
    case Opcode::kScan:
      return kernels::PrepareScan;
    case Opcode::kScatter:
      return kernels::PrepareScatter;
    case Opcode::kSelectAndScatter:
      return kernels::PrepareSelectAndScatter;
    case Opcode::kSlice:
      return kernels::PrepareSlice;
    case Opcode::kSort:
      return kernels::PrepareSort;
    case Opcode::kTopK:
      return kernels::PrepareTopK;
    case Opcode::kTranspose:
      return kernels::PrepareTranspose;
    case Opcode::kTriangularSolve:
      return kernels::PrepareTriangularSolve;
    default:
      return nullptr;
  }
}

// Kernels work on dense arrays; a tuple that is copied whole is for the definition to refuse.
bool HasArrayOperands(const Instruction& instruction) {
  for (const Instruction* operand : instruction.operands()) {
    if (!operand->shape().is_array() || operand->shape().is_dynamic()) return false;
  }
  return !instruction.shape().is_dynamic();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Kernel>> PrepareKernel(const Instruction& instruction) {
  if (HasArrayOperands(instruction)) {
    const PrepareViewFunction view_family = FindViewFamily(instruction);
    const PrepareFunction family = FindFamily(instruction);
    kernels::KernelOrNull kernel = nullptr;
    if (view_family != nullptr) {
      kernel = view_family(instruction, {});
    } else if (family != nullptr) {
      kernel = family(instruction);
    }
    if (kernel.ok() && *kernel == nullptr) kernel = kernels::PrepareOnConverted(instruction);
    if (!kernel.ok() || *kernel != nullptr) return kernel;
  }
  return PrepareStraight(instruction);
}

absl::StatusOr<std::unique_ptr<Kernel>> PrepareKernelOnViews(const Instruction& instruction,
                                                             absl::Span<const View> views) {
  const PrepareViewFunction family = FindViewFamily(instruction);
  if (family == nullptr || !HasArrayOperands(instruction)) return nullptr;
  return family(instruction, views);
}

}  // namespace assay::evaluator
