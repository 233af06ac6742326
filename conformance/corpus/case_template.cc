#include "conformance/corpus/case_template.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/corpus/freedom_tags.h"
#include "conformance/inputs/input_needs.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"

namespace assay {
namespace {

// The name of templates of whole programs, which belong to no operation.
constexpr absl::string_view kProgram = "program";

constexpr size_t kAllCombinations = 12;
// Of the choices of one template. CoverPairs looks at all of them for each row that it takes.
constexpr size_t kMostCombinations = 10'000;

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

// What a template says of its arguments, by parameter leaf.
struct FixedInputs {
  std::map<int64_t, ProfileUse> uses;
  std::map<int64_t, std::string> literals;  // the elements as in an HLO constant
};

// "arg1 = indices low=0 high=3" or "arg1 = literal {1, 2}": the shape is that of the parameter.
absl::Status ReadFixedInput(absl::string_view text, FixedInputs* inputs) {
  const std::vector<std::string> words = Words(text);
  int64_t number = 0;
  const bool named = words.size() >= 3 && words[1] == "=" &&
                     absl::SimpleAtoi(absl::StripPrefix(words[0], "arg"), &number);
  if (named && words[2] == "literal") {
    inputs->literals[number] = absl::StrJoin(words.begin() + 3, words.end(), " ");
    return absl::OkStatus();
  }
  const auto profile = named ? ValueProfileFromName(words[2]) : std::nullopt;
  if (!profile)
    return absl::InvalidArgumentError("an input is written 'arg1 = PROFILE NAME=N ...'");
  ProfileUse use;
  use.profile = *profile;
  for (size_t i = 3; i < words.size(); ++i) {
    const std::pair<std::string, std::string> pair =
        absl::StrSplit(words[i], absl::MaxSplits('=', 1));
    const std::vector<absl::string_view> known = absl::StrSplit(Info(*profile).parameters, ' ');
    if (std::find(known.begin(), known.end(), pair.first) == known.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", words[i], "': parameters are ", Info(*profile).parameters));
    }
    if (absl::Status set = SetParameter(pair.first, pair.second, &use); !set.ok()) return set;
  }
  inputs->uses[number] = use;
  return absl::OkStatus();
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
    if (rest != "first") return absl::InvalidArgumentError("'quick: first' is all that it can be");
    target->quick_first = true;
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
  if (!OpcodeFromName(target.op) && target.op != kProgram) {
    return absl::InvalidArgumentError(absl::StrCat("there is no operation ", target.op));
  }
  if (target.types.empty() || target.profiles.empty() || target.module.empty()) {
    return absl::InvalidArgumentError("a template needs types, profiles and a module");
  }
  return absl::OkStatus();
}

using Substitutions = std::vector<std::pair<std::string, std::string>>;

// The text with each $NAME replaced by what the longest name that stands there means ($n2 is not
// $n). Values are taken as they are, whatever they contain.
std::string SubstituteOnce(absl::string_view text, const Substitutions& names) {
  std::string replaced;
  replaced.reserve(2 * text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t sign = std::min(text.find('$', at), text.size());
    absl::StrAppend(&replaced, text.substr(at, sign - at));
    at = sign + 1;
    if (sign == text.size()) break;
    const absl::string_view rest = text.substr(at);
    const std::pair<std::string, std::string>* longest = nullptr;
    for (const auto& name : names) {
      if (absl::StartsWith(rest, name.first) &&
          (longest == nullptr || name.first.size() > longest->first.size())) {
        longest = &name;
      }
    }
    if (longest == nullptr) {
      replaced.push_back('$');
    } else {
      replaced += longest->second;
      at += longest->first.size();
    }
  }
  return replaced;
}

// The same where values may have names in turn, as deep as templates go.
std::string Substitute(std::string text, const Substitutions& names) {
  for (int depth = 0; depth < 4 && absl::StrContains(text, '$'); ++depth) {
    text = SubstituteOnce(text, names);
  }
  return text;
}

// What the names of choices stand for.
Substitutions Chosen(const CaseTemplate& source, const std::vector<size_t>& row) {
  Substitutions chosen;
  for (size_t c = 0; c < source.choices.size(); ++c) {
    const CaseTemplate::Choice& choice = source.choices[c];
    for (size_t i = 0; i < choice.names.size(); ++i) {
      chosen.push_back({choice.names[i], choice.values[row[c]][i]});
    }
  }
  return chosen;
}

absl::Status ReadProcesses(const CaseTemplate& source, const Substitutions& names,
                           CorpusCase* made) {
  const auto read = [&names](const std::string& text, int64_t* count) {
    return absl::SimpleAtoi(Substitute(text, names), count) && *count >= 1 &&
           *count <= kMostProcessesOfCase;
  };
  if (read(source.replicas, &made->replicas) && read(source.partitions, &made->partitions)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      source.where, ": replicas and partitions are numbers, each 1 to ", kMostProcessesOfCase));
}

// The bounds of a type in decimal: the largest finite value, the least one, and the smallest
// positive normal one (1 of integers and pred).
Substitutions Bounds(ElementType type) {
  if (!IsFloat(type)) {
    if (IsSigned(type)) {
      return {{"MAX", absl::StrCat(MaxSigned(type))},
              {"LOW", absl::StrCat(MinSigned(type))},
              {"TINY", "1"}};
    }
    return {{"MAX", absl::StrCat(MaxUnsigned(type))}, {"LOW", "0"}, {"TINY", "1"}};
  }
  const FloatFormat& format = *Info(type).format;
  uint64_t top = 0;
  for (const uint64_t bits : SpecialPatterns(type)) {
    if (IsNan(type, bits) || IsInfinity(type, bits)) continue;
    if (DecodeFloat(type, bits) > DecodeFloat(type, top)) top = bits;
  }
  const uint64_t sign = format.has_sign ? uint64_t{1} << (Info(type).bits - 1) : 0;
  const uint64_t low = format.has_sign ? top | sign : 0;
  return {{"MAX", PrintElement(type, {top, 0})},
          {"LOW", PrintElement(type, {low, 0})},
          {"TINY", PrintElement(type, {uint64_t{1} << format.significand_bits, 0})}};
}

// What the names that every template has mean for an element type.
const Substitutions& NamesOf(ElementType type) {
  static const auto* const names = [] {
    auto* const all = new std::map<ElementType, Substitutions>();
    for (const ElementType each : kArrayTypes) {
      const size_t k = SpecialPatterns(Info(each).component).size();
      Substitutions& own = (*all)[each];
      own = {{"T", std::string(Name(each))},
             {"U", absl::StrCat("u", Info(each).bits)},
             {"K", absl::StrCat(IsComplex(each) ? k * k : k)},
             {"P", absl::StrCat(k * k)},
             {"E", absl::StrCat(int64_t{1} << std::min(Info(each).bits, 16))},
             {"D", absl::StrCat(int64_t{1} << std::min(2 * Info(each).bits, 16))},
             {"BITS", absl::StrCat(Info(each).bits)}};
      for (auto& bound : Bounds(Info(each).component)) own.push_back(std::move(bound));
    }
    return all;
  }();
  return names->at(type);
}

// The text for an element type and chosen values.
std::string TextFor(const std::string& text, const Substitutions& chosen, ElementType type) {
  return SubstituteOnce(Substitute(text, chosen), NamesOf(type));
}

void AppendLeaves(const Shape& shape, std::vector<Shape>* leaves) {
  if (shape.is_array()) leaves->push_back(shape);
  for (const Shape& element : shape.tuple_shapes()) AppendLeaves(element, leaves);
}

// The words of a value that may stand in an id: "[2,3]" is 2_3.
std::string LabelOf(const std::vector<std::string>& value) {
  std::string label;
  for (const char c : absl::AsciiStrToLower(absl::StrJoin(value, "_"))) {
    if (absl::ascii_isalnum(c) || c == '-') {
      label.push_back(c);
    } else if (!label.empty() && label.back() != '_') {
      label.push_back('_');
    }
  }
  return std::string(absl::StripSuffix(label, "_"));
}

// Which variant, for the id: the labels of the chosen values, or their numbers where labels are
// empty or the same. Choices of one value say nothing.
std::string FormOf(const CaseTemplate& source, const std::vector<size_t>& row) {
  std::string form = source.form;
  for (size_t c = 0; c < row.size(); ++c) {
    const auto& values = source.choices[c].values;
    if (values.size() == 1) continue;
    std::set<std::string> labels;
    for (const auto& value : values) labels.insert(LabelOf(value));
    const bool telling = labels.size() == values.size() && labels.count("") == 0;
    absl::StrAppend(&form, ".", telling ? LabelOf(values[row[c]]) : absl::StrCat(row[c]));
  }
  return form;
}

// One admitted module of a template: what its arguments can be.
class Variant {
 public:
  Variant(FixedInputs fixed, const Module& module)
      : fixed_(std::move(fixed)), devices_(module.replica_count * module.num_partitions) {
    const std::vector<std::vector<InputNeeds>> needs = FindInputNeeds(module);
    for (const Instruction* parameter : module.entry()->parameters()) {
      const size_t before = leaves_.size();
      AppendLeaves(parameter->shape(), &leaves_);
      const auto& own = needs[parameter->parameter_number()];
      for (size_t i = 0; before + i < leaves_.size(); ++i) {
        needs_.push_back(i < own.size() ? own[i] : InputNeeds());
      }
    }
    for (const auto& each : module.entry()->instructions()) {
      if (each->opcode() == Opcode::kInfeed) AppendLeaves(each->shape(), &fed_);
    }
  }

