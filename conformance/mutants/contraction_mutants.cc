// Defects of dots and convolutions: accumulators, dimension lists, groups, windows.
#include <algorithm>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/sums.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kF16, ElementType::kF32, ElementType::kF64,
    ElementType::kS32, ElementType::kS64;

Defect AccumulatesIn(ElementType accumulator, std::initializer_list<ElementType> types) {
  return SumBy([accumulator](const std::vector<SumTerm>& terms,
                             ElementType) { return SumForward(terms, accumulator); },
               TypeIs(types));
}

// The sum of other terms, in f64: nothing else about it is wrong.
Defect SumsWithout(std::function<void(std::vector<SumTerm>&)> leave_out) {
  return SumBy([leave_out = std::move(leave_out)](std::vector<SumTerm> terms, ElementType) {
    leave_out(terms);
    return terms.empty() ? 0.0 : SumForward(terms, kF64);
  });
}

Element SignificandCut(ElementType type, Element x, int bits) {
  if (!IsFloat(type) || IsNan(type, x.bits)) return x;
  return {EncodeFloat(type, TruncatedTo(DecodeFloat(type, x.bits), bits)), 0};
}

Element Conjugated(ElementType type, Element x) {
  return {x.bits, x.imag ^ (uint64_t{1} << (Info(Info(type).component).bits - 1))};
}

void SwapEnds(std::vector<int64_t>& x) {
  if (x.size() > 1) std::swap(x.front(), x.back());
}

// Results at another place along one dimension.
Defect Rotated(std::function<std::pair<int64_t, int64_t>(const Instruction&)> dimension_and_step) {
  return OnResult(
      [rotation = std::move(dimension_and_step)](const Instruction& x, absl::Span<const Literal>,
                                                 std::vector<Literal>* leaves, const CustomCall&) {
        Literal& out = leaves->front();
        const Literal right = out;
        const absl::Span<const int64_t> sizes = out.shape().dimensions();
        const auto [d, step] = rotation(x);
        for (int64_t i = 0; i < out.element_count(); ++i) {
          Dimensions from = evaluator::IndexAt(i, sizes);
          from[d] = (from[d] + step) % sizes[d];
          out.Set(i, right.Get(evaluator::PositionOf(from, sizes)));
        }
      });
}

