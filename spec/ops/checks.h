// What shape rules are written with: one line per check, and the checks that several operations
// share. A failed check is INVALID_ARGUMENT "[clause] what was wrong; in <instruction>".
// Tests: spec/verify/testdata.
#ifndef ASSAY_SPEC_OPS_CHECKS_H_
#define ASSAY_SPEC_OPS_CHECKS_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay {

// `what` says what is demanded and what is there: "<demand>, found <fact>".
absl::Status ViolationOf(const Instruction& op, absl::string_view clause, absl::string_view what);

// The parts of a violation's message; of another status, the whole message as the demand.
struct ViolationParts {
  std::string clause;
  std::string expected;
  std::string found;  // empty when the demand says it all
};
ViolationParts PartsOfViolation(const absl::Status& status);

template <typename... Parts>
absl::Status Violation(const Instruction& op, absl::string_view clause, const Parts&... parts) {
  return ViolationOf(op, clause, absl::StrCat(parts...));
}

// The parts of the message are evaluated for a violation only.
#define ASSAY_REQUIRE(op, clause, condition, ...)                         \
  do {                                                                    \
    if (!(condition)) return ::assay::Violation(op, clause, __VA_ARGS__); \
  } while (false)

#define ASSAY_RETURN_IF_ERROR(expression)                                   \
  do {                                                                      \
    if (absl::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

// Text of a list of numbers: "{0,2}".
std::string ListText(absl::Span<const int64_t> list);

// No shape has been written: it is to be inferred as a reader of HLO text does, which is more
// lenient than what the finished instruction is held to (reference ops_elementwise_and_types.md
// 4.1).
inline bool ShapeIsOpen(const Instruction& op) {
  return op.shape().element_type() == ElementType::kInvalid;
}

// Operand `i` is an array.
absl::Status RequireArray(const Instruction& op, absl::string_view clause, int64_t i);
// Every operand is an array.
absl::Status RequireArrays(const Instruction& op, absl::string_view clause);
// The instruction declares an array.
absl::Status RequireDeclaredArray(const Instruction& op, absl::string_view clause);

// Every entry lies in [0, rank) and none comes twice; with `increasing`, in rising order.
enum class ListOrder { kAny, kIncreasing };
absl::Status RequireDimensions(const Instruction& op, absl::string_view clause,
                               absl::string_view name, absl::Span<const int64_t> list, int64_t rank,
                               ListOrder order = ListOrder::kAny);
absl::Status RequireDimension(const Instruction& op, absl::string_view clause,
                              absl::string_view name, int64_t dimension, int64_t rank);
bool Contains(absl::Span<const int64_t> list, int64_t value);

// Element types that may meet where the reference says fp-mix: equal, or both floating.
bool TypesMix(ElementType a, ElementType b);
// Shapes that agree but for the precision of their floats.
bool TypesMix(const Shape& a, const Shape& b);
// The type that prevails: complex over real, then the larger exponent range, the longer
// significand, more bits, signed over unsigned.
ElementType HigherType(ElementType a, ElementType b);

// Whether it is an array, or a tuple of arrays.
inline bool IsFlat(const Shape& shape) {
  return shape.is_array() ||
         (shape.is_tuple() && std::all_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
                                          [](const Shape& part) { return part.is_array(); }));
}

// The dimensions equal; element types and dynamic flags do not count.
inline bool SameSizes(const Shape& a, const Shape& b) { return a.dimensions() == b.dimensions(); }

// A shape with the dimensions of `shape` (dynamic flags and layout too) and another element type.
Shape WithElementType(Shape shape, ElementType type);

// Parameters and result of a computation that `op` calls. Clauses:
//   callee_c1 there is a computation to call, with a root
//   callee_c2 its parameters are numbered from 0 without gaps
struct Signature {
  absl::InlinedVector<const Shape*, 4> parameters;
  const Shape* result = nullptr;
};
absl::StatusOr<Signature> SignatureOf(const Instruction& op, const Computation* callee);

// Holds `reducer` against N element types and N init types: 2N scalar parameters, accumulators
// first, and N scalars as the result (an N-tuple; for N = 1 also the scalar alone). Returns the N
// result types. Source: reference ops_structural.md 0.4.
//   reducer_c1 a reducer has two parameters per operand
//   reducer_c2 it returns a scalar per operand
//   reducer_c3 its parameters are scalars
//   reducer_c4 an accumulator has the type of its result
//   reducer_c5 the init value fits that type (fp-mix)
//   reducer_c6 the elements fit parameter and result (fp-mix)
struct ReducerTypes {
  absl::InlinedVector<ElementType, 2> results;
  bool is_tuple = false;
};
absl::StatusOr<ReducerTypes> CheckReducer(const Instruction& op, const Computation* reducer,
                                          absl::Span<const ElementType> elements,
                                          absl::Span<const ElementType> inits);

// Holds output_to_operand_aliasing against the declared result and the operands: `index_clause`,
// an alias names parts of both; `shape_clause`, of one shape; kPinned: a buffer is as good as its
// array.
enum class AliasShapes { kEqual, kPinned, kAny };
absl::Status CheckOutputAliases(const Instruction& op, absl::string_view index_clause,
                                absl::string_view shape_clause,
                                AliasShapes shapes = AliasShapes::kEqual);

// The shapes as one result: alone, or as a tuple.
Shape OneOrTuple(std::vector<Shape> shapes, bool tuple);

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_CHECKS_H_
