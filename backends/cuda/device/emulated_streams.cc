#include "backends/cuda/device/emulated_streams.h"

#include <algorithm>
#include <utility>

namespace assay::cuda {

EmulatedStreams::EmulatedStreams(int devices, uint64_t seed)
    : failures_(devices, Error::kSuccess), random_(seed * 2 + 1) {}

StreamHandle* EmulatedStreams::Create(int device) {
  streams_.push_back(std::make_unique<StreamHandle>());
  streams_.back()->device = device;
  return streams_.back().get();
}

void EmulatedStreams::Destroy(StreamHandle* stream) {
  stream->destroyed = true;
  RemoveFinished();
}

bool EmulatedStreams::Holds(const StreamHandle* stream) const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [&](const auto& each) { return each.get() == stream && !each->destroyed; });
}

int64_t EmulatedStreams::live() const {
  return std::count_if(streams_.begin(), streams_.end(),
                       [](const auto& stream) { return !stream->destroyed; });
}

void EmulatedStreams::Enqueue(StreamHandle* stream, std::function<Error()> run) {
  if (stream->capture == nullptr) {
    stream->queue.push_back({std::move(run), nullptr, 0, nullptr});
    return;
  }
  std::vector<GraphNode>& nodes = stream->capture->nodes;
  nodes.push_back({std::move(run), std::move(stream->frontier)});
  stream->frontier = {static_cast<int>(nodes.size()) - 1};
}

bool EmulatedStreams::IsCapturing() const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [](const auto& stream) { return stream->capture != nullptr; });
}

void EmulatedStreams::InvalidateCaptures() {
  for (const auto& stream : streams_) {
    if (stream->capture != nullptr) stream->capture->invalid = true;
  }
}

void EmulatedStreams::BeginCapture(StreamHandle* stream) {
  stream->capture = std::make_shared<Capture>();
  stream->capture->origin = stream;
}

void EmulatedStreams::Release(Capture& capture) {
  capture.ended = true;
  for (const auto& stream : streams_) {
    if (stream->capture.get() != &capture) continue;
    stream->frontier.clear();
    stream->capture = nullptr;
  }
}

Error EmulatedStreams::EndCapture(StreamHandle* stream, std::vector<GraphNode>* nodes) {
  const std::shared_ptr<Capture> capture = stream->capture;
  if (capture->origin != stream) {
    capture->invalid = true;
    return Error::kStreamCaptureUnmatched;
  }
  // Every node must come before what the stream would do next.
  std::vector<bool> joined(capture->nodes.size());
  std::vector<int> pending = stream->frontier;
  while (!pending.empty()) {
    const int node = pending.back();
    pending.pop_back();
    if (joined[node]) continue;
    joined[node] = true;
    const std::vector<int>& after = capture->nodes[node].after;
    pending.insert(pending.end(), after.begin(), after.end());
  }
  Release(*capture);
  if (capture->invalid) return Error::kStreamCaptureInvalidated;
  const bool all = std::all_of(joined.begin(), joined.end(), [](bool is) { return is; });
  if (!all) return Error::kStreamCaptureUnjoined;
  *nodes = std::move(capture->nodes);
  return Error::kSuccess;
}

void EmulatedStreams::Record(StreamHandle* stream, const std::shared_ptr<EventHandle>& event,
                             std::function<void()> completed) {
  event->capture = stream->capture;
  event->frontier = stream->frontier;
  if (stream->capture != nullptr) return;
  const int64_t record = ++event->recorded;
  const auto run = [event, record, completed = std::move(completed)] {
    event->completed = std::max(event->completed, record);
    completed();
    return Error::kSuccess;
  };
  stream->queue.push_back({run, nullptr, record, event});
}

Error EmulatedStreams::Wait(StreamHandle* stream, const std::shared_ptr<EventHandle>& event) {
  if (event->capture == nullptr && stream->capture == nullptr) {
    stream->queue.push_back({[] { return Error::kSuccess; }, event, event->recorded, nullptr});
    return Error::kSuccess;
  }
  if (event->capture != nullptr && event->capture->ended) return Error::kCapturedEvent;
  if (stream->capture == nullptr) stream->capture = event->capture;
  if (stream->capture != event->capture) {
    for (Capture* capture : {stream->capture.get(), event->capture.get()}) {
      if (capture != nullptr) capture->invalid = true;
    }
    return Error::kStreamCaptureIsolation;
  }
  for (const int node : event->frontier) {
    if (std::find(stream->frontier.begin(), stream->frontier.end(), node) ==
        stream->frontier.end()) {
      stream->frontier.push_back(node);
    }
  }
  return Error::kSuccess;
}

void EmulatedStreams::Reset(int device) {
  for (const auto& stream : streams_) {
    if (stream->device != device) continue;
    if (stream->capture != nullptr) Release(*std::shared_ptr<Capture>(stream->capture));
    Discard(*stream);
    stream->destroyed = true;
  }
  RemoveFinished();
  failures_[device] = Error::kSuccess;
}

Error EmulatedStreams::RunSome(int device) {
  Step();
  return failures_[device];
}

Error EmulatedStreams::Drain(int device) {
  return RunUntil(device, [&] {
    return std::all_of(streams_.begin(), streams_.end(), [&](const auto& stream) {
      return stream->device != device || stream->queue.empty();
    });
  });
}

uint64_t EmulatedStreams::Draw() {
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  return random_;
}

void EmulatedStreams::Discard(StreamHandle& stream) {
  for (const Operation& operation : stream.queue) {
    if (operation.recorded == nullptr) continue;
    operation.recorded->completed = std::max(operation.recorded->completed, operation.record);
  }
  stream.queue.clear();
}

bool EmulatedStreams::Step() {
  std::vector<StreamHandle*> ready;
  for (const auto& stream : streams_) {
    if (stream->queue.empty()) continue;
    if (failures_[stream->device] != Error::kSuccess) continue;
    const Operation& head = stream->queue.front();
    if (head.event == nullptr || head.event->completed >= head.record) {
      ready.push_back(stream.get());
    }
  }
  if (ready.empty()) return false;
  StreamHandle* const stream = ready[(Draw() >> 33) % ready.size()];
  const Operation operation = std::move(stream->queue.front());
  stream->queue.pop_front();
  if (const Error error = operation.run(); error != Error::kSuccess) {
    failures_[stream->device] = error;
    Discard(*stream);
  }
  if (stream->destroyed) RemoveFinished();
  return true;
}

void EmulatedStreams::RemoveFinished() {
  std::erase_if(streams_, [](const auto& s) { return s->destroyed && s->queue.empty(); });
}

}  // namespace assay::cuda
