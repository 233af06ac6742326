// The functions at which lanes of a warp meet: shuffles, votes, reductions, __syncwarp.
#include <bit>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backends/cuda/emulator/scheduler.h"

namespace assay::cuda::emulator {
namespace {

absl::string_view FunctionName(WarpOp op) {
  constexpr absl::string_view kNames[] = {
      "__syncwarp",        "__shfl_sync",       "__shfl_up_sync",    "__shfl_down_sync",
      "__shfl_xor_sync",   "__ballot_sync",     "__any_sync",        "__all_sync",
      "__match_any_sync",  "__reduce_add_sync", "__reduce_min_sync", "__reduce_min_sync",
      "__reduce_max_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync",
      "__reduce_xor_sync"};
  return kNames[static_cast<int>(op)];
}

uint32_t Combine(WarpOp op, uint32_t a, uint32_t b) {
  const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  switch (op) {
    case WarpOp::kAdd:
      return a + b;
    case WarpOp::kMinSigned:
      return x < y ? a : b;
    case WarpOp::kMaxSigned:
      return x > y ? a : b;
    case WarpOp::kMinUnsigned:
      return a < b ? a : b;
    case WarpOp::kMaxUnsigned:
      return a > b ? a : b;
    case WarpOp::kAnd:
      return a & b;
    case WarpOp::kOr:
      return a | b;
    default:
      return a ^ b;
  }
}

}  // namespace

void Scheduler::CheckExchange(const Warp& warp, WarpOp op, uint32_t mask, int lane, int width,
                              Site site) {
  const auto fail = [&](auto... words) {
    Fail(absl::StrCat(FunctionName(op), " with mask ", absl::StrFormat("0x%08x", mask), ": ",
                      words...),
         site);
  };
  if ((mask >> lane & 1) == 0) fail("lane ", lane, " calls it and is not in the mask");
  if ((mask & ~warp.lanes) != 0) {
    fail("lane ", std::countr_zero(mask & ~warp.lanes), " of the mask is not in the block");
  }
  if ((mask & warp.ended) != 0) {
    fail("lane ", std::countr_zero(mask & warp.ended), " of the mask has ended");
  }
  if (!std::has_single_bit(static_cast<unsigned>(width)) || width > kWarpSize) {
    fail("the width ", width, " is not a power of two up to 32");
  }
  for (const Meeting& meeting : warp.meetings) {
    if (meeting.mask == mask && (meeting.op != op || meeting.width != width)) {
      fail("lanes of the mask call another function at ",
           ToString(threads_[warp.first + std::countr_zero(meeting.arrived)].site), ", ",
           FunctionName(meeting.op));
    }
  }
}

uint64_t Scheduler::Exchange(WarpOp op, uint32_t mask, uint64_t value, int argument, int width,
                             Site site) {
  if (op == WarpOp::kSync && IsOmitted(site)) return 0;
  const int32_t self = current_;
  Warp& warp = warps_[self / kWarpSize];
  const int lane = self % kWarpSize;
  CheckExchange(warp, op, mask, lane, width, site);
  Meeting* meeting = nullptr;
  for (Meeting& open : warp.meetings) {
    if (open.mask == mask) meeting = &open;
  }
  if (meeting == nullptr) {
    meeting = &warp.meetings.emplace_back();
    meeting->mask = mask;
    meeting->op = op;
    meeting->width = width;
  }
  meeting->arrived |= 1u << lane;
  meeting->values[lane] = value;
  meeting->arguments[lane] = argument;
  threads_[self].state = State::kWaiting;
  if (meeting->arrived == mask) Complete(warp, *meeting, site);
  Wait(site, /*in_barrier=*/false);
  return threads_[self].result;
}

void Scheduler::Complete(Warp& warp, Meeting& meeting, Site site) {
  for (uint32_t rest = meeting.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    Wake(warp.first + lane, ResultOf(meeting, lane, site));
    ++threads_[warp.first + lane].warp_epoch;
  }
  // Shuffles and votes exchange values and order no accesses to memory.
  if (meeting.op == WarpOp::kSync) {
    if (options_.checked) JoinTimes(warp, meeting.mask);
    Record(site);
  }
  if (&meeting != &warp.meetings.back()) meeting = warp.meetings.back();
  warp.meetings.pop_back();
}

uint64_t Scheduler::ShuffleSource(const Meeting& meeting, int lane, Site site) {
  const int width = meeting.width, argument = meeting.arguments[lane];
  const int first = lane & ~(width - 1), last = first + width - 1;
  int source = lane;
  switch (meeting.op) {
    case WarpOp::kShuffle:
      source = first + (argument & (width - 1));
      break;
    case WarpOp::kShuffleUp:
      source = static_cast<unsigned>(argument) > static_cast<unsigned>(lane - first)
                   ? lane
                   : lane - argument;
      break;
    case WarpOp::kShuffleDown:
      source = static_cast<unsigned>(argument) > static_cast<unsigned>(last - lane)
                   ? lane
                   : lane + argument;
      break;
    default:
      source = lane ^ argument;
      if (source > last || source < 0) source = lane;
      break;
  }
  if ((meeting.mask >> source & 1) == 0) {
    Fail(absl::StrCat(FunctionName(meeting.op), ": lane ", lane, " reads from lane ", source,
                      ", which is not in the mask ", absl::StrFormat("0x%08x", meeting.mask)),
         site);
  }
  return meeting.values[source];
}

uint64_t Scheduler::ResultOf(const Meeting& meeting, int lane, Site site) {
  switch (meeting.op) {
    case WarpOp::kSync:
      return 0;
    case WarpOp::kShuffle:
    case WarpOp::kShuffleUp:
    case WarpOp::kShuffleDown:
    case WarpOp::kShuffleXor:
      return ShuffleSource(meeting, lane, site);
    case WarpOp::kBallot:
    case WarpOp::kAny:
    case WarpOp::kAll:
    case WarpOp::kMatchAny: {
      uint32_t set = 0;
      for (uint32_t rest = meeting.mask; rest != 0; rest &= rest - 1) {
        const int other = std::countr_zero(rest);
        const bool counts = meeting.op == WarpOp::kMatchAny
                                ? meeting.values[other] == meeting.values[lane]
                                : meeting.values[other] != 0;
        set |= counts ? 1u << other : 0;
      }
      if (meeting.op == WarpOp::kAny) return set != 0;
      if (meeting.op == WarpOp::kAll) return set == meeting.mask;
      return set;
    }
    default: {
      uint32_t rest = meeting.mask;
      auto result = static_cast<uint32_t>(meeting.values[std::countr_zero(rest)]);
      for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
        result = Combine(meeting.op, result,
                         static_cast<uint32_t>(meeting.values[std::countr_zero(rest)]));
      }
      return result;
    }
  }
}

}  // namespace assay::cuda::emulator
