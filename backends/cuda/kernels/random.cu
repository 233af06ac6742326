// Counter-based random numbers: Philox4x32-10 and Threefry2x32-20 as rng-bit-generator has them,
// and the distributions of rng over Philox. A thread computes a block of words. Source: reference
// ops_control_and_collectives.md 9, 10. Tests: cuda_kernels_test.cc.
#include "backends/cuda/kernels/element.h"
#include "backends/cuda/kernels/index.h"
#include "backends/cuda/kernels/trigonometry.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

struct PhiloxWords {
  uint32_t words[4];
};
ASSAY_DEVICE PhiloxWords Philox(uint64_t key, uint64_t low, uint64_t high) {
  uint32_t a = static_cast<uint32_t>(low), b = static_cast<uint32_t>(low >> 32);
  uint32_t c = static_cast<uint32_t>(high), d = static_cast<uint32_t>(high >> 32);
  uint32_t first = static_cast<uint32_t>(key), second = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p = 0xd2511f53ull * a, q = 0xcd9e8d57ull * c;
    const uint32_t next_a = static_cast<uint32_t>(q >> 32) ^ b ^ first;
    const uint32_t next_c = static_cast<uint32_t>(p >> 32) ^ d ^ second;
    a = next_a;
    b = static_cast<uint32_t>(q);
    c = next_c;
    d = static_cast<uint32_t>(p);
    first += 0x9e3779b9u;
    second += 0xbb67ae85u;
  }
  return {{a, b, c, d}};
}
ASSAY_DEVICE uint32_t RotatedLeft(uint32_t x, int n) { return x << n | x >> (32 - n); }
ASSAY_DEVICE uint64_t Threefry(uint64_t key, uint64_t counter) {
  const uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  const uint32_t keys[3] = {k0, k1, 0x1bd11bdau ^ k0 ^ k1};
  const int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  uint32_t a = static_cast<uint32_t>(counter) + keys[0];
  uint32_t b = static_cast<uint32_t>(counter >> 32) + keys[1];
  for (int round = 0; round < 20; ++round) {
    a += b;
    b = RotatedLeft(b, rotations[round % 8]) ^ a;
    if (round % 4 != 3) continue;
    const uint32_t group = static_cast<uint32_t>(round) / 4 + 1;
    a += keys[group % 3];
    b += keys[(group + 1) % 3] + group;
  }
  return static_cast<uint64_t>(b) << 32 | a;
}

__global__ void RandomBits(ASSAY_PARAMETER(BitsParameter, p)) {
  const uint64_t key = p.state[0], low = p.state[1];
  const uint64_t high = p.state_words == 3 ? p.state[2] : ASSAY_MUTANT(50, key, 0);
  for (int64_t i = FirstIndex(); i < p.blocks; i += GridStride()) {
    const uint64_t at = low + static_cast<uint64_t>(i);
    if (p.three_fry) {
      const uint64_t words = Threefry(key, at);
      if (p.row.bits == 64) {
        Store(p.row, p.out, i, {words, 0});
        continue;
      }
      const int64_t half = (p.size + 1) / 2;
      const int64_t rest = i % p.inner, pair = i / p.inner % half, outer = i / p.inner / half;
      for (int64_t j = 0; j < 2 && 2 * pair + j < p.size; ++j) {
        Store(p.row, p.out,
              (outer * p.size + ASSAY_MUTANT(51, 2 * pair + j, 2 * pair + 1 - j)) * p.inner + rest,
              {words >> (32 * j) & LowBits(p.row.bits), 0});
      }
      continue;
    }
    const PhiloxWords block = Philox(key, at, high + ASSAY_MUTANT(52, (at < low ? 1 : 0), 0));
    if (p.row.bits == 64) {
      for (int64_t j = 0; j < 2 && 2 * i + j < p.count; ++j) {
        const uint64_t upper = block.words[2 * j + 1];
        Store(p.row, p.out, 2 * i + j, {upper << 32 | block.words[2 * j], 0});
      }
    } else {
      for (int64_t j = 0; j < 4 && 4 * i + j < p.count; ++j) {
        Store(p.row, p.out, 4 * i + j, {block.words[j] & LowBits(p.row.bits), 0});
      }
    }
  }
  if (FirstIndex() == 0) {
    const uint64_t next = low + static_cast<uint64_t>(p.blocks);
    p.new_state[0] = key;
    p.new_state[1] = next;
    if (p.state_words == 3) p.new_state[2] = high + (next < low ? 1 : 0);
  }
}

// Threefry of each element: the words of a key and of a counter give two words.
__global__ void ThreefryElements(ASSAY_PARAMETER(ThreefryParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const uint64_t key = p.key[0][i] | static_cast<uint64_t>(p.key[1][i]) << 32;
    const uint64_t counter = p.counter[0][i] | static_cast<uint64_t>(p.counter[1][i]) << 32;
    const uint64_t words = Threefry(key, counter);
    p.out[0][i] = static_cast<uint32_t>(words);
    p.out[1][i] = static_cast<uint32_t>(words >> 32);
  }
}

ASSAY_DEVICE double UnitOf(uint32_t low, uint32_t high) {  // in [0, 1), a multiple of 2^-53
  return static_cast<double>((static_cast<uint64_t>(high) << 32 | low) >> 11) * 0x1p-53;
}
__global__ void Draw(ASSAY_PARAMETER(DrawParameter, p)) {
  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {
    const PhiloxWords block = Philox(p.seed[0], static_cast<uint64_t>(i), p.seed[1]);
    const Value low = Load(p.row, p.low, 0), high = Load(p.row, p.high, 0);
    if (p.row.kind != kKindFloat) {
      const uint64_t a = DecodeInteger(p.row, low.bits), b = DecodeInteger(p.row, high.bits);
      const bool ordered =
          p.row.kind == kKindSigned ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
      const uint64_t word = static_cast<uint64_t>(block.words[1]) << 32 | block.words[0];
      const uint64_t drawn = static_cast<uint64_t>(static_cast<Wide>(word) * (b - a) >> 64);
      Store(p.row, p.out, i, {EncodeInteger(p.row, a + (ordered ? drawn : 0)), 0});
      continue;
    }
    const double a = DecodeFloat(p.row, low.bits), b = DecodeFloat(p.row, high.bits);
    const double x = UnitOf(block.words[0], block.words[1]);
    Value value;
    if (p.normal) {
      const double radius = SquareRoot(-2 * Log(1 - x));
      const double turn = UnitOf(block.words[2], block.words[3]);
      const double z = radius * Cos(turn * 2 * HalfPi().high * 2);
      value.bits = EncodeFloat(p.row, a + Magnitude(b) * z);
    } else {
      value.bits = EncodeFloat(p.row, a < b ? a + (b - a) * x : a);
      // What is rounded up to the bound is not below it.
      if (a < b && DecodeFloat(p.row, value.bits) >= b) value = low;
    }
    Store(p.row, p.out, i, value);
  }
}

ASSAY_ENTRIES(Random) = {ASSAY_ENTRY(RandomBits), ASSAY_ENTRY(ThreefryElements), ASSAY_ENTRY(Draw),
                         ASSAY_LAST_ENTRY};

}  // namespace assay::cuda::ASSAY_CUDA_BUILD
