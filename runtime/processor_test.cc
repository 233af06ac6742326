#include "runtime/processor.h"

#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace assay::runtime {
namespace {

TEST(Processor, SetsIncludeThoseBefore) {
  EXPECT_TRUE(Supports(InstructionSet::kBaseline));
  if (Supports(InstructionSet::kAvx512)) {
    EXPECT_TRUE(Supports(InstructionSet::kAvx2));
  }
}

#if defined(__x86_64__)
// The kernel lists the instructions that it lets programs use.
TEST(Processor, AgreesWithTheKernel) {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line) && line.rfind("flags", 0) != 0) {
  }
  ASSERT_EQ(line.rfind("flags", 0), 0) << "/proc/cpuinfo lists no flags";
  const auto has_all = [&line](const std::string& names) {
    std::istringstream words(names);
    for (std::string word; words >> word;) {
      if ((line + " ").find(" " + word + " ") == std::string::npos) return false;
    }
    return true;
  };
  const bool avx2 = has_all("avx2 fma f16c bmi1 bmi2 abm popcnt");
  EXPECT_EQ(Supports(InstructionSet::kAvx2), avx2);
  EXPECT_EQ(Supports(InstructionSet::kAvx512),
            avx2 && has_all("avx512f avx512bw avx512cd avx512dq avx512vl"));
}
#else
TEST(Processor, HasTheBaselineElsewhere) { EXPECT_FALSE(Supports(InstructionSet::kAvx2)); }
#endif

}  // namespace
}  // namespace assay::runtime
