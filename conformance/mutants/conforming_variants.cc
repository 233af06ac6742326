// Variants that are legal under a profile: other orders of sums, contraction, flushed denormals,
// wider accumulators, unstable orders. The judge must not accuse them there, and must see them
// under profile golden.
#include <algorithm>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/sums.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kF16, ElementType::kF32, ElementType::kF64;

constexpr char kGolden[] = "golden";
constexpr char kStrict[] = "cpu-strict";
constexpr char kXlaCpu[] = "xla-cpu";
constexpr char kGpu[] = "gpu";

const std::vector<Opcode>& Sums() {
  static const auto* const sums =
      new std::vector<Opcode>{kDot, kConvolution, kReduce, kReduceWindow};
  return *sums;
}

// Floating-point operations that round.
std::vector<Opcode> Rounding(Accuracy accuracy) {
  std::vector<Opcode> opcodes;
  for (const OpInfo& row : Catalogue()) {
    if (row.elementwise() && row.accuracy == accuracy) opcodes.push_back(row.opcode);
  }
  return opcodes;
}

// A square root's budget is one ulp, which the rounding of the golden one counts in.
std::vector<Opcode> FunctionsOfTwoUlps() {
  std::vector<Opcode> opcodes = Rounding(Accuracy::kFunction);
  std::erase(opcodes, kSqrt);
  return opcodes;
}

// abs sets the sign of a NaN (N-10).
std::vector<Opcode> CreatingNans() {
  std::vector<Opcode> opcodes = Rounding(Accuracy::kRounded);
  std::erase(opcodes, kAbs);
  return opcodes;
}

Element WithNanSign(ElementType type, Element x) {
  if (!IsFloat(type) || !IsNan(type, x.bits)) return x;
  const FloatFormat& format = *Info(type).format;
  if (format.nan != NanEncoding::kIeee) return x;
  return {x.bits | (uint64_t{1} << (Info(type).bits - 1)) | 1, 0};
}

// Powers of two stay: at f(0) and f(1) no budget counts, and ranges end there.
Element OneUlpNearerToZero(const ElementSite& e) {
  int exponent = 0;
  const bool power_of_two = std::fabs(std::frexp(e.result(), &exponent)) == 0.5;
  return power_of_two ? e.golden : NextAfter(e.type, e.golden, -1);
}

// The ends of the ranges of inverse functions stay as well.
Element OneUlpFartherFromZero(const ElementSite& e) {
  constexpr double kPi = 3.14159265358979324;
  int exponent = 0;
  const double x = std::fabs(e.result());
  const bool ends = x == RoundedTo(e.type, kPi) || x == RoundedTo(e.type, kPi / 2);
  const bool power_of_two = std::fabs(std::frexp(x, &exponent)) == 0.5;
  return ends || power_of_two ? e.golden : NextAfter(e.type, e.golden, 1);
}

// a * b + c of one add whose first operand is a multiplication, rounded once.
Instruction* FusedMultiplyAdd(Site& site) {
  const Instruction& add = site.original();
  const Instruction& product = *add.operand(0);
  if (add.shape().element_type() != kF32 || product.opcode() != kMultiply) return nullptr;
  return site.Call(
      {site.copy_of(*product.operand(0)), site.copy_of(*product.operand(1)), site.operand(1)},
      add.shape(), [](const Instruction& x, absl::Span<const Literal> values, const CustomCall&) {
        Literal out = Literal::Zeros(x.shape());
        for (int64_t i = 0; i < out.element_count(); ++i) {
          const auto f = [&](int k) {
            return static_cast<float>(DecodeFloat(kF32, values[k].Get(i).bits));
          };
          out.Set(i, {EncodeFloat(kF32, std::fma(f(0), f(1), f(2))), 0});
        }
        return out;
      });
}

