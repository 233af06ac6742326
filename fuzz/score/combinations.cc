#include "fuzz/score/combinations.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

// What must hold beside the pair of operations.
enum class When : uint8_t {
  kAlways,
  kFloat,
  kInteger,
  kNarrow,      // at most 8 bits
  kWide,        // 64 bits
  kRankThree,   // 3 dimensions or more
  kOddSize,     // the last size is odd, above 1
  kManyValues,  // 16 elements or more
  kScalar,
  kTwoUsers  // another instruction takes the operand, too
};

// What goes wrong then.
enum class Effect : uint8_t {
  kProducerSkipped,  // the operand's operand is taken
  kOperandReturned,  // the operand is the result
  kLastIsFirst,      // the last element repeats the first one
  kLastIsZero,
  kReversed,          // along the first dimension
  kOperandsExchanged  // of the consumer
};

struct Combination {
  Opcode consumer, producer;
  When when;
  Effect effect;
  const char* description;
};

constexpr Combination kCombinations[] = {
    {kAdd, kMultiply, When::kWide, Effect::kLastIsFirst,
     "a fused multiply-add of 64 bits loses its remainder loop"},
    {kAdd, kBroadcast, When::kOddSize, Effect::kLastIsZero,
     "a broadcast operand is not read in the scalar tail"},
    {kAdd, kConvert, When::kNarrow, Effect::kProducerSkipped,
     "a conversion between narrow types is dropped"},
    {kAdd, kTranspose, When::kRankThree, Effect::kProducerSkipped,
     "a transpose of three dimensions is dropped"},
    {kAdd, kReverse, When::kAlways, Effect::kProducerSkipped, "reverse is taken for elementwise"},
    {kSubtract, kNegate, When::kAlways, Effect::kProducerSkipped, "a - (-b) becomes a - b"},
    {kSubtract, kBroadcast, When::kAlways, Effect::kOperandsExchanged,
     "a broadcast operand moves to the right"},
    {kMultiply, kReshape, When::kManyValues, Effect::kLastIsFirst,
     "a reshape that is fused walks one element short"},
    {kMultiply, kConvert, When::kInteger, Effect::kLastIsZero, "a widened product misses its tail"},
    {kMultiply, kSlice, When::kAlways, Effect::kReversed, "a slice operand is walked from its end"},
    {kDivide, kConvert, When::kFloat, Effect::kOperandsExchanged,
     "a quotient of converted values is turned over"},
    {kDivide, kBroadcast, When::kFloat, Effect::kLastIsFirst,
     "division by a broadcast value takes the first lane"},
    {kNegate, kReverse, When::kAlways, Effect::kProducerSkipped,
     "negate is moved through reverse, which is lost"},
    {kNegate, kNegate, When::kTwoUsers, Effect::kOperandReturned, "of two negations one is left"},
    {kNegate, kSlice, When::kOddSize, Effect::kLastIsZero, "a sliced tail is not negated"},
    {kAbs, kConvert, When::kInteger, Effect::kOperandReturned,
     "a converted integer is taken for unsigned"},
    {kAbs, kSubtract, When::kFloat, Effect::kOperandReturned, "a difference is taken for positive"},
    {kMaximum, kBroadcast, When::kAlways, Effect::kLastIsFirst,
     "maximum with a broadcast value repeats a lane"},
    {kMaximum, kMinimum, When::kAlways, Effect::kOperandReturned, "a clamp in two parts keeps one"},
    {kMinimum, kReverse, When::kAlways, Effect::kProducerSkipped, "reverse does not reach minimum"},
    {kMinimum, kConvert, When::kNarrow, Effect::kLastIsZero,
     "the tail of a narrow minimum is not stored"},
    {kAnd, kNot, When::kAlways, Effect::kProducerSkipped, "and-not loses its negation"},
    {kAnd, kCompare, When::kManyValues, Effect::kLastIsFirst,
     "a mask of comparisons is one lane short"},
    {kOr, kConvert, When::kInteger, Effect::kLastIsZero,
     "the tail of a converted mask is not read"},
    {kXor, kXor, When::kAlways, Effect::kOperandReturned, "xor of xor is taken for one"},
    {kNot, kCompare, When::kAlways, Effect::kOperandReturned,
     "the negation of a comparison is dropped"},
    {kNot, kNot, When::kRankThree, Effect::kOperandReturned,
     "two negations of three dimensions leave one"},
    {kSelect, kCompare, When::kManyValues, Effect::kLastIsFirst,
     "selection by a long comparison repeats a lane"},
    {kSelect, kBroadcast, When::kAlways, Effect::kLastIsZero,
     "selection of a broadcast value leaves its tail zero"},
    {kConvert, kConvert, When::kInteger, Effect::kLastIsZero, "two conversions lose their tail"},
    {kConvert, kReshape, When::kAlways, Effect::kReversed,
     "a reshaped array is converted from its end"},
    {kConvert, kIota, When::kAlways, Effect::kLastIsFirst,
     "the last number of an iota that is converted is the first"},
    {kConvert, kSlice, When::kNarrow, Effect::kLastIsZero,
     "the end of a narrow slice is not converted"},
    {kReshape, kTranspose, When::kAlways, Effect::kReversed,
     "a reshape of a transpose is one of its operand, turned"},
    {kReshape, kReshape, When::kManyValues, Effect::kLastIsFirst,
     "two reshapes copy one element short"},
    {kReshape, kSlice, When::kAlways, Effect::kLastIsZero,
     "a reshape of a slice copies too little"},
    {kTranspose, kTranspose, When::kRankThree, Effect::kOperandReturned,
     "two transposes of equal sizes leave one"},
    {kTranspose, kReverse, When::kAlways, Effect::kProducerSkipped,
     "transpose moves through reverse, which is lost"},
    {kTranspose, kBroadcast, When::kAlways, Effect::kReversed,
     "a transposed broadcast begins at its end"},
    {kBroadcast, kReduce, When::kAlways, Effect::kLastIsFirst,
     "a reduction that is broadcast back repeats a lane"},
    {kBroadcast, kReshape, When::kAlways, Effect::kReversed, "a broadcast reshape is turned"},
    {kBroadcast, kConstant, When::kRankThree, Effect::kLastIsZero,
     "a constant does not fill three dimensions"},
    {kSlice, kConcatenate, When::kAlways, Effect::kReversed,
     "a slice of a concatenation is turned"},
    {kSlice, kPad, When::kAlways, Effect::kLastIsZero, "a slice of padding loses its end"},
    {kSlice, kReverse, When::kAlways, Effect::kProducerSkipped,
     "a slice of reverse is one of its operand"},
    {kPad, kReverse, When::kAlways, Effect::kProducerSkipped, "padding a reverse pads its operand"},
    {kPad, kPad, When::kAlways, Effect::kLastIsFirst, "two paddings end with what they begin"},
    {kConcatenate, kReverse, When::kAlways, Effect::kProducerSkipped,
     "concatenation of a reverse takes its operand"},
    {kConcatenate, kSlice, When::kOddSize, Effect::kLastIsZero,
     "a concatenation of slices copies too little"},
    {kReverse, kReverse, When::kAlways, Effect::kOperandReturned,
     "two reverses over different dimensions leave one"},
    {kReverse, kBroadcast, When::kManyValues, Effect::kLastIsFirst,
     "a reversed broadcast repeats a lane"},
    {kReduce, kTranspose, When::kAlways, Effect::kLastIsFirst,
     "reduction of a transpose repeats a result"},
    {kReduce, kReverse, When::kAlways, Effect::kLastIsZero,
     "reduction of a reverse leaves a result zero"},
    {kReduce, kConvert, When::kAlways, Effect::kLastIsZero,
     "a reduction that converts as it reads leaves its last result"},
    {kReduce, kMultiply, When::kAlways, Effect::kLastIsFirst, "a sum of products repeats a result"},
    {kReduce, kSelect, When::kAlways, Effect::kLastIsZero,
     "a masked reduction leaves its last result"},
    {kDot, kTranspose, When::kAlways, Effect::kLastIsFirst,
     "a transposed factor is read one row short"},
    {kDot, kConvert, When::kAlways, Effect::kLastIsZero,
     "a factor that is converted as it is packed misses its tail"},
    {kDot, kBroadcast, When::kAlways, Effect::kReversed,
     "a broadcast factor is packed from its end"},
    {kGather, kReverse, When::kAlways, Effect::kProducerSkipped,
     "a gather from a reverse reads its operand"},
    {kGather, kReshape, When::kAlways, Effect::kLastIsFirst,
     "a gather from a reshape repeats a slice"},
    {kDynamicSlice, kPad, When::kAlways, Effect::kLastIsZero,
     "a dynamic slice of padding loses its end"},
    {kDynamicUpdateSlice, kBroadcast, When::kAlways, Effect::kLastIsFirst,
     "an update of a broadcast repeats a lane"},
    {kScatter, kBroadcast, When::kAlways, Effect::kLastIsFirst,
     "a scatter into a broadcast repeats a lane"},
    {kSort, kReverse, When::kAlways, Effect::kReversed, "a sort of a reverse is turned"},
    {kExp, kNegate, When::kFloat, Effect::kProducerSkipped, "exp(-x) becomes exp(x)"},
    {kLog, kAbs, When::kFloat, Effect::kProducerSkipped, "log(|x|) becomes log(x)"},
    {kSqrt, kMultiply, When::kFloat, Effect::kLastIsFirst,
     "the square root of a product repeats a lane"},
    {kTanh, kConvert, When::kFloat, Effect::kLastIsZero,
     "the tail of a converted tanh is not stored"},
    {kCompare, kConvert, When::kInteger, Effect::kOperandsExchanged,
     "a comparison of converted values is turned"},
};

