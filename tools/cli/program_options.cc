#include "tools/cli/program_options.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/arrays/arrays.h"

namespace assay::cli {
namespace {

absl::Status BadShape(const std::string& text) {
  return absl::InvalidArgumentError(
      absl::StrCat("--shape ", text,
                   ": give the size of a symbolic dimension (b=4) or the sizes "
                   "of an argument (arg0=2x3)"));
}

// The number in "arg12"; nullopt for other names.
std::optional<int64_t> ArgumentNumber(absl::string_view name) {
  int64_t number = 0;
  const bool is_argument = absl::ConsumePrefix(&name, "arg") && !name.empty() &&
                           std::isdigit(static_cast<unsigned char>(name[0])) != 0 &&
                           absl::SimpleAtoi(name, &number);
  return is_argument ? std::optional(number) : std::nullopt;
}

bool IsGzip(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file.get() == 0x1f && file.get() == 0x8b;
}

// The error of a file that is not a module, with what was probably meant. Content that had to be
// decompressed is not decompressed again for a hint.
absl::Status WithHint(const std::string& path, const absl::Status& status) {
  std::error_code error;
  absl::string_view hint;
  if (std::filesystem::is_directory(path, error)) {
    hint = "; assay triage takes folders of modules";
  } else if (absl::EndsWith(path, ".py")) {
    hint = "\nA Python file is not a module: docs/stablehlo.md says how to print a function of JAX";
  } else if (path != "-" && !IsGzip(path) && ReadArrays(path).ok()) {
    hint = "\nThe file holds arrays: the module comes first, and arrays follow --inputs";
  }
  return absl::Status(status.code(), absl::StrCat(status.message(), hint));
}

}  // namespace

void ProgramOptions::AddTo(CLI::App* app) {
  app->add_option("--entry", entry,
                  "StableHLO: the function that runs (default: main, or the only one)")
      ->type_name("NAME");
  app->add_option("--shape", shapes,
                  "StableHLO: the size of a symbolic dimension (b=4), or the sizes of an argument "
                  "(arg0=2x3); by default those of the arguments in --inputs")
      ->type_name("NAME=SIZE");
  app->add_flag("--expand-chlo", expand_chlo,
                "StableHLO: compute acos, sinh and other functions of CHLO by the formulas of "
                "XLA's converter, not as correctly rounded functions (docs/stablehlo.md)");
}

absl::StatusOr<stablehlo::ToModuleOptions> ProgramOptions::Parse() const {
  stablehlo::ToModuleOptions options;
  options.entry = entry;
  options.expand_chlo = expand_chlo;
  for (const std::string& text : shapes) {
    const std::vector<std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
    if (parts.size() != 2 || parts[0].empty()) return BadShape(text);
    std::vector<int64_t> sizes;
    if (!parts[1].empty()) {
      for (const absl::string_view size : absl::StrSplit(parts[1], 'x')) {
        sizes.push_back(0);
        if (!absl::SimpleAtoi(size, &sizes.back()) || sizes.back() < 0) return BadShape(text);
      }
    }
    if (const std::optional<int64_t> number = ArgumentNumber(parts[0])) {
      options.argument_sizes[*number] = std::move(sizes);
    } else if (sizes.size() == 1) {
      options.dimensions[parts[0]] = sizes[0];
    } else {
      return BadShape(text);
    }
  }
  return options;
}

absl::StatusOr<ModuleFile> ProgramOptions::Load(const std::string& path,
                                                const std::string& inputs) const {
  absl::StatusOr<stablehlo::ToModuleOptions> options = Parse();
  if (!options.ok()) return options.status();
  if (!inputs.empty() && inputs != "random") {
    // Problems of the file are said where it is read for its values.
    const absl::StatusOr<std::vector<NamedLiteral>> arrays = ReadArrays(inputs);
    for (size_t i = 0; arrays.ok() && i < arrays->size(); ++i) {
      const std::optional<int64_t> number = ArgumentNumber((*arrays)[i].name);
      if (!number || !(*arrays)[i].value.is_array()) continue;
      const absl::Span<const int64_t> sizes = (*arrays)[i].value.shape().dimensions();
      options->value_sizes[*number].assign(sizes.begin(), sizes.end());
    }
  }
  absl::StatusOr<ModuleFile> file = OpenModuleFile(path, *options);
  if (!file.ok()) return WithHint(path, file.status());
  if (file->module->entry() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": the module has no entry computation"));
  }
  if (file->format != ModuleFormat::kStableHlo && (!entry.empty() || !shapes.empty())) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": --entry and --shape are for StableHLO programs, and this is HLO"));
  }
  return file;
}

}  // namespace assay::cli
