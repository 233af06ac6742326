// The recording fake's NCCL. The calls of a group are executed together, once the streams of all
// ranks have come to them.
#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "backends/cuda/libraries/testing/fake.h"

namespace assay::cuda::libraries::fake {
namespace {

constexpr int kInvalidArgument = 4, kInvalidUsage = 5;

struct Clique {
  std::vector<int> devices;
};
struct Communicator {
  std::shared_ptr<Clique> clique;
  int rank = 0;
};

enum class Kind { kAllReduce, kReduceScatter, kAllGather, kSend, kReceive };
struct Call {
  Kind kind;
  const std::byte* in;
  std::byte* out;
  size_t count;
  int type, operation, peer;
  Communicator communicator;
  StreamHandle* stream;
};
thread_local int depth = 0;
thread_local std::vector<Call> group;

int64_t SizeOf(int type) {
  switch (type) {
    case kNcclS8:
    case kNcclU8:
      return 1;
    case kNcclF16:
    case kNcclBf16:
      return 2;
    case kNcclS32:
    case kNcclU32:
    case kNcclF32:
      return 4;
    default:
      return 8;
  }
}

template <typename T>
void FoldAs(int operation, std::byte* into, const std::byte* from, int64_t at) {
  T a, b;
  std::memcpy(&a, into + at * sizeof(T), sizeof(T));
  std::memcpy(&b, from + at * sizeof(T), sizeof(T));
  const T folded = operation == kNcclSum       ? static_cast<T>(a + b)
                   : operation == kNcclProduct ? static_cast<T>(a * b)
                   : operation == kNcclMaximum ? std::max(a, b)
                                               : std::min(a, b);
  std::memcpy(into + at * sizeof(T), &folded, sizeof(T));
}
void FoldNumber(int type, int operation, std::byte* into, const std::byte* from, int64_t at) {
  const Number a = Get(type, into, at), b = Get(type, from, at);
  Set(type, into, at, operation == kNcclSum ? a + b : a * b);
}
void FoldOne(int type, int operation, std::byte* into, const std::byte* from, int64_t at) {
  switch (type) {
    case kNcclS8:
    case kNcclU8:
      return type == kNcclS8 ? FoldAs<int8_t>(operation, into, from, at)
                             : FoldAs<uint8_t>(operation, into, from, at);
    case kNcclS32:
      // Signed sums wrap.
      return operation <= kNcclProduct ? FoldAs<uint32_t>(operation, into, from, at)
                                       : FoldAs<int32_t>(operation, into, from, at);
    case kNcclU32:
      return FoldAs<uint32_t>(operation, into, from, at);
    case kNcclS64:
      return operation <= kNcclProduct ? FoldAs<uint64_t>(operation, into, from, at)
                                       : FoldAs<int64_t>(operation, into, from, at);
    case kNcclU64:
      return FoldAs<uint64_t>(operation, into, from, at);
    case kNcclF16:
      return FoldNumber(kRealF16, operation, into, from, at);
    case kNcclBf16:
      return FoldNumber(kRealBf16, operation, into, from, at);
    case kNcclF32:
      return FoldAs<float>(operation, into, from, at);
    default:
      return FoldAs<double>(operation, into, from, at);
  }
}

// The calls of all ranks for one operation, by rank.
void ExecuteTogether(const std::vector<Call>& calls) {
  const Call& first = calls[0];
  const auto ranks = static_cast<int64_t>(calls.size());
  const int64_t size = SizeOf(first.type), bytes = static_cast<int64_t>(first.count) * size;
  std::vector<std::byte> all;
  if (first.kind == Kind::kAllGather) {
    for (const Call& call : calls) all.insert(all.end(), call.in, call.in + bytes);
    for (const Call& call : calls) std::memcpy(call.out, all.data(), all.size());
    return;
  }
  const int64_t parts = first.kind == Kind::kReduceScatter ? ranks : 1;
  all.assign(first.in, first.in + bytes * parts);
  for (int64_t r = 1; r < ranks; ++r) {
    for (int64_t i = 0; i < static_cast<int64_t>(first.count) * parts; ++i) {
      FoldOne(first.type, first.operation, all.data(), calls[r].in, i);
    }
  }
  for (int64_t r = 0; r < ranks; ++r) {
    std::memcpy(calls[r].out, all.data() + (parts == 1 ? 0 : r * bytes), bytes);
  }
}

// Sends and receives: the k-th send from a to b goes to the k-th receive of b from a.
void Exchange(const std::vector<Call>& calls) {
  std::vector<std::vector<std::byte>> sent;  // before anything is overwritten
  std::vector<const Call*> senders;
  for (const Call& call : calls) {
    if (call.kind != Kind::kSend) continue;
    sent.emplace_back(call.in, call.in + call.count * SizeOf(call.type));
    senders.push_back(&call);
  }
  std::vector<bool> taken(sent.size());
  for (const Call& call : calls) {
    if (call.kind != Kind::kReceive) continue;
    for (size_t k = 0; k < sent.size(); ++k) {
      if (taken[k] || senders[k]->communicator.rank != call.peer ||
          senders[k]->peer != call.communicator.rank) {
        continue;
      }
      taken[k] = true;
      std::memcpy(call.out, sent[k].data(), sent[k].size());
      break;
    }
  }
}

int Add(Kind kind, const void* in, void* out, size_t count, int type, int operation, int peer,
        void* communicator, StreamHandle* stream) {
  if (depth == 0) return kInvalidUsage;  // a call of one rank alone would wait for ever
  group.push_back({kind, static_cast<const std::byte*>(in), static_cast<std::byte*>(out), count,
                   type, operation, peer, *static_cast<Communicator*>(communicator), stream});
  return 0;
}

int RunGroup() {
  std::vector<Call> calls;
  calls.swap(group);
  if (calls.empty()) return 0;
  const size_t ranks = calls[0].communicator.clique->devices.size();
  std::vector<StreamHandle*> streams(ranks);
  for (const Call& call : calls) streams[call.communicator.rank] = call.stream;
  for (const StreamHandle* stream : streams) {
    if (stream == nullptr) return kInvalidUsage;  // a rank is missing
  }
  const Kind kind = calls[0].kind;
  Record("nccl kind=" + std::to_string(static_cast<int>(kind)) + " ranks=" + std::to_string(ranks) +
         " count=" + std::to_string(calls[0].count) + " type=" + std::to_string(calls[0].type) +
         " operation=" + std::to_string(calls[0].operation));
  const bool enqueued = EnqueueTogether(streams, [calls, ranks] {
    if (calls[0].kind == Kind::kSend || calls[0].kind == Kind::kReceive) return Exchange(calls);
    // Call k of every rank belongs together.
    std::vector<std::vector<Call>> by_rank(ranks);
    for (const Call& call : calls) by_rank[call.communicator.rank].push_back(call);
    for (size_t k = 0; k < by_rank[0].size(); ++k) {
      std::vector<Call> together;
      for (const std::vector<Call>& rank : by_rank) together.push_back(rank[k]);
      ExecuteTogether(together);
    }
  });
  return enqueued ? 0 : kInvalidArgument;
}

}  // namespace
}  // namespace assay::cuda::libraries::fake

