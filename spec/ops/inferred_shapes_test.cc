// The shapes that are inferred where a text leaves them out (the expected ones are those of XLA's
// reader), and that tuples stay bounded. What the rules refuse: spec/verify/testdata.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/ops/shape_inference.h"
#include "spec/text/parser.h"
#include "spec/verify/near_misses.h"

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
ge {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GE
}
ge_two {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GE
}
step {
  x = f32[] parameter(0)
  c = f32[] parameter(1)
  s = f32[] add(x, c)
  ROOT r = (f32[], f32[]) tuple(s, s)
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
)";

// "f32[3]; s32[] | pad(p0, p1), padding=0_1": the shapes of the parameters p0, p1, ... and the
// instruction; then the shape that is inferred, with layouts.
struct InferenceRow {
  const char* instruction;
  const char* shape;
};

void ExpectInference(absl::string_view prelude, absl::Span<const InferenceRow> rows) {
  for (const InferenceRow& row : rows) {
    const auto module = ParseModule(ModuleOfRow(row.instruction, prelude));
    ASSERT_TRUE(module.ok()) << row.instruction << "\n" << module.status();
    EXPECT_EQ((*module)->entry()->root()->shape().ToString(true), row.shape) << row.instruction;
  }
}

TEST(InferredShapes, Elementwise) {
  ExpectInference(
      "",
      {
          {"f32[2,3]{0,1}; f32[2,3]{1,0} | add(p0, p1)", "f32[2,3]{0,1}"},
          {"f32[2,3]{0,1}; f32[] | add(p0, p1)", "f32[2,3]{1,0}"},
          {"f32[]; f32[2,3]{0,1} | add(p0, p1)", "f32[2,3]{1,0}"},
          {"f32[2,1]{0,1}; f32[1,3]{1,0} | add(p0, p1)", "f32[2,3]{1,0}"},
          {"f16[2,3]{0,1}; f32[2,3] | add(p0, p1)", "f32[2,3]{0,1}"},
          {"f32[2,3]{0,1}; f16[2,3] | add(p0, p1)", "f32[2,3]{0,1}"},
          {"f32[<=2,3]; f32[2,3] | add(p0, p1)", "f32[<=2,3]{1,0}"},
          {"f32[2,3]; f32[<=2,3] | add(p0, p1)", "f32[<=2,3]{1,0}"},
          {"f32[1,<=2,3]; f32[<=1,1,3] | add(p0, p1)", "f32[<=1,<=2,3]{2,1,0}"},
          {"f32[<=1,<=2,1]; f32[1,1,1] | add(p0, p1)", "f32[1,<=2,1]{2,1,0}"},
          {"f32[<=1]; f32[3] | add(p0, p1)", "f32[3]{0}"},
          {"f64[2]; f64[2] | shift-left(p0, p1)", "f64[2]{0}"},
          {"c64[2]; c64[2] | remainder(p0, p1)", "c64[2]{0}"},
          {"f32[2]; f32[2] | mulhi(p0, p1)", "f32[2]{0}"},
          {"pred[2,3]{0,1}; f32[2,3]; f32[2,3] | select(p0, p1, p2)", "f32[2,3]{0,1}"},
          {"pred[<=2,3]; f32[2,3]{0,1}; f32[2,3] | select(p0, p1, p2)", "f32[<=2,3]{1,0}"},
          // The order of pred, the width of an element in memory of the first branch.
          {"pred[8]; s4[8]{0:E(4)}; s4[8]{0:E(4)} | select(p0, p1, p2)", "s4[8]{0:E(4)}"},
          {"pred[8]; s4[8]; s4[8]{0:E(4)} | select(p0, p1, p2)", "s4[8]{0}"},
          {"pred[8,2]; s4[8,2]{0,1:E(4)}; s4[8,2] | select(p0, p1, p2)", "s4[8,2]{1,0:E(4)}"},
          {"pred[8,2]; f32[8,2]{0,1:T(2,4)S(3)}; f32[8,2] | select(p0, p1, p2)", "f32[8,2]{1,0}"},
          {"f32[?,3]; f32[5,3] | add(p0, p1)", "f32[5,3]{1,0}"},
          {"f32[?,3]; f32[1,3] | add(p0, p1)", "f32[?,3]{1,0}"},
          {"c64[2]; c64[2] | maximum(p0, p1)", "c64[2]{0}"},
          {"c64[2]; c64[2] | compare(p0, p1), direction=LT", "pred[2]{0}"},
          {"s4[8]{0:E(4)} | negate(p0)", "s4[8]{0:E(4)}"},
          {"f32[2,3]{0,1} | is-finite(p0)", "pred[2,3]{0,1}"},
          {"c64[2,3]{0,1} | abs(p0)", "f32[2,3]{0,1}"},
          {"c128[2] | imag(p0)", "f64[2]{0}"},
          {"f32[2]; f32[2] | complex(p0, p1)", "c64[2]{0}"},
          {"pred[2]; f32[2]; f16[2] | select(p0, p1, p2)", "f32[2]{0}"},
          {"pred[]; f32[2,3]{0,1}; f32[2,3] | select(p0, p1, p2)", "f32[2,3]{0,1}"},
          {"f32[]; f32[2]; f32[] | clamp(p0, p1, p2)", "f32[2]{0}"},
          {"f16[]; bf16[2]; f32[2] | clamp(p0, p1, p2)", "bf16[2]{0}"},
      });
}

