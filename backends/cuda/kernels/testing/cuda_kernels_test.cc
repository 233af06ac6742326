// Kernels on the emulator against the reference interpreter, and what finds their mutants. The
// programs give results that are exact or far from ties, so that equal bits are asked for; every
// mutant of the kernels (device.h) must change the result of one of them.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/cuda/cuda_backend.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "spec/text/parser.h"

namespace assay::cuda {

namespace mutated {
extern int active_mutant;
const Entry* const* KernelGroups();
}  // namespace mutated

namespace {

constexpr int kMutants = 57;

// Regions that programs call.
constexpr char kRegions[] =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "mul { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] multiply(a, b) }\n"
    "min { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] minimum(a, b) }\n"
    "sub { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }\n"
    "ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
    "direction=GE }\n"
    "less { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] "
    "parameter(3) ROOT r = pred[] compare(a, b), direction=LT }\n"
    "greater { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
    "direction=GT, type=TOTALORDER }\n"
    "sum_and_difference { a = f8e4m3fn[] parameter(0) b = s32[] parameter(1) c = f8e4m3fn[] "
    "parameter(2) d = s32[] parameter(3) s = f8e4m3fn[] add(a, c) t = s32[] subtract(b, d) ROOT r "
    "= (f8e4m3fn[], s32[]) tuple(s, t) }\n"
    "exclusive { x = f32[4] parameter(0) c = f32[4] parameter(1) s = f32[4] add(c, x) ROOT r = "
    "(f32[4], f32[4]) tuple(c, s) }\n"
    "mixed { x = s32[2] parameter(0) y = s32[] parameter(1) c = s32[2] parameter(2) k = s32[] "
    "parameter(3) n = s32[] add(k, y) b = s32[2] broadcast(n), dimensions={} d = s32[2] "
    "multiply(c, "
    "b) e = s32[2] add(d, x) ROOT r = (s32[2], s32[], s32[2], s32[]) tuple(e, k, e, n) }\n"
    "without_lanes { x = s32[0] parameter(0) y = s32[] parameter(1) c = s32[0] parameter(2) k = "
    "s32[] "
    "parameter(3) n = s32[] add(k, y) b = s32[0] broadcast(n), dimensions={} d = s32[0] "
    "multiply(c, "
    "b) e = s32[0] add(d, x) ROOT r = (s32[0], s32[], s32[0], s32[]) tuple(e, k, e, n) }\n";

// An entry computation each. Arguments are small integers, the same in every run.
const char* const kPrograms[] = {
    "x = f32[3,45] parameter(0) ROOT r = f32[2,7] slice(x), slice={[1:3], [3:45:6]}",
    "x = f32[3,45] parameter(0) ROOT r = f32[45,3] reverse(x2), dimensions={1}",
    "x = f32[33,70] parameter(0) ROOT r = f32[70,33] transpose(x), dimensions={1,0}",
    "ROOT r = s32[5,6] iota(), iota_dimension=0",
    "x = f8e4m3fn[2] constant({2, 3}) s = f8e4m3fn[1] constant({4}) ROOT r = f32[] "
    "scaled-dot(x, x, s, s), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
    "x = f8e4m3fnuz[2] constant({-0.0009765625, 1}) ROOT r = f8e4m3fnuz[2] reduce-precision(x), "
    "exponent_bits=4, mantissa_bits=0",
    "x = u32[9] parameter(0) ROOT r = u8[9,4] bitcast-convert(x)",
    "x = u8[9,4] parameter(0) ROOT r = u32[9] bitcast-convert(x)",
    "x = f32[6,8] parameter(0) i = s32[] constant(9) j = s32[] constant(-3) ROOT r = f32[2,3] "
    "dynamic-slice(x, i, j), dynamic_slice_sizes={2,3}",
    "x = f32[6,8] parameter(0) u = f32[2,3] parameter(1) i = s32[] constant(3) j = s32[] "
    "constant(2) ROOT r = f32[6,8] dynamic-update-slice(x, u, i, j)",
    "x = f32[5,7] parameter(0) i = s32[3,2] constant({{1,2},{9,3},{-4,6}}) ROOT r = f32[3] "
    "gather(x, i), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, "
    "index_vector_dim=1, slice_sizes={1,1}",
    "x = f32[70,3] parameter(0) z = f32[] constant(1) ROOT r = f32[3] reduce(x, z), "
    "dimensions={0}, to_apply=add",
    "x = f32[70,40] parameter(0) z = f32[] constant(1) ROOT r = f32[40] reduce(x, z), "
    "dimensions={0}, to_apply=add",
    "x = f32[3,300] parameter(0) z = f32[] constant(-50) ROOT r = f32[3] reduce(x, z), "
    "dimensions={1}, to_apply=add",
    "x = f32[2,64] parameter(0) y = f32[2,64] clamp(one, x, two) z = f32[] constant(1) ROOT r = "
    "f32[2] reduce(y, z), dimensions={1}, to_apply=mul",
    "x = f32[2,64] parameter(0) y = f32[2,64] abs(x) h = f32[] constant(100) c = f32[2,64] "
    "broadcast(h), dimensions={} w = f32[2,64] add(y, c) ROOT r = f32[2] reduce(w, inf), "
    "dimensions={1}, to_apply=min",
    "x = f32[6,9] parameter(0) z = f32[] constant(0) ROOT r = f32[8,11] reduce-window(x, z), "
    "window={size=2x3 pad=1_2x2_2}, to_apply=add",
    "x = f32[4] parameter(0) z = f32[] constant(0) ROOT r = f32[8] reduce-window(x, z), "
    "window={size=2 lhs_dilate=2 pad=1_1}, to_apply=add",
    "x = f32[4,4] parameter(0) s = f32[2,2] parameter(1) z = f32[] constant(3) ROOT r = f32[4,4] "
    "select-and-scatter(x, s, z), window={size=2x2 stride=2x2}, select=ge, scatter=add",
    "x = f32[7,4] parameter(0) c = f32[4] parameter(1) ROOT r = (f32[7,4], f32[4]) scan(x, c), "
    "dimensions={0}, num_carries=1, to_apply=exclusive",
    "x = f32[7,4] parameter(0) c = f32[4] parameter(1) ROOT r = (f32[7,4], f32[4]) scan(x, c), "
    "dimensions={0}, num_carries=1, is_reverse=true, to_apply=exclusive",
    "x = s32[3,2] parameter(0) y = s32[3] constant({3,1,4}) c = s32[2] parameter(1) k = s32[] "
    "constant(7) ROOT r = (s32[3,2], s32[3], s32[2], s32[]) scan(x, y, c, k), dimensions={0}, "
    "num_carries=2, to_apply=mixed",
    "x = s32[3,2] parameter(0) y = s32[3] constant({3,1,4}) c = s32[2] parameter(1) k = s32[] "
    "constant(7) ROOT r = (s32[3,2], s32[3], s32[2], s32[]) scan(x, y, c, k), dimensions={0}, "
    "num_carries=2, is_reverse=true, to_apply=mixed",
    "x = s32[3,0] parameter(0) y = s32[3] constant({3,1,4}) c = s32[0] parameter(1) k = s32[] "
    "constant(7) ROOT r = (s32[3,0], s32[3], s32[0], s32[]) scan(x, y, c, k), dimensions={0}, "
    "num_carries=2, to_apply=without_lanes",
    "x = f32[300] parameter(0) y = s32[300] iota(), iota_dimension=0 ROOT r = (f32[300], "
    "s32[300]) sort(x, y), dimensions={0}, is_stable=true, to_apply=less",
    "x = f32[3,40] parameter(0) ROOT r = f32[3,40] sort(x), dimensions={1}, to_apply=greater",
    "x = f32[3,200] parameter(0) ROOT r = (f32[3,5], s32[3,5]) topk(x), k=5, largest=true",
    "x = f32[4] parameter(0) i = s32[5,1] constant({{0},{3},{1},{3},{7}}) u = f32[5] parameter(1) "
    "ROOT r = f32[4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sub",
    "x = f32[3,5] parameter(0) y = f32[5,4] parameter(1) ROOT r = f32[3,4] dot(x, y), "
    "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "x = f32[20,19] parameter(0) y = f32[19,18] parameter(1) ROOT r = f32[20,18] dot(x, y), "
    "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "x = f32[5,2] parameter(0) y = f32[2,2,3] parameter(1) s = s32[2] constant({2,2}) ROOT r = "
    "f32[5,3] ragged-dot(x, y, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
    "lhs_ragged_dims={0}, rhs_group_dims={0}",
    "x = f32[1,4,6] parameter(0) k = f32[4,2,3] parameter(1) ROOT r = f32[1,4,9] convolution(x, "
    "k), window={size=3 lhs_dilate=2 rhs_reversal=1}, dim_labels=bf0_oi0->bf0, "
    "feature_group_count=2",
    "x = c64[4] parameter(0) ROOT r = c64[4] fft(x), fft_type=IFFT, fft_length={4}",
    "x = c64[3] parameter(0) ROOT r = f32[4] fft(x), fft_type=IRFFT, fft_length={4}",
    "a = f32[2,2] constant({{4,2},{2,10}}) ROOT r = f32[2,2] cholesky(a), lower=true",
    "a = c64[2,2] constant({{(4,0),(2,2)},{(2,-2),(11,0)}}) ROOT r = c64[2,2] cholesky(a), "
    "lower=false",
    "a = f32[2,2] constant({{1,2},{2,1}}) ROOT r = f32[2,2] cholesky(a), lower=true",
    "a = f32[2,2] constant({{2,0},{3,4}}) b = f32[2,3] parameter(0) ROOT r = f32[2,3] "
    "triangular-solve(a, b), left_side=true, lower=true, transpose_a=TRANSPOSE",
    "a = f32[2,2] constant({{2,0},{3,4}}) b = f32[2,3] parameter(0) ROOT r = f32[2,3] "
    "triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, "
    "transpose_a=NO_TRANSPOSE",
    "x = f32[64,2] parameter(0) g = f32[2] parameter(1) ROOT r = (f32[64,2], f32[2], f32[2]) "
    "batch-norm-training(x, g, g), epsilon=1, feature_index=1",
    "x = f32[8,2] parameter(0) g = f32[2] parameter(1) v = f32[2] constant({3,8}) d = f32[8,2] "
    "parameter(2) ROOT r = (f32[8,2], f32[2], f32[2]) batch-norm-grad(x, g, g, v, d), epsilon=1, "
    "feature_index=1",
    "h = f64[1] constant({1.5e308}) z = f64[1] constant({0}) t = f64[1] constant({8}) ROOT r = "
    "(f64[1], f64[1], f64[1]) batch-norm-grad(h, h, h, z, t), epsilon=0.25, feature_index=0",
    "x = f64[1] constant({5.260135901548374e+210}) z = f64[1] constant({0}) v = f64[1] "
    "constant({1.0715086071862673e+301}) ROOT r = "
    "f64[1] batch-norm-inference(x, x, z, z, v), epsilon=0, feature_index=0",
    "x = f8e4m3fn[6] constant({16,1,1,1,1,1}) y = s32[6] iota(), iota_dimension=0 z = f8e4m3fn[] "
    "constant(0) n = s32[] constant(40) ROOT r = (f8e4m3fn[], s32[]) reduce(x, y, z, n), "
    "dimensions={0}, to_apply=sum_and_difference",
    "x = f8e4m3fn[1] constant({16}) y = s32[1] constant({0}) i = s32[5,1] broadcast(y), "
    "dimensions={1} u = f8e4m3fn[5] constant({1,1,1,1,1}) v = s32[5] iota(), iota_dimension=0 "
    "ROOT r = (f8e4m3fn[1], s32[1]) scatter(x, y, i, u, v), update_window_dims={}, "
    "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
    "to_apply=sum_and_difference",
    "s = u64[2] constant({7,18446744073709551615}) ROOT r = (u64[2], u32[9]) "
    "rng-bit-generator(s), algorithm=rng_philox",
    "s = u64[2] constant({7,3}) ROOT r = (u64[2], u32[6]) rng-bit-generator(s), "
    "algorithm=rng_three_fry",
    "x = f32[4] constant({1.00390625,1.01171875,2,3}) ROOT r = bf16[4] convert(x)",
    "x = s64[2] constant({9223372036854775807,72057594037927937}) y = u64[2] constant({"
    "9223372586610589697,18446742974197923841}) ROOT r = f32[2] convert(y)",
    "x = f32[3] constant({nan,1,2}) y = f32[3] constant({1,nan,3}) ROOT r = f32[3] maximum(x, y)",
};

std::unique_ptr<Module> ProgramOf(std::string entry) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    const size_t at = entry.find(from);
    if (at != std::string::npos) entry.replace(at, from.size(), to);
  };
  replace("reverse(x2)", "reverse(t)");
  replace("ROOT r = f32[45,3] reverse",
          "t = f32[45,3] transpose(x), dimensions={1,0} ROOT r = f32[45,3] reverse");
  replace("clamp(one, x, two)", "clamp(o, x, w)");
  replace("x = f32[2,64] parameter(0) y = f32[2,64] clamp",
          "x = f32[2,64] parameter(0) o = f32[] constant(1) w = f32[] constant(2) y = f32[2,64] "
          "clamp");
  replace("ROOT r = f32[2] reduce(w, inf)", "i = f32[] constant(inf) ROOT r = f32[2] reduce(w, i)");
  auto module = ParseModule(std::string(kRegions) + "ENTRY e { " + entry + " }\n");
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << entry;
  return module.ok() ? *std::move(module) : nullptr;
}

