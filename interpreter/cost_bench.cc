// What every operation of the catalogue costs per unit of its work, at two sizes: the cost may not
// grow with the size. An opcode without a row, here or among those without data, ends the program.
// tools/checks/cost_table.py makes the table of docs/benchmarks.md from what it prints as JSON.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "benchmark/benchmark.h"
#include "interpreter/interpreter.h"
#include "spec/element/element.h"
#include "spec/op_info.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

// Units of work of a row at size n, with s * s = c * c * c = n.
enum class Work { kN, kWindows, kTwiceN, kConvolution, kNLogN, kCholesky, kSolve, kGroup };

struct Row {
  // Each gets a benchmark of its own; what starts and what is done are measured together.
  const char* opcodes;
  const char* variant;  // what sets it apart from other rows of the opcode
  const char* unit;
  // An instruction or a module: $op stands for the opcode, $v for f32[n], and n, s, c, half and an
  // eighth of n for $n, $s, $c, $h, $q.
  const char* text;
  Work work = Work::kN;
  double low = -4, high = 4;  // of float arguments
};

constexpr char kElement[] = "element";
constexpr char kMoved[] = "element moved";
constexpr char kFolded[] = "element folded";
constexpr char kProduct[] = "multiply-add";

#define BODY(type, result, op) \
  "{ a = " type "[] parameter(0) b = " type "[] parameter(1) ROOT r = " result "[] " op " }"
#define ADD "to_apply=" BODY("f32", "f32", "add(a, b)")
#define SUBTRACT "to_apply=" BODY("f32", "f32", "subtract(a, b)")
#define MAXIMUM "to_apply=" BODY("f32", "f32", "maximum(a, b)")
#define LESS "to_apply=" BODY("f32", "pred", "compare(a, b), direction=LT")
#define GREATER BODY("f32", "pred", "compare(a, b), direction=GE")
#define INSIDE \
  "HloModule m f { p = $v parameter(0) ROOT r = $v negate(p) } ENTRY e { x = $v parameter(0) "
#define ARGMAX                                                                                  \
  "to_apply={ a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] "  \
  "parameter(3) g = pred[] compare(a, b), direction=GT u = pred[] compare(a, a), direction=NE " \
  "v = pred[] or(g, u) e = pred[] compare(a, b), direction=EQ l = pred[] compare(i, j), "       \
  "direction=LT t = pred[] and(e, l) k = pred[] or(v, t) x = f32[] select(v, a, b) y = s32[] "  \
  "select(k, i, j) ROOT r = (f32[], s32[]) tuple(x, y) }"
#define PAIRS "source_target_pairs={{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7},{7,0}}"
#define HOST "channel_id=1, is_host_transfer=true"

