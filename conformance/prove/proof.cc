// Tests: prove_test.cc.
#include "conformance/prove/proof.h"

#include <mpfr.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/prove/references.h"

namespace assay::conformance::prove {
namespace {

// A few seconds of work, so that little is lost when a proof is stopped.
constexpr uint32_t kShard = 1 << 24;

std::string RangeOf(ElementType type, const Magnitudes& magnitudes) {
  if (magnitudes.count == AllMagnitudes(type).count) {
    return absl::StrCat("all 2^", Info(type).bits, " inputs");
  }
  return absl::StrCat("both signs of ", magnitudes.count, " magnitudes from pattern ",
                      magnitudes.first, " by ", magnitudes.stride);
}

bool SameProof(const Certificate& a, const Certificate& b) {
  return a.function == b.function && a.type == b.type && a.range == b.range &&
         a.method == b.method && a.revision == b.revision && a.compiler == b.compiler &&
         a.references == b.references;
}

class Proof {
 public:
  Proof(Certificate certificate, const std::function<SweepResult(size_t)>& work, std::string path,
        const ProofOptions& options)
      : work_(work),
        path_(std::move(path)),
        options_(options),
        certificate_(std::move(certificate)) {
    const std::vector<bool>& done = certificate_.shards_done;
    done_ = std::count(done.begin(), done.end(), true);
  }

  absl::StatusOr<Certificate> Run() {
    options_.progress(Done(), certificate_.result);
    std::vector<std::thread> threads;
    for (int i = 0; i < options_.jobs; ++i) threads.emplace_back([this] { Work(); });
    for (std::thread& thread : threads) thread.join();
    if (!status_.ok()) return status_;
    certificate_.shards_done.clear();
    status_ = WriteCertificate(path_, certificate_);
    if (!status_.ok()) return status_;
    return certificate_;
  }

 private:
  double Done() const {
    return static_cast<double>(done_) / static_cast<double>(certificate_.shards_done.size());
  }

  void Work() {
    while (const auto shard = Next()) Add(*shard, work_(*shard));
    mpfr_free_cache();  // of this thread
  }

  std::optional<size_t> Next() {
    const std::lock_guard lock(mutex_);
    const std::vector<bool>& done = certificate_.shards_done;
    while (next_ < done.size() && done[next_]) ++next_;
    if (next_ == done.size() || !status_.ok()) return std::nullopt;
    return next_++;
  }

  void Add(size_t shard, const SweepResult& result) {
    const std::lock_guard lock(mutex_);
    certificate_.result.Merge(result);
    certificate_.shards_done[shard] = true;
    ++done_;
    options_.progress(Done(), certificate_.result);
    if (status_.ok()) status_ = WriteCertificate(path_, certificate_);
  }

  const std::function<SweepResult(size_t)>& work_;
  const std::string path_;
  const ProofOptions& options_;
  std::mutex mutex_;
  Certificate certificate_;
  size_t done_ = 0;
  size_t next_ = 0;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Certificate> ProveShards(Certificate blank, size_t shards,
                                        const std::function<SweepResult(size_t)>& work,
                                        const std::string& path, const ProofOptions& options) {
  Certificate certificate = std::move(blank);
  certificate.revision = options.revision;
  certificate.compiler = CompilerName();
  certificate.shards_done.assign(shards, false);
  const auto before = ReadCertificate(path);
  if (!before.ok() && !absl::IsNotFound(before.status())) return before.status();
  if (before.ok() && SameProof(*before, certificate)) {
    if (before->complete()) return *before;
    if (before->shards_done.size() == shards) certificate = *before;
  }
  return Proof(std::move(certificate), work, path, options).Run();
}

absl::StatusOr<Certificate> Prove(evaluator::RealFunction function, ElementType type,
                                  const Magnitudes& magnitudes, const std::string& path,
                                  const ProofOptions& options) {
  const bool quick =
      type == ElementType::kF32 && !options.sweep.mpfr_alone && References(function).available();
  Certificate blank;
  blank.function = NameOf(function);
  blank.type = std::string(Name(type));
  blank.range = RangeOf(type, magnitudes);
  blank.method = quick ? "quick" : "mpfr";
  blank.references = quick ? ReferenceNames() : "none";
  const auto work = [&](size_t shard) {
    const auto begin = static_cast<uint32_t>(shard) * kShard;
    Magnitudes part = magnitudes;
    part.first += begin * part.stride;
    part.count = std::min(kShard, part.count - begin);
    return Sweep(function, type, part, options.sweep);
  };
  return ProveShards(std::move(blank), (magnitudes.count + kShard - 1) / kShard, work, path,
                     options);
}

}  // namespace assay::conformance::prove
