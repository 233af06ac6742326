#include "spec/analysis/sort_key.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::analysis {
namespace {

std::optional<SortKey> KeyOf(const std::string& body) {
  auto module = ParseModule(absl::StrCat("HloModule m\nENTRY e {\n", body, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? RecogniseSortKey(*(*module)->entry()) : std::nullopt;
}

const char kTwo[] = "a = f32[] parameter(0)\nb = f32[] parameter(1)\n";
const char kFour[] =
    "a = f32[] parameter(0)\nb = f32[] parameter(1)\n"
    "c = s32[] parameter(2)\nd = s32[] parameter(3)\n";

TEST(SortKeyTest, LessOrGreaterOfTheElementsInEitherOrder) {
  const auto less = KeyOf(absl::StrCat(kTwo, "ROOT r = pred[] compare(a, b), direction=LT\n"));
  ASSERT_TRUE(less.has_value());
  EXPECT_FALSE(less->descending);
  EXPECT_FALSE(less->total_order);
  EXPECT_EQ(less->operand, 0);
  EXPECT_EQ(less->type, ElementType::kF32);
  EXPECT_EQ(less->function, nullptr);
  const auto swapped = KeyOf(absl::StrCat(kTwo, "ROOT r = pred[] compare(b, a), direction=LT\n"));
  ASSERT_TRUE(swapped.has_value());
  EXPECT_TRUE(swapped->descending);
  const auto total =
      KeyOf(absl::StrCat(kTwo, "ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER\n"));
  ASSERT_TRUE(total.has_value());
  EXPECT_TRUE(total->descending);
  EXPECT_TRUE(total->total_order);
}

TEST(SortKeyTest, TheSecondOperandAndAFunctionOfIt) {
  const auto key = KeyOf(absl::StrCat(kFour,
                                      "f = s32[] negate(c)\ng = s32[] negate(d)\n"
                                      "ROOT r = pred[] compare(f, g), direction=LT\n"));
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key->operand, 1);
  EXPECT_EQ(key->type, ElementType::kS32);
  ASSERT_NE(key->function, nullptr);
  EXPECT_EQ(key->function->root()->opcode(), Opcode::kNegate);
  ASSERT_EQ(key->function->parameters().size(), 1u);
}

// NaNs to the end, as a comparison with itself finds them.
TEST(SortKeyTest, AFunctionMayCompare) {
  const std::string form =
      "n = pred[] compare(a, a), direction=NE$0\nm = pred[] compare(b, b), direction=NE$1\n"
      "z = f32[] constant(inf)\nf = f32[] select(n, z, a)\ng = f32[] select(m, z, b)\n"
      "ROOT r = pred[] compare(f, g), direction=LT\n";
  EXPECT_TRUE(KeyOf(absl::StrCat(kTwo, absl::Substitute(form, "", ""))).has_value());
  EXPECT_TRUE(
      KeyOf(absl::StrCat(kTwo, absl::Substitute(form, ", type=TOTALORDER", ", type=TOTALORDER")))
          .has_value());
  EXPECT_FALSE(KeyOf(absl::StrCat(kTwo, absl::Substitute(form, "", ", type=TOTALORDER"))));
}

TEST(SortKeyTest, OtherComparatorsHaveNoKey) {
  for (const char* root : {
           "ROOT r = pred[] compare(a, b), direction=LE\n",  // takes equal elements, too
           "ROOT r = pred[] compare(a, a), direction=LT\n",
           "z = f32[] constant(0)\nROOT r = pred[] compare(a, z), direction=LT\n",
           "f = f32[] negate(a)\nROOT r = pred[] compare(f, b), direction=LT\n",
           "f = f32[] exponential(a)\ng = f32[] exponential(b)\n"
           "ROOT r = pred[] compare(f, g), direction=LT\n",
           "l = pred[] compare(a, b), direction=LT\nROOT r = pred[] not(l)\n",
       }) {
    EXPECT_FALSE(KeyOf(absl::StrCat(kTwo, root)).has_value()) << root;
  }
  EXPECT_FALSE(KeyOf("a = c64[] parameter(0)\nb = c64[] parameter(1)\n"
                     "x = f32[] real(a)\ny = f32[] imag(b)\n"
                     "ROOT r = pred[] compare(x, y), direction=LT\n")
                   .has_value());
}

}  // namespace
}  // namespace assay::analysis
