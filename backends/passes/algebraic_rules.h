// The closed list of algebraic simplifications. A row of the list maps one instruction to its
// replacement. A type marked with * belongs to exactness kAnyNan: the replacement may change the
// bits of a NaN, and nothing else. For example, x * 1 is then a NaN with the bits of x, not the NaN
// that arithmetic produces.
//
//  name                | instruction                        | becomes     | types
//  add-zero            | x + 0, 0 + x                       | x           | integers
//  subtract-zero       | x - 0 (only +0)                    | x           | integers, pred, floats*
//  multiply-one        | x * 1, 1 * x                       | x           | integers, pred, floats*
//  multiply-zero       | x * 0, 0 * x                       | 0           | integers
//  divide-one          | x / 1                              | x           | integers, pred, floats*
//  divide-power-of-two | x / +-2^k, if 2^-k is normal,      | x * +-2^-k  | floats with a sign
//                      | but not x / 1                      |             |
//  subtract-itself     | x - x                              | 0           | integers
//  bitwise-itself      | x and x, x or x                    | x           | all of the operation
//  bitwise-zero        | x or 0, x xor 0; x and 0           | x; 0        | all of the operation
//  extreme-itself      | min(x, x), max(x, x)               | x           | integers, pred, floats*
//  power-one           | power(x, 1)                        | x           | floats*
//  power-two           | power(x, 2)                        | x * x       | floats*
//  twice               | --x, not not x; not of floats      | x           | all of the operation
//                      | without -0                         |             |
//  select-known        | select(true or false, x, y)        | x or y      | all
//  select-equal        | select(p, x, x)                    | x           | all
//  convert-same        | convert to the type of x           | x           | integers, pred, others*
//  reshape-reshape     | reshape(reshape(x))                | reshape(x)  | all
//  reshape-same        | reshape, transpose, broadcast,     | x           | all
//                      | slice, pad, reverse or             |             |
//                      | concatenate that moves nothing     |             |
//  transpose-transpose | transpose(transpose(x))            | transpose   | all
//  reverse-reverse     | reverse(reverse(x)), equal dims    | x           | all
//  broadcast-broadcast | broadcast(broadcast(x))            | broadcast   | all
//  element-of-tuple    | get-tuple-element(tuple(.. x ..))  | x           | all
//  reduce-nothing      | reduce over no dimension, by add,  | op(init, x) | integers, pred
//                      | multiply, minimum, maximum, and, or |             |
//  copy                | copy(x) with the layout of x       | x           | all
//
// Tests: passes_test.cc.
#ifndef ASSAY_BACKENDS_PASSES_ALGEBRAIC_RULES_H_
#define ASSAY_BACKENDS_PASSES_ALGEBRAIC_RULES_H_

#include "absl/types/span.h"
#include "backends/passes/editor.h"
#include "backends/passes/pass.h"

namespace assay::passes {

struct AlgebraicRule {
  absl::string_view name;
  // Returns the replacement of the instruction, or null. With kBitExact no bit may change. A rule
  // looks at operands as Editor::Now returns them.
  Instruction* (*apply)(Instruction& instruction, Exactness exactness, Editor& editor);
};
absl::Span<const AlgebraicRule> AlgebraicRules();

}  // namespace assay::passes

#endif  // ASSAY_BACKENDS_PASSES_ALGEBRAIC_RULES_H_
