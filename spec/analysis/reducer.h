// The closed list of recognised reducers, which docs/numerics.md documents. All others run as
// written, in the golden order (accumulator first): - add, multiply, minimum, maximum, and, or, xor
// of the two parameters, which have one type, in either order; - one of these between conversions,
// convert(op(convert(p0), convert(p1))), where the inner type holds every value of the outer one
// (bf16 by way of f32, s8 by way of s32, c64 by way of c128); not multiply on complex numbers; -
// the minimum or maximum with index (kArgMinimum, kArgMaximum), written keep = or(p0 < p2, p0 !=
// p0) for integers also p0 < p2 alone (select(keep, p0, p2), select(or(keep, and(p0 == p2, p1 <
// p3)), p1, p3)) with > for the maximum; or, and, == in either order of operands. Recognition uses
// the flat form of a region (flat_computation.h), so that calls, tuples and copies do not matter.
// The result of the first two forms is the exact one rounded once to the outer type, in any order;
// products of complex numbers with a factor that is not finite run as written. The form with index
// has the result of the program in the golden order: the first NaN if there is one, otherwise the
// extreme value and the smallest of its indices. It is recognised only for speed; among zeros of
// both signs the value depends on the order. Source: reference ops_structural.md 0.3. Tests:
// reducer_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_REDUCER_H_
#define ASSAY_SPEC_ANALYSIS_REDUCER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/ir/module.h"

namespace assay::analysis {

enum class ReducerKind {
  kOther,
  kAdd,
  kMultiply,
  kMinimum,
  kMaximum,
  kAnd,
  kOr,
  kXor,
  kArgMinimum,  // (value, index) pairs
  kArgMaximum,
};

struct Reducer {
  ReducerKind kind = ReducerKind::kOther;
  // For the form with conversions, the type between them; otherwise the type of the elements.
  ElementType inner_type = ElementType::kInvalid;
};

Reducer RecogniseReducer(const Computation& computation);

// Returns the binary operation of the reducer; nothing for kOther and pairs.
std::optional<Opcode> OperationOf(ReducerKind kind);

// Returns the reducers of a region that folds N arrays, by result. Result k is recognised
// separately, as one of the first two forms, if it depends only on accumulator k and element k and
// no other result depends on these. The others are kOther and run as written.
std::vector<Reducer> RecogniseParts(const Computation& computation);

// The carries of a step of scan that are folds: carry k becomes a recognised reducer (one of the
// first two forms, of arrays element by element) of carry k and one input, no other carry depends
// on it, and every output that does is carry k as it was before or as it is after the step. Then
// each prefix and the final carry are the exact result of the elements so far, rounded once. The
// other carries, and the outputs that depend on them or only on inputs, run as written.
struct ScanFolds {
  struct Carry {
    Reducer reducer;  // kOther: as written
    int64_t input = 0;
  };
  struct Output {
    int64_t carry = -1;  // -1: as written
    bool after = true;
  };
  std::vector<Carry> carries;
  std::vector<Output> outputs;

  // any(): some carry is a fold. all(): no carry and no output runs as written.
  bool any() const;
  bool all() const;
};
// Analyses a step of scan. The last `carries` parameters and results are the carries.
ScanFolds RecogniseScan(const Computation& step, int64_t carries);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_REDUCER_H_
