#include "runtime/custom_calls/linear_algebra/problem_shapes.h"

#include <algorithm>
#include <array>

#include "absl/strings/string_view.h"

namespace assay::runtime::custom_calls {
namespace {

// The sizes that letters stand for.
class Sizes {
 public:
  // False where a letter would stand for two sizes.
  bool Bind(char letter, int64_t size) {
    const int64_t known = Of(letter);
    if (known < 0) sizes_[letter - 'a'] = size;
    return known < 0 || known == size;
  }

 private:
  int64_t Of(char letter) const {
    if (letter == 'k') return std::min(sizes_['m' - 'a'], sizes_['n' - 'a']);
    if (letter == 'p') return std::max<int64_t>(sizes_['n' - 'a'] - 1, 0);
    return sizes_[letter - 'a'];
  }
  std::array<int64_t, 26> sizes_ = [] {
    std::array<int64_t, 26> none;
    none.fill(-1);
    return none;
  }();
};

}  // namespace

std::optional<Dimensions> BatchOf(const ProblemShapes& row, absl::Span<const Shape* const> operands,
                                  absl::Span<const Shape* const> results) {
  if (operands.size() != row.operands.size() || results.size() != row.results.size()) return {};
  std::optional<Dimensions> batch;
  Sizes sizes;
  const auto fits = [&](const Shape& shape, absl::string_view letters) {
    const auto inner = static_cast<int64_t>(letters.size()), outer = shape.rank() - inner;
    if (!shape.is_array() || shape.is_dynamic() || outer < 0) return false;
    const Dimensions before(shape.dimensions().begin(), shape.dimensions().begin() + outer);
    if (!batch) batch = before;
    if (*batch != before) return false;
    for (int64_t i = 0; i < inner; ++i) {
      if (!sizes.Bind(letters[i], shape.dimension(outer + i))) return false;
    }
    return true;
  };
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!fits(*operands[i], row.operands[i])) return {};
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!fits(*results[i], row.results[i])) return {};
  }
  return batch;
}

}  // namespace assay::runtime::custom_calls
