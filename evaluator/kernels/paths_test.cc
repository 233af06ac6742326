// No result depends on the path: definitions and kernels, on any number of threads, give the same
// bits on arrays of odd sizes that are long enough to be shared. The worked examples, cut into
// blocks of any size: conformance/corpus/every_path_test.cc. Runs under the thread sanitizer.
#include <memory>
#include <string>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "evaluator/evaluator.h"
#include "evaluator/kernels/differential.h"
#include "evaluator/ops/testing.h"
#include "gtest/gtest.h"
#include "runtime/float_environment.h"
#include "runtime/parallel.h"
#include "spec/text/parser.h"

namespace assay::evaluator {
namespace {

// What a run gives besides its result.
struct Outcome {
  std::vector<Literal> results;
  int64_t steps = 0;
  RealStats stats;
};

Outcome RunOn(const Shape& shape, const Kernel& kernel, const std::vector<Literal>& operands,
              runtime::WorkerPool* pool) {
  Outcome outcome;
  for (const Shape* leaf : Leaves(shape)) {
    outcome.results.push_back(Literal::Zeros(*leaf));
    std::memset(outcome.results.back().mutable_data(), 0x5A, outcome.results.back().byte_size());
  }
  std::vector<ArrayRef> inputs;
  for (const Literal& operand : operands) inputs.push_back({&operand.shape(), operand.data()});
  std::vector<MutableArrayRef> outputs;
  for (Literal& result : outcome.results) {
    outputs.push_back({&result.shape(), result.mutable_data()});
  }
  runtime::Budget budget;
  EvaluationContext context;
  context.budget = &budget;
  context.workers = pool;
  const PrepareFunction prepare = PrepareKernel;
  StraightCaller caller(prepare, context);
  context.caller = &caller;
  const absl::Status status = kernel.Run(inputs, outputs, context);
  EXPECT_TRUE(status.ok()) << status;
  outcome.steps = budget.spent();
  outcome.stats = context.real_stats;
  return outcome;
}

struct LargeCase {
  std::string instruction;
  std::vector<std::string> parameters;
  Profile profile = Profile::kBits;
  bool straight = true;  // also by the definition
  int64_t index = -1;    // the operand that holds indices
};

// Reducers, a comparator and what maps apply.
constexpr char kComputations[] = R"(
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
sum64 { a = c64[] parameter(0) b = c64[] parameter(1) ROOT c = c64[] add(a, b) }
running { x = f32[401] parameter(0) c = f32[401] parameter(1) n = f32[401] add(c, x)
  ROOT r = (f32[401], f32[401]) tuple(n, n) }
total { a = s16[] parameter(0) b = s16[] parameter(1) ROOT c = s16[] add(a, b) }
most { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT c = bf16[] maximum(a, b) }
odd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] subtract(b, a) }
least { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LE }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
)";

