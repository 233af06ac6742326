#include "conformance/corpus/case_reader.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

constexpr int64_t kMostArrays = 100000;

class CaseFileReader {
 public:
  CaseFileReader(absl::string_view text, absl::string_view name, int64_t max_bytes)
      : name_(name), bytes_left_(max_bytes), lines_(absl::StrSplit(text, '\n')) {}

  absl::StatusOr<std::vector<CorpusCase>> Read() {
    std::vector<CorpusCase> cases;
    absl::flat_hash_map<std::string, size_t> seen;
    while (SkipEmpty(), at_ < lines_.size()) {
      const size_t first = at_;
      CorpusCase corpus_case;
      if (absl::Status status = ReadCase(&corpus_case); !status.ok()) return status;
      const auto [earlier, fresh] = seen.emplace(corpus_case.id, first);
      if (!fresh) {
        at_ = first;
        return Error("case ", absl::StrCat("there is a case ", corpus_case.id, " in line ",
                                           earlier->second + 1, " already"));
      }
      cases.push_back(std::move(corpus_case));
    }
    return cases;
  }

 private:
  absl::string_view line() const { return lines_[at_]; }
  bool indented() const {
    return at_ < lines_.size() && !line().empty() && (line()[0] == ' ' || line()[0] == '\t');
  }
  void SkipEmpty() {
    while (at_ < lines_.size() &&
           (absl::StripAsciiWhitespace(line()).empty() || line()[0] == '#')) {
      ++at_;
    }
  }

  // At the first place of `piece` in the line.
  absl::Status Error(absl::string_view piece, absl::string_view message) const {
    size_t column = 0;
    if (at_ < lines_.size() && piece.data() >= line().data() &&
        piece.data() <= line().data() + line().size()) {
      column = static_cast<size_t>(piece.data() - line().data());
    }
    return absl::InvalidArgumentError(
        absl::StrCat(name_, ":", at_ + 1, ":", column + 1, ": ", message));
  }

  absl::Status ReadCase(CorpusCase* corpus_case) {
    absl::string_view id = line();
    if (!absl::ConsumePrefix(&id, "case ")) {
      return Error(line(),
                   "a case begins with 'case ID' at the left margin (docs/corpus_format.md)");
    }
    id = absl::StripAsciiWhitespace(id);
    if (absl::Status status = CheckId(id); !status.ok()) return Error(id, status.message());
    corpus_case->id = std::string(id);
    corpus_case->where = absl::StrCat(name_, ":", at_ + 1);
    const size_t first = at_++;
    std::set<std::string> keys;
    while (SkipEmpty(), at_ < lines_.size() && !absl::StartsWith(line(), "case ")) {
      const absl::string_view key = line().substr(0, line().find(':'));
      if (key.size() == line().size()) {
        return Error(line(),
                     "'KEY:' is wanted here: tags, module, inputs, processes, expect, confirmed");
      }
      if (!keys.insert(std::string(key)).second) {
        return Error(line(), absl::StrCat("case ", id, " has '", key, ":' twice"));
      }
      const absl::string_view rest = absl::StripAsciiWhitespace(line().substr(key.size() + 1));
      if (absl::Status status = ReadSection(key, rest, corpus_case); !status.ok()) return status;
    }
    for (const char* key : {"tags", "module", "expect"}) {
      if (keys.count(key) != 0) continue;
      at_ = first;
      return Error(line(), absl::StrCat("case ", id, " has no '", key, ":'"));
    }
    return absl::OkStatus();
  }

