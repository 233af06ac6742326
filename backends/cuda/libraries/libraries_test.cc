// The calls of libraries, held against the recording fake (testing/): what each instruction passes
// to which function, equal results with and without graphs, every call fails once, and what is
// missing. That results are right is the suite's matter (cuda_libraries_suite).
#include "backends/cuda/libraries/libraries.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/cuda/testing/programs.h"
#include "gmock/gmock.h"

namespace assay::cuda::libraries_test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The functions of the fake that tests call.
template <typename F>
F FakeFunction(const char* name) {
  static void* const fake =
      dlopen(ASSAY_FAKE_LIBRARIES "/libcublasLt.so.13", RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<F>(dlsym(fake, name));
}
std::string TakeRecord() { return FakeFunction<const char* (*)()>("AssayFakeRecord")(); }
int64_t Objects() { return FakeFunction<int64_t (*)()>("AssayFakeObjects")(); }
int64_t Calls() { return FakeFunction<int64_t (*)()>("AssayFakeCalls")(); }
void Fail(int64_t call, int error) {
  FakeFunction<void (*)(int64_t, int)>("AssayFakeFail")(call, error);
}

std::unique_ptr<CudaBackend> LibraryBackend(std::shared_ptr<Api> api, bool libraries,
                                            bool graphs = false) {
  auto backend = CudaBackend::Create(
      "cuda-emulated", std::move(api),
      {.graphs = graphs ? GraphUse::kFromSecondRun : GraphUse::kNever, .libraries = libraries});
  EXPECT_TRUE(backend.ok()) << backend.status();
  return *std::move(backend);
}

// Quarters, whose products and sums are exact in f32 in every order.
Literal Quarters(const Shape& shape, int seed) {
  Literal literal = Literal::Zeros(shape);
  const ElementType type = shape.element_type();
  const bool complex = type == ElementType::kC64 || type == ElementType::kC128;
  const ElementType part = type == ElementType::kC64    ? ElementType::kF32
                           : type == ElementType::kC128 ? ElementType::kF64
                                                        : type;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    const int64_t number = (i * 7 + seed * 5) % 11 - 5;
    Element element;
    element.bits = IsInteger(type) ? EncodeInteger(type, static_cast<uint64_t>(number))
                                   : EncodeFloat(part, static_cast<double>(number) / 4);
    if (complex) element.imag = EncodeFloat(part, static_cast<double>(3 - number) / 4);
    literal.Set(i, element);
  }
  return literal;
}

std::vector<std::vector<Literal>> ArgumentsOf(const Module& module, int64_t devices = 1) {
  std::vector<std::vector<Literal>> arguments(devices);
  for (int64_t device = 0; device < devices; ++device) {
    for (const Instruction* parameter : module.entry()->parameters()) {
      arguments[device].push_back(Quarters(
          parameter->shape(), static_cast<int>(parameter->parameter_number() + 3 * device)));
    }
  }
  return arguments;
}

std::vector<Literal> ResultsOf(CudaBackend& backend, const Module& module, int64_t devices = 1,
                               int runs = 1) {
  const auto executable = *backend.Compile(module);
  std::vector<Literal> results;
  for (int run = 0; run < runs; ++run) {
    const auto ran = testing::Execute(backend, *executable, ArgumentsOf(module, devices));
    if (!ran.ok()) {
      ADD_FAILURE() << ran.status();
      return {};
    }
    results = *ran;
  }
  return results;
}

