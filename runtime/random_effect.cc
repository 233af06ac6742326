#include "runtime/random_effect.h"

#include <utility>
#include <vector>

namespace assay::runtime {
namespace {

// The state before the step; afterwards it has advanced by delta.
class RandomStateEffect : public Effect {
 public:
  explicit RandomStateEffect(const Instruction& instruction) : instruction_(instruction) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> /*operands*/, CallPath /*path*/,
                                   Process& process, Context& /*context*/) const override {
    constexpr unsigned __int128 kFirst = 0x7012395;
    unsigned __int128& counter =
        process.random().counters.try_emplace(&instruction_, kFirst).first->second;
    Literal state = Literal::Zeros(instruction_.shape());
    state.Set(0, {static_cast<uint64_t>(counter)});
    state.Set(1, {static_cast<uint64_t>(counter >> 64)});
    counter += static_cast<uint64_t>(instruction_.GetInt(Attr::kDelta));
    return std::make_shared<Present>(std::vector<Literal>{std::move(state)});
  }

 private:
  const Instruction& instruction_;
};

}  // namespace

EffectOr PrepareRandomState(const Instruction& instruction) {
  return std::make_unique<RandomStateEffect>(instruction);
}

}  // namespace assay::runtime
