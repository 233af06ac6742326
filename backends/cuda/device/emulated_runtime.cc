#include "backends/cuda/device/emulated_runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/device/emulated_attributes.h"
#include "backends/cuda/device/emulated_graphs.h"
#include "backends/cuda/device/emulated_library.h"
#include "backends/cuda/device/emulated_streams.h"
#include "backends/cuda/device/errors.h"
#include "backends/cuda/emulator/memory_map.h"
#include "backends/cuda/kernel_groups.h"

namespace assay::cuda {

namespace {

thread_local int current_device = 0;

double Milliseconds() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class Runtime : public EmulatedRuntime {
 public:
  explicit Runtime(const EmulatorOptions& options)
      : options_(options),
        devices_(std::max(options.devices, 0)),
        streams_(std::max(options.devices, 0), options.seed),
        groups_(options.groups == nullptr ? emulated::KernelGroups() : options.groups) {}
  ~Runtime() override {
    for (Device& device : devices_) ReleaseAll(device);
  }

  EmulatorCounts counts() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    EmulatorCounts counts = counts_;
    counts.live_streams = streams_.live();
    counts.live_events = static_cast<int64_t>(events_.size());
    counts.live_graphs = graphs_.live();
    for (const Device& device : devices_) {
      counts.live_host_blocks += static_cast<int64_t>(device.host_blocks.size());
    }
    return counts;
  }
  std::vector<emulator::KernelTrace> TakeTraces() override {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<emulator::KernelTrace> traces;
    for (auto& [kernel, trace] : traces_) traces.push_back(std::move(trace));
    traces_.clear();
    return traces;
  }
  void Inject(int64_t failing_call, Error fault) override {
    std::lock_guard<std::mutex> lock(mutex_);
    options_.failing_call = counts_.calls + failing_call;
    options_.fault = fault;
  }

