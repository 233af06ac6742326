// The speeds that are wanted of the interpreter, beside what bounds them: every row is a module of
// one operation, run as a whole, with a plain loop for the same (performance_loops.h) and the peaks
// of the machine (performance_peaks.cc) in the same run.
// tools/checks/performance_table.py makes the tables of docs/performance.md from its JSON.
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "interpreter/interpreter.h"
#include "interpreter/performance_loops.h"
#include "spec/element/element.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

// What the figure of a row is: units a second, or times the cost of something else.
enum class Wanted { kNothing, kRate, kFunction, kTimesCopy, kTimesLoop, kTimesDot };
constexpr const char* kWantedNames[] = {"nothing", "rate", "function", "copy", "loop", "dot f32"};

struct Row {
  const char* name;
  const char* unit;
  double units;          // of a run
  double bytes;          // that a unit reads and writes at least
  double multiply_adds;  // of a unit, at the peak of `peak`: f32 or f64; for "random" reads
  const char* peak;
  Wanted wanted;
  double figure;
  PlainLoop loop;  // may be null
  const char* text;
  double low = -4, high = 4;  // of float arguments
};

constexpr double kM = 1 << 20;
#define V "f32[1048576]"
#define BODY(result, op) \
  "{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = " result "[] " op " }"
#define ADD "to_apply=" BODY("f32", "add(a, b)")
#define CONTRACTS ", lhs_contracting_dims={1}, rhs_contracting_dims={0}"
#define ELEMENTS "index_vector_dim=1, update_window_dims={}, inserted_window_dims={0}, "

