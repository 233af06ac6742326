// Blocks of real elements: a table look-up for the small types, the first tier by vectors for the
// others, element by element for what that leaves undecided.
// Tests: function_blocks_test.cc.
#include <bit>
#include <cmath>
#include <cstring>

#include "evaluator/real/dd_tier.h"
#include "evaluator/real/double_block.h"
#include "evaluator/real/float_block.h"
#include "evaluator/real/function_tables.h"
#include "evaluator/real/hardware_tiers.h"
#include "evaluator/real/real_patterns.h"
#include "evaluator/real/tier_bounds.h"

namespace assay::evaluator::real {
namespace {

// --- small types ---

void CountExact(const RealContext& context, int64_t count) {
  if (context.stats != nullptr) {
    context.stats->decided[static_cast<int>(RealTier::kExact)] += count;
  }
}

template <class Storage>
void LookUp(const uint16_t* table, uint32_t mask, const std::byte* x, std::byte* out,
            int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    Storage pattern;
    std::memcpy(&pattern, x + i * sizeof(Storage), sizeof(Storage));
    pattern = static_cast<Storage>(table[pattern & mask]);
    std::memcpy(out + i * sizeof(Storage), &pattern, sizeof(Storage));
  }
}

void LookUp(const uint8_t* table, int bits, const std::byte* a, const std::byte* b, std::byte* out,
            int64_t count) {
  const uint32_t mask = (1u << bits) - 1;
  for (int64_t i = 0; i < count; ++i) {
    const auto x = static_cast<uint32_t>(a[i]), y = static_cast<uint32_t>(b[i]);
    out[i] = static_cast<std::byte>(table[(x & mask) << bits | (y & mask)]);
  }
}

// --- the double tier ---

void CountDouble(const RealContext& context, int64_t count) {
  if (context.stats != nullptr) {
    context.stats->decided[static_cast<int>(RealTier::kDouble)] += count;
  }
}

// So many elements that all arrays of a chunk stay in the first cache.
constexpr int64_t kChunk = 512;

struct Chunk {
  alignas(64) double y[kChunk];       // operands, results of the double tier, then their lower ends
  alignas(64) double second[kChunk];  // second operands, then upper ends
  alignas(64) std::byte patterns[kChunk * sizeof(float)];
  alignas(64) std::byte upper_patterns[kChunk * sizeof(float)];
};

// Rounds both ends of every result. Returns whether all are decided; if not, Decided() tells which.
bool RoundChunk(ElementType type, Chunk& chunk, int64_t count, double bound) {
  bool all = true;
  for (int64_t i = 0; i < count; ++i) {
    const double reach = std::fabs(chunk.y[i]) * bound;
    chunk.second[i] = chunk.y[i] + reach;
    chunk.y[i] -= reach;
    all &= std::fabs(chunk.y[i]) > 0;
  }
  EncodeFloats(type, chunk.y, count, chunk.patterns);
  EncodeFloats(type, chunk.second, count, chunk.upper_patterns);
  return all && std::memcmp(chunk.patterns, chunk.upper_patterns,
                            static_cast<size_t>(count * Info(type).storage_bytes)) == 0;
}

// False for zeros, which may be underflows or special values, and for NaN, the lower end of
// infinities too.
bool Decided(ElementType type, const Chunk& chunk, int64_t i) {
  return std::fabs(chunk.y[i]) > 0 &&
         LoadElement(type, chunk.patterns, i) == LoadElement(type, chunk.upper_patterns, i);
}

// `compute(i, n, chunk)` leaves results of the double tier for n elements from element i on in
// chunk.y; `decide(i)` is the pattern of element i, found the long way.
template <class Compute, class Decide>
void DoubleTierBlock(ElementType type, double bound, std::byte* out, int64_t count,
                     const RealContext& context, Compute compute, Decide decide) {
  const int bytes = Info(type).storage_bytes;
  Chunk chunk;
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    const int64_t size = count - begin < kChunk ? count - begin : kChunk;
    compute(begin, size, chunk);
    int64_t decided = size;
    if (!RoundChunk(type, chunk, size, bound)) {
      for (int64_t i = 0; i < size; ++i) {
        if (Decided(type, chunk, i)) continue;
        --decided;
        StoreElement(type, {decide(begin + i), 0}, chunk.patterns, i);
      }
    }
    // Only now: `out` may be an operand.
    std::memcpy(out + begin * bytes, chunk.patterns, static_cast<size_t>(size * bytes));
    CountDouble(context, decided);
  }
}

