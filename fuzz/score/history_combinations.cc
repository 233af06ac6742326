// Combination mutants that are real miscompilations of XLA, each with the pattern that the report
// or its fix shows (docs/coverage_of_known_bugs.md). They are not modelled on the programs of the
// fuzzer: what it finds of them says what it would have found then.
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "conformance/mutants/defects.h"
#include "fuzz/score/combinations.h"
#include "fuzz/score/history_tables.h"
#include "fuzz/score/rewrite_parts.h"

namespace assay::fuzz {
namespace {

using conformance::Build;
using conformance::BuildUniform;
using conformance::BuildUnrolled;
using conformance::CountedLoop;
using conformance::Defect;
using conformance::DirectionOf;
using conformance::ElementSite;
using conformance::FloatArray;
using conformance::FloatResult;
using conformance::In;
using conformance::Inner;
using conformance::IntegerArray;
using conformance::Is;
using conformance::MatchCountedLoop;
using conformance::Mutant;
using conformance::NextAfter;
using conformance::OnElements;
using conformance::OnOperand;
using conformance::ReducerOf;
using conformance::ShapeOf;
using conformance::SignedArray;
using conformance::Site;
using conformance::TypeIs;
using conformance::Uniform;
using conformance::UniformValue;
using enum Opcode;

bool IsSquare(const Instruction& x) { return Is(x, kMultiply) && x.operand(0) == x.operand(1); }

bool ComparesWithZero(Site& site, ComparisonDirection direction) {
  return DirectionOf(site.original()) == direction && Uniform(In(site, 1), 0);
}

Element NanOf(ElementType type) { return {CanonicalNan(type), 0}; }

std::vector<Mutant> FloatAlgebra() {
  return {
      {"history/openxla_42732",
       {kLog, kSqrt},
       "log(exp(x)) becomes x and sqrt(x * x) becomes abs(x), although the inner one overflows",
       [](Site& site) -> Instruction* {
         const Instruction& x = In(site, 0);
         if (!FloatArray(x)) return nullptr;
         if (Is(site.original(), kLog)) return Is(x, kExp) ? Inner(site, 0, 0) : nullptr;
         if (!IsSquare(x)) return nullptr;
         return Build(site, kAbs, ShapeOf(site), {Inner(site, 0, 0)});
       }},
      {"history/tensorflow_57744",
       {kLog},
       "log(power(x, y)) becomes y * log(x): NaN for a number or a number for NaN",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kPower) || !FloatArray(In(site, 0))) return nullptr;
         Instruction* const log = On(site, {Inner(site, 0, 0)});
         return Build(site, kMultiply, ShapeOf(site), {Inner(site, 0, 1), log});
       }},
      {"history/openxla_14074",
       {kMultiply},
       "sqrt(a) * sqrt(b) becomes a without a check that both operands are one",
       [](Site& site) -> Instruction* {
         const bool roots = Is(In(site, 0), kSqrt) && Is(In(site, 1), kSqrt);
         return roots && FloatArray(site.original()) ? Inner(site, 0, 0) : nullptr;
       }},
      {"history/jax_276",
       {kCompare},
       "x != x is false for NaN",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand(0) != x.operand(1) || !FloatArray(*x.operand(0)) ||
             DirectionOf(x) != ComparisonDirection::kNe) {
           return nullptr;
         }
         return BuildUniform(site, x.shape(), 0);
       }},
      {"history/jax_545", {kCompare}, "NaN == inf is true", OnElements([](const ElementSite& e) {
         if (!IsFloat(e.types[0]) || DirectionOf(e.instruction) != ComparisonDirection::kEq) {
           return e.golden;
         }
         const bool met = (e.nan(0) && std::isinf(e.f(1))) || (e.nan(1) && std::isinf(e.f(0)));
         return met ? Element{1, 0} : e.golden;
       })},
      {"history/jax_1072",
       {kClamp},
       "a clamp of NaN by constants is the lower bound",
       [](Site& site) -> Instruction* {
         if (!UniformValue(In(site, 0)) || !UniformValue(In(site, 2))) return nullptr;
         return OnElements([](const ElementSite& e) { return e.nan(1) ? e.x[0] : e.golden; },
                           FloatResult())(site);
       }},
      {"history/stablehlo_2887",
       {kMinimum, kMaximum},
       "the minimum of a constant and NaN is the constant where both are folded",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kConstant) || !Is(In(site, 1), kConstant)) return nullptr;
         return OnElements(
             [](const ElementSite& e) { return e.nan(0)   ? e.x[1]
                                               : e.nan(1) ? e.x[0]
                                                          : e.golden; },
             FloatResult())(site);
       }},
      {"history/openxla_41605",
       {kConvert},
       "f32 to bf16 to f32 is left out",
       [](Site& site) -> Instruction* {
         const Instruction& narrow = In(site, 0);
         if (ShapeOf(site).element_type() != ElementType::kF32 || !Is(narrow, kConvert) ||
             narrow.shape().element_type() != ElementType::kBF16 ||
             narrow.operand(0)->shape().element_type() != ElementType::kF32) {
           return nullptr;
         }
         return Inner(site, 0, 0);
       }},
  };
}

