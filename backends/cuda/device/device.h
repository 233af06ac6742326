// A device with one stream, and memory that is allocated in the order of the stream. It works with
// any table of functions (api.h). Every error of the runtime becomes a status with the call, the
// error and the device. Destructors release all resources, also after an error. Tests:
// device_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_DEVICE_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_DEVICE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/cuda/device/api.h"

namespace assay::cuda {

// Converts the error of a call on a device: RESOURCE_EXHAUSTED for memory, FAILED_PRECONDITION for
// a missing driver or device, INTERNAL for all others.
absl::Status ToStatus(Api& api, Error error, absl::string_view call, int device);

// Returns the number of devices if the driver suits the runtime and there are at least `devices`.
// Otherwise returns UNIMPLEMENTED with one line that says what is missing.
absl::StatusOr<int> CountDevices(Api& api, int devices);

class Device;

// The number of libraries that a stream counts the calls of.
inline constexpr int kLibraries = 6;

// Counts of the operations of streams.
struct DeviceCounts {
  int64_t launches = 0;      // kernel launches
  int64_t copies_in = 0;     // copies from the host
  int64_t copies_out = 0;    // copies to the host
  int64_t copies_on = 0;     // copies between devices or within one
  int64_t copied_bytes = 0;  // bytes of all these copies
  int64_t fills = 0;
  int64_t waits = 0;  // waits of the host for a stream
  int64_t graph_launches = 0;
  int64_t library_calls[kLibraries] = {};  // calls that compute, by library (libraries/libraries.h)
  DeviceCounts& operator+=(const DeviceCounts& other);
  DeviceCounts operator-(const DeviceCounts& other) const;
};

class BlockPool;  // block_pool.h

// Memory of a device, freed in the order of the device's stream.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer() { Release(); }

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  void Release();

 private:
  friend class Device;
  std::shared_ptr<Device> device_;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
  int64_t epoch_ = 0;                // the device's epoch when the memory was allocated
  std::shared_ptr<BlockPool> pool_;  // null if the memory is of no pool
};

// An event: a point in a stream that other streams can wait for.
class DeviceEvent {
 public:
  DeviceEvent(DeviceEvent&& other) noexcept { *this = std::move(other); }
  DeviceEvent& operator=(DeviceEvent&& other) noexcept;
  ~DeviceEvent();

 private:
  friend class Device;
  DeviceEvent() = default;
  std::shared_ptr<Device> device_;
  EventHandle* handle_ = nullptr;
  int64_t epoch_ = 0;
};

// Launches and copies that are recorded once and launched together.
class DeviceGraph {
 public:
  DeviceGraph(DeviceGraph&& other) noexcept { *this = std::move(other); }
  DeviceGraph& operator=(DeviceGraph&& other) noexcept;
  ~DeviceGraph();

 private:
  friend class Device;
  DeviceGraph() = default;
  std::shared_ptr<Device> device_;
  GraphExecHandle* handle_ = nullptr;
  int64_t epoch_ = 0;
};

// The number of resets of a physical device. A reset ends everything on the device: memory,
// streams, events and graphs of an earlier epoch are gone.
using Epoch = std::atomic<int64_t>;

class Device : public std::enable_shared_from_this<Device> {
 public:
  // Opens device `ordinal` with a stream of its own. Streams of one physical device share an epoch.
  static absl::StatusOr<std::shared_ptr<Device>> Open(
      std::shared_ptr<Api> api, int ordinal,
      std::shared_ptr<Epoch> epoch = std::make_shared<Epoch>(0));
  // Does the same, and makes the stream at the first call that needs it.
  static std::shared_ptr<Device> Create(std::shared_ptr<Api> api, int ordinal,
                                        std::shared_ptr<Epoch> epoch);
  ~Device();

  int ordinal() const { return ordinal_; }
  Api& api() const { return *api_; }
  int64_t epoch() const { return *epoch_; }