const Row kRows[] = {
    {"abs ceil floor is-finite negate round-nearest-afz round-nearest-even sign", "", kElement,
     "$op($v x)"},
    {"asinh cbrt cosh cosine erf exponential exponential-minus-one logistic sine sinh tan tanh", "",
     kElement, "$op($v x)"},
    {"log log-plus-one rsqrt sqrt", "", kElement, "$op($v x)", Work::kN, 0.01, 8},
    {"acos asin atanh", "", kElement, "$op($v x)", Work::kN, -1, 1},
    {"acosh", "", kElement, "$op($v x)", Work::kN, 1, 8},
    {"add atan2 complex divide maximum minimum multiply remainder subtract", "", kElement,
     "$op($v x, $v y)"},
    {"power", "", kElement, "$op($v x, $v y)", Work::kN, 0.1, 4},
    {"count-leading-zeros not popcnt", "", kElement, "$op(s32[$n] x)"},
    {"and mulhi or shift-left shift-right-arithmetic shift-right-logical xor", "", kElement,
     "$op(s32[$n] x, s32[$n] y)"},
    {"imag real", "", kElement, "$op(c64[$n] x)"},
    {"clamp", "", kElement, "clamp(f32[] a, $v x, f32[] b)"},
    {"select", "", kElement, "select(pred[$n] p, $v x, $v y)"},
    {"compare", "", kElement, "compare($v x, $v y), direction=LT"},
    {"convert", "", kElement, "bf16[$n] convert($v x)"},
    {"reduce-precision", "", kElement,
     "$v reduce-precision($v x), exponent_bits=5, mantissa_bits=10"},
    {"stochastic-convert", "", kElement, "s32[$n] stochastic-convert($v x, u32[$n] r)"},

    {"bitcast reshape", "", kMoved, "f32[$s,$s] $op($v x)"},
    {"bitcast-convert", "", kMoved, "s32[$n] bitcast-convert($v x)"},
    {"broadcast", "", kMoved, "f32[$s,$s] broadcast(f32[$s] x), dimensions={1}"},
    {"concatenate", "", kMoved, "concatenate(f32[$h] x, f32[$h] y), dimensions={0}"},
    {"copy", "", kMoved, "copy($v x)"},
    {"dynamic-reshape", "", kMoved,
     "ENTRY e { x = $v parameter(0) a = s32[] constant($s) ROOT r = f32[<=$s,$s] "
     "dynamic-reshape(x, a, a) }"},
    {"iota", "", kMoved, "s32[$n] iota(), iota_dimension=0"},
    {"pad", "", kMoved, "pad(f32[$h] x, f32[] z), padding=0_1_1"},
    {"reverse", "", kMoved, "reverse($v x), dimensions={0}"},
    {"set-dimension-size", "", kMoved,
     "f32[<=$n] set-dimension-size($v x, s32[] size), dimensions={0}"},
    {"slice", "", kMoved, "f32[$n,1] slice(f32[$n,2] x), slice={[0:$n],[0:1]}"},
    {"transpose", "", kMoved, "transpose(f32[$s,$s] x), dimensions={1,0}"},
    {"dynamic-slice", "", kMoved,
     "f32[1,$n] dynamic-slice(f32[2,$n] x, s32[] i, s32[] j), dynamic_slice_sizes={1,$n}"},
    {"dynamic-update-slice", "", kMoved, "$v dynamic-update-slice($v x, f32[$h] u, s32[] i)"},
    {"gather", "rows", kMoved,
     "gather(f32[64,$s] x, s32[$s,1] i), offset_dims={1}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,$s}"},
    {"gather", "elements", kMoved,
     "gather($v x, s32[$n,1] i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
     "index_vector_dim=1, slice_sizes={1}"},
    {"scatter", "add, rows", kFolded,
     "scatter(f32[64,$s] x, s32[$s,1] i, f32[$s,$s] u), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, " ADD},
    {"scatter", "add, elements", kFolded,
     "scatter($v x, s32[$n,1] i, $v u), update_window_dims={}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, " ADD},
    {"scatter", "any region", kFolded,
     "scatter($v x, s32[$n,1] i, $v u), update_window_dims={}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, " SUBTRACT},

    {"reduce", "sum of rows", kFolded, "reduce(f32[$s,$s] x, f32[] z), dimensions={1}, " ADD},
    {"reduce", "sum of columns", kFolded, "reduce(f32[$s,$s] x, f32[] z), dimensions={0}, " ADD},
    {"reduce", "maximum", kFolded, "reduce($v x, f32[] z), dimensions={0}, " MAXIMUM},
    {"reduce", "maximum with index", kFolded,
     "reduce(f32[$s,$s] x, s32[$s,$s] i, f32[] z, s32[] k), dimensions={1}, " ARGMAX},
    {"reduce", "any region", kFolded, "reduce($v x, f32[] z), dimensions={0}, " SUBTRACT},
    {"reduce-window", "maximum, 3x3", kFolded,
     "reduce-window(f32[$s,$s] x, f32[] z), window={size=3x3 pad=1_1x1_1}, " MAXIMUM,
     Work::kWindows},
    {"reduce-window", "sum, 3x3", kFolded,
     "reduce-window(f32[$s,$s] x, f32[] z), window={size=3x3 pad=1_1x1_1}, " ADD, Work::kWindows},
    {"reduce-window", "running sum", kElement,
     "reduce-window($v x, f32[] z), window={size=$n pad=$m_0}, " ADD},
    {"reduce-window", "any region, 3x3", kFolded,
     "reduce-window(f32[$s,$s] x, f32[] z), window={size=3x3 pad=1_1x1_1}, " SUBTRACT,
     Work::kWindows},
    {"select-and-scatter", "", kFolded,
     "select-and-scatter(f32[$s,$s] x, f32[$t,$t] u, f32[] z), window={size=2x2 stride=2x2}, "
     "select=" GREATER ", scatter=" BODY("f32", "f32", "add(a, b)")},
    {"map", "", kElement, "map($v x, $v y), dimensions={0}, " SUBTRACT},
    {"scan", "sum", kFolded,
     "($v, f32[]) scan($v x, f32[] z), dimensions={0}, num_carries=1, to_apply={ x = f32[] "
     "parameter(0) c = f32[] parameter(1) a = f32[] add(x, c) ROOT r = (f32[], f32[]) tuple(a, a) "
     "}"},
    {"scan", "any region", kFolded,
     "($v, f32[]) scan($v x, f32[] z), dimensions={0}, num_carries=1, to_apply={ x = f32[] "
     "parameter(0) c = f32[] parameter(1) a = f32[] subtract(x, c) ROOT r = (f32[], f32[]) "
     "tuple(a, a) }"},
    {"sort", "by a key", "key and log n", "sort($v x), dimensions={0}, " LESS, Work::kNLogN},
    {"sort", "two operands, by a key", "key and log n",
     "($v, s32[$n]) sort($v x, s32[$n] y), dimensions={0}, to_apply={ a = f32[] parameter(0) b = "
     "f32[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3) ROOT r = pred[] compare(a, "
     "b), direction=LT }",
     Work::kNLogN},
    {"sort", "any comparator", "key and log n",
     "sort($v x), dimensions={0}, to_apply=" BODY("f32", "pred", "compare(a, b), direction=LE"),
     Work::kNLogN},
    {"topk", "", kElement, "(f32[$s], s32[$s]) topk($v x), k=$s, largest=true"},
    {"batch-norm-inference", "", kElement,
     "batch-norm-inference(f32[$q,8] x, f32[8] a, f32[8] b, f32[8] c, f32[8] d), epsilon=5, "
     "feature_index=1"},
    {"batch-norm-training", "", kElement,
     "batch-norm-training(f32[$q,8] x, f32[8] a, f32[8] b), epsilon=5, feature_index=1"},
    {"batch-norm-grad", "", kElement,
     "batch-norm-grad(f32[$q,8] x, f32[8] a, f32[8] b, f32[8] c, f32[$q,8] d), epsilon=5, "
     "feature_index=1"},

    {"dot", "", kProduct,
     "dot(f32[$c,$c] x, f32[$c,$c] y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"dot", "s8", kProduct,
     "s32[$c,$c] dot(s8[$c,$c] x, s8[$c,$c] y), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={0}"},
    {"ragged-dot", "", kProduct,
     "ragged-dot(f32[$c,$c] x, f32[4,$c,$c] y, s32[4] g), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}"},
    {"scaled-dot", "", kProduct,
     "f32[$c,$c] scaled-dot(f8e4m3fn[$c,$c] x, f8e4m3fn[$c,$c] y, f8e8m0fnu[$c,1] a, "
     "f8e8m0fnu[1,$c] b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"convolution", "3x3", kProduct,
     "convolution(f32[1,$s,$s,4] x, f32[3,3,4,4] y), window={size=3x3 pad=1_1x1_1}, "
     "dim_labels=b01f_01io->b01f",
     Work::kConvolution},
    {"cholesky", "", kProduct, "cholesky(f32[$c,$c] x), lower=true", Work::kCholesky},
    {"triangular-solve", "", kProduct,
     "triangular-solve(f32[$c,$c] x, f32[$c,$c] y), left_side=true, lower=true, "
     "transpose_a=NO_TRANSPOSE",
     Work::kSolve},
    {"fft", "", "element and log n", "fft(c64[$n] x), fft_type=FFT, fft_length={$n}", Work::kNLogN},

    {"rng", "", kElement, "$v rng(f32[] a, f32[] b), distribution=rng_uniform"},
    {"rng-bit-generator", "", kElement,
     "(u64[2], u32[$n]) rng-bit-generator(u64[2] x), algorithm=rng_three_fry"},

    {"call", "", kElement, INSIDE "ROOT r = $v call(x), to_apply=f }"},
    {"fusion", "", kElement, INSIDE "ROOT r = $v fusion(x), kind=kLoop, calls=f }"},
    {"conditional", "", kElement,
     INSIDE "i = s32[] constant(1) ROOT r = $v conditional(i, x, x), branch_computations={f, f} }"},
    {"while", "two iterations", kElement,
     "HloModule m b { p = (s32[], $v) parameter(0) i = s32[] get-tuple-element(p), index=0 x = $v "
     "get-tuple-element(p), index=1 o = s32[] constant(1) j = s32[] add(i, o) y = $v negate(x) "
     "ROOT "
     "t = (s32[], $v) tuple(j, y) } c { p = (s32[], $v) parameter(0) i = s32[] "
     "get-tuple-element(p), index=0 o = s32[] constant(2) ROOT r = pred[] compare(i, o), "
     "direction=LT } ENTRY e { x = $v parameter(0) z = s32[] constant(0) t = (s32[], $v) tuple(z, "
     "x) ROOT r = (s32[], $v) while(t), condition=c, body=b }",
     Work::kTwiceN},
    {"async-start async-update async-done", "", kElement,
     INSIDE "s = (($v), $v, s32[]) async-start(x), calls=f u = (($v), $v, s32[]) async-update(s) "
            "ROOT r = $v async-done(u) }"},
    {"copy-start copy-done", "", kMoved,
     "ENTRY e { x = $v parameter(0) s = ($v, $v, u32[]) copy-start(x) ROOT r = $v copy-done(s) }"},

    {"all-reduce", "8 devices", kFolded, "$v all-reduce($v x), replica_groups={}, " ADD,
     Work::kGroup},
    {"all-reduce-start all-reduce-done", "8 devices", kFolded,
     "HloModule m f " BODY("f32", "f32", "add(a, b)") " ENTRY e { x = $v parameter(0) s = $v "
                                                      "all-reduce-start(x), replica_groups={}, "
                                                      "to_apply=f ROOT r = $v all-reduce-done(s) }",
     Work::kGroup},
    {"all-gather", "8 devices", kMoved,
     "$v all-gather(f32[$q] x), replica_groups={}, dimensions={0}", Work::kGroup},
    {"all-gather-start all-gather-done", "8 devices", kMoved,
     "ENTRY e { x = f32[$q] parameter(0) s = (f32[$q], $v) all-gather-start(x), replica_groups={}, "
     "dimensions={0} ROOT r = $v all-gather-done(s) }",
     Work::kGroup},
    {"all-to-all", "8 devices", kMoved, "$v all-to-all($v x), replica_groups={}, dimensions={0}",
     Work::kGroup},
    {"collective-broadcast", "8 devices", kMoved,
     "$v collective-broadcast($v x), replica_groups={{0,1,2,3,4,5,6,7}}", Work::kGroup},
    {"collective-permute", "8 devices", kMoved, "$v collective-permute($v x), " PAIRS,
     Work::kGroup},
    {"collective-permute-start collective-permute-done", "8 devices", kMoved,
     "ENTRY e { x = $v parameter(0) s = ($v, $v, u32[], u32[]) collective-permute-start(x), " PAIRS
     " ROOT r = $v collective-permute-done(s) }",
     Work::kGroup},
    {"reduce-scatter", "8 devices", kFolded,
     "f32[$q] reduce-scatter($v x), replica_groups={}, dimensions={0}, " ADD, Work::kGroup},
    {"ragged-all-to-all", "8 devices", kMoved,
     "ENTRY e { x = $v parameter(0) y = $v parameter(1) q = s64[] constant($q) i = s64[8] iota(), "
     "iota_dimension=0 sizes = s64[8] broadcast(q), dimensions={} starts = s64[8] multiply(i, "
     "sizes) id = u32[] replica-id() me = s64[] convert(id) at = s64[] multiply(me, q) to = s64[8] "
     "broadcast(at), dimensions={} ROOT r = $v ragged-all-to-all(x, y, starts, sizes, to, sizes), "
     "replica_groups={} }",
     Work::kGroup},

    {"infeed", "", kMoved, "ENTRY e { t = token[] after-all() ROOT r = ($v, token[]) infeed(t) }"},
    {"outfeed", "", kMoved,
     "ENTRY e { x = $v parameter(0) t = token[] after-all() ROOT r = token[] outfeed(x, t), "
     "outfeed_shape=$v }"},
    {"recv recv-done", "", kMoved,
     "ENTRY e { t = token[] after-all() s = ($v, u32[], token[]) recv(t), " HOST
     " ROOT r = ($v, token[]) recv-done(s), " HOST " }"},
    {"send send-done", "", kMoved,
     "ENTRY e { x = $v parameter(0) t = token[] after-all() s = ($v, u32[], token[]) send(x, "
     "t), " HOST " ROOT r = token[] send-done(s), " HOST " }"},
    {"custom-call", "mhlo.erf", kElement, "$v custom-call($v x), custom_call_target=\"mhlo.erf\""},
};

