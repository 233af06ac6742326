#include "backends/cuda/libraries/testing/fake.h"

#include <cmath>
#include <cstring>
#include <mutex>

namespace assay::cuda::libraries::fake {
namespace {

struct State {
  std::mutex mutex;
  std::vector<std::weak_ptr<Api>> devices;
  std::string record;
  int64_t calls = 0, failing_call = 0;
  int error = 0;
  int64_t objects = 0;
  // Graphs execute tasks again, so that they stay.
  std::vector<std::unique_ptr<std::function<void()>>> tasks;
};
State& Global() {
  static auto* const state = new State;
  return *state;
}

void Run(void* task) { (*static_cast<std::function<void()>*>(task))(); }

// Calls f with each table of functions until one has the stream.
template <typename F>
bool OnDevice(F f) {
  std::vector<std::weak_ptr<Api>> devices;
  {
    const std::lock_guard<std::mutex> lock(Global().mutex);
    devices = Global().devices;
  }
  for (const std::weak_ptr<Api>& device : devices) {
    const std::shared_ptr<Api> api = device.lock();
    if (api != nullptr && f(*api)) return true;
  }
  return false;
}

void* Kept(std::function<void()> task) {
  const std::lock_guard<std::mutex> lock(Global().mutex);
  Global().tasks.push_back(std::make_unique<std::function<void()>>(std::move(task)));
  return Global().tasks.back().get();
}

// The 16 bits of a number with `fraction` bits of fraction and exponents from `least` on, rounded
// to nearest, ties to even.
uint16_t Round16(double value, int fraction, int least, double infinity) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  const auto all = static_cast<uint16_t>(0x7fff & ~((1 << fraction) - 1));
  if (std::isnan(value)) return static_cast<uint16_t>(all | 1 << (fraction - 1));
  int exponent = size == 0 ? least : std::max(std::ilogb(size), least);
  const double units = std::nearbyint(std::ldexp(size, fraction - exponent));
  if (std::isinf(size) || std::ldexp(units, exponent - fraction) >= infinity) return sign | all;
  // The carry of a rounding goes into the exponent by itself.
  const auto bits = static_cast<int64_t>(units) + (int64_t{exponent - least} << fraction);
  return static_cast<uint16_t>(sign | bits);
}
double FromBits16(uint16_t bits, int fraction, int least) {
  const int exponent = (bits & 0x7fff) >> fraction, part = bits & ((1 << fraction) - 1);
  const int most = 0x7fff >> fraction;
  double size;
  if (exponent == most) {
    size = part == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    size = std::ldexp(part, least - fraction);
  } else {
    size = std::ldexp((1 << fraction) + part, least - 1 + exponent - fraction);
  }
  return (bits & 0x8000) != 0 ? -size : size;
}

template <typename T>
T Read(const void* array, int64_t at) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(array) + at * sizeof(T), sizeof(T));
  return value;
}
template <typename T>
void Write(void* array, int64_t at, T value) {
  std::memcpy(static_cast<std::byte*>(array) + at * sizeof(T), &value, sizeof(T));
}

}  // namespace

int Called(const char* /*function*/) {
  State& state = Global();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return ++state.calls == state.failing_call ? state.error : 0;
}

void Record(const std::string& line) {
  const std::lock_guard<std::mutex> lock(Global().mutex);
  Global().record += line + "\n";
}

void CountObject(int change) {
  const std::lock_guard<std::mutex> lock(Global().mutex);
  Global().objects += change;
}

bool Enqueue(StreamHandle* stream, std::function<void()> task) {
  void* const kept = Kept(std::move(task));
  return OnDevice(
      [&](Api& api) { return api.LaunchHostFunction(stream, Run, kept) == Error::kSuccess; });
}