  // Reads the elements of the inputs that are written. INVALID_ARGUMENT where they do not fit.
  absl::Status ReadLiterals(const Substitutions& chosen, ElementType type) {
    for (const auto& [number, text] : fixed_.literals) {
      if (number >= static_cast<int64_t>(leaves_.size())) {
        return absl::InvalidArgumentError(absl::StrCat("there is no arg", number));
      }
      Shape shape = leaves_[number];
      shape.ClearLayouts();
      absl::StatusOr<Literal> literal = ParseLiteral(TextFor(text, chosen, type), shape);
      if (!literal.ok()) return literal.status();
      literals_[number] = *std::move(literal);
    }
    return absl::OkStatus();
  }

  // What the infeeds of the entry take, of the profile; seeds go on from those of the arguments.
  // None: an array cannot have the profile.
  std::optional<std::vector<CaseArray>> Infeed(ValueProfile profile) const {
    std::vector<CaseArray> queue;
    for (const Shape& shape : fed_) {
      CaseArray array;
      array.number = static_cast<int64_t>(leaves_.size() + queue.size());
      array.shape = shape;
      array.shape.ClearLayouts();
      array.use = DataUse(profile, array);
      if (array.use.profile != profile) return std::nullopt;
      array.number = static_cast<int64_t>(queue.size());
      queue.push_back(std::move(array));
    }
    return queue;
  }

