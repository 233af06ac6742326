// Which kernel an instruction has. Where a family has none for the element types (mixed float
// types, physical layouts, ...) the definition runs element by element, so that everything that has
// a definition runs. Tests: kernels_test.cc.
#include <utility>

#include "evaluator/kernels/kernel.h"

namespace assay {
namespace {

using PrepareFunction = kernels::KernelOrNull (*)(const Instruction&);

PrepareFunction FindFamily(const Instruction& instruction) {
  if (instruction.info().elementwise()) return kernels::PrepareElementwise;
  switch (instruction.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
      return kernels::PrepareBitcast;
    case Opcode::kBroadcast:
      return kernels::PrepareBroadcast;
    case Opcode::kConcatenate:
      return kernels::PrepareConcatenate;
    case Opcode::kConstant:
      return kernels::PrepareConstant;
    case Opcode::kConvolution:
      return kernels::PrepareConvolution;
    case Opcode::kCopy:
    case Opcode::kReshape:
      return kernels::PrepareCopy;
    case Opcode::kDot:
      return kernels::PrepareDot;
    case Opcode::kDynamicSlice:
      return kernels::PrepareDynamicSlice;
    case Opcode::kDynamicUpdateSlice:
      return kernels::PrepareDynamicUpdateSlice;
    case Opcode::kGather:
      return kernels::PrepareGather;
    case Opcode::kIota:
      return kernels::PrepareIota;
    case Opcode::kMap:
      return kernels::PrepareMap;
    case Opcode::kPad:
      return kernels::PreparePad;
    case Opcode::kReduce:
      return kernels::PrepareReduce;
    case Opcode::kReduceWindow:
      return kernels::PrepareReduceWindow;
    case Opcode::kReverse:
      return kernels::PrepareReverse;
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
  const PrepareFunction family = FindFamily(instruction);
  if (family != nullptr && HasArrayOperands(instruction)) {
    kernels::KernelOrNull kernel = family(instruction);
    if (!kernel.ok() || *kernel != nullptr) return kernel;
  }
  return PrepareStraight(instruction);
}

}  // namespace assay
