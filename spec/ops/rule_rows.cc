#include "spec/ops/rule_rows.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "spec/ops/shape_inference.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

std::string ModuleText(absl::string_view prelude, absl::string_view row) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(row, absl::MaxSplits('|', 1));
  std::string text = absl::StrCat("HloModule rule\n", prelude, "\nENTRY entry {\n");
  int number = 0;
  for (absl::string_view shape : absl::StrSplit(parts.first, ';', absl::SkipWhitespace())) {
    absl::StrAppend(&text, "  p", number, " = ", absl::StripAsciiWhitespace(shape), " parameter(",
                    number, ")\n");
    ++number;
  }
  absl::StrAppend(&text, "  ROOT r = ", absl::StripAsciiWhitespace(parts.second), "\n}\n");
  return text;
}

void ExpectRefused(absl::string_view prelude, const RuleRow& row) {
  const auto bad = ParseModule(ModuleText(prelude, row.rejected));
  // Where the shape is left out, the reader asks the same rule.
  const absl::Status status = bad.ok() ? CheckModuleShapes(**bad) : bad.status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.rejected;
  EXPECT_TRUE(absl::StrContains(status.message(), absl::StrCat("[", row.clause, "]")))
      << row.rejected << "\n"
      << status;
}

}  // namespace

void ExpectRows(absl::string_view prelude, absl::Span<const RuleRow> rows) {
  for (const RuleRow& row : rows) {
    SCOPED_TRACE(row.clause);
    const auto good = ParseModule(ModuleText(prelude, row.accepted));
    ASSERT_TRUE(good.ok()) << row.accepted << "\n" << good.status();
    EXPECT_TRUE(CheckModuleShapes(**good).ok()) << row.accepted << "\n"
                                                << CheckModuleShapes(**good);
    ExpectRefused(prelude, row);
  }
}

void ExpectReaderRows(absl::string_view prelude, absl::Span<const RuleRow> rows) {
  for (const RuleRow& row : rows) {
    SCOPED_TRACE(row.clause);
    EXPECT_TRUE(ParseModule(ModuleText(prelude, row.accepted)).ok()) << row.accepted;
    ExpectRefused(prelude, row);
  }
}

void ExpectInference(absl::string_view prelude, absl::Span<const InferenceRow> rows) {
  for (const InferenceRow& row : rows) {
    const auto module = ParseModule(ModuleText(prelude, row.instruction));
    ASSERT_TRUE(module.ok()) << row.instruction << "\n" << module.status();
    EXPECT_EQ((*module)->entry()->root()->shape().ToString(true), row.shape) << row.instruction;
  }
}

}  // namespace assay
