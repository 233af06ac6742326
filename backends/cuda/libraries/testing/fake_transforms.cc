// The recording fake's cuFFT: plans and transforms over dense arrays, by the definition.
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "backends/cuda/libraries/testing/fake.h"

namespace assay::cuda::libraries::fake {
namespace {

constexpr int kInvalidPlan = 1, kInvalidType = 3, kInvalidValue = 4, kNoWorkspace = 13;
constexpr size_t kWorkspace = 32;

struct Plan {
  bool made = false, allocates = true;
  std::vector<int64_t> lengths;
  int type = 0;
  int64_t batches = 0;
  void* workspace = nullptr;
  StreamHandle* stream = nullptr;
};

std::mutex mutex;
std::map<int, Plan>& Plans() {
  static auto* const plans = new std::map<int, Plan>;
  return *plans;
}
int last_plan = 0;

bool IsWide(int type) { return type == kCufftZ2Z || type == kCufftD2Z || type == kCufftZ2D; }

// Transforms along every dimension of a dense array.
void TransformAll(std::vector<Number>& array, const std::vector<int64_t>& lengths, int direction) {
  const auto count = static_cast<int64_t>(array.size());
  int64_t inner = 1;
  for (size_t d = lengths.size(); d-- > 0; inner *= lengths[d]) {
    const int64_t n = lengths[d];
    if (n == 1) continue;
    std::vector<Number> turned(array.size());
    for (int64_t i = 0; i < count; ++i) {
      const int64_t k = i / inner % n, base = i - k * inner;
      long double real = 0, imaginary = 0;
      for (int64_t j = 0; j < n; ++j) {
        const long double angle = direction * 2 * std::acos(-1.0L) *
                                  static_cast<long double>(j * k % n) / static_cast<long double>(n);
        const Number x = array[base + j * inner];
        long double c = std::cos(angle), d = std::sin(angle);
        if (4 * (j * k % n) % n == 0) {  // the exact values at quarters of a turn
          c = std::nearbyint(c);
          d = std::nearbyint(d);
        }
        real += x.real() * c - x.imag() * d;
        imaginary += x.real() * d + x.imag() * c;
      }
      turned[i] = {static_cast<double>(real), static_cast<double>(imaginary)};
    }
    array.swap(turned);
  }
}

// A transform of one batch.
void Transform(const Plan& plan, int direction, std::byte* in, std::byte* out) {
  const bool wide = IsWide(plan.type);
  const int real = wide ? kRealF64 : kRealF32, complex = wide ? kComplexC128 : kComplexC64;
  const int64_t n = plan.lengths.back(), half = n / 2 + 1;
  int64_t count = 1;
  for (const int64_t length : plan.lengths) count *= length;
  const int64_t lines = count / n;
  std::vector<Number> array(count);
  const bool from_real = plan.type == kCufftR2C || plan.type == kCufftD2Z;
  const bool to_real = plan.type == kCufftC2R || plan.type == kCufftZ2D;
  if (!to_real) {
    for (int64_t i = 0; i < count; ++i) array[i] = Get(from_real ? real : complex, in, i);
    TransformAll(array, plan.lengths, direction);
  } else {
    // The outer dimensions first, on the halves that are there; then real lines.
    std::vector<Number> halves(lines * half);
    for (size_t i = 0; i < halves.size(); ++i)
      halves[i] = Get(complex, in, static_cast<int64_t>(i));
    std::vector<int64_t> outer = plan.lengths;
    outer.back() = 1;
    std::vector<Number> column(lines);
    for (int64_t k = 0; k < half; ++k) {
      for (int64_t line = 0; line < lines; ++line) column[line] = halves[line * half + k];
      TransformAll(column, outer, direction);
      for (int64_t line = 0; line < lines; ++line) halves[line * half + k] = column[line];
    }
    for (int64_t line = 0; line < lines; ++line) {
      std::vector<Number> whole(n);
      for (int64_t k = 0; k < n; ++k) {
        whole[k] = k < half ? halves[line * half + k] : std::conj(halves[line * half + n - k]);
      }
      whole[0] = whole[0].real();
      if (n % 2 == 0) whole[n / 2] = whole[n / 2].real();
      TransformAll(whole, {n}, direction);
      for (int64_t k = 0; k < n; ++k) array[line * n + k] = whole[k].real();
    }
    // The library may overwrite what it reads.
    std::memset(in, 0x5a, lines * half * BytesOf(complex));
  }
  for (int64_t i = 0; i < count; ++i) {
    if (!from_real) {
      Set(to_real ? real : complex, out, i, array[i]);
    } else if (i % n < half) {
      Set(complex, out, i / n * half + i % n, array[i]);
    }
  }
}

int Execute(int number, int type, void* in, void* out, int direction) {
  Plan plan;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = Plans().find(number);
    if (found == Plans().end() || !found->second.made) return kInvalidPlan;
    plan = found->second;
  }
  if (plan.type != type) return kInvalidType;
  if (plan.allocates || plan.workspace == nullptr) return kNoWorkspace;
  std::string lengths;
  int64_t count = 1, halves = 1;
  for (size_t d = 0; d < plan.lengths.size(); ++d) {
    const int64_t n = plan.lengths[d];
    lengths += (d == 0 ? "" : "x") + std::to_string(n);
    count *= n;
    halves *= d + 1 == plan.lengths.size() ? n / 2 + 1 : n;
  }
  Record("cufftExec type=" + std::to_string(type) + " lengths=" + lengths +
         " batches=" + std::to_string(plan.batches) + " direction=" + std::to_string(direction));
  const int64_t element = IsWide(type) ? 8 : 4;
  const bool from_real = type == kCufftR2C || type == kCufftD2Z;
  const bool to_real = type == kCufftC2R || type == kCufftZ2D;
  const int64_t in_step = from_real ? count * element : (to_real ? halves : count) * 2 * element;
  const int64_t out_step = to_real ? count * element : (from_real ? halves : count) * 2 * element;
  const bool enqueued = Enqueue(plan.stream, [=] {
    std::memset(plan.workspace, 0x5a, kWorkspace);
    for (int64_t k = 0; k < plan.batches; ++k) {
      Transform(plan, direction, static_cast<std::byte*>(in) + k * in_step,
                static_cast<std::byte*>(out) + k * out_step);
    }
  });
  return enqueued ? 0 : kInvalidPlan;
}

template <typename F>
int WithPlan(int number, F f) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = Plans().find(number);
  if (found == Plans().end()) return kInvalidPlan;
  f(found->second);
  return 0;
}

}  // namespace
}  // namespace assay::cuda::libraries::fake

