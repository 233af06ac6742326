// What is known of an elementwise operation beside its row in the catalogue (elementwise.def): the
// course of the function, where its value is exact, the values that it may take. Whoever bounds,
// judges or generates elementwise operations asks here, so that a new one is a row and no entry in
// any list. Tests: elementwise_info_test.cc.
#ifndef ASSAY_SPEC_ELEMENTWISE_INFO_H_
#define ASSAY_SPEC_ELEMENTWISE_INFO_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/op_info.h"

namespace assay {

// The rule by which the shape of the result follows from the operands.
enum class ShapeRule : uint8_t {
  kUnary,             // the shape of the operand
  kUnaryToComponent,  // the same, with the component type of complex numbers
  kUnaryToPred,       // the same, of pred
  kCommonShape,       // the shape that two operands have in common
  kOwn
};

enum class ElementRole : uint8_t {
  kMoves,    // the result consists of bits of the operands
  kComputes  // anything else
};

// How intervals of the operands give an interval of the result.
enum class IntervalRule : uint8_t {
  kFunction,    // of real numbers: by the course of the function; integers must be known
  kOrder,       // the same for integers, which keep their order
  kLogic,       // truth values by their order; integers must be known
  kChoice,      // select
  kComparison,  // compare
  kFiniteness   // is-finite
};

// The course of a function of real numbers in each of its operands.
enum class Course : uint8_t {
  kRising,     // never falls
  kFalling,    // never rises
  kEven,       // one operand: falls to zero, where it is least, and rises from there
  kByCorners,  // rises or falls in each operand; the other operands decide which
  kOther
};

// The operands at which the exact value belongs to every type: f(0), and 1 for logarithms and roots
// (accuracy_requirements.md 3, "exact results at the special points").
enum class SpecialPoints : uint8_t { kNowhere, kAtZero, kAtOne, kAtZeroAndOne };

// The values of a real function. A bound that is not a whole number stands for the irrational
// number next to it.
struct RealRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

struct ElementwiseInfo {
  Opcode opcode;
  ShapeRule shape_rule;
  ElementRole role;
  IntervalRule interval;
  Course course;
  SpecialPoints special_points;
  RealRange range;
  // Custom calls of the target MhloTarget(opcode) mean the operation.
  bool mhlo_call;
};

// All rows, in the order of the catalogue.
absl::Span<const ElementwiseInfo> ElementwiseCatalogue();
// The row of an operation. Null if it is not elementwise.
const ElementwiseInfo* FindElementwise(Opcode opcode);

// The name of the operation in MHLO: "mhlo.log_plus_one".
std::string MhloTarget(Opcode opcode);
// The elementwise operation that custom calls of this target mean. Empty if there is none.
std::optional<Opcode> ElementwiseCustomCall(absl::string_view target);

}  // namespace assay

#endif  // ASSAY_SPEC_ELEMENTWISE_INFO_H_
