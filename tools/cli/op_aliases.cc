#include "tools/cli/op_aliases.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "spec/nearest_name.h"

namespace assay::cli {
namespace {

// A name of JAX, NumPy, PyTorch, StableHLO or CHLO that is not HLO's with other punctuation, and
// the operations that it becomes: "a|b" is one or the other, "a b" is made of both, "..." stands
// for further ones.
struct Alias {
  absl::string_view name, operations;
};

constexpr Alias kAliases[] = {
    {"absolute", "abs"},
    {"addmm", "dot add"},
    {"all", "reduce"},
    {"amax", "reduce"},
    {"amin", "reduce"},
    {"any", "reduce"},
    {"approx_max_k", "custom-call"},
    {"approx_min_k", "custom-call"},
    {"approx_top_k", "custom-call"},
    {"arange", "iota"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan2"},
    {"arctan2", "atan2"},
    {"arctanh", "atanh"},
    {"argmax", "reduce"},
    {"argmin", "reduce"},
    {"argsort", "sort"},
    {"associative_scan", "slice concatenate pad ..."},
    {"atan", "atan2"},
    {"attention", "dot reduce exponential divide ..."},
    {"avg_pool", "reduce-window"},
    {"axis_index", "partition-id|replica-id"},
    {"batch_matmul", "dot"},
    {"batch_norm", "batch-norm-training|batch-norm-inference"},
    {"bessel_i0e", "abs multiply add divide select ..."},
    {"bessel_i1e", "abs multiply add divide select ..."},
    {"betainc", "while log exponential divide select ..."},
    {"bincount", "scatter"},
    {"bitcast_convert_type", "bitcast-convert"},
    {"bits", "rng-bit-generator"},
    {"bitwise_and", "and"},
    {"bitwise_not", "not"},
    {"bitwise_or", "or"},
    {"bitwise_xor", "xor"},
    {"bmm", "dot"},
    {"broadcast_in_dim", "broadcast"},
    {"broadcast_like", "broadcast"},
    {"broadcast_to", "broadcast"},
    {"broadcasted_iota", "iota"},
    {"case", "conditional"},
    {"cat", "concatenate"},
    {"ceiling", "ceil"},
    {"clip", "clamp"},
    {"clz", "count-leading-zeros"},
    {"collapse", "reshape"},
    {"composite", "call"},
    {"concat", "concatenate"},
    {"cond", "conditional"},
    {"conj", "real imag negate complex"},
    {"conv", "convolution"},
    {"conv2d", "convolution"},
    {"conv_general_dilated", "convolution"},
    {"conv_general_dilated_local", "dot ..."},
    {"conv_general_dilated_patches", "convolution"},
    {"conv_transpose", "convolution"},
    {"conv_with_general_padding", "convolution"},
    {"convert_element_type", "convert"},
    {"convolve", "convolution reverse"},
    {"correlate", "convolution"},
    {"cos", "cosine"},
    {"create_token", "after-all"},
    {"cross_entropy", "reduce exponential log ..."},
    {"cross_replica_sum", "all-reduce"},
    {"cumlogsumexp", "reduce-window"},
    {"cummax", "reduce-window"},
    {"cummin", "reduce-window"},
    {"cumprod", "reduce-window"},
    {"cumsum", "reduce-window"},
    {"custom_linear_solve", "while ..."},
    {"custom_root", "while ..."},
    {"det", "custom-call ..."},
    {"diagonal", "gather iota ..."},
    {"diff", "slice subtract"},
    {"digamma", "log divide multiply select ..."},
    {"div", "divide"},
    {"divmod", "divide remainder"},
    {"dot_general", "dot"},
    {"dot_product_attention", "dot reduce exponential divide ..."},
    {"dynamic_broadcast_in_dim", "broadcast"},
    {"dynamic_conv", "convolution"},
    {"dynamic_gather", "gather"},
    {"dynamic_index_in_dim", "dynamic-slice reshape"},
    {"dynamic_iota", "iota"},
    {"dynamic_pad", "pad"},
    {"dynamic_slice_in_dim", "dynamic-slice"},
    {"dynamic_update_index_in_dim", "dynamic-update-slice"},
    {"dynamic_update_slice_in_dim", "dynamic-update-slice"},
    {"eig", "custom-call"},
    {"eigh", "custom-call"},
    {"einsum", "dot transpose"},
    {"embedding", "gather"},
    {"empty", "broadcast"},
    {"eq", "compare"},
    {"equal", "compare"},
    {"erf_inv", "log sqrt multiply select ..."},
    {"erfc", "exponential multiply divide select ..."},
    {"exp", "exponential"},
    {"exp2", "multiply exponential"},
    {"expand_dims", "reshape"},
    {"expm1", "exponential-minus-one"},
    {"eye", "iota compare convert"},
    {"fftn", "fft"},
    {"flatten", "reshape"},
    {"flip", "reverse"},
    {"floor_divide", "divide remainder select ..."},
    {"floor_mod", "remainder select ..."},
    {"fori_loop", "while"},
    {"full", "broadcast"},
    {"full_like", "broadcast"},
    {"gather_nd", "gather"},
    {"ge", "compare"},
    {"gelu", "multiply add tanh ..."},
    {"greater", "compare"},
    {"gt", "compare"},
    {"hstack", "concatenate"},
    {"hypot", "maximum minimum divide sqrt multiply select"},
    {"identity", "iota compare convert"},
    {"if", "conditional"},
    {"ifft", "fft"},
    {"ifftn", "fft"},
    {"igamma", "while log exponential divide select ..."},
    {"igamma_grad_a", "while log exponential divide select ..."},
    {"igammac", "while log exponential divide select ..."},
    {"index_in_dim", "slice reshape"},
    {"index_select", "gather"},
    {"index_take", "gather"},
    {"inner", "dot"},
    {"integer_pow", "multiply"},
    {"inv", "custom-call ..."},
    {"invert", "not"},
    {"irfft", "fft"},
    {"isfinite", "is-finite"},
    {"isinf", "abs compare"},
    {"isnan", "compare"},
    {"layer_norm", "reduce subtract divide rsqrt multiply ..."},
    {"le", "compare"},
    {"left_shift", "shift-left"},
    {"less", "compare"},
    {"lgamma", "log add multiply select ..."},
    {"linspace", "iota divide multiply add ..."},
    {"log10", "log divide"},
    {"log1p", "log-plus-one"},
    {"log2", "log divide"},
    {"log_sigmoid", "log-plus-one exponential ..."},
    {"log_softmax", "reduce subtract exponential log"},
    {"logaddexp", "maximum subtract exponential log-plus-one select ..."},
    {"logical_and", "and"},
    {"logical_not", "not"},
    {"logical_or", "or"},
    {"logical_xor", "xor"},
    {"logsumexp", "reduce subtract exponential log add ..."},
    {"lt", "compare"},
    {"lu", "custom-call"},
    {"matmul", "dot"},
    {"max", "maximum|reduce"},
    {"max_pool", "reduce-window"},
    {"mean", "reduce divide"},
    {"median", "sort gather ..."},
    {"min", "minimum|reduce"},
    {"mm", "dot"},
    {"mod", "remainder"},
    {"moveaxis", "transpose"},
    {"mul", "multiply"},
    {"nan_to_num", "compare select"},
    {"ne", "compare"},
    {"neg", "negate"},
    {"negative", "negate"},
    {"next_after", "bitcast-convert compare select add ..."},
    {"nextafter", "bitcast-convert compare select add ..."},
    {"normal", "rng-bit-generator bitcast-convert subtract multiply ..."},
    {"not_equal", "compare"},
    {"one_hot", "iota compare convert"},
    {"ones", "broadcast"},
    {"ones_like", "broadcast"},
    {"optimization_barrier", "opt-barrier"},
    {"outer", "dot|multiply"},
    {"pbroadcast", "collective-broadcast"},
    {"permute", "transpose"},
    {"permute_dims", "transpose"},
    {"platform_dependent", "conditional"},
    {"pmax", "all-reduce"},
    {"pmean", "all-reduce divide"},
    {"pmin", "all-reduce"},
    {"polygamma", "log exponential divide multiply select ..."},
    {"population_count", "popcnt"},
    {"pow", "power"},
    {"ppermute", "collective-permute"},
    {"precv", "recv"},
    {"prod", "reduce"},
    {"psend", "send"},
    {"pshuffle", "collective-permute"},
    {"psum", "all-reduce"},
    {"psum_scatter", "reduce-scatter"},
    {"pswapaxes", "all-to-all"},
    {"qr", "custom-call"},
    {"ragged_dot_general", "ragged-dot"},
    {"random_gamma_grad", "while log exponential divide select ..."},
    {"ravel", "reshape"},
    {"real_dynamic_slice", "dynamic-slice"},
    {"reciprocal", "divide"},
    {"reduce_and", "reduce"},
    {"reduce_max", "reduce"},
    {"reduce_min", "reduce"},
    {"reduce_or", "reduce"},
    {"reduce_prod", "reduce"},
    {"reduce_sum", "reduce"},
    {"reduce_xor", "reduce"},
    {"relu", "maximum"},
    {"relu6", "clamp"},
    {"rem", "remainder"},
    {"repeat", "broadcast reshape"},
    {"rev", "reverse"},
    {"rfft", "fft"},
    {"rfftn", "fft"},
    {"right_shift", "shift-right-arithmetic|shift-right-logical"},
    {"rng_normal", "rng"},
    {"rng_uniform", "rng"},
    {"roll", "slice concatenate"},
    {"rot90", "reverse transpose"},
    {"round", "round-nearest-even|round-nearest-afz"},
    {"round_nearest_away", "round-nearest-afz"},
    {"scatter_add", "scatter"},
    {"scatter_apply", "scatter"},
    {"scatter_max", "scatter"},
    {"scatter_min", "scatter"},
    {"scatter_mul", "scatter"},
    {"scatter_nd", "scatter"},
    {"scatter_sub", "scatter"},
    {"searchsorted", "while gather compare select ..."},
    {"segment_sum", "scatter"},
    {"select_n", "select"},
    {"sigmoid", "logistic"},
    {"silu", "logistic multiply"},
    {"sin", "sine"},
    {"sinc", "sine divide select"},
    {"slice_in_dim", "slice"},
    {"slogdet", "custom-call ..."},
    {"softmax", "reduce subtract exponential divide"},
    {"softplus", "log-plus-one exponential maximum ..."},
    {"solve", "custom-call triangular-solve ..."},
    {"sort_key_val", "sort"},
    {"split", "slice"},
    {"square", "multiply"},
    {"squeeze", "reshape"},
    {"stack", "reshape concatenate"},
    {"std", "reduce divide subtract multiply sqrt"},
    {"sub", "subtract"},
    {"sum", "reduce"},
    {"svd", "custom-call"},
    {"swapaxes", "transpose"},
    {"swish", "logistic multiply"},
    {"switch", "conditional"},
    {"take", "gather"},
    {"take_along_axis", "gather"},
    {"tensordot", "dot transpose"},
    {"threefry2x32", "rng-bit-generator"},
    {"tile", "broadcast reshape"},
    {"top_k", "topk"},
    {"torch_index_select", "gather"},
    {"trace", "iota compare select reduce"},
    {"tri", "iota compare"},
    {"tril", "iota compare select"},
    {"triu", "iota compare select"},
    {"true_divide", "divide"},
    {"trunc", "abs floor sign ..."},
    {"uniform", "rng-bit-generator bitcast-convert subtract"},
    {"unstack", "slice reshape"},
    {"var", "reduce divide subtract multiply"},
    {"vdot", "dot"},
    {"view", "reshape"},
    {"vstack", "concatenate"},
    {"where", "select"},
    {"while_loop", "while"},
    {"with_sharding_constraint", "custom-call"},
    {"zeros", "broadcast"},
    {"zeros_like", "broadcast"},
    {"zeta", "power divide add select ..."},
};

// Without "stablehlo.", "jax.lax." and the like, in lower case with underscores: the documents of
// XLA write DynamicSlice.
std::string BareName(absl::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot != absl::string_view::npos) name.remove_prefix(dot + 1);
  std::string bare;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool begins_word =
        i > 0 && absl::ascii_isupper(name[i]) && absl::ascii_islower(name[i - 1]);
    if (begins_word) bare += '_';
    bare += name[i] == '-' ? '_' : absl::ascii_tolower(name[i]);
  }
  return bare;
}

const Alias* FindAlias(const std::string& bare) {
  const auto found = std::find_if(std::begin(kAliases), std::end(kAliases),
                                  [&](const Alias& alias) { return alias.name == bare; });
  return found == std::end(kAliases) ? nullptr : found;
}

}  // namespace

