#include "backends/cuda/checker/checker.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "backends/cuda/checker/places.h"
#include "backends/cuda/emulator/access_trace.h"
#include "backends/cuda/emulator/memory_map.h"
#include "backends/cuda/emulator/scheduler.h"
#include "backends/cuda/emulator/shadow.h"

namespace assay::cuda::checker {
namespace {

using emulator::ByteShadow;
using emulator::DeviceBlock;
using emulator::LastAccess;
using emulator::LastReads;
using emulator::MemoryMap;
using emulator::Scheduler;
using emulator::Shadow;
using emulator::SharedMemory;

// One access of the thread that runs.
class Checked {
 public:
  Checked(Scheduler& scheduler, const void* address, int64_t bytes, Access access, const void* pc)
      : scheduler_(scheduler),
        address_(static_cast<const std::byte*>(address)),
        bytes_(bytes),
        access_(access),
        pc_(pc) {}

  // Tells the trace of the launch, if there is one.
  void Trace(uint64_t address, bool is_shared) const {
    emulator::AccessTrace* const trace = scheduler_.trace();
    if (trace == nullptr) return;
    trace->Record(
        {pc_, scheduler_.place().thread, address, bytes_, access_ != Access::kRead, is_shared});
  }

  void CheckShared(const SharedMemory& shared) {
    Trace(address_ - shared.base(), /*is_shared=*/true);
    const SharedMemory::Array* const array = shared.Holder(address_);
    if (array == nullptr || shared.Holder(address_ + bytes_ - 1) != array) {
      Report("outside every array of shared memory", "");
    }
    memory_ = array->key == nullptr
                  ? "dynamic shared memory"
                  : absl::StrCat("the shared array at ", emulator::ToString(array->site));
    const std::byte* const first = shared.DataOf(*array);
    CheckBytes(*scheduler_.shared_shadow(), address_ - shared.base(), address_ - first,
               /*one_block=*/true);
  }

  void CheckGlobal() {
    Trace(reinterpret_cast<uintptr_t>(address_), /*is_shared=*/false);
    DeviceBlock* const block = MemoryMap::Global().Find(address_);
    if (block == nullptr) {
      if (access_ == Access::kRead && IsConstant(address_)) return;
      Report("outside the memory of every device", MemoryMap::Global().DescribeNearest(address_));
    }
    if (!block->live) Report("of memory that has been freed", "");
    const int64_t offset = address_ - block->data;
    memory_ = absl::StrCat("an allocation of ", block->bytes, " bytes");
    if (offset + bytes_ > block->bytes) Report("out of bounds", Where(offset));
    if (block->shadow == nullptr) return;
    CheckBytes(*block->shadow, offset, offset, /*one_block=*/false);
  }

 private:
  void CheckBytes(Shadow& shadow, int64_t offset, int64_t named, bool one_block) {
    const Scheduler::Place place = scheduler_.place();
    LastAccess now;
    now.launch = static_cast<uint32_t>(place.launch);
    now.block = static_cast<uint32_t>(place.block);
    now.block_epoch = place.block_epoch;
    now.time = place.warp_epoch;
    now.thread = static_cast<uint16_t>(place.thread);
    now.place = OffsetOf(pc_);
    now.atomic = access_ == Access::kAtomic || access_ == Access::kAtomicStore;
    for (int64_t i = 0; i < bytes_; ++i) {
      ByteShadow& byte = shadow.at(offset + i);
      if ((access_ == Access::kRead || access_ == Access::kAtomic) && !byte.initialised) {
        Report("of memory that was never written", Where(named + i));
      }
      CheckAgainst(byte.write, now, "wrote", named + i, one_block);
      if (access_ == Access::kRead) {
        byte.reads.Add(now);
      } else {
        const LastReads& reads = byte.reads;
        for (const auto* read : {&reads.latest, &reads.beside, &reads.around, &reads.abroad}) {
          CheckAgainst(*read, now, "read", named + i, one_block);
        }
        byte.write = now;
        byte.initialised = true;
      }
    }
  }

  static bool SameThread(const LastAccess& a, const LastAccess& b) {
    return a.block == b.block && a.thread == b.thread;
  }

  void CheckAgainst(const LastAccess& other, const LastAccess& now, const char* did, int64_t named,
                    bool one_block) {
    if (other.launch != now.launch || SameThread(other, now)) return;
    if (one_block && other.block != now.block) return;
    if (other.atomic && now.atomic) return;
    if (other.block == now.block) {
      if (other.block_epoch != now.block_epoch) return;
      if (scheduler_.IsOrderedInWarp(other.thread, other.time)) return;
    }
    Report(absl::StrCat("that races: ", scheduler_.Describe(other.block, other.thread), " ", did,
                        other.atomic ? " atomically" : "", " at ", PlaceOf(other.place)),
           Where(named));
  }

  std::string Where(int64_t offset) const { return absl::StrCat("byte ", offset, " of ", memory_); }

  [[noreturn]] void Report(absl::string_view what, absl::string_view where) {
    const char* const kind = access_ == Access::kRead    ? "read"
                             : access_ == Access::kWrite ? "write"
                                                         : "atomic";
    scheduler_.FailAt(absl::StrCat(kind, " of ", bytes_, " bytes ", what,
                                   where.empty() ? "" : absl::StrCat(" (", where, ")")),
                      PlaceOf(OffsetOf(pc_)));
  }

  Scheduler& scheduler_;
  const std::byte* const address_;
  const int64_t bytes_;
  const Access access_;
  const void* const pc_;
  std::string memory_;
};

}  // namespace

void Check(const void* address, int64_t bytes, Access access, const void* pc) {
  Scheduler& scheduler = Scheduler::OfThisThread();
  if (!scheduler.runs() || bytes <= 0) return;
  if (scheduler.IsOnStack(address)) return;
  const auto* const at = static_cast<const std::byte*>(address);
  const auto* const built_ins = reinterpret_cast<const std::byte*>(&emulator::built_ins);
  if (at >= built_ins && at < built_ins + sizeof(emulator::BuiltIns)) return;
  if (!scheduler.CountAccess()) {
    scheduler.FailAt("the thread loops without waiting, as if it waited for another one",
                     PlaceOf(OffsetOf(pc)));
  }
  Checked checked(scheduler, address, bytes, access, pc);
  if (scheduler.shared().Contains(address)) return checked.CheckShared(scheduler.shared());
  if (scheduler.IsParameter(address)) return;
  checked.CheckGlobal();
}

}  // namespace assay::cuda::checker
