#include "conformance/diagnose/drawn_arrays.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "conformance/judge/evidence.h"
#include "conformance/judge/random_statistics.h"
#include "spec/ir/attribute_values.h"

namespace assay::conformance {
namespace {

// A leaf of the result that holds the numbers of an `rng` in their order.
struct Drawn {
  int64_t leaf;
  const Instruction* rng;
};

const Instruction* SourceOf(const Instruction* value) {
  while (value->opcode() == Opcode::kCopy || value->opcode() == Opcode::kReshape) {
    value = value->operand(0);
  }
  return value;
}

void FindDrawn(const Instruction* value, int64_t* leaf, std::vector<Drawn>* drawn) {
  if (value->opcode() == Opcode::kTuple) {
    for (const Instruction* element : value->operands()) FindDrawn(element, leaf, drawn);
    return;
  }
  const Instruction* source = SourceOf(value);
  if (source->opcode() == Opcode::kRng) drawn->push_back({*leaf, source});
  *leaf += value->shape().leaf_count();
}

// The parameters of the distribution. None if they are computed.
std::optional<std::vector<Literal>> BoundsOf(const Instruction& rng,
                                             absl::Span<const Literal> arguments) {
  std::vector<Literal> bounds;
  for (const Instruction* operand : rng.operands()) {
    if (operand->opcode() == Opcode::kConstant) {
      bounds.push_back(*operand->literal());
    } else if (operand->opcode() == Opcode::kParameter) {
      bounds.push_back(arguments[operand->parameter_number()]);
    } else {
      return std::nullopt;
    }
  }
  return bounds;
}

bool SameDistribution(const Instruction& a, const Instruction& b,
                      const std::vector<Literal>& bounds, absl::Span<const Literal> arguments) {
  const std::optional<std::vector<Literal>> others = BoundsOf(b, arguments);
  return others &&
         a.GetEnum<RandomDistribution>(Attr::kDistribution) ==
             b.GetEnum<RandomDistribution>(Attr::kDistribution) &&
         Literal::BitEqual(bounds[0], (*others)[0]) && Literal::BitEqual(bounds[1], (*others)[1]);
}

// The numbers of both as one array of independent ones. Normal numbers come in pairs, so that the
// last of an odd number is left out.
Literal Joined(const Literal& a, const Literal& b) {
  const int64_t half = a.element_count() / 2 * 2;
  Literal joined = Literal::Zeros(Shape(a.element_type(), {2 * half}));
  for (int64_t i = 0; i < half; ++i) {
    joined.Set(i, a.Get(i));
    joined.Set(half + i, b.Get(i));
  }
  return joined;
}

bool SameNumbers(const Literal& a, const Literal& b) {
  const Shape flat(a.element_type(), {a.element_count()});
  return Literal::BitEqual(a.WithShape(flat), b.WithShape(flat));
}

// Why two leaves cannot be what the module draws.
std::optional<std::string> RefutePair(const Drawn& a, const Drawn& b, const Literal& first,
                                      const Literal& second, absl::Span<const Literal> arguments) {
  if (a.rng == b.rng) {
    if (SameNumbers(first, second)) return std::nullopt;
    return absl::StrCat("results ", a.leaf, " and ", b.leaf, " are the numbers of one ",
                        a.rng->name(), " and must be equal");
  }
  const std::optional<std::vector<Literal>> bounds = BoundsOf(*a.rng, arguments);
  if (!bounds || first.element_type() != second.element_type() ||
      first.element_count() != second.element_count() ||
      !SameDistribution(*a.rng, *b.rng, *bounds, arguments)) {
    return std::nullopt;
  }
  std::optional<std::string> refuted = RefuteRandom(*a.rng, *bounds, Joined(first, second));
  if (!refuted) return std::nullopt;
  return absl::StrCat("the numbers of ", a.rng->name(), " and ", b.rng->name(),
                      " in one array are ", *refuted);
}

// Why one leaf is no sample of what its instruction draws.
std::optional<std::string> RefuteOne(const Drawn& drawn, const Literal& numbers,
                                     absl::Span<const Literal> arguments) {
  const std::optional<std::vector<Literal>> bounds = BoundsOf(*drawn.rng, arguments);
  if (!bounds) return std::nullopt;
  std::optional<std::string> refuted = RefuteRandom(*drawn.rng, *bounds, numbers);
  if (!refuted) return std::nullopt;
  return absl::StrCat("the numbers of ", drawn.rng->name(), " are ", *refuted);
}

std::vector<Drawn> AllDrawn(const Module& module) {
  std::vector<Drawn> drawn;
  int64_t leaves = 0;
  FindDrawn(module.entry()->root(), &leaves, &drawn);
  return drawn;
}

}  // namespace

std::vector<int64_t> DrawnLeaves(const Module& module) {
  std::vector<int64_t> leaves;
  for (const Drawn& drawn : AllDrawn(module)) {
    const bool known = absl::c_all_of(drawn.rng->operands(), [](const Instruction* operand) {
      return operand->opcode() == Opcode::kConstant || operand->opcode() == Opcode::kParameter;
    });
    if (known) leaves.push_back(drawn.leaf);
  }
  return leaves;
}

void JudgeDrawnArrays(const Module& module, absl::Span<const Literal> arguments,
                      const Literal& golden, const Literal& actual, int64_t device,
                      Judgement* judgement) {
  const std::vector<Drawn> drawn = AllDrawn(module);
  if (drawn.empty() || Literal::BitEqual(golden, actual)) return;
  const std::vector<Literal> wanted = Flatten(golden), got = Flatten(actual);
  const auto accuse = [&](int64_t leaf, const std::optional<std::string>& refuted) {
    if (!refuted) return;
    ElementFinding finding;
    finding.reason = *refuted;
    Judgement own;
    own.verdict = Verdict::kWrong;
    own.counts[static_cast<int>(Verdict::kWrong)] = 1;
    own.evidence.push_back(MakeEvidence(finding, wanted[leaf], got[leaf], leaf, 0));
    own.evidence.back().device = device;
    judgement->Merge(own);
  };
  for (size_t j = 0; j < drawn.size(); ++j) {
    const Drawn& b = drawn[j];
    if (!Literal::BitEqual(wanted[b.leaf], got[b.leaf])) {
      accuse(b.leaf, RefuteOne(b, got[b.leaf], arguments));
    }
    for (size_t i = 0; i < j; ++i) {
      const Drawn& a = drawn[i];
      accuse(b.leaf, RefutePair(a, b, got[a.leaf], got[b.leaf], arguments));
    }
  }
}

}  // namespace assay::conformance
