#include "conformance/runner/case_results.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "conformance/runner/case_result.h"
#include "conformance/runner/result_members.h"

namespace assay::conformance {
namespace {

// Writes numbers with seven bits a byte, the lowest first. The highest bit says that another byte
// follows.
class Packer {
 public:
  void Put(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  void Put(int64_t value) { Put(static_cast<uint64_t>(value)); }
  void Put(bool value) { Put(uint64_t{value}); }
  void Put(double value) {
    char own[sizeof value];
    std::memcpy(own, &value, sizeof value);
    bytes_.append(own, sizeof own);
  }
  void Put(absl::string_view text) {
    Put(uint64_t{text.size()});
    bytes_.append(text.data(), text.size());
  }
  void Put(const std::optional<double>& value) {
    Put(value.has_value());
    if (value) Put(*value);
  }
  void Put(const Evidence& evidence) {
    PutName(evidence.verdict);
    PutEach(evidence.index);
    Put(evidence.golden);
    Put(evidence.actual);
    PutMembers(evidence);
  }
  void Put(const Judgement& judgement) {
    PutName(judgement.verdict);
    for (const int64_t count : judgement.counts) Put(count);
    for (const int64_t count : judgement.freedoms) Put(count);
    Put(judgement.largest_fraction);
    const auto& histogram = judgement.histogram;  // few of its buckets are in use
    Put(static_cast<uint64_t>(std::count_if(histogram.begin(), histogram.end(),
                                            [](int64_t count) { return count != 0; })));
    for (size_t bucket = 0; bucket < histogram.size(); ++bucket) {
      if (histogram[bucket] == 0) continue;
      Put(uint64_t{bucket});
      Put(histogram[bucket]);
    }
    PutEach(judgement.evidence);
    PutMembers(judgement);
  }
  void Put(const ProbeResult& probe) {
    PutName(probe.outcome);
    PutMembers(probe);
    Put(probe.judgement);
  }
  void Put(const CaseResult& result) {
    Put(result.id);  // first: IdOf
    PutName(result.outcome);
    PutMembers(result);
    PutEach(result.probes);
    for (const double seconds :
         {result.target_seconds, result.golden_seconds, result.judge_seconds}) {
      Put(seconds);
    }
  }

  std::string Take() { return std::string(bytes_); }  // of its own size

 private:
  template <typename Name>
  void PutName(Name name) {
    Put(static_cast<uint64_t>(name));
  }
  template <typename T>
  void PutEach(const std::vector<T>& values) {
    Put(uint64_t{values.size()});
    for (const T& each : values) Put(each);
  }
  template <typename T>
  void PutMembers(const T& of) {
    VisitMembers(of, [this](const char*, const auto& value) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<std::string>>) {
        this->PutEach(value);
      } else {
        this->Put(value);
      }
    });
  }

  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(absl::string_view bytes) : bytes_(bytes) {}

  absl::string_view Text() {
    const auto size = Number<size_t>();
    return Bytes(size);
  }
  void Get(std::string* value) { *value = std::string(Text()); }
  void Get(uint64_t* value) { *value = Number<uint64_t>(); }
  void Get(int64_t* value) { *value = Number<int64_t>(); }
  void Get(bool* value) { *value = Number<uint64_t>() != 0; }
  void Get(double* value) { std::memcpy(value, Bytes(sizeof *value).data(), sizeof *value); }
  void Get(std::optional<double>* value) {
    bool has_value = false;
    Get(&has_value);
    if (has_value) Get(&value->emplace());
  }
  template <typename T>
  void Get(std::vector<T>* values) {
    values->resize(Number<size_t>());
    for (T& each : *values) Get(&each);
  }
  void Get(Evidence* evidence) {
    evidence->verdict = Number<Verdict>();
    Get(&evidence->index);
    Get(&evidence->golden);
    Get(&evidence->actual);
    GetMembers(evidence);
  }
  void Get(Judgement* judgement) {
    judgement->verdict = Number<Verdict>();
    for (int64_t& count : judgement->counts) Get(&count);
    for (int64_t& count : judgement->freedoms) Get(&count);
    Get(&judgement->largest_fraction);
    for (auto buckets = Number<size_t>(); buckets > 0; --buckets) {
      Get(&judgement->histogram[Number<size_t>()]);
    }
    Get(&judgement->evidence);
    GetMembers(judgement);
  }
  void Get(ProbeResult* probe) {
    probe->outcome = Number<Outcome>();
    GetMembers(probe);
    Get(&probe->judgement);
  }
  void Get(CaseResult* result) {
    Get(&result->id);
    result->outcome = Number<Outcome>();
    GetMembers(result);
    Get(&result->probes);
    for (double* seconds :
         {&result->target_seconds, &result->golden_seconds, &result->judge_seconds}) {
      Get(seconds);
    }
  }

 private:
  absl::string_view Bytes(size_t size) {
    const absl::string_view own = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return own;
  }
  template <typename T>
  T Number() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(Bytes(1).front());
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return static_cast<T>(value);
    }
  }
  template <typename T>
  void GetMembers(T* of) {
    VisitMembers(*of, [this](const char*, auto& value) { this->Get(&value); });
  }

  absl::string_view bytes_;
};

std::string Pack(const CaseResult& result) {
  Packer packer;
  packer.Put(result);
  return packer.Take();
}

}  // namespace

CaseResults::CaseResults(std::initializer_list<CaseResult> results) {
  for (const CaseResult& each : results) push_back(each);
}

void CaseResults::push_back(const CaseResult& result) { packed_.push_back(Pack(result)); }

void CaseResults::Append(CaseResults other) {
  std::move(other.packed_.begin(), other.packed_.end(), std::back_inserter(packed_));
}

CaseResult CaseResults::operator[](size_t place) const {
  CaseResult result;
  Unpacker(packed_[place]).Get(&result);
  return result;
}

CaseResult CaseResults::Iterator::operator*() const { return (*results_)[place_]; }

absl::string_view CaseResults::IdOf(size_t place) const { return Unpacker(packed_[place]).Text(); }

void CaseResults::Change(size_t place, const std::function<void(CaseResult&)>& change) {
  CaseResult result = (*this)[place];
  change(result);
  packed_[place] = Pack(result);
}

void CaseResults::SortById() {
  std::sort(packed_.begin(), packed_.end(), [](const std::string& a, const std::string& b) {
    return Unpacker(a).Text() < Unpacker(b).Text();
  });
}

}  // namespace assay::conformance