std::string AsHloName(absl::string_view name) {
  return absl::StrReplaceAll(BareName(name), {{"_", "-"}});
}

NamedOperations OperationsNamed(absl::string_view name) {
  if (const std::optional<Opcode> opcode = OpcodeFromName(name)) return {{*opcode}};
  const std::string bare = BareName(name);
  if (const std::optional<Opcode> opcode = OpcodeFromName(AsHloName(name))) return {{*opcode}};
  NamedOperations found;
  const Alias* const alias = FindAlias(bare);
  if (alias == nullptr) return found;
  found.is_composed = absl::StrContains(alias->operations, ' ');
  for (const absl::string_view each : absl::StrSplit(alias->operations, absl::ByAnyChar(" |"))) {
    if (const std::optional<Opcode> opcode = OpcodeFromName(each)) {
      found.opcodes.push_back(*opcode);
    } else {
      found.has_others = true;
    }
  }
  return found;
}

std::string NearestOperationName(absl::string_view name) {
  std::string nearest = NearestOpcodeName(AsHloName(name));
  if (!nearest.empty()) return nearest;
  const std::string bare = BareName(name);
  std::vector<std::string> aliases;
  for (const Alias& alias : kAliases) aliases.emplace_back(alias.name);
  constexpr size_t kShort = 6;  // any two names of fewer characters are near
  if (bare.size() >= kShort) return NearestName(bare, aliases);
  for (const std::string& alias : aliases) {
    const auto [shorter, longer] =
        std::minmax(alias, bare, [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (longer.size() == shorter.size() + 1 && absl::StartsWith(longer, shorter)) return alias;
  }
  return "";
}

std::vector<std::string> AliasesOf(Opcode opcode) {
  std::vector<std::string> names;
  const absl::string_view own = Info(opcode).name;
  for (const Alias& alias : kAliases) {
    const std::vector<absl::string_view> operations = absl::StrSplit(alias.operations, '|');
    if (alias.name != own && std::count(operations.begin(), operations.end(), own) > 0) {
      names.emplace_back(alias.name);
    }
  }
  return names;
}

}  // namespace assay::cli
