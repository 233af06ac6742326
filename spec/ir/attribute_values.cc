// The canonical form of an iota over devices. Test: printer_test.cc.
#include "spec/ir/attribute_values.h"

#include <utility>

namespace assay {
void CanonicalizeIota(std::vector<int64_t>* reshape_dims, std::vector<int64_t>* transpose_perm) {
  const std::vector<int64_t>& dims = *reshape_dims;
  if (dims.empty() || !IsPermutation(*transpose_perm, static_cast<int64_t>(dims.size()))) return;
  // Group, in the order of the permutation, the dimensions that follow each other there as they do
  // in the array; those of size 1 stand nowhere.
  std::vector<int64_t> wide;
  std::vector<int64_t> rank_of(dims.size(), -1);  // among the dimensions that are not 1
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    rank_of[d] = static_cast<int64_t>(wide.size());
    wide.push_back(dims[d]);
  }
  struct Group {
    int64_t first, last, size;
  };
  std::vector<Group> groups;
  for (int64_t d : *transpose_perm) {
    const int64_t rank = rank_of[d];
    if (rank < 0) continue;
    if (!groups.empty() && groups.back().last + 1 == rank) {
      groups.back().last = rank;
      // A product that wraps belongs to a list that no device count admits.
      groups.back().size = static_cast<int64_t>(static_cast<uint64_t>(groups.back().size) *
                                                static_cast<uint64_t>(dims[d]));
    } else {
      groups.push_back({rank, rank, dims[d]});
    }
  }
  if (groups.empty()) groups.push_back({0, 0, 1});
  // Number the groups by where they begin in the array.
  std::vector<int64_t> number(wide.size() + 1, -1);
  for (size_t g = 0; g < groups.size(); ++g) number[groups[g].first] = static_cast<int64_t>(g);
  std::vector<int64_t> sizes;
  std::vector<int64_t> perm(groups.size());
  for (int64_t g : number) {
    if (g < 0) continue;
    perm[g] = static_cast<int64_t>(sizes.size());
    sizes.push_back(groups[g].size);
  }
  *reshape_dims = std::move(sizes);
  *transpose_perm = std::move(perm);
}

}  // namespace assay
