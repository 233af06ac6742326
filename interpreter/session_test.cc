// Sessions: bindings from the module, state from run to run, what is refused, and that a run that
// fails changes nothing. Expected values are worked out by hand.
#include "interpreter/session.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/testing.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// w and n are kept; x is given; the result is (w + x, n + 1, w * x).
constexpr absl::string_view kStep = R"(
HloModule step, input_output_alias={{0}: (0, {}, may-alias), {1}: (2, {}, must-alias)}
ENTRY e { w = f32[2] parameter(0), frontend_attributes={tensor="variable",tensor_name="weights"}
  x = f32[2] parameter(1)
  n = s32[] parameter(2)
  s = f32[2] add(w, x)  one = s32[] constant(1)  m = s32[] add(n, one)  p = f32[2] multiply(w, x)
  ROOT r = (f32[2], s32[], f32[2]) tuple(s, m, p) })";

// The message of what must be an error, with its code in front.
std::string Error(const absl::Status& status) {
  EXPECT_FALSE(status.ok());
  return status.ToString();
}

std::string TextOf(const absl::StatusOr<Literal>& value) {
  return value.ok() ? PrintTypedLiteral(*value) : value.status().ToString();
}

struct Bound {
  std::unique_ptr<Module> module;
  std::unique_ptr<const BoundModule> bound;
};
Bound BindText(Session& session, absl::string_view text, Session::Evaluator evaluate = nullptr) {
  Bound result;
  result.module = MustParse(text);
  absl::StatusOr<std::vector<Binding>> bindings = BindingsOf(*result.module);
  EXPECT_TRUE(bindings.ok()) << bindings.status();
  absl::StatusOr<std::unique_ptr<const BoundModule>> bound =
      session.Bind(*result.module, *bindings, std::move(evaluate));
  EXPECT_TRUE(bound.ok()) << bound.status();
  if (bound.ok()) result.bound = *std::move(bound);
  return result;
}

TEST(SessionBindings, AreWhatTheModuleSays) {
  const std::unique_ptr<Module> module = MustParse(R"(
HloModule m, input_output_alias={{1}: (1, {1}), {2}: (2, {})}
ENTRY e { c = f32[] parameter(0), frontend_attributes={tensor="constant"}
  t = (f32[2], f32[], token[]) parameter(1)
  lent = f32[] parameter(2), frontend_attributes={tensor="input"}
  v = (f32[], f32[]) parameter(3), frontend_attributes={tensor="variable",tensor_name="v.1",tensor_output="out2"}
  a = f32[] get-tuple-element(v), index=0  b = f32[2] get-tuple-element(t), index=0
  ROOT r = (f32[2], f32[], f32[], f32[]) tuple(b, c, a, lent) })");
  if (module == nullptr) return;
  absl::StatusOr<std::vector<Binding>> bindings = BindingsOf(*module);
  ASSERT_TRUE(bindings.ok()) << bindings.status();
  std::vector<std::string> lines;
  for (const Binding& binding : *bindings) {
    lines.push_back(absl::StrCat(binding.argument, " ", binding.tensor, " ", Name(binding.kind),
                                 " ", binding.output));
  }
  EXPECT_THAT(lines, ElementsAre("0 c constant -1", "1 t#0 input -1", "2 t#1 persistent 1",
                                 "3 lent input -1", "4 v.1#0 variable 2", "5 v.1#1 variable 3"));
}

TEST(SessionBindings, WrongMarksAreErrors) {
  const auto error = [](absl::string_view attributes) {
    const std::unique_ptr<Module> module = MustParse(absl::StrCat(
        "ENTRY e { ROOT p = f32[] parameter(0), frontend_attributes={", attributes, "} }"));
    return Error(BindingsOf(*module).status());
  };
  EXPECT_THAT(error("tensor=\"trainable\""), HasSubstr("none of constant, input"));
  EXPECT_THAT(error("tensor=\"variable\",tensor_output=\"0\""), HasSubstr("is not out0"));
  EXPECT_THAT(error("tensor=\"variable\",tensor_output=\"out-1\""), HasSubstr("is not out0"));
}

