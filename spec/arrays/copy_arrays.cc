// copy_arrays IN OUT.npz: reads arrays and writes them again, for npz_peer_test.py.
#include <cstdio>

#include "spec/arrays/arrays.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: copy_arrays IN OUT.npz\n");
    return 2;
  }
  absl::StatusOr<std::vector<assay::NamedLiteral>> arrays = assay::ReadArrays(argv[1]);
  absl::Status status = arrays.ok() ? assay::WriteNpz(argv[2], *arrays) : arrays.status();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
