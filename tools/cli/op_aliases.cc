#include "tools/cli/op_aliases.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

namespace assay {
namespace {

// A name of JAX, NumPy or StableHLO that is not HLO's with other punctuation, and the operations
// that it becomes, separated by blanks.
struct Alias {
  absl::string_view name, operations;
};

constexpr Alias kAliases[] = {
    {"argmax", "reduce"},
    {"argmin", "reduce"},
    {"bitcast_convert_type", "bitcast-convert"},
    {"bitwise_and", "and"},
    {"bitwise_not", "not"},
    {"bitwise_or", "or"},
    {"bitwise_xor", "xor"},
    {"broadcast_in_dim", "broadcast"},
    {"broadcast_to", "broadcast"},
    {"case", "conditional"},
    {"clip", "clamp"},
    {"clz", "count-leading-zeros"},
    {"composite", "call"},
    {"concat", "concatenate"},
    {"cond", "conditional"},
    {"conv", "convolution"},
    {"conv_general_dilated", "convolution"},
    {"convert_element_type", "convert"},
    {"cos", "cosine"},
    {"create_token", "after-all"},
    {"cummax", "reduce-window"},
    {"cummin", "reduce-window"},
    {"cumprod", "reduce-window"},
    {"cumsum", "reduce-window"},
    {"div", "divide"},
    {"dot_general", "dot"},
    {"einsum", "dot transpose"},
    {"eq", "compare"},
    {"equal", "compare"},
    {"exp", "exponential"},
    {"expand_dims", "reshape"},
    {"expm1", "exponential-minus-one"},
    {"flip", "reverse"},
    {"fori_loop", "while"},
    {"full", "broadcast"},
    {"ge", "compare"},
    {"greater", "compare"},
    {"gt", "compare"},
    {"if", "conditional"},
    {"integer_pow", "multiply"},
    {"invert", "not"},
    {"le", "compare"},
    {"less", "compare"},
    {"log1p", "log-plus-one"},
    {"lt", "compare"},
    {"matmul", "dot"},
    {"max", "maximum reduce"},
    {"min", "minimum reduce"},
    {"mod", "remainder"},
    {"mul", "multiply"},
    {"ne", "compare"},
    {"neg", "negate"},
    {"not_equal", "compare"},
    {"optimization_barrier", "opt-barrier"},
    {"population_count", "popcnt"},
    {"pow", "power"},
    {"ppermute", "collective-permute"},
    {"prod", "reduce"},
    {"psum", "all-reduce"},
    {"psum_scatter", "reduce-scatter"},
    {"reduce_max", "reduce"},
    {"reduce_min", "reduce"},
    {"reduce_prod", "reduce"},
    {"reduce_sum", "reduce"},
    {"relu", "maximum"},
    {"rem", "remainder"},
    {"rev", "reverse"},
    {"round", "round-nearest-even round-nearest-afz"},
    {"scatter_add", "scatter"},
    {"select_n", "select"},
    {"sigmoid", "logistic"},
    {"sin", "sine"},
    {"squeeze", "reshape"},
    {"sub", "subtract"},
    {"sum", "reduce"},
    {"take", "gather"},
    {"threefry2x32", "rng-bit-generator"},
    {"top_k", "topk"},
    {"where", "select"},
    {"while_loop", "while"},
};

// Without "stablehlo.", "jax.lax." and the like, in lower case.
std::string BareName(absl::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot != absl::string_view::npos) name.remove_prefix(dot + 1);
  return absl::AsciiStrToLower(name);
}

}  // namespace

std::vector<Opcode> OperationsNamed(absl::string_view name) {
  if (const std::optional<Opcode> opcode = OpcodeFromName(name)) return {*opcode};
  const std::string bare = BareName(name);
  const std::string hlo = absl::StrReplaceAll(bare, {{"_", "-"}});
  if (const std::optional<Opcode> opcode = OpcodeFromName(hlo)) return {*opcode};
  std::vector<Opcode> found;
  for (const Alias& alias : kAliases) {
    if (alias.name != bare) continue;
    for (const absl::string_view each : absl::StrSplit(alias.operations, ' ')) {
      if (const std::optional<Opcode> opcode = OpcodeFromName(each)) found.push_back(*opcode);
    }
  }
  return found;
}

std::vector<std::string> AliasesOf(Opcode opcode) {
  std::vector<std::string> names;
  const absl::string_view own = Info(opcode).name;
  for (const Alias& alias : kAliases) {
    const std::vector<absl::string_view> operations = absl::StrSplit(alias.operations, ' ');
    if (alias.name != own && std::count(operations.begin(), operations.end(), own) > 0) {
      names.emplace_back(alias.name);
    }
  }
  return names;
}

}  // namespace assay
