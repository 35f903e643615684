"""The claim and the volume behind a volume of a pod."""

from kubegap_checks.facts.pods import Pod, PodVolume
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.facts.storage import Claim, Volume
from kubegap_checks.inventory.shelf import Shelf


class BoundVolumes:
    """Claims and volumes by name; one that could not be read is an UnreadError when it is needed."""

    def __init__(self, facts: Facts) -> None:
        self._claims = Shelf(facts, Claim, lambda claim: (claim.namespace, claim.name))
        self._volumes = Shelf(facts, Volume, lambda volume: volume.name)

    def claim(self, namespace: str, name: str) -> Claim | None:
        return self._claims.get((namespace, name))

    def of_claim(self, claim: Claim) -> Volume | None:
        """None where nothing is bound to the claim yet."""
        return self._volumes.get(claim.volume) if claim.volume else None

    def of(self, pod: Pod, volume: PodVolume) -> Volume | None:
        """None where the pod's volume is no claim's, or nothing is bound to that yet."""
        claim = self.claim(pod.namespace, volume.claim) if volume.claim else None
        return self.of_claim(claim) if claim else None

    def all_of(self, pod: Pod) -> tuple[tuple[Volume, ...], tuple[Unread, ...]]:
        """Every volume that is bound for a pod, each once; and what could not be read of them."""
        found: dict[str, Volume] = {}
        unread: dict[Unread, None] = {}
        for mounted in pod.volumes:
            try:
                if volume := self.of(pod, mounted):
                    found[volume.name] = volume
            except UnreadError as error:
                unread |= dict.fromkeys(error.unread)
        return tuple(found.values()), tuple(unread)
