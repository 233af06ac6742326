// An optional value on the heap that is copied and compared with its owner: what few owners have
// then takes a pointer in all the others. The interface is std::optional's. Tests: module_test.cc.
#ifndef ASSAY_SPEC_IR_BOXED_H_
#define ASSAY_SPEC_IR_BOXED_H_

#include <memory>
#include <utility>

namespace assay {

template <typename T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: as std::optional
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) { return *this = Boxed(other); }
  Boxed& operator=(Boxed&&) noexcept = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  // Null when empty.
  const T* get() const { return value_.get(); }
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return value_.get(); }
  T* operator->() { return value_.get(); }
  T& emplace() { return *(value_ = std::make_unique<T>()); }
  void reset() { value_.reset(); }

  friend bool operator==(const Boxed& a, const Boxed& b) {
    return a.has_value() == b.has_value() && (!a || *a == *b);
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace assay

#endif  // ASSAY_SPEC_IR_BOXED_H_