TEST(Session, KeepsValuesFromRunToRun) {
  Session session;
  const Bound step = BindText(session, kStep);
  ASSERT_NE(step.bound, nullptr);
  EXPECT_THAT(session.tensors(), ElementsAre("n", "weights"));
  EXPECT_THAT(session.variables(), ElementsAre("weights"));
  ASSERT_TRUE(session.Set("weights", MustParseLiteral("f32[2]{0} {1, 2}")).ok());
  ASSERT_TRUE(session.Set("n", MustParseLiteral("s32[] 5")).ok());
  const std::map<std::string, Literal> inputs = {{"x", MustParseLiteral("f32[2]{0} {10, 0.5}")}};
  EXPECT_EQ(TextOf(session.Run(*step.bound, inputs)),
            "( f32[2]{0} {11, 2.5}, s32[] 6, f32[2]{0} {10, 1} )");
  EXPECT_EQ(TextOf(session.Run(*step.bound, inputs)),
            "( f32[2]{0} {21, 3}, s32[] 7, f32[2]{0} {110, 1.25} )");
  EXPECT_EQ(TextOf(session.Get("weights")), "f32[2]{0} {21, 3}");
  EXPECT_EQ(TextOf(session.Get("n")), "s32[] 7");
  EXPECT_EQ(session.step(), 2);
}

// A second module works on the same tensors: one trains, one looks.
TEST(Session, ModulesShareTensors) {
  Session session;
  const Bound step = BindText(session, kStep);
  const Bound look = BindText(session, R"(
ENTRY e { w = f32[2] parameter(0), frontend_attributes={tensor="variable",tensor_name="weights"}
  ROOT n = f32[2] negate(w) })");
  ASSERT_TRUE(session.Set("weights", MustParseLiteral("f32[2]{0} {1, 2}")).ok());
  ASSERT_TRUE(session.Set("n", MustParseLiteral("s32[] 0")).ok());
  ASSERT_TRUE(session.Run(*step.bound, {{"x", MustParseLiteral("f32[2]{0} {1, 1}")}}).ok());
  EXPECT_EQ(TextOf(session.Run(*look.bound, {})), "f32[2]{0} {-2, -3}");
  const std::unique_ptr<Module> other = MustParse(
      "ENTRY e { w = f32[3] parameter(0), frontend_attributes={tensor_name=\"weights\"} "
      "ROOT n = f32[3] negate(w) }");
  EXPECT_THAT(Error(session.Bind(*other, *BindingsOf(*other)).status()),
              HasSubstr("is a variable f32[2] already, not a input f32[3]"));
}

TEST(Session, RefusesToReadWhatWasNeverWritten) {
  Session session;
  const Bound step = BindText(session, kStep);
  const std::map<std::string, Literal> inputs = {{"x", MustParseLiteral("f32[2]{0} {1, 1}")}};
  EXPECT_THAT(Error(session.Get("weights").status()),
              HasSubstr("FAILED_PRECONDITION: the tensor weights was never written"));
  ASSERT_TRUE(session.Set("n", MustParseLiteral("s32[] 0")).ok());
  EXPECT_THAT(Error(session.Run(*step.bound, inputs).status()),
              HasSubstr("FAILED_PRECONDITION: tensors are read that were never written: weights"));
  EXPECT_EQ(session.step(), 0);
  EXPECT_EQ(TextOf(session.Get("n")), "s32[] 0");
}

TEST(Session, WantsItsInputsAndNoOthers) {
  Session session;
  const Bound step = BindText(session, kStep);
  ASSERT_TRUE(session.Set("weights", MustParseLiteral("f32[2]{0} {1, 2}")).ok());
  ASSERT_TRUE(session.Set("n", MustParseLiteral("s32[] 0")).ok());
  const Literal x = MustParseLiteral("f32[2]{0} {1, 1}");
  EXPECT_THAT(Error(session.Run(*step.bound, {}).status()), HasSubstr("inputs are missing: x"));
  EXPECT_THAT(Error(session.Run(*step.bound, {{"x", x}, {"weights", x}}).status()),
              HasSubstr("weights is not an input"));
  EXPECT_THAT(Error(session.Run(*step.bound, {{"x", x}, {"y", x}}).status()),
              HasSubstr("y is not an input"));
  EXPECT_THAT(
      Error(session.Run(*step.bound, {{"x", MustParseLiteral("f32[3]{0} {1, 1, 1}")}}).status()),
      HasSubstr("the tensor x is f32[2], the value given is f32[3]"));
  EXPECT_THAT(Error(session.Set("x", x)), HasSubstr("is an input"));
}

