// Kernel of rng-bit-generator: blocks some hundred at a time, then their words to where they
// belong. Source: reference ops_control_and_collectives.md 10. Tests: random_kernels_test.cc.
#include <algorithm>
#include <memory>

#include "evaluator/kernels/kernel.h"
#include "evaluator/ops/random_blocks.h"
#include "runtime/parallel.h"

namespace assay::evaluator::kernels {
namespace {

// Blocks at once, and in the share of a thread.
constexpr int64_t kBatch = 256, kShare = 64 * kBatch;

class RandomBitsKernel : public Kernel {
 public:
  explicit RandomBitsKernel(const Instruction& rng)
      : plan_(RandomBitsPlan::Of(rng)),
        type_(rng.shape().tuple_shape(1).element_type()),
        mask_(Info(type_).bits >= 32 ? ~uint32_t{0} : (uint32_t{1} << Info(type_).bits) - 1) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    uint64_t state[3] = {};
    const int64_t words = plan_.long_state ? 3 : 2;
    for (int64_t k = 0; k < words; ++k) state[k] = LoadAt<uint64_t>(operands[0].data, k);
    const std::array<uint64_t, 3> next = plan_.NextState(state);
    for (int64_t k = 0; k < words; ++k) StoreAt(results[0].data, k, next[k]);
    switch (StorageBytes(type_)) {
      case 1:
        return Fill<uint8_t>(state, results[1].data, context);
      case 2:
        return Fill<uint16_t>(state, results[1].data, context);
      case 4:
        return Fill<uint32_t>(state, results[1].data, context);
      default:
        return Fill<uint64_t>(state, results[1].data, context);
    }
  }

 private:
  template <typename T>
  absl::Status Fill(const uint64_t* state, std::byte* out, EvaluationContext& context) const {
    return ParallelFor(context, plan_.blocks, kShare,
                       [&](Blocks& shares, EvaluationContext& context) {
                         Meter meter(context);
                         while (shares.Next()) {
                           const int64_t end = shares.first() + shares.count();
                           for (int64_t first = shares.first(); first < end; first += kBatch) {
                             const int64_t count = std::min(kBatch, end - first);
                             plan_.three_fry ? FillThreefry<T>(state, first, count, out)
                                             : FillPhilox<T>(state, first, count, out);
                             if (absl::Status status = meter.Add(4 * count); !status.ok())
                               return status;
                           }
                         }
                         return meter.Flush();
                       });
  }

  template <typename T>
  void FillPhilox(const uint64_t* state, int64_t first, int64_t count, std::byte* out) const {
    uint32_t words[4 * kBatch];
    const Counter128 counter =
        RandomBitsPlan::PhiloxCounter(state, plan_.long_state) + static_cast<uint64_t>(first);
    for (int64_t b = 0; b < count; ++b) {
      const auto block = Philox4x32(state[0], counter + static_cast<uint64_t>(b));
      std::copy(block.begin(), block.end(), words + 4 * b);
    }
    constexpr int64_t kPerBlock = sizeof(T) == 8 ? 2 : 4;
    const int64_t n = std::min(count * kPerBlock, plan_.count - first * kPerBlock);
    std::byte* target = out + first * kPerBlock * static_cast<int64_t>(sizeof(T));
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (sizeof(T) == 8) {
        StoreAt<T>(target, i, words[2 * i] | uint64_t{words[2 * i + 1]} << 32);
      } else {
        StoreAt<T>(target, i, static_cast<T>(words[i] & mask_));
      }
    }
  }

  template <typename T>
  void FillThreefry(const uint64_t* state, int64_t first, int64_t count, std::byte* out) const {
    uint32_t words[2][kBatch];
    const uint64_t counter = state[1] + static_cast<uint64_t>(first);
    // All of a batch, so that the loop has a fixed length and runs in vectors.
    for (int64_t b = 0; b < kBatch; ++b) {
      const auto block = Threefry2x32(state[0], counter + static_cast<uint64_t>(b));
      words[0][b] = block[0];
      words[1][b] = block[1];
    }
    if constexpr (sizeof(T) == 8) {
      for (int64_t b = 0; b < count; ++b) {
        StoreAt<T>(out, first + b, words[0][b] | uint64_t{words[1][b]} << 32);
      }
    } else {
      Place<T>(words[0], words[1], first, count, out);
    }
  }

  // The words of blocks [first, first + count), which may end a line along the split dimension.
  template <typename T>
  void Place(const uint32_t* even, const uint32_t* odd, int64_t first, int64_t count,
             std::byte* out) const {
    const ThreefryGrid& grid = plan_.grid;
    if (grid.inner == 1 && grid.size % 2 == 0) {
      for (int64_t b = 0; b < count; ++b) {
        StoreAt<T>(out, 2 * (first + b), static_cast<T>(even[b] & mask_));
        StoreAt<T>(out, 2 * (first + b) + 1, static_cast<T>(odd[b] & mask_));
      }
      return;
    }
    int64_t j = first % grid.inner;
    int64_t h = first / grid.inner % grid.half;
    int64_t outer = first / grid.inner / grid.half;
    for (int64_t b = 0; b < count;) {
      const int64_t run = std::min(grid.inner - j, count - b);
      const int64_t to = (outer * grid.size + 2 * h) * grid.inner + j;
      const bool has_odd = 2 * h + 1 < grid.size;
      for (int64_t i = 0; i < run; ++i)
        StoreAt<T>(out, to + i, static_cast<T>(even[b + i] & mask_));
      for (int64_t i = 0; has_odd && i < run; ++i) {
        StoreAt<T>(out, to + grid.inner + i, static_cast<T>(odd[b + i] & mask_));
      }
      b += run;
      j = 0;  // every run but the last of the batch ends a line
      if (++h == grid.half) {
        h = 0;
        ++outer;
      }
    }
  }

  const RandomBitsPlan plan_;
  const ElementType type_;
  const uint32_t mask_;
};

}  // namespace

KernelOrNull PrepareRandomBits(const Instruction& instruction) {
  return std::make_unique<RandomBitsKernel>(instruction);
}

}  // namespace assay::evaluator::kernels
