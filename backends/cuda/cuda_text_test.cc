// Generated kernels of fusions: the same bits as one kernel for each operation and as the kernel
// that interprets programs, on random programs, and files that keep them. ASSAY_TEXT_PROGRAMS is
// the number of large programs that run instead of a small one. cuda_nvrtc_test.cc has NVRTC's
// kernels.
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/testing/fused_program.h"
#include "backends/cuda/testing/programs.h"
#include "backends/cuda/text/fusion_text.h"
#include "backends/cuda/text/text_kernels.h"
#include "gmock/gmock.h"

namespace assay::cuda {
namespace {

constexpr int64_t kElements = 70;

// A random program of elementwise operations on two arguments of f32.
class ProgramMaker {
 public:
  // A small program has the types whose functions are compiled fast.
  ProgramMaker(uint32_t seed, bool small) : random_(seed) {
    types_ = {"f32", "bf16", "s32"};
    if (!small) types_.insert(types_.end(), {"f64", "u8", "c64"});
  }

  std::string Make(int operations) {
    text_ = absl::StrCat("HloModule m\nENTRY e {\n  f32_0 = f32[", kElements,
                         "] parameter(0)\n  f32_1 = f32[", kElements, "] parameter(1)\n");
    counts_ = {{"f32", 2}};
    for (int i = 0; i < operations; ++i) AddOperation();
    // The bits of every type's last value go into one result, so that one kernel is compiled.
    std::string sum = "s32_sum";
    absl::StrAppend(&text_, "  ", sum, " = s32[", kElements, "] bitcast-convert(f32_0)\n");
    int number = 0;
    for (const auto& [type, count] : counts_) {
      const std::string bits = absl::StrCat("bits_", ++number), next = absl::StrCat("sum_", number);
      absl::StrAppend(&text_, "  float_", number, " = f32[", kElements, "] ", FloatOf(type, count),
                      "\n  ", bits, " = s32[", kElements, "] bitcast-convert(float_", number,
                      ")\n  ", next, " = s32[", kElements, "] xor(", sum, ", ", bits, ")\n");
      sum = next;
    }
    return absl::StrCat(text_, "  ROOT r = s32[", kElements, "] negate(", sum, ")\n}\n");
  }

 private:
  // The last value of a type as a float.
  static std::string FloatOf(const std::string& type, int count) {
    return absl::StrCat(type == "c64" ? "imag(" : "convert(", type, "_", count - 1, ")");
  }
  int Below(size_t n) { return static_cast<int>(random_() % n); }
  std::string Any(const std::string& type) { return absl::StrCat(type, "_", Below(counts_[type])); }
  void Add(const std::string& type, const std::string& call) {
    absl::StrAppend(&text_, "  ", type, "_", counts_[type]++, " = ", type, "[", kElements, "] ",
                    call, "\n");
  }
  void AddOperation() {
    static const std::vector<std::string> unary = {"negate", "exponential", "tanh",  "abs",
                                                   "sqrt",   "log",         "floor", "logistic"};
    static const std::vector<std::string> binary = {"add",     "subtract", "multiply",
                                                    "maximum", "minimum",  "divide"};
    std::string type = types_[Below(types_.size())];
    if (counts_.count(type) == 0) {
      const bool is_complex = type == "c64";
      return Add(type, is_complex ? absl::StrCat("complex(", Any("f32"), ", ", Any("f32"), ")")
                                  : absl::StrCat("convert(", Any("f32"), ")"));
    }
    const bool is_float = type == "f32" || type == "bf16" || type == "f64";
    if (is_float && Below(3) == 0) {
      return Add(type, absl::StrCat(unary[Below(unary.size())], "(", Any(type), ")"));
    }
    if (is_float && Below(4) == 0) {
      Add("pred", absl::StrCat("compare(", Any(type), ", ", Any(type), "), direction=LT"));
      return Add(type, absl::StrCat("select(", Any("pred"), ", ", Any(type), ", ", Any(type), ")"));
    }
    const size_t kinds = type == "c64" ? 3 : binary.size();
    Add(type, absl::StrCat(binary[Below(kinds)], "(", Any(type), ", ", Any(type), ")"));
  }

  std::mt19937 random_;
  std::vector<std::string> types_;
  std::string text_;
  std::map<std::string, int> counts_;  // of the values of a type
};

Literal RandomFloats(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(kElements);
  for (float& value : values)
    value = static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 64;
  values[0] = 0;
  values[1] = -0.0f;
  return testing::Floats(values);
}

std::vector<Literal> ResultsOf(const Module& module, FusionTier tier, const std::string& folder,
                               const std::vector<Literal>& arguments) {
  CudaOptions options;
  options.fuse = tier;
  options.texts = folder;
  const auto backend = *CudaBackend::Create("cuda-emulated", EmulatedRuntime::Create({}), options);
  const auto executable = backend->Compile(module);
  EXPECT_TRUE(executable.ok()) << executable.status();
  if (!executable.ok()) return {};
  const auto results = testing::Execute(*backend, **executable, {arguments});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? *results : std::vector<Literal>();
}

void ExpectEqual(const std::vector<Literal>& a, const std::vector<Literal>& b,
                 const std::string& text) {
  ASSERT_EQ(a.size(), b.size()) << text;
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(Literal::BitEqual(a[i], b[i])) << "result " << i << " of\n" << text;
  }
}

std::string NewFolder(const std::string& name) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / name;
  std::filesystem::remove_all(folder);
  return folder.string();
}