TEST(InferredShapes, Movement) {
  ExpectInference(
      "",
      {
          {"f32[3] | broadcast(p0), dimensions={2}", "f32[2,3]{1,0}"},
          {"f32[2,3,4]{0,2,1} | transpose(p0), dimensions={1,2,0}", "f32[3,4,2]{2,1,0}"},
          {"f32[2,3,4]{0,2,1:T(2,2)} | transpose(p0), dimensions={1,2,0}",
           "f32[3,4,2]{2,1,0:T(2,2)}"},
          {"f32[<=5,3] | transpose(p0), dimensions={1,0}", "f32[3,<=5]{0,1}"},
          {"f32[2,3]{0,1} | reverse(p0), dimensions={0}", "f32[2,3]{0,1}"},
          {"f32[2,3]{0,1} | copy(p0)", "f32[2,3]{0,1}"},
          {"f32[2,3]{0,1}; f32[] | pad(p0, p1), padding=0_1x1_1_2", "f32[3,9]{1,0}"},
          {"bf16[2,3]{0,1}; f32[] | pad(p0, p1), padding=0_1x1_1_2", "f32[3,9]{1,0}"},
          {"f32[<=5,3]; f32[] | pad(p0, p1), padding=0_1x1_1", "f32[<=6,5]{1,0}"},
          {"f32[2,3]{0,1}; f32[2,4]{0,1} | concatenate(p0, p1), dimensions={1}", "f32[2,7]{1,0}"},
          {"f16[2,3]; bf16[2,4] | concatenate(p0, p1), dimensions={1}", "bf16[2,7]{1,0}"},
          {"f32[<=5,3]; f32[5,3] | concatenate(p0, p1), dimensions={0}", "f32[<=10,3]{1,0}"},
          {"f32[<=5,3]; f32[5,3] | concatenate(p0, p1), dimensions={1}", "f32[<=5,6]{1,0}"},
          {"f32[2,3]{0,1} | get-dimension-size(p0), dimensions={0}", "s32[]"},
          {"f32[2,3]{0,1}; s32[] | set-dimension-size(p0, p1), dimensions={0}", "f32[<=2,3]{0,1}"},
      });
}

TEST(InferredShapes, Indexing) {
  ExpectInference(
      kComputations,
      {
          {"f32[5,7]; s32[3] | gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, "
           "start_index_map={0}, index_vector_dim=1, slice_sizes={1,7}",
           "f32[3,7]{1,0}"},
          {"f32[<=5,<=7]; s32[<=3] | gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, "
           "start_index_map={0}, index_vector_dim=1, slice_sizes={1,7}",
           "f32[<=3,<=7]{1,0}"},
          {"f32[3]{0}; s32[2,1]; f32[2] | scatter(p0, p1, p2), update_window_dims={}, "
           "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
           "to_apply=add",
           "f32[3]{0}"},
      });
}

TEST(InferredShapes, Reduction) {
  ExpectInference(
      kComputations,
      {
          {"f32[2,3]{0,1}; f32[] | reduce(p0, p1), dimensions={1}, to_apply=add", "f32[2]{0}"},
          {"f32[2,3,4]{0,1,2}; f32[] | reduce(p0, p1), dimensions={0}, to_apply=add",
           "f32[3,4]{1,0}"},
          {"bf16[2,3]; bf16[] | reduce(p0, p1), dimensions={1}, to_apply=add", "f32[2]{0}"},
          {"f32[<=5,3]; f32[] | reduce(p0, p1), dimensions={1}, to_apply=add", "f32[<=5]{0}"},
          {"f32[2,3]{0,1}; bf16[] | reduce-window(p0, p1), window={size=1x2}, to_apply=add",
           "bf16[2,2]{1,0}"},
          {"f32[3]; f32[] | reduce-window(p0, p1), window={size=2 pad=2_1 lhs_dilate=2 "
           "rhs_dilate=3}, to_apply=add",
           "f32[5]{0}"},
          {"f32[4,6]; f32[2,2]; f32[] | select-and-scatter(p0, p1, p2), window={size=2x3 "
           "stride=2x3}, select=ge, scatter=add",
           "f32[4,6]{1,0}"},
          {"f32[2,3]{0,1} | sort(p0), dimensions={0}, to_apply=ge", "f32[2,3]{0,1}"},
          {"f32[4]; s32[4] | sort(p0, p1), dimensions={0}, to_apply=ge_two",
           "(f32[4]{0}, s32[4]{0})"},
          // Whatever the dimension and the comparator are.
          {"f32[2]; s32[2] | sort(p0, p1), dimensions={7}, to_apply=neg", "(f32[2]{0}, s32[2]{0})"},
          {"f32[2,3]{0,1}; f32[2,3] | map(p0, p1), dimensions={0,1}, to_apply=add",
           "f32[2,3]{1,0}"},
          {"f32[2,3]{0,1} | topk(p0), k=2", "(f32[2,2]{1,0}, s32[2,2]{1,0})"},
          {"f32[8]; f32[] | scan(p0, p1), dimensions={0}, num_carries=1, to_apply=step",
           "(f32[8]{0}, f32[])"},
      });
}

