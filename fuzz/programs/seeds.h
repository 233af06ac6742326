// Subgraphs of real modules: a record cuts a subgraph out of a module, mutates it, and connects it
// to values of the program. The record chooses the subgraph and the mutations, so that the same
// bytes and modules give the same program. Tests: seeds_test.cc.
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
  // Takes instructions from each module that a program may have: operations without effects on
  // static sizes within the limits of `IsSeed`. Layouts, metadata and shardings are removed.
  explicit SeedModules(std::vector<std::unique_ptr<Module>> modules);

  // Returns the possible roots of a subgraph: instructions that compute, in the order of the
  // modules.
  const std::vector<const Instruction*>& roots() const { return roots_; }
  bool IsSeed(const Instruction& instruction) const;
  // Returns a hash of the modules' text.
  const std::string& hash() const { return hash_; }

 private:
  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<const Instruction*> roots_;
  std::string hash_;
};

// Writes a subgraph of the grammar's seeds: an instruction and up to nine of its producers. Its
// operands from outside become earlier values of the same shape, or new ones. Some instructions are
// replaced by similar ones, removed, or followed by another one.
void WriteSeed(ProgramWriter& writer);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_SEEDS_H_
