// Collects what is wrong with a module while checks run over it. Private to spec/verify.
// Tests: verifier_test.cc.
#ifndef ASSAY_SPEC_VERIFY_FINDINGS_H_
#define ASSAY_SPEC_VERIFY_FINDINGS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/verify/verifier.h"

namespace assay {

class Findings {
 public:
  Findings(const VerifyOptions& options, Verification* result)
      : options_(options), result_(*result) {}

  bool strict() const { return options_.rules == Rules::kStrict; }
  // `expected` is what the clause demands, `found` what stands there.
  void Add(absl::string_view clause, const Instruction& where, std::string expected,
           std::string found = "");
  void Add(absl::string_view clause, const Computation& where, std::string expected,
           std::string found = "");
  void Add(absl::string_view clause, const Module& where, std::string expected,
           std::string found = "");
  // A violation of a shape rule (spec/ops/checks.h), found by the rules it was asked for. OK does
  // nothing.
  void AddViolation(const Instruction& where, const absl::Status& status);

 private:
  // Whether the clause counts by these rules, and there is room; counts what is left out.
  bool Takes(absl::string_view clause);
  bool HasRoom();
  void AddAt(absl::string_view clause, const Instruction& where, std::string expected,
             std::string found);
  void Keep(Finding finding, absl::string_view where);

  const VerifyOptions& options_;
  Verification& result_;
};

}  // namespace assay

#endif  // ASSAY_SPEC_VERIFY_FINDINGS_H_
