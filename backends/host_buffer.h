// A value in this process's memory: the buffer of backends that compute here or send values on.
#ifndef ASSAY_BACKENDS_HOST_BUFFER_H_
#define ASSAY_BACKENDS_HOST_BUFFER_H_

#include <utility>

#include "backends/backend.h"

namespace assay {

class HostBuffer : public Buffer {
 public:
  explicit HostBuffer(Literal literal) : literal_(std::move(literal)) {}
  const Shape& shape() const override { return literal_.shape(); }
  const Literal& literal() const { return literal_; }

 private:
  Literal literal_;
};

}  // namespace assay

#endif  // ASSAY_BACKENDS_HOST_BUFFER_H_