std::vector<Mutant> DotMutants() {
  return {
      {"dot/accumulates_in_bf16",
       {kDot},
       "partial sums of bf16 dots are rounded to bf16",
       AccumulatesIn(kBF16, {kBF16})},
      {"dot/accumulates_in_f16",
       {kDot},
       "partial sums of f16 dots overflow in f16",
       AccumulatesIn(kF16, {kF16})},
      {"dot/f64_accumulates_in_f32",
       {kDot},
       "f64 dots are computed in f32",
       AccumulatesIn(kF32, {kF64})},
      {"dot/f32_as_tf32",
       {kDot},
       "f32 operands lose 13 bits on their way into the unit",
       OnOperand(
           -1, [](ElementType type, Element x) { return SignificandCut(type, x, 11); },
           TypeIs({kF32}))},
      {"dot/f32_as_bf16",
       {kDot},
       "f32 operands are cut to bf16",
       OnOperand(
           -1, [](ElementType type, Element x) { return SignificandCut(type, x, 8); },
           TypeIs({kF32}))},
      {"dot/last_term_dropped",
       {kDot},
       "the loop over the contraction ends one early",
       SumsWithout([](std::vector<SumTerm>& terms) { terms.pop_back(); })},
      {"dot/remainder_of_lanes_dropped",
       {kDot},
       "terms that 4 lanes do not divide are lost",
       SumsWithout([](std::vector<SumTerm>& terms) {
         if (terms.size() > 4) terms.resize(terms.size() - terms.size() % 4);
       })},
      {"dot/first_tile_twice",
       {kDot},
       "the accumulator is not cleared between tiles",
       SumsWithout([](std::vector<SumTerm>& terms) { terms.push_back(terms.front()); })},
      {"dot/zero_terms_skipped",
       {kDot},
       "0 * inf does not give NaN: zeros are skipped",
       SumsWithout([](std::vector<SumTerm>& terms) {
         terms.erase(std::remove_if(terms.begin(), terms.end(),
                                    [](const SumTerm& t) { return t.a == 0 || t.b == 0; }),
                     terms.end());
       })},
      {"dot/result_rounded_to_bf16",
       {kDot},
       "the wider result type is ignored",
       OnElements([](const ElementSite& e) { return e.Float(RoundedTo(kBF16, e.result())); },
                  TypeIs({kF32}))},
      {"dot/batch_dimensions_exchanged",
       {kDot},
       "two batch dimensions are paired crosswise",
       EditInts(Attr::kLhsBatchDims, SwapEnds)},
      {"dot/contracting_dimensions_exchanged",
       {kDot},
       "contracted dimensions are paired crosswise",
       EditInts(Attr::kRhsContractingDims, SwapEnds)},
      {"dot/lhs_transposed",
       {kDot},
       "the other dimension of a square operand is contracted",
       EditInts(Attr::kLhsContractingDims,
                [](std::vector<int64_t>& x) {
                  if (x.size() == 1) x[0] = x[0] == 0 ? 1 : x[0] - 1;
                })},
      {"dot/rhs_transposed",
       {kDot},
       "the other dimension of a square operand is contracted",
       EditInts(Attr::kRhsContractingDims,
                [](std::vector<int64_t>& x) {
                  if (x.size() == 1) x[0] = x[0] == 0 ? 1 : x[0] - 1;
                })},
      {"dot/lhs_conjugated",
       {kDot},
       "complex dots conjugate the left operand, as vdot does",
       OnOperand(0, Conjugated, ComplexResult())},
      {"dot/integers_by_f32",
       {kDot},
       "integer sums are exact up to 2^24 only",
       OnElements(
           [](const ElementSite& e) {
             const double value = static_cast<double>(DecodeSigned(e.type, e.golden.bits));
             return e.Integer(SaturatedTo(e.type, static_cast<__int128>(RoundedTo(kF32, value))));
           },
           TypeIs({kS32, kS64}))},
      {"dot/s8_sums_wrap_at_16_bits",
       {kDot},
       "sums of 8-bit products are kept in 16 bits",
       OnElements(
           [](const ElementSite& e) { return e.Integer(static_cast<int16_t>(e.golden.bits)); },
           TypeIs({kS32}))},
      {"dot/last_column_stale",
       {kDot},
       "the last column of the result is not written",
       OnElements([](const ElementSite& e) {
         const absl::Span<const int64_t> sizes = e.instruction.shape().dimensions();
         const bool last =
             sizes.size() > 1 && sizes.back() > 1 && e.position % sizes.back() + 1 == sizes.back();
         return last ? Element{} : e.golden;
       })},
  };
}

Defect EditLabels(void (*edit)(ConvolutionDimensions&)) {
  return Edit([edit](Instruction& x) {
    ConvolutionDimensions labels = x.convolution_dimensions();
    edit(labels);
    AttributeValue value;
    Emplace<ConvolutionDimensions>(value) = labels;
    x.SetAttribute(Attr::kDimLabels, value);
  });
}

Defect GroupsRotated(Attr count) {
  return Rotated([count](const Instruction& x) {
    const int64_t d = x.convolution_dimensions().output_feature;
    return std::make_pair(d, x.shape().dimension(d) / x.GetInt(count));
  });
}

