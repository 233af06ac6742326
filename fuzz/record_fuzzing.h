// Shared by the fuzz targets of programs: libFuzzer mutates whole records and crosses programs, and
// the features of a program count as coverage. Only one source file of an executable may include
// it, because it defines libFuzzer's functions.
#ifndef ASSAY_FUZZ_RECORD_FUZZING_H_
#define ASSAY_FUZZ_RECORD_FUZZING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fuzz/campaign/mutation.h"
#include "fuzz/programs/decoder.h"
#include "fuzz/programs/features.h"
#include "fuzz/properties.h"

namespace assay::fuzz {

inline constexpr int64_t kMostFuzzRecords = 24;
inline constexpr size_t kFuzzCounters = 1 << 15;
// libFuzzer treats changes of these counters as new coverage.
__attribute__((section("__libfuzzer_extra_counters"), used)) uint8_t fuzz_counters[kFuzzCounters];

inline void CountFeature(uint64_t feature) {
  uint8_t& counter = fuzz_counters[feature * 0x9E3779B97F4A7C15 >> 49];
  counter = static_cast<uint8_t>(std::min(counter + 1, 255));
}

inline void CountFeatures(const Module& module) {
  std::fill(std::begin(fuzz_counters), std::end(fuzz_counters), 0);
  ForEachFeature(module, CountFeature);
}

inline const Grammar& GrammarOfAll() {
  static const auto* const grammar = [] {
    absl::StatusOr<Grammar> made = Grammar::Create();
    RequireOk(made.status(), "there is a grammar of all operations");
    return new Grammar(*std::move(made));
  }();
  return *grammar;
}

inline size_t CopyOut(const Bytes& bytes, uint8_t* out, size_t most) {
  const size_t size = std::min(bytes.size(), most);
  std::copy_n(bytes.begin(), size, out);
  return size;
}

}  // namespace assay::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  return assay::fuzz::CopyOut(
      assay::fuzz::MutateRecords({data, size}, seed, assay::fuzz::kMostFuzzRecords), data,
      max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_out, unsigned int seed) {
  return assay::fuzz::CopyOut(assay::fuzz::CrossRecords({data1, size1}, {data2, size2}, seed,
                                                        assay::fuzz::kMostFuzzRecords),
                              out, max_out);
}

#endif  // ASSAY_FUZZ_RECORD_FUZZING_H_
