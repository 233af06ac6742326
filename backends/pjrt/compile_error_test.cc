// The messages are those of the XLA CPU plug-ins of docs/pjrt.md.
#include "backends/pjrt/driver/compile_error.h"

#include "gtest/gtest.h"

namespace assay::pjrt {
namespace {

using enum absl::StatusCode;

absl::StatusCode CodeOf(absl::StatusCode code, absl::string_view message, bool is_hlo = true) {
  const absl::Status status = CompileError(absl::Status(code, message), is_hlo);
  EXPECT_EQ(status.message(), message);
  return status.code();
}

TEST(CompileErrorTest, TheCodeDecides) {
  EXPECT_EQ(CodeOf(kInvalidArgument, "no"), kInvalidArgument);
  EXPECT_EQ(CodeOf(kFailedPrecondition, "no"), kInvalidArgument);
  EXPECT_EQ(CodeOf(kResourceExhausted, "no"), kResourceExhausted);
  EXPECT_EQ(CodeOf(kNotFound, "no registered implementation for custom call"), kUnimplemented);
  EXPECT_EQ(CodeOf(kUnknown, "<unknown>:0: error: failed to parse", /*is_hlo=*/false),
            kUnimplemented);
  EXPECT_EQ(CodeOf(kInternal,
                   "RET_CHECK failure (xla/backends/cpu/codegen/fusion_compiler.cc:300) "
                   "llvm_module != nullptr Failed to translate"),
            kInternal);
}

TEST(CompileErrorTest, XlaSaysInternalOfModulesThatItRefuses) {
  EXPECT_EQ(CodeOf(kInternal,
                   "during context [hlo verifier]: Expected computation add_v called "
                   "from r to have 2 parameters, has 1"),
            kInvalidArgument);
  EXPECT_EQ(CodeOf(kInternal,
                   "RET_CHECK failure (xla/hlo/ir/hlo_instruction.cc:812) "
                   "all_operands().size() == 1"),
            kInvalidArgument);
  EXPECT_EQ(CodeOf(kInternal, "HLO opcode `async-start` is not supported by XLA:CPU ThunkEmitter"),
            kUnimplemented);
  EXPECT_EQ(CodeOf(kInvalidArgument, "Unknown opcode: mulhi"), kUnimplemented);
  EXPECT_EQ(CodeOf(kInternal, "Unexpected bitcast operation seen during layout assignment: %r"),
            kUnimplemented);
  EXPECT_EQ(CodeOf(kInvalidArgument,
                   "layout minor_to_major field contains 2 elements, but shape has 1 dimensions: "
                   "{1, 0}; shape: s8[6]"),
            kUnimplemented);
  EXPECT_EQ(CodeOf(kInternal, "Dot fusion supports only `add` root instruction"), kUnimplemented);
  EXPECT_EQ(CodeOf(kInternal, "Unsupported fusion kind for instruction: %r = fusion(%a)"),
            kUnimplemented);
  EXPECT_EQ(CodeOf(kInternal,
                   "during context [hlo verifier]: dot does not support custom element "
                   "sizes on non-sub-byte types"),
            kInternal);
}

// Clamps with scalar bounds, which the newer plug-in does not compile.
TEST(CompileErrorTest, UnknownErrorsOfCompiledHloAreFailures) {
  EXPECT_EQ(
      CodeOf(kUnknown,
             "<unknown>:0: error: loc(\"wrapped_clamp_computation\"): 'xtile.extract' op full "
             "tile shape size: 1 does not match rank of buffer: 0"),
      kInternal);
}

// A reduction whose results have several floating-point types is legal; XLA CPU lacks it.
TEST(CompileErrorTest, MixedPrecisionIsLacking) {
  EXPECT_EQ(CodeOf(kInternal,
                   "during context [hlo verifier]: Seen floating point types of different "
                   "precisions in %r = (f32[4,5]{1,0}, bf16[4,5]{1,0}) reduce(%a, %b, %i, %j), "
                   "dimensions={0}, to_apply=%f, but mixed precision is disallowed. Failed after "
                   "pipeline-start"),
            kUnimplemented);
}

}  // namespace
}  // namespace assay::pjrt
