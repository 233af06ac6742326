#include "conformance/corpus/cover_pairs.h"

#include <utility>

namespace assay::conformance {
namespace {

constexpr size_t kAllCombinations = 12;

}  // namespace

std::vector<std::vector<size_t>> CoverPairs(const std::vector<size_t>& sizes) {
  std::vector<std::vector<size_t>> all = {{}};
  for (const size_t size : sizes) {
    std::vector<std::vector<size_t>> longer;
    for (const std::vector<size_t>& row : all) {
      for (size_t value = 0; value < size; ++value) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  if (all.size() <= kAllCombinations || sizes.size() < 2) return all;
  // Whether a pair of values of two choices is in no row yet. first[c] + value numbers all values.
  std::vector<size_t> first = {0};
  for (const size_t size : sizes) first.push_back(first.back() + size);
  const size_t values = first.back();
  std::vector<char> open(values * values, 1);
  size_t left = 0;
  for (size_t a = 0; a < sizes.size(); ++a) left += sizes[a] * (values - first[a + 1]);
  const auto for_pairs = [&](const std::vector<size_t>& row, auto visit) {
    for (size_t a = 0; a < row.size(); ++a) {
      for (size_t b = a + 1; b < row.size(); ++b) {
        visit(&open[(first[a] + row[a]) * values + first[b] + row[b]]);
      }
    }
  };
  // The row that closes most pairs, again and again.
  std::vector<std::vector<size_t>> rows;
  while (left > 0) {
    const std::vector<size_t>* best = nullptr;
    size_t most = 0;
    for (const std::vector<size_t>& row : all) {
      size_t closes = 0;
      for_pairs(row, [&closes](const char* pair) { closes += static_cast<size_t>(*pair); });
      if (closes > most) most = closes, best = &row;
    }
    for_pairs(*best, [](char* pair) { *pair = 0; });
    left -= most;
    rows.push_back(*best);
  }
  return rows;
}

}  // namespace assay::conformance