// What passes values on, or has a scalar to tell, whatever the size.
constexpr char kWithoutData[] =
    "add-dependency after-all constant domain get-dimension-size get-tuple-element opt-barrier "
    "parameter partition-id replica-id rng-get-and-update-state tuple";

double Units(Work work, double n) {
  const double c_cubed = n;
  switch (work) {
    case Work::kN:
      return n;
    case Work::kTwiceN:
      return 2 * n;
    case Work::kWindows:
      return 9 * n;
    case Work::kConvolution:
      return 9 * 4 * 4 * n;
    case Work::kNLogN:
      return n * std::log2(n);
    case Work::kCholesky:
      return c_cubed / 6;
    case Work::kSolve:
      return c_cubed / 2;
    case Work::kGroup:
      return 8 * n;
  }
  return n;
}

std::string Text(const Row& row, const std::string& opcode, int64_t n) {
  const auto side = [n](double root) {
    return static_cast<int64_t>(std::lround(std::pow(static_cast<double>(n), 1 / root)));
  };
  const int64_t s = side(2), c = side(3);
  const std::string vector = absl::StrCat("f32[", n, "]");
  // Text without a shape needs a name.
  const bool unnamed = std::strchr(row.text, '(') < std::strchr(row.text, ' ');
  return absl::StrReplaceAll(absl::StrCat(unnamed ? "r = " : "", row.text),
                             {{"$op", opcode},
                              {"$v", vector},
                              {"$n", absl::StrCat(n)},
                              {"$m", absl::StrCat(n - 1)},
                              {"$h", absl::StrCat(n / 2)},
                              {"$q", absl::StrCat(n / 8)},
                              {"$s", absl::StrCat(s)},
                              {"$t", absl::StrCat(s / 2)},
                              {"$c", absl::StrCat(c)}});
}

