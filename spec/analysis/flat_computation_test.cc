#include "spec/analysis/flat_computation.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::analysis {
namespace {

// The flat form of the entry, "flat" if it is flat already, or "none".
std::string FlatFormOf(const std::string& text) {
  auto module = ParseModule(absl::StrCat("HloModule m\n", text));
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return "unparsed";
  const std::unique_ptr<Computation> flat = FlattenComputation(*(*module)->entry());
  if (flat == nullptr) return "none";
  std::string form;
  for (const auto& instruction : flat->instructions()) {
    absl::StrAppend(&form, Name(instruction->opcode()), " ", instruction->shape().ToString(), "; ");
  }
  return form;
}

TEST(FlatComputation, ATupleOfArraysAtTheRootIsFlat) {
  EXPECT_EQ(FlatFormOf("ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) "
                       "ROOT r = (f32[], f32[]) tuple(b, a) }"),
            "none");
}

TEST(FlatComputation, ATupleInsideIsNot) {
  EXPECT_EQ(FlatFormOf("ENTRY e { a = f32[] parameter(0) b = f32[] parameter(1) "
                       "t = (f32[], f32[]) tuple(b, a) ROOT r = f32[] add(a, b) }"),
            "parameter f32[]; parameter f32[]; add f32[]; ");
}

// Nothing is made of computations whose parameters are tuples.
TEST(FlatComputation, ParametersAreArrays) {
  EXPECT_EQ(
      FlatFormOf("ENTRY e { p = (f32[], f32[]) parameter(0) a = f32[] get-tuple-element(p), "
                 "index=0 b = f32[] get-tuple-element(p), index=1 ROOT r = f32[] add(a, b) }"),
      "none");
}

// Attributes come along, and errors say where the text has the instruction.
TEST(FlatComputation, InstructionsKeepWhatTheyAre) {
  auto module = ParseModule(
      "HloModule m\nENTRY e {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " c = f32[] copy(a)\n ROOT r = pred[] compare(c, b), direction=GT }");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::unique_ptr<Computation> flat = FlattenComputation(*(*module)->entry());
  ASSERT_NE(flat, nullptr);
  EXPECT_EQ(flat->root()->GetEnum<ComparisonDirection>(Attr::kDirection), ComparisonDirection::kGt);
  EXPECT_EQ(flat->root()->position().line, 6);
}

// 4,096 entered instructions, passed instructions and leaves are the limit. An instruction that the
// root needs counts three times, another one twice.
TEST(FlatComputation, StopsWhereItGrows) {
  const auto chain = [](int needed, int unneeded) {
    std::string text = "ENTRY e { a0 = f32[] parameter(0) a1 = f32[] copy(a0) ";
    for (int i = 0; i < unneeded; ++i) absl::StrAppend(&text, "n", i, " = f32[] negate(a0) ");
    for (int i = 2; i < needed; ++i) {
      absl::StrAppend(&text, i + 1 == needed ? "ROOT a" : "a", i, " = f32[] negate(a", i - 1, ") ");
    }
    return FlatFormOf(text + "}");
  };
  EXPECT_NE(chain(1364, 2), "none");  // 4,096
  EXPECT_EQ(chain(1365, 1), "none");  // 4,097
}

}  // namespace
}  // namespace assay::analysis
