// Helpers of the tests of custom calls, which run on each backend that shares them.
#ifndef ASSAY_BACKENDS_FACTORY_CUSTOM_CALL_TESTING_H_
#define ASSAY_BACKENDS_FACTORY_CUSTOM_CALL_TESTING_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backends/factory/factory.h"
#include "gtest/gtest.h"
#include "spec/testing/must_parse.h"
#include "spec/testing/typed_literals.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay {

inline constexpr const char* kBackendsWithCalls[] = {"golden", "cpu", "cpu:plain", "cuda-emulated"};

inline absl::StatusOr<Literal> RunOn(absl::string_view backend, const Module& module,
                                     const std::vector<Literal>& arguments,
                                     const BackendOptions& options = {}) {
  auto made = MakeBackend(BuiltInBackends(), backend, options);
  if (!made.ok()) return made.status();
  return RunOnce(**made, module, arguments);
}

// The result as typed literal text, or the error.
inline std::string RunText(absl::string_view backend, absl::string_view module_text,
                           const std::vector<absl::string_view>& arguments,
                           const BackendOptions& options = {}) {
  std::unique_ptr<Module> module = MustParse(module_text);
  if (module == nullptr) return "unparsed";
  std::vector<Literal> literals;
  for (absl::string_view argument : arguments) literals.push_back(MustParseLiteral(argument));
  absl::StatusOr<Literal> result = RunOn(backend, *module, literals, options);
  return result.ok() ? PrintTypedLiteral(*result) : result.status().ToString();
}

// A module whose entry makes one call; the parameters have these shapes.
inline std::string CallText(absl::string_view target, absl::string_view shape,
                            const std::vector<std::string>& parameters,
                            absl::string_view more = "") {
  std::string text = "HloModule m\nENTRY e {\n";
  std::string operands;
  for (size_t i = 0; i < parameters.size(); ++i) {
    absl::StrAppend(&text, "  p", i, " = ", parameters[i], " parameter(", i, ")\n");
    absl::StrAppend(&operands, i == 0 ? "" : ", ", "p", i);
  }
  return absl::StrCat(text, "  ROOT r = ", shape, " custom-call(", operands,
                      "), custom_call_target=\"", target, "\"", more, "\n}\n");
}

}  // namespace assay

#endif  // ASSAY_BACKENDS_FACTORY_CUSTOM_CALL_TESTING_H_
