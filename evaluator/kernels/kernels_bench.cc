// Kernels on the cases of the peer comparison, and the cost of a run on a small array.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "evaluator/collectives.h"
#include "evaluator/evaluator.h"
#include "runtime/float_environment.h"
#include "spec/analysis/collectives.h"
#include "spec/element/element.h"
#include "spec/text/parser.h"

namespace assay::evaluator {
namespace {

// Reproducible values: floats in (-4, 4), parts of complex numbers in (-1.3, 1.3), so that long
// products stay in range, indices below 4096.
Literal Operand(const Shape& shape, uint64_t seed = 12345) {
  Literal literal = Literal::Zeros(shape);
  uint64_t state = seed;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const ElementType type = shape.element_type();
    const double value = (static_cast<double>(state >> 11) * 0x1p-53 - 0.5) * 8;
    if (IsComplex(type)) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const double imaginary = (static_cast<double>(state >> 11) * 0x1p-53 - 0.5) * 2.6;
      literal.Set(i, {EncodeFloat(Info(type).component, value * (2.6 / 8)),
                      EncodeFloat(Info(type).component, imaginary)});
      continue;
    }
    literal.Set(
        i, {IsFloat(type) ? EncodeFloat(type, value) : EncodeInteger(type, (state >> 20) & 4095)});
  }
  return literal;
}

// Matrices to factor or to solve with: a diagonal that dominates.
void MakeDominant(Literal& matrix) {
  const int64_t n = matrix.shape().dimension(0);
  for (int64_t i = 0; i < n; ++i) {
    const auto value = static_cast<double>(8 * n);
    matrix.Set(i * n + i, {EncodeFloat(Info(matrix.element_type()).component, value)});
  }
}

// `members` > 0: a collective, as the first member of a group that large sees it. `units`: what the
// time is divided by in the counter per_unit; 0: nothing.
void Run(benchmark::State& state, const std::string& computations,
         const std::vector<std::string>& parameters, const std::string& instruction,
         int64_t members = 0, double units = 0) {
  std::string text = absl::StrCat("HloModule m\n\n", computations, "\nENTRY e {\n");
  for (size_t i = 0; i < parameters.size(); ++i) {
    absl::StrAppend(&text, "  p", i, " = ", parameters[i], " parameter(", i, ")\n");
  }
  absl::StrAppend(&text, "  ROOT r = ", instruction, "\n}\n");
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  if (!module.ok()) return state.SkipWithError(module.status().ToString().c_str());
  const Instruction& root = *(*module)->entry()->root();
  absl::StatusOr<std::unique_ptr<Kernel>> kernel =
      members > 0 ? PrepareCollective(root, members, 0) : PrepareKernel(root);
  if (!kernel.ok()) return state.SkipWithError(kernel.status().ToString().c_str());
  std::vector<Literal> operands;
  std::vector<ArrayRef> inputs;
  for (int64_t member = 0; member < std::max<int64_t>(1, members); ++member) {
    for (const Instruction* operand : root.operands()) {
      operands.push_back(Operand(operand->shape(), 12345 + member));
    }
  }
  if (root.info().family == Family::kLinearAlgebra && root.opcode() != Opcode::kFft) {
    MakeDominant(operands[0]);
  }
  for (const Literal& operand : operands) inputs.push_back({&operand.shape(), operand.data()});
  std::vector<Literal> results;
  for (const Shape* leaf : Leaves(members > 0 ? analysis::CollectiveResult(root) : root.shape()))
    results.push_back(Literal::Zeros(*leaf));
  std::vector<MutableArrayRef> outputs;
  for (Literal& result : results) outputs.push_back({&result.shape(), result.mutable_data()});
  EvaluationContext context;
  const runtime::FloatEnvironmentGuard guard;
  for (auto _ : state) {
    const absl::Status status = (*kernel)->Run(inputs, outputs, context);
    if (!status.ok()) return state.SkipWithError(status.ToString().c_str());
  }
  if (units > 0) {
    using benchmark::Counter;
    state.counters["per_unit"] =
        Counter(units, Counter::kIsIterationInvariantRate | Counter::kInvert);
  }
}

constexpr char kAdd[] =
    "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n";
constexpr char kMax[] =
    "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] maximum(a, b)\n}\n";
