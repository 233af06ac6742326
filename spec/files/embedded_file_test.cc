// Files that the build embeds have the bytes that they have in the tree.
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/files/embedded_file_testing.h"
#include "spec/files/file_io.h"

namespace assay {
namespace {

using testing::ElementsAre;

absl::string_view EmbeddedText(absl::string_view name) {
  for (const EmbeddedFile& file : TestingFiles()) {
    if (file.name == name) return file.text;
  }
  return "no such file";
}

std::string Content(const std::string& name) {
  const absl::StatusOr<std::string> text =
      ReadFile(absl::StrCat(ASSAY_SOURCE_DIR "/spec/files/", name), 1 << 20);
  return text.ok() ? *text : text.status().ToString();
}

TEST(EmbeddedFile, HasTheBytesOfTheFile) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : TestingFiles()) names.emplace_back(file.name);
  EXPECT_THAT(names, ElementsAre("bytes", "joined", "empty", "last"));
  EXPECT_EQ(EmbeddedText("bytes"), Content("testdata/bytes.bin"));
  EXPECT_EQ(EmbeddedText("last"), Content("file_io.h"));
}

TEST(EmbeddedFile, JoinsFilesOfOneName) {
  EXPECT_EQ(EmbeddedText("joined"), absl::StrCat(Content("file_io.h"), Content("file_io.cc")));
}

TEST(EmbeddedFile, MayBeEmpty) { EXPECT_EQ(EmbeddedText("empty"), ""); }

}  // namespace
}  // namespace assay
