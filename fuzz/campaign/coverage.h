// What programs have, as tables: operations by element type, operations by attribute, and which
// operation takes what another gives. Behind `assay fuzz --coverage`. Tests: campaign_test.cc.
#ifndef ASSAY_FUZZ_CAMPAIGN_COVERAGE_H_
#define ASSAY_FUZZ_CAMPAIGN_COVERAGE_H_

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

class Coverage {
 public:
  void Add(const Module& module);
  int64_t programs() const { return programs_; }

  // What is legal and in no program: operations with an element type, with an attribute, and an
  // elementwise operation before another that takes what it gives.
  std::vector<std::pair<Opcode, ElementType>> EmptyTypes() const;
  std::vector<std::pair<Opcode, Attr>> EmptyAttributes() const;
  std::vector<std::pair<Opcode, Opcode>> EmptyPairs() const;

  // A page of Markdown: a row for each operation, and what stays empty by name.
  std::string Markdown() const;

 private:
  using Producers = std::array<int64_t, kOpcodeCount>;
  bool MayMeet(Opcode producer, Opcode consumer) const;

  int64_t programs_ = 0, instructions_ = 0;
  // By operation and by type of an operand or a result.
  std::array<std::array<int64_t, 64>, kOpcodeCount> types_{};
  std::array<absl::flat_hash_map<Attr, int64_t>, kOpcodeCount> attributes_;
  std::array<Producers, kOpcodeCount> producers_{};  // by consumer
  std::array<std::array<bool, 64>, kOpcodeCount> results_{};
  std::array<int64_t, kOpcodeCount> count_{};
};

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_CAMPAIGN_COVERAGE_H_
