// The thread that runs a client's programs, one after the other in the order of their start. Tests:
// plugin_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_WORKER_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_WORKER_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace assay::pjrt {

class Worker {
 public:
  using Task = std::function<void()>;

  // Runs the remaining tasks, then ends the thread.
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  // Enqueues the task.
  void Put(Task task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
      if (!thread_.joinable()) thread_ = std::thread([this] { Work(); });
    }
    changed_.notify_one();
  }

  // Runs the task on this thread if no other waits or runs. Returns false otherwise.
  bool RunIfIdle(const Task& task) {
    {
      const std::lock_guard lock(mutex_);
      if (running_ || !tasks_.empty()) return false;
      running_ = true;
    }
    task();
    {
      const std::lock_guard lock(mutex_);
      running_ = false;
    }
    changed_.notify_one();
    return true;
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !running_ && (ends_ || !tasks_.empty()); });
      if (tasks_.empty()) return;
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      running_ = true;
      lock.unlock();
      task();
      task = nullptr;  // its resources are released without holding the lock
      lock.lock();
      running_ = false;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool running_ = false;  // true while any thread runs a task
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_WORKER_H_
