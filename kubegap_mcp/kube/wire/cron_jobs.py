"""CronJobs, as far as their containers' commands."""

from kubegap_mcp.kube.wire.meta import Top, Wire


class Command(Wire):
    """A container, of which only what it runs is read."""

    command: list[str] | None = None
    args: list[str] | None = None


class PodSpec(Wire):
    containers: list[Command] | None = None
    init_containers: list[Command] | None = None


class PodTemplate(Wire):
    spec: PodSpec | None = None


class JobSpec(Wire):
    template: PodTemplate | None = None


class JobTemplate(Wire):
    spec: JobSpec | None = None


class CronJobSpec(Wire):
    schedule: str | None = None
    suspend: bool | None = None
    job_template: JobTemplate | None = None


class CronJob(Top):
    spec: CronJobSpec | None = None
