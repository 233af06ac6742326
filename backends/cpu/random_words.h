// The counter-based generators of the specification: Philox4x32-10 and Threefry2x32-20.
// The evaluator has generators of its own (evaluator/ops/random_blocks.h) on purpose: a comparison
// of two implementations is worth what they do not share. Source: reference
// ops_control_and_collectives.md 10.1, 10.3. Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_RANDOM_WORDS_H_
#define ASSAY_BACKENDS_CPU_RANDOM_WORDS_H_

#include <array>
#include <bit>
#include <cstdint>

namespace assay::cpu {

// The four words of a block.
inline std::array<uint32_t, 4> PhiloxBlock(uint64_t key, unsigned __int128 counter) {
  uint32_t x0 = static_cast<uint32_t>(counter), x1 = static_cast<uint32_t>(counter >> 32);
  uint32_t x2 = static_cast<uint32_t>(counter >> 64), x3 = static_cast<uint32_t>(counter >> 96);
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{x0} * 0xD2511F53u, p1 = uint64_t{x2} * 0xCD9E8D57u;
    x0 = static_cast<uint32_t>(p1 >> 32) ^ x1 ^ k0;
    x1 = static_cast<uint32_t>(p1);
    x2 = static_cast<uint32_t>(p0 >> 32) ^ x3 ^ k1;
    x3 = static_cast<uint32_t>(p0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {x0, x1, x2, x3};
}

// The two words of a block.
inline std::array<uint32_t, 2> ThreefryBlock(uint64_t key, uint64_t counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  const uint32_t keys[3] = {k0, k1, 0x1BD11BDAu ^ k0 ^ k1};
  uint32_t x0 = static_cast<uint32_t>(counter) + keys[0];
  uint32_t x1 = static_cast<uint32_t>(counter >> 32) + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (const int rotation : kRotations[group % 2]) {
      x0 += x1;
      x1 = std::rotl(x1, rotation) ^ x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + group + 1;
  }
  return {x0, x1};
}

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_RANDOM_WORDS_H_