std::vector<LargeCase> LargeCases() {
  return {
      {"f32[131101] add(p0, p1)", {"f32[131101]", "f32[131101]"}},
      {"f32[131101] multiply(p0, p1)", {"f32[131101]", "f32[131101]"}},
      {"pred[131101] compare(p0, p1), direction=LT", {"f32[131101]", "f32[131101]"}},
      {"f32[131101] select(p0, p1, p2)", {"pred[131101]", "f32[131101]", "f32[131101]"}},
      {"f32[131101] clamp(p0, p1, p2)", {"f32[]", "f32[131101]", "f32[]"}},
      {"bf16[131101] convert(p0)", {"f32[131101]"}},
      {"bf16[131101] add(p0, p1)", {"bf16[131101]", "bf16[131101]"}},
      {"bf16[131101] tanh(p0)", {"bf16[131101]"}},
      {"f8e4m3fn[131101] multiply(p0, p1)", {"f8e4m3fn[131101]", "f8e4m3fn[131101]"}},
      {"f32[40001] exponential(p0)", {"f32[40001]"}},
      {"f32[40001] power(p0, p1)", {"f32[40001]", "f32[40001]"}},
      {"f64[20011] logistic(p0)", {"f64[20011]"}},
      {"c64[3001] tanh(p0)", {"c64[3001]"}},
      {"f32[40001] map(p0, p1), dimensions={0}, to_apply=odd", {"f32[40001]", "f32[40001]"}},
      {"f32[307,411] transpose(p0), dimensions={1,0}", {"f32[411,307]"}},
      {"u8[7,123,311] reverse(p0), dimensions={0,2}", {"u8[7,123,311]"}},
      {"f32[5,271,131] broadcast(p0), dimensions={0,2}", {"f32[5,131]"}},
      {"f32[400,600] pad(p0, p1), padding=1_2_1x3_4", {"f32[199,593]", "f32[]"}},
      {"f32[701,301] concatenate(p0, p1), dimensions={0}", {"f32[300,301]", "f32[401,301]"}},
      {"f32[331] reduce(p0, p1), dimensions={1}, to_apply=sum",
       {"f32[331,401]", "f32[]"},
       Profile::kCancel},
      {"f32[401] reduce(p0, p1), dimensions={0}, to_apply=sum",
       {"f32[331,401]", "f32[]"},
       Profile::kCancel},
      {"f32[] reduce(p0, p1), dimensions={0}, to_apply=sum",
       {"f32[300007]", "f32[]"},
       Profile::kCancel},
      {"f32[] reduce(p0, p1), dimensions={0,1}, to_apply=sum", {"f32[1000,300]", "f32[]"}},
      {"c64[] reduce(p0, p1), dimensions={0}, to_apply=sum64",
       {"c64[140003]", "c64[]"},
       Profile::kCancel},
      {"s16[] reduce(p0, p1), dimensions={0}, to_apply=total", {"s16[300007]", "s16[]"}},
      {"bf16[] reduce(p0, p1), dimensions={0}, to_apply=most",
       {"bf16[300007]", "bf16[]"},
       Profile::kSmall},
      {"f32[301] reduce(p0, p1), dimensions={1}, to_apply=odd", {"f32[301,101]", "f32[]"}},
      {"f32[131,67] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {"f32[131,101]", "f32[101,67]"},
       Profile::kCancel},
      {"f32[61,37] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {"f32[61,1201]", "f32[1201,37]"},
       Profile::kCancel,
       false},
      {"c64[5,21,23] dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={0}, "
       "lhs_contracting_dims={2}, rhs_contracting_dims={1}",
       {"c64[5,21,31]", "c64[5,31,23]"}},
      {"s32[301,303] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {"s8[301,99]", "s8[99,303]"},
       Profile::kBits,
       false},
      {"f64[1001,3,3] dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={0}, "
       "lhs_contracting_dims={2}, rhs_contracting_dims={1}",
       {"f64[1001,3,4]", "f64[1001,4,3]"}},
      {"f32[3,29,31,17] convolution(p0, p1), window={size=3x3 pad=1_1x1_1}, "
       "dim_labels=b01f_01io->b01f",
       {"f32[3,29,31,11]", "f32[3,3,11,17]"},
       Profile::kCancel,
       false},
      {"c64[401,33] fft(p0), fft_type=RFFT, fft_length={64}",
       {"f32[401,64]"},
       Profile::kSmall,
       false},
      {"(f32[1001,35], f32[35], f32[35]) batch-norm-training(p0, p1, p2), epsilon=0.001, "
       "feature_index=1",
       {"f32[1001,35]", "f32[35]", "f32[35]"},
       Profile::kSmall,
       false},
      {"f32[301,5,5] cholesky(p0), lower=true", {"f32[301,5,5]"}, Profile::kSmall},
      {"(u64[2], u32[301,501]) rng-bit-generator(p0), algorithm=rng_three_fry", {"u64[2]"}},
      {"(u64[3], u64[100003]) rng-bit-generator(p0), algorithm=rng_philox", {"u64[3]"}},
      {"f32[301,301] sort(p0), dimensions={0}, to_apply=less",
       {"f32[301,301]"},
       Profile::kSmall,
       false},
      {"f32[3001,41] gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,41}",
       {"f32[7,41]", "s32[3001,1]"},
       Profile::kBits,
       true,
       1},
      {"f32[80021] scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=sum",
       {"f32[80021]", "u16[131,701,1]", "f32[131,701]"},
       Profile::kCancel},
      {"f32[301,307] scatter(p0, p1, p2), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
       {"f32[301,307]", "u8[1301,1]", "f32[1301,307]"},
       Profile::kCancel},
      {"f32[401,409] select-and-scatter(p0, p1, p2), window={size=3x3 pad=1_1x1_1}, select=least, "
       "scatter=sum",
       {"f32[401,409]", "f32[401,409]", "f32[]"},
       Profile::kCancel},
      {"(f32[301,7], s32[301,7]) topk(p0), k=7", {"f32[301,401]"}, Profile::kSmall},
      {"(u8[301,7], s32[301,7]) topk(p0), k=7", {"u8[301,401]"}},
      {"(f32[131,401], f32[401]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=running",
       {"f32[131,401]", "f32[401]"},
       Profile::kCancel},
      {"f32[37,9,9] triangular-solve(p0, p1), left_side=true, lower=true",
       {"f32[37,9,9]", "f32[37,9,9]"},
       Profile::kSmall,
       false},
      {"f32[17,97] triangular-solve(p0, p1), left_side=true, lower=true",
       {"f32[17,17]", "f32[17,97]"},
       Profile::kSmall,
       false},
      {"f32[299,301] reduce-window(p0, p1), window={size=3x3}, to_apply=sum",
       {"f32[301,303]", "f32[]"},
       Profile::kCancel},
  };
}

