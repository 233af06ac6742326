// Rows of operations that read and write at indices: dynamic slices, gather, scatter.
#include <algorithm>
#include <numeric>

#include "fuzz/programs/regions.h"
#include "fuzz/programs/writer.h"

namespace assay::fuzz {
namespace {

// Appends the start indices for slices of these sizes: scalars of one type, or one vector.
void AppendStarts(ProgramWriter& w, const Shape& whole, Sizes part,
                  std::vector<Instruction*>* operands) {
  const ElementType type = w.AnyIndexType();
  int64_t most = 0;
  for (int64_t d = 0; d < whole.rank(); ++d) most = std::max(most, whole.dimension(d) - part[d]);
  if (whole.rank() > 0 && w.choices().OneIn(4)) {
    operands->push_back(w.IndexArray(type, {whole.rank()}, -2, most + 1));
    return;
  }
  for (int64_t d = 0; d < whole.rank(); ++d) {
    operands->push_back(w.IndexArray(type, {}, -1, whole.dimension(d) - part[d] + 1));
  }
}

Dimensions PartOf(ProgramWriter& w, Sizes whole) {
  Dimensions part(whole.begin(), whole.end());
  for (int64_t& size : part) {
    if (w.choices().OneIn(4)) continue;
    size = w.choices().Below(size + 1);
    if (size == 0 && !w.choices().OneIn(4)) size = 1;
  }
  for (size_t d = 0; d < part.size(); ++d) part[d] = std::min(part[d], whole[d]);
  return part;
}

// How the dimensions of an operand of gather or scatter meet those of the indices.
struct IndexPlan {
  std::vector<int64_t> collapsed, batching, window;  // of the operand
  std::vector<int64_t> index_batching;               // of the indices, by `batching`
  std::vector<int64_t> map;                          // start_index_map
  int64_t vector_dim = 0;
  Dimensions index_sizes;  // of the indices, with the vector where it is written
  Dimensions batch_sizes;  // without it
};

IndexPlan PlanIndices(ProgramWriter& w, const Shape& operand) {
  IndexPlan plan;
  std::vector<int64_t> mapped;  // dimensions that an index may move in
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const int64_t role = w.choices().Below(4);
    if (role == 3 && plan.batching.size() < 2) {
      plan.batching.push_back(d);
      continue;
    }
    (role == 0 ? plan.collapsed : plan.window).push_back(d);
    mapped.push_back(d);
  }
  // Batch dimensions of the indices: those that go with the operand's, and others.
  for (const int64_t d : plan.batching) plan.batch_sizes.push_back(operand.dimension(d));
  for (int64_t more = w.choices().Below(3); more > 0; --more) {
    const int64_t size = std::clamp<int64_t>(w.AnySize(), 1, 8);
    const bool fits = CountOf(plan.batch_sizes) * size <= w.limits().elements / 8;
    plan.batch_sizes.push_back(fits ? size : 1);
  }
  std::vector<int64_t> place(plan.batch_sizes.size());
  std::iota(place.begin(), place.end(), 0);
  if (place.size() > 1 && w.choices().OneIn(2)) {
    std::swap(place.front(), place.back());
    std::swap(plan.batch_sizes.front(), plan.batch_sizes.back());
  }
  // Which dimensions the elements of an index vector are for, in any order.
  for (int64_t k = static_cast<int64_t>(mapped.size()) - 1; k > 0; --k) {
    std::swap(mapped[k], mapped[w.choices().Below(k + 1)]);
  }
  const auto most = static_cast<int64_t>(mapped.size());
  plan.map.assign(mapped.begin(), mapped.begin() + (most == 0 ? 0 : w.choices().Below(most + 1)));
  const auto rank = static_cast<int64_t>(plan.batch_sizes.size());
  plan.index_sizes = plan.batch_sizes;
  // A vector of one element need not be written.
  const bool implicit = plan.map.size() == 1 && w.choices().OneIn(2);
  plan.vector_dim = implicit ? rank : w.choices().Below(rank + 1);
  if (!implicit) {
    plan.index_sizes.insert(plan.index_sizes.begin() + plan.vector_dim,
                            static_cast<int64_t>(plan.map.size()));
  }
  for (size_t k = 0; k < plan.batching.size(); ++k) {
    const int64_t at = place[k];
    plan.index_batching.push_back(!implicit && at >= plan.vector_dim ? at + 1 : at);
  }
  return plan;
}

// `count` places among `rank` in rising order.
std::vector<int64_t> RisingPlaces(ProgramWriter& w, int64_t count, int64_t rank) {
  std::vector<int64_t> places;
  for (int64_t d = 0; d < rank && static_cast<int64_t>(places.size()) < count; ++d) {
    const int64_t wanted = count - static_cast<int64_t>(places.size());
    if (rank - d == wanted || w.choices().OneIn(2)) places.push_back(d);
  }
  return places;
}

Instruction* Indices(ProgramWriter& w, const IndexPlan& plan, const Shape& operand) {
  int64_t most = 0;
  for (const int64_t d : plan.map) most = std::max(most, operand.dimension(d));
  return w.IndexArray(w.AnyIndexType(), plan.index_sizes, -1, most);
}

// A single index is sorted and unique; of others nothing can be promised.
bool MayPromise(ProgramWriter& w, const IndexPlan& plan) {
  return CountOf(plan.batch_sizes) <= 1 && w.choices().OneIn(2);
}

}  // namespace

