// Steps that move elements.
#include <algorithm>
#include <numeric>
#include <utility>

#include "fuzz/programs/permutation.h"
#include "fuzz/programs/steps.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

int64_t RankOf(const Instruction* x) { return x->shape().rank(); }

// A dimension of more than one element if there is one.
int64_t LongDimension(Sketch& s, const Instruction* x) {
  const int64_t rank = RankOf(x), first = s.choices().Below(rank);
  for (int64_t k = 0; k < rank; ++k) {
    if (x->shape().dimension((first + k) % rank) > 1) return (first + k) % rank;
  }
  return first;
}

Instruction* BroadcastStep(Sketch& s, Instruction* x) {
  Choices& choices = s.choices();
  const int64_t rank = RankOf(x);
  if (rank >= s.w().most_rank()) return nullptr;
  Dimensions sizes = Sketch::SizesOf(x);
  std::vector<int64_t> places(rank);
  std::iota(places.begin(), places.end(), 0);
  const int64_t at = choices.Below(rank + 1);
  sizes.insert(sizes.begin() + at, choices.Between(2, 4));
  for (int64_t& place : places) place += place >= at ? 1 : 0;
  // Now and then dimensions change places on the way.
  if (rank >= 2 && choices.OneIn(4)) {
    std::swap(places[0], places[1]);
    std::swap(sizes[places[0]], sizes[places[1]]);
  }
  return s.Broadcast(x, sizes, std::move(places));
}

Instruction* TransposeStep(Sketch& s, Instruction* x) {
  if (RankOf(x) < 2) return nullptr;
  std::vector<int64_t> order = Permutation(s.choices(), RankOf(x));
  if (std::is_sorted(order.begin(), order.end()))
    std::rotate(order.begin(), order.end() - 1, order.end());
  return s.Transpose(x, std::move(order));
}

Instruction* ReshapeStep(Sketch& s, Instruction* x) {
  Choices& choices = s.choices();
  const int64_t rank = RankOf(x);
  Dimensions sizes = Sketch::SizesOf(x);
  if (rank == 0) return nullptr;
  const int64_t d = choices.Below(rank);
  switch (choices.Below(4)) {
    case 0:  // two dimensions joined
      if (rank < 2) return nullptr;
      sizes[d == 0 ? 0 : d - 1] *= sizes[d == 0 ? 1 : d];
      sizes.erase(sizes.begin() + (d == 0 ? 1 : d));
      break;
    case 1:  // one divided
      for (const int64_t part : {2, 3, 5}) {
        if (sizes[d] % part != 0 || sizes[d] == 0 || rank >= s.w().most_rank()) continue;
        sizes[d] /= part;
        sizes.insert(sizes.begin() + d + choices.Below(2), part);
        break;
      }
      break;
    case 2:  // in another order
      std::rotate(sizes.begin(), sizes.begin() + std::max<int64_t>(d, rank > 1), sizes.end());
      break;
    default:
      sizes.insert(sizes.begin() + d, 1);
      if (rank >= s.w().most_rank()) return nullptr;
  }
  return s.Reshape(x, sizes);
}

Instruction* ReverseStep(Sketch& s, Instruction* x) {
  if (RankOf(x) == 0) return nullptr;
  std::vector<int64_t> dimensions = {LongDimension(s, x)};
  for (int64_t d = 0; d < RankOf(x); ++d) {
    if (d != dimensions[0] && s.choices().OneIn(4)) dimensions.push_back(d);
  }
  return s.Reverse(x, std::move(dimensions));
}

Instruction* SliceStep(Sketch& s, Instruction* x) {
  Choices& choices = s.choices();
  if (RankOf(x) == 0) return nullptr;
  const int64_t always = LongDimension(s, x);
  Slices ranges;
  for (int64_t d = 0; d < RankOf(x); ++d) {
    const int64_t size = x->shape().dimension(d);
    SliceRange& own = ranges.emplace_back(SliceRange{0, size, 1});
    if (size < 2 || (d != always && choices.OneIn(2))) continue;
    const int64_t kind = choices.Below(4);
    if (kind == 0 && size > 2) own.stride = 2;
    if (kind <= 1) own.start = 1;
    if (kind == 2) own.limit = size - 1;
    if (kind == 3) own.start = choices.Below(size), own.limit = own.start + 1;
  }
  auto made = s.w().Start(kSlice, {x});
  made->SetAttribute(Attr::kSlice, ranges);
  return s.w().Finish(std::move(made));
}

