#include "spec/stablehlo/bytecode.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/bytecode_example.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

std::unique_ptr<Program> Parsed(absl::string_view bytes) {
  absl::StatusOr<std::unique_ptr<Program>> program = ParseBytecode(bytes, "file");
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : nullptr;
}

// What both examples say.
void ExpectExample(const Program& program) {
  const Operation* main = program.FindFunction("main");
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(main->row(), FindDialectOp("func.func"));
  // Defaults are left away: no visibility, no attributes of arguments and results.
  EXPECT_EQ(main->attributes().size(), 2);
  const Type* tensor = main->Find("function_type")->type->inputs()[0];
  EXPECT_EQ(tensor->dimensions, std::vector<int64_t>{2});
  EXPECT_EQ(tensor->element_type(), ElementType::kF32);
  EXPECT_EQ(main->Find("function_type")->type->results()[0], tensor);

  const Block& body = *main->regions()[0].blocks()[0];
  ASSERT_EQ(body.operations.size(), 3);
  const Operation &constant = *body.operations[0], &add = *body.operations[1],
                  &last = *body.operations[2];
  EXPECT_EQ(constant.name(), "stablehlo.constant");
  const Attribute* value = constant.Find("value");
  ASSERT_EQ(value->kind, AttributeKind::kDense);
  EXPECT_EQ(value->type, tensor);
  const float numbers[] = {1, 2};
  ASSERT_EQ(value->byte_count, 8);
  EXPECT_EQ(std::memcmp(value->bytes.get(), numbers, 8), 0);

  EXPECT_EQ(add.name(), "stablehlo.add");
  EXPECT_THAT(add.operands(), testing::ElementsAre(body.arguments[0], constant.results()[0]));
  EXPECT_EQ(add.results()[0]->type(), tensor);
  EXPECT_EQ(last.name(), "func.return");
  EXPECT_EQ(last.row(), FindDialectOp("func.return"));
  EXPECT_THAT(last.operands(), testing::ElementsAre(add.results()[0]));
}

TEST(Example, OfToday) {
  const std::unique_ptr<Program> program = Parsed(ExampleArtifact());
  ASSERT_NE(program, nullptr);
  ExpectExample(*program);
  const Operation* add = program->FindFunction("main")->regions()[0].blocks()[0]->operations[1];
  EXPECT_EQ(add->location->kind, Location::Kind::kFile);
  EXPECT_EQ(add->Describe(), "stablehlo.add, operation 2 of @main (-:3:8)");
}

TEST(Example, OfTheFirstVersion) {
  const std::unique_ptr<Program> program = Parsed(OldExampleArtifact());
  ASSERT_NE(program, nullptr);
  ExpectExample(*program);
}

TEST(Example, WithItsStorage) {
  auto bytes = std::make_shared<const std::string>(ExampleArtifact());
  absl::StatusOr<std::unique_ptr<Program>> program = ParseBytecode(*bytes, "file", bytes);
  ASSERT_TRUE(program.ok()) << program.status();
  bytes.reset();
  ExpectExample(**program);
}

// The text needs nothing of the bytes that were read.
TEST(Example, OutlivesItsBytes) {
  std::string bytes = ExampleArtifact();
  const std::unique_ptr<Program> program = Parsed(bytes);
  ASSERT_NE(program, nullptr);
  std::fill(bytes.begin(), bytes.end(), 'x');
  ExpectExample(*program);
  EXPECT_EQ(PrintText(*program, PrintForm::kPretty),
            "module {\n"
            "  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n"
            "    %0 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>\n"
            "    %1 = stablehlo.add %arg0, %0 : tensor<2xf32>\n"
            "    return %1 : tensor<2xf32>\n"
            "  }\n"
            "}\n");
}

TEST(Header, IsRecognised) {
  EXPECT_TRUE(LooksLikeBytecode(ExampleArtifact()));
  EXPECT_FALSE(LooksLikeBytecode("module {}"));
  EXPECT_FALSE(LooksLikeBytecode("ML"));
  EXPECT_EQ(ArtifactVersion(ExampleArtifact()), (Version{1, 17, 0}));
  EXPECT_EQ(ArtifactVersion(OldExampleArtifact()), (Version{0, 9, 0}));
  EXPECT_EQ(ArtifactVersion("module {}"), std::nullopt);
  EXPECT_EQ(ArtifactVersion(absl::string_view("ML\xefR\x0dMLIR23\0", 12)), std::nullopt);
}

}  // namespace
}  // namespace assay::stablehlo