// The sanitizers ask what threads do to memory. Definitions, which have none, take most of the
// time, and other tests hold kernels against them there.
#if defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)
constexpr bool kDefinitionsToo = false;
constexpr int64_t kThreads[] = {3, 8};
#else
constexpr bool kDefinitionsToo = true;
constexpr int64_t kThreads[] = {1, 2, 3, 8};
#endif

TEST(Paths, LargeArraysOfOddSizes) {
  const runtime::FloatEnvironmentGuard guard;
  std::vector<std::unique_ptr<runtime::WorkerPool>> pools;
  for (const int64_t threads : kThreads) {
    pools.push_back(std::make_unique<runtime::WorkerPool>(threads));
  }
  Differential random;
  for (const LargeCase& c : LargeCases()) {
    std::string text = absl::StrCat("HloModule m\n", kComputations, "ENTRY e {\n");
    for (size_t i = 0; i < c.parameters.size(); ++i) {
      absl::StrAppend(&text, "  p", i, " = ", c.parameters[i], " parameter(", i, ")\n");
    }
    absl::StrAppend(&text, "  ROOT r = ", c.instruction, "\n}\n");
    SCOPED_TRACE(c.instruction);
    absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status();
    const Instruction& root = *(*module)->entry()->root();
    absl::StatusOr<std::unique_ptr<Kernel>> kernel = PrepareKernel(root);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    std::vector<Literal> operands;
    for (int64_t k = 0; k < root.operand_count(); ++k) {
      operands.push_back(random.Random(root.operand(k)->shape(), c.profile, k == c.index));
    }
    const Outcome alone = RunOn(root.shape(), **kernel, operands, nullptr);
    if (c.straight && kDefinitionsToo) {
      absl::StatusOr<std::unique_ptr<Kernel>> definition = PrepareStraight(root);
      ASSERT_TRUE(definition.ok()) << definition.status();
      Differential::ExpectSame(alone.results,
                               RunOn(root.shape(), **definition, operands, nullptr).results);
    }
    for (const auto& pool : pools) {
      const Outcome together = RunOn(root.shape(), **kernel, operands, pool.get());
      Differential::ExpectSame(together.results, alone.results);
      EXPECT_EQ(together.steps, alone.steps) << pool->threads();
      EXPECT_EQ(together.stats.decided, alone.stats.decided) << pool->threads();
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace assay::evaluator