// Floats of the row's range, integers below 64; square matrices can be factored and solved with.
Literal Argument(const Row& row, const Shape& shape, uint64_t state) {
  Literal literal = Literal::Zeros(shape);
  const ElementType type = shape.element_type(), part = Info(type).component;
  const bool square = shape.rank() == 2 && shape.dimension(0) == shape.dimension(1) &&
                      (row.work == Work::kCholesky || row.work == Work::kSolve);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double value = row.low + static_cast<double>(state >> 11) * 0x1p-53 * (row.high - row.low);
    if (square && i % (shape.dimension(0) + 1) == 0) {
      value = 8 * static_cast<double>(shape.dimension(0));
    }
    if (part == ElementType::kF8E8M0FNU) value = std::abs(value);  // it has no sign
    const uint64_t bits =
        IsFloat(part) ? EncodeFloat(part, value) : EncodeInteger(type, (state >> 40) & 63);
    literal.Set(i, {bits, IsComplex(type) ? bits : 0});
  }
  return literal;
}

// Gives zeros and takes everything.
class PlainHost : public Host {
 public:
  absl::StatusOr<Literal> Infeed(const ProcessId&, const Shape& shape) override {
    return Literal::Zeros(shape);
  }
  absl::Status Outfeed(const ProcessId&, const Literal&) override { return absl::OkStatus(); }
  absl::StatusOr<Literal> Receive(const ProcessId&, const std::string&,
                                  const Shape& shape) override {
    return Literal::Zeros(shape);
  }
  absl::Status Send(const ProcessId&, const std::string&, const Literal&) override {
    return absl::OkStatus();
  }
};

