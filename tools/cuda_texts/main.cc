// Compiles every generated kernel of many programs with NVRTC, on demand: all programs of the
// corpus, random programs and files. A kernel whose PTX holds an approximation or a flush of
// subnormal numbers is a problem, and so is one that does not compile.
//
// usage: cuda_texts TARGETS PROGRAMS SEED EVERY [FILE.hlo ...]
//   TARGETS   compute capabilities, as in 80;90;100
//   PROGRAMS  the number of random programs
//   SEED      the seed of these
//   EVERY     takes every EVERY-th kernel; 1 takes all
// Exit code 1 if there is a problem, 77 if NVRTC is missing.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/cuda/kernel_table.h"
#include "backends/cuda/text/fusion_text.h"
#include "backends/cuda/text/text_compiler.h"
#include "backends/passes/pass.h"
#include "conformance/corpus/corpus.h"
#include "fuzz/programs/decoder.h"
#include "spec/text/parser.h"
#include "spec/verify/verifier.h"

namespace assay::cuda {
namespace {

struct Counts {
  int64_t modules = 0, fusions = 0;
};

// Adds the texts of the module's fusions, which are those that the backend makes of it.
void AddTexts(const Module& module, std::set<std::string>& texts, Counts& counts) {
  if (!VerifyModule(module).ok()) return;
  ++counts.modules;
  std::unique_ptr<Module> fused = passes::CopyModule(module);
  passes::PassList list;
  list.push_back(passes::DeadCode());
  list.push_back(passes::Fusion(/*fewest_elements=*/1));
  if (!passes::RunPasses(list, fused).ok()) return;
  for (const auto& computation : fused->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kFusion) continue;
      const KernelPlanOr plan = PrepareFusion(*instruction);
      if (!plan.ok()) continue;
      ++counts.fusions;
      for (const KernelLaunch& launch : plan->launches) {
        std::optional<std::string> text = text::FusionText(launch, *plan);
        if (text.has_value()) texts.insert(*std::move(text));
      }
    }
  }
}

// Returns what is wrong with a text, a line each.
std::vector<std::string> ProblemsOf(text::TextCompiler& compiler, const std::string& text,
                                    const std::vector<std::string>& targets) {
  std::vector<std::string> problems;
  for (const std::string& target : targets) {
    const auto image = compiler.Compile(text, absl::StrCat("sm_", target));
    if (!image.ok()) {
      problems.push_back(absl::StrCat("sm_", target, ": ", image.status().message()));
    }
  }
  const auto ptx = compiler.Compile(text, absl::StrCat("compute_", targets[0]));
  if (!ptx.ok()) return problems;
  for (const absl::string_view line : absl::StrSplit(*ptx, '\n')) {
    for (const char* forbidden : {".approx", ".ftz", ".full."}) {
      if (absl::StrContains(line, forbidden)) problems.emplace_back(line);
    }
  }
  return problems;
}

int Run(int argc, char** argv) {
  const std::vector<std::string> targets = absl::StrSplit(argc > 1 ? argv[1] : "90", ';');
  const int64_t programs = argc > 2 ? std::atoll(argv[2]) : 0;
  const auto seed = static_cast<uint64_t>(argc > 3 ? std::atoll(argv[3]) : 1);
  const size_t every = std::max(1ll, argc > 4 ? std::atoll(argv[4]) : 1);
  const auto compiler = text::LoadNvrtc();
  if (!compiler.ok()) {
    std::cerr << compiler.status().message() << "\n";
    return 77;
  }
  std::set<std::string> texts;
  Counts counts;
  const auto add = [&](const std::string& source) {
    const auto module = ParseModule(source);
    if (module.ok()) AddTexts(**module, texts, counts);
  };
  const auto cases = conformance::CorpusCases();
  if (!cases.ok()) {
    std::cerr << cases.status().message() << "\n";
    return 2;
  }
  for (const conformance::CorpusCase& one : *cases) {
    if (absl::StartsWith(one.id, "program/")) add(one.module);
  }
  for (int k = 5; k < argc; ++k) {
    std::ifstream file(argv[k]);
    add(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  const fuzz::Grammar grammar = *fuzz::Grammar::Create();
  for (int64_t i = 0; i < programs; ++i) {
    AddTexts(*fuzz::DecodeProgram(grammar, fuzz::RandomBytes(seed, i, 12)).module, texts, counts);
  }
  std::vector<std::string> list;
  size_t number = 0;
  for (const std::string& text : texts) {
    if (number++ % every == 0) list.push_back(text);
  }
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  int64_t problems = 0, done = 0;
  const auto work = [&] {
    for (size_t k = next++; k < list.size(); k = next++) {
      const std::vector<std::string> found = ProblemsOf(**compiler, list[k], targets);
      const std::lock_guard<std::mutex> lock(mutex);
      problems += static_cast<int64_t>(found.size());
      if (++done % 500 == 0) std::cout << done << " kernels compiled" << std::endl;
      if (!found.empty()) std::cout << list[k] << "\n";
      for (const std::string& line : found) std::cout << "problem: " << line << "\n";
    }
  };
  std::thread other(work);
  work();
  other.join();
  std::cout << counts.modules << " modules, " << counts.fusions << " fusions, " << texts.size()
            << " different kernels, " << list.size() << " of them compiled for " << targets.size()
            << " targets, " << problems << " problems\n";
  return problems == 0 && !list.empty() ? 0 : 1;
}

}  // namespace
}  // namespace assay::cuda

int main(int argc, char** argv) { return assay::cuda::Run(argc, argv); }