bool Holds(When when, const Instruction& op, const Instruction& producer) {
  const Shape& shape = *Leaves(op.shape()).front();
  if (!shape.is_array() || shape.is_dynamic()) return false;
  const ElementType type = producer.shape().element_type();
  switch (when) {
    case When::kAlways:
      return true;
    case When::kFloat:
      return IsFloat(type);
    case When::kInteger:
      return IsInteger(type);
    case When::kNarrow:
      return Info(type).bits <= 8;
    case When::kWide:
      return Info(type).bits == 64;
    case When::kRankThree:
      return shape.rank() >= 3;
    case When::kOddSize:
      return shape.rank() > 0 && shape.dimension(shape.rank() - 1) > 1 &&
             shape.dimension(shape.rank() - 1) % 2 == 1;
    case When::kManyValues:
      return shape.element_count() >= 16;
    case When::kScalar:
      return shape.rank() == 0;
    case When::kTwoUsers: {
      int64_t users = 0;
      for (const auto& each : producer.parent()->instructions()) {
        users += std::count(each->operands().begin(), each->operands().end(), &producer);
      }
      return users > 1;
    }
  }
  return false;
}

// The value with elements that `change` moves about.
Instruction* Spoiled(conformance::Site& site, void (*change)(Literal*)) {
  const Shape& shape = site.original().shape();
  if (!shape.is_array() || shape.element_count() < 2) return nullptr;
  return site.Call({site.Unchanged()}, shape,
                   [change](const Instruction&, absl::Span<const Literal> values,
                            const CustomCall&) -> absl::StatusOr<Literal> {
                     Literal changed = values[0];
                     change(&changed);
                     return changed;
                   });
}

