#include "fuzz/programs/edges.h"

#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "spec/element/float_formats.h"

namespace assay::fuzz {
namespace {

struct EdgeRow {
  Opcode opcode;
  const char *types, *operands[2];
};
constexpr EdgeRow kEdgeRows[] = {
#define ARGUMENT_RANGE(opcode, types, form, first, second) {Opcode::opcode, types, {first, second}},
#include "conformance/corpus/argument_ranges.def"
#undef ARGUMENT_RANGE
};

std::optional<conformance::ProfileUse> RangeOf(absl::string_view text) {
  if (text.empty()) return std::nullopt;
  conformance::ProfileUse use;
  use.profile = conformance::ValueProfile::kRange;
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    if (!conformance::SetParameter(parts.first, parts.second, &use).ok()) return std::nullopt;
  }
  return use;
}

struct Edges {
  std::vector<conformance::ProfileUse> real, complex;
};
using EdgeTable = std::array<std::array<Edges, 2>, kOpcodeCount>;

const EdgeTable& AllEdges() {
  static const EdgeTable* const table = [] {
    auto* made = new EdgeTable;
    for (const EdgeRow& row : kEdgeRows) {
      for (size_t k = 0; k < 2; ++k) {
        const std::optional<conformance::ProfileUse> use = RangeOf(row.operands[k]);
        if (!use) continue;
        Edges& edges = (*made)[static_cast<size_t>(row.opcode)][k];
        (row.types[0] == 'c' ? edges.complex : edges.real).push_back(*use);
      }
    }
    return made;
  }();
  return *table;
}

}  // namespace

std::optional<conformance::ProfileUse> AnyEdge(Opcode opcode, int operand, ElementType type,
                                               Choices& choices) {
  const Edges& edges = AllEdges()[static_cast<size_t>(opcode)][operand];
  const std::vector<conformance::ProfileUse>& uses = IsComplex(type) ? edges.complex : edges.real;
  if (uses.empty() || !(IsFloat(type) || IsComplex(type))) return std::nullopt;
  conformance::ProfileUse use = choices.Of(uses);
  use.seed = choices.Byte();
  if (!conformance::CheckProfile(use, Shape(type, {2})).ok()) return std::nullopt;
  return use;
}

uint64_t AnyEdgePattern(ElementType type, Choices& choices) {
  constexpr uint64_t kBefore = 4;
  const int bits = Info(Info(type).component).bits;
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const int64_t edge = choices.Below(8);
  uint64_t pattern = edge % 2 == 0 ? 0 : sign;
  if (IsFloat(type)) {
    const FloatFormat& format = *Info(type).format;
    const bool has_nan = format.has_nan() && edge < 4;
    pattern |= has_nan               ? float_formats::NanPattern(format, false)
               : format.has_infinity ? float_formats::InfinityPattern(format)
                                     : float_formats::MaxFinitePattern(format);
  }
  return (pattern - kBefore) & (~uint64_t{0} >> (64 - bits));
}

}  // namespace assay::fuzz
