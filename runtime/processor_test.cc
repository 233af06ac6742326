#include "runtime/processor.h"

#include <sched.h>

#include <cstdlib>
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

// In a process of its own, since the number is read once.
TEST(Processor, CountsThoseThatTheProcessMayUse) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto count_with_one = [] {
    cpu_set_t one, now;
    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof now, &now);
    int first = 0;
    while (!CPU_ISSET(first, &now)) ++first;
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
    std::exit(static_cast<int>(UsableProcessors()));
  };
  EXPECT_EXIT(count_with_one(), testing::ExitedWithCode(1), "");
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
