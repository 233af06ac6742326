// Defects of factorisations, solves and transforms.
#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;

ElementType PartType(ElementType type) { return IsComplex(type) ? Info(type).component : type; }

// Both parts of an element times a factor.
Element Scaled(ElementType type, Element x, double factor) {
  const ElementType part = PartType(type);
  const auto scaled = [&](uint64_t bits) {
    return EncodeFloat(part, DecodeFloat(part, bits) * factor);
  };
  return {scaled(x.bits), IsComplex(type) ? scaled(x.imag) : 0};
}

Element Conjugate(ElementType type, Element x) {
  if (!IsComplex(type)) return x;
  const ElementType part = PartType(type);
  return {x.bits, EncodeFloat(part, -DecodeFloat(part, x.imag))};
}

bool IsInverse(const Instruction& fft) {
  const FftType type = fft.GetEnum<FftType>(Attr::kFftType);
  return type == FftType::kIfft || type == FftType::kIrfft;
}

double Points(const Instruction& fft) {
  double points = 1;
  for (int64_t length : fft.GetInts(Attr::kFftLength)) points *= static_cast<double>(length);
  return points;
}

bool OnDiagonal(const ElementSite& e) {
  const absl::Span<const int64_t> sizes = e.instruction.shape().dimensions();
  const Dimensions index = evaluator::IndexAt(e.position, sizes);
  return index[index.size() - 1] == index[index.size() - 2];
}

Defect Toggle(Attr attr) {
  return Edit([attr](Instruction& x) { x.SetAttribute(attr, !x.GetBool(attr)); });
}

Defect TransposeBecomes(TransposeA from, TransposeA to) {
  return Edit([from, to](Instruction& x) {
    if (x.GetEnum<TransposeA>(Attr::kTransposeA) == from) {
      x.SetAttribute(Attr::kTransposeA, static_cast<int64_t>(to));
    }
  });
}

Element InSinglePrecision(const ElementSite& e) {
  const ElementType part = PartType(e.type);
  const auto rounded = [&](uint64_t bits) {
    return EncodeFloat(part, RoundedTo(ElementType::kF32, DecodeFloat(part, bits)));
  };
  return {rounded(e.golden.bits), IsComplex(e.type) ? rounded(e.golden.imag) : 0};
}

std::vector<Mutant> FactorMutants() {
  return {
      {"cholesky/other_triangle",
       {kCholesky},
       "lower=true gives the upper factor",
       Toggle(Attr::kLower)},
      {"cholesky/diagonal_without_root",
       {kCholesky},
       "the diagonal holds squares",
       OnElements([](const ElementSite& e) {
         if (!OnDiagonal(e)) return e.golden;
         const ElementType part = PartType(e.type);
         return Scaled(e.type, e.golden, DecodeFloat(part, e.golden.bits));
       })},
      {"cholesky/indefinite_is_zero",
       {kCholesky},
       "a matrix without factor gives zeros, not NaN",
       OnElements([](const ElementSite& e) {
         return IsNan(PartType(e.type), e.golden.bits) ? Element{} : e.golden;
       })},
      {"cholesky/complex_not_conjugated",
       {kCholesky},
       "L L^T is factorised instead of L L^H",
       OnElements([](const ElementSite& e) { return Conjugate(e.type, e.golden); },
                  ComplexResult())},
      {"cholesky/last_column_not_updated",
       {kCholesky},
       "the last pivot is that of the operand",
       OnElements([](const ElementSite& e) {
         const absl::Span<const int64_t> sizes = e.instruction.shape().dimensions();
         const bool last =
             OnDiagonal(e) && sizes.back() > 1 && e.position % sizes.back() + 1 == sizes.back();
         return last ? e.x[0] : e.golden;
       })},
      {"triangular-solve/unit_diagonal_ignored",
       {kTriangularSolve},
       "the diagonal is divided by",
       Edit([](Instruction& x) { x.SetAttribute(Attr::kUnitDiagonal, false); })},
      {"triangular-solve/diagonal_taken_as_one",
       {kTriangularSolve},
       "the solution is not divided by the diagonal",
       Edit([](Instruction& x) { x.SetAttribute(Attr::kUnitDiagonal, true); })},
      {"triangular-solve/other_triangle",
       {kTriangularSolve},
       "lower and upper are exchanged",
       Toggle(Attr::kLower)},
      {"triangular-solve/other_side",
       {kTriangularSolve},
       "x A = b is solved instead of A x = b",
       Toggle(Attr::kLeftSide)},
      {"triangular-solve/transpose_ignored",
       {kTriangularSolve},
       "A is used instead of A^T",
       TransposeBecomes(TransposeA::kTranspose, TransposeA::kNoTranspose)},
      {"triangular-solve/adjoint_not_conjugated",
       {kTriangularSolve},
       "A^T is used instead of A^H",
       TransposeBecomes(TransposeA::kAdjoint, TransposeA::kTranspose)},
      {"triangular-solve/by_rounded_inverse",
       {kTriangularSolve},
       "results have 12 bits",
       OnElements(
           [](const ElementSite& e) {
             return std::isfinite(e.result()) ? e.Float(TruncatedTo(e.result(), 12)) : e.golden;
           },
           TypeIs({ElementType::kF32, ElementType::kF64}))},
      {"triangular-solve/last_right_side_stale",
       {kTriangularSolve},
       "the last column is b itself",
       OnElements([](const ElementSite& e) {
         const absl::Span<const int64_t> sizes = e.instruction.shape().dimensions();
         const bool last = e.position % sizes.back() + 1 == sizes.back();
         return last && e.x.size() > 1 ? e.x[1] : e.golden;
       })},
  };
}

