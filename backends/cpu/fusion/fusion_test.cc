// Fused computations under the runtime: worked examples, and larger ones against the same
// computation as a call, whose instructions run one after the other.
#include "backends/cpu/fusion/fusion.h"

#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backends/cpu/cpu_engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/run.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::cpu {
namespace {

std::vector<Literal> RunModule(const std::string& text, const std::vector<Literal>& arguments) {
  const auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  const CpuEngine engine;
  const auto plan = runtime::ModulePlan::Create(**module, engine);
  EXPECT_TRUE(plan.ok()) << plan.status();
  std::vector<std::vector<Literal>> values = {arguments};
  runtime::Program program;
  program.module = plan->get();
  program.grid = {1, 1};
  program.arguments = values;
  auto results = runtime::RunPrograms(absl::MakeConstSpan(&program, 1), {});
  EXPECT_TRUE(results.ok()) << results.status();
  Literal& result = results->front().front();
  if (!result.is_tuple()) return {result};
  return std::move(result).ReleaseElements();
}

// `fused`: the computation f. `entry`: the instructions of the entry; its root calls f with CALL.
std::string Text(const std::string& fused, const std::string& entry, const std::string& call) {
  return absl::StrReplaceAll(
      absl::StrCat("HloModule m\nf {\n", fused, "\n}\nENTRY e {\n", entry, "\n}"),
      {{"CALL", call}});
}

// Returns true if the root of the entry, a fusion, becomes one kernel.
bool IsOneKernel(const std::string& fused, const std::string& entry) {
  const auto module = ParseModule(
      absl::StrReplaceAll(Text(fused, entry, "fusion"), {{"ATTRIBUTES", "kind=kLoop, calls=f"}}));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto kernel = PrepareFusion(*(*module)->entry()->root());
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  return *kernel != nullptr;
}

void ExpectSameAsCall(const std::string& fused, const std::string& entry,
                      const std::vector<Literal>& arguments) {
  EXPECT_TRUE(IsOneKernel(fused, entry)) << fused;
  const auto one = RunModule(
      absl::StrReplaceAll(Text(fused, entry, "fusion"), {{"ATTRIBUTES", "kind=kLoop, calls=f"}}),
      arguments);
  const auto many = RunModule(
      absl::StrReplaceAll(Text(fused, entry, "call"), {{"ATTRIBUTES", "to_apply=f"}}), arguments);
  ASSERT_EQ(one.size(), many.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(Literal::BitEqual(one[i], many[i])) << fused;
}

Literal Random(ElementType type, std::vector<int64_t> sizes) {
  Literal literal = Literal::Zeros(Shape(type, sizes));
  std::mt19937_64 random(sizes.size());
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const double x = static_cast<double>(random() % 1024) / 64 - 8;
    if (IsComplex(type)) {
      const ElementType part = Info(type).component;
      literal.Set(i, {.bits = EncodeFloat(part, x), .imag = EncodeFloat(part, x / 3)});
      continue;
    }
    literal.Set(i, IsFloat(type) ? Element{.bits = EncodeFloat(type, x)}
                                 : Element{.bits = EncodeInteger(type, random())});
  }
  return literal;
}

TEST(Fusion, WorkedExample) {
  const auto results =
      RunModule(R"(HloModule m
f {
  x = f32[2,3] parameter(0)
  row = f32[3] parameter(1)
  s = f32[] parameter(2)
  rows = f32[2,3] broadcast(row), dimensions={1}
  ss = f32[2,3] broadcast(s), dimensions={}
  i = f32[2,3] iota(), iota_dimension=0
  a = f32[2,3] multiply(x, rows)
  b = f32[2,3] add(a, ss)
  ROOT r = f32[2,3] subtract(b, i)
}
ENTRY e {
  x = f32[2,3] parameter(0)
  row = f32[3] parameter(1)
  s = f32[] parameter(2)
  ROOT r = f32[2,3] fusion(x, row, s), kind=kLoop, calls=f
})",
                {*ParseTypedLiteral("f32[2,3] {{1, 2, 3}, {4, 5, 6}}"),
                 *ParseTypedLiteral("f32[3] {10, 20, 30}"), *ParseTypedLiteral("f32[] 0.5")});
  EXPECT_EQ(
      PrintTypedLiteral(results[0]),
      PrintTypedLiteral(*ParseTypedLiteral("f32[2,3] {{10.5, 40.5, 90.5}, {39.5, 99.5, 179.5}}")));
}