// Small integers without a pattern.
Literal ArgumentOf(const Shape& shape, uint64_t seed) {
  Literal literal = Literal::Zeros(shape);
  uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const double number = static_cast<double>(state >> 60) - 6;
    Element element = {state >> 32 & 0x7f7f7f7f};
    if (shape.element_type() == ElementType::kU8) element.bits &= 0x7f;
    if (shape.element_type() == ElementType::kF32 || shape.element_type() == ElementType::kC64) {
      element = {EncodeFloat(ElementType::kF32, number)};
      if (IsComplex(shape.element_type())) {
        element.imag = EncodeFloat(ElementType::kF32, number * 2 + 1);
      }
    }
    literal.Set(i, element);
  }
  return literal;
}
std::vector<Literal> ArgumentsOf(const Module& module) {
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module.entry()->parameters()) {
    arguments.push_back(ArgumentOf(parameter->shape(), arguments.size() + 1));
  }
  return arguments;
}

class KernelsTest : public ::testing::Test {
 protected:
  KernelsTest() {
    EmulatorOptions options;
    options.groups = mutated::KernelGroups();
    // A launch for every operation, so that each kernel is launched by its program.
    auto backend = CudaBackend::Create("cuda-mutated", EmulatedRuntime::Create(options),
                                       {.fuse = FusionTier::kKernels});
    EXPECT_TRUE(backend.ok()) << backend.status();
    if (backend.ok()) backend_ = *std::move(backend);
    for (const char* program : kPrograms) {
      modules_.push_back(ProgramOf(program));
      if (modules_.back() == nullptr) continue;
      arguments_.push_back(ArgumentsOf(*modules_.back()));
    }
  }
  ~KernelsTest() override { mutated::active_mutant = 0; }

