// Control flow, slots and observers. Expected values are worked out by hand.
#include "interpreter/interpreter.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/testing.h"

namespace assay::interpreter_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Every module runs by kernels, by definitions, and with every instruction observed.
std::string RunEveryWay(absl::string_view module, const std::vector<absl::string_view>& arguments) {
  const std::string fast = RunText(module, arguments);
  PlanOptions straight;
  straight.straight = true;
  EXPECT_EQ(RunText(module, arguments, straight), fast);
  PlanOptions observed;
  observed.observed = true;
  EXPECT_EQ(RunText(module, arguments, observed), fast);
  return fast;
}

TEST(Interpreter, AddsTwoVectors) {
  EXPECT_EQ(RunEveryWay("ENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1) "
                        "ROOT s = f32[3] add(x, y) }",
                        {"f32[3]{0} {1, 2, 3}", "f32[3]{0} {10, 20, 0.5}"}),
            "f32[3]{0} {11, 22, 3.5}");
}

// What only strict verification refuses and the reference gives a value all the same (7.2, 8).
TEST(Interpreter, FactorsOfOtherClassesAreConverted) {
  EXPECT_EQ(RunEveryWay("ENTRY e { x = s8[2,2] parameter(0) y = f32[2,2] parameter(1) "
                        "ROOT r = f32[2,2] dot(x, y), lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={0} }",
                        {"s8[2,2] {{1, -2}, {3, 4}}", "f32[2,2] {{0.5, 1}, {0.25, -1}}"}),
            "f32[2,2]{1,0} { { 0, 3 }, { 2.5, -1 } }");
  EXPECT_EQ(RunEveryWay("ENTRY e { x = f32[1,3,1] parameter(0) y = s32[2,1,1] parameter(1) "
                        "ROOT r = s32[1,2,1] convolution(x, y), window={size=2}, "
                        "dim_labels=b0f_0io->b0f }",
                        {"f32[1,3,1] {{{1.5}, {2.5}, {3}}}", "s32[2,1,1] {{{10}}, {{1}}}"}),
            "s32[1,2,1]{2,1,0} { { {12}, {23} } }");
  // No algorithm changes the value.
  EXPECT_EQ(RunEveryWay("ENTRY e { x = f64[2] parameter(0) ROOT r = f64[] dot(x, x), "
                        "lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
                        "algorithm=dot_bf16_bf16_f32 }",
                        {"f64[2] {1, 1e-10}"}),
            "f64[] 1");
}

TEST(Interpreter, TuplesAreTakenApartAndRepeated) {
  EXPECT_EQ(RunEveryWay(R"(ENTRY e {
    p = (s32[], (s32[2], s32[])) parameter(0)
    inner = (s32[2], s32[]) get-tuple-element(p), index=1
    a = s32[2] get-tuple-element(inner), index=0
    b = s32[] get-tuple-element(inner), index=1
    c = s32[] get-tuple-element(p), index=0
    d = s32[] subtract(b, c)
    ROOT t = (s32[2], s32[], s32[2], (s32[])) tuple(a, d, a, (s32[]) tuple(c)) })",
                        {"(s32[] 3, (s32[2]{0} {1, 2}, s32[] 10))"}),
            "( s32[2]{0} {1, 2}, s32[] 7, s32[2]{0} {1, 2}, ( s32[] 3 ) )");
}

TEST(Interpreter, RootMayBeAParameterOrAConstant) {
  EXPECT_EQ(RunEveryWay("ENTRY e { ROOT x = s32[2] parameter(0) }", {"s32[2]{0} {4, 5}"}),
            "s32[2]{0} {4, 5}");
  EXPECT_EQ(RunEveryWay("ENTRY e { ROOT c = s32[2] constant({4, 5}) }", {}), "s32[2]{0} {4, 5}");
}

constexpr absl::string_view kSumTo = R"(
body { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0  t = s32[] get-tuple-element(s), index=1
  one = s32[] constant(1)  n = s32[] add(i, one)  u = s32[] add(t, n)
  ROOT r = (s32[], s32[]) tuple(n, u) }
cond { s = (s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  limit = s32[] constant(10)  ROOT lt = pred[] compare(i, limit), direction=LT }
ENTRY e { init = (s32[], s32[]) parameter(0)
  ROOT w = (s32[], s32[]) while(init), condition=cond, body=body })";

