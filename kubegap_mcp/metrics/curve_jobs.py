"""Which job is asked about, and which series of a metric are its; joined by labels and objects; pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts, Unread, came
from kubegap_checks.inventory.training import devices, training_runs
from kubegap_checks.text import Text
from kubegap_mcp.errors import UnknownNameError
from kubegap_mcp.metrics.curve import Job, Metric
from kubegap_mcp.metrics.join import Nodes
from kubegap_mcp.metrics.plan import NODE_LABELS
from kubegap_mcp.metrics.port import Series
from kubegap_mcp.metrics.promql import pattern, quoted
from kubegap_mcp.names import quoted as told

_NAMED: Final = 5  # jobs that an error names
# Prometheus puts `exported_` before a label of the series that the target has too (honorLabels: false).
_PREFIXES: Final = ("exported_", "")
# Labels in which people put the name of a job. A plain `job` is mostly Prometheus' own name of what it scrapes.
_NAMES_OF_JOBS: Final = ("exported_job", "job_name", "run_name", "run", "job")
JOB_LABELS: Final = ("exported_namespace", "exported_pod", "namespace", "pod", *_NAMES_OF_JOBS)


def jobs_of(facts: Facts, namespace: str | None) -> tuple[tuple[Job, ...], tuple[Unread, ...]]:
    """Each job whose pods hold accelerators, training runs first and the largest of them first; and what lacks."""
    pods, unread = came(facts.seen(Pod))
    training = {one.run for one in came(training_runs(facts))[0]}
    members: dict[Run, list[Pod]] = {}
    for pod in pods:
        if namespace in (None, pod.namespace):
            members.setdefault(pod.run, []).append(pod)
    jobs = [_job(run, own, trains=run in training) for run, own in members.items()]
    return tuple(sorted(jobs, key=lambda job: (not job.trains, -job.devices, job.namespace, job.name))), unread


def chosen(jobs: Sequence[Job], name: str | None, within: str | None = None) -> Job | None:
    """The job of that name (`name`, `namespace/name` or `Kind/namespace/name`), else the largest that trains.

    A name that no pod has may stand in labels of series: of a job that has ended, or that Kubernetes does not know. It
    is of the namespace that was asked `within`, where the name tells none.
    """
    if name is None:
        return next((_told_apart(job, jobs) for job in jobs if job.trains), None)
    namespace, _, last = name.strip().rpartition("/")
    namespace = namespace.rpartition("/")[2]
    found = [job for job in jobs if job.name == last and namespace in ("", job.namespace)]
    if len({job.namespace for job in found}) > 1:
        titles = ", ".join(job.title for job in found[:_NAMED])
        raise UnknownNameError(
            Text(
                en=f"several jobs are named {told(last)}: ask for one of {titles}",
                ko=f"이름이 {told(last)}인 작업이 여럿임. 하나를 골라 묻는다: {titles}",
            )
        )
    return _told_apart(found[0] if found else Job(name=last, namespace=namespace or within or ""), jobs)


def matchers_of(metric: Metric, rows: Iterable[Series], job: Job) -> str | None:
    """The label matchers that pick the job's series of a metric; None where it has none."""
    own = [row.labels for row in rows if row.labels.get("__name__") == metric.name]
    return next((found for prefix in _PREFIXES if (found := _by_pods(own, prefix, job))), None) or _by_name(own, job)


def _by_pods(own: Sequence[Mapping[str, str]], prefix: str, job: Job) -> str:
    places = [(labels.get(f"{prefix}namespace", ""), labels.get(f"{prefix}pod", "")) for labels in own]
    found = [(namespace, pod) for namespace, pod in places if job.owns(namespace, pod)]
    if not found:
        return ""
    return pod_matchers(found, job, prefix)


def pod_matchers(pods: Iterable[tuple[str, str]], job: Job, prefix: str = "") -> str:
    """Picks these pods, in as few letters as they can be written in; where they are too many, by the job's name."""
    pods = list(pods)
    namespaces, names = pattern({namespace for namespace, _ in pods}), pattern({name for _, name in pods})
    return f'{prefix}namespace=~"{namespaces}", {prefix}pod=~"{names or pattern((job.name,)) + "-.*"}"'


def _by_name(own: Sequence[Mapping[str, str]], job: Job) -> str | None:
    for label in _NAMES_OF_JOBS:
        named = [labels for labels in own if labels.get(label) == job.name]
        matcher = f'{label}="{quoted(job.name)}"'
        for key in ("exported_namespace", "namespace"):
            if job.namespace and any(labels.get(key) == job.namespace for labels in named):
                return f'{matcher}, {key}="{quoted(job.namespace)}"'
        if named and (label != "job" or not job.namespace):
            return matcher
    return None


def node_matchers(series: Iterable[Mapping[str, str]], nodes: Nodes, wanted: Iterable[str]) -> tuple[str, str] | None:
    """The label that names the nodes of these series, and matchers of the wanted ones; None where none does.

    The matchers are empty where the nodes are too many to name: then those of the whole cluster are taken.
    """
    series, wanted = list(series), frozenset(wanted)
    for label in NODE_LABELS:
        values = {one[label] for one in series if label in one and nodes.of({label: one[label]}) in wanted}
        if values:
            written = pattern(values)
            return label, f'{label}=~"{written}"' if written else ""
    return None


def _job(run: Run, pods: Sequence[Pod], *, trains: bool) -> Job:
    return Job(
        name=run.name,
        namespace=run.namespace,
        kind=run.kind,
        pods=tuple(sorted(pod.name for pod in pods)),
        nodes=tuple(sorted({pod.node for pod in pods if pod.node})),
        devices=sum(map(devices, pods)),
        trains=trains,
    )


def _told_apart(job: Job, jobs: Iterable[Job]) -> Job:
    """The job, with what belongs to others whose names begin like its own."""
    others = [one for one in jobs if (one.namespace, one.name) != (job.namespace, job.name)]
    taken = {(one.namespace, name) for one in others for name in (one.name, *one.pods)}
    return replace(job, others=frozenset(one for one in taken if one[1].startswith(f"{job.name}-")))
