// The attributes of a custom call: its backend_config as a dictionary, `{uplo = 76 : ui8}` or JSON,
// and what older dialects leave in frontend attributes. Tests:
// backends/factory/custom_call_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_ATTRIBUTES_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_ATTRIBUTES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/ir/module.h"

namespace assay::runtime::custom_calls {

class CallAttributes {
 public:
  // Entries of inner dictionaries count as those of the outermost one; what is no dictionary has no
  // entries.
  static CallAttributes Parse(absl::string_view text);
  static CallAttributes Of(const Instruction& instruction);

  // `otherwise` where the entry is absent or not of the type. true and false are 1 and 0.
  int64_t Int(absl::string_view name, int64_t otherwise) const;
  double Float(absl::string_view name, double otherwise) const;
  std::string String(absl::string_view name, absl::string_view otherwise) const;
  // The numbers of `[0, 1]`, `dense<[0, 1]>` or `array<i64: 0, 1>`; none where there is no such
  // list.
  std::vector<int64_t> Ints(absl::string_view name) const;
  // `dense<[[0, 1], [2, 3]]>`: its rows. A list that has none is one row.
  std::vector<std::vector<int64_t>> IntLists(absl::string_view name) const;
  // A letter, given as its code or as itself.
  char Letter(absl::string_view name, char otherwise) const;

 private:
  void Add(absl::string_view text);
  std::map<std::string, std::string, std::less<>> entries_;
  std::map<std::string, std::vector<std::vector<int64_t>>, std::less<>> lists_;
};

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_ATTRIBUTES_H_