using namespace assay::cuda;                   // NOLINT: the fake's own file
using namespace assay::cuda::libraries;        // NOLINT
using namespace assay::cuda::libraries::fake;  // NOLINT

ASSAY_FAKE_EXPORT int ncclCommInitAll(void** communicators, int count, const int* devices) {
  ASSAY_FAKE_CALL();
  const auto clique = std::make_shared<Clique>();
  clique->devices.assign(devices, devices + count);
  if (std::set<int>(devices, devices + count).size() != static_cast<size_t>(count)) {
    return kInvalidUsage;  // two ranks on one device
  }
  for (int rank = 0; rank < count; ++rank) Make<Communicator>(&communicators[rank], {clique, rank});
  return 0;
}
ASSAY_FAKE_EXPORT int ncclCommDestroy(void* communicator) {
  return Destroy<Communicator>(communicator);
}
ASSAY_FAKE_EXPORT int ncclGroupStart() {
  ASSAY_FAKE_CALL();
  ++depth;
  return 0;
}
ASSAY_FAKE_EXPORT int ncclGroupEnd() {
  if (depth > 0) --depth;
  if (const int error = Called(__func__); error != 0) {
    group.clear();
    return error;
  }
  return depth == 0 ? RunGroup() : 0;
}
ASSAY_FAKE_EXPORT int ncclAllReduce(const void* in, void* out, size_t count, int type,
                                    int operation, void* communicator, StreamHandle* stream) {
  ASSAY_FAKE_CALL();
  return Add(Kind::kAllReduce, in, out, count, type, operation, -1, communicator, stream);
}
ASSAY_FAKE_EXPORT int ncclReduceScatter(const void* in, void* out, size_t out_count, int type,
                                        int operation, void* communicator, StreamHandle* stream) {
  ASSAY_FAKE_CALL();
  return Add(Kind::kReduceScatter, in, out, out_count, type, operation, -1, communicator, stream);
}
ASSAY_FAKE_EXPORT int ncclAllGather(const void* in, void* out, size_t in_count, int type,
                                    void* communicator, StreamHandle* stream) {
  ASSAY_FAKE_CALL();
  return Add(Kind::kAllGather, in, out, in_count, type, 0, -1, communicator, stream);
}
ASSAY_FAKE_EXPORT int ncclSend(const void* in, size_t count, int type, int peer, void* communicator,
                               StreamHandle* stream) {
  ASSAY_FAKE_CALL();
  return Add(Kind::kSend, in, nullptr, count, type, 0, peer, communicator, stream);
}
ASSAY_FAKE_EXPORT int ncclRecv(void* out, size_t count, int type, int peer, void* communicator,
                               StreamHandle* stream) {
  ASSAY_FAKE_CALL();
  return Add(Kind::kReceive, nullptr, out, count, type, 0, peer, communicator, stream);
}
