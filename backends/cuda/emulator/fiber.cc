#include "backends/cuda/emulator/fiber.h"

#include <sys/mman.h>

#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#define ASSAY_FIBER_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define ASSAY_FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASSAY_FIBER_ASAN 1
#elif __has_feature(thread_sanitizer)
#define ASSAY_FIBER_TSAN 1
#endif
#endif
#ifdef ASSAY_FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef ASSAY_FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace assay::cuda::emulator {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr size_t kGuardBytes = 4096;

// What the address sanitizer must know of a switch; nothing without it.
void BeforeSwitch([[maybe_unused]] void** keep, [[maybe_unused]] const void* bottom,
                  [[maybe_unused]] size_t bytes) {
#ifdef ASSAY_FIBER_ASAN
  __sanitizer_start_switch_fiber(keep, bottom, bytes);
#endif
}
void AfterSwitch([[maybe_unused]] void* kept, [[maybe_unused]] const void** from,
                 [[maybe_unused]] size_t* bytes) {
#ifdef ASSAY_FIBER_ASAN
  __sanitizer_finish_switch_fiber(kept, from, bytes);
#endif
}

// What the thread sanitizer must know: it keeps a stack of calls for every fiber. A switch orders
// what the two fibers do. A function with a switch must be inlined, because its end would otherwise
// be that of a call on the other stack.
#ifdef ASSAY_FIBER_TSAN
void* NewShadow() { return __tsan_create_fiber(0); }
void* CurrentShadow() { return __tsan_get_current_fiber(); }
void DeleteShadow(void* shadow) {
  if (shadow != nullptr) __tsan_destroy_fiber(shadow);
}
[[gnu::always_inline]] inline void SwitchShadow(void* shadow) { __tsan_switch_to_fiber(shadow, 0); }
#else
void* NewShadow() { return nullptr; }
void* CurrentShadow() { return nullptr; }
void DeleteShadow(void* /*shadow*/) {}
void SwitchShadow(void* /*shadow*/) {}
#endif

}  // namespace

std::unique_ptr<Fiber> Fiber::Create(Main run, void* argument) {
  void* const memory = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const bytes = static_cast<std::byte*>(memory);
  if (mprotect(bytes, kGuardBytes, PROT_NONE) != 0) {
    munmap(memory, kGuardBytes + kStackBytes);
    return nullptr;
  }
  return std::unique_ptr<Fiber>(new Fiber(run, argument, bytes));
}

Fiber::Fiber(Main run, void* argument, std::byte* memory)
    : run_(run), argument_(argument), memory_(memory) {
  Reset();
}

Fiber::~Fiber() {
  DeleteShadow(shadow_);
  munmap(memory_, kGuardBytes + kStackBytes);
}

bool Fiber::Owns(const void* address) const {
  return address >= memory_ + kGuardBytes && address < memory_ + kGuardBytes + kStackBytes;
}

void Fiber::Reset() {
#ifdef ASSAY_FIBER_ASAN
  __asan_unpoison_memory_region(memory_ + kGuardBytes, kStackBytes);
#endif
  own_fake_stack_ = nullptr;
  DeleteShadow(shadow_);
  shadow_ = NewShadow();
  context_ = make_fcontext(memory_ + kGuardBytes + kStackBytes, kStackBytes, &Fiber::Enter);
}

void Fiber::Enter(transfer_t transfer) {
  auto* const self = static_cast<Fiber*>(transfer.data);
  self->resumer_ = transfer.fctx;
  AfterSwitch(nullptr, &self->resumer_stack_, &self->resumer_stack_bytes_);
  self->run_(*self, self->argument_);
  self->Abandon();
}

void Fiber::Resume() {
  void* fake_stack = nullptr;
  BeforeSwitch(&fake_stack, memory_ + kGuardBytes, kStackBytes);
  resumer_shadow_ = CurrentShadow();
  SwitchShadow(shadow_);
  context_ = jump_fcontext(context_, this).fctx;
  AfterSwitch(fake_stack, nullptr, nullptr);
}

void Fiber::Suspend() {
  BeforeSwitch(&own_fake_stack_, resumer_stack_, resumer_stack_bytes_);
  SwitchShadow(resumer_shadow_);
  resumer_ = jump_fcontext(resumer_, nullptr).fctx;
  AfterSwitch(own_fake_stack_, &resumer_stack_, &resumer_stack_bytes_);
}

void Fiber::Abandon() {
  BeforeSwitch(nullptr, resumer_stack_, resumer_stack_bytes_);
  SwitchShadow(resumer_shadow_);
  jump_fcontext(resumer_, nullptr);
  std::abort();  // an abandoned fiber was resumed
}

}  // namespace assay::cuda::emulator
