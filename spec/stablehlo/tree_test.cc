#include "spec/stablehlo/tree.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::stablehlo {
namespace {

Attribute* SymbolName(Program& program, absl::string_view name) {
  Attribute* attribute = program.NewAttribute(AttributeKind::kString);
  attribute->text = program.Intern(name);
  return attribute;
}

// A module with an empty block.
Program& WithModule(Program& program) {
  program.module = program.NewOperation("builtin.module");
  program.module->regions.resize(1);
  Block* block = program.NewBlock();
  block->parent = program.module;
  program.module->regions[0].blocks.push_back(block);
  return program;
}

Operation* AddTo(Block* block, Operation* op) {
  op->parent = block;
  block->operations.push_back(op);
  return op;
}

Operation* AddFunction(Program& program, absl::string_view name) {
  Operation* function = program.NewOperation("func.func");
  function->attributes.push_back({"sym_name", SymbolName(program, name)});
  function->regions.resize(1);
  Block* block = program.NewBlock();
  block->parent = function;
  function->regions[0].blocks.push_back(block);
  return AddTo(program.module->regions[0].blocks[0], function);
}

TEST(Types, EqualTypesHaveOneAddress) {
  Program program;
  const Type* scalar = program.Scalar(ElementType::kF32);
  EXPECT_EQ(scalar, program.Scalar(ElementType::kF32));
  EXPECT_NE(scalar, program.Scalar(ElementType::kF16));
  const Type* tensor = program.Tensor(ElementType::kF32, {2, kDynamic});
  EXPECT_EQ(tensor, program.Tensor(ElementType::kF32, {2, kDynamic}));
  EXPECT_NE(tensor, program.Tensor(ElementType::kF32, {kDynamic, 2}));
  EXPECT_EQ(tensor->types[0], scalar);
  EXPECT_EQ(tensor->element_type(), ElementType::kF32);

  Type bounded = *tensor;
  bounded.bounds = {kDynamic, 7};
  const Type* with_bounds = program.Intern(bounded);
  EXPECT_NE(with_bounds, tensor);
  EXPECT_EQ(with_bounds, program.Intern(bounded));
}

TEST(Types, StayWhereTheyAre) {
  Program program;
  const Type* first = program.Tensor(ElementType::kF32, {0});
  for (int64_t i = 1; i < 5000; ++i) {
    EXPECT_EQ(program.Tensor(ElementType::kF32, {i})->dimensions[0], i);
  }
  EXPECT_EQ(first, program.Tensor(ElementType::kF32, {0}));
}

TEST(Types, FunctionsKnowTheirInputs) {
  Program program;
  Type type;
  type.kind = TypeKind::kFunction;
  type.types = {program.Scalar(ElementType::kF32), program.Scalar(ElementType::kS32)};
  type.input_count = 1;
  const Type* function = program.Intern(type);
  EXPECT_THAT(function->inputs(), testing::ElementsAre(program.Scalar(ElementType::kF32)));
  EXPECT_THAT(function->results(), testing::ElementsAre(program.Scalar(ElementType::kS32)));
  type.input_count = 2;
  EXPECT_NE(function, program.Intern(type));
}

TEST(Types, EncodingsAreComparedByContent) {
  Program program;
  auto encoded = [&](absl::string_view name) {
    Attribute* dictionary = program.NewAttribute(AttributeKind::kDictionary);
    dictionary->fields.push_back({"x", SymbolName(program, name)});
    Type type = *program.Tensor(ElementType::kF32, {1});
    type.encoding = dictionary;
    return program.Intern(type);
  };
  EXPECT_EQ(encoded("a"), encoded("a"));
  EXPECT_NE(encoded("a"), encoded("b"));
}

// Two chains of 60 arrays that each name the one before twice: 2^60 paths.
TEST(Types, SharedEncodingsDoNotTakeForever) {
  Program program;
  auto chain = [&] {
    const Attribute* last = SymbolName(program, "end");
    for (int i = 0; i < 60; ++i) {
      Attribute* array = program.NewAttribute(AttributeKind::kArray);
      array->elements = {last, last};
      last = array;
    }
    Type type = *program.Tensor(ElementType::kF32, {1});
    type.encoding = last;
    return program.Intern(type);
  };
  EXPECT_NE(chain(), nullptr);
  EXPECT_EQ(chain()->dimensions[0], 1);
}

TEST(Texts, AreCopied) {
  Program program;
  std::string text = "hello";
  const absl::string_view kept = program.Intern(text);
  text[0] = 'j';
  EXPECT_EQ(kept, "hello");
  EXPECT_EQ(program.Intern(std::string(100000, 'x')).size(), 100000);
  EXPECT_EQ(program.Intern(""), "");
  EXPECT_EQ(kept, "hello");
}

TEST(Functions, AreFoundBySymbol) {
  Program program;
  EXPECT_EQ(program.FindFunction("main"), nullptr);
  WithModule(program);
  EXPECT_EQ(program.FindFunction("main"), nullptr);
  Operation* main = AddFunction(program, "main");
  EXPECT_EQ(program.FindFunction("main"), main);
  Operation* other = AddFunction(program, "other");
  EXPECT_EQ(program.FindFunction("other"), other);
  EXPECT_EQ(program.FindFunction("main"), main);
  EXPECT_EQ(program.FindFunction("third"), nullptr);
}

TEST(Descriptions, NamePositionOrNumber) {
  Program program;
  Operation* function = AddFunction(WithModule(program), "main");
  Block* body = function->regions[0].blocks[0];
  Operation* loop = AddTo(body, program.NewOperation("stablehlo.while"));
  loop->regions.resize(1);
  Block* inner = program.NewBlock();
  inner->parent = loop;
  loop->regions[0].blocks.push_back(inner);
  Operation* add = AddTo(inner, program.NewOperation("stablehlo.add"));
  Operation* last = AddTo(body, program.NewOperation("func.return"));

  EXPECT_EQ(function->Describe(), "func.func @main");
  EXPECT_EQ(loop->Describe(), "stablehlo.while, operation 1 of @main");
  EXPECT_EQ(add->Describe(), "stablehlo.add, operation 2 of @main");
  EXPECT_EQ(last->Describe(), "func.return, operation 3 of @main");
  EXPECT_EQ(program.module->Describe(), "builtin.module");

  Location* file = program.NewLocation(Location::Kind::kFile);
  file->text = "model.py";
  file->line = 3;
  file->column = 9;
  Location* name = program.NewLocation(Location::Kind::kName);
  name->children = {file};
  add->location = name;
  EXPECT_EQ(add->Describe(), "stablehlo.add, operation 2 of @main (model.py:3:9)");
  add->position = {7, 12};
  EXPECT_EQ(add->Describe(), "stablehlo.add at 7:12");
}

TEST(Operations, FindTheirAttributes) {
  Program program;
  Operation* op = program.NewOperation("stablehlo.iota");
  Attribute* value = program.NewAttribute(AttributeKind::kInteger);
  op->attributes.push_back({"iota_dimension", value});
  EXPECT_EQ(op->Find("iota_dimension"), value);
  EXPECT_EQ(op->Find("dimension"), nullptr);
}

}  // namespace
}  // namespace assay::stablehlo
