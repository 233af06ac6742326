// What the machine can do beside what the backend does, in one run: elementwise operations beside a
// copy of their bytes, a product of matrices beside multiply-adds in registers, a small call while
// another process wants a processor. Each iteration times the backend and then the limit, so that
// the counter, the ratio of their medians, does not depend on what else the machine does.
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/substitute.h"
#include "backends/cpu/contract/panels.h"
#include "backends/cpu/contract/tiles.h"
#include "backends/cpu/cpu_backend.h"
#include "benchmark/benchmark.h"
#include "runtime/machine_peaks.h"
#include "spec/text/parser.h"

namespace assay::cpu {
namespace {

double Median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

// Processor time, so that other work on the machine counts less, and wall time.
double ProcessorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double WallSeconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <typename Body>
double SecondsOf(double (*clock)(), const Body& body) {
  const double start = clock();
  body();
  return clock() - start;
}

CpuOptions OptionsFor(int threads) {
  CpuOptions options;
  options.run.budget.threads = threads;
  return options;
}

// A compiled module, with arguments of ones on the device.
class Program {
 public:
  Program(const std::string& text, int threads) : backend_(OptionsFor(threads)) {
    module_ = *ParseModule(text);
    executable_ = *backend_.Compile(*module_);
    ExecuteInputs inputs;
    for (const Instruction* parameter : module_->entry()->parameters()) {
      Literal ones = Literal::Zeros(parameter->shape());
      const std::vector<float> values(parameter->shape().element_count(), 1.0f);
      std::memcpy(ones.mutable_data(), values.data(), values.size() * sizeof(float));
      buffers_.push_back(*backend_.Upload(ones, 0));
      inputs.arguments.push_back(buffers_.back().get());
    }
    inputs_.push_back(std::move(inputs));
  }
  double Seconds(double (*clock)()) {
    return SecondsOf(clock, [this] {
      if (!executable_->Execute(inputs_).ok()) std::abort();
    });
  }

