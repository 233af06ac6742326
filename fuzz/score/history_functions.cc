// Miscompilations of XLA's history: folds, branches inside loops, functions of complex numbers.
#include <cmath>
#include <complex>
#include <vector>

#include "absl/algorithm/container.h"
#include "conformance/mutants/defects.h"
#include "evaluator/ops/definition.h"
#include "fuzz/score/history_tables.h"
#include "fuzz/score/rewrite_parts.h"

namespace assay::fuzz {
namespace {

using conformance::EditWindow;
using conformance::ElementSite;
using conformance::In;
using conformance::Is;
using conformance::Mutant;
using conformance::OnElements;
using conformance::OnOperand;
using conformance::OnResult;
using conformance::Site;
using conformance::TypeIs;
using enum Opcode;

// The index of a maximum of values among which is a NaN, as if no value were equal to it.
void NoPlaceForNan(const Instruction& x, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall&) {
  const absl::Span<const int64_t> folded = x.GetInts(Attr::kDimensions);
  const Literal& values = operands[0];
  Literal& out = (*leaves)[1];
  const ElementType type = out.element_type();
  const uint64_t all = (uint64_t{2} << (Info(type).bits - 1)) - 1;
  for (int64_t i = 0; i < values.element_count(); ++i) {
    if (!IsNan(values.element_type(), values.Get(i).bits)) continue;
    const Dimensions index = evaluator::IndexAt(i, values.shape().dimensions());
    Dimensions kept;
    for (int64_t d = 0; d < static_cast<int64_t>(index.size()); ++d) {
      if (!absl::c_linear_search(folded, d)) kept.push_back(index[d]);
    }
    out.Set(evaluator::PositionOf(kept, out.shape().dimensions()),
            {IsSigned(type) ? all >> 1 : all, 0});
  }
}

bool FoldsValuesAndIndices(const Instruction& x) {
  return x.operand_count() == 4 && IsFloat(x.operand(0)->shape().element_type()) &&
         IsInteger(x.operand(1)->shape().element_type());
}

std::vector<Mutant> MoreFolds() {
  return {
      {"history/jax_274",
       {kReduceWindow},
       "windows that begin in the padding begin with the array",
       EditWindow([](WindowDimension& d) {
         d.padding_high += d.padding_low;
         d.padding_low = 0;
       })},
      {"history/tensorflow_120232",
       {kReduce},
       "NaNs count as -infinity in a maximum or minimum of values and their indices",
       OnOperand(
           0,
           [](ElementType type, Element value) {
             return IsNan(type, value.bits) ? Element{EncodeFloat(type, -INFINITY), 0} : value;
           },
           FoldsValuesAndIndices)},
      {"history/jax_3193",
       {kReduce},
       "the index of a maximum or minimum among whose values is a NaN is the largest integer",
       OnResult(NoPlaceForNan, FoldsValuesAndIndices)},
  };
}

// What a loop carries is read as the result of a conditional before that has it as an argument.
Instruction* BranchWritesItsArgument(Site& site) {
  const Instruction& x = site.original();
  const Computation& body = *x.parent();
  const Instruction& state = *body.instruction(0);
  if (!Is(state, kParameter) || !Shape::Compatible(state.shape(), body.root()->shape())) {
    return nullptr;
  }
  std::vector<Instruction*> operands = site.operands();
  bool found = false;
  for (int64_t k = 0; k < x.operand_count(); ++k) {
    const Instruction& argument = In(site, k);
    if (!Is(argument, kGetTupleElement) || argument.operand(0) != &state) continue;
    for (int64_t i = 0; i < x.index(); ++i) {
      const Instruction& branch = *body.instruction(i);
      if (!Is(branch, kConditional) || !Shape::Compatible(branch.shape(), argument.shape()) ||
          !absl::c_linear_search(branch.operands(), &argument)) {
        continue;
      }
      operands[k] = site.copy_of(branch);
      found = true;
    }
  }
  return found ? On(site, operands) : nullptr;
}

std::vector<Mutant> Branches() {
  return {
      {"history/jax_5900",
       {kConditional, kTuple, kAdd, kSubtract, kMultiply},
       "a branch inside a loop writes its result where its argument is read later",
       BranchWritesItsArgument},
  };
}

std::complex<float> ComplexOf(Element x) {
  return {static_cast<float>(DecodeFloat(ElementType::kF32, x.bits)),
          static_cast<float>(DecodeFloat(ElementType::kF32, x.imag))};
}

Element ElementOf(std::complex<float> z) {
  return {EncodeFloat(ElementType::kF32, z.real()), EncodeFloat(ElementType::kF32, z.imag())};
}

Element NanOfComplex(ElementType type) {
  const uint64_t nan = CanonicalNan(Info(type).component);
  return {nan, nan};
}

std::vector<Mutant> ComplexFunctions() {
  return {
      {"history/jax_18749",
       {kPower},
       "power(inf, 1) of complex numbers is NaN",
       OnElements(
           [](const ElementSite& e) {
             const ElementType part = Info(e.type).component;
             const bool one = e.f(1) == 1 && DecodeFloat(part, e.x[1].imag) == 0;
             return one && std::isinf(e.f(0)) ? NanOfComplex(e.type) : e.golden;
           },
           TypeIs({ElementType::kC64, ElementType::kC128}))},
      {"history/jax_37990",
       {kAbs},
       "abs of (inf, NaN) is NaN",
       OnElements(
           [](const ElementSite& e) {
             if (!IsComplex(e.types[0])) return e.golden;
             const bool nan = IsNan(e.type, e.x[0].bits) || IsNan(e.type, e.x[0].imag);
             return nan ? Element{CanonicalNan(e.type), 0} : e.golden;
           },
           TypeIs({ElementType::kF32, ElementType::kF64}))},
      {"history/openxla_8553",
       {kAsinh},
       "asinh(z) of complex numbers is log(z + sqrt(z * z + 1))",
       OnElements(
           [](const ElementSite& e) {
             const std::complex<float> z = ComplexOf(e.x[0]);
             return ElementOf(std::log(z + std::sqrt(z * z + 1.0F)));
           },
           TypeIs({ElementType::kC64}))},
      {"history/openxla_10376",
       {kExpm1},
       "exponential-minus-one(z) of complex numbers is exponential(z) - 1",
       OnElements(
           [](const ElementSite& e) { return ElementOf(std::exp(ComplexOf(e.x[0])) - 1.0F); },
           TypeIs({ElementType::kC64}))},
  };
}

}  // namespace

std::vector<Mutant> HistoryOfFunctions() {
  return conformance::Joined({MoreFolds, Branches, ComplexFunctions});
}

}  // namespace assay::fuzz
