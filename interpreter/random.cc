// `rng` and `rng-get-and-update-state`: random numbers whose generator has state. Golden draws from
// Philox, keyed by the seed of the run, the instruction and the process; each execution goes on
// where the last one stopped. Which numbers come is no promise to other implementations, their
// distribution is. Source: reference ops_control_and_collectives.md 9. Tests: random_test.cc.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "evaluator/ops/random_blocks.h"
#include "evaluator/real/real_functions.h"
#include "interpreter/golden_effects.h"
#include "runtime/world.h"

namespace assay {
namespace {

// Equal for equal names on every machine (FNV-1a).
uint64_t HashName(absl::string_view name) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3;
  return hash;
}

// 32-bit words of one execution, one after the other.
class Words {
 public:
  Words(uint64_t key, evaluator::Counter128* counter) : key_(key), counter_(counter) {}
  uint32_t Next() {
    if (used_ == 4) {
      block_ = evaluator::Philox4x32(key_, (*counter_)++);
      used_ = 0;
    }
    return block_[used_++];
  }
  uint64_t NextLong() {
    const uint64_t low = Next();
    return low | uint64_t{Next()} << 32;
  }

 private:
  uint64_t key_;
  evaluator::Counter128* counter_;
  std::array<uint32_t, 4> block_{};
  int used_ = 4;
};

// In [0, 1), of as many bits as an element of the type has; types below f32 draw 23.
double UnitUniform(ElementType type, Words& words) {
  if (type == ElementType::kF64) return std::ldexp(words.NextLong() >> 12, -52);
  return std::ldexp(words.Next() >> 9, -23);
}

double F64(evaluator::RealFunction function, double x) {
  Element element;
  std::memcpy(&element.bits, &x, sizeof x);
  const Element y = evaluator::EvaluateReal(function, ElementType::kF64, element);
  double result;
  std::memcpy(&result, &y.bits, sizeof result);
  return result;
}

// Two independent standard normals (Box and Muller).
std::array<double, 2> Normals(ElementType type, Words& words) {
  const double u = std::max(UnitUniform(type, words), 1e-7);
  const double angle = 2 * std::numbers::pi * UnitUniform(type, words);
  const double radius = std::sqrt(-2 * F64(evaluator::RealFunction::kLog, u));
  return {radius * F64(evaluator::RealFunction::kSin, angle),
          radius * F64(evaluator::RealFunction::kCos, angle)};
}

class Rng : public runtime::Effect {
 public:
  explicit Rng(const Instruction& rng)
      : rng_(rng),
        type_(rng.shape().element_type()),
        normal_(rng.GetEnum<RandomDistribution>(Attr::kDistribution) ==
                RandomDistribution::kNormal) {}

  absl::StatusOr<runtime::PendingPtr> Start(absl::Span<const Literal> operands,
                                            runtime::CallPath /*path*/, runtime::Process& process,
                                            runtime::Context& context) const override {
    absl::StatusOr<Literal> result = process.ZeroArray(rng_.shape());
    if (!result.ok()) return result.status();
    const int64_t count = result->element_count();
    uint64_t key = process.world().options().random_seed ^ HashName(rng_.name()) >> 32;
    if (process.grid().replicas > 1) key ^= static_cast<uint64_t>(process.id().replica);
    if (process.grid().partitions > 1) key ^= static_cast<uint64_t>(process.id().partition) << 32;
    Words words(key, &process.random().counters[&rng_]);
    std::array<double, 2> normals{};
    for (int64_t i = 0; i < count; ++i) {
      if (absl::Status status = context.Charge(1); !status.ok()) return status;
      if (normal_ && i % 2 == 0) normals = Normals(type_, words);
      result->Set(i, normal_ ? Normal(operands, normals[i % 2])
                             : Uniform(operands[0].Get(0), operands[1].Get(0), words));
    }
    return std::make_shared<runtime::Present>(std::vector<Literal>{*std::move(result)});
  }

 private:
  Element Normal(absl::Span<const Literal> operands, double z) const {
    const double mean = DecodeFloat(type_, operands[0].Get(0).bits);
    const double deviation = std::abs(DecodeFloat(type_, operands[1].Get(0).bits));
    return {EncodeFloat(type_, mean + deviation * z)};
  }

  // Of an empty range it is the lower bound.
  Element Uniform(Element low, Element high, Words& words) const {
    if (IsFloat(type_)) {
      const double a = DecodeFloat(type_, low.bits), b = DecodeFloat(type_, high.bits);
      const double u = UnitUniform(type_, words);
      const uint64_t drawn = EncodeFloat(type_, a + u * (b - a));
      return {DecodeFloat(type_, drawn) < b && a < b ? drawn : low.bits};
    }
    if (IsPred(type_)) return low;
    const bool is_signed = IsSigned(type_);
    const uint64_t a = is_signed ? static_cast<uint64_t>(DecodeSigned(type_, low.bits))
                                 : DecodeUnsigned(type_, low.bits);
    const uint64_t b = is_signed ? static_cast<uint64_t>(DecodeSigned(type_, high.bits))
                                 : DecodeUnsigned(type_, high.bits);
    const bool empty = is_signed ? static_cast<int64_t>(a) >= static_cast<int64_t>(b) : a >= b;
    const uint64_t drawn = Info(type_).bits == 64 ? words.NextLong() : words.Next();
    return empty ? low : Element{EncodeInteger(type_, a + drawn % (b - a))};
  }

  const Instruction& rng_;
  ElementType type_;
  bool normal_;
};

}  // namespace

runtime::EffectOr PrepareRandomEffect(const Instruction& instruction) {
  return std::make_unique<Rng>(instruction);
}

}  // namespace assay
