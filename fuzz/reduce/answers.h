// The answers of a target in a reduction, in a file, so that a reduction that was cut off goes on
// without asking again. A reduction asks the same questions in the same order every time; a
// question is known by the hash of its module and its values. Tests: reducer_test.cc,
// fuzz_cli_test.py.
#ifndef ASSAY_FUZZ_REDUCE_ANSWERS_H_
#define ASSAY_FUZZ_REDUCE_ANSWERS_H_

#include <fstream>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/device_io.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

// Returns the hash of a module and its values.
std::string QuestionHash(const Module& module, absl::Span<const DeviceInputs> inputs);

class ReductionAnswers {
 public:
  // Reads the answers that the file has for the reduction with this identity, and appends new ones
  // to it. A file of another reduction is replaced. Each answer is written at once: a process that
  // is killed loses the question that it asks.
  absl::Status Open(const std::string& path, absl::string_view identity);
  struct Answer {
    bool shows = false;
    bool is_earlier = false;  // of an earlier run
  };
  std::optional<Answer> Find(const std::string& question) const;
  void Add(const std::string& question, bool shows);
  // Removes the file of a reduction that has ended.
  void Remove();
  bool is_open() const { return !path_.empty(); }

 private:
  std::string path_;
  absl::flat_hash_map<std::string, Answer> known_;
  std::ofstream file_;
};

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_ANSWERS_H_
