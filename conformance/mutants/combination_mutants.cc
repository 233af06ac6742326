// Defects of attributes in combination, of index types on dimensions that they cannot hold, and of
// NaN, infinities and denormals in operations that fold, select and order. Each is right for either
// attribute alone, for other index types, for other element types.
#include <algorithm>
#include <limits>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "evaluator/ops/definition.h"
#include "spec/element/index_value.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::conformance {
namespace {

using enum Opcode;
using ElementType::kBF16, ElementType::kF16, ElementType::kF32, ElementType::kF64,
    ElementType::kS16, ElementType::kS8, ElementType::kU16, ElementType::kU8;

// A number in the type of an index: what is left of it there.
int64_t InType(ElementType type, int64_t value) {
  return IndexValue(type, {EncodeInteger(type, static_cast<uint64_t>(value)), 0});
}

// Start indices from operand `first` on are clamped to limits that were computed in their type.
Defect LimitInIndexType(int64_t first) {
  return [first](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    std::vector<Instruction*> operands = site.operands();
    const Shape& whole = x.operand(0)->shape();
    const Shape& part = first == 1 ? x.shape() : x.operand(1)->shape();
    for (int64_t k = first; k < x.operand_count(); ++k) {
      const Shape& start = x.operand(k)->shape();
      const int64_t d = k - first;
      if (!start.is_scalar() || d >= whole.rank()) return nullptr;
      const int64_t limit = InType(start.element_type(), whole.dimension(d) - part.dimension(d));
      operands[k] = site.Call(
          {operands[k]}, start,
          [limit](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
            const ElementType type = values[0].element_type();
            const int64_t value = IndexValue(type, values[0].Get(0));
            const int64_t clamped = std::max<int64_t>(0, std::min(value, limit));
            return Literal::Scalar(type, {EncodeInteger(type, static_cast<uint64_t>(clamped)), 0});
          });
    }
    return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
  };
}

// Indices of an unsigned type are read as signed ones: negative ones become 0, which is what
// clamping makes of them; or are moved out of bounds, where they are dropped.
Defect ReadAsSigned(int64_t operand, ElementType type) {
  return [=](Site& site) -> Instruction* {
    if (site.original().operand(operand)->shape().element_type() != type) return nullptr;
    const int64_t count = site.original().operand_count();
    const Opcode opcode = site.original().opcode();
    const bool starts = opcode == kDynamicSlice || opcode == kDynamicUpdateSlice;
    Site* const at = &site;
    std::vector<Instruction*> operands = site.operands();
    for (int64_t k = operand; k < (starts ? count : operand + 1); ++k) {
      operands[k] = at->Call(
          {operands[k]}, site.original().operand(k)->shape(),
          [](const Instruction& original, absl::Span<const Literal> values, const CustomCall&) {
            Literal changed = values[0];
            const ElementType index = changed.element_type();
            const uint64_t sign = uint64_t{1} << (Info(index).bits - 1);
            const bool scatters = original.opcode() == kScatter;
            for (int64_t i = 0; i < changed.element_count(); ++i) {
              if ((changed.Get(i).bits & sign) == 0) continue;
              changed.Set(i, {scatters ? MaxUnsigned(index) : 0, 0});
            }
            return changed;
          });
    }
    return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
  };
}

// The limits of a gather's index vectors, computed in the type of the indices.
Defect GatherLimitInIndexType() {
  return [](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    const absl::Span<const int64_t> map = x.GetInts(Attr::kStartIndexMap);
    const Dimensions windows = GatherDimensionsOf(x).slice_sizes;
    std::vector<int64_t> most;
    for (const int64_t d : map) most.push_back(x.operand(0)->shape().dimension(d) - windows[d]);
    const int64_t vector_dim = x.GetInt(Attr::kIndexVectorDim);
    std::vector<Instruction*> operands = site.operands();
    operands[1] = site.Call(
        {operands[1]}, x.operand(1)->shape(),
        [=](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
          Literal changed = values[0];
          const ElementType type = changed.element_type();
          for (int64_t i = 0; i < changed.element_count(); ++i) {
            const Dimensions index = evaluator::IndexAt(i, changed.shape().dimensions());
            const size_t k =
                vector_dim < static_cast<int64_t>(index.size()) ? index[vector_dim] : 0;
            const int64_t value = IndexValue(type, changed.Get(i));
            const int64_t clamped = std::max<int64_t>(0, std::min(value, InType(type, most[k])));
            changed.Set(i, {EncodeInteger(type, static_cast<uint64_t>(clamped)), 0});
          }
          return changed;
        });
    return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
  };
}

// Windows with other attributes, all dimensions at once.
Defect EditWhole(std::function<bool(std::vector<WindowDimension>&)> edit) {
  return [edit = std::move(edit)](Site& site) -> Instruction* {
    Window window = site.original().window();
    if (!edit(window.dimensions)) return nullptr;
    return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kWindow, window); });
  };
}

