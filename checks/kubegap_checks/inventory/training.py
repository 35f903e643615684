"""Training runs: which pods form one, and what each of their volumes is for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from kubegap_checks.facts.derived import derived, each_derived, row_derived
from kubegap_checks.facts.pods import Container, Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, UnreadError, came
from kubegap_checks.model import Confidence, Seen, Subject
from kubegap_checks.signals.accelerators import is_accelerator
from kubegap_checks.signals.fabrics import fabric_of
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.signals.workloads import Role, RoleHint, owner_kind, role_of

# What torch.distributed's env:// needs, whoever sets it.
RENDEZVOUS = ("MASTER_ADDR", "WORLD_SIZE")
# Forms of volume that may hold data of others; a read-only CSI volume in the pod is usually a secret.
_CLAIMED = frozenset({"claim", "ephemeral", "nfs"})


class Sign(Struct, frozen=True, kw_only=True):
    """A field of an object, its value, and how sure it makes what is concluded from it."""

    path: str
    value: Seen
    confidence: Confidence


class Use(Struct, frozen=True, kw_only=True):
    """One volume as one pod uses it; `role` is None where no sign tells it.

    `told` is True where a variable or a flag names the path, False where the mount only looks like it.
    """

    pod: Pod
    volume: PodVolume
    role: Role | None
    sign: Sign
    told: bool = False

    @property
    def confidence(self) -> Confidence:
        """How sure it is that the run uses the volume so: a path that it names is a fact, a look is a guess."""
        return Confidence.CERTAIN if self.told else self.sign.confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRun:
    """Pods that train together, sorted by name, and the sign that they train."""

    run: Run
    pods: tuple[Pod, ...]
    sign: Sign
    _uses: dict[Role, tuple[Use, ...]] = field(default_factory=dict[Role, tuple[Use, ...]], compare=False, repr=False)

    @property
    def subject(self) -> Subject:
        return Subject.of_run(self.run)

    @property
    def devices(self) -> int:
        """Accelerators of all pods; of devices that are claimed instead, at least so many."""
        return sum(devices(pod) for pod in self.pods)

    @property
    def serves(self) -> bool:
        """Whether its owner is a kind that mostly serves, whose groups need not reach each other."""
        owner = owner_kind(self.run.kind)
        return bool(owner and owner.serves)

    @property
    def workers(self) -> tuple[tuple[Pod, Container], ...]:
        """The containers that do the work, each with the first pod that has it: those of most runs are all the same."""
        distinct = {id(container): (pod, container) for pod in reversed(self.pods) for container in workers(pod)}
        return tuple(reversed(distinct.values()))

    def datasets(self) -> tuple[Use, ...]:
        """The volumes that the pods read the dataset from."""
        return self.uses("dataset")

    def uses(self, role: Role) -> tuple[Use, ...]:
        """The volumes that the pods use so."""
        if role not in self._uses:  # most rules about runs ask, and no threshold has a say in it
            self._uses[role] = tuple(use for pod in self.pods for use in uses_of(pod).get(role, ()))
        return self._uses[role]

    def surely(self, use: Use, confidence: Confidence) -> Confidence:
        """So sure, once it is likely that a training run uses the volume so; else a hint."""
        return Confidence.HINT if Confidence.HINT in (self.sign.confidence, use.confidence) else confidence

    def unplaced(self) -> tuple[Use, ...]:
        """Where nothing tells where the dataset is: the volumes that could hold it."""
        if self.datasets() or any(any(in_layer(pod, "dataset")) for pod in self.pods):
            return ()
        return tuple(use for pod in self.pods for use in guessed(pod) if _could_hold_data(use))


@each_derived
def training_runs(facts: Facts) -> Iterator[TrainingRun]:
    """Each training run that can be seen; where that was not all pods, UnreadError comes after the last."""
    members: dict[Run, list[Pod]] = {}
    seen, unread = came(facts.seen(Pod))
    for pod in seen:
        if not pod.deleting:
            members.setdefault(pod.run, []).append(pod)
    for run, pods in members.items():
        ordered = tuple(sorted(pods, key=lambda pod: pod.name))
        if sign := _trains(run, ordered):
            yield TrainingRun(run=run, pods=ordered, sign=sign)
    if unread:
        raise UnreadError(*unread)


@derived
def complete_runs(facts: Facts) -> tuple[TrainingRun, ...]:
    """All training runs with all of their pods, or UnreadError: for what no pod of a run does.

    Left out are pods in which another scheduler runs jobs: what one of those is, no object tells.
    """
    owners = ((run, owner_kind(run.run.kind)) for run in training_runs(facts))
    return tuple(run for run, owner in owners if not (owner and owner.hosts))


def devices(pod: Pod) -> int:
    """The accelerators that a pod asks for, whole or parts; each claimed device counts once."""
    asked = sum(count for name, count in pod.resources.items() if is_accelerator(name))
    return asked or pod.device_claims


@row_derived
def workers(pod: Pod) -> tuple[Container, ...]:
    """The containers that do the work: those that ask for accelerators, else all but the init containers."""
    running = tuple(container for container in pod.containers if not container.init)
    asking = tuple(container for container in running if any(map(is_accelerator, container.limits)))
    return asking or running


def mount_of(container: Container, path: str) -> Mount | None:
    """The mount under which a path lies; None where it lies in the container's own layer."""
    found: Mount | None = None
    for mount in container.mounts:
        prefix = mount.path.rstrip("/")
        if path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in {"", "/"}:
            found = mount if found is None or len(mount.path) > len(found.path) else found
    return found