void WriteDynamicSlice(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const Dimensions part = PartOf(w, x->shape().dimensions());
  std::vector<Instruction*> operands = {x};
  AppendStarts(w, x->shape(), part, &operands);
  auto made = w.Start(opcode, operands, Shape(x->shape().element_type(), part));
  made->SetAttribute(Attr::kDynamicSliceSizes, std::vector<int64_t>(part.begin(), part.end()));
  w.Finish(std::move(made));
}

void WriteDynamicUpdateSlice(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const Dimensions part = PartOf(w, x->shape().dimensions());
  std::vector<Instruction*> operands = {x, w.ArrayOf(x->shape().element_type(), part)};
  AppendStarts(w, x->shape(), part, &operands);
  w.Add(opcode, operands, x->shape());
}

void WriteGather(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.NonEmptyArray(opcode);
  const Shape& operand = x->shape();
  const IndexPlan plan = PlanIndices(w, operand);
  std::vector<int64_t> slice(operand.rank(), 1);
  int64_t count = CountOf(plan.batch_sizes);
  for (const int64_t d : plan.window) {
    slice[d] = w.choices().Between(1, operand.dimension(d));
    if (count * slice[d] > w.limits().elements) slice[d] = 1;
    count *= slice[d];
  }
  const auto windows = static_cast<int64_t>(plan.window.size());
  const int64_t rank = windows + static_cast<int64_t>(plan.batch_sizes.size());
  auto made = w.Start(opcode, {x, Indices(w, plan, operand)});
  made->SetAttribute(Attr::kOffsetDims, RisingPlaces(w, windows, rank));
  made->SetAttribute(Attr::kCollapsedSliceDims, plan.collapsed);
  made->SetAttribute(Attr::kStartIndexMap, plan.map);
  made->SetAttribute(Attr::kOperandBatchingDims, plan.batching);
  made->SetAttribute(Attr::kStartIndicesBatchingDims, plan.index_batching);
  made->SetAttribute(Attr::kIndexVectorDim, plan.vector_dim);
  made->SetAttribute(Attr::kSliceSizes, slice);
  if (MayPromise(w, plan)) made->SetAttribute(Attr::kIndicesAreSorted, true);
  w.Finish(std::move(made));
}

void WriteScatter(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.NonEmptyArray(opcode);
  const Shape& operand = x->shape();
  const IndexPlan plan = PlanIndices(w, operand);
  const auto windows = static_cast<int64_t>(plan.window.size());
  const int64_t rank = windows + static_cast<int64_t>(plan.batch_sizes.size());
  const std::vector<int64_t> window_dims = RisingPlaces(w, windows, rank);
  Dimensions update(rank);
  int64_t count = CountOf(plan.batch_sizes);
  for (int64_t d = 0, batch = 0, window = 0; d < rank; ++d) {
    const bool is_window =
        std::find(window_dims.begin(), window_dims.end(), d) != window_dims.end();
    if (!is_window) {
      update[d] = plan.batch_sizes[batch++];
      continue;
    }
    update[d] = w.choices().Between(1, operand.dimension(plan.window[window++]));
    if (count * update[d] > w.limits().argument_elements) update[d] = 1;
    count *= update[d];
  }
  std::vector<Instruction*> data = {x}, updates = {w.ArrayOf(operand.element_type(), update)};
  if (w.choices().OneIn(6)) {
    const ElementType type = w.AnyType(w.grammar().TypesOf(opcode));
    data.push_back(w.ArrayOf(type, operand.dimensions()));
    updates.push_back(w.ArrayOf(type, update));
  }
  std::vector<ElementType> types;
  for (const Instruction* each : data) types.push_back(each->shape().element_type());
  std::vector<Instruction*> operands = data;
  operands.push_back(Indices(w, plan, operand));
  operands.insert(operands.end(), updates.begin(), updates.end());
  Computation* const reducer = WriteReducer(w, types, types, ReducerUse::kUpdates);
  auto made = w.Start(opcode, operands);
  made->SetAttribute(Attr::kUpdateWindowDims, window_dims);
  made->SetAttribute(Attr::kInsertedWindowDims, plan.collapsed);
  made->SetAttribute(Attr::kScatterDimsToOperandDims, plan.map);
  made->SetAttribute(Attr::kInputBatchingDims, plan.batching);
  made->SetAttribute(Attr::kScatterIndicesBatchingDims, plan.index_batching);
  made->SetAttribute(Attr::kIndexVectorDim, plan.vector_dim);
  made->SetAttribute(Attr::kToApply, reducer);
  if (MayPromise(w, plan)) made->SetAttribute(Attr::kIndicesAreSorted, true);
  if (MayPromise(w, plan)) made->SetAttribute(Attr::kUniqueIndices, true);
  w.Finish(std::move(made));
}

}  // namespace assay::fuzz