// Rows that lie side by side and rows of one number, shorter and longer than a block, in two
// dimensions of rows and through a transpose; of every size of elements.
TEST(Fusion, Rows) {
  for (const ElementType type : {ElementType::kS8, ElementType::kBF16, ElementType::kF32,
                                 ElementType::kF64, ElementType::kC128}) {
    for (const auto& [a, b, c] : {std::tuple{3, 5, 16}, {2, 7, 100}, {3, 3, 700}, {2, 2, 2500}}) {
      const std::vector<std::pair<std::string, std::string>> sizes = {
          {"TYPE", std::string(Name(type))},
          {"[A,B,C]", absl::StrCat("[", a, ",", b, ",", c, "]")},
          {"[A,B]", absl::StrCat("[", a, ",", b, "]")},
          {"[B,A]", absl::StrCat("[", b, ",", a, "]")},
          {"[B,C]", absl::StrCat("[", b, ",", c, "]")},
          {"[C]", absl::StrCat("[", c, "]")}};
      const std::string fused = absl::StrReplaceAll(R"(
  x = TYPE[A,B,C] parameter(0)
  bias = TYPE[C] parameter(1)
  mean = TYPE[A,B] parameter(2)
  plane = TYPE[B,A] parameter(3)
  tail = TYPE[B,C] parameter(4)
  biases = TYPE[A,B,C] broadcast(bias), dimensions={2}
  means = TYPE[A,B,C] broadcast(mean), dimensions={0,1}
  planes = TYPE[A,B,C] broadcast(plane), dimensions={1,0}
  tails = TYPE[A,B,C] broadcast(tail), dimensions={1,2}
  d = TYPE[A,B,C] subtract(x, means)
  e = TYPE[A,B,C] add(d, biases)
  g = TYPE[A,B,C] add(e, planes)
  ROOT r = TYPE[A,B,C] subtract(g, tails))",
                                                    sizes);
      const std::string entry = absl::StrReplaceAll(R"(
  x = TYPE[A,B,C] parameter(0)
  bias = TYPE[C] parameter(1)
  mean = TYPE[A,B] parameter(2)
  plane = TYPE[B,A] parameter(3)
  tail = TYPE[B,C] parameter(4)
  ROOT r = TYPE[A,B,C] CALL(x, bias, mean, plane, tail), ATTRIBUTES)",
                                                    sizes);
      ExpectSameAsCall(fused, entry,
                       {Random(type, {a, b, c}), Random(type, {c}), Random(type, {a, b}),
                        Random(type, {b, a}), Random(type, {b, c})});
    }
  }
}

// An iota or constant of the size of the result is no operand whose storage the result could take.
TEST(Fusion, IotaAndConstantBeforeTheOperand) {
  Literal numbers = Literal::Zeros(Shape(ElementType::kF32, {1000}));
  for (int64_t i = 0; i < 1000; ++i)
    numbers.Set(i, {.bits = EncodeFloat(ElementType::kF32, 2 * i)});
  for (const std::string own : {"iota(), iota_dimension=0", "constant({ELEMENTS})"}) {
    std::vector<int> elements(1000);
    for (int i = 0; i < 1000; ++i) elements[i] = i;
    const std::string text = absl::StrCat("HloModule m\nf {\n  i = f32[1000] ", own, R"(
  p = f32[1000] parameter(0)
  ROOT a = f32[1000] add(i, p)
}
ENTRY e {
  p = f32[1000] parameter(0)
  q = f32[1000] negate(p)
  ROOT r = f32[1000] fusion(q), kind=kLoop, calls=f
})");
    const auto results = RunModule(
        absl::StrReplaceAll(text, {{"ELEMENTS", absl::StrJoin(elements, ", ")}}), {numbers});
    for (int64_t i = 0; i < 1000; ++i) {
      EXPECT_EQ(results[0].Get(i).bits, EncodeFloatFromSigned(ElementType::kF32, -i)) << i;
    }
  }
}

