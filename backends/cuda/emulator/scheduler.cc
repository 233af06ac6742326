#include "backends/cuda/emulator/scheduler.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/cuda/emulator/access_trace.h"

namespace assay::cuda::emulator {
namespace {

absl::string_view BaseName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

std::string ToText(Extent e) { return absl::StrCat("(", e.x, ",", e.y, ",", e.z, ")"); }

Extent Unflatten(int64_t index, Extent extent) {
  return {static_cast<uint32_t>(index % extent.x),
          static_cast<uint32_t>(index / extent.x % extent.y),
          static_cast<uint32_t>(index / extent.x / extent.y)};
}

}  // namespace

thread_local constinit BuiltIns built_ins;

std::string ToString(Site site) {
  return absl::StrCat(BaseName(site.file == nullptr ? "?" : site.file), ":", site.line);
}

// The generator of Steele, Lea and Flood (SplitMix64).
uint64_t Scheduler::Random::Next() {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

Scheduler& Scheduler::OfThisThread() {
  // On the heap: a library that is loaded while the program runs (the Python package, a plug-in)
  // has room for about a kilobyte of what stands in threads themselves.
  static thread_local const auto scheduler = std::make_unique<Scheduler>();
  return *scheduler;
}

absl::Status CheckLaunch(const Entry& entry, const LaunchConfig& config, const Limits& limits) {
  const auto refuse = [&](auto... words) {
    return absl::InvalidArgumentError(absl::StrCat("launch of ", entry.name, ": ", words...));
  };
  const Extent block = config.block, grid = config.grid;
  if (block.x == 0 || block.y == 0 || block.z == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0) {
    return refuse("a grid and a block have at least one element in each dimension");
  }
  if (block.x > 1024 || block.y > 1024 || block.z > 64 ||
      static_cast<int64_t>(block.x) * block.y * block.z > limits.block_threads) {
    return refuse("a block of ", ToText(block), " threads exceeds ", limits.block_threads,
                  " threads or (1024,1024,64)");
  }
  if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) {
    return refuse("a grid of ", ToText(grid), " blocks exceeds (2147483647,65535,65535)");
  }
  if (config.shared_bytes < 0 || config.shared_bytes > limits.shared_bytes) {
    return refuse(config.shared_bytes, " bytes of dynamic shared memory exceed ",
                  limits.shared_bytes);
  }
  if (entry.parameter_bytes > limits.parameter_bytes) {
    return refuse(entry.parameter_bytes, " bytes of parameters exceed ", limits.parameter_bytes);
  }
  return absl::OkStatus();
}

absl::Status Scheduler::Run(const Entry& entry, const LaunchConfig& config, void** parameters,
                            const LaunchOptions& options) {
  options_ = options;
  absl::Status accepted = CheckLaunch(entry, config, options.limits);
  if (!accepted.ok()) return accepted;
  entry_ = &entry;
  config_ = config;
  parameters_ = parameters;
  StartLaunch(options);
  for (int64_t step = 0; step < block_count_ && status_.ok(); ++step) RunBlock(BlockAt(step));
  current_ = -1;
  return std::move(status_);
}

void Scheduler::StartLaunch(const LaunchOptions& options) {
  // The memory of devices is shared by all host threads, and so are the numbers of launches.
  static std::atomic<int64_t> launches = 0;
  launch_ = ++launches;
  status_ = absl::OkStatus();
  thread_count_ = static_cast<int32_t>(config_.block.x * config_.block.y * config_.block.z);
  block_count_ = static_cast<int64_t>(config_.grid.x) * config_.grid.y * config_.grid.z;
  omitted_line_ = -1;
  const size_t colon = options_.omitted_barrier.rfind(':');
  if (colon != std::string::npos) {
    const absl::string_view omitted = options_.omitted_barrier;
    omitted_file_ = omitted.substr(0, colon);
    if (!absl::SimpleAtoi(omitted.substr(colon + 1), &omitted_line_)) omitted_line_ = -1;
  }
  random_.state = options.seed;
  block_first_ = 0;
  block_step_ = 1;
  if (options_.schedule == Schedule::kBackward) {
    block_first_ = block_step_ = block_count_ - 1;
  } else if (options_.schedule != Schedule::kForward) {
    // A step without common divisor reaches every block once.
    block_first_ = random_.Below(block_count_);
    do {
      block_step_ = 1 + random_.Below(block_count_);
    } while (std::gcd(block_step_, block_count_) != 1);
  }
  shared_.Start(config_.shared_bytes);
  warps_.resize((thread_count_ + kWarpSize - 1) / kWarpSize);
  const bool by_warp = options_.schedule == Schedule::kRunAhead;
  order_.resize(by_warp ? warps_.size() : thread_count_);
  std::iota(order_.begin(), order_.end(), 0);
  if (options_.schedule == Schedule::kBackward) std::reverse(order_.begin(), order_.end());
  built_ins.block_size = config_.block;
  built_ins.grid_size = config_.grid;
  built_ins.dynamic_shared = shared_.dynamic();
}

int64_t Scheduler::BlockAt(int64_t step) const {
  return static_cast<int64_t>((static_cast<unsigned __int128>(step) * block_step_ + block_first_) %
                              block_count_);
}

void Scheduler::StartBlock(int64_t block) {
  block_ = block;
  built_ins.block = Unflatten(block, config_.grid);
  threads_.assign(thread_count_, Thread());
  for (size_t w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    warp.first = static_cast<int32_t>(w) * kWarpSize;
    warp.runnable = std::min(kWarpSize, thread_count_ - warp.first);
    warp.lanes = warp.runnable == kWarpSize ? ~0u : (1u << warp.runnable) - 1;
    warp.ended = 0;
    warp.last = kWarpSize - 1;
    warp.meetings.clear();
  }
  shared_.Poison();
  if (options_.checked) {
    if (shared_shadow_ == nullptr) shared_shadow_ = std::make_unique<Shadow>(SharedMemory::kMost);
    // Accesses of other blocks and launches are told apart by their numbers.
    shared_shadow_->SetInitialised(0, std::min(shared_high_, shared_shadow_->bytes()), false);
    shared_high_ = shared_.used();
    known_times_.assign(thread_count_, {});
  }
  cursor_ = 0;
  progress_ = false;
  ended_ = 0;
  block_epoch_ = 0;
  barrier_arrived_ = 0;
  if (options_.schedule == Schedule::kRandom || options_.schedule == Schedule::kRunAhead) Shuffle();
}

void Scheduler::Shuffle() {
  for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_.Below(i)]);
}

