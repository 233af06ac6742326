// Helpers of the interpreter's tests: modules and literals from text.
#ifndef ASSAY_INTERPRETER_TESTING_H_
#define ASSAY_INTERPRETER_TESTING_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "spec/testing/must_parse.h"
#include "spec/testing/typed_literals.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay {

// The result as typed literal text, or the error.
inline std::string RunText(absl::string_view module_text,
                           const std::vector<absl::string_view>& arguments,
                           const PlanOptions& plan_options = {}, const RunOptions& options = {}) {
  std::unique_ptr<Module> module = MustParse(module_text);
  if (module == nullptr) return "unparsed";
  std::vector<Literal> literals;
  for (absl::string_view argument : arguments) literals.push_back(MustParseLiteral(argument));
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned =
      PlannedModule::Create(*module, plan_options);
  if (!planned.ok()) return planned.status().ToString();
  absl::StatusOr<Literal> result = (*planned)->Run(literals, options);
  return result.ok() ? PrintTypedLiteral(*result) : result.status().ToString();
}

}  // namespace assay

#endif  // ASSAY_INTERPRETER_TESTING_H_
