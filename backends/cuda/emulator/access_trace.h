// How the threads of a launch use memory: what a warp's accesses would cost on a GPU. For checked
// kernels, whose accesses the checker sees. Lanes of a warp access memory together if they are at
// the same instruction for the same time, as lanes that do not diverge are. Tests:
// cuda_traces_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_EMULATOR_ACCESS_TRACE_H_
#define ASSAY_BACKENDS_CUDA_EMULATOR_ACCESS_TRACE_H_

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace assay::cuda::emulator {

// The sums over launches of one kernel.
struct KernelTrace {
  std::string kernel;
  int64_t launches = 0;
  // Global memory, in sectors of 32 bytes. A request is an access of a warp; requests of one
  // address by all lanes are served by a cache and are not counted here.
  int64_t requests = 0;
  int64_t sectors = 0;     // that the requests touch
  int64_t used_bytes = 0;  // that the lanes want of them
  // The bytes of all sectors that a launch reads plus those that it writes, each sector once: the
  // traffic of a GPU whose cache holds the data of a launch.
  int64_t moved_bytes = 0;
  // Shared memory: the largest number of words that a request wants of one of the 32 banks.
  int64_t shared_requests = 0;
  int64_t worst_conflict = 0;
  // Requests beyond the number that a launch may record.
  int64_t dropped = 0;

  // Returns the share of the touched sectors' bytes that is used; 1 without requests.
  double used_share() const {
    return sectors == 0 ? 1
                        : static_cast<double>(used_bytes) / (32.0 * static_cast<double>(sectors));
  }
  KernelTrace& operator+=(const KernelTrace& other);
};

// Records one launch.
class AccessTrace {
 public:
  struct Access {
    const void* instruction = nullptr;
    int32_t thread = 0;    // in the block
    uint64_t address = 0;  // in shared memory: the offset
    int64_t bytes = 0;
    bool writes = false;
    bool is_shared = false;
  };
  void Record(const Access& access);
  void EndBlock();
  // Returns the sums of the launch, without a name.
  KernelTrace Finish() const;

 private:
  static constexpr int kLanes = 32;
  static constexpr int64_t kMostRequests = int64_t{1} << 20;  // of a block

  // One access of a warp.
  struct Request {
    bool is_shared = false;
    uint32_t lanes = 0;
    std::array<uint64_t, kLanes> addresses;
    std::array<int64_t, kLanes> bytes;
  };
  // The requests of an instruction of a warp, in the order of time, and how many of them each lane
  // has made.
  struct Instruction {
    std::vector<Request> requests;
    std::array<uint32_t, kLanes> made = {};
  };
  void CountGlobal(const Request& request);
  void CountShared(const Request& request);
  // Counts the words that the lanes want of each bank for `part` bytes at an offset of what they
  // access.
  void CountBanks(const Request& request, int from, int to, int64_t offset, int64_t part);

  struct KeyHash {
    size_t operator()(const std::pair<int32_t, const void*>& key) const {
      return reinterpret_cast<uintptr_t>(key.second) * 64 + static_cast<size_t>(key.first);
    }
  };
  // By warp and address of the instruction.
  std::unordered_map<std::pair<int32_t, const void*>, Instruction, KeyHash> block_;
  int64_t block_requests_ = 0;
  std::unordered_set<uint64_t> read_sectors_, written_sectors_;
  uint64_t last_read_ = ~uint64_t{0};  // the sector that was read last
  KernelTrace sums_;
};

}  // namespace assay::cuda::emulator

#endif  // ASSAY_BACKENDS_CUDA_EMULATOR_ACCESS_TRACE_H_