TEST(InferredShapes, Contraction) {
  ExpectInference(
      "",
      {
          {"f32[2,3,4]; f32[2,4,5] | dot(p0, p1), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
           "rhs_batch_dims={0}, rhs_contracting_dims={1}",
           "f32[2,3,5]{2,1,0}"},
          {"s8[2]; u8[2] | dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
           "s8[]"},
          {"f16[2]; bf16[2] | dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
           "bf16[]"},
          {"f32[2]; s32[2] | dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
           "f32[]"},
          {"f32[<=5,3]; f32[3,<=4] | dot(p0, p1), lhs_contracting_dims={1}, "
           "rhs_contracting_dims={0}",
           "f32[<=5,<=4]{1,0}"},
          {"f32[<=2,1]; f32[2,1] | dot(p0, p1), lhs_batch_dims={0}, lhs_contracting_dims={}, "
           "rhs_batch_dims={0}, rhs_contracting_dims={}",
           "f32[<=2,1,1]{2,1,0}"},
          {"f32[5,2,3]; f32[5,3,4]; s32[2] | ragged-dot(p0, p1, p2), lhs_batch_dims={0}, "
           "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, "
           "lhs_ragged_dims={2}",
           "f32[2,5,2,4]{3,2,1,0}"},
          {"f32[1,3,3,2]; f32[2,2,2,4] | convolution(p0, p1), window={size=2x2}, "
           "dim_labels=b01f_01io->b01f",
           "f32[1,2,2,4]{3,2,1,0}"},
          {"f16[1,3,3,2]; f32[2,2,2,4] | convolution(p0, p1), window={size=2x2}, "
           "dim_labels=b01f_01io->bf01",
           "f32[1,4,2,2]{3,2,1,0}"},
      });
}

TEST(InferredShapes, LinearAlgebra) {
  ExpectInference(
      "", {
              {"f32[2,3]{0,1}; f32[3]; f32[3] | batch-norm-training(p0, p1, p2), epsilon=0.1, "
               "feature_index=1",
               "(f32[2,3]{0,1}, f32[3]{0}, f32[3]{0})"},
              {"f32[2,2]{0,1} | cholesky(p0)", "f32[2,2]{0,1}"},
              {"f32[2,2]{0,1}; f32[2,3]{0,1} | triangular-solve(p0, p1), left_side=true, "
               "transpose_a=NO_TRANSPOSE",
               "f32[2,3]{0,1}"},
              {"c64[4,5]{0,1} | fft(p0), fft_type=FFT, fft_length={7}", "c64[4,5]{0,1}"},
              {"f32[4,5]{0,1} | fft(p0), fft_type=RFFT, fft_length={5}", "c64[4,3]{0,1}"},
              {"c64[4,3]{0,1} | fft(p0), fft_type=IRFFT, fft_length={5}", "f32[4,5]{0,1}"},
          });
}

TEST(InferredShapes, Control) {
  ExpectInference(
      kComputations,
      {
          {"f32[4]{0}; (s32[], f32[2,3]{0,1}) | tuple(p0, p1)",
           "(f32[4]{0}, (s32[], f32[2,3]{0,1}))"},
          {"(f32[4], f32[2,3]{0,1}) | get-tuple-element(p0), index=1", "f32[2,3]{0,1}"},
          {"f32[4]; f32[4] | call(p0, p1), to_apply=add_v", "f32[4]{0}"},
          {"f32[4]; f32[4] | call(p0, p1), to_apply=add_v, is_composite=true", "f32[4]{0}"},
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

// The reader asks nothing of sizes and layouts; verification does.
TEST(InferredShapes, SizesAndLayoutsAreNotChecked) {
  ExpectInference(
      "", {
              {"f32[2,3]{1,1} | negate(p0)", "f32[2,3]{1,1}"},
              {"f32[2,3]{1,1} | transpose(p0), dimensions={1,0}", "f32[3,2]{0,0}"},
              {"f32[2,3]{1,1} | tuple(p0, p0)", "(f32[2,3]{1,1}, f32[2,3]{1,1})"},
              {"f32[9223372036854775807,2] | negate(p0)", "f32[9223372036854775807,2]{1,0}"},
          });
}

// Every level doubles the arrays, or adds one level.
TEST(InferredShapes, TuplesStayBounded) {
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
