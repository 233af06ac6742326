// Profiles for tests that judge by them again and again.
#ifndef ASSAY_CONFORMANCE_PROFILES_TESTING_H_
#define ASSAY_CONFORMANCE_PROFILES_TESTING_H_

#include <map>
#include <string>

#include "conformance/profiles/profile.h"

namespace assay::conformance {

// A built-in profile, read once: reading takes longer than most judgements. For one thread.
inline const TargetProfile& BuiltInProfile(const std::string& name) {
  static auto* const read = new std::map<std::string, TargetProfile>();
  const auto known = read->find(name);
  if (known != read->end()) return known->second;
  return read->emplace(name, *TargetProfile::Find(name)).first->second;
}

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_PROFILES_TESTING_H_
