#include "spec/testing/counted_memory.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> held = 0;
std::atomic<int64_t> peak = 0;

void* Count(void* memory) noexcept {
  if (memory == nullptr) return nullptr;
  const int64_t now = held += static_cast<int64_t>(malloc_usable_size(memory));
  if (now > peak) peak = now;
  return memory;
}

void* TryTake(size_t size) noexcept { return Count(std::malloc(size == 0 ? 1 : size)); }

void* TryTake(size_t size, std::align_val_t alignment) noexcept {
  const size_t unit = static_cast<size_t>(alignment);
  return Count(std::aligned_alloc(unit, (size + unit) / unit * unit));
}

void* OrThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void Give(void* memory) noexcept {
  if (memory != nullptr) held -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

// All of them: what a sanitizer's own form allocates may not be freed by one of these.
void* operator new(size_t size) { return OrThrow(TryTake(size)); }
void* operator new[](size_t size) { return OrThrow(TryTake(size)); }
void* operator new(size_t size, std::align_val_t unit) { return OrThrow(TryTake(size, unit)); }
void* operator new[](size_t size, std::align_val_t unit) { return OrThrow(TryTake(size, unit)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return TryTake(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return TryTake(size); }
void* operator new(size_t size, std::align_val_t unit, const std::nothrow_t&) noexcept {
  return TryTake(size, unit);
}
void* operator new[](size_t size, std::align_val_t unit, const std::nothrow_t&) noexcept {
  return TryTake(size, unit);
}
void operator delete(void* memory) noexcept { Give(memory); }
void operator delete[](void* memory) noexcept { Give(memory); }
void operator delete(void* memory, size_t) noexcept { Give(memory); }
void operator delete[](void* memory, size_t) noexcept { Give(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Give(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { Give(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { Give(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { Give(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { Give(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { Give(memory); }

namespace assay {

int64_t HeldMemory() { return held; }
void StartPeak() { peak = held.load(); }
int64_t PeakMemory() { return peak; }

}  // namespace assay
