#include "spec/elementwise_info.h"

#include <array>
#include <iterator>
#include <numbers>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace assay {
namespace {

// The columns of elementwise.def.
namespace columns {
constexpr auto Unary = ShapeRule::kUnary, UnaryToComponent = ShapeRule::kUnaryToComponent,
               UnaryToPred = ShapeRule::kUnaryToPred, CommonShape = ShapeRule::kCommonShape,
               Own = ShapeRule::kOwn;
constexpr RealRange kAnyReal, kUnit{-1, 1}, kFromOne{.low = 1}, kZeroToOne{0, 1},
    kZeroToPi{0, std::numbers::pi};
constexpr bool kMhlo = true, kNoCall = false;
}  // namespace columns

constexpr ElementwiseInfo kElementwiseRows[] = {
#define ELEMENTWISE(opcode, shape, builder, function, role, interval, course, special, range, \
                    call)                                                                     \
  {Opcode::opcode, columns::shape,         ElementRole::role, IntervalRule::interval,         \
   Course::course, SpecialPoints::special, columns::range,    columns::call},
#include "spec/elementwise.def"
#undef ELEMENTWISE
};

constexpr Family kFamilies[] = {
#define OP(enumerator, name, arity, family, ...) Family::family,
#include "spec/op_catalogue.def"
#undef OP
};

// The row of each operation, or -1.
constexpr std::array<int, kOpcodeCount> kElementwiseRowOf = [] {
  std::array<int, kOpcodeCount> rows = {};
  rows.fill(-1);
  for (int i = 0; i < static_cast<int>(std::size(kElementwiseRows)); ++i) {
    rows[static_cast<size_t>(kElementwiseRows[i].opcode)] = i;
  }
  return rows;
}();

// Every elementwise operation of the catalogue has a row, no other has one, and the order is that
// of the catalogue.
constexpr bool RowsAreComplete() {
  int next = 0;
  for (int opcode = 0; opcode < kOpcodeCount; ++opcode) {
    const bool elementwise = kFamilies[opcode] == Family::kElementwise;
    if (kElementwiseRowOf[opcode] != (elementwise ? next++ : -1)) return false;
  }
  return next == static_cast<int>(std::size(kElementwiseRows));
}
static_assert(RowsAreComplete(), "elementwise.def has the elementwise rows of op_catalogue.def");

}  // namespace

absl::Span<const ElementwiseInfo> ElementwiseCatalogue() { return kElementwiseRows; }

const ElementwiseInfo* FindElementwise(Opcode opcode) {
  const int row = kElementwiseRowOf[static_cast<size_t>(opcode)];
  return row < 0 ? nullptr : &kElementwiseRows[row];
}

std::string MhloTarget(Opcode opcode) {
  return absl::StrCat("mhlo.", absl::StrReplaceAll(Name(opcode), {{"-", "_"}}));
}

std::optional<Opcode> ElementwiseCustomCall(absl::string_view target) {
  if (!absl::StartsWith(target, "mhlo.")) return std::nullopt;
  for (const ElementwiseInfo& row : kElementwiseRows) {
    if (row.mhlo_call && MhloTarget(row.opcode) == target) return row.opcode;
  }
  return std::nullopt;
}

}  // namespace assay
