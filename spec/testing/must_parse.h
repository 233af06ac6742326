// A module from its text, for tests.
#ifndef ASSAY_SPEC_TESTING_MUST_PARSE_H_
#define ASSAY_SPEC_TESTING_MUST_PARSE_H_

#include <memory>
#include <utility>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay {

// Returns null, and fails the test, if the text is not a module.
inline std::unique_ptr<Module> MustParse(absl::string_view text) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : nullptr;
}

}  // namespace assay

#endif  // ASSAY_SPEC_TESTING_MUST_PARSE_H_