  // None: no argument can have the profile. Modules without arguments have a case all the same.
  // Where several processes run, each has data of its own.
  std::optional<std::vector<CaseArray>> Inputs(ValueProfile profile) const {
    std::vector<CaseArray> inputs;
    bool used = leaves_.empty() || OnlyIndices() || !literals_.empty();
    for (size_t i = 0; i < leaves_.size(); ++i) {
      CaseArray input;
      input.number = static_cast<int64_t>(i);
      input.shape = leaves_[i];
      input.shape.ClearLayouts();
      if (const auto written = literals_.find(input.number); written != literals_.end()) {
        input.literal = written->second;
        inputs.push_back(std::move(input));
        continue;
      }
      const auto fixed = fixed_.uses.find(input.number);
      const bool data = fixed == fixed_.uses.end() && !needs_[i].high;
      input.use = fixed != fixed_.uses.end() ? fixed->second
                  : data                     ? DataUse(profile, input)
                                             : IndexUse(input, needs_[i]);
      used = used || (data && input.use.profile == profile);
      if (!CheckProfile(input.use, input.shape).ok()) return std::nullopt;
      const int64_t copies = data ? devices_ : 1;
      for (int64_t device = 0; device < copies; ++device) {
        inputs.push_back(input);
        if (copies > 1) inputs.back().device = device;
        if (absl::StrContains(Info(input.use.profile).parameters, "seed")) {
          inputs.back().use.seed += static_cast<uint64_t>(1000 * device);
        }
      }
    }
    if (!used) return std::nullopt;
    return inputs;
  }

 private:
  bool OnlyIndices() const {
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (!needs_[i].high && fixed_.uses.count(static_cast<int64_t>(i)) == 0) return false;
    }
    return true;
  }

