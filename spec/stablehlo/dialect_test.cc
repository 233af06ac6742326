// The tables of dialect.h: found by name, in order, and whole.
#include "spec/stablehlo/dialect.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::stablehlo {
namespace {

TEST(DialectTest, RowsAreFoundByName) {
  const DialectOp* add = FindDialectOp("stablehlo.add");
  ASSERT_NE(add, nullptr);
  EXPECT_EQ(add->opcode(), Opcode::kAdd);
  EXPECT_EQ(add->stablehlo, add);
  EXPECT_EQ(add->short_name(), "add");
  EXPECT_EQ(FindDialectOp("stablehlo.ad"), nullptr);
  EXPECT_EQ(FindDialectOp("stablehlo.broadcast_in_dim")->opcode(), std::nullopt);
  EXPECT_TRUE(FindDialectOp("func.func")->isolated);
  EXPECT_TRUE(IsKnownDialect("sdy"));
  EXPECT_FALSE(IsKnownDialect("llvm"));
}

// mhlo has every operation of StableHLO; what it spells differently is a row of its own.
TEST(DialectTest, MhloHasTheOperationsOfStablehlo) {
  for (const DialectOp& op : DialectOps()) {
    if (op.dialect() != "stablehlo") continue;
    const DialectOp* mhlo = FindDialectOp("mhlo." + std::string(op.short_name()));
    ASSERT_NE(mhlo, nullptr) << op.name;
    EXPECT_EQ(mhlo->stablehlo, &op);
  }
  EXPECT_EQ(FindDialectOp("mhlo.copy")->stablehlo, nullptr);
  EXPECT_NE(FindDialectOp("mhlo.dynamic_conv")->FindAttribute("padding"), nullptr);
  EXPECT_EQ(FindDialectOp("stablehlo.dynamic_conv")->FindAttribute("padding"), nullptr);
}

// The order of attributes is the order of properties in bytecode.
TEST(DialectTest, AttributesAreSortedAndTheirTypesExist) {
  for (const DialectOp& op : DialectOps()) {
    EXPECT_EQ(FindDialectOp(op.name), &op) << op.name << " has two rows";
    for (size_t i = 0; i < op.attributes.size(); ++i) {
      const Field& field = op.attributes[i];
      if (i > 0) {
        EXPECT_LT(op.attributes[i - 1].name, field.name) << op.name;
      }
      const bool of_enum = field.kind == FieldKind::kEnum || field.kind == FieldKind::kEnums;
      const bool of_record = field.kind == FieldKind::kRecord || field.kind == FieldKind::kRecords;
      // Text of Shardy has a type without a table.
      if (field.kind != FieldKind::kAny) {
        EXPECT_EQ(field.type_name.empty(), !of_enum && !of_record) << op.name;
      }
      if (of_enum) {
        EXPECT_NE(FindEnum(field.type_name), nullptr) << field.type_name;
      }
      if (of_record) {
        EXPECT_NE(FindRecord(field.type_name), nullptr) << field.type_name;
      }
    }
  }
}

// Numbers of StableHLO's specification of its portable form.
TEST(DialectTest, EnumerationsHaveTheirNumbers) {
  EXPECT_EQ(FindEnum("stablehlo.rng_distribution")->Number("UNIFORM"), 1);
  EXPECT_EQ(FindEnum("stablehlo.comparison_direction")->Number("LT"), 5);
  EXPECT_EQ(FindEnum("stablehlo.comparison_direction")->Name(2), "GE");
  EXPECT_EQ(FindEnum("stablehlo.comparison_direction")->Name(6), "");
  EXPECT_EQ(FindEnum("stablehlo.precision")->Number("HIGHER"), std::nullopt);
}

}  // namespace
}  // namespace assay::stablehlo
