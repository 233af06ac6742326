#include "spec/stablehlo/tree.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::stablehlo {
namespace {

Attribute* SymbolName(Program& program, absl::string_view name) {
  Attribute* attribute = program.NewAttribute(AttributeKind::kString);
  attribute->text = program.Intern(name);
  return attribute;
}

// An operation with so many regions of one block each.
Operation* Make(Program& program, absl::string_view name, size_t regions = 0,
                const AttributeSet* attributes = nullptr) {
  OperationParts parts;
  parts.name = program.NameOf(name);
  parts.regions = regions;
  parts.attributes = attributes;
  Operation* op = program.NewOperation(parts);
  for (size_t i = 0; i < regions; ++i) program.SetBlocks(op, i, {program.NewBlock()});
  return op;
}

// A module with an empty block.
Program& WithModule(Program& program) {
  program.module = Make(program, "builtin.module", 1);
  return program;
}

Operation* AddTo(Program& program, Block* block, Operation* op) {
  program.Append(block, op);
  return op;
}

Operation* AddFunction(Program& program, absl::string_view name) {
  Operation* function = Make(program, "func.func", 1,
                             program.NewAttributes({{"sym_name", SymbolName(program, name)}}));
  return AddTo(program, program.module->regions()[0].blocks()[0], function);
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
  Block* body = function->regions()[0].blocks()[0];
  Operation* loop = AddTo(program, body, Make(program, "stablehlo.while", 1));
  Block* inner = loop->regions()[0].blocks()[0];
  Operation* add = AddTo(program, inner, Make(program, "stablehlo.add"));
  Operation* last = AddTo(program, body, Make(program, "func.return"));

  // A region whose second block has not been read yet, as where a file breaks off.
  OperationParts parts_of_open;
  parts_of_open.name = program.NameOf("other.open");
  parts_of_open.regions = 1;
  Operation* open = AddTo(program, body, program.NewOperation(parts_of_open));
  program.SetBlockCount(open, 0, 2);
  Operation* behind = AddTo(program, body, Make(program, "other.behind"));
  EXPECT_EQ(behind->Describe(), "other.behind, operation 5 of @main");

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
  OperationParts parts;
  parts.name = program.NameOf("stablehlo.add");
  parts.position = {7, 12};
  EXPECT_EQ(program.NewOperation(parts)->Describe(), "stablehlo.add at 7:12");
}

TEST(Operations, FindTheirAttributes) {
  Program program;
  EXPECT_EQ(Make(program, "stablehlo.iota")->Find("iota_dimension"), nullptr);
  Attribute* value = program.NewAttribute(AttributeKind::kInteger);
  Operation* op =
      Make(program, "stablehlo.iota", 0, program.NewAttributes({{"iota_dimension", value}}));
  EXPECT_EQ(op->Find("iota_dimension"), value);
  EXPECT_EQ(op->Find("dimension"), nullptr);
}

// Every number of operands, results and regions, with and without a position: each part is where it
// was put, and operations do not overlap.
TEST(Operations, KeepTheirParts) {
  Program program;
  const Type* const types[] = {program.Tensor(ElementType::kF32, {2}),
                               program.Scalar(ElementType::kS32)};
  Block* block = program.NewBlock();
  Block* other = program.NewBlock();
  program.SetArguments(block, {types[0], types[1], types[0]});
  std::vector<Value*> values(block->arguments.begin(), block->arguments.end());
  std::vector<Operation*> made;
  for (size_t variant = 0; variant < 4 * 4 * 4 * 2; ++variant) {
    OperationParts parts;
    parts.name = program.NameOf("stablehlo.custom_call");
    parts.operands =
        absl::MakeConstSpan(values).last(variant % 4 < 3 ? variant % 4 : 100 % values.size());
    std::vector<const Type*> results;
    for (size_t i = 0; i < variant / 4 % 4; ++i) results.push_back(types[(variant + i) % 2]);
    parts.results = results;
    parts.regions = variant / 16 % 4;
    if (variant >= 64) parts.position = {static_cast<int32_t>(variant), 2};
    Operation* op = program.NewOperation(parts);
    for (size_t i = 0; i < parts.regions; ++i) program.SetBlocks(op, i, {block, other});
    made.push_back(op);
    for (Value* result : op->results()) values.push_back(result);
  }
  size_t next = 3;
  for (size_t variant = 0; variant < made.size(); ++variant) {
    const Operation& op = *made[variant];
    const size_t known = next;
    ASSERT_EQ(op.results().size(), variant / 4 % 4);
    for (size_t i = 0; i < op.results().size(); ++i, ++next) {
      ASSERT_EQ(op.result(i), values[next]);
      ASSERT_EQ(values[next]->definition(), &op);
      ASSERT_EQ(values[next]->index(), i);
      ASSERT_EQ(values[next]->block(), nullptr);
      ASSERT_EQ(values[next]->type(), types[(variant + i) % 2]);
    }
    const size_t operands = variant % 4 < 3 ? variant % 4 : 100 % known;
    ASSERT_EQ(op.operands().size(), operands);
    for (size_t i = 0; i < operands; ++i) ASSERT_EQ(op.operands()[i], values[known - operands + i]);
    ASSERT_EQ(op.regions().size(), variant / 16 % 4);
    for (const Region& region : op.regions()) {
      ASSERT_THAT(region.blocks(), testing::ElementsAre(block, other));
    }
    ASSERT_EQ(op.position().line, variant >= 64 ? variant : 0);
    ASSERT_EQ(op.name(), "stablehlo.custom_call");
  }
}

TEST(Values, KnowWhoseTheyAre) {
  Program program;
  Operation* loop = Make(program, "stablehlo.while", 1);
  Block* block = loop->regions()[0].blocks()[0];
  const Type* type = program.Scalar(ElementType::kF32);
  Location* location = program.NewLocation(Location::Kind::kName);
  const Type* other = program.Scalar(ElementType::kS8);
  program.SetArguments(block, {type, other}, {nullptr, location});
  const Value* second = block->arguments[1];
  EXPECT_EQ(second->block(), block);
  EXPECT_EQ(second->definition(), nullptr);
  EXPECT_EQ(second->index(), 1);
  EXPECT_EQ(block->arguments[0]->type(), type);
  EXPECT_EQ(second->type(), other);
  EXPECT_EQ(second->location(), location);
  EXPECT_EQ(block->arguments[0]->location(), nullptr);
  EXPECT_EQ(second->Describe(), "argument 1 of stablehlo.while");
}

// More than a page of 64 KiB in one piece, many pages, and programs that come and go.
TEST(Programs, OfManySizesShareTheRange) {
  for (const size_t operands : {0, 3, 50000, 1000000, 7}) {
    std::vector<std::unique_ptr<Program>> programs;
    for (size_t i = 0; i < 5; ++i) {
      Program& program = *programs.emplace_back(std::make_unique<Program>());
      Block* block = program.NewBlock();
      program.SetArguments(block, {program.Scalar(ElementType::kF32)});
      const std::vector<Value*> values(operands * (i + 1) / 2, block->arguments[0]);
      OperationParts parts;
      parts.name = program.NameOf("func.return");
      parts.operands = values;
      for (int j = 0; j < 3; ++j) AddTo(program, block, program.NewOperation(parts));
    }
    for (size_t i = 0; i < 5; ++i) {
      Program& program = *programs[i];
      Operation* op = Make(program, "other.operation");
      EXPECT_EQ(op->name(), "other.operation");
      EXPECT_EQ(op->row(), nullptr);
      EXPECT_EQ(program.NameOf("other.operation"), program.NameOf("other.operation"));
    }
    programs.erase(programs.begin() + 1);
    programs.erase(programs.begin() + 2);
  }
}

// More kinds of operations than are remembered, each of which is made, forgotten and made again.
TEST(Operations, HaveTheirKind) {
  Program program;
  constexpr int kKinds = 5000;
  std::vector<const OperationName*> names;
  for (int i = 0; i < kKinds; ++i) names.push_back(program.NameOf(absl::StrCat("other.op", i)));
  std::vector<const Operation*> made;
  for (int round = 0; round < 2; ++round) {
    for (const OperationName* name : names) {
      OperationParts parts;
      parts.name = name;
      made.push_back(program.NewOperation(parts));
    }
  }
  for (size_t i = 0; i < made.size(); ++i) EXPECT_EQ(made[i]->name(), names[i % kKinds]->text);
}

// An addition with its result and its operands takes 24 bytes.
TEST(Operations, AreSmall) {
  Program program;
  const Type* type = program.Scalar(ElementType::kF32);
  Block* block = program.NewBlock();
  program.SetArguments(block, {type});
  OperationParts parts;
  parts.name = program.NameOf("stablehlo.add");
  parts.results = {&type, 1};
  Value* last = block->arguments[0];
  const char* first = reinterpret_cast<const char*>(program.NewOperation(parts));
  for (int i = 0; i < 1000; ++i) {
    Value* const operands[] = {last, last};
    parts.operands = operands;
    last = program.NewOperation(parts)->result(0);
  }
  EXPECT_LE(reinterpret_cast<const char*>(last) - first, 1000 * 24 + 64);
}

}  // namespace
}  // namespace assay::stablehlo