constexpr char kLess[] =
    "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  zero = f32[] constant(0)\n  quiet = f32[] constant(nan)\n"
    "  az = pred[] compare(a, zero), direction=EQ\n  a1 = f32[] select(az, zero, a)\n"
    "  an = pred[] compare(a, a), direction=NE\n  a2 = f32[] select(an, quiet, a1)\n"
    "  bz = pred[] compare(b, zero), direction=EQ\n  b1 = f32[] select(bz, zero, b)\n"
    "  bn = pred[] compare(b, b), direction=NE\n  b2 = f32[] select(bn, quiet, b1)\n"
    "  ROOT c = pred[] compare(a2, b2), direction=LT, type=TOTALORDER\n}\n";

#define KERNEL_BENCHMARK(name, computations, instruction, ...) \
  void BM_##name(benchmark::State& state) {                    \
    Run(state, computations, {__VA_ARGS__}, instruction);      \
  }                                                            \
  BENCHMARK(BM_##name)->Unit(benchmark::kMicrosecond)

KERNEL_BENCHMARK(add_4, "", "f32[4] add(p0, p1)", "f32[4]", "f32[4]");
KERNEL_BENCHMARK(compare_scalar, "", "pred[] compare(p0, p1), direction=LT", "s32[]", "s32[]");
KERNEL_BENCHMARK(broadcast_4, "", "f32[4] broadcast(p0), dimensions={}", "f32[]");
KERNEL_BENCHMARK(dynamic_slice_4, "",
                 "f32[1,4] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={1,4}", "f32[9,4]",
                 "s32[]", "s32[]");
KERNEL_BENCHMARK(dot_4, "",
                 "f32[4,4] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                 "f32[4,4]", "f32[4,4]");
KERNEL_BENCHMARK(reduce_4, kAdd, "f32[] reduce(p0, p1), dimensions={0}, to_apply=f", "f32[4]",
                 "f32[]");
KERNEL_BENCHMARK(add_1m, "", "f32[1048576] add(p0, p1)", "f32[1048576]", "f32[1048576]");
KERNEL_BENCHMARK(maximum_1m, "", "f32[1048576] maximum(p0, p1)", "f32[1048576]", "f32[1048576]");
KERNEL_BENCHMARK(add_bf16_1m, "", "bf16[1048576] add(p0, p1)", "bf16[1048576]", "bf16[1048576]");
KERNEL_BENCHMARK(convert_1m, "", "bf16[1048576] convert(p0)", "f32[1048576]");
KERNEL_BENCHMARK(compare_1m, "", "pred[1048576] compare(p0, p1), direction=LT", "f32[1048576]",
                 "f32[1048576]");
KERNEL_BENCHMARK(exp_1m, "", "f32[1048576] exponential(p0)", "f32[1048576]");
KERNEL_BENCHMARK(tanh_1m, "", "f32[1048576] tanh(p0)", "f32[1048576]");
KERNEL_BENCHMARK(dot_256, "",
                 "f32[256,256] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                 "f32[256,256]", "f32[256,256]");
KERNEL_BENCHMARK(dot_s8_256, "",
                 "s32[256,256] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                 "s8[256,256]", "s8[256,256]");
KERNEL_BENCHMARK(conv_32x32x16, "",
                 "f32[1,32,32,16] convolution(p0, p1), window={size=3x3 pad=1_1x1_1}, "
                 "dim_labels=b01f_01io->b01f",
                 "f32[1,32,32,16]", "f32[3,3,16,16]");
KERNEL_BENCHMARK(reduce_sum_1m, kAdd, "f32[1024] reduce(p0, p1), dimensions={1}, to_apply=f",
                 "f32[1024,1024]", "f32[]");
KERNEL_BENCHMARK(reduce_columns_1m, kAdd, "f32[1024] reduce(p0, p1), dimensions={0}, to_apply=f",
                 "f32[1024,1024]", "f32[]");
KERNEL_BENCHMARK(reduce_window_256, kMax,
                 "f32[128,128] reduce-window(p0, p1), window={size=3x3 stride=2x2 pad=0_1x0_1}, "
                 "to_apply=f",
                 "f32[256,256]", "f32[]");
KERNEL_BENCHMARK(cumulative_sum_4k, kAdd,
                 "f32[4096] reduce-window(p0, p1), window={size=4096 pad=4095_0}, to_apply=f",
                 "f32[4096]", "f32[]");
#define PRODUCT(type)                                                                   \
  "f {\n  a = " type "[] parameter(0)\n  b = " type "[] parameter(1)\n  ROOT c = " type \
  "[] multiply(a, b)\n}\n"
KERNEL_BENCHMARK(complex_products_64k, PRODUCT("c64"),
                 "c64[1024] reduce(p0, p1), dimensions={1}, to_apply=f", "c64[1024,64]", "c64[]");
KERNEL_BENCHMARK(wide_complex_products_64k, PRODUCT("c128"),
                 "c128[1024] reduce(p0, p1), dimensions={1}, to_apply=f", "c128[1024,64]",
                 "c128[]");
KERNEL_BENCHMARK(complex_product_64k, PRODUCT("c64"),
                 "c64[] reduce(p0, p1), dimensions={0}, to_apply=f", "c64[65536]", "c64[]");
KERNEL_BENCHMARK(complex_window_products_4k, PRODUCT("c64"),
                 "c64[4094] reduce-window(p0, p1), window={size=3}, to_apply=f", "c64[4096]",
                 "c64[]");
KERNEL_BENCHMARK(complex_scatter_products_4k, PRODUCT("c64"),
                 "c64[1024] scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0}, "
                 "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f",
                 "c64[1024]", "s32[4096,1]", "c64[4096]");
#define SCAN_STEP(shape, op)                                                             \
  "f {\n  x = " shape " parameter(0)\n  c = " shape " parameter(1)\n  s = " shape " " op \
  "\n"                                                                                   \
  "  ROOT r = (" shape ", " shape ") tuple(s, s)\n}\n"
KERNEL_BENCHMARK(scan_sum_64k, SCAN_STEP("f32[]", "add(x, c)"),
                 "(f32[65536], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=f",
                 "f32[65536]", "f32[]");
KERNEL_BENCHMARK(scan_complex_product_4k, SCAN_STEP("c64[]", "multiply(x, c)"),
                 "(c64[4096], c64[]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=f",
                 "c64[4096]", "c64[]");
KERNEL_BENCHMARK(scan_sum_rows_1m, SCAN_STEP("f32[1024]", "add(x, c)"),
                 "(f32[1024,1024], f32[1024]) scan(p0, p1), dimensions={0}, num_carries=1, "
                 "to_apply=f",
                 "f32[1024,1024]", "f32[1024]");
KERNEL_BENCHMARK(scan_maximum_rows_1m, SCAN_STEP("f32[1024]", "maximum(x, c)"),
                 "(f32[1024,1024], f32[1024]) scan(p0, p1), dimensions={0}, num_carries=1, "
                 "to_apply=f",
                 "f32[1024,1024]", "f32[1024]");
KERNEL_BENCHMARK(scan_subtract_64k, SCAN_STEP("f32[64]", "subtract(x, c)"),
                 "(f32[1024,64], f32[64]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=f",
                 "f32[1024,64]", "f32[64]");
KERNEL_BENCHMARK(transpose_1m, "", "f32[1024,1024] transpose(p0), dimensions={1,0}",
                 "f32[1024,1024]");
KERNEL_BENCHMARK(gather_64k, "",
                 "f32[4096,16] gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, "
                 "start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}",
                 "f32[4096,16]", "s32[4096,1]");
KERNEL_BENCHMARK(scatter_add_4k, kAdd,
                 "f32[4096,16] scatter(p0, p1, p2), update_window_dims={1}, "
                 "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
                 "to_apply=f",
                 "f32[4096,16]", "s32[4096,1]", "f32[4096,16]");
KERNEL_BENCHMARK(threefry_1m, "",
                 "(u64[2], u32[1024,1024]) rng-bit-generator(p0), algorithm=rng_three_fry",
                 "u64[2]");
KERNEL_BENCHMARK(threefry_odd_1m, "",
                 "(u64[2], u32[1023,1025]) rng-bit-generator(p0), algorithm=rng_three_fry",
                 "u64[2]");
KERNEL_BENCHMARK(philox_1m, "",
                 "(u64[3], u32[1048576]) rng-bit-generator(p0), algorithm=rng_philox", "u64[3]");
#define GROUP_BENCHMARK(name, members, computations, instruction, ...) \
  void BM_##name(benchmark::State& state) {                            \
    Run(state, computations, {__VA_ARGS__}, instruction, members);     \
  }                                                                    \
  BENCHMARK(BM_##name)->Unit(benchmark::kMicrosecond)

constexpr char kSubtract[] =
    "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  ROOT c = f32[] subtract(a, b)\n}\n";

// What the collectives of 8 members are compared with: every operand copied once.
void BM_copy_8_of_1m(benchmark::State& state) {
  const Shape shape(ElementType::kF32, {1 << 20});
  std::vector<Literal> from, to;
  for (int64_t member = 0; member < 8; ++member) {
    from.push_back(Operand(shape, member));
    to.push_back(Operand(shape, member + 8));
  }
  for (auto _ : state) {
    for (int64_t member = 0; member < 8; ++member) {
      std::memcpy(to[member].mutable_data(), from[member].data(), from[member].byte_size());
    }
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_copy_8_of_1m)->Unit(benchmark::kMicrosecond);
GROUP_BENCHMARK(all_reduce_add_8_of_1m, 8, kAdd,
                "f32[1048576] all-reduce(p0), replica_groups={}, to_apply=f", "f32[1048576]");
GROUP_BENCHMARK(all_reduce_maximum_8_of_1m, 8, kMax,
                "f32[1048576] all-reduce(p0), replica_groups={}, to_apply=f", "f32[1048576]");
GROUP_BENCHMARK(all_reduce_subtract_8_of_1m, 8, kSubtract,
                "f32[1048576] all-reduce(p0), replica_groups={}, to_apply=f", "f32[1048576]");
GROUP_BENCHMARK(reduce_scatter_add_8_of_1m, 8, kAdd,
                "f32[1024,128] reduce-scatter(p0), replica_groups={}, dimensions={1}, to_apply=f",
                "f32[1024,1024]");
GROUP_BENCHMARK(all_reduce_complex_products_8_of_64k, 8, PRODUCT("c64"),
                "c64[65536] all-reduce(p0), replica_groups={}, to_apply=f", "c64[65536]");
GROUP_BENCHMARK(all_gather_8_of_1m, 8, "",
                "f32[1024,8192] all-gather(p0), replica_groups={}, dimensions={1}",
                "f32[1024,1024]");
GROUP_BENCHMARK(all_to_all_8_of_1m, 8, "",
                "f32[1024,1024] all-to-all(p0), replica_groups={}, dimensions={1}",
                "f32[1024,1024]");
KERNEL_BENCHMARK(sort_64k, kLess, "f32[65536] sort(p0), dimensions={0}, to_apply=f", "f32[65536]");

// Cost per n log2 n, per multiply-add and per cell must not grow with the size.
void BM_fft(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::string shape = absl::StrCat("c64[", n, "]");
  const auto length = static_cast<double>(n);
  Run(state, "", {shape}, absl::StrCat(shape, " fft(p0), fft_type=FFT, fft_length={", n, "}"), 0,
      length * std::log2(length));
}
BENCHMARK(BM_fft)->Arg(1024)->Arg(65536)->Arg(1009)->Arg(65521)->Arg(59049)->Unit(
    benchmark::kMicrosecond);
void BM_fft_f64(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::string shape = absl::StrCat("f64[", n, "]");
  const auto length = static_cast<double>(n);
  Run(state, "", {shape},
      absl::StrCat("c128[", n / 2 + 1, "] fft(p0), fft_type=RFFT, fft_length={", n, "}"), 0,
      length * std::log2(length));
}
BENCHMARK(BM_fft_f64)->Arg(1024)->Arg(65536)->Arg(65521)->Unit(benchmark::kMicrosecond);

void BM_cholesky(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::string shape = absl::StrCat(state.range(1) == 32 ? "f32[" : "f64[", n, ",", n, "]");
  const auto length = static_cast<double>(n);
  Run(state, "", {shape}, absl::StrCat(shape, " cholesky(p0), lower=true"), 0,
      length * length * length / 6);
}
BENCHMARK(BM_cholesky)->ArgsProduct({{64, 256}, {32, 64}})->Unit(benchmark::kMicrosecond);

void BM_triangular_solve(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::string shape = absl::StrCat("f32[", n, ",", n, "]");
  const auto length = static_cast<double>(n);
  Run(state, "", {shape, shape},
      absl::StrCat(shape,
                   " triangular-solve(p0, p1), left_side=true, lower=true, "
                   "transpose_a=NO_TRANSPOSE"),
      0, length * length * length / 2);
}
BENCHMARK(BM_triangular_solve)->Arg(64)->Arg(256)->Unit(benchmark::kMicrosecond);

void BM_batch_norm_inference(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::string shape = absl::StrCat("f32[", n, ",64]");
  Run(state, "", {shape, "f32[64]", "f32[64]", "f32[64]", "f32[64]"},
      absl::StrCat(shape, " batch-norm-inference(p0, p1, p2, p3, p4), epsilon=5, feature_index=1"),
      0, static_cast<double>(n * 64));
}
BENCHMARK(BM_batch_norm_inference)->Arg(256)->Arg(16384)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace assay::evaluator