void Scheduler::RunBlock(int64_t block) {
  StartBlock(block);
  next_ = Choose();
  while (next_ >= 0) {
    Thread& thread = threads_[next_];
    const bool starts = thread.state == State::kNew;
    Fiber* const fiber = starts ? TakeFiber() : thread.fiber;
    if (fiber == nullptr) {
      status_ = absl::ResourceExhaustedError(
          absl::StrCat("no memory for the stacks of ", thread_count_, " emulated threads"));
      break;
    }
    if (!starts) Enter(next_);
    fiber->Resume();
    if (!status_.ok()) break;
    // A fiber whose thread has ended has chosen already.
    if (current_ >= 0) next_ = Choose();
  }
  current_ = -1;
  FinishBlock();
}

void Scheduler::FinishBlock() {
  if (options_.trace != nullptr) options_.trace->EndBlock();
  shared_high_ = std::max(shared_high_, shared_.used());
  if (status_.ok() && ended_ < thread_count_) SetError(DescribeDeadlock());
  if (status_.ok()) {
    if (const SharedMemory::Array* overrun = shared_.FindOverrun(); overrun != nullptr) {
      SetError(absl::StrCat("block ", ToText(Unflatten(block_, config_.grid)), " wrote outside ",
                            overrun->key == nullptr
                                ? "its dynamic shared memory"
                                : absl::StrCat("the shared array at ", ToString(overrun->site)),
                            " of ", overrun->bytes, " bytes"));
    }
  }
  if (status_.ok()) return;
  // Threads that did not end are left where they stand.
  idle_.clear();
  for (const auto& fiber : fibers_) {
    fiber->Reset();
    idle_.push_back(fiber.get());
  }
}

int32_t Scheduler::Choose() {
  return options_.schedule == Schedule::kRunAhead ? ChooseAhead() : ChooseInRounds();
}

