// Every clause of calls, tuples, tokens, collectives, transfers and random numbers, and what is
// inferred where no shape is written (the expected shapes are those of XLA's reader).
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/ops/rule_rows.h"
#include "spec/ops/shape_inference.h"

namespace assay {
namespace {

constexpr absl::string_view kComputations = R"(
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}
add_v {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  ROOT sum = f32[4] add(a, b)
}
add_s {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = s32[] add(a, b)
  ROOT sum = f32[] convert(c)
}
less {
  a = s32[] parameter(0)
  ROOT r = pred[] compare(a, a), direction=LT
}
next {
  a = s32[] parameter(0)
  ROOT r = s32[] add(a, a)
}
neg {
  a = f32[4] parameter(0)
  ROOT r = f32[4] negate(a)
}
id {
  ROOT a = f32[4] parameter(0)
}
head {
  a = f32[4] parameter(0)
  ROOT r = f32[1] slice(a), slice={[0:1]}
}
)";

TEST(ControlRules, EveryClauseRefuses) {
  ExpectRows(
      kComputations,
      {
          {"call_c1", "f32[4]; f32[4] | f32[4] call(p0, p1), to_apply=add_v",
           "f32[4]; f32[4] | f32[4] call(p0), to_apply=add_v"},
          {"call_c2", "f32[4]; f32[4] | f32[4] call(p0, p1), to_apply=add_v",
           "f32[4]; f32[5] | f32[4] call(p0, p1), to_apply=add_v"},
          {"call_c3",
           "f32[4]; f32[4] | f32[4] call(p0, p1), to_apply=add_v, is_composite=true, "
           "frontend_attributes={composite.name=\"my.op\"}",
           "f32[4]; f32[4] | f32[4] call(p0, p1), to_apply=add_v, is_composite=true, "
           "frontend_attributes={composite.name=\"\"}"},
          {"call_c4",
           "f32[4]; f32[4] | f32[4] call(p0, p1), to_apply=add_v, is_composite=true, "
           "frontend_attributes={composite.name=\"my.op\",composite.version=\"1\"}",
           "f32[4]; f32[4] | f32[4] call(p0, p1), to_apply=add_v, is_composite=true, "
           "frontend_attributes={composite.name=\"my.op\",composite.version=\"-1\"}"},
          {"shape_c2", "f32[4]; f32[4] | f32[4] call(p0, p1), to_apply=add_v",
           "f32[4]; f32[4] | f32[5] call(p0, p1), to_apply=add_v"},
          {"while_c1", "s32[] | s32[] while(p0), condition=less, body=next",
           "s32[] | s32[] while(p0), condition=less, body=add_s"},
          {"while_c2", "s32[] | s32[] while(p0), condition=less, body=next",
           "s64[] | s64[] while(p0), condition=less, body=next"},
          {"while_c3", "s32[] | s32[] while(p0), condition=less, body=next",
           "s32[] | s32[] while(p0), condition=less, body=less"},
          {"while_c4", "s32[] | s32[] while(p0), condition=less, body=next",
           "s32[] | s32[] while(p0), condition=next, body=next"},
          {"conditional_c4",
           "pred[]; f32[4]; f32[4] | f32[4] conditional(p0, p1, p2), true_computation=neg, "
           "false_computation=id",
           "pred[]; f32[4]; f32[4] | f32[4] conditional(p0, p1, p2), true_computation=neg, "
           "false_computation=add_v"},
          {"conditional_c5",
           "pred[]; f32[4]; f32[4] | f32[4] conditional(p0, p1, p2), true_computation=neg, "
           "false_computation=id",
           "pred[]; f32[4]; f32[5] | f32[4] conditional(p0, p1, p2), true_computation=neg, "
           "false_computation=id"},
          {"conditional_c6",
           "pred[]; f32[4]; f32[4] | f32[4] conditional(p0, p1, p2), true_computation=neg, "
           "false_computation=id",
           "pred[]; f32[4]; f32[4] | f32[4] conditional(p0, p1, p2), true_computation=neg, "
           "false_computation=head"},
          {"conditional_c6",
           "s32[]; f32[4]; f32[4] | f32[4] conditional(p0, p1, p2), branch_computations={neg, "
           "id}",
           "s32[]; f32[4]; f32[4] | f32[4] conditional(p0, p1, p2), branch_computations={neg, "
           "head}"},
          {"fusion_c1", "f32[4]; f32[4] | f32[4] fusion(p0, p1), kind=kLoop, calls=add_v",
           "f32[4]; f32[4] | f32[4] fusion(p0), kind=kLoop, calls=add_v"},
          {"fusion_c2", "f32[4]; f32[4] | f32[4] fusion(p0, p1), kind=kLoop, calls=add_v",
           "f32[4]; s32[4] | f32[4] fusion(p0, p1), kind=kLoop, calls=add_v"},
          {"fusion_c3",
           "f32[4]; f32[4] | f32[4] fusion(p0, p1), kind=kLoop, output_to_operand_aliasing={{}: "
           "(1, {})}, calls=add_v",
           "f32[4]; f32[4] | f32[4] fusion(p0, p1), kind=kLoop, output_to_operand_aliasing={{}: "
           "(2, {})}, calls=add_v"},
          {"get_tuple_element_c1", "(f32[4], s32[]) | s32[] get-tuple-element(p0), index=1",
           "s32[] | s32[] get-tuple-element(p0), index=1"},
          {"get_tuple_element_c2", "(f32[4], s32[]) | s32[] get-tuple-element(p0), index=1",
           "(f32[4], s32[]) | s32[] get-tuple-element(p0), index=2"},
          {"opt_barrier_c1", "f32[4] | f32[4] opt-barrier(p0)", "f32[4] | opt-barrier(p0)"},
          {"shape_c2", "f32[4] | f32[4] opt-barrier(p0)", "f32[4] | f32[5] opt-barrier(p0)"},
          {"add_dependency_c1", "f32[4]; token[] | f32[4] add-dependency(p0, p1)",
           "f32[4]; f32[] | f32[4] add-dependency(p0, p1)"},
          {"shape_c2", "f32[4] | f32[4] copy(p0)", "f32[4] | f16[4] copy(p0)"},
          {"copy_start_c1", "f32[4] | (f32[4], f32[4], u32[]) copy-start(p0)",
           "f32[4] | (f32[4], f32[4]) copy-start(p0)"},
          {"copy_done_c1", "(f32[4], f32[4], u32[]) | f32[4] copy-done(p0)",
           "(f32[4], f32[4]) | f32[4] copy-done(p0)"},
          {"collective_c1", "f32[4] | f32[4] all-reduce(p0), replica_groups={}, to_apply=add",
           "token[] | f32[4] all-reduce(p0), replica_groups={}, to_apply=add"},
          {"collective_c2", "f32[4,3] | f32[8,3] all-gather(p0), dimensions={0}, replica_groups={}",
           "f32[4,3] | f32[8,3] all-gather(p0), dimensions={2}, replica_groups={}"},
          {"collective_c3", "f32[4,3] | f32[8,3] all-gather(p0), dimensions={0}, replica_groups={}",
           "f32[4,3] | s32[8,3] all-gather(p0), dimensions={0}, replica_groups={}"},
          {"collective_c4", "f32[4,3] | f32[8,3] all-gather(p0), dimensions={0}, replica_groups={}",
           "f32[4,3] | f32[8,4] all-gather(p0), dimensions={0}, replica_groups={}"},
          {"collective_c5", "f32[4,3] | f32[8,3] all-gather(p0), dimensions={0}, replica_groups={}",
           "f32[4,3] | f32[6,3] all-gather(p0), dimensions={0}, replica_groups={}"},
          {"collective_c5",
           "f32[4,3] | f32[2,3] reduce-scatter(p0), dimensions={0}, replica_groups={}, "
           "to_apply=add",
           "f32[4,3] | f32[3,3] reduce-scatter(p0), dimensions={0}, replica_groups={}, "
           "to_apply=add"},
          {"collective_c6", "f32[4] | f32[4] all-reduce(p0), replica_groups={}, to_apply=add",
           "s64[4] | s64[4] all-reduce(p0), replica_groups={}, to_apply=add_s"},
          {"collective_c6", "f32[4] | f32[4] all-reduce(p0), replica_groups={}, to_apply=add",
           "f32[4] | f32[4] all-reduce(p0), replica_groups={}, to_apply=next"},
          {"collective_c7",
           "f32[4] | (f32[4], f32[8]) all-gather-start(p0), dimensions={0}, replica_groups={}",
           "f32[4] | (f32[5], f32[8]) all-gather-start(p0), dimensions={0}, replica_groups={}"},
          {"collective_c8", "(f32[4], f32[8]) | f32[8] all-gather-done(p0)",
           "f32[8] | f32[8] all-gather-done(p0)"},
          {"collective_permute_c1",
           "f32[4] | f32[4] collective-permute(p0), source_target_pairs={{0,1},{1,0}}",
           "f32[4] | f32[4] collective-permute(p0), source_target_pairs={{0,1},{0,0}}"},
          {"collective_permute_c1",
           "f32[4] | f32[4] collective-permute(p0), source_target_pairs={{0,1},{1,0}}",
           "f32[4] | f32[4] collective-permute(p0), source_target_pairs={{0,1},{2,1}}"},
          {"all_to_all_c1", "f32[4] | f32[4] all-to-all(p0), dimensions={0}, replica_groups={}",
           "f32[4]; f32[4] | f32[4] all-to-all(p0, p1), dimensions={0}, replica_groups={}"},
          {"all_to_all_c2",
           "f32[4]; f32[4] | (f32[4], f32[4]) all-to-all(p0, p1), replica_groups={}",
           "f32[4]; f32[5] | (f32[4], f32[5]) all-to-all(p0, p1), replica_groups={}"},
          {"ragged_all_to_all_c1",
           "f32[8,2]; f32[9,2]; s64[3]; s64[3]; s64[3]; s64[3] | f32[9,2] ragged-all-to-all(p0, "
           "p1, p2, p3, p4, p5), replica_groups={}",
           "f32[8,2]; f32[9,3]; s64[3]; s64[3]; s64[3]; s64[3] | f32[9,3] ragged-all-to-all(p0, "
           "p1, p2, p3, p4, p5), replica_groups={}"},
          {"ragged_all_to_all_c2",
           "f32[8,2]; f32[9,2]; s64[3]; s64[3]; s64[3]; s64[3] | f32[9,2] ragged-all-to-all(p0, "
           "p1, p2, p3, p4, p5), replica_groups={}",
           "f32[8,2]; f32[9,2]; s64[3]; s64[3]; s64[3]; s64[4] | f32[9,2] ragged-all-to-all(p0, "
           "p1, p2, p3, p4, p5), replica_groups={}"},
          {"rng_c1", "f32[]; f32[] | f32[4] rng(p0, p1), distribution=rng_uniform",
           "f32[1]; f32[] | f32[4] rng(p0, p1), distribution=rng_uniform"},
          {"rng_c2", "f32[]; f32[] | f32[4] rng(p0, p1), distribution=rng_normal",
           "f32[]; f32[] | f64[4] rng(p0, p1), distribution=rng_normal"},
          {"rng_c3", "s32[]; s32[] | s32[4] rng(p0, p1), distribution=rng_uniform",
           "s32[]; s32[] | s32[4] rng(p0, p1), distribution=rng_normal"},
          {"rng_bit_generator_c1",
           "u64[2] | (u64[2], u32[5]) rng-bit-generator(p0), algorithm=rng_three_fry",
           "u32[4] | (u64[2], u32[5]) rng-bit-generator(p0), algorithm=rng_three_fry"},
          {"rng_bit_generator_c2",
           "u64[2] | (u64[2], u32[5]) rng-bit-generator(p0), algorithm=rng_three_fry",
           "u64[2] | u32[5] rng-bit-generator(p0), algorithm=rng_three_fry"},
          {"rng_bit_generator_c3",
           "u64[2] | (u64[2], u32[5]) rng-bit-generator(p0), algorithm=rng_three_fry",
           "u64[2] | (u64[2], pred[5]) rng-bit-generator(p0), algorithm=rng_three_fry"},
          {"rng_bit_generator_c4",
           "u64[3] | (u64[3], u32[5]) rng-bit-generator(p0), algorithm=rng_philox",
           "u64[3] | (u64[3], u32[5]) rng-bit-generator(p0), algorithm=rng_three_fry"},
          {"rng_get_and_update_state_c1", "| u64[2] rng-get-and-update-state(), delta=1",
           "| u64[2] rng-get-and-update-state(), delta=-1"},
          {"send_c1", "f32[4]; token[] | (f32[4], u32[], token[]) send(p0, p1), channel_id=1",
           "f32[4]; f32[] | (f32[4], u32[], token[]) send(p0, p1), channel_id=1"},
          {"recv_c1", "token[] | (f32[4], u32[], token[]) recv(p0), channel_id=1",
           "f32[] | (f32[4], u32[], token[]) recv(p0), channel_id=1"},
          {"done_c1", "(f32[4], u32[], token[]) | token[] send-done(p0), channel_id=1",
           "(f32[4], u32[]) | token[] send-done(p0), channel_id=1"},
          {"infeed_c1", "token[] | (f32[4], token[]) infeed(p0)",
           "f32[] | (f32[4], token[]) infeed(p0)"},
          {"outfeed_c1", "f32[4]; token[] | token[] outfeed(p0, p1), outfeed_shape=f32[4]",
           "f32[4]; f32[] | token[] outfeed(p0, p1), outfeed_shape=f32[4]"},
          {"outfeed_c2", "f32[4]; token[] | token[] outfeed(p0, p1), outfeed_shape=f32[4]",
           "f32[4]; token[] | token[] outfeed(p0, p1), outfeed_shape=f32[5]"},
      });
}

