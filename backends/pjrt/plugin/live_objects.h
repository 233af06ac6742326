// Counts the objects of the plug-in that its host has not destroyed, for tests. Tests:
// plugin_lives_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_LIVE_OBJECTS_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_LIVE_OBJECTS_H_

#include <atomic>
#include <cstdint>

namespace assay::pjrt {

struct LiveObjects {
  std::atomic<int64_t> clients{0}, buffers{0}, events{0}, executables{0}, errors{0};
};
inline LiveObjects live_objects;

// A member of every counted type.
class Counted {
 public:
  explicit Counted(std::atomic<int64_t>& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<int64_t>& count_;
};

}  // namespace assay::pjrt

// Stores the numbers of clients, buffers, events, executables and errors, in this order.
extern "C" void AssayPjrtLiveObjects(int64_t counts[5]);

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_LIVE_OBJECTS_H_