int32_t Scheduler::ChooseInRounds() {
  while (true) {
    while (cursor_ < order_.size()) {
      const int32_t thread = order_[cursor_++];
      if (threads_[thread].state > State::kReady) continue;
      progress_ = true;
      return thread;
    }
    if (!progress_) return -1;
    cursor_ = 0;
    progress_ = false;
    if (options_.schedule == Schedule::kRandom) Shuffle();
  }
}

int32_t Scheduler::ChooseAhead() {
  for (const int32_t number : order_) {
    Warp& warp = warps_[number];
    if (warp.runnable == 0) continue;
    for (int32_t i = 1; i <= kWarpSize; ++i) {
      const int32_t lane = (warp.last + i) % kWarpSize;
      if ((warp.lanes >> lane & 1) == 0) continue;
      if (threads_[warp.first + lane].state > State::kReady) continue;
      warp.last = lane;
      return warp.first + lane;
    }
  }
  return -1;
}

void Scheduler::Enter(int32_t number) {
  current_ = number;
  accesses_ = 0;
  threads_[number].state = State::kRunning;
  --warps_[number / kWarpSize].runnable;
  built_ins.thread = IndexOf(number);
  built_ins.lane = number % kWarpSize;
}

void Scheduler::RunFiber(Fiber& self, void* scheduler) {
  static_cast<Scheduler*>(scheduler)->RunThreads(self);
}

void Scheduler::RunThreads(Fiber& self) {
  while (true) {
    while (next_ >= 0 && threads_[next_].state == State::kNew) {
      threads_[next_].fiber = &self;
      Enter(next_);
      entry_->run_thread(parameters_);
      EndThread();
      next_ = Choose();
    }
    current_ = -1;
    idle_.push_back(&self);
    self.Suspend();
  }
}

void Scheduler::EndThread() {
  Warp& warp = warps_[current_ / kWarpSize];
  const uint32_t bit = 1u << current_ % kWarpSize;
  if (barrier_arrived_ > 0) {
    Fail("the thread ends while others wait at __syncthreads", barrier_site_);
  }
  for (const Meeting& meeting : warp.meetings) {
    if ((meeting.mask & bit) == 0) continue;
    Fail("the thread ends while lanes of its warp wait for it",
         threads_[warp.first + __builtin_ctz(meeting.arrived)].site);
  }
  threads_[current_].state = State::kEnded;
  warp.ended |= bit;
  ++ended_;
}

void Scheduler::Wait(Site site, bool in_barrier) {
  Thread& thread = threads_[current_];
  thread.in_barrier = in_barrier;
  thread.site = site;
  thread.fiber->Suspend();
}

void Scheduler::Wake(int32_t number, uint64_t result) {
  threads_[number].state = State::kReady;
  threads_[number].result = result;
  ++warps_[number / kWarpSize].runnable;
}

bool Scheduler::IsOmitted(Site site) const {
  return site.line == omitted_line_ && BaseName(site.file) == omitted_file_;
}

void Scheduler::Record(Site site) {
  for (const Site& known : sites_) {
    if (known.line == site.line && known.file == site.file) return;
  }
  sites_.push_back(site);
}

std::vector<std::string> Scheduler::TakeBarrierSites() {
  std::vector<std::string> names;
  for (const Site& site : sites_) names.push_back(ToString(site));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  sites_.clear();
  return names;
}

int Scheduler::PassBarrier(BarrierOp op, int predicate, Site site) {
  if (op == BarrierOp::kNone && IsOmitted(site)) return 0;
  if (ended_ > 0) Fail("a thread waits at __syncthreads, and others of its block have ended", site);
  if (barrier_arrived_ == 0) {
    barrier_op_ = op;
    barrier_site_ = site;
    barrier_true_ = 0;
  } else if (barrier_op_ != op || barrier_site_.line != site.line ||
             BaseName(barrier_site_.file) != BaseName(site.file)) {
    Fail(absl::StrCat("threads of a block wait at different barriers: others at ",
                      ToString(barrier_site_)),
         site);
  }
  barrier_true_ += predicate != 0 ? 1 : 0;
  threads_[current_].state = State::kWaiting;
  if (++barrier_arrived_ == thread_count_) {
    const uint64_t result = op == BarrierOp::kCount ? barrier_true_
                            : op == BarrierOp::kAnd ? barrier_true_ == thread_count_
                                                    : barrier_true_ > 0;
    for (int32_t i = 0; i < thread_count_; ++i) Wake(i, result);
    barrier_arrived_ = 0;
    ++block_epoch_;
    if (op == BarrierOp::kNone) Record(site);
  }
  const int32_t self = current_;
  Wait(site, /*in_barrier=*/true);
  return static_cast<int>(threads_[self].result);
}

