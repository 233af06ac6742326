// Miscompilations of XLA's history: movement, layouts, gathers, scatters and dynamic slices.
#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "conformance/mutants/defects.h"
#include "evaluator/ops/definition.h"
#include "fuzz/score/history_tables.h"
#include "fuzz/score/rewrite_parts.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::fuzz {
namespace {

using conformance::Build;
using conformance::Defect;
using conformance::DimensionsOf;
using conformance::In;
using conformance::Inner;
using conformance::Instead;
using conformance::Is;
using conformance::Mutant;
using conformance::OnResult;
using conformance::ShapeOf;
using conformance::Site;
using conformance::UniformValue;
using enum Opcode;

// The dimensions of an array from the major to the minor one.
Dimensions PhysicalOrder(const Shape& shape) {
  Dimensions order;
  for (int64_t d = 0; d < shape.rank(); ++d) order.push_back(d);
  if (!shape.has_layout()) return order;
  const Dimensions& minor_to_major = shape.layout()->minor_to_major;
  if (static_cast<int64_t>(minor_to_major.size()) == shape.rank()) {
    order.assign(minor_to_major.rbegin(), minor_to_major.rend());
  }
  return order;
}

Dimensions Permuted(const Dimensions& values, const Dimensions& order) {
  Dimensions permuted;
  for (const int64_t d : order) permuted.push_back(values[d]);
  return permuted;
}

Dimensions InverseOf(const Dimensions& order) {
  Dimensions inverse(order.size());
  for (size_t k = 0; k < order.size(); ++k) inverse[order[k]] = static_cast<int64_t>(k);
  return inverse;
}

// An array in memory, its dimensions from the major to the minor one.
struct Memory {
  std::vector<Element> elements;
  Dimensions sizes;
};

// The array with its dimensions in the order.
Memory Transposed(const Memory& memory, const Dimensions& order) {
  Memory transposed = {{}, Permuted(memory.sizes, order)};
  const Dimensions inverse = InverseOf(order);
  for (size_t i = 0; i < memory.elements.size(); ++i) {
    const Dimensions to = evaluator::IndexAt(static_cast<int64_t>(i), transposed.sizes);
    const int64_t from = evaluator::PositionOf(Permuted(to, inverse), memory.sizes);
    transposed.elements.push_back(memory.elements[from]);
  }
  return transposed;
}

// A transpose whose permutation of the arrays in memory has the order of the operand's layout where
// the inverse of it belongs.
absl::StatusOr<Literal> TransposedByTheWrongOrder(const Instruction& x,
                                                  absl::Span<const Literal> operands,
                                                  const CustomCall&) {
  const Shape& shape = x.operand(0)->shape();
  const Dimensions in = PhysicalOrder(shape), out = PhysicalOrder(x.shape());
  Memory memory = {{}, {shape.dimensions().begin(), shape.dimensions().end()}};
  for (int64_t i = 0; i < operands[0].element_count(); ++i) {
    memory.elements.push_back(operands[0].Get(i));
  }
  const std::vector<int64_t> permutation = DimensionsOf(x);
  Dimensions wrong;
  for (const int64_t d : out) wrong.push_back(in[permutation[d]]);
  memory = Transposed(Transposed(memory, in), wrong);
  memory.sizes = Permuted({x.shape().dimensions().begin(), x.shape().dimensions().end()}, out);
  memory = Transposed(memory, InverseOf(out));
  Literal result = Literal::Zeros(x.shape());
  for (int64_t i = 0; i < result.element_count(); ++i) result.Set(i, memory.elements[i]);
  return result;
}

Instruction* LayoutsComposedWrongly(Site& site) {
  const Dimensions order = PhysicalOrder(In(site, 0).shape());
  if (order.size() != 4 || order == InverseOf(order)) return nullptr;
  return Instead(TransposedByTheWrongOrder)(site);
}

// Of a transpose by tiles of 32: what stands in the last, incomplete tile is not written.
void LastTileIsNotWritten(const Instruction& x, absl::Span<const Literal>,
                          std::vector<Literal>* leaves, const CustomCall&) {
  const int64_t size = x.shape().dimension(x.shape().rank() - 1);
  Literal& out = leaves->front();
  for (int64_t i = 0; i < out.element_count(); ++i) {
    if (size > 32 && i % size >= size - size % 32) out.Set(i, Element{});
  }
}

// copy, bitcast, copy: the first copy is left out although a dimension of size 1 stands between
// the dimensions that the bitcast joins.
Instruction* CopyLeftOutBeforeBitcast(Site& site) {
  const Instruction& copy = In(site, 0);
  if (!Is(copy, kCopy)) return nullptr;
  const Shape& source = copy.operand(0)->shape();
  if (PhysicalOrder(source) == PhysicalOrder(copy.shape())) return nullptr;
  if (!absl::c_linear_search(source.dimensions(), 1)) return nullptr;
  return On(site, {Inner(site, 0, 0)});
}

// Whether the start vector of an element of a gather's result is inside the operand.
bool StartsInside(const GatherDimensions& gather, const Literal& operand, const Literal& indices,
                  const Dimensions& index) {
  Dimensions at(indices.shape().rank(), 0);
  for (size_t k = 0; k < gather.batch.size(); ++k) {
    at[gather.index_batch[k]] = index[gather.batch[k]];
  }
  for (size_t c = 0; c < gather.start_index_map.size(); ++c) {
    if (!gather.implied_index_vector) at[gather.index_vector_dim] = static_cast<int64_t>(c);
    const uint64_t bits = indices.Get(evaluator::PositionOf(at, indices.shape().dimensions())).bits;
    const ElementType type = indices.element_type();
    const int64_t d = gather.start_index_map[c];
    const int64_t most = operand.shape().dimension(d) - gather.slice_sizes[d];
    const bool negative = IsSigned(type) && DecodeSigned(type, bits) < 0;
    if (negative || DecodeUnsigned(type, bits) > static_cast<uint64_t>(most)) return false;
  }
  return true;
}

void ZerosBeyondTheEnd(const Instruction& x, absl::Span<const Literal> operands,
                       std::vector<Literal>* leaves, const CustomCall&) {
  const GatherDimensions gather = GatherDimensionsOf(x);
  Literal& out = leaves->front();
  for (int64_t i = 0; i < out.element_count(); ++i) {
    const Dimensions index = evaluator::IndexAt(i, x.shape().dimensions());
    if (!StartsInside(gather, operands[0], operands[1], index)) out.Set(i, Element{});
  }
}

// An index of a scatter is held against the size of the operand's dimension of its number, not of
// the dimension that it counts in.
Instruction* IndicesHeldAgainstOtherSizes(Site& site) {
  const Instruction& x = site.original();
  if (x.operand_count() != 3) return nullptr;
  const ScatterDimensions scatter = ScatterDimensionsOf(x);
  const Shape& operand = x.operand(0)->shape();
  if (static_cast<int64_t>(scatter.start_index_map.size()) >= operand.rank() ||
      !scatter.operand_batching.empty()) {
    return nullptr;
  }
  std::vector<Instruction*> operands = site.operands();
  operands[1] = site.Call(
      {operands[1]}, x.operand(1)->shape(),
      [=, shape = operand](const Instruction&, absl::Span<const Literal> values,
                           const CustomCall&) {
        Literal changed = values[0];
        const ElementType type = changed.element_type();
        for (int64_t i = 0; i < changed.element_count(); ++i) {
          const Dimensions index = evaluator::IndexAt(i, changed.shape().dimensions());
          const int64_t c = scatter.implied_index_vector ? 0 : index[scatter.index_vector_dim];
          const uint64_t start = DecodeUnsigned(type, changed.Get(i).bits);
          if (start >= static_cast<uint64_t>(shape.dimension(c))) {
            changed.Set(i, {EncodeInteger(type, ~uint64_t{0}), 0});
          }
        }
        return changed;
      });
  return On(site, operands);
}

// Index vectors along dimension 0 are moved to the last one, and still read along dimension 0.
Instruction* IndexVectorsReadAcross(Site& site) {
  const Instruction& x = site.original();
  if (x.operand_count() != 3 || x.GetInt(Attr::kIndexVectorDim) != 0 ||
      x.GetInts(Attr::kUpdateWindowDims).empty()) {
    return nullptr;
  }
  const Shape& indices = In(site, 1).shape();
  if (indices.rank() != 2 || indices.dimension(0) != indices.dimension(1)) return nullptr;
  Instruction* const moved = BuildDimensions(site, kTranspose, indices, site.operand(1), {1, 0});
  return On(site, {site.operand(0), moved, site.operand(2)});
}

// The last of the arrays that stand in the first dimension.
Instruction* LastOf(Site& site, int64_t k) {
  Shape shape = In(site, k).shape();
  Slices slices;
  for (const int64_t size : shape.dimensions()) slices.push_back({0, size, 1});
  slices[0].start = slices[0].limit - 1;
  shape.set_dimension(0, 1);
  return Build(site, kSlice, shape, {site.operand(k)},
               [&](Instruction& x) { x.SetAttribute(Attr::kSlice, slices); });
}

// Of updates without indices, of one element each, the last alone is applied.
Instruction* LastUpdateAlone(Site& site) {
  const Instruction& x = site.original();
  if (x.operand_count() != 3 || !x.GetInts(Attr::kScatterDimsToOperandDims).empty()) return nullptr;
  const Shape &indices = In(site, 1).shape(), &updates = In(site, 2).shape();
  const ScatterDimensions scatter = ScatterDimensionsOf(x);
  if (scatter.batch != Dimensions{0} || indices.dimension(0) < 1 ||
      updates.element_count() != updates.dimension(0)) {
    return nullptr;
  }
  return On(site, {site.operand(0), LastOf(site, 1), LastOf(site, 2)});
}

// A start c - i, where a loop carries i, becomes i.
Instruction* ReversedStartsForward(Site& site) {
  const Instruction& x = site.original();
  std::vector<Instruction*> operands = site.operands();
  bool found = false;
  for (int64_t k = Is(x, kDynamicSlice) ? 1 : 2; k < x.operand_count(); ++k) {
    const Instruction& start = In(site, k);
    if (!Is(start, kSubtract) || !UniformValue(*start.operand(0))) continue;
    const Instruction& counter = *start.operand(1);
    if (!Is(counter, kGetTupleElement) || !Is(*counter.operand(0), kParameter)) continue;
    operands[k] = Inner(site, k, 1);
    found = true;
  }
  return found ? On(site, operands) : nullptr;
}

std::vector<Mutant> Layouts() {
  return {
      {"history/jax_129",
       {kTranspose},
       "the last, incomplete tile of 32 columns of a transpose is not written",
       OnResult(LastTileIsNotWritten,
                [](const Instruction& x) {
                  return x.shape().rank() > 1 && DimensionsOf(x).back() != x.shape().rank() - 1;
                })},
      {"history/openxla_18441",
       {kBitcast},
       "a copy in front of a bitcast is left out where a dimension has the size 1",
       CopyLeftOutBeforeBitcast},
      {"history/jax_25759",
       {kTranspose},
       "a transpose of arrays of rank four composes their layouts in the wrong order",
       LayoutsComposedWrongly},
  };
}

std::vector<Mutant> Indices() {
  return {
      {"history/tensorflow_61865",
       {kGather},
       "a gather beyond the end is zero",
       OnResult(ZerosBeyondTheEnd)},
      {"history/jax_7538",
       {kGather},
       "a gather of a scatter to the same indices is its updates",
       [](Site& site) -> Instruction* {
         const Instruction& scatter = In(site, 0);
         if (!Is(scatter, kScatter) || scatter.operand_count() != 3 ||
             scatter.operand(1) != &In(site, 1) ||
             !Shape::Compatible(scatter.operand(2)->shape(), ShapeOf(site))) {
           return nullptr;
         }
         return Inner(site, 0, 2);
       }},
      {"history/openxla_19656",
       {kScatter},
       "implied indices of a scatter are held against the sizes of other dimensions",
       IndicesHeldAgainstOtherSizes},
      {"history/openxla_19429",
       {kScatter},
       "index vectors along dimension 0 of a scatter of slices are read along the other one",
       IndexVectorsReadAcross},
      {"history/openxla_48716",
       {kScatter},
       "of updates without indices the last alone is applied",
       LastUpdateAlone},
      {"history/openxla_46231",
       {kDynamicSlice, kDynamicUpdateSlice},
       "a slice that a loop takes backwards is taken forwards",
       ReversedStartsForward},
  };
}

}  // namespace

std::vector<Mutant> HistoryOfIndexing() { return conformance::Joined({Layouts, Indices}); }

}  // namespace assay::fuzz
