// How an instruction becomes launches of kernels. A row of the table (kernels/rows.cc) prepares an
// instruction once; the plan it returns names entry points, sizes and parameters and holds no
// address, so that the same plan drives the emulator and a GPU, and can be captured in a graph.
// Whoever runs it (plan_runner.h) gives the addresses of operands, results, scratch and constants.
// Tests: cuda_backend_test.cc, kernels/kernel_elements_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNEL_TABLE_H_
#define ASSAY_BACKENDS_CUDA_KERNEL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/cuda/emulator/calls.h"
#include "spec/ir/module.h"
#include "spec/views/view.h"

namespace assay::cuda {

using emulator::Extent;

// An array on the device that a parameter of a launch points to.
struct BufferUse {
  enum class Kind : uint8_t {
    kOperand,   // array k among the operands of a run: elements dense, row-major, sub-byte one a
                // byte
    kResult,    // leaf k of the result
    kScratch,   // KernelPlan::scratch_bytes[k], contents undefined at the start of a run
    kConstant,  // KernelPlan::constants[k], on the device as long as the plan
  };
  Kind kind = Kind::kOperand;
  int32_t number = 0;
  int64_t offset = 0;  // in bytes
};
inline BufferUse Operand(int64_t k, int64_t offset = 0) {
  return {BufferUse::Kind::kOperand, static_cast<int32_t>(k), offset};
}
inline BufferUse Result(int64_t k, int64_t offset = 0) {
  return {BufferUse::Kind::kResult, static_cast<int32_t>(k), offset};
}
inline BufferUse Scratch(int64_t k, int64_t offset = 0) {
  return {BufferUse::Kind::kScratch, static_cast<int32_t>(k), offset};
}
inline BufferUse Constant(int64_t k, int64_t offset = 0) {
  return {BufferUse::Kind::kConstant, static_cast<int32_t>(k), offset};
}

// Where the address of an array stands among the bytes of the parameter.
struct PointerSlot {
  int32_t at = 0;
  BufferUse buffer;
};

// One launch. Kernels have one parameter, a struct that can be copied by bytes
// (ASSAY_PARAMETER), whose pointers are filled in before the launch.
struct KernelLaunch {
  std::string entry;
  Extent grid, block;
  int64_t shared_bytes = 0;  // dynamic
  std::vector<std::byte> parameter;
  std::vector<PointerSlot> pointers;
  // Only copies the in-place operand to the result, and is left out where they are one array.
  bool copies_in_place_operand = false;
};

// Makes a launch from a parameter. A pointer is named by the address of a member of `parameter`:
//   CopyParameter p = {...};
//   plan.launches.push_back(MakeLaunch("Copy4", grid, block, 0, p, {{&p.x, Operand(0)}, ...}));
struct MemberPointer {
  const void* member = nullptr;
  BufferUse buffer;
};
template <typename Parameter>
KernelLaunch MakeLaunch(std::string entry, Extent grid, Extent block, int64_t shared_bytes,
                        const Parameter& parameter, absl::Span<const MemberPointer> pointers) {
  static_assert(std::is_trivially_copyable_v<Parameter>);
  KernelLaunch launch = {std::move(entry), grid, block, shared_bytes, {}, {}, false};
  const auto* const bytes = reinterpret_cast<const std::byte*>(&parameter);
  launch.parameter.assign(bytes, bytes + sizeof(Parameter));
  for (const MemberPointer& pointer : pointers) {
    const auto at = static_cast<const std::byte*>(pointer.member) - bytes;
    launch.pointers.push_back({static_cast<int32_t>(at), pointer.buffer});
  }
  return launch;
}
template <typename Parameter>
KernelLaunch MakeLaunch(std::string entry, Extent grid, Extent block, int64_t shared_bytes,
                        const Parameter& parameter, std::initializer_list<MemberPointer> pointers) {
  return MakeLaunch(std::move(entry), grid, block, shared_bytes, parameter,
                    absl::MakeConstSpan(pointers.begin(), pointers.size()));
}

// The launches of an instruction, in order: each sees what those before it have written. A plan
// without launches writes nothing (a result without elements).
struct KernelPlan {
  std::vector<KernelLaunch> launches;
  std::vector<int64_t> scratch_bytes;
  std::vector<std::vector<std::byte>> constants;
  // The operand whose storage the first leaf of the result may be given as its own, or -1.
  int in_place_operand = -1;
};
using KernelPlanOr = absl::StatusOr<KernelPlan>;

// The kernels of an operation. Instructions have passed CheckInstruction and outlive the plan.
struct KernelRow {
  Opcode opcode;
  // Operand k is read through views[k], whose sources are numbers of arrays (`Operand(source)`);
  // without views operand k is array k as it lies. Rows that do not read views are given none.
  // UNIMPLEMENTED names the instruction.
  KernelPlanOr (*prepare)(const Instruction& instruction, absl::Span<const View> views);
  bool reads_views = false;
  // The element types that every array among operands and results may have: bit number
  // int(ElementType). Other instructions are refused by name before `prepare` is asked.
  uint64_t types = ~uint64_t{0};
};
inline constexpr uint64_t TypeBit(ElementType type) {
  return uint64_t{1} << static_cast<int>(type);
}

// All rows (kernels/rows.cc), and the one of an operation; null if there is none.
absl::Span<const KernelRow> KernelRows();
const KernelRow* FindKernelRow(Opcode opcode);
// The plan of an instruction by its row. UNIMPLEMENTED names an instruction without kernels.
KernelPlanOr PrepareKernels(const Instruction& instruction, absl::Span<const View> views);

// A fusion, whose operands are those of the fusion, all arrays. UNIMPLEMENTED where the fused
// instructions are better run one by one. kernels/prepare_fusion.cc.
KernelPlanOr PrepareFusion(const Instruction& fusion);

// Copies of elements that no instruction asks for: the elements of a view, densely, and a box from
// the origin of an array to `at` in another. UNIMPLEMENTED for too many dimensions.
KernelPlanOr PrepareViewCopy(const View& view, ElementType type);
KernelPlanOr PrepareBoxCopy(const Shape& from, absl::Span<const int64_t> box,
                            absl::Span<const int64_t> at, const Shape& to);

// What the member at `position` of a group gets (Engine::PrepareCollective): operands are those of
// all members, member after member. kernels/collectives.cc.
KernelPlanOr PrepareCollectiveKernels(const Instruction& collective, int64_t members,
                                      int64_t position);

// Random operations and custom calls. `seed` words, each uniform over 64 bits, are drawn for every
// run and stand in constant 0, which the plan leaves empty. kernels/effects.cc.
struct EffectPlan {
  KernelPlan kernels;
  int64_t seed_words = 0;
};
absl::StatusOr<EffectPlan> PrepareEffectKernels(const Instruction& instruction);
// OK if PrepareEffectKernels knows the target of a custom call; UNIMPLEMENTED names it.
absl::Status CheckCustomCall(const Instruction& custom_call);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_KERNEL_TABLE_H_