// f32 where decoding, function and rounding are one loop.
template <class Decide>
void FloatTierBlock(RealFunction function, const std::byte* x, std::byte* out, int64_t count,
                    const RealContext& context, Decide decide) {
  const double bound = BoundOf(function, Arithmetic::kDouble);
  alignas(64) std::byte patterns[kFloatBlock * sizeof(float)];
  int32_t open[kFloatBlock];
  for (int64_t begin = 0; begin < count; begin += kFloatBlock) {
    const int64_t size = count - begin < kFloatBlock ? count - begin : kFloatBlock;
    const std::byte* const from = x + begin * static_cast<int64_t>(sizeof(float));
    const int64_t opened = FloatBlock(function, bound, from, size, patterns, open);
    for (int64_t i = 0; i < opened; ++i) {
      StoreElement(ElementType::kF32, {decide(begin + open[i]), 0}, patterns, open[i]);
    }
    // Only now: `out` may be the operand.
    std::memcpy(out + begin * sizeof(float), patterns, static_cast<size_t>(size) * sizeof(float));
    CountDouble(context, size - opened);
  }
}

// f64 by sums of two doubles; `compute` leaves them in `high` and `low`.
template <class Compute, class Decide>
void DdTierBlock(double bound, std::byte* out, int64_t count, const RealContext& context,
                 Compute compute, Decide decide) {
  alignas(64) double high[kDdBlock], low[kDdBlock];
  for (int64_t begin = 0; begin < count; begin += kDdBlock) {
    const int64_t size = count - begin < kDdBlock ? count - begin : kDdBlock;
    compute(begin, size, high, low);
    int64_t open = 0;
    for (int64_t i = 0; i < size; ++i) {
      const double lower = LowerEnd(high[i], low[i], bound);
      high[i] = UpperEnd(high[i], low[i], bound);
      low[i] = lower;
      open += lower != high[i];
    }
    for (int64_t i = 0; open != 0 && i < size; ++i) {
      if (low[i] != high[i]) low[i] = std::bit_cast<double>(decide(begin + i));
    }
    // Only now: `out` may be an operand.
    std::memcpy(out + begin * sizeof(double), low, static_cast<size_t>(size) * sizeof(double));
    CountDouble(context, size - open);
  }
}

template <class Decide>
void OneByOne(ElementType type, std::byte* out, int64_t count, Decide decide) {
  for (int64_t i = 0; i < count; ++i) StoreElement(type, {decide(i), 0}, out, i);
}

// The forced tier is the scalar one, so that tests can hold vectors against it.
Lanes LanesFor(const RealContext& context) {
  return context.first_tier == RealTier::kExact ? MostLanes() : Lanes::kOne;
}

// The hardware's square root is correctly rounded; see TryRoot in real_functions.cc.
void RootBlock(ElementType type, const std::byte* x, std::byte* out, int64_t count) {
  const int bytes = Info(type).storage_bytes;
  alignas(64) double root[kChunk];
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    const int64_t size = count - begin < kChunk ? count - begin : kChunk;
    DecodeFloats(type, x + begin * bytes, size, root);
    for (int64_t i = 0; i < size; ++i) root[i] = std::sqrt(root[i]);
    EncodeFloats(type, root, size, out + begin * bytes, NanSign::kPositive);
  }
}

// Blocks have no enclosure to write to.
RealContext WithoutEnclosure(const RealContext& context) {
  RealContext inner = context;
  inner.enclosure = nullptr;
  return inner;
}

// For elements that a block of f64 leaves open: its tier would leave them open once more.
RealContext AfterBlock(ElementType type, const RealContext& context) {
  RealContext later = context;
  if (type == ElementType::kF64 && context.first_tier <= RealTier::kDouble) {
    later.first_tier = RealTier::kExtended;
  }
  return later;
}

}  // namespace

