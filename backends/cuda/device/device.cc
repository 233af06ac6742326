#include "backends/cuda/device/device.h"

#include "absl/strings/str_cat.h"
#include "backends/cuda/device/block_pool.h"

namespace assay::cuda {

absl::Status ToStatus(Api& api, Error error, absl::string_view call, int device) {
  if (error == Error::kSuccess) return absl::OkStatus();
  std::string text =
      absl::StrCat("CUDA device ", device, ": ", call, ": ", api.GetErrorString(error), " (",
                   api.GetErrorName(error), ", error ", static_cast<int>(error), ")");
  if (const std::string detail = api.LaunchDetail(); !detail.empty()) {
    absl::StrAppend(&text, ": ", detail);
  }
  switch (error) {
    case Error::kMemoryAllocation:
      return absl::ResourceExhaustedError(text);
    case Error::kInsufficientDriver:
    case Error::kNoDevice:
    case Error::kInvalidDevice:
      return absl::FailedPreconditionError(text);
    default:
      return absl::InternalError(text);
  }
}

// What is not here is not supported: exit code 4.
absl::StatusOr<int> CountDevices(Api& api, int devices) {
  int driver = 0, runtime = 0, count = 0;
  api.DriverGetVersion(&driver);
  api.RuntimeGetVersion(&runtime);
  const auto version = [](int number) {
    return absl::StrCat(number / 1000, ".", number % 1000 / 10);
  };
  if (driver == 0) return absl::UnimplementedError("CUDA: there is no driver");
  if (driver < runtime) {
    return absl::UnimplementedError(absl::StrCat("CUDA: the driver supports version ",
                                                 version(driver), "; the runtime needs ",
                                                 version(runtime)));
  }
  const Error error = api.GetDeviceCount(&count);
  if (error == Error::kNoDevice || (error == Error::kSuccess && count == 0)) {
    return absl::UnimplementedError("CUDA: there is no device");
  }
  if (error != Error::kSuccess) return ToStatus(api, error, "cudaGetDeviceCount", 0);
  if (count < devices) {
    return absl::UnimplementedError(
        absl::StrCat("CUDA: the module needs ", devices, " devices, and there are ", count));
  }
  return count;
}

namespace {

constexpr int64_t DeviceCounts::*kCounts[] = {
    &DeviceCounts::launches,  &DeviceCounts::copies_in,     &DeviceCounts::copies_out,
    &DeviceCounts::copies_on, &DeviceCounts::copied_bytes,  &DeviceCounts::fills,
    &DeviceCounts::waits,     &DeviceCounts::graph_launches};

}  // namespace

DeviceCounts& DeviceCounts::operator+=(const DeviceCounts& other) {
  for (const auto count : kCounts) this->*count += other.*count;
  for (int k = 0; k < kLibraries; ++k) library_calls[k] += other.library_calls[k];
  return *this;
}
DeviceCounts DeviceCounts::operator-(const DeviceCounts& other) const {
  DeviceCounts difference = *this;
  for (const auto count : kCounts) difference.*count -= other.*count;
  for (int k = 0; k < kLibraries; ++k) difference.library_calls[k] -= other.library_calls[k];
  return difference;
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  if (this == &other) return *this;
  Release();
  device_ = std::move(other.device_);
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  epoch_ = other.epoch_;
  pool_ = std::move(other.pool_);
  return *this;
}

void DeviceBuffer::Release() {
  if (data_ == nullptr) return;
  if (const std::shared_ptr<BlockPool> pool = std::move(pool_); pool != nullptr) {
    pool->TakeBack(data_, bytes_);
  } else if (device_->epoch() == epoch_) {  // a reset has freed it already
    device_->Free(data_);
  }
  data_ = nullptr;
  device_ = nullptr;
}

DeviceEvent& DeviceEvent::operator=(DeviceEvent&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(handle_, other.handle_);
  std::swap(epoch_, other.epoch_);
  return *this;
}
DeviceEvent::~DeviceEvent() {
  if (handle_ != nullptr && epoch_ == device_->epoch()) device_->api_->EventDestroy(handle_);
}

DeviceGraph& DeviceGraph::operator=(DeviceGraph&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(handle_, other.handle_);
  std::swap(epoch_, other.epoch_);
  return *this;
}
DeviceGraph::~DeviceGraph() {
  if (handle_ != nullptr && epoch_ == device_->epoch()) device_->api_->GraphExecDestroy(handle_);
}

absl::StatusOr<std::shared_ptr<Device>> Device::Open(std::shared_ptr<Api> api, int ordinal,
                                                     std::shared_ptr<Epoch> epoch) {
  std::shared_ptr<Device> device = Create(std::move(api), ordinal, std::move(epoch));
  if (absl::Status status = device->Use(); !status.ok()) return status;
  return device;
}

std::shared_ptr<Device> Device::Create(std::shared_ptr<Api> api, int ordinal,
                                       std::shared_ptr<Epoch> epoch) {
  return std::shared_ptr<Device>(new Device(std::move(api), ordinal, std::move(epoch)));
}

Device::~Device() {
  if (stream_ != nullptr && stream_epoch_ == epoch()) api_->StreamDestroy(stream_);
}

absl::Status Device::Check(Error error, absl::string_view call) const {
  return ToStatus(*api_, error, call, ordinal_);
}

absl::Status Device::Use() {
  absl::Status status = Check(api_->SetDevice(ordinal_), "cudaSetDevice");
  if (!status.ok() || (stream_ != nullptr && stream_epoch_ == epoch())) return status;
  // A reset has taken the stream and its work.
  has_work_ = false;
  {
    const std::lock_guard<std::mutex> lock(capture_mutex_);
    captures_ = false;
    freed_later_.clear();
  }
  kept_.clear();
  stream_epoch_ = epoch();
  const Error error = api_->StreamCreate(&stream_);
  if (error != Error::kSuccess) stream_ = nullptr;
  return Check(error, "cudaStreamCreateWithFlags");
}

absl::StatusOr<DeviceBuffer> Device::Allocate(int64_t bytes) {
  if (absl::Status status = Use(); !status.ok()) return status;
  DeviceBuffer buffer;
  if (pool_ != nullptr) {
    absl::StatusOr<std::byte*> block = pool_->Give(bytes);
    if (!block.ok()) return block.status();
    buffer.pool_ = pool_;
    buffer.data_ = *block;
    buffer.device_ = shared_from_this();
    buffer.bytes_ = bytes;
    buffer.epoch_ = epoch();
    return buffer;
  }
  void* pointer = nullptr;
  // The runtime gives null for nothing, which is no place.
  const int64_t size = bytes < 1 ? 1 : bytes;
  const Error error = api_->MallocAsync(&pointer, size, stream_);
  if (error != Error::kSuccess) {
    return Check(error, absl::StrCat("cudaMallocAsync of ", size, " bytes"));
  }
  buffer.device_ = shared_from_this();
  buffer.data_ = static_cast<std::byte*>(pointer);
  buffer.bytes_ = bytes;
  buffer.epoch_ = epoch();
  return buffer;
}

void Device::Free(std::byte* data) {
  const std::lock_guard<std::mutex> lock(capture_mutex_);
  if (captures_) {
    freed_later_.push_back(data);
    return;
  }
  api_->SetDevice(ordinal_);
  // A call that failed for another reason has freed nothing.
  if (api_->FreeAsync(data, stream_) != Error::kSuccess) api_->Free(data);
}

void Device::Count(int64_t* count, int64_t bytes) {
  if (captures_) {
    ++captured_;
    return;
  }
  has_work_ = true;
  ++*count;
  counts_.copied_bytes += bytes;
}

absl::Status Device::CopyIn(std::byte* to, const void* from, int64_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  if (absl::Status status = Use(); !status.ok()) return status;
  Count(&counts_.copies_in, bytes);
  return Check(api_->MemcpyAsync(to, from, bytes, CopyKind::kHostToDevice, stream_),
               "cudaMemcpyAsync to the device");
}

absl::Status Device::CopyOut(void* to, const std::byte* from, int64_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  if (absl::Status status = Use(); !status.ok()) return status;
  Count(&counts_.copies_out, bytes);
  return Check(api_->MemcpyAsync(to, from, bytes, CopyKind::kDeviceToHost, stream_),
               "cudaMemcpyAsync to the host");
}

absl::Status Device::Copy(std::byte* to, const std::byte* from, int64_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  if (absl::Status status = Use(); !status.ok()) return status;
  Count(&counts_.copies_on, bytes);
  return Check(api_->MemcpyAsync(to, from, bytes, CopyKind::kDeviceToDevice, stream_),
               "cudaMemcpyAsync on the device");
}

absl::Status Device::FillZero(std::byte* to, int64_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  if (absl::Status status = Use(); !status.ok()) return status;
  Count(&counts_.fills, 0);
  return Check(api_->MemsetAsync(to, 0, bytes, stream_), "cudaMemsetAsync");
}

absl::Status Device::Launch(const Entry& entry, emulator::Extent grid, emulator::Extent block,
                            int64_t shared_bytes, void** parameters) {
  if (absl::Status status = Use(); !status.ok()) return status;
  constexpr int64_t kSharedWithoutAsking = 48 << 10;
  if (shared_bytes > kSharedWithoutAsking) {
    absl::Status status =
        Check(api_->FuncSetMaxDynamicShared(entry, static_cast<int>(shared_bytes)),
              absl::StrCat("cudaFuncSetAttribute of ", entry.name));
    if (!status.ok()) return status;
  }
  Count(&counts_.launches, 0);
  const Error error = api_->LaunchKernel(entry, grid, block, shared_bytes, parameters, stream_);
  if (error == Error::kSuccess) return absl::OkStatus();
  return Check(error, absl::StrCat("launch of ", entry.name));
}

absl::StatusOr<StreamHandle*> Device::StreamForLibrary(int library) {
  if (absl::Status status = Use(); !status.ok()) return status;
  Count(&counts_.library_calls[library], 0);
  return stream_;
}

Error Device::Wait() {
  const Error error = api_->SetDevice(ordinal_);
  return error == Error::kSuccess ? api_->StreamSynchronize(stream_) : error;
}

absl::Status Device::Synchronize() {
  if (captures_) {
    return absl::FailedPreconditionError(
        absl::StrCat("CUDA device ", ordinal_, ": the host waits for work that is only recorded"));
  }
  if (stream_ == nullptr || stream_epoch_ != epoch()) return Use();  // nothing is enqueued
  ++counts_.waits;
  const Error error = Wait();
  const bool retries = error != Error::kSuccess && !IsSticky(error);
  // A lost device executes nothing more. One that cannot be waited for may still do so.
  if (!retries || Wait() == Error::kSuccess) {
    has_work_ = false;
    kept_.clear();
  }
  return Check(error, "cudaStreamSynchronize");
}

absl::StatusOr<DeviceEvent> Device::Record() {
  if (absl::Status status = Use(); !status.ok()) return status;
  DeviceEvent event;
  Error error = api_->EventCreate(&event.handle_);
  if (error != Error::kSuccess) {
    event.handle_ = nullptr;
    return Check(error, "cudaEventCreateWithFlags");
  }
  event.device_ = shared_from_this();
  event.epoch_ = epoch();
  error = api_->EventRecord(event.handle_, stream_);
  if (error != Error::kSuccess) return Check(error, "cudaEventRecord");
  return event;
}

absl::Status Device::WaitFor(const DeviceEvent& event) {
  if (absl::Status status = Use(); !status.ok()) return status;
  return Check(api_->StreamWaitEvent(stream_, event.handle_), "cudaStreamWaitEvent");
}

absl::Status Device::BeginCapture() {
  if (absl::Status status = Use(); !status.ok()) return status;
  const std::lock_guard<std::mutex> lock(capture_mutex_);
  const Error error = api_->StreamBeginCapture(stream_);
  captures_ = error == Error::kSuccess;
  return Check(error, "cudaStreamBeginCapture");
}

Error Device::StopCapture(GraphHandle** graph) {
  Error error = api_->SetDevice(ordinal_);
  if (error == Error::kSuccess) error = api_->StreamEndCapture(stream_, graph);
  // The stream may still be captured; nothing else could then be enqueued on it.
  if (error != Error::kSuccess && api_->StreamEndCapture(stream_, graph) == Error::kSuccess) {
    api_->GraphDestroy(*graph);
  }
  LeaveCapture();
  return error;
}

void Device::KeepCaptured(std::shared_ptr<const void> object) {
  if (captures_ && pool_ != nullptr) pool_->Keep(std::move(object));
}

Device& Device::Uncaptured() { return captures_ && pool_ != nullptr ? pool_->source() : *this; }

absl::Status Device::JoinCapture(const DeviceEvent& event) {
  absl::Status status = WaitFor(event);
  const std::lock_guard<std::mutex> lock(capture_mutex_);
  captures_ = status.ok();
  return status;
}

void Device::LeaveCapture() {
  std::vector<std::byte*> freed;
  {
    const std::lock_guard<std::mutex> lock(capture_mutex_);
    captures_ = false;
    freed.swap(freed_later_);
  }
  for (std::byte* const data : freed) Free(data);
}

absl::StatusOr<DeviceGraph> Device::EndCapture() {
  GraphHandle* graph = nullptr;
  Error error = StopCapture(&graph);
  if (error != Error::kSuccess) return Check(error, "cudaStreamEndCapture");
  DeviceGraph made;
  error = api_->GraphInstantiate(&made.handle_, graph);
  api_->GraphDestroy(graph);
  if (error != Error::kSuccess) {
    made.handle_ = nullptr;
    return Check(error, "cudaGraphInstantiate");
  }
  made.device_ = shared_from_this();
  made.epoch_ = epoch();
  return made;
}

absl::Status Device::Launch(const DeviceGraph& graph) {
  if (absl::Status status = Use(); !status.ok()) return status;
  has_work_ = true;
  ++counts_.graph_launches;
  return Check(api_->GraphLaunch(graph.handle_, stream_), "cudaGraphLaunch");
}

absl::StatusOr<std::byte*> Device::AllocateHost(int64_t bytes) {
  if (absl::Status status = Use(); !status.ok()) return status;
  void* pointer = nullptr;
  const Error error = api_->MallocHost(&pointer, bytes);
  if (error != Error::kSuccess) {
    return Check(error, absl::StrCat("cudaMallocHost of ", bytes, " bytes"));
  }
  return static_cast<std::byte*>(pointer);
}

void Device::FreeHost(std::byte* data) {
  api_->SetDevice(ordinal_);
  api_->FreeHost(data);
}

bool Device::IsLost() const {
  // A sticky error is that of every call.
  return IsSticky(api_->SetDevice(ordinal_));
}

absl::Status Device::Recover() {
  // A lost device becomes the current one although the call returns its error.
  const Error error = api_->SetDevice(ordinal_);
  if (error != Error::kSuccess && !IsSticky(error)) return Check(error, "cudaSetDevice");
  if (absl::Status status = Check(api_->DeviceReset(), "cudaDeviceReset"); !status.ok()) {
    return status;
  }
  ++*epoch_;
  return Use();
}

}  // namespace assay::cuda