std::vector<Mutant> ConvolutionMutants() {
  return {
      {"convolution/feature_groups_shifted",
       {kConvolution},
       "each group gets the result of the next",
       GroupsRotated(Attr::kFeatureGroupCount)},
      {"convolution/batch_groups_shifted",
       {kConvolution},
       "each group gets the result of the next",
       GroupsRotated(Attr::kBatchGroupCount)},
      {"convolution/low_padding_off_by_one",
       {kConvolution},
       "windows are shifted by one",
       EditWindow([](WindowDimension& d) { ++d.padding_low, --d.padding_high; })},
      {"convolution/padding_sides_exchanged",
       {kConvolution},
       "low padding is put at the end",
       EditWindow([](WindowDimension& d) { std::swap(d.padding_low, d.padding_high); })},
      {"convolution/kernel_always_reversed",
       {kConvolution},
       "the kernel is reversed, as in mathematics",
       EditWindow([](WindowDimension& d) { d.reversal = true; })},
      {"convolution/reversal_ignored",
       {kConvolution},
       "rhs_reversal does nothing",
       EditWindow([](WindowDimension& d) { d.reversal = false; })},
      {"convolution/kernel_dilation_ignored",
       {kConvolution},
       "windows have no interior padding",
       EditWindow([](WindowDimension& d) {
         d.padding_high -= (d.size - 1) * (d.window_dilation - 1);
         d.window_dilation = 1;
       })},
      {"convolution/input_dilation_off_by_one",
       {kConvolution},
       "interior padding stands before the elements",
       EditWindow([](WindowDimension& d) {
         if (d.base_dilation > 1) ++d.padding_low, --d.padding_high;
       })},
      {"convolution/stride_from_the_end",
       {kConvolution},
       "what a stride leaves over is at the front",
       EditWindow([](WindowDimension& d) {
         if (d.stride > 1) --d.padding_low, ++d.padding_high;
       })},
      {"convolution/spatial_dimensions_exchanged",
       {kConvolution},
       "the dimensions of space are exchanged in the kernel",
       EditLabels([](ConvolutionDimensions& x) {
         if (x.kernel_spatial.size() > 1) std::swap(x.kernel_spatial[0], x.kernel_spatial[1]);
       })},
      {"convolution/kernel_features_exchanged",
       {kConvolution},
       "input and output features of a square kernel are exchanged",
       EditLabels([](ConvolutionDimensions& x) {
         std::swap(x.kernel_input_feature, x.kernel_output_feature);
       })},
      {"convolution/last_term_dropped",
       {kConvolution},
       "the loop over the window ends one early",
       SumsWithout([](std::vector<SumTerm>& terms) { terms.pop_back(); })},
      {"convolution/accumulates_in_bf16",
       {kConvolution},
       "partial sums are rounded to bf16",
       AccumulatesIn(kBF16, {kBF16})},
      {"convolution/zero_terms_skipped",
       {kConvolution},
       "0 * inf does not give NaN",
       SumsWithout([](std::vector<SumTerm>& terms) {
         terms.erase(std::remove_if(terms.begin(), terms.end(),
                                    [](const SumTerm& t) { return t.a == 0 || t.b == 0; }),
                     terms.end());
       })},
  };
}

std::vector<Mutant> RaggedMutants() {
  return {
      {"ragged-dot/rows_of_no_group_computed",
       {kRaggedDot},
       "the last group takes all that is left",
       OnOperand(2,
                 [](ElementType type, Element x) {
                   return x.bits > 0 ? Element{EncodeInteger(type, x.bits + 1), 0} : x;
                 })},
      {"ragged-dot/empty_group_counts_one",
       {kRaggedDot},
       "a group without rows takes one",
       OnOperand(2,
                 [](ElementType, Element x) {
                   return x.bits == 0 ? Element{1, 0} : x;
                 })},
      {"ragged-dot/first_group_for_all",
       {kRaggedDot},
       "every row meets the first group's matrix",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const int64_t rows = x.operand(0)->shape().element_count();
         std::vector<Instruction*> operands = site.operands();
         operands[2] = site.Call(
             {operands[2]}, x.operand(2)->shape(),
             [rows](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
               Literal sizes = values[0];
               for (int64_t i = 0; i < sizes.element_count(); ++i) {
                 sizes.Set(i, {i == 0 ? static_cast<uint64_t>(rows) : 0, 0});
               }
               return sizes;
             });
         return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
       }},
      {"ragged-dot/last_term_dropped",
       {kRaggedDot},
       "the loop over the contraction ends one early",
       OnElements([](const ElementSite& e) {
         const absl::Span<const int64_t> sizes = e.instruction.shape().dimensions();
         const bool last = e.position % sizes.back() + 1 == sizes.back();
         return last && sizes.back() > 1 ? Element{} : e.golden;
       })},
      {"scaled-dot/lhs_scale_ignored",
       {kScaledDot},
       "the left scales count as one",
       OnOperand(2,
                 [](ElementType type, Element) {
                   return Element{EncodeFloat(type, 1), 0};
                 })},
      {"scaled-dot/rhs_scale_ignored",
       {kScaledDot},
       "the right scales count as one",
       OnOperand(3,
                 [](ElementType type, Element) {
                   return Element{EncodeFloat(type, 1), 0};
                 })},
      {"scaled-dot/first_scale_for_all_blocks",
       {kScaledDot},
       "scales are per array, not per block",
       [](Site& site) -> Instruction* {
         std::vector<Instruction*> operands = site.operands();
         for (int k : {2, 3}) {
           operands[k] = site.Call(
               {operands[k]}, site.original().operand(k)->shape(),
               [](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
                 Literal scales = values[0];
                 for (int64_t i = 1; i < scales.element_count(); ++i) scales.Set(i, scales.Get(0));
                 return scales;
               });
         }
         return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
       }},
  };
}

}  // namespace

std::vector<Mutant> ContractionMutants() {
  return Joined({DotMutants, ConvolutionMutants, RaggedMutants});
}

}  // namespace assay::conformance
