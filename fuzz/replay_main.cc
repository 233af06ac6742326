// The main program of a fuzz target where libFuzzer is not: runs the files given, and mutations of
// them, the same ones each time. It takes libFuzzer's own spellings, so that one command serves
// both: [-runs=N] [-seed=S] [-dict=FILE] [-max_len=N] FILE-OR-FOLDER...
// An input that ends the process is left in the file `crash-input`.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// Of the sanitizers, where there are any.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

const std::string* current_input = nullptr;

void SaveCurrentInput() {
  const int file = open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0 || current_input == nullptr) return;
  const ssize_t count = write(file, current_input->data(), current_input->size());
  close(file);
  constexpr char kMessage[] = "fuzz: the input is in crash-input\n";
  if (count >= 0 && write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1) < 0) return;
}

void OnSignal(int signal) {
  SaveCurrentInput();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void RunInput(const std::string& input) {
  current_input = &input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

std::string ReadWhole(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(stream)), {});
}

// The words of a dictionary in libFuzzer's format: one quoted string to a line.
std::vector<std::string> ReadDictionary(const std::string& path) {
  std::vector<std::string> words;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    absl::string_view text = line;
    std::string word;
    if (absl::ConsumePrefix(&text, "\"") && absl::ConsumeSuffix(&text, "\"") &&
        absl::CUnescape(text, &word)) {
      words.push_back(word);
    }
  }
  return words;
}

class Mutator {
 public:
  Mutator(uint64_t seed, std::vector<std::string> words, size_t max_length)
      : random_(seed), words_(std::move(words)), max_length_(max_length) {}

  // A few changes to one of the inputs.
  std::string Mutate(const std::vector<std::string>& inputs) {
    std::string input = inputs[Below(inputs.size())];
    for (size_t changes = 1 + Below(4); changes > 0; --changes) Change(inputs, &input);
    input.resize(std::min(input.size(), max_length_));
    return input;
  }

 private:
  // Not a distribution of the standard library: those differ between libraries.
  size_t Below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void Change(const std::vector<std::string>& inputs, std::string* input) {
    const size_t at = Below(input->size() + 1);
    const size_t length = std::min(Below(32), input->size() - at);
    switch (Below(7)) {
      case 0:
        if (at < input->size()) (*input)[at] ^= static_cast<char>(1 << Below(8));
        break;
      case 1:
        if (at < input->size()) (*input)[at] = static_cast<char>(Below(256));
        break;
      case 2:
        input->erase(at, length);
        break;
      case 3:
        input->insert(at, input->substr(Below(input->size() + 1), length));
        break;
      case 4:
        if (!words_.empty()) input->replace(at, length, words_[Below(words_.size())]);
        break;
      case 5:
        if (!words_.empty()) input->insert(at, words_[Below(words_.size())]);
        break;
      default: {
        const std::string& other = inputs[Below(inputs.size())];
        input->replace(at, length, other.substr(Below(other.size() + 1), Below(64)));
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> words_;
  size_t max_length_;
};

std::vector<std::string> ReadInputs(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const std::filesystem::path& file : files) inputs.push_back(ReadWhole(file));
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  int64_t runs = 0;
  uint64_t seed = 1;
  uint64_t max_length = 4096;
  std::vector<std::string> words;
  std::vector<std::filesystem::path> paths;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    bool good = true;
    if (absl::ConsumePrefix(&argument, "-runs=")) {
      good = absl::SimpleAtoi(argument, &runs);
    } else if (absl::ConsumePrefix(&argument, "-seed=")) {
      good = absl::SimpleAtoi(argument, &seed);
    } else if (absl::ConsumePrefix(&argument, "-max_len=")) {
      good = absl::SimpleAtoi(argument, &max_length);
    } else if (absl::ConsumePrefix(&argument, "-dict=")) {
      words = ReadDictionary(std::string(argument));
      good = !words.empty();
    } else if (!absl::StartsWith(argument, "-")) {
      paths.emplace_back(argv[i]);
    }
    if (!good) {
      std::fprintf(stderr, "%s: bad argument %s\n", argv[0], argv[i]);
      return 2;
    }
  }
  for (int signal : {SIGABRT, SIGSEGV, SIGILL, SIGFPE, SIGBUS}) std::signal(signal, OnSignal);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(SaveCurrentInput);
  const std::vector<std::string> inputs = ReadInputs(paths);
  if (inputs.empty()) {
    std::fprintf(stderr, "%s: no inputs\n", argv[0]);
    return 2;
  }
  for (const std::string& input : inputs) RunInput(input);
  Mutator mutator(seed, words, max_length);
  for (int64_t run = 0; run < runs; ++run) RunInput(mutator.Mutate(inputs));
  std::printf("%zu inputs and %lld mutations: nothing found\n", inputs.size(),
              static_cast<long long>(runs));
  return 0;
}
