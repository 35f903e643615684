"""The version of the accelerators' driver on a node, and where it is told."""

from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.drift import Software
from kubegap_checks.text import Text


def driver_version(devices: Devices) -> tuple[str, str]:
    """The field's path and its value; a vendor's labels come before what its DRA driver tells."""
    node, signal = devices.node, devices.signal
    for keys in signal.driver:
        if version := keys.version_in(node.labels if keys.where == "label" else node.annotations):
            return f"metadata.{keys.where}s.{keys.keys[0]}", version
    dra = signal.dra
    return f"ResourceSlice[{dra.driver}].spec.devices.attributes.{dra.version}" if dra else "", devices.driver


# The first number is NVIDIA's branch, and the series of AMD's releases.
DRIVER = Software(name=Text(en="driver", ko="드라이버"), branch=1, read=driver_version)
