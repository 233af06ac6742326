#include "spec/stablehlo/vhlo_table.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::stablehlo {
namespace {

TEST(Rows, AreBoundToTheTableOfOperations) {
  for (const VhloOp& op : VhloOps()) {
    ASSERT_NE(op.row, nullptr) << op.name;
    EXPECT_LT(op.first, op.last) << op.name;
    for (const VhloAttribute& attribute : op.attributes) {
      // The one attribute of VHLO that StableHLO does not have.
      const bool dropped = op.name == "vhlo.dynamic_conv_v1" && attribute.name == "padding";
      EXPECT_EQ(attribute.target == nullptr, dropped) << op.name << " " << attribute.name;
      const bool in_record =
          attribute.target != nullptr && attribute.target->name != attribute.name;
      EXPECT_EQ(attribute.part != nullptr, in_record) << op.name << " " << attribute.name;
    }
  }
}

// VHLO 1.20.0 defines 145 operations.
TEST(Rows, AreAll) { EXPECT_EQ(VhloOps().size(), 145); }

// Versions of one operation follow each other without a gap, and the last one lives today.
TEST(Versions, FollowEachOther) {
  std::map<std::string, std::vector<const VhloOp*>> versions;
  for (const VhloOp& op : VhloOps()) versions[std::string(op.row->name)].push_back(&op);
  for (const auto& [name, ops] : versions) {
    for (size_t i = 0; i + 1 < ops.size(); ++i) {
      Version next = {ops[i]->last.major, ops[i]->last.minor + 1, 0};
      if (next == Version{0, 21, 0}) next = {1, 0, 0};
      EXPECT_EQ(ops[i + 1]->first, next) << name;
    }
    EXPECT_GE(ops.back()->last, kNewestVersion) << name;
  }
}

// Every operation of StableHLO has a form in the newest version.
TEST(Versions, CoverTheDialect) {
  for (const DialectOp& op : DialectOps()) {
    if (op.dialect() != "stablehlo") continue;
    EXPECT_NE(FindVhloOp(op.name, kNewestVersion), nullptr) << op.name;
  }
}

TEST(Versions, SelectTheOperation) {
  EXPECT_EQ(FindVhloOp("stablehlo.tan", {1, 3, 0}), nullptr);
  EXPECT_EQ(FindVhloOp("stablehlo.tan", {1, 4, 0})->name, "vhlo.tan_v1");
  EXPECT_EQ(FindVhloOp("stablehlo.tan", {1, 9, 7})->name, "vhlo.tan_v1");
  EXPECT_EQ(FindVhloOp("stablehlo.tan", {1, 10, 0})->name, "vhlo.tan_v2");
  EXPECT_EQ(FindVhloOp("func.func", {0, 9, 0})->name, "vhlo.func_v1");
  EXPECT_EQ(FindVhloOp("vhlo.add_v2"), nullptr);
  EXPECT_EQ(FindVhloOp("vhlo.add_v1")->row->name, "stablehlo.add");
}

// The order of the properties in bytecode, from the format's description.
TEST(Attributes, AreAlphabetical) {
  std::vector<std::string> names;
  for (const VhloAttribute& a : FindVhloOp("vhlo.gather_v2")->attributes) names.push_back(a.name);
  EXPECT_THAT(names,
              testing::ElementsAre("collapsed_slice_dims", "index_vector_dim", "indices_are_sorted",
                                   "offset_dims", "operand_batching_dims", "slice_sizes",
                                   "start_index_map", "start_indices_batching_dims"));
}

TEST(VersionTexts, AreThreeNumbers) {
  EXPECT_EQ(Version::Parse("1.17.0"), (Version{1, 17, 0}));
  EXPECT_EQ((Version{1, 17, 3}).ToString(), "1.17.3");
  for (const char* text :
       {"", "1", "1.2", "1.2.3.4", "1..2", "a.b.c", "-1.2.3", "1.2.99999999999"}) {
    EXPECT_EQ(Version::Parse(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace assay::stablehlo