  // In the range that the operation needs, as far as the type reaches.
  static ProfileUse IndexUse(const CaseArray& input, const InputNeeds& needs) {
    const ElementType type = input.shape.element_type();
    if (!IsInteger(type)) return DataUse(ValueProfile::kBenign, input);  // which of two branches
    const uint64_t max =
        IsSigned(type) ? static_cast<uint64_t>(MaxSigned(type)) : MaxUnsigned(type);
    ProfileUse use;
    use.profile = ValueProfile::kIndices;
    use.seed = Seed(input);
    use.low = 0;
    use.high = static_cast<int64_t>(std::min(max, static_cast<uint64_t>(*needs.high)));
    return use;
  }

  static uint64_t Seed(const CaseArray& input) { return static_cast<uint64_t>(input.number) + 1; }

  static ProfileUse DataUse(ValueProfile profile, const CaseArray& input) {
    ProfileUse use;
    use.profile = profile;
    if (profile == ValueProfile::kSpecial) {
      // All pairs where there is room for them.
      const auto k =
          static_cast<int64_t>(SpecialPatterns(Info(input.shape.element_type()).component).size());
      const bool room = input.shape.element_count() >= k * k && input.number <= 1;
      use.stride = static_cast<uint64_t>(room && input.number == 1 ? k : 2 * input.number + 1);
    } else if (profile == ValueProfile::kAll) {
      // All pairs: the second operand stays while the first runs through its type.
      if (input.number == 1) use.stride = uint64_t{1} << Info(input.shape.element_type()).bits;
    } else {
      use.seed = Seed(input);
    }
    if (CheckProfile(use, input.shape).ok()) return use;
    use = {};
    use.seed = Seed(input);
    return use;
  }

  FixedInputs fixed_;
  std::map<int64_t, Literal> literals_;
  int64_t devices_;
  std::vector<Shape> leaves_, fed_;
  std::vector<InputNeeds> needs_;
};

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

