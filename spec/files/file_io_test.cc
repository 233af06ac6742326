#include "spec/files/file_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "spec/testing/test_folder.h"

namespace assay::file_io_test {
namespace {

using ::testing::HasSubstr;

TEST(ReadFile, SaysWhyNot) {
  EXPECT_EQ(ReadFile("/no/such/file").status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(ReadFile(::testing::TempDir()).status().message()),
              HasSubstr("is a directory"));
  const std::string path = TestPath("huge");
  { std::ofstream(path) << "x"; }
  ASSERT_EQ(truncate(path.c_str(), off_t{1} << 32), 0);  // sparse
  EXPECT_EQ(ReadFile(path).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(ReadFile(path, 1 << 16).status().message()),
              HasSubstr("larger than 64 KiB"));
}

TEST(WriteFile, ReplacesWholeFilesOnly) {
  const std::string folder = TestPath("folder");
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  const std::string path = folder + "/file";
  const std::string link = folder + "/link";
  ASSERT_TRUE(WriteFileAtomically(path, "one").ok());
  ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
  ASSERT_TRUE(WriteFileAtomically(link, "two").ok());
  EXPECT_EQ(*ReadFile(path), "two");
  struct stat info;
  ASSERT_EQ(lstat(link.c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  EXPECT_TRUE(WriteFileAtomically("/dev/null", "three").ok());
  EXPECT_EQ(WriteFileAtomically(folder + "/none/file", "x").code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(WriteFileAtomically(folder, "x").message()), HasSubstr("is a directory"));
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 2u);  // nothing is left beside
}

}  // namespace
}  // namespace assay::file_io_test
