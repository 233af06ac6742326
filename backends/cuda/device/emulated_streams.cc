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
  Operation operation = {std::move(run), nullptr, 0, nullptr};
  if (stream->captures) {
    stream->captured.push_back(std::move(operation));
  } else {
    stream->queue.push_back(std::move(operation));
  }
}

bool EmulatedStreams::IsCapturing() const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [](const auto& stream) { return stream->captures; });
}

void EmulatedStreams::InvalidateCaptures() {
  for (const auto& stream : streams_) stream->invalid |= stream->captures;
}

void EmulatedStreams::Reset(int device) {
  for (const auto& stream : streams_) {
    if (stream->device != device) continue;
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
