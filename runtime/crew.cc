#include "runtime/crew.h"

#include <pthread.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "runtime/float_environment.h"

namespace assay::runtime {
namespace {

// More threads than this are not kept idle.
constexpr int64_t kMostIdle = 64;

// What is idle. The object lives as long as the process, since threads may return crews while the
// process ends; the threads end when this library does.
struct IdleCrews {
  std::mutex mutex;
  std::vector<std::unique_ptr<Crew>> crews;
  int64_t threads = 0;
  bool closed = false;
  std::vector<std::unique_ptr<Crew>> of_parent;  // in a forked process; never ended

  static IdleCrews& Get() {
    static IdleCrews& idle = *new IdleCrews;
    return idle;
  }
};

void LockIdle() { IdleCrews::Get().mutex.lock(); }
void UnlockIdle() { IdleCrews::Get().mutex.unlock(); }
void AbandonIdle() {
  IdleCrews& idle = IdleCrews::Get();
  for (std::unique_ptr<Crew>& crew : idle.crews) idle.of_parent.push_back(std::move(crew));
  idle.crews.clear();
  idle.threads = 0;
  idle.mutex.unlock();
}

struct Closer {
  Closer() { pthread_atfork(LockIdle, UnlockIdle, AbandonIdle); }
  ~Closer() {
    IdleCrews& idle = IdleCrews::Get();
    std::vector<std::unique_ptr<Crew>> ended;
    const std::lock_guard lock(idle.mutex);
    idle.closed = true;
    ended.swap(idle.crews);
  }
};
Closer closer;

}  // namespace

std::unique_ptr<Crew> Crew::Take() {
  IdleCrews& idle = IdleCrews::Get();
  const std::lock_guard lock(idle.mutex);
  if (idle.crews.empty()) return std::make_unique<Crew>();
  std::unique_ptr<Crew> crew = std::move(idle.crews.back());
  idle.crews.pop_back();
  idle.threads -= crew->threads();
  return crew;
}

void Crew::Return(std::unique_ptr<Crew> crew) {
  if (crew == nullptr || crew->threads() == 0) return;
  IdleCrews& idle = IdleCrews::Get();
  const std::lock_guard lock(idle.mutex);
  if (idle.closed || idle.threads + crew->threads() > kMostIdle) return;  // it ends here
  idle.threads += crew->threads();
  idle.crews.push_back(std::move(crew));
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::Start(int64_t helpers) {
  try {
    while (threads() < helpers) threads_.emplace_back([this] { Help(); });
  } catch (const std::system_error&) {  // those that there are will do
  }
}

void Crew::Run(int64_t helpers, absl::FunctionRef<void()> work) {
  Start(helpers);
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    vacancies_ = helpers;
  }
  for (int64_t i = 0; i < std::min(helpers, threads()); ++i) wanted_.notify_one();
  work();
  // Who has not come by now finds nothing to do.
  std::unique_lock lock(mutex_);
  vacancies_ = 0;
  all_done_.wait(lock, [this] { return running_ == 0; });
  work_ = nullptr;
}

void Crew::Help() {
  const FloatEnvironmentGuard guard;
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [this] { return stop_ || vacancies_ > 0; });
    if (stop_) return;
    --vacancies_;
    ++running_;
    const absl::FunctionRef<void()> work = *work_;
    lock.unlock();
    work();
    lock.lock();
    if (--running_ == 0) all_done_.notify_one();
  }
}

}  // namespace assay::runtime