std::vector<std::vector<size_t>> CoverPairs(const std::vector<size_t>& sizes) {
  std::vector<std::vector<size_t>> all = {{}};
  for (const size_t size : sizes) {
    std::vector<std::vector<size_t>> longer;
    for (const std::vector<size_t>& row : all) {
      for (size_t value = 0; value < size; ++value) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  if (all.size() <= kAllCombinations || sizes.size() < 2) return all;
  // Whether a pair of values of two choices is in no row yet. first[c] + value numbers all values.
  std::vector<size_t> first = {0};
  for (const size_t size : sizes) first.push_back(first.back() + size);
  const size_t values = first.back();
  std::vector<char> open(values * values, 1);
  size_t left = 0;
  for (size_t a = 0; a < sizes.size(); ++a) left += sizes[a] * (values - first[a + 1]);
  const auto for_pairs = [&](const std::vector<size_t>& row, auto visit) {
    for (size_t a = 0; a < row.size(); ++a) {
      for (size_t b = a + 1; b < row.size(); ++b) {
        visit(&open[(first[a] + row[a]) * values + first[b] + row[b]]);
      }
    }
  };
  // The row that closes most pairs, again and again.
  std::vector<std::vector<size_t>> rows;
  while (left > 0) {
    const std::vector<size_t>* best = nullptr;
    size_t most = 0;
    for (const std::vector<size_t>& row : all) {
      size_t closes = 0;
      for_pairs(row, [&closes](const char* pair) { closes += static_cast<size_t>(*pair); });
      if (closes > most) most = closes, best = &row;
    }
    for_pairs(*best, [](char* pair) { *pair = 0; });
    left -= most;
    rows.push_back(*best);
  }
  return rows;
}

absl::Status ExpandTemplate(const CaseTemplate& source, std::vector<CorpusCase>* cases) {
  std::vector<size_t> sizes;
  size_t combinations = 1;
  for (const CaseTemplate::Choice& choice : source.choices) {
    sizes.push_back(choice.values.size());
    combinations *= choice.values.size();
    if (combinations > kMostCombinations) {
      return absl::InvalidArgumentError(absl::StrCat(
          source.where, ": its choices have more combinations than ", kMostCombinations));
    }
  }
  for (const std::vector<size_t>& row : CoverPairs(sizes)) {
    bool admitted = false;
    std::string refusal;
    FixedInputs fixed;
    const Substitutions chosen = Chosen(source, row);
    const std::string named = FormOf(source, row);
    for (const std::string& line : source.inputs) {
      if (absl::Status read = ReadFixedInput(Substitute(line, chosen), &fixed); !read.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(source.where, ": ", read.message()));
      }
    }
    for (const ElementType type : source.types) {
      CorpusCase prototype;
      prototype.module = TextFor(source.module, chosen, type);
      if (absl::Status read = ReadProcesses(source, chosen, &prototype); !read.ok()) return read;
      prototype.where = source.where;
      absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(prototype.module);
      absl::Status status = module.status();
      if (status.ok()) {
        (*module)->replica_count = prototype.replicas;
        (*module)->num_partitions = prototype.partitions;
        status = VerificationStatus(VerifyModule(**module, {Rules::kStrict}));
      }
      if (!status.ok()) {
        refusal = std::string(status.message());
        continue;
      }
      if (source.op != kProgram) prototype.tags.push_back({"op", source.op});
      prototype.tags.push_back({"type", std::string(Name(type))});
      const std::string form = source.quick_first ? source.form : named;
      Variant variant(fixed, **module);
      if (absl::Status read = variant.ReadLiterals(chosen, type); !read.ok()) {
        refusal = std::string(read.message());
        continue;
      }
      admitted = true;
      for (const ValueProfile profile : source.profiles) {
        std::optional<std::vector<CaseArray>> inputs = variant.Inputs(profile);
        std::optional<std::vector<CaseArray>> infeed = variant.Infeed(profile);
        if (!inputs || !infeed) continue;
        CorpusCase made = prototype;
        const absl::string_view name = Info(profile).name;
        made.id = absl::StrCat(source.op, "/", Name(type), "/", named,
                               source.variant.empty() ? "" : ".", source.variant, "/", name);
        if (absl::Status legal = CheckId(made.id); !legal.ok()) {
          return absl::InvalidArgumentError(
              absl::StrCat(source.where, ": '", made.id, "': ", legal.message()));
        }
        made.tags.push_back({"profile", std::string(name)});
        made.tags.push_back({"form", form});
        made.tags.insert(made.tags.end(), source.tags.begin(), source.tags.end());
        for (const Freedom freedom : FreedomsAt(*(*module)->entry()->root(), profile)) {
          made.tags.push_back({"freedom", std::string(FreedomName(freedom))});
        }
        made.inputs = *std::move(inputs);
        made.infeed = *std::move(infeed);
        const bool real_numbers = IsFloat(type) || IsComplex(type);
        made.confirmed = real_numbers && !source.confirmed_floats.empty() ? source.confirmed_floats
                                                                          : source.confirmed;
        cases->push_back(std::move(made));
      }
    }
    if (!admitted) {
      return absl::InvalidArgumentError(absl::StrCat(source.where, ": variant ",
                                                     absl::StrJoin(row, "."),
                                                     " is admitted with no type: ", refusal));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<CorpusCase> ProgramCase(absl::string_view name, absl::string_view module_text,
                                       ValueProfile profile) {
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(module_text);
  if (!module.ok()) return module.status();
  CorpusCase made;
  made.module = std::string(module_text);
  made.replicas = (*module)->replica_count;
  made.partitions = (*module)->num_partitions;
  made.where = std::string(name);
  std::vector<Shape> results;
  AppendLeaves((*module)->entry()->root()->shape(), &results);
  const std::string type(results.empty() ? "pred" : Name(results[0].element_type()));
  made.id = absl::StrCat("program/", type, "/", name);
  made.tags = {{"type", type}, {"form", "program"}};
  std::optional<std::vector<CaseArray>> inputs = Variant({}, **module).Inputs(profile);
  if (!inputs) return absl::InvalidArgumentError(absl::StrCat(name, ": no arguments fit"));
  made.inputs = *std::move(inputs);
  return made;
}

absl::StatusOr<std::vector<CorpusCase>> ExpandTemplates(absl::string_view text,
                                                        absl::string_view name) {
  const absl::StatusOr<std::vector<CaseTemplate>> templates = ReadTemplates(text, name);
  if (!templates.ok()) return templates.status();
  std::vector<CorpusCase> cases;
  for (const CaseTemplate& source : *templates) {
    if (absl::Status status = ExpandTemplate(source, &cases); !status.ok()) return status;
  }
  return cases;
}

}  // namespace assay
