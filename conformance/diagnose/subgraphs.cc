#include "conformance/diagnose/subgraphs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "spec/analysis/effects.h"

namespace assay::conformance {
namespace {

constexpr int64_t kMostSteps = 100'000'000;
// Neighbours of a group that are looked at before it takes one: a constant may have any number.
constexpr size_t kMostCandidates = 64;

enum class FusionRole : uint8_t {
  kNone,
  kLoop,  // each element from few elements of the operands
  kHero   // folds many; the loops of a fusion stand around one
};

FusionRole RoleOf(const Instruction& instruction) {
  if (!instruction.shape().is_array() || analysis::HasDynamicSizes(instruction))
    return FusionRole::kNone;
  switch (instruction.info().family) {
    case Family::kElementwise:
      return FusionRole::kLoop;
    case Family::kContraction:
      return FusionRole::kHero;
    default:
      break;
  }
  switch (instruction.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kIota:
    case Opcode::kMap:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return FusionRole::kLoop;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
      return FusionRole::kHero;
    default:
      return FusionRole::kNone;
  }
}

// Whether an edge between the two is fusible.
bool MayJoin(FusionRole a, FusionRole b) {
  if (a == FusionRole::kNone || b == FusionRole::kNone) return false;
  return a == FusionRole::kLoop || b == FusionRole::kLoop;
}

// Members of a computation by their index, ascending.
using Group = std::vector<int64_t>;
using Edge = std::pair<int64_t, int64_t>;  // producer, consumer

bool Has(const Group& group, int64_t member) {
  return std::binary_search(group.begin(), group.end(), member);
}

class SubgraphFinder {
 public:
  SubgraphFinder(const Computation& computation, int64_t most)
      : computation_(computation), most_(static_cast<size_t>(std::min(most, kMostMembers))) {
    const auto count = static_cast<size_t>(computation.instruction_count());
    producers_.resize(count);
    consumers_.resize(count);
    for (const auto& each : computation.instructions()) {
      roles_.push_back(RoleOf(*each));
      Group& producers = producers_[each->index()];
      for (const Instruction* operand : each->operands()) producers.push_back(operand->index());
      std::sort(producers.begin(), producers.end());
      producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
      for (const int64_t producer : producers) consumers_[producer].push_back(each->index());
    }
  }

  std::vector<Subgraph> Find() {
    std::vector<Subgraph> subgraphs;
    for (const auto& each : computation_.instructions()) {
      const int64_t consumer = each->index();
      for (const int64_t producer : producers_[consumer]) {
        if (!IsOpen(producer, consumer)) continue;
        std::optional<Group> group = Close({producer, consumer});
        if (!group) continue;
        Grow(&*group);
        for (const Edge& edge : OpenEdges(*group)) covered_.insert(edge);
        subgraphs.push_back(SubgraphOf(*group));
      }
    }
    return subgraphs;
  }

 private:
  // Fusible, and in no group yet.
  bool IsOpen(int64_t producer, int64_t consumer) const {
    return MayJoin(roles_[producer], roles_[consumer]) && !covered_.contains({producer, consumer});
  }

  std::vector<Edge> OpenEdges(const Group& group) const {
    std::vector<Edge> edges;
    for (const int64_t consumer : group) {
      for (const int64_t producer : producers_[consumer]) {
        if (Has(group, producer) && IsOpen(producer, consumer)) {
          edges.emplace_back(producer, consumer);
        }
      }
    }
    return edges;
  }