TEST(CudaText, TheThreeTiersGiveTheSameBits) {
  ASSERT_TRUE(text::FindHostCompiler().ok()) << text::FindHostCompiler().status();
  const char* const number = std::getenv("ASSAY_TEXT_PROGRAMS");
  const int programs = number == nullptr ? 1 : std::atoi(number);
  const std::string folder = NewFolder("assay_tiers");
  for (int seed = 1; seed <= programs; ++seed) {
    const std::string text = ProgramMaker(seed, number == nullptr).Make(number == nullptr ? 8 : 24);
    const auto module = testing::ParsedModule(text);
    const std::vector<Literal> arguments = {RandomFloats(2 * seed), RandomFloats(2 * seed + 1)};
    const auto expected = ResultsOf(*module, FusionTier::kKernels, "", arguments);
    ExpectEqual(ResultsOf(*module, FusionTier::kBytecode, "", arguments), expected, text);
    ExpectEqual(ResultsOf(*module, FusionTier::kText, folder, arguments), expected, text);
  }
  EXPECT_FALSE(std::filesystem::is_empty(folder));
}

// Records what it is asked for, and returns no kernels.
class RecordingCompiler : public text::TextCompiler {
 public:
  explicit RecordingCompiler(std::vector<std::string>* texts) : texts_(*texts) {}
  absl::StatusOr<std::string> Compile(const std::string& text,
                                      const std::string& /*target*/) override {
    texts_.push_back(text);
    return "no library";
  }

 private:
  std::vector<std::string>& texts_;
};

TEST(CudaText, IsAStraightLineOfSteps) {
  const auto module = testing::ParsedModule(testing::kFused);
  const KernelPlan plan = testing::FusedPlan(*module);
  ASSERT_EQ(plan.launches.size(), 1u);
  const auto text = text::FusionText(plan.launches[0], plan);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, ::testing::HasSubstr("Position(p.box, p.strides["));
  EXPECT_THAT(*text, ::testing::HasSubstr(" = ApplyCase<s0.op, s0.in.kind>(s0, "));
  EXPECT_THAT(*text, ::testing::HasSubstr(" = ApplyCase<s1.op, s1.in.kind>(s1, "));
  EXPECT_THAT(*text, ::testing::Not(::testing::HasSubstr("(s2, ")));
  // 2.5f is 0x40200000.
  EXPECT_THAT(*text, ::testing::HasSubstr("Value{1075838976ull, 0ull}"));
}

TEST(CudaText, FilesKeepImagesAndDamagedOnesAreMadeAgain) {
  const auto module = testing::ParsedModule(testing::kFused);
  const KernelPlan plan = testing::FusedPlan(*module);
  const std::string folder = NewFolder("assay_texts");
  std::vector<std::string> compiled;
  const auto find = [&](const std::string& target) {
    text::TextKernels kernels(EmulatedRuntime::Create({}),
                              std::make_unique<RecordingCompiler>(&compiled), target, folder);
    // What the compiler returned is no library.
    EXPECT_EQ(kernels.Find(plan.launches[0], plan).status().code(), absl::StatusCode::kInternal);
  };
  find("host");
  EXPECT_EQ(compiled.size(), 1u);
  find("host");
  EXPECT_EQ(compiled.size(), 1u);
  find("sm_90");
  EXPECT_EQ(compiled.size(), 2u);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ofstream(file.path(), std::ios::trunc) << "assay fusion";
  }
  find("host");
  EXPECT_EQ(compiled.size(), 3u);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) - 1);
  }
  find("host");
  EXPECT_EQ(compiled.size(), 4u);
  find("host");
  EXPECT_EQ(compiled.size(), 4u);
}

TEST(CudaText, FilesThatCannotBeWrittenLeaveNothing) {
  const auto module = testing::ParsedModule(testing::kFused);
  const KernelPlan plan = testing::FusedPlan(*module);
  const std::string folder = NewFolder("assay_no_texts");
  std::vector<std::string> compiled;
  text::TextKernels kernels(EmulatedRuntime::Create({}),
                            std::make_unique<RecordingCompiler>(&compiled), "host", folder);
  // A file of more bytes is an error, as on a full disk.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {64, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = kernels.Find(plan.launches[0], plan).status();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);  // no library
  EXPECT_EQ(compiled.size(), 1u);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(CudaText, WithoutACompilerFusionsRunAsBytecode) {
  const char* const before = std::getenv("CXX");
  const std::string saved = before == nullptr ? "" : before;
  setenv("CXX", "/nowhere/c++", 1);
  const auto module = testing::ParsedModule(ProgramMaker(5, /*small=*/true).Make(8));
  const std::vector<Literal> arguments = {RandomFloats(1), RandomFloats(2)};
  ::testing::internal::CaptureStderr();
  const auto results = ResultsOf(*module, FusionTier::kText, "", arguments);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "cuda-emulated: the compiler of the host is missing (/nowhere/c++); fusions run as "
            "bytecode\n");
  ExpectEqual(results, ResultsOf(*module, FusionTier::kKernels, "", arguments), "");
  if (before == nullptr) {
    unsetenv("CXX");
  } else {
    setenv("CXX", saved.c_str(), 1);
  }
}

}  // namespace
}  // namespace assay::cuda
