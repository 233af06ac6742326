#include "fuzz/reduce/answers.h"

#include <filesystem>
#include <sstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/corpus/corpus_case.h"
#include "spec/text/printer.h"

namespace assay::fuzz {
namespace {

constexpr absl::string_view kShows = " shows", kShowsNot = " not";

std::string FirstLine(absl::string_view identity) {
  return absl::StrCat("assay-reduce-answers 1 ", conformance::HashOf(identity));
}

}  // namespace

std::string QuestionHash(const Module& module, absl::Span<const DeviceInputs> inputs) {
  std::string text = PrintModule(module, PrintOptions::Lossless());
  for (const DeviceInputs& own : inputs) {
    for (const auto* values : {&own.arguments, &own.infeed}) {
      absl::StrAppend(&text, "\n", values->size());
      for (const Literal& value : *values) {
        for (const Literal& leaf : Flatten(value)) {
          absl::StrAppend(&text, "\n", leaf.shape().ToString(), " ");
          if (!leaf.is_array()) continue;
          text.append(reinterpret_cast<const char*>(leaf.data()), leaf.byte_size());
        }
      }
    }
  }
  return conformance::HashOf(text);
}

absl::Status ReductionAnswers::Open(const std::string& path, absl::string_view identity) {
  const std::string first = FirstLine(identity);
  std::string kept = absl::StrCat(first, "\n");
  std::ifstream before(path, std::ios::binary);
  std::string line;
  if (std::getline(before, line) && line == first) {
    // A line without an end was cut off; its question is asked again.
    while (std::getline(before, line) && !before.eof()) {
      const absl::string_view text = line;
      const bool shows = absl::EndsWith(text, kShows);
      if (!shows && !absl::EndsWith(text, kShowsNot)) continue;
      known_[std::string(text.substr(0, text.find(' ')))] = {shows, /*is_earlier=*/true};
      absl::StrAppend(&kept, line, "\n");
    }
  }
  before.close();
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  file_.open(path, std::ios::binary | std::ios::trunc);
  file_ << kept << std::flush;
  if (!file_) return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be written"));
  path_ = path;
  return absl::OkStatus();
}

std::optional<ReductionAnswers::Answer> ReductionAnswers::Find(const std::string& question) const {
  const auto found = known_.find(question);
  return found == known_.end() ? std::nullopt : std::optional<Answer>(found->second);
}

void ReductionAnswers::Add(const std::string& question, bool shows) {
  known_[question] = {shows, /*is_earlier=*/false};
  file_ << question << (shows ? kShows : kShowsNot) << "\n" << std::flush;
}

void ReductionAnswers::Remove() {
  file_.close();
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace assay::fuzz
