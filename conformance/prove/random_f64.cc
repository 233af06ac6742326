// Tests: prove_test.cc.
#include "conformance/prove/random_f64.h"

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"

namespace assay::conformance::prove {
namespace {

struct Part {
  int64_t count;
  evaluator::RealTier first_tier;
};

constexpr int64_t kShard = 1 << 16;

void AddShards(int64_t count, evaluator::RealTier first_tier, std::vector<Part>& parts) {
  for (; count > 0; count -= kShard) parts.push_back({std::min(count, kShard), first_tier});
}

}  // namespace

std::vector<uint64_t> RandomF64(int64_t count, uint64_t seed) {
  constexpr uint64_t kBias = 1023;
  std::mt19937_64 random(seed);
  std::vector<uint64_t> patterns(count);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t exponent = i % 2 == 0 ? kBias - 60 + random() % 70 : random() % (2 * kBias + 1);
    const uint64_t bits = random();
    patterns[i] = (bits & ~(uint64_t{0x7ff} << 52)) | exponent << 52;
  }
  return patterns;
}

absl::StatusOr<Certificate> ProveRandomF64(evaluator::RealFunction function, int64_t count,
                                           uint64_t seed, const std::string& path,
                                           const ProofOptions& options) {
  std::vector<Part> parts;
  AddShards(count, evaluator::RealTier::kExact, parts);
  AddShards(count / 100, evaluator::RealTier::kBig192, parts);
  for (evaluator::RealTier tier : {evaluator::RealTier::kBig384, evaluator::RealTier::kBig768,
                                   evaluator::RealTier::kBig1536}) {
    AddShards(count / 10'000, tier, parts);
  }
  Certificate blank;
  blank.function = NameOf(function);
  blank.type = "f64";
  blank.range = absl::StrCat(count, " random inputs, seed ", seed);
  blank.method = "mpfr";
  blank.references = "none";
  const auto work = [&](size_t shard) {
    const Part& part = parts[shard];
    SweepOptions sweep = options.sweep;
    sweep.first_tier = part.first_tier;
    return SweepInputs(function, ElementType::kF64, RandomF64(part.count, seed << 32 ^ shard),
                       sweep);
  };
  return ProveShards(std::move(blank), parts.size(), work, path, options);
}

}  // namespace assay::conformance::prove
