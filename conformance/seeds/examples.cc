#include "conformance/seeds/examples.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "interpreter/interpreter.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

class Example : public testing::Test {
 public:
  explicit Example(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

std::unique_ptr<Module> MustBuild(Builder& builder, Op root) {
  absl::StatusOr<std::unique_ptr<Module>> module = builder.Build(root);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

}  // namespace

bool RegisterExample(absl::string_view documents, const std::string& name, const char* file,
                     int line, std::function<void()> body) {
  for (absl::string_view document : absl::StrSplit(documents, ' ')) {
    testing::RegisterTest(absl::StrCat("Seed", document).c_str(), name.c_str(), nullptr, nullptr,
                          file, line, [=]() -> testing::Test* { return new Example(body); });
  }
  return true;
}

namespace {

// The parts between commas outside all brackets.
std::vector<absl::string_view> SplitElements(absl::string_view text) {
  std::vector<absl::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(absl::StripAsciiWhitespace(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (absl::StrContains("([{", text[i])) {
      ++depth;
    } else if (absl::StrContains(")]}", text[i])) {
      --depth;
    }
  }
  return parts;
}

}  // namespace

Literal Value(absl::string_view text) {
  if (text == "token") return Literal::Token();
  if (text.front() == '(') {
    std::vector<Literal> elements;
    for (absl::string_view part : SplitElements(text.substr(1, text.size() - 2))) {
      elements.push_back(Value(part));
    }
    return Literal::Tuple(std::move(elements));
  }
  const size_t space = text.find(' ');
  absl::StatusOr<Literal> literal =
      ParseLiteral(text.substr(space + 1), ShapeFrom(text.substr(0, space)));
  EXPECT_TRUE(literal.ok()) << text << ": " << literal.status();
  return literal.ok() ? *std::move(literal) : Literal::Zeros(Shape(kF32, {}));
}

Op In(Builder* builder, absl::string_view text) { return Constant(builder, Value(text)); }

Shape ShapeFrom(absl::string_view text) {
  absl::StatusOr<Shape> shape = ParseShape(text);
  EXPECT_TRUE(shape.ok()) << shape.status();
  return shape.ok() ? *std::move(shape) : Shape();
}
Op Given(Builder* builder, int64_t number, absl::Span<const int64_t> sizes, ElementType type) {
  return Parameter(builder, number, Shape(type, sizes), absl::StrCat("p", number));
}

Callee ScalarCallee(std::string name, ElementType type, BinaryOperation function) {
  Builder builder(std::move(name));
  const Op a = Parameter(&builder, 0, Shape::Scalar(type), "a");
  const Op b = Parameter(&builder, 1, Shape::Scalar(type), "b");
  return builder.BuildCallee(function(a, b, {}, CallSite::Current()));
}

Literal RunResult(Builder& builder, Op root, const std::vector<Literal>& arguments) {
  const std::unique_ptr<Module> module = MustBuild(builder, root);
  if (module == nullptr) return Literal::Token();
  absl::StatusOr<Literal> result = Interpret(*module, arguments);
  EXPECT_TRUE(result.ok()) << result.status() << "\n" << PrintModule(*module);
  return result.ok() ? *std::move(result) : Literal::Token();
}

void ExpectResult(Builder& builder, Op root, absl::string_view expected,
                  const std::vector<Literal>& arguments) {
  const Literal result = RunResult(builder, root, arguments);
  EXPECT_EQ(PrintTypedLiteral(result), PrintTypedLiteral(Value(expected)));
}

std::unique_ptr<Module> ExpectBuilds(Builder& builder, Op root, absl::string_view shape,
                                     const std::vector<std::string>& parts) {
  std::unique_ptr<Module> module = MustBuild(builder, root);
  if (module == nullptr) return nullptr;
  EXPECT_EQ(module->entry()->root()->shape().ToString(), ShapeFrom(shape).ToString());
  const std::string text = PrintModule(*module);
  for (const std::string& part : parts) EXPECT_THAT(text, testing::HasSubstr(part));
  // What was built is a module for others too: its text reads back.
  EXPECT_TRUE(ParseModule(text).ok()) << ParseModule(text).status();
  return module;
}

namespace {

using DeviceValues = std::vector<std::vector<Literal>>;

absl::StatusOr<DeviceValues> RunAll(const std::vector<DeviceRun>& programs,
                                    const RunOptions& options,
                                    const runtime::CustomCallRegistry* custom_calls) {
  std::vector<std::unique_ptr<PlannedModule>> planned;
  std::vector<Program> all;
  for (const DeviceRun& run : programs) {
    if (run.module == nullptr) return absl::InvalidArgumentError("a module was not built");
    PlanOptions plan;
    plan.custom_calls = custom_calls;
    absl::StatusOr<std::unique_ptr<PlannedModule>> module =
        PlannedModule::Create(*run.module, plan);
    if (!module.ok()) return module.status();
    planned.push_back(*std::move(module));
    Program& program = all.emplace_back();
    program.module = planned.back().get();
    program.grid = run.grid;
    program.arguments = run.arguments;
    if (program.arguments.empty()) program.arguments.resize(run.grid.count());
  }
  return RunPrograms(all, options);
}

}  // namespace

absl::Status RunTogether(const std::vector<DeviceRun>& programs, const RunOptions& options) {
  return RunAll(programs, options, nullptr).status();
}

void ExpectTogether(std::vector<DeviceRun> programs, const RunOptions& options,
                    const runtime::CustomCallRegistry* custom_calls) {
  const absl::StatusOr<DeviceValues> results = RunAll(programs, options, custom_calls);
  ASSERT_TRUE(results.ok()) << results.status();
  for (size_t i = 0; i < programs.size(); ++i) {
    const std::vector<Literal>& given = (*results)[i];
    ASSERT_EQ(given.size(), programs[i].expected.size());
    for (size_t device = 0; device < given.size(); ++device) {
      EXPECT_EQ(PrintTypedLiteral(given[device]), PrintTypedLiteral(programs[i].expected[device]))
          << "device " << device << " of program " << i;
    }
  }
}

void ExpectOnReplicas(std::unique_ptr<Module> module, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& expected) {
  DeviceRun run;
  run.module = std::move(module);
  run.grid.replicas = static_cast<int64_t>(expected.size());
  for (const std::string& argument : arguments) run.arguments.push_back({Value(argument)});
  for (const std::string& value : expected) run.expected.push_back(Value(value));
  std::vector<DeviceRun> programs;
  programs.push_back(std::move(run));
  ExpectTogether(std::move(programs));
}

Literal Filled(absl::string_view text, const std::function<double(int64_t)>& f) {
  Literal literal = Literal::Zeros(ShapeFrom(text));
  const ElementType type = literal.element_type();
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const double value = f(i);
    literal.Set(i, {IsFloat(type)
                        ? EncodeFloat(type, value)
                        : EncodeInteger(type, static_cast<uint64_t>(static_cast<int64_t>(value)))});
  }
  return literal;
}

void ExpectRefused(Builder& builder, Op root, absl::string_view part) {
  const absl::StatusOr<std::unique_ptr<Module>> module = builder.Build(root);
  ASSERT_FALSE(module.ok());
  EXPECT_THAT(std::string(module.status().message()), testing::HasSubstr(std::string(part)));
}

}  // namespace assay::conformance
