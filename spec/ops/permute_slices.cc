// Which pairs and which slices a collective-permute may have.
//   collective_permute_c1 pairs have two entries; no source and no target comes twice (in place:
//       more often than there are offsets)
//   collective_permute_c2 in place: an input and an output, arrays both or tuples both
//   collective_permute_c3 in place: offsets of each, one index per dimension, or several such
//   collective_permute_c5 (strict) in place: input and output are arrays of one type and rank with
//       as many slices each, begun by integer scalars; a list of sizes for each slice fits into
//       both; a process sends and receives no more often than it has slices, of one size at both
//       ends
// Source: reference ops_control_and_collectives.md 7.7. Tests: spec/verify/testdata/control.cases.
#include "spec/ops/permute_slices.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

using Pairs = std::vector<std::vector<int64_t>>;

// The first pair whose source or target comes more often than `allowed`; null where none does.
const std::vector<int64_t>* PairBeyond(const Pairs& pairs, size_t allowed) {
  absl::flat_hash_map<int64_t, size_t> sources, targets;
  for (const std::vector<int64_t>& pair : pairs) {
    if (++sources[pair[0]] > allowed || ++targets[pair[1]] > allowed) return &pair;
  }
  return nullptr;
}

// (i, j, ...) of one place in a buffer, or a tuple of such.
absl::Status CheckOffsets(const Instruction& op, const Shape& buffer, const Shape& offsets) {
  bool fits = offsets.is_tuple();
  bool all_tuples = fits, all_arrays = fits;
  for (const Shape& part : offsets.tuple_shapes()) {
    all_tuples &= part.is_tuple();
    all_arrays &= part.is_array();
  }
  const auto has_rank = [&](const Shape& place) {
    return static_cast<int64_t>(place.tuple_shapes().size()) == buffer.rank();
  };
  fits = all_tuples
             ? std::all_of(offsets.tuple_shapes().begin(), offsets.tuple_shapes().end(), has_rank)
             : all_arrays && has_rank(offsets);
  ASSAY_REQUIRE(op, "collective_permute_c3", fits, "offsets in ", buffer.ToString(),
                " must have an index per dimension, found ", offsets.ToString());
  return absl::OkStatus();
}

// collective-permute of slices: input, output, and for each where its slices begin.
absl::Status CheckInPlace(const Instruction& op) {
  ASSAY_REQUIRE(op, "collective_permute_c2", op.operand_count() == 4,
                "in place there must be input, output and their offsets, found ",
                op.operand_count(), " operands");
  const Shape &input = op.operand(0)->shape(), &output = op.operand(1)->shape();
  ASSAY_REQUIRE(op, "collective_permute_c2",
                input.is_tuple() == output.is_tuple() &&
                    input.tuple_shapes().size() == output.tuple_shapes().size(),
                "in place input and output must be arrays both or tuples of one length, found ",
                input.ToString(), " and ", output.ToString());
  for (int64_t side : {0, 1}) {
    const Shape& buffer = op.operand(side)->shape();
    const Shape& offsets = op.operand(side + 2)->shape();
    if (!buffer.is_tuple()) {
      ASSAY_RETURN_IF_ERROR(CheckOffsets(op, buffer, offsets));
      continue;
    }
    ASSAY_REQUIRE(
        op, "collective_permute_c3", offsets.tuple_shapes().size() == buffer.tuple_shapes().size(),
        "there must be offsets for each of ", buffer.ToString(), ", found ", offsets.ToString());
    for (size_t k = 0; k < buffer.tuple_shapes().size(); ++k) {
      ASSAY_RETURN_IF_ERROR(CheckOffsets(op, buffer.tuple_shape(k), offsets.tuple_shape(k)));
    }
  }
  return absl::OkStatus();
}

// How often a process may send by XLA's count: once, in place as often as the offsets of the first
// array have parts, be they offsets or, with one slice, its indices.
size_t TransfersByParts(const Instruction& op) {
  if (!IsInPlace(op)) return 1;
  const Shape& offsets = op.operand(2)->shape();
  const bool one_buffer = !op.operand(0)->shape().is_tuple() || offsets.tuple_shapes().empty();
  return (one_buffer ? offsets : offsets.tuple_shape(0)).tuple_shapes().size();
}

// Slices of the arrays with this number.
absl::Status CheckSlices(const Instruction& op, int64_t number, const Shape& input,
                         const Shape& output, absl::Span<const std::vector<int64_t>> sizes) {
  ASSAY_REQUIRE(op, "collective_permute_c5",
                input.is_array() && output.is_array() &&
                    input.element_type() == output.element_type() && input.rank() == output.rank(),
                "in place input and output must be arrays of one type and rank, found ",
                input.ToString(), " and ", output.ToString());
  for (PermuteSide side : {PermuteSide::kRead, PermuteSide::kWritten}) {
    const std::vector<const Shape*> starts = SliceStarts(op, side, number);
    ASSAY_REQUIRE(op, "collective_permute_c5", starts.size() == sizes.size(),
                  "in place all arrays must have as many slices, ", sizes.size(), ", found ",
                  starts.size());
    for (const Shape* start : starts) {
      for (const Shape& index : start->tuple_shapes()) {
        ASSAY_REQUIRE(op, "collective_permute_c5",
                      index.is_scalar() && IsInteger(index.element_type()),
                      "indices must be integers, found ", start->ToString());
      }
    }
  }
  for (const std::vector<int64_t>& list : sizes) {
    bool fits = static_cast<int64_t>(list.size()) == input.rank();
    for (int64_t d = 0; fits && d < input.rank(); ++d) {
      fits = list[d] >= 0 && list[d] <= std::min(input.dimension(d), output.dimension(d));
    }
    ASSAY_REQUIRE(op, "collective_permute_c5", fits, "slice_sizes must fit into ", input.ToString(),
                  " and ", output.ToString(), ", found ", ListText(list));
  }
  return absl::OkStatus();
}

