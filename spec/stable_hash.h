// 64 bits of FNV-1a: a hash that is the same in every run, on every machine and with every
// compiler, for names of files and shares of work. Test: nearest_name_test.cc.
#ifndef ASSAY_SPEC_STABLE_HASH_H_
#define ASSAY_SPEC_STABLE_HASH_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace assay {

inline constexpr uint64_t kEmptyHash = 0xcbf29ce484222325;

// The hash of the text behind that of another one.
constexpr uint64_t StableHash(absl::string_view text, uint64_t hash = kEmptyHash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace assay

#endif  // ASSAY_SPEC_STABLE_HASH_H_
