// Values of a run in another memory than the host's, such as that of a GPU. An engine with such
// values is a DeviceEngine, and its states are DeviceStates. All arrays of a plan are then buffers
// of that memory. The machine, effects and collectives pass them on without reading them. They copy
// a value (ToHost) only to read it: the selector of a conditional, the condition of a loop, the
// scalars of dynamic operations, feeds, and the results of a run. Tests:
// backends/cuda/cuda_counts_test.cc.
#ifndef ASSAY_RUNTIME_VALUE_MEMORY_H_
#define ASSAY_RUNTIME_VALUE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/engine.h"
#include "runtime/memory.h"
#include "spec/ir/literal.h"
#include "spec/views/view.h"

namespace assay::runtime {

class Process;
class Replayer;  // replay.h

// The memory of one device. Calls and the device's kernels take effect in the order in which they
// are issued. Only CopyOut waits for them.
class ValueMemory {
 public:
  virtual ~ValueMemory() = default;
  // Returns uninitialised storage, which is freed when the last owner releases it.
  virtual absl::StatusOr<BufferPtr> Allocate(int64_t bytes) = 0;
  // Copies from the host. The memory keeps the host's storage alive until it has been read.
  virtual absl::Status CopyIn(std::byte* to, const BufferPtr& from, int64_t bytes) = 0;
  // Copies from storage of another device, or of this one.
  virtual absl::Status CopyFrom(ValueMemory& other, std::byte* to, const std::byte* from,
                                int64_t bytes) = 0;
  virtual absl::Status FillZero(std::byte* to, int64_t bytes) = 0;
  // Like CopyBox of literal.h, between two arrays of this memory.
  virtual absl::Status CopyBoxWithin(const Literal& from, absl::Span<const int64_t> box,
                                     absl::Span<const int64_t> at, const Shape& to_shape,
                                     std::byte* to) = 0;
  struct HostCopy {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    int64_t bytes = 0;
  };
  // Returns when all copies have been made.
  virtual absl::Status CopyOut(absl::Span<const HostCopy> copies) = 0;
  // Returns the elements of a constant, which must not be overwritten. They are copied once for all
  // runs of the engine.
  virtual absl::StatusOr<BufferPtr> Constant(const Literal& constant) = 0;
};

// The deleter of a buffer in such a memory, by which the buffer is recognised.
struct ValueStorage {
  BufferPtr block;
  ValueMemory* memory = nullptr;           // must outlive all readers of the value
  std::shared_ptr<MemoryAccount> account;  // null if it is not counted
  int64_t bytes = 0;
  void operator()(std::byte* /*data*/) {
    block = nullptr;
    if (account != nullptr) account->Release(bytes);
  }
};
// Returns the storage of a buffer, or null for a buffer in host memory.
const ValueStorage* StorageOf(const BufferPtr& buffer);

// Returns an uninitialised buffer for a value of the shape, counted against the account.
absl::StatusOr<BufferPtr> AllocateValue(ValueMemory& memory,
                                        const std::shared_ptr<MemoryAccount>& account,
                                        const Shape& shape);
// Returns the value in this memory: itself if it is there, otherwise a copy.
absl::StatusOr<BufferPtr> Bring(const Literal& value, ValueMemory& memory,
                                const std::shared_ptr<MemoryAccount>& account);

// Returns the value in host memory: itself if it is there, otherwise a copy. Leaves of a tuple are
// copied together.
absl::StatusOr<Literal> ToHost(const Literal& value);
// Like CopyBox, for arrays in any memory.
absl::Status CopyBoxAnywhere(const Literal& from, absl::Span<const int64_t> box,
                             absl::Span<const int64_t> at, Literal* to);

// What a member of a group gives to a collective and gets from it, leaf by leaf, in the memory of
// its own device.
struct MemberValues {
  ValueMemory* memory = nullptr;
  std::vector<const std::byte*> operands;
  std::vector<std::byte*> results;
};

class DeviceEngine : public Engine {
 public:
  // Returns true if RunTogether computes the collective for members with these memories. Otherwise
  // all values are brought to one member's device (PrepareCollective).
  virtual bool RunsTogether(const Instruction& /*collective*/,
                            absl::Span<ValueMemory* const> /*memories*/) const {
    return false;
  }
  // Computes a collective on the devices of all members at once.
  virtual absl::Status RunTogether(const Instruction& /*collective*/,
                                   absl::Span<const MemberValues> /*members*/,
                                   Context& /*context*/) const {
    return absl::UnimplementedError("no collective runs on several devices at once");
  }
  // Returns a kernel that stores a view. The sources of the view are operand numbers.
  virtual KernelOr PrepareViewCopy(const View& view, ElementType type) const = 0;
  // Returns what repeats a run on so many devices, or null if every run issues its kernels one by
  // one. The engine must outlive it.
  virtual std::unique_ptr<Replayer> NewReplayer(int64_t devices) const;
};
class DeviceState : public EngineState {
 public:
  virtual ValueMemory& memory() = 0;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_VALUE_MEMORY_H_