Instruction* PadStep(Sketch& s, Instruction* x) {
  Choices& choices = s.choices();
  if (RankOf(x) == 0) return nullptr;
  const int64_t always = choices.Below(RankOf(x));
  PaddingConfig config;
  for (int64_t d = 0; d < RankOf(x); ++d) {
    PaddingDimension& own = config.dimensions.emplace_back();
    if (d != always && choices.OneIn(2)) continue;
    own.low = choices.Below(3);
    own.high = choices.Below(3);
    if (own.low + own.high == 0) own.low = 1;
    if (choices.OneIn(4)) own.interior = 1;
    if (choices.OneIn(5) && x->shape().dimension(d) > 1) own.low = -1;
  }
  Instruction* const value =
      choices.OneIn(3) ? s.w().ScalarOf(s.TypeOf(x)) : s.w().PlainSplat(s.TypeOf(x), {});
  auto made = s.w().Start(kPad, {x, value});
  made->SetAttribute(Attr::kPadding, std::move(config));
  return s.w().Finish(std::move(made));
}

Instruction* ConcatenateStep(Sketch& s, Instruction* x) {
  Choices& choices = s.choices();
  if (RankOf(x) == 0) return nullptr;
  const int64_t d = choices.Below(RankOf(x));
  Dimensions sizes = Sketch::SizesOf(x);
  sizes[d] = choices.Between(1, 3);
  Instruction* const other = choices.OneIn(4) ? x : ArrayThatTells(s, s.TypeOf(x), sizes);
  switch (choices.Below(3)) {
    case 0:
      return s.Concatenate({x, other}, d);
    case 1:
      return s.Concatenate({other, x}, d);
    default:
      return s.Concatenate({x, other, x}, d);
  }
}

std::vector<int64_t> DimensionsBut(int64_t rank, int64_t left_out) {
  std::vector<int64_t> all;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != left_out) all.push_back(d);
  }
  return all;
}

// Rows along any dimension, at several indices.
Instruction* GatherStep(Sketch& s, Instruction* x) {
  Choices& choices = s.choices();
  if (RankOf(x) == 0) return nullptr;
  const int64_t d = choices.Below(RankOf(x));
  Dimensions part = Sketch::SizesOf(x);
  if (part[d] == 0) return nullptr;
  const ElementType type = s.w().AnyIndexType();
  const Dimensions count = {choices.Between(1, 4)};
  Instruction* const indices = IndicesThatTell(s, type, count, part[d]);
  part[d] = 1;
  auto made = s.w().Start(kGather, {x, indices});
  // The new dimension stands where the old one was, or in front.
  const int64_t at = choices.OneIn(3) ? 0 : d;
  made->SetAttribute(Attr::kOffsetDims, DimensionsBut(RankOf(x), at));
  made->SetAttribute(Attr::kCollapsedSliceDims, std::vector<int64_t>{d});
  made->SetAttribute(Attr::kStartIndexMap, std::vector<int64_t>{d});
  made->SetAttribute(Attr::kIndexVectorDim, int64_t{1});
  made->SetAttribute(Attr::kSliceSizes, std::vector<int64_t>(part.begin(), part.end()));
  return s.w().Finish(std::move(made));
}

Instruction* ScatterStep(Sketch& s, Instruction* x) {
  static constexpr Opcode kCombine[] = {kAdd, kMaximum, kMultiply, kMinimum, kAdd};
  Choices& choices = s.choices();
  const Opcode combine = IsPred(s.TypeOf(x)) ? kOr : choices.Of(kCombine);
  if (RankOf(x) == 0 || !Sketch::Takes(combine, x)) return nullptr;
  const int64_t d = choices.Below(RankOf(x)), count = choices.Between(1, 3);
  Dimensions rows = Sketch::SizesOf(x);
  const ElementType type = s.w().AnyIndexType();
  Instruction* const indices = IndicesThatTell(s, type, {count}, std::max<int64_t>(rows[d], 1));
  rows[d] = count;
  Instruction* const updates = ArrayThatTells(s, s.TypeOf(x), rows);
  Computation* const region = s.Region(combine, s.TypeOf(x));
  auto made = s.w().Start(kScatter, {x, indices, updates});
  made->SetAttribute(Attr::kUpdateWindowDims, DimensionsBut(RankOf(x), d));
  made->SetAttribute(Attr::kInsertedWindowDims, std::vector<int64_t>{d});
  made->SetAttribute(Attr::kScatterDimsToOperandDims, std::vector<int64_t>{d});
  made->SetAttribute(Attr::kIndexVectorDim, int64_t{1});
  made->SetAttribute(Attr::kToApply, region);
  return s.w().Finish(std::move(made));
}