// The padding of dimensions where a condition holds is shifted by one: sizes stay.
Defect ShiftPadding(bool (*where)(const WindowDimension&)) {
  return EditWhole([where](std::vector<WindowDimension>& dimensions) {
    bool shifted = false;
    for (WindowDimension& d : dimensions) {
      if (!where(d)) continue;
      ++d.padding_low;
      --d.padding_high;
      shifted = true;
    }
    return shifted;
  });
}

std::vector<Mutant> WindowCombinations() {
  return {
      {"convolution/points_ignore_padding",
       {kConvolution},
       "1x1 windows are a matrix product, whose operand is not padded at its beginning",
       EditWhole([](std::vector<WindowDimension>& dimensions) {
         if (dimensions.size() < 2) return false;
         bool shifted = false;
         for (WindowDimension& d : dimensions) {
           if (d.size != 1 || d.padding_low <= 0) continue;
           d.padding_high += d.padding_low;
           d.padding_low = 0;
           shifted = true;
         }
         return shifted;
       })},
      {"convolution/reversal_of_one_of_two",
       {kConvolution},
       "reversal in one of two dimensions is taken for none",
       EditWhole([](std::vector<WindowDimension>& dimensions) {
         if (dimensions.size() != 2 || dimensions[0].reversal == dimensions[1].reversal) {
           return false;
         }
         dimensions[0].reversal = dimensions[1].reversal = false;
         return true;
       })},
      {"convolution/reversal_with_dilation",
       {kConvolution},
       "a reversed window is not dilated from its other end",
       ShiftPadding([](const WindowDimension& d) { return d.reversal && d.window_dilation > 1; })},
      {"convolution/two_dilations",
       {kConvolution},
       "windows with both dilations in one dimension are shifted by one",
       ShiftPadding(
           [](const WindowDimension& d) { return d.base_dilation > 1 && d.window_dilation > 1; })},
      {"convolution/base_dilation_of_points",
       {kConvolution},
       "windows of one cell begin between the elements",
       ShiftPadding([](const WindowDimension& d) { return d.size == 1 && d.base_dilation > 1; })},
      {"convolution/stride_and_base_dilation",
       {kConvolution},
       "stride 2 and base dilation 2 cancel",
       ShiftPadding([](const WindowDimension& d) { return d.stride > 1 && d.base_dilation > 1; })},
      {"reduce-window/base_dilation_of_points",
       {kReduceWindow},
       "windows of one cell begin between the elements",
       ShiftPadding([](const WindowDimension& d) { return d.size == 1 && d.base_dilation > 1; })},
      {"reduce-window/stride_and_window_dilation",
       {kReduceWindow},
       "dilated windows with a stride above 2 are shifted by one",
       ShiftPadding(
           [](const WindowDimension& d) { return d.stride > 2 && d.window_dilation > 1; })},
      {"reduce-window/negative_padding_and_base_dilation",
       {kReduceWindow},
       "negative padding counts elements, not places",
       ShiftPadding(
           [](const WindowDimension& d) { return d.padding_low < 0 && d.base_dilation > 1; })},
      {"select-and-scatter/padding_of_larger_windows",
       {kSelectAndScatter},
       "where both dimensions are padded, windows of the second are shifted by one",
       EditWhole([](std::vector<WindowDimension>& dimensions) {
         if (dimensions.size() != 2) return false;
         WindowDimension& d = dimensions[1];
         if (dimensions[0].padding_low <= 0 || d.padding_high <= 0) return false;
         ++d.padding_low;
         --d.padding_high;
         return true;
       })},
      {"pad/interior_and_negative_edge",
       {kPad},
       "a negative edge counts elements, not places",
       [](Site& site) -> Instruction* {
         PaddingConfig padding = site.original().padding();
         bool shifted = false;
         for (auto& d : padding.dimensions) {
           if (d.low >= 0 || d.interior == 0) continue;
           --d.low, ++d.high;
           shifted = true;
         }
         if (!shifted) return nullptr;
         return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kPadding, padding); });
       }},
      {"sort/middle_dimension_is_last",
       {kSort},
       "a dimension that is neither the first nor the last is taken for the last",
       Edit([](Instruction& x) {
         const int64_t rank = Leaves(x.shape()).front()->rank(), d = x.GetInt(Attr::kDimension);
         if (d > 0 && d + 1 < rank) x.SetAttribute(Attr::kDimension, rank - 1);
       })},
      {"reverse/two_dimensions_apart",
       {kReverse},
       "of two dimensions that are not neighbours only the first is reversed",
       EditInts(Attr::kDimensions,
                [](std::vector<int64_t>& x) {
                  if (x.size() == 2 && std::abs(x[0] - x[1]) > 1) x.pop_back();
                })},
      {"dynamic-slice/nested_starts_are_added",
       {kDynamicSlice},
       "a slice of a slice is one slice, clamped once",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& inner = *x.operand(0);
         if (inner.opcode() != kDynamicSlice || inner.operand_count() != x.operand_count()) {
           return nullptr;
         }
         std::vector<Instruction*> operands = site.operands();
         operands[0] = site.copy_of(*inner.operand(0));
         for (int64_t k = 1; k < x.operand_count(); ++k) {
           if (!(inner.operand(k)->shape() == x.operand(k)->shape())) return nullptr;
           operands[k] = site.Make(kAdd, x.operand(k)->shape(),
                                   {site.copy_of(*inner.operand(k)), operands[k]});
         }
         return site.Make(kDynamicSlice, x.shape(), operands, [&](Instruction& slice) {
           const absl::Span<const int64_t> sizes = x.GetInts(Attr::kDynamicSliceSizes);
           slice.SetAttribute(Attr::kDynamicSliceSizes,
                              std::vector<int64_t>(sizes.begin(), sizes.end()));
         });
       }},
      {"gather/map_of_later_dimensions",
       {kGather},
       "start_index_map={2,0} is taken for {0,2}",
       EditInts(Attr::kStartIndexMap,
                [](std::vector<int64_t>& x) {
                  if (x.size() == 2 && x[0] > x[1] + 1) std::swap(x[0], x[1]);
                })},
      {"scatter/map_of_later_dimensions",
       {kScatter},
       "scatter_dims_to_operand_dims={2,0} is taken for {0,2}",
       EditInts(Attr::kScatterDimsToOperandDims,
                [](std::vector<int64_t>& x) {
                  if (x.size() == 2 && x[0] > x[1] + 1) std::swap(x[0], x[1]);
                })},
  };
}

