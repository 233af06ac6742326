// Defects of gathers, scatters and dynamic slices: clamping, signs of indices, dimension lists.
#include <algorithm>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "evaluator/ops/definition.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::conformance {
namespace {

using enum Opcode;

int64_t AsIndex(const Literal& literal, int64_t position) {
  const uint64_t bits = literal.Get(position).bits;
  if (IsSigned(literal.element_type())) return DecodeSigned(literal.element_type(), bits);
  return static_cast<int64_t>(std::min<uint64_t>(bits, INT64_MAX));
}

// Start indices are other ones before the operation sees them. `most` is the largest start in the
// dimension of the index.
using StartDefect = std::function<int64_t(int64_t start, int64_t most, int64_t size)>;

Literal ChangedScalar(const Literal& start, const StartDefect& defect, int64_t most, int64_t size) {
  Literal changed = start;
  const ElementType type = start.element_type();
  changed.Set(
      0, {EncodeInteger(type, static_cast<uint64_t>(defect(AsIndex(start, 0), most, size))), 0});
  return changed;
}

// Of dynamic-slice (first = 1) and dynamic-update-slice (first = 2) with scalar starts.
Defect OnStarts(int64_t first, StartDefect defect) {
  return [first, defect = std::move(defect)](Site& site) -> Instruction* {
    const Instruction& original = site.original();
    std::vector<Instruction*> operands = site.operands();
    const Shape& whole = original.operand(0)->shape();
    const Shape& part = first == 1 ? original.shape() : original.operand(1)->shape();
    for (int64_t k = first; k < original.operand_count(); ++k) {
      const int64_t d = k - first;
      if (!original.operand(k)->shape().is_scalar() || d >= whole.rank()) return nullptr;
      const int64_t size = whole.dimension(d), most = size - part.dimension(d);
      operands[k] =
          site.Call({operands[k]}, original.operand(k)->shape(),
                    [=](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
                      return ChangedScalar(values[0], defect, most, size);
                    });
    }
    return site.Edited([&](Instruction& x) { x.set_operands(operands); });
  };
}

int64_t FromTheEnd(int64_t start, int64_t, int64_t size) {
  return start < 0 ? start + size : start;
}
int64_t Wrapped(int64_t start, int64_t most, int64_t) {
  return most <= 0 ? start : ((start % (most + 1)) + most + 1) % (most + 1);
}
int64_t OutsideIsZero(int64_t start, int64_t most, int64_t) { return start > most ? 0 : start; }

std::vector<Mutant> DynamicMutants() {
  return {
      {"dynamic-slice/negative_counts_from_end",
       {kDynamicSlice},
       "start -1 means the last element",
       OnStarts(1, FromTheEnd)},
      {"dynamic-slice/start_wraps",
       {kDynamicSlice},
       "a start beyond the end wraps around",
       OnStarts(1, Wrapped)},
      {"dynamic-slice/beyond_reads_zeros",
       {kDynamicSlice},
       "what lies outside is zero: no clamping",
       Instead(
           [](const Instruction& x, absl::Span<const Literal> operands, const CustomCall&) {
             Literal out = Literal::Zeros(x.shape());
             const absl::Span<const int64_t> sizes = operands[0].shape().dimensions();
             for (int64_t i = 0; i < out.element_count(); ++i) {
               Dimensions from = evaluator::IndexAt(i, x.shape().dimensions());
               bool inside = true;
               for (size_t d = 0; d < from.size(); ++d) {
                 const int64_t start =
                     std::clamp<int64_t>(AsIndex(operands[1 + d], 0), -sizes[d], sizes[d]);
                 from[d] += start;
                 inside &= from[d] >= 0 && from[d] < sizes[d];
               }
               if (inside) out.Set(i, operands[0].Get(evaluator::PositionOf(from, sizes)));
             }
             return out;
           },
           [](const Instruction& x) { return x.operand_count() == 1 + x.shape().rank(); })},
      {"dynamic-slice/starts_exchanged",
       {kDynamicSlice},
       "the starts of two dimensions are exchanged",
       Reorder([](std::vector<Instruction*>& x) {
         if (x.size() > 2) std::swap(x[1], x[2]);
       })},
      {"dynamic-slice/unsigned_start_as_signed",
       {kDynamicSlice},
       "u8 200 is taken for -56",
       [](Site& site) -> Instruction* {
         if (site.original().operand_count() < 2 ||
             !IsUnsigned(site.original().operand(1)->shape().element_type())) {
           return nullptr;
         }
         return OnStarts(1, [](int64_t start, int64_t, int64_t) {
           return start > 127 ? int64_t{0} : start;
         })(site);
       }},
      {"dynamic-update-slice/beyond_is_dropped",
       {kDynamicUpdateSlice},
       "an update that does not fit is dropped, not moved",
       OnResult([](const Instruction& x, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall&) {
         for (int64_t d = 0; d < x.shape().rank() && d + 2 < x.operand_count(); ++d) {
           const int64_t most = x.shape().dimension(d) - operands[1].shape().dimension(d);
           const int64_t start = AsIndex(operands[2 + d], 0);
           if (start < 0 || start > most) leaves->front() = operands[0];
         }
       })},
      {"dynamic-update-slice/negative_counts_from_end",
       {kDynamicUpdateSlice},
       "start -1 means the last element",
       OnStarts(2, FromTheEnd)},
      {"dynamic-update-slice/adds",
       {kDynamicUpdateSlice},
       "the update is or-ed into what was there",
       OnElements([](const ElementSite& e) {
         return Element{e.golden.bits | e.x[0].bits, e.golden.imag};
       })},
      {"dynamic-update-slice/nothing_written",
       {kDynamicUpdateSlice},
       "the operand comes back unchanged",
       Forward(0)},
  };
}

// Gathers and scatters whose index components are changed one by one.
Defect OnIndexVector(int64_t operand, StartDefect defect) {
  return [operand, defect = std::move(defect)](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    if (x.shape().is_tuple()) return nullptr;
    const bool gathers = x.opcode() == kGather;
    absl::Span<const int64_t> map =
        x.GetInts(gathers ? Attr::kStartIndexMap : Attr::kScatterDimsToOperandDims);
    Dimensions sizes, most;
    const Dimensions windows =
        gathers ? GatherDimensionsOf(x).slice_sizes : ScatterDimensionsOf(x).window_sizes;
    for (int64_t d : map) {
      sizes.push_back(x.operand(0)->shape().dimension(d));
      most.push_back(sizes.back() - windows[d]);
    }
    const int64_t vector_dim = x.GetInt(Attr::kIndexVectorDim);
    std::vector<Instruction*> operands = site.operands();
    operands[operand] = site.Call(
        {operands[operand]}, x.operand(operand)->shape(),
        [=](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
          Literal changed = values[0];
          const absl::Span<const int64_t> shape = changed.shape().dimensions();
          for (int64_t i = 0; i < changed.element_count(); ++i) {
            const Dimensions index = evaluator::IndexAt(i, shape);
            const size_t k =
                vector_dim < static_cast<int64_t>(index.size()) ? index[vector_dim] : 0;
            const int64_t start = defect(AsIndex(changed, i), most[k], sizes[k]);
            changed.Set(i,
                        {EncodeInteger(changed.element_type(), static_cast<uint64_t>(start)), 0});
          }
          return changed;
        });
    return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
  };
}

void SwapFirstTwo(std::vector<int64_t>& x) {
  if (x.size() > 1) std::swap(x[0], x[1]);
}

std::vector<Mutant> GatherMutants() {
  return {
      {"gather/negative_counts_from_end",
       {kGather},
       "index -1 means the last element",
       OnIndexVector(1, FromTheEnd)},
      {"gather/index_wraps",
       {kGather},
       "an index beyond the end wraps around",
       OnIndexVector(1, Wrapped)},
      {"gather/beyond_takes_first",
       {kGather},
       "an index beyond the end reads the first slice",
       OnIndexVector(1, OutsideIsZero)},
      {"gather/start_map_sorted",
       {kGather},
       "start_index_map={1,0} is taken for {0,1}",
       EditInts(Attr::kStartIndexMap,
                [](std::vector<int64_t>& x) { std::sort(x.begin(), x.end()); })},
      {"gather/start_map_exchanged",
       {kGather},
       "row and column of an index are exchanged",
       EditInts(Attr::kStartIndexMap, SwapFirstTwo)},
      {"gather/index_vector_transposed",
       {kGather},
       "index vectors are read along the other dimension",
       Edit([](Instruction& x) {
         const int64_t rank = x.operand(1)->shape().rank();
         if (rank == 2) x.SetAttribute(Attr::kIndexVectorDim, 1 - x.GetInt(Attr::kIndexVectorDim));
       })},
      {"gather/offset_dims_first",
       {kGather},
       "slices stand in the first dimensions of the result",
       EditInts(Attr::kOffsetDims,
                [](std::vector<int64_t>& x) {
                  for (size_t d = 0; d < x.size(); ++d) x[d] = static_cast<int64_t>(d);
                })},
      {"gather/last_index_repeated",
       {kGather},
       "the last of several slices is the one before it",
       OnResult([](const Instruction& x, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         const GatherDimensions dims = GatherDimensionsOf(x);
         if (dims.batch.empty()) return;
         Literal& out = leaves->front();
         const absl::Span<const int64_t> sizes = out.shape().dimensions();
         const int64_t d = dims.batch[0];
         for (int64_t i = 0; i < out.element_count(); ++i) {
           Dimensions from = evaluator::IndexAt(i, sizes);
           if (from[d] == 0 || from[d] + 1 < sizes[d]) continue;
           --from[d];
           out.Set(i, out.Get(evaluator::PositionOf(from, sizes)));
         }
       })},
      {"gather/batching_ignored",
       {kGather},
       "every batch reads from the first one",
       OnResult([](const Instruction& x, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall&) {
         const GatherDimensions dims = GatherDimensionsOf(x);
         Literal& out = leaves->front();
         const absl::Span<const int64_t> sizes = out.shape().dimensions();
         const Literal right = out;
         for (int64_t i = 0; i < out.element_count(); ++i) {
           Dimensions from = evaluator::IndexAt(i, sizes);
           for (int64_t position : dims.batch_position) from[dims.batch[position]] = 0;
           out.Set(i, right.Get(evaluator::PositionOf(from, sizes)));
         }
       })},
  };
}

// The scatter with a region that is one of its parameters.
Defect KeepsParameter(int64_t kept) {
  return [kept](Site& site) -> Instruction* {
    const Instruction& original = site.original();
    if (original.shape().is_tuple()) return nullptr;
    Computation* region = site.EditedCallee(Attr::kToApply, [](Instruction&) {});
    Instruction* parameter = region->parameters()[kept];
    if (!Shape::Compatible(parameter->shape(), region->root()->shape())) return nullptr;
    region->set_root(parameter);
    return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kToApply, region); });
  };
}

