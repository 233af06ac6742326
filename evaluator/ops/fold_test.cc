// The results of folds: exact for recognised sums and products, in the given order otherwise.
#include "evaluator/ops/fold.h"

#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "spec/text/parser.h"

namespace assay::evaluator {
namespace {

constexpr ElementType kF32 = ElementType::kF32;

Element F32(double value) { return {EncodeFloat(kF32, value)}; }

// The reducer x op y.
std::unique_ptr<Module> Reducer(const std::string& op) {
  auto module = ParseModule(absl::StrReplaceAll(
      "HloModule m\nENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = OP(a, b) }",
      {{"OP", op}}));
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

// fold of f32 values by `op`, from an init.
Element FoldF32(const std::string& op, Element init, const std::vector<Element>& values) {
  const auto module = Reducer(op);
  auto fold = Fold::Prepare(*module->entry());
  EXPECT_TRUE(fold.ok()) << fold.status();
  EvaluationContext context;
  fold->Start({init});
  for (Element value : values) EXPECT_TRUE(fold->Add({value}, context).ok());
  return fold->Result(0, context);
}

TEST(Fold, NothingAddedGivesInitBitForBit) {
  const Element payload{0x7f800123};
  for (const char* op : {"add", "multiply", "maximum", "subtract"}) {
    EXPECT_EQ(FoldF32(op, payload, {}), payload) << op;
    EXPECT_EQ(FoldF32(op, F32(-0.0), {}), F32(-0.0)) << op;
  }
}

TEST(Fold, SumsAndProductsAreExactAndRoundOnce) {
  EXPECT_EQ(FoldF32("add", F32(0), {F32(1e30), F32(1), F32(-1e30)}), F32(1));
  EXPECT_EQ(FoldF32("add", F32(0x1p24), {F32(0.5), F32(0.5), F32(1)}), F32(0x1p24 + 2));
  EXPECT_EQ(FoldF32("multiply", F32(1), {F32(0x1p-140), F32(0x1p100), F32(0x1p50)}), F32(0x1p10));
  EXPECT_EQ(FoldF32("subtract", F32(0), {F32(1e30), F32(1), F32(-1e30)}), F32(0));
}

TEST(Fold, NonFiniteTerms) {
  const double inf = INFINITY;
  EXPECT_EQ(FoldF32("add", F32(0), {F32(inf), F32(-inf)}).bits, CanonicalNan(kF32));
  EXPECT_EQ(FoldF32("add", F32(0), {F32(3e38), F32(3e38)}), F32(inf));
  EXPECT_EQ(FoldF32("multiply", F32(0), {F32(inf)}).bits, CanonicalNan(kF32));
  EXPECT_EQ(FoldF32("add", F32(-0.0), {F32(-0.0)}), F32(-0.0));
}

TEST(Fold, StartsAnew) {
  const auto module = Reducer("add");
  auto fold = Fold::Prepare(*module->entry());
  ASSERT_TRUE(fold.ok());
  EvaluationContext context;
  for (int round = 0; round < 2; ++round) {
    fold->Start({F32(1)});
    ASSERT_TRUE(fold->Add({F32(2)}, context).ok());
    EXPECT_EQ(fold->Result(0, context), F32(3));
  }
}

TEST(Fold, RefusesWhatIsNoReducer) {
  auto module = ParseModule("f32[] negate(f32[] x)");
  ASSERT_TRUE(module.ok());
  EXPECT_FALSE(Fold::Prepare(*(*module)->entry()).ok());
}

}  // namespace
}  // namespace assay::evaluator