def staged_to(use: Use) -> tuple[PodVolume, ...]:
    """The volumes into which an init container may have copied this dataset before the workers start.

    One that the workers mount too, and that looks like a place for data or is mounted beside the dataset.
    """
    pod = use.pod
    filled: dict[str, PodVolume] = {}
    for init in (container for container in pod.containers if container.init):
        mounted = {mount.volume for mount in init.mounts}
        for other in (*_told(pod), *guessed(pod)):
            name = other.volume.name
            if name in mounted - {use.volume.name} and (
                use.volume.name in mounted or other.role in {"dataset", "scratch", "cache", "index_cache"}
            ):
                filled[name] = other.volume
    return tuple(filled.values())


def _trains(run: Run, pods: tuple[Pod, ...]) -> Sign | None:
    """What makes these pods a training run: their owner, else what the surest of them looks like."""
    owner = owner_kind(run.kind)
    if owner and owner.training is not Confidence.HINT:
        path = f"Pod[{run.namespace}/{pods[0].name}].metadata.ownerReferences"
        return Sign(path=path, value=run.kind, confidence=owner.training)
    signs = [sign for pod in pods for sign in _rendezvous(pod)]
    if not (owner and owner.serves):
        signs += [sign for pod in pods for sign in _size(pod)]
    return max(signs, key=lambda sign: sign.confidence.rank, default=None)


def _rendezvous(pod: Pod) -> Iterator[Sign]:
    for container in workers(pod):
        for name in RENDEZVOUS:
            if name in container.env:
                path = f"Pod[{pod.namespace}/{pod.name}].spec.containers[{container.name}].env[{name}]"
                yield Sign(path=path, value=container.env[name], confidence=Confidence.LIKELY)


def _size(pod: Pod) -> Iterator[Sign]:
    """What a pod asks for that takes part in a large job: a fabric between nodes, or a whole machine."""
    for name, count in pod.resources.items():
        path = f"Pod[{pod.namespace}/{pod.name}].spec.containers.resources.limits[{name}]"
        if count and fabric_of(name):
            yield Sign(path=path, value=count, confidence=Confidence.LIKELY)
        if is_accelerator(name) and count >= threshold("training_pod_devices").value:
            yield Sign(path=path, value=count, confidence=Confidence.HINT)


@row_derived
def _told(pod: Pod) -> tuple[Use, ...]:
    """The volumes of which a variable or a flag says what they are for."""
    return tuple(_uses_told(pod))


