#include "fuzz/programs/decoder.h"

#include "fuzz/programs/choices.h"
#include "fuzz/programs/writer.h"

namespace assay::fuzz {

FuzzProgram DecodeProgram(const Grammar& grammar, absl::Span<const uint8_t> bytes) {
  FuzzProgram program;
  ProgramWriter(grammar, bytes, &program).Run();
  return program;
}

std::vector<uint8_t> RandomBytes(uint64_t seed, uint64_t index, int64_t most_records) {
  uint64_t state = seed * 0x9E3779B97F4A7C15 + index;
  state = NextRandom(&state);
  const auto records =
      1 + static_cast<int64_t>(NextRandom(&state) % static_cast<uint64_t>(most_records));
  std::vector<uint8_t> bytes((1 + records) * kRecordBytes);
  for (size_t i = 0; i < bytes.size(); i += sizeof(uint64_t)) {
    const uint64_t word = NextRandom(&state);
    // Not memcpy: the bytes are the same on every machine.
    for (size_t k = 0; k < sizeof(uint64_t); ++k) {
      bytes[i + k] = static_cast<uint8_t>(word >> (8 * k));
    }
  }
  return bytes;
}

}  // namespace assay::fuzz