constexpr const char* kTwo = R"(
  x = T[50,40] parameter(0)
  y = T[40] parameter(1)
  ROOT r = T[50,40] CALL(x, y), ATTRIBUTES)";

std::string Of(ElementType type, const std::string& text) {
  return absl::StrReplaceAll(text, {{"T[", absl::StrCat(std::string(Name(type)), "[")}});
}

TEST(Fusion, MovementOfParameters) {
  for (const ElementType type : {ElementType::kF32, ElementType::kBF16, ElementType::kS32,
                                 ElementType::kS4, ElementType::kF64}) {
    const std::string fused = R"(
  x = T[50,40] parameter(0)
  y = T[40] parameter(1)
  rows = T[50,40] broadcast(y), dimensions={1}
  back = T[50,40] reverse(x), dimensions={0}
  part = T[30,20] slice(x), slice={[5:35], [1:40:2]}
  zero = T[] constant(0)
  padded = T[50,40] pad(part, zero), padding=10_10x10_10
  flat = T[2000] reshape(x)
  tall = T[40,50] reshape(flat)
  square = T[50,40] transpose(tall), dimensions={1,0}
  sum = T[50,40] add(rows, back)
  product = T[50,40] multiply(sum, padded)
  ROOT r = T[50,40] subtract(product, square))";
    ExpectSameAsCall(Of(type, fused), Of(type, kTwo), {Random(type, {50, 40}), Random(type, {40})});
  }
}

TEST(Fusion, ScalarsReshapesAndCalls) {
  const std::string fused = R"(
  x = f32[50,40] parameter(0)
  y = f32[40] parameter(1)
  first = f32[1] slice(y), slice={[0:1]}
  s = f32[] reshape(first)
  half = f32[] constant(0.5)
  scale = f32[] multiply(s, half)
  scales = f32[2000] broadcast(scale), dimensions={}
  flat = f32[2000] reshape(x)
  scaled = f32[2000] multiply(flat, scales)
  e = f32[2000] exponential(scaled)
  ROOT r = f32[50,40] reshape(e))";
  ExpectSameAsCall(fused, Of(ElementType::kF32, kTwo),
                   {Random(ElementType::kF32, {50, 40}), Random(ElementType::kF32, {40})});
}

TEST(Fusion, SeveralOutputs) {
  const std::string fused = R"(
  x = f32[50,40] parameter(0)
  y = f32[40] parameter(1)
  rows = f32[50,40] broadcast(y), dimensions={1}
  less = pred[50,40] compare(x, rows), direction=LT
  s = f32[50,40] select(less, x, rows)
  d = f64[50,40] convert(s)
  ROOT r = (pred[50,40], f32[50,40], f64[50,40]) tuple(less, s, d))";
  const std::string entry = R"(
  x = f32[50,40] parameter(0)
  y = f32[40] parameter(1)
  ROOT r = (pred[50,40], f32[50,40], f64[50,40]) CALL(x, y), ATTRIBUTES)";
  ExpectSameAsCall(fused, entry,
                   {Random(ElementType::kF32, {50, 40}), Random(ElementType::kF32, {40})});
}

// Sums and maxima of what is computed, over any dimensions, in the order of the reduction alone.
TEST(Fusion, ReducesWhatItComputes) {
  for (const std::string dimensions : {"0", "1", "2", "0,1", "1,2", "0,2", "0,1,2"}) {
    for (const ElementType type : {ElementType::kF32, ElementType::kBF16, ElementType::kS32}) {
      const Shape all(type, {7, 60, 50});
      std::vector<int64_t> kept;
      for (int64_t d = 0; d < 3; ++d) {
        if (dimensions.find(static_cast<char>('0' + d)) == std::string::npos) {
          kept.push_back(all.dimension(d));
        }
      }
      const std::string result = absl::StrCat("T[", absl::StrJoin(kept, ","), "]");
      const std::string fused =
          absl::StrCat(R"(
  x = T[7,60,50] parameter(0)
  y = T[60] parameter(1)
  columns = T[7,60,50] broadcast(y), dimensions={1}
  p = T[7,60,50] multiply(x, columns)
  q = T[7,60,50] add(p, x)
  zero = T[] constant(0)
  ROOT r = )",
                       result, " reduce(q, zero), dimensions={", dimensions, "}, to_apply=add");
      const std::string entry =
          absl::StrCat("x = T[7,60,50] parameter(0)\ny = T[60] parameter(1)\n", "ROOT r = ", result,
                       " CALL(x, y), ATTRIBUTES");
      const std::string reducer = Of(type, R"(add {
  a = T[] parameter(0)
  b = T[] parameter(1)
  ROOT s = T[] add(a, b)
}
)");
      const std::vector<Literal> arguments = {Random(type, {7, 60, 50}), Random(type, {60})};
      auto run = [&](const std::string& call, const std::string& attributes) {
        return RunModule(absl::StrReplaceAll(Text(Of(type, fused), Of(type, entry), call),
                                             {{"HloModule m\n", "HloModule m\n" + reducer},
                                              {"ATTRIBUTES", attributes}}),
                         arguments);
      };
      const auto one = run("fusion", "kind=kInput, calls=f");
      const auto many = run("call", "to_apply=f");
      EXPECT_TRUE(Literal::BitEqual(one[0], many[0])) << fused;
    }
  }
}

