// Measures how many elements of the results of programs a profile judges: each element is replaced
// by a number far away, which a judge that decides anything calls wrong. `assay fuzz --judgeable`
// prints the table. Tests: campaign_test.cc.
#ifndef ASSAY_FUZZ_CAMPAIGN_JUDGEABILITY_H_
#define ASSAY_FUZZ_CAMPAIGN_JUDGEABILITY_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "conformance/profiles/profile.h"
#include "fuzz/programs/program.h"
#include "interpreter/interpreter.h"

namespace assay::fuzz {

// Returns a value that is far from the element: the other sign and another magnitude, a number in
// place of NaN.
Element FarFrom(ElementType type, Element element);

class Judgeability {
 public:
  Judgeability(const conformance::TargetProfile& profile, const RunBudget& budget)
      : profile_(profile), budget_(budget) {}

  // Judges one array of the result, `turn` modulo their number, with every element far from golden.
  // Programs that the profile does not support or that exceed the budget are not counted.
  void Add(const FuzzProgram& program, int64_t turn);

  struct Count {
    int64_t arrays = 0, elements = 0;
    int64_t inconclusive = 0;  // elements that the judge does not decide
    int64_t admitted = 0;      // elements for which even the number far away conforms
    double shares = 0;         // the sum over arrays of their share of both
    // The mean over arrays, so that an array of many elements does not count for more.
    double Mean() const { return shares / static_cast<double>(std::max<int64_t>(arrays, 1)); }
  };
  // By the operation that gives the array.
  const std::map<std::string, Count>& operations() const { return operations_; }
  Count total() const;
  // Returns a table with a row for each operation that has elements which are not judged, the
  // largest shares first.
  std::string Markdown() const;

 private:
  const conformance::TargetProfile& profile_;
  const RunBudget budget_;
  std::map<std::string, Count> operations_;
};

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_CAMPAIGN_JUDGEABILITY_H_
