#include "tools/cli/run_stats.h"

#include <algorithm>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backends/cuda/cuda_stats.h"
#include "backends/cuda/libraries/libraries.h"
#include "evaluator/real/forced_tier.h"
#include "interpreter/interpreter.h"
#include "nlohmann/json.hpp"
#include "spec/text/printer.h"

namespace assay::cli {
namespace {

// Where an element stands, whose rounding is not proven, and what it lies between.
nlohmann::json UndecidedJson(const UndecidedResult& undecided) {
  const Shape& shape = *Leaves(undecided.instruction->shape())[undecided.element.leaf];
  std::vector<int64_t> index;
  int64_t rest = undecided.element.position;
  for (const int64_t stride : RowMajorStrides(shape.dimensions())) {
    index.push_back(rest / stride);
    rest %= stride;
  }
  const auto text = [&](const Element& element) {
    Literal scalar = Literal::Zeros(Shape::Scalar(shape.element_type()));
    scalar.Set(0, element);
    return PrintLiteral(scalar);
  };
  return {{"instruction", undecided.instruction->name()},
          {"leaf", undecided.element.leaf},  // of the result, in pre-order
          {"index", index},
          {"low", text(undecided.element.low)},
          {"high", text(undecided.element.high)}};
}

nlohmann::json DeviceJson(const cuda::DeviceCounts& counts) {
  nlohmann::json libraries = nlohmann::json::object();
  for (int k = 0; k < cuda::kLibraries; ++k) {
    if (counts.library_calls[k] == 0) continue;
    const auto library = static_cast<cuda::libraries::Library>(k);
    libraries[std::string(cuda::libraries::NameOf(library))] = counts.library_calls[k];
  }
  return {{"library_calls", libraries},
          {"launches", counts.launches},
          {"graph_launches", counts.graph_launches},
          {"copies_in", counts.copies_in},
          {"copies_out", counts.copies_out},
          {"copies_on", counts.copies_on},
          {"copied_bytes", counts.copied_bytes},
          {"fills", counts.fills},
          {"waits", counts.waits}};
}

nlohmann::json TraceJson(const cuda::emulator::KernelTrace& trace) {
  return {{"kernel", trace.kernel},
          {"launches", trace.launches},
          {"requests", trace.requests},
          {"sectors", trace.sectors},
          {"used_bytes", trace.used_bytes},
          {"moved_bytes", trace.moved_bytes},
          {"shared_requests", trace.shared_requests},
          {"worst_bank_conflict", trace.worst_conflict},
          {"dropped_requests", trace.dropped}};
}

// "library calls 2 (cuBLASLt 1, cuFFT 1)".
std::string LibraryText(const cuda::DeviceCounts& counts) {
  int64_t calls = 0;
  std::string names;
  for (int k = 0; k < cuda::kLibraries; ++k) {
    if (counts.library_calls[k] == 0) continue;
    calls += counts.library_calls[k];
    absl::StrAppend(&names, names.empty() ? "" : ", ",
                    cuda::libraries::NameOf(static_cast<cuda::libraries::Library>(k)), " ",
                    counts.library_calls[k]);
  }
  return calls == 0 ? "" : absl::StrCat(", library calls ", calls, " (", names, ")");
}

void PrintTraces(const cuda::CudaStats& stats) {
  int64_t moved = 0;
  for (const cuda::emulator::KernelTrace& trace : stats.traces) {
    moved += trace.moved_bytes;
    std::cout << absl::StreamFormat(
        "kernel %s: launches %d, %.1f%% of %d sectors used, bytes moved %d", trace.kernel,
        trace.launches, 100 * trace.used_share(), trace.sectors, trace.moved_bytes);
    if (trace.shared_requests > 0) {
      std::cout << absl::StreamFormat(", worst bank conflict %d-way", trace.worst_conflict);
    }
    if (trace.dropped > 0) std::cout << absl::StreamFormat(", %d requests not seen", trace.dropped);
    std::cout << "\n";
  }
  if (stats.device.copied_bytes == 0) return;
  std::cout << absl::StreamFormat(
      "kernels moved %d bytes, %.2f times those of all copies\n", moved,
      static_cast<double>(moved) / static_cast<double>(stats.device.copied_bytes));
}

}  // namespace

nlohmann::json StatsJson(const runtime::RunStats& counted) {
  nlohmann::json json = {{"steps", counted.steps},
                         {"peak_bytes", counted.peak_bytes},
                         {"materialised_bytes", counted.stored_bytes}};
  if (const auto* cuda = dynamic_cast<const cuda::CudaStats*>(&counted)) {
    json["device"] = DeviceJson(cuda->device);
    for (const cuda::emulator::KernelTrace& trace : cuda->traces) {
      json["kernels"].push_back(TraceJson(trace));
    }
  }
  const auto* golden = dynamic_cast<const RunStats*>(&counted);
  if (golden == nullptr) return json;
  nlohmann::json undecided = nlohmann::json::array();
  for (const UndecidedResult& element : golden->undecided) {
    undecided.push_back(UndecidedJson(element));
  }
  nlohmann::json tiers = nlohmann::json::object();
  for (int i = 0; i < evaluator::kRealTierCount; ++i) {
    tiers[std::string(Name(static_cast<evaluator::RealTier>(i)))] = golden->real.decided[i];
  }
  json["tiers"] = std::move(tiers);
  json["undecided_elements"] = golden->real.undecided();
  json["undecided"] = std::move(undecided);
  return json;
}

void PrintStats(const runtime::RunStats& counted, double seconds) {
  std::cout << absl::StreamFormat(
      "seconds %.6f, element steps %d, peak bytes %d, bytes materialised %d", seconds,
      counted.steps, counted.peak_bytes, counted.stored_bytes);
  if (const auto* cuda = dynamic_cast<const cuda::CudaStats*>(&counted)) {
    const cuda::DeviceCounts& device = cuda->device;
    std::cout << absl::StreamFormat(
        ", kernel launches %d, graph launches %d, copies to the device %d, to the host %d, on the "
        "device %d "
        "(%d bytes in all), fills %d, waits of the host %d",
        device.launches, device.graph_launches, device.copies_in, device.copies_out,
        device.copies_on, device.copied_bytes, device.fills, device.waits);
    std::cout << LibraryText(device);
  }
  const auto* golden = dynamic_cast<const RunStats*>(&counted);
  if (golden == nullptr) {
    std::cout << "\n";
    const auto* const cuda = dynamic_cast<const cuda::CudaStats*>(&counted);
    if (cuda != nullptr && !cuda->traces.empty()) PrintTraces(*cuda);
    return;
  }
  const RunStats& stats = *golden;
  std::cout << absl::StreamFormat(", undecided elements %d\n", stats.real.undecided());
  std::string tiers;
  for (int i = 0; i < evaluator::kRealTierCount; ++i) {
    const int64_t decided = stats.real.decided[i];
    if (decided == 0) continue;
    absl::StrAppend(&tiers, tiers.empty() ? "functions decided by tier: " : ", ",
                    Name(static_cast<evaluator::RealTier>(i)), " ", decided);
  }
  if (!tiers.empty()) std::cout << tiers << "\n";
  constexpr size_t kShown = 20;  // --json has them all
  for (size_t i = 0; i < std::min(kShown, stats.undecided.size()); ++i) {
    const nlohmann::json element = UndecidedJson(stats.undecided[i]);
    std::cout << absl::StreamFormat("undecided: %s%s between %s and %s\n",
                                    element["instruction"].get<std::string>(),
                                    element["index"].dump(), element["low"].get<std::string>(),
                                    element["high"].get<std::string>());
  }
}

}  // namespace assay::cli
