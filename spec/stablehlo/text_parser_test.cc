// The parser against worked examples: what the tree says of small programs. Every program of
// StableHLO's own tests is compared with another parser by tools/peers/stablehlo_text.py.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

using testing::ElementsAre;

// The program's only function's operations, or those of the module where there is none.
struct Parsed {
  std::unique_ptr<Program> program;
  std::vector<Operation*> operations;

  Operation* Find(absl::string_view name) const {
    for (Operation* op : operations) {
      if (op->name() == name) return op;
    }
    return nullptr;
  }
};

Parsed ParseGood(absl::string_view text) {
  Parsed parsed;
  auto program = ParseText(text, "test.mlir");
  EXPECT_TRUE(program.ok()) << program.status();
  if (!program.ok()) return parsed;
  parsed.program = *std::move(program);
  const auto take = [&](const Operation& owner) {
    const Block& block = *owner.regions()[0].blocks()[0];
    parsed.operations.assign(block.operations.begin(), block.operations.end());
  };
  take(*parsed.program->module);
  if (parsed.operations.size() == 1 && parsed.operations[0]->name() == "func.func") {
    take(*parsed.operations[0]);
  }
  return parsed;
}

// The value of the one constant of a text "dense<..> : type".
const Attribute* Constant(Parsed& parsed, absl::string_view elements) {
  parsed = ParseGood(std::string("%c = stablehlo.constant ") + std::string(elements));
  const Operation* op = parsed.Find("stablehlo.constant");
  return op == nullptr ? nullptr : op->Find("value");
}

std::vector<int> Bytes(const Attribute* dense) {
  std::vector<int> out;
  for (int64_t i = 0; i < dense->byte_count; ++i) out.push_back(static_cast<int>(dense->bytes[i]));
  return out;
}

TEST(TextParserTest, ReadsArgumentsAndResults) {
  const Parsed parsed = ParseGood(R"(
    module @m attributes {mhlo.num_replicas = 2 : i32} {
      func.func public @main(%a: tensor<2x?xf32> {jax.x = true} loc("input"), %b: tensor<2x?xf32>)
          -> (tensor<2x?xf32> {r}) {
        %0:2 = "other.op"(%a) : (tensor<2x?xf32>) -> (tensor<2x?xf32>, i1)
        %c = stablehlo.add %0#0, %b {note = "x\0Ay"} : tensor<2x?xf32> loc("f.py":3:4 to 5:6)
        return %c : tensor<2x?xf32>
      }
    })");
  const Operation* module = parsed.program->module;
  EXPECT_EQ(module->Find("sym_name")->text, "m");
  EXPECT_EQ(module->Find("mhlo.num_replicas")->integer, 2);
  const Operation* main = parsed.program->FindFunction("main");
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(main->Find("sym_visibility")->text, "public");
  EXPECT_EQ(main->Find("arg_attrs")->elements[0]->Find("jax.x")->integer, 1);
  EXPECT_TRUE(main->Find("arg_attrs")->elements[1]->fields.empty());
  EXPECT_EQ(main->Find("res_attrs")->elements[0]->Find("r")->kind, AttributeKind::kUnit);
  const Block* block = main->regions()[0].blocks()[0];
  EXPECT_EQ(block->arguments[0]->location()->text, "input");
  EXPECT_THAT(block->arguments[0]->type()->dimensions, ElementsAre(2, kDynamic));
  const Operation* add = parsed.operations[1];
  EXPECT_EQ(add->name(), "stablehlo.add");
  EXPECT_EQ(add->operands()[0], parsed.operations[0]->results()[0]);
  EXPECT_EQ(add->operands()[1], block->arguments[1]);
  EXPECT_EQ(add->Find("note")->text, "x\ny");
  EXPECT_EQ(add->location->line, 3);
  EXPECT_EQ(add->location->end_line, 5);
  EXPECT_EQ(add->position().line, 6);
  EXPECT_EQ(add->results()[0]->type(), block->arguments[1]->type());
}

TEST(TextParserTest, ReadsElements) {
  Parsed p;
  EXPECT_THAT(Bytes(Constant(p, "dense<[[1, -2], [0x7F, 255]]> : tensor<2x2xi8>")),
              ElementsAre(1, 254, 127, 255));
  EXPECT_THAT(Bytes(Constant(p, "dense<[-8, 7, 15]> : tensor<3xi4>")), ElementsAre(8, 7, 15));
  EXPECT_THAT(Bytes(Constant(p, "dense<[true, false]> : tensor<2xi1>")), ElementsAre(1, 0));
  EXPECT_THAT(Bytes(Constant(p, "dense<[1.5, 0x3F80]> : tensor<2xbf16>")),
              ElementsAre(0xC0, 0x3F, 0x80, 0x3F));
  EXPECT_THAT(Bytes(Constant(p, "dense<(1.0, -2.0)> : tensor<complex<f32>>")),
              ElementsAre(0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0));
  EXPECT_THAT(Bytes(Constant(p, "dense<\"0x0100FFff\"> : tensor<2xi16>")),
              ElementsAre(1, 0, 255, 255));
  // A byte for each element, and packed bits.
  EXPECT_THAT(Bytes(Constant(p, "dense<\"0x010001\"> : tensor<3xi1>")), ElementsAre(1, 0, 1));
  EXPECT_THAT(Bytes(Constant(p, "dense<\"0x0502\"> : tensor<10xi1>")),
              ElementsAre(1, 0, 1, 0, 0, 0, 0, 0, 0, 1));
  const Attribute* splat = Constant(p, "dense<3> : tensor<1000x1000xi32>");
  EXPECT_TRUE(splat->is_splat);
  EXPECT_EQ(splat->byte_count, 4);
  EXPECT_THAT(Bytes(Constant(p, "dense<\"0x05000000\"> : tensor<4xi32>")), ElementsAre(5, 0, 0, 0));
  EXPECT_EQ(Constant(p, "dense<> : tensor<0x3xf32>")->byte_count, 0);
  EXPECT_EQ(Constant(p, "dense<[]> : tensor<0xf32>")->byte_count, 0);
}

