// Samples and the worked examples of the text format, for the tests of this folder.
#ifndef ASSAY_SPEC_PROTO_PROTO_TEST_UTIL_H_
#define ASSAY_SPEC_PROTO_PROTO_TEST_UTIL_H_

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/files/file_io.h"
#include "spec/testing/must_parse.h"
#include "spec/text/parser.h"

namespace assay {

inline const std::string kSamples = std::string(ASSAY_SOURCE_DIR) + "/conformance/samples/";

// Sorted, with their folder.
inline std::vector<std::string> SamplesEndingIn(const std::string& suffix,
                                                const std::string& but_not = "\n") {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kSamples)) {
    const std::string path = entry.path().string();
    const auto ends_in = [&](const std::string& end) {
      return path.size() >= end.size() && path.substr(path.size() - end.size()) == end;
    };
    if (ends_in(suffix) && !ends_in(but_not)) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

inline std::string ReadOrDie(const std::string& path) {
  absl::StatusOr<std::string> content = ReadFile(path);
  EXPECT_TRUE(content.ok()) << content.status();
  return content.ok() ? *content : "";
}

}  // namespace assay

#endif  // ASSAY_SPEC_PROTO_PROTO_TEST_UTIL_H_
