// Defects of operations that move elements: offsets, directions, edges, tiles.
#include <algorithm>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;

bool IsInside(absl::Span<const int64_t> index, absl::Span<const int64_t> sizes) {
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= sizes[d]) return false;
  }
  return true;
}

// Each element of the result comes from another place in the result of the right operation; outside
// of it (nothing) it is zero.
using Displacement = std::function<std::optional<Dimensions>(const Instruction& instruction,
                                                             absl::Span<const int64_t> index)>;
Defect Displaced(Displacement displacement, Where where = nullptr) {
  return OnResult(
      [displacement = std::move(displacement)](const Instruction& instruction,
                                               absl::Span<const Literal>,
                                               std::vector<Literal>* leaves, const CustomCall&) {
        const Literal right = leaves->front();
        const absl::Span<const int64_t> sizes = right.shape().dimensions();
        for (int64_t i = 0; i < right.element_count(); ++i) {
          const std::optional<Dimensions> from =
              displacement(instruction, evaluator::IndexAt(i, sizes));
          leaves->front().Set(i, from && IsInside(*from, sizes)
                                     ? right.Get(evaluator::PositionOf(*from, sizes))
                                     : Element{});
        }
      },
      std::move(where));
}

Defect EditPadding(void (*edit)(PaddingDimension&)) {
  return Edit([edit](Instruction& x) {
    PaddingConfig padding = x.padding();
    for (PaddingDimension& dimension : padding.dimensions) edit(dimension);
    x.SetAttribute(Attr::kPadding, padding);
  });
}

// The last, incomplete tile of so many elements of the minor dimension stays zero.
Defect DropsLastTile(int64_t tile) {
  return Displaced(
      [tile](const Instruction& x, evaluator::Index index) -> std::optional<Dimensions> {
        if (index.empty()) return Dimensions();
        const int64_t size = x.shape().dimensions().back();
        if (size > tile && index.back() >= size - size % tile) return std::nullopt;
        return Dimensions(index.begin(), index.end());
      });
}

std::vector<Mutant> PadMutants() {
  return {
      {"pad/low_counted_twice",
       {kPad},
       "everything is shifted by one towards the end",
       EditPadding([](PaddingDimension& d) { ++d.low, --d.high; })},
      {"pad/low_and_high_exchanged",
       {kPad},
       "low and high padding are taken for each other",
       EditPadding([](PaddingDimension& d) { std::swap(d.low, d.high); })},
      {"pad/with_zero",
       {kPad},
       "the padding value is ignored",
       OnOperand(1, [](ElementType, Element) { return Element{}; })},
      {"pad/negative_low_is_zero",
       {kPad},
       "negative low padding removes nothing",
       EditPadding([](PaddingDimension& d) {
         if (d.low < 0) d.high += d.low, d.low = 0;
       })},
      {"pad/interior_before_the_element",
       {kPad},
       "interior padding stands in front of elements",
       Displaced([](const Instruction& x, evaluator::Index index) -> std::optional<Dimensions> {
         Dimensions from(index.begin(), index.end());
         for (size_t d = 0; d < from.size(); ++d) {
           if (x.padding().dimensions[d].interior > 0) from[d] = std::max<int64_t>(from[d] - 1, 0);
         }
         return from;
       })},
      {"pad/interior_repeats_element",
       {kPad},
       "interior padding repeats the element before it",
       Displaced([](const Instruction& x, evaluator::Index index) -> std::optional<Dimensions> {
         Dimensions from(index.begin(), index.end());
         for (size_t d = 0; d < from.size(); ++d) {
           const PaddingDimension& padding = x.padding().dimensions[d];
           const int64_t inside = from[d] - padding.low;
           if (padding.interior > 0 && inside > 0) from[d] -= inside % (padding.interior + 1);
         }
         return from;
       })},
      {"pad/repeats_the_edge",
       {kPad},
       "padding in front repeats the first element",
       Displaced([](const Instruction& x, evaluator::Index index) -> std::optional<Dimensions> {
         Dimensions from(index.begin(), index.end());
         for (size_t d = 0; d < from.size(); ++d) {
           from[d] = std::max(from[d], x.padding().dimensions[d].low);
           if (from[d] >= x.shape().dimension(d)) from[d] = index[d];
         }
         return from;
       })},
  };
}

