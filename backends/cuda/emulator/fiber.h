// A fiber (Boost.Context) for a thread of an emulated kernel. Fibers belong to the host thread that
// created them. Tests: emulator_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_EMULATOR_FIBER_H_
#define ASSAY_BACKENDS_CUDA_EMULATOR_FIBER_H_

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace assay::cuda::emulator {

class Fiber {
 public:
  // `run` is called on the fiber's stack and never returns; it leaves by Suspend. Returns null if
  // there is no memory for a stack.
  using Main = void (*)(Fiber& self, void* argument);
  static std::unique_ptr<Fiber> Create(Main run, void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Called on the scheduler's stack. Continues the fiber until it suspends.
  void Resume();
  // Called by the fiber. Returns to the caller of Resume.
  void Suspend();
  // Called by the fiber. Like Suspend, but the next Resume starts from the beginning.
  [[noreturn]] void Abandon();
  // Called on the scheduler's stack. Makes the next Resume start from the beginning.
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
  // For the address sanitizer: the stack of the caller of Resume, and the state of this stack.
  const void* resumer_stack_ = nullptr;
  size_t resumer_stack_bytes_ = 0;
  void* own_fake_stack_ = nullptr;
  // For the thread sanitizer: its objects for this fiber and for the caller of Resume.
  void* shadow_ = nullptr;
  void* resumer_shadow_ = nullptr;
};

}  // namespace assay::cuda::emulator

#endif  // ASSAY_BACKENDS_CUDA_EMULATOR_FIBER_H_