TEST(ControlRules, InfersLikeXlasReader) {
  ExpectInference(kComputations,
                  {
                      {"f32[4]{0}; (s32[], f32[2,3]{0,1}) | tuple(p0, p1)",
                       "(f32[4]{0}, (s32[], f32[2,3]{0,1}))"},
                      {"(f32[4], f32[2,3]{0,1}) | get-tuple-element(p0), index=1", "f32[2,3]{0,1}"},
                      {"f32[4]; f32[4] | call(p0, p1), to_apply=add_v", "f32[4]{0}"},
                      {"s32[] | while(p0), condition=less, body=next", "s32[]"},
                      {"pred[]; f32[4]; f32[4] | conditional(p0, p1, p2), true_computation=neg, "
                       "false_computation=id",
                       "f32[4]{0}"},
                      {"token[]; token[] | after-all(p0, p1)", "token[]"},
                      {"f32[2,3]{0,1}; token[] | add-dependency(p0, p1)", "f32[2,3]{0,1}"},
                      {"| partition-id()", "u32[]"},
                      {"| replica-id()", "u32[]"},
                  });
}

// Every level doubles the arrays, or adds one level.
TEST(ControlRules, TuplesStayBounded) {
  Computation computation("c");
  auto add = [&](Opcode opcode, std::vector<Instruction*> operands) {
    auto instruction = std::make_unique<Instruction>(opcode, Shape::Scalar(ElementType::kF32));
    instruction->set_name("t");
    instruction->set_operands(operands);
    return computation.Add(std::move(instruction));
  };
  for (const auto& [width, clause] :
       {std::pair<int, absl::string_view>(2, "tuple_c1"), {1, "tuple_c2"}}) {
    Instruction* value = add(Opcode::kParameter, {});
    absl::Status status;
    int levels = 0;
    while (status.ok() && levels < 10000) {
      value = add(Opcode::kTuple, std::vector<Instruction*>(width, value));
      absl::StatusOr<Shape> shape = InferShape(*value);
      status = shape.status();
      if (shape.ok()) value->set_shape(*std::move(shape));
      ++levels;
    }
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(clause));
    EXPECT_GT(levels, width == 2 ? 17 : 2500);
  }
}

}  // namespace
}  // namespace assay