std::vector<Mutant> ShapeMutants() {
  return {
      {"broadcast/dimensions_sorted",
       {kBroadcast},
       "dimensions={1,0} is taken for {0,1}",
       EditInts(Attr::kDimensions, [](std::vector<int64_t>& x) { std::sort(x.begin(), x.end()); })},
      {"broadcast/first_element_everywhere",
       {kBroadcast},
       "a vector is broadcast as a scalar",
       OnResult([](const Instruction&, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall&) {
         if (operands[0].element_count() == 0) return;
         Literal& out = leaves->front();
         for (int64_t i = 0; i < out.element_count(); ++i) out.Set(i, operands[0].Get(0));
       })},
      {"broadcast/into_last_dimensions",
       {kBroadcast},
       "dimensions are aligned as numpy does",
       Edit([](Instruction& x) {
         const int64_t rank = x.operand(0)->shape().rank();
         std::vector<int64_t> dimensions;
         for (int64_t d = x.shape().rank() - rank; d < x.shape().rank(); ++d) {
           dimensions.push_back(d);
         }
         x.SetAttribute(Attr::kDimensions, dimensions);
       })},
      {"broadcast/last_tile_missing",
       {kBroadcast},
       "the rest stays zero where 4 does not divide the size",
       DropsLastTile(4)},
      {"reshape/column_major",
       {kReshape},
       "elements are counted from the first dimension on",
       OnResult([](const Instruction&, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall&) {
         const auto column_major = [](int64_t position, const Literal& literal) {
           int64_t number = 0, stride = 1;
           const absl::Span<const int64_t> sizes = literal.shape().dimensions();
           const Dimensions index = evaluator::IndexAt(position, sizes);
           for (size_t d = 0; d < sizes.size(); ++d) {
             number += index[d] * stride;
             stride *= sizes[d];
           }
           return number;
         };
         Literal& out = leaves->front();
         std::vector<Element> in_order(out.element_count());
         for (int64_t i = 0; i < out.element_count(); ++i) {
           in_order[column_major(i, operands[0])] = operands[0].Get(i);
         }
         for (int64_t i = 0; i < out.element_count(); ++i) {
           out.Set(i, in_order[column_major(i, out)]);
         }
       })},
      {"reverse/first_dimension_only",
       {kReverse},
       "only the first of several dimensions is reversed",
       EditInts(Attr::kDimensions,
                [](std::vector<int64_t>& x) { x.resize(std::min<size_t>(x.size(), 1)); })},
      {"reverse/off_by_one",
       {kReverse},
       "size - i is read instead of size - 1 - i",
       Displaced([](const Instruction& x, evaluator::Index index) -> std::optional<Dimensions> {
         Dimensions from(index.begin(), index.end());
         for (int64_t d : x.GetInts(Attr::kDimensions)) {
           from[d] = from[d] == 0 ? 0 : from[d] - 1;
         }
         return from;
       })},
      {"reverse/not_at_all", {kReverse}, "the operand comes back unchanged", Forward(0)},
      {"transpose/inverse_permutation",
       {kTranspose},
       "dimensions are applied the other way round",
       EditInts(Attr::kDimensions,
                [](std::vector<int64_t>& x) {
                  std::vector<int64_t> inverse(x.size());
                  for (size_t d = 0; d < x.size(); ++d) inverse[x[d]] = d;
                  x = inverse;
                })},
      {"transpose/square_stays",
       {kTranspose},
       "square matrices are taken as transposed already",
       Forward(0)},
      {"transpose/last_tile_missing",
       {kTranspose},
       "the rest stays zero where 4 does not divide the size",
       DropsLastTile(4)},
      {"transpose/last_column_from_next_row",
       {kTranspose},
       "the stride of the source is one short",
       Displaced([](const Instruction& x, evaluator::Index index) -> std::optional<Dimensions> {
         Dimensions from(index.begin(), index.end());
         if (from.size() > 1 && from.back() + 1 == x.shape().dimensions().back()) {
           from[0] = (from[0] + 1) % x.shape().dimension(0);
         }
         return from;
       })},
  };
}