// The program with arguments of its own.
Program ProgramOn(const Row& row, const PlannedModule& module, uint64_t seed) {
  Program program;
  program.module = &module;
  program.grid.replicas = module.module().replica_count;
  for (int64_t process = 0; process < program.grid.replicas; ++process) {
    std::vector<Literal>& arguments = program.arguments.emplace_back();
    for (const Instruction* parameter : module.module().entry()->parameters()) {
      arguments.push_back(Argument(row, parameter->shape(), seed++));
    }
  }
  return program;
}

void Measure(benchmark::State& state, const Row& row, const std::string& opcode) {
  const int64_t n = state.range(0);
  auto module = ParseModule(Text(row, opcode, n));
  if (!module.ok()) return state.SkipWithError(module.status().ToString().c_str());
  (*module)->replica_count = row.work == Work::kGroup ? 8 : 1;
  auto planned = PlannedModule::Create(**module);
  if (!planned.ok()) return state.SkipWithError(planned.status().ToString().c_str());
  // Small arguments take turns, lest branch predictors learn them by heart.
  constexpr int64_t kElements = 1 << 16;
  std::vector<Program> programs;
  for (int64_t taken = 0; taken == 0 || taken < kElements; taken += n) {
    programs.push_back(ProgramOn(row, **planned, 12345 + 100 * taken));
  }
  PlainHost host;
  RunOptions options;
  options.host = &host;
  size_t turn = 0;
  for (auto _ : state) {
    const auto results = RunPrograms(absl::MakeConstSpan(&programs[turn], 1), options);
    if (!results.ok()) return state.SkipWithError(results.status().ToString().c_str());
    turn = (turn + 1) % programs.size();
  }
  using benchmark::Counter;
  state.counters["per_unit"] = Counter(Units(row.work, static_cast<double>(n)),
                                       Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.SetLabel(row.unit);
}

// The opcodes that no row has.
std::set<absl::string_view> RegisterAll() {
  std::set<absl::string_view> missing;
  for (const OpInfo& info : Catalogue()) missing.insert(info.name);
  for (absl::string_view name : absl::StrSplit(kWithoutData, ' ')) missing.erase(name);
  for (const Row& row : kRows) {
    for (absl::string_view opcode : absl::StrSplit(row.opcodes, ' ')) {
      missing.erase(opcode);
      const std::string name(opcode);
      const std::string title = row.variant[0] == 0 ? name : absl::StrCat(name, ", ", row.variant);
      benchmark::RegisterBenchmark(
          title.c_str(), [&row, name](benchmark::State& state) { Measure(state, row, name); })
          ->Arg(1 << 12)
          ->Arg(1 << 18);
    }
  }
  return missing;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const auto missing = assay::RegisterAll();
  for (absl::string_view opcode : missing) {
    std::fprintf(stderr, "no row for %s\n", std::string(opcode).c_str());
  }
  if (!missing.empty()) return 1;
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
