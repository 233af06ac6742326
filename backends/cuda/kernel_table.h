// Lowers instructions to kernel launches. A row of the table (kernels/rows.cc) prepares an
// instruction once. Its plan has entry points, sizes and parameters but no addresses, so that the
// same plan runs on the emulator and on a GPU and can be captured in a graph. plan_runner.h
// supplies the addresses of operands, results, scratch and constants. Tests: cuda_backend_test.cc,
// kernels/kernel_elements_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNEL_TABLE_H_
#define ASSAY_BACKENDS_CUDA_KERNEL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
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

// The place of an array's address in the bytes of the parameter.
struct PointerSlot {
  int32_t at = 0;
  BufferUse buffer;
};

class Device;

// A call of a library instead of a launch (libraries/). Thread-safe.
class LibraryCall {
 public:
  virtual ~LibraryCall() = default;
  // Enqueues the call on the device's stream, on the arrays of KernelLaunch::pointers.
  virtual absl::Status Enqueue(Device& device, absl::Span<std::byte* const> arrays) const = 0;
};

// One launch. Kernels have one parameter, a struct that can be copied by bytes
// (ASSAY_PARAMETER), whose pointers are filled in before the launch.
struct KernelLaunch {
  std::string entry;
  Extent grid, block;
  int64_t shared_bytes = 0;  // dynamic
  std::vector<std::byte> parameter;
  std::vector<PointerSlot> pointers;
  // True for a launch that only copies the in-place operand to the result. It is skipped if both
  // are the same array.
  bool copies_in_place_operand = false;
  // Called instead of a kernel, if not null. Only `pointers` counts then.
  std::shared_ptr<const LibraryCall> call = nullptr;
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
  KernelLaunch launch = {std::move(entry), grid, block, shared_bytes, {}, {}};
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

// The launches of an instruction, in order. A launch sees the writes of earlier ones. A plan
// without launches writes nothing (a result without elements).
struct KernelPlan {
  std::vector<KernelLaunch> launches;
  std::vector<int64_t> scratch_bytes;
  std::vector<std::vector<std::byte>> constants;
  // The operand whose storage the first leaf of the result may share, or -1.
  int in_place_operand = -1;
};
using KernelPlanOr = absl::StatusOr<KernelPlan>;

// The lowering of an operation. Instructions have passed CheckInstruction and outlive the plan.
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

// Return all rows (kernels/rows.cc), and the row of an operation or null.
absl::Span<const KernelRow> KernelRows();
const KernelRow* FindKernelRow(Opcode opcode);
// Returns the plan of an instruction by its row, or UNIMPLEMENTED with the name of an instruction
// without kernels.
KernelPlanOr PrepareKernels(const Instruction& instruction, absl::Span<const View> views);

// Prepares some instructions in another way than their rows, by calls of libraries.
class KernelProvider {
 public:
  virtual ~KernelProvider() = default;
  // Returns nothing for an instruction that is left to its row.
  virtual std::optional<KernelPlan> Prepare(const Instruction& instruction) = 0;
  // Returns the plan of `dot` + `bias`, whose elements go along the last dimension of the result.
  // The operands are those of the dot and the bias. Nothing: both are left to their rows.
  virtual std::optional<KernelPlan> PrepareDotAndBias(const Instruction& dot,
                                                      const Instruction& bias) = 0;
};

// Returns the plan of a fusion whose operands are all arrays (kernels/prepare_fusion.cc). Returns
// UNIMPLEMENTED if the fused instructions run faster one by one. `provider` is asked for operations
// with kernels of their own; null for none.
KernelPlanOr PrepareFusion(const Instruction& fusion, KernelProvider* provider = nullptr);

// Return plans of copies without an instruction: of the elements of a view to a dense array, and of
// a box from the origin of an array to `at` in another. Return UNIMPLEMENTED for too many
// dimensions.
KernelPlanOr PrepareViewCopy(const View& view, ElementType type);
KernelPlanOr PrepareBoxCopy(const Shape& from, absl::Span<const int64_t> box,
                            absl::Span<const int64_t> at, const Shape& to);

// Returns the plan of the result of the member at `position` of a group (Engine::PrepareCollective,
// kernels/collectives.cc). Operands are those of all members, member after member.
KernelPlanOr PrepareCollectiveKernels(const Instruction& collective, int64_t members,
                                      int64_t position);

// The plan of a random operation or a custom call (kernels/effects.cc). Every run draws `seed`
// words, each uniform over 64 bits, and stores them in constant 0, which the plan leaves empty.
struct EffectPlan {
  KernelPlan kernels;
  int64_t seed_words = 0;
};
// Returns UNIMPLEMENTED for a custom call whose target runs on the host (custom_calls.h).
absl::StatusOr<EffectPlan> PrepareEffectKernels(const Instruction& instruction);

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_KERNEL_TABLE_H_
