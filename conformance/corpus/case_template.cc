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
#include "absl/strings/strip.h"
#include "conformance/corpus/cover_pairs.h"
#include "conformance/corpus/fixed_inputs.h"
#include "conformance/corpus/freedom_tags.h"
#include "conformance/corpus/substitution.h"
#include "conformance/inputs/input_needs.h"
#include "spec/text/parser.h"
#include "spec/verify/verifier.h"

namespace assay::conformance {
namespace {

// The most combinations of the choices of one template. CoverPairs looks at all of them for each
// row that it takes.
constexpr size_t kMostCombinations = 10'000;

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

  // Returns true if an array without written elements has a dynamic dimension, whose current size
  // no value profile gives.
  bool GeneratesCurrentSizes() const {
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (leaves_[i].is_dynamic() && literals_.count(static_cast<int64_t>(i)) == 0) return true;
    }
    return std::any_of(fed_.begin(), fed_.end(),
                       [](const Shape& each) { return each.is_dynamic(); });
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

// One combination of a template's choices.
struct Combination {
  const CaseTemplate& source;
  Substitutions chosen;
  std::string form;  // its name
  FixedInputs fixed;
};

// The module of a combination with one element type, for as many devices as the case has. An error
// if the type does not admit it.
absl::StatusOr<std::unique_ptr<Module>> LegalModule(const CorpusCase& prototype) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(prototype.module);
  if (!module.ok()) return module;
  (*module)->replica_count = prototype.replicas;
  (*module)->num_partitions = prototype.partitions;
  absl::Status status = VerificationStatus(VerifyModule(**module, {Rules::kStrict}));
  if (!status.ok()) return status;
  return module;
}

// Adds what distinguishes the case of a value profile from its prototype: id, tags, confirmation.
absl::Status Complete(const Combination& combination, ElementType type, ValueProfile profile,
                      const Instruction& root, CorpusCase* made) {
  const CaseTemplate& source = combination.source;
  const absl::string_view name = Info(profile).name;
  made->id = absl::StrCat(source.op, "/", Name(type), "/", combination.form,
                          source.variant.empty() ? "" : ".", source.variant, "/", name);
  if (absl::Status legal = CheckId(made->id); !legal.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(source.where, ": '", made->id, "': ", legal.message()));
  }
  const bool one_form = source.quick_first || (source.quick_type && source.quick_type != type);
  made->tags.push_back({"profile", std::string(name)});
  made->tags.push_back({"form", one_form ? source.form : combination.form});
  made->tags.insert(made->tags.end(), source.tags.begin(), source.tags.end());
  for (const Freedom freedom : FreedomsAt(root, profile)) {
    made->tags.push_back({"freedom", std::string(FreedomName(freedom))});
  }
  const bool real_numbers = IsFloat(type) || IsComplex(type);
  made->confirmed =
      real_numbers && !source.confirmed_floats.empty() ? source.confirmed_floats : source.confirmed;
  return absl::OkStatus();
}

// Adds the cases of a combination with one element type, one for each value profile that has
// values for it. Stores why the type does not admit the combination in `refusal`, empty if it does.
absl::Status AddCases(const Combination& combination, ElementType type, std::string* refusal,
                      std::vector<CorpusCase>* cases) {
  const CaseTemplate& source = combination.source;
  refusal->clear();
  CorpusCase prototype;
  prototype.module = TextFor(source.module, combination.chosen, type);
  if (absl::Status read = ReadProcesses(source, combination.chosen, &prototype); !read.ok()) {
    return read;
  }
  prototype.where = source.where;
  const absl::StatusOr<std::unique_ptr<Module>> module = LegalModule(prototype);
  if (!module.ok()) {
    *refusal = std::string(module.status().message());
    return absl::OkStatus();
  }
  if (source.op != CaseTemplate::kProgram) prototype.tags.push_back({"op", source.op});
  prototype.tags.push_back({"type", std::string(Name(type))});
  Variant variant(combination.fixed, **module);
  if (absl::Status read = variant.ReadLiterals(combination.chosen, type); !read.ok()) {
    *refusal = std::string(read.message());
    return absl::OkStatus();
  }
  if (variant.GeneratesCurrentSizes()) {
    *refusal = "an array with a dynamic dimension has no value profile";
    return absl::OkStatus();
  }
  for (const ValueProfile profile : source.profiles) {
    std::optional<std::vector<CaseArray>> inputs = variant.Inputs(profile);
    std::optional<std::vector<CaseArray>> infeed = variant.Infeed(profile);
    if (!inputs || !infeed) continue;
    CorpusCase made = prototype;
    absl::Status status = Complete(combination, type, profile, *(*module)->entry()->root(), &made);
    if (!status.ok()) return status;
    made.inputs = *std::move(inputs);
    made.infeed = *std::move(infeed);
    cases->push_back(std::move(made));
  }
  return absl::OkStatus();
}

}  // namespace

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
    Combination combination = {source, Chosen(source, row), FormOf(source, row), {}};
    for (const std::string& line : source.inputs) {
      absl::Status read = ReadFixedInput(Substitute(line, combination.chosen), &combination.fixed);
      if (!read.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(source.where, ": ", read.message()));
      }
    }
    bool admitted = false;
    std::string last_refusal;
    for (const ElementType type : source.types) {
      std::string refusal;
      if (absl::Status added = AddCases(combination, type, &refusal, cases); !added.ok()) {
        return added;
      }
      if (refusal.empty()) {
        admitted = true;
      } else {
        last_refusal = std::move(refusal);
      }
    }
    if (!admitted) {
      return absl::InvalidArgumentError(absl::StrCat(source.where, ": variant ",
                                                     absl::StrJoin(row, "."),
                                                     " is admitted with no type: ", last_refusal));
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

}  // namespace assay::conformance
