// topk: the keys of a line, packed with positions, of which the smallest are selected and sorted.
// Source: reference ops_structural.md 6.3. Tests: kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/order_keys.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"

namespace assay::cpu {
namespace {

class TopKKernel : public Kernel {
 public:
  explicit TopKKernel(const Instruction& topk)
      : type_(topk.operand(0)->shape().element_type()),
        largest_(topk.GetBool(Attr::kLargest)),
        k_(topk.GetInt(Attr::kK)),
        length_(topk.operand(0)->shape().dimensions().back()),
        lines_(length_ == 0 ? 0 : topk.operand(0)->shape().element_count() / length_) {}

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    if (k_ == 0) return absl::OkStatus();
    return runtime::ParallelFor(context, lines_, runtime::GrainFor(4 * length_),
                                [&](runtime::Blocks& blocks, Context& context) {
                                  runtime::ScratchLease lease(context);
                                  if (absl::Status status = lease.Add(24 * length_); !status.ok())
                                    return status;
                                  std::vector<uint64_t> keys(length_);
                                  std::vector<std::pair<uint64_t, int32_t>> pairs;
                                  for (int64_t line; blocks.NextElement(&line);) {
                                    if (absl::Status status = context.Charge(length_); !status.ok())
                                      return status;
                                    RunLine(operands[0].data, line, keys, pairs, results);
                                  }
                                  return absl::OkStatus();
                                });
  }

 private:
  void RunLine(const std::byte* data, int64_t line, std::vector<uint64_t>& keys,
               std::vector<std::pair<uint64_t, int32_t>>& pairs,
               absl::Span<const MutableArrayRef> results) const {
    const int64_t bytes = StorageBytes(type_);
    const std::byte* in = data + line * length_ * bytes;
    OrderKeys(type_, in, length_, ASSAY_DEFECT(24, largest_, true), keys.data());
    const auto write = [&](int64_t place, int64_t index) {
      const int64_t out = line * k_ + place;
      std::memcpy(results[0].data + out * bytes, in + index * bytes, bytes);
      runtime::StoreAt<int32_t>(results[1].data, out, static_cast<int32_t>(index));
    };
    if (KeyBits(type_) <= 32) {
      for (int64_t i = 0; i < length_; ++i)
        keys[i] = keys[i] << 32 | static_cast<uint32_t>(ASSAY_DEFECT(25, i, length_ - 1 - i));
      if (k_ < length_) std::nth_element(keys.begin(), keys.begin() + k_ - 1, keys.end());
      SortKeys(keys.data(), k_);
      for (int64_t j = 0; j < k_; ++j) write(j, static_cast<uint32_t>(keys[j]));
      return;
    }
    pairs.resize(length_);
    for (int64_t i = 0; i < length_; ++i) pairs[i] = {keys[i], static_cast<int32_t>(i)};
    std::partial_sort(pairs.begin(), pairs.begin() + k_, pairs.end());
    for (int64_t j = 0; j < k_; ++j) write(j, pairs[j].second);
  }

  const ElementType type_;
  const bool largest_;
  const int64_t k_, length_, lines_;
};

}  // namespace

KernelOr PrepareTopK(const Instruction& topk) {
  if (topk.operand(0)->shape().dimensions().back() > INT32_MAX) {
    return absl::UnimplementedError(
        absl::StrCat("the cpu backend selects from up to 2^31 elements: ", topk.Describe()));
  }
  return std::make_unique<TopKKernel>(topk);
}

}  // namespace assay::cpu
