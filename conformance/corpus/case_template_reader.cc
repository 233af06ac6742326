// The text of templates. Tests: corpus_test.cc.
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/corpus/case_template.h"
#include "conformance/corpus/fixed_inputs.h"

namespace assay::conformance {
namespace {

std::vector<std::string> Words(absl::string_view text) {
  return absl::StrSplit(text, ' ', absl::SkipWhitespace());
}

// Words of a choice: blanks within brackets do not end them.
std::vector<std::string> BracketedWords(absl::string_view text) {
  std::vector<std::string> words;
  int depth = 0;
  bool within = false;
  for (const char c : text) {
    if (c == ' ' && depth <= 0) {
      within = false;
      continue;
    }
    if (!within) words.emplace_back();
    within = true;
    words.back().push_back(c);
    depth += absl::StrContains("([{", absl::string_view(&c, 1));
    depth -= absl::StrContains(")]}", absl::string_view(&c, 1));
  }
  return words;
}

// "all", classes as in op_catalogue.def, or names.
absl::StatusOr<std::vector<ElementType>> ReadTypes(absl::string_view text) {
  std::vector<ElementType> types;
  for (const std::string& word : Words(text)) {
    if (const auto type = ElementTypeFromName(word)) {
      types.push_back(*type);
      continue;
    }
    const bool classes = word.find_first_not_of("PSUFC") == std::string::npos;
    if (!classes && word != "all") {
      return absl::InvalidArgumentError(absl::StrCat("'", word, "' is not an element type"));
    }
    const TypeSet set(word == "all" ? "PSUFC" : word.c_str());
    for (const ElementType type : kArrayTypes) {
      if (set.Contains(type)) types.push_back(type);
    }
  }
  return types;
}

absl::StatusOr<CaseTemplate::Choice> ReadChoice(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  CaseTemplate::Choice choice;
  choice.names = Words(parts.first);
  for (absl::string_view value : absl::StrSplit(parts.second, '|')) {
    // A single name takes the whole value, blanks and all.
    value = absl::StripAsciiWhitespace(value);
    choice.values.push_back(choice.names.size() == 1 ? std::vector<std::string>{std::string(value)}
                                                     : BracketedWords(value));
    if (choice.values.back().size() != choice.names.size()) {
      return absl::InvalidArgumentError("a choice is written 'n m = 1 2 | 3 4'");
    }
  }
  return choice;
}

absl::Status ReadLine(absl::string_view key, absl::string_view rest, CaseTemplate* target) {
  if (key == "types") {
    absl::StatusOr<std::vector<ElementType>> types = ReadTypes(rest);
    if (!types.ok()) return types.status();
    target->types = *std::move(types);
  } else if (key == "profiles") {
    for (const std::string& word : Words(rest)) {
      const auto profile = ValueProfileFromName(word);
      if (!profile) return absl::InvalidArgumentError(absl::StrCat("unknown profile ", word));
      target->profiles.push_back(*profile);
    }
  } else if (key == "vary") {
    absl::StatusOr<CaseTemplate::Choice> choice = ReadChoice(rest);
    if (!choice.ok()) return choice.status();
    target->choices.push_back(*std::move(choice));
  } else if (key == "tags") {
    for (const std::string& word : Words(rest)) {
      absl::StatusOr<CaseTag> tag = ReadTag(word);
      if (!tag.ok()) return tag.status();
      target->tags.push_back(*std::move(tag));
    }
  } else if (key == "quick") {
    target->quick_first = rest == "first";
    target->quick_type = ElementTypeFromName(rest);
    if (!target->quick_first && !target->quick_type) {
      return absl::InvalidArgumentError("'quick:' is followed by 'first' or an element type");
    }
  } else if (key == "confirmed") {
    if (absl::Status known = CheckReference(rest); !known.ok()) return known;
    target->confirmed = std::string(rest);
  } else if (key == "replicas") {
    target->replicas = std::string(rest);
  } else if (key == "partitions") {
    target->partitions = std::string(rest);
  } else if (key != "module" && key != "inputs") {
    return absl::InvalidArgumentError(absl::StrCat("unknown key '", key, "'"));
  }
  return absl::OkStatus();
}

absl::Status Complete(const CaseTemplate& target) {
  if (!OpcodeFromName(target.op) && target.op != CaseTemplate::kProgram) {
    return absl::InvalidArgumentError(absl::StrCat("there is no operation ", target.op));
  }
  if (target.form.empty()) {
    return absl::InvalidArgumentError("a template begins with 'template OP/FORM'");
  }
  if (target.types.empty() || target.profiles.empty() || target.module.empty()) {
    return absl::InvalidArgumentError("a template needs types, profiles and a module");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<CaseTemplate>> ReadTemplates(absl::string_view text,
                                                        absl::string_view name) {
  std::vector<CaseTemplate> templates;
  std::string section;
  int64_t number = 0;
  absl::Status status;
  const auto place = [&] { return absl::StrCat(name, ":", number); };
  const auto at_end = [&] {
    return templates.empty() ? absl::OkStatus() : Complete(templates.back());
  };
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty() || line[0] == '#') continue;
    absl::string_view rest = line;
    if (absl::ConsumePrefix(&rest, "template ")) {
      status = at_end();
      const std::pair<std::string, std::string> parts =
          absl::StrSplit(rest, absl::MaxSplits('/', 1));
      templates.emplace_back();
      templates.back().op = parts.first;
      templates.back().form = parts.second;
      templates.back().where = place();
      section = "";
    } else if (templates.empty()) {
      status = absl::InvalidArgumentError("a template begins with 'template OP/FORM'");
    } else if (line[0] == ' ' && section == "module") {
      absl::StrAppend(&templates.back().module, absl::StripPrefix(line, "  "), "\n");
    } else if (line[0] == ' ' && section == "inputs") {
      // Lines with names of choices are read where they stand for values.
      FixedInputs read;
      if (!absl::StrContains(line, "$")) status = ReadFixedInput(line, &read);
      templates.back().inputs.emplace_back(line);
    } else {
      const std::pair<absl::string_view, absl::string_view> parts =
          absl::StrSplit(line, absl::MaxSplits(':', 1));
      section = std::string(parts.first);
      status = ReadLine(parts.first, absl::StripAsciiWhitespace(parts.second), &templates.back());
    }
    if (!status.ok()) break;
  }
  if (status.ok()) status = at_end();
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(place(), ": ", status.message()));
  }
  return templates;
}

}  // namespace assay::conformance
