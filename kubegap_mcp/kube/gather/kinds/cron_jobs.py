"""CronJobs -> records."""

from collections.abc import Iterator
from typing import Final

from kubegap_checks.facts import cron_jobs as facts
from kubegap_mcp.foreign.clean import Names
from kubegap_mcp.kube.gather.deletions import deletions, spelled
from kubegap_mcp.kube.gather.fields import name, value
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses, first
from kubegap_mcp.kube.wire import cron_jobs as wire

_CONTAINERS: Final = 200


def reduce(item: wire.CronJob, names: Names, losses: Losses) -> wire.CronJob:
    """Of each command only what it deletes, in words that kubegap knows."""
    item = keep_name(item, names, losses)
    for container in _containers(item, losses):
        container.args = [spelled(one) for one in deletions(container.command, container.args, losses)] or None
        container.command = None
    return item


def build(item: wire.CronJob, losses: Losses) -> facts.CronJob:
    spec = item.spec or wire.CronJobSpec()
    return facts.CronJob(
        namespace=name(item.metadata.namespace),
        name=name(item.metadata.name),
        schedule=value(spec.schedule),
        suspended=bool(spec.suspend),
        deletions=tuple(
            one for container in _containers(item, losses) for one in deletions(None, container.args, losses)
        ),
    )


def _containers(item: wire.CronJob, losses: Losses) -> Iterator[wire.Command]:
    template = (item.spec or wire.CronJobSpec()).job_template or wire.JobTemplate()
    pod = (template.spec or wire.JobSpec()).template or wire.PodTemplate()
    spec = pod.spec or wire.PodSpec()
    yield from first(_CONTAINERS, spec.containers, losses)
    yield from first(_CONTAINERS, spec.init_containers, losses)


GATHERERS: Final = (gathers(facts.CronJob, wire.CronJob, reduce, build),)
