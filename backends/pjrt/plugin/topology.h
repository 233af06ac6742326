// Topologies: the devices of a client, or devices that are only described, for which programs are
// compiled ahead of time. Tests: plugin_objects_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_TOPOLOGY_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_TOPOLOGY_H_

#include "absl/status/status.h"
#include "backends/pjrt/plugin/client.h"

namespace assay::pjrt {

// Takes the options of a client. The name is empty or the number of devices.
absl::Status TopologyCreate(PJRT_TopologyDescription_Create_Args& args);
absl::Status TopologyDeserialize(PJRT_TopologyDescription_Deserialize_Args& args);
absl::Status TopologySerialize(PJRT_TopologyDescription_Serialize_Args& args);
absl::Status TopologyDestroy(PJRT_TopologyDescription_Destroy_Args& args);
absl::Status TopologyPlatformName(PJRT_TopologyDescription_PlatformName_Args& args);
absl::Status TopologyPlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args& args);
absl::Status TopologyDescriptions(PJRT_TopologyDescription_GetDeviceDescriptions_Args& args);
absl::Status TopologyAttributes(PJRT_TopologyDescription_Attributes_Args& args);
absl::Status TopologyFingerprint(PJRT_TopologyDescription_Fingerprint_Args& args);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_TOPOLOGY_H_