// A decimal is a double first: this one is a tie in f32 only after the first rounding.
TEST(TextParserTest, DecimalsAreRoundedTwice) {
  Parsed p;
  EXPECT_THAT(Bytes(Constant(p, "dense<1.000000059604644775390626> : tensor<f32>")),
              ElementsAre(0, 0, 0x80, 0x3F));
  EXPECT_THAT(Bytes(Constant(p, "dense<1.0e400> : tensor<f32>")), ElementsAre(0, 0, 0x80, 0x7F));
}

TEST(TextParserTest, ReadsResources) {
  const Parsed parsed = ParseGood(R"(
    %c = stablehlo.constant dense_resource<blob> : tensor<2xi16>
    %d = stablehlo.constant dense_resource<gone> : tensor<2xi16>
    {-#
      dialect_resources: { builtin: { blob: "0x0400000001000200" } }
    #-})");
  EXPECT_THAT(Bytes(parsed.operations[0]->Find("value")), ElementsAre(1, 0, 2, 0));
  EXPECT_EQ(parsed.operations[1]->Find("value")->kind, AttributeKind::kElided);
}

TEST(TextParserTest, ReadsAliasesBeforeTheirDefinition) {
  const Parsed parsed = ParseGood(R"(
    %c = stablehlo.constant {a = #map} dense<1> : !t loc(#loc1)
    !t = tensor<3xi32>
    #map = {x = #inner}
    #inner = 7 : i8
    #loc1 = loc("name"(#loc2))
    #loc2 = loc(fused<"meta">["f":1:2, callsite("g" at unknown)])
  )");
  const Operation* op = parsed.operations[0];
  EXPECT_EQ(PrintType(*op->results()[0]->type()), "tensor<3xi32>");
  EXPECT_EQ(op->Find("a")->Find("x")->integer, 7);
  ASSERT_EQ(op->location->kind, Location::Kind::kName);
  const Location* fused = op->location->children[0];
  ASSERT_EQ(fused->kind, Location::Kind::kFused);
  EXPECT_EQ(fused->children[0]->column, 2);
  EXPECT_EQ(fused->children[1]->children[0]->text, "g");
}

// Equal types have one address, however they are spelled.
TEST(TextParserTest, TypesHaveOneAddress) {
  Program program;
  const auto type = [&](absl::string_view text) { return *ParseType(program, text); };
  EXPECT_EQ(type("tensor<2x3xf32>"), type("tensor< 2 x3xf32 >"));
  EXPECT_EQ(type("tensor<?xf32, #stablehlo.bounds<4>>"),
            type("tensor<?xf32, #stablehlo.type_extensions<bounds = [4]>>"));
  EXPECT_EQ(type("!quant.uniform<i8<-128:127>:f32, 1.0:0>"), type("!quant.uniform<i8:f32, 1.00>"));
  EXPECT_NE(type("!quant.uniform<i8:f32, 1.0:1>"), type("!quant.uniform<i8:f32, 1.0>"));
  EXPECT_NE(type("tensor<2xf32>"), type("tensor<2xf64>"));
  // A dimension of size zero is no hexadecimal number.
  EXPECT_THAT(type("tensor<0x3xf32>")->dimensions, ElementsAre(0, 3));
  EXPECT_EQ(type("i1")->element, ElementType::kPred);
  EXPECT_EQ(type("ui4")->element, ElementType::kU4);
  EXPECT_EQ(type("si32")->kind, TypeKind::kInteger);
  EXPECT_EQ(type("(i1) -> ()")->inputs().size(), 1u);
}

TEST(TextParserTest, AttributesReadTheirSpellings) {
  Program program;
  const auto attribute = [&](absl::string_view text) { return *ParseAttribute(program, text); };
  EXPECT_EQ(attribute("255 : i8")->integer, -1);
  EXPECT_EQ(attribute("255 : ui8")->integer, 255);
  EXPECT_EQ(attribute("-9223372036854775808")->integer, INT64_MIN);
  EXPECT_EQ(attribute("0x7FC00000 : f32")->integer, 0x7FC00000);
  EXPECT_EQ(attribute("1.5 : f16")->integer, 0x3E00);
  EXPECT_EQ(attribute("@a::@\"b c\"")->text, "a::b c");
  for (const char* text :
       {"#stablehlo<precision HIGH>", "#stablehlo.precision<HIGH>", "#mhlo<precision HIGH>"}) {
    EXPECT_EQ(attribute(text)->name, "stablehlo.precision");
    EXPECT_EQ(attribute(text)->integer, 1);
  }
  const Attribute* dot = attribute("#stablehlo.dot<rhs_contracting_dimensions = [1, 0]>");
  EXPECT_THAT(dot->Find("rhs_contracting_dimensions")->ints, ElementsAre(1, 0));
  EXPECT_TRUE(dot->Find("lhs_batching_dimensions")->ints.empty());
  const Attribute* conv = attribute("#stablehlo.conv<[b, 1, 0, f]x[o, 0, i, 1]->[f, 0, b, 1]>");
  EXPECT_THAT(conv->Find("input_spatial_dimensions")->ints, ElementsAre(2, 1));
  EXPECT_EQ(conv->Find("kernel_output_feature_dimension")->integer, 0);
  EXPECT_EQ(conv->Find("output_batch_dimension")->integer, 2);
  const Attribute* sharding = attribute(R"(#sdy.sharding<@m, [{"a", ?}p2, {"b":(2)4}]>)");
  const Attribute* first = sharding->Find("dimensions")->elements[0];
  EXPECT_EQ(first->Find("is_closed")->integer, 0);
  EXPECT_EQ(first->Find("priority")->integer, 2);
  const Attribute* second = sharding->Find("dimensions")->elements[1];
  EXPECT_EQ(second->Find("axes")->elements[0]->Find("sub_axis_info")->Find("size")->integer, 4);
  EXPECT_EQ(attribute("#other.thing<a -> \">\" {[()]}>")->kind, AttributeKind::kOpaque);
}

TEST(TextParserTest, ReducePairsAreInterleavedInTheText) {
  const Parsed parsed = ParseGood(R"(
    func.func @f(%a: tensor<4xf32>, %b: tensor<4xi32>, %i: tensor<f32>, %j: tensor<i32>) {
      %0:2 = stablehlo.reduce(%a init: %i), (%b init: %j) across dimensions = [0] :
          (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
        reducer(%x: tensor<f32>, %y: tensor<f32>) (%z: tensor<i32>, %w: tensor<i32>) {
        stablehlo.return %y, %z : tensor<f32>, tensor<i32>
      }
      %1 = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [0] :
          (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      return
    })");
  const Operation* reduce = parsed.operations[0];
  const Block* body = reduce->regions()[0].blocks()[0];
  EXPECT_EQ(reduce->operands()[1]->index(), 1);
  EXPECT_EQ(reduce->operands()[2]->index(), 2);
  EXPECT_THAT(body->operations[0]->operands(), ElementsAre(body->arguments[2], body->arguments[1]));
  const Block* compact = parsed.operations[1]->regions()[0].blocks()[0];
  EXPECT_EQ(compact->operations[0]->name(), "stablehlo.maximum");
  EXPECT_EQ(PrintType(*compact->arguments[1]->type()), "tensor<f32>");
}

// What versions of 2023 spelled as dense constants is a list here.
TEST(TextParserTest, OldSpellingOfListsIsConverted) {
  const Parsed parsed = ParseGood(R"(
    func.func @f(%a: tensor<4xf32>) {
      %0 = "stablehlo.transpose"(%a) {permutation = dense<0> : tensor<1xi64>} :
          (tensor<4xf32>) -> tensor<4xf32>
      return
    })");
  const Attribute* permutation = parsed.operations[0]->Find("permutation");
  EXPECT_EQ(permutation->kind, AttributeKind::kInts);
  EXPECT_THAT(permutation->ints, ElementsAre(0));
}

// The largest number that a field without a sign has (found by mutation).
TEST(TextParserTest, NumbersWithoutASignHaveAllBits) {
  const Parsed parsed = ParseGood(R"(
    func.func @f(%a: tensor<f32>) {
      check.expect_close %a, %a, max_ulp_difference = 18446744073709551615 : tensor<f32>, tensor<f32>
      return
    })");
  EXPECT_EQ(parsed.operations[0]->Find("max_ulp_difference")->integer, -1);
  // The least number of a list is a number, not an unknown size.
  const Parsed list = ParseGood(R"(
    func.func @f(%a: tensor<3xcomplex<f32>>) {
      %0 = stablehlo.fft %a, type = FFT, length = [-9223372036854775808] :
          (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
      return
    })");
  EXPECT_THAT(PrintText(*list.program, PrintForm::kPretty),
              testing::HasSubstr("length = [-9223372036854775808]"));
}

TEST(TextParserTest, TextsWithoutAModuleAreItsBody) {
  EXPECT_TRUE(ParseGood("").operations.empty());
  EXPECT_TRUE(ParseGood("// nothing\n").operations.empty());
  EXPECT_EQ(ParseGood("func.func private @a()\nfunc.func private @b(i1) -> i2").operations.size(),
            2u);
}

}  // namespace
}  // namespace assay::stablehlo