// These run as plans.
TEST(Fusion, LeavesOtherComputationsAlone) {
  const std::string entry = Of(ElementType::kF32, kTwo);
  EXPECT_FALSE(IsOneKernel(R"(
  x = f32[50,40] parameter(0)
  y = f32[40] parameter(1)
  rows = f32[50,40] broadcast(y), dimensions={1}
  sum = f32[50,40] add(rows, x)
  ROOT r = f32[50,40] reverse(sum), dimensions={0})",
                           entry));
  EXPECT_FALSE(IsOneKernel(R"(
  x = f32[50,40] parameter(0)
  y = f32[40] parameter(1)
  e = f32[40] exponential(y)
  rows = f32[50,40] broadcast(e), dimensions={1}
  ROOT r = f32[50,40] add(rows, x))",
                           entry));
}

// Longer than a block and a thread's share, over the operand that dies.
// An iota that is too long for a table is the sum of two shorter ones, if its type and size permit.
TEST(Fusion, LongIotas) {
  for (const auto& [type, sizes, dimension] : {std::tuple{"u64", "[200000]", 0},
                                               {"s32", "[131072]", 0},
                                               {"s8", "[2,70000]", 1},
                                               {"f32", "[66000,3]", 0},
                                               {"f64", "[2,66000,2]", 1}}) {
    const std::string shape = absl::StrCat(type, sizes);
    ExpectSameAsCall(
        absl::StrCat("  x = ", shape, " parameter(0)\n  i = ", shape, " iota(), iota_dimension=",
                     dimension, "\n  ROOT r = ", shape, " subtract(i, x)"),
        absl::StrCat("  x = ", shape, " parameter(0)\n  ROOT r = ", shape, " CALL(x), ATTRIBUTES"),
        {Literal::Zeros(*ParseShape(shape))});
  }
  // A prime size, a type whose sums are rounded, and more numbers than the type holds.
  for (const char* shape : {"s32[65537]", "bf16[131072]", "f32[33554432]"}) {
    EXPECT_FALSE(
        IsOneKernel(absl::StrCat("  x = ", shape, " parameter(0)\n  i = ", shape,
                                 " iota(), iota_dimension=0\n  ROOT r = ", shape, " add(x, i)"),
                    absl::StrCat("  x = ", shape, " parameter(0)\n  ROOT r = ", shape,
                                 " CALL(x), ATTRIBUTES")));
  }
}

TEST(Fusion, LongArrays) {
  const std::string fused = R"(
  x = f32[300000] parameter(0)
  y = f32[300000] parameter(1)
  a = f32[300000] multiply(x, y)
  b = f32[300000] add(a, y)
  ROOT r = f32[300000] tanh(b))";
  const std::string entry = R"(
  x = f32[300000] parameter(0)
  y = f32[300000] parameter(1)
  n = f32[300000] negate(x)
  ROOT r = f32[300000] CALL(n, y), ATTRIBUTES)";
  ExpectSameAsCall(fused, entry,
                   {Random(ElementType::kF32, {300000}), Random(ElementType::kF32, {300000})});
}

}  // namespace
}  // namespace assay::cpu