struct CallRow {
  const char* program;  // the instructions of the entry computation
  // The beginning of what the fake records, written by hand; empty if own kernels run.
  const char* record;
};
// Matrices: rows x columns / leading dimension / batch stride : cudaDataType. Operand b of the call
// is the left operand of the dot.
const CallRow kCalls[] = {
    {"x = f32[3,4] parameter(0) y = f32[4,5] parameter(1) ROOT d = f32[3,5] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "cublasLtMatmul compute=68 scale=0 ops=NN a=5x4/5/0:0 b=4x3/4/0:0 d=5x3/5/0:0 batches=1"},
    {"x = f32[4,3] parameter(0) y = f32[5,4] parameter(1) ROOT d = f32[3,5] dot(x, y), "
     "lhs_contracting_dims={0}, rhs_contracting_dims={1}",
     "cublasLtMatmul compute=68 scale=0 ops=TT a=4x5/4/0:0 b=3x4/3/0:0 d=5x3/5/0:0 batches=1"},
    {"x = f64[2,3,4] parameter(0) y = f64[2,4,5] parameter(1) ROOT d = f64[2,3,5] dot(x, y), "
     "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
     "cublasLtMatmul compute=70 scale=1 ops=NN a=5x4/5/20:1 b=4x3/4/12:1 d=5x3/5/15:1 batches=2"},
    // The batch lies between the rows and the terms.
    {"x = f32[3,2,4] parameter(0) y = f32[4,2,5] parameter(1) ROOT d = f32[2,3,5] dot(x, y), "
     "lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={0}",
     "cublasLtMatmul compute=68 scale=0 ops=NN a=5x4/10/5:0 b=4x3/8/4:0 d=5x3/5/15:0 batches=2"},
    // Terms that no distance walks are copied side by side.
    {"x = f32[2,3,4] parameter(0) y = f32[2,4,5] parameter(1) ROOT d = f32[3,5] dot(x, y), "
     "lhs_contracting_dims={0,2}, rhs_contracting_dims={0,1}",
     "cublasLtMatmul compute=68 scale=0 ops=NN a=5x8/5/0:0 b=8x3/8/0:0 d=5x3/5/0:0 batches=1"},
    {"x = bf16[3,4] parameter(0) y = bf16[4] parameter(1) ROOT d = f32[3] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "cublasLtMatmul compute=68 scale=0 ops=TN a=4x1/4/0:14 b=4x3/4/0:14 d=1x3/1/0:0 batches=1"},
    {"x = f16[3,4] parameter(0) y = f16[4,5] parameter(1) ROOT d = f16[3,5] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "cublasLtMatmul compute=68 scale=0 ops=NN a=5x4/5/0:2 b=4x3/4/0:2 d=5x3/5/0:2 batches=1"},
    {"x = c64[3,4] parameter(0) y = c64[4,5] parameter(1) ROOT d = c64[3,5] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "cublasLtMatmul compute=68 scale=4 ops=NN a=5x4/5/0:4 b=4x3/4/0:4 d=5x3/5/0:4 batches=1"},
    {"x = c128[3,4] parameter(0) y = c128[4,5] parameter(1) ROOT d = c128[3,5] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "cublasLtMatmul compute=70 scale=5 ops=NN a=5x4/5/0:5 b=4x3/4/0:5 d=5x3/5/0:5 batches=1"},
    {"x = f32[3,4] parameter(0) y = f32[4,5] parameter(1) ROOT d = f32[3,5] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,highest}",
     "cublasLtMatmul compute=69 "},
    {"x = f32[3,4] parameter(0) y = f32[4,5] parameter(1) ROOT d = f32[3,5] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_tf32_tf32_f32",
     "cublasLtMatmul compute=77 "},
    {"x = f32[3,4] parameter(0) y = f32[4,5] parameter(1) ROOT d = f32[3,5] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32_x9",
     "cublasLtMatmul compute=78 "},
    // No compute type of the library is that algorithm.
    {"x = f32[3,4] parameter(0) y = f32[4,5] parameter(1) ROOT d = f32[3,5] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32_x3",
     ""},
    {"x = s32[3,4] parameter(0) y = s32[4,5] parameter(1) ROOT d = s32[3,5] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     ""},
    {"x = f32[3,4] parameter(0) y = f32[4,5] parameter(1) b = f32[5] parameter(2)\n"
     "d = f32[3,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
     "s = f32[3,5] broadcast(b), dimensions={1} ROOT a = f32[3,5] add(d, s)",
     "cublasLtMatmul compute=68 scale=0 ops=NN a=5x4/5/0:0 b=4x3/4/0:0 d=5x3/5/0:0 batches=1 "
     "bias"},
    // A bias of the rows is none of the library's.
    {"x = f32[3,4] parameter(0) y = f32[4,3] parameter(1) b = f32[3] parameter(2)\n"
     "d = f32[3,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
     "s = f32[3,3] broadcast(b), dimensions={0} ROOT a = f32[3,3] add(d, s)",
     "cublasLtMatmul compute=68 scale=0 ops=NN a=3x4/3/0:0 b=4x3/4/0:0 d=3x3/3/0:0 batches=1\n"},
    // Strides of the layouts, padding, and the reversal of a kernel.
    {"x = f32[2,5,6,4] parameter(0) k = f32[3,2,4,8] parameter(1) ROOT c = f32[2,5,3,8] "
     "convolution(x, k), window={size=3x2 stride=1x2 pad=1_1x0_0}, dim_labels=b01f_01io->b01f",
     "cudnnConvolutionForward type=0 x=2x4x5x6/120x1x24x4 w=8x4x3x2 y=2x8x5x3/120x1x24x8 "
     "padding=1x0 strides=1x2 dilations=1x1 mode=1 groups=1 algorithm=1"},
    {"x = f16[1,4,7] parameter(0) k = f16[6,2,3] parameter(1) ROOT c = f16[1,6,3] "
     "convolution(x, k), window={size=3 rhs_dilate=2 rhs_reversal=1}, dim_labels=bf0_oi0->bf0, "
     "feature_group_count=2",
     "cudnnConvolutionForward type=2 x=1x4x7x1/28x7x1x1 w=6x2x3x1 y=1x6x3x1/18x3x1x1 padding=0x0 "
     "strides=1x1 dilations=2x1 mode=0 groups=2 algorithm=0"},
    {"x = f32[1,1,5] parameter(0) k = f32[1,1,2] parameter(1) ROOT c = f32[1,1,5] "
     "convolution(x, k), window={size=2 pad=1_0}, dim_labels=bf0_oi0->bf0",
     ""},
    {"x = c64[3,4] parameter(0) ROOT f = c64[3,4] fft(x), fft_type=FFT, fft_length={4}",
     "cufftExec type=41 lengths=4 batches=3 direction=-1"},
    {"x = f64[2,4,6] parameter(0) ROOT f = c128[2,4,4] fft(x), fft_type=RFFT, fft_length={4,6}",
     "cufftExec type=106 lengths=4x6 batches=2 direction=-1"},
    {"x = c64[2,3] parameter(0) ROOT f = f32[2,4] fft(x), fft_type=IRFFT, fft_length={4}",
     "cufftExec type=44 lengths=4 batches=2 direction=1"},
    {"x = f32[2,2] parameter(0) t = f32[2,2] transpose(x), dimensions={1,0}\n"
     "p = f32[2,2] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
     "ROOT c = f32[2,2] cholesky(p), lower=true",
     "cublasLtMatmul compute=68 scale=0 ops=NN a=2x2/2/0:0 b=2x2/2/0:0 d=2x2/2/0:0 batches=1\n"
     "cusolverDnXpotrf type=0 triangle=1 n=2\n"},
    {"a = c64[2,3,3] parameter(0) b = c64[2,3,5] parameter(1) ROOT s = c64[2,3,5] "
     "triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, "
     "transpose_a=ADJOINT",
     "cublasXtrsm type=4 side=1 triangle=1 transpose=2 diagonal=1 m=5 n=3 lda=3 ldb=5\n"
     "cublasXtrsm type=4 side=1 triangle=1 transpose=2 diagonal=1 m=5 n=3 lda=3 ldb=5\n"},
    {"a = f64[3,3] parameter(0) b = f64[5,3] parameter(1) ROOT s = f64[5,3] "
     "triangular-solve(a, b), left_side=false, lower=false, unit_diagonal=true, "
     "transpose_a=TRANSPOSE",
     "cublasXtrsm type=1 side=0 triangle=0 transpose=1 diagonal=1 m=3 n=5 lda=3 ldb=3\n"},
};

class LibrariesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("ASSAY_CUDA_LIBRARIES", ASSAY_FAKE_LIBRARIES, 1);
    Fail(0, 0);
    TakeRecord();
  }
};

std::unique_ptr<Module> ModuleOf(absl::string_view program) {
  return testing::ParsedModule(absl::StrCat("HloModule m\nENTRY e {\n", program, "\n}\n"));
}

TEST_F(LibrariesTest, GetWhatTheInstructionSays) {
  for (const CallRow& row : kCalls) {
    const auto module = ModuleOf(row.program);
    const auto plain = LibraryBackend(EmulatedRuntime::Create({}), false);
    const std::vector<Literal> expected = ResultsOf(*plain, *module);
    EXPECT_EQ(TakeRecord(), "");
    const auto backend = LibraryBackend(EmulatedRuntime::Create({.seed = 5}), true);
    const std::vector<Literal> results = ResultsOf(*backend, *module);
    const std::string record = TakeRecord();
    EXPECT_THAT(record, StartsWith(row.record)) << row.program;
    EXPECT_EQ(record.empty(), std::string(row.record).empty()) << row.program << "\n" << record;
    // Quarters give exact sums; functions are the suite's matter.
    const bool exact =
        absl::StrContains(row.program, "dot(") || absl::StrContains(row.program, "convolution(");
    if (exact && !absl::StrContains(row.program, "cholesky")) {
      EXPECT_TRUE(testing::AreEqual(results, expected)) << row.program;
    }
    // As graphs the calls give the same bits.
    const auto graphs = LibraryBackend(EmulatedRuntime::Create({.seed = 9}), true, true);
    EXPECT_TRUE(testing::AreEqual(ResultsOf(*graphs, *module, 1, 5), results)) << row.program;
    TakeRecord();
  }
}

struct GroupRow {
  const char* program;
  const char* record;  // kind: all-reduce 0, reduce-scatter 1, all-gather 2, exchange 3
};
const GroupRow kGroups[] = {
    {"x = f32[4,3] parameter(0) ROOT r = f32[4,3] all-reduce(x), replica_groups={}, to_apply=sum",
     "nccl kind=0 ranks=4 count=12 type=7 operation=0\n"},
    {"x = f32[4,3] parameter(0) ROOT r = f32[1,3] reduce-scatter(x), replica_groups={}, "
     "dimensions={0}, to_apply=sum",
     "nccl kind=1 ranks=4 count=3 type=7 operation=0\n"},
    {"x = f32[1,3] parameter(0) ROOT r = f32[4,3] all-gather(x), replica_groups={}, "
     "dimensions={0}",
     "nccl kind=2 ranks=4 count=3 type=7 operation=0\n"},
    {"x = f32[4,3] parameter(0) ROOT r = f32[4,3] all-to-all(x), replica_groups={}, "
     "dimensions={0}",
     "nccl kind=3 ranks=4 count=3 type=7 operation=0\n"},
    // Two groups, of which each has communicators of its own.
    {"x = f32[3] parameter(0) ROOT r = f32[3] all-reduce(x), replica_groups={{0,2},{3,1}}, "
     "to_apply=sum",
     "nccl kind=0 ranks=2 count=3 type=7 operation=0\n"
     "nccl kind=0 ranks=2 count=3 type=7 operation=0\n"},
    // Parts that do not lie side by side, and a maximum of floats.
    {"x = f32[3,1] parameter(0) ROOT r = f32[3,4] all-gather(x), replica_groups={}, "
     "dimensions={1}",
     ""},
    {"x = f32[4,3] parameter(0) ROOT r = f32[4,3] all-reduce(x), replica_groups={}, to_apply=most",
     ""},
};

TEST_F(LibrariesTest, ComputeCollectivesOnAllDevices) {
  for (const GroupRow& row : kGroups) {
    const auto module = testing::ParsedModule(absl::StrCat(
        "HloModule m, replica_count=4\n"
        "sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
        "most { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] maximum(x, y) }\n"
        "ENTRY e { ",
        row.program, " }\n"));
    const auto plain = LibraryBackend(EmulatedRuntime::Create({.devices = 4}), false);
    const std::vector<Literal> expected = ResultsOf(*plain, *module, 4);
    TakeRecord();
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const auto backend =
          LibraryBackend(EmulatedRuntime::Create({.seed = seed, .devices = 4}), true);
      EXPECT_TRUE(testing::AreEqual(ResultsOf(*backend, *module, 4), expected)) << row.program;
      EXPECT_EQ(TakeRecord(), row.record) << row.program;
    }
    // Members that share a device run own kernels.
    const auto backend = LibraryBackend(EmulatedRuntime::Create({.devices = 3}), true);
    EXPECT_TRUE(testing::AreEqual(ResultsOf(*backend, *module, 4), expected)) << row.program;
  }
}

// Runs a program whose n-th call of a library fails, and then without a fault. Returns false if it
// makes fewer calls than n.
bool RunsWithFault(const Module& module, int64_t devices, int64_t n, int error,
                   const std::vector<Literal>& expected) {
  const std::shared_ptr<EmulatedRuntime> runtime =
      EmulatedRuntime::Create({.devices = static_cast<int>(devices)});
  const int64_t objects = Objects();
  bool fails = false;
  {
    const auto backend = LibraryBackend(runtime, true);
    const auto executable = *backend->Compile(module);
    const auto arguments = ArgumentsOf(module, devices);
    const int64_t before = Calls();
    Fail(n, error);
    const auto failed = testing::Execute(*backend, *executable, arguments);
    fails = Calls() - before >= n;
    Fail(0, 0);
    EXPECT_EQ(failed.ok(), !fails) << failed.status();
    if (fails) {
      EXPECT_THAT(
          std::string(failed.status().message()),
          AllOf(HasSubstr("CUDA device "), HasSubstr(absl::StrCat("error ", error, " of "))));
    }
    const auto again = testing::Execute(*backend, *executable, arguments);
    EXPECT_TRUE(again.ok() && testing::AreEqual(*again, expected)) << again.status();
  }
  for (int64_t device = 0; device < devices; ++device) {
    runtime->SetDevice(static_cast<int>(device));
    runtime->DeviceSynchronize();
  }
  EXPECT_EQ(Objects(), objects) << "after call " << n;
  EXPECT_EQ(runtime->counts().live_allocations, 0);
  EXPECT_EQ(runtime->counts().live_events, 0);
  return fails;
}

TEST_F(LibrariesTest, FailWithOneErrorAndLeakNothing) {
  const char* const programs[] = {kCalls[4].program,  kCalls[14].program, kCalls[16].program,
                                  kCalls[21].program, kCalls[22].program, kCalls[23].program};
  for (const char* program : programs) {
    const auto module = ModuleOf(program);
    const auto backend = LibraryBackend(EmulatedRuntime::Create({}), true);
    const std::vector<Literal> expected = ResultsOf(*backend, *module);
    int64_t n = 1;
    while (RunsWithFault(*module, 1, n, n % 2 == 0 ? 14 : 7, expected) && !HasFailure()) ++n;
    EXPECT_GT(n, 5) << program;
    ASSERT_FALSE(HasFailure()) << "call " << n << " of " << program;
  }
  const auto module = testing::ParsedModule(absl::StrCat(
      "HloModule m, replica_count=4\n"
      "sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
      "ENTRY e { ",
      kGroups[0].program, " }\n"));
  const auto backend = LibraryBackend(EmulatedRuntime::Create({.devices = 4}), true);
  const std::vector<Literal> expected = ResultsOf(*backend, *module, 4);
  int64_t n = 1;
  while (RunsWithFault(*module, 4, n, 3, expected) && !HasFailure()) ++n;
  EXPECT_EQ(n, 8);  // the communicators, the group's start and end, and a call for each member
}

// Memory of the device that runs out between the calls, too.
TEST_F(LibrariesTest, FailuresOfTheDeviceLeakNothing) {
  const auto module = ModuleOf(kCalls[22].program);
  const int64_t objects = Objects();
  for (int64_t n = 1; n < 60; ++n) {
    const std::shared_ptr<EmulatedRuntime> runtime = EmulatedRuntime::Create({});
    {
      const auto backend = LibraryBackend(runtime, true);
      const auto executable = *backend->Compile(*module);
      runtime->Inject(n, n % 2 == 0 ? Error::kMemoryAllocation : Error::kLaunchFailure);
      testing::Execute(*backend, *executable, ArgumentsOf(*module)).status().IgnoreError();
      runtime->Inject(0, Error::kSuccess);
      EXPECT_TRUE(testing::Execute(*backend, *executable, ArgumentsOf(*module)).ok()) << n;
    }
    runtime->DeviceSynchronize();
    EXPECT_EQ(runtime->counts().live_allocations, 0) << n;
  }
  // A reset has taken the handles of a lost device, which are not destroyed again.
  EXPECT_GE(Objects(), objects);
}

// Returns what a run prints when the libraries are in this folder.
std::string MissingLine(const std::string& folder) {
  setenv("ASSAY_CUDA_LIBRARIES", folder.c_str(), 1);
  ::testing::internal::CaptureStderr();
  const auto module = ModuleOf(kCalls[0].program);
  const auto backend = LibraryBackend(EmulatedRuntime::Create({}), true);
  EXPECT_EQ(ResultsOf(*backend, *module).size(), 1u);
  EXPECT_EQ(ResultsOf(*backend, *module).size(), 1u);
  return ::testing::internal::GetCapturedStderr();
}

TEST_F(LibrariesTest, AreMissedInOneLine) {
  const std::string nowhere = MissingLine("/nowhere");
  EXPECT_THAT(nowhere, StartsWith("cuda: cuBLASLt is missing (/nowhere/libcublasLt.so.13: "));
  EXPECT_THAT(nowhere, HasSubstr("; own kernels run instead\n"));
  EXPECT_EQ(std::count(nowhere.begin(), nowhere.end(), '\n'), 1);
  // Another library under that name.
  Dl_info info;
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&std::malloc), &info), 0);
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "assay_other_libraries";
  std::filesystem::create_directories(folder);
  std::filesystem::remove(folder / "libcublasLt.so.13");
  std::filesystem::create_symlink(info.dli_fname, folder / "libcublasLt.so.13");
  const std::string other = MissingLine(folder.string());
  EXPECT_THAT(other, AnyOf(HasSubstr("libcublasLt.so.13 has no cublasLtCreate"),
                           HasSubstr("libcublasLt.so.13: ")));
  EXPECT_EQ(std::count(other.begin(), other.end(), '\n'), 1);
}

}  // namespace
}  // namespace assay::cuda::libraries_test