void* Scheduler::FindShared(const void* key, int64_t bytes, Site site) {
  const int64_t limit = std::min(options_.limits.static_shared_bytes,
                                 options_.limits.shared_bytes - config_.shared_bytes);
  void* const data = shared_.Find(key, bytes, site, limit);
  if (data == nullptr) {
    Fail(absl::StrCat("the shared arrays of the kernel exceed ", limit, " bytes"), site);
  }
  return data;
}

void Scheduler::SetError(std::string message) {
  if (!status_.ok()) return;
  status_ = absl::FailedPreconditionError(absl::StrCat("kernel ", entry_->name, ": ", message));
}

void Scheduler::Fail(std::string message, Site site) { FailAt(std::move(message), ToString(site)); }

void Scheduler::FailAt(std::string message, std::string place) {
  SetError(absl::StrCat(Describe(block_, current_), ": ", message, " at ", place));
  std::string().swap(message);
  std::string().swap(place);
  threads_[current_].fiber->Abandon();
}

Extent Scheduler::IndexOf(int32_t thread) const { return Unflatten(thread, config_.block); }

std::string Scheduler::Describe(int64_t block, int32_t thread) const {
  return absl::StrCat("block ", ToText(Unflatten(block, config_.grid)), ", thread ",
                      ToText(IndexOf(thread)));
}

Scheduler::Place Scheduler::place() const {
  return {launch_, block_, current_, block_epoch_, threads_[current_].warp_epoch};
}

bool Scheduler::IsOnStack(const void* address) const {
  return threads_[current_].fiber->Owns(address);
}

bool Scheduler::IsParameter(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  for (int32_t i = 0; i < entry_->parameter_count; ++i) {
    const auto* const parameter = static_cast<const std::byte*>(parameters_[i]);
    if (at >= parameter && at < parameter + entry_->parameter_bytes) return true;
  }
  return false;
}

bool Scheduler::IsOrderedInWarp(int32_t thread, uint32_t time) const {
  if (thread / kWarpSize != current_ / kWarpSize) return false;
  return time < known_times_[current_][thread % kWarpSize];
}

// After a meeting every lane of it knows what all of them have known, and what they have done.
void Scheduler::JoinTimes(const Warp& warp, uint32_t mask) {
  std::array<uint32_t, kWarpSize> joined = {};
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const auto& known = known_times_[warp.first + lane];
    for (int32_t i = 0; i < kWarpSize; ++i) joined[i] = std::max(joined[i], known[i]);
    joined[lane] = std::max(joined[lane], threads_[warp.first + lane].warp_epoch);
  }
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    if ((mask >> lane & 1) != 0) known_times_[warp.first + lane] = joined;
  }
}

std::string Scheduler::DescribeDeadlock() const {
  std::string text = "deadlock: no thread of the block can go on;";
  // One thread of each kind says enough.
  for (const bool in_barrier : {true, false}) {
    int32_t waiting = 0, example = -1;
    for (int32_t i = 0; i < thread_count_; ++i) {
      if (threads_[i].state != State::kWaiting || threads_[i].in_barrier != in_barrier) continue;
      if (waiting++ == 0) example = i;
    }
    if (waiting == 0) continue;
    absl::StrAppend(&text, " ", waiting, " of ", thread_count_, " threads wait ",
                    in_barrier ? "at __syncthreads" : "for lanes of their warp", ", among them ",
                    Describe(block_, example), " at ", ToString(threads_[example].site), ";");
  }
  text.pop_back();
  return text;
}

Fiber* Scheduler::TakeFiber() {
  if (idle_.empty()) {
    std::unique_ptr<Fiber> fiber = Fiber::Create(&Scheduler::RunFiber, this);
    if (fiber == nullptr) return nullptr;
    fibers_.push_back(std::move(fiber));
    return fibers_.back().get();
  }
  Fiber* const fiber = idle_.back();
  idle_.pop_back();
  return fiber;
}

}  // namespace assay::cuda::emulator
