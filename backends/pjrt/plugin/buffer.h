// Buffers of the plug-in, and copies from and to the host. Values are immutable, so copies share
// them, also across devices. Tests: plugin_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_BUFFER_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_BUFFER_H_

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/pjrt/plugin/client.h"
#include "backends/pjrt/plugin/event.h"
#include "backends/pjrt/plugin/host_layout.h"
#include "spec/ir/literal.h"

namespace assay::pjrt {

// A value with an event. The value is valid once the event is ready without an error.
struct ArrayState {
  std::shared_ptr<EventState> ready = std::make_shared<EventState>();
  Literal value;

  void Set(Literal made) {
    value = std::move(made);
    ready->Set(absl::OkStatus());
  }
};

// The bytes of one array in the use of its device.
class CountedBytes {
 public:
  CountedBytes(std::shared_ptr<MemoryUse> use, int64_t bytes)
      : use_(std::move(use)), bytes_(bytes) {
    use_->Add(bytes_);
  }
  ~CountedBytes() { Release(); }
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;
  void Release() { use_->Add(-std::exchange(bytes_, 0)); }

 private:
  std::shared_ptr<MemoryUse> use_;
  int64_t bytes_;
};

struct PJRT_Buffer {
  PJRT_Buffer(MemorySpace* in, Shape of, std::shared_ptr<ArrayState> array)
      : memory(in),
        shape(std::move(of)),
        order(OrderOf(shape)),
        state_(std::move(array)),
        bytes_(in->device->use, shape.is_array() ? shape.ByteSize().value_or(0) : 0) {}

  PJRT_Device* device() const { return memory->device; }
  // Null once the buffer is deleted.
  std::shared_ptr<ArrayState> state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  // Releases the buffer's reference to the value. Returns null if the buffer was deleted before.
  std::shared_ptr<ArrayState> Delete() {
    const std::lock_guard lock(mutex_);
    bytes_.Release();
    return std::exchange(state_, nullptr);
  }

  MemorySpace* const memory;
  const Shape shape;
  // The dimensions from minor to major, as the host is told. The value is row-major.
  const std::vector<int64_t> order;
  // Keeps the value at its address while the host refers to it.
  std::mutex references_mutex;
  int64_t references = 0;
  std::shared_ptr<ArrayState> referenced;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<ArrayState> state_;
  CountedBytes bytes_;
  const Counted counted_{live_objects.buffers};
};

// The shape of an array as hosts describe it. Returns INVALID_ARGUMENT for a layout that does not
// fit, and UNIMPLEMENTED for types that are not of arrays and layouts with tiles.
absl::StatusOr<Shape> HostShape(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                                const PJRT_Buffer_MemoryLayout* layout = nullptr);
// The memory, or the default memory of the device. Returns INVALID_ARGUMENT if both are null.
absl::StatusOr<MemorySpace*> MemoryOf(PJRT_Memory* memory, PJRT_Device* device);
// Returns true if an array may be read where it lies in the memory of the host.
bool MayShare(const Shape& shape, const void* data);

absl::Status BufferFromHost(PJRT_Client_BufferFromHostBuffer_Args& args);
absl::Status BufferDestroy(PJRT_Buffer_Destroy_Args& args);
absl::Status BufferElementType(PJRT_Buffer_ElementType_Args& args);
absl::Status BufferDimensions(PJRT_Buffer_Dimensions_Args& args);
absl::Status BufferUnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args& args);
absl::Status BufferDynamicDimensions(PJRT_Buffer_DynamicDimensionIndices_Args& args);
absl::Status BufferMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args& args);
absl::Status BufferSize(PJRT_Buffer_OnDeviceSizeInBytes_Args& args);
absl::Status BufferDevice(PJRT_Buffer_Device_Args& args);
absl::Status BufferMemory(PJRT_Buffer_Memory_Args& args);
absl::Status BufferDelete(PJRT_Buffer_Delete_Args& args);
absl::Status BufferIsDeleted(PJRT_Buffer_IsDeleted_Args& args);
absl::Status BufferCopyToDevice(PJRT_Buffer_CopyToDevice_Args& args);
absl::Status BufferCopyToMemory(PJRT_Buffer_CopyToMemory_Args& args);
absl::Status BufferToHost(PJRT_Buffer_ToHostBuffer_Args& args);
absl::Status BufferCopyRawToHost(PJRT_Buffer_CopyRawToHost_Args& args);
absl::Status BufferIsOnCpu(PJRT_Buffer_IsOnCpu_Args& args);
absl::Status BufferReadyEvent(PJRT_Buffer_ReadyEvent_Args& args);
absl::Status BufferUnsafePointer(PJRT_Buffer_UnsafePointer_Args& args);
absl::Status BufferAddReference(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args);
absl::Status BufferDropReference(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args);
absl::Status BufferDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_BUFFER_H_
