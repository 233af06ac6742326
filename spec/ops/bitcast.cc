// bitcast: the same bytes in memory under another shape and layout.
//   bitcast_c1 (strict) operand and result are arrays of known size
//   bitcast_c2 (strict) an array of rank 1 or more has a layout, which names every dimension once
//   bitcast_c3 (strict) the packed bytes are as many
// XLA's verifier looks at none of it before layouts are assigned.
// Source: reference ops_structural.md 12.5. Tests: spec/verify/testdata/movement.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

// Bytes of the elements packed without gaps; pred and the 6-bit floats take a byte each.
absl::StatusOr<int64_t> PackedBytes(const Shape& shape) {
  const absl::StatusOr<int64_t> count = shape.ElementCount();
  if (!count.ok()) return count;
  const ElementTypeInfo& info = Info(shape.element_type());
  const bool packs = IsInteger(shape.element_type()) || info.bits == 4;
  const int bits = packs ? info.bits : info.storage_bytes * 8;
  const __int128 bytes = (static_cast<__int128>(*count) * bits + 7) / 8;
  if (bytes > INT64_MAX) {
    return absl::InvalidArgumentError(
        absl::StrCat("the bytes of ", shape.ToString(), " overflow 63 bits"));
  }
  return static_cast<int64_t>(bytes);
}

absl::StatusOr<int64_t> CheckSide(const Instruction& bitcast, const Shape& shape,
                                  absl::string_view side) {
  ASSAY_REQUIRE(bitcast, "bitcast_c1", shape.is_array(), side, " must be an array, found ",
                shape.ToString());
  ASSAY_REQUIRE(bitcast, "bitcast_c2", shape.rank() == 0 || shape.has_layout(), side,
                " must have a layout, found ", shape.ToString());
  ASSAY_REQUIRE(bitcast, "bitcast_c2",
                !shape.has_layout() || IsPermutation(shape.layout()->minor_to_major, shape.rank()),
                "the layout of ", side, " must name every dimension once, found ",
                shape.ToString(true));
  absl::StatusOr<int64_t> bytes = PackedBytes(shape);
  ASSAY_REQUIRE(bitcast, "bitcast_c1", bytes.ok(), bytes.status().message());
  return bytes;
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kBitcast>(const Instruction& bitcast) {
  return bitcast.shape();
}

absl::Status CheckBitcastStrictly(const Instruction& bitcast) {
  const absl::StatusOr<int64_t> before =
      CheckSide(bitcast, bitcast.operand(0)->shape(), "the operand");
  if (!before.ok()) return before.status();
  const absl::StatusOr<int64_t> after = CheckSide(bitcast, bitcast.shape(), "the result");
  if (!after.ok()) return after.status();
  ASSAY_REQUIRE(bitcast, "bitcast_c3", *before == *after, "the operand has ", *before,
                " bytes, the result ", *after);
  return absl::OkStatus();
}

}  // namespace assay