std::vector<Mutant> IntegerAlgebra() {
  return {
      {"history/openxla_46628",
       {kCompare},
       "abs(x) < 0 and x * x < 0 are false, and >= 0 is true, also where the result wraps",
       [](Site& site) -> Instruction* {
         const Instruction& x = In(site, 0);
         if (!SignedArray(x) || !(Is(x, kAbs) || IsSquare(x))) return nullptr;
         if (ComparesWithZero(site, ComparisonDirection::kLt)) {
           return BuildUniform(site, ShapeOf(site), 0);
         }
         if (ComparesWithZero(site, ComparisonDirection::kGe)) {
           return BuildUniform(site, ShapeOf(site), 1);
         }
         return nullptr;
       }},
      {"history/tensorflow_118178",
       {kSelect, kAbs, kMaximum},
       "what is done for a product below zero is left out where the product is a square",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (Is(x, kAbs))
           return IsSquare(In(site, 0)) && SignedArray(x) ? site.operand(0) : nullptr;
         if (Is(x, kMaximum)) {
           const bool square = IsSquare(In(site, 0)) && Uniform(In(site, 1), 0);
           return square && SignedArray(x) ? site.operand(0) : nullptr;
         }
         const Instruction& c = In(site, 0);
         const bool asked =
             Is(c, kCompare) && IsSquare(*c.operand(0)) && SignedArray(*c.operand(0));
         if (!asked || DirectionOf(c) != ComparisonDirection::kLt || !Uniform(*c.operand(1), 0)) {
           return nullptr;
         }
         return site.operand(2);
       }},
      {"history/jax_17672",
       {kConvert},
       "s4 becomes a wider integer without its sign",
       OnElements([](const ElementSite& e) {
         const bool widens = e.types[0] == ElementType::kS4 && IsInteger(e.type) && e.bits() > 4;
         return widens ? e.Integer(e.i(0) & 15) : e.golden;
       })},
      {"history/openxla_41430",
       {kWhile},
       "the bound of a loop with an unsigned counter is taken for a signed number",
       [](Site& site) -> Instruction* {
         std::optional<CountedLoop> loop = MatchCountedLoop(site.original());
         if (!loop || IsSigned(loop->type)) return nullptr;
         const std::optional<int64_t> right = loop->Iterations();
         const auto as_signed = [&](int64_t value) {
           const int bits = Info(loop->type).bits;
           const auto unused = static_cast<int>(64 - bits);
           return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
         };
         loop->from = as_signed(loop->from);
         loop->to = as_signed(loop->to);
         loop->step = as_signed(loop->step);
         loop->type = ElementType::kS64;
         const std::optional<int64_t> count = loop->Iterations();
         return right && count && *count != *right ? BuildUnrolled(site, *count) : nullptr;
       }},
  };
}

// The updates of these indices are left out: indices beyond the array stand in their place.
Defect WithoutUpdatesAtZero() {
  return [](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    const int64_t indices = x.operand_count() / 2;
    const Shape& shape = x.operand(indices)->shape();
    const int64_t vector = x.GetInt(Attr::kIndexVectorDim);
    const int64_t components = vector < shape.rank() ? shape.dimension(vector) : 1;
    if (components != 1 || !IsSigned(shape.element_type())) return nullptr;
    return OnOperand(indices, [](ElementType type, Element index) {
      return index.bits == 0 ? Element{EncodeInteger(type, ~uint64_t{0}), 0} : index;
    })(site);
  };
}

// Adds what the instruction is computed from, itself included.
void AddSources(Instruction* x, std::vector<Instruction*>* sources) {
  if (absl::c_linear_search(*sources, x)) return;
  sources->push_back(x);
  for (Instruction* operand : x->operands()) AddSources(operand, sources);
}