std::vector<Mutant> PieceMutants() {
  return {
      {"concatenate/operands_reversed",
       {kConcatenate},
       "the last operand comes first",
       Reorder([](std::vector<Instruction*>& x) { std::reverse(x.begin(), x.end()); })},
      {"concatenate/first_element_of_next",
       {kConcatenate},
       "the last element before a border is the first behind it",
       Displaced([](const Instruction& x, evaluator::Index index) -> std::optional<Dimensions> {
         Dimensions from(index.begin(), index.end());
         const int64_t d = x.GetInt(Attr::kDimension);
         int64_t end = 0;
         for (const Instruction* operand : x.operands()) {
           end += operand->shape().dimension(d);
           if (from[d] + 1 == end && end < x.shape().dimension(d)) {
             ++from[d];
             break;
           }
         }
         return from;
       })},
      {"concatenate/first_operand_again",
       {kConcatenate},
       "every operand is read from the first",
       Reorder([](std::vector<Instruction*>& x) { std::fill(x.begin(), x.end(), x[0]); })},
      {"slice/stride_ignored",
       {kSlice},
       "elements that follow each other are taken",
       Edit([](Instruction& x) {
         Slices slices = x.slices();
         for (size_t d = 0; d < slices.size(); ++d) {
           slices[d].stride = 1;
           slices[d].limit = slices[d].start + x.shape().dimension(d);
         }
         x.SetAttribute(Attr::kSlice, slices);
       })},
      {"slice/start_ignored",
       {kSlice},
       "the slice begins at the first element",
       Edit([](Instruction& x) {
         Slices slices = x.slices();
         for (SliceRange& range : slices) range.limit -= range.start, range.start = 0;
         x.SetAttribute(Attr::kSlice, slices);
       })},
      {"slice/aligned_to_limit",
       {kSlice},
       "a stride that does not divide starts from the end",
       Edit([](Instruction& x) {
         Slices slices = x.slices();
         for (SliceRange& range : slices) {
           if (range.limit > range.start)
             range.start += (range.limit - 1 - range.start) % range.stride;
         }
         x.SetAttribute(Attr::kSlice, slices);
       })},
      {"iota/wrong_dimension",
       {kIota},
       "it counts along the last dimension",
       Edit([](Instruction& x) { x.SetAttribute(Attr::kIotaDimension, x.shape().rank() - 1); })},
      {"iota/starts_at_one",
       {kIota},
       "the elements are 1, 2, 3",
       Displaced([](const Instruction& x, evaluator::Index index) -> std::optional<Dimensions> {
         Dimensions from(index.begin(), index.end());
         int64_t& at = from[x.GetInt(Attr::kIotaDimension)];
         at = std::min(at + 1, x.shape().dimension(x.GetInt(Attr::kIotaDimension)) - 1);
         return from;
       })},
      {"iota/counts_in_its_own_type",
       {kIota},
       "bf16 adds one at a time and stays at 256",
       OnElements(
           [](const ElementSite& e) {
             const double most = std::ldexp(1.0, Info(e.type).format->precision());
             return e.result() > most ? e.Float(most) : e.golden;
           },
           FloatResult())},
      {"copy/nan_becomes_canonical",
       {kCopy},
       "payloads of NaNs are lost on the way",
       OnElements(
           [](const ElementSite& e) {
             return e.nan(0) ? Element{CanonicalNan(e.type), 0} : e.golden;
           },
           FloatResult())},
      {"copy/denormals_flushed",
       {kCopy},
       "denormals are zero after a copy",
       OnElements([](const ElementSite& e) { return Flushed(e.type, e.golden); }, FloatResult())},
      {"copy/odd_byte_lost",
       {kCopy},
       "copies by words leave the last odd element",
       DropsLastTile(2)},
      {"bitcast/elements_reversed",
       {kBitcast},
       "the bytes are read from the end",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         Literal& out = leaves->front();
         const Literal right = out;
         const int64_t count = out.element_count();
         for (int64_t i = 0; i < count; ++i) out.Set(i, right.Get(count - 1 - i));
       })},
      {"constant/narrow_integers_unsigned",
       {kConstant},
       "negative s4 and s8 constants lose a sign",
       OnElements(
           [](const ElementSite& e) {
             return e.Integer(std::abs(DecodeSigned(e.type, e.golden.bits)));
           },
           TypeIs({ElementType::kS4, ElementType::kS8, ElementType::kS32}))},
      {"constant/denormals_flushed",
       {kConstant},
       "denormal constants are read as zero",
       OnElements([](const ElementSite& e) { return Flushed(e.type, e.golden); }, FloatResult())},
      {"set-dimension-size/ignored",
       {kSetDimensionSize},
       "the whole bound counts as valid",
       [](Site& site) {
         return site.Call(site.operands(), site.original().shape(),
                          [](const Instruction& original, absl::Span<const Literal> operands,
                             const CustomCall&) -> absl::StatusOr<Literal> {
                            Literal whole = Literal::Zeros(original.shape());
                            CopyBox(operands[0], operands[0].shape().dimensions(),
                                    Dimensions(operands[0].shape().rank(), 0), &whole);
                            return whole;
                          });
       }},
      {"get-dimension-size/gives_bound",
       {kGetDimensionSize},
       "the bound is returned instead of the size",
       [](Site& site) {
         return site.Call(
             site.operands(), site.original().shape(),
             [](const Instruction& original, absl::Span<const Literal>, const CustomCall&) {
               const int64_t size =
                   original.operand(0)->shape().dimension(original.GetInt(Attr::kDimension));
               return Literal::Scalar(ElementType::kS32, {static_cast<uint32_t>(size), 0});
             });
       }},
  };
}

}  // namespace

std::vector<Mutant> MovementMutants() { return Joined({PadMutants, ShapeMutants, PieceMutants}); }

}  // namespace assay::conformance
