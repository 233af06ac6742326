// Defects of random numbers: state, blocks, ranges.
#include <cmath>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"

namespace assay::conformance {
namespace {

using enum Opcode;

// Of a result (state, bits).
Defect OnBits(void (*defect)(Literal& bits)) {
  return OnResult([defect](const Instruction&, absl::Span<const Literal>,
                           std::vector<Literal>* leaves, const CustomCall&) {
    if (leaves->back().element_count() > 0) defect(leaves->back());
  });
}

// The words of the initial state are other ones.
Defect OnState(void (*defect)(Literal& state)) {
  return [defect](Site& site) -> Instruction* {
    Instruction* state = site.Call(
        {site.operand(0)}, site.original().operand(0)->shape(),
        [defect](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
          Literal changed = values[0];
          defect(changed);
          return changed;
        });
    return site.Edited([&](Instruction& copy) { copy.set_operands({state}); });
  };
}

void ExchangeFirstWords(Literal& state) {
  const Element first = state.Get(0);
  state.Set(0, state.Get(1));
  state.Set(1, first);
}

}  // namespace

std::vector<Mutant> RandomMutants() {
  return {
      {"rng-bit-generator/state_not_advanced",
       {kRngBitGenerator},
       "the next call gives the same bits",
       OnResult([](const Instruction&, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves,
                   const CustomCall&) { leaves->front() = operands[0]; })},
      {"rng-bit-generator/state_advanced_by_one_more",
       {kRngBitGenerator},
       "a block is left out",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         Literal& state = leaves->front();
         const ElementType type = state.element_type();
         state.Set(1, {EncodeInteger(type, state.Get(1).bits + 1), 0});
       })},
      {"rng-bit-generator/key_and_counter_exchanged",
       {kRngBitGenerator},
       "the first words of the state are exchanged",
       OnState(ExchangeFirstWords)},
      {"rng-bit-generator/counter_starts_at_one",
       {kRngBitGenerator},
       "the first block is left out",
       OnState([](Literal& state) {
         state.Set(1, {EncodeInteger(state.element_type(), state.Get(1).bits + 1), 0});
       })},
      {"rng-bit-generator/other_algorithm",
       {kRngBitGenerator},
       "Threefry and Philox are exchanged",
       Edit([](Instruction& x) {
         const auto algorithm = x.GetEnum<RandomAlgorithm>(Attr::kRngAlgorithm);
         x.SetAttribute(Attr::kRngAlgorithm,
                        static_cast<int64_t>(algorithm == RandomAlgorithm::kPhilox
                                                 ? RandomAlgorithm::kThreeFry
                                                 : RandomAlgorithm::kPhilox));
       })},
      {"rng-bit-generator/halves_exchanged",
       {kRngBitGenerator},
       "the words of a block are exchanged",
       OnBits([](Literal& bits) {
         for (int64_t i = 0; i + 1 < bits.element_count(); i += 2) {
           const Element first = bits.Get(i);
           bits.Set(i, bits.Get(i + 1));
           bits.Set(i + 1, first);
         }
       })},
      {"rng-bit-generator/top_bit_missing",
       {kRngBitGenerator},
       "the bits are those of signed numbers",
       OnBits([](Literal& bits) {
         const int top = Info(bits.element_type()).bits - 1;
         for (int64_t i = 0; i < bits.element_count(); ++i) {
           bits.Set(i, {bits.Get(i).bits & ~(uint64_t{1} << top), 0});
         }
       })},
      {"rng-bit-generator/last_block_repeated",
       {kRngBitGenerator},
       "the last element is the one before",
       OnBits([](Literal& bits) {
         const int64_t last = bits.element_count() - 1;
         bits.Set(last, bits.Get(last > 0 ? last - 1 : 0));
       })},
      {"rng-bit-generator/default_is_zero",
       {kRngBitGenerator},
       "the default algorithm gives zeros",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) { leaves->back() = Literal::Zeros(leaves->back().shape()); },
                [](const Instruction& x) {
                  return x.GetEnum<RandomAlgorithm>(Attr::kRngAlgorithm) ==
                         RandomAlgorithm::kDefault;
                })},
      {"rng-bit-generator/default_counts",
       {kRngBitGenerator},
       "the default algorithm gives the counter itself",
       OnResult(
           [](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
              const CustomCall&) {
             Literal& bits = leaves->back();
             for (int64_t i = 0; i < bits.element_count(); ++i) {
               bits.Set(i, {EncodeInteger(bits.element_type(), static_cast<uint64_t>(i)), 0});
             }
           },
           [](const Instruction& x) {
             return IsInteger(x.shape().tuple_shapes()[1].element_type()) &&
                    x.GetEnum<RandomAlgorithm>(Attr::kRngAlgorithm) == RandomAlgorithm::kDefault;
           })},
      {"rng/constant",
       {kRng},
       "every number is the lower bound or the mean",
       OnElements([](const ElementSite& e) { return e.x[0]; })},
      {"rng/first_number_repeated",
       {kRng},
       "one number is drawn and broadcast",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         Literal& numbers = leaves->front();
         for (int64_t i = 1; i < numbers.element_count(); ++i) numbers.Set(i, numbers.Get(0));
       })},
      {"rng/integers_without_the_last",
       {kRng},
       "the range of integers is one value too short",
       OnElements(
           [](const ElementSite& e) {
             return e.u(1) - e.u(0) > 1 && e.golden.bits + 1 == e.x[1].bits ? e.x[0] : e.golden;
           },
           IntegerResult())},
      {"rng/normal_is_uniform",
       {kRng},
       "normal numbers are uniform ones of the same variance",
       OnElements(
           [](const ElementSite& e) {
             const double z = (e.result() - e.f(0)) / e.f(1);
             return e.Float(e.f(0) + e.f(1) * std::sqrt(3) * std::erf(z / std::sqrt(2)));
           },
           [](const Instruction& x) {
             return FloatResult()(x) && x.GetEnum<RandomDistribution>(Attr::kDistribution) ==
                                            RandomDistribution::kNormal;
           })},
      {"rng/bounds_ignored",
       {kRng},
       "numbers lie between 0 and 1 whatever the bounds",
       OnElements([](const ElementSite& e) { return e.Float(0.5 - 2 * std::abs(e.f(0))); },
                  [](const Instruction& x) {
                    return FloatResult()(x) && x.GetEnum<RandomDistribution>(Attr::kDistribution) ==
                                                   RandomDistribution::kUniform;
                  })},
      {"rng/upper_bound_included",
       {kRng},
       "the upper bound itself comes out",
       OnElements([](const ElementSite& e) { return e.x[1]; },
                  [](const Instruction& x) {
                    return x.GetEnum<RandomDistribution>(Attr::kDistribution) ==
                           RandomDistribution::kUniform;
                  })},
      {"rng/normal_is_not_a_number",
       {kRng},
       "the logarithm of zero is taken",
       OnElements(
           [](const ElementSite& e) {
             return Element{CanonicalNan(e.type), 0};
           },
           [](const Instruction& x) {
             return FloatResult()(x) && x.GetEnum<RandomDistribution>(Attr::kDistribution) ==
                                            RandomDistribution::kNormal;
           })},
      {"programs/equal_draws_are_merged",
       {kRng},
       "of two equal instructions that draw numbers one is taken for the other",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         for (const auto& each : x.parent()->instructions()) {
           if (each.get() == &x) return nullptr;
           if (each->opcode() == kRng && each->shape() == x.shape() &&
               each->operands() == x.operands() &&
               each->GetInt(Attr::kDistribution) == x.GetInt(Attr::kDistribution)) {
             return site.copy_of(*each);
           }
         }
         return nullptr;
       }},
  };
}

}  // namespace assay::conformance