std::vector<Mutant> IndexTypeMutants() {
  return {
      {"dynamic-slice/limit_in_index_type",
       {kDynamicSlice},
       "the largest start is computed in the type of the index",
       LimitInIndexType(1)},
      {"dynamic-update-slice/limit_in_index_type",
       {kDynamicUpdateSlice},
       "the largest start is computed in the type of the index",
       LimitInIndexType(2)},
      {"gather/limit_in_index_type",
       {kGather},
       "the largest start is computed in the type of the index",
       GatherLimitInIndexType()},
      {"dynamic-slice/u8_as_signed", {kDynamicSlice}, "the index 200 is -56", ReadAsSigned(1, kU8)},
      {"dynamic-slice/u16_as_signed",
       {kDynamicSlice},
       "the index 40000 is negative",
       ReadAsSigned(1, kU16)},
      {"dynamic-update-slice/u8_as_signed",
       {kDynamicUpdateSlice},
       "the index 200 is -56",
       ReadAsSigned(2, kU8)},
      {"gather/u8_as_signed", {kGather}, "the index 200 is -56", ReadAsSigned(1, kU8)},
      {"gather/u16_as_signed", {kGather}, "the index 40000 is negative", ReadAsSigned(1, kU16)},
      {"scatter/u8_as_signed", {kScatter}, "the index 200 is -56", ReadAsSigned(1, kU8)},
      {"scatter/u16_as_signed", {kScatter}, "the index 40000 is negative", ReadAsSigned(1, kU16)},
      {"clamp/s8_scalar_bounds_as_unsigned",
       {kClamp},
       "scalar bounds of s8 are broadcast as bytes",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.shape().is_scalar() || !x.operand(0)->shape().is_scalar()) return nullptr;
         return OnElements(
             [](const ElementSite& e) {
               const uint64_t low = e.x[0].bits & 0xff, high = e.x[2].bits & 0xff;
               const auto value = static_cast<int64_t>(e.i(1));
               return e.Integer(std::min(std::max<int64_t>(value, static_cast<int64_t>(low)),
                                         static_cast<int64_t>(high)));
             },
             TypeIs({kS8}))(site);
       }},
  };
}

