// Tiles of devices given as an iota, cut into the factors that its dimensions and the tile
// dimensions share, so that tile dimensions can be permuted and sorted without listing the devices.
// Private to the sharding reader. Tests: sharding_text_test.cc.
#ifndef ASSAY_SPEC_TEXT_IOTA_TILES_H_
#define ASSAY_SPEC_TEXT_IOTA_TILES_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace assay {

class IotaTiles {
 public:
  // The iota 0..n-1 shaped by `reshape`, transposed by `transpose`, seen as an array of sizes
  // `tiles`. None where the sizes do not agree or the dimensions do not fall on common factors.
  static std::optional<IotaTiles> Create(const std::vector<int64_t>& tiles,
                                         const std::vector<int64_t>& reshape,
                                         const std::vector<int64_t>& transpose);
  // Reorders the tile dimensions.
  void Permute(const std::vector<int64_t>& order);
  // Sorts the devices within each run of the last `count` tile dimensions.
  void SortLast(int64_t count);
  // The iota that yields this order, canonical.
  void ToIota(std::vector<int64_t>* reshape, std::vector<int64_t>* transpose) const;

 private:
  struct Factor {
    int64_t size;
    int64_t stride;  // what one step adds to the device number
  };
  std::vector<std::vector<Factor>> tiles_;  // per tile dimension, major first
};

}  // namespace assay

#endif  // ASSAY_SPEC_TEXT_IOTA_TILES_H_
