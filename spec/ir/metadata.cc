#include "spec/ir/metadata.h"

namespace assay {

const Metadata::Rare& Metadata::rare() const {
  static const Rare* const empty = new Rare;
  return rare_ ? *rare_ : *empty;
}

bool operator==(const Metadata& a, const Metadata& b) {
  return a.op_type == b.op_type && a.op_name == b.op_name && a.source_file == b.source_file &&
         a.source_line == b.source_line && a.source_end_line == b.source_end_line &&
         a.source_column == b.source_column && a.source_end_column == b.source_end_column &&
         a.stack_frame_id == b.stack_frame_id && a.rare() == b.rare();
}

bool operator==(const Sharding& a, const Sharding& b) {
  if ((a.named == nullptr) != (b.named == nullptr)) return false;
  if (a.named != nullptr) return *a.named == *b.named;
  return a.type == b.type && a.tile_dimensions == b.tile_dimensions && a.devices == b.devices &&
         a.iota_reshape_dims == b.iota_reshape_dims &&
         a.iota_transpose_perm == b.iota_transpose_perm &&
         a.replicate_on_last_tile_dim == b.replicate_on_last_tile_dim &&
         a.last_tile_dims == b.last_tile_dims && a.tuple == b.tuple && a.metadata == b.metadata &&
         a.group == b.group && a.group_id == b.group_id;
}

}  // namespace assay
