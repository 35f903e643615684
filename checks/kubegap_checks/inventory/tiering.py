"""What the objects behind a volume say about where its data lies and whether it can leave the fast tier."""

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from kubegap_checks.facts.pods import Pod, PodVolume
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.inventory import weka
from kubegap_checks.inventory.backing import LOOK_ON_NODE, Backing, Verdict, lost, settled
from kubegap_checks.inventory.bound import BoundVolumes
from kubegap_checks.inventory.shelf import Shelf
from kubegap_checks.inventory.training import Use, staged_to
from kubegap_checks.model import Confidence, Seen
from kubegap_checks.signals.host_paths import HostPath, host_path
from kubegap_checks.signals.storage_drivers import Evidence, Shown, StorageDriver, Where, storage_driver

_NFS = "nfs.csi.k8s.io"  # whose row also speaks for NFS mounts without a driver


class _Behind(Struct, frozen=True, kw_only=True):
    """The objects behind one volume, as far as there are any."""

    driver: str
    driver_path: str
    filesystem: str
    values: Mapping[Where, tuple[str, Mapping[str, str]]]  # where -> the path's pattern, and what stands there
    class_name: str = ""


class Storage:
    """The volumes of a cluster as pods see them; one that could not be read is an UnreadError when it is needed."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._bound = BoundVolumes(facts)
        self._classes = Shelf(facts, StorageClass, lambda storage_class: storage_class.name)
        self._behind_claims: dict[tuple[str, str], Backing | None] = {}  # every pod of a run uses the same few

    def backing(self, pod: Pod, volume: PodVolume) -> Backing | None:
        """None where the volume holds no data of its own, or its claim has nothing behind it."""
        path = f"Pod[{pod.namespace}/{pod.name}].spec.volumes[{volume.name}]"
        match volume.form:
            case "claim" | "ephemeral":
                return self._of_claim(pod, volume.claim)
            case "csi":
                return self._of_driver(_inline(volume, path))
            case "host_path":
                return self._of_host_path(volume.path, f"{path}.hostPath.path")
            case "nfs":
                return self._of_driver(_nfs(volume.path or volume.name, f"{path}.nfs"))
            case "empty_dir" | "image":
                return settled("node_local", volume.form, volume.name, {path: volume.form})
            case "other":
                return None

    def at_risk(self, use: Use) -> tuple[Backing | None, tuple[Unread, ...]]:
        """What lies behind a dataset whose data can leave, or might; and what could not be read to tell.

        None where it stays in reach, or where an init container copies it to the node and no variable or flag says
        that the original is read.
        """
        return _or_unread(lambda: self._at_risk(use))

    def behind(self, use: Use) -> tuple[Backing | None, tuple[Unread, ...]]:
        """What lies behind a volume as a run uses it; and what could not be read to tell."""
        return self.of(use.pod, use.volume)

    def of(self, pod: Pod, volume: PodVolume) -> tuple[Backing | None, tuple[Unread, ...]]:
        """The same, whatever the volume is for."""
        return _or_unread(lambda: self.backing(pod, volume))

    def _at_risk(self, use: Use) -> Backing | None:
        backing = self.backing(use.pod, use.volume)
        if backing is None or not (backing.leaves or backing.verdict == "unsaid"):
            return None
        copies = () if use.told else staged_to(use)
        on_node = (self.backing(use.pod, copy) for copy in copies)
        return None if any(copy and copy.verdict == "node_local" for copy in on_node) else backing

    def _of_claim(self, pod: Pod, name: str) -> Backing | None:
        claim = self._bound.claim(pod.namespace, name)
        if claim is None:
            # A pod is placed only once its claims exist: one that no list holds was left out, or is newer.
            return lost(pod, name) if pod.node else None
        key = (claim.namespace, claim.name)
        if key not in self._behind_claims:
            self._behind_claims[key] = self._behind_claim(claim)
        return self._behind_claims[key]

    def _behind_claim(self, claim: Claim) -> Backing | None:
        volume = self._bound.of_claim(claim)
        if volume is None:
            return self._of_class(claim)
        return replace(self._of_volume(volume, claim), volume=volume)

    def _of_volume(self, volume: Volume, claim: Claim) -> Backing:
        path = f"PersistentVolume[{volume.name}].spec"
        if volume.local_path:
            return settled("node_local", "local volume", volume.name, {f"{path}.local.path": volume.local_path})
        if not storage_driver(volume.driver):
            if volume.host_path:
                return self._of_host_path(volume.host_path, f"{path}.hostPath.path")
            if volume.nfs:
                return self._of_driver(_nfs(volume.filesystem or volume.name, f"{path}.nfs"))
        return self._of_driver(_bound(volume, claim))

    def _of_class(self, claim: Claim) -> Backing | None:
        """What a claim that is not bound yet will get from its class; None where there is no such class."""
        found = self._classes.get(claim.storage_class) if claim.storage_class else None
        if found is None:
            return None
        return self._of_driver(
            _Behind(
                driver=found.provisioner,
                driver_path=f"StorageClass[{found.name}].provisioner",
                filesystem=f"of class {found.name}",
                values={"claim_annotation": _annotations(claim)},
                class_name=found.name,
            )
        )

    def _of_driver(self, behind: _Behind) -> Backing:
        driver_seen: dict[str, Seen] = {behind.driver_path: behind.driver}
        row = storage_driver(behind.driver)
        if row is None:
            return Backing(
                product=behind.driver or "storage",
                filesystem=behind.filesystem,
                verdict="unsaid",
                evidence=driver_seen,
                confidence=Confidence.HINT,
            )
        asides: dict[Shown, dict[str, Seen]] = {"node_cache": {}, "kept_on_delete": {}}
        shown, evidence = self._shown(row, behind, asides)
        if shown is None and row.product == weka.PRODUCT:
            return replace(self._weka(row, behind.filesystem, driver_seen), driver=row)
        return Backing(
            product=row.product,
            filesystem=behind.filesystem,
            verdict=shown or _without_evidence(row),
            evidence=driver_seen | asides["node_cache"] | evidence,
            confidence=Confidence.CERTAIN,
            prove=row.prove,
            driver=row,
            node_cache=asides["node_cache"],
            kept_on_delete=bool(asides["kept_on_delete"]) or row.on_delete == "kept",
        )

    def _shown(
        self, row: StorageDriver, behind: _Behind, asides: Mapping[Shown, dict[str, Seen]]
    ) -> tuple[Verdict | None, dict[str, Seen]]:
        """What the driver's evidence shows; to `asides` goes what changes nothing about where the data is."""
        for rule in row.visible:
            where, values = self._values(rule, behind)
            seen = rule.seen_in(values)
            if seen is None:
                continue
            path = where.replace("{}", seen[0])  # not format: names in it are not ours
            match rule.shows:
                case "node_cache" | "kept_on_delete":
                    asides[rule.shows][path] = seen[1]
                case "no_tier":
                    return "stays", {path: seen[1]}
                case shown:
                    return shown, {path: seen[1]}
        return None, {}

    def _values(self, rule: Evidence, behind: _Behind) -> tuple[str, Mapping[str, str]]:
        if rule.where != "class_parameter":
            return behind.values.get(rule.where, ("", {}))
        found = self._classes.get(behind.class_name) if behind.class_name else None
        return f"StorageClass[{behind.class_name}].parameters.{{}}", found.parameters if found else {}

    def _of_host_path(self, path: str, where: str) -> Backing:
        row = host_path(path)
        if row and row.medium == "node_local":
            return settled("node_local", row.product, path, {where: path})
        if row and row.product == weka.PRODUCT:
            return self._weka(row, path, {where: path})
        return Backing(
            product=row.product if row else "host path",
            filesystem=path,
            verdict="unsaid",
            evidence={where: path},
            confidence=Confidence.HINT,
            prove=LOOK_ON_NODE,
            placed=row is not None,
        )

    def _weka(self, row: StorageDriver | HostPath, filesystem: str, evidence: Mapping[str, Seen]) -> Backing:
        """Weka's objects say of all its filesystems together whether some are tiered, never of one."""
        clusters = self._facts.known(WekaCluster)
        says = {
            f"WekaCluster[{cluster.namespace}/{cluster.name}].status.stats.filesystem.hasTieredFilesystems": tiered
            for cluster in clusters
            if (tiered := cluster.has_tiered_filesystems) is not None
        }
        certainty = Confidence.LIKELY if len(says) == len(clusters) and all(says.values()) else Confidence.HINT
        if isinstance(row, HostPath):
            certainty = certainty.at_most(row.confidence)
        verdict: Verdict = "unsaid"
        if any(says.values()):
            verdict = "tiered"
        elif clusters and len(says) == len(clusters):
            verdict = "stays"
        return Backing(
            product=row.product,
            filesystem=filesystem,
            verdict=verdict,
            evidence={**evidence, **says},
            confidence=certainty,
            prove=row.prove if isinstance(row, StorageDriver) else LOOK_ON_NODE,
        )


