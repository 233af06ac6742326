// Coverage tables of programs: operations by element type, operations by attribute, pairs of
// producer and consumer, and the clauses that illegal programs violate. `assay fuzz --coverage`
// prints them. Tests: campaign_test.cc.
#ifndef ASSAY_FUZZ_CAMPAIGN_COVERAGE_H_
#define ASSAY_FUZZ_CAMPAIGN_COVERAGE_H_

#include <array>
#include <cstdint>
#include <map>
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
  // Counts an illegal program that violates the clause: a near miss, or a changed program.
  void AddIllegal(const std::string& clause, bool is_near_miss) {
    ++(is_near_miss ? broken_[clause].near_misses : broken_[clause].changes);
  }

  // Return legal combinations that no program has: operations with an element type, operations with
  // an attribute, and elementwise producers of elementwise operations.
  std::vector<std::pair<Opcode, ElementType>> EmptyTypes() const;
  std::vector<std::pair<Opcode, Attr>> EmptyAttributes() const;
  std::vector<std::pair<Opcode, Opcode>> EmptyPairs() const;

  // Returns a Markdown page with a row for each operation, a list of the missing combinations, and
  // the violated clauses.
  std::string Markdown() const;

 private:
  using Producers = std::array<int64_t, kOpcodeCount>;
  struct Broken {
    int64_t near_misses = 0, changes = 0;
  };
  bool MayMeet(Opcode producer, Opcode consumer) const;
  std::string IllegalTable() const;

  int64_t programs_ = 0, instructions_ = 0;
  // Indexed by operation and by the type of an operand or a result.
  std::array<std::array<int64_t, 64>, kOpcodeCount> types_{};
  std::array<absl::flat_hash_map<Attr, int64_t>, kOpcodeCount> attributes_;
  std::array<Producers, kOpcodeCount> producers_{};  // by consumer
  std::array<std::array<bool, 64>, kOpcodeCount> results_{};
  std::array<int64_t, kOpcodeCount> count_{};
  std::map<std::string, Broken> broken_;  // by clause
};

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_CAMPAIGN_COVERAGE_H_
