#include "tools/cli/help.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/nearest_name.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/options.h"
#include "tools/cli/terminal.h"

namespace assay::cli {
namespace {

constexpr size_t kNameColumn = 26;

std::string Entry(absl::string_view name, absl::string_view description) {
  const size_t width = static_cast<size_t>(TextWidth());
  std::string text = absl::StrCat("  ", name);
  if (description.empty()) return absl::StrCat(text, "\n");
  if (text.size() + 2 > kNameColumn) {
    absl::StrAppend(&text, "\n", std::string(kNameColumn, ' '));
  } else {
    text.resize(kNameColumn, ' ');
  }
  return absl::StrCat(text, Wrapped(description, width - kNameColumn, kNameColumn), "\n");
}

class WrappingFormatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    return absl::StrCat(Wrapped(app->get_description(), TextWidth(), 0), "\n");
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return Entry(make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return Entry(command->get_name(), command->get_description());
  }
  std::string make_footer(const CLI::App* app) const override {
    std::string text, paragraph;
    const auto end_paragraph = [&] {
      if (!paragraph.empty()) absl::StrAppend(&text, Wrapped(paragraph, TextWidth(), 0), "\n");
      paragraph.clear();
    };
    for (absl::string_view line : absl::StrSplit(app->get_footer(), '\n')) {
      const bool is_example = absl::StartsWith(line, " ");
      if (is_example || absl::EndsWith(line, ":")) end_paragraph();
      if (is_example) {
        absl::StrAppend(&text, line, "\n");
      } else {
        absl::StrAppend(&paragraph, " ", line);
      }
      if (absl::EndsWith(line, ":")) end_paragraph();
    }
    end_paragraph();
    return text;
  }
};

// A validator that may also change the value.
CLI::Validator Demand(const char* wanted, std::function<bool(std::string*)> accepts) {
  return CLI::Validator(
      [wanted, accepts](std::string& value) {
        if (accepts(&value)) return std::string();
        return absl::StrCat("'", value, "' is not a ", wanted);
      },
      "");
}

bool IsDigits(absl::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == absl::string_view::npos;
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> HelpFormatter() {
  return std::make_shared<WrappingFormatter>();
}

namespace {

// The command that the line names, as far as there is one: of `assay corpus lst` corpus.
const CLI::App& DeepestCommand(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

// The first word of the line that looks like an option and is none of the command. A value that
// stands behind such a word is no argument too many. Null if there is none.
const char* FirstUnknownOption(const CLI::App& app, int argc, char** argv) {
  const CLI::App& command = DeepestCommand(app);
  for (int i = 1; i < argc; ++i) {
    const absl::string_view word = argv[i];
    if (word == "--") return nullptr;
    const bool is_long = absl::StartsWith(word, "--");
    if (word.size() < 2 || word[0] != '-' || absl::ascii_isdigit(word[1])) continue;
    const std::string name(is_long ? word.substr(0, word.find('=')) : word.substr(0, 2));
    if (command.get_option_no_throw(name) == nullptr) return argv[i];
  }
  return nullptr;
}

// "there is no option --input (did you mean --inputs?)"
std::string UnknownOption(const CLI::App& app, absl::string_view given) {
  given = given.substr(0, given.find_first_of(" ="));
  if (!absl::StartsWith(given, "-")) {
    const bool is_target = DeepestCommand(app).get_option_no_throw("--target") != nullptr &&
                           access(std::string(given).c_str(), X_OK) == 0;
    return absl::StrCat(
        "'", given, "' is one argument too many",
        is_target ? absl::StrCat(" (did you mean --target process:", given, "?)") : "");
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : DeepestCommand(app).get_options()) {
    if (absl::StartsWith(option->get_name(), "--")) names.push_back(option->get_name());
  }
  return absl::StrCat("there is no option ", given, DidYouMean(NearestName(given, names)));
}

// CLI11's "--tier: fast not in {full,quick}" as a sentence.
std::string WithoutSet(absl::string_view text) {
  const size_t open = text.find(" not in {"), colon = text.find(": ");
  if (open == absl::string_view::npos || colon > open || text.back() != '}') {
    return std::string(text);
  }
  const absl::string_view value = text.substr(colon + 2, open - colon - 2);
  const absl::string_view names = text.substr(open + 9, text.size() - open - 10);
  return absl::StrCat(text.substr(0, colon), ": '", value, "' is not one of ",
                      absl::StrReplaceAll(names, {{",", ", "}}));
}

// CLI11's "RUNS: At least 2 required but received 1" as a sentence; anything else as it is.
std::string MissingArgument(const std::string& text) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  if (words.size() != 8 || words[2] != "least" || words[3] == "1") return text;
  return absl::StrCat(absl::StripSuffix(words[0], ":"), " takes ", words[3], " values, and ",
                      words[7], words[7] == "1" ? " was given" : " were given");
}

// What other programs call a command or an option of this one.
constexpr struct {
  const char *word, *command;
} kOtherWords[] = {{"check", "verify"}, {"compare", "diff"},      {"convert", "show --to"},
                   {"evaluate", "run"}, {"info", "show --stats"}, {"list", "corpus list"},
                   {"suite", "test"},   {"version", "--version"}};

// " (did you mean test?)", or nothing.
std::string NearestCommand(const CLI::App& app, absl::string_view given) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  for (const auto& [word, command] : kOtherWords) {
    if (app.get_parent() == nullptr && given == word) return DidYouMean(command);
  }
  return DidYouMean(NearestName(given, names));
}

// What is wrong with the command line. CLI11 says the same of no command and of one that it does
// not know.
std::string WhatIsWrong(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const int place = 1 + static_cast<int>(app.get_subcommands().size());
  const bool wants_command = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
                             absl::StrContains(error.what(), "subcommand");
  const auto* invalid = dynamic_cast<const CLI::ValidationError*>(&error);
  if (invalid == nullptr && !wants_command) {
    const char* const unknown = FirstUnknownOption(app, argc, argv);
    if (unknown != nullptr) return UnknownOption(app, unknown);
  }
  if (const auto* extras = dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const absl::string_view text = extras->what();
    const size_t colon = text.rfind(": ");
    return UnknownOption(app, colon == absl::string_view::npos ? text : text.substr(colon + 2));
  }
  if (invalid != nullptr) return WithoutSet(invalid->what());
  if (wants_command && place < argc && argv[place][0] == '-')
    return UnknownOption(app, argv[place]);
  if (wants_command && place >= argc) return "no command was given";
  if (!wants_command) return MissingArgument(error.what());
  if (place == 1 && access(argv[place], F_OK) == 0) {
    return absl::StrCat("'", argv[place], "' is a file, not a command; assay run ", argv[place],
                        " runs a module");
  }
  return absl::StrCat("there is no command '", argv[place], "'",
                      NearestCommand(DeepestCommand(app), argv[place]));
}

}  // namespace

int FinishParse(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (error.get_exit_code() == 0) {
    app.exit(error);
    return kExitOk;
  }
  std::string command = "assay";
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    absl::StrAppend(&command, " ", at->get_name());
  }
  OutputOptions output;
  for (int i = 1; i < argc; ++i) output.json = output.json || std::strcmp(argv[i], "--json") == 0;
  return Fail(absl::InvalidArgumentError(absl::StrCat(WhatIsWrong(app, error, argc, argv), "; ",
                                                      command, " --help says what there is")),
              output);
}

CLI::Validator WholeNumber() {
  return Demand("whole number from 0 to 18446744073709551615", [](std::string* text) {
    uint64_t value;
    return IsDigits(*text) && absl::SimpleAtoi(*text, &value);
  });
}

CLI::Validator PositiveCount() {
  return Demand("whole number from 1 to 2147483647", [](std::string* text) {
    int32_t value;
    return IsDigits(*text) && absl::SimpleAtoi(*text, &value) && value > 0;
  });
}

CLI::Validator BudgetCount() {
  return Demand("whole number from 0 to 9223372036854775807, or -1", [](std::string* text) {
    int64_t value;
    return *text == "-1" || (IsDigits(*text) && absl::SimpleAtoi(*text, &value));
  });
}

CLI::Validator BudgetSeconds() {
  constexpr double kYear = 366.0 * 24 * 60 * 60;
  return Demand("number of seconds from 0 up, or -1", [](std::string* text) {
    double seconds;
    if (!absl::SimpleAtod(*text, &seconds) || !std::isfinite(seconds)) return false;
    // Clocks cannot add what is much longer.
    if (seconds > kYear) *text = absl::StrCat(kYear);
    return seconds >= 0 || seconds == -1;
  });
}

}  // namespace assay::cli