// ng.placeholder of the document "Tensors" is an input that is persistent.
TEST(Session, PlaceholdersKeepWhatTheyWereGivenLast) {
  Session session;
  const Bound step = BindText(session, R"(
ENTRY e { x = f32[] parameter(0), frontend_attributes={tensor="placeholder"}
  y = f32[] parameter(1)
  ROOT r = f32[] divide(x, y) })");
  ASSERT_NE(step.bound, nullptr);
  const Literal six = MustParseLiteral("f32[] 6"), two = MustParseLiteral("f32[] 2");
  EXPECT_THAT(Error(session.Run(*step.bound, {{"y", two}}).status()),
              HasSubstr("INVALID_ARGUMENT: inputs are missing: x"));
  EXPECT_EQ(TextOf(session.Run(*step.bound, {{"x", six}, {"y", two}})), "f32[] 3");
  EXPECT_EQ(TextOf(session.Run(*step.bound, {{"y", six}})), "f32[] 1");
  EXPECT_EQ(TextOf(session.Get("x")), "f32[] 6");
  EXPECT_THAT(session.tensors(), ElementsAre("x"));
  // A run that fails keeps nothing of what it was given.
  EXPECT_FALSE(session.Run(*step.bound, {{"x", two}}).ok());
  EXPECT_EQ(TextOf(session.Get("x")), "f32[] 6");
  ASSERT_TRUE(session.Set("x", two).ok());
  EXPECT_EQ(TextOf(session.Run(*step.bound, {{"y", two}})), "f32[] 1");
}

TEST(Session, ConstantsAreWrittenOnce) {
  Session session;
  const Literal one = MustParseLiteral("f32[] 1");
  ASSERT_TRUE(session.Declare("c", TensorKind::kConstant, one.shape()).ok());
  ASSERT_TRUE(session.Set("c", one).ok());
  EXPECT_THAT(Error(session.Set("c", one)), HasSubstr("is a constant and has its value"));
  EXPECT_THAT(Error(session.Set("d", one)), HasSubstr("NOT_FOUND"));
  EXPECT_THAT(Error(session.Declare("t", TensorKind::kConstant, Shape::Token())),
              HasSubstr("is not an array"));
}

TEST(Session, ChecksBindings) {
  const std::unique_ptr<Module> module = MustParse(kStep);
  const std::vector<Binding> good = *BindingsOf(*module);
  const auto error = [&](auto change) {
    std::vector<Binding> bindings = good;
    change(bindings);
    Session session;
    const absl::Status status = session.Bind(*module, bindings).status();
    EXPECT_TRUE(session.tensors().empty());
    return Error(status);
  };
  EXPECT_THAT(error([](auto& b) { b[0].output = 1; }), HasSubstr("arg0 (tensor weights) is f32[2], "
                                                                 "out1 is s32[]"));
  EXPECT_THAT(error([](auto& b) { b[0].output = 3; }), HasSubstr("there is no out3"));
  EXPECT_THAT(error([](auto& b) { b[1].output = 2; }), HasSubstr("of kind input and cannot take"));
  EXPECT_THAT(error([](auto& b) { b[0].kind = TensorKind::kConstant; }),
              HasSubstr("of kind constant and cannot take"));
  EXPECT_THAT(error([](auto& b) { b[1].tensor = "n"; }), HasSubstr("another array is that tensor"));
  EXPECT_THAT(error([](auto& b) {
                b[1].kind = TensorKind::kPersistent;
                b[1].output = 0;
              }),
              HasSubstr("out0 is bound to another tensor already"));
  EXPECT_THAT(error([](auto& b) { b.pop_back(); }), HasSubstr("takes 3 arrays, 2 are bound"));
  EXPECT_THAT(error([](auto& b) { std::swap(b[0], b[1]); }), HasSubstr("is bound as arg1"));
}