std::vector<Mutant> TransformMutants() {
  return {
      {"fft/inverse_not_scaled",
       {kFft},
       "the inverse lacks the factor 1 / n",
       OnElements(
           [](const ElementSite& e) { return Scaled(e.type, e.golden, Points(e.instruction)); },
           IsInverse)},
      {"fft/forward_scaled",
       {kFft},
       "the factor 1 / n is in the forward transform",
       OnElements(
           [](const ElementSite& e) { return Scaled(e.type, e.golden, 1 / Points(e.instruction)); },
           [](const Instruction& x) { return !IsInverse(x); })},
      {"fft/wrong_direction",
       {kFft},
       "exp(+i) is used instead of exp(-i)",
       OnOperand(0, Conjugate,
                 [](const Instruction& x) {
                   return x.GetEnum<FftType>(Attr::kFftType) != FftType::kRfft;
                 })},
      {"fft/real_transform_conjugated",
       {kFft},
       "the spectrum of real numbers has the wrong sign",
       OnElements([](const ElementSite& e) { return Conjugate(e.type, e.golden); },
                  [](const Instruction& x) {
                    return x.GetEnum<FftType>(Attr::kFftType) == FftType::kRfft;
                  })},
      {"fft/last_dimension_only",
       {kFft},
       "only the last of several dimensions is transformed",
       EditInts(Attr::kFftLength, [](std::vector<int64_t>& x) { x = {x.back()}; })},
      {"fft/last_bin_missing",
       {kFft},
       "the last element of each line is zero",
       OnElements([](const ElementSite& e) {
         const absl::Span<const int64_t> sizes = e.instruction.shape().dimensions();
         const bool last = sizes.back() > 1 && e.position % sizes.back() + 1 == sizes.back();
         return last ? Element{} : e.golden;
       })},
      {"fft/odd_lengths_shifted",
       {kFft},
       "lines of odd length come out shifted by one",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         Literal& out = leaves->front();
         const int64_t length = out.shape().dimensions().back();
         if (length % 2 == 0) return;
         const Literal right = out;
         for (int64_t i = 0; i < out.element_count(); ++i) {
           out.Set(i, right.Get(i - i % length + (i % length + 1) % length));
         }
       })},
      {"fft/f64_by_f32_twiddles",
       {kFft},
       "transforms of f64 have the accuracy of f32",
       OnElements(InSinglePrecision, TypeIs({ElementType::kC128, ElementType::kF64}))},
  };
}

}  // namespace

std::vector<Mutant> LinearAlgebraMutants() { return Joined({FactorMutants, TransformMutants}); }

}  // namespace assay::conformance
