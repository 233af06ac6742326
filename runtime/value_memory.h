// Values of a run in another memory than the host's, such as that of a GPU. An engine that keeps
// its values there is a DeviceEngine, and its states are DeviceStates. All arrays of a plan are
// then buffers of that memory; the machine, effects and collectives pass them on without looking,
// and ask for a copy (ToHost) where they do look: at the selector of a conditional, the condition
// of a loop, the scalars of dynamic operations, what feeds give and take, and the results of a run.
// Tests: backends/cuda/cuda_counts_test.cc.
#ifndef ASSAY_RUNTIME_VALUE_MEMORY_H_
#define ASSAY_RUNTIME_VALUE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/engine.h"
#include "runtime/memory.h"
#include "spec/ir/literal.h"
#include "spec/views/view.h"

namespace assay::runtime {

class Process;

// The memory of one process. Calls take effect in the order in which they are made, and in that
// order with the kernels of the process; only CopyOut waits for them.
class ValueMemory {
 public:
  virtual ~ValueMemory() = default;
  // Storage, contents undefined, that is given back when the last owner lets go.
  virtual absl::StatusOr<BufferPtr> Allocate(int64_t bytes) = 0;
  // The host's storage stays with the memory until it has been read.
  virtual absl::Status CopyIn(std::byte* to, const BufferPtr& from, int64_t bytes) = 0;
  // From storage of another process.
  virtual absl::Status CopyFrom(ValueMemory& other, std::byte* to, const std::byte* from,
                                int64_t bytes) = 0;
  virtual absl::Status FillZero(std::byte* to, int64_t bytes) = 0;
  // As CopyBox of literal.h, between two arrays of this memory.
  virtual absl::Status CopyBoxWithin(const Literal& from, absl::Span<const int64_t> box,
                                     absl::Span<const int64_t> at, const Shape& to_shape,
                                     std::byte* to) = 0;
  struct HostCopy {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    int64_t bytes = 0;
  };
  // Returns when all of them have been made.
  virtual absl::Status CopyOut(absl::Span<const HostCopy> copies) = 0;
  // The elements of a constant, which nobody overwrites; brought once for all runs of the engine.
  virtual absl::StatusOr<BufferPtr> Constant(const Literal& constant) = 0;
};

// The deleter of a buffer that lies in such a memory, by which it is known.
struct ValueStorage {
  BufferPtr block;
  ValueMemory* memory = nullptr;           // must outlive what looks at the value
  std::shared_ptr<MemoryAccount> account;  // null: not counted
  int64_t bytes = 0;
  void operator()(std::byte* /*data*/) {
    block = nullptr;
    if (account != nullptr) account->Release(bytes);
  }
};
// Null for a buffer of the host.
const ValueStorage* StorageOf(const BufferPtr& buffer);

// A buffer for a value of the shape, contents undefined, counted against the account.
absl::StatusOr<BufferPtr> AllocateValue(ValueMemory& memory,
                                        const std::shared_ptr<MemoryAccount>& account,
                                        const Shape& shape);
// The value in this memory: itself if it lies there, else a copy.
absl::StatusOr<BufferPtr> Bring(const Literal& value, ValueMemory& memory,
                                const std::shared_ptr<MemoryAccount>& account);

// The value in the host's memory: itself if it lies there. Leaves of a tuple are copied together.
absl::StatusOr<Literal> ToHost(const Literal& value);
// As CopyBox, wherever both arrays lie.
absl::Status CopyBoxAnywhere(const Literal& from, absl::Span<const int64_t> box,
                             absl::Span<const int64_t> at, Literal* to);

class DeviceEngine : public Engine {
 public:
  // A kernel that stores a view; its sources are the numbers of the operands of a run.
  virtual KernelOr PrepareViewCopy(const View& view, ElementType type) const = 0;
};
class DeviceState : public EngineState {
 public:
  virtual ValueMemory& memory() = 0;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_VALUE_MEMORY_H_