std::vector<Mutant> ScatterMutants() {
  return {
      {"scatter/last_update_wins",
       {kScatter},
       "colliding updates overwrite instead of combining",
       KeepsParameter(1)},
      {"scatter/updates_ignored",
       {kScatter},
       "the operand comes back unchanged",
       KeepsParameter(0)},
      {"scatter/beyond_is_clamped",
       {kScatter},
       "updates outside are moved inside, as gather does",
       OnIndexVector(1,
                     [](int64_t start, int64_t most, int64_t) {
                       return std::clamp<int64_t>(start, 0, std::max<int64_t>(most, 0));
                     })},
      {"scatter/negative_counts_from_end",
       {kScatter},
       "index -1 updates the last element",
       OnIndexVector(1, FromTheEnd)},
      {"scatter/dimensions_exchanged",
       {kScatter},
       "row and column of an index are exchanged",
       EditInts(Attr::kScatterDimsToOperandDims, SwapFirstTwo)},
      {"scatter/region_operands_exchanged",
       {kScatter},
       "the update comes first in the region",
       SwapParameters(Attr::kToApply)},
      {"scatter/starts_from_zero",
       {kScatter},
       "the operand's own values do not count",
       OnOperand(0, [](ElementType, Element) { return Element{}; })},
      {"scatter/last_update_lost",
       {kScatter},
       "the loop over updates ends one early",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.shape().is_tuple() || x.shape().is_dynamic()) return nullptr;
         const ScatterDimensions dims = ScatterDimensionsOf(x);
         if (dims.index_batch.empty()) return nullptr;
         const int64_t d = dims.index_batch[0];
         std::vector<Instruction*> operands = site.operands();
         // Out of bounds: nothing is updated there.
         operands[1] = site.Call(
             {operands[1]}, x.operand(1)->shape(),
             [d](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
               Literal changed = values[0];
               const ElementType type = changed.element_type();
               const absl::Span<const int64_t> sizes = changed.shape().dimensions();
               for (int64_t i = 0; i < changed.element_count(); ++i) {
                 if (evaluator::IndexAt(i, sizes)[d] + 1 != sizes[d]) continue;
                 changed.Set(
                     i,
                     {IsSigned(type) ? EncodeInteger(type, ~uint64_t{0}) : MaxUnsigned(type), 0});
               }
               return changed;
             });
         return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
       }},
  };
}

}  // namespace

std::vector<Mutant> IndexingMutants() {
  return Joined({DynamicMutants, GatherMutants, ScatterMutants});
}

}  // namespace assay::conformance
