#include "fuzz/campaign/mutation.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "fuzz/programs/choices.h"
#include "fuzz/programs/decoder.h"
#include "fuzz/programs/features.h"

namespace assay::fuzz {
namespace {

int64_t RecordsOf(absl::Span<const uint8_t> bytes) {
  return std::max<int64_t>(
      (static_cast<int64_t>(bytes.size()) + kRecordBytes - 1) / kRecordBytes - 1, 0);
}

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) { NextRandom(&state_); }
  int64_t Below(int64_t limit) {
    return limit <= 1 ? 0
                      : static_cast<int64_t>(NextRandom(&state_) % static_cast<uint64_t>(limit));
  }

 private:
  uint64_t state_;
};

// Whole records, the header too.
Bytes Padded(absl::Span<const uint8_t> bytes) {
  Bytes padded(bytes.begin(), bytes.end());
  padded.resize((RecordsOf(bytes) + 1) * kRecordBytes);
  return padded;
}

auto RecordAt(Bytes& bytes, int64_t k) { return bytes.begin() + (1 + k) * kRecordBytes; }

void Change(Dice& dice, Bytes* bytes) {
  const int64_t records = RecordsOf(*bytes);
  switch (dice.Below(6)) {
    case 0: {  // a record twice
      if (records == 0) return;
      const int64_t k = dice.Below(records);
      const Bytes record(RecordAt(*bytes, k), RecordAt(*bytes, k) + kRecordBytes);
      bytes->insert(RecordAt(*bytes, dice.Below(records + 1)), record.begin(), record.end());
      return;
    }
    case 1: {
      if (records < 2) return;
      const int64_t k = dice.Below(records);
      bytes->erase(RecordAt(*bytes, k), RecordAt(*bytes, k) + kRecordBytes);
      return;
    }
    case 2: {
      if (records < 2) return;
      const int64_t a = dice.Below(records), b = dice.Below(records);
      std::swap_ranges(RecordAt(*bytes, a), RecordAt(*bytes, a) + kRecordBytes,
                       RecordAt(*bytes, b));
      return;
    }
    case 3: {  // a new record
      Bytes record(kRecordBytes);
      for (uint8_t& byte : record) byte = static_cast<uint8_t>(dice.Below(256));
      bytes->insert(RecordAt(*bytes, dice.Below(records + 1)), record.begin(), record.end());
      return;
    }
    default:
      (*bytes)[dice.Below(static_cast<int64_t>(bytes->size()))] =
          static_cast<uint8_t>(dice.Below(256));
  }
}

void Cut(int64_t most_records, Bytes* bytes) {
  bytes->resize(
      std::min<int64_t>(static_cast<int64_t>(bytes->size()), (1 + most_records) * kRecordBytes));
}

}  // namespace

Bytes MutateRecords(absl::Span<const uint8_t> bytes, uint64_t seed, int64_t most_records) {
  Dice dice(seed);
  Bytes changed = Padded(bytes);
  for (int64_t changes = 1 + dice.Below(6); changes > 0; --changes) Change(dice, &changed);
  Cut(most_records, &changed);
  return changed;
}

Bytes CrossRecords(absl::Span<const uint8_t> a, absl::Span<const uint8_t> b, uint64_t seed,
                   int64_t most_records) {
  Dice dice(seed);
  Bytes child = Padded(a), other = Padded(b);
  child.erase(RecordAt(child, dice.Below(RecordsOf(a) + 1)), child.end());
  child.insert(child.end(), RecordAt(other, dice.Below(RecordsOf(b) + 1)), other.end());
  Cut(most_records, &child);
  return child;
}

Bytes ProgramBytes(uint64_t seed, int64_t index, absl::Span<const Bytes> corpus,
                   int64_t most_records) {
  const auto known = static_cast<int64_t>(corpus.size());
  if (index < known) return corpus[index];
  const auto number = static_cast<uint64_t>(index);
  if (known == 0 || index % 2 == 0) return RandomBytes(seed, number, most_records);
  Dice dice(seed * 0x9E3779B97F4A7C15 + number);
  const Bytes& first = corpus[dice.Below(known)];
  if (dice.Below(3) == 0) {
    return CrossRecords(first, corpus[dice.Below(known)], seed ^ number, most_records);
  }
  return MutateRecords(first, seed ^ number, most_records);
}

std::vector<Bytes> WithNewFeatures(const Grammar& grammar, absl::Span<const Bytes> programs) {
  std::vector<Bytes> kept;
  absl::flat_hash_set<uint64_t> seen;
  for (const Bytes& bytes : programs) {
    const FuzzProgram program = DecodeProgram(grammar, bytes);
    const size_t before = seen.size();
    ForEachFeature(*program.module, [&](uint64_t feature) { seen.insert(feature); });
    if (seen.size() > before) kept.push_back(bytes);
  }
  return kept;
}

}  // namespace assay::fuzz