const Row kRows[] = {
    {"add f32", "element", kM, 12, 0, "f32", Wanted::kTimesCopy, 3, plain::Add,
     "add(" V " x, " V " y)"},
    {"multiply f32", "element", kM, 12, 0, "f32", Wanted::kTimesCopy, 3, plain::Multiply,
     "multiply(" V " x, " V " y)"},
    {"compare f32", "element", kM, 9, 0, "f32", Wanted::kTimesCopy, 3, plain::Compare,
     "compare(" V " x, " V " y), direction=LT"},
    {"select f32", "element", kM, 13, 0, "f32", Wanted::kTimesCopy, 3, plain::Select,
     "select(pred[1048576] p, " V " x, " V " y)"},
    {"clamp f32", "element", kM, 8, 0, "f32", Wanted::kNothing, 0, plain::Clamp,
     "clamp(f32[] a, " V " x, f32[] b)"},
    {"floor f32", "element", kM, 8, 0, "f32", Wanted::kNothing, 0, plain::Floor, "floor(" V " x)"},
    {"round-nearest-even f32", "element", kM, 8, 0, "f32", Wanted::kNothing, 0, plain::RoundEven,
     "round-nearest-even(" V " x)"},
    {"convert f32 to bf16", "element", kM, 6, 0, "f32", Wanted::kNothing, 0, plain::ConvertToBf16,
     "bf16[1048576] convert(" V " x)"},

    {"exponential f32", "element", kM, 8, 0, "f32", Wanted::kRate, 100e6, plain::Exp,
     "exponential(" V " x)"},
    {"log f32", "element", kM, 8, 0, "f32", Wanted::kRate, 100e6, plain::Log, "log(" V " x)", 0.01,
     8},
    {"tanh f32", "element", kM, 8, 0, "f32", Wanted::kRate, 50e6, plain::Tanh, "tanh(" V " x)"},
    {"logistic f32", "element", kM, 8, 0, "f32", Wanted::kRate, 50e6, plain::Logistic,
     "logistic(" V " x)"},
    {"sine f32", "element", kM, 8, 0, "f32", Wanted::kRate, 50e6, plain::Sine, "sine(" V " x)"},
    {"power f32", "element", kM, 12, 0, "f32", Wanted::kRate, 50e6, plain::Power,
     "power(" V " x, " V " y)", 0.1, 4},
    {"exponential bf16", "element", kM, 4, 0, "f32", Wanted::kRate, 400e6, nullptr,
     "exponential(bf16[1048576] x)"},
    {"tanh f16", "element", kM, 4, 0, "f32", Wanted::kRate, 400e6, nullptr, "tanh(f16[1048576] x)"},
    {"tanh f8e4m3fn", "element", kM, 2, 0, "f32", Wanted::kRate, 400e6, nullptr,
     "tanh(f8e4m3fn[1048576] x)"},

    {"dot f32", "multiply-add", 0x1p24, 0, 1, "f64", Wanted::kRate, 800e6, plain::DotF32,
     "dot(f32[256,256] x, f32[256,256] y)" CONTRACTS},
    {"dot f64", "multiply-add", 0x1p24, 0, 1, "f64", Wanted::kRate, 250e6, plain::DotF64,
     "dot(f64[256,256] x, f64[256,256] y)" CONTRACTS},
    {"dot bf16", "multiply-add", 0x1p24, 0, 1, "f32", Wanted::kRate, 2e9, nullptr,
     "dot(bf16[256,256] x, bf16[256,256] y)" CONTRACTS},
    {"dot f8e4m3fn", "multiply-add", 0x1p24, 0, 1, "f32", Wanted::kRate, 2e9, nullptr,
     "f32[256,256] dot(f8e4m3fn[256,256] x, f8e4m3fn[256,256] y)" CONTRACTS},
    {"dot s8", "multiply-add", 0x1p24, 0, 1, "f32", Wanted::kRate, 2e9, plain::DotS8,
     "s32[256,256] dot(s8[256,256] x, s8[256,256] y)" CONTRACTS},
    {"convolution f32", "multiply-add", 9 * 0x1p20, 0, 1, "f64", Wanted::kTimesDot, 1.5,
     plain::Convolution,
     "convolution(f32[1,32,32,32] x, f32[3,3,32,32] y), window={size=3x3 pad=1_1x1_1}, "
     "dim_labels=b01f_01io->b01f"},

    {"reduce sum f32", "element", kM, 4, 0, "f64", Wanted::kRate, 1e9, plain::ReduceAll,
     "reduce(" V " x, f32[] z), dimensions={0}, " ADD},
    {"reduce sum f32, rows", "element", kM, 4, 0, "f64", Wanted::kRate, 1e9, plain::ReduceRows,
     "reduce(f32[1024,1024] x, f32[] z), dimensions={1}, " ADD},
    {"reduce sum f32, columns", "element", kM, 4, 0, "f64", Wanted::kRate, 1e9,
     plain::ReduceColumns, "reduce(f32[1024,1024] x, f32[] z), dimensions={0}, " ADD},
    {"reduce-window maximum 3x3", "element", 0x1p18, 8, 0, "f32", Wanted::kTimesLoop, 4,
     plain::WindowMaximum,
     "reduce-window(f32[512,512] x, f32[] z), window={size=3x3 pad=1_1x1_1}, to_apply=" BODY(
         "f32", "maximum(a, b)")},
    {"reduce-window sum 3x3", "element", 0x1p18, 8, 0, "f64", Wanted::kTimesLoop, 4,
     plain::WindowSum,
     "reduce-window(f32[512,512] x, f32[] z), window={size=3x3 pad=1_1x1_1}, " ADD},
    {"select-and-scatter 2x2", "element", 0x1p18, 9, 0, "f64", Wanted::kNothing, 0,
     plain::SelectAndScatter,
     "select-and-scatter(f32[512,512] x, f32[256,256] u, f32[] z), window={size=2x2 stride=2x2}, "
     "select=" BODY("pred", "compare(a, b), direction=GE") ", scatter=" BODY("f32", "add(a, b)")},

    {"transpose", "element", kM, 8, 0, "f32", Wanted::kTimesLoop, 4, plain::Transpose,
     "transpose(f32[1024,1024] x), dimensions={1,0}"},
    {"gather elements", "element", kM, 8, 1, "random", Wanted::kTimesLoop, 4, plain::GatherElements,
     "gather(" V " x, s32[1048576,1] i), offset_dims={}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1}"},
    {"gather rows", "element", kM, 8, 0, "f32", Wanted::kTimesLoop, 4, plain::GatherRows,
     "gather(f32[4096,64] x, s32[16384,1] i), offset_dims={1}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}"},
    {"scatter-add elements", "element", kM, 16, 1, "random", Wanted::kTimesLoop, 4,
     plain::ScatterAddElements,
     "scatter(" V " x, s32[1048576,1] i, " V " u), " ELEMENTS
     "scatter_dims_to_operand_dims={0}, " ADD},
    {"scatter-add rows", "element", kM, 8, 0, "f64", Wanted::kTimesLoop, 4, plain::ScatterAddRows,
     "scatter(f32[4096,64] x, s32[16384,1] i, f32[16384,64] u), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, " ADD},
    {"sort f32", "element", 0x1p16, 8, 0, "f32", Wanted::kTimesLoop, 4, plain::Sort,
     "sort(f32[65536] x), dimensions={0}, to_apply=" BODY("pred", "compare(a, b), direction=LT")},

    {"batch-norm-inference", "element", kM, 8, 0, "f64", Wanted::kNothing, 0,
     plain::BatchNormInference,
     "batch-norm-inference(f32[16384,64] x, f32[64] a, f32[64] b, f32[64] c, f32[64] d), "
     "epsilon=5, feature_index=1"},
    {"cholesky f32", "multiply-add", 0x1p24 / 6, 0, 1, "f64", Wanted::kNothing, 0, plain::Cholesky,
     "cholesky(f32[256,256] x), lower=true"},
    {"triangular-solve f32", "multiply-add", 0x1p23, 0, 1, "f64", Wanted::kNothing, 0,
     plain::TriangularSolve,
     "triangular-solve(f32[256,256] x, f32[256,256] y), left_side=true, lower=true, "
     "transpose_a=NO_TRANSPOSE"},
    {"fft c64", "element and log n", 0x1p20, 1, 0, "f64", Wanted::kNothing, 0, plain::Fft,
     "fft(c64[65536] x), fft_type=FFT, fft_length={65536}"},
    {"while, scalar", "iteration", 1e4, 0, 0, "f32", Wanted::kRate, 2.5e6, nullptr,
     "HloModule m b { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 x = "
     "f32[] get-tuple-element(p), index=1 o = s32[] constant(1) j = s32[] add(i, o) y = f32[] "
     "negate(x) z = f32[] add(y, x) ROOT t = (s32[], f32[]) tuple(j, z) } c { p = (s32[], f32[]) "
     "parameter(0) i = s32[] get-tuple-element(p), index=0 m = s32[] constant(10000) ROOT r = "
     "pred[] compare(i, m), direction=LT } ENTRY e { x = f32[] parameter(0) z = s32[] constant(0) "
     "t = (s32[], f32[]) tuple(z, x) w = (s32[], f32[]) while(t), condition=c, body=b ROOT r = "
     "f32[] get-tuple-element(w), index=1 }"},
};