  Error DriverGetVersion(int* version) override {
    *version = options_.driver_version;
    return Error::kSuccess;
  }
  Error RuntimeGetVersion(int* version) override {
    *version = 13000;
    return Error::kSuccess;
  }
  Error GetDeviceCount(int* count) override {
    return Call([&] {
      *count = 0;
      if (options_.driver_version < 13000) return Error::kInsufficientDriver;
      if (devices_.empty()) return Error::kNoDevice;
      *count = static_cast<int>(devices_.size());
      return Error::kSuccess;
    });
  }
  Error SetDevice(int device) override {
    // The error of a lost device is returned when it becomes the current one; the error of the
    // device that was current before is not.
    const int before = std::exchange(current_device, IsDevice(device) ? device : current_device);
    const Error error =
        Call([&] { return IsDevice(device) ? Error::kSuccess : Error::kInvalidDevice; });
    if (error != Error::kSuccess && !IsSticky(error)) current_device = before;
    return error;
  }
  Error GetDevice(int* device) override {
    return Call([&] {
      *device = current_device;
      return Error::kSuccess;
    });
  }
  Error DeviceGetName(char* name, int size, int device) override {
    return Call([&] {
      if (!IsDevice(device) || size <= 0) return Error::kInvalidValue;
      const std::string text = absl::StrCat("emulated device ", device);
      const size_t length = std::min<size_t>(text.size(), size - 1);
      std::memcpy(name, text.data(), length);
      name[length] = '\0';
      return Error::kSuccess;
    });
  }
  Error DeviceGetAttribute(int* value, DeviceAttribute attribute, int device) override {
    return Call([&] {
      if (!IsDevice(device)) return Error::kInvalidDevice;
      *value = EmulatedAttribute(attribute);
      return Error::kSuccess;
    });
  }
  Error DeviceSynchronize() override {
    return Call([&] {
      if (streams_.IsCapturing()) return Refuse(Error::kStreamCaptureUnsupported);
      ++counts_.synchronisations;
      return streams_.Drain(current_device);
    });
  }
  Error DeviceReset() override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!IsDevice(current_device)) return Error::kInvalidDevice;
    streams_.Reset(current_device);
    graphs_.Reset(current_device);
    ReleaseAll(devices_[current_device]);
    detail_.clear();
    last_error_ = Error::kSuccess;
    return Error::kSuccess;
  }
  Error DeviceCanAccessPeer(int* can, int device, int peer) override {
    return Call([&] {
      if (!IsDevice(device) || !IsDevice(peer)) return Error::kInvalidDevice;
      *can = device != peer ? 1 : 0;
      return Error::kSuccess;
    });
  }
  Error DeviceEnablePeerAccess(int peer) override {
    return Call([&] {
      if (!IsDevice(peer) || peer == current_device) return Error::kInvalidDevice;
      const bool fresh = devices_[current_device].peers.insert(peer).second;
      return fresh ? Error::kSuccess : Error::kPeerAccessAlreadyEnabled;
    });
  }

  Error MemGetInfo(size_t* free, size_t* total) override {
    return Call([&] {
      *total = options_.device_bytes;
      *free = options_.device_bytes - devices_[current_device].bytes;
      return Error::kSuccess;
    });
  }
  Error Malloc(void** pointer, size_t bytes) override {
    return Call([&] {
      if (streams_.IsCapturing()) return Refuse(Error::kStreamCaptureUnsupported);
      return Allocate(pointer, bytes);
    });
  }
  Error Free(void* pointer) override {
    return Call([&] {
      if (streams_.IsCapturing()) return Refuse(Error::kStreamCaptureUnsupported);
      if (Error error = streams_.Drain(current_device); error != Error::kSuccess) return error;
      return Release(pointer);
    });
  }
  Error MallocAsync(void** pointer, size_t bytes, StreamHandle* stream) override {
    return Call([&] {
      if (!streams_.Holds(stream)) return Error::kInvalidResourceHandle;
      if (stream->capture != nullptr) return Refuse(Error::kStreamCaptureUnsupported);
      return Allocate(pointer, bytes);
    });
  }
  Error FreeAsync(void* pointer, StreamHandle* stream) override {
    return Call([&] {
      if (pointer == nullptr) return Error::kSuccess;
      if (!streams_.Holds(stream)) return Error::kInvalidResourceHandle;
      if (stream->capture != nullptr) return Refuse(Error::kStreamCaptureUnsupported);
      if (emulator::MemoryMap::Global().BytesOf(pointer) < 0) return Error::kInvalidValue;
      return Enqueue(stream, [this, pointer] { return Release(pointer); });
    });
  }
  Error MallocHost(void** pointer, size_t bytes) override {
    return Call([&] {
      *pointer = std::malloc(std::max<size_t>(bytes, 1));
      if (*pointer == nullptr) return Error::kMemoryAllocation;
      devices_[current_device].host_blocks.insert(*pointer);
      return Error::kSuccess;
    });
  }
  Error FreeHost(void* pointer) override {
    return Call([&] {
      if (pointer == nullptr) return Error::kSuccess;
      for (Device& device : devices_) {
        if (device.host_blocks.erase(pointer) == 0) continue;
        std::free(pointer);
        return Error::kSuccess;
      }
      return Error::kInvalidValue;
    });
  }
  Error MemPoolTrim(int device, size_t /*keep*/) override {
    return Call([&] { return IsDevice(device) ? Error::kSuccess : Error::kInvalidDevice; });
  }
  Error MemcpyAsync(void* to, const void* from, size_t bytes, CopyKind kind,
                    StreamHandle* stream) override {
    return Call([&] {
      if (!streams_.Holds(stream)) return Error::kInvalidResourceHandle;
      return EnqueueCopy(stream, to, from, bytes, kind);
    });
  }
  Error MemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                        StreamHandle* stream) override {
    return Call([&] {
      if (!streams_.Holds(stream)) return Error::kInvalidResourceHandle;
      if (!IsDevice(to_device) || !IsDevice(from_device)) return Error::kInvalidDevice;
      return EnqueueCopy(stream, to, from, bytes, CopyKind::kDeviceToDevice);
    });
  }
  Error MemsetAsync(void* pointer, int value, size_t bytes, StreamHandle* stream) override {
    return Call([&] {
      if (!streams_.Holds(stream)) return Error::kInvalidResourceHandle;
      return Enqueue(stream, [this, pointer, value, bytes] {
        if (!emulator::MemoryMap::Global().Holds(pointer, bytes)) return BadAddress(pointer);
        std::memset(pointer, value, bytes);
        if (options_.checked) emulator::MemoryMap::Global().SetInitialised(pointer, bytes);
        return Error::kSuccess;
      });
    });
  }

  Error StreamCreate(StreamHandle** stream) override {
    return Call([&] {
      *stream = streams_.Create(current_device);
      return Error::kSuccess;
    });
  }
  Error StreamDestroy(StreamHandle* stream) override {
    // Handles can be given back after a sticky error.
    std::lock_guard<std::mutex> lock(mutex_);
    if (!streams_.Holds(stream)) return Error::kInvalidResourceHandle;
    streams_.Destroy(stream);
    return Error::kSuccess;
  }
  Error StreamSynchronize(StreamHandle* stream) override {
    return Call([&] {
      if (!streams_.Holds(stream)) return Error::kInvalidResourceHandle;
      if (stream->capture != nullptr) return Invalidate(stream);
      ++counts_.synchronisations;
      return streams_.RunUntil(stream->device, [&] { return stream->queue.empty(); });
    });
  }
  Error StreamQuery(StreamHandle* stream) override {
    return Call([&] {
      if (!streams_.Holds(stream)) return Error::kInvalidResourceHandle;
      if (stream->capture != nullptr) return Invalidate(stream);
      if (Error error = streams_.RunSome(stream->device); error != Error::kSuccess) return error;
      return stream->queue.empty() ? Error::kSuccess : Error::kNotReady;
    });
  }
  Error StreamWaitEvent(StreamHandle* stream, EventHandle* event) override {
    return Call([&] {
      const auto found = events_.find(event);
      if (!streams_.Holds(stream) || found == events_.end()) return Error::kInvalidResourceHandle;
      return streams_.Wait(stream, found->second);
    });
  }
  Error EventCreate(EventHandle** event) override {
    return Call([&] {
      auto made = std::make_shared<EventHandle>();
      *event = made.get();
      events_[made.get()] = made;
      return Error::kSuccess;
    });
  }
  Error EventDestroy(EventHandle* event) override {
    std::lock_guard<std::mutex> lock(mutex_);
    return events_.erase(event) == 0 ? Error::kInvalidResourceHandle : Error::kSuccess;
  }
  Error EventRecord(EventHandle* event, StreamHandle* stream) override {
    return Call([&] {
      const auto found = events_.find(event);
      if (!streams_.Holds(stream) || found == events_.end()) return Error::kInvalidResourceHandle;
      streams_.Record(stream, found->second, [event] { event->milliseconds = Milliseconds(); });
      return Error::kSuccess;
    });
  }
  Error EventQuery(EventHandle* event) override {
    return Call([&] {
      if (events_.find(event) == events_.end()) return Error::kInvalidResourceHandle;
      if (event->capture != nullptr) return Refuse(Error::kCapturedEvent);
      if (streams_.IsCapturing()) return Refuse(Error::kStreamCaptureUnsupported);
      if (Error error = streams_.RunSome(current_device); error != Error::kSuccess) return error;
      return event->completed >= event->recorded ? Error::kSuccess : Error::kNotReady;
    });
  }
  Error EventSynchronize(EventHandle* event) override {
    return Call([&] {
      if (events_.find(event) == events_.end()) return Error::kInvalidResourceHandle;
      if (event->capture != nullptr) return Refuse(Error::kCapturedEvent);
      if (streams_.IsCapturing()) return Refuse(Error::kStreamCaptureUnsupported);
      ++counts_.synchronisations;
      return streams_.RunUntil(current_device, [&] { return event->completed >= event->recorded; });
    });
  }
  Error EventElapsedTime(float* milliseconds, EventHandle* start, EventHandle* end) override {
    return Call([&] {
      if (events_.find(start) == events_.end() || events_.find(end) == events_.end()) {
        return Error::kInvalidResourceHandle;
      }
      if (start->completed < start->recorded || end->completed < end->recorded) {
        return Error::kNotReady;
      }
      *milliseconds = static_cast<float>(end->milliseconds - start->milliseconds);
      return Error::kSuccess;
    });
  }

  Error FuncSetMaxDynamicShared(const Entry& entry, int bytes) override {
    return Call([&] {
      if (bytes < 0 || bytes > kMostSharedBytes) return Error::kInvalidValue;
      dynamic_shared_[&entry] = bytes;
      return Error::kSuccess;
    });
  }
  Error LaunchKernel(const Entry& entry, emulator::Extent grid, emulator::Extent block,
                     size_t shared_bytes, void** parameters, StreamHandle* stream) override {
    return Call([&] {
      if (!streams_.Holds(stream)) return Error::kInvalidResourceHandle;
      if (options_.most_blocks > 0) grid.x = std::min<int64_t>(grid.x, options_.most_blocks);
      return EnqueueLaunch(entry, {grid, block, static_cast<int64_t>(shared_bytes)}, parameters,
                           stream);
    });
  }
  Error LaunchHostFunction(StreamHandle* stream, void (*function)(void*), void* argument) override {
    return Call([&] {
      if (!streams_.Holds(stream)) return Error::kInvalidResourceHandle;
      return Enqueue(stream, [function, argument] {
        function(argument);
        return Error::kSuccess;
      });
    });
  }
  const Entry* const* KernelGroups() const override { return groups_; }

  std::string TextTarget() override { return "host"; }
  Error LoadKernel(const void* image, size_t bytes, const char* name, Entry* entry) override {
    return Call([&] { return LoadHostKernel(image, bytes, name, entry); });
  }

  Error StreamBeginCapture(StreamHandle* stream) override {
    return Call([&] {
      if (!streams_.Holds(stream)) return Error::kInvalidResourceHandle;
      if (stream->capture != nullptr) return Refuse(Error::kStreamCaptureUnsupported);
      streams_.BeginCapture(stream);
      return Error::kSuccess;
    });
  }
  Error StreamEndCapture(StreamHandle* stream, GraphHandle** graph) override {
    return Call([&] {
      *graph = nullptr;
      if (!streams_.Holds(stream) || stream->capture == nullptr) return Error::kInvalidValue;
      std::vector<GraphNode> nodes;
      const Error error = streams_.EndCapture(stream, &nodes);
      if (error == Error::kSuccess) *graph = graphs_.Add(stream->device, std::move(nodes));
      return error;
    });
  }
  Error GraphInstantiate(GraphExecHandle** exec, GraphHandle* graph) override {
    return Call([&] { return graphs_.Instantiate(graph, exec); });
  }
  Error GraphLaunch(GraphExecHandle* exec, StreamHandle* stream) override {
    return Call([&] {
      GraphNodes nodes;
      const Error error = graphs_.Find(exec, &nodes);
      if (error != Error::kSuccess || !streams_.Holds(stream)) return Error::kInvalidResourceHandle;
      ++counts_.graph_launches;
      return Enqueue(stream, [this, nodes = std::move(nodes)] {
        return EmulatedGraphs::Run(*nodes, [this] { return streams_.Draw(); });
      });
    });
  }
  Error GraphExecDestroy(GraphExecHandle* exec) override {
    std::lock_guard<std::mutex> lock(mutex_);
    return graphs_.Destroy(exec);
  }
  Error GraphDestroy(GraphHandle* graph) override {
    std::lock_guard<std::mutex> lock(mutex_);
    return graphs_.Destroy(graph);
  }

  Error GetLastError() override {
    std::lock_guard<std::mutex> lock(mutex_);
    const Error error = last_error_;
    if (!IsSticky(error)) last_error_ = Error::kSuccess;
    return error;
  }
  Error PeekAtLastError() override {
    std::lock_guard<std::mutex> lock(mutex_);
    return last_error_;
  }
  const char* GetErrorName(Error error) override { return NameOf(error); }
  const char* GetErrorString(Error error) override { return TextOf(error); }
  std::string LaunchDetail() override {
    std::lock_guard<std::mutex> lock(mutex_);
    return detail_;
  }

 private:
  struct Device {
    int64_t bytes = 0;
    std::set<int> peers;
    std::set<void*> blocks, host_blocks;
  };

  // Every call: counts it, fails it where that was asked for, and remembers its error.
  template <typename F>
  Error Call(F f) {
    std::lock_guard<std::mutex> lock(mutex_);
    ++counts_.calls;
    Error error;
    if (counts_.calls == options_.failing_call) {
      error = options_.fault;
      if (IsSticky(error) && IsDevice(current_device)) streams_.Lose(current_device, error);
    } else if (IsDevice(current_device) && streams_.failure(current_device) != Error::kSuccess) {
      error = streams_.failure(current_device);
    } else {
      error = f();
    }
    if (error != Error::kSuccess && error != Error::kNotReady) last_error_ = error;
    return error;
  }

  bool IsDevice(int device) const {
    return device >= 0 && device < static_cast<int>(devices_.size());
  }

  // A call that must not be made while a stream captures spoils the capture.
  Error Refuse(Error error) {
    streams_.InvalidateCaptures();
    return error;
  }
  static Error Invalidate(StreamHandle* stream) {
    stream->capture->invalid = true;
    return Error::kStreamCaptureUnsupported;
  }

  Error Allocate(void** pointer, size_t bytes) {
    *pointer = nullptr;
    Device& device = devices_[current_device];
    const auto size = static_cast<int64_t>(bytes);
    if (size < 0) return Error::kMemoryAllocation;
    // What is freed in stream order may make room.
    if (device.bytes + size > options_.device_bytes) {
      if (Error error = streams_.Drain(current_device); error != Error::kSuccess) return error;
    }
    if (device.bytes + size > options_.device_bytes) return Error::kMemoryAllocation;
    *pointer = emulator::MemoryMap::Global().Allocate(size, current_device, options_.checked);
    if (*pointer == nullptr) return Error::kMemoryAllocation;
    device.blocks.insert(*pointer);
    device.bytes += size;
    counts_.live_bytes += size;
    counts_.peak_bytes = std::max(counts_.peak_bytes, counts_.live_bytes);
    ++counts_.live_allocations;
    return Error::kSuccess;
  }
  Error Release(void* pointer) {
    if (pointer == nullptr) return Error::kSuccess;
    for (Device& device : devices_) {
      if (device.blocks.erase(pointer) == 0) continue;
      const int64_t bytes = emulator::MemoryMap::Global().Free(pointer);
      device.bytes -= bytes;
      counts_.live_bytes -= bytes;
      --counts_.live_allocations;
      return Error::kSuccess;
    }
    return Error::kInvalidValue;
  }
  void ReleaseAll(Device& device) {
    const std::set<void*> blocks = device.blocks;
    for (void* block : blocks) Release(block);
    for (void* block : device.host_blocks) std::free(block);
    device.host_blocks.clear();
  }

  Error BadAddress(const void* address) {
    detail_ = absl::StrCat("a copy uses address 0x", absl::Hex(address),
                           ", which is no live memory of a device for all its bytes");
    return Error::kIllegalAddress;
  }
  Error EnqueueCopy(StreamHandle* stream, void* to, const void* from, size_t bytes, CopyKind kind) {
    if (bytes == 0) return Error::kSuccess;
    const bool to_device = kind == CopyKind::kHostToDevice || kind == CopyKind::kDeviceToDevice;
    const bool from_device = kind == CopyKind::kDeviceToHost || kind == CopyKind::kDeviceToDevice;
    // Whoever looks before it has waited sees this.
    if (!to_device && stream->capture == nullptr) std::memset(to, 0xff, bytes);
    ++counts_.copies;
    counts_.copied_bytes += static_cast<int64_t>(bytes);
    return Enqueue(stream, [=, this] {
      auto& memory = emulator::MemoryMap::Global();
      if (to_device && !memory.Holds(to, bytes)) return BadAddress(to);
      if (from_device && !memory.Holds(from, bytes)) return BadAddress(from);
      std::memmove(to, from, bytes);
      if (!options_.checked) return Error::kSuccess;
      if (to_device && from_device) memory.CopyInitialised(to, from, bytes);
      if (to_device && !from_device) memory.SetInitialised(to, bytes);
      if (!to_device && memory.FindUninitialised(from, bytes) >= 0) {
        detail_ = absl::StrCat("a copy of ", bytes, " bytes to the host reads byte ",
                               memory.FindUninitialised(from, bytes), ", which was never written");
        return Error::kIllegalAddress;
      }
      return Error::kSuccess;
    });
  }
  Error EnqueueLaunch(const Entry& entry, const emulator::LaunchConfig& config, void** parameters,
                      StreamHandle* stream) {
    emulator::LaunchOptions launch = {
        options_.schedule, 0, {}, options_.omitted_barrier, options_.checked};
    if (const auto found = dynamic_shared_.find(&entry); found != dynamic_shared_.end()) {
      launch.limits.shared_bytes = std::max<int64_t>(launch.limits.shared_bytes, found->second);
    }
    if (absl::Status status = emulator::CheckLaunch(entry, config, launch.limits); !status.ok()) {
      detail_ = std::string(status.message());
      return Error::kInvalidConfiguration;
    }
    launch.seed = streams_.Draw();
    // Kernels have one parameter, a struct, or none; others are copied by their owner.
    auto bytes = std::make_shared<std::vector<std::byte>>(entry.parameter_bytes);
    if (entry.parameter_count > 1) {
      detail_ = absl::StrCat("kernel ", entry.name, " has ", entry.parameter_count,
                             " parameters; this runtime launches kernels with one, a struct");
      return Error::kInvalidValue;
    }
    if (entry.parameter_count == 1) {
      std::memcpy(bytes->data(), parameters[0], entry.parameter_bytes);
    }
    ++counts_.launches;
    return Enqueue(stream, [this, &entry, config, launch, bytes] {
      void* copied[] = {bytes->data(), nullptr};
      emulator::AccessTrace trace;
      emulator::LaunchOptions options = launch;
      if (options_.traced) options.trace = &trace;
      const absl::Status status = emulator::Launch(entry, config, copied, options);
      if (options_.traced) {
        emulator::KernelTrace& sums = traces_[entry.name];
        sums.kernel = entry.name;
        sums += trace.Finish();
      }
      if (status.ok()) return Error::kSuccess;
      detail_ = std::string(status.message());
      return Error::kLaunchFailure;
    });
  }

  Error Enqueue(StreamHandle* stream, std::function<Error()> run) {
    streams_.Enqueue(stream, std::move(run));
    return Error::kSuccess;
  }

  mutable std::mutex mutex_;
  EmulatorOptions options_;
  std::vector<Device> devices_;
  EmulatedStreams streams_;
  const Entry* const* groups_;
  std::map<const EventHandle*, std::shared_ptr<EventHandle>> events_;
  EmulatedGraphs graphs_;
  std::map<const Entry*, int> dynamic_shared_;
  Error last_error_ = Error::kSuccess;
  std::string detail_;
  EmulatorCounts counts_;
  std::map<std::string, emulator::KernelTrace> traces_;  // by kernel
};

}  // namespace

std::unique_ptr<EmulatedRuntime> EmulatedRuntime::Create(const EmulatorOptions& options) {
  return std::make_unique<Runtime>(options);
}

}  // namespace assay::cuda
