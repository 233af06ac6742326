// Calls, loops, branches, tuples, tokens, transfers, custom calls, random numbers.
// Transfers without a token of their own happen in the order of their calls.
// Source: seeds 000, 003, 004; reference ops_control_and_collectives.md 2, 3, 8 to 11.
// Tests: builder_clauses_test.cc, conformance/seeds.
#ifndef ASSAY_SPEC_BUILDER_CONTROL_H_
#define ASSAY_SPEC_BUILDER_CONTROL_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "spec/builder/builder.h"

namespace assay {

Op Call(const Callee& computation, absl::Span<const Op> operands,
        CallSite site = CallSite::Current());
// Also without operands.
Op Call(Builder* builder, const Callee& computation, absl::Span<const Op> operands,
        CallSite site = CallSite::Current());
Op CompositeCall(const Callee& computation, absl::Span<const Op> operands, std::string name,
                 std::string attributes = "{}", int64_t version = 0,
                 CallSite site = CallSite::Current());
Op While(const Callee& condition, const Callee& body, Op init, CallSite site = CallSite::Current());
Op Conditional(Op predicate, Op true_operand, const Callee& true_computation, Op false_operand,
               const Callee& false_computation, CallSite site = CallSite::Current());
// An index out of range runs the last branch.
Op Conditional(Op branch_index, absl::Span<const Callee> branch_computations,
               absl::Span<const Op> branch_operands, CallSite site = CallSite::Current());

Op Tuple(absl::Span<const Op> elements, CallSite site = CallSite::Current());
// Also without elements.
Op Tuple(Builder* builder, absl::Span<const Op> elements, CallSite site = CallSite::Current());
Op GetTupleElement(Op tuple_data, int64_t index, CallSite site = CallSite::Current());
Op CreateToken(Builder* builder, CallSite site = CallSite::Current());
Op AfterAll(absl::Span<const Op> tokens, CallSite site = CallSite::Current());

// The data; its token serves the next transfer.
Op Infeed(Builder* builder, const Shape& shape, std::string config = "",
          CallSite site = CallSite::Current());
// (data, token)
Op InfeedWithToken(Op token, const Shape& shape, std::string config = "",
                   CallSite site = CallSite::Current());
// The token.
Op Outfeed(Op operand, const Shape& shape_with_layout, std::string outfeed_config = "",
           CallSite site = CallSite::Current());
Op OutfeedWithToken(Op operand, Op token, const Shape& shape_with_layout,
                    std::string outfeed_config = "", CallSite site = CallSite::Current());

// Names the two ends of a transfer.
struct ChannelHandle {
  int64_t handle = 0;
};
// Starts and completes; the token of the completion.
Op Send(Op operand, ChannelHandle handle, CallSite site = CallSite::Current());
Op SendWithToken(Op operand, Op token, ChannelHandle handle, CallSite site = CallSite::Current());
Op SendToHost(Op operand, Op token, ChannelHandle handle, CallSite site = CallSite::Current());
// The data; its token serves the next transfer.
Op Recv(Builder* builder, const Shape& shape, ChannelHandle handle,
        CallSite site = CallSite::Current());
// (data, token)
Op RecvWithToken(Op token, const Shape& shape, ChannelHandle handle,
                 CallSite site = CallSite::Current());
Op RecvFromHost(Op token, const Shape& shape, ChannelHandle handle,
                CallSite site = CallSite::Current());
// The names that the document of today gives SendWithToken, RecvWithToken and RecvFromHost.
Op SendWithTokens(Op operand, Op token, ChannelHandle handle, CallSite site = CallSite::Current());
Op RecvWithTokens(Op token, const Shape& shape, ChannelHandle handle,
                  CallSite site = CallSite::Current());
Op RecvToHost(Op token, const Shape& shape, ChannelHandle handle,
              CallSite site = CallSite::Current());
// The halves of the compiler's level: a start, and the end of its context. Nothing else can use a
// context, and nothing uses one twice.
Op SendStart(Op operand, Op token, int64_t channel_id, CallSite site = CallSite::Current());
Op SendDone(Op context, CallSite site = CallSite::Current());
Op RecvStart(Op token, const Shape& shape, int64_t channel_id, CallSite site = CallSite::Current());
Op RecvDone(Op context, CallSite site = CallSite::Current());

// A function without side effects: in C, void target_name(void* out, void** in).
Op CustomCall(Builder* builder, std::string target_name, absl::Span<const Op> args,
              const Shape& shape, bool has_side_effect = false,
              CallSite site = CallSite::Current());
Op CustomCall(std::string target_name, absl::Span<const Op> args, const Shape& shape,
              CallSite site = CallSite::Current());

Op RngNormal(Op mu, Op sigma, const Shape& shape, CallSite site = CallSite::Current());
Op RngUniform(Op a, Op b, const Shape& shape, CallSite site = CallSite::Current());
// 1 with the probability `mean`, else 0: a uniform number of [0, 1) below the mean.
Op RngBernoulli(Op mean, const Shape& shape, CallSite site = CallSite::Current());
// (state, bits)
Op RngBitGenerator(RandomAlgorithm algorithm, Op initial_state, const Shape& shape,
                   CallSite site = CallSite::Current());

}  // namespace assay

#endif  // ASSAY_SPEC_BUILDER_CONTROL_H_
