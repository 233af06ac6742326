// What a backend says of itself, so that nobody has to ask for its name.
#ifndef ASSAY_BACKENDS_CAPABILITIES_H_
#define ASSAY_BACKENDS_CAPABILITIES_H_

#include <cstdint>
#include <set>

namespace assay {

// What a run may ask for beyond the results of a module. A backend that does not offer it ignores
// the option of factory/factory.h that asks for it; callers refuse such options first.
enum class Feature {
  kDefinitions,  // evaluates by the definitions alone
  kForcedTier,   // computes functions with a given tier
  kObservers,    // shows every instruction with its value
  kStatistics,   // counts: Backend::last_stats
  kRandomSeed,   // has a seed for the operation rng
  kHost,         // takes from, and gives to, a host program while it runs
  kSendsWait,    // ends a send when its recv has begun
  kCustomCalls,  // takes users' custom calls
  kTogether,     // runs several modules that talk over channels
};

struct BackendCapabilities {
  // Assay's verifier runs before the backend: it never receives an illegal module, and whether
  // illegal modules are refused is no property of it.
  bool modules_are_verified = false;
  // It is the reference interpreter, or made of it: only the definitions of the operations are
  // independent of it.
  bool is_reference = false;
  // A compiled module may be executed several times, with any arguments. Answers that are stored
  // for certain arguments have no others.
  bool executes_again = true;
  // The number of its devices: a module with more replicas times partitions is refused.
  int64_t devices = 1;
  std::set<Feature> features = {};

  bool Offers(Feature feature) const { return features.contains(feature); }
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_CAPABILITIES_H_
