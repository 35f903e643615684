"""How an operator replaces drivers -> the record that NVIDIA's operators share."""

from kubegap_checks.facts.upgrades import UpgradePolicy
from kubegap_mcp.kube.gather.fields import value
from kubegap_mcp.kube.wire import upgrades as wire


def build_upgrade(policy: wire.UpgradePolicy) -> UpgradePolicy:
    drain = policy.drain or wire.DrainSpec()
    deletion = policy.pod_deletion or wire.PodDeletion()
    wait = policy.wait_for_completion or wire.WaitForCompletion()
    return UpgradePolicy(
        auto=bool(policy.auto_upgrade),
        max_parallel=policy.max_parallel_upgrades,
        max_unavailable="" if policy.max_unavailable is None else value(str(policy.max_unavailable)),
        drain=bool(drain.enable),
        drain_force=bool(drain.force),
        drain_timeout=drain.timeout_seconds,
        pod_deletion_force=bool(deletion.force),
        pod_deletion_timeout=deletion.timeout_seconds,
        waits_for=value(wait.pod_selector),
        wait_timeout=wait.timeout_seconds,
    )
