// The two counter-based generators of random bits, block by block, and the mapping of an element of
// rng-bit-generator to a word of a block. The cpu backend has generators of its own
// (backends/cpu/random_words.h) on purpose: a comparison of two implementations is worth what they
// do not share. Source: reference ops_control_and_collectives.md 10 (the
// generators are those of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"). Tests:
// every_path_test.cc, random_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_OPS_RANDOM_BLOCKS_H_
#define ASSAY_EVALUATOR_OPS_RANDOM_BLOCKS_H_

#include <array>
#include <bit>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "evaluator/ops/definition.h"
#include "spec/ir/module.h"

namespace assay::evaluator {

using Counter128 = unsigned __int128;

inline uint32_t LowWord(uint64_t value) { return static_cast<uint32_t>(value); }
inline uint32_t HighWord(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

// Threefry2x32 with 20 rounds (reference 10.1).
inline std::array<uint32_t, 2> Threefry2x32(uint64_t key, uint64_t counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr uint32_t kParity = 0x1BD11BDA;
  const uint32_t keys[3] = {LowWord(key), HighWord(key), kParity ^ LowWord(key) ^ HighWord(key)};
  uint32_t x0 = LowWord(counter) + keys[0];
  uint32_t x1 = HighWord(counter) + keys[1];
  for (int group = 0; group < 5; ++group) {
    for (const int rotation : kRotations[group % 2]) {
      x0 += x1;
      x1 = std::rotl(x1, rotation) ^ x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + static_cast<uint32_t>(group + 1);
  }
  return {x0, x1};
}

// Philox4x32 with 10 rounds (reference 10.3).
inline std::array<uint32_t, 4> Philox4x32(uint64_t key, Counter128 counter) {
  constexpr uint64_t kM0 = 0xD2511F53, kM1 = 0xCD9E8D57;
  constexpr uint32_t kW0 = 0x9E3779B9, kW1 = 0xBB67AE85;
  const auto low = static_cast<uint64_t>(counter), high = static_cast<uint64_t>(counter >> 64);
  uint32_t x0 = LowWord(low), x1 = HighWord(low), x2 = LowWord(high), x3 = HighWord(high);
  uint32_t k0 = LowWord(key), k1 = HighWord(key);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = x0 * kM0, p1 = x2 * kM1;
    x0 = HighWord(p1) ^ x1 ^ k0;
    x1 = LowWord(p1);
    x2 = HighWord(p0) ^ x3 ^ k1;
    x3 = LowWord(p0);
    k0 += kW0;
    k1 += kW1;
  }
  return {x0, x1, x2, x3};
}

// How THREE_FRY maps its blocks of two words to an array of elements of at most 32 bits: the two
// halves of one dimension are paired, and the blocks form an array [outer, half, inner] (reference
// 10.2).
struct ThreefryGrid {
  int64_t size;   // the size of the split dimension
  int64_t half;   // ceil(size / 2)
  int64_t inner;  // the number of elements behind the split dimension
  int64_t blocks;

  static ThreefryGrid Of(const Shape& shape) {
    Dimensions sizes(shape.dimensions().begin(), shape.dimensions().end());
    if (sizes.empty()) sizes.push_back(1);
    // The first even dimension, otherwise the first of the largest ones.
    auto split = absl::c_find_if(sizes, [](int64_t size) { return size % 2 == 0; });
    if (split == sizes.end()) split = absl::c_max_element(sizes);
    const int64_t size = *split, half = (size + 1) / 2;
    *split = half;
    return {size, half, CountOf(absl::MakeSpan(split + 1, sizes.end())), CountOf(sizes)};
  }
};

// The parameters of an rng-bit-generator (reference 10).
struct RandomBitsPlan {
  bool three_fry;
  bool long_state;    // Philox with both counter words
  bool wide;          // true for elements of two words
  int64_t count;      // of elements
  int64_t blocks;     // the number of blocks for all elements
  ThreefryGrid grid;  // set for THREE_FRY with elements of one word

  static RandomBitsPlan Of(const Instruction& rng) {
    const Shape& bits = rng.shape().tuple_shape(1);
    RandomBitsPlan plan{};
    plan.three_fry =
        rng.GetEnum<RandomAlgorithm>(Attr::kRngAlgorithm) == RandomAlgorithm::kThreeFry;
    plan.long_state = rng.operand(0)->shape().dimension(0) == 3;
    plan.wide = Info(bits.element_type()).bits == 64;
    plan.count = bits.element_count();
    if (!plan.three_fry) {
      const int64_t per_block = plan.wide ? 2 : 4;
      plan.blocks = plan.count / per_block + (plan.count % per_block != 0 ? 1 : 0);
    } else if (plan.wide) {
      plan.blocks = plan.count;
    } else {
      plan.grid = ThreefryGrid::Of(bits);
      plan.blocks = plan.grid.blocks;
    }
    return plan;
  }

  // Returns the counter of block 0 of Philox. A state of two words has the key as its upper half.
  static Counter128 PhiloxCounter(const uint64_t* state, bool long_state) {
    return Counter128{long_state ? state[2] : state[0]} << 64 | state[1];
  }

  // Returns the words of the state after the call. The carry out of a single counter word is
  // dropped.
  std::array<uint64_t, 3> NextState(const uint64_t* state) const {
    const auto advance = static_cast<uint64_t>(blocks);
    if (!long_state) return {state[0], state[1] + advance};
    const Counter128 next = PhiloxCounter(state, true) + advance;
    return {state[0], static_cast<uint64_t>(next), static_cast<uint64_t>(next >> 64)};
  }
};

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_RANDOM_BLOCKS_H_
