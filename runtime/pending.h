// The result of a step that may have to wait for other devices. Tests: interpreter/world_test.cc.
#ifndef ASSAY_RUNTIME_PENDING_H_
#define ASSAY_RUNTIME_PENDING_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/ir/literal.h"

namespace assay::runtime {

class Pending {
 public:
  virtual ~Pending() = default;
  virtual bool ready() const = 0;
  // Returns the leaves of the result. May be called once, when ready.
  virtual absl::StatusOr<std::vector<Literal>> Take() = 0;
  // Returns true if the instruction that starts it does not end before it is ready.
  virtual bool delays_start() const { return false; }
  // Describes what is missing, for the report of a deadlock: "replica 1 has not arrived".
  virtual std::string Awaited() const = 0;
};
using PendingPtr = std::shared_ptr<Pending>;

// A result that is ready immediately.
class Present : public Pending {
 public:
  explicit Present(std::vector<Literal> leaves) : leaves_(std::move(leaves)) {}
  bool ready() const override { return true; }
  absl::StatusOr<std::vector<Literal>> Take() override { return std::move(leaves_); }
  std::string Awaited() const override { return ""; }

 private:
  std::vector<Literal> leaves_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_PENDING_H_
