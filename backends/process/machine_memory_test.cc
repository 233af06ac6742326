// The machine's memory from the system's files, as the two versions of control groups write them.
#include "backends/process/machine_memory.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "spec/testing/test_folder.h"

namespace assay::process {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

class MachineMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    Write("proc/meminfo", "MemFree:  1024 kB\nMemTotal:       8388608 kB\nSwapTotal: 1 kB\n");
  }
  void Write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(root_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  const TestFolder folder_;
  const std::string root_ = folder_.Path("root");
};

TEST_F(MachineMemoryTest, WithoutGroupsItIsTheMachines) {
  EXPECT_EQ(MachineMemory(root_), 8 * kGiB);
  EXPECT_EQ(MachineMemory(root_ + "/nothing"), 0);
  Write("proc/self/cgroup", "0::/a/b\n");
  EXPECT_EQ(MachineMemory(root_), 8 * kGiB);
  Write("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(MachineMemory(root_), 8 * kGiB);
}

// The limit of a group holds for all within it.
TEST_F(MachineMemoryTest, TheLeastOfTheGroupsAround) {
  Write("proc/self/cgroup", "0::/a/b\n");
  Write("sys/fs/cgroup/a/b/memory.max", "6442450944\n");
  EXPECT_EQ(MachineMemory(root_), 6 * kGiB);
  Write("sys/fs/cgroup/a/memory.max", "4294967296\n");
  EXPECT_EQ(MachineMemory(root_), 4 * kGiB);
  Write("sys/fs/cgroup/memory.max", "2147483648\n");  // as in a container
  EXPECT_EQ(MachineMemory(root_), 2 * kGiB);
}

TEST_F(MachineMemoryTest, VersionOneNamesItsControllers) {
  Write("proc/self/cgroup", "9:cpu,memory:/a\n4:pids:/a\n");
  Write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3221225472\n");
  Write("sys/fs/cgroup/a/memory.max", "1\n");  // of no group of this process
  EXPECT_EQ(MachineMemory(root_), 3 * kGiB);
  Write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");  // none
  EXPECT_EQ(MachineMemory(root_), 8 * kGiB);
}

TEST(UsualTargetMemoryTest, TargetsShareIt) {
  ASSERT_GT(MachineMemory(), 0);
  EXPECT_LE(MachineMemory(), sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
  const int64_t alone = UsualTargetMemory(1);
  if (kSanitized) {
    EXPECT_EQ(alone, 0);
    return;
  }
  EXPECT_GE(alone, MachineMemory() / 4 * 3 - 4);
  EXPECT_LE(alone * 4, MachineMemory() * 3);
  EXPECT_LE(UsualTargetMemory(4) * 4, alone);
  EXPECT_GT(UsualTargetMemory(4) * 5, alone);
}

}  // namespace
}  // namespace assay::process
