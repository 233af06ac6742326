// What a pass makes of a small module, as text. Used by passes_test.cc and pass_limits_test.cc.
#ifndef ASSAY_CONFORMANCE_PASSES_AFTER_H_
#define ASSAY_CONFORMANCE_PASSES_AFTER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "backends/passes/pass.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"

namespace assay::conformance {

// Returns the module after one pass as text, or the message of an error.
inline std::string After(std::unique_ptr<passes::Pass> pass, const std::string& entry,
                         const std::string& before = "") {
  absl::StatusOr<std::unique_ptr<Module>> module =
      ParseModule("HloModule m\n" + before + "ENTRY e {\n" + entry + "}\n");
  if (!module.ok()) return std::string(module.status().message());
  passes::PassList list;
  list.push_back(std::move(pass));
  absl::Status status = passes::RunPasses(list, *module);
  if (status.ok()) status = VerificationStatus(VerifyModule(**module));
  if (!status.ok()) return std::string(status.message());
  return PrintModule(**module, PrintOptions::ShortParsable());
}

// The number of times that a part occurs.
inline int CountOf(const std::string& text, absl::string_view part) {
  return static_cast<int>(std::vector<std::string>(absl::StrSplit(text, part)).size()) - 1;
}

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_PASSES_AFTER_H_
