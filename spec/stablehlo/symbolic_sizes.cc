#include "spec/stablehlo/symbolic_sizes.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace assay::stablehlo {
namespace {

// A recursive-descent reader of one expression.
class DimensionReader {
 public:
  DimensionReader(absl::string_view text, const std::map<std::string, int64_t>& values,
                  std::vector<std::string>* missing)
      : rest_(text), values_(values), missing_(missing) {}

  std::optional<int64_t> Read() {
    const int64_t value = Sum(0);
    SkipBlanks();
    if (!rest_.empty()) ok_ = false;
    return ok_ ? std::optional(value) : std::nullopt;
  }

 private:
  static constexpr int kMaxDepth = 50;
  void SkipBlanks() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }
  bool Take(absl::string_view token) {
    SkipBlanks();
    return absl::ConsumePrefix(&rest_, token);
  }
  int64_t Times(int64_t a, int64_t b) {
    int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) ok_ = false;
    return ok_ ? product : 0;
  }
  int64_t Sum(int depth) {
    int64_t total = Product(depth), next = 0;
    while (ok_) {
      if (Take("+")) {
        next = Product(depth);
        if (__builtin_add_overflow(total, next, &total)) ok_ = false;
      } else if (Take("-")) {
        next = Product(depth);
        if (__builtin_sub_overflow(total, next, &total)) ok_ = false;
      } else {
        break;
      }
    }
    return total;
  }
  int64_t Product(int depth) {
    int64_t value = Power(depth);
    while (ok_ && Take("*")) value = Times(value, Power(depth));
    return value;
  }
  int64_t Power(int depth) {
    const int64_t base = Factor(depth);
    if (!ok_ || !Take("^")) return base;
    const int64_t exponent = Factor(depth);
    if (exponent < 0 || exponent > 62) ok_ = false;
    int64_t value = 1;
    for (int64_t i = 0; ok_ && i < exponent; ++i) value = Times(value, base);
    return value;
  }
  int64_t Factor(int depth) {
    if (depth > kMaxDepth) ok_ = false;
    if (!ok_) return 0;
    if (Take("-")) return -Factor(depth + 1);
    if (Take("(")) {
      const int64_t value = Sum(depth + 1);
      if (!Take(")")) ok_ = false;
      return value;
    }
    SkipBlanks();
    size_t length = 0;
    while (
        length < rest_.size() &&
        (absl::ascii_isalnum(static_cast<unsigned char>(rest_[length])) || rest_[length] == '_')) {
      ++length;
    }
    const std::string word(rest_.substr(0, length));
    rest_.remove_prefix(length);
    int64_t number = 0;
    if (absl::SimpleAtoi(word, &number)) return number;
    if (Take("(")) return Call(word, depth);
    const auto found = values_.find(word);
    if (found != values_.end()) return found->second;
    if (!word.empty()) missing_->push_back(word);
    ok_ = false;
    return 0;
  }
  int64_t Call(const std::string& function, int depth) {
    const int64_t a = Sum(depth + 1);
    if (!Take(",")) ok_ = false;
    const int64_t b = ok_ ? Sum(depth + 1) : 1;
    if (!Take(")")) ok_ = false;
    if (function == "max") return std::max(a, b);
    if (function == "min") return std::min(a, b);
    if (!ok_ || b == 0 || b == -1) {
      ok_ = false;
      return 0;
    }
    const int64_t remainder = a % b;
    const bool down = remainder != 0 && (remainder < 0) != (b < 0);
    if (function == "floordiv") return a / b - (down ? 1 : 0);
    if (function == "mod") return remainder + (down ? b : 0);
    ok_ = false;
    return 0;
  }

  absl::string_view rest_;
  const std::map<std::string, int64_t>& values_;
  std::vector<std::string>* missing_;
  bool ok_ = true;
};

