// Streams and events of the emulated runtime. A stream is a queue of operations; which of the
// streams that are ready executes its next one is drawn by a seed. A device whose operation fails
// is lost until it is reset. An instance is used by one thread at a time. Tests: device_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_STREAMS_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_STREAMS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "backends/cuda/device/api.h"

namespace assay::cuda {

struct Capture;

// An event is as far as its latest record has been executed.
struct EventHandle {
  int64_t recorded = 0, completed = 0;
  double milliseconds = 0;
  // If the latest record was captured: the capture, and the nodes before the record.
  std::shared_ptr<Capture> capture;
  std::vector<int> frontier;
};

// What a stream executes.
struct Operation {
  std::function<Error()> run;
  // The event that the operation waits for, until it has completed this record; null for none.
  std::shared_ptr<EventHandle> event;
  int64_t record = 0;
  // The event that the operation records; null for none.
  std::shared_ptr<EventHandle> recorded;
};

// An operation of a graph, which runs after other nodes.
struct GraphNode {
  std::function<Error()> run;
  std::vector<int> after;
};

// What one stream began to capture and others have joined.
struct Capture {
  const StreamHandle* origin = nullptr;
  bool ended = false, invalid = false;
  std::vector<GraphNode> nodes;
};

struct StreamHandle {
  int device = 0;
  bool destroyed = false;
  std::deque<Operation> queue;
  // While the stream captures: the nodes after which its next node runs.
  std::shared_ptr<Capture> capture;
  std::vector<int> frontier;
};

class EmulatedStreams {
 public:
  EmulatedStreams(int devices, uint64_t seed);

  StreamHandle* Create(int device);
  // Operations that are in the queue are still executed.
  void Destroy(StreamHandle* stream);
  // Returns true if the stream was created and not destroyed.
  bool Holds(const StreamHandle* stream) const;
  // Returns the number of streams that are not destroyed.
  int64_t live() const;

  // Appends an operation to the queue, or to the capture if the stream captures.
  void Enqueue(StreamHandle* stream, std::function<Error()> run);

  bool IsCapturing() const;
  // A call that must not be made while a stream captures invalidates all captures.
  void InvalidateCaptures();
  static void BeginCapture(StreamHandle* stream);
  // Ends the capture that the stream began, for all streams that have joined it.
  Error EndCapture(StreamHandle* stream, std::vector<GraphNode>* nodes);
  // Records an event, and waits for one, of streams that capture or not.
  void Record(StreamHandle* stream, const std::shared_ptr<EventHandle>& event,
              std::function<void()> completed);
  Error Wait(StreamHandle* stream, const std::shared_ptr<EventHandle>& event);

  // Returns the error by which the device was lost, or kSuccess.
  Error failure(int device) const { return failures_[device]; }
  void Lose(int device, Error failure) { failures_[device] = failure; }
  // Drops the streams of the device, which is no longer lost.
  void Reset(int device);

  // Executes operations of all devices until the condition holds or the device is lost. Returns
  // failure(device).
  template <typename Condition>
  Error RunUntil(int device, Condition condition) {
    while (!condition()) {
      // What is left waits for events of a lost device, and so this one is lost, too.
      if (!Step()) failures_[device] = Error::kLaunchFailure;
      if (failures_[device] != Error::kSuccess) return failures_[device];
    }
    return Error::kSuccess;
  }
  // Executes one operation, if any is ready. Returns failure(device).
  Error RunSome(int device);
  // Executes all operations of the device.
  Error Drain(int device);

  // Returns the next number of the generator that also draws the order.
  uint64_t Draw();

 private:
  void Release(Capture& capture);
  // Drops the queue of a stream of a lost device. Nobody waits for its events any longer.
  static void Discard(StreamHandle& stream);
  // Executes the next operation of a stream that is ready. Returns false if none is.
  bool Step();
  void RemoveFinished();

  std::vector<std::unique_ptr<StreamHandle>> streams_;
  std::vector<Error> failures_;  // by device
  uint64_t random_;
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_STREAMS_H_
