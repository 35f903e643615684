"""What the objects behind a volume say about where its data lies and whether it can leave the fast tier."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Literal, TypeVar

from kubegap_checks.facts.pods import Pod, PodVolume
from kubegap_checks.facts.read import Facts, Record, Unread, UnreadError
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.inventory import weka
from kubegap_checks.inventory.training import Use, staged_to
from kubegap_checks.model import Confidence, Seen
from kubegap_checks.signals.host_paths import HostPath, host_path
from kubegap_checks.signals.storage_drivers import Evidence, StorageDriver, Where, storage_driver
from kubegap_checks.text import Text

Verdict = Literal[
    "lazy_linked",
    "tiered",
    "object_backed",
    "cache_of_remote",  # the four that mean: a read may have to fetch the data from elsewhere
    "stays",  # it cannot leave the fast tier
    "node_local",
    "cached",  # a cache layer of its own stands in front
    "unsaid",  # the objects do not say
]
_LEAVES: Mapping[Verdict, Text] = {
    "lazy_linked": Text(
        en="is linked to an object store and fetches files on first access",
        ko="오브젝트 스토리지에 연결되어 처음 읽을 때 파일을 가져옴",
    ),
    "tiered": Text(en="can move files to an object store", ko="파일을 오브젝트 스토리지로 내보낼 수 있음"),
    "object_backed": Text(
        en="is an object store behind a mount, so reads may go over the network to it",
        ko="오브젝트 스토리지를 마운트한 것이어서 읽을 때마다 네트워크를 거칠 수 있음",
    ),
    "cache_of_remote": Text(
        en="caches a remote store, so a miss reads from there",
        ko="원격 저장소의 캐시여서 캐시에 없으면 원격에서 읽음",
    ),
}

_NFS = "nfs.csi.k8s.io"  # whose row also speaks for NFS mounts without a driver
_NODE = Text(
    en="look at what is mounted there on the node with `findmnt --target PATH`, "
    "or read node_filesystem_size_bytes by mountpoint and fstype from node_exporter",
    ko="노드에서 `findmnt --target 경로`로 그 경로에 무엇이 마운트되어 있는지 보거나, "
    "node_exporter의 node_filesystem_size_bytes에서 mountpoint와 fstype을 확인",
)
_UNKNOWN_DRIVER = Text(
    en="ask whoever runs this storage whether it moves files to an object store: this driver is not in the catalogue",
    ko="카탈로그에 없는 드라이버이므로, 파일을 오브젝트 스토리지로 내보내는지 스토리지 운영자에게 확인",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backing:
    """What lies behind a volume: which filesystem, what the objects show of its tiers, and the values that show it.

    `placed` is False where nothing tells whether the data lies on the node or elsewhere.
    """

    product: str
    filesystem: str
    verdict: Verdict
    evidence: Mapping[str, Seen]
    confidence: Confidence
    prove: Text | None = None
    placed: bool = True

    @property
    def name(self) -> str:
        return f"{self.product} {self.filesystem}"

    @property
    def leaves(self) -> Text | None:
        """How data comes to lie elsewhere; None where nothing shows that it can."""
        return _LEAVES.get(self.verdict)

    @property
    def unread(self) -> Unread:
        """The doubt about this filesystem, the same for every pod that reads it."""
        return Unread(
            what=Text(
                en=f"whether {self.name} moves data to an object store",
                ko=f"{self.name}에서 데이터를 오브젝트 스토리지로 내보내는지",
            ),
            reason="invalid",
            remedy=self.prove or _UNKNOWN_DRIVER,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Behind:
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
        self._claims = _Shelf(facts, Claim, lambda claim: (claim.namespace, claim.name))
        self._volumes = _Shelf(facts, Volume, lambda volume: volume.name)
        self._classes = _Shelf(facts, StorageClass, lambda storage_class: storage_class.name)

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
                return _settled("node_local", volume.form, volume.name, {path: volume.form})
            case "other":
                return None

    def at_risk(self, use: Use) -> tuple[Backing | None, tuple[Unread, ...]]:
        """What lies behind a dataset whose data can leave, or might; and what could not be read to tell.

        None where it stays in reach, or where an init container copies it to the node and no variable or flag says
        that the original is read.
        """
        try:
            return self._at_risk(use), ()
        except UnreadError as error:
            return None, error.unread

    def _at_risk(self, use: Use) -> Backing | None:
        backing = self.backing(use.pod, use.volume)
        if backing is None or not (backing.leaves or backing.verdict == "unsaid"):
            return None
        copies = () if use.told else staged_to(use)
        on_node = (self.backing(use.pod, copy) for copy in copies)
        return None if any(copy and copy.verdict == "node_local" for copy in on_node) else backing

    def _of_claim(self, pod: Pod, name: str) -> Backing | None:
        claim = self._claims.get((pod.namespace, name))
        if claim is None:
            # A pod is placed only once its claims exist: one that no list holds was left out, or is newer.
            return _lost(pod, name) if pod.node else None
        volume = self._volumes.get(claim.volume) if claim.volume else None
        if volume is None:
            return self._of_class(claim)
        path = f"PersistentVolume[{volume.name}].spec"
        if volume.local_path:
            return _settled("node_local", "local volume", volume.name, {f"{path}.local.path": volume.local_path})
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
        shown, evidence = self._shown(row, behind)
        if shown is None and row.product == weka.PRODUCT:
            return self._weka(row, behind.filesystem, driver_seen)
        return Backing(
            product=row.product,
            filesystem=behind.filesystem,
            verdict=shown or _without_evidence(row),
            evidence=driver_seen | evidence,
            confidence=Confidence.CERTAIN,
            prove=row.prove,
        )

    def _shown(self, row: StorageDriver, behind: _Behind) -> tuple[Verdict | None, dict[str, Seen]]:
        """What the driver's evidence shows; a cache on the node is added to it, and changes nothing behind it."""
        evidence: dict[str, Seen] = {}
        for rule in row.visible:
            where, values = self._values(rule, behind)
            seen = rule.seen_in(values)
            if seen is None:
                continue
            evidence[where.replace("{}", seen[0])] = seen[1]  # not format: names in it are not ours
            if rule.shows != "node_cache":
                return ("stays" if rule.shows == "no_tier" else rule.shows), evidence
        return None, evidence

    def _values(self, rule: Evidence, behind: _Behind) -> tuple[str, Mapping[str, str]]:
        if rule.where != "class_parameter":
            return behind.values.get(rule.where, ("", {}))
        found = self._classes.get(behind.class_name) if behind.class_name else None
        return f"StorageClass[{behind.class_name}].parameters.{{}}", found.parameters if found else {}

    def _of_host_path(self, path: str, where: str) -> Backing:
        row = host_path(path)
        if row and row.medium == "node_local":
            return _settled("node_local", row.product, path, {where: path})
        if row and row.product == weka.PRODUCT:
            return self._weka(row, path, {where: path})
        return Backing(
            product=row.product if row else "host path",
            filesystem=path,
            verdict="unsaid",
            evidence={where: path},
            confidence=Confidence.HINT,
            prove=_NODE,
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
            certainty = min(certainty, row.confidence, key=lambda confidence: confidence.rank)
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
            prove=row.prove if isinstance(row, StorageDriver) else _NODE,
        )


