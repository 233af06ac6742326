// The program behind tools/prove: proofs of real functions, with certificates.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "conformance/prove/certificate.h"
#include "conformance/prove/complex_sweep.h"
#include "conformance/prove/proof.h"
#include "conformance/prove/random_f64.h"
#include "runtime/processor.h"

namespace assay::conformance::prove {
namespace {

constexpr int kExitMismatch = 1;
constexpr int kExitBadInput = 2;

struct Arguments {
  std::string function = "all";
  std::string type = "f32";
  std::string out = "certificates";
  std::string revision = "unknown";
  int64_t random = 0;  // as many as the type's proof wants
  uint64_t seed = 1;
  int jobs = static_cast<int>(runtime::UsableProcessors());
  bool mpfr_alone = false;
};

// A line on standard error that is overwritten, when that is a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(std::string title) : title_(std::move(title)) {}
  ~ProgressLine() {
    if (terminal_) std::fputs("\r\x1b[K", stderr);
  }
  void Show(double done, const SweepResult& so_far) {
    if (!terminal_) return;
    if (first_ < 0) {  // what an earlier run did tells nothing of the speed
      first_ = done;
      start_ = absl::Now();
    }
    std::string left = "?";
    if (done > first_) {
      const double elapsed = absl::ToDoubleSeconds(absl::Now() - start_);
      const auto seconds = static_cast<int>(elapsed / (done - first_) * (1 - done));
      left = absl::StrFormat("%d:%02d", seconds / 60, seconds % 60);
    }
    const auto filled = static_cast<size_t>(std::lround(done * 30));
    const std::string bar = std::string(filled, '#') + std::string(30 - filled, '.');
    const std::string line = absl::StrFormat("\r%-13s [%s] %3.0f%%  %s left, mismatches: %d\x1b[K",
                                             title_, bar, done * 100, left, so_far.mismatches);
    std::fputs(line.c_str(), stderr);
  }

 private:
  const std::string title_;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  double first_ = -1;
  absl::Time start_;
};

void Print(const Certificate& certificate) {
  std::cout << absl::StrFormat("%-9s %-5s %-16s %d mismatches, %d by MPFR, %.1f CPU s, hash %016x",
                               certificate.function, certificate.type, certificate.range,
                               certificate.result.mismatches, certificate.result.by_mpfr,
                               certificate.result.cpu_seconds, certificate.result.hash)
            << std::endl;
  for (const Mismatch& mismatch : certificate.result.first_mismatches) {
    std::cout << absl::StrFormat("  of pattern 0x%x: 0x%x, but MPFR has 0x%x\n", mismatch.input,
                                 mismatch.golden, mismatch.expected);
  }
}

bool IsComplexType(const std::string& type) { return type == "c64" || type == "c128"; }

std::vector<std::string> FunctionsOf(const std::string& type) {
  if (IsComplexType(type)) return ComplexFunctionNames();
  std::vector<std::string> names;
  for (int i = 0; i < kProvenFunctions; ++i) {
    names.emplace_back(NameOf(static_cast<evaluator::RealFunction>(i)));
  }
  return names;
}

absl::StatusOr<Certificate> ProveOne(const std::string& function, const Arguments& arguments) {
  ProgressLine line(absl::StrFormat("%s %s", function, arguments.type));
  ProofOptions options;
  options.jobs = arguments.jobs;
  options.revision = arguments.revision;
  options.sweep.mpfr_alone = arguments.mpfr_alone;
  options.progress = [&line](double done, const SweepResult& so_far) { line.Show(done, so_far); };
  const std::string path =
      absl::StrFormat("%s/%s.%s.json", arguments.out, function, arguments.type);
  const ElementType type = *ElementTypeFromName(arguments.type);
  if (IsComplexType(arguments.type)) {
    const int64_t count = arguments.random != 0 ? arguments.random : 1'000'000;
    return ProveComplex(function, type, count, arguments.seed, path, options);
  }
  const evaluator::RealFunction real = *FunctionNamed(function.c_str());
  if (arguments.type == "f64") {
    const int64_t count = arguments.random != 0 ? arguments.random : 10'000'000;
    return ProveRandomF64(real, count, arguments.seed, path, options);
  }
  return Prove(real, type, AllMagnitudes(type), path, options);
}

int Run(const Arguments& arguments) {
  std::error_code error;
  std::filesystem::create_directories(arguments.out, error);
  if (error) {
    std::cerr << "prove: cannot make the folder " << arguments.out << "\n";
    return kExitBadInput;
  }
  bool mismatch = false, any = false;
  for (const std::string& function : FunctionsOf(arguments.type)) {
    if (arguments.function != "all" && arguments.function != function) continue;
    any = true;
    const auto certificate = ProveOne(function, arguments);
    if (!certificate.ok()) {
      std::cerr << "prove: " << certificate.status().message() << "\n";
      return kExitBadInput;
    }
    Print(*certificate);
    mismatch |= certificate->result.mismatches != 0;
  }
  if (!any) {
    std::cerr << "prove: no proof of " << arguments.function << " in " << arguments.type
              << "; there are those of " << absl::StrJoin(FunctionsOf(arguments.type), ", ")
              << "\n";
    return kExitBadInput;
  }
  return mismatch ? kExitMismatch : 0;
}

}  // namespace
}  // namespace assay::conformance::prove

int main(int argc, char** argv) {
  assay::conformance::prove::Arguments arguments;
  CLI::App app(
      "prove: holds the golden values of real functions against independent ones for every input "
      "of a type, and writes a certificate. f32: two double implementations, and MPFR where they "
      "come near a boundary of rounding; f16 and bf16: MPFR; f64: MPFR for random inputs; c64 and "
      "c128: MPC for marked and random "
      "operands of the functions that it has.");
  app.name("tools/prove");
  app.option_defaults()->always_capture_default()->multi_option_policy(
      CLI::MultiOptionPolicy::TakeLast);
  app.add_option("--function", arguments.function, "A function (exp, log1p, ...), or all");
  app.add_option("--type", arguments.type, "The element type")
      ->check(CLI::IsMember({"f32", "f16", "bf16", "f64", "c64", "c128"}));
  app.add_option("--out", arguments.out,
                 "Folder of certificates FUNCTION.TYPE.json; an unfinished one is continued, a "
                 "complete one of the same revision kept");
  app.add_option("--jobs", arguments.jobs, "Threads")->check(CLI::Range(1, 1024));
  app.add_option("--random", arguments.random,
                 "f64: inputs, by exponent (10,000,000); a hundredth of them with 192 bits forced, "
                 "a ten-thousandth with 384, 768 and 1536 bits each. c64 and c128: operands "
                 "(1,000,000)")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40));
  app.add_option("--seed", arguments.seed, "Of the random inputs");
  app.add_flag("--mpfr", arguments.mpfr_alone, "f32: MPFR for every input (hours)");
  app.add_option("--revision", arguments.revision, "What the certificate calls the code");
  app.footer("\nExit codes: 0 proven, 1 mismatches, 2 bad input.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : assay::conformance::prove::kExitBadInput;
  }
  return assay::conformance::prove::Run(arguments);
}
