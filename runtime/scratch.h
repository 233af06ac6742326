// Memory for temporary values: on the stack if it is small, and counted against the budget if its
// size depends on the data. Tests: interpreter/budgets_test.cc.
#ifndef ASSAY_RUNTIME_SCRATCH_H_
#define ASSAY_RUNTIME_SCRATCH_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "runtime/context.h"

namespace assay::runtime {

// Uninitialised elements. Up to `kInline` of them need no allocation.
template <typename T, int64_t kInline>
class Scratch {
 public:
  explicit Scratch(int64_t size) {
    if (size > kInline) {
      heap_.reset(new T[size]);
      data_ = heap_.get();
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* data() { return data_; }
  T& operator[](int64_t i) { return data_[i]; }

 private:
  T inline_[kInline];
  std::unique_ptr<T[]> heap_;
  T* data_ = inline_;
};

// Counts scratch bytes against the run until the end of the scope.
class ScratchLease {
 public:
  explicit ScratchLease(Context& context) : account_(context.scratch) {}
  ~ScratchLease() {
    if (account_ != nullptr) account_->Release(bytes_);
  }
  ScratchLease(const ScratchLease&) = delete;
  ScratchLease& operator=(const ScratchLease&) = delete;
  // Must be called before the allocation.
  absl::Status Add(int64_t bytes) {
    if (account_ == nullptr) return absl::OkStatus();
    absl::Status status = account_->Reserve(bytes);
    if (status.ok()) bytes_ += bytes;
    return status;
  }

 private:
  ScratchAccount* account_;
  int64_t bytes_ = 0;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_SCRATCH_H_
