#include "fuzz/campaign/coverage.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/programs/grammar.h"

namespace assay::fuzz {
namespace {

constexpr size_t At(Opcode opcode) { return static_cast<size_t>(opcode); }

// Types of arrays in an operand, a result, or the elements of a tuple.
template <typename Found>
void ForEachType(const Shape& shape, Found found) {
  for (const Shape* leaf : Leaves(shape)) {
    if (leaf->is_array()) found(leaf->element_type());
  }
}

// The operations that programs may be expected to have: those with a row in the grammar.
std::vector<Opcode> Written() {
  std::vector<Opcode> opcodes;
  for (const Row& row : Rows()) opcodes.push_back(row.opcode);
  return opcodes;
}

}  // namespace

void Coverage::Add(const Module& module) {
  ++programs_;
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      const size_t own = At(each->opcode());
      ++instructions_;
      ++count_[own];
      const auto count = [&](ElementType type) { ++types_[own][static_cast<size_t>(type)]; };
      for (const Instruction* operand : each->operands()) ForEachType(operand->shape(), count);
      ForEachType(each->shape(), count);
      ForEachType(each->shape(),
                  [&](ElementType type) { results_[own][static_cast<size_t>(type)] = true; });
      for (const auto& [attr, value] : each->attributes().entries()) ++attributes_[own][attr];
      for (const Instruction* operand : each->operands()) ++producers_[own][At(operand->opcode())];
    }
  }
}

std::vector<std::pair<Opcode, ElementType>> Coverage::EmptyTypes() const {
  std::vector<std::pair<Opcode, ElementType>> empty;
  for (const Opcode opcode : Written()) {
    for (const ElementType type : LegalTypes(opcode)) {
      if (types_[At(opcode)][static_cast<size_t>(type)] == 0) empty.emplace_back(opcode, type);
    }
  }
  return empty;
}

std::vector<std::pair<Opcode, Attr>> Coverage::EmptyAttributes() const {
  std::vector<std::pair<Opcode, Attr>> empty;
  for (const Opcode opcode : Written()) {
    for (const AttributeUse& use : Info(opcode).attributes) {
      if (!attributes_[At(opcode)].contains(use.attr)) empty.emplace_back(opcode, use.attr);
    }
  }
  return empty;
}

// Whether an operation may take what an elementwise one gives: a type of results that there were.
bool Coverage::MayMeet(Opcode producer, Opcode consumer) const {
  const OpInfo &from = Info(producer), &to = Info(consumer);
  if (to.arity == 0 || !from.elementwise()) return false;
  if (to.family == Family::kControl || to.family == Family::kCollective) return false;
  const absl::Span<const ElementType> taken = LegalTypes(consumer);
  return std::any_of(taken.begin(), taken.end(), [&](ElementType type) {
    return results_[At(producer)][static_cast<size_t>(type)];
  });
}

std::vector<std::pair<Opcode, Opcode>> Coverage::EmptyPairs() const {
  std::vector<std::pair<Opcode, Opcode>> empty;
  for (const Opcode producer : Written()) {
    for (const Opcode consumer : Written()) {
      if (!MayMeet(producer, consumer)) continue;
      if (producers_[At(consumer)][At(producer)] == 0) empty.emplace_back(producer, consumer);
    }
  }
  return empty;
}

std::string Coverage::Markdown() const {
  std::string text = absl::StrCat(programs_, " programs, ", instructions_, " instructions.\n\n",
                                  "| operation | instructions | types | attributes | operands come "
                                  "from |\n|---|---|---|---|---|\n");
  for (const Opcode opcode : Written()) {
    const size_t own = At(opcode);
    const absl::Span<const ElementType> legal = LegalTypes(opcode);
    const auto reached = std::count_if(legal.begin(), legal.end(), [&](ElementType type) {
      return types_[own][static_cast<size_t>(type)] > 0;
    });
    const auto uses = Info(opcode).attributes;
    const auto set = std::count_if(uses.begin(), uses.end(), [&](const AttributeUse& use) {
      return attributes_[own].contains(use.attr);
    });
    const auto from = std::count_if(producers_[own].begin(), producers_[own].end(),
                                    [](int64_t count) { return count > 0; });
    absl::StrAppend(&text, "| `", Name(opcode), "` | ", count_[own], " | ", reached, " of ",
                    legal.size(), " | ", set, " of ", uses.size(), " | ", from, " operations |\n");
  }
  const auto list = [&](absl::string_view what, const auto& empty, const auto& name) {
    absl::StrAppend(&text, "\n", what, ": ", empty.size());
    if (!empty.empty()) {
      absl::StrAppend(&text, " (",
                      absl::StrJoin(empty, ", ",
                                    [&](std::string* out, const auto& pair) {
                                      absl::StrAppend(out, "`", Name(pair.first), "` ",
                                                      name(pair.second));
                                    }),
                      ")");
    }
    absl::StrAppend(&text, "\n");
  };
  list("Legal pairs of operation and type without a program", EmptyTypes(),
       [](ElementType type) { return std::string(Name(type)); });
  list("Attributes without a program", EmptyAttributes(),
       [](Attr attr) { return std::string(Info(attr).name); });
  list("Elementwise operations whose result an operation never takes", EmptyPairs(),
       [](Opcode opcode) { return absl::StrCat("to `", Name(opcode), "`"); });
  absl::StrAppend(&text, IllegalTable());
  return text;
}

// A row for each rule with its clauses: how many changed programs broke it, and "n" where a near
// miss does.
std::string Coverage::IllegalTable() const {
  if (broken_.empty()) return "";
  std::map<std::string, std::vector<std::pair<int64_t, std::string>>> rules;
  for (const auto& [clause, broken] : broken_) {
    const size_t end = clause.rfind("_c");
    int64_t number = 0;
    if (end == std::string::npos || !absl::SimpleAtoi(clause.substr(end + 2), &number)) continue;
    std::vector<std::string> ways;
    if (broken.changes > 0) ways.push_back(absl::StrCat(broken.changes));
    if (broken.near_misses > 0) ways.push_back("n");
    rules[clause.substr(0, end)].emplace_back(
        number, absl::StrCat("c", number, " ", absl::StrJoin(ways, "+")));
  }
  std::string text = absl::StrCat("\nIllegal programs: ", broken_.size(),
                                  " clauses are broken.\n\n| rule | clauses |\n|---|---|\n");
  for (auto& [rule, clauses] : rules) {
    std::sort(clauses.begin(), clauses.end());
    absl::StrAppend(&text, "| ", rule, " | ",
                    absl::StrJoin(clauses, ", ",
                                  [](std::string* out, const auto& each) {
                                    absl::StrAppend(out, each.second);
                                  }),
                    " |\n");
  }
  return text;
}

}  // namespace assay::fuzz