// "(2*b, max(c, 1))" at the start of the text: its parts.
std::vector<std::string> ListAt(absl::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    if (c == '(' && ++depth == 1) continue;
    if (c == ')' && --depth == 0) break;
    if (c == ',' && depth == 1) {
      parts.push_back(part);
      part.clear();
      continue;
    }
    part += c;
  }
  if (!absl::StripAsciiWhitespace(part).empty()) parts.push_back(part);
  return parts;
}

// The text of the specification in any shape assertion of the entry; empty when there is none.
absl::string_view SpecificationIn(const Operation& entry) {
  constexpr absl::string_view kStart = "polymorphic shapes specifications: ";
  for (const Region& region : entry.regions()) {
    for (const Block* block : region.blocks()) {
      for (const Operation* operation : block->operations) {
        const Attribute* message = operation->Find("error_message");
        if (message == nullptr) continue;
        const size_t start = message->text.find(kStart);
        if (start == absl::string_view::npos) continue;
        absl::string_view text = message->text.substr(start + kStart.size());
        return text.substr(0, text.find(". "));
      }
    }
  }
  return "";
}

bool IsOpen(const Type& type) {
  for (size_t d = 0; d < type.dimensions.size(); ++d) {
    if (type.dimensions[d] == kDynamic && (d >= type.bounds.size() || type.bounds[d] == kDynamic)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<int64_t> EvaluateDimension(absl::string_view expression,
                                         const std::map<std::string, int64_t>& values,
                                         std::vector<std::string>* missing) {
  return DimensionReader(expression, values, missing).Read();
}

std::optional<int64_t> SymbolicSizes::SizeOf(int64_t argument, int64_t dimension) const {
  const auto found = sizes.find(argument);
  if (found == sizes.end() || dimension >= static_cast<int64_t>(found->second.size())) {
    return std::nullopt;
  }
  return found->second[dimension];
}

std::string SymbolicSizes::Hint(int64_t argument, int64_t rank) const {
  if (!symbols.empty()) {
    std::set<std::string> names(symbols.begin(), symbols.end());
    std::vector<std::string> words;
    for (const std::string& name : names) words.push_back(absl::StrCat("--shape ", name, "=4"));
    return absl::StrJoin(words, " ");
  }
  return absl::StrCat("--shape arg", argument, "=", absl::StrJoin(std::vector<int>(rank, 4), "x"));
}

absl::StatusOr<SymbolicSizes> SolveSymbolicSizes(const Operation& entry,
                                                 const std::map<std::string, int64_t>& values) {
  SymbolicSizes result;
  absl::string_view text = SpecificationIn(entry);
  std::set<std::string> named;
  const auto& arguments = entry.regions()[0].blocks()[0]->arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i]->type()->kind != TypeKind::kTensor || !IsOpen(*arguments[i]->type())) continue;
    const size_t start = text.find(".shape = (");
    if (start == absl::string_view::npos) break;
    text.remove_prefix(start + absl::string_view(".shape = ").size());
    const std::vector<std::string> parts = ListAt(text);
    std::vector<std::optional<int64_t>>& sizes = result.sizes[static_cast<int64_t>(i)];
    for (const std::string& part : parts) {
      sizes.push_back(EvaluateDimension(part, values, &result.symbols));
      if (sizes.back() && *sizes.back() < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("the dimension ", part, " of argument ", i, " would be ", *sizes.back()));
      }
      for (std::string rest = part; !rest.empty();) {  // the words of the expression
        size_t length = 0;
        while (length < rest.size() &&
               (absl::ascii_isalnum(static_cast<unsigned char>(rest[length])) ||
                rest[length] == '_')) {
          ++length;
        }
        if (length > 0) named.insert(rest.substr(0, length));
        rest = rest.substr(std::max<size_t>(length, 1));
      }
    }
  }
  for (const auto& [name, value] : values) {
    if (named.count(name) == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the program has no symbolic dimension ", name,
          text.empty() && named.empty() ? "; sizes of arguments are given as --shape arg0=2x3"
                                        : ""));
    }
  }
  return result;
}

}  // namespace assay::stablehlo
