// Room for the temporary values of one run: on the stack while it is small.
#ifndef ASSAY_EVALUATOR_KERNELS_SCRATCH_H_
#define ASSAY_EVALUATOR_KERNELS_SCRATCH_H_

#include <cstdint>
#include <memory>

namespace assay::kernels {

// Uninitialised elements; `kInline` of them need no allocation.
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

}  // namespace assay::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_SCRATCH_H_
