// Sizes of arguments from the values of symbolic dimensions. JAX's exports say in the messages of
// their shape assertions how each argument's sizes follow from the symbols: "args[0].shape = (2*b,
// 3*c)". Test: lowering_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_SYMBOLIC_SIZES_H_
#define ASSAY_SPEC_STABLEHLO_SYMBOLIC_SIZES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

class SymbolicSizes {
 public:
  // The size of a dimension of an argument; nullopt where nothing says it.
  std::optional<int64_t> SizeOf(int64_t argument, int64_t dimension) const;
  // How a user can say the sizes of an argument: "--shape b=4" or "--shape arg0=2x3".
  std::string Hint(int64_t argument, int64_t rank) const;

  std::map<int64_t, std::vector<std::optional<int64_t>>> sizes;
  std::vector<std::string> symbols;  // those that have no value
};

// INVALID_ARGUMENT for values of symbols that the program does not have, and for sizes that a value
// makes negative.
absl::StatusOr<SymbolicSizes> SolveSymbolicSizes(const Operation& entry,
                                                 const std::map<std::string, int64_t>& values);

// The value of an expression of symbols in JAX's spelling: "2*b + 1", "floordiv(b, 2)", "b^2",
// "max(b, c)". nullopt where a symbol has no value or the spelling is not understood; such symbols
// are added to `missing`.
std::optional<int64_t> EvaluateDimension(absl::string_view expression,
                                         const std::map<std::string, int64_t>& values,
                                         std::vector<std::string>* missing);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_SYMBOLIC_SIZES_H_