def _lost(pod: Pod, claim: str) -> Backing:
    return Backing(
        product="PersistentVolumeClaim",
        filesystem=f"{pod.namespace}/{claim}",
        verdict="unsaid",
        evidence={},
        confidence=Confidence.HINT,
        placed=False,
        prove=Text(
            en="ask again: a pod is placed with this claim, and the list of claims does not hold it",
            ko="다시 조회: 이 PVC를 쓰는 파드가 노드에 배치되어 있는데 PVC 목록에는 없음",
        ),
    )


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


def _settled(verdict: Verdict, product: str, filesystem: str, evidence: Mapping[str, Seen]) -> Backing:
    return Backing(
        product=product,
        filesystem=filesystem,
        verdict=verdict,
        evidence=evidence,
        confidence=Confidence.CERTAIN,
    )


R = TypeVar("R", bound=Record)


class _Shelf(Generic[R]):
    """Objects of one kind by name; one that is not there is None only where all of them were read."""

    def __init__(self, facts: Facts, record: type[R], name: Callable[[R], Hashable]) -> None:
        self._facts = facts
        self._record = record
        self._name = name

    def get(self, name: Hashable) -> R | None:
        found = self._seen.get(name)
        if found is None:
            self._facts.known(self._record)
        return found

    @cached_property
    def _seen(self) -> Mapping[Hashable, R]:
        seen: dict[Hashable, R] = {}
        try:
            for row in self._facts.seen(self._record):
                seen[self._name(row)] = row
        except UnreadError:
            pass  # a name that is missed asks for all of them, and raises it there
        return seen