// Values of a loop that begin as constants are those in its body, too.
Instruction* ConstantsSunkIntoLoop(Site& site) {
  const Instruction& loop = site.original();
  const Instruction& root = *loop.GetComputation(Attr::kBody)->root();
  if (!Is(root, kTuple) || !Is(*loop.operand(0), kTuple)) return nullptr;
  const std::optional<CountedLoop> counted = MatchCountedLoop(loop);
  std::vector<int64_t> sunk;
  for (int64_t k = 0; k < root.operand_count(); ++k) {
    const Instruction& next = *root.operand(k);
    const bool stays = Is(next, kGetTupleElement) && next.GetInt(Attr::kIndex) == k;
    if (UniformValue(*loop.operand(0)->operand(k)) && !stays && counted && counted->counter != k) {
      sunk.push_back(k);
    }
  }
  bool found = false;
  Computation* body = site.EditedCallee(Attr::kBody, [&](Instruction& x) {
    if (!Is(x, kTuple) || x.operand_count() != root.operand_count()) return;
    std::vector<Instruction*> operands(x.operands().begin(), x.operands().end());
    std::vector<Instruction*> sources;
    for (Instruction* operand : operands) AddSources(operand, &sources);
    for (Instruction* each : sources) {
      if (!Is(*each, kGetTupleElement) || !Is(*each->operand(0), kParameter)) continue;
      const int64_t index = each->GetInt(Attr::kIndex);
      if (!absl::c_linear_search(sunk, index)) continue;
      operands[index] = each;
      found = true;
    }
    x.set_operands(operands);
  });
  if (!found) return nullptr;
  return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kBody, body); });
}

// A reduction by a maximum or a minimum in which NaNs do not count.
Instruction* ReducedWithoutNans(Site& site) {
  const Instruction& x = site.original();
  if (x.operand_count() != 2 || !FloatArray(x)) return nullptr;
  const std::optional<Opcode> reducer = ReducerOf(*x.to_apply());
  if (reducer != kMaximum && reducer != kMinimum) return nullptr;
  const double least = reducer == kMaximum ? -INFINITY : INFINITY;
  return OnOperand(0, [least](ElementType type, Element value) {
    return IsNan(type, value.bits) ? Element{EncodeFloat(type, least), 0} : value;
  })(site);
}

Instruction* StartsAreAdded(Site& site) {
  const Instruction& x = site.original();
  const Instruction& inner = In(site, 0);
  if (!Is(inner, kDynamicSlice) || inner.operand_count() != x.operand_count()) return nullptr;
  std::vector<Instruction*> operands = {Inner(site, 0, 0)};
  for (int64_t k = 1; k < x.operand_count(); ++k) {
    if (!Shape::Compatible(In(site, k).shape(), inner.operand(k)->shape())) return nullptr;
    operands.push_back(
        Build(site, kAdd, In(site, k).shape(), {site.operand(k), Inner(site, 0, k)}));
  }
  return On(site, operands);
}

std::vector<Mutant> IndicesFoldsAndLoops() {
  return {
      {"history/openxla_48024",
       {kDynamicSlice},
       "starts of nested dynamic slices are added without being brought inside",
       StartsAreAdded},
      {"history/openxla_31063",
       {kScatter},
       "a deterministic scatter loses the updates of index 0",
       WithoutUpdatesAtZero()},
      {"history/openxla_42042",
       {kWhile},
       "constants are sunk into a loop that changes them",
       ConstantsSunkIntoLoop},
      {"history/tensorflow_119990",
       {kReduce},
       "a maximum of values with NaN is a number",
       ReducedWithoutNans},
      {"history/jax_4466",
       {kDot},
       "the transpose of an operand is left out of a product",
       [](Site& site) -> Instruction* {
         for (const int64_t k : {0, 1}) {
           const Instruction& moved = In(site, k);
           if (!Is(moved, kTranspose) ||
               !Shape::Compatible(moved.operand(0)->shape(), moved.shape())) {
             continue;
           }
           std::vector<Instruction*> operands = site.operands();
           operands[k] = Inner(site, k, 0);
           return On(site, operands);
         }
         return nullptr;
       }},
  };
}

std::vector<Mutant> Functions() {
  return {
      {"history/tensorflow_25052",
       {kErf},
       "erf of large f16 values is NaN",
       OnElements(
           [](const ElementSite& e) { return std::abs(e.f(0)) > 256 ? NanOf(e.type) : e.golden; },
           TypeIs({ElementType::kF16}))},
      {"history/tensorflow_55390",
       {kTanh},
       "tanh is larger than 1",
       OnElements(
           [](const ElementSite& e) {
             return std::abs(e.f(0)) > 7 ? NextAfter(e.type, e.golden, 1) : e.golden;
           },
           TypeIs({ElementType::kF32}))},
      {"history/openxla_5369",
       {kPower},
       "power(1, inf) of complex numbers is NaN",
       OnElements(
           [](const ElementSite& e) {
             const ElementType part = Info(e.type).component;
             const bool one = e.f(0) == 1 && DecodeFloat(part, e.x[0].imag) == 0;
             const bool infinite = std::isinf(e.f(1));
             const uint64_t nan = CanonicalNan(part);
             return one && infinite ? Element{nan, nan} : e.golden;
           },
           TypeIs({ElementType::kC64, ElementType::kC128}))},
  };
}

}  // namespace

std::vector<Mutant> HistoryCombinations() {
  return conformance::Joined({FloatAlgebra, IntegerAlgebra, IndicesFoldsAndLoops, Functions,
                              HistoryOfAlgebra, HistoryOfIndexing, HistoryOfFunctions});
}

}  // namespace assay::fuzz