// The k-th slice that a process sends meets the m-th that its target receives.
absl::Status CheckTransfers(const Instruction& op, const Pairs& sizes, int64_t slices) {
  const auto* pairs = op.attributes().Get<Pairs>(Attr::kSourceTargetPairs);
  if (pairs == nullptr) return absl::OkStatus();
  absl::flat_hash_map<int64_t, int64_t> sent, received;
  for (const std::vector<int64_t>& pair : *pairs) {
    const int64_t k = sent[pair[0]]++, m = received[pair[1]]++;
    ASSAY_REQUIRE(op, "collective_permute_c5", k < slices && m < slices,
                  "no device may send or receive more often than there are slices, ", slices,
                  ", found ", ListText(pair));
    for (size_t first = 0; first < sizes.size(); first += slices) {
      ASSAY_REQUIRE(op, "collective_permute_c5", sizes[first + k] == sizes[first + m],
                    "slices must have one size at both ends of a transfer, found ",
                    ListText(sizes[first + k]), " and ", ListText(sizes[first + m]), " for ",
                    ListText(pair));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckInPlaceStrictly(const Instruction& op) {
  const auto& sizes = *op.attributes().Get<Pairs>(Attr::kSliceSizesList);
  const Shape &input = op.operand(0)->shape(), &output = op.operand(1)->shape();
  const size_t arrays = input.is_tuple() ? input.tuple_shapes().size() : 1;
  const size_t slices = arrays == 0 ? 0 : SliceStarts(op, PermuteSide::kRead, 0).size();
  ASSAY_REQUIRE(op, "collective_permute_c5", sizes.size() == arrays * slices,
                "slice_sizes must have a list for each slice, ", arrays * slices, ", found ",
                sizes.size());
  for (size_t k = 0; k < arrays; ++k) {
    ASSAY_RETURN_IF_ERROR(CheckSlices(op, static_cast<int64_t>(k),
                                      input.is_tuple() ? input.tuple_shape(k) : input,
                                      output.is_tuple() ? output.tuple_shape(k) : output,
                                      absl::MakeConstSpan(sizes).subspan(k * slices, slices)));
  }
  return CheckTransfers(op, sizes, static_cast<int64_t>(slices));
}

}  // namespace

bool IsInPlace(const Instruction& permute) { return permute.HasAttribute(Attr::kSliceSizesList); }

std::vector<const Shape*> SliceStarts(const Instruction& permute, PermuteSide side,
                                      int64_t number) {
  const int64_t k = static_cast<int64_t>(side);
  const Shape& all = permute.operand(k + 2)->shape();
  const Shape& own = permute.operand(k)->shape().is_tuple() ? all.tuple_shape(number) : all;
  if (own.tuple_shapes().empty() || !own.tuple_shape(0).is_tuple()) return {&own};
  std::vector<const Shape*> starts;
  for (const Shape& start : own.tuple_shapes()) starts.push_back(&start);
  return starts;
}

int64_t TransfersPerProcess(const Instruction& permute) {
  if (!IsInPlace(permute)) return 1;
  const Shape& input = permute.operand(0)->shape();
  if (input.is_tuple() && input.tuple_shapes().empty()) return 0;
  return static_cast<int64_t>(SliceStarts(permute, PermuteSide::kRead, 0).size());
}

absl::Status CheckSlicesAndPairs(const Instruction& op) {
  if (IsInPlace(op)) ASSAY_RETURN_IF_ERROR(CheckInPlace(op));
  const auto* pairs = op.attributes().Get<Pairs>(Attr::kSourceTargetPairs);
  if (pairs == nullptr) return absl::OkStatus();
  for (const std::vector<int64_t>& pair : *pairs) {
    ASSAY_REQUIRE(op, "collective_permute_c1", pair.size() == 2,
                  "source_target_pairs must be pairs, found ", ListText(pair));
  }
  const std::vector<int64_t>* excess = PairBeyond(*pairs, TransfersByParts(op));
  ASSAY_REQUIRE(op, "collective_permute_c1", excess == nullptr,
                "no source and no target of source_target_pairs may repeat, found ",
                ListText(*excess));
  return absl::OkStatus();
}

absl::Status CheckPermuteStrictly(const Instruction& op) {
  return IsInPlace(op) ? CheckInPlaceStrictly(op) : absl::OkStatus();
}

}  // namespace assay
