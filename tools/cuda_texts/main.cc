// Compiles every generated kernel of many programs with NVRTC, on demand: all programs of the
// corpus, random programs and files. A kernel is a problem if it does not compile, or if its PTX
// holds an approximation, a flush of subnormal numbers, or an fma that its source does not write.
// Kernels that differ are compiled once, several in one source, since each source reads all headers
// anew.
//
// usage: cuda_texts TARGETS PROGRAMS SEED EVERY [done=FILE] [FILE.hlo ...]
//   TARGETS   compute capabilities, as in 80;90;100
//   PROGRAMS  the number of random programs
//   SEED      the seed of these
//   EVERY     takes every EVERY-th kernel; 1 takes all
//   done=FILE keeps which kernels have no problem; a later run with the same file leaves them out
// Exit code 1 if there is a problem, 77 if NVRTC is missing.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
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
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "backends/cuda/kernel_table.h"
#include "backends/cuda/text/fusion_text.h"
#include "backends/cuda/text/kernel_sources.h"
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

constexpr size_t kGroup = 16;  // kernels in one source

// Returns one source with all the texts. The kernels' names end with their numbers.
std::string Joined(absl::Span<const std::string> texts) {
  std::string joined = "#define ASSAY_CUDA_MARKED_FMA\n";
  for (size_t k = 0; k < texts.size(); ++k) {
    const std::string name = absl::StrCat(text::kKernelName, "_", k);
    absl::StrAppend(&joined, absl::StrReplaceAll(texts[k], {{text::kKernelName, name}}));
  }
  return joined;
}

// Appends the lines of the PTX that it may not have.
void FindForbidden(absl::string_view ptx, std::vector<std::string>& problems) {
  for (const absl::string_view line : absl::StrSplit(ptx, '\n')) {
    for (const char* forbidden : {".approx", ".ftz", ".full."}) {
      if (absl::StrContains(line, forbidden)) problems.emplace_back(line);
    }
    const bool is_fma = absl::StrContains(line, "fma.") || absl::StrContains(line, "mad.f");
    if (is_fma && !absl::StrContains(line, "// written")) problems.emplace_back(line);
  }
}

// Returns what is wrong with the texts, a line each.
std::vector<std::string> ProblemsOf(text::TextCompiler& compiler,
                                    absl::Span<const std::string> texts,
                                    const std::vector<std::string>& targets) {
  const std::string source = Joined(texts);
  std::vector<std::string> problems;
  for (const std::string& target : targets) {
    const auto compiled = compiler.CompileWithPtx(source, absl::StrCat("sm_", target));
    if (!compiled.ok()) {
      problems.push_back(absl::StrCat("sm_", target, ": ", compiled.status().message()));
    } else if (compiled->image.empty() || !absl::StrContains(compiled->ptx, text::kKernelName)) {
      problems.push_back(absl::StrCat("sm_", target, ": the image or the PTX is empty"));
    } else {
      FindForbidden(compiled->ptx, problems);
    }
  }
  return problems;
}

// The kernels that have been compiled for the targets without a problem, in a file with a line
// each. A kernel is named by the hash of its text, the headers and the targets.
class Journal {
 public:
  Journal(const std::string& path, const std::vector<std::string>& targets) {
    std::string context = absl::StrJoin(targets, ";");
    for (const text::KernelSource* source = text::kKernelSources; source->path != nullptr;
         ++source) {
      absl::StrAppend(&context, source->text);
    }
    context_ = std::hash<std::string>()(context);
    if (path.empty()) return;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) done_.insert(line);
    file_.open(path, std::ios::app);
  }
  bool Has(const std::string& text) const { return done_.count(NameOf(text)) > 0; }
  void Add(const std::string& text) {
    if (file_.is_open()) file_ << NameOf(text) << std::endl;
  }

 private:
  std::string NameOf(const std::string& text) const {
    const size_t hash = std::hash<std::string>()(absl::StrCat(context_, text));
    return absl::StrCat(absl::Hex(hash, absl::kZeroPad16));
  }

  size_t context_ = 0;  // the hash of headers and targets
  std::set<std::string> done_;
  std::ofstream file_;
};

// Compiles the kernels on two threads. Returns the number of problems, which it prints.
int64_t CompileAll(text::TextCompiler& compiler, const std::vector<std::string>& list,
                   const std::vector<std::string>& targets, Journal& journal) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  int64_t problems = 0;
  size_t done = 0;
  const auto report = [&](const std::string& text, const std::vector<std::string>& found) {
    problems += static_cast<int64_t>(found.size());
    if (found.empty()) return journal.Add(text);
    std::cout << text << "\n";
    for (const std::string& line : found) std::cout << "problem: " << line << "\n";
  };
  const auto work = [&] {
    for (size_t k = next++ * kGroup; k < list.size(); k = next++ * kGroup) {
      const auto group = absl::MakeConstSpan(list).subspan(k, kGroup);
      const std::vector<std::string> together = ProblemsOf(compiler, group, targets);
      bool is_explained = together.empty();
      for (const std::string& text : group) {  // each alone where the group has a problem
        std::vector<std::string> found;
        if (!together.empty()) found = ProblemsOf(compiler, {text}, targets);
        is_explained |= !found.empty();
        const bool is_last = &text == &group.back();
        if (is_last && !is_explained) found = together;
        const std::lock_guard<std::mutex> lock(mutex);
        report(text, found);
        if (++done % 512 == 0) std::cout << done << " kernels compiled" << std::endl;
      }
    }
  };
  std::thread other(work);
  work();
  other.join();
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
  std::string journal_path;
  for (int k = 5; k < argc; ++k) {
    if (absl::StartsWith(argv[k], "done=")) {
      journal_path = argv[k] + 5;
      continue;
    }
    std::ifstream file(argv[k]);
    add(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  const fuzz::Grammar grammar = *fuzz::Grammar::Create();
  for (int64_t i = 0; i < programs; ++i) {
    AddTexts(*fuzz::DecodeProgram(grammar, fuzz::RandomBytes(seed, i, 12)).module, texts, counts);
  }
  Journal journal(journal_path, targets);
  std::vector<std::string> list;
  size_t number = 0, done = 0;
  for (const std::string& text : texts) {
    if (number++ % every != 0) continue;
    if (journal.Has(text)) {
      ++done;
    } else {
      list.push_back(text);
    }
  }
  const int64_t problems = CompileAll(**compiler, list, targets, journal);
  std::cout << counts.modules << " modules, " << counts.fusions << " fusions, " << texts.size()
            << " different kernels, " << list.size() << " of them compiled for " << targets.size()
            << " targets, " << done << " compiled before, " << problems << " problems\n";
  return problems == 0 && list.size() + done > 0 ? 0 : 1;
}

}  // namespace
}  // namespace assay::cuda

int main(int argc, char** argv) { return assay::cuda::Run(argc, argv); }
