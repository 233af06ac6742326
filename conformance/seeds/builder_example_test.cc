// The program of docs/builder.md, as it stands there.
#include "conformance/seeds/examples.h"
#include "gmock/gmock.h"
#include "interpreter/interpreter.h"

namespace assay::conformance::builder_example_test {
namespace {

// clang-format off
absl::StatusOr<std::unique_ptr<Module>> SoftmaxNumerators() {
  // A computation for the reduction (maximum).
  Callee max;
  {
    Builder builder("max");
    Op y = Parameter(&builder, 0, Shape(ElementType::kF32, {}), "y");
    Op x = Parameter(&builder, 1, Shape(ElementType::kF32, {}), "x");
    max = builder.BuildCallee(Max(y, x));
  }
  // The numerators of a softmax over the rows of a matrix.
  Builder builder("softmax_numerators");
  Op input = Parameter(&builder, 0, Shape(ElementType::kF32, {2, 3}), "input");
  Op lowest = ConstantR0(&builder, ElementType::kF32, -INFINITY);
  Op row_max = Reduce(input, lowest, max, /*dimensions_to_reduce=*/{1});
  Op shifted = Sub(input, row_max, /*broadcast_dimensions=*/{0});
  Op exponentials = Exp(shifted);
  return builder.Build(exponentials);
}
// clang-format on

TEST(BuilderExample, Runs) {
  const absl::StatusOr<std::unique_ptr<Module>> module = SoftmaxNumerators();
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<Literal> result =
      Interpret(**module, {Value("f32[2,3] {{1,2,1},{0,0,-inf}}")});
  ASSERT_TRUE(result.ok()) << result.status();
  const double e = 0.36787944117144233;  // exp(-1)
  const double expected[] = {e, 1, e, 1, 1, 0};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(result->Get(i).bits, EncodeFloat(kF32, expected[i])) << i;
  }
}

TEST(BuilderExample, AnErrorNamesItsCall) {
  Builder builder("main");
  Op matrix = Parameter(&builder, 0, Shape(ElementType::kF32, {2, 3}), "matrix");
  Op vector = Parameter(&builder, 1, Shape(ElementType::kF32, {2}), "vector");
  Op sum = Add(matrix, vector, {1});
  const absl::Status status = builder.Build(Exp(sum)).status();
  EXPECT_THAT(std::string(status.message()),
              testing::ContainsRegex(
                  "builder_example_test.cc:[0-9]+: Add\\(f32\\[2,3\\], f32\\[2\\]\\): "
                  "\\[implicit_broadcast_c4\\] dimension 0 of "
                  "f32\\[2\\] meets dimension 1 of f32\\[2,3\\]; sizes must be equal, or one of "
                  "them 1"));
}

}  // namespace
}  // namespace assay::conformance::builder_example_test
