// What a proof leaves behind: one JSON file per function and type. While it is being made the file
// also lists the shards that are done, so that a proof goes on where it was stopped.
// Tests: prove_test.cc.
#ifndef ASSAY_CONFORMANCE_PROVE_CERTIFICATE_H_
#define ASSAY_CONFORMANCE_PROVE_CERTIFICATE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/prove/sweep.h"

namespace assay::conformance::prove {

struct Certificate {
  std::string function;  // as NameOf() has it
  std::string type;
  std::string range;     // in words
  std::string method;    // "quick" or "mpfr"
  std::string revision;  // of evaluator/real
  std::string compiler;
  std::string references;  // the libraries that the quick proof compared
  SweepResult result;
  std::vector<bool> shards_done;  // empty: complete

  bool complete() const { return shards_done.empty(); }
};

// This compiler, and this C library with its vector functions.
std::string CompilerName();
std::string ReferenceNames();

std::string ToJson(const Certificate& certificate);
// INVALID_ARGUMENT for a text that ToJson() does not write.
absl::StatusOr<Certificate> FromJson(const std::string& text);

// By way of a second file and a rename, so that a reader never sees half of it.
absl::Status WriteCertificate(const std::string& path, const Certificate& certificate);
// NOT_FOUND where there is no such file.
absl::StatusOr<Certificate> ReadCertificate(const std::string& path);

}  // namespace assay::conformance::prove

#endif  // ASSAY_CONFORMANCE_PROVE_CERTIFICATE_H_