// Sizes of a part of the value, smaller in at least one dimension if that is possible, and starts
// for it.
Dimensions SmallerPart(Sketch& s, const Instruction* x) {
  Dimensions part = Sketch::SizesOf(x);
  const int64_t always = LongDimension(s, x);
  for (int64_t d = 0; d < RankOf(x); ++d) {
    if (part[d] < 2 || (d != always && s.choices().OneIn(2))) continue;
    part[d] = s.choices().Between(1, part[d] - 1);
  }
  return part;
}

// The number of the device times the size of its part, as partitioned programs have it.
Instruction* StartOfDevice(Sketch& s, ElementType type, int64_t size) {
  Instruction* const number = s.w().Add(s.choices().OneIn(2) ? kReplicaId : kPartitionId, {});
  Instruction* const id = s.Convert(number, type);
  return id == nullptr ? nullptr : s.Op(kMultiply, {id, s.Number(type, static_cast<double>(size))});
}

std::vector<Instruction*> StartsFor(Sketch& s, const Instruction* x, Sizes part) {
  const ElementType type = s.w().AnyIndexType();
  std::vector<Instruction*> starts;
  for (int64_t d = 0; d < RankOf(x); ++d) {
    const bool own = s.w().devices() > 1 && s.w().MayWrite(kPartitionId) && s.choices().OneIn(3);
    Instruction* start = own ? StartOfDevice(s, type, part[d]) : nullptr;
    if (start == nullptr)
      start = IndicesThatTell(s, type, {}, x->shape().dimension(d) - part[d] + 1);
    starts.push_back(start);
  }
  return starts;
}

// The part of this device in what all of a group have gathered, or nearly.
Instruction* OwnPart(Sketch& s, Instruction* gathered) {
  const ElementType type = ElementType::kU32;
  const int64_t along = gathered->GetInt(Attr::kDimension);
  const Dimensions own = Sketch::SizesOf(gathered->operand(0));
  std::vector<Instruction*> starts;
  for (int64_t d = 0; d < static_cast<int64_t>(own.size()); ++d) {
    starts.push_back(d == along ? StartOfDevice(s, type, own[d]) : s.Number(type, 0));
    if (starts.back() == nullptr) return nullptr;
  }
  return s.DynamicSlice(gathered, starts, own);
}

Instruction* DynamicSliceStep(Sketch& s, Instruction* x) {
  if (RankOf(x) == 0) return nullptr;
  if (x->opcode() == kAllGather && s.choices().OneIn(2)) return OwnPart(s, x);
  const Dimensions part = SmallerPart(s, x);
  return s.DynamicSlice(x, StartsFor(s, x, part), part);
}

Instruction* DynamicUpdateSliceStep(Sketch& s, Instruction* x) {
  if (RankOf(x) == 0) return nullptr;
  const Dimensions part = SmallerPart(s, x);
  const std::vector<Instruction*> starts = StartsFor(s, x, part);
  return s.DynamicUpdateSlice(x, ArrayThatTells(s, s.TypeOf(x), part), starts);
}

Instruction* CopyStep(Sketch& s, Instruction* x) { return s.w().Add(kCopy, {x}); }

constexpr Step kMoveSteps[] = {
    {"broadcast", BroadcastStep},
    {"transpose", TransposeStep},
    {"reshape", ReshapeStep},
    {"reverse", ReverseStep},
    {"slice", SliceStep},
    {"pad", PadStep},
    {"concatenate", ConcatenateStep},
    {"gather", GatherStep},
    {"scatter", ScatterStep},
    {"dynamic-slice", DynamicSliceStep},
    {"dynamic-update-slice", DynamicUpdateSliceStep},
    {"copy", CopyStep},
};

}  // namespace

absl::Span<const Step> MoveSteps() { return kMoveSteps; }

}  // namespace assay::fuzz
