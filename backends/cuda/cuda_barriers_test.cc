// Every barrier of the kernels is needed: the checker reports a program that passes it without
// waiting. A launch has one block, which therefore does the work of all.
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/kernel_groups.h"
#include "backends/cuda/testing/programs.h"
#include "gmock/gmock.h"

namespace assay::cuda {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// Entry computations whose work is that of several blocks of several warps.
const char* const kPrograms[] = {
    "x = f32[20,19] iota(), iota_dimension=0 y = f32[19,18] iota(), iota_dimension=1 ROOT r = "
    "f32[20,18] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "x = f32[3,300] iota(), iota_dimension=1 z = f32[] constant(1) ROOT r = f32[3] reduce(x, z), "
    "dimensions={1}, to_apply=add",
    "x = f32[70,40] iota(), iota_dimension=1 z = f32[] constant(1) ROOT r = f32[40] reduce(x, z), "
    "dimensions={0}, to_apply=add",
    "x = f32[33,70] iota(), iota_dimension=1 ROOT r = f32[70,33] transpose(x), dimensions={1,0}",
    "x = f32[300] iota(), iota_dimension=0 y = s32[300] iota(), iota_dimension=0 ROOT r = "
    "(f32[300], s32[300]) sort(x, y), dimensions={0}, to_apply=greater",
    "a = f32[2,2,2] constant({{{4,2},{2,10}},{{9,3},{3,5}}}) ROOT r = f32[2,2,2] cholesky(a), "
    "lower=true",
    "x = f32[64,2] iota(), iota_dimension=0 g = f32[2] constant({1,2}) ROOT r = (f32[64,2], "
    "f32[2], f32[2]) batch-norm-training(x, g, g), epsilon=1, feature_index=1",
};

std::vector<std::string> BarriersOfTheKernels() {
  const std::regex barrier("^[^/]*__sync(threads|warp)[a-z_]*\\(.*");
  std::vector<std::string> sites;
  const std::string folder = absl::StrCat(ASSAY_SOURCE_DIR, "/backends/cuda/kernels");
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".cu" && file.path().extension() != ".h") continue;
    std::ifstream source(file.path());
    int number = 0;
    for (std::string line; std::getline(source, line);) {
      ++number;
      if (!std::regex_match(line, barrier)) continue;
      sites.push_back(absl::StrCat(file.path().filename().string(), ":", number));
    }
  }
  return sites;
}

// The first report of the checker if threads do not wait at a barrier; empty if there is none.
std::string ReportWithout(const std::string& barrier) {
  EmulatorOptions options;
  options.groups = checked::KernelGroups();
  options.checked = true;
  options.most_blocks = 1;
  options.omitted_barrier = barrier;
  const auto backend = testing::BackendOver(EmulatedRuntime::Create(options), /*fuse=*/false);
  for (const char* program : kPrograms) {
    const auto module = testing::ParsedModule(absl::StrCat(
        "HloModule m\n"
        "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
        "greater { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] "
        "parameter(3) ROOT r = pred[] compare(a, b), direction=GT }\nENTRY e { ",
        program, " }\n"));
    const auto result = RunOnce(*backend, *module, {});
    if (!result.ok()) return std::string(result.status().message());
  }
  return "";
}

TEST(CudaBarriers, TheCheckerReportsTheAbsenceOfEach) {
  ASSERT_EQ(ReportWithout(""), "");
  const std::vector<std::string> sites = BarriersOfTheKernels();
  EXPECT_GE(sites.size(), 14u);
  for (const std::string& site : sites) {
    EXPECT_THAT(ReportWithout(site), AnyOf(HasSubstr("that races"), HasSubstr("never written")))
        << site;
  }
}

}  // namespace
}  // namespace assay::cuda
