// Values in a backend's memory. A buffer holds one array or token; a tuple is several buffers, one
// for each leaf. Tests: golden/golden_backend_test.cc.
#ifndef ASSAY_BACKENDS_BUFFER_H_
#define ASSAY_BACKENDS_BUFFER_H_

#include <cstdint>
#include <memory>

#include "spec/ir/shape.h"

namespace assay {

// Belongs to the backend that made it, must not outlive it, and is an argument of that backend's
// executables only. The caller owns it.
class Buffer {
 public:
  explicit Buffer(int64_t device) : device_(device) {}
  virtual ~Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  virtual const Shape& shape() const = 0;
  // The number of the buffer's device, from 0.
  int64_t device() const { return device_; }

  // Releases the storage once running readers have finished. Only shape() and device() may be
  // called afterwards.
  void Delete() {
    if (is_deleted_) return;
    is_deleted_ = true;
    Release();
  }
  bool is_deleted() const { return is_deleted_; }

 protected:
  virtual void Release() = 0;

 private:
  const int64_t device_;
  bool is_deleted_ = false;
};

using BufferHandle = std::unique_ptr<Buffer>;

// A buffer as an argument of one execution. The buffer is read and stays valid, unless it is
// donated: then the executable may reuse its storage for results, and the execution deletes it.
class Argument {
 public:
  Argument(const Buffer* buffer) : buffer_(buffer) {}  // NOLINT: buffers are arguments
  static Argument Donated(Buffer* buffer) {
    Argument argument(buffer);
    argument.donated_ = buffer;
    return argument;
  }

  const Buffer* buffer() const { return buffer_; }
  // Returns the buffer if it is donated, otherwise null.
  Buffer* donated() const { return donated_; }

 private:
  const Buffer* buffer_;
  Buffer* donated_ = nullptr;
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_BUFFER_H_