TEST(Interpreter, LoopsOnScalars) {
  EXPECT_EQ(RunEveryWay(kSumTo, {"(s32[] 0, s32[] 0)"}), "( s32[] 10, s32[] 55 )");
  EXPECT_EQ(RunEveryWay(kSumTo, {"(s32[] 10, s32[] 7)"}), "( s32[] 10, s32[] 7 )");  // no turn
}

// The state changes places in every turn, small and large arrays alike.
std::string SwapLoop(int size) {
  const std::string array = absl::StrCat("s32[", size, "]");
  const std::string state = absl::StrCat("(s32[], ", array, ", ", array, ")");
  return absl::StrCat("body { s = ", state, R"( parameter(0)
    i = s32[] get-tuple-element(s), index=0  a = )",
                      array, R"( get-tuple-element(s), index=1
    b = )",
                      array, R"( get-tuple-element(s), index=2  one = s32[] constant(1)
    n = s32[] add(i, one)  c = )",
                      array, R"( add(a, b)
    ROOT r = )",
                      state, R"( tuple(n, b, c) }
  cond { s = )",
                      state, R"( parameter(0)  i = s32[] get-tuple-element(s), index=0
    limit = s32[] constant(5)  ROOT lt = pred[] compare(i, limit), direction=LT }
  first { x = )",
                      array, R"( parameter(0)  ROOT f = s32[1] slice(x), slice={[0:1]} }
  ENTRY e { zero = s32[] constant(0)  a = )",
                      array, R"( broadcast(s32[] constant(0)), dimensions={}
    b = )",
                      array, R"( broadcast(s32[] constant(1)), dimensions={}
    init = )",
                      state, R"( tuple(zero, a, b)
    w = )",
                      state, R"( while(init), condition=cond, body=body
    x = )",
                      array, R"( get-tuple-element(w), index=1  y = )", array,
                      R"( get-tuple-element(w), index=2
    p = s32[1] call(x), to_apply=first  q = s32[1] call(y), to_apply=first
    ROOT t = (s32[1], s32[1]) tuple(p, q) })");
}

TEST(Interpreter, LoopStateMayChangePlaces) {
  // Fibonacci: after 5 turns (5, 8).
  for (int size : {1, 64, 65, 1000}) {
    EXPECT_EQ(RunEveryWay(SwapLoop(size), {}), "( s32[1]{0} {5}, s32[1]{0} {8} )") << size;
  }
}

TEST(Interpreter, ConditionalOutOfRangeTakesTheLastBranch) {
  constexpr absl::string_view module = R"(
    a { x = s32[] parameter(0) c = s32[] constant(100) ROOT r = s32[] add(x, c) }
    b { x = s32[] parameter(0) c = s32[] constant(200) ROOT r = s32[] add(x, c) }
    d { ROOT x = s32[] parameter(0) }
    ENTRY e { i = s32[] parameter(0) one = s32[] constant(1) two = s32[] constant(2)
      three = s32[] constant(3)
      ROOT r = s32[] conditional(i, one, two, three), branch_computations={a, b, d} })";
  EXPECT_EQ(RunEveryWay(module, {"s32[] 0"}), "s32[] 101");
  EXPECT_EQ(RunEveryWay(module, {"s32[] 1"}), "s32[] 202");
  EXPECT_EQ(RunEveryWay(module, {"s32[] 2"}), "s32[] 3");
  EXPECT_EQ(RunEveryWay(module, {"s32[] 3"}), "s32[] 3");
  EXPECT_EQ(RunEveryWay(module, {"s32[] -1"}), "s32[] 3");
}

TEST(Interpreter, ConditionalOnAPredicate) {
  constexpr absl::string_view module = R"(
    t { x = s32[] parameter(0) ROOT r = s32[] negate(x) }
    f { ROOT x = s32[] parameter(0) }
    ENTRY e { p = pred[] parameter(0) x = s32[] constant(5) y = s32[] constant(6)
      ROOT r = s32[] conditional(p, x, y), true_computation=t, false_computation=f })";
  EXPECT_EQ(RunEveryWay(module, {"pred[] true"}), "s32[] -5");
  EXPECT_EQ(RunEveryWay(module, {"pred[] false"}), "s32[] 6");
}

