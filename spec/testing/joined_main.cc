// The main function of a test program that several tests of a folder share (assay_joined_tests() in
// cmake/AssayHelpers.cmake). CTest runs each test by itself: the arguments are the source files of
// that test, and only the cases that these files define run. Without arguments all cases run, or
// those that --gtest_filter selects. Every test of a joined program covers this file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace {

// A filter for GoogleTest that selects the cases of `file`, which is a name without folder. Empty
// if there are none.
std::string CasesOf(absl::string_view file) {
  std::string filter;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int s = 0; s < program.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *program.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      if (absl::EndsWith(test.file(), absl::StrCat("/", file))) {
        absl::StrAppend(&filter, suite.name(), ".", test.name(), ":");
      }
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  std::string filter;
  for (int i = 1; i < argc; ++i) {
    const std::string cases = CasesOf(argv[i]);
    if (cases.empty()) {
      std::fprintf(stderr, "%s: no case is defined in a file named %s\n", argv[0], argv[i]);
      return 2;
    }
    filter += cases;
  }
  if (!filter.empty()) testing::GTEST_FLAG(filter) = filter;
  return RUN_ALL_TESTS();
}
