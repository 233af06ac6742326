// rng-bit-generator: (state, bits) of a counter-based generator, a pure function of the state.
// Types of 16 bits and less keep the low bits of a word of their own; floats are the bits of the
// unsigned type of their width; the default algorithm is Philox. Source:
// ops_control_and_collectives.md 10.
#include "evaluator/ops/bit_patterns.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/random_blocks.h"

namespace assay::evaluator {
namespace {

class RngBitGenerator : public Definition {
 public:
  explicit RngBitGenerator(const Instruction& rng)
      : rng_(rng), plan_(RandomBitsPlan::Of(rng)), type_(ResultType(rng, 1)) {}

  absl::StatusOr<Element> At(int64_t leaf, Index i, OperandElements& operands,
                             EvaluationContext&) override {
    uint64_t state[3] = {};
    for (int64_t k = 0; k < (plan_.long_state ? 3 : 2); ++k) {
      absl::StatusOr<Element> word = operands.At(0, {k});
      if (!word.ok()) return word;
      state[k] = word->bits;
    }
    if (leaf == 0) return Element{plan_.NextState(state)[i[0]]};
    return Element{plan_.three_fry ? ThreefryBits(state, i) : PhiloxBits(state, i)};
  }

 private:
  uint64_t ThreefryBits(const uint64_t* state, Index i) const {
    const int64_t position = PositionOf(i, rng_.shape().tuple_shape(1).dimensions());
    if (plan_.wide) {
      const auto words = Threefry2x32(state[0], state[1] + static_cast<uint64_t>(position));
      return words[0] | uint64_t{words[1]} << 32;
    }
    // Element e along the split dimension takes word e mod 2 of block e div 2.
    const ThreefryGrid& grid = plan_.grid;
    const int64_t j = position % grid.inner, line = position / grid.inner;
    const int64_t e = line % grid.size, outer = line / grid.size;
    const int64_t block = (outer * grid.half + e / 2) * grid.inner + j;
    return Narrow(Threefry2x32(state[0], state[1] + static_cast<uint64_t>(block))[e % 2]);
  }

  uint64_t PhiloxBits(const uint64_t* state, Index i) const {
    const int64_t position = PositionOf(i, rng_.shape().tuple_shape(1).dimensions());
    const Counter128 counter = RandomBitsPlan::PhiloxCounter(state, plan_.long_state);
    const int64_t word = plan_.wide ? 2 * position : position;
    const auto words = Philox4x32(state[0], counter + static_cast<uint64_t>(word / 4));
    if (plan_.wide) return words[word % 4] | uint64_t{words[word % 4 + 1]} << 32;
    return Narrow(words[word % 4]);
  }

  uint64_t Narrow(uint32_t word) const { return FromPattern(type_, word).bits; }

  const Instruction& rng_;
  const RandomBitsPlan plan_;
  const ElementType type_;
};

}  // namespace

DefinitionOr DefineRngBitGenerator(const Instruction& rng) {
  return std::make_unique<RngBitGenerator>(rng);
}

}  // namespace assay::evaluator