void RealBlock(RealFunction function, ElementType type, const std::byte* x, std::byte* out,
               int64_t count, const RealContext& outer) {
  const RealContext context = WithoutEnclosure(outer);
  const ElementTypeInfo& info = Info(type);
  const RealContext later = AfterBlock(type, context);
  const auto decide = [&](int64_t i) {
    return RealPattern(function, type, LoadElement(type, x, i).bits, later);
  };
  if (info.bits <= 16 && context.first_tier == RealTier::kExact) {
    const uint16_t* table = TableOf(function, type);
    CountExact(context, count);
    if (info.storage_bytes == 2) return LookUp<uint16_t>(table, 0xffff, x, out, count);
    return LookUp<uint8_t>(table, (1u << info.bits) - 1, x, out, count);
  }
  if (function == RealFunction::kSqrt && context.first_tier == RealTier::kExact) {
    CountExact(context, count);
    return RootBlock(type, x, out, count);
  }
  if (context.first_tier > RealTier::kDouble) return OneByOne(type, out, count, decide);
  const Lanes lanes = LanesFor(context);
  if (type == ElementType::kF64) {
    const auto ends = [&](int64_t begin, int64_t size, double* high, double* low) {
      alignas(64) double argument[kDdBlock];
      DecodeFloats(type, x + begin * info.storage_bytes, size, argument);
      DdBlock(function, lanes, argument, high, low, size);
    };
    return DdTierBlock(BoundOf(function, Arithmetic::kDd), out, count, context, ends, decide);
  }
  if (type == ElementType::kF32 && lanes != Lanes::kOne && HasFloatBlock(function)) {
    return FloatTierBlock(function, x, out, count, context, decide);
  }
  const auto compute = [&](int64_t begin, int64_t size, Chunk& chunk) {
    DecodeFloats(type, x + begin * info.storage_bytes, size, chunk.y);
    DoubleBlock(function, lanes, chunk.y, size);
  };
  DoubleTierBlock(type, BoundOf(function, Arithmetic::kDouble), out, count, context, compute,
                  decide);
}

void RealBlock(RealFunction2 function, ElementType type, const std::byte* a, const std::byte* b,
               std::byte* out, int64_t count, const RealContext& outer) {
  const RealContext context = WithoutEnclosure(outer);
  const ElementTypeInfo& info = Info(type);
  const RealContext later = AfterBlock(type, context);
  const auto decide = [&](int64_t i) {
    return RealPattern(function, type, LoadElement(type, a, i).bits, LoadElement(type, b, i).bits,
                       later);
  };
  if (info.bits <= 8 && context.first_tier == RealTier::kExact) {
    CountExact(context, count);
    return LookUp(TableOf(function, type), info.bits, a, b, out, count);
  }
  if (context.first_tier > RealTier::kDouble) return OneByOne(type, out, count, decide);
  const Lanes lanes = LanesFor(context);
  if (type == ElementType::kF64) {
    const auto ends = [&](int64_t begin, int64_t size, double* high, double* low) {
      alignas(64) double first[kDdBlock], second[kDdBlock];
      DecodeFloats(type, a + begin * info.storage_bytes, size, first);
      DecodeFloats(type, b + begin * info.storage_bytes, size, second);
      DdBlock(function, lanes, first, second, high, low, size);
    };
    return DdTierBlock(BoundOf(function, Arithmetic::kDd), out, count, context, ends, decide);
  }
  const auto compute = [&](int64_t begin, int64_t size, Chunk& chunk) {
    DecodeFloats(type, a + begin * info.storage_bytes, size, chunk.y);
    DecodeFloats(type, b + begin * info.storage_bytes, size, chunk.second);
    DoubleBlock(function, lanes, chunk.y, chunk.second, size);
  };
  DoubleTierBlock(type, BoundOf(function, Arithmetic::kDouble), out, count, context, compute,
                  decide);
}

}  // namespace assay::evaluator::real