Opcode RegionRoot(const Instruction& x, Attr attr) {
  const Computation* region = x.GetComputation(attr);
  return region == nullptr ? kParameter : region->root()->opcode();
}

// NaN in an operand is the value that never wins, in types and folds.
Defect NanLoses(int64_t operand, Opcode fold, std::initializer_list<ElementType> types,
                Attr region = Attr::kToApply) {
  return [=, types = std::vector<ElementType>(types)](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    const ElementType type = x.operand(operand)->shape().element_type();
    if (std::find(types.begin(), types.end(), type) == types.end()) return nullptr;
    if (fold != kParameter && RegionRoot(x, region) != fold) return nullptr;
    return OnOperand(operand, [fold](ElementType t, Element e) {
      if (!IsNan(t, e.bits)) return e;
      return Element{fold == kMinimum ? MaxFinite(t) : Lowest(t), 0};
    })(site);
  };
}

// Infinities in an operand are the largest finite numbers.
Defect InfinitySaturates(int64_t operand, std::initializer_list<ElementType> types) {
  return OnOperand(
      operand,
      [](ElementType t, Element e) {
        if (!IsFloat(t) || !IsInfinity(t, e.bits)) return e;
        return Element{IsNegative(t, e.bits) ? Lowest(t) : MaxFinite(t), 0};
      },
      OperandTypeIs(operand, types));
}

// A NaN whose sign is set is read as one whose sign is not.
Defect NanWithoutSign(std::initializer_list<ElementType> types, bool everywhere) {
  return [=, types = std::vector<ElementType>(types)](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    if (x.opcode() == kCompare &&
        (!x.HasAttribute(Attr::kComparisonType) ||
         x.GetEnum<ComparisonType>(Attr::kComparisonType) != ComparisonType::kTotalOrder)) {
      return nullptr;
    }
    const ElementType type = x.operand(0)->shape().element_type();
    if (std::find(types.begin(), types.end(), type) == types.end()) return nullptr;
    return OnOperand(everywhere ? -1 : 0, [](ElementType t, Element e) {
      if (!IsFloat(t) || !IsNan(t, e.bits)) return e;
      return Element{e.bits & ~(uint64_t{1} << (Info(t).bits - 1)), 0};
    })(site);
  };
}