  // Leaves the reader behind the section.
  absl::Status ReadSection(absl::string_view key, absl::string_view rest, CorpusCase* corpus_case) {
    if (key == "module") return ReadModule(rest, corpus_case);
    if (key == "inputs") {
      return ReadArrays({{{"arg", &corpus_case->inputs}, {"infeed", &corpus_case->infeed}}}, rest);
    }
    if (key == "expect" && rest.empty()) {
      corpus_case->expect = CorpusCase::Expect::kValues;
      return ReadArrays({{{"out", &corpus_case->expected}, {"outfeed", &corpus_case->outfeed}}},
                        rest);
    }
    absl::Status status;
    if (key == "tags") {
      status = ReadTags(rest, corpus_case);
    } else if (key == "processes") {
      status = ReadProcesses(rest, corpus_case);
    } else if (key == "confirmed") {
      if (absl::Status known = CheckReference(rest); !known.ok()) {
        return Error(rest, known.message());
      }
      corpus_case->confirmed = std::string(rest);
    } else if (key == "expect") {
      status = ReadExpect(rest, corpus_case);
    } else {
      return Error(key, absl::StrCat("unknown key '", key,
                                     "'; there are tags, module, inputs, "
                                     "processes, expect, confirmed"));
    }
    if (!status.ok()) return status;
    ++at_;
    if (indented()) return Error(line(), "nothing belongs to this line that is indented");
    return absl::OkStatus();
  }

  absl::Status ReadModule(absl::string_view rest, CorpusCase* corpus_case) {
    if (!rest.empty()) return Error(rest, "the module stands in the lines below, indented");
    ++at_;
    while (indented()) {
      absl::StrAppend(&corpus_case->module,
                      absl::StripTrailingAsciiWhitespace(absl::StripPrefix(line(), "  ")), "\n");
      ++at_;
    }
    if (!absl::StripAsciiWhitespace(corpus_case->module).empty()) return absl::OkStatus();
    --at_;
    return Error(line(), "there is no module below, indented");
  }

  absl::Status ReadTags(absl::string_view rest, CorpusCase* corpus_case) {
    for (absl::string_view word : absl::StrSplit(rest, ' ', absl::SkipWhitespace())) {
      absl::StatusOr<CaseTag> tag = ReadTag(word);
      if (!tag.ok()) return Error(word, tag.status().message());
      corpus_case->tags.push_back(*std::move(tag));
    }
    return absl::OkStatus();
  }

