#include "backends/pjrt/plugin/topology.h"

#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "backends/pjrt/abi/compile_options.pb.h"
#include "backends/pjrt/plugin/error.h"

namespace assay::pjrt {
namespace {

// A topology of its own is that of a client that nobody else knows.
PJRT_TopologyDescription* NewTopology(ClientOptions options) {
  auto* client = new PJRT_Client(std::move(options));
  client->topology.owns_client = true;
  return &client->topology;
}

}  // namespace

absl::Status TopologyCreate(PJRT_TopologyDescription_Create_Args& args) {
  absl::StatusOr<ClientOptions> options = ClientOptions::Read(absl::MakeConstSpan(
      args.create_options, args.create_options == nullptr ? 0 : args.num_options));
  if (!options.ok()) return options.status();
  const std::string name(args.topology_name == nullptr ? "" : args.topology_name,
                         args.topology_name == nullptr ? 0 : args.topology_name_size);
  if (!name.empty()) {
    int64_t devices = 0;
    if (!absl::SimpleAtoi(name, &devices) || devices < 1 || devices > ClientOptions::kMostDevices) {
      return absl::InvalidArgumentError(
          absl::StrCat("a topology is named by its number of devices, from 1 to ",
                       ClientOptions::kMostDevices, ", not '", name, "'"));
    }
    options->device_count = devices;
  }
  args.topology = NewTopology(*std::move(options));
  return absl::OkStatus();
}

absl::Status TopologySerialize(PJRT_TopologyDescription_Serialize_Args& args) {
  if (args.topology == nullptr) return NoObject("topology");
  const ClientOptions& options = args.topology->client->options;
  wire::StoredTopology stored;
  stored.set_assay_version(ASSAY_VERSION);
  stored.set_platform_name(options.platform_name);
  stored.set_device_count(options.device_count);
  stored.set_backend(options.backend);
  using Bytes = Owned<PJRT_SerializedTopology>;
  args.serialized_topology = Bytes::New(stored.SerializeAsString());
  Give(Bytes::Bytes(args.serialized_topology), &args.serialized_bytes, &args.serialized_bytes_size);
  args.serialized_topology_deleter = Bytes::Delete;
  return absl::OkStatus();
}

absl::Status TopologyDeserialize(PJRT_TopologyDescription_Deserialize_Args& args) {
  if (args.serialized_topology == nullptr) return NoObject("serialised topology");
  wire::StoredTopology stored;
  if (!stored.ParseFromString(
          std::string(args.serialized_topology, args.serialized_topology_size)) ||
      stored.assay_version().empty() || stored.device_count() < 1 ||
      stored.device_count() > ClientOptions::kMostDevices) {
    return absl::InvalidArgumentError("the bytes are not a stored topology of Assay's plug-in");
  }
  absl::StatusOr<ClientOptions> options = ClientOptions::Read({});
  if (!options.ok()) return options.status();
  options->platform_name = stored.platform_name();
  options->device_count = stored.device_count();
  options->backend = stored.backend();
  args.topology = NewTopology(*std::move(options));
  return absl::OkStatus();
}

absl::Status TopologyDestroy(PJRT_TopologyDescription_Destroy_Args& args) {
  if (args.topology != nullptr && args.topology->owns_client) delete args.topology->client;
  return absl::OkStatus();
}

absl::Status TopologyPlatformName(PJRT_TopologyDescription_PlatformName_Args& args) {
  if (args.topology == nullptr) return NoObject("topology");
  Give(args.topology->client->options.platform_name, &args.platform_name, &args.platform_name_size);
  return absl::OkStatus();
}

absl::Status TopologyPlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args& args) {
  Give(PlatformVersion(), &args.platform_version, &args.platform_version_size);
  return absl::OkStatus();
}

absl::Status TopologyDescriptions(PJRT_TopologyDescription_GetDeviceDescriptions_Args& args) {
  if (args.topology == nullptr) return NoObject("topology");
  GiveList(args.topology->descriptions, &args.descriptions, &args.num_descriptions);
  return absl::OkStatus();
}

absl::Status TopologyAttributes(PJRT_TopologyDescription_Attributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
  return absl::OkStatus();
}

absl::Status TopologyFingerprint(PJRT_TopologyDescription_Fingerprint_Args& args) {
  if (args.topology == nullptr) return NoObject("topology");
  args.fingerprint = static_cast<int64_t>(args.topology->descriptions.size());
  return absl::OkStatus();
}

}  // namespace assay::pjrt