 private:
  CpuBackend backend_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<Executable> executable_;
  std::vector<BufferHandle> buffers_;
  std::vector<ExecuteInputs> inputs_;
};

// Times both in turn. The counter is the ratio of their medians.
template <typename Time, typename Limit>
void Beside(benchmark::State& state, const char* counter, const Time& time, const Limit& limit) {
  std::vector<double> times, limits;
  time();
  for (auto _ : state) {
    times.push_back(time());
    limits.push_back(limit());
    state.SetIterationTime(times.back());
  }
  state.counters[counter] = Median(times) / Median(limits);
}

// Times the program by processor time.
template <typename Limit>
void Beside(benchmark::State& state, Program& program, const char* counter, const Limit& limit) {
  Beside(
      state, counter, [&] { return program.Seconds(ProcessorSeconds); }, limit);
}

// `expression` of f32 arrays of state.range(0) elements, and a copy of as many bytes as it reads
// and writes.
void Elementwise(benchmark::State& state, const char* expression, double bytes) {
  const int64_t n = state.range(0);
  Program program(absl::Substitute("HloModule m\nENTRY e { a = f32[$0] parameter(0) "
                                   "b = f32[$0] parameter(1) p = pred[$0] compare(a, b), "
                                   "direction=LT ROOT r = $1 }",
                                   n, absl::Substitute(expression, n)),
                  1);
  const auto copied = static_cast<size_t>(bytes * static_cast<double>(n) / 2);
  std::vector<char> from(copied, 1), to(copied, 2);
  Beside(state, program, "times_memcpy", [&] {
    return SecondsOf(ProcessorSeconds, [&] {
      std::memcpy(to.data(), from.data(), copied);
      benchmark::ClobberMemory();
    });
  });
}
#define ASSAY_ELEMENTWISE(name, expression, bytes)        \
  BENCHMARK_CAPTURE(Elementwise, name, expression, bytes) \
      ->Arg(1 << 20)                                      \
      ->Arg(1 << 24)                                      \
      ->UseManualTime()
ASSAY_ELEMENTWISE(add, "f32[$0] add(a, b)", 12);
ASSAY_ELEMENTWISE(multiply, "f32[$0] multiply(a, b)", 12);
ASSAY_ELEMENTWISE(compare, "pred[$0] compare(a, b), direction=GT", 9);
ASSAY_ELEMENTWISE(select, "f32[$0] select(p, a, b)", 12);

// The processor time of so many multiply-adds in registers.
double SecondsInRegisters(double products) {
  constexpr int64_t kIterations = 100000;
  float out = 0;
  int64_t done = 0;
  const double seconds =
      SecondsOf(ProcessorSeconds, [&] { done = runtime::MultiplyAdds(kIterations, 0.5f, &out); });
  benchmark::DoNotOptimize(out);
  return seconds * products / static_cast<double>(done);
}

// Tiles of a product of matrices without all that is around them: their rows, `panels` of them,
// and their columns are packed. One panel of rows stays in the first-level cache, eight are those
// of a task.
void Tiles(benchmark::State& state) {
  const TileFunctions<float>& tile = BestTiles().f32;
  const int64_t panels = state.range(0), columns = 32;
  const std::vector<float> lhs(panels * tile.rows * kDepthBlock),
      rhs(columns * tile.columns * kDepthBlock);
  const int64_t stride = columns * tile.columns;
  std::vector<float> result(panels * tile.rows * stride);
  const auto multiply = [&] {
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t r = 0; r < panels; ++r) {
        tile.multiply(kDepthBlock, lhs.data() + r * tile.rows * kDepthBlock,
                      rhs.data() + c * tile.columns * kDepthBlock, tile.columns,
                      result.data() + r * tile.rows * stride + c * tile.columns, stride, true);
      }
    }
    benchmark::ClobberMemory();
  };
  const double products = static_cast<double>(result.size()) * kDepthBlock;
  Beside(
      state, "times_peak", [&] { return SecondsOf(ProcessorSeconds, multiply); },
      [&] { return SecondsInRegisters(products); });
}
BENCHMARK(Tiles)->Arg(1)->Arg(8)->UseManualTime();

// A product of matrices, and as many multiply-adds in registers.
void Dot(benchmark::State& state) {
  const int64_t n = state.range(0);
  Program program(
      absl::Substitute("HloModule m\nENTRY e { a = f32[$0,$0] parameter(0) b = f32[$0,$0] "
                       "parameter(1) ROOT r = f32[$0,$0] dot(a, b), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={0} }",
                       n),
      1);
  const auto products = static_cast<double>(n * n * n);
  Beside(state, program, "times_peak", [&] { return SecondsInRegisters(products); });
}
BENCHMARK(Dot)->Arg(1024)->UseManualTime()->Unit(benchmark::kMillisecond);

// A call of some microseconds on two threads, alone and while another process wants a processor.
// The counters are the median alone, and the 90th percentile beside that process over it.
void BesideABusyProcess(benchmark::State& state) {
  Program program(
      "HloModule m\nENTRY e { a = f32[65536] parameter(0) ROOT r = f32[65536] tanh(a) }", 2);
  std::vector<double> alone, busy;
  for (int i = 0; i < 2000; ++i) alone.push_back(program.Seconds(WallSeconds));
  const pid_t other = fork();
  if (other == 0) {
    for (int64_t i = 0;; ++i) benchmark::DoNotOptimize(i);
  }
  for (auto _ : state) {
    busy.push_back(program.Seconds(WallSeconds));
    state.SetIterationTime(busy.back());
  }
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  const double median = Median(alone);
  std::nth_element(busy.begin(), busy.begin() + busy.size() * 9 / 10, busy.end());
  state.counters["median_alone_us"] = median * 1e6;
  state.counters["p90_over_median"] = busy[busy.size() * 9 / 10] / median;
}
BENCHMARK(BesideABusyProcess)->UseManualTime()->Iterations(5000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace assay::cpu