// Sums of windows along one dimension by differences of prefix sums.
Defect SlidingSums(ElementType type) {
  return Instead(
      [](const Instruction& x, absl::Span<const Literal> operands,
         const CustomCall& call) -> absl::StatusOr<Literal> {
        const WindowDimension& w = x.window().dimensions[0];
        const Literal& a = operands[0];
        const ElementType t = a.element_type();
        std::vector<double> prefix = {0};
        for (int64_t i = 0; i < a.element_count(); ++i) {
          prefix.push_back(RoundedTo(t, prefix.back() + DecodeFloat(t, a.Get(i).bits)));
        }
        absl::StatusOr<Literal> result = Golden(x, operands, GoldenContext(call));
        if (!result.ok()) return result.status();
        const double first = DecodeFloat(t, operands[1].Get(0).bits);
        for (int64_t o = 0; o < result->element_count(); ++o) {
          const int64_t n = a.element_count();
          const int64_t begin = std::clamp<int64_t>(o * w.stride - w.padding_low, 0, n);
          const int64_t end = std::clamp<int64_t>(o * w.stride - w.padding_low + w.size, 0, n);
          result->Set(o, {EncodeFloat(t, prefix[end] - prefix[begin] + first), 0});
        }
        return *std::move(result);
      },
      [type](const Instruction& x) {
        return x.shape().is_array() && x.operand(0)->shape().element_type() == type &&
               x.shape().rank() == 1 && RegionRoot(x, Attr::kToApply) == kAdd &&
               x.window().dimensions[0].base_dilation == 1 &&
               x.window().dimensions[0].window_dilation == 1;
      });
}

// -inf as the least finite number, where maxima are taken.
Element LowestForInfinity(const ElementSite& e) {
  if (!IsFloat(e.type) || !IsInfinity(e.type, e.golden.bits)) return e.golden;
  return IsNegative(e.type, e.golden.bits) ? Element{Lowest(e.type), 0} : e.golden;
}

Where Folds(Opcode fold, std::initializer_list<ElementType> types) {
  return [fold, types = std::vector<ElementType>(types)](const Instruction& x) {
    return x.shape().is_array() &&
           std::find(types.begin(), types.end(), x.shape().element_type()) != types.end() &&
           RegionRoot(x, Attr::kToApply) == fold;
  };
}