// bf16 and f16 arithmetic on what was not rounded before: operands that are elementwise themselves
// are taken as f32.
Instruction* WithExcessPrecision(Site& site) {
  const Instruction& x = site.original();
  const ElementType type = x.shape().element_type();
  if ((type != kBF16 && type != kF16) || x.shape().is_dynamic()) return nullptr;
  const Instruction* before = x.operand(0);
  if (!before->info().elementwise() || before->info().accuracy != Accuracy::kRounded ||
      before->operand_count() != x.operand_count() || x.operand_count() != 2 ||
      before->shape().element_type() != type) {
    return nullptr;
  }
  const Shape wide(kF32, x.shape().dimensions());
  const auto widened = [&](Instruction* y) { return site.Make(kConvert, wide, {y}); };
  Instruction* inner = site.Make(
      before->opcode(), wide,
      {widened(site.copy_of(*before->operand(0))), widened(site.copy_of(*before->operand(1)))});
  Instruction* outer = site.Make(x.opcode(), wide, {inner, widened(site.operand(1))});
  return site.Make(kConvert, x.shape(), {outer});
}

Instruction* UnstableSort(Site& site) {
  const Instruction& x = site.original();
  if (x.GetBool(Attr::kIsStable)) return nullptr;
  std::vector<Instruction*> operands;
  const std::vector<int64_t> dimensions = {x.GetInt(Attr::kDimension)};
  for (Instruction* operand : site.operands()) {
    operands.push_back(site.Make(kReverse, operand->shape(), {operand}, [&](Instruction& reverse) {
      reverse.SetAttribute(Attr::kDimensions, dimensions);
    }));
    if (operands.back() == nullptr) return nullptr;
  }
  return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
}

// Updates from the last to the first, where one dimension of the indices counts them.
Instruction* ReversedScatter(Site& site) {
  const Instruction& x = site.original();
  if (x.operand_count() != 3 || x.shape().is_dynamic() || x.operand(1)->shape().rank() != 2 ||
      x.GetInt(Attr::kIndexVectorDim) != 1 || !x.GetInts(Attr::kInputBatchingDims).empty()) {
    return nullptr;
  }
  const absl::Span<const int64_t> windows = x.GetInts(Attr::kUpdateWindowDims);
  int64_t batch = 0;
  while (std::find(windows.begin(), windows.end(), batch) != windows.end()) ++batch;
  const auto reversed = [&](int64_t k, int64_t d) {
    return site.Make(kReverse, x.operand(k)->shape(), {site.operand(k)}, [d](Instruction& reverse) {
      reverse.SetAttribute(Attr::kDimensions, std::vector<int64_t>{d});
    });
  };
  std::vector<Instruction*> operands = {site.operand(0), reversed(1, 0), reversed(2, batch)};
  return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
}

// In a tree whose leaves are half of the terms apart.
double SumOfHalves(const std::vector<SumTerm>& terms, ElementType accumulator) {
  std::vector<double> sums;
  for (const SumTerm& term : terms) {
    sums.push_back(term.product ? RoundedTo(accumulator, term.a * term.b) : term.a);
  }
  for (size_t count = sums.size(); count > 1; count = (count + 1) / 2) {
    for (size_t i = (count + 1) / 2; i < count; ++i) {
      double& sum = sums[i - (count + 1) / 2];
      sum = RoundedTo(accumulator, sum + sums[i]);
    }
  }
  return sums.front();
}

