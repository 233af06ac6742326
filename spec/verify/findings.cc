#include "spec/verify/findings.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/ops/checks.h"
#include "spec/verify/strict.h"

namespace assay {

bool Findings::Takes(absl::string_view clause) {
  return (strict() || !IsStrictClause(clause)) && HasRoom();
}

bool Findings::HasRoom() {
  if (static_cast<int64_t>(result_.findings.size()) < options_.max_findings) return true;
  ++result_.left_out;
  return false;
}

namespace {

// A broken graph cannot be printed with its operands.
std::string PlaceOf(const Instruction& where) {
  for (const Instruction* operand : where.operands()) {
    if (operand == nullptr) return absl::StrCat("%", where.name());
  }
  return where.Describe();
}

}  // namespace

void Findings::Keep(Finding finding, absl::string_view where) {
  finding.strict_only = IsStrictClause(finding.clause);
  finding.message = absl::StrCat(finding.expected, finding.found.empty() ? "" : ", found ",
                                 finding.found, "; in ", where);
  result_.findings.push_back(std::move(finding));
}

void Findings::Add(absl::string_view clause, const Instruction& where, std::string expected,
                   std::string found) {
  if (Takes(clause)) AddAt(clause, where, std::move(expected), std::move(found));
}

void Findings::AddAt(absl::string_view clause, const Instruction& where, std::string expected,
                     std::string found) {
  Finding finding;
  finding.clause = std::string(clause);
  if (where.parent() != nullptr) finding.computation = where.parent()->name();
  finding.instruction = where.name();
  finding.position = where.position();
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  Keep(std::move(finding), PlaceOf(where));
}

void Findings::Add(absl::string_view clause, const Computation& where, std::string expected,
                   std::string found) {
  if (!Takes(clause)) return;
  Finding finding;
  finding.clause = std::string(clause);
  finding.computation = where.name();
  finding.position = where.position();
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  Keep(std::move(finding), absl::StrCat("computation ", where.name()));
}

void Findings::Add(absl::string_view clause, const Module& where, std::string expected,
                   std::string found) {
  if (!Takes(clause)) return;
  Finding finding;
  finding.clause = std::string(clause);
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  Keep(std::move(finding), absl::StrCat("module ", where.name()));
}

void Findings::AddViolation(const Instruction& where, const absl::Status& status) {
  if (status.ok() || !HasRoom()) return;
  ViolationParts parts = PartsOfViolation(status);
  AddAt(parts.clause, where, std::move(parts.expected), std::move(parts.found));
}

}  // namespace assay