std::vector<Mutant> SpecialValueMutants() {
  return {
      {"dot/nan_of_bf16_lost",
       {kDot},
       "a NaN of bf16 becomes -3e38",
       NanLoses(0, kParameter, {kBF16})},
      {"dot/nan_of_f16_lost",
       {kDot},
       "a NaN of f16 becomes -65504",
       NanLoses(1, kParameter, {kF16})},
      {"dot/infinity_of_bf16_saturates", {kDot}, "inf becomes 3e38", InfinitySaturates(0, {kBF16})},
      {"dot/infinity_of_f16_saturates", {kDot}, "inf becomes 65504", InfinitySaturates(1, {kF16})},
      {"convolution/nan_of_bf16_lost",
       {kConvolution},
       "a NaN of bf16 becomes -3e38",
       NanLoses(0, kParameter, {kBF16})},
      {"convolution/infinity_of_f16_saturates",
       {kConvolution},
       "inf becomes 65504",
       InfinitySaturates(0, {kF16})},
      {"ragged-dot/nan_of_f16_lost",
       {kRaggedDot},
       "a NaN of f16 becomes -65504",
       NanLoses(0, kParameter, {kF16})},
      {"reduce/nan_lost_in_maximum_of_bf16",
       {kReduce},
       "maxps takes the other operand",
       NanLoses(0, kMaximum, {kBF16})},
      {"reduce/nan_lost_in_minimum_of_f64",
       {kReduce},
       "minpd takes the other operand",
       NanLoses(0, kMinimum, {kF64})},
      {"reduce/maximum_starts_from_lowest",
       {kReduce},
       "the maximum of -inf is the least finite number",
       OnElements(LowestForInfinity, Folds(kMaximum, {kF16, kBF16, kF64}))},
      {"reduce-window/maximum_starts_from_lowest",
       {kReduceWindow},
       "the maximum of -inf is the least finite number",
       OnElements(LowestForInfinity, Folds(kMaximum, {kF16, kBF16, kF32, kF64}))},
      {"reduce-window/nan_lost_in_minimum_of_f16",
       {kReduceWindow},
       "the other operand is taken",
       NanLoses(0, kMinimum, {kF16})},
      {"reduce-window/sliding_sums_of_f32",
       {kReduceWindow},
       "sums of windows are differences of prefix sums",
       SlidingSums(kF32)},
      {"reduce-window/sliding_sums_of_f64",
       {kReduceWindow},
       "sums of windows are differences of prefix sums",
       SlidingSums(kF64)},
      {"scatter/nan_lost_in_maximum_of_f32",
       {kScatter},
       "a maximum is taken of the bits, atomically",
       NanLoses(2, kMaximum, {kF32})},
      {"scatter/nan_of_operand_lost_in_minimum",
       {kScatter},
       "the update is taken where the operand is NaN",
       NanLoses(0, kMinimum, {kF16, kBF16})},
      {"scan/nan_lost_in_maximum", {kScan}, "the carry is taken", NanLoses(0, kParameter, {kBF16})},
      {"select-and-scatter/nan_never_selected",
       {kSelectAndScatter},
       "comparisons with NaN keep what is selected",
       NanLoses(0, kParameter, {kBF16, kF64})},
      {"all-reduce/nan_lost_in_maximum",
       {kAllReduce},
       "the other member's value is taken",
       NanLoses(0, kMaximum, {kF32, kBF16})},
      {"compare/total_order_of_nan_of_f64",
       {kCompare},
       "-NaN is the largest",
       NanWithoutSign({kF64}, true)},
      {"compare/total_order_of_nan_of_f8e5m2",
       {kCompare},
       "-NaN is the largest",
       NanWithoutSign({ElementType::kF8E5M2}, true)},
      {"topk/negative_nan_first",
       {kTopK},
       "-NaN counts as the largest",
       OnResult([](const Instruction&, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall&) {
         const ElementType type = operands[0].element_type();
         if (!IsFloat(type) || Info(type).bits < 32) return;
         for (int64_t i = 0; i < operands[0].element_count(); ++i) {
           const uint64_t bits = operands[0].Get(i).bits;
           if (IsNan(type, bits) && IsNegative(type, bits)) leaves->front().Set(0, {bits, 0});
         }
       })},
      {"clamp/nan_of_scalar_bound",
       {kClamp},
       "a NaN as a scalar bound is not a bound",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.shape().is_scalar() || !x.operand(0)->shape().is_scalar()) return nullptr;
         return OnElements(
             [](const ElementSite& e) { return e.nan(0) || e.nan(2) ? e.x[1] : e.golden; },
             FloatResult())(site);
       }},
      {"power/denormal_bases_of_f64_are_zero",
       {kPower},
       "denormal bases are read as zero",
       OnOperand(0, Flushed, TypeIs({kF64}))},
      {"power/denormal_bases_of_bf16",
       {kPower},
       "the exponent of a denormal base is that of the least normal number",
       OnElements(
           [](const ElementSite& e) {
             const bool denormal = IsSubnormal(e.type, e.x[0].bits);
             return denormal && std::isfinite(e.result()) && e.f(1) != 0
                        ? NextAfter(e.type, e.golden, 3)
                        : e.golden;
           },
           TypeIs({kBF16}))},
      {"remainder/large_quotient_of_f32",
       {kRemainder},
       "x - y * trunc(x / y) is computed in double",
       OnElements(
           [](const ElementSite& e) {
             if (!std::isfinite(e.f(0)) || !std::isfinite(e.f(1)) || e.f(1) == 0) return e.golden;
             if (std::abs(e.f(0) / e.f(1)) < 0x1p60) return e.golden;
             return e.Float(e.f(0) - e.f(1) * std::trunc(e.f(0) / e.f(1)));
           },
           TypeIs({kF32}))},
      {"triangular-solve/zero_on_the_diagonal",
       {kTriangularSolve},
       "a pivot of zero gives zero",
       OnElements([](const ElementSite& e) {
         return IsFloat(e.type) &&
                        (IsNan(e.type, e.golden.bits) || IsInfinity(e.type, e.golden.bits))
                    ? Element{}
                    : e.golden;
       })},
  };
}

}  // namespace

std::vector<Mutant> CombinationMutants() {
  std::vector<Mutant> all = Joined({WindowCombinations, IndexTypeMutants, SpecialValueMutants});
  for (Mutant& mutant : all) mutant.tier = Tier::kStandard;
  return all;
}

}  // namespace assay::conformance
