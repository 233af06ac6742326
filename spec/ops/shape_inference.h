// What an operation demands of its operands and attributes, and the shape of its result. One rule
// per operation in <op>.{h,cc}; each check carries its clause ("pad_c2"), which is also in the
// message. Source: reference ops_elementwise_and_types.md, ops_structural.md,
// ops_control_and_collectives.md. Tests: spec/verify/testdata/<family>.cases,
// inferred_shapes_test.cc.
#ifndef ASSAY_SPEC_OPS_SHAPE_INFERENCE_H_
#define ASSAY_SPEC_OPS_SHAPE_INFERENCE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay {

// The shape of the result by XLA's rules, from operands, attributes and called computations (with
// layouts as hlo_text_format.md 6.4 says). Operations whose result cannot be inferred (convert,
// reshape, iota, parameter, ...) check what the instruction declares and return it. Errors:
// INVALID_ARGUMENT with clause, instruction and shapes; UNIMPLEMENTED for an operation that has no
// rule, naming it.
absl::StatusOr<Shape> InferShape(const Instruction& instruction);

// As InferShape, but sizes and layouts of the result may be anything: what a reader of HLO text
// gives an instruction that is written without shape.
absl::StatusOr<Shape> InferShapeUnchecked(const Instruction& instruction);

// kXla takes what XLA's own verifier takes. kStrict also demands what only the documents do, and
// what evaluators therefore rely on.
enum class Rules { kXla, kStrict };

// InferShape, and that the declared shape agrees (layouts do not count); the error shows both.
absl::Status CheckInstruction(const Instruction& instruction, Rules rules = Rules::kStrict);

// Every instruction of every computation. The first error.
absl::Status CheckModuleShapes(const Module& module, Rules rules = Rules::kStrict);

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_SHAPE_INFERENCE_H_
