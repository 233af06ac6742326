// Whether a module is a legal XLA program: the rule of every instruction (spec/ops) and what holds
// for the module as a whole, all in one pass and in linear time. Every check has a clause, listed
// with its two tests in docs/clauses.md. Source: reference ops_control_and_collectives.md 1-5,
// 12-14 and those of spec/ops. Tests: verify_cases_test.cc (a pair per clause), verifier_test.cc.
#ifndef ASSAY_SPEC_VERIFY_VERIFIER_H_
#define ASSAY_SPEC_VERIFY_VERIFIER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "spec/ir/module.h"
#include "spec/ops/shape_inference.h"

namespace assay {

struct VerifyOptions {
  Rules rules = Rules::kXla;
  // kStrict: single instructions are held to strict rules whatever `rules` says of the module. What
  // passes is what evaluators rely on.
  Rules instruction_rules = Rules::kXla;
  // Findings beyond are counted, not kept.
  int64_t max_findings = 1000;
};

struct Finding {
  std::string clause;        // "gather_c7"
  bool strict_only = false;  // only kStrict refuses it
  // Where: the names, and the position in the text (line 0: there is none). Empty for the module.
  std::string computation;
  std::string instruction;
  TextPosition position;
  std::string message;   // what is wrong, and in which instruction, in one line
  std::string expected;  // what the clause demands
  std::string found;     // what stands there; empty when the demand says it all
};

struct Verification {
  std::vector<Finding> findings;  // in the order of the module
  int64_t left_out = 0;           // findings that were not kept
  bool ok() const { return findings.empty(); }
};

// Any module, also one put together wrongly by a program. Never fails itself, does not recurse on
// what the module nests.
Verification VerifyModule(const Module& module, const VerifyOptions& options = {});

// OK, or INVALID_ARGUMENT with the first finding and the number of the others.
absl::Status VerificationStatus(const Verification& verification);

}  // namespace assay

#endif  // ASSAY_SPEC_VERIFY_VERIFIER_H_
