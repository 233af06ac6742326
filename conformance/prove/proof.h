// A proof of one function on one type: shards on several threads, a certificate that grows with
// every shard, and what is shown meanwhile. Tests: prove_test.cc.
#ifndef ASSAY_CONFORMANCE_PROVE_PROOF_H_
#define ASSAY_CONFORMANCE_PROVE_PROOF_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "conformance/prove/certificate.h"
#include "conformance/prove/sweep.h"

namespace assay::conformance::prove {

struct ProofOptions {
  SweepOptions sweep;
  int jobs = 1;
  std::string revision;
  // Called after every shard, one call at a time; `done` of 1 is the end.
  std::function<void(double done, const SweepResult& so_far)> progress = [](double, const auto&) {};
};

// Runs `work` for every shard and adds up what it returns in `blank`, which names function, type,
// range, method and references. The certificate is kept in the file `path`; one of the same proof
// that is there already is continued, a complete one handed back as it is.
absl::StatusOr<Certificate> ProveShards(Certificate blank, size_t shards,
                                        const std::function<SweepResult(size_t shard)>& work,
                                        const std::string& path, const ProofOptions& options);

// All of `magnitudes` by Sweep().
absl::StatusOr<Certificate> Prove(evaluator::RealFunction function, ElementType type,
                                  const Magnitudes& magnitudes, const std::string& path,
                                  const ProofOptions& options);

}  // namespace assay::conformance::prove

#endif  // ASSAY_CONFORMANCE_PROVE_PROOF_H_