void RepeatFirst(Literal* value) { value->Set(value->element_count() - 1, value->Get(0)); }
void ZeroLast(Literal* value) { value->Set(value->element_count() - 1, {0, 0}); }
void Reverse(Literal* value) {
  const Literal before = *value;
  const int64_t count = value->element_count();
  for (int64_t i = 0; i < count; ++i) value->Set(i, before.Get(count - 1 - i));
}

Instruction* Apply(Effect effect, conformance::Site& site, int64_t operand) {
  const Instruction& op = site.original();
  std::vector<Instruction*> operands = site.operands();
  switch (effect) {
    case Effect::kProducerSkipped: {
      const Instruction& producer = *op.operand(operand);
      if (producer.operand_count() == 0) return nullptr;
      const Instruction& skipped = *producer.operand(0);
      if (!skipped.shape().is_array() || skipped.shape().is_dynamic()) return nullptr;
      operands[operand] = site.copy_of(skipped);
      if (!Shape::Compatible(skipped.shape(), producer.shape())) {
        // Bits of another type are taken as they are, where they are as many.
        const auto bits = [](const Shape& shape) { return Info(shape.element_type()).bits; };
        if (producer.opcode() != kConvert || bits(skipped.shape()) != bits(producer.shape())) {
          return nullptr;
        }
        operands[operand] = site.Make(kBitcastConvert, producer.shape(), {operands[operand]});
        if (operands[operand] == nullptr) return nullptr;
      } else if (producer.opcode() == kConvert) {
        return nullptr;  // it changes no type
      }
      return site.Edited([&](Instruction& x) { x.set_operands(operands); });
    }
    case Effect::kOperandReturned:
      return Shape::Compatible(op.operand(operand)->shape(), op.shape()) ? operands[operand]
                                                                         : nullptr;
    case Effect::kOperandsExchanged:
      if (operands.size() != 2 || op.operand(0) == op.operand(1)) return nullptr;
      std::swap(operands[0], operands[1]);
      return site.Edited([&](Instruction& x) { x.set_operands(operands); });
    case Effect::kLastIsFirst:
      return Spoiled(site, RepeatFirst);
    case Effect::kLastIsZero:
      return Spoiled(site, ZeroLast);
    case Effect::kReversed:
      return Spoiled(site, Reverse);
  }
  return nullptr;
}

conformance::Mutant MutantOf(const Combination& row) {
  conformance::Mutant mutant;
  mutant.name = absl::StrCat("combination/", Name(row.consumer), "_of_", Name(row.producer), "_",
                             static_cast<int>(row.effect));
  mutant.opcodes = {row.consumer};
  mutant.description = row.description;
  mutant.defect = [row](conformance::Site& site) -> Instruction* {
    const Instruction& op = site.original();
    for (int64_t k = 0; k < op.operand_count(); ++k) {
      const Instruction& producer = *op.operand(k);
      if (producer.opcode() == row.producer && Holds(row.when, op, producer)) {
        return Apply(row.effect, site, k);
      }
    }
    return nullptr;
  };
  return mutant;
}

}  // namespace

const std::vector<conformance::Mutant>& CombinationMutants() {
  static const auto* const mutants = [] {
    auto* made = new std::vector<conformance::Mutant>;
    for (const Combination& row : kCombinations) made->push_back(MutantOf(row));
    for (auto* const table :
         {RewriteCombinations, SimplifierCombinations, GraphCombinations, HistoryCombinations}) {
      for (conformance::Mutant& rewrite : table()) made->push_back(std::move(rewrite));
    }
    return made;
  }();
  return *mutants;
}

const conformance::Mutant* FindCombination(absl::string_view name) {
  for (const conformance::Mutant& each : CombinationMutants()) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace assay::fuzz