bool EnqueueTogether(const std::vector<StreamHandle*>& streams, std::function<void()> task) {
  void* const kept = Kept(std::move(task));
  StreamHandle* const first = streams[0];
  return OnDevice([&](Api& api) {
    std::vector<EventHandle*> events;
    bool right = true;
    const auto point = [&](StreamHandle* stream) {
      EventHandle* event = nullptr;
      right = right && api.EventCreate(&event) == Error::kSuccess &&
              api.EventRecord(event, stream) == Error::kSuccess;
      events.push_back(event);
      return event;
    };
    for (size_t k = 1; k < streams.size(); ++k) {
      EventHandle* const here = point(streams[k]);
      right = right && api.StreamWaitEvent(first, here) == Error::kSuccess;
    }
    right = right && api.LaunchHostFunction(first, Run, kept) == Error::kSuccess;
    EventHandle* const done = point(first);
    for (size_t k = 1; k < streams.size(); ++k) {
      right = right && api.StreamWaitEvent(streams[k], done) == Error::kSuccess;
    }
    for (EventHandle* const event : events) api.EventDestroy(event);
    return right;
  });
}

Number Get(int type, const void* array, int64_t at) {
  switch (type) {
    case kRealF16:
      return FromBits16(Read<uint16_t>(array, at), 10, -14);
    case kRealBf16:
      return FromBits16(Read<uint16_t>(array, at), 7, -126);
    case kRealF32:
      return Read<float>(array, at);
    case kRealF64:
      return Read<double>(array, at);
    case kComplexC64:
      return {Read<float>(array, 2 * at), Read<float>(array, 2 * at + 1)};
    default:
      return {Read<double>(array, 2 * at), Read<double>(array, 2 * at + 1)};
  }
}

void Set(int type, void* array, int64_t at, Number value) {
  switch (type) {
    case kRealF16:
      return Write(array, at, Round16(value.real(), 10, -14, 65520));
    case kRealBf16:
      return Write(array, at, Round16(value.real(), 7, -126, std::ldexp(1 - 0x1p-9, 128)));
    case kRealF32:
      return Write(array, at, static_cast<float>(value.real()));
    case kRealF64:
      return Write(array, at, value.real());
    case kComplexC64:
      Write(array, 2 * at, static_cast<float>(value.real()));
      return Write(array, 2 * at + 1, static_cast<float>(value.imag()));
    default:
      Write(array, 2 * at, value.real());
      return Write(array, 2 * at + 1, value.imag());
  }
}

int64_t BytesOf(int type) {
  switch (type) {
    case kRealF16:
    case kRealBf16:
      return 2;
    case kRealF32:
      return 4;
    case kComplexC128:
      return 16;
    default:
      return 8;
  }
}

}  // namespace assay::cuda::libraries::fake

// What tests call, by dlsym.
using assay::cuda::libraries::fake::Global;

// An emulated device that uses the library.
ASSAY_FAKE_EXPORT void AssayConnectDevice(const std::shared_ptr<assay::cuda::Api>& api) {
  const std::lock_guard<std::mutex> lock(Global().mutex);
  for (const auto& known : Global().devices) {
    if (known.lock() == api) return;
  }
  Global().devices.push_back(api);
}
// Makes the call with this number, counted from now on, fail.
ASSAY_FAKE_EXPORT void AssayFakeFail(int64_t call, int error) {
  const std::lock_guard<std::mutex> lock(Global().mutex);
  Global().failing_call = call == 0 ? 0 : Global().calls + call;
  Global().error = error;
}
ASSAY_FAKE_EXPORT int64_t AssayFakeCalls() { return Global().calls; }
// The number of handles, descriptors and plans that have been made and not destroyed.
ASSAY_FAKE_EXPORT int64_t AssayFakeObjects() { return Global().objects; }
// The record since the last call, which is valid until the next one.
ASSAY_FAKE_EXPORT const char* AssayFakeRecord() {
  static std::string taken;
  const std::lock_guard<std::mutex> lock(Global().mutex);
  taken.swap(Global().record);
  Global().record.clear();
  return taken.c_str();
}
