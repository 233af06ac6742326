// A folder for the files of a test program, which goes with all that is in it. Used by the tests
// that write files.
#ifndef ASSAY_SPEC_TESTING_TEST_FOLDER_H_
#define ASSAY_SPEC_TESTING_TEST_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace assay {

class TestFolder {
 public:
  TestFolder() : path_(absl::StrCat(::testing::TempDir(), "/assay_test_XXXXXX")) {
    EXPECT_NE(mkdtemp(path_.data()), nullptr) << path_;
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  // In the folder; nothing is made.
  std::string Path(absl::string_view name) const { return absl::StrCat(path_, "/", name); }

 private:
  std::string path_;
};

// In a folder of the whole test program.
inline std::string TestPath(absl::string_view name) {
  static const TestFolder folder;
  return folder.Path(name);
}

}  // namespace assay

#endif  // ASSAY_SPEC_TESTING_TEST_FOLDER_H_