// Modules that were built by hand are not verified before they are bound.
TEST(Session, RefusesModulesWithoutEntryOrParameter) {
  Session session;
  const Module empty("empty");
  EXPECT_THAT(Error(BindingsOf(empty).status()), HasSubstr("module empty has no entry"));
  EXPECT_THAT(Error(session.Bind(empty, {}).status()), HasSubstr("module empty has no entry"));
  Module gap("gap");
  Computation* entry = gap.Add(std::make_unique<Computation>("e"));
  auto second = std::make_unique<Instruction>(Opcode::kParameter, Shape(ElementType::kF32, {3}));
  second->set_parameter_number(1);
  entry->Add(std::move(second));
  entry->Add(std::make_unique<Instruction>(Opcode::kPartitionId, Shape::Scalar(ElementType::kU32)));
  gap.set_entry(entry);
  EXPECT_THAT(Error(BindingsOf(gap).status()), HasSubstr("computation e has no parameter 0"));
  EXPECT_THAT(Error(session.Bind(gap, {}).status()), HasSubstr("e has no parameter 0"));
}

TEST(Session, InitialisersSetAllOrNothing) {
  Session session;
  BindText(session, kStep);
  const std::unique_ptr<Module> initialiser = MustParse(
      "ENTRY e { n = s32[] constant(3) w = f32[2] constant({4, 5}) ROOT t = tuple(n, w) }");
  EXPECT_THAT(Error(session.Initialise(*initialiser, {"n"})), HasSubstr("2 arrays for 1 tensors"));
  EXPECT_THAT(Error(session.Initialise(*initialiser, {"n", "n"})), HasSubstr("is s32[]"));
  EXPECT_FALSE(session.IsWritten("n"));
  ASSERT_TRUE(session.Initialise(*initialiser, {"n", "weights"}).ok());
  EXPECT_EQ(TextOf(session.Get("n")), "s32[] 3");
  EXPECT_EQ(TextOf(session.Get("weights")), "f32[2]{0} {4, 5}");
}

// Whatever goes wrong, tensors and the number of steps are as before.
TEST(Session, AFailedRunChangesNothing) {
  Session session;
  std::vector<absl::StatusOr<Literal>> answers;
  const Bound step = BindText(session, kStep, [&](absl::Span<const Literal>) {
    absl::StatusOr<Literal> answer = std::move(answers.back());
    answers.pop_back();
    return answer;
  });
  ASSERT_NE(step.bound, nullptr);
  ASSERT_TRUE(session.Set("weights", MustParseLiteral("f32[2]{0} {1, 2}")).ok());
  ASSERT_TRUE(session.Set("n", MustParseLiteral("s32[] 0")).ok());
  answers.push_back(absl::ResourceExhaustedError("the budget is spent"));
  // The second bound array is missing, then of another shape.
  answers.push_back(MustParseLiteral("(f32[2]{0} {7, 7})"));
  answers.push_back(MustParseLiteral("(f32[2]{0} {7, 7}, s32[1]{0} {1}, f32[2]{0} {0, 0})"));
  const std::map<std::string, Literal> inputs = {{"x", MustParseLiteral("f32[2]{0} {1, 1}")}};
  for (const char* word : {"out1", "out1", "the budget is spent"}) {
    EXPECT_THAT(Error(session.Run(*step.bound, inputs).status()), HasSubstr(word));
    EXPECT_EQ(TextOf(session.Get("weights")), "f32[2]{0} {1, 2}");
    EXPECT_EQ(TextOf(session.Get("n")), "s32[] 0");
    EXPECT_EQ(session.step(), 0);
  }
}

TEST(Session, TuplesAndTokensAreParameters) {
  Session session;
  const Bound bound = BindText(session, R"(
HloModule m, input_output_alias={{}: (0, {1})}
ENTRY e { t = (token[], f32[], (f32[])) parameter(0)
  a = f32[] get-tuple-element(t), index=1
  u = (f32[]) get-tuple-element(t), index=2
  b = f32[] get-tuple-element(u), index=0
  ROOT s = f32[] add(a, b) })");
  ASSERT_NE(bound.bound, nullptr);
  ASSERT_TRUE(session.Set("t#1", MustParseLiteral("f32[] 1")).ok());
  const std::map<std::string, Literal> inputs = {{"t#2#0", MustParseLiteral("f32[] 0.25")}};
  EXPECT_EQ(TextOf(session.Run(*bound.bound, inputs)), "f32[] 1.25");
  EXPECT_EQ(TextOf(session.Run(*bound.bound, inputs)), "f32[] 1.5");
}

}  // namespace
}  // namespace assay
