// Straight lines of operations over arrays. Tests: native_test.cc.
#include <memory>
#include <utility>

#include "backends/cpu/vector/native/native_frame.h"
#include "runtime/processor.h"

namespace assay::cpu {
namespace native {
namespace {

// Null where registers run out; `spilled` tells whether values went to the stack.
std::unique_ptr<CompiledCode> EmitLine(const LaneCode& code, int vectors, bool* spilled) {
  auto assembler = VectorAssembler::Make(IsWide(code));
  VectorAssembler& out = *assembler;
  Frame frame(out);
  Allocator allocator(code, vectors, out, /*indexed=*/true);
  for (size_t i = 0; i < code.steps.size(); ++i) {
    const LaneStep& step = code.steps[i];
    for (int32_t k = 0; k < step.operand_count; ++k) {
      allocator.AddUse(step.operands[k], static_cast<int32_t>(i));
    }
  }
  allocator.LoadBases(ArrayCount(code));
  out.xor_(Reg64(kIndex), Reg64(kIndex));
  Xbyak::Label loop, end;
  out.cmp(Reg64(kIndex), Reg64(kCount));
  out.jge(end, Xbyak::CodeGenerator::T_NEAR);
  out.align(32);
  out.L(loop);
  for (size_t i = 0; i < code.steps.size(); ++i) allocator.EmitStep(static_cast<int32_t>(i));
  const int step = vectors * out.elements();
  out.add(Reg64(kIndex), step);
  out.cmp(Reg64(kIndex), Reg64(kCount));
  out.jl(loop, Xbyak::CodeGenerator::T_NEAR);
  out.L(end);
  frame.Return();
  frame.SetRoom(allocator.room());
  *spilled = allocator.spilled();
  if (allocator.failed()) return nullptr;
  auto compiled = std::make_unique<CompiledCode>(std::move(assembler), step);
  compiled->Finish(frame.pool_offset());
  return compiled;
}

}  // namespace
}  // namespace native

bool NativeCodeRuns() { return runtime::Supports(runtime::InstructionSet::kAvx2); }

int64_t VectorElements(const LaneCode& code) {
  return VectorAssembler::Elements(native::IsWide(code));
}

std::unique_ptr<const NativeCode> CompileLine(const LaneCode& code) {
  if (!NativeCodeRuns() || code.steps.size() > native::kMostSteps) return nullptr;
  try {
    // Two vectors side by side hide latencies, if registers are enough.
    bool spilled = false;
    auto compiled = native::EmitLine(code, 2, &spilled);
    if (compiled == nullptr || spilled) compiled = native::EmitLine(code, 1, &spilled);
    return compiled;
  } catch (const Xbyak::Error&) {  // no memory that may become code
    return nullptr;
  }
}

}  // namespace assay::cpu
