// Protobuf aborts a process in which two libraries register one message, and the host of
// libassay_pjrt.so may be Assay itself: its driver, or its Python package. This library therefore
// registers only what is not registered yet. Its own definition of protobuf's runner takes the
// place of the shared one for this library alone (-Bsymbolic, exports.map).
#include <string>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/descriptor_database.h"
#include "google/protobuf/generated_message_reflection.h"
#include "google/protobuf/message.h"

namespace google::protobuf::internal {

AddDescriptorsRunner::AddDescriptorsRunner(const DescriptorTable* table) {
  if (table->is_initialized) return;
  table->is_initialized = true;
  for (int i = 0; i < table->num_deps; ++i) {
    if (table->deps[i] != nullptr) AddDescriptorsRunner dependency(table->deps[i]);
  }
  FileDescriptorProto known;
  if (DescriptorPool::internal_generated_database()->FindFileByName(table->filename, &known)) {
    return;
  }
  DescriptorPool::InternalAddGeneratedFile(table->descriptor, table->size);
  MessageFactory::InternalRegisterGeneratedFile(table);
}

}  // namespace google::protobuf::internal
