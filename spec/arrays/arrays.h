// Arrays in files: .npz (zip archives of .npy), a single .npy, and literals as HLO text. How
// members are named is the contract of conformance/samples/README.md: `arg0`, `arg0@bf16` for a
// type that numpy lacks (raw bits; sub-byte types one element to the byte), `arg0.dev1@bf16` for
// one device of several. Tests: arrays_test.cc, npz_peer_test.py.
#ifndef ASSAY_SPEC_ARRAYS_ARRAYS_H_
#define ASSAY_SPEC_ARRAYS_ARRAYS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// The name is without @TYPE: the literal has its type.
struct NamedLiteral {
  std::string name;
  Literal value;
  // Numpy saves a type that it lacks without its name, as V1 or V2: the value has the bits as u8 or
  // u16, until ToArguments or ToResults gives them the type that the module has in their place.
  bool untyped = false;
};

inline constexpr int64_t kDefaultMaxArrayBytes = int64_t{1} << 34;

// Reads a file, gzip or not; what it is shows in its content. A single .npy or literal has no name
// and is called `arg0`; the literals of a text file, one to a line, are `arg0`, `arg1`, ... (lines
// that begin with // and empty ones do not count); `prefix` replaces "arg". `max_bytes` bounds all
// arrays together; sizes are checked before anything is allocated. Errors name the file and the
// member.
absl::StatusOr<std::vector<NamedLiteral>> ReadArrays(const std::string& path,
                                                     int64_t max_bytes = kDefaultMaxArrayBytes,
                                                     absl::string_view prefix = "arg");

// The same of a file's content; `name` is its path.
absl::StatusOr<std::vector<NamedLiteral>> ParseArrays(const std::string& content,
                                                      const std::string& name,
                                                      int64_t max_bytes = kDefaultMaxArrayBytes,
                                                      absl::string_view prefix = "arg");

// Writes an uncompressed .npz that numpy reads, beside the target and renamed. Arrays only: flatten
// tuples first.
absl::Status WriteNpz(const std::string& path, absl::Span<const NamedLiteral> arrays);
// The content of such a file; the same arrays give the same bytes.
absl::StatusOr<std::string> FormatNpz(absl::Span<const NamedLiteral> arrays);

// One .npy. `type_name` is the @TYPE of the member's name, or empty; without it an array of V1 or
// V2 is an error unless `untyped` is given. `name` is for messages.
absl::StatusOr<Literal> ParseNpy(absl::string_view content, absl::string_view type_name,
                                 absl::string_view name, int64_t max_bytes = kDefaultMaxArrayBytes,
                                 bool* untyped = nullptr);
bool NumpyLacks(ElementType type);
// The array with its bits under a type of the same size. Surplus bits are dropped.
Literal WithType(const Literal& untyped, ElementType type);
// Version 1.0, C order, little endian. Types that numpy lacks as unsigned integers of their bits.
std::string FormatNpy(const Literal& array);
// "arg0" and bf16: "arg0@bf16"; "arg0" and f32: "arg0".
std::string MemberName(absl::string_view name, ElementType type);

// The arrays named <prefix>N or <prefix>N.devD, by device and number. Names with another prefix are
// errors, and so are gaps and a mixture of both forms. Without .dev there is one device.
absl::StatusOr<std::vector<std::vector<Literal>>> ByDevice(std::vector<NamedLiteral> arrays,
                                                           absl::string_view prefix);

// The arguments of the entry computation for each device, one literal per parameter. Arrays are
// numbered over the leaves of all parameters in order (which is JAX's order of flattening): where
// parameters are tuples, arg0, arg1, ... are their elements from left to right, depth first. Tokens
// take no array. A parameter with bounded dynamic dimensions takes smaller arrays. Where a value
// lies in `tiles` tiles on as many devices, arrays may be given for all of these: they are joined
// by the sharding of the parameter (whole on each device where it has none), and copies must agree.
// Errors say what is wanted and what is there.
absl::StatusOr<std::vector<std::vector<Literal>>> ToArguments(const Module& module,
                                                              std::vector<NamedLiteral> arrays,
                                                              int64_t tiles = 1);

// The value of the entry's root on each device from the arrays out0, out1, ... (out0.dev1, ...) of
// its leaves, as NameLeaves gives them: tokens take none, bounded dynamic dimensions may be
// smaller, and tiles are joined as in ToArguments. Errors say what is wanted and what is there.
absl::StatusOr<std::vector<Literal>> ToResults(const Module& module,
                                               std::vector<NamedLiteral> arrays, int64_t tiles = 1);

// The arrays among the leaves of a result as <prefix>0, <prefix>1, ...; with a device number >= 0
// as <prefix>0.devD. Of arrays with dynamic dimensions what is within their current sizes.
std::vector<NamedLiteral> NameLeaves(const Literal& result, absl::string_view prefix,
                                     int64_t device = -1);
// Those of a value per device; of one device without .dev.
std::vector<NamedLiteral> NameByDevice(absl::Span<const Literal> values, absl::string_view prefix);

// The arrays of each device's queue in order, named <prefix>N.devD, or <prefix>N where there is one
// device; a queue may be empty. Errors say which name is wrong, missing or of no device.
absl::StatusOr<std::vector<std::vector<Literal>>> ToQueues(std::vector<NamedLiteral> arrays,
                                                           absl::string_view prefix,
                                                           int64_t devices);
// Names them so.
std::vector<NamedLiteral> NameQueues(absl::Span<const std::vector<Literal>> queues,
                                     absl::string_view prefix);

}  // namespace assay

#endif  // ASSAY_SPEC_ARRAYS_ARRAYS_H_