def _uses_told(pod: Pod) -> Iterator[Use]:
    for container, hint, sign in roles_told(pod):
        for path in _paths(sign.value):
            mount = mount_of(container, path)
            volume = pod.volume(mount.volume) if mount else None
            if volume:
                yield Use(pod=pod, volume=volume, role=hint.role, sign=sign, told=True)


@row_derived
def uses_of(pod: Pod) -> Mapping[Role, Sequence[Use]]:
    """The volumes with a role; where the pod names the path itself, no other mount is taken for it.

    By each pod alone: another pod of the run may not have been seen.
    """
    uses: dict[Role, list[Use]] = {}
    for use in _told(pod):
        if use.role:
            uses.setdefault(use.role, []).append(use)
    named = uses.keys() | {hint.role for _, hint, _ in _in_layers(pod)}
    for use in guessed(pod):
        if use.role and use.role not in named:
            uses.setdefault(use.role, []).append(use)
    return uses


def _could_hold_data(use: Use) -> bool:
    spoken_for = {told.volume.name for told in _told(use.pod)}
    return use.role is None and use.volume.form in _CLAIMED | {"csi"} and use.volume.name not in spoken_for


def in_layer(pod: Pod, role: Role) -> Iterator[Sign]:
    """What names a path with this role that lies in the container's own layer, in the image for instance."""
    return (sign for _, hint, sign in _in_layers(pod) if hint.role == role)


@row_derived
def _in_layers(pod: Pod) -> tuple[tuple[Container, RoleHint, Sign], ...]:
    return tuple(
        (container, hint, sign)
        for container, hint, sign in roles_told(pod)
        if any(mount_of(container, path) is None for path in _paths(sign.value))
    )


@row_derived
def roles_told(pod: Pod) -> tuple[tuple[Container, RoleHint, Sign], ...]:
    """The variables and flags of the workers that say what a path is for."""
    return tuple(_roles_told(pod))


def _roles_told(pod: Pod) -> Iterator[tuple[Container, RoleHint, Sign]]:
    for container in workers(pod):
        at = f"Pod[{pod.namespace}/{pod.name}].spec.containers[{container.name}]"
        for name, value in container.env.items():
            if hint := role_of("env", name):
                yield container, hint, Sign(path=f"{at}.env[{name}]", value=value, confidence=hint.confidence)
        for name, value in container.flags.items():
            if hint := role_of("flag", name):
                yield container, hint, Sign(path=f"{at}.args[{name}]", value=value, confidence=hint.confidence)


@row_derived
def guessed(pod: Pod) -> tuple[Use, ...]:
    """Every mounted volume, with what its path, its name or its being read-only says."""
    return tuple(_guessed(pod))


def _guessed(pod: Pod) -> Iterator[Use]:
    for container in workers(pod):
        at = f"Pod[{pod.namespace}/{pod.name}].spec.containers[{container.name}].volumeMounts"
        for mount in container.mounts:
            volume = pod.volume(mount.volume)
            if volume is None:
                continue
            role, confidence = _look_of(mount, volume)
            sign = Sign(path=f"{at}[{mount.volume}].mountPath", value=mount.path, confidence=confidence)
            yield Use(pod=pod, volume=volume, role=role, sign=sign)


def _look_of(mount: Mount, volume: PodVolume) -> tuple[Role | None, Confidence]:
    hint = (
        role_of("mount_path", mount.path.rstrip("/"))
        or role_of("volume_name", volume.claim)
        or role_of("volume_name", volume.name)
    )
    if hint:
        return hint.role, hint.confidence
    if volume.form in _CLAIMED and (mount.read_only or volume.read_only):
        return "dataset", Confidence.HINT
    return None, Confidence.HINT


def _paths(value: Seen) -> list[str]:
    """The absolute paths in a value that may mix them with weights: `0.3 /data/web 0.7 /data/code`."""
    parts = re.split(r"[\s,;:'\"\[\]]+", value) if isinstance(value, str) else []
    return [part for part in parts if part.startswith("/") and not part.startswith("//")]
