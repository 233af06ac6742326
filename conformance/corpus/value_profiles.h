// Arrays from a name and a seed, the same on every machine and in every language: the mapping from
// 64 random bits to an element of each type is in integer arithmetic alone, and
// docs/corpus_format.md states it bit for bit. Tests: value_profiles_test.cc;
// tools/peers/corpus_peer_test.py holds a second implementation against this one.
#ifndef ASSAY_CONFORMANCE_CORPUS_VALUE_PROFILES_H_
#define ASSAY_CONFORMANCE_CORPUS_VALUE_PROFILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/op_info.h"

namespace assay::conformance {

enum class ValueProfile : uint8_t {
#define VALUE_PROFILE(enumerator, ...) enumerator,
#include "conformance/corpus/value_profiles.def"
#undef VALUE_PROFILE
};

struct ValueProfileInfo {
  ValueProfile profile;
  absl::string_view name;
  TypeSet types;
  absl::string_view parameters;  // names with blanks between
};

// All rows, sorted by name.
absl::Span<const ValueProfileInfo> ValueProfiles();
const ValueProfileInfo& Info(ValueProfile profile);
std::optional<ValueProfile> ValueProfileFromName(absl::string_view name);

// A profile with its parameters, as a case names it: "indices s32[4] seed=3 low=0 high=9".
struct ProfileUse {
  ValueProfile profile = ValueProfile::kBenign;
  uint64_t seed = 1;
  uint64_t stride = 1;               // all, special: elements for which a value stands; at least 1
  uint64_t offset = 0;               // all: the first pattern
  std::optional<int64_t> low, high;  // indices: both ends belong to the range
  std::optional<int64_t> keep;       // ties: significand bits before the half
  // range: the ends, which belong to it, before they are rounded to the type; of imaginary parts
  // the same where they have none of their own.
  std::optional<double> from, to, imag_from, imag_to;
};

// " seed=3 low=0 high=9": what differs from the defaults.
std::string ParametersText(const ProfileUse& use);

// Sets a parameter from its text. INVALID_ARGUMENT where there is no parameter of the name, or the
// text is not a number of its kind.
absl::Status SetParameter(absl::string_view name, absl::string_view text, ProfileUse* use);

// OK, or INVALID_ARGUMENT that says why arrays of the shape cannot have the profile: a type that it
// has no values of, a range that the type does not reach, no square matrix where one is needed.
absl::Status CheckProfile(const ProfileUse& use, const Shape& shape);

// The array. Errors as above; RESOURCE_EXHAUSTED, before allocating, when it takes more than
// `max_bytes`.
absl::StatusOr<Literal> MakeValues(const ProfileUse& use, const Shape& shape,
                                   int64_t max_bytes = int64_t{1} << 31);

// Number k of the random stream of a seed: SplitMix64 with the seed as state, after k+1 steps.
inline uint64_t RandomWord(uint64_t seed, uint64_t k) {
  uint64_t z = seed + (k + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// The values that `special` walks through, as patterns of a type without parts.
std::vector<uint64_t> SpecialPatterns(ElementType type);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_VALUE_PROFILES_H_
