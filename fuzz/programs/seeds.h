// Parts of real modules as records: a subgraph is cut out of a module, changed, and joined with
// what the program has already. Which subgraph, and what is changed, is a choice of the record, so
// that the same bytes and the same modules give the same program. Tests: seeds_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_SEEDS_H_
#define ASSAY_FUZZ_PROGRAMS_SEEDS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "spec/ir/module.h"

namespace assay::fuzz {

class ProgramWriter;

// The instructions that subgraphs are cut from.
class SeedModules {
 public:
  // Takes from each module what a program may have: operations without effects, on static sizes,
  // whose values and work are within the limits that `IsSeed` names. Layouts, metadata and
  // shardings are left out.
  explicit SeedModules(std::vector<std::unique_ptr<Module>> modules);

  // Where a cut may end: instructions that compute, in the order of the modules.
  const std::vector<const Instruction*>& roots() const { return roots_; }
  bool IsSeed(const Instruction& instruction) const;
  // What tells these modules from others: a hash of their text.
  const std::string& hash() const { return hash_; }

 private:
  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<const Instruction*> roots_;
  std::string hash_;
};

// Writes a subgraph of the grammar's seeds: an instruction and up to nine others that it is
// computed from. What it takes from outside becomes an earlier value of the same shape, or a new
// one; now and then an instruction is exchanged for another of its kind, left out, or followed by a
// further one.
void WriteSeed(ProgramWriter& writer);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_SEEDS_H_
