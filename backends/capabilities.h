// The capabilities of a backend, so that callers need not test its name. Tests:
// factory/factory_test.cc.
#ifndef ASSAY_BACKENDS_CAPABILITIES_H_
#define ASSAY_BACKENDS_CAPABILITIES_H_

#include <cstdint>
#include <set>

namespace assay {

// Optional features of a run. A backend without a feature ignores its option in factory/factory.h;
// callers reject such options first.
enum class Feature {
  kDefinitions,  // evaluates by the definitions alone
  kForcedTier,   // computes functions in a given tier
  kObservers,    // reports every instruction with its value
  kStatistics,   // has statistics (Backend::last_stats)
  kRandomSeed,   // has a seed for rng
  kHost,         // exchanges values with a host program during a run
  kSendsWait,    // can make a send wait until its recv has begun
  kCustomCalls,  // supports user-defined custom calls
  kTogether,     // runs several modules that communicate over channels
};

struct BackendCapabilities {
  // True if Assay's verifier runs before the backend, which never receives an illegal module. Cases
  // that expect a refusal then do not test the backend.
  bool modules_are_verified = false;
  // True if the backend is, or uses, the reference interpreter. Only the definitions of the
  // operations are independent of it.
  bool is_reference = false;
  // True if a compiled module may be executed several times with any arguments. Stored results
  // exist only for certain arguments.
  bool executes_again = true;
  // True if several executions of one executable may run at the same time, with any arguments.
  bool executes_at_once = false;
  // The number of devices. A module with more replicas times partitions is rejected.
  int64_t devices = 1;
  std::set<Feature> features = {};

  bool Offers(Feature feature) const { return features.contains(feature); }
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_CAPABILITIES_H_
