#include "runtime/kept_bytes.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace assay::runtime {
namespace {

TEST(KeptBytes, BlocksInUseAreApartAndAligned) {
  for (int round = 0; round < 3; ++round) {
    std::vector<KeptBytes> blocks;
    for (int64_t size = 1; size < 400000; size *= 5) {
      blocks.emplace_back(size);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks.back().data()) % 64, 0u);
      std::memset(blocks.back().data(), static_cast<int>(blocks.size()), size);
    }
    int64_t size = 1;
    for (size_t i = 0; i < blocks.size(); ++i, size *= 5) {
      for (const int64_t at : {int64_t{0}, size / 2, size - 1}) {
        EXPECT_EQ(blocks[i].data()[at], static_cast<std::byte>(i + 1)) << i;
      }
    }
  }
}

TEST(KeptBytes, ABlockThatIsMovedIsReturnedOnce) {
  KeptBytes first(100);
  std::byte* const address = first.data();
  KeptBytes second = std::move(first);
  EXPECT_EQ(second.data(), address);
  first = KeptBytes(100);
  EXPECT_NE(first.data(), address);
  second = KeptBytes();
  EXPECT_EQ(second.data(), nullptr);
  KeptBytes third(100), fourth(100);
  EXPECT_NE(third.data(), fourth.data());
  EXPECT_NE(third.data(), first.data());
}

TEST(KeptBytes, AThreadMayReturnTheBlocksOfAnother) {
  KeptBytes made(1000);
  std::thread([block = std::move(made)]() mutable {
    std::memset(block.data(), 1, 1000);
    block = KeptBytes(10);
  }).join();
  EXPECT_EQ(KeptBytes(0).data(), nullptr);
}

}  // namespace
}  // namespace assay::runtime
