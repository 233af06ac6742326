// A stack and the point where its code stands (Boost.Context), for the threads of emulated kernels.
// Fibers belong to the host thread that made them. Tests: emulator_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_EMULATOR_FIBER_H_
#define ASSAY_BACKENDS_CUDA_EMULATOR_FIBER_H_

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace assay::cuda::emulator {

class Fiber {
 public:
  // `run` is called on the fiber's stack and does not return; it leaves through Suspend. Null where
  // the system has no memory for a stack.
  using Main = void (*)(Fiber& self, void* argument);
  static std::unique_ptr<Fiber> Create(Main run, void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // From the scheduler's stack: goes on where the fiber stands, until it suspends.
  void Resume();
  // From the fiber: back to whoever resumed it.
  void Suspend();
  // From the fiber: as Suspend, but the stack will not be returned to; the next Resume starts anew.
  [[noreturn]] void Abandon();
  // From the scheduler's stack: forgets where the fiber stands.
  void Reset();

  // Returns true if the address is on the fiber's stack.
  bool Owns(const void* address) const;

  static constexpr size_t kStackBytes = 256 << 10;

 private:
  Fiber(Main run, void* argument, std::byte* memory);
  static void Enter(boost::context::detail::transfer_t transfer);

  const Main run_;
  void* const argument_;
  std::byte* memory_;  // a guard page, and the stack above it
  boost::context::detail::fcontext_t context_ = nullptr;
  boost::context::detail::fcontext_t resumer_ = nullptr;
  // Of the address sanitizer: the stack of the resumer, and what it keeps of this one.
  const void* resumer_stack_ = nullptr;
  size_t resumer_stack_bytes_ = 0;
  void* own_fake_stack_ = nullptr;
};

}  // namespace assay::cuda::emulator

#endif  // ASSAY_BACKENDS_CUDA_EMULATOR_FIBER_H_