  absl::StatusOr<DeviceBuffer> Allocate(int64_t bytes);
  // Enqueue a copy. The host memory must not change until Synchronize; Keep holds it alive.
  absl::Status CopyIn(std::byte* to, const void* from, int64_t bytes);
  absl::Status CopyOut(void* to, const std::byte* from, int64_t bytes);
  // Enqueues a copy between two addresses on any devices.
  absl::Status Copy(std::byte* to, const std::byte* from, int64_t bytes);
  absl::Status FillZero(std::byte* to, int64_t bytes);
  // Keeps host memory alive until the next Synchronize.
  void Keep(std::shared_ptr<const void> memory) { kept_.push_back(std::move(memory)); }
  absl::Status Launch(const Entry& entry, emulator::Extent grid, emulator::Extent block,
                      int64_t shared_bytes, void** parameters);
  // Returns the stream for a call of a library, which enqueues work on it. `library` counts the
  // call.
  absl::StatusOr<StreamHandle*> StreamForLibrary(int library);
  // Waits for all enqueued work. A wait that fails although the device is not lost is repeated
  // once, because enqueued copies use memory of the host.
  absl::Status Synchronize();
  // Returns true if work was enqueued since the last Synchronize.
  bool HasWork() const { return has_work_; }
  // Returns the counts of this stream since it was opened.
  const DeviceCounts& counts() const { return counts_; }

  absl::StatusOr<DeviceEvent> Record();
  absl::Status WaitFor(const DeviceEvent& event);

  // While a pool is set, memory is taken from it. Null for none.
  void UsePool(std::shared_ptr<BlockPool> pool) { pool_ = std::move(pool); }
  // Between these calls, launches, fills and copies on the device become part of the graph and are
  // not executed. Memory that is freed meanwhile is freed afterwards.
  absl::Status BeginCapture();
  absl::StatusOr<DeviceGraph> EndCapture();
  // Keeps what captured work refers to as long as the pool; nothing if this stream is not captured.
  void KeepCaptured(std::shared_ptr<const void> object);
  // Returns a stream of the device that is not captured: this one, or another while it is.
  Device& Uncaptured();
  // Makes another stream of the device.
  std::shared_ptr<Device> AnotherStream() const { return Create(api_, ordinal_, epoch_); }
  // Another stream joins the capture by an event of a stream that captures. Before the capture ends
  // that stream waits for this one, and this one leaves afterwards.
  absl::Status JoinCapture(const DeviceEvent& event);
  void LeaveCapture();
  bool captures() const { return captures_; }
  // Returns the number of launches, fills and copies that were captured.
  int64_t captured() const { return captured_; }
  absl::Status Launch(const DeviceGraph& graph);

  // Page-locked memory of the host, which graphs copy from and to. Freed by a reset of the device.
  absl::StatusOr<std::byte*> AllocateHost(int64_t bytes);
  void FreeHost(std::byte* data);

  // Resets the device after a sticky error. Nothing may use another stream of the device.
  absl::Status Recover();
  // Returns true if every call fails until Recover.
  bool IsLost() const;

 private:
  friend class DeviceBuffer;
  friend class DeviceEvent;
  friend class DeviceGraph;
  Device(std::shared_ptr<Api> api, int ordinal, std::shared_ptr<Epoch> epoch)
      : api_(std::move(api)), ordinal_(ordinal), epoch_(std::move(epoch)) {}
  // Makes the device the current one of this thread, and a stream unless there is one.
  absl::Status Use();
  absl::Status Check(Error error, absl::string_view call) const;
  Error Wait();
  // Frees memory in the order of the stream, or after the capture of the stream.
  void Free(std::byte* data);
  Error StopCapture(GraphHandle** graph);
  // Counts an operation that is enqueued: in the capture, or by adding to `count`.
  void Count(int64_t* count, int64_t bytes);

  const std::shared_ptr<Api> api_;
  const int ordinal_;
  const std::shared_ptr<Epoch> epoch_;
  StreamHandle* stream_ = nullptr;
  int64_t stream_epoch_ = 0;
  bool has_work_ = false;
  // Other threads may release memory of the stream, which a capture refuses.
  std::mutex capture_mutex_;
  bool captures_ = false;                // written under the mutex
  std::vector<std::byte*> freed_later_;  // guarded by the mutex
  int64_t captured_ = 0;
  std::shared_ptr<BlockPool> pool_;
  std::vector<std::shared_ptr<const void>> kept_;
  DeviceCounts counts_;
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_DEVICE_H_
