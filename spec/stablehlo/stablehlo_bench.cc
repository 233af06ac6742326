// Megabytes per second of reading, printing and writing StableHLO, and the memory that reading
// takes at its peak as a multiple of the file: a program of many operations, as a tracer makes
// them, and one of few operations with large constants. With ASSAY_STABLEHLO_SAVE=FOLDER the
// programs of many operations are written there, so that tools/bench/stablehlo_reading.py gives the
// same files to MLIR.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/text.h"
#include "spec/testing/counted_memory.h"

namespace assay::stablehlo {
namespace {

constexpr absl::string_view kType = "tensor<128x64xf32>";

// A chain of elementwise operations, reductions and broadcasts.
std::string ManyOperations(int count) {
  std::string text =
      absl::StrCat("module @many {\n  func.func public @main(%v0: ", kType, ") -> ", kType,
                   " {\n    %zero = stablehlo.constant dense<0.0> : ", "tensor<f32>\n");
  const char* const names[] = {"add", "multiply", "subtract", "maximum"};
  for (int i = 1; i < count; ++i) {
    if (i % 8 == 7) {
      absl::StrAppend(&text, "    %r", i, " = stablehlo.reduce(%v", i - 1,
                      " init: %zero) applies stablehlo.add across dimensions = [1] : (", kType,
                      ", tensor<f32>) -> tensor<128xf32>\n    %v", i,
                      " = stablehlo.broadcast_in_dim %r", i, ", dims = [0] : (tensor<128xf32>) -> ",
                      kType, "\n");
    } else {
      absl::StrAppend(&text, "    %v", i, " = stablehlo.", names[i % 4], " %v", i - 1, ", %v",
                      i / 2, " : ", kType, "\n");
    }
  }
  return absl::StrCat(text, "    return %v", count - 1, " : ", kType, "\n  }\n}\n");
}

// Weights of 1 MiB each, in hexadecimal.
std::string LargeConstants(int count) {
  const std::string type = "tensor<512x512xf32>";
  std::string text = absl::StrCat("func.func public @main(%v0: ", type, ") -> ", type, " {\n");
  std::string bytes(512 * 512 * 4, '\0');
  for (int i = 1; i <= count; ++i) {
    for (size_t at = 0; at < bytes.size(); ++at)
      bytes[at] = static_cast<char>(at * 31 + at / 7 + i);
    absl::StrAppend(&text, "  %w", i, " = stablehlo.constant dense<\"0x",
                    absl::BytesToHexString(bytes), "\"> : ", type, "\n  %v", i,
                    " = stablehlo.add %v", i - 1, ", %w", i, " : ", type, "\n");
  }
  return absl::StrCat(text, "  return %v", count, " : ", type, "\n}\n");
}

std::string Artifact(const std::string& text) {
  absl::StatusOr<std::unique_ptr<Program>> program = ParseText(text, "bench");
  if (!program.ok()) return "";
  return WriteArtifact(**program, kNewestVersion).value_or("");
}

template <typename Read>
void Measure(benchmark::State& state, size_t size, Read read) {
  const int64_t before = HeldMemory();
  StartPeak();
  size_t storage = 0;  // which grows until the program is read
  for (auto _ : state) {
    auto program = read();
    if (program.ok()) {
      storage = (*program)->storage_bytes();
    } else {
      state.SkipWithError(std::string(program.status().message()).c_str());
    }
    benchmark::DoNotOptimize(program);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * size));
  // The file itself is held, too.
  state.counters["peak/file"] =
      1 + static_cast<double>(PeakMemory() - before + static_cast<int64_t>(storage)) /
              static_cast<double>(size);
}

void BM_ReadText(benchmark::State& state, const std::string& text) {
  Measure(state, text.size(), [&] { return ParseText(text, "bench", nullptr); });
}

void BM_ReadBytecode(benchmark::State& state, const std::shared_ptr<const std::string>& bytes) {
  if (bytes->empty()) return state.SkipWithError("no artifact");
  Measure(state, bytes->size(), [&] { return ParseBytecode(*bytes, "bench", bytes); });
}

void BM_Print(benchmark::State& state, const std::string& text) {
  absl::StatusOr<std::unique_ptr<Program>> program = ParseText(text, "bench");
  if (!program.ok()) return state.SkipWithError("no program");
  for (auto _ : state) benchmark::DoNotOptimize(PrintText(**program, PrintForm::kPretty));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}

void BM_WriteArtifact(benchmark::State& state, const std::string& text) {
  absl::StatusOr<std::unique_ptr<Program>> program = ParseText(text, "bench");
  if (!program.ok()) return state.SkipWithError("no program");
  size_t size = 0;
  for (auto _ : state) size = WriteArtifact(**program, kNewestVersion).value_or("").size();
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * size));
}

const std::string* Saved(const std::string& content, absl::string_view name) {
  if (const char* folder = std::getenv("ASSAY_STABLEHLO_SAVE"); folder != nullptr) {
    std::ofstream(absl::StrCat(folder, "/", name), std::ios::binary) << content;
  }
  return new std::string(content);
}

const std::string& Operations() {
  static const std::string* const text = Saved(ManyOperations(300000), "operations.mlir");
  return *text;
}
const std::string& Constants() {
  static const auto* const text = new std::string(LargeConstants(20));
  return *text;
}

// Artifacts of 21 MB each.
const std::shared_ptr<const std::string>& OperationsArtifact() {
  static const auto* const bytes = new std::shared_ptr<const std::string>(
      Saved(Artifact(ManyOperations(1300000)), "operations.mlirbc"));
  return *bytes;
}
const std::shared_ptr<const std::string>& ConstantsArtifact() {
  static const auto* const bytes = new std::shared_ptr<const std::string>(
      std::make_shared<const std::string>(Artifact(Constants())));
  return *bytes;
}

void BM_ReadBytecode_Operations(benchmark::State& state) {
  BM_ReadBytecode(state, OperationsArtifact());
}
void BM_ReadBytecode_Constants(benchmark::State& state) {
  BM_ReadBytecode(state, ConstantsArtifact());
}
BENCHMARK(BM_ReadBytecode_Operations)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReadBytecode_Constants)->Unit(benchmark::kMillisecond);
#define STABLEHLO_BENCHMARK(function)                                                    \
  void function##_Operations(benchmark::State& state) { function(state, Operations()); } \
  void function##_Constants(benchmark::State& state) { function(state, Constants()); }   \
  BENCHMARK(function##_Operations)->Unit(benchmark::kMillisecond);                       \
  BENCHMARK(function##_Constants)->Unit(benchmark::kMillisecond)
STABLEHLO_BENCHMARK(BM_ReadText);
STABLEHLO_BENCHMARK(BM_Print);
STABLEHLO_BENCHMARK(BM_WriteArtifact);

}  // namespace
}  // namespace assay::stablehlo