  // Instructions outside that stand on a path from member to member; none where counting them
  // takes too long.
  std::optional<Group> Between(const Group& group) {
    if (steps_ > kMostSteps) return std::nullopt;
    std::vector<int64_t> reached;  // from members, outside
    absl::flat_hash_set<int64_t> seen(group.begin(), group.end());
    const auto follow = [&](int64_t from) {
      for (const int64_t consumer : consumers_[from]) {
        ++steps_;
        if (consumer > group.back()) break;  // they ascend
        if (seen.insert(consumer).second) reached.push_back(consumer);
      }
    };
    for (const int64_t member : group) follow(member);
    for (size_t next = 0; next < reached.size(); ++next) {
      if (steps_ > kMostSteps) return std::nullopt;
      follow(reached[next]);
    }
    std::sort(reached.begin(), reached.end());
    Group between;
    absl::flat_hash_set<int64_t> leads(group.begin(), group.end());  // to a member
    for (auto each = reached.rbegin(); each != reached.rend(); ++each) {
      const Group& consumers = consumers_[*each];
      steps_ += static_cast<int64_t>(consumers.size());
      if (std::none_of(consumers.begin(), consumers.end(),
                       [&](int64_t consumer) { return leads.contains(consumer); })) {
        continue;
      }
      leads.insert(*each);
      between.push_back(*each);
      if (between.size() > most_) break;
    }
    return between;
  }

  // The smallest convex group around it, where that is a group at all.
  std::optional<Group> Close(Group group) {
    const std::optional<Group> between = Between(group);
    if (!between || group.size() + between->size() > most_) return std::nullopt;
    group.insert(group.end(), between->begin(), between->end());
    std::sort(group.begin(), group.end());
    int64_t heroes = 0;
    for (const int64_t member : group) {
      if (roles_[member] == FusionRole::kNone) return std::nullopt;
      heroes += roles_[member] == FusionRole::kHero;
    }
    if (heroes > 1) return std::nullopt;
    return group;
  }

  // Neighbours over edges that no group has yet.
  Group Candidates(const Group& group) const {
    Group candidates;
    for (const int64_t member : group) {
      const auto add = [&](int64_t neighbour, bool open) {
        if (!open || candidates.size() >= kMostCandidates || Has(group, neighbour)) return;
        candidates.push_back(neighbour);
      };
      for (const int64_t producer : producers_[member]) add(producer, IsOpen(producer, member));
      for (const int64_t consumer : consumers_[member]) {
        if (candidates.size() >= kMostCandidates) break;
        add(consumer, IsOpen(member, consumer));
      }
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    return candidates;
  }

  // Takes the neighbour that brings most new edges for each new member, until none fits.
  void Grow(Group* group) {
    while (group->size() < most_) {
      std::optional<Group> best;
      size_t best_edges = 0;
      for (const int64_t candidate : Candidates(*group)) {
        Group larger = *group;
        larger.insert(std::upper_bound(larger.begin(), larger.end(), candidate), candidate);
        std::optional<Group> closed = Close(std::move(larger));
        if (!closed) continue;
        const size_t edges = OpenEdges(*closed).size();
        const size_t added = closed->size() - group->size();
        if (best && edges * (best->size() - group->size()) <= best_edges * added) continue;
        best = std::move(closed);
        best_edges = edges;
      }
      if (!best) return;
      *group = *std::move(best);
    }
  }

  Subgraph SubgraphOf(const Group& group) const {
    Subgraph subgraph;
    for (const int64_t member : group) {
      const Instruction* instruction = computation_.instruction(member);
      subgraph.members.push_back(instruction);
      const Group& consumers = consumers_[member];
      const bool taken = std::any_of(consumers.begin(), consumers.end(),
                                     [&](int64_t consumer) { return !Has(group, consumer); });
      if (taken || consumers.empty() || instruction == computation_.root()) {
        subgraph.results.push_back(instruction);
      }
    }
    return subgraph;
  }

  const Computation& computation_;
  const size_t most_;
  std::vector<FusionRole> roles_;
  std::vector<Group> producers_, consumers_;  // by index, ascending, each once
  absl::flat_hash_set<Edge> covered_;
  int64_t steps_ = 0;
};

}  // namespace

std::vector<Subgraph> FindSubgraphs(const Computation& computation, int64_t most) {
  if (most < 2) return {};
  return SubgraphFinder(computation, most).Find();
}

}  // namespace assay::conformance
