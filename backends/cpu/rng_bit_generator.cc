// rng-bit-generator: blocks of a counter-based generator, shared among the threads.
// Source: reference ops_control_and_collectives.md 10. Tests: kernels_test.cc.
#include <algorithm>
#include <utility>

#include "backends/cpu/kernels.h"
#include "backends/cpu/random_words.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "spec/ir/attribute_values.h"

namespace assay::cpu {
namespace {

class BitGeneratorKernel : public Kernel {
 public:
  explicit BitGeneratorKernel(const Instruction& generator)
      : three_fry_(generator.GetEnum<RandomAlgorithm>(Attr::kRngAlgorithm) ==
                   RandomAlgorithm::kThreeFry),
        type_(generator.shape().tuple_shape(1).element_type()),
        bits_(Info(type_).bits),
        long_state_(generator.operand(0)->shape().element_count() == 3),
        count_(generator.shape().tuple_shape(1).element_count()) {
    // Words of 32 bits come in pairs along one dimension: the first of even size, else the first of
    // the largest.
    const auto sizes = generator.shape().tuple_shape(1).dimensions();
    size_t split = 0;
    bool even = false;
    for (size_t d = 0; d < sizes.size() && !even; ++d) {
      even = ASSAY_DEFECT(41, sizes[d] % 2 == 0, true);
      if (even || sizes[d] > sizes[split]) split = d;
    }
    if (sizes.empty()) return;
    size_ = sizes[split];
    for (size_t d = split + 1; d < sizes.size(); ++d) inner_ *= sizes[d];
    for (size_t d = 0; d < split; ++d) outer_ *= sizes[d];
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const std::byte* state = operands[0].data;
    const auto key = runtime::LoadAt<uint64_t>(state, 0), low = runtime::LoadAt<uint64_t>(state, 1);
    // A state of two words stands for a counter whose upper half is the key.
    const uint64_t high =
        long_state_ ? runtime::LoadAt<uint64_t>(state, 2) : ASSAY_DEFECT(42, key, 0);
    const unsigned __int128 counter = static_cast<unsigned __int128>(high) << 64 | low;
    absl::Status status = runtime::ParallelFor(
        context, Blocks(), runtime::GrainFor(24), [&](runtime::Blocks& blocks, Context& context) {
          while (blocks.Next()) {
            absl::Status status = context.Charge(blocks.count() * (three_fry_ ? 2 : 4));
            if (!status.ok()) return status;
            const int64_t end = blocks.first() + blocks.count();
            for (int64_t b = blocks.first(); b < end; ++b) {
              three_fry_ ? WriteThreefry(key, low, b, results[1].data)
                         : WritePhilox(key, counter, b, results[1].data);
            }
          }
          return absl::OkStatus();
        });
    const unsigned __int128 next =
        counter + static_cast<unsigned __int128>(ASSAY_DEFECT(43, Blocks(), Blocks() + 1));
    runtime::StoreAt<uint64_t>(results[0].data, 0, key);
    runtime::StoreAt<uint64_t>(results[0].data, 1, static_cast<uint64_t>(next));
    if (long_state_) {
      runtime::StoreAt<uint64_t>(results[0].data, 2, static_cast<uint64_t>(next >> 64));
    }
    return status;
  }

 private:
  int64_t Half() const { return (size_ + 1) / 2; }
  int64_t Blocks() const {
    if (!three_fry_) {
      const int64_t in_block = bits_ == 64 ? 2 : 4;
      return (count_ + in_block - 1) / in_block;
    }
    return bits_ == 64 ? count_ : outer_ * Half() * inner_;
  }

  void WriteWord(std::byte* out, int64_t i, uint32_t word) const {
    if (bits_ == 32) return runtime::StoreAt<uint32_t>(out, i, word);
    if (bits_ == 16) return runtime::StoreAt<uint16_t>(out, i, static_cast<uint16_t>(word));
    out[i] = static_cast<std::byte>(word & ((1u << bits_) - 1));
  }

  void WritePhilox(uint64_t key, unsigned __int128 counter, int64_t block, std::byte* out) const {
    const auto words = PhiloxBlock(key, counter + static_cast<unsigned __int128>(block));
    if (bits_ == 64) {
      for (int64_t j = 0; j < 2 && 2 * block + j < count_; ++j) {
        runtime::StoreAt<uint64_t>(out, 2 * block + j,
                                   uint64_t{words[2 * j + 1]} << 32 | words[2 * j]);
      }
      return;
    }
    for (int64_t j = 0; j < 4 && 4 * block + j < count_; ++j) {
      WriteWord(out, 4 * block + j, words[j]);
    }
  }

  void WriteThreefry(uint64_t key, uint64_t counter, int64_t block, std::byte* out) const {
    const auto words = ThreefryBlock(key, counter + static_cast<uint64_t>(block));
    if (bits_ == 64) {
      return runtime::StoreAt<uint64_t>(out, block, uint64_t{words[1]} << 32 | words[0]);
    }
    const int64_t i = block % inner_, pair = block / inner_ % Half(), o = block / inner_ / Half();
    for (int64_t j = 0; j < 2 && 2 * pair + j < size_; ++j) {
      WriteWord(out, (o * size_ + 2 * pair + j) * inner_ + i, words[j]);
    }
  }

  const bool three_fry_;
  const ElementType type_;
  const int bits_;
  const bool long_state_;
  const int64_t count_;
  int64_t outer_ = 1, size_ = 1, inner_ = 1;
};

}  // namespace

KernelOr PrepareRngBitGenerator(const Instruction& generator) {
  return std::make_unique<BitGeneratorKernel>(generator);
}

}  // namespace assay::cpu
