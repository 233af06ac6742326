// Templates: one text that stands for the cases of an operation over element types, variants of
// shapes and attributes, and value profiles. The text of conformance/corpus/templates/*.templates
// (README.md there has the format). Tests: corpus_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_CASE_TEMPLATE_H_
#define ASSAY_CONFORMANCE_CORPUS_CASE_TEMPLATE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/corpus/corpus_case.h"

namespace assay::conformance {

struct CaseTemplate {
  // The name of templates of whole programs, which belong to no operation.
  static constexpr absl::string_view kProgram = "program";

  // Names that change together, and their values.
  struct Choice {
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> values;
  };

  std::string op;    // a name of the catalogue, or "program"
  std::string form;  // the rest of the name
  // Where a template is one of many of a form: which, for the ids of its cases.
  std::string variant;
  // The quick tier holds the first of the variants alone: their form is the same.
  bool quick_first = false;
  // Or each of the variants in this type, and one form of all others.
  std::optional<ElementType> quick_type;
  std::vector<ElementType> types;
  std::vector<ValueProfile> profiles;
  std::vector<Choice> choices;
  std::vector<CaseTag> tags;
  std::string module;  // with $T and the names of choices
  // Lines "arg1 = indices low=0 high=$n" or "arg1 = literal {1, $MAX}", with the names of choices.
  std::vector<std::string> inputs;
  std::string replicas = "1", partitions = "1";  // numbers, or names of choices
  // The independent reference of the cases, and that of float and complex types where it is
  // another.
  std::string confirmed;
  std::string confirmed_floats;
  std::string where;
};

// INVALID_ARGUMENT as "name:line: ..." for text that is no template.
absl::StatusOr<std::vector<CaseTemplate>> ReadTemplates(absl::string_view text,
                                                        absl::string_view name);

// Appends the cases: types that the operation does not admit are left out, profiles that have no
// values of a type too. INVALID_ARGUMENT for a template of which a variant is admitted with no
// type.
absl::Status ExpandTemplate(const CaseTemplate& source, std::vector<CorpusCase>* cases);

// The cases of all templates of a text. Errors as of both.
absl::StatusOr<std::vector<CorpusCase>> ExpandTemplates(absl::string_view text,
                                                        absl::string_view name);

// A whole program as the case program/TYPE/NAME, TYPE that of the first array of its result: on as
// many processes as its header says, with arguments of the profile, as far as it makes them, and
// indices in range.
// Errors of the parser; INVALID_ARGUMENT where no arguments of profiles fit.
absl::StatusOr<CorpusCase> ProgramCase(absl::string_view name, absl::string_view module_text,
                                       ValueProfile profile);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_CASE_TEMPLATE_H_
