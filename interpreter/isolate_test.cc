// An instruction alone is a module that can be printed, read, checked and run, with the same value.
#include "spec/analysis/isolate.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "spec/ops/shape_inference.h"
#include "spec/testing/literals.h"
#include "spec/testing/must_parse.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::isolate_test {
namespace {

// Regions, a computation that two instructions call, and calls below calls.
constexpr char kLoop[] = R"(HloModule loop
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
greater {
  c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT g = pred[] compare(c, d), direction=GT
}
twice {
  t = f32[3] parameter(0)
  ROOT u = f32[3] add(t, t)
}
once_more {
  v = f32[3] parameter(0)
  w = f32[3] call(v), to_apply=twice
  ROOT z = f32[3] negate(w)
}
body {
  state = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  x = f32[3] get-tuple-element(state), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  zero = f32[] constant(0)
  sorted = f32[3] sort(x), dimensions={0}, to_apply=greater
  total = f32[] reduce(sorted, zero), dimensions={0}, to_apply=add
  spread = f32[3] broadcast(total), dimensions={}
  called = f32[3] call(sorted), to_apply=once_more
  y = f32[3] add(spread, called)
  ROOT out = (s32[], f32[3]) tuple(next, y)
}
condition {
  state = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  three = s32[] constant(3)
  ROOT more = pred[] compare(i, three), direction=LT
}
ENTRY main {
  start = s32[] constant(0)
  x = f32[3] parameter(0)
  init = (s32[], f32[3]) tuple(start, x)
  ROOT loop = (s32[], f32[3]) while(init), condition=condition, body=body
}
)";

// Every value of a run, with its operands, the first time.
class Recorder : public Observer {
 public:
  struct Turn {
    const Instruction* instruction;
    std::vector<Literal> operands;
    Literal value;
  };
  absl::Status After(const Instruction& instruction, int64_t, const Literal& value) override {
    const bool is_new = !values_.contains(&instruction);
    values_[&instruction] = value;
    if (!is_new) return absl::OkStatus();
    Turn turn{&instruction, {}, value};
    for (const Instruction* operand : instruction.operands()) {
      turn.operands.push_back(values_.at(operand));
    }
    turns_.push_back(std::move(turn));
    return absl::OkStatus();
  }
  const std::vector<Turn>& turns() const { return turns_; }

 private:
  absl::flat_hash_map<const Instruction*, Literal> values_;
  std::vector<Turn> turns_;
};

TEST(IsolateInstruction, EveryInstructionOfALoopRunsAlone) {
  const std::unique_ptr<Module> module = MustParse(kLoop);
  ASSERT_NE(module, nullptr);
  Recorder recorder;
  RunOptions options;
  options.observers.push_back(&recorder);
  ASSERT_TRUE(Interpret(*module, {F32({1, 3, 2})}, options).ok());
  std::vector<std::string> names;
  for (const Recorder::Turn& turn : recorder.turns()) {
    if (turn.instruction->opcode() == Opcode::kParameter) continue;
    SCOPED_TRACE(turn.instruction->Describe());
    names.push_back(turn.instruction->name());
    const std::unique_ptr<Module> alone = analysis::IsolateInstruction(*turn.instruction);
    EXPECT_TRUE(CheckModuleShapes(*alone).ok()) << CheckModuleShapes(*alone);
    EXPECT_EQ(alone->entry()->root()->opcode(), turn.instruction->opcode());
    for (const PrintOptions& print : {PrintOptions::Lossless(), PrintOptions::Default()}) {
      const std::unique_ptr<Module> read = MustParse(PrintModule(*alone, print));
      ASSERT_NE(read, nullptr);
      const auto value = Interpret(*read, turn.operands);
      ASSERT_TRUE(value.ok()) << value.status();
      EXPECT_TRUE(Literal::BitEqual(*value, turn.value));
    }
    const auto read = MustParse(PrintModule(*alone, PrintOptions::Lossless()));
    ASSERT_NE(read, nullptr);
    EXPECT_TRUE(CompareModules(*alone, *read).ok()) << CompareModules(*alone, *read);
  }
  EXPECT_THAT(names,
              testing::IsSupersetOf({"sorted", "total", "called", "w", "z", "y", "more", "loop"}));
}

