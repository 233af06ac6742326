#include "runtime/queue_host.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "spec/ir/fit.h"

namespace assay::runtime {
namespace {

void AppendArrays(const Literal& value, std::vector<Literal>* arrays) {
  for (Literal& leaf : Flatten(value)) {
    if (leaf.is_array()) arrays->push_back(std::move(leaf));
  }
}

}  // namespace

void QueueHost::Queue::Put(const Literal& value) {
  std::vector<Literal> more;
  AppendArrays(value, &more);
  for (Literal& array : more) arrays.push_back(std::move(array));
}

absl::StatusOr<Literal> QueueHost::Queue::Take(const std::string& name, const Shape& shape) {
  const std::vector<const Shape*> leaves = Leaves(shape);
  std::vector<Literal> values;
  for (const Shape* leaf : leaves) {
    if (!leaf->is_array()) {
      values.push_back(Literal::Token());
      continue;
    }
    const size_t next = arrays_taken;
    if (arrays.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat(name, " exhausted at item ", items_taken, ": ", next,
                       " arrays were given, an item of shape ", shape.ToString(), " is wanted"));
    }
    if (!FitsShape(arrays.front(), *leaf)) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " item ", items_taken, ": array ", next, " is ",
                       arrays.front().shape().ToString(), ", but ", leaf->ToString(), " is wanted",
                       shape.is_tuple() ? absl::StrCat(" for ", shape.ToString()) : ""));
    }
    absl::StatusOr<Literal> value = UnderShape(arrays.front(), *leaf);
    if (!value.ok()) return value.status();
    values.push_back(*std::move(value));
    arrays.pop_front();
    ++arrays_taken;
  }
  ++items_taken;
  return Unflatten(shape, values);
}

void QueueHost::PutInfeed(const ProcessId& process, const Literal& value) {
  infeeds_[KeyOf(process)].Put(value);
}

void QueueHost::PutReceive(const ProcessId& process, const std::string& key, const Literal& value) {
  receives_[{KeyOf(process), key}].Put(value);
}

absl::StatusOr<Literal> QueueHost::Infeed(const ProcessId& process, const Shape& shape) {
  return infeeds_[KeyOf(process)].Take("infeed", shape);
}

absl::Status QueueHost::Outfeed(const ProcessId& process, const Literal& value) {
  AppendArrays(value, &outfed_[KeyOf(process)]);
  return absl::OkStatus();
}

absl::StatusOr<Literal> QueueHost::Receive(const ProcessId& process, const std::string& key,
                                           const Shape& shape) {
  const auto found = receives_.find({KeyOf(process), key});
  if (found == receives_.end()) return Host::Receive(process, key, shape);
  return found->second.Take(absl::StrCat("what the host sends under the key ", key), shape);
}

absl::Status QueueHost::Send(const ProcessId& process, const std::string& key,
                             const Literal& value) {
  if (!takes_sends_) return Host::Send(process, key, value);
  AppendArrays(value, &sent_[KeyOf(process)][key]);
  return absl::OkStatus();
}

int64_t QueueHost::held_bytes() const {
  int64_t bytes = 0;
  absl::flat_hash_set<const std::byte*> counted;
  const auto count = [&](const Queue& queue) {
    for (const Literal& array : queue.arrays) {
      if (counted.insert(array.data()).second) bytes += array.byte_size();
    }
  };
  for (const auto& entry : infeeds_) count(entry.second);
  for (const auto& entry : receives_) count(entry.second);
  return bytes;
}

std::vector<Literal> QueueHost::queued(const ProcessId& process) const {
  const auto found = infeeds_.find(KeyOf(process));
  if (found == infeeds_.end()) return {};
  return {found->second.arrays.begin(), found->second.arrays.end()};
}

const std::vector<Literal>& QueueHost::outfed(const ProcessId& process) const {
  static const auto& none = *new std::vector<Literal>;
  const auto found = outfed_.find(KeyOf(process));
  return found == outfed_.end() ? none : found->second;
}

const std::map<std::string, std::vector<Literal>>& QueueHost::sent(const ProcessId& process) const {
  static const auto& none = *new std::map<std::string, std::vector<Literal>>;
  const auto found = sent_.find(KeyOf(process));
  return found == sent_.end() ? none : found->second;
}

int64_t QueueHost::unused_infeeds() const {
  int64_t count = 0;
  for (const auto& [process, queue] : infeeds_) count += static_cast<int64_t>(queue.arrays.size());
  return count;
}

int64_t QueueHost::unused_receives() const {
  int64_t count = 0;
  for (const auto& [key, queue] : receives_) count += static_cast<int64_t>(queue.arrays.size());
  return count;
}

}  // namespace assay::runtime
