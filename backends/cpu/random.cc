// rng and rng-get-and-update-state: Philox, keyed by the seed of the run, the instruction and the
// device; each execution goes on where the last one stopped. Which numbers come is no promise,
// their distribution is. Source: reference ops_control_and_collectives.md 9. Tests:
// kernels_test.cc.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/random_words.h"
#include "backends/cpu/region.h"
#include "backends/defect.h"
#include "runtime/world.h"
#include "spec/ir/attribute_values.h"

namespace assay::cpu {
namespace {

using runtime::Present;
using Counter = unsigned __int128;

// Words of one execution, one after the other.
class WordStream {
 public:
  WordStream(uint64_t key, Counter* counter) : key_(key), counter_(counter) {}
  uint32_t Next32() {
    if (used_ == 4) {
      words_ = PhiloxBlock(key_, ASSAY_DEFECT(44, (*counter_)++, *counter_));
      used_ = 0;
    }
    return words_[used_++];
  }
  uint64_t Next64() {
    const uint64_t low = Next32();
    return low | uint64_t{Next32()} << 32;
  }
  // In [0, 1): a multiple of 2^-53.
  double NextUnit() { return static_cast<double>(Next64() >> 11) * 0x1p-53; }

 private:
  const uint64_t key_;
  Counter* const counter_;
  std::array<uint32_t, 4> words_ = {};
  size_t used_ = 4;
};

class RngEffect : public runtime::Effect {
 public:
  explicit RngEffect(const Instruction& rng)
      : rng_(rng),
        type_(rng.shape().element_type()),
        normal_(rng.GetEnum<RandomDistribution>(Attr::kDistribution) ==
                RandomDistribution::kNormal),
        // Different for every instruction of a module: names are unique.
        key_(std::hash<std::string>()(rng.name()) * 0x9E3779B97F4A7C15u) {}

  absl::StatusOr<runtime::PendingPtr> Start(absl::Span<const Literal> operands,
                                            runtime::CallPath /*path*/, runtime::Process& process,
                                            Context& context) const override {
    absl::StatusOr<Literal> value = process.NewArray(rng_.shape());
    if (!value.ok()) return value.status();
    Counter& counter = process.random().counters[&rng_];
    const uint64_t seed = process.world().options().random_seed;
    WordStream words(key_ ^ seed ^ static_cast<uint64_t>(process.number()) << 32, &counter);
    const int64_t n = value->element_count();
    std::byte* out = value->mutable_data();
    for (int64_t first = 0; first < n; first += kBlockElements) {
      const int64_t count = std::min(kBlockElements, n - first);
      if (absl::Status status = context.Charge(count); !status.ok()) return status;
      IsFloat(type_) ? DrawFloats(operands, first, count, words, out)
                     : DrawIntegers(operands, first, count, words, out);
    }
    return std::make_shared<Present>(std::vector<Literal>{*std::move(value)});
  }

 private:
  void DrawFloats(absl::Span<const Literal> operands, int64_t first, int64_t n, WordStream& words,
                  std::byte* out) const {
    const double a = DecodeFloat(type_, operands[0].Get(0).bits);
    const double b = DecodeFloat(type_, operands[1].Get(0).bits);
    const Element lowest = operands[0].Get(0);
    for (int64_t i = 0; i < n; i += normal_ ? 2 : 1) {
      double values[2];
      if (normal_) {
        const double radius = std::sqrt(-2 * std::log(1 - words.NextUnit()));
        const double angle = 2 * std::numbers::pi * words.NextUnit();
        values[0] = a + ASSAY_DEFECT(45, std::abs(b), 2 * std::abs(b)) * radius * std::cos(angle);
        values[1] = a + std::abs(b) * radius * std::sin(angle);
      } else {
        values[0] = a < b ? a + (b - a) * words.NextUnit() : a;
      }
      for (int64_t j = 0; j < (normal_ ? 2 : 1) && i + j < n; ++j) {
        Element element = {EncodeFloat(type_, values[j])};
        // What rounds up to the bound is not below it.
        if (!normal_ && a < b && DecodeFloat(type_, element.bits) >= b) element = lowest;
        StoreElement(type_, element, out, first + i + j);
      }
    }
  }

  void DrawIntegers(absl::Span<const Literal> operands, int64_t first, int64_t n, WordStream& words,
                    std::byte* out) const {
    const uint64_t low = operands[0].Get(0).bits, high = operands[1].Get(0).bits;
    const bool ordered = IsSigned(type_) ? DecodeSigned(type_, low) < DecodeSigned(type_, high)
                                         : DecodeUnsigned(type_, low) < DecodeUnsigned(type_, high);
    const uint64_t range = IsSigned(type_) ? static_cast<uint64_t>(DecodeSigned(type_, high)) -
                                                 static_cast<uint64_t>(DecodeSigned(type_, low))
                                           : high - low;
    for (int64_t i = 0; i < n; ++i) {
      // The upper half of a product: each value within 2^-64 of its share.
      const auto drawn =
          ordered ? static_cast<uint64_t>(static_cast<Counter>(words.Next64()) * range >> 64) : 0;
      StoreElement(type_, {EncodeInteger(type_, low + drawn)}, out, first + i);
    }
  }

  const Instruction& rng_;
  const ElementType type_;
  const bool normal_;
  const uint64_t key_;
};

}  // namespace

runtime::EffectOr PrepareRandom(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kRng) return std::make_unique<RngEffect>(instruction);
  return absl::UnimplementedError(absl::StrCat("the cpu backend has no ", instruction.Describe()));
}

}  // namespace assay::cpu
