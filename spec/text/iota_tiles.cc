#include "spec/text/iota_tiles.h"

#include <algorithm>
#include <utility>

#include "spec/ir/attribute_values.h"

namespace assay {

std::optional<IotaTiles> IotaTiles::Create(const std::vector<int64_t>& tiles,
                                           const std::vector<int64_t>& reshape,
                                           const std::vector<int64_t>& transpose) {
  if (transpose.size() != reshape.size()) return std::nullopt;
  std::vector<int64_t> strides(reshape.size(), 1);
  for (size_t d = reshape.size(); d-- > 0;) {
    int64_t stride = 0;
    if (reshape[d] < 1 || __builtin_mul_overflow(strides[d], reshape[d], &stride)) {
      return std::nullopt;
    }
    if (d > 0) strides[d - 1] = stride;
  }
  std::vector<Factor> factors;
  for (int64_t d : transpose) {
    if (d < 0 || d >= static_cast<int64_t>(reshape.size())) return std::nullopt;
    if (reshape[d] != 1) factors.push_back({reshape[d], strides[d]});
  }
  IotaTiles result;
  size_t next = 0;
  for (int64_t size : tiles) {
    std::vector<Factor>& taken = result.tiles_.emplace_back();
    while (size > 1) {
      if (next == factors.size()) return std::nullopt;
      Factor& factor = factors[next];
      if (size % factor.size == 0) {
        taken.push_back(factor);
        size /= factor.size;
        ++next;
      } else if (factor.size % size == 0) {
        // The major part belongs to this tile dimension, the rest to the next ones.
        factor.size /= size;
        taken.push_back({size, factor.stride * factor.size});
        size = 1;
      } else {
        return std::nullopt;
      }
    }
  }
  if (next != factors.size()) return std::nullopt;
  return result;
}

void IotaTiles::Permute(const std::vector<int64_t>& order) {
  std::vector<std::vector<Factor>> permuted;
  permuted.reserve(order.size());
  for (int64_t d : order) permuted.push_back(tiles_[d]);
  tiles_ = std::move(permuted);
}

void IotaTiles::SortLast(int64_t count) {
  std::vector<Factor> run;
  for (size_t d = tiles_.size() - count; d < tiles_.size(); ++d) {
    run.insert(run.end(), tiles_[d].begin(), tiles_[d].end());
    tiles_[d].clear();
  }
  std::sort(run.begin(), run.end(),
            [](const Factor& a, const Factor& b) { return a.stride > b.stride; });
  tiles_.back() = std::move(run);
}

void IotaTiles::ToIota(std::vector<int64_t>* reshape, std::vector<int64_t>* transpose) const {
  std::vector<Factor> order;
  for (const auto& tile : tiles_) order.insert(order.end(), tile.begin(), tile.end());
  if (order.empty()) order.push_back({1, 1});
  std::vector<int64_t> rank(order.size());  // positions by descending stride: the iota's dimensions
  for (size_t i = 0; i < rank.size(); ++i) rank[i] = static_cast<int64_t>(i);
  std::sort(rank.begin(), rank.end(),
            [&](int64_t a, int64_t b) { return order[a].stride > order[b].stride; });
  reshape->clear();
  transpose->assign(order.size(), 0);
  for (size_t d = 0; d < rank.size(); ++d) {
    reshape->push_back(order[rank[d]].size);
    (*transpose)[rank[d]] = static_cast<int64_t>(d);
  }
  CanonicalizeIota(reshape, transpose);
}

}  // namespace assay
