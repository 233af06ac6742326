// Helpers of the interpreter's tests with several processes.
#ifndef ASSAY_INTERPRETER_PROCESS_TESTING_H_
#define ASSAY_INTERPRETER_PROCESS_TESTING_H_

#include <memory>
#include <string>
#include <vector>

#include "interpreter/testing.h"

namespace assay {

struct Grid {
  int64_t replicas = 1, partitions = 1;
};

// The results by process (of arrays what their sizes say is there), or the error. `argument` gives
// the only argument of process (r, p).
template <typename Argument>
std::vector<std::string> RunOn(Grid grid, absl::string_view text, Argument argument,
                               const PlanOptions& plan = {}) {
  std::unique_ptr<Module> module = MustParse(text);
  if (module == nullptr) return {"unparsed"};
  module->replica_count = grid.replicas;
  module->num_partitions = grid.partitions;
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned = PlannedModule::Create(*module, plan);
  if (!planned.ok()) return {planned.status().ToString()};
  Program program;
  program.module = planned->get();
  program.grid = {grid.replicas, grid.partitions};
  for (int64_t r = 0; r < grid.replicas; ++r) {
    for (int64_t p = 0; p < grid.partitions; ++p) {
      std::vector<Literal>& arguments = program.arguments.emplace_back();
      if (module->entry()->parameters().empty()) continue;
      arguments.push_back(MustParseLiteral(argument(r, p)));
    }
  }
  auto results = RunPrograms(absl::MakeConstSpan(&program, 1));
  if (!results.ok()) return {results.status().ToString()};
  std::vector<std::string> texts;
  for (const Literal& value : results->front()) {
    texts.push_back(PrintTypedLiteral(value.is_array() ? ValidBox(value) : value));
  }
  return texts;
}
inline std::vector<std::string> RunOn(Grid grid, absl::string_view text) {
  return RunOn(grid, text, [](int64_t, int64_t) { return std::string(); });
}

using Texts = std::vector<std::string>;

inline Texts Values(const Texts& texts) {
  Texts values;
  for (const std::string& text : texts) values.push_back(Canonical(text));
  return values;
}
inline Texts Values(size_t count, const std::string& text) { return Texts(count, Canonical(text)); }

}  // namespace assay

#endif  // ASSAY_INTERPRETER_PROCESS_TESTING_H_