  absl::Status ReadProcesses(absl::string_view rest, CorpusCase* corpus_case) {
    for (absl::string_view word : absl::StrSplit(rest, ' ', absl::SkipWhitespace())) {
      absl::string_view number = word;
      int64_t* count = absl::ConsumePrefix(&number, "replicas=")     ? &corpus_case->replicas
                       : absl::ConsumePrefix(&number, "partitions=") ? &corpus_case->partitions
                                                                     : nullptr;
      if (count == nullptr || !absl::SimpleAtoi(number, count) || *count < 1 ||
          *count > kMostProcessesOfCase) {
        return Error(word, absl::StrCat("processes are written replicas=R partitions=P, each 1 to ",
                                        kMostProcessesOfCase));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadExpect(absl::string_view rest, CorpusCase* corpus_case) {
    if (rest == "golden") return absl::OkStatus();
    absl::string_view clause = rest;
    if (!absl::ConsumePrefix(&clause, "refused ") || !absl::StrContains(clause, "_c")) {
      return Error(rest, "expected is 'golden', 'refused CLAUSE', or arrays in the lines below");
    }
    corpus_case->expect = CorpusCase::Expect::kRefused;
    corpus_case->clause = std::string(absl::StripAsciiWhitespace(clause));
    return absl::OkStatus();
  }

  // Arrays of a section by how their names begin: those that belong to the module come first.
  using Lists = std::array<std::pair<absl::string_view, std::vector<CaseArray>*>, 2>;

  absl::Status ReadArrays(const Lists& lists, absl::string_view rest) {
    if (!rest.empty()) return Error(rest, "arrays stand in the lines below, indented");
    ++at_;
    std::set<std::tuple<absl::string_view, int64_t, int64_t>> seen;
    while (indented()) {
      const absl::string_view name = absl::StripLeadingAsciiWhitespace(line());
      const auto& [prefix, arrays] = lists[absl::StartsWith(name, lists[1].first) ? 1 : 0];
      CaseArray array;
      if (absl::Status status = ReadArray(prefix, &array); !status.ok()) return status;
      if (!seen.insert({prefix, array.number, array.device}).second) {
        return Error(name, "this array is here twice");
      }
      arrays->push_back(std::move(array));
      ++at_;
    }
    if (!seen.empty()) return absl::OkStatus();
    --at_;
    return Error(line(), "there are no arrays below, indented");
  }

  absl::Status ReadArray(absl::string_view prefix, CaseArray* array) {
    const absl::string_view text = absl::StripAsciiWhitespace(line());
    const size_t equals = text.find(" = ");
    absl::string_view name = text.substr(0, equals);
    const bool named = absl::ConsumePrefix(&name, prefix);
    const std::vector<absl::string_view> parts = absl::StrSplit(name, ".dev");
    if (equals == absl::string_view::npos || !named || parts.size() > 2 ||
        !absl::SimpleAtoi(parts[0], &array->number) || array->number < 0 ||
        array->number >= kMostArrays ||
        (parts.size() == 2 && (!absl::SimpleAtoi(parts[1], &array->device) || array->device < 0 ||
                               array->device >= kMostArrays))) {
      return Error(text,
                   absl::StrCat("an array is written '", prefix, "0 = literal f32[2] {1, 2}' or '",
                                prefix, "0 = benign f32[2] seed=7'"));
    }
    absl::string_view value = absl::StripAsciiWhitespace(text.substr(equals + 3));
    if (absl::ConsumePrefix(&value, "literal ")) return ReadLiteralArray(value, array);
    if (absl::StartsWith(prefix, "out")) return Error(value, "expected values are literals");
    return ReadProfileArray(value, array);
  }

  absl::Status ReadLiteralArray(absl::string_view value, CaseArray* array) {
    absl::StatusOr<Literal> literal = ParseTypedLiteral(value, bytes_left_);
    if (!literal.ok()) {
      const absl::string_view reason = literal.status().message();
      const absl::Status error = Error(value, reason.substr(0, reason.find('\n')));
      return absl::Status(literal.status().code(), error.message());
    }
    if (!literal->is_array()) return Error(value, "arrays alone are numbered, no tuples");
    bytes_left_ -= literal->byte_size();
    array->shape = literal->shape();
    array->shape.ClearLayouts();
    array->literal = *std::move(literal);
    return absl::OkStatus();
  }

  absl::Status ReadProfileArray(absl::string_view value, CaseArray* array) {
    const std::vector<absl::string_view> words = absl::StrSplit(value, ' ', absl::SkipWhitespace());
    const std::optional<ValueProfile> profile = ValueProfileFromName(words[0]);
    if (!profile) {
      return Error(words[0], absl::StrCat("unknown profile '", words[0], "'; these are: literal, ",
                                          absl::StrJoin(ValueProfiles(), ", ",
                                                        [](std::string* out, const auto& row) {
                                                          absl::StrAppend(out, row.name);
                                                        })));
    }
    array->use.profile = *profile;
    if (words.size() < 2) return Error(value, "the type and the sizes are missing");
    absl::StatusOr<Shape> shape = ParseShape(words[1]);
    if (!shape.ok() || !shape->is_array() || shape->is_dynamic()) {
      return Error(words[1], absl::StrCat("'", words[1], "' is not a shape of an array"));
    }
    array->shape = *std::move(shape);
    array->shape.ClearLayouts();
    for (size_t i = 2; i < words.size(); ++i) {
      if (absl::Status status = ReadParameter(words[i], &array->use); !status.ok()) return status;
    }
    const absl::Status fits = CheckProfile(array->use, array->shape);
    return fits.ok() ? fits : Error(value, fits.message());
  }

  absl::Status ReadParameter(absl::string_view word, ProfileUse* use) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    const ValueProfileInfo& info = Info(use->profile);
    const std::vector<absl::string_view> known = absl::StrSplit(info.parameters, ' ');
    if (std::find(known.begin(), known.end(), parts.first) == known.end()) {
      return Error(word, absl::StrCat("profile ", info.name, " has no parameter '", parts.first,
                                      "'; it has: ", info.parameters));
    }
    const absl::Status read = SetParameter(parts.first, parts.second, use);
    return read.ok() ? read : Error(word, read.message());
  }

  std::string name_;
  int64_t bytes_left_;
  std::vector<absl::string_view> lines_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<CorpusCase>> ReadCases(absl::string_view text, absl::string_view name,
                                                  int64_t max_bytes) {
  return CaseFileReader(text, name, max_bytes).Read();
}

}  // namespace assay::conformance
