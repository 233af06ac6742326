// Reads the notation of constraint_rows.def. Test: constraints_test.cc.
#include <cassert>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "spec/stablehlo/constraint_terms.h"

namespace assay::stablehlo {
namespace {

using TermKind = ConstraintTerm::Kind;

bool IsWordCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// A parser by recursive descent: a function for each rank of operators.
class ConstraintParser {
 public:
  explicit ConstraintParser(absl::string_view text) : rest_(text) {}

  ConstraintTerm All() {
    ConstraintTerm term = Implication();
    SkipSpace();
    assert(rest_.empty() && "a constraint is read to its end");
    return term;
  }

 private:
  ConstraintTerm Implication() {
    const char* start = Start();
    ConstraintTerm left = Chain(0);
    if (!Take("=>")) return left;
    std::vector<ConstraintTerm> parts = {std::move(left)};
    parts.push_back(Implication());
    return Made(start, TermKind::kOperator, "=>", std::move(parts));
  }

  // Operators of one rank, from left to right. Those of comparisons are one term with all sides.
  ConstraintTerm Chain(size_t rank) {
    static const auto* const operators = new std::vector<std::vector<absl::string_view>>{
        {"or "}, {"and "}, {"<=", "<", "!=", "="}, {"+", "-"}, {"*", "/", "%"}};
    if (rank == operators->size()) return Factor();
    const char* start = Start();
    ConstraintTerm left = Chain(rank + 1);
    std::vector<ConstraintTerm> compared;
    while (true) {
      absl::string_view found;
      for (const absl::string_view candidate : (*operators)[rank]) {
        if (found.empty() && Take(candidate)) found = candidate;
      }
      if (found.empty()) break;
      std::vector<ConstraintTerm> parts = {left};
      parts.push_back(Chain(rank + 1));
      if (rank == 2) left = parts[1];
      ConstraintTerm term = Made(start, TermKind::kOperator, found, std::move(parts));
      if (rank == 2) {
        compared.push_back(std::move(term));
      } else {
        left = std::move(term);
      }
    }
    if (compared.empty()) return left;
    if (compared.size() == 1) return std::move(compared[0]);
    return Made(start, TermKind::kOperator, "and ", std::move(compared));
  }

  ConstraintTerm Factor() {
    const char* start = Start();
    if (Take("(")) {
      ConstraintTerm inner = Implication();
      Expect(")");
      return inner;
    }
    const bool negative = Take("-");
    SkipSpace();
    size_t length = 0;
    while (length < rest_.size() && IsWordCharacter(rest_[length])) ++length;
    assert(length > 0 && "a constraint has a word here");
    const absl::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    ConstraintTerm term = Made(start, TermKind::kName, word, {});
    if (absl::SimpleAtoi(word, &term.number)) {
      term.kind = TermKind::kNumber;
      if (negative) term.number = -term.number;
      return term;
    }
    assert(!negative);
    if (absl::ConsumePrefix(&rest_, "...")) return Made(start, TermKind::kEach, word, {});
    if (!Take("(")) return term;
    std::vector<ConstraintTerm> arguments;
    do {
      arguments.push_back(Chain(0));
    } while (Take(","));
    Expect(")");
    return Made(start, TermKind::kCall, word, std::move(arguments));
  }

  ConstraintTerm Made(const char* start, TermKind kind, absl::string_view word,
                      std::vector<ConstraintTerm> parts) const {
    ConstraintTerm term;
    term.kind = kind;
    term.word = word;
    term.text = absl::string_view(start, static_cast<size_t>(rest_.data() - start));
    term.parts = std::move(parts);
    return term;
  }

  void SkipSpace() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }
  bool Take(absl::string_view symbol) {
    SkipSpace();
    if (symbol == "=" && rest_.substr(0, 2) == "=>") return false;
    return absl::ConsumePrefix(&rest_, symbol);
  }
  void Expect(absl::string_view symbol) {
    [[maybe_unused]] const bool found = Take(symbol);
    assert(found && "a parenthesis is closed");
  }
  const char* Start() {
    SkipSpace();
    return rest_.data();
  }

  absl::string_view rest_;
};

}  // namespace

ConstraintTerm ParseConstraint(absl::string_view text) { return ConstraintParser(text).All(); }

}  // namespace assay::stablehlo
