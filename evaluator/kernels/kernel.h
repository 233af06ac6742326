// The interface of the families of kernels: preparation, and the metering of long runs.
//
// A prepared kernel has every size, stride, table and program worked out; Run only reads operands
// and writes results. Its caller holds a FloatEnvironmentGuard, and operands hold canonical storage
// (surplus high bits of sub-byte elements zero, pred 0 or 1), as StoreElement leaves it.
// Tests: kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_KERNEL_H_
#define ASSAY_EVALUATOR_KERNELS_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/evaluator.h"
#include "spec/element/element.h"
#include "spec/element/element_type.h"
#include "spec/ir/module.h"
#include "spec/views/view.h"

namespace assay::evaluator::kernels {

// Returns null if the family has no kernel for these types; the definition runs the instruction.
using KernelOrNull = absl::StatusOr<std::unique_ptr<Kernel>>;

// These read operands that are views: `views` says where the elements of each operand are among the
// arrays of a run; without views array k is operand k.
KernelOrNull PrepareElementwise(const Instruction& instruction, absl::Span<const View> views = {});
KernelOrNull PrepareReduce(const Instruction& instruction, absl::Span<const View> views = {});
KernelOrNull PrepareDot(const Instruction& instruction, absl::Span<const View> views = {});

KernelOrNull PrepareBroadcast(const Instruction& instruction);
KernelOrNull PrepareCopy(const Instruction& instruction);  // copy, reshape
KernelOrNull PrepareTranspose(const Instruction& instruction);
KernelOrNull PrepareSlice(const Instruction& instruction);
KernelOrNull PrepareReverse(const Instruction& instruction);
KernelOrNull PreparePad(const Instruction& instruction);
KernelOrNull PrepareConcatenate(const Instruction& instruction);
KernelOrNull PrepareIota(const Instruction& instruction);
KernelOrNull PrepareConstant(const Instruction& instruction);
KernelOrNull PrepareBitcast(const Instruction& instruction);  // bitcast, bitcast-convert
KernelOrNull PrepareDynamicSlice(const Instruction& instruction);
KernelOrNull PrepareDynamicUpdateSlice(const Instruction& instruction);
KernelOrNull PrepareGather(const Instruction& instruction);
KernelOrNull PrepareScan(const Instruction& instruction);
KernelOrNull PrepareScatter(const Instruction& instruction);
KernelOrNull PrepareReduceWindow(const Instruction& instruction);
KernelOrNull PrepareSelectAndScatter(const Instruction& instruction);
KernelOrNull PrepareMap(const Instruction& instruction);
KernelOrNull PrepareSort(const Instruction& instruction);
KernelOrNull PrepareTopK(const Instruction& instruction);
KernelOrNull PrepareConvolution(const Instruction& instruction);
KernelOrNull PrepareRaggedDot(const Instruction& instruction);
KernelOrNull PrepareScaledDot(const Instruction& instruction);
KernelOrNull PrepareRandomBits(const Instruction& instruction);
KernelOrNull PrepareBatchNorm(const Instruction& instruction);  // training, inference, grad
KernelOrNull PrepareCholesky(const Instruction& instruction);
KernelOrNull PrepareTriangularSolve(const Instruction& instruction);
KernelOrNull PrepareFft(const Instruction& instruction);

using runtime::Blocks;
using runtime::GrainFor;
using runtime::LoadAt;
using runtime::ParallelFor;
using runtime::StorageBytes;
using runtime::StoreAt;
using runtime::WithStorage;

// Charges a budget in portions and counts the elements that stay undecided.
class Meter : public runtime::Meter {
 public:
  explicit Meter(EvaluationContext& context) : runtime::Meter(context), context_(context) {}
  // Undecided elements of this result, leaf `leaf` of the instruction's, are noted where they stand
  // too.
  Meter(EvaluationContext& context, const MutableArrayRef& result, int64_t leaf = 0)
      : runtime::Meter(context), context_(context), result_(result), leaf_(leaf) {}
  void set_result(const MutableArrayRef& result, int64_t leaf) {
    result_ = result;
    leaf_ = leaf;
  }

  // An element at `address` of the result lies between the patterns.
  void NoteUndecided(const std::byte* address, const Element& low, const Element& high) {
    ++context_.real_stats.decided[static_cast<int>(RealTier::kUndecided)];
    if (context_.undecided == nullptr || result_.data == nullptr) return;
    // The first undecided elements of one thread, whose blocks come in order.
    constexpr size_t kMostNoted = 1000;
    if (context_.undecided->size() >= kMostNoted) return;
    const int64_t position = (address - result_.data) / StorageBytes(result_.shape->element_type());
    context_.undecided->push_back({position, low, high, leaf_});
  }

 private:
  EvaluationContext& context_;
  MutableArrayRef result_;
  int64_t leaf_ = 0;
};

// The iterations of the following loop are independent, although its result may lie in the storage
// of an operand (element by element, then).
#if defined(__clang__)
#define ASSAY_INDEPENDENT_TURNS _Pragma("clang loop vectorize(assume_safety)")
#else
#define ASSAY_INDEPENDENT_TURNS _Pragma("GCC ivdep")
#endif

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_KERNEL_H_