// Functions of f64: 4 M/s of each and 6 M/s of the median are wanted.
struct Function {
  const char* name;
  const char* text;
  double low = -4, high = 4;
};
#define FUNCTION(name, ...) \
  { name " f64", name "(f64[65536] x)" __VA_OPT__(, ) __VA_ARGS__ }
const Function kFunctions[] = {
    FUNCTION("acos", -1, 1),
    FUNCTION("acosh", 1, 8),
    FUNCTION("asin", -1, 1),
    FUNCTION("asinh"),
    FUNCTION("atanh", -1, 1),
    FUNCTION("cbrt"),
    FUNCTION("cosh"),
    FUNCTION("cosine"),
    FUNCTION("erf"),
    FUNCTION("exponential"),
    FUNCTION("exponential-minus-one"),
    FUNCTION("log", 0.01, 8),
    FUNCTION("log-plus-one", 0.01, 8),
    FUNCTION("logistic"),
    FUNCTION("rsqrt", 0.01, 8),
    FUNCTION("sine"),
    FUNCTION("sinh"),
    FUNCTION("sqrt", 0.01, 8),
    FUNCTION("tan"),
    FUNCTION("tanh"),
};

// Floats of the row's range and integers below `limit`; the diagonals of matrices to factor and to
// solve with dominate.
Literal Argument(const Row& row, const Shape& shape, int64_t limit, uint64_t state) {
  Literal literal = Literal::Zeros(shape);
  const ElementType type = shape.element_type(), part = Info(type).component;
  const bool dominates =
      absl::StartsWith(row.text, "cholesky") || absl::StartsWith(row.text, "triangular");
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double value = row.low + static_cast<double>(state >> 11) * 0x1p-53 * (row.high - row.low);
    if (dominates && i % (shape.dimension(0) + 1) == 0) value = 2048;
    const auto integer = static_cast<uint64_t>(state >> 33) % static_cast<uint64_t>(limit);
    const uint64_t bits = IsFloat(part) ? EncodeFloat(part, value) : EncodeInteger(type, integer);
    literal.Set(i, {bits, IsComplex(type) ? bits : 0});
  }
  return literal;
}

