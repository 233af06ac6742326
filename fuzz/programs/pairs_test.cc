// Each operation is written on the result of each other one, with attributes and sizes that tell: a
// compiler that takes the one through the other wrongly gives another value. Counts of 8,000
// programs are in docs/fuzzing.md.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fuzz/programs/choices.h"
#include "fuzz/programs/decoder.h"
#include "gtest/gtest.h"
#include "spec/testing/schedule.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

// The name of what an instruction is in a pair: its operation, or the class of an elementwise one.
std::string KindOf(const Instruction& x) {
  static constexpr Opcode kOwn[] = {
      kBroadcast, kTranspose, kReshape,     kReverse,      kSlice,          kPad,
      kIota,      kGather,    kScatter,     kDynamicSlice, kReduceWindow,   kDynamicUpdateSlice,
      kConvert,   kReduce,    kConcatenate, kDot,          kBitcastConvert, kConvolution,
      kSort,      kScan,      kCompare,     kSelect,       kClamp};
  if (std::find(std::begin(kOwn), std::end(kOwn), x.opcode()) != std::end(kOwn)) {
    return std::string(x.info().name);
  }
  if (x.info().family != Family::kElementwise || !x.shape().is_array()) return "";
  return IsFloat(x.shape().element_type())     ? "floats"
         : IsComplex(x.shape().element_type()) ? ""
                                               : "integers";
}

int64_t CountIn(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape.dimensions()) count *= size;
  return count;
}

// Returns true if the elements stay where they are, or are one: the dimensions of more than one
// element keep their order.
bool IsIdentity(absl::Span<const int64_t> order, const Shape& operand) {
  int64_t last = -1;
  for (const int64_t d : order) {
    if (operand.dimension(d) == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

bool AnyLong(absl::Span<const int64_t> dimensions, const Shape& shape) {
  return std::any_of(dimensions.begin(), dimensions.end(),
                     [&](int64_t d) { return shape.dimension(d) > 1; });
}

bool HasTwoSizes(const Shape& shape) {
  std::set<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.erase(1);
  return sizes.size() > 1;
}

// Returns true if the attributes of the instruction do something to what it takes.
bool DoesSomething(const Instruction& x) {
  if (x.opcode() == kIota) return CountIn(x.shape()) > 1;
  const Shape& operand = x.operand(0)->shape();
  if (!operand.is_array() || operand.is_dynamic() || x.shape().is_dynamic()) return false;
  if (std::max(CountIn(operand), CountIn(x.operand(x.operand_count() - 1)->shape())) < 2 &&
      x.opcode() != kBroadcast && x.opcode() != kPad && x.opcode() != kConcatenate) {
    return false;
  }
  switch (x.opcode()) {
    case kBroadcast:
      return CountIn(x.shape()) > CountIn(operand);
    case kTranspose:
      return !IsIdentity(x.GetInts(Attr::kDimensions), operand);
    case kReverse:
      return AnyLong(x.GetInts(Attr::kDimensions), operand);
    case kReduce:
      return x.shape().is_array() && AnyLong(x.GetInts(Attr::kDimensions), operand);
    case kReshape:
    case kSlice:
    case kPad:
      return operand.dimensions() != x.shape().dimensions() && CountIn(x.shape()) > 0;
    case kDynamicSlice:
      return CountIn(x.shape()) < CountIn(operand) && CountIn(x.shape()) > 0;
    case kDynamicUpdateSlice:
      return CountIn(x.operand(1)->shape()) < CountIn(operand);
    case kConvert:
    case kBitcastConvert:
      return x.shape().element_type() != operand.element_type();
    default:
      return !x.shape().is_array() || CountIn(x.shape()) > 0;
  }
}

using Pair = std::pair<std::string, std::string>;

// Counts the programs that have a pair so that it tells, and those in which the sizes of one of its
// arrays differ as well.
struct Counts {
  std::map<Pair, int64_t> tells, differs;
};

void CountPairs(const FuzzProgram& program, Counts* counts) {
  std::set<Pair> tells, differs;
  for (const auto& computation : program.module->computations()) {
    for (const auto& each : computation->instructions()) {
      const std::string kind = KindOf(*each);
      if (kind.empty() || kind == "iota" || !DoesSomething(*each)) continue;
      for (const Instruction* operand : each->operands()) {
        if (operand->opcode() == kGetTupleElement) operand = operand->operand(0);
        const std::string inner = KindOf(*operand);
        if (inner.empty() || !DoesSomething(*operand)) continue;
        tells.insert({inner, kind});
        const Shape& between = operand->shape();
        const bool two_sizes =
            (between.is_array() && HasTwoSizes(between)) ||
            (each->shape().is_array() && HasTwoSizes(each->shape())) ||
            (operand->operand_count() > 0 && HasTwoSizes(operand->operand(0)->shape()));
        if (two_sizes) differs.insert({inner, kind});
      }
    }
  }
  for (const Pair& pair : tells) ++counts->tells[pair];
  for (const Pair& pair : differs) ++counts->differs[pair];
}

// Pairs that no legal program has.
bool IsImpossible(const Pair& pair) {
  // Floats are made of integers by operations of their own kind: conversions, selections.
  return pair.second == "floats" && (pair.first == "integers" || pair.first == "compare");
}

TEST(PairsTest, EveryOperationMeetsEveryOtherSoThatItTells) {
  static constexpr absl::string_view kKinds[] = {
      "bitcast-convert", "broadcast", "clamp",       "compare",
      "concatenate",     "convert",   "convolution", "dot",
      "dynamic-slice",   "floats",    "gather",      "dynamic-update-slice",
      "integers",        "iota",      "pad",         "reduce",
      "reduce-window",   "reshape",   "reverse",     "scan",
      "scatter",         "select",    "slice",       "sort",
      "transpose"};
  const absl::StatusOr<Grammar> grammar = Grammar::Create();
  ASSERT_TRUE(grammar.ok()) << grammar.status();
  Counts counts;
  for (int64_t i = 0; i < Scheduled(40000); ++i) {
    CountPairs(DecodeProgram(*grammar, RandomBytes(7, i, 12)), &counts);
  }
  if (kScheduleStride > 1) return;  // too few programs to have all
  int64_t rare = 0, rarely_differs = 0;
  for (const absl::string_view inner : kKinds) {
    for (const absl::string_view outer : kKinds) {
      const Pair pair = {std::string(inner), std::string(outer)};
      if (outer == "iota" || IsImpossible(pair)) continue;
      EXPECT_GE(counts.tells[pair], 3) << outer << " of " << inner;
      EXPECT_GE(counts.differs[pair], 1) << outer << " of " << inner;
      rare += counts.tells[pair] < 10 ? 1 : 0;
      rarely_differs += counts.differs[pair] < 10 ? 1 : 0;
    }
  }
  // Before the idioms of pairs about 100 and 200 were as rare.
  EXPECT_LT(rare, 12);
  EXPECT_LT(rarely_differs, 30);
}

}  // namespace
}  // namespace assay::fuzz