double ToTf32(double x) {
  if (!std::isfinite(x) || x == 0) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

// Dots of operands and results of the type whose precision is left to the target.
Where DotLeftOpen(ElementType type) {
  return [type](const Instruction& x) {
    const absl::Span<const int64_t> precisions = x.GetInts(Attr::kOperandPrecision);
    const bool highest = std::find(precisions.begin(), precisions.end(),
                                   static_cast<int64_t>(Precision::kHighest)) != precisions.end();
    bool of_type = x.shape().element_type() == type;
    for (const Instruction* operand : x.operands()) {
      of_type &= operand->shape().element_type() == type;
    }
    return of_type && x.GetInt(Attr::kAlgorithm) == 0 && !highest;
  };
}

std::vector<Mutant> OrderOfSums() {
  const auto sum = [](double (*rule)(const std::vector<SumTerm>&, ElementType)) {
    return SumBy([rule](const std::vector<SumTerm>& terms, ElementType type) {
      return rule(terms, WideAccumulator(type));
    });
  };
  return {
      {"sums/one_after_the_other", Sums(), "terms are added in their order, in f32 or f64",
       sum(SumForward), kStrict},
      {"sums/reversed", Sums(), "terms are added from the last to the first",
       SumBy([](std::vector<SumTerm> terms, ElementType type) {
         std::reverse(terms.begin(), terms.end());
         return SumForward(terms, WideAccumulator(type));
       }),
       kStrict},
      {"sums/pairwise", Sums(), "terms are added pairwise, as a tree", sum(SumPairwise), kStrict},
      {"sums/lanes_of_8", Sums(), "there are eight partial sums, as in vector units",
       SumBy([](const std::vector<SumTerm>& terms, ElementType type) {
         return SumByLanes(terms, WideAccumulator(type), 8);
       }),
       kStrict},
      {"sums/blocks_of_16", Sums(), "each tile of 16 terms has a partial sum of its own",
       SumBy([](const std::vector<SumTerm>& terms, ElementType type) {
         const ElementType wide = WideAccumulator(type);
         std::vector<SumTerm> blocks;
         for (size_t i = 0; i < terms.size(); i += 16) {
           const size_t end = std::min(terms.size(), i + 16);
           blocks.push_back({SumForward({terms.begin() + i, terms.begin() + end}, wide), 1, false});
         }
         return SumForward(blocks, wide);
       }),
       kStrict},
      {"sums/contracted", Sums(), "each product is added before it is rounded", sum(SumContracted),
       kStrict},
      {"sums/halves", Sums(), "the second half of the terms is added to the first, again and again",
       SumBy([](const std::vector<SumTerm>& terms, ElementType type) {
         return SumOfHalves(terms, WideAccumulator(type));
       }),
       kStrict},
      {"sums/by_magnitude", Sums(), "terms are added from the smallest to the largest",
       SumBy([](std::vector<SumTerm> terms, ElementType type) {
         std::stable_sort(terms.begin(), terms.end(), [](const SumTerm& x, const SumTerm& y) {
           return std::abs(x.a * x.b) < std::abs(y.a * y.b);
         });
         return SumForward(terms, WideAccumulator(type));
       }),
       kStrict},
      {"sums/in_f64", Sums(), "terms of narrower types are added up in f64",
       SumBy([](const std::vector<SumTerm>& terms, ElementType) { return SumForward(terms, kF64); },
             TypeIs({kF32, kBF16, kF16})),
       kStrict},
      {"dot/tf32_operands",
       {kDot},
       "f32 operands are rounded to eleven bits on their way into the unit",
       SumBy(
           [](std::vector<SumTerm> terms, ElementType type) {
             for (SumTerm& term : terms) term.a = ToTf32(term.a), term.b = ToTf32(term.b);
             return SumContracted(terms, type);
           },
           DotLeftOpen(kF32)),
       kGpu},
      {"dot/bf16_partial_sums",
       {kDot},
       "partial sums of bf16 dots are rounded to bf16",
       SumBy(
           [](const std::vector<SumTerm>& terms, ElementType) { return SumForward(terms, kBF16); },
           DotLeftOpen(kBF16)),
       kXlaCpu},
  };
}

std::vector<Mutant> ElementVariants() {
  return {
      {"elementwise/denormals_flushed", Rounding(Accuracy::kRounded),
       "denormals are zero on the way in and out",
       OnElements([](const ElementSite& e) { return Flushed(e.type, e.golden); },
                  TypeIs({kF32, kF64, kBF16})),
       kXlaCpu},
      {"elementwise/denormal_operands_are_zero",
       {kAdd, kSubtract, kMultiply, kDivide, kSqrt, kLog},
       "denormals are read as zero",
       OnOperand(-1, Flushed, TypeIs({kF32, kF64})),
       kXlaCpu},
      {"elementwise/negative_nan", CreatingNans(),
       "NaNs that arise are negative and carry a payload",
       OnElements([](const ElementSite& e) { return WithNanSign(e.type, e.golden); },
                  FloatResult()),
       kGolden},
      {"functions/one_ulp_off", FunctionsOfTwoUlps(),
       "the last bit of elementary functions is off by one",
       OnElements(OneUlpNearerToZero,
                  [](const Instruction& x) {
                    return TypeIs({kF32, kF64})(x) && !x.HasAttribute(Attr::kResultAccuracy);
                  }),
       kStrict},
      {"functions/one_ulp_farther", FunctionsOfTwoUlps(),
       "the last bit of elementary functions is off by one, away from zero",
       OnElements(OneUlpFartherFromZero,
                  [](const Instruction& x) {
                    return TypeIs({kF32, kF64})(x) && !x.HasAttribute(Attr::kResultAccuracy);
                  }),
       kStrict},
      {"elementwise/nan_of_an_operand", CreatingNans(),
       "a NaN is that of the first operand that is one, with its sign and payload",
       OnElements(
           [](const ElementSite& e) {
             if (!IsNan(e.type, e.golden.bits)) return e.golden;
             for (size_t k = 0; k < e.x.size(); ++k) {
               if (e.types[k] == e.type && IsNan(e.type, e.x[k].bits)) return e.x[k];
             }
             return e.golden;
           },
           FloatResult()),
       kGolden},
      {"maximum/first_of_zeros",
       {kMaximum, kMinimum},
       "of -0 and +0 the first operand comes out",
       OnElements(
           [](const ElementSite& e) { return e.f(0) == 0 && e.f(1) == 0 ? e.x[0] : e.golden; },
           FloatResult()),
       kGpu},
      {"programs/multiply_add_contracted",
       {kAdd},
       "a * b + c is rounded once",
       FusedMultiplyAdd,
       kGpu},
      {"programs/excess_precision", Rounding(Accuracy::kRounded),
       "bf16 and f16 chains are computed in f32", WithExcessPrecision, kXlaCpu},
      {"sort/unstable",
       {kSort},
       "equal keys come in reverse order where is_stable is false",
       UnstableSort,
       kStrict},
      {"scatter/updates_from_the_end",
       {kScatter},
       "colliding updates are applied in reverse order",
       ReversedScatter,
       kGpu},
      {"rng/other_numbers",
       {kRng},
       "another generator is used: uniform numbers are counted from the upper bound",
       OnElements([](const ElementSite& e) { return e.Float(e.f(0) + (e.f(1) - e.result())); },
                  [](const Instruction& x) {
                    return TypeIs({kF32, kF64})(x) &&
                           x.GetEnum<RandomDistribution>(Attr::kDistribution) ==
                               RandomDistribution::kUniform;
                  }),
       kStrict},
  };
}

// Mean and variance of each feature from sum and sum of squares in f32.
std::vector<Mutant> NormVariants() {
  return {
      {"batch-norm-training/one_pass_variance",
       {kBatchNormTraining},
       "the variance is mean(x^2) - mean(x)^2 in f32",
       OnResult(
           [](const Instruction& x, absl::Span<const Literal> operands,
              std::vector<Literal>* leaves, const CustomCall&) {
             const int64_t d = x.GetInt(Attr::kFeatureIndex);
             Literal& variances = (*leaves)[2];
             for (int64_t f = 0; f < variances.element_count(); ++f) {
               float sum = 0, squares = 0, cells = 0;
               for (int64_t i = 0; i < operands[0].element_count(); ++i) {
                 if (evaluator::IndexAt(i, operands[0].shape().dimensions())[d] != f) continue;
                 const auto value = static_cast<float>(DecodeFloat(kF32, operands[0].Get(i).bits));
                 sum += value, squares += value * value, cells += 1;
               }
               if (cells == 0) continue;
               const float mean = sum / cells;
               const float variance = std::max(squares / cells - mean * mean, 0.0f);  // NaN stays
               variances.Set(f, {EncodeFloat(kF32, variance), 0});
             }
           },
           OperandTypeIs(0, {kF32})),
       kXlaCpu},
  };
}

}  // namespace

std::vector<Mutant> ConformingVariants() {
  return Joined({OrderOfSums, ElementVariants, NormVariants});
}

}  // namespace assay::conformance