using namespace assay::cuda;                   // NOLINT: the fake's own file
using namespace assay::cuda::libraries;        // NOLINT
using namespace assay::cuda::libraries::fake;  // NOLINT

ASSAY_FAKE_EXPORT int cufftCreate(int* plan) {
  ASSAY_FAKE_CALL();
  const std::lock_guard<std::mutex> lock(mutex);
  *plan = ++last_plan;
  Plans()[*plan] = {};
  CountObject(1);
  return 0;
}
ASSAY_FAKE_EXPORT int cufftDestroy(int plan) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (Plans().erase(plan) == 0) return kInvalidPlan;
  CountObject(-1);
  return 0;
}
ASSAY_FAKE_EXPORT int cufftSetAutoAllocation(int plan, int automatic) {
  ASSAY_FAKE_CALL();
  return WithPlan(plan, [&](Plan& p) { p.allocates = automatic != 0; });
}
ASSAY_FAKE_EXPORT int cufftMakePlanMany64(int plan, int rank, long long* lengths,
                                          long long* in_lengths, long long /*in_stride*/,
                                          long long /*in_distance*/, long long* out_lengths,
                                          long long /*out_stride*/, long long /*out_distance*/,
                                          int type, long long batches, size_t* workspace_bytes) {
  ASSAY_FAKE_CALL();
  if (rank < 1 || rank > 3 || in_lengths != nullptr || out_lengths != nullptr) return kInvalidValue;
  *workspace_bytes = kWorkspace;
  return WithPlan(plan, [&](Plan& p) {
    p.made = true;
    p.lengths.assign(lengths, lengths + rank);
    p.type = type;
    p.batches = batches;
  });
}
ASSAY_FAKE_EXPORT int cufftSetWorkArea(int plan, void* workspace) {
  ASSAY_FAKE_CALL();
  return WithPlan(plan, [&](Plan& p) { p.workspace = workspace; });
}
ASSAY_FAKE_EXPORT int cufftSetStream(int plan, StreamHandle* stream) {
  ASSAY_FAKE_CALL();
  return WithPlan(plan, [&](Plan& p) { p.stream = stream; });
}
#define ASSAY_FAKE_EXEC(function, type, direction)                \
  ASSAY_FAKE_EXPORT int function(int plan, void* in, void* out) { \
    ASSAY_FAKE_CALL();                                            \
    return Execute(plan, type, in, out, direction);               \
  }
ASSAY_FAKE_EXEC(cufftExecR2C, kCufftR2C, kCufftForward)
ASSAY_FAKE_EXEC(cufftExecD2Z, kCufftD2Z, kCufftForward)
ASSAY_FAKE_EXEC(cufftExecC2R, kCufftC2R, kCufftInverse)
ASSAY_FAKE_EXEC(cufftExecZ2D, kCufftZ2D, kCufftInverse)
ASSAY_FAKE_EXPORT int cufftExecC2C(int plan, void* in, void* out, int direction) {
  ASSAY_FAKE_CALL();
  return Execute(plan, kCufftC2C, in, out, direction);
}
ASSAY_FAKE_EXPORT int cufftExecZ2Z(int plan, void* in, void* out, int direction) {
  ASSAY_FAKE_CALL();
  return Execute(plan, kCufftZ2Z, in, out, direction);
}
