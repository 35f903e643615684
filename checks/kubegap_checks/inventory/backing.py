"""What lies behind a volume: which storage, what shows that its data can leave the fast tier, and how to find out."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Unread
from kubegap_checks.facts.storage import Volume
from kubegap_checks.model import Confidence, Seen
from kubegap_checks.signals.storage_drivers import StorageDriver
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

LOOK_ON_NODE = Text(
    en="look at what is mounted there on the node with `findmnt --target PATH`, "
    "or read node_filesystem_size_bytes by mountpoint and fstype from node_exporter",
    ko="노드에서 `findmnt --target 경로`로 그 경로에 무엇이 마운트되어 있는지 보거나, "
    "node_exporter의 node_filesystem_size_bytes에서 mountpoint와 fstype을 확인",
)
_UNKNOWN_DRIVER = Text(
    en="ask whoever runs this storage whether it moves files to an object store: this driver is not in the catalogue",
    ko="카탈로그에 없는 드라이버이므로, 파일을 오브젝트 스토리지로 내보내는지 스토리지 운영자에게 확인",
)


class Backing(Struct, frozen=True, kw_only=True):
    """What lies behind a volume: which filesystem, what the objects show of its tiers, and the values that show it.

    `volume` is the PersistentVolume, None where nothing is bound or the pod names the storage itself; `node_cache`
    holds the values that show a cache on the node, which changes nothing behind it. `placed` is False where nothing
    tells whether the data lies on the node or elsewhere; `kept_on_delete` says that it outlives the volume.
    """

    product: str
    filesystem: str
    verdict: Verdict
    evidence: Mapping[str, Seen]
    confidence: Confidence
    prove: Text | None = None
    driver: StorageDriver | None = None
    volume: Volume | None = None
    placed: bool = True
    kept_on_delete: bool = False
    node_cache: Mapping[str, Seen] = field(default_factory=dict[str, Seen])

    @property
    def name(self) -> str:
        return f"{self.product} {self.filesystem}"

    @property
    def store(self) -> StorageDriver | None:
        """What is known of the driver where it mounts an object store."""
        return self.driver if self.driver and self.driver.medium == "object_fuse" else None

    @property
    def is_cached(self) -> bool:
        """Whether reads of an object store go through a cache on the node, by a setting or because nobody unset it."""
        return bool(self.node_cache) or bool(self.store and self.store.unset_cache == "node")

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


def lost(pod: Pod, claim: str) -> Backing:
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


def settled(verdict: Verdict, product: str, filesystem: str, evidence: Mapping[str, Seen]) -> Backing:
    return Backing(
        product=product,
        filesystem=filesystem,
        verdict=verdict,
        evidence=evidence,
        confidence=Confidence.CERTAIN,
    )
