// The closed list of algebraic simplifications. A row looks at one instruction and says what may
// stand for it. Rows of exactness kAnyNan change the bits of NaN at most, and no other results:
// x * 1 is NaN with the bits of x then, not the NaN that arithmetic makes.
//
//   name                  | instruction                                  | becomes    | types,
//   exactness add-zero              | x + 0, 0 + x                                 | x          |
//   integers subtract-zero         | x - 0                                        | x          |
//   integers; floats kAnyNan (+0 only) multiply-one          | x * 1, 1 * x | x          |
//   integers; floats kAnyNan multiply-zero         | x * 0, 0 * x                                 |
//   0          | integers divide-one            | x / 1                                        | x
//   | integers; floats kAnyNan divide-power-of-two   | x / 2^k, if 2^-k is normal | x * 2^-k   |
//   floats subtract-itself       | x - x                                        | 0          |
//   integers bitwise-itself        | x & x, x | x                                 | x          |
//   integers, pred bitwise-zero          | x | 0, x ^ 0; x & 0                          | x; 0 |
//   integers, pred extreme-itself        | min(x, x), max(x, x)                         | x |
//   integers, pred; floats kAnyNan power-one             | x ^ 1 | x          | floats kAnyNan
//   power-two             | x ^ 2                                        | x * x      | floats
//   twice                 | --x, ~~x                                     | x          | all
//   select-known          | select(true or false, x, y)                  | x or y     | all
//   select-equal          | select(p, x, x)                              | x          | all
//   convert-same          | convert to the type that x has               | x          | all
//   reshape-reshape       | reshape(reshape(x))                          | reshape(x) | all
//   reshape-same          | reshape, transpose, broadcast, slice, pad,   | x          | all
//                         | reverse or concatenate that moves nothing    |            |
//   transpose-transpose   | transpose(transpose(x))                      | transpose  | all
//   reverse-reverse       | reverse(reverse(x)) of the same dimensions   | x          | all
//   broadcast-broadcast   | broadcast(broadcast(x))                      | broadcast  | all
//   element-of-tuple      | get-tuple-element(tuple(..., x, ...))        | x          | all
//   reduce-nothing        | reduce over no dimension, by add, multiply,  | op(init, x)| integers,
//   pred
//                         | minimum, maximum, and, or                    |            |
//   copy                  | copy(x) of the same layout                   | x          | all
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
  // What stands for the instruction, or null. With kBitExact no bit may change. The instruction's
  // operands are asked for by Editor::Now.
  Instruction* (*apply)(Instruction& instruction, Exactness exactness, Editor& editor);
};
absl::Span<const AlgebraicRule> AlgebraicRules();

}  // namespace assay::passes

#endif  // ASSAY_BACKENDS_PASSES_ALGEBRAIC_RULES_H_