TEST(Interpreter, FusionBarrierTokensAndDependencies) {
  EXPECT_EQ(RunEveryWay(R"(
    fused { x = f32[2] parameter(0) y = f32[2] multiply(x, x) ROOT t = (f32[2], f32[2]) tuple(y, x) }
    ENTRY e { x = f32[2] parameter(0)
      f = (f32[2], f32[2]) fusion(x), kind=kLoop, calls=fused
      b = (f32[2], f32[2]) opt-barrier(f)
      t = token[] after-all()
      y = f32[2] get-tuple-element(b), index=0
      d = f32[2] add-dependency(y, t)
      ROOT c = f32[2] copy(d) })",
                        {"f32[2]{0} {3, -4}"}),
            "f32[2]{0} {9, 16}");
}

// An operand that is read again must survive an operation that could work in place.
TEST(Interpreter, InPlaceNeverTouchesWhatIsReadLater) {
  EXPECT_EQ(RunEveryWay(R"(ENTRY e {
    x = f32[100] parameter(0)  y = f32[100] negate(x)  z = f32[100] negate(y)
    w = f32[100] add(y, z)  zero = f32[] constant(0)
    s = f32[1] slice(w), slice={[0:1]}  t = f32[1] slice(y), slice={[99:100]}
    ROOT r = (f32[1], f32[1]) tuple(s, t) })",
                        {absl::StrCat("f32[100]{0} {", std::string([] {
                                        std::string list;
                                        for (int i = 1; i <= 100; ++i)
                                          absl::StrAppend(&list, i > 1 ? ", " : "", i);
                                        return list;
                                      }()),
                                      "}")}),
            "( f32[1]{0} {0}, f32[1]{0} {-100} )");
}

TEST(Interpreter, ArgumentsStayAsTheyWere) {
  auto module = MustParse("ENTRY e { x = f32[100] parameter(0) ROOT y = f32[100] negate(x) }");
  Literal x = Literal::Zeros(Shape(ElementType::kF32, {100}));
  x.Set(7, Element{0x3f800000});
  auto result = Interpret(*module, {x});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(x.Get(7).bits, 0x3f800000u);
  EXPECT_EQ(result->Get(7).bits, 0xbf800000u);
}

class Recorder : public Observer {
 public:
  absl::Status Before(const Instruction& instruction, int64_t depth) override {
    log.push_back(absl::StrCat("before ", instruction.name(), " at ", depth));
    return absl::OkStatus();
  }
  absl::Status After(const Instruction& instruction, int64_t, const Literal& value) override {
    log.push_back(absl::StrCat(instruction.name(), " = ", PrintTypedLiteral(value)));
    return stop_at == instruction.name() ? absl::CancelledError("seen enough") : absl::OkStatus();
  }
  std::vector<std::string> log;
  std::string stop_at;
};

TEST(Interpreter, ObserversSeeEveryInstruction) {
  auto module = MustParse(R"(
    f { a = s32[] parameter(0) ROOT b = s32[] negate(a) }
    ENTRY e { x = s32[] parameter(0) ROOT c = s32[] call(x), to_apply=f })");
  Recorder recorder;
  RunOptions options;
  options.observers.push_back(&recorder);
  auto result = Interpret(*module, {MustParseLiteral("s32[] 4")}, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(recorder.log,
              ElementsAre("before x at 0", "x = s32[] 4", "before c at 0", "before a at 1",
                          "a = s32[] 4", "before b at 1", "b = s32[] -4", "c = s32[] -4"));
  recorder.stop_at = "a";
  EXPECT_EQ(Interpret(*module, {MustParseLiteral("s32[] 4")}, options).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(Interpreter, SaysWhatIsWrongWithArguments) {
  constexpr absl::string_view module = "ENTRY e { ROOT x = f32[2] parameter(0) }";
  EXPECT_THAT(RunText(module, {}), HasSubstr("takes 1 arguments, 0 were given"));
  EXPECT_THAT(RunText(module, {"f32[3]{0} {1, 2, 3}"}),
              HasSubstr("argument 0 has shape f32[3], but"));
  EXPECT_THAT(RunText(module, {"s32[2]{0} {1, 2}"}), HasSubstr("argument 0 has shape s32[2]"));
}

TEST(Interpreter, RefusesElidedConstantsAndUnknownOperations) {
  EXPECT_THAT(RunText("ENTRY e { ROOT c = f32[100] constant({...}) }", {}), HasSubstr("elided"));
  EXPECT_THAT(RunText("ENTRY e { ROOT c = f32[4] custom-call(), custom_call_target=\"f\" }", {}),
              testing::AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("custom-call")));
}

}  // namespace
}  // namespace assay::interpreter_test