// Integers index the first operand, select or count.
std::vector<Literal> Arguments(const Row& row, const Computation& entry) {
  std::vector<Literal> arguments;
  for (const Instruction* parameter : entry.parameters()) {
    const Shape& shape = parameter->shape();
    int64_t limit = arguments.empty() || arguments[0].shape().rank() == 0
                        ? 100
                        : arguments[0].shape().dimension(0);
    if (IsPred(shape.element_type())) limit = 2;
    arguments.push_back(Argument(row, shape, limit, 12345 + arguments.size()));
  }
  return arguments;
}

// Whether the loop computes what the row does, up to its roundings.
bool Agree(const Literal& wanted, const Literal& got) {
  const ElementType type = wanted.element_type();
  for (int64_t i = 0; i < wanted.element_count(); ++i) {
    const Element a = wanted.Get(i), b = got.Get(i);
    if (!IsFloat(Info(type).component)) {
      if (a.bits != b.bits) return false;
      continue;
    }
    const double x = DecodeFloat(Info(type).component, a.bits);
    const double y = DecodeFloat(Info(type).component, b.bits);
    if (!(std::fabs(x - y) <= 1e-2 * (1 + std::fabs(x)))) return false;
  }
  return true;
}

// What the script reads: the unit and what is wanted in the label, the rest as counters.
void Describe(benchmark::State& state, const Row& row) {
  using benchmark::Counter;
  state.counters["per_unit"] =
      Counter(row.units, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["bytes"] = row.bytes;
  state.counters["operations"] = row.multiply_adds;
  state.counters["figure"] = row.figure;
  state.SetLabel(
      absl::StrCat(row.unit, ";", kWantedNames[static_cast<int>(row.wanted)], ";", row.peak));
}

struct Prepared {
  std::unique_ptr<Module> module;
  std::unique_ptr<PlannedModule> planned;
  std::vector<Literal> arguments;
};

absl::StatusOr<Prepared> Prepare(const Row& row) {
  const bool unnamed = std::strchr(row.text, '(') < std::strchr(row.text, ' ');
  auto module = ParseModule(absl::StrCat(unnamed ? "r = " : "", row.text));
  if (!module.ok()) return module.status();
  Prepared prepared;
  prepared.module = *std::move(module);
  auto planned = PlannedModule::Create(*prepared.module);
  if (!planned.ok()) return planned.status();
  prepared.planned = *std::move(planned);
  prepared.arguments = Arguments(row, *prepared.module->entry());
  return prepared;
}

void MeasureRow(benchmark::State& state, const Row& row) {
  const auto prepared = Prepare(row);
  if (!prepared.ok()) return state.SkipWithError(prepared.status().ToString().c_str());
  for (auto _ : state) {
    const auto result = prepared->planned->Run(prepared->arguments);
    if (!result.ok()) return state.SkipWithError(result.status().ToString().c_str());
  }
  Describe(state, row);
}

void MeasureLoop(benchmark::State& state, const Row& row) {
  const auto prepared = Prepare(row);
  if (!prepared.ok()) return state.SkipWithError(prepared.status().ToString().c_str());
  const auto result = prepared->planned->Run(prepared->arguments);
  if (!result.ok()) return state.SkipWithError(result.status().ToString().c_str());
  Literal out = Literal::Zeros(result->shape());
  for (auto _ : state) {
    row.loop(prepared->arguments, out);
    benchmark::ClobberMemory();
  }
  if (!Agree(*result, out)) return state.SkipWithError("the loop computes something else");
  Describe(state, row);
}

void RegisterRow(const Row& row) {
  benchmark::RegisterBenchmark(absl::StrCat("assay/", row.name).c_str(),
                               [row](benchmark::State& state) { MeasureRow(state, row); })
      ->UseRealTime();
  if (row.loop == nullptr) return;
  benchmark::RegisterBenchmark(absl::StrCat("loop/", row.name).c_str(),
                               [row](benchmark::State& state) { MeasureLoop(state, row); })
      ->UseRealTime();
}

void RegisterAll() {
  for (const Row& row : kRows) RegisterRow(row);
  for (const Function& function : kFunctions) {
    RegisterRow({function.name, "element", 0x1p16, 16, 0, "f64", Wanted::kFunction, 4e6, nullptr,
                 function.text, function.low, function.high});
  }
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  assay::RegisterAll();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
