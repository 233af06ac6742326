// A buffer in this process's memory, for backends that compute on the CPU or send values to another
// process. Tests: golden/golden_backend_test.cc.
#ifndef ASSAY_BACKENDS_HOST_BUFFER_H_
#define ASSAY_BACKENDS_HOST_BUFFER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "backends/buffer.h"
#include "spec/ir/literal.h"

namespace assay {

class HostBuffer : public Buffer {
 public:
  HostBuffer(Literal literal, int64_t device)
      : Buffer(device), shape_(literal.shape()), literal_(std::move(literal)) {}
  const Shape& shape() const override { return shape_; }
  // Must not be called on a deleted buffer.
  const Literal& literal() const { return *literal_; }
  static const Literal& ValueOf(const Buffer& buffer) {
    return static_cast<const HostBuffer&>(buffer).literal();
  }

 private:
  void Release() override { literal_.reset(); }

  const Shape shape_;
  std::optional<Literal> literal_;  // empty if the buffer is deleted
};

// Implement Upload and Download of backends with host buffers. Arrays are shared, not copied.
// `devices` is the number of the backend's devices.
inline absl::StatusOr<BufferHandle> UploadToHost(const Literal& array, int64_t device,
                                                 int64_t devices) {
  if (array.is_tuple()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a buffer holds an array or a token, not ", array.shape().ToString()));
  }
  if (device < 0 || device >= devices) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no device ", device, ": the devices of the backend are 0 to ", devices - 1));
  }
  return std::make_unique<HostBuffer>(array, device);
}

inline absl::StatusOr<Literal> DownloadFromHost(const Buffer& buffer) {
  if (!buffer.is_deleted()) return HostBuffer::ValueOf(buffer);
  return absl::FailedPreconditionError(
      absl::StrCat("the buffer of ", buffer.shape().ToString(),
                   " was deleted: it has been donated to an execution"));
}

// Returns the leaves of a result as buffers of a device.
inline std::vector<BufferHandle> HostBuffersOf(const Literal& result, int64_t device) {
  std::vector<BufferHandle> buffers;
  for (Literal& leaf : Flatten(result)) {
    buffers.push_back(std::make_unique<HostBuffer>(std::move(leaf), device));
  }
  return buffers;
}

}  // namespace assay

#endif  // ASSAY_BACKENDS_HOST_BUFFER_H_