TEST(IsolateInstruction, CopiesOnlyWhatIsCalled) {
  const std::unique_ptr<Module> module = MustParse(kLoop);
  ASSERT_NE(module, nullptr);
  const auto names = [&](const char* computation, const char* instruction) {
    const auto alone = analysis::IsolateInstruction(*module->Find(computation)->Find(instruction));
    std::vector<std::string> result;
    for (const auto& each : alone->computations()) result.push_back(each->name());
    return result;
  };
  EXPECT_THAT(names("body", "total"), testing::ElementsAre("add", "isolated"));
  EXPECT_THAT(names("body", "called"), testing::ElementsAre("twice", "once_more", "isolated"));
  EXPECT_THAT(names("body", "y"), testing::ElementsAre("isolated"));
  EXPECT_THAT(names("main", "loop"),
              testing::UnorderedElementsAre("greater", "add", "twice", "once_more", "body",
                                            "condition", "isolated"));
}

TEST(IsolateInstruction, OperandsBecomeParametersInOrder) {
  const std::unique_ptr<Module> module = MustParse(
      "HloModule m\nENTRY e {\n  p = f32[2]{0} parameter(0)\n"
      "  ROOT d = f32[2]{0} divide(p, p)\n}\n");
  ASSERT_NE(module, nullptr);
  const auto alone = analysis::IsolateInstruction(*module->entry()->root());
  const std::vector<Instruction*> parameters = alone->entry()->parameters();
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_THAT(alone->entry()->root()->operands(),
              testing::ElementsAre(parameters[0], parameters[1]));
  EXPECT_TRUE(parameters[1]->shape() == module->entry()->root()->shape());
  const auto value = Interpret(*alone, {F32({6, 8}), F32({2, 4})});
  ASSERT_TRUE(value.ok());
  EXPECT_TRUE(Literal::BitEqual(*value, F32({3, 2})));
}

// Which system is solved stands in the configuration alone.
TEST(IsolateInstruction, CallsKeepTheirConfiguration) {
  auto module = ParseModule(
      "HloModule m\nENTRY e {\n a = f32[2,2] parameter(0)\n b = f32[2,1] parameter(1)\n"
      " ROOT x = f32[2,1] custom-call(a, b), custom_call_target=\"lapack_strsm_ffi\", "
      "api_version=API_VERSION_TYPED_FFI, backend_config={trans_x = 84 : ui8}\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::unique_ptr<Module> alone = analysis::IsolateInstruction(*(*module)->entry()->root());
  EXPECT_EQ(alone->entry()->root()->annotations().backend_config, "{trans_x = 84 : ui8}");
}

// "isolated" is also the name that the entry gets.
TEST(IsolateInstruction, NamesOfTheModuleDoNotClash) {
  const std::unique_ptr<Module> module = MustParse(R"(HloModule m
isolated {
  operand_0 = f32[] parameter(0)
  ROOT n = f32[] negate(operand_0)
}
ENTRY e {
  p = f32[] parameter(0)
  ROOT operand_0.1 = f32[] call(p), to_apply=isolated
}
)");
  ASSERT_NE(module, nullptr);
  const auto alone = analysis::IsolateInstruction(*module->entry()->root());
  const auto read = MustParse(PrintModule(*alone, PrintOptions::Lossless()));
  ASSERT_NE(read, nullptr);
  EXPECT_TRUE(CompareModules(*alone, *read).ok()) << CompareModules(*alone, *read);
}

// Scalars are copied, what is taken twice is one parameter, and several results are a tuple.
TEST(IsolateGroup, IsAModule) {
  const std::unique_ptr<Module> module = MustParse(kLoop);
  ASSERT_NE(module, nullptr);
  const Computation& body = *module->Find("body");
  const auto group =
      analysis::IsolateGroup({body.Find("total"), body.Find("spread"), body.Find("y")},
                             {body.Find("total"), body.Find("y")});
  EXPECT_THAT(group.operands, testing::ElementsAre(body.Find("sorted"), body.Find("called")));
  const auto read = MustParse(PrintModule(*group.module, PrintOptions::Lossless()));
  ASSERT_NE(read, nullptr);
  EXPECT_TRUE(CompareModules(*group.module, *read).ok());
  const auto value = Interpret(*read, {F32({1, 2, 4}), F32({0.5, 1, 2})});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(PrintLiteral(value->element(0)), "7");
  EXPECT_TRUE(Literal::BitEqual(value->element(1), F32({7.5, 8, 9})));
  const auto twice =
      analysis::IsolateGroup({module->Find("twice")->root()}, {module->Find("twice")->root()});
  EXPECT_EQ(twice.operands.size(), 1u);
}

}  // namespace
}  // namespace assay::isolate_test
