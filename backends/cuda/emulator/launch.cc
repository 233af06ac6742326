#include "backends/cuda/emulator/launch.h"

#include "backends/cuda/emulator/scheduler.h"

namespace assay::cuda::emulator {
namespace {

constexpr absl::string_view kScheduleNames[] = {"forward", "backward", "random", "run-ahead"};

}  // namespace

absl::string_view Name(Schedule schedule) { return kScheduleNames[static_cast<int>(schedule)]; }

std::optional<Schedule> ScheduleFromName(absl::string_view name) {
  for (int i = 0; i < 4; ++i) {
    if (kScheduleNames[i] == name) return static_cast<Schedule>(i);
  }
  return std::nullopt;
}

absl::Status Launch(const Entry& entry, const LaunchConfig& config, void** parameters,
                    const LaunchOptions& options) {
  return Scheduler::OfThisThread().Run(entry, config, parameters, options);
}

std::vector<std::string> TakeBarrierSites() { return Scheduler::OfThisThread().TakeBarrierSites(); }

int Barrier(BarrierOp op, int predicate, Site site) {
  return Scheduler::OfThisThread().PassBarrier(op, predicate, site);
}

uint64_t WarpExchange(WarpOp op, uint32_t mask, uint64_t value, int argument, int width,
                      Site site) {
  return Scheduler::OfThisThread().Exchange(op, mask, value, argument, width, site);
}

void* SharedArray(const void* key, int64_t bytes, Site site) {
  return Scheduler::OfThisThread().FindShared(key, bytes, site);
}

void Trap(Site site) { Scheduler::OfThisThread().Fail("the kernel traps", site); }

}  // namespace assay::cuda::emulator
