// The packed results of a run's cases. A passing case takes about 200 bytes instead of 1,500. A
// result is unpacked on access.
// Tests: case_results_test.cc, runner_memory_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_CASE_RESULTS_H_
#define ASSAY_CONFORMANCE_RUNNER_CASE_RESULTS_H_

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace assay::conformance {

struct CaseResult;

class CaseResults {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = CaseResult;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = CaseResult;

    Iterator(const CaseResults& results, size_t place) : results_(&results), place_(place) {}
    CaseResult operator*() const;
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.place_ == b.place_; }

   private:
    const CaseResults* results_;
    size_t place_;
  };

  CaseResults() = default;
  CaseResults(std::initializer_list<CaseResult> results);

  void push_back(const CaseResult& result);
  void Append(CaseResults other);
  size_t size() const { return packed_.size(); }
  bool empty() const { return packed_.empty(); }
  Iterator begin() const { return Iterator(*this, 0); }
  Iterator end() const { return Iterator(*this, size()); }
  CaseResult operator[](size_t place) const;
  absl::string_view IdOf(size_t place) const;
  void Change(size_t place, const std::function<void(CaseResult&)>& change);
  void SortById();

 private:
  std::vector<std::string> packed_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_CASE_RESULTS_H_