  std::unique_ptr<CudaBackend> backend_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<std::vector<Literal>> arguments_;
};

TEST_F(KernelsTest, GiveWhatTheReferenceInterpreterGives) {
  for (size_t i = 0; i < modules_.size(); ++i) {
    ASSERT_NE(modules_[i], nullptr);
    const auto golden = Interpret(*modules_[i], arguments_[i]);
    const auto actual = RunOnce(*backend_, *modules_[i], arguments_[i]);
    ASSERT_TRUE(golden.ok() && actual.ok()) << golden.status() << actual.status() << "\n"
                                            << kPrograms[i];
    if (!golden.ok() || !actual.ok()) continue;
    EXPECT_TRUE(Literal::BitEqual(*golden, *actual)) << kPrograms[i];
  }
}

TEST_F(KernelsTest, EveryMutantChangesAResult) {
  std::vector<Literal> right;
  for (size_t i = 0; i < modules_.size(); ++i) {
    ASSERT_NE(modules_[i], nullptr);
    auto result = RunOnce(*backend_, *modules_[i], arguments_[i]);
    EXPECT_TRUE(result.ok()) << result.status();
    right.push_back(result.ok() ? *std::move(result) : Literal());
  }
  for (int mutant = 1; mutant <= kMutants; ++mutant) {
    mutated::active_mutant = mutant;
    bool found = false;
    for (size_t i = 0; i < modules_.size() && !found; ++i) {
      const auto result = RunOnce(*backend_, *modules_[i], arguments_[i]);
      found = !result.ok() || !Literal::BitEqual(*result, right[i]);
    }
    EXPECT_TRUE(found) << "mutant " << mutant;
  }
}

}  // namespace
}  // namespace assay::cuda