def _or_unread(read: Callable[[], Backing | None]) -> tuple[Backing | None, tuple[Unread, ...]]:
    try:
        return read(), ()
    except UnreadError as error:
        return None, error.unread


def _without_evidence(row: StorageDriver) -> Verdict:
    match row.tier:
        case "object_backed":
            return "object_backed"
        case "may_tier":
            return "unsaid"
        case "no_tier":
            return "stays"
        case "cache_layer":
            return "cached"
        case "node_local":
            return "node_local"


def _bound(volume: Volume, claim: Claim) -> _Behind:
    path = f"PersistentVolume[{volume.name}].spec"
    return _Behind(
        driver=volume.driver,
        driver_path=f"{path}.csi.driver",
        filesystem=volume.filesystem or volume.name,
        values={
            "volume_attribute": (f"{path}.csi.volumeAttributes.{{}}", volume.attributes),
            "volume_handle": (f"{path}.csi.volumeHandle", {"": volume.filesystem}),
            "mount_option": (f"{path}.mountOptions", {str(n): option for n, option in enumerate(volume.mount_options)}),
            "claim_annotation": _annotations(claim),
        },
        class_name=volume.storage_class,
    )


def _inline(volume: PodVolume, path: str) -> _Behind:
    row = storage_driver(volume.driver)
    names = [volume.attributes[key] for key in (row.hash_attributes if row else ()) if key in volume.attributes]
    return _Behind(
        driver=volume.driver,
        driver_path=f"{path}.csi.driver",
        filesystem=",".join(names) or volume.name,
        values={"volume_attribute": (f"{path}.csi.volumeAttributes.{{}}", volume.attributes)},
    )


def _nfs(filesystem: str, path: str) -> _Behind:
    return _Behind(driver=_NFS, driver_path=path, filesystem=filesystem, values={})


def _annotations(claim: Claim) -> tuple[str, Mapping[str, str]]:
    return f"PersistentVolumeClaim[{claim.namespace}/{claim.name}].metadata.annotations.{{}}", claim.annotations
