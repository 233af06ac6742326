// Kernels towards budgets, and operations that have none. Their values on the worked examples:
// conformance/corpus/every_path_test.cc.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/evaluator.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::evaluator {
namespace {

// Long runs of each family stop soon after the budget is spent.
TEST(Kernels, StopWhenTheBudgetIsSpent) {
  const std::string add =
      "f {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\n";
  const std::string odd =
      "g {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] "
      "subtract(b, a)\n}\n";
  const std::string at_least =
      "h {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = "
      "pred[] compare(a, b), direction=LE\n}\n";
  const std::string instructions[] = {
      "f32[512,512] add(p0, p0)",
      "f32[512,512] transpose(p0), dimensions={1,0}",
      "f32[512,512] dot(p0, p0), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "f32[512] reduce(p0, p1), dimensions={0}, to_apply=f",
      "f32[512] reduce(p0, p1), dimensions={1}, to_apply=g",
      "f32[512,512] reduce-window(p0, p1), window={size=3x3 pad=1_1x1_1}, to_apply=f",
      "f32[512,512] sort(p0), dimensions={0}, to_apply=h",
      "f32[512,512] map(p0, p0), dimensions={0,1}, to_apply=g",
      "f32[512,512] exponential(p0)",
      "c64[512,257] fft(p0), fft_type=RFFT, fft_length={512}",
      "c64[512,257] fft(p0), fft_type=RFFT, fft_length={512,512}",
      "f32[512,512] cholesky(p0), lower=true",
      "f32[512,512] triangular-solve(p0, p0), left_side=true, lower=true, "
      "transpose_a=NO_TRANSPOSE",
      "f32[512,512] triangular-solve(p0, p0), unit_diagonal=true, transpose_a=TRANSPOSE",
      "(f32[512,512], f32[512], f32[512]) batch-norm-training(p0, p2, p2), epsilon=0.001, "
      "feature_index=1",
      "(f32[512,512], f32[512], f32[512]) batch-norm-grad(p0, p2, p2, p2, p0), epsilon=0.001, "
      "feature_index=0",
  };
  for (const std::string& instruction : instructions) {
    absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(
        absl::StrCat("HloModule m\n\n", add, "\n", odd, "\n", at_least,
                     "\nENTRY e {\n p0 = f32[512,512] parameter(0)\n p1 = f32[] parameter(1)\n"
                     " p2 = f32[512] parameter(2)\n ROOT r = ",
                     instruction, "\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    const Instruction& root = *(*module)->entry()->root();
    absl::StatusOr<std::unique_ptr<Kernel>> kernel = PrepareKernel(root);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    std::vector<Literal> operands;
    std::vector<ArrayRef> inputs;
    for (const Instruction* operand : root.operands()) {
      operands.push_back(Literal::Zeros(operand->shape()));
    }
    for (const Literal& operand : operands) inputs.push_back({&operand.shape(), operand.data()});
    std::vector<Literal> results;
    std::vector<MutableArrayRef> outputs;
    for (const Shape* leaf : Leaves(root.shape())) results.push_back(Literal::Zeros(*leaf));
    for (Literal& each : results) outputs.push_back({&each.shape(), each.mutable_data()});
    runtime::Budget budget(/*steps=*/50000, /*seconds=*/-1);
    EvaluationContext context;
    context.budget = &budget;
    const absl::Status status = (*kernel)->Run(inputs, outputs, context);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << instruction;
    EXPECT_LT(budget.spent(), 5000000) << instruction;
  }
}

TEST(Kernels, NameTheOperationThatHasNone) {
  absl::StatusOr<std::unique_ptr<Module>> module =
      ParseModule("HloModule m\n\nENTRY e {\n ROOT r = token[] after-all()\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto kernel = PrepareKernel(*(*module)->entry()->root());
  EXPECT_EQ(kernel.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(std::string(kernel.status().message()).find("after-all"), std::string::npos);
}

// A row of floats that is longer than 2^17 is not folded in parts: products do not join.
TEST(Kernels, MultiplyVeryLongRows) {
  constexpr int64_t kSize = (1 << 17) + 9;
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(absl::StrCat(
      "HloModule m\n\nf {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] "
      "multiply(a, b)\n}\n\nENTRY e {\n p0 = f32[",
      kSize, "] parameter(0)\n p1 = f32[] parameter(1)\n",
      " ROOT r = f32[] reduce(p0, p1), dimensions={0}, to_apply=f\n}\n"));
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction& root = *(*module)->entry()->root();
  absl::StatusOr<std::unique_ptr<Kernel>> kernel = PrepareKernel(root);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  std::vector<float> x(kSize, 1);
  x[0] = 2;
  x[70000] = 3;
  x[kSize - 1] = 5;
  const float init = 7;
  float product = 0;
  const ArrayRef inputs[] = {
      {&root.operand(0)->shape(), reinterpret_cast<const std::byte*>(x.data())},
      {&root.operand(1)->shape(), reinterpret_cast<const std::byte*>(&init)}};
  const MutableArrayRef output = {&root.shape(), reinterpret_cast<std::byte*>(&product)};
  EvaluationContext context;
  ASSERT_TRUE((*kernel)->Run(inputs, absl::MakeConstSpan(&output, 1), context).ok());
  EXPECT_EQ(product, 210);
}

class PeakAccount : public runtime::ScratchAccount {
 public:
  absl::Status Reserve(int64_t bytes) override {
    peak_ = std::max(peak_, held_ += bytes);
    return absl::OkStatus();
  }
  void Release(int64_t bytes) override { held_ -= bytes; }
  int64_t peak() const { return peak_; }

 private:
  int64_t held_ = 0, peak_ = 0;
};

// Each of 1,024 numbers is held as two doubles and as two balls of three doubles.
TEST(Kernels, TransformsReserveWhatTheyTake) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(
      "HloModule m\n\nENTRY e {\n p0 = c64[32,32] parameter(0)\n ROOT r = c64[32,32] fft(p0), "
      "fft_type=FFT, fft_length={32,32}\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction& root = *(*module)->entry()->root();
  absl::StatusOr<std::unique_ptr<Kernel>> kernel = PrepareKernel(root);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  const Literal x = Literal::Zeros(root.shape());
  Literal y = Literal::Zeros(root.shape());
  const ArrayRef input = {&x.shape(), x.data()};
  const MutableArrayRef output = {&y.shape(), y.mutable_data()};
  PeakAccount account;
  EvaluationContext context;
  context.scratch = &account;
  ASSERT_TRUE((*kernel)
                  ->Run(absl::MakeConstSpan(&input, 1), absl::MakeConstSpan(&output, 1), context)
                  .ok());
  EXPECT_GE(account.peak(), 1024 * (2 + 6) * 8);
}

// Statistics of a feature are vectors.
TEST(Kernels, RefuseStatisticsThatAreNoVectors) {
  for (const int wrong : {0, 3, 4}) {
    std::string text = "HloModule m\n\nENTRY e {\n p0 = f32[4,2] parameter(0)\n";
    for (int k = 1; k <= 4; ++k) {
      absl::StrAppend(&text, " p", k, " = ", k == wrong ? "f32[2,1]" : "f32[2]", " parameter(", k,
                      ")\n");
    }
    absl::StatusOr<std::unique_ptr<Module>> module =
        ParseModule(text +
                    " ROOT r = f32[4,2] batch-norm-inference(p0, p1, p2, p3, p4), epsilon=0.001, "
                    "feature_index=1\n}\n");
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(PrepareKernel(*(*module)->entry()->root()).ok(), wrong == 0) << wrong;
  }
}

}  // namespace
}  // namespace assay::evaluator
