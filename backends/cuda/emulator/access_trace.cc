#include "backends/cuda/emulator/access_trace.h"

#include <algorithm>

namespace assay::cuda::emulator {
namespace {

constexpr int64_t kSectorBytes = 32;
constexpr int64_t kWordBytes = 4;
constexpr int kBanks = 32;

}  // namespace

KernelTrace& KernelTrace::operator+=(const KernelTrace& other) {
  launches += other.launches;
  requests += other.requests;
  sectors += other.sectors;
  used_bytes += other.used_bytes;
  moved_bytes += other.moved_bytes;
  shared_requests += other.shared_requests;
  worst_conflict = std::max(worst_conflict, other.worst_conflict);
  dropped += other.dropped;
  return *this;
}

void AccessTrace::Record(const Access& access) {
  if (!access.is_shared) {
    const uint64_t first = access.address / kSectorBytes;
    const uint64_t last = (access.address + access.bytes - 1) / kSectorBytes;
    for (uint64_t sector = first; sector <= last; ++sector) {
      if (access.writes) {
        written_sectors_.insert(sector);
      } else if (sector != last_read_) {
        read_sectors_.insert(last_read_ = sector);
      }
    }
  }
  const int lane = access.thread % kLanes;
  Instruction& instruction = block_[{access.thread / kLanes, access.instruction}];
  const uint32_t number = instruction.made[lane]++;
  if (number >= instruction.requests.size()) {
    if (block_requests_ >= kMostRequests) {
      ++sums_.dropped;
      return;
    }
    ++block_requests_;
    instruction.requests.resize(number + 1);
  }
  Request& request = instruction.requests[number];
  request.is_shared = access.is_shared;
  request.lanes |= 1u << lane;
  request.addresses[lane] = access.address;
  request.bytes[lane] = access.bytes;
}

void AccessTrace::EndBlock() {
  for (const auto& [key, instruction] : block_) {
    for (const Request& request : instruction.requests) {
      if (request.is_shared) {
        CountShared(request);
      } else {
        CountGlobal(request);
      }
    }
  }
  block_.clear();
  block_requests_ = 0;
}

void AccessTrace::CountGlobal(const Request& request) {
  // The sectors and their used bytes, as bits. Neighbouring lanes mostly use the same sector.
  std::vector<std::pair<uint64_t, uint32_t>> used;
  const auto bits_of = [&](uint64_t sector) -> uint32_t& {
    for (auto each = used.rbegin(); each != used.rend(); ++each) {
      if (each->first == sector) return each->second;
    }
    used.push_back({sector, 0});
    return used.back().second;
  };
  uint64_t first = 0;
  bool is_uniform = true;
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((request.lanes >> lane & 1) == 0) continue;
    const uint64_t address = request.addresses[lane];
    if (used.empty()) first = address;
    is_uniform = is_uniform && address == first;
    if (is_uniform && !used.empty()) continue;
    for (int64_t i = 0; i < request.bytes[lane]; ++i) {
      bits_of((address + i) / kSectorBytes) |= 1u << (address + i) % kSectorBytes;
    }
  }
  if (is_uniform && __builtin_popcount(request.lanes) > 1) return;
  ++sums_.requests;
  sums_.sectors += static_cast<int64_t>(used.size());
  for (const auto& [sector, bytes] : used) sums_.used_bytes += __builtin_popcount(bytes);
}

// A request of 8 or 16 bytes a lane is served for half or a quarter of the warp at a time. What is
// larger is a struct, which is copied by parts of 8 bytes.
void AccessTrace::CountShared(const Request& request) {
  int64_t widest = kWordBytes;
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((request.lanes >> lane & 1) != 0) widest = std::max(widest, request.bytes[lane]);
  }
  const int64_t part = widest > 16 ? 8 : widest;
  const int together = static_cast<int>(kLanes * kWordBytes / part);
  for (int64_t offset = 0; offset < widest; offset += part) {
    for (int from = 0; from < kLanes; from += together) {
      CountBanks(request, from, std::min(from + together, kLanes), offset, part);
    }
  }
  ++sums_.shared_requests;
}

void AccessTrace::CountBanks(const Request& request, int from, int to, int64_t offset,
                             int64_t part) {
  std::array<std::vector<uint64_t>, kBanks> words;
  for (int lane = from; lane < to; ++lane) {
    if ((request.lanes >> lane & 1) == 0 || offset >= request.bytes[lane]) continue;
    const uint64_t first = request.addresses[lane] + offset;
    const uint64_t last = first + std::min(part, request.bytes[lane] - offset) - 1;
    for (uint64_t word = first / kWordBytes; word <= last / kWordBytes; ++word) {
      std::vector<uint64_t>& bank = words[word % kBanks];
      if (std::find(bank.begin(), bank.end(), word) == bank.end()) bank.push_back(word);
    }
  }
  for (const std::vector<uint64_t>& bank : words) {
    sums_.worst_conflict = std::max(sums_.worst_conflict, static_cast<int64_t>(bank.size()));
  }
}

KernelTrace AccessTrace::Finish() const {
  KernelTrace trace = sums_;
  trace.launches = 1;
  trace.moved_bytes =
      kSectorBytes * static_cast<int64_t>(read_sectors_.size() + written_sectors_.size());
  return trace;
}

}  // namespace assay::cuda::emulator
